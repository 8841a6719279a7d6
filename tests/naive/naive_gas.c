/* Gas: densities into the accumulation target, and their colour (docs/fidelity.md 1 "Gas"). */
#include "naive_state.h"

#include <math.h>

#include "core/base/f24.h"
#include "pica/regs/regs.h"

/* Format 1.5.10, where exponent 31 is an ordinary number, and exponent 0 is always 0. */
static float from_half(uint32_t half) {
	const int exponent = (int)(half >> 10 & 31);
	if (exponent == 0) {
		return 0.0f;
	}
	const float magnitude = ldexpf(1.0f + (float)(half & 1023) / 1024.0f, exponent - 15);
	return half & 0x8000 ? -magnitude : magnitude;
}

static uint32_t to_half(float value) {
	int exponent;
	if (fabsf(value) >= 81920.0f) {
		return 0x7FFF;
	}
	if (fabsf(value) < ldexpf(1.0f, -14)) {
		return 0;
	}
	const float mantissa = 2.0f * frexpf(fabsf(value), &exponent); /* 1 to 2 */
	const uint32_t half = (uint32_t)(exponent - 1 + 15) << 10 |
			(uint32_t)((mantissa - 1.0f) * 1024.0f);
	return half | (value < 0.0f ? 0x8000 : 0);
}

/* Returns whether the fragment adds its density; stores the share of the second density. */
static bool depth_share(const struct naive *n, uint64_t index, float depth, float *share) {
	static const unsigned bytes[4] = {2, 0, 3, 4};
	const struct naive_draw *d = &n->draw;
	const uint32_t word = n->regs[REG_GAS_DELTAZ_DEPTH];
	const uint32_t func = GAS_DELTAZ_DEPTH_FUNC(word);
	const unsigned size = bytes[d->depth_format], bits = size == 2 ? 16 : 24;
	*share = 1.0f;
	if (func == GAS_DEPTH_NEVER || size == 0) {
		return func != GAS_DEPTH_NEVER;
	}
	const uint32_t addr = d->depth_addr + (uint32_t)(index * size);
	const uint32_t stored = naive_read(n, addr, size < 3 ? size : 3);
	const uint32_t z = naive_depth_to_int(depth, bits);
	const float delta =
			(float)(word & 0xFFFFFF) / 256.0f / (bits == 16 ? 65535.0f : 16777215.0f);
	const float distance = (float)(z > stored ? z - stored : stored - z);
	*share = distance * delta < 1.0f ? distance * delta : 1.0f;
	return func == GAS_DEPTH_ALWAYS || (func == GAS_DEPTH_GREATER ? z >= stored : z <= stored);
}

void naive_gas_fragment(struct naive *n, uint64_t index, float depth, uint8_t red) {
	float share, density = (float)red / 255.0f;
	if (COLORBUFFER_WRITE_MASK(n->regs[REG_COLORBUFFER_WRITE]) == 0) {
		return;
	}
	if (!depth_share(n, index, depth, &share)) {
		density = 0.0f;
	}
	const uint32_t addr = n->draw.color_addr + (uint32_t)(index * 4);
	const uint32_t plain = to_half(from_half(naive_read(n, addr, 2)) + density);
	const uint32_t attenuated =
			to_half(from_half(naive_read(n, addr + 2, 2)) + density * share);
	naive_write(n, addr, plain, 2);
	naive_write(n, addr + 2, attenuated, 2);
	n->stats.written++;
	uint32_t *feedback = &n->regs[REG_GAS_ACCMAX_FEEDBACK];
	if (plain < 0x8000 && plain > (*feedback & 0xFFFF)) {
		*feedback = (*feedback & 0xFFFF0000) | plain;
	}
}

static float unit(float x) {
	return x >= 1.0f ? 1.0f : x > 0.0f ? x : 0.0f;
}

static float share_of(uint32_t byte) {
	return (float)(byte & 255) / 255.0f;
}

static float light(uint32_t word, float incoming, float density) {
	const float left = incoming * (1.0f - share_of(word >> 16) * density);
	return (1.0f - left) * share_of(word) + left * share_of(word >> 8);
}

void naive_gas_color(const struct naive *n, const uint8_t texel[4], uint8_t color[4]) {
	const uint32_t update = n->regs[REG_TEXENV_UPDATE_BUFFER];
	if (TEXENV_UPDATE_BUFFER_FOG_MODE(update) != FOG_MODE_GAS) {
		return;
	}
	const uint32_t view = n->regs[REG_GAS_LIGHT_Z_COLOR];
	const float inverse_max = f16_to_f32(n->regs[REG_GAS_ACCMAX] & 0xFFFF);
	const float plain = unit(from_half(texel[3] | (uint32_t)texel[2] << 8) * inverse_max);
	const float attenuated = unit(from_half(texel[1] | (uint32_t)texel[0] << 8) * inverse_max);
	const float density = update >> 3 & 1 ? attenuated : plain;

	const float intensity = unit(
		light(n->regs[REG_GAS_LIGHT_XY], share_of(color[0]), plain) +
		light(n->regs[REG_GAS_LIGHT_Z], share_of(view), plain));
	const float place = (view >> 8 & 1 ? intensity : density) * 8.0f;
	const unsigned entry = place < 7.0f ? (unsigned)place : 7;
	for (unsigned k = 0; k < 3; k++) {
		const int start = n->tables.gas[8 + entry] >> (8 * k) & 255;
		int slope = n->tables.gas[entry] >> (8 * k) & 255;
		slope = 2 * (slope > 127 ? slope - 256 : slope);
		const float c = (float)start + (float)slope * (place - (float)entry);
		color[k] = c >= 255.0f ? 255 : c > 0.0f ? (uint8_t)(c + 0.5f) : 0;
	}
	const float attenuation = f16_to_f32(n->regs[REG_GAS_ATTENUATION] & 0xFFFF);
	const uint32_t alpha = naive_fog_factor(n, unit(attenuation * density));
	color[3] = (uint8_t)((alpha * 255 + 1023) / 2047);
}

void naive_gas_write(struct naive *n, uint32_t word) {
	const uint32_t index = n->regs[REG_GAS_LUT_INDEX];
	n->tables.gas[index & 15] = word;
	n->regs[REG_GAS_LUT_INDEX] = (index & ~15u) | ((index + 1) & 15);
}
