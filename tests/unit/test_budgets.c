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
	 * Drawn before in a pass of its own: stays. Drawn after, in the same pass or in another:
	 * not.
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
