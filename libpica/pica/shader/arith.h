/*
 * The arithmetic of the shader units, one number at a time: the truth of [fidelity: f24-model].
 *
 * Every NaN that arithmetic produces or propagates is 7FC00000, because sign and payload of a NaN
 * depend on the processor and on the order of operands. Copies (MOV, MAX, MIN, negation, the
 * copied parts of DST and LITP) keep all bits.
 *
 * In mode PICA_FLOAT_F32, F and T do nothing (except for that NaN); 0 * infinity is still 0.
 */
#ifndef SHADER_ARITH_H
#define SHADER_ARITH_H

#include <math.h>
#include <stdbool.h>

#include "core/base/f24.h"
#include "core/base/mathfn.h"
#include "pica.h"

#define ARITH_NAN_BITS 0x7FC00000
#define ARITH_INF_BITS 0x7F800000

static inline float arith_infinity(bool negative) {
	return f32_from_bits(negative ? 0xFF800000u : ARITH_INF_BITS);
}

/* Compares bits, because compiler options may remove isnan(). */
static inline bool arith_is_nan(float x) {
	return (f32_bits(x) & 0x7FFFFFFF) > ARITH_INF_BITS;
}

/* T(): the stored form of a result. */
static inline float arith_t(float x, enum pica_float mode) {
	if (arith_is_nan(x)) {
		return f32_from_bits(ARITH_NAN_BITS);
	}
	return mode == PICA_FLOAT_F24 ? f24_truncate(x) : x;
}

/* T() of a result computed in binary64. */
static inline float arith_t64(double x, enum pica_float mode) {
	return mode == PICA_FLOAT_F24 ? math_f24(x) : (float)x;
}

/* F(): the read form of an operand. */
static inline float arith_f(float x, enum pica_float mode) {
	return mode == PICA_FLOAT_F24 ? f24_flush(x) : x;
}

static inline float arith_mul(float a, float b, enum pica_float mode) {
	float r = arith_f(a, mode) * arith_f(b, mode);
	if (arith_is_nan(r) && !arith_is_nan(a) && !arith_is_nan(b)) {
		return 0.0f; /* 0 * infinity [HW] */
	}
	return arith_t(r, mode);
}

static inline float arith_add(float a, float b, enum pica_float mode) {
	return arith_t(arith_f(a, mode) + arith_f(b, mode), mode);
}

/* The product is rounded first. [HW, 3dbrew] */
static inline float arith_mad(float a, float b, float c, enum pica_float mode) {
	return arith_add(arith_mul(a, b, mode), c, mode);
}

/* Dot product of the first n components, summed from x on. [?, fidelity: f24-model] */
static inline float arith_dot(const float a[4], const float b[4], int n, enum pica_float mode) {
	float sum = arith_mul(a[0], b[0], mode);
	for (int i = 1; i < n; i++) {
		sum = arith_add(sum, arith_mul(a[i], b[i], mode), mode);
	}
	return sum;
}

static inline float arith_rcp(float s, enum pica_float mode) {
	float x = arith_f(s, mode);
	if (x == 0.0f) {
		return arith_infinity(false); /* also of -0 [HW] */
	}
	return arith_t(1.0f / x, mode);
}

static inline float arith_rsq(float s, enum pica_float mode) {
	float x = arith_f(s, mode);
	if (x == 0.0f) {
		return arith_infinity(false); /* also of -0 [HW] */
	}
	if (x < 0.0f || arith_is_nan(x)) {
		return f32_from_bits(ARITH_NAN_BITS);
	}
	return arith_t(1.0f / sqrtf(x), mode);
}

static inline float arith_ex2(float s, enum pica_float mode) {
	float x = arith_f(s, mode);
	if (arith_is_nan(x)) {
		return f32_from_bits(ARITH_NAN_BITS);
	}
	return arith_t64(math_exp2((double)x), mode); /* -infinity: 0, +infinity: +infinity */
}

static inline float arith_lg2(float s, enum pica_float mode) {
	float x = arith_f(s, mode);
	if (arith_is_nan(x) || x < 0.0f) {
		return f32_from_bits(ARITH_NAN_BITS);
	}
	if (x == 0.0f || f32_bits(x) == ARITH_INF_BITS) {
		return arith_infinity(x == 0.0f);
	}
	return arith_t64(math_log2((double)x), mode);
}

static inline float arith_flr(float s, enum pica_float mode) {
	return arith_t(floorf(arith_f(s, mode)), mode);
}

/* max and min return b if either is NaN. [HW] */
static inline float arith_max(float a, float b) {
	return a > b ? a : b;
}

static inline float arith_min(float a, float b) {
	return a < b ? a : b;
}

/* LITP clamps y to this magnitude: 7FFF / 256. */
#define ARITH_LITP_Y 127.99609375f

static inline float arith_litp_y(float y) {
	return y > ARITH_LITP_Y ? ARITH_LITP_Y : y < -ARITH_LITP_Y ? -ARITH_LITP_Y : y;
}

/* Comparison operator of CMP; 6 and 7 are always true. [HW, 3dbrew "seem to"] */
static inline bool arith_compare(unsigned op, float a, float b) {
	switch (op) {
	case 0:
		return a == b;
	case 1:
		return a != b;
	case 2:
		return a < b;
	case 3:
		return a <= b;
	case 4:
		return a > b;
	case 5:
		return a >= b;
	default:
		return true;
	}
}

/* MOVA: toward zero [HW]; outside int32, returns a value that relative addressing ignores. */
static inline int32_t arith_address(float x) {
	return x >= -2147483648.0f && x < 2147483648.0f ? (int32_t)x : INT32_MIN;
}

/*
 * Relative addressing: returns the uniform at base + off, or -1 for (1, 1, 1, 1). [HW, 3dbrew;
 * fidelity: relative-addressing]
 */
static inline int arith_relative(unsigned base, int32_t off) {
	if (off < -128 || off > 127) {
		off = 0;
	}
	unsigned k = (base + (unsigned)off) & 0x7F;
	return k < 96 ? (int)k : -1;
}

#endif
