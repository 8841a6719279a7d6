/*
 * Processor time of the command thread, by queue.
 *
 * The time of the command stage is measured over runs of jobs of one queue: asking the thread's
 * clock is a system call. It is read before the last of them completes, when the statistics may be
 * read. A short run is charged by wall-clock time; the thread's clock is read only now and then.
 */
#include "core/queue/private.h"

enum {
	CLOCKED_NS = 1000000, /* of jobs that are clocked together */
	SHORT_NS = 100000, /* so short that interruptions are rare */
};

void clocked_add(struct queue *q, uint64_t ns, uint64_t busy_before) {
	uint64_t tasks = q->dispatcher->is_threaded ? 0 : q->work->busy_ns(q->ctx) - busy_before;
	ns = ns > tasks ? ns - tasks : 0;
	q->ns_command += ns;
	tally_add(queue_tally(q), ns);
}

void clocked_end(struct dispatcher *d) {
	struct clocked *c = &d->clocked;
	if (!c->queue) {
		return;
	}
	uint64_t now = clock_now_ns(), ns = now - c->begun_ns;
	if (!d->is_threaded || ns >= SHORT_NS) {
		const uint64_t thread_ns = clock_thread_ns();
		/* Earlier short runs may have been overestimated. */
		ns = thread_ns > c->thread_ns ? thread_ns - c->thread_ns : 0;
		c->thread_ns = thread_ns;
		c->asked_ns = now;
	} else {
		c->thread_ns += ns;
	}
	clocked_add(c->queue, ns, c->busy_ns);
	c->queue = NULL;
}

void clocked_begin(struct queue *q) {
	struct dispatcher *d = q->dispatcher;
	struct clocked *c = &d->clocked;
	if (c->queue == q) {
		return;
	}
	clocked_end(d);
	c->queue = q;
	c->busy_ns = q->work->busy_ns(q->ctx);
	c->begun_ns = clock_now_ns();
	if (!d->is_threaded || c->begun_ns - c->asked_ns >= CLOCKED_NS) {
		c->thread_ns = clock_thread_ns();
		c->asked_ns = c->begun_ns;
	}
}

bool clocked_is_long(const struct dispatcher *d) {
	return clock_now_ns() - d->clocked.begun_ns >= CLOCKED_NS;
}
