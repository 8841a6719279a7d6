/* Texels of each format, one at a time.  [fidelity: texel-formats, etc1] */
#include "pica/tex/private.h"

#include <string.h>

#include "core/base/fixed.h"
#include "core/base/morton.h"

static uint32_t rgba(uint32_t r, uint32_t g, uint32_t b, uint32_t a) {
	return r | g << 8 | b << 16 | a << 24;
}

/* Little-endian words at any address. */
static uint32_t word16(const uint8_t *p) {
	return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint64_t word64(const uint8_t *p) {
	uint64_t word;
	memcpy(&word, p, sizeof(word)); /* hosts are little-endian */
	return word;
}

/* Even texels lie in the low half of their byte. */
static uint32_t nibble(const uint8_t *src, unsigned index) {
	return index & 1 ? src[index >> 1] >> 4 : src[index >> 1] & 15;
}

/* texel_<format>(src, index): texel number index, in Z order, of the tile at src. */

static uint32_t texel_rgba8(const uint8_t *src, unsigned index) {
	const uint8_t *p = src + 4 * index;
	return rgba(p[3], p[2], p[1], p[0]);
}

static uint32_t texel_rgb8(const uint8_t *src, unsigned index) {
	const uint8_t *p = src + 3 * index;
	return rgba(p[2], p[1], p[0], 255);
}

static uint32_t texel_rgb5a1(const uint8_t *src, unsigned index) {
	uint32_t w = word16(src + 2 * index);
	return rgba(expand5(w >> 11), expand5(w >> 6 & 31), expand5(w >> 1 & 31), expand1(w & 1));
}

static uint32_t texel_rgb565(const uint8_t *src, unsigned index) {
	uint32_t w = word16(src + 2 * index);
	return rgba(expand5(w >> 11), expand6(w >> 5 & 63), expand5(w & 31), 255);
}

static uint32_t texel_rgba4(const uint8_t *src, unsigned index) {
	uint32_t w = word16(src + 2 * index);
	return rgba(expand4(w >> 12), expand4(w >> 8 & 15), expand4(w >> 4 & 15), expand4(w & 15));
}

static uint32_t texel_ia8(const uint8_t *src, unsigned index) {
	uint32_t a = src[2 * index], i = src[2 * index + 1];
	return rgba(i, i, i, a);
}

static uint32_t texel_hilo8(const uint8_t *src, unsigned index) {
	return rgba(src[2 * index + 1], src[2 * index], 0, 255);
}

static uint32_t texel_i8(const uint8_t *src, unsigned index) {
	uint32_t i = src[index];
	return rgba(i, i, i, 255);
}

static uint32_t texel_a8(const uint8_t *src, unsigned index) {
	return rgba(0, 0, 0, src[index]);
}

static uint32_t texel_ia4(const uint8_t *src, unsigned index) {
	uint32_t i = expand4(src[index] >> 4);
	return rgba(i, i, i, expand4(src[index] & 15));
}

static uint32_t texel_i4(const uint8_t *src, unsigned index) {
	uint32_t i = expand4(nibble(src, index));
	return rgba(i, i, i, 255);
}

static uint32_t texel_a4(const uint8_t *src, unsigned index) {
	return rgba(0, 0, 0, expand4(nibble(src, index)));
}

/* ETC1: modifiers of a table, for select bit 0 and 1. */
static const uint8_t etc1_table[8][2] = {
	{ 2, 8 }, { 5, 17 }, { 9, 29 }, { 13, 42 },
	{ 18, 60 }, { 24, 80 }, { 33, 106 }, { 47, 183 },
};

/*
 * A base channel: in individual mode two 4-bit values (first half high, second half low), in
 * differential mode 5 bits and a signed 3-bit difference for the second half. A sum outside 0..31
 * is invalid in the format and wraps here.  [guess, fidelity: etc1]
 */
static uint32_t etc1_base(uint32_t byte, int differential, int second) {
	if (!differential) {
		return expand4(second ? byte & 15 : byte >> 4);
	}
	uint32_t delta = second ? (uint32_t)sign_extend(byte, 3) : 0;
	return expand5(((byte >> 3) + delta) & 31);
}

static uint32_t etc1_add(uint32_t base, int modifier) {
	int sum = (int)base + modifier;
	return (uint32_t)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
}

/* Texel (x, y), 0..3 each, of the 4x4 block with this colour word. */
static uint32_t etc1_texel(uint64_t word, unsigned x, unsigned y) {
	unsigned k = x * 4 + y;
	int flip = (int)(word >> 32 & 1);
	int differential = (int)(word >> 33 & 1);
	int second = (flip ? y : x) >= 2;
	unsigned table = (unsigned)(second ? word >> 34 & 7 : word >> 37 & 7);
	int modifier = etc1_table[table][word >> k & 1];
	if (word >> (16 + k) & 1) {
		modifier = -modifier;
	}
	uint32_t r = etc1_base((uint32_t)(word >> 56 & 255), differential, second);
	uint32_t g = etc1_base((uint32_t)(word >> 48 & 255), differential, second);
	uint32_t b = etc1_base((uint32_t)(word >> 40 & 255), differential, second);
	return rgba(etc1_add(r, modifier), etc1_add(g, modifier), etc1_add(b, modifier), 255);
}

/* Four 4x4 blocks a tile, order (0,0) (1,0) (0,1) (1,1): the upper two bits of the Z order. */
static uint32_t texel_etc1(const uint8_t *src, unsigned index) {
	uint32_t x = morton8_x(index), y = morton8_y(index);
	return etc1_texel(word64(src + (index >> 4) * 8), x & 3, y & 3);
}

/* Each block: 16 alpha nibbles, column by column, then the colour word. */
static uint32_t texel_etc1a4(const uint8_t *src, unsigned index) {
	uint32_t x = morton8_x(index) & 3, y = morton8_y(index) & 3;
	const uint8_t *block = src + (index >> 4) * 16;
	uint32_t alpha = expand4((uint32_t)(word64(block) >> 4 * (x * 4 + y) & 15));
	return (etc1_texel(word64(block + 8), x, y) & 0x00FFFFFF) | alpha << 24;
}

#define TEX_FORMAT(id, name, bits) \
	void tex_decode_##name##_c(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) { \
		for (unsigned row = 0; row < 8; row++) { \
			uint32_t *to = dst + (ptrdiff_t)row * stride_px; \
			for (unsigned col = 0; col < 8; col++) { \
				to[col] = texel_##name(src, morton8(col, row)); \
			} \
		} \
	}
#include "pica/tex/formats.def"
#undef TEX_FORMAT
