/*
 * Unit 0 of the naive renderer against [fidelity: texture-fields, cube, shadow-texture,
 * texture-numbers].
 */
#include "test_naive.h"

#include <math.h>
#include <string.h>

#include "core/base/attributes.h"
#include "pica/regs/regs.h"
#include "tests/suite.h"

enum { FACE = 0x400 }; /* bytes between the faces */

/* An 8x8 unit 0 of this type; its faces follow each other in memory. */
static void unit0(unsigned type, unsigned format) {
	put(REG_TEXUNIT_CONFIG, TEXUNIT_CONFIG_ENABLE0_SET(1));
	put(REG_TEXUNIT0_DIM, TEXUNIT_DIM_WIDTH_SET(8) | TEXUNIT_DIM_HEIGHT_SET(8));
	put(REG_TEXUNIT0_PARAM, TEXUNIT_PARAM_TYPE_SET(type));
	put(REG_TEXUNIT0_TYPE, format);
	put(REG_TEXUNIT0_ADDR1, VRAM >> 3);
	for (unsigned i = 1; i < 6; i++) {
		put(REG_TEXUNIT0_ADDR1 + i, (VRAM + i * FACE) >> 3 & 0x3FFFFF);
	}
}

static void sample(float u, float v, float w, uint8_t out[4]) {
	const float at[4][3] = {{u, v, w}, {u, v, w}, {u, v, w}, {u, v, w}};
	naive_draw_begin(n);
	naive_sample_unit0(&n->draw, at, out);
	naive_draw_end(n);
}

FIXTURE(setup, teardown)

TEST(faces_of_a_cube) {
	/* I8: 32 * face + 8 * (s > 3) + 4 * (t > 3). t counts from the last memory row. */
	for (unsigned i = 0; i < 6; i++) {
		for (unsigned k = 0; k < 64; k++) {
			const unsigned col = (k & 1) | (k >> 1 & 2) | (k >> 2 & 4);
			const unsigned row = (k >> 1 & 1) | (k >> 2 & 2) | (k >> 3 & 4);
			vram[i * FACE + k] = (uint8_t)(32 * i + 8 * (col > 3) + 4 * (row < 4));
		}
	}
	static const struct {
		float u, v, w;
		unsigned want;
	} cases[] = {
		/* s = -w, t = -v on +X; s = +w on -X. */
		{ 1, 0.5f, 0.5f, 0 },
		{ 1, -0.5f, -0.5f, 12 },
		{ 1, -0.5f, 0.5f, 4 },
		{ -1, 0.5f, 0.5f, 32 + 8 },
		{ -1, -0.5f, -0.5f, 32 + 4 },
		/* s = u, t = w on +Y; t = -w on -Y. */
		{ 0.5f, 1, 0.5f, 64 + 12 },
		{ 0.5f, 1, -0.5f, 64 + 8 },
		{ -0.5f, -1, -0.5f, 96 + 4 },
		/* s = u, t = -v on +Z; s = -u on -Z. */
		{ 0.5f, 0.5f, 1, 128 + 8 },
		{ 0.5f, 0.5f, -1, 160 },
		{ -0.5f, -0.5f, -1, 160 + 12 },
		/* Ties go to Y before X, to Z before Y; no direction is the middle of -Z. */
		{ 1, 1, 0, 64 + 12 },
		{ 1, -1, 1, 128 + 12 },
		{ 0, 0, 0, 160 + 12 },
	};
	uint8_t out[4];
	unit0(TEXTURE_TYPE_CUBE, TEXTURE_FORMAT_I8);
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		sample(cases[i].u, cases[i].v, cases[i].w, out);
		ck_assert_msg(out[0] == cases[i].want, "case %u: %u", i, out[0]);
	}
	/* The upper six bits are those of the first face, whatever the others hold. */
	put(REG_TEXUNIT0_ADDR2, 0xFFC00000 | ((VRAM + FACE) >> 3 & 0x3FFFFF));
	sample(-1, 0.5f, 0.5f, out);
	ck_assert_uint_eq(out[0], 32 + 8);
}

TEST(projection_divides) {
	uint8_t out[4];
	memset(vram, 10, 64);
	vram[0] = 99; /* memory (0, 0): s 0, t 7 */
	unit0(TEXTURE_TYPE_PROJECTION, TEXTURE_FORMAT_I8);
	sample(0.1f, 3.8f, 4.0f, out);
	ck_assert_uint_eq(out[0], 99);
	sample(-0.1f, -3.8f, -4.0f, out);
	ck_assert_uint_eq(out[0], 99);
	sample(0.1f, 3.8f, 1.0f, out); /* t = 30, clamped: the same row; s = 0 */
	ck_assert_uint_eq(out[0], 99);
	sample(0.6f, 3.8f, 4.0f, out);
	ck_assert_uint_eq(out[0], 10);
	sample(0.1f, 0.9f, 0.0f, out); /* infinity: index 0, the last memory row */
	ck_assert_uint_eq(out[0], 10);
}

static void put_texels(uint32_t offset, uint32_t depth, unsigned density) {
	for (unsigned i = 0; i < 64; i++) {
		const uint8_t texel[4] = { (uint8_t)(depth >> 16), (uint8_t)(depth >> 8),
			(uint8_t)depth, (uint8_t)density };
		memcpy(vram + offset + 4 * i, texel, 4);
	}
}

TEST(shadow_maps) {
	static const struct {
		uint32_t word, depth;
		float w;
		unsigned want;
	} cases[] = {
		{ 0x200, 0x7FFDFF, 0.5f, 0 }, /* equal: in shadow */
		{ 0x202, 0x7FFDFF, 0.5f, 0xC8 },
		{ 0x203, 0x7FFDFF, -0.5f, 0xC8 },
		{ 0x000, 0x7FFFFF, 0.5f, 0 },
		{ 0x000, 0x800000, 0.5f, 0xC8 },
		{ 0xFFFFFE, 0, 0.5f, 0 }, /* z stays at 0 */
		{ 0xFFFFFE, 1, 0.5f, 0xC8 },
		{ 0, 0xFFFFFF, 1.5f, 0 },
	};
	uint8_t out[4];
	unit0(TEXTURE_TYPE_SHADOW_2D, TEXTURE_FORMAT_RGBA8);
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		const float by = cases[i].word & 1 ? 1.0f : cases[i].w;
		put_texels(0, cases[i].depth, 0xC8);
		put(REG_TEXUNIT0_SHADOW, cases[i].word);
		sample(0.5f * by, 0.5f * by, cases[i].w, out);
		for (unsigned c = 0; c < 4; c++) {
			ck_assert_msg(out[c] == cases[i].want, "case %u: %u", i, out[c]);
		}
	}
	/* Half outside on the left: (255 + 0) / 2, rounded up; three quarters in the corner. */
	put(REG_TEXUNIT0_SHADOW, 1);
	put_texels(0, 0, 0xC8);
	sample(0.0f, 0.5f, 0.5f, out);
	ck_assert_uint_eq(out[0], 128);
	sample(0.0f, 0.0f, 0.5f, out);
	ck_assert_uint_eq(out[3], 191);
	sample(NAN, NAN, 0.5f, out); /* texel 0 alone */
	ck_assert_uint_eq(out[0], 0);
}

TEST(shadow_cubes) {
	uint8_t out[4];
	unit0(TEXTURE_TYPE_SHADOW_CUBE, TEXTURE_FORMAT_RGBA8);
	put(REG_TEXUNIT0_SHADOW, 1); /* division is that of the cube all the same */
	for (unsigned i = 0; i < 6; i++) {
		put_texels(i * FACE, 0x200000 * (i + 1), 10 * (i + 1));
	}
	for (unsigned i = 0; i < 6; i++) {
		for (unsigned behind = 0; behind < 2; behind++) {
			float c[3] = {0, 0, 0};
			const float distance = (float)(i + 1) / 8 + (behind ? 0.01f : -0.01f);
			c[i / 2] = i & 1 ? -distance : distance;
			sample(c[0], c[1], c[2], out);
			ck_assert_uint_eq(out[1], behind ? 0 : 10 * (i + 1));
		}
	}
	/* At the edge of a face its own texels count twice. */
	sample(0.5f, 0.125f, 0.5f, out);
	ck_assert_uint_eq(out[0], 50);
}

TEST(disabled_type_and_missing_faces) {
	const uint8_t none[4] = {0, 0, 0, 0}, null[4] = {0, 0, 0, 255};
	uint8_t out[4];
	memset(vram, 77, 0x2000);
	unit0(TEXTURE_TYPE_CUBE, TEXTURE_FORMAT_I8);
	sample(-1, 0, 0, out);
	ck_assert_uint_eq(out[0], 77);
	unit0(TEXTURE_TYPE_DISABLED, TEXTURE_FORMAT_I8);
	sample(-1, 0, 0, out);
	ck_assert_mem_eq(out, none, 4);
	unit0(TEXTURE_TYPE_CUBE, TEXTURE_FORMAT_I8);
	put(REG_TEXUNIT_CONFIG, 0);
	sample(-1, 0, 0, out);
	ck_assert_mem_eq(out, none, 4);
	unit0(TEXTURE_TYPE_CUBE, TEXTURE_FORMAT_I8);
	put(REG_TEXUNIT0_ADDR1, 0);
	sample(1, 0, 0, out);
	ck_assert_mem_eq(out, null, 4);
	unit0(TEXTURE_TYPE_SHADOW_CUBE, 15);
	sample(1, 0, 0, out);
	ck_assert_mem_eq(out, none, 4);
}
