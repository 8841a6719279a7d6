/*
 * Arithmetic of the texture combiners, in vectors. Everything fits 16 bits:
 *
 *   - a*b and a*c + b*(255-c) are at most 255*255 = 65025. For 0 <= t <= 65025,
 *     t/255 rounded to nearest = (u + (u >> 8)) >> 8 with u = t + 128 (tests check every t),
 *     and that is (u * 257) >> 16.
 *   - (ab + 255c)/255, rounded or truncated, is that of ab plus c, because 255c/255 is whole.
 *   - x = 2a - 255 of dot3 as s16: xored with its sign mask x >> 15 it is the magnitude, and
 *     the product of two magnitudes xored with both sign masks is P or -P-1.
 */
#include "pica/frag/kernels.h"
#include "pica/frag/vector.h"

static inline vh div255_round(vh t) {
	return vh_mulhi_u(vh_add(t, vh_set1(128)), vh_set1(257));
}

static inline vh mul(vh a, vh b) {
	return div255_round(vh_mul(a, b));
}

static inline vh mul_trunc(vh a, vh b) {
	return div255_trunc(vh_mul(a, b));
}

static inline vh complement(vh a) {
	return vh_sub(vh_set1(255), a);
}

static inline vh add(vh a, vh b) {
	return vh_min_u(vh_add(a, b), vh_set1(255));
}

/* ac + b(255-c) */
static inline vh lerp(vh a, vh b, vh c) {
	return vh_add(vh_mul(a, c), vh_mul(b, complement(c)));
}

static inline vh dot3_term(vh a, vh b) {
	const vh xa = vh_sub(vh_add(a, a), vh_set1(255));
	const vh xb = vh_sub(vh_add(b, b), vh_set1(255));
	const vh sa = vh_sra(xa, 15), sb = vh_sra(xb, 15);
	const vh p = mul(vh_xor(xa, sa), vh_xor(xb, sb));
	return vh_xor(p, vh_xor(sa, sb));
}

PLANE_OP(complement, A, complement(a))
PLANE_OP(scale2, A, add(a, a))
PLANE_OP(scale4, A, vh_min_u(vh_sll(a, 2), vh_set1(255)))
PLANE_OP(modulate, AB, mul(a, b))
PLANE_OP(add, AB, add(a, b))
PLANE_OP(add_signed, AB, vh_min_u(vh_subs_u(vh_add(a, b), vh_set1(128)), vh_set1(255)))
PLANE_OP(subtract, AB, vh_subs_u(a, b))
PLANE_OP(lerp, ABC, div255_round(lerp(a, b, c)))
PLANE_OP(mul_add, ABC, add(mul(a, b), c))
PLANE_OP(add_mul, ABC, mul(add(a, b), c))
PLANE_OP(modulate_trunc, AB, mul_trunc(a, b))
PLANE_OP(lerp_trunc, ABC, div255_trunc(lerp(a, b, c)))
PLANE_OP(mul_add_trunc, ABC, add(mul_trunc(a, b), c))
PLANE_OP(add_mul_trunc, ABC, mul_trunc(add(a, b), c))

void VFN(frag_op_dot3)(uint16_t *dst, const struct plane_in *in, unsigned n_planes,
		unsigned n_lanes) {
	const uint16_t *a = in[0].p, *b = in[1].p;
	const size_t sa = in[0].stride, sb = in[1].stride;
	for (size_t i = 0; i < n_lanes; i += VH_LANES) {
		vh sum = dot3_term(vh_load(a + i), vh_load(b + i));
		sum = vh_add(sum, dot3_term(vh_load(a + sa + i), vh_load(b + sb + i)));
		sum = vh_add(sum, dot3_term(vh_load(a + 2 * sa + i), vh_load(b + 2 * sb + i)));
		vh_store(dst + i, vh_min_s(vh_max_s(sum, vh_zero()), vh_set1(255)));
	}
}

/* Packing turns negative values into 0, also INT32_MIN, which comes from NaN. */
static inline vi color_lanes(vf q, const float *w) {
	const vf v = vf_min(vf_set1(1.0f), w ? vf_mul(q, vf_load(w)) : q);
	return vi_from_vf_trunc(vf_add(vf_mul(v, vf_set1(255.0f)), vf_set1(0.5f)));
}

static inline void color_planes(uint16_t *dst, const float *q, const float *w, unsigned n_planes,
		unsigned n_lanes) {
	for (unsigned k = 0; k < n_planes; k++, dst += BATCH, q += BATCH) {
		for (size_t i = 0, j = VF_LANES; i < n_lanes; i += VH_LANES, j += VH_LANES) {
			const vi lo = color_lanes(vf_load(q + i), w ? w + i : NULL);
			const vi hi = color_lanes(vf_load(q + j), w ? w + j : NULL);
			vh_store(dst + i, vh_pack_u(lo, hi));
		}
	}
}

void VFN(frag_color)(uint16_t *dst, const float *q, const float *w, unsigned n_planes,
		unsigned n_lanes) {
	if (w) {
		color_planes(dst, q, w, n_planes, n_lanes);
	} else {
		color_planes(dst, q, NULL, n_planes, n_lanes);
	}
}

static inline void color_block(uint16_t *dst, const float *steps, const float *base, const float *w,
		unsigned n_planes) {
	for (unsigned k = 0; k < n_planes; k++, dst += BATCH, steps += BATCH) {
		const vf at = vf_set1(base[k]);
		for (size_t i = 0, j = VF_LANES; i < BATCH; i += VH_LANES, j += VH_LANES) {
			const vf lo = vf_add(at, vf_load(steps + i));
			const vf hi = vf_add(at, vf_load(steps + j));
			vh_store(dst + i, vh_pack_u(color_lanes(lo, w ? w + i : NULL),
					color_lanes(hi, w ? w + j : NULL)));
		}
	}
}

void VFN(frag_color_block)(uint16_t *dst, const float *steps, const float *base, const float *w,
		unsigned n_planes) {
	if (w) {
		color_block(dst, steps, base, w, n_planes);
	} else {
		color_block(dst, steps, base, NULL, n_planes);
	}
}
