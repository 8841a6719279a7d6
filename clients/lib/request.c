/* Control messages: one request, one answer. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "client.h"
#include "clock.h"

uint64_t client_deadline(int64_t timeout_ns) {
	return timeout_ns < 0 ? UINT64_MAX : now_ns() + (uint64_t)timeout_ns;
}

bool client_is_late(uint64_t deadline) {
	return deadline != UINT64_MAX && now_ns() >= deadline;
}

int client_poll(struct pollfd *fds, unsigned n, uint64_t deadline) {
	const uint64_t now = deadline == UINT64_MAX ? 0 : now_ns();
	const uint64_t rest = now < deadline ? deadline - now : 0;
	const struct timespec t = { .tv_sec = (time_t)(rest / 1000000000u),
		.tv_nsec = (long)(rest % 1000000000u) };
	const int ret = ppoll(fds, n, deadline == UINT64_MAX ? NULL : &t, NULL);
	return ret >= 0 ? ret : errno == EINTR ? 0 : -errno;
}

int client_map(int fd, size_t *size_bytes, void **out) {
	struct stat st;
	const int seals = fcntl(fd, F_GET_SEALS);
	if (fstat(fd, &st) < 0 || st.st_size <= 0 || seals < 0 || !(seals & F_SEAL_SHRINK) ||
			(*size_bytes && st.st_size != (off_t)*size_bytes)) {
		return -EPROTO;
	}
	*size_bytes = (size_t)st.st_size;
	*out = mmap(NULL, *size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return *out == MAP_FAILED ? -errno : 0;
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

void client_take_notice(struct pica_client *c, const struct sock_message *m) {
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
		/* If sending has failed, the reason has not been read yet. */
		while (!c->error[0] && sock_receive(c->sock, &m) == 1) {
			client_take_notice(c, &m);
			sock_drop(&m);
		}
		if (!c->error[0]) {
			client_set_error(c, "the service is gone");
		}
	}
	return -ECONNRESET;
}

int client_receive(struct pica_client *c, struct sock_message *m, int64_t timeout_ns) {
	const uint64_t deadline = client_deadline(timeout_ns);
	for (;;) {
		struct pollfd p = { .fd = c->sock, .events = POLLIN };
		int ret = sock_receive(c->sock, m);
		if (ret == 1) {
			return 0;
		}
		if (ret != -EAGAIN) {
			return ret == -EPROTO || ret == -EMFILE ? ret : client_lost(c);
		}
		if (client_is_late(deadline)) {
			return -ETIME;
		}
		ret = client_poll(&p, 1, deadline);
		if (ret < 0) {
			return ret;
		}
	}
}

/* Only WORDS may be shorter than the answer given: its length follows from its count. */
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
		/* The end of the session, or an answer to no pending request. */
		client_take_notice(c, &m);
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

int client_request_object(struct pica_client *c, enum pica_message_type type, uint64_t id,
		uint32_t value, enum pica_message_type answer_type, void *answer,
		size_t answer_bytes, int *fd_out) {
	struct pica_msg_object m;
	memset(&m, 0, sizeof(m));
	m.head.type = (uint16_t)type;
	m.id = id;
	m.value = value;
	return client_request(c, &m, sizeof(m), -1, answer_type, answer, answer_bytes, fd_out);
}

int client_act(struct pica_client *c, enum pica_message_type type, uint64_t id, uint32_t value) {
	struct pica_msg_done answer;
	return client_request_object(
			c, type, id, value, PICA_MSG_DONE, &answer, sizeof(answer), NULL);
}
