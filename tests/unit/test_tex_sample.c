/*
 * Wrapping, filtering and levels, by hand and against [fidelity: wrap, coordinates]; every vector
 * set.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tex_rig.h"
#include "tests/suite.h"

/* ---- Wrapping and filtering ---- */

FIXTURE(setup, teardown)

TEST(wrap_table) {
	static const struct {
		unsigned mode;
		int i, want;
	} row[] = {
		{ 0, -1, 0 }, { 0, 8, 7 }, { 0, 3, 3 },
		{ 1, -1, -1 }, { 1, 8, -1 }, { 1, 0, 0 }, { 1, 7, 7 },
		{ 2, -1, 7 }, { 2, 8, 0 }, { 2, -9, 7 }, { 2, 23, 7 },
		{ 3, -9, 7 }, { 3, -8, 7 }, { 3, -1, 0 }, { 3, 7, 7 }, { 3, 8, 7 }, { 3, 15, 0 },
		{ 3, 16, 0 }, { 3, 17, 1 },
		{ 4, -1, 7 }, { 4, 8, 7 }, { 4, 20, 7 }, { 4, -8, 0 },
		{ 5, -1, 7 }, { 5, 8, -1 }, { 5, 7, 7 },
		{ 6, 8, 0 }, { 7, -1, 7 },
	};
	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		ck_assert_msg(tex_wrap_index(row[i].i, 8, row[i].mode) == row[i].want, "row %u", i);
	}
}

TEX_TEST(v_0_is_the_last_memory_row) {
	struct tex_desc d = texture(0, 8, 8);
	memset(mem, 0, 256);
	mem[4 * morton8(0, 7) + 3] = 99; /* R of column 0, memory row 7 */
	struct tex_image *image = tex_image_create(&d, &space, false);
	ck_assert_uint_eq(sample_one(&k, &d, image, 0.0f, 0.0f), 99);
	ck_assert_uint_eq(sample_one(&k, &d, image, 0.0f, 0.99f), 0);
	tex_image_put(image);
}

TEX_TEST(nearest_takes_the_floor) {
	struct tex_desc d = texture(0, 8, 8);
	struct tex_image *image = ramp(&d);
	ck_assert_uint_eq(sample_one(&k, &d, image, 0.125f, 0.25f) & 0xFFFF, 2 << 8 | 10);
	ck_assert_uint_eq(sample_one(&k, &d, image, 0.1249f, 0.2499f) & 0xFFFF, 1 << 8 | 0);
	/* Between -1 and 0: index -1, which repeats as 7. */
	ck_assert_uint_eq(sample_one(&k, &d, image, -0.01f, 0.0f) & 0xFFFF, 70);
	ck_assert_uint_eq(sample_one(&k, &d, image, 0.0f, -1e-30f) & 0xFFFF, 7 << 8);
	tex_image_put(image);
}

TEX_TEST(bilinear_by_hand) {
	struct tex_desc d = texture(0, 8, 8);
	d.mag_linear = d.min_linear = 1;
	struct tex_image *image = ramp(&d);
	/* The middle of a texel is that texel. */
	ck_assert_uint_eq(sample_one(&k, &d, image, 3.5f / 8, 5.5f / 8), 0xFF00051E);
	/* Weights 128: (0*128 + 10*128) / 256 = 5. */
	ck_assert_uint_eq(sample_one(&k, &d, image, 0.125f, 0.5f / 8), 0xFF000005);
	/* Weight 64: (0*192 + 10*64) / 256 = 2.5, rounded up. */
	ck_assert_uint_eq(sample_one(&k, &d, image, 0.75f / 8, 0.5f / 8), 0xFF000003);
	/* Both 64: R 10*64 / 256 = 2.5 still; G (0*192 + 1*64) / 256 = 0.25. */
	ck_assert_uint_eq(sample_one(&k, &d, image, 0.75f / 8, 0.75f / 8), 0xFF000003);
	/* Texels 7 and 0, a half each: 35. */
	ck_assert_uint_eq(sample_one(&k, &d, image, 0.0f, 0.5f / 8), 0xFF000023);
	ck_assert_uint_eq(sample_one(&k, &d, image, 1.0f, 0.5f / 8), 0xFF000023);
	/* 255/256 of the way, weights are cut: (0*1 + 10*255 + 128) / 256 = 10. */
	ck_assert_uint_eq(sample_one(&k, &d, image, 1.4999f / 8, 0.5f / 8), 0xFF00000A);
	tex_image_put(image);
}

TEX_TEST(fraction_that_rounds_to_one_is_the_next_texel) {
	struct tex_desc d = texture(0, 8, 8);
	d.mag_linear = d.min_linear = 1;
	d.wrap_s = TEX_WRAP_BORDER;
	d.border = 0xFFFFFFFF;
	struct tex_image *image = ramp(&d);
	/* x = -2^-25: floor -1, and 1 - 2^-25 is 1 in binary32: weight 256. */
	float u = (0.5f - 0x1p-25f) / 8;
	ck_assert_uint_eq(sample_one(&k, &d, image, u, 0.5f / 8), 0xFF000000);
	tex_image_put(image);
}

TEX_TEST(bilinear_at_the_edges) {
	/* R of the ramp, x texels from the left edge, in the middle of row 0. Border R = 100. */
	static const struct {
		unsigned mode;
		float x;
		unsigned want;
	} row[] = {
		{ 0, 0.0f, 0 }, { 0, 8.0f, 70 }, { 0, 99.0f, 70 }, { 0, -99.0f, 0 },
		{ 1, 0.0f, 50 }, { 1, 8.0f, 85 }, { 1, -0.5f, 100 }, { 1, -7.0f, 100 },
		{ 1, 8.5f, 100 }, { 1, 99.0f, 100 }, { 1, 7.75f, 78 }, /* 70 and 100 by 1/4: 77.5 */
		{ 2, 0.0f, 35 }, { 2, 8.0f, 35 }, { 2, 16.0f, 35 }, { 2, -8.0f, 35 },
		{ 2, 9.5f, 10 },
		{ 3, 0.0f, 0 }, { 3, 8.0f, 70 }, { 3, 8.5f, 70 }, { 3, 9.0f, 65 }, { 3, 16.0f, 0 },
		{ 3, 17.0f, 5 }, { 3, -1.0f, 5 }, { 3, 8.75f, 68 }, /* 70, 60 by 1/4: 67.5 */
		{ 4, 0.0f, 35 }, { 4, 8.0f, 70 }, { 4, 99.0f, 70 }, { 4, -8.0f, 35 },
		{ 4, -0.5f, 70 },
		{ 5, 0.0f, 35 }, { 5, 8.0f, 85 }, { 5, 8.5f, 100 }, { 5, 99.0f, 100 },
		{ 5, -1.0f, 65 },
		{ 6, 0.0f, 35 }, { 7, 8.0f, 35 },
	};
	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		struct tex_desc d = texture(0, 8, 8);
		d.mag_linear = d.min_linear = 1;
		d.wrap_s = (uint8_t)row[i].mode;
		d.wrap_t = TEX_WRAP_EDGE;
		d.border = 100;
		struct tex_image *image = ramp(&d);
		uint32_t got = sample_one(&k, &d, image, row[i].x / 8, 0.5f / 8) & 255;
		ck_assert_msg(got == row[i].want, "row %u: %u, not %u", i, got, row[i].want);
		tex_image_put(image);
	}
}

TEX_TEST(border_colour_wins_in_corners) {
	struct tex_desc d = texture(0, 8, 8);
	for (unsigned i = 0; i < 64; i++) {
		set_texel(0, 8, 8, i & 7, i >> 3, 200);
	}
	d.border = 100;
	static const struct {
		unsigned s, t;
		float u, v;
		unsigned linear, nearest;
	} row[] = {
		{ 1, 1, 0, 0, 125, 200 },         /* (3*100 + 200) / 4 = 125 */
		{ 1, 0, 0, 0, 150, 200 },
		{ 0, 1, 0, 0, 150, 200 },
		{ 1, 2, 1, 1, 150, 100 },
		{ 5, 5, 1, 1, 125, 100 },
		{ 5, 5, 0, 0, 200, 200 },
		{ 3, 5, 9, 1.5f, 100, 100 },
		{ 1, 3, -0.25f, 0.5f, 100, 100 },
	};
	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		d.wrap_s = (uint8_t)row[i].s;
		d.wrap_t = (uint8_t)row[i].t;
		struct tex_image *image = tex_image_create(&d, &space, false);
		d.mag_linear = d.min_linear = 1;
		uint32_t got = sample_one(&k, &d, image, row[i].u, row[i].v);
		ck_assert_msg(got == row[i].linear, "linear row %u: %u", i, got);
		d.mag_linear = d.min_linear = 0;
		got = sample_one(&k, &d, image, row[i].u, row[i].v);
		ck_assert_msg(got == row[i].nearest, "nearest row %u: %u", i, got);
		tex_image_put(image);
	}
}

TEX_TEST(coordinates_without_a_value_take_index_0) {
	for (unsigned mode = 0; mode < 8; mode++) {
		struct tex_desc d = texture(0, 8, 8);
		d.wrap_s = d.wrap_t = (uint8_t)mode;
		d.border = 0x12345678;
		struct tex_image *image = ramp(&d);
		for (unsigned linear = 0; linear < 2; linear++) {
			d.mag_linear = d.min_linear = (uint8_t)linear;
			ck_assert_uint_eq(sample_one(&k, &d, image, NAN, -NAN), 0xFF000000);
			uint32_t t = sample_one(&k, &d, image, INFINITY, -INFINITY);
			ck_assert_uint_eq(t, 0xFF000000);
			t = sample_one(&k, &d, image, 3e38f, -3e38f);
			ck_assert_uint_eq(t, 0xFF000000);
			/* Clamped to +-2^30 texels, a multiple of every power of two. */
			uint32_t far = sample_one(&k, &d, image, 1e30f, 0.5f / 8) & 255;
			static const unsigned want[8] = { 70, 0x78, 0, 0, 70, 0x78, 0, 0 };
			ck_assert_msg(far == want[mode], "mode %u: %u", mode, far);
		}
		tex_image_put(image);
	}
}

TEX_TEST(sizes_that_are_no_powers_of_two_wrap_by_their_size) {
	struct tex_desc d = texture(0, 24, 8);
	for (unsigned s = 0; s < 24; s++) {
		for (unsigned t = 0; t < 8; t++) {
			set_texel(0, 24, 8, s, t, 10 * s);
		}
	}
	struct tex_image *image = tex_image_create(&d, &space, false);
	ck_assert_uint_eq(sample_one(&k, &d, image, 23.5f / 24, 0), 230);
	ck_assert_uint_eq(sample_one(&k, &d, image, 25.5f / 24, 0), 10);
	ck_assert_uint_eq(sample_one(&k, &d, image, -0.5f / 24, 0), 230);
	tex_image_put(image);
}

TEST(units_without_an_image) {
	struct tex_kernels k = c_kernels();
	struct tex_desc d = texture(0, 8, 8);
	struct tex_image *image = ramp(&d);
	ck_assert_uint_eq(sample_one(&k, &d, NULL, 0, 0), 0);
	d.valid = 0;
	ck_assert_uint_eq(sample_one(&k, &d, image, 0, 0), 0);
	ck_assert_ptr_null(tex_image_create(&d, &space, false));
	d.addr = 0;
	ck_assert_uint_eq(sample_one(&k, &d, NULL, 0, 0), 0xFF000000);
	d.enabled = 0;
	ck_assert_uint_eq(sample_one(&k, &d, NULL, 0, 0), 0);
	tex_image_put(image);
}

/* Without texels, with two filters or with more levels, the kernel is chosen at each call. */
TEST(one_filter_and_level_are_found_at_once) {
	struct tex_kernels k = c_kernels();
	struct tex_desc d = texture(0, 8, 8);
	struct tex_image *image = ramp(&d);
	struct tex_direct direct = tex_find_direct(&k, &d, image);
	ck_assert(direct.filter == k.nearest);
	ck_assert_ptr_eq(direct.level, tex_image_level(image, 0, &k));
	ck_assert_ptr_null(tex_find_direct(&k, &d, NULL).level);
	d.mag_linear = 1;
	ck_assert(!tex_find_direct(&k, &d, image).filter);
	d.min_linear = 1;
	ck_assert(tex_find_direct(&k, &d, image).filter == k.bilinear);
	d.enabled = 0;
	ck_assert(!tex_find_direct(&k, &d, image).filter);
	tex_image_put(image);
	d = four_levels();
	image = tex_image_create(&d, &space, false);
	ck_assert(!tex_find_direct(&k, &d, image).filter);
	tex_image_put(image);
}

/* ---- Levels ---- */

/* R of a quad that steps du texels a pixel in x and dv texels a row in y. */
static unsigned sample_step(const struct tex_kernels *k, const struct tex_desc *d,
		struct tex_image *image, float du, float dv) {
	float u[4] = { 0.25f, 0.25f + du / 64, 0.25f, 0.25f + du / 64 };
	float v[4] = { 0.5f, 0.5f, 0.5f + dv / 64, 0.5f + dv / 64 };
	uint16_t out[4][BATCH];
	tex_sample(k, d, image, u, v, 4, out);
	ck_assert_uint_eq(out[0][0], out[0][3]);
	return out[0][0];
}

TEX_TEST(footprint_chooses_the_level) {
	struct tex_desc d = four_levels();
	struct tex_image *image = tex_image_create(&d, &space, false);
	d = four_levels();
	ck_assert_uint_eq(sample_step(&k, &d, image, 0.5f, 0), 10); /* lod -1 */
	ck_assert_uint_eq(sample_step(&k, &d, image, 1, 0), 10);    /* 0 */
	ck_assert_uint_eq(sample_step(&k, &d, image, 2, 0), 20);    /* 1 */
	ck_assert_uint_eq(sample_step(&k, &d, image, -2, 1), 20);
	ck_assert_uint_eq(sample_step(&k, &d, image, 0, 4), 30);    /* 2 */
	ck_assert_uint_eq(sample_step(&k, &d, image, 16, -64), 40); /* 6: the last is 3 */
	ck_assert_uint_eq(sample_step(&k, &d, image, 0, 0), 10);    /* -infinity */
	ck_assert_uint_eq(sample_step(&k, &d, image, 1.4f, 0), 10); /* 0.485 */
	ck_assert_uint_eq(sample_step(&k, &d, image, 1.5f, 0), 20); /* 0.585 */

	/* The bias comes after the logarithm. */
	d.lod_bias = 0x100;
	ck_assert_uint_eq(sample_step(&k, &d, image, 1, 0), 20);
	d.lod_bias = 0x80;
	ck_assert_uint_eq(sample_step(&k, &d, image, 2, 0), 30); /* 1.5 + 0.5 */
	d.lod_bias = -0x100;
	ck_assert_uint_eq(sample_step(&k, &d, image, 4, 0), 20);
	d.lod_bias = -0x1000;
	ck_assert_uint_eq(sample_step(&k, &d, image, 32, 0), 10);
	d.lod_bias = 0;

	/* Limits. */
	d.min_level = 2;
	ck_assert_uint_eq(sample_step(&k, &d, image, 1, 0), 30);
	ck_assert_uint_eq(sample_step(&k, &d, image, 2, 0), 30);
	ck_assert_uint_eq(sample_step(&k, &d, image, 8, 0), 40);
	d.min_level = 9;
	ck_assert_uint_eq(sample_step(&k, &d, image, 1, 0), 40);
	ck_assert_uint_eq(sample_step(&k, &d, image, 2, 0), 40);

	/* A footprint that is not a number means the minimum level. */
	d.min_level = 1;
	ck_assert_uint_eq(sample_step(&k, &d, image, NAN, 0), 20);
	ck_assert_uint_eq(sample_step(&k, &d, image, INFINITY, 0), 20);
	tex_image_put(image);
}

TEX_TEST(linear_mip_filter_blends_two_levels) {
	struct tex_desc d = four_levels();
	d.mip_linear = 1;
	struct tex_image *image = tex_image_create(&d, &space, false);
	d.lod_bias = 0;
	ck_assert_uint_eq(sample_step(&k, &d, image, 2, 0), 20);
	ck_assert_uint_eq(sample_step(&k, &d, image, 64, 0), 40);
	d.lod_bias = 0x80; /* 1.5: (20*128 + 30*128 + 128) >> 8 */
	ck_assert_uint_eq(sample_step(&k, &d, image, 2, 0), 25);
	d.lod_bias = 0x40; /* 1.25: (20*192 + 30*64 + 128) >> 8 = 23 (22.5 + 0.5) */
	ck_assert_uint_eq(sample_step(&k, &d, image, 2, 0), 23);
	/* log2(3) = 1.58496: fraction 149; (20*107 + 30*149 + 128) >> 8 = 26 */
	d.lod_bias = 0;
	ck_assert_uint_eq(sample_step(&k, &d, image, 3, 0), 26);
	/* Not above 0: no blending, the magnification filter on level 0. */
	ck_assert_uint_eq(sample_step(&k, &d, image, 1, 0), 10);
	tex_image_put(image);
}

TEX_TEST(filters_of_magnification_and_minification) {
	struct tex_desc d = texture(0, 64, 64);
	for (unsigned t = 0; t < 64; t++) {
		for (unsigned s = 0; s < 64; s++) {
			set_texel(0, 64, 64, s, t, s & 1 ? 100 : 0);
		}
	}
	struct tex_image *image = tex_image_create(&d, &space, false);
	d.mag_linear = 1; /* u = 0.25 is the edge between texels 15 and 16 */
	d.min_linear = 0;
	ck_assert_uint_eq(sample_step(&k, &d, image, 0, 1), 50);
	ck_assert_uint_eq(sample_step(&k, &d, image, 0, 1.01f), 0);
	d.mag_linear = 0;
	d.min_linear = 1;
	ck_assert_uint_eq(sample_step(&k, &d, image, 0, 1), 0);
	ck_assert_uint_eq(sample_step(&k, &d, image, 0, 1.01f), 50);
	tex_image_put(image);
}

TEX_TEST(quads_of_a_batch_choose_for_themselves) {
	struct tex_desc d = four_levels();
	d.mip_linear = 1;
	d.lod_bias = 0x80;
	struct tex_image *image = tex_image_create(&d, &space, false);
	static const float step[4] = { 0.5f, 2, 64, 1 };        /* lod -0.5, 1.5, 6.5, 0.5 */
	static const unsigned want[4] = { 10, 25, 40, 15 };
	float u[BATCH], v[BATCH];
	uint16_t out[4][BATCH];
	for (unsigned n = 4; n <= BATCH; n += 4) {
		for (unsigned i = 0; i < n; i++) {
			u[i] = (float)(i & 1) * step[(i / 4) % 4] / 64;
			v[i] = 0.3f;
		}
		memset(out, 0xEE, sizeof(out));
		tex_sample(&k, &d, image, u, v, n, out);
		for (unsigned i = 0; i < BATCH; i++) {
			ck_assert_uint_eq(out[0][i], i < n ? want[(i / 4) % 4] : 0xEEEE);
		}
	}
	tex_image_put(image);
}
