/* Fog, shadow maps and gas through the whole engine: tables that change between draws, passes, order. */
#include "engine_rig.h"

enum { BANDS = 8 }; /* of 8 memory rows */

/* Two triangles over band i, at a depth. */
static void put_band(unsigned i, float depth, const float rgba[4]) {
	const float y0 = (float)i / 4 - 1, y1 = y0 + 0.25f;
	const float xy[6][2] = { { -1, y0 }, { 1, y0 }, { 1, y1 }, { -1, y0 }, { 1, y1 }, { -1, y1 } };
	for (unsigned k = 0; k < 6; k++) {
		const float v[8] = { xy[k][0], xy[k][1], -depth, 1, rgba[0], rgba[1], rgba[2], rgba[3] };
		ck_assert_int_eq(pica_ctx_write_memory(ctx, VERTICES + 32 * (6 * i + k), v, sizeof(v)), 0);
	}
}

static void draw_band(struct pica_emit *e, unsigned i) {
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 6 * i, 6);
}

/* The word of a band of which all pixels are the same. */
static uint32_t band_word(uint32_t addr, unsigned i) {
	uint32_t words[8 * SIDE];
	ck_assert_int_eq(pica_ctx_read_memory(ctx, addr + i * sizeof(words), words, sizeof(words)), 0);
	for (unsigned k = 1; k < 8 * SIDE; k++) {
		ck_assert_msg(words[k] == words[0], "pixel %u of band %u: %08X, not %08X", k, i, words[k],
				words[0]);
	}
	return words[0];
}

static const float white[4] = { 1, 1, 1, 1 };

START_TEST(fog_table_is_that_of_the_draw) {
	struct pica_emit e;
	open_engine(thread_counts[_i], NULL);
	emit_state(&e, COLOR);
	for (unsigned i = 0; i < BANDS; i++) {
		put_band(i, 64.0f / 128, white);
	}
	/* Six draws of one pass. The index counts on, wraps, and any of the eight ports will do. */
	pica_emit_fog(&e, PICA_FOG_MODE_FOG, false, 0);
	draw_band(&e, 0); /* the table is 0 at power-on: all fog */
	const uint32_t half = 1024u << 13, whole = 2047u << 13, words[2] = { half, whole };
	pica_emit_fog_lut(&e, 64, &half, 1);
	draw_band(&e, 1);
	pica_emit_reg(&e, PICA_REG_FOG_LUT_INDEX, 63);
	pica_emit_reg(&e, PICA_REG_FOG_LUT_DATA3, half);
	pica_emit_reg(&e, PICA_REG_FOG_LUT_DATA0 + 7, whole);
	draw_band(&e, 2);
	pica_emit_reg(&e, PICA_REG_FOG_LUT_INDEX, 127);
	for (unsigned i = 0; i < 66; i++) { /* 127, then 0 to 64 */
		pica_emit_reg(&e, PICA_REG_FOG_LUT_DATA0 + i % 8, i);
	}
	draw_band(&e, 3); /* value 0, difference 65 at its start: 0 */
	pica_emit_fog(&e, PICA_FOG_MODE_FOG, false, 0x332211);
	draw_band(&e, 4);
	pica_emit_fog(&e, PICA_FOG_MODE_OFF, false, 0x332211);
	draw_band(&e, 5);
	/* Another pass: the table lives on. */
	emit_target(&e, OTHER);
	draw_band(&e, 0);
	emit_target(&e, COLOR);
	pica_emit_fog_lut(&e, 63, words, 2);
	pica_emit_fog(&e, PICA_FOG_MODE_FOG, true, 0);
	draw_band(&e, 6); /* 1 - 0.5 is 0.5 */
	pica_emit_reg(&e, PICA_REG_FRAMEBUFFER_FLUSH, 1);
	draw_band(&e, 7);
	ck_assert_int_eq(run_list(&e).result, 0);
	static const uint32_t want[BANDS] = { 0x000000FF, 0x808080FF, 0xFFFFFFFF, 0x000000FF, 0x112233FF,
		0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF };
	for (unsigned i = 0; i < BANDS; i++) {
		ck_assert_msg(band_word(COLOR, i) == want[i], "band %u: %08X", i, band_word(COLOR, i));
	}
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	for (unsigned i = 0; i < PICA_FEATURE_COUNT; i++) {
		ck_assert_uint_eq(stats.unimplemented[i], 0);
	}
	close_engine();
}
END_TEST

int main(void) {
	Suite *suite = suite_create("effects");
	TCase *tc = tcase_create("effects");
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, fog_table_is_that_of_the_draw, 0, N_THREAD_COUNTS);
	suite_add_tcase(suite, tc);
	SRunner *sr = srunner_create(suite);
	srunner_set_fork_status(sr, CK_NOFORK);
	srunner_run_all(sr, CK_NORMAL);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
