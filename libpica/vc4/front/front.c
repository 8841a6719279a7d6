#include "vc4/draw/watch.h"
#include "vc4/front/front.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pica_show.h"

enum {
	RECORD_TICKS = 20, /* ns of a record */
	ROW_TICK_PX = 8,   /* pixels that are copied in that time */
	MAX_SHOT_PX = 4096,
};

#define MAX_PLACE ((UINT32_C(1) << (32 - PICA_DONE_PLACE_SHIFT)) - 1)

static struct vc4_ctx *of(void *base) {
	return base;
}

/* ---- Errors ---- */

static void log_error(struct pica_ctx *ctx, uint64_t job, const struct vc4_error *error) {
	char text[160];
	vc4_error_text(error, text, sizeof(text));
	log_write(&ctx->device->engine.log, ctx->settings.owner, PICA_LOG_ERROR, "job %llu: %s",
			(unsigned long long)job, text);
}

/* PICA_DONE_* of an error. */
static uint32_t cause_of(const struct vc4_error *error) {
	if (error->budget) {
		return (uint32_t)error->budget << PICA_DONE_BUDGET_SHIFT;
	}
	const uint32_t offset = error->offset < MAX_PLACE ? error->offset : MAX_PLACE;
	return PICA_DONE_PLACE | (error->list ? PICA_DONE_RENDERING : 0) |
			offset << PICA_DONE_PLACE_SHIFT;
}

/* ---- Jobs ---- */

static int tick(void *arg, unsigned n) {
	struct pica_ctx *ctx = arg;
	ctx_tick(ctx, n * (uint64_t)RECORD_TICKS);
	return exec_is_abandoned(&ctx->exec) ? -ECANCELED : 0;
}

static void unit_opened(void *arg) {
	ctx_unit_opened(arg);
}

static void writes(void *arg, struct range r) {
	ctx_access(arg, r, ACCESS_WRITTEN);
}

static void control_lists(struct pica_ctx *ctx, const struct pica_job_control_lists *a) {
	const struct pica_budgets *b = &ctx->settings.budgets;
	struct vc4_unit *unit = &of(ctx)->unit;
	const struct vc4_stats before = unit->stats;
	const struct vc4_job job = { .job = ctx->run.seq,
		.start = { a->binning_start, a->rendering_start },
		.end = { a->binning_end, a->rendering_end },
		.limits = { b->list_words, b->list_jumps, b->vertices },
		.pixels = b->pixels,
		.steps = b->job_steps,
		.tick = tick,
		.unit_opened = unit_opened,
		.writes = writes,
		.arg = ctx };
	struct vc4_error error;
	/* Programs may read anywhere while the job runs. */
	ctx_access(ctx, (struct range){ 0, UINT32_MAX }, ACCESS_LIST);
	const int ret = vc4_job_run(unit, &ctx->exec, &job, &error);
	if (ctx->observer) {
		ctx->observer->pass_closed(ctx->observer);
	}
	struct pica_stats *s = &ctx->stats;
	s->lists += 2;
	s->frames++;
	s->list_words += unit->stats.records - before.records;
	s->draws += unit->stats.draws - before.draws;
	s->vertices += unit->stats.vertices - before.vertices;
	if (ret < 0) {
		ctx->run.result = ret;
		if (ret != -ENOMEM && ret != -ECANCELED) {
			ctx->run.flags |= cause_of(&error);
			log_error(ctx, ctx->run.seq, &error);
		}
	}
}

/* Copies the picture. Without one the shot stays as it is. */
static void present(struct pica_ctx *ctx, struct pica_shot *shot) {
	struct pica_picture picture;
	if (vc4_picture(of(ctx), &picture) < 0) {
		return;
	}
	if (picture.width > MAX_SHOT_PX || picture.height > MAX_SHOT_PX ||
			!vc4_picture_is_there(&ctx->space, &picture)) {
		ctx_fault(ctx, PICA_FAULT_BAD_TARGET);
		return;
	}
	uint8_t *rgba = malloc(4 * (size_t)picture.width);
	uint8_t *rgb = malloc(3 * (size_t)picture.width * picture.height);
	ctx->run.result = rgba && rgb ? 0 : -ENOMEM;
	for (uint32_t y = 0, at = 0; ctx->run.result == 0 && y < picture.height; y++) {
		vc4_picture_read_rows(&ctx->space, &picture, y, 1, rgba, 0);
		for (uint32_t x = 0; x < picture.width; x++, at += 3) {
			memcpy(rgb + at, rgba + 4 * (size_t)x, 3);
		}
		ctx->run.result = tick(ctx, picture.width / ROW_TICK_PX);
	}
	if (ctx->run.result == 0) {
		ctx->run.result = pica_shot_set_rgb(shot, picture.width, picture.height, rgb,
				3 * (size_t)picture.width);
	}
	free(rgba);
	free(rgb);
}

static void run(struct pica_ctx *ctx, const struct pica_job *job) {
	struct vc4_history *history = of(ctx)->unit.history;
	observe_settled(ctx); /* this job may write to the same memory as earlier ones */
	ctx->stats.jobs++;
	if (history) {
		vc4_history_begin(history, &ctx->exec, job);
	}
	switch (job->op) {
	case PICA_OP_CONTROL_LISTS:
		control_lists(ctx, &job->u.control_lists);
		break;
	case PICA_OP_PRESENT: /* a frame ends with its lists */
		if (ctx->run.attached[PICA_SCREEN_TOP]) {
			exec_wait_all(&ctx->exec);
			present(ctx, ctx->run.attached[PICA_SCREEN_TOP]);
		}
		break;
	default:
		ctx_run_job(ctx, job);
		break;
	}
	if (history) {
		vc4_history_end(history, &ctx->exec);
	}
}

static void unit_retired(struct pica_ctx *ctx, uint64_t job, int *result, uint32_t *flags) {
	struct vc4_unit *unit = &of(ctx)->unit;
	struct vc4_error error = unit->error;
	unit->error.error = 0;
	if (*result == 0 && error.error) {
		*result = error.error;
		*flags = cause_of(&error);
		log_error(ctx, job, &error);
	}
}

static int init(struct pica_ctx *ctx) {
	return 0; /* the caller maps its windows */
}

static void finish(struct pica_ctx *ctx) {
	vc4_history_destroy(of(ctx)->unit.history);
}

const struct chip vc4_chip = {
	.id = PICA_CHIP_VC4,
	.ctx_bytes = sizeof(struct vc4_ctx),
	.ctx_align = _Alignof(struct vc4_ctx),
	.init = init,
	.finish = finish,
	.run = run,
	.unit_retired = unit_retired,
};
