#include "videocore.h"

#include <errno.h>

#include "vc4/front/front.h"

static void show(void *user, const struct vc4_step *step) {
	const struct videocore_walk *w = user;
	if (w->visitor->record) {
		w->visitor->record(w->user, step);
	}
}

static int look(void *user, const struct pica_capture_event *event) {
	struct videocore_walk *w = user;
	struct videocore_job *job = &w->job;
	if (!w->is_looking || event->job.op != PICA_OP_CONTROL_LISTS) {
		return 0;
	}
	int ret = replay_wait(&w->replay); /* memory is in the state before the job */
	if (ret < 0) {
		return ret;
	}
	const struct pica_job_control_lists *a = job->lists = &event->job.u.control_lists;
	const struct vc4_lists lists = { .space = job->space,
		.start = { a->binning_start, a->rendering_start },
		.end = { a->binning_end, a->rendering_end },
		.limits = w->limits,
		.step = show,
		.arg = w };
	job->offset = event->offset;
	if (w->visitor->begin) {
		w->visitor->begin(w->user, job);
	}
	ret = vc4_frame_read(&job->read, &lists, &w->arena, &job->error);
	if (ret != -ENOMEM && w->visitor->end) {
		w->visitor->end(w->user, job);
	}
	arena_reset(&w->arena);
	job->number++;
	return ret == -ENOMEM ? ret : 0;
}

int videocore_start(struct videocore_walk *w, const struct capture_here *c, uint32_t frame,
		const struct videocore_visitor *visitor, void *user) {
	const struct pica_budgets *b = &c->ctx->settings.budgets;
	*w = (struct videocore_walk){ .visitor = visitor, .user = user,
		.limits = { b->list_words, b->list_jumps, b->vertices },
		.job = { .space = &c->ctx->space } };
	arena_init(&w->arena, NULL);
	const int ret = replay_start(&w->replay, gpu_here(c->ctx), c->capture, frame);
	w->replay.look = look;
	w->replay.look_user = w;
	return ret;
}

int videocore_frame(struct videocore_walk *w, bool looks) {
	w->is_looking = looks;
	w->job.frame = (uint32_t)w->replay.frames;
	w->job.number = 0;
	const int more = replay_frame(&w->replay);
	const int ret = more < 0 ? more : replay_wait(&w->replay);
	return ret < 0 ? ret : more;
}

void videocore_finish(struct videocore_walk *w) {
	arena_finish(&w->arena);
}

int videocore_run_alone(struct pica_ctx *ctx, const struct videocore_job *job, uint32_t draw,
		struct videocore_costs *costs) {
	struct vc4_unit *unit = &vc4_from(ctx)->unit;
	struct pica_stats before = { .size = sizeof(before) }, after = before;
	const struct pica_job copy = { .op = PICA_OP_CONTROL_LISTS,
		.u.control_lists = *job->lists };
	const struct vc4_rendering target = unit->target;
	struct pica_done done;
	uint64_t seq;
	pica_stats(ctx, &before); /* waits for idle */
	const uint64_t steps = unit->steps;
	unit->only_draw = draw + 1;
	int ret = pica_submit(ctx, &copy, 1, &seq);
	ret = ret < 0 ? ret : pica_wait(ctx, seq, -1);
	while (pica_reap(ctx, &done, 1) > 0) { /* the replay runs the job, and reports its error */
	}
	pica_stats(ctx, &after);
	unit->only_draw = 0;
	unit->target = target;
	costs->triangles = after.drawn_triangles - before.drawn_triangles;
	costs->completed = after.completed_vertices - before.completed_vertices;
	costs->fragments = after.fragments - before.fragments;
	costs->steps = unit->steps - steps;
	return ret;
}
