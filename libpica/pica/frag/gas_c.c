/*
 * Gas, in plain C: the truth. It was never measured: the equations are a reading of the registers'
 * names and ranges. [guess, docs/fidelity.md 1 "Gas"; fidelity: gas]
 *
 * A pixel of the accumulation target is two f16: in the lower half of the word plain density, in
 * the upper one density that depth attenuates.
 */
#include "pica/frag/fog.h"
#include "pica/frag/kernels.h"

#include <string.h>

#include "core/base/f24.h"

/* ---- Accumulation ---- */

/*
 * f16 by the only console note about this mode: no subnormals, no infinity; from 7D00 on everything
 * is 7FFF. [DOC, 2014 wiki: changes of a target's halves]
 */
static float density_from_half(uint32_t half) {
	if (!(half & 0x7C00)) {
		return 0.0f;
	}
	return f32_from_bits((half & 0x8000) << 16 | (((half & 0x7FFF) << 13) + (112u << 23)));
}

/* Truncates. */
static uint32_t half_from_density(float density) {
	const uint32_t bits = f32_bits(density), magnitude = bits & 0x7FFFFFFF;
	if (magnitude < f32_bits(0x1p-14f)) {
		return 0;
	}
	if (magnitude >= f32_bits(81920.0f)) {
		return 0x7FFF;
	}
	return bits >> 31 << 15 | (magnitude - (112u << 23)) >> 13;
}

/*
 * The factor of a density by the distance to the depth buffer, 0 to 1; below 0: the fragment adds
 * nothing.
 */
static float depth_factor(const struct frag_gas_target *t, unsigned lane, uint32_t z) {
	if (!t->depth) {
		return t->relation == RELATION_NEVER ? -1.0f : 1.0f;
	}
	uint32_t stored = 0;
	memcpy(&stored, t->depth + ((size_t)t->depth_px[lane / 4] + lane % 4) * t->depth_bytes,
			t->depth_bytes);
	stored &= 0xFFFFFF; /* no stencil */
	const unsigned outcome = z < stored ? RELATION_LESS :
			z == stored ? RELATION_EQUAL : RELATION_GREATER;
	if (!(t->relation & outcome)) {
		return -1.0f;
	}
	const float f = (float)(z < stored ? stored - z : z - stored) * t->delta;
	return f < 1.0f ? f : 1.0f;
}

uint32_t frag_gas_add_c(const struct frag_gas_target *t, const uint32_t *z, const uint16_t *red,
		uint64_t live, unsigned n_quads) {
	uint32_t max = 0;
	for (unsigned i = 0; i < 4 * n_quads; i++) {
		if (!(live >> i & 1)) {
			continue;
		}
		uint8_t *p = t->color + ((size_t)t->color_px[i / 4] + i % 4) * 4;
		const float factor = depth_factor(t, i, z[i]);
		const float density = factor < 0.0f ? 0.0f : (float)red[i] / 255.0f;
		uint32_t word;
		memcpy(&word, p, 4);
		const uint32_t plain =
				half_from_density(density_from_half(word & 0xFFFF) + density);
		const uint32_t attenuated = half_from_density(density_from_half(word >> 16) +
				density * factor);
		word = plain | attenuated << 16;
		memcpy(p, &word, 4);
		if (plain < 0x8000 && plain > max) {
			max = plain;
		}
	}
	return max;
}

/* ---- Shading ---- */

static float clamp1(float x) {
	x = x > 0.0f ? x : 0.0f; /* NaN gives 0 */
	return x < 1.0f ? x : 1.0f;
}

/* The intensity of a light after attenuation by density, between min and max. */
static float intensity(const struct frag_gas_light *l, float light, float density) {
	const float left = light * (1.0f - l->attenuation * density);
	return (1.0f - left) * l->min + left * l->max;
}

static uint16_t table_color(const uint32_t *lut, unsigned i, float f, unsigned channel) {
	const int8_t difference = (int8_t)(lut[i] >> 8 * channel);
	const uint8_t color = (uint8_t)(lut[8 + i] >> 8 * channel);
	/* Differences in steps of 2/255, two's complement, as in the procedural unit. [guess] */
	float c = (float)color + (float)(2 * difference) * f;
	c = c > 0.0f ? c : 0.0f;
	c = c < 255.0f ? c : 255.0f;
	return (uint16_t)(int32_t)(c + 0.5f);
}

void frag_gas_shade_c(uint16_t *dst, const struct plane_in in[2], const struct frag_gas_consts *gas,
		const struct frag_fog_consts *fog, unsigned n_lanes) {
	for (unsigned i = 0; i < n_lanes; i++) {
		const uint16_t *texel = in[1].p + i;
		const size_t stride = in[1].stride;
		/* The word's bytes are A, B, G, R from the lowest. */
		const uint32_t plain = texel[3 * stride] | (uint32_t)texel[2 * stride] << 8;
		const uint32_t attenuated = texel[stride] | (uint32_t)texel[0] << 8;
		const float d1 = clamp1(density_from_half(plain) * gas->inverse_max);
		const float d2 = clamp1(density_from_half(attenuated) * gas->inverse_max);
		const float d = gas->depth_density ? d2 : d1;

		const float planar = intensity(&gas->planar, (float)in[0].p[i] / 255.0f, d1);
		const float view = intensity(&gas->view, gas->effect, d1);
		const float x = (gas->by_light ? clamp1(planar + view) : d) * 8.0f;
		int32_t entry = (int32_t)x;
		entry = entry < 7 ? entry : 7;
		const float f = x - (float)entry;
		for (unsigned k = 0; k < 3; k++) {
			dst[k * BATCH + i] = table_color(gas->lut, (unsigned)entry, f, k);
		}
		const int32_t alpha = frag_fog_factor(fog, clamp1(gas->attenuation * d));
		dst[3 * BATCH + i] = (uint16_t)((255 * alpha + FRAG_FOG_ONE / 2) / FRAG_FOG_ONE);
	}
}
