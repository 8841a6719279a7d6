/* The steps of a plan, and their memory. Private to the room. */
#ifndef FRAG_STEP_H
#define FRAG_STEP_H

#include "pica/frag/build.h"
#include "pica/frag/frag.h"
#include "pica/frag/kernels.h"
#include "pica/frag/plan.h"

/* The function of a step; for an operation, also its planes in this worker's scratch. */
struct bound_step {
	const struct frag_step *step;
	void (*run)(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
			unsigned n_lanes);
	frag_op_fn *op;
	uint16_t *dst;
	unsigned n_planes;
	struct plane_in in[FRAG_OP_INPUTS];
};

/*
 * One worker's memory. Planes come first, so that the struct has their alignment. Most draws touch
 * only a few KiB of them.
 */
struct frag_scratch {
	PICA_ALIGNED(64) uint16_t plane[FRAG_PLANES][BATCH];
	/* Of the bound draw. */
	struct frag_draw draw;
	const struct raster_state *rs;
	const struct target *target;
	const struct frag_kernels *k;
	const struct tex_kernels *tk;
	const struct raster_kernels *rk;
	frag_depth_fn *early_depth, *late_depth; /* NULL: the test does not use depth */
	frag_test_fn *test_fn;
	bool is_plain; /* the test has a buffer in memory, and counting is off */
	bool is_early; /* there are tests before shading */
	frag_test_block_fn *test_block; /* the early depth and test of a block in one, or NULL */
	struct frag_test test; /* quad_px and z are the batch's */
	const struct raster_block *block; /* of the batch; NULL: the batch is packed */
	/* Planes of a block: interpolated for the late depth; multiplied by w. */
	uint32_t late_planes, attributes;
	struct bound_step step[FRAG_MAX_STEPS];
	const struct bound_step *first, *end; /* of step[], those of a batch */
	struct tex_direct direct[TEX_UNITS]; /* of the units that a texture step samples */
	/* The step that stores; the kernel for whole blocks, if it has one and there is memory. */
	const uint16_t *stored[4];
	frag_store_block_fn *store_block;
	struct light_planes light;
	uint32_t gas_max; /* since the last frag_gas_max() */
};

/* Buffers outside every memory window read as 0. [docs/fidelity.md, "Combiner and output"] */
extern const uint8_t frag_no_memory[4 * 4];
extern const uint32_t frag_no_quads[BATCH_QUADS];

/* Returns operand k of a step in the form that kernels take. */
static inline struct plane_in frag_operand(
		const struct frag_scratch *s, const struct frag_step *st, unsigned k) {
	return (struct plane_in){ s->plane[st->in[k].plane], st->in[k].stride * (size_t)BATCH };
}

/* The first plane of each of texture coordinates 0 to 2. */
extern const uint8_t frag_coord_plane[3];

/* Prepare a draw, and run its tests: output.c. */
void frag_bind_store(struct frag_scratch *s, const struct frag_step *st);
void frag_bind_tests(struct frag_scratch *s);
void frag_run_tests(struct frag_scratch *s, frag_depth_fn *depth_fn, struct batch *b,
		unsigned first, unsigned n);

/* ---- Counting, costs.c: s->draw.costs is not NULL when the draw is bound ---- */

/* Replaces a step's own run(). */
void frag_costs_step(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
		unsigned n_lanes);
/* Replaces the tests of frag_run_tests(). */
void frag_costs_test(struct frag_scratch *s, const struct frag_test *t, struct batch *b,
		unsigned first, unsigned n);

/* ---- Text of a plan ---- */

struct frag_text {
	char *at;
	size_t size, len;
};

PICA_PRINTF(2, 3)
void frag_print(struct frag_text *t, const char *format, ...);
/* "texture0.rgb", "out2.aaa", "zero". */
void frag_print_planes(struct frag_text *t, struct frag_ref r, unsigned n_planes);
/* " <- OPERAND": n_planes of operand 0. */
void frag_print_from(struct frag_text *t, const struct frag_step *st, unsigned n_planes);
void frag_print_dst(struct frag_text *t, const struct frag_step *st);

/* ---- Steps ---- */

/* The functions of a step. NULL: nothing to do. */
struct frag_step_impl {
	/* Sets values of the draw from the register file. Command thread only. */
	void (*consts)(struct frag_consts *c, const uint32_t *regs);
	/*
	 * Puts tables of the draw into the arena of its pass. Command thread only. Returns false
	 * when out of memory.
	 */
	bool (*bind)(struct frag_draw *d, struct frag_consts *c, const struct frag_source *from);
	/* Runs on a batch. n_lanes: lanes of the quads in use, rounded up to a multiple of 16. */
	void (*run)(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
			unsigned n_lanes);
	/* Prints the step's line in the text of a plan, without a newline. */
	void (*print)(struct frag_text *t, const struct frag_plan *p, const struct frag_step *st);
};

/* Binds the fog table, which the colour of gas reads too. */
bool frag_bind_fog(struct frag_draw *d, struct frag_consts *c, const struct frag_source *from);

#define STEP(id, impl) extern const struct frag_step_impl frag_step_##impl;
#include "pica/frag/steps.def"
#undef STEP

/* Indexed by enum frag_step_kind. */
extern const struct frag_step_impl *const frag_steps[STEP_COUNT];

#endif
