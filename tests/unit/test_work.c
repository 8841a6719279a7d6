/* Completions, waiting, several contexts, costs of a job. */
#include <poll.h>

#include "engine_rig.h"
#include "tests/suite.h"

ENGINE_TEST(done_fd_is_readable_while_completions_wait) {
	struct pollfd p = { .fd = pica_done_fd(ctx), .events = POLLIN };
	ck_assert_int_eq(poll(&p, 1, 0), 0);
	struct pica_job job = { .op = PICA_OP_BARRIER, .user_data = 5 };
	submit(&job);
	ck_assert_int_eq(poll(&p, 1, 10000), 1);
	struct pica_done done;
	ck_assert_int_eq(pica_reap(ctx, &done, 1), 1);
	ck_assert_uint_eq(done.user_data, 5);
	ck_assert_int_eq(poll(&p, 1, 0), 0);
	/* Readable until the last of three is taken, and then again. */
	for (unsigned i = 0; i < 3; i++) {
		job.user_data = i;
		ck_assert_int_eq(pica_wait(ctx, submit(&job), -1), 0);
	}
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(poll(&p, 1, 0), 1);
		ck_assert_int_eq(pica_reap(ctx, &done, 1), 1);
		ck_assert_uint_eq(done.user_data, i);
	}
	ck_assert_int_eq(poll(&p, 1, 0), 0);
	ck_assert_int_eq(pica_reap(ctx, &done, 1), 0);
	submit(&job);
	ck_assert_int_eq(poll(&p, 1, 10000), 1);
}

/* Waiting for the descriptor only misses nothing, for any grouping of jobs. */
ENGINE_TEST(every_completion_is_announced) {
	struct pica_ctx *both[2];
	struct pica_job jobs[150];
	uint64_t submitted[2] = { 0 }, reaped[2] = { 0 };
	both[0] = ctx;
	ck_assert_int_eq(pica_ctx_create(&both[1], device, NULL), 0);
	for (unsigned i = 0; i < 150; i++) {
		jobs[i] = (struct pica_job){ .op = i % 3 ? PICA_OP_BARRIER : PICA_OP_FILL };
		if (i % 3 == 0) {
			jobs[i].u.fill.start = FCRAM;
			jobs[i].u.fill.end = FCRAM + (i % 2 ? 256 : 65536);
			jobs[i].u.fill.control = 0x200;
		}
	}
	srand(1);
	for (unsigned round = 0; round < 1500; round++) {
		for (unsigned c = 0; c < 2; c++) {
			const size_t n = (size_t)rand() % (round % 7 ? 4 : 150);
			ck_assert_int_eq(pica_submit(both[c], jobs, n, NULL), 0);
			submitted[c] += n;
		}
		for (unsigned c = round % 2; reaped[c] < submitted[c]; c ^= 1) {
			struct pica_done done[150];
			struct pollfd p = { .fd = pica_done_fd(both[c]), .events = POLLIN };
			ck_assert_int_eq(poll(&p, 1, 60000), 1);
			int n = pica_reap(both[c], done, 1 + (size_t)rand() % 150);
			ck_assert_int_gt(n, 0);
			reaped[c] += (unsigned)n;
			if (reaped[c ^ 1] == submitted[c ^ 1]) {
				c ^= 1; /* this one again */
			}
		}
	}
	for (unsigned c = 0; c < 2; c++) {
		struct pollfd p = { .fd = pica_done_fd(both[c]), .events = POLLIN };
		while (reaped[c] < submitted[c]) {
			struct pica_done done[150];
			ck_assert_int_eq(poll(&p, 1, 60000), 1);
			reaped[c] += (unsigned)pica_reap(both[c], done, 150);
		}
		ck_assert_int_eq(poll(&p, 1, 0), 0);
	}
	pica_ctx_destroy(both[1]);
}

/* Completions are announced before a long job, not after it. */
TEST_LOOP(a_long_job_does_not_delay_completions, 2) {
	struct pica_done done[3];
	int n = 3;
	open_engine(1 + (unsigned)_i, NULL);
	struct pollfd p = { .fd = pica_done_fd(ctx), .events = POLLIN };
	struct pica_job jobs[3] = { { .op = PICA_OP_BARRIER, .user_data = 1 },
		{ .op = PICA_OP_FILL }, { .op = PICA_OP_INVALIDATE } };
	jobs[1].u.fill.start = FCRAM;
	jobs[1].u.fill.end = FCRAM + 0x8000000;
	jobs[1].u.fill.control = 0x200;
	jobs[2].u.invalidate.addr = FCRAM; /* waits for the fill, on the command thread */
	jobs[2].u.invalidate.size_bytes = 0x8000000;
	/* The fill writes 128 MiB; a busy machine may delay the check until it ends. */
	for (unsigned round = 0; round < 100 && n == 3; round++) {
		ck_assert_int_eq(pica_submit(ctx, jobs, 3, NULL), 0);
		ck_assert_int_eq(poll(&p, 1, 60000), 1);
		n = pica_reap(ctx, done, 3);
		ck_assert_uint_eq(done[0].user_data, 1);
	}
	ck_assert_int_eq(n, 1);
	close_engine();
}

ENGINE_TEST(contexts_of_one_device_do_not_disturb_each_other) {
	struct pica_ctx *second;
	ck_assert_int_eq(pica_ctx_create(&second, device, NULL), 0);
	put_triangle(red);
	emit_state(&e, COLOR);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(run_list(&e).result, 0);
	uint32_t word = 1;
	ck_assert_int_eq(pica_ctx_read_memory(second, COLOR, &word, 4), 0);
	ck_assert_uint_eq(word, 0);
	pica_ctx_destroy(second);
	ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), 28);
}

ENGINE_TEST(destroying_a_busy_context_cancels_queued_jobs) {
	struct pica_job jobs[200];
	for (unsigned i = 0; i < 200; i++) {
		jobs[i] = (struct pica_job){ .op = PICA_OP_FILL };
		jobs[i].u.fill.start = VRAM;
		jobs[i].u.fill.end = VRAM + 0x100000;
		jobs[i].u.fill.control = 0x200;
	}
	ck_assert_int_eq(pica_submit(ctx, jobs, 200, NULL), 0);
}

ENGINE_TEST(statistics_travel_as_a_job) {
	struct pica_stats early = { 0 }, late = { .size = sizeof(late) };
	put_triangle(red);
	emit_state(&e, COLOR);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(run_list(&e).result, 0);
	struct pica_job job = { .op = PICA_OP_STATS,
		.u.stats = { .data = (uintptr_t)&early, .size_bytes = sizeof(early) } };
	ck_assert_int_eq(finish(submit(&job)).result, 0);
	ck_assert_uint_eq(early.size, sizeof(early));
	ck_assert_uint_eq(early.fragments, 28);
	ck_assert_uint_eq(early.drawn_triangles, 1);
	ck_assert_int_eq(pica_stats(ctx, &late), 0);
	ck_assert_uint_eq(late.fragments, 28);
	job.u.stats.size_bytes--;
	ck_assert_int_eq(finish(submit(&job)).result, -EINVAL);
	/* Operations of the service only. */
	job = (struct pica_job){ .op = PICA_OP_SIGNAL };
	ck_assert_int_eq(finish(submit(&job)).result, -EOPNOTSUPP);
}

ENGINE_TEST(usage_is_known_at_completion_and_never_waits) {
	struct pica_usage usage = { .size = sizeof(usage) };
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_usage(ctx, &usage), 0);
	ck_assert_uint_eq(usage.cpu_ns, 0);
	put_triangle(red);
	emit_state(&e, COLOR);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_int_eq(pica_usage(ctx, &usage), 0);
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	ck_assert_uint_eq(usage.pixels, 28);
	ck_assert_uint_eq(usage.vertices, 3);
	ck_assert_uint_eq(usage.jobs, 1);
	ck_assert_uint_eq(usage.list_words, stats.list_words);
	/* All time is counted exactly once, also without threads. */
	ck_assert_int_eq(pica_usage(ctx, &usage), 0);
	ck_assert_uint_eq(usage.cpu_ns,
			stats.ns_command + stats.ns_vertex + stats.ns_tile + stats.ns_copy);
	/* The command thread, if there is one, draws so little itself. */
	ck_assert_uint_eq(stats.ns_tile > 0, thread_counts[_i] == 0);
	usage.size--;
	ck_assert_int_eq(pica_usage(ctx, &usage), -EINVAL);
}

TEST(wait_can_time_out) {
	open_engine(2, NULL);
	struct pica_job jobs[64];
	for (unsigned i = 0; i < 64; i++) {
		jobs[i] = (struct pica_job){ .op = PICA_OP_FILL };
		jobs[i].u.fill.start = FCRAM;
		jobs[i].u.fill.end = FCRAM + 0x4000000;
		jobs[i].u.fill.control = 0x200;
	}
	uint64_t seq;
	ck_assert_int_eq(pica_submit(ctx, jobs, 64, &seq), 0);
	ck_assert_int_eq(pica_wait(ctx, seq, 0), -ETIME);
	ck_assert_int_eq(pica_wait(ctx, seq, 1000), -ETIME);
	ck_assert_int_eq(pica_wait(ctx, seq + 1, 0), -EINVAL);
	ck_assert_int_eq(pica_wait(ctx, seq, -1), 0);
	close_engine();
}
