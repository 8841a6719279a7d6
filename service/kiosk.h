/*
 * The one program of a kiosk: `pica play` with captures, or a command. A supervisor process of
 * picad restarts it when it ends, and ends it when picad ends, even if picad is killed. The program
 * and its children form one process group. Its output goes to the log line by line; lines from its
 * standard error are warnings. Each stream may log 100 lines in 10 seconds; further lines are only
 * counted.
 */
#ifndef SERVICE_KIOSK_H
#define SERVICE_KIOSK_H

#include <stdbool.h>
#include <sys/types.h>

#include "service/server_log.h"

struct kiosk {
	const char *command; /* for sh -c; NULL: captures */
	char **captures;     /* paths or patterns */
	unsigned n_captures;
	const char *hold; /* minimum time of each capture in seconds; NULL: none */
};

/*
 * Checks that each path and pattern, and each alternative in braces, names a capture that can be
 * opened. Returns 0. On failure prints the error of the first file and returns -EINVAL.
 */
int kiosk_check(const struct kiosk *k);
/* Returns whether a text is a minimum time. */
bool kiosk_is_hold(const char *text);
/*
 * Starts it, with $PICA_SOCKET set. Call it before threads exist. Returns the process that restarts
 * it, or a negative errno.
 */
pid_t kiosk_start(const struct kiosk *k, const char *socket, enum log_level level);
/* Sets the least important level that it logs from now on. */
void kiosk_set_log_level(enum log_level level);
/* Asks the program to end; it is not started again. pid <= 0: does nothing. */
void kiosk_end(pid_t pid);
/* Asks the program to end, waits a few seconds, then kills what is left. */
void kiosk_stop(pid_t pid);

#endif
