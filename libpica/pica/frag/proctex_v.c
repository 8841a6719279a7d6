/* Steps of the procedural texture unit, in vectors; see proctex_c.c. */
#include <float.h>

#include "core/vec/vec.h"
#include "pica/frag/proctex.h"
#include "pica/regs/regs.h"

static inline vf limit(vf c) {
	const vf a = vf_abs(c);
	return vf_min(vf_and(a, vf_as_vi_bits(vf_le(a, vf_set1(FLT_MAX)))), vf_set1(PROCTEX_LIMIT));
}

static inline vf unit(vf c) {
	return vf_min(vf_max(c, vf_zero()), vf_set1(1.0f));
}

static void proctex_coord(float *out, const float *c, unsigned n) {
	for (size_t i = 0; i < n; i += VF_LANES) {
		vf_store(out + i, limit(vf_load(c + i)));
	}
}

/* k/2 is odd where bit 1 of k is set. */
static void proctex_shift(float *off, const float *other, bool even, float amount, unsigned n) {
	const vi two = vi_set1(2);
	for (size_t i = 0; i < n; i += VF_LANES) {
		const vi k = vi_add(vi_from_vf_trunc(vf_load(other + i)), vi_set1(even));
		const vi odd = vi_eq(vi_and(k, two), two);
		vf_store(off + i, vf_and(vf_set1(amount), vf_as_vi_bits(odd)));
	}
}

static inline vf lookup(const struct proctex_map *map, vf c) {
	PICA_ALIGNED(64) uint32_t at[VF_LANES];
	const vf x = vf_mul(c, vf_set1(128.0f));
	const vi i = vi_min(vi_from_vf_trunc(x), vi_set1(PROCTEX_MAP_ENTRIES - 1));
	vi_store(at, vi_sll(i, 3));
	vf row[4];
	vf_load_rows((const uint8_t *)map->row, at, 2, row);
	return unit(vf_add(row[0], vf_mul(vf_sub(x, vf_from_vi(i)), row[1])));
}

/* ---- Noise: hash() and slope() of proctex_c.c as tables ---- */

#define NIBBLE(word, i) (UINT64_C(word) >> 4 * (i) & 15)
#define HASH(k) (uint8_t)((((k) % 9 + 2) * 3 & 15) ^ NIBBLE(0xB2FBEDF5C7948A40, ((k) / 9 & 15)))
#define HASH8(k) HASH(k), HASH(k + 1), HASH(k + 2), HASH(k + 3), HASH(k + 4), HASH(k + 5), \
	HASH(k + 6), HASH(k + 7)
#define HASH48(k) HASH8(k), HASH8(k + 8), HASH8(k + 16), HASH8(k + 24), HASH8(k + 32), HASH8(k + 40)

enum { PERIOD = 144 };

static const uint8_t hash[PERIOD + 1] = { HASH48(0), HASH48(48), HASH48(96), HASH(144) };

#define MIXED(p, q) ((((((q) + ((p) % 4 == 1) * 4) ^ ((p) % 2 * 6)) + 10 + (p)) & 15) ^ \
		NIBBLE(0xE39D62D554708F2A, p))
#define SLOPE(p, q) (-1.0f + (float)(2 * MIXED(p, q)) / 15.0f)
#define SLOPE4(p, q) SLOPE(p, q), SLOPE(p, q + 1), SLOPE(p, q + 2), SLOPE(p, q + 3)
#define SLOPES(p) { SLOPE4(p, 0), SLOPE4(p, 4), SLOPE4(p, 8), SLOPE4(p, 12) }

static const float slope[16][16] = { SLOPES(0), SLOPES(1), SLOPES(2), SLOPES(3), SLOPES(4),
	SLOPES(5), SLOPES(6), SLOPES(7), SLOPES(8), SLOPES(9), SLOPES(10), SLOPES(11), SLOPES(12),
	SLOPES(13), SLOPES(14), SLOPES(15) };

/* Slopes of the corners of four cells. */
struct corners {
	PICA_ALIGNED(64) float s00[VF_LANES];
	float s10[VF_LANES], s01[VF_LANES], s11[VF_LANES];
};

static inline void find_corners(struct corners *c, vi ix, vi iy) {
	PICA_ALIGNED(64) uint32_t x[VF_LANES], y[VF_LANES];
	vi_store(x, ix);
	vi_store(y, iy);
	for (unsigned k = 0; k < VF_LANES; k++) {
		const uint8_t *p = &hash[x[k] % PERIOD], *q = &hash[y[k] % PERIOD];
		c->s00[k] = slope[p[0]][q[0]];
		c->s10[k] = slope[p[1]][q[0]];
		c->s01[k] = slope[p[0]][q[1]];
		c->s11[k] = slope[p[1]][q[1]];
	}
}

static inline vf lerp(vf t, vf a, vf b) {
	return vf_add(a, vf_mul(t, vf_sub(b, a)));
}

static inline vf position(vf c, float phase, float frequency) {
	return limit(vf_mul(vf_set1(frequency), vf_abs(vf_add(c, vf_set1(phase)))));
}

static void proctex_noise(float *u, float *v, const struct proctex_noise *p, unsigned n) {
	for (size_t i = 0; i < n; i += VF_LANES) {
		const vf u0 = vf_load(u + i), v0 = vf_load(v + i);
		const vf x = position(u0, p->phase[0], p->frequency[0]);
		const vf y = position(v0, p->phase[1], p->frequency[1]);
		const vi ix = vi_from_vf_trunc(x), iy = vi_from_vf_trunc(y);
		struct corners c;
		find_corners(&c, ix, iy);
		const vf fx = vf_sub(x, vf_from_vi(ix)), fy = vf_sub(y, vf_from_vi(iy));
		const vf sum = vf_add(fx, fy), less1 = vf_sub(sum, vf_set1(1.0f));
		const vf g00 = vf_mul(vf_load(c.s00), sum);
		const vf g10 = vf_mul(vf_load(c.s10), less1);
		const vf g01 = vf_mul(vf_load(c.s01), less1);
		const vf g11 = vf_mul(vf_load(c.s11), vf_sub(sum, vf_set1(2.0f)));
		const vf a = lookup(p->map, fx), b = lookup(p->map, fy);
		const vf noise = lerp(b, lerp(a, g00, g10), lerp(a, g01, g11));
		vf_store(u + i, vf_abs(vf_add(u0, vf_mul(noise, vf_set1(p->amplitude[0])))));
		vf_store(v + i, vf_abs(vf_add(v0, vf_mul(noise, vf_set1(p->amplitude[1])))));
	}
}

/* ---- Clamp, function, map ---- */

/* mode is a constant at each call. */
static inline vf clamp(vf c, unsigned mode) {
	const vf one = vf_set1(1.0f);
	switch (mode) {
	case PROCTEX_CLAMP_ZERO:
		return vf_andnot(vf_as_vi_bits(vf_gt(c, one)), c);
	case PROCTEX_CLAMP_SYMMETRIC_REPEAT:
		return vf_sub(c, vf_floor(c));
	case PROCTEX_CLAMP_MIRRORED_REPEAT: {
		const vf whole = vf_floor(c), fraction = vf_sub(c, whole);
		const vi odd = vi_eq(vi_and(vi_from_vf_trunc(whole), vi_set1(1)), vi_set1(1));
		return vf_select(odd, vf_sub(one, fraction), fraction);
	}
	case PROCTEX_CLAMP_PULSE:
		return vf_and(one, vf_as_vi_bits(vf_gt(c, vf_set1(0.5f))));
	default:
		return vf_min(c, one);
	}
}

static inline void clamp_lanes(float *c, const float *off, unsigned mode, unsigned n) {
	for (size_t i = 0; i < n; i += VF_LANES) {
		const vf x = vf_load(c + i);
		vf_store(c + i, clamp(off ? vf_add(x, vf_load(off + i)) : x, mode));
	}
}

static void proctex_clamp(float *c, const float *off, unsigned mode, unsigned n) {
	switch (mode) {
	case PROCTEX_CLAMP_ZERO:
		clamp_lanes(c, off, PROCTEX_CLAMP_ZERO, n);
		break;
	case PROCTEX_CLAMP_SYMMETRIC_REPEAT:
		clamp_lanes(c, off, PROCTEX_CLAMP_SYMMETRIC_REPEAT, n);
		break;
	case PROCTEX_CLAMP_MIRRORED_REPEAT:
		clamp_lanes(c, off, PROCTEX_CLAMP_MIRRORED_REPEAT, n);
		break;
	case PROCTEX_CLAMP_PULSE:
		clamp_lanes(c, off, PROCTEX_CLAMP_PULSE, n);
		break;
	default:
		clamp_lanes(c, off, PROCTEX_CLAMP_EDGE, n);
		break;
	}
}

static inline vf root(vf u, vf v) {
	return vf_sqrt(vf_add(vf_mul(u, u), vf_mul(v, v)));
}

static inline vf half_sum(vf a, vf b) {
	return vf_mul(vf_add(a, b), vf_set1(0.5f));
}

/* function is the same in all lanes, and its branch is cheap beside the lookup. */
static inline vf apply(unsigned function, vf u, vf v) {
	switch (function) {
	case PROCTEX_MAP_U:
		return u;
	case PROCTEX_MAP_U2:
		return vf_mul(u, u);
	case PROCTEX_MAP_V:
		return v;
	case PROCTEX_MAP_V2:
		return vf_mul(v, v);
	case PROCTEX_MAP_ADD:
		return half_sum(u, v);
	case PROCTEX_MAP_ADD2:
		return half_sum(vf_mul(u, u), vf_mul(v, v));
	case PROCTEX_MAP_SQRT2:
		return vf_min(root(u, v), vf_set1(1.0f));
	case PROCTEX_MAP_MIN:
		return vf_min(u, v);
	case PROCTEX_MAP_MAX:
		return vf_max(u, v);
	case PROCTEX_MAP_RMAX:
		return vf_min(half_sum(half_sum(u, v), root(u, v)), vf_set1(1.0f));
	default:
		return vf_zero();
	}
}

static void proctex_map(float *out, const float *u, const float *v, unsigned function,
		const struct proctex_map *map, unsigned n) {
	for (size_t i = 0; i < n; i += VF_LANES) {
		vf_store(out + i, lookup(map, apply(function, vf_load(u + i), vf_load(v + i))));
	}
}

/* ---- Colour ---- */

/* Of the lanes from i on; each quad has its level. */
static inline vf table_position(const float *c, const struct proctex_level *level, size_t i) {
	enum { STRIDE = sizeof(*level) / sizeof(float) };
	level += i / 4;
	const vf offset = vf_load_quads(&level->offset, STRIDE);
	return vf_add(offset, vf_mul(vf_load(c + i), vf_load_quads(&level->scale, STRIDE)));
}

/* The position's whole part, which may lie in -1..510; its low eight bits go to index. */
static inline vf whole_part(int32_t *index, vf pos) {
	const vf whole = vf_floor(pos);
	vi_store(index, vi_and(vi_from_vf_trunc(whole), vi_set1(PROCTEX_COLORS - 1)));
	return whole;
}

static void proctex_nearest(uint16_t (*out)[BATCH], const float *c,
		const struct proctex_level *level, const struct proctex_colors *t, unsigned n) {
	const vf half = vf_set1(0.5f);
	for (size_t i = 0; i < n; i += VH_LANES) {
		PICA_ALIGNED(64) int32_t index[VH_LANES];
		whole_part(index, vf_add(table_position(c, level, i), half));
		whole_part(index + VF_LANES,
				vf_add(table_position(c, level, i + VF_LANES), half));
		vh plane[4];
		vh_gather_bytes4(t->color, index, plane);
		for (unsigned k = 0; k < 4; k++) {
			vh_store(out[k] + i, plane[k]);
		}
	}
}

/* color + f*2*half, clamped to 0..255 and truncated; half holds signed bytes. */
static inline vi blend(vi color, vi half, vf f) {
	const vf difference = vf_from_vi(vi_add(half, half));
	const vf value = vf_add(vf_from_vi(color), vf_mul(f, difference));
	return vi_from_vf_trunc(vf_min(vf_max(value, vf_zero()), vf_set1(255.0f)));
}

static void proctex_linear(uint16_t (*out)[BATCH], const float *c,
		const struct proctex_level *level, const struct proctex_colors *t, unsigned n) {
	const vh sign = vh_set1(0x80);
	for (size_t i = 0; i < n; i += VH_LANES) {
		PICA_ALIGNED(64) int32_t index[VH_LANES];
		const vf low = table_position(c, level, i);
		const vf high = table_position(c, level, i + VF_LANES);
		const vf f_low = vf_sub(low, whole_part(index, low));
		const vf f_high = vf_sub(high, whole_part(index + VF_LANES, high));
		vh color[4], half[4];
		vh_gather_bytes4(t->color, index, color);
		vh_gather_bytes4(t->difference, index, half);
		for (unsigned k = 0; k < 4; k++) {
			const vh d = vh_sub(vh_xor(half[k], sign), sign);
			vh_store(out[k] + i,
					vh_pack_u(blend(vi_widen_lo_u(color[k]), vi_widen_lo_s(d),
								  f_low),
							blend(vi_widen_hi_u(color[k]),
									vi_widen_hi_s(d), f_high)));
		}
	}
}

static void proctex_alpha(uint16_t *out, const float *c, unsigned n) {
	const vf scale = vf_set1(255.0f);
	for (size_t i = 0; i < n; i += VH_LANES) {
		const vi a = vi_from_vf_trunc(vf_mul(vf_load(c + i), scale));
		const vi b = vi_from_vf_trunc(vf_mul(vf_load(c + i + VF_LANES), scale));
		vh_store(out + i, vh_pack_u(a, b));
	}
}

const struct proctex_kernels VFN(proctex_kernels) = {
	.coord = proctex_coord,
	.shift = proctex_shift,
	.noise = proctex_noise,
	.clamp = proctex_clamp,
	.map = proctex_map,
	.nearest = proctex_nearest,
	.linear = proctex_linear,
	.alpha = proctex_alpha,
};
