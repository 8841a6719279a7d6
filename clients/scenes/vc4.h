/*
 * Bundled scenes of the VideoCore IV: memory, control lists and jobs, one picture a job. Written
 * with pica_vc4_emit.h.
 */
#ifndef SCENES_VC4_H
#define SCENES_VC4_H

#include "pica_vc4_emit.h"
#include "sink.h"

/* Bus addresses. The rest of VC4_VERTICES to the end of memory is the scene's. */
enum {
	VC4_BASE = SINK_VC4_BASE,
	VC4_BINNING = VC4_BASE,
	VC4_RENDERING = VC4_BASE + 0x2000,
	VC4_RECORDS = VC4_BASE + 0x8000,
	VC4_PROGRAMS = VC4_BASE + 0xA000, /* 0x1000 for each of three */
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

/* Records a scene's jobs. Returns 0 or a negative errno. */
int vc4_scene_record(void (*run)(struct vc4_recorder *r), const char *path, const char *title);

#endif
