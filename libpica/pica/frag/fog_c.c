/*
 * Fog, in plain C: the truth. [fidelity: fog]
 *
 * The table is indexed by the fragment's depth as for the depth buffer, before conversion to an
 * integer.
 */
#include "pica/frag/fog.h"
#include "pica/frag/kernels.h"

void frag_fog_c(uint16_t *dst, const struct plane_in *rgb, const float *depth,
		const struct frag_fog_consts *fog, unsigned n_lanes) {
	for (unsigned i = 0; i < n_lanes; i++) {
		const int32_t keep = frag_fog_factor(fog, depth[i]);
		for (unsigned k = 0; k < 3; k++) {
			/* Rounded to nearest. [REC, fidelity: fog] */
			const int32_t c = rgb->p[k * rgb->stride + i];
			const int32_t sum = keep * c + (FRAG_FOG_ONE - keep) * fog->color[k];
			dst[k * BATCH + i] = (uint16_t)((sum + FRAG_FOG_ONE / 2) / FRAG_FOG_ONE);
		}
	}
}
