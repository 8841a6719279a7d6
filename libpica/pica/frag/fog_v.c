/* Fog, in vectors; see fog_c.c. */
#include "pica/frag/fog_vector.h"
#include "pica/frag/kernels.h"

void VFN(frag_fog)(uint16_t *dst, const struct plane_in *rgb, const float *depth,
		const struct frag_fog_consts *fog, unsigned n_lanes) {
	const vi half = vi_set1(1023);
	const vh colors[3] = { vh_set1(fog->color[0]), vh_set1(fog->color[1]),
		vh_set1(fog->color[2]) };
	for (size_t i = 0; i < n_lanes; i += VH_LANES) {
		const vh keep = vh_pack_u(fog_factor(fog, vf_load(depth + i)),
				fog_factor(fog, vf_load(depth + i + VF_LANES)));
		const vh lose = vh_sub(vh_set1(2047), keep);
		const vh weight_lo = vh_zip_lo(keep, lose), weight_hi = vh_zip_hi(keep, lose);
		for (unsigned k = 0; k < 3; k++) {
			const vh c = vh_load(rgb->p + k * rgb->stride + i);
			const vi lo = vi_madd_s(vh_zip_lo(c, colors[k]), weight_lo);
			const vi hi = vi_madd_s(vh_zip_hi(c, colors[k]), weight_hi);
			vh_store(dst + k * BATCH + i, vh_pack_zipped(
					div2047(vi_add(lo, half)), div2047(vi_add(hi, half))));
		}
	}
}
