/* The kernels of sample_w_c.c in vectors. */
#include "pica/tex/vector.h"

static void project(
		float *s, float *t, const float *u, const float *v, const float *w, unsigned n) {
	for (unsigned lane = 0; lane < n; lane += VF_LANES) {
		const vf by = vf_loadu_part(w + lane, n - lane);
		vf_storeu_part(s + lane, vf_div(vf_loadu_part(u + lane, n - lane), by), n - lane);
		vf_storeu_part(t + lane, vf_div(vf_loadu_part(v + lane, n - lane), by), n - lane);
	}
}

/* num/major*0.5 + 0.5, or 0.5 if there is no direction. */
static inline vf on_face(vf num, vf major) {
	const vf half = vf_set1(0.5f);
	const vf place = vf_add(vf_mul(vf_div(num, major), half), half);
	return vf_select(vf_eq(major, vf_zero()), half, place);
}

static uint32_t cube(struct tex_direction *to, const float *u, const float *v, const float *w,
		unsigned n) {
	vi faces = vi_zero();
	for (unsigned lane = 0; lane < n; lane += VF_LANES) {
		const vf x = vf_loadu_part(u + lane, n - lane);
		const vf y = vf_loadu_part(v + lane, n - lane);
		const vf z = vf_loadu_part(w + lane, n - lane);
		const vf minus_x = vf_neg(x), minus_y = vf_neg(y), minus_z = vf_neg(z);
		const vf ax = vf_abs(x), ay = vf_abs(y), az = vf_abs(z);
		const vi is_x = vi_and(vf_gt(ax, ay), vf_gt(ax, az)), is_y = vf_gt(ay, az);
		const vi plus_x = vf_gt(x, vf_zero()), plus_y = vf_gt(y, vf_zero());
		const vi plus_z = vf_gt(z, vf_zero());

		const vf s = vf_select(is_x, vf_select(plus_x, minus_z, z),
				vf_select(is_y, x, vf_select(plus_z, x, minus_x)));
		const vf t = vf_select(
				vi_andnot(is_x, is_y), vf_select(plus_y, z, minus_z), minus_y);
		const vf major = vf_select(is_x, ax, vf_select(is_y, ay, az));
		/* Bits 1, 4, 16 for +, the next ones for -. */
		const vi axis = vi_select(
				is_x, vi_set1(1), vi_select(is_y, vi_set1(4), vi_set1(16)));
		const vi plus = vi_select(is_x, plus_x, vi_select(is_y, plus_y, plus_z));
		const vi face = vi_select(plus, axis, vi_add(axis, axis));
		vf_store(to->s + lane, on_face(s, major));
		vf_store(to->t + lane, on_face(t, major));
		vf_store(to->major + lane, major);
		vi_store(to->face + lane, face);
		faces = vi_or(faces, vi_and(face, vi_first(n - lane)));
	}
	PICA_ALIGNED(64) uint32_t all[VF_LANES];
	vi_store(all, faces);
	uint32_t any = 0;
	for (unsigned i = 0; i < VF_LANES; i++) {
		any |= all[i];
	}
	return any;
}

static inline vi depth_at(vf z, vi bias) {
	vf d = vf_abs(z);
	d = vf_min(vf_max(d, vf_zero()), vf_set1(1.0f));
	const vf m = vf_mul(d, vf_set1(16777216.0f));
	const vi whole = vi_from_vf_trunc(m);
	const vi depth = vi_add(whole, vf_lt(vf_sub(m, vf_from_vi(whole)), d));
	return vi_max(vi_sub(depth, bias), vi_zero());
}

/* Both taps of an axis: indices clamped to the map, and masks of those outside. */
struct taps {
	vi at[2], outside[2], w;
};

static inline struct taps taps(vf coord, uint32_t size) {
	const vi last = vi_set1((int32_t)size - 1);
	const vf x = limit_coord(vf_sub(vf_mul(coord, vf_set1((float)size)), vf_set1(0.5f)));
	const vf whole = vf_floor(x);
	struct taps a = { .w = vi_from_vf_trunc(vf_mul(vf_sub(x, whole), vf_set1(256.0f))) };
	const vi i = vi_from_vf_trunc(whole);
	for (int k = 0; k < 2; k++) {
		const vi tap = vi_add(i, vi_set1(k));
		a.at[k] = vi_min(vi_max(tap, vi_zero()), last);
		a.outside[k] = vi_xor(vi_eq(a.at[k], tap), vi_set1(-1));
	}
	return a;
}

/* a*(256-w) + b*w */
static inline vi lerp(vi a, vi b, vi w) {
	return vi_add(vi_sll(a, 8), vi_mul(vi_sub(b, a), w));
}

/* Four texels' light; row: byte offset of the row's texel 0. lit: all ones to take 255 outside. */
static inline vi light(const uint8_t *base, vi row, vi column, vi outside, vi lit, vi depth) {
	PICA_ALIGNED(64) uint32_t at[VF_LANES];
	vi_store(at, vi_add(row, vi_sll(column, 2)));
	const vi texel = vi_load_words(base, at, 4);
	const vi through = vi_and(vi_gt(vi_srl(texel, 8), depth), vi_and(texel, vi_set1(255)));
	return vi_select(vi_and(outside, lit), vi_set1(255), through);
}

static void shadow(const struct tex_level *level, const struct tex_desc *d, const float *s,
		const float *t, const float *z, unsigned n, uint16_t (*out)[BATCH]) {
	const uint32_t *texels = atomic_load_explicit(&level->texels, memory_order_relaxed);
	const uint8_t *base = (const uint8_t *)(texels + level->stride_px + 1);
	const vi stride = vi_set1((int32_t)level->stride_px * 4);
	const vi lit = vi_set1(d->type == TEX_SHADOW_2D ? -1 : 0);
	const vi bias = vi_set1((int32_t)d->shadow_bias);
	for (unsigned lane = 0; lane < n; lane += VF_LANES) {
		const struct taps x = taps(vf_loadu_part(s + lane, n - lane), level->width);
		const struct taps y = taps(vf_loadu_part(t + lane, n - lane), level->height);
		const vi depth = depth_at(vf_loadu_part(z + lane, n - lane), bias);
		vi row[2];
		for (int k = 0; k < 2; k++) {
			const vi at = vi_mul(y.at[k], stride);
			row[k] = lerp(light(base, at, x.at[0], vi_or(x.outside[0], y.outside[k]),
						      lit, depth),
					light(base, at, x.at[1], vi_or(x.outside[1], y.outside[k]),
							lit, depth),
					x.w);
		}
		const vi sum = lerp(row[0], row[1], y.w);
		const vi value = vi_srl(vi_add(sum, vi_set1(0x8000)), 16);
		for (unsigned c = 0; c < 4; c++) {
			vi_store_u16_part(out[c] + lane, value, n - lane);
		}
	}
}

void VFN(tex_sample_w_kernels_init)(struct tex_kernels *k) {
	k->project = project;
	k->cube = cube;
	k->shadow = shadow;
}
