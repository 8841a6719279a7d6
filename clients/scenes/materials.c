/*
 * Six materials of fragment lighting, one layer configuration each, all with a normal or tangent
 * map. Top: balls; bottom: rings; a key light from the upper left and a fill light from the right.
 *
 *   plastic   0  one sharp highlight (D0 of N.H), dimples
 *   velvet    1  no highlight: Fresnel (FR of N.V) into alpha, which the combiner takes for the rim
 *   glaze     3  two highlights, sharp and broad (D0, D1), and Fresnel for the surroundings
 *   gold      4  a highlight in the colours of RR, RG, RB (by V.H), dimmed by the geometric factor
 *   pearl     5  RR, RG, RB by N.V: another colour at each angle
 *   brushed   8  a highlight across the tangent: D1 of cos phi times RR of N.H
 */
#include "kit.h"

enum { FRAMES = 2, MATERIALS = 6, PANEL_W = 124, PANEL_H = 100 };

/* ---- Surfaces ---- */

/* Rows of round dents, every second row moved by half. */
static double dimples(double u, double v) {
	double x = u * 4, y = v * 4;
	x += (int)y % 2 ? 0.5 : 0;
	x = x - (int)x - 0.5;
	y = y - (int)y - 0.5;
	const double far = (x * x + y * y) * 6;
	return far < 1 ? (far - 1) * (1 - far) : 0;
}

/* Woven threads. */
static double weave(double u, double v) {
	const double a = turn_cos(u * 8), b = turn_cos(v * 8);
	return 0.25 * (a + b) + 0.2 * a * b;
}

/* Low waves without a direction. */
static double waves(double u, double v) {
	return 0.4 * turn_sin(u * 2 + 0.2 * turn_sin(v)) * turn_sin(v * 3) +
			0.2 * turn_cos(u * 5 + v * 4);
}

/* Dents of a hammer: in a 5 x 5 grid, with random offsets. */
static double hammered(double u, double v) {
	double deepest = 0;
	for (int j = -1; j <= 5; j++) {
		for (int i = -1; i <= 5; i++) {
			const unsigned k = (unsigned)((i + 5) % 5 * 7 + (j + 5) % 5 * 3);
			const double x = (i + 0.5 + 0.4 * turn_sin(k / 11.0)) / 5 - u;
			const double y = (j + 0.5 + 0.4 * turn_cos(k / 7.0)) / 5 - v;
			const double dent = 1 - (x * x + y * y) * 40;
			deepest = dent > deepest ? dent : deepest;
		}
	}
	return -deepest;
}

/* Tangents that vary slightly from line to line, as in brushed metal. */
static void brush_picture(unsigned x, unsigned y, unsigned n, uint8_t rgba[4]) {
	const double turn =
			0.02 * turn_sin((double)(y * 37 % n) / n) + 0.01 * turn_sin((double)x / n);
	rgba[0] = (uint8_t)(127.5 * (1 + turn_cos(turn)) + 0.5);
	rgba[1] = (uint8_t)(127.5 * (1 + turn_sin(turn)) + 0.5);
	rgba[2] = 128;
	rgba[3] = 255;
}

/* ---- Curves of the tables ---- */

/* A narrow peak at x = 0, for the cosine between half vector and tangent. */
static float narrow(float x, void *arg) {
	const float y = 1 - x * x * 6;
	return y > 0 ? y * y : 0;
}

static float line(float x, void *arg) {
	const float *ends = arg; /* at 0 and at 1 */
	x = x > 0 ? x : 0;
	return ends[0] + (ends[1] - ends[0]) * x;
}

/* A wave over the angle, with a phase. */
static float tint(float x, void *arg) {
	x = x > 0 ? x : 0;
	return (float)(0.5 + 0.5 * turn_cos(0.9 * (1 - x) + *(const double *)arg));
}

/* ---- Materials ---- */

static struct {
	struct mesh ball, ring;
	struct pica_texture map[MATERIALS];
} own;

/* Positions and brightness of both lights; the colours are the material's. */
static void emit_lights(struct recorder *r, unsigned frame, const struct pica_light *material) {
	static const float places[2][3] = { { -0.55f, 0.6f, 0.6f }, { 0.9f, -0.1f, 0.35f } };
	struct pica_light light = *material;
	for (unsigned i = 0; i < 2; i++) {
		vec3_set(light.position, places[i][0] + (i == 0 ? 0.25f * (float)frame : 0),
				places[i][1], places[i][2]);
		if (i == 1) { /* a third of it, and bluer */
			light.diffuse = mix_color(material->diffuse, 0x301008, 0.75) & 0xFFFFFF;
			light.specular0 = mix_color(material->specular0, 0x180C04, 0.75) & 0xFFFFFF;
			light.specular1 = mix_color(material->specular1, 0x180C04, 0.75) & 0xFFFFFF;
		}
		pica_emit_light(&r->list, i, &light);
	}
}

/* Stage 0: primary; stage 1: with secondary added; the others pass. */
static void emit_plain_stages(struct recorder *r) {
	TEV(r, 0, RGB2(ADD, FRAGMENT_PRIMARY, FRAGMENT_SECONDARY), ALPHA1(CONSTANT),
			.color = 0xFF000000);
	tev_pass(r, 1, 1);
}

/* Stage 0 as above; stage 1 blends towards a colour by the alpha from Fresnel. */
static void emit_rim_stages(struct recorder *r, uint32_t rim, uint32_t alpha_source) {
	emit_plain_stages(r);
	TEV(r, 1,
			.rgb_source = { PICA_TEV_SOURCE_CONSTANT, PICA_TEV_SOURCE_PREVIOUS,
					alpha_source },
			ALPHA1(PREVIOUS), .rgb_operand = { 0, 0, PICA_TEV_OPERAND_RGB_ALPHA },
			.rgb_op = PICA_TEV_OP_INTERPOLATE, .color = rim);
}

#define BY(in) { .enable = true, .input = PICA_LIGHT_INPUT_##in, .is_signed = true }
#define CURVE(table, f, type, ...) { PICA_LIGHT_TABLE_##table, f, (type[]){ __VA_ARGS__ } }
#define POWER(table, exponent) CURVE(table, lit_power, unsigned, exponent)

static const struct material {
	const char *name;
	lit_height_fn *height; /* NULL: brush_picture */
	double scale;
	uint8_t layers;
	uint32_t rim, rim_source; /* source 0: plain stages */
	uint32_t diffuse, specular0, specular1;
	struct pica_light_lookup d0, d1, fr, rr, rg, rb;
	struct {
		uint32_t table;
		float (*f)(float, void *);
		void *arg;
	} curves[4]; /* as many as have a function */
} materials[MATERIALS] = {
	{ "0 plastic", dimples, 0.1, 0, .diffuse = 0x2048D0, .specular0 = 0xE8E8E8, .d0 = BY(NH),
			.curves = { POWER(D0, 64) } },
	{ "1 velvet", weave, 0.05, 1, 0xFFF0B0E8, PICA_TEV_SOURCE_FRAGMENT_PRIMARY,
			.diffuse = 0x501478, .fr = BY(NV),
			.curves = { CURVE(FR, lit_rim, unsigned, 2) } },
	{ "3 glaze", waves, 0.035, 3, 0xFFFFE0B8, PICA_TEV_SOURCE_FRAGMENT_SECONDARY,
			.diffuse = 0x305810, .specular0 = 0xFFFFFF, .specular1 = 0x404030,
			.d0 = BY(NH), .d1 = BY(NH), .fr = BY(NV),
			.curves = { POWER(D0, 128), POWER(D1, 8),
				CURVE(FR, lit_rim, unsigned, 4) } },
	{ "4 gold", hammered, 0.045, 4, .diffuse = 0x082848, .specular1 = 0xFFFFFF, .d1 = BY(NH),
			.rr = BY(VH), .rg = BY(VH), .rb = BY(VH),
			.curves = { POWER(D1, 16), CURVE(RR, line, float, 1, 1),
				CURVE(RG, line, float, 0.95f, 0.76f),
				CURVE(RB, line, float, 0.9f, 0.3f) } },
	{ "5 pearl", waves, 0.02, 5, .diffuse = 0x707078, .specular0 = 0xC0C0C0,
			.specular1 = 0x686868,
			.d0 = BY(NH), .rr = BY(NV), .rg = BY(NV), .rb = BY(NV),
			.curves = { POWER(D0, 64), CURVE(RR, tint, double, 0),
				CURVE(RG, tint, double, 0.3), CURVE(RB, tint, double, 0.6) } },
	{ "8 brushed", NULL, 0, 8, .diffuse = 0x383430, .specular1 = 0xF0F0F0, .d1 = BY(CP),
			.rr = BY(NH),
			.curves = { CURVE(D1, narrow, unsigned, 0), POWER(RR, 4) } },
};

static void use_material(struct recorder *r, unsigned i, unsigned frame) {
	const struct material *m = &materials[i];
	struct pica_lighting l;
	struct pica_light light;
	for (unsigned k = 0; k < COUNT(m->curves) && m->curves[k].f; k++) {
		lit_table(r, m->curves[k].table, true, m->curves[k].f, m->curves[k].arg);
	}
	if (m->rim_source) {
		emit_rim_stages(r, m->rim, m->rim_source);
	} else {
		emit_plain_stages(r);
	}
	pica_lighting_init(&l);
	l.count = 2;
	l.ambient = 0x101010;
	l.bump = m->height ? PICA_BUMP_NORMAL : PICA_BUMP_TANGENT;
	l.layers = m->layers;
#define TAKE(lookup) l.lookup = m->lookup.enable ? m->lookup : l.lookup
	TAKE(d0);
	TAKE(d1);
	TAKE(fr);
	TAKE(rr);
	TAKE(rg);
	TAKE(rb);
#undef TAKE
	l.fresnel_primary = m->rim_source == PICA_TEV_SOURCE_FRAGMENT_PRIMARY;
	l.fresnel_secondary = m->rim_source == PICA_TEV_SOURCE_FRAGMENT_SECONDARY;
	pica_light_init(&light);
	light.diffuse = m->diffuse;
	light.specular0 = m->specular0;
	light.specular1 = m->specular1;
	if (m->rr.input == PICA_LIGHT_INPUT_VH) {
		/* gold: in front, the geometric factor is a quarter */
		l.d1.scale = PICA_LIGHT_SCALE_X4;
		light.geometric1 = true;
	}
	pica_emit_lighting(&r->list, &l);
	emit_lights(r, frame, &light);
	use_texture(r, &own.map[i]);
}

/* ---- Pictures ---- */

static int panel_x(unsigned i, unsigned width) {
	return (int)(width - 3 * (PANEL_W - (width < TOP_WIDTH ? 22 : 0))) / 4 * (int)(i % 3 + 1) +
			(int)(i % 3) * (PANEL_W - (width < TOP_WIDTH ? 22 : 0));
}

static int panel_y(unsigned i) {
	return 14 + (int)(i / 3) * (PANEL_H + 13);
}

static void draw_screen(struct recorder *r, unsigned frame) {
	const unsigned width = r->width;
	const bool is_top = width == TOP_WIDTH;
	const unsigned panel_w = is_top ? PANEL_W : PANEL_W - 22;
	for (unsigned i = 0; i < MATERIALS; i++) {
		canvas_sky(r, panel_x(i, width), panel_y(i), (int)panel_w, PANEL_H, 0x30343CFF,
				0x08090CFF);
	}
	canvas_draw(r);
	blend_off(r);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	depth_on(r);
	struct mat4 lens = mat4_tilt(mat4_perspective(30 / 360.0, (double)panel_w / PANEL_H, 1,
			10));
	lit_use(r, lens);
	for (unsigned i = 0; i < MATERIALS; i++) {
		struct mat4 model = mat4_mul(
				mat4_rotate_x(is_top ? 0.06 : -0.09), mat4_rotate_y(frame / 24.0));
		model = mat4_mul(mat4_translate(0, 0, -4.4f), model);
		use_material(r, i, frame);
		recorder_viewport(r, panel_x(i, width), panel_y(i), panel_w, PANEL_H);
		lit_draw(r, is_top ? &own.ball : &own.ring, model);
		canvas_label(r, panel_x(i, width) + (int)panel_w / 2, panel_y(i) + PANEL_H + 2,
				materials[i].name);
	}
	pica_emit_lighting(&r->list, NULL);
	bodies_end(r);
	tev_pass(r, 1, 1);
	recorder_viewport(r, 0, 0, width, SCREEN_HEIGHT);
	canvas_title(r, "fragment lighting: layer configurations");
	canvas_draw(r);
}

static void store(struct recorder *r) {
	for (unsigned i = 0; i < MATERIALS; i++) {
		if (materials[i].height) {
			own.map[i] = lit_normal_map(
					r, 64, 1, materials[i].height, materials[i].scale);
		} else {
			own.map[i] = store_texture(r, PICA_TEXTURE_FORMAT_RGB8, 64, 1,
					brush_picture);
			set_wrap(&own.map[i], PICA_WRAP_REPEAT);
		}
	}
	own.ball = lit_patch(r, lit_ball, 48, 24, 4, 2);
	own.ring = lit_patch(r, lit_ring, 48, 24, 4, 2);
}

const struct scene scene_materials = {
	.name = "materials",
	.what = "six materials of the fragment lighting, a layer configuration and a map each",
	.frames = FRAMES, .has_canvas = true, .top = 0x16181EFF, .bottom = 0x16181EFF,
	.store = store, .draw_top = draw_screen, .draw_bottom = draw_screen,
};
