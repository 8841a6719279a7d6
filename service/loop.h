/*
 * The event loop of the service: descriptors, timers and wake-ups from other threads, on one
 * thread.
 *
 * Two implementations: loop_uring.c on io_uring, if the kernel allows it, and loop_epoll.c
 * everywhere. Readiness may be reported only once (edge): a handler reads until -EAGAIN.
 */
#ifndef SERVICE_LOOP_H
#define SERVICE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

enum loop_kind {
	LOOP_AUTO, /* io_uring, or epoll if it is forbidden */
	LOOP_URING,
	LOOP_EPOLL,
};

enum loop_event {
	LOOP_READ = 1,
	LOOP_HANGUP = 2, /* the peer is gone, or the descriptor is broken */
};

struct loop;
struct loop_watch; /* one watched descriptor; the loop's */

typedef void loop_fn(void *owner, uint32_t events);

/* A timer, embedded in its owner. Do not move it while it is set. */
struct loop_timer {
	struct loop_timer *next; /* loop.timers, by deadline; private */
	uint64_t deadline_ns;    /* CLOCK_MONOTONIC; private */
	bool is_set;             /* private */
	void (*fn)(void *owner);
	void *owner;
};

/* Time on the loop's thread used by the tasks of this share. Starts as zero. Do not move it. */
struct loop_share {
	uint64_t ns;      /* private: adjusted for the time without tasks */
	uint64_t used_ns; /* of tasks that are over */
};

/* Work that runs once after a round of events. Embedded in its owner; do not move it. */
struct loop_task {
	struct loop_task *next; /* loop.tasks, or those of this round; private */
	bool is_posted;         /* private */
	struct loop_share *share; /* charged with its time; NULL: it runs before all others */
	void (*fn)(void *owner);
	void *owner;
};

/*
 * Returns 0, -ENOMEM, -EMFILE; or -ENOSYS, -EPERM, ... if LOOP_URING is requested and the kernel
 * refuses it.
 */
int loop_create(struct loop **out, enum loop_kind kind);
/* Frees all remaining watches; timers no longer fire. NULL is allowed. */
void loop_destroy(struct loop *loop);
/* Returns "uring" or "epoll". */
const char *loop_name(const struct loop *loop);
/* Returns the enum loop_kind of "auto", "uring" or "epoll", or -EINVAL. */
int loop_kind_from_name(const char *name);

/*
 * Calls fn(owner, events) on the loop's thread when the descriptor, which the caller owns, becomes
 * readable or already is. Returns 0, -ENOMEM, or the kernel's negative errno.
 */
int loop_watch_add(
		struct loop *loop, struct loop_watch **out, int fd, loop_fn *fn, void *owner);
/* The same for the non-blocking read end of a pipe, whose bytes the loop reads and discards. */
int loop_bell_add(
		struct loop *loop, struct loop_watch **out, int fd, loop_fn *fn, void *owner);
/*
 * Writes a byte to a non-blocking pipe, now or before the loop next waits. A full pipe is ringing
 * already. Remove a watch before closing the pipe: that also writes pending bytes.
 */
void loop_bell_ring(struct loop *loop, int fd);
/* Never calls fn again, even if it is due. The caller may then close the fd. NULL is allowed. */
void loop_watch_remove(struct loop *loop, struct loop_watch *watch);

/*
 * Calls timer->fn once at deadline_ns (CLOCK_MONOTONIC) or soon after; replaces an earlier setting.
 */
void loop_timer_set(struct loop *loop, struct loop_timer *timer, uint64_t deadline_ns);
void loop_timer_unset(struct loop *loop, struct loop_timer *timer);
uint64_t loop_now_ns(void);

/*
 * Runs the task once after this round of events, even if it is posted several times. A task posted
 * by a task runs after the next round, which does not wait. The share that has used the least time
 * goes first; within one share, or among equal ones, tasks run in the order of posting. A share
 * gains no credit while it has no tasks. After 100 microseconds of tasks with a share, the
 * remaining ones wait for the next round.
 */
void loop_post(struct loop *loop, struct loop_task *task);
void loop_unpost(struct loop *loop, struct loop_task *task);
/* For tests: measures tasks by this clock instead of the thread's processor time. */
void loop_set_clock(struct loop *loop, uint64_t (*clock)(void));

/*
 * Handles due events, timers and tasks. Waits for them at most timeout_ns (< 0: without limit).
 * Returns 0 or a negative errno.
 */
int loop_step(struct loop *loop, int64_t timeout_ns);
/* Lets loop_step() return soon. Any thread. */
void loop_wake(struct loop *loop);

#endif
