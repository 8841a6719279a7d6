/* For suites of the whole: an engine and a context through the public API, with a 64x64 target. */
#ifndef ENGINE_RIG_H
#define ENGINE_RIG_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "pica.h"
#include "pica_emit.h"
#include "tests/suite.h"

enum {
	VRAM = 0x18000000,
	COLOR = VRAM,
	DEPTH = VRAM + 0x100000,
	OTHER = VRAM + 0x200000,
	FCRAM = 0x20000000,
	VERTICES = FCRAM + 0x1000,
	LIST = FCRAM + 0x2000000,
	SIDE = 64,
	PIXELS = SIDE * SIDE,
	BANDS = SIDE / 8,
};

enum { RED = (int)0xFF0000FF, GREEN = 0x00FF00FF }; /* RGBA8 words: A in the lowest byte */

enum { N_THREAD_COUNTS = 5, MAX_INTERRUPTS = 64 };
extern const unsigned thread_counts[N_THREAD_COUNTS];

extern struct pica_device *device;
extern struct pica_ctx *ctx;
extern uint32_t interrupts[MAX_INTERRUPTS], n_interrupts; /* since open_engine(), in order */

extern const float red[4], green[4];

/* The vertex program that copies v0 to o0 and v1 to o1, and what these outputs mean. */
extern const uint32_t pass_code[3], pass_descriptor[1];
extern const struct pica_output pass_outputs[2];

void open_engine(unsigned threads, const struct pica_budgets *budgets);
void close_engine(void);

uint64_t submit(const struct pica_job *job);
/* Waits and reaps; the last completion. */
struct pica_done finish(uint64_t seq);
struct pica_done run_words(const uint32_t *words, size_t n);
/* Adds FINALIZE, runs, frees. */
struct pica_done run_list(struct pica_emit *e);

/* Loads a program that uses what pass_code does. */
void emit_program(struct pica_emit *e, const uint32_t *code, size_t n);
void emit_target(struct pica_emit *e, uint32_t color);
/* Begins a list: everything passes, two f32 attributes of 32-byte records at VERTICES. */
void emit_state(struct pica_emit *e, uint32_t color);

/* Vertices in pixels of the target. */
void put_vertex(unsigned i, float px, float py, const float rgba[4]);
/* (0,0) (8,0) (0,8): 28 pixels. [fidelity: geometry-numbers] */
void put_triangle(const float rgba[4]);

unsigned count_color(uint32_t addr, uint32_t word);
/* Half of COLOR is red and half green, green first. */
void expect_halves(void);

/* Two triangles over band i (8 memory rows), at a depth; to be drawn by draw_band(place). */
void put_band(unsigned place, unsigned i, float depth, const float rgba[4]);
void draw_band(struct pica_emit *e, unsigned place);
/* The word of a band of which all pixels are the same. */
uint32_t band_word(uint32_t addr, unsigned i);

/*
 * ENGINE_TEST(name) { ... }: a test with an open engine, for each number of threads; e builds its
 * list. ENGINE_TEST_WITHIN(name, .vertices = 1, ...): with these budgets. SYNC_ENGINE_TEST(name) {
 * ... }: in the caller's thread alone.
 */
#define ENGINE_TEST(name) ENGINE_TEST_WITH(name, N_THREAD_COUNTS, thread_counts[_i], NULL)
#define ENGINE_TEST_WITHIN(name, ...) \
	ENGINE_TEST_WITH(name, N_THREAD_COUNTS, thread_counts[_i], \
			(&(struct pica_budgets){ __VA_ARGS__ }))
#define SYNC_ENGINE_TEST(name) ENGINE_TEST_WITH(name, 1, 0, NULL)
#define ENGINE_TEST_WITH(name, n, threads, budgets) \
	static void name##_with(struct pica_emit e, int _i); \
	TEST_LOOP(name, n) { \
		open_engine(threads, budgets); \
		name##_with((struct pica_emit){ 0 }, _i); \
		close_engine(); \
	} \
	static void name##_with(struct pica_emit e PICA_UNUSED, int _i PICA_UNUSED)

#endif
