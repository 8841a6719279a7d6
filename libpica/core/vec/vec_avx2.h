/* The words of vec.h on AVX2: 8 x 32, 16 x 16, 32 x 8 bits, two quads. No FMA, no gathers. */
#ifndef VEC_VEC_AVX2_H
#define VEC_VEC_AVX2_H

#include "core/vec/vec_x86.h"

#define VF_LANES 8

typedef __m256 vf;
typedef __m256i vi;
typedef __m256i vh;
typedef __m256i vb;

static inline vf vf_floor(vf a) { return _mm256_floor_ps(a); }
static inline vf vf_trunc(vf a) {
	return _mm256_round_ps(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
static inline vi vi_as_vf_bits(vf a) { return _mm256_castps_si256(a); }
static inline vf vf_as_vi_bits(vi a) { return _mm256_castsi256_ps(a); }
static inline vf vf_select(vi m, vf a, vf b) {
	return _mm256_blendv_ps(b, a, _mm256_castsi256_ps(m));
}
static inline vi vi_select(vi m, vi a, vi b) { return _mm256_blendv_epi8(b, a, m); }
static inline vh vh_select(vh m, vh a, vh b) { return _mm256_blendv_epi8(b, a, m); }
static inline unsigned vi_movemask(vi a) {
	return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(a));
}
static inline unsigned vh_movemask(vh a) {
	return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(
			_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1)));
}
static inline uint64_t vb_movemask(vb a) { return (uint32_t)_mm256_movemask_epi8(a); }
static inline vi vi_mask_from_bits(unsigned bits) {
	const vi lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
	return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), lane), lane);
}
static inline vh vh_mask_from_bits(unsigned bits) {
	const vh lane = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096,
			8192, 16384, INT16_MIN);
	return _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_set1_epi16((short)bits), lane), lane);
}
/* Restores the order after a pack instruction, which alternates groups of a and b. */
static inline vi vec_in_order(vi a) { return _mm256_permute4x64_epi64(a, 0xD8); }
static inline vh vh_pack_u(vi a, vi b) { return vec_in_order(_mm256_packus_epi32(a, b)); }
static inline vh vh_pack_s(vi a, vi b) { return vec_in_order(_mm256_packs_epi32(a, b)); }
static inline vb vb_pack_u(vh a, vh b) { return vec_in_order(_mm256_packus_epi16(a, b)); }
static inline vb vb_pack_s(vh a, vh b) { return vec_in_order(_mm256_packs_epi16(a, b)); }
static inline vi vi_widen_lo_u(vh a) { return _mm256_cvtepu16_epi32(_mm256_castsi256_si128(a)); }
static inline vi vi_widen_hi_u(vh a) {
	return _mm256_cvtepu16_epi32(_mm256_extracti128_si256(a, 1));
}
static inline vi vi_widen_lo_s(vh a) { return _mm256_cvtepi16_epi32(_mm256_castsi256_si128(a)); }
static inline vi vi_widen_hi_s(vh a) {
	return _mm256_cvtepi16_epi32(_mm256_extracti128_si256(a, 1));
}
static inline vh vh_zip_upper(vi a, vi b) {
	return _mm256_blend_epi16(_mm256_srli_epi32(a, 16), b, 0xAA);
}
static inline vi vi_load_u16(const void *p) { return _mm256_cvtepu16_epi32(vqi_loadu(p)); }
static inline vi vi_each_group(__m128i a) { return _mm256_broadcastsi128_si256(a); }
static inline vh vh_low_bytes(vb a) { return _mm256_unpacklo_epi8(a, _mm256_setzero_si256()); }

#define VEC_FCMP_si256(name, op) _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_##op))
#define VEC_ICMP_si256(name, bits) _mm256_##name##_epi##bits(a, b)
#define VEC_ROWS_si256(row, k) _mm256_set_m128(row((k) + 4), row(k))
#define VEC_GROUP_si256(a, g) _mm256_extractf128_ps(a, g)
#define LANES 8
#define VEC_MM _mm256
#define VEC_SI si256
#define V(word) v##word
#include "core/vec/vec_x86_words.h"

/* In memory, groups of lo and hi alternate. */
static inline void vh_load_bytes4(const uint8_t *p, vh out[4]) {
	const vi a = vi_loadu(p), b = vi_loadu(p + 32);
	vh_unzip4(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31),
			out);
}
static inline void vh_store_bytes4(uint8_t *p, const vh in[4]) {
	const vh b01 = vh_or(in[0], vh_sll(in[1], 8)), b23 = vh_or(in[2], vh_sll(in[3], 8));
	const vi lo = vh_zip_lo(b01, b23), hi = vh_zip_hi(b01, b23);
	vi_storeu(p, _mm256_permute2x128_si256(lo, hi, 0x20));
	vi_storeu(p + 32, _mm256_permute2x128_si256(lo, hi, 0x31));
}
static inline vf vf_loadu_part(const float *p, size_t n) {
	return n > 4 ? _mm256_loadu_ps(p) : _mm256_zextps128_ps256(_mm_loadu_ps(p));
}
static inline vf vf_load_part(const float *p, size_t n) { return vf_loadu_part(p, n); }
static inline void vf_storeu_part(float *p, vf a, size_t n) {
	if (n > 4) {
		_mm256_storeu_ps(p, a);
	} else {
		_mm_storeu_ps(p, _mm256_castps256_ps128(a));
	}
}
static inline void vf_store_part(float *p, vf a, size_t n) { vf_storeu_part(p, a, n); }
static inline void vi_store_part(void *p, vi a, size_t n) {
	vf_storeu_part(p, _mm256_castsi256_ps(a), n);
}
static inline void vi_store_u16_part(uint16_t *p, vi a, size_t n) {
	vqi_store_u16(p, _mm256_castsi256_si128(a));
	if (n > 4) {
		vqi_store_u16(p + 4, _mm256_extracti128_si256(a, 1));
	}
}
static inline vi vi_first(size_t n) {
	return n > 4 ? _mm256_set1_epi32(-1) : _mm256_setr_epi32(-1, -1, -1, -1, 0, 0, 0, 0);
}
static inline vf vf_load_quads(const float *p, size_t stride) {
	return _mm256_set_m128(_mm_set1_ps(p[stride]), _mm_set1_ps(p[0]));
}

#endif
