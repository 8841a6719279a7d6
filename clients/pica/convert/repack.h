/* Writes frames of a capture as a container: what convert and trim share. */
#ifndef PICA_REPACK_H
#define PICA_REPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/options.h"

struct repack_options {
	const char *in, *out;
	const char *tool;      /* "pica convert" */
	/* frames; last FRAME_LAST: to the end, with what follows the last frame */
	uint32_t first, last;
	uint32_t key_frames;   /* a key each so many frames; 0: at the start only */
	uint32_t level;        /* zstd */
	bool trust_loads;
	struct engine_options engine;
};

/*
 * Draws the capture to find states and pictures, and writes it. Says what is wrong; an exit code.
 */
int repack(const struct repack_options *o, struct pica_capture *capture);

#endif
