/* The room's kernel table. */
#include "core/raster/raster.h"

void raster_kernels_init(struct raster_kernels *k, enum isa isa) {
	*k = (struct raster_kernels){
		.setup = raster_setup_c,
		.cover_block = raster_cover_block_c,
		.cover_quad = raster_cover_quad_c,
		.cover_samples = raster_cover_samples_c,
		.interp_block = raster_interp_block_c,
		.steps = raster_steps_c,
		.interp_steps = raster_interp_steps_c,
		.interp_quads = raster_interp_quads_c,
		.perspective = raster_perspective_c,
	};
	switch (isa) {
	case ISA_C:
	case ISA_COUNT:
		break;
	case ISA_EMUL:
		raster_kernels_init_emul(k);
		break;
	case ISA_SSE41:
#ifdef HAVE_SSE41
		raster_kernels_init_sse41(k);
#endif
		break;
	}
}
