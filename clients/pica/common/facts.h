/* Formats, functions and features of draws, counted by draws. */
#ifndef PICA_FACTS_H
#define PICA_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "list_walk.h"

/* Counted texts, in order of first appearance. */
struct tally {
	struct tally_row {
		char text[40];
		uint64_t count;
	} *rows; /* owned */
	unsigned n;
	size_t cap;
	int error; /* -ENOMEM: something was not counted */
};

enum fact {
	FACT_DRAWS,      /* arrays, elements, immediate */
	FACT_PRIMITIVES, /* list, strip, fan, geometry */
	FACT_TARGETS,    /* colour buffer: size and format */
	FACT_DEPTH,      /* depth buffer format, of draws that use it */
	FACT_TEXTURES,   /* size and format, of sampled units */
	FACT_TEXTURE_TYPES,
	FACT_FILTERS,
	FACT_WRAPS,
	FACT_COMBINERS,  /* operations */
	FACT_STAGES,     /* number of combiner stages up to the last one that does something */
	FACT_LIGHTS,     /* number of lights */
	FACT_LAYERS,     /* configuration of their tables */
	FACT_PROCTEX,    /* mapping functions of the procedural texture */
	FACT_FEATURES,
	FACT_COUNT,
};

struct facts {
	struct tally tally[FACT_COUNT];
	uint64_t vertices; /* asked for by draw registers; immediate ones are not counted */
};

void facts_finish(struct facts *f);
/* The draw of a list_visitor; user is a struct facts. */
void facts_draw(void *user, const uint32_t *regs, enum draw_kind kind);
/* Sources that the combiner's stages read, bit k: source k. */
uint32_t facts_sources(const uint32_t *regs);
/* Whether depth buffer or stencil are read or written. */
bool facts_depth(const uint32_t *regs);
/* "texture_types": as a key of JSON. */
const char *fact_key(enum fact fact);

#endif
