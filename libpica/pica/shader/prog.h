/* A decoded program: one record per code word, including its operand descriptor. */
#ifndef SHADER_PROG_H
#define SHADER_PROG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "pica/shader/isa.h"

/* Conditions of format 2: which flags count. */
enum prog_condition {
	CONDITION_OR,
	CONDITION_AND,
	CONDITION_X,
	CONDITION_Y,
};

/* Components are bits of a mask, bit 0 = x. */
struct prog_op {
	uint8_t op;            /* enum shader_op */
	uint8_t n_src;
	uint8_t dst;           /* 0-15 o, 16-31 r */
	uint8_t mask;          /* components written */
	uint8_t src[3];        /* as the wide field: v, r, c */
	/* components of its register that source s reads through the swizzle */
	uint8_t reads[3];
	uint8_t swizzle[3][4]; /* [s][k]: the register component that is component k of source s */
	uint8_t negate;        /* bit s */
	uint8_t rel;           /* 0 none, 1 a0.x, 2 a0.y, 3 aL */
	uint8_t rel_src;       /* the source that rel applies to: a uniform */
	/* if written component by component, would read components that it has already written */
	bool overlaps;
	/*
	 * The same for kernels: components to write, in order, and components to read, for each of
	 * them (if each, that is, uses EACH) or for components 0-3.
	 */
	uint8_t n_out, out[4];
	bool each;
	uint8_t from[3][4];
	uint8_t cmp[2];        /* CMP: comparison operators of x and y */
	uint8_t condition;     /* enum prog_condition */
	bool ref[2];
	uint8_t id;            /* number of the bool or int uniform; SETEMIT: vertex */
	uint8_t num;
	bool prim, winding;    /* SETEMIT */
	uint16_t target;
};

struct prog {
	atomic_uint refs;
	unsigned n_words;
	struct pica_memory *memory;
	struct prog_op ops[];
};

#endif
