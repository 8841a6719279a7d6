#include "facts.h"

#include <inttypes.h>
#include <string.h>

#include "effects.h"
#include "fields.h"

static const char *const keys[FACT_COUNT] = {
	[FACT_DRAWS] = "draws",
	[FACT_PRIMITIVES] = "primitives",
	[FACT_TARGETS] = "targets",
	[FACT_DEPTH] = "depth_formats",
	[FACT_TEXTURES] = "textures",
	[FACT_TEXTURE_TYPES] = "texture_types",
	[FACT_FILTERS] = "filters",
	[FACT_WRAPS] = "wraps",
	[FACT_COMBINERS] = "combiners",
	[FACT_STAGES] = "combiner_stages",
	[FACT_LIGHTS] = "lights",
	[FACT_LAYERS] = "light_layers",
	[FACT_PROCTEX] = "procedural_maps",
	[FACT_FEATURES] = "features",
};

const char *fact_key(enum fact fact) {
	return keys[fact];
}

void facts_finish(struct facts *f) {
	for (unsigned i = 0; i < FACT_COUNT; i++) {
		tally_finish(&f->tally[i]);
	}
	memset(f, 0, sizeof(*f));
}

static void feature(struct facts *f, uint32_t used, const char *name) {
	if (used) {
		tally_count(&f->tally[FACT_FEATURES], "%s", name);
	}
}

/* ---- Values of registers ---- */

const struct facts_texture_regs facts_texture_regs[FACTS_TEXTURES] = {
	{ PICA_REG_TEXUNIT0_DIM, PICA_REG_TEXUNIT0_PARAM, PICA_REG_TEXUNIT0_LOD,
			PICA_REG_TEXUNIT0_ADDR1, PICA_REG_TEXUNIT0_TYPE },
	{ PICA_REG_TEXUNIT1_DIM, PICA_REG_TEXUNIT1_PARAM, PICA_REG_TEXUNIT1_LOD,
			PICA_REG_TEXUNIT1_ADDR, PICA_REG_TEXUNIT1_TYPE },
	{ PICA_REG_TEXUNIT2_DIM, PICA_REG_TEXUNIT2_PARAM, PICA_REG_TEXUNIT2_LOD,
			PICA_REG_TEXUNIT2_ADDR, PICA_REG_TEXUNIT2_TYPE },
};
const char *const facts_faces[FACTS_FACES] = { "x", "-x", "y", "-y", "z", "-z" };

bool facts_has_geometry(const uint32_t *regs) {
	return get_GEOSTAGE_CONFIG_GS(regs[PICA_REG_GEOSTAGE_CONFIG]) == PICA_GEOSTAGE_ON;
}

uint32_t facts_mapped_outputs(const uint32_t *regs) {
	const uint32_t total = get_SH_OUTMAP_TOTAL_COUNT(regs[PICA_REG_SH_OUTMAP_TOTAL]);
	uint32_t bits = 0;
	for (uint32_t k = 0; k < total && k < 7; k++) {
		const uint32_t word = regs[PICA_REG_SH_OUTMAP_O0 + k];
		bits |= 1u << get_SH_OUTMAP_X(word) | 1u << get_SH_OUTMAP_Y(word) |
				1u << get_SH_OUTMAP_Z(word) | 1u << get_SH_OUTMAP_W(word);
	}
	return bits & ((1u << PICA_VERTEX_SEMANTICS) - 1);
}

void facts_texture(const uint32_t *regs, unsigned unit, struct facts_texture *out) {
	const struct facts_texture_regs *at = &facts_texture_regs[unit];
	const uint32_t config = regs[PICA_REG_TEXUNIT_CONFIG];
	const uint32_t on[FACTS_TEXTURES] = { get_TEXUNIT_CONFIG_ENABLE0(config),
		get_TEXUNIT_CONFIG_ENABLE1(config), get_TEXUNIT_CONFIG_ENABLE2(config) };
	/* [fidelity: texel-formats] */
	static const uint8_t bits[16] = { 32, 24, 16, 16, 16, 16, 16, 8, 8, 8, 4, 4, 4, 8 };
	*out = (struct facts_texture){
		.is_on = on[unit],
		.addr = (regs[at->addr] & 0x0FFFFFFF) << 3,
		.format = get_TEXUNIT_TYPE_FORMAT(regs[at->type]),
		.width = get_TEXUNIT_DIM_WIDTH(regs[at->dim]),
		.height = get_TEXUNIT_DIM_HEIGHT(regs[at->dim]),
		.levels = get_TEXUNIT_LOD_MAX(regs[at->lod]),
		.bits = bits[get_TEXUNIT_TYPE_FORMAT(regs[at->type])],
		.type = unit == 0 ? get_TEXUNIT_PARAM_TYPE(regs[at->param]) :
				    PICA_TEXTURE_TYPE_2D,
	};
}

bool facts_is_cube(const struct facts_texture *t) {
	return t->type == PICA_TEXTURE_TYPE_CUBE || t->type == PICA_TEXTURE_TYPE_SHADOW_CUBE;
}

uint32_t facts_face_addr(
		const uint32_t *regs, const struct facts_texture *t, unsigned face) {
	/* The other faces take the upper bits from the first. [fidelity: addresses] */
	const uint32_t word = regs[PICA_REG_TEXUNIT0_ADDR1 + face];
	return face == 0 ? t->addr : (t->addr & ~(0x3FFFFFu << 3)) | (word & 0x3FFFFF) << 3;
}

/* ---- Combiners ---- */

const uint16_t facts_stages[FACTS_STAGES] = { PICA_REG_TEXENV0_SOURCE, PICA_REG_TEXENV1_SOURCE,
	PICA_REG_TEXENV2_SOURCE, PICA_REG_TEXENV3_SOURCE, PICA_REG_TEXENV4_SOURCE,
	PICA_REG_TEXENV5_SOURCE };

unsigned facts_operands(uint32_t op) {
	switch (op) {
	case PICA_TEV_OP_REPLACE:
		return 1;
	case PICA_TEV_OP_INTERPOLATE:
	case PICA_TEV_OP_MULTIPLY_ADD:
	case PICA_TEV_OP_ADD_MULTIPLY:
		return 3;
	default:
		return 2;
	}
}

/* Sources that a stage reads, bit k: source k. */
static uint32_t stage_sources(const uint32_t *regs, unsigned stage) {
	const uint32_t source = regs[facts_stages[stage]];
	const uint32_t combiner =
		regs[facts_stages[stage] + PICA_REG_TEXENV0_COMBINER - PICA_REG_TEXENV0_SOURCE];
	const uint32_t rgb[3] = { get_TEXENV_SOURCE_RGB0(source), get_TEXENV_SOURCE_RGB1(source),
		get_TEXENV_SOURCE_RGB2(source) };
	const uint32_t alpha[3] = { get_TEXENV_SOURCE_ALPHA0(source),
		get_TEXENV_SOURCE_ALPHA1(source), get_TEXENV_SOURCE_ALPHA2(source) };
	const uint32_t rgb_op = get_TEXENV_COMBINER_RGB(combiner);
	uint32_t used = 0;
	for (unsigned k = 0; k < facts_operands(rgb_op); k++) {
		used |= 1u << rgb[k];
	}
	/* DOT3_RGBA also writes alpha, so the alpha operation is not read. */
	const unsigned n_alpha = rgb_op == PICA_TEV_OP_DOT3_RGBA ? 0 :
			facts_operands(get_TEXENV_COMBINER_ALPHA(combiner));
	for (unsigned k = 0; k < n_alpha; k++) {
		used |= 1u << alpha[k];
	}
	return used;
}

/* Returns whether a stage only passes its input on, as software disables one. */
static bool stage_is_idle(const uint32_t *regs, unsigned stage) {
	const uint32_t *r = regs + facts_stages[stage];
	const uint32_t operand = r[PICA_REG_TEXENV0_OPERAND - PICA_REG_TEXENV0_SOURCE];
	const uint32_t combiner = r[PICA_REG_TEXENV0_COMBINER - PICA_REG_TEXENV0_SOURCE];
	const uint32_t scale = r[PICA_REG_TEXENV0_SCALE - PICA_REG_TEXENV0_SOURCE];
	return stage_sources(regs, stage) == 1u << PICA_TEV_SOURCE_PREVIOUS &&
			get_TEXENV_COMBINER_RGB(combiner) == PICA_TEV_OP_REPLACE &&
			get_TEXENV_COMBINER_ALPHA(combiner) == PICA_TEV_OP_REPLACE &&
			get_TEXENV_OPERAND_RGB0(operand) == PICA_TEV_OPERAND_RGB_COLOR &&
			get_TEXENV_OPERAND_ALPHA0(operand) == PICA_TEV_OPERAND_ALPHA_ALPHA &&
			get_TEXENV_SCALE_RGB(scale) == PICA_TEV_SCALE_X1 &&
			get_TEXENV_SCALE_ALPHA(scale) == PICA_TEV_SCALE_X1;
}

/* Sources whose colour, or alpha, is read. */
struct parts {
	uint32_t color, alpha;
};

/* In stage 0 slot 2 replaces the previous stage.  [fidelity: combiner] */
static uint32_t slot_source(uint32_t sources, unsigned slot, unsigned stage) {
	const uint32_t source = sources >> 4 * slot & 0xF;
	return stage == 0 && source == PICA_TEV_SOURCE_PREVIOUS ? sources >> 8 & 0xF : source;
}

/* Adds the sources of a stage whose output colour or alpha is needed. */
static void read_stage(
		struct parts *p, const uint32_t *regs, unsigned stage, bool color, bool alpha) {
	enum { COLOR_OF_ALPHA = 3 << 2 }; /* operands of the colour that take alpha */
	const uint32_t *r = regs + facts_stages[stage];
	const uint32_t combiner = r[PICA_REG_TEXENV0_COMBINER - PICA_REG_TEXENV0_SOURCE],
		       operand = r[PICA_REG_TEXENV0_OPERAND - PICA_REG_TEXENV0_SOURCE];
	const uint32_t op = get_TEXENV_COMBINER_RGB(combiner);
	const bool is_dot4 = op == PICA_TEV_OP_DOT3_RGBA; /* the alpha operation is not read */
	for (unsigned k = 0; (color || (alpha && is_dot4)) && k < facts_operands(op); k++) {
		const bool is_alpha = COLOR_OF_ALPHA >> (operand >> 4 * k & 0xF) & 1;
		*(is_alpha ? &p->alpha : &p->color) |= 1u << slot_source(r[0] & 0xFFF, k, stage);
	}
	const unsigned n = is_dot4 ? 0 : facts_operands(get_TEXENV_COMBINER_ALPHA(combiner));
	for (unsigned k = 0; alpha && k < n; k++) {
		const bool is_alpha = (operand >> (12 + 4 * k) & 7) < 2;
		*(is_alpha ? &p->alpha : &p->color) |= 1u << slot_source(r[0] >> 16, k, stage);
	}
}

bool facts_writes_color(const uint32_t *regs) {
	const uint32_t mode = get_COLOR_OPERATION_MODE(regs[PICA_REG_COLOR_OPERATION]);
	return mode != PICA_FRAGMENT_MODE_NOTHING &&
			get_COLORBUFFER_WRITE_MASK(regs[PICA_REG_COLORBUFFER_WRITE]) &&
			(mode != PICA_FRAGMENT_MODE_NORMAL ||
					get_DEPTH_COLOR_MASK_COLOR_WRITE(
							regs[PICA_REG_DEPTH_COLOR_MASK]));
}

/* From the last stage backwards: a stage with an unused result reads nothing. */
static struct parts combiner_reads(const uint32_t *regs) {
	enum { KEPT = 1 << PICA_TEV_SOURCE_PREVIOUS_BUFFER };
	const uint32_t mode = get_COLOR_OPERATION_MODE(regs[PICA_REG_COLOR_OPERATION]);
	const uint32_t test = regs[PICA_REG_FRAGOP_ALPHA_TEST];
	bool color = facts_writes_color(regs);
	bool alpha = color ||
			(mode == PICA_FRAGMENT_MODE_NORMAL && get_FRAGOP_ALPHA_TEST_ENABLE(test) &&
					get_FRAGOP_ALPHA_TEST_FUNC(test) != PICA_COMPARE_ALWAYS);
	struct parts all = { 0, 0 };
	for (unsigned stage = FACTS_STAGES; stage-- > 0;) {
		struct parts p = { 0, 0 };
		read_stage(&p, regs, stage, color, alpha);
		all.color |= p.color;
		all.alpha |= p.alpha;
		color = p.color >> PICA_TEV_SOURCE_PREVIOUS & 1 || (all.color & KEPT);
		alpha = p.alpha >> PICA_TEV_SOURCE_PREVIOUS & 1 || (all.alpha & KEPT);
	}
	return all;
}

uint32_t facts_sources(const uint32_t *regs) {
	const struct parts p = combiner_reads(regs);
	return p.color | p.alpha;
}

/* Of units that are on. */
static uint32_t units_read(const uint32_t *regs, uint32_t sources, bool has_light) {
	const uint32_t units = regs[PICA_REG_TEXUNIT_CONFIG],
		       config = regs[PICA_REG_LIGHTING_CONFIG0],
		       bump = get_LIGHTING_CONFIG0_BUMP_MODE(config);
	const bool is_normal = get_COLOR_OPERATION_MODE(regs[PICA_REG_COLOR_OPERATION]) ==
			PICA_FRAGMENT_MODE_NORMAL;
	uint32_t read = sources >> PICA_TEV_SOURCE_TEXTURE0 & 0xF;
	if (has_light && (bump == PICA_BUMP_NORMAL || bump == PICA_BUMP_TANGENT)) {
		read |= 1u << get_LIGHTING_CONFIG0_BUMP_UNIT(config);
	}
	if (has_light && get_LIGHTING_CONFIG0_SHADOW(config)) {
		read |= 1u << get_LIGHTING_CONFIG0_SHADOW_UNIT(config);
	}
	/* The densities of gas come from unit 0. */
	read |= is_normal &&
			get_TEXENV_UPDATE_BUFFER_FOG_MODE(regs[PICA_REG_TEXENV_UPDATE_BUFFER]) ==
					PICA_FOG_MODE_GAS;
	uint32_t on = (units & 7) | (uint32_t)get_TEXUNIT_CONFIG_ENABLE3(units) << FACTS_TEXTURES;
	if (get_TEXUNIT_PARAM_TYPE(regs[PICA_REG_TEXUNIT0_PARAM]) == PICA_TEXTURE_TYPE_DISABLED) {
		on &= ~1u;
	}
	return read & on;
}

void facts_reads(const uint32_t *regs, struct facts_reads *out) {
	const struct parts p = combiner_reads(regs);
	const uint32_t units = regs[PICA_REG_TEXUNIT_CONFIG],
		       set3 = get_TEXUNIT_CONFIG_COORD3(units);
	const uint32_t light = 1u << PICA_TEV_SOURCE_FRAGMENT_PRIMARY |
			1u << PICA_TEV_SOURCE_FRAGMENT_SECONDARY;
	*out = (struct facts_reads){ .color = p.color, .alpha = p.alpha };
	out->has_light = ((p.color | p.alpha) & light) &&
			!get_LIGHTING_ENABLE1_DISABLE(regs[PICA_REG_LIGHTING_ENABLE1]);
	out->units = units_read(regs, p.color | p.alpha, out->has_light);
	const uint8_t set[FACTS_TEXTURES + 1] = { 0, 1,
		get_TEXUNIT_CONFIG_UNIT2_COORD1(units) ? 1 : 2,
		set3 < FACTS_TEXTURES ? (uint8_t)set3 : 0 };
	for (unsigned unit = 0; unit <= FACTS_TEXTURES; unit++) {
		out->set[unit] = set[unit];
		out->sets |= (out->units >> unit & 1) << set[unit];
	}
}

static void combiner_facts(struct facts *f, const uint32_t *regs) {
	uint32_t seen = 0; /* operations of this draw */
	unsigned n_stages = 0;
	for (unsigned i = 0; i < FACTS_STAGES; i++) {
		if (stage_is_idle(regs, i)) {
			continue;
		}
		const uint32_t combiner =
			regs[facts_stages[i] + PICA_REG_TEXENV0_COMBINER - PICA_REG_TEXENV0_SOURCE];
		n_stages = i + 1;
		seen |= 1u << get_TEXENV_COMBINER_RGB(combiner) |
			1u << get_TEXENV_COMBINER_ALPHA(combiner);
	}
	for (uint32_t op = 0; op < 16; op++) {
		if (seen >> op & 1) {
			tally_count(&f->tally[FACT_COMBINERS], "%s", field_text("TEV_OP", op));
		}
	}
	tally_count(&f->tally[FACT_STAGES], "%u", n_stages);
	feature(f, facts_sources(regs) >> PICA_TEV_SOURCE_PREVIOUS_BUFFER & 1, "combiner buffer");
}

/* ---- Textures and light ---- */

static void count_texture(struct facts *f, const uint32_t *regs, unsigned unit) {
	struct facts_texture t;
	facts_texture(regs, unit, &t);
	const uint32_t param = regs[facts_texture_regs[unit].param];
	if (!t.is_on || t.type == PICA_TEXTURE_TYPE_DISABLED) {
		return;
	}
	tally_count(&f->tally[FACT_TEXTURES], "%" PRIu32 "x%" PRIu32 " %s", t.width, t.height,
		field_text("TEXTURE_FORMAT", t.format));
	tally_count(&f->tally[FACT_TEXTURE_TYPES], "%s", field_text("TEXTURE_TYPE", t.type));
	const char *mag = field_text("FILTER", get_TEXUNIT_PARAM_MAG(param));
	const char *min = field_text("FILTER", get_TEXUNIT_PARAM_MIN(param));
	if (t.levels) {
		tally_count(&f->tally[FACT_FILTERS], "%s/%s/mip-%s", mag, min,
			field_text("FILTER", get_TEXUNIT_PARAM_MIP(param)));
	} else {
		tally_count(&f->tally[FACT_FILTERS], "%s/%s", mag, min);
	}
	tally_count(&f->tally[FACT_WRAPS], "%s/%s",
			field_text("WRAP", get_TEXUNIT_PARAM_WRAP_S(param)),
			field_text("WRAP", get_TEXUNIT_PARAM_WRAP_T(param)));
	feature(f, t.levels, "mipmaps");
	feature(f, t.type == PICA_TEXTURE_TYPE_CUBE, "cube texture");
	feature(f, t.type == PICA_TEXTURE_TYPE_SHADOW_2D || t.type == PICA_TEXTURE_TYPE_SHADOW_CUBE,
			"shadow texture");
	feature(f, t.type == PICA_TEXTURE_TYPE_PROJECTION, "projected texture");
}

/* Each light counts once for a draw. */
static void lamp_facts(struct facts *f, const uint32_t *regs) {
	bool spot = false, distance = false, two_sided = false, geometric = false;
	for (unsigned slot = 0; slot < effects_light_count(regs); slot++) {
		struct effects_light l;
		effects_light(regs, slot, &l);
		spot = spot || l.has_spot;
		distance = distance || l.has_distance;
		two_sided = two_sided || get_LIGHT_CONFIG_TWO_SIDED(l.config);
		geometric = geometric || get_LIGHT_CONFIG_GEO0(l.config) ||
				get_LIGHT_CONFIG_GEO1(l.config);
	}
	feature(f, spot, "spot light");
	feature(f, distance, "distance attenuation");
	feature(f, two_sided, "two-sided light");
	feature(f, geometric, "geometric factor");
}

/* Returns the texture units that lighting reads. */
static uint32_t light_facts(struct facts *f, const uint32_t *regs) {
	const uint32_t config = regs[PICA_REG_LIGHTING_CONFIG0];
	if (!effects_lighting(regs)) {
		return 0;
	}
	uint32_t read = 0;
	feature(f, 1, "lighting");
	tally_count(&f->tally[FACT_LIGHTS], "%u", effects_light_count(regs));
	tally_count(&f->tally[FACT_LAYERS], "%" PRIu32, get_LIGHTING_CONFIG0_LAYERS(config));
	lamp_facts(f, regs);
	feature(f,
			get_LIGHTING_CONFIG0_FRESNEL_PRIMARY(config) ||
					get_LIGHTING_CONFIG0_FRESNEL_SECONDARY(config),
			"Fresnel alpha");
	feature(f, get_LIGHTING_CONFIG0_CLAMP_HIGHLIGHTS(config), "clamped highlights");
	const uint32_t bump = get_LIGHTING_CONFIG0_BUMP_MODE(config);
	if (bump != PICA_BUMP_NONE) {
		feature(f, 1, bump == PICA_BUMP_TANGENT ? "tangent mapping" : "bump mapping");
		read |= 1u << get_LIGHTING_CONFIG0_BUMP_UNIT(config);
	}
	if (get_LIGHTING_CONFIG0_SHADOW(config)) {
		feature(f, 1, "shadow in lighting");
		read |= 1u << get_LIGHTING_CONFIG0_SHADOW_UNIT(config);
	}
	return read;
}

static void proctex_facts(struct facts *f, const uint32_t *regs) {
	const uint32_t word = regs[PICA_REG_TEXUNIT3_PROCTEX0];
	if (!effects_proctex(regs)) {
		return;
	}
	feature(f, 1, "procedural texture");
	feature(f, get_PROCTEX0_NOISE(word), "procedural noise");
	const char *color = field_text("PROCTEX_MAP", get_PROCTEX0_RGB_MAP(word));
	if (get_PROCTEX0_SEPARATE_ALPHA(word)) {
		tally_count(&f->tally[FACT_PROCTEX], "%s, alpha %s", color,
				field_text("PROCTEX_MAP", get_PROCTEX0_ALPHA_MAP(word)));
	} else {
		tally_count(&f->tally[FACT_PROCTEX], "%s", color);
	}
}

/* ---- Output ---- */

static bool blends(uint32_t func) {
	return get_BLEND_FUNC_RGB_EQ(func) != PICA_BLEND_EQ_ADD ||
			get_BLEND_FUNC_ALPHA_EQ(func) != PICA_BLEND_EQ_ADD ||
			get_BLEND_FUNC_RGB_SRC(func) != PICA_BLEND_FACTOR_ONE ||
			get_BLEND_FUNC_ALPHA_SRC(func) != PICA_BLEND_FACTOR_ONE ||
			get_BLEND_FUNC_RGB_DST(func) != PICA_BLEND_FACTOR_ZERO ||
			get_BLEND_FUNC_ALPHA_DST(func) != PICA_BLEND_FACTOR_ZERO;
}

static bool depth_is_written(const uint32_t *regs) {
	return get_DEPTH_COLOR_MASK_DEPTH_WRITE(regs[PICA_REG_DEPTH_COLOR_MASK]) &&
			get_DEPTHBUFFER_WRITE_DEPTH(regs[PICA_REG_DEPTHBUFFER_WRITE]);
}

static bool depth_is_tested(const uint32_t *regs) {
	const uint32_t depth = regs[PICA_REG_DEPTH_COLOR_MASK];
	return get_DEPTH_COLOR_MASK_ENABLE(depth) &&
			get_DEPTH_COLOR_MASK_FUNC(depth) != PICA_COMPARE_ALWAYS;
}

unsigned facts_color_bytes(uint32_t format) {
	static const uint8_t bytes[8] = { 4, 3, 2, 2, 2, 0, 0, 0 };
	return bytes[format & 7];
}

unsigned facts_depth_bytes(uint32_t format) {
	static const uint8_t bytes[4] = { 2, 0, 3, 4 };
	return bytes[format & 3];
}

bool facts_depth(const uint32_t *regs) {
	const uint32_t mode = get_COLOR_OPERATION_MODE(regs[PICA_REG_COLOR_OPERATION]);
	if (mode != PICA_FRAGMENT_MODE_NORMAL) {
		return mode == PICA_FRAGMENT_MODE_GAS;
	}
	return depth_is_tested(regs) || depth_is_written(regs) ||
			get_STENCIL_TEST_ENABLE(regs[PICA_REG_STENCIL_TEST]);
}

static void output_facts(struct facts *f, const uint32_t *regs) {
	const uint32_t dim = regs[PICA_REG_FRAMEBUFFER_DIM];
	const uint32_t operation = regs[PICA_REG_COLOR_OPERATION];
	const uint32_t mode = get_COLOR_OPERATION_MODE(operation);
	tally_count(&f->tally[FACT_TARGETS], "%" PRIu32 "x%" PRIu32 " %s",
		get_FRAMEBUFFER_DIM_WIDTH(dim),
		get_FRAMEBUFFER_DIM_HEIGHT_M1(dim) + 1,
		field_text("COLOR_FORMAT",
			get_COLORBUFFER_FORMAT_FORMAT(regs[PICA_REG_COLORBUFFER_FORMAT])));
	if (facts_depth(regs)) {
		tally_count(&f->tally[FACT_DEPTH], "%s",
			field_text("DEPTH_FORMAT",
				get_DEPTHBUFFER_FORMAT_FORMAT(regs[PICA_REG_DEPTHBUFFER_FORMAT])));
	}
	feature(f, get_FRAMEBUFFER_BLOCK32_BLOCK32(regs[PICA_REG_FRAMEBUFFER_BLOCK32]),
		"32x32 blocks");
	feature(f, get_COLOR_OPERATION_HALF_LINES(operation), "half lines");
	feature(f, mode == PICA_FRAGMENT_MODE_GAS, "gas accumulation");
	feature(f, mode == PICA_FRAGMENT_MODE_SHADOW, "shadow rendering");
	if (mode != PICA_FRAGMENT_MODE_NORMAL) {
		return;
	}
	if (get_COLOR_OPERATION_BLEND(operation) == PICA_COLOR_OPERATION_BLENDING) {
		feature(f, blends(regs[PICA_REG_BLEND_FUNC]), "blending");
	} else {
		feature(f, get_LOGIC_OP_OP(regs[PICA_REG_LOGIC_OP]) != PICA_LOGIC_OP_COPY,
			"logic operation");
	}
	feature(f, depth_is_tested(regs), "depth test");
	feature(f, depth_is_written(regs), "depth write");
	feature(f, get_STENCIL_TEST_ENABLE(regs[PICA_REG_STENCIL_TEST]), "stencil test");
	feature(f,
		(depth_is_tested(regs) || depth_is_written(regs)) &&
			get_DEPTHMAP_ENABLE_MODE(regs[PICA_REG_DEPTHMAP_ENABLE]) == PICA_DEPTHMAP_W,
		"w buffer");
	feature(f,
		get_EARLYDEPTH_TEST_ENABLE(regs[PICA_REG_EARLYDEPTH_TEST1]) &&
			get_EARLYDEPTH_TEST_ENABLE(regs[PICA_REG_EARLYDEPTH_TEST2]),
		"early depth test");
	feature(f,
		get_FRAGOP_ALPHA_TEST_ENABLE(regs[PICA_REG_FRAGOP_ALPHA_TEST]) &&
			get_FRAGOP_ALPHA_TEST_FUNC(regs[PICA_REG_FRAGOP_ALPHA_TEST]) !=
				PICA_COMPARE_ALWAYS,
		"alpha test");
}

static void raster_facts(struct facts *f, const uint32_t *regs) {
	const uint32_t cull = get_FACECULLING_CONFIG_MODE(regs[PICA_REG_FACECULLING_CONFIG]);
	const uint32_t scissor = get_SCISSORTEST_MODE_MODE(regs[PICA_REG_SCISSORTEST_MODE]);
	feature(f, cull == PICA_CULL_FRONT || cull == PICA_CULL_BACK, "face culling");
	feature(f, scissor == PICA_SCISSOR_INSIDE || scissor == PICA_SCISSOR_OUTSIDE, "scissor");
	feature(f, get_FRAGOP_CLIP_ENABLE(regs[PICA_REG_FRAGOP_CLIP]), "user clip plane");
	feature(f, get_RASTER_FLAT_ENABLE(regs[PICA_REG_RASTER_FLAT]), "flat shading");
	feature(f, facts_has_geometry(regs), "geometry shader");
}

void facts_draw(void *user, const uint32_t *regs, enum draw_kind kind) {
	struct facts *f = user;
	tally_count(&f->tally[FACT_DRAWS], "%s", draw_kind_name(kind));
	tally_count(&f->tally[FACT_PRIMITIVES], "%s",
		field_text(
			"PRIMITIVE", get_PRIMITIVE_CONFIG_MODE(regs[PICA_REG_PRIMITIVE_CONFIG])));
	f->vertices += kind == DRAW_IMMEDIATE ? 0 : regs[PICA_REG_NUMVERTICES];
	raster_facts(f, regs);
	output_facts(f, regs);

	const uint32_t fog = effects_fog(regs);
	feature(f, fog == PICA_FOG_MODE_FOG, "fog");
	feature(f, fog == PICA_FOG_MODE_GAS, "gas shading");

	combiner_facts(f, regs);
	uint32_t read = light_facts(f, regs) | facts_sources(regs) >> PICA_TEV_SOURCE_TEXTURE0;
	read |= fog == PICA_FOG_MODE_GAS; /* its densities are unit 0's */
	for (unsigned unit = 0; unit < FACTS_TEXTURES; unit++) {
		if (read >> unit & 1) {
			count_texture(f, regs, unit);
		}
	}
	proctex_facts(f, regs);
}
