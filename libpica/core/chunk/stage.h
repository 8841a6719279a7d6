/*
 * The vertex and the fragment stage of a chip: two tables of functions, carried by each draw. One
 * call a stage and batch goes through them; nothing else of the core knows the chip.
 */
#ifndef CHUNK_STAGE_H
#define CHUNK_STAGE_H

#include <stddef.h>

#include "core/chunk/clip.h"
#include "core/chunk/shaded.h"
#include "core/raster/raster.h"
#include "core/raster/target.h"
#include "core/sched/slice.h"
#include "core/space/space.h"

enum { VERTEX_BATCH = 32 };

/* The parts of a draw's state; each lies in the pass's arena and is shared by draws. */
struct draw_state {
	const struct vertex_stage *vertex_stage;
	const struct frag_stage *frag_stage;
	const void *vertex, *frag; /* of the stages */
	const struct geom_state *geom;
	const struct raster_state *raster;
	uint32_t planes; /* bit p: plane p is interpolated */
	uint32_t n_extra; /* floats that vertex_stage.complete() adds to a vertex */
};

/*
 * The stream of a draw is its prefix (vertices in clip space already), then n vertices: index[i],
 * or first + i, or inline ones.
 */
struct draw {
	struct draw_state state;
	uint8_t topology;   /* enum topology */
	uint8_t parity;     /* strip: 1 if the stream's first triangle is an odd one */
	uint32_t n_prefix;
	const struct clip_vertex *prefix;
	uint32_t n;
	uint32_t first;
	const uint32_t *index;
	const void *inline_vertices; /* of the vertex stage: they are not in GPU memory */
};

/* The inputs of a vertex stage. */
struct vertex_env {
	const void *kernels; /* the chip's */
	const struct space *space;
	void *scratch;       /* one worker's: vertex_stage.scratch_bytes, 64-byte aligned */
};

/* Its output for each vertex. */
struct vertex_out {
	struct clip_vertex *cv; /* a[0]: the size of a point or a line, in pixels */
	struct vert *vert;  /* as project() */
	uint8_t *code, *ok; /* clip_code(); what project() returns */
};

/*
 * Positions of a batch, 64-byte aligned, with room for whole vectors: as in struct vert, undefined
 * with POSITION_BAD, which stands beside clip_code() where project() returns false.
 */
struct position_out {
	float *x, *y;
	int32_t *code;
};

enum { POSITION_CODES = 0xFF, POSITION_BAD = 0x100 };

/* The same for vertices whose triangles are drawn. */
struct completed_out {
	struct vert *const *vert; /* as shade_batch() wrote them */
	float *extra;             /* draw_state.n_extra for each vertex, one after the other */
};

enum batch_start {
	BATCH_NEXT,    /* the previous batch with this scratch belongs to the same draw */
	BATCH_FIRST,   /* it belongs to another draw */
	BATCH_GOES_ON, /* it is this batch, which a slice interrupted */
};

struct vertex_stage {
	size_t scratch_bytes; /* zero, or as the stage last wrote them */
	/*
	 * Number of vertices that are shaded together with the steps of one; a divisor of
	 * VERTEX_BATCH; 0 means 1.
	 */
	unsigned invocation;
	/* Vertices and their steps were counted when the draw was made. */
	bool is_counted;
	/*
	 * Vertices of the draw by number, at most VERTEX_BATCH. left: steps that the job has left;
	 * an invocation that takes one more may be cut off. Adds to *result, and adds the number of
	 * elements outside memory to *outside. Returns false if the slice ended first: call again
	 * with BATCH_GOES_ON, and the same arguments and scratch.
	 */
	bool (*shade_batch)(const struct vertex_env *env, const struct draw *d,
			const uint32_t *number, unsigned n, enum batch_start start, uint64_t left,
			const struct vertex_out *out, struct shader_result *result,
			uint64_t *outside, struct slice *slice);
	/*
	 * Computes positions only, to find the vertices that need shading. Order of calls:
	 * begin_positions() for the vertices first..last, then shade_positions(), then
	 * shade_batch() with BATCH_FIRST. begin_positions() returns the steps of one invocation of
	 * the whole program, or 0 if positions cannot be computed separately: shade_batch() then
	 * gets all vertices.
	 */
	unsigned (*begin_positions)(const struct vertex_env *env, const struct draw *d,
			uint32_t first, uint32_t last);
	void (*shade_positions)(const struct vertex_env *env, const struct draw *d,
			const uint32_t *number, unsigned n, const struct position_out *out);
	/*
	 * NULL: nothing to do. Prefetches the attributes that positions read, for vertices
	 * first..last of the draw.
	 */
	void (*expect_positions)(const struct vertex_env *env, uint32_t first, uint32_t last);
	/* NULL: project(). The same for the corners of clipped triangles. */
	bool (*project)(const struct draw *d, const struct clip_vertex *v, struct vert *out);
	/*
	 * NULL: vertices are complete. Else called like shade_batch(), after triangles were
	 * clipped, culled and binned by the positions of shade_batch(), once for each vertex of a
	 * segment that is a corner of a binned triangle, or from which clipping made one. Writes
	 * extra, and may change the place, PLANE_IW and PLANE_Z of vert. A triangle stays in its
	 * bins: pixels of other tiles are not drawn. A corner that clipping made keeps the place of
	 * project(); its floats are the sums of those of its triangle's vertices, by weight.
	 * Corners of points and lines keep their places, too. Floats of their own come before the
	 * others: of a point x, 0 left and 1 right, and y, 1 in its first row and 0 in its last
	 * one; of a line, 0 on one side and 1 on the other.
	 * The draw interpolates no other planes, and has no prefix, no flat plane, no assemble().
	 */
	bool (*complete)(const struct vertex_env *env, const struct draw *d, const uint32_t *number,
			unsigned n, enum batch_start start, uint64_t left,
			const struct completed_out *out, struct shader_result *result,
			uint64_t *outside, struct slice *slice);
	/*
	 * NULL: nothing to do. For n assembled triangles, corners as numbers in cv: bit i of
	 * negated[k] says that corner i of triangle k has the planes `negates` with the other sign.
	 * Asked for draws that interpolate one of them.
	 */
	void (*assemble)(const struct clip_vertex *cv, const uint32_t (*corner)[3], unsigned n,
			uint8_t *negated);
	uint32_t negates;
};

/* The properties of a draw's fragments for the walk over a tile. */
struct frag_facts {
	bool early;    /* tests may run, and write, before shading */
	bool opaque;   /* writes whole pixels, reads no destination */
	unsigned cost; /* steps of a fragment that is shaded */
};

struct frag_stage {
	size_t scratch_bytes; /* zero, or as the stage last wrote them */
	/*
	 * NULL, or called before a draw is made current, for work that its fragments would wait
	 * for. Returns false if the slice is over: it is called again, on any thread.
	 */
	bool (*prepare)(const void *kernels, const struct draw_state *state, struct slice *slice);
	/* Makes a draw current in the scratch, which draws to the target. */
	void (*bind)(void *scratch, const void *kernels, const struct raster_kernels *rk,
			const struct draw_state *state, const struct target *target,
			struct frag_facts *facts);
	/*
	 * Tests of quads first..first+n-1 of the batch, before shading: planes hold q values as
	 * interpolated. Clears the bits of b->live that fail.
	 */
	void (*early)(void *scratch, struct batch *b, unsigned first, unsigned n);
	/* The rest for quads 0..b->n_quads-1, stores in quad order. */
	void (*shade)(void *scratch, struct batch *b);
	/*
	 * Early tests, if any, and shading of a whole block of a triangle, before its planes are
	 * interpolated: quad_px are those of 64 consecutive pixels, and any lanes may be set in
	 * b->live. Returns those that passed the early tests.
	 */
	uint64_t (*shade_block)(void *scratch, struct batch *b, const struct raster_block *at);
	/*
	 * NULL, or called before the quads of each triangle: v are its corners, as set up, extra
	 * their floats, if the vertex stage completes vertices. A batch then has quads of one
	 * triangle only.
	 */
	void (*triangle)(void *scratch, const struct vert *const v[3],
			const float *const extra[3]);
	/* At the end of a tile: returns the greatest reported value, or 0, and resets it. */
	uint32_t (*finish)(void *scratch);
};

#endif
