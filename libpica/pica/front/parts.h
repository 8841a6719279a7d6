/*
 * The state that draws see, in parts: each is derived from registers and tables when a draw needs
 * it, lies in the open pass, and is shared by its draws until something is written that it is made
 * of.
 */
#ifndef FRONT_PARTS_H
#define FRONT_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "pica/draw/draw.h"
#include "pica/tex/tex.h"

struct pica200;

struct parts {
	uint32_t dirty; /* PART_* */
	const struct vertex_part *vertex;
	const struct shader_uniforms *uniforms;
	const struct geom_state *geom;
	const struct frag_draw *frag;
	const struct raster_state *raster;
	bool is_noted; /* the open pass's footprint has what frag reads and writes */
	struct frag_tables tables;
	struct target target; /* host pointers not set */
	bool target_ok;
	struct frag_info info;
	struct range tex[TEX_UNITS + TEX_FACES - 1];
	unsigned n_tex;
	bool touched_color, touched_depth; /* stamps were raised for the open pass */
	struct fetch_layout layout; /* of the registers, while layout_valid */
	bool layout_valid;
};

/* The parts lie in a pass that is no longer open. (draw.c) */
void parts_forget(struct pica200 *ctx);

/* ---- frag_part.c ---- */
/*
 * Derives plan, target, raster state and textures from the registers, in an open pass that fits
 * them. Returns false if nothing is drawn, or when out of memory (the job's result says so).
 * *own_target: the draw samples its target.
 */
bool frag_part_make(struct pica200 *ctx, bool *own_target);

/* ---- gas.c ---- */
/* A unit was reaped: its greatest density goes to register 125. */
void gas_result(struct pica200 *ctx);
/* Waits until register 125 knows all draws so far. */
void gas_settle(struct pica200 *ctx);

static inline struct range color_range(const struct target *t) {
	return (struct range){ t->color_addr, t->color_bytes };
}

static inline struct range depth_range(const struct target *t) {
	return (struct range){ t->depth_addr, t->depth_bytes };
}

#endif
