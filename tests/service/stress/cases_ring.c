/* Rings and bells: false indices, changing words, floods, clients that do not reap. */
#include "hostile.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

/* Sets a shared word, rings, and is dropped. */
static bool lie(struct bench *b, bool of_sq, uint32_t value) {
	struct neighbour evil;
	EXPECT(neighbour_open(&evil, b->daemon->socket) == 0);
	/* Two jobs: at the second one, the service knows that the first was reaped. */
	EXPECT(neighbour_frame(&evil) == 0);
	EXPECT(neighbour_frame(&evil) == 0);
	struct pica_ring_control *c = evil.raw.control;
	__atomic_store_n(of_sq ? &c->sq_tail : &c->cq_head, value, __ATOMIC_SEQ_CST);
	raw_ring(&evil.raw);
	EXPECT(is_told(&evil.raw, -EPROTO, "invalid ring indices"));
	return true;
}

CALL_CASE(tail_of_all_ones, lie(b, true, 0xFFFFFFFF))
CALL_CASE(tail_one_too_far, lie(b, true, 2 + 8 + 1))
CALL_CASE(tail_that_goes_back, lie(b, true, 0))
CALL_CASE(tail_half_way_round, lie(b, true, 0x80000001))
CALL_CASE(head_ahead_of_the_tail, lie(b, false, 3))
CALL_CASE(head_that_goes_back, lie(b, false, 0))
CALL_CASE(head_half_way_round, lie(b, false, 0x80000001))

/* The service does not read back words that it wrote. */
NEIGHBOUR_CASE(overwrites_words_of_the_service) {
	struct pica_ring_control *c = evil->raw.control;
	for (unsigned i = 0; i < 50; i++) {
		memset(evil->raw.ring, i & 1 ? 0xFF : 0, sizeof(struct pica_ring_header));
		c->sq_head = c->service_flags = c->event_tail = 0xFFFFFFFF;
		memset(c->timeline, 0xA5, sizeof(c->timeline));
		memset(c->completed, 0xA5, sizeof(c->completed));
		EXPECT(neighbour_frame(evil) == 0);
	}
	EXPECT(c->sq_head == 50 && c->cq_tail == 50 && c->completed[0] == 50);
	return true;
}

/* The service takes as many jobs as fit, and loses none. */
NEIGHBOUR_CASE(never_reaps) {
	struct pica_done done;
	uint64_t sent = 0;
	struct raw *r = &evil->raw;
	for (int64_t end = raw_now_ms() + RAW_PATIENCE_MS; sent < r->sq_entries + r->cq_entries &&
			raw_now_ms() < end;) {
		if (r->sq_tail - __atomic_load_n(&r->control->sq_head, __ATOMIC_ACQUIRE) <
				r->sq_entries) {
			raw_slot(r, evil->context, PICA_OP_BARRIER, sent++);
			raw_publish(r);
		}
	}
	EXPECT(sent == r->sq_entries + r->cq_entries);
	EXPECT(neighbour_is_well(b));
	EXPECT(__atomic_load_n(&r->control->sq_head, __ATOMIC_ACQUIRE) == r->cq_entries);
	for (uint64_t i = 0; i < sent; i++) {
		EXPECT(raw_wait(r, &done, RAW_PATIENCE_MS) == 0);
		EXPECT(done.user_data == i && done.result == 0);
	}
	return true;
}

/* ---- Floods: a thread submits as fast as it can, and drops completions ---- */

struct flood {
	struct neighbour evil;
	struct pica_job job;
	atomic_bool stop;
	atomic_ullong sent;
};

static void *run_flood(void *arg) {
	struct flood *f = arg;
	struct raw *r = &f->evil.raw;
	while (!atomic_load(&f->stop)) {
		uint32_t head = __atomic_load_n(&r->control->sq_head, __ATOMIC_ACQUIRE);
		while (r->sq_tail - head < r->sq_entries) {
			r->sq[r->sq_tail++ & (r->sq_entries - 1)] = f->job;
			atomic_fetch_add_explicit(&f->sent, 1, memory_order_relaxed);
		}
		__atomic_store_n(&r->control->sq_tail, r->sq_tail, __ATOMIC_RELEASE);
		uint32_t tail = __atomic_load_n(&r->control->cq_tail, __ATOMIC_ACQUIRE);
		__atomic_store_n(&r->control->cq_head, tail, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&r->control->service_flags, __ATOMIC_SEQ_CST) &
				PICA_RING_NEED_WAKEUP) {
			raw_ring(r);
		}
	}
	return NULL;
}

/* Draws the neighbour's frames meanwhile, which no flood may block forever. */
static bool flood(struct bench *b, struct pica_job job, unsigned frames) {
	struct flood f = { .job = job };
	pthread_t thread;
	EXPECT(raw_open(&f.evil.raw, b->daemon->socket, 1024) == 0);
	EXPECT(neighbour_furnish(&f.evil) == 0);
	f.job.handle = f.evil.context;
	atomic_init(&f.stop, false);
	atomic_init(&f.sent, 0);
	EXPECT(pthread_create(&thread, NULL, run_flood, &f) == 0);
	bool well = true;
	unsigned drawn = 0;
	for (int64_t end = raw_now_ms() + RAW_PATIENCE_MS; well && raw_now_ms() < end; drawn++) {
		if (drawn >= frames && atomic_load(&f.sent) > 4 * f.evil.raw.sq_entries) {
			break;
		}
		well = neighbour_is_well(b);
	}
	atomic_store(&f.stop, true);
	pthread_join(thread, NULL);
	neighbour_close(&f.evil);
	EXPECT(well);
	EXPECT(drawn >= frames && atomic_load(&f.sent) > 4 * f.evil.raw.sq_entries);
	return true;
}

CALL_CASE(flood_of_nonsense, flood(b, (struct pica_job){ .op = 0xFFFF }, 20))
CALL_CASE(flood_of_signals, flood(b, (struct pica_job){ .op = PICA_OP_SIGNAL }, 20))
CALL_CASE(flood_of_barriers, flood(b, (struct pica_job){ .op = PICA_OP_BARRIER }, 20))
CALL_CASE(flood_of_cancels, flood(b, (struct pica_job){ .op = PICA_OP_CANCEL }, 20))
CALL_CASE(flood_of_presents,
		flood(b, (struct pica_job){ .op = PICA_OP_PRESENT, .u.present.screens = 3 }, 20))

/* ---- Slots ---- */

NEIGHBOUR_CASE(jobs_that_are_malformed) {
	struct raw *r = &evil->raw;
	for (unsigned op = 0; op < 40; op++) {
		/* Not known, or all arguments ones. */
		struct pica_job *job = raw_slot(r, evil->context, (enum pica_op)op, op);
		memset(job->u.args, 0xFF, sizeof(job->u.args));
		EXPECT(raw_run(r) == -EINVAL);
		job = raw_slot(r, evil->context, (enum pica_op)op, op);
		job->flags = 0xFFFE;
		EXPECT(raw_run(r) == -EINVAL);
	}
	raw_slot(r, 12345, PICA_OP_BARRIER, 1);
	EXPECT(raw_run(r) == -ENOENT);
	raw_slot(r, 0, PICA_OP_BARRIER, 1);
	EXPECT(raw_run(r) == -ENOENT);
	EXPECT(neighbour_frame(evil) == 0);
	return true;
}

static int write_job(struct neighbour *n, uint64_t data, uint32_t addr, uint32_t size_bytes) {
	struct pica_job *job = raw_slot(&n->raw, n->context, PICA_OP_WRITE, 1);
	job->u.write.addr = addr;
	job->u.write.size_bytes = size_bytes;
	job->u.write.data = data;
	return raw_run(&n->raw);
}

NEIGHBOUR_CASE(data_outside_of_its_region) {
	int64_t region = raw_region(&evil->raw, 0, 0, 4096, NULL, NULL);
	EXPECT(region > 0);
	uint64_t data = (uint64_t)region << 32;
	EXPECT(write_job(evil, data, SCENE_VRAM, 4096) == 0);
	EXPECT(write_job(evil, data + 1, SCENE_VRAM, 4096) == -ERANGE);
	EXPECT(write_job(evil, data + 4096, SCENE_VRAM, 1) == -ERANGE);
	EXPECT(write_job(evil, data + 0xFFFFFFFF, SCENE_VRAM, 4096) == -ERANGE);
	EXPECT(write_job(evil, data, SCENE_VRAM, 0x01000000) == -ERANGE);
	EXPECT(write_job(evil, 0xFFFFFFFF00000000, SCENE_VRAM, 16) == -ENOENT);
	EXPECT(write_job(evil, (uint64_t)evil->context << 32, SCENE_VRAM, 16) == -ENOENT);
	struct pica_job *job = raw_slot(&evil->raw, evil->context, PICA_OP_STATS, 1);
	job->u.stats.data = data + 4090;
	job->u.stats.size_bytes = 0x400;
	EXPECT(raw_run(&evil->raw) < 0);
	return true;
}

/* ---- WAIT ---- */

/* Two contexts wait for each other, and one for itself, until the session ends. */
NEIGHBOUR_CASE(waits_in_a_circle) {
	int64_t other = raw_context(&evil->raw);
	EXPECT(other > 0);
	raw_put_wait(&evil->raw, evil->context, 50, (uint32_t)other, UINT64_MAX, 0);
	raw_put_wait(&evil->raw, (uint32_t)other, 50, evil->context, UINT64_MAX, UINT64_MAX);
	raw_publish(&evil->raw);
	EXPECT(neighbour_is_well(b));
	return true;
}

NEIGHBOUR_CASE(waits_for_missing_values) {
	raw_put_wait(&evil->raw, evil->context, 50, 31337, 1, 0);
	EXPECT(raw_run(&evil->raw) == -ENOENT);
	raw_put_wait(&evil->raw, evil->context, 50, evil->context, 1, 1);
	EXPECT(raw_run(&evil->raw) == -ETIME);
	return true;
}

NEIGHBOUR_CASE(wait_without_end_is_cancelled) {
	struct pica_done done;
	int cancelled = 0;
	raw_put_wait(&evil->raw, evil->context, 50, evil->context, 1, 0);
	raw_slot(&evil->raw, evil->context, PICA_OP_BARRIER, 50);
	struct pica_job *job = raw_slot(&evil->raw, evil->context, PICA_OP_CANCEL, 51);
	job->u.cancel.user_data = 50;
	raw_publish(&evil->raw);
	for (unsigned i = 0; i < 3; i++) {
		EXPECT(raw_wait(&evil->raw, &done, RAW_PATIENCE_MS) == 0);
		cancelled += done.user_data == 50 && done.result == -ECANCELED;
		EXPECT(done.user_data == 50 || done.result == 2);
	}
	EXPECT(cancelled == 2);
	EXPECT(neighbour_frame(evil) == 0);
	return true;
}

/* ---- More jobs than may be in flight: the rest begins when those end ---- */

enum { REST = 8 };

/* Submits as many waits as there may be jobs in flight, then barriers. */
static void put_more_than_allowed(
		struct raw *r, uint32_t waits, uint32_t rest, uint64_t timeout_ns) {
	for (unsigned i = 0; i < MATRIX_JOBS; i++) {
		raw_put_wait(r, waits, 50, waits, 1, timeout_ns);
	}
	for (unsigned i = 0; i < REST; i++) {
		raw_slot(r, rest, PICA_OP_BARRIER, 51);
	}
	raw_publish(r);
}

/* Does not ring the bell: the service has not asked for it. */
static bool all_come_back(struct raw *r, int32_t of_waits) {
	struct pica_done done;
	for (unsigned i = 0; i < MATRIX_JOBS + REST; i++) {
		EXPECT(raw_wait(r, &done, RAW_PATIENCE_MS) == 0);
		EXPECT(done.result == (done.user_data == 50 ? of_waits : 0));
	}
	return true;
}

HOSTILE_CASE(waits_in_front_of_more_jobs_than_allowed) {
	struct neighbour evil;
	EXPECT(neighbour_open_wide(&evil, b->daemon->socket, 256) == 0);
	put_more_than_allowed(&evil.raw, evil.context, evil.context, 20000000);
	EXPECT(all_come_back(&evil.raw, -ETIME));
	neighbour_close(&evil);
	return true;
}

HOSTILE_CASE(context_destroyed_with_the_maximum_of_jobs) {
	struct neighbour evil;
	EXPECT(neighbour_open_wide(&evil, b->daemon->socket, 256) == 0);
	const int64_t other = raw_context(&evil.raw);
	EXPECT(other > 0);
	put_more_than_allowed(&evil.raw, (uint32_t)other, evil.context, 0);
	EXPECT(raw_object(&evil.raw, PICA_MSG_CONTEXT_DESTROY, (uint64_t)other) == 0);
	EXPECT(all_come_back(&evil.raw, -ECANCELED));
	neighbour_close(&evil);
	return true;
}

/* ---- Bells ---- */

NEIGHBOUR_CASE(bells_without_end) {
	static char bells[65536];
	for (unsigned i = 0; i < 200; i++) {
		ssize_t n = write(evil->raw.bell_out, bells, sizeof(bells));
		(void)n;
	}
	EXPECT(neighbour_is_well(b));
	EXPECT(neighbour_frame(evil) == 0);
	return true;
}

/* The client's end of the pipes is closed, blocking, or full; the flags of the service's end are
 * its own. */
NEIGHBOUR_CASE(bells_that_are_broken) {
	struct raw *r = &evil->raw;
	fcntl(r->bell_in, F_SETFL, fcntl(r->bell_in, F_GETFL) & ~O_NONBLOCK);
	fcntl(r->bell_out, F_SETFL, fcntl(r->bell_out, F_GETFL) & ~O_NONBLOCK);
	__atomic_store_n(&r->control->client_flags, PICA_RING_NEED_WAKEUP, __ATOMIC_SEQ_CST);
	/* Asks for bells and does not read them: 70000 completions fill the pipe. */
	for (unsigned i = 0; i < 70000;) {
		uint32_t head = __atomic_load_n(&r->control->sq_head, __ATOMIC_ACQUIRE);
		uint32_t before = r->sq_tail;
		while (r->sq_tail - head < r->sq_entries) {
			raw_slot(r, evil->context, PICA_OP_SIGNAL, i++);
		}
		if (r->sq_tail != before) {
			raw_publish(r);
		}
		__atomic_store_n(&r->control->cq_head,
				__atomic_load_n(&r->control->cq_tail, __ATOMIC_ACQUIRE),
				__ATOMIC_SEQ_CST);
		/* The service may wait for this room, with all slots of the other ring taken. */
		if (__atomic_load_n(&r->control->service_flags, __ATOMIC_SEQ_CST) &
				PICA_RING_NEED_WAKEUP) {
			raw_ring(r);
		}
	}
	EXPECT(neighbour_is_well(b));
	close(r->bell_in);
	r->bell_in = -1;
	raw_slot(r, evil->context, PICA_OP_BARRIER, 1);
	raw_publish(r);
	close(r->bell_out);
	r->bell_out = -1;
	EXPECT(neighbour_is_well(b));
	return true;
}
