/* The range of many numbers' magnitudes; for vector sources. */
#ifndef VEC_EXTENT_H
#define VEC_EXTENT_H

#include <stdbool.h>

#include "core/vec/vec.h"

/*
 * Smallest magnitude but 0 and largest one, as bits. The smallest is kept as magnitude - 1 on the
 * signed scale, where 0 is the largest of all.
 */
struct extent {
	vi smallest, largest;
};

static inline struct extent extent_none(void) {
	return (struct extent){ vi_set1(INT32_MAX), vi_zero() };
}

static inline void extent_add(struct extent *e, vf x) {
	const vi magnitude = vi_and(vi_as_vf_bits(x), vi_set1(0x7FFFFFFF));
	e->smallest = vi_min(e->smallest, vi_add(magnitude, vi_set1(INT32_MAX)));
	e->largest = vi_max(e->largest, magnitude);
}

/* Whether all are 0 or from the first to below the second magnitude, given as bits. */
static inline bool extent_within(const struct extent *e, int32_t least, int32_t end) {
	const vi below = vi_gt(vi_set1(INT32_MIN + (least - 1)), e->smallest);
	return !vi_movemask(vi_or(below, vi_gt(e->largest, vi_set1(end - 1))));
}

#endif
