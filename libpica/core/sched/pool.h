/*
 * Worker threads and task groups; knows nothing about graphics.
 *
 * A group is `count` calls of run(arg, index, worker), in any order and on any thread, followed by
 * one call of done(arg). The next task comes from the tally with the least processor time, and
 * within that from the group with the smallest key. Without threads, pool_drain() runs everything
 * in the caller.
 *
 * A group with step() instead of run() has tasks that may yield: step() saves its progress in
 * *state and returns false. The group then moves to the end of the queue. At its turn step() is
 * called again, on any thread, before new tasks of the group or of its line begin, so a line has at
 * most as many yielded tasks as there are workers. While a user has 8 yielded tasks per worker in
 * one role, or 64, none of the user's new tasks in that role begins.
 */
#ifndef SCHED_POOL_H
#define SCHED_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sched/tally.h"

enum { POOL_MAX_THREADS = 64 };

/* Selects the workers that run a group, if the pool has workers for each role. */
enum pool_role { POOL_TILE, POOL_VERTEX };

struct task_group {
	enum pool_role role;
	void (*run)(void *arg, unsigned index, unsigned worker);
	/* Instead of run. *state is NULL at first. Returns true when the task is done. */
	bool (*step)(void *arg, unsigned index, unsigned worker, void **state);
	void (*done)(void *arg); /* may submit groups, including this one */
	void *arg;
	struct tally *tally; /* charged for the work; NULL: goes before all others */
	const void *line;    /* groups of one line do not yield to each other; NULL: none */
	uint64_t key;
	unsigned count;
	/* private to the pool */
	unsigned next, running;
	/* Yielded tasks. Never more than workers, since they are taken before new ones. */
	unsigned n_yielded;
	struct { unsigned index; void *state; } yielded[POOL_MAX_THREADS];
	struct task_group *link; /* pool.groups */
};

struct pool;

/*
 * n_threads: 0..64. n_vertex of the threads take only POOL_VERTEX groups, and the others, at least
 * one, only POOL_TILE groups; if n_vertex is 0, every worker takes any group. Returns 0. On failure
 * returns -ENOMEM, or -EAGAIN if a thread cannot be started.
 */
int pool_create(struct pool **out, unsigned n_threads, unsigned n_vertex);
/* All groups must be done. NULL is allowed. */
void pool_destroy(struct pool *pool);
unsigned pool_threads(const struct pool *pool);
/* Returns the number of workers, at least 1. Worker numbers passed to run() are below it. */
unsigned pool_workers(const struct pool *pool);
/* The caller owns the group and must not touch it until done() is called. */
void pool_submit(struct pool *pool, struct task_group *group);
/*
 * Like pool_submit(), but the caller already ran the tasks below n_begun. If state is not NULL, the
 * last of these yielded, with this state.
 */
void pool_submit_rest(struct pool *pool, struct task_group *group, unsigned n_begun, void *state);
/*
 * Returns whether groups of other lines wait for the worker, which runs a task of this group.
 * Returns false without threads.
 */
bool pool_others_wait(struct pool *pool, const struct task_group *group, unsigned worker);
/*
 * Without threads: runs all submitted groups, and the groups that they submit. With threads: does
 * nothing.
 */
void pool_drain(struct pool *pool);

#endif
