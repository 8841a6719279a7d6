/* Formats in which pictures are written. */
#ifndef PICTURES_WRITER_H
#define PICTURES_WRITER_H

#include <stdbool.h>
#include <stdio.h>

#include "pictures/picture.h"

struct writer {
	const char *name;      /* as --format names it: "png" */
	const char *extension; /* of file names, without a dot; NULL: none */
	bool is_picture;       /* a file is one picture; else one file contains all pictures, or
	 * none */
	/* Begins a file of pictures of one size,
			rate_mhz of them in 1000 seconds; NULL: nothing. */
	int (*open)(FILE *f, uint32_t width, uint32_t height, uint32_t rate_mhz);
	/* Writes a picture; label: what precedes a hash in its line. 0 or a negative errno. */
	int (*write)(FILE *f, const struct picture *p, const char *label);
};

extern const struct writer writer_png;  /* RGB8, fast: level 1, SUB filter */
extern const struct writer writer_ppm;  /* P6 */
extern const struct writer writer_qoi;  /* RGB, sRGB */
extern const struct writer writer_raw;  /* R, G, B, A of each pixel, without a header */
extern const struct writer writer_y4m;  /* a video: y4m.h */
extern const struct writer writer_hash; /* "LABEL HASH", a line a picture */
extern const struct writer writer_none; /* writes nothing */

/* The names of all of them, up to NULL. */
extern const char *const writer_words[];
/* Returns the writer of that name, in either case, or NULL. */
const struct writer *writer_named(const char *name);
/* Returns the writer for the extension of a path, in either case; PNG if there is none. */
const struct writer *writer_of_path(const char *path, bool may_be_video);
/* Returns the message for an unsupported extension of pictures (.jpg), or NULL. */
const char *writer_path_error(const char *path);
/*
 * Writes a file of one picture, which appears whole or not at all (file.h; "-" is the standard
 * output). Returns 0; on failure a negative errno.
 */
int picture_write(const struct picture *p, const char *path, const struct writer *writer);
int picture_write_png(const struct picture *p, const char *path);
/* Writes RGBA8 rows, from the top, without gaps. Returns 0 or a negative errno. */
int picture_write_png_rgba(const uint8_t *rgba, uint32_t width, uint32_t height, const char *path);

#endif
