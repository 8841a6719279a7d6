#include "etc1.h"

#include <stdbool.h>

static const int modifiers[8][2] = { { 2, 8 }, { 5, 17 }, { 9, 29 }, { 13, 42 }, { 18, 60 },
	{ 24, 80 }, { 33, 106 }, { 47, 183 } };

struct half {
	unsigned base[3]; /* 4 bits each, or 5 in differential mode */
	unsigned bits;
	unsigned table;
	/* of texel i: bit i: size of the modifier, bit 16 + i: its sign */
	uint32_t select;
	uint32_t error;
};

static int clamp255(int x) {
	return x < 0 ? 0 : x > 255 ? 255 : x;
}

static int expand(unsigned base, unsigned bits) {
	return (int)(bits == 4 ? base * 17 : base << 3 | base >> 2);
}

static uint32_t distance(const uint8_t c[4], const struct half *h, int modifier) {
	uint32_t sum = 0;
	for (unsigned k = 0; k < 3; k++) {
		int d = clamp255(expand(h->base[k], h->bits) + modifier) - c[k];
		sum += (uint32_t)(d * d);
	}
	return sum;
}

/* Tries one table for the texels of members' set bits. */
static void try_table(struct half *h, const uint8_t texels[16][4], uint32_t members) {
	h->select = 0;
	h->error = 0;
	for (unsigned k = 0; k < 16; k++) {
		if (!(members >> k & 1)) {
			continue;
		}
		uint32_t best = UINT32_MAX, bits = 0;
		for (unsigned s = 0; s < 4; s++) {
			int m = modifiers[h->table][s & 1];
			uint32_t e = distance(texels[k], h, s & 2 ? -m : m);
			if (e < best) {
				best = e;
				bits = (s & 1) << k | (uint32_t)(s >> 1) << (16 + k);
			}
		}
		h->select |= bits;
		h->error += best;
	}
}

static struct half encode_half(const uint8_t texels[16][4], uint32_t members, unsigned bits) {
	const unsigned most = (1u << bits) - 1;
	struct half best = { .error = UINT32_MAX }, h = { .bits = bits };
	for (unsigned c = 0; c < 3; c++) {
		unsigned sum = 0;
		for (unsigned k = 0; k < 16; k++) {
			sum += members >> k & 1 ? texels[k][c] : 0u;
		}
		h.base[c] = (sum * most / 8 + 127) / 255;
	}
	for (h.table = 0; h.table < 8; h.table++) {
		try_table(&h, texels, members);
		if (h.error < best.error) {
			best = h;
		}
	}
	return best;
}

/* Differential mode stores the second base as a difference of -4..3. */
static bool is_near(const struct half *a, const struct half *b) {
	for (unsigned c = 0; c < 3; c++) {
		const int d = (int)b->base[c] - (int)a->base[c];
		if (d < -4 || d > 3) {
			return false;
		}
	}
	return true;
}

/* Bits 40-63: red above green above blue, eight bits each. [fidelity: etc1] */
static uint64_t base_bits(const struct half *a, const struct half *b) {
	uint64_t bits = 0;
	for (unsigned c = 0; c < 3; c++) {
		const unsigned both = a->bits == 4 ? a->base[c] << 4 | b->base[c] :
				a->base[c] << 3 | ((b->base[c] - a->base[c]) & 7);
		bits |= (uint64_t)both << (56 - 8 * c);
	}
	return bits;
}

uint64_t etc1_encode(const uint8_t texels[16][4]) {
	/* First halves: left, x < 2 (numbers 0-7), and top, y < 2. [fidelity: etc1] */
	static const uint32_t first[2] = { 0x00FF, 0x3333 };
	uint64_t best = 0;
	uint32_t best_error = UINT32_MAX;
	for (unsigned mode = 0; mode < 4; mode++) {
		const unsigned flip = mode & 1, is_differential = mode >> 1,
			       bits = 4 + is_differential;
		const struct half a = encode_half(texels, first[flip], bits);
		const struct half b = encode_half(texels, 0xFFFF & ~first[flip], bits);
		if (a.error + b.error < best_error && (!is_differential || is_near(&a, &b))) {
			best_error = a.error + b.error;
			best = (uint64_t)(a.select | b.select) | (uint64_t)flip << 32 |
					(uint64_t)is_differential << 33 | (uint64_t)b.table << 34 |
					(uint64_t)a.table << 37 | base_bits(&a, &b);
		}
	}
	return best;
}
