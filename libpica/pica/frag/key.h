/* Registers -> the selection of kernels (struct frag_key) and plain values (struct frag_consts). */
#ifndef FRAG_KEY_H
#define FRAG_KEY_H

#include <stdint.h>

#include "pica/frag/frag.h"
#include "pica/frag/kernels.h"

enum { FRAG_STAGES = 6 };

/* One combiner stage; sources, operands and operations are register values. */
struct frag_stage {
	uint8_t rgb_source[3], alpha_source[3];
	uint8_t rgb_operand[3], alpha_operand[3];
	uint8_t rgb_op, alpha_op;
	uint8_t rgb_scale, alpha_scale;
};

/* The operation between the combiner and the blender. */
enum frag_fog { FRAG_FOG_OFF, FRAG_FOG_ON, FRAG_FOG_GAS };

/*
 * Bytes only, so there is no padding. Settings without an effect are 0 (or ALWAYS), so that
 * equivalent states share a plan.
 */
struct frag_key {
	struct frag_stage stage[FRAG_STAGES];
	uint8_t buffer_rgb, buffer_alpha; /* bit s: stage s writes the combiner buffer */
	uint8_t textures;                 /* bit u: unit u is on */
	uint8_t texture0_type;            /* enum tex_type */
	uint8_t coord_set[TEX_UNITS];
	uint8_t proctex;                  /* on */
	uint8_t proctex_coord;            /* coordinate set of the procedural unit */
	struct light_key light;
	uint8_t fog;                      /* enum frag_fog */
	uint8_t mode;                     /* enum FRAGMENT_MODE */
	uint8_t alpha_relation;           /* of the alpha test; RELATION_ALWAYS when off */
	uint8_t w_buffer;
	uint8_t depth_format;             /* DEPTH_INVALID: no access to depth or stencil */
	uint8_t depth_relation;           /* RELATION_ALWAYS when off */
	uint8_t depth_write;
	uint8_t stencil;                  /* on and with an effect */
	uint8_t stencil_relation;
	uint8_t stencil_op[3];            /* fail, zfail, zpass */
	uint8_t stencil_write;
	uint8_t color_format;
	uint8_t color_write;              /* bit c: channel c is stored */
	uint8_t color_read;               /* the blender reads the destination */
	uint8_t blend;                    /* 0: the logic operation instead */
	uint8_t equation[2], src[2], dst[2]; /* RGB, alpha */
	uint8_t logic_op;
	uint8_t is_watched;               /* everything is computed: frag_cache_watch() */
};

/* Returns whether the tests read or write depth. */
static inline bool frag_key_depth(const struct frag_key *key) {
	return key->depth_relation != RELATION_ALWAYS || key->depth_write;
}

/* regs: the register file, 0x300 words. Writes all of *key and *consts. */
void frag_key_from_regs(struct frag_key *key, struct frag_consts *consts, const uint32_t *regs,
		bool is_watched);

/* Sets the constants of all steps that have any: run.c. */
void frag_step_consts(struct frag_consts *consts, const uint32_t *regs);

#endif
