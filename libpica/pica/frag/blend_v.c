/*
 * Blender and logic unit, in vectors. Everything fits 16 bits: one product is at most 65025; a
 * sum of two saturates at 65535, whose quotient 257 clamps to 255 as any true sum above 65025
 * would; a difference saturates at 0.
 */
#include "pica/frag/kernels.h"
#include "pica/frag/vector.h"

_Static_assert(16 % (2 * VH_LANES) == 0, "two vectors must divide the lane granule");

static inline vh blend_add(vh s, vh sf, vh d, vh df) {
	const vh sum = vh_adds_u(vh_mul(s, sf), vh_mul(d, df));
	return vh_min_u(div255_trunc(sum), vh_set1(255));
}

static inline vh blend_sub(vh s, vh sf, vh d, vh df) {
	return div255_trunc(vh_subs_u(vh_mul(s, sf), vh_mul(d, df)));
}

static inline vh blend_rsub(vh s, vh sf, vh d, vh df) {
	return blend_sub(d, df, s, sf);
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

#define BLEND(name)                                                                                \
	void VFN(frag_op_##name)(uint16_t * dst, const struct plane_in *in, unsigned n_planes,     \
			unsigned n_lanes) {                                                        \
		for (unsigned k = 0; k < n_planes; k++, dst += BATCH) {                            \
			const uint16_t *a = in[0].p + k * in[0].stride;                            \
			const uint16_t *b = in[1].p + k * in[1].stride;                            \
			const uint16_t *c = in[2].p + k * in[2].stride;                            \
			const uint16_t *d = in[3].p + k * in[3].stride;                            \
			for (size_t i = 0; i < n_lanes; i += 2 * VH_LANES) {                     \
				const size_t j = i + VH_LANES;                                   \
				const vh x = name(vh_load(a + i), vh_load(b + i), vh_load(c + i),  \
						vh_load(d + i));                                   \
				const vh y = name(vh_load(a + j), vh_load(b + j), vh_load(c + j),  \
						vh_load(d + j));                                   \
				vh_store(dst + i, x);                                              \
				vh_store(dst + j, y);                                              \
			}                                                                          \
		}                                                                                  \
	}
#define LOGIC(name, expr) \
	void VFN(frag_op_##name)(uint16_t *dst, const struct plane_in *in, unsigned n_planes, \
			unsigned n_lanes) { \
		for (unsigned k = 0; k < n_planes; k++, dst += BATCH) { \
			const uint16_t *pa = in[0].p + k * in[0].stride; \
			const uint16_t *pb = in[1].p + k * in[1].stride; \
			for (size_t i = 0; i < n_lanes; i += VH_LANES) { \
				const vh a = vh_load(pa + i), b = vh_load(pb + i); \
				vh_store(dst + i, expr); \
			} \
		} \
	}

BLEND(blend_add)
BLEND(blend_sub)
BLEND(blend_rsub)
BLEND(blend_min)
BLEND(blend_max)
LOGIC(saturate, vh_min_u(a, not8(b)))
LOGIC(and, vh_and(a, b))
LOGIC(and_reverse, vh_andnot(b, a))
LOGIC(nand, not8(vh_and(a, b)))
LOGIC(or, vh_or(a, b))
LOGIC(or_reverse, vh_or(a, not8(b)))
LOGIC(nor, not8(vh_or(a, b)))
LOGIC(xor, vh_xor(a, b))
LOGIC(equiv, not8(vh_xor(a, b)))
