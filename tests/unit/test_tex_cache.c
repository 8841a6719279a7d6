/* The texture cache: hits, eviction, comparison with memory. */
#include <string.h>

#include "core/sched/slice.h"
#include "tex_rig.h"
#include "tests/suite.h"

FIXTURE(setup, teardown)

TEST(cache_is_valid_while_its_pages_are) {
	struct tex_cache c;
	tex_cache_init(&c, 1 << 20, NULL);
	struct tex_desc d = texture(0, 32, 32); /* 4096 bytes: one page */
	struct tex_image *a = tex_cache_get(&c, &d, &space);
	struct tex_image *b = tex_cache_get(&c, &d, &space);
	ck_assert_ptr_eq(a, b);
	tex_image_put(b);

	space_touch(&space, (struct range){ MEM + 4096, 4096 }, 0); /* the next page */
	b = tex_cache_get(&c, &d, &space);
	ck_assert_ptr_eq(a, b);
	tex_image_put(b);

	struct tex_kernels k = c_kernels();
	ck_assert_uint_eq(sample_one(&k, &d, a, 0, 0), 0);
	uint8_t white[4096];
	memset(white, 0xFF, sizeof(white));
	space_write(&space, MEM, white, sizeof(white));
	b = tex_cache_get(&c, &d, &space);
	ck_assert_ptr_ne(a, b); /* and a, which a pass may still hold, keeps its texels */
	ck_assert_uint_eq(sample_one(&k, &d, a, 0, 0), 0);
	ck_assert_uint_eq(sample_one(&k, &d, b, 0, 0), 0xFFFFFFFF);
	ck_assert_uint_eq(c.decoded, 2);
	ck_assert_int_eq(atomic_load(&a->refs), 1);

	space_touch(&space, (struct range){ MEM, 1 }, 7);
	struct tex_image *third = tex_cache_get(&c, &d, &space);
	ck_assert_ptr_ne(third, b);
	ck_assert_uint_eq(c.bytes, third->bytes);
	tex_cache_finish(&c);
	ck_assert_int_eq(atomic_load(&third->refs), 1);
	tex_image_put(a);
	tex_image_put(b);
	tex_image_put(third);
}

TEST(cache_follows_the_windows) {
	struct tex_cache c;
	tex_cache_init(&c, 1 << 20, NULL);
	struct tex_kernels k = c_kernels();
	struct tex_desc d = texture(0, 8, 8);
	d.addr = 0x20000000;
	struct tex_image *none = tex_cache_get(&c, &d, &space);
	ck_assert_uint_eq(sample_one(&k, &d, none, 0, 0), 0);
	ck_assert_int_eq(space_map(&space, 0x20000000, 0x1000, NULL, 0), 0);
	memset(space_host(&space, 0x20000000, 4), 0x44, 256);
	struct tex_image *mapped = tex_cache_get(&c, &d, &space);
	ck_assert_ptr_ne(none, mapped);
	tex_image_put(mapped); /* never decoded: still points into the window */
	ck_assert_int_eq(space_unmap(&space, 0x20000000), 0);
	struct tex_image *again = tex_cache_get(&c, &d, &space);
	ck_assert_uint_eq(sample_one(&k, &d, again, 0, 0), 0);
	tex_image_put(none);
	tex_image_put(again);
	tex_cache_finish(&c);
}

TEST(cache_key_holds_all_state_of_texels) {
	struct tex_cache c;
	tex_cache_init(&c, 1 << 20, NULL);
	struct tex_desc d = texture(0, 32, 32);
	struct tex_image *first = tex_cache_get(&c, &d, &space);
	struct tex_desc same = d;
	same.border = 0x11223344; /* no mode uses it */
	same.mag_linear = same.mip_linear = 1;
	same.lod_bias = 99;
	same.min_level = 3;
	same.coord_set = 2;
	same.wrap_s = 6; /* repeat */
	struct tex_image *image = tex_cache_get(&c, &same, &space);
	ck_assert_ptr_eq(image, first);
	tex_image_put(image);

	for (unsigned i = 0; i < 8; i++) {
		struct tex_desc other = d;
		switch (i) {
		case 0: other.addr += 8; break;
		case 1: other.width = 16; break;
		case 2: other.height = 16; break;
		case 3: other.format = 2; break;
		case 4: other.wrap_s = 0; break;
		case 5: other.wrap_t = 1; break;
		case 6: other.wrap_t = 1; other.border = 5; break;
		default: other.max_level = 2; break;
		}
		image = tex_cache_get(&c, &other, &space);
		ck_assert_ptr_ne(image, first);
		ck_assert_uint_eq(c.decoded, i + 2);
		tex_image_put(image);
	}
	tex_image_put(first);
	tex_cache_finish(&c);
	ck_assert_uint_eq(c.bytes, 0);
}

TEST(cache_evicts_the_oldest) {
	struct tex_cache c;
	struct tex_desc d = texture(0, 32, 32);
	struct tex_image *probe = tex_image_create(&d, &space, false);
	const size_t one = probe->bytes;
	ck_assert_uint_ge(one, 34 * 34 * 4);
	tex_image_put(probe);

	tex_cache_init(&c, 3 * one, NULL);
	struct tex_image *image[4];
	for (unsigned i = 0; i < 3; i++) {
		d.addr = MEM + 4096 * i;
		image[i] = tex_cache_get(&c, &d, &space);
	}
	tex_image_put(image[1]);
	tex_image_put(image[2]);
	d.addr = MEM + 4096; /* 1 becomes younger than 2 */
	tex_image_put(tex_cache_get(&c, &d, &space));
	d.addr = MEM + 4096 * 3;
	image[3] = tex_cache_get(&c, &d, &space); /* 0 is evicted, although it is held */
	ck_assert_uint_eq(c.bytes, 3 * one);
	ck_assert_uint_eq(c.decoded, 4);
	ck_assert_int_eq(atomic_load(&image[0]->refs), 1);
	ck_assert_uint_eq(image[0]->desc.addr, MEM);
	d.addr = MEM + 4096;
	tex_image_put(tex_cache_get(&c, &d, &space));
	ck_assert_uint_eq(c.decoded, 4);
	d.addr = MEM;
	image[1] = tex_cache_get(&c, &d, &space); /* another version; 2 goes */
	ck_assert_uint_eq(c.decoded, 5);
	ck_assert_ptr_ne(image[0], image[1]);
	d.addr = MEM + 4096 * 2;
	image[2] = tex_cache_get(&c, &d, &space);
	ck_assert_uint_eq(c.decoded, 6);
	ck_assert_uint_eq(c.bytes, 3 * one);
	for (unsigned i = 0; i < 4; i++) {
		tex_image_put(image[i]);
	}
	tex_cache_clear(&c);
	ck_assert_uint_eq(c.bytes, 0);
	ck_assert_ptr_null(c.oldest);
	ck_assert_ptr_null(c.newest);
	tex_cache_finish(&c);
}

/* ---- Suspect images ---- */

static struct tex_cache cache;

static void open_cache(void) {
	setup();
	tex_cache_init(&cache, 1 << 20, NULL);
}

static void close_cache(void) {
	tex_cache_finish(&cache);
	teardown();
}

FIXTURE(open_cache, close_cache)

/* The image that a draw gets now. The cache alone holds it. */
static struct tex_image *find(const struct tex_desc *d) {
	struct tex_image *image = tex_cache_get(&cache, d, &space);
	tex_image_put(image);
	return image;
}

TEST(suspect_image_stays_while_its_bytes_are_the_same) {
	struct tex_kernels k = c_kernels();
	struct tex_desc d = four_levels();
	struct tex_image *image = find(&d);
	tex_cache_suspect(&cache, 1);
	ck_assert_ptr_eq(find(&d), image); /* nothing is decoded, nothing can be wrong */
	tex_image_level(image, 0, &k);
	tex_image_level(image, 2, &k);
	mem[tex_level_offset(&d, 1)] ^= 1;
	tex_cache_suspect(&cache, 2);
	ck_assert_ptr_eq(find(&d), image); /* level 1 will be decoded as it is now */
	ck_assert_uint_eq(texel(tex_image_level(image, 1, &k), 0, 31), 20 | 1u << 24);
	ck_assert_uint_eq(cache.decoded, 1);
	ck_assert_uint_eq(cache.read, 3);
}

TEST(suspect_image_is_dropped_when_a_decoded_level_differs) {
	struct tex_kernels k = c_kernels();
	struct tex_desc d = four_levels();
	for (unsigned n = 0; n < 4; n++) {
		struct tex_image *held = tex_cache_get(&cache, &d, &space);
		const uint32_t before = texel(tex_image_level(held, n, &k), 0, 0);
		memset(mem + tex_level_offset(&d, n), (int)n, tex_level_size(&d, n));
		ck_assert_ptr_eq(find(&d), held);
		tex_cache_suspect(&cache, n + 1);
		struct tex_image *image = find(&d);
		ck_assert_ptr_ne(image, held);
		ck_assert_uint_eq(texel(tex_image_level(held, n, &k), 0, 0), before);
		ck_assert_uint_eq(texel(tex_image_level(image, n, &k), 0, 0), n * 0x01010101);
		tex_image_put(held);
	}
	ck_assert_uint_eq(cache.decoded, 5);
}

TEST(images_are_compared_once_a_job) {
	struct tex_kernels k = c_kernels();
	struct tex_desc d = texture(0, 32, 32), other = texture(0, 64, 64);
	tex_image_level(find(&d), 0, &k);
	tex_image_level(find(&other), 0, &k);
	for (unsigned draw = 0; draw < 10; draw++) {
		tex_cache_suspect(&cache, 7);
		find(&d);
	}
	ck_assert_uint_eq(cache.read, 3);
	find(&other);
	ck_assert_uint_eq(cache.read, 4);
	mem[0] ^= 1;
	find(&d);
	ck_assert_uint_eq(cache.decoded, 2);
	tex_cache_suspect(&cache, 8);
	find(&d);
	find(&other);
	ck_assert_uint_eq(cache.decoded, 4);
}

static unsigned n_tiles;

/* A client writes into the second tile while the first is decoded, and then takes it back. */
static void decode_and_write(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	memset(mem + 256, n_tiles++ ? 0 : 0xFF, 256);
	tex_decode_rgba8_c(dst, stride_px, src);
}

TEST(bytes_that_change_under_the_decoder_are_noticed) {
	struct tex_kernels k = c_kernels();
	struct tex_desc d = texture(0, 16, 8);
	struct tex_image *image = find(&d);
	k.decode[0] = decode_and_write;
	n_tiles = 0;
	ck_assert_uint_eq(texel(tex_image_level(image, 0, &k), 8, 0), 0xFFFFFFFF);
	tex_cache_suspect(&cache, 1);
	ck_assert_uint_eq(texel(tex_image_level(find(&d), 0, &k), 8, 0), 0);
	ck_assert_uint_eq(cache.decoded, 2);
}

static struct tex_image *other_image;
static bool is_inside;

/* Acts as the command thread while a worker decodes a level. */
static void decode_and_find(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	const struct tex_desc d = texture(0, 16, 8);
	if (!is_inside) {
		is_inside = true;
		tex_cache_suspect(&cache, 1);
		other_image = tex_cache_get(&cache, &d, &space);
	}
	tex_decode_rgba8_c(dst, stride_px, src);
}

TEST(no_thread_waits_for_a_level_being_decoded) {
	struct tex_kernels k = c_kernels(), plain = c_kernels();
	struct tex_desc d = texture(0, 16, 8);
	struct tex_image *image = tex_cache_get(&cache, &d, &space);
	mem[0] = 0x55;
	k.decode[0] = decode_and_find;
	is_inside = false;
	const uint32_t first = texel(tex_image_level(image, 0, &k), 0, 7);
	ck_assert_ptr_ne(image, other_image);
	ck_assert_uint_eq(cache.read, 2); /* charged as if it had been compared */
	ck_assert_uint_eq(first & 0xFF000000, 0x55000000);
	ck_assert_uint_eq(texel(tex_image_level(other_image, 0, &plain), 0, 7), first);
	tex_image_put(image);
	tex_image_put(other_image);
}

static uint64_t most_ticks, n_ticks;

static void count_ticks(void *owner, uint64_t ticks) {
	ck_assert_ptr_eq(owner, &cache);
	most_ticks = ticks > most_ticks ? ticks : most_ticks;
	n_ticks += ticks;
}

TEST(images_are_compared_in_pieces_that_tick) {
	struct tex_kernels k = c_kernels();
	struct tex_desc d = texture(0, 256, 256); /* 256 KiB */
	cache.tick = count_ticks;
	cache.owner = &cache;
	struct tex_image *image = find(&d);
	tex_image_level(image, 0, &k);
	most_ticks = n_ticks = 0;
	ck_assert_ptr_eq(find(&d), image);
	ck_assert_uint_eq(n_ticks, 0);
	tex_cache_suspect(&cache, 1);
	ck_assert_ptr_eq(find(&d), image);
	ck_assert_uint_eq(n_ticks, 256 * 256);
	ck_assert_uint_le(most_ticks, SLICE_TICKS);
	tex_cache_suspect(&cache, 2);
	mem[256 * 256 * 4 - 1] ^= 1; /* the last byte of the last piece */
	find(&d);
	ck_assert_uint_eq(cache.decoded, 2);
}

TEST(suspect_image_over_two_windows_is_decoded_again) {
	struct tex_kernels k = c_kernels();
	struct tex_desc d = texture(0, 8, 16);
	d.addr = MEM + MEM_SIZE - 256;
	ck_assert_int_eq(space_map(&space, MEM + MEM_SIZE, 0x1000, NULL, 0), 0);
	tex_image_level(find(&d), 0, &k);
	memset(space_host(&space, MEM + MEM_SIZE, 256), 0x66, 256);
	tex_cache_suspect(&cache, 1);
	ck_assert_uint_eq(texel(tex_image_level(find(&d), 0, &k), 0, 0), 0x66666666);
}

/* ---- Spare memory ---- */

TEST(next_version_takes_the_memory_of_the_one_before) {
	struct tex_desc d = texture(0, 64, 64);
	const struct tex_image *first = find(&d);
	for (unsigned i = 0; i < 4; i++) {
		space_touch(&space, (struct range){ MEM, 1 }, 0);
		ck_assert_ptr_eq(find(&d), first);
	}
	ck_assert_uint_eq(cache.decoded, 5);
	ck_assert_uint_eq(cache.spare_bytes, 0);
}

TEST(spare_memory_is_within_the_budget) {
	struct tex_image *held[12];
	for (unsigned i = 0; i < 12; i++) { /* 278 KiB each, and then 70 KiB */
		struct tex_desc d = i < 6 ? texture(0, 256, 256) : texture(0, 128, 128);
		d.addr = MEM + 0x8000 * i;
		held[i] = tex_cache_get(&cache, &d, &space);
	}
	for (unsigned i = 0; i < 12; i++) {
		tex_image_put(held[i]);
		ck_assert_uint_le(cache.bytes + cache.spare_bytes, cache.budget_bytes);
	}
	tex_cache_clear(&cache);
	ck_assert_uint_gt(cache.spare_bytes, 6 * 70000);
	ck_assert_uint_le(cache.spare_bytes, cache.budget_bytes);
	struct tex_desc large = texture(0, 512, 256);
	find(&large);
	ck_assert_uint_le(cache.bytes + cache.spare_bytes, cache.budget_bytes);
	tex_cache_finish(&cache);
	ck_assert_uint_eq(cache.bytes + cache.spare_bytes, 0);
}

/* ---- Levels in pieces ---- */

enum { SIDE = 1024, BANDS = SIDE * SIDE / TEX_BAND_TEXELS };

static struct slice over(void) {
	return (struct slice){ .end_ns = 0 };
}

static void fill_memory(void) {
	uint32_t x = 1;
	for (unsigned i = 0; i < MEM_SIZE; i++) {
		x = x * 1664525 + 1013904223;
		mem[i] = (uint8_t)(x >> 24);
	}
}

/* Against an image that is decoded in one go. */
static void check_levels(struct tex_image *image, const struct tex_desc *d) {
	struct tex_kernels k = c_kernels();
	struct tex_image *whole = tex_image_create(d, &space, false);
	for (unsigned n = 0; n <= d->max_level; n++) {
		const struct tex_level *got = tex_image_level(image, n, &k);
		const struct tex_level *want = tex_image_level(whole, n, &k);
		ck_assert_mem_eq(got->texels, want->texels, 4 * tex_level_words(want));
	}
	tex_image_put(whole);
}

TEST(a_large_level_is_decoded_in_bands_that_pause) {
	struct tex_kernels k = c_kernels();
	struct tex_desc d = texture(TEXTURE_FORMAT_ETC1, SIDE, SIDE); /* 512 KiB */
	fill_memory();
	struct tex_image *image = tex_cache_get(&cache, &d, &space);
	struct slice slice = over();
	for (unsigned band = 0; band < BANDS; band++) {
		ck_assert_ptr_null(image->level[0].texels);
		ck_assert(!tex_prepare(&k, &d, image, &slice));
		ck_assert_uint_eq(image->level[0].done, band + 1);
	}
	ck_assert_ptr_nonnull(image->level[0].texels);
	ck_assert(tex_prepare(&k, &d, image, &slice));
	check_levels(image, &d);
	tex_image_put(image);

	/* All bands are compared: none differs, then the last byte of the last one. */
	tex_cache_suspect(&cache, 1);
	ck_assert_ptr_eq(find(&d), image);
	ck_assert_uint_eq(cache.decoded, 1);
	mem[SIDE * SIDE / 2 - 1] ^= 1;
	tex_cache_suspect(&cache, 2);
	find(&d);
	ck_assert_uint_eq(cache.decoded, 2);
}

TEST(only_large_levels_that_may_be_sampled_are_prepared) {
	struct tex_kernels k = c_kernels();
	struct tex_desc d = texture(TEXTURE_FORMAT_ETC1, SIDE, SIDE);
	struct slice endless = { .end_ns = UINT64_MAX };
	d.max_level = 7;
	d.min_level = 1;
	struct tex_image *image = tex_cache_get(&cache, &d, &space);
	d.enabled = 0;
	ck_assert(tex_prepare(&k, &d, image, &endless));
	ck_assert_uint_eq(image->level[1].begun, 0);
	d.enabled = 1;
	ck_assert(tex_prepare(&k, &d, image, &endless) && tex_prepare(&k, &d, NULL, &endless));
	for (unsigned n = 0; n <= d.max_level; n++) { /* 512x512 and 256x256 */
		ck_assert_uint_eq(image->level[n].texels != NULL, n == 1 || n == 2);
	}
	d.type = TEX_SHADOW_2D;
	ck_assert(tex_prepare(&k, &d, image, &endless));
	ck_assert_ptr_nonnull(image->level[0].texels);
	tex_image_put(image);
}

static struct tex_image *shared_image;
static const struct tex_desc *shared_desc;
static unsigned n_helped;

/* While a worker decodes its first band, another one needs the level. */
static void help_with(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	const struct tex_kernels plain = c_kernels();
	struct slice slice = over();
	while (n_helped < BANDS) { /* and once more: it returns without a band */
		ck_assert(!tex_prepare(&plain, shared_desc, shared_image, &slice));
		n_helped++;
		const unsigned done = n_helped < BANDS ? n_helped : BANDS - 1;
		ck_assert_uint_eq(shared_image->level[0].done, done);
	}
	ck_assert_ptr_null(shared_image->level[0].texels);
	tex_decode_etc1_c(dst, stride_px, src);
}

TEST(a_worker_that_waits_for_a_level_decodes_it) {
	struct tex_kernels k = c_kernels();
	struct tex_desc d = texture(TEXTURE_FORMAT_ETC1, SIDE, SIDE);
	fill_memory();
	shared_image = tex_cache_get(&cache, &d, &space);
	shared_desc = &d;
	n_helped = 0;
	k.decode[TEXTURE_FORMAT_ETC1] = help_with;
	struct slice slice = over();
	ck_assert(!tex_prepare(&k, &d, shared_image, &slice));
	ck_assert_ptr_nonnull(shared_image->level[0].texels); /* the first band was the last */
	check_levels(shared_image, &d);
	tex_image_put(shared_image);
}
