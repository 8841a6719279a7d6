/* The copy engines' part of the kernel table. */
#include "pica/xfer/pixel.h"

void xfer_kernels_init(struct xfer_kernels *k, enum isa isa) {
	*k = *pixel_c();
	k->scanout = *scanout_c();
	switch (isa) {
	case ISA_C:
	case ISA_COUNT:
		break;
	case ISA_EMUL:
		xfer_kernels_init_emul(k);
		scanout_kernels_init_emul(&k->scanout);
		break;
	case ISA_SSE41:
#ifdef HAVE_SSE41
		xfer_kernels_init_sse41(k);
		scanout_kernels_init_sse41(&k->scanout);
#endif
		break;
	}
}
