/* Binning: a counting sort by tile. */
#include "core/chunk/segment.h"

#include <stdlib.h>
#include <string.h>

enum { TRIANGLE_TICKS = 4, ENTRY_TICKS = 2 }; /* once to count, once to fill in */

static uint64_t ticks_of(const struct tri_box *b) {
	const uint64_t n = (uint64_t)(b->x1 - b->x0 + 1) * (uint64_t)(b->y1 - b->y0 + 1);
	return TRIANGLE_TICKS + ENTRY_TICKS * n;
}

static bool reserve_start(struct chunk *c, unsigned n_tiles) {
	if (c->cap_start < n_tiles + 1) {
		uint32_t *start = realloc(c->tile_start, (size_t)(n_tiles + 1) * sizeof(*start));
		if (!start) {
			return false;
		}
		c->tile_start = start;
		c->cap_start = n_tiles + 1;
	}
	memset(c->tile_start, 0, (size_t)(n_tiles + 1) * sizeof(*c->tile_start));
	return true;
}

/* Makes ends of the counts. */
static bool reserve_list(struct chunk *c, unsigned n_tiles) {
	for (unsigned t = 0; t < n_tiles; t++) {
		c->tile_start[t + 1] += c->tile_start[t];
	}
	const uint32_t total = c->tile_start[n_tiles];
	if (c->cap_list < total) {
		uint32_t cap = total + total / 2;
		uint32_t *list = realloc(c->tile_list, (size_t)cap * sizeof(*list));
		if (!list) {
			return false;
		}
		c->tile_list = list;
		c->cap_list = cap;
	}
	return true;
}

enum progress chunk_bin(struct chunk *c, const struct pass_work *work, struct binning *binning,
		struct slice *slice) {
	const unsigned n_tiles = work->tiles_x * work->tiles_y;
	if (binning->step == BIN_BEGINS) {
		if (!reserve_start(c, n_tiles)) {
			return OVER;
		}
		binning->step = BIN_COUNTS;
	}
	while (binning->step == BIN_COUNTS && binning->at < c->n_tris) {
		const struct tri_box *b = &c->boxes[binning->at++];
		for (int y = b->y0; y <= b->y1; y++) {
			for (int x = b->x0; x <= b->x1; x++) {
				c->tile_start[(unsigned)y * work->tiles_x + (unsigned)x + 1]++;
			}
		}
		if (slice_over(slice, ticks_of(b))) {
			return SLICE_OVER;
		}
	}
	if (binning->step == BIN_COUNTS) {
		if (!reserve_list(c, n_tiles)) {
			return OVER;
		}
		binning->total = c->tile_start[n_tiles];
		binning->step = BIN_FILLS;
	}
	/* Fill backwards from the ends, so that start[t] ends up at the start and order is kept. */
	while (binning->at > 0) {
		const uint32_t i = --binning->at;
		const struct tri_box *b = &c->boxes[i];
		for (int y = b->y0; y <= b->y1; y++) {
			for (int x = b->x0; x <= b->x1; x++) {
				c->tile_list[--c->tile_start[(unsigned)y * work->tiles_x +
						(unsigned)x + 1]] = i;
			}
		}
		if (slice_over(slice, ticks_of(b))) {
			return SLICE_OVER;
		}
	}
	/* Now start[t + 1] is the start of tile t: shift down. */
	memmove(c->tile_start, c->tile_start + 1, (size_t)n_tiles * sizeof(*c->tile_start));
	c->tile_start[n_tiles] = binning->total;
	return GOES_ON;
}
