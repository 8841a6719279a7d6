/*
 * Sampling from the padded copy. The frame of one texel around a level holds the texels that the
 * wrap modes place there, so that both taps of an axis are neighbours in every mode:
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
 * A bilinear footprint is then two pairs of words, at one address and one row further. Remainders
 * are masks: sides that are not powers of two are left to the C kernels.
 */
#include "pica/tex/vector.h"

#include "core/base/attributes.h"

/* Where lanes read: words from texel (0, 0), and for linear filters the second tap's weights. */
struct footprints {
	PICA_ALIGNED(64) int32_t at[BATCH];
	PICA_ALIGNED(64) int32_t wx[BATCH];
	PICA_ALIGNED(64) int32_t wy[BATCH];
};

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
		return vi_select(is_negative(i), vi_and(i, last),
				vi_min(i, vi_add(last, vi_set1(1))));
	default:
		return vi_and(i, last);
	}
}

/*
 * The t axis comes first and stores the offset of its row; the s axis adds its column. Positions
 * and stride fit signed 16 bits, so that the lower half of a lane is enough to multiply.
 */
static inline void put_row(struct footprints *f, size_t lane, vi position, vh stride) {
	PICA_ALIGNED(64) int32_t row[VF_LANES];
	vi_store(row, position);
	vi_store(f->at + lane, vi_madd_s(vh_load(row), stride));
}

static inline void put_column(struct footprints *f, size_t lane, vi position) {
	vi_store(f->at + lane, vi_add(vi_load(f->at + lane), position));
}

/*
 * tex_limit_coord() as far as the mode shows it: to a remainder the limits, which NaN and infinity
 * become here, are what 0 is.
 */
static inline vf limit_for(vf x, unsigned mode) {
	const bool is_remainder = mode == TEX_WRAP_REPEAT || mode == TEX_WRAP_MIRROR;
	return is_remainder ? clamp_coord(x) : limit_coord(x);
}

static inline vi linear_position(vf coord, vf scale, vi last, unsigned mode, vi *w) {
	vf x = limit_for(vf_sub(vf_mul(coord, scale), vf_set1(0.5f)), mode);
	vf whole = vf_floor(x);
	*w = vi_from_vf_trunc(vf_mul(vf_sub(x, whole), vf_set1(256.0f)));
	return wrap_linear(vi_from_vf_trunc(whole), w, last, mode);
}

/* Runs the block with `at`: VF_LANES coordinates, of which n are valid. */
#define EACH_COORD(coord, ...) \
	size_t lane = 0; \
	for (; lane + VF_LANES <= n; lane += VF_LANES) { \
		const vf at = vf_loadu((coord) + lane); \
		__VA_ARGS__ \
	} \
	if (lane < n) { \
		const vf at = vf_loadu_part((coord) + lane, n - lane); \
		__VA_ARGS__ \
	}

static inline void linear_t(struct footprints *f, const float *v, unsigned n,
		const struct tex_level *level, unsigned mode) {
	const vf scale = vf_set1((float)level->height);
	const vi last = vi_set1((int32_t)level->height - 1);
	const vh stride = vh_zip_lo(vh_set1((int)level->stride_px), vh_zero());
	EACH_COORD(v, {
		vi w;
		const vi t = linear_position(at, scale, last, mode, &w);
		put_row(f, lane, t, stride);
		vi_store(f->wy + lane, w);
	})
}

/*
 * Weight 256 becomes the next position and weight 0: lerp_x() takes 0..255. The second tap may then
 * lie at n + 1, past the frame, with weight 0: the next row's first word, or, in the last row, the
 * one word that tex_level_words() adds at the end.
 */
static inline void linear_s(struct footprints *f, const float *u, unsigned n,
		const struct tex_level *level, unsigned mode) {
	const vf scale = vf_set1((float)level->width);
	const vi last = vi_set1((int32_t)level->width - 1);
	EACH_COORD(u, {
		vi w;
		const vi s = linear_position(at, scale, last, mode, &w);
		put_column(f, lane, vi_add(s, vi_srl(w, 8)));
		vi_store(f->wx + lane, vi_and(w, vi_set1(255)));
	})
}

static inline vi nearest_position(vf coord, vf scale, vi last, unsigned mode) {
	vf x = limit_for(vf_mul(coord, scale), mode);
	return wrap_nearest(vi_from_vf_trunc(vf_floor(x)), last, mode);
}

static inline void nearest_t(struct footprints *f, const float *v, unsigned n,
		const struct tex_level *level, unsigned mode) {
	const vf scale = vf_set1((float)level->height);
	const vi last = vi_set1((int32_t)level->height - 1);
	const vh stride = vh_zip_lo(vh_set1((int)level->stride_px), vh_zero());
	EACH_COORD(v, { put_row(f, lane, nearest_position(at, scale, last, mode), stride); })
}

static inline void nearest_s(struct footprints *f, const float *u, unsigned n,
		const struct tex_level *level, unsigned mode) {
	const vf scale = vf_set1((float)level->width);
	const vi last = vi_set1((int32_t)level->width - 1);
	EACH_COORD(u, { put_column(f, lane, nearest_position(at, scale, last, mode)); })
}

/* One copy of each axis loop for each mode; 6 and 7 are repeat. */
typedef void axis_fn(struct footprints *f, const float *coord, unsigned n,
		const struct tex_level *level);
#define AXIS(axis, name, mode) \
	static void axis##_##name(struct footprints *f, const float *coord, unsigned n, \
			const struct tex_level *level) { \
		axis(f, coord, n, level, (mode)); \
	}
#define AXIS_MODES(axis) \
	AXIS(axis, edge, TEX_WRAP_EDGE) \
	AXIS(axis, border, TEX_WRAP_BORDER) \
	AXIS(axis, repeat, TEX_WRAP_REPEAT) \
	AXIS(axis, mirror, TEX_WRAP_MIRROR) \
	AXIS(axis, repeat_edge, TEX_WRAP_REPEAT_EDGE) \
	AXIS(axis, repeat_border, TEX_WRAP_REPEAT_BORDER) \
	static axis_fn *const axis##_modes[8] = { axis##_edge, axis##_border, axis##_repeat, \
		axis##_mirror, axis##_repeat_edge, axis##_repeat_border, axis##_repeat, \
		axis##_repeat };
AXIS_MODES(linear_s)
AXIS_MODES(linear_t)
AXIS_MODES(nearest_s)
AXIS_MODES(nearest_t)

/* Lanes after n, up to a whole vh of them: texel (0, 0). */
static void fill_rest(struct footprints *f, unsigned n) {
	for (unsigned lane = n; lane % VH_LANES != 0; lane++) {
		f->at[lane] = f->wx[lane] = f->wy[lane] = 0;
	}
}

/* Returns whether the axis loops can handle this level: remainders are masks. */
static int can_wrap(uint32_t size, unsigned mode) {
	return mode == TEX_WRAP_EDGE || mode == TEX_WRAP_BORDER || (size & (size - 1)) == 0;
}

/* The last lanes, fewer than VH_LANES of them. */
static void put_rest(uint16_t (*out)[BATCH], const vh plane[4], unsigned lane, unsigned n) {
	PICA_ALIGNED(64) uint16_t rest[VH_LANES];
	for (unsigned c = 0; c < 4; c++) {
		vh_store(rest, plane[c]);
		memcpy(out[c] + lane, rest, (n - lane) * sizeof(*rest));
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
	struct footprints f;
	nearest_t_modes[d->wrap_t & 7](&f, v, n, level);
	nearest_s_modes[d->wrap_s & 7](&f, u, n, level);
	fill_rest(&f, n);
	const uint32_t *texels = first_texel(level);
	vh plane[4];
	unsigned lane = 0;
	for (; lane + VH_LANES <= n; lane += VH_LANES) {
		vh_gather_bytes4(texels, f.at + lane, plane);
		for (unsigned c = 0; c < 4; c++) {
			vh_storeu(out[c] + lane, plane[c]);
		}
	}
	if (lane < n) {
		vh_gather_bytes4(texels, f.at + lane, plane);
		put_rest(out, plane, lane, n);
	}
}

/*
 * c0*(256-w) + c1*w - 32640 for taps c0 (lower bytes) and c1 (upper bytes) and weights 255-w, w <=
 * 255 in the same bytes. With c - 128 as signed bytes, (c0-128)*(255-w) + (c1-128)*w lies within
 * -32640..32385 and is c0*(255-w) + c1*w - 128*255; one more c0 makes the sum, within +-32640.
 */
static inline vh lerp_x(vh taps, vh weights) {
	vh sum = vh_madd_bytes_us(weights, vh_xor(taps, vh_set1(0x8080)));
	return vh_add(sum, vh_and(taps, vh_set1(0xFF)));
}

/* Weights of VH_LANES pixels, as lerp_x() and blend_quarter() take them. */
struct weights {
	vh x;    /* bytes 255-w, w */
	vh y[2]; /* pairs 256-w, w; of the lower and of the upper half of each group */
};

static inline struct weights weights(const int32_t *wx, const int32_t *wy) {
	vh x = vh_pack_s(vi_load(wx), vi_load(wx + VF_LANES));
	vh y = vh_pack_s(vi_load(wy), vi_load(wy + VF_LANES));
	vh y0 = vh_sub(vh_set1(256), y);
	return (struct weights){ vh_add(vh_sll(x, 8), vh_sub(vh_set1(255), x)),
		{ vh_zip_lo(y0, y), vh_zip_hi(y0, y) } };
}

/*
 * Pixels 2i and 2i+1 of each group of eight, as pairs R R, G G, B B, A A; i is a constant at each
 * call. top*(256-w) + bottom*w comes out less 32640*256, which with the rounding's 0x8000 makes 128
 * << 16: it is added to the upper halves, which are the result.
 */
static inline vh blend_quarter(const uint32_t *row0, const uint32_t *row1, const int32_t *at,
		const struct weights *w, int i) {
	vh x = vh_spread4(w->x, i);
	vh top = lerp_x(vh_gather_pairs4(row0, at + 2 * i), x);
	vh bottom = lerp_x(vh_gather_pairs4(row1, at + 2 * i), x);
	vi a = vi_madd_s(vh_zip_lo(top, bottom), vh_spread_pairs4(w->y[i >> 1], (2 * i) & 3));
	vi b = vi_madd_s(vh_zip_hi(top, bottom), vh_spread_pairs4(w->y[i >> 1], (2 * i + 1) & 3));
	return vh_add(vh_zip_upper(a, b), vh_set1(128));
}

static inline void blend_lanes(const uint32_t *row0, uint32_t stride_px,
		const struct footprints *f, unsigned lane, vh plane[4]) {
	const uint32_t *row1 = row0 + stride_px;
	const int32_t *at = f->at + lane;
	const struct weights w = weights(f->wx + lane, f->wy + lane);
	const vh quarter[4] = { blend_quarter(row0, row1, at, &w, 0),
		blend_quarter(row0, row1, at, &w, 1), blend_quarter(row0, row1, at, &w, 2),
		blend_quarter(row0, row1, at, &w, 3) };
	vh_transpose_pairs4(quarter, plane);
}

static void bilinear(const struct tex_level *level, const struct tex_desc *d, const float *u,
		const float *v, unsigned n, uint16_t (*out)[BATCH]) {
	if (!can_wrap(level->width, d->wrap_s) || !can_wrap(level->height, d->wrap_t)) {
		tex_bilinear_c(level, d, u, v, n, out);
		return;
	}
	struct footprints f;
	linear_t_modes[d->wrap_t & 7](&f, v, n, level);
	linear_s_modes[d->wrap_s & 7](&f, u, n, level);
	fill_rest(&f, n);
	const uint32_t *texels = first_texel(level);
	vh plane[4];
	unsigned lane = 0;
	for (; lane + VH_LANES <= n; lane += VH_LANES) {
		blend_lanes(texels, level->stride_px, &f, lane, plane);
		for (unsigned c = 0; c < 4; c++) {
			vh_storeu(out[c] + lane, plane[c]);
		}
	}
	if (lane < n) {
		blend_lanes(texels, level->stride_px, &f, lane, plane);
		put_rest(out, plane, lane, n);
	}
}

static void mip_blend(uint16_t (*out)[BATCH], const uint16_t (*a)[BATCH],
		const uint16_t (*b)[BATCH], const uint16_t *f, unsigned n) {
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
			uint32_t w = f[lane], sum = a[c][lane] * (256 - w) + b[c][lane] * w;
			out[c][lane] = (uint16_t)((sum + 128) >> 8);
		}
	}
}

void VFN(tex_sample_kernels_init)(struct tex_kernels *k) {
	k->nearest = nearest;
	k->bilinear = bilinear;
	k->mip_blend = mip_blend;
}
