/*
 * Top: a picture in each of the fourteen texture formats, on checkers where it is transparent.
 * Bottom: a floor with each filter: rows are the minification filter, columns the mip filter; in
 * the last row each level has its own colour.
 */
#include <errno.h>
#include <stdlib.h>

#include "kit.h"

enum {
	FRAMES = 1, FORMATS = 14, COLUMNS = 5, TEXELS = 64, LEVELS = 4, PANEL_WIDTH = 100,
	PANEL_HEIGHT = 62,
};

static const struct {
	const char *name; /* and bits of a texel */
	uint32_t format;
} formats[FORMATS] = {
	{ "RGBA8 32", PICA_TEXTURE_FORMAT_RGBA8 },
	{ "RGB8 24", PICA_TEXTURE_FORMAT_RGB8 },
	{ "RGB5A1 16", PICA_TEXTURE_FORMAT_RGB5A1 },
	{ "RGB565 16", PICA_TEXTURE_FORMAT_RGB565 },
	{ "RGBA4 16", PICA_TEXTURE_FORMAT_RGBA4 },
	{ "IA8 16", PICA_TEXTURE_FORMAT_IA8 },
	{ "HILO8 16", PICA_TEXTURE_FORMAT_HILO8 },
	{ "I8 8", PICA_TEXTURE_FORMAT_I8 },
	{ "A8 8", PICA_TEXTURE_FORMAT_A8 },
	{ "IA4 8", PICA_TEXTURE_FORMAT_IA4 },
	{ "I4 4", PICA_TEXTURE_FORMAT_I4 },
	{ "A4 4", PICA_TEXTURE_FORMAT_A4 },
	{ "ETC1 4", PICA_TEXTURE_FORMAT_ETC1 },
	{ "ETC1A4 8", PICA_TEXTURE_FORMAT_ETC1A4 },
};

static struct {
	struct pica_texture picture[FORMATS], tiles, levels;
	struct mesh floor;
} own;

/* ---- Textures ---- */

/* Checkers in the colour of the level that has n texels. */
static void picture_level(unsigned x, unsigned y, unsigned n, uint8_t rgba[4]) {
	static const uint8_t color[LEVELS][3] = { { 235, 90, 80 }, { 90, 200, 100 },
		{ 80, 130, 240 }, { 240, 220, 110 } };
	const unsigned level = n == 64 ? 0 : n == 32 ? 1 : n == 16 ? 2 : 3;
	const unsigned dark = (x * 4 / n + y * 4 / n) & 1;
	for (unsigned k = 0; k < 3; k++) {
		rgba[k] = (uint8_t)(color[level][k] / (1 + dark));
	}
	rgba[3] = 255;
}

/* Draws each level separately, while store_texture() would halve the first. */
static uint32_t store_levels(struct recorder *r) {
	enum { FORMAT = PICA_TEXTURE_FORMAT_RGB565 };
	static uint8_t all[TEXELS * TEXELS * 2 * 4 / 3];
	size_t at = 0;
	for (unsigned i = 0; i < LEVELS; i++) {
		const size_t size = texture_bytes(FORMAT, TEXELS >> i, 1);
		uint8_t *level = texture_create(FORMAT, TEXELS >> i, 1, picture_level);
		if (!level) {
			recorder_fail(r, -ENOMEM);
			break;
		}
		memcpy(all + at, level, size);
		at += size;
		free(level);
	}
	return recorder_store(r, all, (uint32_t)at);
}

static void store(struct recorder *r) {
	for (unsigned i = 0; i < FORMATS; i++) {
		own.picture[i] = store_texture(r, formats[i].format, TEXELS, 1, picture_sunset);
	}
	own.tiles = store_texture(r, PICA_TEXTURE_FORMAT_RGB565, TEXELS, LEVELS, picture_tiles);
	set_wrap(&own.tiles, PICA_WRAP_REPEAT);
	own.levels = own.tiles;
	own.levels.addr = store_levels(r);
	struct texture_vertex v[4];
	for (unsigned k = 0; k < 4; k++) {
		float right = k & 1 ? 12 : -12, far = k & 2 ? -24 : 0;
		v[k] = (struct texture_vertex){ .x = right, .y = -1, .z = far, .u = right / 2.5f,
			.v = far / -2.5f };
	}
	own.floor = store_textured(r, PICA_PRIMITIVE_STRIP, v, COUNT(v));
}

/* ---- Top: formats ---- */

/* A8 and A4 have no colour: use the stage's constant. */
static void use_format(struct recorder *r, uint32_t format) {
	if (format == PICA_TEXTURE_FORMAT_A8 || format == PICA_TEXTURE_FORMAT_A4) {
		TEV(r, 0, RGB1(CONSTANT), ALPHA1(TEXTURE0), .color = 0xFFFFC070);
	} else {
		tev_texture(r);
	}
}

static void draw_top(struct recorder *r, unsigned frame) {
	canvas_title(r, "one picture in fourteen texture formats");
	for (int i = 0; i < FORMATS; i++) {
		const int x = 8 + i % COLUMNS * 80, y = 14 + i / COLUMNS * 75;
		canvas_checkers(r, x, y, TEXELS, TEXELS, 8);
		canvas_label(r, x + TEXELS / 2, y + TEXELS + 2, formats[i].name);
	}
	canvas_text(r, 326, 176, 0x9098B0FF, "with its bits");
	canvas_text(r, 326, 187, 0x9098B0FF, "per texel;");
	canvas_text(r, 326, 198, 0x9098B0FF, "A8 and A4");
	canvas_text(r, 326, 209, 0x9098B0FF, "have their");
	canvas_text(r, 326, 220, 0x9098B0FF, "colour from");
	canvas_text(r, 326, 231, 0x9098B0FF, "the combiner");
	canvas_draw(r);
	blend_over(r);
	for (int i = 0; i < FORMATS; i++) {
		use_format(r, formats[i].format);
		canvas_sprite(r, 8 + i % COLUMNS * 80, 14 + i / COLUMNS * 75, TEXELS, TEXELS, 0, 0,
				TEXELS, TEXELS, 0);
		canvas_draw_textured(r, &own.picture[i]);
	}
}

/* ---- Bottom: filters ---- */

static void draw_bottom(struct recorder *r, unsigned frame) {
	static const char *const columns[3] = { "no levels", "mip nearest", "mip linear" };
	static const char *const rows[3] = { "nearest", "linear", "linear" };
	for (int i = 0; i < 9; i++) {
			const int x = 5 + i % 3 * 105, y = 14 + i / 3 * 76;
		canvas_sky(r, x, y, PANEL_WIDTH, PANEL_HEIGHT, 0x3A6AA8FF, 0xC8DCE8FF);
		canvas_text(r, x, y + PANEL_HEIGHT + 2, 0xD8DCE8FF, rows[i / 3]);
		canvas_text(r, x + PANEL_WIDTH - (int)font_width(columns[i % 3]),
				y + PANEL_HEIGHT + 2, 0x90B8E8FF, columns[i % 3]);
	}
	canvas_title(r, "minification filter and mip filter");
	canvas_draw(r);

	struct mat4 m = mat4_perspective(62 / 360.0, (double)PANEL_WIDTH / PANEL_HEIGHT, 0.2, 40);
	m = mat4_tilt(mat4_mul(m, mat4_rotate_x(0.045)));
	use_texture_program(r, m);
	tev_modulate(r);
	mesh_use(r, &own.floor);
	for (int i = 0; i < 9; i++) {
		struct pica_texture t = i < 6 ? own.tiles : own.levels;
		t.mag = t.min = i < 3 ? PICA_FILTER_NEAREST : PICA_FILTER_LINEAR;
		t.mip = i % 3 == 2 ? PICA_FILTER_LINEAR : PICA_FILTER_NEAREST;
		t.max_level = i % 3 == 0 ? 0 : LEVELS - 1;
		pica_emit_texture(&r->list, 0, &t);
		recorder_viewport(r, 5 + i % 3 * 105, 14 + i / 3 * 76, PANEL_WIDTH, PANEL_HEIGHT);
		mesh_draw_part(r, &own.floor, 0, 4);
	}
}

const struct scene scene_formats = {
	.name = "formats",
	.what = "chart of the fourteen texture formats, and of the texture filters",
	.frames = FRAMES, .has_canvas = true, .top = 0x1C2030FF, .bottom = 0x1C2030FF,
	.store = store, .draw_top = draw_top, .draw_bottom = draw_bottom,
};
