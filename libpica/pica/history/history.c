#include "pica/history/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct history *history_create(const struct pica_watch *pixels, unsigned n) {
	struct history *h = calloc(1, sizeof(*h));
	if (!h) {
		return NULL;
	}
	memcpy(h->pixel, pixels, n * sizeof(*pixels));
	h->n_pixels = n;
	h->batch = aligned_alloc(64, (sizeof(*h->batch) + 63) & ~(size_t)63);
	h->frag = aligned_alloc(64, FRAG_SCRATCH_BYTES);
	if (watch_init(&h->watch, pica_vertex_stage.scratch_bytes) < 0 || !h->batch || !h->frag) {
		history_destroy(h);
		return NULL;
	}
	memset(h->batch, 0, sizeof(*h->batch));
	memset(h->frag, 0, FRAG_SCRATCH_BYTES);
	return h;
}

void history_destroy(struct history *h) {
	if (h) {
		watch_finish(&h->watch);
		free(h->batch);
		free(h->frag);
		free(h->entries);
		free(h->steps);
		free(h->moved);
		free(h->noted);
		free(h);
	}
}

/* Makes room for one more element. NULL: out of memory, which is recorded. */
static void *grow(struct history *h, void *array, size_t n, size_t *cap, size_t element) {
	if (n < *cap) {
		return array;
	}
	const size_t more = *cap ? 2 * *cap : 64;
	void *grown = realloc(array, more * element);
	if (grown) {
		*cap = more;
	} else {
		h->error = -ENOMEM;
	}
	return grown;
}

struct pica_history_entry *history_add(struct history *h, enum pica_history_kind kind,
		unsigned pixel, const struct moment *at) {
	void *entries = grow(h, h->entries, h->n_entries, &h->cap_entries, sizeof(*h->entries));
	if (!entries) {
		return NULL;
	}
	h->entries = entries;
	struct pica_history_entry *e = &h->entries[h->n_entries++];
	*e = (struct pica_history_entry){ .kind = (uint8_t)kind, .watch = (uint8_t)pixel,
		.frame = at->frame, .event = at->event, .user_data = at->user_data,
		.steps = PICA_HISTORY_NONE,
		.replaces = kind != PICA_HISTORY_DRAW };
	return e;
}

struct pica_fragment_steps *history_steps_add(struct history *h, struct pica_history_entry *e) {
	struct pica_fragment_steps *steps = h->has_steps ?
			grow(h, h->steps, h->n_steps, &h->cap_steps, sizeof(*steps)) : NULL;
	if (!steps) {
		return NULL;
	}
	h->steps = steps;
	e->steps = (uint32_t)h->n_steps++;
	steps += e->steps;
	*steps = (struct pica_fragment_steps){ 0 };
	return steps;
}

uint32_t history_bytes(const struct history *h, unsigned pixel, const struct space *space) {
	const struct pica_watch *p = &h->pixel[pixel];
	uint32_t bytes = 0;
	space_read(space, p->addr, &bytes, p->size_bytes);
	return bytes;
}

/* ---- Jobs ---- */

void history_job(struct history *h, const struct pica_job *job) {
	if (h->ends_frame) {
		h->at.frame++;
		h->next_event = h->n_draws = 0;
	}
	h->ends_frame = job->op == PICA_OP_PRESENT;
	h->at.event = h->next_event++;
	h->at.user_data = job->user_data;
}

/* ---- Writes of engines and clients ---- */

/* Finds the source of byte `addr` of a destination. Returns false if it is not written. */
static bool find_sources(const struct moved *m, uint32_t addr, struct pica_history_entry *e) {
	struct range from[4];
	e->n_sources = m->is_copy ? copy_source(&m->copy, addr, from) :
				    transfer_sources(&m->transfer, addr, from);
	for (unsigned i = 0; i < e->n_sources; i++) {
		e->source[i] = (struct pica_watch){ from[i].addr, from[i].size };
	}
	return e->n_sources != 0;
}

static void note_move(struct history *h, const struct history_write *w) {
	void *moved = grow(h, h->moved, h->n_moved, &h->cap_moved, sizeof(*h->moved));
	if (!moved) {
		return;
	}
	h->moved = moved;
	struct moved *m = &h->moved[h->n_moved++];
	m->at = h->at;
	m->is_copy = w->copy != NULL;
	if (w->copy) {
		m->copy = *w->copy;
	} else {
		m->transfer = *w->transfer;
	}
}

/* Returns whether a byte of the pixel is written, with its source in *e. */
static bool touches(const struct history *h, unsigned pixel, const struct history_write *w,
		struct pica_history_entry *e) {
	const struct pica_watch *p = &h->pixel[pixel];
	if (!ranges_overlap(w->range, (struct range){ p->addr, p->size_bytes })) {
		return false;
	}
	bool found = !w->copy && !w->transfer;
	for (uint32_t i = 0; i < p->size_bytes && !found; i++) {
		found = find_sources(&h->moved[h->n_moved - 1], p->addr + i, e);
	}
	return found;
}

void history_write_begin(struct history *h, struct exec *x, const struct history_write *w) {
	const size_t n_moved = h->n_moved;
	h->first_pending = h->n_entries;
	if (w->copy || w->transfer) {
		note_move(h, w);
		if (h->n_moved == n_moved) {
			return; /* out of memory */
		}
	}
	for (unsigned i = 0; i < h->n_pixels; i++) {
		struct pica_history_entry sources = { 0 };
		if (!touches(h, i, w, &sources)) {
			continue;
		}
		exec_wait_all(x);
		struct pica_history_entry *e = history_add(h, w->kind, i, &h->at);
		if (e) {
			e->n_sources = sources.n_sources;
			memcpy(e->source, sources.source, sizeof(e->source));
			e->before = history_bytes(h, i, x->space);
		}
	}
}

void history_write_end(struct history *h, struct exec *x) {
	if (h->first_pending < h->n_entries) {
		exec_wait_all(x);
	}
	for (size_t i = h->first_pending; i < h->n_entries; i++) {
		h->entries[i].after = history_bytes(h, h->entries[i].watch, x->space);
	}
	h->first_pending = h->n_entries;
}

/* ---- Draws ---- */

void history_draw(struct history *h) {
	h->n_draws++;
	h->n_primitives = h->n_vertices = 0;
}

void history_drawn(struct history *h, const struct draw *d, bool are_emitted) {
	if (h->n_vertices == 0) {
		h->has_own_fan = d->n_prefix == 0;
	}
	void *noted = grow(h, h->noted, h->n_noted, &h->cap_noted, sizeof(*h->noted));
	if (noted) {
		h->noted = noted;
		h->noted[h->n_noted++] = (struct noted){ .draw = d,
			.at = h->at,
			.number = h->n_draws - 1,
			.first_primitive = h->n_primitives,
			.first_vertex = d->inline_vertices ? h->n_vertices : 0,
			.are_emitted = are_emitted,
			.has_own_fan = h->has_own_fan };
	}
	h->n_primitives += draw_primitives(d->topology, (uint64_t)d->n_prefix + d->n);
	h->n_vertices += d->n;
}

/* ---- Reading ---- */

int64_t history_count(const struct history *h) {
	return h->error < 0 ? h->error : (int64_t)h->n_entries;
}

const struct pica_history_entry *history_entry(const struct history *h, size_t index) {
	return index < h->n_entries ? &h->entries[index] : NULL;
}

void history_keep_steps(struct history *h, bool on) {
	h->has_steps = on;
}

const struct pica_fragment_steps *history_steps(const struct history *h, size_t index) {
	return index < h->n_steps ? &h->steps[index] : NULL;
}

bool history_trace(const struct history *h, uint32_t addr, uint32_t frame, uint32_t event,
		struct pica_history_entry *out) {
	for (size_t i = h->n_moved; i-- > 0;) {
		const struct moved *m = &h->moved[i];
		*out = (struct pica_history_entry){ .kind = m->is_copy ? PICA_HISTORY_COPY :
									 PICA_HISTORY_TRANSFER,
			.replaces = 1, .frame = m->at.frame, .event = m->at.event,
			.user_data = m->at.user_data };
		const bool is_before = m->at.frame < frame ||
				(m->at.frame == frame && m->at.event < event);
		if (is_before && find_sources(m, addr, out)) {
			return true;
		}
	}
	return false;
}
