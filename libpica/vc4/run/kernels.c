#include "vc4/run/machine.h"

void qpu_kernels_init(struct qpu_kernels *k, enum isa isa) {
	sfu_init();
	k->run = qpu_run_c;
	k->run_wide = NULL;
	ISA_INIT(qpu, isa, k)
}
