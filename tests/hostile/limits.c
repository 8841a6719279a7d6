/*
 * Budgets and bounds: each test is work that a client can request in a few words and that once took
 * minutes, gigabytes or forever. Only the time limit of the test is checked.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sys/resource.h>

#include "limits_rig.h"
#include "tests/suite.h"

/* ---- Budgets ---- */

LIMIT_TEST_WITHIN(shader_steps_of_a_job_end_it, .shader_steps = 1000000, .job_steps = 1000000) {
	emit_limit_state(&e, SIDE);
	put_triangles(2, 2);
	emit_program(&e, endless_code, 1);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 1000000);
	ck_assert_int_eq(run_list(&e).result, -EDQUOT);
	/* Only whole chunks of 1536 vertices that fit are drawn: here none. */
	struct pica_stats s = stats();
	ck_assert_uint_eq(s.shaded_vertices, 0);
	ck_assert_uint_eq(s.faults[PICA_FAULT_SHADER_BUDGET], 0);
}

TEST(shader_steps_count_over_passes_and_end_at_the_same_chunk) {
	uint64_t sum = 0, shaded = 0;
	for (unsigned i = 0; i < 3; i++) {
		/*
		 * 3 steps a vertex: 20 chunks of 1536, and a part of one; the program costs 8192
		 * apart.
		 */
		struct pica_budgets b = { .job_steps = 20 * 1536 * 3 + 2000 };
		open_engine(limit_threads[i], &b);
		struct pica_emit e;
		emit_limit_state(&e, SIDE);
		put_triangles(2000, 0.5f);
		for (unsigned pass = 0; pass < 10; pass++) {
			emit_square(&e, COLOR + 0x10000 * (pass % 4), SIDE);
			pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 6000);
		}
		ck_assert_int_eq(run_list(&e).result, -EDQUOT);
		uint64_t now = checksum(COLOR, 0x40000);
		if (i > 0) {
			ck_assert_uint_eq(now, sum);
			ck_assert_uint_eq(stats().shaded_vertices, shaded);
		}
		sum = now;
		shaded = stats().shaded_vertices;
		ck_assert_uint_le(shaded, b.job_steps / 3);
		ck_assert_uint_gt(shaded, b.job_steps / 3 - 1536);
		/* The next job has its own budget. */
		emit_limit_state(&e, SIDE);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3000);
		ck_assert_int_eq(run_list(&e).result, 0);
		close_engine();
	}
}

LIMIT_TEST_WITHIN(pixels_count_over_passes, .pixels = 3 * SIDE * SIDE + 100) {
	emit_limit_state(&e, SIDE);
	put_triangles(1, 2);
	for (unsigned pass = 0; pass < 6; pass++) {
		emit_square(&e, COLOR + 0x10000 * pass, SIDE);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	}
	ck_assert_int_eq(run_list(&e).result, -EDQUOT);
	for (unsigned pass = 0; pass < 6; pass++) {
		bool drawn = checksum(COLOR + 0x10000 * pass, 4 * SIDE * SIDE) != 0;
		ck_assert_int_eq(drawn, pass < 3);
	}
}

LIMIT_TEST_WITHIN(pixels_drawn_alone_count_64_times, .pixels = 64 * SIDE * SIDE) {
	emit_limit_state(&e, SIDE);
	put_triangles(1, 2);
	emit_square(&e, VRAM + 0x600000 - 0x1000, SIDE); /* leaves VRAM */
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(run_list(&e).result, 0);
	emit_limit_state(&e, SIDE);
	emit_square(&e, VRAM + 0x600000 - 0x1000, SIDE);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(run_list(&e).result, -EDQUOT);
}

TEST_LOOP(endless_geometry_shader_ends, N_LIMIT_THREADS) {
	/* setemit 2, prim; mov o0, v0; mov o1, v1; emit; jmpu !b0, 0 */
	static const uint32_t code[] = { 0xAE800000, 0x4C000000, 0x4C201000, 0xA8000000,
		0xB4000001 };
	const struct pica_geometry g = { .mode = PICA_GS_MODE_POINT, .inputs = 2, .vs_outputs = 2 };
	enum { JOB_STEPS, ALL_VERTICES, ONE_RUN, LIMITS };
	for (unsigned limit = 0; limit < LIMITS; limit++) {
		struct pica_budgets b = { .job_steps = limit == JOB_STEPS ? 3000000 : 20000000,
			.vertices = limit == ALL_VERTICES ? 20000 : 100000000,
			.shader_steps = limit == ONE_RUN ? 1000 : 10000000 };
		open_engine(limit_threads[_i], &b);
		struct pica_emit e;
		pica_emit_init(&e);
		pica_emit_geometry(&e, &g);
		pica_emit_finish(&e);
		emit_limit_state(&e, SIDE);
		put_triangles(2, 0.25f);
		pica_emit_geometry(&e, &g);
		emit_program(&e, pass_code, 3);
		pica_emit_vs_output_mask(&e, 3);
		pica_emit_outputs(&e, PICA_UNIT_GS, pass_outputs, 2);
		pica_emit_code(&e, PICA_UNIT_GS, 0, code, 5);
		pica_emit_operand_descriptors(&e, PICA_UNIT_GS, 0, pass_descriptor, 1);
		pica_emit_entry_point(&e, PICA_UNIT_GS, 0);
		for (unsigned i = 0; i < 100; i++) {
			pica_emit_draw_arrays(&e, PICA_PRIMITIVE_GEOMETRY, 0, 6);
		}
		ck_assert_int_eq(run_list(&e).result, -EDQUOT);
		ck_assert_uint_eq(stats().faults[PICA_FAULT_SHADER_BUDGET], 1);
		close_engine();
	}
}

LIMIT_TEST_WITHIN(left_over_vertices_with_long_programs_are_charged,
		.shader_steps = 1000000, .job_steps = 3000000, .pixels = 1000) {
	emit_limit_state(&e, SIDE);
	put_triangles(2, 2);
	emit_program(&e, endless_code, 1);
	/* The command thread shades each pair when the target changes. */
	pica_emit_reg(&e, PICA_REG_PRIMITIVE_CONFIG,
			PICA_PRIMITIVE_CONFIG_MODE(PICA_PRIMITIVE_LIST));
	pica_emit_reg(&e, PICA_REG_NUMVERTICES, 4);
	for (unsigned i = 0; i < 1000; i++) {
		emit_square(&e, COLOR + 0x10000 * (i % 4), SIDE);
		pica_emit_reg(&e, PICA_REG_DRAWARRAYS, 1);
	}
	ck_assert_int_eq(run_list(&e).result, -EDQUOT);
}

LIMIT_TEST_WITHIN(textures_decoded_again_and_again_are_charged, .pixels = 20 * 1024 * 1024) {
	emit_limit_state(&e, SIDE);
	put_triangles(1, 1);
	for (unsigned i = 0; i < 1000; i++) {
		emit_texture(&e, TEXTURES + 128 * i, 1024);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	}
	ck_assert_int_eq(run_list(&e).result, -EDQUOT);
	struct pica_stats s = stats();
	ck_assert_uint_ge(s.textures_decoded, 18);
	ck_assert_uint_le(s.textures_decoded, 20);
}

/* ---- Memory ---- */

static long peak_kib(void) {
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

LIMIT_TEST(long_draws_do_not_fill_the_memory) {
	emit_limit_state(&e, SIDE);
	put_triangles(1000, 0.01f);
	long before = peak_kib();
	/* Two million vertices: as chunks, 1300 of 200 KiB. */
	const uint32_t n = IS_SLOW ? 300000 : 2000000;
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_STRIP, 0, n);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert(IS_SLOW || peak_kib() - before < 300 * 1024);
	ck_assert_uint_eq(stats().triangles, n - 2);
}

/* The pieces of a long draw must be the draw. */
LIMIT_TEST(pieces_of_long_draws_are_the_draw) {
	enum { N = 200003 };
	static const uint32_t modes[] = { PICA_PRIMITIVE_LIST, PICA_PRIMITIVE_STRIP,
		PICA_PRIMITIVE_FAN };
	for (unsigned m = 0; m < 3; m++) {
		float (*v)[8] = calloc(N, sizeof(*v));
		uint64_t sum[2];
		ck_assert_ptr_nonnull(v);
		for (unsigned i = 0; i < N; i++) {
			float vertex[8] = { (float)(i * 7919u % 2048) / 1024 - 1,
					(float)(i * 104729u % 2048) / 1024 - 1,
				-0.5f, 1, (float)(i % 256) / 255, (float)(i % 511) / 511, 0, 1 };
			memcpy(v[i], vertex, sizeof(vertex));
		}
		ck_assert_int_eq(pica_ctx_write_memory(ctx, VERTICES, v, N * (uint32_t)sizeof(*v)),
				0);
		free(v);
		for (unsigned cut = 0; cut < 2; cut++) {
			struct pica_job clear = { .op = PICA_OP_FILL,
				.u.fill = { .start = COLOR, .end = COLOR + 4 * SIDE * SIDE } };
			ck_assert_int_eq(pica_submit(ctx, &clear, 1, NULL), 0);
			emit_limit_state(&e, 16);
			pica_emit_reg(&e, PICA_REG_PRIMITIVE_CONFIG,
					PICA_PRIMITIVE_CONFIG_MODE(modes[m]));
			pica_emit_reg(&e, PICA_REG_RESTART_PRIMITIVE, 1);
			for (unsigned at = 0; at < N;) {
				unsigned n = cut ? 50021 : N;
				n = n < N - at ? n : N - at;
				pica_emit_reg(&e, PICA_REG_NUMVERTICES, n);
				pica_emit_reg(&e, PICA_REG_VERTEX_OFFSET, at);
				pica_emit_reg(&e, PICA_REG_DRAWARRAYS, 1);
				at += n;
			}
			ck_assert_int_eq(run_list(&e).result, 0);
			sum[cut] = checksum(COLOR, 4 * SIDE * SIDE);
		}
		ck_assert_uint_eq(sum[0], sum[1]);
	}
}

LIMIT_TEST(many_textures_in_one_pass_do_not_fill_the_memory) {
	emit_limit_state(&e, SIDE);
	put_triangles(1, 1);
	long before = peak_kib();
	for (unsigned i = 0; i < (IS_SLOW ? 40 : 400); i++) {
		emit_texture(&e, TEXTURES + 0x1000 * i, 1024); /* 4 MiB each */
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	}
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert(IS_SLOW || peak_kib() - before < 900 * 1024);
}
