/*
 * Kernels that convert a screen's lines to the rows of a display. Pixels are RGBA8 words, R in the
 * lowest byte.
 */
#ifndef XFER_SCANOUT_H
#define XFER_SCANOUT_H

#include <stddef.h>
#include <stdint.h>

#include "core/vec/cpu.h"

enum { TURN_PX = 8 };

struct scanout_kernels {
	/*
	 * Pixel i (of TURN_PX) of line j (of n) becomes dst[i * dst_stride + j]. Strides are in
	 * words and may be negative.
	 */
	void (*turn)(uint32_t *dst, ptrdiff_t dst_stride, const uint32_t *src, ptrdiff_t src_stride,
			unsigned n);
	/* Reverses a row of n pixels in place. */
	void (*reverse)(uint32_t *px, unsigned n);
	/* Repeats each of n pixels `times` times, times >= 1. */
	void (*widen)(uint32_t *dst, const uint32_t *src, unsigned n, unsigned times);
	/* (a * (256 - weight) + b * weight + 128) / 256 per channel, weight 0..255. */
	void (*mix)(uint32_t *dst, const uint32_t *a, const uint32_t *b, unsigned weight,
			unsigned n);
	/* The same for src[at >> 8] and the pixel after it, with weight at & 255. */
	void (*blend)(uint32_t *dst, const uint32_t *src, const uint32_t *at, unsigned n);
	/* Takes R from left, the other channels from right. */
	void (*anaglyph)(uint32_t *dst, const uint32_t *left, const uint32_t *right, unsigned n);
	/* Converts n pixels to words 0xFFRRGGBB, little-endian. */
	void (*xrgb)(uint8_t *dst, const uint32_t *rgba, unsigned n);
};

/* Returns the plain C kernels, for the table and for the tails of the vector versions. */
const struct scanout_kernels *scanout_c(void);
ISA_KERNELS(scanout)

#endif
