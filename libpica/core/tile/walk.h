/* A walk over a tile: shared by the files of this room. */
#ifndef TILE_WALK_H
#define TILE_WALK_H

#include "core/base/morton.h"
#include "core/tile/tile.h"

enum {
	LIST_QUADS = RASTER_SMALL_QUADS,
	TILE_QUADS = 32, /* maximum in a row or column of a tile */
	TRIANGLE_TICKS = 100, /* approximate maximum time, in ns */
};

/* The 8x8 blocks that a triangle may touch, inclusive. */
struct block_box {
	int x0, y0, x1, y1;
};

/* Four pixels of a target that may lie outside memory. */
struct quad_window {
	struct target target;
	uint8_t color[16], depth[16];
};

/* The next block to draw. */
struct cursor {
	unsigned tile, chunk;
	uint32_t tri; /* index in the chunk's list for the tile; serial: in tris */
	/* Serial: if the triangle was begun, its next block. */
	bool is_inside;
	struct block_box box;
	int bx, by;     /* multiples of 4 where blocks are 32x32 */
	unsigned block; /* of the 16 (or 1) there */
};

/* The quads of the current triangle that are not yet in a batch. */
struct quad_list {
	struct raster_quad at[LIST_QUADS];
	uint32_t px[LIST_QUADS];  /* of the first pixel */
	uint8_t mask[LIST_QUADS]; /* not 0 */
	unsigned n;
};

struct tile_scratch {
	struct batch packed;
	struct batch block;
	struct tri tri;
	struct quad_list list;
	bool has_steps; /* of tri */
	const struct pass_work *work;
	struct cursor at;
	struct quad_window win; /* serial */
	/* Of the current draw: */
	const struct raster_kernels *k;
	const struct draw *draw;
	const struct frag_stage *stage;
	const struct frag_stage *owner; /* the stage whose state frag[] holds */
	const struct target *target;
	struct frag_facts facts;
	unsigned quad_planes; /* tri_planes() */
	bool may_repeat; /* a pixel may be pending twice: early tests, opaque */
	bool defers;     /* early tests of packed quads wait until the batch is full */
	unsigned n_tested; /* quads of the packed batch after early tests */
	const struct tile_counts *counts; /* NULL: not requested */
	int org_x, org_y;                 /* of the tile */
	/* The first pixel of a quad is column_px of its column + row_px of its row. */
	uint32_t column_px[TILE_QUADS], row_px[TILE_QUADS];
	/* With a program: */
	struct target local; /* the buffer */
	unsigned task;
	uint32_t step;
	bool is_walking;
	/* Hash bits of pending quads and some that failed their tests. Clear: no conflict. */
	uint64_t pending;
	struct tile_stats stats;
	struct tile_buffer buffer; /* of a program */
	PICA_ALIGNED(64) unsigned char frag[]; /* of the stages */
};

static inline uint32_t block_px(const struct target *t, int x, int y) {
	return block_index((uint32_t)(x - t->org_x) >> 3, (uint32_t)(y - t->org_y) >> 3,
			t->width >> 3, t->block32);
}

static inline uint32_t quad_px(const struct target *t, int x, int y) {
	return block_px(t, x, y) + morton8((uint32_t)x & 7, (uint32_t)y & 7);
}

/* Prepares a draw before walk_bind(). Returns false if the slice is over. */
static inline bool walk_prepare(
		const struct tile_scratch *s, const struct draw *d, struct slice *slice) {
	const struct frag_stage *stage = d->state.frag_stage;
	return d == s->draw || !stage->prepare ||
			stage->prepare(s->work->kernels, &d->state, slice);
}

/* Makes a draw current. */
void walk_bind(struct tile_scratch *s, const struct draw *d, const struct target *target);
/*
 * Draws all chunks triangle by triangle, each with its pixels in ascending memory order. Returns
 * false if the slice is over.
 */
bool walk_serial(struct tile_scratch *s, struct slice *slice);

#endif
