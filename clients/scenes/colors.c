/*
 * Colour formats. Top: the five formats of a framebuffer; a picture drawn once, then under twelve
 * faint veils, of which a coarse format cannot hold each, and the alpha that is left in the
 * framebuffer. Bottom: what the transfer engine makes of a picture.
 */
#include <string.h>

#include "canvas.h"
#include "recorder.h"
#include "scenes.h"
#include "texture.h"

enum {
	FRAMES = 1,
	FORMATS = 5,
	CELL = 64,
	ROWS = 4, /* of cells in a target, the last one unused: its height is a power of two */
	VEILS = 12,
	TRANSFERS = 8,
	PICTURE = 128,
	PICTURE_BYTES = PICTURE * PICTURE * 4,
	TARGET_BYTES = CELL * CELL * ROWS * 4,
	TRANSFERRED = FREE_VRAM + FORMATS * TARGET_BYTES,
};

/* Formats of targets and of textures have the same numbers. */
static const char *const names[FORMATS] = {
	[PICA_COLOR_FORMAT_RGBA8] = "RGBA8",
	[PICA_COLOR_FORMAT_RGB8] = "RGB8",
	[PICA_COLOR_FORMAT_RGB5A1] = "RGB5A1",
	[PICA_COLOR_FORMAT_RGB565] = "RGB565",
	[PICA_COLOR_FORMAT_RGBA4] = "RGBA4",
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

struct colors {
	struct canvas canvas;
	struct program textured, flat;
	struct pica_texture sunset, glow;
	uint32_t square, ramp; /* over the whole viewport */
};

static void store_shapes(struct recorder *r, struct colors *c) {
	struct texture_vertex square[4];
	struct color_vertex ramp[4];
	for (unsigned k = 0; k < 4; k++) {
		const float right = k & 1, up = k >> 1;
		square[k] = (struct texture_vertex){
			.x = 2 * right - 1, .y = 2 * up - 1, .u = right, .v = up
		};
		/* Alpha and hue grow to the right; alpha alone is stored upwards. */
		ramp[k] = color_vertex(
				2 * right - 1, 2 * up - 1, 0, k & 1 ? 0xF0C040FF : 0x4060F000);
	}
	c->square = recorder_store(r, square, sizeof(square));
	c->ramp = recorder_store(r, ramp, sizeof(ramp));
}

/* ---- The five targets ---- */

static void draw_square(struct recorder *r, const struct colors *c, const struct pica_texture *t,
		const float tint[4]) {
	struct mat4 still = mat4_identity();
	program_use(r, &c->textured);
	program_matrix(r, &c->textured, 0, "projection", &still);
	program_uniform(r, &c->textured, 0, "tint", tint, 1);
	tev_modulate(r);
	pica_emit_texture(&r->list, 0, t);
	pica_emit_texture_units(&r->list, 1, 0, false);
	use_texture_vertices(r, c->square);
	pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_STRIP, 0, 4);
}

static void draw_target(struct recorder *r, const struct colors *c, unsigned format) {
	static const float white[4] = { 1, 1, 1, 1 }, faint[4] = { 0.35f, 0.75f, 1, 0.07f };
	const struct pica_framebuffer fb = { .color_addr = FREE_VRAM + format * TARGET_BYTES,
		.color_format = format, .width = CELL, .height = ROWS * CELL };
	recorder_draw_target(r, &fb);
	pica_emit_depth_test(&r->list, false, PICA_COMPARE_ALWAYS, false, 0xF);
	pica_emit_blend(&r->list, NULL);
	pica_emit_viewport(&r->list, 0, 0, CELL, CELL);
	draw_square(r, c, &c->sunset, white);
	pica_emit_viewport(&r->list, 0, CELL, CELL, CELL);
	draw_square(r, c, &c->sunset, white);
	blend_over(r);
	for (unsigned i = 0; i < VEILS; i++) {
		draw_square(r, c, &c->glow, faint);
	}
	pica_emit_blend(&r->list, NULL);
	pica_emit_viewport(&r->list, 0, 2 * CELL, CELL, CELL);
	struct mat4 still = mat4_identity();
	program_use(r, &c->flat);
	program_matrix(r, &c->flat, 0, "projection", &still);
	tev_primary(r);
	use_color_vertices(r, c->ramp);
	pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_STRIP, 0, 4);
}

/* Row 0 was drawn at the bottom of the target. */
static void show_cell(struct recorder *r, struct colors *c, unsigned format, int row) {
	const struct pica_texture t = { .addr = FREE_VRAM + format * TARGET_BYTES, .width = CELL,
		.height = ROWS * CELL, .format = format };
	canvas_sprite(&c->canvas, 8 + (int)format * 80, 14 + row * 75, CELL, CELL, 0,
			(ROWS - 1 - row) * CELL, CELL, CELL, 0xFFFFFFFF);
	canvas_draw_textured(&c->canvas, r, TOP_WIDTH, &t);
}

static void draw_top(struct recorder *r, struct colors *c) {
	recorder_draw_top(r);
	for (int i = 0; i < FORMATS; i++) {
		const int x = 8 + i * 80;
		canvas_text_centered(&c->canvas, x + CELL / 2, 3, 0xFFC080FF, names[i]);
		canvas_text_centered(&c->canvas, x + CELL / 2, 80, 0xD8DCE8FF, "drawn");
		canvas_text_centered(&c->canvas, x + CELL / 2, 155, 0xD8DCE8FF, "12 faint veils");
		canvas_text_centered(&c->canvas, x + CELL / 2, 230, 0xD8DCE8FF, "alpha stored");
		canvas_checkers(&c->canvas, x, 14 + 150, CELL, CELL, 8);
	}
	canvas_draw(&c->canvas, r, TOP_WIDTH);
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = tev.alpha_source[0] = PICA_TEV_SOURCE_TEXTURE0;
	pica_emit_tev(&r->list, 0, &tev);
	for (unsigned i = 0; i < FORMATS; i++) {
		pica_emit_blend(&r->list, NULL);
		show_cell(r, c, i, 0);
		show_cell(r, c, i, 1);
		blend_over(r);
		show_cell(r, c, i, 2);
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

static void draw_picture(struct recorder *r, const struct colors *c) {
	static const float white[4] = { 1, 1, 1, 1 };
	const struct pica_framebuffer fb = { .color_addr = OFFSCREEN_COLOR,
		.color_format = PICA_COLOR_FORMAT_RGBA8, .width = PICTURE, .height = PICTURE };
	recorder_draw_target(r, &fb);
	draw_square(r, c, &c->sunset, white);
}

static void draw_bottom(struct recorder *r, struct colors *c) {
	enum { SIZE = 72 };
	recorder_draw_bottom(r);
	canvas_text_centered(&c->canvas, BOTTOM_WIDTH / 2, 6, 0xFFC080FF,
			"transfers of a picture of 128 x 128 in RGBA8");
	for (int i = 0; i < TRANSFERS; i++) {
		const int x = 6 + i % 4 * 79, y = 26 + i / 4 * 106;
		canvas_checkers(&c->canvas, x, y, SIZE, SIZE, 8);
		canvas_text_centered(&c->canvas, x + SIZE / 2, y + SIZE + 4, 0xD8DCE8FF,
				transfers[i].name);
	}
	canvas_draw(&c->canvas, r, BOTTOM_WIDTH);
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = tev.alpha_source[0] = PICA_TEV_SOURCE_TEXTURE0;
	pica_emit_tev(&r->list, 0, &tev);
	for (int i = 0; i < TRANSFERS; i++) {
		const uint32_t flags = transfers[i].flags;
		const bool half_x = flags & (TRANSFER_HALF_X | TRANSFER_HALF_XY);
		const bool half_y = flags & TRANSFER_HALF_XY;
		/* Half as many pixels stay half as large. */
		const int w = half_x ? SIZE / 2 : SIZE, h = half_y ? SIZE / 2 : SIZE;
		const struct pica_texture t = { .addr = TRANSFERRED + (uint32_t)i * PICTURE_BYTES,
			.width = half_x ? PICTURE / 2 : PICTURE, .height = half_y ? PICTURE / 2 :
			PICTURE,
			.format = transfers[i].texture_format, .mag = PICA_FILTER_LINEAR,
			.min = PICA_FILTER_LINEAR };
		canvas_sprite(&c->canvas, 6 + i % 4 * 79 + (SIZE - w) / 2,
				26 + i / 4 * 106 + (SIZE - h) / 2, w, h, 0, 0, (int)t.width,
				(int)t.height, 0xFFFFFFFF);
		canvas_draw_textured(&c->canvas, r, BOTTOM_WIDTH, &t);
	}
}

static void record_frame(struct recorder *r, struct colors *c) {
	store_shapes(r, c);
	recorder_store_texture(
			r, &c->sunset, PICA_TEXTURE_FORMAT_RGBA8, PICTURE, 1, picture_sunset);
	recorder_store_texture(r, &c->glow, PICA_TEXTURE_FORMAT_IA8, CELL, 1, picture_glow);
	recorder_fill(r, 0, FREE_VRAM, FORMATS * TARGET_BYTES, 0);
	recorder_frame_begin(r, 0x1C2030FF, 0x1C2030FF);
	for (unsigned i = 0; i < FORMATS; i++) {
		draw_target(r, c, i);
	}
	draw_picture(r, c);
	recorder_run(r);
	transfer_picture(r);
	draw_top(r, c);
	draw_bottom(r, c);
	recorder_frame_end(r);
}

static int record(struct recorder *r) {
	struct colors c;
	memset(&c, 0, sizeof(c));
	int ret = canvas_init(&c.canvas, r);
	if (ret == 0) {
		ret = program_create(&c.textured, "texture", texture_program_source, NULL);
	}
	if (ret == 0) {
		ret = program_create(&c.flat, "color", color_program_source, NULL);
	}
	if (ret == 0) {
		record_frame(r, &c);
	}
	program_destroy(&c.flat);
	program_destroy(&c.textured);
	canvas_finish(&c.canvas);
	return ret;
}

const struct scene scene_colors = {
	.name = "colors",
	.what = "chart of the framebuffer formats, and of the transfer engine",
	.frames = FRAMES,
	.record = record,
};
