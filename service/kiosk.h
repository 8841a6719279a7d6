/*
 * The one program that a kiosk runs: pica play with captures, or a command. A process of ours
 * restarts it when it ends; it ends with us, however we end. It and what it starts are a process
 * group, which ends together. What it prints becomes lines of the log: those on its standard error
 * are warnings. Of either stream ten seconds have a hundred lines, and then a sum.
 */
#ifndef SERVICE_KIOSK_H
#define SERVICE_KIOSK_H

#include <sys/types.h>

#include "service/server_log.h"

struct kiosk {
	const char *command; /* for sh -c; NULL: captures */
	char **captures;     /* paths or patterns */
	unsigned n_captures;
};

/*
 * Whether there is something to play, before anybody waits for it: a capture that can be opened, of
 * each path or pattern, and of each that a pattern has in braces. -EINVAL: what is wrong with the
 * first file was printed.
 */
int kiosk_check(const struct kiosk *k);
/*
 * Starts it, with $PICA_SOCKET set; before there are threads. Returns the process that keeps it, or
 * a negative errno.
 */
pid_t kiosk_start(const struct kiosk *k, const char *socket, enum log_level level);
/* From now on its log has lines as important as this, and more. */
void kiosk_set_log_level(enum log_level level);
/* Asks it to end, so that it is not started again. pid <= 0: nothing. */
void kiosk_end(pid_t pid);
/* Likewise, and waits a few seconds, then kills the rest. */
void kiosk_stop(pid_t pid);

#endif
