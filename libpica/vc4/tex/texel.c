/* Pixels of each texture format. */
#include <string.h>

#include "core/base/fixed.h"
#include "vc4/tex/texture.h"

unsigned vc4_texel_bytes(unsigned type) {
	static const uint8_t bytes[VC4_TYPE_RASTER + 1] = {
		4, 4, 2, 2, 2, 1, 1, 2, [VC4_TYPE_ETC1] = 8, [VC4_TYPE_RASTER] = 4,
	};
	return type <= VC4_TYPE_RASTER ? bytes[type] : 0;
}

static uint32_t rgba(uint32_t r, uint32_t g, uint32_t b, uint32_t a) {
	return r | g << 8 | b << 16 | a << 24;
}

/* ---- ETC1: a big-endian word of 64 bits ---- */

static uint32_t etc1_add(uint32_t base, int32_t step) {
	const int32_t v = (int32_t)base + step;
	return (uint32_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

/* The channel of a half of the block, whose byte is bits. A sum out of range wraps: assumed. */
static uint32_t etc1_base(uint32_t bits, bool is_differential, unsigned half) {
	if (!is_differential) {
		return expand4(half ? bits & 15 : bits >> 4);
	}
	const uint32_t first = bits >> 3;
	return expand5(half ? (first + (uint32_t)sign_extend(bits, 3)) & 31 : first);
}

static uint32_t etc1_texel(const uint8_t p[8], unsigned x, unsigned y) {
	static const uint8_t steps[8][2] = { { 2, 8 }, { 5, 17 }, { 9, 29 }, { 13, 42 },
		{ 18, 60 }, { 24, 80 }, { 33, 106 }, { 47, 183 } };
	const bool is_flipped = p[3] & 1, is_differential = p[3] >> 1 & 1;
	const unsigned half = (is_flipped ? y : x) >> 1, k = 4 * x + y;
	const unsigned table = half ? p[3] >> 2 & 7 : p[3] >> 5;
	const unsigned low = p[7 - k / 8] >> k % 8 & 1, high = p[5 - k / 8] >> k % 8 & 1;
	const int32_t step = high ? -(int32_t)steps[table][low] : steps[table][low];
	return rgba(etc1_add(etc1_base(p[0], is_differential, half), step),
			etc1_add(etc1_base(p[1], is_differential, half), step),
			etc1_add(etc1_base(p[2], is_differential, half), step), 255);
}

uint32_t vc4_texel(unsigned type, const uint8_t *p, unsigned x, unsigned y) {
	uint32_t v = 0;
	if (type == VC4_TYPE_ETC1) {
		uint8_t block[8];
		memcpy(block, p, sizeof(block));
		return etc1_texel(block, x, y);
	}
	memcpy(&v, p, vc4_texel_bytes(type));
	switch (type) {
	case 1: /* RGBX8888 */
		return v | 0xFF000000;
	case 2: /* RGBA4444, R on top */
		return rgba(expand4(v >> 12), expand4(v >> 8 & 15), expand4(v >> 4 & 15),
				expand4(v & 15));
	case 3: /* RGBA5551 */
		return rgba(expand5(v >> 11), expand5(v >> 6 & 31), expand5(v >> 1 & 31),
				expand1(v & 1));
	case 4: /* RGB565 */
		return rgba(expand5(v >> 11), expand6(v >> 5 & 63), expand5(v & 31), 255);
	case 5: /* luminance */
		return rgba(v, v, v, 255);
	case 6: /* alpha */
		return v << 24;
	case 7: /* luminance and alpha */
		return rgba(v & 255, v & 255, v & 255, v >> 8);
	default: /* RGBA8888, also of raster images */
		return v;
	}
}
