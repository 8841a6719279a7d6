/*
 * Jobs of many contexts on one command thread.
 *
 * A context has a queue: its jobs in order, from submission to completion. A device has a
 * dispatcher: the thread (or, without threads, the caller) that gives turns to the queues (turns.c)
 * and calls the context to run each job (struct queue_work).
 *
 *     submitted --- run() ---> issued --- its units retire ---> completed, in order
 */
#ifndef QUEUE_QUEUE_H
#define QUEUE_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
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
	bool is_alone; /* no other queue has work, and no submitter runs this job (AT_ONCE) */
	/* Results. */
	int result;
	uint32_t flags;      /* PICA_DONE_* */
	uint32_t interrupts; /* bits for queue_work.interrupt() */
};

struct queue_progress {
	struct pica_usage usage; /* without times */
	bool is_pending;         /* some work continues only after flush() or another job */
	bool has_waste;          /* sweep() has something to free */
};

enum queue_touch {
	TOUCH_NONE,
	TOUCH_IN_FLIGHT,
	TOUCH_PENDING, /* accessed by work that continues only after flush() */
};

/* A range of memory that a thread waits for. */
struct queue_range {
	uint32_t addr, size_bytes;
	bool for_write; /* also wait for reads */
	/* Private to queue_wait_range(): */
	uint64_t seq;
	bool was_seen, is_over;
};

/*
 * The functions of a context that its queue calls: on the command thread with no lock held, unless
 * noted.
 */
struct queue_work {
	/* Does the command thread's part of a job. Waits by queue_park(). */
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
	/* Returns true if the command thread's part of a job is short. Lock held. */
	bool (*is_short)(const void *ctx, const struct pica_job *job);
	/* Processor time of the workers for the context so far. Any thread. */
	uint64_t (*busy_ns)(const void *ctx);
	/* The job raised interrupts and is about to complete. */
	void (*interrupt)(void *ctx, uint32_t interrupts);
	/* Releases an attachment (NULL: none). Lock held. */
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
	unsigned max_units; /* units in flight with which its next job may still begin */

	struct queue *next;     /* dispatcher.queues */
	struct job_slot *slots; /* ring, by sequence number */
	uint64_t cap_slots;
	uint64_t submitted, issued, completed; /* sequence numbers */
	unsigned units;    /* in flight: opened and not retired */
	bool wants_flush;  /* a thread waits: keep nothing pending */
	/* a thread waits for this job (0: none); earlier completions do not wake it */
	uint64_t awaited;
	struct queue_range *range; /* a thread waits for it, or NULL */
	bool is_pending;   /* as in struct queue_progress */
	bool has_waste;    /* the same */
	bool is_sweeping;  /* the command thread is in sweep() */
	bool is_closing;   /* jobs are cancelled */
	struct leader *leader; /* parked: the thread that is inside its run() or flush(); or NULL */
	bool awaits_unit;  /* parked until a unit of it retires; else it yielded */
	bool awaits_any;   /* parked until the dispatcher is notified */
	struct share *share;
	uint64_t served;   /* ordinal of its last turn */
	uint64_t ns_command; /* command thread only: processor time there */
	struct pica_usage usage; /* as of the last job or unit; without the workers' time */
	struct pica_done *done;
	uint64_t done_head, done_tail;
	bool is_unsignalled; /* done_fd is not readable yet, though there are completions */
	int done_fd;
};

/* Shares that are compared with each other (turns.c). */
struct turns_level {
	uint64_t floor_ns; /* the time of a returning share is raised to this, less HEAD_START_NS */
	uint64_t least_ns, most_ns; /* of the shares with work; during turns_choose() */
};

/* A run of jobs whose time is being measured; queue NULL: none. */
struct clocked {
	struct queue *queue;
	uint64_t busy_ns, begun_ns; /* the workers' time and the time at its start */
	/* The time of the thread that is already counted; the last reading of its clock. */
	uint64_t thread_ns, asked_ns;
};

/* Of one device. */
struct dispatcher {
	/* Covers what follows; woken by submissions, retired units, completions. */
	struct monitor mon;
	struct queue *queues;
	/* turns.c: shares of owners and users, including those that only have debts */
	struct share *shares;
	struct turns_level users;
	uint64_t n_turns;
	const struct queue *stepping; /* whose job the command thread runs, since step_ns */
	uint64_t step_ns;
	bool is_stopping, is_notified;
	/*
	 * Something has changed since the command thread last chose a turn: another queue may come
	 * before the running job. Read without the lock, relaxed: the job sees it soon.
	 */
	atomic_bool is_wanted;
	/*
	 * The command thread sleeps because there is no work; a submitter does its work (AT_ONCE),
	 * and the command thread waits until that ends.
	 */
	bool is_resting, is_helped, wants_back;
	/* Some queue may be unsignalled; the earliest time of that. */
	bool has_unsignalled;
	uint64_t unsignalled_ns;
	/* Without threads: one caller at a time does the work of all contexts. */
	bool is_inside;
	pthread_t insider;

	bool wants_trim; /* dispatcher_trim() */
	/* Frees kept memory over the limits. Command thread. Constant, like the next field. */
	void (*trim)(void *arg);
	void *trim_arg;
	bool is_threaded; /* constant */
	struct leader *leader;        /* the thread that is the command thread now */
	struct leader *leaders, *idle; /* all leaders; those that wait for work */
	struct clocked clocked; /* command thread without its helpers, or the thread inside */
};

/* is_threaded: with a command thread. Returns 0 or a negative errno. */
int dispatcher_init(struct dispatcher *d, bool is_threaded);
/* Ends the thread. No queue may be left. The dispatcher may still be notified. */
void dispatcher_stop(struct dispatcher *d);
void dispatcher_finish(struct dispatcher *d);
/* arg: struct dispatcher. Notifies it that units may be ready to collect. Any thread. */
void dispatcher_notify(void *dispatcher);
/* Makes the command thread call trim() soon. Any thread. */
void dispatcher_trim(struct dispatcher *d);
/*
 * Without a command thread, these enclose the work of one thread at a time. dispatcher_enter()
 * returns false if the calling thread is already inside.
 */
bool dispatcher_enter(struct dispatcher *d);
void dispatcher_leave(struct dispatcher *d);

/*
 * Adds a queue whose constant fields are set; its jobs run from now on. Returns 0, -ENOMEM, or an
 * error of eventfd(2).
 */
int queue_init(struct queue *q);
/* Cancels jobs that were not issued. */
void queue_close(struct queue *q);
/* Removes a queue, which must be idle. */
void queue_finish(struct queue *q);

/*
 * Adds jobs that were checked. attached: attachments of the first job, or NULL; on success the job
 * owns them. *seq receives the number of the last job; seq may be NULL. Returns 0 or -ENOMEM.
 */
int queue_submit(struct queue *q, const struct pica_job *jobs, size_t n, void *const *attached,
		uint64_t *seq);
/* pica_wait(), pica_reap(). */
int queue_wait(struct queue *q, uint64_t seq, int64_t timeout_ns);
int queue_reap(struct queue *q, struct pica_done *done, size_t n);
/* pica_wait_range(); the first three fields of *r are set. seq 0: all that is submitted. */
int queue_wait_range(struct queue *q, uint64_t seq, struct queue_range *r, int64_t timeout_ns);
/* Calls back for all jobs that are not complete, in order, with the lock held. */
void queue_each_unfinished(struct queue *q, void (*see)(void *arg, const struct pica_job *job),
		void *arg);
/* Lets everything run; returns when the context is idle. */
void queue_idle(struct queue *q);
void queue_usage(struct queue *q, struct pica_usage *out);
/* Returns the tally of processor time of the queue's owner, to which workers add their time. */
struct tally *queue_tally(struct queue *q);

/* ---- From queue_work.run(), flush() and collect() ---- */

/*
 * Reports that a unit was opened for the job, which then completes only after the unit is retired.
 */
void queue_unit_opened(struct queue *q, uint64_t job);
/*
 * Waits for a unit of the context; one must be in flight. Meanwhile jobs of other contexts run, and
 * later jobs of this one stay queued. Returns when at least one unit was collected
 * (queue_unit_retired()); the caller must check its condition again. Without a command thread
 * returns at once, since collecting runs all work.
 */
void queue_park(struct queue *q);
/*
 * Waits for other contexts: returns true when a unit of any context has retired, or after another
 * notification. Without a command thread returns false at once.
 */
bool queue_park_for_any(struct queue *q);
/*
 * Ends the slice of the running job. Returns at its next turn, whether no other queue has work
 * then. Without a command thread returns true at once.
 */
bool queue_yield(struct queue *q);
/*
 * Reports the end of a unit. result: 0 or a negative errno; flags: the budget or the place as in
 * PICA_DONE_*. Returns true if it is the first error of its job.
 */
bool queue_unit_retired(struct queue *q, uint64_t job, int result, uint32_t flags);

#endif
