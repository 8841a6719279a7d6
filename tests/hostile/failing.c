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

/* ---- Memory ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t n);
char *__real_realpath(const char *path, char *out);
void *__real_mmap64(void *addr, size_t size, int prot, int flags, int fd, off_t offset);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t n);
char *__wrap_realpath(const char *path, char *out);
void *__wrap_mmap64(void *addr, size_t size, int prot, int flags, int fd, off_t offset);

static bool no_memory(void) {
	return ask(FAILING_MEMORY, false) == FAIL;
}

void *__wrap_malloc(size_t size) {
	return no_memory() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size) {
	return no_memory() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size) {
	return no_memory() ? NULL : __real_realloc(p, size);
}

void *__wrap_aligned_alloc(size_t align, size_t size) {
	return no_memory() ? NULL : __real_aligned_alloc(align, size);
}

char *__wrap_strdup(const char *text) {
	return no_memory() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t n) {
	return no_memory() ? NULL : __real_strndup(text, n);
}

char *__wrap_realpath(const char *path, char *out) {
	return no_memory() ? NULL : __real_realpath(path, out);
}

void *__wrap_mmap64(void *addr, size_t size, int prot, int flags, int fd, off_t offset) {
	return no_memory() ? MAP_FAILED : __real_mmap64(addr, size, prot, flags, fd, offset);
}

/* ---- Files ---- */

int __real_open64(const char *path, int flags, ...);
ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __real_pwrite64(int fd, const void *data, size_t size, off_t offset);
int __real_fsync(int fd);
int __real_linkat(int from_dir, const char *from, int to_dir, const char *to, int flags);
int __real_rename(const char *from, const char *to);
int __real_dup(int fd);
size_t __real_fwrite(const void *data, size_t size, size_t n, FILE *f);
int __real_fflush(FILE *f);
FILE *__real_fdopen(int fd, const char *mode);

int __wrap_open64(const char *path, int flags, ...);
ssize_t __wrap_write(int fd, const void *data, size_t size);
ssize_t __wrap_pwrite64(int fd, const void *data, size_t size, off_t offset);
ssize_t __wrap_pread64(int fd, void *data, size_t size, off_t offset);
int __wrap_fsync(int fd);
int __wrap_linkat(int from_dir, const char *from, int to_dir, const char *to, int flags);
int __wrap_rename(const char *from, const char *to);
int __wrap_dup(int fd);
size_t __wrap_fwrite(const void *data, size_t size, size_t n, FILE *f);
int __wrap_fflush(FILE *f);
FILE *__wrap_fdopen(int fd, const char *mode);

int __wrap_open64(const char *path, int flags, ...) {
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

ssize_t __wrap_write(int fd, const void *data, size_t size) {
	enum answer a = ask(FAILING_FILES, true);
	ssize_t n = a == FAIL ? -1 : __real_write(fd, data, part(a, size));
	die_in(a);
	return n;
}

ssize_t __wrap_pwrite64(int fd, const void *data, size_t size, off_t offset) {
	enum answer a = ask(FAILING_FILES, true);
	ssize_t n = a == FAIL ? -1 : __real_pwrite64(fd, data, part(a, size), offset);
	die_in(a);
	return n;
}

ssize_t __wrap_pread64(int fd, void *data, size_t size, off_t offset) {
	enum answer a = ask(FAILING_FILES, true);
	ssize_t n = a == FAIL ? -1 : __real_pread64(fd, data, part(a, size), offset);
	die_in(a);
	return n;
}

int __wrap_fsync(int fd) {
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

int __wrap_linkat(int from_dir, const char *from, int to_dir, const char *to, int flags) {
	enum answer a = ask(FAILING_FILES, false);
	int ret = a == FAIL ? -1 : __real_linkat(from_dir, from, to_dir, to, flags);
	die_in(a);
	if (ret == 0 && atomic_load(&armed)) {
		on_named(to);
	}
	return ret;
}

int __wrap_rename(const char *from, const char *to) {
	enum answer a = ask(FAILING_FILES, false);
	int ret = a == FAIL ? -1 : __real_rename(from, to);
	die_in(a);
	if (ret == 0 && atomic_load(&armed)) {
		on_named(to);
	}
	return ret;
}

int __wrap_dup(int fd) {
	enum answer a = ask(FAILING_FILES, false);
	int ret = a == FAIL ? -1 : __real_dup(fd);
	die_in(a);
	return ret;
}

size_t __wrap_fwrite(const void *data, size_t size, size_t n, FILE *f) {
	enum answer a = ask(FAILING_FILES, false);
	size_t done = a == FAIL ? 0 : __real_fwrite(data, size, a == DIE_IN ? n / 2 : n, f);
	die_in(a);
	return done;
}

int __wrap_fflush(FILE *f) {
	enum answer a = ask(FAILING_FILES, false);
	int ret = a == FAIL ? EOF : __real_fflush(f);
	die_in(a);
	return ret;
}

FILE *__wrap_fdopen(int fd, const char *mode) {
	enum answer a = ask(FAILING_FILES, false);
	FILE *f = a == FAIL ? NULL : __real_fdopen(fd, mode);
	die_in(a);
	return f;
}
