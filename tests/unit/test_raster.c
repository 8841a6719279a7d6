/* Set-up, coverage and interpolation against their definitions; every case for every vector set. */
#include "raster_rig.h"

/* ---- Coverage ---- */

struct coverage_row {
	float xy[6]; /* pixels, y up */
	const char *rows[8]; /* row 0 first; '#' covered; NULL: none */
};

/* [fidelity: geometry-numbers] */
static const struct coverage_row coverage_table[] = {
	{ { 0, 0, 8, 0, 0, 8 }, { "#######", "######", "#####", "####", "###", "##", "#" } },
	{ { 8, 0, 8, 8, 0, 8 },
			{ ".......#", "......##", ".....###", "....####", "...#####", "..######",
					".#######", "########" } },
	{ { .5f, .5f, 4.5f, .5f, .5f, 4.5f }, { "####", "###", "##", "#" } },
	{ { 4.5f, .5f, 4.5f, 4.5f, .5f, 4.5f }, { "", "...#", "..##", ".###" } },
	{ { 1, 1, 1.4375f, 1, 1, 6 }, { "" } },
	{ { 2, 2, 6, 2, 4, 6 }, { "", "", "..####", "...##", "...##" } },
};

ISA_TEST(coverage_has_the_pixels_of_the_table) {
	const struct raster_kernels k = kernels_of(_i);
	for (size_t n = 0; n < ARRAY_LEN(coverage_table); n++) {
		const struct coverage_row *c = &coverage_table[n];
		for (int variant = 0; variant < 12; variant++) {
			bool flip = variant & 1, reverse = variant & 2;
			struct point p[3];
			for (int i = 0; i < 3; i++) {
				int from = (reverse ? 2 - i : i) + variant / 4;
				p[i] = (struct point){ (int32_t)(c->xy[from % 3 * 2] * 16),
					(int32_t)(c->xy[from % 3 * 2 + 1] * 16) };
			}
			struct raster_state rs = whole_plane(flip);
			const int height = 32;
			uint64_t got[64];
			cover_tile(&k, &rs, p, height, 0, 0, 32, got);
			for (int j = 0; j < height; j++) {
				const char *row = j < 8 && c->rows[j] ? c->rows[j] : "";
				uint64_t want = 0;
				for (int i = 0; row[i]; i++) {
					want |= (uint64_t)(row[i] == '#') << i;
				}
				ck_assert_msg(got[flip ? height - 1 - j : j] == want,
						"triangle %zu variant %d row %d", n, variant, j);
			}
		}
	}
}

ISA_TEST(coverage_counts_of_the_table) {
	const struct raster_kernels k = kernels_of(_i);
	const struct {
		struct point p[3];
		unsigned count;
	} table[] = {
		{ { { 0, 0 }, { 128, 0 }, { 0, 128 } }, 28 },
		{ { { 128, 0 }, { 128, 128 }, { 0, 128 } }, 36 },
		{ { { 8, 8 }, { 72, 8 }, { 8, 72 } }, 10 },
		{ { { 72, 8 }, { 72, 72 }, { 8, 72 } }, 6 },
		{ { { 16, 16 }, { 23, 16 }, { 16, 96 } }, 0 },
		{ { { 32, 32 }, { 96, 32 }, { 64, 96 } }, 8 },
		{ { { 0, 0 }, { 128, 64 }, { 0, 64 } }, 16 },
	};
	for (size_t n = 0; n < ARRAY_LEN(table); n++) {
		for (int flip = 0; flip < 2; flip++) {
			struct raster_state rs = whole_plane(flip);
			uint64_t got[64];
			cover_tile(&k, &rs, table[n].p, 64, 0, 0, 64, got);
			unsigned count = 0;
			for (int y = 0; y < 64; y++) {
				count += popcount64(got[y]);
			}
			ck_assert_uint_eq(count, table[n].count);
		}
	}
}

ISA_TEST(coverage_is_the_definition) {
	const struct raster_kernels k = kernels_of(_i);
	unsigned long covered = 0, empty = 0;
	for (int round = 0; round < 4000; round++) {
		int size = random32() & 1 ? 64 : 32;
		int org_x = 8 * random_in(-260, 250), org_y = 8 * random_in(-260, 250);
		int height = 8 * random_in(1, 128);
		struct raster_state rs = whole_plane(random32() & 1);
		if (random32() % 4 == 0) {
			rs.min_x = org_x + random_in(-10, 70);
			rs.max_x = org_x + random_in(-10, 70);
			rs.min_y = org_y + random_in(-10, 70);
			rs.max_y = org_y + random_in(-10, 70);
		}
		if (random32() % 4 == 0) {
			rs.exclude = true;
			rs.ex_min_x = org_x + random_in(-10, 70);
			rs.ex_max_x = org_x + random_in(-10, 70);
			rs.ex_min_y = org_y + random_in(-10, 70);
			rs.ex_max_y = org_y + random_in(-10, 70);
		}
		struct point p[3];
		int window_y = rs.rule->flip ? height - 64 - org_y : org_y;
		do {
			random_triangle(p, org_x, window_y);
		} while (area2_of(p) == 0);
		uint64_t got[64];
		cover_tile(&k, &rs, p, height, org_x, org_y, size, got);
		for (int y = 0; y < size; y++) {
			int row = org_y + y;
			uint64_t want = 0;
			for (int x = 0; x < size; x++) {
				int i = org_x + x;
				bool drawn = i >= rs.min_x && i <= rs.max_x && row >= rs.min_y &&
						row <= rs.max_y;
				if (rs.exclude && i >= rs.ex_min_x && i <= rs.ex_max_x &&
						row >= rs.ex_min_y && row <= rs.ex_max_y) {
					drawn = false;
				}
				const int j = rs.rule->flip ? height - 1 - row : row;
				bool in = reference_covers(p, i, j);
				want |= (uint64_t)(drawn && in) << x;
			}
			covered += popcount64(want);
			empty += want == 0;
			if (got[y] != want) {
				ck_abort_msg("round %d row %d", round, y);
			}
		}
	}
	ck_assert_uint_gt(covered, 500000);
	ck_assert_uint_gt(empty, 10000);
}

ISA_TEST(triangles_around_a_point_cover_each_pixel_once) {
	const struct raster_kernels k = kernels_of(_i);
	for (int round = 0; round < 500; round++) {
		struct raster_state rs = whole_plane(round & 1);
		/* The ring encloses the tile [0, 64) x [0, 64), whatever the middle. */
		int far = round & 2 ? 31000 : 1100;
		struct point middle = { random_in(0, 1023), random_in(0, 1023) };
		if (round & 4) {
			middle = (struct point){ 16 * random_in(0, 63) + 8,
				16 * random_in(0, 63) + 8 };
		}
		struct point ring[8] = { { -far, random_in(-50, 1000) }, { -far, -far },
			{ random_in(0, 1000), -far }, { far, -far }, { far, random_in(-50, 1000) },
			{ far, far }, { random_in(0, 1000), far }, { -far, far } };
		uint64_t once[64] = { 0 };
		for (int i = 0; i < 8; i++) {
			const struct point a = ring[i], b = ring[(i + 1) % 8];
			struct point p[3] = { middle, a, b };
			if (random32() & 1) {
				p[0] = b;
				p[1] = a;
				p[2] = middle;
			}
			uint64_t got[64];
			cover_tile(&k, &rs, p, 64, 0, 0, 64, got);
			for (int y = 0; y < 64; y++) {
				HOLDS(!(once[y] & got[y]));
				once[y] |= got[y];
			}
		}
		for (int y = 0; y < 64; y++) {
			HOLDS(once[y] == ~(uint64_t)0);
		}
	}
}

/* ---- Other rules ---- */

/* Four samples a pixel, right and upper edges draw. */
static const struct raster_rule four_samples = { .subpixel_bits = 4, .n_samples = 4, .tie_x = -1,
	.tie_y = -1, .sample = { { 10, 2 }, { 2, 6 }, { 14, 10 }, { 6, 14 } }, .first = { 2, 2 },
	.last = { 14, 14 } };
/* Whole pixels are the positions, and two corners of a pixel its samples. */
static const struct raster_rule coarse = { .subpixel_bits = 0, .n_samples = 4, .tie_x = 1,
	.tie_y = -1, .flip = true };

/* Sample s of pixel (i, j) by the definition: (x, y) moved a little towards the tie is inside. */
static bool naive_sample(const struct raster_rule *r, const struct vert v[3], int i, int j, int s) {
	const int64_t x = ((int64_t)i << r->subpixel_bits) + r->sample[s].x,
		      y = ((int64_t)j << r->subpixel_bits) + r->sample[s].y;
	const int64_t area = (int64_t)(v[1].x_fx - v[0].x_fx) * (v[2].y_fx - v[0].y_fx) -
			(int64_t)(v[1].y_fx - v[0].y_fx) * (v[2].x_fx - v[0].x_fx);
	for (int k = 0; k < 3; k++) {
		const struct vert *a = &v[k], *b = &v[(k + 1) % 3], *c = &v[(k + 2) % 3];
		int64_t e = (b->x_fx - a->x_fx) * (y - a->y_fx) -
				(b->y_fx - a->y_fx) * (x - a->x_fx);
		e = area < 0 ? -e : e;
		/* Whether the third vertex lies towards the tie. */
		const int64_t across = (b->x_fx - a->x_fx) * (int64_t)(c->y_fx - a->y_fx) -
				(b->y_fx - a->y_fx) * (int64_t)(c->x_fx - a->x_fx);
		const int64_t right = b->y_fx == a->y_fx ? 0 :
				across * (b->y_fx > a->y_fx ? -1 : 1);
		const int64_t down = b->x_fx > a->x_fx ? across : -across;
		const bool keeps = right ? right * r->tie_x > 0 :
				down * (r->flip ? -r->tie_y : r->tie_y) > 0;
		if (e < 0 || (e == 0 && !keeps)) {
			return false;
		}
	}
	return true;
}

static void cover_samples_of(const struct raster_kernels *k, const struct raster_state *rs,
		const struct vert v[3], int org_x, int org_y, uint64_t got[64][RASTER_SAMPLES]) {
	struct tri t;
	memset(got, 0, 64 * sizeof(got[0]));
	if (!k->setup(&t, rs, &v[0], &v[1], &v[2], org_x, org_y, 64)) {
		return;
	}
	for (int block = 0; block < 64; block++) {
		k->cover_samples(&t, org_x + 8 * (block % 8), org_y + 8 * (block / 8), got[block]);
	}
}

ISA_TEST(four_samples_are_those_of_the_definition) {
	const struct raster_kernels k = kernels_of(_i);
	for (int round = 0; round < 200; round++) {
		struct raster_state rs = whole_plane(false);
		rs.rule = round & 1 ? &coarse : &four_samples;
		const int unit = 1 << rs.rule->subpixel_bits;
		struct vert v[3];
		memset(v, 0, sizeof(v));
		const int spread = round & 2 ? 80 : 12;
		int64_t area;
		do {
			for (int i = 0; i < 3; i++) {
				v[i].x_fx = random_in(0, spread * unit);
				v[i].y_fx = random_in(0, spread * unit);
				if (round & 4) { /* samples on edges */
					v[i].x_fx = (v[i].x_fx & ~(unit - 1)) + 10 % unit;
					v[i].y_fx = (v[i].y_fx & ~(unit - 1)) + 2 % unit;
				}
			}
			area = (int64_t)(v[1].x_fx - v[0].x_fx) * (v[2].y_fx - v[0].y_fx) -
					(int64_t)(v[1].y_fx - v[0].y_fx) * (v[2].x_fx - v[0].x_fx);
		} while (area == 0);
		uint64_t got[64][RASTER_SAMPLES];
		cover_samples_of(&k, &rs, v, 0, 0, got);
		for (int i = 0; i < 64 * 64 * RASTER_SAMPLES; i++) {
			const int s = i % 4, px = i / 4 % 64, block = i / 256;
			const int x = block % 8 * 8 + (int)morton8_x((uint32_t)px),
				  y = block / 8 * 8 + (int)morton8_y((uint32_t)px);
			HOLDS((got[block][s] >> px & 1) == naive_sample(rs.rule, v, x, y, s));
		}
	}
}

ISA_TEST(four_samples_are_each_drawn_once) {
	const struct raster_kernels k = kernels_of(_i);
	for (int round = 0; round < 50; round++) {
		struct raster_state rs = whole_plane(false);
		rs.rule = &four_samples;
		/* A fan around one of the samples. */
		const struct raster_sample at = four_samples.sample[round % 4];
		struct vert v[3];
		memset(v, 0, sizeof(v));
		v[0].x_fx = 16 * random_in(0, 63) + at.x;
		v[0].y_fx = 16 * random_in(0, 63) + at.y;
		static const struct point ring[] = { { -64, -64 }, { 1200, -64 }, { 1200, 1200 },
			{ -64, 1200 }, { -64, -64 } };
		uint64_t once[64][RASTER_SAMPLES] = { { 0 } };
		for (int i = 0; i < 4; i++) {
			for (int n = 0; n < 2; n++) {
				v[1 + n].x_fx = ring[i + n].x;
				v[1 + n].y_fx = ring[i + n].y;
			}
			uint64_t got[64][RASTER_SAMPLES];
			cover_samples_of(&k, &rs, v, 0, 0, got);
			for (int b = 0; b < 64; b++) {
				for (int s = 0; s < RASTER_SAMPLES; s++) {
					HOLDS(!(once[b][s] & got[b][s]));
					once[b][s] |= got[b][s];
				}
			}
		}
		for (int b = 0; b < 64; b++) {
			for (int s = 0; s < RASTER_SAMPLES; s++) {
				HOLDS(once[b][s] == ~UINT64_C(0));
			}
		}
	}
}

ISA_TEST(coverage_with_flip_is_the_mirror_image) {
	const struct raster_kernels k = kernels_of(_i);
	struct raster_state plain = whole_plane(false), flipped = whole_plane(true);
	for (int round = 0; round < 500; round++) {
		struct point p[3];
		do {
			random_triangle(p, 0, 0);
		} while (area2_of(p) == 0);
		uint64_t up[64], down[64];
		cover_tile(&k, &plain, p, 64, 0, 0, 64, up);
		cover_tile(&k, &flipped, p, 64, 0, 0, 64, down);
		for (int y = 0; y < 64; y++) {
			HOLDS(up[y] == down[63 - y]);
		}
	}
}

/* ---- Set-up ---- */

ISA_TEST(setup_box_holds_the_samples_inside) {
	const struct raster_kernels k = kernels_of(_i);
	struct raster_state rs = whole_plane(false);
	struct vert v[3] = { vert_at((struct point){ 8, 24 }, false, 0),
		vert_at((struct point){ 152, 24 }, false, 0),
		vert_at((struct point){ 9, 167 }, false, 0) };
	struct tri t;
	ck_assert(k.setup(&t, &rs, &v[0], &v[1], &v[2], 0, 0, 64));
	ck_assert_int_eq(t.min_x, 0); /* sample 8 */
	ck_assert_int_eq(t.max_x, 9); /* sample 152 */
	ck_assert_int_eq(t.min_y, 1); /* sample 24 */
	ck_assert_int_eq(t.max_y, 9); /* 167 lies before sample 168 */
	ck_assert_ptr_eq(t.rs, &rs);
	rs.min_x = 3;
	rs.max_y = 4;
	ck_assert(k.setup(&t, &rs, &v[0], &v[1], &v[2], 0, 0, 64));
	ck_assert_int_eq(t.min_x, 3);
	ck_assert_int_eq(t.max_y, 4);
	ck_assert(!k.setup(&t, &rs, &v[0], &v[1], &v[2], 64, 0, 64));
	rs.max_x = 2;
	ck_assert(!k.setup(&t, &rs, &v[0], &v[1], &v[2], 0, 0, 64));
}

ISA_TEST(setup_refuses_tiles_outside_the_edges) {
	const struct raster_kernels k = kernels_of(_i);
	/* The box holds the tile at (192, 192), the triangle does not reach it. */
	struct raster_state rs = whole_plane(false);
	struct vert v[3] = { vert_at((struct point){ 0, 0 }, false, 0),
		vert_at((struct point){ 4096, 0 }, false, 0),
		vert_at((struct point){ 0, 4096 }, false, 0) };
	struct tri t;
	ck_assert(!k.setup(&t, &rs, &v[0], &v[1], &v[2], 192, 192, 64));
	ck_assert(!k.setup(&t, &rs, &v[0], &v[2], &v[1], 192, 192, 64));
	ck_assert(k.setup(&t, &rs, &v[0], &v[1], &v[2], 128, 64, 64));
}

ISA_TEST(setup_edge_numbers_of_a_small_triangle) {
	const struct raster_kernels k = kernels_of(_i);
	/* (0,0) (8,0) (0,8) pixels. E01 = 128 * y, inclusive: 128 * 8 >> 4 = 64 at pixel (0, 0). */
	struct raster_state rs = whole_plane(false);
	struct vert v[3] = { vert_at((struct point){ 0, 0 }, false, 0),
		vert_at((struct point){ 128, 0 }, false, 0),
		vert_at((struct point){ 0, 128 }, false, 0) };
	struct tri t;
	ck_assert(k.setup(&t, &rs, &v[0], &v[1], &v[2], 0, 0, 32));
	ck_assert_int_eq(t.e[0][0], 64);
	ck_assert_int_eq(t.ex[0], 0);
	ck_assert_int_eq(t.ey[0], 128);
	/* E12 = -128 * (8 - 0) - 128 * (8 - 128) = 14336, exclusive: 14335 >> 4. */
	ck_assert_int_eq(t.e[0][1], 895);
	ck_assert_int_eq(t.ex[1], -128);
	ck_assert_int_eq(t.ey[1], -128);
	ck_assert_int_eq(t.e[0][2], 64);
	ck_assert_int_eq(t.ex[2], 128);
	ck_assert_int_eq(t.ey[2], 0);
}

ISA_TEST(setup_holds_the_largest_triangle) {
	const struct raster_kernels k = kernels_of(_i);
	struct raster_state rs = whole_plane(false);
	struct vert v[3] = { vert_at((struct point){ -32767, -32767 }, false, 0),
		vert_at((struct point){ 32767, -32767 }, false, 0),
		vert_at((struct point){ -32767, 32767 }, false, 0) };
	struct tri t;
	ck_assert(k.setup(&t, &rs, &v[0], &v[1], &v[2], -1024, -1024, 64));
	/* -65534 * (-16376 + 32767) - 65534 * (-16376 - 32767) = 2146369568, exclusive */
	ck_assert_int_eq(t.e[0][1], 134148097);
	ck_assert(k.cover_block(&t, -1024, -1024) == ~(uint64_t)0);
	ck_assert(!k.setup(&t, &rs, &v[0], &v[1], &v[2], 1984, 1984, 64));
}
