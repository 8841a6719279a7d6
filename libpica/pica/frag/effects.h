/* Values of fog, shadow maps and gas that a draw holds. */
#ifndef FRAG_EFFECTS_H
#define FRAG_EFFECTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Fog. table: FRAG_FOG_ENTRIES words as uploaded; frag_plan_from_regs() leaves it NULL,
 * frag_bind_tables() sets it. The position in the table is offset + depth*scale.
 */
enum { FRAG_FOG_ENTRIES = 128 };
struct frag_fog_consts {
	const uint32_t *table;
	float scale, offset;
	uint8_t color[3]; /* RGB */
};

/* Shadow maps: growth of a soft shadow's density with the distance to the occluder (130). */
struct frag_shadow_consts {
	float constant, linear;
};

/* One of the two lights of gas: least and greatest intensity, and its attenuation by density. */
struct frag_gas_light {
	float min, max, attenuation;
};

/*
 * Gas. Accumulation uses delta alone. lut: FRAG_GAS_ENTRIES words as uploaded, first differences,
 * then colours; frag_bind_tables() copies them.
 */
enum { FRAG_GAS_ENTRIES = 16 };
struct frag_gas_consts {
	float delta;                        /* 126, for a depth difference as an integer */
	struct frag_gas_light planar, view; /* 120, 121 */
	float effect;                       /* 122: of the light along the line of sight (view) */
	/* 122: the table is indexed by light, else by density */
	bool by_light;
	bool depth_density;                 /* 0E0 bit 3 */
	float attenuation, inverse_max;     /* 0E4, 0E5 */
	uint32_t lut[FRAG_GAS_ENTRIES];
};

#endif
