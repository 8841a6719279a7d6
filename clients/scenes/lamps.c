/*
 * Three coloured spot lights sweep over a wet pavement with columns, which cast shadows. Each lamp
 * has a position and a direction: table SP makes a cone from the angle, table DA makes it fade with
 * the distance, D0 is the wet gloss. A shadow map, drawn from the lamp's position, contains the
 * columns; unit 0 compares with it, and the lighting unit applies the result to the lamp alone, not
 * to moonlight, the second light of the same draw. A draw can use one map, so the lamps are added
 * in separate draws. Bottom: the same from above, with hard cones.
 */
#include "kit.h"

enum {
	FRAMES = 3,
	LAMPS = 3,
	MOON = 3, /* its number among the lights */
	COLUMNS = 6, MAP = 256, MAP_BYTES = MAP * MAP * 4, MAPS = FREE_VRAM,
};

static const float range = 8; /* range of a lamp's light and map */

/* ---- The place ---- */

static void floor_point(double u, double v, double p[3]) {
	p[0] = (u - 0.5) * 24;
	p[1] = 0;
	p[2] = (0.5 - v) * 24;
}

/* A column around the y axis, closed at the top; the outline has radius and height along v. */
static void column_point(double u, double v, double p[3]) {
	static const double outline[][2] = { { 0.46, 0 }, { 0.46, 0.12 }, { 0.42, 0.16 },
		{ 0.3, 0.24 }, { 0.27, 0.6 }, { 0.25, 1.2 }, { 0.24, 1.7 }, { 0.3, 1.84 },
		{ 0.42, 1.94 }, { 0.44, 1.98 }, { 0.44, 2.1 }, { 0.40, 2.14 }, { 0.02, 2.15 } };
	lit_lathe(u, v, outline, COUNT(outline), false, p);
}

/* Round stones in rows, every second row moved by half. */
static double stones(double u, double v) {
	double x = u * 3, y = v * 4;
	x += (int)y % 2 ? 0.5 : 0;
	x = (x - (int)x - 0.5) * 2;
	y = (y - (int)y - 0.5) * 2;
	const double a = x * x * x * x, b = y * y * y * y, inside = 1 - a - b;
	return inside > 0 ? inside * (1 + 0.2 * turn_sin(u * 7 + v * 3)) : 0;
}

static double flutes(double u, double v) {
	const double a = turn_cos(u * 4);
	return -a * a;
}

/* ---- Light ---- */

static struct {
	struct mesh pavement, column, bulb;
	struct pica_texture stones, flutes;
} own;

/* A lamp of a frame, in the world. */
struct lamp {
	float place[3], way[3];
	uint32_t color; /* R lowest */
};

static struct lamp lamp_at(unsigned i, unsigned frame) {
	static const uint32_t colors[LAMPS] = { 0x48A0FF, 0xFFC058, 0xA850FF };
	const double sweep = i / 3.0 + frame / 18.0;
	struct lamp l = { .place = { 2.5f * ((float)i - 1), 2.95f,
					  (float)(1.2 * turn_sin(i / 3.0)) - 0.7f },
		.way = { (float)(0.4 * turn_sin(sweep)), -1, (float)(0.3 * turn_cos(sweep)) },
		.color = colors[i] };
	vec3_normalize(l.way);
	return l;
}

/* World to the clip space of the lamp's map, 90 degrees wide. */
static struct mat4 lamp_view(const struct lamp *l) {
	static const float north[3] = { 0, 0, -1 };
	float right[3], up[3];
	vec3_cross(l->way, north, right);
	vec3_normalize(right);
	vec3_cross(right, l->way, up);
	const struct mat4 look = mat4_mul(mat4_look(right, up, l->way),
			mat4_translate(-l->place[0], -l->place[1], -l->place[2]));
	return mat4_mul(mat4_perspective(0.25, 1, 0.25, range), look);
}

/*
 * Eye space to the map: u and v are divided by the third component, the distance as stored in the
 * map, which is 1 at the lamp's range.
 */
static void lamp_map(const struct lamp *l, struct mat4 camera, float rows[3][4]) {
	const struct mat4 m = mat4_mul(lamp_view(l), mat4_inverse(camera));
	for (unsigned k = 0; k < 4; k++) {
		rows[0][k] = (m.m[0][k] + m.m[3][k]) * 0.5f / range;
		rows[1][k] = (m.m[1][k] + m.m[3][k]) * 0.5f / range;
		rows[2][k] = m.m[3][k] / range;
	}
}

/* Full light within 30 degrees of the axis, none beyond 40. */
static float soft_cone(float cosine, void *arg) {
	const float x = (cosine - 0.76f) / 0.1f;
	return x < 0 ? 0 : x > 1 ? 1 : x * x * (3 - 2 * x);
}

static float hard_cone(float cosine, void *arg) {
	return cosine > 0.8f ? 1 : 0;
}

/* Full light at the lamp, none at its range. */
static float fading(float distance, void *arg) {
	const float left = 1 - distance * distance;
	return left * left;
}

static void transform(struct mat4 m, const float v[3], float w, float out[3]) {
	for (unsigned k = 0; k < 3; k++) {
		out[k] = ((m.m[k][0] * v[0] + m.m[k][1] * v[1]) + m.m[k][2] * v[2]) + m.m[k][3] * w;
	}
}

static void emit_tables(struct recorder *r, bool is_hard) {
	unsigned gloss = 64;
	lit_table(r, PICA_LIGHT_TABLE_D0, true, lit_power, &gloss);
	for (unsigned i = 0; i < LAMPS; i++) {
		lit_table(r, PICA_LIGHT_TABLE_SP + i, true, is_hard ? hard_cone : soft_cone, NULL);
		lit_table(r, PICA_LIGHT_TABLE_DA + i, false, fading, NULL);
	}
}

/* Sets one lamp and, with the first lamp, the moon. Positions of lights are in eye space. */
static void emit_lights(struct recorder *r, const struct lamp *lamp, unsigned i, struct mat4 camera)
		{
	static const float moon_way[3] = { -0.55f, 0.8f, 0.35f };
	struct pica_lighting lighting;
	struct pica_light light;
	pica_lighting_init(&lighting);
	lighting.count = i == 0 ? 2 : 1;
	lighting.order[0] = (uint8_t)i;
	lighting.order[1] = MOON;
	lighting.ambient = i == 0 ? 0x180C08 : 0;
	lighting.d0.enable = true;
	lighting.spot_lights = lighting.distance_lights = (1 << LAMPS) - 1;
	lighting.clamp_highlights = true;
	lighting.bump = PICA_BUMP_NORMAL;
	lighting.bump_unit = 1;
	lighting.shadow = lighting.shadow_primary = lighting.shadow_secondary = true;
	lighting.shadow_unit = 0;
	lighting.shadow_lights = (uint8_t)(1 << i);
	pica_emit_lighting(&r->list, &lighting);
	pica_light_init(&light);
	light.is_directional = false;
	light.diffuse = lamp->color;
	light.specular0 = lamp->color;
	pica_light_distance(&light, 1, range);
	transform(camera, lamp->place, 1, light.position);
	transform(camera, lamp->way, 0, light.spot);
	pica_emit_light(&r->list, i, &light);
	pica_light_init(&light);
	light.diffuse = 0x382818;
	light.specular0 = 0x483828;
	transform(camera, moon_way, 0, light.position);
	pica_emit_light(&r->list, MOON, &light);
}

/* Stage 0: the primary colour times the stone's; stage 1 adds gloss. */
static void emit_stages(struct recorder *r) {
	TEV(r, 0, RGB2(MODULATE, FRAGMENT_PRIMARY, CONSTANT), ALPHA1(CONSTANT),
			.color = 0xFFF0F4FF);
	TEV(r, 1, RGB2(ADD, PREVIOUS, FRAGMENT_SECONDARY), ALPHA1(PREVIOUS));
}

static void emit_constant(struct recorder *r, uint32_t color) {
	TEV(r, 0, RGB1(CONSTANT), ALPHA1(CONSTANT), .color = color | 0xFF000000);
	tev_pass(r, 1, 1);
}

/* ---- Pictures ---- */

static void draw_columns(struct recorder *r, struct mat4 camera) {
	for (unsigned i = 0; i < COLUMNS; i++) {
		const float x = (i % 2 ? 1.0f : -1.0f) * 1.9f, z = 1.2f - 2.5f * (float)(i / 2);
		lit_draw(r, &own.column, mat4_mul(camera, mat4_translate(x, 0, z)));
	}
}

/*
 * The map holds the distances of sides that face away from the lamp, so that the lit sides need no
 * bias.
 */
static void draw(struct recorder *r, unsigned frame) {
	for (unsigned i = 0; i < LAMPS; i++) {
		const struct lamp lamp = lamp_at(i, frame);
		recorder_draw_square(r, MAPS + i * MAP_BYTES, MAP);
		pica_emit_fragment_mode(&r->list, PICA_FRAGMENT_MODE_SHADOW);
		pica_emit_shadow(&r->list, 1, 0);
		pica_emit_depth_map(&r->list, PICA_DEPTHMAP_W, 0, 1 / range);
		pica_emit_cull(&r->list, PICA_CULL_FRONT);
		use_units(r, 0);
		emit_constant(r, 0); /* no green: the depth is kept */
		lit_use(r, lamp_view(&lamp));
		draw_columns(r, mat4_identity());
	}
	pica_emit_cull(&r->list, PICA_CULL_NONE);
	pica_emit_depth_map(&r->list, PICA_DEPTHMAP_Z, -1, 0);
	pica_emit_fragment_mode(&r->list, PICA_FRAGMENT_MODE_NORMAL);
}

static void draw_place(struct recorder *r, struct mat4 lens, struct mat4 camera, unsigned frame) {
	lit_use_mapped(r, lens);
	use_units(r, 3);
	pica_emit_shadow_texture(&r->list, true, 0.004f);
	emit_stages(r);
	for (unsigned i = 0; i < LAMPS; i++) {
		struct pica_texture map = texture_at(
				MAPS + i * MAP_BYTES, MAP, MAP, PICA_TEXTURE_FORMAT_RGBA8, 0);
		const struct lamp lamp = lamp_at(i, frame);
		float rows[3][4];
		map.type = PICA_TEXTURE_TYPE_SHADOW_2D;
		if (i == 1) {
			blend_add(r);
			pica_emit_depth_test(&r->list, true, PICA_COMPARE_EQUAL, false, 0xF);
		}
		lamp_map(&lamp, camera, rows);
		lit_map(r, rows);
		emit_lights(r, &lamp, i, camera);
		pica_emit_texture(&r->list, 0, &map);
		pica_emit_texture(&r->list, 1, &own.stones);
		lit_draw(r, &own.pavement, camera);
		pica_emit_texture(&r->list, 1, &own.flutes);
		draw_columns(r, camera);
	}
}

/* The lamps themselves, at full brightness. */
static void draw_bulbs(struct recorder *r, struct mat4 lens, struct mat4 camera, unsigned frame) {
	lit_use(r, lens);
	pica_emit_lighting(&r->list, NULL);
	use_units(r, 0);
	blend_off(r);
	depth_on(r);
	for (unsigned i = 0; i < LAMPS; i++) {
		const struct lamp lamp = lamp_at(i, frame);
		const struct mat4 at = mat4_place(
				lamp.place[0], lamp.place[1], lamp.place[2], 0.11f);
		emit_constant(r, (lamp.color >> 1 & 0x7F7F7F) + 0x808080);
		lit_draw(r, &own.bulb, mat4_mul(camera, at));
	}
}

static void draw_screen(struct recorder *r, unsigned frame) {
	const bool is_top = r->width == TOP_WIDTH;
	struct mat4 camera, lens;
	if (is_top) {
		canvas_sky(r, 0, 0, TOP_WIDTH, 84, 0x080C1CFF, 0x283044FF);
		canvas_draw(r);
		camera = mat4_mul(mat4_rotate_x(18 / 360.0), mat4_translate(0, -2.7f, -6.0f));
	} else {
		camera = mat4_mul(mat4_rotate_x(0.25), mat4_translate(0, -8.9f, 0.9f));
	}
	lens = mat4_tilt(screen_lens(r->width, is_top ? 46 : 42, 0.5, 30));
	emit_tables(r, !is_top);
	blend_off(r);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	depth_on(r);
	draw_place(r, lens, camera, frame);
	draw_bulbs(r, lens, camera, frame);
	bodies_end(r);
}

static void store(struct recorder *r) {
	own.stones = lit_normal_map(r, 64, 4, stones, 0.09);
	own.flutes = lit_normal_map(r, 32, 3, flutes, 0.08);
	own.pavement = lit_patch(r, floor_point, 16, 16, 16, 16);
	own.column = lit_patch(r, column_point, 24, 12, 3, 1);
	own.bulb = lit_patch(r, lit_ball, 12, 8, 1, 1);
}

static void prepare(struct recorder *r) {
	recorder_fill(r, 0, MAPS, LAMPS * MAP_BYTES, 0xFFFFFFFF); /* far, lit */
}

const struct scene scene_lamps = {
	.name = "lamps",
	.what = "three spot lights with shadows and distance attenuation over a wet pavement, from the side and from above",
	.frames = FRAMES, .has_canvas = true, .top = 0x080C1CFF, .bottom = 0x080C1CFF,
	.store = store, .prepare = prepare, .draw = draw, .draw_top = draw_screen, .draw_bottom =
			draw_screen,
};
