/*
 * The result of a vertex task for a range of draws: screen triangles, listed by tile.
 *
 * Everything here is immutable once the pass is closed, except that a chunk is filled by the one
 * vertex task that owns it.
 */
#ifndef CHUNK_CHUNK_H
#define CHUNK_CHUNK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/chunk/stage.h"
#include "core/sched/slice.h"

/* Points and lines are drawn as two triangles each (wide.c). */
enum topology {
	TOPOLOGY_LIST,
	TOPOLOGY_STRIP,
	TOPOLOGY_FAN,
	TOPOLOGY_POINTS,
	TOPOLOGY_LINES,
	TOPOLOGY_LINE_STRIP,
	TOPOLOGY_LINE_LOOP,
};

static inline bool topology_is_wide(unsigned topology) {
	return topology >= TOPOLOGY_POINTS;
}

/* Distance in vertices from one primitive to the next. */
static inline unsigned topology_step(unsigned topology) {
	return topology == TOPOLOGY_LIST ? 3 : topology == TOPOLOGY_LINES ? 2 : 1;
}

/* Complete primitives in a stream of `len` vertices. */
static inline uint32_t draw_primitives(unsigned topology, uint64_t len) {
	switch ((enum topology)topology) {
	case TOPOLOGY_LIST:
		return (uint32_t)(len / 3);
	case TOPOLOGY_STRIP:
	case TOPOLOGY_FAN:
		break;
	case TOPOLOGY_POINTS:
		return (uint32_t)len;
	case TOPOLOGY_LINES:
		return (uint32_t)(len / 2);
	case TOPOLOGY_LINE_STRIP:
		return len < 2 ? 0 : (uint32_t)(len - 1);
	case TOPOLOGY_LINE_LOOP:
		return len < 2 ? 0 : (uint32_t)len;
	}
	return len < 3 ? 0 : (uint32_t)(len - 2);
}

/* Primitives [first, first + n) of a draw. */
struct segment {
	uint32_t draw; /* index in the pass */
	uint32_t first, n;
	/* Costs of its chunk up to and with it, once it was run. Its steps precede its pixels. */
	uint64_t steps, px, bytes;
};

struct tri_ref {
	uint32_t v[3]; /* chunk.verts */
	uint32_t draw; /* index in the pass */
};

struct tri_box {
	int16_t x0, y0, x1, y1; /* tiles, inclusive */
};

/* One vertex task: stretches of draws; afterwards screen triangles, listed by tile. */
struct chunk {
	struct chunk *next;   /* free list of the context */
	struct segment *seg;  /* grown by realloc, kept over reuse */
	unsigned n_seg, cap_seg;
	uint32_t n_positions; /* stream positions that its segments touch: the size of the chunk */

	struct vert *verts;
	struct tri_ref *tris;
	struct tri_box *boxes;
	uint32_t n_verts, cap_verts, n_tris, cap_tris;
	float *extra; /* floats of completed vertices: vert_extra() */
	uint32_t n_extra, cap_extra;
	/* Triangles of tile t: tile_list[tile_start[t]] .. tile_list[tile_start[t + 1] - 1]. */
	uint32_t *tile_start, *tile_list;
	uint32_t cap_start, cap_list;

	uint64_t area_px; /* sum of the triangles' bounding boxes: the pixel budget */
	uint32_t n_run;   /* segments that were run; the last one perhaps not to its end */
	/*
	 * The rest of the job's budget for the chunk, or more. The task stops when it exceeds this,
	 * since the chunk then draws nothing.
	 */
	uint64_t limit_px, limit_steps;
	/* The same limit for need_bytes of all chunks of the pass. */
	uint64_t limit_bytes;
	bool over;        /* the task stopped at one of these limits */
	bool failed;      /* out of memory: the chunk draws nothing */
	/*
	 * Costs so far: 0 until the task ends. Read, relaxed, by the tasks of later
	 * chunks.
	 */
	atomic_uint_fast64_t spent_px, spent_steps, spent_bytes;
	uint64_t n_listed;    /* entries that tile_list would have with the smallest tile size */
	/*
	 * For its vertices and triangles, by counts, whatever it has; with the vertices that were
	 * left out because their triangles were culled before (filter.c).
	 */
	uint64_t need_bytes;
	uint32_t n_left_out;
	size_t charged_bytes; /* to its context */
	/* Counters. */
	uint64_t shaded, completed, triangles, drawn, dropped, outside;
	struct shader_result shader;
};

/* The bits of this plane are the index in chunk.extra of the first float of a completed vertex. */
enum { PLANE_EXTRA = PLANE_MAX - 1 };

static inline uint32_t vert_extra(const struct vert *v) {
	uint32_t at;
	memcpy(&at, &v->a[PLANE_EXTRA], sizeof(at));
	return at;
}

/*
 * Work per pixel, by pixel index in the target. Tiles of a pass share no pixel, and passes on one
 * target wait for each other, so these are plain sums.
 */
struct tile_counts {
	uint32_t *entered; /* covered fragments */
	uint32_t *passed;  /* fragments that passed all tests */
	uint32_t *cost;    /* plan steps that the fragments went through */
};

/* Shared by all tasks of a pass; read-only while they run. */
struct pass_work {
	const struct raster_kernels *raster;
	const void *kernels; /* of the chip, for its stages */
	const struct draw *const *draws;
	struct chunk *const *chunks;
	unsigned n_chunks;
	unsigned tile_size; /* 32 or 64 */
	unsigned tiles_x, tiles_y;
	uint32_t px_cost;   /* cost of a pixel of a triangle's bounding box (pica_budgets.pixels) */
	const struct target *target;
	/* NULL: tiles are drawn in place. Else target has only a size, and tasks are its. */
	const struct tile_program *program;
	/*
	 * Slow and exact: colour and depth overlap, or part of the target lies outside memory. One
	 * call for tile 0, triangle by triangle, pixels ascending in memory (fidelity: aliasing).
	 */
	bool serial;
	bool outside;        /* serial: go through space for every pixel */
	bool is_counted;     /* for tools; when off, costs one branch per batch */
	struct tile_counts counts;
	struct space *space;
	/* relaxed: true ends all tasks of the pass early */
	const atomic_bool *abandoned;
};

static inline bool pass_is_abandoned(const struct pass_work *w) {
	return atomic_load_explicit(w->abandoned, memory_order_relaxed);
}

/*
 * Creates the scratch of one worker, with stage_bytes for its vertex stages. Returns NULL when out
 * of memory.
 */
struct vertex_scratch;
struct vertex_scratch *vertex_scratch_create(size_t stage_bytes);
void vertex_scratch_destroy(struct vertex_scratch *s);

struct chunk *chunk_create(void);
void chunk_destroy(struct chunk *c);
/* Restores the state before its task began. */
void chunk_restart(struct chunk *c);
void chunk_reset(struct chunk *c); /* without segments */
/* Makes the chunk draw nothing, and clears its counters. */
void chunk_forget(struct chunk *c);
/* Returns the bytes that the chunk has allocated. */
size_t chunk_bytes(const struct chunk *c);
int chunk_add_segment(struct chunk *c, uint32_t draw, uint32_t first, uint32_t n);
/*
 * Shades, assembles, clips and bins: begun, then called until it returns true, with the same
 * scratch.
 */
void chunk_begin(struct vertex_scratch *s);
bool chunk_go_on(struct chunk *c, const struct pass_work *work, struct vertex_scratch *s,
		struct slice *slice);

#endif
