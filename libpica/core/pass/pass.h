/*
 * The life of a pass, and of other work.
 *
 * A unit is a pass (draws on one target) or other work of a few tasks, such as a fill or a copy.
 * The command thread opens units, in stream order; workers run them when the units that they depend
 * on are done:
 *
 *     vertex node   chunks of a pass: fetch, shade, clip, bin     (other work: nothing)
 *     charge node   charges the chunks to the job's budgets, pass by pass in stream order
 *     tile node     tiles of a pass; tasks of other work          done = retired
 *
 *     own vertex node -> own charge node -> own tile node
 *     charge node of the job's pass before -> charge node
 *     tile node of an earlier unit -> vertex node   where the earlier writes what the vertices read
 *     tile node of an earlier unit -> tile node     read-after-write, write-after-read,
 *                                                   write-after-write
 *
 * No part of an open pass has run, so the time of closing it has no visible effect.
 */
#ifndef PASS_PASS_H
#define PASS_PASS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/pass/footprint.h"
#include "core/pass/spare.h"
#include "core/sched/graph.h"
#include "core/sched/pool.h"
#include "core/tile/tile.h"

/* Shared by all contexts of a device. */
struct engine {
	struct raster_kernels raster;
	struct pool *pool;
	struct logger log;
	pica_trace_fn *trace; /* NULL: none */
	void *trace_user;
	/* engine_scratches() entries. */
	struct tile_scratch **tile_scratch;
	struct vertex_scratch **vertex_scratch;
	/* A worker whose task yields leaves its scratch to the task and takes one of these. */
	struct spares spare_tile, spare_vertex;
	uint64_t slice_ns; /* time that a task may run while others wait */
	atomic_uint_fast64_t order; /* age of units over all contexts */
	atomic_size_t kept_bytes;   /* of all contexts; relaxed */
	struct monitor caches;      /* covers execs, and what they keep (room.c) */
	struct exec *execs;         /* of all contexts */
	/* Called by the worker that retires a unit. */
	void (*notify)(void *arg);
	void *notify_arg;
};

/* The command thread has the last one. */
static inline unsigned engine_scratches(const struct engine *e) {
	return pool_threads(e->pool) + 1;
}

enum { EXEC_UNITS = 8, EXEC_MAX_TILES = 4096, WORK_ARG_BYTES = 256 };

/* Budgets (pica_budgets) and costs of the passes of one job. */
struct account {
	uint64_t job;
	uint64_t pixels, steps; /* limits */
	/* Written by charge nodes only, one after the other; read, relaxed, by vertex tasks. */
	atomic_uint_fast64_t spent_px, spent_steps;
	enum pica_budget over_budget; /* charge nodes only: the exceeded budget, or 0 */
};

struct exec;
/*
 * The work of a unit that is not a pass: n_tasks tasks, which run in any order or concurrently.
 * arg: the unit's own copy. Returns the number of pixels or pieces outside memory.
 */
struct unit_work {
	unsigned n_tasks;
	uint32_t (*run)(const void *arg, const struct exec *x, struct work_part *part);
	enum pica_span_kind span;
	struct range reads[4], writes; /* empty ones do not count */
	uint64_t bytes; /* that it touches, if that is all its work; 0: more */
};

/* Sums over retired units. */
struct exec_stats {
	uint64_t passes, tiles, batches, fragments, shaded, completed, triangles, drawn, dropped;
	uint64_t outside, steps, shader_cut, shader_bad, ns_vertex, ns_tile, ns_copy, yields;
};

/* Releases the reference to a held thing. Command thread. */
typedef void hold_put_fn(void *thing);

struct unit {
	struct exec *x;
	struct graph_node vertex_node, charge_node, tile_node;
	struct task_group vertex_group, tile_group;
	struct footprint vertex_reads, tile_reads, writes;
	struct footprint sampled; /* textures alone, not the target */
	bool is_pass;
	bool busy;         /* command thread: opened, and its memory not yet freed */
	bool is_retired;   /* command thread: its job has the result; its memory is being freed */
	unsigned n_swept;  /* chunks that were freed or kept */
	size_t each_bytes; /* of a held thing, on average */
	uint64_t order;
	uint64_t job; /* that opened it */
	uint64_t launched_ns; /* with a trace */
	bool is_at_once; /* command thread: its work is done while it is launched */

	/* A pass. */
	struct arena arena;
	struct target target;
	const struct draw **draws;
	unsigned n_draws, cap_draws;
	struct chunk **chunks;
	unsigned n_chunks, cap_chunks;
	struct { hold_put_fn *put; void *thing; } *holds;
	unsigned n_holds, cap_holds;
	void (*on_retire)(void *thing); /* or NULL */
	void *on_retire_thing;
	size_t held_bytes; /* memory that was created for this pass */
	size_t again_bytes; /* other memory that it holds, which may have to be created again */
	size_t limit_bytes; /* that a unit may need: memory_unit_limit() */
	size_t room_bytes;  /* need of the unit when room was last available */
	struct pass_work work;
	struct account *account;
	uint16_t tiles[EXEC_MAX_TILES]; /* task -> tile: those with triangles in them */

	struct unit_work task; /* not a pass */
	PICA_ALIGNED(16) unsigned char arg[WORK_ARG_BYTES];

	/* Written by workers, read when the unit is reaped. */
	atomic_uint_fast64_t batches, fragments, outside, ns_vertex, ns_tile, yields;
	atomic_uint greatest;    /* greatest value reported by a tile */
	enum pica_budget over_budget; /* which, or 0 */
	uint64_t shader_cut;     /* invocations that were cut off in the chunk that ends the job */
	bool failed;             /* a chunk was out of memory */
};

struct exec {
	struct engine *e;
	const void *kernels; /* of the chip */
	uint32_t number; /* of the context in its device */
	struct space *space;
	struct graph graph;
	struct unit unit[EXEC_UNITS];
	struct unit *open; /* the open pass */
	struct unit *last_pass; /* launched last, or NULL */
	/* One more than units: that of the running job is kept while no unit has it. */
	struct account accounts[EXEC_UNITS + 1], *account;
	struct chunk *free_chunks;
	size_t kept_bytes; /* of free chunks, and of the arenas of units that are not busy */
	struct pica_memory memory; /* all memory of the context */
	bool is_exempt;    /* from the limits, until it has no unit in flight */
	struct exec *next; /* engine.execs */
	bool is_tried;     /* while caches are evicted */
	struct exec_stats stats;
	struct tally *tally; /* of its owner's time; NULL: none */
	/* of all tasks that have ended; relaxed, added to by workers */
	atomic_uint_fast64_t busy_ns;
	atomic_bool abandoned;        /* relaxed: its tasks end without doing their work */
	/* greatest value that the reaped units reported; its reader sets it to 0 */
	uint32_t greatest;
	bool has_time; /* there are workers, but the command thread has nothing else to do */
	/*
	 * Called on the command thread when a unit is reaped; result 0, -ENOMEM or -EDQUOT, then
	 * budget says which.
	 */
	void (*retired)(void *arg, uint64_t job, int result, enum pica_budget budget);
	/*
	 * Called on the command thread: returns after a further call of `retired`, or when one may
	 * follow.
	 */
	void (*park)(void *arg);
	/* Called on the command thread for work that is not charged to a job; may yield. */
	void (*tick)(void *arg, uint64_t ticks);
	/*
	 * Called on the command thread: returns when memory may have been freed. False: it cannot
	 * wait, since no other thread works meanwhile.
	 */
	bool (*await_room)(void *arg);
	/*
	 * Frees caches until `full` is within its limit or the caches are empty. Command thread, of
	 * any context.
	 */
	void (*evict)(void *arg, const struct pica_memory *full);
	void *owner; /* for all five */
};

/* kernels: passed to the chip's stages. memory: parent account, or NULL. */
int exec_init(struct exec *x, struct engine *e, struct space *space, const void *kernels,
		struct pica_memory *memory);
/* The context is complete: from now on its kept memory can be evicted. */
void exec_join(struct exec *x);
/* Returns the time if there is a trace, else 0. */
static inline uint64_t engine_trace_begin(const struct engine *e) {
	return e->trace ? clock_now_ns() : 0;
}
/* Reports a span that began at begin_ns. */
void engine_trace_end(const struct engine *e, struct pica_span span);
/* Waits for all units, then frees everything. */
void exec_finish(struct exec *x);

/* ---- Command thread ---- */

/*
 * Opens a pass for the job; none may be open. The arena of the returned unit is where the states of
 * its draws belong. pixels, steps: budgets of the job, the same for all its passes.
 */
struct unit *exec_open_pass(struct exec *x, const struct target *target, uint64_t job,
		uint64_t pixels, uint64_t steps);
/*
 * The same for a chip that draws into buffers of tiles, by the program, which must live as long as
 * the pass does (exec_hold()). Its bins are tiles of tile_size pixels (32 or 64), of an area of
 * tiles_x times tiles_y of them, at most EXEC_MAX_TILES. The caller adds to the footprints of the
 * unit what vertices and tiles read, and what tiles write.
 */
struct unit *exec_open_tiles(struct exec *x, const struct tile_program *program, unsigned tile_size,
		unsigned tiles_x, unsigned tiles_y, uint64_t job, uint64_t pixels, uint64_t steps);
/*
 * Appends a draw (allocated, with all it points to, in the pass's arena). reads: what its vertices
 * and textures read. Returns 0, or -ENOMEM: the draw was not added.
 */
int exec_add_draw(struct exec *x, const struct draw *d);
/*
 * Keeps a counted thing alive until the open pass is reaped. Takes over the caller's reference.
 * Returns 0; -ENOMEM, after releasing the reference.
 */
int exec_hold(struct exec *x, hold_put_fn *put, void *thing);
/*
 * Calls fn(thing) after the open pass has ended and before its job gets its result; held things are
 * released after that. thing must be held by exec_hold().
 */
void exec_on_retire(struct exec *x, void (*fn)(void *thing), void *thing);
/*
 * Counts bytes that were allocated for the open pass and are freed with the things it holds, or
 * later.
 */
void exec_add_held(struct exec *x, size_t size_bytes);
/*
 * Counts bytes that existed before or had been evicted. Both count alike against the limit of a
 * unit, so that the ends of passes do not depend on the caches.
 */
void exec_add_again(struct exec *x, size_t size_bytes);
/*
 * Returns true if the open pass may grow by a draw of n stream positions. Otherwise it would exceed
 * the limit of a unit, regardless of the memory in use.
 */
bool exec_has_room(const struct exec *x, uint64_t n_positions);
/*
 * Waits until the account of the context and all its parents are within their limits: frees kept
 * memory, beginning with its largest user, and parks until own units retire. A context without
 * units in flight may exceed a limit, if no other context does; otherwise it waits.
 */
void exec_make_room(struct exec *x);
/*
 * Frees kept memory of accounts that are over their limits. Command thread, or the caller if the
 * device has none.
 */
void engine_trim(struct engine *e);
/* Returns whether the pass is full: close it before adding more. */
bool exec_is_full(const struct exec *x);
/* Makes the draws that the open pass has so far draw nothing. */
void exec_clear_pass(struct exec *x);
/* Closes the open pass, if any, and lets it run. */
void exec_close_pass(struct exec *x);

/* Returns the number of tasks for work on this many bytes. */
unsigned exec_tasks_for(const struct exec *x, uint64_t bytes);
/* Launches a unit of the job that is not a pass, with a copy of arg. No pass may be open. */
void exec_work(struct exec *x, const struct unit_work *work, const void *arg, size_t arg_bytes,
		uint64_t job);

/*
 * Parks the context until at least one closed unit of its own was reaped: to wait for its units, or
 * for the memory that they hold. Meanwhile the command thread serves other contexts; the caller
 * must check its condition again. Returns false at once if no closed unit is in flight.
 */
bool exec_park(struct exec *x);
/*
 * The first returns true if a closed, unfinished unit of a job up to `job` writes the range (with
 * for_write: reads or writes it); the second, if the open pass does.
 */
bool exec_in_flight(struct exec *x, uint64_t job, struct range r, bool for_write);
bool exec_open_touches(const struct exec *x, uint64_t job, struct range r, bool for_write);
/* Parks until no closed unit writes the range (with for_write: reads or writes it). */
void exec_sync(struct exec *x, struct range r, bool for_write);
/*
 * Reaps finished units and frees a part of their memory; exec_sweep() or the opening of the next
 * unit frees the rest. Returns the number of units in flight.
 */
unsigned exec_reap(struct exec *x);
/* Returns true if a finished unit has memory to free. */
bool exec_has_waste(const struct exec *x);
/* Frees memory of finished units until the slice is over. */
void exec_sweep(struct exec *x, struct slice *slice);
/* Parks until all units are reaped. */
void exec_wait_all(struct exec *x);
/* All tasks of the context end without doing their work, from now on. Any thread. */
void exec_abandon(struct exec *x);
static inline bool exec_is_abandoned(const struct exec *x) {
	return atomic_load_explicit(&x->abandoned, memory_order_relaxed);
}
/* Returns the processor time of its tasks so far. Any thread. */
uint64_t exec_busy_ns(const struct exec *x);

#endif
