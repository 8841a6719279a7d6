/* Steps of shader programs, as tools read them (pica_history.h). */
#ifndef FRONT_TRACE_H
#define FRONT_TRACE_H

#include "pica/shader/shader.h"
#include "pica_history.h"

/* Steps of one run: the first cap of n are kept. */
struct step_log {
	struct pica_shader_step *steps;
	uint64_t n, cap;
	const float (*r)[4], (*o)[4]; /* registers of the running program */
};

/* Appends a step, and completes the one before. */
void step_log_add(struct step_log *log, const struct shader_step *s);

/* A run of the geometry program that is looked for: pica_ctx_trace_geometry(). */
struct geometry_trace {
	enum pica_trace_by by;
	uint32_t number;
	bool is_found; /* the kept run is the wanted one */
	bool is_in_run;
	int error;     /* -ENOMEM: steps are missing */
	uint32_t n_runs, n_triangles; /* so far */
	struct step_log log;          /* of this run, or the last; owned */
	struct pica_geometry_run run;
};

struct geometry;

/* A run begins and ends; a step; an EMIT, which has made n triangles. */
void geometry_trace_begin(struct geometry_trace *t);
void geometry_trace_step(struct geometry *g, const struct shader_step *s);
void geometry_trace_emit(struct geometry *g, const float o[16][4], uint32_t n);
void geometry_trace_end(struct geometry_trace *t);
/* Accepts NULL. */
void geometry_trace_destroy(struct geometry_trace *t);

#endif
