/* Clipping, viewport and culling; planes and their inclusiveness are the chip's rule. */
#ifndef CHUNK_CLIP_H
#define CHUNK_CLIP_H

#include "core/raster/raster.h"

/* A vertex in clip space: x y z w, then the planes from PLANE_USER on. */
enum { CLIP_ATTRIBUTES = PLANE_MAX - PLANE_USER };

struct clip_vertex {
	float pos[4];
	float a[CLIP_ATTRIBUTES]; /* a[p - PLANE_USER] */
};

/* Culled faces, by the sign of their area in window space. */
enum culling { CULLS_NONE, CULLS_POSITIVE, CULLS_NEGATIVE };

/* Bits of a vertex's code: the planes of the rule, or what clips a triangle, and never drops it. */
enum { CODE_PLANES = 0x7F, CODE_CLIPS = 0x80 };

struct geom_state {
	const struct raster_rule *rule;
	float half_w, half_h;   /* of the viewport, in pixels */
	int32_t off_x, off_y;
	uint8_t cull;           /* enum culling */
	bool clip_enabled;      /* the plane of form CLIP_USER is */
	uint32_t flat;          /* bit p: plane p keeps its plain value; as raster_state.flat */
	uint32_t height;        /* of the framebuffer */
	float clip_plane[4];
	/* Bits of codes that drop triangles, if all corners have them, but clip none. */
	uint8_t may_stay;
};

/*
 * Returns a word whose bit k is set if the vertex is outside plane k of the rule. NaN is outside.
 * [fidelity: clipping]
 */
unsigned clip_code(const struct geom_state *g, const struct clip_vertex *v);
/*
 * Applies the viewport transform and snaps into *out (memory rows). Returns false for NaN, for |X|
 * or |Y| >= 2^15 (window space), and for w <= 0: nothing may be drawn with the vertex, and *out is
 * undefined. In memory rows y_fx can reach the framebuffer's height + 2^15. Planes of g->flat are
 * not multiplied by 1/w: all corners have the values of the assembled triangle's third vertex.
 */
bool project(const struct geom_state *g, const struct clip_vertex *v, struct vert *out);

enum { CLIP_MAX_VERTICES = 12 };

/*
 * Clips triangle (v[0], v[1], v[2]) against all planes in order; planes is (code0|code1|code2) and
 * says where to begin. Returns the number of vertices of the polygon in out (0: nothing left, or
 * some w is not positive). Fan (0, i, i+1) gives the triangles. A polygon that rounding makes
 * longer than CLIP_MAX_VERTICES (a convex one has at most 3 + 7) is dropped.
 */
unsigned clip_polygon(const struct geom_state *g, const struct clip_vertex *const v[3],
		unsigned planes, struct clip_vertex out[CLIP_MAX_VERTICES]);
/* Twice the signed area in window space (y up) from records in memory rows. */
static inline int64_t window_area2(const struct geom_state *g, const struct vert *a,
		const struct vert *b, const struct vert *c) {
	const int64_t area2 = (int64_t)(b->x_fx - a->x_fx) * (c->y_fx - a->y_fx) -
			(int64_t)(b->y_fx - a->y_fx) * (c->x_fx - a->x_fx);
	return g->rule->flip ? -area2 : area2;
}

/* Returns true if a triangle of that area is drawn. */
static inline bool cull_keeps(const struct geom_state *g, int64_t area2) {
	switch ((enum culling)g->cull) {
	case CULLS_POSITIVE:
		return area2 < 0;
	case CULLS_NEGATIVE:
		return area2 > 0;
	case CULLS_NONE:
		break;
	}
	return area2 != 0;
}

#endif
