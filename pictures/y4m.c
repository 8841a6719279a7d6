#include "pictures/y4m.h"

#include <stdio.h>
#include <string.h>

static const char frame_line[] = "FRAME\n";

enum { FRAME_LINE = sizeof(frame_line) - 1 };

size_t y4m_header(char text[Y4M_HEADER_BYTES], uint32_t width, uint32_t height, uint32_t rate_num,
		uint32_t rate_den) {
	return (size_t)snprintf(text, Y4M_HEADER_BYTES,
			"YUV4MPEG2 W%u H%u F%u:%u Ip A1:1 C444 XCOLORRANGE=LIMITED\n", width,
			height, rate_num, rate_den);
}

size_t y4m_picture_bytes(uint32_t width, uint32_t height) {
	return FRAME_LINE + 3 * (size_t)width * height;
}

void y4m_picture(uint8_t *out, const struct picture *p) {
	const size_t n = (size_t)p->width * p->height;
	memcpy(out, frame_line, FRAME_LINE);
	uint8_t *luma = out + FRAME_LINE, *blue = luma + n, *red = blue + n;
	for (size_t i = 0; i < n; i++) {
		/* ITU-R BT.601 in 8 fractional bits; every sum is positive. */
		const int r = p->rgb[3 * i], g = p->rgb[3 * i + 1], b = p->rgb[3 * i + 2];
		luma[i] = (uint8_t)((66 * r + 129 * g + 25 * b + 128 + (16 << 8)) >> 8);
		blue[i] = (uint8_t)((-38 * r - 74 * g + 112 * b + 128 + (128 << 8)) >> 8);
		red[i] = (uint8_t)((112 * r - 94 * g - 18 * b + 128 + (128 << 8)) >> 8);
	}
}
