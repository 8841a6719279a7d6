/* Work without end and absurd counts: each ends with the budget of its kind. */
#include "engine_rig.h"
#include "tests/suite.h"

static void ran_out(struct pica_done done, enum pica_budget budget, const char *name) {
	ck_assert_int_eq(done.result, -EDQUOT);
	ck_assert_uint_eq(done.flags >> PICA_DONE_BUDGET_SHIFT, budget);
	ck_assert_str_eq(pica_budget_name(done.flags), name);
}

TEST_LOOP(jumps_in_a_circle_end_with_edquot, 5) {
	struct pica_budgets b = { .list_jumps = 1000 };
	open_engine(thread_counts[_i], &b);
	struct pica_emit e;
	pica_emit_init(&e);
	pica_emit_jump(&e, 0, LIST, 64);
	while (e.count < 16) {
		pica_emit_reg(&e, PICA_REG_FACECULLING_CONFIG, 0);
	}
	struct pica_done done = run_words(e.words, 16);
	pica_emit_finish(&e);
	ran_out(done, PICA_BUDGET_JUMPS, "jumps");
	close_engine();
}

TEST(list_words_are_charged) {
	struct pica_budgets b = { .list_words = 100 };
	open_engine(0, &b);
	uint32_t words[256];
	for (unsigned i = 0; i < 256; i += 2) {
		words[i] = 0;
		words[i + 1] = 0x000F0040;
	}
	ran_out(run_words(words, 256), PICA_BUDGET_LIST_WORDS, "list words");
	close_engine();
}

static const uint32_t endless[] = { 0xB4000001 }; /* jmpu !b0, 0 */

static uint64_t cut_off(void) {
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	return stats.faults[PICA_FAULT_SHADER_BUDGET];
}

TEST_LOOP(endless_shader_ends_its_job, 5) {
	struct pica_budgets b = { .shader_steps = 1000 };
	struct pica_emit e;
	open_engine(thread_counts[_i], &b);
	put_triangle(red);
	/*
	 * Earlier draws, in another pass, remain; later ones, in the same pass or another, are
	 * dropped.
	 */
	emit_state(&e, COLOR);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	pica_emit_reg(&e, PICA_REG_COLORBUFFER_LOC, OTHER >> 3);
	pica_emit_code(&e, PICA_UNIT_VS, 0, endless, 1);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	pica_emit_code(&e, PICA_UNIT_VS, 0, pass_code, 3);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	pica_emit_reg(&e, PICA_REG_COLORBUFFER_LOC, (OTHER + 0x10000) >> 3);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ran_out(run_list(&e), PICA_BUDGET_INVOCATION_STEPS, "steps of a shader invocation");
	ck_assert_uint_eq(cut_off(), 3);
	ck_assert_uint_eq(count_color(COLOR, 0), PIXELS - 28);
	ck_assert_uint_eq(count_color(OTHER, 0), PIXELS);
	ck_assert_uint_eq(count_color((OTHER + 0x10000), 0), PIXELS);
	/* The next job has a budget of its own. */
	emit_state(&e, OTHER);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(count_color(OTHER, 0), PIXELS - 28);
	close_engine();
}

TEST_LOOP(endless_shader_of_left_over_vertices_ends_its_job, 5) {
	struct pica_budgets b = { .shader_steps = 1000 };
	struct pica_emit e;
	open_engine(thread_counts[_i], &b);
	put_triangle(red);
	emit_state(&e, COLOR);
	pica_emit_code(&e, PICA_UNIT_VS, 0, endless, 1);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 2);
	ran_out(run_list(&e), PICA_BUDGET_INVOCATION_STEPS, "steps of a shader invocation");
	close_engine();
}

TEST(absurd_vertex_counts_end_with_edquot) {
	for (unsigned elements = 0; elements < 2; elements++) {
		struct pica_emit e;
		open_engine(0, NULL);
		emit_state(&e, COLOR);
		if (elements) {
			pica_emit_draw_elements(&e, PICA_PRIMITIVE_LIST, 0, true, 0xFFFFFFFF);
		} else {
			pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0xFFFFFFF0, 0xFFFFFFFF);
		}
		ran_out(run_list(&e), PICA_BUDGET_VERTICES, "vertices");
		close_engine();
	}
}

TEST_LOOP(pixel_budget_of_a_pass_stops_drawing, 5) {
	struct pica_budgets b = { .pixels = 10 };
	struct pica_emit e;
	open_engine(thread_counts[_i], &b);
	emit_state(&e, COLOR);
	put_triangle(red);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ran_out(run_list(&e), PICA_BUDGET_PIXELS, "pixels");
	ck_assert_uint_eq(count_color(COLOR, 0), PIXELS);
	close_engine();
}

/* ---- Culling before shading ---- */

enum { CULLED = 200, CORNERS = 3 * CULLED, AT_ONCE = 20 };

static uint32_t pixels_of[2][PIXELS];

/* Triangles of both faces over the target and past its edges. */
static void put_culled(void) {
	static float v[CORNERS][8];
	uint32_t seed = 1;
	for (unsigned i = 0; i < CORNERS; i++) {
		for (unsigned k = 0; k < 8; k++) {
			seed = seed * 1664525 + 1013904223;
			const float x = (float)(seed >> 8) / (1 << 24);
			v[i][k] = k < 2 ? 2.4f * x - 1.2f : k == 2 ? 0.05f - 1.1f * x : x;
		}
		v[i][3] = i % 50 == 49 ? -1 : 1;
	}
	ck_assert_int_eq(pica_ctx_write_memory(ctx, VERTICES, v, sizeof(v)), 0);
	uint16_t index[2][CORNERS];
	for (unsigned i = 0; i < CORNERS; i++) {
		index[0][i] = (uint16_t)(7 * i % CORNERS);
		index[1][i] = (uint16_t)(i % 3 ? (i / 3 + i % 3) : 0);
	}
	ck_assert_int_eq(pica_ctx_write_memory(ctx, VERTICES + 0x8000, index, sizeof(index)), 0);
}

/* Draws them, n triangles a draw, and returns what was counted. */
static struct pica_stats draw_culled(unsigned kind, uint32_t mode, unsigned n, uint32_t *pixels) {
	struct pica_emit e;
	open_engine(0, NULL);
	put_culled();
	emit_state(&e, COLOR);
	pica_emit_reg(&e, PICA_REG_FACECULLING_CONFIG, mode);
	for (unsigned at = 0; at < CULLED; at += n) {
		const uint32_t indices = 0x8000 + (kind == 2 ? sizeof(uint16_t) * CORNERS : 0);
		if (kind == 0) {
			pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 3 * at, 3 * n);
		} else if (kind == 3) {
			pica_emit_draw_arrays(&e, PICA_PRIMITIVE_STRIP, at, n + 2);
		} else {
			pica_emit_draw_elements(
					&e, PICA_PRIMITIVE_LIST, indices + 6 * at, true, 3 * n);
		}
	}
	ck_assert_int_eq(run_list(&e).result, 0);
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	ck_assert_int_eq(pica_ctx_read_memory(ctx, COLOR, pixels, 4 * PIXELS), 0);
	close_engine();
	return stats;
}

/* Long draws may be culled before they are shaded, short ones are not. */
TEST_LOOP(culling_before_shading_changes_nothing, 12) {
	static const uint32_t modes[3] = { PICA_CULL_NONE, PICA_CULL_FRONT, PICA_CULL_BACK };
	const unsigned kind = (unsigned)_i % 4;
	const struct pica_stats whole = draw_culled(kind, modes[_i / 4], CULLED, pixels_of[0]);
	const struct pica_stats parts = draw_culled(kind, modes[_i / 4], AT_ONCE, pixels_of[1]);
	ck_assert_uint_eq(whole.triangles, CULLED);
	ck_assert_uint_eq(parts.triangles, CULLED);
	ck_assert_uint_gt(whole.drawn_triangles, 10);
	ck_assert_uint_eq(whole.drawn_triangles, parts.drawn_triangles);
	ck_assert_mem_eq(pixels_of[0], pixels_of[1], sizeof(pixels_of[0]));
	if (kind == 0) {
		ck_assert_uint_eq(whole.shaded_vertices, CORNERS);
	}
}

/* Steps of culled vertices count: the budget ends at the same place as without culling. */
TEST_LOOP(steps_of_culled_vertices_are_charged, 2) {
	/* Enough draws for the first job, too, which loads the program. */
	enum { DRAWS = 10, PROGRAM_STEPS = 3 };
	struct pica_budgets b = { .job_steps = CORNERS * DRAWS * PROGRAM_STEPS - (unsigned)_i };
	struct pica_emit e;
	open_engine(0, &b);
	put_culled();
	emit_state(&e, COLOR);
	pica_emit_reg(&e, PICA_REG_FACECULLING_CONFIG, PICA_CULL_BACK);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(run_list(&e).result, 0);
	pica_emit_init(&e);
	for (unsigned i = 0; i < DRAWS; i++) {
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, CORNERS);
	}
	const struct pica_done done = run_list(&e);
	if (_i == 0) {
		ck_assert_int_eq(done.result, 0);
	} else {
		ran_out(done, PICA_BUDGET_SHADER_STEPS, "shader steps");
	}
	close_engine();
}

/* Costs the same whether or not its words were uploaded or decoded before. */
TEST_LOOP(a_program_is_charged_where_it_is_uploaded, 2) {
	enum { DECODING = 512 * 16 };
	struct pica_budgets b = { .job_steps = DECODING - (unsigned)_i };
	struct pica_state *state = calloc(1, sizeof(*state));
	struct pica_emit e;
	ck_assert_ptr_nonnull(state);
	open_engine(0, &b);
	put_triangle(red);
	for (unsigned i = 0; i < 4; i++) {
		emit_state(&e, COLOR);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
		const struct pica_done done = run_list(&e);
		if (_i == 0) {
			ck_assert_int_eq(done.result, 0);
		} else {
			ran_out(done, PICA_BUDGET_SHADER_STEPS, "shader steps");
		}
		if (i == 1) {
			ck_assert_int_eq(pica_ctx_save_state(ctx, state), 0);
			ck_assert_int_eq(pica_ctx_load_state(ctx, state), 0);
		}
		if (i > 0) {
			pica_emit_init(&e);
			pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
			ck_assert_int_eq(run_list(&e).result, 0);
		}
	}
	close_engine();
	free(state);
}
