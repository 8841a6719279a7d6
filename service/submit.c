/* From a context's slots to the engine and back: starting, completing and answering jobs. */
#include <errno.h>

#include "service/context.h"
#include "service/message.h"
#include "service/present.h"
#include "service/presenter.h"
#include "service/record.h"
#include "service/server_impl.h"
#include "service/session.h"

enum {
	/*
	 * instead of ENGINE_DEPTH if processor time is short, since jobs in the engine cannot be
	 * delayed
	 */
	METERED_DEPTH = 2,
	/* the maximum, so that one call empties the engine */
	REAP_BATCH = ENGINE_DEPTH + 1,
};

/* ---- Answers ---- */

void context_answer(struct context *c, const struct pica_job *job, int32_t result, uint32_t flags) {
	c->completed++;
	session_push_done(c->session, job, result, flags);
	ring_server_timeline(&c->session->ring, c->timeline_slot, c->timeline, c->completed);
}

/* Answers the slots at the head that have their results. */
static void finish_ready(struct context *c) {
	struct session *s = c->session;
	const uint32_t before = c->head;
	for (; c->head != c->next; c->head++) {
		const struct pica_job *job = context_job(c, c->head);
		struct slot *slot = context_slot(c, c->head);
		if (slot->state == SLOT_ENGINE || slot->state == SLOT_FLIP) {
			break;
		}
		if (slot->state == SLOT_SIGNAL && job->u.signal.value > c->timeline) {
			c->timeline = job->u.signal.value;
			s->has_signalled = true;
		}
		region_put(slot->memory);
		s->presents -= slot->is_present;
		if (slot->state != SLOT_EMPTY) {
			c->completed++;
			session_count_latency(s, slot->arrived_ns);
			session_push_done(s, job, slot->result, slot->flags);
		}
	}
	if (c->head != before) {
		ring_server_timeline(&s->ring, c->timeline_slot, c->timeline, c->completed);
	}
}

/* The engine completes jobs in order: this is its oldest one. */
static void take_engine_done(struct context *c, const struct pica_done *done) {
	struct slot *slot;
	c->engine_jobs--;
	c->engine_done++;
	if (c->is_fence_next) {
		c->is_fence_next = false;
		return;
	}
	if ((int32_t)(c->head - c->next_engine) > 0) {
		c->next_engine = c->head;
	}
	while ((slot = context_slot(c, c->next_engine))->state != SLOT_ENGINE) {
		c->next_engine++;
	}
	c->is_fence_next = slot->is_fenced;
	slot->state = SLOT_DONE;
	slot->result = done->result;
	slot->flags = done->flags;
	if (slot->frame && slot->result == 0) {
		slot->result = present_rendered(c, c->next_engine, slot->frame);
		if (slot->result == 0) {
			slot->state = SLOT_FLIP;
			slot->frame = NULL;
		}
	}
	present_frame_free(slot->frame);
	slot->frame = NULL;
}

void context_collect(struct context *c) {
	struct pica_done done[REAP_BATCH];
	size_t n; /* taking all of it makes the descriptor unreadable */
	c->has_done = false;
	do {
		int ret = pica_reap(c->ctx, done, REAP_BATCH);
		n = ret > 0 ? (size_t)ret : 0;
		for (size_t i = 0; i < n; i++) {
			take_engine_done(c, &done[i]);
		}
	} while (n == REAP_BATCH);
	finish_ready(c);
}

bool context_flipped(struct context *c, uint32_t at, uint64_t *user_data) {
	if (at - c->head >= c->next - c->head || context_slot(c, at)->state != SLOT_FLIP) {
		return false;
	}
	context_slot(c, at)->state = SLOT_DONE;
	*user_data = context_job(c, at)->user_data;
	return true;
}

/* ---- To the engine ---- */

/*
 * Submits the batch, which ends before next: one call for many jobs wakes the engine once, or not
 * at all if they are short (PICA_CTX_AT_ONCE).
 */
static void flush(struct context *c) {
	const uint32_t first = c->next - c->n_batch;
	if (!c->n_batch) {
		return;
	}
	const int ret = pica_submit(c->ctx, context_job(c, first), c->n_batch, NULL);
	for (uint32_t i = first; ret < 0 && i != c->next; i++) {
		context_slot(c, i)->state = SLOT_DONE;
		context_slot(c, i)->result = ret;
		c->engine_jobs--;
	}
	c->n_batch = 0;
	context_collect(c);
}

/*
 * Draws by REG_WRITE stay open in the engine until a job follows or a thread waits, which the
 * loop's thread never does. So if no job follows, this adds a barrier; when out of memory, the next
 * advance of the context tries again.
 */
static void fence(struct context *c) {
	const struct pica_job barrier = { .op = PICA_OP_BARRIER };
	flush(c);
	if (!c->may_draw_on || pica_submit(c->ctx, &barrier, 1, NULL) < 0) {
		return;
	}
	if (c->engine_jobs == 0) {
		c->is_fence_next = true;
	} else {
		context_slot(c, c->last_engine)->is_fenced = true;
	}
	c->engine_jobs++;
	c->may_draw_on = false;
	context_collect(c);
}

/* The bytes of a WRITE or STATS lie in a region of the session, which the slot then holds. */
static int resolve_data(struct context *c, struct slot *slot, uint64_t *data, uint32_t size_bytes) {
	const uint32_t offset = (uint32_t)*data;
	struct region *r = session_region(c->session, (uint32_t)(*data >> 32));
	if (!r) {
		return -ENOENT;
	}
	if (offset > r->size_bytes || size_bytes > r->size_bytes - offset) {
		return -ERANGE;
	}
	*data = (uintptr_t)(r->host + offset);
	slot->memory = region_get(r);
	return 0;
}

static int resolve(struct context *c, struct slot *slot, struct pica_job *job) {
	job->handle = 0;
	if (job->op == PICA_OP_WRITE && job->u.write.size_bytes) {
		return resolve_data(c, slot, &job->u.write.data, job->u.write.size_bytes);
	}
	return job->op != PICA_OP_STATS ?
			0 :
			resolve_data(c, slot, &job->u.stats.data, job->u.stats.size_bytes);
}

/* Submits a frame for the display, by a separate call. */
static int submit_frame(struct context *c, struct slot *slot, const struct pica_job *job) {
	struct present_frame *f = present_frame_create(job, c->chip, slot->arrived_ns);
	int ret = f ? pica_submit_present(c->ctx, job, f->shot[0], f->shot[1], NULL) : -ENOMEM;
	if (ret < 0) {
		present_frame_free(f);
		return ret;
	}
	slot->frame = f;
	slot->is_present = true;
	c->session->presents++;
	return 0;
}

/* Puts the job at next into the batch, or submits it. */
static int submit(struct context *c) {
	struct slot *slot = context_slot(c, c->next);
	struct pica_job *job = context_job(c, c->next);
	const bool is_frame =
			job->op == PICA_OP_PRESENT && c->session->server->presenter;
	int ret = resolve(c, slot, job);
	if (ret < 0) {
		return ret;
	}
	if (is_frame || (c->next & (c->capacity - 1)) == 0) {
		flush(c); /* the jobs of a batch are contiguous */
	}
	ret = is_frame ? submit_frame(c, slot, job) : 0;
	if (ret < 0) {
		return ret;
	}
	slot->state = SLOT_ENGINE;
	c->last_engine = c->next;
	c->n_batch += !is_frame;
	c->engine_jobs++;
	c->may_draw_on = job->op == PICA_OP_REG_WRITE;
	context_watch_job(c);
	if (is_frame) { /* without workers it is complete, and nothing else says so */
		context_collect(c);
	}
	return 0;
}

/* ---- Jobs that can start ---- */

static void end_wait(struct context *c) {
	loop_timer_unset(c->session->server->loop, &c->wait_timer);
	c->is_waiting = false;
}

/* Returns true if the WAIT at next is over, with its result. */
static bool wait_is_over(struct context *c, int32_t *result) {
	const struct pica_job_wait *w = &context_job(c, c->next)->u.wait;
	const struct context *other = session_context(c->session, w->context);
	*result = 0;
	if (!other) {
		*result = c->is_waiting ? -ECANCELED : -ENOENT;
		return true;
	}
	if (other->timeline >= w->value) {
		return true;
	}
	const uint64_t arrived_ns = context_slot(c, c->next)->arrived_ns;
	const bool is_limited = w->timeout_ns && w->timeout_ns < UINT64_MAX - arrived_ns;
	if (is_limited && loop_now_ns() >= arrived_ns + w->timeout_ns) {
		*result = -ETIME;
		return true;
	}
	if (is_limited && !c->is_waiting) {
		loop_timer_set(c->session->server->loop, &c->wait_timer,
				arrived_ns + w->timeout_ns);
	}
	c->is_waiting = true;
	return false;
}

/* Returns whether another job of the context may go to the engine now. */
static bool has_turn(struct context *c, const struct pica_job *job) {
	const struct session *s = c->session;
	if (job->op == PICA_OP_PRESENT && s->presents >= s->limits.presents) {
		return false; /* until one of those was shown */
	}
	const bool may_run = session_has_ample_time(s) ?
			c->engine_jobs < ENGINE_DEPTH :
			c->engine_jobs < METERED_DEPTH && session_may_run(c->session);
	return may_run && record_ready(c);
}

/* Returns false if the request has to wait for earlier jobs. */
static bool begin_request(struct context *c, struct slot *slot) {
	fence(c);
	finish_ready(c);
	if (!context_has_finished(c) || !session_may_run_request(c->session)) {
		return false;
	}
	struct request *r = slot->request;
	slot->request = NULL;
	slot->state = SLOT_EMPTY;
	if (request_run(c, r)) {
		return true;
	}
	slot->request = r;
	slot->state = SLOT_QUEUED;
	session_mark(c->session);
	return false;
}

/* Begins the slot at next. Returns false if it has to wait. */
static bool begin(struct context *c) {
	struct slot *slot = context_slot(c, c->next);
	const struct pica_job *job = context_job(c, c->next);
	if (slot->request) {
		return begin_request(c, slot);
	}
	if (slot->state == SLOT_EMPTY || job->op == PICA_OP_SIGNAL) {
		flush(c);
		slot->state = slot->state == SLOT_EMPTY ? SLOT_EMPTY : SLOT_SIGNAL;
		return true;
	}
	if (job->op == PICA_OP_WAIT) {
		flush(c);
		finish_ready(c);
		if (!wait_is_over(c, &slot->result)) {
			return false;
		}
		end_wait(c);
		slot->state = SLOT_DONE;
		return true;
	}
	if (!has_turn(c, job)) {
		return false;
	}
	const int ret = submit(c);
	if (ret < 0) {
		flush(c);
		slot->state = SLOT_DONE;
		slot->result = ret;
	}
	return true;
}

void context_advance(struct context *c) {
	uint64_t before;
	finish_ready(c);
	do {
		if (record_is_starting(c)) {
			return; /* its session is marked when it has started */
		}
		before = c->engine_done + c->head;
		while (c->next != c->tail && begin(c)) {
			c->next++;
		}
		fence(c);
		finish_ready(c);
		/* Short jobs are done already: there may be room again. */
	} while (c->next != c->tail && c->engine_done + c->head != before);
	if (context_is_settled(c) && !c->session->is_recorded) {
		record_split(c);
	}
}

int32_t context_cancel(struct context *c, uint64_t user_data) {
	int32_t n = 0;
	for (uint32_t i = c->next; i != c->tail; i++) {
		struct slot *slot = context_slot(c, i);
		const struct pica_job *job = context_job(c, i);
		if (slot->request || slot->state == SLOT_EMPTY || job->user_data != user_data) {
			continue;
		}
		if (i == c->next && c->is_waiting) {
			end_wait(c);
		}
		context_answer(c, job, -ECANCELED, 0);
		slot->state = SLOT_EMPTY;
		n++;
	}
	return n;
}
