/* The batch interpreter: arithmetic of a row of lanes, for each instruction and float mode. */
#include "pica/shader/run_v.h"

#include "pica/shader/arith.h"

/* ---- Rows ---- */

static inline vf source(const struct args *x, unsigned s, unsigned k, unsigned i) {
	return vf_load(x->s[s][k] + i * x->step[s]);
}

/* One result for all components. */
static inline void store_all(const struct args *x, unsigned i, vf r) {
	vf_store(x->d[0] + i * VF_LANES, r);
	for (unsigned k = 1; k < x->n; k++) {
		vf_store(x->d[k] + i * VF_LANES, r);
	}
}

/* A result for each component. */
static inline void store_each(const struct args *x, unsigned i, const vf r[4]) {
	for (unsigned k = 0; k < x->n; k++) {
		vf_store(x->d[k] + i * VF_LANES, r[x->out[k]]);
	}
}

/* ---- Kernels that are the same in both float modes ---- */

static void op_mov(const struct args *x) {
	for (unsigned k = 0; k < x->n; k++) {
		const float *p = x->s[0][k];
		float *d = x->d[k];
		for (unsigned i = 0; i < x->nv; i++, p += x->step[0], d += VF_LANES) {
			vf_store(d, vf_load(p));
		}
	}
}

static void op_max(const struct args *x) {
	for (unsigned k = 0; k < x->n; k++) {
		for (unsigned i = 0; i < x->nv; i++) {
			vf r = vf_max(source(x, 0, k, i), source(x, 1, k, i));
			vf_store(x->d[k] + i * VF_LANES, r);
		}
	}
}

static void op_min(const struct args *x) {
	for (unsigned k = 0; k < x->n; k++) {
		for (unsigned i = 0; i < x->nv; i++) {
			vf r = vf_min(source(x, 0, k, i), source(x, 1, k, i));
			vf_store(x->d[k] + i * VF_LANES, r);
		}
	}
}

static inline vf one_where(vi mask) {
	return vf_and(vf_as_vi_bits(mask), vf_set1(1.0f));
}

static void op_sge(const struct args *x) {
	for (unsigned k = 0; k < x->n; k++) {
		for (unsigned i = 0; i < x->nv; i++) {
			vi m = vf_ge(source(x, 0, k, i), source(x, 1, k, i));
			vf_store(x->d[k] + i * VF_LANES, one_where(m));
		}
	}
}

static void op_slt(const struct args *x) {
	for (unsigned k = 0; k < x->n; k++) {
		for (unsigned i = 0; i < x->nv; i++) {
			vi m = vf_lt(source(x, 0, k, i), source(x, 1, k, i));
			vf_store(x->d[k] + i * VF_LANES, one_where(m));
		}
	}
}

static void op_litp(const struct args *x) {
	const vf limit = vf_set1(ARITH_LITP_Y);
	for (unsigned i = 0; i < x->nv; i++) {
		/* vf_min(a, b) is b where either is NaN: y comes second. */
		vf y = vf_max(vf_neg(limit), vf_min(limit, source(x, 0, 1, i)));
		const vf r[4] = {
			vf_max(source(x, 0, 0, i), vf_zero()),
			y,
			vf_zero(),
			vf_max(source(x, 0, 3, i), vf_zero()),
		};
		store_each(x, i, r);
	}
}

#define ALU(name) tame_##name
#define ALU_F24 1
#define ALU_TAME 1
#include "pica/shader/alu_v.h"

static void tame_gathered_dp4(const struct args *x) {
	const float *const b0 = x->s[1][0], *const b1 = x->s[1][1];
	const float *const b2 = x->s[1][2], *const b3 = x->s[1][3];
	const size_t step = x->step[1];
	const unsigned nv = x->nv;
	size_t q = 0;
	for (unsigned i = 0; i < nv; i++, q += step) {
		vf c[4];
		vf_load_rows(x->rows, x->offset + i * VF_LANES, 4, c);
		store_all(x, i, tame_dot4(c[0], c[1], c[2], c[3], vf_load(b0 + q), vf_load(b1 + q),
						vf_load(b2 + q), vf_load(b3 + q)));
	}
}

void VFN(shader_transform)(const struct args *x) {
	const float *const b0 = x->s[1][0], *const b1 = x->s[1][1];
	const float *const b2 = x->s[1][2], *const b3 = x->s[1][3];
	const float *const r0 = x->s[0][0], *const r1 = x->s[0][1];
	const float *const r2 = x->s[0][2], *const r3 = x->s[0][3];
	float *const d0 = x->d[0], *const d1 = x->d[1], *const d2 = x->d[2], *const d3 = x->d[3];
#define ROW(r, d) \
	vf_store(d + i, tame_dot4(vf_load(r), vf_load(r + VF_LANES), vf_load(r + 2 * VF_LANES), \
					vf_load(r + 3 * VF_LANES), c0, c1, c2, c3));
	for (size_t i = 0, end = x->nv * VF_LANES; i < end; i += VF_LANES) {
		const vf c0 = vf_load(b0 + i), c1 = vf_load(b1 + i);
		const vf c2 = vf_load(b2 + i), c3 = vf_load(b3 + i);
		ROW(r0, d0)
		ROW(r1, d1)
		ROW(r2, d2)
		ROW(r3, d3)
	}
#undef ROW
}

void (*VFN(shader_gathered)(unsigned op))(const struct args *) {
	return op == OP_DP4 ? tame_gathered_dp4 : NULL;
}

#define ALU(name) f24_##name
#define ALU_F24 1
#define ALU_TAME 0
#include "pica/shader/alu_v.h"

#define ALU(name) f32_##name
#define ALU_F24 0
#define ALU_TAME 0
#include "pica/shader/alu_v.h"

#define ALU_OPS(mode) \
	[OP_DST] = { mode##_op_dst, NULL, false }, \
	[OP_DSTI] = { mode##_op_dst, NULL, false }, \
	[OP_FLR] = { mode##_op_flr, NULL, true }, \
	[OP_RCP] = { mode##_op_rcp, NULL, true }, \
	[OP_RSQ] = { mode##_op_rsq, NULL, true }, \
	[OP_EX2] = { mode##_op_ex2, NULL, true }, \
	[OP_LG2] = { mode##_op_lg2, NULL, true }, \
	[OP_MOV] = { op_mov, NULL, false }, \
	[OP_MAX] = { op_max, NULL, false }, \
	[OP_MIN] = { op_min, NULL, false }, \
	[OP_SGE] = { op_sge, NULL, true }, \
	[OP_SGEI] = { op_sge, NULL, true }, \
	[OP_SLT] = { op_slt, NULL, true }, \
	[OP_SLTI] = { op_slt, NULL, true }, \
	[OP_LITP] = { op_litp, NULL, false }

const struct alu VFN(shader_alu_f24) = {
	.op = {
		[OP_ADD] = { f24_op_add, tame_op_add, true },
		[OP_MUL] = { f24_op_mul, tame_op_mul, true },
		[OP_MAD] = { f24_op_mad, tame_op_mad, true },
		[OP_MADI] = { f24_op_mad, tame_op_mad, true },
		[OP_DP3] = { f24_op_dp3, tame_op_dp3, true },
		[OP_DP4] = { f24_op_dp4, tame_op_dp4, true },
		[OP_DPH] = { f24_op_dph, tame_op_dph, true },
		[OP_DPHI] = { f24_op_dph, tame_op_dph, true },
		ALU_OPS(f24),
	},
};

const struct alu VFN(shader_alu_f32) = {
	.op = {
		[OP_ADD] = { f32_op_add, NULL, true },
		[OP_MUL] = { f32_op_mul, NULL, true },
		[OP_MAD] = { f32_op_mad, NULL, true },
		[OP_MADI] = { f32_op_mad, NULL, true },
		[OP_DP3] = { f32_op_dp3, NULL, true },
		[OP_DP4] = { f32_op_dp4, NULL, true },
		[OP_DPH] = { f32_op_dph, NULL, true },
		[OP_DPHI] = { f32_op_dph, NULL, true },
		ALU_OPS(f32),
	},
};
