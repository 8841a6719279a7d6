/*
 * Makes conformance cases. A case is a capture of one frame for one feature; its picture is the
 * lower left corner of the top screen, at most CASE_SIDE pixels a side; the rest is black.
 *
 *	if (case_begin(m, ORIGIN_RULE, "alpha-test", 16, 16, "alpha-test-%s", name)) {
 *		... emit into m->list, case_box() ...
 *		EACH_PIXEL(m, x, y) {
 *			m->want[y][x] = ...;
 *		}
 *		case_end(m);
 *	}
 *
 * x and y are window coordinates of the PICA200: x grows to the right, y up. (The screen shows x as
 * up, y as left.) Colours are 0xRRGGBBAA.
 */
#ifndef CONFORMANCE_KIT_H
#define CONFORMANCE_KIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/base/attributes.h"
#include "recorder.h"

/* The origin of the expected picture. */
enum origin {
	ORIGIN_CONSOLE, /* values measured on a console */
	ORIGIN_RULE, /* m->want, computed here from the named rule */
	ORIGIN_RENDERERS, /* tests/naive and libpica draw the same */
	ORIGIN_GUESS, /* nothing is known */
	ORIGIN_COUNT
};

enum {
	CASE_SIDE = 64,
	LINE_PX = 240,
	GROUND = 0x505050FF, /* contents before a case draws */
	COLOR_ADDR = 0x18000000,
	DEPTH_ADDR = 0x18060000,
	SHOWN_ADDR = 0x181E6000,
	TARGET_BYTES = 0x10000,
	TRANSFER_BLOCKS = 1 << 16, /* beside those of recorder.h */
};

struct maker {
	const char *folder, *pictures;
	const char *form; /* "pica" or "ctf.zst" */
	FILE *rows;
	const char *known; /* text of the manifest, with hashes of pictures that are not computed
			      here */
	int error;

	/* The open case. */
	char name[64];
	enum origin origin;
	unsigned width, height;
	struct recorder r;
	struct pica_emit *list;
	uint32_t want[CASE_SIDE][CASE_SIDE]; /* [y][x], 0xRRGGBBAA; alpha is ignored */
	uint32_t texels[CASE_SIDE][CASE_SIDE]; /* for case_texture() */
	/* The memory shown at the end, by a display transfer, and its formats (TRANSFER_...). */
	uint32_t shown_addr, shown_from, shown_to, shown_flags;
	uint32_t lines_addr; /* or this memory, 0: not */
	unsigned n_targets;
};

#define EACH_PIXEL(m, x, y)                                                                        \
	for (unsigned y = 0; y < (m)->height; y++)                                                 \
		for (unsigned x = 0; x < (m)->width; x++)

/*
 * Begins a capture: a cleared target with a viewport of width x height (multiples of 8), plain
 * state, shader and combiner that pass the vertex colour. rule: an anchor of docs/fidelity.md.
 * Returns false after an error.
 */
bool case_begin(struct maker *m, enum origin origin, const char *rule, unsigned width,
		unsigned height, const char *name, ...) PICA_PRINTF(6, 7);
/*
 * Ends it. With ORIGIN_RULE and ORIGIN_CONSOLE m->want is the picture; if that has one colour, it
 * gets an edge.
 */
void case_end(struct maker *m);
/*
 * Draws an edge of another colour, over the last column, in a plain state: no picture of one
 * colour, such as a black one, is right. The last draw of a case.
 */
void case_edge(struct maker *m);

/* Switches to a new target of these formats, with a grey background, which is shown. */
void case_target(struct maker *m, uint32_t color, uint32_t depth);
/* The same with other fields; addresses and size are set here. */
void case_framebuffer(struct maker *m, struct pica_framebuffer *fb);
/* Shows the depth buffer: for D24S8, R is the stencil, G and B the upper bytes of the depth. */
void case_show_depth(struct maker *m, uint32_t depth);

/* Runs a job before the draws. */
void case_job(struct maker *m, const struct pica_job *job);
/*
 * Shows memory as it is, as lines of 240 pixels of RGB8 (720 bytes), instead of the target. The
 * first line is the top row of the window, its first pixel at x = 0. Clears it.
 */
void case_show_lines(struct maker *m, uint32_t addr);

/*
 * Corners in pixels; z and the other values are the same at all of them. x1 0: the whole picture.
 */
struct box {
	float x0, y0, x1, y1, z;
	uint32_t rgba;
	float u0, v0, u1, v1; /* u1 0: from 0 to 1 */
};
void case_box(struct maker *m, const struct box *box);
#define BOX(m, ...) case_box(m, &(const struct box){ __VA_ARGS__ })

/* A vertex of the plain program. */
struct vertex {
	float x, y, z, w; /* clip coordinates */
	float r, g, b, a;
	float u, v, q; /* coordinates 0 to 2; q: w of coordinates 0 */
};
void case_vertices(struct maker *m, uint32_t primitive, const struct vertex *v, unsigned n);
/* Pixels to clip coordinates. */
float case_x(const struct maker *m, float x);
float case_y(const struct maker *m, float y);

/*
 * Makes m->texels, one per pixel of a whole box, the RGBA8 texture of a unit, with nearest filters.
 * Enables the units in mask.
 */
struct pica_texture case_texture(struct maker *m, unsigned unit, uint32_t mask);
/* Place of a texel in the order of tiles. [fidelity: texel-address] */
unsigned texel_index(unsigned x, unsigned row, unsigned width);
/* Stores m->texels in the order of tiles, row height-1 first. Returns their address. */
uint32_t case_store_texels(struct maker *m);
/* Writes a register by names, as pica_emit_named(). */
#define REG(m, reg, fields) pica_emit_named((m)->list, reg, fields)
/* Draws the alpha of the target as grey; between draws with other states. */
void case_reveal_alpha(struct maker *m);

/* A byte at an edge of its range: 0, 1, 127, 128, ... for i = 0..15. */
uint8_t edge_byte(unsigned i);
/* Four different edge bytes, for a pixel. */
uint32_t edge_color(unsigned x, unsigned y, unsigned variant);
static inline unsigned channel(uint32_t rgba, unsigned k) {
	return rgba >> (24 - 8 * k) & 255;
}
static inline void set_channel(uint32_t *rgba, unsigned k, unsigned value) {
	*rgba = (*rgba & ~(255u << (24 - 8 * k))) | (uint32_t)value << (24 - 8 * k);
}
static inline uint32_t gray(unsigned value) {
	return value * 0x01010100u | 255;
}

/* The families, one a file. */
void make_combiner(struct maker *m);
void make_output(struct maker *m);
void make_texture(struct maker *m);
void make_geometry(struct maker *m);
void make_vertex(struct maker *m);
void make_shader(struct maker *m);
void make_unit0(struct maker *m);
void make_proctex(struct maker *m);
void make_light(struct maker *m);
void make_effects(struct maker *m);
void make_transfer(struct maker *m);

#endif
