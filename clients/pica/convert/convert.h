/* The types and functions that convert, trim and their files share. */
#ifndef PICA_CONVERT_H
#define PICA_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/options.h"
#include "pica_capture.h"

/* ---- repack.c ---- */

/* Writes frames of a capture as a container. Options of convert and trim: */
#define KEYS_ROW(at_, bit) \
	{ "keys", 0, "N", "The whole state each N frames; 0: once (default: 60)", OPTION_U32, \
			.at = at_, 0, UINT32_MAX, .given = bit, .expected = "a number of frames" }
#define LEVEL_ROW(at_, bit, default_) \
	{ "level", 0, "N", "Compression, 1-19 (default: " default_ ")", OPTION_U32, \
			.at = at_, 1, 19, .given = bit, .expected = "a level from 1 to 19" }
#define TRUST_LOADS_ROW(at_) \
	{ "trust-loads", 0, NULL, "Recorded textures replace what was drawn there", OPTION_FLAG, .at = at_ }

#define LEVEL_BY_SIZE "19, or 12 if CAPTURE exceeds 1 MiB"

struct repack_options {
	const char *in, *out;
	const char *tool;      /* "pica convert" */
	/* frames; last FRAME_LAST: to the end, including events after the last frame */
	uint32_t first, last;
	uint32_t key_frames;   /* frames between two keys; 0: one at the start only */
	uint32_t level;        /* zstd; 0: by the size of the input */
	bool trust_loads;
	struct engine_options engine;
};

/*
 * Draws the capture to find states and pictures, and writes it. Logs errors; returns an exit code.
 */
int repack(const struct repack_options *o, struct pica_capture *capture);

/* Prints "OUT: 45.3KiB, from 541.0KiB", of two files. */
void convert_report_sizes(const char *in, const char *out);

/* ---- overwritten.c ---- */

/* Frames first to last; a replay of them begins with frame `from`. is_all: no frame follows. */
struct overwritten_frames {
	uint32_t from, first, last;
	bool is_all;
};

/*
 * Zeroes the memory of ctx, which is at the start of frame `first`, that the frames overwrite
 * before they read it, and if they are all, what they never read; otherwise pictures of earlier
 * frames would be most of the output. The frames are drawn by the context `ahead`, from another
 * open capture. Returns 0 or a negative errno.
 */
int overwritten_clear(struct pica_ctx *ctx, struct pica_ctx *ahead, struct pica_capture *capture,
		const struct overwritten_frames *f);

/* ---- targets.c ---- */

/*
 * The same for a VideoCore IV, of targets that the frames store, and only if they are all: without
 * the targets they draw the same pictures.
 */
int targets_clear(struct pica_ctx *ctx, struct pica_ctx *ahead, struct pica_capture *capture,
		const struct overwritten_frames *f);

/* ---- same_pictures.c ---- */

/* Whether two captures draw the same pictures, frame by frame. */

struct pictures_differ {
	uint32_t frame;
	const char *screen; /* "top", "top-right", "bottom" */
};

/* Draws both from their start. Returns 0 if all are equal, 1 if *d is the first difference, or a
 * negative errno. */
int same_pictures(struct pica_device *device, struct pica_capture *a, struct pica_capture *b,
		struct pictures_differ *d);

/* ---- to_ctf.c ---- */

/* Writes a capture as CiTrace, as far as that form can express it. */

struct to_ctf_options {
	const char *in, *out;
	bool lossy; /* if pictures would differ, continue with a note */
	const struct engine_options *engine;
};

/* Logs errors; returns an exit code. */
int to_ctf(const struct to_ctf_options *o, struct pica_capture *capture);

/* ---- to_ctf_state.c ---- */

/* The state at the start of a .ctf: its arrays, and the first writes. */

/* State that this form cannot express. */
enum loss {
	LOSS_PORTS,
	LOSS_GEOMETRY,
	LOSS_ASSEMBLER,
	LOSS_MASK,
	LOSS_MEMORY,
	LOSS_COPY,
	LOSS_PRESENT,
	LOSS_KEEP,
	LOSS_COUNT,
};

struct ctf_out {
	struct pica_ctf_writer *writer;
	uint64_t lost[LOSS_COUNT];
	uint64_t kept_loads, trusted_loads;
};

/* Returns the state as far as the arrays can hold it (caller frees). NULL: out of memory. */
struct pica_state *to_ctf_initial(const struct pica_state *s);
/* Writes the state that is not in initial (from to_ctf_initial()); counts state that register
 * writes cannot express. */
void to_ctf_put_state(
		struct ctf_out *c, const struct pica_state *s, const struct pica_state *initial);

#endif
