/* Private to the room: shared by its vector sources. */
#ifndef TEX_VECTOR_H
#define TEX_VECTOR_H

#include "core/vec/vec.h"
#include "pica/tex/private.h"

/* Set the slots of sample_v.c and sample_w_v.c. Called by decode_v.c. */
void VFN(tex_sample_kernels_init)(struct tex_kernels *k);
void VFN(tex_sample_w_kernels_init)(struct tex_kernels *k);

/* NaN becomes the lower limit. */
static inline vf clamp_coord(vf x) {
	return vf_min(vf_max(x, vf_set1(-TEX_COORD_LIMIT)), vf_set1(TEX_COORD_LIMIT));
}

/* tex_limit_coord() of each lane. */
static inline vf limit_coord(vf x) {
	return clamp_coord(vf_and(x, vf_as_vi_bits(vf_le(vf_abs(x), vf_set1(FLT_MAX)))));
}

#endif
