/*
 * A known picture: textured triangles with depth on a target of 128x128, as one command list.
 * A client that shares the service with a hostile one draws it, and compares the hash with that of
 * libpica.
 */
#ifndef SCENE_H
#define SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "raw.h"

enum {
	SCENE_VRAM = 0x18000000,
	SCENE_VRAM_BYTES = 0x40000,
	SCENE_FCRAM = 0x20000000,
	SCENE_FCRAM_BYTES = 0x40000,
	SCENE_SIDE = 128,
	SCENE_COLOR = SCENE_VRAM,
	SCENE_DEPTH = SCENE_VRAM + 0x10000,
	SCENE_VERTICES = SCENE_FCRAM,
	SCENE_TEXTURE = SCENE_FCRAM + 0x8000,
	SCENE_LIST = SCENE_FCRAM + 0x20000,
	SCENE_TRIANGLES = 60,
};

struct pica_emit;

/* The state that the scene draws with, up to the draw: for lists that go wrong from there on. */
void scene_emit_state(struct pica_emit *e);
/* Writes vertices, texture and list; the list's size in bytes. */
uint32_t scene_write(uint8_t *fcram);
/* Puts a list of words where the scene has its own: its size in bytes. */
uint32_t scene_write_list(uint8_t *fcram, struct pica_emit *e);
uint64_t scene_hash(const uint8_t *vram);
/* The hash as libpica alone makes it. Ends the program if that cannot be. */
uint64_t scene_expected(void);

/* A client that behaves. */
struct neighbour {
	struct raw raw;
	uint32_t context;
	uint32_t list_bytes;
	uint8_t *vram, *fcram;
};

/* Eight submissions at a time. 0, or what connecting or making memory said. */
int neighbour_open(struct neighbour *n, const char *path);
int neighbour_open_wide(struct neighbour *n, const char *path, uint32_t sq_entries);
/* Makes context, memory and scene on an open connection. */
int neighbour_furnish(struct neighbour *n);
/* Draws a frame: 0, -EIO (another picture), or what waiting said. */
int neighbour_frame(struct neighbour *n);
void neighbour_close(struct neighbour *n);

#endif
