/* Taking shots of screens, and drawing them into a host's picture (pica_show.h). */
#ifndef XFER_SHOW_H
#define XFER_SHOW_H

#include <stdatomic.h>

#include "pica/xfer/xfer.h"
#include "pica_show.h"

enum {
	SHOT_LINE_PX = 240,
	SHOT_LEFT_BYTES = 800 * SHOT_LINE_PX * 4,  /* wide mode, the largest format */
	SHOT_RIGHT_BYTES = 400 * SHOT_LINE_PX * 4,
	SHOW_MAX_PX = 16384,
};

/*
 * Lines of pixels. They are the columns of a screen from the left, each from the bottom up, or the
 * rows of a host's picture from the top.
 */
struct pica_shot {
	atomic_uint refs;
	struct pica_screen info; /* upright */
	uint8_t solid[3];
	bool is_rows;            /* RGBA8 words in px[0] */
	uint32_t n_lines, line_px;
	uint32_t line_bytes;
	uint8_t *px[2];          /* left, right: in one allocation; or px[0] only */
};

/*
 * Copies the screen that s describes from memory. On any thread. Returns the number of bytes
 * outside windows.
 */
uint32_t shot_take(struct pica_shot *shot, const struct scanout *s, const struct space *space);
/* Writes pixels [first, first + n) of a line of an eye as RGBA8 words. */
void shot_line(const struct pica_shot *shot, const struct xfer_kernels *k, unsigned eye,
		uint32_t line, uint32_t first, unsigned n, uint32_t *rgba);

/* A part clipped to the target, and how its pixels are found. */
struct show_part {
	const struct pica_show_part *part;
	uint32_t x0, x1, y0, y1; /* visible rectangle, in the target */
	uint32_t width, height;  /* of the shot after turning */
	bool is_turned;          /* a row takes one pixel of each line */
	bool flip_x, flip_y;     /* along a row, from row to row: start at the last line or pixel */
	unsigned eye[2], n_eyes;
	unsigned times;          /* repetitions of a pixel along a row; 0: see `at` */
	const uint32_t *at;      /* per visible pixel: index << 8 | weight of the next pixel */
	bool is_bilinear;
};

/* Returns the bytes of memory that show_rows() needs for a part, on each thread. */
size_t show_scratch_bytes(const struct show_part *p);
/* Returns false if no pixel of the part is visible. at: space for SHOW_MAX_PX words. */
bool show_part_init(struct show_part *p, const struct pica_show_part *part,
		const struct pica_show_target *target, uint32_t *at);
/* Draws the rows [y0, y1) of the target. On any thread. */
void show_rows(const struct show_part *p, const struct pica_show_target *target,
		const struct xfer_kernels *k, uint32_t y0, uint32_t y1, void *scratch);

#endif
