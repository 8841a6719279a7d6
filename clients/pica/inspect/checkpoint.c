#include "inspect/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "gpu.h"

static size_t size_of(const struct checkpoint *p) {
	return p->used ? sizeof(*p->state) + p->n * (CHECKPOINT_PAGE + sizeof(*p->page)) : 0;
}

static void drop(struct checkpoint *p) {
	free(p->state);
	free(p->page);
	free(p->bytes);
	*p = (struct checkpoint){ 0 };
}

void checkpoints_drop(struct checkpoints *c) {
	for (unsigned i = 0; i < CHECKPOINTS; i++) {
		drop(&c->at[i]);
	}
}

struct checkpoint *checkpoint_find(struct checkpoints *c, uint32_t frame) {
	struct checkpoint *best = NULL;
	for (unsigned i = 0; i < CHECKPOINTS; i++) {
		struct checkpoint *p = &c->at[i];
		if (p->used && p->frame <= frame && (!best || p->frame > best->frame)) {
			best = p;
		}
	}
	return best;
}

/* Returns an empty place after dropping the oldest ones, so that all hold size bytes less than the
 * limit. */
static struct checkpoint *make_room(struct checkpoints *c, size_t size) {
	for (;;) {
		struct checkpoint *empty = NULL, *oldest = NULL;
		size_t sum = size;
		for (unsigned i = 0; i < CHECKPOINTS; i++) {
			struct checkpoint *p = &c->at[i];
			sum += size_of(p);
			empty = p->used ? empty : p;
			oldest = p->used && (!oldest || p->used < oldest->used) ? p : oldest;
		}
		if (empty && sum <= CHECKPOINT_BYTES) {
			return empty;
		}
		if (!oldest) {
			return NULL; /* it alone is too large */
		}
		drop(oldest);
	}
}

static bool is_zero(const uint8_t *page) {
	return page[0] == 0 && memcmp(page, page + 1, CHECKPOINT_PAGE - 1) == 0;
}

/* Counts the pages of a window that are not 0; copies them if p has room. */
static void take(struct checkpoint *p, const struct pica_window *w) {
	const uint8_t *host = w->host;
	for (uint32_t at = 0; at < w->size_bytes; at += CHECKPOINT_PAGE) {
		if (is_zero(host + at)) {
			continue;
		}
		if (p->bytes) {
			p->page[p->n] = w->phys + at;
			memcpy(p->bytes + p->n * CHECKPOINT_PAGE, host + at, CHECKPOINT_PAGE);
		}
		p->n++;
	}
}

void checkpoint_keep(struct checkpoints *c, struct pica_ctx *ctx, uint32_t frame) {
	struct pica_window *window;
	struct checkpoint new = { .frame = frame, .used = ++c->clock };
	const int n = gpu_touched(&window, ctx);
	for (int i = 0; i < n; i++) {
		take(&new, &window[i]);
	}
	struct checkpoint *place = n < 0 ? NULL : make_room(c, size_of(&new));
	if (place) {
		new.state = malloc(sizeof(*new.state));
		new.page = malloc((new.n + 1) * sizeof(*new.page));
		new.bytes = malloc((new.n + 1) * CHECKPOINT_PAGE);
		if (new.state && new.page && new.bytes &&
				pica_ctx_save_state(ctx, new.state) == 0) {
			new.n = 0;
			for (int i = 0; i < n; i++) {
				take(&new, &window[i]);
			}
			*place = new;
		} else {
			drop(&new);
		}
	}
	free(window);
}

int checkpoint_load(struct checkpoints *c, struct checkpoint *p, struct pica_ctx *ctx) {
	int ret = 0;
	for (size_t i = 0, end; i < p->n && ret == 0; i = end) {
		end = i + 1;
		while (end < p->n && p->page[end] == p->page[end - 1] + CHECKPOINT_PAGE) {
			end++;
		}
		ret = pica_ctx_write_memory(ctx, p->page[i], p->bytes + i * CHECKPOINT_PAGE,
				(uint32_t)((end - i) * CHECKPOINT_PAGE));
	}
	p->used = ++c->clock;
	return ret < 0 ? ret : pica_ctx_load_state(ctx, p->state);
}
