/*
 * Worker threads and task groups; ignorant of graphics.
 *
 * A group is `count` calls run(arg, index, worker) in any order and on any thread, and one call
 * done(arg) after the last of them. Groups with a smaller key are served first. With no threads,
 * pool_drain() runs everything in the caller.
 */
#ifndef SCHED_POOL_H
#define SCHED_POOL_H

#include <stdint.h>

struct task_group {
	void (*run)(void *arg, unsigned index, unsigned worker);
	void (*done)(void *arg); /* may submit groups, this one included */
	void *arg;
	uint64_t key;
	unsigned count;
	/* private to the pool */
	unsigned next, running;
	struct task_group *link; /* pool.groups */
};

struct pool;

/* n_threads 0..64. -ENOMEM, -EAGAIN: threads are out. */
int pool_create(struct pool **out, unsigned n_threads);
/* Every group must be done. NULL is allowed. */
void pool_destroy(struct pool *pool);
unsigned pool_threads(const struct pool *pool);
/* Worker numbers handed to run() are 0..pool_workers()-1: at least one. */
unsigned pool_workers(const struct pool *pool);
/* The group stays the caller's memory and untouched until done() is called. */
void pool_submit(struct pool *pool, struct task_group *group);
/* With no threads: runs all submitted groups, and those that they submit. Else does nothing. */
void pool_drain(struct pool *pool);

#endif
