/*
 * Clipping, the viewport and culling of one triangle (fidelity: clipping, viewport, culling;
 * docs/fidelity.md 1).
 */
#include "naive_state.h"

#include <math.h>
#include <string.h>

#include "core/base/f24.h"
#include "core/base/fixed.h"
#include "pica/regs/regs.h"

enum {
	N_PLANES = 7,
	/*
	 * A convex polygon gains one vertex a plane. Rounding can make it slightly concave; even
	 * one whose vertices lie alternately inside and outside grows by half only: 3 4 6 9 13 19
	 * 28 42.
	 */
	MAX_POLYGON = 48,
};

static float distance(const struct naive *n, unsigned plane, const struct naive_vertex *v) {
	const float x = v->s[SEM_X], y = v->s[SEM_Y], z = v->s[SEM_Z], w = v->s[SEM_W];
	switch (plane) {
	case 0:
		return w - x;
	case 1:
		return w + x;
	case 2:
		return w - y;
	case 3:
		return w + y;
	case 4:
		return -z;
	case 5:
		return z + w;
	default: {
		const float a = f24_to_f32(n->regs[REG_FRAGOP_CLIP_DATA0]);
		const float b = f24_to_f32(n->regs[REG_FRAGOP_CLIP_DATA1]);
		const float c = f24_to_f32(n->regs[REG_FRAGOP_CLIP_DATA2]);
		const float d = f24_to_f32(n->regs[REG_FRAGOP_CLIP_DATA3]);
		return ((a * x + b * y) + c * z) + d * w;
	}
	}
}

/* NaN is outside. */
static bool is_inside(unsigned plane, float d) {
	return plane == 4 || plane == 5 ? d >= -1e-8f : d >= 0.0f;
}

static unsigned clip_plane(const struct naive *n, unsigned plane, const struct naive_vertex *in,
		unsigned count, struct naive_vertex *out) {
	unsigned m = 0;
	for (unsigned i = 0; i < count; i++) {
		const struct naive_vertex *p = &in[(i + count - 1) % count];
		const struct naive_vertex *c = &in[i];
		const float dp = distance(n, plane, p);
		const float dc = distance(n, plane, c);
		if (is_inside(plane, dp) != is_inside(plane, dc)) {
			const float t = dp / (dp - dc);
			for (unsigned k = 0; k < SEM_COUNT; k++) {
				out[m].s[k] = p->s[k] + t * (c->s[k] - p->s[k]);
			}
			m++;
		}
		if (is_inside(plane, dc)) {
			out[m++] = *c;
		}
	}
	return m;
}

static bool is_wholly_inside(const struct naive *n, const struct naive_vertex *v, unsigned planes) {
	for (unsigned plane = 0; plane < planes; plane++) {
		for (unsigned i = 0; i < 3; i++) {
			if (!is_inside(plane, distance(n, plane, &v[i]))) {
				return false;
			}
		}
	}
	return true;
}

/*
 * Returns whether all three vertices are outside one plane. With exact numbers clipping would find
 * that; but with the tolerance of the z planes an edge beyond z = 0 can "cross" that plane far
 * outside the edge, and bring back a triangle that another plane rejected.
 */
static bool is_wholly_outside(
	const struct naive *n, const struct naive_vertex *v, unsigned planes) {
	for (unsigned plane = 0; plane < planes; plane++) {
		unsigned inside = 0;
		for (unsigned i = 0; i < 3; i++) {
			inside += is_inside(plane, distance(n, plane, &v[i]));
		}
		if (inside == 0) {
			return true;
		}
	}
	return false;
}

/* False: not a number, or too far away to snap. */
static bool project(const struct naive *n, const struct naive_vertex *v,
		struct naive_screen_vertex *out) {
	const float half_w = f24_to_f32(n->regs[REG_VIEWPORT_WIDTH]);
	const float half_h = f24_to_f32(n->regs[REG_VIEWPORT_HEIGHT]);
	const uint32_t xy = n->regs[REG_VIEWPORT_XY];
	const float off_x = (float)sign_extend((uint32_t)VIEWPORT_XY_X(xy), 10);
	const float off_y = (float)sign_extend((uint32_t)VIEWPORT_XY_Y(xy), 10);
	const float iw = 1.0f / v->s[SEM_W];
	const float sx = (v->s[SEM_X] * iw + 1.0f) * half_w + off_x;
	const float sy = (v->s[SEM_Y] * iw + 1.0f) * half_h + off_y;
	const float x = roundf(sx * 16.0f), y = roundf(sy * 16.0f);
	if (!(fabsf(x) < 32768.0f) || !(fabsf(y) < 32768.0f)) {
		return false;
	}
	out->x = (int32_t)x;
	out->y = (int32_t)y;
	out->iw = iw;
	out->zow = v->s[SEM_Z] * iw;
	for (unsigned k = 0; k < SEM_COUNT; k++) {
		out->s[k] = v->s[k] * iw;
	}
	return true;
}

static bool is_culled(const struct naive *n, const struct naive_screen_vertex v[3]) {
	const int64_t area2 = (int64_t)(v[1].x - v[0].x) * (v[2].y - v[0].y) -
			(int64_t)(v[1].y - v[0].y) * (v[2].x - v[0].x);
	if (area2 == 0) {
		return true;
	}
	switch (FACECULLING_CONFIG_MODE(n->regs[REG_FACECULLING_CONFIG])) {
	case CULL_FRONT:
		return area2 > 0;
	case CULL_BACK:
		return area2 < 0;
	default:
		return false;
	}
}

/* Chooses between q and -q by vertex 0 [HW, fidelity: quaternion-sign]. */
static void turn_quaternion(struct naive_vertex *v, const struct naive_vertex *reference) {
	float *q = &v->s[SEM_QUAT];
	const float *r = &reference->s[SEM_QUAT];
	if (q[0] * r[0] + q[1] * r[1] + q[2] * r[2] + q[3] * r[3] < 0) {
		for (unsigned k = 0; k < 4; k++) {
			q[k] = -q[k];
		}
	}
}

static void draw(struct naive *n, const struct naive_vertex v[3], unsigned planes) {
	struct naive_vertex polygon[2][MAX_POLYGON];
	unsigned count = 3;
	unsigned now = 0;
	memcpy(polygon[0], v, 3 * sizeof(v[0]));
	if (is_wholly_outside(n, v, planes)) {
		return;
	}
	if (!is_wholly_inside(n, v, planes)) {
		for (unsigned plane = 0; plane < planes && count > 0; plane++) {
			count = clip_plane(n, plane, polygon[now], count, polygon[1 - now]);
			now = 1 - now;
		}
	}
	for (unsigned i = 0; i < count; i++) {
		if (!(polygon[now][i].s[SEM_W] > 0.0f)) {
			return;
		}
	}
	for (unsigned i = 1; i + 1 < count; i++) {
		struct naive_screen_vertex s[3];
		if (!project(n, &polygon[now][0], &s[0]) || !project(n, &polygon[now][i], &s[1]) ||
				!project(n, &polygon[now][i + 1], &s[2])) {
			n->stats.faults[PICA_FAULT_BAD_VERTEX]++;
			continue;
		}
		if (is_culled(n, s)) {
			naive_watch_culled(n, s);
			continue;
		}
		n->stats.set_up++;
		naive_raster(n, s, &v[2].s[SEM_COLOR]);
	}
}

void naive_triangle(struct naive *n, const struct naive_vertex assembled[3]) {
	struct naive_vertex v[3] = {assembled[0], assembled[1], assembled[2]};
	turn_quaternion(&v[1], &v[0]);
	turn_quaternion(&v[2], &v[0]);
	const unsigned planes =
		FRAGOP_CLIP_ENABLE(n->regs[REG_FRAGOP_CLIP]) ? N_PLANES : N_PLANES - 1;
	naive_watch_begin(n);
	draw(n, v, planes);
	struct naive_screen_vertex whole[3];
	bool is_whole = true;
	for (unsigned i = 0; i < 3; i++) {
		is_whole = is_whole && v[i].s[SEM_W] > 0.0f && project(n, &v[i], &whole[i]);
	}
	naive_watch_end(n, is_whole ? whole : NULL, is_wholly_inside(n, v, planes));
}
