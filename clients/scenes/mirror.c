/*
 * A mirror in the floor, by the stencil: the mirror marks its pixels; the objects are drawn upside
 * down on marked pixels, below the floor only (a clip plane cuts the ring that goes through it),
 * then glass over them, and last the objects themselves. Bottom: these steps one after the other.
 */
#include "kit.h"

enum { FRAMES = 3, ROUND = 48, THINGS = 6 };

struct thing {
	struct mesh solid;
	float x, z, size, lift;
};

static struct {
	struct pica_texture wood;
	struct mesh floor, rim, back, glass;
	struct thing things[THINGS];
} own;

/* The steps that a picture shows. */
struct steps {
	bool mirrored, in_stencil, is_clipped, has_glass, has_things;
};

/* ---- Store ---- */

static void store_things(struct recorder *r) {
	static const float place[THINGS][4] = { { -1.3f, 0.7f, 1, 0 }, { 1.5f, -0.9f, 1, 0 },
		{ -0.7f, -1.5f, 1, 0 }, { 1.25f, 0.9f, 0.5f, 0.5f }, { 0.1f, 0, 0.9f, 0 },
		{ -2.9f, -1.6f, 1, 0 } };
	struct thing *t = own.things;
	for (unsigned i = 0; i < THINGS; i++) {
		t[i].x = place[i][0];
		t[i].z = place[i][1];
		t[i].size = place[i][2];
		t[i].lift = place[i][3];
	}
	t[0].solid = solid_lathe(r, chess_pawn, PAWN_POINTS, 28, 0xF4E4C0FF, 0xC8A878FF);
	t[1].solid = solid_lathe(r, chess_bishop, BISHOP_POINTS, 28, 0xF4E4C0FF, 0xC8A878FF);
	t[2].solid = solid_lathe(r, chess_rook, ROOK_POINTS, 28, 0x50404CFF, 0x302430FF);
	t[3].solid = solid_ball(r, 0xFFD860FF, 0xC08020FF);
	t[4].solid = solid_ring(r, 0.95f, 0.24f, 0xD83830FF, 0xF4E8E0FF, 8);
	t[5].solid = solid_lathe(r, chess_pawn, PAWN_POINTS, 28, 0x50404CFF, 0x302430FF);
}

static void store_floor(struct recorder *r) {
	struct texture_vertex v[4];
	for (unsigned k = 0; k < 4; k++) {
		const float x = k & 1 ? 9 : -9, z = k & 2 ? -9 : 5;
		v[k] = (struct texture_vertex){ .x = x, .z = z, .u = x / 3, .v = z / 3 };
	}
	own.floor = store_textured(r, PICA_PRIMITIVE_STRIP, v, COUNT(v));
	/* The mirror itself, in the colours of the reflected wall, and a bluish glass. */
	static const uint32_t middle[2] = { 0x50445CFF, 0x90B0D030 },
			      edge[2] = { 0x382C40FF, 0x6080A848 };
	struct color_vertex c[2 * (ROUND + 1)];
	for (unsigned i = 0; i < 2; i++) {
		c[0] = color_vertex(0, 0, 0, middle[i]);
		for (unsigned k = 0; k <= ROUND; k++) {
			const double turn = (double)k / ROUND;
			c[1 + k] = color_vertex(2.3f * (float)turn_cos(turn), 0,
					-2.3f * (float)turn_sin(turn), edge[i]);
		}
		*(i ? &own.glass : &own.back) = store_colors(r, PICA_PRIMITIVE_FAN, c, ROUND + 2);
	}
	for (unsigned k = 0; k <= ROUND; k++) {
		const double turn = (double)k / ROUND;
		const float x = (float)turn_cos(turn), z = -(float)turn_sin(turn);
		/* It shines on the side away from the lamp. */
		const uint32_t color = mix_color(
				0x9A7028FF, 0xFFF0B0FF, 0.5 + 0.5 * turn_cos(turn * 2 - 0.3));
		c[2 * k] = color_vertex(2.3f * x, 0.01f, 2.3f * z, color);
		c[2 * k + 1] = color_vertex(
				2.46f * x, 0.01f, 2.46f * z, mix_color(color, 0x402808FF, 0.5));
	}
	own.rim = store_colors(r, PICA_PRIMITIVE_STRIP, c, COUNT(c));
}

/* ---- Draw ---- */

static void draw_things(struct recorder *r, struct mat4 view, bool is_mirrored, unsigned frame) {
	struct solid_light light = { .lamp = { -0.42f, 0.74f, 0.53f, 0.34f }, .gloss = { 30, 0.5f },
		.tint = { 1, 1, 1, 1 } };
	struct mat4 flip = mat4_identity();
	if (is_mirrored) {
		/* The lamp is mirrored too, and the winding of faces is reversed. */
		flip = mat4_scale(1, -1, 1);
		light.lamp[1] = -light.lamp[1];
	}
	solid_use(r, view, &light);
	depth_on(r);
	pica_emit_cull(&r->list, is_mirrored ? PICA_CULL_FRONT : PICA_CULL_BACK);
	for (unsigned i = 0; i < THINGS; i++) {
		const struct thing *t = &own.things[i];
		solid_draw(r, &t->solid, mat4_mul(flip, mat4_mul(mat4_place(t->x, t->lift, t->z,
				t->size), mat4_rotate_y(0.07 + frame / 16.0))));
	}
	pica_emit_cull(&r->list, PICA_CULL_NONE);
}

/* Keeps what is below the floor: -y >= 0, transformed to clip space by the inverse of the view. */
static void clip_below(struct recorder *r, struct mat4 view) {
	const struct mat4 inverse = mat4_inverse(view);
	float plane[4];
	for (unsigned k = 0; k < 4; k++) {
		plane[k] = -inverse.m[1][k];
	}
	pica_emit_clip_plane(&r->list, plane);
}

static void draw_floor(struct recorder *r, struct mat4 view) {
	static const float tint[4] = { 0.78f, 0.74f, 0.74f, 1 };
	use_projected(r, texture_program, view);
	set_uniform(r, "tint", tint, 1);
	tev_modulate(r);
	use_texture(r, &own.wood);
	depth_on(r);
	mesh_draw(r, &own.floor);
	use_units(r, 0);
	tev_primary(r);
	use_color_program(r, view);
	mesh_draw(r, &own.rim);
}

/* The mirror's stencil becomes 1 and its depth that of the far plane. */
static void mark_mirror(struct recorder *r, struct mat4 view) {
	stencil_write(r, 1);
	pica_emit_depth_test(&r->list, true, PICA_COMPARE_ALWAYS, true, 0xF);
	pica_emit_depth_map(&r->list, PICA_DEPTHMAP_Z, 0, 0);
	use_color_program(r, view);
	mesh_draw(r, &own.back);
	pica_emit_depth_map(&r->list, PICA_DEPTHMAP_Z, -1, 0);
	stencil_keep(r);
	stencil_off(r);
}

static void draw_room(struct recorder *r, struct mat4 view, const struct steps *s, unsigned frame) {
	draw_floor(r, view);
	mark_mirror(r, view);
	if (s->mirrored) {
		pica_emit_stencil_test(&r->list, s->in_stencil, PICA_COMPARE_EQUAL, 1, 0xFF, 0);
		if (s->is_clipped) {
			clip_below(r, view);
		}
		draw_things(r, view, true, frame);
		pica_emit_clip_plane(&r->list, NULL);
		stencil_off(r);
	}
	if (s->has_glass) {
		/* This also restores the mirror's own depth. */
		pica_emit_stencil_test(&r->list, true, PICA_COMPARE_EQUAL, 1, 0xFF, 0);
		pica_emit_depth_test(&r->list, true, PICA_COMPARE_ALWAYS, true, 0xF);
		blend_over(r);
		use_color_program(r, view);
		mesh_draw(r, &own.glass);
		blend_off(r);
		stencil_off(r);
	}
	if (s->has_things) {
		draw_things(r, view, false, frame);
	}
	depth_off(r);
}

static struct mat4 view_from(double aspect, unsigned frame) {
	struct mat4 v = mat4_perspective(42 / 360.0, aspect, 1, 30);
	v = mat4_mul3(v, mat4_translate(0, -0.35f, -7.4f), mat4_rotate_x(0.075));
	return mat4_tilt(mat4_mul(v, mat4_rotate_y(0.03 * frame)));
}

static void draw(struct recorder *r, unsigned frame) {
	static const uint32_t wall[4] = { 0x2C2434FF, 0x241C2CFF, 0x6C5468FF, 0x584458FF };
	static const struct steps all = { .mirrored = true, .in_stencil = true, .is_clipped = true,
		.has_glass = true, .has_things = true };
	static const struct steps steps[4] = { { 0 },
		{ .mirrored = true },
		{ .mirrored = true, .in_stencil = true },
		{ .mirrored = true, .in_stencil = true, .is_clipped = true, .has_glass = true } };
	static const char *const names[4] = { "1 mark the mirror", "2 draw upside down",
		"3 only where the mark is", "4 and under the floor" };
	recorder_draw_top(r);
	canvas_gradient(r, 0, 0, TOP_WIDTH, 120, wall);
	canvas_draw(r);
	struct mat4 view = view_from((double)TOP_WIDTH / SCREEN_HEIGHT, frame);
	blend_off(r);
	draw_room(r, view, &all, frame);

	recorder_draw_bottom(r);
	view = view_from(158.0 / 106, frame);
	for (int i = 0; i < 4; i++) {
		const int x = i % 2 * 162, y = 13 + i / 2 * 121;
		canvas_gradient(r, x, y, 158, 60, wall);
		canvas_text(r, x + 2, y - 11, 0xE8C890FF, names[i]);
	}
	canvas_draw(r);
	blend_off(r);
	for (int i = 0; i < 4; i++) {
		recorder_viewport(r, i % 2 * 162, 13 + i / 2 * 121, 158, 106);
		draw_room(r, view, &steps[i], frame);
	}
}

static void store(struct recorder *r) {
	store_things(r);
	store_floor(r);
	own.wood = store_texture(r, PICA_TEXTURE_FORMAT_ETC1, 128, 4, picture_wood);
	set_wrap(&own.wood, PICA_WRAP_REPEAT);
}

const struct scene scene_mirror = {
	.name = "mirror",
	.what = "a mirror in the floor, by stencil and clip plane; the steps that lead to it",
	.frames = FRAMES, .has_canvas = true, .top = 0x14101CFF, .bottom = 0x14101CFF,
	.store = store, .draw = draw,
};
