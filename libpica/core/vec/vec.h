/*
 * The vector vocabulary. A `*_v.c` file includes this header and is compiled once per instruction
 * set with -DVEC_SSE41 or -DVEC_EMUL; VFN(name) pastes the set's name on its one public function.
 *
 * Types:   vf   VF_LANES binary32         (4 on SSE4.1)
 *          vi   VF_LANES int32
 *          vh   VH_LANES 16-bit integers  (2 * VF_LANES)
 *          vb   VB_LANES bytes            (4 * VF_LANES)
 * Lane 0 lies at the lowest address. "Mask" is a lane of all ones or all zeros.
 *
 * Every operation means the same in each header, to the bit:
 *   add sub mul div sqrt   IEEE 754, round to nearest, no contraction
 *   vf_min(a,b) = a < b ? a : b       vf_max(a,b) = a > b ? a : b   (so b when either is NaN)
 *   vf_lt .. vf_neq        ordered comparisons, false with NaN; vf_neq true with NaN
 *   vi_from_vf_trunc       toward zero; lanes must lie in int32 range (clamp before)
 *   vf_from_vi             rounds to nearest
 *   *_select(m,a,b)        m ? a : b, lane-wise; m is a full mask
 *   shifts                 by an immediate smaller than the lane
 */
#ifndef VEC_VEC_H
#define VEC_VEC_H

#include <stdint.h>
#include <string.h>

#define VEC_PASTE2(a, b) a##_##b
#define VEC_PASTE(a, b) VEC_PASTE2(a, b)
#define VFN(name) VEC_PASTE(name, VEC_NAME)

#if defined(VEC_SSE41)
#include "core/vec/vec_sse41.h"
#elif defined(VEC_EMUL)
#include "core/vec/vec_emul.h"
#else
#error "compile vector sources with -DVEC_<ISA>"
#endif

#endif
