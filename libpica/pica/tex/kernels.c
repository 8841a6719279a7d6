#include "pica/tex/private.h"

#include "pica/regs/regs.h"

/* The C kernels first, then those of the instruction set. */
void tex_kernels_init(struct tex_kernels *k, enum isa isa) {
#define TEX_FORMAT(id, name, bits) k->decode[id] = tex_decode_##name##_c;
#include "pica/tex/formats.def"
#undef TEX_FORMAT
	k->nearest = tex_nearest_c;
	k->bilinear = tex_bilinear_c;
	k->mip_blend = tex_mip_blend_c;
	k->project = tex_project_c;
	k->cube = tex_cube_c;
	k->shadow = tex_shadow_c;
	ISA_INIT(tex, isa, k)
}
