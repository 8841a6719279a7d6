/* The plain C kernels, for kernels.c. */
#ifndef GEOM_TABLES_H
#define GEOM_TABLES_H

#include "pica/geom/geom.h"

void geom_fetch_c(const struct fetch_layout *l, const struct space *space, const uint32_t *index,
		unsigned n, enum pica_float mode, struct shader_batch *b, uint64_t *outside);
void geom_project_batch_c(const struct geom_state *g, const struct out_map *m,
		const struct shader_batch *b, unsigned n, uint32_t planes_mask,
		struct clip_vertex *cv, struct vert *out, uint8_t *codes, uint8_t *ok);
/* Fills the slots of project_v.c; called by geom_kernels_init_<set>() in fetch_v.c. */
#define GEOM_PROJECT_INIT(id, set, arg) void geom_project_init_##set(struct geom_kernels *k);
ISA_BUILT(GEOM_PROJECT_INIT, )

#endif
