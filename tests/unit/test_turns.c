/* Turns on the command thread: weights, owners, ranks, costs; and abandoned work. */
#include <pthread.h>
#include <semaphore.h>

#include "core/queue/private.h"
#include "engine_rig.h"
#include "tests/suite.h"

enum { MAX_CONTEXTS = 4, JOBS = 3000, MAX_ORDER = MAX_CONTEXTS * JOBS + 8 };

/* The order in which PRESENTs complete, which is that in which they run: they have no units. */
static struct pica_ctx *contexts[MAX_CONTEXTS];
static unsigned order[MAX_ORDER], n_order;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static sem_t is_at_gate;
static unsigned numbers[MAX_CONTEXTS] = { 0, 1, 2, 3 };

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
	ck_assert_int_eq(pica_ctx_create(&contexts[i], device, &settings), 0);
}

static void begin(void) {
	open_engine(1, NULL);
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
	/* One that came late would serve who queued first before it stood. */
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
	close_engine();
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

/* A megabyte of fill costs as much as a turn of the others' jobs. */
TEST(dear_jobs_wait_for_cheap_ones) {
	struct pica_job fill = { .op = PICA_OP_FILL }, present = { .op = PICA_OP_PRESENT };
	begin();
	open_context(0, 0, 0, 0);
	open_context(1, 0, 0, 0);
	close_gate();
	fill.u.fill.start = VRAM;
	fill.u.fill.end = VRAM + 0x100000;
	fill.u.fill.control = 0x201;
	present.u.present.screens = 1;
	for (unsigned i = 0; i < 40; i++) {
		ck_assert_int_eq(pica_submit(contexts[0], &fill, 1, NULL), 0);
		ck_assert_int_eq(pica_submit(contexts[0], &present, 1, NULL), 0);
	}
	queue(1, JOBS);
	run_all(2);
	ck_assert_uint_eq(n_order, 40 + JOBS);
	/* 40 fills of 16640 and as much of the other: 2600 jobs. */
	unsigned seen = 0, at = 0;
	while (seen < 39) {
		seen += order[at++] == 0;
	}
	ck_assert_msg(at >= 2200, "%u", at);
}

static int64_t estimate_256(const struct pica_job *job) {
	return 256;
}

/*
 * The cost of a draw is not known before: it is charged when the job is complete. By hand, so that
 * it completes at once.
 */
TEST(what_was_drawn_is_charged) {
	static const struct pica_ctx_settings settings;
	static const struct queue_work work = { .estimate = estimate_256 };
	static struct dispatcher d;
	static struct queue q[2];
	static struct job_slot slots[2][8];
	uint64_t cost = 0;
	for (unsigned i = 0; i < 2; i++) {
		q[i] = (struct queue){ .dispatcher = &d, .work = &work, .settings = &settings,
			.max_units = 1, .slots = slots[i], .cap_slots = 8 };
		ck_assert_int_eq(turns_join(&q[i]), 0);
		q[i].next = d.queues;
		d.queues = &q[i];
		q[i].submitted = 1 << 20;
	}
	unsigned served[2] = { 0 };
	for (unsigned i = 0; i < 11000; i++) {
		struct queue *chosen = turns_choose(&d);
		chosen->issued++;
		served[chosen == &q[1]]++;
		if (chosen == &q[0]) { /* draws ten times its estimate */
			cost += 9 * 256;
			turns_charge(chosen, cost);
		}
	}
	ck_assert_uint_ge(served[0], 1000 - 70);
	ck_assert_uint_le(served[0], 1000 + 70);
	/* Alone it has no debts that others could wait for. */
	q[1].issued = q[1].submitted;
	turns_charge(&q[0], cost + (1 << 30));
	ck_assert_ptr_eq(turns_choose(&d), &q[0]);
	q[0].issued++;
	q[1].submitted += 1000;
	served[0] = 0;
	for (unsigned i = 0; i < 256; i++) {
		struct queue *chosen = turns_choose(&d);
		chosen->issued++;
		served[0] += chosen == &q[0];
	}
	ck_assert_uint_ge(served[0], 64);
	turns_leave(&q[0]);
	turns_leave(&q[1]);
	ck_assert_ptr_null(d.shares);
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
	struct pica_job job = { .op = PICA_OP_LIST };
	job.u.list.addr = LIST;
	job.u.list.size_bytes = (uint32_t)(4 * e.count);
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
