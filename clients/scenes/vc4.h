/*
 * Bundled scenes of the VideoCore IV, written with pica_vc4_emit.h: memory, control lists and jobs,
 * one picture per job.
 */
#ifndef SCENES_VC4_H
#define SCENES_VC4_H

#include "pica_vc4_emit.h"
#include "sink.h"

/* Bus addresses. The memory from VC4_VERTICES on belongs to the scene. */
enum {
	VC4_BASE = SINK_VC4_BASE,
	VC4_BINNING = VC4_BASE,
	VC4_RENDERING = VC4_BASE + 0x2000,
	VC4_RECORDS = VC4_BASE + 0x8000,
	VC4_FRAGMENT = VC4_BASE + 0xA000, /* programs, 0x1000 bytes each */
	VC4_VERTEX = VC4_BASE + 0xB000,
	VC4_COORDINATE = VC4_BASE + 0xC000,
	VC4_UNIFORMS = VC4_BASE + 0xE000,
	VC4_TILE_STATE = VC4_BASE + 0x10000,
	VC4_TILE_LISTS = VC4_BASE + 0x18000,
	VC4_TARGET = VC4_BASE + 0x20000,
	VC4_TEXTURE = VC4_BASE + 0x160000,
	VC4_VERTICES = VC4_BASE + 0x200000,
};

struct vc4_recorder {
	struct sink *sink;
	struct pica_vc4_emit list[2]; /* binning, rendering */
	struct pica_vc4_frame frame;
	int error; /* the first one */
};

/* The first error stays. */
void vc4_scene_fail(struct vc4_recorder *r, int ret);
/* Write to memory: bytes, an assembled program, emitted records. */
void vc4_scene_put(struct vc4_recorder *r, uint32_t addr, const void *data, size_t size_bytes);
void vc4_scene_program(struct vc4_recorder *r, uint32_t addr, const char *text);
void vc4_scene_emitted(struct vc4_recorder *r, uint32_t addr, struct pica_vc4_emit *e);
/* Begins a binning list, with fields of CONFIGURATION_BITS. */
void vc4_scene_begin(struct vc4_recorder *r, const char *configuration);
/* Fields of VIEWPORT_OFFSET. */
void vc4_scene_center(struct vc4_recorder *r, const char *offset);
/* Ends the lists and runs them. */
void vc4_scene_run(struct vc4_recorder *r);
/* For shaded vertices: position, Zs, 1/Wc and n_varyings varyings. */
void vc4_scene_use_nv(struct vc4_recorder *r, unsigned n_varyings);

/* A fragment program that writes three varyings as the colour, red in byte 0. */
enum { VC4_COLORS_WORDS = 11 };
extern const uint32_t vc4_colors[VC4_COLORS_WORDS][2];

/* Scenes of vc4_mesh.c. */
void vc4_mesh(struct vc4_recorder *r);
void vc4_samples(struct vc4_recorder *r);

/* Records a scene's jobs. Returns 0 or a negative errno. */
int vc4_scene_record(void (*run)(struct vc4_recorder *r), const char *path, const char *title);

#endif
