/* The life of a unit on the command thread: opened, launched, awaited, reaped. */
#include "core/pass/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/probe.h"

enum {
	/*
	 * Memory kept for the next passes: of a context (a frame of a million vertices), of all
	 * contexts, and the amount that a context may keep in any case.
	 */
	KEEP_BYTES = 192 << 20,
	KEEP_BYTES_ALL = 256 << 20,
	KEEP_BYTES_EACH = 32 << 20,
	/* Limit of the memory of a context's units while another one is opened. */
	MAX_FLIGHT_BYTES = 192 << 20,
	/*
	 * Bytes that are processed faster than another thread wakes up, or than it wakes up and
	 * finishes.
	 */
	TINY_BYTES = 8192,
	SMALL_BYTES = 1 << 20,
	/* Bytes of finished units to free in one exec_reap(), and in one step of a sweep. */
	SWEEP_BYTES = 512 << 10,
	SWEEP_STEP_BYTES = 128 << 10,
	BYTES_A_TICK = 4,
};

/* ---- Set-up ---- */

static void ignore_retired(void *arg, uint64_t job, int result, enum pica_budget budget) {
}

static void ignore_park(void *arg) {
}

static void ignore_tick(void *arg, uint64_t ticks) {
}

static bool ignore_await(void *arg) {
	return false;
}

static void ignore_evict(void *arg, const struct pica_memory *full) {
}

int exec_init(struct exec *x, struct engine *e, struct space *space, const void *kernels,
		struct pica_memory *memory) {
	memset(x, 0, sizeof(*x));
	int ret = graph_init(&x->graph);
	if (ret < 0) {
		return ret;
	}
	x->e = e;
	x->kernels = kernels;
	x->space = space;
	x->retired = ignore_retired;
	x->park = ignore_park;
	x->tick = ignore_tick;
	x->await_room = ignore_await;
	x->evict = ignore_evict;
	memory_init(&x->memory);
	x->memory.parent = memory;
	atomic_init(&x->busy_ns, 0);
	atomic_init(&x->abandoned, false);
	for (unsigned i = 0; i < EXEC_UNITS; i++) {
		x->unit[i].x = x;
		arena_init(&x->unit[i].arena, &x->memory);
	}
	for (unsigned i = 0; i < EXEC_UNITS + 1; i++) {
		atomic_init(&x->accounts[i].spent_px, 0);
		atomic_init(&x->accounts[i].spent_steps, 0);
	}
	return 0;
}

void exec_finish(struct exec *x) {
	room_leave(x);
	exec_close_pass(x);
	exec_wait_all(x);
	for (unsigned i = 0; i < EXEC_UNITS; i++) {
		struct unit *u = &x->unit[i];
		if (u->is_retired) {
			unit_sweep(x, u);
		}
		unit_no_longer_kept(x, u->arena.capacity);
		arena_finish(&u->arena);
		memory_free(&x->memory, u->draws, u->cap_draws * sizeof(*u->draws));
		memory_free(&x->memory, u->chunks, u->cap_chunks * sizeof(struct chunk *));
		memory_free(&x->memory, u->holds, u->cap_holds * sizeof(*u->holds));
	}
	while (x->free_chunks) {
		unit_destroy_chunk(x, unit_take_chunk(x));
	}
	room_end_exempt(x);
	/* They are created again when needed. */
	spares_drop(&x->e->spare_tile);
	spares_drop(&x->e->spare_vertex);
	graph_finish(&x->graph);
}

void exec_abandon(struct exec *x) {
	atomic_store_explicit(&x->abandoned, true, memory_order_relaxed);
}

uint64_t exec_busy_ns(const struct exec *x) {
	return unit_sum(&x->busy_ns);
}

/* ---- Reaping ---- */

void unit_no_longer_kept(struct exec *x, size_t size_bytes) {
	x->kept_bytes -= size_bytes;
	atomic_fetch_sub_explicit(&x->e->kept_bytes, size_bytes, memory_order_relaxed);
}

void unit_charge_chunk(struct exec *x, struct chunk *c) {
	const size_t has = chunk_bytes(c);
	memory_charge(&x->memory, has - c->charged_bytes);
	c->charged_bytes = has;
}

struct chunk *unit_take_chunk(struct exec *x) {
	struct chunk *c = x->free_chunks;
	if (c) {
		x->free_chunks = c->next;
		unit_no_longer_kept(x, c->charged_bytes);
	}
	return c;
}

void unit_destroy_chunk(struct exec *x, struct chunk *c) {
	memory_uncharge(&x->memory, c->charged_bytes);
	chunk_destroy(c);
}

/* Returns whether to keep memory for reuse, after counting it. */
static bool keep(struct exec *x, size_t size_bytes) {
	const size_t all = atomic_load_explicit(&x->e->kept_bytes, memory_order_relaxed);
	const size_t own = x->kept_bytes + size_bytes;
	if (own > KEEP_BYTES || (own > KEEP_BYTES_EACH && all + size_bytes > KEEP_BYTES_ALL)) {
		return false;
	}
	x->kept_bytes = own;
	atomic_fetch_add_explicit(&x->e->kept_bytes, size_bytes, memory_order_relaxed);
	return true;
}

/* Takes size_bytes from *left, down to 0. Returns false if it was 0 before. */
static bool take(size_t *left, size_t size_bytes) {
	const bool may = *left;
	*left -= size_bytes < *left ? size_bytes : *left;
	return may;
}

/*
 * Keeps or frees the memory of a retired unit, about *left bytes of it at most. Returns whether
 * that was all; the unit is then no longer busy. If not, the next call continues.
 */
static bool sweep(struct exec *x, struct unit *u, size_t *left) {
	for (; u->n_swept < u->n_chunks; u->n_swept++) {
		struct chunk *c = u->chunks[u->n_swept];
		if (keep(x, c->charged_bytes)) {
			chunk_reset(c);
			c->next = x->free_chunks;
			x->free_chunks = c;
		} else if (take(left, c->charged_bytes)) {
			unit_destroy_chunk(x, c);
		} else {
			return false;
		}
	}
	while (u->n_holds) {
		if (!take(left, u->each_bytes)) {
			return false;
		}
		u->n_holds--;
		u->holds[u->n_holds].put(u->holds[u->n_holds].thing);
	}
	while (u->arena.first && !keep(x, u->arena.capacity)) {
		if (!*left) {
			return false;
		}
		take(left, arena_shrink(&u->arena));
	}
	arena_reset(&u->arena);
	u->n_chunks = u->n_draws = 0;
	u->held_bytes = u->again_bytes = 0;
	u->is_retired = u->busy = false;
	return true;
}

void unit_sweep(struct exec *x, struct unit *u) {
	size_t all = SIZE_MAX;
	sweep(x, u, &all);
}

/* The first retired unit; EXEC_UNITS if there is none. */
static unsigned find_waste(const struct exec *x) {
	unsigned i = 0;
	while (i < EXEC_UNITS && !x->unit[i].is_retired) {
		i++;
	}
	return i;
}

bool exec_has_waste(const struct exec *x) {
	return find_waste(x) < EXEC_UNITS;
}

/* Frees a little. Returns the ticks that it took, or 0 if nothing was left to free. */
static uint64_t sweep_step(struct exec *x) {
	const unsigned i = find_waste(x);
	if (i == EXEC_UNITS) {
		return 0;
	}
	size_t left = SWEEP_STEP_BYTES;
	sweep(x, &x->unit[i], &left);
	return SWEEP_STEP_BYTES / BYTES_A_TICK;
}

void exec_sweep(struct exec *x, struct slice *slice) {
	uint64_t ticks;
	while ((ticks = sweep_step(x)) != 0 && !slice_over(slice, ticks)) {
	}
}

/* Reports the result to the unit's job. Its memory is freed later. */
static void retire(struct exec *x, struct unit *u) {
	struct exec_stats *s = &x->stats;
	if (u->is_pass) {
		s->passes++;
		s->tiles += u->tile_group.count;
		s->ns_vertex += unit_sum(&u->ns_vertex);
		s->ns_tile += unit_sum(&u->ns_tile);
	} else {
		s->ns_copy += unit_sum(&u->ns_tile);
	}
	s->batches += unit_sum(&u->batches);
	s->fragments += unit_sum(&u->fragments);
	s->outside += unit_sum(&u->outside);
	s->yields += unit_sum(&u->yields);
	s->shader_cut += u->shader_cut;
	const unsigned greatest = atomic_load_explicit(&u->greatest, memory_order_relaxed);
	x->greatest = greatest > x->greatest ? greatest : x->greatest;
	for (unsigned i = 0; i < u->n_chunks; i++) {
		struct chunk *c = u->chunks[i];
		s->shaded += c->shaded;
		s->completed += c->completed;
		s->triangles += c->triangles;
		s->drawn += c->drawn;
		s->dropped += c->dropped;
		s->outside += c->outside;
		s->steps += c->shader.steps;
		s->shader_bad += c->shader.bad;
		unit_charge_chunk(x, c);
	}
	u->is_retired = true;
	u->n_swept = 0;
	u->each_bytes = u->n_holds ? u->held_bytes / u->n_holds : 0;
	if (u->on_retire) {
		u->on_retire(u->on_retire_thing);
	}
	if (x->last_pass == u) {
		x->last_pass = NULL;
	}
	x->retired(x->owner, u->job, u->failed ? -ENOMEM : u->over_budget ? -EDQUOT : 0,
			u->over_budget);
}

unsigned exec_reap(struct exec *x) {
	pool_drain(x->e->pool);
	/* Without threads there is no other thread that waits. */
	size_t sweep_left = pool_threads(x->e->pool) ? (size_t)SWEEP_BYTES : SIZE_MAX;
	unsigned left = 0;
	for (unsigned i = 0; i < EXEC_UNITS; i++) {
		struct unit *u = &x->unit[i];
		if (!u->busy || u == x->open) {
			continue;
		}
		if (u->is_retired || graph_is_done(&x->graph, &u->tile_node)) {
			if (!u->is_retired) {
				retire(x, u);
			}
			sweep(x, u, &sweep_left);
		} else {
			left++;
		}
	}
	if (x->is_exempt && !left && !x->open) {
		room_end_exempt(x);
	}
	return left;
}

bool exec_park(struct exec *x) {
	const bool is_in_flight = exec_reap(x) != 0;
	if (is_in_flight) {
		x->park(x->owner);
	}
	return is_in_flight;
}

void exec_wait_all(struct exec *x) {
	while (exec_park(x)) {
	}
}

/* ---- Footprints ---- */

static bool unit_touches(const struct unit *u, struct range r, bool for_write) {
	return footprint_hits(&u->writes, r) || (for_write &&
			(footprint_hits(&u->tile_reads, r) || footprint_hits(&u->vertex_reads, r)));
}

bool exec_in_flight(struct exec *x, uint64_t job, struct range r, bool for_write) {
	for (unsigned i = 0; i < EXEC_UNITS; i++) {
		struct unit *u = &x->unit[i];
		if (u->busy && u != x->open && u->job <= job && unit_touches(u, r, for_write) &&
				!graph_is_done(&x->graph, &u->tile_node)) {
			return true;
		}
	}
	return false;
}

void exec_sync(struct exec *x, struct range r, bool for_write) {
	while (exec_in_flight(x, UINT64_MAX, r, for_write) && exec_park(x)) {
	}
}

bool exec_open_touches(const struct exec *x, uint64_t job, struct range r, bool for_write) {
	return x->open && x->open->job <= job && unit_touches(x->open, r, for_write);
}

/* ---- Opening and launching ---- */

/* Returns the memory that units in flight need, by counts. */
static size_t flight_bytes(const struct exec *x) {
	size_t sum = 0;
	for (unsigned i = 0; i < EXEC_UNITS; i++) {
		const struct unit *u = &x->unit[i];
		sum += u->busy && !u->is_retired ? unit_need(u) : 0;
	}
	return sum;
}

struct unit *unit_open(struct exec *x, bool is_pass, uint64_t job) {
	struct unit *u = x->unit;
	while (exec_reap(x) == EXEC_UNITS || flight_bytes(x) > MAX_FLIGHT_BYTES) {
		exec_park(x);
	}
	for (uint64_t ticks; (ticks = sweep_step(x)) != 0;) {
		x->tick(x->owner, ticks);
	}
	if (is_pass) {
		exec_make_room(x); /* other work needs none, and does not wait */
	}
	while (u->busy) {
		u++;
	}
	graph_node_init(&u->vertex_node, unit_vertices_ready);
	graph_node_init(&u->charge_node, unit_charge_ready);
	graph_node_init(&u->tile_node, unit_tiles_ready);
	footprint_clear(&u->vertex_reads);
	footprint_clear(&u->tile_reads);
	footprint_clear(&u->writes);
	footprint_clear(&u->sampled);
	u->is_pass = is_pass;
	u->busy = true;
	unit_no_longer_kept(x, u->arena.capacity);
	u->order = atomic_fetch_add_explicit(&x->e->order, 1, memory_order_relaxed);
	u->job = job;
	u->limit_bytes = memory_unit_limit(&x->memory);
	u->room_bytes = 0;
	u->account = NULL;
	u->on_retire = NULL;
	u->failed = false;
	u->over_budget = 0;
	u->shader_cut = 0;
	atomic_init(&u->batches, 0);
	atomic_init(&u->fragments, 0);
	atomic_init(&u->outside, 0);
	atomic_init(&u->ns_vertex, 0);
	atomic_init(&u->yields, 0);
	atomic_init(&u->greatest, 0);
	atomic_init(&u->ns_tile, 0);
	return u;
}

void unit_launch(struct exec *x, struct unit *u, uint64_t bytes) {
	bool is_small = u->is_pass ? x->has_time && unit_is_little(u) :
				     bytes && bytes <= (x->has_time ? SMALL_BYTES : TINY_BYTES);
	u->launched_ns = engine_trace_begin(x->e);
	PROBE(pass_begin, x->number, u->order, unit_kind(u));
	for (unsigned i = 0; i < EXEC_UNITS; i++) {
		struct unit *e = &x->unit[i];
		if (e == u || !e->busy || e->is_retired) {
			continue;
		}
		if (footprints_overlap(&e->writes, &u->vertex_reads)) {
			graph_edge(&x->graph, &e->tile_node, &u->vertex_node);
			is_small = false;
		}
		if (footprints_overlap(&e->writes, &u->tile_reads) ||
				footprints_overlap(&e->writes, &u->writes) ||
				footprints_overlap(&e->tile_reads, &u->writes) ||
				footprints_overlap(&e->vertex_reads, &u->writes)) {
			graph_edge(&x->graph, &e->tile_node, &u->tile_node);
			is_small = false;
		}
	}
	if (u->is_pass) {
		graph_edge(&x->graph, &u->vertex_node, &u->charge_node);
		if (x->last_pass && x->last_pass->account == u->account) {
			graph_edge(&x->graph, &x->last_pass->charge_node, &u->charge_node);
			is_small &= graph_is_done(&x->graph, &x->last_pass->charge_node);
		}
		graph_edge(&x->graph, &u->charge_node, &u->tile_node);
		x->last_pass = u;
		u->is_at_once = is_small;
		graph_release(&x->graph, &u->tile_node);
		graph_release(&x->graph, &u->charge_node);
	} else {
		graph_edge(&x->graph, &u->vertex_node, &u->tile_node);
		u->is_at_once = is_small;
		graph_release(&x->graph, &u->tile_node);
	}
	graph_release(&x->graph, &u->vertex_node);
	pool_drain(x->e->pool);
}
