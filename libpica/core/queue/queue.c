/* A context's jobs: submitted, completed in order, awaited. */
#include "core/queue/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/base/probe.h"
#include "core/queue/private.h"

#define BUDGET_BITS ((uint32_t)PICA_DONE_BUDGET_MASK << PICA_DONE_BUDGET_SHIFT)
/* The bits for the place or reason of a job's failure. */
#define CAUSE_BITS (~(uint32_t)(PICA_DONE_PLACE - 1))

enum { FIRST_SLOTS = 64, MAX_JOBS = 1 << 28, DONE_RING = 65536 };

/* ---- Life ---- */

int queue_init(struct queue *q) {
	struct dispatcher *d = q->dispatcher;
	int ret = -ENOMEM;
	q->cap_slots = FIRST_SLOTS;
	q->slots = calloc(q->cap_slots, sizeof(*q->slots));
	q->done = calloc(DONE_RING, sizeof(*q->done));
	if (!q->slots || !q->done) {
		goto err_free;
	}
	q->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (q->done_fd < 0) {
		ret = -errno;
		goto err_free;
	}
	monitor_lock(&d->mon);
	ret = turns_join(q);
	if (ret == 0) {
		q->next = d->queues;
		d->queues = q;
	}
	monitor_unlock(&d->mon);
	if (ret == 0) {
		return 0;
	}
	close(q->done_fd);
err_free:
	free(q->slots);
	free(q->done);
	return ret;
}

void queue_close(struct queue *q) {
	monitor_lock(&q->dispatcher->mon);
	q->is_closing = true;
	monitor_unlock(&q->dispatcher->mon);
}

void queue_finish(struct queue *q) {
	struct dispatcher *d = q->dispatcher;
	monitor_lock(&d->mon);
	struct queue **link = &d->queues;
	while (*link != q) {
		link = &(*link)->next;
	}
	*link = q->next;
	turns_leave(q);
	monitor_unlock(&d->mon);
	dispatch_end_spare(d);
	close(q->done_fd);
	free(q->slots);
	free(q->done);
}

/* ---- Units ---- */

void queue_unit_opened(struct queue *q, uint64_t job) {
	monitor_lock(&q->dispatcher->mon);
	queue_slot(q, job)->units++;
	q->units++;
	monitor_unlock(&q->dispatcher->mon);
}

bool queue_unit_retired(struct queue *q, uint64_t job, int result, uint32_t flags) {
	monitor_lock(&q->dispatcher->mon);
	struct job_slot *slot = queue_slot(q, job);
	slot->units--;
	q->units--;
	q->awaits_unit = false;
	const bool is_first = result < 0 && slot->result == 0;
	if (is_first) {
		slot->result = result;
	}
	if (!slot->unit_flags) {
		slot->unit_flags = flags;
	}
	monitor_unlock(&q->dispatcher->mon);
	return is_first;
}

/* ---- Completions ---- */

void queue_signal(struct queue *q) {
	if (q->is_unsignalled) {
		uint64_t one = 1;
		ssize_t written = write(q->done_fd, &one, sizeof(one));
		(void)written; /* the counter is full: then it is readable already */
		q->is_unsignalled = false;
	}
}

/* A unit's cause goes first, since the unit may retire before or after the job's own end. */
static uint32_t done_flags(const struct job_slot *slot) {
	const uint32_t flags = slot->unit_flags ? (slot->flags & ~CAUSE_BITS) | slot->unit_flags :
						  slot->flags;
	return slot->result == -EDQUOT || (flags & PICA_DONE_PLACE) ? flags : flags & ~BUDGET_BITS;
}

static void push_done(struct queue *q, const struct job_slot *slot) {
	struct dispatcher *d = q->dispatcher;
	const bool was_empty = q->done_tail == q->done_head;
	if (q->done_tail - q->done_head == DONE_RING) {
		q->done_head++;
	}
	q->done[q->done_tail++ % DONE_RING] = (struct pica_done){
		.user_data = slot->job.user_data, .result = slot->result, .flags = done_flags(slot)
	};
	if (!was_empty) {
		return; /* signalled since the first one, until queue_reap() takes the last */
	}
	q->is_unsignalled = true;
	if (!d->is_threaded) {
		if (!(q->settings->flags & PICA_CTX_AT_ONCE)) {
			queue_signal(q);
		}
	} else if (!d->has_unsignalled) {
		d->has_unsignalled = true;
		d->unsignalled_ns = clock_now_ns();
	}
}

void queue_complete(struct queue *q) {
	struct monitor *mon = &q->dispatcher->mon;
	while (q->completed < q->issued) {
		struct job_slot *slot = queue_slot(q, q->completed + 1);
		if (!slot->is_issued || slot->units) {
			break;
		}
		if (slot->interrupts) {
			const uint32_t interrupts = slot->interrupts;
			monitor_unlock(mon);
			q->work->interrupt(q->ctx, interrupts);
			monitor_lock(mon);
			slot = queue_slot(q, q->completed + 1);
		}
		for (unsigned i = 0; i < QUEUE_ATTACHMENTS; i++) {
			q->work->detach(slot->attached[i]);
		}
		PROBE(job_end, q->number, q->completed + 1, slot->result);
		push_done(q, slot);
		q->completed++;
		if (q->awaited && q->completed >= q->awaited) {
			queue_signal(q);
			monitor_wake(mon);
		}
	}
}

int queue_reap(struct queue *q, struct pica_done *done, size_t n) {
	struct dispatcher *d = q->dispatcher;
	int taken = 0;
	monitor_lock(&d->mon);
	while ((size_t)taken < n && q->done_head < q->done_tail) {
		done[taken++] = q->done[q->done_head++ % DONE_RING];
	}
	if (q->done_head == q->done_tail && q->is_unsignalled) {
		q->is_unsignalled = false;
	} else if (taken && q->done_head == q->done_tail) {
		uint64_t drop;
		ssize_t got = read(q->done_fd, &drop, sizeof(drop));
		(void)got; /* EAGAIN: it was not readable */
	}
	monitor_unlock(&d->mon);
	return taken;
}

/* ---- Submissions and waits ---- */

/* Room for n more jobs. Lock held. */
static int reserve_slots(struct queue *q, size_t n) {
	uint64_t used = q->submitted - q->completed, cap = q->cap_slots;
	if (n > MAX_JOBS - used) {
		return -ENOMEM;
	}
	while (cap < used + n) {
		cap *= 2;
	}
	if (cap == q->cap_slots) {
		return 0;
	}
	struct job_slot *slots = calloc(cap, sizeof(*slots));
	if (!slots) {
		return -ENOMEM;
	}
	for (uint64_t seq = q->completed + 1; seq <= q->submitted; seq++) {
		slots[seq & (cap - 1)] = *queue_slot(q, seq);
	}
	free(q->slots);
	q->slots = slots;
	q->cap_slots = cap;
	return 0;
}

int queue_submit(struct queue *q, const struct pica_job *jobs, size_t n, void *const *attached,
		uint64_t *seq) {
	struct dispatcher *d = q->dispatcher;
	monitor_lock(&d->mon);
	int ret = reserve_slots(q, n);
	if (ret < 0) {
		monitor_unlock(&d->mon);
		return ret;
	}
	for (size_t i = 0; i < n; i++) {
		struct job_slot *slot = queue_slot(q, ++q->submitted);
		*slot = (struct job_slot){ .job = jobs[i] };
		for (unsigned k = 0; i == 0 && attached && k < QUEUE_ATTACHMENTS; k++) {
			slot->attached[k] = attached[k];
		}
	}
	if (seq) {
		*seq = q->submitted;
	}
	const bool is_done = dispatch_help(q);
	if (!is_done && d->stepping != q) {
		atomic_store_explicit(&d->is_wanted, true, memory_order_relaxed);
	}
	monitor_unlock(&d->mon);
	if (!is_done) {
		monitor_wake(&d->mon);
	}
	if (!d->is_threaded) {
		dispatch_inline(q, false);
	}
	return 0;
}

/*
 * Waits until the command thread wakes waiters. deadline: of a timeout_ns > 0. Returns 0 or -ETIME.
 */
static int wait_more(struct dispatcher *d, int64_t timeout_ns, uint64_t deadline) {
	if (timeout_ns < 0) {
		monitor_wait(&d->mon);
		return 0;
	}
	return timeout_ns == 0 ? -ETIME : monitor_wait_until(&d->mon, deadline);
}

static uint64_t deadline_of(int64_t timeout_ns) {
	return timeout_ns > 0 ? clock_now_ns() + (uint64_t)timeout_ns : 0;
}

int queue_wait(struct queue *q, uint64_t seq, int64_t timeout_ns) {
	struct dispatcher *d = q->dispatcher;
	if (!d->is_threaded) {
		dispatch_inline(q, true);
		return q->completed >= seq ? 0 : -EINVAL;
	}
	const uint64_t deadline = deadline_of(timeout_ns);
	int ret = 0;
	monitor_lock(&d->mon);
	if (seq > q->submitted) {
		ret = -EINVAL;
	} else if (q->completed < seq) {
		dispatch_flush(q);
		q->awaited = seq;
	}
	while (ret == 0 && q->completed < seq) {
		ret = wait_more(d, timeout_ns, deadline); /* woken by queue_complete() */
		ret = q->completed >= seq ? 0 : ret;
	}
	q->awaited = 0;
	q->wants_flush = false;
	queue_signal(q);
	monitor_unlock(&d->mon);
	return ret;
}

int queue_wait_range(struct queue *q, uint64_t seq, struct queue_range *r, int64_t timeout_ns) {
	struct dispatcher *d = q->dispatcher;
	const uint64_t deadline = deadline_of(timeout_ns);
	if (!d->is_threaded) {
		dispatch_inline(q, true);
		return q->submitted >= seq ? 0 : -EINVAL;
	}
	monitor_lock(&d->mon);
	int ret = seq > q->submitted ? -EINVAL : 0;
	r->seq = seq ? seq : q->submitted;
	r->was_seen = false;
	r->is_over = q->completed == q->submitted && !q->is_pending;
	if (ret == 0 && !r->is_over) {
		q->range = r;
		dispatch_look(q);
	}
	while (ret == 0 && !r->is_over) {
		/* woken by look_at_range(); a caller that does not wait runs it once, too */
		ret = wait_more(d, timeout_ns == 0 && !r->was_seen ? -1 : timeout_ns, deadline);
		ret = r->is_over ? 0 : ret;
	}
	q->range = NULL;
	q->wants_flush = false;
	monitor_unlock(&d->mon);
	return ret;
}

void queue_each_unfinished(struct queue *q, void (*see)(void *arg, const struct pica_job *job),
		void *arg) {
	monitor_lock(&q->dispatcher->mon);
	for (uint64_t seq = q->completed + 1; seq <= q->submitted; seq++) {
		see(arg, &queue_slot(q, seq)->job);
	}
	monitor_unlock(&q->dispatcher->mon);
}

void queue_idle(struct queue *q) {
	struct dispatcher *d = q->dispatcher;
	if (!d->is_threaded) {
		dispatch_inline(q, true);
		return;
	}
	monitor_lock(&d->mon);
	if (q->completed < q->submitted || q->is_pending) {
		dispatch_flush(q); /* wakes the command thread */
	}
	q->awaited = q->submitted;
	while (q->completed < q->submitted || q->is_pending || q->is_sweeping ||
			(q->has_waste && !q->is_closing)) {
		/* woken by completions, flushes and sweeps of the command thread */
		monitor_wait(&d->mon);
	}
	q->awaited = 0;
	q->wants_flush = false;
	monitor_unlock(&d->mon);
}

void queue_usage(struct queue *q, struct pica_usage *out) {
	const struct dispatcher *d = q->dispatcher;
	monitor_lock(&q->dispatcher->mon);
	*out = q->usage;
	out->running_ns = d->stepping == q ? clock_now_ns() - d->step_ns : 0;
	monitor_unlock(&q->dispatcher->mon);
	out->size = sizeof(*out);
	out->cpu_ns += q->work->busy_ns(q->ctx);
}
