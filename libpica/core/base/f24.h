/*
 * The PICA's 16, 20, 24 and 31-bit floats to and from binary32: the only copy.
 * Every narrow value is exact in binary32 (fidelity: floats).
 */
#ifndef BASE_F24_H
#define BASE_F24_H

#include <stdint.h>
#include <string.h>

static inline float f32_from_bits(uint32_t bits) {
	float f;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static inline uint32_t f32_bits(float f) {
	uint32_t bits;
	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* A float of 1 sign bit, exp_bits exponent bits and man_bits mantissa bits, in the low bits. */
static inline uint32_t narrow_to_f32_bits(uint32_t raw, unsigned exp_bits, unsigned man_bits) {
	uint32_t exp_max = (1u << exp_bits) - 1;
	uint32_t bias = exp_max >> 1;
	uint32_t sign = raw >> (exp_bits + man_bits) & 1;
	uint32_t e = raw >> man_bits & exp_max;
	uint32_t m = raw & ((1u << man_bits) - 1);
	uint32_t bits = sign << 31;
	if (e == exp_max) {
		return bits | 0x7F800000u | m << (23 - man_bits);
	}
	if (e == 0) {
		if (m == 0) {
			return bits;
		}
		/* Subnormal: m * 2^(1 - bias - man_bits), normal in binary32. */
		unsigned top = 31 - (unsigned)__builtin_clz(m);
		uint32_t frac = m ^ 1u << top;
		return bits | (127 + 1 - bias - man_bits + top) << 23 | frac << (23 - top);
	}
	return bits | (e - bias + 127) << 23 | m << (23 - man_bits);
}

static inline float f16_to_f32(uint32_t raw) {
	return f32_from_bits(narrow_to_f32_bits(raw & 0xFFFF, 5, 10));
}

static inline float f20_to_f32(uint32_t raw) {
	return f32_from_bits(narrow_to_f32_bits(raw & 0xFFFFF, 7, 12));
}

static inline float f24_to_f32(uint32_t raw) {
	return f32_from_bits(narrow_to_f32_bits(raw & 0xFFFFFF, 7, 16));
}

/* Registers 042/044: 1.7.23 in bits 1-31. */
static inline float f31_to_f32(uint32_t word) {
	return f32_from_bits(narrow_to_f32_bits(word >> 1, 7, 23));
}

/* binary32 to a narrow float by truncation (fidelity: floats, "Encode"). */
static inline uint32_t f32_to_narrow(float f, unsigned exp_bits, unsigned man_bits) {
	uint32_t bits = f32_bits(f);
	int32_t bias = (1 << (exp_bits - 1)) - 1;
	uint32_t sign = bits >> 31 << (exp_bits + man_bits);
	uint32_t exp_max = ((1u << exp_bits) - 1) << man_bits;
	uint32_t m = bits & 0x7FFFFF;
	int32_t e = (int32_t)(bits >> 23 & 0xFF) - 127;
	if (e == 128) {
		uint32_t top = m >> (23 - man_bits);
		if (m && !top) {
			top = 1u << (man_bits - 1);
		}
		return sign | exp_max | top;
	}
	if (e > bias) {
		return sign | exp_max;
	}
	if (e < 1 - bias) {
		return sign;
	}
	return sign | (uint32_t)(e + bias) << man_bits | m >> (23 - man_bits);
}

static inline uint32_t f32_to_f16(float f) {
	return f32_to_narrow(f, 5, 10);
}

static inline uint32_t f32_to_f20(float f) {
	return f32_to_narrow(f, 7, 12);
}

static inline uint32_t f32_to_f24(float f) {
	return f32_to_narrow(f, 7, 16);
}

/* Word of registers 042/044 for a value in range. */
static inline uint32_t f32_to_f31(float f) {
	return f32_to_narrow(f, 7, 23) << 1;
}

/*
 * T() of [fidelity: f24-model]: the f24 value that an arithmetic result is stored as, kept as
 * binary32. Truncates the mantissa, overflows to infinity, flushes below 2^-62 to +0, keeps NaN.
 */
static inline float f24_truncate(float x) {
	uint32_t bits = f32_bits(x);
	uint32_t e = bits >> 23 & 0xFF;
	if (e == 0xFF && (bits & 0x7FFFFF)) {
		return x;
	}
	if (e >= 0xBF) {
		return f32_from_bits((bits & 0x80000000u) | 0x7F800000u);
	}
	if (e < 0x41) {
		return 0.0f;
	}
	return f32_from_bits(bits & ~0x7Fu);
}

/* F() of [fidelity: f24-model]: what an arithmetic instruction reads; also turns -0 into +0. */
static inline float f24_flush(float x) {
	return (f32_bits(x) >> 23 & 0xFF) < 0x41 ? 0.0f : x;
}

/*
 * Packed vec4 of f24 in three words, order W Z | Z Y | Y X (fidelity: packed-f24) to binary32 x, y,
 * z, w.
 */
static inline void f24_unpack_vec4(const uint32_t word[3], float out[4]) {
	out[0] = f24_to_f32(word[2] & 0xFFFFFF);
	out[1] = f24_to_f32((word[1] & 0xFFFF) << 8 | word[2] >> 24);
	out[2] = f24_to_f32((word[0] & 0xFF) << 16 | word[1] >> 16);
	out[3] = f24_to_f32(word[0] >> 8);
}

static inline void f24_pack_vec4(const float in[4], uint32_t word[3]) {
	uint32_t x = f32_to_f24(in[0]), y = f32_to_f24(in[1]);
	uint32_t z = f32_to_f24(in[2]), w = f32_to_f24(in[3]);
	word[0] = w << 8 | z >> 16;
	word[1] = (z & 0xFFFF) << 16 | y >> 8;
	word[2] = (y & 0xFF) << 24 | x;
}

#endif
