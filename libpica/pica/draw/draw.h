/*
 * A draw with its frozen state, and what a vertex task makes of a stretch of draws.
 *
 * Everything here is immutable once the pass is closed, except that a chunk is filled by the one
 * vertex task that owns it.
 */
#ifndef DRAW_DRAW_H
#define DRAW_DRAW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "pica/frag/frag.h"
#include "pica/geom/geom.h"
#include "pica/shader/shader.h"

/* Register 25E bits 8-9. */
enum topology { TOPOLOGY_LIST, TOPOLOGY_STRIP, TOPOLOGY_FAN, TOPOLOGY_GEOMETRY };

/* From memory to clip space. */
struct vertex_part {
	struct fetch_layout layout;
	struct out_map map;
	const struct prog *prog; /* counted by the pass */
	const struct shader_uniforms *uniforms; /* in the pass's arena */
	unsigned entry;
	uint16_t unread_outputs; /* bit i: o<i> is not in the output mask */
	enum pica_float float_mode;
	uint64_t step_budget;
};

/* The parts of a draw's state; each lies in the pass's arena and is shared by draws. */
struct draw_state {
	const struct vertex_part *vertex;
	const struct geom_state *geom;
	const struct frag_draw *frag; /* with plan, constants, raster state, textures, target */
	uint32_t planes;              /* bit p: enum plane p is interpolated */
};

/*
 * The stream of a draw is its prefix (vertices that the assembler held from earlier draws, or that
 * a geometry shader made), then n vertices: index[i], or first + i, or inline ones.
 */
struct draw {
	struct draw_state state;
	uint8_t topology;   /* LIST, STRIP or FAN */
	uint8_t parity;     /* strip: 1 if the stream's first triangle is an odd one */
	uint32_t n_prefix;
	const struct clip_vertex *prefix;
	uint32_t n;
	uint32_t first;
	const uint32_t *index;
	const float (*inline_attributes)[4]; /* vertex i at [16 * i] */
};

/* Complete triangles in a stream of `len` vertices. */
static inline uint32_t draw_primitives(unsigned topology, uint64_t len) {
	if (topology == TOPOLOGY_LIST) {
		return (uint32_t)(len / 3);
	}
	return len < 3 ? 0 : (uint32_t)(len - 2);
}

/* Triangles [first, first + n) of a draw. */
struct segment {
	uint32_t draw; /* index in the pass */
	uint32_t first, n;
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
	uint32_t n_positions; /* stream positions that its segments touch: its size */

	struct vert *verts;
	struct tri_ref *tris;
	struct tri_box *boxes;
	uint32_t n_verts, cap_verts, n_tris, cap_tris;
	/* Triangles of tile t: tile_list[tile_start[t]] .. tile_list[tile_start[t + 1] - 1]. */
	uint32_t *tile_start, *tile_list;
	uint32_t cap_start, cap_list;

	uint64_t area_px; /* sum of the triangles' bounding boxes: the pixel budget */
	/*
	 * What the job has left for the chunk, or more: beyond it the task stops, for it draws
	 * nothing.
	 */
	uint64_t limit_px, limit_steps;
	bool over;        /* it stopped there */
	bool failed;      /* memory ran out: the chunk draws nothing */
	/* Spent by a task that has ended, else 0: read, relaxed, by the tasks of later chunks. */
	atomic_uint_fast64_t spent_px, spent_steps;
	/* Counters. */
	uint64_t shaded, triangles, drawn, dropped, outside;
	struct shader_result shader;
};

#endif
