/* Completion of vertices, once it is known that their triangles are drawn. */
#include <errno.h>
#include <math.h>

#include "chip_rig.h"

enum { GRID = 40, VERTICES = (GRID + 1) * (GRID + 1), CELLS = GRID * GRID };

static struct toy_program program;
static struct toy toy;
static struct toy_vertex vertices[VERTICES];
static uint32_t indices[6 * CELLS];

static void begin(unsigned threads) {
	open_chip(threads);
	program_tiles(&program, 1);
	memset(&toy, 0, sizeof(toy));
	toy.v = vertices;
}

/* A triangle over the first half of tile 0; digits 11, 22, 33 in its extra floats. */
static void one_triangle(void) {
	const int32_t x[3] = { 0, 16 * 64, 0 }, y[3] = { 0, 0, 16 * 64 };
	toy_triangle(vertices, 1, x, y);
	for (unsigned k = 0; k < 3; k++) {
		vertices[k].extra[0] = 11.0f * (float)(k + 1);
		vertices[k].extra[1] = (float)k;
	}
}

TEST_LOOP(a_triangle_has_the_floats_of_its_corners, 4) {
	begin((unsigned)_i);
	one_triangle();
	open_toy_pass(&program, UINT64_MAX, UINT64_MAX);
	draw_toy(&toy, &toy_completed, TOPOLOGY_LIST, 3, NULL, 2);
	ck_assert_int_eq(close_toy_pass(), 0);
	ck_assert_uint_eq(program.sample[0][10][10], 1112233);
	ck_assert_uint_eq(program.sample[0][60][60], CLEAR);
	ck_assert_uint_eq(exec.stats.completed, 3);
	close_chip();
}

/* Makes a grid of cells: odd columns face away, the lower half is outside. */
static void make_grid(void) {
	for (unsigned i = 0; i < VERTICES; i++) {
		const int32_t x = (int32_t)(i % (GRID + 1)), y = (int32_t)(i / (GRID + 1));
		const int32_t at[3] = { 48 * x, 48 * x, 48 * x },
			      row[3] = { 48 * y, 48 * y, 48 * y };
		struct toy_vertex v[3];
		toy_triangle(v, 1, at, row);
		vertices[i] = v[0];
		vertices[i].pos[0] = y < GRID / 2 ? 0.0f : 2.0f;
		for (unsigned k = 0; k < MAX_EXTRA; k++) {
			vertices[i].extra[k] = (float)((i * 7 + k) % 90);
		}
	}
	for (uint32_t c = 0; c < CELLS; c++) {
		const uint32_t a = c / GRID * (GRID + 1) + c % GRID, b = a + GRID + 1;
		const uint32_t front[6] = { a, a + 1, b, a + 1, b + 1, b },
			       back[6] = { a, b, a + 1, a + 1, b, b + 1 };
		memcpy(&indices[6 * c], c % 2 ? back : front, sizeof(front));
	}
}

/* Returns the number of a cell's two triangles, made of the corners' first floats. */
static uint32_t number_of(const uint32_t corner[3]) {
	uint32_t number = 1;
	for (unsigned k = 0; k < 3; k++) {
		number = number * 100 + (uint32_t)vertices[corner[k]].extra[0];
	}
	return number;
}

TEST_LOOP(vertices_of_drawn_triangles_are_completed, 10) {
	static const unsigned threads[] = { 0, 1, 2, 3, 8 };
	begin(threads[_i / 2]);
	make_grid();
	toy.pauses = _i % 2 && threads[_i / 2] == 0;
	open_toy_pass(&program, UINT64_MAX, UINT64_MAX);
	draw_toy(&toy, &toy_completed, TOPOLOGY_LIST, ARRAY_LEN(indices), indices,
			_i % 2 ? MAX_EXTRA : 1);
	toy_geom->cull = CULLS_NEGATIVE;
	ck_assert_int_eq(close_toy_pass(), 0);
	for (uint32_t c = 0; c < CELLS; c++) {
		/* A pixel in each triangle of the cell, which has three. */
		const unsigned x = 3 * (c % GRID), y = 3 * (c / GRID);
		const bool is_drawn = c % 2 == 0 && c / GRID < GRID / 2;
		ck_assert_uint_eq(program.sample[0][y][x],
				is_drawn ? number_of(&indices[6 * c]) : CLEAR);
		ck_assert_uint_eq(program.sample[0][y + 2][x + 2],
				is_drawn ? number_of(&indices[6 * c + 3]) : CLEAR);
	}
	/* The last row of drawn cells has vertices outside, too. */
	const unsigned n = (GRID / 2 + 1) * GRID;
	for (unsigned i = 0; i < VERTICES && threads[_i / 2] == 0; i++) {
		const bool is_used = i / (GRID + 1) <= GRID / 2 && i % (GRID + 1) < GRID;
		ck_assert_uint_eq(toy.times[i] != 0, is_used);
	}
	ck_assert_uint_ge(exec.stats.completed, n);
	ck_assert_uint_lt(exec.stats.completed, exec.stats.shaded);
	ck_assert_uint_eq(toy.n_pauses != 0, toy.pauses);
	close_chip();
}

/* Bins follow the first position, pixels the last one. */
TEST(a_moved_triangle_is_seen_in_its_bins) {
	begin(0);
	one_triangle(); /* tile 0 */
	const int32_t x[3] = { 0, 16 * 128, 0 }, y[3] = { 0, 0, 16 * 128 };
	for (unsigned k = 0; k < 3; k++) {
		vertices[k].moved_x = x[k] + 16 * 32;
		vertices[k].moved_y = y[k];
	}
	open_toy_pass(&program, UINT64_MAX, UINT64_MAX);
	draw_toy(&toy, &toy_completed, TOPOLOGY_LIST, 3, NULL, 1);
	ck_assert_int_eq(close_toy_pass(), 0);
	ck_assert_uint_eq(program.sample[0][10][31], CLEAR);
	ck_assert_uint_eq(program.sample[0][10][32], 1112233);
	ck_assert_uint_eq(program.sample[0][63][63], 1112233);
	ck_assert_uint_eq(program.sample[0][10][64], CLEAR);
	ck_assert_uint_eq(program.sample[0][64][40], CLEAR);
	close_chip();
}

/* Pixels are charged by the final positions of the corners, in the bins. */
TEST(moved_triangles_are_charged_as_they_are_drawn) {
	for (unsigned i = 0; i < 4; i++) {
		begin(0);
		const int32_t dot[3] = { 16, 24, 16 }, flat[3] = { 16, 16, 24 };
		toy_triangle(vertices, 1, dot, flat);
		const int32_t x[3] = { 0, 16 * 128, 0 }, y[3] = { 0, 0, 16 * 128 };
		for (unsigned k = 0; k < 3; k++) {
			vertices[k].moved_x = i < 3 ? x[k] : 16 * 70;
			vertices[k].moved_y = i < 3 ? y[k] : 16 * 70;
		}
		program.base.n_walks = i == 1 ? 2 : 1;
		const uint64_t budget = i == 0 ? 64 * 64 :
				i == 1         ? 2 * 64 * 64 - 1 :
				i == 2         ? 64 * 64 - 1 :
						 1;
		open_toy_pass(&program, budget, UINT64_MAX);
		draw_toy(&toy, &toy_completed, TOPOLOGY_LIST, 3, NULL, 1);
		ck_assert_int_eq(close_toy_pass(), i == 1 || i == 2 ? -EDQUOT : 0);
		close_chip();
	}
}

TEST(completion_ends_where_the_budget_does) {
	begin(0);
	make_grid();
	toy.steps = 1;
	/* The first cells, of one chunk: each vertex is shaded once, then 40 are completed. */
	enum { ROWS = 6, N = (ROWS + 1) * (GRID + 1) };
	open_toy_pass(&program, UINT64_MAX, N + 40);
	draw_toy(&toy, &toy_completed, TOPOLOGY_LIST, 6 * ROWS * GRID, indices, 1);
	ck_assert_int_eq(close_toy_pass(), -EDQUOT);
	unsigned n = 0;
	for (unsigned i = 0; i < VERTICES; i++) {
		n += toy.times[i];
	}
	ck_assert_uint_eq(n, 2 * VERTEX_BATCH);
	close_chip();
}

TEST(steps_of_completion_are_charged) {
	for (unsigned budget = 5; budget <= 6; budget++) {
		begin(0);
		one_triangle();
		toy.steps = 1;
		open_toy_pass(&program, UINT64_MAX, budget);
		draw_toy(&toy, &toy_completed, TOPOLOGY_LIST, 3, NULL, 1);
		ck_assert_int_eq(close_toy_pass(), budget < 6 ? -EDQUOT : 0);
		close_chip();
	}
}

/* The floats count as memory of the pass: its limit ends it, even with free memory. */
TEST(floats_are_counted_as_memory) {
	for (unsigned n_extra = 1; n_extra <= MAX_EXTRA; n_extra += MAX_EXTRA - 1) {
		begin(0);
		one_triangle();
		struct unit *u = open_toy_pass(&program, UINT64_MAX, UINT64_MAX);
		u->limit_bytes = 3 * sizeof(struct vert) + sizeof(struct tri_ref) +
				sizeof(struct tri_box) + 4 * sizeof(uint32_t) + 3 * sizeof(float);
		draw_toy(&toy, &toy_completed, TOPOLOGY_LIST, 3, NULL, n_extra);
		ck_assert_int_eq(close_toy_pass(), n_extra > 1 ? -EDQUOT : 0);
		close_chip();
	}
}

/*
 * One or two corners lie behind the plane -W <= Z: new corners lie on it, with the weighted sum of
 * their vertices' floats. Corner k has 90 in float k: the digits are ninetieths of its weight.
 */
TEST_LOOP(a_clipped_corner_is_the_sum_of_its_vertices, 6) {
	begin(0);
	const unsigned odd = (unsigned)_i % 3;
	const bool two = _i >= 3;
	for (unsigned k = 0; k < 3; k++) {
		const bool is_behind = (k == odd) != two;
		vertices[k] = (struct toy_vertex){
			.pos = { k == 1 ? 0.9f : -0.9f, k == 2 ? 0.9f : -0.9f,
					is_behind ? -3.0f : 0.0f, 1.0f },
			.number = 0,
		};
		vertices[k].extra[0] = 90.0f * (k == 0);
		vertices[k].extra[1] = 90.0f * (k == 1);
		vertices[k].extra[2] = 90.0f * (k == 2);
	}
	struct unit *u = open_toy_pass(&program, UINT64_MAX, UINT64_MAX);
	draw_toy(&toy, &toy_completed, TOPOLOGY_LIST, 3, NULL, 3);
	exec_close_pass(&exec);
	const struct chunk *c = u->chunks[0];
	ck_assert_uint_eq(c->n_tris, two ? 1 : 2);
	ck_assert_uint_eq(c->completed, 3);
	unsigned n_cut = 0;
	for (uint32_t i = 0; i < 3 * c->n_tris; i++) {
		const struct vert *v = &c->verts[c->tris[i / 3].v[i % 3]];
		const float *extra = c->extra + vert_extra(v);
		float pos[4] = { 0 };
		for (unsigned k = 0; k < 3; k++) {
			for (unsigned m = 0; m < 4; m++) {
				pos[m] += extra[k] / 90.0f * vertices[k].pos[m];
			}
		}
		ck_assert_float_eq_tol(pos[3], 1.0f, 1e-5f);
		ck_assert_float_ge(pos[2], -1.0f - 1e-5f);
		n_cut += fabsf(pos[2] + 1.0f) < 1e-5f;
		ck_assert_int_le(abs(v->x_fx - (16 * 96 + (int32_t)lroundf(pos[0] * 512.0f))), 1);
		ck_assert_int_le(abs(v->y_fx - (16 * 64 + (int32_t)lroundf(pos[1] * 512.0f))), 1);
	}
	ck_assert_uint_eq(n_cut, two ? 2 : 3);
	exec_wait_all(&exec);
	close_chip();
}

/* An infinite float of a vertex of weight 0 does not affect the sum. */
TEST(a_sum_is_a_number) {
	begin(0);
	for (unsigned k = 0; k < 3; k++) {
		vertices[k] = (struct toy_vertex){
			.pos = { k == 1 ? 0.9f : -0.9f, k == 2 ? 0.9f : -0.9f,
					k == 2 ? -3.0f : 0.0f, 1.0f },
			.extra = { k == 2 ? 4.0f : 1.0f, k == 1 ? INFINITY : 5.0f,
					k == 1                 ? -INFINITY :
							k == 2 ? INFINITY :
								 0.0f },
		};
	}
	struct unit *u = open_toy_pass(&program, UINT64_MAX, UINT64_MAX);
	draw_toy(&toy, &toy_completed, TOPOLOGY_LIST, 3, NULL, 3);
	exec_close_pass(&exec);
	const struct chunk *c = u->chunks[0];
	unsigned n_finite = 0, n_infinite = 0, n_zero = 0;
	for (uint32_t i = 0; i < c->n_extra; i += 3) {
		ck_assert(!isnan(c->extra[i]) && !isnan(c->extra[i + 1]) &&
				!isnan(c->extra[i + 2]));
		n_finite += c->extra[i + 1] == 5.0f;
		n_infinite += isinf(c->extra[i + 1]) != 0;
		n_zero += isinf(c->extra[i + 1]) && c->extra[i + 2] == 0.0f;
	}
	ck_assert_uint_ge(n_finite, 3); /* corners 0 and 2, and between them */
	ck_assert_uint_ge(n_infinite, 2);
	ck_assert_uint_eq(n_zero, 1); /* between 1 and 2: infinity less itself */
	exec_wait_all(&exec);
	close_chip();
}

/* Outside planes that do not clip, a triangle is drawn unchanged, or not at all. */
TEST(codes_that_may_stay_cut_nothing) {
	for (unsigned i = 0; i < 2; i++) {
		begin(0);
		one_triangle();
		vertices[1].pos[0] = 5.0f;
		vertices[0].pos[0] = vertices[2].pos[0] = i ? 5.0f : 0.0f;
		open_toy_pass(&program, UINT64_MAX, UINT64_MAX);
		draw_toy(&toy, &toy_completed, TOPOLOGY_LIST, 3, NULL, 1);
		ck_assert_int_eq(close_toy_pass(), 0);
		ck_assert_uint_eq(exec.stats.completed, i ? 0 : 3);
		ck_assert_uint_eq(program.sample[0][10][10], i ? CLEAR : 1112233);
		close_chip();
	}
}

/* Only CODE_CLIPS, in any vertex, clips and projects a triangle. */
TEST(other_codes_neither_clip_nor_drop) {
	for (unsigned i = 0; i < 2; i++) {
		begin(0);
		one_triangle();
		for (unsigned k = 0; k < 3; k++) {
			vertices[k].pos[0] = k == 1 ? 1.0f : -1.0f;
			vertices[k].pos[1] = k == 2 ? 1.0f : -1.0f;
			vertices[k].code = i || k == 2 ? CODE_CLIPS : 0;
		}
		open_toy_pass(&program, UINT64_MAX, UINT64_MAX);
		draw_toy(&toy, &toy_completed, TOPOLOGY_LIST, 3, NULL, 1);
		ck_assert_int_eq(close_toy_pass(), 0);
		/* project_toy() puts it into the middle of the picture. */
		ck_assert_uint_eq(program.sample[0][10][10], CLEAR);
		ck_assert_uint_ne(program.sample[0][66][66], CLEAR);
		close_chip();
	}
}
