/*
 * A first replay finds the pixel's address at the end of its frame, and follows it back through
 * transfers and copies. A second one watches all these addresses. Both begin at the frame itself;
 * if nothing wrote the pixel in it, they begin earlier and earlier, down to the capture's start.
 */
#include "pixel/pixel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/facts.h"
#include "core/base/morton.h"
#include "pica_regs.h"
#include "vc4/tex/layout.h"

static uint8_t widen(uint32_t v, unsigned bits) {
	uint32_t x = v << (8 - bits);
	for (unsigned have = bits; have < 8; have += bits) {
		x |= x >> bits;
	}
	return (uint8_t)x;
}

void pixel_color(uint32_t format, uint32_t w, uint8_t rgba[4]) {
	static const uint8_t low[5][4] = { { 24, 16, 8, 0 }, { 16, 8, 0, 0 }, { 11, 6, 1, 0 },
		{ 11, 5, 0, 0 }, { 12, 8, 4, 0 } };
	static const uint8_t bits[5][4] = { { 8, 8, 8, 8 }, { 8, 8, 8, 0 }, { 5, 5, 5, 1 },
		{ 5, 6, 5, 0 }, { 4, 4, 4, 4 } };
	for (unsigned c = 0; c < 4; c++) {
		const unsigned n = format < 5 ? bits[format][c] : 0;
		rgba[c] = n ? widen(w >> low[format][c] & 0xFFu >> (8 - n), n) : 255;
	}
}

/* A job of the capture, in a frame whose lists are submitted as single writes. */
struct split {
	uint32_t frame, event;
	uint64_t seq; /* of the last job before it */
};

struct finder {
	struct pixel_answer *a;
	const struct pixel_options *o;
	struct capture_here *c; /* borrowed */
	struct pixel_place place[PICA_WATCH_MAX];
	unsigned n_places;
	struct step step; /* of the current replay */
	struct split *split; /* in order; owned */
	size_t n_split, cap_split;
};

static int on_event(void *user, const struct pica_capture_event *event) {
	struct finder *f = user;
	struct split *grown = array_room(f->split, f->n_split, &f->cap_split, sizeof(*grown));
	if (!grown) {
		return -ENOMEM;
	}
	const struct split *last = f->n_split ? &grown[f->n_split - 1] : NULL;
	const uint32_t frame = (uint32_t)f->step.replay.frames;
	struct split next = { .frame = frame,
		.event = last && last->frame == frame ? last->event + 1 : 0 };
	f->split = grown;
	const int ret = pica_submit(f->c->ctx, NULL, 0, &next.seq);
	f->split[f->n_split++] = next;
	return ret;
}

/* Draws frames [first, frame] with these pixels watched. Returns an exit code. */
static int replay_watched(struct finder *f, const struct pica_watch *pixels, unsigned n) {
	static const struct step_visitor visitor = { .event = on_event };
	const struct pixel_answer *a = f->a;
	const struct edits *edits = f->o->engine.edits;
	struct replay *r = &f->step.replay;
	struct capture_here *c = f->c;
	f->n_split = 0;
	pica_ctx_watch(c->ctx, NULL, 0);
	pica_ctx_zero_memory(c->ctx);
	int ret = step_start(&f->step, gpu_here(c->ctx), c->capture, edits_first(edits, a->first),
			&visitor, f);
	f->step.edits = edits;
	bool is_watching = false;
	while (ret >= 0 && r->frames <= a->frame) {
		const uint32_t frame = (uint32_t)r->frames;
		if (frame >= a->first && !is_watching) {
			replay_wait(r);
			ret = pica_ctx_watch(c->ctx, pixels, n);
			ret = ret < 0 ? ret : pica_ctx_watch_steps(c->ctx, f->o->steps);
			is_watching = true;
		}
		ret = ret < 0 ? ret : step_frame(&f->step, edits_in_frame(edits, frame));
		if (ret == 0) {
			break; /* a file without markers is one frame */
		}
	}
	ret = ret < 0 ? ret : replay_wait(r);
	if (ret < 0) {
		return capture_failed(c->capture, a->path, ret);
	}
	return replay_job_failed(r, a->path);
}

static int add_place(struct finder *f, struct pica_watch at, uint32_t frame, uint32_t event) {
	if (f->n_places == PICA_WATCH_MAX) {
		return log_fail("%s: expected a pixel that comes out of fewer than %d", f->a->path,
				PICA_WATCH_MAX);
	}
	f->place[f->n_places++] = (struct pixel_place){ at, frame, event };
	return EXIT_FINE;
}

static int find_in_picture(struct finder *f) {
	const struct pixel_options *o = f->o;
	struct pixel_answer *a = f->a;
	struct pica_picture p;
	if (o->has_surface || o->given & PIXEL_SCREEN) {
		return log_fail("%s: a capture of a vc4: expected the picture of a frame, without --surface, --screen and --eye",
				a->path);
	}
	if (pica_ctx_picture(f->c->ctx, &p) < 0) {
		return log_fail("%s: frame %u: expected a job with a target", a->path, a->frame);
	}
	if (o->x >= p.width || o->y >= p.height) {
		return log_fail("%u,%u: expected a pixel inside of %ux%u", o->x, o->y, p.width,
				p.height);
	}
	a->format = p.format;
	if (!pixel_in_picture(f->c->ctx, &p, o->x, o->y, &a->shown)) {
		return log_fail("%s: frame %u: the target at %08X leaves memory", a->path, a->frame,
				p.addr);
	}
	return EXIT_FINE;
}

/* Finds the requested pixel in the context's current state. */
static int find_shown(struct finder *f) {
	const struct pixel_options *o = f->o;
	struct pixel_answer *a = f->a;
	if (a->is_vc4) {
		return find_in_picture(f);
	}
	if (o->has_surface) {
		const struct render_surface *s = &o->surface;
		const unsigned n = facts_color_bytes(s->format);
		if (o->x >= s->width || o->y >= s->height) {
			return log_fail("%u,%u: expected a pixel inside of %ux%u", o->x, o->y,
					s->width, s->height);
		}
		a->format = s->format;
		a->shown.addr = s->addr + n * tiled_index(o->x, o->y, s->width, false);
		a->shown.size_bytes = n;
		return EXIT_FINE;
	}
	const int ret = pica_ctx_screen_pixel(f->c->ctx, (enum pica_screen_id)o->screen,
			(enum pica_eye)o->eye, o->x, o->y, &a->shown, &a->format);
	if (ret == -ENODATA) {
		return log_fail("%s: the %s screen shows no memory in frame %u; expected --surface",
				a->path, o->screen == PICA_SCREEN_TOP ? "top" : "bottom",
				a->frame);
	}
	return ret < 0 ? log_fail("%u,%u: expected a pixel of the %s screen", o->x, o->y,
				 o->screen == PICA_SCREEN_TOP ? "top" : "bottom") :
			 EXIT_FINE;
}

/* Follows the places from `from` on, including those that it adds. */
static int trace(struct finder *f) {
	int exit = EXIT_FINE;
	for (unsigned i = 0; i < f->n_places && exit == EXIT_FINE; i++) {
		const struct pixel_place p = f->place[i];
		struct pica_history_entry e;
		if (!pica_ctx_trace(f->c->ctx, p.at.addr, p.frame, p.event, &e)) {
			continue;
		}
		for (unsigned k = 0; k < e.n_sources && exit == EXIT_FINE; k++) {
			struct pica_watch from = e.source[k];
			if (e.kind == PICA_HISTORY_COPY) {
				from.size_bytes = p.at.size_bytes; /* not its first byte */
			}
			exit = add_place(f, from, e.frame, e.event);
		}
	}
	return exit;
}

static bool is_before(const struct pica_history_entry *e, const struct pixel_place *p) {
	return e->frame < p->frame || (e->frame == p->frame && e->event < p->event);
}

/* Numbers the job of an entry as in the capture. Jobs of the frame are numbered from 0. */
static void number_event(const struct finder *f, struct pica_history_entry *e) {
	const struct split *first = NULL, *own = NULL;
	for (size_t i = 0; i < f->n_split; i++) {
		const struct split *s = &f->split[i];
		if (s->frame == e->frame) {
			first = first ? first : s;
			own = s->seq - first->seq <= e->event ? s : own;
		}
	}
	e->event = own ? own->event : e->event;
}

/* Stream order; entries of one pixel and job keep their order. */
static int compare(const void *x, const void *y) {
	const struct pica_history_entry *a = x, *b = y;
	const uint64_t key_a[4] = { a->frame, a->event, a->draw, a->primitive };
	const uint64_t key_b[4] = { b->frame, b->event, b->draw, b->primitive };
	for (unsigned i = 0; i < 4; i++) {
		if (key_a[i] != key_b[i]) {
			return key_a[i] < key_b[i] ? -1 : 1;
		}
	}
	const uint32_t x_at = a->watch != b->watch ? a->watch : a->reserved;
	const uint32_t y_at = a->watch != b->watch ? b->watch : b->reserved;
	return x_at < y_at ? -1 : 1;
}

/* Fragments of the entries, in their order. */
static int take_fragments(struct finder *f) {
	struct pixel_answer *a = f->a;
	int ret = 0;
	a->qpu = calloc(a->n + 1, sizeof(*a->qpu));
	for (size_t i = 0; a->qpu && i < a->n && ret == 0; i++) {
		struct pica_history_entry *e = &a->entries[i];
		if (e->steps != PICA_HISTORY_NONE) {
			ret = pixel_qpu_read(f->c->ctx, e->steps, f->o->steps, &a->qpu[i]);
			e->steps = (uint32_t)i;
		}
	}
	return a->qpu && ret == 0 ? EXIT_FINE : log_no_memory();
}

/* Steps of the entries, in their order. */
static int take_steps(struct finder *f) {
	struct pixel_answer *a = f->a;
	free(a->steps);
	a->steps = malloc((a->n + 1) * sizeof(*a->steps));
	for (size_t i = 0; a->steps && i < a->n; i++) {
		struct pica_history_entry *e = &a->entries[i];
		if (e->steps != PICA_HISTORY_NONE) {
			pica_ctx_read_steps(f->c->ctx, e->steps, &a->steps[i]);
			e->steps = (uint32_t)i;
		}
	}
	return a->steps ? EXIT_FINE : log_no_memory();
}

/* Takes the visible entries of each place, then sorts them all. */
static int take_entries(struct finder *f) {
	struct pixel_answer *a = f->a;
	const int64_t n = pica_ctx_history(f->c->ctx);
	struct pica_history_entry *all = n < 0 ? NULL : malloc((size_t)(n + 1) * sizeof(*all));
	pixel_qpu_finish(a->qpu, a->n);
	a->qpu = NULL;
	free(a->entries);
	a->entries = n < 0 ? NULL : malloc((size_t)(n + 1) * sizeof(*all));
	a->n = 0;
	a->last = -1;
	if (!all || !a->entries || pica_ctx_read_history(f->c->ctx, 0, (uint32_t)n, all) < 0) {
		free(all);
		return log_no_memory();
	}
	for (unsigned i = 0; i < f->n_places; i++) {
		const size_t begin = a->n;
		for (int64_t k = 0; k < n; k++) {
			if (all[k].watch == i && is_before(&all[k], &f->place[i])) {
				a->entries[a->n] = all[k];
				a->entries[a->n].reserved = (uint32_t)a->n;
				a->n++;
			}
		}
		pica_history_settle(a->entries + begin, a->n - begin);
	}
	free(all);
	if (f->n_places > 1) { /* else they are in order */
		qsort(a->entries, a->n, sizeof(*a->entries), compare);
	}
	for (size_t i = 0; i < a->n; i++) {
		struct pica_history_entry *e = &a->entries[i];
		const bool moves = e->kind == PICA_HISTORY_TRANSFER ||
				e->kind == PICA_HISTORY_COPY || e->kind == PICA_HISTORY_STORE ||
				(e->kind == PICA_HISTORY_TILE_LOAD && !e->replaces);
		a->last = e->verdict == PICA_VERDICT_KEPT && !moves ? (int64_t)i : a->last;
		e->frame += a->first;
		number_event(f, e);
	}
	return a->is_vc4 ? take_fragments(f) : f->o->steps ? take_steps(f) : EXIT_FINE;
}

static int look_from(struct finder *f) {
	struct pixel_answer *a = f->a;
	struct pica_watch watch[PICA_WATCH_MAX];
	f->n_places = 0;
	int exit = replay_watched(f, watch, 0);
	exit = exit == EXIT_FINE ? find_shown(f) : exit;
	/* The screen is that after the last job. */
	exit = exit == EXIT_FINE ? add_place(f, a->shown, UINT32_MAX, UINT32_MAX) : exit;
	exit = exit == EXIT_FINE ? trace(f) : exit;
	for (unsigned i = 0; i < f->n_places; i++) {
		watch[i] = f->place[i].at;
	}
	exit = exit == EXIT_FINE ? replay_watched(f, watch, f->n_places) : exit;
	exit = exit == EXIT_FINE ? take_entries(f) : exit;
	a->bytes = 0;
	const void *host = pica_ctx_host(f->c->ctx, a->shown.addr, a->shown.size_bytes);
	memcpy(&a->bytes, host ? host : "\0\0\0", a->shown.size_bytes);
	if (a->is_vc4) {
		const uint32_t rgba = a->shown.size_bytes == 2 ? vc4_rgba_from_565(a->bytes) :
								 a->bytes;
		memcpy(a->color, &rgba, sizeof(a->color));
	} else {
		pixel_color(a->format, a->bytes, a->color);
	}
	return exit;
}

int pixel_find_in(struct pixel_answer *a, const struct pixel_options *o, struct capture_here *c) {
	struct finder f = { .a = a, .o = o, .c = c };
	*a = (struct pixel_answer){ .path = o->capture, .last = -1,
		.is_vc4 = c->info.chip == PICA_CHIP_VC4 };
	const uint32_t n = capture_frames(c->capture);
	a->frame = o->frame == FRAME_LAST ? n - 1 : o->frame;
	int exit = capture_has_frame(o->capture, n, a->frame) ? EXIT_FINE : EXIT_TROUBLE;
	for (uint32_t back = 0; exit == EXIT_FINE; back = 2 * back + 1) {
		a->first = back < a->frame ? a->frame - back : 0;
		exit = look_from(&f);
		if (a->last >= 0 || !a->first) {
			break;
		}
	}
	free(f.split);
	return exit;
}

int pixel_find(struct pixel_answer *a, const struct pixel_options *o) {
	struct capture_here c;
	*a = (struct pixel_answer){ .path = o->capture, .last = -1 };
	int exit = capture_here_open(&c, o->capture, &o->engine);
	exit = exit == EXIT_FINE ? pixel_find_in(a, o, &c) : exit;
	capture_here_close(&c);
	return exit;
}

void pixel_finish(struct pixel_answer *a) {
	pixel_qpu_finish(a->qpu, a->n);
	free(a->entries);
	free(a->steps);
	*a = (struct pixel_answer){ 0 };
}
