#include "pica/shader/core.h"

void shader_kernels_init(struct shader_kernels *k, enum isa isa) {
	k->run[PICA_FLOAT_F24] = shader_run_c_f24;
	k->run[PICA_FLOAT_F32] = shader_run_c_f32;
	k->slice = NULL;
	k->run_slice = NULL;
	k->run_straight = NULL;
	ISA_INIT(shader, isa, k)
}
