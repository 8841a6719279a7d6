/*
 * Fragment lighting: the two colours of a fragment that combiner sources 1 and 2 read.
 * [fidelity: lighting; the arithmetic to the bit: docs/fidelity.md 1, "Lighting"]
 *
 *   light_key    what of the registers alters the plan: planes and textures that are read
 *   light_draw   what a draw brings: sources, decoded tables, constants; immutable, in its pass
 *   kernels      a batch at a time, on planes of floats
 */
#ifndef FRAG_LIGHT_H
#define FRAG_LIGHT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/vec/cpu.h"
#include "pica/regs/planes.h"

enum {
	LIGHT_SOURCES = 8,
	LIGHT_TABLES = 24, /* numbered as register 1C5 does; 2 and 7 do not exist */
	LIGHT_ENTRIES = 256,
};

/* The parts of the two colours that are read. */
enum {
	LIGHT_PRIMARY = 1,
	LIGHT_PRIMARY_ALPHA = 2,
	LIGHT_SECONDARY = 4,
	LIGHT_SECONDARY_ALPHA = 8,
	LIGHT_ALPHAS = LIGHT_PRIMARY_ALPHA | LIGHT_SECONDARY_ALPHA,
};

/* ---- Key ---- */

enum light_bump { LIGHT_BUMP_NONE, LIGHT_BUMP_NORMAL, LIGHT_BUMP_TANGENT };

/* Part of struct frag_key: bytes only, 0 where nothing can show it. Masks are of LIGHT_PRIMARY.. */
struct light_key {
	uint8_t on;
	uint8_t alpha;       /* alphas that vary; the others are 1 */
	uint8_t view;        /* colours that look at the view vector */
	uint8_t bump;        /* enum light_bump */
	uint8_t bump_unit;   /* 0 to 3 */
	uint8_t shadow;      /* colours that a shadow factor dims */
	uint8_t shadow_unit;
};

void light_key_from_regs(struct light_key *key, const uint32_t *regs);

/* ---- Draw ---- */

/* An entry: value + difference * fraction. */
struct light_entry {
	float value, difference;
};

/* raw: words as the port got them. [fidelity: lighting-tables] */
void light_table_decode(struct light_entry out[LIGHT_ENTRIES], const uint32_t raw[LIGHT_ENTRIES]);

/* Inputs of a table: values of register 1D1. */
enum light_input {
	LIGHT_NH, /* normal and half vector */
	LIGHT_VH, /* view and half vector */
	LIGHT_NV,
	LIGHT_LN,
	LIGHT_SPOT, /* light and spot direction */
	LIGHT_CP,   /* cosine of phi: half vector in the surface and tangent */
	LIGHT_ZERO,
	LIGHT_INPUTS
};

enum { LIGHT_NO_TABLE = 0xFF };

/* How a table is read. */
struct light_lookup {
	float scale;
	uint8_t table;     /* or LIGHT_NO_TABLE */
	uint8_t input;     /* enum light_input */
	uint8_t is_signed; /* indexed by -1..1; else by the absolute value or the positive part */
};

/* The entry that value r of an input names, whatever r is; the fraction after it in *f. */
static inline unsigned light_entry_at(
		const struct light_lookup *how, bool two_sided, float r, float *f) {
	float x, at;
	if (how->is_signed) {
		x = r * 128.0f;
		at = floorf(x);
		at = at > -128.0f ? at : -128.0f;
		at = at < 127.0f ? at : 127.0f;
		*f = x - at;
		return (unsigned)(int)at & 255; /* -1 is the last entry */
	}
	x = two_sided ? fabsf(r) : r > 0.0f ? r : 0.0f;
	x *= 256.0f;
	at = floorf(x);
	at = at > 0.0f ? at : 0.0f;
	at = at < 255.0f ? at : 255.0f;
	*f = x - at;
	return (unsigned)(int)at;
}

enum {
	LIGHT_DIRECTIONAL = 1,
	LIGHT_TWO_SIDED = 2,
	LIGHT_GEOMETRIC0 = 4,   /* the geometric factor dims specular 0 */
	LIGHT_GEOMETRIC1 = 8,
	LIGHT_SHADE_PRIMARY = 16, /* the shadow factor does */
	LIGHT_SHADE_SECONDARY = 32,
	LIGHT_ADDS_PRIMARY = 64,  /* adds something to the primary colour */
	LIGHT_ADDS_SECONDARY = 128,
	LIGHT_HALF = 256,         /* the half vector is needed */
	LIGHT_SPECULAR0 = 512,    /* not black, where the secondary colour is read */
	LIGHT_SPECULAR1 = 1024,
};

/* A light in the order of the slots. */
struct light_source {
	float specular0[3], specular1[3], diffuse[3], ambient[3];
	float position[3];  /* directional: the unit vector to the light, or 0 */
	float length;       /* directional: of the vector as the registers have it */
	float spot[3];      /* negated direction, -1..1 */
	float distance_scale, distance_bias;
	struct light_lookup spot_factor, distance_factor; /* SP, DA */
	uint16_t flags;
	uint8_t inputs;     /* bit i: enum light_input i is needed */
	uint8_t number;     /* 0..7 */
};

enum {
	LIGHT_NORMAL_MAP = 1,  /* of light_draw.surface: how the normal is made */
	LIGHT_TANGENT_MAP = 2,
	LIGHT_KEEP_Z = 4,
	LIGHT_TANGENT = 8,     /* the tangent is needed */
};

struct light_draw {
	struct light_source source[LIGHT_SOURCES];
	/* those of `tables`; the maker of the draw sets them */
	const struct light_entry *table[LIGHT_TABLES];
	uint32_t tables;
	struct light_lookup d0, d1, fresnel;
	struct light_lookup reflection[3]; /* RR, RG, RB; G and B may be RR's */
	float ambient[3];
	uint8_t n_sources;
	uint8_t outputs;     /* LIGHT_PRIMARY.. */
	uint8_t surface;
	bool view;           /* the unit view vector is needed */
	bool clamp;          /* no highlight where no light falls */
	bool shadow, shadow_inverted;
	bool is_plain;       /* one light that only its normal, its angle and D0 dim */
	uint8_t fresnel_alpha, shadow_alpha; /* LIGHT_PRIMARY_ALPHA, LIGHT_SECONDARY_ALPHA */
};

/* Everything except the tables. outputs: the parts that are read (frag_info.light). */
void light_draw_from_regs(struct light_draw *l, const uint32_t *regs, unsigned outputs);

/* ---- Kernels ---- */

/* The values of a batch. */
struct light_planes {
	PICA_ALIGNED(64) float n[3][BATCH];
	PICA_ALIGNED(64) float t[3][BATCH];
	PICA_ALIGNED(64) float v[3][BATCH];      /* unit view vector */
	PICA_ALIGNED(64) float shadow[4][BATCH];
	PICA_ALIGNED(64) float primary[3][BATCH];
	PICA_ALIGNED(64) float secondary[3][BATCH];
	PICA_ALIGNED(64) float alpha[BATCH];
	/* Of the light at hand. */
	PICA_ALIGNED(64) float input[LIGHT_INPUTS][BATCH];
	PICA_ALIGNED(64) float diffuse[BATCH];   /* part of the light that falls on the surface */
	PICA_ALIGNED(64) float geometric[BATCH];
	PICA_ALIGNED(64) float distance[BATCH];  /* index of the table, 0..1 */
	PICA_ALIGNED(64) float spot_factor[BATCH];
	PICA_ALIGNED(64) float distance_factor[BATCH];
	PICA_ALIGNED(64) float d0[BATCH];
	PICA_ALIGNED(64) float d1[BATCH];
	PICA_ALIGNED(64) float reflection[3][BATCH];
};

/* Factors of a light as light_add takes them; NULL is 1. */
struct light_factors {
	const float *distance, *spot, *d0, *d1, *reflection[3];
	bool clamp; /* no highlight where no light falls */
	uint8_t first; /* LIGHT_PRIMARY, LIGHT_SECONDARY: sums that begin with this light */
};

struct plane_in;

/*
 * Lanes 0..n_lanes-1, a multiple of 16 up to BATCH; dead lanes may hold anything, and lanes of dst
 * from n_lanes on afterwards.
 */
struct light_kernels {
	/*
	 * Normal, and tangent if it is asked for. quat: four planes, any length; bump: three planes
	 * of bytes, looked at with a map only. surface: LIGHT_NORMAL_MAP..
	 */
	void (*surface)(struct light_planes *p, const float *quat, const struct plane_in *bump,
			unsigned surface, unsigned n_lanes);
	/* Unit vectors of three planes to three planes; what has no direction is 0. */
	void (*unit)(float (*dst)[BATCH], const float *src, unsigned n_lanes);
	/* Bytes to 0..1, or 1 minus that: n_planes planes. */
	void (*fraction)(float (*dst)[BATCH], const struct plane_in *src, bool inverted,
			unsigned n_planes, unsigned n_lanes);
	/*
	 * Inputs of the tables, diffuse, geometric and distance of one light; view: as
	 * interpolated.
	 */
	void (*vectors)(struct light_planes *p, const float *view, const struct light_source *s,
			unsigned n_lanes);
	/* Whatever r holds, no index leaves the table. */
	void (*lookup)(float *dst, const float *r, const struct light_entry *table,
			const struct light_lookup *how, bool two_sided, unsigned n_lanes);
	/* Adds the light to primary and secondary, by its flags. */
	void (*add)(struct light_planes *p, const struct light_source *s,
			const struct light_factors *f, unsigned n_lanes);
	/* dst *= factor */
	void (*scale)(float *dst, const float *factor, unsigned n_lanes);
	/* src + bias to bytes, rounded to nearest. */
	void (*bytes)(uint16_t *dst, const float *src, float bias, unsigned n_lanes);
	/*
	 * lookup(), add() and bytes() of a light whose vectors are made, where l->is_plain: primary
	 * RGB at dst, secondary RGB four planes on.
	 */
	void (*plain)(uint16_t *dst, const struct light_planes *p, const struct light_draw *l,
			unsigned n_lanes);
};

/* One table a set. */
#define LIGHT_TABLE(id, set, arg) extern const struct light_kernels light_kernels_##set;
LIGHT_TABLE(C, c, )
ISA_BUILT(LIGHT_TABLE, )

/*
 * The colours of a batch whose attributes are past perspective: eight planes at dst (primary RGBA,
 * secondary RGBA), those of l->outputs. bump and shadow: texels of the units, planes of bytes.
 */
void light_run(struct light_planes *p, const struct light_kernels *k, const struct light_draw *l,
		const struct batch *b, const struct plane_in *bump, const struct plane_in *shadow,
		uint16_t *dst, unsigned n_lanes);
/*
 * After light_run() on the same values: the terms of a lane, light by light. Leaves sums of p other
 * than they were.
 */
struct pica_fragment_steps;
void light_watch(struct light_planes *p, const struct light_kernels *k, const struct light_draw *l,
		const struct batch *b, unsigned lane, struct pica_fragment_steps *out);

#endif
