#include "inspect/engine.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lint/lint.h"

int inspect_engine_open(
		struct inspect_engine *e, const char *path, const struct engine_options *options) {
	*e = (struct inspect_engine){ .path = path, .options = *options };
	e->options.edits = &e->edits;
	int exit = capture_here_open(&e->here, path, options);
	exit = exit == EXIT_FINE ? capture_here_open(&e->pixels, path, options) : exit;
	if (exit == EXIT_FINE) {
		e->snapshot = calloc(1, sizeof(*e->snapshot));
		e->edit_rows = json_array();
		exit = e->snapshot && e->edit_rows ? EXIT_FINE : log_no_memory();
	}
	return exit;
}

static void forget_steps(struct inspect_engine *e) {
	if (e->has_steps) {
		inspect_finish(&e->steps);
		e->has_steps = false;
	}
}

void inspect_engine_edited(struct inspect_engine *e) {
	forget_steps(e);
	checkpoints_drop(&e->checkpoints);
	e->is_there = false;
}

void inspect_engine_close(struct inspect_engine *e) {
	forget_steps(e);
	json_decref(e->findings);
	json_decref(e->edit_rows);
	edits_cut(&e->edits, 0);
	checkpoints_drop(&e->checkpoints);
	dump_immediate_finish(&e->immediate);
	free(e->snapshot);
	capture_here_close(&e->here);
	capture_here_close(&e->pixels);
}

int inspect_engine_frame(const struct inspect_engine *e, uint32_t *frame) {
	const uint32_t n = capture_frames(e->here.capture);
	*frame = *frame == FRAME_LAST ? n - 1 : *frame;
	return capture_has_frame(e->path, n, *frame) ? EXIT_FINE : EXIT_TROUBLE;
}

/* ---- Going somewhere ---- */

struct walk {
	struct inspect_engine *e;
	const struct inspect_place *to;
	struct engines engines;
	struct pica_job job;
	struct step step;
	/* If not NULL: called after each step, instead of a search; nonzero ends the walk. */
	inspect_step_fn *each;
	void *each_user;
	uint32_t n; /* steps that have begun */
	bool is_pending; /* the last one is a job, for which each() has not been called */
	bool is_here; /* the last one that has begun is the requested one */
	bool is_there; /* the replay has ended at the requested step */
};

static int stop(struct walk *w) {
	return w->is_there = true;
}

/* Watching makes the engine run and count fragments without effect, too. */
static int count(struct inspect_engine *e) {
	static const struct pica_watch none[1];
	const int ret = pica_ctx_watch(e->here.ctx, none, 0);
	return ret < 0 ? ret : pica_ctx_count(e->here.ctx, 1);
}

static int start_counts(struct walk *w) {
	return w->to->counts == INSPECT_COUNT_STEP ? count(w->e) : 0;
}

static int end_job(struct walk *w) {
	if (!w->is_pending) {
		return 0;
	}
	w->is_pending = false;
	return w->each(w->each_user, w->n - 1);
}

static int on_event(void *user, const struct pica_capture_event *event) {
	struct walk *w = user;
	if (w->is_here && !w->e->is_draw) {
		return stop(w); /* the step has run; this is the next job */
	}
	if (end_job(w)) {
		return stop(w);
	}
	if (!inspect_is_step(&w->engines, &event->job, &w->job)) {
		return 0;
	}
	w->is_pending = w->each != NULL;
	if (w->n++ != w->to->step) {
		return 0;
	}
	w->is_here = true;
	return w->to->is_before ? stop(w) : start_counts(w);
}

static int on_draw(void *user, const struct step_draw *draw) {
	struct walk *w = user;
	struct inspect_engine *e = w->e;
	const bool is_it = w->n++ == w->to->step || draw->draw == w->to->draw;
	if (w->is_here && !e->is_draw) {
		return stop(w);
	}
	if (!is_it) {
		return 0;
	}
	w->is_here = e->is_draw = true;
	e->snapshot->draw = *draw;
	int ret = pica_ctx_save_state(e->here.ctx, &e->snapshot->state);
	if (ret < 0 || w->to->is_before) {
		return ret < 0 ? ret : stop(w);
	}
	ret = start_counts(w);
	return ret < 0 || !w->to->keeps_geometry ? ret : pica_ctx_keep_geometry(e->here.ctx, 1);
}

static void on_vertex(void *user, const uint32_t (*attributes)[4], unsigned n) {
	struct walk *w = user;
	if (w->is_here && w->e->is_draw) {
		dump_immediate_add(&w->e->immediate, attributes, n);
	}
}

static int on_drawn(void *user, const struct step_draw *draw) {
	struct walk *w = user;
	if (w->each) {
		return w->each(w->each_user, w->n - 1) ? stop(w) : 0;
	}
	return w->is_here && w->e->is_draw ? stop(w) : 0;
}

/* The frame from which a replay reaches another. */
static uint32_t first_frame(const struct inspect_engine *e, uint32_t frame) {
	return edits_first(&e->edits, replay_first(e->here.capture, frame, e->options.float_mode,
						      e->options.combiner, false));
}

/* Moves the capture to the start of a frame, and the context to its checkpoint. */
static int start_at(struct walk *w, struct checkpoint *p) {
	struct inspect_engine *e = w->e;
	struct replay *r = &w->step.replay;
	int ret = 1;
	while (ret > 0 && r->frames < p->frame) {
		struct pica_capture_event event;
		ret = pica_capture_next(e->here.capture, &event);
		r->frames += ret > 0 && event.kind == PICA_CAPTURE_FRAME;
	}
	return ret < 0 ? ret : checkpoint_load(&e->checkpoints, p, e->here.ctx);
}

/* Replays up to the start of a frame, and keeps that place. */
static int go_to_frame(struct walk *w, const struct step_visitor *visitor, uint32_t frame) {
	struct inspect_engine *e = w->e;
	struct replay *r = &w->step.replay;
	struct checkpoint *p = checkpoint_find(&e->checkpoints, frame);
	int ret = step_start(&w->step, gpu_here(e->here.ctx), e->here.capture,
			first_frame(e, frame), visitor, w);
	w->step.edits = &e->edits;
	ret = ret < 0 || !p || p->frame <= r->frames ? ret : start_at(w, p);
	const uint64_t start = r->frames;
	int more = 1;
	while (ret >= 0 && more > 0 && r->frames < frame) {
		ret = more = step_frame(&w->step, false);
	}
	ret = ret < 0 ? ret : replay_wait(r);
	if (ret >= 0 && frame > start && r->frames == frame) {
		checkpoint_keep(&e->checkpoints, e->here.ctx, frame);
	}
	return ret;
}

/* The end of a frame needs no visitor, which is slower. */
static int walk(struct walk *w, uint32_t frame) {
	static const struct step_visitor visitor = {
		.event = on_event, .draw = on_draw, .vertex = on_vertex, .drawn = on_drawn
	};
	struct inspect_engine *e = w->e;
	const bool looks = w->each || w->to->step != INSPECT_NONE || w->to->draw != INSPECT_NONE;
	int ret = go_to_frame(w, &visitor, frame);
	ret = ret < 0 ? ret : inspect_engines_begin(&w->engines, e->here.ctx);
	if (ret >= 0 && w->to->counts == INSPECT_COUNT_FRAME) {
		ret = count(e);
	} else if (ret >= 0 && w->to->counts == INSPECT_COUNT_COST) {
		ret = pica_ctx_count(e->here.ctx, 1);
	}
	ret = ret < 0 ? ret : step_frame(&w->step, looks);
	ret = ret < 0 && !w->is_there ? ret : replay_wait(&w->step.replay);
	return ret < 0 ? ret : end_job(w);
}

static void leave(struct inspect_engine *e) {
	e->is_there = e->is_draw = false;
	dump_immediate_finish(&e->immediate);
	pica_ctx_count(e->here.ctx, 0);
	pica_ctx_find_costs(e->here.ctx, 0);
	pica_ctx_watch(e->here.ctx, NULL, 0);
	pica_ctx_keep_geometry(e->here.ctx, 0);
	pica_ctx_zero_memory(e->here.ctx);
}

static bool is_same(const struct inspect_place *a, const struct inspect_place *b) {
	return a->frame == b->frame && a->step == b->step && a->draw == b->draw &&
			a->is_before == b->is_before && a->counts == b->counts &&
			a->keeps_geometry == b->keeps_geometry;
}

int inspect_engine_go(struct inspect_engine *e, const struct inspect_place *place) {
	struct inspect_place to = *place;
	int exit = inspect_engine_frame(e, &to.frame);
	if (exit != EXIT_FINE || (e->is_there && is_same(&to, &e->place))) {
		return exit;
	}
	struct walk w = { .e = e, .to = &to };
	leave(e);
	const int ret = walk(&w, to.frame);
	if (ret < 0) {
		return capture_failed(e->here.capture, e->path, ret);
	}
	const bool is_end = to.step == INSPECT_NONE && to.draw == INSPECT_NONE;
	if (!is_end && !w.is_here && to.draw != INSPECT_NONE) {
		return log_fail("frame %" PRIu32 " has no draw %" PRIu32 " (draws count from 0)",
				to.frame, to.draw);
	}
	if (!is_end && !w.is_here) {
		return log_fail("frame %" PRIu32 " has no step %" PRIu32 ": it has %" PRIu32
				" (from 0)",
				to.frame, to.step, w.n);
	}
	e->place = to;
	e->is_there = true;
	return EXIT_FINE;
}

int inspect_engine_each(
		struct inspect_engine *e, uint32_t frame, inspect_step_fn *each, void *user) {
	const struct inspect_place none = {
		.frame = frame, .step = INSPECT_NONE, .draw = INSPECT_NONE
	};
	struct walk w = { .e = e, .to = &none, .each = each, .each_user = user };
	leave(e);
	const int ret = walk(&w, frame);
	return ret < 0 ? capture_failed(e->here.capture, e->path, ret) : EXIT_FINE;
}

/* ---- All steps ---- */

/* Numbers of steps of a frame by kind. */
struct tally_walk {
	struct engines engines;
	struct step step;
	json_int_t draws, loads, fills, transfers, copies;
};

static int count_event(void *user, const struct pica_capture_event *event) {
	struct tally_walk *w = user;
	struct pica_job job;
	if (inspect_is_step(&w->engines, &event->job, &job)) {
		json_int_t *const n = job.op == PICA_OP_FILL ? &w->fills :
				job.op == PICA_OP_TRANSFER   ? &w->transfers :
				job.op == PICA_OP_COPY       ? &w->copies :
							       &w->loads;
		++*n;
	}
	return 0;
}

static int count_draw(void *user, const struct step_draw *draw) {
	((struct tally_walk *)user)->draws++;
	return 0;
}

int inspect_engine_frames(struct inspect_engine *e, uint32_t first, uint32_t count, json_t *rows) {
	static const struct step_visitor visitor = { .event = count_event, .drawn = count_draw };
	int exit = inspect_engine_frame(e, &first);
	if (exit != EXIT_FINE) {
		return exit;
	}
	struct tally_walk w = { 0 };
	const uint32_t left = capture_frames(e->pixels.capture) - first;
	const uint32_t end = first + (count < left ? count : left);
	pica_ctx_watch(e->pixels.ctx, NULL, 0);
	pica_ctx_zero_memory(e->pixels.ctx);
	int ret = step_start(&w.step, gpu_here(e->pixels.ctx), e->pixels.capture,
			first_frame(e, first), &visitor, &w);
	w.step.edits = &e->edits;
	int more = 1;
	while (ret >= 0 && more > 0 && w.step.replay.frames < end) {
		const uint32_t frame = (uint32_t)w.step.replay.frames;
		ret = frame == first ? inspect_engines_begin(&w.engines, e->pixels.ctx) : 0;
		w.draws = w.loads = w.fills = w.transfers = w.copies = 0;
		ret = ret < 0 ? ret : (more = step_frame(&w.step, frame >= first));
		if (ret >= 0 && frame >= first) {
			json_array_append_new(rows,
					json_pack("{sI sI sI sI sI sI sI}", "frame",
							(json_int_t)frame, "steps",
							w.draws + w.loads + w.fills + w.transfers +
									w.copies,
							"draws", w.draws, "loads", w.loads, "fills",
							w.fills, "transfers", w.transfers, "copies",
							w.copies));
		}
	}
	return ret < 0 ? capture_failed(e->pixels.capture, e->path, ret) : EXIT_FINE;
}

int inspect_engine_steps(struct inspect_engine *e, uint32_t frame) {
	int exit = inspect_engine_frame(e, &frame);
	if (exit != EXIT_FINE || (e->has_steps && e->steps_frame == frame)) {
		return exit;
	}
	struct frame_list frames = { .n = 1 };
	frames.range[0].first = frames.range[0].last = frame;
	forget_steps(e);
	leave(e);
	const int ret = inspect_gather(&e->steps, &e->here, &frames, &e->options);
	e->has_steps = true;
	e->steps_frame = frame;
	if (ret < 0) {
		forget_steps(e);
		return capture_failed(e->here.capture, e->path, ret);
	}
	return EXIT_FINE;
}

json_t *inspect_engine_findings(struct inspect_engine *e) {
	if (!e->findings) {
		e->findings = lint_findings(e->path);
	}
	return e->findings;
}
