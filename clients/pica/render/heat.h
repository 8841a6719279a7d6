/* Heat maps: one number for each pixel of a target, as a picture with a legend and as JSON. */
#ifndef PICA_HEAT_H
#define PICA_HEAT_H

#include <stdint.h>

#include <jansson.h>

#include "pica_inspect.h"
#include "pictures/picture.h"

enum heat_kind {
	HEAT_OVERDRAW, /* fragments that were written */
	HEAT_COST,     /* steps of the fragment pipe */
	HEAT_KINDS,
};

/* "overdraw", "cost". */
const char *heat_name(enum heat_kind kind);

struct heat {
	enum heat_kind kind;
	struct pica_target target;
	uint32_t *values;  /* of each pixel, rows as in memory; ours */
	uint64_t entered;  /* fragments that triangles covered */
	uint64_t sum, pixels; /* over pixels, and those that are not 0 */
	uint32_t max;
	uint32_t *sorted;  /* those that are not 0, ascending; ours */
};

/* -ENOMEM. */
int heat_from_counts(struct heat *h, enum heat_kind kind, const struct pica_target *target,
		const struct pica_count *counts);
void heat_finish(struct heat *h);
/* Upright where the target is a screen's; title: the first line. -ENOMEM. */
int heat_picture(const struct heat *h, const char *title, struct picture *out);
/*
 * {"kind", "target": {...}, "entered", "sum", "pixels", "mean", "median", "p90", "p99", "max",
 * "histogram": [[value, pixels], ...] (overdraw only)}; mean and so on over pixels that are not 0.
 */
json_t *heat_json(const struct heat *h);

#endif
