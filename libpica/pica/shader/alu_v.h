/*
 * The arithmetic functions and their kernels. run_ops_v.c includes this file once per variant:
 * ALU(name) prefixes the variant's name, ALU_F24 selects the float mode, and ALU_TAME says that
 * operands are tame.
 *
 * Infinite or NaN results are very rare. The quick functions do not handle them: they track the
 * largest magnitude, and if it is special, the kernel recomputes that vector with the exact
 * functions. Quick functions expect flushed operands; exact functions flush by themselves.
 *
 * An operand is tame if it is 0 or 2^-23 <= |x| < 2^30. Products of tame operands are multiples of
 * 2^-62, and below 2^60; the few sums that an instruction makes of them are such multiples, and
 * below 2^63. So T() finds nothing to flush and nothing infinite: it only clears bits. The sign of
 * a zero remains; last() removes it.
 */

/* Magnitudes above this are special: from 2^64 on in f24 mode, NaN in f32 mode. */
#define ALU_TOP (ALU_F24 ? 0x5F7FFFFF : ARITH_INF_BITS)

static inline bool ALU(special)(vi top) {
	return !ALU_TAME && vi_movemask(vi_gt(top, vi_set1(ALU_TOP))) != 0;
}

/* T() of a value that is not special. */
static inline vf ALU(t)(vf r, vi *top) {
	vi bits = vi_as_vf_bits(r);
	if (ALU_TAME) {
		return vf_as_vi_bits(vi_and(bits, vi_set1(~0x7F)));
	}
	vi magnitude = vi_and(bits, vi_set1(0x7FFFFFFF));
	*top = vi_max(*top, magnitude);
	if (!ALU_F24) {
		return r;
	}
	vi keep = vi_gt(magnitude, vi_set1(BELOW_F24));
	return vf_as_vi_bits(vi_and(vi_and(bits, vi_set1(~0x7F)), keep));
}

static inline vf ALU(mul)(vf a, vf b, vi *top) {
	return ALU(t)(vf_mul(a, b), top);
}

static inline vf ALU(add)(vf a, vf b, vi *top) {
	return ALU(t)(vf_add(a, b), top);
}

/* The last step of an instruction: in the tame variant, -0 becomes +0. */
static inline vf ALU(last)(vf r) {
	return ALU_TAME ? vf_add(r, vf_zero()) : r;
}

static inline vf ALU(f_exact)(vf x) {
	return ALU_F24 ? flush(x) : x;
}

static inline vf ALU(t_exact)(vf r) {
	vi bits = vi_as_vf_bits(r);
	vi magnitude = vi_and(bits, vi_set1(0x7FFFFFFF));
	vi is_nan = vi_gt(magnitude, vi_set1(ARITH_INF_BITS));
	if (ALU_F24) {
		vi is_inf = vi_gt(magnitude, vi_set1(ALU_TOP));
		vi keep = vi_gt(magnitude, vi_set1(BELOW_F24));
		vi sign = vi_andnot(vi_set1(0x7FFFFFFF), bits);
		bits = vi_and(vi_and(bits, vi_set1(~0x7F)), keep);
		bits = vi_select(is_inf, vi_or(sign, vi_set1(ARITH_INF_BITS)), bits);
	}
	return vf_as_vi_bits(vi_select(is_nan, vi_set1(ARITH_NAN_BITS), bits));
}

static inline vf ALU(mul_exact)(vf a, vf b) {
	a = ALU(f_exact)(a);
	b = ALU(f_exact)(b);
	vf r = vf_mul(a, b);
	/* A NaN from operands that are not NaN: 0 * infinity. */
	vi zero = vi_andnot(vi_or(vf_neq(a, a), vf_neq(b, b)), vf_neq(r, r));
	return vf_as_vi_bits(vi_andnot(zero, vi_as_vf_bits(ALU(t_exact)(r))));
}

static inline vf ALU(add_exact)(vf a, vf b) {
	return ALU(t_exact)(vf_add(ALU(f_exact)(a), ALU(f_exact)(b)));
}

/* ---- Kernels ---- */

static void ALU(op_add)(const struct args *x) {
	const size_t step0 = x->step[0], step1 = x->step[1];
	const unsigned nv = x->nv;
	for (unsigned k = 0; k < x->n; k++) {
		const float *p = x->s[0][k], *q = x->s[1][k];
		float *d = x->d[k];
		for (unsigned i = 0; i < nv; i++, p += step0, q += step1, d += VF_LANES) {
			vf a = vf_load(p), b = vf_load(q);
			vi top = vi_zero();
			vf r = ALU(last)(ALU(add)(a, b, &top));
			if (PICA_UNLIKELY(ALU(special)(top))) {
				r = ALU(add_exact)(a, b);
			}
			vf_store(d, r);
		}
	}
}

static void ALU(op_mul)(const struct args *x) {
	const size_t step0 = x->step[0], step1 = x->step[1];
	const unsigned nv = x->nv;
	for (unsigned k = 0; k < x->n; k++) {
		const float *p = x->s[0][k], *q = x->s[1][k];
		float *d = x->d[k];
		for (unsigned i = 0; i < nv; i++, p += step0, q += step1, d += VF_LANES) {
			vf a = vf_load(p), b = vf_load(q);
			vi top = vi_zero();
			vf r = ALU(last)(ALU(mul)(a, b, &top));
			if (PICA_UNLIKELY(ALU(special)(top))) {
				r = ALU(mul_exact)(a, b);
			}
			vf_store(d, r);
		}
	}
}

static void ALU(op_mad)(const struct args *x) {
	const size_t step0 = x->step[0], step1 = x->step[1], step2 = x->step[2];
	const unsigned nv = x->nv;
	for (unsigned k = 0; k < x->n; k++) {
		const float *p = x->s[0][k], *q = x->s[1][k], *t = x->s[2][k];
		float *d = x->d[k];
		for (unsigned i = 0; i < nv; i++) {
			vf a = vf_load(p), b = vf_load(q), c = vf_load(t);
			vi top = vi_zero();
			vf r = ALU(last)(ALU(add)(ALU(mul)(a, b, &top), c, &top));
			if (PICA_UNLIKELY(ALU(special)(top))) {
				r = ALU(add_exact)(ALU(mul_exact)(a, b), c);
			}
			vf_store(d, r);
			p += step0;
			q += step1;
			t += step2;
			d += VF_LANES;
		}
	}
}

static void ALU(op_dp3)(const struct args *x) {
	const float *const a0 = x->s[0][0], *const a1 = x->s[0][1], *const a2 = x->s[0][2];
	const float *const b0 = x->s[1][0], *const b1 = x->s[1][1], *const b2 = x->s[1][2];
	const size_t step0 = x->step[0], step1 = x->step[1];
	const unsigned nv = x->nv;
	size_t p = 0, q = 0;
	for (unsigned i = 0; i < nv; i++, p += step0, q += step1) {
		vi top = vi_zero();
		vf m0 = ALU(mul)(vf_load(a0 + p), vf_load(b0 + q), &top);
		vf m1 = ALU(mul)(vf_load(a1 + p), vf_load(b1 + q), &top);
		vf m2 = ALU(mul)(vf_load(a2 + p), vf_load(b2 + q), &top);
		vf r = ALU(last)(ALU(add)(ALU(add)(m0, m1, &top), m2, &top));
		if (PICA_UNLIKELY(ALU(special)(top))) {
			m0 = ALU(mul_exact)(vf_load(a0 + p), vf_load(b0 + q));
			m1 = ALU(mul_exact)(vf_load(a1 + p), vf_load(b1 + q));
			m2 = ALU(mul_exact)(vf_load(a2 + p), vf_load(b2 + q));
			r = ALU(add_exact)(ALU(add_exact)(m0, m1), m2);
		}
		store_all(x, i, r);
	}
}

static inline vf ALU(dot4)(vf a0, vf a1, vf a2, vf a3, vf b0, vf b1, vf b2, vf b3) {
	vi top = vi_zero();
	vf m0 = ALU(mul)(a0, b0, &top), m1 = ALU(mul)(a1, b1, &top);
	vf m2 = ALU(mul)(a2, b2, &top), m3 = ALU(mul)(a3, b3, &top);
	vf r = ALU(add)(ALU(add)(ALU(add)(m0, m1, &top), m2, &top), m3, &top);
	r = ALU(last)(r);
	if (PICA_UNLIKELY(ALU(special)(top))) {
		m0 = ALU(mul_exact)(a0, b0);
		m1 = ALU(mul_exact)(a1, b1);
		m2 = ALU(mul_exact)(a2, b2);
		m3 = ALU(mul_exact)(a3, b3);
		r = ALU(add_exact)(ALU(add_exact)(ALU(add_exact)(m0, m1), m2), m3);
	}
	return r;
}

static void ALU(op_dp4)(const struct args *x) {
	const float *const a0 = x->s[0][0], *const a1 = x->s[0][1], *const a2 = x->s[0][2];
	const float *const b0 = x->s[1][0], *const b1 = x->s[1][1], *const b2 = x->s[1][2];
	const float *const a3 = x->s[0][3], *const b3 = x->s[1][3];
	const size_t step0 = x->step[0], step1 = x->step[1];
	const unsigned nv = x->nv;
	size_t p = 0, q = 0;
	if (step0 == 0 && step1 != 0 && x->n == 1) {
		/* A uniform times a register, to one component. */
		const vf u0 = vf_load(a0), u1 = vf_load(a1), u2 = vf_load(a2), u3 = vf_load(a3);
		float *const d = x->d[0];
		for (const size_t end = nv * VF_LANES; q < end; q += VF_LANES) {
			vf_store(d + q, ALU(dot4)(u0, u1, u2, u3, vf_load(b0 + q),
							vf_load(b1 + q), vf_load(b2 + q),
							vf_load(b3 + q)));
		}
		return;
	}
	for (unsigned i = 0; i < nv; i++, p += step0, q += step1) {
		store_all(x, i, ALU(dot4)(vf_load(a0 + p), vf_load(a1 + p), vf_load(a2 + p),
						vf_load(a3 + p), vf_load(b0 + q),
						vf_load(b1 + q), vf_load(b2 + q),
						vf_load(b3 + q)));
	}
}

/* DP4 with s1.w = 1; 1 * s2.w is still a product, which is flushed and truncated. */
static void ALU(op_dph)(const struct args *x) {
	static const PICA_ALIGNED(64) float one[SHADER_LANES] = {
		1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	};
	struct args y = *x;
	y.s[0][3] = one;
	ALU(op_dp4)(&y);
}

#if !ALU_TAME
static void ALU(op_dst)(const struct args *x) {
	for (unsigned i = 0; i < x->nv; i++) {
		const vf r[4] = {
			vf_set1(1.0f),
			ALU(mul_exact)(source(x, 0, 1, i), source(x, 1, 1, i)),
			source(x, 0, 2, i),
			source(x, 1, 3, i),
		};
		store_each(x, i, r);
	}
}

static void ALU(op_flr)(const struct args *x) {
	for (unsigned k = 0; k < x->n; k++) {
		for (unsigned i = 0; i < x->nv; i++) {
			vf r = vf_floor(ALU(f_exact)(source(x, 0, k, i)));
			vf_store(x->d[k] + i * VF_LANES, ALU(t_exact)(r));
		}
	}
}

/* x + 0 turns -0 into +0, of which reciprocal and reciprocal square root are +infinity. */
static void ALU(op_rcp)(const struct args *x) {
	for (unsigned i = 0; i < x->nv; i++) {
		vf s = vf_add(ALU(f_exact)(source(x, 0, 0, i)), vf_zero());
		store_all(x, i, ALU(t_exact)(vf_div(vf_set1(1.0f), s)));
	}
}

static void ALU(op_rsq)(const struct args *x) {
	for (unsigned i = 0; i < x->nv; i++) {
		vf s = vf_add(ALU(f_exact)(source(x, 0, 0, i)), vf_zero());
		store_all(x, i, ALU(t_exact)(vf_div(vf_set1(1.0f), vf_sqrt(s))));
	}
}

/* EX2 and LG2 are binary64 polynomials: lane by lane, with the functions of the C version. */
static void ALU(op_ex2)(const struct args *x) {
	for (unsigned i = 0; i < x->nv; i++) {
		PICA_ALIGNED(64) float lane[VF_LANES];
		vf_store(lane, source(x, 0, 0, i));
		for (unsigned k = 0; k < VF_LANES; k++) {
			lane[k] = arith_ex2(lane[k], ALU_F24 ? PICA_FLOAT_F24 : PICA_FLOAT_F32);
		}
		store_all(x, i, vf_load(lane));
	}
}

static void ALU(op_lg2)(const struct args *x) {
	for (unsigned i = 0; i < x->nv; i++) {
		PICA_ALIGNED(64) float lane[VF_LANES];
		vf_store(lane, source(x, 0, 0, i));
		for (unsigned k = 0; k < VF_LANES; k++) {
			lane[k] = arith_lg2(lane[k], ALU_F24 ? PICA_FLOAT_F24 : PICA_FLOAT_F32);
		}
		store_all(x, i, vf_load(lane));
	}
}
#endif

#undef ALU_TOP
#undef ALU
#undef ALU_F24
#undef ALU_TAME
