/* A job: turns two lists into draws and tile operations, and these into a pass. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "vc4/draw/watch.h"

enum { DRAW_VERTICES = 16 }; /* indices that take as long to read as a record */

/* Memory for the pass of a job; freed when it is reaped. */
struct work {
	struct vc4_unit *unit;
	struct pica_memory *memory;
	struct arena arena;
	struct vc4_frame frame;
	struct vc4_tiles tiles;
	struct vc4_report report;
	struct code *codes;
	struct vc4_watch *watch; /* or NULL */
	uint32_t binning; /* start of the list */
};

/* A program of the job. */
struct code {
	struct code *next;
	uint32_t address;
	struct qpu_program *program;
};

void vc4_report_error(struct vc4_report *r, uint32_t record, int error) {
	const uint64_t key = (uint64_t)record << 32 | (uint32_t)-error;
	uint64_t seen = atomic_load_explicit(&r->first, memory_order_relaxed);
	while (key < seen &&
			!atomic_compare_exchange_weak_explicit(&r->first, &seen, key,
					memory_order_relaxed, memory_order_relaxed)) {
	}
}

static void destroy(struct work *w) {
	for (struct code *c = w->codes; c; c = c->next) {
		qpu_program_destroy(c->program);
	}
	vc4_watch_destroy(w->watch);
	arena_finish(&w->arena);
	free(w);
}

static const char *reason(int error) {
	switch (error) {
	case -ERANGE:
		return "a program or its vertices read outside memory";
	case -EDQUOT:
		return "a program executed too many instructions";
	case -EOPNOTSUPP:
		return "a program uses a feature that is not supported";
	default:
		return "a program made no sense";
	}
}

static void put(void *thing) {
	destroy(thing);
}

/* The pass has ended: passes its first error to the job. */
static void retire(void *thing) {
	struct work *w = thing;
	const uint64_t first = atomic_load_explicit(&w->report.first, memory_order_relaxed);
	w->unit->steps += atomic_load_explicit(&w->report.steps, memory_order_relaxed);
	vc4_watch_end(w->watch);
	if (first != UINT64_MAX && !w->unit->error.error) {
		const uint32_t record = (uint32_t)(first >> 32);
		const int error = -(int)(uint32_t)first;
		w->unit->error = (struct vc4_error){ .error = error,
			.list = 0,
			.offset = record - w->binning,
			.address = record,
			.record = "primitive",
			.why = reason(error),
			.budget = error == -EDQUOT ? PICA_BUDGET_SHADER_STEPS : 0 };
	}
}

/* ---- Draws ---- */

/* The common parts of draws of one state. */
struct shared {
	const struct vc4_state *state;
	struct geom_state *geom;
	struct raster_state *raster;
	struct vc4_code coordinate, vertex, fragment;
};

struct planner {
	struct work *w;
	struct exec *x;
	struct unit *pass;
	const struct vc4_job *job;
	struct vc4_error *error;
	struct shared shared;
	uint64_t task_steps;
};

static int fail(struct planner *p, const struct vc4_draw *d, int ret, const char *why) {
	*p->error = (struct vc4_error){ .error = ret,
		.budget = p->error->budget,
		.offset = d->address - p->w->binning,
		.address = d->address,
		.record = "primitive",
		.why = why };
	return ret;
}

static int find_code(struct planner *p, const struct vc4_draw *d, const struct vc4_program *from,
		struct vc4_code *out) {
	struct code *c = p->w->codes;
	while (c && c->address != from->code) {
		c = c->next;
	}
	if (!c) {
		struct qpu_program *program;
		struct qpu_fault fault;
		const int ret = qpu_program_create(&program, p->x->space, from->code, &fault);
		if (ret < 0) {
			return fail(p, d, ret, ret == -ENOMEM ? "out of memory" : fault.why);
		}
		c = arena_alloc(&p->w->arena, sizeof(*c));
		if (!c) {
			qpu_program_destroy(program);
			return fail(p, d, -ENOMEM, "out of memory");
		}
		*c = (struct code){ p->w->codes, from->code, program };
		p->w->codes = c;
	}
	*out = (struct vc4_code){ c->program, from->uniforms };
	return 0;
}

static int32_t lesser(int32_t a, int32_t b) {
	return a < b ? a : b;
}

static void set_geom(
		struct geom_state *g, const struct vc4_state *s, const struct raster_rule *rule) {
	*g = (struct geom_state){ .rule = rule,
		.cull = s->draws_front == s->draws_back                 ? CULLS_NONE :
				s->draws_front == s->is_clockwise_front ? CULLS_POSITIVE :
									  CULLS_NEGATIVE,
		.may_stay = 0xF /* x and y */ };
}

static void set_raster(struct raster_state *r, const struct vc4_state *s,
		const struct vc4_binning *b, const struct raster_rule *rule) {
	*r = (struct raster_state){ .rule = rule,
		.n_planes = 2,
		.plane = { PLANE_IW, PLANE_Z },
		.min_x = s->clip_left,
		.min_y = s->clip_bottom,
		.max_x = lesser(s->clip_left + s->clip_width, b->columns * b->tile_px) - 1,
		.max_y = lesser(s->clip_bottom + s->clip_height, b->rows * b->tile_px) - 1 };
}

static int set_shared(struct planner *p, const struct vc4_draw *d) {
	struct shared *s = &p->shared;
	const struct vc4_state *state = d->state;
	if (s->state == state) {
		return 0;
	}
	const struct vc4_shader *sh = state->shader;
	const struct raster_rule *rule = &vc4_rule[p->w->frame.binning.is_multisample];
	s->state = NULL;
	s->geom = arena_alloc(&p->pass->arena, sizeof(*s->geom));
	s->raster = arena_alloc(&p->pass->arena, sizeof(*s->raster));
	if (!s->geom || !s->raster) {
		return fail(p, d, -ENOMEM, "out of memory");
	}
	if (sh->n_varyings > VC4_VARYINGS) {
		return fail(p, d, -EOPNOTSUPP, "more than 60 varyings");
	}
	int ret = find_code(p, d, &sh->fragment, &s->fragment);
	if (!ret && !sh->is_nv) {
		ret = find_code(p, d, &sh->coordinate, &s->coordinate);
	}
	if (!ret && !sh->is_nv) {
		ret = find_code(p, d, &sh->vertex, &s->vertex);
	}
	if (ret < 0) {
		return ret;
	}
	set_geom(s->geom, state, rule);
	set_raster(s->raster, state, &p->w->frame.binning, rule);
	s->state = state;
	return 0;
}

/* A draw's parts in one piece of the arena. */
struct parts {
	struct draw draw;
	struct vc4_vertex_part vertex;
	struct vc4_frag_part frag;
};

static uint32_t index_at(const uint8_t *host, unsigned bytes, uint32_t i) {
	uint16_t word;
	memcpy(&word, host + 2 * (size_t)i, bytes == 2 ? 2 : 0);
	return bytes == 2 ? word : host[i];
}

static unsigned corners_of(unsigned topology) {
	return !topology_is_wide(topology) ? 3 : topology == TOPOLOGY_POINTS ? 1 : 2;
}

/* Positions in the stream of the corners of primitive i. */
static void find_positions(unsigned topology, uint32_t i, uint32_t count, uint32_t position[3]) {
	const uint32_t first = topology_step(topology) * i;
	const bool is_odd = topology == TOPOLOGY_STRIP && (i & 1);
	position[0] = topology == TOPOLOGY_FAN ? 0 : first + is_odd;
	position[1] = topology == TOPOLOGY_LINE_LOOP && first + 1 == count ? 0 : first + 1 - is_odd;
	position[2] = first + 2;
}

/*
 * Reads the indices. If primitives with indices above the maximum are left out, the draw becomes a
 * list of the others.
 */
static int read_indices(struct planner *p, const struct vc4_draw *from, struct draw *d) {
	const uint8_t *host =
			space_host(p->x->space, from->indices, from->count * from->index_bytes);
	if (!host) {
		return fail(p, from, -ERANGE, "the indices leave memory");
	}
	uint32_t *index = arena_alloc(&p->pass->arena, from->count * sizeof(*index));
	if (!index) {
		return fail(p, from, -ENOMEM, "out of memory");
	}
	bool is_bad = false;
	for (uint32_t i = 0; i < from->count; i++) {
		index[i] = index_at(host, from->index_bytes, i);
		is_bad |= index[i] > from->max_index;
	}
	d->index = index;
	d->n = from->count;
	if (!is_bad) {
		return 0;
	}
	const unsigned corners = corners_of(d->topology);
	const uint32_t n = draw_primitives(d->topology, from->count);
	uint32_t *list = arena_alloc(&p->pass->arena, corners * (size_t)n * sizeof(*list));
	if (!list) {
		return fail(p, from, -ENOMEM, "out of memory");
	}
	d->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t position[3];
		find_positions(d->topology, i, from->count, position);
		bool is_good = true;
		for (unsigned k = 0; k < corners; k++) {
			list[d->n + k] = index[position[k]];
			is_good &= list[d->n + k] <= from->max_index;
		}
		d->n += is_good ? corners : 0;
	}
	d->index = list;
	d->topology = corners == 3   ? TOPOLOGY_LIST :
			corners == 2 ? TOPOLOGY_LINES :
				       TOPOLOGY_POINTS;
	return 0;
}

static uint8_t topology_of(uint8_t mode) {
	static const uint8_t topology[] = {
		[VC4_MODE_POINTS] = TOPOLOGY_POINTS,
		[VC4_MODE_LINES] = TOPOLOGY_LINES,
		[VC4_MODE_LINE_LOOP] = TOPOLOGY_LINE_LOOP,
		[VC4_MODE_LINE_STRIP] = TOPOLOGY_LINE_STRIP,
		[VC4_MODE_TRIANGLES] = TOPOLOGY_LIST,
		[VC4_MODE_TRIANGLE_STRIP] = TOPOLOGY_STRIP,
		[VC4_MODE_TRIANGLE_FAN] = TOPOLOGY_FAN,
	};
	return topology[mode];
}

static int add_draw(struct planner *p, const struct vc4_draw *from) {
	const struct vc4_state *state = from->state;
	if (!state->draws_front && !state->draws_back) {
		return 0;
	}
	int ret = set_shared(p, from);
	struct parts *parts = ret ? NULL : arena_alloc(&p->pass->arena, sizeof(*parts));
	if (!parts) {
		return ret ? ret : fail(p, from, -ENOMEM, "out of memory");
	}
	const struct shared *s = &p->shared;
	struct work *w = p->w;
	*parts = (struct parts){
		.draw = { .state = { .vertex_stage = &vc4_vertex_stage,
					  .frag_stage = &vc4_frag_stage,
					  .vertex = &parts->vertex,
					  .frag = &parts->frag,
					  .geom = s->geom,
					  .raster = s->raster,
					  .n_extra = state->shader->n_varyings },
				.topology = topology_of(from->mode),
				.n = from->count,
				.first = from->first },
		.vertex = { state, s->coordinate, s->vertex, &w->report, from->address,
				from->mode },
		.frag = { state, s->fragment, p->x->space, &w->report, from->address,
				p->task_steps, w->watch, (uint32_t)(from - w->frame.draws),
				from->mode },
	};
	if (from->index_bytes) {
		ret = read_indices(p, from, &parts->draw);
	}
	if (!ret && !exec_has_room(p->x, parts->draw.n)) {
		p->error->budget = PICA_BUDGET_MEMORY;
		ret = fail(p, from, -EDQUOT, "the frame needs too much memory");
	}
	if (!ret && exec_add_draw(p->x, &parts->draw) < 0) {
		ret = fail(p, from, -ENOMEM, "out of memory");
	}
	return ret;
}

/* ---- The job ---- */

static const struct range all_memory = { 0, UINT32_MAX };

static int draw(struct planner *p) {
	struct work *w = p->w;
	for (uint32_t i = 0; i < w->frame.n_draws; i++) {
		const struct vc4_draw *d = &w->frame.draws[i];
		const struct vc4_part *part = &w->unit->part;
		const bool is_wanted = !part->is_on || (i >= part->first && i < part->end);
		int ret = is_wanted ? add_draw(p, d) : 0;
		if (ret == 0 && p->job->tick) {
			ret = p->job->tick(p->job->arg, 1 + d->count / DRAW_VERTICES);
		}
		if (ret < 0) {
			return ret;
		}
	}
	return 0;
}

static int run(struct work *w, struct exec *x, const struct vc4_job *job, bool *is_held,
		struct vc4_error *error) {
	const struct vc4_lists lists = { .space = x->space,
		.start = { job->start[0], job->start[1] },
		.end = { job->end[0], job->end[1] },
		.limits = job->limits,
		.tick = job->tick,
		.arg = job->arg };
	exec_sync(x, all_memory, false); /* earlier jobs may write its lists */
	int ret = vc4_frame_read(&w->frame, &lists, &w->arena, error);
	w->unit->stats.records += w->frame.stats.records;
	w->unit->stats.primitives += w->frame.stats.primitives;
	w->unit->stats.vertices += w->frame.stats.vertices;
	w->unit->stats.draws += w->frame.stats.draws;
	if (ret < 0) {
		return ret;
	}
	const struct vc4_frame *f = &w->frame;
	const struct vc4_binning *b = &f->binning;
	const unsigned columns = b->exists ? b->columns : 1, rows = b->exists ? b->rows : 1;
	if (columns * rows > EXEC_MAX_TILES) {
		*error = (struct vc4_error){ .error = -EOPNOTSUPP,
			.address = job->start[0],
			.record = "TILE_BINNING_MODE",
			.why = "more than 4,096 tiles" };
		return -EOPNOTSUPP;
	}
	ret = vc4_tiles_plan(&w->tiles, f, x->space, &w->arena, error);
	if (ret < 0) {
		error->offset = error->address - (job->start[1] & VC4_ADDRESS_BITS);
		return ret;
	}
	w->watch = vc4_watch_begin(w->unit, x, &w->tiles, w->binning);
	w->tiles.watch = w->watch;
	w->tiles.report = &w->report;
	w->tiles.stores_nothing = w->unit->part.is_on && !w->unit->part.stores;
	if (f->last.exists) {
		w->unit->target = f->last;
	}
	job->unit_opened(job->arg);
	const unsigned n_tasks = w->tiles.program.n_tasks;
	struct planner p = { .w = w,
		.x = x,
		.job = job,
		.error = error,
		.task_steps = job->steps / (n_tasks ? n_tasks : 1) };
	p.pass = exec_open_tiles(x, &w->tiles.program, b->exists ? b->tile_px : 64, columns, rows,
			job->job, job->pixels, job->steps);
	*is_held = true; /* from here on the pass owns it, even on failure */
	ret = exec_hold(x, put, w);
	if (ret == 0) {
		exec_on_retire(x, retire, w);
		exec_add_held(x, w->arena.capacity);
		footprint_add(&p.pass->vertex_reads, all_memory);
		footprint_add(&p.pass->tile_reads, all_memory);
		vc4_tiles_footprint(&w->tiles, &p.pass->tile_reads, &p.pass->writes);
		ret = draw(&p);
	}
	if (ret < 0) {
		static const struct tile_program nothing = { 0 };
		p.pass->work.program = &nothing;
		exec_clear_pass(x);
		exec_close_pass(x);
		return ret;
	}
	vc4_watch_pass(w->watch, x);
	for (unsigned i = 0; i < p.pass->writes.n; i++) {
		job->writes(job->arg, p.pass->writes.r[i]);
		space_touch(x->space, p.pass->writes.r[i], 0);
	}
	exec_close_pass(x);
	return 0;
}

int vc4_job_run(struct vc4_unit *unit, struct exec *x, const struct vc4_job *job,
		struct vc4_error *error) {
	struct work *w = calloc(1, sizeof(*w));
	bool is_held = false;
	int ret = -ENOMEM;
	*error = (struct vc4_error){ .error = ret, .why = "out of memory" };
	if (w) {
		w->unit = unit;
		w->binning = job->start[0] & VC4_ADDRESS_BITS;
		arena_init(&w->arena, &x->memory);
		vc4_report_init(&w->report);
		ret = run(w, x, job, &is_held, error);
	}
	if (w && !is_held) {
		destroy(w);
	}
	error->error = ret;
	return ret;
}
