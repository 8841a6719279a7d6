/*
 * Triangle set-up.
 *
 * Edges. For a triangle of positive area and its directed edge a -> b, with d = b - a,
 *
 *     E(p) = d.x * (p.y - a.y) - d.y * (p.x - a.x)          [fidelity: fill-rule]
 *
 * is positive on the inner side. A sample is inside if for all three edges E > 0, or E = 0 and the
 * edge is inclusive; with bias = inclusive ? 0 : 1 that is E - bias >= 0. From pixel to pixel E
 * changes by -16 * d.y (in x) and 16 * d.x (in y), so with e = (E - bias) >> 4 (floor)
 *
 *     floor((E - bias + 16 * n) / 16) = e + n     and     floor(v / 16) >= 0  <=>  v >= 0:
 *
 * nothing is lost by keeping e, whose steps are ex = -d.y and ey = d.x.
 *
 * Ranges. |x|, |y| < 2^15 in the window, so |d| < 2^16 in each coordinate, mirrored or not. The
 * tile touches the triangle's box (one that does not is refused first), so its samples lie within
 * 2^16 + 2^10 of a in each coordinate: |E| < 2 * 2^16 * (2^16 + 2^10), |e| < 2^30, int32 all over
 * the tile. E is computed in int64.
 *
 * Fill rule, stated for the counter-clockwise triangle with y up: inclusive <=> d.y < 0, or d.y = 0
 * and d.x > 0. [fidelity: fill-rule: copied from another console, guess for this one]
 *
 * With rs->flip, memory y = constant - window y: the triangle of positive area in memory is
 * clockwise in the window, where its counter-clockwise twin runs along the same edge backwards. Its
 * window d is (-d.x, -(-d.y)) = (-d.x, d.y): inclusive <=> d.y < 0, or d.y = 0 and d.x < 0.
 *
 *        window, y up          memory rows, y down: same look, positive area goes the other way
 *
 *             v2                         v2
 *            /  \                       /  \
 *           /    \                     /    \
 *         v0 --->-- v1              v1 --<--- v0
 */
#include "core/raster/setup.h"

static int32_t min3(int32_t a, int32_t b, int32_t c) {
	int32_t m = a < b ? a : b;
	return m < c ? m : c;
}

static int32_t max3(int32_t a, int32_t b, int32_t c) {
	int32_t m = a > b ? a : b;
	return m > c ? m : c;
}

/* First pixel whose sample is at or after x, last pixel whose sample is at or before x (12.4). */
static int32_t first_pixel(int32_t x_fx4) {
	return (x_fx4 + 7) >> 4;
}

static int32_t last_pixel(int32_t x_fx4) {
	return (x_fx4 - 8) >> 4;
}

static bool set_box(struct tri *t, const struct raster_state *rs, const struct vert *v0,
		const struct vert *v1, const struct vert *v2, int size) {
	t->min_x = max3(first_pixel(min3(v0->x_fx4, v1->x_fx4, v2->x_fx4)), rs->min_x, t->org_x);
	t->max_x = min3(last_pixel(max3(v0->x_fx4, v1->x_fx4, v2->x_fx4)), rs->max_x,
			t->org_x + size - 1);
	t->min_y = max3(first_pixel(min3(v0->y_fx4, v1->y_fx4, v2->y_fx4)), rs->min_y, t->org_y);
	t->max_y = min3(last_pixel(max3(v0->y_fx4, v1->y_fx4, v2->y_fx4)), rs->max_y,
			t->org_y + size - 1);
	return t->min_x <= t->max_x && t->min_y <= t->max_y;
}

/* Edge a -> b as number k. Returns false if the whole box lies outside it. */
static bool set_edge(struct tri *t, int k, const struct vert *a, const struct vert *b, bool flip) {
	int32_t dx = b->x_fx4 - a->x_fx4, dy = b->y_fx4 - a->y_fx4;
	bool inclusive = dy < 0 || (dy == 0 && (flip ? dx < 0 : dx > 0));
	int64_t e = dx * (16 * (int64_t)t->org_y + 8 - a->y_fx4) -
			dy * (16 * (int64_t)t->org_x + 8 - a->x_fx4);
	t->e[k] = (int32_t)((e - !inclusive) >> 4);
	t->ex[k] = -dy;
	t->ey[k] = dx;
	/* The corner of the box where e is greatest. */
	int32_t x = (t->ex[k] > 0 ? t->max_x : t->min_x) - t->org_x;
	int32_t y = (t->ey[k] > 0 ? t->max_y : t->min_y) - t->org_y;
	return t->e[k] + x * t->ex[k] + y * t->ey[k] >= 0;
}

bool raster_setup_edges(struct tri *t, const struct raster_state *rs, const struct vert *v0,
		const struct vert *v1, const struct vert *v2, int org_x, int org_y, int size,
		int64_t *area2) {
	t->rs = rs;
	t->org_x = org_x;
	t->org_y = org_y;
	if (!set_box(t, rs, v0, v1, v2, size)) {
		return false;
	}
	*area2 = (int64_t)(v1->x_fx4 - v0->x_fx4) * (v2->y_fx4 - v0->y_fx4) -
			(int64_t)(v1->y_fx4 - v0->y_fx4) * (v2->x_fx4 - v0->x_fx4);
	if (*area2 < 0) {
		const struct vert *swap = v1;
		v1 = v2;
		v2 = swap;
	}
	return set_edge(t, 0, v0, v1, rs->flip) && set_edge(t, 1, v1, v2, rs->flip) &&
			set_edge(t, 2, v2, v0, rs->flip);
}

bool raster_setup_c(struct tri *t, const struct raster_state *rs, const struct vert *v0,
		const struct vert *v1, const struct vert *v2, int org_x, int org_y, int size) {
	int64_t area2;
	if (!raster_setup_edges(t, rs, v0, v1, v2, org_x, org_y, size, &area2)) {
		return false;
	}
	/* [fidelity: planes], in this order: vertices as given, vertex 0 is the reference. */
	float x0 = (float)v0->x_fx4, y0 = (float)v0->y_fx4;
	float x1 = (float)v1->x_fx4 - x0, y1 = (float)v1->y_fx4 - y0;
	float x2 = (float)v2->x_fx4 - x0, y2 = (float)v2->y_fx4 - y0;
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
