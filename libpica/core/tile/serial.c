/* Serial: one pixel at a time. */
#include "core/tile/walk.h"

enum { SERIAL_TICKS = 256 }; /* a pixel on its own, in ns at most */

/* quad_px may be of the window, so the pixel is given. */
static void count_pixel(const struct tile_scratch *s, uint32_t px, bool live) {
	s->counts->entered[px]++;
	s->counts->cost[px] += live ? s->facts.cost : 1;
}

static void serial_pixel(struct tile_scratch *s, int x, int y) {
	const struct pass_work *w = s->work;
	const struct target *t = w->target;
	struct quad_window *win = &s->win;
	int qx = x & ~1, qy = y & ~1;
	unsigned lane = (unsigned)((x & 1) | (y & 1) << 1);
	const uint32_t px = quad_px(t, qx, qy);
	struct batch *b = &s->block;
	b->live = 1ull << lane;
	b->n_quads = 1;
	b->quad_px[0] = w->outside ? 0 : px;
	const unsigned cb = t->color_px_bytes, db = t->depth_px_bytes;
	uint32_t color_at = t->color_addr + (px + lane) * cb,
		 depth_at = t->depth_addr + (px + lane) * db;
	const bool has_depth = t->depth_bytes != 0; /* else it has no address either */
	if (w->outside) {
		space_read(w->space, color_at, win->color + lane * cb, cb);
	}
	if (w->outside && has_depth) {
		space_read(w->space, depth_at, win->depth + lane * db, db);
	}
	s->stats.fragments++;
	const struct raster_quad at = { qx, qy };
	s->k->interp_quads(&s->tri, &at, 1, b, 0, 0, s->quad_planes);
	if (s->facts.early) {
		s->stage->early(s->frag, b, 0, 1);
	}
	if (PICA_UNLIKELY(s->counts != NULL)) {
		count_pixel(s, px + lane, b->live != 0);
	}
	if (b->live) {
		s->stats.batches++;
		s->stage->shade(s->frag, b);
	}
	if (PICA_UNLIKELY(s->counts != NULL)) {
		s->counts->passed[px + lane] += b->live != 0;
	}
	if (w->outside && has_depth) {
		space_store(w->space, depth_at, win->depth + lane * db, db);
	}
	if (w->outside) {
		space_store(w->space, color_at, win->color + lane * cb, cb);
	}
}

static void serial_block(struct tile_scratch *s, int x, int y) {
	uint64_t mask = s->k->cover_block(&s->tri, x, y);
	while (mask) {
		unsigned i = ctz64(mask);
		mask &= mask - 1;
		serial_pixel(s, x + (int)morton8_x(i), y + (int)morton8_y(i));
	}
}

/*
 * Blocks in memory order; the set-up is redone for each, exactness before speed. False: the slice
 * is over.
 */
static bool serial_blocks(struct tile_scratch *s, struct slice *slice,
		const struct raster_state *rs, const struct vert *const v[3]) {
	struct cursor *at = &s->at;
	const int step = s->work->target->block32 ? 4 : 1;
	while (at->by <= at->box.y1 && !pass_is_abandoned(s->work)) {
		const int x = (at->bx + (int)morton8_x(at->block)) * 8,
			  y = (at->by + (int)morton8_y(at->block)) * 8;
		const uint64_t before = s->stats.fragments;
		if (s->k->setup(&s->tri, rs, v[0], v[1], v[2], x, y, 8)) {
			serial_block(s, x, y);
		}
		if (++at->block == (unsigned)(step * step)) {
			at->block = 0;
			at->bx += step;
			if (at->bx > at->box.x1) {
				at->bx = at->box.x0 & ~(step - 1);
				at->by += step;
			}
		}
		if (slice_over(slice,
				    TRIANGLE_TICKS +
						    SERIAL_TICKS * (s->stats.fragments - before))) {
			return false;
		}
	}
	return true;
}

static void serial_bind(struct tile_scratch *s, const struct draw *d) {
	const struct pass_work *w = s->work;
	struct quad_window *win = &s->win;
	if (w->outside) {
		win->target = *w->target;
		win->target.color = win->color;
		win->target.depth = w->target->depth_bytes ? win->depth : NULL;
	}
	walk_bind(s, d, w->outside ? &win->target : w->target);
}

bool walk_serial(struct tile_scratch *s, struct slice *slice) {
	const struct pass_work *w = s->work;
	struct cursor *at = &s->at;
	const int step = w->target->block32 ? 4 : 1;
	for (; at->chunk < w->n_chunks; at->chunk++, at->tri = 0) {
		const struct chunk *ch = w->chunks[at->chunk];
		for (; at->tri < ch->n_tris && !pass_is_abandoned(w);
				at->tri++, at->is_inside = false) {
			const struct tri_ref *ref = &ch->tris[at->tri];
			const struct draw *d = w->draws[ref->draw];
			const struct vert *const v[3] = { &ch->verts[ref->v[0]],
				&ch->verts[ref->v[1]], &ch->verts[ref->v[2]] };
			const struct raster_state *rs = d->state.raster;
			if (!walk_prepare(s, d, slice)) {
				return false;
			}
			if (d != s->draw) {
				serial_bind(s, d);
			}
			if (!at->is_inside) {
				const struct pixel_box p = raster_bounds(rs, v[0], v[1], v[2]);
				if (p.min_x > p.max_x || p.min_y > p.max_y) {
					continue;
				}
				at->box = (struct block_box){ p.min_x >> 3, p.min_y >> 3,
					p.max_x >> 3, p.max_y >> 3 };
				at->bx = at->box.x0 & ~(step - 1);
				at->by = at->box.y0 & ~(step - 1);
				at->block = 0;
				at->is_inside = true;
			}
			if (!serial_blocks(s, slice, rs, v)) {
				return false;
			}
		}
	}
	return true;
}
