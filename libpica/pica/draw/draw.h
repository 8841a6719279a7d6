/* The PICA200's vertex and fragment stage, and their state. */
#ifndef DRAW_DRAW_H
#define DRAW_DRAW_H

#include "core/pass/pass.h"
#include "pica/draw/kernels.h"
#include "pica/frag/frag.h"
#include "pica/geom/geom.h"
#include "pica/shader/shader.h"

/* From memory to clip space: draw_state.vertex. draw_state.frag is a struct frag_draw. */
struct vertex_part {
	struct fetch_layout layout;
	struct out_map map;
	const struct prog *prog; /* counted by the pass */
	const struct shader_uniforms *uniforms; /* in the pass's arena */
	unsigned entry;
	uint16_t unread_outputs; /* bit i: o<i> is not in the output mask */
	enum pica_float float_mode;
	uint64_t step_budget;
};

/* An input of a geometry program's invocation: output `from` of vertex `vertex`; NO_OUTPUT: 0. */
struct emit_input {
	uint8_t vertex, from, to; /* to: v register */
};

enum { NO_OUTPUT = 0xFF, EMIT_ROWS = 128 };

/*
 * A draw of the triangles that a straight geometry program makes (shader_straight_find()):
 * draw_state.vertex of pica_emit_stage. Vertex p * program->n_emits + e of the draw is EMIT e of
 * primitive p. The stream holds n_vertices numbers for each primitive: index[i], or first + i.
 * Vertices and steps are charged and counted when the draw is made; fetches stay inside memory.
 */
struct emit_part {
	const struct vertex_part *vertex;
	const struct shader_straight *program;   /* this and the next are in the pass's arena */
	const struct shader_uniforms *uniforms;
	const uint32_t *index;
	uint32_t first, n_primitives;
	unsigned n_vertices, n_inputs;
	struct emit_input input[16];
	struct out_map map; /* program->n_emits times its registers are at most EMIT_ROWS */
	unsigned steps;     /* of a primitive, with its vertices */
};

/*
 * Their kernels are a struct kernels. draw.inline_vertices: attributes, vertex i at [16 * i]. A
 * stage reports the greatest density of gas that was stored, as f16.
 */
extern const struct vertex_stage pica_vertex_stage;
extern const struct vertex_stage pica_emit_stage; /* emit.c */
extern const struct frag_stage pica_frag_stage;

/*
 * Shades vertices: numbers in memory, or positions among the inline ones (or NULL), n <=
 * SHADER_LANES. For the command thread's geometry shader and left-over vertices. slice: NULL, or it
 * ends when that is over; returns false then, and vertex_go_on() continues the batch, likewise.
 */
bool vertex_shade(const struct kernels *k, const struct space *space,
		const struct vertex_part *part, const float (*inline_attributes)[4],
		const uint32_t *number, unsigned n, struct shader_batch *b,
		struct shader_result *result, uint64_t *outside, struct slice *slice);
bool vertex_go_on(const struct kernels *k, const struct vertex_part *part, unsigned n,
		struct shader_batch *b, struct shader_result *result, struct slice *slice);

/* Which quaternions of assembled triangles are negated: vertex_stage.assemble of both stages. */
void negate_quaternions(const struct clip_vertex *cv, const uint32_t (*corner)[3], unsigned n,
		uint8_t *negated);

/* ---- Copy engines (engines.c); no pass may be open ---- */

/* A screen to be taken out of memory. */
struct shot_job {
	struct pica_shot *shot; /* the job's */
	struct scanout from;
};

void engine_fill(struct exec *x, const struct fill *f, uint64_t job);
void engine_transfer(struct exec *x, const struct transfer *t, uint64_t job);
void engine_copy(struct exec *x, const struct copy *c, uint64_t job);
/* n: 1 or 2. */
void engine_shots(struct exec *x, const struct shot_job *shots, unsigned n, uint64_t job);

#endif
