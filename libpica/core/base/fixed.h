/* The PICA's fixed-point fields (fidelity: fixed-point): the only copy. */
#ifndef BASE_FIXED_H
#define BASE_FIXED_H

#include <stdint.h>

/* Sign-extends the low bits of a field. */
static inline int32_t sign_extend(uint32_t field, unsigned bits) {
	uint32_t sign = 1u << (bits - 1);
	field &= (sign << 1) - 1;
	return (int32_t)((field ^ sign) - sign);
}

/* Expansion of n-bit colour components to 8 bits (fidelity: texel-formats). */
static inline uint32_t expand1(uint32_t v) {
	return v * 255;
}

static inline uint32_t expand4(uint32_t v) {
	return v * 17;
}

static inline uint32_t expand5(uint32_t v) {
	return v << 3 | v >> 2;
}

static inline uint32_t expand6(uint32_t v) {
	return v << 2 | v >> 4;
}

#endif
