#include "chip_rig.h"

#include <math.h>

#define RULE_OF_BOTH                                                                               \
	.subpixel_bits = 4, .tie_x = -1, .tie_y = -1, .n_clip_planes = 6,      \
	.clip_plane = { { CLIP_W_PLUS, 0, 0 }, { CLIP_W_MINUS, 0, 0 }, { CLIP_W_PLUS, 1, 0 },      \
		{ CLIP_W_MINUS, 1, 0 }, { CLIP_W_PLUS, 2, 0 }, { CLIP_W_MINUS, 2, 0 } }
const struct raster_rule toy_rule[2] = {
	{ RULE_OF_BOTH, .n_samples = 1, .sample = { { 8, 8 } }, .first = { 8, 8 },
			.last = { 8, 8 } },
	{ RULE_OF_BOTH, .n_samples = 4, .sample = { { 10, 2 }, { 2, 6 }, { 14, 10 }, { 6, 14 } },
			.first = { 2, 2 }, .last = { 14, 14 } },
};

struct engine engine;
struct exec exec;
struct geom_state *toy_geom;

static struct space space;
static const unsigned kernels = 17; /* passed through */
static int last_result;
static atomic_uint n_notices;

/* ---- Vertices ---- */

static bool shade_batch(const struct vertex_env *env, const struct draw *d, const uint32_t *number,
		unsigned n, enum batch_start start, uint64_t left, const struct vertex_out *out,
		struct shader_result *result, uint64_t *outside, struct slice *slice) {
	const struct toy *toy = d->state.vertex;
	HOLDS(env->kernels == &kernels);
	for (unsigned i = 0; i < n; i++) {
		const struct toy_vertex *v = &toy->v[number[i]];
		memset(&out->cv[i], 0, sizeof(out->cv[i]));
		memcpy(out->cv[i].pos, v->pos, sizeof(v->pos));
		out->cv[i].a[0] = v->size;
		out->code[i] = (uint8_t)clip_code(d->state.geom, &out->cv[i]) | v->code;
		out->ok[i] = true;
		out->vert[i].x_fx = v->x;
		out->vert[i].y_fx = v->y;
		out->vert[i].a[PLANE_IW] = 1.0f / v->pos[3];
		out->vert[i].a[PLANE_Z] = v->number;
	}
	result->steps += (uint64_t)n * toy->steps;
	return true;
}

static bool complete(const struct vertex_env *env, const struct draw *d, const uint32_t *number,
		unsigned n, enum batch_start start, uint64_t left, const struct completed_out *out,
		struct shader_result *result, uint64_t *outside, struct slice *slice) {
	struct toy *toy = (struct toy *)(uintptr_t)d->state.vertex;
	if (toy->pauses && start != BATCH_GOES_ON) {
		toy->n_pauses++;
		return false;
	}
	for (unsigned i = 0; i < n; i++) {
		const struct toy_vertex *v = &toy->v[number[i]];
		HOLDS(out->vert[i]->x_fx == v->x && out->vert[i]->y_fx == v->y);
		out->vert[i]->x_fx = v->moved_x;
		out->vert[i]->y_fx = v->moved_y;
		for (uint32_t k = 0; k < d->state.n_extra; k++) {
			out->extra[i * d->state.n_extra + k] = v->extra[k];
		}
		if (pool_threads(engine.pool) == 0) {
			toy->times[number[i]]++;
		}
	}
	result->steps += (uint64_t)n * toy->steps;
	return true;
}

/* The viewport is 64 pixels wide and high, in the middle of the picture. */
static bool project_toy(const struct draw *d, const struct clip_vertex *v, struct vert *out) {
	memset(out, 0, sizeof(*out));
	out->x_fx = 16 * 96 + (int32_t)floorf(v->pos[0] / v->pos[3] * 512.0f + 0.5f);
	out->y_fx = 16 * 64 + (int32_t)floorf(v->pos[1] / v->pos[3] * 512.0f + 0.5f);
	out->a[PLANE_IW] = 1.0f / v->pos[3];
	out->a[PLANE_Z] = 1.0f;
	return true;
}

const struct vertex_stage toy_simple = { .shade_batch = shade_batch, .project = project_toy };
const struct vertex_stage toy_completed = {
	.shade_batch = shade_batch,
	.project = project_toy,
	.complete = complete,
};

/* ---- Fragments ---- */

struct toy_scratch {
	const struct target *target;
	int32_t org_x, org_y;
	unsigned n_samples;
	uint32_t number;
};

unsigned toy_unprepared, toy_retired;

static bool prepare(const void *k, const struct draw_state *state, struct slice *slice) {
	HOLDS(k == &kernels && state->frag_stage == &toy_frag);
	if (toy_unprepared) {
		toy_unprepared--;
		return false;
	}
	return true;
}

static void bind(void *scratch, const void *k, const struct raster_kernels *rk,
		const struct draw_state *state, const struct target *target,
		struct frag_facts *facts) {
	struct toy_scratch *s = scratch;
	HOLDS(k == &kernels);
	*facts = (struct frag_facts){ .cost = 1 };
	s->target = target;
	s->org_x = target->org_x;
	s->org_y = target->org_y;
	s->n_samples = state->raster->rule->n_samples;
}

/* Stores the number of the triangle and the values of its corners, as digits. */
static void see_triangle(
		void *scratch, const struct vert *const v[3], const float *const extra[3]) {
	struct toy_scratch *s = scratch;
	s->number = (uint32_t)v[0]->a[PLANE_Z];
	for (unsigned k = 0; k < 3 && extra[k]; k++) {
		s->number = s->number * 100 + (uint32_t)(extra[k][0] + 0.5f);
	}
}

static void shade(void *scratch, struct batch *b) {
	const struct toy_scratch *s = scratch;
	HOLDS(s->org_x == s->target->org_x && s->org_y == s->target->org_y);
	const uint32_t all = (uint32_t)s->target->width * s->target->height;
	for (unsigned i = 0; i < s->n_samples; i++) {
		uint32_t *color = (uint32_t *)(void *)s->target->color + i * all;
		uint32_t *writes = (uint32_t *)(void *)s->target->depth + i * all;
		uint64_t mask = s->n_samples > 1 ? b->samples[i] : b->live;
		HOLDS((mask & ~b->live) == 0);
		for (; mask; mask &= mask - 1) {
			const unsigned lane = ctz64(mask);
			HOLDS(lane < 4 * b->n_quads);
			const uint32_t px = b->quad_px[lane / 4] + lane % 4;
			HOLDS(px < all);
			color[px] = s->number;
			writes[px]++;
		}
	}
}

static uint64_t shade_block(void *scratch, struct batch *b, const struct raster_block *at) {
	const uint64_t tested = b->live;
	shade(scratch, b);
	return tested;
}

static uint32_t finish(void *scratch) {
	return 0;
}

const struct frag_stage toy_frag = {
	.scratch_bytes = sizeof(struct toy_scratch),
	.prepare = prepare,
	.bind = bind,
	.shade = shade,
	.shade_block = shade_block,
	.triangle = see_triangle,
	.finish = finish,
};

/* ---- Tiles ---- */

static void store(struct toy_program *p, const struct toy_task *t, const struct tile_buffer *b) {
	const unsigned side = p->side;
	for (unsigned s = 0; s < p->n_samples; s++) {
		for (unsigned y = 0; y < side; y++) {
			for (unsigned x = 0; x < side; x++) {
				const uint32_t px = s * side * side +
						tiled_index(x, y, side, false);
				p->sample[s][t->y * side + y][t->x * side + x] = b->color[px];
				p->writes[s][t->y * side + y][t->x * side + x] = b->depth[px];
			}
		}
	}
}

static enum tile_next step(const struct tile_program *base, unsigned task, uint32_t *at,
		struct tile_buffer *buffer, struct tile_walk *walk) {
	struct toy_program *p = (struct toy_program *)(uintptr_t)base;
	const struct toy_task *t = &p->task[task];
	if (*at == 0) {
		for (unsigned i = 0; i < TILE_BUFFER_PX; i++) {
			buffer->color[i] = CLEAR;
			buffer->depth[i] = 0;
		}
		*at = 1;
		return TILE_GOES_ON;
	}
	if (*at <= t->n_bins) {
		*walk = (struct tile_walk){ t->bin[*at - 1], (int32_t)(t->x * p->side),
			(int32_t)(t->y * p->side) };
		++*at;
		return TILE_WALKS;
	}
	store(p, t, buffer);
	return TILE_ENDS;
}

void program_tiles(struct toy_program *p, unsigned n_samples) {
	memset(p, 0, sizeof(*p));
	p->base = (struct tile_program){ TILES_X * TILES_Y, 1, step };
	p->n_samples = n_samples;
	p->side = n_samples > 1 ? 32 : 64;
	for (unsigned i = 0; i < TILES_X * TILES_Y; i++) {
		p->task[i] = (struct toy_task){ i % TILES_X, i / TILES_X, 1, { i } };
	}
}

/* ---- Passes ---- */

static struct draw draws[8];
static struct raster_state rasters[8];
static struct geom_state geoms[8];
static unsigned n_draws;
static const struct toy_program *program;

struct unit *open_toy_pass(struct toy_program *p, uint64_t pixels, uint64_t steps) {
	static uint64_t job;
	n_draws = 0;
	program = p;
	return exec_open_tiles(&exec, &p->base, p->side, TILES_X, TILES_Y, ++job, pixels, steps);
}

void draw_toy(struct toy *toy, const struct vertex_stage *stage, unsigned topology, uint32_t n,
		const uint32_t *index, uint32_t n_extra) {
	const unsigned i = n_draws++;
	ck_assert_uint_lt(i, 8);
	geoms[i] = (struct geom_state){ .rule = &toy_rule[program->n_samples > 1],
		.may_stay = 15 /* x and y */ };
	rasters[i] = (struct raster_state){ .rule = geoms[i].rule,
		.n_planes = 2,
		.plane = { PLANE_IW, PLANE_Z },
		.max_x = (int32_t)(TILES_X * program->side) - 1,
		.max_y = (int32_t)(TILES_Y * program->side) - 1 };
	draws[i] = (struct draw){ .state = { .vertex_stage = stage,
						  .frag_stage = &toy_frag,
						  .vertex = toy,
						  .geom = &geoms[i],
						  .raster = &rasters[i],
						  .planes = 3,
						  .n_extra = n_extra },
		.topology = (uint8_t)topology,
		.n = n,
		.index = index };
	toy_geom = &geoms[i];
	ck_assert_int_eq(exec_add_draw(&exec, &draws[i]), 0);
}

int close_toy_pass(void) {
	exec_close_pass(&exec);
	while (exec_reap(&exec)) {
		while (atomic_load(&n_notices) == 0) {
		}
	}
	atomic_store(&n_notices, 0);
	return last_result;
}

static void retired(void *arg, uint64_t job, int result, enum pica_budget budget) {
	toy_retired++;
	last_result = result ? result : (int)budget;
}

static void notify(void *arg) {
	atomic_fetch_add(&n_notices, 1);
}

static void *make_tile_scratch(void) {
	return tile_scratch_create(sizeof(struct toy_scratch));
}

static void drop_tile_scratch(void *s) {
	tile_scratch_destroy(s);
}

static void *make_vertex_scratch(void) {
	return vertex_scratch_create(0);
}

static void drop_vertex_scratch(void *s) {
	vertex_scratch_destroy(s);
}

void open_chip(unsigned threads) {
	memset(&engine, 0, sizeof(engine));
	raster_kernels_init(&engine.raster, isa_best());
	atomic_init(&engine.order, 1);
	atomic_init(&engine.kept_bytes, 0);
	engine.slice_ns = 1000000;
	engine.notify = notify;
	ck_assert_int_eq(monitor_init(&engine.caches), 0);
	ck_assert_int_eq(spares_init(&engine.spare_tile, threads, make_tile_scratch,
					 drop_tile_scratch),
			0);
	ck_assert_int_eq(spares_init(&engine.spare_vertex, threads, make_vertex_scratch,
					 drop_vertex_scratch),
			0);
	ck_assert_int_eq(pool_create(&engine.pool, threads, 0), 0);
	const unsigned n = engine_scratches(&engine);
	engine.tile_scratch = calloc(n, sizeof(struct tile_scratch *));
	engine.vertex_scratch = calloc(n, sizeof(struct vertex_scratch *));
	for (unsigned i = 0; i < n; i++) {
		engine.tile_scratch[i] = make_tile_scratch();
		engine.vertex_scratch[i] = make_vertex_scratch();
	}
	space_init(&space);
	ck_assert_int_eq(exec_init(&exec, &engine, &space, &kernels, NULL), 0);
	exec.retired = retired;
	exec_join(&exec);
}

void close_chip(void) {
	exec_finish(&exec);
	const unsigned n = engine_scratches(&engine);
	pool_destroy(engine.pool);
	for (unsigned i = 0; i < n; i++) {
		tile_scratch_destroy(engine.tile_scratch[i]);
		vertex_scratch_destroy(engine.vertex_scratch[i]);
	}
	free(engine.tile_scratch);
	free(engine.vertex_scratch);
	spares_finish(&engine.spare_tile);
	spares_finish(&engine.spare_vertex);
	monitor_finish(&engine.caches);
	space_finish(&space);
}

/* ---- By definition ---- */

bool toy_covers(const int32_t x[3], const int32_t y[3], int32_t px, int32_t py) {
	const int64_t area2 = (int64_t)(x[1] - x[0]) * (y[2] - y[0]) -
			(int64_t)(y[1] - y[0]) * (x[2] - x[0]);
	for (unsigned k = 0; k < 3; k++) {
		const unsigned a = area2 > 0 ? k : (k + 1) % 3, b = area2 > 0 ? (k + 1) % 3 : k;
		const int64_t dx = x[b] - x[a], dy = y[b] - y[a];
		const int64_t e = dx * (py - y[a]) - dy * (px - x[a]);
		if (e < 0 || (e == 0 && !(dy > 0 || (dy == 0 && dx < 0)))) {
			return false;
		}
	}
	return area2 != 0;
}

void toy_triangle(struct toy_vertex v[3], float number, const int32_t x[3], const int32_t y[3]) {
	for (unsigned k = 0; k < 3; k++) {
		v[k] = (struct toy_vertex){ .pos = { 0, 0, 0, 1 },
			.x = x[k],
			.y = y[k],
			.moved_x = x[k],
			.moved_y = y[k],
			.number = number };
	}
}
