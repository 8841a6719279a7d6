#include "core/base/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

void log_write(const struct logger *log, uint64_t owner, enum pica_log_level level, const char *fmt,
		...) {
	const bool is_owners = owner && log->owner_fn;
	if (level > log->level || (!is_owners && !log->fn)) {
		return;
	}
	char line[512];
	va_list args;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (is_owners) {
		log->owner_fn(log->user, owner, level, line);
	} else {
		log->fn(log->user, level, line);
	}
}
