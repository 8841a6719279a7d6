#include "pictures/drawing.h"

#include <errno.h>
#include <stdlib.h>

#include "pictures/font.h"

enum { LETTER_ROWS = 8 };

static void put(struct picture *p, int x, int y, uint32_t color) {
	if (x >= 0 && y >= 0 && (uint32_t)x < p->width && (uint32_t)y < p->height) {
		uint8_t *px = p->rgb + 3 * ((size_t)p->width * (uint32_t)y + (uint32_t)x);
		px[0] = (uint8_t)(color >> 16);
		px[1] = (uint8_t)(color >> 8);
		px[2] = (uint8_t)color;
	}
}

int drawing_begin(struct picture *p, uint32_t width, uint32_t height, uint32_t color) {
	uint8_t *rgb = malloc(3 * (size_t)width * height + 1);
	if (!rgb) {
		return -ENOMEM;
	}
	picture_finish(p);
	*p = (struct picture){ .width = width, .height = height, .rgb = rgb };
	drawing_fill(p, 0, 0, width, height, color);
	return 0;
}

void drawing_fill(
		struct picture *p, int x, int y, unsigned width, unsigned height, uint32_t color) {
	for (unsigned row = 0; row < height; row++) {
		for (unsigned column = 0; column < width; column++) {
			put(p, x + (int)column, y + (int)row, color);
		}
	}
}

static void letter(struct picture *p, int x, int y, uint32_t color, unsigned char code) {
	const unsigned row0 = code / (FONT_SIZE / FONT_CELL) * FONT_CELL;
	const unsigned column0 = code % (FONT_SIZE / FONT_CELL) * FONT_CELL;
	for (unsigned row = 0; row < LETTER_ROWS; row++) {
		for (unsigned column = 0; column < FONT_CELL; column++) {
			uint8_t rgba[4];
			picture_font(column0 + column, row0 + row, FONT_SIZE, rgba);
			if (rgba[3]) {
				put(p, x + (int)column, y + (int)row, color);
			}
		}
	}
}

void drawing_text(struct picture *p, int x, int y, uint32_t color, const char *text) {
	for (; *text; text++) {
		if ((unsigned char)*text < 0x7F) {
			letter(p, x, y, color, (unsigned char)*text);
		}
		x += (int)font_advance(*text);
	}
}

unsigned drawing_text_width(const char *text) {
	return font_width(text);
}

void drawing_copy(struct picture *p, int x, int y, const struct picture *from) {
	for (uint32_t row = 0; row < from->height; row++) {
		for (uint32_t column = 0; column < from->width; column++) {
			const uint8_t *px = from->rgb + 3 * ((size_t)from->width * row + column);
			put(p, x + (int)column, y + (int)row,
					(uint32_t)px[0] << 16 | (uint32_t)px[1] << 8 | px[2]);
		}
	}
}

static uint32_t mean(const struct picture *from, uint32_t x, uint32_t y, unsigned factor) {
	uint32_t sum[3] = { 0 }, n = 0;
	for (uint32_t row = y; row < y + factor && row < from->height; row++) {
		for (uint32_t column = x; column < x + factor && column < from->width;
				column++, n++) {
			const uint8_t *px = from->rgb + 3 * ((size_t)from->width * row + column);
			for (unsigned c = 0; c < 3; c++) {
				sum[c] += px[c];
			}
		}
	}
	return (sum[0] + n / 2) / n << 16 | (sum[1] + n / 2) / n << 8 | (sum[2] + n / 2) / n;
}

int drawing_shrink(struct picture *to, const struct picture *from, unsigned factor) {
	const uint32_t width = (from->width + factor - 1) / factor,
			height = (from->height + factor - 1) / factor;
	int ret = drawing_begin(to, width, height, 0);
	for (uint32_t y = 0; ret == 0 && y < height; y++) {
		for (uint32_t x = 0; x < width; x++) {
			put(to, (int)x, (int)y, mean(from, x * factor, y * factor, factor));
		}
	}
	return ret;
}
