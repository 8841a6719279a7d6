/*
 * Screen triangles: set-up, coverage and interpolation.
 *
 * All coordinates are in memory rows: x to the right, y = row of the target in memory order
 * (fidelity: rows). Positions are fixed point; their fractional bits and the samples of a pixel are
 * those of a chip's struct raster_rule.
 */
#ifndef RASTER_RASTER_H
#define RASTER_RASTER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/raster/rule.h"
#include "core/vec/batch.h"
#include "core/vec/cpu.h"

/* A projected vertex. Attributes are numbered by enum plane; those of perspective
 * planes are already multiplied by 1/w. */
struct vert {
	int32_t x_fx, y_fx; /* below 2^17; each within 2^16 + 2^13 of the other vertices' */
	float a[PLANE_MAX];
};

static inline int32_t min3(int32_t a, int32_t b, int32_t c) {
	const int32_t m = a < b ? a : b;
	return m < c ? m : c;
}

static inline int32_t max3(int32_t a, int32_t b, int32_t c) {
	const int32_t m = a > b ? a : b;
	return m > c ? m : c;
}

/* The rasteriser's part of a draw's state; part of the draw's snapshot. */
struct raster_state {
	const struct raster_rule *rule;
	bool exclude;    /* pixels inside ex_* are dropped */
	uint32_t perspective; /* bit p: plane p holds A/w; the kernel multiplies it by w */
	uint32_t flat;        /* bit p: plane p holds the plain value of one vertex */
	uint8_t n_planes;
	uint8_t plane[PLANE_MAX]; /* planes to interpolate, ascending; PLANE_IW always, first */
	/* Pixels that may be drawn, inclusive, memory rows; empty when min > max. */
	int32_t min_x, min_y, max_x, max_y;
	int32_t ex_min_x, ex_min_y, ex_max_x, ex_max_y;
};

/* A triangle ready to draw in one tile; lives in the tile worker's scratch. */
struct tri {
	const struct raster_state *rs;
	/* Pixels to visit, inclusive: bounding box, tile and drawable rectangle intersected. */
	int32_t min_x, min_y, max_x, max_y;
	/*
	 * Edge k at sample s of pixel (x, y): e[s][k] + (x - org_x) * ex[k] + (y - org_y) * ey[k]
	 * >= 0 is inside; the tie rule is in e. org is the tile's origin; exact in int32 all over
	 * the tile. Only the rule's samples, and edges 0 to 2, are defined.
	 */
	int32_t org_x, org_y;
	int32_t e[RASTER_SAMPLES][4], ex[4], ey[4];
	/* Planes: q at vertex 0 and gradients per fraction of a pixel (fidelity: planes). */
	float x0, y0; /* vertex 0, as float */
	int32_t pixel; /* fractions in a pixel */
	float q0[PLANE_MAX], gx[PLANE_MAX], gy[PLANE_MAX];
	/* From a block's first pixel to its others, in Morton order: by the kernel of that name. */
	PICA_ALIGNED(64) float steps[PLANE_MAX][BATCH];
};

/* A whole 8x8 block of a triangle whose steps are computed. */
struct raster_block {
	const struct tri *tri;
	PICA_ALIGNED(16) float base[PLANE_MAX]; /* planes at its origin, by the kernel bases() */
};

/* Pixels, inclusive; empty when min > max. */
struct pixel_box {
	int32_t min_x, min_y, max_x, max_y;
};

/* Pixels of the drawable rectangle with a sample within the triangle's bounds. */
static inline struct pixel_box raster_bounds(const struct raster_state *rs, const struct vert *v0,
		const struct vert *v1, const struct vert *v2) {
	const struct raster_rule *r = rs->rule;
	struct pixel_box b = {
		rule_first_pixel(r, min3(v0->x_fx, v1->x_fx, v2->x_fx), r->last.x),
		rule_first_pixel(r, min3(v0->y_fx, v1->y_fx, v2->y_fx), r->last.y),
		rule_last_pixel(r, max3(v0->x_fx, v1->x_fx, v2->x_fx), r->first.x),
		rule_last_pixel(r, max3(v0->y_fx, v1->y_fx, v2->y_fx), r->first.y),
	};
	b.min_x = b.min_x > rs->min_x ? b.min_x : rs->min_x;
	b.min_y = b.min_y > rs->min_y ? b.min_y : rs->min_y;
	b.max_x = b.max_x < rs->max_x ? b.max_x : rs->max_x;
	b.max_y = b.max_y < rs->max_y ? b.max_y : rs->max_y;
	return b;
}

/*
 * Returns the number of planes that are set up: up to the last one of rs->plane, rounded up to a
 * multiple of 4.
 */
static inline unsigned tri_planes(const struct raster_state *rs) {
	_Static_assert(PLANE_MAX % 4 == 0, "whole fours of planes");
	return (rs->plane[rs->n_planes - 1] + 4u) & ~3u;
}

/* Where a 2x2 quad lies: its first pixel, both even. */
struct raster_quad {
	int32_t x, y;
};

/*
 * A triangle is small if the width and height of its box are within the first limit, and two of its
 * edges are within the second, in fractions of a pixel (the third edge is then at most twice that).
 * It touches at most the third number of quads.
 */
enum { RASTER_SMALL_PX = 8, RASTER_SMALL_EDGE = 255, RASTER_SMALL_QUADS = 25 };

static inline bool raster_is_small(const struct tri *t) {
	const uint32_t most = RASTER_SMALL_EDGE; /* a sum outside 0..511 has higher bits */
	const uint32_t edges = ((uint32_t)t->ex[0] + most) | ((uint32_t)t->ey[0] + most) |
			((uint32_t)t->ex[1] + most) | ((uint32_t)t->ey[1] + most);
	return t->max_x - t->min_x < RASTER_SMALL_PX && t->max_y - t->min_y < RASTER_SMALL_PX &&
			edges < 2 * (most + 1);
}

struct raster_kernels {
	/*
	 * Sets up the triangle for the tile whose pixels are [org_x, org_x + size) x [org_y, org_y
	 * + size), size <= 64, multiples of 8. Any orientation; area must not be 0. Returns false
	 * if no pixel can be touched (*t is then undefined). Only the first tri_planes() planes are
	 * defined in *t. The tie rule holds in window space, whatever
	 * rs->rule->flip.
	 */
	bool (*setup)(struct tri *t, const struct raster_state *rs, const struct vert *v0,
			const struct vert *v1, const struct vert *v2, int org_x, int org_y,
			int size);
	/*
	 * Covered and drawable pixels of the 8x8 block at pixel (x, y), bit = Morton index. x and y
	 * are multiples of 8; the block lies in the tile.
	 */
	uint64_t (*cover_block)(const struct tri *t, int x, int y);
	/*
	 * The same for a triangle whose box is small, by quads: writes the quads that have such
	 * pixels, row by row, with a mask of these pixels in bits 0-3. Returns the number of quads.
	 * Elements after them may be overwritten.
	 */
	unsigned (*cover_quads)(const struct tri *t, struct raster_quad at[RASTER_SMALL_QUADS],
			uint8_t mask[RASTER_SMALL_QUADS]);
	/*
	 * The two above test sample 0; this one tests all four: mask[s] is sample s of the block.
	 */
	void (*cover_samples)(const struct tri *t, int x, int y, uint64_t mask[RASTER_SAMPLES]);
	/* Computes t->steps of the planes rs->plane. */
	void (*steps)(struct tri *t);
	/* Computes base[] of the block at (x, y), at least of the planes rs->plane. */
	void (*bases)(const struct tri *t, int x, int y, float base[PLANE_MAX]);
	/*
	 * All 64 lanes of the planes of the mask, which are of rs->plane, by the formula of
	 * [fidelity: planes].
	 */
	void (*interp_block)(const struct raster_block *at, uint32_t planes, struct batch *b);
	/*
	 * PLANE_IW and the planes of the mask (which does not contain PLANE_IW), as after
	 * perspective().
	 */
	void (*attributes)(const struct raster_block *at, uint32_t planes, struct batch *b);
	/*
	 * The same values for n quads (0..BATCH_QUADS) anywhere into lanes 4*first and up. Planes
	 * from to end - 1, both multiples of 4, end <= tri_planes(), and more where a vector is
	 * longer than four, since a quad is too little for one plane at a time. Returns the first
	 * plane that is not there.
	 */
	unsigned (*interp_quads)(const struct tri *t, const struct raster_quad *at, unsigned n,
			struct batch *b, unsigned first, unsigned from, unsigned end);
	/*
	 * PLANE_IW becomes w = 1.0f / iw; planes of rs->perspective are multiplied by w, the others
	 * stay. All lanes of the first n_quads quads.
	 */
	void (*perspective)(const struct raster_state *rs, struct batch *b);
};

/* Fills the table for an instruction set: C first, then the kernels of the set. */
void raster_kernels_init(struct raster_kernels *k, enum isa isa);
/* The plain C kernels. */
bool raster_setup_c(struct tri *t, const struct raster_state *rs, const struct vert *v0,
		const struct vert *v1, const struct vert *v2, int org_x, int org_y, int size);
uint64_t raster_cover_block_c(const struct tri *t, int x, int y);
unsigned raster_cover_quads_c(const struct tri *t, struct raster_quad at[RASTER_SMALL_QUADS],
		uint8_t mask[RASTER_SMALL_QUADS]);
void raster_cover_samples_c(const struct tri *t, int x, int y, uint64_t mask[RASTER_SAMPLES]);
void raster_steps_c(struct tri *t);
void raster_bases_c(const struct tri *t, int x, int y, float base[PLANE_MAX]);
void raster_interp_block_c(const struct raster_block *at, uint32_t planes, struct batch *b);
void raster_attributes_c(const struct raster_block *at, uint32_t planes, struct batch *b);
unsigned raster_interp_quads_c(const struct tri *t, const struct raster_quad *at, unsigned n,
		struct batch *b, unsigned first, unsigned from, unsigned end);
void raster_perspective_c(const struct raster_state *rs, struct batch *b);
ISA_KERNELS(raster)

#endif
