/*
 * Blender and logic unit, in vectors. Everything fits 16 bits: one product is at most 65025; a
 * sum of two saturates at 65535, whose quotient 257 clamps to 255 as any true sum above 65025
 * would; a difference saturates at 0.
 */
#include "pica/frag/kernels.h"
#include "pica/frag/vector.h"

static inline vh blend_add(vh s, vh sf, vh d, vh df) {
	const vh sum = vh_adds_u(vh_mul(s, sf), vh_mul(d, df));
	return vh_min_u(div255_trunc(sum), vh_set1(255));
}

static inline vh blend_sub(vh s, vh sf, vh d, vh df) {
	return div255_trunc(vh_subs_u(vh_mul(s, sf), vh_mul(d, df)));
}

static inline vh blend_min(vh s, vh sf, vh d, vh df) {
	return div255_trunc(vh_min_u(vh_mul(s, sf), vh_mul(d, df)));
}

static inline vh blend_max(vh s, vh sf, vh d, vh df) {
	return div255_trunc(vh_max_u(vh_mul(s, sf), vh_mul(d, df)));
}

static inline vh not8(vh a) {
	return vh_xor(a, vh_set1(255));
}

PLANE_OP(blend_add, ABCD, blend_add(a, b, c, d))
PLANE_OP(blend_sub, ABCD, blend_sub(a, b, c, d))
PLANE_OP(blend_rsub, ABCD, blend_sub(c, d, a, b))
PLANE_OP(blend_min, ABCD, blend_min(a, b, c, d))
PLANE_OP(blend_max, ABCD, blend_max(a, b, c, d))
PLANE_OP(saturate, AB, vh_min_u(a, not8(b)))
PLANE_OP(and, AB, vh_and(a, b))
PLANE_OP(and_reverse, AB, vh_andnot(b, a))
PLANE_OP(nand, AB, not8(vh_and(a, b)))
PLANE_OP(or, AB, vh_or(a, b))
PLANE_OP(or_reverse, AB, vh_or(a, not8(b)))
PLANE_OP(nor, AB, not8(vh_or(a, b)))
PLANE_OP(xor, AB, vh_xor(a, b))
PLANE_OP(equiv, AB, not8(vh_xor(a, b)))
