/*
 * One tile of one pass, on one thread at a time: walks the chunks in order, draws triangles into
 * the target.
 */
#ifndef TILE_TILE_H
#define TILE_TILE_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/sched/slice.h"
#include "core/space/space.h"
#include "pica/draw/draw.h"
#include "pica/draw/kernels.h"

/*
 * Work per pixel, by pixel index in the target. Tiles of a pass share no pixel, and passes on one
 * target wait for each other, so these are plain sums.
 */
struct tile_counts {
	uint32_t *entered; /* fragments that were covered */
	uint32_t *passed;  /* and passed all tests */
	uint32_t *cost;    /* plan steps that they went through */
};

/* What all tiles of a pass share; read-only while they run. */
struct tile_work {
	const struct kernels *k;
	const struct draw *const *draws;
	struct chunk *const *chunks;
	unsigned n_chunks;
	unsigned tile_size; /* 32 or 64 */
	unsigned tiles_x, tiles_y;
	const struct target *target;
	/*
	 * Slow and exact: colour and depth overlap, or part of the target lies outside memory. One
	 * call for tile 0, triangle by triangle, pixels ascending in memory (fidelity: aliasing).
	 */
	bool serial;
	bool outside;        /* serial: go through space for every pixel */
	bool is_counted;     /* for tools; costs a branch a batch when it is off */
	struct tile_counts counts;
	const struct space *space;
	/* relaxed: true ends all tasks of the pass, whatever they have drawn */
	const atomic_bool *abandoned;
};

static inline bool tile_is_abandoned(const struct tile_work *w) {
	return atomic_load_explicit(w->abandoned, memory_order_relaxed);
}

struct tile_stats {
	uint64_t batches, fragments;
	uint32_t gas_max; /* greatest density of gas that was stored, as f16 */
};

/* A worker's memory: batches, triangle, colour planes. */
struct tile_scratch;
struct tile_scratch *tile_scratch_create(void);
void tile_scratch_destroy(struct tile_scratch *s);

/* Tiles of different numbers may run at once, each in a scratch of its own. */
void tile_begin(struct tile_scratch *s, const struct tile_work *w, unsigned tile);
/* False: the slice is over; call it again, on any thread. True: all is drawn, *stats is set. */
bool tile_go_on(struct tile_scratch *s, struct slice *slice, struct tile_stats *stats);

#endif
