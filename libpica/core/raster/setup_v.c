/* Set-up with planes several at a time; box and edges are the integer code of setup_c.c. */
#include "core/raster/vector.h"

#include "core/raster/setup.h"

bool VFN(raster_setup)(struct tri *t, const struct raster_state *rs, const struct vert *v0,
		const struct vert *v1, const struct vert *v2, int org_x, int org_y, int size) {
	int64_t area2;
	if (!raster_setup_edges(t, rs, v0, v1, v2, org_x, org_y, size, &area2)) {
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
