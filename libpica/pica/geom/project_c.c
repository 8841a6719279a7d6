/* The steps after the shader in plain C: output map, clip code and viewport of a batch. */
#include "pica/geom/geom.h"
#include "pica/geom/tables.h"

void geom_project_batch_c(const struct geom_state *g, const struct out_map *m,
		const struct shader_batch *b, unsigned n, uint32_t planes_mask,
		struct clip_vertex *cv, struct vert *out, uint8_t *codes, uint8_t *ok) {
	for (unsigned lane = 0; lane < n; lane++) {
		out_map_vertex(m, b, lane, &cv[lane]);
		codes[lane] = (uint8_t)clip_code(g, &cv[lane]);
		ok[lane] = project(g, &cv[lane], &out[lane]);
		for (unsigned p = PLANE_COLOR; p < PLANE_COUNT; p++) {
			if (!(planes_mask >> p & 1)) {
				out[lane].a[p] = 0.0f;
			}
		}
	}
}
