/* The words of vec.h on AVX-512 (F, BW, DQ, VL): 16 x 32, 32 x 16, 64 x 8 bits. No FMA. */
#ifndef VEC_VEC_AVX512_H
#define VEC_VEC_AVX512_H

#include "core/vec/vec_x86.h"

#define VF_LANES 16

typedef __m512 vf;
typedef __m512i vi;
typedef __m512i vh;
typedef __m512i vb;

static inline vf vf_floor(vf a) {
	return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
static inline vf vf_trunc(vf a) {
	return _mm512_roundscale_ps(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
static inline vi vi_as_vf_bits(vf a) { return _mm512_castps_si512(a); }
static inline vf vf_as_vi_bits(vi a) { return _mm512_castsi512_ps(a); }
static inline vi vi_select(vi m, vi a, vi b) { return _mm512_ternarylogic_epi32(m, a, b, 0xCA); }
static inline vh vh_select(vh m, vh a, vh b) { return vi_select(m, a, b); }
static inline vf vf_select(vi m, vf a, vf b) {
	return vf_as_vi_bits(vi_select(m, vi_as_vf_bits(a), vi_as_vf_bits(b)));
}
static inline unsigned vi_movemask(vi a) { return _mm512_movepi32_mask(a); }
static inline unsigned vh_movemask(vh a) { return _mm512_movepi16_mask(a); }
static inline uint64_t vb_movemask(vb a) { return _mm512_movepi8_mask(a); }
static inline vi vi_mask_from_bits(unsigned bits) {
	return _mm512_movm_epi32((__mmask16)bits);
}
static inline vh vh_mask_from_bits(unsigned bits) { return _mm512_movm_epi16(bits); }
/* Restores the order after a pack instruction, which alternates groups of a and b. */
static inline vi vec_in_order(vi a) {
	return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), a);
}
static inline vh vh_pack_u(vi a, vi b) { return vec_in_order(_mm512_packus_epi32(a, b)); }
static inline vh vh_pack_s(vi a, vi b) { return vec_in_order(_mm512_packs_epi32(a, b)); }
static inline vb vb_pack_u(vh a, vh b) { return vec_in_order(_mm512_packus_epi16(a, b)); }
static inline vb vb_pack_s(vh a, vh b) { return vec_in_order(_mm512_packs_epi16(a, b)); }
static inline vi vi_widen_lo_u(vh a) { return _mm512_cvtepu16_epi32(_mm512_castsi512_si256(a)); }
static inline vi vi_widen_hi_u(vh a) {
	return _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(a, 1));
}
static inline vi vi_widen_lo_s(vh a) { return _mm512_cvtepi16_epi32(_mm512_castsi512_si256(a)); }
static inline vi vi_widen_hi_s(vh a) {
	return _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(a, 1));
}
static inline vh vh_zip_upper(vi a, vi b) {
	return _mm512_mask_blend_epi16(0xAAAAAAAA, _mm512_srli_epi32(a, 16), b);
}
static inline vi vi_load_u16(const void *p) {
	return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
}
static inline vi vi_each_group(__m128i a) { return _mm512_broadcast_i32x4(a); }
static inline vh vh_low_bytes(vb a) { return _mm512_unpacklo_epi8(a, _mm512_setzero_si512()); }
static inline vf vec_join(__m128 a, __m128 b, __m128 c, __m128 d) {
	return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_set_m128(b, a)),
			_mm256_set_m128(d, c), 1);
}

#define VEC_FCMP_si512(name, op) _mm512_movm_epi32(_mm512_cmp_ps_mask(a, b, _CMP_##op))
#define VEC_ICMP_si512(name, bits) \
	_mm512_movm_epi##bits(_mm512_##name##_epi##bits##_mask(a, b))
#define VEC_ROWS_si512(row, k) vec_join(row(k), row((k) + 4), row((k) + 8), row((k) + 12))
#define VEC_GROUP_si512(a, g) _mm512_extractf32x4_ps(a, g)
#define LANES 16
#define VEC_MM _mm512
#define VEC_SI si512
#define V(word) v##word
#include "core/vec/vec_x86_words.h"

/* In memory, groups of lo and hi alternate. */
static inline void vh_load_bytes4(const uint8_t *p, vh out[4]) {
	const vi a = vi_loadu(p), b = vi_loadu(p + 64);
	vh_unzip4(_mm512_shuffle_i32x4(a, b, 0x88), _mm512_shuffle_i32x4(a, b, 0xDD), out);
}
static inline void vh_store_bytes4(uint8_t *p, const vh in[4]) {
	const vi first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
	const vi second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
	const vh b01 = vh_or(in[0], vh_sll(in[1], 8)), b23 = vh_or(in[2], vh_sll(in[3], 8));
	const vi lo = vh_zip_lo(b01, b23), hi = vh_zip_hi(b01, b23);
	vi_storeu(p, _mm512_permutex2var_epi64(lo, first, hi));
	vi_storeu(p + 64, _mm512_permutex2var_epi64(lo, second, hi));
}
static inline __mmask16 vec_below(size_t n) {
	return (__mmask16)(n < VF_LANES ? (1u << n) - 1 : 0xFFFF);
}
static inline vf vf_loadu_part(const float *p, size_t n) {
	return _mm512_maskz_loadu_ps(vec_below(n), p);
}
static inline vf vf_load_part(const float *p, size_t n) { return vf_loadu_part(p, n); }
static inline void vf_storeu_part(float *p, vf a, size_t n) {
	_mm512_mask_storeu_ps(p, vec_below(n), a);
}
static inline void vf_store_part(float *p, vf a, size_t n) { vf_storeu_part(p, a, n); }
static inline void vi_store_part(void *p, vi a, size_t n) {
	_mm512_mask_storeu_epi32(p, vec_below(n), a);
}
static inline void vi_store_u16_part(uint16_t *p, vi a, size_t n) {
	_mm256_mask_storeu_epi16(p, vec_below(n), _mm512_cvtepi32_epi16(a));
}
static inline vi vi_first(size_t n) { return _mm512_movm_epi32(vec_below(n)); }
static inline vf vf_load_quads(const float *p, size_t stride) {
	return vec_join(_mm_set1_ps(p[0]), _mm_set1_ps(p[stride]), _mm_set1_ps(p[2 * stride]),
			_mm_set1_ps(p[3 * stride]));
}

#endif
