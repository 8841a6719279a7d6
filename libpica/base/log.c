#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void log_write(const struct logger *log, enum pica_log_level level, const char *fmt, ...) {
	if (!log->fn || level > log->level) {
		return;
	}
	char line[512];
	va_list args;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	log->fn(log->user, level, line);
}
