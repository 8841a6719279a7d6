/*
 * The first triangle: red, green and blue corners in front of a halo, and a colour wheel at the
 * bottom. Shows lists, fans, strips and vertices in the command list itself.
 */
#include "kit.h"

enum { FRAMES = 3, HALO = 64, WHEEL = 96 };

static struct mesh triangle, halo, wheel, ring;

/* A fan around the middle. */
static struct mesh store_wheel(struct recorder *r, unsigned n, uint32_t middle, bool is_colourful) {
	struct color_vertex v[WHEEL + 2];
	v[0] = color_vertex(0, 0, 0, middle);
	for (unsigned k = 0; k <= n; k++) {
		const double turn = (double)k / n;
		v[1 + k] = color_vertex((float)turn_cos(turn), (float)turn_sin(turn), 0,
				is_colourful ? hsv(turn, 1, 1) : 0x5A3CC800);
	}
	return store_colors(r, PICA_PRIMITIVE_FAN, v, n + 2);
}

static void store(struct recorder *r) {
	struct color_vertex v[2 * WHEEL + 2];
	for (unsigned k = 0; k < 3; k++) {
		static const uint32_t corner[3] = { 0xFF2A2AFF, 0x22F046FF, 0x2E62FFFF };
		const double turn = 0.25 + k / 3.0;
		v[k] = color_vertex((float)turn_cos(turn), (float)turn_sin(turn), 0, corner[k]);
	}
	triangle = store_colors(r, PICA_PRIMITIVE_LIST, v, 3);
	halo = store_wheel(r, HALO, 0x8FB4FF90, false);
	wheel = store_wheel(r, WHEEL, 0xFFFFFFFF, true);
	for (unsigned k = 0; k <= WHEEL; k++) {
		const double turn = (double)k / WHEEL;
		const float c = (float)turn_cos(turn), s = (float)turn_sin(turn);
		/* The complement, darker outwards. */
		v[2 * k] = color_vertex(1.06f * c, 1.06f * s, 0, hsv(turn + 0.5, 0.75, 1));
		v[2 * k + 1] = color_vertex(1.3f * c, 1.3f * s, 0, hsv(turn + 0.5, 1, 0.12));
	}
	ring = store_colors(r, PICA_PRIMITIVE_STRIP, v, COUNT(v));
}

/* A gradient over the whole screen, with its vertices in the list. */
static void draw_gradient(struct recorder *r, const float top[4], const float bottom[4]) {
	const float width = (float)r->width;
	set_matrix(r, "projection", screen_pixels(r->width));
	pica_emit_inputs(&r->list, 2, PICA_IDENTITY_INPUTS);
	pica_emit_immediate_begin(&r->list, PICA_PRIMITIVE_STRIP);
	for (unsigned k = 0; k < 4; k++) {
		const float *color = k & 1 ? top : bottom;
		const float vertex[8] = { k & 2 ? width : 0, k & 1 ? SCREEN_HEIGHT : 0, 0, 1,
			color[0], color[1], color[2], color[3] };
		pica_emit_immediate(&r->list, vertex, 2);
	}
	pica_emit_immediate_end(&r->list);
}

/* A unit shape, scaled and turned, in the middle of the screen. */
static void draw_shape(struct recorder *r, const struct mesh *shape, float size, double turn) {
	struct mat4 m = screen_pixels(r->width);
	m = mat4_mul(m, mat4_translate((float)r->width / 2, SCREEN_HEIGHT / 2, 0));
	m = mat4_mul3(m, mat4_rotate_z(turn), mat4_scale(size, size, 1));
	set_matrix(r, "projection", m);
	mesh_draw(r, shape);
}

static void draw(struct recorder *r, unsigned frame) {
	static const float night[4] = { 18, 12, 52, 255 }, dusk[4] = { 120, 46, 96, 255 };
	static const float deep[4] = { 6, 10, 18, 255 }, slate[4] = { 40, 52, 70, 255 };
	const double turn = frame / 36.0;
	use_program(r, color_program);
	recorder_draw_top(r);
	draw_gradient(r, night, dusk);
	blend_over(r);
	draw_shape(r, &halo, 150, 0);
	blend_off(r);
	draw_shape(r, &triangle, 104, turn);
	recorder_draw_bottom(r);
	draw_gradient(r, slate, deep);
	draw_shape(r, &wheel, 84, -turn);
	draw_shape(r, &ring, 84, turn);
}

const struct scene scene_triangle = {
	.name = "triangle",
	.what = "a triangle before a halo; a colour wheel (lists, fans, strips, immediate vertices)",
	.frames = FRAMES, .top = 0x000000FF, .bottom = 0x000000FF,
	.store = store, .draw = draw,
};
