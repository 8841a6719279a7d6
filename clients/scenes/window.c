/*
 * A stained-glass window in a brick wall: stencil mask, blend equations, alpha-tested leaves,
 * scissor. Bottom: the five blend equations on overlapping discs, and six logic operations.
 */
#include "kit.h"

enum { FRAMES = 3, DISC = 48, PANES = 12, LEAVES = 26, EQUATIONS = 5, LOGIC_OPS = 6 };

static struct {
	struct pica_texture bricks, leaf, glow;
	struct mesh disc, square;
} own;

/* Centre and radius of the round part of the window, above a rectangular one. */
static const float center_x = 200, center_y = 136, radius = 78, sill_y = 34;

static void store_shapes(struct recorder *r) {
	static const struct quad square = { -1, -1, 1, 1, 0, 0, 1, 1 };
	struct texture_vertex v[DISC + 2];
	v[0] = (struct texture_vertex){ .u = 0.5f, .v = 0.5f };
	for (unsigned k = 0; k <= DISC; k++) {
		float c = (float)turn_cos((double)k / DISC), s = (float)turn_sin((double)k / DISC);
		v[1 + k] = (struct texture_vertex){
			.x = c, .y = s, .u = (c + 1) / 2, .v = (s + 1) / 2
		};
	}
	own.disc = store_textured(r, PICA_PRIMITIVE_FAN, v, COUNT(v));
	own.square = store_texture_quad(r, &square);
}

static struct mat4 place(struct recorder *r, float x, float y, float sx, float sy, double turn) {
	struct mat4 m = mat4_mul(
			mat4_pixels((float)r->width, SCREEN_HEIGHT), mat4_translate(x, y, 0));
	return mat4_tilt(mat4_mul3(m, mat4_rotate_z(turn), mat4_scale(sx, sy, 1)));
}

static void draw_shape(struct recorder *r, const struct mesh *shape, struct mat4 m, uint32_t rgba) {
	float tint[4];
	put_color_float(tint, rgba);
	set_matrix(r, "projection", m);
	set_uniform(r, "tint", tint, 1);
	mesh_draw(r, shape);
}

static void draw_square(struct recorder *r, float x, float y, float sx, float sy, double turn,
		uint32_t rgba) {
	draw_shape(r, &own.square, place(r, x, y, sx, sy, turn), rgba);
}

static void draw_disc(struct recorder *r, float x, float y, float sx, float sy, double turn,
		uint32_t rgba) {
	draw_shape(r, &own.disc, place(r, x, y, sx, sy, turn), rgba);
}

static void set_blend(struct recorder *r, uint32_t equation, uint32_t src, uint32_t dst) {
	const struct pica_blend b = { .rgb_equation = equation, .rgb_src = src, .rgb_dst = dst,
		.alpha_src = PICA_BLEND_FACTOR_ONE, .alpha_dst = PICA_BLEND_FACTOR_ZERO };
	pica_emit_blend(&r->list, &b);
}

/* Stencil 1 where the glass is; no colour. */
static void mask_glass(struct recorder *r) {
	stencil_write(r, 1);
	pica_emit_depth_test(&r->list, false, PICA_COMPARE_ALWAYS, false, 0);
	draw_disc(r, center_x, center_y, radius, radius, 0, 0);
	float half = (center_y - sill_y) / 2;
	draw_square(r, center_x, sill_y + half, radius, half, 0, 0);
	depth_off(r);
	stencil_keep(r);
}

static void draw_glass(struct recorder *r, unsigned frame) {
	pica_emit_stencil_test(&r->list, true, PICA_COMPARE_EQUAL, 1, 0xFF, 0);
	/* Outside: evening light, with a low sun added. */
	draw_square(r, center_x, 120, 100, 110, 0, 0x7C94C8FF);
	set_blend(r, PICA_BLEND_EQ_ADD, PICA_BLEND_FACTOR_SRC_ALPHA, PICA_BLEND_FACTOR_ONE);
	tev_modulate(r);
	use_texture(r, &own.glow);
	draw_square(r, center_x - 44 + 22 * (float)frame, 104, 120, 120, 0, 0xE0A860FF);
	use_units(r, 0);
	tev_primary(r);

	/* The rose: panes that filter the background (source times destination). */
	set_blend(r, PICA_BLEND_EQ_ADD, PICA_BLEND_FACTOR_DST_COLOR, PICA_BLEND_FACTOR_ZERO);
	for (unsigned i = 0; i < PANES; i++) {
		double turn = (double)i / PANES;
		float x = center_x + 46 * (float)turn_cos(turn),
		      y = center_y + 46 * (float)turn_sin(turn);
		draw_disc(r, x, y, 27, 15, turn, hsv(turn, 0.8, 1));
	}
	for (unsigned i = 0; i < 6; i++) {
		draw_square(r, center_x - 65 + 26 * (float)i, sill_y + 20, 12, 18, 0,
				hsv(0.55 + 0.05 * i, 0.75, 1));
	}
	/* The centre limits each channel from below, the rim from above. */
	set_blend(r, PICA_BLEND_EQ_MAX, PICA_BLEND_FACTOR_ONE, PICA_BLEND_FACTOR_ONE);
	draw_disc(r, center_x, center_y, 17, 17, 0, 0xFFC040FF);
	set_blend(r, PICA_BLEND_EQ_MIN, PICA_BLEND_FACTOR_ONE, PICA_BLEND_FACTOR_ONE);
	for (unsigned i = 0; i < PANES; i++) {
		double turn = (i + 0.5) / PANES;
		float x = center_x + 70 * (float)turn_cos(turn),
		      y = center_y + 70 * (float)turn_sin(turn);
		draw_disc(r, x, y, 8, 8, 0, 0x80306CFF);
	}
	/* Subtracts the shadow of a passing branch. */
	set_blend(r, PICA_BLEND_EQ_REVERSE_SUBTRACT, PICA_BLEND_FACTOR_ONE, PICA_BLEND_FACTOR_ONE);
	draw_square(r, center_x - 30 + 16 * (float)frame, center_y - 30, 130, 5, 0.09, 0x38382CFF);
	draw_square(r, center_x + 18 + 16 * (float)frame, center_y - 8, 60, 3, 0.02, 0x38382CFF);

	/* Lead. */
	blend_off(r);
	for (unsigned i = 0; i < PANES / 2; i++) {
		draw_square(r, center_x, center_y, radius, 1, (i + 0.5) / PANES, 0x16141AFF);
	}
	for (unsigned i = 0; i < 2; i++) {
		draw_square(r, center_x, sill_y + (i ? 42 : 0), radius, 2, 0, 0x16141AFF);
	}
}

static void draw_wall(struct recorder *r) {
	pica_emit_stencil_test(&r->list, true, PICA_COMPARE_NOTEQUAL, 1, 0xFF, 0);
	tev_modulate(r);
	use_texture(r, &own.bricks);
	for (unsigned i = 0; i < 8; i++) {
		draw_square(r, 50 + 100 * (float)(i % 4), 60 + 120 * (float)(i / 4), 50, 60, 0,
				i < 4 ? 0x908884FF : 0xB4ACA4FF);
	}
	use_units(r, 0);
	tev_primary(r);

	/* A frame of stone: the parts of two larger shapes outside the glass. */
	draw_disc(r, center_x, center_y, radius + 9, radius + 9, 0, 0xB0A896FF);
	draw_square(r, center_x, 83, radius + 9, 54, 0, 0xB0A896FF);
	draw_square(r, center_x, sill_y - 4, radius + 18, 7, 0, 0xC8C0ACFF);

	/* Adds incoming light, cut off at the end of the floor. */
	stencil_off(r);
	blend_add(r);
	/* Window x runs up the screen, window y to the left. */
	pica_emit_scissor(&r->list, PICA_SCISSOR_INSIDE, 0, 40, 22, 359);
	for (unsigned i = 0; i < 6; i++) {
		const struct mat4 m = place(r, center_x - 130 + 52 * (float)i, 8, 23, 11, 0);
		draw_shape(r, &own.disc, mat4_mul(m, mat4_rotate_z(0.02 * (i - 2.5))),
				(hsv(0.55 + 0.05 * i, 0.6, 1) & ~0xFFu) | 0x70);
	}
	pica_emit_scissor(&r->list, PICA_SCISSOR_OFF, 0, 0, 0, 0);
	blend_off(r);
}

/* A garland around the arch, by alpha test. */
static void draw_leaves(struct recorder *r, unsigned frame) {
	tev_modulate(r);
	use_texture(r, &own.leaf);
	pica_emit_alpha_test(&r->list, true, PICA_COMPARE_GREATER, 127);
	for (unsigned i = 0; i < LEAVES; i++) {
		double turn = -0.02 + 0.54 * i / (LEAVES - 1);
		float far = radius + (i % 3 == 1 ? 20 : i % 3 == 2 ? 4 : 11);
		float x = center_x + far * (float)turn_cos(turn);
		float y = center_y + far * (float)turn_sin(turn);
		double sway = 0.02 * turn_sin(i * 0.37 + frame * 0.25);
		draw_square(r, x, y, 12, 15, turn + 0.1 * (i % 3) + sway, i & 1 ? 0xFFFFFFFF :
				0xD8F0A0FF);
	}
	pica_emit_alpha_test(&r->list, false, PICA_COMPARE_ALWAYS, 0);
	use_units(r, 0);
	tev_primary(r);
}

static void draw_chart(struct recorder *r, unsigned frame) {
	/* Columns of hues, darker below. */
	for (unsigned i = 0; i < 20; i++) {
		for (unsigned k = 0; k < 4; k++) {
			draw_square(r, 8 + 16 * (float)i, 30 + 60 * (float)k, 8, 30, 0, hsv(i /
					20.0, 0.55, 0.3 + 0.2 * k));
		}
	}
	static const uint32_t equations[EQUATIONS] = { PICA_BLEND_EQ_ADD, PICA_BLEND_EQ_SUBTRACT,
		PICA_BLEND_EQ_REVERSE_SUBTRACT, PICA_BLEND_EQ_MIN, PICA_BLEND_EQ_MAX };
	for (unsigned i = 0; i < EQUATIONS; i++) {
		set_blend(r, equations[i], PICA_BLEND_FACTOR_ONE, PICA_BLEND_FACTOR_ONE);
		float x = 32 + 64 * (float)i;
		for (unsigned k = 0; k < 3; k++) {
			double turn = 0.25 + k / 3.0 + frame / 36.0;
			float dx = 11 * (float)turn_cos(turn), dy = 11 * (float)turn_sin(turn);
			draw_disc(r, x + dx, 178 + dy, 17, 17, 0,
					k == 0 ? 0xA02020FF : k == 1 ? 0x20A020FF : 0x2020A0FF);
		}
	}
	static const uint32_t ops[LOGIC_OPS] = { PICA_LOGIC_OP_XOR, PICA_LOGIC_OP_INVERT,
		PICA_LOGIC_OP_AND, PICA_LOGIC_OP_OR, PICA_LOGIC_OP_EQUIV,
		PICA_LOGIC_OP_AND_REVERSE };
	for (unsigned i = 0; i < LOGIC_OPS; i++) {
		pica_emit_logic_op(&r->list, ops[i]);
		float x = 27 + 53.2f * (float)i;
		draw_square(r, x, 66, 22, 22, frame / 48.0, 0xF0A830FF);
		/* All but the middle is drawn twice. */
		unsigned left = BOTTOM_WIDTH - (unsigned)x;
		pica_emit_scissor(&r->list, PICA_SCISSOR_OUTSIDE, 56, left - 10, 76, left + 10);
		draw_disc(r, x, 66, 16, 16, 0.125 - frame / 48.0, 0x50C0FFFF);
		pica_emit_scissor(&r->list, PICA_SCISSOR_OFF, 0, 0, 0, 0);
	}
	blend_off(r);
}

static void store(struct recorder *r) {
	store_shapes(r);
	own.bricks = store_texture(r, PICA_TEXTURE_FORMAT_ETC1, 128, 1, picture_bricks);
	own.leaf = store_texture(r, PICA_TEXTURE_FORMAT_RGBA4, 64, 1, picture_leaf);
	own.glow = store_texture(r, PICA_TEXTURE_FORMAT_IA4, 64, 1, picture_glow);
}

static void draw(struct recorder *r, unsigned frame) {
	use_program(r, texture_program);
}

static void draw_top(struct recorder *r, unsigned frame) {
	tev_primary(r);
	mask_glass(r);
	draw_glass(r, frame);
	draw_wall(r);
	draw_leaves(r, frame);
}

const struct scene scene_window = {
	.name = "window",
	.what = "a stained-glass window: stencil, blending, alpha test, scissor, logic operations",
	.frames = FRAMES, .top = 0x000000FF, .bottom = 0x000000FF,
	.store = store, .draw = draw, .draw_top = draw_top, .draw_bottom = draw_chart,
};
