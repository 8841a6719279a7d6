/* Shared by the files of tex/: wrapping, the layout of a level, the C kernels. */
#ifndef TEX_PRIVATE_H
#define TEX_PRIVATE_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "pica/tex/tex.h"

/* Wrap modes of one axis; 6 and 7 are repeat.  [fidelity: wrap, HW for 4 to 7] */
enum tex_wrap {
	TEX_WRAP_EDGE,
	TEX_WRAP_BORDER,
	TEX_WRAP_REPEAT,
	TEX_WRAP_MIRROR,
	TEX_WRAP_REPEAT_EDGE,   /* repeat below 0, edge from n on */
	TEX_WRAP_REPEAT_BORDER, /* repeat below 0, border from n on */
	TEX_WRAP_COUNT,
};

/* Returned by tex_wrap_index() for the border colour. */
enum { TEX_BORDER = -1 };

/* Returns a mod n, floored, for n > 0. */
static inline int32_t tex_mod(int32_t a, int32_t n) {
	int32_t r = a % n;
	return r < 0 ? r + n : r;
}

/*
 * Returns the texel, 0..n-1, for integer index i on an axis of n texels, or TEX_BORDER.
 * [fidelity: wrap]
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

/* Returns whether an axis in this mode can give the border colour. */
static inline int tex_wrap_has_border(unsigned mode) {
	return mode == TEX_WRAP_BORDER || mode == TEX_WRAP_REPEAT_BORDER;
}

/* Coordinates are clamped to +-2^30 texels, so that indices and their sums fit.  [fidelity.md 1] */
#define TEX_COORD_LIMIT 1073741824.0f

/* Returns 0 if x is not finite, else x clamped.  [fidelity.md 1] */
static inline float tex_limit_coord(float x) {
	if (!(fabsf(x) <= FLT_MAX)) {
		return 0.0f;
	}
	x = x > -TEX_COORD_LIMIT ? x : -TEX_COORD_LIMIT;
	return x < TEX_COORD_LIMIT ? x : TEX_COORD_LIMIT;
}

/*
 * The first tap of an axis, and the weight of the second tap in 1/256, 0..256 (256: the fraction
 * rounded up to 1).
 */
struct tex_footprint {
	int32_t i;
	uint32_t w;
};

static inline struct tex_footprint tex_footprint(float coord, uint32_t size) {
	float x = tex_limit_coord(coord * (float)size - 0.5f);
	float whole = floorf(x);
	return (struct tex_footprint){ (int32_t)whole, (uint32_t)((x - whole) * 256.0f) };
}

/* Returns the size of one level in memory, in bytes. [fidelity: texel-address] */
uint32_t tex_level_size(const struct tex_desc *d, unsigned level);
/* Returns the offset of a level from the start of level 0. */
uint32_t tex_level_offset(const struct tex_desc *d, unsigned level);

/* Copies the part of d that determines the texels, in canonical form; all other members are 0. */
void tex_image_key(struct tex_desc *key, const struct tex_desc *d);

/*
 * Returns the size of the padded copy in words: rows -1..height of columns -1..width, without gaps
 * between rows, so that texel (s, t) is at (t + 1) * stride_px + s + 1. Texel s is column s; texel
 * t = 0 is the last memory row. The frame holds the texels that tex_wrap_index() returns for
 * indices -1 and n. One extra word follows, which may be read as the neighbour of the last word.
 */
size_t tex_level_words(const struct tex_level *level);
/* The source of the bytes of a level: src, or addr in the space if src is NULL. */
struct tex_source {
	const uint8_t *src;
	const struct space *space;
	uint32_t addr;
};
/* A level is decoded in bands of tile rows, in any order. */
enum { TEX_BAND_TEXELS = 16384 };
unsigned tex_level_bands(const struct tex_level *level);
/*
 * Decodes one band. Reads each byte once, because the client may still be writing. Adds the XXH3 of
 * the bytes read, seeded with the band number, to the level's hash. The last band makes the frame
 * and publishes the texels.
 */
void tex_band_decode(uint32_t *texels, struct tex_level *level, const struct tex_desc *d,
		const struct tex_source *from, const struct tex_kernels *k, unsigned band);

/* As tex_image_create(), with memory from cache c; c may be NULL. */
struct tex_image *tex_image_make(struct tex_cache *c, const struct tex_desc *d,
		const struct space *space, bool copy);
/*
 * Returns whether the decoded levels still match the bytes in memory. A level that a worker is
 * decoding counts as no match, so that the caller never waits for it. Calls c->tick for the bytes
 * that it reads.
 */
bool tex_image_matches(const struct tex_cache *c, struct tex_image *image);
/* Returns the size in bytes of an image without a copy. */
size_t tex_image_bytes(const struct tex_desc *d);
/* Returns memory for an image of `bytes` bytes, charged to memory, or NULL. */
struct tex_image *tex_image_alloc(struct pica_memory *memory, size_t bytes);
void tex_image_free(struct tex_image *image, struct pica_memory *memory);
/* Frees the block. Afterwards no level is decoded. */
void tex_image_evict(struct tex_image *image, struct pica_memory *memory);
/* Returns memory for an image of `bytes` bytes, or NULL. */
struct tex_image *tex_cache_take(struct tex_cache *c, size_t bytes);
/* Takes back an image that is no longer referenced: frees it or keeps it as spare memory. */
void tex_cache_give(struct tex_cache *c, struct tex_image *image);

/* Plain C kernels: the reference for the vector kernels, and their fallback. */
#define TEX_FORMAT(id, name, bits) \
	void tex_decode_##name##_c(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src);
#include "pica/tex/formats.def"
#undef TEX_FORMAT
void tex_nearest_c(const struct tex_level *level, const struct tex_desc *d, const float *u,
		const float *v, unsigned n, uint16_t (*out)[BATCH]);
void tex_bilinear_c(const struct tex_level *level, const struct tex_desc *d, const float *u,
		const float *v, unsigned n, uint16_t (*out)[BATCH]);
void tex_mip_blend_c(uint16_t (*out)[BATCH], const uint16_t (*a)[BATCH], const uint16_t (*b)[BATCH],
		const uint16_t *f, unsigned n);

void tex_project_c(float *s, float *t, const float *u, const float *v, const float *w, unsigned n);
uint32_t tex_cube_c(struct tex_direction *to, const float *u, const float *v, const float *w,
		unsigned n);
void tex_shadow_c(const struct tex_level *level, const struct tex_desc *d, const float *s,
		const float *t, const float *z, unsigned n, uint16_t (*out)[BATCH]);

/* ---- sample.c ---- */

/* The levels that one quad samples: level, blended with next by fraction if fraction > 0. */
struct tex_choice {
	uint8_t linear;
	uint8_t level, next;
	uint8_t pad;
	uint16_t fraction; /* in 1/256, 0..255 */
};

/* Returns whether every quad samples level 0 with the same filter, so no choice is needed. */
static inline bool tex_is_one_level(const struct tex_desc *d) {
	return d->max_level == 0 && d->mag_linear == d->min_linear;
}

/* Returns the choice for the quad whose coordinates are u[0..3], v[0..3]. */
struct tex_choice tex_choose(const struct tex_desc *d, const float *u, const float *v);
/* Returns whether addr has texels to sample; if not, fills out with the replacement. */
bool tex_has_texels(const struct tex_desc *d, uint32_t addr, const struct tex_image *image,
		unsigned n, uint16_t (*out)[BATCH]);
/* Samples n lanes of one level with one filter. */
void tex_sample_level(const struct tex_kernels *k, const struct tex_desc *d,
		struct tex_image *image, unsigned number, bool linear, const float *u,
		const float *v, unsigned n, uint16_t (*out)[BATCH]);
/* Samples with filter and levels chosen per quad. The image must have texels. */
void tex_sample_image(const struct tex_kernels *k, const struct tex_desc *d,
		struct tex_image *image, const float *u, const float *v, unsigned n,
		uint16_t (*out)[BATCH]);
void tex_clear(uint16_t (*out)[BATCH], unsigned n, uint16_t alpha);

#endif
