/*
 * Rectangles and text in the pixels of a screen: the plain parts of charts. They are gathered, in
 * the order of the calls, and become one draw.
 *
 *	canvas_rect(r, 10, 10, 60, 40, 0x203040FF);
 *	canvas_text(r, 12, 12, 0xFFFFFFFF, "edge");
 *	recorder_draw_top(r);
 *	canvas_draw(r);
 *
 * Places are counted from the left and from the top, colours are 0xRRGGBBAA.
 */
#ifndef SCENES_CANVAS_H
#define SCENES_CANVAS_H

#include "recorder.h"

/* Stores font and indices. */
void canvas_store(struct recorder *r);

void canvas_rect(struct recorder *r, int x, int y, int w, int h, uint32_t rgba);
/* Colours of the corners: top left, top right, bottom left, bottom right. */
void canvas_corners(struct recorder *r, const uint32_t rgba[4]); /* of the quad gathered last */
void canvas_gradient(struct recorder *r, int x, int y, int w, int h, const uint32_t rgba[4]);
/* The border of a rectangle, one pixel wide, inside. */
void canvas_frame(struct recorder *r, int x, int y, int w, int h, uint32_t rgba);
/* From one colour at the top to another at the bottom. */
void canvas_sky(struct recorder *r, int x, int y, int w, int h, uint32_t high, uint32_t low);
/* Squares of size pixels in two grays, under pictures that are transparent. */
void canvas_checkers(struct recorder *r, int x, int y, int w, int h, int size);
void canvas_text(struct recorder *r, int x, int y, uint32_t rgba, const char *text);
/* Around x. */
void canvas_text_centered(struct recorder *r, int x, int y, uint32_t rgba, const char *text);
/* Around x, in the colour of labels; in that of titles, at the top of the screen. */
void canvas_label(struct recorder *r, int x, int y, const char *text);
void canvas_title(struct recorder *r, const char *text);
/* Texels [u, u + tw) x [v, v + th) of texture 0, tinted: for canvas_draw_textured(). */
void canvas_sprite(struct recorder *r, int x, int y, int w, int h, int u, int v, int tw, int th,
		uint32_t rgba);

/* Places as above to clip space, for draws of the scene's own. */
struct mat4 canvas_projection(const struct recorder *r);
/*
 * Draws the gathered quads over the current screen, and drops them. Afterwards the program, the
 * arrays, texture 0, the texture units (0 alone), stage 0 and blending (over) are those of the
 * canvas; tests, masks, and other stages are left alone. The depth of all of it is 0, far.
 */
void canvas_draw(struct recorder *r);
/* The same with a texture of the scene's; stage 0 and blending are left alone too. */
void canvas_draw_textured(struct recorder *r,
		const struct pica_texture *t);
/*
 * In two steps, for state that changes between quads: makes the gathered quads the current arrays,
 * and drops them; then draws n of its quads, counted in the order of the calls.
 */
void canvas_use(struct recorder *r, const struct pica_texture *t);
void canvas_draw_quads(struct recorder *r, unsigned first, unsigned n);

#endif
