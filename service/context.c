/* A context: creation, destruction, and its ring of slots. */
#include "service/context.h"

#include <errno.h>
#include <stdlib.h>

#include "service/message.h"
#include "service/present.h"
#include "service/reaper.h"
#include "service/record.h"
#include "service/server_impl.h"
#include "service/session.h"

enum { FIRST_SLOTS = 16 };

/* ---- Slots ---- */

int context_reserve(struct context *c) {
	const uint32_t capacity = c->capacity ? 2 * c->capacity : FIRST_SLOTS;
	if (c->tail - c->head < c->capacity) {
		return 0;
	}
	struct pica_job *jobs = calloc(capacity, sizeof(*jobs));
	struct slot *slots = calloc(capacity, sizeof(*slots));
	if (!jobs || !slots) {
		free(jobs);
		free(slots);
		return -ENOMEM;
	}
	for (uint32_t i = c->head; i != c->tail; i++) {
		jobs[i & (capacity - 1)] = *context_job(c, i);
		slots[i & (capacity - 1)] = *context_slot(c, i);
	}
	free(c->jobs);
	free(c->slots);
	c->jobs = jobs;
	c->slots = slots;
	c->capacity = capacity;
	return 0;
}

struct slot *context_push(struct context *c) {
	struct slot *slot = context_slot(c, c->tail++);
	*slot = (struct slot){ .arrived_ns = loop_now_ns() };
	return slot;
}

int context_add_request(struct context *c, struct request *r) {
	const int ret = context_reserve(c);
	if (ret == 0) {
		context_push(c)->request = r;
	}
	return ret;
}

bool context_is_idle(const struct context *c) {
	return c->head == c->tail;
}

bool context_has_finished(const struct context *c) {
	return c->head == c->next && c->engine_jobs == 0;
}

bool context_is_settled(const struct context *c) {
	return context_is_idle(c) && context_has_finished(c);
}

/* ---- Life ---- */

static void on_engine_done(void *owner, uint32_t events) {
	struct context *c = owner;
	c->has_done = true;
	session_mark(c->session);
}

static void on_wait_timeout(void *owner) {
	const struct context *c = owner;
	session_mark(c->session);
}

static void fill_settings(struct pica_ctx_settings *out, const struct session *s,
		const struct pica_msg_context_create *m) {
	pica_ctx_settings_init(out);
	out->fcram_bytes = m->fcram_bytes;
	out->vram_bytes = m->vram_bytes;
	out->chip = m->chip;
	out->owner = s->id;
	out->user = (uint64_t)s->uid + 1;
	out->memory = s->memory;
	out->priority = s->priority;
	out->rank = m->priority;
	out->flags = PICA_CTX_AT_ONCE;
	if (m->arithmetic) {
		out->flags |= PICA_CTX_ARITHMETIC;
		out->float_mode = m->arithmetic & PICA_ARITHMETIC_F32 ? PICA_FLOAT_F32 :
									PICA_FLOAT_F24;
		out->combiner = m->arithmetic & PICA_ARITHMETIC_TRUNCATE ?
				PICA_COMBINER_TRUNCATE :
				PICA_COMBINER_NEAREST;
	}
	out->budgets = (struct pica_budgets){ .list_words = s->limits.list_words,
		.list_jumps = s->limits.list_jumps, .vertices = s->limits.vertices,
		.shader_steps = s->limits.shader_steps, .pixels = s->limits.pixels,
		.job_steps = s->limits.job_steps };
}

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
	fill_settings(&settings, s, m);
	int ret = region_charge(&c->windows, &s->server->regions, s->uid,
			m->fcram_bytes + m->vram_bytes);
	if (ret < 0) {
		goto err_free;
	}
	ret = pica_ctx_create(&c->ctx, s->server->device, &settings);
	if (ret < 0) {
		goto err_windows;
	}
	ret = loop_watch_add(s->server->loop, &c->done_watch, pica_done_fd(c->ctx),
			on_engine_done, c);
	if (ret < 0) {
		goto err_ctx;
	}
	c->session = s;
	session_charge(s, c->windows->size_bytes);
	c->wait_timer.fn = on_wait_timeout;
	c->wait_timer.owner = c;
	while (s->used_timelines >> c->timeline_slot & 1) {
		c->timeline_slot++;
	}
	s->used_timelines |= 1ull << c->timeline_slot;
	c->handle = ++s->next_handle;
	c->chip = m->chip;
	c->next_context = s->contexts;
	s->contexts = c;
	s->n_contexts++;
	ring_server_timeline(&s->ring, c->timeline_slot, 0, 0);
	*out = c;
	return 0;

err_ctx:
	pica_ctx_destroy(c->ctx);
err_windows:
	region_drop(c->windows);
err_free:
	free(c);
	return ret;
}

/* Jobs in flight may use the regions that are mapped here, and those that slots hold. */
static void give_to_reaper(struct context *c) {
	struct session *s = c->session;
	struct retired *m = calloc(1, sizeof(*m));
	const uint32_t n = s->n_regions + (c->next - c->head) + 1;
	struct region **regions = calloc(n, sizeof(struct region *));
	if (!m || !regions) {
		/* Out of memory: destroys it at once, which may take a while. */
		record_drop(c);
		pica_ctx_destroy(c->ctx);
		for (uint32_t i = c->head; i != c->next; i++) {
			region_put(context_slot(c, i)->memory);
		}
		free(m);
		free(regions);
		return;
	}
	m->ctx = c->ctx;
	m->regions = regions;
	regions[m->n_regions++] = region_get(c->windows);
	m->account = s->account;
	m->uid = s->uid;
	atomic_fetch_add_explicit(&m->account->refs, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&m->account->contexts, 1, memory_order_relaxed);
	for (uint32_t i = 0; i < s->n_regions; i++) {
		if (s->regions[i]->context == c->handle) {
			regions[m->n_regions++] = region_get(s->regions[i]);
		}
	}
	for (uint32_t i = c->head; i != c->next; i++) {
		struct region *memory = context_slot(c, i)->memory;
		if (memory) {
			regions[m->n_regions++] = memory;
		}
	}
	if (!record_abandon(c, m)) {
		reaper_add(s->server->reaper, m);
	}
}

/* Submitted jobs are answered. */
static void cancel_all(struct context *c) {
	struct session *s = c->session;
	for (uint32_t i = c->head; i != c->tail; i++) {
		const struct slot *slot = context_slot(c, i);
		s->presents -= slot->is_present;
		present_frame_free(slot->frame); /* the engine has references of its own */
		if (slot->request) {
			session_reply_error(s, &slot->request->u.head, -ECANCELED,
					"its context was destroyed");
			request_free(slot->request);
		} else if (slot->state != SLOT_EMPTY) {
			session_push_done(s, context_job(c, i), -ECANCELED, 0);
		}
	}
}

void context_destroy(struct context *c) {
	struct session *s = c->session;
	struct loop *loop = s->server->loop;
	struct context **link = &s->contexts;
	while (*link != c) {
		link = &(*link)->next_context;
	}
	*link = c->next_context;
	s->n_contexts--;
	s->used_timelines &= ~(1ull << c->timeline_slot);
	session_charge(s, -(int64_t)c->windows->size_bytes);
	s->last_context = s->last_context == c ? NULL : s->last_context;
	s->has_signalled = true; /* a WAIT on its timeline ends with -ECANCELED */
	loop_timer_unset(loop, &c->wait_timer);
	loop_timer_unset(loop, &c->job_timer);
	loop_watch_remove(loop, c->done_watch);
	if (!c->recording) {
		pica_ctx_abandon(c->ctx);
	}
	context_usage_ends(c);
	cancel_all(c);
	give_to_reaper(c);
	region_drop(c->windows);
	free(c->jobs);
	free(c->slots);
	free(c);
}
