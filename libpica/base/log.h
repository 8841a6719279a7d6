/* Levelled log to a caller's callback. The library never prints by itself. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/attributes.h"
#include "pica.h"

struct logger {
	pica_log_fn *fn; /* NULL: silent */
	void *user;
	enum pica_log_level level; /* messages above it are dropped */
};

/* Formats one line (no newline) and hands it to the callback. Thread-safe if the callback is. */
void log_write(const struct logger *log, enum pica_log_level level, const char *fmt, ...)
		PICA_PRINTF(3, 4);

#endif
