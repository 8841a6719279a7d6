/*
 * Fragments are noted as they are drawn; before that, core/chunk/watch.c finds the primitives that
 * cover the pixel, or would. Both are in the order of the draws, and are joined after each bin.
 */
#include "vc4/draw/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/morton.h"

/* A watched pixel of the job. */
struct tap {
	unsigned pixel;         /* of the history */
	uint32_t x, y;          /* of the image */
	uint8_t column, row;    /* of its tile */
	unsigned task;          /* that has the tile; it alone changes the members after `host` */
	uint32_t px;            /* in the buffer */
	const struct vc4_transfer *transfer; /* the first store */
	const struct vc4_rendering *rendering;
	uint32_t addr;          /* of the pixel */
	const uint8_t *host;
	struct vc4_log log;
	size_t first_of_run;    /* entries whose effect is not stored yet */
	uint32_t bytes, zs;     /* of the buffer, as last noted; zs: sample 0 */
	bool is_drawing;
	size_t first_drawn;     /* entries of the bin that is drawn */
	uint32_t drawn_bytes, drawn_zs; /* of the buffer before it */
	/* Primitives there, in order; of those that are drawn the verdict is KEPT. */
	struct vc4_log primitives;
};

struct vc4_watch {
	struct vc4_history *history;
	const struct vc4_frame *frame;
	struct pica_history_entry at; /* where the job is */
	uint32_t binning, first_draw;
	bool has_steps;
	unsigned n;
	struct tap tap[PICA_WATCH_MAX];
};

static bool is_tile_of(const struct tap *t, const struct vc4_tile_op *op) {
	return op->column == t->column && op->row == t->row;
}

static uint32_t depth_of(uint32_t zs) {
	return zs >> 8;
}

/* Appends an entry with the last noted buffer contents. NULL: out of memory. */
static struct pica_history_entry *add(const struct vc4_watch *w, struct tap *t, struct vc4_log *to,
		enum pica_history_kind kind) {
	const struct vc4_rendering *r = t->rendering;
	struct pica_history_entry *e = vc4_log_entries(to, 1);
	if (e) {
		*e = w->at;
		e->kind = (uint8_t)kind;
		e->watch = (uint8_t)t->pixel;
		e->steps = PICA_HISTORY_NONE;
		e->before = e->after = t->bytes;
		e->z_before = e->z_after = depth_of(t->zs);
		e->stencil_before = e->stencil_after = (uint8_t)t->zs;
		e->target = (struct pica_target){ .width = r->width, .height = r->height,
			.color_addr = t->transfer->address, .color_format = t->transfer->format };
		e->x = t->x;
		e->y = t->y;
		for (unsigned i = 0; i < 3; i++) {
			e->vertex[i] = PICA_HISTORY_NONE;
		}
	}
	return e;
}

/* The buffer has changed. */
static void update(struct tap *t, const struct tile_buffer *b, struct pica_history_entry *e) {
	t->bytes = vc4_stored_pixel(t->transfer, t->rendering, b, t->px);
	t->zs = b->depth[t->px];
	if (e) {
		e->after = t->bytes;
		e->z_after = depth_of(t->zs);
		e->stencil_after = (uint8_t)t->zs;
	}
}

static uint32_t in_memory(const struct tap *t) {
	uint32_t bytes = 0;
	memcpy(&bytes, t->host, t->transfer->format == VC4_FORMAT_RGBA8888 ? 4 : 2);
	return bytes;
}

/* ---- The command thread ---- */

/* The pixel of a store's image that holds the byte. */
static bool find_place(struct tap *t, const struct vc4_frame *f, const struct vc4_tile_op *op,
		uint32_t addr, const struct space *space) {
	const struct vc4_transfer *s = &f->transfers[op->value];
	const struct vc4_rendering *r = &f->renderings[op->rendering];
	const struct vc4_binning *b = &f->binning;
	if (op->kind != VC4_TILE_STORE || !s->color || s->is_full ||
			(b->exists && b->tile_px != r->tile_px)) {
		return false;
	}
	const struct vc4_image image = vc4_transfer_image(s, r);
	const uint32_t bytes = vc4_image_bytes(&image), tile_px = r->tile_px;
	if (addr < s->address || addr - s->address >= bytes ||
			!vc4_image_place(&image, addr - s->address, &t->x, &t->y)) {
		return false;
	}
	t->column = (uint8_t)(t->x / tile_px);
	t->row = (uint8_t)(t->y / tile_px);
	t->px = tiled_index(t->x % tile_px, t->y % tile_px, tile_px, 0);
	t->transfer = s;
	t->rendering = r;
	t->addr = s->address + vc4_image_offset(&image, t->x, t->y);
	t->host = space_host(space, t->addr, image.px_bytes);
	return t->host && is_tile_of(t, op);
}

/* The task that does an operation. */
static unsigned task_of(const struct vc4_tiles *tiles, uint32_t op) {
	unsigned task = 0;
	for (uint32_t i = 0; i < tiles->first[tiles->program.n_tasks]; i++) {
		if (tiles->steps[i] == op) {
			while (tiles->first[task + 1] <= i) {
				task++;
			}
			break;
		}
	}
	return task;
}

struct vc4_watch *vc4_watch_begin(struct vc4_unit *unit, struct exec *x,
		const struct vc4_tiles *tiles, uint32_t binning) {
	struct vc4_history *h = unit->history;
	const struct vc4_frame *f = tiles->frame;
	if (!h || unit->part.is_on) {
		return NULL;
	}
	struct vc4_watch *w = calloc(1, sizeof(*w));
	if (!w) {
		h->log.error = -ENOMEM;
		return NULL;
	}
	*w = (struct vc4_watch){ .history = h,
		.frame = f,
		.at = h->at,
		.binning = binning,
		.first_draw = h->n_draws,
		.has_steps = h->has_steps };
	h->n_draws += f->n_draws;
	for (unsigned i = 0; i < h->n_pixels; i++) {
		struct tap *t = &w->tap[w->n];
		bool found = false;
		for (uint32_t k = 0; k < f->n_ops && !found; k++) {
			found = find_place(t, f, &f->ops[k], h->pixel[i].addr, x->space);
			t->task = found ? task_of(tiles, k) : 0;
		}
		t->pixel = i;
		w->n += found;
	}
	if (!w->n) {
		free(w);
		w = NULL;
	}
	return w;
}

void vc4_watch_destroy(struct vc4_watch *w) {
	for (unsigned i = 0; w && i < w->n; i++) {
		vc4_log_finish(&w->tap[i].log);
		vc4_log_finish(&w->tap[i].primitives);
	}
	free(w);
}

struct look {
	struct vc4_watch *w;
	struct tap *t;
	const struct unit *pass;
};

static void on_primitive(void *user, const struct watched *seen) {
	static const enum pica_verdict fates[] = { [WATCH_DRAWN] = PICA_VERDICT_KEPT,
		[WATCH_CULLED] = PICA_VERDICT_CULLED,
		[WATCH_CLIPPED] = PICA_VERDICT_CLIPPED,
		[WATCH_DEGENERATE] = PICA_VERDICT_DEGENERATE };
	const struct look *l = user;
	const struct draw *d = l->pass->draws[seen->draw];
	const struct raster_state *rs = d->state.raster;
	const struct vc4_frag_part *part = d->state.frag;
	const int32_t x = (int32_t)l->t->x, y = (int32_t)l->t->y;
	struct pica_history_entry *e =
			add(l->w, l->t, &l->t->primitives, PICA_HISTORY_DRAW);
	if (!e) {
		return;
	}
	e->draw = l->w->first_draw + part->number;
	e->primitive = seen->primitive;
	e->verdict = (uint8_t)fates[seen->fate];
	if (seen->fate == WATCH_DRAWN &&
			(x < rs->min_x || x > rs->max_x || y < rs->min_y || y > rs->max_y)) {
		e->verdict = PICA_VERDICT_SCISSOR;
	}
	for (unsigned i = 0; i < 3; i++) {
		const uint32_t at = seen->position[i];
		e->vertex[i] = d->index ? d->index[at] : d->first + at;
	}
	watch_barycentric(seen, l->t->x, l->t->y, 1 << rs->rule->subpixel_bits, e->barycentric);
}

void vc4_watch_pass(struct vc4_watch *w, struct exec *x) {
	if (!w) {
		return;
	}
	exec_wait_all(x); /* earlier jobs may write vertices */
	const struct unit *pass = x->open;
	struct pass_work work = pass->work;
	work.draws = pass->draws;
	for (unsigned i = 0; i < w->n; i++) {
		struct tap *t = &w->tap[i];
		struct look l = { w, t, pass };
		const struct target target = { .width = (uint16_t)t->rendering->width,
			.height = (uint16_t)t->rendering->height };
		for (unsigned c = 0; c < pass->n_chunks; c++) {
			const struct chunk *ch = pass->chunks[c];
			for (unsigned s = 0; s < ch->n_seg; s++) {
				if (watch_segment(&w->history->watch, &work, &ch->seg[s], &target,
						    t->x, t->y, on_primitive, &l) < 0) {
					t->log.error = -ENOMEM;
				}
			}
		}
	}
}

/* No store follows: the work on the buffer since the last store is lost. */
static void lose(struct tap *t) {
	for (size_t i = t->first_of_run; i < t->log.n_entries; i++) {
		struct pica_history_entry *e = &t->log.entries[i];
		e->verdict = e->verdict == PICA_VERDICT_KEPT ? PICA_VERDICT_LOST : e->verdict;
		e->replaces = 0;
	}
	t->first_of_run = t->log.n_entries;
}

void vc4_watch_end(struct vc4_watch *w) {
	for (unsigned i = 0; w && i < w->n; i++) {
		lose(&w->tap[i]);
		vc4_log_append(&w->history->log, &w->tap[i].log);
	}
}

/* ---- Tasks ---- */

/*
 * Joins the fragments of a bin with the primitives: each drawn one has the next fragment of its
 * draw. Fragments without a primitive are of points and lines; drawn primitives without a fragment
 * were lost.
 */
static void join(struct tap *t) {
	struct vc4_log all = { 0 };
	const struct vc4_log *l = &t->log, *p = &t->primitives;
	size_t i = t->first_drawn, k = 0;
	while (i < l->n_entries || k < p->n_entries) {
		struct pica_history_entry *e = vc4_log_entries(&all, 1);
		if (!e) {
			t->log.error = -ENOMEM;
			break;
		}
		const struct pica_history_entry *f = i < l->n_entries ? &l->entries[i] : NULL;
		const struct pica_history_entry *q = k < p->n_entries ? &p->entries[k] : NULL;
		if (f && (!q || f->draw < q->draw)) {
			*e = *f;
			i++;
			continue;
		}
		const bool is_drawn = q->verdict == PICA_VERDICT_KEPT;
		k++;
		if (is_drawn && f && f->draw == q->draw) {
			*e = *f;
			e->primitive = q->primitive;
			memcpy(e->vertex, q->vertex, sizeof(e->vertex));
			memcpy(e->barycentric, q->barycentric, sizeof(e->barycentric));
			i++;
			continue;
		}
		*e = *q;
		e->verdict = is_drawn ? PICA_VERDICT_LOST : q->verdict;
		/* As the entry before leaves it, or as drawing found it. */
		const bool is_first = all.n_entries == 1;
		e->before = e->after = is_first ? t->drawn_bytes : e[-1].after;
		e->z_before = e->z_after = is_first ? depth_of(t->drawn_zs) : e[-1].z_after;
		e->stencil_before = e->stencil_after =
				is_first ? (uint8_t)t->drawn_zs : e[-1].stencil_after;
	}
	t->log.n_entries = t->first_drawn;
	struct pica_history_entry *to =
			all.n_entries ? vc4_log_entries(&t->log, all.n_entries) : NULL;
	if (to) {
		memcpy(to, all.entries, all.n_entries * sizeof(*to));
	}
	vc4_log_finish(&all);
}

void vc4_watch_walked(struct vc4_watch *w, unsigned task) {
	for (unsigned i = 0; i < w->n; i++) {
		struct tap *t = &w->tap[i];
		if (t->task == task && t->is_drawing) {
			join(t);
			t->is_drawing = false;
		}
	}
}

void vc4_watch_clear(struct vc4_watch *w, unsigned task, const struct vc4_tile_op *op,
		const struct tile_buffer *b) {
	for (unsigned i = 0; i < w->n; i++) {
		struct tap *t = &w->tap[i];
		if (t->task != task || !is_tile_of(t, op)) {
			continue;
		}
		lose(t);
		t->bytes = in_memory(t);
		t->zs = b->depth[t->px];
		struct pica_history_entry *e = add(w, t, &t->log, PICA_HISTORY_CLEAR);
		if (e) {
			e->replaces = 1;
		}
		update(t, b, e);
	}
}

static void loaded(struct vc4_watch *w, struct tap *t, const struct vc4_tile_op *op,
		const struct tile_buffer *b) {
	const struct vc4_transfer *from = &w->frame->transfers[op->value];
	const struct vc4_rendering *r = &w->frame->renderings[op->rendering];
	if (!from->color) { /* a part of a buffer, or nothing */
		update(t, b, NULL);
		return;
	}
	for (size_t i = t->first_of_run; i < t->log.n_entries; i++) {
		struct pica_history_entry *e = &t->log.entries[i];
		if (e->verdict == PICA_VERDICT_KEPT) {
			e->verdict = PICA_VERDICT_OVERWRITTEN;
		}
	}
	struct pica_history_entry *e = add(w, t, &t->log, PICA_HISTORY_TILE_LOAD);
	if (e && !from->is_full && t->x < r->width && t->y < r->height) {
		const struct vc4_image image = vc4_transfer_image(from, r);
		e->n_sources = 1;
		e->source[0] = (struct pica_watch){
			from->address + vc4_image_offset(&image, t->x, t->y), image.px_bytes };
	}
	update(t, b, e);
	if (e) {
		/* From the same pixel: its origin is still to be found. */
		e->replaces = e->n_sources && e->source[0].addr != t->addr;
	}
}

/* Whether a store writes the pixel: the first one, or another one in the same form. */
static bool stores(const struct vc4_watch *w, const struct tap *t, const struct vc4_tile_op *op) {
	const struct vc4_transfer *s = &w->frame->transfers[op->value];
	const struct vc4_rendering *r = &w->frame->renderings[op->rendering];
	if (!s->color || s->is_full || t->x >= r->width || t->y >= r->height) {
		return false;
	}
	const struct vc4_image image = vc4_transfer_image(s, r);
	return s->format == t->transfer->format &&
			s->address + vc4_image_offset(&image, t->x, t->y) == t->addr;
}

static void stored(struct vc4_watch *w, struct tap *t) {
	t->first_of_run = t->log.n_entries;
	struct pica_history_entry *e = add(w, t, &t->log, PICA_HISTORY_STORE);
	if (e) {
		e->after = in_memory(t);
	}
	t->first_of_run = t->log.n_entries;
}

void vc4_watch_op(struct vc4_watch *w, unsigned task, const struct vc4_tile_op *op,
		const struct tile_buffer *b) {
	for (unsigned i = 0; i < w->n; i++) {
		struct tap *t = &w->tap[i];
		if (t->task != task || !is_tile_of(t, op)) {
			continue;
		}
		if (op->kind == VC4_TILE_DRAW) {
			t->is_drawing = true;
			t->first_drawn = t->log.n_entries;
			t->drawn_bytes = t->bytes;
			t->drawn_zs = t->zs;
		} else if (op->kind == VC4_TILE_LOAD) {
			loaded(w, t, op, b);
		} else {
			if (stores(w, t, op)) {
				stored(w, t);
			}
			update(t, b, NULL); /* a store may clear a part of the buffer */
		}
	}
}

/* ---- Fragments ---- */

/* A watched fragment of a run. */
struct noted {
	struct tap *t;
	struct qpu_trace trace;
	uint8_t samples; /* that it covers */
};

static uint8_t samples_of(const struct qpu_tlb *tlb, unsigned lane) {
	unsigned samples = 0;
	for (unsigned s = 0; s < tlb->n_samples; s++) {
		samples |= (unsigned)(tlb->covered[s] >> lane & 1) << s;
	}
	return (uint8_t)samples;
}

static void take_varyings(struct pica_qpu_fragment *f, const struct qpu_run *r, unsigned lane) {
	f->n_varyings = r->n_varyings;
	for (unsigned i = 0; i < r->n_varyings; i++) {
		f->varying[i] = r->varying[i][lane] * r->w[lane] + r->varying_c[i];
	}
}

static enum pica_verdict verdict_of(const struct noted *n, uint8_t passed, int error) {
	const struct qpu_trace *t = &n->trace;
	if (error) {
		return PICA_VERDICT_LOST;
	}
	if (passed) {
		return t->has_color ? PICA_VERDICT_KEPT : PICA_VERDICT_MASKED;
	}
	return !t->has_z           ? PICA_VERDICT_MASKED :
			t->fails_stencil ? PICA_VERDICT_STENCIL : PICA_VERDICT_DEPTH;
}

/* Called after the program, with the pixel's buffer of the run. */
static void note(const struct vc4_frag_part *part, const struct noted *n, const struct qpu_run *r,
		int error) {
	struct vc4_watch *w = part->watch;
	struct tap *t = n->t;
	const struct qpu_trace *trace = &n->trace;
	const struct tile_buffer *b = (const void *)r->tlb->color; /* its first member */
	struct pica_history_entry *e = add(w, t, &t->log, PICA_HISTORY_DRAW);
	struct vc4_noted_fragment *noted = vc4_log_fragment(&t->log);
	if (!e || !noted) {
		return;
	}
	const uint8_t passed = samples_of(r->tlb, trace->lane);
	e->draw = w->first_draw + part->number;
	e->primitive = PICA_HISTORY_NONE;
	e->verdict = (uint8_t)verdict_of(n, passed, error);
	e->replaces = e->verdict == PICA_VERDICT_KEPT && !trace->reads_color &&
			passed == (1u << r->tlb->n_samples) - 1;
	e->steps = (uint32_t)(t->log.n_fragments - 1);
	update(t, b, e);
	const uint32_t kept = trace->n < trace->cap ? trace->n : trace->cap;
	*noted = (struct vc4_noted_fragment){
		.fragment = { .record = part->record,
			.offset = part->record - w->binning,
			.program = part->state->shader->fragment.code,
			.uniforms = part->fragment.uniforms & VC4_ADDRESS_BITS,
			.z = r->z[trace->lane],
			.w = r->w[trace->lane],
			.samples = n->samples,
			.passed = passed,
			.reads_color = trace->reads_color,
			.writes_z = trace->writes_z,
			.color = trace->color,
			.error = error,
			.n_steps = trace->n,
			.n_kept = kept },
	};
	take_varyings(&noted->fragment, r, trace->lane);
	/* The trace has written the steps after the end of the log: see make_room(). */
	noted->first_step = t->log.n_steps;
	t->log.n_steps += kept;
}

/* Finds the watched pixels that a run covers. Returns their number. */
static unsigned find_noted(const struct vc4_frag_part *part, struct qpu_run *r,
		struct noted noted[PICA_WATCH_MAX]) {
	struct vc4_watch *w = part->watch;
	const struct qpu_tlb *tlb = r->tlb;
	unsigned n = 0;
	for (unsigned i = 0; i < w->n; i++) {
		struct tap *t = &w->tap[i];
		unsigned lane = 0;
		while (lane < QPU_LANES && !(tlb->x[lane] == (int32_t)t->x &&
				tlb->y[lane] == (int32_t)t->y && samples_of(tlb, lane))) {
			lane++;
		}
		if (lane < QPU_LANES) {
			noted[n++] = (struct noted){ .t = t,
				.trace = { .lane = lane },
				.samples = samples_of(tlb, lane) };
		}
	}
	return n;
}

/* Makes room for steps after the end of the log; note() appends the traced ones. */
static void make_room(struct noted *n) {
	struct vc4_log *l = &n->t->log;
	if (l->n_steps + PICA_QPU_STEPS <= WATCH_JOB_STEPS) {
		n->trace.steps = vc4_log_steps(l, PICA_QPU_STEPS);
		n->trace.cap = n->trace.steps ? PICA_QPU_STEPS : 0;
		l->n_steps -= n->trace.cap;
	}
}

int vc4_watch_run(const struct vc4_frag_part *part, struct qpu_run *r,
		int (*run)(struct qpu_run *r)) {
	struct noted noted[PICA_WATCH_MAX];
	const unsigned n = find_noted(part, r, noted);
	if (!n) {
		return run(r);
	}
	for (unsigned i = 0; i < n; i++) {
		if (part->watch->has_steps) {
			make_room(&noted[i]);
		}
		noted[i].trace.next = i ? &noted[i - 1].trace : NULL;
	}
	r->trace = &noted[n - 1].trace;
	const int ret = qpu_run_c(r);
	r->trace = NULL;
	for (unsigned i = 0; i < n; i++) {
		note(part, &noted[i], r, ret);
	}
	return ret;
}
