/*
 * The command thread: queues take turns (turns.c), one job each; finished units are collected and
 * jobs complete in order.
 */
#include <errno.h>

#include "core/queue/private.h"
#include "core/sched/thread.h"

enum {
	CLOCKED_NS = 1000000, /* of jobs that are clocked together */
	SHORT_NS = 100000, /* in which a thread is hardly ever interrupted */
	SIGNAL_NS = 100000, /* completions wait for others so long, before done_fd is signalled */
	HELP_NS = 200000, /* a submitter does the command thread's work for so long */
};

/* ---- Signals: one wake-up covers many completions ---- */

static void signal_all(struct dispatcher *d) {
	for (struct queue *q = d->queues; q && d->has_unsignalled; q = q->next) {
		queue_signal(q);
	}
	d->has_unsignalled = false;
}

/*
 * Before a rest: queues with nothing in flight. Others are signalled with their next completions,
 * or when the first has waited long enough.
 */
static void signal_idle(struct dispatcher *d) {
	bool has_more = false;
	for (struct queue *q = d->queues; q && d->has_unsignalled; q = q->next) {
		if (!q->units) {
			queue_signal(q);
		}
		has_more |= q->is_unsignalled;
	}
	d->has_unsignalled = has_more;
}

/* Whether the command thread is back at once from the queue's next job. */
static bool is_short(struct queue *q) {
	return !q->is_pending && q->work->is_short(q->ctx, &queue_slot(q, q->issued + 1)->job);
}

/* Before the queue's next job; NULL: there is none to be run now. */
static void signal_before(struct dispatcher *d, struct queue *q) {
	if (d->has_unsignalled && ((q && !is_short(q)) ||
			clock_now_ns() - d->unsignalled_ns >= SIGNAL_NS)) {
		signal_all(d);
	}
}

/* ---- Time ---- */

/*
 * The command thread's own time. Without threads it ran the workers' tasks, too, whose time is
 * counted as theirs.
 */
static void add_time(struct queue *q, uint64_t ns, uint64_t busy_before) {
	uint64_t tasks = q->dispatcher->is_threaded ? 0 : q->work->busy_ns(q->ctx) - busy_before;
	q->ns_command += ns > tasks ? ns - tasks : 0;
}

/*
 * The time of the command stage is measured over runs of jobs of one queue: asking the thread's
 * clock is a system call. It is read before the last of them completes, since the statistics may be
 * read then. A short run is charged by wall-clock time; the thread's clock is read only now and
 * then.
 */
static void clock_end(struct dispatcher *d) {
	struct clocked *c = &d->clocked;
	if (!c->queue) {
		return;
	}
	uint64_t now = clock_now_ns(), ns = now - c->begun_ns;
	if (!d->is_threaded || ns >= SHORT_NS) {
		const uint64_t thread_ns = clock_thread_ns();
		/* Short runs before it may have been counted as longer than they were. */
		ns = thread_ns > c->thread_ns ? thread_ns - c->thread_ns : 0;
		c->thread_ns = thread_ns;
		c->asked_ns = now;
	} else {
		c->thread_ns += ns;
	}
	add_time(c->queue, ns, c->busy_ns);
	c->queue = NULL;
}

static void clock_begin(struct queue *q, const struct pica_job *job) {
	struct dispatcher *d = q->dispatcher;
	struct clocked *c = &d->clocked;
	if (c->queue == q && job->op != PICA_OP_STATS) {
		return;
	}
	clock_end(d);
	c->queue = q;
	c->busy_ns = q->work->busy_ns(q->ctx);
	c->begun_ns = clock_now_ns();
	if (!d->is_threaded || c->begun_ns - c->asked_ns >= CLOCKED_NS) {
		c->thread_ns = clock_thread_ns();
		c->asked_ns = c->begun_ns;
	}
}

/* ---- Jobs ---- */

/*
 * Takes over the context's report: costs, usage, and whether it has pending work. A
 * job that leaves pending work of its own completes after that. Lock held.
 */
static void update(struct queue *q) {
	struct queue_progress p;
	q->work->progress(q->ctx, &p);
	turns_charge(q, p.cost);
	q->usage = p.usage;
	q->usage.cpu_ns = q->ns_command;
	q->is_pending = p.is_pending;
	if (q->held && !p.holds_job) {
		queue_slot(q, q->held)->units--;
		q->held = 0;
	} else if (!q->held && p.holds_job) {
		q->held = q->issued;
		queue_slot(q, q->held)->units++;
	}
}

/* Runs the next job of a queue. Lock held on entry and exit. */
static void step(struct queue *q) {
	struct dispatcher *d = q->dispatcher;
	const uint64_t seq = q->issued + 1;
	const struct job_slot queued = *queue_slot(q, seq);
	struct queue_step s = { .seq = seq, .job = queued.job, .attached = queued.attached,
		.is_cancelled = q->is_closing };
	d->stepping = q;
	d->step_ns = clock_now_ns();
	monitor_unlock(&d->mon);

	if (!d->is_helped) {
		clock_begin(q, &s.job);
	}
	q->work->run(q->ctx, &s);
	if (q->units) {
		q->work->collect(q->ctx);
	}

	monitor_lock(&d->mon);
	d->stepping = NULL;
	if (!d->is_helped && (seq == q->submitted ||
			clock_now_ns() - d->clocked.begun_ns >= CLOCKED_NS)) {
		clock_end(d);
	}
	struct job_slot *slot = queue_slot(q, seq);
	if (slot->result == 0) {
		slot->result = s.result;
	}
	slot->flags = s.flags;
	slot->interrupts = s.interrupts;
	slot->is_issued = true;
	q->issued = seq;
	update(q);
	queue_complete(q);
}

static void flush_pending(struct queue *q) {
	struct dispatcher *d = q->dispatcher;
	monitor_unlock(&d->mon);
	clock_end(d);
	uint64_t start = clock_thread_ns(), busy = q->work->busy_ns(q->ctx);
	q->work->flush(q->ctx);
	add_time(q, clock_thread_ns() - start, busy);
	d->clocked.asked_ns = 0; /* that is counted */
	q->work->collect(q->ctx);
	monitor_lock(&d->mon);
	update(q);
	queue_complete(q);
	monitor_wake(&d->mon); /* queue_idle(), also if no job was left to complete */
}

static void collect_finished(struct queue *q) {
	monitor_unlock(&q->dispatcher->mon);
	q->work->collect(q->ctx);
	monitor_lock(&q->dispatcher->mon);
	update(q);
	queue_complete(q);
}

/* ---- The thread ---- */

/* Until there is work that no helper does, or a signal is due. Lock held. */
static void rest(struct dispatcher *d) {
	d->is_resting = true;
	do {
		/* woken by submissions, waiters and retired units, or by a helper that is done */
		if (d->has_unsignalled && !d->wants_back) {
			monitor_wait_until(&d->mon, d->unsignalled_ns + SIGNAL_NS);
		} else {
			monitor_wait(&d->mon);
		}
		d->wants_back = true;
	} while (d->is_helped);
	d->is_resting = d->wants_back = false;
}

static void *command_main(void *arg) {
	struct dispatcher *d = arg;
	monitor_lock(&d->mon);
	while (!d->is_stopping) {
		d->is_notified = false;
		bool is_busy = false;
		for (struct queue *q = d->queues; q; q = q->next) {
			if (q->units) {
				collect_finished(q);
			}
			if (q->is_pending && q->wants_flush && q->issued == q->submitted) {
				flush_pending(q);
				is_busy = true;
			}
		}
		struct queue *q = turns_choose(d);
		signal_before(d, q);
		if (q) {
			step(q);
		} else if (!is_busy && !d->is_notified) {
			signal_idle(d);
			rest(d);
		}
	}
	monitor_unlock(&d->mon);
	return NULL;
}

bool dispatch_help(struct queue *q) {
	struct dispatcher *d = q->dispatcher;
	if (!(q->settings->flags & PICA_CTX_AT_ONCE) || !d->is_resting || d->is_helped ||
			d->wants_back) {
		return false;
	}
	const uint64_t begin = clock_now_ns(), busy = q->work->busy_ns(q->ctx);
	uint64_t ns = 0;
	d->is_helped = true;
	while (q->issued < q->submitted && !q->units && is_short(q) && !d->wants_back &&
			ns < HELP_NS && turns_take(q)) {
		step(q);
		ns = clock_now_ns() - begin;
	}
	d->is_helped = false;
	/* Too short for the thread's clock; interrupted, it has taken less than that. */
	add_time(q, ns < HELP_NS ? ns : HELP_NS, busy);
	update(q);
	return q->issued == q->submitted && !d->wants_back && !d->is_notified;
}

void dispatch_flush(struct queue *q) {
	q->wants_flush = true;
	/* the command thread may have passed this queue already */
	q->dispatcher->is_notified = true;
	monitor_wake(&q->dispatcher->mon);
}

void dispatcher_notify(void *dispatcher) {
	struct dispatcher *d = dispatcher;
	if (!d->is_threaded) {
		return;
	}
	monitor_lock(&d->mon);
	d->is_notified = true;
	monitor_unlock(&d->mon);
	monitor_wake(&d->mon);
}

/* ---- Without threads ---- */

bool dispatcher_enter(struct dispatcher *d) {
	monitor_lock(&d->mon);
	if (d->is_inside && pthread_equal(d->insider, pthread_self())) {
		monitor_unlock(&d->mon);
		return false;
	}
	while (d->is_inside) {
		monitor_wait(&d->mon); /* woken by dispatcher_leave() */
	}
	d->is_inside = true;
	d->insider = pthread_self();
	monitor_unlock(&d->mon);
	return true;
}

void dispatcher_leave(struct dispatcher *d) {
	monitor_lock(&d->mon);
	d->is_inside = false;
	monitor_wake(&d->mon);
	monitor_unlock(&d->mon);
}

void dispatch_inline(struct queue *q, bool flush) {
	struct dispatcher *d = q->dispatcher;
	if (!dispatcher_enter(d)) {
		/* called back by an interrupt: the call that is on the stack goes on with it */
		return;
	}
	monitor_lock(&d->mon);
	while (q->issued < q->submitted) {
		step(q);
	}
	if (flush && q->is_pending) {
		flush_pending(q);
	}
	if (flush) {
		queue_signal(q);
	}
	monitor_unlock(&d->mon);
	dispatcher_leave(d);
}

/* ---- Life ---- */

int dispatcher_init(struct dispatcher *d, bool is_threaded) {
	int ret = monitor_init(&d->mon);
	if (ret < 0) {
		return ret;
	}
	d->is_threaded = is_threaded;
	ret = is_threaded ? thread_start(&d->thread, command_main, d) : 0;
	if (ret < 0) {
		monitor_finish(&d->mon);
	}
	return ret;
}

void dispatcher_stop(struct dispatcher *d) {
	if (d->is_threaded) {
		monitor_lock(&d->mon);
		d->is_stopping = true;
		monitor_wake(&d->mon);
		monitor_unlock(&d->mon);
		pthread_join(d->thread, NULL);
	}
}

void dispatcher_finish(struct dispatcher *d) {
	monitor_finish(&d->mon);
}
