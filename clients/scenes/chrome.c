/*
 * A cube map that is drawn anew in each frame: six views from the middle of the room become the
 * faces of a cube, which a ball and a ring of chrome reflect. The vertex program computes the
 * reflected direction as texture coordinates 0. Each face is drawn three times more, each time at
 * half the size from the previous one, as mip levels, without which the tiles in the ring would
 * flicker. Bottom: the faces, unfolded, and their levels.
 */
#include "kit.h"

enum {
	FRAMES = 3, FACE = 128,
	LEVELS = 4, /* All levels of a face: 128, 64, 32, 16 */
	FACE_BYTES = (FACE * FACE + FACE * FACE / 4 + FACE * FACE / 16 + FACE * FACE / 64) * 4,
	BALLS = 7, AROUND = 32, DOWN = 16, SKY_VERTICES = DOWN * (AROUND + 1) * 2,
};

static const uint32_t faces_color = FREE_VRAM, faces_depth = FREE_VRAM + CUBE_FACES * FACE_BYTES;

/* For the vertices of solid.h. eye: the viewer's position. */
static const char chrome_source[] =
		".fvec projection[4], model[4], eye\n"
		".constf k(0.0, 1.0, 0.00048828125, 0.7)\n"
		".constf byte(0.007874016, 0.0, 0.0, 0.3)\n"
		OUT_COLOR
		".out out_tex texcoord0\n"
		".out out_tex_w texcoord0w\n"
		".in in_pos v0\n"
		".in in_normal v1\n"
		".in in_color v2\n"
		".proc main\n"
		"	mul r0.xyz, k.zzz, in_pos.xyz\n"
		PLACE
		"	mul r2.xyz, byte.xxx, in_normal.xyz\n"
		NORMAL3("r3", "model", "r2")
		UNIT("r3")
		"	; from the eye to here, as a unit vector\n"
		"	add r4.xyz, -eye.xyz, r1.xyz\n"
		UNIT("r4")
		"	; mirrored: v - 2 (n v) n\n"
		"	dp3 r5.x, r3, r4\n"
		"	add r5.y, r5.x, r5.x\n"
		"	mul r6.xyz, r3.xyz, r5.yyy\n"
		"	add r6.xyz, r4.xyz, -r6.xyz\n"
		"	mov out_tex.xy, r6.xy\n"
		"	mov out_tex_w.x, r6.z\n"
		"	; brighter towards the rim\n"
		"	add r5.z, k.y, r5.x\n"
		"	max r5.z, k.x, r5.z\n"
		"	mul r5.z, byte.w, r5.z\n"
		"	add out_color.xyz, k.www, r5.zzz\n"
		"	mov out_color.w, k.y\n"
		END;

static struct {
	struct mesh board, ball[3], mirror, ring, sky, quad;
} own;

/* ---- Store ---- */

/* Blue at the top, bright at the horizon, with a low sun; dark earth below the board. */
static struct color_vertex sky_vertex(unsigned down, unsigned around) {
	const double polar = 0.5 * down / DOWN, turn = (double)around / AROUND;
	const double y = turn_cos(polar), out = turn_sin(polar);
	uint32_t color = y > 0 ? mix_color(0xF0D8C0FF, 0x2850A0FF, y < 0.7 ? y / 0.7 : 1) :
			mix_color(0x605048FF, 0x181418FF, -y < 0.5 ? -y * 2 : 1);
	const double sun = out * turn_cos(turn - 0.12);
	if (y > 0 && sun > 0.6) {
		color = mix_color(color, 0xFFF0C0FF, (sun - 0.6) * 2.5 * (1 - y));
	}
	return color_vertex((float)(20 * out * turn_cos(turn)), (float)(20 * y),
			(float)(-20 * out * turn_sin(turn)), color);
}

static void store(struct recorder *r) {
	static const uint32_t top[3] = { 0xFF6050FF, 0x60E070FF, 0xFFD850FF };
	static const uint32_t bottom[3] = { 0xA02030FF, 0x208040FF, 0xC07010FF };
	static const struct quad all = { 0, 0, 1, 1, 0, 0, 1, 1 };
	struct color_vertex v[SKY_VERTICES];
	for (unsigned i = 0; i < SKY_VERTICES; i++) {
		v[i] = sky_vertex(i / 2 / (AROUND + 1) + i % 2, i / 2 % (AROUND + 1));
	}
	own.sky = store_colors(r, PICA_PRIMITIVE_STRIP, v, COUNT(v));
	own.quad = store_texture_quad(r, &all);
	own.board = solid_board(r, 16, 0xE8E0E8FF, 0x5860A0FF);
	for (unsigned i = 0; i < 3; i++) {
		own.ball[i] = solid_ball(r, top[i], bottom[i]);
	}
	own.mirror = solid_ball(r, 0xFFFFFFFF, 0xFFFFFFFF);
	own.ring = solid_ring(r, 1.75f, 0.14f, 0xFFFFFFFF, 0xFFFFFFFF, 4);
}

/* ---- Draw ---- */

/* All but the chrome. */
static void draw_room(struct recorder *r, struct mat4 view, unsigned frame) {
	static const struct solid_light light = { .lamp = { 0.62f, 0.54f, 0.57f, 0.35f },
		.gloss = { 24, 0.5f }, .tint = { 1, 1, 1, 1 } };
	tev_primary(r);
	use_units(r, 0);
	blend_off(r);
	depth_off(r);
	use_color_program(r, view);
	mesh_use(r, &own.sky);
	for (unsigned down = 0; down < DOWN; down++) {
		mesh_draw_part(r, &own.sky, down * (AROUND + 1) * 2, (AROUND + 1) * 2);
	}
	bodies_begin(r);
	solid_use(r, view, &light);
	solid_draw(r, &own.board, mat4_translate(0, -1.7f, 0));
	for (unsigned i = 0; i < BALLS; i++) {
		const double turn = (double)i / BALLS + 0.26 + frame / 40.0;
		const float far = 2.9f + 0.5f * (float)(i % 2),
			    size = 0.3f + 0.08f * (float)(i % 3);
		solid_draw(r, &own.ball[i % 3], mat4_place(far * (float)turn_cos(turn), -1.0f + 0.9f
				* (float)(i * 2 % 3), far * (float)turn_sin(turn), size));
	}
	pica_emit_cull(&r->list, PICA_CULL_NONE);
}

static uint32_t level_addr(unsigned face, unsigned level) {
	uint32_t addr = faces_color + face * FACE_BYTES;
	for (unsigned k = 0; k < level; k++) {
		addr += (uint32_t)(FACE >> k) * (FACE >> k) * 4;
	}
	return addr;
}

/* Sampled between four texels, the linear filter gives their mean. */
static void draw_levels(struct recorder *r) {
	for (unsigned i = 0; i < CUBE_FACES * (LEVELS - 1); i++) {
		const unsigned face = i / (LEVELS - 1), level = i % (LEVELS - 1), size = FACE >>
				level;
		const struct pica_texture larger = texture_at(level_addr(face, level), size, size,
				PICA_TEXTURE_FORMAT_RGBA8, PICA_FILTER_LINEAR);
		recorder_draw_square(r, level_addr(face, level + 1), size / 2);
		depth_off(r);
		blend_off(r);
		tev_modulate(r);
		use_texture(r, &larger);
		use_texture_program(r, mat4_pixels(1, 1));
		mesh_draw(r, &own.quad);
	}
}

static void draw_faces(struct recorder *r, unsigned frame) {
	for (unsigned i = 0; i < CUBE_FACES; i++) {
		const struct pica_framebuffer fb = { .color_addr = faces_color + i * FACE_BYTES,
			.depth_addr = faces_depth, .color_format = PICA_COLOR_FORMAT_RGBA8,
			.depth_format = PICA_DEPTH_FORMAT_D24S8, .width = FACE, .height = FACE };
		/* World to clip space of a face: 90 degrees in both directions. */
		const struct mat4 view = mat4_mul(
				mat4_perspective(0.25, 1, 0.5, 40), cube_face_look(i));
		recorder_draw_target(r, &fb);
		/* One depth buffer for all: the sky, which is drawn first, sets it to far. */
		pica_emit_depth_map(&r->list, PICA_DEPTHMAP_Z, 0, 0);
		pica_emit_depth_test(&r->list, false, PICA_COMPARE_ALWAYS, true, 0);
		use_color_program(r, view);
		mesh_draw(r, &own.sky);
		pica_emit_depth_map(&r->list, PICA_DEPTHMAP_Z, -1, 0);
		draw_room(r, view, frame);
	}
}

static void draw_chrome(struct recorder *r, struct mat4 view, const float eye[4], unsigned frame) {
	struct pica_texture cube = cube_texture(
			faces_color, FACE_BYTES, FACE, PICA_TEXTURE_TYPE_CUBE);
	set_filter(&cube, PICA_FILTER_LINEAR);
	cube.mip = PICA_FILTER_LINEAR;
	cube.max_level = LEVELS - 1;
	tev_modulate(r);
	use_texture(r, &cube);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	use_projected(r, chrome_source, view);
	set_uniform(r, "eye", eye, 1);
	solid_draw(r, &own.mirror, mat4_scale(1.2f, 1.2f, 1.2f));
	solid_draw(r, &own.ring, mat4_mul(mat4_rotate_x(0.19 + frame / 60.0),
			mat4_rotate_y(0.06 + frame / 30.0)));
	pica_emit_cull(&r->list, PICA_CULL_NONE);
}

static void show_face(struct recorder *r, int x, int y, int size, unsigned face, unsigned level) {
	const int texels = FACE >> level;
	struct pica_texture t = texture_at(level_addr(face, level), FACE >> level, FACE >> level,
			PICA_TEXTURE_FORMAT_RGBA8, PICA_FILTER_LINEAR);
	t.mag = level ? PICA_FILTER_NEAREST : PICA_FILTER_LINEAR;
	/* The faces' v runs down in the world. */
	canvas_sprite(r, x, y, size, size, 0, texels, texels, -texels, 0xFFFFFFFF);
	canvas_draw_textured(r, &t);
}

static void draw_unfolded(struct recorder *r) {
	enum { SIZE = 78, LEFT = 4, TOP = 3 };
	recorder_draw_bottom(r);
	tev_modulate(r);
	for (unsigned i = 0; i < CUBE_FACES; i++) {
		show_face(r, cube_face_x(i, LEFT, SIZE), cube_face_y(i, TOP, SIZE), SIZE, i, 0);
	}
	/* Levels of +x, all in one size. */
	for (unsigned level = 1; level < LEVELS; level++) {
		show_face(r, 164 + 52 * ((int)level - 1), 182, 48, 0, level);
	}
	cube_labels(r, LEFT, TOP, SIZE);
	canvas_text(r, 168, 24, 0xE8C890FF, "six faces of the cube,");
	canvas_text(r, 168, 38, 0xE8C890FF, "and levels of one");
	canvas_text(r, 166, 168, 0xD8DCE8FF, "64 texels  32 texels  16 texels");
	canvas_draw(r);
}

static void draw(struct recorder *r, unsigned frame) {
	/* The viewer goes around. */
	const double turn = 0.19 + 0.012 * frame;
	const float eye[4] = { 7.6f * (float)turn_cos(turn), 1.9f, 7.6f * (float)turn_sin(turn),
		0 };
	struct mat4 view = mat4_mul(mat4_rotate_x(0.043), mat4_rotate_y(turn - 0.25));
	view = mat4_mul(view, mat4_translate(-eye[0], -eye[1], -eye[2]));
	view = mat4_tilt(mat4_mul(screen_lens(TOP_WIDTH, 38, 0.5, 40), view));
	draw_faces(r, frame);
	draw_levels(r);
	recorder_draw_top(r);
	draw_room(r, view, frame);
	draw_chrome(r, view, eye, frame);
	depth_off(r);
	draw_unfolded(r);
}

const struct scene scene_chrome = {
	.name = "chrome",
	.what = "a cube map drawn anew each frame, with levels, reflected by a ball and a ring; its faces",
	.frames = FRAMES, .has_canvas = true, .top = 0x000000FF, .bottom = 0x1C2030FF,
	.store = store, .draw = draw,
};
