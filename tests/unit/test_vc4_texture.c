/* Look-ups of the VideoCore's texture unit. */
#include <errno.h>
#include <string.h>

#include "core/base/f24.h"
#include "random.h"
#include "tests/suite.h"
#include "vc4/tex/texture.h"

enum { BASE = 0x00200000, BYTES = 0x100000, TEXTURE = BASE + 0x80000, LANES = VC4_TEX_LANES };
enum { LINEAR, NEAREST, NEAR_NEAR, NEAR_LINEAR, LINEAR_NEAR, LINEAR_LINEAR };
enum { REPEAT, CLAMP, MIRROR, BORDER };

static struct space space;
static struct vc4_lookup look;
static uint32_t out[LANES];

static void open_space(void) {
	space_init(&space);
	ck_assert_int_eq(space_map(&space, BASE, BYTES, NULL, 0), 0);
	memset(&look, 0, sizeof(look));
	look.space = &space;
	look.lanes = 0xFFFF;
}

static void close_space(void) {
	space_finish(&space);
}
FIXTURE(open_space, close_space)

static void configure(unsigned type, uint32_t width, uint32_t height, unsigned levels,
		unsigned min, unsigned mag, unsigned wrap) {
	look.n_words = 2;
	look.word[0] = TEXTURE | (type & 15) << 4 | (levels - 1);
	look.word[1] = type >> 4 << 31 | (height & 2047) << 20 | (width & 2047) << 8 | mag << 7 |
			min << 4 | wrap << 2 | wrap;
}

static void put(uint32_t at, const struct vc4_image *image, uint32_t x, uint32_t y,
		const void *px) {
	const uint32_t offset = vc4_image_offset(image, x, y);
	HOLDS(space_store(&space, at + offset, px, image->px_bytes) == 0);
}

/* A level of RGBA8888 where each pixel is color + 256 y + x. Returns its size. */
static uint32_t fill(uint32_t at, uint32_t width, uint32_t height, uint32_t color,
		uint32_t per_y, uint32_t per_x) {
	const struct vc4_image image = {
		.layout = (uint8_t)vc4_layout_of_texture(width, height, 4), .px_bytes = 4,
		.width = (uint16_t)width, .height = (uint16_t)height,
	};
	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < width; x++) {
			const uint32_t px = color + per_y * y + per_x * x;
			put(at, &image, x, y, &px);
		}
	}
	return vc4_image_bytes(&image);
}

static void run(void) {
	const char *why = NULL;
	const int ret = vc4_texture_look_up(&look, 0xFFFF, out, &why);
	if (ret) {
		ck_abort_msg("%d: %s", ret, why);
	}
}

/* All lanes at one point: no differences, so that level 0 is magnified. */
static uint32_t at(float s, float t) {
	for (unsigned i = 0; i < LANES; i++) {
		look.s[i] = f32_bits(s);
		look.t[i] = f32_bits(t);
	}
	run();
	for (unsigned i = 1; i < LANES; i++) {
		HOLDS(out[i] == out[0]);
	}
	return out[0];
}

/* Lanes of each quad span a square of `side` texels of level 0. */
static uint32_t with_footprint(float s, float t, float side, float size) {
	for (unsigned i = 0; i < LANES; i++) {
		look.s[i] = f32_bits(s + (i & 1 ? side / size : 0));
		look.t[i] = f32_bits(t + (i & 2 ? side / size : 0));
	}
	run();
	return out[0];
}

TEST(each_texel_is_where_the_layout_says) {
	/* T and LT. */
	static const uint32_t sizes[3][2] = { { 64, 96 }, { 8, 32 }, { 100, 40 } };
	for (unsigned k = 0; k < 3; k++) {
		const uint32_t w = sizes[k][0], h = sizes[k][1];
		fill(TEXTURE, w, h, 0x11000000, 256, 1);
		configure(0, w, h, 1, NEAREST, NEAREST, REPEAT);
		for (uint32_t y = 0; y < h; y++) {
			for (uint32_t x = 0; x < w; x += LANES) {
				for (uint32_t i = 0; i < LANES; i++) {
					look.s[i] = f32_bits(((float)(x + i) + 0.5f) / (float)w);
					look.t[i] = f32_bits(((float)y + 0.5f) / (float)h);
				}
				run();
				for (uint32_t i = 0; i < LANES; i++) {
					HOLDS(out[i] == 0x11000000 + 256 * y + (x + i) % w);
				}
			}
		}
	}
	/* Bit 8 mirrors t. */
	look.word[0] |= 1 << 8;
	ck_assert_uint_eq(at(0.5f / 100, 0.5f / 40), 0x11000000 + 256 * 39);
}

TEST(formats_become_rgba) {
	static const struct {
		unsigned type;
		uint32_t px, want;
	} cases[] = {
		{ 0, 0x44332211, 0x44332211 }, { 1, 0x44332211, 0xFF332211 },
		{ 2, 0x1A5F, 0xFF55AA11 }, { 3, 0x8421 | 1, 0xFF848484 },
		{ 3, 0xF83E, 0x00FF00FF }, { 4, 0x8010, 0xFF840084 }, { 4, 0x07E0, 0xFF00FF00 },
		{ 5, 0x7B, 0xFF7B7B7B }, { 6, 0x7B, 0x7B000000 }, { 7, 0xC87B, 0xC87B7B7B },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const unsigned bytes = vc4_texel_bytes(cases[i].type);
		const struct vc4_image image = { VC4_IMAGE_LT, (uint8_t)bytes, 4, 4 };
		put(TEXTURE, &image, 2, 1, &cases[i].px);
		configure(cases[i].type, 4, 4, 1, NEAREST, NEAREST, CLAMP);
		ck_assert_uint_eq(at(0.6f, 0.3f), cases[i].want);
	}
	/* Raster: rows of whole micro-tiles. */
	const struct vc4_image image = { VC4_IMAGE_RASTER, 4, 30, 20 };
	const uint32_t px = 0x01020304;
	put(TEXTURE, &image, 29, 19, &px);
	ck_assert_uint_eq(vc4_image_offset(&image, 29, 19), (19 * 32 + 29) * 4);
	configure(VC4_TYPE_RASTER, 30, 20, 1, NEAREST, NEAREST, CLAMP);
	ck_assert_uint_eq(at(0.99f, 0.99f), px);
}

TEST(etc1_blocks_have_two_halves) {
	/* Individual bases F00 and 0F0, tables 0 and 7; pixel (0,0): low 1, (3,3): high and low. */
	static const uint8_t individual[8] = { 0xF0, 0x0F, 0x00, 0x1C, 0x80, 0x00, 0x80, 0x01 };
	const struct vc4_image image = { VC4_IMAGE_LT, 8, 1, 1 };
	put(TEXTURE, &image, 0, 0, individual);
	configure(VC4_TYPE_ETC1, 4, 4, 1, NEAREST, NEAREST, CLAMP);
	ck_assert_uint_eq(at(0.1f, 0.9f), 0xFF0808FF); /* +8; rows are mirrored */
	ck_assert_uint_eq(at(0.9f, 0.1f), 0xFF004800);
	look.word[1] |= UINT32_C(1) << 19;
	ck_assert_uint_eq(at(0.1f, 0.1f), 0xFF0808FF);
	ck_assert_uint_eq(at(0.1f, 0.4f), 0xFF0202FF); /* +2 */
	ck_assert_uint_eq(at(0.9f, 0.9f), 0xFF004800); /* -183 */
	ck_assert_uint_eq(at(0.6f, 0.1f), 0xFF2FFF2F); /* +47 */
	/* Differential, flipped: 16 and 16 - 4 in red; halves are upper and lower. */
	static const uint8_t differential[8] = { 0x80 | 4, 0x00, 0x00, 0x03 };
	put(TEXTURE, &image, 0, 0, differential);
	ck_assert_uint_eq(at(0.9f, 0.1f), 0xFF020286);
	ck_assert_uint_eq(at(0.1f, 0.9f), 0xFF020265);
}

TEST(bilinear_weights_have_eight_bits) {
	fill(TEXTURE, 4, 4, 0, 0x00002000, 0x40);
	configure(0, 4, 4, 1, LINEAR, LINEAR, CLAMP);
	ck_assert_uint_eq(at(0.375f, 0.375f), 0x00002040); /* the middle of (1,1) */
	ck_assert_uint_eq(at(0.5f, 0.375f), 0x00002060);
	ck_assert_uint_eq(at(0.5f, 0.5f), 0x00003060);
	ck_assert_uint_eq(at(0.375f + 1.0f / 1024, 0.375f), 0x00002040);
	ck_assert_uint_eq(at(0.375f + 2.0f / 1024, 0.375f), 0x00002041);
	/* Beyond the last middle. */
	ck_assert_uint_eq(at(1, 1), 0x000060C0);
	configure(0, 4, 4, 1, LINEAR, LINEAR, REPEAT);
	ck_assert_uint_eq(at(1, 0.125f), 0x00000060);
}

TEST(wrap_modes_repeat_clamp_mirror_and_have_a_border) {
	static const struct {
		unsigned mode;
		int want[12]; /* texel at -5.5 + i; -1: border */
	} cases[] = {
		{ REPEAT, { 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1 } },
		{ CLAMP, { 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3 } },
		{ MIRROR, { 2, 3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2 } },
		{ BORDER, { -1, -1, -1, -1, -1, -1, 0, 1, 2, 3, -1, -1 } },
	};
	fill(TEXTURE, 4, 4, 0x100, 0x10, 1);
	for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
		configure(0, 4, 4, 1, NEAREST, NEAREST, cases[k].mode);
		for (unsigned i = 0; i < LANES; i++) {
			look.r[i] = 0xABCDEF01;
		}
		for (int i = 0; i < 12; i++) {
			const float c = ((float)i - 5.5f) / 4;
			const uint32_t j = (uint32_t)cases[k].want[i];
			const bool is_border = cases[k].want[i] < 0;
			ck_assert_uint_eq(at(c, 0.3f), is_border ? 0xABCDEF01 : 0x110 + j);
			ck_assert_uint_eq(at(0.3f, c), is_border ? 0xABCDEF01 : 0x101 + 16 * j);
		}
	}
	/* No number, and far away. */
	configure(0, 4, 4, 1, LINEAR, LINEAR, REPEAT);
	ck_assert_uint_eq(at(f32_from_bits(0x7FC00000), f32_from_bits(0xFF800000)), 0x100);
	at(1e30f, -1e30f);
}

/* Levels of one colour each, below the base. */
static void fill_levels(uint32_t width, uint32_t height, unsigned levels) {
	uint32_t address = TEXTURE;
	fill(TEXTURE, width, height, 0x10, 0, 0);
	for (unsigned i = 1; i < levels; i++) {
		uint32_t w = width >> i, h = height >> i;
		w = w ? w : 1;
		h = h ? h : 1;
		const struct vc4_image image = {
			(uint8_t)vc4_layout_of_texture(w, h, 4), 4, (uint16_t)w, (uint16_t)h,
		};
		address -= vc4_image_bytes(&image);
		fill(address, w, h, 0x10 * (i + 1), 0, 0);
	}
}

TEST(levels_lie_below_the_base_and_follow_the_footprint) {
	fill_levels(64, 32, 7);
	configure(0, 64, 32, 7, NEAR_NEAR, NEAREST, CLAMP);
	/* t spans half as many texels. */
	ck_assert_uint_eq(with_footprint(0.2f, 0.2f, 1, 64), 0x10);
	ck_assert_uint_eq(with_footprint(0.2f, 0.2f, 2, 64), 0x20);
	ck_assert_uint_eq(with_footprint(0.2f, 0.2f, 5, 64), 0x30);
	ck_assert_uint_eq(with_footprint(0.2f, 0.2f, 6, 64), 0x40);
	ck_assert_uint_eq(with_footprint(0.2f, 0.2f, 4000, 64), 0x70);
	configure(0, 64, 32, 7, NEAR_LINEAR, NEAREST, CLAMP);
	ck_assert_uint_eq(with_footprint(0.2f, 0.2f, 2.8284271f, 64), 0x28);
	configure(0, 64, 32, 7, LINEAR_LINEAR, NEAREST, CLAMP);
	ck_assert_uint_eq(with_footprint(0.2f, 0.2f, 2.8284271f, 64), 0x28);
	configure(0, 64, 32, 3, LINEAR_NEAR, NEAREST, CLAMP);
	ck_assert_uint_eq(with_footprint(0.2f, 0.2f, 32, 64), 0x30); /* the last one */
	configure(0, 64, 32, 7, NEAREST, NEAREST, CLAMP);
	ck_assert_uint_eq(with_footprint(0.2f, 0.2f, 32, 64), 0x10); /* no mipmaps */
	/* b is a bias, or the level. */
	configure(0, 64, 32, 7, NEAR_NEAR, NEAREST, CLAMP);
	for (unsigned i = 0; i < LANES; i++) {
		look.b[i] = f32_bits((float)(i / 4));
	}
	with_footprint(0.2f, 0.2f, 2, 64);
	for (unsigned i = 0; i < LANES; i++) {
		ck_assert_uint_eq(out[i], 0x20 + 0x10 * (i / 4));
	}
	look.n_words = 3;
	look.word[2] = 1u << 30 | 1;
	with_footprint(0.2f, 0.2f, 16, 64);
	for (unsigned i = 0; i < LANES; i++) {
		ck_assert_uint_eq(out[i], 0x10 + 0x10 * (i / 4));
	}
}

TEST(the_filter_changes_where_texels_are_larger_than_pixels) {
	fill(TEXTURE, 4, 4, 0, 0, 0x40);
	configure(0, 4, 4, 1, NEAREST, LINEAR, CLAMP);
	ck_assert_uint_eq(with_footprint(0.5f, 0.5f, 0.5f, 4), 0x60);
	ck_assert_uint_eq(with_footprint(0.5f, 0.5f, 2, 4), 0x80);
	configure(0, 4, 4, 1, LINEAR, NEAREST, CLAMP);
	ck_assert_uint_eq(with_footprint(0.5f, 0.5f, 0.5f, 4), 0x80);
	ck_assert_uint_eq(with_footprint(0.5f, 0.5f, 2, 4), 0x60);
}

TEST(a_cube_has_six_faces) {
	static const float directions[6][3] = { { 2, 0.5f, 0.25f }, { -2, 0.5f, 0.25f },
		{ 0.5f, 2, 0.25f }, { 0.5f, -2, 0.25f }, { 0.5f, 0.25f, 2 }, { 0.5f, 0.25f, -2 } };
	/* s and t in eighths by OpenGL's table: (sc / 2 + 1) / 2. */
	static const uint8_t where[6][2] = { { 3, 3 }, { 4, 3 }, { 5, 4 }, { 5, 3 }, { 5, 3 },
		{ 3, 3 } };
	for (uint32_t face = 0; face < 6; face++) {
		fill(TEXTURE + face * 0x1000, 8, 8, face << 16, 256, 1);
	}
	configure(0, 8, 8, 1, NEAREST, NEAREST, REPEAT);
	look.n_words = 3;
	look.word[0] |= 1 << 9;
	look.word[2] = 1u << 30 | 0x1000;
	for (unsigned face = 0; face < 6; face++) {
		for (unsigned i = 0; i < LANES; i++) {
			look.r[i] = f32_bits(directions[face][2]);
		}
		const uint32_t got = at(directions[face][0], directions[face][1]);
		ck_assert_uint_eq(got >> 16, face);
		ck_assert_uint_eq(got & 255, where[face][0]);
		ck_assert_uint_eq(got >> 8 & 255, where[face][1]);
	}
}

static void check_error(int want) {
	const char *why = NULL;
	ck_assert_int_eq(vc4_texture_look_up(&look, 0xFFFF, out, &why), want);
	ck_assert_ptr_nonnull(why);
}

TEST(configurations_are_checked) {
	configure(0, 8, 8, 1, NEAREST, NEAREST, REPEAT);
	look.n_words = 1;
	check_error(-EINVAL);
	configure(0, 8, 8, 1, 6, NEAREST, REPEAT);
	check_error(-EINVAL);
	configure(0, 8, 8, 13, NEAREST, NEAREST, REPEAT);
	check_error(-EINVAL);
	configure(9, 8, 8, 1, NEAREST, NEAREST, REPEAT);
	check_error(-EOPNOTSUPP);
	configure(18, 8, 8, 1, NEAREST, NEAREST, REPEAT);
	check_error(-EINVAL);
	configure(0, 8, 8, 1, NEAREST, NEAREST, REPEAT);
	look.n_words = 3;
	look.word[2] = 2u << 30;
	check_error(-EOPNOTSUPP);
	/* 2048 x 2048: rows beyond the window. */
	configure(0, 0, 0, 1, NEAREST, NEAREST, REPEAT);
	ck_assert_uint_eq(at(0.001f, 0.001f), 0);
	look.t[15] = f32_bits(0.9f);
	check_error(-ERANGE);
	look.lanes = 0x7FFF;
	run();
	ck_assert_uint_eq(out[15], 0);
	look.word[0] = 0x00300000;
	check_error(-ERANGE);
}

TEST(words_of_memory_are_read_by_address) {
	const char *why = NULL;
	fill(TEXTURE, 4, 4, 0x1000, 0, 1);
	look.n_words = 0;
	for (uint32_t i = 0; i < LANES; i++) {
		look.s[i] = 0xC0000000 | (TEXTURE + 4 * (i % 4));
	}
	look.s[3] = 0x1000;
	ck_assert_int_eq(vc4_texture_look_up(&look, 0xFFF7, out, &why), 0);
	ck_assert_uint_eq(out[0], 0x1000);
	ck_assert_uint_eq(out[2], 0x1002);
	ck_assert_uint_eq(out[3], 0);
	ck_assert_int_eq(vc4_texture_look_up(&look, 0x0008, out, &why), -ERANGE);
}

/* Whatever the words, coordinates and memory are, nothing but memory is read. */
TEST(random_look_ups_end_with_a_result_or_an_error) {
	unsigned n_fine = 0;
	seed = 0x7E87;
	for (unsigned k = 0; k < 20000; k++) {
		look.n_words = random32() % 5;
		for (unsigned i = 0; i < 4; i++) {
			look.word[i] = random32();
		}
		look.word[0] = (look.word[0] & 0xFFF) | ((BASE + random32() % BYTES) & ~0xFFFu);
		look.word[1] &= k % 2 ? 0xFFFFFFFF : 0x03F03FFF;
		for (unsigned i = 0; i < LANES; i++) {
			const uint32_t wild = random32();
			look.s[i] = wild & 1 ? random32() : f32_bits((float)(wild >> 8) / 0x1p24f);
			look.t[i] = wild & 2 ? random32() : f32_bits((float)(wild >> 9) / 0x1p22f);
			look.r[i] = random32();
			look.b[i] = wild & 4 ? random32() : 0;
		}
		look.lanes = random32() & 0xFFFF;
		const char *why = NULL;
		const int ret = vc4_texture_look_up(&look, random32() & 0xFFFF, out, &why);
		HOLDS(ret == 0 || why);
		n_fine += ret == 0;
	}
	ck_assert_uint_gt(n_fine, 500);
}
