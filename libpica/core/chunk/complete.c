/*
 * Completion: a chip may shade positions first, and the rest of a vertex only for triangles that
 * are drawn. Corners created by clipping are completed from their vertices.
 */
#include "core/chunk/segment.h"

enum { BATCH_TICKS = 1500 }; /* fetching and storing a batch, in ns */

_Static_assert(PLANE_MADE * sizeof(float) + sizeof(struct made_corner) <=
				PLANE_EXTRA * sizeof(float),
		"a made corner fits into the planes of its record");

static void set_extra(struct vert *v, uint32_t at) {
	memcpy(&v->a[PLANE_EXTRA], &at, sizeof(at));
}

void corner_set_made(struct vert *v, const struct made_corner *made) {
	memcpy(&v->a[PLANE_MADE], made, sizeof(*made));
	set_extra(v, (uint32_t)NO_EXTRA);
}

static bool is_made(const struct segment_run *r, uint32_t v) {
	return v >= r->base + r->n;
}

void completion_begin(struct segment_run *r) {
	const struct chunk *c = r->c;
	struct vertex_scratch *s = r->s;
	uint32_t *used = s->slot;
	memset(used, 0, r->n * sizeof(*used));
	for (uint32_t i = r->first_tri; i < c->n_tris; i++) {
		for (unsigned k = 0; k < 3; k++) {
			const uint32_t v = c->tris[i].v[k];
			struct made_corner made = { .from = { v, v, v } };
			if (is_made(r, v)) {
				memcpy(&made, &c->verts[v].a[PLANE_MADE], sizeof(made));
			}
			for (unsigned m = 0; m < 3; m++) {
				used[made.from[m] - r->base] = 1;
			}
		}
	}
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		if (used[i]) {
			s->unique[n] = s->unique[i];
			s->slot[n++] = i;
		}
	}
	r->n_used = n;
	r->at = 0;
}

/* The next vertices, with room for their floats. */
static enum progress complete_batch(struct segment_run *r, unsigned n, struct slice *slice) {
	struct chunk *c = r->c;
	struct vertex_scratch *s = r->s;
	const struct vertex_env env = { r->work->kernels, r->work->space, s->stage };
	const uint32_t n_extra = r->d->state.n_extra;
	if (!r->is_paused) {
		if (!chunk_reserve_extra(c, (uint64_t)n * n_extra)) {
			return OVER;
		}
		r->before = c->shader.steps;
	}
	struct vert *vert[VERTEX_BATCH];
	for (unsigned i = 0; i < n; i++) {
		vert[i] = &c->verts[r->base + s->slot[r->at + i]];
	}
	const struct completed_out out = { vert, c->extra + c->n_extra };
	const enum batch_start start = r->is_paused ? BATCH_GOES_ON :
			r->at                       ? BATCH_NEXT :
						      BATCH_FIRST;
	r->is_paused = !r->d->state.vertex_stage->complete(&env, r->d, s->unique + r->at, n, start,
			c->limit_steps - r->before, &out, &c->shader, &c->outside, slice);
	/* Not in the middle of a batch, which depends on time. */
	const bool is_over = !r->is_paused && (c->shader.steps > c->limit_steps || c->shader.cut);
	if (is_over || pass_is_abandoned(r->work)) {
		c->over = true;
		return OVER;
	}
	if (r->is_paused) {
		return SLICE_OVER;
	}
	for (unsigned i = 0; i < n; i++) {
		set_extra(vert[i], c->n_extra);
		c->n_extra += n_extra;
	}
	r->at += n;
	c->completed += n;
	const uint64_t ticks = BATCH_TICKS + (c->shader.steps - r->before) / 2;
	return slice_over(slice, ticks) ? SLICE_OVER : GOES_ON;
}

/* The weighted sum of a float of the three vertices, in this order; 0 for a NaN. */
static float sum_of(const float *const from[3], const float weight[3], uint32_t i) {
	float sum = 0.0f;
	for (unsigned k = 0; k < 3; k++) {
		sum += weight[k] != 0.0f ? weight[k] * from[k][i] : 0.0f;
	}
	return sum == sum ? sum : 0.0f;
}

static bool complete_made(struct segment_run *r, struct vert *v) {
	struct chunk *c = r->c;
	if (vert_extra(v) != (uint32_t)NO_EXTRA) {
		return true; /* by a triangle beside this one */
	}
	struct made_corner made;
	memcpy(&made, &v->a[PLANE_MADE], sizeof(made));
	const uint32_t n_sums = r->d->state.n_extra;
	if (!chunk_reserve_extra(c, made.n_own + n_sums)) {
		return false;
	}
	const float *from[3];
	for (unsigned k = 0; k < 3; k++) {
		from[k] = c->extra + vert_extra(&c->verts[made.from[k]]);
	}
	float *own = c->extra + c->n_extra, *sums = own + made.n_own;
	for (uint32_t i = 0; i < made.n_own; i++) {
		own[i] = made.own[i];
	}
	for (uint32_t i = 0; i < n_sums; i++) {
		sums[i] = sum_of(from, made.weight, i);
	}
	set_extra(v, c->n_extra);
	c->n_extra += made.n_own + n_sums;
	return true;
}

static int32_t least(int32_t a, int32_t b) {
	return a < b ? a : b;
}

static int32_t most(int32_t a, int32_t b) {
	return a > b ? a : b;
}

/* Charges the pixels of the triangle's current bounds in the tiles that contain it. */
static void charge(struct segment_run *r, const uint32_t v[3], const struct tri_box *box) {
	const struct vert *verts = r->c->verts;
	const int32_t size = (int32_t)r->work->tile_size;
	const struct pixel_box p = raster_bounds(r->rs, &verts[v[0]], &verts[v[1]], &verts[v[2]]);
	const int32_t width = least(p.max_x, (box->x1 + 1) * size - 1) -
			most(p.min_x, box->x0 * size),
		      height = least(p.max_y, (box->y1 + 1) * size - 1) -
			most(p.min_y, box->y0 * size);
	const uint64_t px = width < 0 || height < 0 ?
			1 :
			(uint64_t)(width + 1) * (uint64_t)(height + 1);
	r->c->area_px += px * r->work->px_cost;
	r->c->over |= r->c->area_px > r->c->limit_px;
}

enum progress completion_go_on(struct segment_run *r, struct slice *slice) {
	struct chunk *c = r->c;
	while (r->at < r->n_used) {
		const uint32_t left = r->n_used - r->at;
		const unsigned n = left < VERTEX_BATCH ? left : VERTEX_BATCH;
		const enum progress progress = complete_batch(r, n, slice);
		if (progress != GOES_ON) {
			return progress;
		}
	}
	for (uint32_t i = r->first_tri; i < c->n_tris && !c->over; i++) {
		const struct tri_ref *t = &c->tris[i];
		for (unsigned k = 0; k < 3; k++) {
			if (is_made(r, t->v[k]) && !complete_made(r, &c->verts[t->v[k]])) {
				return OVER;
			}
		}
		charge(r, t->v, &c->boxes[i]);
	}
	return c->over ? OVER : GOES_ON;
}
