/* The shared rings: layout, order, overflow, sleeping, and a dishonest peer. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "ring.h"
#include "tests/suite.h"

static struct pica_ring_header header;
static uint8_t *memory;
static struct ring_server server;
static struct ring_client client;

static void open_rings(uint32_t entries) {
	ring_layout(&header, entries);
	memory = aligned_alloc(4096, header.size_bytes);
	ck_assert_ptr_nonnull(memory);
	memset(memory, 0, header.size_bytes);
	ring_server_init(&server, memory, &header);
	ck_assert_int_eq(ring_client_init(&client, memory, header.size_bytes), 0);
}

static void close_rings(void) {
	free(memory);
	memory = NULL;
}

static void submit(uint64_t user_data) {
	struct pica_job *job = ring_client_slot(&client);
	ck_assert_ptr_nonnull(job);
	job->op = PICA_OP_BARRIER;
	job->user_data = user_data;
	ring_client_publish(&client);
}

TEST(layout_rounds_up_and_does_not_overlap) {
	static const uint32_t want[][2] = { { 0, 8 }, { 8, 8 }, { 9, 16 }, { 256, 256 },
		{ 257, 512 }, { 4096, 4096 }, { 0xFFFFFFFF, 4096 } };
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct pica_ring_header h;
		ring_layout(&h, want[i][0]);
		ck_assert_uint_eq(h.sq_entries, want[i][1]);
		ck_assert_uint_eq(h.cq_entries, 2 * want[i][1]);
		ck_assert_uint_ge(h.cq_offset, h.control_offset + sizeof(struct pica_ring_control));
		ck_assert_uint_ge(h.sq_offset, h.cq_offset + 16 * h.cq_entries);
		ck_assert_uint_ge(h.event_offset, h.sq_offset + 64 * h.sq_entries);
		ck_assert_uint_ge(h.size_bytes, h.event_offset + 32 * h.event_entries);
		ck_assert_uint_eq(h.size_bytes % 4096, 0);
		ck_assert_int_eq(ring_check(&h, h.size_bytes), 0);
		ck_assert_int_eq(ring_check(&h, h.size_bytes - 1), -EPROTO);
	}
}

TEST(headers_that_differ_in_any_byte_are_refused) {
	open_rings(16);
	for (size_t i = 0; i < sizeof(header); i++) {
		struct pica_ring_header h = header;
		((uint8_t *)&h)[i] ^= 0x10;
		ck_assert_int_eq(ring_check(&h, header.size_bytes), -EPROTO);
	}
	ck_assert_int_eq(ring_client_init(&client, memory, 100), -EPROTO);
	close_rings();
}

TEST(entries_keep_their_order_over_the_wrap) {
	open_rings(8);
	/* Indices start where they are about to wrap, as after four thousand million jobs. */
	server.sq_head = server.cq_tail = server.cq_head = 0xFFFFFFFA;
	client.sq_tail = client.sq_shown = client.cq_head = 0xFFFFFFFA;
	server.control->sq_head = server.control->sq_tail = 0xFFFFFFFA;
	server.control->cq_head = server.control->cq_tail = 0xFFFFFFFA;
	for (uint64_t round = 0; round < 5; round++) {
		struct pica_job job;
		struct pica_done done;
		for (uint64_t i = 0; i < 8; i++) {
			submit(100 * round + i);
		}
		ck_assert_ptr_null(ring_client_slot(&client));
		for (uint64_t i = 0; i < 8; i++) {
			ck_assert_int_eq(ring_server_pop(&server, &job), 1);
			ck_assert_uint_eq(job.user_data, 100 * round + i);
			done = (struct pica_done){ .user_data = job.user_data,
				.result = -(int32_t)i };
			ck_assert_int_gt(ring_server_room(&server), 0);
			ring_server_push(&server, &done);
		}
		ck_assert_int_eq(ring_server_pop(&server, &job), 0);
		ck_assert_int_eq(ring_client_pop(&client, &done), 0);
		ring_server_publish(&server);
		for (uint64_t i = 0; i < 8; i++) {
			ck_assert_int_eq(ring_client_pop(&client, &done), 1);
			ck_assert_uint_eq(done.user_data, 100 * round + i);
			ck_assert_int_eq(done.result, -(int32_t)i);
		}
		ck_assert_int_eq(ring_client_pop(&client, &done), 0);
	}
	close_rings();
}

TEST(room_counts_unreaped_completions) {
	const struct pica_done done = { .user_data = 1 };
	struct pica_done out;
	open_rings(8);
	for (int i = 0; i < 16; i++) {
		ck_assert_int_eq(ring_server_room(&server), 16 - i);
		ring_server_push(&server, &done);
	}
	ck_assert_int_eq(ring_server_room(&server), 0);
	ring_server_publish(&server);
	ck_assert_int_eq(ring_client_pop(&client, &out), 1);
	ck_assert_int_eq(ring_server_room(&server), 1);
	close_rings();
}

TEST(reaping_wakes_a_service_that_waits_for_room) {
	const struct pica_done done = { .user_data = 1 };
	struct pica_done out;
	open_rings(8);
	for (int i = 0; i < 16; i++) {
		ring_server_push(&server, &done);
	}
	ring_server_publish(&server);
	ck_assert_int_eq(ring_server_room(&server), 0);
	submit(1);
	ck_assert(ring_server_sleep(&server, true)); /* there is work, but no room */
	ck_assert_int_eq(ring_client_pop(&client, &out), 1);
	ck_assert(ring_client_reaped(&client));
	ck_assert(!ring_server_sleep(&server, true));
	ck_assert(!ring_client_reaped(&client)); /* it is awake */
	close_rings();
}

TEST(lying_indices_are_a_protocol_error) {
	static const uint32_t ahead[] = { 9, 10, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF };
	struct pica_job job;
	open_rings(8);
	for (unsigned i = 0; i < 5; i++) {
		server.control->sq_tail = server.sq_head + ahead[i];
		ck_assert_int_eq(ring_server_pop(&server, &job), -EPROTO);
	}
	/* The head of the completions: beyond the tail, or going back. */
	const struct pica_done done = { .user_data = 1 };
	ring_server_push(&server, &done);
	ring_server_push(&server, &done);
	ring_server_publish(&server);
	server.control->cq_head = 3;
	ck_assert_int_eq(ring_server_room(&server), -EPROTO);
	server.control->cq_head = 1;
	ck_assert_int_eq(ring_server_room(&server), 15);
	server.control->cq_head = 0;
	ck_assert_int_eq(ring_server_room(&server), -EPROTO);
	server.control->cq_head = 0x80000000;
	ck_assert_int_eq(ring_server_room(&server), -EPROTO);
	close_rings();
}

TEST(the_service_does_not_read_back_its_words) {
	struct pica_job job;
	open_rings(8);
	submit(5);
	/* A client that overwrites everything of the service's. */
	memset(memory, 0xEE, PICA_RING_CONTROL_OFFSET);
	server.control->sq_head = server.control->cq_tail = server.control->service_flags =
			0xEEEEEEEE;
	ck_assert_int_eq(ring_server_pop(&server, &job), 1);
	ck_assert_uint_eq(job.user_data, 5);
	ck_assert_int_eq(ring_server_room(&server), 16);
	ring_server_publish(&server);
	ck_assert_uint_eq(server.control->sq_head, 1);
	ck_assert_uint_eq(server.control->cq_tail, 0);
	close_rings();
}

TEST(bells_are_asked_for_only_by_sleepers) {
	struct pica_job *job;
	struct pica_job got;
	open_rings(8);
	job = ring_client_slot(&client);
	job->op = PICA_OP_BARRIER;
	ck_assert_uint_eq(ring_client_pending(&client), 1);
	ck_assert(!ring_client_publish(&client));
	ck_assert_uint_eq(ring_client_pending(&client), 0);
	ck_assert(!ring_server_sleep(&server, false)); /* there is work */
	ck_assert_int_eq(ring_server_pop(&server, &got), 1);
	ck_assert(ring_server_sleep(&server, false));
	ring_client_slot(&client)->op = PICA_OP_BARRIER;
	ck_assert(ring_client_publish(&client));
	ring_server_awake(&server);
	ck_assert(!ring_client_publish(&client));
	/* The client waits for two completions: neither less nor freed slots wake it. */
	const struct pica_done done = { .user_data = 1 };
	struct pica_done out;
	ck_assert(ring_client_sleep(&client, 2, false));
	ck_assert(!ring_server_publish(&server));
	ring_server_push(&server, &done);
	ck_assert(!ring_server_publish(&server));
	ring_server_push(&server, &done);
	ck_assert(ring_server_publish(&server));
	ring_client_awake(&client);
	ck_assert(!ring_server_publish(&server));
	ck_assert(!ring_client_sleep(&client, 2, false)); /* they are there */
	ck_assert(ring_client_sleep(&client, 3, false));
	ring_client_awake(&client);
	ck_assert_int_eq(ring_client_pop(&client, &out), 1);
	ck_assert_int_eq(ring_client_pop(&client, &out), 1);
	/* An event wakes it, and does not keep it awake. */
	const struct pica_event event = { .type = PICA_EVENT_RELOADED };
	ck_assert(ring_client_sleep(&client, 1, false));
	ring_server_event(&server, &event);
	ck_assert(ring_server_publish(&server));
	ck_assert(ring_client_sleep(&client, 1, false));
	ck_assert(!ring_server_publish(&server));
	ck_assert(!ring_client_sleep(&client, 1, true)); /* a slot is free */
	ring_server_kill(&server);
	ck_assert(!ring_client_sleep(&client, 1, false));
	ck_assert(ring_client_is_dead(&client));
	close_rings();
}

TEST(events_drop_the_oldest_and_count) {
	struct pica_event e = { .type = PICA_EVENT_FOCUS };
	open_rings(8);
	ck_assert_int_eq(ring_client_event(&client, &e), 0);
	for (uint64_t i = 0; i < PICA_RING_EVENTS + 10; i++) {
		const struct pica_event event = {
			.type = PICA_EVENT_PRESENTED, .handle = 7, .value = i
		};
		ring_server_event(&server, &event);
	}
	for (uint64_t i = 10; i < PICA_RING_EVENTS + 10; i++) {
		ck_assert_int_eq(ring_client_event(&client, &e), 1);
		ck_assert_uint_eq(e.value, i);
		ck_assert_uint_eq(e.handle, 7);
	}
	ck_assert_int_eq(ring_client_event(&client, &e), 0);
	ck_assert_uint_eq(client.lost_events, 10);
	close_rings();
}

/* ---- Two threads ---- */

enum { THREAD_JOBS = 200000 };

static void *serve(void *arg) {
	uint64_t next = 0;
	while (next < THREAD_JOBS) {
		struct pica_job job;
		int room = ring_server_room(&server);
		int got = 0;
		while (room > 0 && (got = ring_server_pop(&server, &job)) > 0) {
			if (job.user_data != next || job.u.signal.value != next * 3) {
				return (void *)1;
			}
			const struct pica_done done = { .user_data = next,
				.result = (int32_t)(next % 1000),
				.flags = (uint32_t)next };
			ring_server_push(&server, &done);
			next++;
			room--;
		}
		if (got < 0 || room < 0) {
			return (void *)2;
		}
		ring_server_publish(&server);
		/* both sides spin: on one CPU each waits for the other's turn to end */
		sched_yield();
	}
	return NULL;
}

TEST(two_threads_agree) {
	pthread_t thread;
	void *result;
	open_rings(64);
	ck_assert_int_eq(pthread_create(&thread, NULL, serve, NULL), 0);
	uint64_t sent = 0, seen = 0;
	while (seen < THREAD_JOBS) {
		struct pica_job *job;
		while (sent < THREAD_JOBS && (job = ring_client_slot(&client))) {
			job->op = PICA_OP_SIGNAL;
			job->user_data = sent;
			job->u.signal.value = sent * 3;
			sent++;
		}
		ring_client_publish(&client);
		struct pica_done done;
		while (ring_client_pop(&client, &done) > 0) {
			if (done.user_data != seen || done.result != (int32_t)(seen % 1000) ||
					done.flags != (uint32_t)seen) {
				ck_abort_msg("completion %llu came out of order",
						(unsigned long long)seen);
			}
			seen++;
		}
		sched_yield();
	}
	pthread_join(thread, &result);
	ck_assert_ptr_null(result);
	close_rings();
}
