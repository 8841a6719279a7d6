/*
 * Frames of a capture of the VideoCore IV. A job draws tile by tile, so the picture after a draw
 * exists nowhere: for each draw the job runs up to it, and memory is put back.
 */
#include "inspect/engine.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/json.h"
#include "vc4/list/record.h"
#include "videocore/videocore.h"

struct look {
	struct inspect *g;
	uint32_t n_draws; /* of the frame so far */
};

static struct pica_picture target_of(const struct vc4_rendering *r) {
	return (struct pica_picture){ .addr = r->address,
		.width = r->width,
		.height = r->height,
		.format = r->format,
		.layout = r->layout };
}

/* The job, or a draw of it, has run. */
static int see(void *user) {
	struct inspect *g = user;
	json_object_set_new(g->draw, "changes", inspect_changes(g, -1, NULL, NULL));
	json_array_append_new(g->steps, g->draw);
	g->draw = NULL;
	return g->error;
}

/* Completes the step in g->draw, for which the job runs up to draw `end`. */
static void add_step(struct inspect *g, const struct videocore_job *job, uint32_t end) {
	json_object_set_new(g->draw, "step", json_integer(g->n_steps++));
	json_object_set_new(g->draw, "event", json_integer(job->event));
	const int ret = videocore_run_until(g->ctx, job, end, see, g);
	g->error = ret < 0 && g->error == 0 ? ret : g->error;
	json_decref(g->draw);
	g->draw = NULL;
}

static void add_program(struct inspect *g, const struct videocore_job *job, const char *name,
		uint32_t addr) {
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	if (f) {
		videocore_print_program(job->space, addr, f);
	}
	if (f && fclose(f) == 0) {
		json_object_set_new(g->draw, name, json_integer(inspect_program(g, text)));
	}
	free(text);
}

static void add_draw(struct look *l, const struct videocore_job *job, uint32_t i) {
	struct inspect *g = l->g;
	const struct vc4_draw *draw = &job->read.draws[i];
	struct videocore_costs costs = { .vertices = draw->count };
	const int ret = videocore_run_alone(g->ctx, job, i, &costs);
	g->error = ret < 0 ? ret : g->error;
	g->draw = videocore_draw_row(job, i, l->n_draws + i, &costs);
	json_object_set_new(g->draw, "text", json_string(""));
	json_object_set_new(g->draw, "entered", json_integer((json_int_t)costs.fragments));
	const struct vc4_shader *s = draw->state->shader;
	add_program(g, job, "fragment_program", s->fragment.code);
	if (!s->is_nv) {
		add_program(g, job, "coordinate_program", s->coordinate.code);
		add_program(g, job, "program", s->vertex.code);
	}
	add_step(g, job, i + 1);
}

static void on_end(void *user, const struct videocore_job *job) {
	struct look *l = user;
	struct inspect *g = l->g;
	const struct vc4_rendering *r = &job->read.last;
	if (!g->is_looking) {
		const struct pica_picture p = target_of(r);
		g->n_left_out += job->error.error == 0 && r->exists &&
				inspect_picture_add(g, &p) < 0;
		return;
	}
	char text[128];
	if (job->error.error) {
		vc4_error_text(&job->error, text, sizeof(text));
	} else {
		snprintf(text, sizeof(text), "%ux%u at 0x%08X; draws: %u", r->width, r->height,
				(unsigned)r->address, (unsigned)job->read.n_draws);
	}
	g->draw = json_pack("{ss sI sI so}", "kind", "job", "frame", (json_int_t)job->frame,
			"offset", (json_int_t)job->offset, "text", json_text(text));
	if (job->error.error) {
		json_object_set_new(g->draw, "step", json_integer(g->n_steps++));
		json_object_set_new(g->draw, "event", json_integer(job->event));
		see(g);
		return;
	}
	add_step(g, job, 0);
	for (uint32_t i = 0; i < job->read.n_draws && g->error == 0; i++) {
		log_progress("draw", i + 1, job->read.n_draws);
		add_draw(l, job, i);
	}
	l->n_draws += job->read.n_draws;
}

static int replay(struct inspect *g, struct capture_here *c, const struct frame_list *frames) {
	static const struct videocore_visitor visitor = { .end = on_end };
	struct look l = { .g = g };
	struct videocore_walk walk;
	const uint32_t n = capture_frames(c->capture), end = frame_list_end(frames, n);
	pica_ctx_zero_memory(c->ctx);
	int ret = videocore_start(&walk, c, 0, &visitor, &l);
	for (uint32_t frame = 0; ret >= 0 && frame <= end; frame++) {
		const bool looks = frame_list_has(frames, n, frame);
		const size_t first = json_array_size(g->steps);
		l.n_draws = g->n_steps = 0;
		if (g->is_looking && looks && json_array_size(g->surfaces) == 0) {
			ret = inspect_surfaces_begin(g);
		}
		ret = ret < 0 ? ret : videocore_frame(&walk, looks);
		ret = g->error ? g->error : ret;
		if (ret < 0 || !g->is_looking || !looks) {
			continue;
		}
		json_t *screens = inspect_pictures(g);
		ret = g->error;
		json_array_append_new(g->frames, json_pack("{sI sI sI so}", "frame",
				(json_int_t)frame, "first", (json_int_t)first, "end",
				(json_int_t)json_array_size(g->steps), "screens", screens));
	}
	g->step.replay = walk.replay;
	videocore_finish(&walk);
	return ret < 0 ? ret : 0;
}

int inspect_videocore(struct inspect *g, struct capture_here *c, const struct frame_list *frames) {
	const int ret = replay(g, c, frames);
	g->is_looking = true;
	return ret < 0 ? ret : replay(g, c, frames);
}

/* ---- A place for a call ---- */

struct visit {
	struct inspect_engine *e;
	const struct inspect_place *to;
	inspect_see_fn *use;
	void *user;
	uint32_t n_steps, n_draws; /* of the frame so far */
	bool is_there;
	int error;
};

static int arrive(void *user) {
	struct visit *v = user;
	v->is_there = true;
	v->use(v->user, v->e->here.ctx);
	return 0;
}

/* The steps of a job are its start, and its draws. */
static void visit_job(void *user, const struct videocore_job *job) {
	struct visit *v = user;
	const uint32_t n = job->error.error ? 0 : job->read.n_draws;
	for (uint32_t i = 0; i <= n; i++) {
		const uint32_t step = v->n_steps++;
		const bool is_draw = i > 0 && v->n_draws++ == v->to->draw;
		if (step != v->to->step && !is_draw) {
			continue;
		}
		if (job->error.error || (i == 0 && v->to->is_before)) {
			arrive(v);
		} else {
			const uint32_t end = v->to->is_before ? i - 1 : i;
			v->error = videocore_run_until(v->e->here.ctx, job, end, arrive, v);
		}
	}
}

int inspect_engine_see(struct inspect_engine *e, const struct inspect_place *place,
		inspect_see_fn *use, void *user) {
	static const struct videocore_visitor visitor = { .end = visit_job };
	struct visit v = { .e = e, .to = place, .use = use, .user = user };
	struct videocore_walk walk;
	uint32_t frame = place->frame;
	const int exit = inspect_engine_frame(e, &frame);
	if (exit != EXIT_FINE) {
		return exit;
	}
	const bool is_end = place->step == INSPECT_NONE && place->draw == INSPECT_NONE;
	pica_ctx_zero_memory(e->here.ctx);
	int ret = videocore_start(&walk, &e->here,
			replay_first(e->here.capture, frame, e->options.float_mode,
					e->options.combiner, false),
			&visitor, &v);
	while (ret >= 0 && v.error == 0 && walk.replay.frames <= frame) {
		ret = videocore_frame(&walk, walk.replay.frames == frame && !is_end);
		if (ret == 0) {
			break; /* a file without markers is one frame */
		}
	}
	videocore_finish(&walk);
	ret = v.error < 0 ? v.error : ret;
	if (ret < 0) {
		return capture_failed(e->here.capture, e->path, ret);
	}
	if (is_end) {
		arrive(&v);
	}
	return v.is_there ? EXIT_FINE :
			    log_fail("frame %" PRIu32 " has no such step: it has %" PRIu32
				     ", and %" PRIu32 " draws (from 0)",
					    frame, v.n_steps, v.n_draws);
}
