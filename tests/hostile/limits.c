/*
 * Work without end, and the budgets and bounds that end it: each test is something that a client
 * can ask for in a few words and that used to take minutes, gigabytes or for ever. Times are not
 * checked, the test's time limit is.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <sys/resource.h>

#include <check.h>

#include "pica.h"
#include "pica_emit.h"

enum {
	VRAM = 0x18000000,
	COLOR = VRAM,
	FCRAM = 0x20000000,
	VERTICES = FCRAM + 0x10000,
	TEXTURES = FCRAM + 0x400000,
	LIST = FCRAM + 0x2000000,
	SIDE = 64,
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { IS_SLOW = 1 }; /* and memory cannot be measured */
#else
enum { IS_SLOW = 0 };
#endif

static const unsigned thread_counts[] = { 0, 1, 3 };

static struct pica_device *device;
static struct pica_ctx *ctx;

static void open_engine(unsigned threads, const struct pica_budgets *budgets) {
	struct pica_settings s;
	pica_settings_init(&s);
	s.n_threads = threads;
	ck_assert_int_eq(pica_device_create(&device, &s), 0);
	struct pica_ctx_settings c;
	pica_ctx_settings_init(&c);
	if (budgets) {
		c.budgets = *budgets;
	}
	ck_assert_int_eq(pica_ctx_create(&ctx, device, &c), 0);
}

static void close_engine(void) {
	pica_ctx_destroy(ctx);
	pica_device_destroy(device);
}

static int finish(uint64_t seq) {
	struct pica_done done = { 0 };
	ck_assert_int_eq(pica_wait(ctx, seq, -1), 0);
	while (pica_reap(ctx, &done, 1) > 0) {
	}
	return done.result;
}

static int run_words(const uint32_t *words, size_t n) {
	struct pica_job job = { .op = PICA_OP_LIST };
	uint64_t seq;
	ck_assert_int_eq(pica_ctx_write_memory(ctx, LIST, words, (uint32_t)(4 * n)), 0);
	job.u.list.addr = LIST;
	job.u.list.size_bytes = (uint32_t)(4 * n);
	ck_assert_int_eq(pica_submit(ctx, &job, 1, &seq), 0);
	return finish(seq);
}

static int run_list(struct pica_emit *e) {
	ck_assert_int_eq(pica_emit_finalize(e), 0);
	int result = run_words(e->words, e->count);
	pica_emit_finish(e);
	return result;
}

static struct pica_stats stats(void) {
	struct pica_stats s = { .size = sizeof(s) };
	ck_assert_int_eq(pica_stats(ctx, &s), 0);
	return s;
}

/* mov o0, v0; mov o1, v1; end */
static const uint32_t pass_code[] = { 0x4C000000, 0x4C201000, 0x88000000 };
static const uint32_t descriptor[] = { 0x0000036F };
static const uint32_t endless_code[] = { 0xB4000001 }; /* jmpu !b0, 0 */

static void emit_program(struct pica_emit *e, const uint32_t *code, size_t n) {
	static const struct pica_output outputs[] = {
		{ PICA_OUTPUT_POSITION, 0, 15 },
		{ PICA_OUTPUT_COLOR, 1, 15 },
		{ PICA_OUTPUT_TEXCOORD0, 1, 3 },
	};
	pica_emit_code(e, PICA_UNIT_VS, 0, code, n);
	pica_emit_operand_descriptors(e, PICA_UNIT_VS, 0, descriptor, 1);
	pica_emit_entry_point(e, PICA_UNIT_VS, 0);
	pica_emit_outputs(e, PICA_UNIT_VS, outputs, 2);
}

static void emit_target(struct pica_emit *e, uint32_t color, uint32_t side) {
	const struct pica_framebuffer fb = { .color_addr = color,
		.color_format = PICA_COLOR_FORMAT_RGBA8,
		.depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = side,
		.height = side };
	pica_emit_framebuffer(e, &fb);
	pica_emit_viewport(e, 0, 0, side, side);
}

static void emit_state(struct pica_emit *e, uint32_t side) {
	pica_emit_init(e);
	pica_emit_defaults(e);
	pica_emit_geometry(e, NULL);
	emit_program(e, pass_code, 3);
	emit_target(e, COLOR, side);
	pica_emit_depth_test(e, false, PICA_COMPARE_ALWAYS, false, 15);
	const struct pica_attributes a = { .base = VERTICES,
		.n = 2,
		.format = { { PICA_ATTRIB_TYPE_F32, 4 }, { PICA_ATTRIB_TYPE_F32, 4 } },
		.n_loaders = 1,
		.loader = { { .offset = 0, .stride = 32, .n = 2, .component = { 0, 1 } } } };
	pica_emit_attributes(e, &a);
}

/* n triangles over the whole target, or small ones. */
static void put_triangles(unsigned n, float size) {
	float (*v)[8] = calloc(3 * n, sizeof(*v));
	ck_assert_ptr_nonnull(v);
	for (unsigned i = 0; i < 3 * n; i++) {
		float vertex[8] = { i % 3 == 1 ? -1 + size : -1, i % 3 == 2 ? -1 + size :
				-1, -0.5f, 1, 1, 0, 0,
				1 };
		memcpy(v[i], vertex, sizeof(vertex));
	}
	ck_assert_int_eq(pica_ctx_write_memory(ctx, VERTICES, v, 3 * n * (uint32_t)sizeof(*v)), 0);
	free(v);
}

static uint64_t checksum(uint32_t addr, uint32_t bytes) {
	uint8_t *data = malloc(bytes);
	uint64_t sum = 0;
	ck_assert_ptr_nonnull(data);
	ck_assert_int_eq(pica_ctx_read_memory(ctx, addr, data, bytes), 0);
	for (uint32_t i = 0; i < bytes; i++) {
		sum = sum * 31 + data[i];
	}
	free(data);
	return sum;
}

/* ---- Budgets ---- */

START_TEST(shader_steps_of_a_job_end_it) {
	struct pica_budgets b = { .shader_steps = 1000000, .job_steps = 1000000 };
	open_engine(thread_counts[_i], &b);
	struct pica_emit e;
	emit_state(&e, SIDE);
	put_triangles(2, 2);
	emit_program(&e, endless_code, 1);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 1000000);
	ck_assert_int_eq(run_list(&e), -EDQUOT);
	/* Whole chunks of 1536 vertices, as many as fit: none. */
	struct pica_stats s = stats();
	ck_assert_uint_eq(s.shaded_vertices, 0);
	ck_assert_uint_eq(s.faults[PICA_FAULT_SHADER_BUDGET], 0);
	close_engine();
}
END_TEST

START_TEST(shader_steps_count_over_passes_and_end_at_the_same_chunk) {
	uint64_t sum = 0, shaded = 0;
	for (unsigned i = 0; i < 3; i++) {
		/*
		 * 3 steps a vertex: 20 chunks of 1536, and a part of one; the program costs 8192
		 * apart.
		 */
		struct pica_budgets b = { .job_steps = 20 * 1536 * 3 + 2000 };
		open_engine(thread_counts[i], &b);
		struct pica_emit e;
		emit_state(&e, SIDE);
		put_triangles(2000, 0.5f);
		for (unsigned pass = 0; pass < 10; pass++) {
			emit_target(&e, COLOR + 0x10000 * (pass % 4), SIDE);
			pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 6000);
		}
		ck_assert_int_eq(run_list(&e), -EDQUOT);
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
		emit_state(&e, SIDE);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3000);
		ck_assert_int_eq(run_list(&e), 0);
		close_engine();
	}
}
END_TEST

START_TEST(pixels_count_over_passes) {
	struct pica_budgets b = { .pixels = 3 * SIDE * SIDE + 100 };
	open_engine(thread_counts[_i], &b);
	struct pica_emit e;
	emit_state(&e, SIDE);
	put_triangles(1, 2);
	for (unsigned pass = 0; pass < 6; pass++) {
		emit_target(&e, COLOR + 0x10000 * pass, SIDE);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	}
	ck_assert_int_eq(run_list(&e), -EDQUOT);
	for (unsigned pass = 0; pass < 6; pass++) {
		bool drawn = checksum(COLOR + 0x10000 * pass, 4 * SIDE * SIDE) != 0;
		ck_assert_int_eq(drawn, pass < 3);
	}
	close_engine();
}
END_TEST

START_TEST(pixels_drawn_alone_count_64_times) {
	struct pica_budgets b = { .pixels = 64 * SIDE * SIDE };
	open_engine(thread_counts[_i], &b);
	struct pica_emit e;
	emit_state(&e, SIDE);
	put_triangles(1, 2);
	emit_target(&e, VRAM + 0x600000 - 0x1000, SIDE); /* leaves VRAM */
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(run_list(&e), 0);
	emit_state(&e, SIDE);
	emit_target(&e, VRAM + 0x600000 - 0x1000, SIDE);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(run_list(&e), -EDQUOT);
	close_engine();
}
END_TEST

START_TEST(endless_geometry_shader_ends) {
	/* setemit 2, prim; mov o0, v0; mov o1, v1; emit; jmpu !b0, 0 */
	static const uint32_t code[] = { 0xAE800000, 0x4C000000, 0x4C201000, 0xA8000000,
		0xB4000001 };
	static const struct pica_output outputs[] = { { PICA_OUTPUT_POSITION, 0, 15 },
		{ PICA_OUTPUT_COLOR, 1, 15 } };
	const struct pica_geometry g = { .mode = PICA_GS_MODE_POINT, .inputs = 2, .vs_outputs = 2 };
	enum { JOB_STEPS, ALL_VERTICES, ONE_RUN, LIMITS };
	for (unsigned limit = 0; limit < LIMITS; limit++) {
		struct pica_budgets b = { .job_steps = limit == JOB_STEPS ? 3000000 : 20000000,
			.vertices = limit == ALL_VERTICES ? 20000 : 100000000,
			.shader_steps = limit == ONE_RUN ? 1000 : 10000000 };
		open_engine(thread_counts[_i], &b);
		struct pica_emit e;
		pica_emit_init(&e);
		pica_emit_geometry(&e, &g);
		pica_emit_finish(&e);
		emit_state(&e, SIDE);
		put_triangles(2, 0.25f);
		pica_emit_geometry(&e, &g);
		emit_program(&e, pass_code, 3);
		pica_emit_vs_output_mask(&e, 3);
		pica_emit_outputs(&e, PICA_UNIT_GS, outputs, 2);
		pica_emit_code(&e, PICA_UNIT_GS, 0, code, 5);
		pica_emit_operand_descriptors(&e, PICA_UNIT_GS, 0, descriptor, 1);
		pica_emit_entry_point(&e, PICA_UNIT_GS, 0);
		for (unsigned i = 0; i < 100; i++) {
			pica_emit_draw_arrays(&e, PICA_PRIMITIVE_GEOMETRY, 0, 6);
		}
		ck_assert_int_eq(run_list(&e), -EDQUOT);
		ck_assert_uint_eq(stats().faults[PICA_FAULT_SHADER_BUDGET], 1);
		close_engine();
	}
}
END_TEST

START_TEST(left_over_vertices_with_long_programs_are_charged) {
	struct pica_budgets b = { .shader_steps = 1000000, .job_steps = 3000000, .pixels = 1000 };
	open_engine(thread_counts[_i], &b);
	struct pica_emit e;
	emit_state(&e, SIDE);
	put_triangles(2, 2);
	emit_program(&e, endless_code, 1);
	/* Each pair is shaded on the command thread when the target changes. */
	pica_emit_reg(&e, PICA_REG_PRIMITIVE_CONFIG,
			PICA_PRIMITIVE_CONFIG_MODE(PICA_PRIMITIVE_LIST));
	pica_emit_reg(&e, PICA_REG_NUMVERTICES, 4);
	for (unsigned i = 0; i < 1000; i++) {
		emit_target(&e, COLOR + 0x10000 * (i % 4), SIDE);
		pica_emit_reg(&e, PICA_REG_DRAWARRAYS, 1);
	}
	ck_assert_int_eq(run_list(&e), -EDQUOT);
	close_engine();
}
END_TEST

static void emit_texture(struct pica_emit *e, uint32_t addr, uint32_t side) {
	const struct pica_texture t = { .addr = addr, .width = side, .height = side,
		.format = PICA_TEXTURE_FORMAT_RGBA8 };
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = tev.alpha_source[0] = PICA_TEV_SOURCE_TEXTURE0;
	pica_emit_texture(e, 0, &t);
	pica_emit_texture_units(e, 1, 0, false); /* drops the cache, too */
	pica_emit_tev(e, 0, &tev);
}

START_TEST(textures_decoded_again_and_again_are_charged) {
	struct pica_budgets b = { .pixels = 20 * 1024 * 1024 };
	open_engine(thread_counts[_i], &b);
	struct pica_emit e;
	emit_state(&e, SIDE);
	put_triangles(1, 1);
	for (unsigned i = 0; i < 1000; i++) {
		emit_texture(&e, TEXTURES, 1024);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	}
	ck_assert_int_eq(run_list(&e), -EDQUOT);
	struct pica_stats s = stats();
	ck_assert_uint_ge(s.textures_decoded, 18);
	ck_assert_uint_le(s.textures_decoded, 20);
	close_engine();
}
END_TEST

/* ---- Memory ---- */

static long peak_kib(void) {
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

START_TEST(long_draws_do_not_fill_the_memory) {
	open_engine(thread_counts[_i], NULL);
	struct pica_emit e;
	emit_state(&e, SIDE);
	put_triangles(1000, 0.01f);
	long before = peak_kib();
	/* Two million vertices: as chunks, 1300 of 200 KiB. */
	const uint32_t n = IS_SLOW ? 300000 : 2000000;
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_STRIP, 0, n);
	ck_assert_int_eq(run_list(&e), 0);
	ck_assert(IS_SLOW || peak_kib() - before < 300 * 1024);
	ck_assert_uint_eq(stats().triangles, n - 2);
	close_engine();
}
END_TEST

/* The pieces of a long draw must be the draw. */
START_TEST(pieces_of_long_draws_are_the_draw) {
	enum { N = 200003 };
	static const uint32_t modes[] = { PICA_PRIMITIVE_LIST, PICA_PRIMITIVE_STRIP,
		PICA_PRIMITIVE_FAN };
	open_engine(thread_counts[_i], NULL);
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
			struct pica_emit e;
			struct pica_job clear = { .op = PICA_OP_FILL };
			clear.u.fill.start = COLOR;
			clear.u.fill.end = COLOR + 4 * SIDE * SIDE;
			ck_assert_int_eq(pica_submit(ctx, &clear, 1, NULL), 0);
			emit_state(&e, 16);
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
			ck_assert_int_eq(run_list(&e), 0);
			sum[cut] = checksum(COLOR, 4 * SIDE * SIDE);
		}
		ck_assert_uint_eq(sum[0], sum[1]);
	}
	close_engine();
}
END_TEST

START_TEST(many_textures_in_one_pass_do_not_fill_the_memory) {
	open_engine(thread_counts[_i], NULL);
	struct pica_emit e;
	emit_state(&e, SIDE);
	put_triangles(1, 1);
	long before = peak_kib();
	for (unsigned i = 0; i < (IS_SLOW ? 40 : 400); i++) {
		emit_texture(&e, TEXTURES + 0x1000 * i, 1024); /* 4 MiB each */
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	}
	ck_assert_int_eq(run_list(&e), 0);
	ck_assert(IS_SLOW || peak_kib() - before < 900 * 1024);
	close_engine();
}
END_TEST

/* ---- Order and ends ---- */

START_TEST(draws_of_one_pass_sample_what_earlier_ones_wrote) {
	/*
	 * One target of several tiles. The first draw writes depth, whose memory the second one,
	 * which does not touch depth, samples; then again with another depth.
	 */
	enum { N = 128 };
	static uint32_t color[N * N], depth[N * N];
	open_engine(thread_counts[_i], NULL);
	struct pica_emit e;
	emit_state(&e, N);
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
	ck_assert_int_eq(run_list(&e), 0);
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
	close_engine();
}
END_TEST

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

/* Three vertices by single writes; somebody waits without any further write. */
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
	/* The last vector by hand, so that its sequence number is known. */
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

START_TEST(immediate_vertices_are_drawn_when_somebody_waits) {
	open_engine(thread_counts[_i], NULL);
	for (unsigned round = 0; round < 40; round++) {
		struct pica_emit e;
		struct pica_job clear = { .op = PICA_OP_FILL };
		clear.u.fill.start = COLOR;
		clear.u.fill.end = COLOR + 4 * SIDE * SIDE;
		ck_assert_int_eq(pica_submit(ctx, &clear, 1, NULL), 0);
		emit_state(&e, SIDE);
		write_list(&e);
		uint64_t seq = immediate_triangle(4);
		if (round & 1) {
			/* A job whose vertices are not drawn is not complete. */
			ck_assert_int_eq(pica_wait(ctx, seq, -1), 0);
			const uint32_t *pixels = pica_ctx_host(ctx, COLOR, 4 * SIDE * SIDE);
			unsigned red = 0;
			for (unsigned i = 0; i < SIDE * SIDE; i++) {
				red += pixels[i] == 0xFF0000FF;
			}
			ck_assert_uint_eq(red, SIDE * SIDE);
		} else {
			uint32_t pixel[64];
			ck_assert_int_eq(pica_ctx_read_memory(
							 ctx, COLOR + 0x3F00, pixel, sizeof(pixel)),
					0);
			ck_assert_uint_eq(pixel[63], 0xFF0000FF);
		}
	}
	close_engine();
}
END_TEST

START_TEST(immediate_vertices_that_draw_nothing_do_not_block_anybody) {
	open_engine(thread_counts[_i], NULL);
	struct pica_emit e;
	uint32_t regs[4];
	emit_state(&e, SIDE);
	pica_emit_reg(&e, PICA_REG_FRAMEBUFFER_DIM, 0); /* no target */
	write_list(&e);
	for (unsigned round = 0; round < 20; round++) {
		immediate_triangle(1);
		ck_assert_int_eq(pica_ctx_read_regs(ctx, 0, 4, regs), 0);
	}
	immediate_triangle(1);
	close_engine();
}
END_TEST

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
		emit_state(&e, SIDE);
		for (unsigned i = 0; i < 20; i++) {
			emit_target(&e, COLOR + 0x10000 * (i % 3), SIDE);
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
	struct pica_job last = { .op = PICA_OP_FILL };
	last.u.fill.start = COLOR;
	last.u.fill.end = COLOR + 0x100000;
	pica_submit(own, &last, 1, NULL); /* destroyed in flight */
	pica_ctx_destroy(own);
	return NULL;
}

START_TEST(contexts_of_one_device_in_several_threads) {
	struct caller callers[4];
	open_engine(thread_counts[_i], NULL);
	for (unsigned i = 0; i < 4; i++) {
		callers[i] = (struct caller){ .number = i };
		ck_assert_int_eq(pthread_create(&callers[i].thread, NULL, call, &callers[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(callers[i].thread, NULL);
		ck_assert_uint_ne(callers[i].sum, 0);
		ck_assert_uint_eq(callers[i].sum, callers[0].sum);
	}
	close_engine();
}
END_TEST

static unsigned n_called;

static void submit_more(void *user, enum pica_interrupt which) {
	struct pica_ctx **own = user;
	struct pica_job job = { .op = PICA_OP_FILL };
	job.u.fill.start = COLOR;
	job.u.fill.end = COLOR + 64;
	if (++n_called < 10) {
		ck_assert_int_eq(pica_submit(*own, &job, 1, NULL), 0);
	}
}

START_TEST(interrupts_may_submit) {
	struct pica_settings s;
	struct pica_ctx_settings c;
	pica_settings_init(&s);
	s.n_threads = thread_counts[_i];
	ck_assert_int_eq(pica_device_create(&device, &s), 0);
	pica_ctx_settings_init(&c);
	c.interrupt = submit_more;
	c.interrupt_user = &ctx;
	ck_assert_int_eq(pica_ctx_create(&ctx, device, &c), 0);
	struct pica_job job = { .op = PICA_OP_FILL };
	job.u.fill.start = COLOR;
	job.u.fill.end = COLOR + 64;
	n_called = 0;
	ck_assert_int_eq(pica_submit(ctx, &job, 1, NULL), 0);
	ck_assert_uint_eq(stats().fills, 10);
	ck_assert_uint_eq(n_called, 10);
	close_engine();
}
END_TEST

int main(void) {
	Suite *s = suite_create("limits");
	TCase *tc = tcase_create("limits");
	const int n = sizeof(thread_counts) / sizeof(thread_counts[0]);
	tcase_set_timeout(tc, 0);
	tcase_add_loop_test(tc, shader_steps_of_a_job_end_it, 0, n);
	tcase_add_test(tc, shader_steps_count_over_passes_and_end_at_the_same_chunk);
	tcase_add_loop_test(tc, pixels_count_over_passes, 0, n);
	tcase_add_loop_test(tc, pixels_drawn_alone_count_64_times, 0, n);
	tcase_add_loop_test(tc, endless_geometry_shader_ends, 0, n);
	tcase_add_loop_test(tc, left_over_vertices_with_long_programs_are_charged, 0, n);
	tcase_add_loop_test(tc, textures_decoded_again_and_again_are_charged, 0, n);
	tcase_add_loop_test(tc, long_draws_do_not_fill_the_memory, 0, n);
	tcase_add_loop_test(tc, pieces_of_long_draws_are_the_draw, 0, n);
	tcase_add_loop_test(tc, many_textures_in_one_pass_do_not_fill_the_memory, 0, n);
	tcase_add_loop_test(tc, draws_of_one_pass_sample_what_earlier_ones_wrote, 0, n);
	tcase_add_loop_test(tc, immediate_vertices_are_drawn_when_somebody_waits, 0, n);
	tcase_add_loop_test(tc, immediate_vertices_that_draw_nothing_do_not_block_anybody, 0, n);
	tcase_add_loop_test(tc, contexts_of_one_device_in_several_threads, 0, n);
	tcase_add_loop_test(tc, interrupts_may_submit, 0, n);
	suite_add_tcase(s, tc);
	SRunner *sr = srunner_create(s);
	srunner_set_fork_status(sr, CK_NOFORK);
	srunner_run_all(sr, CK_NORMAL);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
