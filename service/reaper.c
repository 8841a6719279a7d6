#include "service/reaper.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "service/record.h"

enum {
	TRIM_S = 1,  /* after this time without work, freed memory is returned to the system */
	THREADS = 4, /* at the end; one until then */
};

struct reaper {
	pthread_t threads[THREADS];
	unsigned n_threads;    /* loop's thread */
	pthread_mutex_t mutex; /* covers what follows */
	pthread_cond_t cond;   /* retired work was added, stop was set, or a thread has ended */
	struct retired_queue queue;
	uint32_t pending;
	bool stop;
	unsigned n_ended; /* threads, after stop */
};

struct user_account *user_account_get(struct user_account **list, uid_t uid) {
	struct user_account *found = NULL;
	for (struct user_account *d; (d = *list);) {
		if (d->uid == uid) {
			found = d;
		} else if (atomic_load_explicit(&d->refs, memory_order_acquire) == 1 &&
				d->cpu.allowance_ns >= 0) {
			*list = d->next; /* the last reference: no sessions and no debts */
			user_account_put(d);
			continue;
		}
		list = &d->next;
	}
	if (!found) {
		*list = found = calloc(1, sizeof(*found));
		if (!found) {
			return NULL;
		}
		found->uid = uid;
		atomic_init(&found->refs, 1);
	}
	atomic_fetch_add_explicit(&found->refs, 1, memory_order_relaxed);
	return found;
}

void user_account_put(struct user_account *d) {
	if (d && atomic_fetch_sub_explicit(&d->refs, 1, memory_order_acq_rel) == 1) {
		free(d);
	}
}

/* Destroys retired work, or a slice of it. Returns whether it is complete. */
static bool retired_step(struct retired *m) {
	if (m->released) {
		const bool is_over = region_release(m->released);
		if (is_over) {
			free(m);
		}
		return is_over;
	}
	if (m->recording) {
		recording_detach(m->recording);
	}
	pica_ctx_destroy(m->ctx);
	for (uint32_t i = 0; i < m->n_regions; i++) {
		region_put(m->regions[i]);
	}
	if (m->recording) {
		recording_finish(m->recording);
	}
	if (m->account) {
		atomic_fetch_sub_explicit(&m->account->contexts, 1, memory_order_relaxed);
		user_account_put(m->account);
	}
	free(m->regions);
	free(m);
	return true;
}

void retired_destroy(struct retired *m) {
	while (!retired_step(m)) {
	}
}

/* ---- Turns ---- */

void retired_queue_init(struct retired_queue *q) {
	*q = (struct retired_queue){ .last = &q->first };
}

void retired_append(struct retired_queue *q, struct retired *m) {
	m->next = NULL;
	*q->last = m;
	q->last = &m->next;
}

struct retired *retired_take(struct retired_queue *q) {
	struct retired **best = &q->first;
	uid_t least = UINT32_MAX;
	for (struct retired **link = &q->first; *link; link = &(*link)->next) {
		const uid_t after = (*link)->uid - q->last_uid - 1;
		if (after < least) {
			best = link;
			least = after;
		}
	}
	struct retired *m = *best;
	if (m) {
		q->last_uid = m->uid;
		*best = m->next;
		q->last = m->next ? q->last : best;
	}
	return m;
}

/* Mutex held. Waits at most TRIM_S. Returns whether retired work was added or stop was set. */
static bool wait_for_work(struct reaper *r) {
	struct timespec end;
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += TRIM_S;
	int ret = 0;
	while (!r->queue.first && !r->stop && ret == 0) {
		ret = pthread_cond_clockwait(&r->cond, &r->mutex, CLOCK_MONOTONIC, &end);
	}
	return r->queue.first || r->stop;
}

static void *run(void *arg) {
	struct reaper *r = arg;
	bool has_freed = false;
	pthread_mutex_lock(&r->mutex);
	for (;;) {
		if (has_freed && !wait_for_work(r)) {
			pthread_mutex_unlock(&r->mutex);
			malloc_trim(0);
			pthread_mutex_lock(&r->mutex);
			has_freed = false;
		}
		while (!r->queue.first && !r->stop) {
			pthread_cond_wait(&r->cond, &r->mutex);
		}
		struct retired *m = retired_take(&r->queue);
		if (!m) {
			break;
		}
		const bool is_context = m->ctx;
		pthread_mutex_unlock(&r->mutex);
		const bool is_over = retired_step(m);
		pthread_mutex_lock(&r->mutex);
		if (!is_over) {
			retired_append(&r->queue, m);
		}
		r->pending -= is_context;
		has_freed |= is_context;
	}
	r->n_ended++;
	pthread_cond_broadcast(&r->cond);
	pthread_mutex_unlock(&r->mutex);
	return NULL;
}

int spawn_detached(void *(*main)(void *arg), void *arg) {
	pthread_attr_t detached;
	pthread_t thread;
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	const int ret = -pthread_create(&thread, &detached, main, arg);
	pthread_attr_destroy(&detached);
	return ret;
}

void deadline_cond_init(pthread_cond_t *cond) {
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attributes);
	pthread_condattr_destroy(&attributes);
}

bool deadline_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t until_ns) {
	if (until_ns == UINT64_MAX) {
		return pthread_cond_wait(cond, mutex) == 0;
	}
	const struct timespec until = { (time_t)(until_ns / 1000000000u),
		(long)(until_ns % 1000000000u) };
	return pthread_cond_timedwait(cond, mutex, &until) != ETIMEDOUT;
}

int reaper_create(struct reaper **out) {
	struct reaper *r = calloc(1, sizeof(*r));
	if (!r) {
		return -ENOMEM;
	}
	retired_queue_init(&r->queue);
	pthread_mutex_init(&r->mutex, NULL);
	deadline_cond_init(&r->cond);
	int ret = -pthread_create(&r->threads[r->n_threads++], NULL, run, r);
	if (ret < 0) {
		pthread_cond_destroy(&r->cond);
		pthread_mutex_destroy(&r->mutex);
		free(r);
		return ret;
	}
	*out = r;
	return 0;
}

bool reaper_stop(struct reaper *r, uint64_t until_ns) {
	pthread_mutex_lock(&r->mutex);
	r->stop = true;
	pthread_cond_broadcast(&r->cond);
	const bool is_long = r->queue.first;
	while (is_long && r->n_threads < THREADS &&
			pthread_create(&r->threads[r->n_threads], NULL, run, r) == 0) {
		r->n_threads++;
	}
	while (r->n_ended < r->n_threads && deadline_wait(&r->cond, &r->mutex, until_ns)) {
	}
	const bool has_ended = r->n_ended == r->n_threads;
	pthread_mutex_unlock(&r->mutex);
	for (unsigned i = 0; i < r->n_threads; i++) {
		if (has_ended) {
			pthread_join(r->threads[i], NULL);
		} else {
			pthread_detach(r->threads[i]); /* the process ends without it */
		}
	}
	return has_ended;
}

void reaper_destroy(struct reaper *r) {
	pthread_cond_destroy(&r->cond);
	pthread_mutex_destroy(&r->mutex);
	free(r);
}

void reaper_add(struct reaper *r, struct retired *retired) {
	pthread_mutex_lock(&r->mutex);
	const bool is_over = r->stop;
	if (!is_over) {
		retired_append(&r->queue, retired);
		r->pending += retired->ctx != NULL;
		pthread_cond_signal(&r->cond);
	}
	pthread_mutex_unlock(&r->mutex);
	if (is_over) {
		retired_destroy(retired);
	}
}

uint32_t reaper_pending(struct reaper *r) {
	pthread_mutex_lock(&r->mutex);
	uint32_t n = r->pending;
	pthread_mutex_unlock(&r->mutex);
	return n;
}
