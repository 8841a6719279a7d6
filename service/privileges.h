/* Drops privileges. Call these functions before any thread is started. */
#ifndef SERVICE_PRIVILEGES_H
#define SERVICE_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

/* The user and group to switch to. */
struct identity {
	bool is_set;
	uid_t uid;
	gid_t gid;
	char name[64];       /* "": only the number is known */
	char home[256], shell[256];
	bool has_own_groups; /* those of name, in addition to gid */
};

/*
 * Parses "NAME" or "NAME:GROUP", names or numbers; GROUP replaces the user's own groups. NULL:
 * no identity. Returns 0, -EINVAL if there is no such user or group, or -EPERM if this process may
 * not change its user.
 */
int identity_find(struct identity *out, const char *spec);
/*
 * Switches to that identity permanently, and verifies it. Does nothing if none is set. Afterwards
 * $HOME, $USER, $LOGNAME and $SHELL are those of the identity, or unset. Returns 0 or a negative
 * errno.
 */
int identity_assume(const struct identity *id);
/*
 * Sets no_new_privs, drops all capabilities, forbids core files, which would hold clients' memory,
 * and raises the limit of descriptors to its maximum.
 */
int privileges_reduce(void);

#endif
