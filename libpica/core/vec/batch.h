/* 64 fragments, structure of arrays: what the fragment pipe works on. */
#ifndef VEC_BATCH_H
#define VEC_BATCH_H

#include <stdint.h>

#include "core/base/attributes.h"

enum {
	BATCH = 64,
	BATCH_QUADS = 16,
};

/*
 * Attributes of a vertex and planes of a batch share these numbers. In a vertex record and in a
 * fresh batch every plane holds q = A/w (PLANE_IW: 1/w, PLANE_Z: z/w, linear in screen space);
 * after the perspective step the planes from PLANE_COLOR on hold A itself and PLANE_IW holds w =
 * 1/(1/w).
 */
enum plane {
	PLANE_IW,
	PLANE_Z,
	PLANE_COLOR, /* r g b a */
	PLANE_TC0 = PLANE_COLOR + 4, /* u v */
	PLANE_TC0_W = PLANE_TC0 + 2,
	PLANE_TC1 = PLANE_TC0_W + 1,
	PLANE_TC2 = PLANE_TC1 + 2,
	PLANE_QUAT = PLANE_TC2 + 2, /* x y z w */
	PLANE_VIEW = PLANE_QUAT + 4, /* x y z */
	PLANE_COUNT = PLANE_VIEW + 3,
};

/*
 * A batch is 16 quads of 4 fragments in Morton order: lane 4q+0 (x,y), +1 (x+1,y), +2 (x,y+1),
 * +3 (x+1,y+1), y counted in memory rows. Either the 16 quads of one 8x8 block, which are then
 * consecutive pixels of the target, or quads packed from several triangles of one state.
 */
struct batch {
	PICA_ALIGNED(64) float f[PLANE_COUNT][BATCH];
	PICA_ALIGNED(64) float depth[BATCH];     /* depth in [0, 1] */
	PICA_ALIGNED(64) uint32_t z[BATCH];      /* depth as integer of the target's width */
	/* bit i: fragment i is covered and not discarded */
	uint64_t live;
	/* index in the target of each quad's first pixel */
	uint32_t quad_px[BATCH_QUADS];
	unsigned n_quads;                        /* quads in use; lanes behind them are dead */
};

#endif
