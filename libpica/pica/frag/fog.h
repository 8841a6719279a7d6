/* Private to the room: the fog table in plain C, used by fog and gas. */
#ifndef FRAG_FOG_H
#define FRAG_FOG_H

#include <stdint.h>

#include "pica/frag/effects.h"
#include "pica/regs/regs.h"

enum { FRAG_FOG_ONE = 2047 }; /* 0x7FF is exactly 1 [REC, fidelity: fog] */

/*
 * Returns the factor, 0..FRAG_FOG_ONE, for place 0..1. Interpolation between two entries uses the
 * stored difference, not the next value. [HW, fidelity: fog]
 */
static inline int32_t frag_fog_factor(const struct frag_fog_consts *fog, float place) {
	float x = fog->offset + place * fog->scale;
	x = x > 0.0f ? x : 0.0f; /* NaN, which only dead lanes hold, gives 0 */
	x = x < 128.0f ? x : 128.0f;
	int32_t i = (int32_t)x;
	i = i < FRAG_FOG_ENTRIES - 1 ? i : FRAG_FOG_ENTRIES - 1; /* 128: end of the last entry */
	const float f = x - (float)i;
	const uint32_t word = fog->table[i];
	const int32_t raw = (int32_t)FOG_LUT_DATA_DIFF(word);
	/* 13 bits, two's complement */
	const int32_t difference = raw < 0x1000 ? raw : raw - 0x2000;
	float v = (float)(int32_t)FOG_LUT_DATA_VALUE(word) + (float)difference * f;
	v = v > 0.0f ? v : 0.0f;
	v = v < 2047.0f ? v : 2047.0f;
	return (int32_t)(v + 0.5f);
}

#endif
