/*
 * Look-ups in one image of 32-bit pixels: texture.c to the bit.
 *
 * The offset of a pixel is (X ^ Y) + R: X is of its column, Y and R of its row. In layout T this is
 * tiles * 4096 + sub-tile * 1024 + micro-tile * 64 + pixel * 4, where the right half of a tile has
 * its sub-tiles in the other order (3 - sub-tile: both bits of X are set), and odd rows of tiles go
 * to the left (tiles across - 1 - tile: Y inverts the bits of the tile, R adds the tiles across).
 */
#include "vc4/tex/sample_v.h"

struct row {
	vi outside, flip, add;
};

static PICA_INLINE vi bits(vi v, int mask, int up) {
	return vi_sll(vi_and(v, vi_set1(mask)), up);
}

static PICA_INLINE vi wrap_one(vi i, int32_t size, unsigned mode, vi *outside) {
	return mode == VC4_WRAP_MASK ? vi_and(i, vi_set1(size - 1)) : wrap(i, size, mode, outside);
}

static PICA_INLINE vi column_of(const struct vc4_tex_one *x, vi i, vi *outside) {
	i = wrap_one(i, x->width, x->wrap_s, outside);
	if (x->layout != VC4_IMAGE_T) {
		return x->layout == VC4_IMAGE_LT ?
				vi_or(bits(i, 3, 2), vi_sll(vi_andnot(vi_set1(3), i), 4)) :
				vi_sll(i, 2);
	}
	const vi right = bits(vi_srl(i, 4), 1, 10);
	const vi in_tile = vi_or(bits(i, 3, 2), bits(i, 12, 4));
	return vi_or(vi_or(in_tile, vi_or(right, vi_add(right, right))),
			vi_sll(vi_andnot(vi_set1(31), i), 7));
}

static PICA_INLINE struct row row_of(const struct vc4_tex_one *x, vi j) {
	struct row r = { .outside = vi_zero() };
	j = wrap_one(j, x->height, x->wrap_t, &r.outside);
	j = x->flips_y ? vi_sub(vi_set1(x->height - 1), j) : j;
	if (x->layout == VC4_IMAGE_RASTER) {
		r.flip = vi_zero();
		r.add = vi_mul(j, vi_set1(x->across));
		return r;
	}
	if (x->layout == VC4_IMAGE_LT) {
		r.flip = vi_zero();
		r.add = vi_add(bits(j, 3, 4), vi_mul(vi_srl(j, 2), vi_set1(x->across)));
		return r;
	}
	const vi tile = vi_srl(j, 5), odd = vi_and(tile, vi_set1(1));
	const vi in_tile = vi_or(vi_or(bits(j, 3, 4), bits(j, 12, 6)), bits(j, 16, 6));
	r.flip = vi_xor(in_tile, vi_sll(vi_sub(vi_zero(), odd), 11));
	r.add = vi_sll(vi_mul(vi_add(tile, odd), vi_set1(x->across)), 12);
	return r;
}

static PICA_INLINE vi texels(const struct vc4_tex_one *x, vi column, vi column_outside,
		const struct row *r, vi border) {
	PICA_ALIGNED(64) uint32_t at[VF_LANES];
	vi_store(at, vi_add(vi_xor(column, r->flip), r->add));
	vi color = vi_load_words(x->host, at, 4);
	if (x->is_opaque) {
		color = vi_or(color, vi_set1((int32_t)0xFF000000));
	}
	if (x->wrap_s == WRAP_BORDER || x->wrap_t == WRAP_BORDER) {
		color = vi_select(vi_or(column_outside, r->outside), border, color);
	}
	return color;
}

static PICA_INLINE vi nearest(const struct vc4_tex_one *x, vf s, vf t, vi border) {
	vi outside = vi_zero();
	const vi i = vi_from_vf_trunc(vf_floor(position(s, x->width, 0)));
	const vi column = column_of(x, i, &outside);
	const struct row r = row_of(x, vi_from_vf_trunc(vf_floor(position(t, x->height, 0))));
	return texels(x, column, outside, &r, border);
}

static PICA_INLINE vi bilinear(const struct vc4_tex_one *x, vf s, vf t, vi border) {
	const vf u = position(s, x->width, 0.5f), w = position(t, x->height, 0.5f);
	const vf fu = vf_floor(u), fw = vf_floor(w);
	const vi wu = vi_from_vf_trunc(vf_mul(vf_sub(u, fu), vf_set1(256.0f)));
	const vi ww = vi_from_vf_trunc(vf_mul(vf_sub(w, fw), vf_set1(256.0f)));
	const vi i = vi_from_vf_trunc(fu), j = vi_from_vf_trunc(fw), one = vi_set1(1);
	vi outside0 = vi_zero(), outside1 = vi_zero();
	const vi c0 = column_of(x, i, &outside0), c1 = column_of(x, vi_add(i, one), &outside1);
	const struct row r0 = row_of(x, j), r1 = row_of(x, vi_add(j, one));
	const vi c00 = texels(x, c0, outside0, &r0, border);
	const vi c10 = texels(x, c1, outside1, &r0, border);
	const vi c01 = texels(x, c0, outside0, &r1, border);
	const vi c11 = texels(x, c1, outside1, &r1, border);
	const vi even = rows_mixed(mix(low_bytes(c00), low_bytes(c10), wu),
			mix(low_bytes(c01), low_bytes(c11), wu), ww);
	const vi odd = rows_mixed(mix(low_bytes(vi_srl(c00, 8)), low_bytes(vi_srl(c10, 8)), wu),
			mix(low_bytes(vi_srl(c01, 8)), low_bytes(vi_srl(c11, 8)), wu), ww);
	return vi_or(even, vi_sll(odd, 8));
}

static PICA_INLINE void sample(const struct vc4_tex_one *x, const uint32_t *s, const uint32_t *t,
		const uint32_t *border, unsigned n, uint32_t *out) {
	for (unsigned i = 0; i < n; i += VF_LANES) {
		const vf u = coordinates(s + i), v = coordinates(t + i);
		const vi edge = vi_load(border + i);
		vi_store(out + i, x->is_linear ? bilinear(x, u, v, edge) : nearest(x, u, v, edge));
	}
}

/* The most frequent forms have loops of their own. */
void VFN(vc4_tex_sample)(const struct vc4_tex_one *x, const uint32_t *s, const uint32_t *t,
		const uint32_t *border, unsigned n, uint32_t *out) {
	struct vc4_tex_one own = *x;
	const bool is_plain = x->layout == VC4_IMAGE_T && x->is_linear && !x->is_opaque &&
			!x->flips_y && x->wrap_s == x->wrap_t;
	if (is_plain && (x->wrap_s == VC4_WRAP_MASK || x->wrap_s == WRAP_CLAMP)) {
		own.layout = VC4_IMAGE_T;
		own.is_linear = true;
		own.is_opaque = own.flips_y = false;
		if (x->wrap_s == VC4_WRAP_MASK) {
			own.wrap_s = own.wrap_t = VC4_WRAP_MASK;
			sample(&own, s, t, border, n, out);
		} else {
			own.wrap_s = own.wrap_t = WRAP_CLAMP;
			sample(&own, s, t, border, n, out);
		}
		return;
	}
	sample(x, s, t, border, n, out);
}
