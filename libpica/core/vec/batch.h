/* 64 fragments as a structure of arrays, for the fragment pipe. */
#ifndef VEC_BATCH_H
#define VEC_BATCH_H

#include <stdint.h>

#include "core/base/attributes.h"

enum {
	BATCH = 64,
	BATCH_QUADS = 16,
	BATCH_SAMPLES = 4,
};

/*
 * The attributes of a vertex and the planes of a batch share these numbers; a chip names its own
 * from PLANE_USER on. In a vertex record and in a new batch, PLANE_IW holds 1/w and PLANE_Z holds
 * z/w, both linear in screen space; the masks of struct raster_state define the others.
 */
enum plane {
	PLANE_IW,
	PLANE_Z,
	PLANE_USER,
	PLANE_MAX = 20,
};

/*
 * A batch is 16 quads of 4 fragments in Morton order: lane 4q+0 (x,y), +1 (x+1,y), +2 (x,y+1),
 * +3 (x+1,y+1), y counted in memory rows. The quads are either the 16 of one 8x8 block, which are
 * consecutive pixels of the target, or packed from several triangles of one state.
 */
struct batch {
	PICA_ALIGNED(64) float f[PLANE_MAX][BATCH];
	PICA_ALIGNED(64) float depth[BATCH];     /* depth in [0, 1] */
	PICA_ALIGNED(64) uint32_t z[BATCH];      /* depth as integer of the target's width */
	/* bit i: fragment i is covered and not discarded */
	uint64_t live;
	/* With four samples per pixel: as live, for the coverage of each. live is their union. */
	uint64_t samples[BATCH_SAMPLES];
	/* index in the target of each quad's first pixel */
	uint32_t quad_px[BATCH_QUADS];
	unsigned n_quads;                        /* quads in use; lanes after them are dead */
};

#endif
