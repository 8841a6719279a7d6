/* Special functions and Z on vectors; for run_v.c. */
#ifndef VC4_RUN_PERIPHERY_V_H
#define VC4_RUN_PERIPHERY_V_H

#include "vc4/run/alu_v.h"
#include "vc4/run/machine.h"

/* wide_v.c */
bool VFN(qpu_run_wide)(struct qpu_wide_run *r);

/* ---- Special functions: sfu.c ---- */

/* The value at a fraction of 15 bits, for SFU_RECIP and SFU_RSQRT. */
static inline vi vector_curve(unsigned function, vi m) {
	PICA_ALIGNED(64) uint32_t offset[VF_LANES];
	vi_store(offset, vi_sll(vi_srl(m, 5), 2));
	const vi step = vi_load_words((const uint8_t *)sfu_steps[function], offset, 4);
	const vi slope = vi_and(step, vi_set1(0xFFFF)), x = vi_and(m, vi_set1(2047));
	const vi a = vi_srl(vi_mul(slope, x), 11);
	return vi_and(vi_sub(vi_srl(step, 16), a), vi_set1(0x7FFF));
}

/* Reciprocals: infinite if the exponent field is 0, 0 if it is above 252; the sign is kept. */
static inline vi vector_recip(vi x) {
	const vi e = vi_and(vi_srl(x, 23), vi_set1(255));
	const vi sign = vi_andnot(vi_set1(0x7FFFFFFF), x);
	const vi exponent = vi_sll(vi_sub(vi_set1(253), e), 23);
	const vi curve = vector_curve(SFU_RECIP, vi_and(vi_srl(x, 8), vi_set1(0x7FFF)));
	vi r = vi_or(exponent, vi_sll(curve, 8));
	r = vi_andnot(vi_gt(e, vi_set1(252)), r);
	r = vi_select(vi_eq(e, vi_zero()), vi_set1(0x7F800000), r);
	return vi_or(r, sign);
}

static inline vi vector_rsqrt(vi x) {
	const vi e = vi_and(vi_srl(x, 23), vi_set1(255));
	const vi even = vi_xor(vi_and(e, vi_set1(1)), vi_set1(1));
	const vi curve = vector_curve(SFU_RSQRT,
			vi_or(vi_sll(even, 14), vi_and(vi_srl(x, 9), vi_set1(0x3FFF))));
	const vi half = vi_add(vi_srl(vi_sub(vi_set1(256), e), 1), vi_set1(62));
	vi r = vi_or(vi_sll(half, 23), vi_sll(curve, 8));
	r = vi_andnot(vi_eq(e, vi_set1(255)), r);
	return vi_select(vi_eq(e, vi_zero()), vi_set1(0x7F800000), r);
}

static inline void vector_sfu(unsigned function, const uint32_t v[QPU_LANES],
		uint32_t r4[QPU_LANES]) {
	if (function >= SFU_EXP2) {
		for (unsigned k = 0; k < QPU_LANES; k++) {
			r4[k] = qpu_sfu(function, v[k]);
		}
		return;
	}
	EACH_VECTOR(i) {
		const vi x = load(v, i);
		store(r4, i, function == SFU_RECIP ? vector_recip(x) : vector_rsqrt(x));
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
