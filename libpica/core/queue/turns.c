/*
 * Chooses turns: the share with the least processor time, of the command thread and of workers,
 * weighted by priority, comes first. A share is the queues of one owner; the shares of one user are
 * compared with those of others as one.
 *
 * Time is measured: no result depends on the order of turns. A share saves no credit while it is
 * idle: when it returns it is at most HEAD_START_NS ahead of those that continued. It has no debts
 * while it is alone. Otherwise a share, or a user whose last context is gone, keeps its debts while
 * they matter: until all shares with work have had as much.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/queue/private.h"

enum {
	HEAD_START_NS = 1000000,
	MAX_DEBT_NS = 1000000000, /* of time that others could not use */
};

/* Ten steps are a factor of ten. */
static const uint16_t weights[21] = { 102, 129, 162, 204, 257, 324, 408, 513, 646, 813, TALLY_UNIT,
	1289, 1623, 2043, 2572, 3238, 4077, 5132, 6461, 8134, 10240 };

struct share {
	struct share *next; /* dispatcher.shares */
	bool is_user;
	uint64_t id;        /* the user or the owner; 0: of one queue */
	unsigned n_queues;
	struct tally tally;
	struct share *up;   /* the user's, or NULL */
	struct turns_level own; /* a user's: of its owners */
	bool is_active, was_active; /* it had work at the last check, and at the previous one */
};

/* ---- Shares ---- */

static struct share *take(struct dispatcher *d, bool is_user, uint64_t id, struct share *up,
		int priority) {
	struct share *s = d->shares;
	while (s && !(id && s->id == id && s->is_user == is_user && s->up == up)) {
		s = s->next;
	}
	if (!s) {
		s = calloc(1, sizeof(*s));
		if (!s) {
			return NULL;
		}
		s->is_user = is_user;
		s->id = id;
		s->up = up;
		s->tally.up = up ? &up->tally : NULL;
		s->tally.weight = weights[priority + 10];
		s->next = d->shares;
		d->shares = s;
	}
	s->n_queues++;
	return s;
}

/* Debts within a user end with the owner. Others are kept: forget_debts(). */
static void drop(struct dispatcher *d, struct share *s) {
	struct share **link = &d->shares;
	if (--s->n_queues || (!s->up && s->id)) {
		return;
	}
	while (*link != s) {
		link = &(*link)->next;
	}
	*link = s->next;
	free(s);
}

int turns_join(struct queue *q) {
	struct dispatcher *d = q->dispatcher;
	const struct pica_ctx_settings *settings = q->settings;
	struct share *user = settings->user ? take(d, true, settings->user, NULL, 0) : NULL;
	if (settings->user && !user) {
		return -ENOMEM;
	}
	q->share = take(d, false, settings->owner, user, settings->priority);
	if (!q->share && user) {
		drop(d, user);
	}
	return q->share ? 0 : -ENOMEM;
}

void turns_leave(struct queue *q) {
	struct share *s = q->share, *user = s->up;
	drop(q->dispatcher, s);
	if (user) {
		drop(q->dispatcher, user);
	}
}

/* Forgets debts of former shares once all others have had as much time. */
static void forget_debts(struct dispatcher *d) {
	for (struct share **link = &d->shares; *link;) {
		struct share *s = *link;
		if (!s->n_queues && tally_ns(&s->tally) <= d->users.floor_ns) {
			*link = s->next;
			free(s);
		} else {
			link = &s->next;
		}
	}
}

void turns_finish(struct dispatcher *d) {
	d->users.floor_ns = UINT64_MAX;
	forget_debts(d);
}

struct tally *queue_tally(struct queue *q) {
	return &q->share->tally;
}

/* ---- Looking ---- */

/*
 * Returns whether the queue waits for its turn. A queue that has all its units in flight is left
 * out: its next job would be parked for want of one. Retired units wake the thread.
 */
static bool is_waiting(const struct queue *q) {
	if (q->leader) {
		return !q->awaits_unit && !q->awaits_any;
	}
	if (q->issued < q->submitted) {
		return q->units < q->max_units;
	}
	return (q->is_pending && q->wants_flush) || (q->has_waste && !q->is_closing);
}

static void level_begin(struct turns_level *l) {
	l->least_ns = UINT64_MAX;
	l->most_ns = 0;
}

static void level_add(struct turns_level *l, const struct share *s) {
	const uint64_t ns = tally_ns(&s->tally);
	if (s->was_active && ns < l->least_ns) {
		l->least_ns = ns;
	}
	l->most_ns = ns > l->most_ns ? ns : l->most_ns;
}

static void raise_to(uint64_t *ns, uint64_t least) {
	*ns = *ns < least ? least : *ns;
}

static void level_end(struct turns_level *l) {
	if (l->least_ns != UINT64_MAX) {
		raise_to(&l->floor_ns, l->least_ns);
	}
	raise_to(&l->floor_ns, l->most_ns > MAX_DEBT_NS ? l->most_ns - MAX_DEBT_NS : 0);
}

static struct turns_level *level_of(struct dispatcher *d, const struct share *s) {
	return s->up ? &s->up->own : &d->users;
}

/* Finds the shares that have work; a share without work gains no credit. */
static void look(struct dispatcher *d) {
	level_begin(&d->users);
	for (struct share *s = d->shares; s; s = s->next) {
		s->was_active = s->is_active;
		s->is_active = false;
		level_begin(&s->own);
	}
	for (struct queue *q = d->queues; q; q = q->next) {
		for (struct share *s = is_waiting(q) || q->units ? q->share : NULL; s; s = s->up) {
			s->is_active = true;
		}
	}
	for (struct share *s = d->shares; s; s = s->next) {
		if (s->is_active) {
			level_add(level_of(d, s), s);
		}
	}
	level_end(&d->users);
	for (struct share *s = d->shares; s; s = s->next) {
		level_end(&s->own);
	}
	for (struct share *s = d->shares; s; s = s->next) {
		const uint64_t floor_ns = level_of(d, s)->floor_ns, ns = tally_ns(&s->tally);
		if (s->is_active && ns + HEAD_START_NS < floor_ns) {
			atomic_fetch_add_explicit(&s->tally.ns, floor_ns - HEAD_START_NS - ns,
					memory_order_relaxed);
		}
	}
	forget_debts(d);
}

/* ---- Choosing ---- */

/* Within a share the highest rank comes first, then the queue that was served longest ago. */
static bool is_before(const struct queue *a, const struct queue *b) {
	const struct tally *x = &a->share->tally, *y = &b->share->tally;
	if (tally_before(x, y) || tally_before(y, x)) {
		return tally_before(x, y);
	}
	if (x == y && a->settings->rank != b->settings->rank) {
		return a->settings->rank > b->settings->rank;
	}
	return a->served < b->served;
}

struct queue *turns_choose(struct dispatcher *d) {
	struct queue *best = NULL;
	look(d);
	for (struct queue *q = d->queues; q; q = q->next) {
		if (is_waiting(q) && (!best || is_before(q, best))) {
			best = q;
		}
	}
	if (best) {
		best->served = ++d->n_turns;
	}
	return best;
}
