/* The copy engines' part of the kernel table. */
#include "pica/xfer/pixel.h"

void xfer_kernels_init(struct xfer_kernels *k, enum isa isa) {
	*k = *pixel_c();
	k->scanout = *scanout_c();
	ISA_INIT(xfer, isa, k)
}
