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
 * "NAME" or "NAME:GROUP", names or numbers; GROUP replaces the user's own groups. -EINVAL: no such
 * user or group; -EPERM: this process may not become anybody else. NULL: nobody.
 */
int identity_find(struct identity *out, const char *spec);
/*
 * Becomes it for good, which is verified: nobody, if it is not set. $HOME, $USER, $LOGNAME and
 * $SHELL, of what the service starts, are its own then, or there are none.
 */
int identity_assume(const struct identity *id);
/*
 * No new privileges by programs, no capabilities (but for keep_admin CAP_SYS_ADMIN, which cards
 * need), no core files with clients' memory in them; as many descriptors as the system allows.
 */
int privileges_reduce(bool keep_admin);

#endif
