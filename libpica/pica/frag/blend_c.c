/*
 * Blender and logic unit, in plain C: the truth. [fidelity: blending]
 *
 * A blend operation gets source, source factor, destination, destination factor as a, b, c, d.
 * The sum is divided by 255 once, toward zero, then clamped. [1: Citra; docs/fidelity.md]
 */
#include "pica/frag/kernels.h"

/* The only definition of the blender's division: rounding would be (2 * (x) + 255) / 510. */
#define BLEND_DIV255(x) ((x) / 255)

static uint32_t clamp255(uint32_t x) {
	return x < 255 ? x : 255;
}

static uint32_t blend_add(uint32_t s, uint32_t sf, uint32_t d, uint32_t df) {
	return clamp255(BLEND_DIV255(s * sf + d * df));
}

/* A negative difference is truncated toward zero, then clamped: 0 either way. */
static uint32_t blend_sub(uint32_t s, uint32_t sf, uint32_t d, uint32_t df) {
	return s * sf < d * df ? 0 : clamp255(BLEND_DIV255(s * sf - d * df));
}

static uint32_t blend_rsub(uint32_t s, uint32_t sf, uint32_t d, uint32_t df) {
	return blend_sub(d, df, s, sf);
}

/* Minimum and maximum use the factors, unlike OpenGL. [HW, fidelity: blending] */
static uint32_t blend_min(uint32_t s, uint32_t sf, uint32_t d, uint32_t df) {
	return clamp255(BLEND_DIV255(s * sf < d * df ? s * sf : d * df));
}

static uint32_t blend_max(uint32_t s, uint32_t sf, uint32_t d, uint32_t df) {
	return clamp255(BLEND_DIV255(s * sf > d * df ? s * sf : d * df));
}

static uint32_t saturate(uint32_t sa, uint32_t da) {
	return sa < 255 - da ? sa : 255 - da;
}

#define BLEND(name)                                                                                \
	void frag_op_##name##_c(uint16_t *dst, const struct plane_in *in, unsigned n_planes,       \
			unsigned n_lanes) {                                                        \
		for (unsigned k = 0; k < n_planes; k++) {                                          \
			for (unsigned i = 0; i < n_lanes; i++) {                                   \
				dst[k * BATCH + i] = (uint16_t)name(in[0].p[k * in[0].stride + i], \
						in[1].p[k * in[1].stride + i],                     \
						in[2].p[k * in[2].stride + i],                     \
						in[3].p[k * in[3].stride + i]);                    \
			}                                                                          \
		}                                                                                  \
	}
#define LOGIC(name, expr) \
	void frag_op_##name##_c(uint16_t *dst, const struct plane_in *in, unsigned n_planes, \
			unsigned n_lanes) { \
		for (unsigned k = 0; k < n_planes; k++) { \
			for (unsigned i = 0; i < n_lanes; i++) { \
				const uint32_t a = in[0].p[k * in[0].stride + i]; \
				const uint32_t b = in[1].p[k * in[1].stride + i]; \
				dst[k * BATCH + i] = (uint16_t)((expr) & 0xFF); \
			} \
		} \
	}

BLEND(blend_add)
BLEND(blend_sub)
BLEND(blend_rsub)
BLEND(blend_min)
BLEND(blend_max)
LOGIC(saturate, saturate(a, b))
LOGIC(and, a & b)
LOGIC(and_reverse, a & ~b)
LOGIC(nand, ~(a & b))
LOGIC(or, a | b)
LOGIC(or_reverse, a | ~b)
LOGIC(nor, ~(a | b))
LOGIC(xor, a ^ b)
LOGIC(equiv, ~(a ^ b))
