/* Numbers and memory. */
#include "hostile.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

/* ---- Numbers: splitmix64 ---- */

static uint64_t next(struct rng *r) {
	uint64_t z = r->s += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

void rng_seed(struct rng *r, uint64_t seed, uint64_t stream) {
	r->s = seed * 0xD1342543DE82EF95u + stream;
	r->s = next(r);
}

uint32_t rng_word(struct rng *r) {
	return (uint32_t)(next(r) >> 32);
}

uint32_t rng_below(struct rng *r, uint32_t n) {
	return (uint32_t)((uint64_t)rng_word(r) * n >> 32);
}

bool rng_chance(struct rng *r, unsigned percent) {
	return rng_below(r, 100) < percent;
}

uint32_t rng_nasty(struct rng *r) {
	static const uint32_t words[] = { 0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x7F800000,
		0xFF800000, 0x7FC00000, 0x7F800001, 0x007F0000, 0x00FF0000, 0x007F0001, 0x00FFFFFF,
		0x00800000, 0x7F7FFFFF, 0x00000001, 0x80000001, 0x3F800000, 0x003F0000, 0xFFFF0000,
		0x0000FFFF, 0xAAAAAAAA };
	switch (rng_below(r, 4)) {
	case 0:
		return words[rng_below(r, sizeof(words) / sizeof(words[0]))];
	case 1:
		return 1u << rng_below(r, 32);
	case 2:
		return rng_below(r, 64);
	default:
		return rng_word(r);
	}
}

/* ---- Memory ---- */

const struct window_place window_places[WINDOW_COUNT] = {
	[WINDOW_LOW] = { 0, 0x1000, 0 },
	[WINDOW_VRAM] = { 0x18000000, 0x80000, 0 },
	[WINDOW_ADJACENT] = { 0x18080000, 0x10000, 0 },
	[WINDOW_READ] = { 0x18090000, 0x4000, PICA_MAP_READ_ONLY },
	[WINDOW_SMALL] = { 0x18200000, 0x1000, 0 },
	[WINDOW_FCRAM] = { 0x20000000, 0x80000, 0 },
	[WINDOW_LISTS] = { 0x20080000, LIST_SLOTS * LIST_SLOT_BYTES, 0 },
	[WINDOW_TOP] = { 0xFFFFE000, 0x2000, 0 },
};

bool memory_create(struct memory *m) {
	memset(m, 0, sizeof(*m));
	for (unsigned i = 0; i < WINDOW_COUNT; i++) {
		m->block[i] = aligned_alloc(64, window_places[i].bytes);
		if (!m->block[i]) {
			memory_destroy(m);
			return false;
		}
	}
	return true;
}

void memory_destroy(struct memory *m) {
	for (unsigned i = 0; i < WINDOW_COUNT; i++) {
		free(m->block[i]);
		m->block[i] = NULL;
	}
}

/* Four floats that can be a position, a colour or coordinates. */
static void put_vector(struct rng *r, uint8_t *to) {
	float v[4];
	for (unsigned k = 0; k < 4; k++) {
		v[k] = (float)rng_below(r, 4096) / 1792.0f - 1.14f;
	}
	v[2] = -(float)rng_below(r, 4096) / 4096.0f;
	v[3] = rng_chance(r, 80) ? 1.0f : 0.25f + (float)rng_below(r, 4096) / 1024.0f;
	memcpy(to, v, sizeof(v));
	if (rng_chance(r, 2)) {
		uint32_t word = rng_nasty(r);
		memcpy(to + 4 * rng_below(r, 4), &word, sizeof(word));
	}
}

void memory_fill(struct memory *m, struct rng *r) {
	for (unsigned w = 0; w < WINDOW_COUNT; w++) {
		for (uint32_t page = 0; page < window_places[w].bytes; page += 4096) {
			uint8_t *to = m->block[w] + page;
			unsigned kind = rng_below(r, 4);
			for (uint32_t i = 0; i < 4096; i += 16) {
				if (kind < 2) {
					put_vector(r, to + i);
					continue;
				}
				for (uint32_t k = 0; k < 16; k += 4) {
					uint32_t word = kind == 2 ? rng_word(r) & 0x003F003F :
								    rng_word(r);
					memcpy(to + i + k, &word, sizeof(word));
				}
			}
		}
	}
}

void memory_copy(struct memory *to, const struct memory *from) {
	for (unsigned i = 0; i < WINDOW_COUNT; i++) {
		memcpy(to->block[i], from->block[i], window_places[i].bytes);
	}
}

void memory_hash(const struct memory *m, uint64_t hash[2]) {
	XXH128_hash_t sum = { 0, 0 };
	for (unsigned i = 0; i < WINDOW_COUNT; i++) {
		XXH128_hash_t part = XXH3_128bits_withSeed(m->block[i], window_places[i].bytes, i);
		sum.low64 = sum.low64 * 3 + part.low64;
		sum.high64 = sum.high64 * 3 + part.high64;
	}
	hash[0] = sum.low64;
	hash[1] = sum.high64;
}

uint32_t memory_address(struct rng *r) {
	static const uint8_t big[] = { WINDOW_VRAM, WINDOW_FCRAM };
	static const uint32_t odd[] = { 0xFFFFFFF0, 0xFFFFFFFF, 0x7FFFFFF8, 0x80000000, 0x10000000,
		0x17FFFFF0, 0x1FFFFFC0, 0x30000000 };
	const struct window_place *w = &window_places[big[rng_below(r, 2)]];
	switch (rng_below(r, 16)) {
	case 0: /* around an edge of any window */
	case 1:
	case 2:
		w = &window_places[rng_below(r, WINDOW_COUNT)];
		return w->phys + (rng_chance(r, 70) ? w->bytes : 0) + 16 * (rng_below(r, 129) - 64);
	case 3:
		w = &window_places[rng_below(r, WINDOW_COUNT)];
		return w->phys + (rng_below(r, w->bytes) & ~15u);
	case 4:
		return odd[rng_below(r, sizeof(odd) / sizeof(odd[0]))];
	case 5:
		return rng_word(r);
	case 6:
		return window_places[WINDOW_LISTS].phys +
				LIST_SLOT_BYTES * rng_below(r, LIST_SLOTS);
	case 7: /* the size of a 64x64 target, up to the end of the window */
		return w->phys + w->bytes - 0x4000;
	default:
		return w->phys + 0x1000 * rng_below(r, w->bytes / 0x1000);
	}
}
