/*
 * Set-up in vectors: a triangle's edges are lanes of a quad, then planes are lanes.
 *
 * With v = 2^n * hi + lo, floor((2^n * hi + lo) / 2^n) = hi + floor(lo / 2^n). An edge has that
 * form if both distances are split in this way: the products with their upper parts may exceed
 * 2^31, but wrap to the sum, which fits (setup_c.c); those with their lower parts are small.
 */
#include "core/raster/vector.h"

#include <stddef.h>

_Static_assert(offsetof(struct tri, max_y) - offsetof(struct tri, min_x) == 3 * sizeof(int32_t) &&
		offsetof(struct raster_state, max_y) - offsetof(struct raster_state, min_x) ==
				3 * sizeof(int32_t) &&
		offsetof(struct raster_rule, first) - offsetof(struct raster_rule, last) ==
				2 * sizeof(int32_t), "boxes and corners are vectors");

/* Least x, y, then greatest x, y of the pixels to visit. Returns whether there are any. */
static inline bool set_box(struct tri *t, vqi a, vqi b, vqi c, int size) {
	static const int32_t greatest[4] = { 0, 0, -1, -1 };
	const struct raster_rule *r = t->rs->rule;
	const int32_t origin[4] = { t->org_x, t->org_y, t->org_x, t->org_y };
	const vqi upper = vqi_loadu(greatest);
	const vqi corners = vqi_pair_lo(
			vqi_min(a, vqi_min(b, c)), vqi_max(a, vqi_max(b, c)));
	const vqi up = vqi_andnot(upper, vqi_set1(t->pixel - 1));
	const vqi bounds = vqi_sra(vqi_add(vqi_sub(corners, vqi_loadu(&r->last)), up),
			r->subpixel_bits);
	const vqi tile = vqi_add(vqi_loadu(origin), vqi_and(upper, vqi_set1(size - 1)));
	/* The smaller of two is the larger of their complements. */
	const vqi inner = vqi_max(vqi_xor(vqi_loadu(&t->rs->min_x), upper), vqi_xor(tile, upper));
	const vqi box = vqi_xor(vqi_max(vqi_xor(bounds, upper), inner), upper);
	vqi_storeu(&t->min_x, box);
	return !(vqi_movemask(vqi_gt(box, vqi_pair_hi(box, box))) & 3);
}

/* Vertices of a triangle of positive area. Returns false if an edge has no sample of the box. */
static inline bool set_edges(struct tri *t, vqi a, vqi b, vqi c) {
	const struct raster_rule *r = t->rs->rule;
	const int bits = r->subpixel_bits;
	const vqi ab = vqi_zip_lo(a, b), bc = vqi_zip_lo(b, c), ca = vqi_zip_lo(c, a);
	const vqi x = vqi_pair_lo(ab, ca), y = vqi_pair_hi(ab, ca);
	const vqi dx = vqi_sub(vqi_pair_lo(bc, ab), x), dy = vqi_sub(vqi_pair_hi(bc, ab), y);
	/* -1 where a sample on the edge is outside, else 0. */
	const vqi tie_y = vqi_set1(r->flip ? -r->tie_y : r->tie_y), tie_x = vqi_set1(~r->tie_x);
	const vqi bias = vqi_sra(vqi_select(vqi_eq(dy, vqi_zero()), vqi_xor(dx, tie_y),
			vqi_xor(dy, tie_x)), 31);
	const vqi u = vqi_sub(vqi_set1(t->org_x * t->pixel + r->sample[0].x), x);
	const vqi v = vqi_sub(vqi_set1(t->org_y * t->pixel + r->sample[0].y), y);
	const vqi low = vqi_set1(t->pixel - 1);
	const vqi hi = vqi_sub(vqi_mul(dx, vqi_sra(v, bits)), vqi_mul(dy, vqi_sra(u, bits)));
	const vqi lo = vqi_add(bias, vqi_sub(vqi_mul(dx, vqi_and(v, low)),
			vqi_mul(dy, vqi_and(u, low))));
	const vqi ex = vqi_sub(vqi_zero(), dy), e0 = vqi_add(hi, vqi_sra(lo, bits));
	vqi_storeu(t->e[0], e0);
	vqi_storeu(t->ex, ex);
	vqi_storeu(t->ey, dx);
	/* The corner of the box where e is greatest. */
	const vqi far_x = vqi_select(vqi_gt(ex, vqi_zero()), vqi_set1(t->max_x - t->org_x),
			vqi_set1(t->min_x - t->org_x));
	const vqi far_y = vqi_select(vqi_gt(dx, vqi_zero()), vqi_set1(t->max_y - t->org_y),
			vqi_set1(t->min_y - t->org_y));
	const vqi most = vqi_add(vqi_mul(far_x, ex), vqi_mul(far_y, dx));
	vqi outside = vqi_add(e0, most); /* its sign */
	for (unsigned i = 1; i < r->n_samples; i++) {
		const vqi step = vqi_add(vqi_mul(ex, vqi_set1(r->sample[i].x - r->sample[0].x)),
				vqi_mul(dx, vqi_set1(r->sample[i].y - r->sample[0].y)));
		const vqi e = vqi_add(hi, vqi_sra(vqi_add(lo, step), bits));
		vqi_storeu(t->e[i], e);
		outside = vqi_and(outside, vqi_add(e, most));
	}
	return !(vqi_movemask(outside) & 7);
}

bool VFN(raster_setup)(struct tri *t, const struct raster_state *rs, const struct vert *v0,
		const struct vert *v1, const struct vert *v2, int org_x, int org_y, int size) {
	const int64_t area2 = (int64_t)(v1->x_fx - v0->x_fx) * (v2->y_fx - v0->y_fx) -
			(int64_t)(v1->y_fx - v0->y_fx) * (v2->x_fx - v0->x_fx);
	const vqi a = vqi_loadu(v0);
	const vqi b = vqi_loadu(area2 < 0 ? v2 : v1), c = vqi_loadu(area2 < 0 ? v1 : v2);
	t->rs = rs;
	t->org_x = org_x;
	t->org_y = org_y;
	t->pixel = 1 << rs->rule->subpixel_bits;
	if (!set_box(t, a, b, c, size) || !set_edges(t, a, b, c)) {
		return false;
	}
	t->x0 = (float)v0->x_fx;
	t->y0 = (float)v0->y_fx;
	const vf x1 = vf_set1((float)v1->x_fx - t->x0), y1 = vf_set1((float)v1->y_fx - t->y0);
	const vf x2 = vf_set1((float)v2->x_fx - t->x0), y2 = vf_set1((float)v2->y_fx - t->y0);
	const vf inv = vf_set1(1.0f / (float)area2);
	const unsigned n = tri_planes(rs);
	for (unsigned p = 0; p < n; p += VF_LANES) {
		vf q0 = vf_loadu_part(&v0->a[p], n - p);
		vf d1 = vf_sub(vf_loadu_part(&v1->a[p], n - p), q0);
		vf d2 = vf_sub(vf_loadu_part(&v2->a[p], n - p), q0);
		vf gx = vf_mul(vf_sub(vf_mul(d1, y2), vf_mul(d2, y1)), inv);
		vf gy = vf_mul(vf_sub(vf_mul(d2, x1), vf_mul(d1, x2)), inv);
		vf_storeu_part(&t->q0[p], q0, n - p);
		vf_storeu_part(&t->gx[p], gx, n - p);
		vf_storeu_part(&t->gy[p], gy, n - p);
	}
	return true;
}

void VFN(raster_kernels_init)(struct raster_kernels *k) {
	k->setup = VFN(raster_setup);
	k->cover_block = VFN(raster_cover_block);
	k->cover_quads = VFN(raster_cover_quads);
	k->cover_samples = VFN(raster_cover_samples);
	k->steps = VFN(raster_steps);
	k->bases = VFN(raster_bases);
	k->interp_block = VFN(raster_interp_block);
	k->attributes = VFN(raster_attributes);
	k->interp_quads = VFN(raster_interp_quads);
	k->perspective = VFN(raster_perspective);
}
