/*
 * Finds the primitives of a draw that touch one pixel, for tools: slow, and separate from the draw
 * itself.
 */
#ifndef CHUNK_WATCH_H
#define CHUNK_WATCH_H

#include "core/chunk/chunk.h"

enum watch_fate {
	WATCH_DRAWN,
	WATCH_CULLED,     /* it faces away */
	WATCH_CLIPPED,    /* its part that covers the pixel lies outside of a clip plane */
	WATCH_DEGENERATE, /* it has no area: a point or a line in the pixel */
};

struct watched {
	uint32_t draw;      /* as segment.draw */
	uint32_t primitive; /* of the draw */
	uint32_t position[3]; /* of its corners in the draw's stream */
	enum watch_fate fate;
	/*
	 * The corners after clipping; of CLIPPED and DEGENERATE, as assembled. Valid
	 * during the call.
	 */
	const struct vert *v[3];
};

/*
 * Computes the barycentric position of the centre of pixel (x, y) in the triangle; all 0 if the
 * triangle has no area. px: the size of a pixel in position units.
 */
void watch_barycentric(const struct watched *w, uint32_t x, uint32_t y, int px, float out[3]);

typedef void watch_fn(void *user, const struct watched *w);

/* Working memory, for one caller at a time. */
struct watch {
	struct chunk *chunk;
	struct vertex_scratch *scratch;
};

/* Returns 0 or -ENOMEM; watch_finish() is allowed in any case. */
int watch_init(struct watch *w, size_t stage_bytes);
void watch_finish(struct watch *w);

/*
 * Shades the segment's vertices and calls back, in order, for each triangle that covers pixel
 * (x, y) of the target, or would have, regardless of the scissor test. No calls for a draw of
 * points or lines. work: raster, kernels, draws, tile_size, space, abandoned. Returns 0 or
 * -ENOMEM.
 */
int watch_segment(struct watch *w, const struct pass_work *work, const struct segment *seg,
		const struct target *target, uint32_t x, uint32_t y, watch_fn *fn, void *user);

#endif
