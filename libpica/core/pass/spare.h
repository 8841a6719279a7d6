/*
 * Scratches beside those of the workers: a task that yields keeps its own, and the worker takes a
 * spare one. The pool limits how many tasks of a user have yielded (pool.h).
 */
#ifndef PASS_SPARE_H
#define PASS_SPARE_H

#include "core/sched/monitor.h"
#include "core/sched/pool.h"

struct spares {
	void *(*create)(void);
	void (*destroy)(void *scratch);
	struct monitor mon; /* covers the rest */
	unsigned n_idle, keep;
	void *idle[POOL_MAX_THREADS];
};

/*
 * Scratches are created on demand; up to `keep` of them (at most POOL_MAX_THREADS) are kept for
 * reuse. Returns 0 or a negative errno.
 */
int spares_init(struct spares *s, unsigned keep, void *(*create)(void), void (*destroy)(void *));
/* Frees the spares that are not in use. */
void spares_drop(struct spares *s);
/* All spares must have been returned. */
void spares_finish(struct spares *s);
/* Returns NULL when out of memory. */
void *spares_take(struct spares *s);
void spares_put(struct spares *s, void *scratch);

#endif
