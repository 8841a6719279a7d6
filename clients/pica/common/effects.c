#include "effects.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/fixed.h"
#include "facts.h"
#include "fields.h"

/* ---- Whether ---- */

bool effects_lighting(const uint32_t *regs) {
	/* Register 1C6 alone decides.  [fidelity: lighting-fields] */
	return !get_LIGHTING_ENABLE1_DISABLE(regs[PICA_REG_LIGHTING_ENABLE1]) &&
			(facts_sources(regs) >> PICA_TEV_SOURCE_FRAGMENT_PRIMARY & 1 ||
					facts_sources(regs) >> PICA_TEV_SOURCE_FRAGMENT_SECONDARY &
							1);
}

bool effects_proctex(const uint32_t *regs) {
	return get_TEXUNIT_CONFIG_ENABLE3(regs[PICA_REG_TEXUNIT_CONFIG]) &&
			(facts_sources(regs) >> PICA_TEV_SOURCE_TEXTURE3 & 1);
}

static uint32_t mode_of(const uint32_t *regs) {
	return get_COLOR_OPERATION_MODE(regs[PICA_REG_COLOR_OPERATION]);
}

uint32_t effects_fog(const uint32_t *regs) {
	return mode_of(regs) == PICA_FRAGMENT_MODE_NORMAL ?
			get_TEXENV_UPDATE_BUFFER_FOG_MODE(regs[PICA_REG_TEXENV_UPDATE_BUFFER]) :
			(uint32_t)PICA_FOG_MODE_OFF;
}

/* ---- Lights ---- */

/* The value of a field by its name; 0 if there is none. */
static double number(const uint32_t *regs, uint32_t id, const char *name) {
	struct pica_field f;
	for (unsigned i = 0; pica_reg_field(id, regs[id], i, &f); i++) {
		if (strcmp(f.name, name) == 0) {
			return f.number;
		}
	}
	return 0;
}

uint32_t effects_layer_tables(uint32_t layers) {
	enum {
		D0 = 1 << PICA_LIGHT_TABLE_D0,
		D1 = 1 << PICA_LIGHT_TABLE_D1,
		FR = 1 << PICA_LIGHT_TABLE_FR,
		RB = 1 << PICA_LIGHT_TABLE_RB,
		RG = 1 << PICA_LIGHT_TABLE_RG,
		RR = 1 << PICA_LIGHT_TABLE_RR,
		SP = 1 << PICA_LIGHT_TABLE_SP,
	};
	/* [fidelity: lighting-tables] */
	static const uint16_t tables[16] = { D0 | RR | SP, FR | RR | SP, D0 | D1 | RR, D0 | D1 | FR,
		D0 | D1 | RR | RG | RB | SP, D0 | FR | RR | RG | RB | SP, D0 | D1 | FR | RR | SP, 0,
		D0 | D1 | FR | RR | RG | RB | SP };
	return tables[layers & 15];
}

/* Returns whether the draw's configuration has the table; DA always is. */
static bool has_table(const uint32_t *regs, unsigned table) {
	const uint32_t config = regs[PICA_REG_LIGHTING_CONFIG0];
	return effects_layer_tables(get_LIGHTING_CONFIG0_LAYERS(config)) >> table & 1;
}

unsigned effects_light_count(const uint32_t *regs) {
	return get_LIGHTING_NUM_LIGHTS_COUNT_M1(regs[PICA_REG_LIGHTING_NUM_LIGHTS]) + 1;
}

void effects_light(const uint32_t *regs, unsigned slot, struct effects_light *out) {
	const unsigned id = regs[PICA_REG_LIGHTING_LIGHT_PERMUTATION] >> 4 * slot & 7;
	const uint32_t stride = PICA_REG_LIGHT1_SPECULAR0 - PICA_REG_LIGHT0_SPECULAR0;
	const uint32_t at = PICA_REG_LIGHT0_SPECULAR0 + id * stride;
	const uint32_t xy = at + PICA_REG_LIGHT0_XY - PICA_REG_LIGHT0_SPECULAR0;
	const uint32_t z = at + PICA_REG_LIGHT0_Z - PICA_REG_LIGHT0_SPECULAR0;
	const uint32_t off = regs[PICA_REG_LIGHTING_CONFIG1];
	*out = (struct effects_light){
		.number = id,
		.config = regs[at + PICA_REG_LIGHT0_CONFIG - PICA_REG_LIGHT0_SPECULAR0],
		.has_spot = has_table(regs, PICA_LIGHT_TABLE_SP) &&
				!(get_LIGHTING_CONFIG1_SPOT_OFF(off) >> id & 1),
		.has_distance = !(get_LIGHTING_CONFIG1_DISTANCE_OFF(off) >> id & 1),
		.has_shadow = get_LIGHTING_CONFIG0_SHADOW(regs[PICA_REG_LIGHTING_CONFIG0]) &&
				!(get_LIGHTING_CONFIG1_SHADOW_OFF(off) >> id & 1),
		.x = number(regs, xy, "X"),
		.y = number(regs, xy, "Y"),
		.z = number(regs, z, "Z"),
	};
}

static void light_text(const uint32_t *regs, unsigned slot, FILE *out) {
	struct effects_light l;
	effects_light(regs, slot, &l);
	fprintf(out, "light %u    %s %g %g %g%s%s%s%s%s%s\n", l.number,
			get_LIGHT_CONFIG_DIRECTIONAL(l.config) ? "direction" : "at", l.x, l.y, l.z,
			l.has_spot ? ", spot" : "", l.has_distance ? ", distance attenuation" : "",
			get_LIGHT_CONFIG_TWO_SIDED(l.config) ? ", two-sided" : "",
			get_LIGHT_CONFIG_GEO0(l.config) ? ", geometric factor 0" : "",
			get_LIGHT_CONFIG_GEO1(l.config) ? ", geometric factor 1" :
			"", l.has_shadow ? ", shadowed" : "");
}

/*
 * Prints the tables that the layer configuration has and that are enabled. [fidelity:
 * lighting-disable]
 */
static void tables_text(const uint32_t *regs, FILE *out) {
	static const char *const names[] = { "D0", "D1", "SP", "FR", "RB", "RG", "RR" };
	static const uint8_t tables[] = { PICA_LIGHT_TABLE_D0, PICA_LIGHT_TABLE_D1,
		PICA_LIGHT_TABLE_SP, PICA_LIGHT_TABLE_FR, PICA_LIGHT_TABLE_RB, PICA_LIGHT_TABLE_RG,
		PICA_LIGHT_TABLE_RR };
	const uint32_t off = regs[PICA_REG_LIGHTING_CONFIG1];
	const bool is_off[ARRAY_LEN(names)] = { get_LIGHTING_CONFIG1_D0_OFF(off),
		get_LIGHTING_CONFIG1_D1_OFF(off), get_LIGHTING_CONFIG1_SPOT_OFF(off) == 0xFF,
		get_LIGHTING_CONFIG1_FR_OFF(off), get_LIGHTING_CONFIG1_RB_OFF(off),
		get_LIGHTING_CONFIG1_RG_OFF(off), get_LIGHTING_CONFIG1_RR_OFF(off) };
	unsigned n = 0;
	fprintf(out, ", layers %" PRIu32,
			get_LIGHTING_CONFIG0_LAYERS(regs[PICA_REG_LIGHTING_CONFIG0]));
	for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
		if (has_table(regs, tables[i]) && !is_off[i]) {
			const uint32_t select =
					regs[PICA_REG_LIGHTING_LUTINPUT_SELECT] >> 4 * i & 7;
			fprintf(out, "%s%s(%s)", n++ ? " " : ": ", names[i],
					field_text("LIGHT_INPUT", select));
		}
	}
}

static void lighting_text(const uint32_t *regs, FILE *out) {
	const uint32_t config = regs[PICA_REG_LIGHTING_CONFIG0];
	const uint32_t bump = get_LIGHTING_CONFIG0_BUMP_MODE(config);
	const unsigned n = effects_light_count(regs);
	fprintf(out, "lighting   %u light%s", n, n == 1 ? "" : "s");
	tables_text(regs, out);
	if (bump == PICA_BUMP_NORMAL || bump == PICA_BUMP_TANGENT) {
		fprintf(out, ", %ss of texture %" PRIu32, field_text("BUMP", bump),
				get_LIGHTING_CONFIG0_BUMP_UNIT(config));
	}
	if (get_LIGHTING_CONFIG0_SHADOW(config)) {
		fprintf(out, ", shadow of texture %" PRIu32,
				get_LIGHTING_CONFIG0_SHADOW_UNIT(config));
	}
	fputs(get_LIGHTING_CONFIG0_CLAMP_HIGHLIGHTS(config) ? ", highlights clamped\n" : "\n", out);
	for (unsigned slot = 0; slot < n; slot++) {
		light_text(regs, slot, out);
	}
}

/* ---- The others ---- */

static void proctex_text(const uint32_t *regs, FILE *out) {
	const uint32_t word = regs[PICA_REG_TEXUNIT3_PROCTEX0],
		       more = regs[PICA_REG_TEXUNIT3_PROCTEX4];
	fprintf(out, "procedural u %s, v %s, color of %s",
			field_text("PROCTEX_CLAMP", get_PROCTEX0_U_CLAMP(word)),
			field_text("PROCTEX_CLAMP", get_PROCTEX0_V_CLAMP(word)),
			field_text("PROCTEX_MAP", get_PROCTEX0_RGB_MAP(word)));
	if (get_PROCTEX0_SEPARATE_ALPHA(word)) {
		fprintf(out, ", alpha of %s",
				field_text("PROCTEX_MAP", get_PROCTEX0_ALPHA_MAP(word)));
	}
	fprintf(out, "%s, %" PRIu32 " colors from %" PRIu32 ", %s\n",
			get_PROCTEX0_NOISE(word) ? ", noise" : "", get_PROCTEX4_WIDTH(more),
			get_PROCTEX_OFFSETS_LEVEL0(regs[PICA_REG_TEXUNIT3_PROCTEX5]),
			field_text("PROCTEX_FILTER", get_PROCTEX4_FILTER(more)));
}

static void fog_text(const uint32_t *regs, FILE *out) {
	const uint32_t word = regs[PICA_REG_TEXENV_UPDATE_BUFFER], color = regs[PICA_REG_FOG_COLOR];
	const char *flip = get_TEXENV_UPDATE_BUFFER_FOG_FLIP(word) ? ", depth flipped" : "";
	switch (effects_fog(regs)) {
	case PICA_FOG_MODE_FOG:
		fprintf(out, "fog        #%02" PRIx32 "%02" PRIx32 "%02" PRIx32 "%s\n",
				get_FOG_COLOR_R(color), get_FOG_COLOR_G(color),
				get_FOG_COLOR_B(color), flip);
		break;
	case PICA_FOG_MODE_GAS:
		fprintf(out, "gas        shades %s densities by %s, attenuation %g, density scale %g%s\n",
				field_text("GAS_DENSITY",
						get_TEXENV_UPDATE_BUFFER_GAS_DENSITY(word)),
				field_text("GAS_LUT_INPUT",
						get_GAS_LIGHT_Z_COLOR_LUT_INPUT(
								regs[PICA_REG_GAS_LIGHT_Z_COLOR])),
				number(regs, PICA_REG_GAS_ATTENUATION, "VALUE"),
				number(regs, PICA_REG_GAS_ACCMAX, "VALUE"), flip);
		break;
	default:
		break;
	}
}

void effects_shadow_texture(const uint32_t *regs, uint32_t type, FILE *out) {
	const uint32_t word = regs[PICA_REG_TEXUNIT0_SHADOW];
	if (type == PICA_TEXTURE_TYPE_SHADOW_2D || type == PICA_TEXTURE_TYPE_SHADOW_CUBE) {
		fprintf(out, ", bias %g", (double)get_TEXUNIT_SHADOW_BIAS(word) / (1 << 23));
	}
	fputs(type == PICA_TEXTURE_TYPE_SHADOW_2D && get_TEXUNIT_SHADOW_ORTHO(word) ?
					", not divided by w\n" :
					"\n",
			out);
}

void effects_text(const uint32_t *regs, FILE *out) {
	const uint32_t gas = regs[PICA_REG_GAS_DELTAZ_DEPTH];
	if (effects_lighting(regs)) {
		lighting_text(regs, out);
	}
	if (effects_proctex(regs)) {
		proctex_text(regs, out);
	}
	fog_text(regs, out);
	if (mode_of(regs) == PICA_FRAGMENT_MODE_GAS) {
		fprintf(out, "gas        adds up densities, depth %s, delta z %" PRIu32 "\n",
				field_text("GAS_DEPTH", get_GAS_DELTAZ_DEPTH_FUNC(gas)),
				get_GAS_DELTAZ_DEPTH_DELTA(gas));
	} else if (mode_of(regs) == PICA_FRAGMENT_MODE_SHADOW) {
		fprintf(out, "shadow     draws a shadow map, constant %g, linear %g\n",
				number(regs, PICA_REG_FRAGOP_SHADOW, "CONSTANT"),
				number(regs, PICA_REG_FRAGOP_SHADOW, "LINEAR"));
	}
}

/* ---- Entries of tables ---- */

struct effects_entry effects_light_entry(uint32_t word) {
	const double size = (double)get_LIGHTING_LUT_DATA_DIFF(word) / 2047;
	return (struct effects_entry){ (double)get_LIGHTING_LUT_DATA_VALUE(word) / 4095,
		get_LIGHTING_LUT_DATA_DIFF_SIGN(word) ? -size : size };
}

struct effects_entry effects_fog_entry(uint32_t word) {
	return (struct effects_entry){ (double)get_FOG_LUT_DATA_VALUE(word) / 2047,
		(double)sign_extend(get_FOG_LUT_DATA_DIFF(word), 13) / 2047 };
}

struct effects_entry effects_proctex_entry(uint32_t word) {
	return (struct effects_entry){ (double)get_PROCTEX_MAP_VALUE(word) / 4095,
		(double)sign_extend(get_PROCTEX_MAP_DIFF(word), 12) / 4095 };
}
