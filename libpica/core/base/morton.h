/*
 * Order of pixels inside 8x8 blocks and 32x32 super-blocks: the only copy of the address formula.
 */
#ifndef BASE_MORTON_H
#define BASE_MORTON_H

#include <stdint.h>

/*
 * Index of texel (x, y) inside its 8x8 block, 0..63: x bits go to bits 0, 2, 4, y bits to 1, 3, 5.
 * [HW: hwtests ZCurve; fidelity: texel-address]
 */
static inline uint32_t morton8(uint32_t x, uint32_t y) {
	return (x & 1) | (y & 1) << 1 | (x & 2) << 1 | (y & 2) << 2 | (x & 4) << 2 | (y & 4) << 3;
}

static inline uint32_t morton8_x(uint32_t index) {
	return (index & 1) | (index >> 1 & 2) | (index >> 2 & 4);
}

static inline uint32_t morton8_y(uint32_t index) {
	return (index >> 1 & 1) | (index >> 2 & 2) | (index >> 3 & 4);
}

/*
 * Index of the first pixel of the 8x8 block at block coordinates (bx, by), in an image whose width
 * is width_blocks blocks. block32: blocks lie in Z order inside 32x32 super-blocks, which are
 * row-major [REC, fidelity: framebuffer]; width_blocks is then rounded up to a multiple of 4.
 */
static inline uint32_t block_index(uint32_t bx, uint32_t by, uint32_t width_blocks, int block32) {
	if (!block32) {
		return (by * width_blocks + bx) * 64;
	}
	uint32_t super = (by >> 2) * ((width_blocks + 3) >> 2) + (bx >> 2);
	uint32_t inner = (bx & 1) | (by & 1) << 1 | (bx & 2) << 1 | (by & 2) << 2;
	return (super * 16 + inner) * 64;
}

/* Index of pixel (x, row) in a tiled image of width_px pixels (a multiple of 8). */
static inline uint32_t tiled_index(uint32_t x, uint32_t row, uint32_t width_px, int block32) {
	return block_index(x >> 3, row >> 3, width_px >> 3, block32) + morton8(x & 7, row & 7);
}

#endif
