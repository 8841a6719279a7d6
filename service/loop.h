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
	LOOP_AUTO, /* io_uring, or epoll where it is barred */
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

/* Work that is run once after a round of events. It lies in its owner, and is not moved. */
struct loop_task {
	struct loop_task *next; /* loop.tasks, or those of this round; private */
	bool is_posted;         /* private */
	void (*fn)(void *owner);
	void *owner;
};

/* -ENOSYS, -EPERM, ...: LOOP_URING was asked for and the kernel refuses; -ENOMEM, -EMFILE. */
int loop_create(struct loop **out, enum loop_kind kind);
/* All watches are removed, all timers unset. NULL is allowed. */
void loop_destroy(struct loop *loop);
/* "uring" or "epoll". */
const char *loop_name(const struct loop *loop);
/* "auto", "uring", "epoll" -> enum loop_kind; -EINVAL. */
int loop_kind_from_name(const char *name);

/*
 * Calls fn(owner, events) on the loop's thread when the descriptor, which stays the caller's and
 * open, becomes readable, or is already. Returns 0, -ENOMEM, or what the kernel says.
 */
int loop_watch_add(
		struct loop *loop, struct loop_watch **out, int fd, loop_fn *fn, void *owner);
/* The same for the read end of a pipe, non-blocking, whose bytes the loop reads and forgets. */
int loop_bell_add(
		struct loop *loop, struct loop_watch **out, int fd, loop_fn *fn, void *owner);
/*
 * Writes a byte to a non-blocking pipe, now or before the loop waits. If the pipe is full, it is
 * ringing already. The caller removes a watch before it closes the pipe, which sends what waits.
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
 * Runs the task after this round of events, in the order of posting; if it is posted already,
 * once. Posted by a task, it runs after the next round, which does not wait.
 */
void loop_post(struct loop *loop, struct loop_task *task);
void loop_unpost(struct loop *loop, struct loop_task *task);

/*
 * Handles what is due, waiting at most until timeout_ns has passed (< 0: until something is). 0 or
 * an errno.
 */
int loop_step(struct loop *loop, int64_t timeout_ns);
/* loop_step() until loop_stop() was called, which any thread may. */
int loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

#endif
