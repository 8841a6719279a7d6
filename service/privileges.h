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
 * Assumes that identity permanently, and verifies it; without one, does nothing. Afterwards $HOME,
 * $USER, $LOGNAME and $SHELL are those of the identity, or are unset. Returns 0 or a negative
 * errno.
 */
int identity_assume(const struct identity *id);
/*
 * Sets no_new_privs, drops all capabilities (except CAP_SYS_ADMIN, which cards need, if
 * keep_admin), forbids core files, which would hold clients' memory, and raises the limit of
 * descriptors to its maximum.
 */
int privileges_reduce(bool keep_admin);

#endif
