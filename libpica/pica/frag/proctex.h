/*
 * The procedural texture unit (unit 3): registers and tables -> values, block kernels, and the
 * function that runs them for a batch. [fidelity: proctex; arithmetic: docs/fidelity.md 1,
 * "Procedural texture"]
 *
 *     u, v -> |u|, |v| -> + noise -> + shift -> clamp -> function -> map -> colour table -> RGBA
 *                                                   \-> function -> map -> A      (separate alpha)
 *
 * Each arrow is a kernel of its own, so that a draw pays for what it has switched on.
 */
#ifndef FRAG_PROCTEX_H
#define FRAG_PROCTEX_H

#include <stdbool.h>
#include <stdint.h>

#include "core/vec/batch.h"
#include "pica/tex/tex.h"

enum {
	PROCTEX_MAP_ENTRIES = 128,
	PROCTEX_COLORS = 256,
	PROCTEX_LEVELS = 8,
};

/* Coordinates and noise positions are clamped to this, far beyond the precision of hardware. */
#define PROCTEX_LIMIT 4194304.0f

/* A noise, RGB or alpha map: each value, and the difference to the next value. */
struct proctex_map {
	float row[PROCTEX_MAP_ENTRIES][2];
};

/* Colours and half their differences as uploaded: R in bits 0-7, then G, B, A. */
struct proctex_colors {
	uint32_t color[PROCTEX_COLORS];
	uint32_t difference[PROCTEX_COLORS]; /* four signed bytes */
};

struct proctex_noise {
	float amplitude[2], phase[2];
	float frequency[2]; /* 9 times the register's */
	const struct proctex_map *map;
};

/* Position of a level in the colour table: pos = offset + c*scale. */
struct proctex_level {
	float offset, scale;
};

enum proctex_mip { PROCTEX_MIP_NONE, PROCTEX_MIP_NEAREST, PROCTEX_MIP_LINEAR };

/* The unit as one draw sees it. Members 0 and 1 of pairs belong to u and v. */
struct frag_proctex {
	uint8_t clamp[2];   /* enum PROCTEX_CLAMP; 5 to 7 act as edge */
	uint8_t shift[2];   /* enum PROCTEX_SHIFT; 3 acts as none */
	uint8_t function[2]; /* enum PROCTEX_MAP, of RGB and of alpha; from 10 on: 0 */
	bool separate_alpha, has_noise, linear;
	uint8_t mip;        /* enum proctex_mip */
	uint8_t min_level, max_level; /* 0..15 and 0..7 */
	float lod_scale;    /* |width * bias| */
	struct proctex_level level[PROCTEX_LEVELS];
	struct proctex_noise noise;
	/*
	 * In the arena of the draw's pass, shared between draws. NULL if the state does not read
	 * it.
	 */
	const struct proctex_map *map[2]; /* RGB, alpha */
	const struct proctex_colors *colors;
};

/* Sets *p from regs, the register file. The pointers to tables become NULL. */
void proctex_from_regs(struct frag_proctex *p, const uint32_t *regs);
/* Decodes the raw words of a table. */
void proctex_map_decode(struct proctex_map *map, const uint32_t words[PROCTEX_MAP_ENTRIES]);

/*
 * Kernels. n: the number of lanes, a multiple of 16 up to BATCH. Later lanes of the colours are
 * unspecified afterwards. All values after coord() are finite, for any register values, so dead
 * lanes need no special handling.
 */
struct proctex_kernels {
	/* out = |c|, at most PROCTEX_LIMIT; 0 for NaN and infinity. */
	void (*coord)(float *out, const float *c, unsigned n);
	/*
	 * off = amount if k/2 is odd, else 0, where k = (int)other (+ 1 if even); other is the
	 * coordinate of the other axis.
	 */
	void (*shift)(float *off, const float *other, bool even, float amount, unsigned n);
	/* u = |u + n*ampU|, v = |v + n*ampV| */
	void (*noise)(float *u, float *v, const struct proctex_noise *p, unsigned n);
	/* c = clamp(c + off) into [0, 1]; off may be NULL. */
	void (*clamp)(float *c, const float *off, unsigned mode, unsigned n);
	/* out = map(f(u, v)) in [0, 1] */
	void (*map)(float *out, const float *u, const float *v, unsigned function,
			const struct proctex_map *map, unsigned n);
	/* Reads the colour table at the level of each quad. */
	void (*nearest)(uint16_t (*out)[BATCH], const float *c, const struct proctex_level *level,
			const struct proctex_colors *t, unsigned n);
	void (*linear)(uint16_t (*out)[BATCH], const float *c, const struct proctex_level *level,
			const struct proctex_colors *t, unsigned n);
	/* out = (int)(c*255) */
	void (*alpha)(uint16_t *out, const float *c, unsigned n);
};

/* One table per instruction set. */
#define PROCTEX_TABLE(id, set, arg) extern const struct proctex_kernels proctex_kernels_##set;
PROCTEX_TABLE(C, c, )
ISA_BUILT(PROCTEX_TABLE, )

/* The channels of the result that are read. */
enum { PROCTEX_RGB = 1, PROCTEX_ALPHA = 2 };

/*
 * Writes the unit's colour of lanes 0..n-1 (a multiple of 16; whole quads, covered or not) to four
 * planes. u, v: texture coordinates. Planes of channels not in `channels` are unspecified.
 */
void proctex_run(const struct proctex_kernels *k, const struct tex_kernels *tk,
		const struct frag_proctex *p, unsigned channels, const float *u, const float *v,
		unsigned n, uint16_t (*out)[BATCH]);

#endif
