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
	const void *inline_vertices; /* of the vertex stage: they lie in no memory */
};

/* The inputs of a vertex stage. */
struct vertex_env {
	const void *kernels; /* the chip's */
	const struct space *space;
	void *scratch;       /* one worker's: vertex_stage.scratch_bytes, 64-byte aligned */
};

/* Its output for each vertex. */
struct vertex_out {
	struct clip_vertex *cv;
	struct vert *vert;  /* as project() */
	uint8_t *code, *ok; /* clip_code(); what project() returns */
};

struct vertex_stage {
	size_t scratch_bytes;
	/*
	 * Vertices of the draw by number, at most VERTEX_BATCH. is_first: the batch before with
	 * this scratch was not the draw's. left: steps that the job has left; an invocation that
	 * takes one more may be cut off. Adds to *result, and to *outside the elements that lie in
	 * no memory.
	 */
	void (*shade_batch)(const struct vertex_env *env, const struct draw *d,
			const uint32_t *number, unsigned n, bool is_first, uint64_t left,
			const struct vertex_out *out, struct shader_result *result,
			uint64_t *outside);
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
	unsigned cost; /* of a fragment that is shaded, in steps */
};

struct frag_stage {
	size_t scratch_bytes;
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
	/* At the end of a tile: the greatest value that it has to report, or 0; forgets it. */
	uint32_t (*finish)(void *scratch);
};

#endif
