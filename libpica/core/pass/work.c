/* The tasks of a unit, and the nodes that become ready after them. */
#include <stddef.h>

#include "core/base/probe.h"
#include "core/pass/unit.h"

/*
 * Limits up to which the command thread does the work itself: the positions and shader steps of a
 * pass, bytes of new textures, pixels in the boxes of the triangles, and the time for a small copy.
 * Workers do larger work.
 */
enum {
	LITTLE_POSITIONS = 64,
	LITTLE_STEPS = 4096,
	LITTLE_HELD_BYTES = 1 << 16,
	LITTLE_PX = 1 << 18,
	LITTLE_NS = 100000,
};

/* More than any job has; adding the sums of all chunks of a pass does not overflow (chunk.c). */
#define STEPS_GONE (UINT64_C(1) << 63)

static struct unit *unit_of_vertex(struct graph_node *node) {
	return (struct unit *)(void *)((char *)node - offsetof(struct unit, vertex_node));
}

static struct unit *unit_of_tile(struct graph_node *node) {
	return (struct unit *)(void *)((char *)node - offsetof(struct unit, tile_node));
}

static struct unit *unit_of_charge(struct graph_node *node) {
	return (struct unit *)(void *)((char *)node - offsetof(struct unit, charge_node));
}

static void add(atomic_uint_fast64_t *sum, uint64_t n) {
	atomic_fetch_add_explicit(sum, n, memory_order_relaxed);
}

static void raise_to(atomic_uint *max, unsigned x) {
	unsigned seen = atomic_load_explicit(max, memory_order_relaxed);
	while (x > seen &&
			!atomic_compare_exchange_weak_explicit(max, &seen, x, memory_order_relaxed,
					memory_order_relaxed)) {
	}
}

static uint64_t less(uint64_t a, uint64_t b) {
	return a > b ? a - b : 0;
}

void engine_trace_end(const struct engine *e, struct pica_span span) {
	if (e->trace) {
		span.end_ns = clock_now_ns();
		e->trace(e->trace_user, &span);
	}
}

static void trace_unit(const struct unit *u, enum pica_span_kind kind, unsigned thread,
		unsigned index, uint64_t begin_ns) {
	engine_trace_end(u->x->e,
			(struct pica_span){ .kind = kind,
					.thread = thread,
					.index = index,
					.context = u->x->number,
					.job = u->job,
					.unit = u->order,
					.begin_ns = begin_ns });
}

/* Workers are numbered from 1; without them, the caller's thread is also the command thread. */
static void trace_task(const struct unit *u, enum pica_span_kind kind, unsigned worker,
		unsigned index, uint64_t begin_ns) {
	if (u->x->e->trace) {
		trace_unit(u, kind, pool_threads(u->x->e->pool) ? worker + 1 : 0, index, begin_ns);
	}
}

/* Adds the processor time of an ended task to the unit's stage, the context, and its owner. */
static void add_time(struct unit *u, atomic_uint_fast64_t *stage, uint64_t start) {
	const uint64_t ns = clock_thread_ns() - start;
	add(stage, ns);
	add(&u->x->busy_ns, ns);
	if (u->x->tally) {
		tally_add(u->x->tally, ns);
	}
}

/*
 * The known cost of earlier chunks is subtracted. The true cost is at least that, so a task that
 * exceeds the rest would draw nothing anyway: the result does not depend on the known part.
 */
static void set_limits(const struct unit *u, struct chunk *c, unsigned index) {
	uint64_t px = unit_sum(&u->account->spent_px), steps = unit_sum(&u->account->spent_steps);
	uint64_t bytes = 0;
	for (unsigned i = 0; i < index; i++) {
		px += unit_sum(&u->chunks[i]->spent_px);
		steps += unit_sum(&u->chunks[i]->spent_steps);
		bytes += unit_sum(&u->chunks[i]->spent_bytes);
	}
	c->limit_px = less(u->account->pixels, px);
	c->limit_steps = less(u->account->steps, steps);
	c->limit_bytes = less(u->limit_bytes, bytes);
}

/*
 * Call when a task's slice is over. Returns true if it yields, and keeps its scratch; if that is
 * still the worker's (spares is not NULL then), the worker gets *spare. Returns false if no group
 * waits, or out of memory.
 */
static bool yields_to_others(struct unit *u, const struct task_group *group, unsigned worker,
		struct spares *spares, void **spare) {
	*spare = NULL;
	if (!pool_others_wait(u->x->e->pool, group, worker)) {
		return false;
	}
	if (spares) {
		*spare = spares_take(spares);
		if (!*spare) {
			return false;
		}
	}
	add(&u->yields, 1);
	return true;
}

static bool run_chunk(void *arg, unsigned index, unsigned worker, void **state) {
	struct unit *u = arg;
	struct engine *e = u->x->e;
	if (!*state && exec_is_abandoned(u->x)) {
		chunk_forget(u->chunks[index]);
		return true;
	}
	uint64_t start = clock_thread_ns(), begin = engine_trace_begin(e);
	struct vertex_scratch *s = *state ? *state : e->vertex_scratch[worker];
	if (!*state) {
		set_limits(u, u->chunks[index], index);
		chunk_begin(s);
	}
	struct slice slice = slice_start(e->slice_ns);
	while (!chunk_go_on(u->chunks[index], &u->work, s, &slice)) {
		void *spare;
		if (yields_to_others(u, &u->vertex_group, worker, *state ? NULL : &e->spare_vertex,
				    &spare)) {
			e->vertex_scratch[worker] = spare ? spare : e->vertex_scratch[worker];
			*state = s;
			add_time(u, &u->ns_vertex, start);
			trace_task(u, PICA_SPAN_VERTICES, worker, index, begin);
			return false;
		}
		slice = slice_start(e->slice_ns);
	}
	if (*state) {
		spares_put(&e->spare_vertex, s);
	}
	unit_charge_chunk(u->x, u->chunks[index]);
	add_time(u, &u->ns_vertex, start);
	trace_task(u, PICA_SPAN_VERTICES, worker, index, begin);
	return true;
}

bool unit_is_little(const struct unit *u) {
	return u->n_chunks == 1 && u->chunks[0]->n_positions <= LITTLE_POSITIONS &&
			u->held_bytes <= LITTLE_HELD_BYTES;
}

/* Shades the chunk of a little pass on the command thread. Returns false if it is too large. */
static bool shade_at_once(struct unit *u) {
	const struct engine *e = u->x->e;
	struct chunk *c = u->chunks[0];
	struct vertex_scratch *s = e->vertex_scratch[engine_scratches(e) - 1];
	const uint64_t begin = engine_trace_begin(e);
	set_limits(u, c, 0);
	c->limit_steps = c->limit_steps < LITTLE_STEPS ? c->limit_steps : LITTLE_STEPS;
	chunk_begin(s);
	struct slice endless = { .end_ns = UINT64_MAX };
	while (!chunk_go_on(c, &u->work, s, &endless)) {
	}
	trace_unit(u, PICA_SPAN_VERTICES, 0, 0, begin);
	if (c->over) {
		chunk_restart(c);
		return false;
	}
	unit_charge_chunk(u->x, c);
	return true;
}

static void vertex_done(void *arg) {
	struct unit *u = arg;
	graph_done(&u->x->graph, &u->vertex_node);
}

void unit_vertices_ready(struct graph_node *node) {
	struct unit *u = unit_of_vertex(node);
	if (!u->is_pass) {
		graph_done(&u->x->graph, node);
		return;
	}
	if (u->is_at_once && shade_at_once(u)) {
		graph_done(&u->x->graph, node);
		return;
	}
	u->is_at_once = false;
	u->vertex_group = (struct task_group){ .step = run_chunk, .done = vertex_done, .arg = u,
		.role = POOL_VERTEX, .tally = u->x->tally, .line = u->x, .key = u->order << 1 | 1,
		.count = u->n_chunks };
	pool_submit(u->x->e->pool, &u->vertex_group);
}

/*
 * The budget that a chunk exceeds first, or 0; px, steps and bytes are those before it. How far
 * beyond that its task went depends on what was known when it began. A task that exceeded the rest
 * of a sum may have cut invocations off: the sums are checked first.
 */
static enum pica_budget find_excess(
		const struct unit *u, const struct chunk *c, uint64_t px, uint64_t steps,
		uint64_t bytes) {
	const struct account *a = u->account;
	for (uint32_t i = 0; i < c->n_run; i++) {
		const struct segment *seg = &c->seg[i];
		if (steps + seg->steps > a->steps) {
			return PICA_BUDGET_SHADER_STEPS;
		}
		if (px + seg->px > a->pixels) {
			return PICA_BUDGET_PIXELS;
		}
		if (bytes + seg->bytes > u->limit_bytes) {
			return PICA_BUDGET_MEMORY;
		}
	}
	if (bytes + c->need_bytes > u->limit_bytes) {
		return PICA_BUDGET_MEMORY;
	}
	return c->shader.cut ? PICA_BUDGET_INVOCATION_STEPS : 0;
}

void unit_charge_ready(struct graph_node *node) {
	struct unit *u = unit_of_charge(node);
	struct account *a = u->account;
	uint64_t px = unit_sum(&a->spent_px), steps = unit_sum(&a->spent_steps), bytes = 0;
	for (unsigned i = 0; i < u->n_chunks; i++) {
		struct chunk *c = u->chunks[i];
		u->failed |= c->failed;
		if (!a->over_budget) {
			a->over_budget = find_excess(u, c, px, steps, bytes);
			u->shader_cut = a->over_budget == PICA_BUDGET_INVOCATION_STEPS ?
					c->shader.cut :
					0;
		}
		px += c->area_px;
		steps += c->shader.steps;
		bytes += c->need_bytes;
		if (a->over_budget) {
			u->over_budget = a->over_budget;
			steps = STEPS_GONE;
			chunk_forget(c);
		}
	}
	atomic_store_explicit(&a->spent_px, px, memory_order_relaxed);
	atomic_store_explicit(&a->spent_steps, steps, memory_order_relaxed);
	graph_done(&u->x->graph, node);
}

static void begin_tile(struct unit *u, struct tile_scratch *s, unsigned index) {
	PROBE(tile_begin, u->x->number, u->order, u->tiles[index]);
	tile_begin(s, &u->work, u->tiles[index]);
}

static void end_tile(struct unit *u, const struct tile_stats *stats, unsigned index) {
	add(&u->batches, stats->batches);
	add(&u->fragments, stats->fragments);
	raise_to(&u->greatest, stats->greatest);
	PROBE(tile_end, u->x->number, u->order, u->tiles[index]);
}

static bool run_tile(void *arg, unsigned index, unsigned worker, void **state) {
	struct unit *u = arg;
	struct engine *e = u->x->e;
	if (!*state && exec_is_abandoned(u->x)) {
		return true;
	}
	uint64_t start = clock_thread_ns(), begin = engine_trace_begin(e);
	struct tile_scratch *s = *state ? *state : e->tile_scratch[worker];
	struct tile_stats stats;
	if (!*state) {
		begin_tile(u, s, index);
	}
	struct slice slice = slice_start(e->slice_ns);
	while (!tile_go_on(s, &slice, &stats)) {
		void *spare;
		if (yields_to_others(u, &u->tile_group, worker, *state ? NULL : &e->spare_tile,
				    &spare)) {
			e->tile_scratch[worker] = spare ? spare : e->tile_scratch[worker];
			*state = s;
			add_time(u, &u->ns_tile, start);
			trace_task(u, PICA_SPAN_TILE, worker, u->tiles[index], begin);
			return false;
		}
		slice = slice_start(e->slice_ns);
	}
	if (*state) {
		spares_put(&e->spare_tile, s);
	}
	end_tile(u, &stats, index);
	add_time(u, &u->ns_tile, start);
	trace_task(u, PICA_SPAN_TILE, worker, u->tiles[index], begin);
	return true;
}

/*
 * Draws tiles of a little pass on the command thread. Returns how many were begun; if *state is not
 * NULL, the last one is unfinished.
 */
static unsigned draw_at_once(struct unit *u, void **state) {
	struct engine *e = u->x->e;
	struct tile_scratch **own = &e->tile_scratch[engine_scratches(e) - 1];
	const uint64_t ns = e->slice_ns < LITTLE_NS ? e->slice_ns : LITTLE_NS;
	struct slice slice = slice_start(ns);
	unsigned n = 0;
	while (n < u->tile_group.count && !*state && (!n || clock_now_ns() < slice.end_ns)) {
		const uint64_t begin = engine_trace_begin(e);
		const unsigned index = n++;
		struct tile_stats stats;
		begin_tile(u, *own, index);
		while (!*state && !tile_go_on(*own, &slice, &stats)) {
			void *spare = spares_take(&e->spare_tile);
			if (spare) {
				add(&u->yields, 1);
				*state = *own;
				*own = spare;
			}
		}
		if (!*state) {
			end_tile(u, &stats, index);
		}
		trace_unit(u, PICA_SPAN_TILE, 0, u->tiles[index], begin);
	}
	return n;
}

/* Returns whether the task is done or abandoned. */
static bool task_go_on(struct unit *u, struct work_part *part) {
	if (!exec_is_abandoned(u->x)) {
		add(&u->outside, u->task.run(u->arg, u->x, part));
	}
	return part->is_done || exec_is_abandoned(u->x);
}

/* The state of a task is its place: a number, stored as a pointer. */
static bool run_task(void *arg, unsigned index, unsigned worker, void **state) {
	struct unit *u = arg;
	const uint64_t start = clock_thread_ns(), begin = engine_trace_begin(u->x->e);
	struct slice slice = slice_start(u->x->e->slice_ns);
	struct work_part part = { .index = index, .count = u->tile_group.count, .slice = &slice,
		.at = (uintptr_t)*state };
	bool is_over;
	while (!(is_over = task_go_on(u, &part))) {
		void *none;
		if (yields_to_others(u, &u->tile_group, worker, NULL, &none)) {
			*state = (void *)(uintptr_t)part.at;
			break;
		}
		slice = slice_start(u->x->e->slice_ns);
	}
	add_time(u, &u->ns_tile, start);
	trace_task(u, PICA_SPAN_STRIPE, worker, index, begin);
	return is_over;
}

/* Does small work on the command thread, charged to its time; returns like draw_at_once(). */
static unsigned work_at_once(struct unit *u, void **state) {
	struct slice slice = slice_start(LITTLE_NS);
	unsigned n = 0;
	while (n < u->tile_group.count && !*state && (!n || clock_now_ns() < slice.end_ns)) {
		const uint64_t begin = engine_trace_begin(u->x->e);
		struct work_part part = { .index = n++, .count = u->tile_group.count,
			.slice = &slice };
		if (!task_go_on(u, &part)) {
			*state = (void *)(uintptr_t)part.at;
		}
		trace_unit(u, PICA_SPAN_STRIPE, 0, part.index, begin);
	}
	return n;
}

/* u may be reaped from here on. */
static void end_unit(struct unit *u) {
	PROBE(pass_end, u->x->number, u->order, unit_kind(u));
	trace_unit(u, u->is_pass ? PICA_SPAN_PASS : u->task.span, 0, u->is_pass ? u->n_draws : 0,
			u->launched_ns);
	graph_done(&u->x->graph, &u->tile_node);
}

static void tile_done(void *arg) {
	struct unit *u = arg;
	struct engine *e = u->x->e;
	end_unit(u);
	e->notify(e->notify_arg);
}

/* Lists the tasks: tiles that have triangles, or those of the program. Returns their number. */
static unsigned find_tiles(struct unit *u) {
	if (u->work.program) {
		for (unsigned t = 0; t < u->work.program->n_tasks; t++) {
			u->tiles[t] = (uint16_t)t;
		}
		return u->work.program->n_tasks;
	}
	const unsigned n_tiles = u->work.serial ? 1 : u->work.tiles_x * u->work.tiles_y;
	unsigned n = 0;
	for (unsigned t = 0; t < n_tiles; t++) {
		bool any = false;
		for (unsigned i = 0; i < u->n_chunks && !any; i++) {
			const struct chunk *c = u->chunks[i];
			any = c->n_tris &&
					(u->work.serial ||
							c->tile_start[t] != c->tile_start[t + 1]);
		}
		if (any) {
			u->tiles[n++] = (uint16_t)t;
		}
	}
	return n;
}

void unit_tiles_ready(struct graph_node *node) {
	struct unit *u = unit_of_tile(node);
	u->tile_group.done = tile_done;
	u->tile_group.arg = u;
	u->tile_group.tally = u->x->tally;
	u->tile_group.line = u->x;
	u->tile_group.key = u->order << 1;
	u->tile_group.step = u->is_pass ? run_tile : run_task;
	if (u->is_pass) {
		u->tile_group.count = find_tiles(u); /* else it was set when the unit was opened */
	}
	void *state = NULL;
	unsigned n_begun = 0;
	if (u->is_at_once && (!u->is_pass || u->chunks[0]->area_px <= LITTLE_PX)) {
		n_begun = u->is_pass ? draw_at_once(u, &state) : work_at_once(u, &state);
		if (n_begun == u->tile_group.count && !state) {
			end_unit(u);
			return;
		}
	}
	pool_submit_rest(u->x->e->pool, &u->tile_group, n_begun, state);
}
