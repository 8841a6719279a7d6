/*
 * The pictures of a context: its screens, or its last target. Shared by the tools.
 */
#ifndef CLIENTS_SHOWN_H
#define CLIENTS_SHOWN_H

#include <stdbool.h>

#include "gpu.h"
#include "pictures/picture.h"

enum shown_view {
	SHOWN_TOP,
	SHOWN_TOP_RIGHT,
	SHOWN_BOTTOM,
	SHOWN_PICTURE,
	SHOWN_BUFFER,
	SHOWN_COUNT
};

struct shown {
	struct picture picture[SHOWN_COUNT]; /* owned */
	bool is_set[SHOWN_COUNT];
};

/* Returns "top", "top-right", "bottom", "picture" or "buffer", for file names. */
const char *shown_name(enum shown_view view);
/*
 * Takes the screens that were set, with the right eye if it has its own picture; or the picture.
 * Replaces *s, which must be zero or taken before. Returns their number, or a negative errno;
 * shown_finish() may be called in any case.
 */
int shown_take(struct shown *s, struct pica_ctx *ctx);
/* Copies the last colour buffer into a shown that was taken; is_set if it could be read. */
void shown_take_buffer(struct shown *s, struct pica_ctx *ctx);
void shown_finish(struct shown *s);

/*
 * Composes both screens, one below the other, or one of them, at their usual size; screens: bits 1
 * << PICA_SCREEN_... A screen that was never set is black; top: the eye of the top screen. Of a
 * VideoCore IV it is the picture at its own size, or the same black before there is one. Replaces
 * *out. Returns 0 or a negative errno.
 */
int shown_compose(struct picture *out, struct gpu gpu, unsigned screens, enum pica_eye top);
/* The same in black. Returns 0 or -ENOMEM. */
int shown_blank(struct picture *out, unsigned screens);

#endif
