/* Looking into a context: vertices and targets. */
#include "engine_rig.h"
#include "pica_inspect.h"
#include "tests/suite.h"

/* ---- Vertices ---- */

static void set_up(void) {
	struct pica_emit e;
	emit_state(&e, COLOR);
	ck_assert_int_eq(run_list(&e).result, 0);
}

ENGINE_TEST(vertices_are_fetched_and_shaded_as_a_draw_would) {
	set_up();
	put_vertex(0, 0, 0, green);
	put_vertex(1, 32, 16, red);
	const uint32_t numbers[2] = { 1, 0 };
	struct pica_vertex v[2];
	ck_assert_int_eq(pica_ctx_shade(ctx, numbers, NULL, 2, v), 0);
	const float position[4] = { 0, -0.5f, -0.5f, 1 };
	ck_assert_mem_eq(v[0].input[0], position, sizeof(position));
	ck_assert_mem_eq(v[0].output[0], position, sizeof(position));
	ck_assert_mem_eq(v[0].input[1], red, sizeof(red));
	ck_assert_mem_eq(&v[0].semantic[PICA_SEMANTIC_POSITION_X], position, sizeof(position));
	ck_assert_mem_eq(&v[0].semantic[PICA_SEMANTIC_COLOR_R], red, sizeof(red));
	ck_assert_mem_eq(&v[1].semantic[PICA_SEMANTIC_COLOR_R], green, sizeof(green));
	/* not mapped [fidelity: semantics] */
	ck_assert_float_eq(v[0].semantic[PICA_SEMANTIC_TEXCOORD0_U], 1);
	ck_assert_int_eq(v[0].is_projected, 1);
	ck_assert_float_eq(v[0].window[0], 32);
	ck_assert_float_eq(v[0].window[1], 16); /* the bottom row comes first in memory here */
	ck_assert_float_eq(v[0].window[2], -0.5f);
	ck_assert_float_eq(v[1].window[0], 0);
}

ENGINE_TEST(given_attributes_are_shaded) {
	enum { N = 70 }; /* more than go at a time */
	static float attributes[N][16][4];
	static struct pica_vertex v[N];
	set_up();
	for (unsigned i = 0; i < N; i++) {
		const float position[4] = { (float)i / 128, 0, 0, 1 };
		memcpy(attributes[i][0], position, sizeof(position));
		memcpy(attributes[i][1], red, sizeof(red));
	}
	attributes[N - 1][0][3] = -1; /* behind the eye */
	ck_assert_int_eq(pica_ctx_shade(ctx, NULL, (const float (*)[16][4])attributes, N, v), 0);
	for (unsigned i = 0; i < N - 1; i++) {
		ck_assert_float_eq(v[i].output[0][0], (float)i / 128);
		ck_assert_float_eq(v[i].window[0], 32 + (float)i / 4);
	}
	ck_assert_int_eq(v[N - 1].is_projected, 0);
	ck_assert_float_eq(v[N - 1].window[0], 0);
	ck_assert_int_eq(pica_ctx_shade(ctx, NULL, NULL, 1, v), -EINVAL);
	const uint32_t number = 0;
	ck_assert_int_eq(pica_ctx_shade(ctx, &number, (const float(*)[16][4])attributes, 1, v),
			-EINVAL);
}

ENGINE_TEST(shading_draws_and_changes_nothing) {
	static struct pica_state before, after;
	const uint32_t number = 0;
	struct pica_vertex v;
	set_up();
	put_triangle(red);
	ck_assert_int_eq(pica_ctx_save_state(ctx, &before), 0);
	ck_assert_int_eq(pica_ctx_shade(ctx, &number, NULL, 1, &v), 0);
	ck_assert_int_eq(pica_ctx_save_state(ctx, &after), 0);
	ck_assert_mem_eq(&before, &after, sizeof(before));
	ck_assert_uint_eq(count_color(COLOR, 0), PIXELS);
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	ck_assert_uint_eq(stats.draws, 0);
	ck_assert_uint_eq(stats.shaded_vertices, 0);
}

ENGINE_TEST(arrays_outside_memory_are_reported) {
	struct pica_vertex v;
	const uint32_t number = 0;
	emit_state(&e, COLOR);
	pica_emit_reg(&e, PICA_REG_ATTRIBBUFFERS_LOC, 0x40000000 >> 3);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_int_eq(pica_ctx_shade(ctx, &number, NULL, 1, &v), -ERANGE);
}

ENGINE_TEST_WITHIN(endless_program_is_cut, .shader_steps = 1000) {
	struct pica_vertex v;
	const uint32_t number = 0;
	/* JMPU b15, false: to itself */
	const uint32_t loop[2] = { 0x2Du << 26 | 15 << 22 | 0 << 10 | 1, 0x22u << 26 };
	emit_state(&e, COLOR);
	pica_emit_code(&e, PICA_UNIT_VS, 0, loop, 2);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_int_eq(pica_ctx_shade(ctx, &number, NULL, 1, &v), 0);
	pica_emit_init(&e); /* it has no end in a draw either */
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(run_list(&e).result, -EDQUOT);
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	ck_assert_uint_eq(stats.faults[PICA_FAULT_SHADER_BUDGET], 3);
}

/* ---- Targets ---- */

TEST(targets_match_their_registers) {
	static uint32_t regs[PICA_REG_COUNT];
	struct pica_target t;
	regs[PICA_REG_COLORBUFFER_LOC] = COLOR >> 3;
	regs[PICA_REG_DEPTHBUFFER_LOC] = DEPTH >> 3;
	regs[PICA_REG_COLORBUFFER_FORMAT] =
			PICA_COLORBUFFER_FORMAT_FORMAT(PICA_COLOR_FORMAT_RGB565);
	regs[PICA_REG_DEPTHBUFFER_FORMAT] = PICA_DEPTH_FORMAT_D24;
	regs[PICA_REG_FRAMEBUFFER_DIM] = PICA_FRAMEBUFFER_DIM_WIDTH(240) |
			PICA_FRAMEBUFFER_DIM_HEIGHT_M1(399) | PICA_FRAMEBUFFER_DIM_NO_FLIP(1);
	ck_assert_int_eq(pica_target_from_regs(&t, regs), 0);
	ck_assert_uint_eq(t.width, 240);
	ck_assert_uint_eq(t.height, 400);
	ck_assert_uint_eq(t.color_addr, COLOR);
	ck_assert_uint_eq(t.depth_addr, DEPTH);
	ck_assert_uint_eq(t.color_format, PICA_COLOR_FORMAT_RGB565);
	ck_assert_uint_eq(t.depth_format, PICA_DEPTH_FORMAT_D24);
	ck_assert_int_eq(t.block32, 0);
	ck_assert_int_eq(t.flip, 1);
	regs[PICA_REG_FRAMEBUFFER_DIM] = PICA_FRAMEBUFFER_DIM_WIDTH(12);
	ck_assert_int_eq(pica_target_from_regs(&t, regs), -EINVAL);
}

SYNC_ENGINE_TEST(unreadable_surfaces_are_reported) {
	uint8_t rgba[8 * 4 * 8];
	uint32_t words[8 * 8];
	struct pica_target t = { .width = 8, .height = 8, .color_addr = COLOR, .depth_addr = DEPTH,
		.color_format = PICA_COLOR_FORMAT_RGBA8, .depth_format = PICA_DEPTH_FORMAT_D16 };
	ck_assert_int_eq(pica_ctx_read_color(ctx, &t, rgba, 32), 0);
	ck_assert_int_eq(pica_ctx_read_depth(ctx, &t, words, 8), 0);
	ck_assert_int_eq(pica_ctx_read_color(ctx, &t, rgba, 31), -EINVAL);
	ck_assert_int_eq(pica_ctx_read_depth(ctx, &t, words, 7), -EINVAL);
	struct pica_target bad = t;
	bad.color_addr = bad.depth_addr = VRAM + 0x600000 - 64;
	ck_assert_int_eq(pica_ctx_read_color(ctx, &bad, rgba, 32), -ERANGE);
	ck_assert_int_eq(pica_ctx_read_depth(ctx, &bad, words, 8), -ERANGE);
	bad = t;
	bad.width = 12;
	ck_assert_int_eq(pica_ctx_read_color(ctx, &bad, rgba, 64), -EINVAL);
	bad = t;
	bad.color_format = 5;
	bad.depth_format = 1;
	ck_assert_int_eq(pica_ctx_read_color(ctx, &bad, rgba, 32), -EINVAL);
	ck_assert_int_eq(pica_ctx_read_depth(ctx, &bad, words, 8), -EINVAL);
}

/* Pixel (3, 0) is number 5 of its block: x bits go to bits 0, 2, 4. [fidelity: texel-address] */
SYNC_ENGINE_TEST(depth_words_are_those_of_memory) {
	uint32_t words[8 * 8];
	uint8_t memory[64 * 4];
	for (unsigned i = 0; i < sizeof(memory); i++) {
		memory[i] = (uint8_t)i;
	}
	ck_assert_int_eq(pica_ctx_write_memory(ctx, DEPTH, memory, sizeof(memory)), 0);
	struct pica_target t = { .width = 8, .height = 8, .depth_addr = DEPTH,
			.depth_format = PICA_DEPTH_FORMAT_D24S8 };
	ck_assert_int_eq(pica_ctx_read_depth(ctx, &t, words, 8), 0);
	ck_assert_uint_eq(words[3], 0x17161514);
	t.depth_format = PICA_DEPTH_FORMAT_D24;
	ck_assert_int_eq(pica_ctx_read_depth(ctx, &t, words, 8), 0);
	ck_assert_uint_eq(words[3], 0x11100F);
	t.depth_format = PICA_DEPTH_FORMAT_D16;
	ck_assert_int_eq(pica_ctx_read_depth(ctx, &t, words, 8), 0);
	ck_assert_uint_eq(words[3], 0x0B0A);
}
