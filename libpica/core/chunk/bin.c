/* Binning: a counting sort by tile. */
#include "core/chunk/chunk.h"

#include <stdlib.h>
#include <string.h>

bool chunk_bin(struct chunk *c, const struct pass_work *work) {
	unsigned n_tiles = work->tiles_x * work->tiles_y;
	if (c->cap_start < n_tiles + 1) {
		uint32_t *start = realloc(c->tile_start, (size_t)(n_tiles + 1) * sizeof(*start));
		if (!start) {
			return false;
		}
		c->tile_start = start;
		c->cap_start = n_tiles + 1;
	}
	memset(c->tile_start, 0, (size_t)(n_tiles + 1) * sizeof(*c->tile_start));
	for (uint32_t i = 0; i < c->n_tris; i++) {
		const struct tri_box *b = &c->boxes[i];
		for (int y = b->y0; y <= b->y1; y++) {
			for (int x = b->x0; x <= b->x1; x++) {
				c->tile_start[(unsigned)y * work->tiles_x + (unsigned)x + 1]++;
			}
		}
	}
	for (unsigned t = 0; t < n_tiles; t++) {
		c->tile_start[t + 1] += c->tile_start[t];
	}
	uint32_t total = c->tile_start[n_tiles];
	if (c->cap_list < total) {
		uint32_t cap = total + total / 2;
		uint32_t *list = realloc(c->tile_list, (size_t)cap * sizeof(*list));
		if (!list) {
			return false;
		}
		c->tile_list = list;
		c->cap_list = cap;
	}
	/* Fill backwards from the ends, so that start[t] ends up at the start and order is kept. */
	for (uint32_t i = c->n_tris; i-- > 0;) {
		const struct tri_box *b = &c->boxes[i];
		for (int y = b->y0; y <= b->y1; y++) {
			for (int x = b->x0; x <= b->x1; x++) {
				c->tile_list[--c->tile_start[(unsigned)y * work->tiles_x +
						(unsigned)x + 1]] = i;
			}
		}
	}
	/* Now start[t + 1] is the start of tile t: shift down. */
	memmove(c->tile_start, c->tile_start + 1, (size_t)n_tiles * sizeof(*c->tile_start));
	c->tile_start[n_tiles] = total;
	return true;
}
