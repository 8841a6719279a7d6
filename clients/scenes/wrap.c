/*
 * Texture coordinates outside 0..1. Top: each of the eight wrap modes on both axes, one texel a
 * pixel; coordinates run from -1 to 2, and the texture itself is the square in the middle. Bottom:
 * modes of u (columns) and v (rows) combined, and at the right the linear filter at edges.
 */
#include "kit.h"

enum { FRAMES = 1, MODES = 8, NAMED = 4, TEXELS = 32, SMALL = 8, PANEL = 3 * TEXELS, CELL = 48 };

static const uint32_t border_color = 0xFF0080F0; /* R in the low byte: orange */

/*
 * 4 and 5 repeat below 0 and clamp above 1; 6 and 7 are as 2. They have no names of their own.
 * [fidelity: wrap]
 */
static const char *const labels[MODES] = { "0 edge", "1 border", "2 repeat", "3 mirror",
	"4 repeat | edge", "5 repeat | border", "6 repeat", "7 repeat" };

static struct {
	struct pica_texture letter, small;
} own;

struct panel {
	int x, y, size;
	float from, to; /* texture coordinates on both axes */
	const struct pica_texture *texture;
	uint32_t wrap_s, wrap_t;
};

static void draw_panel(struct recorder *r, const struct panel *p) {
	const float x = (float)p->x, y = (float)p->y, size = (float)p->size;
	const struct quad q = { x, y + size, x + size, y, p->from, p->from, p->to, p->to };
	const struct mesh m = store_texture_quad(r, &q);
	struct pica_texture t = *p->texture;
	t.wrap_s = p->wrap_s;
	t.wrap_t = p->wrap_t;
	t.border = border_color;
	pica_emit_texture(&r->list, 0, &t);
	mesh_draw(r, &m);
}

static void use_panels(struct recorder *r) {
	use_texture_program(r, canvas_projection(r));
	tev_modulate(r);
	blend_off(r);
}

static void draw_top(struct recorder *r, unsigned frame) {
	use_panels(r);
	for (unsigned i = 0; i < MODES; i++) {
		int x = 3 + (int)(i % 4) * (PANEL + 3), y = 14 + (int)(i / 4) * (PANEL + 16);
		const struct panel p = { .x = x, .y = y, .size = PANEL, .from = -1, .to = 2,
			.texture = &own.letter, .wrap_s = i, .wrap_t = i };
		draw_panel(r, &p);
		canvas_frame(r, x + TEXELS - 1, y + TEXELS - 1, TEXELS + 2, TEXELS + 2, 0xFFFFFFB0);
		canvas_label(r, x + PANEL / 2, y + PANEL + 3, labels[i]);
	}
	canvas_title(r, "wrap modes, u and v from -1 to 2; the border is orange");
	canvas_draw(r);
}

static void draw_bottom(struct recorder *r, unsigned frame) {
	static const char *const names[NAMED] = { "edge", "border", "repeat", "mirror" };
	use_panels(r);
	for (unsigned t = 0; t < NAMED; t++) {
		int y = 26 + (int)t * (CELL + 4);
		for (unsigned s = 0; s < NAMED; s++) {
			const struct panel p = { 44 + (int)s * (CELL + 4), y, CELL, -0.25f, 1.25f,
				&own.letter, s, t };
			draw_panel(r, &p);
		}
		const struct panel p = { 264, y, CELL, -0.25f, 1.25f, &own.small, t, t };
		draw_panel(r, &p);
		canvas_text(r, 44 + (int)t * (CELL + 4) + 4, 15, 0xD8DCE8FF, names[t]);
		canvas_text(r, 4, y + CELL / 2 - 4, 0xD8DCE8FF, names[t]);
	}
	canvas_text(r, 44, 3, 0xFFC080FF, "u across, v down; from -1/4 to 5/4");
	canvas_text(r, 264, 3, 0xFFC080FF, "8 x 8");
	canvas_text(r, 264, 15, 0xD8DCE8FF, "linear");
	canvas_draw(r);
}

static void store(struct recorder *r) {
	own.letter = store_texture(r, PICA_TEXTURE_FORMAT_RGB565, TEXELS, 1, picture_letter);
	set_filter(&own.letter, PICA_FILTER_NEAREST);
	own.small = store_texture(r, PICA_TEXTURE_FORMAT_RGB565, SMALL, 1, picture_letter);
}

static void draw(struct recorder *r, unsigned frame) {
	use_units(r, 1);
}

const struct scene scene_wrap = {
	.name = "wrap",
	.what = "chart of the texture wrap modes, both axes and combined, and their border colours",
	.frames = FRAMES, .has_canvas = true, .top = 0x1C2030FF, .bottom = 0x1C2030FF,
	.store = store, .draw = draw, .draw_top = draw_top, .draw_bottom = draw_bottom,
};
