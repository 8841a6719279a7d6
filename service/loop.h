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

/* A timer lies in its owner and is not moved while it is set. */
struct loop_timer {
	struct loop_timer *next; /* loop.timers, by deadline; private */
	uint64_t deadline_ns;    /* CLOCK_MONOTONIC; private */
	bool is_set;             /* private */
	void (*fn)(void *owner);
	void *owner;
};

/* Time of the loop's thread used by a share's tasks; zero at the start. It must not be moved. */
struct loop_share {
	uint64_t ns;      /* private: includes a credit for the time without tasks */
	uint64_t used_ns; /* of tasks that are over */
};

/* Work that is run once after a round of events. It lies in its owner, and is not moved. */
struct loop_task {
	struct loop_task *next; /* loop.tasks, or those of this round; private */
	bool is_posted;         /* private */
	struct loop_share *share; /* whose time it takes; NULL: it runs before all others */
	void (*fn)(void *owner);
	void *owner;
};

/*
 * Returns 0; -ENOSYS, -EPERM, ... if LOOP_URING was asked for and the kernel refuses it; -ENOMEM;
 * -EMFILE.
 */
int loop_create(struct loop **out, enum loop_kind kind);
/* All watches are removed, all timers unset. NULL is allowed. */
void loop_destroy(struct loop *loop);
/* Returns "uring" or "epoll". */
const char *loop_name(const struct loop *loop);
/* Returns the enum loop_kind of "auto", "uring" or "epoll", or -EINVAL. */
int loop_kind_from_name(const char *name);

/*
 * Calls fn(owner, events) on the loop's thread when the descriptor, which the caller owns, becomes
 * readable, or already is. Returns 0, -ENOMEM, or what the kernel says.
 */
int loop_watch_add(
		struct loop *loop, struct loop_watch **out, int fd, loop_fn *fn, void *owner);
/* The same for the non-blocking read end of a pipe, whose bytes the loop reads and discards. */
int loop_bell_add(
		struct loop *loop, struct loop_watch **out, int fd, loop_fn *fn, void *owner);
/*
 * Writes a byte to a non-blocking pipe, now or before the loop waits. If the pipe is full, it is
 * ringing already. Remove a watch before closing the pipe: that also writes waiting bytes.
 */
void loop_bell_ring(struct loop *loop, int fd);
/* fn is no longer called, even if it is due. NULL is allowed. The caller may then close the fd. */
void loop_watch_remove(struct loop *loop, struct loop_watch *watch);

/*
 * Calls timer->fn once at deadline_ns (CLOCK_MONOTONIC) or soon after; replaces an earlier setting.
 */
void loop_timer_set(struct loop *loop, struct loop_timer *timer, uint64_t deadline_ns);
void loop_timer_unset(struct loop *loop, struct loop_timer *timer);
uint64_t loop_now_ns(void);

/*
 * Runs the task after this round of events; if it is posted already, once. Posted by a task, it
 * runs after the next round, which does not wait. The share that has had least time comes first; of
 * one share, or of equal ones, what was posted first. A share keeps no credit from the time when it
 * had no tasks. When shares have had 100 microseconds, the rest wait for the next round, too.
 */
void loop_post(struct loop *loop, struct loop_task *task);
void loop_unpost(struct loop *loop, struct loop_task *task);
/* For tests: measures tasks by this clock instead of the thread's processor time. */
void loop_set_clock(struct loop *loop, uint64_t (*clock_ns)(void));

/*
 * Handles due events, timers and tasks. Waits for them at most timeout_ns (< 0: without limit).
 * Returns 0 or a negative errno.
 */
int loop_step(struct loop *loop, int64_t timeout_ns);
/* Lets loop_step() return soon. Any thread. */
void loop_wake(struct loop *loop);

#endif
