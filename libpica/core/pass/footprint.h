/*
 * Sets of memory ranges, from which the order between units is derived. A full set is conservative:
 * it covers more than was added.
 */
#ifndef PASS_FOOTPRINT_H
#define PASS_FOOTPRINT_H

#include <stdbool.h>

#include "core/space/space.h"

enum { FOOTPRINT_RANGES = 24 };

struct footprint {
	struct range r[FOOTPRINT_RANGES];
	unsigned n;
};

void footprint_clear(struct footprint *f);
/* Merges with a range that it overlaps or touches; when full, with the last one. */
void footprint_add(struct footprint *f, struct range r);
bool footprint_hits(const struct footprint *f, struct range r);
bool footprints_overlap(const struct footprint *a, const struct footprint *b);

#endif
