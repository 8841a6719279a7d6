/* A context of the VideoCore IV: its jobs and the picture that they produce. */
#ifndef VC4_FRONT_H
#define VC4_FRONT_H

#include "core/ctx/ctx.h"
#include "vc4/draw/draw.h"

struct vc4_ctx {
	struct pica_ctx base; /* first */
	struct vc4_unit unit;
};

extern const struct chip vc4_chip;

/* Returns the context if its chip is the VideoCore IV, else NULL. */
static inline struct vc4_ctx *vc4_from(struct pica_ctx *base) {
	return base->chip->id == PICA_CHIP_VC4 ? (struct vc4_ctx *)base : NULL;
}

/* ---- picture.c; the context is idle ---- */

/* Returns 0, or -ENODATA. */
int vc4_picture(const struct vc4_ctx *ctx, struct pica_picture *out);
/*
 * Returns whether the picture lies inside one window and has pixels. If so, they fit in 1 GiB of
 * RGBA8.
 */
bool vc4_picture_is_there(const struct space *space, const struct pica_picture *picture);
/* Decodes rows from the top. Returns 0, or -ERANGE if the picture is not inside one window. */
int vc4_picture_read(const struct space *space, const struct pica_picture *picture, uint8_t *rgba,
		size_t stride_bytes);
/* The same for n rows, the first of which goes to rgba. */
int vc4_picture_read_rows(const struct space *space, const struct pica_picture *picture,
		uint32_t first, uint32_t n, uint8_t *rgba, size_t stride_bytes);

#endif
