#include "service/privileges.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

/* More than sessions can have. */
enum { MOST_DESCRIPTORS = 65536 };

/* ---- Identity ---- */

static bool parse_id(const char *text, uint32_t *out) {
	char *end;
	errno = 0;
	unsigned long n = strtoul(text, &end, 10);
	*out = (uint32_t)n;
	return text[0] >= '0' && text[0] <= '9' && !*end && errno == 0 && n < UINT32_MAX;
}

static int find_user(struct identity *id, const char *name) {
	uint32_t number;
	const struct passwd *p = getpwnam(name);
	if (!p && parse_id(name, &number)) {
		p = getpwuid(number);
		if (!p) { /* only a number: no supplementary groups */
			id->uid = number;
			id->gid = number;
			return 0;
		}
	}
	if (!p || strlen(p->pw_name) >= sizeof(id->name) ||
			strlen(p->pw_dir) >= sizeof(id->home) ||
			strlen(p->pw_shell) >= sizeof(id->shell)) {
		return -EINVAL;
	}
	id->uid = p->pw_uid;
	id->gid = p->pw_gid;
	id->has_own_groups = true;
	snprintf(id->name, sizeof(id->name), "%s", p->pw_name);
	snprintf(id->home, sizeof(id->home), "%s", p->pw_dir);
	/* the default if the file names none [passwd(5)] */
	snprintf(id->shell, sizeof(id->shell), "%s", p->pw_shell[0] ? p->pw_shell : "/bin/sh");
	return 0;
}

int identity_find(struct identity *out, const char *spec) {
	*out = (struct identity){ 0 };
	if (!spec) {
		return 0;
	}
	char *name = strdup(spec);
	if (!name) {
		return -ENOMEM;
	}
	char *group = strchr(name, ':');
	if (group) {
		*group++ = 0;
	}
	int ret = find_user(out, name);
	if (ret == 0 && group) {
		const struct group *g = getgrnam(group);
		uint32_t number;
		out->has_own_groups = false;
		if (g) {
			out->gid = g->gr_gid;
		} else if (parse_id(group, &number)) {
			out->gid = number;
		} else {
			ret = -EINVAL;
		}
	}
	free(name);
	out->is_set = ret == 0;
	return ret == 0 && geteuid() != 0 ? -EPERM : ret;
}

static bool is_assumed(const struct identity *id) {
	uid_t ruid, euid, suid;
	gid_t rgid, egid, sgid;
	if (getresuid(&ruid, &euid, &suid) < 0 || getresgid(&rgid, &egid, &sgid) < 0) {
		return false;
	}
	bool is_it = ruid == id->uid && euid == id->uid && suid == id->uid && rgid == id->gid &&
			egid == id->gid && sgid == id->gid;
	/* There is no way back. */
	return is_it && (id->uid == 0 || (setuid(0) < 0 && errno == EPERM));
}

static int take_environment(const struct identity *id) {
	const struct {
		const char *variable, *value;
	} own[] = { { "HOME", id->home }, { "USER", id->name }, { "LOGNAME", id->name },
		{ "SHELL", id->shell } };
	for (unsigned i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		const bool has_one = own[i].value[0];
		if ((has_one ? setenv(own[i].variable, own[i].value, 1) :
			    unsetenv(own[i].variable)) < 0) {
			return -errno;
		}
	}
	return 0;
}

int identity_assume(const struct identity *id) {
	if (!id->is_set) {
		return 0;
	}
	int ret = id->has_own_groups ? initgroups(id->name, id->gid) : setgroups(0, NULL);
	if (ret < 0 || setresgid(id->gid, id->gid, id->gid) < 0 ||
			setresuid(id->uid, id->uid, id->uid) < 0) {
		return -errno;
	}
	return is_assumed(id) ? take_environment(id) : -EPERM;
}

/* ---- Less ---- */

static int drop_capabilities(void) {
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct left[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
	return syscall(SYS_capset, &head, left) < 0 ? -errno : 0;
}

int privileges_reduce(void) {
	const struct rlimit no_core = { 0, 0 };
	struct rlimit files;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || setrlimit(RLIMIT_CORE, &no_core) < 0) {
		return -errno;
	}
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < MOST_DESCRIPTORS &&
			files.rlim_max > files.rlim_cur) {
		files.rlim_cur = files.rlim_max < MOST_DESCRIPTORS ? files.rlim_max :
								     MOST_DESCRIPTORS;
		setrlimit(RLIMIT_NOFILE, &files); /* otherwise the present limit stays */
	}
	return drop_capabilities();
}
