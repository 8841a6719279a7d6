/* Drops privileges, before there are threads. */
#ifndef SERVICE_PRIVILEGES_H
#define SERVICE_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

/* Somebody else to be. */
struct identity {
	bool is_set;
	uid_t uid;
	gid_t gid;
	char name[64];       /* "": it is a number alone */
	char home[256], shell[256];
	bool has_own_groups; /* those of name, beside gid */
};

/*
 * Parses "NAME" or "NAME:GROUP", names or numbers; GROUP replaces the user's own groups. NULL:
 * nobody. Returns 0, -EINVAL if there is no such user or group, or -EPERM if this process may not
 * change its user.
 */
int identity_find(struct identity *out, const char *spec);
/*
 * Becomes that identity for good, and verifies it; without one, nothing changes. Afterwards $HOME,
 * $USER, $LOGNAME and $SHELL are those of the identity, or are unset. Returns 0 or a negative
 * errno.
 */
int identity_assume(const struct identity *id);
/*
 * No new privileges by programs, no capabilities (but for keep_admin CAP_SYS_ADMIN, which cards
 * need), no core files with clients' memory in them; as many descriptors as the system allows.
 */
int privileges_reduce(bool keep_admin);

#endif
