/* Fragment lighting: registers 08F, 140-1D9, and its tables from plain values. */
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica/emit/emit.h"
#include "pica/regs/regs.h"

enum { LIGHT_ENTRIES = 256, LIGHTS = 8, SPOT_ONE = 2047 };

#define LOOKUPS(X) X(d0, D0) X(d1, D1) X(sp, SP) X(fr, FR) X(rb, RB) X(rg, RG) X(rr, RR)

PICA_EXPORT void pica_lighting_init(struct pica_lighting *l) {
	memset(l, 0, sizeof(*l));
	l->count = 1;
	for (uint8_t i = 0; i < LIGHTS; i++) {
		l->order[i] = i;
	}
#define LOOKUP(field, NAME) \
	l->field.scale = LIGHT_SCALE_X1; \
	l->field.is_signed = true;
	LOOKUPS(LOOKUP)
#undef LOOKUP
	l->sp.input = LIGHT_INPUT_SPOT;
	l->fr.input = LIGHT_INPUT_NV;
}

static bool lookup_is_valid(const struct pica_light_lookup *l) {
	return l->input <= LIGHT_INPUT_CP &&
			(l->scale <= LIGHT_SCALE_X8 ||
			(l->scale >= LIGHT_SCALE_QUARTER && l->scale <= LIGHT_SCALE_HALF));
}

static bool lighting_is_valid(const struct pica_lighting *l) {
	bool ok = l->count - 1 < LIGHTS && (l->layers <= 6 || l->layers == 8) &&
			l->bump <= BUMP_TANGENT && l->bump_unit <= 3 && l->shadow_unit <= 3;
	for (unsigned i = 0; i < LIGHTS; i++) {
		ok = ok && l->order[i] < LIGHTS;
	}
#define LOOKUP(field, NAME) ok = ok && lookup_is_valid(&l->field);
	LOOKUPS(LOOKUP)
#undef LOOKUP
	return ok;
}

/* Colours of lights have blue at the bottom, and ten bits a channel. */
static uint32_t color_word(uint32_t color) {
	return LIGHT_COLOR_R_SET(color & 0xFF) | LIGHT_COLOR_G_SET(color >> 8 & 0xFF) |
			LIGHT_COLOR_B_SET(color >> 16 & 0xFF);
}

static uint32_t config0_word(const struct pica_lighting *l) {
	return LIGHTING_CONFIG0_SHADOW_SET(l->shadow) |
			LIGHTING_CONFIG0_FRESNEL_PRIMARY_SET(l->fresnel_primary) |
			LIGHTING_CONFIG0_FRESNEL_SECONDARY_SET(l->fresnel_secondary) |
			LIGHTING_CONFIG0_LAYERS_SET(l->layers) | LIGHTING_CONFIG0_FOUR_SET(4) |
			LIGHTING_CONFIG0_SHADOW_PRIMARY_SET(l->shadow_primary) |
			LIGHTING_CONFIG0_SHADOW_SECONDARY_SET(l->shadow_secondary) |
			LIGHTING_CONFIG0_SHADOW_INVERT_SET(l->shadow_invert) |
			LIGHTING_CONFIG0_SHADOW_ALPHA_SET(l->shadow_alpha) |
			LIGHTING_CONFIG0_BUMP_UNIT_SET(l->bump_unit) |
			LIGHTING_CONFIG0_SHADOW_UNIT_SET(l->shadow_unit) |
			LIGHTING_CONFIG0_CLAMP_HIGHLIGHTS_SET(l->clamp_highlights) |
			LIGHTING_CONFIG0_BUMP_MODE_SET(l->bump) |
			LIGHTING_CONFIG0_BUMP_KEEP_Z_SET(l->bump_keep_z) |
			LIGHTING_CONFIG0_ONE_SET(1);
}

/* Bits that switch off. */
static uint32_t config1_word(const struct pica_lighting *l) {
	return LIGHTING_CONFIG1_SHADOW_OFF_SET(~(uint32_t)l->shadow_lights) |
			LIGHTING_CONFIG1_SPOT_OFF_SET(~(uint32_t)l->spot_lights) |
			LIGHTING_CONFIG1_D0_OFF_SET(!l->d0.enable) |
			LIGHTING_CONFIG1_D1_OFF_SET(!l->d1.enable) | LIGHTING_CONFIG1_ONE_SET(1) |
			LIGHTING_CONFIG1_FR_OFF_SET(!l->fr.enable) |
			LIGHTING_CONFIG1_RB_OFF_SET(!l->rb.enable) |
			LIGHTING_CONFIG1_RG_OFF_SET(!l->rg.enable) |
			LIGHTING_CONFIG1_RR_OFF_SET(!l->rr.enable) |
			LIGHTING_CONFIG1_DISTANCE_OFF_SET(~(uint32_t)l->distance_lights);
}

static void lookup_words(const struct pica_lighting *l, uint32_t words[3]) {
	words[0] = words[1] = words[2] = 0;
#define LOOKUP(field, NAME) \
	words[0] |= LIGHTING_LUTINPUT_ABS_##NAME##_SIGNED_SET(l->field.is_signed); \
	words[1] |= LIGHTING_LUTINPUT_SELECT_##NAME##_SET(l->field.input); \
	words[2] |= LIGHTING_LUTINPUT_SCALE_##NAME##_SET(l->field.scale);
	LOOKUPS(LOOKUP)
#undef LOOKUP
}

PICA_EXPORT void pica_emit_lighting(struct pica_emit *e, const struct pica_lighting *l) {
	if (!l) {
		pica_emit_reg(e, REG_LIGHTING_ENABLE0, LIGHTING_ENABLE0_ENABLE_SET(0));
		pica_emit_reg(e, REG_LIGHTING_ENABLE1, LIGHTING_ENABLE1_DISABLE_SET(1));
		return;
	}
	if (emit_refuse(e, !lighting_is_valid(l))) {
		return;
	}
	uint32_t order = 0, lookups[3];
	for (unsigned slot = 0; slot < LIGHTS; slot++) {
		order |= (uint32_t)l->order[slot] << 4 * slot;
	}
	lookup_words(l, lookups);
	pica_emit_reg(e, REG_LIGHTING_ENABLE0, LIGHTING_ENABLE0_ENABLE_SET(1));
	pica_emit_reg(e, REG_LIGHTING_ENABLE1, LIGHTING_ENABLE1_DISABLE_SET(0));
	pica_emit_reg(e, REG_LIGHTING_AMBIENT, color_word(l->ambient));
	const uint32_t config[3] = { LIGHTING_NUM_LIGHTS_COUNT_M1_SET(l->count - 1),
		config0_word(l), config1_word(l) };
	pica_emit_burst(e, REG_LIGHTING_NUM_LIGHTS, config, 3);
	pica_emit_burst(e, REG_LIGHTING_LUTINPUT_ABS, lookups, 3);
	pica_emit_reg(e, REG_LIGHTING_LIGHT_PERMUTATION, order);
}

/* ---- One light ---- */

PICA_EXPORT void pica_light_init(struct pica_light *l) {
	memset(l, 0, sizeof(*l));
	l->diffuse = 0xFFFFFFFF;
	l->position[2] = 1.0f;
	l->spot[2] = -1.0f;
	l->is_directional = true;
	l->distance_scale = 1.0f;
}

PICA_EXPORT void pica_light_distance(struct pica_light *l, float near, float far) {
	l->distance_scale = 1.0f / (far - near);
	l->distance_bias = -near / (far - near);
}

static bool fits_f16(float f) {
	return f >= -65504.0f && f <= 65504.0f;
}

/* Below 2^64: the largest finite 20-bit float is slightly less. */
static bool fits_f20(float f) {
	return f > -0x1p64f && f < 0x1p64f;
}

static bool light_is_valid(const struct pica_light *l) {
	bool ok = fits_f20(l->distance_scale) && fits_f20(l->distance_bias);
	for (unsigned k = 0; k < 3; k++) {
		ok = ok && fits_f16(l->position[k]) && l->spot[k] >= -1.0f && l->spot[k] <= 1.0f;
	}
	return ok;
}

/* The registers hold the direction back to the light. [fidelity: lighting-fields] */
static uint32_t spot_field(float component) {
	const float v = -component * SPOT_ONE;
	return (uint32_t)(int32_t)(v < 0.0f ? v - 0.5f : v + 0.5f);
}

PICA_EXPORT void pica_emit_light(struct pica_emit *e, unsigned id, const struct pica_light *l) {
	if (emit_refuse(e, id >= LIGHTS || !light_is_valid(l))) {
		return;
	}
	const uint32_t vectors[] = {
		color_word(l->specular0),
		color_word(l->specular1),
		color_word(l->diffuse),
		color_word(l->ambient),
		LIGHT_XY_X_SET(f32_to_f16(l->position[0])) |
				LIGHT_XY_Y_SET(f32_to_f16(l->position[1])),
		LIGHT_Z_Z_SET(f32_to_f16(l->position[2])),
		LIGHT_SPOTDIR_XY_X_SET(spot_field(l->spot[0])) |
				LIGHT_SPOTDIR_XY_Y_SET(spot_field(l->spot[1])),
		LIGHT_SPOTDIR_Z_Z_SET(spot_field(l->spot[2])),
	};
	const uint32_t config[] = {
		LIGHT_CONFIG_DIRECTIONAL_SET(l->is_directional) |
				LIGHT_CONFIG_TWO_SIDED_SET(l->is_two_sided) |
				LIGHT_CONFIG_GEO0_SET(l->geometric0) |
				LIGHT_CONFIG_GEO1_SET(l->geometric1),
		LIGHT_ATTENUATION_VALUE_SET(f32_to_f20(l->distance_bias)),
		LIGHT_ATTENUATION_VALUE_SET(f32_to_f20(l->distance_scale)),
	};
	pica_emit_burst(e, regs_light[id], vectors, ARRAY_LEN(vectors));
	pica_emit_burst(e, regs_light[id] + (REG_LIGHT0_CONFIG - REG_LIGHT0_SPECULAR0), config,
			ARRAY_LEN(config));
}

/* ---- Tables ---- */

/* NaN gives 0. */
static float limited(float v) {
	v = v > 0.0f ? v : 0.0f;
	return v < 1.0f ? v : 1.0f;
}

PICA_EXPORT void pica_light_lut(uint32_t entries[256], bool is_signed, const float values[257]) {
	for (unsigned i = 0; i < LIGHT_ENTRIES; i++) {
		/* In units of the hardware: 0xFFF is 1, and so is a difference of 0x7FF. */
		const uint32_t value = (uint32_t)(limited(values[i]) * 4095.0f + 0.5f);
		const uint32_t next = (uint32_t)(limited(values[i + 1]) * 4095.0f + 0.5f);
		const bool falls = next < value;
		const float step = (float)(falls ? value - next : next - value) / 4095.0f;
		const unsigned at = is_signed ? (i + LIGHT_ENTRIES / 2) % LIGHT_ENTRIES : i;
		entries[at] = LIGHTING_LUT_DATA_VALUE_SET(value) |
				LIGHTING_LUT_DATA_DIFF_SET((uint32_t)(step * 2047.0f + 0.5f)) |
				LIGHTING_LUT_DATA_DIFF_SIGN_SET(falls);
	}
}

PICA_EXPORT void pica_light_lut_from(uint32_t entries[256], bool is_signed,
		float (*f)(float input, void *arg), void *arg) {
	float values[LIGHT_ENTRIES + 1];
	for (unsigned i = 0; i <= LIGHT_ENTRIES; i++) {
		const float at = (float)i / LIGHT_ENTRIES;
		values[i] = f(is_signed ? 2.0f * at - 1.0f : at, arg);
	}
	pica_light_lut(entries, is_signed, values);
}
