/* Private to the room: what its vector sources share. */
#ifndef TEX_VECTOR_H
#define TEX_VECTOR_H

#include "core/vec/vec.h"
#include "pica/tex/private.h"

/* Lanes come in fours, and so do the lanes of vf: no loop over lanes has a rest. */
_Static_assert(VF_LANES == 4 && VH_LANES == 8, "a wider set needs a rest here");

/* tex_limit_coord() of each lane. */
static inline vf limit_coord(vf x) {
	x = vf_and(x, vf_as_vi_bits(vf_le(vf_abs(x), vf_set1(FLT_MAX))));
	return vf_min(vf_max(x, vf_set1(-TEX_COORD_LIMIT)), vf_set1(TEX_COORD_LIMIT));
}

#endif
