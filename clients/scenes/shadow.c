/*
 * Shadows by a map. The chessmen are drawn from the lamp into a shadow map, which keeps the
 * smallest depth; then the board looks up in the map, through texture unit 0, whether something
 * lies in between. The shadows of the balls have soft borders: rings around them, whose green grows
 * outwards, lower the density of the map. Bottom: the map itself.
 */
#include "kit.h"

enum { FRAMES = 3, MEN = 9, BALLS = 2, MAP = 256, ROUND = 40 };

static struct {
	struct mesh board, pawn[2], bishop[2], rook[2], ball;
} own;

static const uint32_t map_addr = FREE_VRAM;

/* The men on the board: colour, kind and field. */
static const struct {
	unsigned color, kind;
	float x, z;
} men[MEN] = { { 0, 0, -2.5f, 1.5f }, { 0, 0, -0.5f, 0.5f }, { 0, 1, 1.5f, 2.5f },
	{ 0, 2, 3.5f, 2.5f }, { 1, 0, 0.5f, -1.5f }, { 1, 0, -3.5f, -0.5f }, { 1, 1, -1.5f, -2.5f },
	{ 1, 2, 2.5f, -0.5f }, { 0, 0, 3.5f, 0.5f } };

/* Place and radius. */
static const float balls[BALLS][4] = { { -0.4f, 1.9f, 2.1f, 0.42f }, { 1.1f, 2.6f, -0.4f, 0.55f } };

static void store(struct recorder *r) {
	static const uint32_t top[2] = { 0xFFF4DCFF, 0x6A5048FF },
			      bottom[2] = { 0xD8BC90FF, 0x3C2C28FF };
	own.board = solid_board(r, 8, 0xE8D0A8FF, 0x8C5C3CFF);
	for (unsigned i = 0; i < 2; i++) {
		own.pawn[i] = solid_lathe(r, chess_pawn, PAWN_POINTS, 24, top[i], bottom[i]);
		own.bishop[i] = solid_lathe(r, chess_bishop, BISHOP_POINTS, 24, top[i], bottom[i]);
		own.rook[i] = solid_lathe(r, chess_rook, ROOK_POINTS, 24, top[i], bottom[i]);
	}
	own.ball = solid_ball(r, 0x60A0F0FF, 0x3058B0FF);
}

/* ---- The lamp ---- */

/* The axes of the lamp's view: right, up, and towards the lamp. */
struct lamp {
	float right[3], up[3], towards[3];
};

static struct lamp lamp_at(unsigned frame) {
	const double turn = 0.36 + 0.035 * frame;
	struct lamp l = { .towards = { (float)turn_cos(turn), 0.92f, 0.6f } };
	static const float upwards[3] = { 0, 1, 0 };
	vec3_normalize(l.towards);
	vec3_cross(upwards, l.towards, l.right);
	vec3_normalize(l.right);
	vec3_cross(l.towards, l.right, l.up);
	return l;
}

/* Distance from the board's centre to its corners. */
static const float reach = 5.4f;

/* World to clip space, parallel: -1 is nearest to the lamp, 0 farthest. */
static struct mat4 lamp_projection(const struct lamp *l) {
	struct mat4 m = mat4_identity();
	for (unsigned k = 0; k < 3; k++) {
		m.m[0][k] = l->right[k] / reach;
		m.m[1][k] = l->up[k] / reach;
		m.m[2][k] = -l->towards[k] / (2 * reach);
	}
	m.m[2][3] = -0.5f;
	return m;
}

/* World to texture coordinates and depth of the map: 0 nearest, 1 farthest. */
static void lamp_map(struct mat4 projection, float rows[3][4]) {
	for (unsigned k = 0; k < 4; k++) {
		const float one = k == 3 ? 1.0f : 0.0f;
		rows[0][k] = projection.m[0][k] * 0.5f + one * 0.5f;
		rows[1][k] = projection.m[1][k] * 0.5f + one * 0.5f;
		rows[2][k] = projection.m[2][k] + one;
	}
}

/* ---- Drawing ---- */

static void draw_men(struct recorder *r) {
	for (unsigned i = 0; i < MEN; i++) {
		const struct mesh *const kinds[3] = { &own.pawn[men[i].color],
			&own.bishop[men[i].color], &own.rook[men[i].color] };
		solid_draw(r, kinds[men[i].kind], mat4_place(men[i].x, 0, men[i].z, 0.85f));
	}
	for (unsigned i = 0; i < BALLS; i++) {
		const float *b = balls[i];
		solid_draw(r, &own.ball, mat4_place(b[0], b[1], b[2], b[3]));
	}
}

/* A ring around each ball, facing the lamp: nearly black inside, full green outside. */
static void draw_borders(struct recorder *r, const struct lamp *l, struct mat4 projection) {
	use_color_program(r, projection);
	for (unsigned i = 0; i < BALLS; i++) {
		struct color_vertex v[2 * (ROUND + 1)];
		for (unsigned k = 0; k < 2 * (ROUND + 1); k++) {
			const double turn = (double)(k / 2) / ROUND;
			const float out = balls[i][3] * (k & 1 ? 1.55f : 0.96f);
			float p[3];
			for (unsigned c = 0; c < 3; c++) {
				p[c] = balls[i][c] +
						out * ((float)turn_cos(turn) * l->right[c] +
						(float)turn_sin(turn) * l->up[c]);
			}
			v[k] = color_vertex(p[0], p[1], p[2], k & 1 ? 0x00FF00FF : 0x000100FF);
		}
		draw_colors(r, PICA_PRIMITIVE_STRIP, v, COUNT(v));
	}
}

static void draw(struct recorder *r, unsigned frame) {
	const struct lamp l = lamp_at(frame);
	const struct solid_light light = { .tint = { 1, 1, 1, 1 } };
	const struct mat4 projection = lamp_projection(&l);
	recorder_draw_square(r, map_addr, MAP);
	pica_emit_fragment_mode(&r->list, PICA_FRAGMENT_MODE_SHADOW);
	pica_emit_shadow(&r->list, 1, 0);
	pica_emit_depth_map(&r->list, PICA_DEPTHMAP_Z, 1, 1);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	/* No green: the depth is kept. */
	TEV(r, 0, RGB1(CONSTANT), ALPHA1(PREVIOUS));
	solid_use(r, projection, &light);
	draw_men(r);
	pica_emit_cull(&r->list, PICA_CULL_NONE);
	tev_primary(r);
	draw_borders(r, &l, projection);
	pica_emit_depth_map(&r->list, PICA_DEPTHMAP_Z, -1, 0);
	pica_emit_fragment_mode(&r->list, PICA_FRAGMENT_MODE_NORMAL);
}

/* The vertex colour, times the map's light plus a little ambient light. */
static void use_shadow_stages(struct recorder *r) {
	TEV(r, 0, RGB2(ADD, TEXTURE0, CONSTANT), ALPHA1(PREVIOUS), .color = 0xFF785C58);
	TEV(r, 1, RGB2(MODULATE, PREVIOUS, PRIMARY), ALPHA1(PREVIOUS));
}

static void draw_top(struct recorder *r, unsigned frame) {
	const struct lamp l = lamp_at(frame);
	static const uint32_t wall[4] = { 0x5C7890FF, 0x4A6078FF, 0xB0C0C8FF, 0x90A4B0FF };
	struct pica_texture map = texture_at(map_addr, MAP, MAP, PICA_TEXTURE_FORMAT_RGBA8, 0);
	struct solid_light light = { .gloss = { 30, 0.35f }, .tint = { 1, 1, 1, 1 } };
	const struct mat4 projection = lamp_projection(&l);
	float rows[3][4];
	canvas_gradient(r, 0, 0, TOP_WIDTH, SCREEN_HEIGHT, wall);
	canvas_draw(r);
	blend_off(r);
	map.type = PICA_TEXTURE_TYPE_SHADOW_2D;
	pica_emit_texture(&r->list, 0, &map);
	pica_emit_shadow_texture(&r->list, false, 0.006f);
	use_units(r, 1);
	use_shadow_stages(r);

	struct mat4 view = screen_lens(TOP_WIDTH, 40, 1, 30);
	view = mat4_mul3(view, mat4_translate(0, -0.5f, -9.6f), mat4_rotate_x(0.095));
	view = mat4_tilt(mat4_mul(view, mat4_rotate_y(0.04)));
	for (unsigned k = 0; k < 3; k++) {
		light.lamp[k] = l.towards[k];
	}
	light.lamp[3] = 0.3f;
	lamp_map(projection, rows);
	solid_use(r, view, &light);
	solid_map(r, rows);
	bodies_begin(r);
	solid_draw(r, &own.board, mat4_identity());
	draw_men(r);
	bodies_end(r);
	tev_pass(r, 1, 1);
}

/* One channel of the map as gray. */
static void show_map(struct recorder *r, int x, uint32_t operand) {
	const struct pica_texture t = texture_at(
			map_addr, MAP, MAP, PICA_TEXTURE_FORMAT_RGBA8, PICA_FILTER_LINEAR);
	TEV(r, 0, RGB1(TEXTURE0), ALPHA1(PREVIOUS), .rgb_operand = { operand });
	canvas_sprite(r, x, 46, 156, 156, 0, 0, MAP, MAP, 0);
	canvas_draw_textured(r, &t);
}

static void draw_bottom(struct recorder *r, unsigned frame) {
	canvas_label(r, 81, 213, "depth, its high byte");
	canvas_label(r, 239, 213, "density");
	canvas_text_centered(r, BOTTOM_WIDTH / 2, 22, 0xFFC080FF,
			"the shadow map, as the lamp sees it");
	canvas_draw(r);
	blend_off(r);
	show_map(r, 3, PICA_TEV_OPERAND_RGB_ALPHA);
	show_map(r, 161, PICA_TEV_OPERAND_RGB_RED);
}

static void prepare(struct recorder *r) {
	/* Far away and lit. */
	recorder_fill(r, 0, map_addr, MAP * MAP * 4, 0xFFFFFFFF);
}

const struct scene scene_shadow = {
	.name = "shadow",
	.what = "a shadow map, hard and soft, asked through texture unit 0; the map itself",
	.frames = FRAMES, .has_canvas = true, .top = 0x000000FF, .bottom = 0x1C2030FF,
	.store = store, .prepare = prepare, .draw = draw, .draw_top = draw_top, .draw_bottom =
			draw_bottom,
};
