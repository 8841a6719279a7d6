/* The draws of a pass at a watched pixel: each primitive there, and its fragment. */
#include <string.h>

#include "core/base/morton.h"
#include "pica/history/private.h"

/* A pixel of the pass's target, with its quad as a separate target. */
struct look {
	struct history *h;
	struct pass_work work;
	unsigned pixel; /* of the history */
	uint32_t x, y;
	uint32_t index; /* in the target */
	const struct target *target;
	struct target window;
	uint8_t color[16], depth[16];
	uint32_t bytes; /* the watched bytes at this point */
	const struct draw *bound;
};

static unsigned lane_of(const struct look *l) {
	return (l->x & 1) | (l->y & 1) << 1;
}

/* Finds the position of the pixel with that index. Returns false for padding. */
static bool find_place(struct look *l) {
	const struct target *t = l->target;
	const uint32_t blocks = t->width / 8u;
	uint32_t block = l->index / 64, bx, by;
	if (t->block32) {
		const uint32_t supers = (blocks + 3) / 4, super = block / 16;
		bx = super % supers * 4 + morton8_x(block % 16);
		by = super / supers * 4 + morton8_y(block % 16);
	} else {
		bx = block % blocks;
		by = block / blocks;
	}
	l->x = bx * 8 + morton8_x(l->index % 64);
	l->y = by * 8 + morton8_y(l->index % 64);
	return l->x < t->width && l->y < t->height;
}

/* The watched bytes after a store to the window. */
static void update_bytes(struct look *l) {
	const struct pica_watch *p = &l->h->pixel[l->pixel];
	const unsigned n = l->target->color_px_bytes;
	const uint8_t *from = l->color + lane_of(l) * n;
	const uint32_t addr = l->target->color_addr + l->index * n;
	uint8_t byte[4];
	memcpy(byte, &l->bytes, sizeof(byte));
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t at = addr + i - p->addr;
		if (at < p->size_bytes) {
			byte[at] = from[i];
		}
	}
	memcpy(&l->bytes, byte, sizeof(byte));
}

static void take_depth(const struct look *l, uint32_t *z, uint8_t *stencil) {
	const unsigned n = l->window.depth ? l->target->depth_px_bytes : 0;
	uint32_t word = 0;
	memcpy(&word, l->depth + lane_of(l) * n, n);
	*z = word & 0xFFFFFF;
	*stencil = (uint8_t)(word >> 24);
}

static bool is_drawable(const struct look *l, const struct raster_state *rs) {
	const int32_t x = (int32_t)l->x, y = (int32_t)l->y;
	return x >= rs->min_x && x <= rs->max_x && y >= rs->min_y && y <= rs->max_y &&
			!(rs->exclude && x >= rs->ex_min_x && x <= rs->ex_max_x &&
					y >= rs->ex_min_y && y <= rs->ex_max_y);
}

static uint32_t vertex_number(const struct noted *n, uint32_t position) {
	const struct draw *d = n->draw;
	if (n->are_emitted) {
		return PICA_HISTORY_NONE;
	}
	if (position < d->n_prefix) { /* vertices of an earlier draw, or earlier ones of the run */
		const bool is_fan = d->topology == TOPOLOGY_FAN && position == 0;
		const uint32_t back = is_fan ? n->first_vertex : d->n_prefix - position;
		const bool is_own = n->first_vertex && back <= n->first_vertex;
		return is_own && (!is_fan || n->has_own_fan) ? n->first_vertex - back :
							       PICA_HISTORY_NONE;
	}
	const uint32_t i = position - d->n_prefix;
	return d->index ? d->index[i] : d->inline_vertices ? n->first_vertex + i : d->first + i;
}

static void take_seen(struct pica_fragment *f, const struct frag_seen *s) {
	f->depth = s->depth;
	f->z = s->z;
	f->has_depth = s->has_depth;
	f->coord0_w = s->coord0_w;
	memcpy(f->coord, s->coord, sizeof(f->coord));
	memcpy(f->primary, s->primary, sizeof(f->primary));
	memcpy(f->texture, s->texture, sizeof(f->texture));
	memcpy(f->proctex, s->proctex, sizeof(f->proctex));
	memcpy(f->light, s->light, sizeof(f->light));
	memcpy(f->combined, s->combined, sizeof(f->combined));
	memcpy(f->color, s->color, sizeof(f->color));
	for (unsigned i = 0; i < PICA_HISTORY_STAGES; i++) {
		memcpy(f->stage[i].rgb, s->stage[i].rgb, sizeof(f->stage[i].rgb));
		memcpy(f->stage[i].alpha, s->stage[i].alpha, sizeof(f->stage[i].alpha));
		memcpy(f->stage[i].out, s->stage[i].out, sizeof(f->stage[i].out));
	}
}

/* The fragment of a triangle that covers the pixel, in the window. */
static void shade(struct look *l, const struct watched *w, const struct draw *d,
		struct frag_seen *seen, struct pica_fragment_steps *steps) {
	const struct raster_kernels *k = l->work.raster;
	const struct raster_state *rs = d->state.raster;
	const struct raster_quad at = { (int32_t)(l->x & ~1u), (int32_t)(l->y & ~1u) };
	struct tri tri;
	if (d != l->bound) {
		struct frag_facts facts;
		pica_frag_stage.bind(l->h->frag, l->work.kernels, k, &d->state, &l->window, &facts);
		l->bound = d;
	}
	k->setup(&tri, rs, w->v[0], w->v[1], w->v[2], at.x & ~7, at.y & ~7, 8);
	k->interp_quads(&tri, &at, 1, l->h->batch, 0, 0, tri_planes(rs));
	frag_watch(l->h->frag, l->h->batch, lane_of(l), seen, steps);
}

static enum pica_verdict verdict_of(enum frag_end end) {
	switch (end) {
	case FRAG_STORED:
		return PICA_VERDICT_KEPT;
	case FRAG_FAILS_ALPHA:
		return PICA_VERDICT_ALPHA;
	case FRAG_FAILS_STENCIL:
		return PICA_VERDICT_STENCIL;
	case FRAG_FAILS_DEPTH:
		return PICA_VERDICT_DEPTH;
	case FRAG_MASKED:
		break;
	}
	return PICA_VERDICT_MASKED;
}

/* A primitive at the pixel. */
static void on_primitive(void *user, const struct watched *w) {
	static const enum pica_verdict fates[] = { [WATCH_CULLED] = PICA_VERDICT_CULLED,
		[WATCH_CLIPPED] = PICA_VERDICT_CLIPPED,
		[WATCH_DEGENERATE] = PICA_VERDICT_DEGENERATE };
	struct look *l = user;
	const struct noted *n = &l->h->noted[w->draw];
	const struct raster_state *rs = n->draw->state.raster;
	struct pica_history_entry *e =
			history_add(l->h, PICA_HISTORY_DRAW, l->pixel, &n->at);
	if (!e) {
		return;
	}
	e->draw = n->number;
	e->primitive = n->first_primitive + w->primitive;
	for (unsigned i = 0; i < 3; i++) {
		e->vertex[i] = vertex_number(n, w->position[i]);
	}
	e->target = target_described(l->target);
	e->x = l->x;
	e->y = l->y;
	watch_barycentric(w, l->x, l->y, 1 << rs->rule->subpixel_bits, e->barycentric);
	take_depth(l, &e->z_before, &e->stencil_before);
	e->before = l->bytes;
	if (w->fate != WATCH_DRAWN) {
		e->verdict = (uint8_t)fates[w->fate];
	} else if (!is_drawable(l, rs)) {
		e->verdict = PICA_VERDICT_SCISSOR;
	} else {
		struct frag_seen seen;
		shade(l, w, n->draw, &seen, history_steps_add(l->h, e));
		e->verdict = (uint8_t)verdict_of(seen.end);
		e->replaces = seen.end == FRAG_STORED && seen.replaces;
		e->is_shaded = 1;
		take_seen(&e->fragment, &seen);
		update_bytes(l);
	}
	take_depth(l, &e->z_after, &e->stencil_after);
	e->after = l->bytes;
}

/* All draws of the unit at one pixel of its target. */
static void look_at(struct look *l, const struct unit *u) {
	const struct target *t = l->target;
	const unsigned lane = lane_of(l), c = t->color_px_bytes, z = t->depth_px_bytes;
	l->window = *t;
	l->window.color = l->color;
	l->window.depth = t->depth_bytes ? l->depth : NULL;
	l->bound = NULL;
	memset(l->color, 0, sizeof(l->color));
	memset(l->depth, 0, sizeof(l->depth));
	space_read(l->work.space, t->color_addr + l->index * c, l->color + lane * c, c);
	if (t->depth_bytes) {
		space_read(l->work.space, t->depth_addr + l->index * z, l->depth + lane * z, z);
	}
	for (unsigned i = 0; i < u->n_chunks; i++) {
		const struct chunk *ch = u->chunks[i];
		for (unsigned s = 0; s < ch->n_seg; s++) {
			const int ret = watch_segment(&l->h->watch, &l->work, &ch->seg[s], t, l->x,
					l->y, on_primitive, l);
			l->h->error = ret < 0 ? ret : l->h->error;
		}
	}
}

void history_pass(struct history *h, struct exec *x) {
	const struct unit *u = x->open;
	const struct target *t = &u->target;
	const unsigned n = t->color_px_bytes;
	h->first_of_pass = h->n_entries;
	h->expected_pixels = 0;
	for (unsigned i = 0; i < h->n_pixels && h->n_noted == u->n_draws; i++) {
		const struct pica_watch *p = &h->pixel[i];
		struct look l = { .h = h, .pixel = i, .target = t, .work = u->work };
		if (!ranges_overlap((struct range){ p->addr, p->size_bytes },
				    (struct range){ t->color_addr, t->color_bytes })) {
			continue;
		}
		exec_wait_all(x);
		l.work.draws = u->draws;
		l.bytes = history_bytes(h, i, x->space);
		const uint32_t first = p->addr > t->color_addr ? (p->addr - t->color_addr) / n : 0;
		const uint32_t last = (p->addr + p->size_bytes - 1 - t->color_addr) / n;
		for (l.index = first; l.index <= last && l.index < t->color_bytes / n; l.index++) {
			if (find_place(&l)) {
				look_at(&l, u);
			}
		}
		h->expected_pixels |= 1u << i;
		h->expected[i] = l.bytes;
	}
	h->n_noted = 0;
}

void history_passed(struct history *h, struct exec *x) {
	if (!h->expected_pixels) {
		return;
	}
	exec_wait_all(x);
	for (size_t i = h->first_of_pass; i < h->n_entries; i++) {
		struct pica_history_entry *e = &h->entries[i];
		if (history_bytes(h, e->watch, x->space) != h->expected[e->watch] &&
				e->verdict == PICA_VERDICT_KEPT) {
			e->verdict = PICA_VERDICT_LOST;
			e->replaces = 0;
		}
	}
	h->expected_pixels = 0;
}
