/*
 * Worker threads and task groups; knows nothing about graphics.
 *
 * A group is `count` calls run(arg, index, worker) in any order and on any thread, and one call
 * done(arg) after the last of them. The next task is of the tally with the least processor time,
 * and there of the group with the smallest key. With no threads, pool_drain() runs everything in
 * the caller.
 *
 * A task of a group with step() in place of run() may yield: it returns false, having kept what it
 * needs in *state. The group then moves to the end of the queue, and at its turn step() is called
 * again, on any thread, before tasks of the group or of its line that have not begun. So a line has
 * at most as many yielded tasks as there are workers. A user who has eight for each worker, or 64,
 * begins none of the role.
 */
#ifndef SCHED_POOL_H
#define SCHED_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sched/tally.h"

enum { POOL_MAX_THREADS = 64 };

/* The workers that run a group if they are split. */
enum pool_role { POOL_TILE, POOL_VERTEX };

struct task_group {
	enum pool_role role;
	void (*run)(void *arg, unsigned index, unsigned worker);
	/* Instead of run. *state is NULL at first. True: the task is done. */
	bool (*step)(void *arg, unsigned index, unsigned worker, void **state);
	void (*done)(void *arg); /* may submit groups, this one included */
	void *arg;
	struct tally *tally; /* whose work it is; NULL: before all others */
	const void *line;    /* groups with the same one do not yield to each other; NULL: none */
	uint64_t key;
	unsigned count;
	/* private to the pool */
	unsigned next, running;
	/* Tasks that yielded. Never more than workers: they are taken before new ones. */
	unsigned n_yielded;
	struct { unsigned index; void *state; } yielded[POOL_MAX_THREADS];
	struct task_group *link; /* pool.groups */
};

struct pool;

/*
 * n_threads: 0..64. n_vertex of them take POOL_VERTEX groups only, the others, at least one,
 * POOL_TILE groups only; 0: every worker takes any group. Returns 0, -ENOMEM, or -EAGAIN if no
 * thread can be made.
 */
int pool_create(struct pool **out, unsigned n_threads, unsigned n_vertex);
/* Every group must be done. NULL is allowed. */
void pool_destroy(struct pool *pool);
unsigned pool_threads(const struct pool *pool);
/* Returns the number of workers, at least 1; worker numbers passed to run() are below it. */
unsigned pool_workers(const struct pool *pool);
/* The caller owns the group, and must not touch it until done() is called. */
void pool_submit(struct pool *pool, struct task_group *group);
/*
 * As pool_submit(), but tasks below n_begun were done by the caller. If state is not NULL, the last
 * of them has yielded with it.
 */
void pool_submit_rest(struct pool *pool, struct task_group *group, unsigned n_begun, void *state);
/*
 * Whether groups of another line wait for the worker, which runs a task of this one. False without
 * threads.
 */
bool pool_others_wait(struct pool *pool, const struct task_group *group, unsigned worker);
/*
 * Without threads: runs all submitted groups, and those that they submit. With threads: does
 * nothing.
 */
void pool_drain(struct pool *pool);

#endif
