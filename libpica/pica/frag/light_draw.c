/* Fragment lighting: from registers to inputs of kernels. */
#include "pica/frag/light.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "core/base/fixed.h"
#include "pica/regs/regs.h"

/* ---- Tables that a state reads [fidelity: lighting-disable, lighting-tables] ---- */

/* Tables that all lights share, in the order of registers 1D0 to 1D2; and SP. */
enum shared { D0, D1, SP, FR, RB, RG, RR, N_SHARED };

static const uint8_t table_number[N_SHARED] = {
	[D0] = LIGHT_TABLE_D0, [D1] = LIGHT_TABLE_D1, [SP] = LIGHT_TABLE_SP, [FR] = LIGHT_TABLE_FR,
	[RB] = LIGHT_TABLE_RB, [RG] = LIGHT_TABLE_RG, [RR] = LIGHT_TABLE_RR,
};

/* Tables of layer configurations 0 to 6 and 8: bit 1 << enum shared. */
static unsigned tables_of_layers(unsigned layers) {
	static const uint8_t tables[] = {
		1 << D0 | 1 << RR | 1 << SP,
		1 << FR | 1 << RR | 1 << SP,
		1 << D0 | 1 << D1 | 1 << RR,
		1 << D0 | 1 << D1 | 1 << FR,
		1 << D0 | 1 << D1 | 1 << RR | 1 << RG | 1 << RB | 1 << SP,
		1 << D0 | 1 << FR | 1 << RR | 1 << RG | 1 << RB | 1 << SP,
		1 << D0 | 1 << D1 | 1 << FR | 1 << RR | 1 << SP,
	};
	if (layers == 8) {
		return (1 << N_SHARED) - 1;
	}
	/* 7 and 9 to 15 as 6. [guess, after the rules of fidelity: lighting's [1]] */
	return tables[layers < ARRAY_LEN(tables) ? layers : 6];
}

static unsigned enabled_tables(const uint32_t *regs) {
	const uint32_t off = regs[REG_LIGHTING_CONFIG1];
	unsigned on = tables_of_layers(LIGHTING_CONFIG0_LAYERS(regs[REG_LIGHTING_CONFIG0]));
	on &= ~(unsigned)(LIGHTING_CONFIG1_D0_OFF(off) << D0 | LIGHTING_CONFIG1_D1_OFF(off) << D1);
	on &= ~(unsigned)(LIGHTING_CONFIG1_FR_OFF(off) << FR | LIGHTING_CONFIG1_RR_OFF(off) << RR);
	on &= ~(unsigned)(LIGHTING_CONFIG1_RG_OFF(off) << RG | LIGHTING_CONFIG1_RB_OFF(off) << RB);
	return on;
}

static struct light_lookup lookup_from_regs(const uint32_t *regs, enum shared t) {
	/* 4 and 5 are undefined. [1, fidelity: light-lookup] */
	static const float scales[8] = { 1, 2, 4, 8, 0, 0, 0.25f, 0.5f };
	const unsigned input = regs[REG_LIGHTING_LUTINPUT_SELECT] >> 4 * t & 7;
	const bool has_phi = LIGHTING_CONFIG0_LAYERS(regs[REG_LIGHTING_CONFIG0]) == 8;
	struct light_lookup l = {
		.scale = scales[regs[REG_LIGHTING_LUTINPUT_SCALE] >> 4 * t & 7],
		.table = table_number[t],
		.input = (uint8_t)(input > LIGHT_CP ? LIGHT_ZERO : input),
		.is_signed = regs[REG_LIGHTING_LUTINPUT_ABS] >> (4 * t + 1) & 1,
	};
	if (input == LIGHT_CP && !has_phi) {
		l.input = LIGHT_ZERO; /* [HW, fidelity: light-lookup] */
	}
	return l;
}

static const struct light_lookup no_lookup = { .table = LIGHT_NO_TABLE };

static struct light_lookup shared_lookup(const uint32_t *regs, unsigned on, enum shared t) {
	return on >> t & 1 ? lookup_from_regs(regs, t) : no_lookup;
}

/* Register of the light in a slot; regs_light[id]. */
static unsigned light_in_slot(const uint32_t *regs, unsigned slot) {
	return regs[REG_LIGHTING_LIGHT_PERMUTATION] >> 4 * slot & 7;
}

static unsigned count_slots(const uint32_t *regs) {
	return LIGHTING_NUM_LIGHTS_COUNT_M1(regs[REG_LIGHTING_NUM_LIGHTS]) + 1;
}

#define LIGHT_REG(regs, id, name)                                                                  \
	((regs)[regs_light[id] + REG_LIGHT0_##name - REG_LIGHT0_SPECULAR0])

/* ---- Key ---- */

/* Colours that the table dims. */
static unsigned reach(enum shared t) {
	return t == FR ? LIGHT_ALPHAS : t == SP ? LIGHT_PRIMARY | LIGHT_SECONDARY : LIGHT_SECONDARY;
}

static bool sees_view(unsigned input, bool positional) {
	return input == LIGHT_NH || input == LIGHT_VH || input == LIGHT_NV || input == LIGHT_CP ||
			(positional && (input == LIGHT_LN || input == LIGHT_SPOT));
}

void light_key_from_regs(struct light_key *key, const uint32_t *regs) {
	const uint32_t config = regs[REG_LIGHTING_CONFIG0];
	memset(key, 0, sizeof(*key));
	/* 1C6 alone decides. [1, fidelity: lighting-fields] */
	key->on = !LIGHTING_ENABLE1_DISABLE(regs[REG_LIGHTING_ENABLE1]);
	if (!key->on) {
		return;
	}
	unsigned on = enabled_tables(regs), alphas = 0;
	alphas |= LIGHTING_CONFIG0_FRESNEL_PRIMARY(config) ? LIGHT_PRIMARY_ALPHA : 0;
	alphas |= LIGHTING_CONFIG0_FRESNEL_SECONDARY(config) ? LIGHT_SECONDARY_ALPHA : 0;

	unsigned shadow = 0;
	if (LIGHTING_CONFIG0_SHADOW(config)) {
		shadow |= LIGHTING_CONFIG0_SHADOW_PRIMARY(config) ? LIGHT_PRIMARY : 0;
		shadow |= LIGHTING_CONFIG0_SHADOW_SECONDARY(config) ? LIGHT_SECONDARY : 0;
		shadow |= LIGHTING_CONFIG0_SHADOW_ALPHA(config) ? alphas : 0;
	}
	if (shadow) {
		key->shadow = (uint8_t)shadow;
		key->shadow_unit = (uint8_t)LIGHTING_CONFIG0_SHADOW_UNIT(config);
	}
	key->alpha = (uint8_t)((on >> FR & 1 ? alphas : 0) | (shadow & LIGHT_ALPHAS));

	bool positional = false, tangent = false, spots = false;
	for (unsigned k = 0; k < count_slots(regs); k++) {
		const unsigned id = light_in_slot(regs, k);
		const uint32_t light = LIGHT_REG(regs, id, CONFIG);
		spots = spots || !(LIGHTING_CONFIG1_SPOT_OFF(regs[REG_LIGHTING_CONFIG1]) >> id & 1);
		positional = positional || !LIGHT_CONFIG_DIRECTIONAL(light);
		if (LIGHT_CONFIG_GEO0(light) || LIGHT_CONFIG_GEO1(light)) {
			key->view |= LIGHT_SECONDARY;
		}
	}
	if (positional) {
		key->view |= LIGHT_PRIMARY | LIGHT_SECONDARY;
	}
	on &= spots ? ~0u : ~(1u << SP);
	for (unsigned t = 0; t < N_SHARED; t++) {
		const struct light_lookup l = shared_lookup(regs, on, (enum shared)t);
		if (l.table != LIGHT_NO_TABLE) {
			tangent = tangent || l.input == LIGHT_CP;
			key->view |= (uint8_t)(sees_view(l.input, positional) ?
							reach((enum shared)t) :
							0);
		}
	}
	const uint32_t bump = LIGHTING_CONFIG0_BUMP_MODE(config);
	if (bump == BUMP_NORMAL || (bump == BUMP_TANGENT && tangent)) {
		key->bump = bump == BUMP_NORMAL ? LIGHT_BUMP_NORMAL : LIGHT_BUMP_TANGENT;
		key->bump_unit = (uint8_t)LIGHTING_CONFIG0_BUMP_UNIT(config);
	}
}

/* ---- Draw ---- */

void light_table_decode(struct light_entry out[LIGHT_ENTRIES], const uint32_t raw[LIGHT_ENTRIES]) {
	for (unsigned i = 0; i < LIGHT_ENTRIES; i++) {
		/*
		 * The difference is sign and magnitude. [1, checked on hardware; fidelity:
		 * lighting-tables]
		 */
		const float diff = (float)LIGHTING_LUT_DATA_DIFF(raw[i]) / 2047.0f;
		out[i].value = (float)LIGHTING_LUT_DATA_VALUE(raw[i]) / 4095.0f;
		out[i].difference = LIGHTING_LUT_DATA_DIFF_SIGN(raw[i]) ? -diff : diff;
	}
}

/* Ten bits over 255. [REC, fidelity: lighting-fields] */
static void color_from_reg(float out[3], uint32_t word) {
	out[0] = (float)LIGHT_COLOR_R(word) / 255.0f;
	out[1] = (float)LIGHT_COLOR_G(word) / 255.0f;
	out[2] = (float)LIGHT_COLOR_B(word) / 255.0f;
}

static bool is_black(const float c[3]) {
	return c[0] == 0.0f && c[1] == 0.0f && c[2] == 0.0f;
}

static void vectors_from_regs(struct light_source *s, const uint32_t *regs, unsigned id) {
	const uint32_t xy = LIGHT_REG(regs, id, XY), spot_xy = LIGHT_REG(regs, id, SPOTDIR_XY);
	const uint32_t spot_z = LIGHT_REG(regs, id, SPOTDIR_Z);
	float *p = s->position;
	p[0] = f16_to_f32(LIGHT_XY_X(xy));
	p[1] = f16_to_f32(LIGHT_XY_Y(xy));
	p[2] = f16_to_f32(LIGHT_Z_Z(LIGHT_REG(regs, id, Z)));
	if (s->flags & LIGHT_DIRECTIONAL) {
		/* As the kernel does for a position; the same for all fragments. */
		const float n2 = (p[0] * p[0] + p[1] * p[1]) + p[2] * p[2];
		const bool has_direction = n2 > 0.0f && n2 <= FLT_MAX;
		s->length = sqrtf(n2);
		for (unsigned k = 0; k < 3; k++) {
			p[k] = has_direction ? p[k] * (1.0f / s->length) : 0.0f;
		}
	}
	/* 11 fractional bits, but a full scale of 2047. [REC, fidelity: light-lookup] */
	s->spot[0] = (float)sign_extend((uint32_t)LIGHT_SPOTDIR_XY_X(spot_xy), 13) / 2047.0f;
	s->spot[1] = (float)sign_extend((uint32_t)LIGHT_SPOTDIR_XY_Y(spot_xy), 13) / 2047.0f;
	s->spot[2] = (float)sign_extend((uint32_t)LIGHT_SPOTDIR_Z_Z(spot_z), 13) / 2047.0f;
	s->distance_scale =
			f20_to_f32(LIGHT_ATTENUATION_VALUE(LIGHT_REG(regs, id, ATTENUATION_SCALE)));
	s->distance_bias =
			f20_to_f32(LIGHT_ATTENUATION_VALUE(LIGHT_REG(regs, id, ATTENUATION_BIAS)));
}

static void use(struct light_draw *l, struct light_source *s, const struct light_lookup *how) {
	if (how->table != LIGHT_NO_TABLE) {
		l->tables |= 1u << how->table;
		s->inputs |= (uint8_t)(1u << how->input);
	}
}

static void source_from_regs(
		struct light_draw *l, unsigned slot, const uint32_t *regs, unsigned on) {
	struct light_source *s = &l->source[slot];
	const unsigned id = light_in_slot(regs, slot);
	const uint32_t config = LIGHT_REG(regs, id, CONFIG), config0 = regs[REG_LIGHTING_CONFIG0];
	const uint32_t off = regs[REG_LIGHTING_CONFIG1];

	color_from_reg(s->specular0, LIGHT_REG(regs, id, SPECULAR0));
	color_from_reg(s->specular1, LIGHT_REG(regs, id, SPECULAR1));
	color_from_reg(s->diffuse, LIGHT_REG(regs, id, DIFFUSE));
	color_from_reg(s->ambient, LIGHT_REG(regs, id, AMBIENT));
	s->number = (uint8_t)id;
	s->flags |= LIGHT_CONFIG_DIRECTIONAL(config) ? LIGHT_DIRECTIONAL : 0;
	s->flags |= LIGHT_CONFIG_TWO_SIDED(config) ? LIGHT_TWO_SIDED : 0;
	vectors_from_regs(s, regs, id);

	if (l->outputs & LIGHT_PRIMARY && !(is_black(s->diffuse) && is_black(s->ambient))) {
		s->flags |= LIGHT_ADDS_PRIMARY;
	}
	if (l->outputs & LIGHT_SECONDARY && !(is_black(s->specular0) && is_black(s->specular1))) {
		s->flags |= LIGHT_ADDS_SECONDARY;
	}
	s->spot_factor = s->distance_factor = no_lookup;
	if (s->flags & (LIGHT_ADDS_PRIMARY | LIGHT_ADDS_SECONDARY)) {
		if (on >> SP & 1 && !(LIGHTING_CONFIG1_SPOT_OFF(off) >> id & 1)) {
			s->spot_factor = lookup_from_regs(regs, SP);
			s->spot_factor.table = (uint8_t)(LIGHT_TABLE_SP + id);
			use(l, s, &s->spot_factor);
		}
		if (!(LIGHTING_CONFIG1_DISTANCE_OFF(off) >> id & 1)) {
			s->distance_factor = (struct light_lookup){ .scale = 1,
					.table = (uint8_t)(LIGHT_TABLE_DA + id) };
			l->tables |= 1u << s->distance_factor.table;
		}
	}
	if (s->flags & LIGHT_ADDS_SECONDARY) {
		if (!is_black(s->specular0)) {
			s->flags |= LIGHT_SPECULAR0 |
					(LIGHT_CONFIG_GEO0(config) ? LIGHT_GEOMETRIC0 : 0);
			use(l, s, &l->d0);
		}
		if (!is_black(s->specular1)) {
			s->flags |= LIGHT_SPECULAR1 |
					(LIGHT_CONFIG_GEO1(config) ? LIGHT_GEOMETRIC1 : 0);
			use(l, s, &l->d1);
			for (unsigned c = 0; c < 3; c++) {
				use(l, s, &l->reflection[c]);
			}
		}
	}
	if (l->shadow && !(LIGHTING_CONFIG1_SHADOW_OFF(off) >> id & 1)) {
		s->flags |= LIGHTING_CONFIG0_SHADOW_PRIMARY(config0) ? LIGHT_SHADE_PRIMARY : 0;
		s->flags |= LIGHTING_CONFIG0_SHADOW_SECONDARY(config0) ? LIGHT_SHADE_SECONDARY : 0;
	}
	/* Only the light in the last slot. [HW, fidelity: fresnel] */
	if (slot == l->n_sources - 1u && l->fresnel_alpha) {
		use(l, s, &l->fresnel);
	}
	if (s->inputs & (1 << LIGHT_NH | 1 << LIGHT_VH | 1 << LIGHT_CP) ||
			s->flags & (LIGHT_GEOMETRIC0 | LIGHT_GEOMETRIC1)) {
		s->flags |= LIGHT_HALF;
	}
	l->view = l->view || s->flags & LIGHT_HALF || s->inputs >> LIGHT_NV & 1;
	l->surface |= s->inputs >> LIGHT_CP & 1 ? LIGHT_TANGENT : 0;
}

static bool is_plain(const struct light_draw *l) {
	const struct light_source *s = &l->source[0];
	const unsigned any = LIGHT_DIRECTIONAL | LIGHT_TWO_SIDED | LIGHT_HALF;
	return l->n_sources == 1 && l->outputs == (LIGHT_PRIMARY | LIGHT_SECONDARY) && !l->clamp &&
			(s->flags & ~any) == (LIGHT_ADDS_PRIMARY | LIGHT_ADDS_SECONDARY |
							     LIGHT_SPECULAR0) &&
			s->spot_factor.table == LIGHT_NO_TABLE &&
			s->distance_factor.table == LIGHT_NO_TABLE &&
			l->d0.table != LIGHT_NO_TABLE && !l->d0.is_signed;
}

void light_draw_from_regs(struct light_draw *l, const uint32_t *regs, unsigned outputs) {
	const uint32_t config = regs[REG_LIGHTING_CONFIG0];
	const unsigned on = enabled_tables(regs);
	struct light_key key;
	light_key_from_regs(&key, regs);
	memset(l, 0, sizeof(*l));
	l->outputs = (uint8_t)outputs;
	l->n_sources = (uint8_t)count_slots(regs);
	color_from_reg(l->ambient, regs[REG_LIGHTING_AMBIENT]);
	l->d0 = shared_lookup(regs, on, D0);
	l->d1 = shared_lookup(regs, on, D1);
	l->fresnel = shared_lookup(regs, on, FR);
	l->reflection[0] = shared_lookup(regs, on, RR);
	l->reflection[1] = shared_lookup(regs, on, on >> RG & 1 ? RG : RR);
	l->reflection[2] = shared_lookup(regs, on, on >> RB & 1 ? RB : RR);
	l->clamp = LIGHTING_CONFIG0_CLAMP_HIGHLIGHTS(config);
	l->shadow = key.shadow & outputs;
	l->shadow_inverted = LIGHTING_CONFIG0_SHADOW_INVERT(config);
	l->shadow_alpha = key.shadow & outputs & LIGHT_ALPHAS;
	if (on >> FR & 1) {
		l->fresnel_alpha |=
				LIGHTING_CONFIG0_FRESNEL_PRIMARY(config) ? LIGHT_PRIMARY_ALPHA : 0;
		l->fresnel_alpha |= LIGHTING_CONFIG0_FRESNEL_SECONDARY(config) ?
				LIGHT_SECONDARY_ALPHA :
				0;
		l->fresnel_alpha &= (uint8_t)outputs;
	}
	l->surface |= key.bump == LIGHT_BUMP_NORMAL ? LIGHT_NORMAL_MAP : 0;
	l->surface |= key.bump == LIGHT_BUMP_TANGENT ? LIGHT_TANGENT_MAP : 0;
	l->surface |= LIGHTING_CONFIG0_BUMP_KEEP_Z(config) ? LIGHT_KEEP_Z : 0;
	for (unsigned k = 0; k < l->n_sources; k++) {
		source_from_regs(l, k, regs, on);
	}
	l->is_plain = is_plain(l);
}
