/* Lighting, procedural texture, fog and gas of a draw, in words. */
#ifndef PICA_EFFECTS_H
#define PICA_EFFECTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "pica_inspect.h"

/*
 * Return whether the combiner reads the results of these; the others do not depend on the combiner.
 */
bool effects_lighting(const uint32_t *regs);
bool effects_proctex(const uint32_t *regs);
/* PICA_FOG_MODE_*; shadow maps and densities of gas have none. */
uint32_t effects_fog(const uint32_t *regs);

struct effects_light {
	unsigned number; /* of its registers, selected by the permutation */
	uint32_t config;
	bool has_spot, has_distance, has_shadow; /* a factor that is switched on */
	double x, y, z;
};

/* Bits of the tables D0 to RR and SP that a layer configuration has; 0: there is none. */
uint32_t effects_layer_tables(uint32_t layers);
unsigned effects_light_count(const uint32_t *regs);
void effects_light(const uint32_t *regs, unsigned slot, struct effects_light *out);

/* The end of a texture's line: ", bias 0.006" if it is a shadow map. type: PICA_TEXTURE_TYPE_*. */
void effects_shadow_texture(const uint32_t *regs, uint32_t type, FILE *out);
/* A line for each that is used: "lighting   2 lights, ...". */
void effects_text(const uint32_t *regs, FILE *out);

/* ---- Entries of tables ---- */

/* A value, and the difference to the next one; 0..1 and -1..1. */
struct effects_entry {
	double value, difference;
};

struct effects_entry effects_light_entry(uint32_t word);
struct effects_entry effects_fog_entry(uint32_t word);
struct effects_entry effects_proctex_entry(uint32_t word);

#endif
