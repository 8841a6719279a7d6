#include "core/tile/walk.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
	BLOCK_PIXELS = 24, /* blocks with at least this many pixels are batches of their own */
	/*
	 * Planes of a quad that are interpolated before early tests. The tests read the first two,
	 * but most quads pass, and another call costs as much as two quads. If quads have no more
	 * planes, whole batches are tested just before shading.
	 */
	TESTED_QUAD_PLANES = 8,
	/* Approximate maximum times, in ns. */
	PIXEL_TICKS = 16,
	STEP_TICKS = 8000, /* a load or a store of a buffer */
};

struct tile_scratch *tile_scratch_create(size_t stage_bytes) {
	const size_t size = (sizeof(struct tile_scratch) + stage_bytes + 63) & ~(size_t)63;
	struct tile_scratch *s = aligned_alloc(64, size);
	if (s) {
		/* Leaves the buffer's pages untouched if no chip uses them. */
		memset(s, 0, offsetof(struct tile_scratch, buffer));
		memset(s->frag, 0, size - offsetof(struct tile_scratch, frag));
	}
	return s;
}

void tile_scratch_destroy(struct tile_scratch *s) {
	free(s);
}

/* The pixel of the quad at (x, y) of the tile. */
static inline uint32_t place_px(const struct tile_scratch *s, int x, int y) {
	return s->column_px[(x - s->org_x) >> 1] + s->row_px[(y - s->org_y) >> 1];
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
 * Counts fragments `mask` from quad `first` on as entered; those in `live` remain after tests
 * before shading. A fragment dropped there costs one step; the others cost the whole plan, so that
 * costs do not depend on the batch.
 */
static void count_entered(const struct tile_scratch *s, const struct batch *b, unsigned first,
		uint64_t mask, uint64_t live) {
	add_counts(s->counts->entered, b->quad_px, first, mask, 1);
	add_counts(s->counts->cost, b->quad_px, first, mask & ~live, 1);
	add_counts(s->counts->cost, b->quad_px, first, live, s->facts.cost);
}

/* After shading. */
static void count_passed(const struct tile_scratch *s, const struct batch *b) {
	add_counts(s->counts->passed, b->quad_px, 0, b->live, 1);
}

/* The reports of the draws of a stage so far. */
static void report(struct tile_scratch *s) {
	const uint32_t value = s->stage ? s->stage->finish(s->frag) : 0;
	s->stats.greatest = value > s->stats.greatest ? value : s->stats.greatest;
}

void walk_bind(struct tile_scratch *s, const struct draw *d, const struct target *target) {
	const struct raster_state *rs = d->state.raster;
	s->draw = d;
	if (d->state.frag_stage != s->stage) {
		report(s);
	}
	s->stage = d->state.frag_stage;
	if (s->owner != s->stage) {
		memset(s->frag, 0, s->stage->scratch_bytes);
		s->owner = s->stage;
	}
	s->quad_planes = tri_planes(rs);
	s->stage->bind(s->frag, s->work->kernels, s->k, &d->state, target, &s->facts);
	s->may_repeat = s->facts.early && s->facts.opaque;
	s->defers = s->facts.early && s->quad_planes <= TESTED_QUAD_PLANES;
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

/* Moves quad `from` of the batch to `to`, with its state after the early tests. */
static void move_quad(struct batch *b, unsigned to, unsigned from, unsigned planes) {
	const unsigned l = 4 * to, m = 4 * from;
	b->quad_px[to] = b->quad_px[from];
	for (unsigned p = 0; p < planes; p++) {
		memcpy(&b->f[p][l], &b->f[p][m], 4 * sizeof(b->f[0][0]));
	}
	memcpy(&b->depth[l], &b->depth[m], 4 * sizeof(b->depth[0]));
	memcpy(&b->z[l], &b->z[m], 4 * sizeof(b->z[0]));
}

/*
 * Runs early tests of quads first..first+n-1 of the packed batch, n > 0, with `planes` planes
 * interpolated. Surviving quads move up, and so does their at[], unless NULL. Returns their number.
 */
static unsigned test_quads(struct tile_scratch *s, struct raster_quad *at, unsigned first,
		unsigned n, unsigned planes) {
	struct batch *b = &s->packed;
	const uint64_t entered = b->live >> 4 * first;
	s->stage->early(s->frag, b, first, n);
	const uint64_t live = b->live >> 4 * first;
	if (PICA_UNLIKELY(s->counts != NULL)) {
		count_entered(s, b, first, entered, live);
	}
	const uint64_t each = UINT64_C(0x1111111111111111) >> 4 * (BATCH_QUADS - n);
	const uint64_t two = live | live >> 1;
	if (((two | two >> 2) & each) == each) {
		return n; /* all */
	}
	unsigned left = 0;
	b->live ^= live << 4 * first;
	for (unsigned i = 0; i < n; i++) {
		const uint64_t lanes = live >> 4 * i & 15;
		if (!lanes) {
			continue;
		}
		if (left != i) {
			move_quad(b, first + left, first + i, planes);
		}
		if (at) {
			at[left] = at[i];
		}
		b->live |= lanes << 4 * (first + left);
		left++;
	}
	return left;
}

/* Runs the deferred tests of packed quads. */
static void settle(struct tile_scratch *s) {
	struct batch *b = &s->packed;
	const unsigned first = s->n_tested;
	if (first < b->n_quads) {
		b->n_quads = first +
				test_quads(s, NULL, first, b->n_quads - first, s->quad_planes);
	}
	s->n_tested = b->n_quads;
}

static void flush(struct tile_scratch *s) {
	struct batch *b = &s->packed;
	if (s->defers) {
		settle(s);
	}
	if (b->n_quads) {
		s->stage->shade(s->frag, b);
		s->stats.batches++;
		if (PICA_UNLIKELY(s->counts != NULL)) {
			count_passed(s, b);
		}
	}
	b->n_quads = s->n_tested = 0;
	b->live = 0;
	s->pending = 0;
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
	s->stats.fragments += popcount64(live);
	unsigned done = 0;
	if (s->facts.early && !s->defers) {
		done = s->k->interp_quads(&s->tri, at, n, b, first, 0, TESTED_QUAD_PLANES);
		n = test_quads(s, at, first, n, done);
	} else if (PICA_UNLIKELY(s->counts != NULL) && !s->facts.early) {
		count_entered(s, b, first, live, live);
	}
	if (n && done < s->quad_planes) {
		s->k->interp_quads(&s->tri, at, n, b, first, done, s->quad_planes);
	}
	s->pending = pending;
	b->n_quads = first + n;
	if (b->n_quads == BATCH_QUADS && s->defers) {
		settle(s);
	}
	if (b->n_quads == BATCH_QUADS) {
		flush(s);
	}
}

/* Moves the list, all of one triangle with distinct pixels, to the packed batch. */
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
}

static void shade_block(struct tile_scratch *s, int x, int y, uint64_t mask, unsigned n) {
	const uint32_t px = place_px(s, x, y);
	const uint64_t own = UINT64_C(0xFFFF) << (px >> 2 & 63); /* pending_bit() of its quads */
	for (unsigned q = 0; (s->pending & own) && q < s->packed.n_quads; q++) {
		if (s->packed.quad_px[q] >> 6 == px >> 6) {
			flush(s);
		}
	}
	struct batch *b = &s->block;
	b->live = mask;
	const uint32_t step = px - b->quad_px[0];
	for (unsigned q = 0; q < BATCH_QUADS; q++) {
		b->quad_px[q] += step;
	}
	s->stats.fragments += n;
	if (!s->has_steps) {
		s->k->steps(&s->tri);
		s->has_steps = true;
	}
	struct raster_block at;
	at.tri = &s->tri;
	s->k->bases(&s->tri, x, y, at.base);
	const uint64_t tested = s->stage->shade_block(s->frag, b, &at);
	s->stats.batches += tested != 0;
	if (PICA_UNLIKELY(s->counts != NULL)) {
		count_entered(s, b, 0, mask, tested);
		count_passed(s, b);
	}
}

static void draw_by_quads(struct tile_scratch *s) {
	struct quad_list *l = &s->list;
	const unsigned n = s->k->cover_quads(&s->tri, l->at, l->mask);
	PICA_NO_UNROLL
	for (unsigned i = 0; i < n; i++) {
		l->px[i] = place_px(s, l->at[i].x, l->at[i].y);
	}
	l->n = n;
}

static void add_quads_of_block(struct tile_scratch *s, int x, int y, uint64_t mask) {
	/* In Morton order. */
	static const struct raster_quad places[BATCH_QUADS] = { { 0, 0 }, { 2, 0 }, { 0, 2 },
		{ 2, 2 }, { 4, 0 }, { 6, 0 }, { 4, 2 }, { 6, 2 }, { 0, 4 }, { 2, 4 }, { 0, 6 },
		{ 2, 6 }, { 4, 4 }, { 6, 4 }, { 4, 6 }, { 6, 6 } };
	const uint32_t px = place_px(s, x, y);
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
 * The greatest value of each edge over a block, stepped from block to block, shows which blocks lie
 * outside the triangle; the least one, a constant below it, shows which lie inside.
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

/* Pixels of four samples: whole blocks, with the samples that are covered. */
static void draw_by_samples(struct tile_scratch *s) {
	const struct tri *t = &s->tri;
	s->has_steps = false;
	for (int y = t->min_y & ~7; y <= t->max_y; y += 8) {
		for (int x = t->min_x & ~7; x <= t->max_x; x += 8) {
			uint64_t *samples = s->block.samples;
			s->k->cover_samples(t, x, y, samples);
			const uint64_t mask = samples[0] | samples[1] | samples[2] | samples[3];
			if (mask) {
				shade_block(s, x, y, mask, popcount64(mask));
			}
		}
	}
}

/*
 * The triangles of a tile are scattered over the chunk's memory, so the next one's corners, and the
 * record of the one after it, are prefetched while this one is drawn.
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

static void report_triangle(
		struct tile_scratch *s, const struct chunk *ch, const struct vert *const v[3]) {
	const float *extra[3] = { NULL };
	const bool has_extra = s->draw->state.vertex_stage->complete && ch->extra;
	for (unsigned k = 0; has_extra && k < 3; k++) {
		extra[k] = ch->extra + vert_extra(v[k]);
	}
	s->stage->triangle(s->frag, v, extra);
}

static void draw_triangle(
		struct tile_scratch *s, const struct chunk *ch, const struct tri_ref *ref) {
	const struct pass_work *w = s->work;
	const int size = (int)w->tile_size;
	const struct draw *d = w->draws[ref->draw];
	if (d != s->draw) {
		flush(s);
		walk_bind(s, d, s->target);
	}
	const struct raster_state *rs = d->state.raster;
	const struct vert *const v[3] = { &ch->verts[ref->v[0]], &ch->verts[ref->v[1]],
		&ch->verts[ref->v[2]] };
	if (!w->raster->setup(&s->tri, rs, v[0], v[1], v[2], s->org_x, s->org_y, size)) {
		return;
	}
	if (s->stage->triangle) {
		report_triangle(s, ch, v);
	}
	if (rs->rule->n_samples > 1) {
		draw_by_samples(s);
	} else if (raster_is_small(&s->tri)) {
		draw_by_quads(s);
	} else {
		draw_by_blocks(s);
	}
	pack_list(s);
	if (s->stage->triangle) {
		flush(s);
	}
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
			if (!walk_prepare(s, w->draws[ch->tris[*list].draw], slice)) {
				return false;
			}
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

/* The places of quads, where target and origin are set. */
static void set_places(struct tile_scratch *s) {
	const struct target *t = s->target;
	const int n = (int)s->work->tile_size / 2;
	const uint32_t first = quad_px(t, s->org_x, s->org_y);
	for (int i = 0; i < n; i++) {
		s->column_px[i] = quad_px(t, s->org_x + 2 * i, s->org_y) - first;
		s->row_px[i] = quad_px(t, s->org_x, s->org_y + 2 * i);
	}
}

/* ---- Buffers ---- */

static void begin_walk(struct tile_scratch *s, const struct tile_walk *walk) {
	s->at = (struct cursor){ .tile = walk->bin };
	s->org_x = s->local.org_x = walk->org_x;
	s->org_y = s->local.org_y = walk->org_y;
	set_places(s);
	s->draw = NULL; /* the stage needs the origin */
	s->is_walking = true;
}

static bool run_program(struct tile_scratch *s, struct slice *slice) {
	const struct tile_program *p = s->work->program;
	while (!pass_is_abandoned(s->work)) {
		if (s->is_walking && !run_tile(s, slice)) {
			return false;
		}
		s->is_walking = false;
		struct tile_walk walk;
		const enum tile_next next = p->step(p, s->task, &s->step, &s->buffer, &walk);
		if (next == TILE_ENDS) {
			return true;
		}
		if (next == TILE_WALKS) {
			begin_walk(s, &walk);
		}
		if (slice_over(slice, STEP_TICKS)) {
			return false;
		}
	}
	return true;
}

static void begin_program(struct tile_scratch *s) {
	const uint16_t size = (uint16_t)s->work->tile_size;
	s->local = (struct target){ .color = (uint8_t *)s->buffer.color,
		.depth = (uint8_t *)s->buffer.depth,
		.color_bytes = sizeof(s->buffer.color),
		.depth_bytes = sizeof(s->buffer.depth),
		.width = size,
		.height = size,
		.color_px_bytes = 4,
		.depth_px_bytes = 4 };
	s->target = &s->local;
	s->step = 0;
	s->is_walking = false;
}

void tile_begin(struct tile_scratch *s, const struct pass_work *w, unsigned tile) {
	s->k = w->raster;
	s->draw = NULL;
	s->stage = NULL;
	s->target = w->target;
	s->work = w;
	s->at = (struct cursor){ .tile = tile };
	s->task = tile;
	if (w->serial) {
		memset(&s->win, 0, sizeof(s->win));
	} else {
		s->org_x = (int)(tile % w->tiles_x * w->tile_size);
		s->org_y = (int)(tile / w->tiles_x * w->tile_size);
	}
	if (w->program) {
		begin_program(s);
	} else if (!w->serial) {
		set_places(s);
	}
	s->counts = w->is_counted ? &w->counts : NULL;
	s->packed.n_quads = s->n_tested = 0;
	s->packed.live = 0;
	s->block.n_quads = BATCH_QUADS;
	for (unsigned q = 0; q < BATCH_QUADS; q++) {
		s->block.quad_px[q] = 4 * q;
	}
	s->list.n = 0;
	s->pending = 0;
	s->stats = (struct tile_stats){ 0 };
}

bool tile_go_on(struct tile_scratch *s, struct slice *slice, struct tile_stats *stats) {
	const struct pass_work *w = s->work;
	if (!(w->program        ? run_program(s, slice) :
			w->serial ? walk_serial(s, slice) :
				    run_tile(s, slice))) {
		return false;
	}
	report(s);
	*stats = s->stats;
	return true;
}
