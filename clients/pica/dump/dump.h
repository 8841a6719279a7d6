/* Private to the files of `pica dump`. */
#ifndef PICA_DUMP_H
#define PICA_DUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "common/options.h"
#include "common/snapshot.h"
#include "common/upload.h"
#include "pica_history.h"
#include "step.h"

/* ---- options.c ---- */

enum {
	DUMP_LIST = 1,
	DUMP_STATE = 2,
	DUMP_SHADERS = 4,
	DUMP_VERTICES = 8,
	DUMP_TEXTURES = 16,
	DUMP_SURFACES = 32,
	DUMP_LUTS = 64,
	/* The default contents of a folder. */
	DUMP_FILES = DUMP_STATE | DUMP_SHADERS | DUMP_VERTICES | DUMP_TEXTURES | DUMP_SURFACES |
			DUMP_LUTS,
};

struct dump_place {
	bool is_given;
	uint32_t frame; /* FRAME_LAST: the last one */
	uint32_t draw;
};

struct dump_options {
	struct engine_options engine;
	struct option_args captures;
	struct dump_place at;    /* is_given: --draw was given; the frame counts in any case */
	struct dump_place since; /* is_given: print the differences from this place */
	unsigned what;           /* DUMP_... */
	const char *output;      /* folder of files, or NULL */
	uint32_t groups;         /* bit i: enum pica_reg_group i */
	bool json;
	enum progress_mode progress;
};

/* Fills *o from a command line; help and usage errors end the process. */
void dump_options_parse(struct dump_options *o, int argc, char **argv);

/* ---- files.c ---- */

/* Files of a draw: textures, surfaces, vertices, programs, state. */

struct dump_files {
	const char *folder; /* borrowed; made by dump_files_begin() */
	bool prints;        /* names of files, on the standard output */
	json_t *rows;       /* of files, or NULL; ours */
	int exit;           /* EXIT_FINE, or the exit code of an error, which was logged */
};

/* Creates the folder; logs errors and sets exit. */
void dump_files_begin(struct dump_files *f, const char *folder, bool json);
void dump_files_finish(struct dump_files *f);
/* "FOLDER/name" (caller frees); NULL: out of memory, which was logged. */
char *dump_files_path(struct dump_files *f, const char *name);
/* Reports a written file, or a failure (result: negative errno). note: "240x400", ... or NULL. */
void dump_files_made(struct dump_files *f, const char *path, int result, const char *note);
/* Writes a picture as that file; result: that of drawing it. */
void dump_files_picture(struct dump_files *f, const char *name, const struct picture *p, int result,
		const char *note);

/*
 * The textures that the draw reads: tex0.png, tex0-1.png (level 1), tex0-y.png (a face of a cube).
 */
void dump_textures(struct dump_files *f, struct pica_ctx *ctx, const struct snapshot *s);
/* A level of an enabled texture unit, with its name in file names. */
struct dump_level {
	unsigned unit, face, level;
	uint32_t addr, format, width, height;
	const char *wrong; /* why it has no picture, or NULL */
	char name[32];
};
typedef int dump_level_fn(void *user, const struct dump_level *level);
/* Calls one() for each until it returns a negative errno, which is returned; else 0. */
int dump_texture_levels(const uint32_t *regs, dump_level_fn *one, void *user);
/* Writes the current color.png, depth.png and stencil.png; prefix: "before-" or "". */
void dump_surfaces(struct dump_files *f, struct pica_ctx *ctx, const struct snapshot *s,
		const char *prefix);

/*
 * Bits of n words as grey pixels: the smallest value, stored in range[0], black, the largest,
 * range[1], white.
 */
void dump_grey(const uint32_t *words, size_t n, unsigned shift, uint32_t mask, uint32_t range[2],
		uint8_t *rgb);

/* ---- list.c ---- */

/* The events of a frame and the writes of its command lists, as text or JSON. */

struct dump_list {
	FILE *out;       /* text, or NULL */
	json_t *events;  /* JSON: an array, borrowed, or NULL */
	uint32_t groups; /* registers that are shown, bit i: enum pica_reg_group i */
	uint32_t event;  /* number of the next one in the frame */
	json_t *parts, *writes; /* borrowed: of the current list */
	struct {
		uint32_t word;  /* as it counts up */
		uint32_t known; /* bits that were written */
	} index[4];      /* registers with the position of the next word of a table */
	struct uploads uploads;
};

void dump_list_event(struct dump_list *d, const struct pica_capture_event *event);
void dump_list_list(struct dump_list *d, uint32_t addr, uint32_t size_bytes, bool is_jump);
void dump_list_end(struct dump_list *d);
/* Follows each write before the shown part, to know the positions of words in tables. */
void dump_list_skip(struct dump_list *d, const struct pica_list_write *w);
void dump_list_write(struct dump_list *d, const struct pica_list_write *w, bool from_list);
/* Notes that the next shown write begins this draw. */
void dump_list_draw(struct dump_list *d, const struct step_draw *draw);

/* ---- luts.c ---- */

/* The tables of the look-up ports: pictures and names. */

/*
 * Writes each nonempty table as lut-NAME.png: curves, or strips of colours. Returns their number.
 */
unsigned dump_luts(struct dump_files *f, const struct snapshot *s);

/* ---- program.c ---- */

/*
 * Disassembles the reachable part of the draw's program of a shader unit, with names of inputs and
 * outputs, and values of the uniforms that it reads. The caller frees the text. Returns 0 or a
 * negative errno.
 */
int dump_program(const struct snapshot *s, bool is_gs, char **text);

/* ---- vertices.c ---- */

/* The vertices of a draw: CSV of inputs and outputs, OBJ of meshes. */

enum { DUMP_CSV, DUMP_INPUT_OBJ, DUMP_OUTPUT_OBJ, DUMP_VERTEX_FILES };
enum { DUMP_GEOMETRY_CSV, DUMP_GEOMETRY_OBJ, DUMP_GEOMETRY_FILES };

/* Vertices that were written into a list, f24 words. */
struct dump_immediate {
	uint32_t (*words)[16][4]; /* owned */
	uint32_t n;
	size_t cap;
	int error;                /* -ENOMEM: some are missing */
};

void dump_immediate_add(struct dump_immediate *im, const uint32_t (*attributes)[4], unsigned n);
void dump_immediate_finish(struct dump_immediate *im);

/*
 * Fetches and shades at most `most` vertices of the context's next draw, and prints them to the
 * files that are not NULL. im: of an immediate draw. Returns 0 or a negative errno; -ERANGE: arrays
 * or indices are outside memory.
 */
int dump_vertices(struct pica_ctx *ctx, const struct snapshot *s, const struct dump_immediate *im,
		uint32_t most, FILE *const files[DUMP_VERTEX_FILES]);
/*
 * Returns the steps of the vertex at a position of the draw's stream, as pica_ctx_trace_vertex()
 * does, or a negative errno; -EINVAL: the draw has no such vertex; -ERANGE as above.
 */
int64_t dump_trace(struct pica_ctx *ctx, const struct snapshot *s, const struct dump_immediate *im,
		uint32_t at, struct pica_shader_step *steps, uint64_t n, struct pica_vertex *out);
/* Returns the input register of attribute 0, the position in input.obj. */
unsigned dump_position_input(const uint32_t *regs);
/* Prints the triangles emitted by the draw's geometry shader, as kept by the context. */
int dump_geometry(struct pica_ctx *ctx, const struct snapshot *s, uint32_t most,
		FILE *const files[DUMP_GEOMETRY_FILES]);

#endif
