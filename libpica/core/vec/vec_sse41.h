/* The words of vec.h on SSE4.1: 4 x 32, 8 x 16, 16 x 8 bits, one quad. */
#ifndef VEC_VEC_SSE41_H
#define VEC_VEC_SSE41_H

#include "core/vec/vec_x86.h"

#define VF_LANES 4

#define V(word) v##word
#include "core/vec/vec_sse41_words.h"

static inline void vh_load_bytes4(const uint8_t *p, vh out[4]) { vqh_load_bytes4(p, out); }
static inline void vh_store_bytes4(uint8_t *p, const vh in[4]) { vqh_store_bytes4(p, in); }
/* n is a multiple of 4, so all lanes are valid. */
static inline vf vf_loadu_part(const float *p, size_t n) { return _mm_loadu_ps(p); }
static inline vf vf_load_part(const float *p, size_t n) { return _mm_load_ps(p); }
static inline void vf_storeu_part(float *p, vf a, size_t n) { _mm_storeu_ps(p, a); }
static inline void vf_store_part(float *p, vf a, size_t n) { _mm_store_ps(p, a); }
static inline void vi_store_part(void *p, vi a, size_t n) { _mm_store_si128((__m128i *)p, a); }
static inline void vi_store_u16_part(uint16_t *p, vi a, size_t n) { vqi_store_u16(p, a); }
static inline vi vi_first(size_t n) { return _mm_set1_epi32(-1); }
static inline vf vf_load_quads(const float *p, size_t stride) { return _mm_set1_ps(*p); }

#endif
