/* Special functions and Z on vectors; for run_v.c. */
#ifndef VC4_RUN_PERIPHERY_V_H
#define VC4_RUN_PERIPHERY_V_H

#include "vc4/run/alu_v.h"
#include "vc4/run/machine.h"

/* wide_v.c */
bool VFN(qpu_run_wide)(struct qpu_wide_run *r);

/* ---- Special functions: sfu.c ---- */

/* Evaluates the curve of a function at 15-bit fractions. */
static inline void vector_curve(unsigned function, const vi m[VECTORS], vi out[VECTORS]) {
	const struct sfu_curve *c = &sfu_curves[function];
	PICA_ALIGNED(64) uint32_t at[QPU_LANES], c0[QPU_LANES], c1[QPU_LANES], c2[QPU_LANES];
	EACH_VECTOR(i) {
		store(at, i, m[i]);
	}
	for (unsigned k = 0; k < QPU_LANES; k++) {
		const uint32_t i = at[k] >> 11;
		c0[k] = c->c0[i];
		c1[k] = c->c1[i];
		c2[k] = (uint32_t)c->c2[i] * sfu_arc[at[k] >> 5 & 63];
	}
	EACH_VECTOR(i) {
		const vi x = vi_and(m[i], vi_set1(2047));
		vi a = vi_and(vi_srl(vi_mul(load(c1, i), x), 11), vi_set1(0xFFF));
		const vi b = vi_and(vi_srl(load(c2, i), 5), vi_set1(0x7F));
		if (function == SFU_EXP2) {
			a = vi_xor(a, vi_set1(0x7FFF)); /* it rises */
		}
		out[i] = vi_and(vi_sub(vi_sub(load(c0, i), a), b), vi_set1(0x7FFF));
	}
}

/* Reciprocals: infinite if the exponent field is 0, 0 if it is above 252; the sign is kept. */
static inline void vector_recip(const vi x[VECTORS], vi out[VECTORS]) {
	vi m[VECTORS];
	EACH_VECTOR(i) {
		m[i] = vi_and(vi_srl(x[i], 8), vi_set1(0x7FFF));
	}
	vector_curve(SFU_RECIP, m, out);
	EACH_VECTOR(i) {
		const vi e = vi_and(vi_srl(x[i], 23), vi_set1(255));
		const vi sign = vi_andnot(vi_set1(0x7FFFFFFF), x[i]);
		const vi exponent = vi_sll(vi_sub(vi_set1(253), e), 23);
		vi r = vi_or(exponent, vi_sll(out[i], 8));
		r = vi_andnot(vi_gt(e, vi_set1(252)), r);
		r = vi_select(vi_eq(e, vi_zero()), vi_set1(0x7F800000), r);
		out[i] = vi_or(r, sign);
	}
}

static inline void vector_rsqrt(const vi x[VECTORS], vi out[VECTORS]) {
	vi m[VECTORS];
	EACH_VECTOR(i) {
		const vi odd = vi_and(vi_srl(x[i], 23), vi_set1(1));
		m[i] = vi_or(vi_sll(vi_xor(odd, vi_set1(1)), 14),
				vi_and(vi_srl(x[i], 9), vi_set1(0x3FFF)));
	}
	vector_curve(SFU_RSQRT, m, out);
	EACH_VECTOR(i) {
		const vi e = vi_and(vi_srl(x[i], 23), vi_set1(255));
		const vi half = vi_add(vi_srl(vi_sub(vi_set1(256), e), 1), vi_set1(62));
		vi r = vi_or(vi_sll(half, 23), vi_sll(out[i], 8));
		r = vi_andnot(vi_eq(e, vi_set1(255)), r);
		out[i] = vi_select(vi_eq(e, vi_zero()), vi_set1(0x7F800000), r);
	}
}

static inline void vector_sfu(unsigned function, const uint32_t v[QPU_LANES],
		uint32_t r4[QPU_LANES]) {
	vi x[VECTORS], out[VECTORS];
	if (function >= SFU_EXP2) {
		for (unsigned k = 0; k < QPU_LANES; k++) {
			r4[k] = qpu_sfu(function, v[k]);
		}
		return;
	}
	EACH_VECTOR(i) {
		x[i] = load(v, i);
	}
	if (function == SFU_RECIP) {
		vector_recip(x, out);
	} else {
		vector_rsqrt(x, out);
	}
	EACH_VECTOR(i) {
		store(r4, i, out[i]);
	}
}

/* ---- Z without stencil: tlb.c ---- */

/* Tests one quad of a sample. covered: 4 bits. Returns the bits of the lanes that pass. */
static inline unsigned quad_z(const struct qpu_tlb *t, uint32_t *zs, const uint32_t v[4],
		unsigned covered) {
	const vqi old = vqi_loadu(zs), stored = vqi_srl(old, 8);
	const vqi z = vqi_and(vqi_loadu(v), vqi_set1(0xFFFFFF));
	vqi passes = vqi_mask_from_bits(covered), wanted = vqi_zero();
	if (t->depth_function & 1) {
		wanted = vqi_gt(stored, z);
	}
	if (t->depth_function & 2) {
		wanted = vqi_or(wanted, vqi_eq(stored, z));
	}
	if (t->depth_function & 4) {
		wanted = vqi_or(wanted, vqi_gt(z, stored));
	}
	passes = vqi_and(passes, wanted);
	if (t->updates_z) {
		const vqi both = vqi_or(vqi_sll(z, 8), vqi_and(old, vqi_set1(255)));
		vqi_storeu(zs, vqi_select(passes, both, old));
	}
	return vqi_movemask(passes);
}

static inline void write_z(struct machine *m, const uint32_t v[QPU_LANES], unsigned mask) {
	struct qpu_tlb *t = m->run->tlb;
	for (unsigned s = 0; s < t->n_samples; s++) {
		const unsigned covered = t->covered[s] & mask;
		unsigned left = covered & ~m->active; /* lanes that do not exist */
		for (unsigned q = 0; q < QPU_LANES / 4; q++) {
			const unsigned lanes = (covered & m->active) >> 4 * q & 15;
			if (lanes) {
				uint32_t *zs = t->zs + t->quad_px[q] + s * t->sample_px;
				left |= quad_z(t, zs, v + 4 * q, lanes) << 4 * q;
			}
		}
		t->covered[s] = (uint16_t)left;
	}
}

#endif
