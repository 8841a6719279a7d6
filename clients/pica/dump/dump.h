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
	const char *capture;
	struct dump_place at;    /* is_given: --draw was; the frame counts in any case */
	struct dump_place since; /* is_given: what differs from there */
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
/* A file is there, or not (result: negative errno). Says so. note: "240x400", ... or NULL. */
void dump_files_made(struct dump_files *f, const char *path, int result, const char *note);
/* A picture as that file; result: of what has drawn it. */
void dump_files_picture(struct dump_files *f, const char *name, const struct picture *p, int result,
		const char *note);

/*
 * The textures that the draw reads: tex0.png, tex0-1.png (level 1), tex0-y.png (a face of a cube).
 */
void dump_textures(struct dump_files *f, struct pica_ctx *ctx, const struct snapshot *s);
/* A level of a texture that a unit has on, as these files name it. */
struct dump_level {
	unsigned unit, face, level;
	uint32_t addr, format, width, height;
	const char *wrong; /* why it has no picture, or NULL */
	char name[32];
};
typedef int dump_level_fn(void *user, const struct dump_level *level);
/* Calls one() for each until it returns a negative errno, which is returned; else 0. */
int dump_texture_levels(const uint32_t *regs, dump_level_fn *one, void *user);
/* color.png, depth.png, stencil.png as they are now; prefix: "before-" or "". */
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
	json_t *parts, *writes; /* borrowed: of the list that is being read */
	struct {
		uint32_t word;  /* as it counts up */
		uint32_t known; /* bits that were written */
	} index[4];      /* registers that say where the next word of a table goes */
	struct uploads uploads;
};

void dump_list_event(struct dump_list *d, const struct pica_capture_event *event);
void dump_list_list(struct dump_list *d, uint32_t addr, uint32_t size_bytes, bool is_jump);
void dump_list_end(struct dump_list *d);
/* Follows each write before the shown part, so that the places of words in tables are known. */
void dump_list_skip(struct dump_list *d, const struct pica_list_write *w);
void dump_list_write(struct dump_list *d, const struct pica_list_write *w, bool from_list);
/* The write that is shown next begins this draw. */
void dump_list_draw(struct dump_list *d, const struct step_draw *draw);

/* ---- luts.c ---- */

/* The tables of the look-up ports: pictures and names. */

/*
 * Each table that holds anything as lut-NAME.png: curves, or strips of colours. Returns how many.
 */
unsigned dump_luts(struct dump_files *f, const struct snapshot *s);

/* ---- program.c ---- */

/*
 * Disassembles what the draw's program of a shader unit reaches, with the names of its inputs and
 * outputs, and with the values of the uniforms that it reads; the caller frees the text. Returns 0
 * or a negative errno.
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
 * Fetches and shades the vertices of the draw at which the context stands, and prints them to those
 * files that are not NULL: at most `most` of them. im: of an immediate draw. Negative errno:
 * -ERANGE, the arrays or the indices do not lie in memory.
 */
int dump_vertices(struct pica_ctx *ctx, const struct snapshot *s, const struct dump_immediate *im,
		uint32_t most, FILE *const files[DUMP_VERTEX_FILES]);
/*
 * The steps of the vertex at a position of the draw's stream, as pica_ctx_trace_vertex() has them.
 * Negative errno: -EINVAL, the draw has no such vertex; -ERANGE as above.
 */
int64_t dump_trace(struct pica_ctx *ctx, const struct snapshot *s, const struct dump_immediate *im,
		uint32_t at, struct pica_shader_step *steps, uint64_t n, struct pica_vertex *out);
/* The input register of attribute 0, which input.obj takes for the position. */
unsigned dump_position_input(const uint32_t *regs);
/* Prints the triangles that the geometry shader of the draw has put out, which the context kept. */
int dump_geometry(struct pica_ctx *ctx, const struct snapshot *s, uint32_t most,
		FILE *const files[DUMP_GEOMETRY_FILES]);

#endif
