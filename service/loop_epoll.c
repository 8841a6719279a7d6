/* The loop on epoll, level-triggered. */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "service/loop_impl.h"

enum { EVENTS_A_ROUND = 64 };

struct state {
	int fd;
};

static int create(void **out) {
	struct state *s = calloc(1, sizeof(*s));
	if (!s) {
		return -ENOMEM;
	}
	s->fd = epoll_create1(EPOLL_CLOEXEC);
	if (s->fd < 0) {
		int ret = -errno;
		free(s);
		return ret;
	}
	*out = s;
	return 0;
}

static void destroy(void *impl) {
	struct state *s = impl;
	close(s->fd);
	free(s);
}

static int add(void *impl, struct loop_watch *w) {
	const struct state *s = impl;
	struct epoll_event e = { .data.ptr = w, .events = EPOLLIN | EPOLLRDHUP };
	return epoll_ctl(s->fd, EPOLL_CTL_ADD, w->fd, &e) < 0 ? -errno : 0;
}

static void removed(void *impl, struct loop_watch *w) {
	const struct state *s = impl;
	epoll_ctl(s->fd, EPOLL_CTL_DEL, w->fd, NULL); /* fails only if nothing is watched */
}

static int wait_round(void *impl, int64_t timeout_ns) {
	const struct state *s = impl;
	struct epoll_event e[EVENTS_A_ROUND];
	struct timespec t = { timeout_ns / 1000000000, timeout_ns % 1000000000 };
	int n = epoll_pwait2(s->fd, e, EVENTS_A_ROUND, timeout_ns < 0 ? NULL : &t, NULL);
	if (n < 0) {
		return errno == EINTR ? 0 : -errno;
	}
	for (int i = 0; i < n; i++) {
		uint32_t events = (e[i].events & EPOLLIN ? LOOP_READ : 0u) |
				(e[i].events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP) ? LOOP_HANGUP :
										    0u);
		struct loop_watch *w = e[i].data.ptr;
		if (w->is_bell && w->fn) {
			loop_read_bells(w->fd);
			if (events & LOOP_HANGUP) {
				removed(impl, w); /* it can no longer ring */
			}
		}
		loop_dispatch(w, events);
	}
	return 0;
}

static void ring(void *impl, int fd) {
	loop_ring_now(fd);
}

const struct loop_impl loop_impl_epoll = { "epoll", create, destroy, add, removed, ring,
	wait_round };
