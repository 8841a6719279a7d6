/* A mutex with one condition: the only lock type of libpica. Lock order: docs/threading.md. */
#ifndef SCHED_MONITOR_H
#define SCHED_MONITOR_H

#include <stdint.h>

#include <pthread.h>

struct monitor {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
};

int monitor_init(struct monitor *m);
void monitor_finish(struct monitor *m);

static inline void monitor_lock(struct monitor *m) {
	pthread_mutex_lock(&m->mutex);
}

static inline void monitor_unlock(struct monitor *m) {
	pthread_mutex_unlock(&m->mutex);
}

/*
 * Wakes all waiters, which check their condition again. The woken threads need the lock, so call it
 * after monitor_unlock(), unless the monitor may be destroyed in between.
 */
static inline void monitor_wake(struct monitor *m) {
	pthread_cond_broadcast(&m->cond);
}

static inline void monitor_wait(struct monitor *m) {
	pthread_cond_wait(&m->cond, &m->mutex);
}

/* Waits until woken (returns 0) or until the CLOCK_MONOTONIC deadline (returns -ETIME). */
int monitor_wait_until(struct monitor *m, uint64_t deadline_ns);

/* Returns CLOCK_MONOTONIC in ns. */
uint64_t clock_now_ns(void);
/* Returns the CPU time of the calling thread in ns. */
uint64_t clock_thread_ns(void);

#endif
