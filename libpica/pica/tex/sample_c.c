/*
 * Nearest and bilinear sampling, one lane and one tap at a time, straight from
 * [fidelity: wrap, coordinates] with the rounding of docs/fidelity.md 1. Only texels 0..n-1 are
 * read, never the frame that the vector kernels use.
 */
#include "pica/tex/private.h"

/* The texel that indices (i, j) name, wrapped. */
static uint32_t tap(const struct tex_level *level, const struct tex_desc *d, const uint32_t *texels,
		int32_t i, int32_t j) {
	int32_t s = tex_wrap_index(i, (int32_t)level->width, d->wrap_s);
	int32_t t = tex_wrap_index(j, (int32_t)level->height, d->wrap_t);
	if (s == TEX_BORDER || t == TEX_BORDER) {
		return d->border;
	}
	return texels[(size_t)(t + 1) * level->stride_px + (size_t)(s + 1)];
}

/* Published before the level was handed to anyone: see tex_image_level(). */
static const uint32_t *level_texels(const struct tex_level *level) {
	return atomic_load_explicit(&level->texels, memory_order_relaxed);
}

void tex_nearest_c(const struct tex_level *level, const struct tex_desc *d, const float *u,
		const float *v, unsigned n, uint16_t (*out)[BATCH]) {
	const uint32_t *texels = level_texels(level);
	for (unsigned lane = 0; lane < n; lane++) {
		int32_t i = (int32_t)floorf(tex_limit_coord(u[lane] * (float)level->width));
		int32_t j = (int32_t)floorf(tex_limit_coord(v[lane] * (float)level->height));
		uint32_t texel = tap(level, d, texels, i, j);
		for (unsigned c = 0; c < 4; c++) {
			out[c][lane] = texel >> 8 * c & 255;
		}
	}
}

void tex_bilinear_c(const struct tex_level *level, const struct tex_desc *d, const float *u,
		const float *v, unsigned n, uint16_t (*out)[BATCH]) {
	const uint32_t *texels = level_texels(level);
	for (unsigned lane = 0; lane < n; lane++) {
		struct tex_footprint s = tex_footprint(u[lane], level->width);
		struct tex_footprint t = tex_footprint(v[lane], level->height);
		uint32_t c00 = tap(level, d, texels, s.i, t.i);
		uint32_t c10 = tap(level, d, texels, s.i + 1, t.i);
		uint32_t c01 = tap(level, d, texels, s.i, t.i + 1);
		uint32_t c11 = tap(level, d, texels, s.i + 1, t.i + 1);
		for (unsigned c = 0; c < 4; c++) {
			uint32_t sum = (c00 >> 8 * c & 255) * (256 - s.w) * (256 - t.w) +
					(c10 >> 8 * c & 255) * s.w * (256 - t.w) +
					(c01 >> 8 * c & 255) * (256 - s.w) * t.w +
					(c11 >> 8 * c & 255) * s.w * t.w;
			out[c][lane] = (uint16_t)((sum + 0x8000) >> 16);
		}
	}
}

void tex_mip_blend_c(uint16_t (*out)[BATCH], const uint16_t (*a)[BATCH], const uint16_t (*b)[BATCH],
		const uint16_t *f, unsigned n) {
	for (unsigned c = 0; c < 4; c++) {
		for (unsigned lane = 0; lane < n; lane++) {
			uint32_t w = f[lane], sum = a[c][lane] * (256 - w) + b[c][lane] * w;
			out[c][lane] = (uint16_t)((sum + 128) >> 8);
		}
	}
}
