/* The 128-bit words on SSE4.1. V(word) adds the prefix, v or vq. */
typedef __m128 V(f);
typedef __m128i V(i);
typedef __m128i V(h);
typedef __m128i V(b);

static inline V(f) V(f_floor)(V(f) a) { return _mm_floor_ps(a); }
static inline V(f) V(f_trunc)(V(f) a) {
	return _mm_round_ps(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
static inline V(i) V(i_as_vf_bits)(V(f) a) { return _mm_castps_si128(a); }
static inline V(f) V(f_as_vi_bits)(V(i) a) { return _mm_castsi128_ps(a); }
static inline V(f) V(f_select)(V(i) m, V(f) a, V(f) b) {
	return _mm_blendv_ps(b, a, _mm_castsi128_ps(m));
}
static inline V(i) V(i_select)(V(i) m, V(i) a, V(i) b) { return _mm_blendv_epi8(b, a, m); }
static inline V(h) V(h_select)(V(h) m, V(h) a, V(h) b) { return _mm_blendv_epi8(b, a, m); }
static inline unsigned V(i_movemask)(V(i) a) {
	return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(a));
}
static inline unsigned V(h_movemask)(V(h) a) {
	return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(a, _mm_setzero_si128())) & 0xFF;
}
static inline uint64_t V(b_movemask)(V(b) a) { return (uint32_t)_mm_movemask_epi8(a); }
static inline V(i) V(i_mask_from_bits)(unsigned bits) {
	const V(i) lane = _mm_setr_epi32(1, 2, 4, 8);
	return _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)bits), lane), lane);
}
static inline V(h) V(h_mask_from_bits)(unsigned bits) {
	const V(h) lane = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
	return _mm_cmpeq_epi16(_mm_and_si128(_mm_set1_epi16((short)bits), lane), lane);
}
static inline V(h) V(h_pack_u)(V(i) a, V(i) b) { return _mm_packus_epi32(a, b); }
static inline V(h) V(h_pack_s)(V(i) a, V(i) b) { return _mm_packs_epi32(a, b); }
static inline V(b) V(b_pack_u)(V(h) a, V(h) b) { return _mm_packus_epi16(a, b); }
static inline V(b) V(b_pack_s)(V(h) a, V(h) b) { return _mm_packs_epi16(a, b); }
static inline V(i) V(i_widen_lo_u)(V(h) a) { return _mm_cvtepu16_epi32(a); }
static inline V(i) V(i_widen_hi_u)(V(h) a) { return _mm_unpackhi_epi16(a, _mm_setzero_si128()); }
static inline V(i) V(i_widen_lo_s)(V(h) a) { return _mm_cvtepi16_epi32(a); }
static inline V(i) V(i_widen_hi_s)(V(h) a) { return _mm_srai_epi32(_mm_unpackhi_epi16(a, a), 16); }
static inline V(h) V(h_zip_upper)(V(i) a, V(i) b) {
	return _mm_blend_epi16(_mm_srli_epi32(a, 16), b, 0xAA);
}
static inline V(i) V(i_load_u16)(const void *p) {
	return _mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)p));
}
static inline V(i) V(i_each_group)(__m128i a) { return a; }
static inline V(h) V(h_low_bytes)(V(b) a) { return _mm_cvtepu8_epi16(a); }

#define LANES 4
#define VEC_MM _mm
#define VEC_SI si128
#include "core/vec/vec_x86_words.h"
#undef LANES
#undef VEC_MM
#undef VEC_SI
