/* The words of vec.h on SSE4.1: 4 x 32, 8 x 16, 16 x 8, which is one quad. */
#ifndef VEC_VEC_SSE41_H
#define VEC_VEC_SSE41_H

#include <smmintrin.h>
#include <stddef.h>

#define VF_LANES 4

static inline int vec_load_word(const uint8_t *p, unsigned n) {
	uint32_t w = 0;
	memcpy(&w, p, n);
	return (int)w;
}
static inline __m128 vec_load_row(const uint8_t *p, unsigned n) {
	if (n == 4) {
		return _mm_loadu_ps((const float *)(const void *)p);
	}
	__m128 low = n == 1 ? _mm_setzero_ps() :
			_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)p));
	if (n == 2) {
		return low;
	}
	float last;
	memcpy(&last, p + 4 * (n - 1), sizeof(last));
	return n == 1 ? _mm_set_ss(last) : _mm_movelh_ps(low, _mm_set_ss(last));
}
static inline void vec_unzip_bytes4(__m128i a, __m128i b, __m128i out[4]) {
	const __m128i shuffle = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
	a = _mm_shuffle_epi8(a, shuffle);
	b = _mm_shuffle_epi8(b, shuffle);
	__m128i lo = _mm_unpacklo_epi32(a, b); /* 0000 0000 1111 1111 */
	__m128i hi = _mm_unpackhi_epi32(a, b); /* 2222 2222 3333 3333 */
	out[0] = _mm_cvtepu8_epi16(lo);
	out[1] = _mm_unpackhi_epi8(lo, _mm_setzero_si128());
	out[2] = _mm_cvtepu8_epi16(hi);
	out[3] = _mm_unpackhi_epi8(hi, _mm_setzero_si128());
}

#define LANES 4
#define V(word) vq##word
#define VEC_IS_QUAD 1
#include "core/vec/vec_sse41_words.h"
#undef V
#undef VEC_IS_QUAD

#define V(word) v##word
#define VEC_IS_QUAD 0
#include "core/vec/vec_sse41_words.h"
#undef V
#undef VEC_IS_QUAD
#undef LANES

#endif
