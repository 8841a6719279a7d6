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
	SHADER_PAUSE_STEPS = 4096, /* instructions after which a run looks at the clock */
	SHADER_PAUSED_BYTES = 16384,
	/* Tame is 0, and a magnitude from the first of these bits to below the second. */
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
 * tame: inputs (bit i: v[i]) of which all components and lanes are tame; others may be as well.
 *
 * o_unread: outputs (bit i: o[i]) that are never read: if the program does not write them, they
 * hold any value afterwards instead of 0. Saves half the time of a short program; 0 is always
 * right.
 *
 * is_paused: the next run continues with the one that ended with its slice; set to false before
 * another one.
 */
struct shader_batch {
	PICA_ALIGNED(64) float v[16][4][SHADER_LANES];
	PICA_ALIGNED(64) float o[16][4][SHADER_LANES];
	uint16_t tame;
	uint16_t o_unread;
	bool is_paused;
	PICA_ALIGNED(64) unsigned char paused[SHADER_PAUSED_BYTES]; /* the kernel's */
};

/* Decoded program: all words of the code memory. Immutable, counted. */
struct prog;

/*
 * Returns a program with one reference, or NULL when out of memory. n_words: 512 or 4096. memory:
 * charged with it, or NULL.
 */
struct prog *prog_create(const uint32_t *code, unsigned n_words, const uint32_t descriptors[128],
		struct pica_memory *memory);
struct prog *prog_get(struct prog *p);
void prog_put(struct prog *p);

/* The part of a program that some outputs need, for lanes that all go the same way; opaque. */
struct shader_slice;
enum { SHADER_SLICE_BYTES = 64 << 10 };

/* Counters; a run adds to them. */
struct shader_kernels {
	/*
	 * Runs the vertex program from entry (masked with 1FF) on lanes 0..n-1. All registers but v
	 * start at 0; o is written whole (0 where the program does not write). budget: instructions
	 * a lane. Lanes n and up of v may hold any values, and so do those of o afterwards. Every
	 * kernel gives the same bits: a NaN that arithmetic makes or passes on is 7FC00000, copies
	 * keep all bits.
	 *
	 * slice: NULL, or the run pauses when it is over. Returns false then: the same call, with
	 * b->is_paused as it is, continues.
	 */
	bool (*run[2])(const struct prog *p, unsigned entry, const struct shader_uniforms *u,
			struct shader_batch *b, unsigned n, uint64_t budget,
			struct shader_result *r, struct slice *slice); /* by enum pica_float */
	/*
	 * NULL (plain C), or: prepares run_slice() for components needs[i] of each o[i], with the
	 * batch and the uniforms, which must stay where they are. s: SHADER_SLICE_BYTES, 64-byte
	 * aligned. Returns the instructions that a lane of the whole program executes, or 0: its
	 * flow depends on lanes, or it is too long. Bit i of *inputs: the slice reads v[i].
	 */
	unsigned (*slice)(struct shader_slice *s, const struct prog *p, unsigned entry,
			const struct shader_uniforms *u, struct shader_batch *b,
			const uint8_t needs[16], enum pica_float mode, unsigned *inputs);
	/* The needed components of lanes 0..n-1, the same bits as run's; other outputs: any. */
	void (*run_slice)(struct shader_slice *s, unsigned n);
};

void shader_kernels_init(struct shader_kernels *k, enum isa isa);
ISA_KERNELS(shader)

/*
 * For tools and tests: one vertex, step by step. step, unless NULL, is called before each
 * instruction, and at last with SHADER_STEP_END. r and o receive the registers, and hold them as
 * they are at each step.
 */
enum { SHADER_STEP_END = 0xFFFF, SHADER_STEP_NOWHERE = 0xFF };

struct shader_step {
	unsigned addr;
	int32_t a[2], al;
	bool cmp[2];
	uint8_t n_sources;
	/* 0-15 v, 16-31 r, from 32 c; SHADER_STEP_NOWHERE: beyond the uniforms */
	uint8_t source[3];
	float value[3][4];   /* what is read, after the swizzle and the negation */
	uint8_t destination; /* 0-15 o, 16-31 r; SHADER_STEP_NOWHERE */
	uint8_t mask;        /* components written, bit 0: x */
};

typedef void shader_step_fn(void *user, const struct shader_step *step);
void shader_run_vertex(const struct prog *p, unsigned entry, const struct shader_uniforms *u,
		const float v[16][4], float r[16][4], float o[16][4], enum pica_float mode,
		uint64_t budget, struct shader_result *result, shader_step_fn *step, void *user);

/* The geometry unit: everything that persists from run to run (fidelity: gs-state, gs-emit). */
struct shader_gs {
	float v[16][4], r[16][4];
	float o[2][16][4]; /* two output banks */
	unsigned bank;
	int32_t a[2], al;
	bool cmp[2];
	uint8_t emit_id; /* 0..2; 3 = no store */
	bool emit_prim, emit_invert;
};

/* EMIT: outputs of the current bank (before it toggles). */
typedef void shader_emit_fn(void *user, const struct shader_gs *gs, const float o[16][4]);

/*
 * The caller of the geometry unit. pause: NULL, or called between instructions, every
 * SHADER_PAUSE_STEPS of a run; returns false to cut off a program whose result is not needed.
 */
struct shader_host {
	shader_emit_fn *emit;
	bool (*pause)(void *user, unsigned steps); /* since the last call */
	void *user;
};

/* Runs the geometry program once. mode: enum pica_float. Sets b15 of *u afterwards. */
void shader_run_gs(const struct prog *p, unsigned entry, struct shader_uniforms *u,
		struct shader_gs *gs, enum pica_float mode, uint64_t budget,
		struct shader_result *r, const struct shader_host *host);

#endif
