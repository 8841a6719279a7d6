/* Private to the room: the vector kernels of one set, and where their lanes lie. */
#ifndef RASTER_VECTOR_H
#define RASTER_VECTOR_H

#include "core/base/morton.h"
#include "core/raster/raster.h"
#include "core/vec/vec.h"

bool VFN(raster_setup)(struct tri *t, const struct raster_state *rs, const struct vert *v0,
		const struct vert *v1, const struct vert *v2, int org_x, int org_y, int size);
uint64_t VFN(raster_cover_block)(const struct tri *t, int x, int y);
unsigned VFN(raster_cover_quads)(const struct tri *t, struct raster_quad at[RASTER_SMALL_QUADS],
		uint8_t mask[RASTER_SMALL_QUADS]);
void VFN(raster_cover_samples)(const struct tri *t, int x, int y, uint64_t mask[RASTER_SAMPLES]);
void VFN(raster_steps)(struct tri *t);
void VFN(raster_bases)(const struct tri *t, int x, int y, float base[PLANE_MAX]);
void VFN(raster_interp_block)(const struct raster_block *at, uint32_t planes, struct batch *b);
void VFN(raster_attributes)(const struct raster_block *at, uint32_t planes, struct batch *b);
unsigned VFN(raster_interp_quads)(const struct tri *t, const struct raster_quad *at, unsigned n,
		struct batch *b, unsigned first, unsigned from, unsigned end);
void VFN(raster_perspective)(const struct raster_state *rs, struct batch *b);

/*
 * A vector holds VF_LANES pixels of a block in Morton order: a rectangle of VX by VY pixels, which
 * is 2x2 with 4 lanes, 4x2 with 8, 4x4 with 16. Vector g begins at (VEC_X(g), VEC_Y(g)), and the
 * lanes' places within the rectangle are lane_x and lane_y.
 */
#define VX (VF_LANES >= 8 ? 4 : 2)
#define VY (VF_LANES >= 16 ? 4 : 2)
#define VEC_X(g) ((int)morton8_x((uint32_t)(g) * VF_LANES))
#define VEC_Y(g) ((int)morton8_y((uint32_t)(g) * VF_LANES))

enum {
	BLOCK_VECTORS = BATCH / VF_LANES,
};

/*
 * M(g) for each vector of a block, written out, so that its place is a constant. (As a loop the
 * block interpolation takes twice the time.)
 */
#define EACH_VECTOR(M) \
	M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15)
#define IS_VECTOR(g) ((g) < BLOCK_VECTORS)
/* Index of vector g among the columns / rows of vectors. */
#define VEC_COLUMN(g) (VEC_X((g) % BLOCK_VECTORS) / VX)
#define VEC_ROW(g) (VEC_Y((g) % BLOCK_VECTORS) / VY)

static const int32_t lane_x[16] = { 0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3 };
static const int32_t lane_y[16] = { 0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3 };

#endif
