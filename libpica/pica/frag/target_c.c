/*
 * Pixels of the colour buffer <-> planes of 8 bits, in plain C: the truth.
 * [fidelity: blending, framebuffer]
 *
 * Reading expands by replicating bits, writing truncates; reading what was written and writing it
 * again changes nothing.
 */
#include "pica/frag/kernels.h"

#include <string.h>

#include "core/base/fixed.h"

typedef uint32_t rgba; /* R in the lowest byte */

static rgba pack(uint32_t r, uint32_t g, uint32_t b, uint32_t a) {
	return r | g << 8 | b << 16 | a << 24;
}

static uint32_t load16(const uint8_t *p) {
	uint16_t word;
	memcpy(&word, p, sizeof(word));
	return word;
}

static void store16(uint8_t *p, uint32_t word) {
	const uint16_t w = (uint16_t)word;
	memcpy(p, &w, sizeof(w));
}

/* RGBA8: bytes A B G R. */
static rgba load_rgba8(const uint8_t *p) {
	return pack(p[3], p[2], p[1], p[0]);
}

static void store_rgba8(uint8_t *p, uint32_t r, uint32_t g, uint32_t b, uint32_t a) {
	p[0] = (uint8_t)a;
	p[1] = (uint8_t)b;
	p[2] = (uint8_t)g;
	p[3] = (uint8_t)r;
}

/* RGB8: bytes B G R. */
static rgba load_rgb8(const uint8_t *p) {
	return pack(p[2], p[1], p[0], 255);
}

static void store_rgb8(uint8_t *p, uint32_t r, uint32_t g, uint32_t b, uint32_t a) {
	(void)a;
	p[0] = (uint8_t)b;
	p[1] = (uint8_t)g;
	p[2] = (uint8_t)r;
}

/* RGB5A1: R 15-11, G 10-6, B 5-1, A 0. */
static rgba load_rgb5a1(const uint8_t *p) {
	const uint32_t w = load16(p);
	return pack(expand5(w >> 11), expand5(w >> 6 & 31), expand5(w >> 1 & 31), expand1(w & 1));
}

static void store_rgb5a1(uint8_t *p, uint32_t r, uint32_t g, uint32_t b, uint32_t a) {
	store16(p, r >> 3 << 11 | g >> 3 << 6 | b >> 3 << 1 | a >> 7);
}

/* RGB565: R 15-11, G 10-5, B 4-0. */
static rgba load_rgb565(const uint8_t *p) {
	const uint32_t w = load16(p);
	return pack(expand5(w >> 11), expand6(w >> 5 & 63), expand5(w & 31), 255);
}

static void store_rgb565(uint8_t *p, uint32_t r, uint32_t g, uint32_t b, uint32_t a) {
	(void)a;
	store16(p, r >> 3 << 11 | g >> 2 << 5 | b >> 3);
}

/* RGBA4: R 15-12, G 11-8, B 7-4, A 3-0. */
static rgba load_rgba4(const uint8_t *p) {
	const uint32_t w = load16(p);
	return pack(expand4(w >> 12), expand4(w >> 8 & 15), expand4(w >> 4 & 15), expand4(w & 15));
}

static void store_rgba4(uint8_t *p, uint32_t r, uint32_t g, uint32_t b, uint32_t a) {
	store16(p, r >> 4 << 12 | g >> 4 << 8 | b >> 4 << 4 | a >> 4);
}

#define FORMAT(name, bytes)                                                                        \
	void frag_load_##name##_c(uint16_t *dst, const uint8_t *base, const uint32_t *quad_px,     \
			unsigned n_quads) {                                                        \
		for (unsigned i = 0; i < 4 * n_quads; i++) {                                       \
			const rgba px = load_##name(                                               \
					base + ((size_t)quad_px[i / 4] + i % 4) * (bytes));        \
			for (unsigned k = 0; k < 4; k++) {                                         \
				dst[k * BATCH + i] = (uint16_t)(px >> 8 * k & 0xFF);               \
			}                                                                          \
		}                                                                                  \
	}                                                                                          \
	void frag_store_##name##_c(uint8_t *base, const uint32_t *quad_px,                         \
			const uint16_t *const src[4], uint64_t live, unsigned n_quads) {           \
		for (unsigned i = 0; i < 4 * n_quads; i++) {                                       \
			if (live >> i & 1) {                                                       \
				store_##name(base + ((size_t)quad_px[i / 4] + i % 4) * (bytes),    \
						src[0][i], src[1][i], src[2][i], src[3][i]);       \
			}                                                                          \
		}                                                                                  \
	}

FORMAT(rgba8, 4)
FORMAT(rgb8, 3)
FORMAT(rgb5a1, 2)
FORMAT(rgb565, 2)
FORMAT(rgba4, 2)

static const uint32_t block_px[BATCH_QUADS] = { 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52,
	56, 60 };

void frag_load_block_c(uint16_t *dst, const uint8_t *pixels) {
	frag_load_rgba8_c(dst, pixels, block_px, BATCH_QUADS);
}

void frag_store_block_c(uint8_t *pixels, const uint16_t *const src[4], uint64_t live) {
	frag_store_rgba8_c(pixels, block_px, src, live, BATCH_QUADS);
}
