/*
 * The part of a vertex program that some outputs need, if the program's flow is the same for all
 * vertices. Private to the room.
 */
#ifndef SHADER_SLICE_H
#define SHADER_SLICE_H

#include "pica/shader/prog.h"
#include "pica/shader/shader.h"

enum { SLICE_OPS = 96 };

/* An instruction of a slice; flow control is already resolved. */
struct slice_op {
	const struct prog_op *op;
	int32_t al;
};

/* As shader_kernels.slice; also stores the instructions, in order, and their number. */
unsigned slice_find(const struct prog *p, unsigned entry, const struct shader_uniforms *u,
		const uint8_t needs[16], struct slice_op ops[SLICE_OPS], unsigned *n_ops,
		unsigned *inputs);

/* Fills the slots of slice_v.c; called by shader_kernels_init_<set>() in run_v.c. */
#define SHADER_SLICE_INIT(id, set, arg) void shader_slice_init_##set(struct shader_kernels *k);
ISA_BUILT(SHADER_SLICE_INIT, )

#endif
