/* Drawing on pictures: rectangles, other pictures, small text. Everything is clipped to the
 * picture. */
#ifndef PICTURES_DRAWING_H
#define PICTURES_DRAWING_H

#include <stdint.h>

#include "pictures/picture.h"

/* Distance of lines of text. */
enum { DRAWING_LINE = 10 };

/* Replaces *p by a picture in one colour, 0xRRGGBB. Returns 0 or -ENOMEM. */
int drawing_begin(struct picture *p, uint32_t width, uint32_t height, uint32_t color);
void drawing_fill(struct picture *p, int x, int y, unsigned width, unsigned height, uint32_t color);
/* Top left corner at (x, y); capitals are seven pixels high. */
void drawing_text(struct picture *p, int x, int y, uint32_t color, const char *text);
unsigned drawing_text_width(const char *text);
void drawing_copy(struct picture *p, int x, int y, const struct picture *from);
/* Replaces *to by the means of squares of `factor` pixels. Returns 0 or -ENOMEM. */
int drawing_shrink(struct picture *to, const struct picture *from, unsigned factor);

#endif
