/*
 * Cartoon light from tables (layer configuration 6): D0 of L.N has three steps, D1 of N.H is a
 * highlight with a sharp edge, FR of N.V draws ink where the surface turns away. Bottom: the same
 * bodies and the same registers with smooth tables.
 */
#include "kit.h"

enum { FRAMES = 2, BODIES = 3 };

/* A mushroom-shaped top: its outline, pairs of radius and height along v. */
static void top_point(double u, double v, double p[3]) {
	static const double outline[][2] = { { 0.02, -1.1 }, { 0.1, -0.95 }, { 0.16, -0.7 },
		{ 0.3, -0.45 }, { 0.62, -0.2 }, { 0.95, 0.05 }, { 1.02, 0.25 }, { 0.9, 0.42 },
		{ 0.55, 0.52 }, { 0.22, 0.6 }, { 0.14, 0.74 }, { 0.2, 0.9 }, { 0.16, 1.02 },
		{ 0.02, 1.08 } };
	lit_lathe(u, v, outline, COUNT(outline), true, p);
}

/* ---- Tables ---- */

static float stair(float x, void *arg) {
	return x < 0.02f ? 0.38f : x < 0.5f ? 0.72f : 1.0f;
}

static float smooth(float x, void *arg) {
	return x < 0 ? 0.3f : 0.3f + 0.7f * x;
}

static float edged(float x, void *arg) {
	return x > 0.965f ? 0.8f : 0;
}

/* The remaining part of the colour. */
static float ink(float x, void *arg) {
	return x < 0.28f ? 0 : x < 0.34f ? (x - 0.28f) / 0.06f : 1;
}

static float no_ink(float x, void *arg) {
	return 1;
}

static void emit_tables(struct recorder *r, bool is_smooth) {
	unsigned gloss = 32;
	lit_table(r, PICA_LIGHT_TABLE_D0, true, is_smooth ? smooth : stair, NULL);
	lit_table(r, PICA_LIGHT_TABLE_D1, true, is_smooth ? lit_power : edged, &gloss);
	lit_table(r, PICA_LIGHT_TABLE_FR, true, is_smooth ? no_ink : ink, NULL);
}

/* The light has the body's colours, so the secondary colour is the whole result. */
static void emit_light(struct recorder *r, uint32_t color, unsigned frame) {
	struct pica_lighting lighting;
	struct pica_light light;
	pica_lighting_init(&lighting);
	lighting.layers = 6;
	lighting.d0 = lit_by(PICA_LIGHT_INPUT_LN);
	lighting.d1 = lit_by(PICA_LIGHT_INPUT_NH);
	lighting.fr = lit_by(PICA_LIGHT_INPUT_NV);
	lighting.fresnel_secondary = true;
	pica_emit_lighting(&r->list, &lighting);
	pica_light_init(&light);
	light.diffuse = 0;
	light.specular0 = color;
	light.specular1 = 0xFFFFFF;
	vec3_set(light.position, -0.6f + 0.35f * (float)frame, 0.8f, 0.7f);
	pica_emit_light(&r->list, 0, &light);
}

/* The secondary colour, darkened by its own alpha. */
static void emit_stages(struct recorder *r) {
	TEV(r, 0, RGB2(MODULATE, FRAGMENT_SECONDARY, FRAGMENT_SECONDARY), ALPHA1(CONSTANT),
			.rgb_operand = { 0, PICA_TEV_OPERAND_RGB_ALPHA }, .color = 0xFF000000);
}

/* ---- Pictures ---- */

static struct {
	struct mesh body[BODIES];
} own;

/* A wall in two colours with rays on it, and a table. */
static void draw_backdrop(struct recorder *r, unsigned width, bool is_smooth) {
	static const uint32_t wall[2] = { 0xF4E8C8FF, 0xF8D890FF };
	const int w = (int)width;
	if (is_smooth) {
		canvas_sky(r, 0, 0, w, 170, 0xB8B4ACFF, 0xE8E4DCFF);
		canvas_sky(r, 0, 170, w, 70, 0xA8A098FF, 0x787068FF);
	} else {
		canvas_rect(r, 0, 0, w, 170, wall[0]);
		for (int i = 0; i < w / 40; i += 2) {
			canvas_rect(r, 40 * i, 0, 40, 170, wall[1]);
		}
		canvas_rect(r, 0, 168, w, 3, 0x201810FF);
		canvas_rect(r, 0, 171, w, 40, 0xB88850FF);
		canvas_rect(r, 0, 211, w, 29, 0x987040FF);
	}
	canvas_draw(r);
	blend_off(r);
}

static void draw_bodies(struct recorder *r, unsigned width, unsigned frame) {
	static const uint32_t colors[BODIES] = { 0x28B4FF, 0x4060FF, 0xE0A030 };
	/* They overlap, separated by ink. */
	static const float place[BODIES][4] = { { -1.95f, -0.25f, 0.0f, 1.16f },
		{ 0.05f, 0.12f, -0.9f, 1.5f }, { 1.98f, -0.3f, 0.1f, 1.1f } };
	emit_stages(r);
	use_units(r, 0);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	depth_on(r);
	lit_use(r, mat4_tilt(screen_lens(width, 34, 1, 20)));
	for (unsigned i = 0; i < BODIES; i++) {
		const float *at = place[i], closer = width < TOP_WIDTH ? 0.8f : 1;
		struct mat4 model = mat4_mul(mat4_rotate_x(i == 1 ? -0.06 : 0.07),
				mat4_rotate_z(i == 1 ? 0.06 : -0.03));
		model = mat4_mul(model, mat4_rotate_y(frame / 20.0 + i / 5.0));
		model = mat4_mul3(mat4_translate(closer * at[0], at[1], at[2] - 6.4f), model,
				mat4_scale(closer * at[3], closer * at[3], closer * at[3]));
		emit_light(r, colors[i], frame);
		lit_draw(r, &own.body[i], model);
	}
	pica_emit_lighting(&r->list, NULL);
	bodies_end(r);
}

static void store(struct recorder *r) {
	own.body[0] = lit_patch(r, lit_ball, 48, 32, 1, 1);
	own.body[1] = lit_patch(r, top_point, 48, 65, 1, 1);
	own.body[2] = lit_patch(r, lit_ring, 48, 28, 1, 1);
}

static void draw_top(struct recorder *r, unsigned frame) {
	draw_backdrop(r, TOP_WIDTH, false);
	emit_tables(r, false);
	draw_bodies(r, TOP_WIDTH, frame);
}

static void draw_bottom(struct recorder *r, unsigned frame) {
	draw_backdrop(r, BOTTOM_WIDTH, true);
	emit_tables(r, true);
	draw_bodies(r, BOTTOM_WIDTH, frame);
}

const struct scene scene_toon = {
	.name = "toon",
	.what = "cartoon light by tables: steps of L.N, ink of N.V; below the same with smooth tables",
	.frames = FRAMES, .has_canvas = true, .top = 0xF4E8C8FF, .bottom = 0xD8D4CCFF,
	.store = store, .draw_top = draw_top, .draw_bottom = draw_bottom,
};
