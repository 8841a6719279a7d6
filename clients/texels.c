#include "texels.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/morton.h"
#include "etc1.h"
#include "pica_regs.h"

unsigned texels_bits(uint32_t format) {
	static const uint8_t bits[] = {
		[PICA_TEXTURE_FORMAT_RGBA8] = 32, [PICA_TEXTURE_FORMAT_RGB8] = 24,
		[PICA_TEXTURE_FORMAT_RGB5A1] = 16, [PICA_TEXTURE_FORMAT_RGB565] = 16,
		[PICA_TEXTURE_FORMAT_RGBA4] = 16, [PICA_TEXTURE_FORMAT_IA8] = 16,
		[PICA_TEXTURE_FORMAT_HILO8] = 16, [PICA_TEXTURE_FORMAT_I8] = 8,
		[PICA_TEXTURE_FORMAT_A8] = 8, [PICA_TEXTURE_FORMAT_IA4] = 8,
		[PICA_TEXTURE_FORMAT_I4] = 4, [PICA_TEXTURE_FORMAT_A4] = 4,
		[PICA_TEXTURE_FORMAT_ETC1] = 4, [PICA_TEXTURE_FORMAT_ETC1A4] = 8,
	};
	return format < sizeof(bits) ? bits[format] : 0;
}

static unsigned intensity(const uint8_t c[4]) {
	return (c[0] * 77u + c[1] * 150u + c[2] * 29u) >> 8;
}

/* A colour as a texel, the first byte lowest. [fidelity: texel-formats] */
static uint32_t pack(uint32_t format, const uint8_t c[4]) {
	const uint32_t r = c[0], g = c[1], b = c[2], a = c[3], i = intensity(c);
	switch (format) {
	case PICA_TEXTURE_FORMAT_RGBA8:
		return r << 24 | g << 16 | b << 8 | a;
	case PICA_TEXTURE_FORMAT_RGB8:
		return r << 16 | g << 8 | b;
	case PICA_TEXTURE_FORMAT_RGB5A1:
		return (r >> 3) << 11 | (g >> 3) << 6 | (b >> 3) << 1 | a >> 7;
	case PICA_TEXTURE_FORMAT_RGB565:
		return (r >> 3) << 11 | (g >> 2) << 5 | b >> 3;
	case PICA_TEXTURE_FORMAT_RGBA4:
		return (r >> 4) << 12 | (g >> 4) << 8 | (b >> 4) << 4 | a >> 4;
	case PICA_TEXTURE_FORMAT_IA8:
		return i << 8 | a;
	case PICA_TEXTURE_FORMAT_HILO8:
		return r << 8 | g;
	case PICA_TEXTURE_FORMAT_I8:
		return i;
	case PICA_TEXTURE_FORMAT_A8:
		return a;
	case PICA_TEXTURE_FORMAT_IA4:
		return (i >> 4) << 4 | a >> 4;
	case PICA_TEXTURE_FORMAT_I4:
		return i >> 4;
	default:
		return a >> 4; /* A4 */
	}
}

/* Texel number index of a level. */
static void put_texel(uint32_t format, uint8_t *level, size_t index, const uint8_t c[4]) {
	const unsigned bits = texels_bits(format);
	const uint32_t texel = pack(format, c);
	uint8_t *p = level + index * bits / 8;
	if (bits == 4) {
		*p = (uint8_t)(index & 1 ? (*p & 0x0F) | texel << 4 : (*p & 0xF0) | texel);
	}
	for (unsigned k = 0; k < bits / 8; k++) {
		p[k] = (uint8_t)(texel >> 8 * k);
	}
}

/* One 8x8 tile of ETC1 or ETC1A4: four blocks of 4x4. [fidelity: etc1] */
static void put_etc1_tile(bool has_alpha, uint8_t *p, const uint8_t (*px)[4], unsigned width) {
	for (unsigned block = 0; block < 4; block++) {
		uint8_t texels[16][4];
		for (unsigned k = 0; k < 16; k++) {
			unsigned x = (block & 1) * 4 + k / 4, y = (block >> 1) * 4 + k % 4;
			memcpy(texels[k], px[(size_t)y * width + x], 4);
		}
		if (has_alpha) {
			for (unsigned k = 0; k < 16; k += 2) {
				*p++ = (uint8_t)(texels[k][3] >> 4 | (texels[k + 1][3] >> 4) << 4);
			}
		}
		uint64_t word = etc1_encode((const uint8_t (*)[4])texels);
		for (unsigned k = 0; k < 8; k++) {
			*p++ = (uint8_t)(word >> 8 * k);
		}
	}
}

void texels_put(uint32_t format, uint8_t *out, const uint8_t (*px)[4], unsigned width,
		unsigned height) {
	bool alpha = format == PICA_TEXTURE_FORMAT_ETC1A4;
	for (unsigned y = 0; y < height; y++) {
		for (unsigned x = 0; x < width; x++) {
			if (format != PICA_TEXTURE_FORMAT_ETC1 && !alpha) {
				put_texel(format, out, tiled_index(x, y, width, 0),
						px[(size_t)y * width + x]);
			} else if ((x | y) % 8 == 0) {
				size_t tile = tiled_index(x, y, width, 0) / 64;
				put_etc1_tile(alpha, out + tile * (alpha ? 64 : 32),
						&px[(size_t)y * width + x], width);
			}
		}
	}
}
