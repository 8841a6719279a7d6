#include "core/pass/pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * A vertex task. For each segment: the stream positions that its triangles touch are resolved to
 * vertices (an index that was seen lately is shaded once), shaded 32 at a time, projected into the
 * chunk's records, assembled, clipped where needed, culled, and binned by bounding box.
 */

enum {
	CACHE_ENTRIES = 512,  /* direct-mapped, by index */
	SERIAL_COST = 64,     /* a pixel drawn alone, in those of a batch (pica_budgets.pixels) */
	BATCH_TICKS = 1500,   /* fetching and projecting a batch, in ns */
	MAX_POSITIONS = 3072, /* a segment's share of a chunk; see pass.c */
	/*
	 * What a chunk of ordinary triangles grows to; larger ones are not kept for the next pass.
	 */
	KEEP_VERTS = 8192,
	KEEP_LIST = 65536,
};

/* More than any job has; those of a whole pass do not overflow a sum (pass.c). */
#define STEPS_CUT (UINT64_C(1) << 54)

struct vertex_scratch;

/* A segment on its way. */
struct segment_run {
	struct chunk *c;
	const struct draw *d;
	const struct geom_state *g;
	const struct raster_state *rs;
	const struct tile_work *work;
	struct vertex_scratch *s;
	uint32_t base; /* chunk.verts of the segment's vertex 0 */
	uint32_t draw;
	bool lit;      /* quaternions matter */
	/*
	 * Slots of the segment: n_ready from the prefix, then those to shade, of which `at` is the
	 * next.
	 */
	uint32_t n_ready, at, n;
	uint32_t first_position;
};

struct vertex_scratch {
	unsigned segment;       /* the current one */
	bool is_inside;         /* it was begun */
	struct segment_run run;
	struct shader_batch batch;
	struct clip_vertex cv[MAX_POSITIONS + 4];
	uint8_t code[MAX_POSITIONS + 4];
	uint8_t ok[MAX_POSITIONS + 4];
	uint32_t slot[MAX_POSITIONS + 4];   /* stream position - base -> vertex of the segment */
	uint32_t unique[MAX_POSITIONS + 4]; /* vertex of the segment -> index or stream number */
	struct { uint32_t index, slot; } cache[CACHE_ENTRIES];
};

struct vertex_scratch *vertex_scratch_create(void) {
	struct vertex_scratch *s = aligned_alloc(64, (sizeof(*s) + 63) & ~(size_t)63);
	if (s) {
		memset(s, 0, sizeof(*s));
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
	}
	return c;
}

void chunk_destroy(struct chunk *c) {
	if (c) {
		free(c->seg);
		free(c->verts);
		free(c->tris);
		free(c->boxes);
		free(c->tile_start);
		free(c->tile_list);
		free(c);
	}
}

void chunk_reset(struct chunk *c) {
	c->n_seg = 0;
	c->n_positions = 0;
	c->n_verts = 0;
	c->n_tris = 0;
	c->area_px = 0;
	c->over = c->failed = false;
	atomic_store_explicit(&c->spent_px, 0, memory_order_relaxed);
	atomic_store_explicit(&c->spent_steps, 0, memory_order_relaxed);
	chunk_forget(c);
}

void chunk_forget(struct chunk *c) {
	c->n_tris = 0;
	c->shaded = c->triangles = c->drawn = c->dropped = c->outside = 0;
	c->shader = (struct shader_result){ 0 };
}

bool chunk_is_large(const struct chunk *c) {
	return c->cap_verts > KEEP_VERTS || c->cap_tris > KEEP_VERTS || c->cap_list > KEEP_LIST;
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
	c->seg[c->n_seg++] = (struct segment){ draw, first, n };
	return 0;
}

static bool reserve_verts(struct chunk *c, uint32_t more) {
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

/* ---- Shading ---- */

static void load_inline(const struct vertex_part *part, const struct draw *d,
		const uint32_t *number, unsigned n, struct shader_batch *b) {
	memset(b->v, 0, sizeof(b->v));
	for (unsigned lane = 0; lane < n; lane++) {
		fetch_inline(&part->layout, d->inline_attributes + 16 * (size_t)number[lane], lane,
				b);
	}
}

/* Vertices by number: memory index for array draws, position for inline ones. */
static void shade_numbers(const struct engine *e, const struct space *space,
		const struct vertex_part *part, const struct draw *d, const uint32_t *number,
		unsigned n, uint64_t step_budget, struct shader_batch *b,
		struct shader_result *result, uint64_t *outside) {
	if (d->inline_attributes) {
		load_inline(part, d, number, n, b);
	} else {
		e->k.geom.fetch(&part->layout, space, number, n, part->float_mode, b,
				outside);
	}
	b->o_unread = part->unread_outputs;
	e->k.shader.run[part->float_mode](
			part->prog, part->entry, part->uniforms, b, n, step_budget, result);
}

static uint32_t stream_number(const struct draw *d, uint32_t i) {
	return d->index ? d->index[i] : d->inline_attributes ? i : d->first + i;
}

const struct shader_batch *chunk_shade(const struct engine *e, const struct space *space,
		const struct vertex_part *part, const struct draw *d, uint32_t first, unsigned n,
		struct vertex_scratch *s, struct shader_result *result, uint64_t *outside) {
	uint32_t number[SHADER_LANES];
	for (unsigned i = 0; i < n; i++) {
		number[i] = stream_number(d, first + i);
	}
	shade_numbers(e, space, part, d, number, n, part->step_budget, &s->batch, result, outside);
	return &s->batch;
}

/* ---- Triangles ---- */

static bool emit(struct segment_run *r, uint32_t a, uint32_t b, uint32_t c) {
	const struct vert *verts = r->c->verts;
	const struct pixel_box p = raster_bounds(r->rs, &verts[a], &verts[b], &verts[c]);
	r->c->drawn++;
	if (p.min_x > p.max_x || p.min_y > p.max_y) {
		return true;
	}
	if (!reserve_tri(r->c)) {
		return false;
	}
	int32_t size = (int32_t)r->work->tile_size;
	r->c->boxes[r->c->n_tris] = (struct tri_box){ (int16_t)(p.min_x / size),
		(int16_t)(p.min_y / size), (int16_t)(p.max_x / size),
		(int16_t)(p.max_y / size) };
	r->c->tris[r->c->n_tris++] = (struct tri_ref){ { a, b, c }, r->draw };
	uint64_t area_px = (uint64_t)(p.max_x - p.min_x + 1) *
			(uint64_t)(p.max_y - p.min_y + 1);
	r->c->area_px += r->work->serial ? area_px * SERIAL_COST : area_px;
	r->c->over = r->c->area_px > r->c->limit_px;
	return !r->c->over;
}

static void negate4(float q[4]) {
	for (unsigned k = 0; k < 4; k++) {
		q[k] = -q[k];
	}
}

/*
 * A triangle with records of its own. color: the third vertex's plain colour for all three, or
 * NULL; flips: whose quaternions are negated.
 */
static bool emit_own(struct segment_run *r, const struct vert *const v[3], const float *color,
		unsigned flips) {
	if (!reserve_verts(r->c, 3)) {
		return false;
	}
	uint32_t at = r->c->n_verts;
	for (unsigned i = 0; i < 3; i++) {
		struct vert *own = &r->c->verts[at + i];
		*own = *v[i];
		if (color) {
			memcpy(&own->a[PLANE_COLOR], color, 4 * sizeof(float));
		}
		if (flips >> i & 1) {
			negate4(&own->a[PLANE_QUAT]);
		}
	}
	r->c->n_verts = at + 3;
	return emit(r, at, at + 1, at + 2);
}

static bool clipped_triangle(struct segment_run *r, const struct clip_vertex *const v[3],
		unsigned planes) {
	struct clip_vertex poly[CLIP_MAX_VERTICES];
	unsigned n = clip_polygon(r->g, v, planes, poly);
	if (n < 3) {
		return true;
	}
	struct vert rec[CLIP_MAX_VERTICES];
	bool ok[CLIP_MAX_VERTICES];
	for (unsigned i = 0; i < n; i++) {
		ok[i] = project(r->g, &poly[i], &rec[i]);
	}
	if (!reserve_verts(r->c, n)) {
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
		if (r->g->flat) {
			const struct vert *const fan[3] = { &rec[0], &rec[i], &rec[i + 1] };
			if (!emit_own(r, fan, &v[2]->a[0], 0)) {
				return false;
			}
		} else if (!emit(r, at, at + i, at + i + 1)) {
			return false;
		}
	}
	return true;
}

static bool triangle(struct segment_run *r, uint32_t a, uint32_t b, uint32_t c) {
	const struct vertex_scratch *s = r->s;
	unsigned any = s->code[a] | s->code[b] | s->code[c];
	r->c->triangles++;
	if (s->code[a] & s->code[b] & s->code[c]) {
		return true;
	}
	unsigned flips = r->lit ? quaternion_flips(&s->cv[a], &s->cv[b], &s->cv[c]) : 0;
	if (any) {
		const struct clip_vertex *v[3] = { &s->cv[a], &s->cv[b], &s->cv[c] };
		struct clip_vertex turned[3];
		for (unsigned i = 1; i < 3; i++) {
			if (flips >> i & 1) {
				turned[i] = *v[i];
				negate4(&turned[i].a[PLANE_QUAT - PLANE_COLOR]);
				v[i] = &turned[i];
			}
		}
		return clipped_triangle(r, v, any);
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
	if (r->g->flat || flips) {
		struct vert copy[3] = { *va, *vb, *vc };
		const struct vert *const v[3] = { &copy[0], &copy[1], &copy[2] };
		return emit_own(r, v, r->g->flat ? &s->cv[c].a[0] : NULL, flips);
	}
	return emit(r, r->base + a, r->base + b, r->base + c);
}

static bool assemble(struct segment_run *r, const struct segment *seg, uint32_t first_position) {
	const uint32_t *slot = r->s->slot;
	uint32_t hub = 0;
	for (uint32_t i = 0; i < seg->n; i++) {
		uint32_t prim = seg->first + i, at = 0;
		uint32_t a, b, c;
		switch ((enum topology)r->d->topology) {
		case TOPOLOGY_STRIP:
			at = prim - first_position;
			a = slot[at], b = slot[at + 1], c = slot[at + 2];
			if ((prim ^ r->d->parity) & 1) {
				uint32_t swap = a;
				a = b;
				b = swap;
			}
			break;
		case TOPOLOGY_FAN:
			/* Slot 0 is the hub; positions prim + 1, prim + 2 follow it. */
			at = prim + 1 - first_position + 1;
			a = slot[hub], b = slot[at], c = slot[at + 1];
			break;
		case TOPOLOGY_LIST:
		case TOPOLOGY_GEOMETRY:
		default:
			at = 3 * prim - first_position;
			a = slot[at], b = slot[at + 1], c = slot[at + 2];
			break;
		}
		if (!triangle(r, a, b, c)) {
			return false;
		}
	}
	return true;
}

/* ---- A segment ---- */

/* Vertex number -> slot of the segment, shading list filled. */
static uint32_t resolve(
		struct vertex_scratch *s, bool cached, uint32_t number, uint32_t *n_unique) {
	unsigned h = number % CACHE_ENTRIES;
	if (cached && s->cache[h].index == number && s->cache[h].slot != UINT32_MAX) {
		return s->cache[h].slot;
	}
	uint32_t slot = (*n_unique)++;
	s->unique[slot] = number;
	if (cached) {
		s->cache[h].index = number;
		s->cache[h].slot = slot;
	}
	return slot;
}

/* Finds out what is to be shaded. False: memory is out. */
static bool begin_segment(struct chunk *c, const struct segment *seg, const struct draw *d,
		const struct tile_work *work, struct vertex_scratch *s) {
	struct segment_run *r = &s->run;
	*r = (struct segment_run){ .c = c,
		.d = d,
		.g = d->state.geom,
		.rs = d->state.frag->rs,
		.work = work,
		.s = s,
		.draw = seg->draw,
		.lit = d->state.planes >> PLANE_QUAT & 1 };

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
	default:
		first_position = 3 * seg->first;
		n_positions = 3 * seg->n;
		break;
	}

	if (!reserve_verts(c, n_positions + hub)) {
		return false;
	}
	r->base = c->n_verts;
	bool cached = d->index != NULL;
	if (cached) {
		for (unsigned i = 0; i < CACHE_ENTRIES; i++) {
			s->cache[i].slot = UINT32_MAX;
		}
	}
	/* Prefix vertices take the first slots, shaded ones follow: count them first. */
	uint32_t n_ready = 0;
	for (uint32_t i = 0; i < n_positions + hub; i++) {
		uint32_t p = hub ? (i == 0 ? 0 : first_position + i - 1) : first_position + i;
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
	for (uint32_t i = 0; i < n_positions + hub; i++) {
		uint32_t p = hub ? (i == 0 ? 0 : first_position + i - 1) : first_position + i;
		if (p >= d->n_prefix) {
			s->slot[i] = resolve(s, cached, stream_number(d, p - d->n_prefix), &n);
		}
	}
	r->n_ready = r->at = n_ready;
	r->n = n;
	r->first_position = first_position;
	return true;
}

enum progress { GOES_ON, OVER, SLICE_OVER };

static enum progress shade_segment(struct chunk *c, const struct engine *e,
		const struct space *space, struct vertex_scratch *s, struct slice *slice) {
	struct segment_run *r = &s->run;
	const struct vertex_part *part = r->d->state.vertex;
	while (r->at < r->n) {
		const uint32_t at = r->at;
		unsigned lanes = r->n - at < SHADER_LANES ? r->n - at : SHADER_LANES;
		/*
		 * A lane that takes a step more than the job has left ends the chunk, whatever it
		 * computes.
		 */
		uint64_t left = c->limit_steps - c->shader.steps, before = c->shader.steps;
		shade_numbers(e, space, part, r->d, s->unique + at, lanes,
				part->step_budget <= left ? part->step_budget : left + 1, &s->batch,
				&c->shader, &c->outside);
		if (c->shader.steps > c->limit_steps || c->shader.cut ||
				tile_is_abandoned(r->work)) {
			c->over = true;
			return OVER;
		}
		e->k.geom.project_batch(r->g, &part->map, &s->batch, lanes, r->d->state.planes,
				s->cv + at, c->verts + r->base + at, s->code + at, s->ok + at);
		r->at += lanes;
		if (slice_over(slice, BATCH_TICKS + (c->shader.steps - before) / 2)) {
			return SLICE_OVER;
		}
	}
	return GOES_ON;
}

static enum progress run_segment(struct chunk *c, const struct engine *e, const struct space *space,
		const struct draw *const *draws, const struct tile_work *work,
		struct vertex_scratch *s, struct slice *slice) {
	const struct segment *seg = &c->seg[s->segment];
	if (!s->is_inside && !begin_segment(c, seg, draws[seg->draw], work, s)) {
		return OVER;
	}
	s->is_inside = true;
	enum progress progress = shade_segment(c, e, space, s, slice);
	if (progress != GOES_ON) {
		return progress;
	}
	s->is_inside = false;
	c->shaded += s->run.n - s->run.n_ready;
	c->n_verts += s->run.n;
	return assemble(&s->run, seg, s->run.first_position) ? GOES_ON : OVER;
}

/* ---- Binning: counting sort by tile ---- */

static bool bin(struct chunk *c, const struct tile_work *work) {
	unsigned n_tiles = work->tiles_x * work->tiles_y;
	if (c->cap_start < n_tiles + 1) {
		uint32_t *start = realloc(c->tile_start, (size_t)(n_tiles + 1) * sizeof(*start));
		if (!start) {
			return false;
		}
		c->tile_start = start;
		c->cap_start = n_tiles + 1;
	}
	memset(c->tile_start, 0, (size_t)(n_tiles + 1) * sizeof(*c->tile_start));
	for (uint32_t i = 0; i < c->n_tris; i++) {
		const struct tri_box *b = &c->boxes[i];
		for (int y = b->y0; y <= b->y1; y++) {
			for (int x = b->x0; x <= b->x1; x++) {
				c->tile_start[(unsigned)y * work->tiles_x + (unsigned)x + 1]++;
			}
		}
	}
	for (unsigned t = 0; t < n_tiles; t++) {
		c->tile_start[t + 1] += c->tile_start[t];
	}
	uint32_t total = c->tile_start[n_tiles];
	if (c->cap_list < total) {
		uint32_t cap = total + total / 2;
		uint32_t *list = realloc(c->tile_list, (size_t)cap * sizeof(*list));
		if (!list) {
			return false;
		}
		c->tile_list = list;
		c->cap_list = cap;
	}
	/* Fill backwards from the ends, so that start[t] ends up at the start and order is kept. */
	for (uint32_t i = c->n_tris; i-- > 0;) {
		const struct tri_box *b = &c->boxes[i];
		for (int y = b->y0; y <= b->y1; y++) {
			for (int x = b->x0; x <= b->x1; x++) {
				c->tile_list[--c->tile_start[(unsigned)y * work->tiles_x +
						(unsigned)x + 1]] = i;
			}
		}
	}
	/* Now start[t + 1] is the start of tile t: shift down. */
	memmove(c->tile_start, c->tile_start + 1, (size_t)n_tiles * sizeof(*c->tile_start));
	c->tile_start[n_tiles] = total;
	return true;
}

void chunk_begin(struct vertex_scratch *s) {
	s->segment = 0;
	s->is_inside = false;
}

bool chunk_go_on(struct chunk *c, const struct engine *e, const struct space *space,
		const struct draw *const *draws, const struct tile_work *work,
		struct vertex_scratch *s, struct slice *slice) {
	bool ok = true;
	for (; s->segment < c->n_seg && ok; s->segment++) {
		enum progress progress = run_segment(c, e, space, draws, work, s, slice);
		if (progress == SLICE_OVER) {
			return false;
		}
		ok = progress == GOES_ON;
	}
	if (ok && c->n_tris && !work->serial) {
		ok = bin(c, work);
	}
	if (!ok) {
		c->failed = !c->over;
		c->n_tris = 0;
	}
	atomic_store_explicit(&c->spent_px, c->area_px, memory_order_relaxed);
	/* Behind an invocation that was cut off the job draws nothing more. */
	atomic_store_explicit(&c->spent_steps, c->shader.cut ? STEPS_CUT : c->shader.steps,
			memory_order_relaxed);
	return true;
}
