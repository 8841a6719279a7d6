/*
 * Fog, in plain C: the truth. [spec/frag-combiner.md 5]
 *
 * The table runs over the fragment's depth as the depth buffer gets it, before it becomes an integer.
 * Between two entries it is the stored difference that counts, not the next value.
 */
#include "frag/kernels.h"

#include "regs/regs.h"

/* Two's complement of 13 bits. */
static int32_t difference(uint32_t word) {
	const int32_t d = (int32_t)FOG_LUT_DATA_DIFF(word);
	return d < 0x1000 ? d : d - 0x2000;
}

/* 0..2047; 2047 keeps the fragment. */
static int32_t factor(const struct frag_fog_consts *fog, float depth) {
	float x = fog->offset + depth * fog->scale;
	x = x > 0.0f ? x : 0.0f; /* NaN, which only dead lanes hold, gives 0 */
	x = x < 128.0f ? x : 128.0f;
	int32_t i = (int32_t)x;
	i = i < FRAG_FOG_ENTRIES - 1 ? i : FRAG_FOG_ENTRIES - 1; /* depth 1: the end of the last one */
	const float f = x - (float)i;
	const uint32_t word = fog->table[i];
	float v = (float)(int32_t)FOG_LUT_DATA_VALUE(word) + (float)difference(word) * f;
	v = v > 0.0f ? v : 0.0f;
	v = v < 2047.0f ? v : 2047.0f;
	return (int32_t)(v + 0.5f);
}

void frag_fog_c(uint16_t *dst, const struct plane_in *rgb, const float *depth,
		const struct frag_fog_consts *fog, unsigned n_lanes) {
	for (unsigned i = 0; i < n_lanes; i++) {
		const int32_t keep = factor(fog, depth[i]);
		for (unsigned k = 0; k < 3; k++) {
			/* Rounded to nearest. [REC, spec/frag-combiner.md 5] */
			const int32_t c = rgb->p[k * rgb->stride + i];
			const int32_t sum = keep * c + (2047 - keep) * fog->color[k];
			dst[k * BATCH + i] = (uint16_t)((sum + 1023) / 2047);
		}
	}
}
