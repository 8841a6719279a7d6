/*
 * Depth buffers. Top: a landscape in the three depth formats, and again in the coarsest with linear
 * depth (w mode). The near plane is at 0.01, and water meets sand at a flat angle, so a coarse
 * depth cannot resolve which of the two is nearer. Below each picture its depth buffer, read as a
 * texture: D16 as RGB565, D24 as RGB8, D24S8 as RGBA8, whose red is the stencil. Bottom: the
 * compare functions.
 */
#include "kit.h"

enum {
	FRAMES = 1,
	PANELS = 4,
	VIEW = 96,   /* drawn pixels */
	TARGET = 128, /* a power of two, to be a texture */
	CONES = 5, SIDES = 20, FUNCTIONS = 8,
};

static const struct panel {
	const char *name;
	uint32_t depth_format, texture_format, bytes;
	uint32_t map;
} panels[PANELS] = {
	{ "D16", PICA_DEPTH_FORMAT_D16, PICA_TEXTURE_FORMAT_RGB565, 2, PICA_DEPTHMAP_Z },
	{ "D16, w mode", PICA_DEPTH_FORMAT_D16, PICA_TEXTURE_FORMAT_RGB565, 2, PICA_DEPTHMAP_W },
	{ "D24", PICA_DEPTH_FORMAT_D24, PICA_TEXTURE_FORMAT_RGB8, 3, PICA_DEPTHMAP_Z },
	{ "D24S8", PICA_DEPTH_FORMAT_D24S8, PICA_TEXTURE_FORMAT_RGBA8, 4, PICA_DEPTHMAP_Z },
};

static const double near_plane = 0.01, far_plane = 40;

static struct {
	struct mesh sand, water, cones, sky;
	struct mesh equal; /* quads of the lower screen */
} own;

/* ---- The landscape ---- */

static void store_cones(struct recorder *r) {
	/* Position, radius, height; the water lies above the sand at the left. */
	static const float cone[CONES][4] = { { -1.3f, -4, 0.5f, 1.1f }, { 1.5f, -5, 0.8f, 0.8f },
		{ 0.1f, -9, 1.2f, 2.2f }, { -4.5f, -12, 1.5f, 2.4f }, { 5, -15, 2, 3.2f } };
	struct color_vertex v[CONES * SIDES * 3];
	for (unsigned i = 0; i < CONES; i++) {
		const float *c = cone[i];
		for (unsigned s = 0; s < SIDES; s++) {
			struct color_vertex *t = &v[(i * SIDES + s) * 3];
			const double a = (double)s / SIDES, b = (s + 1.0) / SIDES;
			/* Light from the left and the front. */
			const double light = 0.62 + 0.38 * turn_cos(a - 0.38);
			const uint32_t color = hsv(0.28 + 0.06 * i, 0.55, 0.85 * light);
			t[0] = color_vertex(c[0] + c[2] * (float)turn_cos(a), 0,
					c[1] - c[2] * (float)turn_sin(a),
					mix_color(color, 0x201830FF, 0.35));
			t[1] = color_vertex(c[0] + c[2] * (float)turn_cos(b), 0,
					c[1] - c[2] * (float)turn_sin(b),
					mix_color(color, 0x201830FF, 0.35));
			t[2] = color_vertex(c[0], c[3], c[1], mix_color(color, 0xFFFFFFFF, 0.5));
		}
	}
	own.cones = store_colors(r, PICA_PRIMITIVE_LIST, v, COUNT(v));
}

/* A plane of sand, or of water, which slopes down to the right, 2 in 100. */
static struct mesh store_plane(struct recorder *r, float slope, uint32_t near, uint32_t far) {
	struct color_vertex v[4];
	for (unsigned k = 0; k < 4; k++) {
		const float x = k & 1 ? 40 : -40, z = k & 2 ? -39 : 1;
		v[k] = color_vertex(x, 0 + x * slope, z, k & 2 ? far : near); /* no -0 */
	}
	return store_colors(r, PICA_PRIMITIVE_STRIP, v, 4);
}

static void store_landscape(struct recorder *r) {
	static const uint32_t sky[4] = { 0xD8E4F0FF, 0xD8E4F0FF, 0x2858A0FF, 0x2858A0FF };
	own.sand = store_plane(r, 0, 0xB08850FF, 0xE8C890FF);
	own.water = store_plane(r, -0.02f, 0x104C90FF, 0x70B8E0FF);
	own.sky = store_color_quad(r, -1, 0, 1, 1, sky);
	store_cones(r);
}

/* stencil: the value to write if the depth buffer has a stencil. */
static void draw_mesh(struct recorder *r, const struct panel *panel, const struct mesh *m,
		uint32_t first, uint32_t n, uint32_t stencil) {
	const bool has_stencil = panel->depth_format == PICA_DEPTH_FORMAT_D24S8;
	pica_emit_stencil_test(&r->list, has_stencil, PICA_COMPARE_ALWAYS, stencil, 0xFF, 0xFF);
	mesh_use(r, m);
	mesh_draw_part(r, m, first, n);
}

static uint32_t panel_color(unsigned i) {
	return FREE_VRAM + i * TARGET * TARGET * 4;
}

static uint32_t panel_depth(unsigned i) {
	return FREE_VRAM + (PANELS + i) * TARGET * TARGET * 4;
}

static void draw_landscape(struct recorder *r, unsigned i) {
	const struct panel *panel = &panels[i];
	const struct pica_framebuffer fb = { .color_addr = panel_color(i),
		.depth_addr = panel_depth(i), .color_format = PICA_COLOR_FORMAT_RGBA8,
		.depth_format = panel->depth_format, .width = TARGET, .height = TARGET };
	recorder_draw_target(r, &fb);
	pica_emit_viewport(&r->list, 0, 0, VIEW, VIEW);
	if (panel->map == PICA_DEPTHMAP_W) {
		/* (-z/w scale) w: 1 at the near plane, falling evenly to 0 at the far one. */
		pica_emit_depth_map(&r->list, PICA_DEPTHMAP_W, (float)(-1 / near_plane), 0);
	} else {
		pica_emit_depth_map(&r->list, PICA_DEPTHMAP_Z, -1, 0);
	}
	struct mat4 view = mat4_perspective(52 / 360.0, 1, near_plane, far_plane);
	view = mat4_mul3(view, mat4_rotate_x(0.03), mat4_translate(0, -0.9f, 0));
	use_color_program(r, mat4_identity());
	pica_emit_stencil_op(&r->list, PICA_STENCIL_OP_KEEP, PICA_STENCIL_OP_KEEP,
			PICA_STENCIL_OP_REPLACE);
	depth_off(r);
	draw_mesh(r, panel, &own.sky, 0, 4, 0);
	set_matrix(r, "projection", view);
	depth_on(r);
	draw_mesh(r, panel, &own.sand, 0, 4, 40);
	draw_mesh(r, panel, &own.water, 0, 4, 90);
	for (unsigned k = 0; k < CONES; k++) {
		draw_mesh(r, panel, &own.cones, k * SIDES * 3, SIDES * 3, 130 + 25 * k);
	}
	stencil_off(r);
	pica_emit_depth_map(&r->list, PICA_DEPTHMAP_Z, -1, 0);
}

/* ---- Top ---- */

static void show_texture(struct recorder *r, int x, int y, uint32_t addr, uint32_t format) {
	/* Window row 0 is the texture's last. */
	const struct pica_texture t = texture_at(addr, TARGET, TARGET, format, 0);
	canvas_sprite(r, x, y, VIEW, VIEW, 0, TARGET - VIEW, VIEW, VIEW, 0);
	canvas_draw_textured(r, &t);
}

static void draw_top(struct recorder *r, unsigned frame) {
	depth_off(r);
	TEV(r, 0, RGB1(TEXTURE0), ALPHA1(PREVIOUS));
	blend_off(r);
	for (unsigned i = 0; i < PANELS; i++) {
		const int x = 3 + (int)i * 99;
		show_texture(r, x, 14, panel_color(i), PICA_TEXTURE_FORMAT_RGBA8);
		show_texture(r, x, 124, panel_depth(i), panels[i].texture_format);
	}
	for (unsigned i = 0; i < PANELS; i++) {
		canvas_label(r, 3 + (int)i * 99 + VIEW / 2, 112, panels[i].name);
	}
	canvas_title(r, "depth formats, and what lies in the buffer");
	canvas_text_centered(r, 101, 223, 0x9098B0FF, "as RGB565");
	canvas_text_centered(r, 249, 223, 0x9098B0FF, "as RGB8");
	canvas_text_centered(r, 348, 223, 0x9098B0FF, "as RGBA8");
	canvas_draw(r);
}

/* ---- Bottom ---- */

/*
 * Quads in pixels; z is the depth, 1 is near. The blue quad, nearer to the right, is drawn first;
 * the function then decides where the orange one appears, whose depth falls to the right in its
 * upper half and equals the blue one's in its lower half.
 */
static struct mesh store_quads(struct recorder *r) {
	struct color_vertex v[FUNCTIONS * 12];
	for (int i = 0; i < FUNCTIONS; i++) {
		const float x = 6.0f + 79.0f * (float)(i % 4), y = 20.0f + 112.0f * (float)(i / 4);
		for (unsigned k = 0; k < 4; k++) {
			const bool right = k & 1;
			const float px = x + (right ? 72 : 0), py = y + (k & 2 ? 90 : 0);
			const float near = right ? 0.8f : 0.2f, far = right ? 0.2f : 0.8f;
			struct color_vertex *q = &v[i * 12 + (int)k];
			q[0] = color_vertex(px, py, near, right ? 0x60A8F0FF : 0x10305CFF);
			q[4] = color_vertex(px, py, far, right ? 0x8C4810FF : 0xFFB060FF);
			q[8] = color_vertex(px, py, near, right ? 0xFFB060FF : 0x8C4810FF);
		}
	}
	return store_colors(r, PICA_PRIMITIVE_STRIP, v, COUNT(v));
}

/* Scissor from the top left corner of the screen. */
static void scissor(struct recorder *r, int x, int y, int width, int height) {
	pica_emit_scissor(&r->list, PICA_SCISSOR_INSIDE, (unsigned)(SCREEN_HEIGHT - y - height),
			(unsigned)(BOTTOM_WIDTH - x - width), (unsigned)(SCREEN_HEIGHT - y - 1),
			(unsigned)(BOTTOM_WIDTH - x - 1));
}

static void draw_bottom(struct recorder *r, unsigned frame) {
	static const char *const names[FUNCTIONS] = { "never", "always", "equal", "not equal",
		"less", "less, equal", "greater", "greater, equal" };
	for (int i = 0; i < FUNCTIONS; i++) {
		canvas_label(r, 42 + i % 4 * 79, 8 + i / 4 * 112, names[i]);
	}
	canvas_draw(r);
	tev_primary(r);
	blend_off(r);
	use_color_program(r, canvas_projection(r));
	mesh_use(r, &own.equal);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		const int x = 6 + (int)(i % 4) * 79, y = 20 + (int)(i / 4) * 112;
		pica_emit_depth_test(&r->list, true, PICA_COMPARE_ALWAYS, true, 0xF);
		mesh_draw_part(r, &own.equal, i * 12, 4);
		pica_emit_depth_test(&r->list, true, PICA_COMPARE_NEVER + i, false, 0xF);
		scissor(r, x + 8, y + 8, 56, 34);
		mesh_draw_part(r, &own.equal, i * 12 + 4, 4);
		scissor(r, x + 8, y + 48, 56, 34);
		mesh_draw_part(r, &own.equal, i * 12 + 8, 4);
		pica_emit_scissor(&r->list, PICA_SCISSOR_OFF, 0, 0, 0, 0);
	}
}

static void store(struct recorder *r) {
	store_landscape(r);
	own.equal = store_quads(r);
	recorder_fill(r, 0, FREE_VRAM, 2 * PANELS * TARGET * TARGET * 4, 0);
}

static void draw(struct recorder *r, unsigned frame) {
	for (unsigned i = 0; i < PANELS; i++) {
		draw_landscape(r, i);
	}
}

const struct scene scene_depth = {
	.name = "depth",
	.what = "chart of the depth formats, of their buffers as textures, and of the compare functions",
	.frames = FRAMES, .has_canvas = true, .top = 0x1C2030FF, .bottom = 0x1C2030FF,
	.store = store, .draw = draw, .draw_top = draw_top, .draw_bottom = draw_bottom,
};
