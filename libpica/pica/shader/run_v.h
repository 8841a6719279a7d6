/* Private to the batch interpreter. Included by vector sources only. */
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
	const float *s[3][4];  /* sources: one per row of d (uses EACH), or by component */
	size_t step[3];        /* VF_LANES, or 0: one vector for all lanes */
	/* Replaces source 0 for a kernel of shader_gathered(): byte offsets from rows, by lane. */
	const uint8_t *rows;
	const uint32_t *offset;
};

/* What holds for all values of an operand; each class includes the next. */
enum class {
	CLASS_ANY,
	CLASS_CLEAN, /* F() changes nothing */
	CLASS_TAME,  /* 0 or 2^-23 <= |x| < 2^30, see alu_v.h */
};

struct alu {
	struct {
		void (*run)(const struct args *x);
		/* f24: the same for tame operands (run needs clean ones), or NULL. */
		void (*run_tame)(const struct args *x);
		bool is_clean; /* f24: the results are clean */
	} op[OP_COUNT];
};

/* The kernels of instructions, by float mode: run_ops_v.c. */
extern const struct alu VFN(shader_alu_f24), VFN(shader_alu_f32);
/*
 * Returns the kernel that does the same as run_tame, but with its own vector as source 0 for each
 * lane, or NULL.
 */
void (*VFN(shader_gathered)(unsigned op))(const struct args *x);
/*
 * Does four DP4 of tame operands: row d[k] is the dot product of the register at s[1] and four
 * uniform values, each spread to a vector, that lie one after the other from s[0][k] on.
 */
void VFN(shader_transform)(const struct args *x);

struct group {
	struct flow flow;
	uint32_t live; /* bit: lane */
	uint64_t steps;
	unsigned first, nv; /* from the first to the last vector with live lanes */
	bool is_all;
};

struct machine {
	const struct alu *alu;
	const struct shader_uniforms *u;
	struct shader_batch *b;
	uint32_t all;       /* bit: lane of the call */
	unsigned nv;        /* vectors that hold these lanes */
	uint32_t cmp[2];    /* bit: lane */
	/*
	 * By number, o before r: components that were written; the others count as 0, whatever the
	 * memory holds.
	 */
	uint8_t valid[32];
	/*
	 * By number, v before r: components that were examined, known to be clean, known to be
	 * tame.
	 */
	uint8_t known[32], clean[32], tame[32];
	bool uniforms_known;
	enum class uniforms;
	/*
	 * a0 as relative addressing uses it: 0 if out of range. Not initialized before MOVA.
	 */
	bool a_valid[2], a_is_same[2];
	PICA_ALIGNED(64) int32_t a[2][SHADER_LANES];
	PICA_ALIGNED(64) float r[16][4][SHADER_LANES];
	/* operands that are not a plain register */
	PICA_ALIGNED(64) float operand[3][4][SHADER_LANES];
	PICA_ALIGNED(64) float result[4][SHADER_LANES];
};

/*
 * For a program with the same flow in all lanes 0..n-1: begins it, without changing uniforms_known,
 * and executes an instruction other than flow control and CMP.
 */
void VFN(shader_begin)(struct machine *m, unsigned n);
void VFN(shader_execute)(struct machine *m, const struct group *g, const struct prog_op *op);

/* ---- Words ---- */

/* Replaces x by +0 where the bits of its magnitude are not above `below`. */
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
