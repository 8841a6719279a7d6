/* Random state of the procedural texture unit. */
#include "random.h"

#include "core/base/f24.h"
#include "pica/regs/regs.h"

/* Small values most of the time; at times any bits, infinities and NaN among them. */
static uint32_t random_f16(struct rng *r, float lo, float hi) {
	if (rng_chance(r, 4)) {
		return rng_below(r, 0x10000);
	}
	return rng_chance(r, 10) ? 0 : f32_to_f16(rng_float(r, lo, hi));
}

/* A slope, a curve with its own differences, or noise. */
static void map_words(struct rng *r, uint32_t words[128]) {
	const unsigned kind = rng_below(r, 10);
	for (unsigned i = 0; i < 128; i++) {
		const uint32_t slope = i * 32 | (i < 127 ? 32u : 31u) << 12;
		words[i] = kind < 3 ? slope : kind < 8 ? rng_below(r, 0x1000000) : rng_word(r);
	}
	if (kind >= 3 && kind < 7) {
		for (unsigned i = 0; i < 128; i++) {
			const uint32_t next = words[(i + 1) % 128] & 0xFFF;
			words[i] = (words[i] & 0xFFF) | ((next - (words[i] & 0xFFF)) & 0xFFF) << 12;
		}
	}
}

static void upload(struct gen *gen, struct group *g, uint32_t table) {
	struct rng *r = &gen->r;
	const bool is_color = table == PROCTEX_TABLE_COLOR || table == PROCTEX_TABLE_COLOR_DIFF;
	const unsigned size = is_color ? 256 : 128;
	uint32_t words[256];
	if (is_color) {
		for (unsigned i = 0; i < 256; i++) {
			words[i] = rng_word(r);
		}
	} else {
		map_words(r, words);
	}
	/* All of it, or some; beyond the end the index starts again. */
	const bool whole = gen->is_fresh || rng_chance(r, 60);
	const unsigned first = whole ? 0 : rng_below(r, 256);
	const unsigned n = whole ? size : 1 + rng_below(r, 40);
	group_put(g, REG_PROCTEX_LUT, PROCTEX_LUT_INDEX_SET(first) | PROCTEX_LUT_TABLE_SET(table));
	group_burst(g, REG_PROCTEX_LUT_DATA0 + rng_below(r, 8), words, n, false);
}

static void registers(struct gen *gen, struct group *g) {
	struct rng *r = &gen->r;
	const uint32_t bias = random_f16(r, -2.0f, 2.0f);
	const uint32_t words[7] = {
		PROCTEX0_U_CLAMP_SET(rng_chance(r, 90) ? rng_below(r, 5) : rng_below(r, 8)) |
				PROCTEX0_V_CLAMP_SET(rng_chance(r, 90) ? rng_below(r, 5) :
									 rng_below(r, 8)) |
				PROCTEX0_RGB_MAP_SET(rng_chance(r, 95) ? rng_below(r, 10) :
									 rng_below(r, 16)) |
				PROCTEX0_ALPHA_MAP_SET(rng_chance(r, 95) ? rng_below(r, 10) :
									   rng_below(r, 16)) |
				PROCTEX0_SEPARATE_ALPHA_SET(rng_below(r, 2)) |
				PROCTEX0_NOISE_SET(rng_below(r, 2)) |
				PROCTEX0_U_SHIFT_SET(rng_below(r, 4)) |
				PROCTEX0_V_SHIFT_SET(rng_below(r, 4)) |
				PROCTEX0_BIAS_LOW_SET(bias & 0xFF),
		PROCTEX_NOISE_AMPLITUDE_SET(rng_below(r, 0x10000)) |
				PROCTEX_NOISE_PHASE_SET(random_f16(r, -2.0f, 2.0f)),
		PROCTEX_NOISE_AMPLITUDE_SET(rng_below(r, 0x10000)) |
				PROCTEX_NOISE_PHASE_SET(random_f16(r, -2.0f, 2.0f)),
		PROCTEX_FREQUENCY_U_SET(random_f16(r, -3.0f, 6.0f)) |
				PROCTEX_FREQUENCY_V_SET(random_f16(r, -3.0f, 6.0f)),
		PROCTEX4_FILTER_SET(rng_chance(r, 95) ? rng_below(r, 6) : rng_below(r, 8)) |
				PROCTEX4_MIN_LOD_SET(rng_chance(r, 80) ? 0 : rng_below(r, 16)) |
				PROCTEX4_MAX_LOD_SET(rng_chance(r, 60) ? 6 : rng_below(r, 16)) |
				PROCTEX4_WIDTH_SET(rng_chance(r, 60) ? 128 : rng_below(r, 256)) |
				PROCTEX4_BIAS_HIGH_SET(bias >> 8),
		rng_chance(r, 60) ? 0xE0C08000 : rng_word(r),
		rng_chance(r, 50)                 ? 0 :
				rng_chance(r, 60) ? 0xFEFCF8F0 :
						    rng_word(r),
	};
	group_burst(g, REG_TEXUNIT3_PROCTEX0, words, 7, true);
}

void random_proctex(struct gen *gen, struct group *g) {
	struct rng *r = &gen->r;
	if (gen->is_fresh || rng_chance(r, 80)) {
		registers(gen, g);
	}
	for (uint32_t table = PROCTEX_TABLE_NOISE; table <= PROCTEX_TABLE_COLOR_DIFF; table++) {
		if (gen->is_fresh || rng_chance(r, 25)) {
			upload(gen, g, table); /* table 1 does not exist */
		}
	}
}
