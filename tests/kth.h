/*
 * The k-th call of a scenario fails, or all from it on. The linker redirects the calls (--wrap) to
 * what WRAP() defines. One file of a program includes this.
 */
#ifndef TESTS_KTH_H
#define TESTS_KTH_H

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pthread.h>
#include <sys/mman.h>

enum failures { FAIL_NONE, FAIL_ONE, FAIL_FROM };

static atomic_uint calls, failed; /* of the scenario that runs, so far */
static atomic_bool armed;
static enum failures mode;
static unsigned fail_at;

static inline bool must_fail(void) {
	if (!atomic_load(&armed)) {
		return false;
	}
	unsigned call = atomic_fetch_add(&calls, 1);
	bool fails = (mode == FAIL_ONE && call == fail_at) ||
			(mode == FAIL_FROM && call >= fail_at);
	atomic_fetch_add(&failed, fails);
	return fails;
}

/* Wraps result f(parameters), so that it fails with that value and errno. */
#define WRAP(result, name, parameters, arguments, value, error) \
	result __real_##name parameters; \
	result __wrap_##name parameters; \
	result __wrap_##name parameters { \
		if (must_fail()) { \
			errno = error; \
			return value; \
		} \
		return __real_##name arguments; \
	}

/* The usual ones. */
#define WRAP_ALLOCATIONS \
	WRAP(void *, malloc, (size_t size), (size), NULL, ENOMEM) \
	WRAP(void *, calloc, (size_t n, size_t size), (n, size), NULL, ENOMEM) \
	WRAP(void *, realloc, (void *p, size_t size), (p, size), NULL, ENOMEM) \
	WRAP(void *, aligned_alloc, (size_t align, size_t size), (align, size), NULL, ENOMEM)
#define WRAP_MMAP(name) \
	WRAP(void *, name, (void *addr, size_t size, int prot, int flags, int fd, off_t at), \
			(addr, size, prot, flags, fd, at), MAP_FAILED, ENOMEM)
#define WRAP_EVENTFD(error) \
	WRAP(int, eventfd, (unsigned value, int flags), (value, flags), -1, error)
#define WRAP_THREADS \
	WRAP(int, pthread_create, \
			(pthread_t * thread, const pthread_attr_t *attr, void *(*start)(void *), \
					void *arg), \
			(thread, attr, start, arg), EAGAIN, EAGAIN)

static char kth_text[96];

static inline void kth_on_alarm(int signal_number) {
	ssize_t written = write(STDERR_FILENO, kth_text, strlen(kth_text));
	(void)written;
	abort();
}

/* From here on calls fail. A scenario that takes two minutes aborts the program. */
static inline void kth_begin(enum failures how, unsigned at) {
	snprintf(kth_text, sizeof(kth_text), "mode %d, failure %u: does not end\n", (int)how, at);
	mode = how;
	fail_at = at;
	atomic_store(&calls, 0);
	atomic_store(&failed, 0);
	signal(SIGALRM, kth_on_alarm);
	alarm(120);
	atomic_store(&armed, true);
}

static inline void kth_end(void) {
	atomic_store(&armed, false);
	alarm(0);
}

#endif
