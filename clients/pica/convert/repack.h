/* Writes frames of a capture as a container: what convert and trim share. */
#ifndef PICA_REPACK_H
#define PICA_REPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/options.h"

/* Options of convert and trim. */
#define KEYS_ROW(at_, bit) \
	{ "keys", 0, "N", "The whole state each N frames; 0: once (default: 60)", OPTION_U32, \
			.at = at_, 0, UINT32_MAX, .given = bit, .expected = "a number of frames" }
#define LEVEL_ROW(at_, bit) \
	{ "level", 0, "N", "Compression, 1-19 (default: 12)", OPTION_U32, .at = at_, 1, 19, \
			.given = bit, \
			.expected = "a level from 1 to 19" }
#define TRUST_LOADS_ROW(at_) \
	{ "trust-loads", 0, NULL, "Recorded textures replace what was drawn there", OPTION_FLAG, .at = at_ }

struct repack_options {
	const char *in, *out;
	const char *tool;      /* "pica convert" */
	/* frames; last FRAME_LAST: to the end, with what follows the last frame */
	uint32_t first, last;
	uint32_t key_frames;   /* frames between two keys; 0: one at the start only */
	uint32_t level;        /* zstd */
	bool trust_loads;
	struct engine_options engine;
};

/*
 * Draws the capture to find states and pictures, and writes it. Logs errors; returns an exit code.
 */
int repack(const struct repack_options *o, struct pica_capture *capture);

#endif
