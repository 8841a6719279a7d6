/*
 * Assembly, clipping and culling are those of chunk.c: a triangle that they drop is tried again
 * with culling off, and then without clipping, to find the reason.
 */
#include "core/chunk/watch.h"

#include <errno.h>

#include "core/base/morton.h"
#include "core/chunk/segment.h"

int watch_init(struct watch *w, size_t stage_bytes) {
	w->chunk = chunk_create();
	w->scratch = vertex_scratch_create(stage_bytes);
	return w->chunk && w->scratch ? 0 : -ENOMEM;
}

void watch_finish(struct watch *w) {
	chunk_destroy(w->chunk);
	vertex_scratch_destroy(w->scratch);
	*w = (struct watch){ 0 };
}

/* A segment at a pixel. */
struct look {
	struct segment_run *r;
	uint32_t x, y;
	struct watched at; /* of the primitive */
	watch_fn *fn;
	void *user;
};

static bool covers(const struct look *l, const struct vert *const v[3]) {
	const int x = (int)l->x & ~7, y = (int)l->y & ~7;
	struct tri t;
	uint64_t mask[RASTER_SAMPLES] = { 0 };
	if (!raster_setup_c(&t, l->r->rs, v[0], v[1], v[2], x, y, 8)) {
		return false;
	}
	if (l->r->rs->rule->n_samples > 1) {
		raster_cover_samples_c(&t, x, y, mask);
	} else {
		mask[0] = raster_cover_block_c(&t, x, y);
	}
	return (mask[0] | mask[1] | mask[2] | mask[3]) >> morton8(l->x & 7, l->y & 7) & 1;
}

/* Signed double area of a, b and the centre of pixel (x, y). */
static double area_at(const struct vert *a, const struct vert *b, double x, double y) {
	return ((double)b->x_fx - a->x_fx) * (y - a->y_fx) -
			((double)b->y_fx - a->y_fx) * (x - a->x_fx);
}

void watch_barycentric(const struct watched *w, uint32_t x, uint32_t y, int px, float out[3]) {
	const double at_x = (double)px * x + px / 2, at_y = (double)px * y + px / 2;
	const double area[3] = { area_at(w->v[1], w->v[2], at_x, at_y),
		area_at(w->v[2], w->v[0], at_x, at_y), area_at(w->v[0], w->v[1], at_x, at_y) };
	const double sum = area[0] + area[1] + area[2];
	for (unsigned i = 0; i < 3; i++) {
		out[i] = sum != 0 ? (float)(area[i] / sum) : 0.0f;
	}
}

static void report(struct look *l, const struct vert *const v[3], enum watch_fate fate) {
	l->at.fate = fate;
	for (unsigned i = 0; i < 3; i++) {
		l->at.v[i] = v[i];
	}
	l->fn(l->user, &l->at);
}

/* Whether the bounds of the corners touch the pixel, or its neighbours. */
static bool is_near(const struct look *l, const struct vert *const v[3]) {
	const struct pixel_box b = raster_bounds(l->r->rs, v[0], v[1], v[2]);
	const int x = (int)l->x, y = (int)l->y;
	return x >= b.min_x - 1 && x <= b.max_x + 1 && y >= b.min_y - 1 && y <= b.max_y + 1;
}

/* Returns the side of the line from a to b on which a point lies: -1, 0, 1. */
static int side_of(const struct vert *a, const struct vert *b, int64_t x, int64_t y) {
	const int64_t cross = ((int64_t)b->x_fx - a->x_fx) * (y - a->y_fx) -
			((int64_t)b->y_fx - a->y_fx) * (x - a->x_fx);
	return cross > 0 ? 1 : cross < 0 ? -1 : 0;
}

/* Whether three corners on one line meet the pixel's square, its sides included. */
static bool line_meets_pixel(const struct look *l, const struct vert *const v[3]) {
	const int32_t px = 1 << l->r->g->rule->subpixel_bits;
	const int32_t x0 = (int32_t)l->x * px, y0 = (int32_t)l->y * px;
	if (max3(v[0]->x_fx, v[1]->x_fx, v[2]->x_fx) < x0 ||
			min3(v[0]->x_fx, v[1]->x_fx, v[2]->x_fx) > x0 + px ||
			max3(v[0]->y_fx, v[1]->y_fx, v[2]->y_fx) < y0 ||
			min3(v[0]->y_fx, v[1]->y_fx, v[2]->y_fx) > y0 + px) {
		return false;
	}
	/* Of a line with a length; of a point every side is 0. */
	const bool is_point = v[0]->x_fx == v[1]->x_fx && v[0]->y_fx == v[1]->y_fx;
	const struct vert *a = v[0], *b = is_point ? v[2] : v[1];
	const int s[4] = { side_of(a, b, x0, y0), side_of(a, b, x0 + px, y0),
		side_of(a, b, x0, y0 + px), side_of(a, b, x0 + px, y0 + px) };
	const int least = min3(s[0], s[1], min3(s[2], s[3], 1));
	const int most = max3(s[0], s[1], max3(s[2], s[3], -1));
	return least <= 0 && most >= 0;
}

/* Assembles the primitive again. Returns whether a remaining triangle covers the pixel; -1: out of
 * memory. */
static int look_at_rest(struct look *l, const uint32_t corner[3], unsigned negated,
		enum watch_fate fate) {
	const uint32_t n_tris = l->r->c->n_tris;
	bool found = false;
	if (!segment_triangle(l->r, corner, negated)) {
		return -1;
	}
	const struct chunk *c = l->r->c;
	for (uint32_t i = n_tris; i < c->n_tris; i++) {
		const uint32_t *n = c->tris[i].v;
		const struct vert *const v[3] = { &c->verts[n[0]], &c->verts[n[1]],
			&c->verts[n[2]] };
		if (covers(l, v)) {
			report(l, v, fate);
			found = true;
		}
	}
	return found;
}

/* The corners in cv are those of a triangle. False: out of memory. */
static bool look_at(struct look *l, const uint32_t corner[3], unsigned negated) {
	struct segment_run *r = l->r;
	const struct vertex_scratch *s = r->s;
	const uint32_t a = corner[0], b = corner[1], c = corner[2];
	const unsigned outside = (s->code[a] | s->code[b] | s->code[c]) & CODE_PLANES;
	const bool is_whole = s->ok[a] && s->ok[b] && s->ok[c];
	const struct vert own[3] = { r->c->verts[r->base + a], r->c->verts[r->base + b],
		r->c->verts[r->base + c] };
	const struct vert *const v[3] = { &own[0], &own[1], &own[2] };
	if (is_whole && !outside && !is_near(l, v)) {
		return true;
	}
	int found = look_at_rest(l, corner, negated, WATCH_DRAWN);
	if (found == 0 && r->g->cull != CULLS_NONE) {
		const struct geom_state *g = r->g;
		struct geom_state both = *g;
		both.cull = CULLS_NONE;
		r->g = &both;
		found = look_at_rest(l, corner, negated, WATCH_CULLED);
		r->g = g;
	}
	if (found != 0 || !is_whole) {
		return found >= 0;
	}
	const bool has_area = window_area2(r->g, v[0], v[1], v[2]) != 0;
	if (outside && has_area && covers(l, v)) {
		report(l, v, WATCH_CLIPPED);
	} else if (!outside && !has_area && line_meets_pixel(l, v)) {
		report(l, v, WATCH_DEGENERATE);
	}
	return true;
}

/* Positions of the corners of a primitive, in the order of find_corners(). */
static void find_positions(const struct draw *d, uint32_t prim, uint32_t at[3]) {
	switch ((enum topology)d->topology) {
	case TOPOLOGY_STRIP:
		at[(prim ^ d->parity) & 1] = prim;
		at[~(prim ^ d->parity) & 1] = prim + 1;
		at[2] = prim + 2;
		break;
	case TOPOLOGY_FAN:
		at[0] = 0;
		at[1] = prim + 1;
		at[2] = prim + 2;
		break;
	default:
		for (uint32_t i = 0; i < 3; i++) {
			at[i] = 3 * prim + i;
		}
		break;
	}
}

static bool look_at_all(struct look *l, const struct segment *seg) {
	struct segment_run *r = l->r;
	const uint32_t n_verts = r->c->n_verts, n_tris = r->c->n_tris;
	for (uint32_t i = 0; i < seg->n; i++) {
		uint32_t corner[1][3];
		uint8_t negated[1] = { 0 };
		l->at.primitive = seg->first + i;
		find_positions(r->d, l->at.primitive, l->at.position);
		find_corners(r, l->at.primitive, corner[0]);
		if (r->has_assembly) {
			r->d->state.vertex_stage->assemble(
					r->s->cv, (const uint32_t (*)[3])corner, 1, negated);
		}
		if (!look_at(l, corner[0], negated[0])) {
			return false;
		}
		r->c->n_verts = n_verts;
		r->c->n_tris = n_tris;
	}
	return true;
}

int watch_segment(struct watch *w, const struct pass_work *work, const struct segment *seg,
		const struct target *target, uint32_t x, uint32_t y, watch_fn *fn, void *user) {
	struct slice slice = { .end_ns = UINT64_MAX };
	struct chunk *c = w->chunk;
	const struct draw *d = work->draws[seg->draw];
	if (topology_is_wide(d->topology)) {
		return 0;
	}
	chunk_reset(c);
	c->limit_px = c->limit_bytes = UINT64_MAX;
	c->limit_steps = UINT64_MAX >> 1;
	w->scratch->unfiltered = 1; /* every vertex is needed */
	if (!segment_begin(c, seg, d, work, w->scratch)) {
		return -ENOMEM;
	}
	struct segment_run *r = &w->scratch->run;
	enum progress progress = GOES_ON;
	while (r->at < r->n && progress != OVER) {
		progress = segment_shade(c, work, w->scratch, &slice);
	}
	if (progress == OVER) {
		return 0; /* an invocation was cut off: the job draws nothing */
	}
	c->n_verts += r->n;
	/* The whole target, to distinguish the scissor test from other reasons. */
	struct raster_state whole = *r->rs;
	whole.exclude = false;
	whole.min_x = whole.min_y = 0;
	whole.max_x = target->width - 1;
	whole.max_y = target->height - 1;
	r->rs = &whole;
	struct look l = { .r = r, .x = x, .y = y, .at = { .draw = seg->draw }, .fn = fn,
		.user = user };
	return look_at_all(&l, seg) ? 0 : -ENOMEM;
}
