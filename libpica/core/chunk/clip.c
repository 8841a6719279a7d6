/* Clipping, viewport and culling. A comparison with NaN is false, so NaN is outside everywhere. */
#include "core/chunk/clip.h"

#include <math.h>
#include <string.h>

#include "core/base/attributes.h"

static float distance(const struct geom_state *g, const struct clip_plane *plane,
		const float p[4]) {
	switch ((enum clip_form)plane->form) {
	case CLIP_W_MINUS:
		return p[3] - p[plane->axis];
	case CLIP_W_PLUS:
		return p[3] + p[plane->axis];
	case CLIP_MINUS:
		return -p[plane->axis];
	case CLIP_USER:
		break;
	}
	return ((g->clip_plane[0] * p[0] + g->clip_plane[1] * p[1]) + g->clip_plane[2] * p[2]) +
			g->clip_plane[3] * p[3];
}

static unsigned n_planes(const struct geom_state *g) {
	const unsigned n = g->rule->n_clip_planes;
	return n && g->rule->clip_plane[n - 1].form == CLIP_USER && !g->clip_enabled ? n - 1 : n;
}

unsigned clip_code(const struct geom_state *g, const struct clip_vertex *v) {
	unsigned code = 0;
	for (unsigned i = 0; i < n_planes(g); i++) {
		const struct clip_plane *plane = &g->rule->clip_plane[i];
		code |= (unsigned)!(distance(g, plane, v->pos) >= plane->least) << i;
	}
	return code;
}

/* Rounds halves away from zero, as roundf, in exact steps that the vector version also uses. */
static float round_half_away(float x) {
	float t = truncf(x);
	return fabsf(x - t) >= 0.5f ? t + (x < 0.0f ? -1.0f : 1.0f) : t;
}

bool project(const struct geom_state *g, const struct clip_vertex *v, struct vert *out) {
	float iw = 1.0f / v->pos[3];
	const float bias = g->rule->viewport_bias;
	const int32_t pixel = 1 << g->rule->subpixel_bits;
	float sx = (v->pos[0] * iw + bias) * g->half_w + (float)g->off_x;
	float sy = (v->pos[1] * iw + bias) * g->half_h + (float)g->off_y;
	float x = round_half_away(sx * (float)pixel);
	float y = round_half_away(sy * (float)pixel);
	if (!(v->pos[3] > 0.0f && fabsf(x) < 32768.0f && fabsf(y) < 32768.0f)) {
		memset(out, 0, sizeof(*out));
		return false;
	}
	out->x_fx = (int32_t)x;
	out->y_fx = g->rule->flip ? pixel * (int32_t)g->height - (int32_t)y : (int32_t)y;
	out->a[PLANE_IW] = iw;
	out->a[PLANE_Z] = v->pos[2] * iw;
	for (unsigned p = PLANE_USER; p < PLANE_MAX; p++) {
		float a = v->a[p - PLANE_USER];
		out->a[p] = g->flat >> p & 1 ? a : a * iw;
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
static unsigned cut(float least, const float *d, const struct clip_vertex *in, unsigned n,
		struct clip_vertex *out) {
	unsigned m = 0;
	unsigned prev = n - 1;
	for (unsigned cur = 0; cur < n; cur++) {
		bool cur_inside = d[cur] >= least;
		if (m + 2 > CLIP_MAX_VERTICES) {
			return 0;
		}
		if (cur_inside != (d[prev] >= least)) {
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
	 * Before the first plane that cuts, all corners are inside. From there on every plane is
	 * tested, regardless of the corners' codes: rounding may put a new vertex outside a plane
	 * although all corners are inside.
	 */
	unsigned first = planes ? ctz32(planes) : CLIP_PLANES;
	for (unsigned i = first; i < n_planes(g) && n > 0; i++) {
		const struct clip_plane *plane = &g->rule->clip_plane[i];
		float d[CLIP_MAX_VERTICES];
		bool all = true;
		for (unsigned k = 0; k < n; k++) {
			d[k] = distance(g, plane, from[k].pos);
			all = all && d[k] >= plane->least;
		}
		if (all) {
			continue;
		}
		n = cut(plane->least, d, from, n, to);
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
