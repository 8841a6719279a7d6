/* The hardware's work of each job: pica_ctx_count_jobs(). Command thread, unless noted. */
#ifndef FRONT_BILL_H
#define FRONT_BILL_H

#include <stdint.h>

#include "pica_emulator.h"

struct pica200;

/* Sums over a context, as far as they have been put on bills. */
struct billed {
	uint64_t list_words, draws, vertices, command_steps; /* by the command thread */
	uint64_t unit_steps, triangles, pixels;              /* of retired units */
};

struct bills {
	struct billed sums;
	uint64_t seq[PICA_COUNTED_JOBS]; /* by number modulo PICA_COUNTED_JOBS */
	struct pica_job_counts counts[PICA_COUNTED_JOBS];
};

/* Starts anew, or stops. The context is idle; its caller. Returns 0 or -ENOMEM. */
int bill_switch(struct pica200 *ctx, bool on);
/* The running job begins. */
void bill_begin(struct pica200 *ctx);
/* The command thread has worked for the job that ran last; a unit of a job has retired. */
void bill_commands(struct pica200 *ctx);
void bill_unit(struct pica200 *ctx, uint64_t job);
/* The running job has the copy engines write. */
void bill_fill(struct pica200 *ctx, uint64_t size_bytes);
void bill_move(struct pica200 *ctx, uint32_t src, uint32_t dst, uint64_t size_bytes);
/* Returns 0 or -ENODATA. No job in flight has that place. Any thread, dispatcher.mon held. */
int bill_find(const struct pica200 *ctx, uint64_t seq, struct pica_job_counts *out);

#endif
