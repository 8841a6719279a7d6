/*
 * Coverage: each edge is first tested over the whole block. If the least value is >= 0, the block
 * lies inside, and the edge needs no more work. If the greatest value is < 0, nothing is covered.
 * Otherwise the edge is evaluated at all pixels; signs of several edges are or-ed before they
 * become bits.
 */
#include "core/raster/vector.h"

/* Pixels of a block in columns (rows) below n, in Morton order. */
static const uint64_t columns_below[9] = {
	0x0000000000000000u,
	0x0000050500000505u,
	0x00000F0F00000F0Fu,
	0x00005F5F00005F5Fu,
	0x0000FFFF0000FFFFu,
	0x0505FFFF0505FFFFu,
	0x0F0FFFFF0F0FFFFFu,
	0x5F5FFFFF5F5FFFFFu,
	0xFFFFFFFFFFFFFFFFu,
};
static const uint64_t rows_below[9] = {
	0x0000000000000000u,
	0x0000000000330033u,
	0x0000000000FF00FFu,
	0x0000000033FF33FFu,
	0x00000000FFFFFFFFu,
	0x00330033FFFFFFFFu,
	0x00FF00FFFFFFFFFFu,
	0x33FF33FFFFFFFFFFu,
	0xFFFFFFFFFFFFFFFFu,
};

/* Pixels with lo <= coordinate <= hi on one axis of the block, whose first coordinate is `at`. */
static uint64_t axis_mask(const uint64_t below[9], int at, int32_t lo, int32_t hi) {
	int first = lo <= at ? 0 : lo > at + 7 ? 8 : lo - at;
	int end = hi >= at + 7 ? 8 : hi < at ? 0 : hi - at + 1;
	return below[end] & ~below[first];
}

static uint64_t rect_mask(int x, int y, int32_t min_x, int32_t min_y, int32_t max_x,
		int32_t max_y) {
	return axis_mask(columns_below, x, min_x, max_x) & axis_mask(rows_below, y, min_y, max_y);
}

/* ors the values of an edge, e0 at the block's first pixel, into acc. */
static void add_edge(vi acc[BLOCK_VECTORS], int32_t e0, int32_t ex, int32_t ey) {
	vi lanes = vi_add(vi_set1(e0), vi_add(vi_mul(vi_set1(ex), vi_loadu(lane_x)),
			vi_mul(vi_set1(ey), vi_loadu(lane_y))));
	vi column[8 / VX], row[8 / VY];
	for (int i = 0; i < 8 / VX; i++) {
		column[i] = vi_add(lanes, vi_set1(i * VX * ex));
	}
	for (int i = 0; i < 8 / VY; i++) {
		row[i] = vi_set1(i * VY * ey);
	}
#define ADD(g) \
	if (IS_VECTOR(g)) { \
		acc[g] = vi_or(acc[g], vi_add(column[VEC_COLUMN(g)], row[VEC_ROW(g)])); \
	}
	EACH_VECTOR(ADD)
#undef ADD
}

static inline uint64_t cover(const struct tri *t, const int32_t e[3], int x, int y) {
	/* All edges are tested before the pixels of one, since most rejected blocks end here. */
	int32_t e0[3];
	unsigned partial[3], n_partial = 0;
	for (unsigned k = 0; k < 3; k++) {
		const int32_t ex = t->ex[k], ey = t->ey[k];
		const int32_t low = (ex < 0 ? 7 * ex : 0) + (ey < 0 ? 7 * ey : 0);
		e0[k] = e[k] + (x - t->org_x) * ex + (y - t->org_y) * ey;
		if (e0[k] + 7 * (ex + ey) - low < 0) {
			return 0;
		}
		partial[n_partial] = k;
		n_partial += e0[k] + low < 0;
	}
	uint64_t mask = ~(uint64_t)0;
	if (n_partial) {
		vi acc[BLOCK_VECTORS];
		for (int g = 0; g < BLOCK_VECTORS; g++) {
			acc[g] = vi_zero();
		}
		for (unsigned i = 0; i < n_partial; i++) {
			const unsigned k = partial[i];
			add_edge(acc, e0[k], t->ex[k], t->ey[k]);
		}
		uint64_t outside = 0;
		for (int i = 0; i < BATCH / VB_LANES; i++) {
			vh lo = vh_pack_s(acc[4 * i], acc[4 * i + 1]);
			vh hi = vh_pack_s(acc[4 * i + 2], acc[4 * i + 3]);
			outside |= vb_movemask(vb_pack_s(lo, hi)) << (i * VB_LANES);
		}
		mask = ~outside;
	}
	if (x < t->min_x || x + 7 > t->max_x || y < t->min_y || y + 7 > t->max_y) {
		mask &= rect_mask(x, y, t->min_x, t->min_y, t->max_x, t->max_y);
	}
	const struct raster_state *rs = t->rs;
	if (rs->exclude) {
		mask &= ~rect_mask(x, y, rs->ex_min_x, rs->ex_min_y, rs->ex_max_x, rs->ex_max_y);
	}
	return mask;
}

uint64_t VFN(raster_cover_block)(const struct tri *t, int x, int y) {
	return cover(t, t->e[0], x, y);
}

void VFN(raster_cover_samples)(const struct tri *t, int x, int y, uint64_t mask[RASTER_SAMPLES]) {
	PICA_NO_UNROLL
	for (unsigned s = 0; s < RASTER_SAMPLES; s++) {
		mask[s] = cover(t, t->e[s], x, y);
	}
}

static unsigned quad_rect_mask(int x, int y, int32_t min_x, int32_t min_y, int32_t max_x,
		int32_t max_y) {
	unsigned columns = (min_x <= x && x <= max_x ? 5u : 0) |
			(min_x <= x + 1 && x < max_x ? 10u : 0);
	unsigned rows = (min_y <= y && y <= max_y ? 3u : 0) | (min_y <= y + 1 && y < max_y ? 12u :
			0);
	return columns & rows;
}

/* Drops pixels outside the box or in the excluded rectangle. Returns the number of remaining
 * quads. */
static unsigned clip_quads(const struct tri *t, struct raster_quad *at, uint8_t *mask, unsigned n) {
	const struct raster_state *rs = t->rs;
	unsigned left = 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned m = mask[i] & quad_rect_mask(at[i].x, at[i].y, t->min_x, t->min_y,
				t->max_x, t->max_y);
		if (rs->exclude) {
			m &= ~quad_rect_mask(at[i].x, at[i].y, rs->ex_min_x, rs->ex_min_y,
					rs->ex_max_x, rs->ex_max_y);
		}
		at[left] = at[i];
		mask[left] = (uint8_t)m;
		left += m != 0;
	}
	return left;
}

/*
 * Edges of two quads side by side, in 16 bits. raster_is_small() promises |ex|, |ey| <= 512, so an
 * edge changes by at most 512 * (11 + 9) over these quads: values clamped to CLAMP before keep
 * their sign and do not wrap.
 *
 * No pixel outside a triangle's own bounds is inside its edges. The tile's bounds end with a quad;
 * those of the drawable rectangle are applied afterwards to quads that they cut.
 */
unsigned VFN(raster_cover_quads)(const struct tri *t, struct raster_quad at[RASTER_SMALL_QUADS],
		uint8_t mask[RASTER_SMALL_QUADS]) {
	enum { CLAMP = 16000 };
	const vqh odd_x = vqh_mask_from_bits(0xAA), right = vqh_mask_from_bits(0xF0),
		  odd_y = vqh_mask_from_bits(0xCC);
	const int x0 = t->min_x & ~1, y0 = t->min_y & ~1, max_x = t->max_x, max_y = t->max_y;
	/* Lanes are edges here; the last one is unused. */
	const vqi x_steps = vqi_mul(vqi_set1(x0 - t->org_x), vqi_loadu(t->ex)),
		  y_steps = vqi_mul(vqi_set1(y0 - t->org_y), vqi_loadu(t->ey));
	const vqi edges = vqi_add(vqi_loadu(t->e[0]), vqi_add(x_steps, y_steps));
	PICA_ALIGNED(16) int32_t e[4];
	vqi_store(e, vqi_max(vqi_min(edges, vqi_set1(CLAMP)), vqi_set1(-CLAMP)));
	vqh row[3], step_x[3], step_y[3];
	for (int k = 0; k < 3; k++) {
		const vqh vx = vqh_set1(t->ex[k]), vy = vqh_set1(t->ey[k]), vx2 = vqh_add(vx, vx);
		const vqh dx = vqh_add(vqh_and(vx, odd_x), vqh_and(vx2, right));
		row[k] = vqh_add(vqh_add(vqh_set1(e[k]), dx), vqh_and(vy, odd_y));
		step_x[k] = vqh_add(vx2, vx2);
		step_y[k] = vqh_add(vy, vy);
	}
	unsigned n = 0;
	for (int y = y0; y <= max_y; y += 2) {
		vqh e0 = row[0], e1 = row[1], e2 = row[2];
		for (int x = x0; x <= max_x; x += 4) {
			const unsigned inside = ~vqh_movemask(vqh_or(e0, vqh_or(e1, e2)));
			at[n] = (struct raster_quad){ x, y };
			mask[n] = inside & 15;
			n += mask[n] != 0;
			if (x + 2 <= max_x) {
				at[n] = (struct raster_quad){ x + 2, y };
				mask[n] = inside >> 4 & 15;
				n += mask[n] != 0;
			}
			e0 = vqh_add(e0, step_x[0]);
			e1 = vqh_add(e1, step_x[1]);
			e2 = vqh_add(e2, step_x[2]);
		}
		for (int k = 0; k < 3; k++) {
			row[k] = vqh_add(row[k], step_y[k]);
		}
	}
	const struct raster_state *rs = t->rs;
	const bool is_cut = rs->min_x > x0 || rs->min_y > y0 || rs->max_x < (max_x | 1) ||
			rs->max_y < (max_y | 1);
	return is_cut || rs->exclude ? clip_quads(t, at, mask, n) : n;
}
