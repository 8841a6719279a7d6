#include "service_box.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"

enum { STEPS = 12, PATIENCE_MS = 10000 };

const struct pica_budgets box_budgets = { .list_words = 20000, .list_jumps = 64, .vertices = 4000,
	.shader_steps = 2000, .pixels = 400000, .job_steps = 200000 };

/* Made at the first call; lives as long as the process. */
static struct server *box_service(void) {
	static struct server *server;
	if (!server) {
		struct server_settings s;
		signal(SIGPIPE, SIG_IGN); /* bells of sessions that were ended */
		server_settings_init(&s);
		s.loop = LOOP_EPOLL;
		s.log = NULL;
		s.device.n_threads = 0;
		s.device.texture_cache_bytes = 1 << 20;
		s.limits.list_words = box_budgets.list_words;
		s.limits.list_jumps = box_budgets.list_jumps;
		s.limits.vertices = box_budgets.vertices;
		s.limits.shader_steps = box_budgets.shader_steps;
		s.limits.pixels = box_budgets.pixels;
		s.limits.job_steps = box_budgets.job_steps;
		s.limits.memory_bytes = 16 << 20;
		s.limits.region_bytes = 8 << 20;
		FUZZ_CHECK(server_create(&server, &s) == 0);
	}
	return server;
}

int box_connect(void) {
	int pair[2];
	FUZZ_CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) ==
			0);
	FUZZ_CHECK(server_add_client(box_service(), pair[1]) == 0);
	return pair[0];
}

void box_settle(void) {
	for (unsigned i = 0; i < STEPS; i++) {
		FUZZ_CHECK(loop_step(server_loop(box_service()), 0) == 0);
	}
}

/*
 * Receives one message, and up to 3 descriptors into fds. Returns its size, 0 (closed) or -1
 * (none).
 */
static ssize_t receive(int sock, void *bytes, int fds[3], unsigned *n_fds) {
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(3 * sizeof(int))];
	} control;
	struct iovec iov = { bytes, PICA_MESSAGE_MAX };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes) };
	*n_fds = 0;
	ssize_t n = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0) {
		return errno == EAGAIN ? -1 : 0;
	}
	FUZZ_CHECK(!(msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)));
	const struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	if (c) {
		*n_fds = (unsigned)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(fds, CMSG_DATA(c), *n_fds * sizeof(int));
	}
	return n;
}

/* As receive(), but waits: requests are delayed while contexts of earlier clients are destroyed. */
static ssize_t receive_soon(int sock, void *bytes, int fds[3], unsigned *n_fds) {
	box_settle();
	ssize_t n = receive(sock, bytes, fds, n_fds);
	for (unsigned ms = 0; n < 0 && ms < PATIENCE_MS; ms++) {
		usleep(1000);
		box_settle();
		n = receive(sock, bytes, fds, n_fds);
	}
	return n;
}

int box_drain(int sock) {
	uint8_t bytes[PICA_MESSAGE_MAX];
	int fds[3], count = 0;
	unsigned n_fds;
	ssize_t n;
	while ((n = receive(sock, bytes, fds, &n_fds)) > 0) {
		struct pica_message head;
		FUZZ_CHECK((size_t)n >= sizeof(head));
		memcpy(&head, bytes, sizeof(head));
		FUZZ_CHECK(head.magic == PICA_MESSAGE_MAGIC && head.size_bytes == (uint32_t)n &&
				head.flags == 0);
		FUZZ_CHECK(head.type >= PICA_MSG_WELCOME && head.type < PICA_MSG_ANSWER_END);
		for (unsigned i = 0; i < n_fds; i++) {
			close(fds[i]);
		}
		count++;
	}
	return n == 0 ? -1 : count;
}

void box_say_hello(int sock) {
	struct pica_msg_hello h;
	memset(&h, 0, sizeof(h));
	h.head = (struct pica_message){ PICA_MESSAGE_MAGIC, PICA_MSG_HELLO, 0, sizeof(h), 1 };
	h.min_version = h.max_version = PICA_PROTOCOL_VERSION;
	h.wanted = ~0ull;
	h.sq_entries = 16;
	memcpy(h.name, "fuzz", 4);
	/* Ignored: without a reply the service has disconnected, or its socket is full. */
	ssize_t sent = send(sock, &h, sizeof(h), MSG_NOSIGNAL);
	(void)sent;
}

/* Sends a well-formed request and returns its handle; maps the memory of a region to *host. */
static uint32_t ask(int sock, void *request, size_t size_bytes, enum pica_message_type type,
		uint8_t **host, size_t host_bytes) {
	struct pica_message *head = request;
	uint8_t bytes[PICA_MESSAGE_MAX];
	struct pica_msg_handle answer;
	int fds[3];
	unsigned n_fds;
	*head = (struct pica_message){ PICA_MESSAGE_MAGIC, (uint16_t)type, 0, (uint32_t)size_bytes,
		9 };
	FUZZ_CHECK(send(sock, request, size_bytes, MSG_NOSIGNAL) == (ssize_t)size_bytes);
	FUZZ_CHECK(receive_soon(sock, bytes, fds, &n_fds) == (ssize_t)sizeof(answer) &&
			n_fds == (host != NULL));
	memcpy(&answer, bytes, sizeof(answer));
	FUZZ_CHECK(answer.head.type == PICA_MSG_HANDLE && answer.head.cookie == 9);
	if (host) {
		*host = mmap(NULL, host_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fds[0], 0);
		FUZZ_CHECK(*host != MAP_FAILED);
		close(fds[0]);
	}
	return answer.handle;
}

static void map_rings(struct box_client *c) {
	uint8_t bytes[PICA_MESSAGE_MAX];
	struct pica_ring_header h;
	int fds[3];
	unsigned n_fds;
	FUZZ_CHECK(receive_soon(c->sock, bytes, fds, &n_fds) ==
					(ssize_t)sizeof(struct pica_msg_welcome) &&
			n_fds == 3);
	c->ring_bytes = (size_t)lseek(fds[0], 0, SEEK_END);
	c->ring = mmap(NULL, c->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fds[0], 0);
	FUZZ_CHECK(c->ring != MAP_FAILED);
	close(fds[0]);
	c->bell_out = fds[1];
	c->bell_in = fds[2];
	memcpy(&h, c->ring, sizeof(h));
	c->control = (void *)(c->ring + h.control_offset);
	c->sq = (void *)(c->ring + h.sq_offset);
	c->cq = (const void *)(c->ring + h.cq_offset);
	c->sq_entries = h.sq_entries;
	c->cq_entries = h.cq_entries;
}

void box_client_open(struct box_client *c) {
	static const uint32_t phys[BOX_WINDOWS] = { BOX_VRAM, BOX_FCRAM };
	struct pica_msg_context_create create = { .fcram_bytes = 0 };
	memset(c, 0, sizeof(*c));
	c->sock = box_connect();
	box_say_hello(c->sock);
	map_rings(c);
	c->context = ask(c->sock, &create, sizeof(create), PICA_MSG_CONTEXT_CREATE, NULL, 0);
	for (unsigned i = 0; i < BOX_WINDOWS; i++) {
		struct pica_msg_region m = { .context = c->context,
			.flags = PICA_REGION_MAPPED,
			.phys = phys[i],
			.size_bytes = BOX_WINDOW_BYTES };
		c->region[i] = ask(c->sock, &m, sizeof(m), PICA_MSG_REGION_CREATE, &c->window[i],
				BOX_WINDOW_BYTES);
	}
	struct pica_msg_region m = { .size_bytes = BOX_STAGING_BYTES };
	c->staging_handle = ask(c->sock, &m, sizeof(m), PICA_MSG_REGION_CREATE, &c->staging,
			BOX_STAGING_BYTES);
}

void box_client_close(struct box_client *c) {
	close(c->sock);
	close(c->bell_out);
	close(c->bell_in);
	munmap(c->ring, c->ring_bytes);
	for (unsigned i = 0; i < BOX_WINDOWS; i++) {
		munmap(c->window[i], BOX_WINDOW_BYTES);
	}
	munmap(c->staging, BOX_STAGING_BYTES);
}

/* Sessions may take several steps to end: a step runs tasks for a limited time only. */
void box_check_empty(void) {
	box_settle();
	for (unsigned ms = 0; server_sessions(box_service()) && ms < PATIENCE_MS; ms++) {
		usleep(1000);
		box_settle();
	}
	FUZZ_CHECK(server_sessions(box_service()) == 0);
}
