/* Lines of logfmt: key=value, or key="value" with quotes, newlines and the like escaped. */
#ifndef SERVICE_LOGFMT_H
#define SERVICE_LOGFMT_H

#include <stdarg.h>
#include <stddef.h>

#include "service/server_log.h"

/*
 * Like vsnprintf(), but supports only %s, %d, %u, %x (all with l, ll or z, a width and a leading 0)
 * and %%. A %s between quotes is a value, with escapes: \" \\ \n \r \t, other control characters
 * as \xNN. A line that does not fit ends with "..." and closes an open quote.
 */
void logfmt_line(char *out, size_t size, const char *fmt, va_list args);
/* Logs such a line of at most 511 bytes; nothing if log is NULL. */
void logfmt_log(server_log_fn *log, void *user, enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
