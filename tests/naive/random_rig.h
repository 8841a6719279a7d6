/* The engine and the naive renderer side by side, each with its own copy of the memory. */
#ifndef RANDOM_RIG_H
#define RANDOM_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "naive.h"
#include "random.h"

struct rig {
	struct pica_device *device; /* borrowed */
	struct pica_ctx *ctx;
	struct naive *naive;
	uint8_t *engine_mem[2]; /* WIN_VRAM, WIN_FCRAM */
	uint8_t *naive_mem[2];
};

extern const uint32_t rig_window_phys[2];

/* Prints and exits with 2: the test cannot continue. */
void rig_trouble(const char *what, int error);

/* Both memories start with the noise of this stream of the seed. */
void rig_create(struct rig *rig, struct pica_device *device, enum pica_float mode, uint64_t seed,
		uint64_t stream);
void rig_destroy(struct rig *rig);

/* Compares memory, registers, shader code and uniforms; prints which of the latter differ. */
bool rig_differs(const struct rig *rig);
/*
 * Runs items [first, last) of a group on both. Consecutive draws share lists, some joined by random
 * jumps; apart: each draw has a list. Returns false if a job failed in the engine.
 */
bool rig_run_items(struct rig *rig, const struct group *g, unsigned first, unsigned last,
		bool apart, uint64_t stream);

/* random_report.c: prints bytes that differ, with the pixels of those in the target. */
void report_differences(const struct rig *rig, const struct target *t);
/* Registers by name, and the programs. */
void report_context(const struct rig *rig);
void report_job(const struct pica_job *job);

#endif
