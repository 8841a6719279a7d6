/*
 * Culling before shading: drops triangles of a segment that lie outside one plane, or face away, by
 * their positions, which are shaded first. A kept triangle is shaded and tested as usual, so
 * doubtful ones are kept.
 */
#include "core/chunk/segment.h"

#include <math.h>

enum {
	LEAST_TRIANGLES = 64, /* preparing the stage costs some tens of vertices */
	UNFILTERED = 7,       /* segments after one in which more than half was kept */
	POSITION_TICKS = 500, /* fetching and projecting a batch of positions, in ns */
};

static uint32_t plain_first(const struct segment_run *r, const struct segment *seg) {
	return r->d->first + 3 * seg->first;
}

static uint32_t vertex_count(const struct segment_run *r, const struct segment *seg) {
	return is_plain_list(r->d) ? 3 * seg->n : r->n;
}

static uint64_t invocations(const struct segment_run *r, uint32_t vertices) {
	const unsigned own = r->d->state.vertex_stage->invocation;
	return own ? ((uint64_t)vertices + own - 1) / own : vertices;
}

void filter_begin(struct segment_run *r, const struct segment *seg) {
	struct vertex_scratch *s = r->s;
	const struct draw *d = r->d;
	if (!d->state.vertex_stage->begin_positions || r->g->cull == CULLS_NONE ||
			seg->n < LEAST_TRIANGLES || topology_is_wide(d->topology) || d->n_prefix ||
			d->inline_vertices) {
		return;
	}
	if (s->unfiltered) {
		s->unfiltered--;
		return;
	}
	uint32_t first = plain_first(r, seg), last = first + 3 * seg->n - 1;
	if (!is_plain_list(d)) {
		first = last = s->unique[0];
		for (uint32_t i = 1; i < r->n; i++) {
			first = s->unique[i] < first ? s->unique[i] : first;
			last = s->unique[i] > last ? s->unique[i] : last;
		}
	}
	const struct vertex_env env = { r->work->kernels, r->work->space, s->stage };
	const unsigned steps = first > last ? 0 :
			d->state.vertex_stage->begin_positions(&env, d, first, last);
	/* Near the end of the job's budget vertices are shaded in order. */
	if (steps * invocations(r, vertex_count(r, seg)) <=
			r->c->limit_steps - r->c->shader.steps) {
		r->filter_steps = steps;
	}
}

/* Sets keep; returns whether a triangle is kept. sign: of the areas to drop, 0: none. */
static bool test_corners(const struct corner_rows *p, float sign, int32_t keep[FILTERED]) {
	int32_t any_kept = 0;
	for (unsigned i = 0; i < FILTERED; i++) {
		const int32_t all = p->code[0][i] & p->code[1][i] & p->code[2][i];
		const int32_t any = p->code[0][i] | p->code[1][i] | p->code[2][i];
		const float x0 = p->x[0][i], y0 = p->y[0][i];
		/* Differences are exact; products and later results have errors of 2^-24 each. */
		const float a = (p->x[1][i] - x0) * (p->y[2][i] - y0);
		const float b = (p->y[1][i] - y0) * (p->x[2][i] - x0);
		const float doubt = (fabsf(a) + fabsf(b)) * 0x1p-22f;
		const int32_t culled = (any == 0) & ((a - b) * sign > doubt);
		keep[i] = !(culled | ((all & POSITION_CODES) != 0));
		any_kept |= keep[i];
	}
	return any_kept;
}

/* Triangles n_seen.. of the segment, whose corners are in the rows. */
static void keep_triangles(struct segment_run *r, const struct segment *seg, unsigned n) {
	struct vertex_scratch *s = r->s;
	const unsigned cull = r->g->cull;
	const float sign = cull == CULLS_NONE ? 0.0f : cull == CULLS_POSITIVE ? 1.0f : -1.0f;
	int32_t keep[FILTERED];
	const bool any = test_corners(&s->rows, r->g->rule->flip ? -sign : sign, keep);
	for (unsigned i = 0; i < n && any; i++) {
		if (!keep[i]) {
			continue;
		}
		uint32_t *corner = s->corner[r->n_kept];
		if (is_plain_list(r->d)) {
			const uint32_t first = plain_first(r, seg) + 3 * (r->n_seen + i);
			for (unsigned k = 0; k < 3; k++) {
				corner[k] = 3 * r->n_kept + k;
				s->unique[corner[k]] = first + k;
			}
		} else {
			find_corners(r, seg->first + r->n_seen + i, corner);
		}
		r->n_kept++;
	}
	r->n_seen += n;
}

static void gather_corners(struct segment_run *r, const struct segment *seg, unsigned n) {
	struct vertex_scratch *s = r->s;
	for (unsigned i = 0; i < n; i++) {
		uint32_t corner[3];
		find_corners(r, seg->first + r->n_seen + i, corner);
		for (unsigned k = 0; k < 3; k++) {
			s->rows.x[k][i] = s->x[corner[k]];
			s->rows.y[k][i] = s->y[corner[k]];
			s->rows.code[k][i] = s->position_code[corner[k]];
		}
	}
}

/* Renumbers the slots of kept triangles, in their order. */
static void leave_out_slots(struct segment_run *r) {
	struct vertex_scratch *s = r->s;
	uint32_t *number = s->slot, n = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		number[i] = 0;
	}
	for (uint32_t i = 0; i < r->n_kept; i++) {
		number[s->corner[i][0]] = number[s->corner[i][1]] = number[s->corner[i][2]] = 1;
	}
	for (uint32_t i = 0; i < r->n; i++) {
		if (number[i]) {
			s->unique[n] = s->unique[i];
			number[i] = n++;
		}
	}
	for (uint32_t i = 0; i < r->n_kept; i++) {
		for (unsigned k = 0; k < 3; k++) {
			s->corner[i][k] = number[s->corner[i][k]];
		}
	}
	r->n = n;
}

static void finish(struct segment_run *r, const struct segment *seg) {
	const uint32_t count = vertex_count(r, seg);
	r->c->shaded += count;
	r->c->shader.steps += r->filter_steps * invocations(r, count);
	r->c->triangles += seg->n - r->n_kept;
	r->s->unfiltered = 2 * r->n_kept > seg->n ? UNFILTERED : 0;
	if (is_plain_list(r->d)) {
		r->n = 3 * r->n_kept;
	} else {
		leave_out_slots(r);
	}
	r->c->n_left_out += count - r->n;
	r->at = 0;
	r->is_filtered = true;
}

/*
 * Prefetches a third of the vertices after triangle n_seen + FILTERED. In the order of the corners
 * they are too far apart for the hardware prefetcher.
 */
static void expect_corners(const struct segment_run *r, const struct segment *seg,
		const struct vertex_env *env, unsigned k) {
	const struct vertex_stage *stage = r->d->state.vertex_stage;
	const uint32_t at = 3 * (seg->first + r->n_seen + FILTERED) + k * FILTERED;
	if (stage->expect_positions && at < r->d->n) {
		const uint32_t left = r->d->n - at, n = left < FILTERED ? left : FILTERED;
		stage->expect_positions(env, r->d->first + at, r->d->first + at + n - 1);
	}
}

enum progress filter_go_on(struct segment_run *r, const struct segment *seg, struct slice *slice) {
	struct vertex_scratch *s = r->s;
	const struct vertex_env env = { r->work->kernels, r->work->space, s->stage };
	const struct vertex_stage *stage = r->d->state.vertex_stage;
	const bool is_plain = is_plain_list(r->d);
	/*
	 * A plain list is processed by corners: the first, second and third ones of 32 triangles.
	 */
	while (is_plain ? r->n_seen < seg->n : r->at < r->n) {
		const uint32_t left = is_plain ? seg->n - r->n_seen : r->n - r->at;
		const unsigned n = left < FILTERED ? left : FILTERED;
		if (is_plain) {
			for (unsigned k = 0; k < 3; k++) {
				expect_corners(r, seg, &env, k);
				uint32_t number[FILTERED];
				for (unsigned i = 0; i < FILTERED; i++) {
					number[i] = plain_first(r, seg) + 3 * (r->n_seen + i) + k;
				}
				const struct position_out out = { s->rows.x[k], s->rows.y[k],
					s->rows.code[k] };
				stage->shade_positions(&env, r->d, number, n, &out);
			}
			keep_triangles(r, seg, n);
		} else {
			const struct position_out out = { s->x + r->at, s->y + r->at,
				s->position_code + r->at };
			stage->shade_positions(&env, r->d, s->unique + r->at, n, &out);
			r->at += n;
		}
		if (pass_is_abandoned(r->work)) {
			r->c->over = true;
			return OVER;
		}
		if (slice_over(slice, POSITION_TICKS + (uint64_t)r->filter_steps * n / 4)) {
			return SLICE_OVER;
		}
	}
	while (r->n_seen < seg->n) {
		const uint32_t left = seg->n - r->n_seen;
		const unsigned n = left < FILTERED ? left : FILTERED;
		gather_corners(r, seg, n);
		keep_triangles(r, seg, n);
	}
	finish(r, seg);
	return GOES_ON;
}
