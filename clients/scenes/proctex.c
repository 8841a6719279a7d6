/*
 * Six materials of the procedural texture unit, which has no picture in memory, but a function of
 * the coordinates, noise, and tables. Top: wood, marble, fog over a landscape, tiles, noise, a
 * radial glow. Bottom: a floor of the tiles without and with levels of detail, under a sky of fog.
 * Marble and fog drift from frame to frame by the phase of their noise.
 */
#include "kit.h"

enum { FRAMES = 2, MATERIALS = 6, PANEL_W = 124, PANEL_H = 92, FLOOR_Y = 124, SKY_H = FLOOR_Y + 4 };

/* A colour (0xRRGGBBAA) at a position 0..1 of the colour table; others are interpolated. */
struct stop {
	float at;
	uint32_t rgba;
};

enum { MAX_STOPS = 8 };

struct material {
	const char *name;
	float from[2], to[2]; /* coordinates: left and bottom, right and top */
	uint32_t clamp, shift, function;
	float frequency[2], amplitude[2], drift; /* drift: change of the phase of u per frame */
	float (*rgb_map)(float);
	float (*alpha_map)(float); /* or NULL */
	struct stop stops[MAX_STOPS]; /* the last one lies at 1 */
};

/* ---- Maps ---- */

static float straight(float x) {
	return x;
}

static float smooth(float x) {
	return x * x * (3 - 2 * x);
}

/* Year rings: each slowly darker, then back within its last quarter. */
static float rings(float x) {
	float ring = x * 9 - (float)(int)(x * 9);
	return ring < 0.75f ? ring / 0.75f : (1 - ring) / 0.25f;
}

/* Thin veins in a broad field, largest at three lines. */
static float veins(float x) {
	float wave = x * 3 - (float)(int)(x * 3);
	float far = wave < 0.5f ? wave * 2 : 2 - wave * 2;
	return far * far * far * (0.45f + 0.55f * x);
}

/* 0 below 0.15, then growing faster and faster. */
static float density(float x) {
	float y = (x - 0.15f) / 0.8f;
	return y < 0 ? 0 : y > 1 ? 0.9f : smooth(y) * 0.9f;
}

/* Fog and noise show the noise itself: their u stays near 1/2, and a high frequency makes cells. */
static const struct material materials[MATERIALS] = {
	{ .name = "wood",
			.from = { 0.06f, 0.02f },
			.to = { 0.62f, 0.60f },
			.clamp = PICA_PROCTEX_CLAMP_EDGE,
			.function = PICA_PROCTEX_MAP_SQRT2,
			.frequency = { 0.5f, 0.22f },
			.amplitude = { 0.14f, 0.1f },
			.rgb_map = rings,
			.stops = { { 0, 0xD9A566FF }, { 0.55f, 0xC48A4CFF }, { 1, 0x7E4A22FF } } },
	{ .name = "marble",
			.from = { 0, 0 },
			.to = { 1, 0.75f },
			.clamp = PICA_PROCTEX_CLAMP_MIRRORED_REPEAT,
			.function = PICA_PROCTEX_MAP_ADD,
			.frequency = { 0.45f, 0.45f },
			.amplitude = { 0.55f, 0.45f },
			.drift = 0.05f,
			.rgb_map = veins,
			.stops = { { 0, 0xF4F2ECFF }, { 0.25f, 0xE4E2E0FF }, { 0.6f, 0xA0A4ACFF },
					{ 1, 0x4A5058FF } } },
	{ .name = "fog",
			.from = { 0.48f, 0 },
			.to = { 0.52f, 0.5f },
			.clamp = PICA_PROCTEX_CLAMP_EDGE,
			.function = PICA_PROCTEX_MAP_U,
			.frequency = { 9, 1.1f },
			.amplitude = { 0.6f, 0 },
			.drift = 0.01f,
			.rgb_map = straight,
			.alpha_map = density,
			.stops = { { 0, 0xC8D0DCFF }, { 1, 0xFFFFFFFF } } },
	{ .name = "tiles",
			.from = { 0.5f, 0.5f },
			.to = { 6.5f, 8.5f },
			.clamp = PICA_PROCTEX_CLAMP_MIRRORED_REPEAT,
			.shift = PICA_PROCTEX_SHIFT_ODD,
			.function = PICA_PROCTEX_MAP_MIN,
			.rgb_map = straight,
			.stops = { { 0, 0xB8B0A4FF }, { 0.1f, 0xA89E90FF }, { 0.13f, 0x1C3850FF },
					{ 0.2f, 0x88C4DCFF }, { 0.3f, 0x3C88ACFF },
					{ 1, 0x2C7098FF } } },
	{ .name = "noise",
			.from = { 0.49f, 0 },
			.to = { 0.51f, 1 },
			.clamp = PICA_PROCTEX_CLAMP_EDGE,
			.function = PICA_PROCTEX_MAP_U,
			.frequency = { 70, 1 },
			.amplitude = { 0.8f, 0 },
			.rgb_map = straight,
			.stops = { { 0, 0x000000FF }, { 1, 0xFFFFFFFF } } },
	{ .name = "radial",
			.from = { -1.25f, -0.93f },
			.to = { 1.25f, 0.93f },
			.clamp = PICA_PROCTEX_CLAMP_EDGE,
			.function = PICA_PROCTEX_MAP_SQRT2,
			.rgb_map = straight,
			.stops = { { 0, 0xFFFFFFFF }, { 0.2f, 0xFFF4A0FF }, { 0.45f, 0xFFA030FF },
					{ 0.7f, 0xC02848FF }, { 1, 0x201048FF } } },
};

enum { FOG = 2, TILES = 3 };

/* ---- Tables ---- */

static uint32_t color_at(const struct stop *stops, float at) {
	while (stops[1].at < 1 && at > stops[1].at) {
		stops++;
	}
	return mix_color(stops[0].rgba, stops[1].rgba,
			(at - stops[0].at) / (stops[1].at - stops[0].at));
}

static uint32_t swap_bytes(uint32_t rgba) {
	return rgba >> 24 | (rgba >> 8 & 0xFF00) | (rgba << 8 & 0xFF0000) | rgba << 24;
}

/* 128 colours, then the levels 1 to 7: means of two colours of the level before. */
static void emit_colors(
		struct recorder *r, const struct pica_proctex *unit, const struct stop *stops) {
	uint32_t colors[128];
	for (unsigned i = 0; i < 128; i++) {
		colors[i] = swap_bytes(color_at(stops, (float)i / 127));
	}
	for (unsigned level = 0; level < PICA_PROCTEX_LEVELS; level++) {
		unsigned n = 128 >> level;
		pica_emit_proctex_colors(&r->list, unit->offset[level], colors, n);
		for (unsigned i = 0; i < n / 2; i++) {
			colors[i] = mix_color(colors[2 * i], colors[2 * i + 1], 0.5);
		}
	}
}

/* Selects a material; detail: with levels of detail. */
static void use_material(struct recorder *r, const struct material *m, unsigned frame, bool detail)
		{
	struct pica_proctex unit;
	pica_proctex_init(&unit);
	unit.u_clamp = unit.v_clamp = m->clamp;
	unit.u_shift = m->shift;
	unit.rgb_map = unit.alpha_map = m->function;
	unit.separate_alpha = m->alpha_map != NULL;
	unit.noise = m->amplitude[0] != 0;
	unit.u_amplitude = m->amplitude[0];
	unit.v_amplitude = m->amplitude[1];
	unit.u_frequency = m->frequency[0];
	unit.v_frequency = m->frequency[1];
	unit.u_phase = m->drift * (float)frame;
	if (detail) {
		unit.filter = PICA_PROCTEX_FILTER_LINEAR_MIP_LINEAR;
		unit.lod_bias = 0.5f;
	}
	pica_emit_proctex(&r->list, &unit);
	emit_proctex_map(r, PICA_PROCTEX_TABLE_RGB_MAP, m->rgb_map);
	if (m->alpha_map) {
		emit_proctex_map(r, PICA_PROCTEX_TABLE_ALPHA_MAP, m->alpha_map);
	}
	emit_colors(r, &unit, m->stops);
}

/* ---- Pictures ---- */

static struct {
	struct mesh panels, floors, sky;
} own;

static void use_unit(struct recorder *r, struct mat4 m) {
	use_texture_program(r, m);
	use_units(r, 8);
	TEV(r, 0, RGB2(MODULATE, TEXTURE3, PRIMARY), ALPHA2(MODULATE, TEXTURE3, PRIMARY));
	blend_over(r);
	emit_proctex_map(r, PICA_PROCTEX_TABLE_NOISE, smooth);
}

static int panel_x(unsigned i) {
	return 7 + (int)(i % 3) * (PANEL_W + 7);
}

static int panel_y(unsigned i) {
	return 19 + (int)(i / 3) * (PANEL_H + 18);
}

/*
 * A floor in perspective reaches z = -60; its coordinates count units. The sky continues a little
 * below the floor's far edge, which is not on a pixel row.
 */
static void store(struct recorder *r) {
	static const struct quad sky = { 0, SKY_H, BOTTOM_WIDTH, 0, 0.47f, 0, 0.47f + 0.06f, 0.5f };
	struct texture_vertex v[MATERIALS * 4], floors[8];
	for (unsigned i = 0; i < MATERIALS; i++) {
		const struct material *m = &materials[i];
		const float x = (float)panel_x(i), y = (float)panel_y(i);
		const struct quad q = { x, y + PANEL_H, x + PANEL_W, y, m->from[0], m->from[1],
			m->from[0] + (m->to[0] - m->from[0]), m->from[1] + (m->to[1] - m->from[1])
					};
		put_texture_quad(&v[4 * i], &q);
	}
	own.panels = store_textured(r, PICA_PRIMITIVE_STRIP, v, COUNT(v));
	for (unsigned k = 0; k < 8; k++) {
		float side = k < 4 ? -1 : 1, out = k & 1, away = k >> 1 & 1;
		floors[k] = (struct texture_vertex){ .x = side * 26 * out, .y = -1,
			.z = -1.2f - 58.8f * away, .u = 26 * 4 * out, .v = 4 * 60 * away };
	}
	own.floors = store_textured(r, PICA_PRIMITIVE_STRIP, floors, COUNT(floors));
	own.sky = store_texture_quad(r, &sky);
}

static void draw_top(struct recorder *r, unsigned frame) {
	int x = panel_x(FOG), y = panel_y(FOG);
	canvas_sky(r, x, y, PANEL_W, PANEL_H, 0x284878FF, 0xE09060FF);
	for (int i = 0; i < PANEL_W; i++) { /* two hills */
		int a = i - 30, b = i - 96;
		int low = 40 - a * a / 60, high = 52 - b * b / 40;
		int h = low > high ? low : high;
		canvas_sky(r, x + i, y + PANEL_H - h, 1, h, 0x384030FF, 0x182018FF);
	}
	canvas_draw(r);

	use_unit(r, canvas_projection(r));
	mesh_use(r, &own.panels);
	for (unsigned i = 0; i < MATERIALS; i++) {
		use_material(r, &materials[i], frame, false);
		mesh_draw_part(r, &own.panels, 4 * i, 4);
		canvas_label(r, panel_x(i) + PANEL_W / 2, panel_y(i) + PANEL_H + 4,
				materials[i].name);
	}
	canvas_text_centered(r, TOP_WIDTH / 2, 5, 0xFFC080FF,
			"procedural textures: functions, noise and tables");
	canvas_draw(r);
}

static void draw_bottom(struct recorder *r, unsigned frame) {
	canvas_sky(r, 0, 0, BOTTOM_WIDTH, SKY_H, 0x2050A0FF, 0xB0D0F0FF);
	canvas_draw(r);
	use_unit(r, canvas_projection(r));
	mesh_use(r, &own.sky);
	use_material(r, &materials[FOG], frame, false);
	mesh_draw_part(r, &own.sky, 0, 4);

	use_unit(r, mat4_tilt(screen_lens(BOTTOM_WIDTH, 64, 0.5, 80)));
	mesh_use(r, &own.floors);
	for (unsigned half = 0; half < 2; half++) {
		use_material(r, &materials[TILES], frame, half == 1);
		mesh_draw_part(r, &own.floors, 4 * half, 4);
	}
	canvas_rect(r, BOTTOM_WIDTH / 2, FLOOR_Y + 2, 1, SCREEN_HEIGHT - FLOOR_Y - 2, 0x1C2030FF);
	canvas_text(r, 6, 226, 0xFFFFFFFF, "level 0");
	canvas_text(r, 240, 226, 0xFFFFFFFF, "all levels");
	canvas_draw(r);
}

const struct scene scene_proctex = {
	.name = "proctex",
	.what = "six materials of the procedural texture unit, and a tiled floor with levels of detail",
	.frames = FRAMES, .has_canvas = true, .top = 0x1C2030FF, .bottom = 0x1C2030FF,
	.store = store, .draw_top = draw_top, .draw_bottom = draw_bottom,
};
