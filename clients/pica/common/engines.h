/* Work of the copy engines: jobs, or the register writes that start them. */
#ifndef PICA_ENGINES_H
#define PICA_ENGINES_H

#include <stdbool.h>
#include <stdint.h>

#include "pica.h"

/* Flags of the transfer engine that tools use.  [fidelity: transfer-fields] */
enum { ENGINES_CROP = 1 << 2, ENGINES_COPY = 1 << 3 };

struct engines {
	uint32_t external[PICA_EXTERNAL_WORDS]; /* contents after the writes so far */
};

/*
 * Follows a job. Returns whether it starts a fill, a transfer or a copy, and stores that in *out:
 * the job itself, or the one described by the registers. A fill without a start address starts
 * nothing.
 */
bool engines_job(struct engines *e, const struct pica_job *job, struct pica_job *out);
/* Returns the bytes per pixel of a transfer's format: 0 RGBA8, 1 RGB8, others 16 bits. */
unsigned engines_pixel_bytes(uint32_t format);

#endif
