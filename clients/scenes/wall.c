/*
 * Drawing to a texture: a ball with a ring is drawn into a 256x256 target, which both screens then
 * show, all in one list: a curved wall of monitors above a shining floor, and four pictures that
 * the combiner turns into others.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"
#include "scenes.h"

enum {
	FRAMES = 3,
	SLICES = 24,
	STACKS = 12,
	BALL = SLICES * STACKS * 6,
	RING = 72,
	COLUMNS = 5,
	ROWS = 3
};

struct wall {
	struct program flat, shown;
	uint32_t ball, ring, monitors, quarters, back;
};

/* ---- What is on the monitors ---- */

static struct color_vertex ball_vertex(unsigned slice, unsigned stack, uint32_t color) {
	double around = (double)slice / SLICES, up = 0.5 * stack / STACKS - 0.25;
	return color_vertex((float)(turn_cos(up) * turn_cos(around)), (float)turn_sin(up),
			(float)(-turn_cos(up) * turn_sin(around)), color);
}

static int store_ball(struct recorder *r, struct wall *w) {
	struct color_vertex *v = malloc(BALL * sizeof(*v));
	if (!v) {
		return -ENOMEM;
	}
	struct color_vertex *next = v;
	for (unsigned stack = 0; stack < STACKS; stack++) {
		for (unsigned slice = 0; slice < SLICES; slice++) {
			bool is_light = (slice / 2 + stack / 2) & 1;
			uint32_t color = is_light ? 0xF4F0E4FF : hsv(slice / 24.0, 0.85, 0.95);
			/* Lighter above. */
			uint32_t low = mix_color(0x101020FF, color, 0.45 + 0.55 * stack / STACKS);
			uint32_t high = mix_color(
					0x101020FF, color, 0.45 + 0.55 * (stack + 1) / STACKS);
			struct color_vertex a = ball_vertex(slice, stack, low);
			struct color_vertex b = ball_vertex(slice + 1, stack, low);
			struct color_vertex c = ball_vertex(slice, stack + 1, high);
			struct color_vertex d = ball_vertex(slice + 1, stack + 1, high);
			const struct color_vertex quad[6] = { a, b, d, a, d, c };
			memcpy(next, quad, sizeof(quad));
			next += 6;
		}
	}
	w->ball = recorder_store(r, v, BALL * sizeof(*v));
	free(v);

	struct color_vertex ring[2 * (RING + 1)];
	for (unsigned k = 0; k <= RING; k++) {
		double turn = (double)k / RING;
		float c = (float)turn_cos(turn), s = (float)turn_sin(turn);
		ring[2 * k] = color_vertex(1.25f * c, 0, 1.25f * s, hsv(3 * turn, 0.35, 1));
		ring[2 * k + 1] =
				color_vertex(1.7f * c, 0, 1.7f * s, hsv(3 * turn + 0.1, 0.8, 0.5));
	}
	w->ring = recorder_store(r, ring, sizeof(ring));

	static const uint32_t corner[4] = { 0x203A6AFF, 0x203A6AFF, 0x8A5A9AFF, 0xE8A878FF };
	struct color_vertex back[4];
	for (unsigned k = 0; k < 4; k++) {
		back[k] = color_vertex(k & 1 ? 1 : -1, k & 2 ? 1 : -1, 0, corner[k]);
	}
	w->back = recorder_store(r, back, sizeof(back));
	return 0;
}

static void draw_ball(struct recorder *r, const struct wall *w, unsigned frame) {
	/* Not tilted: a picture to be sampled, not a screen. */
	struct mat4 view = mat4_perspective(46 / 360.0, 1, 1, 10);
	view = mat4_mul(view, mat4_mul(mat4_translate(0, 0, -4.4f), mat4_rotate_x(0.055)));
	struct mat4 still = mat4_identity();
	program_use(r, &w->flat);
	program_matrix(r, &w->flat, 0, "projection", &still);
	use_color_vertices(r, w->back);
	pica_emit_depth_test(&r->list, false, PICA_COMPARE_ALWAYS, false, 0xF);
	pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_STRIP, 0, 4);

	pica_emit_depth_test(&r->list, true, PICA_COMPARE_GREATER, true, 0xF);
	struct mat4 m = mat4_mul(view, mat4_rotate_y(frame / 18.0));
	program_matrix(r, &w->flat, 0, "projection", &m);
	use_color_vertices(r, w->ball);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_LIST, 0, BALL);
	pica_emit_cull(&r->list, PICA_CULL_NONE);
	m = mat4_mul(view, mat4_mul(mat4_rotate_z(0.05), mat4_rotate_y(frame / 30.0)));
	program_matrix(r, &w->flat, 0, "projection", &m);
	use_color_vertices(r, w->ring);
	pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_STRIP, 0, 2 * (RING + 1));
}

/* ---- The wall ---- */

static void store_monitors(struct recorder *r, struct wall *w) {
	/* Columns stand on a circle around the viewer. */
	struct texture_vertex v[COLUMNS * ROWS * 4];
	for (unsigned i = 0; i < COLUMNS * ROWS; i++) {
		for (unsigned k = 0; k < 4; k++) {
			float u = k & 1, t = k >> 1;
			double turn = 0.25 -
					((i % COLUMNS + 0.04 + 0.92 * u) / COLUMNS - 0.5) * 0.44;
			v[i * 4 + k] = (struct texture_vertex){ .x = 3.4f * (float)turn_cos(turn),
				.y = (float)(i / COLUMNS) * 1.5f + 0.06f + 1.38f * t,
				.z = -3.4f * (float)turn_sin(turn), .u = u, .v = t };
		}
	}
	w->monitors = recorder_store(r, v, sizeof(v));
	struct texture_vertex q[4 * 4];
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned k = 0; k < 4; k++) {
			float u = k & 1, t = k >> 1;
			/* The middle of the picture, a bit wider than high. */
			q[i * 4 + k] = (struct texture_vertex){ .x = (float)(i % 2) * 160 + 3 +
						154 * u,
				.y = (float)(i / 2) * 120 + 3 + 114 * t,
				.u = u,
				.v = 0.13f + 0.74f * t };
		}
	}
	w->quarters = recorder_store(r, q, sizeof(q));
}

static void use_target_as_texture(struct recorder *r) {
	const struct pica_texture t = { .addr = OFFSCREEN_COLOR,
		.width = OFFSCREEN_SIZE,
		.height = OFFSCREEN_SIZE,
		.format = PICA_TEXTURE_FORMAT_RGBA8,
		.mag = PICA_FILTER_LINEAR,
		.min = PICA_FILTER_LINEAR };
	pica_emit_texture(&r->list, 0, &t);
	pica_emit_texture_units(&r->list, 1, 0, false);
}

static void draw_monitors(struct recorder *r, const struct wall *w, bool mirrored, unsigned frame) {
	double aspect = (double)TOP_WIDTH / SCREEN_HEIGHT;
	struct mat4 view = mat4_tilt(mat4_perspective(58 / 360.0, aspect, 0.3, 20));
	struct mat4 m = mat4_mul(
			mat4_translate(0, -1.6f, -2.2f), mat4_rotate_y((frame - 1.0) / 100.0));
	m = mat4_mul(view, m);
	if (mirrored) {
		m = mat4_mul(m, mat4_scale(1, -1, 1));
	}
	program_matrix(r, &w->shown, 0, "projection", &m);
	use_texture_vertices(r, w->monitors);
	for (unsigned i = 0; i < COLUMNS * ROWS; i++) {
		if (mirrored && i >= COLUMNS) {
			break; /* the floor shows the lowest row only */
		}
		float light = mirrored ? 0.28f :
					 0.62f + 0.38f * (float)((i * 7 + frame * 5) % 4) / 3.0f;
		const float tint[4] = { light, light, mirrored ? light + 0.08f : light, 1 };
		program_uniform(r, &w->shown, 0, "tint", tint, 1);
		pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_STRIP, i * 4, 4);
	}
}

/* ---- The combiner's pictures ---- */

static void stage(struct recorder *r, unsigned number, uint32_t op, const uint32_t source[3],
		const uint32_t operand[3], uint32_t color) {
	struct pica_tev tev;
	pica_tev_init(&tev);
	for (unsigned k = 0; k < 3; k++) {
		tev.rgb_source[k] = source[k];
		tev.rgb_operand[k] = operand[k];
	}
	tev.rgb_op = op;
	tev.color = color;
	pica_emit_tev(&r->list, number, &tev);
}

static const uint32_t plain[3] = { PICA_TEV_OPERAND_RGB_COLOR, PICA_TEV_OPERAND_RGB_COLOR,
	PICA_TEV_OPERAND_RGB_COLOR };

/* Stages 0 to 2: 0.3 R + 0.59 G + 0.11 B of texture 0. Constants have R in the low byte. */
static void gray_stages(struct recorder *r) {
	static const uint32_t source[3] = { PICA_TEV_SOURCE_TEXTURE0, PICA_TEV_SOURCE_CONSTANT,
		PICA_TEV_SOURCE_PREVIOUS };
	static const uint32_t channel[3] = { PICA_TEV_OPERAND_RGB_RED, PICA_TEV_OPERAND_RGB_GREEN,
		PICA_TEV_OPERAND_RGB_BLUE };
	static const uint32_t weight[3] = { 0xFF4D4D4D, 0xFF969696, 0xFF1C1C1C };
	for (unsigned k = 0; k < 3; k++) {
		const uint32_t operand[3] = { channel[k], PICA_TEV_OPERAND_RGB_COLOR,
			PICA_TEV_OPERAND_RGB_COLOR };
		stage(r, k, k == 0 ? PICA_TEV_OP_MODULATE : PICA_TEV_OP_MULTIPLY_ADD, source,
				operand, weight[k]);
	}
}

static void pass_through(struct recorder *r, unsigned from) {
	for (unsigned k = from; k < 6; k++) {
		pica_emit_tev(&r->list, k, NULL);
	}
}

static void draw_quarters(struct recorder *r, const struct wall *w) {
	static const float white[4] = { 1, 1, 1, 1 };
	struct mat4 m = mat4_tilt(mat4_pixels(BOTTOM_WIDTH, SCREEN_HEIGHT));
	program_matrix(r, &w->shown, 0, "projection", &m);
	program_uniform(r, &w->shown, 0, "tint", white, 1);
	use_texture_vertices(r, w->quarters);

	/* As it is. */
	tev_modulate(r);
	pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_STRIP, 8, 4);

	/* The negative. */
	static const uint32_t texture[3] = { PICA_TEV_SOURCE_TEXTURE0, PICA_TEV_SOURCE_TEXTURE0,
		PICA_TEV_SOURCE_TEXTURE0 };
	static const uint32_t negative[3] = { PICA_TEV_OPERAND_RGB_ONE_MINUS_COLOR,
		PICA_TEV_OPERAND_RGB_COLOR, PICA_TEV_OPERAND_RGB_COLOR };
	stage(r, 0, PICA_TEV_OP_REPLACE, texture, negative, 0);
	pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_STRIP, 12, 4);

	/* An old photograph: gray, then brown. */
	gray_stages(r);
	static const uint32_t tinted[3] = { PICA_TEV_SOURCE_PREVIOUS, PICA_TEV_SOURCE_CONSTANT,
		PICA_TEV_SOURCE_CONSTANT };
	stage(r, 3, PICA_TEV_OP_MODULATE, tinted, plain, 0xFFA0D8FF);
	pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_STRIP, 0, 4);

	/* Two inks: the buffer's colour where it is dark, the constant where it is light. */
	static const uint32_t inks[3] = { PICA_TEV_SOURCE_CONSTANT, PICA_TEV_SOURCE_PREVIOUS_BUFFER,
		PICA_TEV_SOURCE_PREVIOUS };
	pica_emit_tev_buffer(&r->list, 0, 0, 0xFF601840);
	stage(r, 3, PICA_TEV_OP_INTERPOLATE, inks, plain, 0xFF70E0FF);
	pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_STRIP, 4, 4);
	pass_through(r, 1);
}

static void record_frames(struct recorder *r, struct wall *w) {
	enum { PIXELS = OFFSCREEN_SIZE * OFFSCREEN_SIZE };
	store_monitors(r, w);
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		recorder_frame_begin(r, 0x0A0A10FF, 0x18181CFF);
		recorder_fill(r, 0, OFFSCREEN_COLOR, PIXELS * 4, 0x203A6AFF);
		recorder_fill(r, 1, OFFSCREEN_DEPTH, PIXELS * 4, 0);
		recorder_draw_offscreen(r);
		tev_primary(r);
		draw_ball(r, w, frame);

		recorder_draw_top(r);
		pica_emit_depth_test(&r->list, false, PICA_COMPARE_ALWAYS, false, 0xF);
		program_use(r, &w->shown);
		use_target_as_texture(r);
		tev_modulate(r);
		draw_monitors(r, w, true, frame);
		draw_monitors(r, w, false, frame);

		recorder_draw_bottom(r);
		draw_quarters(r, w);
		recorder_frame_end(r);
	}
}

static int record(struct recorder *r) {
	struct wall w;
	memset(&w, 0, sizeof(w));
	int ret = program_create(&w.flat, "color", color_program_source, NULL);
	if (ret == 0) {
		ret = program_create(&w.shown, "texture", texture_program_source, NULL);
	}
	if (ret == 0) {
		ret = store_ball(r, &w);
	}
	if (ret == 0) {
		record_frames(r, &w);
	}
	program_destroy(&w.shown);
	program_destroy(&w.flat);
	return ret;
}

const struct scene scene_wall = {
	.name = "wall",
	.what = "a ball drawn to a texture, shown on a wall of monitors and through four combiners",
	.frames = FRAMES,
	.record = record,
};
