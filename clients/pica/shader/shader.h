/* Shared by the files of `pica shader`. */
#ifndef PICA_VERB_SHADER_H
#define PICA_VERB_SHADER_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "common/options.h"

/* A trace is of a vertex, a primitive or a run; they are numbered within the draw. */
enum shader_trace_of {
	SHADER_OF_VERTEX,
	SHADER_OF_PRIMITIVE, /* the run of the geometry program that emits it */
	SHADER_OF_RUN,       /* of the geometry program */
	SHADER_OF_COUNT,
};

/* pica shader trace */
struct shader_trace_options {
	struct engine_options engine;
	const char *capture;
	uint32_t frame, draw;
	uint32_t number[SHADER_OF_COUNT];
	unsigned given; /* bit SHADER_OF_*: at most one; none: SHADER_OF_VERTEX */
	bool json;
};

/* Prints each step of a program of a draw. Returns the exit code. */
int shader_trace(const struct shader_trace_options *o);
/*
 * The same for an open capture; o->capture names it in messages. *out: the report of
 * --json, or NULL.
 */
int shader_trace_in(const struct shader_trace_options *o, struct capture_here *c, json_t **out);

#endif
