/*
 * Draws and contexts that block each other: work must be drawn in order, and no thread may wait
 * forever.
 */
#include <pthread.h>
#include <stdlib.h>

#include "limits_rig.h"
#include "tests/suite.h"

LIMIT_TEST(draws_sample_pixels_of_earlier_draws_of_the_pass) {
	/*
	 * One target of several tiles. The first draw writes depth, whose memory the second one,
	 * which does not touch depth, samples; then again with another depth.
	 */
	enum { N = 128 };
	static uint32_t color[N * N], depth[N * N];
	emit_limit_state(&e, N);
	put_triangles(1, 4);
	const struct pica_framebuffer fb = { .color_addr = COLOR,
		.depth_addr = COLOR + 0x10000,
		.color_format = PICA_COLOR_FORMAT_RGBA8,
		.depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = N,
		.height = N };
	for (unsigned round = 0; round < 20; round++) {
		pica_emit_framebuffer(&e, &fb);
		pica_emit_depth_map(&e, PICA_DEPTHMAP_Z, -1.0f / (float)(round + 1), 0);
		pica_emit_depth_test(&e, true, PICA_COMPARE_ALWAYS, true, 0);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
		pica_emit_depth_test(&e, false, PICA_COMPARE_ALWAYS, false, 15);
		if (round == 0) {
			emit_texture(&e, COLOR + 0x10000, N);
		}
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	}
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_int_eq(pica_ctx_read_memory(ctx, COLOR, color, sizeof(color)), 0);
	ck_assert_int_eq(pica_ctx_read_memory(ctx, COLOR + 0x10000, depth, sizeof(depth)), 0);
	ck_assert_uint_ne(depth[0], 0);
	/*
	 * The depth is the same everywhere, and a texel of RGBA8 is its word, as the target's
	 * pixels are.
	 */
	unsigned same = 0;
	for (unsigned i = 0; i < N * N; i++) {
		same += color[i] == depth[0] && depth[i] == depth[0];
	}
	ck_assert_uint_eq(same, N * N);
}

static uint64_t write_reg(uint32_t id, uint32_t value) {
	uint64_t seq;
	ck_assert_int_eq(pica_ctx_write_reg(ctx, id, value, 15, &seq), 0);
	return seq;
}

/* Every word of a list as a register write of its own. */
static void write_list(struct pica_emit *e) {
	ck_assert_int_eq(pica_emit_error(e), 0);
	for (size_t i = 0; i + 1 < e->count;) {
		uint32_t value = e->words[i], header = e->words[i + 1];
		uint32_t id = header & 0xFFFF, mask = header >> 16 & 15, n = header >> 20 & 0xFF;
		i += 2;
		for (uint32_t k = 0;; k++) {
			if (mask) {
				ck_assert_int_eq(pica_ctx_write_reg(ctx, id, value, mask, NULL), 0);
			}
			if (k == n) {
				break;
			}
			id += header >> 31;
			value = e->words[i++];
		}
		i = (i + 1) & ~(size_t)1;
	}
	pica_emit_finish(e);
}

/* Three vertices by single writes; a thread then waits for them. */
static uint64_t immediate_triangle(float size) {
	struct pica_emit e;
	const float v[6][4] = { { -1, -1, -0.5f, 1 }, { 1, 0, 0, 1 }, { -1 + size, -1, -0.5f, 1 },
			{ 1, 0, 0, 1 },
		{ -1, -1 + size, -0.5f, 1 }, { 1, 0, 0, 1 } };
	pica_emit_init(&e);
	pica_emit_inputs(&e, 2, PICA_IDENTITY_INPUTS);
	pica_emit_immediate_begin(&e, PICA_PRIMITIVE_LIST);
	pica_emit_immediate(&e, v[0], 5);
	write_list(&e);
	uint64_t seq = 0;
	/* Writes the last vector itself, to know its sequence number. */
	pica_emit_init(&e);
	pica_emit_immediate(&e, v[5], 1);
	for (size_t i = 0; i < e.count; i++) {
		if (i != 1) { /* the header */
			seq = write_reg(PICA_REG_FIXEDATTRIB_DATA0, e.words[i]);
		}
	}
	pica_emit_finish(&e);
	return seq;
}

LIMIT_TEST(immediate_vertices_are_drawn_when_somebody_waits) {
	for (unsigned round = 0; round < 40; round++) {
		struct pica_job clear = { .op = PICA_OP_FILL,
			.u.fill = { .start = COLOR, .end = COLOR + 4 * SIDE * SIDE } };
		ck_assert_int_eq(pica_submit(ctx, &clear, 1, NULL), 0);
		emit_limit_state(&e, SIDE);
		write_list(&e);
		uint64_t seq = immediate_triangle(4);
		if (round & 1) {
			/* A job whose vertices are not drawn is not complete. */
			ck_assert_int_eq(pica_wait(ctx, seq, -1), 0);
			const uint32_t *pixels = pica_ctx_host(ctx, COLOR, 4 * SIDE * SIDE);
			unsigned n_red = 0;
			for (unsigned i = 0; i < SIDE * SIDE; i++) {
				n_red += pixels[i] == 0xFF0000FF;
			}
			ck_assert_uint_eq(n_red, SIDE * SIDE);
		} else {
			uint32_t pixel[64];
			ck_assert_int_eq(pica_ctx_read_memory(
							 ctx, COLOR + 0x3F00, pixel, sizeof(pixel)),
					0);
			ck_assert_uint_eq(pixel[63], 0xFF0000FF);
		}
	}
}

LIMIT_TEST(immediate_vertices_without_a_draw_block_no_job) {
	uint32_t regs[4];
	emit_limit_state(&e, SIDE);
	pica_emit_reg(&e, PICA_REG_FRAMEBUFFER_DIM, 0); /* no target */
	write_list(&e);
	for (unsigned round = 0; round < 20; round++) {
		immediate_triangle(1);
		ck_assert_int_eq(pica_ctx_read_regs(ctx, 0, 4, regs), 0);
	}
	immediate_triangle(1);
}

/* ---- Several threads, several contexts ---- */

struct caller {
	pthread_t thread;
	unsigned number;
	uint64_t sum;
};

static void *call(void *arg) {
	struct caller *c = arg;
	struct pica_ctx *own;
	struct pica_emit e;
	if (pica_ctx_create(&own, device, NULL) < 0) {
		return NULL;
	}
	float v[3][8] = { { -1, -1, -0.5f, 1, 1, 0, 0, 1 }, { 1, -1, -0.5f, 1, 0, 1, 0, 1 },
		{ -1, 1, -0.5f, 1, 0, 0, 1, 1 } };
	pica_ctx_write_memory(own, VERTICES, v, sizeof(v));
	for (unsigned round = 0; round < 30; round++) {
		struct pica_job job = { .op = PICA_OP_LIST };
		uint64_t seq = 0;
		emit_limit_state(&e, SIDE);
		for (unsigned i = 0; i < 20; i++) {
			emit_square(&e, COLOR + 0x10000 * (i % 3), SIDE);
			pica_emit_draw_arrays(&e, PICA_PRIMITIVE_STRIP, 0, 3);
		}
		pica_emit_finalize(&e);
		pica_ctx_write_memory(own, LIST, e.words, (uint32_t)(4 * e.count));
		job.u.list.addr = LIST;
		job.u.list.size_bytes = (uint32_t)(4 * e.count);
		pica_emit_finish(&e);
		if (pica_submit(own, &job, 1, &seq) < 0 || pica_wait(own, seq, -1) < 0) {
			return NULL;
		}
		if (round % 10 == 9) { /* and with an open pass */
			pica_ctx_write_reg(own, PICA_REG_NUMVERTICES, 3, 15, NULL);
			pica_ctx_write_reg(own, PICA_REG_DRAWARRAYS, 1, 15, NULL);
		}
	}
	uint32_t pixels[SIDE * SIDE];
	pica_ctx_read_memory(own, COLOR, pixels, sizeof(pixels));
	for (unsigned i = 0; i < SIDE * SIDE; i++) {
		c->sum = c->sum * 31 + pixels[i];
	}
	struct pica_job last = { .op = PICA_OP_FILL,
		.u.fill = { .start = COLOR, .end = COLOR + 0x100000 } };
	pica_submit(own, &last, 1, NULL); /* destroyed in flight */
	pica_ctx_destroy(own);
	return NULL;
}

LIMIT_TEST(contexts_of_one_device_in_several_threads) {
	struct caller callers[4];
	for (unsigned i = 0; i < 4; i++) {
		callers[i] = (struct caller){ .number = i };
		ck_assert_int_eq(pthread_create(&callers[i].thread, NULL, call, &callers[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(callers[i].thread, NULL);
		ck_assert_uint_ne(callers[i].sum, 0);
		ck_assert_uint_eq(callers[i].sum, callers[0].sum);
	}
}

static unsigned n_called;

static void submit_more(void *user, enum pica_interrupt which) {
	struct pica_ctx **own = user;
	struct pica_job job = { .op = PICA_OP_FILL,
		.u.fill = { .start = COLOR, .end = COLOR + 64 } };
	if (++n_called < 10) {
		ck_assert_int_eq(pica_submit(*own, &job, 1, NULL), 0);
	}
}

TEST_LOOP(interrupts_may_submit, N_LIMIT_THREADS) {
	struct pica_settings s;
	struct pica_ctx_settings c;
	pica_settings_init(&s);
	s.n_threads = limit_threads[_i];
	ck_assert_int_eq(pica_device_create(&device, &s), 0);
	pica_ctx_settings_init(&c);
	c.interrupt = submit_more;
	c.interrupt_user = &ctx;
	ck_assert_int_eq(pica_ctx_create(&ctx, device, &c), 0);
	struct pica_job job = { .op = PICA_OP_FILL,
		.u.fill = { .start = COLOR, .end = COLOR + 64 } };
	n_called = 0;
	ck_assert_int_eq(pica_submit(ctx, &job, 1, NULL), 0);
	ck_assert_uint_eq(stats().fills, 10);
	ck_assert_uint_eq(n_called, 10);
	close_engine();
}
