/* Vertices on their way to triangles: shader units, assembler, geometry stage, draws. */
#ifndef FRONT_VERTEX_H
#define FRONT_VERTEX_H

#include <stdbool.h>
#include <stdint.h>

#include "pica/draw/draw.h"
#include "pica/front/trace.h"

struct pica200;

/* One shader unit's memories and upload ports. */
struct shader_unit {
	uint32_t code[SHADER_GS_WORDS];
	uint32_t descriptors[128];
	struct shader_uniforms u;
	uint32_t fifo[4]; /* words of an unfinished vec4 */
	unsigned n_fifo;
	uint32_t code_index, descriptor_index, uniform_index;
	struct prog *prog; /* counted; NULL: code or descriptors changed */
	bool uniforms_dirty;
};

/*
 * The primitive assembler. A vertex that a plain draw left over is lazy: it is shaded again, with
 * the state in `left`, when it is needed, at the latest before memory can change.
 */
struct assembler {
	unsigned n;
	bool ready, invert;
	struct clip_vertex slot[2];
	bool lazy[2];
	uint32_t lazy_number[2];        /* vertex number for the fetch */
	float lazy_attributes[2][16][4]; /* inline vertices */
};

/* State of the draw whose left-over vertices are lazy. */
struct left_over {
	struct vertex_part part;
	struct shader_uniforms uniforms;
	struct prog *prog; /* counted, or NULL */
	uint64_t job;      /* of the draw */
	bool is_inline;
	bool never_shaded; /* the draw has no triangle: the first run of its vertices is to come */
};

/* Geometry stage: gathered inputs and emitted vertices. */
struct geometry {
	struct shader_gs unit;
	float gathered[16][4];
	unsigned n_gathered;  /* point mode */
	uint32_t remaining;   /* variable mode: vertices of the primitive still to come */
	uint32_t main_left;   /* variable mode: vertices stored whole */
	uint32_t cursor;      /* next uniform */
	uint32_t n_vertices;  /* fixed mode: vertices stored */
	float emitted[3][16][4]; /* packed outputs: mapped on submission */
	struct out_map map;   /* of the running draw */
	struct clip_vertex *out; /* triangles of the running draw, 3 vertices each */
	uint32_t n_out, cap_out;
	uint64_t n_independent; /* invocations that were left to the vertex tasks, ever */
	struct geometry_kept {   /* pica_ctx_keep_geometry() */
		bool on;
		int error;       /* -ENOMEM: some are missing */
		struct clip_vertex *v;
		uint32_t n, cap;
	} kept;
	struct geometry_trace *trace; /* or NULL; owned */
};

/* Immediate mode: vertices waiting to be drawn together; attributes have a stride of 16 vectors. */
struct immediate {
	float current[16][4];
	unsigned attribute;
	float (*vertices)[16][4];
	uint32_t n;
	bool goes_on; /* earlier vertices of the run are drawn: too many, or their job ended */
};
static inline bool immediate_is_open(const struct immediate *im) {
	return im->n || im->goes_on;
}

/* A draw's stream before it is split: the source of struct draw. */
struct stream {
	uint32_t n, first;
	const uint32_t *index; /* in the pass's arena or ctx memory, or NULL */
	const float (*inline_attributes)[4];
	uint32_t min, max;     /* vertex numbers, for footprints */
};

/* ---- draw.c ---- */
void draw_arrays(struct pica200 *ctx);
void draw_elements(struct pica200 *ctx);
/* Call when ctx->immediate.current holds a complete vertex. */
void draw_immediate_vertex(struct pica200 *ctx);
/* Draws the waiting vertices: the run may go on, or ends. */
void draw_immediate_pause(struct pica200 *ctx);
void draw_immediate_flush(struct pica200 *ctx);
/* Adds a draw of ready clip vertices (a list of triangles). */
void draw_clip_list(struct pica200 *ctx, const struct clip_vertex *v, uint32_t n);
/*
 * Adds a draw of the stream whose triangles, 3 * emitted per primitive, pica_emit_stage makes.
 * Copies what *from points to; its first, index and vertex are filled in here.
 */
void draw_emitted(struct pica200 *ctx, const struct stream *s, const struct emit_part *from);
/* The most positions of the stream that one draw should have. */
uint32_t draw_most(const struct pica200 *ctx);
/* Fills *part from the current registers; it will point to prog and uniforms. */
void vertex_part_from_regs(struct pica200 *ctx, struct vertex_part *part, const struct prog *prog,
		const struct shader_uniforms *uniforms);
/*
 * The same with the context's program, which is decoded if it is new; to keep it, take a reference.
 * Returns false when out of memory or over a budget (see the job's result).
 */
bool vertex_part_make(struct pica200 *ctx, struct vertex_part *part,
		const struct shader_uniforms *uniforms);
/* Decodes a unit's program if it is new. Returns false as above. */
bool shader_unit_prepare(struct pica200 *ctx, struct shader_unit *unit, unsigned n_words);
/*
 * Returns the number of steps that one invocation on the command thread may take. Afterwards,
 * charge the steps taken with front_charge_shader().
 */
uint64_t front_step_budget(const struct pica200 *ctx);

/* ---- assemble.c ---- */
void assembler_reset(struct pica200 *ctx);
/*
 * Resolves the lazy vertices of the assembler, and copies all that it holds to out, in stream
 * order. Returns their number, 0..2.
 */
unsigned assembler_prefix(struct pica200 *ctx, struct clip_vertex out[2], unsigned *parity);
/* Stores the vertices that a plain draw leaves over. */
void assembler_after(struct pica200 *ctx, const struct draw *d);
/*
 * Shades n vertices of a part into the context's batch, on the command thread, and yields to other
 * contexts at the end of each slice. If the context is abandoned, returns without a result.
 */
void shade_here(struct pica200 *ctx, const struct vertex_part *part,
		const float (*attributes)[4], const uint32_t *number, unsigned n,
		struct shader_result *result, uint64_t *outside);
/* Shades lazy vertices now. */
void assembler_resolve(struct pica200 *ctx);
/* Submits a vertex of the geometry shader; a finished triangle goes to ctx->geometry.out. */
void assembler_submit(struct pica200 *ctx, const struct clip_vertex *v);

/* ---- geometry.c ---- */
/* Draws a stream through the geometry shader, on the command thread. */
void geometry_draw(struct pica200 *ctx, const struct stream *s, bool indexed);
void geometry_config_changed(struct pica200 *ctx);

/* ---- independent.c ---- */
struct independent {
	bool first_differs; /* b15 is not set yet */
	struct emit_part part;
	struct shader_straight program;
};

/*
 * Returns whether invocations of the stream, whose vertex part is given, are proven to be
 * independent, are enough to be worth it, and meet no budget.
 */
bool independent_find(const struct pica200 *ctx, const struct stream *s,
		const struct vertex_part *part, struct independent *in);
/*
 * Leaves them to the vertex tasks, from position `at` of the stream on, but for the last ones: when
 * these have run here, the state of the unit is as if all had. b15 is set. Returns the number of
 * positions that are drawn.
 */
uint32_t independent_draw(struct pica200 *ctx, const struct stream *s, uint32_t at,
		struct independent *in);

#endif
