/*
 * What picad says on standard error: lines for people and lines of the log. Text from outside in
 * them is made plain (pictures/plain.h).
 *
 * Who reads there may stop to read, and must not stop the service by that: a thread of its own
 * writes, behind a queue with a bound. What does not fit is counted and said later. The open file
 * is others', too, and stays as blocking as they want it.
 */
#ifndef SERVICE_LOG_H
#define SERVICE_LOG_H

#include <stddef.h>

#include "service/server_log.h"

enum {
	LOG_LINE_BYTES = 4096, /* at most, and what a pipe takes in one piece */
	LOG_QUEUE_BYTES = 64 << 10,
};

/* "picad: " and the text. Any thread. */
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * From here on what this thread says goes into text, the first of it, without "picad: "; NULL: to
 * standard error again.
 */
void log_capture(char *text, size_t size);
/* A server_log_fn: the line, with its time and level. */
void log_line(void *user, enum log_level level, const char *line);

/*
 * From here on a thread writes; before, and where it cannot be made, whoever speaks does. After
 * fork(), a child has no such thread: children are made before.
 */
void log_begin(void);
/*
 * Everything is written, or nothing of it has been taken for a second; the thread is left to
 * itself then.
 */
void log_end(void);

#endif
