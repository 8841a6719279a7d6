/* One of two renderings that are compared, and its targets at a draw. */
#ifndef PICA_DIFF_SIDE_H
#define PICA_DIFF_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#include <xxhash.h>

#include "common/reads.h"
#include "common/snapshot.h"
#include "diff.h"
#include "pica_inspect.h"
#include "step.h"

struct diff_side {
	const char *path; /* borrowed */
	char *name;       /* ours */
	struct pica_device *device;
	struct pica_device *stepper; /* for work draw by draw; NULL: device */
	struct pica_capture *capture;
	struct pica_ctx *ctx;
	struct step step;
	uint32_t n_frames;
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
 * In a new context, from where a frame can be reached: s->step.replay.frames is the next one.
 * Negative errno.
 */
int diff_side_restart(struct diff_side *s, uint32_t frame, const struct step_visitor *visitor,
		void *user);
/* Logs a negative errno; returns an exit code. */
int diff_side_failed(const struct diff_side *s, int ret);

/* Where a draw is, and unless --brief its state, shortened. */
void diff_print_state(const struct diff *d, const struct snapshot *s);

/* A target after a draw. */
struct diff_record {
	struct step_draw draw;
	struct pica_target target;
	uint8_t *rgba;    /* ours; NULL: it cannot be read */
	uint32_t *depth;  /* ours; NULL: there is none */
};

void diff_record_finish(struct diff_record *r);
/* Of the registers as they are now. -ENOMEM. */
int diff_record_take(struct diff_record *r, struct pica_ctx *ctx, const struct step_draw *draw);
size_t diff_record_bytes(const struct diff_record *r);
/* -ENOMEM. Upright where it is a screen's. */
int diff_record_picture(const struct diff_record *r, struct picture *out);

/*
 * Of each draw of a frame: a hash of its targets behind it, colour with alpha, depth, stencil, and
 * where they are; and one of the memory that it reads.
 */
struct diff_mark {
	XXH128_hash_t drawn, read;
};

struct diff_marks {
	struct diff_mark *mark; /* ours */
	uint32_t n, cap;
};

void diff_marks_finish(struct diff_marks *marks);
/* An exit code. */
int diff_marks_take(struct diff_marks *marks, struct diff_side *s, uint32_t frame);

struct diff_records {
	struct diff_record *r; /* ours */
	unsigned n, cap;
};

void diff_records_finish(struct diff_records *list);
/*
 * Records the targets behind draws `first` and up of a frame, at least one if there is one, and no
 * more than fit into a budget of memory. An exit code.
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
