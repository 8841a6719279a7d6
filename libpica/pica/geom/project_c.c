/* The steps after the shader in plain C: output map, clip code and viewport of a batch. */
#include <string.h>

#include "pica/geom/geom.h"
#include "pica/geom/tables.h"

void geom_project_batch_c(const struct geom_state *g, const struct out_map *m,
		const struct shader_batch *b, unsigned n, uint32_t planes_mask,
		struct clip_vertex *cv, struct vert *out, uint8_t *codes, uint8_t *ok) {
	for (unsigned lane = 0; lane < n; lane++) {
		struct clip_vertex v;
		struct vert projected;
		out_map_vertex(m, b, lane, &v);
		codes[lane] = (uint8_t)clip_code(g, &v);
		ok[lane] = project(g, &v, &projected);
		memcpy(cv[lane].pos, v.pos, sizeof(v.pos));
		out[lane].x_fx = projected.x_fx;
		out[lane].y_fx = projected.y_fx;
		const uint32_t written = project_planes(planes_mask) | 1 << PLANE_IW | 1 << PLANE_Z;
		for (unsigned p = 0; p < PLANE_MAX; p++) {
			if (written >> p & 1) {
				out[lane].a[p] = projected.a[p];
			}
			if (p >= PLANE_USER && written >> p & 1) {
				cv[lane].a[p - PLANE_USER] = v.a[p - PLANE_USER];
			}
		}
	}
}
