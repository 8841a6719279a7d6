/* Assembly: turns the primitives of a segment, whose vertices are shaded, into triangles. */
#include "core/chunk/segment.h"

#include <string.h>

enum {
	ASSEMBLED = 32, /* primitives at a time */
	ASSEMBLE_TICKS = 150, /* for each of them */
};

/* Assembles n primitives of the segment, from `first` on. Returns false if the chunk draws
 * nothing. */
static bool assemble_some(
		struct segment_run *r, const struct segment *seg, uint32_t first, uint32_t n) {
	uint32_t corner[ASSEMBLED][3];
	uint8_t negated[ASSEMBLED];
	if (topology_is_wide(r->d->topology)) {
		return wide_assemble(r, first, n);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (r->is_filtered) {
			memcpy(corner[i], r->s->corner[first + i], sizeof(corner[i]));
		} else {
			find_corners(r, seg->first + first + i, corner[i]);
		}
	}
	if (r->has_assembly) {
		r->d->state.vertex_stage->assemble(
				r->s->cv, (const uint32_t (*)[3])corner, n, negated);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!segment_triangle(r, corner[i], r->has_assembly ? negated[i] : 0)) {
			return false;
		}
	}
	return true;
}

enum progress segment_assemble(
		struct segment_run *r, const struct segment *seg, struct slice *slice) {
	const uint32_t count = r->is_filtered ? r->n_kept : seg->n;
	while (r->n_assembled < count) {
		const uint32_t left = count - r->n_assembled;
		const uint32_t n = left < ASSEMBLED ? left : ASSEMBLED;
		if (!assemble_some(r, seg, r->n_assembled, n)) {
			return OVER;
		}
		r->n_assembled += n;
		if (slice_over(slice, n * (uint64_t)ASSEMBLE_TICKS)) {
			return SLICE_OVER;
		}
	}
	return GOES_ON;
}
