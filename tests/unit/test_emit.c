/* The command-list builder: words worked out by hand from the register pages of the spec. */
#include "emit_rig.h"
#include "tests/suite.h"

/* ---- Entries ---- */

FIXTURE(setup, teardown)

TEST(single_writes_are_two_words_value_first) {
	pica_emit_reg(&em, 0x101, 0x01010000);
	pica_emit_reg_masked(&em, 0x0E0, 0x0000FF00, 2);
	CHECK_WORDS(0x01010000, 0x000F0101, 0x0000FF00, 0x000200E0);
}

TEST(burst_and_fifo_match_the_example_of_the_spec) {
	/* [fidelity: command-list, list-numbers] */
	static const uint32_t v[3] = { 0xAAAAAAAA, 0xBBBBBBBB, 0xCCCCCCCC };
	pica_emit_burst(&em, 0x11C, v, 3);
	pica_emit_fifo(&em, 0x11C, v, 3);
	CHECK_WORDS(0xAAAAAAAA, 0x802F011C, 0xBBBBBBBB, 0xCCCCCCCC, /**/ 0xAAAAAAAA, 0x002F011C,
			0xBBBBBBBB, 0xCCCCCCCC);
	/* Two words: one extra parameter and a padding word. */
	pica_emit_burst(&em, 0x041, v, 2);
	CHECK_WORDS(0xAAAAAAAA, 0x801F0041, 0xBBBBBBBB, 0);
	pica_emit_burst(&em, 0x041, v, 1);
	pica_emit_burst(&em, 0x041, v, 0);
	pica_emit_fifo(&em, 0x041, v, 0);
	CHECK_WORDS(0xAAAAAAAA, 0x800F0041);
}

TEST(long_writes_are_split_at_256_words) {
	static uint32_t v[600];
	for (uint32_t i = 0; i < ARRAY_LEN(v); i++) {
		v[i] = 0x1000 + i;
	}
	pica_emit_burst(&em, 0x040, v, 300);
	ck_assert_uint_eq(em.count, 258 + 46);
	ck_assert_uint_eq(em.words[0], 0x1000);
	ck_assert_uint_eq(em.words[1], 0x8FFF0040);
	ck_assert_uint_eq(em.words[256], 0x10FF);
	ck_assert_uint_eq(em.words[257], 0);
	ck_assert_uint_eq(em.words[258], 0x1100);
	ck_assert_uint_eq(em.words[259], 0x82BF0140);
	ck_assert_uint_eq(em.words[302], 0x112B);
	ck_assert_uint_eq(em.words[303], 0);
	static struct write w[600];
	ck_assert_uint_eq(decode(em.words, em.count, w, 600), 300);
	for (uint32_t i = 0; i < 300; i++) {
		ck_assert_uint_eq(w[i].id, 0x040 + i);
		ck_assert_uint_eq(w[i].value, v[i]);
	}
	pica_emit_reset(&em);
	pica_emit_fifo(&em, 0x1C8, v, 600);
	ck_assert_uint_eq(em.words[1], 0x0FFF01C8);
	ck_assert_uint_eq(em.words[259], 0x0FFF01C8);
	ck_assert_uint_eq(em.words[517], 0x057F01C8);
	ck_assert_uint_eq(decode(em.words, em.count, w, 600), 600);
	for (uint32_t i = 0; i < 600; i++) {
		ck_assert_uint_eq(w[i].id, 0x1C8);
		ck_assert_uint_eq(w[i].value, v[i]);
		ck_assert_uint_eq(w[i].mask, 15);
	}
	pica_emit_reset(&em);
	/* Exactly one full entry. */
	pica_emit_fifo(&em, 0x1C8, v, 256);
	ck_assert_uint_eq(em.count, 258);
}

TEST(list_ends_with_a_finalize_at_a_multiple_of_16_bytes) {
	ck_assert_int_eq(pica_emit_finalize(&em), 0);
	CHECK_WORDS(0x12345678, 0x000F0010, 0x12345678, 0x000F0010);
	pica_emit_reg(&em, 0x040, 1);
	ck_assert_int_eq(pica_emit_finalize(&em), 0);
	CHECK_WORDS(1, 0x000F0040, 0x12345678, 0x000F0010);
}

TEST(jump_sets_size_and_address_and_ends_the_list) {
	/* [fidelity: list-jumps] */
	ck_assert_int_eq(pica_emit_jump(&em, 0, 0x20001230, 0x40), 0);
	CHECK_WORDS(8, 0x000F0238, 0x04000246, 0x000F023A, 1, 0x000F023C, 1, 0x000F023C);
	pica_emit_reg(&em, 0x040, 1);
	ck_assert_int_eq(pica_emit_jump(&em, 1, 0x20001230, 0x40), 0);
	CHECK_WORDS(1, 0x000F0040, 8, 0x000F0239, 0x04000246, 0x000F023B, 1, 0x000F023D);
	REFUSED(ck_assert_int_eq(pica_emit_jump(&em, 2, 0x20001230, 0x40), -EINVAL));
	REFUSED(ck_assert_int_eq(pica_emit_jump(&em, 0, 0x20001238, 0x40), -EINVAL));
	REFUSED(ck_assert_int_eq(pica_emit_jump(&em, 0, 0x20001230, 0x48), -EINVAL));
	REFUSED(ck_assert_int_eq(pica_emit_jump(&em, 0, 0x20001230, 0x1000000), -EINVAL));
	REFUSED(ck_assert_int_eq(pica_emit_jump(&em, 0, 0x20001230, 0), -EINVAL));
}

TEST(other_lists_are_appended_whole) {
	static const uint32_t other[4] = { 1, 0x000F0040, 2, 0x000F0041 };
	pica_emit_words(&em, other, 4);
	pica_emit_words(&em, other, 0);
	check_words(other, 4);
	REFUSED(pica_emit_words(&em, other, 3));
}

/* ---- Memory and errors ---- */

TEST(list_grows_without_losing_words) {
	for (uint32_t i = 0; i < 100000; i++) {
		pica_emit_reg(&em, 0x041, i);
	}
	ck_assert_int_eq(pica_emit_error(&em), 0);
	ck_assert_uint_eq(em.count, 200000);
	for (uint32_t i = 0; i < 100000; i++) {
		if (em.words[2 * i] != i || em.words[2 * i + 1] != 0x000F0041) {
			ck_abort_msg("entry %u", i);
		}
	}
	uint32_t *words = em.words;
	pica_emit_reset(&em);
	ck_assert_uint_eq(em.count, 0);
	pica_emit_reg(&em, 0x041, 7);
	ck_assert_ptr_eq(em.words, words);
}

TEST(full_buffer_of_the_caller_is_an_error_that_sticks) {
	uint32_t buf[8];
	struct pica_emit e;
	memset(buf, 0xEE, sizeof(buf));
	pica_emit_init_fixed(&e, buf, 6);
	pica_emit_reg(&e, 0x041, 1);
	pica_emit_reg(&e, 0x043, 2);
	static const uint32_t v[2] = { 3, 4 };
	pica_emit_burst(&e, 0x045, v, 2); /* needs four words, two are left */
	ck_assert_int_eq(pica_emit_error(&e), -ENOSPC);
	pica_emit_reg(&e, 0x045, 5); /* would fit, but the list has a hole now */
	pica_emit_named(&e, "NO_SUCH_REGISTER", "");
	ck_assert_int_eq(pica_emit_finalize(&e), -ENOSPC);
	ck_assert_uint_eq(e.count, 4);
	ck_assert_uint_eq(buf[2], 2);
	ck_assert_uint_eq(buf[4], 0xEEEEEEEE);
	ck_assert_uint_eq(buf[6], 0xEEEEEEEE);
	ck_assert_ptr_eq(e.words, buf);
	pica_emit_reset(&e);
	pica_emit_reg(&e, 0x041, 1);
	ck_assert_int_eq(pica_emit_finalize(&e), 0);
	ck_assert_uint_eq(e.count, 4);
	pica_emit_finish(&e);
	pica_emit_finish(&e);
	pica_emit_finish(NULL);
}

TEST(arguments_out_of_range_write_nothing) {
	static const uint32_t v[4] = { 0 };
	REFUSED(pica_emit_reg(&em, 0x10000, 0));
	REFUSED(pica_emit_reg_masked(&em, 0x040, 0, 16));
	REFUSED(pica_emit_burst(&em, 0xFFFE, v, 3));
	REFUSED(pica_emit_tev(&em, 6, NULL));
	REFUSED(pica_emit_scissor(&em, PICA_SCISSOR_INSIDE, 0, 0, 1024, 0));
	REFUSED(pica_emit_viewport(&em, 512, 0, 240, 400));
	REFUSED(pica_emit_viewport(&em, 0, 0, 0, 400));
	REFUSED(pica_emit_float_uniforms(&em, PICA_UNIT_VS, 90, NULL, 7));
	REFUSED(pica_emit_code(&em, PICA_UNIT_VS, 500, v, 13));
	REFUSED(pica_emit_operand_descriptors(&em, PICA_UNIT_GS, 129, v, 0));
	REFUSED(pica_emit_int_uniform(&em, PICA_UNIT_VS, 4, 0, 0, 0, 0));
	REFUSED(pica_emit_fixed_attribute(&em, 12, 0, 0, 0, 0));
	REFUSED(pica_emit_draw_arrays(&em, 4, 0, 3));
	REFUSED(pica_emit_draw_elements(&em, 0, 0x10000000, true, 3));
	REFUSED(pica_emit_light_lut(&em, 24, 0, v, 1));
	REFUSED(pica_emit_light_lut(&em, 0, 255, v, 2));
	REFUSED(pica_emit_fog_lut(&em, 126, v, 3));
	REFUSED(pica_emit_proctex_lut(&em, PICA_PROCTEX_TABLE_NOISE, 126, v, 3));
	REFUSED(pica_emit_gas_lut(&em, 14, v, 3));
	REFUSED(pica_emit_logic_op(&em, 16));
	REFUSED(pica_emit_fragment_mode(&em, 4));
	REFUSED(pica_emit_gas_accumulation(&em, 4, 1.0f));
	REFUSED(pica_emit_gas_shading(&em, &(struct pica_gas){ .density_max = 0.0f }));
	REFUSED(pica_emit_inputs(&em, 0, PICA_IDENTITY_INPUTS));
	REFUSED(pica_emit_texture_units(&em, 16, 0, false));
	REFUSED(pica_emit_vs_output_mask(&em, 0));
}

/* ---- Names ---- */

TEST(registers_are_written_by_name) {
	pica_emit_named(&em, "TEXENV0_SOURCE", "RGB0=texture0 RGB1=primary ALPHA0=3");
	pica_emit_named(&em, "GPUREG_VIEWPORT_WIDTH", "VALUE=120.0");
	pica_emit_named(&em, "FINALIZE", "0x12345678");
	CHECK_WORDS(0x00030003, 0x000F00C0, 0x0045E000, 0x000F0041, 0x12345678, 0x000F0010);
	REFUSED_AS(-ENOENT, pica_emit_named(&em, "TEXENV9_SOURCE", "RGB0=texture0"));
	REFUSED_AS(-ENOENT, pica_emit_named(&em, "TEXENV0_SOURCE", "RGB7=texture0"));
	REFUSED_AS(-ERANGE, pica_emit_named(&em, "TEXENV0_SOURCE", "RGB0=16"));
	ck_assert_int_eq(pica_reg_id("DRAWARRAYS"), 0x22E);
	ck_assert_int_eq(pica_reg_id("DRAW"), -ENOENT);
	ck_assert_str_eq(pica_reg_name(0x22E), "DRAWARRAYS");
	ck_assert_ptr_null(pica_reg_name(0x400));
	uint32_t word = 0xFFFFFFFF;
	ck_assert_int_eq(pica_reg_set_fields(PICA_REG_FRAMEBUFFER_DIM, "WIDTH=240", &word), 0);
	ck_assert_uint_eq(word, 0xFFFFF8F0);
	char text[64];
	size_t len = pica_reg_describe(PICA_REG_FRAMEBUFFER_DIM, 0x0118F0F0, text, sizeof(text));
	ck_assert_uint_eq(len, 33);
	ck_assert_str_eq(text, "WIDTH=240 HEIGHT_M1=399 NO_FLIP=1");
}

TEST(constants_and_packers_are_those_of_the_table) {
	ck_assert_uint_eq(PICA_REG_TEXUNIT0_DIM, 0x082);
	ck_assert_uint_eq(PICA_REG_VSH_FLOATUNIFORM_DATA0, 0x2C1);
	ck_assert_uint_eq(PICA_TEXUNIT_DIM_WIDTH(64) | PICA_TEXUNIT_DIM_HEIGHT(32), 0x00400020);
	ck_assert_uint_eq(PICA_BLEND_FUNC_ALPHA_DST(PICA_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA),
			0x70000000);
	/* A value too large does not reach its neighbours. */
	ck_assert_uint_eq(PICA_TEXENV_SOURCE_RGB0(0xFFF), 0xF);
	ck_assert_uint_eq(pica_f24(120.0f), 0x45E000);
	ck_assert_uint_eq(pica_f20(3.0f), 0x40800);
	ck_assert_uint_eq(pica_f16(-2.5f), 0xC100);
	ck_assert_uint_eq(pica_f31(2.0f / 240), 0x38111112);
}

/* ---- Tables ---- */

TEST(tables_are_index_and_stream) {
	static const uint32_t v[3] = { 1, 2, 3 };
	pica_emit_light_lut(&em, PICA_LIGHT_TABLE_SP + 3, 16, v, 3);
	CHECK_WORDS(0x00000B10, 0x000F01C5, 1, 0x002F01C8, 2, 3);
	pica_emit_fog_lut(&em, 125, v, 3);
	CHECK_WORDS(125, 0x000F00E6, 1, 0x002F00E8, 2, 3);
	pica_emit_proctex_lut(&em, PICA_PROCTEX_TABLE_COLOR, 253, v, 3);
	CHECK_WORDS(0x000004FD, 0x000F00AF, 1, 0x002F00B0, 2, 3);
	pica_emit_gas_lut(&em, 13, v, 3);
	CHECK_WORDS(13, 0x000F0123, 1, 0x002F0124, 2, 3);
	/* A whole table is one full entry. */
	static const uint32_t table[256] = { 9 };
	pica_emit_light_lut(&em, PICA_LIGHT_TABLE_D0, 0, table, 256);
	ck_assert_uint_eq(em.count, 2 + 258);
	ck_assert_uint_eq(em.words[3], 0x0FFF01C8);
}

TEST(table_entries_are_scaled_and_clamped) {
	/* [fidelity: lighting-numbers: 0x400800, 0xC00800] */
	ck_assert_uint_eq(pica_light_lut_entry(0.5f, 0.5f), 0x400800);
	ck_assert_uint_eq(pica_light_lut_entry(0.5f, -0.5f), 0xC00800);
	ck_assert_uint_eq(pica_light_lut_entry(1.0f, 1.0f), 0x7FFFFF);
	ck_assert_uint_eq(pica_light_lut_entry(2.0f, -9.0f), 0xFFFFFF);
	ck_assert_uint_eq(pica_light_lut_entry(-1.0f, 0.0f), 0);
	ck_assert_uint_eq(pica_light_lut_entry(NAN, NAN), 0);
	/* [fidelity: combiner-numbers: what a title uploads] */
	ck_assert_uint_eq(pica_fog_lut_entry(1.0f, 0.0f), 0x00FFE000);
	ck_assert_uint_eq(pica_fog_lut_entry(1.0f, -282.0f / 2048), 0x00FFFEE6);
	ck_assert_uint_eq(pica_fog_lut_entry(1766.0f / 2048, -1767.0f / 2048), 0x00DCD919);
	ck_assert_uint_eq(pica_fog_lut_entry(INFINITY, -INFINITY), 0x00FFF000);
	ck_assert_uint_eq(pica_proctex_map_entry(0.5f, -0.25f), 0x00C00800);
	ck_assert_uint_eq(pica_proctex_map_entry(1.0f, 1.0f), 0x007FFFFF);
}
