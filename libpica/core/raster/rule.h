/*
 * The rasteriser rules of a chip. Positions are fixed point with subpixel_bits
 * fractional bits; a pixel is 1 << subpixel_bits wide.
 */
#ifndef RASTER_RULE_H
#define RASTER_RULE_H

#include <stdbool.h>
#include <stdint.h>

enum { RASTER_SAMPLES = 4 }; /* BATCH_SAMPLES */

struct raster_sample {
	int32_t x, y;
};

/* A distance in clip space: w - p, w + p, -p (p: the coordinate of the axis), or a draw's plane. */
enum clip_form { CLIP_W_MINUS, CLIP_W_PLUS, CLIP_MINUS, CLIP_USER };

/* Inside means a distance of at least `least`. */
struct clip_plane {
	uint8_t form, axis;
	float least;
};

enum { CLIP_PLANES = 7 };

struct raster_rule {
	uint8_t subpixel_bits; /* 0..4: set-up is exact in 32 bits up to there */
	uint8_t n_samples;     /* 1 or 4 */
	bool flip;             /* memory rows run against window y */
	/*
	 * A sample on an edge is inside if the triangle is on the tie_x side of the edge (1:
	 * greater x, -1: smaller x); for a horizontal edge, on the tie_y side (window y). So a
	 * sample on an edge that two triangles share is drawn by exactly one of them.
	 */
	int8_t tie_x, tie_y;
	/* Samples within the pixel, in fractions of it: x to the right, y in memory rows. */
	struct raster_sample sample[RASTER_SAMPLES];
	struct raster_sample last, first; /* greatest and least of their coordinates */
	float viewport_bias;   /* added to x/w and y/w before they are scaled */
	uint8_t n_clip_planes; /* one of form CLIP_USER is the last; not every draw has it */
	struct clip_plane clip_plane[CLIP_PLANES];
};

/*
 * Return the first pixel whose sample (at offset) is at or after x, and the last pixel whose sample
 * is at or before x.
 */
static inline int32_t rule_first_pixel(const struct raster_rule *r, int32_t x, int32_t offset) {
	return (x - offset + (1 << r->subpixel_bits) - 1) >> r->subpixel_bits;
}

static inline int32_t rule_last_pixel(const struct raster_rule *r, int32_t x, int32_t offset) {
	return (x - offset) >> r->subpixel_bits;
}

#endif
