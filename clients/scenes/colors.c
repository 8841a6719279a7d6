/*
 * Colour formats. Top: the five formats of a framebuffer; a picture drawn once, then under twelve
 * faint veils (too fine for coarse formats), and the resulting alpha in the framebuffer. Bottom:
 * outputs of the transfer engine.
 */
#include "kit.h"

enum {
	FRAMES = 1,
	FORMATS = 5,
	CELL = 64,
	ROWS = 4, /* cells in a target, the last one unused, as the height is a power of two */
	VEILS = 12,
	TRANSFERS = 8,
	PICTURE = 128,
	PICTURE_BYTES = PICTURE * PICTURE * 4,
	TARGET_BYTES = CELL * CELL * ROWS * 4, TRANSFERRED = FREE_VRAM + FORMATS * TARGET_BYTES,
};

/* Formats of targets and textures have equal numbers. */
static const char *const names[FORMATS] = {
	[PICA_COLOR_FORMAT_RGBA8] = "RGBA8",
	[PICA_COLOR_FORMAT_RGB8] = "RGB8",
	[PICA_COLOR_FORMAT_RGB5A1] = "RGB5A1",
	[PICA_COLOR_FORMAT_RGB565] = "RGB565", [PICA_COLOR_FORMAT_RGBA4] = "RGBA4",
};

static const struct {
	const char *name;
	uint32_t format, texture_format, flags;
} transfers[TRANSFERS] = {
	{ "to RGB8", TRANSFER_RGB8, PICA_TEXTURE_FORMAT_RGB8, 0 },
	{ "to RGB565", TRANSFER_RGB565, PICA_TEXTURE_FORMAT_RGB565, 0 },
	{ "to RGB5A1", TRANSFER_RGB5A1, PICA_TEXTURE_FORMAT_RGB5A1, 0 },
	{ "to RGBA4", TRANSFER_RGBA4, PICA_TEXTURE_FORMAT_RGBA4, 0 },
	{ "flipped", TRANSFER_RGBA8, PICA_TEXTURE_FORMAT_RGBA8, TRANSFER_FLIP },
	{ "half as wide", TRANSFER_RGBA8, PICA_TEXTURE_FORMAT_RGBA8, TRANSFER_HALF_X },
	{ "half", TRANSFER_RGBA8, PICA_TEXTURE_FORMAT_RGBA8, TRANSFER_HALF_XY },
	{ "half, RGB565", TRANSFER_RGB565, PICA_TEXTURE_FORMAT_RGB565, TRANSFER_HALF_XY },
};

static struct {
	struct pica_texture sunset, glow;
	struct mesh square, ramp;
} own;

static void store(struct recorder *r) {
	static const struct quad square = { -1, -1, 1, 1, 0, 0, 1, 1 };
	/* Alpha and hue grow to the right; alpha alone is stored upwards. */
	static const uint32_t ramp[4] = { 0x4060F000, 0xF0C040FF, 0x4060F000, 0xF0C040FF };
	own.square = store_texture_quad(r, &square);
	own.ramp = store_color_quad(r, -1, -1, 1, 1, ramp);
	own.sunset = store_texture(r, PICA_TEXTURE_FORMAT_RGBA8, PICTURE, 1, picture_sunset);
	own.glow = store_texture(r, PICA_TEXTURE_FORMAT_IA8, CELL, 1, picture_glow);
	recorder_fill(r, 0, FREE_VRAM, FORMATS * TARGET_BYTES, 0);
}

/* ---- The five targets ---- */

static const float white[4] = { 1, 1, 1, 1 };

static void draw_square(struct recorder *r, const struct pica_texture *t, const float tint[4]) {
	use_projected(r, texture_program, mat4_identity());
	set_uniform(r, "tint", tint, 1);
	tev_modulate(r);
	use_texture(r, t);
	mesh_draw(r, &own.square);
}

static void draw_target(struct recorder *r, unsigned format) {
	static const float faint[4] = { 0.35f, 0.75f, 1, 0.07f };
	const struct pica_framebuffer fb = { .color_addr = FREE_VRAM + format * TARGET_BYTES,
		.color_format = format, .width = CELL, .height = ROWS * CELL };
	recorder_draw_target(r, &fb);
	depth_off(r);
	blend_off(r);
	pica_emit_viewport(&r->list, 0, 0, CELL, CELL);
	draw_square(r, &own.sunset, white);
	pica_emit_viewport(&r->list, 0, CELL, CELL, CELL);
	draw_square(r, &own.sunset, white);
	blend_over(r);
	for (unsigned i = 0; i < VEILS; i++) {
		draw_square(r, &own.glow, faint);
	}
	blend_off(r);
	pica_emit_viewport(&r->list, 0, 2 * CELL, CELL, CELL);
	use_color_program(r, mat4_identity());
	tev_primary(r);
	mesh_draw(r, &own.ramp);
}

/* Row 0 was drawn at the bottom of the target. */
static void show_cell(struct recorder *r, unsigned format, int row) {
	const struct pica_texture t = texture_at(
			FREE_VRAM + format * TARGET_BYTES, CELL, ROWS * CELL, format, 0);
	canvas_sprite(r, 8 + (int)format * 80, 14 + row * 75, CELL, CELL, 0,
			(ROWS - 1 - row) * CELL, CELL, CELL, 0xFFFFFFFF);
	canvas_draw_textured(r, &t);
}

static void draw_top(struct recorder *r, unsigned frame) {
	for (int i = 0; i < FORMATS; i++) {
		const int x = 8 + i * 80;
		canvas_text_centered(r, x + CELL / 2, 3, 0xFFC080FF, names[i]);
		canvas_label(r, x + CELL / 2, 80, "drawn");
		canvas_label(r, x + CELL / 2, 155, "12 faint veils");
		canvas_label(r, x + CELL / 2, 230, "alpha stored");
		canvas_checkers(r, x, 14 + 150, CELL, CELL, 8);
	}
	canvas_draw(r);
	tev_texture(r);
	for (unsigned i = 0; i < FORMATS; i++) {
		blend_off(r);
		show_cell(r, i, 0);
		show_cell(r, i, 1);
		blend_over(r);
		show_cell(r, i, 2);
	}
}

/* ---- The transfer engine ---- */

static void transfer_picture(struct recorder *r) {
	for (unsigned i = 0; i < TRANSFERS; i++) {
		const struct recorder_transfer t = { .from = OFFSCREEN_COLOR,
			.to = TRANSFERRED + i * PICTURE_BYTES, .width = PICTURE, .height = PICTURE,
			.from_format = TRANSFER_RGBA8, .to_format = transfers[i].format,
			.flags = transfers[i].flags | TRANSFER_TILED };
		recorder_transfer(r, &t);
	}
}

static void draw_bottom(struct recorder *r, unsigned frame) {
	enum { SIZE = 72 };
	canvas_text_centered(r, BOTTOM_WIDTH / 2, 6, 0xFFC080FF,
			"transfers of a picture of 128 x 128 in RGBA8");
	for (int i = 0; i < TRANSFERS; i++) {
		const int x = 6 + i % 4 * 79, y = 26 + i / 4 * 106;
		canvas_checkers(r, x, y, SIZE, SIZE, 8);
		canvas_label(r, x + SIZE / 2, y + SIZE + 4, transfers[i].name);
	}
	canvas_draw(r);
	tev_texture(r);
	for (int i = 0; i < TRANSFERS; i++) {
		const uint32_t flags = transfers[i].flags;
		const bool half_x = flags & (TRANSFER_HALF_X | TRANSFER_HALF_XY);
		const bool half_y = flags & TRANSFER_HALF_XY;
		/* Scaled pictures are shown at their size. */
		const int w = half_x ? SIZE / 2 : SIZE, h = half_y ? SIZE / 2 : SIZE;
		const struct pica_texture t = texture_at(TRANSFERRED + (uint32_t)i * PICTURE_BYTES,
				half_x ? PICTURE / 2 : PICTURE, half_y ? PICTURE / 2 : PICTURE,
				transfers[i].texture_format, PICA_FILTER_LINEAR);
		canvas_sprite(r, 6 + i % 4 * 79 + (SIZE - w) / 2, 26 + i / 4 * 106 + (SIZE - h) / 2,
				w, h, 0, 0, (int)t.width, (int)t.height, 0xFFFFFFFF);
		canvas_draw_textured(r, &t);
	}
}

static void draw(struct recorder *r, unsigned frame) {
	for (unsigned i = 0; i < FORMATS; i++) {
		draw_target(r, i);
	}
	recorder_draw_square(r, OFFSCREEN_COLOR, PICTURE);
	draw_square(r, &own.sunset, white);
	recorder_run(r);
	transfer_picture(r);
}

const struct scene scene_colors = {
	.name = "colors",
	.what = "chart of the framebuffer formats, and of the transfer engine",
	.frames = FRAMES, .has_canvas = true, .top = 0x1C2030FF, .bottom = 0x1C2030FF,
	.store = store, .draw = draw, .draw_top = draw_top, .draw_bottom = draw_bottom,
};
