/* The rows of `pica draws`, for pica inspect. */
#ifndef PICA_DRAWS_H
#define PICA_DRAWS_H

#include <jansson.h>

#include "common/options.h"

/*
 * Appends to reports what `pica draws --json --depends` prints of one frame of a capture. Draws the
 * whole capture, since later rows may read what the frame wrote. Returns an exit code, after
 * logging.
 */
int draws_report(const char *path, const struct engine_options *engine, uint32_t frame,
		json_t *reports);

#endif
