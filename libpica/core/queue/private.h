/* Between the files of the room. dispatcher.mon is held unless noted. */
#ifndef QUEUE_PRIVATE_H
#define QUEUE_PRIVATE_H

#include "core/queue/queue.h"

static inline struct job_slot *queue_slot(struct queue *q, uint64_t seq) {
	return &q->slots[seq & (q->cap_slots - 1)];
}

/* Completes jobs at the head. The lock is dropped around interrupts. */
void queue_complete(struct queue *q);
/* Makes done_fd readable if a signal is due. */
void queue_signal(struct queue *q);

/* ---- dispatch.c ---- */

/*
 * Runs a submission of short jobs in the caller while the command thread sleeps, which saves two
 * wake-ups. Returns false if work remains or other queues wait: the caller must wake the command
 * thread.
 */
bool dispatch_help(struct queue *q);
/* Issues and completes jobs in the caller (no threads). Lock not held. */
void dispatch_inline(struct queue *q, bool flush);
/* Makes the command thread check the queue. */
void dispatch_look(struct queue *q);
/* Call before a thread waits for the queue. */
void dispatch_flush(struct queue *q);
/* Ends idle threads that the queues do not need. Lock not held. */
void dispatch_end_spare(struct dispatcher *d);

/* ---- clocked.c; lock not needed ---- */

/* Begins a run of jobs of the queue, or continues it. */
void clocked_begin(struct queue *q);
/* Ends the run, and charges its time to the queue. */
void clocked_end(struct dispatcher *d);
/* Returns true if the slice is over. */
bool clocked_is_long(const struct dispatcher *d);
/*
 * Adds time of the command thread. Without threads, subtracts the time of the workers' tasks that
 * it ran, since that is counted separately.
 */
void clocked_add(struct queue *q, uint64_t ns, uint64_t busy_before);

/* ---- turns.c ---- */

/* Takes the queue into its owner's share. Returns 0 or -ENOMEM. */
int turns_join(struct queue *q);
void turns_leave(struct queue *q);
/* Forgets all debts; no queue is left. */
void turns_finish(struct dispatcher *d);
/* Returns the queue whose next job begins or whose current job continues; NULL if none waits. */
struct queue *turns_choose(struct dispatcher *d);

#endif
