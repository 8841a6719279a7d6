/*
 * Render to texture: a ball with a ring is drawn into a 256x256 target, which both screens then
 * show, all in one list. Top: a curved wall of monitors above a shiny floor; bottom: four variants
 * by the combiner.
 */
#include "kit.h"

enum {
	FRAMES = 3, SLICES = 24, STACKS = 12, BALL = SLICES * STACKS * 6, RING = 72,
	COLUMNS = 5, ROWS = 3,
};

static struct {
	struct mesh ball, ring, monitors, quarters, back;
} own;

/* ---- The picture on the monitors ---- */

static struct color_vertex ball_vertex(unsigned slice, unsigned stack, uint32_t color) {
	double around = (double)slice / SLICES, up = 0.5 * stack / STACKS - 0.25;
	return color_vertex((float)(turn_cos(up) * turn_cos(around)), (float)turn_sin(up),
			(float)(-turn_cos(up) * turn_sin(around)), color);
}

static void store_ball(struct recorder *r) {
	static const uint32_t corner[4] = { 0x203A6AFF, 0x203A6AFF, 0x8A5A9AFF, 0xE8A878FF };
	static struct color_vertex v[BALL];
	for (unsigned i = 0; i < SLICES * STACKS; i++) {
		const unsigned slice = i % SLICES, stack = i / SLICES;
		const bool is_light = (slice / 2 + stack / 2) & 1;
		const uint32_t color = is_light ? 0xF4F0E4FF : hsv(slice / 24.0, 0.85, 0.95);
		struct color_vertex quad[4];
		for (unsigned k = 0; k < 4; k++) {
			/* Lighter above. */
			const unsigned at = stack + k / 2;
			quad[k] = ball_vertex(slice + k % 2, at,
					mix_color(0x101020FF, color, 0.45 + 0.55 * at / STACKS));
		}
		for (unsigned k = 0; k < 6; k++) {
			v[6 * i + k] = quad[(unsigned[6]){ 0, 1, 3, 0, 3, 2 }[k]];
		}
	}
	own.ball = store_colors(r, PICA_PRIMITIVE_LIST, v, BALL);

	struct color_vertex ring[2 * (RING + 1)];
	for (unsigned k = 0; k <= RING; k++) {
		double turn = (double)k / RING;
		float c = (float)turn_cos(turn), s = (float)turn_sin(turn);
		ring[2 * k] = color_vertex(1.25f * c, 0, 1.25f * s, hsv(3 * turn, 0.35, 1));
		ring[2 * k + 1] =
				color_vertex(1.7f * c, 0, 1.7f * s, hsv(3 * turn + 0.1, 0.8, 0.5));
	}
	own.ring = store_colors(r, PICA_PRIMITIVE_STRIP, ring, COUNT(ring));
	own.back = store_color_quad(r, -1, -1, 1, 1, corner);
}

static void draw_ball(struct recorder *r, unsigned frame) {
	/* Not tilted, since the picture is sampled. */
	struct mat4 view = mat4_perspective(46 / 360.0, 1, 1, 10);
	view = mat4_mul3(view, mat4_translate(0, 0, -4.4f), mat4_rotate_x(0.055));
	use_color_program(r, mat4_identity());
	mesh_use(r, &own.back);
	depth_off(r);
	mesh_draw_part(r, &own.back, 0, 4);

	depth_on(r);
	struct mat4 m = mat4_mul(view, mat4_rotate_y(frame / 18.0));
	set_matrix(r, "projection", m);
	mesh_use(r, &own.ball);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	mesh_draw_part(r, &own.ball, 0, BALL);
	pica_emit_cull(&r->list, PICA_CULL_NONE);
	m = mat4_mul3(view, mat4_rotate_z(0.05), mat4_rotate_y(frame / 30.0));
	set_matrix(r, "projection", m);
	mesh_draw(r, &own.ring);
}

/* ---- The wall ---- */

static void store_monitors(struct recorder *r) {
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
	own.monitors = store_textured(r, PICA_PRIMITIVE_STRIP, v, COUNT(v));
	struct texture_vertex q[4 * 4];
	for (unsigned i = 0; i < 4; i++) {
		/* The middle of the picture, a bit wider than high. */
		const float x = (float)(i % 2) * 160 + 3, y = (float)(i / 2) * 120 + 3;
		const struct quad quarter = { x, y, x + 154, y + 114, 0, 0.13f, 1, 0.13f + 0.74f };
		put_texture_quad(&q[i * 4], &quarter);
	}
	own.quarters = store_textured(r, PICA_PRIMITIVE_STRIP, q, COUNT(q));
}

static void draw_monitors(struct recorder *r, bool mirrored, unsigned frame) {
	struct mat4 view = mat4_tilt(screen_lens(TOP_WIDTH, 58, 0.3, 20));
	struct mat4 m = mat4_mul(
			mat4_translate(0, -1.6f, -2.2f), mat4_rotate_y((frame - 1.0) / 100.0));
	m = mat4_mul(view, m);
	if (mirrored) {
		m = mat4_mul(m, mat4_scale(1, -1, 1));
	}
	set_matrix(r, "projection", m);
	mesh_use(r, &own.monitors);
	for (unsigned i = 0; i < COLUMNS * ROWS; i++) {
		if (mirrored && i >= COLUMNS) {
			break; /* the floor reflects the lowest row only */
		}
		float light = mirrored ? 0.28f :
					 0.62f + 0.38f * (float)((i * 7 + frame * 5) % 4) / 3.0f;
		const float tint[4] = { light, light, mirrored ? light + 0.08f : light, 1 };
		set_uniform(r, "tint", tint, 1);
		mesh_draw_part(r, &own.monitors, i * 4, 4);
	}
}

/* ---- The combiner's pictures ---- */

/* Stages 0 to 2: 0.3 R + 0.59 G + 0.11 B of texture 0. Constants have R in the low byte. */
static void gray_stages(struct recorder *r) {
	TEV(r, 0, RGB3(MODULATE, TEXTURE0, CONSTANT, PREVIOUS), ALPHA1(PREVIOUS),
			.rgb_operand = { PICA_TEV_OPERAND_RGB_RED }, .color = 0xFF4D4D4D);
	TEV(r, 1, RGB3(MULTIPLY_ADD, TEXTURE0, CONSTANT, PREVIOUS), ALPHA1(PREVIOUS),
			.rgb_operand = { PICA_TEV_OPERAND_RGB_GREEN }, .color = 0xFF969696);
	TEV(r, 2, RGB3(MULTIPLY_ADD, TEXTURE0, CONSTANT, PREVIOUS), ALPHA1(PREVIOUS),
			.rgb_operand = { PICA_TEV_OPERAND_RGB_BLUE }, .color = 0xFF1C1C1C);
}

static void draw_quarters(struct recorder *r) {
	static const float white[4] = { 1, 1, 1, 1 };
	set_matrix(r, "projection", screen_pixels(BOTTOM_WIDTH));
	set_uniform(r, "tint", white, 1);
	mesh_use(r, &own.quarters);

	/* As it is. */
	tev_modulate(r);
	mesh_draw_part(r, &own.quarters, 8, 4);

	/* The negative. */
	TEV(r, 0, RGB3(REPLACE, TEXTURE0, TEXTURE0, TEXTURE0), ALPHA1(PREVIOUS),
			.rgb_operand = { PICA_TEV_OPERAND_RGB_ONE_MINUS_COLOR });
	mesh_draw_part(r, &own.quarters, 12, 4);

	/* An old photograph: gray, then brown. */
	gray_stages(r);
	TEV(r, 3, RGB3(MODULATE, PREVIOUS, CONSTANT, CONSTANT), ALPHA1(PREVIOUS),
			.color = 0xFFA0D8FF);
	mesh_draw_part(r, &own.quarters, 0, 4);

	/* Two inks: the buffer's colour for dark parts, the constant for light ones. */
	pica_emit_tev_buffer(&r->list, 0, 0, 0xFF601840);
	TEV(r, 3, RGB3(INTERPOLATE, CONSTANT, PREVIOUS_BUFFER, PREVIOUS), ALPHA1(PREVIOUS),
			.color = 0xFF70E0FF);
	mesh_draw_part(r, &own.quarters, 4, 4);
	tev_pass(r, 1, 5);
}

static void store(struct recorder *r) {
	store_ball(r);
	store_monitors(r);
}

static void draw(struct recorder *r, unsigned frame) {
	enum { PIXELS = OFFSCREEN_SIZE * OFFSCREEN_SIZE };
	const struct pica_texture target = texture_at(OFFSCREEN_COLOR, OFFSCREEN_SIZE,
			OFFSCREEN_SIZE, PICA_TEXTURE_FORMAT_RGBA8, PICA_FILTER_LINEAR);
	recorder_fill(r, 0, OFFSCREEN_COLOR, PIXELS * 4, 0x203A6AFF);
	recorder_fill(r, 1, OFFSCREEN_DEPTH, PIXELS * 4, 0);
	recorder_draw_offscreen(r);
	tev_primary(r);
	draw_ball(r, frame);

	recorder_draw_top(r);
	depth_off(r);
	use_program(r, texture_program);
	use_texture(r, &target);
	tev_modulate(r);
	draw_monitors(r, true, frame);
	draw_monitors(r, false, frame);

	recorder_draw_bottom(r);
	draw_quarters(r);
}

const struct scene scene_wall = {
	.name = "wall",
	.what = "a ball drawn to a texture, shown on a wall of monitors and through four combiners",
	.frames = FRAMES, .top = 0x0A0A10FF, .bottom = 0x18181CFF,
	.store = store, .draw = draw,
};
