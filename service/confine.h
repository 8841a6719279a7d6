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
 * Opens the socket for the user of the service and becomes that user, before there are threads.
 * Prints errors.
 */
int confine_user(const struct options *o, struct listening *l, const struct server_settings *s);
/* Closes the file system. Prints errors. */
int confine_begin(
		struct confinement *c, const struct options *o, const struct listening *l);
/*
 * features: SANDBOX_*; child: the process that may still be ended and waited for, or 0. Negative: a
 * required part is missing; printed.
 */
int confine_finish(struct confinement *c, unsigned features, pid_t child);

#endif
