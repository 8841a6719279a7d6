/* The words of vec.h on SSE4.1: 4 x 32, 8 x 16, 16 x 8. */
#ifndef VEC_VEC_SSE41_H
#define VEC_VEC_SSE41_H

#include <smmintrin.h>

#define VEC_NAME sse41
#define VF_LANES 4
#define VH_LANES 8
#define VB_LANES 16

typedef __m128 vf;
typedef __m128i vi;
typedef __m128i vh;
typedef __m128i vb;

/* binary32 */
static inline vf vf_set1(float x) { return _mm_set1_ps(x); }
static inline vf vf_zero(void) { return _mm_setzero_ps(); }
static inline vf vf_load(const float *p) { return _mm_load_ps(p); }
static inline vf vf_loadu(const float *p) { return _mm_loadu_ps(p); }
static inline void vf_store(float *p, vf a) { _mm_store_ps(p, a); }
static inline void vf_storeu(float *p, vf a) { _mm_storeu_ps(p, a); }
static inline vf vf_add(vf a, vf b) { return _mm_add_ps(a, b); }
static inline vf vf_sub(vf a, vf b) { return _mm_sub_ps(a, b); }
static inline vf vf_mul(vf a, vf b) { return _mm_mul_ps(a, b); }
static inline vf vf_div(vf a, vf b) { return _mm_div_ps(a, b); }
static inline vf vf_sqrt(vf a) { return _mm_sqrt_ps(a); }
static inline vf vf_min(vf a, vf b) { return _mm_min_ps(a, b); }
static inline vf vf_max(vf a, vf b) { return _mm_max_ps(a, b); }
static inline vf vf_and(vf a, vf b) { return _mm_and_ps(a, b); }
static inline vf vf_or(vf a, vf b) { return _mm_or_ps(a, b); }
static inline vf vf_xor(vf a, vf b) { return _mm_xor_ps(a, b); }
/* ~a & b */
static inline vf vf_andnot(vf a, vf b) { return _mm_andnot_ps(a, b); }
static inline vf vf_abs(vf a) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), a); }
static inline vf vf_neg(vf a) { return _mm_xor_ps(_mm_set1_ps(-0.0f), a); }
static inline vf vf_floor(vf a) { return _mm_floor_ps(a); }
static inline vf vf_trunc(vf a) { return _mm_round_ps(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
static inline vi vf_lt(vf a, vf b) { return _mm_castps_si128(_mm_cmplt_ps(a, b)); }
static inline vi vf_le(vf a, vf b) { return _mm_castps_si128(_mm_cmple_ps(a, b)); }
static inline vi vf_gt(vf a, vf b) { return _mm_castps_si128(_mm_cmpgt_ps(a, b)); }
static inline vi vf_ge(vf a, vf b) { return _mm_castps_si128(_mm_cmpge_ps(a, b)); }
static inline vi vf_eq(vf a, vf b) { return _mm_castps_si128(_mm_cmpeq_ps(a, b)); }
static inline vi vf_neq(vf a, vf b) { return _mm_castps_si128(_mm_cmpneq_ps(a, b)); }
static inline vf vf_select(vi m, vf a, vf b) { return _mm_blendv_ps(b, a, _mm_castsi128_ps(m)); }
static inline vi vi_as_vf_bits(vf a) { return _mm_castps_si128(a); }
static inline vf vf_as_vi_bits(vi a) { return _mm_castsi128_ps(a); }
static inline vi vi_from_vf_trunc(vf a) { return _mm_cvttps_epi32(a); }
static inline vf vf_from_vi(vi a) { return _mm_cvtepi32_ps(a); }
/* Bit k = sign of lane k. */
static inline unsigned vf_movemask(vf a) { return (unsigned)_mm_movemask_ps(a); }

/* int32 */
static inline vi vi_set1(int32_t x) { return _mm_set1_epi32(x); }
static inline vi vi_zero(void) { return _mm_setzero_si128(); }
static inline vi vi_load(const void *p) { return _mm_load_si128((const __m128i *)p); }
static inline vi vi_loadu(const void *p) { return _mm_loadu_si128((const __m128i *)p); }
static inline void vi_store(void *p, vi a) { _mm_store_si128((__m128i *)p, a); }
static inline void vi_storeu(void *p, vi a) { _mm_storeu_si128((__m128i *)p, a); }
static inline vi vi_add(vi a, vi b) { return _mm_add_epi32(a, b); }
static inline vi vi_sub(vi a, vi b) { return _mm_sub_epi32(a, b); }
/* Low 32 bits of the product. */
static inline vi vi_mul(vi a, vi b) { return _mm_mullo_epi32(a, b); }
static inline vi vi_and(vi a, vi b) { return _mm_and_si128(a, b); }
static inline vi vi_or(vi a, vi b) { return _mm_or_si128(a, b); }
static inline vi vi_xor(vi a, vi b) { return _mm_xor_si128(a, b); }
static inline vi vi_andnot(vi a, vi b) { return _mm_andnot_si128(a, b); }
#define vi_sll(a, n) _mm_slli_epi32((a), (n))
#define vi_srl(a, n) _mm_srli_epi32((a), (n))
#define vi_sra(a, n) _mm_srai_epi32((a), (n))
static inline vi vi_eq(vi a, vi b) { return _mm_cmpeq_epi32(a, b); }
static inline vi vi_gt(vi a, vi b) { return _mm_cmpgt_epi32(a, b); }
static inline vi vi_min(vi a, vi b) { return _mm_min_epi32(a, b); }
static inline vi vi_max(vi a, vi b) { return _mm_max_epi32(a, b); }
static inline vi vi_select(vi m, vi a, vi b) { return _mm_blendv_epi8(b, a, m); }
static inline unsigned vi_movemask(vi a) { return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(a)); }
/* Lane k is all ones where bit k of bits is set. */
static inline vi vi_mask_from_bits(unsigned bits) {
	const vi lane = _mm_setr_epi32(1, 2, 4, 8);
	return _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)bits), lane), lane);
}
/* 0, 1, 2, ... */
static inline vi vi_iota(void) { return _mm_setr_epi32(0, 1, 2, 3); }

/* 16-bit; u: unsigned, s: signed */
static inline vh vh_set1(int x) { return _mm_set1_epi16((short)x); }
static inline vh vh_zero(void) { return _mm_setzero_si128(); }
static inline vh vh_load(const void *p) { return _mm_load_si128((const __m128i *)p); }
static inline vh vh_loadu(const void *p) { return _mm_loadu_si128((const __m128i *)p); }
static inline void vh_store(void *p, vh a) { _mm_store_si128((__m128i *)p, a); }
static inline void vh_storeu(void *p, vh a) { _mm_storeu_si128((__m128i *)p, a); }
static inline vh vh_add(vh a, vh b) { return _mm_add_epi16(a, b); }
static inline vh vh_sub(vh a, vh b) { return _mm_sub_epi16(a, b); }
static inline vh vh_adds_u(vh a, vh b) { return _mm_adds_epu16(a, b); }
static inline vh vh_subs_u(vh a, vh b) { return _mm_subs_epu16(a, b); }
static inline vh vh_mul(vh a, vh b) { return _mm_mullo_epi16(a, b); }
static inline vh vh_mulhi_u(vh a, vh b) { return _mm_mulhi_epu16(a, b); }
static inline vh vh_and(vh a, vh b) { return _mm_and_si128(a, b); }
static inline vh vh_or(vh a, vh b) { return _mm_or_si128(a, b); }
static inline vh vh_xor(vh a, vh b) { return _mm_xor_si128(a, b); }
static inline vh vh_andnot(vh a, vh b) { return _mm_andnot_si128(a, b); }
#define vh_sll(a, n) _mm_slli_epi16((a), (n))
#define vh_srl(a, n) _mm_srli_epi16((a), (n))
#define vh_sra(a, n) _mm_srai_epi16((a), (n))
static inline vh vh_eq(vh a, vh b) { return _mm_cmpeq_epi16(a, b); }
static inline vh vh_gt_s(vh a, vh b) { return _mm_cmpgt_epi16(a, b); }
static inline vh vh_min_u(vh a, vh b) { return _mm_min_epu16(a, b); }
static inline vh vh_max_u(vh a, vh b) { return _mm_max_epu16(a, b); }
static inline vh vh_min_s(vh a, vh b) { return _mm_min_epi16(a, b); }
static inline vh vh_max_s(vh a, vh b) { return _mm_max_epi16(a, b); }
static inline vh vh_select(vh m, vh a, vh b) { return _mm_blendv_epi8(b, a, m); }
static inline vh vh_mask_from_bits(unsigned bits) {
	const vh lane = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
	return _mm_cmpeq_epi16(_mm_and_si128(_mm_set1_epi16((short)bits), lane), lane);
}
/* Bit k = sign bit of 16-bit lane k. */
static inline unsigned vh_movemask(vh a) {
	return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(a, _mm_setzero_si128())) & 0xFF;
}

/* Whole-vector order: lanes of a, then lanes of b. */
/* int32 -> 16 bit with unsigned saturation (negative -> 0). */
static inline vh vh_pack_u(vi a, vi b) { return _mm_packus_epi32(a, b); }
/* int32 -> 16 bit with signed saturation; turns 32-bit masks into 16-bit masks. */
static inline vh vh_pack_s(vi a, vi b) { return _mm_packs_epi32(a, b); }
/* Zero extension of the lower / upper half. */
static inline vi vi_widen_lo_u(vh a) { return _mm_cvtepu16_epi32(a); }
static inline vi vi_widen_hi_u(vh a) { return _mm_unpackhi_epi16(a, _mm_setzero_si128()); }
/* Sign extension; turns 16-bit masks into 32-bit masks. */
static inline vi vi_widen_lo_s(vh a) { return _mm_cvtepi16_epi32(a); }
static inline vi vi_widen_hi_s(vh a) { return _mm_srai_epi32(_mm_unpackhi_epi16(a, a), 16); }
/* For each pair of neighbouring 16-bit lanes: a0*b0 + a1*b1, signed, in 32 bits. */
static inline vi vi_madd_s(vh a, vh b) { return _mm_madd_epi16(a, b); }
/* Lanes a0 b0 a1 b1 ... of the lower / upper half. */
static inline vh vh_zip_lo(vh a, vh b) { return _mm_unpacklo_epi16(a, b); }
static inline vh vh_zip_hi(vh a, vh b) { return _mm_unpackhi_epi16(a, b); }

/* bytes */
static inline vb vb_loadu(const void *p) { return _mm_loadu_si128((const __m128i *)p); }
static inline void vb_storeu(void *p, vb a) { _mm_storeu_si128((__m128i *)p, a); }
/* signed 16 bit -> byte with unsigned saturation, lanes of a then b. */
static inline vb vb_pack_u(vh a, vh b) { return _mm_packus_epi16(a, b); }
static inline vh vh_widen_lo_u(vb a) { return _mm_cvtepu8_epi16(a); }
static inline vh vh_widen_hi_u(vb a) { return _mm_unpackhi_epi8(a, _mm_setzero_si128()); }

/*
 * VH_LANES pixels of 4 bytes at p (any alignment): byte k of each pixel to plane k, zero-extended.
 */
static inline void vh_load_bytes4(const uint8_t *p, vh out[4]) {
	const __m128i shuffle = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
	__m128i a = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)p), shuffle);
	__m128i b = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(p + 16)), shuffle);
	__m128i lo = _mm_unpacklo_epi32(a, b); /* 0000 0000 1111 1111 */
	__m128i hi = _mm_unpackhi_epi32(a, b); /* 2222 2222 3333 3333 */
	out[0] = _mm_cvtepu8_epi16(lo);
	out[1] = _mm_unpackhi_epi8(lo, _mm_setzero_si128());
	out[2] = _mm_cvtepu8_epi16(hi);
	out[3] = _mm_unpackhi_epi8(hi, _mm_setzero_si128());
}

/* The reverse; lanes must be 0..255. */
static inline void vh_store_bytes4(uint8_t *p, const vh in[4]) {
	__m128i b01 = _mm_or_si128(in[0], _mm_slli_epi16(in[1], 8));
	__m128i b23 = _mm_or_si128(in[2], _mm_slli_epi16(in[3], 8));
	_mm_storeu_si128((__m128i *)p, _mm_unpacklo_epi16(b01, b23));
	_mm_storeu_si128((__m128i *)(p + 16), _mm_unpackhi_epi16(b01, b23));
}

#endif
