/* A context that waits for its own work is parked; the jobs of others continue (queue_park()). */
#include <dirent.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "engine_rig.h"
#include "core/ctx/ctx.h"
#include "pica/regs/regs.h"
#include "tests/suite.h"

enum {
	DRAWN = FCRAM + 0x100000, /* indices can lie there */
	N_CONTEXTS = 6,
	ROUNDS = 40,
	PATIENCE_S = 60
};

/* The first tile of context 1 waits here until the test ends. */
static sem_t is_at_gate, gate;
static atomic_bool was_stopped;

static void stop_first_tile(void *user, const struct pica_span *span) {
	if (span->kind == PICA_SPAN_TILE && span->context == 1 &&
			!atomic_exchange(&was_stopped, true)) {
		sem_post(&is_at_gate);
		while (sem_wait(&gate)) {
		}
	}
}

static void open_with(pica_trace_fn *trace, unsigned threads) {
	struct pica_settings s;
	pica_settings_init(&s);
	s.n_threads = threads;
	s.trace = trace;
	ck_assert_int_eq(pica_device_create(&device, &s), 0);
	ck_assert_int_eq(pica_ctx_create(&ctx, device, NULL), 0);
}

static uint64_t queue_list(struct pica_ctx *c, struct pica_emit *e) {
	ck_assert_int_eq(pica_emit_finalize(e), 0);
	ck_assert_int_eq(pica_ctx_write_memory(c, LIST, e->words, (uint32_t)(4 * e->count)), 0);
	struct pica_job job = { .op = PICA_OP_LIST,
		.u.list = { .addr = LIST, .size_bytes = (uint32_t)(4 * e->count) } };
	pica_emit_finish(e);
	uint64_t seq;
	ck_assert_int_eq(pica_submit(c, &job, 1, &seq), 0);
	return seq;
}

/* The list of the first context, and a job after it that waits for the list, unless op is LIST. */
enum what { ALL_UNITS, MEMORY, INDICES, STATS, INVALIDATE, WRITE, N_WHAT };

static uint64_t queue_waiting(enum what what) {
	static struct pica_stats stats;
	static const uint32_t words[4] = { 1, 2, 3, 4 };
	struct pica_emit e;
	put_triangle(red);
	emit_state(&e, DRAWN);
	for (unsigned i = 0; i < 22; i++) { /* more than the command thread draws itself */
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	}
	for (unsigned i = 0; what == ALL_UNITS && i < 10; i++) {
		emit_target(&e, OTHER); /* another pass; those on DRAWN wait for the first */
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
		emit_target(&e, DRAWN);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	}
	for (unsigned i = 0; what == MEMORY && i < 80; i++) {
		/* Five passes of 64 MiB of decoded texels, of which three are in flight. */
		const struct pica_texture texture = { .addr = FCRAM + 0x3000000 + 128 * i,
			.width = 1024, .height = 1024, .format = PICA_TEXTURE_FORMAT_RGBA8 };
		struct pica_tev tev;
		pica_tev_init(&tev);
		tev.rgb_source[0] = PICA_TEV_SOURCE_TEXTURE0;
		pica_emit_tev(&e, 0, &tev);
		pica_emit_texture(&e, 0, &texture);
		pica_emit_texture_units(&e, 1, 0, false);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	}
	if (what == INDICES) {
		pica_emit_draw_elements(&e, PICA_PRIMITIVE_LIST, DRAWN - VERTICES, true, 3);
	}
	uint64_t seq = queue_list(ctx, &e);
	struct pica_job job = { .op = PICA_OP_STATS };
	switch (what) {
	case STATS:
		job.u.stats.data = (uint64_t)(uintptr_t)&stats;
		job.u.stats.size_bytes = sizeof(stats);
		break;
	case INVALIDATE:
		job.op = PICA_OP_INVALIDATE;
		job.u.invalidate.addr = DRAWN;
		job.u.invalidate.size_bytes = 4096;
		break;
	case WRITE:
		job.op = PICA_OP_WRITE;
		job.u.write.addr = DRAWN;
		job.u.write.size_bytes = sizeof(words);
		job.u.write.data = (uint64_t)(uintptr_t)words;
		break;
	default:
		return seq;
	}
	ck_assert_int_eq(pica_submit(ctx, &job, 1, &seq), 0);
	return seq;
}

/* All of it on one worker, since the other one stands at the gate. */
static void expect_others_go_on(struct pica_ctx *other) {
	struct pica_ctx *waiting = ctx;
	struct pica_emit e;
	ctx = other;
	put_triangle(green);
	emit_state(&e, DRAWN);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	const uint64_t seq = queue_list(other, &e);
	ck_assert_int_eq(pica_wait(other, seq, PATIENCE_S * INT64_C(1000000000)), 0);
	ck_assert_uint_eq(count_color(DRAWN, GREEN), 28);
	ctx = waiting;
}

TEST_LOOP(a_waiting_context_does_not_block_others, N_WHAT) {
	struct pica_ctx *other;
	atomic_store(&was_stopped, false);
	ck_assert_int_eq(sem_init(&is_at_gate, 0, 0), 0);
	ck_assert_int_eq(sem_init(&gate, 0, 0), 0);
	open_with(stop_first_tile, 2);
	ck_assert_int_eq(pica_ctx_create(&other, device, NULL), 0);
	const uint64_t seq = queue_waiting((enum what)_i);
	while (sem_wait(&is_at_gate)) {
	}
	for (unsigned i = 0; i < 3; i++) {
		expect_others_go_on(other);
	}
	ck_assert_int_eq(pica_wait(ctx, seq, 0), -ETIME);
	monitor_lock(&device->dispatcher.mon);
	const uint64_t issued = ctx->queue.issued;
	monitor_unlock(&device->dispatcher.mon);
	sem_post(&gate);
	ck_assert_uint_lt(issued, seq); /* it was parked in the job */
	ck_assert_int_eq(pica_wait(ctx, seq, -1), 0);
	pica_ctx_destroy(other);
	close_engine();
}

/* ---- Many that wait for themselves, side by side ---- */

/* Draws indices, reads them, and draws with them; a jump of the list waits, too. */
static void queue_rounds(void) {
	struct pica_emit e;
	for (unsigned i = 0; i < 8; i++) {
		put_band(i, i, 0.5f, i & 1 ? green : red);
	}
	emit_state(&e, DRAWN);
	for (unsigned round = 0; round < ROUNDS; round++) {
		emit_target(&e, round % 3 ? DRAWN : OTHER);
		draw_band(&e, round % 8);
		if (round % 4 == 1) {
			pica_emit_draw_elements(
					&e, PICA_PRIMITIVE_LIST, DRAWN - VERTICES, false, 30);
		}
	}
	queue_list(ctx, &e);
	struct pica_job copy = { .op = PICA_OP_COPY,
		.u.copy = { .src = DRAWN, .dst = OTHER, .size_bytes = 4 * PIXELS } };
	struct pica_job invalidate = { .op = PICA_OP_INVALIDATE,
		.u.invalidate = { .addr = OTHER, .size_bytes = 4096 } };
	submit(&copy);
	submit(&invalidate);
}

static void take_picture(uint32_t picture[2][PIXELS]) {
	ck_assert_int_eq(pica_ctx_read_memory(ctx, DRAWN, picture[0], 4 * PIXELS), 0);
	ck_assert_int_eq(pica_ctx_read_memory(ctx, OTHER, picture[1], 4 * PIXELS), 0);
}

static unsigned count_threads(void) {
	DIR *tasks = opendir("/proc/self/task");
	unsigned n = 0;
	ck_assert_ptr_nonnull(tasks);
	for (const struct dirent *e; (e = readdir(tasks));) {
		n += e->d_name[0] != '.';
	}
	closedir(tasks);
	return n;
}

/* limited: all contexts together may use less than they keep, and each unit little more. */
static void draw_side_by_side(unsigned threads, bool is_limited) {
	static uint32_t want[2][PIXELS], got[2][PIXELS];
	struct pica_ctx_settings settings;
	pica_ctx_settings_init(&settings);
	ck_assert_int_eq(pica_memory_create(&settings.memory, NULL), 0);
	struct pica_ctx *all[N_CONTEXTS];
	open_engine(0, NULL);
	queue_rounds();
	queue_rounds();
	take_picture(want);
	close_engine();
	const unsigned n_before = count_threads();
	open_with(NULL, threads);
	all[0] = ctx;
	for (unsigned i = 1; i < N_CONTEXTS; i++) {
		ck_assert_int_eq(pica_ctx_create(&all[i], device, &settings), 0);
	}
	const uint64_t at_first = pica_memory_used(settings.memory);
	pica_memory_limit(settings.memory, is_limited ? at_first + (1 << 20) : UINT64_MAX);
	for (unsigned i = 0; i < 2 * N_CONTEXTS; i++) {
		ctx = all[i % N_CONTEXTS];
		queue_rounds();
	}
	for (unsigned i = 0; i < N_CONTEXTS; i++) {
		ctx = all[i];
		take_picture(got);
		ck_assert_mem_eq(got, want, sizeof(want));
		if (i) {
			pica_ctx_destroy(all[i]);
		}
	}
	ctx = all[0];
	/* Besides workers, one that leads and one for a parked context. Others may be ending. */
	while (count_threads() > n_before + threads + 2) {
		sched_yield();
	}
	ck_assert_uint_eq(pica_memory_used(settings.memory), 0);
	pica_memory_destroy(settings.memory);
	close_engine();
}

TEST_LOOP(waiting_contexts_draw_the_same_as_alone, N_THREAD_COUNTS) {
	draw_side_by_side(thread_counts[_i], false);
}

TEST_LOOP(contexts_waiting_for_memory_draw_the_same_as_alone, N_THREAD_COUNTS) {
	draw_side_by_side(thread_counts[_i], true);
}

/* ---- A flush ---- */

static void *wait_for(void *seq) {
	ck_assert_int_eq(pica_wait(ctx, *(uint64_t *)seq, -1), 0);
	return NULL;
}

/* Returns whether all jobs were issued and the context waits inside its flush. */
static bool is_parked_in_flush(void) {
	struct queue *q = &ctx->queue;
	monitor_lock(&q->dispatcher->mon);
	const bool is_parked = q->leader && q->issued == q->submitted;
	monitor_unlock(&q->dispatcher->mon);
	return is_parked;
}

/*
 * Register writes draw a strip of two vertices, from memory that the list before draws. They remain
 * in the assembler, and the waiting thread's flush reads them.
 */
TEST(a_waiting_flush_does_not_block_others) {
	struct pica_ctx *other;
	pthread_t thread;
	struct pica_emit e;
	atomic_store(&was_stopped, false);
	ck_assert_int_eq(sem_init(&is_at_gate, 0, 0), 0);
	ck_assert_int_eq(sem_init(&gate, 0, 0), 0);
	open_with(stop_first_tile, 2);
	ck_assert_int_eq(pica_ctx_create(&other, device, NULL), 0);
	put_triangle(red);
	emit_state(&e, DRAWN);
	for (unsigned i = 0; i < 22; i++) { /* more than the command thread draws itself */
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	}
	queue_list(ctx, &e);
	while (sem_wait(&is_at_gate)) {
	}
	uint64_t seq;
	const uint32_t draw[][2] = {
		{ REG_PRIMITIVE_CONFIG, PRIMITIVE_CONFIG_MODE_SET(PICA_PRIMITIVE_STRIP) | 1 },
		{ REG_NUMVERTICES, 2 },
		{ REG_VERTEX_OFFSET, (DRAWN - VERTICES) / 32 },
		{ REG_DRAWARRAYS, 1 },
	};
	for (unsigned i = 0; i < ARRAY_LEN(draw); i++) {
		ck_assert_int_eq(pica_ctx_write_reg(ctx, draw[i][0], draw[i][1], 0xF, &seq), 0);
	}
	ck_assert_int_eq(pthread_create(&thread, NULL, wait_for, &seq), 0);
	while (!is_parked_in_flush()) {
		sched_yield();
	}
	for (unsigned i = 0; i < 3; i++) {
		expect_others_go_on(other);
	}
	ck_assert(is_parked_in_flush());
	sem_post(&gate);
	pthread_join(thread, NULL);
	ck_assert(!is_parked_in_flush());
	pica_ctx_destroy(other);
	close_engine();
}
