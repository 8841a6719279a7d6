/* libpica-client against the service inside of this process. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "pica_regs.h"
#include "pica_client.h"
#include "triangle.h"
#include "tests/suite.h"

enum { MAX_SERVICES = 2, MAX_THREADS = 100 };

/* For a service that hangs; machines may be slow. */
#define PATIENCE_NS INT64_C(60000000000)

static const char *services[MAX_SERVICES] = { "builtin:", "builtin:2" };
static int n_services = MAX_SERVICES;

static struct pica_client *client;
static struct pica_client_ctx *ctx;
static struct pica_client_memory *vram, *fcram;

static void open_client(int i) {
	char message[PICA_TEXT_BYTES];
	ck_assert_int_eq(pica_client_connect(&client, services[i], NULL, message), 0);
	ck_assert_int_eq(pica_client_ctx_create(&ctx, client, NULL), 0);
	ck_assert_int_eq(pica_client_map(&vram, ctx, VRAM, VRAM_BYTES, 0), 0);
	ck_assert_int_eq(pica_client_map(&fcram, ctx, FCRAM, FCRAM_BYTES, 0), 0);
}

static struct pica_done run_one(void) {
	struct pica_done done;
	ck_assert_int_eq(pica_client_submit(client), 1);
	ck_assert_int_eq(pica_client_wait(client, &done, 1, -1), 1);
	return done;
}

static struct pica_job *put(struct pica_client_ctx *c, uint16_t op, uint64_t user_data) {
	struct pica_job *job = pica_client_slot(c);
	ck_assert_ptr_nonnull(job);
	job->op = op;
	job->user_data = user_data;
	return job;
}

/* Waits for a value on the timeline of a context. */
static struct pica_job *put_wait(struct pica_client_ctx *c, uint64_t user_data,
		struct pica_client_ctx *on, uint64_t value) {
	struct pica_job *job = put(c, PICA_OP_WAIT, user_data);
	job->u.wait.context = pica_client_ctx_handle(on);
	job->u.wait.value = value;
	return job;
}

/* Writes 16 bytes to the first of VRAM. */
static void put_write(uint64_t data) {
	struct pica_job *job = put(ctx, PICA_OP_WRITE, 0);
	job->u.write.addr = VRAM;
	job->u.write.size_bytes = 16;
	job->u.write.data = data;
}

static uint32_t make_list(void) {
	return triangle_list(pica_client_host(fcram), 1);
}

static void put_list(uint32_t size_bytes) {
	struct pica_job *job = put(ctx, PICA_OP_LIST, 42);
	job->u.list.addr = LIST;
	job->u.list.size_bytes = size_bytes;
}

static unsigned count_red(void) {
	return triangle_count(pica_client_host(vram));
}

TEST_LOOP(triangle_through_the_service, n_services) {
	open_client(_i);
	put_list(make_list());
	struct pica_done done = run_one();
	ck_assert_uint_eq(done.user_data, 42);
	ck_assert_int_eq(done.result, 0);
	ck_assert_uint_eq(count_red(), 28);
	/* And looked at by requests. */
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_client_stats(ctx, &stats), 0);
	ck_assert_uint_eq(stats.fragments, 28);
	static uint8_t rgba[SIDE * SIDE * 4];
	unsigned red = 0;
	ck_assert_int_eq(pica_client_read_surface(ctx, VRAM, 0, SIDE, SIDE, rgba, SIDE * 4), 0);
	for (unsigned i = 0; i < SIDE * SIDE; i++) {
		red += rgba[4 * i] == 255 && rgba[4 * i + 1] == 0 && rgba[4 * i + 3] == 255;
	}
	ck_assert_uint_eq(red, 28);
	uint32_t regs[2];
	ck_assert_int_eq(pica_client_read_regs(ctx, PICA_REG_COLORBUFFER_LOC, 1, regs), 0);
	ck_assert_uint_eq(regs[0], VRAM >> 3);
	ck_assert_int_eq(pica_client_read_regs(ctx, 0x2FF, 2, regs), -EINVAL);
	ck_assert_uint_eq(pica_client_completed(ctx), 2); /* the list and the statistics */
	pica_client_close(client);
}

TEST_LOOP(state_survives_a_round_trip, n_services) {
	struct pica_state *state = malloc(sizeof(*state));
	ck_assert_ptr_nonnull(state);
	open_client(_i);
	uint32_t size_bytes = make_list();
	put_list(size_bytes);
	ck_assert_int_eq(run_one().result, 0);
	ck_assert_int_eq(pica_client_save_state(ctx, state), 0);
	ck_assert_uint_eq(state->vs.code[0], 0x4C000000);
	state->regs[PICA_REG_COLORBUFFER_LOC] = (VRAM + 0x100000) >> 3;
	ck_assert_int_eq(pica_client_load_state(ctx, state), 0);
	uint32_t loc;
	ck_assert_int_eq(pica_client_read_regs(ctx, PICA_REG_COLORBUFFER_LOC, 1, &loc), 0);
	ck_assert_uint_eq(loc, (VRAM + 0x100000) >> 3);
	pica_client_close(client);
	free(state);
}

TEST_LOOP(screens_are_read, n_services) {
	static uint8_t rgb[800 * 240 * 3];
	struct pica_screen screen;
	open_client(_i);
	ck_assert_int_eq(pica_client_screen(ctx, PICA_SCREEN_TOP, &screen), 0);
	ck_assert_int_eq(screen.is_set, 0);
	/* A solid fill of the top LCD: blue. [fidelity: displays] */
	struct pica_job *job = put(ctx, PICA_OP_REG_WRITE, 0);
	job->u.reg_write.addr = 0x10202204;
	job->u.reg_write.value = 0x01FF0000;
	ck_assert_int_eq(run_one().result, 0);
	ck_assert_int_eq(pica_client_screen(ctx, PICA_SCREEN_TOP, &screen), 0);
	ck_assert_int_eq(screen.is_solid, 1);
	size_t stride = 3 * (size_t)screen.width;
	ck_assert_int_eq(pica_client_read_screen(ctx, PICA_SCREEN_TOP, PICA_EYE_LEFT, rgb, stride),
			0);
	ck_assert_uint_eq(rgb[0], 0);
	ck_assert_uint_eq(rgb[1], 0);
	ck_assert_uint_eq(rgb[2], 255);
	ck_assert_int_eq(pica_client_read_screen(ctx, PICA_SCREEN_TOP, PICA_EYE_LEFT, rgb, 100),
			-EINVAL);
	pica_client_close(client);
}

TEST_LOOP(thousands_of_jobs_in_order, n_services) {
	enum { JOBS = 5000 };
	struct pica_done done[64];
	uint64_t sent = 0, seen = 0;
	open_client(_i);
	while (seen < JOBS) {
		struct pica_job *job;
		while (sent < JOBS && (job = pica_client_slot(ctx))) {
			job->op = sent % 3 ? PICA_OP_BARRIER : PICA_OP_SIGNAL;
			job->user_data = sent;
			if (job->op == PICA_OP_SIGNAL) {
				job->u.signal.value = sent;
			}
			sent++;
		}
		ck_assert_int_ge(pica_client_submit(client), 0);
		int n = pica_client_wait(client, done, 64, PATIENCE_NS);
		ck_assert_int_gt(n, 0);
		for (int i = 0; i < n; i++) {
			ck_assert_uint_eq(done[i].user_data, seen);
			ck_assert_int_eq(done[i].result, 0);
			seen++;
		}
	}
	ck_assert_uint_eq(pica_client_in_flight(client), 0);
	ck_assert_uint_eq(pica_client_timeline(ctx), 4998);
	ck_assert_uint_eq(pica_client_completed(ctx), JOBS);
	ck_assert_int_eq(pica_client_wait(client, done, 1, 0), -ENOENT);
	pica_client_close(client);
}

TEST_LOOP(contexts_wait_for_each_other, n_services) {
	struct pica_client_ctx *other;
	struct pica_done done[4];
	open_client(_i);
	ck_assert_int_eq(pica_client_ctx_create(&other, client, NULL), 0);
	/* ctx waits for 7 on other's timeline; what follows in ctx waits too. */
	put_wait(ctx, 1, other, 7);
	put(ctx, PICA_OP_BARRIER, 2);
	ck_assert_int_eq(pica_client_submit(client), 2);
	ck_assert_int_eq(pica_client_wait(client, done, 4, 30000000), -ETIME);
	for (uint64_t value = 6; value <= 7; value++) {
		struct pica_job *job = put(other, PICA_OP_SIGNAL, 100 + value);
		job->u.signal.value = value;
	}
	ck_assert_int_eq(pica_client_submit(client), 2);
	uint64_t order[4];
	for (unsigned n = 0; n < 4;) {
		int got = pica_client_wait(client, done, 4, PATIENCE_NS);
		ck_assert_int_gt(got, 0);
		for (int i = 0; i < got; i++) {
			ck_assert_int_eq(done[i].result, 0);
			order[n++] = done[i].user_data;
		}
	}
	ck_assert_uint_eq(order[0], 106);
	ck_assert(order[1] == 107 || order[1] == 1);
	ck_assert_uint_eq(pica_client_timeline(other), 7);
	/* A wait that times out; then one whose owner is destroyed. */
	put_wait(ctx, 0, other, 8)->u.wait.timeout_ns = 20000000;
	ck_assert_int_eq(run_one().result, -ETIME);
	put_wait(ctx, 0, other, 8);
	ck_assert_int_eq(pica_client_submit(client), 1);
	ck_assert_int_eq(pica_client_ctx_destroy(other), 0);
	ck_assert_int_eq(pica_client_wait(client, done, 1, PATIENCE_NS), 1);
	ck_assert_int_eq(done[0].result, -ECANCELED);
	pica_client_close(client);
}

TEST_LOOP(queued_jobs_can_be_cancelled, n_services) {
	struct pica_client_ctx *other;
	struct pica_done done[8];
	int results[10] = { 99, 99, 99, 99 };
	open_client(_i);
	ck_assert_int_eq(pica_client_ctx_create(&other, client, NULL), 0);
	/* A wait holds the queue; two of the three jobs after it are cancelled before it ends. */
	static const uint64_t data[] = { 1, 5, 3, 5 };
	for (unsigned i = 0; i < 4; i++) {
		struct pica_job *job = put(ctx, i ? PICA_OP_BARRIER : PICA_OP_WAIT, data[i]);
		if (!i) {
			job->u.wait.context = pica_client_ctx_handle(other);
			job->u.wait.value = 1;
		}
	}
	struct pica_job *job = put(ctx, PICA_OP_CANCEL, 9);
	job->u.cancel.user_data = 5;
	job = put(other, PICA_OP_SIGNAL, 8);
	job->u.signal.value = 1;
	ck_assert_int_eq(pica_client_submit(client), 6);
	unsigned n = 0, cancelled = 0;
	while (n < 6) {
		int got = pica_client_wait(client, done, 8, PATIENCE_NS);
		ck_assert_int_gt(got, 0);
		for (int i = 0; i < got; i++, n++) {
			if (done[i].user_data == 5) {
				ck_assert_int_eq(done[i].result, -ECANCELED);
				cancelled++;
			} else {
				ck_assert_uint_lt(done[i].user_data, 10);
				results[done[i].user_data] = done[i].result;
			}
		}
	}
	ck_assert_uint_eq(cancelled, 2);
	ck_assert_int_eq(results[9], 2);
	ck_assert_int_eq(results[1], 0);
	ck_assert_int_eq(results[3], 0);
	ck_assert_int_eq(results[8], 0);
	ck_assert_uint_eq(pica_client_completed(ctx), 5);
	ck_assert_uint_eq(pica_client_completed(other), 1);
	pica_client_close(client);
}

TEST_LOOP(bad_jobs_are_answered, n_services) {
	open_client(_i);
	put(ctx, 77, 0);
	ck_assert_int_eq(run_one().result, -EINVAL);
	ck_assert_uint_eq(pica_client_completed(ctx), 1);
	put(ctx, PICA_OP_BARRIER, 0)->u.args[47] = 1;
	ck_assert_int_eq(run_one().result, -EINVAL);
	ck_assert_uint_eq(pica_client_completed(ctx), 2);
	put(ctx, PICA_OP_BARRIER, 0)->handle = 12345;
	ck_assert_int_eq(run_one().result, -ENOENT);
	ck_assert_uint_eq(pica_client_completed(ctx), 2);
	/* Data outside of a region, and of none. */
	put_write(pica_client_data(fcram, FCRAM_BYTES - 15));
	ck_assert_int_eq(run_one().result, -ERANGE);
	put_write(0x7FFFFFFF00000000);
	ck_assert_int_eq(run_one().result, -ENOENT);
	put_write(pica_client_data(fcram, FCRAM_BYTES - 16));
	memset((uint8_t *)pica_client_host(fcram) + FCRAM_BYTES - 16, 0xA5, 16);
	ck_assert_int_eq(run_one().result, 0);
	ck_assert_uint_eq(((uint8_t *)pica_client_host(vram))[15], 0xA5);
	pica_client_close(client);
}

TEST_LOOP(quotas_are_named, n_services) {
	struct pica_client_memory *memory[65];
	unsigned n = 0;
	int ret;
	open_client(_i);
	while (n < 65 && (ret = pica_client_alloc(&memory[n], client, 4096)) == 0) {
		n++;
	}
	ck_assert_int_eq(ret, -EDQUOT);
	ck_assert_uint_eq(n, pica_client_welcome(client)->limits.regions - 2);
	ck_assert_str_eq(pica_client_error(client), "quota of regions used up");
	ck_assert_int_eq(pica_client_free(memory[0]), 0);
	ck_assert_int_eq(pica_client_alloc(&memory[0], client, 4096), 0);
	ck_assert_int_eq(pica_client_free(memory[0]), 0);
	ck_assert_int_eq(pica_client_alloc(&memory[0], client, 0xF0000000), -EDQUOT);
	ck_assert_int_eq(pica_client_alloc(&memory[0], client, 100), -EINVAL);
	/* Overlapping windows. */
	ck_assert_int_eq(pica_client_map(&memory[0], ctx, VRAM + 0x1000, 0x1000, 0), -EEXIST);
	pica_client_close(client);
}

TEST_LOOP(one_can_poll_for_completions, n_services) {
	open_client(_i);
	struct pica_done done;
	ck_assert_int_eq(pica_client_peek(client, &done, 1), 0);
	put_list(make_list());
	ck_assert_int_eq(pica_client_submit(client), 1);
	/* After each empty peek, the descriptor becomes readable when there is a completion. */
	struct pollfd p = { .fd = pica_client_fd(client), .events = POLLIN };
	for (unsigned i = 0; i < 200; i++) {
		int got;
		while ((got = pica_client_peek(client, &done, 1)) == 0) {
			ck_assert_int_eq(poll(&p, 1, 60000), 1);
		}
		ck_assert_int_eq(got, 1);
		ck_assert_uint_eq(done.user_data, i ? i : 42);
		ck_assert_int_eq(pica_client_peek(client, &done, 1), 0);
		put(ctx, PICA_OP_BARRIER, i + 1);
		ck_assert_int_eq(pica_client_submit(client), 1);
	}
	/* A wait that sleeps is counted, and costs little. */
	struct pica_client_counters counters = { .size = sizeof(counters) };
	ck_assert_int_eq(pica_client_counters(client, &counters), 0);
	ck_assert_uint_eq(counters.submitted, 201);
	ck_assert_uint_eq(counters.completed, 200);
	ck_assert_uint_le(counters.bells, counters.submits);
	ck_assert_int_eq(pica_client_wait(client, &done, 1, PATIENCE_NS), 1);
	counters.size--;
	ck_assert_int_eq(pica_client_counters(client, &counters), -EINVAL);
	pica_client_close(client);
}

/* How often each thread of this process has gone to sleep. */
struct sleeps {
	unsigned threads;
	long thread[MAX_THREADS];
	unsigned long times[MAX_THREADS];
};

static void read_sleeps(struct sleeps *s) {
	DIR *tasks = opendir("/proc/self/task");
	ck_assert_ptr_nonnull(tasks);
	s->threads = 0;
	for (const struct dirent *e; (e = readdir(tasks));) {
		char path[300], line[128];
		if (e->d_name[0] == '.') {
			continue; /* the status of .. is that of the first thread once more */
		}
		ck_assert_uint_lt(s->threads, MAX_THREADS);
		snprintf(path, sizeof(path), "/proc/self/task/%s/status", e->d_name);
		FILE *file = fopen(path, "re");
		while (file && fgets(line, sizeof(line), file)) {
			unsigned long n;
			if (sscanf(line, "voluntary_ctxt_switches: %lu", &n) == 1) {
				s->thread[s->threads] = strtol(e->d_name, NULL, 10);
				s->times[s->threads++] = n;
			}
		}
		if (file) {
			fclose(file);
		}
	}
	closedir(tasks);
}

/* Threads that have slept more than so often since then. */
static unsigned count_sleepers(const struct sleeps *then, unsigned long more_than) {
	struct sleeps now;
	unsigned sleepers = 0;
	read_sleeps(&now);
	for (unsigned i = 0; i < now.threads; i++) {
		unsigned long before = 0;
		for (unsigned k = 0; k < then->threads; k++) {
			before = then->thread[k] == now.thread[i] ? then->times[k] : before;
		}
		sleepers += now.times[i] - before > more_than;
	}
	return sleepers;
}

/* A short job wakes the loop and the client, and no thread of the renderer. */
TEST_LOOP(short_jobs_wake_two_threads, n_services) {
	enum { JOBS = 500 };
	struct sleeps before;
	open_client(_i);
	read_sleeps(&before);
	for (unsigned i = 0; i < JOBS; i++) {
		struct pica_job *job = put(ctx, PICA_OP_FILL, 0);
		job->u.fill.start = VRAM;
		job->u.fill.end = VRAM + 256;
		job->u.fill.value = i;
		job->u.fill.control = 0x200;
		ck_assert_int_eq(run_one().result, 0);
		uint32_t word;
		memcpy(&word, pica_client_host(vram), 4);
		ck_assert_uint_eq(word, i);
	}
	/*
	 * The command thread would be a third. Does not count sleeps, which depend on the machine.
	 */
	ck_assert_uint_le(count_sleepers(&before, JOBS / 2), 2);
	pica_client_close(client);
}

/* Each job has its own result, even if the end of an earlier one wakes its context. */
TEST_LOOP(results_stay_with_their_jobs, n_services) {
	enum { ROUNDS = 50, JOBS = 5 };
	struct pica_done done[JOBS];
	open_client(_i);
	memset(pica_client_host(fcram), 0, FCRAM_BYTES);
	for (uint64_t round = 1; round <= ROUNDS; round++) {
		put(ctx, PICA_OP_INVALIDATE, 0);
		struct pica_job *job = put(ctx, PICA_OP_SIGNAL, 0);
		job->u.signal.value = round;
		put_list(16); /* without FINALIZE */
		put_wait(ctx, 0, ctx, round);
		put(ctx, PICA_OP_BARRIER, 0);
		ck_assert_int_eq(pica_client_submit(client), JOBS);
		for (int n = 0; n < JOBS;) {
			int got = pica_client_wait(client, done + n, JOBS - (size_t)n, PATIENCE_NS);
			ck_assert_int_gt(got, 0);
			n += got;
		}
		for (unsigned i = 0; i < JOBS; i++) {
			ck_assert_int_eq(done[i].result, 0);
			ck_assert_uint_eq(done[i].flags, i == 2 ? PICA_DONE_NO_FINALIZE : 0);
		}
	}
	pica_client_close(client);
}

TEST_LOOP(sessions_are_listed, n_services) {
	struct pica_session_info info[4];
	open_client(_i);
	put_list(make_list());
	run_one();
	ck_assert_int_eq(pica_client_sessions(client, 0, info, 4), 1);
	ck_assert_str_eq(info[0].name, "test_client");
	ck_assert_uint_eq(info[0].jobs, 1);
	ck_assert_uint_eq(info[0].contexts, 1);
	ck_assert_uint_eq(info[0].memory_bytes, VRAM_BYTES + FCRAM_BYTES);
	ck_assert_int_eq(pica_client_kick(client, 999), -ENOENT);
	pica_client_close(client);
}

TEST_LOOP(after_the_session_ends_the_client_recovers, n_services) {
	struct pica_done done[4];
	open_client(_i);
	uint32_t size_bytes = make_list();
	put_list(size_bytes);
	struct pica_job init = *(&(struct pica_job){ .op = PICA_OP_LIST });
	init.u.list.addr = LIST;
	init.u.list.size_bytes = size_bytes;
	ck_assert_int_eq(run_one().result, 0);
	ck_assert_int_eq(pica_client_set_init_jobs(ctx, &init, 1), 0);
	ck_assert_int_eq(pica_client_reconnect(client), 0);
	/* A wait that stays in flight when the session is ended. */
	put_wait(ctx, 17, ctx, 1);
	ck_assert_int_eq(pica_client_submit(client), 1);
	ck_assert_int_eq(pica_client_kick(client, pica_client_welcome(client)->session), 0);
	int n = pica_client_wait(client, done, 4, PATIENCE_NS);
	ck_assert_int_eq(n, 1);
	ck_assert_uint_eq(done[0].user_data, 17);
	ck_assert_int_eq(done[0].result, -ECONNRESET);
	ck_assert_int_eq(pica_client_submit(client), -ECONNRESET);
	ck_assert_ptr_null(pica_client_slot(ctx));
	ck_assert_str_eq(pica_client_error(client), "ended by an administrator");
	memset(pica_client_host(vram), 0, SIDE * SIDE * 4);
	ck_assert_int_eq(pica_client_reconnect(client), 1);
	ck_assert_uint_eq(count_red(), 28); /* the init job ran */
	memset(pica_client_host(vram), 0, SIDE * SIDE * 4);
	put_list(size_bytes);
	ck_assert_int_eq(run_one().result, 0);
	ck_assert_uint_eq(count_red(), 28);
	pica_client_close(client);
}

TEST_LOOP(completions_outlive_a_reconnection, n_services) {
	struct pica_done done[4];
	open_client(_i);
	/* Three jobs: complete but not reaped, in flight, and not submitted. */
	put(ctx, PICA_OP_BARRIER, 1);
	ck_assert_int_eq(pica_client_submit(client), 1);
	while (pica_client_completed(ctx) < 1) {
		sched_yield();
	}
	put_wait(ctx, 2, ctx, 1);
	ck_assert_int_eq(pica_client_submit(client), 1);
	ck_assert_int_eq(pica_client_kick(client, pica_client_welcome(client)->session), 0);
	ck_assert_ptr_nonnull(pica_client_slot(ctx));
	while ((pica_client_reconnect(client)) == 0) {
		sched_yield(); /* the end of the session is on its way */
	}
	ck_assert_uint_eq(pica_client_in_flight(client), 2);
	put(ctx, PICA_OP_BARRIER, 3);
	ck_assert_int_eq(pica_client_submit(client), 1);
	for (unsigned n = 0; n < 3;) {
		int got = pica_client_wait_many(client, done + n, 4 - n, 3 - n, PATIENCE_NS);
		ck_assert_int_gt(got, 0);
		n += (unsigned)got;
	}
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_uint_eq(done[i].user_data, i + 1);
		ck_assert_int_eq(done[i].result, i == 1 ? -ECONNRESET : 0);
	}
	ck_assert_int_eq(pica_client_wait(client, done, 4, 0), -ENOENT);
	pica_client_close(client);
}

/* The first call that reads completions receives the reason; a request finds the socket closed. */
TEST_LOOP(requests_after_the_end_return_the_reason, n_services) {
	uint32_t word;
	open_client(_i);
	ck_assert_int_eq(pica_client_kick(client, pica_client_welcome(client)->session), 0);
	struct pollfd p = { .fd = client->sock, .events = POLLIN };
	while (!(p.revents & POLLHUP)) {
		ck_assert_int_eq(poll(&p, 1, 60000), 1);
	}
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(pica_client_read_regs(ctx, 0, 1, &word), -ECONNRESET);
		ck_assert_str_eq(pica_client_error(client), "ended by an administrator");
	}
	pica_client_close(client);
}

/* Without /proc, which gives the bell a permanent reader, the signal is blocked. */
TEST_LOOP(bells_of_a_dead_service_raise_no_signal, n_services) {
	struct pica_done done;
	sigset_t pending;
	open_client(_i);
	ck_assert_int_ge(client->bell_reader, 0);
	ck_assert_int_eq(pica_client_kick(client, pica_client_welcome(client)->session), 0);
	struct pollfd p = { .fd = client->bell_in, .events = POLLIN };
	while (!(p.revents & POLLHUP)) {
		ck_assert_int_eq(poll(&p, 1, 60000), 1);
	}
	for (unsigned i = 0; i < 2; i++) {
		put(ctx, PICA_OP_BARRIER, 0);
		client->ring.control->service_flags = PICA_RING_NEED_WAKEUP;
		ck_assert_int_eq(pica_client_submit(client), 1);
		ck_assert_uint_eq(client->counters.bells, i + 1);
		sigpending(&pending);
		ck_assert_int_eq(sigismember(&pending, SIGPIPE), 0);
		if (i == 0) {
			close(client->bell_reader);
			client->bell_reader = -1;
		}
	}
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(pica_client_wait(client, &done, 1, PATIENCE_NS), 1);
		ck_assert_int_eq(done.result, -ECONNRESET);
	}
	pica_client_close(client);
}

TEST_LOOP(failing_init_jobs_are_reported, n_services) {
	struct pica_job init = { .op = PICA_OP_LIST };
	struct pica_done done;
	init.u.list.addr = 0x30000000; /* no memory */
	init.u.list.size_bytes = 16;
	open_client(_i);
	ck_assert_int_eq(pica_client_set_init_jobs(ctx, &init, 1), 0);
	ck_assert_int_eq(pica_client_kick(client, pica_client_welcome(client)->session), 0);
	int ret;
	while ((ret = pica_client_reconnect(client)) == 0) {
		sched_yield();
	}
	ck_assert_int_eq(ret, -ERANGE);
	ck_assert_int_eq(pica_client_submit(client), -ECONNRESET);
	ck_assert_int_eq(pica_client_peek(client, &done, 1), -ECONNRESET);
	ck_assert_int_eq(pica_client_set_init_jobs(ctx, NULL, 0), 0);
	ck_assert_int_eq(pica_client_reconnect(client), 1);
	put_list(make_list());
	ck_assert_int_eq(run_one().result, 0);
	ck_assert_uint_eq(count_red(), 28);
	pica_client_close(client);
}

TEST(services_that_are_not_there) {
	struct pica_client_settings settings;
	char message[PICA_TEXT_BYTES];
	ck_assert_int_eq(pica_client_connect(&client, "/nonexistent/pica", NULL, message), -ENOENT);
	ck_assert_int_eq(pica_client_connect(&client, "builtin:x", NULL, message), -EINVAL);
	ck_assert_int_eq(pica_client_connect(&client, "builtin:-1", NULL, message), -EINVAL);
	pica_client_settings_init(&settings);
	settings.required = 1ull << 40;
	ck_assert_int_eq(pica_client_connect(&client, "builtin:", &settings, message), -EOPNOTSUPP);
	ck_assert_str_eq(message, "a required feature is missing");
	pica_client_settings_init(&settings);
	settings.priority = 11;
	ck_assert_int_eq(pica_client_connect(&client, "builtin:", &settings, message), -EINVAL);
	ck_assert_int_eq(pica_client_connect(&client, "builtin:65", NULL, message), -EINVAL);
	ck_assert_str_eq(message, "builtin: takes 0 to 64 threads");
	static const uint32_t slots[] = { 0, 7, 4097, 1 << 20 };
	for (unsigned i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		pica_client_settings_init(&settings);
		settings.sq_entries = slots[i];
		ck_assert_int_eq(pica_client_connect(&client, "builtin:", &settings, message),
				-EINVAL);
		ck_assert_str_eq(message, "submission slots are 8 to 4096");
	}
	pica_client_settings_init(&settings);
	settings.reserved[1] = 1;
	ck_assert_int_eq(pica_client_connect(&client, "builtin:", &settings, message), -EINVAL);
	ck_assert_str_eq(message, "reserved settings are not zero");
}

TEST_LOOP(sentences_are_of_the_call_before, n_services) {
	static uint8_t rows[64];
	struct pica_client_memory *memory;
	struct pica_stats stats = { .size = sizeof(stats) };
	struct pica_done done;
	open_client(_i);
	ck_assert_int_eq(pica_client_map(&memory, ctx, 0xFFFFF000, 8192, 0), -EINVAL);
	ck_assert_str_eq(pica_client_error(client), "memory ends beyond the address space");
	ck_assert_int_eq(pica_client_wait(client, &done, 1, 0), -ENOENT);
	ck_assert_str_eq(pica_client_error(client), "");
	ck_assert_int_eq(pica_client_map(&memory, ctx, FCRAM, 4096, 2), -EINVAL);
	ck_assert_str_eq(pica_client_error(client), "unknown flags of memory");
	ck_assert_int_eq(pica_client_alloc(&memory, client, 0), -EINVAL);
	ck_assert_str_eq(pica_client_error(client), "memory without bytes");
	ck_assert_int_eq(pica_client_read_surface(ctx, VRAM, 0, 16, 8, rows, 63), -EINVAL);
	ck_assert_str_eq(pica_client_error(client), "rows are longer than the stride");
	/* The service's message survives the memory of the request. */
	ck_assert_int_eq(pica_client_read_surface(ctx, VRAM, 99, 8, 8, rows, 64), -EINVAL);
	ck_assert_uint_gt(strlen(pica_client_error(client)), 0);
	ck_assert_int_eq(pica_client_submit(client), 0);
	ck_assert_str_eq(pica_client_error(client), "");
	ck_assert_ptr_nonnull(pica_client_slot(ctx));
	ck_assert_int_eq(pica_client_stats(ctx, &stats), -EBUSY);
	ck_assert_str_eq(pica_client_error(client), "jobs are in flight");
	ck_assert_int_eq(pica_client_peek(client, &done, 1), 0);
	ck_assert_str_eq(pica_client_error(client), "");
	pica_client_close(client);
}

/* Tests services in this process, or, with an argument, the one at that socket. */
int main(int argc, char **argv) {
	if (argc > 1) {
		services[0] = argv[1];
		n_services = 1;
	}
	int failed = suite_run();
	return failed;
}
