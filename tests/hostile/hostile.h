/*
 * Hostile input, all of it a function of the seed.
 *
 *   group    a context of its own, memory of its own, about 16 lists and as many other jobs, with
 *            calls of the public API between them; run by each engine and compared afterwards
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pica.h"

/* ---- Numbers ---- */

struct rng {
	uint64_t s;
};

void rng_seed(struct rng *r, uint64_t seed, uint64_t stream);
uint32_t rng_word(struct rng *r);
/* Uniform in [0, n), n > 0. */
uint32_t rng_below(struct rng *r, uint32_t n);
bool rng_chance(struct rng *r, unsigned percent);
/* Returns a likely trap: 0, all ones, a single bit, a NaN, a small or random word. */
uint32_t rng_nasty(struct rng *r);

/* ---- Memory ---- */

enum {
	WINDOW_LOW,      /* address 0 */
	WINDOW_VRAM,
	WINDOW_ADJACENT, /* after it without a gap, elsewhere in host memory */
	WINDOW_READ,     /* after that one, read only */
	WINDOW_SMALL,    /* one page, nothing around it */
	WINDOW_FCRAM,
	WINDOW_LISTS,    /* after it without a gap */
	WINDOW_TOP,      /* ends at 2^32 */
	WINDOW_COUNT,
};

struct window_place {
	uint32_t phys, bytes, flags;
};

extern const struct window_place window_places[WINDOW_COUNT];

enum {
	LIST_SLOTS = 16,
	LIST_SLOT_BYTES = 0x4000,
};

/* Host memory, a block for each window so that the sanitizer sees its ends. */
struct memory {
	uint8_t *block[WINDOW_COUNT];
};

bool memory_create(struct memory *m);
void memory_destroy(struct memory *m);
/* Vertices that make triangles, indices, texels, and noise. */
void memory_fill(struct memory *m, struct rng *r);
void memory_copy(struct memory *to, const struct memory *from);
void memory_hash(const struct memory *m, uint64_t hash[2]);
/* Returns an address inside windows, at or across their edges, or far away, of any alignment. */
uint32_t memory_address(struct rng *r);

/* ---- Scripts ---- */

enum step_kind {
	STEP_JOBS,          /* submits jobs [first, first + n), one by one */
	STEP_SUBMIT,        /* the same in one call, all well-formed */
	STEP_WAIT,
	STEP_SCREENS,
	STEP_SURFACE,       /* args: addr, format, width, height */
	STEP_STATE,         /* saves the state, loads it back; args[0]: with one word changed */
	STEP_READ_REGS,
	STEP_WRITE_MEMORY,  /* args: addr, size */
	STEP_READ_MEMORY,   /* args: addr, size */
	STEP_REMAP,         /* args: window */
	STEP_LOOK,          /* reaps without waiting */
};

struct step {
	enum step_kind kind;
	uint32_t first, n;
	uint32_t args[4];
};

enum { SCRIPT_STEPS = 256, SCRIPT_JOBS = 2048, SCRIPT_NOISE = 0x10000 };

struct script {
	uint64_t seed;
	struct pica_budgets budgets;
	struct step step[SCRIPT_STEPS];
	unsigned n_steps;
	struct pica_job job[SCRIPT_JOBS];
	unsigned n_jobs;
	uint32_t noise[SCRIPT_NOISE / 4]; /* data of write jobs */
};

/* Makes a script of about n_lists command lists, and the memory that it starts with. */
void script_make(struct script *s, struct memory *start, uint64_t seed, unsigned n_lists);

/* ---- Lists ---- */

/*
 * Writes a hostile list of at most max_words (a multiple of 4) at words; returns its size in bytes.
 */
uint32_t list_make(struct rng *r, uint32_t *words, uint32_t max_words);

#endif
