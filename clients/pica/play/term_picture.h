/* Pictures as text for terminals: half blocks in 24-bit colors, or sixel graphics. */
#ifndef PICA_TERM_PICTURE_H
#define PICA_TERM_PICTURE_H

#include <stdio.h>

#include "pictures/picture.h"

/*
 * The largest size with a picture's proportions inside a box, at least 1x1. is_whole: enlarged by
 * whole multiples only.
 */
void term_picture_fit(const struct picture *p, uint32_t box_width, uint32_t box_height,
		int is_whole, uint32_t *width, uint32_t *height);
/* Scales by means of areas; enlarging repeats pixels. Replaces *to. Returns 0 or -ENOMEM. */
int term_picture_scale(
		struct picture *to, const struct picture *from, uint32_t width, uint32_t height);
/* Two pixels per character, one above the other; "\r\n" between lines. */
void term_picture_blocks(FILE *out, const struct picture *p);
/* Sixel graphics in 6 levels of each color, dithered. Returns 0 or -ENOMEM. */
int term_picture_sixel(FILE *out, const struct picture *p);

#endif
