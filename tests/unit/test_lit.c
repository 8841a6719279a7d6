/*
 * Lighting through the whole engine: uploads, tables that change between draws, turned quaternions.
 */
#include "engine_rig.h"
#include "tests/suite.h"

/* Quaternions in the place of colours: o1. */
static const struct pica_output lit_outputs[2] = {
	{ PICA_OUTPUT_POSITION, 0, 15 },
	{ PICA_OUTPUT_QUATERNION, 1, 15 },
};

static const float identity[4] = { 0, 0, 0, 1 };

static void put(unsigned at, float x, float y, const float quat[4]) {
	const float v[8] = { x, y, -0.5f, 1, quat[0], quat[1], quat[2], quat[3] };
	ck_assert_int_eq(pica_ctx_write_memory(ctx, VERTICES + 32 * at, v, sizeof(v)), 0);
}

/*
 * One directional light from the eye whose highlight is D0 of N.L; a source straight to the target.
 */
static void emit_lit_state(struct pica_emit *e, uint32_t source) {
	struct pica_lighting lighting;
	struct pica_light light;
	struct pica_tev tev;
	emit_state(e, COLOR);
	pica_emit_outputs(e, PICA_UNIT_VS, lit_outputs, 2);
	pica_lighting_init(&lighting);
	lighting.d0.enable = true;
	lighting.d0.input = PICA_LIGHT_INPUT_LN;
	pica_emit_lighting(e, &lighting);
	pica_light_init(&light);
	light.specular0 = 0xFFFFFF;
	pica_emit_light(e, 0, &light);
	pica_tev_init(&tev);
	tev.rgb_source[0] = tev.alpha_source[0] = source;
	pica_emit_tev(e, 0, &tev);
}

/* All of table D0 is v/255. */
static void emit_flat_table(struct pica_emit *e, unsigned v) {
	uint32_t entries[256];
	float values[257];
	for (unsigned i = 0; i < 257; i++) {
		values[i] = (float)v / 255;
	}
	pica_light_lut(entries, true, values);
	pica_emit_light_lut(e, PICA_LIGHT_TABLE_D0, 0, entries, 256);
}

static uint32_t gray(uint32_t v) {
	return v * 0x01010100u | 0xFF; /* RGBA8: A in the lowest byte */
}

ENGINE_TEST(tables_are_those_of_the_draw) {
	for (unsigned i = 0; i < BANDS; i++) {
		put_band(i, i, 0.5f, identity);
	}
	emit_lit_state(&e, PICA_TEV_SOURCE_FRAGMENT_SECONDARY);
	draw_band(&e, 0); /* zeros at power-on */
	emit_flat_table(&e, 100);
	draw_band(&e, 1);
	draw_band(&e, 2); /* shares the table */
	emit_flat_table(&e, 50);
	draw_band(&e, 3);
	/* N.L is 1: entry 127, whole difference. By any port; the index wraps without a carry. */
	pica_emit_reg(&e, PICA_REG_LIGHTING_LUT_INDEX, 255);
	for (unsigned i = 0; i < 129; i++) { /* 255, then 0 to 127 */
		pica_emit_reg(&e, PICA_REG_LIGHTING_LUT_DATA0 + i % 8, i == 128 ? 0xFFF : 0);
	}
	draw_band(&e, 4);
	pica_emit_reg(&e, PICA_REG_LIGHTING_LUT_INDEX, 1 << 8 | 127); /* another table */
	pica_emit_reg(&e, PICA_REG_LIGHTING_LUT_DATA0, 0);
	draw_band(&e, 5);
	emit_target(&e, OTHER); /* another pass */
	draw_band(&e, 0);
	emit_target(&e, COLOR);
	draw_band(&e, 6);
	pica_emit_lighting(&e, NULL);
	draw_band(&e, 7);
	ck_assert_int_eq(run_list(&e).result, 0);
	const uint32_t want[BANDS] = { gray(0), gray(100), gray(100), gray(50), gray(255),
		gray(255), gray(255), 0 };
	for (unsigned i = 0; i < BANDS; i++) {
		ck_assert_msg(band_word(COLOR, i) == want[i], "band %u: %08X", i,
				band_word(COLOR, i));
	}
	/* The ports left this. */
	static struct pica_state state;
	ck_assert_int_eq(pica_ctx_save_state(ctx, &state), 0);
	ck_assert_uint_eq(state.tables.light[0][127], 0xFFF);
	ck_assert_uint_eq(state.tables.light[0][126], 0);
	ck_assert_uint_eq(state.tables.light[1][127], 0);
	ck_assert_uint_eq(state.regs[PICA_REG_LIGHTING_LUT_INDEX], 1 << 8 | 128);
}

/*
 * Lights and tables change separately, with unlit draws between: each draw has the state that it
 * was issued with.
 */
ENGINE_TEST(lights_are_those_of_the_draw) {
	struct pica_tev tev;
	struct pica_light light;
	for (unsigned i = 0; i < BANDS; i++) {
		put_band(i, i, 0.5f, identity);
	}
	emit_lit_state(&e, PICA_TEV_SOURCE_FRAGMENT_PRIMARY);
	pica_light_init(&light);
	for (unsigned i = 0; i < 4; i++) {
		light.diffuse = (20 + i) * 0x010101;
		pica_emit_light(&e, 0, &light);
		draw_band(&e, 2 * i);
		pica_tev_init(&tev);
		tev.rgb_source[0] = tev.alpha_source[0] = PICA_TEV_SOURCE_CONSTANT;
		tev.color = 0xFF000000 | i;
		pica_emit_tev(&e, 0, &tev);
		light.diffuse = 0; /* without an effect */
		pica_emit_light(&e, 0, &light);
		draw_band(&e, 2 * i + 1);
		tev.rgb_source[0] = tev.alpha_source[0] = PICA_TEV_SOURCE_FRAGMENT_PRIMARY;
		pica_emit_tev(&e, 0, &tev);
	}
	draw_band(&e, 7);
	ck_assert_int_eq(run_list(&e).result, 0);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_uint_eq(band_word(COLOR, 2 * i), gray(20 + i));
		if (i < 3) {
			ck_assert_uint_eq(band_word(COLOR, 2 * i + 1), i << 24 | 0xFF);
		}
	}
	ck_assert_uint_eq(band_word(COLOR, 7), gray(0));
}

/* The identity and its negative mean the same normal; half-way between them lies anything. */
ENGINE_TEST(quaternions_are_turned_at_assembly) {
	static const float back[4] = { 0, 0, 0, -1 };
	for (unsigned i = 0; i < BANDS; i++) {
		put_band(i, i, 0.5f, identity);
	}
	/* One corner, two, the first one; and a triangle that is clipped. */
	put(1, 1, -1, back);
	put(6 + 1, 1, -0.75f, back);
	put(6 + 2, 1, -0.5f, back);
	put(12, -1, -0.5f, back);
	put(18, -9, -0.25f, identity);
	put(18 + 1, 9, -0.25f, back);
	put(18 + 2, 9, 0, back);
	emit_lit_state(&e, PICA_TEV_SOURCE_FRAGMENT_PRIMARY);
	for (unsigned i = 0; i < 4; i++) {
		draw_band(&e, i);
	}
	ck_assert_int_eq(run_list(&e).result, 0);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_uint_eq(band_word(COLOR, i), gray(255));
	}
	static uint32_t words[8 * SIDE];
	ck_assert_int_eq(pica_ctx_read_memory(ctx, COLOR + 3 * sizeof(words), words, sizeof(words)),
			0);
	unsigned drawn = 0;
	for (unsigned i = 0; i < 8 * SIDE; i++) {
		ck_assert(words[i] == 0 || words[i] == gray(255));
		drawn += words[i] != 0;
	}
	ck_assert_uint_gt(drawn, 4 * SIDE);
	/*
	 * As without the output: (1, 1, 1, 1), the normal (1, 0, 0); the light comes from (0, 0,
	 * 1).
	 */
	emit_lit_state(&e, PICA_TEV_SOURCE_FRAGMENT_PRIMARY);
	pica_emit_outputs(&e, PICA_UNIT_VS, lit_outputs, 1);
	draw_band(&e, 5);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(band_word(COLOR, 5), gray(0));
}

static unsigned warnings;

static void count_warning(void *user, enum pica_log_level level, const char *line) {
	warnings += strstr(line, "was never written") != NULL;
}

TEST(tables_that_were_never_written_are_reported_once) {
	struct pica_settings s;
	struct pica_emit e;
	pica_settings_init(&s);
	s.log = count_warning;
	s.log_level = PICA_LOG_WARNING;
	warnings = 0;
	ck_assert_int_eq(pica_device_create(&device, &s), 0);
	ck_assert_int_eq(pica_ctx_create(&ctx, device, NULL), 0);
	put_band(0, 0, 0.5f, identity);
	emit_lit_state(&e, PICA_TEV_SOURCE_FRAGMENT_PRIMARY);
	draw_band(&e, 0); /* the highlight is not used: nor is its table */
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(warnings, 0);
	for (unsigned i = 0; i < 2; i++) {
		emit_lit_state(&e, PICA_TEV_SOURCE_FRAGMENT_SECONDARY);
		draw_band(&e, 0);
		ck_assert_int_eq(run_list(&e).result, 0);
		ck_assert_uint_eq(warnings, 1);
	}
	pica_ctx_destroy(ctx);
	ck_assert_int_eq(pica_ctx_create(&ctx, device, NULL), 0);
	put_band(0, 0, 0.5f, identity);
	emit_lit_state(&e, PICA_TEV_SOURCE_FRAGMENT_SECONDARY);
	emit_flat_table(&e, 0); /* zeros, but written */
	draw_band(&e, 0);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(warnings, 1);
	close_engine();
}
