/*
 * The geometry shader and the assembler's state, through the engine. [fidelity: geometry-shader,
 * semantics, geometry-numbers]
 */
#include "engine_rig.h"
#include "pica/front/ctx.h"
#include "pica_inspect.h"

enum { END = (int)0x88000000, EMIT = (int)0xA8000000, GS_DESCRIPTOR = 0x36F };

/* setemit slot; prim: bit 23, inverted: bit 22 */
#define SETEMIT(slot, flags) (0xAC000000u | (uint32_t)(slot) << 24 | (flags))
/* mov o<d>, v<s> */
#define MOV_OV(d, s) (0x4C000000u | (uint32_t)(d) << 21 | (uint32_t)(s) << 12)
/* mov o<d>, c<s> */
#define MOV_OC(d, s) (0x4C000000u | (uint32_t)(d) << 21 | (uint32_t)(0x20 + (s)) << 12)

enum { PRIM = 1 << 23, INVERTED = 1 << 22 };

static const struct pica_output outputs[2] = {
	{ PICA_OUTPUT_POSITION, 0, 15 },
	{ PICA_OUTPUT_COLOR, 1, 15 },
};

/* A list with the geometry shader on, its program at word 0. Nothing is drawn yet. */
static void begin_geometry(struct pica_emit *e, const struct pica_geometry *g, const uint32_t *code,
		size_t n) {
	emit_state(e, COLOR);
	pica_emit_geometry(e, g);
	pica_emit_vs_output_mask(e, 3);
	pica_emit_outputs(e, PICA_UNIT_GS, outputs, 2);
	static const uint32_t descriptor[1] = { GS_DESCRIPTOR };
	pica_emit_code(e, PICA_UNIT_GS, 0, code, n);
	pica_emit_operand_descriptors(e, PICA_UNIT_GS, 0, descriptor, 1);
	pica_emit_entry_point(e, PICA_UNIT_GS, 0);
}

/* Three input vertices of two registers become a triangle. */
static const uint32_t triangle_code[] = {
	SETEMIT(0, 0), MOV_OV(0, 0), MOV_OV(1, 1), EMIT,
	SETEMIT(1, 0), MOV_OV(0, 2), MOV_OV(1, 3), EMIT,
	SETEMIT(2, PRIM), MOV_OV(0, 4), MOV_OV(1, 5), EMIT,
	END,
};
enum { TRIANGLE_WORDS = sizeof(triangle_code) / 4 };

static const struct pica_geometry three_points = {
	.mode = PICA_GS_MODE_POINT, .inputs = 6, .vs_outputs = 2
};

ENGINE_TEST(point_mode_gathers_three_vertices) {
	uint32_t b;
	put_triangle(red);
	begin_geometry(&e, &three_points, triangle_code, TRIANGLE_WORDS);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_GEOMETRY, 0, 3);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), 28);
	/* The unit set its b15. [fidelity: shader-units] */
	ck_assert_int_eq(pica_ctx_read_regs(ctx, PICA_REG_GSH_BOOLUNIFORM, 1, &b), 0);
	ck_assert_uint_eq(b & 0x8000, 0x8000);
}

ENGINE_TEST(inverted_primitives_turn_over) {
	uint32_t code[TRIANGLE_WORDS];
	memcpy(code, triangle_code, sizeof(code));
	code[8] = SETEMIT(2, PRIM | INVERTED);
	put_triangle(red);
	for (unsigned inverted = 0; inverted < 2; inverted++) {
		begin_geometry(&e, &three_points, inverted ? code : triangle_code, TRIANGLE_WORDS);
		pica_emit_cull(&e, PICA_CULL_BACK);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_GEOMETRY, 0, 3);
		ck_assert_int_eq(run_list(&e).result, 0);
		/* the second adds nothing */
		ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), 28);
		struct pica_stats stats = { .size = sizeof(stats) };
		ck_assert_int_eq(pica_stats(ctx, &stats), 0);
		ck_assert_uint_eq(stats.drawn_triangles, 1);
	}
}

ENGINE_TEST(fixed_mode_strides_through_uniforms) {
	static const uint32_t end[] = { END };
	/*
	 * Four vertices of one register from c1 on, five registers apart. [fidelity:
	 * geometry-numbers]
	 */
	struct pica_state *state = malloc(sizeof(*state));
	ck_assert_ptr_nonnull(state);
	for (unsigned i = 0; i < 4; i++) {
		const float rgba[4] = { (float)i, 0, 0, 0 };
		put_vertex(i, 8, 8, rgba);
	}
	begin_geometry(&e, &three_points, end, 1);
	pica_emit_reg(&e, PICA_REG_VSH_OUTMAP_TOTAL1, 4);
	pica_emit_reg(&e, PICA_REG_GSH_MISC0, 0x01004302);
	pica_emit_reg(&e, PICA_REG_GSH_INPUTBUFFER_CONFIG, 0x08000104);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_GEOMETRY, 0, 4);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_int_eq(pica_ctx_save_state(ctx, state), 0);
	static const uint32_t f24[4] = { 0, 0x3F0000, 0x400000, 0x408000 }; /* 0, 1, 2, 3 */
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_uint_eq(state->gs.uniforms[5 * i + 1][0], f24[i]);
	}
	free(state);
}

ENGINE_TEST(output_banks_alternate_at_emit) {
	/*
	 * Positions of all three from v; the colour is written for the first two only, so the third
	 * has that of the bank which the first one wrote. [fidelity: gs-emit]
	 */
	static const uint32_t code[] = {
		SETEMIT(0, 0), MOV_OV(0, 0), MOV_OV(1, 1), EMIT,
		SETEMIT(1, 0), MOV_OV(0, 2), MOV_OV(1, 3), EMIT,
		SETEMIT(2, PRIM), MOV_OV(0, 4), EMIT,
		END,
	};
	/* Flat shading takes the third vertex's colour. */
	put_vertex(0, 0, 0, green);
	put_vertex(1, 8, 0, red);
	put_vertex(2, 0, 8, red);
	begin_geometry(&e, &three_points, code, sizeof(code) / 4);
	pica_emit_reg(&e, PICA_REG_RASTER_FLAT, 1);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_GEOMETRY, 0, 3);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(count_color(COLOR, GREEN), 28);
}

ENGINE_TEST(emitted_vertices_outlive_the_output_map_of_their_draw) {
	/*
	 * One vertex a run, three programs: o0 position, o1 red, o2 green; the last one makes the
	 * triangle.
	 */
	static const uint32_t code[] = {
		SETEMIT(0, 0), MOV_OV(0, 0), MOV_OC(1, 0), MOV_OC(2, 1), EMIT, END,
		SETEMIT(1, 0), MOV_OV(0, 0), MOV_OC(1, 0), MOV_OC(2, 1), EMIT, END,
		SETEMIT(2, PRIM), MOV_OV(0, 0), MOV_OC(1, 0), MOV_OC(2, 1), EMIT, END,
	};
	static const struct pica_output as_red[3] = { { PICA_OUTPUT_POSITION, 0, 15 },
		{ PICA_OUTPUT_COLOR, 1, 15 }, { PICA_OUTPUT_TEXCOORD0, 2, 3 } };
	static const struct pica_output as_green[3] = { { PICA_OUTPUT_POSITION, 0, 15 },
		{ PICA_OUTPUT_TEXCOORD0, 1, 3 }, { PICA_OUTPUT_COLOR, 2, 15 } };
	const struct pica_geometry one_point = {
		.mode = PICA_GS_MODE_POINT, .inputs = 2, .vs_outputs = 2
	};
	put_triangle(red);
	begin_geometry(&e, &one_point, code, sizeof(code) / 4);
	pica_emit_outputs(&e, PICA_UNIT_GS, as_red, 3);
	pica_emit_float_uniforms(&e, PICA_UNIT_GS, 0, red, 1);
	pica_emit_float_uniforms(&e, PICA_UNIT_GS, 1, green, 1);
	for (unsigned i = 0; i < 3; i++) {
		if (i == 2) {
			pica_emit_outputs(&e, PICA_UNIT_GS, as_green, 3);
		}
		pica_emit_entry_point(&e, PICA_UNIT_GS, 6 * i);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_GEOMETRY, i, 1);
	}
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(count_color(COLOR, GREEN), 28);
}

ENGINE_TEST(left_over_vertices_meet_those_of_a_geometry_draw) {
	/*
	 * Two vertices of a plain draw stay in the assembler. Six vertices through the geometry
	 * shader: the first one completes the triangle, the next three are another, two stay.
	 */
	static const float at[8][2] = { { 0, 0 }, { 8, 0 }, { 0, 8 }, { 32, 32 }, { 40, 32 },
		{ 32, 40 }, { 50, 50 }, { 50, 50 } };
	for (unsigned i = 0; i < 8; i++) {
		put_vertex(i, at[i][0], at[i][1], i < 3 ? red : green);
	}
	begin_geometry(&e, &three_points, triangle_code, TRIANGLE_WORDS);
	pica_emit_reg(&e, PICA_REG_PRIMITIVE_CONFIG, PICA_PRIMITIVE_GEOMETRY << 8);
	pica_emit_reg_masked(&e, PICA_REG_GEOSTAGE_CONFIG, 0, 1);
	pica_emit_reg(&e, PICA_REG_VERTEX_OFFSET, 0);
	pica_emit_reg(&e, PICA_REG_NUMVERTICES, 2);
	pica_emit_reg(&e, PICA_REG_DRAWARRAYS, 1);
	pica_emit_reg_masked(&e, PICA_REG_GEOSTAGE_CONFIG, 2, 1);
	pica_emit_reg(&e, PICA_REG_VERTEX_OFFSET, 2);
	pica_emit_reg(&e, PICA_REG_NUMVERTICES, 6);
	pica_emit_reg(&e, PICA_REG_DRAWARRAYS, 1);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), 28);
	ck_assert_uint_eq(count_color(COLOR, GREEN), 28);
}

ENGINE_TEST(gathered_vertices_wait_for_the_next_list) {
	/* Two immediate vertices in one list, the third one in another. */
	const float v[6][4] = { { -1, -1, -0.5f, 1 }, { 1, 0, 0, 1 }, { -0.75f, -1, -0.5f, 1 },
		{ 1, 0, 0, 1 }, { -1, -0.75f, -0.5f, 1 }, { 1, 0, 0, 1 } };
	begin_geometry(&e, &three_points, triangle_code, TRIANGLE_WORDS);
	pica_emit_inputs(&e, 2, PICA_IDENTITY_INPUTS);
	pica_emit_immediate_begin(&e, PICA_PRIMITIVE_GEOMETRY);
	pica_emit_immediate(&e, v[0], 4);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), 0);
	pica_emit_init(&e);
	pica_emit_immediate(&e, v[4], 2);
	pica_emit_immediate_end(&e);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), 28);
}

/* ---- Independent invocations: the vertex tasks run all but the first and the last four ---- */

enum { RUNS = 40 };

/* mov of a register to another; r<i> is 16 + i */
#define MOV(d, s) (0x4C000000u | (uint32_t)(d) << 21 | (uint32_t)(s) << 12)

struct run_result {
	int result;
	uint64_t n_independent;
	struct pica_stats stats;
	uint32_t pixels[PIXELS];
	struct pica_state state;
};

/* 40 triangles, each with its own place and colour; indexed: the last ones first. */
static struct run_result *draw_forty(const uint32_t *code, size_t n, bool is_indexed) {
	struct run_result *r = calloc(1, sizeof(*r));
	ck_assert_ptr_nonnull(r);
	struct pica_emit e = { 0 };
	uint8_t index[3 * RUNS];
	for (unsigned i = 0; i < RUNS; i++) {
		const float x = (float)(i % 8 * 8), y = (float)(i / 8 * 8);
		const float rgba[4] = { (float)i / RUNS, 1, 0.5f, 1 };
		put_vertex(3 * i, x, y, rgba);
		put_vertex(3 * i + 1, x + 8, y, rgba);
		put_vertex(3 * i + 2, x, y + 8, rgba);
		index[3 * i] = (uint8_t)(3 * (RUNS - 1 - i));
		index[3 * i + 1] = (uint8_t)(3 * i + 1);
		index[3 * i + 2] = (uint8_t)(3 * i + 2);
	}
	ck_assert_int_eq(pica_ctx_write_memory(ctx, VERTICES + 0x8000, index, sizeof(index)), 0);
	begin_geometry(&e, &three_points, code, n);
	pica_emit_reg(&e, PICA_REG_RASTER_FLAT, 1);
	if (is_indexed) {
		const uint32_t offset = VERTICES + 0x8000 - FCRAM;
		pica_emit_reg(&e, PICA_REG_ATTRIBBUFFERS_LOC, FCRAM / 8);
		pica_emit_reg(&e, PICA_REG_ATTRIBBUFFER0_OFFSET, VERTICES - FCRAM);
		pica_emit_draw_elements(&e, PICA_PRIMITIVE_GEOMETRY, offset, false, 3 * RUNS);
	} else {
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_GEOMETRY, 0, 3 * RUNS);
	}
	r->result = run_list(&e).result;
	r->n_independent = pica200_from(ctx)->geometry.n_independent;
	r->stats.size = sizeof(r->stats);
	ck_assert_int_eq(pica_stats(ctx, &r->stats), 0);
	ck_assert_int_eq(pica_ctx_read_memory(ctx, COLOR, r->pixels, sizeof(r->pixels)), 0);
	ck_assert_int_eq(pica_ctx_save_state(ctx, &r->state), 0);
	return r;
}

/*
 * Draws here and in another context that keeps what it emits, and so runs all in order. Expects the
 * same, and that many independent runs.
 */
static void expect_as_in_order(const uint32_t *code, size_t n, bool is_indexed, unsigned runs,
		unsigned threads, const struct pica_budgets *budgets) {
	open_engine(threads, budgets);
	struct run_result *got = draw_forty(code, n, is_indexed);
	close_engine();
	open_engine(0, budgets);
	pica_ctx_keep_geometry(ctx, 1);
	struct run_result *want = draw_forty(code, n, is_indexed);
	const bool has_kernel = pica200_from(ctx)->kernels.shader.run_straight != NULL;
	close_engine();
	ck_assert_uint_eq(got->n_independent, has_kernel ? runs : 0);
	ck_assert_uint_eq(want->n_independent, 0);
	ck_assert_int_eq(got->result, want->result);
	ck_assert_mem_eq(got->pixels, want->pixels, sizeof(want->pixels));
	ck_assert_mem_eq(&got->state, &want->state, sizeof(want->state));
	ck_assert_uint_eq(got->stats.shaded_vertices, want->stats.shaded_vertices);
	ck_assert_uint_eq(got->stats.triangles, want->stats.triangles);
	ck_assert_uint_eq(got->stats.drawn_triangles, want->stats.drawn_triangles);
	ck_assert_uint_eq(got->stats.fragments, want->stats.fragments);
	ck_assert_uint_eq(got->stats.faults[PICA_FAULT_SHADER_OPCODE],
			want->stats.faults[PICA_FAULT_SHADER_OPCODE]);
	free(got);
	free(want);
}

TEST_LOOP(independent_runs_are_those_in_order, N_THREAD_COUNTS) {
	const unsigned threads = thread_counts[_i];
	expect_as_in_order(triangle_code, TRIANGLE_WORDS, false, RUNS - 5, threads, NULL);
	expect_as_in_order(triangle_code, TRIANGLE_WORDS, true, RUNS - 5, threads, NULL);
	/* ifu b15 over a nop: the first run goes another way. One winding flag, four EMITs. */
	const uint32_t code[] = { 0x9FC00800, 0x84000000, MOV(16, 1),
		SETEMIT(0, 0), MOV(0, 0), MOV(1, 16), EMIT,
		SETEMIT(1, 0), MOV(0, 2), MOV(1, 3), EMIT,
		SETEMIT(2, PRIM), MOV(0, 4), MOV(1, 5), EMIT,
		SETEMIT(1, PRIM | INVERTED), MOV(0, 0), MOV(1, 5), MOV(2, 16), EMIT,
		MOV(2, 4), MOV(17, 3), END };
	expect_as_in_order(code, sizeof(code) / 4, false, RUNS - 5, threads, NULL);
}

static const uint32_t carries_register[] = {
	SETEMIT(0, 0), MOV(0, 0), MOV(1, 16), EMIT,
	SETEMIT(1, 0), MOV(0, 2), MOV(1, 3), EMIT,
	SETEMIT(2, PRIM), MOV(0, 4), MOV(1, 16), EMIT, MOV(16, 1), END,
};
static const uint32_t carries_output[] = {
	SETEMIT(0, 0), MOV(0, 0), MOV(1, 1), EMIT,
	SETEMIT(1, 0), MOV(0, 2), MOV(1, 3), EMIT,
	SETEMIT(2, PRIM), MOV(0, 4), EMIT, END,
};
static const uint32_t carries_set_emit[] = {
	MOV(0, 0), MOV(1, 1), EMIT,
	SETEMIT(1, 0), MOV(0, 2), MOV(1, 3), EMIT,
	SETEMIT(2, PRIM), MOV(0, 4), MOV(1, 5), EMIT, SETEMIT(0, 0), END,
};
static const uint32_t carries_vertex[] = {
	SETEMIT(1, 0), MOV(0, 2), MOV(1, 3), EMIT,
	SETEMIT(2, PRIM), MOV(0, 4), MOV(1, 5), EMIT,
	SETEMIT(0, 0), MOV(0, 0), MOV(1, 1), EMIT, END,
};
/* jmpc !cmp.x to the next word; cmp v1 > v2 in x at the end: the flags are read. */
static const uint32_t carries_flag[] = {
	0xB0800400, SETEMIT(0, 0), MOV(0, 0), MOV(1, 1), EMIT,
	SETEMIT(1, 0), MOV(0, 2), MOV(1, 3), EMIT,
	SETEMIT(2, PRIM), MOV(0, 4), MOV(1, 5), EMIT, 0xB9001100, END,
};
/* mov o1, c0[a0.x] before mova a0.x, v1 */
static const uint32_t carries_address[] = {
	SETEMIT(0, 0), MOV(0, 0), MOV(1, 32) | 1 << 19, EMIT,
	SETEMIT(1, 0), MOV(0, 2), MOV(1, 3), EMIT,
	SETEMIT(2, PRIM), MOV(0, 4), MOV(1, 32) | 1 << 19, EMIT, 0x48001000, END,
};
/* mov o1, c0[aL] outside of a loop */
static const uint32_t carries_loop_register[] = {
	SETEMIT(0, 0), MOV(0, 0), MOV(1, 32) | 3 << 19, EMIT,
	SETEMIT(1, 0), MOV(0, 2), MOV(1, 3), EMIT,
	SETEMIT(2, PRIM), MOV(0, 4), MOV(1, 5), EMIT, END,
};
/* v6 is no input: it keeps what it had. */
static const uint32_t carries_input[] = {
	SETEMIT(0, 0), MOV(0, 0), MOV(1, 6), EMIT,
	SETEMIT(1, 0), MOV(0, 2), MOV(1, 3), EMIT,
	SETEMIT(2, PRIM), MOV(0, 4), MOV(1, 6), EMIT, END,
};

TEST(runs_that_carry_something_stay_in_order) {
#define CARRIES(code) expect_as_in_order(code, sizeof(code) / 4, false, 0, 2, NULL)
	CARRIES(carries_register);
	CARRIES(carries_output);
	CARRIES(carries_set_emit);
	CARRIES(carries_vertex);
	CARRIES(carries_flag);
	CARRIES(carries_address);
	CARRIES(carries_loop_register);
	CARRIES(carries_input);
}

TEST_LOOP(budgets_end_independent_runs_where_they_end_those_in_order, N_THREAD_COUNTS) {
	const struct pica_budgets budgets[] = { { .vertices = 3 * RUNS + 31 },
		{ .job_steps = 1000 }, { .shader_steps = 12 } };
	for (unsigned i = 0; i < 3; i++) {
		expect_as_in_order(triangle_code, TRIANGLE_WORDS, false, 0, thread_counts[_i],
				&budgets[i]);
	}
}
