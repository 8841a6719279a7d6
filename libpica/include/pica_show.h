/*
 * Shows screens, for services and programs that own a display.
 *
 * A shot is a copy of a screen at a PRESENT, in memory that command lists cannot reach. The
 * renderer copies the framebuffer in the order of the work, so later draws do not change the shot.
 * pica_show() draws shots into a picture in host memory, for example one that a display scans out.
 * It turns them upright, converts, scales and turns them for the panel, in one pass on the workers
 * of the device.
 */
#ifndef PICA_SHOW_H
#define PICA_SHOW_H

#include "pica.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pica_shot;

/* ---- Shots ---- */

/* Creates an empty shot (is_set is 0) with one reference. Returns 0, or -ENOMEM. */
int pica_shot_create(struct pica_shot **out);
/*
 * Take and release references, from any thread. The last pica_shot_put() frees the shot. shot may
 * be NULL. pica_shot_get() returns its argument.
 */
struct pica_shot *pica_shot_get(struct pica_shot *shot);
void pica_shot_put(struct pica_shot *shot);
/*
 * Replaces the picture with a copy of RGB8 rows, top row first; width and height are 1..8192, and
 * stride_bytes is at least 3 * width. No other thread may use the shot during the call. Returns 0,
 * -EINVAL or -ENOMEM.
 */
int pica_shot_set_rgb(struct pica_shot *shot, uint32_t width, uint32_t height, const uint8_t *rgb,
		size_t stride_bytes);
/*
 * Describes the picture, as pica_ctx_screen() describes a screen. Sizes are those of the upright
 * picture.
 */
void pica_shot_screen(const struct pica_shot *shot, struct pica_screen *out);
/*
 * Copies the picture upright as RGB8 rows, top row first, as pica_ctx_read_screen() does. Returns
 * 0; -ENODATA if is_set is 0.
 */
int pica_shot_read(
		const struct pica_shot *shot, enum pica_eye eye, uint8_t *rgb, size_t stride_bytes);

/*
 * Queues a PRESENT, as pica_submit() does, that copies the top and bottom screens into two shots,
 * as they are when all earlier jobs are complete. Either shot may be NULL. Holds references until
 * the job completes; until then nothing else may use the shots. A VideoCore IV has no screens: top
 * becomes its picture (pica_ctx_read_picture()), and stays as it was if there is none, if it is not
 * inside one window, or if a side has more than 4096 pixels. Returns 0; -EINVAL if the job is not a
 * PRESENT or is malformed; -EOPNOTSUPP for a bottom shot of a VideoCore IV.
 */
int pica_submit_present(struct pica_ctx *ctx, const struct pica_job *job, struct pica_shot *top,
		struct pica_shot *bottom, uint64_t *seq);

/* ---- Composition ---- */

enum pica_show_format {
	PICA_SHOW_XRGB8888, /* little-endian words 0xFFRRGGBB: opaque if X is read as alpha */
	PICA_SHOW_RGB565,   /* little-endian half words, truncated */
};

enum pica_show_filter {
	PICA_SHOW_NEAREST,  /* the pixel whose area contains the centre of the target's */
	/* interpolates the four nearest pixels with 8-bit weights; edges are extended */
	PICA_SHOW_BILINEAR,
};

enum pica_show_eyes {
	PICA_SHOW_LEFT,     /* also used as the right eye of a shot that has none */
	PICA_SHOW_RIGHT,
	PICA_SHOW_ANAGLYPH, /* red of the left eye, green and blue of the right one */
};

/* The picture to draw into; host is its top left. It is never read, and written only in parts. */
struct pica_show_target {
	uint8_t *host;
	size_t stride_bytes;
	uint32_t width, height; /* pixels, up to 16384 */
	enum pica_show_format format;
};

/* One rectangle of the target. */
struct pica_show_part {
	const struct pica_shot *shot; /* NULL: fills the part with color */
	/* 0x00RRGGBB; with a shot: used if its screen was never set (is_set is 0) */
	uint32_t color;
	/* -65536..65536; the part is clipped to the target */
	int32_t x, y;
	uint32_t width, height;       /* after turning, up to 65536 */
	uint32_t turns;               /* quarter turns clockwise, 0..3 */
	enum pica_show_filter filter;
	enum pica_show_eyes eyes;
};

enum { PICA_SHOW_PARTS = 16 };

/*
 * Draws n parts (at most PICA_SHOW_PARTS, not overlapping) on the workers of the device, ahead of
 * other work, and returns when they are drawn. If the device has no workers, the calling thread
 * draws. May be called from any thread. Returns 0, -EINVAL or -ENOMEM.
 */
int pica_show(struct pica_device *device, const struct pica_show_target *target,
		const struct pica_show_part *parts, unsigned n);

#ifdef __cplusplus
}
#endif

#endif
