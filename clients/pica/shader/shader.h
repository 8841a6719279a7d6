/* Shared by the files of `pica shader`. */
#ifndef PICA_VERB_SHADER_H
#define PICA_VERB_SHADER_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "common/options.h"

/* pica shader trace */
struct shader_trace_options {
	struct engine_options engine;
	const char *capture;
	uint32_t frame, draw, vertex;
	bool json;
};

/* Prints each step of a vertex of a draw. Returns the exit code. */
int shader_trace(const struct shader_trace_options *o);
/*
 * The same for an open capture of the PICA200; o->capture names it in messages. *out: the report of
 * --json, or NULL.
 */
int shader_trace_in(const struct shader_trace_options *o, struct capture_here *c, json_t **out);

#endif
