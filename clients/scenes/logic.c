/*
 * The sixteen logic operations. Top: truth tables as two discs (white is 1): d, the left one, is in
 * the framebuffer, and s, the right one, is drawn over it. Bottom: the same on bytes, with 16
 * values each. In red, s grows to the right and d downwards; s is reversed in green, and d in blue.
 */
#include "kit.h"

enum {
	FRAMES = 1, OPS = 16,
	DISC = 64, /* texels of the disc's texture */
	LEVELS = 16, SIZE = LEVELS * 3, VENN_WIDTH = 60, VENN_HEIGHT = 42,
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

static struct {
	struct pica_texture disc, ring, source, destination;
} own;

static void store(struct recorder *r) {
	own.disc = store_texture(r, PICA_TEXTURE_FORMAT_I4, DISC, 1, picture_disc);
	own.ring = store_texture(r, PICA_TEXTURE_FORMAT_A4, DISC, 1, picture_ring);
	own.source = store_texture(r, PICA_TEXTURE_FORMAT_RGBA4, LEVELS, 1, picture_source);
	own.destination = store_texture(r, PICA_TEXTURE_FORMAT_RGBA4, LEVELS, 1,
			picture_destination);
	struct pica_texture *const all[4] = { &own.disc, &own.ring, &own.source, &own.destination };
	for (unsigned i = 0; i < 4; i++) {
		set_filter(all[i], PICA_FILTER_NEAREST);
		set_wrap(all[i], PICA_WRAP_CLAMP_TO_BORDER);
	}
	own.disc.border = 0xFF000000; /* 0, but opaque, outside the disc */
}

/* Disc or ring of cell i, its centre aside pixels from that of the cell. */
static void add_disc(struct recorder *r, unsigned i, int aside, uint32_t color) {
	const int x = 20 + (int)(i % 4) * 98, y = 18 + (int)(i / 4) * 56;
	canvas_sprite(r, x, y, VENN_WIDTH, VENN_HEIGHT, DISC / 2 - VENN_WIDTH / 2 - aside, DISC / 2
			- VENN_HEIGHT / 2, VENN_WIDTH, VENN_HEIGHT, color);
}

/* One quad with each. */
static void draw_operations(struct recorder *r, const struct pica_texture *t) {
	canvas_use(r, t);
	for (unsigned i = 0; i < OPS; i++) {
		pica_emit_logic_op(&r->list, i);
		canvas_draw_quads(r, i, 1);
	}
}

static void draw_top(struct recorder *r, unsigned frame) {
	tev_texture(r);
	for (unsigned i = 0; i < OPS; i++) {
		add_disc(r, i, -9, 0);
	}
	canvas_draw_textured(r, &own.disc);
	for (unsigned i = 0; i < OPS; i++) {
		add_disc(r, i, 9, 0);
	}
	draw_operations(r, &own.disc);
	/* Outlines. */
	for (unsigned i = 0; i < OPS; i++) {
		add_disc(r, i, -9, 0xFF9040FF);
		add_disc(r, i, 9, 0x40A0FFFF);
	}
	TEV(r, 0, RGB1(PRIMARY), ALPHA1(TEXTURE0));
	blend_over(r);
	canvas_draw_textured(r, &own.ring);
	for (unsigned i = 0; i < OPS; i++) {
		int x = 20 + (int)(i % 4) * 98, y = 18 + (int)(i / 4) * 56;
		canvas_label(r, x + VENN_WIDTH / 2, y + VENN_HEIGHT + 3, labels[i]);
		canvas_frame(r, x - 1, y - 1, VENN_WIDTH + 2, VENN_HEIGHT + 2, 0x606880FF);
	}
	canvas_text(r, 84, 4, 0xFF9040FF, "d in the framebuffer");
	canvas_text(r, 210, 4, 0x40A0FFFF, "s drawn over it");
	canvas_draw(r);
}

static void add_squares(struct recorder *r) {
	for (int i = 0; i < OPS; i++) {
		canvas_sprite(r, 16 + i % 4 * 80, 2 + i / 4 * 60, SIZE, SIZE, 0, 0, LEVELS, LEVELS,
				0);
	}
}

static void draw_bottom(struct recorder *r, unsigned frame) {
	tev_texture(r);
	blend_off(r);
	add_squares(r);
	canvas_draw_textured(r, &own.destination);
	add_squares(r);
	draw_operations(r, &own.source);
	for (unsigned i = 0; i < OPS; i++) {
		int x = 16 + (int)(i % 4) * 80, y = 2 + (int)(i / 4) * 60;
		canvas_label(r, x + SIZE / 2, y + SIZE + 2, labels[i]);
	}
	canvas_draw(r);
}

static void draw(struct recorder *r, unsigned frame) {
	blend_off(r);
}

const struct scene scene_logic = {
	.name = "logic",
	.what = "chart of the sixteen logic operations, on single bits and on bytes",
	.frames = FRAMES, .has_canvas = true, .top = 0x1C2030FF, .bottom = 0x1C2030FF,
	.store = store, .draw = draw, .draw_top = draw_top, .draw_bottom = draw_bottom,
};
