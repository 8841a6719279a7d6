/*
 * One tile of one pass, on one thread at a time: walks the chunks in order, draws triangles into
 * the target.
 */
#ifndef TILE_TILE_H
#define TILE_TILE_H

#include <stdint.h>

#include "core/chunk/chunk.h"

struct tile_stats {
	uint64_t batches, fragments;
	uint32_t greatest; /* of the reports of fragment stages */
};

/* A worker's memory: batches, a triangle, and stage_bytes for fragment stages. */
struct tile_scratch;
struct tile_scratch *tile_scratch_create(size_t stage_bytes);
void tile_scratch_destroy(struct tile_scratch *s);

/* Tiles of different numbers may run at once, each in a scratch of its own. */
void tile_begin(struct tile_scratch *s, const struct pass_work *w, unsigned tile);
/*
 * Returns true when all is drawn and *stats is set; false when the slice is over: call it again, on
 * any thread.
 */
bool tile_go_on(struct tile_scratch *s, struct slice *slice, struct tile_stats *stats);

#endif
