/*
 * A cube map that is drawn anew each frame: the room is seen from its middle in six directions, and
 * the six pictures become the faces of a cube, in which a ball and a ring of chrome look up what
 * they reflect. The vertex program computes the mirrored direction, which is what texture
 * coordinates 0 hold then. Each face is then drawn three times more, half as large each time, from
 * the size before: levels, without which the tiles in the ring would flicker. Bottom: the faces,
 * unfolded, and their levels.
 */
#include <string.h>

#include "canvas.h"
#include "recorder.h"
#include "scenes.h"
#include "solid.h"

enum {
	FRAMES = 3,
	FACES = 6,
	FACE = 128,
	LEVELS = 4,
	/* All levels of a face: 128, 64, 32, 16 */
	FACE_BYTES = (FACE * FACE + FACE * FACE / 4 + FACE * FACE / 16 + FACE * FACE / 64) * 4,
	BALLS = 7,
	AROUND = 32,
	DOWN = 16,
	SKY_VERTICES = DOWN * (AROUND + 1) * 2,
};

static const uint32_t faces_color = FREE_VRAM, faces_depth = FREE_VRAM + FACES * FACE_BYTES;

/*
 * Which way the picture's axes run on each face, and where it looks. [fidelity: cube]
 */
static const struct {
	const char *name;
	float right[3], up[3], ahead[3];
	int column, row; /* unfolded */
} faces[FACES] = {
	{ "+x", { 0, 0, -1 }, { 0, -1, 0 }, { 1, 0, 0 }, 2, 1 },
	{ "-x", { 0, 0, 1 }, { 0, -1, 0 }, { -1, 0, 0 }, 0, 1 },
	{ "+y", { 1, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 }, 1, 0 },
	{ "-y", { 1, 0, 0 }, { 0, 0, -1 }, { 0, -1, 0 }, 1, 2 },
	{ "+z", { 1, 0, 0 }, { 0, -1, 0 }, { 0, 0, 1 }, 1, 1 },
	{ "-z", { -1, 0, 0 }, { 0, -1, 0 }, { 0, 0, -1 }, 3, 1 },
};

/* For the vertices of solid.h. eye: the viewer's place. */
static const char chrome_source[] =
		".fvec projection[4], model[4], eye\n"
		".constf k(0.0, 1.0, 0.00048828125, 0.7)\n"
		".constf byte(0.007874016, 0.0, 0.0, 0.3)\n"
		".out out_pos position\n"
		".out out_color color\n"
		".out out_tex texcoord0\n"
		".out out_tex_w texcoord0w\n"
		".in in_pos v0\n"
		".in in_normal v1\n"
		".in in_color v2\n"
		".proc main\n"
		"	mul r0.xyz, k.zzz, in_pos.xyz\n"
		"	mov r0.w, k.y\n"
		"	dp4 r1.x, model[0], r0\n"
		"	dp4 r1.y, model[1], r0\n"
		"	dp4 r1.z, model[2], r0\n"
		"	mov r1.w, k.y\n"
		"	dp4 out_pos.x, projection[0], r1\n"
		"	dp4 out_pos.y, projection[1], r1\n"
		"	dp4 out_pos.z, projection[2], r1\n"
		"	dp4 out_pos.w, projection[3], r1\n"
		"	mul r2.xyz, byte.xxx, in_normal.xyz\n"
		"	dp3 r3.x, model[0], r2\n"
		"	dp3 r3.y, model[1], r2\n"
		"	dp3 r3.z, model[2], r2\n"
		"	dp3 r3.w, r3, r3\n"
		"	rsq r3.w, r3.w\n"
		"	mul r3.xyz, r3.xyz, r3.www\n"
		"	; from the eye to here, as a unit vector\n"
		"	add r4.xyz, -eye.xyz, r1.xyz\n"
		"	dp3 r4.w, r4, r4\n"
		"	rsq r4.w, r4.w\n"
		"	mul r4.xyz, r4.xyz, r4.www\n"
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
		"	end\n"
		".end\n";

struct chrome {
	struct canvas canvas;
	struct program solid, chrome, flat, textured;
	struct solid board, ball[3], mirror, ring;
	uint32_t sky, quad;
};

/* ---- Store ---- */

/* Blue above, bright at the horizon, a low sun; below the board dark earth. */
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

static void store(struct recorder *r, struct chrome *c) {
	static const uint32_t top[3] = { 0xFF6050FF, 0x60E070FF, 0xFFD850FF };
	static const uint32_t bottom[3] = { 0xA02030FF, 0x208040FF, 0xC07010FF };
	struct color_vertex v[SKY_VERTICES];
	for (unsigned down = 0; down < DOWN; down++) {
		for (unsigned around = 0; around <= AROUND; around++) {
			struct color_vertex *pair = &v[(down * (AROUND + 1) + around) * 2];
			pair[0] = sky_vertex(down, around);
			pair[1] = sky_vertex(down + 1, around);
		}
	}
	c->sky = recorder_store(r, v, sizeof(v));
	static const struct texture_vertex quad[4] = { { 0, 0, 0, 0, 0 }, { 1, 0, 0, 1, 0 },
		{ 0, 1, 0, 0, 1 }, { 1, 1, 0, 1, 1 } };
	c->quad = recorder_store(r, quad, sizeof(quad));
	solid_board(r, &c->board, 16, 0xE8E0E8FF, 0x5860A0FF);
	for (unsigned i = 0; i < 3; i++) {
		solid_ball(r, &c->ball[i], top[i], bottom[i]);
	}
	solid_ball(r, &c->mirror, 0xFFFFFFFF, 0xFFFFFFFF);
	solid_ring(r, &c->ring, 1.75f, 0.14f, 0xFFFFFFFF, 0xFFFFFFFF, 4);
}

/* ---- Draw ---- */

/* All but the chrome. */
static void draw_room(struct recorder *r, const struct chrome *c, const struct mat4 *view,
		unsigned frame) {
	static const struct solid_light light = { .lamp = { 0.62f, 0.54f, 0.57f, 0.35f },
		.gloss = { 24, 0.5f }, .tint = { 1, 1, 1, 1 } };
	tev_primary(r);
	pica_emit_texture_units(&r->list, 0, 0, false);
	pica_emit_blend(&r->list, NULL);
	pica_emit_depth_test(&r->list, false, PICA_COMPARE_ALWAYS, false, 0xF);
	program_use(r, &c->flat);
	program_matrix(r, &c->flat, 0, "projection", view);
	use_color_vertices(r, c->sky);
	for (unsigned down = 0; down < DOWN; down++) {
		pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_STRIP, down * (AROUND + 1) * 2,
				(AROUND + 1) * 2);
	}
	pica_emit_depth_test(&r->list, true, PICA_COMPARE_GREATER, true, 0xF);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	solid_use(r, &c->solid, view, &light);
	struct mat4 model = mat4_translate(0, -1.7f, 0);
	solid_draw(r, &c->solid, &c->board, &model);
	for (unsigned i = 0; i < BALLS; i++) {
		const double turn = (double)i / BALLS + 0.26 + frame / 40.0;
		const float far = 2.9f + 0.5f * (float)(i % 2),
			    size = 0.3f + 0.08f * (float)(i % 3);
		model = mat4_mul(mat4_translate(far * (float)turn_cos(turn),
						 -1.0f + 0.9f * (float)(i * 2 % 3),
						 far * (float)turn_sin(turn)),
				mat4_scale(size, size, size));
		solid_draw(r, &c->solid, &c->ball[i % 3], &model);
	}
	pica_emit_cull(&r->list, PICA_CULL_NONE);
}

/* World to clip space of a face: a right angle wide and high. */
static struct mat4 face_view(unsigned face) {
	struct mat4 look = mat4_identity();
	for (unsigned k = 0; k < 3; k++) {
		look.m[0][k] = faces[face].right[k];
		look.m[1][k] = faces[face].up[k];
		look.m[2][k] = -faces[face].ahead[k];
	}
	return mat4_mul(mat4_perspective(0.25, 1, 0.5, 40), look);
}

static uint32_t level_addr(unsigned face, unsigned level) {
	uint32_t addr = faces_color + face * FACE_BYTES;
	for (unsigned k = 0; k < level; k++) {
		addr += (uint32_t)(FACE >> k) * (FACE >> k) * 4;
	}
	return addr;
}

/* Between four texels, the linear filter is their mean. */
static void draw_levels(struct recorder *r, const struct chrome *c) {
	static const float white[4] = { 1, 1, 1, 1 };
	const struct mat4 projection = mat4_pixels(1, 1);
	for (unsigned i = 0; i < FACES * (LEVELS - 1); i++) {
		const unsigned face = i / (LEVELS - 1), level = i % (LEVELS - 1);
		const uint16_t size = (uint16_t)(FACE >> level);
		const struct pica_texture larger = { .addr = level_addr(face, level),
			.width = size, .height = size, .format = PICA_TEXTURE_FORMAT_RGBA8,
			.mag = PICA_FILTER_LINEAR, .min = PICA_FILTER_LINEAR };
		const struct pica_framebuffer fb = { .color_addr = level_addr(face, level + 1),
			.color_format = PICA_COLOR_FORMAT_RGBA8, .width = size / 2,
			.height = size / 2 };
		recorder_draw_target(r, &fb);
		pica_emit_depth_test(&r->list, false, PICA_COMPARE_ALWAYS, false, 0xF);
		pica_emit_blend(&r->list, NULL);
		tev_modulate(r);
		pica_emit_texture(&r->list, 0, &larger);
		pica_emit_texture_units(&r->list, 1, 0, false);
		program_use(r, &c->textured);
		program_matrix(r, &c->textured, 0, "projection", &projection);
		program_uniform(r, &c->textured, 0, "tint", white, 1);
		use_texture_vertices(r, c->quad);
		pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_STRIP, 0, 4);
	}
}

static void draw_faces(struct recorder *r, const struct chrome *c, unsigned frame) {
	for (unsigned i = 0; i < FACES; i++) {
		const struct pica_framebuffer fb = { .color_addr = faces_color + i * FACE_BYTES,
			.depth_addr = faces_depth, .color_format = PICA_COLOR_FORMAT_RGBA8,
			.depth_format = PICA_DEPTH_FORMAT_D24S8, .width = FACE, .height = FACE };
		const struct mat4 view = face_view(i);
		recorder_draw_target(r, &fb);
		/* One depth buffer for all: the sky, which is drawn first, sets it to far. */
		pica_emit_depth_map(&r->list, PICA_DEPTHMAP_Z, 0, 0);
		pica_emit_depth_test(&r->list, false, PICA_COMPARE_ALWAYS, true, 0);
		program_use(r, &c->flat);
		program_matrix(r, &c->flat, 0, "projection", &view);
		use_color_vertices(r, c->sky);
		pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_STRIP, 0, SKY_VERTICES);
		pica_emit_depth_map(&r->list, PICA_DEPTHMAP_Z, -1, 0);
		draw_room(r, c, &view, frame);
	}
}

static void draw_chrome(struct recorder *r, const struct chrome *c, const struct mat4 *view,
		const float eye[4], unsigned frame) {
	struct pica_texture cube = { .addr = faces_color, .width = FACE, .height = FACE,
		.format = PICA_TEXTURE_FORMAT_RGBA8, .type = PICA_TEXTURE_TYPE_CUBE,
		.mag = PICA_FILTER_LINEAR, .min = PICA_FILTER_LINEAR, .mip = PICA_FILTER_LINEAR,
		.max_level = LEVELS - 1 };
	for (uint32_t i = 1; i < FACES; i++) {
		cube.faces[i - 1] = faces_color + i * FACE_BYTES;
	}
	tev_modulate(r);
	pica_emit_texture(&r->list, 0, &cube);
	pica_emit_texture_units(&r->list, 1, 0, false);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	program_use(r, &c->chrome);
	program_matrix(r, &c->chrome, 0, "projection", view);
	program_uniform(r, &c->chrome, 0, "eye", eye, 1);
	struct mat4 model = mat4_scale(1.2f, 1.2f, 1.2f);
	solid_draw(r, &c->chrome, &c->mirror, &model);
	model = mat4_mul(mat4_rotate_x(0.19 + frame / 60.0), mat4_rotate_y(0.06 + frame / 30.0));
	solid_draw(r, &c->chrome, &c->ring, &model);
	pica_emit_cull(&r->list, PICA_CULL_NONE);
}

static void show_face(struct recorder *r, struct chrome *c, int x, int y, int size, unsigned face,
		unsigned level) {
	const int texels = FACE >> level;
	const struct pica_texture t = { .addr = level_addr(face, level),
		.width = (uint16_t)texels,
		.height = (uint16_t)texels,
		.format = PICA_TEXTURE_FORMAT_RGBA8,
		.mag = level ? PICA_FILTER_NEAREST : PICA_FILTER_LINEAR,
		.min = PICA_FILTER_LINEAR };
	/* The faces' v runs down in the world. */
	canvas_sprite(&c->canvas, x, y, size, size, 0, texels, texels, -texels, 0xFFFFFFFF);
	canvas_draw_textured(&c->canvas, r, BOTTOM_WIDTH, &t);
}

static void draw_unfolded(struct recorder *r, struct chrome *c) {
	enum { SIZE = 78, LEFT = 4, TOP = 3 };
	recorder_draw_bottom(r);
	tev_modulate(r);
	for (unsigned i = 0; i < FACES; i++) {
		show_face(r, c, LEFT + faces[i].column * SIZE, TOP + faces[i].row * SIZE, SIZE, i,
				0);
	}
	/* Levels of +x, as large as each other. */
	for (unsigned level = 1; level < LEVELS; level++) {
		show_face(r, c, 164 + 52 * ((int)level - 1), 182, 48, 0, level);
	}
	for (unsigned i = 0; i < FACES; i++) {
		const int x = LEFT + faces[i].column * SIZE, y = TOP + faces[i].row * SIZE;
		canvas_frame(&c->canvas, x, y, SIZE, SIZE, 0x1C203080);
		canvas_rect(&c->canvas, x + 2, y + 2, 14, 11, 0x00000080);
		canvas_text(&c->canvas, x + 4, y + 4, 0xFFFFFFFF, faces[i].name);
	}
	canvas_text(&c->canvas, 168, 24, 0xE8C890FF, "six faces of the cube,");
	canvas_text(&c->canvas, 168, 38, 0xE8C890FF, "and levels of one");
	canvas_text(&c->canvas, 166, 168, 0xD8DCE8FF, "64 texels  32 texels  16 texels");
	canvas_draw(&c->canvas, r, BOTTOM_WIDTH);
}

static void draw_frame(struct recorder *r, struct chrome *c, unsigned frame) {
	/* The viewer goes around. */
	const double turn = 0.19 + 0.012 * frame;
	const float eye[4] = { 7.6f * (float)turn_cos(turn), 1.9f, 7.6f * (float)turn_sin(turn),
		0 };
	struct mat4 view = mat4_mul(mat4_rotate_x(0.043), mat4_rotate_y(turn - 0.25));
	view = mat4_mul(view, mat4_translate(-eye[0], -eye[1], -eye[2]));
	view = mat4_mul(mat4_perspective(38 / 360.0, (double)TOP_WIDTH / SCREEN_HEIGHT, 0.5, 40),
			view);
	view = mat4_tilt(view);
	draw_faces(r, c, frame);
	draw_levels(r, c);
	recorder_draw_top(r);
	draw_room(r, c, &view, frame);
	draw_chrome(r, c, &view, eye, frame);
	pica_emit_depth_test(&r->list, false, PICA_COMPARE_ALWAYS, false, 0xF);
	draw_unfolded(r, c);
}

static int record(struct recorder *r) {
	struct chrome c;
	memset(&c, 0, sizeof(c));
	int ret = canvas_init(&c.canvas, r);
	if (ret == 0) {
		ret = solid_program_create(&c.solid);
	}
	if (ret == 0) {
		ret = program_create(&c.chrome, "chrome", chrome_source, NULL);
	}
	if (ret == 0) {
		ret = program_create(&c.flat, "color", color_program_source, NULL);
	}
	if (ret == 0) {
		ret = program_create(&c.textured, "texture", texture_program_source, NULL);
	}
	if (ret == 0) {
		store(r, &c);
	}
	for (unsigned frame = 0; ret == 0 && frame < FRAMES; frame++) {
		recorder_frame_begin(r, 0x000000FF, 0x1C2030FF);
		draw_frame(r, &c, frame);
		recorder_frame_end(r);
	}
	program_destroy(&c.textured);
	program_destroy(&c.flat);
	program_destroy(&c.chrome);
	program_destroy(&c.solid);
	canvas_finish(&c.canvas);
	return ret;
}

const struct scene scene_chrome = {
	.name = "chrome",
	.what = "a cube map drawn anew each frame, with levels, reflected by a ball and a ring; its faces",
	.frames = FRAMES,
	.record = record,
};
