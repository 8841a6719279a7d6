/* The loop on io_uring: multishot polls. The only file that knows liburing. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include <liburing.h>

#include "service/loop_impl.h"

enum { ENTRIES = 256, EVENTS_A_ROUND = 512 };

struct state {
	struct io_uring ring;
};

/*
 * The ring can do what is done here and nothing else: a filter of system calls does not see what is
 * asked for through a ring.
 */
static int restrict_ring(struct io_uring *ring) {
	struct io_uring_restriction r[] = {
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_POLL_ADD },
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_POLL_REMOVE },
		{ .opcode = IORING_RESTRICTION_SQE_FLAGS_ALLOWED, .sqe_flags = 0 },
	};
	/* By the call itself: liburing 2.3 does not export its own functions for these. */
	unsigned fd = (unsigned)ring->ring_fd;
	int ret = io_uring_register(fd, IORING_REGISTER_RESTRICTIONS, r, sizeof(r) / sizeof(r[0]));
	return ret < 0 ? ret : io_uring_register(fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0);
}

static int create(void **out) {
	struct state *s = calloc(1, sizeof(*s));
	if (!s) {
		return -ENOMEM;
	}
	/*
	 * Containers and seccomp bar it with EPERM or ENOSYS, old kernels lack multishot polls
	 * (5.13).
	 */
	int ret = io_uring_queue_init(ENTRIES, &s->ring, IORING_SETUP_R_DISABLED);
	if (ret < 0) {
		free(s);
		return ret;
	}
	if (restrict_ring(&s->ring) < 0 || !(s->ring.features & IORING_FEAT_EXT_ARG) ||
			!(s->ring.features & IORING_FEAT_RSRC_TAGS)) {
		io_uring_queue_exit(&s->ring);
		free(s);
		return -ENOSYS;
	}
	*out = s;
	return 0;
}

static void destroy(void *impl) {
	struct state *s = impl;
	io_uring_queue_exit(&s->ring); /* ends all polls */
	free(s);
}

static struct io_uring_sqe *get_sqe(struct state *s) {
	struct io_uring_sqe *sqe = io_uring_get_sqe(&s->ring);
	if (!sqe) {
		io_uring_submit(&s->ring);
		sqe = io_uring_get_sqe(&s->ring);
	}
	return sqe;
}

static int arm(struct state *s, struct loop_watch *w) {
	struct io_uring_sqe *sqe = get_sqe(s);
	if (!sqe) {
		return -EBUSY;
	}
	io_uring_prep_poll_multishot(sqe, w->fd, POLLIN | POLLRDHUP);
	io_uring_sqe_set_data(sqe, w);
	w->is_armed = true;
	return 0;
}

static int add(void *impl, struct loop_watch *w) {
	return arm(impl, w);
}

static void cancel(struct state *s, struct loop_watch *w) {
	struct io_uring_sqe *sqe = get_sqe(s);
	if (sqe) {
		io_uring_prep_poll_remove(sqe, (__u64)(uintptr_t)w);
		io_uring_sqe_set_data(sqe, NULL);
		/* Now: the caller may close the descriptor, and a poll keeps its file open. */
		io_uring_submit(&s->ring);
	}
}

static void removed(void *impl, struct loop_watch *w) {
	if (w->is_armed) {
		cancel(impl, w);
	}
}

static void complete(struct state *s, const struct io_uring_cqe *cqe) {
	struct loop_watch *w = io_uring_cqe_get_data(cqe);
	if (!w) {
		return; /* of a removal */
	}
	if (!(cqe->flags & IORING_CQE_F_MORE)) {
		w->is_armed = false;
	}
	if (!w->fn) {
		if (w->is_armed) {
			/* again: a poll that is about to tell something was not to be removed */
			cancel(s, w);
		}
		return;
	}
	uint32_t events = LOOP_HANGUP;
	if (cqe->res >= 0) {
		unsigned mask = (unsigned)cqe->res;
		events = (mask & POLLIN ? LOOP_READ : 0u) |
				(mask & (POLLHUP | POLLERR | POLLRDHUP | POLLNVAL) ? LOOP_HANGUP :
										     0u);
	}
	loop_dispatch(w, events);
	if (w->fn && !w->is_armed && arm(s, w) < 0) {
		loop_dispatch(w, LOOP_HANGUP); /* it can be watched no more */
	}
}

static int wait_round(void *impl, int64_t timeout_ns) {
	struct state *s = impl;
	struct __kernel_timespec t = { timeout_ns / 1000000000, timeout_ns % 1000000000 };
	struct io_uring_cqe *cqe;
	int ret = io_uring_submit_and_wait_timeout(
			&s->ring, &cqe, 1, timeout_ns < 0 ? NULL : &t, NULL);
	if (ret < 0 && ret != -ETIME && ret != -EINTR && ret != -EAGAIN) {
		return ret;
	}
	/* Who makes events faster than they are handled does not keep timers from running. */
	for (unsigned n = 0; n < EVENTS_A_ROUND && io_uring_peek_cqe(&s->ring, &cqe) == 0 && cqe;
			n++) {
		/* Copied: handling it may submit, and the slot may be used again. */
		struct io_uring_cqe copy = *cqe;
		io_uring_cqe_seen(&s->ring, cqe);
		complete(s, &copy);
	}
	return 0;
}

const struct loop_impl loop_impl_uring = { "uring", create, destroy, add, removed, wait_round };
