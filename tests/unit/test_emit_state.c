/* The list builder's words for shaders, vertices and state. */
#include "emit_rig.h"
#include "tests/suite.h"

/* ---- Shaders ---- */

FIXTURE(setup, teardown)

TEST(float_uniforms_are_packed_w_first) {
	static const float v[8] = { 1.0f, 0.5f, -1.0f, 3.0f, 0, 0, 0, 1.0f };
	pica_emit_float_uniforms(&em, PICA_UNIT_VS, 5, v, 1);
	/* [fidelity: list-numbers: packed vec4] */
	CHECK_WORDS(5, 0x000F02C0, 0x408000BF, 0x002F02C1, 0x00003E00, 0x003F0000);
	pica_emit_float_uniforms_f32(&em, PICA_UNIT_GS, 5, v, 1);
	CHECK_WORDS(0x80000005, 0x000F0290, 0x40400000, 0x003F0291, 0xBF800000, 0x3F000000,
			0x3F800000, 0);
	pica_emit_float_uniforms(&em, PICA_UNIT_VS, 95, v + 4, 1);
	CHECK_WORDS(95, 0x000F02C0, 0x3F000000, 0x002F02C1, 0, 0);
	pica_emit_float_uniforms(&em, PICA_UNIT_VS, 0, v, 0);
	ck_assert_uint_eq(em.count, 0);
}

TEST(all_96_uniforms_fit_in_one_call) {
	static float v[96 * 4];
	for (int i = 0; i < 96 * 4; i++) {
		v[i] = (float)i;
	}
	pica_emit_float_uniforms(&em, PICA_UNIT_VS, 0, v, 96);
	/* 288 words: an entry of 255 (85 whole uniforms), an entry of 33. */
	ck_assert_uint_eq(em.count, 2 + 256 + 34);
	ck_assert_uint_eq(em.words[3], 0x0FEF02C1);
	ck_assert_uint_eq(em.words[259], 0x020F02C1);
	/* Uniform 85 begins the second entry: w = 343 = 1.0101_0111b * 2^8. */
	ck_assert_uint_eq(em.words[258] >> 8, 0x475700);
	pica_emit_reset(&em);
	pica_emit_float_uniforms_f32(&em, PICA_UNIT_VS, 0, v, 96);
	static struct write w[400];
	ck_assert_uint_eq(decode(em.words, em.count, w, 400), 1 + 384);
	ck_assert_uint_eq(w[1].value, 0x40400000);        /* c0.w = 3 */
	ck_assert_uint_eq(w[1 + 383].value, 0x43BE0000); /* c95.x = 380 */
}

TEST(code_is_written_in_entries_of_128_words) {
	static uint32_t code[130];
	for (uint32_t i = 0; i < 130; i++) {
		code[i] = 0x88000000 + i;
	}
	pica_emit_code(&em, PICA_UNIT_VS, 16, code, 130);
	ck_assert_uint_eq(em.count, 2 + 130 + 4 + 2);
	ck_assert_uint_eq(em.words[0], 16);
	ck_assert_uint_eq(em.words[1], 0x000F02CB);
	ck_assert_uint_eq(em.words[2], 0x88000000);
	ck_assert_uint_eq(em.words[3], 0x07FF02CC);
	ck_assert_uint_eq(em.words[130], 0x8800007F);
	ck_assert_uint_eq(em.words[131], 0);
	ck_assert_uint_eq(em.words[132], 0x88000080);
	ck_assert_uint_eq(em.words[133], 0x001F02CC);
	ck_assert_uint_eq(em.words[134], 0x88000081);
	ck_assert_uint_eq(em.words[136], 1);
	ck_assert_uint_eq(em.words[137], 0x000F02BF);
	pica_emit_reset(&em);
	pica_emit_code(&em, PICA_UNIT_GS, 4095, code, 1);
	CHECK_WORDS(4095, 0x000F029B, 0x88000000, 0x000F029C, 1, 0x000F028F);
	pica_emit_operand_descriptors(&em, PICA_UNIT_GS, 3, code, 2);
	CHECK_WORDS(3, 0x000F02A5, 0x88000000, 0x001F02A6, 0x88000001, 0);
	pica_emit_operand_descriptors(&em, PICA_UNIT_VS, 0, code, 1);
	CHECK_WORDS(0, 0x000F02D5, 0x88000000, 0x000F02D6);
}

TEST(entry_point_booleans_and_integers_go_to_their_unit) {
	pica_emit_entry_point(&em, PICA_UNIT_VS, 0x12);
	pica_emit_entry_point(&em, PICA_UNIT_GS, 0xFFF);
	pica_emit_bool_uniforms(&em, PICA_UNIT_VS, 0x8001);
	pica_emit_bool_uniforms(&em, PICA_UNIT_GS, 0x7FFF);
	pica_emit_int_uniform(&em, PICA_UNIT_VS, 3, 1, 2, 3, 255);
	pica_emit_int_uniform(&em, PICA_UNIT_GS, 0, 4, 0, 1, 0);
	CHECK_WORDS(0x7FFF0012, 0x000F02BA, 0x7FFF0FFF, 0x000F028A, 0x7FFF8001, 0x000F02B0,
			0x7FFF7FFF, 0x000F0280, 0xFF030201, 0x000F02B4, 0x00010004, 0x000F0281);
}

TEST(output_map_numbers_enabled_registers_densely) {
	/* Mask 0011: slot 0 = o0, slot 1 = o4. [fidelity: output-slots, geometry-numbers] */
	static const struct pica_output outputs[] = {
		{ PICA_OUTPUT_COLOR, 4, 15 },
		{ PICA_OUTPUT_POSITION, 0, 15 },
	};
	pica_emit_outputs(&em, PICA_UNIT_VS, outputs, 2);
	CHECK_WRITES({ 0x2BD, 0x0011, 15 }, { 0x24A, 1, 15 }, { 0x251, 1, 15 }, { 0x25E, 1, 1 },
			{ 0x04F, 2, 15 }, { 0x050, 0x03020100, 15 }, { 0x051, 0x0B0A0908, 15 },
			{ 0x052, 0x1F1F1F1F, 15 }, { 0x053, 0x1F1F1F1F, 15 },
			{ 0x054, 0x1F1F1F1F, 15 }, { 0x055, 0x1F1F1F1F, 15 },
			{ 0x056, 0x1F1F1F1F, 15 }, { 0x064, 0, 15 }, { 0x06F, 0x00000003, 15 });
	/* Two texture coordinates share o1; o2 carries texcoord0.w in its y; o4 does not exist. */
	static const struct pica_output shared[] = {
		{ PICA_OUTPUT_POSITION, 0, 15 },
		{ PICA_OUTPUT_TEXCOORD0, 1, 3 },
		{ PICA_OUTPUT_TEXCOORD1, 1, 12 },
		{ PICA_OUTPUT_TEXCOORD0_W, 2, 2 },
		{ PICA_OUTPUT_QUATERNION, 3, 15 },
		{ PICA_OUTPUT_VIEW, 5, 15 },
		{ PICA_OUTPUT_TEXCOORD2, 6, 3 },
		{ PICA_OUTPUT_DUMMY, 7, 15 },
	};
	pica_emit_outputs(&em, PICA_UNIT_GS, shared, ARRAY_LEN(shared));
	CHECK_WRITES({ 0x28D, 0x00EF, 15 }, { 0x25E, 6, 1 }, { 0x04F, 7, 15 },
			{ 0x050, 0x03020100, 15 }, { 0x051, 0x0F0E0D0C, 15 },
			{ 0x052, 0x1F1F101F, 15 }, { 0x053, 0x07060504, 15 },
			{ 0x054, 0x1F141312, 15 }, { 0x055, 0x1F1F1716, 15 },
			{ 0x056, 0x1F1F1F1F, 15 }, { 0x064, 1, 15 }, { 0x06F, 0x01010701, 15 });
	/* A position without z has no clock for it. */
	static const struct pica_output flat[] = { { PICA_OUTPUT_POSITION, 0, 3 } };
	pica_emit_outputs(&em, PICA_UNIT_GS, flat, 1);
	ck_assert_uint_eq(em.words[em.count - 2], 0);
	pica_emit_reset(&em);
	static const struct pica_output bad[] = { { 7, 0, 15 } };
	REFUSED(pica_emit_outputs(&em, PICA_UNIT_VS, bad, 1));
	REFUSED(pica_emit_outputs(&em, PICA_UNIT_VS, bad, 0));
	struct pica_output many[8];
	for (uint8_t i = 0; i < 8; i++) {
		many[i] = (struct pica_output){ PICA_OUTPUT_DUMMY, i, 15 };
	}
	REFUSED(pica_emit_outputs(&em, PICA_UNIT_VS, many, 8));
}

TEST(geometry_stage_is_set_up_as_client_libraries_do) {
	pica_emit_geometry(&em, NULL);
	CHECK_WRITES({ 0x229, 0, 3 }, { 0x253, 0, 3 }, { 0x244, 0, 1 }, { 0x229, 0, 0xA },
			{ 0x252, 0, 15 }, { 0x254, 0, 15 }, { 0x289, 0xA0000000, 15 },
			{ 0x28B, 0x76543210, 15 }, { 0x28C, 0xFEDCBA98, 15 });
	/* Fixed: 4 vertices of 5 registers from c0. [fidelity: geometry-numbers] */
	static const struct pica_geometry fixed = { .mode = PICA_GS_MODE_FIXED, .inputs = 5,
		.vs_outputs = 5, .fixed_vertices = 4 };
	pica_emit_geometry(&em, &fixed);
	CHECK_WRITES({ 0x229, 2, 3 }, { 0x253, 0, 3 }, { 0x244, 1, 1 }, { 0x229, 2, 0xA },
			{ 0x252, 0x01004302, 15 }, { 0x254, 0, 15 }, { 0x289, 0x08000104, 15 },
			{ 0x28B, 0x76543210, 15 }, { 0x28C, 0xFEDCBA98, 15 });
	static const struct pica_geometry variable = { .mode = PICA_GS_MODE_VARIABLE, .inputs = 2,
		.vs_outputs = 2, .variable_main = 3 };
	pica_emit_geometry(&em, &variable);
	CHECK_WRITES({ 0x229, 0x80000002, 3 }, { 0x253, 0, 3 }, { 0x244, 1, 1 },
			{ 0x229, 0x80000002, 0xA }, { 0x252, 1, 15 }, { 0x254, 2, 15 },
			{ 0x289, 0x08000101, 15 }, { 0x28B, 0x76543210, 15 },
			{ 0x28C, 0xFEDCBA98, 15 });
	static const struct pica_geometry point = { .mode = PICA_GS_MODE_POINT, .inputs = 6,
		.vs_outputs = 2 };
	pica_emit_geometry(&em, &point);
	ck_assert_uint_eq(em.words[12], 0x08000005);
	pica_emit_reset(&em);
	static const struct pica_geometry no_inputs = { .mode = PICA_GS_MODE_POINT,
		.vs_outputs = 1 };
	REFUSED(pica_emit_geometry(&em, &no_inputs));
}

/* ---- Vertices and draws ---- */

TEST(attributes_fill_the_loader_registers) {
	/* Position f32x3, colour u8x4, fixed attribute 2; record 0, 1 of stride 16. */
	static const struct pica_attributes a = {
		.base = 0x18000000,
		.n = 3,
		.format = { { PICA_ATTRIB_TYPE_F32, 3 }, { PICA_ATTRIB_TYPE_U8, 4 },
			{ PICA_ATTRIB_TYPE_F32, 4 } },
		.fixed_mask = 4,
		.n_loaders = 2,
		.loader = { { .offset = 0x20, .stride = 16, .n = 2, .component = { 0, 1 } },
			{ .offset = 0x100, .stride = 255, .n = 12,
				.component = { 11, 10, 9, 8, 7, 6, 5, 4, 3, 12, 13, 15 } } },
	};
	pica_emit_attributes(&em, &a);
	static struct write w[64];
	size_t n = decode(em.words, em.count, w, 64);
	ck_assert_uint_eq(n, 4 + 39);
	static const struct write expected[] = {
		{ 0x2B9, 0xA0000002, 0xB },
		{ 0x242, 2, 1 },
		{ 0x2BB, 0x76543210, 15 },
		{ 0x2BC, 0xFEDCBA98, 15 },
		{ 0x200, 0x03000000, 15 },
		{ 0x201, 0x00000FDB, 15 }, /* f32x3 = B, u8x4 = D, f32x4 = F */
		{ 0x202, 0x20040000, 15 },
		{ 0x203, 0x20, 15 },
		{ 0x204, 0x10, 15 },
		{ 0x205, 0x20100000, 15 },
		{ 0x206, 0x100, 15 },
		{ 0x207, 0x456789AB, 15 },
		{ 0x208, 0xC0FFFDC3, 15 },
		{ 0x209, 0, 15 },
	};
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		ck_assert_uint_eq(w[i].id, expected[i].id);
		ck_assert_uint_eq(w[i].value, expected[i].value);
		ck_assert_uint_eq(w[i].mask, expected[i].mask);
	}
	ck_assert_uint_eq(w[n - 1].id, 0x226);
	pica_emit_reset(&em);
	struct pica_attributes bad;
	REFUSED_FIELD(a, base, 0x18000008, pica_emit_attributes(&em, &bad));
	REFUSED_FIELD(a, n, 13, pica_emit_attributes(&em, &bad));
	REFUSED_FIELD(a, format[1].components, 0, pica_emit_attributes(&em, &bad));
	REFUSED_FIELD(a, loader[0].component[1], 16, pica_emit_attributes(&em, &bad));
	REFUSED_FIELD(a, loader[0].n, 13, pica_emit_attributes(&em, &bad));
	REFUSED_FIELD(a, n_loaders, 13, pica_emit_attributes(&em, &bad));
}

TEST(nine_attributes_reach_the_high_format_word) {
	struct pica_attributes a = { .base = 0x20000000, .n = 12, .fixed_mask = 0xFFF };
	for (int i = 0; i < 12; i++) {
		a.format[i] = (struct pica_attribute_format){ PICA_ATTRIB_TYPE_S16, 2 };
	}
	pica_emit_attributes(&em, &a);
	static struct write w[64];
	decode(em.words, em.count, w, 64);
	ck_assert_uint_eq(w[4].value, 0x04000000);
	ck_assert_uint_eq(w[5].value, 0x66666666);
	ck_assert_uint_eq(w[6].value, 0xBFFF6666);
}

TEST(fixed_attribute_is_index_and_three_words) {
	pica_emit_fixed_attribute(&em, 2, 1.0f, 0.5f, -1.0f, 3.0f);
	CHECK_WORDS(2, 0x803F0232, 0x408000BF, 0x00003E00, 0x003F0000, 0);
}

TEST(draw_of_arrays_follows_the_client_sequence) {
	/* [fidelity: draw-sequence] */
	pica_emit_draw_arrays(&em, PICA_PRIMITIVE_STRIP, 5, 7);
	CHECK_WRITES({ 0x25E, 0x100, 2 }, { 0x25F, 1, 15 }, { 0x227, 0x80000000, 15 },
			{ 0x228, 7, 15 }, { 0x22A, 5, 15 }, { 0x253, 1, 1 }, { 0x245, 0, 1 },
			{ 0x22E, 1, 15 }, { 0x245, 1, 1 }, { 0x253, 0, 1 }, { 0x231, 1, 15 });
}

TEST(draw_of_an_indexed_list_is_sent_as_geometry_primitives) {
	pica_emit_draw_elements(&em, PICA_PRIMITIVE_LIST, 0x40, true, 6);
	CHECK_WRITES({ 0x25E, 0x300, 2 }, { 0x25F, 1, 15 }, { 0x227, 0x80000040, 15 },
			{ 0x228, 6, 15 }, { 0x22A, 0, 15 }, { 0x229, 0x100, 2 },
			{ 0x253, 0x100, 2 }, { 0x245, 0, 1 }, { 0x22F, 1, 15 }, { 0x245, 1, 1 },
			{ 0x229, 0, 2 }, { 0x253, 0, 2 }, { 0x231, 1, 15 }, { 0x25E, 0, 8 },
			{ 0x25E, 0, 8 });
	pica_emit_draw_elements(&em, PICA_PRIMITIVE_FAN, 0x123, false, 4);
	CHECK_WRITES({ 0x25E, 0x200, 2 }, { 0x25F, 1, 15 }, { 0x227, 0x123, 15 }, { 0x228, 4, 15 },
			{ 0x22A, 0, 15 }, { 0x245, 0, 1 }, { 0x22F, 1, 15 }, { 0x245, 1, 1 },
			{ 0x231, 1, 15 }, { 0x25E, 0, 8 }, { 0x25E, 0, 8 });
}

TEST(immediate_vertices_stream_to_the_attribute_port) {
	static const float v[8] = { 1.0f, 0.5f, -1.0f, 3.0f, 1.0f, 0.5f, -1.0f, 3.0f };
	pica_emit_immediate_begin(&em, PICA_PRIMITIVE_LIST);
	pica_emit_immediate(&em, v, 2);
	pica_emit_immediate_end(&em);
	CHECK_WRITES({ 0x25E, 0, 2 }, { 0x25F, 1, 15 }, { 0x227, 0x80000000, 15 }, { 0x253, 1, 1 },
			{ 0x245, 0, 1 }, { 0x232, 15, 15 }, { 0x233, 0x408000BF, 15 },
			{ 0x233, 0x00003E00, 15 }, { 0x233, 0x003F0000, 15 },
			{ 0x233, 0x408000BF, 15 }, { 0x233, 0x00003E00, 15 },
			{ 0x233, 0x003F0000, 15 }, { 0x245, 1, 1 }, { 0x253, 0, 1 },
			{ 0x231, 1, 15 });
	/* More than an entry holds: 85 attributes, then 15. */
	static float many[400];
	many[85 * 4 + 3] = 3.0f;
	pica_emit_immediate(&em, many, 100);
	ck_assert_uint_eq(em.count, 256 + 46);
	ck_assert_uint_eq(em.words[1], 0x0FEF0233);
	ck_assert_uint_eq(em.words[256], 0x40800000);
	ck_assert_uint_eq(em.words[257], 0x02CF0233);
}

/* ---- State ---- */

TEST(viewport_of_the_top_screen) {
	/* [fidelity: list-numbers] */
	pica_emit_viewport(&em, 0, 0, 240, 400);
	CHECK_WORDS(0x0045E000, 0x803F0041, 0x38111112, 0x00469000, 0x3747AE14, 0, 0, 0x000F0068);
	pica_emit_viewport(&em, 2, -1, 256, 512);
	CHECK_WORDS(0x00460000, 0x803F0041, 0x38000000, 0x00470000, 0x37000000, 0, 0x03FF0002,
			0x000F0068);
}

TEST(framebuffer_with_and_without_depth) {
	static const struct pica_framebuffer fb = { .color_addr = 0x18000000,
		.depth_addr = 0x18100000,
		.color_format = PICA_COLOR_FORMAT_RGBA8,
		.depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = 240,
		.height = 400 };
	pica_emit_framebuffer(&em, &fb);
	CHECK_WRITES({ 0x110, 1, 15 }, { 0x11C, 0x03020000, 15 }, { 0x11D, 0x03000000, 15 },
			{ 0x11E, 0x0118F0F0, 15 }, { 0x06E, 0x0118F0F0, 15 }, { 0x116, 3, 15 },
			{ 0x117, 2, 15 }, { 0x11B, 0, 15 }, { 0x112, 15, 15 }, { 0x113, 15, 15 },
			{ 0x114, 3, 15 }, { 0x115, 3, 15 });
	static const struct pica_framebuffer plain = { .color_addr = 0x18000040,
		.color_format = PICA_COLOR_FORMAT_RGB565, .width = 8, .height = 1,
		.bottom_row_first = true, .block32 = true };
	pica_emit_framebuffer(&em, &plain);
	CHECK_WRITES({ 0x110, 1, 15 }, { 0x11C, 0, 15 }, { 0x11D, 0x03000008, 15 },
			{ 0x11E, 8, 15 }, { 0x06E, 8, 15 }, { 0x116, 0, 15 },
			{ 0x117, 0x00030000, 15 }, { 0x11B, 1, 15 }, { 0x112, 15, 15 },
			{ 0x113, 15, 15 }, { 0x114, 0, 15 }, { 0x115, 0, 15 });
	static const struct pica_framebuffer depth_only = { .depth_addr = 0x18000000,
		.depth_format = PICA_DEPTH_FORMAT_D16,
		.color_format = PICA_COLOR_FORMAT_RGB8,
		.width = 1024,
		.height = 1024 };
	pica_emit_framebuffer(&em, &depth_only);
	CHECK_WRITES({ 0x110, 1, 15 }, { 0x11C, 0x03000000, 15 }, { 0x11D, 0, 15 },
			{ 0x11E, 0x013FF400, 15 }, { 0x06E, 0x013FF400, 15 }, { 0x116, 0, 15 },
			{ 0x117, 0x00010001, 15 }, { 0x11B, 0, 15 }, { 0x112, 0, 15 },
			{ 0x113, 0, 15 }, { 0x114, 2, 15 }, { 0x115, 2, 15 });
	struct pica_framebuffer bad;
	REFUSED_FIELD(fb, color_addr, fb.color_addr + 8, pica_emit_framebuffer(&em, &bad));
	REFUSED_FIELD(fb, width, 244, pica_emit_framebuffer(&em, &bad));
	REFUSED_FIELD(fb, depth_format, 1, pica_emit_framebuffer(&em, &bad));
	REFUSED_FIELD(fb, height, 0, pica_emit_framebuffer(&em, &bad));
	pica_emit_flush(&em);
	CHECK_WORDS(1, 0x000F0111, 1, 0x000F0110);
}

TEST(rasteriser_state) {
	pica_emit_cull(&em, PICA_CULL_BACK);
	pica_emit_scissor(&em, PICA_SCISSOR_INSIDE, 10, 5, 100, 399);
	CHECK_WORDS(2, 0x000F0040, 3, 0x802F0065, 0x0005000A, 0x018F0064);
	pica_emit_depth_map(&em, PICA_DEPTHMAP_Z, -1.0f, 0.0f);
	CHECK_WORDS(1, 0x000F006D, 0x00BF0000, 0x801F004D, 0, 0);
	static const float plane[4] = { 1.0f, 0.0f, 0.0f, -1.0f };
	pica_emit_clip_plane(&em, plane);
	CHECK_WORDS(1, 0x804F0047, 0x003F0000, 0, 0, 0x00BF0000);
	pica_emit_clip_plane(&em, NULL);
	CHECK_WORDS(0, 0x804F0047, 0, 0, 0, 0);
}

TEST(texture_units) {
	static const struct pica_texture t = { .addr = 0x20000040,
		.width = 128,
		.height = 64,
		.format = PICA_TEXTURE_FORMAT_ETC1,
		.mag = PICA_FILTER_LINEAR,
		.mip = PICA_FILTER_LINEAR,
		.wrap_s = PICA_WRAP_REPEAT,
		.wrap_t = PICA_WRAP_MIRRORED_REPEAT,
		.border = 0x80402010,
		.lod_bias = -1.0f,
		.min_level = 1,
		.max_level = 3 };
	pica_emit_texture(&em, 1, &t);
	CHECK_WORDS(0x80402010, 0x804F0091, 0x00800040, 0x01002322, 0x01031F00, 0x04000008, 12,
			0x000F0096);
	static const struct pica_texture cube = { .addr = 0x20000000,
		.width = 8,
		.height = 8,
		.faces = { 0x20000100, 0x20000200, 0x20000300, 0x20000400, 0x21FFFFF8 },
		.type = PICA_TEXTURE_TYPE_SHADOW_CUBE };
	pica_emit_texture(&em, 0, &cube);
	CHECK_WRITES({ 0x081, 0, 15 }, { 0x082, 0x00080008, 15 }, { 0x083, 0x40100000, 15 },
			{ 0x084, 0, 15 }, { 0x085, 0x04000000, 15 }, { 0x086, 0x20, 15 },
			{ 0x087, 0x40, 15 }, { 0x088, 0x60, 15 }, { 0x089, 0x80, 15 },
			{ 0x08A, 0x3FFFFF, 15 }, { 0x08E, 0, 15 });
	struct pica_texture bad;
	/* Another 32 MiB. */
	REFUSED_FIELD(cube, faces[2], 0x22000000, pica_emit_texture(&em, 0, &bad));
	REFUSED(pica_emit_texture(&em, 2, &cube)); /* only unit 0 has cubes */
	REFUSED_FIELD(t, addr, t.addr + 4, pica_emit_texture(&em, 0, &bad));
	REFUSED_FIELD(t, width, 2048, pica_emit_texture(&em, 0, &bad));
	REFUSED_FIELD(t, lod_bias, NAN, pica_emit_texture(&em, 0, &bad));
	pica_emit_texture_units(&em, 0xF, 1, true);
	CHECK_WORDS(0x00003507, 0x000B0080, 0x00010000, 0x00040080);
	pica_emit_texture_units(&em, 0, 0, false);
	CHECK_WORDS(0x00001000, 0x000B0080, 0x00010000, 0x00040080);
}

TEST(combiner_stages) {
	pica_emit_tev(&em, 3, NULL);
	/* The pass-through of [fidelity: combiner-buffer]. */
	CHECK_WORDS(0x000F000F, 0x804F00D8, 0, 0, 0, 0);
	static const struct pica_tev tev = {
		.rgb_source = { PICA_TEV_SOURCE_TEXTURE0, PICA_TEV_SOURCE_CONSTANT,
				PICA_TEV_SOURCE_PREVIOUS },
		.alpha_source = { PICA_TEV_SOURCE_PREVIOUS_BUFFER, PICA_TEV_SOURCE_TEXTURE2,
			PICA_TEV_SOURCE_FRAGMENT_PRIMARY },
		.rgb_operand = { PICA_TEV_OPERAND_RGB_ONE_MINUS_COLOR, PICA_TEV_OPERAND_RGB_GREEN,
				PICA_TEV_OPERAND_RGB_ONE_MINUS_BLUE },
		.alpha_operand = { PICA_TEV_OPERAND_ALPHA_ONE_MINUS_ALPHA,
				PICA_TEV_OPERAND_ALPHA_BLUE, PICA_TEV_OPERAND_ALPHA_RED },
		.rgb_op = PICA_TEV_OP_INTERPOLATE,
		.alpha_op = PICA_TEV_OP_ADD_MULTIPLY,
		.rgb_scale = PICA_TEV_SCALE_X4,
		.alpha_scale = PICA_TEV_SCALE_X2,
		.color = 0x12345678,
	};
	pica_emit_tev(&em, 5, &tev);
	CHECK_WORDS(0x015D0FE3, 0x804F00F8, 0x00261D81, 0x00090004, 0x12345678, 0x00010002);
	pica_emit_tev_buffer(&em, 0x5, 0xA, 0xFF010203);
	pica_emit_fog(&em, PICA_FOG_MODE_FOG, true, 0xFF808182);
	CHECK_WORDS(0x0000A500, 0x000200E0, 0xFF010203, 0x000F00FD, 0x00010005, 0x000500E0,
			0x00808182, 0x000F00E1);
}

static float straight(float depth, void *arg) {
	unsigned *asked = arg;
	(*asked)++;
	return depth;
}

static float odd(float depth, void *arg) {
	(void)arg;
	return depth == 0 ? 2.0f : depth == 1.0f / 128 ? -1.0f : depth == 2.0f / 128 ? NAN : 0.5f;
}

TEST(fog_table_of_a_function) {
	uint32_t e[128];
	unsigned asked = 0;
	pica_fog_lut_from(e, straight, &asked);
	ck_assert_uint_eq(asked, 129);
	/* Entries join: 2047 * i / 128 to nearest, and the way to the next. */
	for (int i = 0; i < 128; i++) {
		const int value = (2 * 2047 * i + 128) / 256,
			  next = (2 * 2047 * (i + 1) + 128) / 256;
		ck_assert_uint_eq(e[i], (uint32_t)(value << 13 | (next - value)));
	}
	pica_fog_lut_from(e, odd, NULL);
	ck_assert_uint_eq(e[0], 2047u << 13 | (0x2000 - 2047));
	ck_assert_uint_eq(e[1], 0);
	ck_assert_uint_eq(e[2], 1024); /* 1023.5 */
	ck_assert_uint_eq(e[127], 1024u << 13);
}

TEST(gas_table_of_colours) {
	static const uint32_t colors[9] = { 0xAA000000, 0x0000FF, 0x00FF00, 0x00FF01, 0x00FFFE,
		0x0300F9, 0x0000FA, 0, 0xFFFFFF };
	/* Half of the difference, rounded away from 0; one byte holds -128..127. */
	static const uint32_t differences[8] = { 0x00007F, 0x007F80, 0x000001, 0x00007F, 0x0280FD,
		0xFE0001, 0x000083, 0x7F7F7F };
	uint32_t e[16];
	pica_gas_lut_from(e, colors);
	for (unsigned i = 0; i < 8; i++) {
		ck_assert_msg(e[i] == differences[i], "%u: %06X", i, e[i]);
		ck_assert_uint_eq(e[8 + i], colors[i] & 0xFFFFFF);
	}
}

TEST(fragment_tests_and_output) {
	pica_emit_alpha_test(&em, true, PICA_COMPARE_GREATER, 0x80);
	pica_emit_stencil_test(&em, true, PICA_COMPARE_LEQUAL, 0x33, 0x44, 0x22);
	pica_emit_stencil_op(&em, PICA_STENCIL_OP_INCR, PICA_STENCIL_OP_INVERT,
			PICA_STENCIL_OP_DECR_WRAP);
	pica_emit_depth_test(&em, true, PICA_COMPARE_GEQUAL, true, 0xF);
	pica_emit_depth_test(&em, false, PICA_COMPARE_NEVER, false, 0x8);
	CHECK_WORDS(0x00008061, 0x000F0104, 0x44332251, 0x000F0105, 0x00000753, 0x000F0106,
			0x00001F71, 0x000F0107, 0x00000800, 0x000F0107);
	pica_emit_blend(&em, NULL);
	CHECK_WORDS(0x00E40100, 0x00070100, 0x01010000, 0x000F0101, 0, 0x000F0103);
	static const struct pica_blend b = { .rgb_equation = PICA_BLEND_EQ_REVERSE_SUBTRACT,
		.alpha_equation = PICA_BLEND_EQ_MAX,
		.rgb_src = PICA_BLEND_FACTOR_SRC_ALPHA,
		.rgb_dst = PICA_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
		.alpha_src = PICA_BLEND_FACTOR_CONSTANT_ALPHA,
		.alpha_dst = PICA_BLEND_FACTOR_SRC_ALPHA_SATURATE,
		.color = 0x80FF0000 };
	pica_emit_blend(&em, &b);
	CHECK_WORDS(0x00E40100, 0x00070100, 0xEC760402, 0x000F0101, 0x80FF0000, 0x000F0103);
	pica_emit_logic_op(&em, PICA_LOGIC_OP_XOR);
	CHECK_WORDS(0x00E40000, 0x00070100, 11, 0x000F0102);
	pica_emit_fragment_mode(&em, PICA_FRAGMENT_MODE_SHADOW);
	pica_emit_shadow(&em, 1.5f, -1.0f);
	CHECK_WORDS(0x00000003, 0x00010100, 0xBC003E00, 0x000F0130);
	pica_emit_shadow_texture(&em, false, 0.25f);
	pica_emit_shadow_texture(&em, true, 1.0f);
	CHECK_WORDS(0x00400001, 0x000F008B, 0x00FFFFFE, 0x000F008B);
	pica_emit_gas_accumulation(&em, PICA_GAS_DEPTH_GREATER, 2.25f);
	CHECK_WORDS(0x02000240, 0x000F0126, 0, 0x00030125, 0x00000001, 0x00010100);
	pica_emit_gas_accumulation(&em, PICA_GAS_DEPTH_NEVER, 1e9f);
	CHECK_WORDS(0x00FFFFFF, 0x000F0126, 0, 0x00030125, 0x00000001, 0x00010100);
	static const struct pica_gas gas = { .planar = { 0.2f, 0.4f, 1.0f },
		.view = { -1.0f, NAN, 2.0f },
		.effect = 0.6f,
		.by_light = true,
		.depth_density = true,
		.density_max = 4.0f,
		.attenuation = 1.5f };
	pica_emit_gas_shading(&em, &gas);
	CHECK_WORDS(0x00FF6633, 0x000F0120, 0x00FF0000, 0x000F0121, 0x00000199, 0x000F0122,
			0x00003E00, 0x000F00E4, 0x00003400, 0x000F00E5, 0x0000000F, 0x000500E0);
}

TEST(defaults_pass_the_vertex_colour_through) {
	pica_emit_defaults(&em);
	ck_assert_int_eq(pica_emit_error(&em), 0);
	static struct write w[128];
	size_t n = decode(em.words, em.count, w, 128);
	uint32_t regs[0x300];
	memset(regs, 0xEE, sizeof(regs));
	for (size_t i = 0; i < n; i++) {
		for (int k = 0; k < 4; k++) {
			if (w[i].mask >> k & 1) {
				regs[w[i].id] = (regs[w[i].id] & ~(0xFFu << 8 * k)) |
						(w[i].value & 0xFFu << 8 * k);
			}
		}
	}
	static const struct write expected[] = { { 0x040, 0, 0 }, { 0x047, 0, 0 },
		{ 0x04D, 0xBF0000, 0 }, { 0x04E, 0, 0 }, { 0x065, 0, 0 }, { 0x06D, 1, 0 },
		{ 0x08F, 0, 0 }, { 0x0C0, 0, 0 }, { 0x0C8, 0x000F000F, 0 },
		{ 0x0F8, 0x000F000F, 0 }, { 0x0FC, 0, 0 }, { 0x101, 0x01010000, 0 },
		{ 0x104, 0x10, 0 }, { 0x105, 0xFF00FF10, 0 }, { 0x106, 0, 0 }, { 0x107, 0x1F10, 0 },
		{ 0x1C6, 1, 0 } };
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		ck_assert_msg(regs[expected[i].id] == expected[i].value, "%03X = %08X",
				expected[i].id, regs[expected[i].id]);
	}
	ck_assert_uint_eq(regs[0x080], 0x00011000);
	ck_assert_uint_eq(regs[0x0E0], 0xEE000000);
	ck_assert_uint_eq(regs[0x100], 0xEEE40100);
	ck_assert_uint_eq(regs[0x062] & 1, 0);
	ck_assert_uint_eq(regs[0x118] & 1, 0);
}
