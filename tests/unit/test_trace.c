/* The timeline: a span for everything that is counted, and no overlapping spans on a thread. */
#include <pthread.h>

#include "engine_rig.h"
#include "tests/suite.h"

enum { MOST = 20000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct pica_span spans[MOST];
static unsigned n_spans, by_kind[PICA_SPAN_COUNT];

static void on_span(void *user, const struct pica_span *span) {
	pthread_mutex_lock(&mutex);
	ck_assert_uint_lt(n_spans, MOST);
	spans[n_spans++] = *span;
	by_kind[span->kind]++;
	pthread_mutex_unlock(&mutex);
}

static int by_time(const void *a, const void *b) {
	const struct pica_span *x = a, *y = b;
	if (x->thread != y->thread) {
		return x->thread < y->thread ? -1 : 1;
	}
	if (x->begin_ns != y->begin_ns) {
		return x->begin_ns < y->begin_ns ? -1 : 1;
	}
	return x->end_ns > y->end_ns ? -1 : x->end_ns < y->end_ns; /* what is around comes first */
}

static bool is_unit(const struct pica_span *s) {
	return s->kind >= PICA_SPAN_PASS && s->kind <= PICA_SPAN_SHOTS;
}

/* Tasks and jobs of one thread lie within each other, or apart. */
static void check_nesting(unsigned threads) {
	uint64_t ends[8];
	unsigned depth = 0;
	qsort(spans, n_spans, sizeof(spans[0]), by_time);
	for (unsigned i = 0; i < n_spans; i++) {
		const struct pica_span *s = &spans[i];
		ck_assert_uint_le(s->begin_ns, s->end_ns);
		ck_assert_uint_le(s->thread, threads);
		ck_assert_uint_eq(s->context, 1);
		ck_assert_uint_gt(s->job, 0);
		if (is_unit(s)) {
			continue;
		}
		depth = i && spans[i - 1].thread != s->thread ? 0 : depth;
		while (depth && ends[depth - 1] <= s->begin_ns) {
			depth--;
		}
		ck_assert(depth == 0 || s->end_ns <= ends[depth - 1]);
		ck_assert_uint_lt(depth, 8);
		ends[depth++] = s->end_ns;
	}
}

/* Every task lies within its unit's time. */
static void check_units(void) {
	for (unsigned i = 0; i < n_spans; i++) {
		const struct pica_span *task = &spans[i], *unit = NULL;
		if (is_unit(task) || task->kind == PICA_SPAN_JOB) {
			continue;
		}
		for (unsigned k = 0; k < n_spans && !unit; k++) {
			unit = is_unit(&spans[k]) && spans[k].unit == task->unit ? &spans[k] : NULL;
		}
		ck_assert_ptr_nonnull(unit);
		ck_assert_uint_le(unit->begin_ns, task->begin_ns);
		ck_assert_uint_ge(unit->end_ns, task->end_ns);
		ck_assert_uint_eq(unit->job, task->job);
		ck_assert_int_eq(unit->kind == PICA_SPAN_PASS, task->kind != PICA_SPAN_STRIPE);
	}
}

static void open_traced(unsigned threads) {
	struct pica_settings settings;
	n_spans = 0;
	memset(by_kind, 0, sizeof(by_kind));
	pica_settings_init(&settings);
	settings.n_threads = threads;
	settings.trace = on_span;
	settings.slice_us = 60000000; /* no worker's task is cut, however slow the machine */
	ck_assert_int_eq(pica_device_create(&device, &settings), 0);
	ck_assert_int_eq(pica_ctx_create(&ctx, device, NULL), 0);
}

TEST_LOOP(spans_equal_the_statistics, N_THREAD_COUNTS) {
	const unsigned threads = thread_counts[_i];
	struct pica_stats stats = { .size = sizeof(stats) };
	struct pica_emit e;
	open_traced(threads);
	for (unsigned k = 0; k < 3; k++) {
		struct pica_job fill = { .op = PICA_OP_FILL,
			.u.fill = { .start = COLOR, .end = COLOR + 4 * PIXELS, .control = 0x201 } };
		submit(&fill);
		for (unsigned i = 0; i < 3; i++) {
			put_vertex(i, i == 1 ? 2 * SIDE : 0, i == 2 ? 2 * SIDE : 0, red);
		}
		emit_state(&e, COLOR);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
		ck_assert_int_eq(run_list(&e).result, 0);
	}
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	close_engine();
	ck_assert_uint_eq(by_kind[PICA_SPAN_JOB], stats.jobs);
	ck_assert_uint_eq(by_kind[PICA_SPAN_PASS], stats.passes);
	/* One that the command thread has left to a worker has two. */
	ck_assert_uint_eq(by_kind[PICA_SPAN_TILE], stats.tiles + stats.yields);
	ck_assert_uint_gt(stats.tiles, 0);
	ck_assert_uint_eq(by_kind[PICA_SPAN_FILL], 3);
	ck_assert_uint_ge(by_kind[PICA_SPAN_STRIPE], 3);
	ck_assert_uint_ge(by_kind[PICA_SPAN_VERTICES], 3);
	ck_assert_uint_eq(by_kind[PICA_SPAN_TRANSFER] + by_kind[PICA_SPAN_COPY], 0);
	check_units();
	check_nesting(threads);
}

static unsigned by_command_thread(enum pica_span_kind kind) {
	unsigned n = 0;
	for (unsigned i = 0; i < n_spans; i++) {
		n += spans[i].kind == kind && spans[i].thread == 0;
	}
	return n;
}

/* With workers; those get passes with many vertices, or many steps. */
TEST_LOOP(a_little_pass_is_drawn_by_the_command_thread, 3) {
	enum { LITTLE, MANY_VERTICES, MANY_STEPS };
	/* mov o0, v0; mov o1, v1; loop i0, of which each turn is a nop; end */
	static const uint32_t loop_code[] = { 0x4C000000, 0x4C201000, 0xA4000C00, 0x84000000,
		0x88000000 };
	const unsigned n = _i == MANY_VERTICES ? 66 : 63;
	struct pica_emit e;
	open_traced(2);
	for (unsigned i = 0; i < n; i++) {
		put_vertex(i, i % 3 == 1 ? SIDE : 0, i % 3 == 2 ? SIDE : 0, red);
	}
	emit_state(&e, COLOR);
	if (_i == MANY_STEPS) {
		pica_emit_code(&e, PICA_UNIT_VS, 0, loop_code, 5);
		pica_emit_reg(&e, PICA_REG_VSH_INTUNIFORM_I0, 0x0100FF);
	}
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, n);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_gt(count_color(COLOR, (uint32_t)RED), 10);
	close_engine();
	ck_assert_uint_eq(by_kind[PICA_SPAN_VERTICES] - by_command_thread(PICA_SPAN_VERTICES),
			_i != LITTLE);
	ck_assert_uint_eq(by_command_thread(PICA_SPAN_TILE) > 0, _i == LITTLE);
}
