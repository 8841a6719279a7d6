/*
 * Pixel history, for tools: all work that touched one pixel, in the order of the work, and why each
 * fragment there was kept or dropped.
 *
 * A watched pixel is a place in memory: the bytes at a physical address. While it is watched, the
 * context notes each load, fill, transfer and copy that writes these bytes, and for each draw whose
 * colour buffer holds them each primitive at that pixel: drawn, or culled, clipped away, without
 * area. A draw is looked at just before its pass runs, when all earlier work is done: the
 * primitives are assembled once more, and the one fragment of each is shaded by the kernels of the
 * draw itself, step by step, on a copy of the pixel. So the answers are those of the draw to the
 * bit, and are the same for each number of threads and each instruction set. Memory, pictures and
 * registers stay as they are without it. A context that watches nothing pays nothing.
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
 * Functions follow the thread rules of pica.h. Contexts of the VideoCore IV have the history of
 * pixels alone (see "Pixels of the VideoCore IV"); all else returns -EOPNOTSUPP there.
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
	/* Of the VideoCore IV, the pixel in the buffer of its tile: */
	PICA_HISTORY_CLEAR,
	PICA_HISTORY_TILE_LOAD,
	PICA_HISTORY_STORE,    /* of the buffer to memory */
	PICA_HISTORY_KIND_COUNT,
};

/*
 * The end of a fragment, or of its primitive. Entries that are not draws are KEPT, but clears and
 * loads of a tile that is not stored.
 */
enum pica_verdict {
	PICA_VERDICT_KEPT,        /* it passed all tests, and the pixel was written */
	/*
	 * Kept, but a later entry replaced the pixel without reading it: by pica_history_settle(),
	 * or loads of tiles.
	 */
	PICA_VERDICT_OVERWRITTEN,
	/* it passed, but no channel may be written; of the QPU: its program wrote no colour */
	PICA_VERDICT_MASKED,
	PICA_VERDICT_SCISSOR,
	PICA_VERDICT_ALPHA,
	PICA_VERDICT_STENCIL,
	PICA_VERDICT_DEPTH,
	PICA_VERDICT_CULLED,      /* the primitive covers the pixel, but faces away */
	PICA_VERDICT_CLIPPED,     /* its part there lies outside of a clip plane */
	PICA_VERDICT_DEGENERATE,  /* it has no area; its point or line meets the pixel's square */
	/* a budget of the job ended its drawing before, or the buffer of its tile was not stored */
	PICA_VERDICT_LOST,
	PICA_VERDICT_COUNT,
};

/* Return "load", ..., and "kept", ...; static storage. */
const char *pica_history_kind_name(enum pica_history_kind kind);
const char *pica_verdict_name(enum pica_verdict verdict);

enum { PICA_WATCH_MAX = 16, PICA_HISTORY_STAGES = 6, PICA_HISTORY_LIGHTS = 8 };

/* Bytes that are watched. */
struct pica_watch {
	uint32_t addr;       /* physical */
	uint32_t size_bytes; /* 1..4: of a pixel */
};

#define PICA_HISTORY_NONE UINT32_MAX

/* The values of a fragment on its way. Colours are RGBA; a unit that is off has 0. */
struct pica_fragment {
	float depth;        /* in [0, 1], if has_depth */
	uint32_t z;         /* the same as integer of the depth buffer's width */
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
	 * By its registers it writes all channels and reads none: earlier entries are not visible.
	 * Loads, fills, transfers, copies and clears always do; loads of tiles from elsewhere, too.
	 */
	uint8_t replaces;
	uint8_t watch;    /* number of the watched pixel */
	uint32_t frame;   /* PRESENTs since pica_ctx_watch() */
	uint32_t event;   /* jobs since then, or since the last PRESENT */
	uint32_t reserved;
	uint64_t user_data; /* of the job */
	/* Bytes of the pixel in memory, little-endian, before and after. */
	uint32_t before, after;

	/*
	 * TRANSFER, COPY, TILE_LOAD of an image: the pixels or bytes that it was made of; n_sources
	 * 1, 2 or 4.
	 */
	uint32_t n_sources;
	struct pica_watch source[4];

	/* DRAW: */
	uint32_t draw;      /* of its frame, from 0: each trigger, each run of immediate vertices */
	uint32_t primitive; /* of the draw, from 0; of a geometry shader, as it emitted them */
	/*
	 * Numbers of its vertices: in the arrays, or of immediate ones in the draw.
	 * PICA_HISTORY_NONE: of an earlier draw, or of a geometry shader.
	 */
	uint32_t vertex[3];
	struct pica_target target;
	uint32_t x, y;      /* of the target, memory rows */
	/*
	 * Of corners as they are drawn (clipping makes others), linear on the screen; their sum is
	 * 1. Not of DEGENERATE primitives.
	 */
	float barycentric[3];
	/* Depth and stencil in the buffer, before and after; 0 without a depth buffer. */
	uint32_t z_before, z_after;
	/* for pica_ctx_read_steps() and pica_ctx_read_qpu_fragment(), or PICA_HISTORY_NONE */
	uint32_t steps;
	uint8_t stencil_before, stencil_after;
	/* From here on: after the scissor test. 0 for SCISSOR, CULLED, CLIPPED, DEGENERATE. */
	uint8_t is_shaded;
	uint8_t reserved2;
	struct pica_fragment fragment; /* if a test dropped it: as it would have been */
};

/* ---- Steps of a fragment ---- */

enum {
	PICA_NO_TABLE = 0xFF,        /* of pica_light_factor.table: the factor is 1 */
	PICA_LIGHT_DISTANCE = 0xFE, /* of input: the distance, scaled and clamped to 0..1 */
};

/* A texel that a unit read. */
struct pica_texel {
	uint16_t s, t;      /* of the level, after wrapping; t 0 is where v is 0 */
	uint8_t level, face; /* face: of a cube, 0 to 5: +X, -X, +Y, -Y, +Z, -Z */
	uint8_t is_border;  /* the border colour; s and t are 0 */
	uint8_t reserved;
	uint8_t color[4];   /* RGBA; of a shadow map density, then depth, low byte first */
	float weight;       /* share in the result; the weights of a unit sum up to 1 */
};

/* The texels of a unit: 1, 4 of a bilinear filter, or both of two levels; 0: it is off. */
struct pica_texture_steps {
	uint32_t n;
	struct pica_texel texel[8];
};

/* A factor out of a table of lighting. [fidelity: light-lookup] */
struct pica_light_factor {
	uint8_t table;  /* PICA_LIGHT_TABLE_* (pica_regs.h), or PICA_NO_TABLE */
	uint8_t input;  /* PICA_LIGHT_INPUT_*, or PICA_LIGHT_DISTANCE */
	uint16_t entry; /* 0..255, as the port counts them */
	float from;     /* value of the input */
	float value;    /* of the entry and its difference, scaled */
};

/* A light that adds to a colour that is read. [fidelity: lights] */
struct pica_light_steps {
	uint8_t number;    /* 0..7 */
	uint8_t reserved[3];
	float diffuse;     /* cosine of normal and light, not below 0; two-sided: absolute */
	float geometric;   /* of highlights that it dims; 1 if of none */
	struct pica_light_factor spot, distance, d0, d1, reflection[3];
	float primary[3], secondary[3]; /* what it adds to the colours, RGB */
};

/* Values on the way of a fragment that are not in struct pica_fragment. */
struct pica_fragment_steps {
	struct pica_texture_steps unit[3];
	/* Lighting, if is_lit: */
	uint8_t is_lit, n_lights;
	uint8_t reserved[2];
	float normal[3];
	float tangent[3], view[3]; /* unit vectors; 0 if no table asks for them */
	float ambient[3];          /* added to the primary colour once */
	float shadow[4];           /* dims lights, and alpha; 1 if no light asks for it */
	struct pica_light_steps light[PICA_HISTORY_LIGHTS]; /* n_lights of them */
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
 * Watches n pixels, at most PICA_WATCH_MAX, from now on; earlier entries are discarded. n 0:
 * entries are of no pixel, but pica_ctx_trace() works. pixels NULL: stops. Waits for idle. Returns
 * 0; -EINVAL for too many or a size that is not 1..4; -ENOMEM.
 */
int pica_ctx_watch(struct pica_ctx *ctx, const struct pica_watch *pixels, unsigned n);
/*
 * Switches steps of shaded fragments on (off at first): they are kept from now on. Waits for idle.
 * Returns 0; -EINVAL if nothing is watched.
 */
int pica_ctx_watch_steps(struct pica_ctx *ctx, int on);
/*
 * Copies the steps of an entry, by its number (pica_history_entry.steps). Waits for idle. Returns
 * 0; -EINVAL if there are none.
 */
int pica_ctx_read_steps(struct pica_ctx *ctx, uint32_t steps, struct pica_fragment_steps *out);
/* Returns the number of entries; -ENOMEM if some could not be kept. Waits for idle. */
int64_t pica_ctx_history(struct pica_ctx *ctx);
/* Copies entries [first, first + n). Waits for idle. Returns 0; -EINVAL beyond the last one. */
int pica_ctx_read_history(struct pica_ctx *ctx, uint32_t first, uint32_t n,
		struct pica_history_entry *out);
/*
 * Finds the last transfer or copy since pica_ctx_watch() that wrote the byte at addr, among those
 * that came before the job (frame, event). Returns 1, with kind, frame, event, user_data and source
 * in *out, or 0: there was none. Waits for idle.
 */
int pica_ctx_trace(struct pica_ctx *ctx, uint32_t addr, uint32_t frame, uint32_t event,
		struct pica_history_entry *out);
/*
 * Finds the bytes of a pixel of a screen, as the display controller shows it now: x from the left,
 * y from the top. *format becomes PICA_COLOR_FORMAT_* (pica_regs.h). Waits for idle. Returns 0;
 * -EINVAL outside of the screen; -ENODATA if no memory is shown (never set, or a solid colour).
 */
int pica_ctx_screen_pixel(struct pica_ctx *ctx, enum pica_screen_id screen, enum pica_eye eye,
		uint32_t x, uint32_t y, struct pica_watch *out, uint32_t *format);
/*
 * Of entries of one pixel in order: each KEPT one that a later one replaced becomes OVERWRITTEN.
 * Returns the index of the last one that wrote the pixel, or -1. Touches nothing else; any thread.
 */
int64_t pica_history_settle(struct pica_history_entry *entries, size_t n);

/* ---- Pixels of the VideoCore IV ---- */

/*
 * A watched pixel is one of the image that a store of colours makes; stores of whole tile buffers
 * have no entries. `before` and `after` of entries are what a store would write at that moment,
 * averaged if it is of four samples; a STORE has the bytes of memory. `z_before`, `z_after` (24
 * bits) and the stencils are those of sample 0. `draw` counts as `pica draws` does.
 * `primitive` is of the draw, and PICA_HISTORY_NONE for points and lines, which have no
 * `barycentric` and `vertex` either. `target` is the image that is stored: size, address, and
 * PICA_VC4_FORMAT_* as color_format. `replaces`: the program reads no colour of the tile, and the
 * fragment covers all samples. `is_shaded` is 0, and `fragment` is not used: what the fragment
 * program had and did is in pica_qpu_fragment, by the entry's `steps`. Entries of a job are there
 * when it is done.
 */

enum { PICA_QPU_VARYINGS = 62, PICA_QPU_STEPS = 4096 };

/* A fragment, as its program had it. Addresses of the bus, less their alias bits. */
struct pica_qpu_fragment {
	uint32_t record;            /* of the primitive's record */
	uint32_t offset;            /* of it in the binning list, from the list's start; wraps */
	uint32_t program, uniforms; /* of the fragment program */
	uint32_t z;                 /* 24 bits */
	float w;                    /* clip space */
	uint8_t samples, passed;    /* bit: sample; covered, and written in the end */
	uint8_t reads_color;        /* the program loaded colours of the tile */
	uint8_t writes_z;           /* it wrote Z, which makes the tests */
	uint32_t color;             /* written to sample 0, or 0 */
	int32_t error;              /* that ended the program; 0 */
	uint32_t n_varyings;
	/*
	 * Of points and lines their own one or two first. Interpolated: the plane that the program
	 * reads, times W, plus the constant in r5.
	 */
	float varying[PICA_QPU_VARYINGS];
	uint32_t n_steps;           /* instructions that ran */
	uint32_t n_kept;            /* of them for pica_ctx_read_qpu_steps(), from the first one */
	uint32_t reserved[2];
};

/* Bits of pica_qpu_step.wrote. */
enum {
	PICA_QPU_WROTE_ADD = 1, /* value[0], as packed, in this lane */
	PICA_QPU_WROTE_MUL = 2, /* value[1] */
	PICA_QPU_WROTE_R4 = 4,  /* by the signal: r4 */
};

/* An instruction, as one lane ran it. */
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
 * Copies what an entry's `steps` names. Waits for idle. Returns 0; -EINVAL if there is none;
 * -EOPNOTSUPP unless the context is of a VideoCore IV.
 */
int pica_ctx_read_qpu_fragment(
		struct pica_ctx *ctx, uint32_t steps, struct pica_qpu_fragment *out);
/*
 * Copies steps [first, first + n) of it, which are kept after pica_ctx_watch_steps(): at most
 * PICA_QPU_STEPS of a fragment, 65,536 of a pixel in a job, and 1,048,576 of all. Waits for idle.
 * Returns 0; -EINVAL beyond n_kept; -EOPNOTSUPP as above.
 */
int pica_ctx_read_qpu_steps(struct pica_ctx *ctx, uint32_t steps, uint32_t first, uint32_t n,
		struct pica_qpu_step *out);

/* ---- Costs ---- */

/*
 * Work of draws, as counts that are the same on each machine, with each number of threads and each
 * instruction set. Those of one draw: the difference of two readings, before and after it.
 */
struct pica_costs {
	uint64_t draws;
	uint64_t vertices;        /* that draws asked for */
	uint64_t shaded_vertices; /* of them and of left-over ones, those whose program ran */
	/*
	 * Instructions of vertex and geometry programs, each vertex's. The last vertices of a draw,
	 * kept for the next one, may run once more, depending on when somebody waits: not counted.
	 */
	uint64_t shader_steps;
	uint64_t triangles;       /* that were assembled */
	uint64_t drawn_triangles; /* after clipping and culling, which may make two of one */
	/*
	 * Pixels that triangles cover inside of the scissor rectangle and the target. A draw whose
	 * state lets no fragment have an effect has none.
	 */
	uint64_t fragments;
	/*
	 * Of fragments, by enum pica_verdict: KEPT, MASKED, ALPHA, STENCIL and DEPTH, whose sum is
	 * fragments. The others are 0: such fragments are not made.
	 */
	uint64_t verdict[PICA_VERDICT_COUNT];
	/* Texture units 0 to 2 that fragments looked up: a fragment that reads two counts twice. */
	uint64_t samples;
};

/*
 * Switches counting on (all counts become 0) or off. Pictures stay the same. Off by default, and
 * then free. Waits for idle. Returns 0; -ENOMEM.
 */
int pica_ctx_find_costs(struct pica_ctx *ctx, int on);
/*
 * Copies the costs of all work since pica_ctx_find_costs(). Waits for idle. Returns 0; -EINVAL if
 * counting is off.
 */
int pica_ctx_costs(struct pica_ctx *ctx, struct pica_costs *out);

/* ---- Steps of a vertex program ---- */

enum {
	PICA_STEP_END = 0xFFFF,  /* of address */
	PICA_STEP_NOTHING = 0xFF, /* of registers */
};

/*
 * An instruction of a vertex program, as one vertex ran it. Registers: 0-15 v0-v15, 16-31 r0-r15,
 * 32-127 c0-c95 of sources; 0-15 o0-o15, 16-31 r0-r15 of destinations. Values are as the arithmetic
 * of the context has them: exact in f24 by default.
 */
struct pica_shader_step {
	uint16_t address;    /* of the code word; PICA_STEP_END: the state after the last one */
	uint8_t n_sources;   /* 0: flow control and the like */
	uint8_t destination; /* PICA_STEP_NOTHING: none, or flags or address registers */
	uint8_t mask;        /* components written, bit 0: x */
	uint8_t source[3];   /* PICA_STEP_NOTHING: beyond the uniforms, which reads 1 */
	uint8_t flags[2];    /* the two conditions, before the instruction */
	uint8_t reserved[2];
	int32_t a[2], al;    /* address registers and loop counter, before it */
	float value[3][4];   /* of the sources, after swizzle and negation */
	float result[4];     /* the destination afterwards, with the components that it keeps */
};

/*
 * Runs the vertex program on one vertex, as pica_ctx_shade() does: by its number in the arrays, or
 * with 16 attributes; one of the two is NULL. Copies the first n instructions to steps, and the end
 * after the last. Draws nothing and changes nothing. Waits for idle. Returns the number of entries
 * that there are, which may be greater than n: instructions and the end. -EINVAL if both or none
 * are given; -ERANGE if the base of the arrays lies outside of memory; -EOPNOTSUPP on a VideoCore
 * IV; -ENOMEM. The budget of shader steps ends an endless program. [fidelity: flow-control]
 */
int64_t pica_ctx_trace_vertex(struct pica_ctx *ctx, const uint32_t *number,
		const float (*attributes)[4], struct pica_shader_step *steps, uint64_t n,
		struct pica_vertex *out);

#ifdef __cplusplus
}
#endif

#endif
