/*
 * The letters of charts and contact sheets: a proportional font, seven pixels high and one below
 * the line.
 */
#ifndef PICTURES_FONT_H
#define PICTURES_FONT_H

#include <stdint.h>

/*
 * As a texture, characters are in cells of 8 x 8, 16 per row, by code: ASCII fills the upper half
 * of 128 x 128 texels. The cell of FONT_SOLID is full, for plain rectangles.
 */
enum { FONT_SIZE = 128, FONT_CELL = 8, FONT_SOLID = 127 };

/* The texture's picture (texture.h): white, with the letters as alpha. */
void picture_font(unsigned x, unsigned y, unsigned n, uint8_t rgba[4]);
/* Returns the number of pixels from one character to the next. */
unsigned font_advance(char c);
unsigned font_width(const char *text);

#endif
