/* Interpolation against its formula (fidelity.md 1); every case for every vector set. */
#include "raster_rig.h"

/* ---- Planes ---- */

/* [fidelity: planes], from the text: plane value at pixel (i, r). */
static float reference_plane(const struct vert *v0, const struct vert *v1, const struct vert *v2,
		unsigned p, int i, int r) {
	int64_t area2 = (int64_t)(v1->x_fx - v0->x_fx) * (v2->y_fx - v0->y_fx) -
			(int64_t)(v1->y_fx - v0->y_fx) * (v2->x_fx - v0->x_fx);
	float X0 = (float)v0->x_fx, X1 = (float)v1->x_fx, X2 = (float)v2->x_fx;
	float Y0 = (float)v0->y_fx, Y1 = (float)v1->y_fx, Y2 = (float)v2->y_fx;
	float q0 = v0->a[p], q1 = v1->a[p], q2 = v2->a[p];
	float inv = 1.0f / (float)area2;
	float gx = ((q1 - q0) * (Y2 - Y0) - (q2 - q0) * (Y1 - Y0)) * inv;
	float gy = ((q2 - q0) * (X1 - X0) - (q1 - q0) * (X2 - X0)) * inv;
	int bx = (i - (i & 7)), by = (r - (r & 7));
	float base = q0 +
			((16.0f * (float)bx + 8.0f - X0) * gx +
					(16.0f * (float)by + 8.0f - Y0) * gy);
	return base + ((float)(i & 7) * (16.0f * gx) + (float)(r & 7) * (16.0f * gy));
}

static void random_attributes(struct vert *v) {
	for (int p = 0; p < PLANE_MAX; p++) {
		v->a[p] = (float)random_in(-100000, 100000) / 777.0f;
	}
	v->a[PLANE_IW] = (float)random_in(1, 100000) / 1000.0f;
}

static void random_planes(struct raster_state *rs) {
	rs->n_planes = 0;
	for (unsigned p = 0; p < PLANE_MAX; p++) {
		if (p == PLANE_IW || random32() % 3) {
			rs->plane[rs->n_planes++] = (uint8_t)p;
		}
	}
}

/* All planes of the block at (x, y). */
static void interp_block(
		const struct raster_kernels *k, struct tri *t, int x, int y, struct batch *b) {
	struct raster_block at = { .tri = t };
	k->steps(t);
	k->bases(t, x, y, at.base);
	uint32_t planes = 0;
	for (unsigned i = 0; i < t->rs->n_planes; i++) {
		planes |= 1u << t->rs->plane[i];
	}
	k->interp_block(&at, planes, b);
}

ISA_TEST(interpolation_is_the_formula_in_blocks_and_quads) {
	const struct raster_kernels k = kernels_of(_i);
	struct batch *block = aligned_alloc(64, sizeof(*block));
	struct batch *quads = aligned_alloc(64, sizeof(*quads));
	ck_assert(block && quads);
	unsigned done = 0;
	for (int round = 0; round < 3000; round++) {
		struct raster_state rs = whole_plane(round & 1);
		random_planes(&rs);
		struct point p[3];
		random_triangle(p, 0, 0);
		if (area2_of(p) == 0) {
			continue;
		}
		struct vert v[3];
		for (int i = 0; i < 3; i++) {
			v[i] = vert_at(p[i], false, 0);
			random_attributes(&v[i]);
		}
		struct tri t;
		int size = round & 2 ? 32 : 64;
		if (!k.setup(&t, &rs, &v[0], &v[1], &v[2], 0, 0, size)) {
			continue;
		}
		done++;
		int x = 8 * random_in(0, size / 8 - 1), y = 8 * random_in(0, size / 8 - 1);
		interp_block(&k, &t, x, y, block);
		struct raster_quad at[16];
		for (uint32_t q = 0; q < 16; q++) { /* shuffled, as in a packed batch */
			at[15 - q] = (struct raster_quad){ x + (int)morton8_x(4 * q),
				y + (int)morton8_y(4 * q) };
		}
		const unsigned n_first = (unsigned)random_in(0, 16);
		const unsigned end = tri_planes(&rs);
		const unsigned fours = 4 * (unsigned)random_in(0, (int)end / 4);
		k.interp_quads(&t, at, n_first, quads, 0, 0, end);
		k.interp_quads(&t, at + n_first, 16 - n_first, quads, n_first, 0, fours);
		k.interp_quads(&t, at + n_first, 16 - n_first, quads, n_first, fours, end);
		for (unsigned n = 0; n < rs.n_planes; n++) {
			unsigned plane = rs.plane[n];
			for (uint32_t i = 0; i < 64; i++) {
				float want = reference_plane(&v[0], &v[1], &v[2], plane,
						x + (int)morton8_x(i), y + (int)morton8_y(i));
				float quad = quads->f[plane][4 * (15 - i / 4) + i % 4];
				HOLDS(f32_bits(block->f[plane][i]) == f32_bits(want));
				HOLDS(f32_bits(quad) == f32_bits(want));
			}
		}
	}
	ck_assert_uint_gt(done, 500);
	free(block);
	free(quads);
}

ISA_TEST(perspective_numbers_of_two_vertices) {
	const struct raster_kernels k = kernels_of(_i);
	/*
	 * [fidelity: geometry-numbers]: halfway between w = 1 and w = 2, attribute 0 to 1, z = -1.
	 */
	struct raster_state rs = whole_plane(false);
	rs.n_planes = 3;
	rs.plane[2] = PLANE_USER + 4;
	struct vert v[3] = { vert_at((struct point){ 8, 8 }, false, 0),
		vert_at((struct point){ 136, 8 }, false, 0),
		vert_at((struct point){ 8, 136 }, false, 0) };
	v[1].a[PLANE_IW] = 0.5f;
	v[0].a[PLANE_Z] = v[2].a[PLANE_Z] = -1.0f;
	v[1].a[PLANE_Z] = -0.5f;
	v[1].a[PLANE_USER + 4] = 1.0f * 0.5f;
	struct tri t;
	struct batch *b = aligned_alloc(64, sizeof(*b));
	ck_assert(b != NULL);
	memset(b, 0, sizeof(*b));
	ck_assert(k.setup(&t, &rs, &v[0], &v[1], &v[2], 0, 0, 32));
	interp_block(&k, &t, 0, 0, b);
	const uint32_t lane = morton8(4, 0);
	ck_assert(b->f[PLANE_IW][lane] == 0.75f);
	ck_assert(b->f[PLANE_Z][lane] == -0.75f);
	ck_assert(b->f[PLANE_USER + 4][lane] == 0.25f);
	b->n_quads = 16;
	k.perspective(&rs, b);
	ck_assert(b->f[PLANE_IW][lane] == 1.0f / 0.75f); /* 4/3 */
	ck_assert(b->f[PLANE_USER + 4][lane] == 1.0f / 3.0f);
	ck_assert(b->f[PLANE_Z][lane] == -0.75f);
	/* W-buffer, scale -1: d = 0.75 * 4/3. */
	ck_assert(b->f[PLANE_Z][lane] * -1.0f * b->f[PLANE_IW][lane] == 1.0f);
	free(b);
}

ISA_TEST(perspective_leaves_flat_colour_and_later_quads) {
	const struct raster_kernels k = kernels_of(_i);
	struct batch *b = aligned_alloc(64, sizeof(*b));
	ck_assert(b != NULL);
	for (int flat = 0; flat < 2; flat++) {
		struct raster_state rs = whole_plane(false);
		rs.perspective = flat ? ~0x3Fu : ~3u;
		rs.n_planes = 6;
		const uint8_t planes[] = { PLANE_IW, PLANE_Z, PLANE_USER, PLANE_USER + 3,
			PLANE_USER + 4, PLANE_MAX - 1 };
		memcpy(rs.plane, planes, sizeof(planes));
		for (int p = 0; p < PLANE_MAX; p++) {
			for (int i = 0; i < BATCH; i++) {
				b->f[p][i] = p == PLANE_IW ? 0.25f : (float)(p + i);
			}
		}
		b->n_quads = 4;
		k.perspective(&rs, b);
		for (int p = PLANE_Z; p < PLANE_MAX; p++) {
			bool listed = p == PLANE_USER + 4 || p == PLANE_MAX - 1 ||
					(!flat && (p == PLANE_USER || p == PLANE_USER + 3));
			ck_assert(b->f[p][15] == (float)(p + 15) * (listed ? 4.0f : 1.0f));
			ck_assert(b->f[p][63] == (float)(p + 63));
		}
		ck_assert(b->f[PLANE_IW][0] == 4.0f);
		ck_assert(b->f[PLANE_IW][63] == 0.25f);
	}
	free(b);
}

ISA_TEST(equal_attributes_stay_exact) {
	const struct raster_kernels k = kernels_of(_i);
	struct batch *b = aligned_alloc(64, sizeof(*b));
	ck_assert(b != NULL);
	struct raster_state rs = whole_plane(false);
	rs.plane[1] = PLANE_USER;
	for (int round = 0; round < 200; round++) {
		struct point p[3];
		random_triangle(p, 0, 0);
		struct vert v[3];
		for (int i = 0; i < 3; i++) {
			v[i] = vert_at(p[i], false, 0);
			v[i].a[PLANE_USER] = 0.1f;
		}
		struct tri t;
		if (area2_of(p) == 0 || !k.setup(&t, &rs, &v[0], &v[1], &v[2], 0, 0, 64)) {
			continue;
		}
		interp_block(&k, &t, 40, 16, b);
		for (int i = 0; i < BATCH; i++) {
			HOLDS(b->f[PLANE_USER][i] == 0.1f);
		}
	}
	free(b);
}

ISA_TEST(tile_size_does_not_show) {
	const struct raster_kernels k = kernels_of(_i);
	struct batch *b32 = aligned_alloc(64, sizeof(*b32)), *b64 = aligned_alloc(64, sizeof(*b64));
	ck_assert(b32 && b64);
	struct raster_state rs = whole_plane(true);
	unsigned long blocks = 0;
	for (int round = 0; round < 600; round++) {
		struct point p[3];
		random_triangle(p, 64, 0);
		struct vert v[3];
		for (int i = 0; i < 3; i++) {
			v[i] = vert_at(p[i], false, 0);
			random_attributes(&v[i]);
		}
		struct tri large, small;
		if (area2_of(p) == 0 || !k.setup(&large, &rs, &v[0], &v[1], &v[2], 64, 0, 64)) {
			continue;
		}
		for (int tile = 0; tile < 4; tile++) {
			int ox = 64 + 32 * (tile & 1), oy = 32 * (tile >> 1);
			bool any = k.setup(&small, &rs, &v[0], &v[1], &v[2], ox, oy, 32);
			for (int n = 0; n < 16; n++) {
				int x = ox + 8 * (n & 3), y = oy + 8 * (n >> 2);
				uint64_t mask = k.cover_block(&large, x, y);
				HOLDS(mask == (any ? k.cover_block(&small, x, y) : 0));
				if (!mask) {
					continue;
				}
				interp_block(&k, &large, x, y, b64);
				interp_block(&k, &small, x, y, b32);
				HOLDS(memcmp(b32->f[PLANE_IW], b64->f[PLANE_IW],
						      sizeof(b32->f[0])) == 0);
				HOLDS(memcmp(b32->f[PLANE_Z], b64->f[PLANE_Z], sizeof(b32->f[0])) ==
						0);
				blocks++;
			}
		}
	}
	ck_assert_uint_gt(blocks, 1000);
	free(b32);
	free(b64);
}
