/* Pictures of screens: comparing, hashing, reading PNG. writer.h writes them. */
#ifndef PICTURES_PICTURE_H
#define PICTURES_PICTURE_H

#include <stddef.h>
#include <stdint.h>

/* RGB8 rows from the top, without gaps. */
struct picture {
	uint32_t width, height;
	uint8_t *rgb;   /* owned; NULL: empty */
	uint8_t *alpha; /* one byte per pixel, owned; NULL: all 255. Only the format raw writes
	 * it */
};

enum {
	PICTURE_HASH_TEXT = 33,
	PICTURE_PNG_PX = 16384, /* greatest side of a PNG to read */
	PICTURE_IGNORE_ALPHA = 1 << 24 /* as a background */
};

void picture_finish(struct picture *p);
/*
 * Replaces *p by a picture of that size with undefined pixels and no alpha. Returns 0, or -ENOMEM:
 * *p is unchanged.
 */
int picture_alloc(struct picture *p, uint32_t width, uint32_t height);
/*
 * Replaces *p by rows of R, G, B, A without gaps, with their alpha. Returns 0. On failure
 * returns -ENOMEM, and leaves *p unchanged.
 */
int picture_from_rgba(struct picture *p, const uint8_t *rgba, uint32_t width, uint32_t height);
/* A hash as 32 hexadecimal digits; the hash of a picture [fidelity: picture-hash], as these. */
void picture_hash_text(const uint8_t hash[16], char text[PICTURE_HASH_TEXT]);
void picture_hash(const struct picture *p, char text[PICTURE_HASH_TEXT]);

/*
 * Turns a picture upright if it is as wide as a screen is high (240 or 480 pixels): its rows are
 * the columns of a screen, from the bottom, as in memory. Returns 0 or -ENOMEM.
 */
int picture_turn_screen(struct picture *p);
/*
 * Replaces *p by a PNG as RGB8, in sRGB unless it specifies otherwise. Transparent pixels are mixed
 * with background, 0x00RRGGBB, in linear light; with PICTURE_IGNORE_ALPHA they keep the colours of
 * the file. Returns 0, or a negative errno: *p is unchanged; -EINVAL: not a whole PNG that can be
 * read; -EFBIG: too large.
 */
int picture_read_png(struct picture *p, const char *path, uint32_t background);

/*
 * Decodes a PNG of n bytes into RGBA rows without gaps (caller frees). Returns 0, or a negative
 * errno as above; *rgba is NULL then.
 */
int picture_decode_png(
		const void *png, size_t n, uint8_t **rgba, uint32_t *width, uint32_t *height);

struct picture_difference {
	uint64_t pixels;   /* pixels that differ at all */
	uint64_t beyond;   /* ... by more than the tolerance in a channel */
	unsigned max;      /* largest difference of a channel */
	uint32_t x, y;     /* first pixel beyond the tolerance, or else the first that differs */
	/* The smallest rectangle around all pixels beyond the tolerance; 0: none. */
	uint32_t left, top, width, height;
};

/* One that differs, with the colours of both pictures. */
struct picture_pixel {
	uint32_t x, y;
	uint8_t a[3], b[3];
};

/* Returns 0, or -EINVAL if the sizes differ. */
int picture_compare(const struct picture *a, const struct picture *b, unsigned tolerance,
		struct picture_difference *d);
/*
 * Stores the first pixels, at most max, of two pictures of equal size that differ by more than the
 * tolerance in a channel, in rows from the top. Returns their number.
 */
unsigned picture_first_differing(const struct picture *a, const struct picture *b,
		unsigned tolerance, struct picture_pixel *out, unsigned max);
/*
 * Makes a picture that is dark grey where two pictures of one size agree, and bright red to yellow,
 * by their difference, where they do not. *out is overwritten, not freed. Returns 0 or -ENOMEM.
 */
int picture_show_difference(struct picture *out, const struct picture *a, const struct picture *b);

#endif
