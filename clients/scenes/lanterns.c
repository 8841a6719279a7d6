/*
 * Balls over a floor and their shadows, hard in the middle and soft at the edges. The shadow map is
 * drawn from the lamp: floor and balls, with a combiner whose green is 0, write their depth; then a
 * ring around each ball, whose green grows outwards to 1, lowers the density of the floor behind
 * it. The higher a ball hangs above the floor, the wider is the darkened part: the effect of the
 * two factors of register 130. Bottom: the map's depth and density, and the shadows without and
 * with the rings.
 */
#include "kit.h"

enum { FRAMES = 3, BALLS = 7, SPOKES = 40, MAP = 256, MAP_COLOR = FREE_VRAM };

static const float reach = 6.2f, map_near = 2, map_far = 18;

struct ball {
	float x, y, z, size;
};

static struct {
	struct mesh ball, pole;
	struct mesh floor, ring;
	struct ball balls[BALLS];
} own;

/*
 * World position and colour; texture coordinates 0 are the position in the map, w is the depth
 * there.
 */
static const char program_source[] =
		".fvec projection[4], model[4], map[4]\n"
		".constf k(0.0, 1.0, 0.5, 0.003921569)\n"
		OUT_COLOR
		".out out_map texcoord0\n"
		".out out_depth texcoord0w\n"
		".in in_pos v0\n"
		".in in_color v1\n"
		".proc main\n"
		"	mov r0.xyz, in_pos.xyz\n"
		PLACE
		"	dp4 out_map.x, map[0], r1\n"
		"	dp4 out_map.y, map[1], r1\n"
		"	dp4 r2.x, map[2], r1\n"
		"	mov out_depth, r2.x\n"
		"	mul out_color, k.wwww, in_color\n"
		END;

/* ---- Store ---- */

/* Unit vectors: towards the lamp, and two perpendicular ones. */
static const float lamp[3] = { 0.48f, 0.8f, 0.36f };
static const float across[3] = { 0.6f, 0, -0.8f };
static const float up[3] = { -0.64f, 0.6f, -0.48f };

static void store_floor(struct recorder *r) {
	enum { TILES = 12 };
	struct color_vertex v[TILES * TILES * 6];
	unsigned n = 0;
	for (unsigned i = 0; i < TILES * TILES; i++) {
		const float x = (float)(i % TILES) - TILES / 2, z = (float)(i / TILES) - TILES / 2;
		const uint32_t color = (i + i / TILES) % 2 ? 0xD8C8A8FF : 0xB89C78FF;
		static const float corner[6][2] = { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 0 },
			{ 0, 1 }, { 1, 1 } };
		for (unsigned k = 0; k < 6; k++) {
			v[n++] = color_vertex(x + corner[k][0], 0, z + corner[k][1], color);
		}
	}
	own.floor = store_colors(r, PICA_PRIMITIVE_LIST, v, COUNT(v));
}

/* A ring around a ball of radius 1, facing the lamp: green from 2 at the outline to 255. */
static void store_ring(struct recorder *r) {
	struct color_vertex v[2 * (SPOKES + 1)];
	for (unsigned k = 0; k <= SPOKES; k++) {
		const float c = (float)turn_cos((double)k / SPOKES),
			    s = (float)turn_sin((double)k / SPOKES);
		float p[3];
		for (unsigned i = 0; i < 3; i++) {
			p[i] = c * across[i] + s * up[i];
		}
		v[2 * k] = color_vertex(0.97f * p[0], 0.97f * p[1], 0.97f * p[2], 0x000200FF);
		v[2 * k + 1] = color_vertex(2 * p[0], 2 * p[1], 2 * p[2], 0x00FF00FF);
	}
	own.ring = store_colors(r, PICA_PRIMITIVE_STRIP, v, COUNT(v));
}

static void store_balls(struct recorder *r) {
	static const float pole[][2] = { { 0, 1 }, { 0.02f, 1 }, { 0.02f, 1 }, { 0.02f, 0 } };
	static const struct ball balls[BALLS] = { { -3.2f, 0.5f, 1.4f, 0.5f },
		{ -1.9f, 1.1f, -0.4f, 0.6f }, { 0.2f, 2.2f, -1.6f, 0.7f },
		{ 2.6f, 2.9f, -2.2f, 0.75f }, { 0.5f, 0.4f, 1.9f, 0.4f },
		{ 2.3f, 1.2f, 1.2f, 0.45f }, { -3.6f, 2.8f, -2.6f, 0.55f } };
	memcpy(own.balls, balls, sizeof(balls));
	own.ball = solid_ball(r, 0xFFE8C0FF, 0xD86830FF);
	own.pole = solid_lathe(r, pole, COUNT(pole), 8, 0x806850FF, 0x806850FF);
}

/* ---- Draw ---- */

/* World to the clip space of the map: the lamp is far away, near is -1 and far 0. */
static struct mat4 map_projection(void) {
	struct mat4 m = mat4_identity();
	for (unsigned i = 0; i < 3; i++) {
		m.m[0][i] = across[i] / reach;
		m.m[1][i] = up[i] / reach;
		m.m[2][i] = -lamp[i] / (map_far - map_near);
	}
	m.m[2][3] = -(map_far - 10) / (map_far - map_near);
	return m;
}

/* World to texture coordinates of the map, 0 to 1, and the depth as stored in it. */
static struct mat4 map_coordinates(void) {
	struct mat4 m = map_projection();
	for (unsigned i = 0; i < 4; i++) {
		m.m[0][i] *= 0.5f;
		m.m[1][i] *= 0.5f;
	}
	m.m[0][3] += 0.5f;
	m.m[1][3] += 0.5f;
	m.m[2][3] += 1;
	return m;
}

static struct mat4 ball_model(const struct ball *b, unsigned frame) {
	/* They swing a little, each with its own phase. */
	const float swing = 0.25f * (float)turn_sin(frame / 9.0 + b->x);
	return mat4_place(b->x + swing, b->y, b->z, b->size);
}

static void use_flat(struct recorder *r, struct mat4 projection) {
	const struct mat4 map = map_coordinates(), model = mat4_identity();
	use_projected(r, program_source, projection);
	set_matrix(r, "map", map);
	set_matrix(r, "model", model);
}

static void draw_map(struct recorder *r, uint32_t addr, bool is_soft, unsigned frame) {
	const struct pica_framebuffer fb = { .color_addr = addr, .width = MAP, .height = MAP,
		.color_format = PICA_COLOR_FORMAT_RGBA8, .depth_format = PICA_DEPTH_FORMAT_D24S8 };
	const struct mat4 projection = map_projection();
	const struct solid_light dark = { .tint = { 0, 0, 0, 0 } }; /* green is 0 */
	recorder_draw_target(r, &fb);
	pica_emit_depth_map(&r->list, PICA_DEPTHMAP_Z, 1, 1); /* near is 0 */
	pica_emit_fragment_mode(&r->list, PICA_FRAGMENT_MODE_SHADOW);
	pica_emit_shadow(&r->list, 3.02f, -3);
	TEV(r, 0, RGB1(CONSTANT), ALPHA1(CONSTANT));
	use_flat(r, projection);
	mesh_draw(r, &own.floor);
	solid_use(r, projection, &dark);
	for (unsigned i = 0; i < BALLS; i++) {
		const struct mat4 model = ball_model(&own.balls[i], frame);
		solid_draw(r, &own.ball, model);
	}
	if (is_soft) {
		tev_primary(r);
		use_flat(r, projection);
		mesh_use(r, &own.ring);
		for (unsigned i = 0; i < BALLS; i++) {
			const struct mat4 model = ball_model(&own.balls[i], frame);
			set_matrix(r, "model", model);
			mesh_draw_part(r, &own.ring, 0, 2 * (SPOKES + 1));
		}
	}
	pica_emit_fragment_mode(&r->list, PICA_FRAGMENT_MODE_NORMAL);
	pica_emit_depth_map(&r->list, PICA_DEPTHMAP_Z, -1, 0);
}

/* The map, plus a little ambient light, lights the floor; the balls are lit without the map. */
static void draw_room(struct recorder *r, struct mat4 view, uint32_t map, unsigned frame) {
	const struct pica_texture t = { .addr = map, .width = MAP, .height = MAP,
		.format = PICA_TEXTURE_FORMAT_RGBA8, .type = PICA_TEXTURE_TYPE_SHADOW_2D };
	const struct solid_light light = { .lamp = { lamp[0], lamp[1], lamp[2], 0.3f },
		.gloss = { 40, 0.5f }, .tint = { 1, 1, 1, 1 } };
	blend_off(r);
	depth_on(r);
	use_texture(r, &t);
	pica_emit_shadow_texture(&r->list, false, 0.004f);
	TEV(r, 0, RGB3(ADD_MULTIPLY, TEXTURE0, CONSTANT, PRIMARY), ALPHA1(PRIMARY),
			.color = 0x584838);
	use_flat(r, view);
	mesh_draw(r, &own.floor);
	tev_primary(r);
	use_units(r, 0);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	solid_use(r, view, &light);
	for (unsigned i = 0; i < BALLS; i++) {
		const struct ball *b = &own.balls[i];
		struct mat4 model = ball_model(b, frame);
		solid_draw(r, &own.ball, model);
		model = mat4_mul(mat4_translate(model.m[0][3], b->y + b->size, b->z),
				mat4_scale(1, 9, 1));
		solid_draw(r, &own.pole, model);
	}
	bodies_end(r);
}

static struct mat4 view_from(double aspect, unsigned frame) {
	struct mat4 m = mat4_perspective(40 / 360.0, aspect, 1, 40);
	m = mat4_mul3(m, mat4_translate(0, -0.6f, -10.5f), mat4_rotate_x(0.085));
	return mat4_tilt(mat4_mul(m, mat4_rotate_y(-0.06 + 0.02 * frame)));
}

/* The map as a picture: one of its four bytes as gray. */
static void draw_byte(struct recorder *r, int x, int y, uint32_t operand) {
	const struct pica_texture t = { .addr = MAP_COLOR, .width = MAP, .height = MAP,
		.format = PICA_TEXTURE_FORMAT_RGBA8 };
	TEV(r, 0, RGB1(TEXTURE0), ALPHA1(PRIMARY), .rgb_operand = { operand });
	canvas_sprite(r, x, y, 158, 106, 0, 42, MAP, 172, 0xFFFFFFFF);
	canvas_draw_textured(r, &t);
}

static void draw(struct recorder *r, unsigned frame) {
	static const uint32_t wall[4] = { 0x181420FF, 0x181420FF, 0x584A50FF, 0x584A50FF };
	static const char *const names[4] = { "the map: depth", "the map: density", "hard",
		"soft" };
	enum { HARD_MAP = MAP_COLOR + MAP * MAP * 4 };
	recorder_fill(r, 0, MAP_COLOR, 2 * MAP * MAP * 4, 0xFFFFFFFF); /* far, lit */
	draw_map(r, MAP_COLOR, true, frame);
	draw_map(r, HARD_MAP, false, frame);

	recorder_draw_top(r);
	canvas_gradient(r, 0, 0, TOP_WIDTH, SCREEN_HEIGHT, wall);
	canvas_draw(r);
	struct mat4 view = view_from((double)TOP_WIDTH / SCREEN_HEIGHT, frame);
	draw_room(r, view, MAP_COLOR, frame);

	recorder_draw_bottom(r);
	for (int i = 0; i < 4; i++) {
		const int x = i % 2 * 162, y = 13 + i / 2 * 121;
		canvas_gradient(r, x, y, 158, 106, wall);
		canvas_text(r, x + 2, y - 11, 0xF0D8B0FF, names[i]);
	}
	canvas_draw(r);
	draw_byte(r, 0, 13, PICA_TEV_OPERAND_RGB_ALPHA);
	draw_byte(r, 162, 13, PICA_TEV_OPERAND_RGB_RED);
	view = view_from(158.0 / 106, frame);
	for (int i = 0; i < 2; i++) {
		recorder_viewport(r, i * 162, 134, 158, 106);
		draw_room(r, view, i ? (uint32_t)MAP_COLOR : (uint32_t)HARD_MAP, frame);
	}
}

static void store(struct recorder *r) {
	store_floor(r);
	store_ring(r);
	store_balls(r);
}

const struct scene scene_lanterns = {
	.name = "lanterns",
	.what = "shadows with soft edges from a shadow map; its depth and density, and hard edges",
	.frames = FRAMES, .has_canvas = true, .top = 0x181420FF, .bottom = 0x101418FF,
	.store = store, .draw = draw,
};
