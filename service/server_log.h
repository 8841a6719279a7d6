/* The log of the service: lines of logfmt, from any of its threads. */
#ifndef SERVICE_SERVER_LOG_H
#define SERVICE_SERVER_LOG_H

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* One line in logfmt without time or newline: event=... key=value ... Any thread. */
typedef void server_log_fn(void *user, enum log_level level, const char *line);

#endif
