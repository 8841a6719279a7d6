/*
 * What lies outside of a texture. Top: each of the eight wrap modes on both axes, one texel a
 * pixel; coordinates run from -1 to 2, and the texture itself is the square in the middle. Bottom:
 * modes of u (columns) and v (rows) combined, and at the right how the linear filter meets the
 * edge.
 */
#include "canvas.h"
#include "recorder.h"
#include "scenes.h"
#include "texture.h"

enum { FRAMES = 1, MODES = 8, NAMED = 4, TEXELS = 32, SMALL = 8, PANEL = 3 * TEXELS, CELL = 48 };

static const uint32_t border_color = 0xFF0080F0; /* R in the low byte: orange */

/*
 * 4 and 5 repeat below 0 and clamp above 1; 6 and 7 are as 2. They have no names of their own.
 * [fidelity: wrap]
 */
static const char *const labels[MODES] = { "0 edge", "1 border", "2 repeat", "3 mirror",
	"4 repeat | edge", "5 repeat | border", "6 repeat", "7 repeat" };

struct wrap {
	struct canvas canvas;
	struct program p;
	struct pica_texture letter, small;
};

struct panel {
	int x, y, size;
	float from, to; /* texture coordinates on both axes */
	const struct pica_texture *texture;
	uint32_t wrap_s, wrap_t;
};

static void draw_panel(struct recorder *r, const struct panel *p) {
	struct texture_vertex v[4];
	for (unsigned k = 0; k < 4; k++) {
		float right = k & 1, up = k >> 1;
		v[k] = (struct texture_vertex){ .x = (float)p->x + right * (float)p->size,
			.y = (float)p->y + (1 - up) * (float)p->size,
			.u = p->from + right * (p->to - p->from),
			.v = p->from + up * (p->to - p->from) };
	}
	struct pica_texture t = *p->texture;
	t.wrap_s = p->wrap_s;
	t.wrap_t = p->wrap_t;
	t.border = border_color;
	pica_emit_texture(&r->list, 0, &t);
	use_texture_vertices(r, recorder_store(r, v, sizeof(v)));
	pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_STRIP, 0, 4);
}

static void use_panels(struct recorder *r, const struct wrap *w, unsigned width) {
	static const float white[4] = { 1, 1, 1, 1 };
	struct mat4 m = canvas_projection(width);
	program_use(r, &w->p);
	program_matrix(r, &w->p, 0, "projection", &m);
	program_uniform(r, &w->p, 0, "tint", white, 1);
	tev_modulate(r);
	pica_emit_blend(&r->list, NULL);
}

static void draw_top(struct recorder *r, struct wrap *w) {
	recorder_draw_top(r);
	use_panels(r, w, TOP_WIDTH);
	for (unsigned i = 0; i < MODES; i++) {
		int x = 3 + (int)(i % 4) * (PANEL + 3), y = 14 + (int)(i / 4) * (PANEL + 16);
		const struct panel p = { .x = x, .y = y, .size = PANEL, .from = -1, .to = 2,
			.texture = &w->letter, .wrap_s = i, .wrap_t = i };
		draw_panel(r, &p);
		canvas_frame(&w->canvas, x + TEXELS - 1, y + TEXELS - 1, TEXELS + 2, TEXELS + 2,
				0xFFFFFFB0);
		canvas_text_centered(
				&w->canvas, x + PANEL / 2, y + PANEL + 3, 0xD8DCE8FF, labels[i]);
	}
	canvas_text_centered(&w->canvas, TOP_WIDTH / 2, 3, 0xFFC080FF,
			"wrap modes, u and v from -1 to 2; the border is orange");
	canvas_draw(&w->canvas, r, TOP_WIDTH);
}

static void draw_bottom(struct recorder *r, struct wrap *w) {
	static const char *const names[NAMED] = { "edge", "border", "repeat", "mirror" };
	recorder_draw_bottom(r);
	use_panels(r, w, BOTTOM_WIDTH);
	for (unsigned t = 0; t < NAMED; t++) {
		int y = 26 + (int)t * (CELL + 4);
		for (unsigned s = 0; s < NAMED; s++) {
			const struct panel p = { .x = 44 + (int)s * (CELL + 4),
				.y = y,
				.size = CELL,
				.from = -0.25f,
				.to = 1.25f,
				.texture = &w->letter,
				.wrap_s = s,
				.wrap_t = t };
			draw_panel(r, &p);
		}
		const struct panel p = { .x = 264,
			.y = y,
			.size = CELL,
			.from = -0.25f,
			.to = 1.25f,
			.texture = &w->small,
			.wrap_s = t,
			.wrap_t = t };
		draw_panel(r, &p);
		canvas_text(&w->canvas, 44 + (int)t * (CELL + 4) + 4, 15, 0xD8DCE8FF, names[t]);
		canvas_text(&w->canvas, 4, y + CELL / 2 - 4, 0xD8DCE8FF, names[t]);
	}
	canvas_text(&w->canvas, 44, 3, 0xFFC080FF, "u across, v down; from -1/4 to 5/4");
	canvas_text(&w->canvas, 264, 3, 0xFFC080FF, "8 x 8");
	canvas_text(&w->canvas, 264, 15, 0xD8DCE8FF, "linear");
	canvas_draw(&w->canvas, r, BOTTOM_WIDTH);
}

static int record(struct recorder *r) {
	struct wrap w;
	int ret = canvas_init(&w.canvas, r);
	if (ret == 0) {
		ret = program_create(&w.p, "texture", texture_program_source, NULL);
	}
	if (ret < 0) {
		canvas_finish(&w.canvas);
		return ret;
	}
	recorder_store_texture(r, &w.letter, PICA_TEXTURE_FORMAT_RGB565, TEXELS, 1, picture_letter);
	w.letter.mag = PICA_FILTER_NEAREST;
	w.letter.min = PICA_FILTER_NEAREST;
	recorder_store_texture(r, &w.small, PICA_TEXTURE_FORMAT_RGB565, SMALL, 1, picture_letter);
	recorder_frame_begin(r, 0x1C2030FF, 0x1C2030FF);
	pica_emit_texture_units(&r->list, 1, 0, false);
	draw_top(r, &w);
	draw_bottom(r, &w);
	recorder_frame_end(r);
	program_destroy(&w.p);
	canvas_finish(&w.canvas);
	return 0;
}

const struct scene scene_wrap = {
	.name = "wrap",
	.what = "chart of the texture wrap modes, both axes and combined, and their border colours",
	.frames = FRAMES,
	.record = record,
};
