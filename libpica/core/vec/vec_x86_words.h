/*
 * The words of one width on x86-64 that differ between widths only in the names of intrinsics.
 * The including header defines VEC_MM and VEC_SI (such as _mm256, si256), V(word), which adds the
 * prefix v or vq, the types, LANES, the functions V(i_as_vf_bits), V(f_as_vi_bits),
 * V(i_each_group) (a copy of the quad in each group) and V(h_low_bytes) (the lower eight bytes of
 * each group as 16 bits), and these macros, with the value of VEC_SI as a suffix:
 *
 *     VEC_FCMP(name, op) VEC_ICMP(name, bits)   masks that compare a and b
 *     VEC_ROWS(row, k)   a vector with the groups row(k), row(k + 4), ..., each a __m128
 *     VEC_GROUP(a, g)    group g of a, a constant below LANES / 4
 */
#define M(op) VEC_PASTE(VEC_MM, op)
#define MS(op) VEC_PASTE(VEC_MM, VEC_PASTE(op, VEC_SI))
#define W(macro) VEC_PASTE(macro, VEC_SI)

static inline V(f) V(f_set1)(float x) { return M(set1_ps)(x); }
static inline V(f) V(f_zero)(void) { return M(setzero_ps)(); }
static inline V(f) V(f_load)(const float *p) { return M(load_ps)(p); }
static inline V(f) V(f_loadu)(const float *p) { return M(loadu_ps)(p); }
static inline void V(f_store)(float *p, V(f) a) { M(store_ps)(p, a); }
static inline void V(f_storeu)(float *p, V(f) a) { M(storeu_ps)(p, a); }
static inline V(f) V(f_add)(V(f) a, V(f) b) { return M(add_ps)(a, b); }
static inline V(f) V(f_sub)(V(f) a, V(f) b) { return M(sub_ps)(a, b); }
static inline V(f) V(f_mul)(V(f) a, V(f) b) { return M(mul_ps)(a, b); }
static inline V(f) V(f_div)(V(f) a, V(f) b) { return M(div_ps)(a, b); }
static inline V(f) V(f_sqrt)(V(f) a) { return M(sqrt_ps)(a); }
static inline V(f) V(f_min)(V(f) a, V(f) b) { return M(min_ps)(a, b); }
static inline V(f) V(f_max)(V(f) a, V(f) b) { return M(max_ps)(a, b); }
static inline V(f) V(f_and)(V(f) a, V(f) b) { return M(and_ps)(a, b); }
static inline V(f) V(f_xor)(V(f) a, V(f) b) { return M(xor_ps)(a, b); }
static inline V(f) V(f_andnot)(V(f) a, V(f) b) { return M(andnot_ps)(a, b); }
static inline V(f) V(f_abs)(V(f) a) { return M(andnot_ps)(M(set1_ps)(-0.0f), a); }
static inline V(f) V(f_neg)(V(f) a) { return M(xor_ps)(M(set1_ps)(-0.0f), a); }
static inline V(i) V(f_lt)(V(f) a, V(f) b) { return W(VEC_FCMP)(lt, LT_OQ); }
static inline V(i) V(f_le)(V(f) a, V(f) b) { return W(VEC_FCMP)(le, LE_OQ); }
static inline V(i) V(f_gt)(V(f) a, V(f) b) { return W(VEC_FCMP)(gt, GT_OQ); }
static inline V(i) V(f_ge)(V(f) a, V(f) b) { return W(VEC_FCMP)(ge, GE_OQ); }
static inline V(i) V(f_eq)(V(f) a, V(f) b) { return W(VEC_FCMP)(eq, EQ_OQ); }
static inline V(i) V(f_neq)(V(f) a, V(f) b) { return W(VEC_FCMP)(neq, NEQ_UQ); }
static inline V(i) V(i_from_vf_trunc)(V(f) a) { return M(cvttps_epi32)(a); }
static inline V(f) V(f_from_vi)(V(i) a) { return M(cvtepi32_ps)(a); }

static inline V(i) V(i_set1)(int32_t x) { return M(set1_epi32)(x); }
static inline V(i) V(i_zero)(void) { return MS(setzero)(); }
static inline V(i) V(i_load)(const void *p) { return MS(load)((const V(i) *)p); }
static inline V(i) V(i_loadu)(const void *p) { return MS(loadu)((const V(i) *)p); }
static inline void V(i_store)(void *p, V(i) a) { MS(store)((V(i) *)p, a); }
static inline void V(i_storeu)(void *p, V(i) a) { MS(storeu)((V(i) *)p, a); }
static inline V(i) V(i_add)(V(i) a, V(i) b) { return M(add_epi32)(a, b); }
static inline V(i) V(i_sub)(V(i) a, V(i) b) { return M(sub_epi32)(a, b); }
static inline V(i) V(i_mul)(V(i) a, V(i) b) { return M(mullo_epi32)(a, b); }
static inline V(i) V(i_and)(V(i) a, V(i) b) { return MS(and)(a, b); }
static inline V(i) V(i_or)(V(i) a, V(i) b) { return MS(or)(a, b); }
static inline V(i) V(i_xor)(V(i) a, V(i) b) { return MS(xor)(a, b); }
static inline V(i) V(i_andnot)(V(i) a, V(i) b) { return MS(andnot)(a, b); }
static inline V(i) V(i_sll)(V(i) a, int n) { return M(slli_epi32)(a, n); }
static inline V(i) V(i_srl)(V(i) a, int n) { return M(srli_epi32)(a, n); }
static inline V(i) V(i_sra)(V(i) a, int n) { return M(srai_epi32)(a, n); }
static inline V(i) V(i_eq)(V(i) a, V(i) b) { return W(VEC_ICMP)(cmpeq, 32); }
static inline V(i) V(i_gt)(V(i) a, V(i) b) { return W(VEC_ICMP)(cmpgt, 32); }
static inline V(i) V(i_min)(V(i) a, V(i) b) { return M(min_epi32)(a, b); }
static inline V(i) V(i_max)(V(i) a, V(i) b) { return M(max_epi32)(a, b); }

static inline V(h) V(h_set1)(int x) { return M(set1_epi16)((short)x); }
static inline V(h) V(h_zero)(void) { return MS(setzero)(); }
static inline V(h) V(h_load)(const void *p) { return V(i_load)(p); }
static inline V(h) V(h_loadu)(const void *p) { return V(i_loadu)(p); }
static inline void V(h_store)(void *p, V(h) a) { V(i_store)(p, a); }
static inline void V(h_storeu)(void *p, V(h) a) { V(i_storeu)(p, a); }
static inline V(h) V(h_add)(V(h) a, V(h) b) { return M(add_epi16)(a, b); }
static inline V(h) V(h_sub)(V(h) a, V(h) b) { return M(sub_epi16)(a, b); }
static inline V(h) V(h_adds_u)(V(h) a, V(h) b) { return M(adds_epu16)(a, b); }
static inline V(h) V(h_subs_u)(V(h) a, V(h) b) { return M(subs_epu16)(a, b); }
static inline V(h) V(h_mul)(V(h) a, V(h) b) { return M(mullo_epi16)(a, b); }
static inline V(h) V(h_mulhi_u)(V(h) a, V(h) b) { return M(mulhi_epu16)(a, b); }
static inline V(h) V(h_and)(V(h) a, V(h) b) { return MS(and)(a, b); }
static inline V(h) V(h_or)(V(h) a, V(h) b) { return MS(or)(a, b); }
static inline V(h) V(h_xor)(V(h) a, V(h) b) { return MS(xor)(a, b); }
static inline V(h) V(h_andnot)(V(h) a, V(h) b) { return MS(andnot)(a, b); }
static inline V(h) V(h_sll)(V(h) a, int n) { return M(slli_epi16)(a, n); }
static inline V(h) V(h_srl)(V(h) a, int n) { return M(srli_epi16)(a, n); }
static inline V(h) V(h_sra)(V(h) a, int n) { return M(srai_epi16)(a, n); }
static inline V(h) V(h_eq)(V(h) a, V(h) b) { return W(VEC_ICMP)(cmpeq, 16); }
static inline V(h) V(h_gt_s)(V(h) a, V(h) b) { return W(VEC_ICMP)(cmpgt, 16); }
static inline V(h) V(h_min_u)(V(h) a, V(h) b) { return M(min_epu16)(a, b); }
static inline V(h) V(h_max_u)(V(h) a, V(h) b) { return M(max_epu16)(a, b); }
static inline V(h) V(h_min_s)(V(h) a, V(h) b) { return M(min_epi16)(a, b); }
static inline V(h) V(h_max_s)(V(h) a, V(h) b) { return M(max_epi16)(a, b); }
static inline V(i) V(i_madd_s)(V(h) a, V(h) b) { return M(madd_epi16)(a, b); }
static inline V(b) V(b_loadu)(const void *p) { return V(i_loadu)(p); }
static inline void V(b_storeu)(void *p, V(b) a) { V(i_storeu)(p, a); }

static inline V(h) V(h_zip_lo)(V(h) a, V(h) b) { return M(unpacklo_epi16)(a, b); }
static inline V(h) V(h_zip_hi)(V(h) a, V(h) b) { return M(unpackhi_epi16)(a, b); }
static inline V(h) V(h_pack_zipped)(V(i) lo, V(i) hi) { return M(packus_epi32)(lo, hi); }
static inline V(h) V(h_madd_bytes_us)(V(h) a, V(h) b) { return M(maddubs_epi16)(a, b); }
static inline V(h) V(h_spread4)(V(h) a, int i) {
	const V(i) lane = V(i_each_group)(_mm_setr_epi8(
			0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3));
	return M(shuffle_epi8)(a, M(add_epi8)(lane, M(set1_epi8)((char)(4 * i))));
}
static inline V(h) V(h_spread_pairs4)(V(h) a, int i) {
	return M(shuffle_epi8)(a, M(set1_epi32)(0x03020100 + 0x04040404 * i));
}
static inline void V(h_transpose_pairs4)(const V(h) in[4], V(h) out[4]) {
	V(i) a = M(unpacklo_epi32)(in[0], in[1]), b = M(unpacklo_epi32)(in[2], in[3]);
	V(i) c = M(unpackhi_epi32)(in[0], in[1]), d = M(unpackhi_epi32)(in[2], in[3]);
	out[0] = M(unpacklo_epi64)(a, b);
	out[1] = M(unpackhi_epi64)(a, b);
	out[2] = M(unpacklo_epi64)(c, d);
	out[3] = M(unpackhi_epi64)(c, d);
}
/* Like h_unzip_bytes4, in each group. */
static inline void V(h_unzip4)(V(i) a, V(i) b, V(h) out[4]) {
	const V(i) shuffle = V(i_each_group)(_mm_setr_epi8(
			0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
	a = M(shuffle_epi8)(a, shuffle);
	b = M(shuffle_epi8)(b, shuffle);
	V(i) lo = M(unpacklo_epi32)(a, b); /* 0000 0000 1111 1111 */
	V(i) hi = M(unpackhi_epi32)(a, b); /* 2222 2222 3333 3333 */
	out[0] = V(h_low_bytes)(lo);
	out[1] = M(unpackhi_epi8)(lo, MS(setzero)());
	out[2] = V(h_low_bytes)(hi);
	out[3] = M(unpackhi_epi8)(hi, MS(setzero)());
}

/* Memory. */
static inline void V(f_transpose4)(V(f) a, V(f) b, V(f) c, V(f) d, V(f) out[4]) {
	V(f) ab = M(unpacklo_ps)(a, b), cd = M(unpacklo_ps)(c, d); /* x x y y */
	out[0] = M(shuffle_ps)(ab, cd, 0x44);
	out[1] = M(shuffle_ps)(ab, cd, 0xEE);
	ab = M(unpackhi_ps)(a, b);
	cd = M(unpackhi_ps)(c, d);
	out[2] = M(shuffle_ps)(ab, cd, 0x44);
	out[3] = M(shuffle_ps)(ab, cd, 0xEE);
}
static inline V(i) V(i_load_words)(const uint8_t *p, const uint32_t off[LANES], unsigned n) {
#define VEC_WORD(k) vec_load_word(p + off[k], n)
#define VEC_ROW(k) _mm_castsi128_ps(_mm_setr_epi32( \
		VEC_WORD(k), VEC_WORD(k + 1), VEC_WORD(k + 2), VEC_WORD(k + 3)))
	return V(i_as_vf_bits)(W(VEC_ROWS)(VEC_ROW, 0));
#undef VEC_ROW
#undef VEC_WORD
}
static inline void V(f_load_rows)(const uint8_t *p, const uint32_t off[LANES], unsigned n,
		V(f) out[4]) {
#define VEC_ROW(k) vec_load_row(p + off[k], n)
	V(f_transpose4)(W(VEC_ROWS)(VEC_ROW, 0), W(VEC_ROWS)(VEC_ROW, 1),
			W(VEC_ROWS)(VEC_ROW, 2), W(VEC_ROWS)(VEC_ROW, 3), out);
#undef VEC_ROW
}
static inline void V(f_store_rows4)(void *p, size_t stride_bytes, const V(f) in[4], unsigned n) {
	V(f) row[4];
	V(f_transpose4)(in[0], in[1], in[2], in[3], row);
#define VEC_STORE(k) \
	if ((k) == 0 || ((k) < LANES && (k) < n)) { \
		_mm_storeu_ps((float *)(void *)((uint8_t *)p + (k) * stride_bytes), \
				W(VEC_GROUP)(row[(k) % 4], (k) / 4 % (LANES / 4))); \
	}
	VEC_STORE(0) VEC_STORE(1) VEC_STORE(2) VEC_STORE(3)
	VEC_STORE(4) VEC_STORE(5) VEC_STORE(6) VEC_STORE(7)
	VEC_STORE(8) VEC_STORE(9) VEC_STORE(10) VEC_STORE(11)
	VEC_STORE(12) VEC_STORE(13) VEC_STORE(14) VEC_STORE(15)
#undef VEC_STORE
}
static inline void V(h_gather_bytes4)(const uint32_t *base, const int32_t *index, V(h) out[4]) {
#define VEC_WORD(k) ((int)base[index[k]])
#define VEC_ROW(k) _mm_castsi128_ps(_mm_setr_epi32(VEC_WORD(2 * (k)), VEC_WORD(2 * (k) + 1), \
		VEC_WORD(2 * (k) + 2), VEC_WORD(2 * (k) + 3)))
	V(h_unzip4)(V(i_as_vf_bits)(W(VEC_ROWS)(VEC_ROW, 0)),
			V(i_as_vf_bits)(W(VEC_ROWS)(VEC_ROW, 2)), out);
#undef VEC_ROW
#undef VEC_WORD
}
/* The next three are for wide vectors only. */
static inline void V(f_gather4)(const float *base, const int32_t *index, V(f) out[4]) {
#define VEC_ROW(k) _mm_loadu_ps(base + 4 * (ptrdiff_t)index[k])
	V(f_transpose4)(W(VEC_ROWS)(VEC_ROW, 0), W(VEC_ROWS)(VEC_ROW, 1),
			W(VEC_ROWS)(VEC_ROW, 2), W(VEC_ROWS)(VEC_ROW, 3), out);
#undef VEC_ROW
}
static inline void V(f_gather2)(const float *base, const int32_t *index, V(f) out[2]) {
#define VEC_PAIR(k) _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)(base + \
		2 * (ptrdiff_t)index[k])))
#define VEC_ROW(k) _mm_unpacklo_ps(VEC_PAIR(k), VEC_PAIR(k + 1)) /* x x y y */
	const V(f) ab = W(VEC_ROWS)(VEC_ROW, 0), cd = W(VEC_ROWS)(VEC_ROW, 2);
#undef VEC_ROW
#undef VEC_PAIR
	out[0] = M(shuffle_ps)(ab, cd, 0x44);
	out[1] = M(shuffle_ps)(ab, cd, 0xEE);
}
static inline V(h) V(h_gather_pairs4)(const uint32_t *base, const int32_t *index) {
#define VEC_PAIR(k) ((const __m64 *)(const void *)(base + index[k]))
#define VEC_ROW(k) _mm_loadh_pi(_mm_castsi128_ps(_mm_loadl_epi64( \
		(const __m128i *)(const void *)VEC_PAIR(2 * (k)))), VEC_PAIR(2 * (k) + 1))
	const V(i) shuffle = V(i_each_group)(_mm_setr_epi8(
			0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15));
	return M(shuffle_epi8)(V(i_as_vf_bits)(W(VEC_ROWS)(VEC_ROW, 0)), shuffle);
#undef VEC_ROW
#undef VEC_PAIR
}

#undef M
#undef MS
#undef W
#undef V
