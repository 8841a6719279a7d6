/*
 * The command thread: queues take turns (turns.c), one job each; finished units are collected and
 * jobs complete in order.
 *
 * Several threads can be the command thread, one at a time: the leader. A context that must wait in
 * the middle of a job is parked: the thread on whose stack it is stays with it. It leads until
 * there is a job of another context, which it leaves to the next leader, and it is called when the
 * parked context has its turn again. So no thread is created or changed while only one context has
 * jobs, and there is at most one thread more than there are contexts: further idle ones end with a
 * context.
 *
 *     leader --- its job parks ---> leads, parked --- calls another one ---> called ---> continues
 *     leader --- turn of a parked queue: calls that thread ---> idle --- called ---> leads
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "core/queue/private.h"
#include "core/sched/thread.h"

enum {
	SIGNAL_NS = 100000, /* completions wait this long for others before done_fd is signalled */
	HELP_NS = 200000, /* a submitter does the command thread's work for this long */
};

static void want(struct dispatcher *d, bool is_wanted) {
	atomic_store_explicit(&d->is_wanted, is_wanted, memory_order_relaxed);
}

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

/* Returns whether the queue's next job takes the command thread little time. */
static bool is_short(struct queue *q) {
	return !q->leader && !q->is_pending &&
			q->work->is_short(q->ctx, &queue_slot(q, q->issued + 1)->job);
}

/* Signals before the queue's next job; NULL: no job to run now. */
static void signal_before(struct dispatcher *d, struct queue *q) {
	if (d->has_unsignalled && ((q && !is_short(q)) ||
			clock_now_ns() - d->unsignalled_ns >= SIGNAL_NS)) {
		signal_all(d);
	}
}

/* ---- Jobs ---- */

/* Checks whether the wait of a thread for a range is over, or needs a flush. Lock held. */
static void look_at_range(struct queue *q) {
	struct queue_range *r = q->range;
	if (!r || r->is_over) {
		return;
	}
	if (q->issued >= r->seq) { /* all are read */
		const enum queue_touch touch = q->work->touches(q->ctx, r->seq, r);
		q->wants_flush |= touch == TOUCH_PENDING;
		r->is_over = touch == TOUCH_NONE;
	}
	if (r->is_over || !r->was_seen) {
		r->was_seen = true;
		monitor_wake(&q->dispatcher->mon);
	}
}

/* Takes over the context's report: usage, and whether it has pending work. Lock held. */
static void update(struct queue *q) {
	struct queue_progress p;
	q->work->progress(q->ctx, &p);
	q->usage = p.usage;
	q->usage.cpu_ns = q->ns_command;
	look_at_range(q);
	if (q->leader) {
		return; /* in the middle of a job, or of a flush: pending until that ends */
	}
	q->has_waste = p.has_waste;
	q->is_pending = p.is_pending;
}

/* Starts work left by the last jobs. Lock held on entry and exit. */
static void flush_pending(struct queue *q) {
	struct dispatcher *d = q->dispatcher;
	monitor_unlock(&d->mon);
	clocked_begin(q);
	q->work->flush(q->ctx);
	clocked_end(d); /* afterwards the queue may be gone */
	q->work->collect(q->ctx);
	monitor_lock(&d->mon);
	d->stepping = NULL; /* park() sets it */
	update(q);
	queue_complete(q);
	monitor_wake(&d->mon); /* wakes queue_idle() even if no job was left to complete */
}

/* For a queue without other work. Lock held on entry and exit. */
static void sweep(struct queue *q) {
	struct dispatcher *d = q->dispatcher;
	q->is_sweeping = true;
	monitor_unlock(&d->mon);
	clocked_begin(q);
	q->work->sweep(q->ctx);
	clocked_end(d);
	monitor_lock(&d->mon);
	q->is_sweeping = false;
	update(q);
	monitor_wake(&d->mon); /* queue_idle() */
}

/* Lock held. */
static bool is_alone(const struct queue *q) {
	const struct queue *other = q->dispatcher->queues;
	while (other && (other == q || (other->issued == other->submitted && !other->units))) {
		other = other->next;
	}
	return !other;
}

/* Runs the next job of a queue, or flushes it. Lock held on entry and exit. */
static void step(struct queue *q) {
	struct dispatcher *d = q->dispatcher;
	if (q->issued == q->submitted) {
		if (q->is_pending && q->wants_flush) {
			flush_pending(q);
		} else {
			sweep(q);
		}
		return;
	}
	const uint64_t seq = q->issued + 1;
	const struct job_slot queued = *queue_slot(q, seq);
	struct queue_step s = { .seq = seq, .job = queued.job, .attached = queued.attached,
		.is_cancelled = q->is_closing, .is_alone = !d->is_helped && is_alone(q) };
	d->stepping = q;
	d->step_ns = clock_now_ns();
	monitor_unlock(&d->mon);

	if (!d->is_helped) {
		if (s.job.op == PICA_OP_STATS) {
			clocked_end(d); /* it reports the time of earlier jobs */
		}
		clocked_begin(q);
	}
	q->work->run(q->ctx, &s);
	if (q->units) {
		q->work->collect(q->ctx);
	}

	monitor_lock(&d->mon);
	d->stepping = NULL;
	if (!d->is_helped && (seq == q->submitted || clocked_is_long(d))) {
		clocked_end(d);
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

static void collect_finished(struct queue *q) {
	monitor_unlock(&q->dispatcher->mon);
	q->work->collect(q->ctx);
	monitor_lock(&q->dispatcher->mon);
	update(q);
	queue_complete(q);
}

/* ---- The thread ---- */

/* Sleeps until there is work that no helper does, or a signal is due. Lock held. */
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

/* ---- Leaders ---- */

/* A thread that can be the command thread. */
struct leader {
	struct dispatcher *dispatcher;
	struct leader *next; /* dispatcher.leaders */
	struct leader *next_idle; /* dispatcher.idle */
	struct queue *queue; /* called for its next job, or NULL */
	pthread_t thread;
	bool is_over; /* called to end */
	struct monitor mon; /* covers is_called; woken by it */
	bool is_called;
};

static void call(struct leader *l) {
	monitor_lock(&l->mon);
	l->is_called = true;
	monitor_wake(&l->mon);
	monitor_unlock(&l->mon);
}

/* Waits until this thread is the leader or is to end. The dispatcher's lock held. */
static void await_call(struct leader *me) {
	struct dispatcher *d = me->dispatcher;
	monitor_unlock(&d->mon);
	monitor_lock(&me->mon);
	while (!me->is_called) {
		monitor_wait(&me->mon); /* woken by call() */
	}
	me->is_called = false;
	monitor_unlock(&me->mon);
	monitor_lock(&d->mon);
	if (!me->is_over) { /* else another thread leads and uses the clock */
		d->clocked.asked_ns = 0; /* of another thread */
	}
}

static void *leader_main(void *arg);

/* Starts a thread that waits for its call. Returns NULL when out of memory or threads. */
static struct leader *leader_create(struct dispatcher *d) {
	struct leader *l = calloc(1, sizeof(*l));
	if (!l) {
		return NULL;
	}
	l->dispatcher = d;
	if (monitor_init(&l->mon) < 0) {
		goto err_free;
	}
	if (thread_start(&l->thread, leader_main, l) < 0) {
		goto err_monitor;
	}
	l->next = d->leaders;
	d->leaders = l;
	return l;

err_monitor:
	monitor_finish(&l->mon);
err_free:
	free(l);
	return NULL;
}

static void leader_end(struct leader *l) {
	call(l);
	pthread_join(l->thread, NULL);
	monitor_finish(&l->mon);
	free(l);
}

/* Removes an idle leader, if there are more than a leader and one for each queue. Lock held. */
static struct leader *take_spare(struct dispatcher *d) {
	struct leader *spare = d->idle, **link = &d->leaders;
	unsigned n_needed = 1, n = 0;
	for (const struct queue *q = d->queues; q; q = q->next) {
		n_needed++;
	}
	for (const struct leader *l = d->leaders; l; l = l->next) {
		n++;
	}
	if (!spare || n <= n_needed) {
		return NULL;
	}
	d->idle = spare->next_idle;
	while (*link != spare) {
		link = &(*link)->next;
	}
	*link = spare->next;
	spare->is_over = true;
	return spare;
}

void dispatch_end_spare(struct dispatcher *d) {
	struct leader *spare;
	do {
		monitor_lock(&d->mon);
		spare = take_spare(d);
		monitor_unlock(&d->mon);
		if (spare) {
			leader_end(spare);
		}
	} while (spare);
}

/* Returns the thread to continue with the queue: its own, if it is parked; NULL: none. */
static struct leader *successor(struct dispatcher *d, struct queue *q) {
	struct leader *l = q->leader;
	if (!l && d->idle) {
		l = d->idle;
		d->idle = l->next_idle;
	} else if (!l) {
		l = leader_create(d);
	}
	if (l) {
		l->queue = q->leader ? NULL : q;
	}
	return l;
}

/* Collects changes since the last call: finished units, notifications. */
static void collect_changes(struct dispatcher *d) {
	const bool was_notified = d->is_notified;
	d->is_notified = false;
	want(d, false);
	for (struct queue *q = d->queues; q; q = q->next) {
		q->awaits_any &= !was_notified;
		if (q->units) {
			collect_finished(q);
		} else { /* the waiter may disappear while the lock is dropped */
			look_at_range(q);
		}
	}
	if (d->wants_trim) {
		d->wants_trim = false;
		monitor_unlock(&d->mon);
		d->trim(d->trim_arg);
		monitor_lock(&d->mon);
	}
}

/*
 * Runs jobs of all queues until the dispatcher stops or, in the thread of a parked queue, until
 * that queue continues. Lock held.
 */
static void lead(struct leader *me, struct queue *parked) {
	struct dispatcher *d = me->dispatcher;
	while (!d->is_stopping) {
		collect_changes(d);
		struct queue *q = turns_choose(d);
		signal_before(d, q);
		if (q && q == parked) {
			return;
		}
		if (!q) {
			if (!d->is_notified) {
				signal_idle(d);
				rest(d);
			}
			continue;
		}
		if (!parked && !q->leader) {
			step(q);
			continue;
		}
		struct leader *next = successor(d, q);
		if (!next) {
			/* No more threads: they all wait for this one. */
			if (!parked->awaits_unit && !parked->awaits_any) {
				return;
			}
			if (!d->is_notified) {
				monitor_wait(&d->mon);
			}
			continue;
		}
		clocked_end(d);
		d->leader = next;
		call(next);
		if (!parked) {
			me->next_idle = d->idle;
			d->idle = me;
		}
		await_call(me);
		if (parked || me->is_over) {
			return;
		}
		if (me->queue) {
			step(me->queue);
		}
	}
}

static void *leader_main(void *arg) {
	struct leader *me = arg;
	struct dispatcher *d = me->dispatcher;
	thread_be_brief();
	monitor_lock(&d->mon);
	await_call(me);
	if (me->queue) {
		step(me->queue);
	}
	lead(me, NULL);
	monitor_unlock(&d->mon);
	return NULL;
}

/* Returns whether no other queue has work at its next turn. */
static bool park(struct queue *q, bool awaits_unit, bool awaits_any) {
	struct dispatcher *d = q->dispatcher;
	if (!d->is_threaded) {
		return true;
	}
	monitor_lock(&d->mon);
	assert(!d->is_helped); /* short jobs do not wait */
	clocked_end(d);
	q->usage.cpu_ns = q->ns_command; /* read when long jobs are ended */
	q->leader = d->leader;
	q->awaits_unit = awaits_unit;
	q->awaits_any = awaits_any;
	d->stepping = NULL;
	lead(q->leader, q);
	q->leader = NULL;
	q->awaits_any = false;
	d->stepping = q;
	d->step_ns = clock_now_ns();
	const bool has_no_other = is_alone(q);
	monitor_unlock(&d->mon);
	clocked_begin(q);
	return has_no_other;
}

void queue_park(struct queue *q) {
	park(q, q->units != 0, false);
}

bool queue_park_for_any(struct queue *q) {
	park(q, false, true);
	return q->dispatcher->is_threaded;
}

bool queue_yield(struct queue *q) {
	return park(q, false, false);
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
			ns < HELP_NS && turns_choose(d) == q) {
		step(q);
		ns = clock_now_ns() - begin;
	}
	d->is_helped = false;
	/* Too short for the thread's clock; interrupted, it has taken less than that. */
	clocked_add(q, ns < HELP_NS ? ns : HELP_NS, busy);
	update(q);
	return q->issued == q->submitted && !d->wants_back && !d->is_notified;
}

void dispatch_look(struct queue *q) {
	/* the command thread may have passed this queue already */
	q->dispatcher->is_notified = true;
	want(q->dispatcher, true);
	monitor_wake(&q->dispatcher->mon);
}

void dispatch_flush(struct queue *q) {
	q->wants_flush = true;
	dispatch_look(q);
}

static void notify(struct dispatcher *d, bool wants_trim) {
	if (!d->is_threaded) {
		return;
	}
	monitor_lock(&d->mon);
	d->wants_trim |= wants_trim;
	d->is_notified = true;
	want(d, true);
	monitor_unlock(&d->mon);
	monitor_wake(&d->mon);
}

void dispatcher_notify(void *dispatcher) {
	notify(dispatcher, false);
}

void dispatcher_trim(struct dispatcher *d) {
	notify(d, true);
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
		/* called from an interrupt: the outer call continues with it */
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
	if (is_threaded) {
		d->leader = leader_create(d);
		if (!d->leader) {
			monitor_finish(&d->mon);
			return -EAGAIN;
		}
		call(d->leader);
	}
	return 0;
}

void dispatcher_stop(struct dispatcher *d) {
	monitor_lock(&d->mon);
	d->is_stopping = true;
	monitor_wake(&d->mon);
	monitor_unlock(&d->mon);
	while (d->leaders) {
		struct leader *l = d->leaders;
		d->leaders = l->next;
		monitor_lock(&d->mon); /* the first one may not have looked yet */
		l->queue = NULL;
		monitor_unlock(&d->mon);
		leader_end(l);
	}
}

void dispatcher_finish(struct dispatcher *d) {
	turns_finish(d);
	monitor_finish(&d->mon);
}
