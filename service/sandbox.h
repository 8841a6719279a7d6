/*
 * Confines the running service, so that a client that takes it over gains little: a filter of
 * system calls (seccomp), and access to files only below given folders (Landlock). A part that this
 * build or the kernel lacks is skipped and reported.
 */
#ifndef SERVICE_SANDBOX_H
#define SERVICE_SANDBOX_H

#include <stdbool.h>

#include <sys/types.h>

/* Sanitizers make additional system calls, and read /proc at exit. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

/* What parts of the service need in addition to waiting, drawing and answering. */
enum sandbox_feature {
	SANDBOX_FILES = 1, /* writes recordings or pictures */
	SANDBOX_URING = 2, /* waits on a ring, which exists */
	SANDBOX_DRM = 4,   /* shows pictures on cards, which may come and go */
	SANDBOX_SEAT = 8,  /* gets cards from a daemon, which may restart */
};

enum sandbox_right {
	SANDBOX_READ,   /* files and folders below are read */
	SANDBOX_WRITE,  /* and created, written, renamed and removed */
	SANDBOX_REMOVE, /* files are removed */
};

struct sandbox_folder {
	const char *path; /* a missing one is skipped */
	enum sandbox_right right;
};

/*
 * Denies this thread, and threads that it creates from now on, all files except those below the
 * folders; open files stay open. From Linux 6.12 on it also denies abstract sockets of others, and
 * signals to other processes unless has_child is set (a child was started before). Returns 0. On
 * failure denies nothing and returns -EOPNOTSUPP if this kernel or build lacks it, or another
 * negative errno.
 */
int sandbox_folders(const struct sandbox_folder *folders, unsigned n, bool has_child);
/*
 * Denies all threads every system call that the service does not need: such a call fails with
 * EPERM; a call that only an intruder would make (starting programs, tracing, mounting ...) kills
 * the process. features: SANDBOX_* bits. child: the only process that may be signalled and waited
 * for, or 0. Needs no_new_privs or root. Returns as above.
 */
int sandbox_filter(unsigned features, pid_t child);

#endif
