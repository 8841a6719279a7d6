/* Random state of fragment lighting: lights, configurations, tables. */
#include "random.h"

#include <math.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica/regs/regs.h"

/* ---- Tables ---- */

/* Smooth curves as clients have them, and noise. */
static uint32_t entry(struct rng *r, unsigned kind, unsigned i) {
	switch (kind) {
	case 0: /* rises */
		return i * 16 | 16 / 2 << 12;
	case 1: /* falls */
		return (255 - i) * 16 | 16 / 2 << 12 | 1u << 23;
	case 2: /* steps */
		return i / 64 * 0x555;
	default:
		return rng_word(r);
	}
}

static void random_table(struct rng *r, struct group *g, unsigned table) {
	uint32_t words[256];
	const unsigned kind = rng_below(r, 4);
	const unsigned first = rng_chance(r, 50) ? 0 : rng_below(r, 256);
	const unsigned n = rng_chance(r, 50) ? 256 : 1 + rng_below(r, 64);
	for (unsigned i = 0; i < n; i++) {
		words[i] = entry(r, kind, (first + i) & 255);
	}
	group_put(g, REG_LIGHTING_LUT_INDEX,
		LIGHTING_LUT_INDEX_TABLE_SET(table) | LIGHTING_LUT_INDEX_INDEX_SET(first));
	group_burst(g, REG_LIGHTING_LUT_DATA0 + rng_below(r, 8), words, n, false);
}

/* ---- One light ---- */

static uint32_t random_color(struct rng *r) {
	if (rng_chance(r, 15)) {
		return 0;
	}
	if (rng_chance(r, 10)) {
		return rng_word(r) & 0x3FFFFFFF; /* beyond 1 */
	}
	return rng_below(r, 256) | rng_below(r, 256) << 10 | rng_below(r, 256) << 20;
}

static uint32_t random_f16(struct rng *r) {
	static const float special[] = {0.0f, 1.0f, -1.0f, 65504.0f, INFINITY, NAN, 0x1p-24f};
	if (rng_chance(r, 10)) {
		return f32_to_f16(special[rng_below(r, ARRAY_LEN(special))]);
	}
	return f32_to_f16(rng_float(r, -2.0f, 2.0f));
}

static uint32_t random_f20(struct rng *r) {
	if (rng_chance(r, 5)) {
		return rng_below(r, 1u << 20);
	}
	return f32_to_f20(rng_float(r, -0.5f, 1.0f));
}

/* A component of a unit vector in 13 bits, at times beyond. */
static uint32_t random_spot(struct rng *r) {
	return rng_chance(r, 10) ? rng_below(r, 0x2000) : (uint32_t)rng_in(r, -2047, 2047) & 0x1FFF;
}

static void random_lamp(struct rng *r, struct group *g, unsigned id) {
	const uint32_t words[12] = {
		random_color(r), random_color(r), random_color(r), random_color(r),
		random_f16(r) | random_f16(r) << 16, random_f16(r),
		random_spot(r) | random_spot(r) << 16, random_spot(r),
		0,
		rng_below(r, 16),
		random_f20(r), random_f20(r),
	};
	group_burst(g, regs_light[id], words, 12, true);
}

/* ---- All ---- */

static uint32_t random_config0(struct rng *r) {
	uint32_t w = rng_word(r);
	const uint32_t layers = rng_chance(r, 5) ? rng_below(r, 16) :
			rng_chance(r, 40) ? 8 : rng_below(r, 7);
	w &= ~(LIGHTING_CONFIG0_LAYERS_SET(15) | LIGHTING_CONFIG0_BUMP_MODE_SET(3));
	w |= LIGHTING_CONFIG0_LAYERS_SET(layers);
	if (rng_chance(r, 50)) {
		w |= LIGHTING_CONFIG0_BUMP_MODE_SET(rng_below(r, 4));
	}
	return w;
}

static uint32_t random_nibbles(struct rng *r, uint32_t below) {
	uint32_t w = 0;
	for (unsigned t = 0; t < 7; t++) {
		w |= (rng_chance(r, 5) ? rng_below(r, 8) : rng_below(r, below)) << (4 * t);
	}
	return w;
}

void random_light(struct gen *gen, struct group *g) {
	struct rng *r = &gen->r;
	gen->is_lit = rng_chance(r, 50);
	group_put(g, REG_LIGHTING_ENABLE0, gen->is_lit ^ rng_chance(r, 5));
	group_put(g, REG_LIGHTING_ENABLE1, !gen->is_lit);
	if (!gen->is_lit) {
		return;
	}
	/* Few lights and few tables, or both renderers draw nothing but white. */
	group_put(g, REG_LIGHTING_NUM_LIGHTS, rng_chance(r, 50) ? 0 : rng_below(r, 8));
	group_put(g, REG_LIGHTING_LIGHT_PERMUTATION,
		rng_chance(r, 40) ? 0x76543210 : rng_word(r) & 0x77777777);
	uint32_t config0 = random_config0(r), inputs = random_nibbles(r, 6);
	uint32_t config1 = rng_chance(r, 40) ? rng_word(r) : rng_word(r) | rng_word(r);
	if (rng_chance(r, 15)) { /* tangents show in cos phi alone, and that in configuration 8 */
		config0 &= ~(LIGHTING_CONFIG0_LAYERS_SET(15) | LIGHTING_CONFIG0_BUMP_MODE_SET(3));
		config0 |= LIGHTING_CONFIG0_LAYERS_SET(8) |
				LIGHTING_CONFIG0_BUMP_MODE_SET(BUMP_TANGENT);
		config1 &= ~LIGHTING_CONFIG1_D0_OFF_SET(1);
		inputs = (inputs & ~7u) | LIGHT_INPUT_CP;
	}
	group_put(g, REG_LIGHTING_CONFIG0, config0);
	group_put(g, REG_LIGHTING_CONFIG1, config1);
	group_put(g, REG_LIGHTING_LUTINPUT_ABS, rng_word(r));
	group_put(g, REG_LIGHTING_LUTINPUT_SELECT, inputs);
	group_put(g, REG_LIGHTING_LUTINPUT_SCALE, rng_chance(r, 50) ? 0 : random_nibbles(r, 8));
	group_put(g, REG_LIGHTING_AMBIENT, rng_chance(r, 50) ? 0 : random_color(r));
	for (unsigned id = 0; id < 8; id++) {
		if (gen->is_fresh || rng_chance(r, 40)) {
			random_lamp(r, g, id);
		}
	}
	for (unsigned n = rng_below(r, gen->is_fresh ? 32 : 4); n > 0; n--) {
		random_table(r, g, rng_chance(r, 50) ? rng_below(r, 7) : rng_below(r, 32));
	}
}
