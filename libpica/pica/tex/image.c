/* Decoded images: creation, lazy decoding of levels, reference counts. */
#include "pica/tex/private.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* XXH3_state_t by value */
#include <xxhash.h>

enum {
	MAX_TILE_BYTES = 64 * 4,
	BYTES_A_TICK = 4, /* that are hashed */
	TICKS_A_TEXEL = 2, /* that is decoded */
	LARGE_TEXELS = 2 * TEX_BAND_TEXELS, /* of a level that is not decoded in a pause */
};

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

static uint32_t band_rows(const struct tex_level *level) {
	const uint32_t rows = TEX_BAND_TEXELS / level->width & ~7u;
	return rows < level->height ? rows : level->height;
}

unsigned tex_level_bands(const struct tex_level *level) {
	const uint32_t rows = band_rows(level);
	return (level->height + rows - 1) / rows;
}

static void make_frame(uint32_t *texels, const struct tex_level *level, const struct tex_desc *d) {
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

void tex_band_decode(uint32_t *texels, struct tex_level *level, const struct tex_desc *d,
		const struct tex_source *from, const struct tex_kernels *k, unsigned band) {
	void (*const decode)(uint32_t *, ptrdiff_t, const uint8_t *) = k->decode[d->format];
	const ptrdiff_t stride = (ptrdiff_t)level->stride_px;
	const uint32_t tile_bytes = 64 * tex_format_bits(d->format) / 8;
	const uint32_t rows = band_rows(level), first = band * rows;
	const uint32_t end = level->height - first < rows ? level->height : first + rows;
	uint8_t tile[MAX_TILE_BYTES];
	uint32_t at = first / 8 * (level->width / 8) * tile_bytes;
	XXH3_state_t hash;
	XXH3_INITSTATE(&hash);
	XXH3_64bits_reset_withSeed(&hash, band);

	/* Memory rows count down from t = height - 1.  [fidelity: texel-address] */
	for (uint32_t row = first; row < end; row += 8) {
		uint32_t *dst = texels + (ptrdiff_t)(level->height - row) * stride + 1;
		for (uint32_t col = 0; col < level->width; col += 8) {
			if (from->src) {
				memcpy(tile, from->src + at, tile_bytes);
			} else {
				space_read(from->space, from->addr + at, tile, tile_bytes);
			}
			XXH3_64bits_update(&hash, tile, tile_bytes);
			decode(dst + col, -stride, tile);
			at += tile_bytes;
		}
	}
	atomic_fetch_add_explicit(
			&level->hash, XXH3_64bits_digest(&hash), memory_order_relaxed);
	/* Release what this band wrote; acquire all other bands, before the last one publishes. */
	const unsigned done = atomic_fetch_add_explicit(&level->done, 1, memory_order_acq_rel) + 1;
	if (done == tex_level_bands(level)) {
		make_frame(texels, level, d);
		atomic_store_explicit(&level->texels, texels, memory_order_release);
	}
}

static void set_sizes(struct tex_image *image, const struct tex_desc *d) {
	for (unsigned i = 0; i <= d->max_level; i++) {
		struct tex_level *level = &image->level[i];
		level->width = (uint32_t)d->width >> i;
		level->height = (uint32_t)d->height >> i;
		level->stride_px = level->width + 2;
	}
}

/* Words before the texels of a level in its image's block. */
static size_t level_start(const struct tex_image *image, unsigned number) {
	size_t words = 0;
	for (unsigned i = 0; i < number; i++) {
		words += tex_level_words(&image->level[i]);
	}
	return words;
}

size_t tex_image_bytes(const struct tex_desc *d) {
	struct tex_image image;
	set_sizes(&image, d);
	return sizeof(image) + level_start(&image, d->max_level + 1u) * sizeof(uint32_t);
}

struct tex_image *tex_image_alloc(struct pica_memory *memory, size_t bytes) {
	struct tex_image *image = memory_alloc(memory, sizeof(*image));
	if (image) {
		image->bytes = bytes;
		image->block = memory_alloc(memory, bytes - sizeof(*image));
	}
	if (image && !image->block) {
		memory_free(memory, image, sizeof(*image));
		return NULL;
	}
	return image;
}

void tex_image_evict(struct tex_image *image, struct pica_memory *memory) {
	memory_free(memory, image->block, image->bytes - sizeof(*image));
	image->block = NULL;
	for (unsigned i = 0; i < TEX_MAX_LEVELS; i++) {
		atomic_init(&image->level[i].texels, NULL);
		atomic_init(&image->level[i].begun, 0);
		atomic_init(&image->level[i].done, 0);
		atomic_init(&image->level[i].hash, 0);
	}
}

void tex_image_free(struct tex_image *image, struct pica_memory *memory) {
	memory_free(memory, image->block, image->bytes - sizeof(*image));
	memory_free(memory, image, sizeof(*image));
}

struct tex_image *tex_image_make(struct tex_cache *c, const struct tex_desc *d,
		const struct space *space, bool copy) {
	if (!d->valid) {
		return NULL;
	}
	struct tex_image made = { .space = space, .cache = c, .stamp = space->clock,
		.checked = space->clock, .epoch = c ? c->epoch : 0 };
	const uint32_t src_bytes = tex_size_bytes(d);
	const size_t bytes = tex_image_bytes(d);
	atomic_init(&made.refs, 1);
	tex_image_key(&made.desc, d);
	set_sizes(&made, d);
	made.bytes = bytes + (copy ? src_bytes : 0);
	struct tex_image *image = c ? tex_cache_take(c, made.bytes) :
				      tex_image_alloc(NULL, made.bytes);
	if (!image) {
		return NULL;
	}
	made.block = image->block;
	made.src = space_host(space, d->addr, src_bytes);
	if (copy) {
		uint8_t *at = (uint8_t *)made.block + (bytes - sizeof(*image));
		space_read(space, d->addr, at, src_bytes);
		made.src = at;
	}
	*image = made;
	return image;
}

struct tex_image *tex_image_create(const struct tex_desc *d, const struct space *space, bool copy) {
	return tex_image_make(NULL, d, space, copy);
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
	if (image->cache) {
		tex_cache_give(image->cache, image);
	} else {
		tex_image_free(image, NULL);
	}
}

static bool is_decoded(const struct tex_level *level) {
	/* Acquire; pairs with the release of the thread that published the texels. */
	return atomic_load_explicit(&level->texels, memory_order_acquire);
}

/* Decodes a band. If all are in progress, waits for their threads, which never pause. */
static void decode_more(struct tex_image *image, unsigned number, const struct tex_kernels *k) {
	struct tex_level *level = &image->level[number];
	if (atomic_load_explicit(&level->begun, memory_order_relaxed) >= tex_level_bands(level)) {
		sched_yield();
		return;
	}
	const unsigned band = atomic_fetch_add_explicit(&level->begun, 1, memory_order_relaxed);
	if (band >= tex_level_bands(level)) {
		return;
	}
	/* Read now, in the order of the passes, and not when the image was made. */
	const uint32_t offset = tex_level_offset(&image->desc, number);
	const struct tex_source from = { image->src ? image->src + offset : NULL, image->space,
		image->desc.addr + offset };
	tex_band_decode(image->block + level_start(image, number), level, &image->desc, &from, k,
			band);
}

const struct tex_level *tex_image_level(struct tex_image *image, unsigned number,
		const struct tex_kernels *k) {
	assert(number <= image->desc.max_level);
	while (!is_decoded(&image->level[number])) {
		decode_more(image, number, k);
	}
	return &image->level[number];
}

bool tex_prepare(const struct tex_kernels *k, const struct tex_desc *d, struct tex_image *image,
		struct slice *slice) {
	if (!image || !d->enabled || !d->valid) {
		return true;
	}
	/* As tex_choose() does; a shadow map has only the first one. */
	const bool is_shadow = tex_type_is_shadow((enum tex_type)d->type);
	const unsigned last = is_shadow ? 0 : image->desc.max_level;
	for (unsigned i = d->min_level < last ? d->min_level : last; i <= last; i++) {
		const struct tex_level *level = &image->level[i];
		while (level->width * level->height > LARGE_TEXELS && !is_decoded(level)) {
			decode_more(image, i, k);
			if (slice_over(slice, TICKS_A_TEXEL * TEX_BAND_TEXELS)) {
				return false;
			}
		}
	}
	return true;
}

/* Returns the sum over the bands, between which the command thread may pause. */
static uint64_t hash_source(const struct tex_cache *c, const struct tex_image *image,
		unsigned number) {
	const struct tex_level *level = &image->level[number];
	const uint8_t *src = image->src + tex_level_offset(&image->desc, number);
	const uint32_t size = tex_level_size(&image->desc, number);
	const uint32_t band_bytes = band_rows(level) * level->width *
			tex_format_bits(image->desc.format) / 8;
	uint64_t sum = 0;
	for (uint32_t at = 0, band = 0; at < size; at += band_bytes, band++) {
		const uint32_t n = size - at < band_bytes ? size - at : band_bytes;
		sum += XXH3_64bits_withSeed(src + at, n, band);
		if (c->tick) {
			c->tick(c->owner, n / BYTES_A_TICK);
		}
	}
	return sum;
}

bool tex_image_matches(const struct tex_cache *c, struct tex_image *image) {
	for (unsigned i = 0; i <= image->desc.max_level; i++) {
		const struct tex_level *level = &image->level[i];
		/* A level not begun will be decoded from the present bytes. */
		if (!atomic_load_explicit(&level->begun, memory_order_acquire)) {
			continue;
		}
		if (!image->src || !is_decoded(level)) {
			return false;
		}
		/* The level may be evicted in a pause. */
		const uint64_t decoded = atomic_load_explicit(&level->hash, memory_order_relaxed);
		if (hash_source(c, image, i) != decoded) {
			return false;
		}
	}
	return true;
}
