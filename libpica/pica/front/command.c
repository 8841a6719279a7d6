/*
 * The command thread: contexts take turns (turns.c), one job each; finished units are reaped and
 * jobs complete in order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/probe.h"
#include "core/sched/thread.h"
#include "pica/front/ctx.h"
#include "pica/xfer/show.h"

#define BUDGET_BITS ((uint32_t)PICA_DONE_BUDGET_MASK << PICA_DONE_BUDGET_SHIFT)

enum {
	CLOCKED_NS = 1000000, /* of jobs that are clocked together */
	SHORT_NS = 100000, /* in which a thread is hardly ever interrupted */
	UNTOLD_NS = 100000, /* completions wait for others so long, before somebody is told */
	HELP_NS = 200000, /* a submitter does the command thread's work for so long */
};

static struct job_slot *slot_of(struct pica_ctx *ctx, uint64_t seq) {
	return &ctx->slots[seq & (ctx->cap_slots - 1)];
}

void command_unit_opened(struct pica_ctx *ctx) {
	monitor_lock(&ctx->device->mon);
	slot_of(ctx, ctx->run.seq)->units++;
	ctx->in_flight++;
	monitor_unlock(&ctx->device->mon);
}

void command_retired(void *arg, uint64_t job, int result, enum pica_budget budget) {
	struct pica_ctx *ctx = arg;
	gas_result(ctx);
	monitor_lock(&ctx->device->mon);
	struct job_slot *slot = slot_of(ctx, job);
	slot->units--;
	ctx->in_flight--;
	const bool is_first = result < 0 && slot->result == 0;
	if (is_first) {
		slot->result = result;
	}
	if (!slot->pass_budget) {
		slot->pass_budget = budget;
	}
	monitor_unlock(&ctx->device->mon);
	if (is_first && result == -EDQUOT) {
		front_used_up(ctx, job, budget);
	}
}

/* What a pass ran out of goes first, for it may retire before or behind the list's end. */
static uint32_t done_flags(const struct job_slot *slot) {
	const uint32_t flags = slot->flags & ~BUDGET_BITS;
	if (slot->result != -EDQUOT) {
		return flags;
	}
	return slot->pass_budget ? flags | (uint32_t)slot->pass_budget << PICA_DONE_BUDGET_SHIFT :
				   slot->flags;
}

static void push_done(struct pica_ctx *ctx, const struct job_slot *slot) {
	const bool was_empty = ctx->done_tail == ctx->done_head;
	if (ctx->done_tail - ctx->done_head == DONE_RING) {
		ctx->done_head++;
	}
	ctx->done[ctx->done_tail++ % DONE_RING] = (struct pica_done){
		.user_data = slot->job.user_data, .result = slot->result, .flags = done_flags(slot)
	};
	if (!was_empty) {
		return; /* told of the first of them, until pica_reap() takes the last */
	}
	ctx->is_untold = true;
	struct pica_device *dev = ctx->device;
	if (!dev->threaded) {
		if (!(ctx->settings.flags & PICA_CTX_AT_ONCE)) {
			command_tell(ctx);
		}
	} else if (!dev->has_untold) {
		dev->has_untold = true;
		dev->untold_ns = clock_now_ns();
	}
}

/* ---- Telling: whoever waits for completions is woken for many of them at a time ---- */

void command_tell(struct pica_ctx *ctx) {
	if (ctx->is_untold) {
		uint64_t one = 1;
		ssize_t written = write(ctx->done_fd, &one, sizeof(one));
		(void)written; /* the counter is full: then it is readable, which is all it says */
		ctx->is_untold = false;
	}
}

static void tell_all(struct pica_device *dev) {
	for (struct pica_ctx *c = dev->contexts; c && dev->has_untold; c = c->next) {
		command_tell(c);
	}
	dev->has_untold = false;
}

/*
 * Before a rest: of contexts with nothing in flight. Others are told with what follows, or when the
 * first of it has waited long enough.
 */
static void tell_idle(struct pica_device *dev) {
	bool has_more = false;
	for (struct pica_ctx *c = dev->contexts; c && dev->has_untold; c = c->next) {
		if (!c->in_flight) {
			command_tell(c);
		}
		has_more |= c->is_untold;
	}
	dev->has_untold = has_more;
}

/* Whether the command thread is back at once from the context's next job. */
static bool is_short(struct pica_ctx *ctx) {
	switch (slot_of(ctx, ctx->parsed + 1)->job.op) {
	case PICA_OP_BARRIER:
	case PICA_OP_FILL:
	case PICA_OP_TRANSFER:
	case PICA_OP_COPY:
		/* A recorder compares memory, and waits. */
		return !ctx->is_pending && !ctx->observer;
	default:
		return false;
	}
}

/* Before the context's next job; NULL: there is none to be worked on now. */
static void tell_before(struct pica_device *dev, struct pica_ctx *ctx) {
	if (dev->has_untold && ((ctx && !is_short(ctx)) ||
			clock_now_ns() - dev->untold_ns >= UNTOLD_NS)) {
		tell_all(dev);
	}
}

/*
 * A job that leaves immediate vertices behind completes when they are drawn: their pass is then
 * the job's, too. Lock held.
 */
static void hold_immediate(struct pica_ctx *ctx) {
	if (ctx->held && !ctx->immediate.n) {
		slot_of(ctx, ctx->held)->units--;
		ctx->held = 0;
	} else if (!ctx->held && ctx->immediate.n) {
		ctx->held = ctx->run.seq;
		slot_of(ctx, ctx->held)->units++;
	}
}

/* Work that goes on only when something follows, or when somebody waits. */
static bool is_pending(const struct pica_ctx *ctx) {
	return ctx->exec.open || ctx->immediate.n || ctx->assembler.lazy[0] ||
			ctx->assembler.lazy[1];
}

/* Completes jobs at the head. Lock held; dropped around interrupt callbacks. */
static void complete(struct pica_ctx *ctx) {
	struct monitor *mon = &ctx->device->mon;
	while (ctx->completed < ctx->parsed) {
		struct job_slot *slot = slot_of(ctx, ctx->completed + 1);
		if (!slot->parsed || slot->units) {
			break;
		}
		uint32_t interrupts = slot->interrupts;
		if (interrupts && ctx->settings.interrupt) {
			monitor_unlock(mon);
			for (unsigned i = 0; i <= PICA_INTERRUPT_P3D; i++) {
				if (interrupts >> i & 1) {
					ctx->settings.interrupt(ctx->settings.interrupt_user,
							(enum pica_interrupt)i);
				}
			}
			monitor_lock(mon);
			slot = slot_of(ctx, ctx->completed + 1);
		}
		pica_shot_put(slot->shot[0]);
		pica_shot_put(slot->shot[1]);
		PROBE(job_end, ctx->exec.number, ctx->completed + 1, slot->result);
		push_done(ctx, slot);
		ctx->completed++;
		if (ctx->awaited && ctx->completed >= ctx->awaited) {
			command_tell(ctx);
			monitor_wake(mon);
		}
	}
}

/*
 * The command thread's own time. Without threads it ran the workers' tasks, too, whose time is
 * counted as theirs.
 */
static void add_time(struct pica_ctx *ctx, uint64_t ns, uint64_t busy_before) {
	uint64_t tasks = ctx->device->threaded ? 0 : exec_busy_ns(&ctx->exec) - busy_before;
	ctx->stats.ns_command += ns > tasks ? ns - tasks : 0;
}

/*
 * The time of the command stage is measured over runs of jobs of one context: asking the thread's
 * clock is a system call. It is asked before the last of them completes, for then somebody may look
 * at the statistics. A short run has taken what the clock on the wall says, and the thread's is not
 * asked more often than once in a while.
 */
static void clock_end(struct pica_device *dev) {
	struct clocked *c = &dev->clocked;
	if (!c->ctx) {
		return;
	}
	uint64_t now = clock_now_ns(), ns = now - c->begun_ns;
	if (!dev->threaded || ns >= SHORT_NS) {
		const uint64_t thread_ns = clock_thread_ns();
		/* Short runs before it may have been counted as longer than they were. */
		ns = thread_ns > c->thread_ns ? thread_ns - c->thread_ns : 0;
		c->thread_ns = thread_ns;
		c->asked_ns = now;
	} else {
		c->thread_ns += ns;
	}
	add_time(c->ctx, ns, c->busy_ns);
	c->ctx = NULL;
}

static void clock_begin(struct pica_ctx *ctx, const struct pica_job *job) {
	struct pica_device *dev = ctx->device;
	struct clocked *c = &dev->clocked;
	if (c->ctx == ctx && job->op != PICA_OP_STATS) {
		return;
	}
	clock_end(dev);
	c->ctx = ctx;
	c->busy_ns = exec_busy_ns(&ctx->exec);
	c->begun_ns = clock_now_ns();
	if (!dev->threaded || c->begun_ns - c->asked_ns >= CLOCKED_NS) {
		c->thread_ns = clock_thread_ns();
		c->asked_ns = c->begun_ns;
	}
}

/* For pica_usage(), which never waits. Lock held. */
static void publish_usage(struct pica_ctx *ctx) {
	turns_charge(ctx);
	const struct pica_stats *s = &ctx->stats;
	ctx->usage = (struct pica_usage){ .cpu_ns = s->ns_command,
		.jobs = s->jobs,
		.list_words = s->list_words,
		.vertices = s->vertices,
		.pixels = ctx->exec.stats.fragments,
		.written_bytes = s->written_bytes };
}

/* Takes the next job of a context and works on it. Lock held on entry and exit. */
static void step(struct pica_ctx *ctx) {
	struct monitor *mon = &ctx->device->mon;
	uint64_t seq = ctx->parsed + 1;
	const struct job_slot queued = *slot_of(ctx, seq);
	const struct pica_job job = queued.job;
	bool cancelled = ctx->closing;
	ctx->device->stepping = ctx;
	ctx->device->step_ns = clock_now_ns();
	monitor_unlock(mon);

	const uint64_t begin = engine_trace_begin(&ctx->device->engine);
	PROBE(job_begin, ctx->exec.number, seq, job.op);
	if (!ctx->device->is_helped) {
		clock_begin(ctx, &job);
	}
	ctx->run = (struct job_run){ .seq = seq,
		.words_left = ctx->settings.budgets.list_words,
		.jumps_left = ctx->settings.budgets.list_jumps,
		.vertices_left = ctx->settings.budgets.vertices,
		.steps_left = ctx->settings.budgets.job_steps,
		.texels_left = ctx->settings.budgets.pixels,
		.shot = { queued.shot[0], queued.shot[1] } };
	if (cancelled) {
		ctx->run.result = -ECANCELED;
	} else {
		job_run(ctx, &job);
		observe_job_done(ctx, &job);
	}
	if (ctx->in_flight) {
		exec_reap(&ctx->exec);
	}
	engine_trace_end(&ctx->device->engine,
			(struct pica_span){ .kind = PICA_SPAN_JOB,
					.index = job.op,
					.context = ctx->exec.number,
					.job = seq,
					.begin_ns = begin });

	monitor_lock(mon);
	ctx->device->stepping = NULL;
	if (!ctx->device->is_helped && (seq == ctx->submitted ||
			clock_now_ns() - ctx->device->clocked.begun_ns >= CLOCKED_NS)) {
		clock_end(ctx->device);
	}
	publish_usage(ctx);
	struct job_slot *slot = slot_of(ctx, seq);
	if (slot->result == 0) {
		slot->result = exec_is_abandoned(&ctx->exec) ? -ECANCELED : ctx->run.result;
	}
	slot->flags = ctx->run.flags;
	slot->interrupts = ctx->run.interrupts;
	slot->parsed = true;
	ctx->parsed = seq;
	ctx->is_pending = is_pending(ctx);
	hold_immediate(ctx);
	complete(ctx);
}

static void flush_pending(struct pica_ctx *ctx) {
	monitor_unlock(&ctx->device->mon);
	clock_end(ctx->device);
	uint64_t start = clock_thread_ns(), busy = exec_busy_ns(&ctx->exec);
	passes_end(ctx);
	observe_settled(ctx);
	add_time(ctx, clock_thread_ns() - start, busy);
	ctx->device->clocked.asked_ns = 0; /* that is counted */
	exec_reap(&ctx->exec);
	monitor_lock(&ctx->device->mon);
	publish_usage(ctx);
	ctx->is_pending = false;
	hold_immediate(ctx);
	complete(ctx);
	monitor_wake(&ctx->device->mon); /* command_idle(), also if no job was left to complete */
}

static void reap_finished(struct pica_ctx *ctx) {
	monitor_unlock(&ctx->device->mon);
	exec_reap(&ctx->exec);
	monitor_lock(&ctx->device->mon);
	publish_usage(ctx);
	complete(ctx);
}

/* Until there is work that no helper does, or somebody is to be told. Lock held. */
static void rest(struct pica_device *dev) {
	dev->is_resting = true;
	do {
		/* woken by submissions, waiters and retired units, or by a helper who is done */
		if (dev->has_untold && !dev->wants_back) {
			monitor_wait_until(&dev->mon, dev->untold_ns + UNTOLD_NS);
		} else {
			monitor_wait(&dev->mon);
		}
		dev->wants_back = true;
	} while (dev->is_helped);
	dev->is_resting = dev->wants_back = false;
}

static void *command_main(void *arg) {
	struct pica_device *dev = arg;
	monitor_lock(&dev->mon);
	while (!dev->stop) {
		dev->notified = false;
		bool busy = false;
		for (struct pica_ctx *c = dev->contexts; c; c = c->next) {
			if (c->in_flight) {
				reap_finished(c);
			}
			if (c->is_pending && c->want_flush && c->parsed == c->submitted) {
				flush_pending(c);
				busy = true;
			}
		}
		struct pica_ctx *c = turns_choose(dev);
		tell_before(dev, c);
		if (c) {
			step(c);
		} else if (!busy && !dev->notified) {
			tell_idle(dev);
			rest(dev);
		}
	}
	monitor_unlock(&dev->mon);
	return NULL;
}

bool command_enter(struct pica_device *dev) {
	monitor_lock(&dev->mon);
	if (dev->inside && pthread_equal(dev->insider, pthread_self())) {
		monitor_unlock(&dev->mon);
		return false;
	}
	while (dev->inside) {
		monitor_wait(&dev->mon); /* woken by command_leave() */
	}
	dev->inside = true;
	dev->insider = pthread_self();
	monitor_unlock(&dev->mon);
	return true;
}

void command_leave(struct pica_device *dev) {
	monitor_lock(&dev->mon);
	dev->inside = false;
	monitor_wake(&dev->mon);
	monitor_unlock(&dev->mon);
}

void command_run_inline(struct pica_ctx *ctx, bool flush) {
	struct pica_device *dev = ctx->device;
	if (!command_enter(dev)) {
		/* called back by complete(): the call that is on the stack goes on with it */
		return;
	}
	monitor_lock(&dev->mon);
	while (ctx->parsed < ctx->submitted) {
		step(ctx);
	}
	if (flush && ctx->is_pending) {
		flush_pending(ctx);
	}
	if (flush) {
		command_tell(ctx);
	}
	monitor_unlock(&dev->mon);
	command_leave(dev);
}

bool command_help(struct pica_ctx *ctx) {
	struct pica_device *dev = ctx->device;
	if (!(ctx->settings.flags & PICA_CTX_AT_ONCE) || !dev->is_resting || dev->is_helped ||
			dev->wants_back) {
		return false;
	}
	const uint64_t begin = clock_now_ns(), busy = exec_busy_ns(&ctx->exec);
	uint64_t ns = 0;
	dev->is_helped = true;
	while (ctx->parsed < ctx->submitted && !ctx->in_flight && is_short(ctx) &&
			!dev->wants_back && ns < HELP_NS && turns_take(ctx)) {
		step(ctx);
		ns = clock_now_ns() - begin;
	}
	dev->is_helped = false;
	/* Too short for the thread's clock; interrupted, it has taken less than that. */
	add_time(ctx, ns < HELP_NS ? ns : HELP_NS, busy);
	publish_usage(ctx);
	return ctx->parsed == ctx->submitted && !dev->wants_back && !dev->notified;
}

void command_want_flush(struct pica_ctx *ctx) {
	ctx->want_flush = true;
	/* the command thread may have looked at this context already */
	ctx->device->notified = true;
	monitor_wake(&ctx->device->mon);
}

void command_idle(struct pica_ctx *ctx) {
	struct pica_device *dev = ctx->device;
	if (!dev->threaded) {
		command_run_inline(ctx, true);
		return;
	}
	monitor_lock(&dev->mon);
	command_want_flush(ctx);
	ctx->awaited = ctx->submitted;
	while (ctx->completed < ctx->submitted || ctx->is_pending) {
		/* woken by complete() and flush_pending() of the command thread */
		monitor_wait(&dev->mon);
	}
	ctx->awaited = 0;
	ctx->want_flush = false;
	monitor_unlock(&dev->mon);
}

static void notify(void *arg) {
	struct pica_device *dev = arg;
	monitor_lock(&dev->mon);
	dev->notified = true;
	monitor_unlock(&dev->mon);
	monitor_wake(&dev->mon);
}

static void notify_nobody(void *arg) {
}

int command_start(struct pica_device *dev) {
	dev->engine.notify = dev->threaded ? notify : notify_nobody;
	dev->engine.notify_arg = dev;
	if (!dev->threaded) {
		return 0;
	}
	return thread_start(&dev->command, command_main, dev);
}

void command_stop(struct pica_device *dev) {
	if (!dev->threaded) {
		return;
	}
	monitor_lock(&dev->mon);
	dev->stop = true;
	monitor_wake(&dev->mon);
	monitor_unlock(&dev->mon);
	pthread_join(dev->command, NULL);
}
