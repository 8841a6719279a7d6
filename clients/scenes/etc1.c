#include "etc1.h"

#include <stdbool.h>
#include <stddef.h>

static const int modifiers[8][2] = { { 2, 8 }, { 5, 17 }, { 9, 29 }, { 13, 42 }, { 18, 60 },
	{ 24, 80 }, { 33, 106 }, { 47, 183 } };

struct half {
	unsigned base[3]; /* 4 bits each */
	unsigned table;
	uint32_t select;  /* bits 0-15 size of the modifier, 16-31 its sign, at the texels' numbers */
	uint32_t error;
};

static int clamp255(int x) {
	return x < 0 ? 0 : x > 255 ? 255 : x;
}

static uint32_t distance(const uint8_t c[4], const unsigned base[3], int modifier) {
	uint32_t sum = 0;
	for (unsigned k = 0; k < 3; k++) {
		int d = clamp255((int)base[k] * 17 + modifier) - c[k];
		sum += (uint32_t)(d * d);
	}
	return sum;
}

/* The texels of the set bits of members with one table. */
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
			uint32_t e = distance(texels[k], h->base, s & 2 ? -m : m);
			if (e < best) {
				best = e;
				bits = (s & 1) << k | (uint32_t)(s >> 1) << (16 + k);
			}
		}
		h->select |= bits;
		h->error += best;
	}
}

static struct half encode_half(const uint8_t texels[16][4], uint32_t members) {
	struct half best = { .error = UINT32_MAX }, h = { .error = 0 };
	for (unsigned c = 0; c < 3; c++) {
		unsigned sum = 0;
		for (unsigned k = 0; k < 16; k++) {
			sum += members >> k & 1 ? texels[k][c] : 0u;
		}
		h.base[c] = (sum / 8 + 8) / 17;
	}
	for (h.table = 0; h.table < 8; h.table++) {
		try_table(&h, texels, members);
		if (h.error < best.error) {
			best = h;
		}
	}
	return best;
}

uint64_t etc1_encode(const uint8_t texels[16][4]) {
	/* First halves: left, x < 2 (numbers 0-7), and top, y < 2. [spec/frag-textures.md 5] */
	static const uint32_t first[2] = { 0x00FF, 0x3333 };
	uint64_t best = 0;
	uint32_t best_error = UINT32_MAX;
	for (unsigned flip = 0; flip < 2; flip++) {
		struct half a = encode_half(texels, first[flip]);
		struct half b = encode_half(texels, 0xFFFF & ~first[flip]);
		if (a.error + b.error < best_error) {
			best_error = a.error + b.error;
			best = (uint64_t)(a.select | b.select) | (uint64_t)flip << 32 |
					(uint64_t)b.table << 34 | (uint64_t)a.table << 37 |
					(uint64_t)b.base[2] << 40 | (uint64_t)a.base[2] << 44 |
					(uint64_t)b.base[1] << 48 | (uint64_t)a.base[1] << 52 |
					(uint64_t)b.base[0] << 56 | (uint64_t)a.base[0] << 60;
		}
	}
	return best;
}
