/*
 * Blending. Top: every source factor (columns) with every destination factor (rows), added. In each
 * cell the destination grows to the right, from transparent black to blue, and the source grows
 * downwards, from transparent black to orange. Bottom: uses of factors and equations: a wheel of
 * colours over a picture.
 */
#include "kit.h"

enum {
	FRAMES = 1, FACTORS = 15, CELL_WIDTH = 22, CELL_HEIGHT = 12, GRID_X = 33, GRID_Y = 25,
	MODES = 12, TEXELS = 64,
};

/* By number. [fidelity: blending] */
static const char *const factor_names[FACTORS] = { "0", "1", "sc", "1-sc", "dc", "1-dc", "sa",
	"1-sa", "da", "1-da", "cc", "1-cc", "ca", "1-ca", "sat" };

static const uint32_t constant = 0x8060E0A0; /* R in the low byte */

#define MODE(name, equation, src, dst) \
	{ name, PICA_BLEND_EQ_##equation, PICA_BLEND_FACTOR_##src, PICA_BLEND_FACTOR_##dst }

static const struct {
	const char *name;
	uint32_t equation, src, dst;
} modes[MODES] = {
	MODE("over", ADD, SRC_ALPHA, ONE_MINUS_SRC_ALPHA),
	MODE("premultiplied", ADD, ONE, ONE_MINUS_SRC_ALPHA),
	MODE("add", ADD, ONE, ONE),
	MODE("multiply", ADD, DST_COLOR, ZERO),
	MODE("screen", ADD, ONE, ONE_MINUS_SRC_COLOR),
	MODE("exclude", ADD, ONE_MINUS_DST_COLOR, ONE_MINUS_SRC_COLOR),
	MODE("s - d", SUBTRACT, ONE, ONE),
	MODE("d - s", REVERSE_SUBTRACT, ONE, ONE),
	MODE("min", MIN, ONE, ONE),
	MODE("max", MAX, ONE, ONE),
	MODE("half by constant", ADD, CONSTANT_ALPHA, ONE_MINUS_CONSTANT_ALPHA),
	MODE("2 s d", ADD, DST_COLOR, SRC_COLOR),
};

static struct {
	struct pica_texture sunset, wheel;
} own;

/* One of three ramps around the circle, from 0 to 255. */
static uint8_t hue_channel(int x, int y, unsigned k) {
	static const int axis[3][2] = { { 0, -128 }, { 111, 64 }, { -111, 64 } };
	const int dot = (x * axis[k][0] + y * axis[k][1]) / 14;
	return (uint8_t)(dot < -128 ? 0 : dot > 127 ? 255 : dot + 128);
}

/* A disc of colours that fades at its rim, on transparent black. */
static void picture_wheel(unsigned px, unsigned py, unsigned n, uint8_t rgba[4]) {
	const int x = 2 * (int)px + 1 - (int)n, y = 2 * (int)py + 1 - (int)n;
	const int d = x * x + y * y, fade = 255 - (d - 26 * 26) / 6;
	const int alpha = fade < 0 ? 0 : fade > 255 ? 255 : fade;
	for (unsigned k = 0; k < 3; k++) {
		rgba[k] = (uint8_t)(hue_channel(x, y, k) * alpha / 255);
	}
	rgba[3] = (uint8_t)alpha;
}

static void set_blend(struct recorder *r, uint32_t equation, uint32_t src, uint32_t dst) {
	const struct pica_blend b = { .rgb_equation = equation, .rgb_src = src, .rgb_dst = dst,
		.alpha_src = PICA_BLEND_FACTOR_ONE, .alpha_dst = PICA_BLEND_FACTOR_ZERO,
		.color = constant };
	pica_emit_blend(&r->list, &b);
}

static void draw_top(struct recorder *r, unsigned frame) {
	static const uint32_t destination[4] = { 0, 0x3C8CFFFF, 0, 0x3C8CFFFF };
	static const uint32_t source[4] = { 0, 0, 0xFF9628FF, 0xFF9628FF };
	for (unsigned i = 0; i < FACTORS; i++) {
		const int x = GRID_X + (int)i * (CELL_WIDTH + 2),
			  y = GRID_Y + (int)i * (CELL_HEIGHT + 2);
		canvas_text_centered(r, x + CELL_WIDTH / 2, GRID_Y - 11, 0xFFB868FF,
				factor_names[i]);
		canvas_text(r, GRID_X - 3 - (int)font_width(factor_names[i]), y + 2, 0x70B0FFFF,
				factor_names[i]);
	}
	canvas_text(r, GRID_X, 3, 0xFFB868FF, "source factors across, s grows down");
	canvas_text(r, 200, 3, 0x70B0FFFF, "destination factors down, d grows right");
	canvas_draw(r);

	tev_primary(r);
	blend_off(r);
	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < FACTORS * FACTORS; i++) {
			canvas_gradient(r, GRID_X + (int)(i % FACTORS) * (CELL_WIDTH + 2),
					GRID_Y + (int)(i / FACTORS) * (CELL_HEIGHT + 2), CELL_WIDTH,
					CELL_HEIGHT, pass ? source : destination);
		}
	}
	canvas_use(r, &r->canvas.font);
	canvas_draw_quads(r, 0, FACTORS * FACTORS);
	for (unsigned i = 0; i < FACTORS * FACTORS; i++) {
		set_blend(r, PICA_BLEND_EQ_ADD, i % FACTORS, i / FACTORS);
		canvas_draw_quads(r, FACTORS * FACTORS + i, 1);
	}
}

static void draw_bottom(struct recorder *r, unsigned frame) {
	enum { WIDTH = 76, HEIGHT = 68 };
	tev_texture(r);
	blend_off(r);
	for (int i = 0; i < MODES; i++) {
		canvas_sprite(r, 2 + i % 4 * 80, 2 + i / 4 * 80, WIDTH, HEIGHT, 0, 0, TEXELS,
				TEXELS, 0);
	}
	canvas_draw_textured(r, &own.sunset);
	for (int i = 0; i < MODES; i++) {
		canvas_sprite(r, 2 + i % 4 * 80 + 6, 2 + i / 4 * 80 + 2, TEXELS, TEXELS, 0, 0,
				TEXELS, TEXELS, 0);
	}
	canvas_use(r, &own.wheel);
	for (unsigned i = 0; i < MODES; i++) {
		set_blend(r, modes[i].equation, modes[i].src, modes[i].dst);
		canvas_draw_quads(r, i, 1);
	}
	for (int i = 0; i < MODES; i++) {
		canvas_label(r, 2 + i % 4 * 80 + WIDTH / 2, 2 + i / 4 * 80 + HEIGHT + 2,
				modes[i].name);
	}
	canvas_draw(r);
}

static void store(struct recorder *r) {
	own.sunset = store_texture(r, PICA_TEXTURE_FORMAT_RGBA8, TEXELS, 1, picture_sunset);
	own.wheel = store_texture(r, PICA_TEXTURE_FORMAT_RGBA8, TEXELS, 1, picture_wheel);
}

const struct scene scene_blend = {
	.name = "blend",
	.what = "chart of all pairs of blend factors, and of the usual ways to blend",
	.frames = FRAMES, .has_canvas = true, .top = 0x14161CFF, .bottom = 0x14161CFF,
	.store = store, .draw_top = draw_top, .draw_bottom = draw_bottom,
};
