/*
 * Y4M, a video format for pipes (ffmpeg -i -, mpv -): a line of text, then a line and three planes
 * per picture, here in 4:4:4, BT.601, limited range.
 */
#ifndef PICTURES_Y4M_H
#define PICTURES_Y4M_H

#include <stddef.h>
#include <stdint.h>

#include "pictures/picture.h"

enum { Y4M_HEADER_BYTES = 128 };

/* Writes the first line, for rate_num / rate_den pictures a second. Returns its length. */
size_t y4m_header(char text[Y4M_HEADER_BYTES], uint32_t width, uint32_t height, uint32_t rate_num,
		uint32_t rate_den);
/* Returns the bytes of one picture, including its line. */
size_t y4m_picture_bytes(uint32_t width, uint32_t height);
/* Writes them to out. */
void y4m_picture(uint8_t *out, const struct picture *p);

#endif
