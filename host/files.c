/*
 * "romfs:/..." and "sdmc:/..." are folders of the host: these functions replace libc's calls with a
 * path, and translate it.
 */
#undef _FILE_OFFSET_BITS /* both functions of a pair have their own names */
#define _LARGEFILE64_SOURCE 1
#include "host.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <3ds/result.h>
#include <3ds/romfs.h>

#define NOT_FOUND MAKERESULT(RL_PERMANENT, RS_NOTFOUND, RM_ROMFS, RD_NOT_FOUND)

enum { MAX_NAMES = 8, NAME_BYTES = 32 };

static char names[MAX_NAMES][NAME_BYTES]; /* of romfs */
static char folder[PATH_MAX];

static const char sd_card[] = "sdmc";

/* ---- Mounting ---- */

static bool find_folder(void) {
	struct stat st;
	if (host_options.romfs) {
		snprintf(folder, sizeof(folder), "%s", host_options.romfs);
	} else {
		const ssize_t n = readlink("/proc/self/exe", folder, sizeof(folder) - 8);
		folder[n > 0 ? n : 0] = 0;
		char *slash = strrchr(folder, '/');
		strcpy(slash ? slash + 1 : folder, "romfs");
	}
	return stat(folder, &st) == 0 && S_ISDIR(st.st_mode);
}

PICA_EXPORT Result romfsMountSelf(const char *name) {
	char *place = NULL;
	for (unsigned i = 0; i < MAX_NAMES; i++) {
		place = !place && !names[i][0] ? names[i] : place;
		if (strcmp(names[i], name) == 0) {
			return 0;
		}
	}
	if (!place || !*name || strlen(name) >= NAME_BYTES || strcmp(name, sd_card) == 0) {
		return HOST_BAD_ARGUMENT;
	}
	if (!find_folder()) {
		host_log("romfs: there is no folder %s", folder);
		return NOT_FOUND;
	}
	strcpy(place, name);
	return 0;
}

PICA_EXPORT Result romfsMountFromCurrentProcess(const char *name) {
	return romfsMountSelf(name);
}

PICA_EXPORT Result romfsUnmount(const char *name) {
	for (unsigned i = 0; i < MAX_NAMES; i++) {
		if (*name && strcmp(names[i], name) == 0) {
			names[i][0] = 0;
			return 0;
		}
	}
	return HOST_BAD_ARGUMENT;
}

/* Returns the folder of the SD card, or NULL. */
static const char *find_card(void) {
	static bool said;
	if (!host_options.sdmc) {
		host_log_once(&said, "sdmc:/ is not there: host-run --sdmc DIR gives it a folder");
	}
	return host_options.sdmc;
}

PICA_EXPORT Result archiveMountSdmc(void) {
	return find_card() ? 0 : NOT_FOUND;
}

PICA_EXPORT Result archiveUnmountAll(void) {
	return 0;
}

/* ---- Paths ---- */

/* Returns the folder of a name of n bytes, or NULL. */
static const char *folder_of(const char *name, size_t n) {
	if (n == sizeof(sd_card) - 1 && memcmp(name, sd_card, n) == 0) {
		return find_card();
	}
	for (unsigned i = 0; n && i < MAX_NAMES; i++) {
		if (strlen(names[i]) == n && memcmp(name, names[i], n) == 0) {
			return folder;
		}
	}
	return NULL;
}

/* Whether a path, without its name, stays in its folder. */
static bool is_inside(const char *path) {
	int depth = 0;
	while (depth >= 0 && *path) {
		path += strspn(path, "/");
		const size_t n = strcspn(path, "/");
		if (n == 2 && memcmp(path, "..", n) == 0) {
			depth--;
		} else if (n > 1 || (n == 1 && *path != '.')) {
			depth++;
		}
		path += n;
	}
	return depth >= 0;
}

/* Whether symbolic links lead out of the folder; a kernel before 5.6 does not tell. */
static bool leads_out(const char *at, const char *path) {
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_BENEATH };
	path += strspn(path, "/");
	const int top = openat(AT_FDCWD, at, O_PATH | O_CLOEXEC);
	const long fd = syscall(SYS_openat2, top, *path ? path : ".", &how, sizeof(how));
	const bool is_outside = fd < 0 && (errno == EXDEV || errno == EAGAIN);
	if (fd >= 0) {
		close((int)fd);
	}
	if (top >= 0) {
		close(top);
	}
	return is_outside;
}

/*
 * Returns the path of the host, perhaps in `room`; path itself if it is not in a mounted name;
 * NULL, with errno, if it leaves its folder, or if is_write and the name is romfs.
 */
static const char *translate(const char *path, bool is_write, char room[PATH_MAX]) {
	const char *colon = path ? strchr(path, ':') : NULL;
	const char *at = colon ? folder_of(path, (size_t)(colon - path)) : NULL;
	if (!at) {
		errno = path ? errno : EFAULT;
		return path && !is_write ? host_random_file(path, room) : path;
	}
	if (!is_inside(colon + 1) || leads_out(at, colon + 1)) {
		errno = ENOENT;
	} else if (is_write && at == folder) {
		errno = EROFS;
	} else if (snprintf(room, PATH_MAX, "%s/%s", at, colon + 1) >= PATH_MAX) {
		errno = ENAMETOOLONG;
	} else {
		return room;
	}
	return NULL;
}

static bool is_write_mode(const char *mode) {
	return strcspn(mode, "wa+") < strcspn(mode, ",");
}

/* NAME calls libc's function of that name; is_write: whether it is to change a file. */
#define IN_FRONT(type, name, params, args, is_write, failed)                                       \
	PICA_EXPORT type name params;                                                              \
	PICA_EXPORT type name params {                                                             \
		static type(*next) params;                                                         \
		char room[PATH_MAX];                                                               \
		if (!next) {                                                                       \
			*(void **)&next = dlsym(RTLD_NEXT, #name);                                 \
		}                                                                                  \
		if (!next) {                                                                       \
			errno = ENOSYS;                                                            \
			return failed;                                                             \
		}                                                                                  \
		path = translate(path, is_write, room);                                            \
		return path ? next args : failed;                                                  \
	}

IN_FRONT(FILE *, fopen, (const char *path, const char *mode), (path, mode), is_write_mode(mode),
		NULL)
IN_FRONT(FILE *, fopen64, (const char *path, const char *mode), (path, mode), is_write_mode(mode),
		NULL)
IN_FRONT(DIR *, opendir, (const char *path), (path), false, NULL)
IN_FRONT(int, access, (const char *path, int mode), (path, mode), (mode & W_OK) != 0, -1)
IN_FRONT(int, stat, (const char *restrict path, struct stat *restrict out), (path, out), false, -1)
IN_FRONT(int, stat64, (const char *restrict path, struct stat64 *restrict out), (path, out), false,
		-1)
IN_FRONT(int, lstat, (const char *restrict path, struct stat *restrict out), (path, out), false, -1)
IN_FRONT(int, lstat64, (const char *restrict path, struct stat64 *restrict out), (path, out), false,
		-1)

IN_FRONT(int, mkdir, (const char *path, mode_t mode), (path, mode), true, -1)
IN_FRONT(int, rmdir, (const char *path), (path), true, -1)
IN_FRONT(int, unlink, (const char *path), (path), true, -1)
IN_FRONT(int, remove, (const char *path), (path), true, -1)

PICA_EXPORT int rename(const char *from, const char *to);
PICA_EXPORT int rename(const char *from, const char *to) {
	char room[2][PATH_MAX];
	from = translate(from, true, room[0]);
	to = from ? translate(to, true, room[1]) : NULL;
	return to ? renameat(AT_FDCWD, from, AT_FDCWD, to) : -1;
}

static int open_at(const char *path, int flags, mode_t mode) {
	char room[PATH_MAX];
	const bool is_write = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
	path = translate(path, is_write, room);
	return path ? openat(AT_FDCWD, path, flags, mode) : -1;
}

static bool has_mode(int flags) {
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
}

#define OPEN(name)                                                                                 \
	PICA_EXPORT int name(const char *path, int flags, ...);                                    \
	PICA_EXPORT int name(const char *path, int flags, ...) {                                   \
		va_list args;                                                                      \
		va_start(args, flags);                                                             \
		const mode_t mode = has_mode(flags) ? va_arg(args, mode_t) : 0;                    \
		va_end(args);                                                                      \
		return open_at(path, flags, mode);                                                 \
	}

OPEN(open)
OPEN(open64)
