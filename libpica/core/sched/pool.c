#include "core/sched/pool.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/sched/monitor.h"
#include "core/sched/thread.h"

enum {
	SPIN_NS = 20000, /* time that an idle worker searches for work before it sleeps */
	MOST_YIELDED = 8, /* tasks of a user, for each worker */
};

struct worker {
	struct pool *pool;
	unsigned number;
	pthread_t thread;
};

struct pool {
	struct monitor mon;
	/* Under mon: */
	struct task_group *groups; /* in ascending order of keys; groups with tasks that no worker
	 * runs */
	bool stop;
	unsigned sleeping;
	/* Groups ever submitted: lets idle workers spin without the lock. */
	atomic_uint submitted;

	bool draining; /* no threads: pool_drain() is on the stack */
	unsigned n_threads, n_vertex;
	unsigned max_yielded; /* number of yielded tasks of a user and role at which no new one
	 * begins */
	struct worker *workers;
};

struct task {
	struct task_group *group;
	unsigned index;
	void *state;
};

static bool may_run(const struct pool *pool, const struct task_group *g, unsigned worker) {
	return pool->n_vertex == 0 || (worker < pool->n_vertex) == (g->role == POOL_VERTEX);
}

/* The count of its user and role; the group has a tally. */
static unsigned *yielded_of(const struct task_group *g) {
	return &tally_top(g->tally)->n_yielded[g->role];
}

/*
 * Returns whether one of its tasks may begin or continue. If not, another group of the role can, so
 * no worker sleeps for this. Lock held.
 */
static bool is_ready(const struct pool *pool, const struct task_group *g) {
	return g->n_yielded || !g->tally || *yielded_of(g) < pool->max_yielded;
}

static bool are_one(const struct task_group *a, const struct task_group *b) {
	return a == b || (a->line && a->line == b->line);
}

/* Returns the link to the worker's next group, or NULL. Lock held. */
static struct task_group **find(struct pool *pool, unsigned worker) {
	struct task_group **best = NULL;
	for (struct task_group **link = &pool->groups; *link; link = &(*link)->link) {
		if (may_run(pool, *link, worker) && is_ready(pool, *link) &&
				(!best || tally_before((*link)->tally, (*best)->tally))) {
			best = link;
		}
	}
	if (!best || (*best)->n_yielded || !(*best)->line) {
		return best;
	}
	for (struct task_group **link = &pool->groups; *link; link = &(*link)->link) {
		if ((*link)->n_yielded && are_one(*link, *best) && may_run(pool, *link, worker)) {
			return link;
		}
	}
	return best;
}

/* Queues a group after all groups with the same or a smaller key. Lock held. */
static void queue(struct pool *pool, struct task_group *g) {
	struct task_group **link = &pool->groups;
	while (*link && (*link)->key <= g->key) {
		link = &(*link)->link;
	}
	g->link = *link;
	*link = g;
	atomic_fetch_add_explicit(&pool->submitted, 1, memory_order_relaxed);
	if (pool->sleeping) {
		monitor_wake(&pool->mon);
	}
}

static bool is_taken(const struct task_group *g) {
	return g->next == g->count && g->n_yielded == 0;
}

/* Takes one task of the next group; called and returning with the lock held. */
static bool take(struct pool *pool, unsigned worker, struct task *t) {
	struct task_group **link = find(pool, worker);
	if (!link) {
		return false;
	}
	struct task_group *g = *link;
	*t = (struct task){ .group = g };
	if (g->n_yielded) {
		t->index = g->yielded[0].index;
		t->state = g->yielded[0].state;
		memmove(&g->yielded[0], &g->yielded[1], --g->n_yielded * sizeof(g->yielded[0]));
		if (g->tally) {
			--*yielded_of(g);
		}
	} else {
		t->index = g->next++;
	}
	g->running++;
	if (is_taken(g)) {
		*link = (*link)->link;
	}
	return true;
}

/* Lock held. */
static void add_yielded(struct task_group *g, unsigned index, void *state) {
	g->yielded[g->n_yielded].index = index;
	g->yielded[g->n_yielded++].state = state;
	if (g->tally) {
		++*yielded_of(g);
	}
}

/* The task continues later; its group moves to the end of the queue. Lock held. */
static void yield(struct pool *pool, const struct task *t) {
	struct task_group *g = t->group;
	add_yielded(g, t->index, t->state);
	struct task_group **link = &pool->groups;
	while (*link) {
		if (*link == g) {
			*link = (*link)->link;
			continue;
		}
		g->key = (*link)->key > g->key ? (*link)->key : g->key;
		link = &(*link)->link;
	}
	queue(pool, g);
}

/* Runs one task; lock held on entry and exit. */
static void run_one(struct pool *pool, struct task *t, unsigned worker) {
	struct task_group *g = t->group;
	bool is_done = true;
	monitor_unlock(&pool->mon);
	if (g->step) {
		is_done = g->step(g->arg, t->index, worker, &t->state);
	} else {
		g->run(g->arg, t->index, worker);
	}
	monitor_lock(&pool->mon);
	g->running--;
	if (!is_done) {
		yield(pool, t);
	} else if (g->running == 0 && is_taken(g)) {
		monitor_unlock(&pool->mon);
		if (g->done) {
			g->done(g->arg);
		}
		monitor_lock(&pool->mon);
	}
}

static void *worker_main(void *arg) {
	struct worker *w = arg;
	struct pool *pool = w->pool;
	thread_be_brief();
	monitor_lock(&pool->mon);
	for (;;) {
		struct task t;
		if (take(pool, w->number, &t)) {
			run_one(pool, &t, w->number);
			continue;
		}
		if (pool->stop) {
			break;
		}
		unsigned seen = atomic_load_explicit(&pool->submitted, memory_order_relaxed);
		monitor_unlock(&pool->mon);
		uint64_t end = clock_now_ns() + SPIN_NS;
		bool more = false;
		do {
			for (int i = 0; i < 16 && !more; i++) {
				PICA_PAUSE();
				more = atomic_load_explicit(&pool->submitted,
						       memory_order_relaxed) != seen;
			}
		} while (!more && clock_now_ns() < end);
		monitor_lock(&pool->mon);
		if (!find(pool, w->number) && !pool->stop) {
			pool->sleeping++;
			monitor_wait(&pool->mon); /* woken by pool_submit() and pool_destroy() */
			pool->sleeping--;
		}
	}
	monitor_unlock(&pool->mon);
	return NULL;
}

int pool_create(struct pool **out, unsigned n_threads, unsigned n_vertex) {
	assert(n_threads <= POOL_MAX_THREADS && (n_vertex == 0 || n_vertex < n_threads));
	struct pool *pool = calloc(1, sizeof(*pool));
	if (!pool) {
		return -ENOMEM;
	}
	int ret = monitor_init(&pool->mon);
	if (ret < 0) {
		goto err_free;
	}
	pool->n_vertex = n_vertex;
	const unsigned most = (n_threads ? n_threads : 1) * MOST_YIELDED;
	pool->max_yielded = most < POOL_MAX_THREADS ? most : POOL_MAX_THREADS;
	pool->workers = calloc(n_threads ? n_threads : 1, sizeof(*pool->workers));
	if (!pool->workers) {
		ret = -ENOMEM;
		goto err_monitor;
	}
	for (; pool->n_threads < n_threads; pool->n_threads++) {
		struct worker *w = &pool->workers[pool->n_threads];
		w->pool = pool;
		w->number = pool->n_threads;
		ret = thread_start(&w->thread, worker_main, w);
		if (ret < 0) {
			pool_destroy(pool);
			return ret;
		}
	}
	*out = pool;
	return 0;

err_monitor:
	monitor_finish(&pool->mon);
err_free:
	free(pool);
	return ret;
}

void pool_destroy(struct pool *pool) {
	if (!pool) {
		return;
	}
	monitor_lock(&pool->mon);
	pool->stop = true;
	monitor_wake(&pool->mon);
	monitor_unlock(&pool->mon);
	for (unsigned i = 0; i < pool->n_threads; i++) {
		pthread_join(pool->workers[i].thread, NULL);
	}
	monitor_finish(&pool->mon);
	free(pool->workers);
	free(pool);
}

unsigned pool_threads(const struct pool *pool) {
	return pool->n_threads;
}

unsigned pool_workers(const struct pool *pool) {
	return pool->n_threads ? pool->n_threads : 1;
}

void pool_submit_rest(struct pool *pool, struct task_group *group, unsigned n_begun, void *state) {
	if (n_begun == group->count && !state) {
		if (group->done) {
			group->done(group->arg);
		}
		return;
	}
	group->next = n_begun;
	group->running = 0;
	group->n_yielded = 0;
	monitor_lock(&pool->mon);
	if (state) {
		add_yielded(group, n_begun - 1, state);
	}
	queue(pool, group);
	monitor_unlock(&pool->mon);
}

void pool_submit(struct pool *pool, struct task_group *group) {
	pool_submit_rest(pool, group, 0, NULL);
}

bool pool_others_wait(struct pool *pool, const struct task_group *group, unsigned worker) {
	bool others = false;
	if (pool->n_threads) {
		monitor_lock(&pool->mon);
		for (const struct task_group *g = pool->groups; g && !others; g = g->link) {
			others = !are_one(g, group) && may_run(pool, g, worker);
		}
		monitor_unlock(&pool->mon);
	}
	return others;
}

void pool_drain(struct pool *pool) {
	if (pool->n_threads || pool->draining) {
		return;
	}
	pool->draining = true;
	monitor_lock(&pool->mon);
	struct task t;
	while (take(pool, 0, &t)) {
		run_one(pool, &t, 0);
	}
	monitor_unlock(&pool->mon);
	pool->draining = false;
}
