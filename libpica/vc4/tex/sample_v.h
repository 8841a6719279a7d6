/* Look-ups on vectors: wrapping, positions and mixing; for vector sources. */
#ifndef VC4_SAMPLE_V_H
#define VC4_SAMPLE_V_H

#include <float.h>

#include "core/base/attributes.h"
#include "core/vec/vec.h"
#include "vc4/tex/sampler.h"

void VFN(vc4_tex_sample)(const struct vc4_tex_one *x, const uint32_t *s, const uint32_t *t,
		const uint32_t *border, unsigned n, uint32_t *out);

static inline bool is_power_of_two(int32_t n) {
	return !(n & (n - 1));
}

/* Modulo n; n > 0. */
static inline vi modulo(vi i, int32_t n) {
	PICA_ALIGNED(64) int32_t lanes[VF_LANES];
	if (is_power_of_two(n)) {
		return vi_and(i, vi_set1(n - 1));
	}
	vi_store(lanes, i);
	for (unsigned k = 0; k < VF_LANES; k++) {
		lanes[k] %= n;
		lanes[k] += lanes[k] < 0 ? n : 0;
	}
	return vi_load(lanes);
}

static inline vi clamp(vi i, int32_t size) {
	return vi_max(vi_zero(), vi_min(i, vi_set1(size - 1)));
}

/* Returns the index; adds the lanes outside the image to *border if mode is WRAP_BORDER. */
static inline vi wrap(vi i, int32_t size, enum wrap mode, vi *border) {
	switch (mode) {
	case WRAP_REPEAT:
		return modulo(i, size);
	case WRAP_CLAMP:
		return clamp(i, size);
	case WRAP_MIRROR:
		i = modulo(i, 2 * size);
		return vi_min(i, vi_sub(vi_set1(2 * size - 1), i));
	case WRAP_BORDER:
		break;
	}
	const vi inside = clamp(i, size);
	*border = vi_or(*border, vi_xor(vi_eq(inside, i), vi_set1(-1)));
	return inside;
}

/* Returns a coordinate in texels, minus less, clamped so that its floor() fits an int32. */
static inline vf position(vf c, int32_t size, float less) {
	vf x = vf_sub(vf_mul(c, vf_set1((float)size)), vf_set1(less));
	const vi is_finite = vf_le(vf_abs(x), vf_set1(FLT_MAX));
	x = vf_select(is_finite, x, vf_zero());
	return vf_min(vf_max(x, vf_set1(-0x1p30f)), vf_set1(0x1p30f));
}

static inline vi low_bytes(vi v) {
	return vi_and(v, vi_set1(0x00FF00FF));
}

/* Two channels in 16-bit fields: a * (256 - w) + b * w, computed as one 32-bit number. */
static inline vi mix(vi a, vi b, vi w) {
	return vi_add(vi_sll(a, 8), vi_mul(vi_sub(b, a), w));
}

/* One field: (a * (256 - w) + b * w + 2^15) >> 16. */
static inline vi mix_rounded(vi a, vi b, vi w) {
	return vi_srl(vi_add(mix(a, b, w), vi_set1(0x8000)), 16);
}

static inline vi rows_mixed(vi a, vi b, vi w) {
	const vi field_low = vi_set1(0xFFFF);
	const vi low = mix_rounded(vi_and(a, field_low), vi_and(b, field_low), w);
	return vi_or(low, vi_sll(mix_rounded(vi_srl(a, 16), vi_srl(b, 16), w), 16));
}

static inline vf coordinates(const uint32_t c[VF_LANES]) {
	const vi bits = vi_loadu(c);
	return vf_as_vi_bits(vi_and(bits, vi_gt(vi_and(bits, vi_set1(0x7FFFFFFF)),
			vi_set1(0x007FFFFF))));
}

#endif
