/*
 * A projected texture: a slide projector throws a rose window onto a board and what stands on it.
 * Texture coordinates 0 are places as the projector sees them, and unit 0 divides them by their
 * third component (type "projection"); what lies outside of the slide gets the border's black.
 * Bottom: the slide, and the same room from where the projector stands, which sees it undistorted.
 */
#include <string.h>

#include "canvas.h"
#include "chess.h"
#include "recorder.h"
#include "scenes.h"
#include "solid.h"
#include "texture.h"

enum { FRAMES = 3, SLIDE = 128, THINGS = 5 };

struct projector {
	struct canvas canvas;
	struct program solid;
	struct solid board, wall, pawn, rook, ball, ring;
	struct pica_texture slide;
};

/* A rose window: twelve panes around a middle, lead between them, black outside. */
static void picture_rose(unsigned px, unsigned py, unsigned n, uint8_t rgba[4]) {
	const int x = 2 * (int)px + 1 - (int)n, y = 2 * (int)py + 1 - (int)n, d = x * x + y * y;
	const int r = (int)n - 6;
	/* Which twelfth, by the sides of six lines through the middle. */
	static const int line[6][2] = { { 256, 0 }, { 222, 128 }, { 128, 222 }, { 0, 256 },
		{ -128, 222 }, { -222, 128 } };
	unsigned side = 0;
	bool is_lead = false;
	for (unsigned k = 0; k < 6; k++) {
		const int at = x * line[k][1] - y * line[k][0];
		side += (unsigned)(at > 0);
		is_lead |= at > -640 && at < 640;
	}
	const unsigned pane = y > 0 ? side : 12 - side;
	const int ring = d * 16 / (r * r);
	memset(rgba, 0, 3);
	rgba[3] = 255;
	if (d > r * r || (ring < 15 && ring > 3 && is_lead) || ring == 3 || ring == 9) {
		return;
	}
	const uint32_t color = ring < 3 ? 0xFFE090FF : hsv(pane / 12.0 + (ring > 9 ? 0.08 : 0),
			ring > 9 ? 0.75 : 0.9, ring > 9 ? 1 : 0.85);
	for (unsigned k = 0; k < 3; k++) {
		rgba[k] = (uint8_t)(color >> (24 - 8 * k));
	}
}

static void store(struct recorder *r, struct projector *p) {
	solid_board(r, &p->board, 14, 0xF0ECE8FF, 0xD0CCD0FF);
	solid_board(r, &p->wall, 14, 0xE8E4ECFF, 0xE0DCE4FF);
	solid_lathe(r, &p->pawn, chess_pawn, PAWN_POINTS, 28, 0xF4F0ECFF, 0xD0CCC8FF);
	solid_lathe(r, &p->rook, chess_rook, ROOK_POINTS, 28, 0xF4F0ECFF, 0xD0CCC8FF);
	solid_ball(r, &p->ball, 0xF4F4F8FF, 0xD0D0D8FF);
	solid_ring(r, &p->ring, 0.8f, 0.26f, 0xF4F4F8FF, 0xE0E0E8FF, 6);
	recorder_store_texture(r, &p->slide, PICA_TEXTURE_FORMAT_RGB565, SLIDE, 1, picture_rose);
	p->slide.type = PICA_TEXTURE_TYPE_PROJECTION;
	p->slide.wrap_s = PICA_WRAP_CLAMP_TO_BORDER;
	p->slide.wrap_t = PICA_WRAP_CLAMP_TO_BORDER;
	p->slide.border = 0xFF000000;
}

/* World to the projector's clip space: it stands at the left, looks down at the room, and turns. */
static struct mat4 projector_view(unsigned frame) {
	struct mat4 v = mat4_mul(mat4_rotate_x(0.075), mat4_mul(mat4_rotate_y(0.09),
			mat4_translate(3.6f, -3.1f, -5.6f)));
	v = mat4_mul(mat4_perspective(44 / 360.0, 1, 1, 30), v);
	return mat4_mul(mat4_rotate_z(0.03 * frame), v);
}

/* u and v are (x + w) / 2 and (y + w) / 2: the unit divides by w. */
static void projector_map(const struct mat4 *view, float rows[3][4]) {
	for (unsigned k = 0; k < 4; k++) {
		rows[0][k] = (view->m[0][k] + view->m[3][k]) * 0.5f;
		rows[1][k] = (view->m[1][k] + view->m[3][k]) * 0.5f;
		rows[2][k] = view->m[3][k];
	}
}

/* The slide's light and a bit of the room's, times the vertex colour. */
static void use_projection_stages(struct recorder *r) {
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_op = PICA_TEV_OP_ADD;
	tev.rgb_source[0] = PICA_TEV_SOURCE_TEXTURE0;
	tev.rgb_source[1] = PICA_TEV_SOURCE_CONSTANT;
	tev.color = 0xFF503834;
	pica_emit_tev(&r->list, 0, &tev);
	pica_tev_init(&tev);
	tev.rgb_op = PICA_TEV_OP_MODULATE;
	tev.rgb_source[1] = PICA_TEV_SOURCE_PRIMARY;
	pica_emit_tev(&r->list, 1, &tev);
}

static void draw_room(struct recorder *r, const struct projector *p, const struct mat4 *view,
		unsigned frame) {
	static const float place[THINGS][4] = { { -1.7f, 0, 0.9f, 1 }, { 1.6f, 0, -1.6f, 1.1f },
		{ 0.2f, 0.62f, 1.5f, 0.62f }, { 0.1f, 1.0f, -1.2f, 0.95f },
		{ -2.6f, 0, -1.9f, 1 } };
	const struct solid *const things[THINGS] = { &p->pawn, &p->rook, &p->ball, &p->ring,
		&p->pawn };
	/* Lit from where the projector stands. */
	const struct solid_light light = { .lamp = { -0.5f, 0.52f, 0.69f, 0.25f },
		.gloss = { 20, 0.15f },
		.tint = { 1, 1, 1, 1 } };
	float rows[3][4];
	const struct mat4 projector = projector_view(frame);
	projector_map(&projector, rows);
	solid_use(r, &p->solid, view, &light);
	solid_map(r, &p->solid, (const float (*)[4])rows);
	use_projection_stages(r);
	pica_emit_texture(&r->list, 0, &p->slide);
	pica_emit_texture_units(&r->list, 1, 0, false);
	pica_emit_blend(&r->list, NULL);
	pica_emit_depth_test(&r->list, true, PICA_COMPARE_GREATER, true, 0xF);
	struct mat4 model = mat4_identity();
	solid_draw(r, &p->solid, &p->board, &model);
	model = mat4_mul(mat4_translate(0, 3, -4), mat4_rotate_x(0.25));
	solid_draw(r, &p->solid, &p->wall, &model);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	for (unsigned i = 0; i < THINGS; i++) {
		const float *at = place[i];
		model = mat4_mul(mat4_translate(at[0], at[1], at[2]),
				mat4_scale(at[3], at[3], at[3]));
		model = mat4_mul(model, mat4_rotate_y(0.06 + 0.05 * frame));
		solid_draw(r, &p->solid, things[i], &model);
	}
	pica_emit_tev(&r->list, 1, NULL);
	tev_primary(r);
	pica_emit_cull(&r->list, PICA_CULL_NONE);
	pica_emit_depth_test(&r->list, false, PICA_COMPARE_ALWAYS, false, 0xF);
}

static void draw_frame(struct recorder *r, struct projector *p, unsigned frame) {
	recorder_draw_top(r);
	struct mat4 view = mat4_perspective(46 / 360.0, (double)TOP_WIDTH / SCREEN_HEIGHT, 1, 30);
	view = mat4_mul(view, mat4_mul(mat4_translate(-0.5f, -0.7f, -7.6f), mat4_rotate_x(0.075)));
	view = mat4_tilt(mat4_mul(view, mat4_rotate_y(-0.05)));
	draw_room(r, p, &view, frame);

	recorder_draw_bottom(r);
	canvas_text_centered(&p->canvas, 80, 206, 0xE8C890FF, "the slide");
	canvas_text_centered(&p->canvas, 240, 206, 0xE8C890FF, "as the projector sees it");
	canvas_draw(&p->canvas, r, BOTTOM_WIDTH);
	/* As a plain texture here: whoever draws in two dimensions gives no third component. */
	struct pica_texture plain = p->slide;
	plain.type = PICA_TEXTURE_TYPE_2D;
	tev_modulate(r);
	canvas_sprite(&p->canvas, 4, 44, 152, 152, 0, 0, SLIDE, SLIDE, 0xFFFFFFFF);
	canvas_draw_textured(&p->canvas, r, BOTTOM_WIDTH, &plain);
	view = mat4_tilt(projector_view(frame));
	recorder_viewport(r, BOTTOM_WIDTH, 164, 44, 152, 152);
	draw_room(r, p, &view, frame);
}

static int record(struct recorder *r) {
	struct projector p;
	memset(&p, 0, sizeof(p));
	int ret = canvas_init(&p.canvas, r);
	if (ret == 0) {
		ret = solid_program_create(&p.solid);
	}
	if (ret == 0) {
		store(r, &p);
	}
	for (unsigned frame = 0; ret == 0 && frame < FRAMES; frame++) {
		recorder_frame_begin(r, 0x0C0A14FF, 0x1C2030FF);
		draw_frame(r, &p, frame);
		recorder_frame_end(r);
	}
	program_destroy(&p.solid);
	canvas_finish(&p.canvas);
	return ret;
}

const struct scene scene_projector = {
	.name = "projector",
	.what = "a projected texture: a slide thrown onto a room; the room as the projector sees it",
	.frames = FRAMES,
	.record = record,
};
