/*
 * Fog over a valley of 20,000 triangles. Depth is a W buffer, linear in the distance, so that the
 * 128 entries of the fog table, computed from a function of the distance, are spread evenly. The
 * ground's cover is a texture indexed by height, sampled for each pixel, and the water is a
 * transparent sheet, so shore and snow line are finer than the vertices. Bottom: the same valley
 * without fog, with fog over a Z buffer (whose far half uses a fraction of one entry), at night,
 * and with the table reversed, which hides near objects.
 */
#include "kit.h"

enum {
	FRAMES = 3,
	GRID = 100,
	SIDE = GRID + 1,
	VERTICES = SIDE * SIDE,
	INDICES = GRID * GRID * 6,
	TREES = 60,
	RAMP = 128, /* texels of the heights' colours */
	WATER_STRIPS = 12, WATER_ROWS = 48,
};

static const float near_plane = 1, far_plane = 34, half_size = 20;
/* Heights at the ramp's ends; water is at 0. The program has the same numbers. */
static const double ramp_low = -1, ramp_high = 7;

/* 10 bytes. */
struct vertex {
	int16_t position[3]; /* in units of 1/1024 */
	uint8_t color[4];
};

static const struct vertex_format format = { sizeof(struct vertex), 2,
	{ { PICA_ATTRIB_TYPE_S16, 3 }, { PICA_ATTRIB_TYPE_U8, 4 } } };

static const char program_source[] =
		".fvec projection[4]\n"
		".constf k(0.0, 1.0, 0.0009765625, 0.003921569)\n"
		".constf ramp(0.125, 0.125, 0.0, 0.5)\n" /* 1 / (high - low), -low times it */
		OUT_COLOR
		".out out_tex texcoord0\n"
		".in in_pos v0\n"
		".in in_color v1\n"
		".proc main\n"
		"	mul r0.xyz, k.zzz, in_pos.xyz\n"
		"	mov r0.w, k.y\n"
		PROJECT("r0")
		"	mul out_color, k.wwww, in_color\n"
		"	mov r1, ramp\n"
		"	mad out_tex.x, r0.y, r1.x, r1.y\n"
		"	mov out_tex.y, ramp.w\n"
		END;

static struct {
	struct mesh tree, ground, water;
	struct pica_texture ramp;
	float tree_at[TREES][4]; /* x, y, z, size */
} own;

/* ---- Store ---- */

static double corner_noise(int x, int z) {
	uint32_t h = (uint32_t)x * 0x8DA6B343u ^ (uint32_t)z * 0xD8163841u;
	h = (h ^ h >> 13) * 0x9E3779B1u;
	return (double)((h ^ h >> 16) & 0xFFFF) / 65535;
}

/* Smooth noise on a unit grid. */
static double noise(double x, double z) {
	const int ix = (int)(x + 1000) - 1000, iz = (int)(z + 1000) - 1000;
	double fx = x - ix, fz = z - iz;
	fx = fx * fx * (3 - 2 * fx);
	fz = fz * fz * (3 - 2 * fz);
	const double near = corner_noise(ix, iz) +
			(corner_noise(ix + 1, iz) - corner_noise(ix, iz)) * fx;
	const double far = corner_noise(ix, iz + 1) +
			(corner_noise(ix + 1, iz + 1) - corner_noise(ix, iz + 1)) * fx;
	return near + (far - near) * fz;
}

/* Hills on both sides of a winding river; the banks cross the water level at 0. */
static double height(double x, double z) {
	const double bend = 2.2 * turn_sin(z / 23) + 0.8 * turn_sin(z / 9.5 + 0.2);
	double away = x - bend;
	away = away < 0 ? -away : away;
	double bank = (away - 1.9) * 0.32;
	bank = bank < -0.6 ? -0.6 : bank > 0.35 ? 0.35 : bank;
	bank += 0.22 * (noise(x * 0.9 + 20, z * 0.9) - 0.5);
	double rise = (away - 2.6) / 6;
	rise = rise < 0 ? 0 : rise > 1 ? 1 : rise;
	rise = rise * rise * (3 - 2 * rise);
	const double hills = 3.4 * noise(x / 5, z / 5) + 1.3 * noise(x / 2, z / 2 + 40) +
			0.35 * noise(x * 1.3, z * 1.3 + 90);
	return bank + rise * hills;
}

/*
 * The colours of the heights, from left to right: mud, sand under water, wet sand, dry sand, grass,
 * heath, snow.
 */
static void ramp_picture(unsigned x, unsigned y, unsigned n, uint8_t rgba[4]) {
	static const struct {
		double height;
		uint32_t color;
	} stop[] = { { -1, 0x28484CFF }, { -0.45, 0x3C6460FF }, { -0.12, 0x8C9470FF },
		{ 0, 0xC0AC80FF }, { 0.07, 0xD8C498FF }, { 0.18, 0x98A85CFF },
		{ 0.4, 0x78A048FF }, { 1.6, 0x5C8838FF }, { 2.7, 0x74804CFF },
		{ 3.3, 0x908C80FF }, { 3.6, 0xF0F0F4FF }, { 8, 0xFFFFFFFF } };
	const double h = ramp_low + (ramp_high - ramp_low) * (x + 0.5) / n;
	unsigned i = 0;
	while (h > stop[i + 1].height) {
		i++;
	}
	const double t = (h - stop[i].height) / (stop[i + 1].height - stop[i].height);
	const uint32_t color = mix_color(stop[i].color, stop[i + 1].color, t);
	put_color(rgba, 4, color);
}

/* The light on the ground at (x, z); alpha: the part that is rock. */
static uint32_t ground_light(double x, double z) {
	const double e = 0.2;
	float n[3] = { (float)(height(x - e, z) - height(x + e, z)), (float)(2 * e),
		(float)(height(x, z - e) - height(x, z + e)) };
	vec3_normalize(n);
	const double sun = 0.55 * n[0] + 0.5 * n[1] + 0.35 * n[2];
	const double rock = (0.8 - (double)n[1]) / 0.25, grain = 0.88 + 0.12 * noise(x * 2, z * 2);
	const uint32_t color = mix_color(0x5C6C80FF, 0xFFFCF0FF, (sun > 0 ? sun : 0) * grain * 1.1);
	return (color & 0xFFFFFF00) | (uint32_t)(255 * (rock < 0 ? 0 : rock > 1 ? 1 : rock));
}

static void store_ground(struct recorder *r) {
	static struct vertex v[VERTICES];
	static uint16_t index[INDICES];
	uint16_t *end = index;
	for (unsigned i = 0; i < VERTICES; i++) {
		const double x = (2.0 * (i % SIDE) / GRID - 1) * half_size;
		const double z = (2.0 * (i / SIDE) / GRID - 1) * half_size;
		v[i].position[0] = (int16_t)(x * 1024);
		v[i].position[1] = (int16_t)(height(x, z) * 1024);
		v[i].position[2] = (int16_t)(z * 1024);
		put_color(v[i].color, 4, ground_light(x, z));
	}
	for (unsigned i = 0; i < GRID * GRID; i++) {
		const unsigned a = i / GRID * SIDE + i % GRID, b = a + SIDE;
		end = put_quad(end, a, b, a + 1, b + 1);
	}
	own.ground = mesh_store_indexed(
			r, &format, PICA_PRIMITIVE_LIST, v, VERTICES, index, INDICES);
}

/* Strips along the river: ripples in two blues, which reflect more of the sky with the distance. */
static void store_water(struct recorder *r) {
	static struct vertex v[WATER_STRIPS * (WATER_ROWS + 1) * 2];
	for (unsigned i = 0; i < WATER_STRIPS * (WATER_ROWS + 1) * 2; i++) {
		const unsigned strip = i / (2 * (WATER_ROWS + 1));
		const double x = ((double)(strip + i % 2) / WATER_STRIPS - 0.5) * 14;
		const double z = (1 - 2.0 * (i / 2 % (WATER_ROWS + 1)) / WATER_ROWS) * half_size;
		const double far = 1 - (z + half_size) / (2 * half_size);
		const uint32_t blue = mix_color(0x3C7CA0FF, 0x80B0C8FF,
				0.35 * far + 0.65 * noise(x * 1.1, z * 0.5 + 70));
		v[i].position[0] = (int16_t)(x * 1024);
		v[i].position[2] = (int16_t)(z * 1024);
		put_color(v[i].color, 3, blue);
		v[i].color[3] = (uint8_t)(150 + 80 * far);
	}
	own.water = mesh_store(r, &format, PICA_PRIMITIVE_STRIP, v, COUNT(v));
}

static void store_trees(struct recorder *r) {
	static const float outline[][2] = { { 0, 1 }, { 0.16f, 0.7f }, { 0.1f, 0.7f },
		{ 0.1f, 0.7f }, { 0.24f, 0.4f }, { 0.15f, 0.4f }, { 0.15f, 0.4f }, { 0.3f, 0.1f },
		{ 0.05f, 0.1f }, { 0.05f, 0.1f }, { 0.05f, -0.1f } };
	own.tree = solid_lathe(r, outline, COUNT(outline), 7, 0x2C6838FF, 0x183C24FF);
	unsigned n = 0;
	for (unsigned i = 0; n < TREES && i < 1000; i++) {
		const double x = (corner_noise((int)i, 7) - 0.5) * 24;
		const double z = (corner_noise((int)i, 11) - 0.75) * 34;
		const double h = height(x, z);
		if (h < 0.32 || h > 1.9) {
			continue;
		}
		own.tree_at[n][0] = (float)x;
		own.tree_at[n][1] = (float)h;
		own.tree_at[n][2] = (float)z;
		own.tree_at[n][3] = 0.7f + 0.7f * (float)corner_noise((int)i, 13);
		n++;
	}
}

/* ---- Draw ---- */

struct weather {
	uint32_t mode, fog;    /* PICA_FOG_MODE_*; the colour as 0xRRGGBBAA */
	bool flip;
	uint32_t depth;        /* PICA_DEPTHMAP_* */
	double from, to;       /* distances at which the fog begins and is opaque */
	float light;
	uint32_t sky[2];       /* at the top, at the horizon */
};

/* Depth is 1 at the near plane and 0 at the far one. */
static double distance_at(const struct weather *w, double depth) {
	const double f = far_plane, n = near_plane;
	if (w->depth == PICA_DEPTHMAP_W) {
		return f - depth * (f - n);
	}
	return n * f / (depth * (f - n) + n);
}

static float keep(float depth, void *arg) {
	const struct weather *w = arg;
	const double t = (w->to - distance_at(w, depth)) / (w->to - w->from);
	return (float)(t <= 0 ? 0 : t >= 1 ? 1 : t * t * (3 - 2 * t));
}

static void set_weather(struct recorder *r, const struct weather *w) {
	uint32_t table[128];
	pica_fog_lut_from(table, keep, (void *)(uintptr_t)w);
	pica_emit_fog_lut(&r->list, 0, table, 128);
	/* R lowest. */
	pica_emit_fog(&r->list, w->mode, w->flip, w->fog >> 24 | (w->fog >> 16 & 255) << 8 |
			(w->fog >> 8 & 255) << 16);
	/* In both modes z in clip space, from -near to 0, becomes 1 to 0. */
	pica_emit_depth_map(&r->list, w->depth, -1, 0);
}

/* Rock, or the cover at that height, times the light; stage 2 dims the result. */
static void use_ground_stages(struct recorder *r, uint32_t dim) {
	TEV(r, 0, RGB3(INTERPOLATE, CONSTANT, TEXTURE0, PRIMARY), ALPHA1(CONSTANT),
			.rgb_operand = { 0, 0, PICA_TEV_OPERAND_RGB_ALPHA }, .color = 0xFF607080);
	TEV(r, 1, RGB2(MODULATE, PREVIOUS, PRIMARY), ALPHA1(PREVIOUS));
	TEV(r, 2, RGB2(MODULATE, PREVIOUS, CONSTANT), ALPHA1(PREVIOUS), .color = dim);
}

static void draw_valley(struct recorder *r, const struct weather *w, struct mat4 view,
		unsigned trees) {
	const struct solid_light light = { .lamp = { 0.55f, 0.72f, 0.42f, 0.3f }, .gloss = { 1, 0 },
		.tint = { w->light, w->light, w->light, 1 } };
	set_weather(r, w);
	blend_off(r);
	bodies_begin(r);
	use_texture(r, &own.ramp);
	use_ground_stages(r, 0x010101u * (uint32_t)(255 * w->light));
	use_projected(r, program_source, view);
	mesh_draw(r, &own.ground);
	use_units(r, 0);
	/* Blended over the bed; stage 2 still darkens it at night. */
	tev_primary(r);
	tev_pass(r, 1, 1);
	blend_over(r);
	mesh_use(r, &own.water);
	for (unsigned i = 0; i < WATER_STRIPS; i++) {
		mesh_draw_part(r, &own.water, i * (WATER_ROWS + 1) * 2, (WATER_ROWS + 1) * 2);
	}
	blend_off(r);
	tev_pass(r, 2, 2);
	tev_primary(r);
	solid_use(r, view, &light);
	for (unsigned i = 0; i < trees; i++) {
		const float *at = own.tree_at[i];
		solid_draw(r, &own.tree, mat4_place(at[0], at[1], at[2], at[3]));
	}
	bodies_end(r);
	pica_emit_fog(&r->list, PICA_FOG_MODE_OFF, false, 0);
	pica_emit_depth_map(&r->list, PICA_DEPTHMAP_Z, -1, 0);
}

static struct mat4 view_from(double aspect, unsigned frame) {
	struct mat4 m = mat4_perspective(46 / 360.0, aspect, near_plane, far_plane);
	m = mat4_mul3(m, mat4_rotate_x(0.035), mat4_rotate_y(0.02 + 0.004 * frame));
	return mat4_tilt(mat4_mul(m, mat4_translate(-0.9f, -2.6f, -15.5f + 0.6f * (float)frame)));
}

static void sky(struct recorder *r, int x, int y, int w, int h, const struct weather *weather) {
	canvas_sky(r, x, y, w, h * 45 / 100, weather->sky[0], weather->sky[1]);
	canvas_rect(r, x, y + h * 45 / 100, w, h - h * 45 / 100, weather->sky[1]);
}

static void draw(struct recorder *r, unsigned frame) {
	static const uint32_t haze = 0xD8C8B8FF;
	static const struct weather morning = { .mode = PICA_FOG_MODE_FOG,
		.fog = haze,
		.depth = PICA_DEPTHMAP_W,
		.from = 3,
		.to = 28,
		.light = 1,
		.sky = { 0x88A8D0FF, haze } };
	static const char *const names[4] = { "no fog", "Z buffer", "night", "flipped" };
	struct weather small[4] = { morning, morning, morning, morning };
	small[0].mode = PICA_FOG_MODE_OFF;
	small[1].depth = PICA_DEPTHMAP_Z;
	small[2].fog = small[2].sky[1] = 0x182038FF;
	small[2].sky[0] = 0x080C18FF;
	small[2].light = 0.3f;
	small[3].flip = true;

	recorder_draw_top(r);
	sky(r, 0, 0, TOP_WIDTH, SCREEN_HEIGHT, &morning);
	canvas_draw(r);
	struct mat4 view = view_from((double)TOP_WIDTH / SCREEN_HEIGHT, frame);
	draw_valley(r, &morning, view, TREES);

	recorder_draw_bottom(r);
	view = view_from(158.0 / 106, frame);
	for (int i = 0; i < 4; i++) {
		const int x = i % 2 * 162, y = 13 + i / 2 * 121;
		sky(r, x, y, 158, 106, &small[i]);
		canvas_text(r, x + 2, y - 11, 0xE8D8C8FF, names[i]);
	}
	canvas_draw(r);
	for (int i = 0; i < 4; i++) {
		recorder_viewport(r, i % 2 * 162, 13 + i / 2 * 121, 158, 106);
		draw_valley(r, &small[i], view, TREES / 3);
	}
}

static void store(struct recorder *r) {
	store_ground(r);
	store_water(r);
	store_trees(r);
	own.ramp = store_texture(r, PICA_TEXTURE_FORMAT_RGB8, RAMP, 1, ramp_picture);
	own.ramp.mag = own.ramp.min = PICA_FILTER_LINEAR;
}

const struct scene scene_valley = {
	.name = "valley",
	.what = "fog over a valley of 20,000 triangles: W and Z buffer, night, a table from the other end",
	.frames = FRAMES, .has_canvas = true, .top = 0x000000FF, .bottom = 0x101418FF,
	.store = store, .draw = draw,
};
