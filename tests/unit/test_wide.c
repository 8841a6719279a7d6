/* Points and lines. */
#include <math.h>

#include "chip_rig.h"

enum { MANY = 5000, WIDTH = 64 * TILES_X, HEIGHT = 64 * TILES_Y };

static const unsigned threads_of[] = { 0, 1, 2, 8 };

static struct toy_program program;
static struct toy toy;
static struct toy_vertex vertices[MANY];
static uint32_t indices[MANY];

static void begin(unsigned threads, unsigned n_samples) {
	open_chip(threads);
	program_tiles(&program, n_samples);
	memset(&toy, 0, sizeof(toy));
	toy.v = vertices;
}

static void vertex(unsigned i, int32_t x, int32_t y, float size) {
	vertices[i] = (struct toy_vertex){ .pos = { 0, 0, 0, 1 },
		.x = x,
		.y = y,
		.moved_x = x + 3200, /* made corners stay */
		.moved_y = y,
		.number = 1,
		.size = size,
		.extra = { (float)i } };
}

static void draw(unsigned topology, uint32_t n, const uint32_t *index) {
	open_toy_pass(&program, UINT64_MAX, UINT64_MAX);
	draw_toy(&toy, &toy_completed, topology, n, index, 1);
	toy_geom->cull = CULLS_POSITIVE; /* of no effect */
	ck_assert_int_eq(close_toy_pass(), 0);
}

/* Every sample of the square belongs to it once: those on its right and lower edges, too. */
TEST_LOOP(a_point_is_a_square, 2 * ARRAY_LEN(threads_of)) {
	static const float sizes[] = { 0, 0.125f, 1, 2, 3.5f, 16, 100, 512, 1e9f, -5, NAN };
	static const int halves[] = { 1, 1, 8, 16, 28, 128, 800, 4096, 4096, 1, 1 };
	begin(threads_of[_i / 2], _i % 2 ? 4 : 1);
	const struct raster_rule *rule = &toy_rule[_i % 2];
	for (unsigned t = 0; t < ARRAY_LEN(sizes); t++) {
		const int x = 16 * 40 + 7 + (int)t % 2, y = 16 * 30 + 8, half = halves[t];
		vertex(0, x, y, sizes[t]);
		draw(TOPOLOGY_POINTS, 1, NULL);
		for (unsigned s = 0; s < program.n_samples; s++) {
			for (unsigned i = 0; i < TILES_X * TILES_Y * program.side * program.side;
					i++) {
				const int px = (int)(i % (TILES_X * program.side)),
					  py = (int)(i / (TILES_X * program.side));
				const int sx = 16 * px + rule->sample[s].x,
					  sy = 16 * py + rule->sample[s].y;
				const bool is_in = sx > x - half && sx <= x + half &&
						sy > y - half && sy <= y + half;
				HOLDS(program.writes[s][py][px] == (uint32_t)is_in);
			}
		}
	}
	/* Those that cover no sample need not be. */
	ck_assert_uint_ge(exec.stats.completed, ARRAY_LEN(sizes) - 4);
	close_chip();
}

/* Corners of a point and of a line, by their places: what comes before the vertex's floats. */
TEST(corners_have_floats_of_their_own) {
	begin(0, 1);
	vertex(0, 1600, 800, 2);
	vertex(1, 1600, 1600, 4);
	vertex(2, 1600, 800, 1);
	struct unit *u = open_toy_pass(&program, UINT64_MAX, UINT64_MAX);
	draw_toy(&toy, &toy_completed, TOPOLOGY_POINTS, 1, NULL, 1);
	static const uint32_t ends[2] = { 1, 2 };
	draw_toy(&toy, &toy_completed, TOPOLOGY_LINES, 2, ends, 1);
	exec_close_pass(&exec);
	const struct chunk *c = u->chunks[0];
	ck_assert_uint_eq(c->n_tris, 4);
	for (unsigned i = 0; i < 12; i++) {
		const struct vert *v = &c->verts[c->tris[i / 3].v[i % 3]];
		const float *extra = c->extra + vert_extra(v);
		if (i < 6) {
			ck_assert_int_eq(abs(v->x_fx - 1600), 16);
			ck_assert_int_eq(abs(v->y_fx - 800), 16);
			ck_assert_float_eq(extra[0], v->x_fx > 1600);
			ck_assert_float_eq(extra[1], v->y_fx < 800);
			ck_assert_float_eq(extra[2], 0);
		} else {
			ck_assert_int_eq(abs(v->x_fx - 1600), 32); /* the size of the first end */
			ck_assert_float_eq(extra[0], v->x_fx > 1600);
			ck_assert_float_eq(extra[1], v->y_fx == 1600 ? 1 : 2);
		}
	}
	exec_wait_all(&exec);
	close_chip();
}

static double distance_to(const struct toy_vertex *a, const struct toy_vertex *b, double x,
		double y, double *along) {
	const double dx = b->x - a->x, dy = b->y - a->y, length = sqrt(dx * dx + dy * dy);
	*along = ((x - a->x) * dx + (y - a->y) * dy) / length;
	return fabs((x - a->x) * dy - (y - a->y) * dx) / length;
}

/* By the distance of a pixel's centre; if that is on the edge within rounding, both are right. */
TEST(a_line_is_a_rectangle) {
	begin(2, 1);
	seed = 0x9E3779B97F4A7C15u;
	for (unsigned t = 0; t < 60; t++) {
		const float size = (float)(random32() % 160) / 8.0f + 0.25f;
		for (unsigned k = 0; k < 2; k++) {
			vertex(k, (int32_t)(random32() % (16 * WIDTH)),
					(int32_t)(random32() % (16 * HEIGHT)), size);
		}
		if (t % 4 == 0) {
			vertices[1].x = vertices[0].x; /* upright, or a dot */
		}
		if (t % 8 == 0) {
			vertices[1].y = vertices[0].y;
		}
		draw(TOPOLOGY_LINES, 2, NULL);
		const double length = hypot(vertices[1].x - vertices[0].x,
				vertices[1].y - vertices[0].y);
		for (unsigned y = 0; y < HEIGHT; y++) {
			for (unsigned x = 0; x < WIDTH; x++) {
				double along = 0, far = 0;
				if (length > 0) {
					far = distance_to(&vertices[0], &vertices[1],
							16.0 * x + 8, 16.0 * y + 8, &along);
				}
				const double side = far - size * 8.0,
					     end = fmax(-along, along - length);
				const uint32_t n = program.writes[0][y][x];
				HOLDS(n <= 1);
				if (length == 0 || fmax(side, end) > 2) {
					HOLDS(n == 0);
				} else if (fmax(side, end) < -2) {
					HOLDS(n == 1);
				}
			}
		}
	}
	close_chip();
}

/* A snake of lines of one pixel each, through several chunks, that fills rows of the picture. */
static uint32_t make_snake(void) {
	uint32_t n = 0;
	for (int y = 0; y < 20; y++) {
		for (int k = 0; k <= 180; k++) {
			vertex(n, 16 * (4 + (y % 2 ? 180 - k : k)), 16 * (4 + 6 * y) + 8, 1);
			indices[n] = n;
			n++;
		}
	}
	return n;
}

static unsigned count_writes(unsigned *twice) {
	unsigned n = 0;
	*twice = 0;
	for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
		n += program.writes[0][i / WIDTH][i % WIDTH] != 0;
		*twice += program.writes[0][i / WIDTH][i % WIDTH] > 1;
	}
	return n;
}

TEST_LOOP(strips_continue_across_chunks, 2 * ARRAY_LEN(threads_of)) {
	begin(threads_of[_i / 2], 1);
	const uint32_t n = make_snake();
	ck_assert_uint_gt(n, 2 * 1536);
	draw(TOPOLOGY_LINE_STRIP, n, _i % 2 ? indices : NULL);
	ck_assert_uint_eq(exec.stats.triangles, n - 1);
	for (unsigned y = 0; y < 20; y++) {
		for (unsigned x = 4; x < 184; x++) {
			HOLDS(program.writes[0][4 + 6 * y][x] != 0);
		}
	}
	unsigned twice;
	/* Six rows down between them: on the right beside them, on the left the last is one. */
	ck_assert_uint_eq(count_writes(&twice), 20 * 180 + 10 * 6 + 9 * 5);
	ck_assert_uint_eq(twice, 9);
	close_chip();
}

/* Corners of a square far apart. */
static void make_square(unsigned first) {
	static const int32_t x[4] = { 160, 1600, 1600, 160 }, y[4] = { 168, 168, 1608, 1608 };
	for (unsigned k = 0; k < 4; k++) {
		vertex(first + k, x[k], y[k], 1);
		indices[k] = first + k;
	}
}

TEST(topologies_join_the_right_vertices) {
	begin(0, 1);
	make_square(0);
	static const struct {
		unsigned topology, n, lines;
		bool has[4]; /* sides: from corner k on */
	} cases[] = {
		{ TOPOLOGY_LINES, 4, 2, { true, false, true, false } },
		{ TOPOLOGY_LINES, 3, 1, { true } },
		{ TOPOLOGY_LINE_STRIP, 4, 3, { true, true, true, false } },
		{ TOPOLOGY_LINE_STRIP, 1, 0, { false } },
		{ TOPOLOGY_LINE_LOOP, 4, 4, { true, true, true, true } },
		{ TOPOLOGY_LINE_LOOP, 2, 2, { true } },
		{ TOPOLOGY_LINE_LOOP, 1, 0, { false } },
	};
	for (unsigned i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		const uint64_t before = exec.stats.triangles;
		draw(cases[i / 2].topology, cases[i / 2].n, i % 2 ? indices : NULL);
		ck_assert_uint_eq(exec.stats.triangles - before, cases[i / 2].lines);
		const bool *has = cases[i / 2].has;
		ck_assert_uint_eq(program.writes[0][10][50] != 0, has[0]);
		ck_assert_uint_eq(program.writes[0][50][99] | program.writes[0][50][100], has[1]);
		ck_assert_uint_eq(program.writes[0][100][50] != 0, has[2]);
		ck_assert_uint_eq(program.writes[0][50][9] | program.writes[0][50][10], has[3]);
	}
	/* A loop of many chunks ends at its first vertex. */
	const uint32_t n = make_snake();
	vertices[0].x = 16 * 4;
	draw(TOPOLOGY_LINE_LOOP, n, NULL);
	ck_assert_uint_ne(program.writes[0][60][3] | program.writes[0][60][4], 0);
	close_chip();
}

/* A line that begins behind -W <= Z; the corners there have shares of both ends. */
TEST_LOOP(a_line_is_clipped, 4) {
	begin(0, 1);
	const unsigned odd = (unsigned)_i % 2;
	for (unsigned k = 0; k < 2; k++) {
		vertex(k, 0, 0, 2);
		vertices[k].pos[0] = k ? 0.5f : -0.5f;
		vertices[k].pos[2] = k == odd || _i > 1 ? -3.0f : 0.0f;
		vertices[k].extra[0] = k ? 30.0f : 0.0f;
	}
	struct unit *u = open_toy_pass(&program, UINT64_MAX, UINT64_MAX);
	draw_toy(&toy, &toy_completed, TOPOLOGY_LINES, 2, NULL, 1);
	exec_close_pass(&exec);
	const struct chunk *c = u->chunks[0];
	ck_assert_uint_eq(c->n_tris, _i > 1 ? 0 : 2);
	for (unsigned i = 0; i < 3 * c->n_tris; i++) {
		const struct vert *v = &c->verts[c->tris[i / 3].v[i % 3]];
		const float share = c->extra[vert_extra(v) + 1] / 30.0f;
		ck_assert_int_le(abs(v->x_fx - (16 * 96 + (int32_t)lroundf((share - 0.5f) * 512))),
				1);
		ck_assert(odd ? share < 0.334f : share > 0.666f);
		ck_assert_int_eq(abs(v->y_fx - 16 * 64), 16);
	}
	exec_wait_all(&exec);
	close_chip();
}

TEST(points_outside_are_not_drawn) {
	for (unsigned plane = 0; plane < 7; plane++) {
		begin(0, 1);
		vertex(0, 800, 800, 8);
		if (plane < 6) {
			vertices[0].pos[plane / 2] = plane % 2 ? 1.5f : -1.5f;
		} else {
			vertices[0].code = CODE_CLIPS;
		}
		draw(TOPOLOGY_POINTS, 1, NULL);
		unsigned twice;
		ck_assert_uint_eq(count_writes(&twice), 0);
		ck_assert_uint_eq(exec.stats.completed, 0);
		ck_assert_uint_eq(exec.stats.dropped, plane == 6);
		close_chip();
	}
}
