/*
 * Turns on the command thread: weights, owners, users, ranks, debts; and abandoned work. The clock
 * is ours: it advances when a job of a context is done, by what the job costs.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "core/queue/private.h"
#include "engine_rig.h"
#include "tests/suite.h"

enum {
	MAX_CONTEXTS = 4,
	JOBS = 3000,
	MAX_ORDER = MAX_CONTEXTS * JOBS + 8,
	COST_NS = 15625, /* 64 of them are the time after which a turn is over */
	MS = 1000000,
};

static atomic_uint_fast64_t now_ns = UINT64_C(1) << 40;

/* Replaces clock_now_ns() and clock_thread_ns(). Each query advances it, so that waits end. */
uint64_t __wrap_clock_now_ns(void);
uint64_t __wrap_clock_thread_ns(void);

uint64_t __wrap_clock_now_ns(void) {
	return atomic_fetch_add(&now_ns, 10);
}

uint64_t __wrap_clock_thread_ns(void) {
	return atomic_load(&now_ns);
}

/* The order in which PRESENTs complete, which is that in which they run: they have no units. */
static struct pica_ctx *contexts[MAX_CONTEXTS];
static unsigned order[MAX_ORDER], n_order;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static sem_t is_at_gate;
static unsigned numbers[MAX_CONTEXTS] = { 0, 1, 2, 3 };
static uint64_t cost_ns[MAX_CONTEXTS];

static void on_interrupt(void *user, enum pica_interrupt interrupt) {
	if (interrupt == PICA_INTERRUPT_PDC0) {
		order[n_order++] = *(unsigned *)user;
	} else if (interrupt == PICA_INTERRUPT_PDC1) {
		/* The command thread stands here until everybody has queued. */
		sem_post(&is_at_gate);
		pthread_mutex_lock(&gate);
		pthread_mutex_unlock(&gate);
	}
}

static void open_context(unsigned i, uint64_t owner, int priority, int rank) {
	struct pica_ctx_settings settings;
	pica_ctx_settings_init(&settings);
	settings.interrupt = on_interrupt;
	settings.interrupt_user = &numbers[i];
	settings.owner = owner;
	settings.priority = priority;
	settings.rank = rank;
	cost_ns[i] = COST_NS;
	ck_assert_int_eq(pica_ctx_create(&contexts[i], device, &settings), 0);
}

/* A job ends on the command thread. */
static void on_span(void *user, const struct pica_span *span) {
	if (span->kind == PICA_SPAN_JOB) {
		atomic_fetch_add(&now_ns, cost_ns[span->context - 1]);
	}
}

static void begin(void) {
	struct pica_settings settings;
	pica_settings_init(&settings);
	settings.n_threads = 1;
	settings.trace = on_span;
	ck_assert_int_eq(pica_device_create(&device, &settings), 0);
	n_order = 0;
	ck_assert_int_eq(sem_init(&is_at_gate, 0, 0), 0);
}

static void queue(unsigned i, unsigned n) {
	struct pica_job job = { .op = PICA_OP_PRESENT };
	job.u.present.screens = 1;
	for (unsigned k = 0; k < n; k++) {
		ck_assert_int_eq(pica_submit(contexts[i], &job, 1, NULL), 0);
	}
}

static void close_gate(void) {
	struct pica_job job = { .op = PICA_OP_PRESENT };
	job.u.present.screens = 2;
	pthread_mutex_lock(&gate);
	ck_assert_int_eq(pica_submit(contexts[0], &job, 1, NULL), 0);
	/* Waits for it: were it late, another context would be served first. */
	while (sem_wait(&is_at_gate)) {
	}
}

static void run_all(unsigned n_contexts) {
	pthread_mutex_unlock(&gate);
	for (unsigned i = 0; i < n_contexts; i++) {
		struct pica_stats stats = { .size = sizeof(stats) };
		ck_assert_int_eq(pica_stats(contexts[i], &stats), 0); /* waits */
	}
	for (unsigned i = 0; i < n_contexts; i++) {
		pica_ctx_destroy(contexts[i]);
	}
	pica_device_destroy(device);
	sem_destroy(&is_at_gate);
}

/* How often it came among the first n. */
static unsigned count(unsigned i, unsigned n) {
	unsigned found = 0;
	for (unsigned k = 0; k < n; k++) {
		found += order[k] == i;
	}
	return found;
}

TEST(equals_take_equal_turns) {
	begin();
	for (unsigned i = 0; i < 3; i++) {
		open_context(i, 0, 0, 0);
	}
	close_gate();
	for (unsigned i = 0; i < 3; i++) {
		queue(i, JOBS);
	}
	run_all(3);
	ck_assert_uint_eq(n_order, 3 * JOBS);
	/* A turn is 64 of these jobs. */
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_uint_ge(count(i, 1920), 640 - 64);
		ck_assert_uint_le(count(i, 1920), 640 + 64);
	}
}

TEST(ten_priorities_are_ten_times_the_work) {
	begin();
	open_context(0, 0, -5, 0);
	open_context(1, 0, 5, 0);
	close_gate();
	queue(0, JOBS);
	queue(1, JOBS);
	run_all(2);
	ck_assert_uint_eq(n_order, 2 * JOBS);
	unsigned low = count(0, 2200);
	ck_assert_msg(low >= 160 && low <= 240, "%u", low); /* 200 of 2000 and 200 */
}

TEST(an_owner_of_many_contexts_is_one) {
	begin();
	open_context(0, 7, 0, 0);
	open_context(1, 7, 10, 0); /* the first one's priority counts */
	open_context(2, 7, 0, 0);
	open_context(3, 8, 0, 0);
	close_gate();
	for (unsigned i = 0; i < 4; i++) {
		queue(i, JOBS);
	}
	run_all(4);
	ck_assert_uint_ge(count(3, 3000), 1500 - 64);
	ck_assert_uint_le(count(3, 3000), 1500 + 64);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_uint_ge(count(i, 3000), 500 - 64);
		ck_assert_uint_le(count(i, 3000), 500 + 64);
	}
}

TEST(rank_comes_first_within_an_owner_only) {
	begin();
	open_context(0, 7, 0, -1);
	open_context(1, 7, 0, 1);
	open_context(2, 8, 0, 0);
	close_gate();
	for (unsigned i = 0; i < 3; i++) {
		queue(i, 1000);
	}
	run_all(3);
	ck_assert_uint_le(count(0, 1900), 1); /* after all of rank 1 */
	ck_assert_uint_ge(count(2, 1900), 900);
}

TEST(dear_jobs_wait_for_cheap_ones) {
	begin();
	open_context(0, 0, 0, 0);
	open_context(1, 0, 0, 0);
	cost_ns[0] = 64 * COST_NS;
	close_gate();
	queue(0, 40);
	queue(1, JOBS);
	run_all(2);
	ck_assert_uint_eq(n_order, 40 + JOBS);
	unsigned seen = 0, at = 0;
	while (seen < 39) {
		seen += order[at++] == 0;
	}
	ck_assert_msg(at >= 2200, "%u", at); /* 39 as dear as 64 others each */
}

/* ---- By hand: time is added where workers would ---- */

enum { MOST = 10 };

static struct dispatcher by_hand;
static struct queue queues[MOST];
static struct pica_ctx_settings whose[MOST];
static unsigned served[MOST];

static void join(unsigned i, uint64_t owner, uint64_t user) {
	whose[i] = (struct pica_ctx_settings){ .owner = owner, .user = user };
	queues[i] = (struct queue){ .dispatcher = &by_hand, .settings = &whose[i],
		.max_units = 1, .submitted = 1 << 20 };
	ck_assert_int_eq(turns_join(&queues[i]), 0);
	queues[i].next = by_hand.queues;
	by_hand.queues = &queues[i];
}

static void leave(unsigned i) {
	struct queue **link = &by_hand.queues;
	while (*link != &queues[i]) {
		link = &(*link)->next;
	}
	*link = queues[i].next;
	turns_leave(&queues[i]);
}

/* n turns; all that a queue starts takes ns. */
static void serve(unsigned n, const uint64_t ns[MOST]) {
	memset(served, 0, sizeof(served));
	for (unsigned i = 0; i < n; i++) {
		struct queue *q = turns_choose(&by_hand);
		q->issued++;
		served[q - queues]++;
		tally_add(queue_tally(q), ns[q - queues]);
	}
}

static void finish_by_hand(void) {
	while (by_hand.queues) {
		leave((unsigned)(by_hand.queues - queues));
	}
	turns_finish(&by_hand);
	ck_assert_ptr_null(by_hand.shares);
	by_hand = (struct dispatcher){ 0 };
}

TEST(the_time_of_workers_counts) {
	static const uint64_t ns[MOST] = { 10 * MS, MS };
	join(0, 0, 0);
	join(1, 0, 0);
	serve(11000, ns);
	ck_assert_uint_ge(served[0], 1000 - 2);
	ck_assert_uint_le(served[0], 1000 + 2);
	finish_by_hand();
}

TEST(alone_one_has_no_debts) {
	static const uint64_t ns[MOST] = { MS, MS };
	join(0, 0, 0);
	join(1, 0, 0);
	queues[1].issued = queues[1].submitted;
	serve(5000, ns);
	ck_assert_uint_eq(served[0], 5000);
	queues[1].submitted += 1000;
	serve(100, ns);
	ck_assert_uint_ge(served[0], 49);
	finish_by_hand();
}

TEST(a_user_of_many_sessions_is_one) {
	static const uint64_t ns[MOST] = { MS, MS, MS, MS, MS, MS, MS, MS, MS };
	for (unsigned i = 0; i < 8; i++) {
		join(i, i + 1, 5);
	}
	join(8, 9, 6);
	serve(1600, ns);
	ck_assert_uint_ge(served[8], 800 - 2);
	ck_assert_uint_le(served[8], 800 + 2);
	for (unsigned i = 0; i < 8; i++) {
		ck_assert_uint_ge(served[i], 100 - 2);
	}
	finish_by_hand();
}

/* Sessions that end and come back, with the same owner or another one. */
TEST(debts_stay_with_the_user) {
	static const uint64_t ns[MOST] = { MS, MS };
	join(0, 1, 5);
	join(1, 2, 6);
	serve(2, ns);
	tally_add(queue_tally(&queues[0]), 500 * MS);
	for (unsigned i = 0; i < 4; i++) {
		leave(0);
		serve(100, ns);
		ck_assert_uint_eq(served[1], 100);
		join(0, 3 + i, 5);
		serve(10, ns);
		ck_assert_uint_eq(served[1], 10);
	}
	serve(200, ns);
	ck_assert_uint_ge(served[1], 120); /* 440 were had: 60 more, and half of the rest */
	ck_assert_uint_le(served[1], 140);
	/* It is paid, and earns nothing meanwhile. */
	leave(0);
	serve(1000, ns);
	join(0, 8, 5);
	serve(100, ns);
	ck_assert_uint_ge(served[0], 49);
	ck_assert_uint_le(served[0], 51);
	finish_by_hand();
}

SYNC_ENGINE_TEST(settings_are_checked) {
	struct pica_ctx_settings settings;
	struct pica_ctx *none;
	for (int priority = -11; priority <= 11; priority += 22) {
		pica_ctx_settings_init(&settings);
		settings.priority = priority;
		ck_assert_int_eq(pica_ctx_create(&none, device, &settings), -EINVAL);
	}
}

/* ---- Abandoned work ---- */

/* Hours of work end at once, on all threads. */
TEST_LOOP(abandoned_work_ends, N_THREAD_COUNTS) {
	struct pica_emit e;
	open_engine(thread_counts[_i], NULL);
	for (unsigned i = 0; i < 3; i++) {
		put_vertex(i, i == 1 ? 2 * SIDE : 0, i == 2 ? 2 * SIDE : 0, red);
	}
	emit_state(&e, COLOR);
	for (unsigned i = 0; i < 500; i++) {
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	}
	ck_assert_int_eq(pica_emit_finalize(&e), 0);
	ck_assert_int_eq(pica_ctx_write_memory(ctx, LIST, e.words, (uint32_t)(4 * e.count)), 0);
	struct pica_job job = { .op = PICA_OP_LIST,
		.u.list = { .addr = LIST, .size_bytes = (uint32_t)(4 * e.count) } };
	pica_emit_finish(&e);
	if (thread_counts[_i] == 0) {
		pica_ctx_abandon(ctx); /* else everything were done when pica_submit() returns */
	}
	for (unsigned i = 0; i < 20000; i++) {
		ck_assert_int_eq(pica_submit(ctx, &job, 1, NULL), 0);
	}
	pica_ctx_abandon(ctx);
	struct pica_done done[64];
	unsigned seen = 0, canceled = 0;
	while (seen < 20000) {
		int n = pica_reap(ctx, done, 64);
		for (int i = 0; i < n; i++) {
			canceled += done[i].result == -ECANCELED;
		}
		seen += (unsigned)n;
	}
	ck_assert_uint_gt(canceled, 10000);
	close_engine();
}
