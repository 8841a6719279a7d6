/*
 * Rectangles and text in pixels of a screen, for charts. The calls collect quads in order, which
 * become one draw.
 *
 *	canvas_rect(r, 10, 10, 60, 40, 0x203040FF);
 *	canvas_text(r, 12, 12, 0xFFFFFFFF, "edge");
 *	recorder_draw_top(r);
 *	canvas_draw(r);
 *
 * Positions are counted from the left and the top; colours are 0xRRGGBBAA.
 */
#ifndef SCENES_CANVAS_H
#define SCENES_CANVAS_H

#include "recorder.h"

/* Stores font and indices. */
void canvas_store(struct recorder *r);

void canvas_rect(struct recorder *r, int x, int y, int w, int h, uint32_t rgba);
/* Sets the corners' colours of the last quad: top left, top right, bottom left, bottom right. */
void canvas_corners(struct recorder *r, const uint32_t rgba[4]);
void canvas_gradient(struct recorder *r, int x, int y, int w, int h, const uint32_t rgba[4]);
/* The border of a rectangle, one pixel wide, inside it. */
void canvas_frame(struct recorder *r, int x, int y, int w, int h, uint32_t rgba);
/* A gradient from one colour at the top to another at the bottom. */
void canvas_sky(struct recorder *r, int x, int y, int w, int h, uint32_t high, uint32_t low);
/* Squares of size pixels in two grays, as a background for transparent pictures. */
void canvas_checkers(struct recorder *r, int x, int y, int w, int h, int size);
void canvas_text(struct recorder *r, int x, int y, uint32_t rgba, const char *text);
/* Around x. */
void canvas_text_centered(struct recorder *r, int x, int y, uint32_t rgba, const char *text);
/* A label, centred at x; a title, at the top of the screen. Each has its own colour. */
void canvas_label(struct recorder *r, int x, int y, const char *text);
void canvas_title(struct recorder *r, const char *text);
/* Texels [u, u + tw) x [v, v + th) of texture 0, tinted: for canvas_draw_textured(). */
void canvas_sprite(struct recorder *r, int x, int y, int w, int h, int u, int v, int tw, int th,
		uint32_t rgba);

/* From such positions to clip space, for other draws of the scene. */
struct mat4 canvas_projection(const struct recorder *r);
/*
 * Draws the collected quads over the current screen, and drops them. Afterwards the program, the
 * arrays, texture 0, the texture units (0 alone), stage 0 and blending (over) are those of the
 * canvas; tests, masks and other stages are unchanged. All depths are 0, the farthest.
 */
void canvas_draw(struct recorder *r);
/* The same with another texture; stage 0 and blending are unchanged, too. */
void canvas_draw_textured(struct recorder *r,
		const struct pica_texture *t);
/*
 * The same in two steps, to change state between quads: canvas_use() makes the collected quads the
 * current arrays, and drops them; each further call draws n of them, in order.
 */
void canvas_use(struct recorder *r, const struct pica_texture *t);
void canvas_draw_quads(struct recorder *r, unsigned first, unsigned n);

#endif
