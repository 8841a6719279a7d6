#include "random_shares.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "fields.h"
#include "pica/common/facts.h"
#include "pica/regs/regs.h"
#include "random_rig.h"

/* Features that facts.h does not count, or counts only together with sizes. */
enum own {
	OWN_FORMAT, /* textures that are read */
	OWN_MODE,   /* of fragments */
	OWN_CLAMP,  /* of the procedural unit, either axis */
	OWN_FILTER,
	OWN_INPUT, /* of lighting's tables */
	OWN_BUMP,
	OWN_BLEND,
	OWN_FACTOR,
	OWN_LOGIC,
	OWN_STENCIL,
	OWN_COMPARE, /* of depth, stencil and alpha tests */
	OWN_SOURCE,
	OWN_COUNT,
};

enum { MAX_VALUES = 16 };

static const struct {
	const char *title, *values; /* in pica_regs.def */
	uint32_t wanted;            /* bit k: some draw must use value k */
} own[OWN_COUNT] = {
	[OWN_FORMAT] = { "texture formats", "TEXTURE_FORMAT", 0x3FFF },
	[OWN_MODE] = { "fragment modes", "FRAGMENT_MODE", 0xB }, /* 2 writes nothing */
	[OWN_CLAMP] = { "procedural clamps", "PROCTEX_CLAMP", 0x1F },
	[OWN_FILTER] = { "procedural filters", "PROCTEX_FILTER", 0x3F },
	[OWN_INPUT] = { "light inputs", "LIGHT_INPUT", 0x3F },
	[OWN_BUMP] = { "bump modes", "BUMP", 0x7 },
	[OWN_BLEND] = { "blend equations", "BLEND_EQ", 0x1F },
	[OWN_FACTOR] = { "blend factors", "BLEND_FACTOR", 0xFFFF },
	[OWN_LOGIC] = { "logic operations", "LOGIC_OP", 0xFFFF },
	[OWN_STENCIL] = { "stencil operations", "STENCIL_OP", 0xFF },
	[OWN_COMPARE] = { "comparisons", "COMPARE", 0xFE }, /* "never" writes nothing */
	[OWN_SOURCE] = { "combiner sources", "TEV_SOURCE", 0xE07F },
};

/* Required texts, by the name of a value or literally. */
static const struct {
	enum fact fact;
	const char *title, *values;
	unsigned n; /* values 0 to n - 1 */
} named[] = {
	{ FACT_PRIMITIVES, "primitives", "PRIMITIVE", 4 },
	{ FACT_TEXTURE_TYPES, "types of unit 0", "TEXTURE_TYPE", 5 },
	{ FACT_COMBINERS, "combiner operations", "TEV_OP", 10 },
	{ FACT_LAYERS, "light layers", NULL, 9 },
	{ FACT_LIGHTS, "lights", NULL, 9 },
	{ FACT_STAGES, "combiner stages", NULL, 7 },
};

static const char *const features[] = {
	"lighting", "spot light", "distance attenuation", "two-sided light",
	"geometric factor", "Fresnel alpha", "clamped highlights", "bump mapping",
	"tangent mapping", "shadow in lighting", "procedural texture", "procedural noise",
	"32x32 blocks", "gas accumulation", "shadow rendering", "gas shading", "fog",
	"blending", "logic operation", "depth test", "depth write", "stencil test", "w buffer",
	"alpha test", "face culling", "scissor", "user clip plane", "flat shading",
	"geometry shader", "mipmaps", "cube texture", "shadow texture", "projected texture",
	"combiner buffer",
};

struct shares {
	struct facts facts;
	uint64_t own[OWN_COUNT][MAX_VALUES];
	uint64_t states, drawn; /* states that were drawn with; those that wrote */
};

struct shares *shares_create(void) {
	struct shares *s = calloc(1, sizeof(*s));
	if (!s) {
		rig_trouble("memory", ENOMEM);
	}
	return s;
}

void shares_destroy(struct shares *s) {
	facts_finish(&s->facts);
	free(s);
}

/* A draw counts once for each value in the set. */
static void add(struct shares *s, enum own what, uint32_t set) {
	for (unsigned k = 0; k < MAX_VALUES; k++) {
		s->own[what][k] += set >> k & 1;
	}
}

static void add_texture_formats(struct shares *s, const uint32_t *regs) {
	const uint32_t config = regs[REG_TEXUNIT_CONFIG], read = facts_sources(regs) >> 3;
	uint32_t set = 0;
	if (TEXUNIT_CONFIG_ENABLE0(config) && (read & 1) &&
			TEXUNIT_PARAM_TYPE(regs[REG_TEXUNIT0_PARAM]) != TEXTURE_TYPE_DISABLED) {
		set |= 1u << TEXUNIT_TYPE_FORMAT(regs[REG_TEXUNIT0_TYPE]);
	}
	if (TEXUNIT_CONFIG_ENABLE1(config) && (read & 2)) {
		set |= 1u << TEXUNIT_TYPE_FORMAT(regs[REG_TEXUNIT1_TYPE]);
	}
	if (TEXUNIT_CONFIG_ENABLE2(config) && (read & 4)) {
		set |= 1u << TEXUNIT_TYPE_FORMAT(regs[REG_TEXUNIT2_TYPE]);
	}
	add(s, OWN_FORMAT, set);
}

static void add_lighting(struct shares *s, const uint32_t *regs) {
	uint32_t inputs = 0;
	for (unsigned i = 0; i < 7; i++) {
		inputs |= 1u << (regs[REG_LIGHTING_LUTINPUT_SELECT] >> (4 * i) & 7);
	}
	add(s, OWN_INPUT, inputs);
	add(s, OWN_BUMP, 1u << LIGHTING_CONFIG0_BUMP_MODE(regs[REG_LIGHTING_CONFIG0]));
}

static void add_tests(struct shares *s, const uint32_t *regs) {
	const uint32_t depth = regs[REG_DEPTH_COLOR_MASK], stencil = regs[REG_STENCIL_TEST],
		       alpha = regs[REG_FRAGOP_ALPHA_TEST], op = regs[REG_STENCIL_OP];
	uint32_t set = 0;
	if (DEPTH_COLOR_MASK_ENABLE(depth)) {
		set |= 1u << DEPTH_COLOR_MASK_FUNC(depth);
	}
	if (FRAGOP_ALPHA_TEST_ENABLE(alpha)) {
		set |= 1u << FRAGOP_ALPHA_TEST_FUNC(alpha);
	}
	if (STENCIL_TEST_ENABLE(stencil) &&
			DEPTHBUFFER_FORMAT_FORMAT(regs[REG_DEPTHBUFFER_FORMAT]) ==
					DEPTH_FORMAT_D24S8) {
		set |= 1u << STENCIL_TEST_FUNC(stencil);
		add(s, OWN_STENCIL,
				1u << STENCIL_OP_FAIL(op) | 1u << STENCIL_OP_ZFAIL(op) |
						1u << STENCIL_OP_ZPASS(op));
	}
	add(s, OWN_COMPARE, set);
}

static void add_output(struct shares *s, const uint32_t *regs) {
	const uint32_t operation = regs[REG_COLOR_OPERATION], func = regs[REG_BLEND_FUNC];
	add(s, OWN_MODE, 1u << COLOR_OPERATION_MODE(operation));
	if (COLOR_OPERATION_MODE(operation) != FRAGMENT_MODE_NORMAL) {
		return;
	}
	add_tests(s, regs);
	if (COLOR_OPERATION_BLEND(operation)) {
		add(s, OWN_BLEND, 1u << BLEND_FUNC_RGB_EQ(func) | 1u << BLEND_FUNC_ALPHA_EQ(func));
		add(s, OWN_FACTOR,
				1u << BLEND_FUNC_RGB_SRC(func) | 1u << BLEND_FUNC_RGB_DST(func) |
						1u << BLEND_FUNC_ALPHA_SRC(func) |
						1u << BLEND_FUNC_ALPHA_DST(func));
	} else {
		add(s, OWN_LOGIC, 1u << LOGIC_OP_OP(regs[REG_LOGIC_OP]));
	}
}

static uint64_t find(const struct shares *s, enum fact fact, const char *text) {
	const struct tally *t = &s->facts.tally[fact];
	for (unsigned i = 0; i < t->n; i++) {
		if (strcmp(t->rows[i].text, text) == 0) {
			return t->rows[i].count;
		}
	}
	return 0;
}

static void drawn(void *user, const uint32_t *regs, enum naive_draw_kind kind, uint64_t written) {
	static const enum draw_kind kinds[] = { [NAIVE_ARRAYS] = DRAW_ARRAYS,
		[NAIVE_ELEMENTS] = DRAW_ELEMENTS,
		[NAIVE_IMMEDIATE] = DRAW_IMMEDIATE };
	struct shares *s = user;
	s->states++;
	if (written == 0) {
		return;
	}
	s->drawn++;
	const uint64_t lit = find(s, FACT_FEATURES, "lighting"),
		       proctex = find(s, FACT_FEATURES, "procedural texture");
	facts_draw(&s->facts, regs, kinds[kind]);
	if (find(s, FACT_FEATURES, "lighting") > lit) {
		add_lighting(s, regs);
	}
	if (find(s, FACT_FEATURES, "procedural texture") > proctex) {
		const uint32_t word = regs[REG_TEXUNIT3_PROCTEX0];
		add(s, OWN_CLAMP, 1u << PROCTEX0_U_CLAMP(word) | 1u << PROCTEX0_V_CLAMP(word));
		add(s, OWN_FILTER, 1u << PROCTEX4_FILTER(regs[REG_TEXUNIT3_PROCTEX4]));
	}
	add(s, OWN_SOURCE, facts_sources(regs));
	add_texture_formats(s, regs);
	add_output(s, regs);
}

void shares_watch(struct shares *s, struct naive *n) {
	naive_set_drawn(n, drawn, s);
}

/* Prints an item of a line. Returns false if its required share is missing. */
static bool print_one(const struct shares *s, const char *name, uint64_t count, bool is_wanted) {
	if (count || is_wanted) {
		printf(" %s %.1f%s", name, 100.0 * (double)count / (double)s->drawn,
				count || !is_wanted ? "," : " (MISSING),");
	}
	return count || !is_wanted;
}

bool shares_print(const struct shares *s) {
	bool all = true;
	printf("%" PRIu64 " states were drawn with (vertices in the list may meet several, or none), "
	       "%" PRIu64 " of them wrote pixels; of these, percent use\n",
			s->states, s->drawn);
	if (!s->drawn) {
		return false;
	}
	printf("  features:");
	for (unsigned i = 0; i < ARRAY_LEN(features); i++) {
		all &= print_one(s, features[i], find(s, FACT_FEATURES, features[i]), true);
	}
	printf("\n  draws:");
	for (unsigned k = 0; k < DRAW_KIND_COUNT; k++) {
		const char *name = draw_kind_name((enum draw_kind)k);
		all &= print_one(s, name, find(s, FACT_DRAWS, name), true);
	}
	for (unsigned i = 0; i < ARRAY_LEN(named); i++) {
		printf("\n  %s:", named[i].title);
		for (unsigned k = 0; k < named[i].n; k++) {
			char number[16];
			snprintf(number, sizeof(number), "%u", k);
			const char *name = named[i].values ? field_text(named[i].values, k) :
							     number;
			/* At least one light; configuration 7 is undefined. */
			const bool skipped = (named[i].fact == FACT_LIGHTS && k == 0) ||
					(named[i].fact == FACT_LAYERS && k == 7);
			if (!skipped) {
				all &= print_one(s, name, find(s, named[i].fact, name), true);
			}
		}
	}
	for (unsigned i = 0; i < OWN_COUNT; i++) {
		printf("\n  %s:", own[i].title);
		for (unsigned k = 0; k < MAX_VALUES; k++) {
			char number[16];
			snprintf(number, sizeof(number), "%u", k);
			const char *name = field_text(own[i].values, k);
			all &= print_one(s, name[0] != '?' ? name : number, s->own[i][k],
					own[i].wanted >> k & 1);
		}
	}
	printf("\n");
	return all;
}
