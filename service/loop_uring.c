/*
 * The loop on io_uring: multishot polls, and bells that the ring reads and writes with the call by
 * which the loop waits. The only file that knows liburing.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include <liburing.h>

#include "service/loop_impl.h"

enum {
	ENTRIES = 256,
	EVENTS_A_ROUND = 512,
	BUFFERS = 256, /* reads of bells between two rounds of the loop */
	GROUP = 1,
	OP_READ_MULTISHOT = 49, /* Linux 6.7; liburing 2.3 has no name for it */
};

struct state {
	struct io_uring ring;
	/* NULL: this kernel reads no bells; they are polled */
	struct io_uring_buf_ring *buffers;
	char bytes[64]; /* all buffers overlap here: the bytes of bells are ignored */
};

/*
 * Allows only the operations used here: a system call filter does not see requests made through a
 * ring.
 */
static int restrict_ring(struct io_uring *ring, bool reads_bells) {
	struct io_uring_restriction r[] = {
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_POLL_ADD },
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_POLL_REMOVE },
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_WRITE },
		{ .opcode = IORING_RESTRICTION_SQE_FLAGS_ALLOWED,
				.sqe_flags = IOSQE_CQE_SKIP_SUCCESS | IOSQE_BUFFER_SELECT },
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_ASYNC_CANCEL },
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = OP_READ_MULTISHOT },
	};
	const unsigned n = sizeof(r) / sizeof(r[0]);
	/* Called directly: liburing 2.3 does not export its function for this. */
	return io_uring_register((unsigned)ring->ring_fd, IORING_REGISTER_RESTRICTIONS, r,
			reads_bells ? n : n - 2);
}

/* ---- Bells ---- */

static void give_buffer(struct state *s, unsigned id) {
	io_uring_buf_ring_add(s->buffers, s->bytes, sizeof(s->bytes), (unsigned short)id,
			io_uring_buf_ring_mask(BUFFERS), 0);
	io_uring_buf_ring_advance(s->buffers, 1);
}

/* Returns false if this kernel cannot read bells. */
static bool begin_reading(struct state *s) {
	struct io_uring_buf_reg reg = { .ring_entries = BUFFERS, .bgid = GROUP };
	s->buffers = aligned_alloc(4096, BUFFERS * sizeof(struct io_uring_buf));
	if (!s->buffers) {
		return false;
	}
	reg.ring_addr = (uintptr_t)s->buffers;
	io_uring_buf_ring_init(s->buffers);
	for (unsigned i = 0; i < BUFFERS; i++) {
		give_buffer(s, i);
	}
	if (io_uring_register((unsigned)s->ring.ring_fd, IORING_REGISTER_PBUF_RING, &reg, 1) == 0 &&
			restrict_ring(&s->ring, true) == 0) {
		return true;
	}
	return false;
}

/* ---- Life ---- */

static void destroy(void *impl) {
	struct state *s = impl;
	io_uring_queue_exit(&s->ring); /* ends all that is in flight */
	free(s->buffers);
	free(s);
}

static int create(void **out) {
	struct state *s = calloc(1, sizeof(*s));
	if (!s) {
		return -ENOMEM;
	}
	/*
	 * Containers and seccomp forbid it with EPERM or ENOSYS; old kernels lack multishot polls
	 * (5.13) and silent successes (5.17).
	 */
	int ret = io_uring_queue_init(ENTRIES, &s->ring, IORING_SETUP_R_DISABLED);
	if (ret < 0) {
		free(s);
		return ret;
	}
	if (!begin_reading(s)) {
		free(s->buffers);
		s->buffers = NULL;
		ret = restrict_ring(&s->ring, false);
	}
	if (ret == 0) {
		ret = io_uring_register((unsigned)s->ring.ring_fd, IORING_REGISTER_ENABLE_RINGS,
				NULL, 0);
	}
	const unsigned needed = IORING_FEAT_EXT_ARG | IORING_FEAT_RSRC_TAGS | IORING_FEAT_CQE_SKIP;
	if (ret < 0 || (s->ring.features & needed) != needed) {
		destroy(s);
		return -ENOSYS;
	}
	*out = s;
	return 0;
}

/* ---- Requests ---- */

static struct io_uring_sqe *get_sqe(struct state *s) {
	struct io_uring_sqe *sqe = io_uring_get_sqe(&s->ring);
	if (!sqe) {
		io_uring_submit(&s->ring);
		sqe = io_uring_get_sqe(&s->ring);
	}
	return sqe;
}

static bool is_read(const struct state *s, const struct loop_watch *w) {
	return w->is_bell && !w->is_polled && s->buffers;
}

static int arm(struct state *s, struct loop_watch *w) {
	struct io_uring_sqe *sqe = get_sqe(s);
	if (!sqe) {
		return -EBUSY;
	}
	if (is_read(s, w)) {
		io_uring_prep_rw(OP_READ_MULTISHOT, sqe, w->fd, NULL, 0, (__u64)-1);
		sqe->flags = IOSQE_BUFFER_SELECT;
		sqe->buf_group = GROUP;
	} else {
		io_uring_prep_poll_multishot(sqe, w->fd, POLLIN | POLLRDHUP);
	}
	io_uring_sqe_set_data(sqe, w);
	w->is_armed = true;
	return 0;
}

static int add(void *impl, struct loop_watch *w) {
	return arm(impl, w);
}

static void cancel(struct state *s, struct loop_watch *w) {
	struct io_uring_sqe *sqe = get_sqe(s);
	if (sqe && is_read(s, w)) {
		io_uring_prep_cancel64(sqe, (__u64)(uintptr_t)w, 0);
	} else if (sqe) {
		io_uring_prep_poll_remove(sqe, (__u64)(uintptr_t)w);
	}
	if (sqe) {
		io_uring_sqe_set_data(sqe, NULL);
	}
}

static void removed(void *impl, struct loop_watch *w) {
	struct state *s = impl;
	if (w->is_armed) {
		cancel(s, w);
	}
	/*
	 * Submitted now: the caller may close its descriptors, which unsent bells may name, and a
	 * poll keeps its file open.
	 */
	io_uring_submit(&s->ring);
}

static void ring(void *impl, int fd) {
	struct io_uring_sqe *sqe = get_sqe(impl);
	if (!sqe) {
		loop_ring_now(fd);
		return;
	}
	io_uring_prep_write(sqe, fd, "", 1, (__u64)-1);
	sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
	io_uring_sqe_set_data(sqe, NULL);
}

/* ---- Completions ---- */

static uint32_t events_of(const struct state *s, const struct loop_watch *w, int result) {
	const unsigned mask = (unsigned)result;
	if (is_read(s, w)) {
		return result != 0 ? LOOP_READ : LOOP_HANGUP;
	}
	return result < 0 ? LOOP_HANGUP :
			(mask & POLLIN ? LOOP_READ : 0u) |
			(mask & (POLLHUP | POLLERR | POLLRDHUP | POLLNVAL) ? LOOP_HANGUP : 0u);
}

static void complete(struct state *s, const struct io_uring_cqe *cqe) {
	struct loop_watch *w = io_uring_cqe_get_data(cqe);
	if (cqe->flags & IORING_CQE_F_BUFFER) {
		give_buffer(s, cqe->flags >> IORING_CQE_BUFFER_SHIFT);
	}
	if (!w) {
		return; /* of a removal, or a bell that is full or has no reader */
	}
	if (!(cqe->flags & IORING_CQE_F_MORE)) {
		w->is_armed = false;
	}
	if (!w->fn) {
		if (w->is_armed) {
			/* retried: a request about to complete could not be removed */
			cancel(s, w);
			io_uring_submit(&s->ring);
		}
		return;
	}
	const uint32_t events = events_of(s, w, cqe->res);
	if (w->is_bell && !is_read(s, w)) {
		loop_read_bells(w->fd);
	} else if (cqe->res < 0 && cqe->res != -ENOBUFS) {
		w->is_polled = true; /* the ring cannot read it */
	}
	loop_dispatch(w, events);
	if (w->is_bell && (events & LOOP_HANGUP)) {
		return; /* it can no longer ring */
	}
	if (w->fn && !w->is_armed && arm(s, w) < 0) {
		loop_dispatch(w, LOOP_HANGUP); /* it can no longer be watched */
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
	/* A client that produces events faster than they are handled must not stop timers. */
	for (unsigned n = 0; n < EVENTS_A_ROUND && io_uring_peek_cqe(&s->ring, &cqe) == 0 && cqe;
			n++) {
		/* Copied: handling it may submit, and the slot may be used again. */
		struct io_uring_cqe copy = *cqe;
		io_uring_cqe_seen(&s->ring, cqe);
		complete(s, &copy);
	}
	return 0;
}

const struct loop_impl loop_impl_uring = { "uring", create, destroy, add, removed, ring,
	wait_round };
