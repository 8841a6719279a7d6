/* Lines of logfmt: key=value, or key="value" with what would end it or the line escaped. */
#ifndef SERVICE_LOGFMT_H
#define SERVICE_LOGFMT_H

#include <stdarg.h>
#include <stddef.h>

/*
 * As vsnprintf(), of which it knows %s, %d, %u, %x (all with l, ll or z, a width and a leading 0)
 * and %%. A %s between quotes is a value, with escapes: \" \\ \n \r \t, other control characters
 * as \xNN. A line that does not fit ends with "..." and the quote that is open.
 */
void logfmt_line(char *out, size_t size, const char *fmt, va_list args);

#endif
