/* Gas, in vectors; see gas_c.c. */
#include "pica/frag/fog_vector.h"
#include "pica/frag/kernels.h"

enum { EXPONENTS = 112 << 23 }; /* between f16 and binary32, in bits of the latter */

/* A density from f16, in quads and in wide vectors. */
#define DENSITY_FROM_HALF(v) \
	static inline v##f v##_density_from_half(v##i half) { \
		const v##i bits = v##i_sll(v##i_and(half, v##i_set1(0x7FFF)), 13); \
		const v##i magnitude = v##i_add(bits, v##i_set1(EXPONENTS)); \
		const v##i sign = v##i_sll(v##i_and(half, v##i_set1(0x8000)), 16); \
		const v##i exponent = v##i_and(half, v##i_set1(0x7C00)); \
		const v##i is_zero = v##i_eq(exponent, v##i_zero()); \
		return v##f_as_vi_bits(v##i_andnot(is_zero, v##i_or(sign, magnitude))); \
	}
DENSITY_FROM_HALF(v)
DENSITY_FROM_HALF(vq)

static inline vqi half_from_density(vqf density) {
	const vqi bits = vqi_as_vf_bits(density);
	const vqi magnitude = vqi_and(bits, vqi_set1(0x7FFFFFFF));
	const vqi small = vqi_gt(vqi_set1(113 << 23), magnitude); /* below 2^-14 */
	const vqi large = vqi_gt(magnitude, vqi_set1(0x479FFFFF)); /* from 81920 on */
	vqi half = vqi_or(vqi_sll(vqi_srl(bits, 31), 15),
			vqi_srl(vqi_sub(magnitude, vqi_set1(EXPONENTS)), 13));
	half = vqi_select(large, vqi_set1(0x7FFF), half);
	return vqi_andnot(small, half);
}

static inline vqi load_depth(const struct frag_gas_target *t, unsigned q) {
	const uint8_t *p = t->depth + (size_t)t->depth_px[q] * t->depth_bytes;
	return t->depth_bytes == 2 ? vqi_load_u16(p) : t->depth_bytes == 3 ? vqi_load_px3(p) :
			vqi_and(vqi_loadu(p), vqi_set1(0xFFFFFF));
}

uint32_t VFN(frag_gas_add)(const struct frag_gas_target *at, const uint32_t *z,
		const uint16_t *red, uint64_t live, unsigned n_quads) {
	const struct frag_gas_target t = *at; /* stores of bytes may alias it: read it once */
	const vqi less = vqi_set1(t.relation & RELATION_LESS ? -1 : 0);
	const vqi equal = vqi_set1(t.relation & RELATION_EQUAL ? -1 : 0);
	const vqi greater = vqi_set1(t.relation & RELATION_GREATER ? -1 : 0);
	const vqi low = vqi_set1(0xFFFF);
	vqi max = vqi_zero();
	for (unsigned q = 0; q < n_quads; q++) {
		const unsigned lanes = (unsigned)(live >> 4 * q) & 15;
		if (!lanes) {
			continue;
		}
		const vqi covered = vqi_mask_from_bits(lanes);
		vqf factor = vqf_set1(1.0f);
		vqi adds = vqi_set1(t.relation == RELATION_NEVER ? 0 : -1);
		if (t.depth) {
			const vqi stored = load_depth(&t, q), incoming = vqi_load(z + 4 * q);
			const vqi behind = vqi_gt(stored, incoming);
			const vqi before = vqi_gt(incoming, stored);
			adds = vqi_or(vqi_or(vqi_and(behind, less), vqi_and(before, greater)),
					vqi_and(vqi_eq(incoming, stored), equal));
			const vqi distance = vqi_select(behind, vqi_sub(stored, incoming),
					vqi_sub(incoming, stored));
			factor = vqf_min(vqf_mul(vqf_from_vi(distance), vqf_set1(t.delta)), factor);
		}
		vqf density = vqf_div(vqf_from_vi(vqi_load_u16(red + 4 * q)), vqf_set1(255.0f));
		density = vqf_as_vi_bits(vqi_and(adds, vqi_as_vf_bits(density)));
		uint8_t *p = t.color + (size_t)t.color_px[q] * 4;
		const vqi word = vqi_loadu(p);
		const vqf old_plain = vq_density_from_half(vqi_and(word, low));
		const vqf old_attenuated = vq_density_from_half(vqi_srl(word, 16));
		const vqi plain = half_from_density(vqf_add(old_plain, density));
		const vqi attenuated = half_from_density(
				vqf_add(old_attenuated, vqf_mul(density, factor)));
		vqi_storeu(p, vqi_select(covered, vqi_or(plain, vqi_sll(attenuated, 16)), word));
		/* Values that are negative as 16 bits are not candidates. */
		const vqi counts = vqi_and(covered, vqi_gt(vqi_set1(0x8000), plain));
		max = vqi_max(max, vqi_and(counts, plain));
	}
	uint32_t each[VQ_LANES], most = 0;
	vqi_storeu(each, max);
	for (unsigned k = 0; k < VQ_LANES; k++) {
		most = each[k] > most ? each[k] : most;
	}
	return most;
}

static inline vf clamp1(vf x) {
	return vf_min(vf_max(x, vf_zero()), vf_set1(1.0f));
}

static inline vf intensity(const struct frag_gas_light *l, vf light, vf density) {
	const vf one = vf_set1(1.0f);
	const vf left = vf_mul(light, vf_sub(one, vf_mul(vf_set1(l->attenuation), density)));
	return vf_add(vf_mul(vf_sub(one, left), vf_set1(l->min)), vf_mul(left, vf_set1(l->max)));
}

/* Channel k of a table place. */
static inline vi table_color(vi difference, vi color, vf f, int k) {
	/* Shifts a signed byte to the top, then down, doubled. */
	const vi d = k == 0 ? vi_sll(difference, 24) : k == 1 ? vi_sll(difference, 16) :
			vi_sll(difference, 8);
	const vi c = k == 0 ? color : k == 1 ? vi_srl(color, 8) : vi_srl(color, 16);
	const vi twice = vi_sll(vi_sra(d, 24), 1);
	vf v = vf_add(vf_from_vi(vi_and(c, vi_set1(255))), vf_mul(vf_from_vi(twice), f));
	v = vf_min(vf_max(v, vf_zero()), vf_set1(255.0f));
	return vi_from_vf_trunc(vf_add(v, vf_set1(0.5f)));
}

/* Four lanes: red of the combiner, the two densities as halves. */
static inline void shade(vi out[4], vi red, vi plain, vi attenuated,
		const struct frag_gas_consts *gas, const struct frag_fog_consts *fog) {
	const vf inverse_max = vf_set1(gas->inverse_max);
	const vf d1 = clamp1(vf_mul(v_density_from_half(plain), inverse_max));
	const vf d2 = clamp1(vf_mul(v_density_from_half(attenuated), inverse_max));
	const vf d = gas->depth_density ? d2 : d1;
	const vf light = vf_div(vf_from_vi(red), vf_set1(255.0f));
	const vf planar = intensity(&gas->planar, light, d1);
	const vf view = intensity(&gas->view, vf_set1(gas->effect), d1);
	const vf x = vf_mul(gas->by_light ? clamp1(vf_add(planar, view)) : d, vf_set1(8.0f));
	const vi entry = vi_min(vi_from_vf_trunc(x), vi_set1(7));
	const vf f = vf_sub(x, vf_from_vi(entry));
	uint32_t at[VF_LANES];
	vi_storeu(at, vi_sll(entry, 2));
	const vi difference = vi_load_words((const uint8_t *)gas->lut, at, 4);
	const vi color = vi_load_words((const uint8_t *)(gas->lut + 8), at, 4);
	for (int k = 0; k < 3; k++) {
		out[k] = table_color(difference, color, f, k);
	}
	const vi keep = fog_factor(fog, clamp1(vf_mul(vf_set1(gas->attenuation), d)));
	out[3] = div2047(vi_add(vi_mul(keep, vi_set1(255)), vi_set1(1023)));
}

void VFN(frag_gas_shade)(uint16_t *dst, const struct plane_in in[2],
		const struct frag_gas_consts *gas, const struct frag_fog_consts *fog,
		unsigned n_lanes) {
	const size_t stride = in[1].stride;
	for (size_t i = 0; i < n_lanes; i += VH_LANES) {
		const uint16_t *texel = in[1].p + i;
		const vh red = vh_load(in[0].p + i);
		/* The word's bytes are A, B, G, R from the lowest. */
		const vh plain = vh_or(vh_load(texel + 3 * stride),
				vh_sll(vh_load(texel + 2 * stride), 8));
		const vh attenuated = vh_or(vh_load(texel + stride), vh_sll(vh_load(texel), 8));
		vi lo[4], hi[4];
		shade(lo, vi_widen_lo_u(red), vi_widen_lo_u(plain), vi_widen_lo_u(attenuated), gas,
				fog);
		shade(hi, vi_widen_hi_u(red), vi_widen_hi_u(plain), vi_widen_hi_u(attenuated), gas,
				fog);
		for (unsigned k = 0; k < 4; k++) {
			vh_store(dst + k * BATCH + i, vh_pack_u(lo[k], hi[k]));
		}
	}
}
