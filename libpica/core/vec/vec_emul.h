/*
 * The words of vec.h in plain C, for vector sources on CPUs without a header of their own, under
 * sanitizers, and in tests on every architecture. Slow and simple. The build defines VF_LANES (4, 8
 * or 16).
 */
#ifndef VEC_VEC_EMUL_H
#define VEC_VEC_EMUL_H

#include <math.h>
#include <stddef.h>

#define VEC_EACH(type, n, expr) \
	type r; \
	for (int k = 0; k < (n); k++) { \
		r.l[k] = (expr); \
	} \
	return r
#define EACH_F(expr) VEC_EACH(V(f), LANES, expr)
#define EACH_I(expr) VEC_EACH(V(i), LANES, expr)
#define EACH_H(expr) VEC_EACH(V(h), 2 * LANES, expr)
#define EACH_B(expr) VEC_EACH(V(b), 4 * LANES, expr)

static inline float vec_float(int32_t bits) {
	float f;
	memcpy(&f, &bits, sizeof(f));
	return f;
}
static inline int32_t vec_bits(float f) {
	int32_t bits;
	memcpy(&bits, &f, sizeof(bits));
	return bits;
}
static inline uint32_t vec_word(const uint8_t *p, unsigned n) {
	uint32_t word = 0;
	for (unsigned i = 0; i < n; i++) {
		word |= (uint32_t)p[i] << 8 * i;
	}
	return word;
}
static inline int vec_s16(uint16_t x) { return x >= 0x8000 ? (int)x - 0x10000 : (int)x; }
static inline int vec_s8(int x) { return (x & 255) >= 128 ? (x & 255) - 256 : x & 255; }
static inline int vec_clamp(int x, int lo, int hi) { return x < lo ? lo : x > hi ? hi : x; }

#define VEC_U(x) ((uint32_t)(x))
#define VEC_BITOP(op) vec_float(vec_bits(a.l[k]) op vec_bits(b.l[k]))

#define V(word) vq##word
#define LANES 4
#define VEC_IS_QUAD 1
#include "core/vec/vec_emul_words.h"
#undef V
#undef LANES
#undef VEC_IS_QUAD

#define V(word) v##word
#define LANES VF_LANES
#define VEC_IS_QUAD 0
#include "core/vec/vec_emul_words.h"

#endif
