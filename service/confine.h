/*
 * How picad confines itself, by --sandbox and --user, in two steps: what threads inherit before
 * there are any, and the filter of system calls when everything is open.
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
 * Opens the socket for the user of the service and becomes that user. Call before there are
 * threads. Returns 0, or a negative errno after printing the error.
 */
int confine_user(const struct options *o, struct listening *l, const struct server_settings *s);
/* Restricts the file system. Returns 0, or a negative errno after printing the error. */
int confine_begin(
		struct confinement *c, const struct options *o, const struct listening *l);
/*
 * features: SANDBOX_*; child: the process that may still be ended and waited for, or 0. Returns 0,
 * or a negative errno if a required part is missing, after printing which.
 */
int confine_finish(struct confinement *c, unsigned features, pid_t child);

#endif
