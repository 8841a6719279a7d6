/*
 * Places of the pixels of a buffer, and buffers of one tile.
 *
 * A chip draws in place, or into a buffer of a tile that is cleared or loaded before and stored
 * afterwards. Both have 8x8 blocks of 64 consecutive pixels in Morton order, so that the kernels of
 * fragments do not know the difference.
 */
#ifndef RASTER_SURFACE_H
#define RASTER_SURFACE_H

#include <stdint.h>

#include "core/base/morton.h"

enum surface_order {
	SURFACE_BLOCKS,   /* blocks row by row */
	SURFACE_BLOCKS32, /* 32x32 pixels row by row, their blocks in Morton order */
	SURFACE_ROWS,     /* pixels row by row */
};

enum { SURFACE_MAX_SAMPLES = 4 };

struct surface {
	uint8_t *base;          /* pixel index 0; owned by the caller */
	uint32_t width, height; /* pixels; with blocks, width is a multiple of 8 */
	uint32_t stride_px;     /* SURFACE_ROWS: from row to row */
	uint8_t order;          /* enum surface_order */
	uint8_t px_bytes;       /* 1..4 */
	uint8_t n_samples;      /* 1 or 4; sample s of all pixels follows those of s - 1 */
};

/* Index of the first pixel of the 8x8 block that holds pixel (x, y); orders with blocks. */
static inline uint32_t surface_block_px(
		enum surface_order order, uint32_t width, uint32_t x, uint32_t y) {
	return block_index(x >> 3, y >> 3, width >> 3, order == SURFACE_BLOCKS32);
}

/* Index of pixel (x, y). */
static inline uint32_t surface_px(const struct surface *s, uint32_t x, uint32_t y) {
	if (s->order == SURFACE_ROWS) {
		return y * s->stride_px + x;
	}
	return surface_block_px((enum surface_order)s->order, s->width, x, y) +
			morton8(x & 7, y & 7);
}

/* Sets every sample to the low px_bytes of value. */
void surface_clear(const struct surface *tile, uint32_t value);
/*
 * Loads pixels of `memory` (one sample) from (x, y) on into every sample of the tile. Pixels of the
 * tile outside memory's size stay unchanged. px_bytes are the same in both.
 */
void surface_load(const struct surface *tile, const struct surface *memory, uint32_t x, uint32_t y);
/*
 * Stores the tile: each byte is the average over the samples, rounded down. Pixels outside memory's
 * size are not stored.
 */
void surface_store(
		const struct surface *tile, const struct surface *memory, uint32_t x, uint32_t y);

#endif
