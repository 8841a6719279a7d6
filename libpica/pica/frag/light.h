/*
 * Fragment lighting: the two colours of a fragment that combiner sources 1 and 2 read.
 * [fidelity: lighting; the arithmetic to the bit: docs/fidelity.md 1, "Lighting"]
 *
 *   light_key    the register state that selects the plan: planes and textures that are read
 *   light_draw   the values of a draw: sources, decoded tables, constants; immutable, in its pass
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

/* Part of struct frag_key: bytes only, 0 if it has no effect. Masks are of LIGHT_PRIMARY.. */
struct light_key {
	uint8_t on;
	uint8_t alpha;       /* alphas that vary; the others are 1 */
	uint8_t view;        /* colours that use the view vector */
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

/* raw: words as written to the port. [fidelity: lighting-tables] */
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

/* Returns the entry for input value r, safe for any r; *f: the fraction beyond that entry. */
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
	LIGHT_SHADE_PRIMARY = 16, /* the shadow factor dims the primary colour */
	LIGHT_SHADE_SECONDARY = 32,
	LIGHT_ADDS_PRIMARY = 64,  /* adds something to the primary colour */
	LIGHT_ADDS_SECONDARY = 128,
	LIGHT_HALF = 256,         /* the half vector is needed */
	LIGHT_SPECULAR0 = 512,    /* not black, and the secondary colour is read */
	LIGHT_SPECULAR1 = 1024,
};

/* A light in the order of the slots. */
struct light_source {
	float specular0[3], specular1[3], diffuse[3], ambient[3];
	float position[3];  /* directional: the unit vector to the light, or 0 */
	float length;       /* directional: length of the vector in the registers */
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
	/* only those in `tables` are set, by the creator of the draw */
	const struct light_entry *table[LIGHT_TABLES];
	uint32_t tables;
	struct light_lookup d0, d1, fresnel;
	struct light_lookup reflection[3]; /* RR, RG, RB; G and B may be RR's */
	float ambient[3];
	uint8_t n_sources;
	uint8_t outputs;     /* LIGHT_PRIMARY.. */
	uint8_t surface;
	bool view;           /* the unit view vector is needed */
	bool clamp;          /* no highlight where the surface is not lit */
	bool shadow, shadow_inverted;
	bool is_plain;       /* one light, dimmed only by the normal, its angle and D0 */
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
	/* Of the current light. */
	PICA_ALIGNED(64) float input[LIGHT_INPUTS][BATCH];
	PICA_ALIGNED(64) float diffuse[BATCH];   /* fraction of the light on the surface */
	PICA_ALIGNED(64) float geometric[BATCH];
	PICA_ALIGNED(64) float distance[BATCH];  /* index of the table, 0..1 */
	PICA_ALIGNED(64) float spot_factor[BATCH];
	PICA_ALIGNED(64) float distance_factor[BATCH];
	PICA_ALIGNED(64) float d0[BATCH];
	PICA_ALIGNED(64) float d1[BATCH];
	PICA_ALIGNED(64) float reflection[3][BATCH];
};

/* Factors of a light, for light_kernels.add; NULL is 1. */
struct light_factors {
	const float *distance, *spot, *d0, *d1, *reflection[3];
	bool clamp; /* no highlight where the surface is not lit */
	uint8_t first; /* LIGHT_PRIMARY, LIGHT_SECONDARY: sums that begin with this light */
};

struct plane_in;

/*
 * Kernels on lanes 0..n_lanes-1, a multiple of 16 up to BATCH. Dead lanes may hold any value. Lanes
 * of dst from n_lanes on are unspecified afterwards.
 */
struct light_kernels {
	/*
	 * Makes the normal, and the tangent if requested. quat: four planes, quaternions of any
	 * length. bump: three planes of bytes, read only with a map. surface: LIGHT_NORMAL_MAP..
	 */
	void (*surface)(struct light_planes *p, const float *quat, const struct plane_in *bump,
			unsigned surface, unsigned n_lanes);
	/* Normalises the vectors in three planes. A vector without a direction becomes 0. */
	void (*unit)(float (*dst)[BATCH], const float *src, unsigned n_lanes);
	/* Converts n_planes planes of bytes to 0..1, or to 1 minus that if inverted. */
	void (*fraction)(float (*dst)[BATCH], const struct plane_in *src, bool inverted,
			unsigned n_planes, unsigned n_lanes);
	/*
	 * Computes the table inputs, diffuse, geometric and distance of one light. view: as
	 * interpolated.
	 */
	void (*vectors)(struct light_planes *p, const float *view, const struct light_source *s,
			unsigned n_lanes);
	/* Looks up r in table. Safe for any r: no index leaves the table. */
	void (*lookup)(float *dst, const float *r, const struct light_entry *table,
			const struct light_lookup *how, bool two_sided, unsigned n_lanes);
	/* Adds the light to primary and secondary, as its flags say. */
	void (*add)(struct light_planes *p, const struct light_source *s,
			const struct light_factors *f, unsigned n_lanes);
	/* dst *= factor */
	void (*scale)(float *dst, const float *factor, unsigned n_lanes);
	/* Converts src + bias to bytes, rounded to nearest. */
	void (*bytes)(uint16_t *dst, const float *src, float bias, unsigned n_lanes);
	/*
	 * Does lookup(), add() and bytes() of a light after vectors(), if l->is_plain. Primary RGB
	 * goes to dst, secondary RGB four planes later.
	 */
	void (*plain)(uint16_t *dst, const struct light_planes *p, const struct light_draw *l,
			unsigned n_lanes);
};

/* One table per instruction set. */
#define LIGHT_TABLE(id, set, arg) extern const struct light_kernels light_kernels_##set;
LIGHT_TABLE(C, c, )
ISA_BUILT(LIGHT_TABLE, )

/*
 * Computes the colours of a batch after perspective division of its attributes. dst: eight planes
 * (primary RGBA, secondary RGBA), of which those in l->outputs are written. bump and shadow: texels
 * of the units, planes of bytes.
 */
void light_run(struct light_planes *p, const struct light_kernels *k, const struct light_draw *l,
		const struct batch *b, const struct plane_in *bump, const struct plane_in *shadow,
		uint16_t *dst, unsigned n_lanes);
/*
 * Writes the terms of one lane, light by light. Call it after light_run() on the same values. It
 * changes the sums in p.
 */
struct pica_fragment_steps;
void light_watch(struct light_planes *p, const struct light_kernels *k, const struct light_draw *l,
		const struct batch *b, unsigned lane, struct pica_fragment_steps *out);

#endif
