/*
 * Fog, in vectors. fog_c.c says what and why.
 *
 * A sum of products is at most 2047*255 + 1023, and t/2047 = (t + (t >> 11) + 1) >> 11 for all t up
 * to there (a test checks each).
 */
#include "frag/kernels.h"
#include "vec/vec.h"

_Static_assert(16 % VH_LANES == 0, "a vector must divide the lane granule");

/* 0..2047 for VF_LANES depths. */
static inline vi factor(const struct frag_fog_consts *fog, const float *depth) {
	const vf one_below = vf_set1(FRAG_FOG_ENTRIES - 1);
	vf x = vf_add(vf_set1(fog->offset), vf_mul(vf_load(depth), vf_set1(fog->scale)));
	x = vf_min(vf_max(x, vf_zero()), vf_set1(FRAG_FOG_ENTRIES));
	const vi i = vi_from_vf_trunc(vf_min(x, one_below));
	const vf f = vf_sub(x, vf_from_vi(i));
	uint32_t at[VF_LANES];
	vi_storeu(at, vi_sll(i, 2));
	const vi word = vi_load_words((const uint8_t *)fog->table, at, 4);
	const vf value = vf_from_vi(vi_and(vi_srl(word, 13), vi_set1(0x7FF)));
	const vf difference = vf_from_vi(vi_sra(vi_sll(word, 19), 19));
	vf v = vf_add(value, vf_mul(difference, f));
	v = vf_min(vf_max(v, vf_zero()), vf_set1(2047.0f));
	return vi_from_vf_trunc(vf_add(v, vf_set1(0.5f)));
}

static inline vi div2047(vi t) {
	return vi_srl(vi_add(vi_add(t, vi_srl(t, 11)), vi_set1(1)), 11);
}

void VFN(frag_fog)(uint16_t *dst, const struct plane_in *rgb, const float *depth,
		const struct frag_fog_consts *fog, unsigned n_lanes) {
	const vi half = vi_set1(1023);
	const vh colors[3] = { vh_set1(fog->color[0]), vh_set1(fog->color[1]),
		vh_set1(fog->color[2]) };
	for (unsigned i = 0; i < n_lanes; i += VH_LANES) {
		const vh keep = vh_pack_u(factor(fog, depth + i), factor(fog, depth + i + VF_LANES));
		const vh lose = vh_sub(vh_set1(2047), keep);
		const vh weight_lo = vh_zip_lo(keep, lose), weight_hi = vh_zip_hi(keep, lose);
		for (unsigned k = 0; k < 3; k++) {
			const vh c = vh_load(rgb->p + k * rgb->stride + i);
			const vi lo = vi_madd_s(vh_zip_lo(c, colors[k]), weight_lo);
			const vi hi = vi_madd_s(vh_zip_hi(c, colors[k]), weight_hi);
			vh_store(dst + k * BATCH + i, vh_pack_u(div2047(vi_add(lo, half)),
					div2047(vi_add(hi, half))));
		}
	}
}
