/*
 * Whose turn it is: deficit round robin over shares, which are queues of one owner, weighted by
 * priority.
 *
 * A job is paid for by an estimate when it begins, and by its real cost when its units retire, so a
 * share that turns out to be expensive is in debt, and other shares come first. A share saves no
 * credit while idle, and has no debts while it is alone.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/queue/private.h"

enum {
	QUANTUM = 16384, /* credit that a round adds */
	HEAVY = 4 * QUANTUM, /* cost without a pause that makes a queue heavy */
	UNIT = 1024,
};

/* Ten steps are a factor of ten. */
static const int32_t weights[21] = { 102, 129, 162, 204, 257, 324, 408, 513, 646, 813, UNIT, 1289,
	1623, 2043, 2572, 3238, 4077, 5132, 6461, 8134, 10240 };

struct share {
	struct share *next; /* dispatcher.shares */
	uint64_t owner;     /* 0: of one queue */
	unsigned n_queues;
	int64_t credit, quantum;
	uint64_t spent; /* cost since it was idle last */
	const struct queue *last; /* served last; compared only */
	/* While turns_choose() looks: the first that waits, and the first after `last`. */
	struct queue *first, *after;
	bool seen_last, in_flight;
};

/* ---- Shares ---- */

int turns_join(struct queue *q) {
	struct dispatcher *d = q->dispatcher;
	const struct pica_ctx_settings *settings = q->settings;
	for (struct share *s = d->shares; s; s = s->next) {
		if (settings->owner && s->owner == settings->owner) {
			s->n_queues++;
			q->share = s;
			return 0;
		}
	}
	struct share *s = calloc(1, sizeof(*s));
	if (!s) {
		return -ENOMEM;
	}
	s->owner = settings->owner;
	s->n_queues = 1;
	s->quantum = (int64_t)QUANTUM * weights[settings->priority + 10] / UNIT;
	s->next = d->shares;
	d->shares = s;
	q->share = s;
	return 0;
}

void turns_leave(struct queue *q) {
	struct dispatcher *d = q->dispatcher;
	struct share *s = q->share, **link = &d->shares;
	s->last = s->last == q ? NULL : s->last;
	if (--s->n_queues) {
		return;
	}
	while (*link != s) {
		link = &(*link)->next;
	}
	*link = s->next;
	d->turn = d->turn == s ? s->next : d->turn;
	free(s);
}

/*
 * Work is charged here, in stream order: costs go into the cost of queue_progress, and into
 * estimate() if they are known before.
 */
void turns_charge(struct queue *q, uint64_t cost) {
	q->share->credit -= (int64_t)(cost - q->charged);
	q->share->spent += cost - q->charged;
	q->charged = cost;
}

/* ---- Choosing ---- */

/*
 * For its turn. A queue that has all its units in flight is left out: its next job would be parked
 * for want of one. Retired units wake the thread.
 */
static bool is_waiting(const struct queue *q) {
	return q->leader ? !q->awaits_unit : q->issued < q->submitted && q->units < q->max_units;
}

/* The share's next one: of the highest rank, else in turn. */
static bool is_before(const struct queue *a, const struct queue *b) {
	return !b || a->settings->rank > b->settings->rank;
}

/* Finds the waiting context of each share; returns how many shares wait. */
static unsigned look(struct dispatcher *d) {
	unsigned n = 0;
	for (struct share *s = d->shares; s; s = s->next) {
		s->first = s->after = NULL;
		s->seen_last = s->in_flight = false;
	}
	for (struct queue *q = d->queues; q; q = q->next) {
		struct share *s = q->share;
		if (is_waiting(q)) {
			n += !s->first;
			s->first = is_before(q, s->first) ? q : s->first;
			if (s->seen_last) {
				s->after = is_before(q, s->after) ? q : s->after;
			}
		}
		s->seen_last |= q == s->last;
		s->in_flight |= q->units != 0;
	}
	for (struct share *s = d->shares; s; s = s->next) {
		s->spent = s->first || s->in_flight ? s->spent : 0;
	}
	return n;
}

static struct queue *head_of(const struct share *s) {
	const struct queue *first = s->first, *after = s->after;
	return after && after->settings->rank == first->settings->rank ? s->after : s->first;
}

static int64_t head_cost(const struct share *s) {
	struct queue *q = head_of(s);
	if (q->leader) {
		return 0; /* paid when it began */
	}
	return q->work->estimate(&queue_slot(q, q->issued + 1)->job);
}

/* Rounds until it can pay for its next job. */
static int64_t rounds_of(const struct share *s) {
	int64_t missing = head_cost(s) - s->credit;
	return missing > 0 ? (missing + s->quantum - 1) / s->quantum : 0;
}

static struct queue *serve(struct dispatcher *d, struct share *s) {
	struct queue *q = head_of(s);
	s->credit -= head_cost(s);
	s->last = q;
	/* Turns decide what begins. Work that has begun waits for workers: heavy queues' longer. */
	q->is_heavy = s->spent > HEAVY;
	/* It keeps the turn while it can pay; else the next one is asked first. */
	d->turn = s->credit > 0 ? s : s->next;
	return q;
}

struct queue *turns_choose(struct dispatcher *d) {
	const unsigned n = look(d);
	struct share *best = NULL;
	int64_t rounds = 0;
	if (n == 0) {
		return NULL;
	}
	/* All shares once, from the one whose turn it is. */
	struct share *s = d->turn ? d->turn : d->shares;
	const struct share *start = s;
	do {
		if (!s->first) {
			s->credit = s->credit < 0 ? s->credit : 0;
		} else if (!best || rounds_of(s) < rounds) {
			best = s;
			rounds = rounds_of(s);
		}
		s = s->next ? s->next : d->shares;
	} while (s != start);
	if (n == 1) {
		best->credit = 0;
		return serve(d, best);
	}
	/* Rounds in which no share could have paid are skipped. */
	for (s = d->shares; s && rounds; s = s->next) {
		s->credit += s->first ? rounds * s->quantum : 0;
	}
	return serve(d, best);
}

bool turns_take(struct queue *q) {
	struct share *s = q->share;
	if (look(q->dispatcher) != 1 || !s->first || head_of(s) != q) {
		return false;
	}
	s->credit = 0;
	serve(q->dispatcher, s);
	return true;
}
