/*
 * Strips and fans. Top: hills as one indexed strip, whose rows are joined by triangles without
 * area, trees as fans, a sun with rays. Bottom: how vertices become triangles: the order of
 * vertices 0, 1, 2, ... in a list, a strip and a fan, and the two sides of a strip that turns over.
 */
#include "kit.h"

enum {
	FRAMES = 1,
	COLUMNS = 64,
	ROWS = 40,
	GROUND_VERTICES = (COLUMNS + 1) * (ROWS + 1),
	GROUND_INDICES = ROWS * ((COLUMNS + 1) * 2 + 2),
	TREES = 46,
	CONE = 9, /* corners of a tree's fans */
	CONE_VERTICES = CONE + 2, RAYS = 28, ROUND = 40,
};

static struct {
	struct mesh ground, trees, sun, rays, sky;
} own;

/* ---- Top: a landscape ---- */

/* Height of the hills; a valley runs towards the viewer. */
static double height(double x, double z) {
	const double hills = 0.9 * turn_sin(x * 0.09 + 0.2) * turn_cos(z * 0.07) +
			0.45 * turn_sin(x * 0.21 - z * 0.13) +
			0.2 * turn_cos(x * 0.37 + z * 0.41 + 0.3);
	const double aside = x - 1.2 * turn_sin(z * 0.05),
		     valley = aside * aside / (aside * aside + 3);
	return hills * valley - 0.4 * (1 - valley) + 0.02 * (x * x) * valley / 2;
}

static uint32_t ground_color(double x, double z) {
	const double y = height(x, z), step = 0.05;
	float n[3] = { (float)(height(x - step, z) - height(x + step, z)), (float)(2 * step),
		(float)(height(x, z - step) - height(x, z + step)) };
	vec3_normalize(n);
	/* The evening sun stands low on the left. */
	double light = 0.36 + 0.75 * (-0.72 * n[0] + 0.5 * n[1] + 0.48 * n[2]);
	light = light < 0.25 ? 0.25 : light > 1 ? 1 : light;
	uint32_t color = y < -0.28 ? 0x3C6CA8FF : y < -0.2 ? 0xD8C890FF :
			mix_color(0x5A9838FF, y < 1.6 ? 0x8C9440FF : 0xE8E8F0FF, y < 0 ? 0 :
			y > 2 ? 1 : y / 2);
	color = mix_color(0x201838FF, color, light);
	/* Haze with distance. */
	const double far = (-z - 3) / 21;
	return mix_color(color, 0xE8A888FF, far < 0 ? 0 : far * far * 0.85);
}

static void store_ground(struct recorder *r) {
	struct color_vertex v[GROUND_VERTICES];
	uint16_t index[GROUND_INDICES], *end = index;
	for (unsigned row = 0; row <= ROWS; row++) {
		for (unsigned column = 0; column <= COLUMNS; column++) {
			/* Rows lie closer together near the viewer. */
			const double t = (double)row / ROWS, z = -1.2 - 22.8 * t * t;
			const double x = (column / (double)COLUMNS - 0.5) * (6 - 1.3 * z);
			v[row * (COLUMNS + 1) + column] = color_vertex((float)x,
					(float)height(x, z), (float)z, ground_color(x, z));
		}
	}
	for (unsigned row = 0; row < ROWS; row++) {
		const unsigned near = row * (COLUMNS + 1), far = near + COLUMNS + 1;
		/* Repeats the end of the previous row and the start of this one. */
		end = put_row(end, near, far, COLUMNS + 1);
	}
	own.ground = mesh_store_indexed(r, &color_format, PICA_PRIMITIVE_STRIP, v, GROUND_VERTICES,
			index, GROUND_INDICES);
}

/* Each tree is a trunk and two cones, all of them fans around their tip. */
static void store_trees(struct recorder *r) {
	struct color_vertex v[TREES * 3 * CONE_VERTICES];
	uint32_t seed = 7;
	for (unsigned i = 0; i < TREES; i++) {
		double place[3] = { 0, -1, 0 };
		while (place[1] < -0.1 || place[1] > 1.5) {
			seed = seed * 1664525u + 1013904223u;
			/* The far ones first. */
			place[2] = -17.0 + 14.0 * i / TREES;
			place[0] = ((seed >> 8) / 16777216.0 - 0.5) * (4 - 1.1 * place[2]);
			place[1] = height(place[0], place[2]);
		}
		const double size = 0.34 + 0.2 * ((seed >> 3) % 8) / 8.0,
			     haze = (-place[2] - 3) / 21;
		for (unsigned part = 0; part < 3; part++) {
			static const double shape[3][3] = { { 0.1, -0.1, 0.8 }, { 0.55, 0.25, 1.5 },
					{ 0.4, 0.8, 2.1 } };
			struct color_vertex *c = &v[(i * 3 + part) * CONE_VERTICES];
			const uint32_t leaf = part ? hsv(0.33 + 0.003 * (seed % 20), 0.6, 0.45) :
						     0x6A4A30FF;
			c[0] = color_vertex((float)place[0], (float)(place[1] + shape[part][2] *
					size), (float)place[2], mix_color(mix_color(leaf,
					0xFFE0A0FF, 0.3), 0xE8A888FF, haze * haze));
			for (unsigned k = 0; k <= CONE; k++) {
				const double turn = (double)k / CONE, out = shape[part][0] * size;
				const double light = 0.6 - 0.4 * turn_cos(turn);
				c[k + 1] = color_vertex((float)(place[0] + out * turn_cos(turn)),
						(float)(place[1] + shape[part][1] * size),
						(float)(place[2] - out * turn_sin(turn)),
						mix_color(mix_color(0x101820FF, leaf, light),
								0xE8A888FF, haze * haze * 0.8));
			}
		}
	}
	own.trees = store_colors(r, PICA_PRIMITIVE_FAN, v, COUNT(v));
}

static void store_sky(struct recorder *r) {
	static const uint32_t color[4] = { 0xF8C088FF, 0xE8A090FF, 0x5068A8FF, 0x384888FF };
	struct color_vertex v[3 * RAYS + ROUND + 2];
	for (unsigned k = 0; k < 4; k++) {
		v[k] = color_vertex(k & 1 ? 400 : 0, k & 2 ? 240 : 105, 0, color[k]);
	}
	own.sky = store_colors(r, PICA_PRIMITIVE_STRIP, v, 4);
	v[0] = color_vertex(0, 0, 0, 0xFFFFF0FF);
	for (unsigned k = 0; k <= ROUND; k++) {
		v[k + 1] = color_vertex((float)turn_cos((double)k / ROUND),
				(float)turn_sin((double)k / ROUND), 0, 0xFFE890FF);
	}
	own.sun = store_colors(r, PICA_PRIMITIVE_FAN, v, (ROUND + 2));
	for (unsigned k = 0; k < RAYS; k++) {
		const double turn = (double)k / RAYS, far = k % 2 ? 4 : 2.6;
		v[3 * k] = color_vertex(0, 0, 0, 0xFFE0A090);
		v[3 * k + 1] = color_vertex((float)(far * turn_cos(turn - 0.011)),
				(float)(far * turn_sin(turn - 0.011)), 0, 0xFFC08000);
		v[3 * k + 2] = color_vertex((float)(far * turn_cos(turn + 0.011)),
				(float)(far * turn_sin(turn + 0.011)), 0, 0xFFC08000);
	}
	own.rays = store_colors(r, PICA_PRIMITIVE_LIST, v, 3 * RAYS);
}

static void draw_sky(struct recorder *r) {
	struct mat4 pixels = mat4_pixels(TOP_WIDTH, SCREEN_HEIGHT), m = mat4_tilt(pixels);
	use_color_program(r, m);
	mesh_draw(r, &own.sky);
	m = mat4_mul3(pixels, mat4_translate(92, 168, 0), mat4_scale(22, 22, 1));
	set_matrix(r, "projection", mat4_tilt(m));
	blend_add(r);
	mesh_draw(r, &own.rays);
	blend_off(r);
	mesh_draw(r, &own.sun);
}

static void draw_top(struct recorder *r, unsigned frame) {
	draw_sky(r);
	struct mat4 view = screen_lens(TOP_WIDTH, 54, 0.5, 40);
	view = mat4_tilt(mat4_mul3(view, mat4_rotate_x(0.055), mat4_translate(0, -1.9f, 0)));
	set_matrix(r, "projection", view);
	depth_on(r);
	mesh_draw(r, &own.ground);
	mesh_use(r, &own.trees);
	for (unsigned i = 0; i < TREES * 3; i++) {
		mesh_draw_part(r, &own.trees, i * CONE_VERTICES, CONE_VERTICES);
	}
	depth_off(r);
}

/* ---- Bottom: the order of vertices ---- */

struct figure {
	const char *name;
	uint32_t primitive;
	unsigned n;
	int place[9][2]; /* from the top left of the screen */
};

static const struct figure figures[4] = {
	{ "list: 012 345 678", PICA_PRIMITIVE_LIST, 9,
			{ { 14, 90 }, { 42, 90 }, { 28, 40 }, { 60, 40 }, { 74, 90 }, { 88, 40 },
					{ 102, 90 }, { 136, 90 }, { 120, 40 } } },
	{ "strip: 012 213 234 435 ...", PICA_PRIMITIVE_STRIP, 8,
			{ { 176, 40 }, { 194, 90 }, { 212, 40 }, { 230, 90 }, { 248, 40 },
					{ 266, 90 }, { 284, 40 }, { 302, 90 } } },
	{ "fan: 012 023 034 ...", PICA_PRIMITIVE_FAN, 8,
			{ { 76, 200 }, { 128, 208 }, { 136, 184 }, { 122, 160 }, { 92, 146 },
					{ 56, 146 }, { 26, 164 }, { 20, 204 } } },
	{ "culling: two sides", PICA_PRIMITIVE_STRIP, 8,
			{ { 172, 148 }, { 186, 208 }, { 208, 148 }, { 226, 208 }, { 250, 196 },
					{ 262, 152 }, { 288, 208 }, { 300, 148 } } },
};

/* Colours by number; the last figure has a colour for each side. */
static void draw_filled(struct recorder *r, const struct figure *f, uint32_t rgba) {
	struct color_vertex v[9];
	for (unsigned k = 0; k < f->n; k++) {
		v[k] = color_vertex((float)f->place[k][0], (float)f->place[k][1], 0,
				rgba ? rgba : hsv(0.55 + k * 0.08, 0.6, 0.9));
	}
	draw_colors(r, f->primitive, v, f->n);
}

/* A line of about a pixel, as a thin strip. */
static void put_line(struct color_vertex v[4], const int a[2], const int b[2], uint32_t rgba) {
	float along[3] = { (float)(b[0] - a[0]), (float)(b[1] - a[1]), 0 };
	vec3_normalize(along);
	for (unsigned k = 0; k < 4; k++) {
		const int *end = k & 2 ? b : a;
		const float side = k & 1 ? 0.7f : -0.7f;
		v[k] = color_vertex((float)end[0] - side * along[1],
				(float)end[1] + side * along[0], 0, rgba);
	}
}

/* The three edges of triangle t. */
static void draw_edges(struct recorder *r, const struct figure *f, unsigned t) {
	unsigned corner[3] = { t, t + 1, t + 2 };
	if (f->primitive == PICA_PRIMITIVE_LIST) {
		corner[0] = 3 * t;
		corner[1] = 3 * t + 1;
		corner[2] = 3 * t + 2;
	} else if (f->primitive == PICA_PRIMITIVE_FAN) {
		corner[0] = 0;
	}
	struct color_vertex v[12];
	for (unsigned k = 0; k < 3; k++) {
		put_line(&v[k * 4], f->place[corner[k]], f->place[corner[(k + 1) % 3]], 0x101420FF);
	}
	const struct mesh lines = store_colors(r, PICA_PRIMITIVE_STRIP, v, 12);
	mesh_use(r, &lines);
	for (unsigned k = 0; k < 3; k++) {
		mesh_draw_part(r, &lines, k * 4, 4);
	}
}

static void draw_figure(struct recorder *r, const struct figure *f, bool is_culled) {
	if (is_culled) {
		pica_emit_cull(&r->list, PICA_CULL_BACK);
		draw_filled(r, f, 0x60B8F0FF);
		pica_emit_cull(&r->list, PICA_CULL_FRONT);
		draw_filled(r, f, 0xF09048FF);
		pica_emit_cull(&r->list, PICA_CULL_NONE);
	} else {
		draw_filled(r, f, 0);
	}
	const unsigned triangles = f->primitive == PICA_PRIMITIVE_LIST ? f->n / 3 : f->n - 2;
	for (unsigned t = 0; t < triangles; t++) {
		draw_edges(r, f, t);
	}
}

static void draw_bottom(struct recorder *r, unsigned frame) {
	use_color_program(r, canvas_projection(r));
	for (unsigned i = 0; i < 4; i++) {
		draw_figure(r, &figures[i], i == 3);
	}
	for (unsigned i = 0; i < 4; i++) {
		const struct figure *f = &figures[i];
		canvas_text_centered(r, i % 2 ? 240 : 80, i < 2 ? 12 : 120, 0xFFC080FF, f->name);
		for (unsigned k = 0; k < f->n; k++) {
			char number[2] = { (char)('0' + k), 0 };
			canvas_rect(r, f->place[k][0] - 4, f->place[k][1] - 5, 9, 10, 0x1C2030FF);
			canvas_text_centered(r, f->place[k][0] + 1, f->place[k][1] - 4, 0xFFFFFFFF,
					number);
		}
	}
	canvas_text(r, 164, 224, 0x60B8F0FF, "counter-clockwise");
	canvas_text(r, 262, 224, 0xF09048FF, "clockwise");
	canvas_draw(r);
}

static void store(struct recorder *r) {
	store_ground(r);
	store_trees(r);
	store_sky(r);
}

static void draw(struct recorder *r, unsigned frame) {
	tev_primary(r);
}

const struct scene scene_strips = {
	.name = "strips",
	.what = "hills of one indexed strip, trees of fans; the order of vertices in each primitive",
	.frames = FRAMES, .has_canvas = true, .top = 0xF8C088FF, .bottom = 0x1C2030FF,
	.store = store, .draw = draw, .draw_top = draw_top, .draw_bottom = draw_bottom,
};
