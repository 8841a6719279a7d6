/* Decoded images: creation, lazy decoding of levels, reference counts. */
#include "pica/tex/private.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void tex_image_key(struct tex_desc *key, const struct tex_desc *d) {
	memset(key, 0, sizeof(*key));
	key->addr = d->addr;
	key->width = d->width;
	key->height = d->height;
	key->format = d->format;
	key->valid = d->valid;
	key->max_level = d->max_level;
	key->wrap_s = d->wrap_s < TEX_WRAP_COUNT ? d->wrap_s : (uint8_t)TEX_WRAP_REPEAT;
	key->wrap_t = d->wrap_t < TEX_WRAP_COUNT ? d->wrap_t : (uint8_t)TEX_WRAP_REPEAT;
	if (tex_wrap_has_border(d->wrap_s) || tex_wrap_has_border(d->wrap_t)) {
		key->border = d->border;
	}
}

size_t tex_level_words(const struct tex_level *level) {
	return (size_t)level->stride_px * (level->height + 2) + 1;
}

/* The frame texel at position (s, t), each -1..n: the border colour, or the texel it repeats. */
static void frame_texel(uint32_t *texels, const struct tex_level *level, const struct tex_desc *d,
		int32_t s, int32_t t) {
	const size_t stride = level->stride_px;
	int32_t from_s = tex_wrap_index(s, (int32_t)level->width, d->wrap_s);
	int32_t from_t = tex_wrap_index(t, (int32_t)level->height, d->wrap_t);
	uint32_t texel = d->border;
	if (from_s != TEX_BORDER && from_t != TEX_BORDER) {
		texel = texels[(size_t)(from_t + 1) * stride + (size_t)(from_s + 1)];
	}
	texels[(size_t)(t + 1) * stride + (size_t)(s + 1)] = texel;
}

void tex_level_decode(uint32_t *texels, const struct tex_level *level, const struct tex_desc *d,
		const uint8_t *src, const struct tex_kernels *k) {
	void (*const decode)(uint32_t *, ptrdiff_t, const uint8_t *) = k->decode[d->format];
	const ptrdiff_t stride = (ptrdiff_t)level->stride_px;
	const size_t tile_bytes = 64 / 8 * tex_format_bits(d->format);

	/* Memory rows count down from t = height - 1.  [fidelity: texel-address] */
	for (uint32_t row = 0; row < level->height; row += 8) {
		uint32_t *dst = texels + (ptrdiff_t)(level->height - row) * stride + 1;
		for (uint32_t col = 0; col < level->width; col += 8) {
			decode(dst + col, -stride, src);
			src += tile_bytes;
		}
	}

	const int32_t w = (int32_t)level->width, h = (int32_t)level->height;
	for (int32_t s = -1; s <= w; s++) {
		frame_texel(texels, level, d, s, -1);
		frame_texel(texels, level, d, s, h);
	}
	for (int32_t t = 0; t < h; t++) {
		frame_texel(texels, level, d, -1, t);
		frame_texel(texels, level, d, w, t);
	}
	texels[tex_level_words(level) - 1] = 0;
}

struct tex_image *tex_image_create(const struct tex_desc *d, const struct space *space, bool copy) {
	if (!d->valid) {
		return NULL;
	}
	struct tex_image *image = calloc(1, sizeof(*image));
	if (!image) {
		return NULL;
	}
	atomic_init(&image->refs, 1);
	atomic_init(&image->failed, 0);
	tex_image_key(&image->desc, d);
	image->stamp = image->checked = space->clock;

	const uint32_t src_bytes = tex_size_bytes(d);
	image->space = space;
	image->src = space_host(space, d->addr, src_bytes);
	image->bytes = sizeof(*image);
	if (copy) {
		image->src_copy = malloc(src_bytes);
		if (!image->src_copy) {
			free(image);
			return NULL;
		}
		space_read(space, d->addr, image->src_copy, src_bytes);
		image->src = image->src_copy;
		image->bytes += src_bytes;
	}
	for (unsigned i = 0; i <= d->max_level; i++) {
		struct tex_level *level = &image->level[i];
		level->width = (uint32_t)d->width >> i;
		level->height = (uint32_t)d->height >> i;
		level->stride_px = level->width + 2;
		atomic_init(&level->texels, NULL);
		image->bytes += tex_level_words(level) * sizeof(uint32_t);
	}
	return image;
}

struct tex_image *tex_image_get(struct tex_image *image) {
	atomic_fetch_add_explicit(&image->refs, 1, memory_order_relaxed);
	return image;
}

void tex_image_put(struct tex_image *image) {
	/* Release what this holder did; acquire what all others did, before the last one frees. */
	if (!image || atomic_fetch_sub_explicit(&image->refs, 1, memory_order_acq_rel) != 1) {
		return;
	}
	for (unsigned i = 0; i < TEX_MAX_LEVELS; i++) {
		free(atomic_load_explicit(&image->level[i].texels, memory_order_relaxed));
	}
	free(image->src_copy);
	free(image);
}

/* Decodes a level from where its memory is now; -ENOMEM. */
static int decode_level(uint32_t *texels, const struct tex_image *image, unsigned number,
		const struct tex_kernels *k) {
	const struct tex_level *level = &image->level[number];
	const uint32_t offset = tex_level_offset(&image->desc, number);
	if (image->src) {
		tex_level_decode(texels, level, &image->desc, image->src + offset, k);
		return 0;
	}
	/* Not in one window. Read now, in the order of the passes, not when the image was made. */
	const uint32_t size = tex_level_size(&image->desc, number);
	uint8_t *src = malloc(size);
	if (!src) {
		return -ENOMEM;
	}
	space_read(image->space, image->desc.addr + offset, src, size);
	tex_level_decode(texels, level, &image->desc, src, k);
	free(src);
	return 0;
}

const struct tex_level *tex_image_level(struct tex_image *image, unsigned number,
		const struct tex_kernels *k) {
	assert(number <= image->desc.max_level);
	struct tex_level *level = &image->level[number];
	/* Acquire; pairs with the release of the worker that published the texels. */
	if (atomic_load_explicit(&level->texels, memory_order_acquire)) {
		return level;
	}
	uint32_t *texels = malloc(tex_level_words(level) * sizeof(*texels));
	if (!texels || decode_level(texels, image, number, k) < 0) {
		free(texels);
		atomic_fetch_add_explicit(&image->failed, 1, memory_order_relaxed);
		return NULL;
	}
	/* Two workers may have decoded the same texels: the first one's stay. */
	uint32_t *expected = NULL;
	if (!atomic_compare_exchange_strong_explicit(&level->texels, &expected, texels,
			    memory_order_release, memory_order_acquire)) {
		free(texels);
	}
	return level;
}
