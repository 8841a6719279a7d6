/*
 * The run of a session. Events only mark it (session_mark()); the loop then runs each marked
 * session once: it collects results of the engine, takes jobs from the ring and messages from the
 * socket, lets contexts start jobs, and publishes.
 */
#include <errno.h>

#include "job.h"
#include "service/context.h"
#include "service/metrics.h"
#include "service/record.h"
#include "service/server_impl.h"
#include "service/session.h"

/* Limits of one run of a session; then other sessions run. */
enum { JOBS_A_RUN = 256, MESSAGES_A_RUN = 16 };

/* After this time a run takes no further message, and begins no further request. */
static const uint64_t requests_ns = 100000;

void session_push_done(
		struct session *s, const struct pica_job *job, int32_t result, uint32_t flags) {
	const struct pica_done done = { job->user_data, result, flags };
	ring_server_push(&s->ring, &done);
	s->outstanding--;
	s->needs_publish = true;
	metrics_job(&s->server->metrics, job->op, result);
}

void session_count_latency(struct session *s, uint64_t arrived_ns) {
	const uint64_t ns = loop_now_ns() - arrived_ns;
	metrics_latency(&s->server->metrics, ns);
	latencies_add(&s->latencies, ns);
}

/* ---- From the ring ---- */

/* job: a private copy, which may lie in the free slot of last_context. */
static void route(struct session *s, struct pica_job *job) {
	struct context *c = s->last_context;
	const char *reason;
	if (!c || c->handle != job->handle) {
		c = session_context(s, job->handle);
	}
	if (!c) {
		session_push_done(s, job, -ENOENT, 0);
	} else if (job_check(job, &reason) < 0) {
		context_answer(c, job, -EINVAL, PICA_DONE_BAD_INPUT);
		server_log_of(s->server, log_session(s->id), LOG_LEVEL_DEBUG,
				"event=bad_job session=%llu op=%u reason=\"%s\"",
				(unsigned long long)s->id, job->op, reason);
	} else if (job->op == PICA_OP_CANCEL) {
		context_answer(c, job, context_cancel(c, job->u.cancel.user_data), 0);
	} else if (context_reserve(c) < 0) {
		context_answer(c, job, -ENOMEM, 0);
	} else {
		struct pica_job *slot = context_job(c, c->tail);
		if (slot != job) {
			*slot = *job;
			s->last_context = c;
		}
		context_push(c);
	}
}

static bool has_room(const struct session *s, int room) {
	return s->outstanding < (uint32_t)room && s->outstanding < s->limits.jobs;
}

/*
 * Takes at most *left jobs, while there is room for their completions. A job for the same context
 * as the previous one is copied directly to its slot. Returns 0 or -EPROTO.
 */
static int take_jobs(struct session *s, unsigned *left) {
	ring_server_awake(&s->ring);
	for (; *left > 0; --*left) {
		struct pica_job spare, *job = &spare;
		const int room = ring_server_room(&s->ring);
		if (room < 0 || !has_room(s, room)) {
			return room < 0 ? room : 0;
		}
		if (s->last_context && context_reserve(s->last_context) == 0) {
			job = context_job(s->last_context, s->last_context->tail);
		}
		const int got = ring_server_pop(&s->ring, job);
		if (got <= 0) {
			return got;
		}
		s->outstanding++;
		s->jobs++;
		s->needs_publish = true; /* the client may wait for a slot */
		route(s, job);
	}
	return 0;
}

/* A signal of one context may end the wait of another. */
static void advance(struct session *s) {
	do {
		s->has_signalled = false;
		for (struct context *c = s->contexts; c; c = c->next_context) {
			context_advance(c);
		}
	} while (s->has_signalled);
}

/* Asks for the bell. Returns true if jobs, or room for them, arrived before that. */
static bool has_more(struct session *s) {
	if (s->outstanding >= s->limits.jobs) {
		return false; /* completions mark the session */
	}
	const bool for_room = s->outstanding >= (uint32_t)ring_server_room(&s->ring);
	return !ring_server_sleep(&s->ring, for_room);
}

/* ---- The run ---- */

/* Returns false if the session was broken. */
static bool serve_ring(struct session *s, unsigned *jobs) {
	if (!s->server->is_stopping && take_jobs(s, jobs) < 0) {
		session_break(s, -EPROTO, "invalid ring indices");
		return false;
	}
	advance(s);
	session_publish(s);
	return s->state == SESSION_OPEN;
}

bool session_may_run_request(struct session *s) {
	if (s->has_run_request && loop_now_ns() >= s->run_until_ns) {
		session_mark(s);
		return false;
	}
	s->has_run_request = true;
	return true;
}

bool session_catch_up(struct session *s) {
	unsigned jobs = JOBS_A_RUN;
	return serve_ring(s, &jobs);
}

void session_run(struct session *s) {
	unsigned jobs = JOBS_A_RUN, messages = MESSAGES_A_RUN;
	s->run_until_ns = loop_now_ns() + requests_ns;
	s->has_run_request = false;
	if (s->state == SESSION_OPEN) {
		session_meter(s);
	}
	for (struct context *c = s->contexts; c; c = c->next_context) {
		if (c->has_done && !record_is_starting(c)) {
			context_collect(c);
		}
	}
	bool is_again;
	do {
		if (s->state == SESSION_OPEN && !serve_ring(s, &jobs)) {
			return;
		}
		is_again = messages > 0 && session_read_message(s);
		if (is_again) {
			messages = loop_now_ns() < s->run_until_ns ? messages - 1 : 0;
		}
		if (!is_again && s->state == SESSION_OPEN && !s->server->is_stopping) {
			is_again = jobs > 0 && has_more(s);
		}
	} while (is_again);
	if (s->state != SESSION_BROKEN && (jobs == 0 || messages == 0)) {
		session_mark(s);
	}
}
