/* Files of a draw: textures, surfaces, vertices, programs, state. */
#ifndef PICA_DUMP_FILES_H
#define PICA_DUMP_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "common/snapshot.h"
#include "pica.h"

struct dump_files {
	const char *folder; /* borrowed; made by dump_files_begin() */
	bool prints;        /* names of files, on the standard output */
	json_t *rows;       /* of files, or NULL; ours */
	int exit;           /* EXIT_FINE, or what went wrong; it was said */
};

/* Creates the folder; logs errors and sets exit. */
void dump_files_begin(struct dump_files *f, const char *folder, bool json);
void dump_files_finish(struct dump_files *f);
/* "FOLDER/name", to be freed; NULL: no memory, which was said. */
char *dump_files_path(struct dump_files *f, const char *name);
/* A file is there, or not (result: negative errno). Says so. note: "240x400", ... or NULL. */
void dump_files_made(struct dump_files *f, const char *path, int result, const char *note);
/* Logs why a file is not written. */
void dump_files_skip(struct dump_files *f, const char *name, const char *why);

/*
 * The textures that the draw reads: tex0.png, tex0-1.png (level 1), tex0-y.png (a face of a cube).
 */
void dump_textures(struct dump_files *f, struct pica_ctx *ctx, const struct snapshot *s);
/* color.png, depth.png, stencil.png as they are now; prefix: "before-" or "". */
void dump_surfaces(struct dump_files *f, struct pica_ctx *ctx, const struct snapshot *s,
		const char *prefix);

#endif
