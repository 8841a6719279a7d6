/*
 * A projected texture: a slide projector throws a picture onto a wall and the objects in front of
 * it. Texture coordinates 0 are positions in the projector's view, and unit 0 divides them by their
 * third component (type "projection"); outside the slide it gives the border's black. Bottom: the
 * slide, and the room from the projector's position, where the picture is undistorted.
 */
#include "kit.h"

enum { FRAMES = 3, SLIDE = 256, THINGS = 5 };

static struct {
	struct mesh board, wall, pawn, rook, ball, ring;
	struct pica_texture slide;
} own;

/* Returns whether (x, y) lies to the left of the line from (ax, ay) to (bx, by), y down. */
static bool is_left(int x, int y, int ax, int ay, int bx, int by) {
	return (bx - ax) * (y - ay) - (by - ay) * (x - ax) <= 0;
}

static bool is_in_triangle(int x, int y, const int t[6]) {
	return is_left(x, y, t[0], t[1], t[2], t[3]) && is_left(x, y, t[2], t[3], t[4], t[5]) &&
			is_left(x, y, t[4], t[5], t[0], t[1]);
}

static bool is_in_circle(int x, int y, int cx, int cy, int radius) {
	return (x - cx) * (x - cx) + (y - cy) * (y - cy) <= radius * radius;
}

/* A boat on the sea at sunset, in units of 1/256 of the slide, with a frame. */
static uint32_t boat_color(int x, int y) {
	static const int main_sail[6] = { 128, 46, 128, 158, 206, 158 };
	static const int fore_sail[6] = { 118, 64, 60, 158, 118, 158 };
	static const int stripe[6] = { 128, 96, 128, 130, 190, 130 };
	static const int flag[6] = { 125, 24, 125, 40, 156, 32 };
	if (x < 10 || x >= 246 || y < 10 || y >= 246) {
		return 0xF8F0E0FF;
	}
	if (y >= 164 && y < 190 && !is_left(x, y, 72, 190, 44, 164) &&
			!is_left(x, y, 220, 164, 192, 190)) {
		return y < 171 ? 0xF0E8D8FF : 0xB03020FF; /* hull */
	}
	if (is_in_triangle(x, y, flag)) {
		return 0xE03028FF;
	}
	if (x >= 121 && x < 125 && y >= 24 && y < 164) {
		return 0x583820FF; /* mast */
	}
	if (is_in_triangle(x, y, main_sail)) {
		return is_in_triangle(x, y, stripe) ? 0xF08030FF : 0xFFFFF8FF;
	}
	if (is_in_triangle(x, y, fore_sail)) {
		return 0xF8E8C0FF;
	}
	if (y >= 184) { /* waves */
		const int wave = (x + (y / 10 & 1) * 16) & 31;
		const int crest = (wave - 16) * (wave - 16) / 40;
		return y % 10 <= crest - 1 ? 0x68C0E0FF : mix_color(0x2880C0FF, 0x103C78FF,
				(y - 184) / 62.0);
	}
	if (is_in_circle(x, y, 206, 70, 24)) {
		return 0xFFF060FF;
	}
	if (is_in_circle(x, y, 44, 56, 12) || is_in_circle(x, y, 62, 50, 16) ||
			is_in_circle(x, y, 80, 58, 11)) {
		return 0xFFF8F0FF; /* cloud */
	}
	return mix_color(0x4898E8FF, 0xFFC880FF, (y - 10) / 174.0);
}

static void picture_boat(unsigned px, unsigned py, unsigned n, uint8_t rgba[4]) {
	const uint32_t color = boat_color(
			(int)((2 * px + 1) * 128 / n), (int)((2 * py + 1) * 128 / n));
	put_color(rgba, 4, color);
}

static void store(struct recorder *r) {
	own.board = solid_board(r, 14, 0xF0ECE8FF, 0xD0CCD0FF);
	own.wall = solid_board(r, 14, 0xE8E4ECFF, 0xE0DCE4FF);
	own.pawn = solid_lathe(r, chess_pawn, PAWN_POINTS, 28, 0xF4F0ECFF, 0xD0CCC8FF);
	own.rook = solid_lathe(r, chess_rook, ROOK_POINTS, 28, 0xF4F0ECFF, 0xD0CCC8FF);
	own.ball = solid_ball(r, 0xF4F4F8FF, 0xD0D0D8FF);
	own.ring = solid_ring(r, 0.8f, 0.26f, 0xF4F4F8FF, 0xE0E0E8FF, 6);
	own.slide = store_texture(r, PICA_TEXTURE_FORMAT_RGB565, SLIDE, 4, picture_boat);
	own.slide.type = PICA_TEXTURE_TYPE_PROJECTION;
	set_wrap(&own.slide, PICA_WRAP_CLAMP_TO_BORDER);
	own.slide.border = 0xFF000000;
	own.slide.mag = own.slide.min = own.slide.mip = PICA_FILTER_LINEAR;
}

/* World to clip space of the projector, which stands at the left, faces the wall, and sways. */
static struct mat4 projector_view(unsigned frame) {
	const double sway = 0.008 * frame;
	struct mat4 v = mat4_mul3(mat4_rotate_x(0.014), mat4_rotate_y(0.07 + sway),
			mat4_translate(3.6f, -2.5f, -4.2f));
	return mat4_mul(mat4_perspective(36 / 360.0, 1, 1, 30), v);
}

/* u and v are (x + w) / 2 and (y + w) / 2: the unit divides by w. */
static void projector_map(struct mat4 view, float rows[3][4]) {
	for (unsigned k = 0; k < 4; k++) {
		rows[0][k] = (view.m[0][k] + view.m[3][k]) * 0.5f;
		rows[1][k] = (view.m[1][k] + view.m[3][k]) * 0.5f;
		rows[2][k] = view.m[3][k];
	}
}

/* The slide's light plus a little ambient light, times the vertex colour. */
static void use_projection_stages(struct recorder *r) {
	TEV(r, 0, RGB2(ADD, TEXTURE0, CONSTANT), ALPHA1(PREVIOUS), .color = 0xFF4C3C34);
	TEV(r, 1, RGB2(MODULATE, PREVIOUS, PRIMARY), ALPHA1(PREVIOUS));
}

static void draw_room(struct recorder *r, struct mat4 view, unsigned frame) {
	static const float place[THINGS][4] = { { -1.7f, 0, 0.9f, 1 }, { 1.6f, 0, -1.6f, 1.1f },
		{ 0.2f, 0.62f, 1.5f, 0.62f }, { 0.1f, 1.0f, -1.2f, 0.95f },
		{ -2.6f, 0, -1.9f, 1 } };
	const struct mesh *const things[THINGS] = { &own.pawn, &own.rook, &own.ball, &own.ring,
		&own.pawn };
	/* Lit from the projector's position. */
	const struct solid_light light = { .lamp = { -0.5f, 0.52f, 0.69f, 0.25f },
		.gloss = { 20, 0.15f },
		.tint = { 1, 1, 1, 1 } };
	float rows[3][4];
	projector_map(projector_view(frame), rows);
	solid_use(r, view, &light);
	solid_map(r, rows);
	use_projection_stages(r);
	use_texture(r, &own.slide);
	blend_off(r);
	depth_on(r);
	struct mat4 model = mat4_identity();
	solid_draw(r, &own.board, model);
	model = mat4_mul(mat4_translate(0, 3, -4), mat4_rotate_x(0.25));
	solid_draw(r, &own.wall, model);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	for (unsigned i = 0; i < THINGS; i++) {
		const float *at = place[i];
		model = mat4_place(at[0], at[1], at[2], at[3]);
		model = mat4_mul(model, mat4_rotate_y(0.06 + 0.05 * frame));
		solid_draw(r, things[i], model);
	}
	tev_pass(r, 1, 1);
	tev_primary(r);
	bodies_end(r);
}

static void draw(struct recorder *r, unsigned frame) {
	recorder_draw_top(r);
	struct mat4 view = screen_lens(TOP_WIDTH, 46, 1, 30);
	view = mat4_mul3(view, mat4_translate(-0.6f, -1.3f, -6.6f), mat4_rotate_x(0.03));
	view = mat4_tilt(mat4_mul(view, mat4_rotate_y(-0.05)));
	draw_room(r, view, frame);

	recorder_draw_bottom(r);
	canvas_text_centered(r, 80, 205, 0xE8C890FF, "the slide");
	canvas_text_centered(r, 240, 205, 0xE8C890FF, "as the projector sees it");
	canvas_draw(r);
	/* A plain texture here: the canvas has no third component. */
	struct pica_texture plain = own.slide;
	plain.type = PICA_TEXTURE_TYPE_2D;
	tev_modulate(r);
	canvas_sprite(r, 2, 38, 156, 156, 0, 0, SLIDE, SLIDE, 0xFFFFFFFF);
	canvas_draw_textured(r, &plain);
	view = mat4_tilt(projector_view(frame));
	recorder_viewport(r, 162, 38, 156, 156);
	draw_room(r, view, frame);
}

const struct scene scene_projector = {
	.name = "projector",
	.what = "a projected texture: a slide thrown onto a room; the room as the projector sees it",
	.frames = FRAMES, .has_canvas = true, .top = 0x0C0A14FF, .bottom = 0x1C2030FF,
	.store = store, .draw = draw,
};
