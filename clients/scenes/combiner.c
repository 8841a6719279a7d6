/*
 * One stage of the texture combiner. Top: its three arguments, then the ten operations on them, and
 * the scales. Bottom: the operands applied to a texture, in colour and in alpha.
 */
#include "kit.h"

enum {
	FRAMES = 1, TEXELS = 64, COLUMNS = 5, CELLS = 15, OPERANDS = 18, RGB_OPERANDS = 10,
	TILE_WIDTH = 48, TILE_HEIGHT = 64,
};

enum argument { TEXTURE, COLOR, RAMP, NORMALS, LIGHT };

/* Row by row. */
static const struct cell {
	const char *name;
	uint32_t op, scale;
	enum argument argument[3];
} cells[CELLS] = {
	{ "a: a texture", PICA_TEV_OP_REPLACE, PICA_TEV_SCALE_X1, { TEXTURE, COLOR, RAMP } },
	{ "b: colours", PICA_TEV_OP_REPLACE, PICA_TEV_SCALE_X1, { COLOR, COLOR, RAMP } },
	{ "c: an alpha", PICA_TEV_OP_REPLACE, PICA_TEV_SCALE_X1, { RAMP, COLOR, RAMP } },
	{ "a * b", PICA_TEV_OP_MODULATE, PICA_TEV_SCALE_X1, { TEXTURE, COLOR, RAMP } },
	{ "a + b", PICA_TEV_OP_ADD, PICA_TEV_SCALE_X1, { TEXTURE, COLOR, RAMP } },
	{ "a + b - 1/2", PICA_TEV_OP_ADD_SIGNED, PICA_TEV_SCALE_X1, { TEXTURE, COLOR, RAMP } },
	{ "a c + b (1 - c)", PICA_TEV_OP_INTERPOLATE, PICA_TEV_SCALE_X1, { TEXTURE, COLOR, RAMP } },
	{ "a - b", PICA_TEV_OP_SUBTRACT, PICA_TEV_SCALE_X1, { TEXTURE, COLOR, RAMP } },
	{ "a * b + c", PICA_TEV_OP_MULTIPLY_ADD, PICA_TEV_SCALE_X1, { TEXTURE, COLOR, RAMP } },
	{ "(a + b) * c", PICA_TEV_OP_ADD_MULTIPLY, PICA_TEV_SCALE_X1, { TEXTURE, COLOR, RAMP } },
	{ "normals", PICA_TEV_OP_REPLACE, PICA_TEV_SCALE_X1, { NORMALS, LIGHT, RAMP } },
	{ "dot3, to colour", PICA_TEV_OP_DOT3_RGB, PICA_TEV_SCALE_X1, { NORMALS, LIGHT, RAMP } },
	{ "dot3, to alpha too", PICA_TEV_OP_DOT3_RGBA, PICA_TEV_SCALE_X1,
			{ NORMALS, LIGHT, RAMP } },
	{ "a * b, times 2", PICA_TEV_OP_MODULATE, PICA_TEV_SCALE_X2, { TEXTURE, COLOR, RAMP } },
	{ "a * b, times 4", PICA_TEV_OP_MODULATE, PICA_TEV_SCALE_X4, { TEXTURE, COLOR, RAMP } },
};

static const struct {
	const char *name;
	uint32_t operand;
} operands[OPERANDS] = {
	{ "rgb", PICA_TEV_OPERAND_RGB_COLOR },
	{ "1 - rgb", PICA_TEV_OPERAND_RGB_ONE_MINUS_COLOR },
	{ "a", PICA_TEV_OPERAND_RGB_ALPHA },
	{ "1 - a", PICA_TEV_OPERAND_RGB_ONE_MINUS_ALPHA },
	{ "r", PICA_TEV_OPERAND_RGB_RED },
	{ "1 - r", PICA_TEV_OPERAND_RGB_ONE_MINUS_RED },
	{ "g", PICA_TEV_OPERAND_RGB_GREEN },
	{ "1 - g", PICA_TEV_OPERAND_RGB_ONE_MINUS_GREEN },
	{ "b", PICA_TEV_OPERAND_RGB_BLUE },
	{ "1 - b", PICA_TEV_OPERAND_RGB_ONE_MINUS_BLUE },
	{ "a", PICA_TEV_OPERAND_ALPHA_ALPHA },
	{ "1 - a", PICA_TEV_OPERAND_ALPHA_ONE_MINUS_ALPHA },
	{ "r", PICA_TEV_OPERAND_ALPHA_RED },
	{ "1 - r", PICA_TEV_OPERAND_ALPHA_ONE_MINUS_RED },
	{ "g", PICA_TEV_OPERAND_ALPHA_GREEN },
	{ "1 - g", PICA_TEV_OPERAND_ALPHA_ONE_MINUS_GREEN },
	{ "b", PICA_TEV_OPERAND_ALPHA_BLUE },
	{ "1 - b", PICA_TEV_OPERAND_ALPHA_ONE_MINUS_BLUE },
};

/* Normals of a pyramid with a round boss; a normal is stored as 128 + 127 n. */
static void picture_normals(unsigned px, unsigned py, unsigned n, uint8_t rgba[4]) {
	const int x = 2 * (int)px + 1 - (int)n, y = (int)n - 2 * (int)py - 1;
	int normal[3] = { 0, 0, 127 };
	if (x * x + y * y < 32 * 32) {
		/* x and y are in 32nds of the radius; z grows towards the middle. */
		normal[0] = x * 110 / 32;
		normal[1] = y * 110 / 32;
		normal[2] = 127 - (x * x + y * y) / 14;
	} else if (x * x > 44 * 44 || y * y > 44 * 44) {
		const int is_side = x * x > y * y;
		normal[0] = is_side ? (x > 0 ? 90 : -90) : 0;
		normal[1] = is_side ? 0 : (y > 0 ? 90 : -90);
		normal[2] = 90;
	}
	for (unsigned k = 0; k < 3; k++) {
		rgba[k] = (uint8_t)(128 + normal[k]);
	}
	rgba[3] = 255;
}

static struct {
	struct pica_texture sunset, normals;
} own;

static void use_cell(struct recorder *r, const struct cell *cell) {
	static const uint32_t sources[] = { [TEXTURE] = PICA_TEV_SOURCE_TEXTURE0,
		[NORMALS] = PICA_TEV_SOURCE_TEXTURE0, [COLOR] = PICA_TEV_SOURCE_PRIMARY,
		[RAMP] = PICA_TEV_SOURCE_PRIMARY, [LIGHT] = PICA_TEV_SOURCE_CONSTANT };
	/* From the upper left towards the viewer: (-0.5, 0.6, 0.6), stored like a normal. */
	struct pica_tev tev = { ALPHA1(TEXTURE0), .rgb_op = cell->op, .rgb_scale = cell->scale,
		.color = 0xFF000000 | 204u << 16 | 204u << 8 | 64u };
	for (unsigned k = 0; k < 3; k++) {
		tev.rgb_source[k] = sources[cell->argument[k]];
		tev.rgb_operand[k] = cell->argument[k] == RAMP ? PICA_TEV_OPERAND_RGB_ALPHA : 0;
	}
	pica_emit_tev(&r->list, 0, &tev);
}

static void draw_top(struct recorder *r, unsigned frame) {
	/* Alpha is 255 above and 0 below. */
	static const uint32_t corners[4] = { 0xFF4040FF, 0x40FF60FF, 0x6060FF00, 0xFFF04000 };
	canvas_title(r, "the operations of a combiner stage, with arguments a, b, c");
	for (int i = 0; i < CELLS; i++) {
		const int x = 8 + i % COLUMNS * 80, y = 14 + i / COLUMNS * 75;
		canvas_checkers(r, x, y, TEXELS, TEXELS, 8);
		canvas_label(r, x + TEXELS / 2, y + TEXELS + 2, cells[i].name);
	}
	canvas_draw(r);
	for (int i = 0; i < CELLS; i++) {
		canvas_sprite(r, 8 + i % COLUMNS * 80, 14 + i / COLUMNS * 75, TEXELS, TEXELS, 0, 0,
				TEXELS, TEXELS, 0);
		canvas_corners(r, corners);
	}
	canvas_use(r, &own.sunset);
	for (unsigned i = 0; i < CELLS; i++) {
		const bool is_normals = cells[i].argument[0] == NORMALS;
		pica_emit_texture(&r->list, 0, is_normals ? &own.normals : &own.sunset);
		use_cell(r, &cells[i]);
		canvas_draw_quads(r, i, 1);
	}
}

/* The first operands show an opaque colour; the others show white with an alpha. */
static void use_operand(struct recorder *r, unsigned i) {
	if (i < RGB_OPERANDS) {
		TEV(r, 0, RGB1(TEXTURE0), ALPHA1(CONSTANT), .rgb_operand = { operands[i].operand },
				.color = 0xFFFFFFFF);
	} else {
		TEV(r, 0, RGB1(CONSTANT), ALPHA1(TEXTURE0),
				.alpha_operand = { operands[i].operand }, .color = 0xFFFFFFFF);
	}
}

static void draw_bottom(struct recorder *r, unsigned frame) {
	for (int i = 0; i < OPERANDS; i++) {
		const int x = 3 + i % 6 * 53, y = 3 + i / 6 * 80;
		canvas_checkers(r, x, y, TILE_WIDTH, TILE_HEIGHT, 8);
		canvas_text_centered(r, x + TILE_WIDTH / 2, y + TILE_HEIGHT + 3,
				i < RGB_OPERANDS ? 0xFFC080FF : 0x90B8E8FF, operands[i].name);
	}
	canvas_draw(r);
	for (int i = 0; i < OPERANDS; i++) {
		canvas_sprite(r, 3 + i % 6 * 53, 3 + i / 6 * 80, TILE_WIDTH, TILE_HEIGHT, 0, 0,
				TEXELS, TEXELS, 0);
	}
	canvas_use(r, &own.sunset);
	for (unsigned i = 0; i < OPERANDS; i++) {
		use_operand(r, i);
		canvas_draw_quads(r, i, 1);
	}
}

static void store(struct recorder *r) {
	own.sunset = store_texture(r, PICA_TEXTURE_FORMAT_RGBA8, TEXELS, 1, picture_sunset);
	own.normals = store_texture(r, PICA_TEXTURE_FORMAT_RGB8, TEXELS, 1, picture_normals);
}

const struct scene scene_combiner = {
	.name = "combiner",
	.what = "chart of the combiner's operations, scales and operands",
	.frames = FRAMES, .has_canvas = true, .top = 0x1C2030FF, .bottom = 0x1C2030FF,
	.store = store, .draw_top = draw_top, .draw_bottom = draw_bottom,
};
