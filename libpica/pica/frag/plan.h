/* A plan: the steps that a key asks for. Private to the room. */
#ifndef FRAG_PLAN_H
#define FRAG_PLAN_H

#include <stdatomic.h>
#include <stdint.h>

#include "pica/frag/frag.h"
#include "pica/frag/kernels.h"
#include "pica/frag/key.h"

/*
 * Planes of the scratch are grouped in slots of four: R, G, B, A. Each step writes its own planes,
 * so a plane holds one value throughout a batch. Steps can therefore be shared, merged, dropped and
 * moved to bind time.
 */
enum frag_slot {
	SLOT_FIXED, /* plane 0 all 0, plane 1 all 255 */
	/* Constants of a draw, filled by frag_bind(). */
	SLOT_CONST,                         /* of stage 0..5 */
	SLOT_BUFFER = SLOT_CONST + FRAG_STAGES, /* register 0FD */
	SLOT_BLEND,
	SLOT_CONST_END,
	/* Values of a batch. */
	SLOT_PRIMARY = SLOT_CONST_END,
	SLOT_TEXTURE, /* unit 0..2 */
	SLOT_PROCTEX = SLOT_TEXTURE + TEX_UNITS, /* unit 3 */
	SLOT_LIGHT, /* primary, secondary */
	SLOT_TARGET = SLOT_LIGHT + 2,
	SLOT_OUT,                           /* results of stage 0..5 before scaling */
	SLOT_SCALED = SLOT_OUT + FRAG_STAGES,   /* and after scaling */
	SLOT_INPUT = SLOT_SCALED + FRAG_STAGES, /* complemented operands, three per stage */
	SLOT_FACTOR = SLOT_INPUT + 3 * FRAG_STAGES, /* blend factors: source, destination */
	SLOT_RESULT = SLOT_FACTOR + 2,
	SLOT_FOG, /* R, G, B after the fog; or the colour of gas */
	SLOT_COUNT
};

enum {
	FRAG_PLANES = SLOT_COUNT * 4,
	FRAG_PLANE_ZERO = SLOT_FIXED * 4,
	FRAG_PLANE_FULL,
};

_Static_assert(FRAG_PLANES <= 256, "planes are numbered by bytes");

/* A value: planes plane, plane + 1, plane + 2 with stride 1; one plane repeated with stride 0. */
struct frag_ref {
	uint8_t plane, stride;
};

#define STEP(id, impl) STEP_##id,
enum frag_step_kind {
#include "pica/frag/steps.def"
	STEP_COUNT
};
#undef STEP

struct frag_step {
	uint8_t kind; /* enum frag_step_kind */
	uint8_t op;   /* enum frag_op, or as steps.def says */
	uint8_t n_planes;
	uint8_t dst;
	uint8_t n_in; /* STEP_OP: number of operands */
	struct frag_ref in[FRAG_OP_INPUTS];
};

enum {
	/* A stage: three operands, operation and scale, for RGB and alpha; the blender likewise. */
	FRAG_MAX_OPS = FRAG_STAGES * 10 + 8,
	FRAG_MAX_STEPS = FRAG_MAX_OPS + 10,
	FRAG_MAX_FILLS = SLOT_CONST_END * 4,
};

struct frag_plan {
	atomic_int refs;
	struct pica_memory *memory;
	/* Owned by the cache. */
	struct frag_plan *next;
	uint64_t hash, last_use;

	struct frag_key key;
	struct frag_info info;
	bool tests; /* depth or stencil has an effect */
	uint8_t test; /* enum frag_test_kind */
	uint8_t n_fills, n_bind, n_steps;
	uint8_t fill[FRAG_MAX_FILLS]; /* constant planes that are read */
	/* n_bind that run once per draw, then n_steps that run per batch */
	struct frag_step step[FRAG_MAX_STEPS];
};

/* Fills the members that are derived from the key. Cannot fail. */
void frag_plan_build(struct frag_plan *p);

#endif
