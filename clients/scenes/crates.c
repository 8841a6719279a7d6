/*
 * A lamp that shines in all directions. The objects around it are drawn six times, into the faces
 * of a cube of shadow maps; the room and the crates then look up the direction from the lamp
 * through texture unit 0 to find whether something lies in between. The map keeps the depth along
 * the axis of the face, which is compared with the longest component of that direction; therefore
 * depth is mapped from w without z. Bottom: the faces, unfolded.
 */
#include "kit.h"

enum {
	FRAMES = 3, FACE = 128, FACE_BYTES = FACE * FACE * 4, CRATES = 9, BARS = 6,
	CRATE_GRID = 3, ROOM_GRID = 16, MAX_VERTICES = 6 * (ROOM_GRID + 1) * (ROOM_GRID + 1),
	MAX_INDICES = 36 * ROOM_GRID * ROOM_GRID,
};

static const uint32_t map_addr = FREE_VRAM;
/* The distance of depth 1 in the map: the whole room is nearer to the lamp, along each axis. */
static const float range = 12;
static float lamp[4]; /* of the current frame */

/* Centre, half the size, rotation around the y axis. The floor is at -3. */
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
 * Coordinates 0 are the vector from the lamp, in units of the range; alpha is the lamp's light
 * without shadows, which falls with the distance. inwards: -1 for the room, which is seen from
 * inside.
 */
static const char program_source[] =
		".fvec projection[4], model[4], lamp, reach, tint, inwards\n"
		".constf k(0.0, 1.0, 0.055, 0.0)\n"
		OUT_COLOR
		".out out_way texcoord0\n"
		".out out_way_w texcoord0w\n"
		".out out_tex texcoord1\n"
		".in in_pos v0\n"
		".in in_normal v1\n"
		".in in_tex v2\n"
		".proc main\n"
		"	mov r0.xyz, in_pos.xyz\n"
		PLACE
		"	add r2.xyz, -lamp.xyz, r1.xyz\n"
		"	mul r3.xyz, reach.xxx, r2.xyz\n"
		"	mov out_way.xy, r3.xy\n"
		"	mov out_way_w.x, r3.z\n"
		"	mul r4.xyz, inwards.xxx, in_normal.xyz\n"
		NORMAL3("r5", "model", "r4")
		UNIT("r5")
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
		END;

struct vertex {
	float position[3];
	int8_t normal[4]; /* the fourth is not read */
	float u, v;
};

static struct {
	struct mesh crate, room;
	struct pica_texture wood, bricks;
} own;

/* ---- Store ---- */

/* A box from -1 to 1 on all axes, n x n quads per side; counter-clockwise from outside. */
static struct mesh store_box(struct recorder *r, unsigned n, float repeat) {
	static const struct vertex_format format = { sizeof(struct vertex), 3,
		{ { PICA_ATTRIB_TYPE_F32, 3 }, { PICA_ATTRIB_TYPE_S8, 4 },
				{ PICA_ATTRIB_TYPE_F32, 2 } } };
	static struct vertex v[MAX_VERTICES];
	static uint16_t index[MAX_INDICES];
	uint16_t *end = index;
	uint32_t vertices = 0;
	memset(v, 0, sizeof(v));
	for (unsigned side = 0; side < 6; side++) {
		const unsigned axis = side / 2, across = axis == 0 ? 2 : 0, up = axis == 1 ? 2 : 1;
		const float out = side & 1 ? -1 : 1;
		/* The right axis, such that right x up points outwards. */
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
			end = put_quad(end, a, a + 1, c, c + 1);
		}
	}
	return mesh_store_indexed(r, &format, PICA_PRIMITIVE_LIST, v, vertices, index,
			(uint32_t)(end - index));
}

static void store(struct recorder *r) {
	own.crate = store_box(r, CRATE_GRID, 1);
	own.room = store_box(r, ROOM_GRID, 3);
	own.wood = store_texture(r, PICA_TEXTURE_FORMAT_ETC1, 64, 3, picture_wood);
	own.bricks = store_texture(r, PICA_TEXTURE_FORMAT_ETC1, 128, 4, picture_bricks);
	set_wrap(&own.bricks, PICA_WRAP_REPEAT);
}

/* ---- Draw ---- */

static void draw_box(struct recorder *r, const struct mesh *m, const float at[3],
		const float half[3], double turn) {
	const struct mat4 model = mat4_mul(mat4_translate(at[0], at[1], at[2]),
			mat4_rotate_y(turn));
	set_matrix(r, "model", mat4_mul(model, mat4_scale(half[0], half[1], half[2])));
	mesh_draw(r, m);
}

static void use_tint(struct recorder *r, float red, float green, float blue) {
	const float tint[4] = { red, green, blue, 1 };
	set_uniform(r, "tint", tint, 1);
}

/* The objects that cast shadows: the crates, and a cage of bars around the lamp. */
static void draw_things(struct recorder *r) {
	use_tint(r, 1, 0.9f, 0.75f);
	for (unsigned i = 0; i < CRATES; i++) {
		draw_box(r, &own.crate, crates[i].at, crates[i].half, crates[i].turn);
	}
	use_tint(r, 0.5f, 0.5f, 0.55f);
	for (unsigned i = 0; i < BARS; i++) {
		static const float half[3] = { 0.02f, 0.45f, 0.02f };
		const double turn = (double)i / BARS;
		const float at[3] = { lamp[0] + 0.42f * (float)turn_cos(turn), lamp[1],
			lamp[2] + 0.42f * (float)turn_sin(turn) };
		draw_box(r, &own.crate, at, half, turn);
	}
}

static void use_scene(struct recorder *r, struct mat4 projection) {
	static const float reach[4] = { 1 / range }, outwards[4] = { 1 };
	use_projected(r, program_source, projection);
	set_uniform(r, "lamp", lamp, 1);
	set_uniform(r, "reach", reach, 1);
	set_uniform(r, "inwards", outwards, 1);
}

/* Only sides that face away from the lamp, so that the lit sides need no bias. */
static void draw(struct recorder *r, unsigned frame) {
	/* It swings. */
	const double swing = (double)frame / 12 - 0.08;
	vec3_set(lamp, 1.1f * (float)turn_sin(swing), 0.5f - 0.3f * (float)turn_cos(swing), 0.7f);
	for (uint32_t i = 0; i < CUBE_FACES; i++) {
		/* World to clip space of a face: 90 degrees in both directions. */
		struct mat4 view = mat4_mul(
				cube_face_look(i), mat4_translate(-lamp[0], -lamp[1], -lamp[2]));
		view = mat4_mul(mat4_perspective(0.25, 1, 0.05, range), view);
		recorder_draw_square(r, map_addr + i * FACE_BYTES, FACE);
		pica_emit_fragment_mode(&r->list, PICA_FRAGMENT_MODE_SHADOW);
		pica_emit_shadow(&r->list, 1, 0);
		pica_emit_depth_map(&r->list, PICA_DEPTHMAP_W, 0, 1 / range);
		use_units(r, 0);
		TEV(r, 0, RGB1(CONSTANT), ALPHA1(PREVIOUS)); /* no green: the depth is kept */
		pica_emit_cull(&r->list, PICA_CULL_FRONT);
		use_scene(r, view);
		draw_things(r);
	}
	pica_emit_cull(&r->list, PICA_CULL_NONE);
	pica_emit_depth_map(&r->list, PICA_DEPTHMAP_Z, -1, 0);
	pica_emit_fragment_mode(&r->list, PICA_FRAGMENT_MODE_NORMAL);
}

/* ((lit * light + some) * tint) * texture 1 */
static void use_stages(struct recorder *r) {
	TEV(r, 0, RGB2(MODULATE, TEXTURE0, PRIMARY), ALPHA1(PREVIOUS),
			.rgb_operand = { 0, PICA_TEV_OPERAND_RGB_ALPHA },
			.rgb_scale = PICA_TEV_SCALE_X2);
	TEV(r, 1, RGB3(ADD_MULTIPLY, PREVIOUS, CONSTANT, PRIMARY), ALPHA1(PREVIOUS),
			.color = 0xFF685044);
	TEV(r, 2, RGB2(MODULATE, PREVIOUS, TEXTURE1), ALPHA1(PREVIOUS));
}

static void draw_lamp(struct recorder *r) {
	static const float half[3] = { 0.13f, 0.2f, 0.13f };
	use_units(r, 0);
	tev_primary(r);
	tev_pass(r, 1, 2);
	use_tint(r, 1, 0.97f, 0.8f);
	draw_box(r, &own.crate, lamp, half, 0.06);
}

static void draw_top(struct recorder *r, unsigned frame) {
	static const float inwards[4] = { -1 }, outwards[4] = { 1 };
	const struct pica_texture cube = cube_texture(
			map_addr, FACE_BYTES, FACE, PICA_TEXTURE_TYPE_SHADOW_CUBE);
	struct mat4 view = screen_lens(TOP_WIDTH, 45, 0.5, 30);
	view = mat4_tilt(mat4_mul3(view, mat4_translate(0, 0.1f, -9.2f), mat4_rotate_x(0.02)));
	pica_emit_texture(&r->list, 0, &cube);
	pica_emit_shadow_texture(&r->list, false, 0.002f);
	pica_emit_texture(&r->list, 1, &own.bricks);
	use_units(r, 3);
	use_stages(r);
	depth_on(r);
	use_scene(r, view);
	pica_emit_cull(&r->list, PICA_CULL_FRONT);
	set_uniform(r, "inwards", inwards, 1);
	use_tint(r, 0.95f, 0.95f, 1);
	draw_box(r, &own.room, room_at, room_half, 0);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	set_uniform(r, "inwards", outwards, 1);
	pica_emit_texture(&r->list, 1, &own.wood);
	draw_things(r);
	draw_lamp(r);
	bodies_end(r);
}

/* The high byte of the depth as gray. */
static void draw_bottom(struct recorder *r, unsigned frame) {
	enum { SIZE = 72 };
	blend_off(r);
	TEV(r, 0, RGB1(TEXTURE0), ALPHA1(PREVIOUS), .rgb_operand = { PICA_TEV_OPERAND_RGB_ALPHA });
	use_units(r, 1);
	for (unsigned i = 0; i < CUBE_FACES; i++) {
		const struct pica_texture t = texture_at(map_addr + i * FACE_BYTES, FACE, FACE,
				PICA_TEXTURE_FORMAT_RGBA8, PICA_FILTER_LINEAR);
		/* The faces' v runs down in the world. */
		canvas_sprite(r, cube_face_x(i, 16, SIZE), cube_face_y(i, 12, SIZE), SIZE, SIZE, 0,
				FACE, FACE, -FACE, 0xFFFFFFFF);
		canvas_draw_textured(r, &t);
	}
	cube_labels(r, 16, 12, SIZE);
	canvas_text(r, 168, 30, 0xE8C890FF, "a cube of shadow maps,");
	canvas_text(r, 168, 44, 0xE8C890FF, "depth, its high byte");
	canvas_draw(r);
}

static void prepare(struct recorder *r) {
	/* Far away and lit. */
	recorder_fill(r, 0, map_addr, CUBE_FACES * FACE_BYTES, 0xFFFFFFFF);
}

const struct scene scene_crates = {
	.name = "crates",
	.what = "a lamp among crates, its shadows to all sides by a cube of shadow maps; the six faces",
	.frames = FRAMES, .has_canvas = true, .top = 0x101018FF, .bottom = 0x1C2030FF,
	.store = store, .prepare = prepare, .draw = draw, .draw_top = draw_top, .draw_bottom =
			draw_bottom,
};
