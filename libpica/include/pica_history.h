/*
 * Pixel history, for tools: all work that touched one pixel, in execution order, and why each
 * fragment there was kept or dropped.
 *
 * A watched pixel is a place in memory: the bytes at a physical address. While it is watched, the
 * context records each load, fill, transfer and copy that writes these bytes. For each draw whose
 * colour buffer contains them, it records each primitive at that pixel: drawn, culled, clipped away
 * or without area. A draw is examined just before its pass runs, when all earlier work is done: its
 * primitives are assembled again, and the draw's own kernels shade the one fragment of each, step
 * by step, on a copy of the pixel. The results therefore match the draw bit for bit, and do not
 * depend on the number of threads or the instruction set. Watching does not change memory, pictures
 * or registers. A context that watches nothing pays nothing.
 *
 *	struct pica_watch pixel = { .addr = addr, .size_bytes = 4 };
 *	pica_ctx_watch(ctx, &pixel, 1);
 *	... submit the jobs of a frame ...
 *	int64_t n = pica_ctx_history(ctx);
 *	pica_ctx_read_history(ctx, 0, n, entries);
 *	pica_history_settle(entries, n);
 *	for (int64_t i = 0; i < n; i++) {
 *		printf("draw %u: %s\n", entries[i].draw, pica_verdict_name(entries[i].verdict));
 *	}
 *
 * Functions follow the thread rules of pica.h. A context of the VideoCore IV has only the history
 * of pixels (see "Pixels of the VideoCore IV"). For it, the other functions return -EOPNOTSUPP,
 * and pica_ctx_trace() returns 0.
 */
#ifndef PICA_HISTORY_H
#define PICA_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "pica_inspect.h"

#ifdef __cplusplus
extern "C" {
#endif

enum pica_history_kind {
	PICA_HISTORY_LOAD,     /* WRITE or INVALIDATE: the client's bytes */
	PICA_HISTORY_FILL,
	PICA_HISTORY_TRANSFER, /* display transfer */
	PICA_HISTORY_COPY,     /* texture copy */
	PICA_HISTORY_DRAW,     /* a primitive of a draw */
	/* VideoCore IV only: the pixel in its tile buffer. */
	PICA_HISTORY_CLEAR,
	PICA_HISTORY_TILE_LOAD,
	PICA_HISTORY_STORE,    /* from the tile buffer to memory */
	PICA_HISTORY_KIND_COUNT,
};

/*
 * The outcome of a fragment, or of its primitive. Entries other than draws are KEPT, except clears
 * and loads of a tile that is not stored: those are LOST.
 */
enum pica_verdict {
	PICA_VERDICT_KEPT,        /* it passed all tests, and the pixel was written */
	/*
	 * Kept, but a later entry replaced the pixel without reading it. Set by
	 * pica_history_settle(), and by tile loads.
	 */
	PICA_VERDICT_OVERWRITTEN,
	/* it passed, but all channels are masked; on the QPU: its program wrote no colour */
	PICA_VERDICT_MASKED,
	PICA_VERDICT_SCISSOR,
	PICA_VERDICT_ALPHA,
	PICA_VERDICT_STENCIL,
	PICA_VERDICT_DEPTH,
	PICA_VERDICT_CULLED,      /* the primitive covers the pixel, but faces away */
	PICA_VERDICT_CLIPPED,     /* its part at the pixel lies outside a clip plane */
	PICA_VERDICT_DEGENERATE,  /* it has no area; its point or line meets the pixel's square */
	/* a budget of the job ended drawing first, or the tile buffer was not stored */
	PICA_VERDICT_LOST,
	PICA_VERDICT_COUNT,
};

/* Return "load", ... and "kept", ... respectively. Static storage. */
const char *pica_history_kind_name(enum pica_history_kind kind);
const char *pica_verdict_name(enum pica_verdict verdict);

enum { PICA_WATCH_MAX = 16, PICA_HISTORY_STAGES = 6, PICA_HISTORY_LIGHTS = 8 };

/* The watched bytes. */
struct pica_watch {
	uint32_t addr;       /* physical */
	uint32_t size_bytes; /* of the pixel, 1..4 */
};

#define PICA_HISTORY_NONE UINT32_MAX

/* The intermediate values of a fragment. Colours are RGBA; those of a disabled unit are 0. */
struct pica_fragment {
	float depth;        /* in [0, 1], if has_depth */
	uint32_t z;         /* the same, as an integer of the depth buffer's width */
	uint8_t has_depth;  /* a test or fog needed it */
	uint8_t reserved[3];
	float coord[3][2];  /* texture coordinates u, v of units 0 to 2, if enabled */
	float coord0_w;     /* of unit 0, if its type uses it */
	uint8_t primary[4]; /* interpolated colour */
	uint8_t texture[3][4], proctex[4];
	uint8_t light[2][4]; /* primary and secondary colour of lighting */
	/* Combiner: operands as selected by the operand registers, and the scaled result. */
	struct {
		uint8_t rgb[3][3], alpha[3];
		uint8_t out[4];
	} stage[PICA_HISTORY_STAGES];
	uint8_t combined[4]; /* of the last stage */
	uint8_t color[4];    /* after the fog: the source of the blender */
};

struct pica_history_entry {
	uint8_t kind;     /* enum pica_history_kind */
	uint8_t verdict;  /* enum pica_verdict */
	/*
	 * 1 if its registers make it write all channels and read none, which hides earlier entries.
	 * Always 1 for loads, fills, transfers, copies, clears, and tile loads from another place.
	 */
	uint8_t replaces;
	uint8_t watch;    /* index of the watched pixel */
	uint32_t frame;   /* PRESENTs since pica_ctx_watch() */
	uint32_t event;   /* jobs since pica_ctx_watch() or the last PRESENT */
	uint32_t reserved;
	uint64_t user_data; /* of the job */
	/* Bytes of the pixel in memory, little-endian, before and after. */
	uint32_t before, after;

	/*
	 * TRANSFER, COPY, TILE_LOAD of an image: the pixels or bytes that the result was made of;
	 * n_sources is 1, 2 or 4.
	 */
	uint32_t n_sources;
	struct pica_watch source[4];

	/* DRAW: */
	uint32_t draw;      /* in its frame, from 0; a trigger or a run of immediate vertices */
	uint32_t primitive; /* in the draw, from 0; geometry shader: in order of emission */
	/*
	 * Numbers of its vertices in the arrays; immediate vertices are numbered within the draw.
	 * PICA_HISTORY_NONE: a vertex of an earlier draw, or of a geometry shader.
	 */
	uint32_t vertex[3];
	struct pica_target target;
	uint32_t x, y;      /* in the target; y counts memory rows */
	/*
	 * Weights of the corners as drawn (clipping makes new corners), linear in screen space;
	 * their sum is 1. Not meaningful for DEGENERATE primitives.
	 */
	float barycentric[3];
	/* Depth and stencil in the buffer, before and after; 0 without a depth buffer. */
	uint32_t z_before, z_after;
	/* for pica_ctx_read_steps() and pica_ctx_read_qpu_fragment(), or PICA_HISTORY_NONE */
	uint32_t steps;
	uint8_t stencil_before, stencil_after;
	/*
	 * 1 if the fragment passed the scissor test, so that `fragment` is valid; 0 for SCISSOR,
	 * CULLED, CLIPPED and DEGENERATE.
	 */
	uint8_t is_shaded;
	uint8_t reserved2;
	struct pica_fragment fragment; /* if a test dropped it: the values it would have had */
};

/* ---- Steps of a fragment ---- */

enum {
	PICA_NO_TABLE = 0xFF,        /* in pica_light_factor.table: the factor is 1 */
	PICA_LIGHT_DISTANCE = 0xFE, /* in .input: the distance, scaled and clamped to 0..1 */
};

/* A texel that a unit read. */
struct pica_texel {
	uint16_t s, t;      /* in the level, after wrapping; t = 0 is at v = 0 */
	uint8_t level, face; /* face of a cube, 0 to 5: +X, -X, +Y, -Y, +Z, -Z */
	uint8_t is_border;  /* the border colour; s and t are 0 */
	uint8_t reserved;
	uint8_t color[4];   /* RGBA; shadow map: density, then depth, low byte first */
	float weight;       /* share of the result; the weights of a unit sum to 1 */
};

/* The texels that a unit read: n is 1, or 4 if bilinear, twice that for two levels; 0: off. */
struct pica_texture_steps {
	uint32_t n;
	struct pica_texel texel[8];
};

/* A factor from a lighting table. [fidelity: light-lookup] */
struct pica_light_factor {
	uint8_t table;  /* PICA_LIGHT_TABLE_* (pica_regs.h), or PICA_NO_TABLE */
	uint8_t input;  /* PICA_LIGHT_INPUT_*, or PICA_LIGHT_DISTANCE */
	uint16_t entry; /* 0..255, numbered as in the port */
	float from;     /* value of the input */
	float value;    /* from the entry and its difference, scaled */
};

/* A light that contributes to a colour that is read. [fidelity: lights] */
struct pica_light_steps {
	uint8_t number;    /* 0..7 */
	uint8_t reserved[3];
	float diffuse;     /* cosine of normal and light, clamped at 0; two-sided: absolute */
	float geometric;   /* factor of the highlights that it dims; 1 if it dims none */
	struct pica_light_factor spot, distance, d0, d1, reflection[3];
	float primary[3], secondary[3]; /* added to the colours, RGB */
};

/* Intermediate values of a fragment that are not in struct pica_fragment. */
struct pica_fragment_steps {
	struct pica_texture_steps unit[3];
	/* Lighting, if is_lit: */
	uint8_t is_lit, n_lights;
	uint8_t reserved[2];
	float normal[3];
	float tangent[3], view[3]; /* unit vectors; 0 if no table uses them */
	float ambient[3];          /* added to the primary colour once */
	float shadow[4];           /* dims lights, and alpha; 1 if no light uses it */
	struct pica_light_steps light[PICA_HISTORY_LIGHTS]; /* the first n_lights are valid */
	struct pica_light_factor fresnel;
	/* If has_fog: (factor * colour + (2047 - factor) * fog_color) / 2047. [fidelity: fog] */
	uint8_t has_fog;
	uint8_t fog_color[3];
	uint16_t fog_entry, fog_factor;
	/* The blender's other input, if it reads the pixel: RGBA. */
	uint8_t reads_target;
	uint8_t target[4];
	uint8_t reserved2[3];
};

/*
 * Watches n pixels, at most PICA_WATCH_MAX, from now on, and discards earlier entries. If n is 0,
 * no entries are made, but pica_ctx_trace() works. If pixels is NULL, stops watching. Waits for
 * idle. Returns 0; -EINVAL for too many pixels or a size that is not 1..4; -ENOMEM.
 */
int pica_ctx_watch(struct pica_ctx *ctx, const struct pica_watch *pixels, unsigned n);
/*
 * Switches the recording of steps on or off (initially off) for fragments shaded from now on. Waits
 * for idle. Returns 0; -EINVAL if nothing is watched.
 */
int pica_ctx_watch_steps(struct pica_ctx *ctx, int on);
/*
 * Copies the steps of an entry to *out; steps is its pica_history_entry.steps. Waits for idle.
 * Returns 0; -EINVAL if there are none.
 */
int pica_ctx_read_steps(struct pica_ctx *ctx, uint32_t steps, struct pica_fragment_steps *out);
/* Waits for idle. Returns the number of entries, or -ENOMEM if some could not be kept. */
int64_t pica_ctx_history(struct pica_ctx *ctx);
/* Copies entries [first, first + n). Waits for idle. Returns 0; -EINVAL beyond the last one. */
int pica_ctx_read_history(struct pica_ctx *ctx, uint32_t first, uint32_t n,
		struct pica_history_entry *out);
/*
 * Finds the last transfer or copy since pica_ctx_watch() that wrote the byte at addr and came
 * before the job (frame, event). Waits for idle. Returns 1, with kind, frame, event, user_data and
 * source in *out, or 0 if there is none.
 */
int pica_ctx_trace(struct pica_ctx *ctx, uint32_t addr, uint32_t frame, uint32_t event,
		struct pica_history_entry *out);
/*
 * Finds the memory of a screen pixel as the display controller shows it now: x from the left, y
 * from the top. Sets *format to PICA_COLOR_FORMAT_* (pica_regs.h). Waits for idle. Returns 0;
 * -EINVAL outside the screen; -ENODATA if no memory is shown (never set, or a solid colour).
 */
int pica_ctx_screen_pixel(struct pica_ctx *ctx, enum pica_screen_id screen, enum pica_eye eye,
		uint32_t x, uint32_t y, struct pica_watch *out, uint32_t *format);
/*
 * Changes each KEPT entry that a later KEPT one replaced to OVERWRITTEN. The entries are those of
 * one pixel, in order. Returns the index of the last entry that wrote the pixel, or -1. Accesses
 * nothing else; may be called from any thread.
 */
int64_t pica_history_settle(struct pica_history_entry *entries, size_t n);

/* ---- Pixels of the VideoCore IV ---- */

/*
 * A watched pixel belongs to the image that a colour store writes; stores of whole tile buffers
 * have no entries. The members of an entry differ as follows:
 *
 * - `before` and `after` are the bytes that a store would write at that moment, averaged over four
 *   samples if there are four. For a STORE they are the bytes in memory.
 * - `z_before`, `z_after` (24 bits) and the stencils are those of sample 0.
 * - `draw` is numbered as in `pica draws`.
 * - `primitive` counts within the draw. It is PICA_HISTORY_NONE for points and lines, which have no
 *   `barycentric` and `vertex` either.
 * - `target` is the stored image: size, address, and PICA_VC4_FORMAT_* as color_format.
 * - `replaces` is 1 if the program reads no colour of the tile and the fragment covers all samples.
 * - `is_shaded` is 0 and `fragment` is not used. The inputs and results of the fragment program are
 *   in pica_qpu_fragment, found by the entry's `steps`.
 *
 * The entries of a job are available when it is done.
 */

enum { PICA_QPU_VARYINGS = 62, PICA_QPU_STEPS = 4096 };

/* A fragment as its program saw it. Addresses are bus addresses without their alias bits. */
struct pica_qpu_fragment {
	uint32_t record;            /* of the primitive's record */
	uint32_t offset;            /* of the record from the binning list's start; wraps */
	uint32_t program, uniforms; /* of the fragment program */
	uint32_t z;                 /* 24 bits */
	float w;                    /* clip space */
	uint8_t samples, passed;    /* one bit a sample: covered; finally written */
	uint8_t reads_color;        /* the program loaded colours of the tile */
	uint8_t writes_z;           /* it wrote Z, which triggers the tests */
	uint32_t color;             /* written to sample 0, or 0 */
	int32_t error;              /* that ended the program, or 0 */
	uint32_t n_varyings;
	/*
	 * The interpolated values: the plane that the program reads, times W, plus the constant in
	 * r5. Points and lines have their own one or two first.
	 */
	float varying[PICA_QPU_VARYINGS];
	uint32_t n_steps;           /* executed instructions */
	uint32_t n_kept;            /* the first ones, kept for pica_ctx_read_qpu_steps() */
	uint32_t reserved[2];
};

/* Bits of pica_qpu_step.wrote. */
enum {
	PICA_QPU_WROTE_ADD = 1, /* value[0], as packed, in this lane */
	PICA_QPU_WROTE_MUL = 2, /* value[1] */
	PICA_QPU_WROTE_R4 = 4,  /* r4, by the signal */
};

/* An instruction as one lane executed it. */
struct pica_qpu_step {
	uint64_t word;    /* for a disassembler */
	uint32_t address;
	uint32_t value[2];
	uint32_t r4;
	uint8_t wrote;    /* PICA_QPU_WROTE_* */
	uint8_t flags;    /* afterwards: bit 0 Z, bit 1 N, bit 2 C */
	uint8_t reserved[6];
};

/*
 * Copies the fragment that an entry's `steps` refers to. Waits for idle. Returns 0; -EINVAL if
 * there is none; -EOPNOTSUPP unless the context is of a VideoCore IV.
 */
int pica_ctx_read_qpu_fragment(
		struct pica_ctx *ctx, uint32_t steps, struct pica_qpu_fragment *out);
/*
 * Copies steps [first, first + n) of the fragment. They are kept after pica_ctx_watch_steps(): at
 * most PICA_QPU_STEPS a fragment, 65,536 a pixel and job, and 1,048,576 in total. Waits for idle.
 * Returns 0; -EINVAL beyond n_kept; -EOPNOTSUPP as above.
 */
int pica_ctx_read_qpu_steps(struct pica_ctx *ctx, uint32_t steps, uint32_t first, uint32_t n,
		struct pica_qpu_step *out);

/* ---- Costs ---- */

/*
 * The work of draws, as counts that do not depend on the machine, the number of threads or the
 * instruction set. The costs of one draw are the difference of two readings, before and after it.
 */
struct pica_costs {
	uint64_t draws;
	uint64_t vertices;        /* requested by draws */
	uint64_t shaded_vertices; /* of these and left-over ones, those whose program ran */
	/*
	 * Instructions of vertex and geometry programs, summed over all vertices. The last vertices
	 * of a draw, kept for the next one, may run again, depending on when a caller waits; such
	 * repeated runs are not counted.
	 */
	uint64_t shader_steps;
	uint64_t triangles;       /* assembled */
	uint64_t drawn_triangles; /* after clipping and culling; one may become two */
	/*
	 * Pixels that triangles cover inside the scissor rectangle and the target. A draw whose
	 * state prevents every fragment from having an effect counts none.
	 */
	uint64_t fragments;
	/*
	 * Fragments by enum pica_verdict: KEPT, MASKED, ALPHA, STENCIL and DEPTH, whose sum is
	 * `fragments`. The others are 0, because such fragments are not produced.
	 */
	uint64_t verdict[PICA_VERDICT_COUNT];
	/* Lookups in texture units 0 to 2: a fragment that reads two units counts twice. */
	uint64_t samples;
};

/*
 * Switches counting on (all counts become 0) or off. Pictures stay the same. Off by default, at no
 * cost. Waits for idle. Returns 0, or -ENOMEM.
 */
int pica_ctx_find_costs(struct pica_ctx *ctx, int on);
/*
 * Copies the costs of all work since pica_ctx_find_costs(). Waits for idle. Returns 0; -EINVAL if
 * counting is off.
 */
int pica_ctx_costs(struct pica_ctx *ctx, struct pica_costs *out);

/* ---- Steps of a vertex program ---- */

enum {
	PICA_STEP_END = 0xFFFF,  /* in .address */
	PICA_STEP_NOTHING = 0xFF, /* in .source and .destination */
};

/*
 * An instruction of a vertex program as one vertex executed it. Register numbers of sources: 0-15
 * v0-v15, 16-31 r0-r15, 32-127 c0-c95; of destinations: 0-15 o0-o15, 16-31 r0-r15. Values are in
 * the arithmetic of the context: exact in f24 by default.
 */
struct pica_shader_step {
	uint16_t address;    /* of the code word; PICA_STEP_END: the state after the last step */
	uint8_t n_sources;   /* 0: flow control and the like */
	uint8_t destination; /* PICA_STEP_NOTHING: none, flags or address registers */
	uint8_t mask;        /* components written, bit 0: x */
	uint8_t source[3];   /* PICA_STEP_NOTHING: beyond the uniforms, reads 1 */
	uint8_t flags[2];    /* the two conditions, before the instruction */
	uint8_t reserved[2];
	int32_t a[2], al;    /* address registers and loop counter, before the instruction */
	float value[3][4];   /* of the sources, after swizzle and negation */
	float result[4];     /* the destination afterwards, including unwritten components */
};

/*
 * Runs the vertex program on one vertex, as pica_ctx_shade() does. The vertex is given by its
 * number in the arrays or as 16 attributes; the other argument is NULL. Copies the first n entries
 * to steps: one for each instruction, then the end (PICA_STEP_END). Draws nothing and changes
 * nothing. Waits for idle. Returns the number of all entries, which may be greater than n; -EINVAL
 * if both or neither are given; -ERANGE if the base of the arrays lies outside memory; -EOPNOTSUPP
 * on a VideoCore IV; -ENOMEM. The budget of shader steps ends an endless program.
 * [fidelity: flow-control]
 */
int64_t pica_ctx_trace_vertex(struct pica_ctx *ctx, const uint32_t *number,
		const float (*attributes)[4], struct pica_shader_step *steps, uint64_t n,
		struct pica_vertex *out);

/* ---- Steps of a geometry program ---- */

enum {
	PICA_GEOMETRY_STEPS = 65536, /* kept of a run */
	PICA_GEOMETRY_EMITS = 64,
};

enum pica_trace_by {
	PICA_TRACE_RUN,      /* the run with that number */
	PICA_TRACE_TRIANGLE, /* the run that emits the triangle with that number */
};

/* An EMIT. */
struct pica_geometry_emit {
	uint32_t step;       /* of the run, from 0 */
	/* Set by the last SETEMIT: */
	uint8_t slot;        /* 0 to 2: the vertex is stored there; 3: it is not */
	uint8_t is_last;     /* the three vertices go to the primitive assembler */
	uint8_t is_inverted; /* it swaps the winding */
	uint8_t reserved;
	float output[16][4]; /* o0-o15, of the bank in use */
};

/* A run of the geometry program: one input primitive. */
struct pica_geometry_run {
	uint32_t run;            /* its number since pica_ctx_trace_geometry(), from 0 */
	/* Triangles that it emitted, numbered like pica_history_entry.primitive. */
	uint32_t first_triangle, n_triangles;
	uint32_t n_emits;        /* the first PICA_GEOMETRY_EMITS are in emit[] */
	struct pica_geometry_emit emit[PICA_GEOMETRY_EMITS];
};

/*
 * Keeps the steps of one run of the geometry program, found among the runs and the triangles from
 * now on. by is an enum pica_trace_by; -1 stops, and discards the run. Pictures stay the same.
 * Waits for idle. Returns 0; -EINVAL for another by; -EOPNOTSUPP on a VideoCore IV; -ENOMEM.
 */
int pica_ctx_trace_geometry(struct pica_ctx *ctx, int by, uint32_t number);
/*
 * Copies the run and the first n entries of its steps: as pica_ctx_trace_vertex() does, but of at
 * most PICA_GEOMETRY_STEPS. o0-o15 as destinations are those of the bank in use; all registers
 * keep their values from run to run. Waits for idle. Returns the number of all entries; 0: the run
 * has not come yet; -EINVAL if none is looked for; -EOPNOTSUPP on a VideoCore IV; -ENOMEM if some
 * could not be kept.
 */
int64_t pica_ctx_geometry_steps(struct pica_ctx *ctx, struct pica_shader_step *steps, uint64_t n,
		struct pica_geometry_run *out);

#ifdef __cplusplus
}
#endif

#endif
