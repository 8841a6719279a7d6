/* Vertex and geometry programs: decoding, running 32 vertices at a time, the geometry unit. */
#ifndef SHADER_SHADER_H
#define SHADER_SHADER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/attributes.h"
#include "core/base/memory.h"
#include "core/chunk/shaded.h"
#include "core/sched/slice.h"
#include "core/vec/cpu.h"
#include "pica.h"

enum {
	SHADER_LANES = 32,
	SHADER_VS_WORDS = 512,
	SHADER_GS_WORDS = 4096,
	SHADER_UNIFORMS = 96,
	SHADER_PAUSE_STEPS = 4096, /* instructions between two looks at the clock */
	SHADER_PAUSED_BYTES = 16384,
	/* A float is tame if it is 0 or the bits of its magnitude are in [LEAST, END). */
	SHADER_TAME_LEAST = 0x34000000, /* 2^-23 */
	SHADER_TAME_END = 0x4E800000,   /* 2^30 */
};

/* Constants of one invocation; floats as the arithmetic reads them (f24-exact in f24 mode). */
struct shader_uniforms {
	float c[SHADER_UNIFORMS][4];
	uint8_t i[4][4];
	uint16_t b;
};

/*
 * 32 vertices, structure of arrays: [register][component][lane].
 *
 * tame: inputs (bit i: v[i]) known to be tame in all components and lanes; others may be too.
 *
 * o_unread: outputs (bit i: o[i]) that are never read: if the program does not write them, they are
 * undefined afterwards instead of 0. Saves half the time of a short program; 0 is always correct.
 *
 * is_paused: the last run ended with its slice, and the next call continues it. Set it to false to
 * start another run.
 */
struct shader_batch {
	PICA_ALIGNED(64) float v[16][4][SHADER_LANES];
	PICA_ALIGNED(64) float o[16][4][SHADER_LANES];
	uint16_t tame;
	uint16_t o_unread;
	bool is_paused;
	PICA_ALIGNED(64) unsigned char paused[SHADER_PAUSED_BYTES]; /* private to the kernel */
};

/* A decoded program: all words of the code memory. Immutable, reference counted. */
struct prog;

/*
 * Returns a program with one reference, or NULL when out of memory. n_words: 512 or 4096. memory:
 * the account to charge, or NULL.
 */
struct prog *prog_create(const uint32_t *code, unsigned n_words, const uint32_t descriptors[128],
		struct pica_memory *memory);
struct prog *prog_get(struct prog *p);
void prog_put(struct prog *p);

/* The part of a program that some outputs need; its flow is the same for all lanes. Opaque. */
struct shader_slice;
enum { SHADER_SLICE_BYTES = 64 << 10 };

struct shader_straight; /* below */

struct shader_kernels {
	/*
	 * Runs the vertex program from entry (masked with 1FF) on lanes 0..n-1. All registers but v
	 * start at 0; all of o is written (0 where the program does not write). budget:
	 * instructions per lane. Lanes n and up of v may hold any values; those of o are undefined
	 * afterwards. All kernels give the same bits: a NaN that arithmetic produces or propagates
	 * is 7FC00000, copies keep all bits.
	 *
	 * slice: unless NULL, the run pauses when the slice is over, and returns false. The same
	 * call, with b->is_paused unchanged, continues the run.
	 */
	bool (*run[2])(const struct prog *p, unsigned entry, const struct shader_uniforms *u,
			struct shader_batch *b, unsigned n, uint64_t budget,
			struct shader_result *r, struct slice *slice); /* by enum pica_float */
	/*
	 * Prepares run_slice() for components needs[i] of each o[i]. The batch and the uniforms
	 * must not move as long as s is used. s: SHADER_SLICE_BYTES, 64-byte aligned. Returns the
	 * number of instructions that the whole program executes per lane, or 0 if its flow depends
	 * on the lane or it is too long. Bit i of *inputs: the slice reads v[i]. NULL in plain C.
	 */
	unsigned (*slice)(struct shader_slice *s, const struct prog *p, unsigned entry,
			const struct shader_uniforms *u, struct shader_batch *b,
			const uint8_t needs[16], enum pica_float mode, unsigned *inputs);
	/* Computes the needed components of lanes 0..n-1, bit for bit as run; others: undefined. */
	void (*run_slice)(struct shader_slice *s, unsigned n);
	/*
	 * Runs lanes 0..n-1, one invocation each, with inputs in b->v; changes b->o. Copies the
	 * n_regs registers reg[] at EMIT e to out[e * n_regs] and on. NULL in plain C.
	 */
	void (*run_straight)(const struct shader_straight *s, const struct shader_uniforms *u,
			struct shader_batch *b, unsigned n, enum pica_float mode,
			const uint8_t *reg, unsigned n_regs, float (*out)[4][SHADER_LANES]);
};

void shader_kernels_init(struct shader_kernels *k, enum isa isa);
ISA_KERNELS(shader)

/*
 * For tools and tests: runs one vertex, step by step. step, unless NULL, is called before each
 * instruction, and at the end with SHADER_STEP_END. r and o are the registers themselves: at each
 * step they hold the current values.
 */
enum { SHADER_STEP_END = 0xFFFF, SHADER_STEP_NOWHERE = 0xFF };

struct shader_step {
	unsigned addr;
	int32_t a[2], al;
	bool cmp[2];
	uint8_t n_sources;
	/* 0-15 v, 16-31 r, from 32 c; SHADER_STEP_NOWHERE: beyond the uniforms */
	uint8_t source[3];
	float value[3][4];   /* as read, after swizzle and negation */
	uint8_t destination; /* 0-15 o, 16-31 r; SHADER_STEP_NOWHERE */
	uint8_t mask;        /* components written, bit 0: x */
};

typedef void shader_step_fn(void *user, const struct shader_step *step);
void shader_run_vertex(const struct prog *p, unsigned entry, const struct shader_uniforms *u,
		const float v[16][4], float r[16][4], float o[16][4], enum pica_float mode,
		uint64_t budget, struct shader_result *result, shader_step_fn *step, void *user);

/* The geometry unit: all state that persists from run to run (fidelity: gs-state, gs-emit). */
struct shader_gs {
	float v[16][4], r[16][4];
	float o[2][16][4]; /* two output banks */
	unsigned bank;
	int32_t a[2], al;
	bool cmp[2];
	uint8_t emit_id; /* 0..2; 3 = no store */
	bool emit_prim, emit_invert;
};

/* Called by EMIT with the outputs of the current bank (before it toggles). */
typedef void shader_emit_fn(void *user, const struct shader_gs *gs, const float o[16][4]);

/*
 * Callbacks of the geometry unit. pause, unless NULL, is called between instructions, every
 * SHADER_PAUSE_STEPS of a run; it returns false to cut off a program whose result is not needed.
 */
struct shader_host {
	shader_emit_fn *emit;
	bool (*pause)(void *user, unsigned steps); /* steps since the last call */
	shader_step_fn *step; /* or NULL; as for shader_run_vertex() */
	void *user;
};

/* Runs the geometry program once. mode: enum pica_float. Sets b15 of *u afterwards. */
void shader_run_gs(const struct prog *p, unsigned entry, struct shader_uniforms *u,
		struct shader_gs *gs, enum pica_float mode, uint64_t budget,
		struct shader_result *r, const struct shader_host *host);

/* ---- Independent invocations ---- */

enum {
	SHADER_STRAIGHT_STEPS = 512,
	SHADER_STRAIGHT_EMITS = 64,
	SHADER_STRAIGHT_TRIANGLES = 64,
	SHADER_STRAIGHT_BYTES = 64 * SHADER_STRAIGHT_STEPS,
};

/* What surrounds an invocation of a geometry program. */
struct shader_straight_rules {
	uint16_t inputs;     /* bit i: v[i] is written before each invocation */
	/* Uniforms that are: c[first_uniform + i] is v[i] of the batch; inputs is 0 then. */
	uint8_t first_uniform, n_uniforms;
	uint8_t reads[16];   /* components of each o[i] that are used at EMIT */
	bool turns;          /* the winding flag swaps the first two corners of its triangle */
};

/*
 * A geometry program that executes the same instructions in all invocations, and reads nothing that
 * an earlier one left: registers, flags, output banks, emitted vertices.
 */
struct shader_straight {
	unsigned steps;       /* of an invocation, with END */
	unsigned n_toggles;   /* EMITs; those that store a vertex count for the corners: */
	unsigned n_emits, n_triangles;
	uint8_t corner[SHADER_STRAIGHT_TRIANGLES][3]; /* numbers of EMITs */
	unsigned n_ops;
	PICA_ALIGNED(8) unsigned char ops[SHADER_STRAIGHT_BYTES]; /* private; need not be whole */
};

/*
 * Returns whether the program is one, and emits triangles. b15 of *u must be set, and the bools and
 * integers stay as they are. The copy of *s that runs may end after shader_straight_bytes().
 */
bool shader_straight_find(struct shader_straight *s, const struct prog *p, unsigned entry,
		const struct shader_uniforms *u, const struct shader_straight_rules *rules);
size_t shader_straight_bytes(const struct shader_straight *s);

/*
 * Returns the number of instructions of any invocation of a vertex or geometry program, or 0 if it
 * depends on the input, or is above SHADER_STRAIGHT_STEPS.
 */
unsigned shader_steps(const struct prog *p, bool is_gs, unsigned entry,
		const struct shader_uniforms *u);

#endif
