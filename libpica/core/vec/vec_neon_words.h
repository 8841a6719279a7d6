/* The 128-bit words on AArch64 NEON. V(word) adds the prefix, v or vq. */
typedef float32x4_t V(f);
typedef int32x4_t V(i);
typedef uint16x8_t V(h);
typedef uint8x16_t V(b);

static inline V(f) V(f_set1)(float x) { return vdupq_n_f32(x); }
static inline V(f) V(f_zero)(void) { return vdupq_n_f32(0); }
static inline V(f) V(f_loadu)(const float *p) { return vld1q_f32(p); }
static inline V(f) V(f_load)(const float *p) { return vld1q_f32(p); }
static inline void V(f_storeu)(float *p, V(f) a) { vst1q_f32(p, a); }
static inline void V(f_store)(float *p, V(f) a) { vst1q_f32(p, a); }
static inline V(i) V(i_as_vf_bits)(V(f) a) { return vreinterpretq_s32_f32(a); }
static inline V(f) V(f_as_vi_bits)(V(i) a) { return vreinterpretq_f32_s32(a); }
static inline V(f) V(f_add)(V(f) a, V(f) b) { return vaddq_f32(a, b); }
static inline V(f) V(f_sub)(V(f) a, V(f) b) { return vsubq_f32(a, b); }
static inline V(f) V(f_mul)(V(f) a, V(f) b) { return vmulq_f32(a, b); }
static inline V(f) V(f_div)(V(f) a, V(f) b) { return vdivq_f32(a, b); }
static inline V(f) V(f_sqrt)(V(f) a) { return vsqrtq_f32(a); }
/* fmin and fmax would return the number if one operand is NaN; these return b. */
static inline V(f) V(f_min)(V(f) a, V(f) b) { return vbslq_f32(vcltq_f32(a, b), a, b); }
static inline V(f) V(f_max)(V(f) a, V(f) b) { return vbslq_f32(vcgtq_f32(a, b), a, b); }
static inline V(f) V(f_abs)(V(f) a) { return vabsq_f32(a); }
static inline V(f) V(f_neg)(V(f) a) { return vnegq_f32(a); }
static inline V(f) V(f_floor)(V(f) a) { return vrndmq_f32(a); }
static inline V(f) V(f_trunc)(V(f) a) { return vrndq_f32(a); }
#define VEC_MASK vreinterpretq_s32_u32
static inline V(i) V(f_lt)(V(f) a, V(f) b) { return VEC_MASK(vcltq_f32(a, b)); }
static inline V(i) V(f_le)(V(f) a, V(f) b) { return VEC_MASK(vcleq_f32(a, b)); }
static inline V(i) V(f_gt)(V(f) a, V(f) b) { return VEC_MASK(vcgtq_f32(a, b)); }
static inline V(i) V(f_ge)(V(f) a, V(f) b) { return VEC_MASK(vcgeq_f32(a, b)); }
static inline V(i) V(f_eq)(V(f) a, V(f) b) { return VEC_MASK(vceqq_f32(a, b)); }
static inline V(i) V(f_neq)(V(f) a, V(f) b) { return VEC_MASK(vmvnq_u32(vceqq_f32(a, b))); }
/* The conversion saturates; lanes of 2^31 and above, and NaN, must become INT32_MIN. */
static inline V(i) V(i_from_vf_trunc)(V(f) a) {
	return vbslq_s32(vcltq_f32(a, vdupq_n_f32(2147483648.0f)), vcvtq_s32_f32(a),
			vdupq_n_s32(INT32_MIN));
}
static inline V(f) V(f_from_vi)(V(i) a) { return vcvtq_f32_s32(a); }

static inline V(i) V(i_set1)(int32_t x) { return vdupq_n_s32(x); }
static inline V(i) V(i_zero)(void) { return vdupq_n_s32(0); }
static inline V(b) V(b_loadu)(const void *p) { return vld1q_u8(p); }
static inline void V(b_storeu)(void *p, V(b) a) { vst1q_u8(p, a); }
static inline V(i) V(i_loadu)(const void *p) { return vreinterpretq_s32_u8(vld1q_u8(p)); }
static inline V(i) V(i_load)(const void *p) { return V(i_loadu)(p); }
static inline void V(i_storeu)(void *p, V(i) a) { vst1q_u8(p, vreinterpretq_u8_s32(a)); }
static inline void V(i_store)(void *p, V(i) a) { V(i_storeu)(p, a); }
static inline V(i) V(i_add)(V(i) a, V(i) b) { return vaddq_s32(a, b); }
static inline V(i) V(i_sub)(V(i) a, V(i) b) { return vsubq_s32(a, b); }
static inline V(i) V(i_mul)(V(i) a, V(i) b) { return vmulq_s32(a, b); }
static inline V(i) V(i_and)(V(i) a, V(i) b) { return vandq_s32(a, b); }
static inline V(i) V(i_or)(V(i) a, V(i) b) { return vorrq_s32(a, b); }
static inline V(i) V(i_xor)(V(i) a, V(i) b) { return veorq_s32(a, b); }
static inline V(i) V(i_andnot)(V(i) a, V(i) b) { return vbicq_s32(b, a); }
#define VEC_BITWISE(op) \
	static inline V(f) V(f_##op)(V(f) a, V(f) b) { \
		return V(f_as_vi_bits)(V(i_##op)(V(i_as_vf_bits)(a), V(i_as_vf_bits)(b))); \
	}
VEC_BITWISE(and)
VEC_BITWISE(xor)
VEC_BITWISE(andnot)
#undef VEC_BITWISE
static inline V(i) V(i_sll)(V(i) a, int n) { return vshlq_s32(a, vdupq_n_s32(n)); }
static inline V(i) V(i_srl)(V(i) a, int n) {
	return VEC_MASK(vshlq_u32(vreinterpretq_u32_s32(a), vdupq_n_s32(-n)));
}
static inline V(i) V(i_sra)(V(i) a, int n) { return vshlq_s32(a, vdupq_n_s32(-n)); }
static inline V(i) V(i_eq)(V(i) a, V(i) b) { return VEC_MASK(vceqq_s32(a, b)); }
static inline V(i) V(i_gt)(V(i) a, V(i) b) { return VEC_MASK(vcgtq_s32(a, b)); }
static inline V(i) V(i_min)(V(i) a, V(i) b) { return vminq_s32(a, b); }
static inline V(i) V(i_max)(V(i) a, V(i) b) { return vmaxq_s32(a, b); }
static inline V(f) V(f_select)(V(i) m, V(f) a, V(f) b) {
	return vbslq_f32(vreinterpretq_u32_s32(m), a, b);
}
static inline V(i) V(i_select)(V(i) m, V(i) a, V(i) b) {
	return vbslq_s32(vreinterpretq_u32_s32(m), a, b);
}
static inline unsigned V(i_movemask)(V(i) a) {
	static const int32_t lane[4] = { 0, 1, 2, 3 };
	return vaddvq_u32(vshlq_u32(vshrq_n_u32(vreinterpretq_u32_s32(a), 31), vld1q_s32(lane)));
}
static inline V(i) V(i_mask_from_bits)(unsigned bits) {
	static const int32_t lane[4] = { 1, 2, 4, 8 };
	return VEC_MASK(vtstq_s32(vdupq_n_s32((int32_t)bits), vld1q_s32(lane)));
}

#define VEC_S(a) vreinterpretq_s16_u16(a)
#define VEC_U(a) vreinterpretq_u16_s16(a)
static inline V(h) V(h_set1)(int x) { return vdupq_n_u16((uint16_t)x); }
static inline V(h) V(h_zero)(void) { return vdupq_n_u16(0); }
static inline V(h) V(h_loadu)(const void *p) { return vreinterpretq_u16_u8(vld1q_u8(p)); }
static inline V(h) V(h_load)(const void *p) { return V(h_loadu)(p); }
static inline void V(h_storeu)(void *p, V(h) a) { vst1q_u8(p, vreinterpretq_u8_u16(a)); }
static inline void V(h_store)(void *p, V(h) a) { V(h_storeu)(p, a); }
static inline V(h) V(h_add)(V(h) a, V(h) b) { return vaddq_u16(a, b); }
static inline V(h) V(h_sub)(V(h) a, V(h) b) { return vsubq_u16(a, b); }
static inline V(h) V(h_adds_u)(V(h) a, V(h) b) { return vqaddq_u16(a, b); }
static inline V(h) V(h_subs_u)(V(h) a, V(h) b) { return vqsubq_u16(a, b); }
static inline V(h) V(h_mul)(V(h) a, V(h) b) { return vmulq_u16(a, b); }
static inline V(h) V(h_mulhi_u)(V(h) a, V(h) b) {
	return vuzp2q_u16(vreinterpretq_u16_u32(vmull_u16(vget_low_u16(a), vget_low_u16(b))),
			vreinterpretq_u16_u32(vmull_high_u16(a, b)));
}
static inline V(h) V(h_and)(V(h) a, V(h) b) { return vandq_u16(a, b); }
static inline V(h) V(h_or)(V(h) a, V(h) b) { return vorrq_u16(a, b); }
static inline V(h) V(h_xor)(V(h) a, V(h) b) { return veorq_u16(a, b); }
static inline V(h) V(h_andnot)(V(h) a, V(h) b) { return vbicq_u16(b, a); }
static inline V(h) V(h_sll)(V(h) a, int n) { return vshlq_u16(a, vdupq_n_s16((int16_t)n)); }
static inline V(h) V(h_srl)(V(h) a, int n) { return vshlq_u16(a, vdupq_n_s16((int16_t)-n)); }
static inline V(h) V(h_sra)(V(h) a, int n) {
	return VEC_U(vshlq_s16(VEC_S(a), vdupq_n_s16((int16_t)-n)));
}
static inline V(h) V(h_eq)(V(h) a, V(h) b) { return vceqq_u16(a, b); }
static inline V(h) V(h_gt_s)(V(h) a, V(h) b) { return vcgtq_s16(VEC_S(a), VEC_S(b)); }
static inline V(h) V(h_min_u)(V(h) a, V(h) b) { return vminq_u16(a, b); }
static inline V(h) V(h_max_u)(V(h) a, V(h) b) { return vmaxq_u16(a, b); }
static inline V(h) V(h_min_s)(V(h) a, V(h) b) { return VEC_U(vminq_s16(VEC_S(a), VEC_S(b))); }
static inline V(h) V(h_max_s)(V(h) a, V(h) b) { return VEC_U(vmaxq_s16(VEC_S(a), VEC_S(b))); }
static inline V(h) V(h_select)(V(h) m, V(h) a, V(h) b) { return vbslq_u16(m, a, b); }
static inline unsigned V(h_movemask)(V(h) a) {
	static const int16_t lane[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	return vaddvq_u16(vshlq_u16(vshrq_n_u16(a, 15), vld1q_s16(lane)));
}
static inline V(h) V(h_mask_from_bits)(unsigned bits) {
	static const uint16_t lane[8] = { 1, 2, 4, 8, 16, 32, 64, 128 };
	return vtstq_u16(vdupq_n_u16((uint16_t)bits), vld1q_u16(lane));
}
static inline V(h) V(h_pack_u)(V(i) a, V(i) b) { return vqmovun_high_s32(vqmovun_s32(a), b); }
static inline V(h) V(h_pack_s)(V(i) a, V(i) b) {
	return VEC_U(vqmovn_high_s32(vqmovn_s32(a), b));
}
static inline V(i) V(i_widen_lo_u)(V(h) a) { return VEC_MASK(vmovl_u16(vget_low_u16(a))); }
static inline V(i) V(i_widen_hi_u)(V(h) a) { return VEC_MASK(vmovl_high_u16(a)); }
static inline V(i) V(i_widen_lo_s)(V(h) a) { return vmovl_s16(vget_low_s16(VEC_S(a))); }
static inline V(i) V(i_widen_hi_s)(V(h) a) { return vmovl_high_s16(VEC_S(a)); }
static inline V(i) V(i_madd_s)(V(h) a, V(h) b) {
	return vpaddq_s32(vmull_s16(vget_low_s16(VEC_S(a)), vget_low_s16(VEC_S(b))),
			vmull_high_s16(VEC_S(a), VEC_S(b)));
}
static inline V(b) V(b_pack_u)(V(h) a, V(h) b) {
	return vqmovun_high_s16(vqmovun_s16(VEC_S(a)), VEC_S(b));
}
static inline V(b) V(b_pack_s)(V(h) a, V(h) b) {
	return vreinterpretq_u8_s8(vqmovn_high_s16(vqmovn_s16(VEC_S(a)), VEC_S(b)));
}
static inline uint64_t V(b_movemask)(V(b) a) {
	static const int8_t lane[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7 };
	a = vshlq_u8(vshrq_n_u8(a, 7), vld1q_s8(lane));
	return vaddv_u8(vget_low_u8(a)) | (unsigned)vaddv_u8(vget_high_u8(a)) << 8;
}

/* Words that work on groups: here the vector is one group. */
static inline V(h) V(h_zip_lo)(V(h) a, V(h) b) { return vzip1q_u16(a, b); }
static inline V(h) V(h_zip_hi)(V(h) a, V(h) b) { return vzip2q_u16(a, b); }
static inline V(h) V(h_pack_zipped)(V(i) lo, V(i) hi) { return V(h_pack_u)(lo, hi); }
static inline V(h) V(h_zip_upper)(V(i) a, V(i) b) {
	return vtrn2q_u16(vreinterpretq_u16_s32(a), vreinterpretq_u16_s32(b));
}
static inline V(h) V(h_madd_bytes_us)(V(h) a, V(h) b) {
	const int16x8_t low = vmulq_s16(VEC_S(vandq_u16(a, vdupq_n_u16(255))),
			vshrq_n_s16(vshlq_n_s16(VEC_S(b), 8), 8));
	const int16x8_t high = vmulq_s16(VEC_S(vshrq_n_u16(a, 8)), vshrq_n_s16(VEC_S(b), 8));
	return VEC_U(vqaddq_s16(low, high));
}
static inline V(h) V(h_from_bytes)(V(h) a, const uint8_t from[16], int i) {
	const V(b) lanes = vaddq_u8(vld1q_u8(from), vdupq_n_u8((uint8_t)(4 * i)));
	return vreinterpretq_u16_u8(vqtbl1q_u8(vreinterpretq_u8_u16(a), lanes));
}
static inline V(h) V(h_spread4)(V(h) a, int i) {
	static const uint8_t from[16] = { 0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3 };
	return V(h_from_bytes)(a, from, i);
}
static inline V(h) V(h_spread_pairs4)(V(h) a, int i) {
	static const uint8_t from[16] = { 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3 };
	return V(h_from_bytes)(a, from, i);
}
static inline void V(f_transpose4)(V(f) a, V(f) b, V(f) c, V(f) d, V(f) out[4]) {
#define VEC_PAIRS(op, a, b) vreinterpretq_f32_f64( \
		op(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)))
	V(f) ab = vzip1q_f32(a, b), cd = vzip1q_f32(c, d); /* x x y y */
	out[0] = VEC_PAIRS(vzip1q_f64, ab, cd);
	out[1] = VEC_PAIRS(vzip2q_f64, ab, cd);
	ab = vzip2q_f32(a, b);
	cd = vzip2q_f32(c, d);
	out[2] = VEC_PAIRS(vzip1q_f64, ab, cd);
	out[3] = VEC_PAIRS(vzip2q_f64, ab, cd);
#undef VEC_PAIRS
}
static inline void V(h_transpose_pairs4)(const V(h) in[4], V(h) out[4]) {
#define VEC_F(a) vreinterpretq_f32_u16(a)
	V(f) rows[4];
	V(f_transpose4)(VEC_F(in[0]), VEC_F(in[1]), VEC_F(in[2]), VEC_F(in[3]), rows);
	for (int i = 0; i < 4; i++) {
		out[i] = vreinterpretq_u16_f32(rows[i]);
	}
#undef VEC_F
}
static inline void V(h_unzip4)(V(i) a, V(i) b, V(h) out[4]) {
	const V(b) p = vreinterpretq_u8_s32(a), q = vreinterpretq_u8_s32(b);
	const V(h) even = vreinterpretq_u16_u8(vuzp1q_u8(p, q));
	const V(h) odd = vreinterpretq_u16_u8(vuzp2q_u8(p, q));
	const V(h) low = vdupq_n_u16(255);
	out[0] = vandq_u16(even, low);
	out[1] = vandq_u16(odd, low);
	out[2] = vshrq_n_u16(even, 8);
	out[3] = vshrq_n_u16(odd, 8);
}

/* Memory. */
static inline V(i) V(i_load_u16)(const void *p) {
	return VEC_MASK(vmovl_u16(vreinterpret_u16_u8(vld1_u8(p))));
}
static inline V(i) V(i_load_words)(const uint8_t *p, const uint32_t off[4], unsigned n) {
	uint32_t word[4] = { 0, 0, 0, 0 };
	for (int k = 0; k < 4; k++) {
		memcpy(&word[k], p + off[k], n);
	}
	return V(i_loadu)(word);
}
static inline void V(f_load_rows)(const uint8_t *p, const uint32_t off[4], unsigned n,
		V(f) out[4]) {
	float row[4][4] = { { 0 } };
	for (int k = 0; k < 4; k++) {
		memcpy(row[k], p + off[k], 4 * n);
	}
	V(f_transpose4)(vld1q_f32(row[0]), vld1q_f32(row[1]), vld1q_f32(row[2]),
			vld1q_f32(row[3]), out);
}
static inline void V(f_store_rows4)(void *p, size_t stride_bytes, const V(f) in[4], unsigned n) {
	V(f) row[4];
	V(f_transpose4)(in[0], in[1], in[2], in[3], row);
	for (unsigned k = 0; k < 4 && k < n; k++) {
		vst1q_u8((uint8_t *)p + k * stride_bytes, vreinterpretq_u8_f32(row[k]));
	}
}
static inline void V(h_gather_bytes4)(const uint32_t *base, const int32_t *index, V(h) out[4]) {
	uint32_t word[8];
	for (int k = 0; k < 8; k++) {
		word[k] = base[index[k]];
	}
	V(h_unzip4)(V(i_loadu)(word), V(i_loadu)(word + 4), out);
}

#undef VEC_MASK
#undef VEC_S
#undef VEC_U
#undef V
