/* Random numbers for the stress programs. */
#ifndef STRESS_RNG_H
#define STRESS_RNG_H

#include <stdint.h>
#include <stdlib.h>

struct rng {
	uint64_t s;
};

/* text: the seed; NULL: the same each time. */
static inline struct rng rng_of(const char *text) {
	const uint64_t seed = text ? strtoull(text, NULL, 0) : 88172645463325252;
	return (struct rng){ seed ? seed : 1 };
}

static inline uint32_t word(struct rng *r) {
	r->s ^= r->s << 13;
	r->s ^= r->s >> 7;
	r->s ^= r->s << 17;
	return (uint32_t)(r->s >> 32);
}

static inline uint32_t below(struct rng *r, uint32_t n) {
	return (uint32_t)((uint64_t)word(r) * n >> 32);
}

#endif
