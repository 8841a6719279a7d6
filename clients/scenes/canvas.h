/*
 * Rectangles and text in the pixels of a screen: the plain parts of charts. They are gathered, in
 * the order of the calls, and become one draw.
 *
 *	canvas_init(&c, r);
 *	canvas_rect(&c, 10, 10, 60, 40, 0x203040FF);
 *	canvas_text(&c, 12, 12, 0xFFFFFFFF, "edge");
 *	recorder_draw_top(r);
 *	canvas_draw(&c, r, TOP_WIDTH);
 *	...
 *	canvas_finish(&c);
 *
 * Places are counted from the left and from the top, colours are 0xRRGGBBAA.
 */
#ifndef SCENES_CANVAS_H
#define SCENES_CANVAS_H

#include <stdint.h>

#include "recorder.h"

enum { CANVAS_QUADS = 2000 };

/* Texels of the font or of the scene's own texture, from its top left corner. */
struct canvas_vertex {
	int16_t x, y, u, v;
	uint8_t rgba[4];
};

struct canvas {
	struct program program;
	struct pica_texture font;
	uint32_t indices; /* of all quads, in main memory */
	unsigned n_quads;
	/* owned, room for CANVAS_QUADS; what is more is dropped and told */
	struct canvas_vertex *v;
};

/* Stores font and indices. 0 or a negative errno; canvas_finish() is allowed after a failure. */
int canvas_init(struct canvas *c, struct recorder *r);
void canvas_finish(struct canvas *c);

void canvas_rect(struct canvas *c, int x, int y, int w, int h, uint32_t rgba);
/* Colours of the corners: top left, top right, bottom left, bottom right. */
void canvas_corners(struct canvas *c, const uint32_t rgba[4]); /* of the quad gathered last */
void canvas_gradient(struct canvas *c, int x, int y, int w, int h, const uint32_t rgba[4]);
/* The border of a rectangle, one pixel wide, inside. */
void canvas_frame(struct canvas *c, int x, int y, int w, int h, uint32_t rgba);
/* Squares of size pixels in two grays: behind what is transparent. */
void canvas_checkers(struct canvas *c, int x, int y, int w, int h, int size);
void canvas_text(struct canvas *c, int x, int y, uint32_t rgba, const char *text);
/* Around x. */
void canvas_text_centered(struct canvas *c, int x, int y, uint32_t rgba, const char *text);
/* Texels [u, u + tw) x [v, v + th) of texture 0, tinted: for canvas_draw_textured(). */
void canvas_sprite(struct canvas *c, int x, int y, int w, int h, int u, int v, int tw, int th,
		uint32_t rgba);

/* Places as above to clip space, for draws of the scene's own. */
struct mat4 canvas_projection(unsigned width);
/*
 * Draws what was gathered over a screen that is so wide, and forgets it. Afterwards the program,
 * the arrays, texture 0, the texture units (0 alone), stage 0 and blending (over) are those of the
 * canvas; tests, masks, and other stages are left alone. The depth of all of it is 0, far.
 */
void canvas_draw(struct canvas *c, struct recorder *r, unsigned width);
/* The same with a texture of the scene's; stage 0 and blending are left alone too. */
void canvas_draw_textured(struct canvas *c, struct recorder *r, unsigned width,
		const struct pica_texture *t);
/*
 * In two steps, for state that changes between quads: makes what was gathered the current arrays,
 * and forgets it; then draws n of its quads, counted in the order of the calls.
 */
void canvas_use(struct canvas *c, struct recorder *r, unsigned width, const struct pica_texture *t);
void canvas_draw_quads(struct canvas *c, struct recorder *r, unsigned first, unsigned n);

#endif
