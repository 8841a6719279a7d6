/*
 * Harness of the kernel tests: every variant of each kernel against the C one, byte for byte.
 *
 *     kern_<room> [--isa NAME] [--seed N] [--bench]
 *
 * A suite calls kern_begin(), then for each kernel and each kern_isas() entry beyond C fills inputs
 * with kern_random() and compares with kern_same(); kern_end() prints the count and gives the exit
 * code. With --bench a suite times each slot by kern_bench().
 */
#ifndef KERN_H
#define KERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/vec/cpu.h"

void kern_begin(int argc, char **argv, const char *suite);
int kern_end(void);
/* Whether this set is to be compared with C in this run: available, selected, not C itself. */
bool kern_wants(enum isa isa);
bool kern_benching(void);

/* xorshift64*; seeded from --seed or the clock, the seed is printed at the start. */
uint64_t kern_random(void);
/* Uniform in [lo, hi]. */
int64_t kern_random_in(int64_t lo, int64_t hi);
/* A float: ordinary values of many sizes, and at times 0, -0, tiny, huge, inf, NaN. */
float kern_random_float(void);
void kern_random_bytes(void *p, size_t n);
/* n values 0..255 with many edges. */
void kern_random_colors(uint16_t *p, unsigned n);

/* A buffer of n bytes, 64-byte aligned, with 64 guard bytes on each side. */
void *kern_buffer(size_t n);
void kern_buffer_free(void *p);
/* Whether the guards are untouched. */
bool kern_guards_intact(const void *p);

/* Compares; on the first difference prints kernel, isa, seed, offset and both bytes; counts. */
bool kern_same(const char *kernel, enum isa isa, const void *want, const void *got, size_t n);
/* Counts one comparison that the suite made itself. */
void kern_check(const char *kernel, enum isa isa, bool ok);

/* Runs fn(arg) for about 50 ms and prints `bench SUITE KERNEL ISA ns per unit`. */
void kern_bench(const char *kernel, enum isa isa, void (*fn)(void *), void *arg, double units);

#endif
