/* PICA_CTX_AT_ONCE: short jobs are done in pica_submit() while the command thread sleeps. */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include "engine_rig.h"
#include "core/ctx/ctx.h"
#include "tests/suite.h"

enum { MAX_JOBS = 150, ROUNDS = 1500 };

static struct pica_ctx *own; /* with the flag */
static pthread_t interrupted; /* who was called back last */
static sem_t is_at_gate, gate;

static void on_interrupt(void *user, enum pica_interrupt interrupt) {
	interrupted = pthread_self();
	if (interrupt == PICA_INTERRUPT_PDC1) {
		/* The command thread stands here. */
		sem_post(&is_at_gate);
		sem_wait(&gate);
	}
}

static void create(struct pica_ctx **out) {
	struct pica_ctx_settings settings;
	pica_ctx_settings_init(&settings);
	settings.flags = PICA_CTX_AT_ONCE;
	settings.interrupt = on_interrupt;
	ck_assert_int_eq(pica_ctx_create(out, device, &settings), 0);
}

static void begin(unsigned n_threads) {
	open_engine(n_threads, NULL);
	create(&own);
	ck_assert_int_eq(sem_init(&is_at_gate, 0, 0), 0);
	ck_assert_int_eq(sem_init(&gate, 0, 0), 0);
}

static void end(void) {
	pica_ctx_destroy(own);
	close_engine();
}

static void wait_for_rest(void) {
	bool is_resting = device->dispatcher.is_threaded;
	for (bool is_over = !is_resting; !is_over; sched_yield()) {
		monitor_lock(&device->dispatcher.mon);
		is_over = device->dispatcher.is_resting;
		monitor_unlock(&device->dispatcher.mon);
	}
}

static struct pica_job fill(uint32_t start, uint32_t size_bytes, uint32_t value) {
	struct pica_job job = { .op = PICA_OP_FILL, .user_data = value,
		.u.fill = { .start = start, .end = start + size_bytes, .value = value,
			.control = 0x200 } };
	return job;
}

TEST_LOOP(short_jobs_are_done_after_the_submission, N_THREAD_COUNTS) {
	struct pica_done done[4];
	uint32_t word;
	unsigned n_at_once = 0, n_called = 0;
	begin(thread_counts[_i]);
	struct pollfd p = { .fd = pica_done_fd(own), .events = POLLIN };
	for (unsigned round = 1; round <= 100; round++) {
		const struct pica_job jobs[3] = { { .op = PICA_OP_BARRIER, .user_data = 7 },
			fill(FCRAM, 256, round), { .op = PICA_OP_BARRIER, .user_data = 9 } };
		wait_for_rest();
		ck_assert_int_eq(pica_submit(own, jobs, 3, NULL), 0);
		const bool was_told = poll(&p, 1, 0) == 1;
		int n = pica_reap(own, done, 4);
		n_at_once += n == 3 && !was_told;
		while (n < 3) { /* this thread was interrupted, and left the rest of it */
			ck_assert_int_eq(poll(&p, 1, 60000), 1);
			n += pica_reap(own, done + n, 4 - (size_t)n);
		}
		ck_assert_int_eq(n, 3);
		ck_assert_uint_eq(done[0].user_data, 7);
		ck_assert_uint_eq(done[1].user_data, round);
		ck_assert_uint_eq(done[2].user_data, 9);
		ck_assert_int_eq(poll(&p, 1, 0), 0);
		n_called += pthread_equal(interrupted, pthread_self()) != 0;
		memcpy(&word, pica_ctx_host(own, FCRAM + 252, 4), 4);
		ck_assert_uint_eq(word, round);
	}
	/* At least once, even on a slow or busy machine. */
	ck_assert_uint_gt(n_at_once, 0);
	ck_assert_uint_gt(n_called, 0); /* back, by the fills */
	/* It is paid for. */
	struct pica_usage usage = { .size = sizeof(usage) };
	ck_assert_int_eq(pica_usage(own, &usage), 0);
	ck_assert_uint_eq(usage.jobs, 300);
	ck_assert_uint_gt(usage.cpu_ns, 0);
	end();
}

/* A context without the flag is woken. */
TEST(other_contexts_are_woken) {
	const struct pica_job job = { .op = PICA_OP_BARRIER };
	struct pollfd p = { .events = POLLIN };
	begin(2);
	p.fd = pica_done_fd(ctx);
	wait_for_rest();
	ck_assert_int_eq(pica_submit(ctx, &job, 1, NULL), 0);
	ck_assert_int_eq(poll(&p, 1, 60000), 1);
	end();
}

TEST(long_jobs_are_left_to_the_command_thread) {
	const struct pica_job jobs[2] = { { .op = PICA_OP_BARRIER, .user_data = 1 },
		{ .op = PICA_OP_LIST, .user_data = 2 } };
	struct pica_done done[2];
	begin(2);
	struct pollfd p = { .fd = pica_done_fd(own), .events = POLLIN };
	for (unsigned round = 0; round < 100; round++) {
		wait_for_rest();
		ck_assert_int_eq(pica_submit(own, jobs, 2, NULL), 0);
		int n = pica_reap(own, done, 2);
		ck_assert_int_ge(n, 1);
		while (n < 2) {
			ck_assert_int_eq(poll(&p, 1, 60000), 1);
			n += pica_reap(own, done + n, 2 - (size_t)n);
		}
		ck_assert_uint_eq(done[0].user_data, 1);
		ck_assert_uint_eq(done[1].user_data, 2);
	}
	/* Workers do a large fill that has begun: at least once, even on a busy machine. */
	const struct pica_job large = fill(FCRAM, 0x4000000, 5);
	bool was_left = false;
	for (unsigned round = 0; round < 50 && !was_left; round++) {
		wait_for_rest();
		ck_assert_int_eq(pica_submit(own, &large, 1, NULL), 0);
		int n = pica_reap(own, done, 2);
		was_left = n == 0;
		if (was_left) {
			ck_assert_int_eq(poll(&p, 1, 60000), 1);
			n = pica_reap(own, done, 2);
		}
		ck_assert_int_eq(n, 1);
		ck_assert_uint_eq(done[0].user_data, 5);
	}
	ck_assert(was_left);
	end();
}

TEST(a_command_thread_at_work_is_not_overtaken) {
	struct pica_job job = { .op = PICA_OP_PRESENT };
	struct pica_ctx *busy;
	struct pica_done done;
	begin(1);
	create(&busy);
	job.u.present.screens = 2;
	ck_assert_int_eq(pica_submit(busy, &job, 1, NULL), 0);
	sem_wait(&is_at_gate);
	ck_assert(!pthread_equal(interrupted, pthread_self()));
	job = fill(FCRAM, 16, 1);
	ck_assert_int_eq(pica_submit(own, &job, 1, NULL), 0);
	ck_assert_int_eq(pica_reap(own, &done, 1), 0);
	sem_post(&gate);
	struct pollfd p = { .fd = pica_done_fd(own), .events = POLLIN };
	ck_assert_int_eq(poll(&p, 1, 60000), 1);
	ck_assert_int_eq(pica_reap(own, &done, 1), 1);
	pica_ctx_destroy(busy);
	end();
}

/* ---- Parallel threads, each with a context and work of all kinds ---- */

static struct pica_job any_job(unsigned *seed, unsigned i) {
	const uint32_t r = (uint32_t)rand_r(seed);
	if (r % 3 == 0) {
		return fill(FCRAM, r % 2 ? 256 : 65536, i);
	}
	struct pica_job job = { .op = r % 7 ? PICA_OP_BARRIER : PICA_OP_INVALIDATE };
	if (job.op == PICA_OP_INVALIDATE) {
		job.u.invalidate.addr = FCRAM;
		job.u.invalidate.size_bytes = 4096;
	}
	job.user_data = i;
	return job;
}

/* Reaps after each submission, and waits only for the descriptor. */
static void *submit_and_wait(void *arg) {
	struct pica_ctx *c = arg;
	struct pollfd p = { .fd = pica_done_fd(c), .events = POLLIN };
	unsigned seed = 1, submitted = 0, reaped = 0;
	const char *failure = NULL;
	for (unsigned round = 0; round < ROUNDS && !failure; round++) {
		struct pica_job jobs[MAX_JOBS];
		struct pica_done done[MAX_JOBS];
		const unsigned n = 1 + (unsigned)rand_r(&seed) % (round % 7 ? 4 : MAX_JOBS);
		for (unsigned i = 0; i < n; i++) {
			jobs[i] = any_job(&seed, submitted++);
		}
		failure = pica_submit(c, jobs, n, NULL) < 0 ? "a submission failed" : failure;
		for (int got = pica_reap(c, done, MAX_JOBS); !failure;
				got = pica_reap(c, done, MAX_JOBS)) {
			for (int i = 0; i < got; i++) {
				failure = done[i].user_data != reaped++ ? "out of order" : failure;
			}
			if (reaped == submitted) {
				break;
			}
			failure = poll(&p, 1, 60000) != 1 ? "never told" : failure;
		}
	}
	return (void *)(uintptr_t)failure;
}

TEST_LOOP(threads_run_their_own_short_jobs_concurrently, N_THREAD_COUNTS) {
	struct pica_ctx *other;
	pthread_t thread;
	void *failure;
	begin(thread_counts[_i]);
	create(&other);
	ck_assert_int_eq(pthread_create(&thread, NULL, submit_and_wait, other), 0);
	const char *ours = submit_and_wait(own);
	ck_assert_int_eq(pthread_join(thread, &failure), 0);
	ck_assert_ptr_null(ours);
	ck_assert_ptr_null(failure);
	pica_ctx_destroy(other);
	end();
}
