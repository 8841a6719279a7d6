#include "sock.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int sock_send(int sock, void *message, size_t size_bytes, const int *fds, unsigned n_fds) {
	struct pica_message *head = message;
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(PICA_MESSAGE_FDS * sizeof(int))];
	} control;
	if (size_bytes < sizeof(*head) || size_bytes > PICA_MESSAGE_MAX ||
			n_fds > PICA_MESSAGE_FDS) {
		return -EINVAL;
	}
	head->magic = PICA_MESSAGE_MAGIC;
	head->size_bytes = (uint32_t)size_bytes;
	struct iovec iov = { message, size_bytes };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	if (n_fds) {
		memset(&control, 0, sizeof(control));
		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
	}
	ssize_t n;
	do {
		n = sendmsg(sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

void sock_drop(struct sock_message *m) {
	for (unsigned i = 0; i < PICA_MESSAGE_FDS; i++) {
		if (m->fd[i] >= 0) {
			close(m->fd[i]);
		}
		m->fd[i] = -1;
	}
	m->n_fds = 0;
}

/*
 * Takes the descriptors out of the control data and closes those beyond the expected number.
 * Returns how many there were.
 */
static unsigned take_fds(struct sock_message *m, struct msghdr *msg) {
	unsigned n_taken = 0;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
			continue;
		}
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (m->n_fds < PICA_MESSAGE_FDS) {
				m->fd[m->n_fds++] = fd;
			} else {
				close(fd);
			}
			n_taken++;
		}
	}
	return n_taken;
}

/* Discards a peeked message whose descriptors are held, so that no last reference is closed. */
static void discard(int sock) {
	while (recv(sock, NULL, 0, MSG_DONTWAIT) < 0 && (errno == EINTR || errno == ECONNRESET)) {
	}
}

int sock_receive(int sock, struct sock_message *m) {
	/*
	 * Room for more descriptors than are accepted, so that a surplus is detected: if the kernel
	 * truncates despite the room, this process is out of descriptors.
	 */
	enum { ROOM = 2 * PICA_MESSAGE_FDS };
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(ROOM * sizeof(int))];
	} control;
	struct iovec iov = { m->bytes, sizeof(m->bytes) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes) };
	ssize_t n = 0;

	m->n_fds = 0;
	m->size_bytes = 0;
	for (unsigned i = 0; i < PICA_MESSAGE_FDS; i++) {
		m->fd[i] = -1;
	}
	/*
	 * If a peer closed without reading everything, the error is reported before its last
	 * messages.
	 */
	bool is_reset = false;
	do {
		is_reset = n < 0 && errno == ECONNRESET;
		n = recvmsg(sock, &msg, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	} while (n < 0 && (errno == EINTR || (errno == ECONNRESET && !is_reset)));
	if (n < 0) {
		return errno == EWOULDBLOCK ? -EAGAIN : -errno;
	}
	const unsigned n_taken = take_fds(m, &msg);
	const bool is_cut = msg.msg_flags & MSG_CTRUNC;
	if (n == 0 && m->n_fds == 0 && !is_cut) {
		return 0;
	}
	m->size_bytes = (size_t)n;
	const struct pica_message *head = sock_head(m);
	const bool is_bad = n_taken > PICA_MESSAGE_FDS || (msg.msg_flags & MSG_TRUNC) ||
			(size_t)n < sizeof(*head) || head->magic != PICA_MESSAGE_MAGIC ||
			head->size_bytes != (size_t)n || (is_cut && n_taken == ROOM);
	if (is_bad || is_cut) {
		sock_drop(m);
	}
	if (!is_bad || (n_taken == 0 && !is_cut)) {
		discard(sock);
	}
	return is_bad ? -EPROTO : is_cut ? -EMFILE : 1;
}

int sock_take(const struct sock_message *m, void *out, size_t size_bytes, unsigned n_fds) {
	if (m->size_bytes != size_bytes || m->n_fds != n_fds) {
		return -EPROTO;
	}
	memcpy(out, m->bytes, size_bytes);
	return 0;
}
