/*
 * Jobs of many contexts on one command thread.
 *
 * A context has a queue: its jobs in order, from submission to completion. A device has a
 * dispatcher: the thread (or, without threads, the caller) that runs the jobs of all queues in turn
 * (turns.c). The context itself runs them: struct queue_work.
 *
 *     submitted --- run() ---> issued --- its units retire ---> completed, in order
 */
#ifndef QUEUE_QUEUE_H
#define QUEUE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sched/monitor.h"
#include "core/sched/tally.h"
#include "pica.h"

enum { QUEUE_ATTACHMENTS = 2 };

/* A job on the command thread. */
struct queue_step {
	uint64_t seq;
	struct pica_job job;
	void *const *attached;
	bool is_cancelled; /* it must not have any effect */
	bool is_alone; /* no other queue has work, and no submitter runs it (AT_ONCE) */
	/* Results. */
	int result;
	uint32_t flags;      /* PICA_DONE_* */
	uint32_t interrupts; /* bits for queue_work.interrupt() */
};

struct queue_progress {
	struct pica_usage usage; /* without times */
	bool is_pending;         /* some work continues only after flush() or another job */
	bool holds_job;          /* work is pending that the job issued last is to wait for */
	bool has_waste;          /* sweep() has something to free */
};

enum queue_touch {
	TOUCH_NONE,
	TOUCH_IN_FLIGHT,
	TOUCH_PENDING, /* by work that continues only after flush() */
};

/* A range of memory that a thread waits for. */
struct queue_range {
	uint32_t addr, size_bytes;
	bool for_write; /* wait for reads, too */
	/* queue_wait_range()'s own: */
	uint64_t seq;
	bool was_seen, is_over;
};

/* A context's part in its queue. Called on the command thread with no lock held, unless noted. */
struct queue_work {
	/* Runs a job as far as the command thread does. Where it must wait, queue_park() does. */
	void (*run)(void *ctx, struct queue_step *step);
	/* Starts pending work. */
	void (*flush)(void *ctx);
	/* Collects finished units, for each of which it calls queue_unit_retired(). */
	void (*collect)(void *ctx);
	/* Frees memory of finished units, for a slice. */
	void (*sweep)(void *ctx);
	/* Lock held. */
	void (*progress)(const void *ctx, struct queue_progress *out);
	/* Returns the accesses to the range that jobs up to seq have yet to make. Lock held. */
	enum queue_touch (*touches)(void *ctx, uint64_t seq, const struct queue_range *r);
	/* Whether the command thread comes back from a job at once. Lock held. */
	bool (*is_short)(const void *ctx, const struct pica_job *job);
	/* Processor time of the workers for the context so far. Any thread. */
	uint64_t (*busy_ns)(const void *ctx);
	/* The job raised interrupts and is about to complete. */
	void (*interrupt)(void *ctx, uint32_t interrupts);
	/* Gives an attachment back, or NULL. Lock held. */
	void (*detach)(void *attachment);
};

/* A job from submission to completion. */
struct job_slot {
	struct pica_job job;
	int result;
	uint32_t flags;
	uint32_t interrupts;
	uint32_t unit_flags; /* PICA_DONE_* of the first unit that had any */
	unsigned units; /* in flight */
	bool is_issued;
	void *attached[QUEUE_ATTACHMENTS]; /* detached at completion */
};

/* Of one context. All fields below the settings are under dispatcher.mon. */
struct queue {
	struct dispatcher *dispatcher;
	const struct queue_work *work;
	void *ctx; /* for work */
	const struct pica_ctx_settings *settings; /* the context's: owner, priority, rank, flags */
	uint32_t number; /* of the context, for probes */
	unsigned max_units; /* in flight, with which its next job may begin */

	struct queue *next;     /* dispatcher.queues */
	struct job_slot *slots; /* ring, by sequence number */
	uint64_t cap_slots;
	uint64_t submitted, issued, completed; /* sequence numbers */
	unsigned units;    /* in flight: opened and not retired */
	uint64_t held;     /* job that waits for pending work of its own, or 0 */
	bool wants_flush;  /* a thread waits: keep nothing pending */
	uint64_t awaited;  /* this job, or 0: earlier completions wake no thread */
	struct queue_range *range; /* a thread waits for it, or NULL */
	bool is_pending;   /* as in struct queue_progress */
	bool has_waste;    /* the same */
	bool is_sweeping;  /* the command thread is in sweep() */
	bool is_closing;   /* jobs are cancelled */
	struct leader *leader; /* parked: the thread that stands in its run() or flush(); or NULL */
	bool awaits_unit;  /* parked until a unit of it retires; else it yielded */
	bool awaits_any;   /* parked until the dispatcher is notified */
	struct share *share;
	uint64_t served;   /* when it had its last turn: a number */
	uint64_t ns_command; /* command thread only: processor time there */
	struct pica_usage usage; /* as of the last job or unit; without the workers' time */
	struct pica_done *done;
	uint64_t done_head, done_tail;
	bool is_unsignalled; /* done_fd is not readable yet, though there are completions */
	int done_fd;
};

/* Shares that are compared with each other (turns.c). */
struct turns_level {
	uint64_t floor_ns; /* who comes back has had about as much */
	uint64_t least_ns, most_ns; /* while turns_choose() looks: of those that have work */
};

/* A run of jobs whose time is being measured; queue NULL: none. */
struct clocked {
	struct queue *queue;
	uint64_t busy_ns, begun_ns; /* the workers' time and the time at its start */
	/* The thread's time, as far as it is known to be counted; when its clock was asked last. */
	uint64_t thread_ns, asked_ns;
};

/* Of one device. */
struct dispatcher {
	/* Covers what follows; woken by submissions, retired units, completions. */
	struct monitor mon;
	struct queue *queues;
	struct share *shares;         /* turns.c: of owners and users, and those with debts alone */
	struct turns_level users;
	uint64_t n_turns;
	const struct queue *stepping; /* whose job the command thread runs, since step_ns */
	uint64_t step_ns;
	bool is_stopping, is_notified;
	/*
	 * The command thread sleeps for want of work; a submitter does its work (AT_ONCE), and it
	 * waits for that to end.
	 */
	bool is_resting, is_helped, wants_back;
	/* Some queue may be unsignalled; since when, at least. */
	bool has_unsignalled;
	uint64_t unsignalled_ns;
	/* Without threads: one caller at a time does the work of all contexts. */
	bool is_inside;
	pthread_t insider;

	bool wants_trim; /* dispatcher_trim() */
	/* Frees what is kept beyond limits: command thread. Constant, as the next one. */
	void (*trim)(void *arg);
	void *trim_arg;
	bool is_threaded; /* constant */
	struct leader *leader;        /* the thread that is the command thread now */
	struct leader *leaders, *idle; /* all of them; those that wait for something to do */
	struct clocked clocked; /* command thread without its helpers, or the thread inside */
};

/* is_threaded: with a command thread. Returns 0 or a negative errno. */
int dispatcher_init(struct dispatcher *d, bool is_threaded);
/* Ends the thread; no queue is left. It may still be notified. */
void dispatcher_stop(struct dispatcher *d);
void dispatcher_finish(struct dispatcher *d);
/* A struct dispatcher: there may be something to collect. Any thread. */
void dispatcher_notify(void *dispatcher);
/* The command thread calls trim(): soon. Any thread. */
void dispatcher_trim(struct dispatcher *d);
/*
 * Without a command thread only one thread at a time is between these two. Returns false if this
 * thread is inside already.
 */
bool dispatcher_enter(struct dispatcher *d);
void dispatcher_leave(struct dispatcher *d);

/*
 * The constant fields must be set. From here on its jobs run. Returns 0, -ENOMEM, or an error of
 * eventfd(2).
 */
int queue_init(struct queue *q);
/* Cancels jobs that were not issued. */
void queue_close(struct queue *q);
/* It is idle: its jobs no longer run. */
void queue_finish(struct queue *q);

/*
 * Adds jobs that were checked. attached: of the first of them, or NULL; on success the jobs own
 * them. seq: of the last job, or NULL. Returns 0 or -ENOMEM.
 */
int queue_submit(struct queue *q, const struct pica_job *jobs, size_t n, void *const *attached,
		uint64_t *seq);
/* pica_wait(), pica_reap(). */
int queue_wait(struct queue *q, uint64_t seq, int64_t timeout_ns);
int queue_reap(struct queue *q, struct pica_done *done, size_t n);
/* pica_wait_range(); the first three fields of *r are set. seq 0: all that is submitted. */
int queue_wait_range(struct queue *q, uint64_t seq, struct queue_range *r, int64_t timeout_ns);
/* Shows all jobs that are not complete, in order. Lock held meanwhile. */
void queue_each_unfinished(struct queue *q, void (*see)(void *arg, const struct pica_job *job),
		void *arg);
/* Lets everything run; returns when the context is idle. */
void queue_idle(struct queue *q);
void queue_usage(struct queue *q, struct pica_usage *out);
/*
 * Returns the tally of the time that the context and others of its owner have had; its workers add
 * theirs.
 */
struct tally *queue_tally(struct queue *q);

/* ---- From queue_work.run(), flush() and collect() ---- */

/* A unit of work was begun for the job, which does not complete before it is retired. */
void queue_unit_opened(struct queue *q, uint64_t job);
/*
 * The context must wait for a unit of its own: others' jobs run meanwhile. Returns when at least
 * one was collected (queue_unit_retired()); one must be in flight. The caller looks again at
 * whatever it waits for. Jobs of the context that come later stay queued. Without a command thread
 * it returns at once: collecting runs all work.
 */
void queue_park(struct queue *q);
/*
 * The same for what other contexts have: returns true when a unit of any context has retired, or
 * something else was notified. False, at once, without a command thread.
 */
bool queue_park_for_any(struct queue *q);
/* The running job has had a slice: others get their turns first. Returns when it is its turn. */
void queue_yield(struct queue *q);
/*
 * Reports the end of a unit: result 0 or a negative errno, flags the budget or the place as in
 * PICA_DONE_*. Returns whether it is the first error of its job.
 */
bool queue_unit_retired(struct queue *q, uint64_t job, int result, uint32_t flags);

#endif
