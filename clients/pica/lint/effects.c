/* Checks of a draw: lighting, fog, gas, the procedural texture, shadow maps, and their tables. */
#include "common/effects.h"
#include "fields.h"
#include "lint.h"

enum {
	UNITS = 3,
	PROCEDURAL = 3, /* its number among the units */
	LIGHTS = 8,
	F16_EXPONENT = 0x7C, /* in its upper byte */
	PROCTEX_FUNCTIONS = 10,
	LIGHT_REGS = PICA_REG_LIGHT1_SPECULAR0 - PICA_REG_LIGHT0_SPECULAR0,
};

/* ---- Uploaded tables ---- */

/* A capture may begin with tables: nonempty ones count as uploaded. */
static void know_tables(struct lint *l) {
	if (l->tables.is_known || pica_ctx_save_state(l->ctx, l->state) < 0) {
		return;
	}
	const struct pica_tables *t = &l->state->tables;
	l->tables.is_known = true;
	for (unsigned i = 0; i < ARRAY_LEN(t->light); i++) {
		l->tables.light |= (uint32_t)!snapshot_is_empty(t->light[i], 256) << i;
	}
	for (unsigned i = 0; i < ARRAY_LEN(t->proctex); i++) {
		l->tables.proctex |= (uint32_t)!snapshot_is_empty(t->proctex[i], 256) << i;
	}
	l->tables.has_fog |= !snapshot_is_empty(t->fog, ARRAY_LEN(t->fog));
	l->tables.has_gas |= !snapshot_is_empty(t->gas, ARRAY_LEN(t->gas));
}

void lint_effects_write(struct lint *l, const struct pica_list_write *w) {
	const uint32_t *regs = l->step.walk.regs;
	if (w->id >= PICA_REG_LIGHTING_LUT_DATA0 && w->id <= PICA_REG_LIGHTING_LUT_DATA7) {
		const uint32_t index = regs[PICA_REG_LIGHTING_LUT_INDEX];
		l->tables.light |= 1u << get_LIGHTING_LUT_INDEX_TABLE(index);
	} else if (w->id >= PICA_REG_PROCTEX_LUT_DATA0 && w->id <= PICA_REG_PROCTEX_LUT_DATA7) {
		l->tables.proctex |= 1u << get_PROCTEX_LUT_TABLE(regs[PICA_REG_PROCTEX_LUT]);
	} else if (w->id >= PICA_REG_FOG_LUT_DATA0 && w->id <= PICA_REG_FOG_LUT_DATA7) {
		l->tables.has_fog = true;
	} else if (w->id == PICA_REG_GAS_LUT_DATA) {
		l->tables.has_gas = true;
	}
}

/* ---- Lighting ---- */

struct lights {
	uint32_t tables;    /* bit n: table n is read */
	uint32_t ids;       /* bit n: light n is lit */
	uint32_t layers;
};

/* Returns the tables that lighting reads. */
static struct lights lights_of(const uint32_t *regs) {
	static const struct {
		unsigned table;
		uint32_t off; /* bit of LIGHTING_CONFIG1 */
	} switched[] = { { PICA_LIGHT_TABLE_D0, 1u << 16 }, { PICA_LIGHT_TABLE_D1, 1u << 17 },
		{ PICA_LIGHT_TABLE_FR, 1u << 19 }, { PICA_LIGHT_TABLE_RB, 1u << 20 },
		{ PICA_LIGHT_TABLE_RG, 1u << 21 }, { PICA_LIGHT_TABLE_RR, 1u << 22 } };
	const uint32_t config = regs[PICA_REG_LIGHTING_CONFIG0],
		       off = regs[PICA_REG_LIGHTING_CONFIG1];
	struct lights x = { .layers = get_LIGHTING_CONFIG0_LAYERS(config) };
	const uint32_t has = effects_layer_tables(x.layers);
	for (unsigned i = 0; i < ARRAY_LEN(switched); i++) {
		if ((has >> switched[i].table & 1) && !(off & switched[i].off)) {
			x.tables |= 1u << switched[i].table;
		}
	}
	if (!get_LIGHTING_CONFIG0_FRESNEL_PRIMARY(config) &&
			!get_LIGHTING_CONFIG0_FRESNEL_SECONDARY(config)) {
		x.tables &= ~(1u << PICA_LIGHT_TABLE_FR);
	}
	const uint32_t slots = get_LIGHTING_NUM_LIGHTS_COUNT_M1(regs[PICA_REG_LIGHTING_NUM_LIGHTS]);
	for (unsigned slot = 0; slot <= slots; slot++) {
		const uint32_t id = regs[PICA_REG_LIGHTING_LIGHT_PERMUTATION] >> 4 * slot & 7;
		x.ids |= 1u << id;
		if ((has >> PICA_LIGHT_TABLE_SP & 1) && !(off >> (8 + id) & 1)) {
			x.tables |= 1u << (PICA_LIGHT_TABLE_SP + id);
		}
		if (!(off >> (24 + id) & 1)) {
			x.tables |= 1u << (PICA_LIGHT_TABLE_DA + id);
		}
	}
	return x;
}

/* Inputs and scales of the tables that are read. */
static void check_lookups(struct lint *l, const uint32_t *regs, const struct lights *x) {
	static const struct {
		unsigned shift;
		uint32_t tables;
		const char *name;
	} fields[] = { { 0, 1u << PICA_LIGHT_TABLE_D0, "D0" }, { 4, 1u << PICA_LIGHT_TABLE_D1, "D1" },
		{ 8, 0xFFu << PICA_LIGHT_TABLE_SP, "SP" }, { 12, 1u << PICA_LIGHT_TABLE_FR, "FR" },
		{ 16, 1u << PICA_LIGHT_TABLE_RB, "RB" }, { 20, 1u << PICA_LIGHT_TABLE_RG, "RG" },
		{ 24, 1u << PICA_LIGHT_TABLE_RR, "RR" } };
	const uint32_t inputs = regs[PICA_REG_LIGHTING_LUTINPUT_SELECT],
		       scales = regs[PICA_REG_LIGHTING_LUTINPUT_SCALE];
	for (unsigned i = 0; i < ARRAY_LEN(fields); i++) {
		if (!(x->tables & fields[i].tables)) {
			continue;
		}
		const uint32_t input = inputs >> fields[i].shift & 7,
			       scale = scales >> fields[i].shift & 7;
		if (input > PICA_LIGHT_INPUT_CP ||
				(input == PICA_LIGHT_INPUT_CP && x->layers != 8)) {
			lint_report(l, LINT_LIGHT_INPUT, PICA_REG_LIGHTING_LUTINPUT_SELECT, inputs,
					"%s has input %u with layer configuration %u",
					fields[i].name, input, x->layers);
		}
		if (scale == 4 || scale == 5) {
			lint_report(l, LINT_LIGHT_SCALE, PICA_REG_LIGHTING_LUTINPUT_SCALE, scales,
					"%s has scale %u", fields[i].name, scale);
		}
	}
}

/* Checks the textures for bumps and shadows. */
static void check_maps(struct lint *l, const uint32_t *regs) {
	const uint32_t config = regs[PICA_REG_LIGHTING_CONFIG0],
		       units = regs[PICA_REG_TEXUNIT_CONFIG];
	const uint32_t mode = get_LIGHTING_CONFIG0_BUMP_MODE(config);
	const uint32_t on = (units & 7) | (uint32_t)get_TEXUNIT_CONFIG_ENABLE3(units) << PROCEDURAL;
	const uint32_t bump = get_LIGHTING_CONFIG0_BUMP_UNIT(config),
		       shadow = get_LIGHTING_CONFIG0_SHADOW_UNIT(config);
	if (mode == PICA_BUMP_TANGENT + 1) {
		lint_report(l, LINT_LIGHT_BUMP, PICA_REG_LIGHTING_CONFIG0, config, "mode %u", mode);
	} else if (mode != PICA_BUMP_NONE && !(on >> bump & 1)) {
		lint_report(l, LINT_LIGHT_MAP, PICA_REG_LIGHTING_CONFIG0, config,
				"bumps of unit %u, which is off", bump);
	}
	if (get_LIGHTING_CONFIG0_SHADOW(config) && !(on >> shadow & 1)) {
		lint_report(l, LINT_LIGHT_MAP, PICA_REG_LIGHTING_CONFIG0, config,
				"shadows of unit %u, which is off", shadow);
	}
}

/* Checks the vertex outputs that lighting needs. */
static void check_light_outputs(struct lint *l, const uint32_t *regs, const struct lights *x) {
	const uint32_t mapped = facts_mapped_outputs(regs);
	const uint32_t quaternion = 0xFu << PICA_SEMANTIC_QUATERNION_X,
		       view = 7u << PICA_SEMANTIC_VIEW_X;
	bool needs_view = false;
	for (unsigned id = 0; id < LIGHTS; id++) {
		const uint32_t base = PICA_REG_LIGHT0_SPECULAR0 + 16 * id;
		const uint32_t kind = regs[PICA_REG_LIGHT0_CONFIG + 16 * id];
		/* A directional light without highlights does not need the view vector. */
		needs_view |= (x->ids >> id & 1) && (!get_LIGHT_CONFIG_DIRECTIONAL(kind) ||
				regs[base] || regs[base + 1]);
	}
	if ((mapped & quaternion) != quaternion) {
		lint_reg(l, LINT_LIGHT_OUTPUTS, regs, PICA_REG_SH_OUTMAP_O0, "no quaternion");
	} else if (needs_view && (mapped & view) != view) {
		lint_reg(l, LINT_LIGHT_OUTPUTS, regs, PICA_REG_SH_OUTMAP_O0, "no view vector");
	}
}

static void check_lighting(struct lint *l, const uint32_t *regs) {
	const bool on0 = get_LIGHTING_ENABLE0_ENABLE(regs[PICA_REG_LIGHTING_ENABLE0]),
		   on1 = !get_LIGHTING_ENABLE1_DISABLE(regs[PICA_REG_LIGHTING_ENABLE1]);
	if (lint_reads_source(l, PICA_TEV_SOURCE_FRAGMENT_PRIMARY) ||
			lint_reads_source(l, PICA_TEV_SOURCE_FRAGMENT_SECONDARY)) {
		if (on0 != on1) {
			lint_reg(l, LINT_LIGHT_ENABLE, regs, PICA_REG_LIGHTING_ENABLE0,
					"LIGHTING_ENABLE1 is 0x%X",
					regs[PICA_REG_LIGHTING_ENABLE1]);
		}
	}
	if (!on0 || !l->reads.has_light) {
		return;
	}
	const uint32_t config = regs[PICA_REG_LIGHTING_CONFIG0];
	const struct lights x = lights_of(regs);
	if (!effects_layer_tables(x.layers)) {
		lint_report(l, LINT_LIGHT_LAYERS, PICA_REG_LIGHTING_CONFIG0, config,
				"configuration %u", x.layers);
	}
	check_lookups(l, regs, &x);
	know_tables(l);
	for (unsigned table = 0; table < 32; table++) {
		if ((x.tables & ~l->tables.light) >> table & 1) {
			lint_reg(l, LINT_LIGHT_TABLE, regs, PICA_REG_LIGHTING_CONFIG1, "%s",
					field_text("LIGHT_TABLE", table));
			break;
		}
	}
	check_maps(l, regs);
	check_light_outputs(l, regs, &x);
	for (unsigned slot = 0; slot < effects_light_count(regs); slot++) {
		struct effects_light light;
		effects_light(regs, slot, &light);
		const uint32_t at = LIGHT_REGS * light.number;
		lint_finite(l, LINT_EFFECT_NAN, regs, PICA_REG_LIGHT0_XY + at);
		lint_finite(l, LINT_EFFECT_NAN, regs, PICA_REG_LIGHT0_Z + at);
		if (light.has_distance) {
			lint_finite(l, LINT_EFFECT_NAN, regs,
					PICA_REG_LIGHT0_ATTENUATION_BIAS + at);
			lint_finite(l, LINT_EFFECT_NAN, regs,
					PICA_REG_LIGHT0_ATTENUATION_SCALE + at);
		}
	}
}

/* ---- Fog and gas ---- */

static void check_fog(struct lint *l, const uint32_t *regs) {
	const uint32_t word = regs[PICA_REG_TEXENV_UPDATE_BUFFER],
		       mode = get_TEXENV_UPDATE_BUFFER_FOG_MODE(word);
	const uint32_t operation = get_COLOR_OPERATION_MODE(regs[PICA_REG_COLOR_OPERATION]);
	const bool is_seen = operation == PICA_FRAGMENT_MODE_NORMAL && facts_writes_color(regs);
	if (is_seen && mode != PICA_FOG_MODE_OFF) {
		know_tables(l);
	}
	switch (is_seen ? mode : (uint32_t)PICA_FOG_MODE_OFF) {
	case PICA_FOG_MODE_OFF:
		break;
	case PICA_FOG_MODE_GAS:
		lint_finite(l, LINT_EFFECT_NAN, regs, PICA_REG_GAS_ATTENUATION);
		lint_finite(l, LINT_EFFECT_NAN, regs, PICA_REG_GAS_ACCMAX);
		if (!l->tables.has_gas) {
			lint_report(l, LINT_GAS_TABLE, PICA_REG_TEXENV_UPDATE_BUFFER, word,
					"GAS_LUT_DATA was not written");
		}
		break;
	case PICA_FOG_MODE_FOG:
		if (!l->tables.has_fog) {
			lint_report(l, LINT_FOG_TABLE, PICA_REG_TEXENV_UPDATE_BUFFER, word,
					"FOG_LUT_DATA was not written");
		}
		break;
	default:
		lint_report(l, LINT_FOG_MODE, PICA_REG_TEXENV_UPDATE_BUFFER, word, "mode %u", mode);
		break;
	}
	const uint32_t color = regs[PICA_REG_COLORBUFFER_FORMAT];
	const bool is_rgba8 = get_COLORBUFFER_FORMAT_FORMAT(color) == PICA_COLOR_FORMAT_RGBA8;
	if (operation == PICA_FRAGMENT_MODE_SHADOW) {
		lint_finite(l, LINT_EFFECT_NAN, regs, PICA_REG_FRAGOP_SHADOW);
	}
	if ((operation == PICA_FRAGMENT_MODE_GAS || operation == PICA_FRAGMENT_MODE_SHADOW) &&
			!is_rgba8) {
		lint_report(l, LINT_EFFECT_TARGET, PICA_REG_COLORBUFFER_FORMAT, color,
				"%s for %s",
				field_text("COLOR_FORMAT", get_COLORBUFFER_FORMAT_FORMAT(color)),
				operation == PICA_FRAGMENT_MODE_GAS ? "gas" : "a shadow map");
	}
}

/* ---- Procedural texture ---- */

static void check_proctex(struct lint *l, const uint32_t *regs) {
	const uint32_t word = regs[PICA_REG_TEXUNIT3_PROCTEX0],
		       table = regs[PICA_REG_TEXUNIT3_PROCTEX4];
	const bool has_alpha = get_PROCTEX0_SEPARATE_ALPHA(word);
	/* A separate alpha leaves the colour's map and table unread.  [fidelity: proctex-fields] */
	const bool reads_alpha = has_alpha && (l->reads.alpha >> PICA_TEV_SOURCE_TEXTURE3 & 1);
	const bool reads_color = !has_alpha || (l->reads.color >> PICA_TEV_SOURCE_TEXTURE3 & 1);
	if (get_PROCTEX0_U_CLAMP(word) > PICA_PROCTEX_CLAMP_PULSE ||
			get_PROCTEX0_V_CLAMP(word) > PICA_PROCTEX_CLAMP_PULSE ||
			get_PROCTEX0_U_SHIFT(word) == 3 || get_PROCTEX0_V_SHIFT(word) == 3 ||
			(reads_color && get_PROCTEX0_RGB_MAP(word) >= PROCTEX_FUNCTIONS) ||
			(reads_alpha && get_PROCTEX0_ALPHA_MAP(word) >= PROCTEX_FUNCTIONS)) {
		lint_report(l, LINT_PROCTEX_VALUE, PICA_REG_TEXUNIT3_PROCTEX0, word,
				"clamp %u %u, shift %u %u, function %u %u",
				get_PROCTEX0_U_CLAMP(word), get_PROCTEX0_V_CLAMP(word),
				get_PROCTEX0_U_SHIFT(word), get_PROCTEX0_V_SHIFT(word),
				get_PROCTEX0_RGB_MAP(word), get_PROCTEX0_ALPHA_MAP(word));
	}
	for (uint32_t reg = PICA_REG_TEXUNIT3_PROCTEX1;
			get_PROCTEX0_NOISE(word) && reg <= PICA_REG_TEXUNIT3_PROCTEX3; reg++) {
		lint_finite(l, LINT_EFFECT_NAN, regs, reg);
	}
	/* The bias of the level, an f16 of two registers: its upper byte has the exponent. */
	if (reads_color && get_PROCTEX4_FILTER(table) >= PICA_PROCTEX_FILTER_NEAREST_MIP_NEAREST &&
			(get_PROCTEX4_BIAS_HIGH(table) & F16_EXPONENT) == F16_EXPONENT) {
		lint_report(l, LINT_EFFECT_NAN, PICA_REG_TEXUNIT3_PROCTEX4, table,
				"bias of the level");
	}
	if (reads_color && get_PROCTEX4_FILTER(table) > PICA_PROCTEX_FILTER_LINEAR_MIP_LINEAR) {
		lint_report(l, LINT_PROCTEX_VALUE, PICA_REG_TEXUNIT3_PROCTEX4, table, "filter %u",
				get_PROCTEX4_FILTER(table));
	}
	const uint32_t width = get_PROCTEX4_WIDTH(table),
		       first = get_PROCTEX_OFFSETS_LEVEL0(regs[PICA_REG_TEXUNIT3_PROCTEX5]);
	if (reads_color && (!width || first + width > 256)) {
		lint_report(l, LINT_PROCTEX_WIDTH, PICA_REG_TEXUNIT3_PROCTEX4, table,
				"%u colours from %u on", width, first);
	}
	know_tables(l);
	const uint32_t needed = (uint32_t)reads_color << PICA_PROCTEX_TABLE_COLOR |
			(uint32_t)reads_color << PICA_PROCTEX_TABLE_RGB_MAP |
			(uint32_t)reads_alpha << PICA_PROCTEX_TABLE_ALPHA_MAP |
			(uint32_t)get_PROCTEX0_NOISE(word) << PICA_PROCTEX_TABLE_NOISE;
	for (unsigned t = 0; t < 16; t++) {
		if ((needed & ~l->tables.proctex) >> t & 1) {
			lint_report(l, LINT_PROCTEX_TABLE, PICA_REG_TEXUNIT3_PROCTEX0, word, "%s",
					field_text("PROCTEX_TABLE", t));
			break;
		}
	}
}

/* ---- Coordinates of sampled units ---- */

static void check_coordinates(struct lint *l, const uint32_t *regs) {
	static const uint32_t uv[UNITS] = { 3u << PICA_SEMANTIC_TEXCOORD0_U,
		3u << PICA_SEMANTIC_TEXCOORD1_U, 3u << PICA_SEMANTIC_TEXCOORD2_U };
	const uint32_t config = regs[PICA_REG_TEXUNIT_CONFIG],
		       mapped = facts_mapped_outputs(regs);
	const uint8_t *set = l->reads.set;
	const uint32_t type = get_TEXUNIT_PARAM_TYPE(regs[PICA_REG_TEXUNIT0_PARAM]);
	for (unsigned unit = 0; unit < 4; unit++) {
		if (!(l->reads.units >> unit & 1)) {
			continue;
		}
		if ((mapped & uv[set[unit]]) != uv[set[unit]]) {
			lint_report(l, LINT_TEXCOORD_MISSING, PICA_REG_TEXUNIT_CONFIG, config,
					"unit %u asks for coordinates %u", unit, set[unit]);
		} else if (unit == 0 && type != PICA_TEXTURE_TYPE_2D &&
				!(mapped >> PICA_SEMANTIC_TEXCOORD0_W & 1)) {
			lint_reg(l, LINT_TEXCOORD_W, regs, PICA_REG_TEXUNIT0_PARAM, "type %s",
					field_text("TEXTURE_TYPE", type));
		}
	}
}

void lint_effects(struct lint *l, const uint32_t *regs) {
	check_lighting(l, regs);
	check_fog(l, regs);
	if (l->reads.units >> PROCEDURAL & 1) {
		check_proctex(l, regs);
	}
	check_coordinates(l, regs);
}
