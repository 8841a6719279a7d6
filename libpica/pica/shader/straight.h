/* The instructions of a straight geometry program. Private to the room. */
#ifndef SHADER_STRAIGHT_H
#define SHADER_STRAIGHT_H

#include "pica/shader/prog.h"
#include "pica/shader/shader.h"

/* Flow control is resolved; an EMIT that stores no vertex is left out. */
struct straight_op {
	struct prog_op op;
	int32_t al;
};

_Static_assert(sizeof(struct straight_op) * SHADER_STRAIGHT_STEPS <= SHADER_STRAIGHT_BYTES,
		"room for all instructions");

static inline struct straight_op *straight_ops(const struct shader_straight *s) {
	return (struct straight_op *)(uintptr_t)(const void *)s->ops;
}

/* Fills the slot of straight_v.c; called by shader_kernels_init_<set>() in run_v.c. */
#define SHADER_STRAIGHT_INIT(id, set, arg) \
	void shader_straight_init_##set(struct shader_kernels *k);
ISA_BUILT(SHADER_STRAIGHT_INIT, )

#endif
