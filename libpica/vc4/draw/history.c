#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pica_job.h"
#include "vc4/draw/watch.h"

/* ---- Logs ---- */

/* Room for n more elements of an array. False: out of memory. */
static bool grow(struct vc4_log *l, void **array, size_t used, size_t n, size_t *cap,
		size_t element) {
	if (n > *cap - used) {
		size_t more = *cap ? *cap : 64;
		while (more - used < n) {
			more *= 2;
		}
		void *grown = realloc(*array, more * element);
		if (!grown) {
			l->error = -ENOMEM;
			return false;
		}
		*array = grown;
		*cap = more;
	}
	return true;
}

struct pica_history_entry *vc4_log_entries(struct vc4_log *l, size_t n) {
	void *array = l->entries;
	const bool ok = grow(l, &array, l->n_entries, n, &l->cap_entries, sizeof(*l->entries));
	l->entries = array;
	l->n_entries += ok ? n : 0;
	return ok ? l->entries + l->n_entries - n : NULL;
}

struct vc4_noted_fragment *vc4_log_fragment(struct vc4_log *l) {
	void *array = l->fragments;
	const bool ok = grow(
			l, &array, l->n_fragments, 1, &l->cap_fragments, sizeof(*l->fragments));
	l->fragments = array;
	l->n_fragments += ok;
	return ok ? l->fragments + l->n_fragments - 1 : NULL;
}

struct pica_qpu_step *vc4_log_steps(struct vc4_log *l, size_t n) {
	void *array = l->steps;
	const bool ok = grow(l, &array, l->n_steps, n, &l->cap_steps, sizeof(*l->steps));
	l->steps = array;
	l->n_steps += ok ? n : 0;
	return ok ? l->steps + l->n_steps - n : NULL;
}

void vc4_log_append(struct vc4_log *l, const struct vc4_log *from) {
	const uint32_t first = (uint32_t)l->n_fragments;
	for (size_t i = 0; i < from->n_fragments; i++) {
		struct vc4_noted_fragment *f = vc4_log_fragment(l);
		if (!f) {
			return;
		}
		*f = from->fragments[i];
		const uint32_t n = f->fragment.n_kept;
		struct pica_qpu_step *steps =
				n && n <= WATCH_STEPS - l->n_steps ? vc4_log_steps(l, n) : NULL;
		if (steps) {
			memcpy(steps, from->steps + f->first_step, n * sizeof(*steps));
		}
		f->fragment.n_kept = steps ? n : 0;
		f->first_step = l->n_steps - f->fragment.n_kept;
	}
	struct pica_history_entry *e =
			from->n_entries ? vc4_log_entries(l, from->n_entries) : NULL;
	for (size_t i = 0; e && i < from->n_entries; i++) {
		e[i] = from->entries[i];
		e[i].steps += e[i].steps != PICA_HISTORY_NONE ? first : 0;
	}
	l->error = from->error ? from->error : l->error;
}

void vc4_log_finish(struct vc4_log *l) {
	free(l->entries);
	free(l->fragments);
	free(l->steps);
}

/* ---- The history ---- */

struct vc4_history *vc4_history_create(const struct pica_watch *pixels, unsigned n) {
	struct vc4_history *h = calloc(1, sizeof(*h));
	if (!h) {
		return NULL;
	}
	memcpy(h->pixel, pixels, n * sizeof(*pixels));
	h->n_pixels = n;
	if (watch_init(&h->watch, vc4_vertex_stage.scratch_bytes) < 0) {
		vc4_history_destroy(h);
		return NULL;
	}
	return h;
}

void vc4_history_destroy(struct vc4_history *h) {
	if (h) {
		watch_finish(&h->watch);
		vc4_log_finish(&h->log);
		free(h);
	}
}

static uint32_t bytes_of(const struct vc4_history *h, unsigned pixel, const struct space *space) {
	uint32_t bytes = 0;
	space_read(space, h->pixel[pixel].addr, &bytes, h->pixel[pixel].size_bytes);
	return bytes;
}

void vc4_history_begin(struct vc4_history *h, struct exec *x, const struct pica_job *job) {
	if (h->ends_frame) {
		h->at.frame++;
		h->next_event = h->n_draws = 0;
	}
	h->ends_frame = job->op == PICA_OP_PRESENT;
	h->at.event = h->next_event++;
	h->at.user_data = job->user_data;
	const struct range r = job->op == PICA_OP_WRITE ?
			(struct range){ job->u.write.addr, job->u.write.size_bytes } :
			job->op == PICA_OP_INVALIDATE ?
			(struct range){ job->u.invalidate.addr, job->u.invalidate.size_bytes } :
			(struct range){ 0, 0 };
	h->first_pending = SIZE_MAX;
	for (unsigned i = 0; i < h->n_pixels; i++) {
		const struct pica_watch *p = &h->pixel[i];
		if (!ranges_overlap(r, (struct range){ p->addr, p->size_bytes })) {
			continue;
		}
		exec_wait_all(x);
		struct pica_history_entry *e = vc4_log_entries(&h->log, 1);
		if (e) {
			*e = h->at;
			e->kind = PICA_HISTORY_LOAD;
			e->watch = (uint8_t)i;
			e->replaces = 1;
			e->steps = PICA_HISTORY_NONE;
			e->before = bytes_of(h, i, x->space);
			h->first_pending = h->first_pending < h->log.n_entries ?
					h->first_pending : h->log.n_entries - 1;
		}
	}
}

void vc4_history_end(struct vc4_history *h, struct exec *x) {
	if (h->first_pending < h->log.n_entries) {
		exec_wait_all(x);
	}
	for (size_t i = h->first_pending; i < h->log.n_entries; i++) {
		struct pica_history_entry *e = &h->log.entries[i];
		e->after = bytes_of(h, e->watch, x->space);
	}
}
