#include "core/chunk/segment.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * A vertex task. For each segment: the stream positions of its triangles are resolved to vertices
 * (a recently seen index is shaded once), shaded 32 at a time, projected into the chunk's records,
 * assembled, clipped if needed, culled, and binned by bounding box.
 */

enum {
	BATCH_TICKS = 1500,   /* fetching and projecting a batch, in ns */
	TILE_BITS = 5,        /* of the smallest tiles */
};

/* More than any job has; those of a whole pass do not overflow a sum (pass.c). */
#define STEPS_CUT (UINT64_C(1) << 54)

struct vertex_scratch *vertex_scratch_create(size_t stage_bytes) {
	const size_t size = (sizeof(struct vertex_scratch) + stage_bytes + 63) & ~(size_t)63;
	struct vertex_scratch *s = aligned_alloc(64, size);
	if (s) {
		memset(s, 0, size);
	}
	return s;
}

void vertex_scratch_destroy(struct vertex_scratch *s) {
	free(s);
}

struct chunk *chunk_create(void) {
	struct chunk *c = calloc(1, sizeof(*c));
	if (c) {
		atomic_init(&c->spent_px, 0);
		atomic_init(&c->spent_steps, 0);
		atomic_init(&c->spent_bytes, 0);
	}
	return c;
}

void chunk_destroy(struct chunk *c) {
	if (c) {
		free(c->seg);
		free(c->verts);
		free(c->tris);
		free(c->boxes);
		free(c->extra);
		free(c->tile_start);
		free(c->tile_list);
		free(c);
	}
}

void chunk_restart(struct chunk *c) {
	c->n_verts = 0;
	c->n_tris = 0;
	c->n_extra = 0;
	c->n_left_out = 0;
	c->area_px = c->n_listed = c->need_bytes = 0;
	c->over = c->failed = false;
	c->n_run = 0;
	atomic_store_explicit(&c->spent_px, 0, memory_order_relaxed);
	atomic_store_explicit(&c->spent_steps, 0, memory_order_relaxed);
	atomic_store_explicit(&c->spent_bytes, 0, memory_order_relaxed);
	chunk_forget(c);
}

void chunk_reset(struct chunk *c) {
	c->n_seg = 0;
	c->n_positions = 0;
	chunk_restart(c);
}

void chunk_forget(struct chunk *c) {
	c->n_tris = 0;
	c->shaded = c->completed = c->triangles = c->drawn = c->dropped = c->outside = 0;
	c->shader = (struct shader_result){ 0 };
}

size_t chunk_bytes(const struct chunk *c) {
	return sizeof(*c) + c->cap_seg * sizeof(*c->seg) + c->cap_verts * sizeof(*c->verts) +
			c->cap_tris * (sizeof(*c->tris) + sizeof(*c->boxes)) +
			c->cap_extra * sizeof(*c->extra) + c->cap_start * sizeof(*c->tile_start) +
			c->cap_list * sizeof(*c->tile_list);
}

/*
 * Adds to the chunk's need. Returns false if its pass would need too much: the chunk then draws
 * nothing.
 */
static bool may_need(struct chunk *c, uint32_t n_verts, uint64_t n_extra) {
	const uint64_t need = ((uint64_t)n_verts + c->n_left_out) * sizeof(*c->verts) +
			(uint64_t)c->n_tris * (sizeof(*c->tris) + sizeof(*c->boxes)) +
			c->n_listed * sizeof(*c->tile_list) + n_extra * sizeof(*c->extra);
	c->need_bytes = need > c->need_bytes ? need : c->need_bytes;
	c->over |= c->need_bytes > c->limit_bytes;
	return !c->over;
}

int chunk_add_segment(struct chunk *c, uint32_t draw, uint32_t first, uint32_t n) {
	if (c->n_seg == c->cap_seg) {
		unsigned cap = c->cap_seg ? c->cap_seg * 2 : 16;
		struct segment *seg = realloc(c->seg, cap * sizeof(*seg));
		if (!seg) {
			return -ENOMEM;
		}
		c->seg = seg;
		c->cap_seg = cap;
	}
	c->seg[c->n_seg++] = (struct segment){ .draw = draw, .first = first, .n = n };
	return 0;
}

bool chunk_reserve_verts(struct chunk *c, uint32_t more) {
	if (!may_need(c, c->n_verts + more, c->n_extra)) {
		return false;
	}
	if (c->cap_verts - c->n_verts >= more) {
		return true;
	}
	uint32_t cap = c->cap_verts ? c->cap_verts : 2048;
	while (cap - c->n_verts < more) {
		cap *= 2;
	}
	struct vert *verts = realloc(c->verts, (size_t)cap * sizeof(*verts));
	if (!verts) {
		return false;
	}
	c->verts = verts;
	c->cap_verts = cap;
	return true;
}

bool chunk_reserve_extra(struct chunk *c, uint64_t more) {
	const uint64_t n = c->n_extra + more;
	if (!may_need(c, c->n_verts, n) || n > INT32_MAX) {
		return false;
	}
	if (c->extra && n <= c->cap_extra) {
		return true;
	}
	const uint64_t cap = n + n / 2 + 16; /* never 0, so that it is not NULL */
	float *extra = realloc(c->extra, cap * sizeof(*extra));
	if (!extra) {
		return false;
	}
	c->extra = extra;
	c->cap_extra = (uint32_t)cap;
	return true;
}

static bool reserve_tri(struct chunk *c) {
	if (c->n_tris < c->cap_tris) {
		return true;
	}
	uint32_t cap = c->cap_tris ? c->cap_tris * 2 : 1024;
	struct tri_ref *tris = realloc(c->tris, (size_t)cap * sizeof(*tris));
	if (!tris) {
		return false;
	}
	c->tris = tris;
	struct tri_box *boxes = realloc(c->boxes, (size_t)cap * sizeof(*boxes));
	if (!boxes) {
		return false;
	}
	c->boxes = boxes;
	c->cap_tris = cap;
	return true;
}

/* ---- Triangles ---- */

bool segment_emit(struct segment_run *r, uint32_t a, uint32_t b, uint32_t c) {
	const struct vert *verts = r->c->verts;
	const struct pixel_box p = raster_bounds(r->rs, &verts[a], &verts[b], &verts[c]);
	r->c->drawn++;
	if (p.min_x > p.max_x || p.min_y > p.max_y) {
		return true;
	}
	if (!reserve_tri(r->c)) {
		return false;
	}
	const unsigned bits = ctz32(r->work->tile_size);
	r->c->boxes[r->c->n_tris] = (struct tri_box){ (int16_t)(p.min_x >> bits),
		(int16_t)(p.min_y >> bits), (int16_t)(p.max_x >> bits),
		(int16_t)(p.max_y >> bits) };
	r->c->tris[r->c->n_tris++] = (struct tri_ref){ { a, b, c }, r->draw };
	r->c->n_listed += (uint64_t)((p.max_x >> TILE_BITS) - (p.min_x >> TILE_BITS) + 1) *
			(uint64_t)((p.max_y >> TILE_BITS) - (p.min_y >> TILE_BITS) + 1);
	if (r->completes) {
		return true; /* pixels are counted when the corners' places are final */
	}
	uint64_t area_px = (uint64_t)(p.max_x - p.min_x + 1) *
			(uint64_t)(p.max_y - p.min_y + 1);
	r->c->area_px += area_px * r->work->px_cost;
	r->c->over = r->c->area_px > r->c->limit_px;
	return !r->c->over;
}

/* Changes the sign of the planes in the attributes a, of which the first is plane `first`. */
static void negate(float *a, unsigned first, uint32_t planes) {
	for (; planes; planes &= planes - 1) {
		const unsigned p = ctz32(planes);
		a[p - first] = -a[p - first];
	}
}

/*
 * Emits a triangle with separate records: flat planes have the values of `flat` (NULL: none),
 * corners in `negated` have the planes that the stage negates.
 */
static bool emit_own(struct segment_run *r, const struct vert *const v[3],
		const struct clip_vertex *flat, unsigned negated) {
	if (!chunk_reserve_verts(r->c, 3)) {
		return false;
	}
	uint32_t at = r->c->n_verts;
	for (unsigned i = 0; i < 3; i++) {
		struct vert *own = &r->c->verts[at + i];
		*own = *v[i];
		for (uint32_t planes = flat ? r->rs->flat : 0; planes; planes &= planes - 1) {
			const unsigned p = ctz32(planes);
			own->a[p] = flat->a[p - PLANE_USER];
		}
		if (negated >> i & 1) {
			negate(own->a, 0, r->d->state.vertex_stage->negates);
		}
	}
	r->c->n_verts = at + 3;
	return segment_emit(r, at, at + 1, at + 2);
}

bool segment_project(
		const struct segment_run *r, const struct clip_vertex *v, struct vert *out) {
	const struct vertex_stage *stage = r->d->state.vertex_stage;
	return stage->project ? stage->project(r->d, v, out) : project(r->g, v, out);
}

/* Clips corners with weights in the place of planes. */
static unsigned clip_with_weights(const struct segment_run *r, const struct clip_vertex *const v[3],
		unsigned planes, struct clip_vertex poly[CLIP_MAX_VERTICES]) {
	struct clip_vertex own[3];
	memset(own, 0, sizeof(own));
	for (unsigned i = 0; i < 3; i++) {
		memcpy(own[i].pos, v[i]->pos, sizeof(own[i].pos));
		own[i].a[i] = 1.0f;
	}
	const struct clip_vertex *const corner[3] = { &own[0], &own[1], &own[2] };
	return clip_polygon(r->g, corner, planes, poly);
}

static bool clipped_triangle(struct segment_run *r, const struct clip_vertex *const v[3],
		const uint32_t corner[3], unsigned planes) {
	struct clip_vertex poly[CLIP_MAX_VERTICES];
	unsigned n = r->completes ? clip_with_weights(r, v, planes, poly) :
				    clip_polygon(r->g, v, planes, poly);
	if (n < 3) {
		return true;
	}
	struct vert rec[CLIP_MAX_VERTICES];
	bool ok[CLIP_MAX_VERTICES];
	for (unsigned i = 0; i < n; i++) {
		ok[i] = segment_project(r, &poly[i], &rec[i]);
		if (r->completes) {
			struct made_corner made = { .weight = { poly[i].a[0], poly[i].a[1],
							    poly[i].a[2] } };
			for (unsigned k = 0; k < 3; k++) {
				made.from[k] = r->base + corner[k];
			}
			corner_set_made(&rec[i], &made);
		}
	}
	if (!chunk_reserve_verts(r->c, n)) {
		return false;
	}
	uint32_t at = r->c->n_verts;
	memcpy(&r->c->verts[at], rec, n * sizeof(rec[0]));
	r->c->n_verts = at + n;
	for (unsigned i = 1; i + 1 < n; i++) {
		if (!ok[0] || !ok[i] || !ok[i + 1]) {
			r->c->dropped++;
			continue;
		}
		if (!cull_keeps(r->g, window_area2(r->g, &rec[0], &rec[i], &rec[i + 1]))) {
			continue;
		}
		if (r->rs->flat) {
			const struct vert *const fan[3] = { &rec[0], &rec[i], &rec[i + 1] };
			if (!emit_own(r, fan, v[2], 0)) {
				return false;
			}
		} else if (!segment_emit(r, at, at + i, at + i + 1)) {
			return false;
		}
	}
	return true;
}

bool segment_triangle(struct segment_run *r, const uint32_t corner[3], unsigned negated) {
	const struct vertex_scratch *s = r->s;
	const uint32_t a = corner[0], b = corner[1], c = corner[2];
	const unsigned any = s->code[a] | s->code[b] | s->code[c];
	r->c->triangles++;
	if (s->code[a] & s->code[b] & s->code[c] & CODE_PLANES) {
		return true;
	}
	if (any & ~(unsigned)r->g->may_stay) {
		const struct clip_vertex *v[3] = { &s->cv[a], &s->cv[b], &s->cv[c] };
		struct clip_vertex turned[3];
		for (unsigned i = 0; i < 3; i++) {
			if (negated >> i & 1) {
				turned[i] = *v[i];
				negate(turned[i].a, PLANE_USER, r->d->state.vertex_stage->negates);
				v[i] = &turned[i];
			}
		}
		return clipped_triangle(r, v, corner, any);
	}
	if (!s->ok[a] || !s->ok[b] || !s->ok[c]) {
		r->c->dropped++;
		return true;
	}
	const struct vert *va = &r->c->verts[r->base + a], *vb = &r->c->verts[r->base + b];
	const struct vert *vc = &r->c->verts[r->base + c];
	if (!cull_keeps(r->g, window_area2(r->g, va, vb, vc))) {
		return true;
	}
	if (r->rs->flat || negated) {
		struct vert copy[3] = { *va, *vb, *vc };
		const struct vert *const v[3] = { &copy[0], &copy[1], &copy[2] };
		return emit_own(r, v, r->rs->flat ? &s->cv[c] : NULL, negated);
	}
	return segment_emit(r, r->base + a, r->base + b, r->base + c);
}

/* ---- A segment ---- */

/* Index -> slot of the segment, shading list filled from n_ready on. */
static uint32_t resolve(struct vertex_scratch *s, uint32_t index, uint32_t n_ready, uint32_t *n) {
	uint32_t *slot = &s->cache[index % CACHE_ENTRIES];
	if (*slot < n_ready || *slot >= *n || s->unique[*slot] != index) {
		s->unique[*n] = index;
		*slot = (*n)++;
	}
	return *slot;
}

bool segment_begin(struct chunk *c, const struct segment *seg, const struct draw *d,
		const struct pass_work *work, struct vertex_scratch *s) {
	struct segment_run *r = &s->run;
	*r = (struct segment_run){ .c = c,
		.d = d,
		.g = d->state.geom,
		.rs = d->state.raster,
		.work = work,
		.s = s,
		.draw = seg->draw,
		.completes = d->state.vertex_stage->complete != NULL,
		.first_tri = c->n_tris,
		.has_assembly = d->state.vertex_stage->assemble &&
				(d->state.planes & d->state.vertex_stage->negates) };

	if (s->owner != d->state.vertex_stage) {
		s->owner = d->state.vertex_stage;
		memset(s->stage, 0, s->owner->scratch_bytes);
	}
	/* Completion expects clipped corners after the shaded ones (complete.c). */
	assert(!r->completes || !(d->n_prefix || r->rs->flat || r->has_assembly));
	/* Stream positions: first_position.. (a fan's slot 0 is the hub, its positions follow). */
	uint32_t first_position, n_positions;
	unsigned hub = d->topology == TOPOLOGY_FAN;
	switch (d->topology) {
	case TOPOLOGY_STRIP:
		first_position = seg->first;
		n_positions = seg->n + 2;
		break;
	case TOPOLOGY_FAN:
		first_position = seg->first + 1;
		n_positions = seg->n + 1;
		break;
	case TOPOLOGY_LINE_STRIP:
	case TOPOLOGY_LINE_LOOP:
		first_position = seg->first;
		n_positions = seg->n + 1;
		break;
	default:
		first_position = topology_step(d->topology) * seg->first;
		n_positions = topology_step(d->topology) * seg->n;
		break;
	}
	/* A loop ends where it begins. */
	const uint32_t end = d->topology == TOPOLOGY_LINE_LOOP ? d->n : UINT32_MAX;

	if (!chunk_reserve_verts(c, n_positions + hub)) {
		return false;
	}
	r->base = c->n_verts;
	r->first_position = first_position;
	if (is_plain_list(d)) {
		filter_begin(r, seg);
		if (r->filter_steps) {
			return true;
		}
	}
	/* Prefix vertices take the first slots, shaded ones follow: count them first. */
	uint32_t n_ready = 0;
	for (uint32_t i = 0; i < n_positions + hub && d->n_prefix; i++) {
		const uint32_t p = hub && i == 0 ? 0 : first_position - hub + i;
		if (p < d->n_prefix) {
			s->slot[i] = n_ready;
			s->cv[n_ready] = d->prefix[p];
			s->code[n_ready] = (uint8_t)clip_code(r->g, &s->cv[n_ready]);
			s->ok[n_ready] = project(
					r->g, &s->cv[n_ready], &c->verts[r->base + n_ready]);
			n_ready++;
		}
	}
	uint32_t n = n_ready;
	const uint32_t first = d->inline_vertices ? 0 : d->first;
	for (uint32_t i = 0; i < n_positions + hub; i++) {
		const uint32_t at = first_position - hub + i;
		const uint32_t p = (hub && i == 0) || at == end ? 0 : at;
		if (p < d->n_prefix) {
			continue;
		}
		if (d->index) {
			s->slot[i] = resolve(s, d->index[p - d->n_prefix], n_ready, &n);
		} else {
			s->unique[n] = first + p - d->n_prefix;
			s->slot[i] = n++;
		}
	}
	r->n_ready = r->at = n_ready;
	r->n = n;
	if (!is_plain_list(d)) {
		filter_begin(r, seg);
	}
	return true;
}

enum progress segment_shade(struct chunk *c, const struct pass_work *work,
		struct vertex_scratch *s, struct slice *slice) {
	struct segment_run *r = &s->run;
	const struct vertex_env env = { work->kernels, work->space, s->stage };
	while (r->at < r->n) {
		const uint32_t at = r->at;
		const unsigned n = r->n - at < VERTEX_BATCH ? r->n - at : VERTEX_BATCH;
		const struct vertex_out out = { s->cv + at, c->verts + r->base + at, s->code + at,
			s->ok + at };
		/* A lane that needs more steps than the job has left ends the chunk. */
		struct shader_result counted = { 0 };
		struct shader_result *result = r->is_filtered ? &counted : &c->shader;
		if (!r->is_paused) {
			r->before = c->shader.steps;
		}
		const uint64_t left = r->is_filtered ? UINT64_MAX : c->limit_steps - r->before;
		const enum batch_start start = r->is_paused ? BATCH_GOES_ON :
				at == r->n_ready            ? BATCH_FIRST :
							      BATCH_NEXT;
		r->is_paused = !r->d->state.vertex_stage->shade_batch(&env, r->d, s->unique + at, n,
				start, left, &out, result, &c->outside, slice);
		/* Not in the middle of a batch, since pauses depend on time. */
		const bool is_over = !r->is_paused &&
				(c->shader.steps > c->limit_steps || c->shader.cut);
		if (is_over || pass_is_abandoned(work)) {
			c->over = true;
			return OVER;
		}
		if (r->is_paused) {
			return SLICE_OVER;
		}
		r->at += n;
		const uint64_t steps = counted.steps + c->shader.steps - r->before;
		if (slice_over(slice, BATCH_TICKS + steps / 2)) {
			return SLICE_OVER;
		}
	}
	return GOES_ON;
}

static enum progress run_segment(struct chunk *c, const struct pass_work *work,
		struct vertex_scratch *s, struct slice *slice) {
	const struct segment *seg = &c->seg[s->segment];
	if (!s->is_inside && !segment_begin(c, seg, work->draws[seg->draw], work, s)) {
		return OVER;
	}
	s->is_inside = true;
	struct segment_run *r = &s->run;
	enum progress progress = GOES_ON;
	if (!r->is_shaded) {
		if (r->filter_steps && !r->is_filtered) {
			progress = filter_go_on(r, seg, slice);
		}
		if (progress == GOES_ON) {
			progress = segment_shade(c, work, s, slice);
		}
		if (progress != GOES_ON) {
			return progress;
		}
		if (!r->is_filtered && !r->d->state.vertex_stage->is_counted) {
			c->shaded += r->n - r->n_ready;
		}
		c->n_verts += r->n;
		r->is_shaded = true;
	}
	if (!r->is_assembled) {
		progress = segment_assemble(r, seg, slice);
		if (progress != GOES_ON) {
			return progress;
		}
		r->is_assembled = true;
		if (r->completes) {
			completion_begin(r);
		}
	}
	if (r->completes) {
		progress = completion_go_on(r, slice);
	}
	s->is_inside = progress == SLICE_OVER;
	return progress;
}

void chunk_begin(struct vertex_scratch *s) {
	s->segment = 0;
	s->is_inside = false;
	s->binning = (struct binning){ 0 };
}

bool chunk_go_on(struct chunk *c, const struct pass_work *work, struct vertex_scratch *s,
		struct slice *slice) {
	bool ok = true;
	for (; s->segment < c->n_seg && ok; s->segment++) {
		enum progress progress = run_segment(c, work, s, slice);
		if (progress == SLICE_OVER) {
			return false;
		}
		ok = progress == GOES_ON;
		struct segment *seg = &c->seg[c->n_run++];
		seg->steps = c->shader.steps;
		seg->px = c->area_px;
		seg->bytes = c->need_bytes;
	}
	ok = ok && may_need(c, c->n_verts, c->n_extra);
	if (ok && c->n_tris && !work->serial) {
		const enum progress progress = chunk_bin(c, work, &s->binning, slice);
		if (progress == SLICE_OVER) {
			return false;
		}
		ok = progress == GOES_ON;
	}
	if (!ok) {
		c->failed = !c->over;
		c->n_tris = 0;
	}
	atomic_store_explicit(&c->spent_px, c->area_px, memory_order_relaxed);
	atomic_store_explicit(&c->spent_bytes, c->need_bytes, memory_order_relaxed);
	/* After an invocation was cut off, the job draws nothing more. */
	atomic_store_explicit(&c->spent_steps, c->shader.cut ? STEPS_CUT : c->shader.steps,
			memory_order_relaxed);
	return true;
}
