#include "sched/pool.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sched/monitor.h"

/* How long an idle worker looks for work before it sleeps (spec/performance.md 5.1). */
enum { SPIN_NS = 20000 };

struct worker {
	struct pool *pool;
	unsigned number;
	pthread_t thread;
};

struct pool {
	struct monitor mon;
	/* Under mon: */
	struct task_group *groups; /* by rising key; groups with tasks not yet taken */
	bool stop;
	unsigned sleeping;
	/* Groups ever submitted: lets idle workers spin without the lock. */
	atomic_uint submitted;

	bool draining; /* no threads: pool_drain() is on the stack */
	unsigned n_threads;
	struct worker *workers;
};

/* Takes one task of the first group; called and returning with the lock held. */
static bool take(struct pool *pool, struct task_group **group, unsigned *index) {
	struct task_group *g = pool->groups;
	if (!g) {
		return false;
	}
	*group = g;
	*index = g->next++;
	g->running++;
	if (g->next == g->count) {
		pool->groups = g->link;
	}
	return true;
}

/* Runs one task; lock held on entry and exit. */
static void run_one(struct pool *pool, struct task_group *g, unsigned index, unsigned worker) {
	monitor_unlock(&pool->mon);
	g->run(g->arg, index, worker);
	monitor_lock(&pool->mon);
	g->running--;
	if (g->running == 0 && g->next == g->count) {
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
	monitor_lock(&pool->mon);
	for (;;) {
		struct task_group *g;
		unsigned index;
		if (take(pool, &g, &index)) {
			run_one(pool, g, index, w->number);
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
			for (int i = 0; i < 64 && !more; i++) {
				more = atomic_load_explicit(&pool->submitted, memory_order_relaxed) != seen;
			}
		} while (!more && clock_now_ns() < end);
		monitor_lock(&pool->mon);
		if (!pool->groups && !pool->stop) {
			pool->sleeping++;
			monitor_wait(&pool->mon); /* woken by pool_submit() and pool_destroy() */
			pool->sleeping--;
		}
	}
	monitor_unlock(&pool->mon);
	return NULL;
}

int pool_create(struct pool **out, unsigned n_threads) {
	struct pool *pool = calloc(1, sizeof(*pool));
	if (!pool) {
		return -ENOMEM;
	}
	int ret = monitor_init(&pool->mon);
	if (ret < 0) {
		goto err_free;
	}
	pool->workers = calloc(n_threads ? n_threads : 1, sizeof(*pool->workers));
	if (!pool->workers) {
		ret = -ENOMEM;
		goto err_monitor;
	}
	for (; pool->n_threads < n_threads; pool->n_threads++) {
		struct worker *w = &pool->workers[pool->n_threads];
		w->pool = pool;
		w->number = pool->n_threads;
		int err = pthread_create(&w->thread, NULL, worker_main, w);
		if (err) {
			pool_destroy(pool);
			return -err;
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

void pool_submit(struct pool *pool, struct task_group *group) {
	if (group->count == 0) {
		if (group->done) {
			group->done(group->arg);
		}
		return;
	}
	group->next = 0;
	group->running = 0;
	monitor_lock(&pool->mon);
	struct task_group **link = &pool->groups;
	while (*link && (*link)->key <= group->key) {
		link = &(*link)->link;
	}
	group->link = *link;
	*link = group;
	atomic_fetch_add_explicit(&pool->submitted, 1, memory_order_relaxed);
	if (pool->sleeping) {
		monitor_wake(&pool->mon);
	}
	monitor_unlock(&pool->mon);
}

void pool_drain(struct pool *pool) {
	if (pool->n_threads || pool->draining) {
		return;
	}
	pool->draining = true;
	monitor_lock(&pool->mon);
	struct task_group *g;
	unsigned index;
	while (take(pool, &g, &index)) {
		run_one(pool, g, index, 0);
	}
	monitor_unlock(&pool->mon);
	pool->draining = false;
}
