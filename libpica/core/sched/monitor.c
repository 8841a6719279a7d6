#include "core/sched/monitor.h"

#include <errno.h>
#include <time.h>

int monitor_init(struct monitor *m) {
	pthread_condattr_t attr;
	int err = pthread_condattr_init(&attr);
	if (err) {
		return -err;
	}
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	err = pthread_cond_init(&m->cond, &attr);
	pthread_condattr_destroy(&attr);
	if (err) {
		return -err;
	}
	/* Held for moments only: a thread that finds it locked spins briefly before it sleeps. */
	pthread_mutexattr_t kind;
	err = pthread_mutexattr_init(&kind);
	if (err == 0) {
		pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ADAPTIVE_NP);
		err = pthread_mutex_init(&m->mutex, &kind);
		pthread_mutexattr_destroy(&kind);
	}
	if (err) {
		pthread_cond_destroy(&m->cond);
		return -err;
	}
	return 0;
}

void monitor_finish(struct monitor *m) {
	pthread_mutex_destroy(&m->mutex);
	pthread_cond_destroy(&m->cond);
}

int monitor_wait_until(struct monitor *m, uint64_t deadline_ns) {
	struct timespec t = { .tv_sec = (time_t)(deadline_ns / 1000000000u),
		.tv_nsec = (long)(deadline_ns % 1000000000u) };
	return pthread_cond_timedwait(&m->cond, &m->mutex, &t) == ETIMEDOUT ? -ETIME : 0;
}

static uint64_t clock_ns(clockid_t id) {
	struct timespec t;
	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_now_ns(void) {
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t clock_thread_ns(void) {
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}
