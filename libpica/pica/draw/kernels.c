#include "pica/draw/kernels.h"

const struct frag_kernels *kernels_frag(enum isa isa, enum pica_combiner combiner) {
	return combiner == PICA_COMBINER_TRUNCATE ? frag_kernels_truncating(isa) :
			frag_kernels_for(isa);
}

void kernels_init(struct kernels *k, enum isa isa, enum pica_combiner combiner) {
	k->isa = isa;
	tex_kernels_init(&k->tex, isa);
	shader_kernels_init(&k->shader, isa);
	geom_kernels_init(&k->geom, isa);
	xfer_kernels_init(&k->xfer, isa);
	k->frag = kernels_frag(isa, combiner);
}
