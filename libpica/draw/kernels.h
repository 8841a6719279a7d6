/*
 * All kernels of one instruction set: the rooms' tables side by side. Never written after creation.
 */
#ifndef DRAW_KERNELS_H
#define DRAW_KERNELS_H

#include "pica.h"

#include "frag/frag.h"
#include "geom/geom.h"
#include "raster/raster.h"
#include "shader/shader.h"
#include "tex/tex.h"
#include "vec/cpu.h"
#include "xfer/xfer.h"

struct kernels {
	enum isa isa;
	struct raster_kernels raster;
	struct tex_kernels tex;
	struct shader_kernels shader;
	struct geom_kernels geom;
	struct xfer_kernels xfer;
	const struct frag_kernels *frag; /* static */
};

void kernels_init(struct kernels *k, enum isa isa, enum pica_combiner combiner);
const struct frag_kernels *kernels_frag(enum isa isa, enum pica_combiner combiner);

#endif
