/*
 * Harness of the kernel tests, which compare every variant of each kernel with C's, byte for byte.
 *
 *     kern_<room> [--isa NAME] [--seed N] [--bench]
 *
 * A suite is a struct kern_suite: for each set, check() fills inputs with kern_random() and
 * compares results with kern_same(); bench() times each slot with KERN_BENCH(). Exits with 77 if a
 * requested set is missing.
 */
#ifndef KERN_H
#define KERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/vec/batch.h"
#include "core/vec/cpu.h"

struct kern_suite {
	const char *name;
	void (*open)(void);  /* once, before the sets; or NULL */
	void (*check)(enum isa isa);
	void (*bench)(enum isa isa); /* C too */
	void (*close)(void); /* or NULL */
};
/* The program's; main() is in kern.c. */
extern const struct kern_suite kern_suite;

/*
 * Checks that each slot of a table of functions is set and not C's, unless the list in kern.c names
 * it. Counts each as a comparison.
 */
void kern_slots(enum isa isa, const char *table, const void *c, const void *v, size_t bytes);

/* xorshift64*; seeded from --seed or the clock, the seed is printed at the start. */
uint64_t kern_random(void);
/* Uniform in [lo, hi]. */
int64_t kern_random_in(int64_t lo, int64_t hi);
/* Returns a float of any ordinary size, at times 0, -0, tiny, huge, infinite or a NaN. */
float kern_random_float(void);
/* Returns whether all n floats are 0 or have magnitudes from 2^-23 to below 2^30. */
bool kern_tame(const float *x, unsigned n);
void kern_random_bytes(void *p, size_t n);
/* n values 0..255 with many edges. */
void kern_random_colors(uint16_t *p, unsigned n);

/* A buffer of n bytes, 64-byte aligned, with 64 guard bytes on each side. */
void *kern_buffer(size_t n);
/* Checks the guards of a buffer and of all that were made after it, and frees them. */
void kern_done(void *p);

/*
 * Copies the lanes from n_lanes on, which a kernel may fill with anything, from want to got, in
 * planes of BATCH elements of so many bytes.
 */
void kern_forget(void *got, const void *want, unsigned n_planes, unsigned n_lanes, size_t size);
/* Compares and counts; prints kernel, isa, seed, offset and both bytes of the first difference. */
bool kern_same(const char *kernel, enum isa isa, const void *want, const void *got, size_t n);
/* Counts one comparison that the suite made itself. */
void kern_check(const char *kernel, enum isa isa, bool ok);

/*
 * KERN_BENCH(kernel, isa, units) call: repeats the call for about 50 ms and prints `bench SUITE
 * KERNEL ISA ns per unit`, of the fastest of five rounds.
 */
struct kern_bench {
	const char *kernel;
	enum isa isa;
	double units, start_ns, best_ns;
	unsigned round, left;
	unsigned long calls; /* of this round */
};
bool kern_bench_turn(struct kern_bench *b);
#define KERN_BENCH(kernel, isa, units) \
	for (struct kern_bench bench_ = { kernel, isa, units, 0, 0, 0, 0, 0 }; \
			bench_.left ? bench_.left-- : kern_bench_turn(&bench_);)

#endif
