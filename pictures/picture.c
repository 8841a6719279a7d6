#include "pictures/picture.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "pica_capture.h"

void picture_finish(struct picture *p) {
	free(p->rgb);
	free(p->alpha);
	memset(p, 0, sizeof(*p));
}

int picture_alloc(struct picture *p, uint32_t width, uint32_t height) {
	uint8_t *rgb = malloc(3 * (size_t)width * height + 1);
	if (!rgb) {
		return -ENOMEM;
	}
	picture_finish(p);
	p->width = width;
	p->height = height;
	p->rgb = rgb;
	return 0;
}

static int alloc_alpha(struct picture *p) {
	p->alpha = malloc((size_t)p->width * p->height + 1);
	if (!p->alpha) {
		picture_finish(p);
		return -ENOMEM;
	}
	return 0;
}

int picture_from_rgba(struct picture *p, const uint8_t *rgba, uint32_t width, uint32_t height) {
	struct picture copy = { 0 };
	int ret = picture_alloc(&copy, width, height);
	if (ret == 0) {
		ret = alloc_alpha(&copy);
	}
	if (ret < 0) {
		return ret;
	}
	for (size_t i = 0; i < (size_t)width * height; i++) {
		memcpy(copy.rgb + 3 * i, rgba + 4 * i, 3);
		copy.alpha[i] = rgba[4 * i + 3];
	}
	picture_finish(p);
	*p = copy;
	return 0;
}

int picture_turn_screen(struct picture *p) {
	struct picture turned = { 0 };
	if (p->width != 240 && p->width != 480) {
		return 0;
	}
	int ret = picture_alloc(&turned, p->height, p->width);
	if (ret == 0 && p->alpha) {
		ret = alloc_alpha(&turned);
	}
	if (ret < 0) {
		return ret;
	}
	/*
	 * Row x of memory is column x of the screen, from the bottom. [fidelity: screen-geometry]
	 */
	for (size_t row = 0; row < p->height; row++) {
		for (size_t column = 0; column < p->width; column++) {
			const size_t from = row * p->width + column;
			const size_t to = (p->width - 1 - column) * p->height + row;
			memcpy(turned.rgb + 3 * to, p->rgb + 3 * from, 3);
			if (p->alpha) {
				turned.alpha[to] = p->alpha[from];
			}
		}
	}
	picture_finish(p);
	*p = turned;
	return 0;
}

void picture_hash_text(const uint8_t hash[16], char text[PICTURE_HASH_TEXT]) {
	for (unsigned i = 0; i < 16; i++) {
		snprintf(text + 2 * i, 3, "%02x", hash[i]);
	}
}

void picture_hash(const struct picture *p, char text[PICTURE_HASH_TEXT]) {
	uint8_t hash[16];
	pica_picture_hash(p->rgb, p->width, p->height, 3 * (size_t)p->width, hash);
	picture_hash_text(hash, text);
}

int picture_read_png(struct picture *p, const char *path, uint32_t background) {
	const png_color below = { (uint8_t)(background >> 16), (uint8_t)(background >> 8),
		(uint8_t)background };
	png_image image;
	memset(&image, 0, sizeof(image));
	image.version = PNG_IMAGE_VERSION;
	if (!png_image_begin_read_from_file(&image, path)) {
		return -EINVAL;
	}
	const bool is_alpha_ignored = background == PICTURE_IGNORE_ALPHA;
	image.format = is_alpha_ignored ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
	image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB; /* like 8 bits, if the file does not specify it */
	struct picture read = { .width = image.width, .height = image.height };
	int ret = image.width > PICTURE_PNG_PX || image.height > PICTURE_PNG_PX ? -EFBIG : 0;
	read.rgb = ret < 0 ? NULL : malloc(PNG_IMAGE_SIZE(image));
	ret = ret == 0 && !read.rgb ? -ENOMEM : ret;
	if (ret == 0 && !png_image_finish_read(&image, &below, read.rgb, 0, NULL)) {
		ret = -EINVAL;
	}
	const size_t pixels = ret == 0 && is_alpha_ignored ? (size_t)read.width * read.height : 0;
	for (size_t i = 0; i < pixels; i++) {
		memmove(read.rgb + 3 * i, read.rgb + 4 * i, 3);
	}
	png_image_free(&image);
	if (ret < 0) {
		picture_finish(&read);
		return ret;
	}
	picture_finish(p);
	*p = read;
	return 0;
}

int picture_decode_png(
		const void *png, size_t n, uint8_t **rgba, uint32_t *width, uint32_t *height) {
	png_image image;
	memset(&image, 0, sizeof(image));
	image.version = PNG_IMAGE_VERSION;
	*rgba = NULL;
	if (!png_image_begin_read_from_memory(&image, png, n)) {
		return -EINVAL;
	}
	image.format = PNG_FORMAT_RGBA;
	image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
	int ret = image.width > PICTURE_PNG_PX || image.height > PICTURE_PNG_PX ? -EFBIG : 0;
	*rgba = ret < 0 ? NULL : malloc(PNG_IMAGE_SIZE(image));
	ret = ret == 0 && !*rgba ? -ENOMEM : ret;
	if (ret == 0 && !png_image_finish_read(&image, NULL, *rgba, 0, NULL)) {
		ret = -EINVAL;
	}
	*width = image.width;
	*height = image.height;
	png_image_free(&image);
	if (ret < 0) {
		free(*rgba);
		*rgba = NULL;
	}
	return ret;
}

/* The largest difference of a channel of two pixels. */
static unsigned worst_channel(const uint8_t *a, const uint8_t *b) {
	unsigned worst = 0;
	for (unsigned c = 0; c < 3; c++) {
		const unsigned diff = (unsigned)abs(a[c] - b[c]);
		worst = diff > worst ? diff : worst;
	}
	return worst;
}

/* Extends the rectangle of pixels beyond the tolerance by a pixel; pixels come in rows from the
 * top. */
static void enclose(struct picture_difference *d, uint32_t x, uint32_t y) {
	if (d->beyond == 0) {
		d->left = x;
		d->top = y;
		d->width = 1;
	} else if (x < d->left) {
		d->width += d->left - x;
		d->left = x;
	} else if (x - d->left >= d->width) {
		d->width = x - d->left + 1;
	}
	d->height = y - d->top + 1;
}

int picture_compare(const struct picture *a, const struct picture *b, unsigned tolerance,
		struct picture_difference *d) {
	memset(d, 0, sizeof(*d));
	if (a->width != b->width || a->height != b->height) {
		return -EINVAL;
	}
	for (uint32_t y = 0; y < a->height; y++) {
		for (uint32_t x = 0; x < a->width; x++) {
			const size_t at = 3 * ((size_t)a->width * y + x);
			const unsigned worst = worst_channel(a->rgb + at, b->rgb + at);
			const bool is_first = worst > tolerance ? d->beyond == 0 :
								  worst && d->pixels == 0;
			if (is_first) {
				d->x = x;
				d->y = y;
			}
			if (worst > tolerance) {
				enclose(d, x, y);
			}
			d->pixels += worst > 0;
			d->beyond += worst > tolerance;
			d->max = worst > d->max ? worst : d->max;
		}
	}
	return 0;
}

unsigned picture_first_differing(const struct picture *a, const struct picture *b,
		unsigned tolerance, struct picture_pixel *out, unsigned max) {
	unsigned n = 0;
	for (size_t i = 0; n < max && i < (size_t)a->width * a->height; i++) {
		const uint8_t *pa = a->rgb + 3 * i, *pb = b->rgb + 3 * i;
		if (worst_channel(pa, pb) > tolerance) {
			out[n] = (struct picture_pixel){ .x = (uint32_t)(i % a->width),
				.y = (uint32_t)(i / a->width) };
			memcpy(out[n].a, pa, 3);
			memcpy(out[n++].b, pb, 3);
		}
	}
	return n;
}

int picture_show_difference(struct picture *out, const struct picture *a, const struct picture *b) {
	const size_t n = (size_t)a->width * a->height;
	*out = (struct picture){ .width = a->width, .height = a->height, .rgb = malloc(3 * n + 1) };
	for (size_t i = 0; out->rgb && i < n; i++) {
		const uint8_t *pa = a->rgb + 3 * i, *pb = b->rgb + 3 * i;
		uint8_t *px = out->rgb + 3 * i;
		const unsigned worst = worst_channel(pa, pb);
		if (worst) {
			px[0] = 255;
			px[1] = (uint8_t)worst;
			px[2] = 0;
		} else {
			memset(px, (pa[0] + pa[1] + pa[2]) / 12, 3);
		}
	}
	return out->rgb ? 0 : -ENOMEM;
}
