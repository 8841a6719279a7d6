/* Units: draws of a pass, or other work. */
#include "core/pass/pass.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/pass/unit.h"

enum {
	SERIAL_COST = 64,       /* cost of a pixel drawn alone, in pixels of a batch
	 * (pica_budgets.pixels) */
	CHUNK_POSITIONS = 1536, /* a chunk is closed at this many stream positions */
	/* Beyond one of these limits a pass is closed, to bound the memory of a job. */
	MAX_ARENA_BYTES = 32 << 20,
	MAX_HELD_BYTES = 64 << 20,
	MAX_HOLDS = 8192,
	MAX_CHUNKS = 256,
	TASK_BYTES = 128 * 1024,
	TASKS_FOR_WORKERS = 16,
	MAX_TASK_BYTES = 512 * 1024, /* about 0.2 ms if each page is new */
};

/* ---- Passes ---- */

/* Returns the job's account; one of the nine is free, since eight units have at most one each. */
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
	a->over_budget = 0;
	atomic_store_explicit(&a->spent_px, 0, memory_order_relaxed);
	atomic_store_explicit(&a->spent_steps, 0, memory_order_relaxed);
	x->account = a;
	return a;
}

static struct unit *open_pass(struct exec *x, uint64_t job, uint64_t pixels, uint64_t steps) {
	struct unit *u = unit_open(x, true, job);
	u->account = account_for(x, job, pixels, steps);
	struct pass_work *w = &u->work;
	memset(w, 0, sizeof(*w));
	w->raster = &x->e->raster;
	w->kernels = x->kernels;
	w->target = &u->target;
	w->space = x->space;
	w->abandoned = &x->abandoned;
	x->open = u;
	return u;
}

struct unit *exec_open_tiles(struct exec *x, const struct tile_program *program, unsigned tile_size,
		unsigned tiles_x, unsigned tiles_y, uint64_t job, uint64_t pixels, uint64_t steps) {
	assert(tiles_x * tiles_y <= EXEC_MAX_TILES && program->n_tasks <= EXEC_MAX_TILES);
	assert(program->n_walks);
	struct unit *u = open_pass(x, job, pixels, steps);
	u->target = (struct target){ .width = (uint16_t)(tiles_x * tile_size),
		.height = (uint16_t)(tiles_y * tile_size) };
	u->work.program = program;
	u->work.tile_size = tile_size;
	u->work.tiles_x = tiles_x;
	u->work.tiles_y = tiles_y;
	u->work.px_cost = program->n_walks;
	return u;
}

struct unit *exec_open_pass(struct exec *x, const struct target *target, uint64_t job,
		uint64_t pixels, uint64_t steps) {
	struct unit *u = open_pass(x, job, pixels, steps);
	u->target = *target;
	struct range color = { target->color_addr, target->color_bytes };
	struct range depth = { target->depth_addr, target->depth_bytes };
	u->target.color = space_host_writable(x->space, color.addr, color.size);
	u->target.depth = depth.size ? space_host_writable(x->space, depth.addr, depth.size) : NULL;

	struct pass_work *w = &u->work;
	w->outside = !u->target.color || (depth.size && !u->target.depth);
	w->serial = w->outside || ranges_overlap(color, depth);
	w->px_cost = w->serial ? SERIAL_COST : 1;
	unsigned tiles64 = ((target->width + 63u) / 64) * ((target->height + 63u) / 64);
	w->tile_size = tiles64 < 8 * pool_workers(x->e->pool) && pool_threads(x->e->pool) > 1 ? 32 :
												64;
	if (w->serial) {
		/* One tile, never binned; keeps boxes in small numbers. */
		w->tile_size = 4096;
	}
	w->tiles_x = (target->width + w->tile_size - 1) / w->tile_size;
	w->tiles_y = (target->height + w->tile_size - 1) / w->tile_size;
	assert(w->tiles_x * w->tiles_y <= EXEC_MAX_TILES); /* 2047 x 1024 pixels at most */
	return u;
}

static void *grow(struct exec *x, void *array, unsigned n, unsigned *cap, size_t element) {
	if (n < *cap) {
		return array;
	}
	unsigned more = *cap ? *cap * 2 : 64;
	void *grown = memory_grow(&x->memory, array, *cap * element, more * element);
	if (grown) {
		*cap = more;
	}
	return grown;
}

int exec_hold(struct exec *x, hold_put_fn *put, void *thing) {
	struct unit *u = x->open;
	if (u->n_holds && u->holds[u->n_holds - 1].thing == thing) {
		put(thing); /* held already */
		return 0;
	}
	void *holds = grow(x, u->holds, u->n_holds, &u->cap_holds, sizeof(*u->holds));
	if (!holds) {
		put(thing);
		return -ENOMEM;
	}
	u->holds = holds;
	u->holds[u->n_holds].put = put;
	u->holds[u->n_holds++].thing = thing;
	return 0;
}

void exec_on_retire(struct exec *x, void (*fn)(void *thing), void *thing) {
	x->open->on_retire = fn;
	x->open->on_retire_thing = thing;
}

void exec_add_held(struct exec *x, size_t size_bytes) {
	x->open->held_bytes += size_bytes;
}

void exec_add_again(struct exec *x, size_t size_bytes) {
	x->open->again_bytes += size_bytes;
}

static struct chunk *next_chunk(struct exec *x, struct unit *u) {
	void *chunks = grow(x, u->chunks, u->n_chunks, &u->cap_chunks, sizeof(*u->chunks));
	if (!chunks) {
		return NULL;
	}
	u->chunks = chunks;
	struct chunk *c = unit_take_chunk(x);
	c = c ? c : chunk_create();
	if (!c) {
		return NULL;
	}
	u->chunks[u->n_chunks++] = c;
	return c;
}

bool exec_is_full(const struct exec *x) {
	const struct unit *u = x->open;
	return u && (u->arena.total_used > MAX_ARENA_BYTES || u->held_bytes > MAX_HELD_BYTES ||
			u->n_holds > MAX_HOLDS || u->n_chunks >= MAX_CHUNKS ||
			unit_need_of_limit(u) > u->limit_bytes / 2);
}

bool exec_has_room(const struct exec *x, uint64_t n_positions) {
	const struct unit *u = x->open;
	const uint64_t more = n_positions / CHUNK_POSITIONS * CHUNK_BYTES;
	return unit_need_of_limit(u) + more <= u->limit_bytes;
}

int exec_add_draw(struct exec *x, const struct draw *d) {
	struct unit *u = x->open;
	void *draws = grow(x, u->draws, u->n_draws, &u->cap_draws, sizeof(*u->draws));
	if (!draws) {
		return -ENOMEM;
	}
	u->draws = draws;
	uint32_t index = u->n_draws;
	u->draws[u->n_draws++] = d;

	/* Pieces of a strip or fan overlap by two positions, or one. */
	const unsigned step = topology_step(d->topology);
	const bool list = step > 1;
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
		uint32_t n = list ? room / step : room - 3;
		n = n < left ? n : left;
		int ret = chunk_add_segment(c, index, first, n);
		if (ret < 0) {
			return ret;
		}
		c->n_positions += list ? step * n : n + 3;
		first += n;
		left -= n;
	}
	return 0;
}

void exec_clear_pass(struct exec *x) {
	for (unsigned i = 0; i < x->open->n_chunks; i++) {
		chunk_reset(x->open->chunks[i]);
	}
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
	unit_launch(x, u, 0);
}

/* ---- Other work ---- */

unsigned exec_tasks_for(const struct exec *x, uint64_t bytes) {
	const uint64_t least = bytes / MAX_TASK_BYTES + 1; /* others get turns between tasks */
	uint64_t n = pool_threads(x->e->pool) < 2 ? 1 : bytes / TASK_BYTES;
	n = n < TASKS_FOR_WORKERS ? n : TASKS_FOR_WORKERS;
	return (unsigned)(n > least ? n : least);
}

void exec_work(struct exec *x, const struct unit_work *work, const void *arg, size_t arg_bytes,
		uint64_t job) {
	struct unit *u = unit_open(x, false, job);
	assert(arg_bytes <= sizeof(u->arg));
	u->task = *work;
	memcpy(u->arg, arg, arg_bytes);
	for (unsigned i = 0; i < ARRAY_LEN(work->reads); i++) {
		footprint_add(&u->tile_reads, work->reads[i]);
	}
	footprint_add(&u->writes, work->writes);
	u->tile_group.count = work->n_tasks;
	unit_launch(x, u, work->bytes);
}
