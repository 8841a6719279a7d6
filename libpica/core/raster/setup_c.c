/*
 * Triangle set-up.
 *
 * Edges. For a triangle of positive area and its directed edge a -> b, with d = b - a,
 *
 *     E(p) = d.x * (p.y - a.y) - d.y * (p.x - a.x)          [fidelity: fill-rule]
 *
 * is positive on the inner side. A sample is inside if for all three edges E > 0, or E = 0 and the
 * edge is inclusive; with bias = inclusive ? 0 : 1 that is E - bias >= 0. With n = subpixel_bits, E
 * changes from pixel to pixel by -2^n * d.y (in x) and 2^n * d.x (in y), so with
 * e = (E - bias) >> n (floor)
 *
 *     floor((E - bias + 2^n * i) / 2^n) = e + i     and     floor(v / 2^n) >= 0  <=>  v >= 0:
 *
 * nothing is lost by keeping e, whose steps are ex = -d.y and ey = d.x.
 *
 * Ranges. |x|, |y| < 2^15 in the window, so |d| < 2^16 in each coordinate, mirrored or not; with
 * the width of a line |d| < 2^16 + 2^13. The tile touches the triangle's box (one that does not is
 * refused first), so its samples lie within 2^10 more of a in each coordinate: |E| < 2^34, and
 * |e| < 2^30 for n = 4, int32 all over the tile. E is computed in int64.
 *
 * Tie rule. The triangle lies on the side of an edge to which E grows: towards greater x if
 * d.y < 0, smaller x if d.y > 0, and for a horizontal edge towards greater y if d.x > 0. That is
 * inclusive if it is the side of tie_x or tie_y. Set-up works in memory rows; with rule->flip
 * greater window y is smaller memory y.
 *
 *        window, y up          memory rows, y down: same look, positive area goes the other way
 *
 *             v2                         v2
 *            /  \                       /  \
 *           /    \                     /    \
 *         v0 --->-- v1              v1 --<--- v0
 */
#include "core/raster/raster.h"

static bool set_box(struct tri *t, const struct raster_state *rs, const struct vert *v0,
		const struct vert *v1, const struct vert *v2, int size) {
	const struct pixel_box b = raster_bounds(rs, v0, v1, v2);
	t->min_x = b.min_x > t->org_x ? b.min_x : t->org_x;
	t->min_y = b.min_y > t->org_y ? b.min_y : t->org_y;
	t->max_x = b.max_x < t->org_x + size - 1 ? b.max_x : t->org_x + size - 1;
	t->max_y = b.max_y < t->org_y + size - 1 ? b.max_y : t->org_y + size - 1;
	return t->min_x <= t->max_x && t->min_y <= t->max_y;
}

/* Common to the edges of a triangle: sample 0 of the tile's first pixel, tie rule. */
struct edge_frame {
	int64_t x, y;
	int32_t tie_x, tie_y; /* in memory rows */
	unsigned bits;
};

/* Handles samples after the first. Returns whether one in the box lies inside the edge. */
static bool set_other_samples(struct tri *t, int k, int64_t e, int32_t most) {
	const struct raster_rule *r = t->rs->rule;
	bool any = false;
	for (unsigned i = 1; i < r->n_samples; i++) {
		const int32_t dx = r->sample[i].x - r->sample[0].x,
			      dy = r->sample[i].y - r->sample[0].y;
		t->e[i][k] = (int32_t)((e + t->ey[k] * dy + t->ex[k] * dx) >> r->subpixel_bits);
		any |= t->e[i][k] + most >= 0;
	}
	return any;
}

/* Edge a -> b as number k. Returns false if no sample of the box lies inside it. */
static inline bool set_edge(struct tri *t, int k, const struct vert *a, const struct vert *b,
		const struct edge_frame *f) {
	const int32_t dx = b->x_fx - a->x_fx, dy = b->y_fx - a->y_fx;
	const bool inclusive = (dy ? (dy ^ f->tie_x) < 0 : (dx ^ f->tie_y) >= 0 && dx);
	const int64_t e = dx * (f->y - a->y_fx) - dy * (f->x - a->x_fx) - !inclusive;
	t->e[0][k] = (int32_t)(e >> f->bits);
	t->ex[k] = -dy;
	t->ey[k] = dx;
	/* The corner of the box where e is greatest. */
	const int32_t x = (t->ex[k] > 0 ? t->max_x : t->min_x) - t->org_x;
	const int32_t y = (t->ey[k] > 0 ? t->max_y : t->min_y) - t->org_y;
	const int32_t most = x * t->ex[k] + y * t->ey[k];
	const bool any = t->e[0][k] + most >= 0;
	return t->rs->rule->n_samples == 1 ? any : set_other_samples(t, k, e, most) || any;
}

/*
 * Box and edges of *t; *area2 becomes the signed double area of the vertices as given. Returns
 * false if no pixel can be touched.
 */
static bool set_edges(struct tri *t, const struct raster_state *rs, const struct vert *v0,
		const struct vert *v1, const struct vert *v2, int org_x, int org_y, int size,
		int64_t *area2) {
	t->rs = rs;
	t->org_x = org_x;
	t->org_y = org_y;
	t->pixel = 1 << rs->rule->subpixel_bits;
	if (!set_box(t, rs, v0, v1, v2, size)) {
		return false;
	}
	*area2 = (int64_t)(v1->x_fx - v0->x_fx) * (v2->y_fx - v0->y_fx) -
			(int64_t)(v1->y_fx - v0->y_fx) * (v2->x_fx - v0->x_fx);
	if (*area2 < 0) {
		const struct vert *swap = v1;
		v1 = v2;
		v2 = swap;
	}
	const struct raster_rule *r = rs->rule;
	const struct edge_frame f = { (int64_t)org_x * t->pixel + r->sample[0].x,
		(int64_t)org_y * t->pixel + r->sample[0].y, r->tie_x,
		r->flip ? -r->tie_y : r->tie_y, r->subpixel_bits };
	return set_edge(t, 0, v0, v1, &f) && set_edge(t, 1, v1, v2, &f) &&
			set_edge(t, 2, v2, v0, &f);
}

bool raster_setup_c(struct tri *t, const struct raster_state *rs, const struct vert *v0,
		const struct vert *v1, const struct vert *v2, int org_x, int org_y, int size) {
	int64_t area2;
	if (!set_edges(t, rs, v0, v1, v2, org_x, org_y, size, &area2)) {
		return false;
	}
	/* [fidelity: planes], in this order: vertices as given, vertex 0 is the reference. */
	float x0 = (float)v0->x_fx, y0 = (float)v0->y_fx;
	float x1 = (float)v1->x_fx - x0, y1 = (float)v1->y_fx - y0;
	float x2 = (float)v2->x_fx - x0, y2 = (float)v2->y_fx - y0;
	float inv = 1.0f / (float)area2;
	t->x0 = x0;
	t->y0 = y0;
	for (unsigned p = 0; p < tri_planes(rs); p++) {
		float q0 = v0->a[p];
		float d1 = v1->a[p] - q0, d2 = v2->a[p] - q0;
		t->q0[p] = q0;
		t->gx[p] = (d1 * y2 - d2 * y1) * inv;
		t->gy[p] = (d2 * x1 - d1 * x2) * inv;
	}
	return true;
}
