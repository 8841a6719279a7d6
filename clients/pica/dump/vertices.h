/* The vertices of a draw: CSV of inputs and outputs, OBJ of meshes. */
#ifndef PICA_DUMP_VERTICES_H
#define PICA_DUMP_VERTICES_H

#include <stdint.h>
#include <stdio.h>

#include "common/snapshot.h"
#include "pica.h"

enum { DUMP_CSV, DUMP_INPUT_OBJ, DUMP_OUTPUT_OBJ, DUMP_VERTEX_FILES };
enum { DUMP_GEOMETRY_CSV, DUMP_GEOMETRY_OBJ, DUMP_GEOMETRY_FILES };

/* Vertices that were written into a list, f24 words. */
struct dump_immediate {
	uint32_t (*words)[16][4]; /* owned */
	uint32_t n, cap;
	int error;                /* -ENOMEM: some are missing */
};

void dump_immediate_add(struct dump_immediate *im, const uint32_t (*attributes)[4], unsigned n);
void dump_immediate_finish(struct dump_immediate *im);

/*
 * Fetches and shades the vertices of the draw at which the context stands, and prints them to those
 * files that are not NULL. im: of an immediate draw. Negative errno: -ERANGE, the arrays or the
 * indices do not lie in memory.
 */
int dump_vertices(struct pica_ctx *ctx, const struct snapshot *s, const struct dump_immediate *im,
		FILE *const files[DUMP_VERTEX_FILES]);
/* Prints the triangles that the geometry shader of the draw has put out, which the context kept. */
int dump_geometry(struct pica_ctx *ctx, const struct snapshot *s,
		FILE *const files[DUMP_GEOMETRY_FILES]);

#endif
