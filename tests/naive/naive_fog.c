/* Fog after the combiner (fidelity: fog; docs/fidelity.md 1 "Fog"). */
#include "naive_state.h"

#include "core/base/attributes.h"
#include "pica/regs/regs.h"

void naive_fog_write(struct naive *n, uint32_t word) {
	const uint32_t index = n->regs[REG_FOG_LUT_INDEX];
	n->tables.fog[index % ARRAY_LEN(n->tables.fog)] = word;
	n->regs[REG_FOG_LUT_INDEX] = (index & ~127u) | ((index + 1) & 127u);
}

uint32_t naive_fog_factor(const struct naive *n, float depth) {
	const bool flip = TEXENV_UPDATE_BUFFER_FOG_FLIP(n->regs[REG_TEXENV_UPDATE_BUFFER]);
	const float x = (flip ? 1.0f - depth : depth) * 128.0f;
	unsigned entry = 0;
	while (entry < 127 && (float)(entry + 1) <= x) {
		entry++;
	}
	const uint32_t word = n->tables.fog[entry];
	const int32_t value = word >> 13 & 0x7FF;
	int32_t slope = word & 0x1FFF;
	if (slope >= 0x1000) {
		slope -= 0x2000;
	}
	const float v = (float)value + (float)slope * (x - (float)entry);
	return v <= 0.0f ? 0 : v >= 2047.0f ? 2047 : (uint32_t)(v + 0.5f);
}

void naive_fog(const struct naive *n, float depth, uint8_t color[4]) {
	if (TEXENV_UPDATE_BUFFER_FOG_MODE(n->regs[REG_TEXENV_UPDATE_BUFFER]) != FOG_MODE_FOG) {
		return;
	}
	const uint32_t keep = naive_fog_factor(n, depth);
	const uint32_t fog = n->regs[REG_FOG_COLOR];
	for (unsigned k = 0; k < 3; k++) {
		const uint32_t f = fog >> (8 * k) & 255;
		color[k] = (uint8_t)((keep * color[k] + (2047 - keep) * f + 1023) / 2047);
	}
}
