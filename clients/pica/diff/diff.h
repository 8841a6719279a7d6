/* Shared by the files of `pica diff`. */
#ifndef PICA_DIFF_H
#define PICA_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>
#include <xxhash.h>

#include "common/options.h"
#include "common/reads.h"
#include "common/snapshot.h"
#include "pica_inspect.h"
#include "pictures/picture.h"
#include "step.h"

enum diff_kind {
	DIFF_CAPTURE,
	DIFF_IMAGE,  /* PNG */
	DIFF_HASHES, /* lines of `pica render --format hash` */
};

struct diff_options {
	struct engine_options engine[2]; /* of A and B */
	const char *path[2];
	unsigned n_paths;                /* 1: one capture, drawn in two ways */
	struct frame_list frames;
	uint32_t tolerance;              /* of a channel */
	uint32_t allowed;                /* pixels of a picture that may be beyond it */
	unsigned given;                  /* bit 0: --a, bit 1: --b */
	bool every_draw, brief, json;
	const char *output;              /* folder, or NULL */
	enum progress_mode progress;
};

/* Fills *o from a command line; help and usage errors end the process. */
void diff_options_parse(struct diff_options *o, int argc, char **argv);

/* One run of the verb. */
struct diff {
	const struct diff_options *o;
	json_t *report; /* or NULL: text on the standard output */
	bool differs;
};

/* Both set differs. Both return an exit code, after logging errors. */
int diff_captures(struct diff *d);
/* A capture's rendering and a file of hashes, or two such files. */
int diff_hashes(struct diff *d, const enum diff_kind kind[2]);

/* Two pictures; differs: beyond tolerance and allowance. */
struct diff_result {
	bool differs, other_size;
	struct picture_difference d;
	uint8_t a[3], b[3]; /* at the first pixel that differs */
};

void diff_compare(const struct diff_options *o, const struct picture *a, const struct picture *b,
		struct diff_result *out);
/*
 * "12 pixels differ (2 beyond the tolerance), by 17 at most, first at column 3, row 4: #102030,
 * #102131"
 */
void diff_print(const struct diff_result *r, const struct picture *a, const struct picture *b);
json_t *diff_json(const struct diff_result *r);
/*
 * Writes FOLDER/name-a.png, -b.png and -diff.png (dark grey where both are the same, bright red to
 * yellow by how much they differ). Logs errors and returns false. Does nothing without -o.
 */
bool diff_write(struct diff *d, const char *name, const struct picture *a, const struct picture *b);

/* ---- side.c ---- */

/* One of two renderings that are compared, and its targets at a draw. */

struct diff_side {
	const char *path; /* borrowed */
	char *name;       /* ours */
	struct pica_device *device;
	struct pica_device *stepper; /* for work draw by draw; NULL: device */
	struct pica_capture *capture;
	struct pica_ctx *ctx;
	struct step step;
	const struct edits *edits; /* borrowed, or NULL */
	uint32_t n_frames;
	enum pica_chip chip;
	enum pica_float float_mode; /* as the device has them */
	enum pica_combiner combiner;
	bool is_noted; /* that a key is damaged */
};

/*
 * Logs errors, and returns an exit code; diff_side_close() is allowed in any case.
 * threads_given: the number of workers was asked for.
 */
int diff_side_open(struct diff_side *s, const char *path, const struct engine_options *engine);
void diff_side_close(struct diff_side *s);
/*
 * Starts a new context at a point from which the frame can be reached; s->step.replay.frames is its
 * next frame. Returns 0 or a negative errno.
 */
int diff_side_restart(struct diff_side *s, uint32_t frame, const struct step_visitor *visitor,
		void *user);
/* Logs a negative errno; returns an exit code. */
int diff_side_failed(const struct diff_side *s, int ret);

/* The position of a draw and, unless --brief, its state, shortened. */
void diff_print_state(const struct diff *d, const struct snapshot *s);

/* A target after a draw. */
struct diff_record {
	struct step_draw draw;
	struct pica_target target;
	uint8_t *rgba;    /* ours; NULL: it cannot be read */
	uint32_t *depth;  /* ours; NULL: there is none */
};

void diff_record_finish(struct diff_record *r);
/* Records the targets of the current registers. Returns 0 or -ENOMEM. */
int diff_record_take(struct diff_record *r, struct pica_ctx *ctx, const struct step_draw *draw);
/* Upright if it is a screen's. Returns 0 or -ENOMEM. */
int diff_record_picture(const struct diff_record *r, struct picture *out);

/*
 * Of each draw of a frame: a hash of its targets after it (colour with alpha, depth, stencil, and
 * their addresses), and one of the memory that it reads.
 */
struct diff_mark {
	XXH128_hash_t drawn, read;
};

struct diff_marks {
	struct diff_mark *mark; /* ours */
	uint32_t n;
	size_t cap;
};

void diff_marks_finish(struct diff_marks *marks);
/* An exit code. */
int diff_marks_take(struct diff_marks *marks, struct diff_side *s, uint32_t frame);

struct diff_records {
	struct diff_record *r; /* ours */
	unsigned n;
	size_t cap;
};

void diff_records_finish(struct diff_records *list);
/*
 * Records the targets after the draws of a frame from `first` on: at least one if there is one, and
 * as many as fit into a budget of memory. Returns an exit code.
 */
int diff_records_take(
		struct diff_records *list, struct diff_side *s, uint32_t frame, uint32_t first);

/* Everything at one draw. */
struct diff_view {
	struct snapshot state;
	struct diff_record before, after;
	struct reads reads;
	bool is_there;
};

void diff_view_finish(struct diff_view *v);
/* Returns an exit code; sets is_there if the draw exists. */
int diff_view_take(struct diff_view *v, struct diff_side *s, uint32_t frame, uint32_t draw);

#endif
