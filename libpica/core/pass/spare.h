/*
 * Scratches beside those of the workers: a task that yields keeps its own, and the worker takes a
 * spare one.
 */
#ifndef PASS_SPARE_H
#define PASS_SPARE_H

#include "core/sched/monitor.h"
#include "core/sched/pool.h"

struct spares {
	void *(*create)(void);
	void (*destroy)(void *scratch);
	struct monitor mon; /* covers the rest */
	unsigned n_made, max;
	unsigned n_idle;
	void *idle[POOL_MAX_THREADS];
};

/* At most max (up to POOL_MAX_THREADS) are made, when they are needed. */
int spares_init(struct spares *s, unsigned max, void *(*create)(void), void (*destroy)(void *));
/* All must have been given back. */
void spares_finish(struct spares *s);
/* NULL: all are in use, or memory is out. */
void *spares_take(struct spares *s);
void spares_give(struct spares *s, void *scratch);

#endif
