/* Tiles that are drawn into buffers by the program of a chip, of one sample and of four. */
#include <errno.h>

#include "chip_rig.h"
#include "core/chunk/segment.h"

enum { TRIANGLES = 300 };

static const unsigned threads_of[] = { 0, 1, 2, 3, 8 };

static struct toy_program program;
static struct toy toy;
static struct toy_vertex vertices[3 * TRIANGLES];

/* Triangles of all sizes, many of them with samples on their edges. */
static void make_triangles(unsigned width) {
	seed = 0x9E3779B97F4A7C15u;
	memset(&toy, 0, sizeof(toy));
	toy.v = vertices;
	for (unsigned i = 0; i < TRIANGLES; i++) {
		const int32_t spread = i % 3 == 0 ? 40 : i % 3 == 1 ? 300 : 3000;
		const int32_t cx = (int32_t)(random32() % (16 * width)),
			      cy = (int32_t)(random32() % (16 * width));
		int32_t x[3], y[3];
		for (unsigned k = 0; k < 3; k++) {
			x[k] = cx + (int32_t)(random32() % (uint32_t)spread) - spread / 2;
			y[k] = cy + (int32_t)(random32() % (uint32_t)spread) - spread / 2;
			if (i % 2) {
				x[k] = (x[k] & ~63) + 8;
				y[k] = (y[k] & ~63) + 8;
			}
		}
		toy_triangle(&vertices[3 * i], (float)(i + 1), x, y);
	}
}

/* The last triangle that covers the sample, and how many do; only those of a bin's tile. */
static uint32_t expect(const struct toy_program *p, unsigned sample, unsigned px, unsigned py,
		uint32_t *writes) {
	const struct raster_rule *r = &toy_rule[p->n_samples > 1];
	const int32_t sx = (int32_t)(16 * px) + r->sample[sample].x,
		      sy = (int32_t)(16 * py) + r->sample[sample].y;
	uint32_t number = CLEAR;
	*writes = 0;
	for (unsigned i = 0; i < TRIANGLES; i++) {
		const struct toy_vertex *v = &vertices[3 * i];
		const int32_t x[3] = { v[0].x, v[1].x, v[2].x }, y[3] = { v[0].y, v[1].y, v[2].y };
		if (toy_covers(x, y, sx, sy)) {
			number = i + 1;
			++*writes;
		}
	}
	return number;
}

static void expect_picture(const struct toy_program *p) {
	unsigned drawn = 0;
	for (unsigned s = 0; s < p->n_samples; s++) {
		for (unsigned y = 0; y < TILES_Y * p->side; y++) {
			for (unsigned x = 0; x < TILES_X * p->side; x++) {
				uint32_t writes;
				const uint32_t number = expect(p, s, x, y, &writes);
				HOLDS(p->sample[s][y][x] == number);
				HOLDS(p->writes[s][y][x] == writes);
				drawn += writes;
			}
		}
	}
	ck_assert_uint_gt(drawn, 1000);
}

static void draw_all(struct toy_program *p) {
	open_toy_pass(p, UINT64_MAX, UINT64_MAX);
	draw_toy(&toy, &toy_simple, TOPOLOGY_LIST, 3 * (TRIANGLES / 2), NULL, 0);
	static uint32_t rest[3 * (TRIANGLES - TRIANGLES / 2)];
	for (uint32_t i = 0; i < ARRAY_LEN(rest); i++) {
		rest[i] = 3 * (TRIANGLES / 2) + i;
	}
	draw_toy(&toy, &toy_simple, TOPOLOGY_LIST, ARRAY_LEN(rest), rest, 0);
	ck_assert_int_eq(close_toy_pass(), 0);
}

TEST_LOOP(every_sample_is_that_of_the_last_triangle_over_it, 2 * ARRAY_LEN(threads_of)) {
	open_chip(threads_of[_i / 2]);
	program_tiles(&program, _i % 2 ? 4 : 1);
	make_triangles(TILES_X * program.side);
	draw_all(&program);
	expect_picture(&program);
	close_chip();
}

TEST(tiles_without_triangles_are_cleared_and_stored) {
	open_chip(2);
	program_tiles(&program, 1);
	open_toy_pass(&program, UINT64_MAX, UINT64_MAX);
	ck_assert_int_eq(close_toy_pass(), 0);
	for (unsigned i = 0; i < 128 * 192; i++) {
		HOLDS(program.sample[0][i / 192][i % 192] == CLEAR);
	}
	ck_assert_uint_eq(exec.stats.tiles, TILES_X * TILES_Y);
	close_chip();
}

/* A bin selects triangles, the origin the tile: only pixels in that tile are drawn. */
TEST(a_task_draws_any_bins_to_its_tile) {
	open_chip(0);
	program_tiles(&program, 1);
	const int32_t x[3] = { 0, 16 * 128, 0 }, y[3] = { 0, 0, 16 * 128 };
	memset(&toy, 0, sizeof(toy));
	toy.v = vertices;
	toy_triangle(vertices, 7, x, y);
	program.task[0] = (struct toy_task){ 0, 0, 3, { 0, 0, 5 } };
	program.task[1] = (struct toy_task){ 1, 0, 1, { 0 } };
	program.task[3] = (struct toy_task){ 0, 1, 0, { 0 } };
	program.base.n_tasks = 4;
	program.base.n_walks = 3;
	open_toy_pass(&program, UINT64_MAX, UINT64_MAX);
	draw_toy(&toy, &toy_simple, TOPOLOGY_LIST, 3, NULL, 0);
	ck_assert_int_eq(close_toy_pass(), 0);
	ck_assert_uint_eq(program.writes[0][10][10], 2); /* bin 5 has no triangle */
	ck_assert_uint_eq(program.writes[0][10][70], 1); /* the list of tile 0 names it, too */
	ck_assert_uint_eq(program.sample[0][10][70], 7);
	ck_assert_uint_eq(program.sample[0][60][120], CLEAR);
	ck_assert_uint_eq(program.sample[0][70][10], CLEAR);
	close_chip();
}

/* Draws a pass, which is not reaped, and clears its picture, to draw it again by hand. */
static const struct unit *begin_by_hand(unsigned samples) {
	open_chip(0);
	program_tiles(&program, samples);
	make_triangles(TILES_X * program.side);
	const struct unit *u = open_toy_pass(&program, UINT64_MAX, UINT64_MAX);
	draw_toy(&toy, &toy_simple, TOPOLOGY_LIST, 3 * TRIANGLES, NULL, 0);
	exec_close_pass(&exec);
	memset(program.sample, 0, sizeof(program.sample));
	memset(program.writes, 0, sizeof(program.writes));
	return u;
}

/* Slices that are over at once. */
TEST_LOOP(a_task_continues_after_its_slice, 2) {
	const struct unit *u = begin_by_hand(_i ? 4 : 1);
	unsigned n_slices = 0;
	for (unsigned i = 0; i < program.base.n_tasks; i++) {
		struct tile_stats stats;
		struct slice over = { .ticks = SLICE_TICKS };
		tile_begin(engine.tile_scratch[0], &u->work, i);
		while (!tile_go_on(engine.tile_scratch[0], &over, &stats)) {
			over.ticks = SLICE_TICKS;
			n_slices++;
		}
		ck_assert_uint_gt(stats.fragments, 0);
	}
	ck_assert_uint_gt(n_slices, TRIANGLES);
	expect_picture(&program);
	exec_wait_all(&exec);
	close_chip();
}

/* Nothing is drawn before; a draw that is current is not prepared again. */
TEST(a_draw_is_prepared_in_pieces) {
	enum { PIECES = 5 };
	const struct unit *u = begin_by_hand(1);
	struct slice endless = { .end_ns = UINT64_MAX };
	for (unsigned i = 0; i < program.base.n_tasks; i++) {
		struct tile_stats stats = { .fragments = 0 };
		unsigned n_pauses = 0;
		toy_unprepared = PIECES;
		tile_begin(engine.tile_scratch[0], &u->work, i);
		while (!tile_go_on(engine.tile_scratch[0], &endless, &stats)) {
			ck_assert_uint_eq(toy_unprepared, PIECES - ++n_pauses);
			ck_assert_uint_eq(stats.fragments, 0);
		}
		ck_assert_uint_eq(n_pauses, PIECES);
	}
	expect_picture(&program);
	exec_wait_all(&exec);
	close_chip();
}

/*
 * Counts the pauses while triangles come (0) and while they are listed (by the step). A triangle
 * takes 150 ticks to assemble; that covers six tiles, 16 to count its entries, 16 to fill them in.
 */
static void count_pauses(const struct unit *u, struct slice slice, unsigned pauses[3]) {
	struct vertex_scratch *s = engine.vertex_scratch[0];
	struct chunk *c = u->chunks[0];
	const struct pass_work *w = &u->work;
	chunk_restart(c);
	c->limit_px = c->limit_bytes = UINT64_MAX;
	c->limit_steps = UINT64_MAX >> 1;
	memset(pauses, 0, 3 * sizeof(*pauses));
	chunk_begin(s);
	while (!chunk_go_on(c, w, s, &slice)) {
		if (s->segment == c->n_seg) {
			pauses[s->binning.step]++;
		} else {
			pauses[0] += s->run.n_assembled && !s->run.is_assembled;
		}
	}
	ck_assert(!c->failed && !c->over);
}

TEST_LOOP(assembly_and_lists_of_triangles_pause, 2) {
	enum { STRIP = 900 };
	static uint32_t want[6 * 2 * STRIP];
	unsigned pauses[3];
	open_chip(0);
	program_tiles(&program, 1);
	memset(&toy, 0, sizeof(toy));
	toy.v = vertices;
	for (unsigned i = 0; i < STRIP; i++) {
		vertices[i] = (struct toy_vertex){ .pos = { 0, 0, 0, 1 },
			.x = 16 * (i % 2 ? 64 * TILES_X - 1 : 1),
			.y = 16 * (i / 2 % 2 ? 64 * TILES_Y - 1 : 1),
			.size = 1 };
	}
	struct unit *u = open_toy_pass(&program, UINT64_MAX, UINT64_MAX);
	draw_toy(&toy, _i ? &toy_completed : &toy_simple, _i ? TOPOLOGY_LINE_STRIP : TOPOLOGY_STRIP,
			STRIP, NULL, 0);
	u->work.draws = u->draws;
	ck_assert_uint_eq(u->n_chunks, 1);
	const struct chunk *c = u->chunks[0];
	count_pauses(u, (struct slice){ .end_ns = UINT64_MAX }, pauses);
	ck_assert_uint_eq(pauses[0] + pauses[BIN_COUNTS] + pauses[BIN_FILLS], 0);
	const uint32_t n = c->tile_start[TILES_X * TILES_Y];
	ck_assert_uint_le(n, ARRAY_LEN(want));
	memcpy(want, c->tile_list, n * sizeof(*want));
	count_pauses(u, (struct slice){ .end_ns = 0 }, pauses);
	/* By three or four batches of 32, and in both walks over the triangles. */
	ck_assert_uint_ge(pauses[0], (STRIP - 2) / 32 / 4);
	ck_assert_uint_ge(pauses[BIN_COUNTS], 1);
	ck_assert_uint_ge(pauses[BIN_FILLS], 1);
	ck_assert_uint_eq(c->tile_start[TILES_X * TILES_Y], n);
	ck_assert_mem_eq(c->tile_list, want, n * sizeof(*want));
	chunk_restart(u->chunks[0]);
	ck_assert_int_eq(close_toy_pass(), 0);
	close_chip();
}

enum { THINGS = 8, THING_BYTES = 1 << 20 };
static unsigned n_put, n_ticks, put_at_tick[3 * THINGS];

static void put_thing(void *thing) {
	put_at_tick[n_put++] = n_ticks;
}

static unsigned n_retired_before, n_put_before;

static void note_end(void *thing) {
	n_retired_before = toy_retired;
	n_put_before = n_put;
}

static void count_tick(void *owner, uint64_t ticks) {
	n_ticks += ticks >= SLICE_TICKS; /* others get a turn */
}

/* A pass that holds things, run by a worker. */
static void draw_and_hold(void) {
	open_toy_pass(&program, UINT64_MAX, UINT64_MAX);
	for (unsigned i = 0; i < THINGS; i++) {
		ck_assert_int_eq(exec_hold(&exec, put_thing, &put_at_tick[i]), 0);
		exec_add_held(&exec, THING_BYTES);
	}
	exec_on_retire(&exec, note_end, put_at_tick);
	draw_toy(&toy, &toy_simple, TOPOLOGY_LIST, 3 * TRIANGLES, NULL, 0);
	ck_assert_int_eq(close_toy_pass(), 0);
}

/* A unit larger than a reaped one may free at once is freed in pieces. */
TEST(the_memory_of_a_unit_is_freed_in_pieces) {
	open_chip(1);
	program_tiles(&program, 1);
	make_triangles(TILES_X * program.side);
	exec.tick = count_tick;
	n_put = n_ticks = toy_retired = 0;
	n_retired_before = n_put_before = 1;
	draw_and_hold();
	ck_assert_uint_eq(n_retired_before + n_put_before, 0); /* before its job has the result */
	ck_assert_uint_eq(toy_retired, 1);
	ck_assert_uint_eq(n_put, 1);
	for (unsigned n = 2; n <= THINGS; n++) {
		struct slice over = { .end_ns = 0 };
		ck_assert(exec_has_waste(&exec));
		exec_sweep(&exec, &over);
		ck_assert_uint_eq(n_put, n);
	}
	struct slice slice = { .end_ns = 0 };
	exec_sweep(&exec, &slice);
	ck_assert(!exec_has_waste(&exec));

	/* Or when the next unit is opened, with turns of others in between. */
	draw_and_hold();
	ck_assert_uint_eq(n_put, THINGS + 1);
	open_toy_pass(&program, UINT64_MAX, UINT64_MAX);
	ck_assert_uint_eq(n_put, 2 * THINGS);
	ck_assert_uint_eq(put_at_tick[THINGS + 1], 0); /* looking for finished units */
	for (unsigned i = 2; i < THINGS; i++) {
		ck_assert_uint_eq(put_at_tick[THINGS + i], i - 2);
	}
	draw_toy(&toy, &toy_simple, TOPOLOGY_LIST, 3 * TRIANGLES, NULL, 0);
	ck_assert_int_eq(close_toy_pass(), 0);

	/* Or at the end. */
	draw_and_hold();
	ck_assert_uint_eq(n_put, 2 * THINGS + 1);
	n_put = 0;
	close_chip();
	ck_assert_uint_eq(n_put, THINGS - 1);
}

/* Half a megabyte each, which only tasks that yield need. */
TEST(spare_scratches_are_freed_with_a_context) {
	struct exec other;
	open_chip(2);
	spares_put(&engine.spare_tile, engine.spare_tile.create());
	spares_put(&engine.spare_vertex, engine.spare_vertex.create());
	ck_assert_uint_eq(engine.spare_tile.n_idle + engine.spare_vertex.n_idle, 2);
	ck_assert_int_eq(exec_init(&other, &engine, exec.space, exec.kernels, NULL), 0);
	exec_join(&other);
	exec_finish(&other);
	ck_assert_uint_eq(engine.spare_tile.n_idle + engine.spare_vertex.n_idle, 0);
	close_chip();
}

/* Pixels are charged for the bin that is drawn most often. */
TEST(walks_over_a_bin_are_charged) {
	for (unsigned walks = 1; walks <= 3; walks++) {
		open_chip(0);
		program_tiles(&program, 1);
		const int32_t x[3] = { 0, 16 * 64, 0 }, y[3] = { 0, 0, 16 * 64 };
		memset(&toy, 0, sizeof(toy));
		toy.v = vertices;
		toy_triangle(vertices, 7, x, y);
		program.base.n_walks = walks;
		open_toy_pass(&program, 2 * 64 * 64, UINT64_MAX);
		draw_toy(&toy, &toy_simple, TOPOLOGY_LIST, 3, NULL, 0);
		ck_assert_int_eq(close_toy_pass(), walks > 2 ? -EDQUOT : 0);
		/* Buffers are still stored. */
		ck_assert_uint_eq(program.sample[0][10][10], walks > 2 ? CLEAR : 7);
		ck_assert_uint_eq(program.sample[0][100][100], CLEAR);
		close_chip();
	}
}
