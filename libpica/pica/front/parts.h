/*
 * The state that draws see, in parts: each is derived from registers and tables when a draw needs
 * it, lies in the open pass, and is shared by its draws until something is written that it is made
 * of.
 */
#ifndef FRONT_PARTS_H
#define FRONT_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/pass/pass.h"
#include "pica/tex/tex.h"

struct pica_ctx;

/* Tables that are written through ports; read by lighting, fog, procedural texture and gas. */
struct luts {
	uint32_t light[32][256]; /* by table number of 1C5 bits 8-12 */
	uint32_t fog[128];
	uint32_t proctex[16][256];
	uint32_t gas[16];
};

/*
 * Decoded tables of the procedural texture unit in the open pass; NULL: not yet, or changed since.
 */
struct proctex_parts {
	const struct proctex_map *noise, *map[2]; /* map: RGB, alpha */
	const struct proctex_colors *colors;
};

/* Lighting in the open pass; NULL: to be made anew. */
struct light_part {
	const struct light_draw *draw; /* of the registers as they were when it was made */
	const struct light_entry *table[LIGHT_TABLES];
};

struct parts {
	uint32_t dirty; /* PART_* */
	const struct vertex_part *vertex;
	const struct shader_uniforms *uniforms;
	const struct geom_state *geom;
	const struct frag_draw *frag;
	const uint32_t *fog_table; /* NULL: not copied yet, or written since */
	struct proctex_parts proctex;
	struct light_part light;
	struct target target; /* host pointers not set */
	bool target_ok;
	struct frag_info info;
	struct range tex[TEX_UNITS + TEX_FACES - 1];
	unsigned n_tex;
	bool touched_color, touched_depth; /* stamps were raised for the open pass */
	struct fetch_layout layout; /* of the registers, while layout_valid */
	bool layout_valid;
};

/* The parts lie in a pass that is not open any more. (draw.c) */
void parts_forget(struct pica_ctx *ctx);

/* ---- frag_part.c ---- */
/*
 * Derives plan, target, raster state and textures from the registers, in an open pass that fits
 * them. False: nothing is drawn, or out of memory (the job's result says so). *own_target: the draw
 * samples its target.
 */
bool frag_part_make(struct pica_ctx *ctx, bool *own_target);

/* ---- fog_part.c ---- */
/* The fog table as it is now, in the open pass. NULL: the job ends with -ENOMEM. */
const uint32_t *fog_part_make(struct pica_ctx *ctx);

/* ---- proctex_part.c ---- */
/* A word for one of the unit's tables. */
void proctex_table_write(struct pica_ctx *ctx, unsigned table, uint32_t index, uint32_t word);
/* The unit for the registers and tables as they are, in the open pass. NULL: as above. */
const struct frag_proctex *proctex_part_make(struct pica_ctx *ctx);

/* ---- light_part.c ---- */
/* The lighting that parts.info asks for, in the open pass. NULL: as above. */
const struct light_draw *light_part_make(struct pica_ctx *ctx);
/* An entry of the table was changed. */
void light_table_changed(struct pica_ctx *ctx, unsigned table);

/* ---- gas.c ---- */
/* A unit was reaped: its greatest density goes to register 125. */
void gas_result(struct pica_ctx *ctx);
/* Waits until register 125 knows all draws so far. */
void gas_settle(struct pica_ctx *ctx);

static inline struct range color_range(const struct target *t) {
	return (struct range){ t->color_addr, t->color_bytes };
}

static inline struct range depth_range(const struct target *t) {
	return (struct range){ t->depth_addr, t->depth_bytes };
}

#endif
