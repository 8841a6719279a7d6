#include "texture.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/morton.h"
#include "etc1.h"
#include "pica_regs.h"

static unsigned bits_per_texel(uint32_t format) {
	switch (format) {
	case PICA_TEXTURE_FORMAT_RGBA8:
		return 32;
	case PICA_TEXTURE_FORMAT_RGB8:
		return 24;
	case PICA_TEXTURE_FORMAT_RGB5A1:
	case PICA_TEXTURE_FORMAT_RGB565:
	case PICA_TEXTURE_FORMAT_RGBA4:
	case PICA_TEXTURE_FORMAT_IA8:
	case PICA_TEXTURE_FORMAT_HILO8:
		return 16;
	case PICA_TEXTURE_FORMAT_I4:
	case PICA_TEXTURE_FORMAT_A4:
	case PICA_TEXTURE_FORMAT_ETC1:
		return 4;
	default:
		return 8;
	}
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

/* Texel number index of a level. [fidelity: texel-formats] */
static void put_texel(uint32_t format, uint8_t *level, size_t index, const uint8_t c[4]) {
	unsigned r = c[0], g = c[1], b = c[2], a = c[3], word = 0;
	uint8_t *p = level + index * bits_per_texel(format) / 8;
	switch (format) {
	case PICA_TEXTURE_FORMAT_RGBA8:
		p[0] = c[3];
		p[1] = c[2];
		p[2] = c[1];
		p[3] = c[0];
		return;
	case PICA_TEXTURE_FORMAT_RGB8:
		p[0] = c[2];
		p[1] = c[1];
		p[2] = c[0];
		return;
	case PICA_TEXTURE_FORMAT_RGB5A1:
		word = (r >> 3) << 11 | (g >> 3) << 6 | (b >> 3) << 1 | a >> 7;
		break;
	case PICA_TEXTURE_FORMAT_RGB565:
		word = (r >> 3) << 11 | (g >> 2) << 5 | b >> 3;
		break;
	case PICA_TEXTURE_FORMAT_RGBA4:
		word = (r >> 4) << 12 | (g >> 4) << 8 | (b >> 4) << 4 | a >> 4;
		break;
	case PICA_TEXTURE_FORMAT_IA8:
		word = intensity(c) << 8 | a;
		break;
	case PICA_TEXTURE_FORMAT_HILO8:
		word = r << 8 | g;
		break;
	case PICA_TEXTURE_FORMAT_I8:
		p[0] = (uint8_t)intensity(c);
		return;
	case PICA_TEXTURE_FORMAT_A8:
		p[0] = c[3];
		return;
	case PICA_TEXTURE_FORMAT_IA4:
		p[0] = (uint8_t)((intensity(c) >> 4) << 4 | a >> 4);
		return;
	case PICA_TEXTURE_FORMAT_I4:
	case PICA_TEXTURE_FORMAT_A4: {
		unsigned nibble = (format == PICA_TEXTURE_FORMAT_A4 ? a : intensity(c)) >> 4;
		*p = (uint8_t)(index & 1 ? (*p & 0x0F) | nibble << 4 : (*p & 0xF0) | nibble);
		return;
	}
	default:
		return;
	}
	p[0] = (uint8_t)word;
	p[1] = (uint8_t)(word >> 8);
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
		/* Halves the picture where it lies: what is written was read before. */
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
