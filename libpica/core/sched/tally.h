/*
 * Processor time used by a share, for a fair order: the share that used least comes first.
 *
 * Tallies have two levels. `up` is the tally of a user: its order counts before that among its own.
 * Workers and the command thread add to them, all relaxed: an order need not be exact.
 */
#ifndef SCHED_TALLY_H
#define SCHED_TALLY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { TALLY_UNIT = 1024 };

struct tally {
	atomic_uint_fast64_t ns;
	struct tally *up; /* NULL: it is at the top */
	unsigned n_yielded[2]; /* at the top: its tasks, by role (pool.c, under its lock) */
	uint32_t weight;  /* TALLY_UNIT: time counts as it is; twice that: as half of it */
};

static inline uint64_t tally_ns(const struct tally *t) {
	return atomic_load_explicit(&t->ns, memory_order_relaxed);
}

static inline void tally_add(struct tally *t, uint64_t ns) {
	const uint64_t weighted = ns * TALLY_UNIT / t->weight;
	for (; t; t = t->up) {
		atomic_fetch_add_explicit(&t->ns, weighted, memory_order_relaxed);
	}
}

/* The user's, or where there is none the owner's. */
static inline struct tally *tally_top(struct tally *t) {
	return t->up ? t->up : t;
}

/* NULL comes before all. */
static inline bool tally_before(const struct tally *a, const struct tally *b) {
	if (!a || !b || a == b) {
		return !a && b;
	}
	const struct tally *p = a->up ? a->up : a, *q = b->up ? b->up : b;
	return p == q ? tally_ns(a) < tally_ns(b) : tally_ns(p) < tally_ns(q);
}

#endif
