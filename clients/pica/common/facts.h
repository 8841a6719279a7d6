/* Formats, functions and features of draws, counted by draws. */
#ifndef PICA_FACTS_H
#define PICA_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "list_walk.h"
#include "tally.h"

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
	FACT_STAGES,     /* number of combiner stages up to the last one with an effect */
	FACT_LIGHTS,     /* number of lights */
	FACT_LAYERS,     /* configuration of their tables */
	FACT_PROCTEX,    /* mapping functions of the procedural texture */
	FACT_FEATURES,
	FACT_COUNT,
};

struct facts {
	struct tally tally[FACT_COUNT];
	uint64_t vertices; /* requested by draw registers; immediate vertices are not counted */
};

void facts_finish(struct facts *f);
/* list_visitor.draw; user is a struct facts. */
void facts_draw(void *user, const uint32_t *regs, enum draw_kind kind);

enum { FACTS_STAGES = 6 };

/* TEXENV0_SOURCE, ...: the first register of each stage of the combiner. */
extern const uint16_t facts_stages[FACTS_STAGES];
/* Returns how many operands an operation (PICA_TEV_OP_*) reads. */
unsigned facts_operands(uint32_t op);
/* Returns the sources that the draw's result depends on. */
uint32_t facts_sources(const uint32_t *regs);
/* Returns whether the draw may write to the colour buffer. */
bool facts_writes_color(const uint32_t *regs);
/* Returns whether the draw reads or writes depth or stencil. */
bool facts_depth(const uint32_t *regs);
/* Bytes of a pixel of a colour or depth buffer, PICA_COLOR_FORMAT_*, PICA_DEPTH_FORMAT_*; or 0. */
unsigned facts_color_bytes(uint32_t format);
unsigned facts_depth_bytes(uint32_t format);
/* "texture_types": as a key of JSON. */
const char *fact_key(enum fact fact);

/* ---- Values of registers ---- */

bool facts_has_geometry(const uint32_t *regs);
/* Bit s: an output of the last program is mapped to semantic s, PICA_SEMANTIC_*. */
uint32_t facts_mapped_outputs(const uint32_t *regs);

struct facts_texture {
	bool is_on;
	uint32_t addr, format, width, height, type;
	uint32_t levels; /* below the first one */
	unsigned bits;   /* of a texel; 0: no known format */
};

enum { FACTS_TEXTURES = 3, FACTS_FACES = 6 };

/* The inputs that the draw's result depends on. */
struct facts_reads {
	uint32_t color, alpha; /* bit s: colour, alpha of the combiner's source s, PICA_TEV_SOURCE_*
				*/
	bool has_light; /* lighting is on and read */
	uint32_t units; /* bit u: texture unit u is on and read; 3 is the procedural texture */
	uint32_t sets; /* bit c: texture coordinates c, of those units */
	uint8_t set[FACTS_TEXTURES + 1]; /* of each unit, whether it is read or not */
};

void facts_reads(const uint32_t *regs, struct facts_reads *out);

/* The registers of each unit. */
extern const struct facts_texture_regs {
	uint16_t dim, param, lod, addr, type;
} facts_texture_regs[FACTS_TEXTURES];
/* "x", "-x", ...: the faces of a cube. */
extern const char *const facts_faces[FACTS_FACES];

void facts_texture(const uint32_t *regs, unsigned unit, struct facts_texture *out);
bool facts_is_cube(const struct facts_texture *t);
/* Address of a face of unit 0's cube; face 0 also gives the address of any other texture. */
uint32_t facts_face_addr(
		const uint32_t *regs, const struct facts_texture *t, unsigned face);

#endif
