/*
 * Draws one tile of one pass, on one thread at a time: walks the chunks in order and draws their
 * triangles into the target.
 */
#ifndef TILE_TILE_H
#define TILE_TILE_H

#include <stdint.h>

#include "core/chunk/chunk.h"

enum { TILE_BUFFER_PX = 64 * 64 }; /* or 32 * 32 with four samples */

/* The pixels of one tile, in 8x8 blocks; with four samples, all of sample 0 first, and so on. */
struct tile_buffer {
	PICA_ALIGNED(64) uint32_t color[TILE_BUFFER_PX];
	PICA_ALIGNED(64) uint32_t depth[TILE_BUFFER_PX];
	uint64_t spent; /* private to the program */
};

/* A bin to draw, and the first pixel of the tile to draw it to. */
struct tile_walk {
	unsigned bin;
	int32_t org_x, org_y;
};

enum tile_next { TILE_ENDS, TILE_GOES_ON, TILE_WALKS };

/*
 * The tasks of a chip that draws into tile buffers: each task loads and stores the buffer of a tile
 * and draws bins in between. Tasks may run concurrently.
 */
struct tile_program {
	unsigned n_tasks; /* at most EXEC_MAX_TILES */
	uint32_t n_walks; /* of the bin that is drawn most often; the cost of a pixel */
	/*
	 * Runs the next step of a task. *at is 0 at the first step; later steps find *at and the
	 * buffer as the previous step left them. At the first step the contents of the buffer are
	 * undefined. After TILE_WALKS, *walk is drawn before the next step.
	 */
	enum tile_next (*step)(const struct tile_program *p, unsigned task, uint32_t *at,
			struct tile_buffer *buffer, struct tile_walk *walk);
};

struct tile_stats {
	uint64_t batches, fragments;
	uint32_t greatest; /* the greatest report of the fragment stages */
};

/* The memory of a worker: batches, a triangle, and stage_bytes for fragment stages. */
struct tile_scratch;
struct tile_scratch *tile_scratch_create(size_t stage_bytes);
void tile_scratch_destroy(struct tile_scratch *s);

/*
 * Begins a tile, or a task of w->program. Different tiles may run concurrently, each with its own
 * scratch.
 */
void tile_begin(struct tile_scratch *s, const struct pass_work *w, unsigned tile);
/*
 * Draws. Returns true when the tile is done and *stats is set. Returns false when the slice is
 * over: call it again, on any thread.
 */
bool tile_go_on(struct tile_scratch *s, struct slice *slice, struct tile_stats *stats);

#endif
