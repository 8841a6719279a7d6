/* Vertices on their way to triangles: shader units, assembler, geometry stage, draws. */
#ifndef FRONT_VERTEX_H
#define FRONT_VERTEX_H

#include <stdbool.h>
#include <stdint.h>

#include "pica/draw/draw.h"

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
 * The primitive assembler. A slot that a plain draw left over is lazy: its vertex is shaded again
 * from `left` when it is needed, before memory can change.
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
	float emitted[3][16][4]; /* packed outputs: mapped when they are submitted */
	struct out_map map;   /* of the running draw */
	struct clip_vertex *out; /* triangles of the running draw, 3 vertices each */
	uint32_t n_out, cap_out;
	struct geometry_kept {   /* pica_ctx_keep_geometry() */
		bool on;
		int error;       /* -ENOMEM: some are missing */
		struct clip_vertex *v;
		uint32_t n, cap;
	} kept;
};

/* Immediate mode: vertices waiting to be drawn together; attributes have a stride of 16 vectors. */
struct immediate {
	float current[16][4];
	unsigned attribute;
	float (*vertices)[16][4];
	uint32_t n;
	bool goes_on; /* earlier vertices of the run were drawn: it was too long */
};

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
/* A complete immediate vertex is in ctx->immediate.current. */
void draw_immediate_vertex(struct pica200 *ctx);
void draw_immediate_flush(struct pica200 *ctx);
/* Adds a draw of ready clip vertices (a list of triangles). */
void draw_clip_list(struct pica200 *ctx, const struct clip_vertex *v, uint32_t n);
/* The vertex part for the registers as they are; prog and uniforms: where it points to. */
void vertex_part_from_regs(struct pica200 *ctx, struct vertex_part *part, const struct prog *prog,
		const struct shader_uniforms *uniforms);
/*
 * The same with the context's program, decoded if it is new; take a reference to keep it. Returns
 * false when out of memory or over a budget (the job's result says which).
 */
bool vertex_part_make(struct pica200 *ctx, struct vertex_part *part,
		const struct shader_uniforms *uniforms);
/* Decodes a unit's program if it is new. Returns false as above. */
bool shader_unit_prepare(struct pica200 *ctx, struct shader_unit *unit, unsigned n_words);
/*
 * Returns the steps that one invocation on the command thread may take; front_charge_shader() takes
 * them.
 */
uint64_t front_step_budget(const struct pica200 *ctx);

/* ---- assemble.c ---- */
void assembler_reset(struct pica200 *ctx);
/*
 * Copies the vertices that the assembler holds to out, in stream order, and resolves lazy ones.
 * Returns their number, 0..2.
 */
unsigned assembler_prefix(struct pica200 *ctx, struct clip_vertex out[2], unsigned *parity);
/* Keeps the vertices that a plain draw leaves over. */
void assembler_after(struct pica200 *ctx, const struct draw *d);
/*
 * Shades n vertices of a part into the context's batch, on the command thread; others get turns
 * meanwhile. Abandoned, it ends without a result.
 */
void shade_here(struct pica200 *ctx, const struct vertex_part *part,
		const float (*attributes)[4], const uint32_t *number, unsigned n,
		struct shader_result *result, uint64_t *outside);
/* Shades lazy vertices now. */
void assembler_resolve(struct pica200 *ctx);
/* Geometry shader: one vertex; a finished triangle goes to ctx->geometry.out. */
void assembler_submit(struct pica200 *ctx, const struct clip_vertex *v);

/* ---- geometry.c ---- */
/* Draws a stream through the geometry shader, on the command thread. */
void geometry_draw(struct pica200 *ctx, const struct stream *s, bool indexed);
void geometry_config_changed(struct pica200 *ctx);

#endif
