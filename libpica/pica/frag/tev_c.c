/*
 * Arithmetic of the texture combiners, in plain C: the truth. [fidelity: combiner-ops,
 * combiner-rounding]
 *
 * The combiner works on 8 bits between stages. Its multiplier divides by 255 and rounds to nearest:
 * measured for dot3 on a console (all 2,816 values of the public set), assumed for all others.
 * The _trunc forms drop the remainder instead: for comparison with other renderers.
 */
#include "pica/frag/kernels.h"

static uint32_t min_u(uint32_t a, uint32_t b) {
	return a < b ? a : b;
}

/* t / 255 rounded to nearest; no ties, since 255 is odd. */
static uint32_t div255_round(uint32_t t) {
	return (2 * t + 255) / 510;
}

static uint32_t div255_trunc(uint32_t t) {
	return t / 255;
}

static uint32_t mul(uint32_t a, uint32_t b) {
	return div255_round(a * b);
}

static uint32_t mul_trunc(uint32_t a, uint32_t b) {
	return div255_trunc(a * b);
}

static uint32_t complement(uint32_t a) {
	return 255 - a;
}

static uint32_t scale2(uint32_t a) {
	return min_u(a * 2, 255);
}

static uint32_t scale4(uint32_t a) {
	return min_u(a * 4, 255);
}

static uint32_t add(uint32_t a, uint32_t b) {
	return min_u(a + b, 255);
}

/* The bias is 128; others say 127. [guess, fidelity: combiner-rounding] */
static uint32_t add_signed(uint32_t a, uint32_t b) {
	return a + b < 128 ? 0 : min_u(a + b - 128, 255);
}

static uint32_t subtract(uint32_t a, uint32_t b) {
	return a < b ? 0 : a - b;
}

static uint32_t lerp(uint32_t a, uint32_t b, uint32_t c) {
	return div255_round(a * c + b * (255 - c));
}

static uint32_t mul_add(uint32_t a, uint32_t b, uint32_t c) {
	return min_u(div255_round(a * b + 255 * c), 255);
}

/* The sum is clamped before the product. [guess, fidelity: combiner-rounding] */
static uint32_t add_mul(uint32_t a, uint32_t b, uint32_t c) {
	return mul(add(a, b), c);
}

static uint32_t lerp_trunc(uint32_t a, uint32_t b, uint32_t c) {
	return div255_trunc(a * c + b * (255 - c));
}

static uint32_t mul_add_trunc(uint32_t a, uint32_t b, uint32_t c) {
	return min_u(div255_trunc(a * b + 255 * c), 255);
}

static uint32_t add_mul_trunc(uint32_t a, uint32_t b, uint32_t c) {
	return mul_trunc(add(a, b), c);
}

/*
 * One product of dot3. Operands become sign and magnitude through a one's complement of 2a - 255,
 * the magnitudes are multiplied with rounding, and a negative product comes back through a one's
 * complement: -P - 1. [HW: exact on the whole DOT3_RGB set; fidelity: dot3]
 */
static int32_t dot3_term(uint32_t a, uint32_t b) {
	const uint32_t ma = a >= 128 ? 2 * a - 255 : 254 - 2 * a;
	const uint32_t mb = b >= 128 ? 2 * b - 255 : 254 - 2 * b;
	const int32_t p = (int32_t)mul(ma & 0xFF, mb & 0xFF);
	return (a >= 128) == (b >= 128) ? p : -p - 1;
}

#define OP1(name)                                                                                  \
	void frag_op_##name##_c(uint16_t *dst, const struct plane_in *in, unsigned n_planes,       \
			unsigned n_lanes) {                                                        \
		for (unsigned k = 0; k < n_planes; k++) {                                          \
			for (unsigned i = 0; i < n_lanes; i++) {                                   \
				dst[k * BATCH + i] =                                               \
						(uint16_t)name(in[0].p[k * in[0].stride + i]);     \
			}                                                                          \
		}                                                                                  \
	}
#define OP2(name, fn) \
	void frag_op_##name##_c(uint16_t *dst, const struct plane_in *in, unsigned n_planes, \
			unsigned n_lanes) { \
		for (unsigned k = 0; k < n_planes; k++) { \
			for (unsigned i = 0; i < n_lanes; i++) { \
				dst[k * BATCH + i] = (uint16_t)fn(in[0].p[k * in[0].stride + i], \
						in[1].p[k * in[1].stride + i]); \
			} \
		} \
	}
#define OP3(name)                                                                                  \
	void frag_op_##name##_c(uint16_t *dst, const struct plane_in *in, unsigned n_planes,       \
			unsigned n_lanes) {                                                        \
		for (unsigned k = 0; k < n_planes; k++) {                                          \
			for (unsigned i = 0; i < n_lanes; i++) {                                   \
				dst[k * BATCH + i] = (uint16_t)name(in[0].p[k * in[0].stride + i], \
						in[1].p[k * in[1].stride + i],                     \
						in[2].p[k * in[2].stride + i]);                    \
			}                                                                          \
		}                                                                                  \
	}

OP1(complement)
OP1(scale2)
OP1(scale4)
OP2(modulate, mul)
OP2(add, add)
OP2(add_signed, add_signed)
OP2(subtract, subtract)
OP3(lerp)
OP3(mul_add)
OP3(add_mul)
OP2(modulate_trunc, mul_trunc)
OP3(lerp_trunc)
OP3(mul_add_trunc)
OP3(add_mul_trunc)

void frag_op_dot3_c(uint16_t *dst, const struct plane_in *in, unsigned n_planes,
		unsigned n_lanes) {
	for (unsigned i = 0; i < n_lanes; i++) {
		int32_t sum = 0;
		for (unsigned k = 0; k < 3; k++) {
			sum += dot3_term(in[0].p[k * in[0].stride + i],
					in[1].p[k * in[1].stride + i]);
		}
		dst[i] = (uint16_t)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
	}
}

static uint16_t color_byte(float v) {
	v = v > 0.0f ? v : 0.0f;
	v = v < 1.0f ? v : 1.0f;
	return (uint16_t)(int32_t)(v * 255.0f + 0.5f);
}

void frag_color_c(uint16_t *dst, const float *q, const float *w, unsigned n_planes,
		unsigned n_lanes) {
	for (unsigned k = 0; k < n_planes; k++) {
		for (unsigned i = 0; i < n_lanes; i++) {
			const float v = q[k * BATCH + i];
			dst[k * BATCH + i] = color_byte(w ? v * w[i] : v);
		}
	}
}

void frag_color_block_c(uint16_t *dst, const float *steps, const float *base, const float *w,
		unsigned n_planes) {
	for (unsigned k = 0; k < n_planes; k++) {
		for (unsigned i = 0; i < BATCH; i++) {
			const float v = base[k] + steps[k * BATCH + i];
			dst[k * BATCH + i] = color_byte(w ? v * w[i] : v);
		}
	}
}
