/*
 * The state that draws see, in parts. A part is derived from registers and tables when a draw needs
 * it, and is stored in the open pass. The draws of the pass share it until one of its sources is
 * written.
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
	bool is_noted; /* the footprint of the open pass includes what frag reads and writes */
	struct frag_tables tables;
	struct target target; /* host pointers not set */
	bool target_ok;
	struct frag_info info;
	struct range tex[TEX_UNITS + TEX_FACES - 1];
	unsigned n_tex;
	bool touched_color, touched_depth; /* stamps were raised for the open pass */
	struct fetch_layout layout; /* of the registers, valid while layout_valid */
	bool layout_valid;
};

/* Call when the pass that holds the parts is no longer open. (draw.c) */
void parts_forget(struct pica200 *ctx);

/* ---- frag_part.c ---- */
/*
 * Opens a pass that suits the registers, if necessary, and derives plan, target, raster state and
 * textures from them. Returns false if nothing is to be drawn, or when out of memory (see the job's
 * result). Sets *own_target if the draw samples its own target.
 */
bool frag_part_make(struct pica200 *ctx, bool *own_target);

/* ---- gas.c ---- */
/* Call when a unit was reaped: updates register 125 with its greatest density. */
void gas_result(struct pica200 *ctx);
/* Waits until register 125 includes all draws so far. */
void gas_settle(struct pica200 *ctx);

static inline struct range color_range(const struct target *t) {
	return (struct range){ t->color_addr, t->color_bytes };
}

static inline struct range depth_range(const struct target *t) {
	return (struct range){ t->depth_addr, t->depth_bytes };
}

#endif
