/*
 * The time after which a task yields. Reading the clock takes tens of ns, so a task counts its work
 * in ticks of about 1 ns and reads the clock once per SLICE_TICKS.
 */
#ifndef SCHED_SLICE_H
#define SCHED_SLICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/sched/monitor.h"

enum { SLICE_TICKS = 16384 };

struct slice {
	uint64_t end_ns; /* CLOCK_MONOTONIC */
	uint64_t ticks;
	/* Once this is true (relaxed), the slice ends at soon_ns; NULL: it does not end early. */
	const atomic_bool *is_wanted;
	uint64_t soon_ns;
};

static inline struct slice slice_start(uint64_t length_ns) {
	return (struct slice){ .end_ns = clock_now_ns() + length_ns };
}

/* Counts work of the task. Returns whether the slice is over. */
static inline bool slice_over(struct slice *s, uint64_t ticks) {
	s->ticks += ticks;
	if (s->ticks < SLICE_TICKS) {
		return false;
	}
	s->ticks = 0;
	const uint64_t now_ns = clock_now_ns();
	return now_ns >= s->end_ns ||
			(s->is_wanted && now_ns >= s->soon_ns &&
					atomic_load_explicit(s->is_wanted, memory_order_relaxed));
}

/*
 * One of `count` parts of some work. The function that does it returns when the part is done or the
 * slice is over; in the latter case it is called again, on any thread.
 */
struct work_part {
	unsigned index, count;
	struct slice *slice; /* NULL: never pauses */
	uint64_t at;         /* private to the function; 0 at first, not 0 after a pause */
	bool is_done;
};

/* Counts work. Returns whether to pause. */
static inline bool part_pauses(struct work_part *p, uint64_t ticks) {
	return p->slice && slice_over(p->slice, ticks);
}

#endif
