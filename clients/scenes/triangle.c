/*
 * The first triangle: red, green and blue corners before a halo, and a colour wheel below. Shows
 * lists, fans, strips and vertices in the command list itself.
 */
#include "recorder.h"
#include "scenes.h"

enum { FRAMES = 3, HALO = 64, WHEEL = 96 };

struct arrays {
	uint32_t triangle, halo, wheel, ring;
};

static void store_arrays(struct recorder *r, struct arrays *a) {
	struct color_vertex v[2 * WHEEL + 4];
	for (unsigned k = 0; k < 3; k++) {
		static const uint32_t corner[3] = { 0xFF2A2AFF, 0x22F046FF, 0x2E62FFFF };
		double turn = 0.25 + k / 3.0;
		v[k] = color_vertex((float)turn_cos(turn), (float)turn_sin(turn), 0, corner[k]);
	}
	a->triangle = recorder_store(r, v, 3 * sizeof(v[0]));

	v[0] = color_vertex(0, 0, 0, 0x8FB4FF90);
	for (unsigned k = 0; k <= HALO; k++) {
		double turn = (double)k / HALO;
		v[1 + k] = color_vertex(
				(float)turn_cos(turn), (float)turn_sin(turn), 0, 0x5A3CC800);
	}
	a->halo = recorder_store(r, v, (HALO + 2) * sizeof(v[0]));

	v[0] = color_vertex(0, 0, 0, 0xFFFFFFFF);
	for (unsigned k = 0; k <= WHEEL; k++) {
		double turn = (double)k / WHEEL;
		v[1 + k] = color_vertex(
				(float)turn_cos(turn), (float)turn_sin(turn), 0, hsv(turn, 1, 1));
	}
	a->wheel = recorder_store(r, v, (WHEEL + 2) * sizeof(v[0]));

	for (unsigned k = 0; k <= WHEEL; k++) {
		double turn = (double)k / WHEEL;
		float c = (float)turn_cos(turn), s = (float)turn_sin(turn);
		/* The complement, going dark outwards. */
		v[2 * k] = color_vertex(1.06f * c, 1.06f * s, 0, hsv(turn + 0.5, 0.75, 1));
		v[2 * k + 1] = color_vertex(1.3f * c, 1.3f * s, 0, hsv(turn + 0.5, 1, 0.12));
	}
	a->ring = recorder_store(r, v, 2 * (WHEEL + 1) * sizeof(v[0]));
}

/* A gradient over the whole screen, its vertices in the list. */
static void draw_gradient(struct recorder *r, const struct program *p, float width,
		const float top[4], const float bottom[4]) {
	struct mat4 pixels = mat4_tilt(mat4_pixels(width, SCREEN_HEIGHT));
	program_matrix(r, p, 0, "projection", &pixels);
	pica_emit_inputs(&r->list, 2, PICA_IDENTITY_INPUTS);
	pica_emit_immediate_begin(&r->list, PICA_PRIMITIVE_STRIP);
	for (unsigned k = 0; k < 4; k++) {
		const float *color = k & 1 ? top : bottom;
		const float vertex[8] = { k & 2 ? width : 0, k & 1 ? SCREEN_HEIGHT :
				0, 0, 1, color[0],
			color[1], color[2], color[3] };
		pica_emit_immediate(&r->list, vertex, 2);
	}
	pica_emit_immediate_end(&r->list);
}

/* A unit shape of n vertices, scaled and turned, in the middle of the screen. */
static void draw_shape(struct recorder *r, const struct program *p, float width, float size,
		double turn, uint32_t array, uint32_t primitive, uint32_t n) {
	struct mat4 m = mat4_tilt(mat4_pixels(width, SCREEN_HEIGHT));
	m = mat4_mul(m, mat4_translate(width / 2, SCREEN_HEIGHT / 2, 0));
	m = mat4_mul(m, mat4_mul(mat4_rotate_z(turn), mat4_scale(size, size, 1)));
	program_matrix(r, p, 0, "projection", &m);
	use_color_vertices(r, array);
	pica_emit_draw_arrays(&r->list, primitive, 0, n);
}

static int record(struct recorder *r) {
	struct program p;
	int ret = program_create(&p, "color", color_program_source, NULL);
	if (ret < 0) {
		return ret;
	}
	struct arrays a;
	store_arrays(r, &a);
	static const float night[4] = { 18, 12, 52, 255 }, dusk[4] = { 120, 46, 96, 255 };
	static const float deep[4] = { 6, 10, 18, 255 }, slate[4] = { 40, 52, 70, 255 };
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		double turn = frame / 36.0;
		recorder_frame_begin(r, 0x000000FF, 0x000000FF);
		program_use(r, &p);
		recorder_draw_top(r);
		draw_gradient(r, &p, TOP_WIDTH, night, dusk);
		blend_over(r);
		draw_shape(r, &p, TOP_WIDTH, 150, 0, a.halo, PICA_PRIMITIVE_FAN, HALO + 2);
		pica_emit_blend(&r->list, NULL);
		draw_shape(r, &p, TOP_WIDTH, 104, turn, a.triangle, PICA_PRIMITIVE_LIST, 3);
		recorder_draw_bottom(r);
		draw_gradient(r, &p, BOTTOM_WIDTH, slate, deep);
		draw_shape(r, &p, BOTTOM_WIDTH, 84, -turn, a.wheel, PICA_PRIMITIVE_FAN, WHEEL + 2);
		draw_shape(r, &p, BOTTOM_WIDTH, 84, turn, a.ring, PICA_PRIMITIVE_STRIP,
				2 * (WHEEL + 1));
		recorder_frame_end(r);
	}
	program_destroy(&p);
	return 0;
}

const struct scene scene_triangle = {
	.name = "triangle",
	.what = "a triangle before a halo; a colour wheel (lists, fans, strips, immediate vertices)",
	.frames = FRAMES,
	.record = record,
};
