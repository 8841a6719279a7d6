/*
 * Showing screens: for services and programs that own a display.
 *
 * A shot is a screen as a PRESENT found it, apart from any memory that a command list can reach:
 * the renderer copies the framebuffer in the order of the work, so what comes later may draw over
 * it. Shots are then put into a picture in host memory, which may be what a display scans out:
 * turned upright, converted, scaled and turned again for the panel, in one pass on the device's
 * workers.
 */
#ifndef PICA_SHOW_H
#define PICA_SHOW_H

#include "pica.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pica_shot;

/* ---- Shots ---- */

/* A shot that shows nothing yet (is_set = 0), with one reference. -ENOMEM. */
int pica_shot_create(struct pica_shot **out);
/*
 * Shots are counted; any thread. put: the last one frees it. NULL is allowed; get returns its
 * argument.
 */
struct pica_shot *pica_shot_get(struct pica_shot *shot);
void pica_shot_put(struct pica_shot *shot);
/*
 * Makes it a picture of RGB8 rows from the top, width and height 1..8192, stride_bytes >= 3 * width
 * apart, which are copied. Nobody else may use the shot meanwhile. -EINVAL, -ENOMEM.
 */
int pica_shot_set_rgb(struct pica_shot *shot, uint32_t width, uint32_t height, const uint8_t *rgb,
		size_t stride_bytes);
/*
 * What was shown, as pica_ctx_screen() would have said then. Sizes are those of the picture
 * upright.
 */
void pica_shot_screen(const struct pica_shot *shot, struct pica_screen *out);
/*
 * The picture upright as RGB8 rows from the top, as pica_ctx_read_screen(). -ENODATA: nothing was
 * set.
 */
int pica_shot_read(
		const struct pica_shot *shot, enum pica_eye eye, uint8_t *rgb, size_t stride_bytes);

/*
 * Queues a PRESENT, as pica_submit() does, that fills shots: top and bottom, each NULL or what the
 * screen shows when all earlier jobs are done. References are taken until the job is complete; then
 * the shots are whole, and until then nobody else may use them. -EINVAL: not a PRESENT, or
 * malformed.
 */
int pica_submit_present(struct pica_ctx *ctx, const struct pica_job *job, struct pica_shot *top,
		struct pica_shot *bottom, uint64_t *seq);

/* ---- Putting them into a picture ---- */

enum pica_show_format {
	PICA_SHOW_XRGB8888, /* little-endian words 0x00RRGGBB */
	PICA_SHOW_RGB565,   /* little-endian half words, truncated */
};

enum pica_show_filter {
	PICA_SHOW_NEAREST,  /* the pixel whose area holds the centre of the target's pixel */
	/* between the four centres around it, in 8-bit weights; edges are extended */
	PICA_SHOW_BILINEAR,
};

enum pica_show_eyes {
	PICA_SHOW_LEFT,     /* also what a shot without a right eye shows for the right one */
	PICA_SHOW_RIGHT,
	PICA_SHOW_ANAGLYPH, /* red of the left eye, green and blue of the right one */
};

/* Where to. It is written only, from the top left on, and only where the parts are. */
struct pica_show_target {
	uint8_t *host;
	size_t stride_bytes;
	uint32_t width, height; /* pixels, up to 16384 */
	enum pica_show_format format;
};

/* One rectangle of the target. */
struct pica_show_part {
	const struct pica_shot *shot; /* NULL: filled with the colour */
	/* 0x00RRGGBB; for a shot: what stands for a screen that was never set */
	uint32_t color;
	/* may lie outside of the target, which clips; -65536..65536 */
	int32_t x, y;
	uint32_t width, height;       /* after turning, up to 65536 */
	uint32_t turns;               /* quarter turns clockwise, 0..3 */
	enum pica_show_filter filter;
	enum pica_show_eyes eyes;
};

enum { PICA_SHOW_PARTS = 16 };

/*
 * Draws n parts (up to PICA_SHOW_PARTS, which do not overlap) on the device's workers, before other
 * work, and returns when they are drawn. Any thread; without workers the caller draws. -EINVAL,
 * -ENOMEM.
 */
int pica_show(struct pica_device *device, const struct pica_show_target *target,
		const struct pica_show_part *parts, unsigned n);

#ifdef __cplusplus
}
#endif

#endif
