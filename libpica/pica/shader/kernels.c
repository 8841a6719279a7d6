#include "pica/shader/core.h"

void shader_kernels_init(struct shader_kernels *k, enum isa isa) {
	k->run[PICA_FLOAT_F24] = shader_run_c_f24;
	k->run[PICA_FLOAT_F32] = shader_run_c_f32;
	switch (isa) {
	case ISA_C:
	case ISA_COUNT:
		break;
	case ISA_EMUL:
		shader_kernels_init_emul(k);
		break;
	case ISA_SSE41:
#ifdef HAVE_SSE41
		shader_kernels_init_sse41(k);
#endif
		break;
	}
}
