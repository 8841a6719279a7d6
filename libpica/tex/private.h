/* Shared by the files of tex/: wrapping, the layout of a level, the C kernels. */
#ifndef TEX_PRIVATE_H
#define TEX_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

#include "tex/tex.h"

/* Wrap modes of one axis; 6 and 7 are repeat.  [spec/frag-textures.md 6, HW for 4 to 7] */
enum tex_wrap {
	TEX_WRAP_EDGE,
	TEX_WRAP_BORDER,
	TEX_WRAP_REPEAT,
	TEX_WRAP_MIRROR,
	TEX_WRAP_REPEAT_EDGE,   /* repeat below 0, edge from n on */
	TEX_WRAP_REPEAT_BORDER, /* repeat below 0, border from n on */
	TEX_WRAP_COUNT,
};

/* What tex_wrap_index() answers when the texel is the border colour. */
enum { TEX_BORDER = -1 };

/* a mod n, floored, for n > 0. */
static inline int32_t tex_mod(int32_t a, int32_t n) {
	int32_t r = a % n;
	return r < 0 ? r + n : r;
}

/*
 * The texel that integer index i of an axis of n texels names, 0..n-1, or TEX_BORDER.
 * [spec/frag-textures.md 6]
 */
static inline int32_t tex_wrap_index(int32_t i, int32_t n, unsigned mode) {
	switch (mode) {
	case TEX_WRAP_EDGE:
		return i < 0 ? 0 : i >= n ? n - 1 : i;
	case TEX_WRAP_BORDER:
		return i < 0 || i >= n ? (int32_t)TEX_BORDER : i;
	case TEX_WRAP_MIRROR: {
		int32_t c = tex_mod(i, 2 * n);
		return c < n ? c : 2 * n - 1 - c;
	}
	case TEX_WRAP_REPEAT_EDGE:
		return i >= n ? n - 1 : tex_mod(i, n);
	case TEX_WRAP_REPEAT_BORDER:
		return i >= n ? (int32_t)TEX_BORDER : tex_mod(i, n);
	default: /* repeat, and 6 and 7, which are the same */
		return tex_mod(i, n);
	}
}

/* Whether an axis in this mode can answer with the border colour. */
static inline int tex_wrap_has_border(unsigned mode) {
	return mode == TEX_WRAP_BORDER || mode == TEX_WRAP_REPEAT_BORDER;
}

/* Coordinates are clamped to +-2^30 texels, so that indices and their sums fit.  [fidelity.md 1] */
#define TEX_COORD_LIMIT 1073741824.0f

/* Bytes of one level in memory and the offset of its first one.  [spec/frag-textures.md 4] */
uint32_t tex_level_size(const struct tex_desc *d, unsigned level);
uint32_t tex_level_offset(const struct tex_desc *d, unsigned level);

/* The part of d that decides the texels of an image: everything else is 0, values are canonical. */
void tex_image_key(struct tex_desc *key, const struct tex_desc *d);

/*
 * Words of the padded copy: rows -1..height of columns -1..width, row after row without gaps, so
 * that texel (s, t) lies at (t + 1) * stride_px + s + 1. Texel s is column s, texel t = 0 is the
 * last memory row; the frame holds what tex_wrap_index() answers for indices -1 and n. One word
 * follows that may be read as the neighbour of the last one.
 */
size_t tex_level_words(const struct tex_level *level);
void tex_level_decode(uint32_t *texels, const struct tex_level *level, const struct tex_desc *d,
		const uint8_t *src, const struct tex_kernels *k);

/* Plain C kernels: the truth, and where the vector ones send what they do not do. */
#define TEX_FORMAT(id, name, bits) \
	void tex_decode_##name##_c(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src);
#include "tex/formats.def"
#undef TEX_FORMAT
void tex_nearest_c(const struct tex_level *level, const struct tex_desc *d, const float *u,
		const float *v, unsigned n, uint16_t (*out)[BATCH]);
void tex_bilinear_c(const struct tex_level *level, const struct tex_desc *d, const float *u,
		const float *v, unsigned n, uint16_t (*out)[BATCH]);
void tex_mip_blend_c(uint16_t (*out)[BATCH], const uint16_t (*a)[BATCH], const uint16_t (*b)[BATCH],
		const uint16_t *f, unsigned n);

/* The slots that sample_v.c fills; called by tex_kernels_init_<isa>(), which lies in decode_v.c. */
void tex_sample_kernels_init_sse41(struct tex_kernels *k);
void tex_sample_kernels_init_emul(struct tex_kernels *k);

#endif
