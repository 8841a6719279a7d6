/*
 * Clipping, viewport and culling. The planes, their order and every operation are fixed by
 * docs/fidelity.md 1 ("Geometry"); the sources of fact are in [fidelity: clipping, viewport,
 * culling].
 *
 *   plane   0    1    2    3    4    5    6
 *   d     w-x  w+x  w-y  w+y   -z  z+w  user       inside: d >= 0, planes 4 and 5: d >= -1e-8
 *
 * A comparison with NaN is false, so NaN is outside everywhere.
 */
#include "pica/geom/geom.h"

#include <math.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "core/base/fixed.h"
#include "pica/regs/regs.h"

enum { CLIP_FAR = 4, CLIP_NEAR = 5, CLIP_USER = 6, N_PLANES = 7 };

/*
 * 12.4, one sample in the middle; left edges and edges of least y draw it. [fidelity: fill-rule]
 */
#define PICA_RULE(f) { .subpixel_bits = 4, .n_samples = 1, .flip = (f), .tie_x = 1, .tie_y = 1, \
	.sample = { { 8, 8 } }, .first = { 8, 8 }, .last = { 8, 8 } }
const struct raster_rule pica_rule[2] = { PICA_RULE(false), PICA_RULE(true) };

void geom_state_from_regs(struct geom_state *g, const uint32_t *regs) {
	memset(g, 0, sizeof(*g));
	g->half_w = f24_to_f32(regs[REG_VIEWPORT_WIDTH]);
	g->half_h = f24_to_f32(regs[REG_VIEWPORT_HEIGHT]);
	uint32_t xy = regs[REG_VIEWPORT_XY];
	g->off_x = sign_extend(VIEWPORT_XY_X(xy), 10);
	g->off_y = sign_extend(VIEWPORT_XY_Y(xy), 10);
	g->cull = (uint8_t)FACECULLING_CONFIG_MODE(regs[REG_FACECULLING_CONFIG]);
	g->clip_enabled = FRAGOP_CLIP_ENABLE(regs[REG_FRAGOP_CLIP]) != 0;
	g->flat = RASTER_FLAT_ENABLE(regs[REG_RASTER_FLAT]) != 0;
	uint32_t dim = regs[REG_FRAMEBUFFER_DIM];
	/* Row 0 of memory is the top: rows run against window y. [fidelity: row-order] */
	g->flip = FRAMEBUFFER_DIM_NO_FLIP(dim) != 0;
	g->height = FRAMEBUFFER_DIM_HEIGHT_M1(dim) + 1;
	for (unsigned k = 0; k < 4; k++) {
		g->clip_plane[k] = f24_to_f32(regs[REG_FRAGOP_CLIP_DATA0 + k]);
	}
}

static float distance(const struct geom_state *g, unsigned plane, const float p[4]) {
	switch (plane) {
	case 0:
		return p[3] - p[0];
	case 1:
		return p[3] + p[0];
	case 2:
		return p[3] - p[1];
	case 3:
		return p[3] + p[1];
	case CLIP_FAR:
		return -p[2];
	case CLIP_NEAR:
		return p[2] + p[3];
	default:
		return ((g->clip_plane[0] * p[0] + g->clip_plane[1] * p[1]) +
				       g->clip_plane[2] * p[2]) +
				g->clip_plane[3] * p[3];
	}
}

/*
 * Clients draw at exactly z = 0; binary32 gives tiny positive values there. [fidelity: clipping]
 */
static bool is_inside(unsigned plane, float d) {
	return d >= (plane == CLIP_FAR || plane == CLIP_NEAR ? -1e-8f : 0.0f);
}

static unsigned n_planes(const struct geom_state *g) {
	return g->clip_enabled ? N_PLANES : CLIP_USER;
}

unsigned clip_code(const struct geom_state *g, const struct clip_vertex *v) {
	const float *p = v->pos;
	unsigned code = !(p[3] - p[0] >= 0.0f);
	code |= (unsigned)!(p[3] + p[0] >= 0.0f) << 1;
	code |= (unsigned)!(p[3] - p[1] >= 0.0f) << 2;
	code |= (unsigned)!(p[3] + p[1] >= 0.0f) << 3;
	code |= (unsigned)!(-p[2] >= -1e-8f) << CLIP_FAR;
	code |= (unsigned)!(p[2] + p[3] >= -1e-8f) << CLIP_NEAR;
	if (g->clip_enabled) {
		code |= (unsigned)!(distance(g, CLIP_USER, p) >= 0.0f) << CLIP_USER;
	}
	return code;
}

/* Half away from zero, as roundf, in exact steps that the vector version has too. */
static float round_half_away(float x) {
	float t = truncf(x);
	return fabsf(x - t) >= 0.5f ? t + (x < 0.0f ? -1.0f : 1.0f) : t;
}

bool project(const struct geom_state *g, const struct clip_vertex *v, struct vert *out) {
	float iw = 1.0f / v->pos[3];
	float sx = (v->pos[0] * iw + 1.0f) * g->half_w + (float)g->off_x;
	float sy = (v->pos[1] * iw + 1.0f) * g->half_h + (float)g->off_y;
	float x = round_half_away(sx * 16.0f);
	float y = round_half_away(sy * 16.0f);
	if (!(v->pos[3] > 0.0f && fabsf(x) < 32768.0f && fabsf(y) < 32768.0f)) {
		memset(out, 0, sizeof(*out));
		return false;
	}
	out->x_fx = (int32_t)x;
	out->y_fx = g->flip ? 16 * (int32_t)g->height - (int32_t)y : (int32_t)y;
	out->a[PLANE_IW] = iw;
	out->a[PLANE_Z] = v->pos[2] * iw;
	for (unsigned p = PLANE_COLOR; p < PLANE_COUNT; p++) {
		float a = v->a[p - PLANE_COLOR];
		out->a[p] = g->flat && p < PLANE_TC0 ? a : a * iw;
	}
	return true;
}

/* P + t * (C - P) for the position and every attribute. */
static void intersect(struct clip_vertex *out, const struct clip_vertex *p,
		const struct clip_vertex *c, float dp, float dc) {
	float t = dp / (dp - dc);
	for (unsigned k = 0; k < 4; k++) {
		out->pos[k] = p->pos[k] + t * (c->pos[k] - p->pos[k]);
	}
	for (unsigned k = 0; k < CLIP_ATTRIBUTES; k++) {
		out->a[k] = p->a[k] + t * (c->a[k] - p->a[k]);
	}
}

/* One plane of Sutherland-Hodgman: in[0..n-1] -> out. Returns the new count, 0 also if too long. */
static unsigned clip_plane(unsigned plane, const float *d, const struct clip_vertex *in, unsigned n,
		struct clip_vertex *out) {
	unsigned m = 0;
	unsigned prev = n - 1;
	for (unsigned cur = 0; cur < n; cur++) {
		bool cur_inside = is_inside(plane, d[cur]);
		if (m + 2 > CLIP_MAX_VERTICES) {
			return 0;
		}
		if (cur_inside != is_inside(plane, d[prev])) {
			intersect(&out[m++], &in[prev], &in[cur], d[prev], d[cur]);
		}
		if (cur_inside) {
			out[m++] = in[cur];
		}
		prev = cur;
	}
	return m;
}

unsigned clip_polygon(const struct geom_state *g, const struct clip_vertex *const v[3],
		unsigned planes, struct clip_vertex out[CLIP_MAX_VERTICES]) {
	struct clip_vertex other[CLIP_MAX_VERTICES];
	struct clip_vertex *from = out, *to = other;
	unsigned n = 3;
	for (unsigned i = 0; i < 3; i++) {
		out[i] = *v[i];
	}
	/*
	 * Before the first plane that cuts, all is inside. Behind it every plane is looked at,
	 * whatever the corners' codes: rounding may put a new vertex outside of a plane that holds
	 * all corners.
	 */
	unsigned first = planes ? ctz32(planes) : N_PLANES;
	for (unsigned plane = first; plane < n_planes(g) && n > 0; plane++) {
		float d[CLIP_MAX_VERTICES];
		bool all = true;
		for (unsigned i = 0; i < n; i++) {
			d[i] = distance(g, plane, from[i].pos);
			all = all && is_inside(plane, d[i]);
		}
		if (all) {
			continue;
		}
		n = clip_plane(plane, d, from, n, to);
		struct clip_vertex *swap = from;
		from = to;
		to = swap;
	}
	for (unsigned i = 0; i < n; i++) {
		if (!(from[i].pos[3] > 0.0f)) {
			return 0;
		}
	}
	if (from != out) {
		memcpy(out, from, n * sizeof(*out));
	}
	return n;
}

int64_t window_area2(const struct geom_state *g, const struct vert *a, const struct vert *b,
		const struct vert *c) {
	int64_t area2 = (int64_t)(b->x_fx - a->x_fx) * (c->y_fx - a->y_fx) -
			(int64_t)(b->y_fx - a->y_fx) * (c->x_fx - a->x_fx);
	return g->flip ? -area2 : area2;
}

static bool points_away(const struct clip_vertex *v, const struct clip_vertex *from) {
	const float *p = &v->a[PLANE_QUAT - PLANE_COLOR], *q = &from->a[PLANE_QUAT - PLANE_COLOR];
	return ((p[0] * q[0] + p[1] * q[1]) + p[2] * q[2]) + p[3] * q[3] < 0.0f;
}

unsigned quaternion_flips(const struct clip_vertex *v0, const struct clip_vertex *v1,
		const struct clip_vertex *v2) {
	return (unsigned)points_away(v1, v0) << 1 | (unsigned)points_away(v2, v0) << 2;
}

bool cull_keeps(const struct geom_state *g, int64_t area2) {
	switch (g->cull) {
	case 1: /* front faces, counter-clockwise, go */
		return area2 < 0;
	case 2: /* back faces go */
		return area2 > 0;
	default: /* 3 as 0 [DISPUTED; fidelity: culling] */
		return area2 != 0;
	}
}
