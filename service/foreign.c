#include "service/foreign.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/reaper.h"

struct closing {
	int fd;
	struct user_account *user; /* a reference, or NULL */
};

static void *run(void *arg) {
	struct closing *c = arg;
	close(c->fd);
	if (c->user) {
		atomic_fetch_sub_explicit(&c->user->closing, 1, memory_order_relaxed);
		user_account_put(c->user);
	}
	free(c);
	return NULL;
}

/* Without memory or threads it is closed here, which may block. */
static void close_on_thread(int fd, struct user_account *user) {
	struct closing *c = malloc(sizeof(*c));
	if (!c) {
		close(fd);
		return;
	}
	*c = (struct closing){ fd, user };
	if (user) {
		atomic_fetch_add_explicit(&user->refs, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&user->closing, 1, memory_order_relaxed);
	}
	if (spawn_detached(run, c) < 0) {
		run(c);
	}
}

/*
 * Call when nothing more can arrive. With SO_PASSCRED each message has control data, for which the
 * kernel reports a lack of room.
 */
static bool has_unread(int sock) {
	const int on = 1;
	struct msghdr msg = { 0 };
	shutdown(sock, SHUT_RD);
	setsockopt(sock, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
	recvmsg(sock, &msg, MSG_PEEK | MSG_DONTWAIT);
	return msg.msg_flags & (MSG_CTRUNC | MSG_TRUNC);
}

bool foreign_is_memory(int fd) {
	return fcntl(fd, F_GET_SEALS) >= 0;
}

void foreign_close(int fd, struct user_account *user) {
	if (foreign_is_memory(fd)) {
		close(fd);
	} else {
		close_on_thread(fd, user);
	}
}

void foreign_close_socket(int sock, struct user_account *user) {
	if (has_unread(sock)) {
		close_on_thread(sock, user);
	} else {
		close(sock);
	}
}

void foreign_allow(int sock, bool on) {
	const int value = on;
	setsockopt(sock, SOL_SOCKET, SO_PASSRIGHTS, &value, sizeof(value));
}
