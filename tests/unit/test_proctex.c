/*
 * The procedural texture unit: numbers [fidelity: texture-numbers] and hand arithmetic, for each
 * instruction set. _i is the set.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/f24.h"
#include "isa_test.h"
#include "pica/frag/frag.h"
#include "pica/frag/kernels.h"
#include "pica/frag/proctex.h"
#include "pica/regs/regs.h"
#include "tests/suite.h"

static struct frag_proctex unit;
static struct proctex_map ramp, zero, alpha_ramp;
static struct proctex_colors colors;
static uint32_t regs[REG_COUNT];
static struct tex_kernels tk;
static const struct proctex_kernels *k;
PICA_ALIGNED(64) static float u[BATCH], v[BATCH], r[BATCH];
PICA_ALIGNED(64) static uint16_t out[4][BATCH];

static void open_isa(int isa) {
	uint32_t words[PROCTEX_MAP_ENTRIES];
	k = frag_kernels_for((enum isa)isa)->proctex;
	tex_kernels_init(&tk, (enum isa)isa);
	for (unsigned i = 0; i < PROCTEX_MAP_ENTRIES; i++) {
		words[i] = i * 32 | (i < 127 ? 32u : 31u) << 12;
	}
	proctex_map_decode(&ramp, words);
	memset(words, 0, sizeof(words));
	proctex_map_decode(&zero, words);
	memset(regs, 0, sizeof(regs));
	memset(&colors, 0, sizeof(colors));
	memset(u, 0, sizeof(u));
	memset(v, 0, sizeof(v));
}

static void fill(float *c, float value) {
	for (unsigned i = 0; i < BATCH; i++) {
		c[i] = value;
	}
}

/* ---- Noise ---- */

/* With a table of zeros, the noise in the middle of a cell is that of its first corner. */
static unsigned corner(unsigned x, unsigned y) {
	const struct proctex_noise noise = {
		.amplitude = { 0.25f, 0.0f }, .frequency = { 1.0f, 1.0f }, .map = &zero
	};
	fill(u, (float)x + 0.5f);
	fill(v, (float)y + 0.5f);
	k->noise(u, v, &noise, BATCH);
	const float slope = (u[0] - ((float)x + 0.5f)) * 4.0f;
	ck_assert(v[0] == (float)y + 0.5f);
	for (unsigned i = 1; i < BATCH; i++) {
		ck_assert(u[i] == u[0] && v[i] == v[0]);
	}
	return (unsigned)((slope + 1.0f) * 7.5f + 0.5f);
}

ISA_TEST(noise_slopes_are_those_of_the_console) {
	static const uint8_t want[4][9] = {
		{ 2, 2, 1, 7, 13, 12, 13, 3, 13 },
		{ 13, 3, 2, 6, 10, 13, 14, 2, 2 },
		{ 8, 4, 15, 13, 7, 2, 11, 9, 7 },
		{ 11, 5, 8, 12, 4, 3, 4, 8, 4 },
	};
	open_isa(_i);
	for (unsigned y = 0; y < 4; y++) {
		for (unsigned x = 0; x < 9; x++) {
			ck_assert_uint_eq(corner(x, y), want[y][x]);
		}
	}
	ck_assert_uint_eq(corner(10, 20), 10);
	ck_assert_uint_eq(corner(35, 7), 15);
	ck_assert_uint_eq(corner(0, 144), 2);
	for (unsigned x = 0; x < 6; x++) { /* the pattern comes again after 144 cells */
		ck_assert_uint_eq(corner(144 + x, 3), corner(x, 3));
		ck_assert_uint_eq(corner(2, 288 + x), corner(2, x));
	}
}

ISA_TEST(noise_values_of_the_specification) {
	static const float cases[3][3] = { { 0.25f, 0.5f, 0.0584f }, { 0.3f, 0.7f, -0.1399f },
		{ 1.6f, 0.1f, 0.0730f } };
	open_isa(_i);
	/* Frequency 1, phase 0, amplitude 1/4 in u and 1/8 in v, through the registers. */
	regs[REG_TEXUNIT3_PROCTEX1] = 0x0400;
	regs[REG_TEXUNIT3_PROCTEX2] = 0x0200;
	regs[REG_TEXUNIT3_PROCTEX3] = 0x3C003C00;
	proctex_from_regs(&unit, regs);
	unit.noise.map = &ramp;
	for (unsigned i = 0; i < 3; i++) {
		fill(u, cases[i][0]);
		fill(v, cases[i][1]);
		k->noise(u, v, &unit.noise, BATCH);
		ck_assert_float_eq_tol((u[0] - cases[i][0]) * 4, cases[i][2], 0.0005f);
		ck_assert_float_eq_tol((v[0] - cases[i][1]) * 8, cases[i][2], 0.0005f);
	}
	/* A phase moves to the same places; amplitudes are negative, results absolute. */
	regs[REG_TEXUNIT3_PROCTEX1] = f32_to_f16(1.0f) << 16 | 0x8000; /* -8 */
	regs[REG_TEXUNIT3_PROCTEX2] = f32_to_f16(-1.5f) << 16;
	proctex_from_regs(&unit, regs);
	unit.noise.map = &ramp;
	fill(u, 0.6f);
	fill(v, 1.6f); /* |1.6 - 1.5| */
	k->noise(u, v, &unit.noise, BATCH);
	ck_assert_float_eq_tol(u[0], fabsf(0.6f - 8 * 0.0730f), 0.004f);
	ck_assert(v[0] == 1.6f);
}

ISA_TEST(noise_of_any_register_is_finite) {
	static const uint16_t words[] = { 0x7C00, 0xFC00, 0x7E00, 0xFFFF, 0x7BFF, 0xFBFF, 0, 0x8000,
		1 };
	open_isa(_i);
	for (unsigned i = 0; i < 9 * 9; i++) {
		regs[REG_TEXUNIT3_PROCTEX1] = (uint32_t)words[i / 9] << 16 | 0x7FFF;
		regs[REG_TEXUNIT3_PROCTEX2] = (uint32_t)words[i % 9] << 16 | 0x8000;
		regs[REG_TEXUNIT3_PROCTEX3] = (uint32_t)words[i % 9] << 16 | words[(i / 9 + i) % 9];
		proctex_from_regs(&unit, regs);
		unit.noise.map = &ramp;
		static const float at[8] = { 0, 1, 1e9f, -3, 0x1p-140f, NAN, INFINITY, -INFINITY };
		for (unsigned j = 0; j < BATCH; j++) {
			r[j] = at[j % 8];
		}
		k->coord(u, r, BATCH);
		k->coord(v, r, BATCH);
		k->noise(u, v, &unit.noise, BATCH);
		for (unsigned j = 0; j < BATCH; j++) {
			ck_assert(u[j] >= 0.0f && u[j] <= 4194400.0f && v[j] >= 0.0f &&
					v[j] <= 4194400.0f);
		}
	}
}

/* ---- Coordinates, shift, clamp, functions, maps ---- */

ISA_TEST(coordinates_are_magnitudes) {
	static const float in[8] = { -0.25f, 0.25f, NAN, INFINITY, -INFINITY, 1e20f, -0.0f, -7.5f };
	static const float want[8] = { 0.25f, 0.25f, 0, 0, 0, 4194304.0f, 0, 7.5f };
	open_isa(_i);
	for (unsigned i = 0; i < BATCH; i++) {
		u[i] = in[i % 8];
	}
	k->coord(r, u, BATCH);
	for (unsigned i = 0; i < BATCH; i++) {
		ck_assert_uint_eq(f32_bits(r[i]), f32_bits(want[i % 8]));
	}
}

ISA_TEST(shift_of_the_specification) {
	static const float odd[5] = { 0, 0, 0.5f, 0.5f, 0 }, even[5] = { 0, 0.5f, 0.5f, 0, 0 };
	open_isa(_i);
	for (unsigned i = 0; i < BATCH; i++) {
		v[i] = (float)(i % 5) + 0.5f;
	}
	k->shift(r, v, false, 0.5f, BATCH);
	for (unsigned i = 0; i < BATCH; i++) {
		ck_assert(r[i] == odd[i % 5]);
	}
	k->shift(r, v, true, 1.0f, BATCH);
	for (unsigned i = 0; i < BATCH; i++) {
		ck_assert(r[i] == 2 * even[i % 5]);
	}
}

ISA_TEST(clamp_of_the_specification) {
	static const float want[5][3] = { { 0.25f, 0, 0 }, { 0.25f, 1, 1 }, { 0.25f, 0.25f, 0.75f },
		{ 0.25f, 0.75f, 0.75f }, { 0, 1, 1 } };
	static const float at[3] = { 0.25f, 1.25f, 2.75f };
	open_isa(_i);
	for (unsigned mode = 0; mode < 8; mode++) {
		for (unsigned shifted = 0; shifted < 2; shifted++) {
			for (unsigned i = 0; i < BATCH; i++) {
				v[i] = 0.125f;
				u[i] = at[i % 3] - (shifted ? 0.125f : 0.0f);
			}
			k->clamp(u, shifted ? v : NULL, mode, BATCH);
			for (unsigned i = 0; i < BATCH; i++) {
				ck_assert(u[i] == want[mode < 5 ? mode : 1][i % 3]);
			}
		}
	}
	/* Borders: 1 is inside; one half gives no pulse; 3 mirrors again. */
	static const float border[5] = { 1, 1, 0, 1, 1 }, half[5] = { 0.5f, 0.5f, 0.5f, 0.5f, 0 };
	for (unsigned mode = 0; mode < 5; mode++) {
		fill(u, 1.0f);
		k->clamp(u, NULL, mode, 16);
		ck_assert(u[0] == border[mode]);
		fill(u, 0.5f);
		k->clamp(u, NULL, mode, 16);
		ck_assert(u[0] == half[mode]);
		ck_assert(u[15] == half[mode] && u[16] == 0.5f); /* 16 lanes, no more */
	}
	fill(u, 3.25f);
	k->clamp(u, NULL, PROCTEX_CLAMP_MIRRORED_REPEAT, BATCH);
	ck_assert(u[0] == 0.75f);
}

ISA_TEST(functions_and_maps) {
	/* u = 0.5, v = 0.75: by hand. */
	const double length = 0.9013878188659973;
	const double want[12] = { 0.5, 0.25, 0.75, 0.5625, 0.625, 0.40625, length, 0.5, 0.75,
		(0.625 + length) / 2, 0, 0 };
	open_isa(_i);
	fill(u, 0.5f);
	fill(v, 0.75f);
	for (unsigned f = 0; f < 12; f++) {
		k->map(r, u, v, f, &ramp, BATCH);
		/* The ramp is c * 4096/4095, 4064/4095 + ... at its end. */
		ck_assert_double_eq_tol((double)r[0] * 4095 / 4096, want[f], 1e-6);
		ck_assert(r[63] == r[0]);
	}
	fill(u, 1.0f);
	fill(v, 1.0f);
	for (unsigned f = 0; f < 10; f++) { /* all end at 1: i = 127, f = 1 */
		k->map(r, u, v, f, &ramp, BATCH);
		ck_assert(r[0] == 1.0f);
	}
	/* Differences are signed, and what leaves 0..1 is cut off. [10.2] */
	struct proctex_map map;
	uint32_t words[PROCTEX_MAP_ENTRIES] = { 0x800FFF, 0x7FF000, 0x7FFFFF, 0xFFF000 };
	proctex_map_decode(&map, words);
	ck_assert(map.row[0][0] == 1.0f && map.row[0][1] == -2048.0f / 4095.0f);
	ck_assert(map.row[1][0] == 0.0f && map.row[1][1] == 2047.0f / 4095.0f);
	static const float at[4] = { 0.5f, 1.5f, 2.5f, 3.5f };
	for (unsigned i = 0; i < BATCH; i++) {
		u[i] = at[i % 4] / 128.0f;
	}
	k->map(r, u, v, PROCTEX_MAP_U, &map, BATCH);
	ck_assert_float_eq_tol(r[0], 1 - 1024 / 4095.0f, 1e-6f);
	ck_assert_float_eq_tol(r[1], 1023.5f / 4095.0f, 1e-6f);
	ck_assert(r[2] == 1.0f && r[3] == 0.0f);
}

/* ---- Colour ---- */

ISA_TEST(colour_index_of_the_specification) {
	static const float c[4] = { 0, 0.25f, 0.5f, 1 };
	static const uint8_t nearest[4] = { 0, 32, 64, 127 };
	/* Entry i is i in red with twice 8 to the next; alpha falls by 2 * 128. */
	static const uint8_t red[4] = { 0, 31 + 12, 63 + 8, 127 }, alpha[4] = { 200, 8, 72, 200 };
	open_isa(_i);
	regs[REG_TEXUNIT3_PROCTEX4] = PROCTEX4_WIDTH_SET(128);
	regs[REG_TEXUNIT3_PROCTEX5] = 0xE0C08000;
	proctex_from_regs(&unit, regs);
	ck_assert(unit.level[0].offset == 0 && unit.level[0].scale == 127);
	ck_assert(unit.level[3].offset == 0xE0 && unit.level[3].scale == 15);
	ck_assert(unit.level[6].offset == 0xFC && unit.level[6].scale == 1);
	ck_assert(unit.level[7].offset == 0xFE && unit.level[7].scale == 0);
	regs[REG_PROCTEX5_HIGH] = 0x44332211;
	proctex_from_regs(&unit, regs);
	ck_assert(unit.level[4].offset == 0x11 && unit.level[7].offset == 0x44);
	struct proctex_level level[BATCH_QUADS];
	for (unsigned q = 0; q < BATCH_QUADS; q++) {
		level[q] = unit.level[0];
	}
	for (unsigned i = 0; i < PROCTEX_COLORS; i++) {
		colors.color[i] = 0xC8000000 | i;
		colors.difference[i] = 0x80007F08;
	}
	for (unsigned i = 0; i < BATCH; i++) {
		r[i] = c[i % 4];
	}
	k->nearest(out, r, level, &colors, BATCH);
	for (unsigned i = 0; i < BATCH; i++) {
		ck_assert_uint_eq(out[0][i], nearest[i % 4]);
		ck_assert_uint_eq(out[3][i], 200);
	}
	k->linear(out, r, level, &colors, BATCH);
	for (unsigned i = 0; i < BATCH; i++) {
		ck_assert_uint_eq(out[0][i], red[i % 4]);
		ck_assert_uint_eq(out[1][i],
				(unsigned)(254 * (i % 4 == 1 ? 0.75 : i % 4 == 2 ? 0.5 : 0)));
		ck_assert_uint_eq(out[2][i], 0);
		ck_assert_uint_eq(out[3][i], alpha[i % 4]);
	}
	/* Past the end, and in front of it with a width of 0. */
	level[0] = (struct proctex_level){ 255, 99 };
	level[1] = (struct proctex_level){ 0, -1 };
	fill(r, 0.0f);
	r[1] = 1.0f;
	r[4] = 1.0f;
	k->nearest(out, r, level, &colors, 16);
	ck_assert_uint_eq(out[0][0], 255);
	ck_assert_uint_eq(out[0][1], 98);
	ck_assert_uint_eq(out[0][4], 255);
	ck_assert_uint_eq(out[0][5], 0);
	k->linear(out, r, level, &colors, 16);
	ck_assert_uint_eq(out[0][4], 255);
}

ISA_TEST(alpha_is_truncated) {
	open_isa(_i);
	for (unsigned i = 0; i < BATCH; i++) {
		r[i] = (float)i / 63.0f;
	}
	k->alpha(out[3], r, BATCH);
	for (unsigned i = 0; i < BATCH; i++) {
		ck_assert_uint_eq(out[3][i], (unsigned)((float)i / 63.0f * 255.0f));
	}
	ck_assert_uint_eq(out[3][63], 255);
}

/* ---- The unit ---- */

/* Every level in a grey of its own, level 7 (one entry) 0. */
static void grey_levels(void) {
	static const struct {
		uint8_t first, grey;
	} levels[] = { { 0, 10 }, { 0x80, 20 }, { 0xC0, 40 }, { 0xE0, 80 }, { 0xF0, 160 },
		{ 0xF8, 200 }, { 0xFC, 240 } };
	for (unsigned l = 0; l < 7; l++) {
		for (unsigned i = levels[l].first; i < PROCTEX_COLORS; i++) {
			colors.color[i] = levels[l].grey * 0x01010101u;
		}
	}
}

static void draw(unsigned channels) {
	proctex_from_regs(&unit, regs);
	unit.noise.map = &zero;
	unit.map[0] = &ramp;
	unit.map[1] = &alpha_ramp;
	unit.colors = &colors;
	memset(out, 0xEE, sizeof(out));
	proctex_run(k, &tk, &unit, channels, u, v, BATCH, out);
}

/* Grey of quad 1, whose steps are du, dv a pixel; quad 0 does not move. */
static unsigned grey(unsigned filter, float bias, float du, float dv) {
	const uint32_t half = f32_to_f16(bias);
	regs[REG_TEXUNIT3_PROCTEX0] = PROCTEX0_BIAS_LOW_SET(half & 0xFF);
	regs[REG_TEXUNIT3_PROCTEX4] &= ~PROCTEX4_FILTER_SET(7) & ~PROCTEX4_BIAS_HIGH_SET(0xFF);
	regs[REG_TEXUNIT3_PROCTEX4] |=
			PROCTEX4_FILTER_SET(filter) | PROCTEX4_BIAS_HIGH_SET(half >> 8);
	fill(u, 0.25f);
	fill(v, 0.25f);
	u[5] += du;
	u[7] += du;
	v[6] += dv;
	v[7] += dv;
	draw(PROCTEX_RGB | PROCTEX_ALPHA);
	ck_assert_uint_eq(out[0][0], 10);
	for (unsigned c = 0; c < 4; c++) {
		for (unsigned i = 4; i < 8; i++) {
			ck_assert_uint_eq(out[c][i], out[0][4]);
		}
	}
	return out[0][4];
}

ISA_TEST(level_of_detail_is_of_the_sum_with_the_bias_inside) {
	open_isa(_i);
	grey_levels();
	regs[REG_TEXUNIT3_PROCTEX4] = PROCTEX4_WIDTH_SET(128) | PROCTEX4_MAX_LOD_SET(6);
	regs[REG_TEXUNIT3_PROCTEX5] = 0xE0C08000;
	const float texel = 1 / 128.0f;
	for (unsigned filter = 0; filter < 2; filter++) {
		ck_assert_uint_eq(grey(filter, 1, 8 * texel, 0), 10);
	}
	for (unsigned filter = 2; filter < 8; filter++) {
		ck_assert_uint_eq(grey(filter, 1, texel, 0), 10);
		ck_assert_uint_eq(grey(filter, 1, 2 * texel, 0), 20);
		ck_assert_uint_eq(grey(filter, 1, 0, 2 * texel), 20);
		ck_assert_uint_eq(grey(filter, 1, 2 * texel, 2 * texel), 40); /* the sum */
		ck_assert_uint_eq(grey(filter, -4, texel, 0), 40);           /* |bias| times */
		ck_assert_uint_eq(grey(filter, 0.25f, 32 * texel, 0), 80);
		ck_assert_uint_eq(grey(filter, 0, 32 * texel, 0), 10);       /* bias 0: LOD 0 */
		ck_assert_uint_eq(grey(filter, INFINITY, texel, 0), 10);
		ck_assert_uint_eq(grey(filter, 1, 64 * texel, 64 * texel), 240); /* 7, at most 6 */
	}
	/* log2(3) = 1.585: rounded, and blended by 149/256: (20*107 + 40*149 + 128) / 256. */
	ck_assert_uint_eq(grey(2, 1, 3 * texel, 0), 40);
	ck_assert_uint_eq(grey(4, 1, 3 * texel, 0), 32);
	ck_assert_uint_eq(grey(5, 1, texel, 2 * texel), 32);
	regs[REG_TEXUNIT3_PROCTEX4] |= PROCTEX4_MAX_LOD_SET(15); /* seven at most */
	colors.color[0xFE] = 0;
	ck_assert_uint_eq(grey(2, 1, 64 * texel, 64 * texel), 0);
}

ISA_TEST(least_level_yields_to_the_greatest) {
	open_isa(_i);
	grey_levels();
	regs[REG_TEXUNIT3_PROCTEX5] = 0xE0C08000;
	static const struct {
		uint8_t min, max, grey;
	} cases[] = { { 2, 6, 40 }, { 3, 1, 20 }, { 15, 15, 240 }, { 0, 0, 10 } };
	for (unsigned i = 0; i < 4; i++) {
		regs[REG_TEXUNIT3_PROCTEX4] = PROCTEX4_WIDTH_SET(128) | PROCTEX4_FILTER_SET(4) |
				PROCTEX4_MIN_LOD_SET(cases[i].min) |
				PROCTEX4_MAX_LOD_SET(cases[i].max);
		draw(PROCTEX_RGB);
		ck_assert_uint_eq(out[0][0], cases[i].grey);
		ck_assert_uint_eq(out[2][63], cases[i].grey);
	}
}

ISA_TEST(steps_come_in_order) {
	open_isa(_i);
	uint32_t words[PROCTEX_MAP_ENTRIES];
	for (unsigned i = 0; i < PROCTEX_MAP_ENTRIES; i++) { /* falls from 1 to 0 */
		words[i] = (4095 - 32 * i) | (uint32_t)(i < 127 ? -32 : -31) << 12;
	}
	proctex_map_decode(&alpha_ramp, words);
	for (unsigned i = 0; i < PROCTEX_COLORS; i++) {
		colors.color[i] = 0x77000000 | i;
	}
	regs[REG_TEXUNIT3_PROCTEX4] = PROCTEX4_WIDTH_SET(128);
	/*
	 * u = -1.25, v = 2.5: v is in its third unit, so u is shifted by a half (odd), then
	 * repeated.
	 */
	regs[REG_TEXUNIT3_PROCTEX0] = PROCTEX0_U_CLAMP_SET(PROCTEX_CLAMP_SYMMETRIC_REPEAT) |
			PROCTEX0_V_CLAMP_SET(PROCTEX_CLAMP_MIRRORED_REPEAT) |
			PROCTEX0_U_SHIFT_SET(PROCTEX_SHIFT_ODD) |
			PROCTEX0_RGB_MAP_SET(PROCTEX_MAP_U) | PROCTEX0_ALPHA_MAP_SET(PROCTEX_MAP_V);
	fill(u, -1.25f);
	fill(v, 2.5f);
	draw(PROCTEX_RGB | PROCTEX_ALPHA); /* u = 0.75: 95.25 of 127 */
	ck_assert_uint_eq(out[0][0], 95);
	ck_assert_uint_eq(out[3][0], 0x77);
	/* v, mirrored, is shifted by one whole: u is in its second unit (even): 3.5 -> 0.5. */
	regs[REG_TEXUNIT3_PROCTEX0] |= PROCTEX0_V_SHIFT_SET(PROCTEX_SHIFT_EVEN) |
			PROCTEX0_SEPARATE_ALPHA_SET(1);
	fill(v, 2.25f); /* + 1: 3.25 -> 0.75, falling map */
	draw(PROCTEX_RGB | PROCTEX_ALPHA);
	ck_assert_uint_eq(out[0][0], 95);
	ck_assert_uint_eq(out[3][0], (unsigned)(255 * (1023 / 4095.0)));
	draw(PROCTEX_ALPHA); /* RGB is not read */
	ck_assert_uint_eq(out[3][0], 63);
	ck_assert_uint_eq(out[0][0], 0xEEEE);
	/* Noise in front of the shift, which it does not move: v + noise lies in another unit. */
	regs[REG_TEXUNIT3_PROCTEX0] |= PROCTEX0_NOISE_SET(1);
	regs[REG_TEXUNIT3_PROCTEX2] = 0x7FFF; /* 8 in v alone */
	regs[REG_TEXUNIT3_PROCTEX3] = f32_to_f16(0.5f) | f32_to_f16(0.5f) << 16;
	draw(PROCTEX_RGB | PROCTEX_ALPHA);
	ck_assert_uint_eq(out[0][0], 95);
	/*
	 * x = 4.5*1.25 = 5.625, y = 4.5*2.25 = 10.125; the table is 0: n = R(5,10) * 0.75. P(5) =
	 * 5, P(10) = 13: q = ((13 + 4 ^ 6) + 15 & 15) ^ 7 = 1, R = -13/15, n = -0.65, v = |2.25 -
	 * 0.65 * 32767/4096| = 2.94984, + 1 -> mirrored 0.05016, and of the falling map 1 - 0.05016
	 * = 0.94984.
	 */
	ck_assert_uint_eq(out[3][0], 242);
}

/* ---- In a plan ---- */

TEST(plan_names_coordinates_and_channels) {
	static const struct {
		uint32_t config, source, planes;
		const char *step;
	} cases[] = {
		{ 0x0400, 0x00060006, 3u << PLANE_TC0, "procedural proctex.rgba <- coordinates 0" },
		{ 0x0500, 0x00060006, 3u << PLANE_TC1, "procedural proctex.rgba <- coordinates 1" },
		{ 0x0600, 0x00060006, 3u << PLANE_TC2, "procedural proctex.rgba <- coordinates 2" },
		{ 0x0700, 0x00060006, 3u << PLANE_TC0, "procedural proctex.rgba <- coordinates 0" },
		{ 0x0500, 0x000E0006, 3u << PLANE_TC1, "procedural proctex.rgb <- coordinates 1" },
		{ 0x0500, 0x0006000E, 3u << PLANE_TC1, "procedural proctex.a <- coordinates 1" },
		{ 0x0100, 0x00060006, 0, "store rgba8 <- zero, zero, zero, zero" }, /* off */
	};
	struct frag_cache *cache = frag_cache_create(NULL);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(regs, 0, sizeof(regs));
		for (unsigned s = 0; s < 6; s++) {
			regs[regs_texenv[s]] = s ? 0x000F000F : cases[i].source;
		}
		regs[REG_COLOR_OPERATION] = 0x00E40100;
		regs[REG_BLEND_FUNC] = 0x01010000;
		regs[REG_DEPTH_COLOR_MASK] = 0x0F00;
		regs[REG_COLORBUFFER_READ] = regs[REG_COLORBUFFER_WRITE] = 0xF;
		regs[REG_TEXUNIT_CONFIG] = cases[i].config;
		struct frag_consts consts;
		char text[1024];
		struct frag_plan *p = frag_plan_from_regs(cache, regs, &consts);
		frag_plan_dump(p, text, sizeof(text));
		char want[128];
		snprintf(want, sizeof(want), "%s\n", cases[i].step);
		ck_assert_msg(strstr(text, want) != NULL, "%s", text);
		ck_assert_uint_eq(frag_plan_info(p)->planes, 1u << PLANE_IW | cases[i].planes);
		ck_assert(frag_plan_info(p)->proctex == (cases[i].planes != 0));
		frag_plan_put(p);
	}
	frag_cache_destroy(cache);
}
