#include "pica/geom/geom.h"
#include "pica/geom/tables.h"

void geom_kernels_init(struct geom_kernels *k, enum isa isa) {
	k->fetch = geom_fetch_c;
	k->fetch_arrays = geom_fetch_arrays_c;
	k->project_batch = geom_project_batch_c;
	switch (isa) {
	case ISA_C:
	case ISA_COUNT:
		break;
	case ISA_EMUL:
		geom_kernels_init_emul(k);
		break;
	case ISA_SSE41:
#ifdef HAVE_SSE41
		geom_kernels_init_sse41(k);
#endif
		break;
	}
}
