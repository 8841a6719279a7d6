#include "service/acceptor.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/server_impl.h"

enum { ACCEPTS_A_TURN = 16 };

/* The pause after running out of descriptors or memory. */
static const uint64_t rest_ns = 100 * 1000000ull;

static int accept_one(const struct acceptor *a) {
	const int sock = accept4(a->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	return sock < 0 ? -errno : sock;
}

/* With a reserved descriptor, if there are no others. */
static int take_one(const struct acceptor *a, bool *is_last) {
	int sock = accept_one(a);
	*is_last = sock == -EMFILE && server_spare_begin(a->server);
	if (*is_last) {
		sock = accept_one(a);
		server_spare_end(a->server);
	}
	return sock;
}

/* Pauses watching the socket, which stays readable. */
static void rest(struct acceptor *a) {
	loop_watch_remove(a->server->loop, a->watch);
	a->watch = NULL;
	loop_timer_set(a->server->loop, &a->timer, loop_now_ns() + rest_ns);
}

/* True: there may be more. */
static bool take_some(struct acceptor *a) {
	for (unsigned n = 0; n < ACCEPTS_A_TURN; n++) {
		bool is_last;
		const int sock = take_one(a, &is_last);
		if (sock >= 0) {
			a->fn(a->owner, sock, is_last);
			if (is_last) { /* which has closed some, maybe */
				server_spare_end(a->server);
			}
		} else if (sock == -EAGAIN) {
			return false;
		} else if (sock != -EINTR && sock != -ECONNABORTED) {
			server_log(a->server, LOG_LEVEL_WARNING,
					"event=accept_failed error=\"%s\"", strerror(-sock));
			rest(a);
			return false;
		}
	}
	return true;
}

static void on_listener(void *owner, uint32_t events) {
	struct acceptor *a = owner;
	if (take_some(a)) {
		loop_post(a->server->loop, &a->task);
	}
}

static int watch(struct acceptor *a, struct loop_watch **out, int listener) {
	return loop_watch_add(
			a->server->loop, out, listener, on_listener, a);
}

static void on_timer(void *owner) {
	struct acceptor *a = owner;
	if (!a->watch && watch(a, &a->watch, a->listener) < 0) {
		rest(a);
	} else {
		on_listener(a, LOOP_READ);
	}
}

static void on_turn(void *owner) {
	on_listener(owner, LOOP_READ);
}

void acceptor_init(struct acceptor *a, struct server *server, acceptor_fn *fn, void *owner) {
	*a = (struct acceptor){ .server = server, .fn = fn, .owner = owner, .listener = -1 };
	a->timer.fn = on_timer;
	a->task.fn = on_turn;
	a->timer.owner = a->task.owner = a;
}

int acceptor_listen(struct acceptor *a, int listener) {
	struct loop_watch *fresh;
	const int ret = watch(a, &fresh, listener);
	if (ret < 0) {
		close(listener);
		return ret;
	}
	if (a->listener >= 0) {
		for (unsigned i = 0; i < SOMAXCONN / ACCEPTS_A_TURN && take_some(a); i++) {
		}
		acceptor_close(a);
	}
	a->watch = fresh;
	a->listener = listener;
	return 0;
}

void acceptor_close(struct acceptor *a) {
	if (a->listener < 0) {
		return;
	}
	loop_timer_unset(a->server->loop, &a->timer);
	loop_unpost(a->server->loop, &a->task);
	loop_watch_remove(a->server->loop, a->watch);
	a->watch = NULL;
	close(a->listener);
	a->listener = -1;
}
