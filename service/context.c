/*
 * From the ring to the engine and back. A submission goes through two queues of its context:
 *
 *     ring --pop--> queue --pump--> engine or service --in order--> tickets --complete--> ring
 *
 * The queue holds what has not begun (CANCEL looks there); tickets stand for what has. WAIT and
 * control requests hold the head of the queue. Everything is bounded: a submission is popped only
 * if there is room for its completion.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job.h"
#include "service/metrics.h"
#include "service/reaper.h"
#include "service/present.h"
#include "service/presenter.h"
#include "service/record.h"
#include "service/server_impl.h"
#include "service/session.h"

enum {
	/* instead of ENGINE_DEPTH, where processor time is limited: what is in the engine runs */
	METERED_DEPTH = 2,
	/* at once all that there is, so that nothing is asked twice */
	REAP_BATCH = ENGINE_DEPTH + 1,
	JOBS_A_TURN = 256, /* of a session, popped; then others have theirs */
};

/* ---- Queues ---- */

static int grow(void **array, uint32_t *cap, uint32_t head, uint32_t n, size_t element) {
	uint32_t wider = *cap ? 2 * *cap : 16;
	uint8_t *grown = calloc(wider, element), *old = *array;
	if (!grown) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		memcpy(grown + (size_t)((head + i) & (wider - 1)) * element,
				old + (size_t)((head + i) & (*cap - 1)) * element, element);
	}
	free(old);
	*array = grown;
	*cap = wider;
	return 0;
}

static struct entry *queue_add(struct context *c) {
	uint32_t n = c->queue_tail - c->queue_head;
	if (n == c->cap_queue &&
			grow((void **)&c->queue, &c->cap_queue, c->queue_head, n,
					sizeof(*c->queue)) < 0) {
		return NULL;
	}
	struct entry *e = &c->queue[c->queue_tail++ & (c->cap_queue - 1)];
	memset(e, 0, sizeof(*e));
	e->arrived_ns = loop_now_ns();
	return e;
}

static struct entry *head_of_queue(const struct context *c) {
	return &c->queue[c->queue_head & (c->cap_queue - 1)];
}

static struct ticket *ticket_add(struct context *c, const struct entry *e, enum ticket_kind kind) {
	uint32_t n = c->ticket_tail - c->ticket_head;
	if (n == c->cap_tickets &&
			grow((void **)&c->tickets, &c->cap_tickets, c->ticket_head, n,
					sizeof(*c->tickets)) < 0) {
		return NULL;
	}
	struct ticket *t = &c->tickets[c->ticket_tail++ & (c->cap_tickets - 1)];
	*t = (struct ticket){ .user_data = e->job.user_data,
		.arrived_ns = e->arrived_ns,
		.kind = (uint8_t)kind,
		.op = (uint8_t)e->job.op };
	return t;
}

bool context_is_settled(const struct context *c) {
	return c->queue_head == c->queue_tail && c->ticket_head == c->ticket_tail;
}

bool context_is_idle(const struct context *c) {
	for (uint32_t i = c->ticket_head; i != c->ticket_tail; i++) {
		if (c->tickets[i & (c->cap_tickets - 1)].kind != TICKET_FENCE) {
			return false;
		}
	}
	return c->queue_head == c->queue_tail;
}

/* ---- Completions ---- */

static void push_done(struct session *s, uint64_t user_data, unsigned op, int32_t result,
		uint32_t flags) {
	const struct pica_done done = { user_data, result, flags };
	ring_server_push(&s->ring, &done);
	s->outstanding--;
	s->needs_publish = true;
	metrics_job(server_metrics(s->server), op, result);
}

static void count_latency(struct session *s, uint64_t arrived_ns) {
	uint64_t ns = loop_now_ns() - arrived_ns, us = ns / 1000;
	metrics_latency(server_metrics(s->server), ns);
	s->latency_us[s->n_latencies++ % LATENCIES] = us > UINT32_MAX ? UINT32_MAX : (uint32_t)us;
}

/* Completes a job that has no ticket: out of order. */
static void answer(struct context *c, uint64_t user_data, unsigned op, int32_t result,
		uint32_t flags) {
	c->completed++;
	push_done(c->session, user_data, op, result, flags);
	ring_server_timeline(&c->session->ring, c->slot, c->timeline, c->completed);
}

static void finish_ticket(struct context *c, int32_t result, uint32_t flags) {
	struct session *s = c->session;
	struct ticket *t = &c->tickets[c->ticket_head++ & (c->cap_tickets - 1)];
	region_put(t->memory);
	s->presents -= t->is_queued;
	if (t->kind == TICKET_FENCE) {
		return;
	}
	c->completed++;
	count_latency(s, t->arrived_ns);
	push_done(s, t->user_data, t->op, result, flags);
}

static void pump(struct context *c);

/* Contexts of the session whose WAIT may have come true. */
static void wake_waiters(struct session *s) {
	for (struct context *c = s->contexts; c; c = c->next) {
		if (c->is_waiting) {
			pump(c);
		}
	}
}

/* Completes what needs no engine at the front of the tickets. */
static void finish_ready(struct context *c) {
	bool signalled = false;
	while (c->ticket_head != c->ticket_tail) {
		const struct ticket *t = &c->tickets[c->ticket_head & (c->cap_tickets - 1)];
		const bool is_fenced = t->kind == TICKET_FENCE && !t->is_done;
		if (t->kind == TICKET_ENGINE || t->kind == TICKET_FLIP || is_fenced) {
			break;
		}
		if (t->kind == TICKET_SIGNAL && t->value > c->timeline) {
			c->timeline = t->value;
			signalled = true;
		}
		finish_ticket(c, t->result, t->flags);
	}
	ring_server_timeline(&c->session->ring, c->slot, c->timeline, c->completed);
	if (signalled) {
		wake_waiters(c->session);
	}
}

/* The engine completes jobs in order: this is the oldest of its tickets. */
static void take_engine_done(struct context *c, const struct pica_done *done) {
	if ((int32_t)(c->ticket_head - c->next_engine) > 0) {
		c->next_engine = c->ticket_head;
	}
	struct ticket *t;
	uint32_t at;
	do {
		at = c->next_engine++;
		t = &c->tickets[at & (c->cap_tickets - 1)];
	} while (t->kind != TICKET_ENGINE && (t->kind != TICKET_FENCE || t->is_done));
	c->engine_jobs--;
	c->engine_done++;
	if (t->kind == TICKET_FENCE) {
		t->is_done = true;
		return;
	}
	t->kind = TICKET_DONE;
	t->result = done->result;
	t->flags = done->flags;
	if (t->frame && t->result == 0) {
		t->result = present_rendered(c, at, t->frame);
		if (t->result == 0) {
			t->kind = TICKET_FLIP;
			t->frame = NULL;
		}
	}
	present_frame_free(t->frame);
	t->frame = NULL;
}

bool context_flipped(struct context *c, uint32_t ticket, uint64_t *user_data) {
	struct ticket *t = &c->tickets[ticket & (c->cap_tickets - 1)];
	if (ticket - c->ticket_head >= c->ticket_tail - c->ticket_head || t->kind != TICKET_FLIP) {
		return false;
	}
	t->kind = TICKET_DONE;
	*user_data = t->user_data;
	return true;
}

static void reap(struct context *c) {
	struct pica_done done[REAP_BATCH];
	size_t n; /* reaping all of it makes the descriptor unreadable */
	do {
		int ret = pica_reap(c->ctx, done, REAP_BATCH);
		n = ret > 0 ? (size_t)ret : 0;
		for (size_t i = 0; i < n; i++) {
			take_engine_done(c, &done[i]);
			finish_ready(c);
		}
	} while (n == REAP_BATCH);
}

static void on_engine_done(void *owner, uint32_t events) {
	struct context *c = owner;
	/* What it wakes may be itself, which is not to reap what comes behind these. */
	c->is_pumping = true;
	reap(c);
	c->is_pumping = false;
	pump(c);
	session_drain(c->session); /* there is room again; publishes */
}

/* ---- To the engine ---- */

/* The bytes of a WRITE or STATS: in a region of the session, which the ticket then holds. */
static int resolve_data(
		struct context *c, uint64_t *data, uint32_t size_bytes, struct region **memory) {
	uint32_t handle = (uint32_t)(*data >> 32), offset = (uint32_t)*data;
	struct region *r = session_region(c->session, handle);
	if (!r) {
		return -ENOENT;
	}
	if (offset > r->size_bytes || size_bytes > r->size_bytes - offset) {
		return -ERANGE;
	}
	*data = (uintptr_t)(r->host + offset);
	*memory = region_get(r);
	return 0;
}

/*
 * Hands over what was put together: one call for many jobs wakes the engine once, or not at all, if
 * they are short (PICA_CTX_AT_ONCE).
 */
static void flush(struct context *c) {
	if (!c->n_batch) {
		return;
	}
	int ret = pica_submit(c->ctx, c->batch, c->n_batch, NULL);
	uint32_t failed = ret < 0 ? c->n_batch : 0;
	c->n_batch = 0;
	/* The last of the engine's tickets are theirs. */
	for (uint32_t i = c->ticket_tail; failed; i--) {
		struct ticket *t = &c->tickets[(i - 1) & (c->cap_tickets - 1)];
		if (t->kind == TICKET_ENGINE) {
			t->kind = TICKET_DONE;
			t->result = ret;
			c->engine_jobs--;
			failed--;
		}
	}
	reap(c);
}

/* A frame for the display: its own call, behind what was put together. */
static int submit_present(struct context *c, const struct pica_job *job, struct ticket *t) {
	struct present_frame *f = present_frame_create(job, t->arrived_ns);
	int ret = f ? pica_submit_present(c->ctx, job, f->shot[0], f->shot[1], NULL) : -ENOMEM;
	if (ret < 0) {
		present_frame_free(f);
		return ret;
	}
	t->frame = f;
	t->is_queued = true;
	c->session->presents++;
	return 0;
}

static int submit(struct context *c, const struct entry *e) {
	struct pica_job job = e->job;
	struct region *memory = NULL;
	int ret = 0;
	if (job.op == PICA_OP_WRITE && job.u.write.size_bytes) {
		ret = resolve_data(c, &job.u.write.data, job.u.write.size_bytes, &memory);
	} else if (job.op == PICA_OP_STATS) {
		ret = resolve_data(c, &job.u.stats.data, job.u.stats.size_bytes, &memory);
	}
	if (ret == 0) {
		bool is_frame = job.op == PICA_OP_PRESENT && server_presenter(c->session->server);
		job.handle = 0;
		if (is_frame) {
			flush(c);
		}
		struct ticket *t = ticket_add(c, e, TICKET_ENGINE);
		ret = t ? 0 : -ENOMEM;
		if (t) {
			t->memory = memory;
			ret = is_frame ? submit_present(c, &job, t) : 0;
			if (ret < 0) {
				t->kind = TICKET_DONE;
				t->result = ret;
				return 0;
			}
			if (!is_frame) {
				c->batch[c->n_batch++] = job;
			}
			c->engine_jobs++;
			c->may_draw_on = job.op == PICA_OP_REG_WRITE;
			context_watch_job(c);
			if (is_frame) {
				reap(c);
			}
			return 0;
		}
	}
	region_put(memory);
	return ret;
}

/*
 * Draws by REG_WRITE stay open in the engine until something follows, or somebody waits on its
 * threads, which we never do: where nothing follows, a barrier of ours does. Without memory for it:
 * when the context is pumped the next time.
 */
static void fence(struct context *c) {
	flush(c);
	if (!c->may_draw_on) {
		return;
	}
	const struct entry e = { .job = { .op = PICA_OP_BARRIER } };
	struct ticket *t = ticket_add(c, &e, TICKET_FENCE);
	int ret = t ? pica_submit(c->ctx, &e.job, 1, NULL) : -ENOMEM;
	if (ret < 0) {
		c->ticket_tail -= t != NULL;
		return;
	}
	c->engine_jobs++;
	c->may_draw_on = false;
	reap(c);
}

static void complete_at_once(struct context *c, const struct entry *e, int32_t result) {
	struct ticket *t = ticket_add(c, e, TICKET_DONE);
	if (t) {
		t->result = result;
	} else {
		/* out of order, but said */
		answer(c, e->job.user_data, e->job.op, -ENOMEM, 0);
	}
}

static void on_wait_timeout(void *owner) {
	struct context *c = owner;
	pump(c);
	session_drain(c->session); /* there may be room again; publishes */
}

/* True: the WAIT at the head is over, with *result. */
static bool wait_is_over(struct context *c, const struct entry *e, int32_t *result) {
	const struct pica_job_wait *w = &e->job.u.wait;
	const struct context *other = session_context(c->session, w->context);
	*result = 0;
	if (!other) {
		*result = c->is_waiting ? -ECANCELED : -ENOENT;
		return true;
	}
	if (other->timeline >= w->value) {
		return true;
	}
	uint64_t deadline = w->timeout_ns ? e->arrived_ns + w->timeout_ns : UINT64_MAX;
	if (w->timeout_ns && deadline < w->timeout_ns) {
		deadline = UINT64_MAX;
	}
	if (loop_now_ns() >= deadline) {
		*result = -ETIME;
		return true;
	}
	if (!c->is_waiting && deadline != UINT64_MAX) {
		loop_timer_set(server_loop(c->session->server), &c->wait_timer, deadline);
	}
	c->is_waiting = true;
	return false;
}

/*
 * Whether another job of the context goes to the engine now; pump() is called when that has
 * changed.
 */
static bool has_turn(struct context *c) {
	const uint32_t depth = c->session->limits.cpu_ns_per_s ? METERED_DEPTH : ENGINE_DEPTH;
	return c->engine_jobs < depth && session_may_run(c->session) && record_ready(c);
}

/* Sets the head of the queue going. False: it has to wait. */
static bool start(struct context *c, const struct entry *e) {
	int32_t result;
	if (e->request) {
		fence(c);
		if (c->ticket_head != c->ticket_tail) {
			return false;
		}
		request_run(c, e->request);
		return true;
	}
	switch (e->job.op) {
	case PICA_OP_COUNT: /* cancelled, and answered */
		return true;
	case PICA_OP_SIGNAL: {
		struct ticket *t = ticket_add(c, e, TICKET_SIGNAL);
		if (t) {
			t->value = e->job.u.signal.value;
		} else {
			answer(c, e->job.user_data, e->job.op, -ENOMEM, 0);
		}
		return true;
	}
	case PICA_OP_WAIT:
		if (!wait_is_over(c, e, &result)) {
			return false;
		}
		loop_timer_unset(server_loop(c->session->server), &c->wait_timer);
		c->is_waiting = false;
		complete_at_once(c, e, result);
		return true;
	default:
		if (e->job.op == PICA_OP_PRESENT &&
				c->session->presents >= c->session->limits.presents) {
			fence(c);
			return false; /* until one of those was shown */
		}
		if (!has_turn(c)) {
			fence(c);
			return false;
		}
		result = submit(c, e);
		if (result < 0) {
			complete_at_once(c, e, result);
		}
		return true;
	}
}

static void pump(struct context *c) {
	if (c->is_pumping || record_is_starting(c)) {
		/* a signal of ours woke us: the outer call goes on; or context_resume() will */
		return;
	}
	int32_t ignored;
	uint64_t before;
	bool again;
	c->is_pumping = true;
	do {
		before = c->engine_done + c->ticket_head;
		while (c->queue_head != c->queue_tail) {
			/* Copied: what it starts may grow the queue. */
			struct entry e = *head_of_queue(c);
			if (!start(c, &e)) {
				break;
			}
			c->queue_head++;
			finish_ready(c);
		}
		flush(c);
		if (c->queue_head == c->queue_tail || c->is_waiting) {
			fence(c);
		}
		finish_ready(c);
		/*
		 * A signal of our own may have ended our wait, or the engine be done at once, or
		 * have taken nothing.
		 */
		again = c->is_waiting ? wait_is_over(c, head_of_queue(c), &ignored) :
				c->queue_head != c->queue_tail &&
						c->engine_done + c->ticket_head != before;
	} while (again && !record_is_starting(c));
	c->is_pumping = false;
	if (context_is_settled(c) && !c->session->is_recorded) {
		record_split(c);
	}
}

void context_resume(struct context *c) {
	finish_ready(c);
	pump(c);
	session_drain(c->session); /* publishes */
}

/* ---- From the ring ---- */

/* Ends what has not begun and carries the user_data. Returns how many. */
static int32_t cancel(struct context *c, uint64_t user_data) {
	int32_t n = 0;
	for (uint32_t i = c->queue_head; i != c->queue_tail; i++) {
		struct entry *e = &c->queue[i & (c->cap_queue - 1)];
		bool is_head_wait = i == c->queue_head && c->is_waiting;
		if (!e->request && e->job.user_data == user_data && e->job.op < PICA_OP_COUNT) {
			if (is_head_wait) {
				loop_timer_unset(server_loop(c->session->server), &c->wait_timer);
				c->is_waiting = false;
			}
			/* Its place stays, as nothing. */
			answer(c, user_data, e->job.op, -ECANCELED, 0);
			e->job = (struct pica_job){ .op = PICA_OP_COUNT };
			n++;
		}
	}
	return n;
}

static void route(struct session *s, const struct pica_job *job) {
	struct context *c = session_context(s, job->handle);
	const char *reason;
	s->jobs++;
	if (!c) {
		push_done(s, job->user_data, job->op, -ENOENT, 0);
		return;
	}
	if (job_check(job, &reason) < 0) {
		answer(c, job->user_data, job->op, -EINVAL, PICA_DONE_BAD_INPUT);
		server_log(s->server, LOG_LEVEL_DEBUG,
				"event=bad_job session=%llu op=%u reason=\"%s\"",
				(unsigned long long)s->id, job->op, reason);
		return;
	}
	if (job->op == PICA_OP_CANCEL) {
		int32_t n = cancel(c, job->u.cancel.user_data);
		answer(c, job->user_data, job->op, n, 0);
		pump(c);
		return;
	}
	struct entry *e = queue_add(c);
	if (!e) {
		answer(c, job->user_data, job->op, -ENOMEM, 0);
		return;
	}
	e->job = *job;
}

static void pump_all(struct session *s) {
	for (struct context *c = s->contexts; c; c = c->next) {
		pump(c);
	}
}

void session_drain(struct session *s) {
	if (s->state != SESSION_OPEN || s->is_draining) {
		return;
	}
	if (server_is_stopping(s->server)) {
		session_publish(s); /* what is done by now is told, nothing more is taken */
		return;
	}
	s->is_draining = true;
	uint32_t left = JOBS_A_TURN;
	ring_server_awake(&s->ring);
	for (;;) {
		int got = 0, room = ring_server_room(&s->ring);
		uint32_t most = room > 0 ? (uint32_t)room : 0;
		most = most < s->limits.jobs ? most : s->limits.jobs;
		while (room >= 0 && s->outstanding < most && left > 0) {
			struct pica_job job;
			got = ring_server_pop(&s->ring, &job);
			if (got <= 0) {
				break;
			}
			s->outstanding++;
			s->needs_publish = true; /* somebody may wait for a slot */
			left--;
			route(s, &job);
			room = ring_server_room(&s->ring);
			most = room > 0 && (uint32_t)room < s->limits.jobs ? (uint32_t)room :
									     s->limits.jobs;
		}
		if (room < 0 || got < 0) {
			s->is_draining = false;
			session_break(s, -EPROTO, "ring indices that cannot be");
			return;
		}
		pump_all(s);
		session_publish(s);
		if (s->outstanding >= s->limits.jobs) {
			break; /* completions will bring us back */
		}
		if (left == 0) {
			session_again(s);
			break;
		}
		bool for_room = s->outstanding >= (uint32_t)ring_server_room(&s->ring);
		if (ring_server_sleep(&s->ring, for_room)) {
			break;
		}
	}
	s->is_draining = false;
}

int context_add_request(struct context *c, struct request *r) {
	struct entry *e = queue_add(c);
	if (!e) {
		return -ENOMEM;
	}
	e->request = r;
	pump(c);
	session_publish(c->session);
	return 0;
}

/* ---- Life ---- */

int context_create(
		struct context **out, struct session *s, const struct pica_msg_context_create *m) {
	if (s->n_contexts >= s->limits.contexts || s->n_contexts >= PICA_RING_TIMELINES) {
		return -EDQUOT;
	}
	struct context *c = calloc(1, sizeof(*c));
	if (!c) {
		return -ENOMEM;
	}
	struct pica_ctx_settings settings;
	pica_ctx_settings_init(&settings);
	settings.fcram_bytes = m->fcram_bytes;
	settings.vram_bytes = m->vram_bytes;
	settings.owner = s->id;
	settings.priority = s->priority;
	settings.rank = m->priority;
	settings.flags = PICA_CTX_AT_ONCE;
	if (m->arithmetic) {
		settings.flags |= PICA_CTX_ARITHMETIC;
		settings.float_mode = m->arithmetic & PICA_ARITHMETIC_F32 ? PICA_FLOAT_F32 :
									    PICA_FLOAT_F24;
		settings.combiner = m->arithmetic & PICA_ARITHMETIC_TRUNCATE ?
				PICA_COMBINER_TRUNCATE :
				PICA_COMBINER_NEAREST;
	}
	settings.budgets = (struct pica_budgets){ .list_words = s->limits.list_words,
		.list_jumps = s->limits.list_jumps, .vertices = s->limits.vertices,
		.shader_steps = s->limits.shader_steps, .pixels = s->limits.pixels,
		.job_steps = s->limits.job_steps };
	int ret = pica_ctx_create(&c->ctx, server_device(s->server), &settings);
	if (ret < 0) {
		free(c);
		return ret;
	}
	c->session = s;
	ret = loop_watch_add(server_loop(s->server), &c->done_watch, pica_done_fd(c->ctx),
			LOOP_READ, on_engine_done, c);
	if (ret < 0) {
		pica_ctx_destroy(c->ctx);
		free(c);
		return ret;
	}
	c->wait_timer.fn = on_wait_timeout;
	c->wait_timer.owner = c;
	while (s->used_slots >> c->slot & 1) {
		c->slot++;
	}
	s->used_slots |= 1ull << c->slot;
	c->handle = ++s->next_handle;
	c->next = s->contexts;
	s->contexts = c;
	s->n_contexts++;
	ring_server_timeline(&s->ring, c->slot, 0, 0);
	*out = c;
	return 0;
}

/* What jobs in flight may touch: regions that are mapped here, and those that tickets hold. */
static void give_to_reaper(struct context *c) {
	struct session *s = c->session;
	struct remains *m = calloc(1, sizeof(*m));
	uint32_t n = s->n_regions + (c->ticket_tail - c->ticket_head);
	struct region **regions = calloc(n ? n : 1, sizeof(struct region *));
	if (!m || !regions) {
		/* No memory for a note: destroyed here and now, which may take a while. */
		record_drop(c);
		pica_ctx_destroy(c->ctx);
		for (uint32_t i = c->ticket_head; i != c->ticket_tail; i++) {
			region_put(c->tickets[i & (c->cap_tickets - 1)].memory);
		}
		free(m);
		free(regions);
		return;
	}
	m->ctx = c->ctx;
	m->regions = regions;
	m->dying = s->dying;
	atomic_fetch_add_explicit(&m->dying->refs, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&m->dying->contexts, 1, memory_order_relaxed);
	for (uint32_t i = 0; i < s->n_regions; i++) {
		if ((s->regions[i]->flags & PICA_REGION_MAPPED) &&
				s->regions[i]->context == c->handle) {
			regions[m->n_regions++] = region_get(s->regions[i]);
		}
	}
	for (uint32_t i = c->ticket_head; i != c->ticket_tail; i++) {
		struct region *memory = c->tickets[i & (c->cap_tickets - 1)].memory;
		if (memory) {
			regions[m->n_regions++] = memory;
		}
	}
	if (!record_abandon(c, m)) {
		reaper_add(server_reaper(s->server), m);
	}
}

void context_destroy(struct context *c) {
	struct session *s = c->session;
	struct loop *loop = server_loop(s->server);
	struct context **link = &s->contexts;
	while (*link != c) {
		link = &(*link)->next;
	}
	*link = c->next;
	s->n_contexts--;
	s->used_slots &= ~(1ull << c->slot);
	loop_timer_unset(loop, &c->wait_timer);
	loop_timer_unset(loop, &c->job_timer);
	loop_watch_remove(loop, c->done_watch);
	if (!c->recording) {
		pica_ctx_abandon(c->ctx);
	}
	context_usage_ends(c);
	/* Whatever was submitted is answered. */
	for (uint32_t i = c->ticket_head; i != c->ticket_tail; i++) {
		const struct ticket *t = &c->tickets[i & (c->cap_tickets - 1)];
		s->presents -= t->is_queued;
		present_frame_free(t->frame); /* the engine has references of its own */
		if (t->kind != TICKET_FENCE) {
			push_done(s, t->user_data, t->op, -ECANCELED, 0);
		}
	}
	for (uint32_t i = c->queue_head; i != c->queue_tail; i++) {
		struct entry *e = &c->queue[i & (c->cap_queue - 1)];
		if (e->request) {
			session_reply_error(s, &e->request->u.head, -ECANCELED,
					"its context was destroyed");
			request_free(e->request);
		} else if (e->job.op < PICA_OP_COUNT) {
			push_done(s, e->job.user_data, e->job.op, -ECANCELED, 0);
		}
	}
	give_to_reaper(c);
	free(c->queue);
	free(c->tickets);
	free(c);
	wake_waiters(s); /* on its timeline: -ECANCELED */
}
