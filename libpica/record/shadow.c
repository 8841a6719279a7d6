#include "record/shadow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>

enum {
	PAGE = 1 << SPACE_PAGE_BITS,
	BLOCK = 64, /* compared at once */
	GAP = 32,   /* number of equal bytes that end a change: about the cost of an event */
	MAX_CHANGE = 1 << 20,
};

static bool is_zero(const uint8_t *page) {
	return page[0] == 0 && memcmp(page, page + 1, PAGE - 1) == 0;
}

static void charge(struct shadow *s, size_t size_bytes) {
	memory_charge(s->memory, size_bytes);
	s->charged_bytes += size_bytes;
}

static void touch(struct shadow *s, struct shadow_window *w, uint32_t at, uint32_t end) {
	for (uint32_t page = at >> SPACE_PAGE_BITS; page <= (end - 1) >> SPACE_PAGE_BITS; page++) {
		charge(s, w->touched[page] ? 0 : PAGE);
		w->touched[page] = 1;
	}
}

static int window_init(struct shadow *s, struct shadow_window *w, const struct window *from) {
	const uint32_t pages = from->size_bytes >> SPACE_PAGE_BITS;
	*w = (struct shadow_window){ .phys = from->phys, .size_bytes = from->size_bytes,
		.live = from->host, .stamp = from->stamp };
	w->checked = calloc(pages, sizeof(*w->checked));
	w->seen = calloc(pages, sizeof(*w->seen));
	w->touched = calloc(pages, 1);
	void *copy = mmap(NULL, w->size_bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	w->copy = copy == MAP_FAILED ? NULL : copy;
	if (!w->checked || !w->seen || !w->touched || !w->copy) {
		return -ENOMEM;
	}
	charge(s, pages * (sizeof(*w->checked) + sizeof(*w->seen) + 1));
	for (uint32_t at = 0; at < w->size_bytes; at += PAGE) {
		if (!is_zero(w->live + at)) { /* the others stay away */
			memcpy(w->copy + at, w->live + at, PAGE);
			touch(s, w, at, at + PAGE);
		}
	}
	return 0;
}

int shadow_init(struct shadow *s, struct space *space, struct pica_memory *memory,
		shadow_change_fn *change, void *user) {
	*s = (struct shadow){
		.space = space, .memory = memory, .change = change, .user = user, .job = 1
	};
	int ret = 0;
	for (unsigned i = 0; i < space->n && ret == 0; i++) {
		ret = window_init(s, &s->win[s->n], &space->win[i]);
		s->n++;
	}
	if (ret < 0) {
		shadow_finish(s);
	}
	return ret;
}

void shadow_finish(struct shadow *s) {
	for (unsigned i = 0; i < s->n; i++) {
		struct shadow_window *w = &s->win[i];
		free(w->checked);
		free(w->seen);
		free(w->touched);
		if (w->copy) {
			munmap(w->copy, w->size_bytes);
		}
	}
	free(s->pending);
	memory_uncharge(s->memory, s->charged_bytes);
	*s = (struct shadow){ 0 };
}

void shadow_next_job(struct shadow *s) {
	s->job++;
}

int shadow_parts(const struct shadow *s, struct pica_window **out, unsigned *n) {
	unsigned room = 0;
	*out = NULL;
	*n = 0;
	for (unsigned i = 0; i < s->n; i++) {
		const struct shadow_window *w = &s->win[i];
		for (uint32_t at = 0; at < w->size_bytes; at += PAGE) {
			if (!w->touched[at >> SPACE_PAGE_BITS]) {
				continue;
			}
			struct pica_window *last = *n ? &(*out)[*n - 1] : NULL;
			if (last && (uint8_t *)last->host + last->size_bytes == w->copy + at) {
				last->size_bytes += PAGE;
				continue;
			}
			if (*n == room) {
				room = room ? 2 * room : 64;
				struct pica_window *grown = realloc(*out, room * sizeof(*grown));
				if (!grown) {
					free(*out);
					return -ENOMEM;
				}
				*out = grown;
			}
			(*out)[(*n)++] = (struct pica_window){
				.phys = w->phys + at, .size_bytes = PAGE, .host = w->copy + at
			};
		}
	}
	return 0;
}

/* ---- Changes ---- */

static void end_run(struct shadow *s) {
	if (s->run_bytes) {
		s->change(s->user, s->run_phys, s->run_data, s->run_bytes);
		/* Treated as an announced write, as in the replay: textures are checked again. */
		space_touch(s->space, (struct range){ s->run_phys, s->run_bytes }, 0);
		s->run_bytes = 0;
	}
}

static void changed(struct shadow *s, struct shadow_window *w, uint32_t at, uint32_t size) {
	memcpy(w->copy + at, w->live + at, size);
	touch(s, w, at, at + size);
	const uint32_t phys = w->phys + at;
	if (s->run_bytes && phys == s->run_phys + s->run_bytes &&
			w->copy + at == s->run_data + s->run_bytes &&
			s->run_bytes + size <= MAX_CHANGE) {
		s->run_bytes += size;
		return;
	}
	end_run(s);
	s->run_phys = phys;
	s->run_data = w->copy + at;
	s->run_bytes = size;
}

/* [at, end) of a window, with nothing pending in it. */
static bool compare_bytes(struct shadow *s, struct shadow_window *w, uint32_t at, uint32_t end) {
	const uint8_t *a = w->live, *b = w->copy;
	bool any = false;
	while (at < end) {
		if (end - at >= BLOCK && memcmp(a + at, b + at, BLOCK) == 0) {
			at += BLOCK;
			continue;
		}
		if (a[at] == b[at]) {
			at++;
			continue;
		}
		uint32_t last = at, k = at + 1; /* last byte that differs */
		for (; k < end && k - last <= GAP; k++) {
			last = a[k] != b[k] ? k : last;
		}
		changed(s, w, at, last + 1 - at);
		any = true;
		at = k;
	}
	return any;
}

/* A part of a page, around pending ranges. */
static bool compare_part(struct shadow *s, struct shadow_window *w, uint32_t at, uint32_t end) {
	bool any = false;
	while (at < end) {
		/* The first pending byte at or after `at`, and the end of that range. */
		uint32_t from = end, to = end;
		for (unsigned i = 0; i < s->n_pending; i++) {
			const struct range *p = &s->pending[i];
			const uint64_t p_end = (uint64_t)p->addr + p->size;
			const uint64_t here = (uint64_t)w->phys + at;
			if (p_end <= here || p->addr >= (uint64_t)w->phys + from) {
				continue;
			}
			from = p->addr > here ? (uint32_t)(p->addr - w->phys) : at;
			to = p_end < (uint64_t)w->phys + end ? (uint32_t)(p_end - w->phys) : end;
		}
		any |= from > at && compare_bytes(s, w, at, from);
		at = to > at ? to : end;
	}
	return any;
}

static bool compare_window(struct shadow *s, struct shadow_window *w, uint32_t at, uint32_t end,
		enum shadow_use use) {
	const uint32_t first = at >> SPACE_PAGE_BITS, last = (end - 1) >> SPACE_PAGE_BITS;
	bool any = false;
	for (uint32_t page = first; page <= last; page++) {
		const uint32_t start = page << SPACE_PAGE_BITS;
		if (use == SHADOW_READ && w->checked[page] == s->job) {
			continue;
		}
		if (use == SHADOW_TEXTURE && w->checked[page] && w->seen[page] == w->stamp[page]) {
			continue;
		}
		/* All of the page: it is marked as a whole. */
		any |= compare_part(s, w, start, start + PAGE);
		w->checked[page] = s->job;
	}
	end_run(s); /* raises stamps */
	for (uint32_t page = first; page <= last; page++) {
		w->seen[page] = w->stamp[page];
	}
	return any;
}

/* The part [*at, *end) of a window that a range covers; false: none of it. */
static bool clip(const struct shadow_window *w, struct range r, uint32_t *at, uint32_t *end) {
	const uint64_t r_end = (uint64_t)r.addr + r.size;
	const uint64_t w_end = (uint64_t)w->phys + w->size_bytes;
	*at = r.addr > w->phys ? r.addr - w->phys : 0;
	*end = (uint32_t)((r_end < w_end ? r_end : w_end) - w->phys);
	return r_end > w->phys && r.addr < w_end;
}

bool shadow_compare(struct shadow *s, struct range r, enum shadow_use use) {
	bool any = false;
	uint32_t at, end;
	for (unsigned i = 0; i < s->n; i++) {
		if (clip(&s->win[i], r, &at, &end)) {
			any |= compare_window(s, &s->win[i], at, end, use);
		}
	}
	return any;
}

/* ---- Writes of jobs ---- */

static bool contains(struct range a, struct range b) {
	return a.addr <= b.addr && (uint64_t)b.addr + b.size <= (uint64_t)a.addr + a.size;
}

int shadow_pend(struct shadow *s, struct range r, bool in_pass) {
	for (unsigned i = in_pass ? s->n_closed :
			0; i < (in_pass ? s->n_pending : s->n_closed); i++) {
		if (contains(s->pending[i], r)) {
			return 0;
		}
	}
	if (s->n_pending == s->room) {
		const unsigned room = s->room ? 2 * s->room : 16;
		struct range *grown = realloc(s->pending, room * sizeof(*grown));
		if (!grown) {
			return -ENOMEM;
		}
		s->pending = grown;
		s->room = room;
	}
	if (in_pass) {
		s->pending[s->n_pending++] = r;
	} else {
		/*
		 * Copy engines run when no pass is open; still, the order of the two parts is
		 * kept.
		 */
		memmove(&s->pending[s->n_closed + 1], &s->pending[s->n_closed],
				(s->n_pending - s->n_closed) * sizeof(*s->pending));
		s->pending[s->n_closed++] = r;
		s->n_pending++;
	}
	return 0;
}

void shadow_pass_closed(struct shadow *s) {
	s->n_closed = s->n_pending;
}

static void copy_range(struct shadow *s, struct range r) {
	uint32_t at, end;
	for (unsigned i = 0; i < s->n; i++) {
		struct shadow_window *w = &s->win[i];
		if (clip(w, r, &at, &end)) {
			memcpy(w->copy + at, w->live + at, end - at);
			touch(s, w, at, end);
		}
	}
}

void shadow_settle(struct shadow *s) {
	for (unsigned i = 0; i < s->n_closed; i++) {
		copy_range(s, s->pending[i]);
	}
	if (s->n_closed) {
		s->n_pending -= s->n_closed;
		memmove(s->pending, s->pending + s->n_closed, s->n_pending * sizeof(*s->pending));
		s->n_closed = 0;
	}
}
