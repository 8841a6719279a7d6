/* The naive renderer against known numbers, from textures to the transfer engine. */
#include "test_naive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica/regs/regs.h"
#include "tests/suite.h"

/* ---- Addresses and texels: [fidelity: texture-numbers] ---- */

FIXTURE(setup, teardown)

TEST(tiled_addresses) {
	static const unsigned w64[][3] = { { 1, 0, 1 }, { 0, 1, 2 }, { 3, 2, 13 }, { 1, 1, 3 },
		{ 2, 0, 4 }, { 4, 0, 16 }, { 0, 4, 32 }, { 5, 6, 57 }, { 7, 7, 63 }, { 8, 0, 64 },
		{ 0, 8, 512 }, { 9, 17, 1091 }, { 33, 5, 291 }, { 63, 63, 4095 } };
	for (unsigned i = 0; i < ARRAY_LEN(w64); i++) {
		ck_assert_uint_eq(naive_tiled_index(w64[i][0], w64[i][1], 64, false), w64[i][2]);
	}
	ck_assert_uint_eq(naive_tiled_index(0, 399, 240, false), 94122);
	ck_assert_uint_eq(naive_tiled_index(120, 199, 240, false), 47082);
	ck_assert_uint_eq(naive_tiled_index(239, 0, 240, false), 1877);
	ck_assert_uint_eq(naive_tiled_index(3, 2, 64, true), 13);
	ck_assert_uint_eq(naive_tiled_index(8, 0, 64, true), 64);
	ck_assert_uint_eq(naive_tiled_index(0, 8, 64, true), 128);
	ck_assert_uint_eq(naive_tiled_index(32, 0, 64, true), 1024);
	ck_assert_uint_eq(naive_tiled_index(0, 32, 40, true), 2048);
}

/* An 8x8 texture whose first memory texel, (s, t) = (0, 7), holds bytes. */
static void texel_of(unsigned format, const uint8_t *bytes, unsigned count, int s, int t,
		uint8_t out[4]) {
	uint8_t store[256] = {0};
	memcpy(store, bytes, count);
	const struct naive_texture tex = {
		.enabled = true, .width = 8, .height = 8, .format = format, .bytes = store};
	naive_texel(&tex, 0, s, t, out);
}

TEST(single_texels) {
	static const struct {
		unsigned format, count;
		uint8_t bytes[4];
		uint8_t want[4];
	} cases[] = {
		{0, 4, {0x11, 0x22, 0x33, 0x44}, {0x44, 0x33, 0x22, 0x11}},
		{1, 3, {0x11, 0x22, 0x33}, {0x33, 0x22, 0x11, 0xFF}},
		{2, 2, {0x3F, 0xF8}, {0xFF, 0, 0xFF, 0xFF}},
		{2, 2, {0xC0, 0x07}, {0, 0xFF, 0, 0}},
		{3, 2, {0xE0, 0x07}, {0, 0xFF, 0, 0xFF}},
		{4, 2, {0x34, 0x12}, {0x11, 0x22, 0x33, 0x44}},
		{5, 2, {0x80, 0x40}, {0x40, 0x40, 0x40, 0x80}},
		{6, 2, {0x10, 0x20}, {0x20, 0x10, 0, 0xFF}},
		{7, 1, {0x5A}, {0x5A, 0x5A, 0x5A, 0xFF}},
		{8, 1, {0x7F}, {0, 0, 0, 0x7F}},
		{9, 1, {0xA5}, {0xAA, 0xAA, 0xAA, 0x55}},
		{10, 1, {0x3C}, {0xCC, 0xCC, 0xCC, 0xFF}},
		{11, 1, {0x3C}, {0, 0, 0, 0xCC}},
	};
	uint8_t out[4];
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		texel_of(cases[i].format, cases[i].bytes, cases[i].count, 0, 7, out);
		ck_assert_mem_eq(out, cases[i].want, 4);
	}
	const uint8_t i4[1] = {0x3C}, odd[4] = {0x33, 0x33, 0x33, 0xFF};
	texel_of(10, i4, 1, 1, 7, out);
	ck_assert_mem_eq(out, odd, 4);
}

TEST(etc1_texels) {
	static const uint8_t individual[8] = {0x0F, 0x0F, 0xF0, 0x00, 0x34, 0x2A, 0x4C, 0xF8};
	static const uint8_t differential[8] = {0x21, 0x84, 0x01, 0x80, 0x77, 0xFC, 0x47, 0x81};
	static const struct {
		const uint8_t *bytes;
		int x, y;
		uint8_t want[4];
	} cases[] = {
		{ individual, 0, 0, { 255, 85, 51, 255 } },
		{ individual, 1, 1, { 250, 63, 29, 255 } },
		{ individual, 2, 0, { 216, 255, 250, 255 } },
		{ individual, 3, 3, { 160, 228, 194, 255 } },
		{ differential, 0, 0, { 90, 24, 213, 255 } },
		{ differential, 0, 1, { 145, 79, 255, 255 } },
		{ differential, 1, 1, { 174, 108, 255, 255 } },
		{ differential, 0, 2, { 164, 81, 246, 255 } },
		{ differential, 2, 2, { 220, 137, 255, 255 } },
		{ differential, 3, 3, { 60, 0, 142, 255 } },
	};
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		uint8_t out[4], with_alpha[16];
		texel_of(12, cases[i].bytes, 8, cases[i].x, 7 - cases[i].y, out);
		ck_assert_mem_eq(out, cases[i].want, 4);
		for (unsigned k = 0; k < 8; k++) { /* alpha nibble k = k mod 16 */
			with_alpha[k] = (uint8_t)(2 * k | (2 * k + 1) << 4);
		}
		memcpy(with_alpha + 8, cases[i].bytes, 8);
		texel_of(13, with_alpha, 16, cases[i].x, 7 - cases[i].y, out);
		ck_assert_mem_eq(out, cases[i].want, 3);
		ck_assert_uint_eq(out[3], (unsigned)(cases[i].x * 4 + cases[i].y) * 17);
	}
}

TEST(wrap_modes) {
	uint8_t i8[64], out[4];
	for (unsigned i = 0; i < 64; i++) { /* the texel's column */
		i8[i] = (uint8_t)((i & 1) | (i >> 1 & 2) | (i >> 2 & 4));
	}
	static const struct {
		unsigned mode;
		int i, want; /* -1: border */
	} cases[] = {
		{ 3, -9, 7 },
		{ 3, -8, 7 },
		{ 3, -1, 0 },
		{ 3, 7, 7 },
		{ 3, 8, 7 },
		{ 3, 15, 0 },
		{ 3, 16, 0 },
		{ 3, 17, 1 },
		{ 0, -1, 0 },
		{ 0, 8, 7 },
		{ 1, -1, -1 },
		{ 1, 8, -1 },
		{ 2, -1, 7 },
		{ 2, 8, 0 },
		{ 4, -1, 7 },
		{ 4, 8, 7 },
		{ 4, 20, 7 },
		{ 5, -1, 7 },
		{ 5, 8, -1 },
		{ 6, 9, 1 },
		{ 7, -9, 7 },
	};
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		const struct naive_texture t = { .enabled = true,
			.width = 8,
			.height = 8,
			.format = 7,
			.bytes = i8,
			.wrap_s = cases[i].mode,
			.border = { 1, 2, 3, 4 } };
		const uint8_t border[4] = {1, 2, 3, 4};
		naive_texel(&t, 0, cases[i].i, 0, out);
		if (cases[i].want < 0) {
			ck_assert_mem_eq(out, border, 4);
		} else {
			ck_assert_uint_eq(out[0], (unsigned)cases[i].want);
		}
	}
}

/* ---- Filters ---- */

TEST(bilinear_weights_and_levels) {
	/* 16x16 I8 with level 1: level 0 is 0 left of the middle and 200 right of it; level 1
	 * is 80. */
	uint8_t bytes[256 + 64], out[4];
	for (unsigned i = 0; i < 256; i++) {
		bytes[i] = i / 64 % 2 ? 200 : 0;
	}
	memset(bytes + 256, 80, 64);
	struct naive_texture t = { .enabled = true,
		.width = 16,
		.height = 16,
		.format = 7,
		.bytes = bytes,
		.max_level = 1,
		.level_offset = { 0, 256 },
		.mag_linear = true,
		.min_linear = false };
	/* Footprint of half a texel: magnified. u = 0.5 lies midway between texels 7 and 8. */
	float at[4][2] = {{0.5f, 0.5f}, {0.5f, 0.5f}, {0.5f + 1.0f / 32, 0.5f}, {0.5f, 0.5f}};
	naive_sample(&t, (const float(*)[2])at, out);
	ck_assert_uint_eq(out[0], 100);
	at[0][0] = 0.5f + 0.25f / 16; /* weight 192/256: 150 */
	naive_sample(&t, (const float(*)[2])at, out);
	ck_assert_uint_eq(out[0], 150);
	/* Footprint of 2 texels: lod 1. */
	at[2][0] = 0.5f + 2.0f / 16;
	naive_sample(&t, (const float(*)[2])at, out);
	ck_assert_uint_eq(out[0], 80);
	/* Bias -0.5 and linear mip: half way between 200 (nearest) and 80. */
	t.bias = -128;
	t.mip_linear = true;
	at[0][0] = 0.75f;
	naive_sample(&t, (const float(*)[2])at, out);
	ck_assert_uint_eq(out[0], 140);
	/* No footprint: minus infinity, the minimum level. */
	t.min_level = 1;
	at[2][0] = 0.5f;
	naive_sample(&t, (const float(*)[2])at, out);
	ck_assert_uint_eq(out[0], 80);
	/* Coordinates that are not numbers read index 0 with weight 0. */
	t.min_level = 0;
	at[0][0] = NAN;
	naive_sample(&t, (const float(*)[2])at, out);
	ck_assert_uint_eq(out[0], 0);
}

TEST(textures_that_are_not_there) {
	uint8_t out[4];
	const float at[4][2] = {{0}};
	const uint8_t none[4] = {0, 0, 0, 0}, null[4] = {0, 0, 0, 255};
	struct naive_texture t = {.enabled = false};
	naive_texture_read(n, 0, &t);
	naive_sample(&t, at, out);
	ck_assert_mem_eq(out, none, 4);
	put(REG_TEXUNIT_CONFIG, 1);
	put(REG_TEXUNIT0_DIM, TEXUNIT_DIM_WIDTH_SET(8) | TEXUNIT_DIM_HEIGHT_SET(8));
	naive_texture_read(n, 0, &t);
	naive_sample(&t, at, out);
	ck_assert_mem_eq(out, null, 4);
	put(REG_TEXUNIT0_ADDR1, VRAM >> 3);
	put(REG_TEXUNIT0_DIM, TEXUNIT_DIM_WIDTH_SET(12) | TEXUNIT_DIM_HEIGHT_SET(8));
	naive_texture_read(n, 0, &t);
	naive_sample(&t, at, out);
	ck_assert_mem_eq(out, none, 4);
	put(REG_TEXUNIT0_DIM, TEXUNIT_DIM_WIDTH_SET(64) | TEXUNIT_DIM_HEIGHT_SET(64));
	put(REG_TEXUNIT0_LOD, TEXUNIT_LOD_MAX_SET(15) | TEXUNIT_LOD_BIAS_SET(0x1F00));
	naive_texture_read(n, 0, &t);
	ck_assert_uint_eq(t.max_level, 3);
	ck_assert_int_eq(t.bias, -256);
	ck_assert_uint_eq(t.level_offset[1], 16384);
	ck_assert_uint_eq(t.level_offset[2], 20480);
	ck_assert_uint_eq(t.level_offset[3], 21504);
	free(t.bytes);
}

/* ---- Combiner: [fidelity: combiner-numbers] ---- */

static void stage(unsigned s, uint32_t source, uint32_t operand, uint32_t op, uint32_t color,
		uint32_t scale) {
	const uint32_t reg = regs_texenv[s];
	put(reg + REGS_TEXENV_SOURCE, source);
	put(reg + REGS_TEXENV_OPERAND, operand);
	put(reg + REGS_TEXENV_COMBINER, op);
	put(reg + REGS_TEXENV_COLOR, color);
	put(reg + REGS_TEXENV_SCALE, scale);
}

static void pass_through_from(unsigned s) {
	for (; s < 6; s++) {
		stage(s, 0x000F000F, 0, 0, 0, 0);
	}
}

/* One operation on gray a (primary), b (texture 0), c (texture 1), RGB and alpha alike. */
static void combine3(uint32_t op, uint32_t scale, const uint8_t a[4], const uint8_t b[4],
		const uint8_t c[4], uint8_t out[4]) {
	uint8_t tex[4][4] = {{0}};
	memcpy(tex[0], b, 4);
	memcpy(tex[1], c, 4);
	stage(0, 0x04300430, 0, op | op << 16, 0, scale | scale << 16);
	pass_through_from(1);
	naive_combine(n, a, tex, out);
}

static unsigned gray(uint32_t op, uint32_t scale, uint8_t a, uint8_t b, uint8_t c) {
	const uint8_t va[4] = {a, a, a, a}, vb[4] = {b, b, b, b}, vc[4] = {c, c, c, c};
	uint8_t out[4];
	combine3(op, scale, va, vb, vc, out);
	ck_assert_uint_eq(out[0], out[3]);
	return out[0];
}

TEST(combiner_operations) {
	ck_assert_uint_eq(gray(TEV_OP_MODULATE, 0, 127, 2, 0), 1);
	ck_assert_uint_eq(gray(TEV_OP_MODULATE, 0, 1, 254, 0), 1);
	ck_assert_uint_eq(gray(TEV_OP_MODULATE, 0, 128, 128, 0), 64);
	ck_assert_uint_eq(gray(TEV_OP_MODULATE, 0, 200, 100, 0), 78);
	ck_assert_uint_eq(gray(TEV_OP_INTERPOLATE, 0, 10, 250, 64), 190);
	ck_assert_uint_eq(gray(TEV_OP_INTERPOLATE, 0, 200, 100, 128), 150);
	ck_assert_uint_eq(gray(TEV_OP_MULTIPLY_ADD, 0, 200, 100, 50), 128);
	ck_assert_uint_eq(gray(TEV_OP_ADD_MULTIPLY, 0, 200, 100, 50), 50);
	ck_assert_uint_eq(gray(TEV_OP_ADD_SIGNED, 0, 100, 100, 0), 72);
	ck_assert_uint_eq(gray(TEV_OP_ADD, 0, 200, 100, 0), 255);
	ck_assert_uint_eq(gray(TEV_OP_REPLACE, TEV_SCALE_X4, 100, 0, 0), 255);
	ck_assert_uint_eq(gray(TEV_OP_REPLACE, TEV_SCALE_X2, 100, 0, 0), 200);
	ck_assert_uint_eq(gray(TEV_OP_REPLACE, 3, 100, 0, 0), 100);
	ck_assert_uint_eq(gray(TEV_OP_SUBTRACT, 0, 50, 80, 0), 0);
	ck_assert_uint_eq(gray(12, 0, 50, 80, 7), 0);
}

TEST(combiner_products_truncate_on_request) {
	naive_set_combiner(n, PICA_COMBINER_TRUNCATE);
	ck_assert_uint_eq(gray(TEV_OP_MODULATE, 0, 127, 2, 0), 0);
	ck_assert_uint_eq(gray(TEV_OP_MODULATE, 0, 1, 254, 0), 0);
	ck_assert_uint_eq(gray(TEV_OP_MODULATE, 0, 128, 128, 0), 64);
	ck_assert_uint_eq(gray(TEV_OP_MODULATE, 0, 200, 100, 0), 78);
	ck_assert_uint_eq(gray(TEV_OP_INTERPOLATE, 0, 10, 250, 64), 189);
	ck_assert_uint_eq(gray(TEV_OP_INTERPOLATE, 0, 200, 100, 128), 150);
	ck_assert_uint_eq(gray(TEV_OP_MULTIPLY_ADD, 0, 200, 100, 50), 128);
	ck_assert_uint_eq(gray(TEV_OP_MULTIPLY_ADD, 0, 127, 2, 50), 50);
	ck_assert_uint_eq(gray(TEV_OP_ADD_MULTIPLY, 0, 200, 100, 50), 50);
	ck_assert_uint_eq(gray(TEV_OP_ADD_MULTIPLY, 0, 100, 27, 2), 0);
	/* Sums have nothing to round; dot3 keeps the console's rounding: 0xC0 with itself. */
	ck_assert_uint_eq(gray(TEV_OP_ADD_SIGNED, 0, 100, 100, 0), 72);
	ck_assert_uint_eq(gray(TEV_OP_DOT3_RGBA, 0, 0xC0, 0xC0, 0), 0xC3);
}

static unsigned dot3_of(const uint8_t a[4], const uint8_t b[4]) {
	const uint8_t zero[4] = {0};
	uint8_t out[4];
	combine3(TEV_OP_DOT3_RGBA, 0, a, b, zero, out);
	ck_assert_uint_eq(out[0], out[1]);
	ck_assert_uint_eq(out[0], out[3]);
	return out[0];
}

/*
 * The run-length table of [fidelity: combiner-numbers]: first input of each run, and its result
 * [HW].
 */
TEST(dot3_console_samples) {
	static const uint8_t runs[][2] = {
		{0x00, 0xFF}, {0x36, 0xFC}, {0x37, 0xF3}, {0x38, 0xED}, {0x39, 0xE7}, {0x3A, 0xE1},
		{0x3B, 0xDB}, {0x3C, 0xD2}, {0x3D, 0xCC}, {0x3E, 0xC6}, {0x3F, 0xC0}, {0x40, 0xBA},
		{0x41, 0xB4}, {0x42, 0xAE}, {0x43, 0xA8}, {0x44, 0xA5}, {0x45, 0x9F}, {0x46, 0x99},
		{0x47, 0x93}, {0x48, 0x8D}, {0x49, 0x8A}, {0x4A, 0x84}, {0x4B, 0x7E}, {0x4C, 0x7B},
		{0x4D, 0x75}, {0x4E, 0x72}, {0x4F, 0x6C}, {0x50, 0x69}, {0x51, 0x63}, {0x52, 0x60},
		{0x53, 0x5A}, {0x54, 0x57}, {0x55, 0x54}, {0x56, 0x4E}, {0x57, 0x4B}, {0x58, 0x48},
		{0x59, 0x45}, {0x5A, 0x3F}, {0x5B, 0x3C}, {0x5C, 0x39}, {0x5D, 0x36}, {0x5E, 0x33},
		{0x5F, 0x30}, {0x60, 0x2D}, {0x61, 0x2A}, {0x62, 0x27}, {0x63, 0x24}, {0x64, 0x21},
		{0x66, 0x1E}, {0x67, 0x1B}, {0x68, 0x18}, {0x6A, 0x15}, {0x6B, 0x12}, {0x6D, 0x0F},
		{0x6F, 0x0C}, {0x71, 0x09}, {0x73, 0x06}, {0x76, 0x03}, {0x7A, 0x00}, {0x86, 0x03},
		{0x8A, 0x06}, {0x8D, 0x09}, {0x8F, 0x0C}, {0x91, 0x0F}, {0x93, 0x12}, {0x94, 0x15},
		{0x96, 0x18}, {0x97, 0x1B}, {0x99, 0x1E}, {0x9A, 0x21}, {0x9B, 0x24}, {0x9C, 0x27},
		{0x9D, 0x2A}, {0x9E, 0x2D}, {0x9F, 0x30}, {0xA0, 0x33}, {0xA1, 0x36}, {0xA2, 0x39},
		{0xA3, 0x3C}, {0xA4, 0x3F}, {0xA5, 0x42}, {0xA6, 0x45}, {0xA7, 0x48}, {0xA8, 0x4E},
		{0xA9, 0x51}, {0xAA, 0x54}, {0xAB, 0x5A}, {0xAC, 0x5D}, {0xAD, 0x60}, {0xAE, 0x66},
		{0xAF, 0x69}, {0xB0, 0x6F}, {0xB1, 0x72}, {0xB2, 0x78}, {0xB3, 0x7E}, {0xB4, 0x81},
		{0xB5, 0x87}, {0xB6, 0x8D}, {0xB7, 0x90}, {0xB8, 0x96}, {0xB9, 0x9C}, {0xBA, 0xA2},
		{0xBB, 0xA8}, {0xBC, 0xAB}, {0xBD, 0xB1}, {0xBE, 0xB7}, {0xBF, 0xBD}, {0xC0, 0xC3},
		{0xC1, 0xC9}, {0xC2, 0xCF}, {0xC3, 0xD5}, {0xC4, 0xDE}, {0xC5, 0xE4}, {0xC6, 0xEA},
		{0xC7, 0xF0}, {0xC8, 0xF6}, {0xC9, 0xFF},
	};
	unsigned run = 0;
	for (unsigned i = 0; i < 256; i++) {
		if (run + 1 < ARRAY_LEN(runs) && runs[run + 1][0] == i) {
			run++;
		}
		const uint8_t v[4] = {(uint8_t)i, (uint8_t)i, (uint8_t)i, 0};
		ck_assert_msg(dot3_of(v, v) == runs[run][1], "input %02X", i);
		const uint8_t h = 0x80, l = 0x7F, x = (uint8_t)i;
		const uint8_t hhh[4] = {h, h, h, 0}, hlh[4] = {h, l, h, 0}, hhx[4] = {x, h, h, 0};
		const uint8_t hxx[4] = {x, x, h, 0}, xlh[4] = {x, l, h, 0};
		ck_assert_uint_eq(dot3_of(hhh, v), i < 0xC0 ? 0 : 3);
		ck_assert_uint_eq(dot3_of(hhh, hhx), i < 0xC0 ? 0 : 1);
		ck_assert_uint_eq(dot3_of(hhh, hxx), i < 0xC0 ? 0 : 2);
		ck_assert_uint_eq(dot3_of(hhh, xlh), 0);
		ck_assert_uint_eq(dot3_of(hlh, hxx), 0);
		ck_assert_uint_eq(dot3_of(hlh, v), i < 0xC0 ? 0 : 1);
	}
}

TEST(combiner_buffer_lags_by_one_stage) {
	uint8_t tex[4][4] = {{0}}, out[4];
	const uint8_t primary[4] = {9, 9, 9, 9};
	put(REG_TEXENV_BUFFER_COLOR, 0x0D0C0B0A);
	for (unsigned latched = 0; latched < 2; latched++) {
		put(REG_TEXENV_UPDATE_BUFFER, latched ? 0x1100 : 0);
		stage(0, 0x000E000E, 0, 0, 0x04030201, 0);
		stage(1, 0x000E000E, 0, 0, 0x08070605, 0);
		stage(2, 0x000D000D, 0, 0, 0, 0);
		pass_through_from(3);
		naive_combine(n, primary, tex, out);
		ck_assert_uint_eq(word_at(out), latched ? 0x04030201 : 0x0D0C0B0A);
	}
	stage(1, 0x000D000D, 0, 0, 0, 0);
	pass_through_from(2);
	naive_combine(n, primary, tex, out);
	ck_assert_uint_eq(word_at(out), 0x0D0C0B0A);
	stage(0, 0x000D000D, 0, 0, 0x04030201, 0);
	pass_through_from(1);
	naive_combine(n, primary, tex, out);
	ck_assert_uint_eq(word_at(out), 0);
}

TEST(previous_in_stage_0_is_the_third_source) {
	uint8_t tex[4][4] = {{0}}, out[4];
	const uint8_t primary[4] = {9, 9, 9, 9};
	stage(0, 0x0EEF0EEF, 0, 0, 0x281E140A, 0);
	pass_through_from(1);
	naive_combine(n, primary, tex, out);
	ck_assert_uint_eq(word_at(out), 0x281E140A);
	stage(0, 0x0FFF0FFF, 0, 0, 0x281E140A, 0);
	naive_combine(n, primary, tex, out);
	ck_assert_uint_eq(word_at(out), 0);
}

/* ---- Tests, blending, the store: [fidelity: output-numbers] ---- */

TEST(depth_to_integer) {
	ck_assert_uint_eq(naive_depth_to_int(0.5f, 24), 0x7FFFFF);
	ck_assert_uint_eq(naive_depth_to_int(0.5f, 16), 0x7FFF);
	ck_assert_uint_eq(naive_depth_to_int(0.1f, 24), 0x199999);
	ck_assert_uint_eq(naive_depth_to_int(1.0f, 24), 0xFFFFFF);
	ck_assert_uint_eq(naive_depth_to_int(1.0f, 16), 0xFFFF);
	ck_assert_uint_eq(naive_depth_to_int(0.0f, 24), 0);
	ck_assert_uint_eq(naive_depth_to_int(0x1p-30f, 24), 0);
	/* Against exact integers: d = k / 2^23, floor(k * (2^24 - 1) / 2^23). */
	for (uint64_t k = 0; k <= 1u << 23; k += 997) {
		const uint64_t want = k * 0xFFFFFF >> 23;
		ck_assert_uint_eq(naive_depth_to_int((float)k / 0x1p23f, 24), want);
	}
}

/* A fragment of the given colour and depth on the first pixel of the plain target. */
static void fragment(uint32_t rgba, float depth) {
	uint8_t tex[4][4] = {{0}};
	const uint8_t c[4] = {(uint8_t)(rgba >> 24), (uint8_t)(rgba >> 16), (uint8_t)(rgba >> 8),
		(uint8_t)rgba};
	naive_draw_begin(n);
	naive_fragment(n, 0, depth, c, tex);
	naive_draw_end(n);
}

TEST(blend_equations) {
	plain_target(8, 8);
	put(REG_BLEND_COLOR, 0x80808080);
	static const struct {
		uint32_t eq, src, dst, s, d, want;
	} cases[] = {
		{BLEND_EQ_ADD, 10, 11, 200, 100, 150},
		{BLEND_EQ_SUBTRACT, 10, 11, 200, 100, 50},
		{BLEND_EQ_REVERSE_SUBTRACT, 10, 11, 200, 100, 0},
		{BLEND_EQ_MIN, 10, 11, 200, 100, 49},
		{BLEND_EQ_MAX, 10, 11, 200, 100, 100},
		{BLEND_EQ_ADD, 1, 1, 10, 20, 30},
		{BLEND_EQ_SUBTRACT, 1, 1, 10, 20, 0},
		{BLEND_EQ_REVERSE_SUBTRACT, 1, 1, 10, 20, 10},
		{BLEND_EQ_MIN, 0, 0, 10, 20, 0},
		{6, 1, 1, 10, 20, 30},
	};
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		put(REG_BLEND_FUNC, BLEND_FUNC_RGB_EQ_SET(cases[i].eq) |
					    BLEND_FUNC_ALPHA_EQ_SET(cases[i].eq) |
					    BLEND_FUNC_RGB_SRC_SET(cases[i].src) |
					    BLEND_FUNC_RGB_DST_SET(cases[i].dst) |
					    BLEND_FUNC_ALPHA_SRC_SET(cases[i].src) |
					    BLEND_FUNC_ALPHA_DST_SET(cases[i].dst));
		put_word(vram, cases[i].d * 0x01010101);
		fragment(cases[i].s * 0x01010101, 0);
		ck_assert_uint_eq(word_at(vram), cases[i].want * 0x01010101);
	}
}

TEST(masks_and_disabled_access) {
	plain_target(8, 8);
	put_word(vram, 0x11223344);
	put(REG_DEPTH_COLOR_MASK, DEPTH_COLOR_MASK_COLOR_WRITE_SET(5));
	fragment(0xAABBCCDD, 0);
	ck_assert_uint_eq(word_at(vram), 0xAA22CC44);
	put(REG_COLORBUFFER_READ, 0); /* masked channels stay even so */
	put_word(vram, 0x11223344);
	fragment(0xAABBCCDD, 0);
	ck_assert_uint_eq(word_at(vram), 0xAA22CC44);
	put(REG_DEPTH_COLOR_MASK, DEPTH_COLOR_MASK_COLOR_WRITE_SET(15));
	put(REG_BLEND_FUNC, 0x11110000); /* one, one */
	fragment(0x01020304, 0);
	ck_assert_uint_eq(word_at(vram), 0x01020304);
	put(REG_COLORBUFFER_WRITE, 0);
	fragment(0xFFFFFFFF, 0);
	ck_assert_uint_eq(word_at(vram), 0x01020304);
	put(REG_COLORBUFFER_WRITE, 15);
	put(REG_COLOR_OPERATION, 0);
	put(REG_COLORBUFFER_READ, 15);
	put(REG_LOGIC_OP, LOGIC_OP_XOR);
	fragment(0xFF00FF00, 0);
	ck_assert_uint_eq(word_at(vram), 0xFE02FC04);
}

TEST(alpha_test_compares_with_the_reference) {
	plain_target(8, 8);
	put(REG_FRAGOP_ALPHA_TEST, FRAGOP_ALPHA_TEST_ENABLE_SET(1) |
					   FRAGOP_ALPHA_TEST_FUNC_SET(COMPARE_GREATER) |
					   FRAGOP_ALPHA_TEST_REF_SET(0x80));
	fragment(0xFFFFFF80, 0);
	ck_assert_uint_eq(word_at(vram), 0);
	fragment(0xFFFFFF81, 0);
	ck_assert_uint_eq(word_at(vram), 0xFFFFFF81);
}

TEST(stencil_and_depth) {
	uint8_t *zs = vram + VRAM_BYTES / 2;
	plain_target(8, 8);
	put(REG_DEPTHBUFFER_FORMAT, DEPTH_FORMAT_D24S8);
	put(REG_DEPTHBUFFER_WRITE, 3);
	put(REG_DEPTH_COLOR_MASK,
		DEPTH_COLOR_MASK_DEPTH_WRITE_SET(1)); /* written without a test [HW] */
	fragment(0, 0.5f);
	ck_assert_uint_eq(word_at(zs), 0x007FFFFF);
	/* ref 5A, compare mask 0F, stored FA, ==: passes; replace under write mask F0 gives 5A. */
	put_word(zs, 0xFA123456);
	put(REG_STENCIL_TEST, STENCIL_TEST_ENABLE_SET(1) | STENCIL_TEST_FUNC_SET(COMPARE_EQUAL) |
			STENCIL_TEST_WRITE_MASK_SET(0xF0) | STENCIL_TEST_REF_SET(0x5A) |
			STENCIL_TEST_COMPARE_MASK_SET(0x0F));
	put(REG_STENCIL_OP, STENCIL_OP_ZPASS_SET(STENCIL_OP_REPLACE));
	put(REG_DEPTH_COLOR_MASK, 0);
	fragment(0, 0.5f);
	ck_assert_uint_eq(word_at(zs), 0x5A123456);
	ck_assert_mem_eq(zs, "\x56\x34\x12\x5A", 4);
	/* A failing depth test runs the z-fail operation and keeps the depth. */
	put(REG_STENCIL_OP, STENCIL_OP_ZFAIL_SET(STENCIL_OP_INCR));
	put(REG_STENCIL_TEST, STENCIL_TEST_ENABLE_SET(1) | STENCIL_TEST_FUNC_SET(COMPARE_ALWAYS) |
			STENCIL_TEST_WRITE_MASK_SET(0xFF));
	put(REG_DEPTH_COLOR_MASK, DEPTH_COLOR_MASK_ENABLE_SET(1) |
					  DEPTH_COLOR_MASK_FUNC_SET(COMPARE_LESS) |
					  DEPTH_COLOR_MASK_DEPTH_WRITE_SET(1));
	put_word(zs, 0xFF000010);
	fragment(0, 0.5f);
	ck_assert_uint_eq(word_at(zs), 0xFF000010);
	put(REG_STENCIL_OP, STENCIL_OP_ZFAIL_SET(STENCIL_OP_INCR_WRAP));
	fragment(0, 0.5f);
	ck_assert_uint_eq(word_at(zs), 0x00000010);
}

TEST(w_buffer_and_depth_map) {
	/* z/w = -0.2, scale -1, offset 0.3: 0.5; in W mode times w = 1. [HW design] */
	uint8_t *zs = vram + VRAM_BYTES / 2;
	const float white[4] = {1, 1, 1, 1};
	plain_target(8, 8);
	put(REG_DEPTHBUFFER_FORMAT, DEPTH_FORMAT_D24);
	put(REG_DEPTHBUFFER_WRITE, 2);
	put(REG_DEPTH_COLOR_MASK, DEPTH_COLOR_MASK_DEPTH_WRITE_SET(1));
	put_f24(REG_DEPTHMAP_SCALE, -0.5f);
	put_f24(REG_DEPTHMAP_OFFSET, 0.25f);
	for (unsigned mode = 0; mode < 2; mode++) {
		memset(zs, 0, 256);
		put(REG_DEPTHMAP_ENABLE, mode);
		put(REG_RESTART_PRIMITIVE, 1);
		put(REG_FIXEDATTRIB_INDEX, 15);
		vertex(0, 0, white);
		vertex(16, 0, white);
		vertex(0, 16, white);
		ck_assert_uint_eq(word_at(zs) & 0xFFFFFF, 0x7FFFFF); /* z = -0.5: 0.25 + 0.25 */
	}
}
