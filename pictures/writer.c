#include "pictures/writer.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <png.h>

#include "pictures/file.h"
#include "pictures/y4m.h"

static int put(FILE *f, const void *bytes, size_t n) {
	return fwrite(bytes, 1, n, f) == n ? 0 : errno ? -errno : -EIO;
}

static int write_ppm(FILE *f, const struct picture *p, const char *label) {
	size_t n = 3 * (size_t)p->width * p->height;
	bool ok = fprintf(f, "P6\n%u %u\n255\n", p->width, p->height) > 0 &&
		  fwrite(p->rgb, 1, n, f) == n;
	return ok ? 0 : errno ? -errno : -EIO;
}

static void png_quiet(png_structp png, png_const_charp message) {
}

static void png_give_up(png_structp png, png_const_charp message) {
	png_longjmp(png, 1);
}

/* channels: 3, RGB, or 4, RGBA. */
static int write_rows(
		const uint8_t *bytes, uint32_t width, uint32_t height, unsigned channels, FILE *f) {
	png_structp png =
		png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, png_give_up, png_quiet);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	if (!info) {
		png_destroy_write_struct(&png, NULL);
		return -ENOMEM;
	}
	if (setjmp(png_jmpbuf(png))) {
		int ret = errno ? -errno : -EIO;
		png_destroy_write_struct(&png, &info);
		return ret;
	}
	png_init_io(png, f);
	png_set_IHDR(png, info, width, height, 8,
			channels == 4 ? PNG_COLOR_TYPE_RGBA : PNG_COLOR_TYPE_RGB,
			PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	/* The fast setting: most of a batch's time would be compression. */
	png_set_compression_level(png, 1);
	png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
	png_write_info(png, info);
	for (uint32_t y = 0; y < height; y++) {
		png_write_row(png, bytes + channels * (size_t)width * y);
	}
	png_write_end(png, info);
	png_destroy_write_struct(&png, &info);
	return 0;
}

static int write_png(FILE *f, const struct picture *p, const char *label) {
	return write_rows(p->rgb, p->width, p->height, 3, f);
}

/* ---- QOI [qoiformat.org, specification 1.0] ---- */

enum {
	QOI_INDEX = 0x00, /* 00iiiiii: the pixel that hashed to i */
	QOI_DIFF = 0x40,  /* 01rrggbb: each channel -2..1 from the last pixel */
	QOI_LUMA = 0x80,  /* 10gggggg rrrrbbbb: green -32..31, red and blue -8..7 from it */
	QOI_RUN = 0xC0,   /* 11nnnnnn: the last pixel n + 1 times, up to 62 */
	QOI_RGB = 0xFE,
	QOI_MAX_RUN = 62,
	QOI_HEADER = 14,
	QOI_END = 8, /* seven zeros and a one */
};

struct qoi {
	uint8_t *out;
	uint8_t last[3];
	uint8_t seen[64][4]; /* r, g, b, and 1 where the slot was used */
	unsigned run;
};

static void qoi_flush(struct qoi *q) {
	if (q->run) {
		*q->out++ = (uint8_t)(QOI_RUN | (q->run - 1));
		q->run = 0;
	}
}

static void qoi_pixel(struct qoi *q, const uint8_t px[3]) {
	if (memcmp(px, q->last, 3) == 0) {
		if (++q->run == QOI_MAX_RUN) {
			qoi_flush(q);
		}
		return;
	}
	qoi_flush(q);
	unsigned slot = (px[0] * 3u + px[1] * 5u + px[2] * 7u + 255 * 11u) % 64;
	/* Differences wrap: 255 to 0 is +1. */
	int8_t dr = (int8_t)(px[0] - q->last[0]), dg = (int8_t)(px[1] - q->last[1]);
	int8_t db = (int8_t)(px[2] - q->last[2]);
	int8_t drg = (int8_t)(dr - dg), dbg = (int8_t)(db - dg);
	uint8_t *seen = q->seen[slot];
	if (seen[3] && memcmp(seen, px, 3) == 0) {
		*q->out++ = (uint8_t)(QOI_INDEX | slot);
	} else if (dr >= -2 && dr <= 1 && dg >= -2 && dg <= 1 && db >= -2 && db <= 1) {
		*q->out++ = (uint8_t)(QOI_DIFF | (dr + 2) << 4 | (dg + 2) << 2 | (db + 2));
	} else if (dg >= -32 && dg <= 31 && drg >= -8 && drg <= 7 && dbg >= -8 && dbg <= 7) {
		*q->out++ = (uint8_t)(QOI_LUMA | (dg + 32));
		*q->out++ = (uint8_t)((drg + 8) << 4 | (dbg + 8));
	} else {
		*q->out++ = QOI_RGB;
		memcpy(q->out, px, 3);
		q->out += 3;
	}
	memcpy(seen, px, 3);
	seen[3] = 1;
	memcpy(q->last, px, 3);
}

static uint8_t *put_be32(uint8_t *out, uint32_t word) {
	for (int shift = 24; shift >= 0; shift -= 8) {
		*out++ = (uint8_t)(word >> shift);
	}
	return out;
}

static int write_qoi(FILE *f, const struct picture *p, const char *label) {
	size_t pixels = (size_t)p->width * p->height;
	uint8_t *bytes = malloc(QOI_HEADER + 4 * pixels + QOI_END);
	if (!bytes) {
		return -ENOMEM;
	}
	memcpy(bytes, "qoif", 4);
	struct qoi q = { .out = put_be32(put_be32(bytes + 4, p->width), p->height) };
	*q.out++ = 3; /* channels */
	*q.out++ = 0; /* sRGB */
	for (size_t i = 0; i < pixels; i++) {
		qoi_pixel(&q, p->rgb + 3 * i);
	}
	qoi_flush(&q);
	memset(q.out, 0, QOI_END);
	q.out[QOI_END - 1] = 1;
	const int ret = put(f, bytes, (size_t)(q.out + QOI_END - bytes));
	free(bytes);
	return ret;
}

static int write_raw(FILE *f, const struct picture *p, const char *label) {
	const size_t pixels = (size_t)p->width * p->height;
	uint8_t *rgba = malloc(4 * pixels + 1);
	if (!rgba) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < pixels; i++) {
		memcpy(rgba + 4 * i, p->rgb + 3 * i, 3);
		rgba[4 * i + 3] = p->alpha ? p->alpha[i] : 255;
	}
	const int ret = put(f, rgba, 4 * pixels);
	free(rgba);
	return ret;
}

/* ---- Streams ---- */

static int open_y4m(FILE *f, uint32_t width, uint32_t height, uint32_t rate_mhz) {
	char header[Y4M_HEADER_BYTES];
	return put(f, header, y4m_header(header, width, height, rate_mhz, 1000));
}

static int write_y4m(FILE *f, const struct picture *p, const char *label) {
	const size_t n = y4m_picture_bytes(p->width, p->height);
	uint8_t *bytes = malloc(n);
	if (!bytes) {
		return -ENOMEM;
	}
	y4m_picture(bytes, p);
	const int ret = put(f, bytes, n);
	free(bytes);
	return ret;
}

static int write_hash(FILE *f, const struct picture *p, const char *label) {
	char hash[PICTURE_HASH_TEXT];
	picture_hash(p, hash);
	return fprintf(f, "%s %s\n", label, hash) < 0 ? -errno : 0;
}

static int write_none(FILE *f, const struct picture *p, const char *label) {
	return 0;
}

/* ---- The table ---- */

const struct writer writer_png = { "png", "png", true, NULL, write_png };
const struct writer writer_ppm = { "ppm", "ppm", true, NULL, write_ppm };
const struct writer writer_qoi = { "qoi", "qoi", true, NULL, write_qoi };
const struct writer writer_raw = { "raw", "raw", true, NULL, write_raw };
const struct writer writer_y4m = { "y4m", "y4m", false, open_y4m, write_y4m };
const struct writer writer_hash = { "hash", NULL, false, NULL, write_hash };
const struct writer writer_none = { "none", NULL, false, NULL, write_none };

#define WRITERS(X) X(png) X(ppm) X(qoi) X(raw) X(y4m) X(hash) X(none)
#define WORD(name) #name,
#define ADDRESS(name) &writer_##name,

const char *const writer_words[] = { WRITERS(WORD) NULL };
static const struct writer *const writers[] = { WRITERS(ADDRESS) };

const struct writer *writer_named(const char *name) {
	for (unsigned i = 0; writer_words[i]; i++) {
		if (strcasecmp(writer_words[i], name) == 0) {
			return writers[i];
		}
	}
	return NULL;
}

const struct writer *writer_of_path(const char *path, bool may_be_video) {
	const char *dot = strrchr(path, '.');
	const struct writer *found = dot ? writer_named(dot + 1) : NULL;
	const bool fits = found && (found->is_picture || (may_be_video && found->extension));
	return fits ? found : &writer_png;
}

const char *writer_path_error(const char *path) {
	static const char *const foreign[] = { "jpg", "jpeg", "gif", "bmp", "webp", "tif", "tiff",
		"tga", "pgm", "mp4" };
	const char *dot = strrchr(path, '.');
	if (!path[0]) {
		return "expected the name of a file";
	}
	for (unsigned i = 0; dot && i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		if (strcasecmp(dot + 1, foreign[i]) == 0) {
			return "expected a name that ends in .png, .ppm or .qoi";
		}
	}
	return NULL;
}

static int write_file(const char *path, const struct writer *writer, const struct picture *p,
		const uint8_t *rgba) {
	struct file_out out;
	int ret = file_begin(&out, path);
	if (ret < 0) {
		return ret;
	}
	errno = 0;
	ret = rgba ? write_rows(rgba, p->width, p->height, 4, out.f) : writer->write(out.f, p, "");
	return file_finish(&out, ret);
}

int picture_write(const struct picture *p, const char *path, const struct writer *writer) {
	return write_file(path, writer, p, NULL);
}

int picture_write_png(const struct picture *p, const char *path) {
	return picture_write(p, path, &writer_png);
}

int picture_write_png_rgba(const uint8_t *rgba, uint32_t width, uint32_t height, const char *path) {
	const struct picture size = { .width = width, .height = height };
	return write_file(path, &writer_png, &size, rgba);
}
