/* Values of fog, shadow maps and gas, as a draw holds them. */
#ifndef FRAG_EFFECTS_H
#define FRAG_EFFECTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Fog. table: FRAG_FOG_ENTRIES words as they were uploaded; frag_plan_from_regs() leaves it NULL,
 * frag_bind_tables() sets it. The place in the table is offset +
 * depth*scale.
 */
enum { FRAG_FOG_ENTRIES = 128 };
struct frag_fog_consts {
	const uint32_t *table;
	float scale, offset;
	uint8_t color[3]; /* RGB */
};

/* Shadow maps: how a soft shadow's density grows with the distance to what throws it (130). */
struct frag_shadow_consts {
	float constant, linear;
};

/* How one of the two lights of gas looks: min and max of its intensity, and what density takes. */
struct frag_gas_light {
	float min, max, attenuation;
};

/*
 * Gas. Accumulation uses delta alone. lut: FRAG_GAS_ENTRIES words as they were uploaded,
 * differences then colours, copied by frag_bind_tables().
 */
enum { FRAG_GAS_ENTRIES = 16 };
struct frag_gas_consts {
	float delta;                        /* 126, for a depth difference as an integer */
	struct frag_gas_light planar, view; /* 120, 121 */
	float effect;                       /* 122: of the light in line of sight */
	/* 122: the table is asked for light, else for density */
	bool by_light;
	bool depth_density;                 /* 0E0 bit 3 */
	float attenuation, inverse_max;     /* 0E4, 0E5 */
	uint32_t lut[FRAG_GAS_ENTRIES];
};

#endif
