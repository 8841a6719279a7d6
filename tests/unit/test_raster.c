/* Set-up, coverage and interpolation against their definitions; every case for every vector set. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/f24.h"
#include "base/morton.h"
#include "raster/raster.h"

/* ck_assert() marks its place with a system call each time: too slow for inner loops. */
#define HOLDS(x) do { \
		if (!(x)) { \
			ck_abort_msg("%s does not hold", #x); \
		} \
	} while (0)

static uint64_t seed;

static uint32_t random32(void) {
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (uint32_t)(seed * 0x2545F4914F6CDD1Du >> 32);
}

/* Uniform enough in [lo, hi]. */
static int32_t random_in(int32_t lo, int32_t hi) {
	return lo + (int32_t)(random32() % (uint32_t)(hi - lo + 1));
}

/* Tests are looped over the sets; false: not on this machine. */
static bool kernels_of(struct raster_kernels *k, int isa) {
	seed = 0x9E3779B97F4A7C15u;
	if (!isa_available((enum isa)isa)) {
		return false;
	}
	raster_kernels_init(k, (enum isa)isa);
	return true;
}

static struct raster_state whole_plane(bool flip) {
	return (struct raster_state){
		.flip = flip,
		.n_planes = 2,
		.plane = { PLANE_IW, PLANE_Z },
		.min_x = -4096,
		.min_y = -4096,
		.max_x = 4096,
		.max_y = 4096,
	};
}

struct point {
	int32_t x, y; /* 12.4, window space */
};

/* The vertex of a window point in a target of `height` rows. */
static struct vert vert_at(struct point p, bool flip, int height) {
	struct vert v = { .x_fx4 = p.x, .y_fx4 = flip ? 16 * height - p.y : p.y };
	v.a[PLANE_IW] = 1.0f;
	return v;
}

/* geometry.md 10.2 word by word, in window space: is pixel (i, j) covered? */
static bool reference_covers(const struct point p[3], int i, int j) {
	struct point a = p[0], b = p[1], c = p[2];
	int64_t area2 = (int64_t)(b.x - a.x) * (c.y - a.y) - (int64_t)(b.y - a.y) * (c.x - a.x);
	if (area2 < 0) {
		struct point swap = b;
		b = c;
		c = swap;
	}
	const struct point from[3] = { a, b, c }, to[3] = { b, c, a };
	for (int k = 0; k < 3; k++) {
		int64_t dx = to[k].x - from[k].x, dy = to[k].y - from[k].y;
		int64_t e = dx * (16 * (int64_t)j + 8 - from[k].y) - dy * (16 * (int64_t)i + 8 - from[k].x);
		bool inclusive = dy < 0 || (dy == 0 && dx > 0);
		if (e < 0 || (e == 0 && !inclusive)) {
			return false;
		}
	}
	return area2 != 0;
}

static int64_t area2_of(const struct point p[3]) {
	return (int64_t)(p[1].x - p[0].x) * (p[2].y - p[0].y) -
			(int64_t)(p[1].y - p[0].y) * (p[2].x - p[0].x);
}

/* Coverage of one tile by window rows: bit x of got[row], size rows. */
static void cover_tile(const struct raster_kernels *k, const struct raster_state *rs,
		const struct point p[3], int height, int org_x, int org_y, int size, uint64_t got[64]) {
	memset(got, 0, 64 * sizeof(got[0]));
	struct vert v[3];
	for (int n = 0; n < 3; n++) {
		v[n] = vert_at(p[n], rs->flip, height);
	}
	struct tri t;
	if (!k->setup(&t, rs, &v[0], &v[1], &v[2], org_x, org_y, size)) {
		return;
	}
	for (int y = 0; y < size; y += 8) {
		for (int x = 0; x < size; x += 8) {
			uint64_t mask = k->cover_block(&t, org_x + x, org_y + y);
			for (uint32_t i = 0; i < 64; i++) {
				got[y + (int)morton8_y(i)] |= (mask >> i & 1) << (x + (int)morton8_x(i));
			}
		}
	}
	for (int y = 0; y < size; y += 2) {
		for (int x = 0; x < size; x += 2) {
			unsigned mask = k->cover_quad(&t, org_x + x, org_y + y);
			unsigned want = (unsigned)(got[y] >> x & 3) | (unsigned)(got[y + 1] >> x & 3) << 2;
			HOLDS(mask == want);
		}
	}
}

/* ---- Coverage ---- */

struct coverage_row {
	float xy[6]; /* pixels, y up */
	const char *rows[8]; /* row 0 first; '#' covered; NULL: none */
};

/* geometry.md 16.7 */
static const struct coverage_row coverage_table[] = {
	{ { 0, 0, 8, 0, 0, 8 },
		{ "#######", "######", "#####", "####", "###", "##", "#" } },
	{ { 8, 0, 8, 8, 0, 8 },
		{ ".......#", "......##", ".....###", "....####", "...#####", "..######", ".#######",
			"########" } },
	{ { .5f, .5f, 4.5f, .5f, .5f, 4.5f }, { "####", "###", "##", "#" } },
	{ { 4.5f, .5f, 4.5f, 4.5f, .5f, 4.5f }, { "", "...#", "..##", ".###" } },
	{ { 1, 1, 1.4375f, 1, 1, 6 }, { "" } },
	{ { 2, 2, 6, 2, 4, 6 }, { "", "", "..####", "...##", "...##" } },
};

START_TEST(coverage_has_the_pixels_of_the_table) {
	struct raster_kernels k;
	if (!kernels_of(&k, _i)) {
		return;
	}
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
END_TEST

START_TEST(coverage_counts_of_the_table) {
	struct raster_kernels k;
	if (!kernels_of(&k, _i)) {
		return;
	}
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
END_TEST

/* A triangle of one of several kinds near the tile at (x, y) pixels. */
static void random_triangle(struct point p[3], int x, int y) {
	unsigned kind = random32() % 8;
	int32_t cx = 16 * x + random_in(-128, 1152), cy = 16 * y + random_in(-128, 1152);
	int32_t spread = kind == 0 ? 24 : kind == 1 ? 200 : kind < 4 ? 1500 : kind == 4 ? 8000 : 32767;
	for (int i = 0; i < 3; i++) {
		if (kind == 5) { /* anywhere */
			p[i] = (struct point){ random_in(-32767, 32767), random_in(-32767, 32767) };
			continue;
		}
		p[i].x = cx + random_in(-spread, spread);
		p[i].y = cy + random_in(-spread, spread);
		if (kind == 3) { /* many equal coordinates, many samples on edges */
			p[i].x = (p[i].x & ~63) + 8;
			p[i].y = (p[i].y & ~63) + 8;
		}
	}
	if (kind >= 6) { /* slivers: the third vertex close to the first edge */
		int32_t f = random_in(0, 256);
		p[2].x = p[0].x + (int32_t)((int64_t)(p[1].x - p[0].x) * f / 256) + random_in(-3, 3);
		p[2].y = p[0].y + (int32_t)((int64_t)(p[1].y - p[0].y) * f / 256) + random_in(-3, 3);
	}
	for (int i = 0; i < 3; i++) {
		p[i].x = p[i].x > 32767 ? 32767 : p[i].x < -32767 ? -32767 : p[i].x;
		p[i].y = p[i].y > 32767 ? 32767 : p[i].y < -32767 ? -32767 : p[i].y;
	}
}

START_TEST(coverage_is_the_definition) {
	struct raster_kernels k;
	if (!kernels_of(&k, _i)) {
		return;
	}
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
		int window_y = rs.flip ? height - 64 - org_y : org_y;
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
				bool drawn = i >= rs.min_x && i <= rs.max_x && row >= rs.min_y && row <= rs.max_y;
				if (rs.exclude && i >= rs.ex_min_x && i <= rs.ex_max_x && row >= rs.ex_min_y &&
						row <= rs.ex_max_y) {
					drawn = false;
				}
				bool in = reference_covers(p, i, rs.flip ? height - 1 - row : row);
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
END_TEST

START_TEST(triangles_around_a_point_cover_each_pixel_once) {
	struct raster_kernels k;
	if (!kernels_of(&k, _i)) {
		return;
	}
	for (int round = 0; round < 500; round++) {
		struct raster_state rs = whole_plane(round & 1);
		/* The ring encloses the tile [0, 64) x [0, 64), whatever the middle. */
		int far = round & 2 ? 31000 : 1100;
		struct point middle = { random_in(0, 1023), random_in(0, 1023) };
		if (round & 4) {
			middle = (struct point){ 16 * random_in(0, 63) + 8, 16 * random_in(0, 63) + 8 };
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
END_TEST

START_TEST(coverage_with_flip_is_the_mirror_image) {
	struct raster_kernels k;
	if (!kernels_of(&k, _i)) {
		return;
	}
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
END_TEST

/* ---- Set-up ---- */

START_TEST(setup_box_holds_the_samples_inside) {
	struct raster_kernels k;
	if (!kernels_of(&k, _i)) {
		return;
	}
	struct raster_state rs = whole_plane(false);
	struct vert v[3] = { vert_at((struct point){ 8, 24 }, false, 0),
		vert_at((struct point){ 152, 24 }, false, 0), vert_at((struct point){ 9, 167 }, false, 0) };
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
END_TEST

START_TEST(setup_refuses_tiles_beside_the_edges) {
	struct raster_kernels k;
	if (!kernels_of(&k, _i)) {
		return;
	}
	/* The box holds the tile at (192, 192), the triangle does not reach it. */
	struct raster_state rs = whole_plane(false);
	struct vert v[3] = { vert_at((struct point){ 0, 0 }, false, 0),
		vert_at((struct point){ 4096, 0 }, false, 0), vert_at((struct point){ 0, 4096 }, false,
		0) };
	struct tri t;
	ck_assert(!k.setup(&t, &rs, &v[0], &v[1], &v[2], 192, 192, 64));
	ck_assert(!k.setup(&t, &rs, &v[0], &v[2], &v[1], 192, 192, 64));
	ck_assert(k.setup(&t, &rs, &v[0], &v[1], &v[2], 128, 64, 64));
}
END_TEST

START_TEST(setup_edge_numbers_of_a_small_triangle) {
	struct raster_kernels k;
	if (!kernels_of(&k, _i)) {
		return;
	}
	/* (0,0) (8,0) (0,8) pixels. E01 = 128 * y, inclusive: 128 * 8 >> 4 = 64 at pixel (0, 0). */
	struct raster_state rs = whole_plane(false);
	struct vert v[3] = { vert_at((struct point){ 0, 0 }, false, 0),
		vert_at((struct point){ 128, 0 }, false, 0), vert_at((struct point){ 0, 128 }, false, 0) };
	struct tri t;
	ck_assert(k.setup(&t, &rs, &v[0], &v[1], &v[2], 0, 0, 32));
	ck_assert_int_eq(t.e[0], 64);
	ck_assert_int_eq(t.ex[0], 0);
	ck_assert_int_eq(t.ey[0], 128);
	/* E12 = -128 * (8 - 0) - 128 * (8 - 128) = 14336, exclusive: 14335 >> 4. */
	ck_assert_int_eq(t.e[1], 895);
	ck_assert_int_eq(t.ex[1], -128);
	ck_assert_int_eq(t.ey[1], -128);
	ck_assert_int_eq(t.e[2], 64);
	ck_assert_int_eq(t.ex[2], 128);
	ck_assert_int_eq(t.ey[2], 0);
}
END_TEST

START_TEST(setup_holds_the_largest_triangle) {
	struct raster_kernels k;
	if (!kernels_of(&k, _i)) {
		return;
	}
	struct raster_state rs = whole_plane(false);
	struct vert v[3] = { vert_at((struct point){ -32767, -32767 }, false, 0),
		vert_at((struct point){ 32767, -32767 }, false, 0),
		vert_at((struct point){ -32767, 32767 }, false, 0) };
	struct tri t;
	ck_assert(k.setup(&t, &rs, &v[0], &v[1], &v[2], -1024, -1024, 64));
	/* -65534 * (-16376 + 32767) - 65534 * (-16376 - 32767) = 2146369568, exclusive */
	ck_assert_int_eq(t.e[1], 134148097);
	ck_assert(k.cover_block(&t, -1024, -1024) == ~(uint64_t)0);
	ck_assert(!k.setup(&t, &rs, &v[0], &v[1], &v[2], 1984, 1984, 64));
}
END_TEST

/* ---- Planes ---- */

/* Decision 2, from the text: plane value at pixel (i, r). */
static float reference_plane(const struct vert *v0, const struct vert *v1, const struct vert *v2,
		unsigned p, int i, int r) {
	int64_t area2 = (int64_t)(v1->x_fx4 - v0->x_fx4) * (v2->y_fx4 - v0->y_fx4) -
			(int64_t)(v1->y_fx4 - v0->y_fx4) * (v2->x_fx4 - v0->x_fx4);
	float X0 = (float)v0->x_fx4, X1 = (float)v1->x_fx4, X2 = (float)v2->x_fx4;
	float Y0 = (float)v0->y_fx4, Y1 = (float)v1->y_fx4, Y2 = (float)v2->y_fx4;
	float q0 = v0->a[p], q1 = v1->a[p], q2 = v2->a[p];
	float inv = 1.0f / (float)area2;
	float gx = ((q1 - q0) * (Y2 - Y0) - (q2 - q0) * (Y1 - Y0)) * inv;
	float gy = ((q2 - q0) * (X1 - X0) - (q1 - q0) * (X2 - X0)) * inv;
	int bx = (i - (i & 7)), by = (r - (r & 7));
	float base = q0 + ((16.0f * (float)bx + 8.0f - X0) * gx + (16.0f * (float)by + 8.0f - Y0) * gy);
	return base + ((float)(i & 7) * (16.0f * gx) + (float)(r & 7) * (16.0f * gy));
}

static void random_attributes(struct vert *v) {
	for (int p = 0; p < PLANE_COUNT; p++) {
		v->a[p] = (float)random_in(-100000, 100000) / 777.0f;
	}
	v->a[PLANE_IW] = (float)random_in(1, 100000) / 1000.0f;
}

static void random_planes(struct raster_state *rs) {
	rs->n_planes = 0;
	for (unsigned p = 0; p < PLANE_COUNT; p++) {
		if (p == PLANE_IW || random32() % 3) {
			rs->plane[rs->n_planes++] = (uint8_t)p;
		}
	}
}

START_TEST(interpolation_is_the_formula_in_blocks_and_quads) {
	struct raster_kernels k;
	if (!kernels_of(&k, _i)) {
		return;
	}
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
		k.interp_block(&t, x, y, block);
		for (uint32_t q = 0; q < 16; q++) {
			/* Into a shuffled place, as a packed batch would. */
			k.interp_quad(&t, x + (int)morton8_x(4 * q), y + (int)morton8_y(4 * q), quads, 15 - q);
		}
		for (unsigned n = 0; n < rs.n_planes; n++) {
			unsigned plane = rs.plane[n];
			for (uint32_t i = 0; i < 64; i++) {
				float want = reference_plane(&v[0], &v[1], &v[2], plane, x + (int)morton8_x(i),
						y + (int)morton8_y(i));
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
END_TEST

START_TEST(perspective_numbers_of_two_vertices) {
	struct raster_kernels k;
	if (!kernels_of(&k, _i)) {
		return;
	}
	/* geometry.md 16.8: halfway between w = 1 and w = 2, attribute 0 to 1, z = -1. */
	struct raster_state rs = whole_plane(false);
	rs.n_planes = 3;
	rs.plane[2] = PLANE_TC0;
	struct vert v[3] = { vert_at((struct point){ 8, 8 }, false, 0),
		vert_at((struct point){ 136, 8 }, false, 0), vert_at((struct point){ 8, 136 }, false, 0) };
	v[1].a[PLANE_IW] = 0.5f;
	v[0].a[PLANE_Z] = v[2].a[PLANE_Z] = -1.0f;
	v[1].a[PLANE_Z] = -0.5f;
	v[1].a[PLANE_TC0] = 1.0f * 0.5f;
	struct tri t;
	struct batch *b = aligned_alloc(64, sizeof(*b));
	ck_assert(b != NULL);
	memset(b, 0, sizeof(*b));
	ck_assert(k.setup(&t, &rs, &v[0], &v[1], &v[2], 0, 0, 32));
	k.interp_block(&t, 0, 0, b);
	const uint32_t lane = morton8(4, 0);
	ck_assert(b->f[PLANE_IW][lane] == 0.75f);
	ck_assert(b->f[PLANE_Z][lane] == -0.75f);
	ck_assert(b->f[PLANE_TC0][lane] == 0.25f);
	b->n_quads = 16;
	k.perspective(&rs, b);
	ck_assert(b->f[PLANE_IW][lane] == 1.0f / 0.75f); /* 4/3 */
	ck_assert(b->f[PLANE_TC0][lane] == 1.0f / 3.0f);
	ck_assert(b->f[PLANE_Z][lane] == -0.75f);
	/* W-buffer, scale -1: d = 0.75 * 4/3. */
	ck_assert(b->f[PLANE_Z][lane] * -1.0f * b->f[PLANE_IW][lane] == 1.0f);
	free(b);
}
END_TEST

START_TEST(perspective_leaves_flat_colour_and_later_quads) {
	struct raster_kernels k;
	if (!kernels_of(&k, _i)) {
		return;
	}
	struct batch *b = aligned_alloc(64, sizeof(*b));
	ck_assert(b != NULL);
	for (int flat = 0; flat < 2; flat++) {
		struct raster_state rs = whole_plane(false);
		rs.flat = flat;
		rs.n_planes = 6;
		const uint8_t planes[] = { PLANE_IW, PLANE_Z, PLANE_COLOR, PLANE_COLOR + 3, PLANE_TC0,
			PLANE_VIEW };
		memcpy(rs.plane, planes, sizeof(planes));
		for (int p = 0; p < PLANE_COUNT; p++) {
			for (int i = 0; i < BATCH; i++) {
				b->f[p][i] = p == PLANE_IW ? 0.25f : (float)(p + i);
			}
		}
		b->n_quads = 4;
		k.perspective(&rs, b);
		for (int p = PLANE_Z; p < PLANE_COUNT; p++) {
			bool listed = p == PLANE_TC0 || p == PLANE_VIEW ||
					(!flat && (p == PLANE_COLOR || p == PLANE_COLOR + 3));
			ck_assert(b->f[p][15] == (float)(p + 15) * (listed ? 4.0f : 1.0f));
			ck_assert(b->f[p][63] == (float)(p + 63));
		}
		ck_assert(b->f[PLANE_IW][0] == 4.0f);
		ck_assert(b->f[PLANE_IW][63] == 0.25f);
	}
	free(b);
}
END_TEST

START_TEST(equal_attributes_stay_exact) {
	struct raster_kernels k;
	if (!kernels_of(&k, _i)) {
		return;
	}
	struct batch *b = aligned_alloc(64, sizeof(*b));
	ck_assert(b != NULL);
	struct raster_state rs = whole_plane(false);
	rs.plane[1] = PLANE_COLOR;
	for (int round = 0; round < 200; round++) {
		struct point p[3];
		random_triangle(p, 0, 0);
		struct vert v[3];
		for (int i = 0; i < 3; i++) {
			v[i] = vert_at(p[i], false, 0);
			v[i].a[PLANE_COLOR] = 0.1f;
		}
		struct tri t;
		if (area2_of(p) == 0 || !k.setup(&t, &rs, &v[0], &v[1], &v[2], 0, 0, 64)) {
			continue;
		}
		k.interp_block(&t, 40, 16, b);
		for (int i = 0; i < BATCH; i++) {
			HOLDS(b->f[PLANE_COLOR][i] == 0.1f);
		}
	}
	free(b);
}
END_TEST

START_TEST(tile_size_does_not_show) {
	struct raster_kernels k;
	if (!kernels_of(&k, _i)) {
		return;
	}
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
				k.interp_block(&large, x, y, b64);
				k.interp_block(&small, x, y, b32);
				HOLDS(memcmp(b32->f[PLANE_IW], b64->f[PLANE_IW], sizeof(b32->f[0])) == 0);
				HOLDS(memcmp(b32->f[PLANE_Z], b64->f[PLANE_Z], sizeof(b32->f[0])) == 0);
				blocks++;
			}
		}
	}
	ck_assert_uint_gt(blocks, 1000);
	free(b32);
	free(b64);
}
END_TEST

int main(void) {
	Suite *s = suite_create("raster");
	TCase *tc = tcase_create("raster");
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, coverage_has_the_pixels_of_the_table, 0, ISA_COUNT);
	tcase_add_loop_test(tc, coverage_counts_of_the_table, 0, ISA_COUNT);
	tcase_add_loop_test(tc, coverage_is_the_definition, 0, ISA_COUNT);
	tcase_add_loop_test(tc, triangles_around_a_point_cover_each_pixel_once, 0, ISA_COUNT);
	tcase_add_loop_test(tc, coverage_with_flip_is_the_mirror_image, 0, ISA_COUNT);
	tcase_add_loop_test(tc, setup_box_holds_the_samples_inside, 0, ISA_COUNT);
	tcase_add_loop_test(tc, setup_refuses_tiles_beside_the_edges, 0, ISA_COUNT);
	tcase_add_loop_test(tc, setup_edge_numbers_of_a_small_triangle, 0, ISA_COUNT);
	tcase_add_loop_test(tc, setup_holds_the_largest_triangle, 0, ISA_COUNT);
	tcase_add_loop_test(tc, interpolation_is_the_formula_in_blocks_and_quads, 0, ISA_COUNT);
	tcase_add_loop_test(tc, perspective_numbers_of_two_vertices, 0, ISA_COUNT);
	tcase_add_loop_test(tc, perspective_leaves_flat_colour_and_later_quads, 0, ISA_COUNT);
	tcase_add_loop_test(tc, equal_attributes_stay_exact, 0, ISA_COUNT);
	tcase_add_loop_test(tc, tile_size_does_not_show, 0, ISA_COUNT);
	suite_add_tcase(s, tc);
	SRunner *sr = srunner_create(s);
	srunner_set_fork_status(sr, CK_NOFORK);
	srunner_run_all(sr, CK_NORMAL);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
