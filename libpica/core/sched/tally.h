/*
 * Processor time used by a share, for fair scheduling: the share that used least goes first.
 *
 * Tallies have two levels: owners, and users, to which `up` points. Users are compared first, then
 * the owners of one user. Workers and the command thread add to tallies with relaxed atomics, since
 * the order need not be exact.
 */
#ifndef SCHED_TALLY_H
#define SCHED_TALLY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { TALLY_UNIT = 1024 };

struct tally {
	atomic_uint_fast64_t ns;
	struct tally *up; /* the user's tally; NULL: this is the top level */
	unsigned n_yielded[2]; /* top level: yielded tasks by role (pool.c, under its lock) */
	uint32_t weight;  /* TALLY_UNIT: time counts in full; twice that: half of it */
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

/* Returns the user's tally, or the owner's if there is no user. */
static inline struct tally *tally_top(struct tally *t) {
	return t->up ? t->up : t;
}

/* Returns whether a goes before b. NULL goes before all others. */
static inline bool tally_before(const struct tally *a, const struct tally *b) {
	if (!a || !b || a == b) {
		return !a && b;
	}
	const struct tally *p = a->up ? a->up : a, *q = b->up ? b->up : b;
	return p == q ? tally_ns(a) < tally_ns(b) : tally_ns(p) < tally_ns(q);
}

#endif
