/* Work per pixel, for tools (pica_inspect.h): counters for each target that is drawn to. */
#ifndef FRONT_COUNT_H
#define FRONT_COUNT_H

#include <stdbool.h>

#include "core/pass/pass.h"

struct pica200;

/* The counters of one target. */
struct counted {
	struct target target;
	struct tile_counts counts; /* entered is owned; the others follow it in memory */
};

/*
 * Finds the counters of a target, or creates them. Returns false when out of memory: the job ends
 * with -ENOMEM.
 */
bool count_find(struct pica200 *ctx, const struct target *t, struct tile_counts *out);
/* Discards all counters. The context must be idle. */
void count_clear(struct pica200 *ctx);

#endif
