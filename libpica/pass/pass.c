#include "pass/pass.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/probe.h"

#include "xfer/show.h"

enum {
	CHUNK_POSITIONS = 1536, /* a chunk is closed at this many stream positions */
	/* Above one of these a pass is closed, so that what a job holds at once has an end. */
	MAX_ARENA_BYTES = 32 << 20,
	MAX_HELD_BYTES = 64 << 20,
	MAX_HOLDS = 8192,
	MAX_CHUNKS = 256,
	/* What is kept for the next pass. */
	KEEP_ARENA_BYTES = 4 << 20,
	KEEP_CHUNKS = 128,
	STRIPE_BYTES = 128 * 1024,
	MAX_STRIPES = 16,
	BEHIND = 64, /* younger units of others that go before */
};

/* More than any job has, and with what all chunks of a pass add to it still a number (chunk.c). */
#define STEPS_GONE (UINT64_C(1) << 63)

/* ---- Running (workers) ---- */

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

static uint64_t load(const atomic_uint_fast64_t *sum) {
	return atomic_load_explicit(sum, memory_order_relaxed);
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

/* Workers count from 1 on; without them the caller's thread is the command thread's, too. */
static void trace_task(const struct unit *u, enum pica_span_kind kind, unsigned worker,
		unsigned index, uint64_t begin_ns) {
	if (u->x->e->trace) {
		trace_unit(u, kind, pool_threads(u->x->e->pool) ? worker + 1 : 0, index, begin_ns);
	}
}

/* A task ends: its processor time is the unit's, by stage, and the context's. */
static void add_time(struct unit *u, atomic_uint_fast64_t *stage, uint64_t start) {
	const uint64_t ns = clock_thread_ns() - start;
	add(stage, ns);
	add(&u->x->busy_ns, ns);
}

void exec_abandon(struct exec *x) {
	atomic_store_explicit(&x->abandoned, true, memory_order_relaxed);
}

uint64_t exec_busy_ns(const struct exec *x) {
	return load(&x->busy_ns);
}

/*
 * What chunks before this one are known to have cost is gone, whatever else they cost: a task that
 * runs into the rest would draw nothing anyway, so how much is known does not show.
 */
static void set_limits(const struct unit *u, struct chunk *c, unsigned index) {
	uint64_t px = load(&u->account->spent_px), steps = load(&u->account->spent_steps);
	for (unsigned i = 0; i < index; i++) {
		px += load(&u->chunks[i]->spent_px);
		steps += load(&u->chunks[i]->spent_steps);
	}
	c->limit_px = less(u->account->pixels, px);
	c->limit_steps = less(u->account->steps, steps);
}

/*
 * A task's slice is over. True: it yields, and keeps the scratch that it works in. If that is still
 * the worker's (spares is not NULL then), the worker gets *spare. False: nobody waits, or no
 * scratch is left.
 */
static bool lets_others_in(struct unit *u, const struct task_group *group, unsigned worker,
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
	while (!chunk_go_on(u->chunks[index], e, u->x->space, u->draws, &u->work, s, &slice)) {
		void *spare;
		if (lets_others_in(u, &u->vertex_group, worker, *state ? NULL : &e->spare_vertex,
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
		spares_give(&e->spare_vertex, s);
	}
	add_time(u, &u->ns_vertex, start);
	trace_task(u, PICA_SPAN_VERTICES, worker, index, begin);
	return true;
}

static void vertex_done(void *arg) {
	struct unit *u = arg;
	graph_done(&u->x->graph, &u->vertex_node);
}

static void vertex_ready(struct graph_node *node) {
	struct unit *u = unit_of_vertex(node);
	if (u->kind != UNIT_PASS) {
		graph_done(&u->x->graph, node);
		return;
	}
	u->vertex_group = (struct task_group){ .step = run_chunk, .done = vertex_done, .arg = u,
		.role = POOL_VERTEX, .key = u->turn << 1 | 1, .count = u->n_chunks };
	pool_submit(u->x->e->pool, &u->vertex_group);
}

static const char cut_off[] = "steps of a shader invocation";

/*
 * What the job ran out of with a chunk, or NULL. A task that ran into what is left of a sum may
 * have cut invocations off there: the sum is asked first.
 */
static const char *find_excess(
		const struct account *a, const struct chunk *c, uint64_t px, uint64_t steps) {
	if (px > a->pixels) {
		return "pixels";
	}
	if (steps > a->steps) {
		return "shader steps";
	}
	return c->shader.cut ? cut_off : NULL;
}

/*
 * Budgets in stream order: the chunk that passes the limit and all behind it in the job are not
 * drawn.
 */
static void charge_ready(struct graph_node *node) {
	struct unit *u = unit_of_charge(node);
	struct account *a = u->account;
	uint64_t px = load(&a->spent_px), steps = load(&a->spent_steps);
	for (unsigned i = 0; i < u->n_chunks; i++) {
		struct chunk *c = u->chunks[i];
		px += c->area_px;
		steps += c->shader.steps;
		u->failed |= c->failed;
		if (!a->over_budget) {
			a->over_budget = find_excess(a, c, px, steps);
			u->shader_cut = a->over_budget == cut_off ? c->shader.cut : 0;
		}
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
		PROBE(tile_begin, u->x->number, u->order, u->tiles[index]);
		tile_begin(s, &u->work, u->tiles[index]);
	}
	struct slice slice = slice_start(e->slice_ns);
	while (!tile_go_on(s, &slice, &stats)) {
		void *spare;
		if (lets_others_in(u, &u->tile_group, worker, *state ? NULL : &e->spare_tile,
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
		spares_give(&e->spare_tile, s);
	}
	add(&u->batches, stats.batches);
	add(&u->fragments, stats.fragments);
	raise_to(&u->gas_max, stats.gas_max);
	add_time(u, &u->ns_tile, start);
	PROBE(tile_end, u->x->number, u->order, u->tiles[index]);
	trace_task(u, PICA_SPAN_TILE, worker, u->tiles[index], begin);
	return true;
}

static void run_stripe(void *arg, unsigned index, unsigned worker) {
	struct unit *u = arg;
	const struct xfer_kernels *k = &u->x->e->k.xfer;
	if (exec_is_abandoned(u->x)) {
		return;
	}
	uint64_t start = clock_thread_ns(), begin = engine_trace_begin(u->x->e);
	uint32_t outside = 0;
	switch (u->kind) {
	case UNIT_FILL:
		outside = fill_run(&u->u.fill, k, u->x->space, index, u->tile_group.count);
		break;
	case UNIT_TRANSFER:
		outside = transfer_run(&u->u.transfer, k, u->x->space, index, u->tile_group.count);
		break;
	case UNIT_COPY:
		outside = copy_run(&u->u.copy, u->x->space);
		break;
	case UNIT_SHOTS:
		outside = shot_take(u->u.shots[index].shot, &u->u.shots[index].from, u->x->space);
		break;
	case UNIT_PASS:
		break;
	}
	add(&u->outside, outside);
	add_time(u, &u->ns_tile, start);
	trace_task(u, PICA_SPAN_STRIPE, worker, index, begin);
}

static void tile_done(void *arg) {
	static const enum pica_span_kind kinds[] = { [UNIT_PASS] = PICA_SPAN_PASS,
		[UNIT_FILL] = PICA_SPAN_FILL,
		[UNIT_TRANSFER] = PICA_SPAN_TRANSFER,
		[UNIT_COPY] = PICA_SPAN_COPY,
		[UNIT_SHOTS] = PICA_SPAN_SHOTS };
	struct unit *u = arg;
	struct engine *e = u->x->e;
	PROBE(pass_end, u->x->number, u->order, u->kind);
	trace_unit(u, kinds[u->kind], 0, u->kind == UNIT_PASS ? u->n_draws : 0, u->launched_ns);
	graph_done(&u->x->graph, &u->tile_node); /* u may be reaped from here on */
	e->notify(e->notify_arg);
}

/* Lists the tiles that have triangles; their number. */
static unsigned find_tiles(struct unit *u) {
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

static void tile_ready(struct graph_node *node) {
	struct unit *u = unit_of_tile(node);
	u->tile_group.done = tile_done;
	u->tile_group.arg = u;
	u->tile_group.key = u->turn << 1;
	if (u->kind == UNIT_PASS) {
		u->tile_group.step = run_tile;
		u->tile_group.count = find_tiles(u);
	} else {
		u->tile_group.step = NULL;
		u->tile_group.run = run_stripe; /* count was set when the unit was opened */
	}
	pool_submit(u->x->e->pool, &u->tile_group);
}

/* ---- Set-up ---- */

static void ignore_retired(void *arg, uint64_t job, int result, const char *budget) {
}

int exec_init(struct exec *x, struct engine *e, struct space *space) {
	memset(x, 0, sizeof(*x));
	int ret = graph_init(&x->graph);
	if (ret < 0) {
		return ret;
	}
	x->e = e;
	x->space = space;
	x->retired = ignore_retired;
	atomic_init(&x->busy_ns, 0);
	atomic_init(&x->abandoned, false);
	for (unsigned i = 0; i < EXEC_UNITS; i++) {
		x->unit[i].x = x;
		arena_init(&x->unit[i].arena);
	}
	for (unsigned i = 0; i < EXEC_UNITS + 1; i++) {
		atomic_init(&x->accounts[i].spent_px, 0);
		atomic_init(&x->accounts[i].spent_steps, 0);
	}
	return 0;
}

void exec_finish(struct exec *x) {
	exec_close_pass(x);
	exec_wait_all(x);
	for (unsigned i = 0; i < EXEC_UNITS; i++) {
		struct unit *u = &x->unit[i];
		arena_finish(&u->arena);
		free(u->draws);
		free(u->chunks);
		free(u->holds);
	}
	while (x->free_chunks) {
		struct chunk *next = x->free_chunks->next;
		chunk_destroy(x->free_chunks);
		x->free_chunks = next;
	}
	graph_finish(&x->graph);
}

/* ---- Reaping ---- */

static void put_held(enum hold_kind kind, void *p) {
	switch (kind) {
	case HOLD_IMAGE:
		tex_image_put(p);
		break;
	case HOLD_PLAN:
		frag_plan_put(p);
		break;
	case HOLD_PROG:
		prog_put(p);
		break;
	}
}

/* Whether there was no memory for a level that somebody wanted to sample. */
static bool take_failure(struct tex_image *image) {
	return atomic_exchange_explicit(&image->failed, 0, memory_order_relaxed) != 0;
}

static void reap(struct exec *x, struct unit *u) {
	struct exec_stats *s = &x->stats;
	if (u->kind == UNIT_PASS) {
		s->passes++;
		s->tiles += u->tile_group.count;
		s->ns_vertex += load(&u->ns_vertex);
		s->ns_tile += load(&u->ns_tile);
	} else {
		s->ns_copy += load(&u->ns_tile);
	}
	s->batches += load(&u->batches);
	s->fragments += load(&u->fragments);
	s->outside += load(&u->outside);
	s->yields += load(&u->yields);
	s->shader_cut += u->shader_cut;
	const unsigned gas_max = atomic_load_explicit(&u->gas_max, memory_order_relaxed);
	x->gas_max = gas_max > x->gas_max ? gas_max : x->gas_max;
	for (unsigned i = 0; i < u->n_chunks; i++) {
		struct chunk *c = u->chunks[i];
		s->shaded += c->shaded;
		s->triangles += c->triangles;
		s->drawn += c->drawn;
		s->dropped += c->dropped;
		s->outside += c->outside;
		s->shader_bad += c->shader.bad;
		if (x->n_free_chunks == KEEP_CHUNKS || chunk_is_large(c)) {
			chunk_destroy(c);
			continue;
		}
		chunk_reset(c);
		c->next = x->free_chunks;
		x->free_chunks = c;
		x->n_free_chunks++;
	}
	for (unsigned i = 0; i < u->n_holds; i++) {
		u->failed |= u->holds[i].kind == HOLD_IMAGE && take_failure(u->holds[i].p);
		put_held(u->holds[i].kind, u->holds[i].p);
	}
	u->n_chunks = u->n_draws = u->n_holds = 0;
	u->held_bytes = 0;
	if (u->arena.total_used > KEEP_ARENA_BYTES) {
		arena_finish(&u->arena);
	}
	arena_reset(&u->arena);
	u->busy = false;
	if (x->last_pass == u) {
		x->last_pass = NULL;
	}
	x->retired(x->retired_arg, u->job, u->failed ? -ENOMEM : u->over_budget ? -EDQUOT : 0,
			u->over_budget);
}

unsigned exec_reap(struct exec *x) {
	pool_drain(x->e->pool);
	unsigned left = 0;
	for (unsigned i = 0; i < EXEC_UNITS; i++) {
		struct unit *u = &x->unit[i];
		if (!u->busy || u == x->open) {
			continue;
		}
		if (graph_is_done(&x->graph, &u->tile_node)) {
			reap(x, u);
		} else {
			left++;
		}
	}
	return left;
}

static void wait_unit(struct exec *x, struct unit *u) {
	pool_drain(x->e->pool);
	graph_wait(&x->graph, &u->tile_node);
}

void exec_wait_all(struct exec *x) {
	for (unsigned i = 0; i < EXEC_UNITS; i++) {
		struct unit *u = &x->unit[i];
		if (u->busy && u != x->open) {
			wait_unit(x, u);
		}
	}
	exec_reap(x);
}

/* ---- Footprints ---- */

static bool unit_touches(const struct unit *u, struct range r, bool for_write) {
	return footprint_hits(&u->writes, r) || (for_write &&
			(footprint_hits(&u->tile_reads, r) || footprint_hits(&u->vertex_reads, r)));
}

bool exec_in_flight(struct exec *x, struct range r, bool for_write) {
	for (unsigned i = 0; i < EXEC_UNITS; i++) {
		struct unit *u = &x->unit[i];
		if (u->busy && u != x->open && unit_touches(u, r, for_write) &&
				!graph_is_done(&x->graph, &u->tile_node)) {
			return true;
		}
	}
	return false;
}

void exec_sync(struct exec *x, struct range r, bool for_write) {
	for (unsigned i = 0; i < EXEC_UNITS; i++) {
		struct unit *u = &x->unit[i];
		if (u->busy && u != x->open && unit_touches(u, r, for_write)) {
			wait_unit(x, u);
		}
	}
}

/* ---- Opening and closing ---- */

static struct unit *unit_open(struct exec *x, enum unit_kind kind, uint64_t job) {
	exec_reap(x);
	struct unit *u = NULL, *oldest = NULL;
	for (unsigned i = 0; i < EXEC_UNITS; i++) {
		if (!x->unit[i].busy) {
			u = &x->unit[i];
			break;
		}
		if (!oldest || x->unit[i].order < oldest->order) {
			oldest = &x->unit[i];
		}
	}
	if (!u) {
		wait_unit(x, oldest);
		exec_reap(x);
		u = oldest;
	}
	graph_node_init(&u->vertex_node, vertex_ready);
	graph_node_init(&u->charge_node, charge_ready);
	graph_node_init(&u->tile_node, tile_ready);
	footprint_clear(&u->vertex_reads);
	footprint_clear(&u->tile_reads);
	footprint_clear(&u->writes);
	footprint_clear(&u->sampled);
	u->kind = kind;
	u->busy = true;
	u->order = atomic_fetch_add_explicit(&x->e->order, 1, memory_order_relaxed);
	u->turn = u->order + (x->is_behind ? BEHIND : 0);
	u->job = job;
	u->account = NULL;
	u->failed = false;
	u->over_budget = NULL;
	u->shader_cut = 0;
	atomic_init(&u->batches, 0);
	atomic_init(&u->fragments, 0);
	atomic_init(&u->outside, 0);
	atomic_init(&u->ns_vertex, 0);
	atomic_init(&u->yields, 0);
	atomic_init(&u->gas_max, 0);
	atomic_init(&u->ns_tile, 0);
	return u;
}

/* Edges from every earlier unit in flight, then off it goes. */
static void unit_launch(struct exec *x, struct unit *u) {
	u->launched_ns = engine_trace_begin(x->e);
	PROBE(pass_begin, x->number, u->order, u->kind);
	for (unsigned i = 0; i < EXEC_UNITS; i++) {
		struct unit *e = &x->unit[i];
		if (e == u || !e->busy) {
			continue;
		}
		if (footprints_overlap(&e->writes, &u->vertex_reads)) {
			graph_edge(&x->graph, &e->tile_node, &u->vertex_node);
		}
		if (footprints_overlap(&e->writes, &u->tile_reads) ||
				footprints_overlap(&e->writes, &u->writes) ||
				footprints_overlap(&e->tile_reads, &u->writes) ||
				footprints_overlap(&e->vertex_reads, &u->writes)) {
			graph_edge(&x->graph, &e->tile_node, &u->tile_node);
		}
	}
	if (u->kind == UNIT_PASS) {
		graph_edge(&x->graph, &u->vertex_node, &u->charge_node);
		if (x->last_pass && x->last_pass->account == u->account) {
			graph_edge(&x->graph, &x->last_pass->charge_node, &u->charge_node);
		}
		graph_edge(&x->graph, &u->charge_node, &u->tile_node);
		x->last_pass = u;
		graph_release(&x->graph, &u->tile_node);
		graph_release(&x->graph, &u->charge_node);
	} else {
		graph_edge(&x->graph, &u->vertex_node, &u->tile_node);
		graph_release(&x->graph, &u->tile_node);
	}
	graph_release(&x->graph, &u->vertex_node);
	pool_drain(x->e->pool);
}

/* The job's account; of the nine one is free, for eight units have at most one each. */
static struct account *account_for(struct exec *x, uint64_t job, uint64_t pixels, uint64_t steps) {
	if (x->account && x->account->job == job) {
		return x->account;
	}
	struct account *a = NULL;
	for (unsigned i = 0; i < EXEC_UNITS + 1; i++) {
		bool used = false;
		for (unsigned k = 0; k < EXEC_UNITS; k++) {
			used |= x->unit[k].busy && x->unit[k].account == &x->accounts[i];
		}
		if (!used) {
			a = &x->accounts[i];
		}
	}
	a->job = job;
	a->pixels = pixels;
	a->steps = steps;
	a->over_budget = NULL;
	atomic_store_explicit(&a->spent_px, 0, memory_order_relaxed);
	atomic_store_explicit(&a->spent_steps, 0, memory_order_relaxed);
	x->account = a;
	return a;
}

struct unit *exec_open_pass(struct exec *x, const struct target *target, uint64_t job,
		uint64_t pixels, uint64_t steps) {
	struct unit *u = unit_open(x, UNIT_PASS, job);
	u->target = *target;
	u->account = account_for(x, job, pixels, steps);
	struct range color = { target->color_addr, target->color_bytes };
	struct range depth = { target->depth_addr, target->depth_bytes };
	u->target.color = space_host_writable(x->space, color.addr, color.size);
	u->target.depth = depth.size ? space_host_writable(x->space, depth.addr, depth.size) : NULL;

	struct tile_work *w = &u->work;
	memset(w, 0, sizeof(*w));
	w->k = &x->e->k;
	w->target = &u->target;
	w->space = x->space;
	w->abandoned = &x->abandoned;
	w->outside = !u->target.color || (depth.size && !u->target.depth);
	w->serial = w->outside || ranges_overlap(color, depth);
	unsigned tiles64 = ((target->width + 63u) / 64) * ((target->height + 63u) / 64);
	w->tile_size = tiles64 < 8 * pool_workers(x->e->pool) && pool_threads(x->e->pool) > 1 ? 32 :
												64;
	if (w->serial) {
		/* One tile, never binned; the boxes must stay small numbers. */
		w->tile_size = 4096;
	}
	w->tiles_x = (target->width + w->tile_size - 1) / w->tile_size;
	w->tiles_y = (target->height + w->tile_size - 1) / w->tile_size;
	assert(w->tiles_x * w->tiles_y <= EXEC_MAX_TILES); /* 2047 x 1024 pixels at most */
	x->open = u;
	return u;
}

static void *grow(void *array, unsigned n, unsigned *cap, size_t element) {
	if (n < *cap) {
		return array;
	}
	unsigned more = *cap ? *cap * 2 : 64;
	void *grown = realloc(array, more * element);
	if (grown) {
		*cap = more;
	}
	return grown;
}

int exec_hold(struct exec *x, enum hold_kind kind, void *p) {
	struct unit *u = x->open;
	if (u->n_holds && u->holds[u->n_holds - 1].p == p) {
		put_held(kind, p); /* held already */
		return 0;
	}
	void *holds = grow(u->holds, u->n_holds, &u->cap_holds, sizeof(*u->holds));
	if (!holds) {
		put_held(kind, p);
		return -ENOMEM;
	}
	u->holds = holds;
	u->holds[u->n_holds].kind = kind;
	u->holds[u->n_holds++].p = p;
	return 0;
}

void exec_add_held(struct exec *x, size_t size_bytes) {
	x->open->held_bytes += size_bytes;
}

static struct chunk *next_chunk(struct exec *x, struct unit *u) {
	void *chunks = grow(u->chunks, u->n_chunks, &u->cap_chunks, sizeof(*u->chunks));
	if (!chunks) {
		return NULL;
	}
	u->chunks = chunks;
	struct chunk *c = x->free_chunks;
	if (c) {
		x->free_chunks = c->next;
		x->n_free_chunks--;
	} else {
		c = chunk_create();
		if (!c) {
			return NULL;
		}
	}
	u->chunks[u->n_chunks++] = c;
	return c;
}

bool exec_is_full(const struct exec *x) {
	const struct unit *u = x->open;
	return u && (u->arena.total_used > MAX_ARENA_BYTES || u->held_bytes > MAX_HELD_BYTES ||
			u->n_holds > MAX_HOLDS || u->n_chunks >= MAX_CHUNKS);
}

int exec_add_draw(struct exec *x, const struct draw *d) {
	struct unit *u = x->open;
	void *draws = grow(u->draws, u->n_draws, &u->cap_draws, sizeof(*u->draws));
	if (!draws) {
		return -ENOMEM;
	}
	u->draws = draws;
	uint32_t index = u->n_draws;
	u->draws[u->n_draws++] = d;

	/* A strip's or fan's pieces overlap by two positions. */
	bool list = d->topology == TOPOLOGY_LIST;
	uint32_t left = draw_primitives(d->topology, (uint64_t)d->n_prefix + d->n);
	uint32_t first = 0;
	struct chunk *c = u->n_chunks ? u->chunks[u->n_chunks - 1] : NULL;
	while (left) {
		if (!c || c->n_positions + 8 > CHUNK_POSITIONS) {
			c = next_chunk(x, u);
			if (!c) {
				return -ENOMEM;
			}
		}
		uint32_t room = CHUNK_POSITIONS - c->n_positions;
		uint32_t n = list ? room / 3 : room - 3;
		n = n < left ? n : left;
		int ret = chunk_add_segment(c, index, first, n);
		if (ret < 0) {
			return ret;
		}
		c->n_positions += list ? 3 * n : n + 3;
		first += n;
		left -= n;
	}
	return 0;
}

void exec_close_pass(struct exec *x) {
	struct unit *u = x->open;
	if (!u) {
		return;
	}
	x->open = NULL;
	u->work.draws = u->draws;
	u->work.chunks = u->chunks;
	u->work.n_chunks = u->n_chunks;
	unit_launch(x, u);
}

static unsigned stripes_for(const struct exec *x, uint64_t bytes) {
	unsigned n = (unsigned)(bytes / STRIPE_BYTES < MAX_STRIPES ? bytes / STRIPE_BYTES :
								     MAX_STRIPES);
	return pool_threads(x->e->pool) < 2 || n < 1 ? 1 : n;
}

void exec_fill(struct exec *x, const struct fill *f, uint64_t job) {
	struct unit *u = unit_open(x, UNIT_FILL, job);
	u->u.fill = *f;
	struct range w = fill_writes(f);
	footprint_add(&u->writes, w);
	u->tile_group.count = stripes_for(x, w.size);
	unit_launch(x, u);
}

void exec_transfer(struct exec *x, const struct transfer *t, uint64_t job) {
	struct unit *u = unit_open(x, UNIT_TRANSFER, job);
	u->u.transfer = *t;
	footprint_add(&u->tile_reads, transfer_reads(t));
	struct range w = transfer_writes(t);
	footprint_add(&u->writes, w);
	u->tile_group.count = transfer_stripes(t, stripes_for(x, w.size));
	unit_launch(x, u);
}

void exec_copy(struct exec *x, const struct copy *c, uint64_t job) {
	struct unit *u = unit_open(x, UNIT_COPY, job);
	u->u.copy = *c;
	footprint_add(&u->tile_reads, copy_reads(c));
	footprint_add(&u->writes, copy_writes(c));
	u->tile_group.count = 1;
	unit_launch(x, u);
}

void exec_shots(struct exec *x, const struct shot_job *shots, unsigned n, uint64_t job) {
	struct unit *u = unit_open(x, UNIT_SHOTS, job);
	for (unsigned i = 0; i < n; i++) {
		u->u.shots[i] = shots[i];
		footprint_add(&u->tile_reads, scanout_reads(&shots[i].from, PICA_EYE_LEFT));
		footprint_add(&u->tile_reads, scanout_reads(&shots[i].from, PICA_EYE_RIGHT));
	}
	u->tile_group.count = n;
	unit_launch(x, u);
}
