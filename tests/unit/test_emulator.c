/* pica_emulator.h: waits for ranges of memory, the status of the engines, counts of jobs. */
#include <semaphore.h>
#include <stdatomic.h>

#include "engine_rig.h"
#include "pica_emulator.h"
#include "tests/suite.h"

#define A_WHILE_NS INT64_C(20000000)
#define PATIENCE_NS (INT64_C(60) * 1000000000)

enum {
	FAR = FCRAM + 0x1000000,
	BYTES = 0x8000,
	FILL_WORD = 0x200, /* a fill of 32-bit words */
};

/* ---- Suspended work: a worker waits at the end of its task ---- */

static sem_t is_at_gate, gate;
static atomic_int held_kind; /* the next span of this kind is held */

static void hold(void *user, const struct pica_span *span) {
	int kind = (int)span->kind;
	if (atomic_compare_exchange_strong(&held_kind, &kind, -1)) {
		sem_post(&is_at_gate);
		while (sem_wait(&gate)) {
		}
	}
}

static void open_held(enum pica_span_kind kind) {
	struct pica_settings s;
	pica_settings_init(&s);
	s.n_threads = 2;
	s.trace = hold;
	atomic_store(&held_kind, (int)kind);
	ck_assert_int_eq(sem_init(&is_at_gate, 0, 0), 0);
	ck_assert_int_eq(sem_init(&gate, 0, 0), 0);
	ck_assert_int_eq(pica_device_create(&device, &s), 0);
	ck_assert_int_eq(pica_ctx_create(&ctx, device, NULL), 0);
}

static void await_gate(void) {
	while (sem_wait(&is_at_gate)) {
	}
}

static int wait_range(uint64_t seq, uint32_t phys, uint32_t size, enum pica_range_access access,
		int64_t timeout_ns) {
	return pica_wait_range(ctx, seq, phys, size, access, timeout_ns);
}

/* A copy of 8 MiB: a worker does it. */
static uint64_t queue_copy(uint32_t src, uint32_t dst) {
	const struct pica_job job = { .op = PICA_OP_COPY,
		.u.copy = { .src = src, .dst = dst, .size_bytes = 8 << 20 } };
	return submit(&job);
}

static uint64_t queue_fill(uint32_t start, uint32_t size_bytes, uint32_t value) {
	const struct pica_job job = { .op = PICA_OP_FILL,
		.u.fill = { .start = start, .end = start + size_bytes, .value = value,
			.control = FILL_WORD } };
	return submit(&job);
}

static uint32_t word_at(uint32_t phys) {
	return *(const uint32_t *)pica_ctx_host(ctx, phys, 4);
}

TEST(a_range_is_ready_when_the_job_that_writes_it_has_retired) {
	open_held(PICA_SPAN_STRIPE);
	const uint64_t copied = queue_copy(FAR, FAR + 0x1000000);
	await_gate();
	const uint64_t filled = queue_fill(VRAM, BYTES, 0x12345678);
	/* The fill completes after the copy, which is suspended, but its memory is ready. */
	ck_assert_int_eq(wait_range(0, VRAM, BYTES, PICA_RANGE_READ, PATIENCE_NS), 0);
	ck_assert_uint_eq(word_at(VRAM), 0x12345678);
	ck_assert_uint_eq(word_at(VRAM + BYTES - 4), 0x12345678);
	ck_assert_int_eq(pica_wait(ctx, filled, 0), -ETIME);
	/* The copy's source can be read but not written; its target can be neither. */
	ck_assert_int_eq(wait_range(0, FAR, 4, PICA_RANGE_READ, PATIENCE_NS), 0);
	ck_assert_int_eq(wait_range(0, FAR, 4, PICA_RANGE_WRITE, A_WHILE_NS), -ETIME);
	ck_assert_int_eq(wait_range(0, FAR, 4, PICA_RANGE_WRITE, 0), -ETIME);
	ck_assert_int_eq(wait_range(0, FAR + 0x1000000, 4, PICA_RANGE_READ, A_WHILE_NS), -ETIME);
	ck_assert_int_eq(wait_range(0, FAR + 0x17FFFFC, 4, PICA_RANGE_READ, 0), -ETIME);
	ck_assert_int_eq(wait_range(0, FAR + 0x1800000, 4, PICA_RANGE_WRITE, 0), 0);
	ck_assert_int_eq(wait_range(0, FAR - 4, 4, PICA_RANGE_WRITE, 0), 0);
	ck_assert_int_eq(pica_wait(ctx, copied, 0), -ETIME);
	sem_post(&gate);
	ck_assert_int_eq(wait_range(0, FAR + 0x1000000, 4, PICA_RANGE_WRITE, PATIENCE_NS), 0);
	ck_assert_int_eq(pica_wait(ctx, filled, -1), 0);
	close_engine();
}

TEST(later_jobs_are_not_waited_for) {
	open_held(PICA_SPAN_COUNT); /* none yet */
	const uint64_t filled = queue_fill(FAR + 0x1000000, BYTES, 0xAABBCCDD);
	ck_assert_int_eq(pica_wait(ctx, filled, -1), 0);
	atomic_store(&held_kind, PICA_SPAN_STRIPE);
	queue_copy(FAR, FAR + 0x1000000); /* writes the same memory */
	await_gate();
	ck_assert_int_eq(wait_range(filled, FAR + 0x1000000, BYTES, PICA_RANGE_READ, 0), 0);
	ck_assert_int_eq(wait_range(filled, FAR + 0x1000000, BYTES, PICA_RANGE_WRITE, 0), 0);
	ck_assert_int_eq(wait_range(0, FAR + 0x1000000, 4, PICA_RANGE_READ, A_WHILE_NS), -ETIME);
	sem_post(&gate);
	ck_assert_int_eq(wait_range(0, FAR + 0x1000000, BYTES, PICA_RANGE_READ, PATIENCE_NS), 0);
	ck_assert_uint_eq(word_at(FAR + 0x1000000), 0); /* the copied zeros */
	close_engine();
}

/* A list whose pixels the held worker draws. */
static uint64_t queue_triangles(uint32_t target) {
	struct pica_emit e;
	put_triangle(red);
	emit_state(&e, target);
	for (unsigned i = 0; i < 22; i++) { /* more than the command thread draws itself */
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	}
	ck_assert_int_eq(pica_emit_finalize(&e), 0);
	ck_assert_int_eq(pica_ctx_write_memory(ctx, LIST, e.words, (uint32_t)(4 * e.count)), 0);
	const struct pica_job job = { .op = PICA_OP_LIST,
		.u.list = { .addr = LIST, .size_bytes = (uint32_t)(4 * e.count) } };
	pica_emit_finish(&e);
	return submit(&job);
}

TEST(a_target_and_its_vertices_are_ranges_of_their_list) {
	open_held(PICA_SPAN_TILE);
	const uint64_t seq = queue_triangles(COLOR);
	await_gate();
	const uint32_t end = COLOR + 4 * PIXELS;
	ck_assert_int_eq(wait_range(0, end - 1, 1, PICA_RANGE_READ, A_WHILE_NS), -ETIME);
	ck_assert_int_eq(wait_range(0, end, 4, PICA_RANGE_READ, 0), 0);
	ck_assert_int_eq(wait_range(0, VERTICES, 4, PICA_RANGE_READ, 0), 0);
	ck_assert_int_eq(wait_range(0, VERTICES, 4, PICA_RANGE_WRITE, A_WHILE_NS), -ETIME);
	ck_assert_int_eq(pica_wait(ctx, seq, 0), -ETIME);
	sem_post(&gate);
	ck_assert_int_eq(wait_range(0, COLOR, 4 * PIXELS, PICA_RANGE_READ, PATIENCE_NS), 0);
	ck_assert_uint_eq(count_color(COLOR, RED), 28);
	close_engine();
}

/* The triangle by single register writes, which leave it in an open pass. */
static uint64_t write_triangle(struct pica_emit *e) {
	uint64_t seq = 0;
	put_triangle(green);
	emit_state(e, COLOR);
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(pica_emit_error(e), 0);
	for (size_t i = 0; i + 1 < e->count;) {
		const uint32_t header = e->words[i + 1], extra = header >> 20 & 0xFF;
		for (uint32_t k = 0; k <= extra; k++) {
			const uint32_t id = (header & 0xFFFF) + (header >> 31 ? k : 0);
			const uint32_t mask = header >> 16 & 0xF;
			const uint32_t value = e->words[k ? i + 1 + k : i];
			if (mask) {
				ck_assert_int_eq(pica_ctx_write_reg(ctx, id, value, mask, &seq), 0);
			}
		}
		i += (2 + extra + 1) & ~1u;
	}
	pica_emit_finish(e);
	return seq;
}

static uint64_t passes(void) {
	struct pica_stats s = { .size = sizeof(s) };
	ck_assert_int_eq(pica_stats(ctx, &s), 0);
	return s.passes;
}

ENGINE_TEST(an_open_pass_is_drawn_for_its_own_target) {
	const uint64_t seq = write_triangle(&e);
	const bool is_threaded = thread_counts[_i] > 0;
	ck_assert_int_eq(wait_range(seq, FAR, 4, PICA_RANGE_READ, PATIENCE_NS), 0);
	if (is_threaded) { /* it still waits */
		ck_assert_uint_eq(pica_ctx_status(ctx), PICA_STATUS_P3D);
	}
	ck_assert_int_eq(wait_range(seq, COLOR, 4, PICA_RANGE_READ, PATIENCE_NS), 0);
	const uint32_t *px = pica_ctx_host(ctx, COLOR, 4 * PIXELS);
	unsigned n = 0;
	for (unsigned i = 0; i < PIXELS; i++) {
		n += px[i] == GREEN;
	}
	ck_assert_uint_eq(n, 28);
	ck_assert_uint_eq(passes(), 1);
	ck_assert_uint_eq(pica_ctx_status(ctx), 0);
}

ENGINE_TEST(any_range_may_be_asked_for) {
	const struct {
		uint32_t phys, size;
	} ranges[] = { { 0, 0 }, { COLOR, 0 }, { 0, 4 }, { UINT32_MAX, UINT32_MAX },
		{ UINT32_MAX, 1 }, { 0, UINT32_MAX }, { COLOR, UINT32_MAX }, { 0x17FFFFFF, 1 },
		{ 0x1FFFFFFF, 2 }, { 0x10400000, 0x2000 } };
	for (unsigned i = 0; i < ARRAY_LEN(ranges); i++) {
		queue_fill(COLOR, BYTES, 1 + i);
		for (unsigned access = PICA_RANGE_READ; access <= PICA_RANGE_WRITE; access++) {
			ck_assert_int_eq(wait_range(0, ranges[i].phys, ranges[i].size, access,
							 PATIENCE_NS), 0);
		}
	}
	ck_assert_int_eq(wait_range(0, 0, UINT32_MAX, PICA_RANGE_READ, -1), 0);
	ck_assert_uint_eq(word_at(COLOR + BYTES - 4), ARRAY_LEN(ranges));
	ck_assert_int_eq(wait_range(ARRAY_LEN(ranges) + 1, COLOR, 4, PICA_RANGE_READ, -1), -EINVAL);
	ck_assert_int_eq(wait_range(UINT64_MAX, COLOR, 4, PICA_RANGE_READ, 0), -EINVAL);
	ck_assert_int_eq(wait_range(0, COLOR, 4, (enum pica_range_access)2, -1), -EINVAL);
}

/* ---- Status ---- */

TEST(status_names_the_engines_that_have_work) {
	open_held(PICA_SPAN_STRIPE);
	ck_assert_uint_eq(pica_ctx_status(ctx), 0);
	queue_copy(FAR, FAR + 0x1000000);
	await_gate();
	ck_assert_uint_eq(pica_ctx_status(ctx), PICA_STATUS_PPF);
	queue_fill(VRAM, 16, 1);
	ck_assert_uint_eq(pica_ctx_status(ctx), PICA_STATUS_PPF | PICA_STATUS_PSC0);
	/* PSC1 by its registers; a value without the start bit starts nothing */
	const uint32_t psc1[][2] = { { 0x10400020, VRAM >> 3 }, { 0x10400024, (VRAM + 16) >> 3 },
		{ 0x1040002C, 0x200 }, { 0x1040002C, 0x201 } };
	for (unsigned i = 0; i < ARRAY_LEN(psc1); i++) {
		const struct pica_job job = { .op = PICA_OP_REG_WRITE,
			.u.reg_write = { .addr = psc1[i][0], .value = psc1[i][1] } };
		ck_assert_uint_eq(pica_ctx_status(ctx), PICA_STATUS_PPF | PICA_STATUS_PSC0);
		submit(&job);
	}
	ck_assert_uint_eq(pica_ctx_status(ctx),
			PICA_STATUS_PPF | PICA_STATUS_PSC0 | PICA_STATUS_PSC1);
	const struct pica_job list = { .op = PICA_OP_LIST, .u.list = { .addr = LIST } };
	const uint64_t seq = submit(&list);
	ck_assert_uint_eq(pica_ctx_status(ctx), PICA_STATUS_PPF | PICA_STATUS_PSC0 |
			PICA_STATUS_PSC1 | PICA_STATUS_P3D);
	sem_post(&gate);
	ck_assert_int_eq(pica_wait(ctx, seq, -1), 0);
	ck_assert_uint_eq(pica_ctx_status(ctx), 0);
	uint32_t value = 1;
	ck_assert_int_eq(pica_ctx_read_external(ctx, 0x10400034, &value), 0);
	ck_assert_uint_eq(value, 0);
	close_engine();
}

/* ---- Counts and the model ---- */

static struct pica_job_counts counts_of(uint64_t seq) {
	struct pica_job_counts c = { .size = sizeof(c) };
	ck_assert_int_eq(pica_ctx_job_counts(ctx, seq, &c), 0);
	return c;
}

ENGINE_TEST(the_work_of_each_job_is_counted) {
	struct pica_job_counts c = { .size = sizeof(c) };
	const uint64_t before = queue_fill(COLOR, BYTES, 0);
	ck_assert_int_eq(pica_wait(ctx, before, -1), 0);
	ck_assert_int_eq(pica_ctx_count_jobs(ctx, 1), 0);
	ck_assert_int_eq(pica_ctx_job_counts(ctx, before, &c), -ENODATA);
	ck_assert_int_eq(pica_ctx_job_counts(ctx, before + 1, &c), -EINVAL);
	ck_assert_int_eq(pica_ctx_job_counts(ctx, 0, &c), -EINVAL);

	put_triangle(red);
	emit_state(&e, COLOR);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(pica_emit_finalize(&e), 0);
	ck_assert_int_eq(pica_ctx_write_memory(ctx, LIST, e.words, (uint32_t)(4 * e.count)), 0);
	const struct pica_job jobs[] = {
		{ .op = PICA_OP_LIST, .u.list = { .addr = LIST,
			.size_bytes = (uint32_t)(4 * e.count) } },
		{ .op = PICA_OP_FILL, .u.fill = { .start = OTHER, .end = OTHER + BYTES,
			.control = FILL_WORD } },
		{ .op = PICA_OP_COPY, .u.copy = { .src = OTHER, .dst = FAR, .size_bytes = 4096 } },
		{ .op = PICA_OP_TRANSFER, .u.transfer = { .src = COLOR, .dst = OTHER,
			.out_dim = SIDE << 16 | SIDE, .in_dim = SIDE << 16 | SIDE } },
	};
	uint64_t seq;
	ck_assert_int_eq(pica_submit(ctx, jobs, ARRAY_LEN(jobs), &seq), 0);
	ck_assert_int_eq(pica_wait(ctx, seq, -1), 0);
	const struct pica_job_counts list = counts_of(seq - 3), fill = counts_of(seq - 2),
		copy = counts_of(seq - 1), transfer = counts_of(seq);
	ck_assert_uint_eq(list.list_words, e.count);
	ck_assert_uint_eq(list.draws, 2);
	ck_assert_uint_eq(list.vertices, 6);
	ck_assert_uint_eq(list.shader_steps, 6 * 3); /* mov, mov, end */
	ck_assert_uint_eq(list.triangles, 2);
	ck_assert_uint_eq(list.pixels, 2 * 28); /* [fidelity: geometry-numbers] */
	ck_assert_uint_eq(list.filled_bytes + list.moved_bytes[1][1], 0);
	ck_assert_uint_eq(fill.filled_bytes, BYTES);
	ck_assert_uint_eq(fill.list_words + fill.pixels, 0);
	ck_assert_uint_eq(copy.moved_bytes[1][0], 4096); /* from VRAM to FCRAM */
	ck_assert_uint_eq(transfer.moved_bytes[1][1], 4 * PIXELS);
	ck_assert_uint_eq(transfer.moved_bytes[1][0], 0);
	pica_emit_finish(&e);

	for (unsigned i = 0; i < PICA_COUNTED_JOBS; i++) {
		seq = queue_fill(OTHER, 16 * (1 + i % 2), 0);
	}
	ck_assert_int_eq(pica_wait(ctx, seq, -1), 0);
	ck_assert_int_eq(pica_ctx_job_counts(ctx, seq - PICA_COUNTED_JOBS, &c), -ENODATA);
	ck_assert_uint_eq(counts_of(seq - PICA_COUNTED_JOBS + 1).filled_bytes, 16);
	ck_assert_uint_eq(counts_of(seq).filled_bytes, 32);
	c.size = 4;
	ck_assert_int_eq(pica_ctx_job_counts(ctx, seq, &c), -EINVAL);
	ck_assert_int_eq(pica_ctx_count_jobs(ctx, 0), 0);
	c.size = sizeof(c);
	ck_assert_int_eq(pica_ctx_job_counts(ctx, seq, &c), -ENODATA);
}

TEST(a_job_in_flight_has_no_counts_yet) {
	struct pica_job_counts c = { .size = sizeof(c) };
	open_held(PICA_SPAN_STRIPE);
	ck_assert_int_eq(pica_ctx_count_jobs(ctx, 1), 0);
	const uint64_t seq = queue_copy(FAR, FAR + 0x1000000);
	await_gate();
	ck_assert_int_eq(pica_ctx_job_counts(ctx, seq, &c), -EAGAIN);
	sem_post(&gate);
	ck_assert_int_eq(pica_wait(ctx, seq, -1), 0);
	ck_assert_uint_eq(counts_of(seq).moved_bytes[0][0], 8 << 20);
	close_engine();
}

/* The documented sum, by hand; and numbers that do not fit. */
TEST(cycles_are_the_documented_sum) {
	struct pica_job_counts c = { .size = sizeof(c), .list_words = 100, .vertices = 3000,
		.shader_steps = 30000, .triangles = 1000, .pixels = 20000,
		.filled_bytes = 1 << 20, .moved_bytes = { { 0, 1024 }, { 2048, 0 } } };
	/* 1000 + 100 + max(3000 + 7500, 13000, 5000) + 48 * 1024 + 84 + 2 * 48 */
	ck_assert_uint_eq(pica_job_cycles(&c, NULL), 1000 + 100 + 13000 + 49152 + 84 + 96);
	c.triangles = 0;
	ck_assert_uint_eq(pica_job_cycles(&c, NULL), 1000 + 100 + 10500 + 49152 + 84 + 96);
	struct pica_rates rates;
	pica_rates_init(&rates);
	ck_assert_uint_eq(rates.moved_byte[0][0], 582); /* 450 MiB a second */
	rates.job = 0;
	rates.pixel = 1024;
	rates.filled_byte = 0;
	ck_assert_uint_eq(pica_job_cycles(&c, &rates), 100 + 20000 + 84 + 96);
	c.pixels = c.vertices = c.shader_steps = UINT64_MAX;
	rates.pixel = rates.vertex = UINT32_MAX;
	ck_assert_uint_eq(pica_job_cycles(&c, &rates), UINT64_MAX);
	const struct pica_job_counts none = { .size = sizeof(none) };
	ck_assert_uint_eq(pica_job_cycles(&none, &rates), 0);
}

TEST(a_videocore_has_ranges_alone) {
	struct pica_ctx_settings s;
	struct pica_job_counts c = { .size = sizeof(c) };
	open_engine(1, NULL);
	pica_ctx_destroy(ctx);
	pica_ctx_settings_init(&s);
	s.chip = PICA_CHIP_VC4;
	ck_assert_int_eq(pica_ctx_create(&ctx, device, &s), 0);
	ck_assert_int_eq(wait_range(0, 0, UINT32_MAX, PICA_RANGE_WRITE, 0), 0);
	ck_assert_uint_eq(pica_ctx_status(ctx), 0);
	ck_assert_int_eq(pica_ctx_count_jobs(ctx, 1), -EOPNOTSUPP);
	ck_assert_int_eq(pica_ctx_job_counts(ctx, 1, &c), -ENODATA);
	close_engine();
}
