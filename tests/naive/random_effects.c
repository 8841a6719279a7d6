/* Random fog, shadow factors and gas. Tables are a library's, partial, or of any words. */
#include "random.h"

#include "core/base/f24.h"
#include "pica/regs/regs.h"

static uint32_t entry(int value, int slope) {
	return FOG_LUT_DATA_VALUE_SET((uint32_t)value) | FOG_LUT_DATA_DIFF_SET((uint32_t)slope);
}

/* A way from entry to entry, as from a function of depth. */
static void smooth_table(struct rng *r, uint32_t *words, unsigned n) {
	const int speed = rng_in(r, 0, 60);
	int value = rng_in(r, 0, 2047);
	for (unsigned i = 0; i < n; i++) {
		int next = value + rng_in(r, -speed, speed);
		next = next < 0 ? 0 : next > 2047 ? 2047 : next;
		words[i] = entry(value, next - value);
		value = next;
	}
}

void random_fog(struct gen *gen, struct group *g) {
	struct rng *r = &gen->r;
	const uint32_t mode = rng_chance(r, 40) ? FOG_MODE_FOG : rng_chance(r, 10) ? FOG_MODE_GAS :
			rng_chance(r, 90) ? FOG_MODE_OFF : 1 + rng_below(r, 4); /* off as well */
	if (gen->is_fresh || (mode != FOG_MODE_OFF && rng_chance(r, 60))) {
		uint32_t words[256];
		const unsigned first = gen->is_fresh ? 0 : rng_below(r, 128);
		const unsigned n = gen->is_fresh ? 128 :
				1 + rng_below(r, rng_chance(r, 90) ? 128 : 200);
		if (rng_chance(r, 70)) {
			smooth_table(r, words, n);
		} else {
			for (unsigned i = 0; i < n; i++) {
				words[i] = rng_word(r);
			}
		}
		/* Bits above the index have no effect. */
		group_put(g, REG_FOG_LUT_INDEX, first | (rng_chance(r, 10) ? rng_word(r) << 7 : 0));
		group_burst(g, REG_FOG_LUT_DATA0 + rng_below(r, 8), words, n, false);
	}
	group_put_masked(g, REG_TEXENV_UPDATE_BUFFER, TEXENV_UPDATE_BUFFER_FOG_MODE_SET(mode) |
			TEXENV_UPDATE_BUFFER_GAS_DENSITY_SET(rng_below(r, 2)) |
			TEXENV_UPDATE_BUFFER_FOG_FLIP_SET(rng_chance(r, 30)), 5);
	group_put(g, REG_FOG_COLOR, rng_word(r));
}

void random_shadow(struct gen *gen, struct group *g) {
	struct rng *r = &gen->r;
	const float scale = rng_float(r, 0.0f, 4.0f), bias = rng_float(r, -0.5f, 1.0f);
	const uint32_t word = FRAGOP_SHADOW_CONSTANT_SET(f32_to_f16(scale + bias)) |
			FRAGOP_SHADOW_LINEAR_SET(f32_to_f16(-scale));
	group_put(g, REG_FRAGOP_SHADOW, rng_chance(r, 75) ? word : rng_word(r));
}

void random_gas(struct gen *gen, struct group *g) {
	struct rng *r = &gen->r;
	uint32_t words[16];
	for (unsigned i = 0; i < 16; i++) {
		words[i] = rng_word(r) & (i < 8 && rng_chance(r, 50) ? 0x0F0F0F : ~0u);
	}
	group_put(g, REG_GAS_LUT_INDEX, rng_chance(r, 90) ? 0 : rng_word(r));
	group_burst(g, REG_GAS_LUT_DATA, words, 1 + rng_below(r, 16), false);
	group_put(g, REG_GAS_LIGHT_XY, rng_word(r));
	group_put(g, REG_GAS_LIGHT_Z, rng_word(r));
	group_put(g, REG_GAS_LIGHT_Z_COLOR, rng_word(r));
	/* Depth differences that reach 1 after all of the range, or after a part of it. */
	const uint32_t delta = rng_chance(r, 75) ? rng_below(r, 0x2000) : rng_word(r);
	group_put(g, REG_GAS_DELTAZ_DEPTH, GAS_DELTAZ_DEPTH_DELTA_SET(delta) |
			GAS_DELTAZ_DEPTH_FUNC_SET(rng_below(r, 4)));
	group_put(g, REG_GAS_ATTENUATION, rng_chance(r, 80) ? f32_to_f16(rng_float(r, 0.0f, 3.0f)) :
			rng_word(r));
	group_put(g, REG_GAS_ACCMAX, rng_chance(r, 80) ? f32_to_f16(rng_float(r, 0.0f, 1.0f)) :
			rng_word(r));
	if (rng_chance(r, 40)) { /* a new maximum */
		group_put_masked(
				g, REG_GAS_ACCMAX_FEEDBACK, rng_chance(r, 80) ? 0 : rng_word(r), 3);
	}
}
