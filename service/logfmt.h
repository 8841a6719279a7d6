/* Lines of logfmt: key=value, or key="value" with quotes, newlines and the like escaped. */
#ifndef SERVICE_LOGFMT_H
#define SERVICE_LOGFMT_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Like vsnprintf(), but supports only %s, %d, %u, %x (all with l, ll or z, a width and a leading 0)
 * and %%. A %s between quotes is a value, with escapes: \" \\ \n \r \t, other control characters
 * as \xNN. A line that does not fit ends with "..." and closes an open quote.
 */
void logfmt_line(char *out, size_t size, const char *fmt, va_list args);

#endif
