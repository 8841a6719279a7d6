/*
 * Confines the running service, so that a client that takes it over gains little: a filter
 * of system calls (seccomp) and folders as the only files (Landlock). A part that was not built in,
 * or that the kernel lacks, is left out and reported.
 */
#ifndef SERVICE_SANDBOX_H
#define SERVICE_SANDBOX_H

#include <stdbool.h>

#include <sys/types.h>

/* Sanitizers make system calls of their own, and look into /proc at the end. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

/* Needs of parts of the service beyond waiting, drawing and answering. */
enum sandbox_feature {
	SANDBOX_FILES = 1, /* writes recordings or pictures */
	SANDBOX_URING = 2, /* waits on a ring, which exists */
	SANDBOX_DRM = 4,   /* shows pictures on cards, which may come and go */
	SANDBOX_SEAT = 8,  /* gets cards from a daemon, which may restart */
};

enum sandbox_right {
	SANDBOX_READ,   /* files and folders below are read */
	SANDBOX_WRITE,  /* and made, written, renamed and removed */
	SANDBOX_REMOVE, /* files are removed */
};

struct sandbox_folder {
	const char *path; /* a missing one is skipped */
	enum sandbox_right right;
};

/*
 * Denies this thread, and those that it makes from now on, all files except those below the
 * folders; open files stay open. From Linux 6.12 on it also denies abstract sockets of others, and
 * signals to other processes unless has_child is set (a child was started before). Returns 0,
 * -EOPNOTSUPP if this kernel or this build cannot, or another negative errno; on failure nothing is
 * denied.
 */
int sandbox_folders(const struct sandbox_folder *folders, unsigned n, bool has_child);
/*
 * Denies all threads every system call that the service does not need: it fails with EPERM, and
 * those that only an intruder would try (starting programs, tracing, mounting ...) end the process.
 * features: SANDBOX_* bits. child: the one process that may be ended and waited for, or 0. Needs
 * no_new_privs or root. Returns as above.
 */
int sandbox_filter(unsigned features, pid_t child);

#endif
