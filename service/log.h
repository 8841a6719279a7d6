/*
 * Standard error of picad: messages for people and lines of the log. Text from outside is made
 * plain (pictures/plain.h).
 *
 * A reader that stops reading must not stop the service: a separate thread writes from a bounded
 * queue. Lines that do not fit are counted, and their number is written later. Other processes
 * share the open file, so its flags are left alone.
 */
#ifndef SERVICE_LOG_H
#define SERVICE_LOG_H

#include <stddef.h>

#include "service/server_log.h"

enum {
	LOG_LINE_BYTES = 4096, /* at most, and what a pipe accepts in one write */
	LOG_QUEUE_BYTES = 64 << 10,
};

/* "picad: " and the text. Any thread. */
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * From now on stores the errors of this thread in text, as many as fit, without "picad: "; NULL:
 * prints them on standard error again.
 */
void log_capture(char *text, size_t size);
/* A server_log_fn: the line, with its time and level. */
void log_line(void *user, enum log_level level, const char *line);

/*
 * Starts the thread that writes. Until then, and if it cannot be started, callers write themselves.
 * A child of fork() has no such thread: create children before.
 */
void log_begin(void);
/*
 * Returns when everything is written, or after a second in which the reader took nothing; the
 * thread is then abandoned.
 */
void log_end(void);

#endif
