#include "term_picture.h"

#include <errno.h>
#include <stdlib.h>

#include "pictures/drawing.h"

/* ---- Size ---- */

void term_picture_fit(const struct picture *p, uint32_t box_width, uint32_t box_height,
		int is_whole, uint32_t *width, uint32_t *height) {
	const uint64_t pw = p->width, ph = p->height;
	const uint64_t times_x = box_width / pw, times_y = box_height / ph,
		       times = times_x < times_y ? times_x : times_y;
	if (is_whole && times) {
		*width = (uint32_t)(pw * times);
		*height = (uint32_t)(ph * times);
		return;
	}
	const int is_wide = pw * box_height >= ph * box_width;
	*width = is_wide ? box_width : (uint32_t)(pw * box_height / ph);
	*height = is_wide ? (uint32_t)(ph * box_width / pw) : box_height;
	*width += !*width;
	*height += !*height;
}

static void mean(const struct picture *p, uint32_t x0, uint32_t x1, uint32_t y0, uint32_t y1,
		uint8_t out[3]) {
	uint64_t sum[3] = { 0 };
	for (uint32_t y = y0; y < y1; y++) {
		const uint8_t *px = p->rgb + 3 * ((size_t)y * p->width + x0);
		for (uint32_t x = x0; x < x1; x++, px += 3) {
			sum[0] += px[0];
			sum[1] += px[1];
			sum[2] += px[2];
		}
	}
	const uint64_t n = (uint64_t)(x1 - x0) * (y1 - y0);
	for (unsigned c = 0; c < 3; c++) {
		out[c] = (uint8_t)((sum[c] + n / 2) / n);
	}
}

int term_picture_scale(
		struct picture *to, const struct picture *from, uint32_t width, uint32_t height) {
	int ret = drawing_begin(to, width, height, 0);
	for (uint32_t y = 0; ret == 0 && y < height; y++) {
		const uint32_t y0 = (uint32_t)((uint64_t)y * from->height / height);
		const uint32_t y1 = (uint32_t)((uint64_t)(y + 1) * from->height / height);
		for (uint32_t x = 0; x < width; x++) {
			const uint32_t x0 = (uint32_t)((uint64_t)x * from->width / width);
			const uint32_t x1 = (uint32_t)((uint64_t)(x + 1) * from->width / width);
			mean(from, x0, x1 > x0 ? x1 : x0 + 1, y0, y1 > y0 ? y1 : y0 + 1,
				to->rgb + 3 * ((size_t)y * width + x));
		}
	}
	return ret;
}

/* ---- Blocks ---- */

static void color(FILE *out, unsigned layer, const uint8_t *rgb, uint32_t *last) {
	const uint32_t now = (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
	if (now != *last) {
		fprintf(out, "\033[%u;2;%u;%u;%um", layer, rgb[0], rgb[1], rgb[2]);
		*last = now;
	}
}

void term_picture_blocks(FILE *out, const struct picture *p) {
	static const uint8_t black[3] = { 0, 0, 0 };
	for (uint32_t y = 0; y < p->height; y += 2) {
		uint32_t above = UINT32_MAX, below = UINT32_MAX;
		for (uint32_t x = 0; x < p->width; x++) {
			const uint8_t *px = p->rgb + 3 * ((size_t)y * p->width + x);
			color(out, 38, px, &above);
			color(out, 48, y + 1 < p->height ? px + 3 * (size_t)p->width : black,
					&below);
			fputs("\xE2\x96\x80", out); /* upper half block */
		}
		fputs(y + 2 < p->height ? "\033[0m\r\n" : "\033[0m", out);
	}
}

/* ---- Sixels ---- */

enum { LEVELS = 6, COLORS = LEVELS * LEVELS * LEVELS, BAND = 6 };

/* Thresholds of ordered dithering, 0..15. */
static const uint8_t bayer[4][4] = { { 0, 8, 2, 10 }, { 12, 4, 14, 6 }, { 3, 11, 1, 9 },
	{ 15, 7, 13, 5 } };

static unsigned level(unsigned value, uint32_t x, uint32_t y) {
	/* value * 5 / 255, rounded up if the remainder exceeds the threshold. */
	const unsigned scaled = value * (LEVELS - 1) * 16 + 255 * bayer[y & 3][x & 3];
	return scaled / (255 * 16);
}

static uint8_t color_of(const uint8_t *px, uint32_t x, uint32_t y) {
	return (uint8_t)((level(px[0], x, y) * LEVELS + level(px[1], x, y)) * LEVELS +
			level(px[2], x, y));
}

static void run(FILE *out, int sixel, unsigned n) {
	if (n > 3) {
		fprintf(out, "!%u%c", n, sixel);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		fputc(sixel, out);
	}
}

/* The pixels of one color in six rows. */
static void put_color(
		FILE *out, const uint8_t *index, uint32_t width, unsigned rows, unsigned number) {
	int last = 0;
	unsigned n = 0;
	fprintf(out, "#%u", number);
	for (uint32_t x = 0; x < width; x++) {
		int sixel = '?';
		for (unsigned y = 0; y < rows; y++) {
			sixel += (index[(size_t)y * width + x] == number) << y;
		}
		if (sixel != last) {
			run(out, last, n);
			last = sixel;
			n = 0;
		}
		n++;
	}
	run(out, last, n);
	fputc('$', out);
}

int term_picture_sixel(FILE *out, const struct picture *p) {
	uint8_t *index = malloc((size_t)BAND * p->width);
	if (!index) {
		return -ENOMEM;
	}
	fprintf(out, "\033P0;1q\"1;1;%u;%u", p->width, p->height);
	for (unsigned i = 0; i < COLORS; i++) {
		fprintf(out, "#%u;2;%u;%u;%u", i, i / 36 * 20, i / 6 % 6 * 20, i % 6 * 20);
	}
	for (uint32_t y0 = 0; y0 < p->height; y0 += BAND) {
		const unsigned rows = p->height - y0 < BAND ? p->height - y0 : BAND;
		uint8_t used[COLORS] = { 0 };
		for (size_t i = 0; i < (size_t)rows * p->width; i++) {
			const uint32_t x = (uint32_t)(i % p->width),
				       y = y0 + (uint32_t)(i / p->width);
			index[i] = color_of(p->rgb + 3 * ((size_t)y * p->width + x), x, y);
			used[index[i]] = 1;
		}
		for (unsigned i = 0; i < COLORS; i++) {
			if (used[i]) {
				put_color(out, index, p->width, rows, i);
			}
		}
		fputc('-', out);
	}
	fputs("\033\\", out);
	free(index);
	return 0;
}
