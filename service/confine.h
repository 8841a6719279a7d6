/*
 * picad confines itself (--sandbox, --user) in two steps: restrictions that threads inherit, before
 * any is started; and the filter of system calls, after everything is open.
 */
#ifndef SERVICE_CONFINE_H
#define SERVICE_CONFINE_H

#include "service/listen.h"
#include "service/options.h"

struct confinement {
	bool wanted, demanded; /* auto: wanted; on: both */
	bool has_folders, has_filter;
};

/*
 * Opens the socket for the user of the service and switches to that user. Call before any thread
 * is started. Returns 0, or a negative errno after printing the error.
 */
int confine_user(const struct options *o, struct listening *l, const struct server_settings *s);
/* Restricts the file system. Returns 0, or a negative errno after printing the error. */
int confine_begin(
		struct confinement *c, const struct options *o, const struct listening *l);
/*
 * Installs the filter. features: SANDBOX_*. child: the process that may still be signalled and
 * waited for, or 0. Returns 0. If a required part is missing, prints which and returns a negative
 * errno.
 */
int confine_finish(struct confinement *c, unsigned features, pid_t child);

#endif
