/* Between loop.c and its two implementations. */
#ifndef SERVICE_LOOP_IMPL_H
#define SERVICE_LOOP_IMPL_H

#include <stdatomic.h>

#include "service/loop.h"

struct loop_watch {
	struct loop_watch *next; /* loop.watches or loop.removed */
	int fd;
	loop_fn *fn; /* NULL: removed */
	void *owner;
	bool is_bell;   /* a pipe: its bytes are discarded */
	bool is_polled; /* io_uring: a bell that the ring cannot read */
	bool is_armed; /* io_uring: a poll is in the kernel, and its last completion will follow */
};

struct loop_impl {
	const char *name;
	int (*create)(void **out);
	void (*destroy)(void *impl);
	int (*add)(void *impl, struct loop_watch *w);
	/* The watch is freed after this round, or once `is_armed` is false. */
	void (*remove)(void *impl, struct loop_watch *w);
	/* Writes a byte. */
	void (*ring)(void *impl, int fd);
	/* Waits and dispatches with loop_dispatch(). timeout_ns < 0: no limit. */
	int (*wait)(void *impl, int64_t timeout_ns);
};

extern const struct loop_impl loop_impl_epoll;
#ifdef HAVE_URING
extern const struct loop_impl loop_impl_uring;
#endif

/* Reads a bounded number of bytes, since a client may ring faster than they are read. */
void loop_read_bells(int fd);
/* Writes a byte to a pipe; a full one is already ringing. */
void loop_ring_now(int fd);

static inline void loop_dispatch(struct loop_watch *w, uint32_t events) {
	if (w->fn && events) {
		w->fn(w->owner, events);
	}
}

#endif
