/*
 * Sampling from the padded copy. The frame of one texel around a level holds what the wrap modes put
 * there, so that both taps of an axis are neighbours, whatever the mode:
 *
 *         position  -1 |  0   1   2  ...  n-2  n-1 |  n
 *                  pad |        texels             | pad
 *
 *   mode            first tap i, weight w of i+1                        pads (left, right)
 *   edge            i clamped to -1..n-1                                texel 0, texel n-1
 *   border          likewise; i < -1: w = 0; i >= n: w = 256            border, border
 *   repeat          i mod n                                             -, texel 0
 *   mirror          c = i mod 2n; c < n: c;                             texel 0, texel n-1
 *                   else 2n-2-c, and the taps change places: 256-w
 *   repeat, edge    i >= n-1: n-1; i < 0: i mod n, n-1 becoming -1      texel n-1, texel n-1
 *   repeat, border  i >= n: n-1 and w = 256; i < 0: as above            texel n-1, border
 *
 * A bilinear footprint is then two pairs of words, at one address and one row further. The remainders
 * are masks: for sides that are no powers of two the C kernels do the work.
 */
#include "tex/private.h"

#include <float.h>

#include "base/attributes.h"
#include "vec/vec.h"

/* Positions, and weights of the second tap, for all lanes of one axis. */
struct axis {
	PICA_ALIGNED(64) int32_t at[BATCH];
	PICA_ALIGNED(64) int32_t w[BATCH];
};

static inline vf limit_coord(vf x) {
	x = vf_and(x, vf_as_vi_bits(vf_le(vf_abs(x), vf_set1(FLT_MAX))));
	return vf_min(vf_max(x, vf_set1(-TEX_COORD_LIMIT)), vf_set1(TEX_COORD_LIMIT));
}

/* All ones where i < 0. */
static inline vi is_negative(vi i) {
	return vi_sra(i, 31);
}

/* last = n - 1 with n a power of two. c = i mod 2n, and in *back the lanes with c >= n. */
static inline vi mirror(vi i, vi last, vi *back) {
	vi c = vi_and(i, vi_or(vi_add(last, last), vi_set1(1)));
	*back = vi_gt(c, last);
	return c;
}

/* The first tap's position for index i, and its weight; mode is a constant at each call. */
static inline vi wrap_linear(vi i, vi *w, vi last, unsigned mode) {
	const vi full = vi_set1(256);
	switch (mode) {
	case TEX_WRAP_EDGE:
		return vi_min(vi_max(i, vi_set1(-1)), last);
	case TEX_WRAP_BORDER:
		*w = vi_select(vi_gt(i, last), full, vi_andnot(vi_gt(vi_set1(-1), i), *w));
		return vi_min(vi_max(i, vi_set1(-1)), last);
	case TEX_WRAP_MIRROR: {
		vi back, c = mirror(i, last, &back);
		*w = vi_select(back, vi_sub(full, *w), *w);
		/* 2n-2-c = ((2n-1) ^ c) - 1 */
		vi turned = vi_xor(c, vi_or(vi_add(last, last), vi_set1(1)));
		return vi_select(back, vi_sub(turned, vi_set1(1)), c);
	}
	case TEX_WRAP_REPEAT_EDGE:
	case TEX_WRAP_REPEAT_BORDER: {
		if (mode == TEX_WRAP_REPEAT_BORDER) {
			*w = vi_select(vi_gt(i, last), full, *w);
		}
		vi m = vi_and(i, last);
		m = vi_or(m, vi_eq(m, last)); /* n-1 becomes -1: texel 0 is its right neighbour */
		return vi_select(is_negative(i), m, vi_min(i, last));
	}
	default:
		return vi_and(i, last);
	}
}

static inline vi wrap_nearest(vi i, vi last, unsigned mode) {
	switch (mode) {
	case TEX_WRAP_EDGE:
		return vi_min(vi_max(i, vi_zero()), last);
	case TEX_WRAP_BORDER:
		return vi_min(vi_max(i, vi_set1(-1)), vi_add(last, vi_set1(1)));
	case TEX_WRAP_MIRROR: {
		vi back, c = mirror(i, last, &back);
		return vi_and(vi_xor(c, back), last);
	}
	case TEX_WRAP_REPEAT_EDGE:
		return vi_select(is_negative(i), vi_and(i, last), vi_min(i, last));
	case TEX_WRAP_REPEAT_BORDER:
		return vi_select(is_negative(i), vi_and(i, last), vi_min(i, vi_add(last, vi_set1(1))));
	default:
		return vi_and(i, last);
	}
}

/* Lanes come in fours, and so do the lanes of vf: no axis loop has a rest. */
_Static_assert(4 % VF_LANES == 0, "a wider set needs a rest here");

static inline void linear_axis(struct axis *a, const float *coord, unsigned n, uint32_t size,
		unsigned mode) {
	const vf scale = vf_set1((float)size), half = vf_set1(0.5f);
	const vi last = vi_set1((int32_t)size - 1);
	for (unsigned lane = 0; lane < n; lane += VF_LANES) {
		vf x = limit_coord(vf_sub(vf_mul(vf_loadu(coord + lane), scale), half));
		vf whole = vf_floor(x);
		vi w = vi_from_vf_trunc(vf_mul(vf_sub(x, whole), vf_set1(256.0f)));
		vi i = wrap_linear(vi_from_vf_trunc(whole), &w, last, mode);
		vi_store(a->at + lane, i);
		vi_store(a->w + lane, w);
	}
}

static inline void nearest_axis(struct axis *a, const float *coord, unsigned n, uint32_t size,
		unsigned mode) {
	const vf scale = vf_set1((float)size);
	const vi last = vi_set1((int32_t)size - 1);
	for (unsigned lane = 0; lane < n; lane += VF_LANES) {
		vf x = limit_coord(vf_mul(vf_loadu(coord + lane), scale));
		vi_store(a->at + lane, wrap_nearest(vi_from_vf_trunc(vf_floor(x)), last, mode));
	}
}

/* One copy of each axis loop for each mode; 6 and 7 are repeat. */
typedef void axis_fn(struct axis *a, const float *coord, unsigned n, uint32_t size);
#define AXIS(kind, name, mode) \
	static void kind##_##name(struct axis *a, const float *coord, unsigned n, uint32_t size) { \
		kind##_axis(a, coord, n, size, (mode)); \
	}
#define AXES(kind) \
	AXIS(kind, edge, TEX_WRAP_EDGE) \
	AXIS(kind, border, TEX_WRAP_BORDER) \
	AXIS(kind, repeat, TEX_WRAP_REPEAT) \
	AXIS(kind, mirror, TEX_WRAP_MIRROR) \
	AXIS(kind, repeat_edge, TEX_WRAP_REPEAT_EDGE) \
	AXIS(kind, repeat_border, TEX_WRAP_REPEAT_BORDER) \
	static axis_fn *const kind##_axes[8] = { kind##_edge, kind##_border, kind##_repeat, \
		kind##_mirror, kind##_repeat_edge, kind##_repeat_border, kind##_repeat, kind##_repeat };
AXES(linear)
AXES(nearest)

/* Whether the axis loops can do this side: remainders are masks. */
static inline int can_wrap(uint32_t size, unsigned mode) {
	return mode == TEX_WRAP_EDGE || mode == TEX_WRAP_BORDER || (size & (size - 1)) == 0;
}

/* at: word offsets from texel (0, 0) for all lanes; up to a whole vh of them, valid too. */
static inline void offsets(int32_t *at, const struct axis *s, const struct axis *t, unsigned n,
		uint32_t stride_px) {
	/* Positions and stride fit signed 16 bits: the lower half of each lane holds all of them. */
	const vh stride = vh_zip_lo(vh_set1((int)stride_px), vh_zero());
	for (unsigned lane = 0; lane < n; lane += VF_LANES) {
		vi row = vi_madd_s(vh_load(t->at + lane), stride);
		vi_store(at + lane, vi_add(row, vi_load(s->at + lane)));
	}
	for (unsigned lane = n; lane % VH_LANES != 0; lane++) {
		at[lane] = 0;
	}
}

/* VH_LANES results to lanes from lane on, but none from n on. */
static inline void put_lanes(uint16_t *out, vh x, unsigned lane, unsigned n) {
	if (n - lane >= VH_LANES) {
		vh_storeu(out + lane, x);
	} else {
		PICA_ALIGNED(64) uint16_t rest[VH_LANES];
		vh_store(rest, x);
		memcpy(out + lane, rest, (n - lane) * sizeof(*out));
	}
}

static const uint32_t *first_texel(const struct tex_level *level) {
	return atomic_load_explicit(&level->texels, memory_order_relaxed) + level->stride_px + 1;
}

static void nearest(const struct tex_level *level, const struct tex_desc *d, const float *u,
		const float *v, unsigned n, uint16_t (*out)[BATCH]) {
	if (!can_wrap(level->width, d->wrap_s) || !can_wrap(level->height, d->wrap_t)) {
		tex_nearest_c(level, d, u, v, n, out);
		return;
	}
	struct axis s, t;
	PICA_ALIGNED(64) int32_t at[BATCH];
	nearest_axes[d->wrap_s & 7](&s, u, n, level->width);
	nearest_axes[d->wrap_t & 7](&t, v, n, level->height);
	offsets(at, &s, &t, n, level->stride_px);
	const uint32_t *texels = first_texel(level);
	for (unsigned lane = 0; lane < n; lane += VH_LANES) {
		vh texel[4];
		vh_gather_bytes4(texels, at + lane, texel);
		for (unsigned c = 0; c < 4; c++) {
			put_lanes(out[c], texel[c], lane, n);
		}
	}
}

/*
 * (c0*(256-w) + c1*w) - 32768, as signed 16 bits: the sum is at most 65280, so that
 * c0*256 + (c1-c0)*w is right modulo 2^16.
 */
static inline vh lerp_x(vh c0, vh c1, vh w) {
	vh sum = vh_add(vh_sll(c0, 8), vh_mul(vh_sub(c1, c0), w));
	return vh_xor(sum, vh_set1(0x8000));
}

/*
 * (top*(256-w) + bottom*w + 0x8000) >> 16 for top and bottom less 32768, and pairs (256-w, w): the
 * offset comes back as 32768*256.
 */
static inline vh lerp_y(vh top, vh bottom, vh w_lo, vh w_hi) {
	const vi back = vi_set1(32768 * 256 + 0x8000);
	vi lo = vi_add(vi_madd_s(vh_zip_lo(top, bottom), w_lo), back);
	vi hi = vi_add(vi_madd_s(vh_zip_hi(top, bottom), w_hi), back);
	return vh_pack_s(vi_srl(lo, 16), vi_srl(hi, 16));
}

static void bilinear(const struct tex_level *level, const struct tex_desc *d, const float *u,
		const float *v, unsigned n, uint16_t (*out)[BATCH]) {
	if (!can_wrap(level->width, d->wrap_s) || !can_wrap(level->height, d->wrap_t)) {
		tex_bilinear_c(level, d, u, v, n, out);
		return;
	}
	struct axis s, t;
	PICA_ALIGNED(64) int32_t at[BATCH];
	linear_axes[d->wrap_s & 7](&s, u, n, level->width);
	linear_axes[d->wrap_t & 7](&t, v, n, level->height);
	offsets(at, &s, &t, n, level->stride_px);
	for (unsigned lane = n; lane % VH_LANES != 0; lane++) {
		s.w[lane] = t.w[lane] = 0;
	}
	const uint32_t *row0 = first_texel(level), *row1 = row0 + level->stride_px;
	for (unsigned lane = 0; lane < n; lane += VH_LANES) {
		vh wx = vh_pack_s(vi_load(s.w + lane), vi_load(s.w + lane + VF_LANES));
		vh wy = vh_pack_s(vi_load(t.w + lane), vi_load(t.w + lane + VF_LANES));
		vh wy0 = vh_sub(vh_set1(256), wy);
		vh wy_lo = vh_zip_lo(wy0, wy), wy_hi = vh_zip_hi(wy0, wy);
		vh top[8], bottom[8]; /* left texel's bytes, right texel's bytes */
		vh_gather_bytes8(row0, at + lane, top);
		vh_gather_bytes8(row1, at + lane, bottom);
		for (unsigned c = 0; c < 4; c++) {
			vh x = lerp_y(lerp_x(top[c], top[c + 4], wx), lerp_x(bottom[c], bottom[c + 4], wx),
					wy_lo, wy_hi);
			put_lanes(out[c], x, lane, n);
		}
	}
}

static void mip_blend(uint16_t (*out)[BATCH], const uint16_t (*a)[BATCH], const uint16_t (*b)[BATCH],
		const uint16_t *f, unsigned n) {
	unsigned whole = n / VH_LANES * VH_LANES;
	for (unsigned lane = 0; lane < whole; lane += VH_LANES) {
		vh w = vh_loadu(f + lane);
		for (unsigned c = 0; c < 4; c++) {
			/* At most 65280 + 128: right modulo 2^16. */
			vh a_c = vh_loadu(a[c] + lane), b_c = vh_loadu(b[c] + lane);
			vh sum = vh_add(vh_sll(a_c, 8), vh_mul(vh_sub(b_c, a_c), w));
			vh_storeu(out[c] + lane, vh_srl(vh_add(sum, vh_set1(128)), 8));
		}
	}
	for (unsigned lane = whole; lane < n; lane++) {
		for (unsigned c = 0; c < 4; c++) {
			unsigned sum = a[c][lane] * (256u - f[lane]) + b[c][lane] * (unsigned)f[lane];
			out[c][lane] = (uint16_t)((sum + 128) >> 8);
		}
	}
}

void VFN(tex_sample_kernels_init)(struct tex_kernels *k) {
	k->nearest = nearest;
	k->bilinear = bilinear;
	k->mip_blend = mip_blend;
}
