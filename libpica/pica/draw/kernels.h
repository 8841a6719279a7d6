/*
 * All kernels of one instruction set: the rooms' tables side by side. Never written after creation.
 */
#ifndef DRAW_KERNELS_H
#define DRAW_KERNELS_H

#include "pica.h"

#include "core/vec/cpu.h"
#include "pica/frag/frag.h"
#include "pica/geom/geom.h"
#include "pica/shader/shader.h"
#include "pica/tex/tex.h"
#include "pica/xfer/xfer.h"

struct kernels {
	enum isa isa;
	struct tex_kernels tex;
	struct shader_kernels shader;
	struct geom_kernels geom;
	struct xfer_kernels xfer;
	const struct frag_kernels *frag; /* static */
};

void kernels_init(struct kernels *k, enum isa isa, enum pica_combiner combiner);
const struct frag_kernels *kernels_frag(enum isa isa, enum pica_combiner combiner);

#endif
