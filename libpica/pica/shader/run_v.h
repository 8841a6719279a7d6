/* Private to the files of the batch interpreter. Included by vector sources only. */
#ifndef SHADER_RUN_V_H
#define SHADER_RUN_V_H

#include "core/base/attributes.h"
#include "core/vec/vec.h"
#include "pica/shader/core.h"
#include "pica/shader/shader.h"

enum {
	VECTORS = SHADER_LANES / VF_LANES,
	BELOW_F24 = 0x207FFFFF, /* bits of the largest float below 2^-62 */
};

/* The arguments of a kernel: rows begin at the first vector to work on. */
struct args {
	unsigned nv;           /* vectors */
	unsigned n;            /* rows to write, at least 1 */
	const uint8_t *out;    /* their components, ascending */
	float *d[4];           /* the rows */
	const float *s[3][4];  /* sources of these rows one by one (uses EACH) or by component */
	size_t step[3];        /* VF_LANES, or 0: one vector for all lanes */
	/* In place of source 0 for a kernel of shader_gathered(): bytes from rows, by lane. */
	const uint8_t *rows;
	const uint32_t *offset;
};

/* Properties of all values of an operand, each including the next. */
enum class {
	CLASS_ANY,
	CLASS_CLEAN, /* F() changes nothing */
	CLASS_TAME,  /* 0 or 2^-23 <= |x| < 2^30, see alu_v.h */
};

struct alu {
	struct {
		void (*run)(const struct args *x);
		/* f24: does the same with tame operands, while run needs clean ones. Or NULL. */
		void (*run_tame)(const struct args *x);
		bool is_clean; /* results are clean (f24) */
	} op[OP_COUNT];
};

/* The kernels of instructions, by float mode: run_ops_v.c. */
extern const struct alu VFN(shader_alu_f24), VFN(shader_alu_f32);
/*
 * Returns the kernel that does the same as run_tame with a separate vector of source 0 for each
 * lane, or NULL.
 */
void (*VFN(shader_gathered)(unsigned op))(const struct args *x);
/*
 * Four DP4 of tame operands: row d[k] is the product of four uniforms, a vector each, one after the
 * other from s[0][k] on, and the register at s[1].
 */
void VFN(shader_transform)(const struct args *x);

struct group {
	struct flow flow;
	uint32_t live; /* bit: lane */
	uint64_t steps;
	unsigned first, nv; /* vectors that have live lanes, with what lies between */
	bool is_all;
};

struct machine {
	const struct alu *alu;
	const struct shader_uniforms *u;
	struct shader_batch *b;
	uint32_t all;       /* lanes of the call */
	unsigned nv;        /* vectors that hold them */
	uint32_t cmp[2];    /* bit: lane */
	/*
	 * By number, o before r: components that were written; the others are 0 without being so.
	 */
	uint8_t valid[32];
	/*
	 * By number, v before r: components that were examined, are known to be clean, are known to
	 * be tame.
	 */
	uint8_t known[32], clean[32], tame[32];
	bool uniforms_known;
	enum class uniforms;
	/*
	 * a0 as relative addressing takes it: 0 where it is out of range. Not filled before MOVA.
	 */
	bool a_valid[2], a_is_same[2];
	PICA_ALIGNED(64) int32_t a[2][SHADER_LANES];
	PICA_ALIGNED(64) float r[16][4][SHADER_LANES];
	/* operands that are not a plain register */
	PICA_ALIGNED(64) float operand[3][4][SHADER_LANES];
	PICA_ALIGNED(64) float result[4][SHADER_LANES];
};

/*
 * For a program of which all lanes 0..n-1 go the same way: begin it, without examining known
 * uniforms, and execute an instruction other than flow control or CMP.
 */
void VFN(shader_begin)(struct machine *m, unsigned n);
void VFN(shader_execute)(struct machine *m, const struct group *g, const struct prog_op *op);

/* ---- Words ---- */

/* +0 where the bits of the magnitude are not above these. */
static inline vf zero_below(vf x, vi below) {
	vi bits = vi_as_vf_bits(x);
	vi magnitude = vi_and(bits, vi_set1(0x7FFFFFFF));
	return vf_as_vi_bits(vi_and(bits, vi_gt(magnitude, below)));
}

/* F() */
static inline vf flush(vf x) {
	return zero_below(x, vi_set1(BELOW_F24));
}

#endif
