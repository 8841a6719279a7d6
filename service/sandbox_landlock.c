/* Restricts files to the allowed folders. [kernel: Documentation/userspace-api/landlock.rst] */
#include "service/sandbox.h"

#include <errno.h>

#if defined(HAVE_LANDLOCK)

#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/landlock.h>

#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14) /* version 3, Linux 6.2 */
#endif

/* Version 6, Linux 6.12: nothing outside the sandbox by abstract sockets or signals. */
enum { SCOPE_SOCKETS = 1, SCOPE_SIGNALS = 2 };

/* The fields of version 6; older kernels accept it if the rest is 0. */
struct rules_attr {
	uint64_t files, net, scoped;
};

static const uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
static const uint64_t removing = LANDLOCK_ACCESS_FS_REMOVE_FILE;
static const uint64_t writing = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
		LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
		LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REFER |
		LANDLOCK_ACCESS_FS_TRUNCATE;

/* Returns all file rights of a version. */
static uint64_t handled(long version) {
	uint64_t all = (1ULL << 13) - 1;
	all |= version >= 2 ? LANDLOCK_ACCESS_FS_REFER : 0;
	all |= version >= 3 ? LANDLOCK_ACCESS_FS_TRUNCATE : 0;
	return all;
}

static int allow(int rules, const struct sandbox_folder *f, uint64_t all) {
	static const uint64_t *const rights[] = {
		[SANDBOX_READ] = &reading, [SANDBOX_WRITE] = &writing, [SANDBOX_REMOVE] = &removing
	};
	struct landlock_path_beneath_attr rule = { .allowed_access = *rights[f->right] & all };
	rule.parent_fd = open(f->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (rule.parent_fd < 0) {
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	}
	int ret = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0 ?
			-errno :
			0;
	close(rule.parent_fd);
	return ret;
}

int sandbox_folders(const struct sandbox_folder *folders, unsigned n, bool has_child) {
	long version = syscall(
			SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	if (version < 1) {
		return -EOPNOTSUPP;
	}
	const struct rules_attr attr = { .files = handled(version),
		.scoped = version < 6	? 0 :
				has_child ? SCOPE_SOCKETS :
					    SCOPE_SOCKETS | SCOPE_SIGNALS };
	int rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (rules < 0) {
		return -errno;
	}
	int ret = 0;
	for (unsigned i = 0; i < n && ret == 0; i++) {
		ret = allow(rules, &folders[i], attr.files);
	}
#ifdef HAS_SANITIZER
	ret = ret < 0 ? ret :
			allow(rules, &(struct sandbox_folder){ "/proc", SANDBOX_READ },
					attr.files);
#endif
	if (ret == 0 &&
			(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
					syscall(SYS_landlock_restrict_self, rules, 0) < 0)) {
		ret = -errno;
	}
	close(rules);
	return ret;
}

#else

int sandbox_folders(const struct sandbox_folder *folders, unsigned n, bool has_child) {
	return -EOPNOTSUPP;
}

#endif
