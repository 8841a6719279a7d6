#include "videocore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
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
	job->event = w->n_events++;
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
	w->job.number = w->n_events = 0;
	const int more = replay_frame(&w->replay);
	const int ret = more < 0 ? more : replay_wait(&w->replay);
	return ret < 0 ? ret : more;
}

void videocore_finish(struct videocore_walk *w) {
	arena_finish(&w->arena);
}

/* Runs a part of the job; the replay will run all of it, and report its errors. */
static int run_part(struct pica_ctx *ctx, const struct videocore_job *job,
		const struct vc4_part *part) {
	struct vc4_unit *unit = &vc4_from(ctx)->unit;
	const struct pica_job copy = { .op = PICA_OP_CONTROL_LISTS,
		.u.control_lists = *job->lists };
	const struct vc4_rendering target = unit->target;
	struct pica_done done;
	uint64_t seq;
	unit->part = *part;
	int ret = pica_submit(ctx, &copy, 1, &seq);
	ret = ret < 0 ? ret : pica_wait(ctx, seq, -1);
	while (pica_reap(ctx, &done, 1) > 0) {
	}
	unit->part = (struct vc4_part){ .is_on = false };
	unit->target = target;
	return ret;
}

int videocore_run_alone(struct pica_ctx *ctx, const struct videocore_job *job, uint32_t draw,
		struct videocore_costs *costs) {
	const struct vc4_unit *unit = &vc4_from(ctx)->unit;
	struct pica_stats before = { .size = sizeof(before) }, after = before;
	pica_stats(ctx, &before); /* waits for idle */
	const uint64_t steps = unit->steps;
	const int ret = run_part(ctx, job,
			&(struct vc4_part){ .is_on = true, .first = draw, .end = draw + 1 });
	pica_stats(ctx, &after);
	costs->triangles = after.drawn_triangles - before.drawn_triangles;
	costs->completed = after.completed_vertices - before.completed_vertices;
	costs->fragments = after.fragments - before.fragments;
	costs->steps = unit->steps - steps;
	return ret;
}

/* ---- Running the beginning of a job ---- */

enum { SAVED_MOST = 8192 };

struct saved {
	struct range range;
	uint8_t *bytes; /* owned */
};

/* Memory that the job's stores write, to be put back. */
struct undo {
	struct saved *saved; /* owned */
	unsigned n;
	size_t cap;
};

static int save(struct undo *u, struct pica_ctx *ctx, struct range range) {
	for (unsigned i = 0; i < u->n; i++) {
		if (memcmp(&u->saved[i].range, &range, sizeof(range)) == 0) {
			return 0;
		}
	}
	if (u->n == SAVED_MOST) {
		return -E2BIG;
	}
	struct saved *saved = array_room(u->saved, u->n, &u->cap, sizeof(*saved));
	uint8_t *bytes = malloc(range.size + 1);
	u->saved = saved ? saved : u->saved;
	if (!saved || !bytes) {
		free(bytes);
		return -ENOMEM;
	}
	saved[u->n++] = (struct saved){ range, bytes };
	pica_ctx_read_memory(ctx, range.addr, bytes, range.size);
	return 0;
}

static int save_all(struct undo *u, struct pica_ctx *ctx, const struct vc4_frame *f) {
	int ret = 0;
	for (uint32_t i = 0; i < f->n_ops && ret == 0; i++) {
		const struct vc4_tile_op *op = &f->ops[i];
		ret = op->kind == VC4_TILE_STORE ?
				save(u, ctx, vc4_transfer_range(&f->transfers[op->value],
						&f->renderings[op->rendering])) : 0;
	}
	return ret;
}

int videocore_run_until(struct pica_ctx *ctx, const struct videocore_job *job, uint32_t end,
		videocore_see_fn *see, void *user) {
	struct undo u = { .saved = NULL };
	int ret = save_all(&u, ctx, &job->read);
	ret = ret < 0 ? ret : run_part(ctx, job,
			&(struct vc4_part){ .is_on = true, .stores = true, .end = end });
	ret = ret < 0 ? ret : see(user);
	for (unsigned i = 0; i < u.n; i++) {
		pica_ctx_write_memory(ctx, u.saved[i].range.addr, u.saved[i].bytes,
				u.saved[i].range.size);
		free(u.saved[i].bytes);
	}
	free(u.saved);
	return ret;
}

bool videocore_has_picture(const struct pica_ctx *ctx, const struct pica_picture *picture) {
	return vc4_picture_is_there(&ctx->space, picture);
}

int videocore_read_picture(
		struct pica_ctx *ctx, const struct pica_picture *picture, uint8_t *rgba) {
	return vc4_picture_read(&ctx->space, picture, rgba, (size_t)4 * picture->width);
}
