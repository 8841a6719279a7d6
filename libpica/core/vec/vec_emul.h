/*
 * The words of vec.h in plain C, four lanes wide: runs the vector sources where no header fits the
 * CPU, under sanitizers, and in tests on every architecture. Slow and obvious.
 */
#ifndef VEC_VEC_EMUL_H
#define VEC_VEC_EMUL_H

#include <math.h>
#include <stddef.h>

#define VEC_NAME emul
#define VF_LANES 4
#define VH_LANES 8
#define VB_LANES 16

typedef struct { float l[VF_LANES]; } vf;
typedef struct { int32_t l[VF_LANES]; } vi;
typedef struct { uint16_t l[VH_LANES]; } vh;
typedef struct { uint8_t l[VB_LANES]; } vb;

#define VEC_EACH(type, n, expr) \
	type r; \
	for (int k = 0; k < (n); k++) { \
		r.l[k] = (expr); \
	} \
	return r

static inline float vec_emul_float(int32_t bits) {
	float f;
	memcpy(&f, &bits, sizeof(f));
	return f;
}
static inline int32_t vec_emul_bits(float f) {
	int32_t bits;
	memcpy(&bits, &f, sizeof(bits));
	return bits;
}
static inline int vec_emul_s16(uint16_t x) { return x >= 0x8000 ? (int)x - 0x10000 : (int)x; }
static inline int vec_emul_clamp(int x, int lo, int hi) { return x < lo ? lo : x > hi ? hi : x; }

static inline vf vf_set1(float x) { VEC_EACH(vf, VF_LANES, x); }
static inline vf vf_zero(void) { return vf_set1(0.0f); }
static inline vf vf_loadu(const float *p) { vf r; memcpy(&r, p, sizeof(r)); return r; }
static inline vf vf_load(const float *p) { return vf_loadu(p); }
static inline void vf_storeu(float *p, vf a) { memcpy(p, &a, sizeof(a)); }
static inline void vf_store(float *p, vf a) { vf_storeu(p, a); }
static inline vf vf_add(vf a, vf b) { VEC_EACH(vf, VF_LANES, a.l[k] + b.l[k]); }
static inline vf vf_sub(vf a, vf b) { VEC_EACH(vf, VF_LANES, a.l[k] - b.l[k]); }
static inline vf vf_mul(vf a, vf b) { VEC_EACH(vf, VF_LANES, a.l[k] * b.l[k]); }
static inline vf vf_div(vf a, vf b) { VEC_EACH(vf, VF_LANES, a.l[k] / b.l[k]); }
static inline vf vf_sqrt(vf a) { VEC_EACH(vf, VF_LANES, sqrtf(a.l[k])); }
static inline vf vf_min(vf a, vf b) { VEC_EACH(vf, VF_LANES, a.l[k] < b.l[k] ? a.l[k] : b.l[k]); }
static inline vf vf_max(vf a, vf b) { VEC_EACH(vf, VF_LANES, a.l[k] > b.l[k] ? a.l[k] : b.l[k]); }
#define VEC_BITOP(op) vec_emul_float(vec_emul_bits(a.l[k]) op vec_emul_bits(b.l[k]))
static inline vf vf_and(vf a, vf b) { VEC_EACH(vf, VF_LANES, VEC_BITOP(&)); }
static inline vf vf_or(vf a, vf b) { VEC_EACH(vf, VF_LANES, VEC_BITOP(|)); }
static inline vf vf_xor(vf a, vf b) { VEC_EACH(vf, VF_LANES, VEC_BITOP(^)); }
static inline vf vf_andnot(vf a, vf b) {
	VEC_EACH(vf, VF_LANES, vec_emul_float(~vec_emul_bits(a.l[k]) & vec_emul_bits(b.l[k])));
}
static inline vf vf_abs(vf a) {
	VEC_EACH(vf, VF_LANES, vec_emul_float(vec_emul_bits(a.l[k]) & 0x7FFFFFFF));
}
static inline vf vf_neg(vf a) {
	VEC_EACH(vf, VF_LANES, vec_emul_float(vec_emul_bits(a.l[k]) ^ INT32_MIN));
}
static inline vf vf_floor(vf a) { VEC_EACH(vf, VF_LANES, floorf(a.l[k])); }
static inline vf vf_trunc(vf a) { VEC_EACH(vf, VF_LANES, truncf(a.l[k])); }
static inline vi vf_lt(vf a, vf b) { VEC_EACH(vi, VF_LANES, -(a.l[k] < b.l[k])); }
static inline vi vf_le(vf a, vf b) { VEC_EACH(vi, VF_LANES, -(a.l[k] <= b.l[k])); }
static inline vi vf_gt(vf a, vf b) { VEC_EACH(vi, VF_LANES, -(a.l[k] > b.l[k])); }
static inline vi vf_ge(vf a, vf b) { VEC_EACH(vi, VF_LANES, -(a.l[k] >= b.l[k])); }
static inline vi vf_eq(vf a, vf b) { VEC_EACH(vi, VF_LANES, -(a.l[k] == b.l[k])); }
static inline vi vf_neq(vf a, vf b) { VEC_EACH(vi, VF_LANES, -(a.l[k] != b.l[k])); }
static inline vf vf_select(vi m, vf a, vf b) { VEC_EACH(vf, VF_LANES, m.l[k] ? a.l[k] : b.l[k]); }
static inline vi vi_as_vf_bits(vf a) { VEC_EACH(vi, VF_LANES, vec_emul_bits(a.l[k])); }
static inline vf vf_as_vi_bits(vi a) { VEC_EACH(vf, VF_LANES, vec_emul_float(a.l[k])); }
static inline vi vi_from_vf_trunc(vf a) {
	/* Lanes out of range are the caller's bug on dead lanes at most: give SSE's answer. */
	VEC_EACH(vi, VF_LANES, a.l[k] >= -2147483648.0f && a.l[k] < 2147483648.0f ?
					(int32_t)a.l[k] : INT32_MIN);
}
static inline vf vf_from_vi(vi a) { VEC_EACH(vf, VF_LANES, (float)a.l[k]); }
static inline unsigned vf_movemask(vf a) {
	unsigned m = 0;
	for (int k = 0; k < VF_LANES; k++) {
		m |= (uint32_t)vec_emul_bits(a.l[k]) >> 31 << k;
	}
	return m;
}

static inline vi vi_set1(int32_t x) { VEC_EACH(vi, VF_LANES, x); }
static inline vi vi_zero(void) { return vi_set1(0); }
static inline vi vi_loadu(const void *p) { vi r; memcpy(&r, p, sizeof(r)); return r; }
static inline vi vi_load(const void *p) { return vi_loadu(p); }
static inline void vi_storeu(void *p, vi a) { memcpy(p, &a, sizeof(a)); }
static inline void vi_store(void *p, vi a) { vi_storeu(p, a); }
#define VEC_U(x) ((uint32_t)(x))
static inline vi vi_add(vi a, vi b) {
	VEC_EACH(vi, VF_LANES, (int32_t)(VEC_U(a.l[k]) + VEC_U(b.l[k])));
}
static inline vi vi_sub(vi a, vi b) {
	VEC_EACH(vi, VF_LANES, (int32_t)(VEC_U(a.l[k]) - VEC_U(b.l[k])));
}
static inline vi vi_mul(vi a, vi b) {
	VEC_EACH(vi, VF_LANES, (int32_t)(VEC_U(a.l[k]) * VEC_U(b.l[k])));
}
static inline vi vi_and(vi a, vi b) { VEC_EACH(vi, VF_LANES, a.l[k] & b.l[k]); }
static inline vi vi_or(vi a, vi b) { VEC_EACH(vi, VF_LANES, a.l[k] | b.l[k]); }
static inline vi vi_xor(vi a, vi b) { VEC_EACH(vi, VF_LANES, a.l[k] ^ b.l[k]); }
static inline vi vi_andnot(vi a, vi b) { VEC_EACH(vi, VF_LANES, ~a.l[k] & b.l[k]); }
static inline vi vi_sll(vi a, int n) { VEC_EACH(vi, VF_LANES, (int32_t)(VEC_U(a.l[k]) << n)); }
static inline vi vi_srl(vi a, int n) { VEC_EACH(vi, VF_LANES, (int32_t)(VEC_U(a.l[k]) >> n)); }
static inline vi vi_sra(vi a, int n) { VEC_EACH(vi, VF_LANES, a.l[k] >> n); }
static inline vi vi_eq(vi a, vi b) { VEC_EACH(vi, VF_LANES, -(a.l[k] == b.l[k])); }
static inline vi vi_gt(vi a, vi b) { VEC_EACH(vi, VF_LANES, -(a.l[k] > b.l[k])); }
static inline vi vi_min(vi a, vi b) { VEC_EACH(vi, VF_LANES, a.l[k] < b.l[k] ? a.l[k] : b.l[k]); }
static inline vi vi_max(vi a, vi b) { VEC_EACH(vi, VF_LANES, a.l[k] > b.l[k] ? a.l[k] : b.l[k]); }
static inline vi vi_select(vi m, vi a, vi b) { VEC_EACH(vi, VF_LANES, m.l[k] ? a.l[k] : b.l[k]); }
static inline unsigned vi_movemask(vi a) {
	unsigned m = 0;
	for (int k = 0; k < VF_LANES; k++) {
		m |= VEC_U(a.l[k]) >> 31 << k;
	}
	return m;
}
static inline vi vi_mask_from_bits(unsigned bits) {
	VEC_EACH(vi, VF_LANES, -(int32_t)(bits >> k & 1));
}
static inline vi vi_iota(void) { VEC_EACH(vi, VF_LANES, k); }

static inline vh vh_set1(int x) { VEC_EACH(vh, VH_LANES, (uint16_t)x); }
static inline vh vh_zero(void) { return vh_set1(0); }
static inline vh vh_loadu(const void *p) { vh r; memcpy(&r, p, sizeof(r)); return r; }
static inline vh vh_load(const void *p) { return vh_loadu(p); }
static inline void vh_storeu(void *p, vh a) { memcpy(p, &a, sizeof(a)); }
static inline void vh_store(void *p, vh a) { vh_storeu(p, a); }
static inline vh vh_add(vh a, vh b) { VEC_EACH(vh, VH_LANES, (uint16_t)(a.l[k] + b.l[k])); }
static inline vh vh_sub(vh a, vh b) { VEC_EACH(vh, VH_LANES, (uint16_t)(a.l[k] - b.l[k])); }
static inline vh vh_adds_u(vh a, vh b) {
	VEC_EACH(vh, VH_LANES, (uint16_t)vec_emul_clamp(a.l[k] + b.l[k], 0, 0xFFFF));
}
static inline vh vh_subs_u(vh a, vh b) {
	VEC_EACH(vh, VH_LANES, (uint16_t)vec_emul_clamp(a.l[k] - b.l[k], 0, 0xFFFF));
}
static inline vh vh_mul(vh a, vh b) { VEC_EACH(vh, VH_LANES, (uint16_t)(VEC_U(a.l[k]) * b.l[k])); }
static inline vh vh_mulhi_u(vh a, vh b) {
	VEC_EACH(vh, VH_LANES, (uint16_t)(VEC_U(a.l[k]) * b.l[k] >> 16));
}
static inline vh vh_and(vh a, vh b) { VEC_EACH(vh, VH_LANES, a.l[k] & b.l[k]); }
static inline vh vh_or(vh a, vh b) { VEC_EACH(vh, VH_LANES, a.l[k] | b.l[k]); }
static inline vh vh_xor(vh a, vh b) { VEC_EACH(vh, VH_LANES, a.l[k] ^ b.l[k]); }
static inline vh vh_andnot(vh a, vh b) { VEC_EACH(vh, VH_LANES, (uint16_t)(~a.l[k] & b.l[k])); }
static inline vh vh_sll(vh a, int n) { VEC_EACH(vh, VH_LANES, (uint16_t)(VEC_U(a.l[k]) << n)); }
static inline vh vh_srl(vh a, int n) { VEC_EACH(vh, VH_LANES, (uint16_t)(a.l[k] >> n)); }
static inline vh vh_sra(vh a, int n) {
	VEC_EACH(vh, VH_LANES, (uint16_t)(vec_emul_s16(a.l[k]) >> n));
}
static inline vh vh_eq(vh a, vh b) { VEC_EACH(vh, VH_LANES, a.l[k] == b.l[k] ? 0xFFFF : 0); }
#define VEC_S(x) vec_emul_s16(x)
static inline vh vh_gt_s(vh a, vh b) {
	VEC_EACH(vh, VH_LANES, VEC_S(a.l[k]) > VEC_S(b.l[k]) ? 0xFFFF : 0);
}
static inline vh vh_min_u(vh a, vh b) { VEC_EACH(vh, VH_LANES, a.l[k] < b.l[k] ? a.l[k] : b.l[k]); }
static inline vh vh_max_u(vh a, vh b) { VEC_EACH(vh, VH_LANES, a.l[k] > b.l[k] ? a.l[k] : b.l[k]); }
static inline vh vh_min_s(vh a, vh b) {
	VEC_EACH(vh, VH_LANES, VEC_S(a.l[k]) < VEC_S(b.l[k]) ? a.l[k] : b.l[k]);
}
static inline vh vh_max_s(vh a, vh b) {
	VEC_EACH(vh, VH_LANES, VEC_S(a.l[k]) > VEC_S(b.l[k]) ? a.l[k] : b.l[k]);
}
static inline vh vh_select(vh m, vh a, vh b) { VEC_EACH(vh, VH_LANES, m.l[k] ? a.l[k] : b.l[k]); }
static inline vh vh_mask_from_bits(unsigned bits) {
	VEC_EACH(vh, VH_LANES, bits >> k & 1 ? 0xFFFF : 0);
}
static inline unsigned vh_movemask(vh a) {
	unsigned m = 0;
	for (int k = 0; k < VH_LANES; k++) {
		m |= (unsigned)(a.l[k] >> 15) << k;
	}
	return m;
}

static inline vh vh_pack_u(vi a, vi b) {
	VEC_EACH(vh, VH_LANES,
			(uint16_t)vec_emul_clamp(
					k < VF_LANES ? a.l[k % VF_LANES] : b.l[k % VF_LANES], 0,
					0xFFFF));
}
static inline vh vh_pack_s(vi a, vi b) {
	VEC_EACH(vh, VH_LANES,
			(uint16_t)vec_emul_clamp(
					k < VF_LANES ? a.l[k % VF_LANES] : b.l[k % VF_LANES],
					-0x8000, 0x7FFF));
}
static inline vi vi_widen_lo_u(vh a) { VEC_EACH(vi, VF_LANES, a.l[k]); }
static inline vi vi_widen_hi_u(vh a) { VEC_EACH(vi, VF_LANES, a.l[k + VF_LANES]); }
static inline vi vi_widen_lo_s(vh a) { VEC_EACH(vi, VF_LANES, VEC_S(a.l[k])); }
static inline vi vi_widen_hi_s(vh a) { VEC_EACH(vi, VF_LANES, VEC_S(a.l[k + VF_LANES])); }
static inline vi vi_madd_s(vh a, vh b) {
	VEC_EACH(vi, VF_LANES, (int32_t)(VEC_U(VEC_S(a.l[2 * k]) * VEC_S(b.l[2 * k])) +
					VEC_U(VEC_S(a.l[2 * k + 1]) * VEC_S(b.l[2 * k + 1]))));
}
static inline vh vh_zip_lo(vh a, vh b) { VEC_EACH(vh, VH_LANES, k & 1 ? b.l[k / 2] : a.l[k / 2]); }
static inline vh vh_zip_hi(vh a, vh b) {
	VEC_EACH(vh, VH_LANES, k & 1 ? b.l[VF_LANES + k / 2] : a.l[VF_LANES + k / 2]);
}

static inline vb vb_loadu(const void *p) { vb r; memcpy(&r, p, sizeof(r)); return r; }
static inline void vb_storeu(void *p, vb a) { memcpy(p, &a, sizeof(a)); }
static inline vb vb_pack_u(vh a, vh b) {
	VEC_EACH(vb, VB_LANES,
			(uint8_t)vec_emul_clamp(
					VEC_S(k < VH_LANES ? a.l[k % VH_LANES] : b.l[k % VH_LANES]),
					0, 255));
}
static inline vb vb_pack_s(vh a, vh b) {
	VEC_EACH(vb, VB_LANES,
			(uint8_t)vec_emul_clamp(
					VEC_S(k < VH_LANES ? a.l[k % VH_LANES] : b.l[k % VH_LANES]),
					-128, 127));
}
static inline uint64_t vb_movemask(vb a) {
	uint64_t m = 0;
	for (int k = 0; k < VB_LANES; k++) {
		m |= (uint64_t)(a.l[k] >> 7) << k;
	}
	return m;
}
static inline vh vh_widen_lo_u(vb a) { VEC_EACH(vh, VH_LANES, a.l[k]); }
static inline vh vh_widen_hi_u(vb a) { VEC_EACH(vh, VH_LANES, a.l[k + VH_LANES]); }

static inline void vh_load_bytes4(const uint8_t *p, vh out[4]) {
	for (int k = 0; k < 4 * VH_LANES; k++) {
		out[k & 3].l[k / 4] = p[k];
	}
}
static inline void vh_store_bytes4(uint8_t *p, const vh in[4]) {
	for (int k = 0; k < 4 * VH_LANES; k++) {
		p[k] = (uint8_t)in[k & 3].l[k / 4];
	}
}

static inline vi vi_load_words(const uint8_t *p, const uint32_t off[VF_LANES], unsigned n) {
	vi r = vi_zero();
	for (int k = 0; k < VF_LANES; k++) {
		memcpy(&r.l[k], p + off[k], n);
	}
	return r;
}
static inline void vf_load_rows(const uint8_t *p, const uint32_t off[VF_LANES], unsigned n,
		vf out[4]) {
	for (int k = 0; k < VF_LANES; k++) {
		for (unsigned c = 0; c < n; c++) {
			memcpy(&out[c].l[k], p + off[k] + 4 * c, 4);
		}
	}
}
static inline void vf_store_rows4(void *p, size_t stride_bytes, const vf in[4], unsigned n) {
	for (unsigned k = 0; k < VF_LANES && k < n; k++) {
		for (int c = 0; c < 4; c++) {
			memcpy((uint8_t *)p + k * stride_bytes + 4 * c, &in[c].l[k], 4);
		}
	}
}

static inline vh vh_load_halves(const void *p0, const void *p1) {
	vh r;
	memcpy(&r.l[0], p0, VH_LANES);
	memcpy(&r.l[VH_LANES / 2], p1, VH_LANES);
	return r;
}
static inline void vh_store_lo(void *p, vh a) { memcpy(p, &a.l[0], VH_LANES); }
static inline void vh_store_hi(void *p, vh a) { memcpy(p, &a.l[VH_LANES / 2], VH_LANES); }
static inline vi vec_emul_load_px(const uint8_t *p, unsigned n) {
	vi r = vi_zero();
	for (unsigned k = 0; k < VF_LANES; k++) {
		memcpy(&r.l[k], p + k * n, n);
	}
	return r;
}
static inline void vec_emul_store_px(uint8_t *p, vi a, unsigned n) {
	for (unsigned k = 0; k < VF_LANES; k++) {
		memcpy(p + k * n, &a.l[k], n);
	}
}
static inline vi vi_load_px2(const void *p) { return vec_emul_load_px(p, 2); }
static inline void vi_store_px2(void *p, vi a) { vec_emul_store_px(p, a, 2); }
static inline vi vi_load_px3(const void *p) { return vec_emul_load_px(p, 3); }
static inline void vi_store_px3(void *p, vi a) { vec_emul_store_px(p, a, 3); }
static inline void vh_unzip_bytes4(vi a, vi b, vh out[4]) {
	for (int k = 0; k < VH_LANES; k++) {
		uint32_t px = VEC_U(k < VF_LANES ? a.l[k] : b.l[k - VF_LANES]);
		for (int c = 0; c < 4; c++) {
			out[c].l[k] = (uint16_t)(px >> 8 * c & 0xFF);
		}
	}
}
static inline void vh_zip_bytes4(const vh in[4], vi out[2]) {
	for (int k = 0; k < VH_LANES; k++) {
		uint32_t b01 = (uint16_t)(in[0].l[k] | in[1].l[k] << 8);
		uint32_t b23 = (uint16_t)(in[2].l[k] | in[3].l[k] << 8);
		out[k / VF_LANES].l[k % VF_LANES] = (int32_t)(b01 | b23 << 16);
	}
}

static inline void vh_gather_bytes4(const uint32_t *base, const int32_t *index, vh out[4]) {
	for (int k = 0; k < 4 * VH_LANES; k++) {
		out[k & 3].l[k / 4] = (uint16_t)(base[index[k / 4]] >> 8 * (k & 3) & 255);
	}
}
static inline vi vi_bswap(vi a) {
	VEC_EACH(vi, VF_LANES, (int32_t)(VEC_U(a.l[k]) >> 24 | (VEC_U(a.l[k]) >> 8 & 0xFF00) |
					(VEC_U(a.l[k]) << 8 & 0xFF0000) | VEC_U(a.l[k]) << 24));
}

static inline void vf_gather4(const float *base, const int32_t *index, vf out[4]) {
	for (int k = 0; k < 4 * VF_LANES; k++) {
		out[k & 3].l[k / 4] = base[4 * (ptrdiff_t)index[k / 4] + (k & 3)];
	}
}
static inline void vf_gather2(const float *base, const int32_t *index, vf out[2]) {
	for (int k = 0; k < 2 * VF_LANES; k++) {
		out[k & 1].l[k / 2] = base[2 * (ptrdiff_t)index[k / 2] + (k & 1)];
	}
}
static inline vi vi_pair_lo(vi a, vi b) { VEC_EACH(vi, VF_LANES, k < 2 ? a.l[k] : b.l[k - 2]); }
static inline vi vi_pair_hi(vi a, vi b) { VEC_EACH(vi, VF_LANES, k < 2 ? a.l[k + 2] : b.l[k]); }

static inline vh vh_gather_pairs4(const uint32_t *base, const int32_t *index) {
	VEC_EACH(vh, VH_LANES, (uint16_t)((base[index[k / 4]] >> 8 * (k & 3) & 255) |
					(base[index[k / 4] + 1] >> 8 * (k & 3) & 255) << 8));
}
static inline int vec_emul_s8(int x) { return (x & 255) >= 128 ? (x & 255) - 256 : x & 255; }
static inline vh vh_madd_bytes_us(vh a, vh b) {
	VEC_EACH(vh, VH_LANES, (uint16_t)vec_emul_clamp((a.l[k] & 255) * vec_emul_s8(b.l[k]) +
					(a.l[k] >> 8) * vec_emul_s8(b.l[k] >> 8), -0x8000, 0x7FFF));
}
static inline vh vh_spread4(vh a, int i) {
	VEC_EACH(vh, VH_LANES, a.l[i * (VH_LANES / 4) + k / 4]);
}
static inline vh vh_spread_pairs4(vh a, int i) {
	VEC_EACH(vh, VH_LANES, a.l[2 * (i * (VF_LANES / 4) + k / 8) + (k & 1)]);
}
static inline vh vh_zip_upper(vi a, vi b) {
	VEC_EACH(vh, VH_LANES, (uint16_t)(VEC_U(k & 1 ? b.l[k / 2] : a.l[k / 2]) >> 16));
}
static inline void vh_transpose_pairs4(const vh in[4], vh out[4]) {
	for (int k = 0; k < 4 * VH_LANES; k++) {
		int i = k / VH_LANES, lane = k % VH_LANES, j = lane / 2 % 4;
		out[j].l[lane / 8 * 8 + 2 * i + (lane & 1)] = in[i].l[lane];
	}
}

#endif
