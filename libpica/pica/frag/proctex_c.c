/*
 * Steps of the procedural texture unit in plain C: the truth. [fidelity: proctex-order, noise,
 * proctex-colour]
 *
 * The discoverers of the generator below compared its outputs with a console; its internal
 * arithmetic is unknown, and this one is assumed. [docs/fidelity.md 1, "Procedural texture"]
 */
#include "pica/frag/proctex.h"

#include <float.h>
#include <math.h>

#include "pica/regs/regs.h"

static float max_of(float a, float b) {
	return a > b ? a : b;
}

static float min_of(float a, float b) {
	return a < b ? a : b;
}

/* |c| limited to the range of integers; 0 if it is not finite. */
static float limit(float c) {
	const float a = fabsf(c);
	return a <= FLT_MAX ? min_of(a, PROCTEX_LIMIT) : 0.0f;
}

static void proctex_coord(float *out, const float *c, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		out[i] = limit(c[i]);
	}
}

static void proctex_shift(float *off, const float *other, bool even, float amount, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		const int k = (int)other[i] + even;
		off[i] = k / 2 % 2 ? amount : 0.0f;
	}
}

/* c in [0, 1] */
static float lookup(const struct proctex_map *map, float c) {
	const float x = c * 128.0f;
	const int whole = (int)x;
	const int i = whole < 127 ? whole : 127;
	const float y = map->row[i][0] + (x - (float)i) * map->row[i][1];
	/* Kept in range. [REC, fidelity: proctex-tables] */
	return min_of(max_of(y, 0.0f), 1.0f);
}

/* ---- Noise ---- */

/* One of 16 for a cell of one axis; period 144. [HW] */
static unsigned hash(unsigned k) {
	static const uint8_t table[16] = { 0, 4, 10, 8, 4, 9, 7, 12, 5, 15, 13, 14, 11, 15, 2, 11 };
	return ((k % 9 + 2) * 3 & 15) ^ table[k / 9 & 15];
}

/* Slope at a corner, -1..1 in 16 steps. [HW] */
static float slope(unsigned x, unsigned y) {
	static const uint8_t table[16] = { 10, 2, 15, 8, 0, 7, 4, 5, 5, 13, 2, 6, 13, 9, 3, 14 };
	const unsigned p = hash(x);
	unsigned q = hash(y);
	q += (p & 3) == 1 ? 4 : 0;
	q ^= (p & 1) * 6;
	q = ((q + 10 + p) & 15) ^ table[p];
	return -1.0f + (float)(2 * q) / 15.0f;
}

static float lerp(float t, float a, float b) {
	return a + t * (b - a);
}

static void proctex_noise(float *u, float *v, const struct proctex_noise *p, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		/* A frequency below 0 acts as its magnitude. [guess] */
		const float x = limit(p->frequency[0] * fabsf(u[i] + p->phase[0]));
		const float y = limit(p->frequency[1] * fabsf(v[i] + p->phase[1]));
		const unsigned ix = (unsigned)x, iy = (unsigned)y;
		const float fx = x - (float)ix, fy = y - (float)iy;
		const float sum = fx + fy;
		const float g00 = slope(ix, iy) * sum;
		const float g10 = slope(ix + 1, iy) * (sum - 1.0f);
		const float g01 = slope(ix, iy + 1) * (sum - 1.0f);
		const float g11 = slope(ix + 1, iy + 1) * (sum - 2.0f);
		const float a = lookup(p->map, fx), b = lookup(p->map, fy);
		const float noise = lerp(b, lerp(a, g00, g10), lerp(a, g01, g11));
		u[i] = fabsf(u[i] + noise * p->amplitude[0]);
		v[i] = fabsf(v[i] + noise * p->amplitude[1]);
	}
}

/* ---- Clamp, function, map ---- */

static float clamp(float c, unsigned mode) {
	const float whole = floorf(c), fraction = c - whole;
	switch (mode) {
	case PROCTEX_CLAMP_ZERO:
		return c > 1.0f ? 0.0f : c;
	case PROCTEX_CLAMP_SYMMETRIC_REPEAT:
		return fraction;
	case PROCTEX_CLAMP_MIRRORED_REPEAT:
		return (int)whole % 2 ? 1.0f - fraction : fraction;
	case PROCTEX_CLAMP_PULSE:
		return c > 0.5f ? 1.0f : 0.0f;
	default: /* edge; 5 to 7 act as it [1] */
		return min_of(c, 1.0f);
	}
}

static void proctex_clamp(float *c, const float *off, unsigned mode, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		c[i] = clamp(off ? c[i] + off[i] : c[i], mode);
	}
}

/* The square root is exact; hardware's is known to be off for small arguments. */
static float apply(unsigned function, float u, float v) {
	switch (function) {
	case PROCTEX_MAP_U:
		return u;
	case PROCTEX_MAP_U2:
		return u * u;
	case PROCTEX_MAP_V:
		return v;
	case PROCTEX_MAP_V2:
		return v * v;
	case PROCTEX_MAP_ADD:
		return (u + v) * 0.5f;
	case PROCTEX_MAP_ADD2:
		return (u * u + v * v) * 0.5f;
	case PROCTEX_MAP_SQRT2:
		return min_of(sqrtf(u * u + v * v), 1.0f);
	case PROCTEX_MAP_MIN:
		return min_of(u, v);
	case PROCTEX_MAP_MAX:
		return max_of(u, v);
	case PROCTEX_MAP_RMAX:
		return min_of(((u + v) * 0.5f + sqrtf(u * u + v * v)) * 0.5f, 1.0f);
	default: /* [1] */
		return 0.0f;
	}
}

static void proctex_map(float *out, const float *u, const float *v, unsigned function,
		const struct proctex_map *map, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		out[i] = lookup(map, apply(function, u[i], v[i]));
	}
}

/* ---- Colour ---- */

/* Positions wrap at the end of the table: eight bits of address. [guess] */
static unsigned wrap(float pos) {
	return (unsigned)(int)floorf(pos) & (PROCTEX_COLORS - 1);
}

static unsigned byte_of(uint32_t word, unsigned channel) {
	return word >> 8 * channel & 0xFF;
}

/* The nearest, not the lower one. [DISP, fidelity: proctex-colour] */
static void proctex_nearest(uint16_t (*out)[BATCH], const float *c,
		const struct proctex_level *level, const struct proctex_colors *t, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		const float pos = level[i / 4].offset + c[i] * level[i / 4].scale;
		const uint32_t color = t->color[wrap(pos + 0.5f)];
		for (unsigned k = 0; k < 4; k++) {
			out[k][i] = (uint16_t)byte_of(color, k);
		}
	}
}

static void proctex_linear(uint16_t (*out)[BATCH], const float *c,
		const struct proctex_level *level, const struct proctex_colors *t, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		const float pos = level[i / 4].offset + c[i] * level[i / 4].scale;
		const float f = pos - floorf(pos);
		const unsigned at = wrap(pos);
		for (unsigned k = 0; k < 4; k++) {
			const int half = (int)(byte_of(t->difference[at], k) ^ 0x80) - 0x80;
			const float value = (float)byte_of(t->color[at], k) + f * (float)(2 * half);
			out[k][i] = (uint16_t)min_of(max_of(value, 0.0f), 255.0f);
		}
	}
}

static void proctex_alpha(uint16_t *out, const float *c, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		out[i] = (uint16_t)(c[i] * 255.0f);
	}
}

const struct proctex_kernels proctex_kernels_c = {
	.coord = proctex_coord,
	.shift = proctex_shift,
	.noise = proctex_noise,
	.clamp = proctex_clamp,
	.map = proctex_map,
	.nearest = proctex_nearest,
	.linear = proctex_linear,
	.alpha = proctex_alpha,
};
