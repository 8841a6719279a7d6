/* The hardware work of each job: pica_ctx_count_jobs(). Command thread only, unless noted. */
#ifndef FRONT_BILL_H
#define FRONT_BILL_H

#include <stdint.h>

#include "pica_emulator.h"

struct pica200;

/* Sums over a context, as far as they have been billed to jobs. */
struct billed {
	uint64_t list_words, draws, vertices, command_steps; /* by the command thread */
	uint64_t unit_steps, triangles, pixels;              /* of retired units */
};

struct bills {
	struct billed sums;
	uint64_t seq[PICA_COUNTED_JOBS]; /* indexed by job number modulo PICA_COUNTED_JOBS */
	struct pica_job_counts counts[PICA_COUNTED_JOBS];
};

/*
 * Starts counting from zero, or stops it. Called by the context's caller while the context is idle.
 * Returns 0 or -ENOMEM.
 */
int bill_switch(struct pica200 *ctx, bool on);
/* Call when a job begins to run. */
void bill_begin(struct pica200 *ctx);
/* Bills to the job that ran last what the command thread has done since the previous call. */
void bill_commands(struct pica200 *ctx);
/* Bills the work of a unit that has just retired to its job. */
void bill_unit(struct pica200 *ctx, uint64_t job);
/* Bills a write by the copy engines to the running job. */
void bill_fill(struct pica200 *ctx, uint64_t size_bytes);
void bill_move(struct pica200 *ctx, uint32_t src, uint32_t dst, uint64_t size_bytes);
/*
 * Returns 0 or -ENODATA. No job in flight may use the same slot of the arrays. Any thread; the
 * caller holds dispatcher.mon.
 */
int bill_find(const struct pica200 *ctx, uint64_t seq, struct pica_job_counts *out);

#endif
