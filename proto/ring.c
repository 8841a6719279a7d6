#include "ring.h"

#include <errno.h>
#include <string.h>

/*
 * Shared words are plain integers in the header, because C++ and C have no common atomic type;
 * these are all the accesses to them.
 */
static uint32_t load_acquire(const uint32_t *p) {
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static uint32_t load_relaxed(const uint32_t *p) {
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static void store_release(uint32_t *p, uint32_t value) {
	__atomic_store_n(p, value, __ATOMIC_RELEASE);
}

static void store_relaxed(uint32_t *p, uint32_t value) {
	__atomic_store_n(p, value, __ATOMIC_RELAXED);
}

static void full_fence(void) {
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Copies from memory that its owner may be changing, word by word; only the copy is used. */
static void copy_in(void *dst, const void *src, size_t size_bytes) {
	uint32_t *d = dst;
	const uint32_t *s = src;
	for (size_t i = 0; i < size_bytes / 4; i++) {
		d[i] = load_relaxed(&s[i]);
	}
}

static void copy_out(void *dst, const void *src, size_t size_bytes) {
	uint32_t *d = dst;
	const uint32_t *s = src;
	for (size_t i = 0; i < size_bytes / 4; i++) {
		store_relaxed(&d[i], s[i]);
	}
}

/* ---- Layout ---- */

static uint32_t align64(uint32_t x) {
	return (x + 63) & ~63u;
}

void ring_layout(struct pica_ring_header *h, uint32_t sq_entries) {
	uint32_t n = PICA_RING_MIN_ENTRIES;
	while (n < sq_entries && n < PICA_RING_MAX_ENTRIES) {
		n *= 2;
	}
	memset(h, 0, sizeof(*h));
	h->magic = PICA_RING_MAGIC;
	h->version = PICA_RING_VERSION;
	h->sq_entries = n;
	h->cq_entries = 2 * n;
	h->event_entries = PICA_RING_EVENTS;
	h->control_offset = PICA_RING_CONTROL_OFFSET;
	h->cq_offset = align64(h->control_offset + (uint32_t)sizeof(struct pica_ring_control));
	h->sq_offset = align64(h->cq_offset + h->cq_entries * (uint32_t)sizeof(struct pica_done));
	h->event_offset = align64(h->sq_offset + n * (uint32_t)sizeof(struct pica_job));
	h->size_bytes = h->event_offset + h->event_entries * (uint32_t)sizeof(struct pica_event);
	h->size_bytes = (h->size_bytes + 4095) & ~4095u;
}

int ring_check(const struct pica_ring_header *h, size_t size_bytes) {
	struct pica_ring_header want;
	ring_layout(&want, h->sq_entries);
	return memcmp(h, &want, sizeof(want)) == 0 && size_bytes >= want.size_bytes ? 0 : -EPROTO;
}

static void *at(void *base, uint32_t offset) {
	return (uint8_t *)base + offset;
}

/* ---- Service ---- */

void ring_server_init(struct ring_server *r, void *base, const struct pica_ring_header *h) {
	memset(r, 0, sizeof(*r));
	memcpy(base, h, sizeof(*h));
	r->control = at(base, h->control_offset);
	r->sq = at(base, h->sq_offset);
	r->cq = at(base, h->cq_offset);
	r->events = at(base, h->event_offset);
	r->sq_mask = h->sq_entries - 1;
	r->cq_mask = h->cq_entries - 1;
	r->event_mask = h->event_entries - 1;
}

int ring_server_pop(struct ring_server *r, struct pica_job *job) {
	uint32_t ahead = load_acquire(&r->control->sq_tail) - r->sq_head;
	if (ahead == 0) {
		return 0;
	}
	if (ahead > r->sq_mask + 1) {
		return -EPROTO;
	}
	copy_in(job, &r->sq[r->sq_head & r->sq_mask], sizeof(*job));
	r->sq_head++;
	return 1;
}

void ring_server_release(struct ring_server *r) {
	store_release(&r->control->sq_head, r->sq_head);
}

int ring_server_room(struct ring_server *r) {
	uint32_t head = load_acquire(&r->control->cq_head);
	if (r->cq_tail - head > r->cq_tail - r->cq_head) {
		return -EPROTO; /* before the last head, or beyond the tail */
	}
	r->cq_head = head;
	return (int)(r->cq_mask + 1 - (r->cq_tail - head));
}

void ring_server_push(struct ring_server *r, const struct pica_done *done) {
	copy_out(&r->cq[r->cq_tail & r->cq_mask], done, sizeof(*done));
	r->cq_tail++;
}

/* Call after a publication. Returns whether the other side, the owner of the flags, sleeps. */
static bool other_sleeps(const uint32_t *flags) {
	full_fence(); /* pairs with the fence of sleep() */
	return load_acquire(flags) & PICA_RING_NEED_WAKEUP;
}

bool ring_server_publish(struct ring_server *r) {
	store_release(&r->control->sq_head, r->sq_head);
	store_release(&r->control->cq_tail, r->cq_tail);
	const bool must_ring = r->must_ring;
	r->must_ring = false;
	/* An outdated cq_wanted causes an unneeded ring, never a missing one. */
	return other_sleeps(&r->control->client_flags) &&
			(must_ring ||
					(int32_t)(r->cq_tail -
							load_relaxed(&r->control->cq_wanted)) >= 0);
}

void ring_server_event(struct ring_server *r, const struct pica_event *event) {
	struct pica_event *slot = &r->events[r->event_tail & r->event_mask];
	struct pica_event e = *event;
	/* As a sequence lock: 0 while the words change. */
	store_relaxed(&slot->seq, 0);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	copy_out((uint32_t *)(void *)slot + 1, (uint32_t *)(void *)&e + 1, sizeof(e) - 4);
	r->event_tail++;
	store_release(&slot->seq, r->event_tail);
	store_release(&r->control->event_tail, r->event_tail);
	r->must_ring = true;
}

void ring_server_timeline(
		struct ring_server *r, uint32_t slot, uint64_t timeline, uint64_t completed) {
	__atomic_store_n(&r->control->timeline[slot % PICA_RING_TIMELINES], timeline,
			__ATOMIC_RELEASE);
	__atomic_store_n(&r->control->completed[slot % PICA_RING_TIMELINES], completed,
			__ATOMIC_RELEASE);
}

bool ring_server_sleep(struct ring_server *r, bool for_room) {
	const struct pica_ring_control *c = r->control;
	r->flags |= PICA_RING_NEED_WAKEUP;
	store_relaxed(&r->control->service_flags, r->flags);
	full_fence(); /* pairs with the fence of other_sleeps() in the client */
	if (for_room ? load_acquire(&c->cq_head) != r->cq_head :
		       load_acquire(&c->sq_tail) != r->sq_head) {
		ring_server_awake(r);
		return false;
	}
	return true;
}

void ring_server_awake(struct ring_server *r) {
	r->flags &= ~(uint32_t)PICA_RING_NEED_WAKEUP;
	store_relaxed(&r->control->service_flags, r->flags);
}

void ring_server_kill(struct ring_server *r) {
	r->flags |= PICA_RING_DEAD;
	r->must_ring = true;
	store_release(&r->control->service_flags, r->flags);
}

/* ---- Client ---- */

int ring_client_init(struct ring_client *r, void *base, size_t size_bytes) {
	struct pica_ring_header h;
	if (size_bytes < PICA_RING_CONTROL_OFFSET) {
		return -EPROTO;
	}
	memcpy(&h, base, sizeof(h));
	if (ring_check(&h, size_bytes) < 0) {
		return -EPROTO;
	}
	memset(r, 0, sizeof(*r));
	r->control = at(base, h.control_offset);
	r->sq = at(base, h.sq_offset);
	r->cq = at(base, h.cq_offset);
	r->events = at(base, h.event_offset);
	r->sq_entries = h.sq_entries;
	r->cq_entries = h.cq_entries;
	r->event_entries = h.event_entries;
	return 0;
}

bool ring_client_has_slot(const struct ring_client *r) {
	return r->sq_tail - load_acquire(&r->control->sq_head) < r->sq_entries;
}

bool ring_client_must_reap(const struct ring_client *r) {
	/* Each submission has one completion, and both are counted from 0. */
	return load_acquire(&r->control->sq_head) - r->cq_head >= r->cq_entries;
}

struct pica_job *ring_client_slot(struct ring_client *r) {
	if (!ring_client_has_slot(r)) {
		return NULL;
	}
	struct pica_job *slot = &r->sq[r->sq_tail++ & (r->sq_entries - 1)];
	memset(slot, 0, sizeof(*slot));
	return slot;
}

uint32_t ring_client_pending(const struct ring_client *r) {
	return r->sq_tail - r->sq_shown;
}

bool ring_client_publish(struct ring_client *r) {
	r->sq_shown = r->sq_tail;
	store_release(&r->control->sq_tail, r->sq_tail);
	return other_sleeps(&r->control->service_flags);
}

int ring_client_pop(struct ring_client *r, struct pica_done *done) {
	uint32_t ahead = load_acquire(&r->control->cq_tail) - r->cq_head;
	if (ahead == 0) {
		return 0;
	}
	if (ahead > r->cq_entries) {
		return -EPROTO;
	}
	copy_in(done, &r->cq[r->cq_head & (r->cq_entries - 1)], sizeof(*done));
	r->cq_head++;
	store_release(&r->control->cq_head, r->cq_head);
	return 1;
}

bool ring_client_reaped(struct ring_client *r) {
	return other_sleeps(&r->control->service_flags) &&
			load_acquire(&r->control->sq_head) != r->sq_shown;
}

int ring_client_event(struct ring_client *r, struct pica_event *event) {
	for (;;) {
		uint32_t tail = load_acquire(&r->control->event_tail);
		if (tail == r->event_head) {
			return 0;
		}
		if (tail - r->event_head > r->event_entries) { /* overtaken */
			r->lost_events += tail - r->event_head - r->event_entries;
			r->event_head = tail - r->event_entries;
		}
		const struct pica_event *slot = &r->events[r->event_head & (r->event_entries - 1)];
		uint32_t want = r->event_head + 1;
		uint32_t before = load_acquire(&slot->seq);
		copy_in(event, slot, sizeof(*event));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		uint32_t after = load_relaxed(&slot->seq);
		r->event_head++;
		if (before == want && after == want) {
			return 1;
		}
		r->lost_events++;
	}
}

static bool has_news(const struct ring_client *r, uint32_t completions, bool for_slot) {
	return load_acquire(&r->control->cq_tail) - r->cq_head >= completions ||
			(for_slot && ring_client_has_slot(r)) || ring_client_is_dead(r);
}

bool ring_client_sleep(struct ring_client *r, uint32_t completions, bool for_slot) {
	store_relaxed(&r->control->cq_wanted, r->cq_head + (for_slot ? 0 : completions));
	store_release(&r->control->client_flags, PICA_RING_NEED_WAKEUP);
	full_fence(); /* pairs with the fence of other_sleeps() in the service */
	if (has_news(r, completions, for_slot)) {
		ring_client_awake(r);
		return false;
	}
	return true;
}

void ring_client_awake(struct ring_client *r) {
	store_relaxed(&r->control->client_flags, 0);
}

bool ring_client_is_dead(const struct ring_client *r) {
	return load_acquire(&r->control->service_flags) & PICA_RING_DEAD;
}

uint64_t ring_client_timeline(const struct ring_client *r, uint32_t slot) {
	return __atomic_load_n(&r->control->timeline[slot % PICA_RING_TIMELINES], __ATOMIC_ACQUIRE);
}

uint64_t ring_client_completed(const struct ring_client *r, uint32_t slot) {
	return __atomic_load_n(
			&r->control->completed[slot % PICA_RING_TIMELINES], __ATOMIC_ACQUIRE);
}
