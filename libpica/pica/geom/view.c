/*
 * The PICA's rule of clipping and rasterising, and the view volume of a draw. The planes, their
 * order and every operation are fixed by docs/fidelity.md 1 ("Geometry") [fidelity: clipping,
 * viewport, culling].
 *
 *   plane   0    1    2    3    4    5    6
 *   d     w-x  w+x  w-y  w+y   -z  w+z  user       inside: d >= 0, planes 4 and 5: d >= -1e-8
 */
#include "pica/geom/geom.h"

#include <string.h>

#include "core/base/f24.h"
#include "core/base/fixed.h"
#include "pica/regs/regs.h"

/*
 * 12.4, one sample in the middle; left edges and edges of lowest y are inclusive. [fidelity:
 * fill-rule] Clients draw at exactly z = 0, where binary32 gives tiny positive values. [fidelity:
 * clipping]
 */
#define PICA_RULE(f) { .subpixel_bits = 4, .n_samples = 1, .flip = (f), .tie_x = 1, .tie_y = 1, \
	.sample = { { 8, 8 } }, .first = { 8, 8 }, .last = { 8, 8 }, .viewport_bias = 1.0f, \
	.n_clip_planes = 7, .clip_plane = { { CLIP_W_MINUS, 0, 0.0f }, { CLIP_W_PLUS, 0, 0.0f }, \
		{ CLIP_W_MINUS, 1, 0.0f }, { CLIP_W_PLUS, 1, 0.0f }, { CLIP_MINUS, 2, -1e-8f }, \
		{ CLIP_W_PLUS, 2, -1e-8f }, { CLIP_USER, 0, 0.0f } } }
const struct raster_rule pica_rule[2] = { PICA_RULE(false), PICA_RULE(true) };

void geom_state_from_regs(struct geom_state *g, const uint32_t *regs) {
	memset(g, 0, sizeof(*g));
	g->half_w = f24_to_f32(regs[REG_VIEWPORT_WIDTH]);
	g->half_h = f24_to_f32(regs[REG_VIEWPORT_HEIGHT]);
	uint32_t xy = regs[REG_VIEWPORT_XY];
	g->off_x = sign_extend(VIEWPORT_XY_X(xy), 10);
	g->off_y = sign_extend(VIEWPORT_XY_Y(xy), 10);
	/* 1 drops front faces (counter-clockwise); 3 as 0. [DISPUTED; fidelity: culling] */
	const unsigned cull = FACECULLING_CONFIG_MODE(regs[REG_FACECULLING_CONFIG]);
	g->cull = (uint8_t)(cull == 1 ? CULLS_POSITIVE : cull == 2 ? CULLS_NEGATIVE : CULLS_NONE);
	g->clip_enabled = FRAGOP_CLIP_ENABLE(regs[REG_FRAGOP_CLIP]) != 0;
	g->flat = RASTER_FLAT_ENABLE(regs[REG_RASTER_FLAT]) ? PLANES_COLOR : 0;
	uint32_t dim = regs[REG_FRAMEBUFFER_DIM];
	/* Row 0 of memory is the top: rows run against window y. [fidelity: row-order] */
	g->rule = &pica_rule[FRAMEBUFFER_DIM_NO_FLIP(dim) != 0];
	g->height = FRAMEBUFFER_DIM_HEIGHT_M1(dim) + 1;
	for (unsigned k = 0; k < 4; k++) {
		g->clip_plane[k] = f24_to_f32(regs[REG_FRAGOP_CLIP_DATA0 + k]);
	}
}

static bool points_away(const struct clip_vertex *v, const struct clip_vertex *from) {
	const float *p = &v->a[PLANE_QUAT - PLANE_COLOR], *q = &from->a[PLANE_QUAT - PLANE_COLOR];
	return ((p[0] * q[0] + p[1] * q[1]) + p[2] * q[2]) + p[3] * q[3] < 0.0f;
}

unsigned quaternion_flips(const struct clip_vertex *v0, const struct clip_vertex *v1,
		const struct clip_vertex *v2) {
	return (unsigned)points_away(v1, v0) << 1 | (unsigned)points_away(v2, v0) << 2;
}
