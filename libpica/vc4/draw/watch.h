/*
 * The history of watched pixels (pica_history.h): changes that a job makes to them in the tile
 * buffers.
 *
 * In each job a watched pixel belongs to one tile, and so to one task. While the job runs, only
 * that task accesses the pixel's notes; when the job is reaped, the command thread collects them.
 * Unless stated otherwise, each function accepts NULL, for a job in which nothing is watched.
 */
#ifndef VC4_WATCH_H
#define VC4_WATCH_H

#include "core/chunk/watch.h"
#include "vc4/draw/draw.h"

struct pica_job;

enum {
	WATCH_STEPS = 1 << 20,     /* maximum in a history */
	WATCH_JOB_STEPS = 1 << 16, /* maximum of a pixel in a job */
};

struct vc4_noted_fragment {
	struct pica_qpu_fragment fragment;
	size_t first_step;
};

/* In these entries `steps` is the number of a fragment. */
struct vc4_log {
	struct pica_history_entry *entries;
	struct vc4_noted_fragment *fragments;
	struct pica_qpu_step *steps;
	size_t n_entries, n_fragments, n_steps;
	size_t cap_entries, cap_fragments, cap_steps;
	int error; /* -ENOMEM: the log is incomplete */
};

/* ---- history.c: of a context; command thread ---- */

struct vc4_history {
	struct pica_watch pixel[PICA_WATCH_MAX];
	unsigned n_pixels;
	struct pica_history_entry at; /* frame, event, user_data of the running job */
	uint32_t next_event, n_draws; /* of the frame */
	bool ends_frame;              /* the running job is a PRESENT */
	bool has_steps;
	struct vc4_log log;
	size_t first_pending;         /* entries of the running job's write */
	struct watch watch;
};

/* Returns NULL when out of memory. */
struct vc4_history *vc4_history_create(const struct pica_watch *pixels, unsigned n);
/* NULL is allowed. */
void vc4_history_destroy(struct vc4_history *h);
/* Call when a job begins and when it has ended. Bytes written by the client are noted. */
void vc4_history_begin(struct vc4_history *h, struct exec *x, const struct pica_job *job);
void vc4_history_end(struct vc4_history *h, struct exec *x);

/* Append n entries, one fragment, or n steps. Return NULL when out of memory, and set l->error. */
struct pica_history_entry *vc4_log_entries(struct vc4_log *l, size_t n);
struct vc4_noted_fragment *vc4_log_fragment(struct vc4_log *l);
struct pica_qpu_step *vc4_log_steps(struct vc4_log *l, size_t n);
/* Appends all of `from`. A fragment whose steps would exceed WATCH_STEPS keeps none. */
void vc4_log_append(struct vc4_log *l, const struct vc4_log *from);
void vc4_log_finish(struct vc4_log *l);

/* ---- watch.c: of a job ---- */

/* Command thread. Returns NULL if the job stores no watched pixel, or when out of memory. */
struct vc4_watch *vc4_watch_begin(struct vc4_unit *unit, struct exec *x,
		const struct vc4_tiles *tiles, uint32_t binning);
void vc4_watch_destroy(struct vc4_watch *w);
/* Call when the open pass contains all draws and is about to be closed. Waits. */
void vc4_watch_pass(struct vc4_watch *w, struct exec *x);
/* Call when the pass is reaped. */
void vc4_watch_end(struct vc4_watch *w);

/* Tasks; w is not NULL. */
/* Call when the previous walk, if any, or the task is over. */
void vc4_watch_walked(struct vc4_watch *w, unsigned task);
/* A run of the tile of op has begun with a clear buffer. */
void vc4_watch_clear(struct vc4_watch *w, unsigned task, const struct vc4_tile_op *op,
		const struct tile_buffer *b);
/* The buffer was loaded or stored; or it will be drawn to. */
void vc4_watch_op(struct vc4_watch *w, unsigned task, const struct vc4_tile_op *op,
		const struct tile_buffer *b);
/* Runs a fragment program and notes watched pixels. run: the kernel for all other pixels. */
int vc4_watch_run(const struct vc4_frag_part *part, struct qpu_run *r,
		int (*run)(struct qpu_run *r));

#endif
