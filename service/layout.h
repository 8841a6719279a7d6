/*
 * The rectangles of the screens on an output.
 *
 * The screens form a canvas, in console pixels; the canvas is scaled, rotated and centred on the
 * output. The rest is background. Side-by-side stereo shows the top screen twice:
 *
 *     stacked          side-by-side          stacked, --stereo side-by-side
 *     +----------+     +----------+--------+     +----------+----------+
 *     |   top    |     |   top    | bottom |     |   left   |  right   |
 *     +-+------+-+     +----------+--------+     +----------+----------+
 *       |bottom|                                      |bottom|
 *       +------+
 */
#ifndef SERVICE_LAYOUT_H
#define SERVICE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "pica_show.h"
#include "service/display.h"

enum layout_kind {
	LAYOUT_STACKED,
	LAYOUT_SIDE_BY_SIDE,
	LAYOUT_TOP, /* the top screen alone */
	LAYOUT_BOTTOM,
	LAYOUT_SPLIT, /* the top screen on the first output, the bottom one on the second; stacked,
			 if there is one */
};

enum layout_scale {
	LAYOUT_INTEGER, /* the largest whole multiple that fits; if 1 does not: as LAYOUT_FIT */
	LAYOUT_FIT,     /* as large as fits, proportions kept */
	LAYOUT_STRETCH, /* fills the output */
	LAYOUT_TIMES,   /* layout.times; cropped on all sides */
};

enum layout_stereo {
	LAYOUT_MONO, /* the eye that the PRESENT names */
	LAYOUT_EYES_BESIDE,
	LAYOUT_EYES_ANAGLYPH,
};

enum { LAYOUT_MAX_TIMES = 32 };

struct layout {
	enum layout_kind kind;
	enum layout_scale scale;
	uint32_t times; /* 1..LAYOUT_MAX_TIMES */
	enum pica_show_filter filter;
	uint32_t turns;      /* of everything, clockwise quarter turns, 0..3 */
	uint32_t background; /* 0x00RRGGBB */
	enum layout_stereo stereo;
};

enum { LAYOUT_PLACES = 3, LAYOUT_REST = 10 };

/* A screen on an output, in its pixels; may stick out. */
struct layout_place {
	enum pica_screen_id screen;
	/* PICA_SHOW_LEFT: the eye that the PRESENT names, unless eyes are side by side */
	enum pica_show_eyes eyes;
	int32_t x, y;
	uint32_t width, height;
};

/* stacked, integer, nearest, upright, black, mono. */
void layout_init(struct layout *l);
/*
 * Set a member from the value of picad's option: "split-outputs", "stretch" or "3", "bilinear",
 * "270", "ff8000", "anaglyph". Return 0, or -EINVAL for an invalid value.
 */
int layout_set_kind(struct layout *l, const char *name);
int layout_set_scale(struct layout *l, const char *name);
int layout_set_filter(struct layout *l, const char *name);
int layout_set_rotation(struct layout *l, const char *degrees);
int layout_set_background(struct layout *l, const char *rrggbb);
int layout_set_stereo(struct layout *l, const char *name);

/*
 * Stores the size of an output that everything fills without being scaled, or scaled by l->times
 * (LAYOUT_TIMES).
 */
void layout_size(const struct layout *l, uint32_t *width, uint32_t *height);
/* Computes the places on an output of that size. Returns their number; 0: only background. */
unsigned layout_places(const struct layout *l, unsigned output, unsigned n_outputs, uint32_t width,
	uint32_t height, struct layout_place out[LAYOUT_PLACES]);
/*
 * Places one picture of that size instead of the screens, scaled in the same way. screen and eyes
 * are not set.
 */
void layout_picture(const struct layout *l, uint32_t width, uint32_t height, uint32_t picture_width,
	uint32_t picture_height, struct layout_place *out);
/* Stores rectangles that cover the output around n places without overlap. Returns their number. */
unsigned layout_rest(const struct layout_place *places, unsigned n, uint32_t width, uint32_t height,
	struct display_rect out[LAYOUT_REST]);
/* Stores the visible part of a place. Returns false if there is none. */
bool layout_visible(const struct layout_place *place, uint32_t width, uint32_t height,
		struct display_rect *out);

#endif
