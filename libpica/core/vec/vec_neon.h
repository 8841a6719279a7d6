/* The words of vec.h on AArch64 NEON: 4 x 32, 8 x 16, 16 x 8 bits, one quad. */
#ifndef VEC_VEC_NEON_H
#define VEC_VEC_NEON_H

#include <arm_neon.h>
#include <stddef.h>

#define VF_LANES 4

#define V(word) vq##word
#include "core/vec/vec_neon_words.h"
#define V(word) v##word
#include "core/vec/vec_neon_words.h"

/* Quads only. */
static inline vqi vqi_bswap(vqi a) {
	return vreinterpretq_s32_u8(vrev32q_u8(vreinterpretq_u8_s32(a)));
}
static inline vqi vqi_pair_lo(vqi a, vqi b) {
	return vcombine_s32(vget_low_s32(a), vget_low_s32(b));
}
static inline vqi vqi_pair_hi(vqi a, vqi b) {
	return vcombine_s32(vget_high_s32(a), vget_high_s32(b));
}
static inline vqi vqi_zip_lo(vqi a, vqi b) { return vzip1q_s32(a, b); }
static inline vqh vqh_widen_lo_u(vqb a) { return vmovl_u8(vget_low_u8(a)); }
static inline vqh vqh_widen_hi_u(vqb a) { return vmovl_high_u8(a); }
/* Table indices of 16 and above give 0. */
static inline vqi vqi_load_px3(const void *p) {
	static const uint8_t from[16] = { 0, 1, 2, 16, 3, 4, 5, 16, 6, 7, 8, 16, 9, 10, 11, 16 };
	uint8_t bytes[16] = { 0 };
	memcpy(bytes, p, 12);
	return vreinterpretq_s32_u8(vqtbl1q_u8(vld1q_u8(bytes), vld1q_u8(from)));
}
static inline void vqi_store_px3(void *p, vqi a) {
	static const uint8_t from[16] = { 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 16, 16, 16 };
	uint8_t bytes[16];
	vst1q_u8(bytes, vqtbl1q_u8(vreinterpretq_u8_s32(a), vld1q_u8(from)));
	memcpy(p, bytes, 12);
}
static inline void vqi_store_u16(void *p, vqi a) {
	vst1_u8(p, vreinterpret_u8_s16(vmovn_s32(a)));
}
static inline vqh vqh_load_halves(const void *p0, const void *p1) {
	return vreinterpretq_u16_u8(vcombine_u8(vld1_u8(p0), vld1_u8(p1)));
}
static inline void vqh_store_lo(void *p, vqh a) {
	vst1_u8(p, vreinterpret_u8_u16(vget_low_u16(a)));
}
static inline void vqh_store_hi(void *p, vqh a) {
	vst1_u8(p, vreinterpret_u8_u16(vget_high_u16(a)));
}
static inline void vqh_unzip_bytes4(vqi a, vqi b, vqh out[4]) { vqh_unzip4(a, b, out); }
static inline void vqh_zip_bytes4(const vqh in[4], vqi out[2]) {
	const vqh b01 = vorrq_u16(in[0], vshlq_n_u16(in[1], 8));
	const vqh b23 = vorrq_u16(in[2], vshlq_n_u16(in[3], 8));
	out[0] = vreinterpretq_s32_u16(vzip1q_u16(b01, b23));
	out[1] = vreinterpretq_s32_u16(vzip2q_u16(b01, b23));
}
static inline void vqh_load_bytes4(const uint8_t *p, vqh out[4]) {
	vqh_unzip4(vqi_loadu(p), vqi_loadu(p + 16), out);
}
static inline void vqh_store_bytes4(uint8_t *p, const vqh in[4]) {
	vqi px[2];
	vqh_zip_bytes4(in, px);
	vqi_storeu(p, px[0]);
	vqi_storeu(p + 16, px[1]);
}

static inline void vh_load_bytes4(const uint8_t *p, vh out[4]) { vqh_load_bytes4(p, out); }
static inline void vh_store_bytes4(uint8_t *p, const vh in[4]) { vqh_store_bytes4(p, in); }
/* Wide vectors only. n is a multiple of 4, so all lanes are valid. */
static inline vf vf_loadu_part(const float *p, size_t n) { return vld1q_f32(p); }
static inline vf vf_load_part(const float *p, size_t n) { return vld1q_f32(p); }
static inline void vf_storeu_part(float *p, vf a, size_t n) { vst1q_f32(p, a); }
static inline void vf_store_part(float *p, vf a, size_t n) { vst1q_f32(p, a); }
static inline void vi_store_part(void *p, vi a, size_t n) { vi_storeu(p, a); }
static inline void vi_store_u16_part(uint16_t *p, vi a, size_t n) { vqi_store_u16(p, a); }
static inline vi vi_first(size_t n) { return vdupq_n_s32(-1); }
static inline vf vf_load_quads(const float *p, size_t stride) { return vdupq_n_f32(*p); }
static inline void vf_gather4(const float *base, const int32_t *index, vf out[4]) {
#define VEC_ROW(k) vld1q_f32(base + 4 * (ptrdiff_t)index[k])
	vf_transpose4(VEC_ROW(0), VEC_ROW(1), VEC_ROW(2), VEC_ROW(3), out);
#undef VEC_ROW
}
static inline void vf_gather2(const float *base, const int32_t *index, vf out[2]) {
#define VEC_PAIR(k) vld1_f32(base + 2 * (ptrdiff_t)index[k])
	const vf ab = vcombine_f32(VEC_PAIR(0), VEC_PAIR(1));
	const vf cd = vcombine_f32(VEC_PAIR(2), VEC_PAIR(3));
#undef VEC_PAIR
	out[0] = vuzp1q_f32(ab, cd);
	out[1] = vuzp2q_f32(ab, cd);
}
static inline vh vh_gather_pairs4(const uint32_t *base, const int32_t *index) {
	static const uint8_t from[16] = { 0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15 };
	const uint32x4_t words = vcombine_u32(vld1_u32(base + index[0]), vld1_u32(base + index[1]));
	return vreinterpretq_u16_u8(vqtbl1q_u8(vreinterpretq_u8_u32(words), vld1q_u8(from)));
}

#endif
