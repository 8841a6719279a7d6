/*
 * A lamp that shines to all sides. What hangs and stands around it is drawn six times, into the
 * faces of a cube of shadow maps; then the room and the crates ask the cube, through texture unit
 * 0, in the direction from the lamp to themselves, whether something lies before them. The map
 * keeps the depth along the axis on which a face looks, which is what the longest component of that
 * direction is compared with: w is mapped to depth without z for that. Bottom: the faces, unfolded.
 */
#include <string.h>

#include "canvas.h"
#include "recorder.h"
#include "scenes.h"
#include "texture.h"

enum {
	FRAMES = 3,
	FACES = 6,
	FACE = 128,
	FACE_BYTES = FACE * FACE * 4,
	CRATES = 9,
	BARS = 6,
	CRATE_GRID = 3,
	ROOM_GRID = 16,
	MAX_VERTICES = 6 * (ROOM_GRID + 1) * (ROOM_GRID + 1),
	MAX_INDICES = 36 * ROOM_GRID * ROOM_GRID,
};

static const uint32_t map_addr = FREE_VRAM;
/* Depth 1 of the map; nothing in the room is farther from the lamp along any axis. */
static const float range = 12;

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

/* Middle, half of the size, turn around the y axis. The floor is at -3. */
static const struct {
	float at[3], half[3];
	double turn;
} crates[CRATES] = {
	{ { -3.0f, -2.2f, -1.2f }, { 0.8f, 0.8f, 0.8f }, 0.06 },
	{ { -2.9f, -0.9f, -1.3f }, { 0.5f, 0.5f, 0.5f }, 0.17 },
	{ { 2.7f, -2.1f, -2.0f }, { 0.9f, 0.9f, 0.9f }, 0.21 },
	{ { 1.2f, -2.5f, 1.6f }, { 0.5f, 0.5f, 0.5f }, 0.09 },
	{ { -1.5f, -2.6f, 1.5f }, { 0.4f, 0.4f, 0.7f }, 0.13 },
	{ { 3.1f, 1.3f, -1.5f }, { 0.5f, 0.5f, 0.5f }, 0.03 },
	{ { -2.2f, 1.6f, -2.2f }, { 0.45f, 0.45f, 0.45f }, 0.1 },
	{ { 0.5f, -0.9f, -3.2f }, { 0.6f, 0.35f, 0.35f }, 0.02 },
	{ { 3.4f, -2.6f, 1.0f }, { 0.4f, 0.4f, 0.4f }, 0.05 },
};

static const float room_at[3] = { 0, 0, -1 }, room_half[3] = { 5.2f, 3, 4.2f };

/*
 * Coordinates 0 are the way from the lamp to here, in ranges; alpha is how much of the lamp's light
 * would arrive without shadows, less with distance. inwards: -1 for the room, which is seen from
 * inside.
 */
static const char program_source[] =
		".fvec projection[4], model[4], lamp, reach, tint, inwards\n"
		".constf k(0.0, 1.0, 0.055, 0.0)\n"
		".out out_pos position\n"
		".out out_color color\n"
		".out out_way texcoord0\n"
		".out out_way_w texcoord0w\n"
		".out out_tex texcoord1\n"
		".in in_pos v0\n"
		".in in_normal v1\n"
		".in in_tex v2\n"
		".proc main\n"
		"	mov r0.xyz, in_pos.xyz\n"
		"	mov r0.w, k.y\n"
		"	dp4 r1.x, model[0], r0\n"
		"	dp4 r1.y, model[1], r0\n"
		"	dp4 r1.z, model[2], r0\n"
		"	mov r1.w, k.y\n"
		"	dp4 out_pos.x, projection[0], r1\n"
		"	dp4 out_pos.y, projection[1], r1\n"
		"	dp4 out_pos.z, projection[2], r1\n"
		"	dp4 out_pos.w, projection[3], r1\n"
		"	add r2.xyz, -lamp.xyz, r1.xyz\n"
		"	mul r3.xyz, reach.xxx, r2.xyz\n"
		"	mov out_way.xy, r3.xy\n"
		"	mov out_way_w.x, r3.z\n"
		"	mul r4.xyz, inwards.xxx, in_normal.xyz\n"
		"	dp3 r5.x, model[0], r4\n"
		"	dp3 r5.y, model[1], r4\n"
		"	dp3 r5.z, model[2], r4\n"
		"	dp3 r5.w, r5, r5\n"
		"	rsq r5.w, r5.w\n"
		"	mul r5.xyz, r5.xyz, r5.www\n"
		"	dp3 r6.x, r2, r2\n"
		"	rsq r6.y, r6.x\n"
		"	dp3 r6.z, r2, r5\n"
		"	mul r6.z, r6.z, r6.y\n"
		"	max r6.z, k.x, -r6.z\n"
		"	; 1 / (1 + distance^2 * k.z)\n"
		"	mul r6.x, k.z, r6.x\n"
		"	add r6.x, k.y, r6.x\n"
		"	rcp r6.x, r6.x\n"
		"	mul out_color.w, r6.x, r6.z\n"
		"	mov r7, tint\n"
		"	mov out_color.xyz, r7.xyz\n"
		"	mov out_tex.xy, in_tex.xy\n"
		"	end\n"
		".end\n";

struct vertex {
	float position[3];
	int8_t normal[4]; /* the fourth is not read */
	float u, v;
};

struct box {
	uint32_t vertices, indices, n_indices;
};

struct crates {
	struct canvas canvas;
	struct program program;
	struct box crate, room;
	struct pica_texture wood, bricks;
};

/* ---- Store ---- */

/* From -1 to 1 on all axes, n x n quads a side; counter-clockwise from outside. */
static void store_box(struct recorder *r, struct box *b, unsigned n, float repeat) {
	static struct vertex v[MAX_VERTICES];
	static uint16_t index[MAX_INDICES];
	uint32_t vertices = 0, indices = 0;
	memset(v, 0, sizeof(v));
	for (unsigned side = 0; side < 6; side++) {
		const unsigned axis = side / 2, across = axis == 0 ? 2 : 0, up = axis == 1 ? 2 : 1;
		const float out = side & 1 ? -1 : 1;
		/* The axis to the right such that right x up points out. */
		const float right = axis == 2 ? out : -out;
		const uint32_t first = vertices;
		for (unsigned i = 0; i < (n + 1) * (n + 1); i++) {
			const float s = (float)(i % (n + 1)) / (float)n,
				    t = (float)(i / (n + 1)) / (float)n;
			struct vertex *p = &v[vertices++];
			p->position[axis] = out;
			p->position[across] = right * (2 * s - 1);
			p->position[up] = 2 * t - 1;
			p->normal[axis] = (int8_t)out;
			p->u = s * repeat;
			p->v = t * repeat;
		}
		for (unsigned i = 0; i < n * n; i++) {
			const uint32_t a = first + i / n * (n + 1) + i % n, c = a + n + 1;
			const uint32_t quad[6] = { a, a + 1, c, c, a + 1, c + 1 };
			for (unsigned k = 0; k < 6; k++) {
				index[indices++] = (uint16_t)quad[k];
			}
		}
	}
	b->vertices = recorder_store(r, v, vertices * (uint32_t)sizeof(*v));
	b->indices = recorder_store(r, index, indices * (uint32_t)sizeof(*index));
	b->n_indices = indices;
}

static void store(struct recorder *r, struct crates *c) {
	store_box(r, &c->crate, CRATE_GRID, 1);
	store_box(r, &c->room, ROOM_GRID, 3);
	recorder_store_texture(r, &c->wood, PICA_TEXTURE_FORMAT_ETC1, 64, 3, picture_wood);
	recorder_store_texture(r, &c->bricks, PICA_TEXTURE_FORMAT_ETC1, 128, 4, picture_bricks);
	c->wood.min = c->wood.mag = c->bricks.min = c->bricks.mag = PICA_FILTER_LINEAR;
	c->bricks.wrap_s = c->bricks.wrap_t = PICA_WRAP_REPEAT;
}

/* ---- Draw ---- */

static void draw_box(struct recorder *r, const struct crates *c, const struct box *b,
		const float at[3], const float half[3], double turn) {
	static const struct pica_attribute_format format[3] = { { PICA_ATTRIB_TYPE_F32, 3 },
		{ PICA_ATTRIB_TYPE_S8, 4 }, { PICA_ATTRIB_TYPE_F32, 2 } };
	struct mat4 model = mat4_mul(mat4_translate(at[0], at[1], at[2]), mat4_rotate_y(turn));
	model = mat4_mul(model, mat4_scale(half[0], half[1], half[2]));
	program_matrix(r, &c->program, 0, "model", &model);
	use_array(r, b->vertices, sizeof(struct vertex), 3, format);
	pica_emit_draw_elements(&r->list, PICA_PRIMITIVE_LIST, b->indices - ARRAY_BASE, true,
			b->n_indices);
}

static void use_tint(
		struct recorder *r, const struct crates *c, float red, float green, float blue) {
	const float tint[4] = { red, green, blue, 1 };
	program_uniform(r, &c->program, 0, "tint", tint, 1);
}

/* All that throws shadows: the crates, and a cage of bars around the lamp. */
static void draw_things(struct recorder *r, const struct crates *c, const float lamp[4]) {
	use_tint(r, c, 1, 0.9f, 0.75f);
	for (unsigned i = 0; i < CRATES; i++) {
		draw_box(r, c, &c->crate, crates[i].at, crates[i].half, crates[i].turn);
	}
	use_tint(r, c, 0.5f, 0.5f, 0.55f);
	for (unsigned i = 0; i < BARS; i++) {
		static const float half[3] = { 0.02f, 0.45f, 0.02f };
		const double turn = (double)i / BARS;
		const float at[3] = { lamp[0] + 0.42f * (float)turn_cos(turn), lamp[1],
			lamp[2] + 0.42f * (float)turn_sin(turn) };
		draw_box(r, c, &c->crate, at, half, turn);
	}
}

static void use_scene(struct recorder *r, const struct crates *c, const struct mat4 *projection,
		const float lamp[4]) {
	static const float reach[4] = { 1 / range }, outwards[4] = { 1 };
	program_use(r, &c->program);
	program_matrix(r, &c->program, 0, "projection", projection);
	program_uniform(r, &c->program, 0, "lamp", lamp, 1);
	program_uniform(r, &c->program, 0, "reach", reach, 1);
	program_uniform(r, &c->program, 0, "inwards", outwards, 1);
}

/* World to clip space of a face: a right angle wide and high. */
static struct mat4 face_view(unsigned face, const float lamp[4]) {
	struct mat4 look = mat4_identity();
	for (unsigned k = 0; k < 3; k++) {
		look.m[0][k] = faces[face].right[k];
		look.m[1][k] = faces[face].up[k];
		look.m[2][k] = -faces[face].ahead[k];
	}
	look = mat4_mul(look, mat4_translate(-lamp[0], -lamp[1], -lamp[2]));
	return mat4_mul(mat4_perspective(0.25, 1, 0.05, range), look);
}

/* Only sides that look away from the lamp: those before them need no bias then. */
static void draw_maps(struct recorder *r, const struct crates *c, const float lamp[4]) {
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = PICA_TEV_SOURCE_CONSTANT; /* no green: the depth is kept */
	for (uint32_t i = 0; i < FACES; i++) {
		const struct pica_framebuffer fb = { .color_addr = map_addr + i * FACE_BYTES,
			.color_format = PICA_COLOR_FORMAT_RGBA8, .width = FACE, .height = FACE };
		const struct mat4 view = face_view(i, lamp);
		recorder_draw_target(r, &fb);
		pica_emit_fragment_mode(&r->list, PICA_FRAGMENT_MODE_SHADOW);
		pica_emit_shadow(&r->list, 1, 0);
		pica_emit_depth_map(&r->list, PICA_DEPTHMAP_W, 0, 1 / range);
		pica_emit_texture_units(&r->list, 0, 0, false);
		pica_emit_tev(&r->list, 0, &tev);
		pica_emit_cull(&r->list, PICA_CULL_FRONT);
		use_scene(r, c, &view, lamp);
		draw_things(r, c, lamp);
	}
	pica_emit_cull(&r->list, PICA_CULL_NONE);
	pica_emit_depth_map(&r->list, PICA_DEPTHMAP_Z, -1, 0);
	pica_emit_fragment_mode(&r->list, PICA_FRAGMENT_MODE_NORMAL);
}

/* ((lit * light + some) * tint) * texture 1 */
static void use_stages(struct recorder *r) {
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_op = PICA_TEV_OP_MODULATE;
	tev.rgb_source[0] = PICA_TEV_SOURCE_TEXTURE0;
	tev.rgb_source[1] = PICA_TEV_SOURCE_PRIMARY;
	tev.rgb_operand[1] = PICA_TEV_OPERAND_RGB_ALPHA;
	tev.rgb_scale = PICA_TEV_SCALE_X2;
	pica_emit_tev(&r->list, 0, &tev);
	pica_tev_init(&tev);
	tev.rgb_op = PICA_TEV_OP_ADD_MULTIPLY;
	tev.rgb_source[1] = PICA_TEV_SOURCE_CONSTANT;
	tev.rgb_source[2] = PICA_TEV_SOURCE_PRIMARY;
	tev.color = 0xFF685044;
	pica_emit_tev(&r->list, 1, &tev);
	pica_tev_init(&tev);
	tev.rgb_op = PICA_TEV_OP_MODULATE;
	tev.rgb_source[1] = PICA_TEV_SOURCE_TEXTURE1;
	pica_emit_tev(&r->list, 2, &tev);
}

static void draw_lamp(struct recorder *r, const struct crates *c, const float lamp[4]) {
	static const float half[3] = { 0.13f, 0.2f, 0.13f };
	pica_emit_texture_units(&r->list, 0, 0, false);
	tev_primary(r);
	pica_emit_tev(&r->list, 1, NULL);
	pica_emit_tev(&r->list, 2, NULL);
	use_tint(r, c, 1, 0.97f, 0.8f);
	draw_box(r, c, &c->crate, lamp, half, 0.06);
}

static void draw_top(struct recorder *r, const struct crates *c, const float lamp[4]) {
	static const float inwards[4] = { -1 }, outwards[4] = { 1 };
	struct pica_texture cube = { .addr = map_addr, .width = FACE, .height = FACE,
		.format = PICA_TEXTURE_FORMAT_RGBA8, .type = PICA_TEXTURE_TYPE_SHADOW_CUBE };
	for (uint32_t i = 1; i < FACES; i++) {
		cube.faces[i - 1] = map_addr + i * FACE_BYTES;
	}
	struct mat4 view = mat4_perspective(45 / 360.0, (double)TOP_WIDTH / SCREEN_HEIGHT, 0.5, 30);
	view = mat4_mul(view, mat4_mul(mat4_translate(0, 0.1f, -9.2f), mat4_rotate_x(0.02)));
	view = mat4_tilt(view);
	recorder_draw_top(r);
	pica_emit_texture(&r->list, 0, &cube);
	pica_emit_shadow_texture(&r->list, false, 0.002f);
	pica_emit_texture(&r->list, 1, &c->bricks);
	pica_emit_texture_units(&r->list, 3, 0, false);
	use_stages(r);
	pica_emit_depth_test(&r->list, true, PICA_COMPARE_GREATER, true, 0xF);
	use_scene(r, c, &view, lamp);
	pica_emit_cull(&r->list, PICA_CULL_FRONT);
	program_uniform(r, &c->program, 0, "inwards", inwards, 1);
	use_tint(r, c, 0.95f, 0.95f, 1);
	draw_box(r, c, &c->room, room_at, room_half, 0);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	program_uniform(r, &c->program, 0, "inwards", outwards, 1);
	pica_emit_texture(&r->list, 1, &c->wood);
	draw_things(r, c, lamp);
	draw_lamp(r, c, lamp);
	pica_emit_cull(&r->list, PICA_CULL_NONE);
	pica_emit_depth_test(&r->list, false, PICA_COMPARE_ALWAYS, false, 0xF);
}

/* The high byte of the depth as gray. */
static void draw_bottom(struct recorder *r, struct crates *c) {
	enum { SIZE = 72 };
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = PICA_TEV_SOURCE_TEXTURE0;
	tev.rgb_operand[0] = PICA_TEV_OPERAND_RGB_ALPHA;
	recorder_draw_bottom(r);
	pica_emit_blend(&r->list, NULL);
	pica_emit_tev(&r->list, 0, &tev);
	pica_emit_texture_units(&r->list, 1, 0, false);
	for (unsigned i = 0; i < FACES; i++) {
		const struct pica_texture t = { .addr = map_addr + i * FACE_BYTES,
			.width = FACE,
			.height = FACE,
			.format = PICA_TEXTURE_FORMAT_RGBA8,
			.mag = PICA_FILTER_LINEAR,
			.min = PICA_FILTER_LINEAR };
		const int x = 16 + faces[i].column * SIZE, y = 12 + faces[i].row * SIZE;
		/* The faces' v runs down in the world. */
		canvas_sprite(&c->canvas, x, y, SIZE, SIZE, 0, FACE, FACE, -FACE, 0xFFFFFFFF);
		canvas_draw_textured(&c->canvas, r, BOTTOM_WIDTH, &t);
	}
	for (unsigned i = 0; i < FACES; i++) {
		const int x = 16 + faces[i].column * SIZE, y = 12 + faces[i].row * SIZE;
		canvas_frame(&c->canvas, x, y, SIZE, SIZE, 0x1C203080);
		canvas_rect(&c->canvas, x + 2, y + 2, 14, 11, 0x00000080);
		canvas_text(&c->canvas, x + 4, y + 4, 0xFFFFFFFF, faces[i].name);
	}
	canvas_text(&c->canvas, 168, 30, 0xE8C890FF, "a cube of shadow maps,");
	canvas_text(&c->canvas, 168, 44, 0xE8C890FF, "depth, its high byte");
	canvas_draw(&c->canvas, r, BOTTOM_WIDTH);
}

static int record(struct recorder *r) {
	struct crates c;
	memset(&c, 0, sizeof(c));
	int ret = canvas_init(&c.canvas, r);
	if (ret == 0) {
		ret = program_create(&c.program, "crates", program_source, NULL);
	}
	if (ret == 0) {
		store(r, &c);
	}
	for (unsigned frame = 0; ret == 0 && frame < FRAMES; frame++) {
		/* It swings. */
		const double swing = (double)frame / 12 - 0.08;
		const float lamp[4] = { 1.1f * (float)turn_sin(swing),
			0.5f - 0.3f * (float)turn_cos(swing), 0.7f };
		/* Far away and lit. */
		recorder_fill(r, 0, map_addr, FACES * FACE_BYTES, 0xFFFFFFFF);
		recorder_frame_begin(r, 0x101018FF, 0x1C2030FF);
		draw_maps(r, &c, lamp);
		draw_top(r, &c, lamp);
		draw_bottom(r, &c);
		recorder_frame_end(r);
	}
	program_destroy(&c.program);
	canvas_finish(&c.canvas);
	return ret;
}

const struct scene scene_crates = {
	.name = "crates",
	.what = "a lamp among crates, its shadows to all sides by a cube of shadow maps; the six faces",
	.frames = FRAMES,
	.record = record,
};
