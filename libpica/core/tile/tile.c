#include "core/tile/tile.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/morton.h"
#include "core/raster/surface.h"

enum {
	LIST_QUADS = RASTER_SMALL_QUADS,
	BLOCK_PIXELS = 24, /* blocks with at least this many pixels are batches of their own */
	/* Planes of a quad that are there for the early tests, which read the first two. */
	TESTED_QUAD_PLANES = 4,
	/* Approximate maximum times, in ns. */
	TRIANGLE_TICKS = 100,
	PIXEL_TICKS = 16,
	SERIAL_TICKS = 256, /* a pixel on its own */
};

/* 8x8 blocks that a triangle may touch, inclusive. */
struct block_box {
	int x0, y0, x1, y1;
};

/* Four pixels of a target that may lie outside memory. */
struct quad_window {
	struct target target;
	uint8_t color[16], depth[16];
};

/* The next block to draw. */
struct cursor {
	unsigned tile, chunk;
	uint32_t tri; /* of the chunk: in its list for the tile; serial: in tris */
	/* Serial: the next block of the triangle, if it was begun. */
	bool is_inside;
	struct block_box box;
	int bx, by;     /* multiples of 4 where blocks are 32x32 */
	unsigned block; /* of the 16 (or one) there */
};

/* Quads of the current triangle that are in no batch yet. */
struct quad_list {
	struct raster_quad at[LIST_QUADS];
	uint32_t px[LIST_QUADS];  /* of the first pixel */
	uint8_t mask[LIST_QUADS]; /* not 0 */
	unsigned n;
};

struct tile_scratch {
	struct batch packed;
	struct batch block;
	struct tri tri;
	struct quad_list list;
	bool has_steps; /* of tri */
	const struct pass_work *work;
	struct cursor at;
	struct quad_window win; /* serial */
	/* Of the current draw: */
	const struct raster_kernels *k;
	const struct draw *draw;
	const struct frag_stage *stage;
	const struct target *target;
	struct frag_facts facts;
	unsigned quad_planes; /* tri_planes() */
	bool may_repeat; /* a pixel may be pending twice: opaque and tested when appended */
	const struct tile_counts *counts; /* NULL: not requested */
	/* Hash bits of pending quads, and of some that failed their tests: no bit, no conflict. */
	uint64_t pending;
	struct tile_stats stats;
	PICA_ALIGNED(64) unsigned char frag[]; /* of the stages */
};

struct tile_scratch *tile_scratch_create(size_t stage_bytes) {
	const size_t size = (sizeof(struct tile_scratch) + stage_bytes + 63) & ~(size_t)63;
	struct tile_scratch *s = aligned_alloc(64, size);
	if (s) {
		memset(s, 0, size);
	}
	return s;
}

void tile_scratch_destroy(struct tile_scratch *s) {
	free(s);
}

/* Adds n to the pixels `mask` of quads first and up; px: their first pixels, by quad number. */
static void add_counts(
		uint32_t *count, const uint32_t *px, unsigned first, uint64_t mask, uint32_t n) {
	for (; mask; mask &= mask - 1) {
		const unsigned lane = ctz64(mask);
		count[px[first + lane / 4] + lane % 4] += n;
	}
}

/*
 * Fragments `mask` from quad `first` on have entered, those of `live` are left after tests before
 * shading. A fragment that is not costs that one step; the others cost the whole plan, wherever
 * it ends for them: what batch they are in must not show.
 */
static void count_entered(const struct tile_scratch *s, const struct batch *b, unsigned first,
		uint64_t mask, uint64_t live) {
	add_counts(s->counts->entered, b->quad_px, first, mask, 1);
	add_counts(s->counts->cost, b->quad_px, first, mask & ~live, 1);
	add_counts(s->counts->cost, b->quad_px, first, live, s->facts.cost);
}

/* After shading. */
static void count_passed(struct tile_scratch *s, const struct batch *b) {
	s->stats.batches++;
	if (PICA_UNLIKELY(s->counts != NULL)) {
		add_counts(s->counts->passed, b->quad_px, 0, b->live, 1);
	}
}

static void flush(struct tile_scratch *s) {
	struct batch *b = &s->packed;
	if (b->n_quads) {
		s->stage->shade(s->frag, b);
		count_passed(s, b);
	}
	b->n_quads = 0;
	b->live = 0;
	s->pending = 0;
}

/* The reports of the draws of a stage so far. */
static void report(struct tile_scratch *s) {
	const uint32_t value = s->stage ? s->stage->finish(s->frag) : 0;
	s->stats.greatest = value > s->stats.greatest ? value : s->stats.greatest;
}

static void bind(struct tile_scratch *s, const struct draw *d, const struct target *target) {
	const struct raster_state *rs = d->state.raster;
	s->draw = d;
	if (d->state.frag_stage != s->stage) {
		report(s);
	}
	s->stage = d->state.frag_stage;
	s->quad_planes = tri_planes(rs);
	s->stage->bind(s->frag, s->work->kernels, s->k, &d->state, target, &s->facts);
	s->may_repeat = s->facts.early && s->facts.opaque;
}

static uint32_t block_px(const struct target *t, int x, int y) {
	return surface_block_px(t->block32 ? SURFACE_BLOCKS32 : SURFACE_BLOCKS, t->width,
			(uint32_t)x, (uint32_t)y);
}

static uint32_t quad_px(const struct target *t, int x, int y) {
	return block_px(t, x, y) + morton8((uint32_t)x & 7, (uint32_t)y & 7);
}

static uint64_t pending_bit(uint32_t px) {
	return 1ull << (px >> 2 & 63);
}

/* Whether one of the pixels `mask` of the quad at px is pending. */
static bool conflicts(const struct tile_scratch *s, uint32_t px, unsigned mask) {
	if (!(s->pending & pending_bit(px))) {
		return false;
	}
	for (unsigned q = 0; q < s->packed.n_quads; q++) {
		if (s->packed.quad_px[q] == px && (s->packed.live >> (4 * q) & mask)) {
			return true;
		}
	}
	return false;
}

/* Quad `from` of the batch becomes quad `to`, with its state after the early tests. */
static void move_quad(struct batch *b, unsigned to, unsigned from) {
	const unsigned l = 4 * to, m = 4 * from;
	b->quad_px[to] = b->quad_px[from];
	for (unsigned p = 0; p < TESTED_QUAD_PLANES; p++) {
		memcpy(&b->f[p][l], &b->f[p][m], 4 * sizeof(b->f[0][0]));
	}
	memcpy(&b->depth[l], &b->depth[m], 4 * sizeof(b->depth[0]));
	memcpy(&b->z[l], &b->z[m], 4 * sizeof(b->z[0]));
}

/* Early tests of the packed quads from first on, which are those at[]. Returns how many live on. */
static unsigned test_quads(
		struct tile_scratch *s, struct raster_quad *at, unsigned first, unsigned n) {
	struct batch *b = &s->packed;
	const uint64_t entered = b->live >> 4 * first;
	s->k->interp_quads(&s->tri, at, n, b, first, 0, TESTED_QUAD_PLANES);
	s->stage->early(s->frag, b, first, n);
	const uint64_t live = b->live >> 4 * first;
	if (PICA_UNLIKELY(s->counts != NULL)) {
		count_entered(s, b, first, entered, live);
	}
	unsigned left = 0;
	b->live ^= live << 4 * first;
	for (unsigned i = 0; i < n; i++) {
		const uint64_t lanes = live >> 4 * i & 15;
		if (!lanes) {
			continue;
		}
		if (left != i) {
			move_quad(b, first + left, first + i);
			at[left] = at[i];
		}
		b->live |= lanes << 4 * (first + left);
		left++;
	}
	return left;
}

/* The list's quads from i on, at most n of them, as the packed batch's next ones. */
static void pack_quads(struct tile_scratch *s, unsigned i, unsigned n) {
	struct batch *b = &s->packed;
	struct raster_quad *at = &s->list.at[i];
	const unsigned first = b->n_quads;
	uint64_t live = 0, pending = s->pending;
	for (unsigned k = 0; k < n; k++) {
		const uint32_t px = s->list.px[i + k];
		b->quad_px[first + k] = px;
		pending |= pending_bit(px);
		live |= (uint64_t)s->list.mask[i + k] << 4 * k;
	}
	b->live |= live << 4 * first;
	unsigned done = 0;
	if (s->facts.early) {
		n = test_quads(s, at, first, n);
		done = TESTED_QUAD_PLANES;
	} else if (PICA_UNLIKELY(s->counts != NULL)) {
		count_entered(s, b, first, live, live);
	}
	if (n && done < s->quad_planes) {
		s->k->interp_quads(&s->tri, at, n, b, first, done, s->quad_planes);
	}
	s->pending = pending;
	b->n_quads = first + n;
	if (b->n_quads == BATCH_QUADS) {
		flush(s);
	}
}

/* Of four bits. */
static unsigned popcount4(unsigned mask) {
	return (unsigned)(UINT64_C(0x4332322132212110) >> (4 * mask)) & 15;
}

/* The list, all of one triangle, whose pixels are all others, goes to the packed batch. */
static void pack_list(struct tile_scratch *s) {
	struct quad_list *l = &s->list;
	for (unsigned i = 0; i < l->n && !s->may_repeat; i++) {
		if (conflicts(s, l->px[i], l->mask[i])) {
			flush(s);
			break;
		}
	}
	for (unsigned i = 0; i < l->n;) {
		const unsigned room = BATCH_QUADS - s->packed.n_quads;
		const unsigned n = l->n - i < room ? l->n - i : room;
		pack_quads(s, i, n);
		i += n;
	}
	l->n = 0;
}

static void add_quad(struct tile_scratch *s, int x, int y, uint32_t px, unsigned mask) {
	struct quad_list *l = &s->list;
	if (l->n == LIST_QUADS) {
		pack_list(s);
	}
	l->at[l->n] = (struct raster_quad){ x, y };
	l->px[l->n] = px;
	l->mask[l->n++] = (uint8_t)mask;
	s->stats.fragments += popcount4(mask);
}

static void shade_block(struct tile_scratch *s, int x, int y, uint64_t mask, unsigned n) {
	const uint32_t px = block_px(s->target, x, y);
	const uint64_t own = UINT64_C(0xFFFF) << (px >> 2 & 63); /* pending_bit() of its quads */
	for (unsigned q = 0; (s->pending & own) && q < s->packed.n_quads; q++) {
		if (s->packed.quad_px[q] >> 6 == px >> 6) {
			flush(s);
		}
	}
	struct batch *b = &s->block;
	b->live = mask;
	b->n_quads = BATCH_QUADS;
	PICA_NO_UNROLL /* as a loop it becomes vectors */
	for (unsigned q = 0; q < BATCH_QUADS; q++) {
		b->quad_px[q] = px + 4 * q;
	}
	s->stats.fragments += n;
	if (!s->has_steps) {
		s->k->steps(&s->tri);
		s->has_steps = true;
	}
	struct raster_block at;
	at.tri = &s->tri;
	s->k->bases(&s->tri, x, y, at.base);
	if (s->facts.early) {
		s->stage->early_block(s->frag, b, &at);
	}
	if (PICA_UNLIKELY(s->counts != NULL)) {
		count_entered(s, b, 0, mask, b->live);
	}
	if (b->live) {
		s->stage->shade_block(s->frag, b, &at);
		count_passed(s, b);
	}
}

static void draw_by_quads(struct tile_scratch *s) {
	struct quad_list *l = &s->list;
	l->n = s->k->cover_quads(&s->tri, l->at, l->mask);
	for (unsigned i = 0; i < l->n; i++) {
		l->px[i] = quad_px(s->target, l->at[i].x, l->at[i].y);
		s->stats.fragments += popcount4(l->mask[i]);
	}
}

static void add_quads_of_block(struct tile_scratch *s, int x, int y, uint64_t mask) {
	/* In Morton order. */
	static const struct raster_quad places[BATCH_QUADS] = { { 0, 0 }, { 2, 0 }, { 0, 2 },
		{ 2, 2 }, { 4, 0 }, { 6, 0 }, { 4, 2 }, { 6, 2 }, { 0, 4 }, { 2, 4 }, { 0, 6 },
		{ 2, 6 }, { 4, 4 }, { 6, 4 }, { 4, 6 }, { 6, 6 } };
	const uint32_t px = block_px(s->target, x, y);
	while (mask) {
		const unsigned i = ctz64(mask) & ~3u; /* first lane of the next quad */
		add_quad(s, x + places[i / 4].x, y + places[i / 4].y, px + i,
				(unsigned)(mask >> i) & 15);
		mask &= ~(UINT64_C(15) << i);
	}
}

static void draw_block(struct tile_scratch *s, int x, int y, bool is_inside) {
	const struct tri *t = &s->tri;
	if (is_inside && x >= t->min_x && x + 7 <= t->max_x && y >= t->min_y && y + 7 <= t->max_y &&
			!t->rs->exclude) {
		shade_block(s, x, y, ~UINT64_C(0), BATCH);
		return;
	}
	const uint64_t mask = s->k->cover_block(t, x, y);
	const unsigned n = ~mask ? popcount64(mask) : BATCH;
	if (n >= BLOCK_PIXELS) {
		shade_block(s, x, y, mask, n);
	} else {
		add_quads_of_block(s, x, y, mask);
	}
}

/*
 * The greatest value of each edge over a block, stepped from block to block, says which blocks lie
 * outside of the triangle, the least one, a constant below it, which lie inside.
 */
static void draw_by_blocks(struct tile_scratch *s) {
	const struct tri *t = &s->tri;
	const int x0 = t->min_x & ~7, y0 = t->min_y & ~7;
	int32_t row[3], range[3];
	for (unsigned k = 0; k < 3; k++) {
		const int32_t ex = t->ex[k], ey = t->ey[k];
		const int32_t up = (ex > 0 ? ex : 0) + (ey > 0 ? ey : 0);
		row[k] = t->e[0][k] + (x0 - t->org_x) * ex + (y0 - t->org_y) * ey + 7 * up;
		range[k] = 7 * (2 * up - ex - ey);
	}
	s->has_steps = false;
	for (int y = y0; y <= t->max_y; y += 8) {
		int32_t e0 = row[0], e1 = row[1], e2 = row[2];
		for (int x = x0; x <= t->max_x; x += 8) {
			if ((e0 | e1 | e2) >= 0) {
				draw_block(s, x, y, ((e0 - range[0]) | (e1 - range[1]) |
							(e2 - range[2])) >= 0);
			}
			e0 += 8 * t->ex[0];
			e1 += 8 * t->ex[1];
			e2 += 8 * t->ex[2];
		}
		for (unsigned k = 0; k < 3; k++) {
			row[k] += 8 * t->ey[k];
		}
	}
}

/*
 * A chunk's triangles lie in memory as they were made, those of a tile scattered over it: the next
 * one's corners are fetched while this one is drawn, and the place of the one after it.
 */
static void prefetch_triangle(const struct chunk *ch, const uint32_t *list, uint32_t n) {
	if (n > 2) {
		PICA_PREFETCH(&ch->tris[list[2]]);
	}
	if (n > 1) {
		const struct tri_ref *next = &ch->tris[list[1]];
		for (unsigned k = 0; k < 3; k++) {
			PICA_PREFETCH(&ch->verts[next->v[k]]);
			PICA_PREFETCH((const char *)&ch->verts[next->v[k]] + 64);
		}
	}
}

static void draw_triangle(
		struct tile_scratch *s, const struct chunk *ch, const struct tri_ref *ref) {
	const struct pass_work *w = s->work;
	const int size = (int)w->tile_size;
	const int org_x = (int)(s->at.tile % w->tiles_x) * size,
		  org_y = (int)(s->at.tile / w->tiles_x) * size;
	const struct draw *d = w->draws[ref->draw];
	if (d != s->draw) {
		flush(s);
		bind(s, d, w->target);
	}
	if (!w->raster->setup(&s->tri, d->state.raster, &ch->verts[ref->v[0]],
			    &ch->verts[ref->v[1]], &ch->verts[ref->v[2]], org_x, org_y, size)) {
		return;
	}
	if (raster_is_small(&s->tri)) {
		draw_by_quads(s);
	} else {
		draw_by_blocks(s);
	}
	pack_list(s);
}

static bool run_tile(struct tile_scratch *s, struct slice *slice) {
	const struct pass_work *w = s->work;
	struct cursor *at = &s->at;
	for (; at->chunk < w->n_chunks; at->chunk++, at->tri = 0) {
		const struct chunk *ch = w->chunks[at->chunk];
		const uint32_t start = ch->n_tris ? ch->tile_start[at->tile] : 0;
		const uint32_t n = ch->n_tris ? ch->tile_start[at->tile + 1] - start : 0;
		while (at->tri < n && !pass_is_abandoned(w)) {
			const uint64_t before = s->stats.fragments;
			const uint32_t *list = &ch->tile_list[start + at->tri];
			prefetch_triangle(ch, list, n - at->tri++);
			draw_triangle(s, ch, &ch->tris[*list]);
			const uint64_t drawn = s->stats.fragments - before;
			if (slice_over(slice, TRIANGLE_TICKS + PIXEL_TICKS * drawn)) {
				return false;
			}
		}
	}
	flush(s);
	return true;
}

/* ---- Serial: one pixel at a time ---- */

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
	bind(s, d, w->outside ? &win->target : w->target);
}

static bool run_serial(struct tile_scratch *s, struct slice *slice) {
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

void tile_begin(struct tile_scratch *s, const struct pass_work *w, unsigned tile) {
	s->k = w->raster;
	s->draw = NULL;
	s->stage = NULL;
	s->target = w->target;
	s->work = w;
	s->at = (struct cursor){ .tile = tile };
	if (w->serial) {
		memset(&s->win, 0, sizeof(s->win));
	}
	s->counts = w->is_counted ? &w->counts : NULL;
	s->packed.n_quads = 0;
	s->packed.live = 0;
	s->list.n = 0;
	s->pending = 0;
	s->stats = (struct tile_stats){ 0 };
}

bool tile_go_on(struct tile_scratch *s, struct slice *slice, struct tile_stats *stats) {
	if (!(s->work->serial ? run_serial(s, slice) : run_tile(s, slice))) {
		return false;
	}
	report(s);
	*stats = s->stats;
	return true;
}
