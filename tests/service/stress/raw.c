#include "raw.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MOST_FDS = 253 }; /* that the kernel lets through in a message */

int64_t raw_now_ms(void) {
	return (int64_t)(now_ns() / 1000000);
}

void raw_nap_us(long us) {
	const struct timespec t = { us / 1000000, us % 1000000 * 1000 };
	nanosleep(&t, NULL);
}

/* ---- Packets ---- */

int raw_dial(const char *path) {
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (sock < 0) {
		return -errno;
	}
	if (connect(sock, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		int ret = -errno;
		close(sock);
		return ret;
	}
	return sock;
}

int raw_send(int sock, const void *bytes, size_t size_bytes, const int *fds, unsigned n_fds) {
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(MOST_FDS * sizeof(int))];
	} control;
	union {
		const void *in;
		void *out;
	} data = { .in = bytes };
	struct iovec iov = { data.out, size_bytes };
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
	struct pollfd p = { .fd = sock, .events = POLLOUT };
	if (poll(&p, 1, RAW_PATIENCE_MS) == 0) {
		return -EAGAIN;
	}
	return sendmsg(sock, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

static void take_fd(struct msghdr *msg, int *fd) {
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
			continue;
		}
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int got;
			memcpy(&got, CMSG_DATA(c) + i * sizeof(int), sizeof(got));
			if (fd && *fd < 0) {
				*fd = got;
			} else {
				close(got);
			}
		}
	}
}

int raw_receive(int sock, void *bytes, size_t size_bytes, int *fd, int timeout_ms) {
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(8 * sizeof(int))];
	} control;
	struct iovec iov = { bytes, size_bytes };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes) };
	struct pollfd p = { .fd = sock, .events = POLLIN };
	if (fd) {
		*fd = -1;
	}
	if (poll(&p, 1, timeout_ms) == 0) {
		return -ETIME;
	}
	ssize_t n = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0 && errno == ECONNRESET) {
		/* its last words come after the error */
		n = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	}
	if (n < 0) {
		return errno == ECONNRESET ? 0 : -errno;
	}
	take_fd(&msg, fd);
	return (int)n;
}

/* ---- HELLO ---- */

void raw_hello_init(struct pica_msg_hello *hello, uint32_t sq_entries) {
	memset(hello, 0, sizeof(*hello));
	hello->head = (struct pica_message){ PICA_MESSAGE_MAGIC, PICA_MSG_HELLO, 0, sizeof(*hello),
		1 };
	hello->min_version = hello->max_version = PICA_PROTOCOL_VERSION;
	hello->wanted = ~0ull;
	hello->sq_entries = sq_entries;
	memcpy(hello->name, "raw", 3);
}

static int map_rings(struct raw *r, int fd) {
	struct pica_ring_header h;
	off_t size = lseek(fd, 0, SEEK_END);
	if (size < PICA_RING_CONTROL_OFFSET) {
		return -EPROTO;
	}
	uint8_t *base = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED) {
		return -errno;
	}
	memcpy(&h, base, sizeof(h));
	r->ring = base;
	r->ring_bytes = (size_t)size;
	r->control = (void *)(base + h.control_offset);
	r->sq = (void *)(base + h.sq_offset);
	r->cq = (void *)(base + h.cq_offset);
	r->sq_entries = h.sq_entries;
	r->cq_entries = h.cq_entries;
	return h.magic == PICA_RING_MAGIC && h.version == PICA_RING_VERSION ? 0 : -EPROTO;
}

/* WELCOME has three descriptors; raw_receive() takes only one. */
static int receive_welcome(struct raw *r, int fds[3]) {
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(8 * sizeof(int))];
	} control;
	uint8_t bytes[PICA_MESSAGE_MAX];
	struct iovec iov = { bytes, sizeof(bytes) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes) };
	struct pollfd p = { .fd = r->sock, .events = POLLIN };
	if (poll(&p, 1, RAW_PATIENCE_MS) == 0) {
		return -ETIME;
	}
	ssize_t n = recvmsg(r->sock, &msg, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	if (n == (ssize_t)sizeof(r->error)) {
		memcpy(&r->error, bytes, sizeof(r->error));
		return r->error.error < 0 ? r->error.error : -EPROTO;
	}
	if (n != (ssize_t)sizeof(r->welcome) || !c || c->cmsg_len != CMSG_LEN(3 * sizeof(int))) {
		return n > 0 ? -EPROTO : -ECONNRESET;
	}
	memcpy(&r->welcome, bytes, sizeof(r->welcome));
	memcpy(fds, CMSG_DATA(c), 3 * sizeof(int));
	return 0;
}

int raw_greet(struct raw *r, int sock, uint32_t sq_entries) {
	struct pica_msg_hello hello;
	int fds[3];
	memset(r, 0, sizeof(*r));
	r->bell_in = r->bell_out = -1;
	r->sock = sock;
	raw_hello_init(&hello, sq_entries);
	int ret = raw_send(sock, &hello, sizeof(hello), NULL, 0);
	ret = ret < 0 ? ret : receive_welcome(r, fds);
	if (ret == 0) {
		ret = map_rings(r, fds[0]);
		close(fds[0]);
		r->bell_out = fds[1];
		r->bell_in = fds[2];
	}
	if (ret < 0) {
		raw_close(r);
	}
	return ret;
}

int raw_open(struct raw *r, const char *path, uint32_t sq_entries) {
	int sock = raw_dial(path);
	if (sock < 0) {
		memset(r, 0, sizeof(*r));
		r->sock = r->bell_in = r->bell_out = -1;
		return sock;
	}
	return raw_greet(r, sock, sq_entries);
}

void raw_close(struct raw *r) {
	fd_close(&r->sock);
	fd_close(&r->bell_in);
	fd_close(&r->bell_out);
	if (r->ring) {
		munmap(r->ring, r->ring_bytes);
		r->ring = NULL;
	}
	for (unsigned i = 0; i < r->n_regions; i++) {
		munmap(r->region[i].host, r->region[i].size_bytes);
	}
	r->n_regions = 0;
}

/* ---- Requests ---- */

void raw_head(struct raw *r, void *message, enum pica_message_type type, size_t size_bytes) {
	struct pica_message *head = message;
	*head = (struct pica_message){ PICA_MESSAGE_MAGIC, (uint16_t)type, 0, (uint32_t)size_bytes,
		++r->cookie };
}

int raw_request(struct raw *r, void *message, int fd_in, void *answer, int *fd) {
	const struct pica_message *head = message;
	uint8_t bytes[PICA_MESSAGE_MAX];
	struct pica_message got;
	int ret = raw_send(r->sock, message, head->size_bytes, &fd_in, fd_in >= 0);
	if (ret < 0) {
		return ret;
	}
	do {
		int n = raw_receive(r->sock, bytes, sizeof(bytes), fd, RAW_PATIENCE_MS);
		if (n < (int)sizeof(got)) {
			return n < 0 ? n : -ECONNRESET;
		}
		memcpy(&got, bytes, sizeof(got));
		if (got.type == PICA_MSG_ERROR) {
			memcpy(&r->error, bytes, sizeof(r->error));
		}
		if (answer) {
			memcpy(answer, bytes, (size_t)n);
		}
	} while (got.cookie != head->cookie && (got.type != PICA_MSG_ERROR || got.cookie));
	return got.type == PICA_MSG_ERROR ? r->error.error : 0;
}

int raw_ask(struct raw *r, void *message, enum pica_message_type type, size_t size_bytes) {
	raw_head(r, message, type, size_bytes);
	return raw_request(r, message, -1, NULL, NULL);
}

int64_t raw_context_of(struct raw *r, struct pica_msg_context_create m) {
	union {
		struct pica_msg_handle handle;
		uint8_t bytes[PICA_MESSAGE_MAX];
	} answer;
	raw_head(r, &m, PICA_MSG_CONTEXT_CREATE, sizeof(m));
	int ret = raw_request(r, &m, -1, &answer, NULL);
	return ret < 0 ? ret : (int64_t)answer.handle.handle;
}

int64_t raw_context(struct raw *r) {
	return raw_context_of(r, (struct pica_msg_context_create){ .fcram_bytes = 0 });
}

static int64_t make_region(struct raw *r, enum pica_message_type type, uint32_t context,
		uint32_t phys, uint32_t size_bytes, int fd_in, int *fd) {
	struct pica_msg_region m = { .context = context,
		.flags = context ? (uint32_t)PICA_REGION_MAPPED : 0,
		.phys = phys,
		.size_bytes = size_bytes };
	union {
		struct pica_msg_handle handle;
		uint8_t bytes[PICA_MESSAGE_MAX];
	} answer;
	raw_head(r, &m, type, sizeof(m));
	int ret = raw_request(r, &m, fd_in, &answer, fd);
	return ret < 0 ? ret : (int64_t)answer.handle.handle;
}

int64_t raw_region(struct raw *r, uint32_t context, uint32_t phys, uint32_t size_bytes,
		uint8_t **host, int *fd) {
	int memfd;
	int64_t handle = make_region(
			r, PICA_MSG_REGION_CREATE, context, phys, size_bytes, -1, &memfd);
	if (handle < 0) {
		return handle;
	}
	if (host && r->n_regions < RAW_REGIONS) {
		*host = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
		if (*host == MAP_FAILED) {
			close(memfd);
			return -errno;
		}
		r->region[r->n_regions].host = *host;
		r->region[r->n_regions++].size_bytes = size_bytes;
	}
	if (fd) {
		*fd = memfd;
	} else {
		close(memfd);
	}
	return handle;
}

int64_t raw_import(struct raw *r, uint32_t context, uint32_t phys, uint32_t size_bytes, int fd) {
	return make_region(r, PICA_MSG_REGION_IMPORT, context, phys, size_bytes, fd, NULL);
}

int raw_object(struct raw *r, enum pica_message_type type, uint64_t id) {
	struct pica_msg_object m = { .id = id };
	return raw_ask(r, &m, type, sizeof(m));
}

/* Reads to the end. */
static bool read_to_end(struct raw *r, bool *told) {
	uint8_t bytes[PICA_MESSAGE_MAX];
	int64_t deadline = raw_now_ms() + RAW_PATIENCE_MS;
	*told = false;
	while (raw_now_ms() < deadline) {
		int n = raw_receive(r->sock, bytes, sizeof(bytes), NULL, RAW_PATIENCE_MS);
		if (n <= 0) {
			return n == 0;
		}
		if (n == (int)sizeof(r->error)) {
			memcpy(&r->error, bytes, sizeof(r->error));
			*told |= r->error.head.type == PICA_MSG_ERROR && r->error.head.cookie == 0;
		}
	}
	return false;
}

bool raw_is_told(struct raw *r) {
	bool told;
	return read_to_end(r, &told) && told;
}

bool raw_is_closed(struct raw *r) {
	bool told;
	return read_to_end(r, &told);
}

/* ---- Rings ---- */

struct pica_job *raw_slot(struct raw *r, uint32_t context, enum pica_op op, uint64_t user_data) {
	struct pica_job *job = &r->sq[r->sq_tail++ & (r->sq_entries - 1)];
	memset(job, 0, sizeof(*job));
	job->op = (uint16_t)op;
	job->handle = context;
	job->user_data = user_data;
	return job;
}

void raw_put_wait(struct raw *r, uint32_t context, uint64_t user_data, uint32_t on, uint64_t value,
		uint64_t timeout_ns) {
	struct pica_job *job = raw_slot(r, context, PICA_OP_WAIT, user_data);
	job->u.wait.context = on;
	job->u.wait.value = value;
	job->u.wait.timeout_ns = timeout_ns;
}

void raw_ring(struct raw *r) {
	ssize_t n = write(r->bell_out, "", 1);
	(void)n; /* full: it rings; broken: the socket tells */
}

void raw_publish(struct raw *r) {
	__atomic_store_n(&r->control->sq_tail, r->sq_tail, __ATOMIC_RELEASE);
	raw_ring(r);
}

int raw_wait(struct raw *r, struct pica_done *done, int timeout_ms) {
	int64_t deadline = raw_now_ms() + timeout_ms;
	char bells[64];
	for (;;) {
		__atomic_store_n(
				&r->control->client_flags, PICA_RING_NEED_WAKEUP, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&r->control->cq_tail, __ATOMIC_SEQ_CST) != r->cq_head) {
			*done = r->cq[r->cq_head++ & (r->cq_entries - 1)];
			__atomic_store_n(&r->control->cq_head, r->cq_head, __ATOMIC_SEQ_CST);
			if (__atomic_load_n(&r->control->service_flags,
					__ATOMIC_SEQ_CST) & PICA_RING_NEED_WAKEUP) {
				raw_ring(r);
			}
			return 0;
		}
		int64_t left = deadline - raw_now_ms();
		struct pollfd p[2] = { { .fd = r->bell_in, .events = POLLIN },
				{ .fd = r->sock, .events = POLLRDHUP } };
		if (left <= 0) {
			return -ETIME;
		}
		if (poll(p, 2, (int)left) > 0 && (p[1].revents || (p[0].revents & POLLHUP))) {
			if (__atomic_load_n(&r->control->cq_tail, __ATOMIC_SEQ_CST) == r->cq_head) {
				return -ECONNRESET;
			}
		}
		if (p[0].revents & POLLIN) {
			ssize_t n = read(r->bell_in, bells, sizeof(bells));
			(void)n;
		}
	}
}

int raw_run(struct raw *r) {
	struct pica_done done;
	raw_publish(r);
	int ret = raw_wait(r, &done, RAW_PATIENCE_MS);
	return ret < 0 ? ret : done.result;
}
