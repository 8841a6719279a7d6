/* The room's kernel table. */
#include "core/raster/raster.h"

void raster_kernels_init(struct raster_kernels *k, enum isa isa) {
	*k = (struct raster_kernels){
		.setup = raster_setup_c,
		.cover_block = raster_cover_block_c,
		.cover_quads = raster_cover_quads_c,
		.cover_samples = raster_cover_samples_c,
		.steps = raster_steps_c,
		.bases = raster_bases_c,
		.interp_block = raster_interp_block_c,
		.attributes = raster_attributes_c,
		.interp_quads = raster_interp_quads_c,
		.perspective = raster_perspective_c,
	};
	ISA_INIT(raster, isa, k)
}
