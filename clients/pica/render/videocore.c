/*
 * Replays captures of a VideoCore IV for pica render, job by job. A job draws tile by tile, so no
 * picture after a draw exists: for each draw the job runs up to it, and then memory is restored.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "render.h"
#include "vc4/list/record.h"

/* A draw of a job. */
struct seeing {
	struct render_draws *d;
	const struct videocore_job *job;
	uint32_t draw;
};

static json_t *draw_row(const struct seeing *s, const struct pica_picture *target) {
	const struct vc4_draw *draw = &s->job->read.draws[s->draw];
	return json_pack("{sI ss sI so s{so sI sI}}", "draw", (json_int_t)s->d->n, "kind",
			vc4_value_text(vc4_record(VC4_OP_ARRAY_PRIMITIVES), "MODE", draw->mode),
			"offset", (json_int_t)s->job->offset, "addr", json_addr(draw->address),
			"target", "addr", json_addr(target->addr), "width",
			(json_int_t)target->width, "height", (json_int_t)target->height);
}

/* The job has run up to this draw. */
static int see(void *user) {
	const struct seeing *s = user;
	const struct vc4_rendering *t = &s->job->read.last;
	const struct vc4_draw *draw = &s->job->read.draws[s->draw];
	const struct pica_picture target = { t->address, t->width, t->height, t->format,
		t->layout };
	struct pica_ctx *ctx = s->d->s->gpu.ctx;
	if (!t->exists || !videocore_has_picture(ctx, &target)) {
		return -ERANGE;
	}
	struct picture p = { 0 };
	uint8_t *rgba = malloc(4 * (size_t)target.width * target.height);
	int ret = rgba ? videocore_read_picture(ctx, &target, rgba) : -ENOMEM;
	ret = ret < 0 ? ret : picture_from_rgba(&p, rgba, target.width, target.height);
	if (ret == 0) {
		char text[40];
		snprintf(text, sizeof(text), "%" PRIu32 " %.20s %" PRIu32, s->d->n,
				vc4_value_text(vc4_record(VC4_OP_ARRAY_PRIMITIVES), "MODE",
						draw->mode),
				draw->count);
		render_draws_put(s->d, s->d->n, text, &p,
				s->d->s->report ? draw_row(s, &target) : NULL);
	}
	picture_finish(&p);
	free(rgba);
	return ret;
}

static void on_end(void *user, const struct videocore_job *job) {
	struct render_draws *d = user;
	struct shot *s = d->s;
	if (job->error.error) {
		return; /* the replay tells it */
	}
	for (uint32_t i = 0; i < job->read.n_draws && s->exit == EXIT_FINE; i++, d->n++) {
		struct seeing seeing = { d, job, i };
		const int ret = videocore_run_until(s->gpu.ctx, job, i + 1, see, &seeing);
		if (ret == -ERANGE) {
			log_line("%s: note: frame %" PRIu32 " draw %" PRIu32
				 ": no picture: its target does not lie in memory",
					s->path, d->frame, d->n);
		} else if (ret < 0) {
			render_fail(s, EXIT_TROUBLE, "frame %" PRIu32 " draw %" PRIu32 ": %s",
					d->frame, d->n, strerror(-ret));
		}
	}
}

int render_walk_start(struct render_walk *w, struct render_draws *d, struct pica_capture *capture,
		uint32_t first, bool is_vc4) {
	static const struct step_visitor nobody;
	static const struct videocore_visitor visitor = { .end = on_end };
	const unsigned draws = d->s->r->o->draws;
	*w = (struct render_walk){ .is_vc4 = is_vc4 && (draws & DRAWS_STEP) };
	w->replay = w->is_vc4 ? &w->vc4.replay : &w->step.replay;
	if (!w->is_vc4) {
		return step_start(&w->step, d->s->gpu, capture, first,
				draws ? &render_draws_visitor : &nobody, d);
	}
	const struct capture_here here = { .ctx = d->s->gpu.ctx, .capture = capture };
	return videocore_start(&w->vc4, &here, first, &visitor, d);
}

int render_walk_frame(struct render_walk *w, bool looks) {
	return w->is_vc4 ? videocore_frame(&w->vc4, looks) : step_frame(&w->step, looks);
}

void render_walk_finish(struct render_walk *w) {
	if (w->is_vc4) {
		videocore_finish(&w->vc4);
	}
}
