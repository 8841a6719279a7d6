/* The naive renderer's procedural texture: numbers [fidelity: texture-numbers]. */
#include <math.h>

#include "pica/regs/regs.h"
#include "test_naive.h"
#include "tests/suite.h"

static void ramp(uint32_t table) {
	put(REG_PROCTEX_LUT, PROCTEX_LUT_TABLE_SET(table));
	for (uint32_t i = 0; i < 128; i++) {
		put(REG_PROCTEX_LUT_DATA0 + i % 8, i * 32 | (i < 127 ? 32u : 31u) << 12);
	}
}

FIXTURE(setup, teardown)

TEST(noise_generator_of_the_console) {
	static const uint8_t p[18] = { 6, 9, 12, 15, 2, 5, 8, 11, 14, 2, 13, 8, 11, 6, 1, 12, 15,
		10 };
	static const uint8_t q[4][9] = {
		{2, 2, 1, 7, 13, 12, 13, 3, 13},
		{13, 3, 2, 6, 10, 13, 14, 2, 2},
		{8, 4, 15, 13, 7, 2, 11, 9, 7},
		{11, 5, 8, 12, 4, 3, 4, 8, 4},
	};
	for (unsigned i = 0; i < 18; i++) {
		ck_assert_uint_eq(naive_noise_p(i), p[i]);
	}
	for (unsigned i = 0; i < 36; i++) {
		ck_assert_uint_eq(naive_noise_q(i % 9, i / 9), q[i / 9][i % 9]);
	}
	ck_assert_uint_eq(naive_noise_q(10, 20), 10);
	ck_assert_uint_eq(naive_noise_q(35, 7), 15);
	ck_assert_uint_eq(naive_noise_q(0, 144), 2);
}

TEST(noise_values_of_the_specification) {
	ramp(PROCTEX_TABLE_NOISE);
	ck_assert_uint_eq(naive_read_reg(n, REG_PROCTEX_LUT), 128);
	put(REG_TEXUNIT3_PROCTEX3, 0x3C003C00); /* frequency 1 */
	ck_assert_float_eq_tol(naive_noise(n, 0.25f, 0.5f), 0.0584f, 0.0005f);
	ck_assert_float_eq_tol(naive_noise(n, 0.3f, 0.7f), -0.1399f, 0.0005f);
	ck_assert_float_eq_tol(naive_noise(n, 1.6f, 0.1f), 0.0730f, 0.0005f);
}

TEST(shift_and_clamp_of_the_specification) {
	static const float odd[5] = {0, 0, 0.5f, 0.5f, 0}, even[5] = {0, 0.5f, 0.5f, 0, 0};
	for (unsigned i = 0; i < 5; i++) {
		const float v = 0.5f + (float)i;
		ck_assert(naive_proctex_shift(PROCTEX_SHIFT_ODD, PROCTEX_CLAMP_EDGE, v) == odd[i]);
		ck_assert(naive_proctex_shift(PROCTEX_SHIFT_EVEN, PROCTEX_CLAMP_EDGE, v) ==
				even[i]);
		ck_assert(naive_proctex_shift(PROCTEX_SHIFT_ODD, PROCTEX_CLAMP_MIRRORED_REPEAT,
					  v) == 2 * odd[i]);
	}
	static const float at[3] = {0.25f, 1.25f, 2.75f};
	static const float want[5][3] = { { 0.25f, 0, 0 }, { 0.25f, 1, 1 }, { 0.25f, 0.25f, 0.75f },
		{ 0.25f, 0.75f, 0.75f }, { 0, 1, 1 } };
	for (unsigned i = 0; i < 15; i++) {
		ck_assert(naive_proctex_clamp(i / 3, at[i % 3]) == want[i / 3][i % 3]);
	}
}

TEST(colour_index_of_the_specification) {
	static const float c[4] = {0, 0.25f, 0.5f, 1};
	/* The map's ramp makes 4096/4095 of c, which moves no index of these. */
	static const uint8_t nearest[4] = {0, 32, 64, 127}, linear[4] = {0, 31 + 12, 63 + 8, 127};
	ramp(PROCTEX_TABLE_RGB_MAP);
	ramp(PROCTEX_TABLE_ALPHA_MAP);
	put(REG_PROCTEX_LUT, PROCTEX_LUT_TABLE_SET(PROCTEX_TABLE_COLOR));
	for (uint32_t i = 0; i < 256; i++) {
		put(REG_PROCTEX_LUT_DATA0, 0x05000000 | i);
	}
	ck_assert_uint_eq(naive_read_reg(n, REG_PROCTEX_LUT), 0x400); /* 256 is 0 again */
	put(REG_PROCTEX_LUT, PROCTEX_LUT_TABLE_SET(PROCTEX_TABLE_COLOR_DIFF));
	for (uint32_t i = 0; i < 256; i++) {
		put(REG_PROCTEX_LUT_DATA0, 8);
	}
	for (unsigned i = 0; i < 4; i++) {
		const float at[4][2] = {{c[i], -0.5f}, {0, 0}, {0, 0}, {0, 0}};
		uint8_t out[4];
		put(REG_TEXUNIT3_PROCTEX0, PROCTEX0_U_CLAMP_SET(PROCTEX_CLAMP_EDGE) |
				PROCTEX0_ALPHA_MAP_SET(PROCTEX_MAP_V));
		put(REG_TEXUNIT3_PROCTEX4, PROCTEX4_WIDTH_SET(128));
		naive_proctex(n, at, out);
		ck_assert_uint_eq(out[0], nearest[i]);
		ck_assert_uint_eq(out[3], 5);
		put(REG_TEXUNIT3_PROCTEX4, PROCTEX4_WIDTH_SET(128) | PROCTEX4_FILTER_SET(1));
		put(REG_TEXUNIT3_PROCTEX0,
				PROCTEX0_U_CLAMP_SET(PROCTEX_CLAMP_EDGE) |
						PROCTEX0_ALPHA_MAP_SET(PROCTEX_MAP_V) |
						PROCTEX0_SEPARATE_ALPHA_SET(1));
		naive_proctex(n, at, out);
		ck_assert_uint_eq(out[0], linear[i]);
		ck_assert_uint_eq(out[3], 127); /* 0.50012 * 255 */
	}
}
