#include "failing.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

static struct failing_plan plan;
static atomic_bool armed;
static bool is_begun;
static atomic_uint calls, failures;

/* ---- Contents of the disk, which survive a crash ---- */

enum { MAX_DISK = 8 << 20, MAX_NAME = 256 };

/* The one file that is being written to the disk. */
static struct {
	ino_t inode;
	uint8_t bytes[MAX_DISK];
	size_t size;
} synced;
static struct {
	char name[MAX_NAME];
	bool is_there, is_safe;
	uint8_t bytes[MAX_DISK];
	size_t size;
} named;

ssize_t __real_pread64(int fd, void *data, size_t size, off_t offset);

static void on_synced(int fd) {
	struct stat st;
	if (fstat(fd, &st) < 0) {
		abort();
	}
	if (S_ISDIR(st.st_mode)) {
		named.is_safe = true;
		return;
	}
	synced.inode = st.st_ino;
	synced.size = 0;
	for (ssize_t n; (n = __real_pread64(fd, synced.bytes + synced.size, MAX_DISK - synced.size,
			(off_t)synced.size)) > 0;) {
		synced.size += (size_t)n;
	}
}

static void on_named(const char *name) {
	struct stat st;
	snprintf(named.name, sizeof(named.name), "%s", name);
	named.is_there = true;
	named.is_safe = false;
	named.size = 0;
	if (stat(name, &st) == 0 && st.st_ino == synced.inode) {
		named.size = synced.size;
		memcpy(named.bytes, synced.bytes, synced.size);
	}
}

const uint8_t *failing_after_power_loss(const char *name, size_t *size, bool *is_name_safe) {
	*size = named.size;
	*is_name_safe = named.is_safe;
	return named.is_there && strcmp(name, named.name) == 0 ? named.bytes : NULL;
}

/* ---- Plans ---- */

void failing_begin(const struct failing_plan *p) {
	plan = *p;
	atomic_store(&calls, 0);
	atomic_store(&failures, 0);
	named.is_there = false;
	synced.inode = 0;
	is_begun = true;
	atomic_store(&armed, true);
}

void failing_pause(bool is_on) {
	atomic_store(&armed, is_begun && !is_on);
}

unsigned failing_end(void) {
	is_begun = false;
	atomic_store(&armed, false);
	return atomic_load(&calls);
}

bool failing_did(void) {
	return atomic_load(&failures) > 0;
}

enum answer { GO_ON, FAIL, DIE_IN };

/* can_interrupt: the call may return EINTR, which is not a failure. */
static enum answer ask(enum failing_calls kind, bool can_interrupt) {
	if (!atomic_load(&armed) || plan.calls != kind) {
		return GO_ON;
	}
	if (plan.mode == FAILING_INTERRUPT && !can_interrupt) {
		return GO_ON;
	}
	const unsigned call = atomic_fetch_add(&calls, 1);
	if (call != plan.at && !(plan.mode == FAILING_FROM && call > plan.at)) {
		return GO_ON;
	}
	atomic_fetch_add(&failures, 1);
	switch (plan.mode) {
	case FAILING_KILL:
		raise(SIGKILL);
		break;
	case FAILING_KILL_IN:
		return DIE_IN;
	case FAILING_ONE:
	case FAILING_FROM:
	case FAILING_INTERRUPT:
		break;
	}
	errno = kind == FAILING_MEMORY ? ENOMEM : plan.mode == FAILING_INTERRUPT ? EINTR :
			plan.error;
	return FAIL;
}

static void die_in(enum answer a) {
	if (a == DIE_IN) {
		raise(SIGKILL);
	}
}

/* Returns how many of the bytes are written. */
static size_t part(enum answer a, size_t size) {
	const bool is_short = atomic_load(&armed) && plan.short_io && size > 1;
	return a == DIE_IN || is_short ? size / 2 : size;
}

/* Begins the replacement of result name(parameters). */
#define WRAP(result, name, parameters) \
	result __real_##name parameters; \
	result __wrap_##name parameters; \
	result __wrap_##name parameters

/* ---- Memory ---- */

#define WRAP_MEMORY(result, name, parameters, arguments, value) \
	WRAP(result, name, parameters) { \
		return ask(FAILING_MEMORY, false) == FAIL ? value : __real_##name arguments; \
	}

WRAP_MEMORY(void *, malloc, (size_t size), (size), NULL)
WRAP_MEMORY(void *, calloc, (size_t n, size_t size), (n, size), NULL)
WRAP_MEMORY(void *, realloc, (void *p, size_t size), (p, size), NULL)
WRAP_MEMORY(void *, aligned_alloc, (size_t align, size_t size), (align, size), NULL)
WRAP_MEMORY(char *, strdup, (const char *text), (text), NULL)
WRAP_MEMORY(char *, strndup, (const char *text, size_t n), (text, n), NULL)
WRAP_MEMORY(char *, realpath, (const char *path, char *out), (path, out), NULL)
WRAP_MEMORY(void *, mmap64, (void *addr, size_t size, int prot, int flags, int fd, off_t offset),
		(addr, size, prot, flags, fd, offset), MAP_FAILED)

/* ---- Files ---- */

/* arguments: may depend on the answer a. */
#define WRAP_FILES(result, name, parameters, arguments, value, can_interrupt) \
	WRAP(result, name, parameters) { \
		enum answer a = ask(FAILING_FILES, can_interrupt); \
		result ret = a == FAIL ? value : __real_##name arguments; \
		die_in(a); \
		return ret; \
	}
/* The same, and on_named(to) once it has its name. */
#define WRAP_NAMING(name, parameters, arguments) \
	WRAP(int, name, parameters) { \
		enum answer a = ask(FAILING_FILES, false); \
		int ret = a == FAIL ? -1 : __real_##name arguments; \
		die_in(a); \
		if (ret == 0 && atomic_load(&armed)) { \
			on_named(to); \
		} \
		return ret; \
	}

WRAP_FILES(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, part(a, size)), -1,
		true)
WRAP_FILES(ssize_t, pwrite64, (int fd, const void *data, size_t size, off_t offset),
		(fd, data, part(a, size), offset), -1, true)
WRAP_FILES(ssize_t, pread64, (int fd, void *data, size_t size, off_t offset),
		(fd, data, part(a, size), offset), -1, true)
WRAP_FILES(int, dup, (int fd), (fd), -1, false)
WRAP_FILES(size_t, fwrite, (const void *data, size_t size, size_t n, FILE *f),
		(data, size, a == DIE_IN ? n / 2 : n, f), 0, false)
WRAP_FILES(int, fflush, (FILE *f), (f), EOF, false)
WRAP_FILES(FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL, false)
WRAP_NAMING(linkat, (int from_dir, const char *from, int to_dir, const char *to, int flags),
		(from_dir, from, to_dir, to, flags))
WRAP_NAMING(rename, (const char *from, const char *to), (from, to))

WRAP(int, open64, (const char *path, int flags, ...)) {
	mode_t mode = 0;
	if (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) {
		va_list args;
		va_start(args, flags);
		mode = va_arg(args, mode_t);
		va_end(args);
	}
	if (atomic_load(&armed) && (flags & O_TMPFILE) == O_TMPFILE && !plan.nameless) {
		errno = EOPNOTSUPP;
		return -1;
	}
	enum answer a = ask(FAILING_FILES, false);
	int fd = a == FAIL ? -1 : __real_open64(path, flags, mode);
	die_in(a);
	return fd;
}

WRAP(int, fsync, (int fd)) {
	enum answer a = ask(FAILING_FILES, true);
	die_in(a);
	if (a == FAIL) {
		return -1;
	}
	if (!atomic_load(&armed)) {
		return __real_fsync(fd);
	}
	on_synced(fd); /* instead of waiting for a disk thousands of times */
	return 0;
}
