#include "diff.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/facts.h"

enum { RECORD_BYTES = 128 << 20 }; /* of each side */

/* ---- A rendering ---- */

int diff_side_open(struct diff_side *s, const char *path, const struct engine_options *engine) {
	*s = (struct diff_side){ .path = path, .float_mode = engine->float_mode,
		.combiner = engine->combiner, .edits = engine->edits };
	int exit = capture_open(&s->capture, path);
	if (exit != EXIT_FINE) {
		return exit;
	}
	struct pica_capture_info info;
	pica_capture_info(s->capture, &info);
	s->chip = info.chip;
	s->n_frames = capture_frames(s->capture);
	s->name = capture_name(path);
	exit = s->name ? engine_create(&s->device, engine) : diff_side_failed(s, -ENOMEM);
	if (exit == EXIT_FINE && !(engine->given & ENGINE_THREADS)) {
		/* Waking workers for every draw costs several times as much as they save. */
		struct engine_options alone = *engine;
		alone.threads = 0;
		exit = engine_create(&s->stepper, &alone);
	}
	return exit;
}

void diff_side_close(struct diff_side *s) {
	pica_ctx_destroy(s->ctx);
	pica_device_destroy(s->stepper);
	pica_device_destroy(s->device);
	pica_capture_close(s->capture);
	free(s->name);
	*s = (struct diff_side){ .path = NULL };
}

int diff_side_restart(struct diff_side *s, uint32_t frame, const struct step_visitor *visitor,
		void *user) {
	pica_ctx_destroy(s->ctx);
	s->ctx = NULL;
	struct pica_device *device = visitor->drawn && s->stepper ? s->stepper : s->device;
	int ret = replay_create_ctx(&s->ctx, device, s->capture);
	if (ret < 0) {
		return ret;
	}
	const uint32_t first = edits_first(s->edits,
			replay_first(s->capture, frame, s->float_mode, s->combiner, false));
	ret = step_start(&s->step, gpu_here(s->ctx), s->capture, first, visitor, user);
	s->step.edits = s->edits;
	capture_note_skipped(s->capture, s->path,
			ret == 0 && s->step.replay.skipped_key && !s->is_noted);
	s->is_noted |= s->step.replay.skipped_key;
	return ret;
}

int diff_side_failed(const struct diff_side *s, int ret) {
	return capture_failed(s->capture, s->path, ret);
}

/*
 * Runs to the end of the frame, and calls the visitor in this frame only. *error: the visitor's; it
 * may also end the frame without one. Returns an exit code.
 */
static int run_frame(struct diff_side *s, uint32_t frame, const struct step_visitor *visitor,
		void *user, const int *error) {
	int ret = diff_side_restart(s, frame, visitor, user);
	for (uint64_t i = s->step.replay.frames; ret >= 0 && i <= frame; i++) {
		ret = step_frame(&s->step, i == frame);
	}
	if (ret == -ECANCELED) {
		ret = replay_wait(&s->step.replay);
	}
	ret = *error < 0 ? *error : ret;
	return ret < 0 ? diff_side_failed(s, ret) : EXIT_FINE;
}

void diff_print_state(const struct diff *d, const struct snapshot *s) {
	if (d->o->brief) {
		snapshot_title(s, stdout);
	} else {
		snapshot_short_text(s, stdout);
	}
}

/* ---- Targets ---- */

void diff_record_finish(struct diff_record *r) {
	free(r->rgba);
	free(r->depth);
	*r = (struct diff_record){ .rgba = NULL };
}

int diff_record_take(struct diff_record *r, struct pica_ctx *ctx, const struct step_draw *draw) {
	uint32_t regs[PICA_REG_COUNT];
	*r = (struct diff_record){ .draw = *draw };
	pica_ctx_read_regs(ctx, 0, PICA_REG_COUNT, regs);
	if (pica_target_from_regs(&r->target, regs) < 0) {
		return 0;
	}
	const size_t n = (size_t)r->target.width * r->target.height;
	r->rgba = malloc(4 * n);
	r->depth = malloc(sizeof(*r->depth) * n);
	if (!r->rgba || !r->depth) {
		diff_record_finish(r);
		return -ENOMEM;
	}
	if (pica_ctx_read_color(ctx, &r->target, r->rgba, 4 * (size_t)r->target.width) < 0) {
		free(r->rgba);
		r->rgba = NULL;
	}
	if (pica_ctx_read_depth(ctx, &r->target, r->depth, r->target.width) < 0) {
		free(r->depth);
		r->depth = NULL;
	}
	return 0;
}

static size_t diff_record_bytes(const struct diff_record *r) {
	const size_t n = (size_t)r->target.width * r->target.height;
	return sizeof(*r) + (r->rgba ? 4 * n : 0) + (r->depth ? 4 * n : 0);
}

int diff_record_picture(const struct diff_record *r, struct picture *out) {
	const size_t n = (size_t)r->target.width * r->target.height;
	*out = (struct picture){
		.width = r->target.width, .height = r->target.height, .rgb = malloc(3 * n + 1)
	};
	if (!out->rgb) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		memset(out->rgb + 3 * i, 0, 3);
		if (r->rgba) {
			memcpy(out->rgb + 3 * i, r->rgba + 4 * i, 3);
		}
	}
	return picture_turn_screen(out);
}

/* ---- A hash after each draw ---- */

struct marking {
	struct diff_marks *marks;
	struct diff_side *s;
	int ret;
};

static XXH128_hash_t hash_at(struct pica_ctx *ctx, uint32_t addr, uint64_t size_bytes) {
	const void *host = size_bytes && size_bytes <= UINT32_MAX ?
			pica_ctx_host(ctx, addr, (uint32_t)size_bytes) :
			NULL;
	return host ? XXH3_128bits(host, size_bytes) : XXH3_128bits(NULL, 0);
}

/* Hashes all compared targets, as they lie in memory. */
static XXH128_hash_t mark_of(struct pica_ctx *ctx) {
	uint32_t regs[PICA_REG_COUNT];
	struct pica_target t;
	pica_ctx_read_regs(ctx, 0, PICA_REG_COUNT, regs);
	const bool can_be_drawn = pica_target_from_regs(&t, regs) == 0;
	const uint32_t target[] = { t.width, t.height, t.color_addr, t.color_format,
		(uint32_t)t.block32, t.depth_format, t.depth_addr, can_be_drawn };
	XXH128_hash_t parts[3] = { XXH3_128bits(target, sizeof(target)) };
	if (can_be_drawn) {
		const uint64_t n = (uint64_t)t.width * t.height;
		parts[1] = hash_at(ctx, t.color_addr, n * facts_color_bytes(t.color_format));
		parts[2] = hash_at(ctx, t.depth_addr, n * facts_depth_bytes(t.depth_format));
	}
	return XXH3_128bits(parts, sizeof(parts));
}

static int on_mark(void *user, const struct step_draw *draw) {
	struct marking *m = user;
	struct diff_marks *marks = m->marks;
	struct diff_mark *mark = array_room(marks->mark, marks->n, &marks->cap, sizeof(*mark));
	if (!mark) {
		return m->ret = -ENOMEM;
	}
	marks->mark = mark;
	struct reads reads;
	reads_find(&reads, m->s->ctx, draw->kind);
	marks->mark[marks->n++].read = reads_hash(&reads, m->s->ctx);
	return 0;
}

static int on_marked(void *user, const struct step_draw *draw) {
	struct marking *m = user;
	(void)draw;
	m->marks->mark[m->marks->n - 1].drawn = mark_of(m->s->ctx);
	return 0;
}

void diff_marks_finish(struct diff_marks *marks) {
	free(marks->mark);
	*marks = (struct diff_marks){ .mark = NULL };
}

int diff_marks_take(struct diff_marks *marks, struct diff_side *s, uint32_t frame) {
	static const struct step_visitor visitor = { .draw = on_mark, .drawn = on_marked };
	struct marking m = { .marks = marks, .s = s };
	*marks = (struct diff_marks){ .mark = NULL };
	return run_frame(s, frame, &visitor, &m, &m.ret);
}

/* ---- After many draws ---- */

struct taking {
	struct diff_records *list;
	struct diff_side *s;
	uint32_t first;
	size_t bytes;
	int ret;
};

static int on_drawn(void *user, const struct step_draw *draw) {
	struct taking *t = user;
	struct diff_records *list = t->list;
	if (draw->draw < t->first) {
		return 0;
	}
	if (t->bytes > RECORD_BYTES) {
		return 1;
	}
	struct diff_record *r = array_room(list->r, list->n, &list->cap, sizeof(*r));
	if (!r) {
		t->ret = -ENOMEM;
		return 1;
	}
	list->r = r;
	t->ret = diff_record_take(&list->r[list->n], t->s->ctx, draw);
	if (t->ret == 0) {
		t->bytes += diff_record_bytes(&list->r[list->n++]);
	}
	return t->ret;
}

void diff_records_finish(struct diff_records *list) {
	for (unsigned i = 0; i < list->n; i++) {
		diff_record_finish(&list->r[i]);
	}
	free(list->r);
	*list = (struct diff_records){ .r = NULL };
}

int diff_records_take(
		struct diff_records *list, struct diff_side *s, uint32_t frame, uint32_t first) {
	static const struct step_visitor visitor = { .drawn = on_drawn };
	struct taking t = { .list = list, .s = s, .first = first };
	*list = (struct diff_records){ .r = NULL };
	return run_frame(s, frame, &visitor, &t, &t.ret);
}

/* ---- At one draw ---- */

struct viewing {
	struct diff_view *v;
	struct diff_side *s;
	uint32_t draw;
	int ret;
};

static int on_view_draw(void *user, const struct step_draw *draw) {
	struct viewing *w = user;
	if (draw->draw == w->draw) {
		w->v->is_there = true;
		w->v->state.draw = *draw;
		w->ret = pica_ctx_save_state(w->s->ctx, &w->v->state.state);
		w->ret = w->ret < 0 ? w->ret : diff_record_take(&w->v->before, w->s->ctx, draw);
		reads_find(&w->v->reads, w->s->ctx, draw->kind);
		w->ret = w->ret < 0 ? w->ret : reads_copy(&w->v->reads, w->s->ctx);
	}
	return w->ret;
}

static int on_view_drawn(void *user, const struct step_draw *draw) {
	struct viewing *w = user;
	if (draw->draw != w->draw) {
		return 0;
	}
	w->ret = diff_record_take(&w->v->after, w->s->ctx, draw);
	return 1;
}

void diff_view_finish(struct diff_view *v) {
	diff_record_finish(&v->before);
	diff_record_finish(&v->after);
	reads_finish(&v->reads);
	v->is_there = false;
}

int diff_view_take(struct diff_view *v, struct diff_side *s, uint32_t frame, uint32_t draw) {
	static const struct step_visitor visitor = { .draw = on_view_draw, .drawn = on_view_drawn };
	struct viewing w = { .v = v, .s = s, .draw = draw };
	memset(v, 0, sizeof(*v));
	return run_frame(s, frame, &visitor, &w, &w.ret);
}
