/* Interpolation: the operations of interp_c.c in the same order, lane by lane. */
#include "raster/vector.h"

void VFN(raster_interp_block)(const struct tri *t, int x, int y, struct batch *b) {
	const struct raster_state *rs = t->rs;
	const float bx = (float)(16 * x + 8) - t->x0, by = (float)(16 * y + 8) - t->y0;
	vf dx[8 / VX], dy[8 / VY];
	for (int i = 0; i < 8 / VX; i++) {
		dx[i] = vf_from_vi(vi_add(vi_loadu(lane_x), vi_set1(i * VX)));
	}
	for (int i = 0; i < 8 / VY; i++) {
		dy[i] = vf_from_vi(vi_add(vi_loadu(lane_y), vi_set1(i * VY)));
	}
	for (unsigned k = 0; k < rs->n_planes; k++) {
		unsigned p = rs->plane[k];
		const vf base = vf_set1(t->q0[p] + (bx * t->gx[p] + by * t->gy[p]));
		const vf gx16 = vf_set1(16.0f * t->gx[p]), gy16 = vf_set1(16.0f * t->gy[p]);
		vf column[8 / VX], row[8 / VY];
		for (int i = 0; i < 8 / VX; i++) {
			column[i] = vf_mul(dx[i], gx16);
		}
		for (int i = 0; i < 8 / VY; i++) {
			row[i] = vf_mul(dy[i], gy16);
		}
		float *out = b->f[p];
#define STORE(g) \
	if (IS_VECTOR(g)) { \
		vf step = vf_add(column[VEC_COLUMN(g)], row[VEC_ROW(g)]); \
		vf_store(out + (g) * VF_LANES, vf_add(base, step)); \
	}
		EACH_VECTOR(STORE)
#undef STORE
	}
}

void VFN(raster_interp_quad)(const struct tri *t, int x, int y, struct batch *b, unsigned quad) {
#if VF_LANES == 4
	const struct raster_state *rs = t->rs;
	const int x0 = x & ~7, y0 = y & ~7;
	const float bx = (float)(16 * x0 + 8) - t->x0, by = (float)(16 * y0 + 8) - t->y0;
	const vf dx = vf_from_vi(vi_add(vi_loadu(lane_x), vi_set1(x - x0)));
	const vf dy = vf_from_vi(vi_add(vi_loadu(lane_y), vi_set1(y - y0)));
	for (unsigned k = 0; k < rs->n_planes; k++) {
		unsigned p = rs->plane[k];
		const vf base = vf_set1(t->q0[p] + (bx * t->gx[p] + by * t->gy[p]));
		vf column = vf_mul(dx, vf_set1(16.0f * t->gx[p]));
		vf row = vf_mul(dy, vf_set1(16.0f * t->gy[p]));
		vf_store(&b->f[p][4 * quad], vf_add(base, vf_add(column, row)));
	}
#else
	raster_interp_quad_c(t, x, y, b, quad);
#endif
}

void VFN(raster_perspective)(const struct raster_state *rs, struct batch *b) {
	/* Rounded up to whole vectors: lanes behind n_quads are dead. */
	const unsigned n = 4 * b->n_quads;
	float *w = b->f[PLANE_IW];
	const vf one = vf_set1(1.0f);
	for (unsigned i = 0; i < n; i += VF_LANES) {
		vf_store(w + i, vf_div(one, vf_load(w + i)));
	}
	const unsigned first = rs->flat ? PLANE_TC0 : PLANE_COLOR;
	for (unsigned k = 0; k < rs->n_planes; k++) {
		if (rs->plane[k] < first) {
			continue;
		}
		float *a = b->f[rs->plane[k]];
		for (unsigned i = 0; i < n; i += VF_LANES) {
			vf_store(a + i, vf_mul(vf_load(a + i), vf_load(w + i)));
		}
	}
}
