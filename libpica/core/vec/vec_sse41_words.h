/*
 * The words of one width on SSE4.1, included by vec_sse41.h once for quads and once for the set.
 * V(word) adds the vocabulary's prefix; VEC_IS_QUAD: which of the two it is.
 */
typedef __m128 V(f);
typedef __m128i V(i);
typedef __m128i V(h);
typedef __m128i V(b);

static inline V(f) V(f_set1)(float x) { return _mm_set1_ps(x); }
static inline V(f) V(f_zero)(void) { return _mm_setzero_ps(); }
static inline V(f) V(f_load)(const float *p) { return _mm_load_ps(p); }
static inline V(f) V(f_loadu)(const float *p) { return _mm_loadu_ps(p); }
static inline void V(f_store)(float *p, V(f) a) { _mm_store_ps(p, a); }
static inline void V(f_storeu)(float *p, V(f) a) { _mm_storeu_ps(p, a); }
static inline V(f) V(f_add)(V(f) a, V(f) b) { return _mm_add_ps(a, b); }
static inline V(f) V(f_sub)(V(f) a, V(f) b) { return _mm_sub_ps(a, b); }
static inline V(f) V(f_mul)(V(f) a, V(f) b) { return _mm_mul_ps(a, b); }
static inline V(f) V(f_div)(V(f) a, V(f) b) { return _mm_div_ps(a, b); }
static inline V(f) V(f_sqrt)(V(f) a) { return _mm_sqrt_ps(a); }
static inline V(f) V(f_min)(V(f) a, V(f) b) { return _mm_min_ps(a, b); }
static inline V(f) V(f_max)(V(f) a, V(f) b) { return _mm_max_ps(a, b); }
static inline V(f) V(f_and)(V(f) a, V(f) b) { return _mm_and_ps(a, b); }
static inline V(f) V(f_xor)(V(f) a, V(f) b) { return _mm_xor_ps(a, b); }
static inline V(f) V(f_andnot)(V(f) a, V(f) b) { return _mm_andnot_ps(a, b); }
static inline V(f) V(f_abs)(V(f) a) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), a); }
static inline V(f) V(f_neg)(V(f) a) { return _mm_xor_ps(_mm_set1_ps(-0.0f), a); }
static inline V(f) V(f_floor)(V(f) a) { return _mm_floor_ps(a); }
static inline V(f) V(f_trunc)(V(f) a) {
	return _mm_round_ps(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
static inline V(i) V(f_lt)(V(f) a, V(f) b) { return _mm_castps_si128(_mm_cmplt_ps(a, b)); }
static inline V(i) V(f_le)(V(f) a, V(f) b) { return _mm_castps_si128(_mm_cmple_ps(a, b)); }
static inline V(i) V(f_gt)(V(f) a, V(f) b) { return _mm_castps_si128(_mm_cmpgt_ps(a, b)); }
static inline V(i) V(f_ge)(V(f) a, V(f) b) { return _mm_castps_si128(_mm_cmpge_ps(a, b)); }
static inline V(i) V(f_eq)(V(f) a, V(f) b) { return _mm_castps_si128(_mm_cmpeq_ps(a, b)); }
static inline V(i) V(f_neq)(V(f) a, V(f) b) { return _mm_castps_si128(_mm_cmpneq_ps(a, b)); }
static inline V(f) V(f_select)(V(i) m, V(f) a, V(f) b) {
	return _mm_blendv_ps(b, a, _mm_castsi128_ps(m));
}
static inline V(i) V(i_as_vf_bits)(V(f) a) { return _mm_castps_si128(a); }
static inline V(f) V(f_as_vi_bits)(V(i) a) { return _mm_castsi128_ps(a); }
static inline V(i) V(i_from_vf_trunc)(V(f) a) { return _mm_cvttps_epi32(a); }
static inline V(f) V(f_from_vi)(V(i) a) { return _mm_cvtepi32_ps(a); }

static inline V(i) V(i_set1)(int32_t x) { return _mm_set1_epi32(x); }
static inline V(i) V(i_zero)(void) { return _mm_setzero_si128(); }
static inline V(i) V(i_load)(const void *p) { return _mm_load_si128((const __m128i *)p); }
static inline V(i) V(i_loadu)(const void *p) { return _mm_loadu_si128((const __m128i *)p); }
static inline void V(i_store)(void *p, V(i) a) { _mm_store_si128((__m128i *)p, a); }
static inline void V(i_storeu)(void *p, V(i) a) { _mm_storeu_si128((__m128i *)p, a); }
static inline V(i) V(i_add)(V(i) a, V(i) b) { return _mm_add_epi32(a, b); }
static inline V(i) V(i_sub)(V(i) a, V(i) b) { return _mm_sub_epi32(a, b); }
static inline V(i) V(i_mul)(V(i) a, V(i) b) { return _mm_mullo_epi32(a, b); }
static inline V(i) V(i_and)(V(i) a, V(i) b) { return _mm_and_si128(a, b); }
static inline V(i) V(i_or)(V(i) a, V(i) b) { return _mm_or_si128(a, b); }
static inline V(i) V(i_xor)(V(i) a, V(i) b) { return _mm_xor_si128(a, b); }
static inline V(i) V(i_andnot)(V(i) a, V(i) b) { return _mm_andnot_si128(a, b); }
static inline V(i) V(i_sll)(V(i) a, int n) { return _mm_slli_epi32(a, n); }
static inline V(i) V(i_srl)(V(i) a, int n) { return _mm_srli_epi32(a, n); }
static inline V(i) V(i_sra)(V(i) a, int n) { return _mm_srai_epi32(a, n); }
static inline V(i) V(i_eq)(V(i) a, V(i) b) { return _mm_cmpeq_epi32(a, b); }
static inline V(i) V(i_gt)(V(i) a, V(i) b) { return _mm_cmpgt_epi32(a, b); }
static inline V(i) V(i_min)(V(i) a, V(i) b) { return _mm_min_epi32(a, b); }
static inline V(i) V(i_max)(V(i) a, V(i) b) { return _mm_max_epi32(a, b); }
static inline V(i) V(i_select)(V(i) m, V(i) a, V(i) b) { return _mm_blendv_epi8(b, a, m); }
static inline unsigned V(i_movemask)(V(i) a) {
	return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(a));
}
static inline V(i) V(i_mask_from_bits)(unsigned bits) {
	const V(i) lane = _mm_setr_epi32(1, 2, 4, 8);
	return _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)bits), lane), lane);
}

static inline V(h) V(h_set1)(int x) { return _mm_set1_epi16((short)x); }
static inline V(h) V(h_zero)(void) { return _mm_setzero_si128(); }
static inline V(h) V(h_load)(const void *p) { return _mm_load_si128((const __m128i *)p); }
static inline V(h) V(h_loadu)(const void *p) { return _mm_loadu_si128((const __m128i *)p); }
static inline void V(h_store)(void *p, V(h) a) { _mm_store_si128((__m128i *)p, a); }
static inline void V(h_storeu)(void *p, V(h) a) { _mm_storeu_si128((__m128i *)p, a); }
static inline V(h) V(h_add)(V(h) a, V(h) b) { return _mm_add_epi16(a, b); }
static inline V(h) V(h_sub)(V(h) a, V(h) b) { return _mm_sub_epi16(a, b); }
static inline V(h) V(h_adds_u)(V(h) a, V(h) b) { return _mm_adds_epu16(a, b); }
static inline V(h) V(h_subs_u)(V(h) a, V(h) b) { return _mm_subs_epu16(a, b); }
static inline V(h) V(h_mul)(V(h) a, V(h) b) { return _mm_mullo_epi16(a, b); }
static inline V(h) V(h_mulhi_u)(V(h) a, V(h) b) { return _mm_mulhi_epu16(a, b); }
static inline V(h) V(h_and)(V(h) a, V(h) b) { return _mm_and_si128(a, b); }
static inline V(h) V(h_or)(V(h) a, V(h) b) { return _mm_or_si128(a, b); }
static inline V(h) V(h_xor)(V(h) a, V(h) b) { return _mm_xor_si128(a, b); }
static inline V(h) V(h_andnot)(V(h) a, V(h) b) { return _mm_andnot_si128(a, b); }
static inline V(h) V(h_sll)(V(h) a, int n) { return _mm_slli_epi16(a, n); }
static inline V(h) V(h_srl)(V(h) a, int n) { return _mm_srli_epi16(a, n); }
static inline V(h) V(h_sra)(V(h) a, int n) { return _mm_srai_epi16(a, n); }
static inline V(h) V(h_eq)(V(h) a, V(h) b) { return _mm_cmpeq_epi16(a, b); }
static inline V(h) V(h_gt_s)(V(h) a, V(h) b) { return _mm_cmpgt_epi16(a, b); }
static inline V(h) V(h_min_u)(V(h) a, V(h) b) { return _mm_min_epu16(a, b); }
static inline V(h) V(h_max_u)(V(h) a, V(h) b) { return _mm_max_epu16(a, b); }
static inline V(h) V(h_min_s)(V(h) a, V(h) b) { return _mm_min_epi16(a, b); }
static inline V(h) V(h_max_s)(V(h) a, V(h) b) { return _mm_max_epi16(a, b); }
static inline V(h) V(h_select)(V(h) m, V(h) a, V(h) b) { return _mm_blendv_epi8(b, a, m); }
static inline V(h) V(h_mask_from_bits)(unsigned bits) {
	const V(h) lane = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
	return _mm_cmpeq_epi16(_mm_and_si128(_mm_set1_epi16((short)bits), lane), lane);
}
static inline unsigned V(h_movemask)(V(h) a) {
	return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(a, _mm_setzero_si128())) & 0xFF;
}

static inline V(h) V(h_pack_u)(V(i) a, V(i) b) { return _mm_packus_epi32(a, b); }
static inline V(h) V(h_pack_s)(V(i) a, V(i) b) { return _mm_packs_epi32(a, b); }
static inline V(i) V(i_widen_lo_u)(V(h) a) { return _mm_cvtepu16_epi32(a); }
static inline V(i) V(i_widen_hi_u)(V(h) a) { return _mm_unpackhi_epi16(a, _mm_setzero_si128()); }
static inline V(i) V(i_widen_lo_s)(V(h) a) { return _mm_cvtepi16_epi32(a); }
static inline V(i) V(i_widen_hi_s)(V(h) a) { return _mm_srai_epi32(_mm_unpackhi_epi16(a, a), 16); }
static inline V(i) V(i_madd_s)(V(h) a, V(h) b) { return _mm_madd_epi16(a, b); }

static inline V(b) V(b_loadu)(const void *p) { return _mm_loadu_si128((const __m128i *)p); }
static inline void V(b_storeu)(void *p, V(b) a) { _mm_storeu_si128((__m128i *)p, a); }
static inline V(b) V(b_pack_u)(V(h) a, V(h) b) { return _mm_packus_epi16(a, b); }
static inline V(b) V(b_pack_s)(V(h) a, V(h) b) { return _mm_packs_epi16(a, b); }
static inline uint64_t V(b_movemask)(V(b) a) { return (uint32_t)_mm_movemask_epi8(a); }

/* Groups of four 32-bit or eight 16-bit lanes: one. */
static inline V(h) V(h_zip_lo)(V(h) a, V(h) b) { return _mm_unpacklo_epi16(a, b); }
static inline V(h) V(h_zip_hi)(V(h) a, V(h) b) { return _mm_unpackhi_epi16(a, b); }
static inline V(h) V(h_pack_zipped)(V(i) lo, V(i) hi) { return _mm_packus_epi32(lo, hi); }
static inline V(h) V(h_zip_upper)(V(i) a, V(i) b) {
	return _mm_blend_epi16(_mm_srli_epi32(a, 16), b, 0xAA);
}
static inline V(h) V(h_madd_bytes_us)(V(h) a, V(h) b) { return _mm_maddubs_epi16(a, b); }
static inline V(h) V(h_spread4)(V(h) a, int i) {
	const char b = (char)(4 * i);
	const __m128i lane = _mm_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3);
	return _mm_shuffle_epi8(a, _mm_add_epi8(lane, _mm_set1_epi8(b)));
}
static inline V(h) V(h_spread_pairs4)(V(h) a, int i) {
	return _mm_shuffle_epi8(a, _mm_set1_epi32(0x03020100 + 0x04040404 * i));
}
static inline void V(h_transpose_pairs4)(const V(h) in[4], V(h) out[4]) {
	__m128i a = _mm_unpacklo_epi32(in[0], in[1]), b = _mm_unpacklo_epi32(in[2], in[3]);
	__m128i c = _mm_unpackhi_epi32(in[0], in[1]), d = _mm_unpackhi_epi32(in[2], in[3]);
	out[0] = _mm_unpacklo_epi64(a, b);
	out[1] = _mm_unpackhi_epi64(a, b);
	out[2] = _mm_unpacklo_epi64(c, d);
	out[3] = _mm_unpackhi_epi64(c, d);
}

/* Memory. */
static inline V(i) V(i_load_u16)(const void *p) {
	return _mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)p));
}
static inline V(i) V(i_load_words)(const uint8_t *p, const uint32_t off[LANES], unsigned n) {
	return _mm_setr_epi32(vec_load_word(p + off[0], n), vec_load_word(p + off[1], n),
			vec_load_word(p + off[2], n), vec_load_word(p + off[3], n));
}
static inline void V(f_load_rows)(const uint8_t *p, const uint32_t off[LANES], unsigned n,
		V(f) out[4]) {
	__m128 r0 = vec_load_row(p + off[0], n), r1 = vec_load_row(p + off[1], n);
	__m128 r2 = vec_load_row(p + off[2], n), r3 = vec_load_row(p + off[3], n);
	_MM_TRANSPOSE4_PS(r0, r1, r2, r3);
	out[0] = r0;
	out[1] = r1;
	out[2] = r2;
	out[3] = r3;
}
static inline void V(f_store_rows4)(void *p, size_t stride_bytes, const V(f) in[4], unsigned n) {
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
static inline void V(h_gather_bytes4)(const uint32_t *base, const int32_t *index, V(h) out[4]) {
#define VEC_WORD(k) ((int)base[index[k]])
	vec_unzip_bytes4(_mm_setr_epi32(VEC_WORD(0), VEC_WORD(1), VEC_WORD(2), VEC_WORD(3)),
			_mm_setr_epi32(VEC_WORD(4), VEC_WORD(5), VEC_WORD(6), VEC_WORD(7)), out);
#undef VEC_WORD
}

#if VEC_IS_QUAD
static inline V(i) V(i_bswap)(V(i) a) {
	return _mm_shuffle_epi8(
			a, _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
}
static inline V(i) V(i_pair_lo)(V(i) a, V(i) b) { return _mm_unpacklo_epi64(a, b); }
static inline V(i) V(i_pair_hi)(V(i) a, V(i) b) { return _mm_unpackhi_epi64(a, b); }
static inline V(h) V(h_widen_lo_u)(V(b) a) { return _mm_cvtepu8_epi16(a); }
static inline V(h) V(h_widen_hi_u)(V(b) a) { return _mm_unpackhi_epi8(a, _mm_setzero_si128()); }
static inline V(i) V(i_load_px3)(const void *p) {
	const __m128i shuffle = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
	int tail;
	memcpy(&tail, (const uint8_t *)p + 8, sizeof(tail));
	__m128i a = _mm_insert_epi32(_mm_loadl_epi64((const __m128i *)p), tail, 2);
	return _mm_shuffle_epi8(a, shuffle);
}
static inline void V(i_store_px3)(void *p, V(i) a) {
	const __m128i shuffle =
			_mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
	a = _mm_shuffle_epi8(a, shuffle);
	int tail = _mm_extract_epi32(a, 2);
	_mm_storel_epi64((__m128i *)p, a);
	memcpy((uint8_t *)p + 8, &tail, sizeof(tail));
}
static inline void V(i_store_u16)(void *p, V(i) a) {
	const __m128i shuffle =
			_mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1);
	_mm_storel_epi64((__m128i *)p, _mm_shuffle_epi8(a, shuffle));
}
static inline V(h) V(h_load_halves)(const void *p0, const void *p1) {
	return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)p0),
			_mm_loadl_epi64((const __m128i *)p1));
}
static inline void V(h_store_lo)(void *p, V(h) a) { _mm_storel_epi64((__m128i *)p, a); }
static inline void V(h_store_hi)(void *p, V(h) a) {
	_mm_storel_epi64((__m128i *)p, _mm_unpackhi_epi64(a, a));
}
static inline void V(h_unzip_bytes4)(V(i) a, V(i) b, V(h) out[4]) { vec_unzip_bytes4(a, b, out); }
static inline void V(h_zip_bytes4)(const V(h) in[4], V(i) out[2]) {
	__m128i b01 = _mm_or_si128(in[0], _mm_slli_epi16(in[1], 8));
	__m128i b23 = _mm_or_si128(in[2], _mm_slli_epi16(in[3], 8));
	out[0] = _mm_unpacklo_epi16(b01, b23);
	out[1] = _mm_unpackhi_epi16(b01, b23);
}
static inline void V(h_load_bytes4)(const uint8_t *p, V(h) out[4]) {
	vec_unzip_bytes4(V(i_loadu)(p), V(i_loadu)(p + 16), out);
}
static inline void V(h_store_bytes4)(uint8_t *p, const V(h) in[4]) {
	V(i) px[2];
	V(h_zip_bytes4)(in, px);
	V(i_storeu)(p, px[0]);
	V(i_storeu)(p + 16, px[1]);
}
#else
/* n is a multiple of 4: the whole vector. */
static inline V(f) V(f_loadu_part)(const float *p, size_t n) { return _mm_loadu_ps(p); }
static inline V(f) V(f_load_part)(const float *p, size_t n) { return _mm_load_ps(p); }
static inline void V(f_storeu_part)(float *p, V(f) a, size_t n) { _mm_storeu_ps(p, a); }
static inline void V(f_store_part)(float *p, V(f) a, size_t n) { _mm_store_ps(p, a); }
static inline void V(i_store_part)(void *p, V(i) a, size_t n) {
	_mm_store_si128((__m128i *)p, a);
}
static inline void V(i_store_u16_part)(uint16_t *p, V(i) a, size_t n) {
	vqi_store_u16(p, a);
}
static inline V(i) V(i_first)(size_t n) { return _mm_set1_epi32(-1); }
static inline V(f) V(f_load_quads)(const float *p, size_t stride) { return _mm_set1_ps(*p); }
static inline void V(f_gather4)(const float *base, const int32_t *index, V(f) out[4]) {
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
static inline void V(f_gather2)(const float *base, const int32_t *index, V(f) out[2]) {
#define VEC_PAIR(k) _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)(base + \
		2 * (ptrdiff_t)index[k])))
	const __m128 ab = _mm_unpacklo_ps(VEC_PAIR(0), VEC_PAIR(1)); /* x x y y */
	const __m128 cd = _mm_unpacklo_ps(VEC_PAIR(2), VEC_PAIR(3));
#undef VEC_PAIR
	out[0] = _mm_movelh_ps(ab, cd);
	out[1] = _mm_movehl_ps(cd, ab);
}
static inline V(h) V(h_gather_pairs4)(const uint32_t *base, const int32_t *index) {
	__m128i a = _mm_loadl_epi64((const __m128i *)(const void *)(base + index[0]));
	a = _mm_castpd_si128(_mm_loadh_pd(
			_mm_castsi128_pd(a), (const double *)(const void *)(base + index[1])));
	return _mm_shuffle_epi8(
			a, _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15));
}
#endif
