/*
 * Standard error of picad: messages for people and lines of the log. Text from outside is sanitized
 * (pictures/plain.h).
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

/* Names the program in messages as in argv[0], which must stay; "picad" otherwise. */
void log_name_program(const char *argv0);
/* Prints "picad: " and the text. Any thread. */
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * From now on stores the errors of this thread in text, as far as they fit, without "picad: ". text
 * NULL: prints them on standard error again.
 */
void log_capture(char *text, size_t size);
/* A server_log_fn: writes the line with its time and level. */
void log_line(void *user, enum log_level level, const char *line);

/*
 * Starts the writer thread. Before that, and if it cannot be started, callers write directly. A
 * child of fork() does not have this thread, so create children before.
 */
void log_begin(void);
/*
 * Waits until everything is written. If the reader takes nothing for one second, abandons the
 * thread and returns.
 */
void log_end(void);

#endif
