/*
 * The sixteen logic operations. Top: truth tables as two discs, white is 1: d, the left one, lies
 * in the framebuffer, and s, the right one, is drawn over it. Bottom: the same on bytes, of 16
 * values each; s grows to the right and d downwards in red, and in green s, in blue d the other
 * way.
 */
#include "canvas.h"
#include "recorder.h"
#include "scenes.h"
#include "texture.h"

enum {
	FRAMES = 1,
	OPS = 16,
	DISC = 64, /* texels of the disc's texture */
	LEVELS = 16,
	ZOOM = 3,
	VENN_WIDTH = 60,
	VENN_HEIGHT = 42,
};

static const char *const labels[OPS] = { "0", "s & d", "s & ~d", "s", "1", "~s", "d", "~d",
	"~(s & d)", "s | d", "~(s | d)", "s ^ d", "~(s ^ d)", "~s & d", "s | ~d", "~s | d" };

static void set_gray(uint8_t rgba[4], unsigned value) {
	rgba[0] = rgba[1] = rgba[2] = (uint8_t)value;
	rgba[3] = 255;
}

static void picture_disc(unsigned x, unsigned y, unsigned n, uint8_t rgba[4]) {
	const int dx = 2 * (int)x + 1 - (int)n, dy = 2 * (int)y + 1 - (int)n;
	set_gray(rgba, dx * dx + dy * dy <= 34 * 34 ? 255 : 0);
}

static void picture_ring(unsigned x, unsigned y, unsigned n, uint8_t rgba[4]) {
	const int dx = 2 * (int)x + 1 - (int)n, dy = 2 * (int)y + 1 - (int)n;
	const int d = dx * dx + dy * dy;
	set_gray(rgba, 255);
	rgba[3] = d <= 35 * 35 && d > 32 * 32 ? 255 : 0;
}

static void picture_source(unsigned x, unsigned y, unsigned n, uint8_t rgba[4]) {
	(void)y;
	set_gray(rgba, x * 17);
	rgba[1] = (uint8_t)((n - 1 - x) * 17);
}

static void picture_destination(unsigned x, unsigned y, unsigned n, uint8_t rgba[4]) {
	(void)x;
	set_gray(rgba, y * 17);
	rgba[2] = (uint8_t)((n - 1 - y) * 17);
}

struct logic {
	struct canvas canvas;
	struct pica_texture disc, ring, source, destination;
};

static void store_textures(struct recorder *r, struct logic *l) {
	recorder_store_texture(r, &l->disc, PICA_TEXTURE_FORMAT_I4, DISC, 1, picture_disc);
	recorder_store_texture(r, &l->ring, PICA_TEXTURE_FORMAT_A4, DISC, 1, picture_ring);
	recorder_store_texture(r, &l->source, PICA_TEXTURE_FORMAT_RGBA4, LEVELS, 1, picture_source);
	recorder_store_texture(r, &l->destination, PICA_TEXTURE_FORMAT_RGBA4, LEVELS, 1,
			picture_destination);
	struct pica_texture *const all[4] = { &l->disc, &l->ring, &l->source, &l->destination };
	for (unsigned i = 0; i < 4; i++) {
		all[i]->mag = PICA_FILTER_NEAREST;
		all[i]->min = PICA_FILTER_NEAREST;
		all[i]->wrap_s = PICA_WRAP_CLAMP_TO_BORDER;
		all[i]->wrap_t = PICA_WRAP_CLAMP_TO_BORDER;
	}
	l->disc.border = 0xFF000000; /* outside of the disc is 0, but opaque */
}

/* Stage 0: the texture as it is. */
static void tev_texture(struct recorder *r) {
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = tev.alpha_source[0] = PICA_TEV_SOURCE_TEXTURE0;
	pica_emit_tev(&r->list, 0, &tev);
}

/* Disc or ring of cell i, its middle 8 pixels beside that of the cell. */
static void add_disc(struct canvas *c, unsigned i, int aside, uint32_t color) {
	const int x = 20 + (int)(i % 4) * 98, y = 18 + (int)(i / 4) * 56;
	canvas_sprite(c, x, y, VENN_WIDTH, VENN_HEIGHT, DISC / 2 - VENN_WIDTH / 2 - aside,
			DISC / 2 - VENN_HEIGHT / 2, VENN_WIDTH, VENN_HEIGHT, color);
}

/* One quad with each. */
static void draw_operations(struct recorder *r, struct canvas *c, unsigned width,
		const struct pica_texture *t) {
	canvas_use(c, r, width, t);
	for (unsigned i = 0; i < OPS; i++) {
		pica_emit_logic_op(&r->list, i);
		canvas_draw_quads(c, r, i, 1);
	}
}

static void draw_top(struct recorder *r, struct logic *l) {
	struct canvas *c = &l->canvas;
	recorder_draw_top(r);
	tev_texture(r);
	for (unsigned i = 0; i < OPS; i++) {
		add_disc(c, i, -9, 0);
	}
	canvas_draw_textured(c, r, TOP_WIDTH, &l->disc);
	for (unsigned i = 0; i < OPS; i++) {
		add_disc(c, i, 9, 0);
	}
	draw_operations(r, c, TOP_WIDTH, &l->disc);
	/* Outlines. */
	for (unsigned i = 0; i < OPS; i++) {
		add_disc(c, i, -9, 0xFF9040FF);
		add_disc(c, i, 9, 0x40A0FFFF);
	}
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = PICA_TEV_SOURCE_PRIMARY;
	tev.alpha_source[0] = PICA_TEV_SOURCE_TEXTURE0;
	pica_emit_tev(&r->list, 0, &tev);
	blend_over(r);
	canvas_draw_textured(c, r, TOP_WIDTH, &l->ring);
	for (unsigned i = 0; i < OPS; i++) {
		int x = 20 + (int)(i % 4) * 98, y = 18 + (int)(i / 4) * 56;
		canvas_text_centered(
				c, x + VENN_WIDTH / 2, y + VENN_HEIGHT + 3, 0xD8DCE8FF, labels[i]);
		canvas_frame(c, x - 1, y - 1, VENN_WIDTH + 2, VENN_HEIGHT + 2, 0x606880FF);
	}
	canvas_text(c, 84, 4, 0xFF9040FF, "d in the framebuffer");
	canvas_text(c, 210, 4, 0x40A0FFFF, "s drawn over it");
	canvas_draw(c, r, TOP_WIDTH);
}

static void draw_bottom(struct recorder *r, struct logic *l) {
	enum { SIZE = LEVELS * ZOOM };
	struct canvas *c = &l->canvas;
	recorder_draw_bottom(r);
	tev_texture(r);
	pica_emit_blend(&r->list, NULL);
	for (unsigned i = 0; i < OPS; i++) {
		canvas_sprite(c, 16 + (int)(i % 4) * 80, 2 + (int)(i / 4) * 60, SIZE, SIZE, 0, 0,
				LEVELS, LEVELS, 0);
	}
	canvas_draw_textured(c, r, BOTTOM_WIDTH, &l->destination);
	for (unsigned i = 0; i < OPS; i++) {
		int x = 16 + (int)(i % 4) * 80, y = 2 + (int)(i / 4) * 60;
		canvas_sprite(c, x, y, SIZE, SIZE, 0, 0, LEVELS, LEVELS, 0);
	}
	draw_operations(r, c, BOTTOM_WIDTH, &l->source);
	for (unsigned i = 0; i < OPS; i++) {
		int x = 16 + (int)(i % 4) * 80, y = 2 + (int)(i / 4) * 60;
		canvas_text_centered(c, x + SIZE / 2, y + SIZE + 2, 0xD8DCE8FF, labels[i]);
	}
	canvas_draw(c, r, BOTTOM_WIDTH);
}

static int record(struct recorder *r) {
	struct logic l;
	int ret = canvas_init(&l.canvas, r);
	if (ret == 0) {
		store_textures(r, &l);
		recorder_frame_begin(r, 0x1C2030FF, 0x1C2030FF);
		pica_emit_blend(&r->list, NULL);
		draw_top(r, &l);
		draw_bottom(r, &l);
		recorder_frame_end(r);
	}
	canvas_finish(&l.canvas);
	return ret;
}

const struct scene scene_logic = {
	.name = "logic",
	.what = "chart of the sixteen logic operations, on single bits and on bytes",
	.frames = FRAMES,
	.record = record,
};
