#include "pica/geom/geom.h"
#include "pica/geom/tables.h"

void geom_kernels_init(struct geom_kernels *k, enum isa isa) {
	k->fetch = geom_fetch_c;
	k->project_batch = geom_project_batch_c;
	k->project_positions = NULL;
	ISA_INIT(geom, isa, k)
}
