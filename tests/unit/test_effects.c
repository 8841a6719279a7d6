/*
 * Fog, shadow maps and gas through the whole engine: tables that change between draws, passes,
 * order.
 */
#include "engine_rig.h"
#include "tests/suite.h"

static const float white[4] = { 1, 1, 1, 1 };

ENGINE_TEST(fog_table_is_that_of_the_draw) {
	emit_state(&e, COLOR);
	for (unsigned i = 0; i < BANDS; i++) {
		put_band(i, i, 64.0f / 128, white);
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
	static const uint32_t want[BANDS] = { 0x000000FF, 0x808080FF, 0xFFFFFFFF, 0x000000FF,
		0x112233FF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF };
	for (unsigned i = 0; i < BANDS; i++) {
		ck_assert_msg(band_word(COLOR, i) == want[i], "band %u: %08X", i,
				band_word(COLOR, i));
	}
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	ck_assert_uint_eq(stats.guessed[PICA_FEATURE_GAS], 0);
}

/* The same with texture coordinates instead: texels of a 64x64 texture one to one. */
static void put_texture_band(unsigned place, unsigned i) {
	const float y0 = (float)i / 4 - 1, y1 = y0 + 0.25f;
	const float v0 = 1 - (float)i / 8, v1 = v0 - 0.125f; /* v = 0 is the last memory row */
	const float at[6][4] = { { -1, y0, 0, v0 }, { 1, y0, 1, v0 }, { 1, y1, 1, v1 },
		{ -1, y0, 0, v0 }, { 1, y1, 1, v1 }, { -1, y1, 0, v1 } };
	for (unsigned k = 0; k < 6; k++) {
		const float v[8] = { at[k][0], at[k][1], -0.5f, 1, at[k][2], at[k][3], 0, 0 };
		ck_assert_int_eq(pica_ctx_write_memory(ctx, VERTICES + 32 * (6 * place + k), v,
						 sizeof(v)),
				0);
	}
}

/* The shadow map at OTHER becomes the target, or a texture of the target COLOR. */
static void to_map(struct pica_emit *e) {
	pica_emit_texture_units(e, 0, 0, false);
	pica_emit_outputs(e, PICA_UNIT_VS, pass_outputs, 2);
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = tev.alpha_source[0] = PICA_TEV_SOURCE_PRIMARY;
	pica_emit_tev(e, 0, &tev);
	emit_target(e, OTHER);
	pica_emit_fragment_mode(e, PICA_FRAGMENT_MODE_SHADOW);
}

static void to_picture(struct pica_emit *e) {
	static const struct pica_output outputs[] = { { PICA_OUTPUT_POSITION, 0, 15 },
		{ PICA_OUTPUT_TEXCOORD0, 1, 3 } };
	const struct pica_texture t = { .addr = OTHER, .width = SIDE, .height = SIDE,
		.format = PICA_TEXTURE_FORMAT_RGBA8 };
	pica_emit_texture(e, 0, &t);
	pica_emit_texture_units(e, 1, 0, false);
	pica_emit_outputs(e, PICA_UNIT_VS, outputs, 2);
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = tev.alpha_source[0] = PICA_TEV_SOURCE_TEXTURE0;
	pica_emit_tev(e, 0, &tev);
	emit_target(e, COLOR);
	pica_emit_fragment_mode(e, PICA_FRAGMENT_MODE_NORMAL);
}

enum { TEXTURED = 3 * BANDS };

/* Four passes of one list: map, its picture, another map, its picture in half of the bands. */
ENGINE_TEST(shadow_maps_are_sampled_in_order) {
	static const float black[4] = { 0, 0, 0, 0 }, soft[4] = { 0, 128.0f / 255, 0, 0 };
	static uint32_t far_lit[PIXELS];
	memset(far_lit, 0xFF, sizeof(far_lit));
	ck_assert_int_eq(pica_ctx_write_memory(ctx, OTHER, far_lit, sizeof(far_lit)), 0);
	for (unsigned i = 0; i < BANDS; i++) {
		put_band(i, i, 0.25f, black);
		put_band(BANDS + i, i, 0.125f, soft);
		put_band(2 * BANDS + i, i, 0.0625f, black);
		put_texture_band(TEXTURED + i, i);
	}
	emit_state(&e, COLOR);
	pica_emit_shadow(&e, 1.5f, -1.0f);
	for (unsigned round = 0; round < 2; round++) {
		to_map(&e);
		for (unsigned i = 0; i < BANDS; i++) {
			draw_band(&e, round ? 2 * BANDS + i : i);
			if (!round && i < 4) {
				draw_band(&e, BANDS + i); /* a soft edge in front of it */
			}
		}
		to_picture(&e);
		for (unsigned i = 0; i < BANDS; i += 1 + round) {
			draw_band(&e, TEXTURED + i);
		}
	}
	ck_assert_int_eq(run_list(&e).result, 0);
	for (unsigned i = 0; i < BANDS; i++) {
		/*
		 * Density is the high byte. 128 / (1.5 - 1FFFFF/3FFFFF) is a little less than 128.
		 */
		const uint32_t density = i < 4 ? 0x7F000000 : 0xFF000000;
		const uint32_t first = density | 0xFFFF3F, second = density | 0xFFFF0F;
		ck_assert_uint_eq(band_word(OTHER, i), second);
		ck_assert_uint_eq(band_word(COLOR, i), i % 2 ? first : second);
	}
}

/* Overlapping triangles, soft ones between hard ones, so that their order matters. */
TEST_LOOP(shadow_maps_do_not_depend_on_threads, N_THREAD_COUNTS) {
	static uint32_t maps[2][PIXELS];
	struct pica_emit e;
	uint32_t state = 12345;
	float v[8];
	for (unsigned round = 0; round < 2; round++) {
		open_engine(round ? thread_counts[_i] : 0, NULL);
		memset(maps[round], 0xFF, sizeof(maps[round]));
		ck_assert_int_eq(
				pica_ctx_write_memory(ctx, OTHER, maps[round], sizeof(maps[round])),
				0);
		state = 12345;
		for (unsigned i = 0; i < 3 * 2000; i++) {
			for (unsigned k = 0; k < 8; k++) {
				state = state * 1664525 + 1013904223;
				v[k] = (float)(state >> 8) / 16777216.0f;
			}
			v[0] = 2 * v[0] - 1;
			v[1] = 2 * v[1] - 1;
			v[2] = -v[2];
			v[3] = 1;
			v[5] = i / 3 % 3 ? v[5] : 0;
			ck_assert_int_eq(
					pica_ctx_write_memory(ctx, VERTICES + 32 * i, v, sizeof(v)),
					0);
		}
		emit_state(&e, COLOR);
		pica_emit_shadow(&e, 1.25f, -1.0f);
		to_map(&e);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3 * 2000);
		ck_assert_int_eq(run_list(&e).result, 0);
		ck_assert_int_eq(pica_ctx_read_memory(ctx, OTHER, maps[round], sizeof(maps[round])),
				0);
		close_engine();
	}
	ck_assert_mem_eq(maps[0], maps[1], sizeof(maps[0]));
	unsigned soft = 0;
	for (unsigned i = 0; i < PIXELS; i++) {
		soft += maps[0][i] >> 24 != 255 && maps[0][i] >> 24 != 0;
	}
	ck_assert_uint_gt(soft, PIXELS / 4);
}

static uint32_t read_reg(uint32_t id) {
	uint32_t word;
	ck_assert_int_eq(pica_ctx_read_regs(ctx, id, 1, &word), 0);
	return word;
}

/* Densities, their maximum, and their colour, in one list. */
ENGINE_TEST(gas_is_added_and_shaded_in_order) {
	static const float whole[4] = { 1, 0, 0, 0 }, half[4] = { 128.0f / 255, 0, 0, 0 };
	static const uint32_t none[PIXELS];
	static const uint32_t grey[9] = { 0, 0x202020, 0x404040, 0x606060, 0x808080, 0xA0A0A0,
		0xC0C0C0, 0xE0E0E0, 0xFFFFFF };
	uint32_t table[16], alpha[128];
	ck_assert_int_eq(pica_ctx_write_memory(ctx, OTHER, none, sizeof(none)), 0);
	for (unsigned i = 0; i < BANDS; i++) {
		put_band(i, i, 0.5f, whole);
		put_band(BANDS + i, i, 0.5f, half);
		put_texture_band(TEXTURED + i, i);
	}
	emit_state(&e, COLOR);
	to_map(&e);
	pica_emit_gas_accumulation(&e, PICA_GAS_DEPTH_ALWAYS, 4.0f); /* the depth buffer is 0 */
	for (unsigned i = 0; i < BANDS; i++) {
		for (unsigned k = 0; k < i / 2; k++) { /* 0 to 3 times 1, and a half on odd ones */
			draw_band(&e, i);
		}
		if (i % 2) {
			draw_band(&e, BANDS + i);
		}
	}
	to_picture(&e);
	pica_gas_lut_from(table, grey);
	pica_emit_gas_lut(&e, 0, table, 16);
	for (unsigned i = 0; i < 128; i++) {
		alpha[i] = pica_fog_lut_entry(0.25f, 0.0f);
	}
	pica_emit_fog_lut(&e, 0, alpha, 128);
	const struct pica_gas gas = { .density_max = 4.0f, .attenuation = 1.0f };
	pica_emit_gas_shading(&e, &gas);
	for (unsigned i = 0; i < BANDS; i++) {
		draw_band(&e, TEXTURED + i);
	}
	ck_assert_int_eq(run_list(&e).result, 0);
	/* 0, .5, 1, 1.5, 2, ... : f16, both the same. 128/255 + 1 is cut to 1.501. */
	static const uint32_t halves[BANDS] = { 0, 0x3804, 0x3C00, 0x3E02, 0x4000, 0x4101, 0x4200,
		0x4301 };
	for (unsigned i = 0; i < BANDS; i++) {
		ck_assert_msg(band_word(OTHER, i) == halves[i] * 0x10001, "%u: %08X", i,
				band_word(OTHER, i));
		/*
		 * A quarter of that: place 2 a density, 32 a place (and a little, which rounds
		 * away).
		 */
		const uint32_t c = (uint32_t)(32 * i);
		const uint32_t got = band_word(COLOR, i);
		ck_assert_msg(got == (c * 0x01010100 | 0x40), "%u: %08X", i, got);
	}
	ck_assert_uint_eq(read_reg(PICA_REG_GAS_ACCMAX_FEEDBACK), 0x4301);
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	ck_assert_uint_eq(stats.guessed[PICA_FEATURE_GAS], 2 * (0 + 1 + 2 + 3) + 4 + BANDS);
}

/* The register holds the result of its last write and the later draws. */
ENGINE_TEST(maximum_of_gas_is_that_since_the_write) {
	static const float whole[4] = { 1, 0, 0, 0 };
	static const uint32_t none[PIXELS];
	ck_assert_int_eq(pica_ctx_write_memory(ctx, OTHER, none, sizeof(none)), 0);
	put_band(0, 0, 0.5f, whole);
	put_band(1, 1, 0.5f, whole);
	emit_state(&e, COLOR);
	to_map(&e);
	pica_emit_gas_accumulation(&e, PICA_GAS_DEPTH_ALWAYS, 1.0f);
	for (unsigned i = 0; i < 20; i++) {
		draw_band(&e, 0);
	}
	pica_emit_reg_masked(&e, PICA_REG_GAS_ACCMAX_FEEDBACK, 0, 3);
	draw_band(&e, 1);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(read_reg(PICA_REG_GAS_ACCMAX_FEEDBACK), 0x3C00);
	pica_emit_init(&e);
	draw_band(&e, 1);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(read_reg(PICA_REG_GAS_ACCMAX_FEEDBACK), 0x4000);
	/* A higher value stands; the upper half of the register is not the maximum's. */
	pica_emit_init(&e);
	pica_emit_reg(&e, PICA_REG_GAS_ACCMAX_FEEDBACK, 0xABCD7000);
	draw_band(&e, 1);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(read_reg(PICA_REG_GAS_ACCMAX_FEEDBACK), 0xABCD7000);
	pica_emit_init(&e);
	pica_emit_reg(&e, PICA_REG_GAS_ACCMAX_FEEDBACK, 0xABCD0001);
	draw_band(&e, 0);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(read_reg(PICA_REG_GAS_ACCMAX_FEEDBACK), 0xABCD4D40); /* 21 */
}
