/* Random numbers that each run repeats, and a quick assertion. */
#ifndef UNIT_RANDOM_H
#define UNIT_RANDOM_H

#include <stdint.h>

#include <check.h>

/* ck_assert() marks its place with a system call each time: too slow for inner loops. */
#define HOLDS(x) do { \
		if (!(x)) { \
			ck_abort_msg("%s does not hold", #x); \
		} \
	} while (0)

static uint64_t seed = 0x1234567;

static inline uint32_t random32(void) {
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (uint32_t)(seed * 0x2545F4914F6CDD1Du >> 32);
}

#endif
