/*
 * Lighting: a patch of a ball with a different normal in each pixel, and single vectors with known
 * results.
 */
#include <math.h>

#include "kit.h"

static const char light_program[] = OUT_COLOR
		".out out_quat normalquat\n.out out_view view\n"
		".out out_tex texcoord0\n.in in_pos v0\n.in in_quat v1\n.in in_view v2\n.in in_tex v3\n"
		".constf k(1.0, 1.0, 1.0, 1.0)\n.proc main\n	mov out_pos, in_pos\n	mov out_color, k\n"
		"	mov out_quat, in_quat\n	mov out_view, in_view\n	mov out_tex, in_tex\n" END;

/* Each table has a different curve of eight linear pieces. */
static float curve(float x, void *arg) {
	const unsigned table = *(const unsigned *)arg;
	const float steps = floorf((x + 1) * 4) / 8;
	const float y = steps + (x - (steps * 2 - 1)) * (float)(table % 5 + 1) / 16;
	return table % 3 == 2 ? 1 - y : y;
}

static void upload(struct maker *m, unsigned table, bool is_signed) {
	uint32_t entries[256];
	pica_light_lut_from(entries, is_signed, curve, &table);
	pica_emit_light_lut(m->list, table, 0, entries, 256);
}

static void upload_all(struct maker *m, const struct pica_lighting *l) {
	const struct {
		const struct pica_light_lookup *lookup;
		unsigned table;
	} all[] = { { &l->d0, PICA_LIGHT_TABLE_D0 }, { &l->d1, PICA_LIGHT_TABLE_D1 },
		{ &l->fr, PICA_LIGHT_TABLE_FR }, { &l->rr, PICA_LIGHT_TABLE_RR },
		{ &l->rg, PICA_LIGHT_TABLE_RG }, { &l->rb, PICA_LIGHT_TABLE_RB } };
	for (unsigned i = 0; i < ARRAY_LEN(all); i++) {
		if (all[i].lookup->enable) {
			upload(m, all[i].table, all[i].lookup->is_signed);
		}
	}
	for (unsigned i = 0; i < 2; i++) {
		if (l->spot_lights >> i & 1) {
			upload(m, PICA_LIGHT_TABLE_SP + i, l->sp.is_signed);
		}
		if (l->distance_lights >> i & 1) {
			upload(m, PICA_LIGHT_TABLE_DA + i, false);
		}
	}
}

/* At each corner the normal points 60 degrees towards it; the viewer is in front. */
static void draw_ball(struct maker *m) {
	pica_emit_inputs(m->list, 4, PICA_IDENTITY_INPUTS);
	pica_emit_immediate_begin(m->list, PICA_PRIMITIVE_STRIP);
	for (unsigned k = 0; k < 4; k++) {
		const float x = k & 1 ? 1 : -1, y = k & 2 ? 1 : -1;
		const float all[16] = { x, y, -0.5f, 1, -y * 0.375f, x * 0.375f, 0, 0.875f,
			-x * 0.5f, -y * 0.5f, 1.5f, 0, k & 1, k >> 1, 1, 1 };
		pica_emit_immediate(m->list, all, 4);
	}
	pica_emit_immediate_end(m->list);
}

/* Shows the sum of primary and secondary colour, or the product of their alphas. */
static void show_light(struct maker *m, bool is_alpha) {
	if (is_alpha) {
		TEV(&m->r, 0, RGB2(MODULATE, FRAGMENT_PRIMARY, FRAGMENT_SECONDARY), ALPHA1(PRIMARY),
				.rgb_operand = { PICA_TEV_OPERAND_RGB_ALPHA,
						PICA_TEV_OPERAND_RGB_ALPHA },
				.rgb_scale = PICA_TEV_SCALE_X1);
	} else {
		TEV(&m->r, 0, RGB2(ADD, FRAGMENT_PRIMARY, FRAGMENT_SECONDARY), ALPHA1(PRIMARY));
	}
}

#define INPUT(name) PICA_LIGHT_INPUT_##name
#define LOOKUP(in, by, sign)                                                                       \
	{ .enable = true, .input = INPUT(in), .scale = PICA_LIGHT_SCALE_##by, .is_signed = sign }

enum { ALPHA = 1, BUMP = 2, TWO = 4, EDGE = 8 /* the picture has one colour */ };

/*
 * Rows: name, rule, flags, the lighting, the light. They start from pica_lighting_init() and
 * pica_light_init(), with two specular colours, light from the side.
 */
static const struct {
	const char *name, *rule;
	unsigned flags;
	struct pica_lighting l;
	struct pica_light a;
} rows[] = {
#define L .l =
#define A .a =
	{ "diffuse-directional", "light-terms", 0, A{ .is_directional = true } },
	{ "diffuse-positional", "lights", 0, A{ .position = { 0.5f, 0.75f, 0.5f } } },
	{ "diffuse-two-sided", "light-terms", 0,
			A{ .is_directional = true,
					.is_two_sided = true,
					.position = { 1, 0.5f, -1 } } },
	{ "diffuse-from-behind", "light-terms", 0,
			A{ .is_directional = true, .position = { 1, 0.5f, -1 } } },
	{ "ambient", "light-terms", 0, L{ .ambient = 0x402030 }, A{ .ambient = 0x206010 } },
	{ "specular-0", "light-terms", EDGE, A{ .specular0 = 0x4080C0 } },
	{ "specular-1", "light-terms", EDGE, A{ .specular1 = 0xC08040 } },
	{ "geometric-0", "light-terms", 0, A{ .specular0 = 0xFFFFFF, .geometric0 = true } },
	{ "geometric-1", "light-terms", 0, A{ .specular1 = 0xFFFFFF, .geometric1 = true } },
	{ "highlights-clamped", "light-terms", 0, L{ .clamp_highlights = true },
			A{ .specular0 = 0x808080,
					.is_directional = true,
					.position = { 1, 0.5f, -0.25f } } },
	{ "highlights-not-clamped", "light-terms", EDGE,
			A{ .specular0 = 0x808080,
					.is_directional = true,
					.position = { 1, 0.5f, -0.25f } } },
	{ "d0-n-h", "light-lookup", 0, L{ .d0 = LOOKUP(NH, X1, true) },
			A{ .specular0 = 0xFFFFFF } },
	{ "d0-v-h", "light-lookup", 0, L{ .d0 = LOOKUP(VH, X1, true) },
			A{ .specular0 = 0xFFFFFF } },
	{ "d0-n-v", "light-lookup", 0, L{ .d0 = LOOKUP(NV, X1, true) },
			A{ .specular0 = 0xFFFFFF } },
	{ "d0-l-n", "light-lookup", 0, L{ .d0 = LOOKUP(LN, X1, true) },
			A{ .specular0 = 0xFFFFFF } },
	{ "d0-spot", "light-lookup", 0, L{ .d0 = LOOKUP(SPOT, X1, true) },
			A{ .specular0 = 0xFFFFFF } },
	{ "d0-cos-phi", "light-lookup", 0, L{ .layers = 8, .d0 = LOOKUP(CP, X1, true) },
			A{ .specular0 = 0xFFFFFF } },
	{ "d0-cos-phi-without-configuration-8", "light-lookup", EDGE, L{ .d0 = LOOKUP(CP, X1, true) },
			A{ .specular0 = 0xFFFFFF } },
	{ "d0-absolute", "light-lookup", 0, L{ .d0 = LOOKUP(LN, X1, false) },
			A{ .specular0 = 0xFFFFFF } },
	{ "d0-absolute-two-sided", "light-lookup", 0, L{ .d0 = LOOKUP(LN, X1, false) },
			A{ .specular0 = 0xFFFFFF, .is_two_sided = true } },
	{ "d0-scale-2", "light-lookup", 0, L{ .d0 = LOOKUP(LN, X2, true) },
			A{ .specular0 = 0x404040 } },
	{ "d0-scale-4", "light-lookup", 0, L{ .d0 = LOOKUP(LN, X4, true) },
			A{ .specular0 = 0x404040 } },
	{ "d0-scale-8", "light-lookup", 0, L{ .d0 = LOOKUP(LN, X8, true) },
			A{ .specular0 = 0x202020 } },
	{ "d0-scale-quarter", "light-lookup", 0, L{ .d0 = LOOKUP(LN, QUARTER, true) },
			A{ .specular0 = 0xFFFFFF } },
	{ "d0-scale-half", "light-lookup", 0, L{ .d0 = LOOKUP(LN, HALF, true) },
			A{ .specular0 = 0xFFFFFF } },
	{ "d1", "lighting-tables", 0, L{ .layers = 2, .d1 = LOOKUP(NH, X1, true) },
			A{ .specular1 = 0xFFFFFF } },
	{ "rr", "lighting-tables", 0, L{ .rr = LOOKUP(NH, X1, true) }, A{ .specular1 = 0xFFFFFF } },
	{ "rr-rg-rb", "lighting-tables", 0,
			L{ .layers = 4,
					.rr = LOOKUP(NH, X1, true),
					.rg = LOOKUP(LN, X1, true),
					.rb = LOOKUP(NV, X1, true) },
			A{ .specular1 = 0xFFFFFF } },
	{ "rg-without-its-configuration-is-rr", "lighting-tables", 0,
			L{ .layers = 0, .rr = LOOKUP(NH, X1, true), .rg = LOOKUP(LN, X1, true) },
			A{ .specular1 = 0xFFFFFF } },
	{ "d0-without-its-configuration", "lighting-tables", EDGE,
			L{ .layers = 1, .d0 = LOOKUP(LN, X1, true) }, A{ .specular0 = 0x808080 } },
	{ "d1-without-its-configuration", "lighting-tables", EDGE,
			L{ .layers = 0, .d1 = LOOKUP(LN, X1, true) }, A{ .specular1 = 0x808080 } },
	{ "fresnel-primary", "fresnel", ALPHA,
			L{ .layers = 1, .fr = LOOKUP(NV, X1, true), .fresnel_primary = true },
			A{ .diffuse = 0 } },
	{ "fresnel-secondary", "fresnel", ALPHA,
			L{ .layers = 1, .fr = LOOKUP(NV, X1, true), .fresnel_secondary = true },
			A{ .diffuse = 0 } },
	{ "fresnel-of-the-last-light", "fresnel", ALPHA | TWO,
			L{ .count = 2,
					.order = { 0, 1 },
					.layers = 1,
					.fr = LOOKUP(LN, X1, true),
					.fresnel_primary = true,
					.fresnel_secondary = true },
			A{ .diffuse = 0 } },
	{ "spot", "light-terms", 0,
			L{ .spot_lights = 1, .sp = { .input = INPUT(SPOT), .is_signed = true } },
			A{ .position = { 0.5f, 0.5f, 1 }, .spot = { 0, 0, -1 } } },
	{ "spot-direction", "light-terms", 0,
			L{ .spot_lights = 1, .sp = { .input = INPUT(SPOT), .is_signed = true } },
			A{ .position = { 0.5f, 0.5f, 1 }, .spot = { 0.5f, -0.25f, -0.75f } } },
	{ "spot-without-its-configuration", "lighting-tables", 0,
			L{ .layers = 2,
					.spot_lights = 1,
					.sp = { .input = INPUT(SPOT), .is_signed = true } },
			A{ .spot = { 0, 0, -1 } } },
	{ "distance", "light-terms", 0, L{ .distance_lights = 1 },
			A{ .position = { 0.5f, 0.5f, 1 },
					.distance_scale = 0.25f,
					.distance_bias = 0.125f } },
	{ "two-lights", "lights", TWO, L{ .count = 2, .order = { 0, 1 } },
			A{ .diffuse = 0x4040FF } },
	{ "two-lights-permuted", "lights", TWO, L{ .count = 1, .order = { 1 } },
			A{ .diffuse = 0x4040FF } },
	{ "switches-by-number", "lighting-disable", TWO,
			L{ .count = 2,
					.order = { 1, 0 },
					.spot_lights = 2,
					.sp = { .input = INPUT(SPOT), .is_signed = true } },
			A{ .diffuse = 0x4040FF } },
	{ "bump", "lighting-inputs", BUMP, L{ .bump = PICA_BUMP_NORMAL },
			A{ .is_directional = true } },
	{ "bump-keeps-z", "lighting-inputs", BUMP,
			L{ .bump = PICA_BUMP_NORMAL, .bump_keep_z = true },
			A{ .is_directional = true } },
	{ "bump-of-a-unit-that-is-off", "lighting-inputs", EDGE,
			L{ .bump = PICA_BUMP_NORMAL, .bump_keep_z = true },
			A{ .is_directional = true } },
	{ "tangent-map", "lighting-inputs", BUMP,
			L{ .layers = 8, .bump = PICA_BUMP_TANGENT, .d0 = LOOKUP(CP, X1, true) },
			A{ .specular0 = 0xFFFFFF } },
	{ "shadow-primary", "lighting-config", BUMP | EDGE,
			L{ .shadow = true, .shadow_primary = true, .shadow_lights = 1 },
			A{ .ambient = 0x202020, .specular0 = 0x101010 } },
	{ "shadow-secondary", "lighting-config", BUMP,
			L{ .shadow = true, .shadow_secondary = true, .shadow_lights = 1 },
			A{ .specular0 = 0xC0C0C0 } },
	{ "shadow-inverted", "lighting-config", BUMP,
			L{ .shadow = true,
					.shadow_primary = true,
					.shadow_lights = 1,
					.shadow_invert = true },
			A{ .diffuse = 0xFFFFFF } },
	{ "shadow-of-another-light", "lighting-disable", BUMP,
			L{ .shadow = true, .shadow_primary = true, .shadow_lights = 2 },
			A{ .diffuse = 0xFFFFFF } },
	{ "shadow-alpha", "lighting-config", BUMP | ALPHA,
			L{ .layers = 1,
					.fr = LOOKUP(NV, X1, true),
					.fresnel_primary = true,
					.shadow = true,
					.shadow_alpha = true },
			A{ .diffuse = 0 } },
#undef L
#undef A
};

/* Fills what a row leaves out. */
static void complete(struct pica_lighting *l, struct pica_light *a, unsigned i) {
	struct pica_lighting usual;
	struct pica_light light;
	pica_lighting_init(&usual);
	pica_light_init(&light);
	*l = rows[i].l;
	*a = rows[i].a;
	l->count = l->count ? l->count : 1;
	const bool is_dark = a->specular0 || a->specular1 || rows[i].flags & ALPHA;
	a->diffuse = a->diffuse ? a->diffuse : is_dark ? 0 : light.diffuse;
	if (!a->position[0] && !a->position[1] && !a->position[2]) {
		a->position[0] = 1;
		a->position[1] = 0.5f;
		a->position[2] = 1;
	}
	a->distance_scale = a->distance_scale ? a->distance_scale : light.distance_scale;
	if (!a->spot[0] && !a->spot[1] && !a->spot[2]) {
		memcpy(a->spot, light.spot, sizeof(a->spot));
	}
}

static void make_ball(struct maker *m) {
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		struct pica_lighting l;
		struct pica_light a, second;
		if (!case_begin(m, ORIGIN_RENDERERS, rows[i].rule, 32, 32, "light-%s",
				    rows[i].name)) {
			return;
		}
		complete(&l, &a, i);
		if (rows[i].flags & BUMP) {
			EACH_PIXEL(m, x, y) {
				m->texels[y][x] = (96 + 16 * (x / 4 % 5)) << 24 |
						(96 + 16 * (y / 4 % 5)) << 16 | 0xC0FF;
			}
			case_texture(m, 0, 1);
		}
		use_program(&m->r, light_program);
		pica_emit_lighting(m->list, &l);
		pica_emit_light(m->list, 0, &a);
		if (rows[i].flags & TWO) {
			pica_light_init(&second);
			second.diffuse = rows[i].flags & ALPHA ? 0 : 0x30FF60;
			memcpy(second.position, (const float[3]){ -1, -0.5f, 1 },
					sizeof(second.position));
			pica_emit_light(m->list, 1, &second);
		}
		upload_all(m, &l);
		show_light(m, rows[i].flags & ALPHA);
		draw_ball(m);
		if (rows[i].flags & EDGE) {
			case_edge(m);
		}
		case_end(m);
	}
}

/* ---- Single vectors, with results by hand ---- */

static void make_vectors(struct maker *m) {
	static const struct {
		const char *name, *rule;
		enum origin origin;
		float light[3], view[3];
		bool clamp, two_sided, geometric, secondary;
		unsigned diffuse, ambient, specular;
		unsigned result;
	} vectors[] = {
		{ "front-primary", "lighting-numbers", ORIGIN_RULE, { 0, 0, 1 }, { 0, 0, 1 }, false,
				false, false, false, 255, 51, 128, 255 },
		{ "front-secondary", "lighting-numbers", ORIGIN_RULE, { 0, 0, 1 }, { 0, 0, 1 },
				false, false, false, true, 255, 51, 128, 128 },
		{ "back-primary", "lighting-numbers", ORIGIN_RULE, { 0, 0, -1 }, { 0, 0, 1 }, false,
				false, false, false, 255, 51, 128, 51 },
		{ "back-secondary", "lighting-numbers", ORIGIN_RULE, { 0, 0, -1 }, { 0, 0, 1 },
				false, false, false, true, 255, 51, 128, 128 },
		{ "back-secondary-clamped", "lighting-numbers", ORIGIN_RULE, { 0, 0, -1 },
				{ 0, 0, 1 }, true, false, false, true, 255, 51, 128, 0 },
		{ "back-two-sided", "lighting-numbers", ORIGIN_RULE, { 0, 0, -1 }, { 0, 0, 1 },
				false, true, false, false, 255, 51, 128, 255 },
		/* min(D / |l + V|^2, 1): 1/4, 0.3125, 0.41667 of 255. */
		{ "geometric-front", "light-terms", ORIGIN_RULE, { 0, 0, 1 }, { 0, 0, 1 }, false,
				false, true, true, 0, 0, 255, 64 },
		{ "geometric-36-degrees", "light-terms", ORIGIN_RULE, { 0.6f, 0, 0.8f },
				{ -0.6f, 0, 0.8f }, false, false, true, true, 0, 0, 255, 80 },
		{ "geometric-53-degrees", "light-terms", ORIGIN_RULE, { 0.8f, 0, 0.6f },
				{ -0.8f, 0, 0.6f }, false, false, true, true, 0, 0, 255, 106 },
	};
	for (unsigned i = 0; i < ARRAY_LEN(vectors); i++) {
		struct pica_lighting l;
		struct pica_light a;
		if (!case_begin(m, vectors[i].origin, vectors[i].rule, 16, 16, "light-%s",
				    vectors[i].name)) {
			return;
		}
		pica_lighting_init(&l);
		pica_light_init(&a);
		l.clamp_highlights = vectors[i].clamp;
		a.is_directional = true;
		a.is_two_sided = vectors[i].two_sided;
		a.geometric0 = vectors[i].geometric;
		a.diffuse = vectors[i].diffuse * 0x10101u;
		a.ambient = vectors[i].ambient * 0x10101u;
		a.specular0 = vectors[i].specular * 0x10101u;
		memcpy(a.position, vectors[i].light, sizeof(a.position));
		use_program(&m->r, light_program);
		pica_emit_lighting(m->list, &l);
		pica_emit_light(m->list, 0, &a);
		TEV(&m->r, 0,
				.rgb_source = { vectors[i].secondary ?
								PICA_TEV_SOURCE_FRAGMENT_SECONDARY :
								PICA_TEV_SOURCE_FRAGMENT_PRIMARY },
				ALPHA1(PRIMARY));
		pica_emit_inputs(m->list, 4, PICA_IDENTITY_INPUTS);
		pica_emit_immediate_begin(m->list, PICA_PRIMITIVE_STRIP);
		for (unsigned k = 0; k < 4; k++) {
			const float *view = vectors[i].view;
			const float all[16] = { k & 1 ? 1 : -1, k & 2 ? 1 : -1, -0.5f, 1, 0, 0, 0,
				1, view[0], view[1], view[2], 0, 0, 0, 0, 0 };
			pica_emit_immediate(m->list, all, 4);
		}
		pica_emit_immediate_end(m->list);
		EACH_PIXEL(m, x, y) {
			m->want[y][x] = gray(vectors[i].result);
		}
		case_end(m);
	}
}

void make_light(struct maker *m) {
	make_ball(m);
	make_vectors(m);
}
