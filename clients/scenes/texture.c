#include "texture.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/morton.h"
#include "etc1.h"
#include "pica_regs.h"

static unsigned bits_per_texel(uint32_t format) {
	static const uint8_t bits[] = {
		[PICA_TEXTURE_FORMAT_RGBA8] = 32, [PICA_TEXTURE_FORMAT_RGB8] = 24,
		[PICA_TEXTURE_FORMAT_RGB5A1] = 16, [PICA_TEXTURE_FORMAT_RGB565] = 16,
		[PICA_TEXTURE_FORMAT_RGBA4] = 16, [PICA_TEXTURE_FORMAT_IA8] = 16,
		[PICA_TEXTURE_FORMAT_HILO8] = 16, [PICA_TEXTURE_FORMAT_I8] = 8,
		[PICA_TEXTURE_FORMAT_A8] = 8, [PICA_TEXTURE_FORMAT_IA4] = 8,
		[PICA_TEXTURE_FORMAT_I4] = 4, [PICA_TEXTURE_FORMAT_A4] = 4,
		[PICA_TEXTURE_FORMAT_ETC1] = 4, [PICA_TEXTURE_FORMAT_ETC1A4] = 8,
	};
	return bits[format];
}

size_t texture_bytes(uint32_t format, unsigned n, unsigned levels) {
	size_t sum = 0;
	for (unsigned level = 0; level < levels; level++) {
		sum += (size_t)(n >> level) * (n >> level) * bits_per_texel(format) / 8;
	}
	return sum;
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
	const unsigned bits = bits_per_texel(format);
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
static void put_etc1_tile(bool has_alpha, uint8_t *p, const uint8_t (*px)[4], unsigned n) {
	for (unsigned block = 0; block < 4; block++) {
		uint8_t texels[16][4];
		for (unsigned k = 0; k < 16; k++) {
			unsigned x = (block & 1) * 4 + k / 4, y = (block >> 1) * 4 + k % 4;
			memcpy(texels[k], px[(size_t)y * n + x], 4);
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

static void put_level(uint32_t format, uint8_t *out, const uint8_t (*px)[4], unsigned n) {
	bool alpha = format == PICA_TEXTURE_FORMAT_ETC1A4;
	for (unsigned y = 0; y < n; y++) {
		for (unsigned x = 0; x < n; x++) {
			if (format != PICA_TEXTURE_FORMAT_ETC1 && !alpha) {
				put_texel(format, out, tiled_index(x, y, n, 0),
						px[(size_t)y * n + x]);
			} else if ((x | y) % 8 == 0) {
				size_t tile = tiled_index(x, y, n, 0) / 64;
				put_etc1_tile(alpha, out + tile * (alpha ? 64 : 32),
						&px[(size_t)y * n + x], n);
			}
		}
	}
}

uint8_t *texture_create(uint32_t format, unsigned n, unsigned levels, picture_fn *fn) {
	uint8_t *out = calloc(1, texture_bytes(format, n, levels));
	uint8_t (*px)[4] = malloc((size_t)n * n * 4);
	if (!out || !px) {
		free(out);
		free(px);
		return NULL;
	}
	for (unsigned y = 0; y < n; y++) {
		for (unsigned x = 0; x < n; x++) {
			fn(x, y, n, px[(size_t)y * n + x]);
		}
	}
	for (unsigned level = 0; level < levels; level++) {
		unsigned w = n >> level;
		put_level(format, out + texture_bytes(format, n, level), (const uint8_t(*)[4])px,
				w);
		/* Halves the picture in place: each write follows the reads. */
		for (unsigned y = 0; y + 1 < w; y += 2) {
			for (unsigned x = 0; x + 1 < w; x += 2) {
				for (unsigned c = 0; c < 4; c++) {
					unsigned sum = px[(size_t)y * w + x][c] +
							px[(size_t)y * w + x + 1][c] +
							px[(size_t)(y + 1) * w + x][c] +
							px[(size_t)(y + 1) * w + x + 1][c];
					px[(size_t)(y / 2) * (w / 2) + x / 2][c] =
							(uint8_t)((sum + 2) / 4);
				}
			}
		}
	}
	free(px);
	return out;
}
