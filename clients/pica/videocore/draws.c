/*
 * The draws of a VideoCore IV capture with their costs: before a job runs, each of its draws is
 * drawn alone, without stores. Counts do not depend on other draws.
 */
#include "videocore.h"

#include <stdio.h>

#include "common/json.h"

struct draws {
	struct pica_ctx *ctx;
	videocore_row_fn *fn;
	void *user;
	uint32_t n; /* in this frame */
	int error;
};

/* ---- Gathering ---- */

json_t *videocore_draw_row(const struct videocore_job *job, uint32_t i, uint32_t n,
		const struct videocore_costs *costs) {
	const struct vc4_draw *draw = &job->read.draws[i];
	const struct vc4_shader *s = draw->state->shader;
	const struct vc4_rendering *t = &job->read.last;
	const struct vc4_record *store = vc4_record(VC4_OP_STORE_GENERAL);
	json_t *programs = json_pack("{so}", "fragment", json_addr(s->fragment.code));
	if (!s->is_nv) {
		json_object_set_new(programs, "coordinate", json_addr(s->coordinate.code));
		json_object_set_new(programs, "vertex", json_addr(s->vertex.code));
	}
	json_t *row = json_pack("{sI sI sI ss sI so ss ss sI so}", "frame", (json_int_t)job->frame,
			"job", (json_int_t)job->number, "offset", (json_int_t)job->offset, "kind",
			"draw", "draw", (json_int_t)n, "record", json_addr(draw->address),
			"mode", vc4_value_text(vc4_record(VC4_OP_ARRAY_PRIMITIVES), "MODE", draw->mode),
			"shader", s->is_nv ? "NV" : "GL", "varyings", (json_int_t)s->n_varyings,
			"programs", programs);
	if (t->exists) {
		json_object_set_new(row, "target", json_pack("{so sI sI ss ss}", "addr",
				json_addr(t->address), "width", (json_int_t)t->width, "height",
				(json_int_t)t->height, "format",
				vc4_value_text(store, "FORMAT", t->format), "layout",
				vc4_value_text(store, "LAYOUT", t->layout)));
	}
	json_object_set_new(row, "cost", json_pack("{sI sI sI sI sI sI}", "vertices",
			(json_int_t)costs->vertices, "completed_vertices",
			(json_int_t)costs->completed, "primitives",
			(json_int_t)vc4_primitives(draw->mode, draw->count), "drawn_triangles",
			(json_int_t)costs->triangles, "fragments", (json_int_t)costs->fragments,
			"steps", (json_int_t)costs->steps));
	return row;
}

static void on_end(void *user, const struct videocore_job *job) {
	struct draws *d = user;
	if (job->error.error) {
		return; /* the replay tells it */
	}
	for (uint32_t i = 0; i < job->read.n_draws && d->error == 0; i++, d->n++) {
		const struct vc4_draw *draw = &job->read.draws[i];
		struct videocore_costs costs = { .vertices = draw->count };
		const int ret = videocore_run_alone(d->ctx, job, i, &costs);
		d->error = ret < 0 ? ret : d->fn(d->user, videocore_draw_row(job, i, d->n, &costs),
				&costs);
	}
}

int videocore_draws(const struct capture_here *c, const struct frame_list *frames,
		videocore_row_fn *fn, void *user) {
	static const struct videocore_visitor visitor = { .end = on_end };
	struct draws d = { .ctx = c->ctx, .fn = fn, .user = user };
	struct videocore_walk walk;
	const uint32_t n_frames = capture_frames(c->capture);
	const uint32_t end = frame_list_end(frames, n_frames);
	int ret = videocore_start(&walk, c, 0, &visitor, &d);
	for (uint32_t f = 0; ret >= 0 && f <= end; f++) {
		d.n = 0;
		ret = videocore_frame(&walk, frame_list_has(frames, n_frames, f));
		ret = ret < 0 ? ret : d.error;
		log_progress(c->name, f + 1, n_frames);
	}
	log_end();
	const int exit = ret < 0 ? capture_failed(c->capture, c->path, ret) :
				   replay_job_failed(&walk.replay, c->path);
	videocore_finish(&walk);
	return exit;
}

/* ---- Printing ---- */

static json_int_t cost(const json_t *row, const char *name) {
	return json_number_of(json_object_get(row, "cost"), name);
}

void videocore_print_draws(size_t n, videocore_row_at *at, const void *user) {
	printf("FRAME JOB DRAW MODE           SHADER VERTICES COMPLETED    PRIMS    DRAWN "
	       "FRAGMENTS      STEPS  "
	       "TARGET  FRAGMENT PROGRAM\n");
	for (size_t i = 0; i < n; i++) {
		const json_t *row = at(user, i), *target = json_object_get(row, "target");
		printf("%5" JSON_INTEGER_FORMAT " %3" JSON_INTEGER_FORMAT " %4" JSON_INTEGER_FORMAT
		       " %-14s %-6s %8" JSON_INTEGER_FORMAT " %9" JSON_INTEGER_FORMAT
		       " %8" JSON_INTEGER_FORMAT
		       " %8" JSON_INTEGER_FORMAT " %9" JSON_INTEGER_FORMAT
		       " %10" JSON_INTEGER_FORMAT "  ",
				json_number_of(row, "frame"), json_number_of(row, "job"),
				json_number_of(row, "draw"), json_text_of(row, "mode"),
				json_text_of(row, "shader"), cost(row, "vertices"),
				cost(row, "completed_vertices"), cost(row, "primitives"),
				cost(row, "drawn_triangles"),
				cost(row, "fragments"), cost(row, "steps"));
		if (target) {
			printf("%s:%s:%" JSON_INTEGER_FORMAT "x%" JSON_INTEGER_FORMAT,
					json_text_of(target, "addr"),
					json_text_of(target, "format"),
					json_number_of(target, "width"),
					json_number_of(target, "height"));
		} else {
			putchar('-');
		}
		printf("  %s\n", json_text_of(json_object_get(row, "programs"), "fragment"));
	}
}
