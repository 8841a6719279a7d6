/* Counting of work per pixel. */
#include "engine_rig.h"
#include "pica_history.h"
#include "pica_inspect.h"
#include "pica_regs.h"
#include "tests/suite.h"

static struct pica_count counts[PIXELS];

static void read_counts(unsigned index, uint32_t color_addr) {
	struct pica_target t;
	ck_assert_int_eq(pica_ctx_read_counts(ctx, index, &t, counts), 0);
	ck_assert_uint_eq(t.color_addr, color_addr);
	ck_assert_uint_eq(t.width, SIDE);
	ck_assert_uint_eq(t.height, SIDE);
}

static unsigned pixels_with(uint32_t entered, uint32_t passed) {
	unsigned n = 0;
	for (unsigned i = 0; i < PIXELS; i++) {
		n += counts[i].entered == entered && counts[i].passed == passed;
	}
	return n;
}

static struct pica_stats stats_now(void) {
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	return stats;
}

static void draw_times(struct pica_emit *e, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 0, 3);
	}
}

ENGINE_TEST(each_fragment_is_counted_where_it_falls) {
	ck_assert_int_eq(pica_ctx_count(ctx, 1), 0);
	put_triangle(red); /* 28 pixels, [fidelity: geometry-numbers] */
	emit_state(&e, COLOR);
	draw_times(&e, 3);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_int_eq(pica_ctx_counted(ctx), 1);
	read_counts(0, COLOR);
	ck_assert_uint_eq(pixels_with(3, 3), 28);
	ck_assert_uint_eq(pixels_with(0, 0), PIXELS - 28);
	/*
	 * (0,0) (8,0) (0,8): 7 pixels in the lowest row of the window, which is the first one in
	 * memory.
	 */
	for (unsigned x = 0; x < 8; x++) {
		ck_assert_uint_eq(counts[x].entered, x < 7 ? 3 : 0);
	}
	ck_assert_uint_eq(stats_now().fragments, 84);
	ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), 28);
}

ENGINE_TEST(targets_have_counts_of_their_own) {
	ck_assert_int_eq(pica_ctx_count(ctx, 1), 0);
	put_triangle(red);
	emit_state(&e, COLOR);
	draw_times(&e, 1);
	emit_target(&e, OTHER);
	draw_times(&e, 2);
	emit_target(&e, COLOR);
	draw_times(&e, 4);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_int_eq(pica_ctx_counted(ctx), 2);
	read_counts(0, COLOR);
	ck_assert_uint_eq(pixels_with(5, 5), 28);
	read_counts(1, OTHER);
	ck_assert_uint_eq(pixels_with(2, 2), 28);
	struct pica_target t;
	ck_assert_int_eq(pica_ctx_read_counts(ctx, 2, &t, counts), -EINVAL);
	ck_assert_int_eq(pica_ctx_read_counts(ctx, 1, &t, NULL), 0);
}

static void emit_depth_target(struct pica_emit *e) {
	const struct pica_framebuffer fb = { .color_addr = COLOR,
		.depth_addr = DEPTH,
		.color_format = PICA_COLOR_FORMAT_RGBA8,
		.depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = SIDE,
		.height = SIDE,
		.bottom_row_first = true };
	pica_emit_framebuffer(e, &fb);
	pica_emit_depth_test(e, true, PICA_COMPARE_GREATER, true, 15);
}

/* Depths: z/w is -0.5; memory begins with 0. */
static void draw_at(struct pica_emit *e, float depth) {
	pica_emit_depth_map(e, PICA_DEPTHMAP_Z, 0, depth);
	draw_times(e, 1);
}

ENGINE_TEST(hidden_fragments_enter_and_do_not_pass) {
	ck_assert_int_eq(pica_ctx_count(ctx, 1), 0);
	put_triangle(red);
	emit_state(&e, COLOR);
	emit_depth_target(&e);
	draw_at(&e, 0.5f);
	ck_assert_int_eq(run_list(&e).result, 0);
	read_counts(0, COLOR);
	ck_assert_uint_eq(pixels_with(1, 1), 28);
	const uint32_t once = counts[0].cost;
	ck_assert_uint_gt(once, 1);
	pica_emit_init(&e);
	draw_at(&e, 0.25f); /* fails the depth test */
	draw_at(&e, 0.75f);
	ck_assert_int_eq(run_list(&e).result, 0);
	read_counts(0, COLOR);
	ck_assert_uint_eq(pixels_with(3, 2), 28);
	/* The test runs before shading, so the hidden fragment costs one step. */
	ck_assert_uint_eq(counts[0].cost, 2 * once + 1);
}

ENGINE_TEST(discarded_fragments_cost_the_whole_plan) {
	put_triangle(red);
	emit_state(&e, COLOR);
	ck_assert_int_eq(pica_ctx_count(ctx, 1), 0);
	pica_emit_alpha_test(&e, true, PICA_COMPARE_GREATER, 0); /* alpha is 1 */
	draw_times(&e, 1);
	ck_assert_int_eq(run_list(&e).result, 0);
	read_counts(0, COLOR);
	ck_assert_uint_eq(pixels_with(1, 1), 28);
	const uint32_t once = counts[0].cost;
	pica_emit_init(&e);
	pica_emit_alpha_test(&e, true, PICA_COMPARE_LESS, 255);
	draw_times(&e, 2);
	ck_assert_int_eq(run_list(&e).result, 0);
	read_counts(0, COLOR);
	ck_assert_uint_eq(pixels_with(3, 1), 28);
	ck_assert_uint_eq(counts[0].cost, 3 * once);
}

ENGINE_TEST(off_and_on_again_starts_over) {
	put_triangle(red);
	emit_state(&e, COLOR);
	draw_times(&e, 1);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_int_eq(pica_ctx_counted(ctx), 0);
	for (unsigned round = 0; round < 2; round++) {
		ck_assert_int_eq(pica_ctx_count(ctx, 1), 0);
		ck_assert_int_eq(pica_ctx_counted(ctx), 0);
		pica_emit_init(&e);
		draw_times(&e, 2);
		ck_assert_int_eq(run_list(&e).result, 0);
		read_counts(0, COLOR);
		ck_assert_uint_eq(pixels_with(2, 2), 28);
	}
	ck_assert_int_eq(pica_ctx_count(ctx, 0), 0);
	ck_assert_int_eq(pica_ctx_counted(ctx), 0);
}

/* Large and small triangles, some of them hidden. */
static void put_many(unsigned n) {
	uint32_t seed = 12345;
	for (unsigned i = 0; i < 3 * n; i++) {
		float at[2];
		for (unsigned k = 0; k < 2; k++) {
			seed = seed * 1664525 + 1013904223;
			at[k] = (float)(seed >> 16) / 65536 * SIDE;
		}
		if (i % 3 && i / 3 % 2) { /* a small one */
			at[0] = at[0] / 16 + 20;
			at[1] = at[1] / 16 + 30;
		}
		put_vertex(i, at[0], at[1], i & 1 ? red : green);
	}
}

static void draw_many(unsigned n) {
	struct pica_emit e;
	emit_state(&e, COLOR);
	emit_depth_target(&e);
	for (unsigned i = 0; i < 8; i++) {
		pica_emit_depth_map(&e, PICA_DEPTHMAP_Z, 0, (float)(i * 5 % 8 + 1) / 10);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, i * n / 8 * 3, n / 8 * 3);
	}
	ck_assert_int_eq(run_list(&e).result, 0);
}

TEST(counts_do_not_depend_on_threads) {
	enum { N = 240 };
	static struct pica_count first[PIXELS];
	for (unsigned i = 0; i < N_THREAD_COUNTS; i++) {
		open_engine(thread_counts[i], NULL);
		ck_assert_int_eq(pica_ctx_count(ctx, 1), 0);
		put_many(N);
		draw_many(N);
		read_counts(0, COLOR);
		uint64_t entered = 0, passed = 0;
		for (unsigned k = 0; k < PIXELS; k++) {
			entered += counts[k].entered;
			passed += counts[k].passed;
		}
		ck_assert_uint_eq(entered, stats_now().fragments);
		ck_assert_uint_gt(entered, 10 * PIXELS);
		ck_assert_uint_lt(passed, entered);
		if (i == 0) {
			memcpy(first, counts, sizeof(first));
		}
		ck_assert_mem_eq(first, counts, sizeof(first));
		close_engine();
	}
}

static void expect_same_pixels(unsigned threads, int (*watch)(struct pica_ctx *ctx, int on)) {
	enum { N = 240 };
	static uint32_t pixels[2][PIXELS];
	for (int on = 0; on < 2; on++) {
		open_engine(threads, NULL);
		ck_assert_int_eq(watch(ctx, on), 0);
		put_many(N);
		draw_many(N);
		ck_assert_int_eq(pica_ctx_read_memory(ctx, COLOR, pixels[on], sizeof(pixels[on])),
				0);
		close_engine();
	}
	ck_assert_mem_eq(pixels[0], pixels[1], sizeof(pixels[0]));
}

TEST_LOOP(counting_changes_no_pixel, N_THREAD_COUNTS) {
	expect_same_pixels(thread_counts[_i], pica_ctx_count);
}

ENGINE_TEST(slow_path_counts_the_same) {
	ck_assert_int_eq(pica_ctx_count(ctx, 1), 0);
	put_triangle(red);
	/* Half of the target lies in memory, or none of it. */
	const uint32_t at[] = { VRAM + 0x600000 - 8192, 0x40000000 };
	for (unsigned i = 0; i < 2; i++) {
		emit_state(&e, at[i]);
		draw_times(&e, 2);
		ck_assert_int_eq(run_list(&e).result, 0);
		read_counts(i, at[i]);
		ck_assert_uint_eq(pixels_with(2, 2), 28);
		ck_assert_uint_eq(counts[6].entered, 2);
	}
}

/* ---- Costs of draws ---- */

static struct pica_costs costs_now(void) {
	struct pica_costs c;
	ck_assert_int_eq(pica_ctx_costs(ctx, &c), 0);
	return c;
}

/* The list is run; since the last call its fragments ended so. */
static void expect_ends(struct pica_emit *e, uint64_t kept, uint64_t masked, uint64_t alpha,
		uint64_t stencil, uint64_t depth) {
	ck_assert_int_eq(run_list(e).result, 0);
	const struct pica_costs c = costs_now();
	ck_assert_uint_eq(c.verdict[PICA_VERDICT_KEPT], kept);
	ck_assert_uint_eq(c.verdict[PICA_VERDICT_MASKED], masked);
	ck_assert_uint_eq(c.verdict[PICA_VERDICT_ALPHA], alpha);
	ck_assert_uint_eq(c.verdict[PICA_VERDICT_STENCIL], stencil);
	ck_assert_uint_eq(c.verdict[PICA_VERDICT_DEPTH], depth);
	ck_assert_uint_eq(c.fragments, kept + masked + alpha + stencil + depth);
	ck_assert_int_eq(pica_ctx_find_costs(ctx, 1), 0);
	pica_emit_init(e);
}

ENGINE_TEST(each_fragment_has_one_end) {
	ck_assert_int_eq(pica_ctx_find_costs(ctx, 1), 0);
	put_triangle(red);
	emit_state(&e, COLOR);
	emit_depth_target(&e);
	draw_at(&e, 0.5f);
	expect_ends(&e, 28, 0, 0, 0, 0);
	draw_at(&e, 0.25f); /* fails the depth test */
	draw_at(&e, 0.75f);
	expect_ends(&e, 28, 0, 0, 0, 28);
	/* Memory began with stencils of 0. */
	pica_emit_stencil_test(&e, true, PICA_COMPARE_EQUAL, 1, 0xFF, 0xFF);
	draw_at(&e, 0.9f);
	expect_ends(&e, 0, 0, 0, 28, 0);
	/* The depth test may drop fragments that pass the stencil test, which comes first. */
	pica_emit_stencil_test(&e, true, PICA_COMPARE_NOTEQUAL, 1, 0xFF, 0xFF);
	draw_at(&e, 0.6f);
	expect_ends(&e, 0, 0, 0, 0, 28);
	pica_emit_alpha_test(&e, true, PICA_COMPARE_LESS, 255); /* alpha is 1 */
	draw_at(&e, 0.9f);
	expect_ends(&e, 0, 0, 28, 0, 0);
	pica_emit_alpha_test(&e, false, PICA_COMPARE_ALWAYS, 0);
	pica_emit_depth_test(&e, true, PICA_COMPARE_GREATER, true, 0); /* no channel */
	draw_at(&e, 0.95f);
	expect_ends(&e, 0, 28, 0, 0, 0);
}

ENGINE_TEST(costs_of_vertices_are_counted) {
	struct pica_costs c;
	ck_assert_int_eq(pica_ctx_costs(ctx, &c), -EINVAL);
	ck_assert_int_eq(pica_ctx_find_costs(ctx, 1), 0);
	put_triangle(red);
	emit_state(&e, COLOR);
	draw_times(&e, 2);
	ck_assert_int_eq(run_list(&e).result, 0);
	c = costs_now();
	ck_assert_uint_eq(c.draws, 2);
	ck_assert_uint_eq(c.vertices, 6);
	ck_assert_uint_eq(c.shaded_vertices, 6);
	ck_assert_uint_eq(c.shader_steps, 6 * 3); /* MOV, MOV, END */
	ck_assert_uint_eq(c.triangles, 2);
	ck_assert_uint_eq(c.drawn_triangles, 2);
	ck_assert_uint_eq(c.fragments, 56);
	ck_assert_uint_eq(c.samples, 0);
	ck_assert_int_eq(pica_ctx_find_costs(ctx, 1), 0);
	ck_assert_uint_eq(costs_now().vertices, 0);
	ck_assert_int_eq(pica_ctx_find_costs(ctx, 0), 0);
	ck_assert_int_eq(pica_ctx_costs(ctx, &c), -EINVAL);
}

/* The sums equal those of the counts per pixel, which other code computes. */
TEST(costs_are_the_sums_of_counts) {
	enum { N = 240 };
	for (unsigned i = 0; i < N_THREAD_COUNTS; i++) {
		open_engine(thread_counts[i], NULL);
		ck_assert_int_eq(pica_ctx_count(ctx, 1), 0);
		ck_assert_int_eq(pica_ctx_find_costs(ctx, 1), 0);
		put_many(N);
		draw_many(N);
		read_counts(0, COLOR);
		const struct pica_costs c = costs_now();
		uint64_t entered = 0, passed = 0;
		for (unsigned k = 0; k < PIXELS; k++) {
			entered += counts[k].entered;
			passed += counts[k].passed;
		}
		ck_assert_uint_eq(c.fragments, entered);
		ck_assert_uint_eq(c.verdict[PICA_VERDICT_KEPT], passed);
		ck_assert_uint_eq(c.verdict[PICA_VERDICT_DEPTH], entered - passed);
		close_engine();
	}
}

TEST_LOOP(finding_costs_changes_no_pixel, N_THREAD_COUNTS) {
	expect_same_pixels(thread_counts[_i], pica_ctx_find_costs);
}
