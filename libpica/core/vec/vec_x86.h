/* The quad words on SSE4.1, shared by the headers of x86-64. */
#ifndef VEC_VEC_X86_H
#define VEC_VEC_X86_H

#include <stddef.h>
#ifdef __AVX__
#include <immintrin.h>
#else
#include <smmintrin.h> /* the other takes longer to read than most of our files to compile */
#endif

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

#define VEC_FCMP_si128(name, op) _mm_castps_si128(_mm_cmp##name##_ps(a, b))
#define VEC_ICMP_si128(name, bits) _mm_##name##_epi##bits(a, b)
#define VEC_ROWS_si128(row, k) row(k)
#define VEC_GROUP_si128(a, g) (a)

#define V(word) vq##word
#include "core/vec/vec_sse41_words.h"

/* Quads only. */
static inline vqi vqi_bswap(vqi a) {
	return _mm_shuffle_epi8(
			a, _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
}
static inline vqi vqi_pair_lo(vqi a, vqi b) { return _mm_unpacklo_epi64(a, b); }
static inline vqi vqi_pair_hi(vqi a, vqi b) { return _mm_unpackhi_epi64(a, b); }
static inline vqi vqi_zip_lo(vqi a, vqi b) { return _mm_unpacklo_epi32(a, b); }
static inline vqh vqh_widen_lo_u(vqb a) { return _mm_cvtepu8_epi16(a); }
static inline vqh vqh_widen_hi_u(vqb a) { return _mm_unpackhi_epi8(a, _mm_setzero_si128()); }
static inline vqi vqi_load_px3(const void *p) {
	const __m128i shuffle = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
	int tail;
	memcpy(&tail, (const uint8_t *)p + 8, sizeof(tail));
	__m128i a = _mm_insert_epi32(_mm_loadl_epi64((const __m128i *)p), tail, 2);
	return _mm_shuffle_epi8(a, shuffle);
}
static inline void vqi_store_px3(void *p, vqi a) {
	const __m128i shuffle =
			_mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
	a = _mm_shuffle_epi8(a, shuffle);
	int tail = _mm_extract_epi32(a, 2);
	_mm_storel_epi64((__m128i *)p, a);
	memcpy((uint8_t *)p + 8, &tail, sizeof(tail));
}
static inline void vqi_store_u16(void *p, vqi a) {
	const __m128i shuffle =
			_mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1);
	_mm_storel_epi64((__m128i *)p, _mm_shuffle_epi8(a, shuffle));
}
static inline vqh vqh_load_halves(const void *p0, const void *p1) {
	return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)p0),
			_mm_loadl_epi64((const __m128i *)p1));
}
static inline void vqh_store_lo(void *p, vqh a) { _mm_storel_epi64((__m128i *)p, a); }
static inline void vqh_store_hi(void *p, vqh a) {
	_mm_storel_epi64((__m128i *)p, _mm_unpackhi_epi64(a, a));
}
static inline void vqh_unzip_bytes4(vqi a, vqi b, vqh out[4]) { vqh_unzip4(a, b, out); }
static inline void vqh_zip_bytes4(const vqh in[4], vqi out[2]) {
	__m128i b01 = _mm_or_si128(in[0], _mm_slli_epi16(in[1], 8));
	__m128i b23 = _mm_or_si128(in[2], _mm_slli_epi16(in[3], 8));
	out[0] = _mm_unpacklo_epi16(b01, b23);
	out[1] = _mm_unpackhi_epi16(b01, b23);
}
static inline void vqh_load_bytes4(const uint8_t *p, vqh out[4]) {
	vqh_unzip4(vqi_loadu(p), vqi_loadu(p + 16), out);
}
static inline void vqh_store_bytes4(uint8_t *p, const vqh in[4]) {
	vqi px[2];
	vqh_zip_bytes4(in, px);
	vqi_storeu(p, px[0]);
	vqi_storeu(p + 16, px[1]);
}

#endif
