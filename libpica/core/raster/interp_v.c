/* Interpolation: the operations of interp_c.c in the same order, lane by lane. */
#include "core/raster/vector.h"

/* Columns and rows of a block in vectors; step(g) of vector g. */
struct block_steps {
	vf dx[8 / VX], dy[8 / VY];
};

static inline struct block_steps block_steps(void) {
	struct block_steps s;
	for (int i = 0; i < 8 / VX; i++) {
		s.dx[i] = vf_from_vi(vi_add(vi_loadu(lane_x), vi_set1(i * VX)));
	}
	for (int i = 0; i < 8 / VY; i++) {
		s.dy[i] = vf_from_vi(vi_add(vi_loadu(lane_y), vi_set1(i * VY)));
	}
	return s;
}

/* The centre of a pixel as seen from vertex 0. */
static inline float centre(const struct tri *t, int at, float v0) {
	return (float)(t->pixel * at + (t->pixel >> 1)) - v0;
}

void VFN(raster_steps)(struct tri *t) {
	const struct block_steps steps = block_steps();
	const float pixel = (float)t->pixel;
	for (unsigned k = 0; k < t->rs->n_planes; k++) {
		const unsigned p = t->rs->plane[k];
		const vf gx1 = vf_set1(pixel * t->gx[p]), gy1 = vf_set1(pixel * t->gy[p]);
		float *out = t->steps[p];
		vf column[8 / VX], row[8 / VY];
		for (int i = 0; i < 8 / VX; i++) {
			column[i] = vf_mul(steps.dx[i], gx1);
		}
		for (int i = 0; i < 8 / VY; i++) {
			row[i] = vf_mul(steps.dy[i], gy1);
		}
#define STORE(g) \
	if (IS_VECTOR(g)) { \
		vf_store(out + (g) * VF_LANES, vf_add(column[VEC_COLUMN(g)], row[VEC_ROW(g)])); \
	}
		EACH_VECTOR(STORE)
#undef STORE
	}
}

void VFN(raster_bases)(const struct tri *t, int x, int y, float base[PLANE_MAX]) {
	const vqf bx = vqf_set1(centre(t, x, t->x0)), by = vqf_set1(centre(t, y, t->y0));
	const unsigned end = tri_planes(t->rs);
	PICA_NO_UNROLL
	for (unsigned p = 0; p < end; p += 4) {
		const vqf step = vqf_add(vqf_mul(bx, vqf_loadu(&t->gx[p])),
				vqf_mul(by, vqf_loadu(&t->gy[p])));
		vqf_store(&base[p], vqf_add(vqf_loadu(&t->q0[p]), step));
	}
}

void VFN(raster_interp_block)(const struct raster_block *at, uint32_t planes, struct batch *b) {
	for (; planes; planes &= planes - 1) {
		const unsigned p = ctz32(planes);
		const vf base = vf_set1(at->base[p]);
		const float *step = at->tri->steps[p];
		float *out = b->f[p];
#define STORE(g) \
	if (IS_VECTOR(g)) { \
		vf_store(out + (g) * VF_LANES, vf_add(base, vf_load(step + (g) * VF_LANES))); \
	}
		EACH_VECTOR(STORE)
#undef STORE
	}
}

/* w of a block from its steps of 1/w. */
static inline void block_w(float *w, const float *step, float base) {
	const vf one = vf_set1(1.0f), base_iw = vf_set1(base);
#define DIVIDE(g) \
	if (IS_VECTOR(g)) { \
		const vf iw = vf_add(base_iw, vf_load(step + (g) * VF_LANES)); \
		vf_store(w + (g) * VF_LANES, vf_div(one, iw)); \
	}
	EACH_VECTOR(DIVIDE)
#undef DIVIDE
}

void VFN(raster_attributes)(const struct raster_block *at, uint32_t planes, struct batch *b) {
	const struct tri *t = at->tri;
	const float *w = b->f[PLANE_IW];
	block_w(b->f[PLANE_IW], t->steps[PLANE_IW], at->base[PLANE_IW]);
	VFN(raster_interp_block)(at, planes & ~t->rs->perspective, b);
	for (planes &= t->rs->perspective; planes; planes &= planes - 1) {
		const unsigned p = ctz32(planes);
		const vf base = vf_set1(at->base[p]);
		const float *step = t->steps[p];
		float *out = b->f[p];
#define STORE(g) \
	if (IS_VECTOR(g)) { \
		const vf q = vf_add(base, vf_load(step + (g) * VF_LANES)); \
		vf_store(out + (g) * VF_LANES, vf_mul(q, vf_load(w + (g) * VF_LANES))); \
	}
		EACH_VECTOR(STORE)
#undef STORE
	}
}

/* A column or row of a block for the planes of a vector. */
#define EACH_LANE(x) { x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x }
static const PICA_ALIGNED(64) float steps[8][16] = { EACH_LANE(0), EACH_LANE(1), EACH_LANE(2),
	EACH_LANE(3), EACH_LANE(4), EACH_LANE(5), EACH_LANE(6), EACH_LANE(7) };

/* The centres of the first pixels of the quads' blocks as seen from vertex 0, two at once. */
static inline void block_centres(const struct tri *t, const struct raster_quad *at, unsigned n,
		float out[BATCH_QUADS][2]) {
	const float from[4] = { t->x0, t->y0, t->x0, t->y0 };
	const vqi pixel = vqi_set1(t->pixel), half = vqi_set1(t->pixel >> 1);
	const vqi block = vqi_set1(~7);
	const vqf v0 = vqf_loadu(from);
	unsigned i = 0;
	for (; i + 1 < n; i += 2) {
		const vqi px = vqi_mul(pixel, vqi_and(vqi_loadu(&at[i]), block));
		vqf_store(out[i], vqf_sub(vqf_from_vi(vqi_add(px, half)), v0));
	}
	if (i < n) {
		out[i][0] = centre(t, at[i].x & ~7, t->x0);
		out[i][1] = centre(t, at[i].y & ~7, t->y0);
	}
}

/*
 * Planes p to p + planes - 1. Lanes are planes here, turned into those of the quad's pixels where
 * they are stored.
 */
static inline void interp_planes(const struct tri *t, const struct raster_quad *at, unsigned n,
		float base_at[BATCH_QUADS][2], float (*out)[BATCH], unsigned p, unsigned planes) {
	const vf q0 = vf_loadu_part(&t->q0[p], planes), gx = vf_loadu_part(&t->gx[p], planes),
		 gy = vf_loadu_part(&t->gy[p], planes), pixel = vf_set1((float)t->pixel);
	const vf gx1 = vf_mul(pixel, gx), gy1 = vf_mul(pixel, gy);
	PICA_NO_UNROLL
	for (unsigned i = 0; i < n; i++) {
		const float (*column)[16] = &steps[at[i].x & 7], (*row)[16] = &steps[at[i].y & 7];
		const vf base = vf_add(q0, vf_add(vf_mul(vf_set1(base_at[i][0]), gx),
				vf_mul(vf_set1(base_at[i][1]), gy)));
		const vf x0 = vf_mul(vf_load(column[0]), gx1), x1 = vf_mul(vf_load(column[1]), gx1);
		const vf y0 = vf_mul(vf_load(row[0]), gy1), y1 = vf_mul(vf_load(row[1]), gy1);
		const vf quad[4] = { vf_add(base, vf_add(x0, y0)), vf_add(base, vf_add(x1, y0)),
			vf_add(base, vf_add(x0, y1)), vf_add(base, vf_add(x1, y1)) };
		vf_store_rows4(&out[p][4 * i], sizeof(out[0]), quad, planes);
	}
}

unsigned VFN(raster_interp_quads)(const struct tri *t, const struct raster_quad *at, unsigned n,
		struct batch *b, unsigned first, unsigned from, unsigned end) {
	const unsigned all = tri_planes(t->rs);
	PICA_ALIGNED(16) float base_at[BATCH_QUADS][2]; /* x, y */
	block_centres(t, at, n, base_at);
	float (*out)[BATCH] = (float (*)[BATCH])&b->f[0][4 * first];
	unsigned p = from;
	for (; p < end && p + VF_LANES <= all; p += VF_LANES) {
		interp_planes(t, at, n, base_at, out, p, VF_LANES);
	}
	if (p < end) {
		interp_planes(t, at, n, base_at, out, p, all - p);
		p = all;
	}
	return p;
}

/* Plane a of n lanes, a multiple of VF_LANES, by w. Most batches are whole. */
static inline void multiply(float *a, const float *w, size_t n) {
#define MULTIPLY(g) \
	if (IS_VECTOR(g)) { \
		float *x = a + (g) * VF_LANES; \
		vf_store(x, vf_mul(vf_load(x), vf_load(w + (g) * VF_LANES))); \
	}
	if (n == BATCH) {
		EACH_VECTOR(MULTIPLY)
		return;
	}
#undef MULTIPLY
	for (; n > 0; n -= VF_LANES, a += VF_LANES, w += VF_LANES) {
		vf_store(a, vf_mul(vf_load(a), vf_load(w)));
	}
}

/* w of n lanes from 1/w. */
static inline void divide(float *w, size_t n) {
	const vf one = vf_set1(1.0f);
#define DIVIDE(g) \
	if (IS_VECTOR(g)) { \
		vf_store(w + (g) * VF_LANES, vf_div(one, vf_load(w + (g) * VF_LANES))); \
	}
	if (n == BATCH) {
		EACH_VECTOR(DIVIDE)
		return;
	}
#undef DIVIDE
	for (; n > 0; n -= VF_LANES, w += VF_LANES) {
		vf_store(w, vf_div(one, vf_load(w)));
	}
}

void VFN(raster_perspective)(const struct raster_state *rs, struct batch *b) {
	/* Rounded up to whole vectors: lanes after n_quads are dead. */
	const unsigned n = (4 * b->n_quads + VF_LANES - 1) / VF_LANES * VF_LANES;
	float *w = b->f[PLANE_IW];
	divide(w, n);
	const uint32_t perspective = rs->perspective;
	for (unsigned k = 0; k < rs->n_planes; k++) {
		const unsigned p = rs->plane[k];
		if (perspective >> p & 1) {
			multiply(b->f[p], w, n);
		}
	}
}
