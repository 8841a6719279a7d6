/*
 * A minimal chip, for suites of the core: vertices are arrays, a triangle's colour is a number, and
 * tasks draw bins into buffers, which they store in a picture.
 */
#ifndef CHIP_RIG_H
#define CHIP_RIG_H

#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "core/pass/pass.h"
#include "core/base/morton.h"
#include "random.h"
#include "tests/suite.h"

enum {
	TILES_X = 3,
	TILES_Y = 2,
	MAX_SIDE = 64 * TILES_X,
	MAX_EXTRA = 8,
	MAX_NUMBERS = 4096,
	CLEAR = 0x5A5A5A5A,
};

/* The program's output before and after completion; positions in 1/16 pixel. */
struct toy_vertex {
	float pos[4];
	int32_t x, y; /* for the bins */
	int32_t moved_x, moved_y; /* at last */
	float number; /* of the triangle: its PLANE_Z */
	float extra[MAX_EXTRA];
	float size;       /* of points and lines */
	uint8_t code;     /* besides clip_code() */
};

/* draw_state.vertex; counters are for one thread. */
struct toy {
	const struct toy_vertex *v;
	unsigned steps; /* a vertex, for each of the two */
	bool pauses; /* the slice is over in the middle of each batch of completion */
	unsigned n_pauses;
	unsigned times[MAX_NUMBERS]; /* that a vertex was completed */
};

/* A task: bins to draw, in order, to the tile (x, y). */
struct toy_task {
	unsigned x, y, n_bins, bin[3];
};

struct toy_program {
	struct tile_program base; /* first */
	unsigned side, n_samples;
	struct toy_task task[16];
	/* What was stored. */
	uint32_t sample[RASTER_SAMPLES][MAX_SIDE][MAX_SIDE];
	uint32_t writes[RASTER_SAMPLES][MAX_SIDE][MAX_SIDE]; /* to that pixel */
};

extern const struct raster_rule toy_rule[2]; /* of one sample, of four */
extern const struct vertex_stage toy_simple, toy_completed;
extern const struct frag_stage toy_frag;
extern unsigned toy_unprepared; /* times that a draw's preparation ends with its slice */

extern struct engine engine;
extern struct exec exec;
extern unsigned toy_retired; /* units */

void open_chip(unsigned threads);
void close_chip(void);

/* One task a tile, in the order of rows, that draws its bin. */
void program_tiles(struct toy_program *p, unsigned n_samples);
/*
 * Opens a pass with the states of one draw after the other: draw_toy(). The states are static:
 * at most eight draws a pass.
 */
struct unit *open_toy_pass(struct toy_program *p, uint64_t pixels, uint64_t steps);
/* n vertices of the toy as triangles, or index[n] of them. */
void draw_toy(struct toy *toy, const struct vertex_stage *stage, unsigned topology, uint32_t n,
		const uint32_t *index, uint32_t n_extra);
/* Of the last draw: to be changed before the pass is closed. */
extern struct geom_state *toy_geom;
/* Closes the pass and waits until it is reaped. Returns its result, as exec.retired says. */
int close_toy_pass(void);

/*
 * Returns whether the triangle covers the sample at (x, y) in 1/16 pixel; one on an edge counts as
 * infinitely little to the left, and even less above.
 */
bool toy_covers(const int32_t x[3], const int32_t y[3], int32_t px, int32_t py);

/* Makes a triangle, by its corners in 1/16 pixel, that is inside all planes. */
void toy_triangle(struct toy_vertex v[3], float number, const int32_t x[3], const int32_t y[3]);

#endif
