/*
 * Programs without branches, as lists of operations on rows of up to 64 lanes. Each word is
 * analysed once: the origin of its values, whether its results are used, whether a float is
 * already flushed. Private to the room.
 */
#ifndef VC4_RUN_WIDE_H
#define VC4_RUN_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/attributes.h"
#include "vc4/run/run.h"
#include "vc4/tex/texture.h"

enum wide_code {
#define WIDE(name, operands) WIDE_##name,
#include "vc4/run/wide.def"
#undef WIDE
	WIDE_COUNT,
	WIDE_FIRST = WIDE_W, /* the first code that is executed */
};

enum { WIDE_ROWS = 240, WIDE_TEXTURES = 16, WIDE_OPERANDS = 4, WIDE_ALL_LANES = 2 };

/*
 * plain is the code to execute instead of code if no number turns out to be tiny or undefined: sums
 * and products need no flushing then, if whoever takes them takes -0 for +0.
 */
struct wide_op {
	uint8_t code, plain, imm;
	uint8_t to, in[WIDE_OPERANDS]; /* rows */
	uint8_t value;
};

/* wide_op.value of an ELEMENT: its place in a group, whose other members follow it. */
enum wide_place { WIDE_ALONE, WIDE_LEADER, WIDE_MEMBER, WIDE_GROUP = 4 };

/* A row that a binding fills: a constant, or a uniform. */
struct wide_fill {
	uint8_t row;
	bool is_uniform, is_seen;
	uint32_t value; /* of a uniform: its number */
};

struct wide_texture {
	uint8_t n_words;
	uint16_t uniform[4];
};

struct qpu_wide {
	unsigned n_steps;    /* words of the program */
	unsigned n_uniforms; /* read by the program */
	unsigned n_varyings, n_vpm_in; /* read by the program: at least this many must exist */
	uint64_t written;    /* rows of the VPM */
	uint8_t out[QPU_VPM_ROWS]; /* the rows that hold them */
	unsigned n_textures, n_fills, n_ops;
	unsigned n_first; /* operations independent of lanes: executed once after each binding */
	unsigned n_pure;  /* n_first, and those after them that write no tile buffer */
	struct wide_texture texture[WIDE_TEXTURES];
	struct wide_fill *fill; /* after the operations */
	struct wide_op op[];
};

struct qpu_program;
/*
 * Returns NULL if the program cannot run wide, or when out of memory. Free with free().
 */
struct qpu_wide *qpu_wide_create(const struct qpu_program *p);

/* The contents of scratch memory. */
struct wide_scratch {
	PICA_ALIGNED(64) uint32_t row[WIDE_ROWS][QPU_WIDE_LANES];
	uint32_t word[WIDE_TEXTURES][4]; /* of the textures */
	struct vc4_tex_one image[WIDE_TEXTURES]; /* where has_one_image */
	bool has_one_image[WIDE_TEXTURES];
	bool is_begun; /* the first operations were executed */
};
_Static_assert(sizeof(struct wide_scratch) <= QPU_WIDE_SCRATCH_BYTES, "a run needs more scratch");

#endif
