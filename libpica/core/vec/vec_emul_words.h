/*
 * The words of one width in plain C. vec_emul.h includes this once for quads and once for wide
 * vectors. It defines LANES (of 32 bits), V(word), which adds the prefix v or vq, and VEC_IS_QUAD.
 */
typedef struct { float l[LANES]; } V(f);
typedef struct { int32_t l[LANES]; } V(i);
typedef struct { uint16_t l[2 * LANES]; } V(h);
typedef struct { uint8_t l[4 * LANES]; } V(b);

static inline V(f) V(f_set1)(float x) { EACH_F(x); }
static inline V(f) V(f_zero)(void) { return V(f_set1)(0.0f); }
static inline V(f) V(f_loadu)(const float *p) { V(f) r; memcpy(&r, p, sizeof(r)); return r; }
static inline V(f) V(f_load)(const float *p) { return V(f_loadu)(p); }
static inline void V(f_storeu)(float *p, V(f) a) { memcpy(p, &a, sizeof(a)); }
static inline void V(f_store)(float *p, V(f) a) { V(f_storeu)(p, a); }
static inline V(f) V(f_add)(V(f) a, V(f) b) { EACH_F(a.l[k] + b.l[k]); }
static inline V(f) V(f_sub)(V(f) a, V(f) b) { EACH_F(a.l[k] - b.l[k]); }
static inline V(f) V(f_mul)(V(f) a, V(f) b) { EACH_F(a.l[k] * b.l[k]); }
static inline V(f) V(f_div)(V(f) a, V(f) b) { EACH_F(a.l[k] / b.l[k]); }
static inline V(f) V(f_sqrt)(V(f) a) { EACH_F(sqrtf(a.l[k])); }
static inline V(f) V(f_min)(V(f) a, V(f) b) { EACH_F(a.l[k] < b.l[k] ? a.l[k] : b.l[k]); }
static inline V(f) V(f_max)(V(f) a, V(f) b) { EACH_F(a.l[k] > b.l[k] ? a.l[k] : b.l[k]); }
static inline V(f) V(f_and)(V(f) a, V(f) b) { EACH_F(VEC_BITOP(&)); }
static inline V(f) V(f_xor)(V(f) a, V(f) b) { EACH_F(VEC_BITOP(^)); }
static inline V(f) V(f_andnot)(V(f) a, V(f) b) {
	EACH_F(vec_float(~vec_bits(a.l[k]) & vec_bits(b.l[k])));
}
static inline V(f) V(f_abs)(V(f) a) {
	EACH_F(vec_float(vec_bits(a.l[k]) & 0x7FFFFFFF));
}
static inline V(f) V(f_neg)(V(f) a) {
	EACH_F(vec_float(vec_bits(a.l[k]) ^ INT32_MIN));
}
static inline V(f) V(f_floor)(V(f) a) { EACH_F(floorf(a.l[k])); }
static inline V(f) V(f_trunc)(V(f) a) { EACH_F(truncf(a.l[k])); }
static inline V(i) V(f_lt)(V(f) a, V(f) b) { EACH_I(-(a.l[k] < b.l[k])); }
static inline V(i) V(f_le)(V(f) a, V(f) b) { EACH_I(-(a.l[k] <= b.l[k])); }
static inline V(i) V(f_gt)(V(f) a, V(f) b) { EACH_I(-(a.l[k] > b.l[k])); }
static inline V(i) V(f_ge)(V(f) a, V(f) b) { EACH_I(-(a.l[k] >= b.l[k])); }
static inline V(i) V(f_eq)(V(f) a, V(f) b) { EACH_I(-(a.l[k] == b.l[k])); }
static inline V(i) V(f_neq)(V(f) a, V(f) b) { EACH_I(-(a.l[k] != b.l[k])); }
static inline V(f) V(f_select)(V(i) m, V(f) a, V(f) b) { EACH_F(m.l[k] ? a.l[k] : b.l[k]); }
static inline V(i) V(i_as_vf_bits)(V(f) a) { EACH_I(vec_bits(a.l[k])); }
static inline V(f) V(f_as_vi_bits)(V(i) a) { EACH_F(vec_float(a.l[k])); }
static inline V(i) V(i_from_vf_trunc)(V(f) a) {
	/* Only dead lanes may be out of range; they give the result of SSE. */
	EACH_I(a.l[k] >= -2147483648.0f && a.l[k] < 2147483648.0f ?
					(int32_t)a.l[k] : INT32_MIN);
}
static inline V(f) V(f_from_vi)(V(i) a) { EACH_F((float)a.l[k]); }

static inline V(i) V(i_set1)(int32_t x) { EACH_I(x); }
static inline V(i) V(i_zero)(void) { return V(i_set1)(0); }
static inline V(i) V(i_loadu)(const void *p) { V(i) r; memcpy(&r, p, sizeof(r)); return r; }
static inline V(i) V(i_load)(const void *p) { return V(i_loadu)(p); }
static inline void V(i_storeu)(void *p, V(i) a) { memcpy(p, &a, sizeof(a)); }
static inline void V(i_store)(void *p, V(i) a) { V(i_storeu)(p, a); }
static inline V(i) V(i_add)(V(i) a, V(i) b) {
	EACH_I((int32_t)(VEC_U(a.l[k]) + VEC_U(b.l[k])));
}
static inline V(i) V(i_sub)(V(i) a, V(i) b) {
	EACH_I((int32_t)(VEC_U(a.l[k]) - VEC_U(b.l[k])));
}
static inline V(i) V(i_mul)(V(i) a, V(i) b) {
	EACH_I((int32_t)(VEC_U(a.l[k]) * VEC_U(b.l[k])));
}
static inline V(i) V(i_and)(V(i) a, V(i) b) { EACH_I(a.l[k] & b.l[k]); }
static inline V(i) V(i_or)(V(i) a, V(i) b) { EACH_I(a.l[k] | b.l[k]); }
static inline V(i) V(i_xor)(V(i) a, V(i) b) { EACH_I(a.l[k] ^ b.l[k]); }
static inline V(i) V(i_andnot)(V(i) a, V(i) b) { EACH_I(~a.l[k] & b.l[k]); }
static inline V(i) V(i_sll)(V(i) a, int n) { EACH_I((int32_t)(VEC_U(a.l[k]) << n)); }
static inline V(i) V(i_srl)(V(i) a, int n) { EACH_I((int32_t)(VEC_U(a.l[k]) >> n)); }
static inline V(i) V(i_sra)(V(i) a, int n) { EACH_I(a.l[k] >> n); }
static inline V(i) V(i_eq)(V(i) a, V(i) b) { EACH_I(-(a.l[k] == b.l[k])); }
static inline V(i) V(i_gt)(V(i) a, V(i) b) { EACH_I(-(a.l[k] > b.l[k])); }
static inline V(i) V(i_min)(V(i) a, V(i) b) { EACH_I(a.l[k] < b.l[k] ? a.l[k] : b.l[k]); }
static inline V(i) V(i_max)(V(i) a, V(i) b) { EACH_I(a.l[k] > b.l[k] ? a.l[k] : b.l[k]); }
static inline V(i) V(i_select)(V(i) m, V(i) a, V(i) b) { EACH_I(m.l[k] ? a.l[k] : b.l[k]); }
static inline unsigned V(i_movemask)(V(i) a) {
	unsigned m = 0;
	for (int k = 0; k < LANES; k++) {
		m |= VEC_U(a.l[k]) >> 31 << k;
	}
	return m;
}
static inline V(i) V(i_mask_from_bits)(unsigned bits) {
	EACH_I(-(int32_t)(bits >> k & 1));
}

static inline V(h) V(h_set1)(int x) { EACH_H((uint16_t)x); }
static inline V(h) V(h_zero)(void) { return V(h_set1)(0); }
static inline V(h) V(h_loadu)(const void *p) { V(h) r; memcpy(&r, p, sizeof(r)); return r; }
static inline V(h) V(h_load)(const void *p) { return V(h_loadu)(p); }
static inline void V(h_storeu)(void *p, V(h) a) { memcpy(p, &a, sizeof(a)); }
static inline void V(h_store)(void *p, V(h) a) { V(h_storeu)(p, a); }
static inline V(h) V(h_add)(V(h) a, V(h) b) { EACH_H((uint16_t)(a.l[k] + b.l[k])); }
static inline V(h) V(h_sub)(V(h) a, V(h) b) { EACH_H((uint16_t)(a.l[k] - b.l[k])); }
static inline V(h) V(h_adds_u)(V(h) a, V(h) b) {
	EACH_H((uint16_t)vec_clamp(a.l[k] + b.l[k], 0, 0xFFFF));
}
static inline V(h) V(h_subs_u)(V(h) a, V(h) b) {
	EACH_H((uint16_t)vec_clamp(a.l[k] - b.l[k], 0, 0xFFFF));
}
static inline V(h) V(h_mul)(V(h) a, V(h) b) { EACH_H((uint16_t)(VEC_U(a.l[k]) * b.l[k])); }
static inline V(h) V(h_mulhi_u)(V(h) a, V(h) b) {
	EACH_H((uint16_t)(VEC_U(a.l[k]) * b.l[k] >> 16));
}
static inline V(h) V(h_and)(V(h) a, V(h) b) { EACH_H(a.l[k] & b.l[k]); }
static inline V(h) V(h_or)(V(h) a, V(h) b) { EACH_H(a.l[k] | b.l[k]); }
static inline V(h) V(h_xor)(V(h) a, V(h) b) { EACH_H(a.l[k] ^ b.l[k]); }
static inline V(h) V(h_andnot)(V(h) a, V(h) b) { EACH_H((uint16_t)(~a.l[k] & b.l[k])); }
static inline V(h) V(h_sll)(V(h) a, int n) { EACH_H((uint16_t)(VEC_U(a.l[k]) << n)); }
static inline V(h) V(h_srl)(V(h) a, int n) { EACH_H((uint16_t)(a.l[k] >> n)); }
static inline V(h) V(h_sra)(V(h) a, int n) {
	EACH_H((uint16_t)(vec_s16(a.l[k]) >> n));
}
static inline V(h) V(h_eq)(V(h) a, V(h) b) { EACH_H(a.l[k] == b.l[k] ? 0xFFFF : 0); }
static inline V(h) V(h_gt_s)(V(h) a, V(h) b) {
	EACH_H(vec_s16(a.l[k]) > vec_s16(b.l[k]) ? 0xFFFF : 0);
}
static inline V(h) V(h_min_u)(V(h) a, V(h) b) { EACH_H(a.l[k] < b.l[k] ? a.l[k] : b.l[k]); }
static inline V(h) V(h_max_u)(V(h) a, V(h) b) { EACH_H(a.l[k] > b.l[k] ? a.l[k] : b.l[k]); }
static inline V(h) V(h_min_s)(V(h) a, V(h) b) {
	EACH_H(vec_s16(a.l[k]) < vec_s16(b.l[k]) ? a.l[k] : b.l[k]);
}
static inline V(h) V(h_max_s)(V(h) a, V(h) b) {
	EACH_H(vec_s16(a.l[k]) > vec_s16(b.l[k]) ? a.l[k] : b.l[k]);
}
static inline V(h) V(h_select)(V(h) m, V(h) a, V(h) b) { EACH_H(m.l[k] ? a.l[k] : b.l[k]); }
static inline V(h) V(h_mask_from_bits)(unsigned bits) {
	EACH_H(bits >> k & 1 ? 0xFFFF : 0);
}
static inline unsigned V(h_movemask)(V(h) a) {
	unsigned m = 0;
	for (int k = 0; k < 2 * LANES; k++) {
		m |= (unsigned)(a.l[k] >> 15) << k;
	}
	return m;
}

static inline V(h) V(h_pack_u)(V(i) a, V(i) b) {
	EACH_H((uint16_t)vec_clamp(
					k < LANES ? a.l[k % LANES] : b.l[k % LANES], 0,
					0xFFFF));
}
static inline V(h) V(h_pack_s)(V(i) a, V(i) b) {
	EACH_H((uint16_t)vec_clamp(
					k < LANES ? a.l[k % LANES] : b.l[k % LANES],
					-0x8000, 0x7FFF));
}
static inline V(i) V(i_widen_lo_u)(V(h) a) { EACH_I(a.l[k]); }
static inline V(i) V(i_widen_hi_u)(V(h) a) { EACH_I(a.l[k + LANES]); }
static inline V(i) V(i_widen_lo_s)(V(h) a) { EACH_I(vec_s16(a.l[k])); }
static inline V(i) V(i_widen_hi_s)(V(h) a) { EACH_I(vec_s16(a.l[k + LANES])); }
static inline V(i) V(i_madd_s)(V(h) a, V(h) b) {
	EACH_I((int32_t)(VEC_U(vec_s16(a.l[2 * k]) * vec_s16(b.l[2 * k])) +
					VEC_U(vec_s16(a.l[2 * k + 1]) * vec_s16(b.l[2 * k + 1]))));
}

static inline V(b) V(b_loadu)(const void *p) { V(b) r; memcpy(&r, p, sizeof(r)); return r; }
static inline void V(b_storeu)(void *p, V(b) a) { memcpy(p, &a, sizeof(a)); }
#define VEC_HALF16(k) vec_s16((k) < 2 * LANES ? a.l[(k) % (2 * LANES)] : b.l[(k) % (2 * LANES)])
static inline V(b) V(b_pack_u)(V(h) a, V(h) b) {
	EACH_B((uint8_t)vec_clamp(VEC_HALF16(k), 0, 255));
}
static inline V(b) V(b_pack_s)(V(h) a, V(h) b) {
	EACH_B((uint8_t)vec_clamp(VEC_HALF16(k), -128, 127));
}
#undef VEC_HALF16
static inline uint64_t V(b_movemask)(V(b) a) {
	uint64_t m = 0;
	for (int k = 0; k < 4 * LANES; k++) {
		m |= (uint64_t)(a.l[k] >> 7) << k;
	}
	return m;
}

/* Words that work on groups: four 32-bit or eight 16-bit lanes. */
static inline V(h) V(h_zip_lo)(V(h) a, V(h) b) {
	EACH_H(k & 1 ? b.l[k / 8 * 8 + k % 8 / 2] : a.l[k / 8 * 8 + k % 8 / 2]);
}
static inline V(h) V(h_zip_hi)(V(h) a, V(h) b) {
	EACH_H(k & 1 ? b.l[k / 8 * 8 + 4 + k % 8 / 2] : a.l[k / 8 * 8 + 4 + k % 8 / 2]);
}
static inline V(h) V(h_pack_zipped)(V(i) lo, V(i) hi) {
	EACH_H((uint16_t)vec_clamp(k & 4 ? hi.l[k / 8 * 4 + k % 4] : lo.l[k / 8 * 4 + k % 4], 0,
			0xFFFF));
}
static inline V(h) V(h_zip_upper)(V(i) a, V(i) b) {
	EACH_H((uint16_t)(VEC_U(k & 1 ? b.l[k / 2] : a.l[k / 2]) >> 16));
}
static inline V(h) V(h_madd_bytes_us)(V(h) a, V(h) b) {
	EACH_H((uint16_t)vec_clamp((a.l[k] & 255) * vec_s8(b.l[k]) +
					(a.l[k] >> 8) * vec_s8(b.l[k] >> 8), -0x8000, 0x7FFF));
}
static inline V(h) V(h_spread4)(V(h) a, int i) { EACH_H(a.l[k / 8 * 8 + 2 * i + k % 8 / 4]); }
static inline V(h) V(h_spread_pairs4)(V(h) a, int i) {
	EACH_H(a.l[k / 8 * 8 + 2 * i + (k & 1)]);
}
static inline void V(h_transpose_pairs4)(const V(h) in[4], V(h) out[4]) {
	for (int i = 0; i < 4; i++) {
		for (int k = 0; k < 2 * LANES; k++) {
			out[k / 2 % 4].l[k / 8 * 8 + 2 * i + (k & 1)] = in[i].l[k];
		}
	}
}

/* Memory. */
static inline V(i) V(i_load_u16)(const void *p) {
	const uint8_t *from = p;
	EACH_I((int32_t)vec_word(from + 2 * k, 2));
}
static inline V(i) V(i_load_words)(const uint8_t *p, const uint32_t off[LANES], unsigned n) {
	EACH_I((int32_t)vec_word(p + off[k], n));
}
static inline void V(f_load_rows)(const uint8_t *p, const uint32_t off[LANES], unsigned n,
		V(f) out[4]) {
	for (int k = 0; k < LANES; k++) {
		for (unsigned c = 0; c < n; c++) {
			memcpy(&out[c].l[k], p + off[k] + 4 * c, 4);
		}
	}
}
static inline void V(f_store_rows4)(void *p, size_t stride_bytes, const V(f) in[4], unsigned n) {
	for (unsigned k = 0; k < LANES && k < n; k++) {
		for (int c = 0; c < 4; c++) {
			memcpy((uint8_t *)p + k * stride_bytes + 4 * c, &in[c].l[k], 4);
		}
	}
}
static inline void V(h_gather_bytes4)(const uint32_t *base, const int32_t *index, V(h) out[4]) {
	for (int k = 0; k < 8 * LANES; k++) {
		out[k & 3].l[k / 4] = (uint16_t)(base[index[k / 4]] >> 8 * (k & 3) & 255);
	}
}

#if VEC_IS_QUAD
static inline V(i) V(i_bswap)(V(i) a) {
	EACH_I((int32_t)(VEC_U(a.l[k]) >> 24 | (VEC_U(a.l[k]) >> 8 & 0xFF00) |
					(VEC_U(a.l[k]) << 8 & 0xFF0000) | VEC_U(a.l[k]) << 24));
}
static inline V(i) V(i_pair_lo)(V(i) a, V(i) b) { EACH_I(k < 2 ? a.l[k] : b.l[k - 2]); }
static inline V(i) V(i_pair_hi)(V(i) a, V(i) b) { EACH_I(k < 2 ? a.l[k + 2] : b.l[k]); }
static inline V(i) V(i_zip_lo)(V(i) a, V(i) b) { EACH_I(k % 2 ? b.l[k / 2] : a.l[k / 2]); }
static inline V(h) V(h_widen_lo_u)(V(b) a) { EACH_H(a.l[k]); }
static inline V(h) V(h_widen_hi_u)(V(b) a) { EACH_H(a.l[k + 8]); }
static inline V(i) V(i_load_px3)(const void *p) {
	const uint8_t *from = p;
	EACH_I((int32_t)vec_word(from + 3 * k, 3));
}
static inline void V(i_store_px3)(void *p, V(i) a) {
	for (unsigned k = 0; k < LANES; k++) {
		memcpy((uint8_t *)p + 3 * k, &a.l[k], 3);
	}
}
static inline void V(i_store_u16)(void *p, V(i) a) {
	for (unsigned k = 0; k < LANES; k++) {
		memcpy((uint8_t *)p + 2 * k, &a.l[k], 2);
	}
}
static inline V(h) V(h_load_halves)(const void *p0, const void *p1) {
	V(h) r;
	memcpy(&r.l[0], p0, 8);
	memcpy(&r.l[4], p1, 8);
	return r;
}
static inline void V(h_store_lo)(void *p, V(h) a) { memcpy(p, &a.l[0], 8); }
static inline void V(h_store_hi)(void *p, V(h) a) { memcpy(p, &a.l[4], 8); }
static inline void V(h_unzip_bytes4)(V(i) a, V(i) b, V(h) out[4]) {
	for (int k = 0; k < 8; k++) {
		uint32_t px = VEC_U(k < 4 ? a.l[k] : b.l[k - 4]);
		for (int c = 0; c < 4; c++) {
			out[c].l[k] = (uint16_t)(px >> 8 * c & 0xFF);
		}
	}
}
static inline void V(h_zip_bytes4)(const V(h) in[4], V(i) out[2]) {
	for (int k = 0; k < 8; k++) {
		uint32_t b01 = (uint16_t)(in[0].l[k] | in[1].l[k] << 8);
		uint32_t b23 = (uint16_t)(in[2].l[k] | in[3].l[k] << 8);
		out[k / 4].l[k % 4] = (int32_t)(b01 | b23 << 16);
	}
}
static inline void V(h_load_bytes4)(const uint8_t *p, V(h) out[4]) {
	V(h_unzip_bytes4)(V(i_loadu)(p), V(i_loadu)(p + 16), out);
}
static inline void V(h_store_bytes4)(uint8_t *p, const V(h) in[4]) {
	V(i) px[2];
	V(h_zip_bytes4)(in, px);
	memcpy(p, px, sizeof(px));
}
#else
static inline void V(h_load_bytes4)(const uint8_t *p, V(h) out[4]) {
	for (int k = 0; k < 8 * LANES; k++) {
		out[k & 3].l[k / 4] = p[k];
	}
}
static inline void V(h_store_bytes4)(uint8_t *p, const V(h) in[4]) {
	for (int k = 0; k < 8 * LANES; k++) {
		p[k] = (uint8_t)in[k & 3].l[k / 4];
	}
}
static inline V(f) V(f_loadu_part)(const float *p, size_t n) {
	EACH_F((size_t)k < n ? p[k] : 0.0f);
}
static inline V(f) V(f_load_part)(const float *p, size_t n) { return V(f_loadu_part)(p, n); }
static inline void V(f_storeu_part)(float *p, V(f) a, size_t n) {
	memcpy(p, &a, 4 * (n < LANES ? n : LANES));
}
static inline void V(f_store_part)(float *p, V(f) a, size_t n) { V(f_storeu_part)(p, a, n); }
static inline void V(i_store_part)(void *p, V(i) a, size_t n) {
	memcpy(p, &a, 4 * (n < LANES ? n : LANES));
}
static inline void V(i_store_u16_part)(uint16_t *p, V(i) a, size_t n) {
	for (size_t k = 0; k < LANES && k < n; k++) {
		p[k] = (uint16_t)a.l[k];
	}
}
static inline V(i) V(i_first)(size_t n) { EACH_I(-((size_t)k < n)); }
static inline V(f) V(f_load_quads)(const float *p, size_t stride) {
	EACH_F(p[(size_t)k / 4 * stride]);
}
static inline void V(f_gather4)(const float *base, const int32_t *index, V(f) out[4]) {
	for (int k = 0; k < 4 * LANES; k++) {
		out[k & 3].l[k / 4] = base[4 * (ptrdiff_t)index[k / 4] + (k & 3)];
	}
}
static inline void V(f_gather2)(const float *base, const int32_t *index, V(f) out[2]) {
	for (int k = 0; k < 2 * LANES; k++) {
		out[k & 1].l[k / 2] = base[2 * (ptrdiff_t)index[k / 2] + (k & 1)];
	}
}
static inline V(h) V(h_gather_pairs4)(const uint32_t *base, const int32_t *index) {
	EACH_H((uint16_t)((base[index[k / 8 * 8 + k % 8 / 4]] >> 8 * (k & 3) & 255) |
			(base[index[k / 8 * 8 + k % 8 / 4] + 1] >> 8 * (k & 3) & 255) << 8));
}
#endif
