/* Levelled log to a caller's callback. The library never prints by itself. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "core/base/attributes.h"
#include "pica.h"

struct logger {
	pica_log_fn *fn; /* NULL: silent */
	pica_owner_log_fn *owner_fn; /* NULL: fn gets the lines of owners, too */
	void *user;
	enum pica_log_level level; /* messages above it are dropped */
};

/*
 * Formats one line (no newline) and hands it to a callback. owner: of the context that it is about,
 * 0: none. Thread-safe if the callback is.
 */
void log_write(const struct logger *log, uint64_t owner, enum pica_log_level level, const char *fmt,
		...) PICA_PRINTF(4, 5);

#endif
