/* Control messages: one question, one answer. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client.h"

static uint64_t now_ns(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void client_set_error(struct pica_client *c, const char *text) {
	snprintf(c->error, sizeof(c->error), "%s", text);
}

void client_clear_error(struct pica_client *c) {
	if (!c->is_lost && !c->is_ended) {
		c->error[0] = 0;
	}
}

int client_refuse(struct pica_client *c, int error, const char *text) {
	if (!c->is_lost && !c->is_ended) {
		client_set_error(c, text);
	}
	return error;
}

int client_take_error(struct pica_client *c, const struct sock_message *m) {
	struct pica_msg_error e;
	if (sock_take(m, &e, sizeof(e), 0) < 0 || e.error >= 0) {
		return -EPROTO;
	}
	e.text[sizeof(e.text) - 1] = 0;
	client_set_error(c, e.text);
	return e.error;
}

void client_hear(struct pica_client *c, const struct sock_message *m) {
	const struct pica_message *head = sock_head(m);
	if (head->type == PICA_MSG_ERROR && head->cookie == 0 &&
			client_take_error(c, m) != -EPROTO) {
		c->is_ended = true;
	}
}

int client_lost(struct pica_client *c) {
	struct sock_message m;
	if (!c->is_lost) {
		c->is_lost = true;
		/* Who fails to send has not read yet why. */
		while (!c->error[0] && sock_receive(c->sock, &m) == 1) {
			client_hear(c, &m);
			sock_drop(&m);
		}
		if (!c->error[0]) {
			client_set_error(c, "the service is gone");
		}
	}
	return -ECONNRESET;
}

int client_receive(struct pica_client *c, struct sock_message *m, int64_t timeout_ns) {
	uint64_t deadline = timeout_ns < 0 ? UINT64_MAX : now_ns() + (uint64_t)timeout_ns;
	for (;;) {
		int ret = sock_receive(c->sock, m);
		if (ret == 1) {
			return 0;
		}
		if (ret != -EAGAIN) {
			return ret == -EPROTO || ret == -EMFILE ? ret : client_lost(c);
		}
		uint64_t now = now_ns();
		if (now >= deadline) {
			return -ETIME;
		}
		struct pollfd p = { .fd = c->sock, .events = POLLIN };
		struct timespec t = { 0, 0 };
		if (timeout_ns >= 0) {
			t.tv_sec = (time_t)((deadline - now) / 1000000000u);
			t.tv_nsec = (long)((deadline - now) % 1000000000u);
		}
		if (ppoll(&p, 1, timeout_ns < 0 ? NULL : &t, NULL) < 0 && errno != EINTR) {
			return -errno;
		}
	}
}

/* Of all answers only WORDS may be shorter than there is room for: as its count says. */
static bool has_right_size(const struct sock_message *m, size_t answer_bytes) {
	struct pica_msg_words words;
	if (sock_head(m)->type != PICA_MSG_WORDS) {
		return m->size_bytes == answer_bytes;
	}
	if (m->size_bytes < sizeof(words) || m->size_bytes > answer_bytes) {
		return false;
	}
	memcpy(&words, m->bytes, sizeof(words));
	return (m->size_bytes - sizeof(words)) % 4 == 0 &&
			words.count == (m->size_bytes - sizeof(words)) / 4;
}

int client_request(struct pica_client *c, void *request, size_t request_bytes, int fd_in,
		enum pica_message_type answer_type, void *answer, size_t answer_bytes,
		int *fd_out) {
	struct pica_message *head = request;
	struct sock_message m;
	if (c->is_lost) {
		return -ECONNRESET;
	}
	client_clear_error(c);
	head->cookie = ++c->cookie;
	int ret;
	while ((ret = sock_send(c->sock, request, request_bytes, &fd_in, fd_in >= 0)) == -EAGAIN) {
		struct pollfd p = { .fd = c->sock, .events = POLLOUT };
		poll(&p, 1, 100);
	}
	if (ret < 0) {
		return client_lost(c);
	}
	for (;;) {
		ret = client_receive(c, &m, -1);
		if (ret < 0 && ret != -EMFILE) {
			return ret == -EPROTO ? client_lost(c) : ret;
		}
		if (sock_head(&m)->cookie == head->cookie) {
			break;
		}
		/* Not ours: the end of the session, or an answer without a waiting request. */
		client_hear(c, &m);
		sock_drop(&m);
	}
	const bool is_out = ret == -EMFILE;
	if (sock_head(&m)->type == PICA_MSG_ERROR) {
		ret = client_take_error(c, &m);
	} else if (sock_head(&m)->type != answer_type ||
			(m.n_fds != (unsigned)(fd_out != NULL) && !is_out) ||
			!has_right_size(&m, answer_bytes)) {
		ret = -EPROTO;
	} else {
		memcpy(answer, m.bytes, m.size_bytes);
		if (fd_out) {
			*fd_out = m.fd[0];
			m.fd[0] = -1;
		}
		ret = is_out ? client_refuse(c, -EMFILE, "this process has no descriptors left") :
			       0;
	}
	sock_drop(&m);
	return ret;
}
