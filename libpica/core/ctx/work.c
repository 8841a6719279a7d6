/* A context's side of its queue (core/queue): jobs, units, progress, costs. */
#include <errno.h>

#include "core/base/probe.h"
#include "core/ctx/ctx.h"
#include "pica_show.h"

enum { SOON_NS = 100000 }; /* of a slice, before others can end it */

/* A slice of the running job, which ends early if another context may have work. */
static struct slice command_slice(const struct pica_ctx *ctx) {
	const uint64_t ns = ctx->device->engine.slice_ns;
	struct slice slice = slice_start(ns);
	slice.is_wanted = &ctx->queue.dispatcher->is_wanted;
	slice.soon_ns = ns > SOON_NS ? slice.end_ns - ns + SOON_NS : slice.end_ns;
	return slice;
}

static void run(void *arg, struct queue_step *s) {
	struct pica_ctx *ctx = arg;
	const struct engine *e = &ctx->device->engine;
	const uint64_t begin = engine_trace_begin(e);
	PROBE(job_begin, ctx->exec.number, s->seq, s->job.op);
	ctx->run = (struct ctx_run){ .seq = s->seq,
		.attached = s->attached,
		.slice = command_slice(ctx) };
	ctx->exec.has_time = s->is_alone && pool_threads(e->pool) > 0;
	if (s->is_cancelled) {
		ctx->run.result = -ECANCELED;
	} else {
		ctx->chip->run(ctx, &s->job);
		observe_job_done(ctx, &s->job);
	}
	s->result = exec_is_abandoned(&ctx->exec) ? -ECANCELED : ctx->run.result;
	s->flags = ctx->run.flags;
	s->interrupts = ctx->settings.interrupt ? ctx->run.interrupts : 0;
	engine_trace_end(e, (struct pica_span){ .kind = PICA_SPAN_JOB,
				    .index = s->job.op,
				    .context = ctx->exec.number,
				    .job = s->seq,
				    .begin_ns = begin });
}

static void flush(void *arg) {
	struct pica_ctx *ctx = arg;
	if (ctx->chip->flush) {
		ctx->chip->flush(ctx);
	}
	observe_settled(ctx);
}

static void collect(void *arg) {
	struct pica_ctx *ctx = arg;
	exec_reap(&ctx->exec);
}

static void sweep(void *arg) {
	struct pica_ctx *ctx = arg;
	struct slice slice = slice_start(ctx->device->engine.slice_ns);
	exec_sweep(&ctx->exec, &slice);
}

static void progress(const void *arg, struct queue_progress *out) {
	const struct pica_ctx *ctx = arg;
	const struct exec_stats *e = &ctx->exec.stats;
	const struct pica_stats *s = &ctx->stats;
	*out = (struct queue_progress){ .usage = { .jobs = s->jobs,
			.list_words = s->list_words,
			.vertices = s->vertices,
			.pixels = e->fragments,
			.written_bytes = s->written_bytes },
		.is_pending = ctx->exec.open,
		.has_waste = exec_has_waste(&ctx->exec) };
	if (ctx->chip->progress) {
		ctx->chip->progress(ctx, out);
	}
}

static enum queue_touch touches(void *arg, uint64_t seq, const struct queue_range *q) {
	struct pica_ctx *ctx = arg;
	const struct range r = { q->addr, q->size_bytes };
	struct queue_progress p = { 0 };
	if (!r.size) {
		return TOUCH_NONE;
	}
	if (exec_in_flight(&ctx->exec, seq, r, q->for_write)) {
		return TOUCH_IN_FLIGHT;
	}
	if (ctx->chip->progress) {
		ctx->chip->progress(ctx, &p);
	}
	/* Vertices that wait to be shaded will read their arrays. */
	const bool waits = q->for_write && p.is_pending;
	return waits || exec_open_touches(&ctx->exec, seq, r, q->for_write) ? TOUCH_PENDING :
									      TOUCH_NONE;
}

static bool is_short(const void *arg, const struct pica_job *job) {
	const struct pica_ctx *ctx = arg;
	return !ctx->observer && !ctx->is_watched && /* they wait */
			!exec_has_waste(&ctx->exec) && /* which it sweeps first, perhaps yielding */
			(job->op == PICA_OP_BARRIER || job->op == PICA_OP_FILL ||
					job->op == PICA_OP_TRANSFER || job->op == PICA_OP_COPY);
}

static uint64_t busy_ns(const void *arg) {
	const struct pica_ctx *ctx = arg;
	return exec_busy_ns(&ctx->exec);
}

static void interrupt(void *arg, uint32_t interrupts) {
	const struct pica_ctx *ctx = arg;
	for (unsigned i = 0; i <= PICA_INTERRUPT_P3D; i++) {
		if (interrupts >> i & 1) {
			ctx->settings.interrupt(
					ctx->settings.interrupt_user, (enum pica_interrupt)i);
		}
	}
}

static void detach(void *shot) {
	pica_shot_put(shot);
}

const struct queue_work ctx_work = {
	.run = run,
	.flush = flush,
	.collect = collect,
	.sweep = sweep,
	.progress = progress,
	.touches = touches,
	.is_short = is_short,
	.busy_ns = busy_ns,
	.interrupt = interrupt,
	.detach = detach,
};

void ctx_unit_opened(struct pica_ctx *ctx) {
	queue_unit_opened(&ctx->queue, ctx->run.seq);
}

void ctx_unit_retired(void *arg, uint64_t job, int result, enum pica_budget budget) {
	struct pica_ctx *ctx = arg;
	uint32_t flags = (uint32_t)budget << PICA_DONE_BUDGET_SHIFT;
	if (ctx->chip->unit_retired) {
		ctx->chip->unit_retired(ctx, job, &result, &flags);
	}
	if (queue_unit_retired(&ctx->queue, job, result, flags) && result == -EDQUOT) {
		ctx_log_budget(ctx, job,
				(enum pica_budget)(flags >> PICA_DONE_BUDGET_SHIFT &
						PICA_DONE_BUDGET_MASK));
	}
}

void ctx_tick_owner(void *arg, uint64_t ticks) {
	ctx_tick(arg, ticks);
}

void ctx_park(void *arg) {
	struct pica_ctx *ctx = arg;
	queue_park(&ctx->queue);
}

bool ctx_await_room(void *arg) {
	struct pica_ctx *ctx = arg;
	return queue_park_for_any(&ctx->queue);
}

void ctx_evict(void *arg, const struct pica_memory *full) {
	struct pica_ctx *ctx = arg;
	if (ctx->chip->evict) {
		ctx->chip->evict(ctx, full);
	}
}

void ctx_yield(struct pica_ctx *ctx) {
	ctx->exec.has_time &= queue_yield(&ctx->queue);
	ctx->run.slice = command_slice(ctx);
}

void ctx_idle(struct pica_ctx *ctx) {
	queue_idle(&ctx->queue);
}

void ctx_stats(const struct pica_ctx *ctx, struct pica_stats *out) {
	const struct exec_stats *e = &ctx->exec.stats;
	*out = ctx->stats;
	out->size = sizeof(*out);
	out->shaded_vertices += e->shaded;
	out->completed_vertices = e->completed;
	out->triangles += e->triangles;
	out->drawn_triangles += e->drawn;
	out->passes = e->passes;
	out->tiles = e->tiles;
	out->batches = e->batches;
	out->fragments = e->fragments;
	out->faults[PICA_FAULT_BAD_VERTEX] += e->dropped;
	out->faults[PICA_FAULT_BAD_ADDRESS] += e->outside;
	out->faults[PICA_FAULT_SHADER_BUDGET] += e->shader_cut;
	out->faults[PICA_FAULT_SHADER_OPCODE] += e->shader_bad;
	out->ns_command = ctx->queue.ns_command;
	out->ns_vertex = e->ns_vertex;
	out->ns_tile = e->ns_tile;
	out->ns_copy = e->ns_copy;
	out->yields = e->yields;
	if (ctx->chip->stats) {
		ctx->chip->stats(ctx, out);
	}
}
