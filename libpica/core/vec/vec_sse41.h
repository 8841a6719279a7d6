/* The words of vec.h on SSE4.1: 4 x 32, 8 x 16, 16 x 8. */
#ifndef VEC_VEC_SSE41_H
#define VEC_VEC_SSE41_H

#include <smmintrin.h>
#include <stddef.h>

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
/* signed 16 bit -> byte with signed saturation, lanes of a then b: keeps signs. */
static inline vb vb_pack_s(vh a, vh b) { return _mm_packs_epi16(a, b); }
/* Bit k = sign bit of byte k. */
static inline uint64_t vb_movemask(vb a) { return (uint32_t)_mm_movemask_epi8(a); }
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

/* Records in memory <-> lanes; places of any alignment, no byte more than said is touched. */
static inline int vec_load_word(const uint8_t *p, unsigned n) {
	uint32_t w = 0;
	memcpy(&w, p, n);
	return (int)w;
}
/* Lane k = the n (1..4) bytes at p + off[k], little-endian, zero-extended. */
static inline vi vi_load_words(const uint8_t *p, const uint32_t off[VF_LANES], unsigned n) {
	return _mm_setr_epi32(vec_load_word(p + off[0], n), vec_load_word(p + off[1], n),
			vec_load_word(p + off[2], n), vec_load_word(p + off[3], n));
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
/*
 * Lane k of out[0..n-1] = the n (1..4) consecutive binary32 at p + off[k]; other out unspecified.
 */
static inline void vf_load_rows(const uint8_t *p, const uint32_t off[VF_LANES], unsigned n,
		vf out[4]) {
	__m128 r0 = vec_load_row(p + off[0], n), r1 = vec_load_row(p + off[1], n);
	__m128 r2 = vec_load_row(p + off[2], n), r3 = vec_load_row(p + off[3], n);
	_MM_TRANSPOSE4_PS(r0, r1, r2, r3);
	out[0] = r0;
	out[1] = r1;
	out[2] = r2;
	out[3] = r3;
}
/*
 * Lane k of in[0..3] becomes four consecutive words at p + k * stride_bytes, for lanes k < n; n >
 * 0.
 */
static inline void vf_store_rows4(void *p, size_t stride_bytes, const vf in[4], unsigned n) {
	__m128 r0 = in[0], r1 = in[1], r2 = in[2], r3 = in[3];
	_MM_TRANSPOSE4_PS(r0, r1, r2, r3);
	uint8_t *to = p;
	_mm_storeu_ps((float *)(void *)to, r0);
	if (n > 1) {
		_mm_storeu_ps((float *)(void *)(to + stride_bytes), r1);
	}
	if (n > 2) {
		_mm_storeu_ps((float *)(void *)(to + 2 * stride_bytes), r2);
	}
	if (n > 3) {
		_mm_storeu_ps((float *)(void *)(to + 3 * stride_bytes), r3);
	}
}

/*
 * Records of four floats (base + 4 * index, any alignment): component c of record k to lane k of
 * out[c].
 */
static inline void vf_gather4(const float *base, const int32_t *index, vf out[4]) {
	__m128 a = _mm_loadu_ps(base + 4 * (ptrdiff_t)index[0]);
	__m128 b = _mm_loadu_ps(base + 4 * (ptrdiff_t)index[1]);
	__m128 c = _mm_loadu_ps(base + 4 * (ptrdiff_t)index[2]);
	__m128 d = _mm_loadu_ps(base + 4 * (ptrdiff_t)index[3]);
	__m128 ab = _mm_unpacklo_ps(a, b), cd = _mm_unpacklo_ps(c, d); /* x x y y */
	out[0] = _mm_movelh_ps(ab, cd);
	out[1] = _mm_movehl_ps(cd, ab);
	ab = _mm_unpackhi_ps(a, b);
	cd = _mm_unpackhi_ps(c, d);
	out[2] = _mm_movelh_ps(ab, cd);
	out[3] = _mm_movehl_ps(cd, ab);
}
/* The same of records of two floats (base + 2 * index). */
static inline void vf_gather2(const float *base, const int32_t *index, vf out[2]) {
#define VEC_PAIR(k) _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)(base + \
		2 * (ptrdiff_t)index[k])))
	const __m128 ab = _mm_unpacklo_ps(VEC_PAIR(0), VEC_PAIR(1)); /* x x y y */
	const __m128 cd = _mm_unpacklo_ps(VEC_PAIR(2), VEC_PAIR(3));
#undef VEC_PAIR
	out[0] = _mm_movelh_ps(ab, cd);
	out[1] = _mm_movehl_ps(cd, ab);
}
/* Bytes of each lane in reverse order. */
static inline vi vi_bswap(vi a) {
	return _mm_shuffle_epi8(
			a, _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
}
/* Lanes a0 a1 b0 b1 / a2 a3 b2 b3 (of each group of four). */
static inline vi vi_pair_lo(vi a, vi b) { return _mm_unpacklo_epi64(a, b); }
static inline vi vi_pair_hi(vi a, vi b) { return _mm_unpackhi_epi64(a, b); }

/* The words base[index[k]] for lanes k: byte j of each to plane j, zero-extended. */
static inline void vh_gather_bytes4(const uint32_t *base, const int32_t *index, vh out[4]) {
#define VEC_WORD(k) ((int)base[index[k]])
	const __m128i shuffle = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
	__m128i a = _mm_setr_epi32(VEC_WORD(0), VEC_WORD(1), VEC_WORD(2), VEC_WORD(3));
	__m128i b = _mm_setr_epi32(VEC_WORD(4), VEC_WORD(5), VEC_WORD(6), VEC_WORD(7));
#undef VEC_WORD
	a = _mm_shuffle_epi8(a, shuffle);
	b = _mm_shuffle_epi8(b, shuffle);
	const __m128i zero = _mm_setzero_si128();
	__m128i p01 = _mm_unpacklo_epi32(a, b), p23 = _mm_unpackhi_epi32(a, b);
	out[0] = _mm_cvtepu8_epi16(p01);
	out[1] = _mm_unpackhi_epi8(p01, zero);
	out[2] = _mm_cvtepu8_epi16(p23);
	out[3] = _mm_unpackhi_epi8(p23, zero);
}

/* Pixels of quads: VF_LANES pixels of 2, 3 or 4 bytes; no byte outside them is touched. */
/* 16-bit lanes: the lower half from p0, the upper half from p1. */
static inline vh vh_load_halves(const void *p0, const void *p1) {
	return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)p0),
			_mm_loadl_epi64((const __m128i *)p1));
}
static inline void vh_store_lo(void *p, vh a) { _mm_storel_epi64((__m128i *)p, a); }
static inline void vh_store_hi(void *p, vh a) {
	_mm_storel_epi64((__m128i *)p, _mm_unpackhi_epi64(a, a));
}
/* VF_LANES 16-bit values to 32-bit lanes, zero-extended. */
static inline vi vi_load_px2(const void *p) {
	return _mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)p));
}
/* The low 16 bits of each lane. */
static inline void vi_store_px2(void *p, vi a) {
	const __m128i shuffle =
			_mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1);
	_mm_storel_epi64((__m128i *)p, _mm_shuffle_epi8(a, shuffle));
}
/* VF_LANES packed 3-byte values to 32-bit lanes, zero-extended. */
static inline vi vi_load_px3(const void *p) {
	const __m128i shuffle = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
	int tail;
	memcpy(&tail, (const uint8_t *)p + 8, sizeof(tail));
	__m128i a = _mm_insert_epi32(_mm_loadl_epi64((const __m128i *)p), tail, 2);
	return _mm_shuffle_epi8(a, shuffle);
}
/* The low 3 bytes of each lane. */
static inline void vi_store_px3(void *p, vi a) {
	const __m128i shuffle =
			_mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
	a = _mm_shuffle_epi8(a, shuffle);
	int tail = _mm_extract_epi32(a, 2);
	_mm_storel_epi64((__m128i *)p, a);
	memcpy((uint8_t *)p + 8, &tail, sizeof(tail));
}
/*
 * VH_LANES pixels of 4 bytes, those of a then those of b: byte k of each to plane k, zero-extended.
 */
static inline void vh_unzip_bytes4(vi a, vi b, vh out[4]) {
	const __m128i shuffle = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
	a = _mm_shuffle_epi8(a, shuffle);
	b = _mm_shuffle_epi8(b, shuffle);
	__m128i lo = _mm_unpacklo_epi32(a, b);
	__m128i hi = _mm_unpackhi_epi32(a, b);
	out[0] = _mm_cvtepu8_epi16(lo);
	out[1] = _mm_unpackhi_epi8(lo, _mm_setzero_si128());
	out[2] = _mm_cvtepu8_epi16(hi);
	out[3] = _mm_unpackhi_epi8(hi, _mm_setzero_si128());
}
/* The reverse; a lane above 255 spoils the other bytes of its own pixel only. */
static inline void vh_zip_bytes4(const vh in[4], vi out[2]) {
	__m128i b01 = _mm_or_si128(in[0], _mm_slli_epi16(in[1], 8));
	__m128i b23 = _mm_or_si128(in[2], _mm_slli_epi16(in[3], 8));
	out[0] = _mm_unpacklo_epi16(b01, b23);
	out[1] = _mm_unpackhi_epi16(b01, b23);
}
/*
 * For k = 0..VH_LANES/4-1, lanes 4k to 4k+3: the four bytes of word base[index[k]] in the lower and
 * those of base[index[k] + 1] in the upper half of a lane.
 */
static inline vh vh_gather_pairs4(const uint32_t *base, const int32_t *index) {
	__m128i a = _mm_loadl_epi64((const __m128i *)(const void *)(base + index[0]));
	a = _mm_castpd_si128(_mm_loadh_pd(
			_mm_castsi128_pd(a), (const double *)(const void *)(base + index[1])));
	return _mm_shuffle_epi8(
			a, _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15));
}
/*
 * For each 16-bit lane: lower bytes' product + upper bytes' product, a unsigned, b signed;
 * saturates.
 */
static inline vh vh_madd_bytes_us(vh a, vh b) { return _mm_maddubs_epi16(a, b); }
/* Lanes i*VH_LANES/4 and following, each of them four times; i = 0..3. */
static inline vh vh_spread4(vh a, int i) {
	const char b = (char)(4 * i);
	const __m128i lane = _mm_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3);
	return _mm_shuffle_epi8(a, _mm_add_epi8(lane, _mm_set1_epi8(b)));
}
/*
 * The same for pairs of 16-bit lanes: pairs i*VF_LANES/4 and following, each four times; i = 0..3.
 */
static inline vh vh_spread_pairs4(vh a, int i) {
	const char b = (char)(4 * i);
	return _mm_shuffle_epi8(a,
			_mm_setr_epi8(b, (char)(b + 1), (char)(b + 2), (char)(b + 3), b,
					(char)(b + 1), (char)(b + 2), (char)(b + 3), b,
					(char)(b + 1), (char)(b + 2), (char)(b + 3), b,
					(char)(b + 1), (char)(b + 2), (char)(b + 3)));
}
/* The upper 16 bits of lanes a0 b0 a1 b1 ... */
static inline vh vh_zip_upper(vi a, vi b) {
	return _mm_blend_epi16(_mm_srli_epi32(a, 16), b, 0xAA);
}
/* In each group of four pairs of lanes: pair j of in[i] becomes pair i of out[j]. */
static inline void vh_transpose_pairs4(const vh in[4], vh out[4]) {
	__m128i a = _mm_unpacklo_epi32(in[0], in[1]), b = _mm_unpacklo_epi32(in[2], in[3]);
	__m128i c = _mm_unpackhi_epi32(in[0], in[1]), d = _mm_unpackhi_epi32(in[2], in[3]);
	out[0] = _mm_unpacklo_epi64(a, b);
	out[1] = _mm_unpackhi_epi64(a, b);
	out[2] = _mm_unpacklo_epi64(c, d);
	out[3] = _mm_unpackhi_epi64(c, d);
}

#endif
