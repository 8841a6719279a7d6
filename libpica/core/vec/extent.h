/* The range of the magnitudes of many numbers; for vector sources. */
#ifndef VEC_EXTENT_H
#define VEC_EXTENT_H

#include <stdbool.h>

#include "core/vec/vec.h"

/*
 * The smallest magnitude other than 0 and the largest, as bits. The smallest is stored as
 * magnitude + INT32_MAX (modulo 2^32), which as a signed number is greatest for 0.
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

/* Returns whether all magnitudes are 0 or in [least, end), given as bits. */
static inline bool extent_within(const struct extent *e, int32_t least, int32_t end) {
	const vi below = vi_gt(vi_set1(INT32_MIN + (least - 1)), e->smallest);
	return !vi_movemask(vi_or(below, vi_gt(e->largest, vi_set1(end - 1))));
}

#endif
