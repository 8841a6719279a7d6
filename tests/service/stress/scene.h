/*
 * A known picture, one command list: textured triangles with depth on a target of 128x128. Clients
 * that share the service with hostile ones draw it and compare its hash with libpica's.
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

/* Emits the scene's state up to the draw, for lists that go wrong afterwards. */
void scene_emit_state(struct pica_emit *e);
/* The same with a vertex shader that does not end. */
void scene_emit_endless(struct pica_emit *e);
/* The same with a geometry shader that does not end, and a draw. */
void scene_emit_endless_geometry(struct pica_emit *e);
/* Writes vertices, texture and list; the list's size in bytes. */
uint32_t scene_write(uint8_t *fcram);
/* Replaces the scene's list. Returns its size in bytes. */
uint32_t scene_write_list(uint8_t *fcram, struct pica_emit *e);
uint64_t scene_hash(const uint8_t *vram);
/* Returns the hash of libpica's picture; exits on failure. */
uint64_t scene_expected(void);

/* A client that behaves. */
struct neighbour {
	struct raw raw;
	uint32_t context;
	uint32_t list_bytes;
	uint8_t *vram, *fcram;
};

/* Opens a session of eight submissions, with memory. Returns 0 or an error. */
int neighbour_open(struct neighbour *n, const char *path);
int neighbour_open_wide(struct neighbour *n, const char *path, uint32_t sq_entries);
/* Makes context, memory and scene on an open connection. */
int neighbour_furnish(struct neighbour *n);
/* Puts its list into the next slot. */
void neighbour_put(struct neighbour *n, uint64_t user_data);
/* Draws a frame. Returns 0, -EIO for another picture, or the error of waiting. */
int neighbour_frame(struct neighbour *n);
void neighbour_close(struct neighbour *n);

#endif
