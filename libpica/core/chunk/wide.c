/*
 * Points and lines become two triangles each, by the size that the stage gives to a vertex: a point
 * becomes a square around it, a line a rectangle around it. They have no facing, so none is culled.
 *
 *     0 --- 1      corners of a point; of a line from 0|1 to 2|3
 *     |  /  |
 *     2 --- 3
 *
 * Sizes have a limit: with 256 more pixels on each side, edges stay within the range of set-up
 * (raster/setup_c.c).
 */
#include "core/chunk/segment.h"

#include <math.h>

static const float least_size = 0.125f, most_size = 512.0f; /* pixels */

/* An end of a line, or a point: a record, and its share of two vertices. */
struct end {
	struct vert at;
	float weight[2];
};

/* Half the size of a vertex of the segment, in fractions of a pixel. */
static float half_size(const struct segment_run *r, uint32_t slot) {
	const float size = r->s->cv[slot].a[0];
	const float within = !(size > least_size) ? least_size :
			size > most_size      ? most_size :
						size;
	return within * (float)(1 << r->g->rule->subpixel_bits) * 0.5f;
}

/* Adds the corner at offset (dx, dy) from the end. */
static void add_corner(struct segment_run *r, const struct end *e, int32_t dx, int32_t dy,
		const struct made_corner *made) {
	struct vert *v = &r->c->verts[r->c->n_verts++];
	*v = e->at;
	v->x_fx += dx;
	v->y_fx += dy;
	if (r->completes) {
		corner_set_made(v, made);
	}
}

static bool emit_both(struct segment_run *r, uint32_t at) {
	return segment_emit(r, at, at + 1, at + 2) && segment_emit(r, at + 2, at + 1, at + 3);
}

static bool point(struct segment_run *r, uint32_t slot) {
	const struct vertex_scratch *s = r->s;
	r->c->triangles++;
	if (s->code[slot] & CODE_PLANES) {
		return true;
	}
	if (s->code[slot] || !s->ok[slot]) {
		r->c->dropped++;
		return true;
	}
	if (!chunk_reserve_verts(r->c, 4)) {
		return false;
	}
	const uint32_t v = r->base + slot, at = r->c->n_verts;
	const int32_t half = (int32_t)(half_size(r, slot) + 0.5f);
	const struct end e = { .at = r->c->verts[v] };
	for (int i = 0; i < 4; i++) {
		const int right = i & 1, last = i >> 1;
		const struct made_corner made = { .from = { v, v, v },
			.weight = { 1.0f },
			.n_own = 2,
			.own = { (float)right, (float)!last } };
		add_corner(r, &e, right ? half : -half, last ? half : -half, &made);
	}
	return emit_both(r, at);
}

/* Clips a line to all planes. Returns false if nothing is left. */
static bool clip_line(const struct segment_run *r, const uint32_t slot[2], unsigned planes,
		struct end end[2]) {
	struct clip_vertex own[2], poly[CLIP_MAX_VERTICES];
	memset(own, 0, sizeof(own));
	for (unsigned i = 0; i < 2; i++) {
		memcpy(own[i].pos, r->s->cv[slot[i]].pos, sizeof(own[i].pos));
		own[i].a[i] = 1.0f;
	}
	/* A degenerate triangle: its corners farthest apart are the ends. */
	const struct clip_vertex *const corner[3] = { &own[0], &own[1], &own[1] };
	const unsigned n = clip_polygon(r->g, corner, planes, poly);
	unsigned first = 0, last = 0;
	for (unsigned i = 1; i < n; i++) {
		first = poly[i].a[0] > poly[first].a[0] ? i : first;
		last = poly[i].a[0] < poly[last].a[0] ? i : last;
	}
	const struct clip_vertex *const from[2] = { &poly[first], &poly[last] };
	for (unsigned i = 0; i < 2 && n; i++) {
		if (!segment_project(r, from[i], &end[i].at)) {
			return false;
		}
		memcpy(end[i].weight, from[i]->a, sizeof(end[i].weight));
	}
	return n != 0;
}

static int32_t round_half_up(double x) {
	return (int32_t)floor(x + 0.5);
}

/* Square roots are exact; so are products and sums of such small integers. */
static bool rectangle(struct segment_run *r, const struct end end[2], const uint32_t slot[2]) {
	const double dx = end[1].at.x_fx - end[0].at.x_fx, dy = end[1].at.y_fx - end[0].at.y_fx;
	const double length = sqrt(dx * dx + dy * dy);
	if (length == 0.0) {
		return true;
	}
	if (!chunk_reserve_verts(r->c, 4)) {
		return false;
	}
	const double half = half_size(r, slot[0]);
	const int32_t side_x = round_half_up(-dy * half / length),
		      side_y = round_half_up(dx * half / length);
	const uint32_t a = r->base + slot[0], b = r->base + slot[1], at = r->c->n_verts;
	for (int i = 0; i < 4; i++) {
		const struct end *e = &end[i >> 1];
		const int side = i & 1;
		const struct made_corner made = { .from = { a, b, b },
			.weight = { e->weight[0], e->weight[1] },
			.n_own = 1,
			.own = { (float)side } };
		add_corner(r, e, side ? side_x : -side_x, side ? side_y : -side_y, &made);
	}
	return emit_both(r, at);
}

static bool line(struct segment_run *r, const uint32_t slot[2]) {
	const struct vertex_scratch *s = r->s;
	const unsigned all = s->code[slot[0]] & s->code[slot[1]] & CODE_PLANES,
		       any = s->code[slot[0]] | s->code[slot[1]];
	struct end end[2];
	r->c->triangles++;
	if (all) {
		return true;
	}
	if (any & ~(unsigned)r->g->may_stay) {
		return !clip_line(r, slot, any, end) || rectangle(r, end, slot);
	}
	if (!s->ok[slot[0]] || !s->ok[slot[1]]) {
		r->c->dropped++;
		return true;
	}
	for (unsigned i = 0; i < 2; i++) {
		end[i] = (struct end){ .at = r->c->verts[r->base + slot[i]],
			.weight = { i == 0, i == 1 } };
	}
	return rectangle(r, end, slot);
}

bool wide_assemble(struct segment_run *r, uint32_t first, uint32_t n) {
	const unsigned step = topology_step(r->d->topology);
	for (uint32_t i = first; i < first + n; i++) {
		const uint32_t *slot = &r->s->slot[step * i];
		if (!(r->d->topology == TOPOLOGY_POINTS ? point(r, slot[0]) : line(r, slot))) {
			return false;
		}
	}
	return true;
}
