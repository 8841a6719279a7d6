/*
 * Control messages. An input is records: u8 type, u8 fds, u16 size, then size bytes.
 *
 *	type 0      the bytes are a packet as they are
 *	type 255    a well-formed HELLO; the bytes are ignored
 *	others      a message of that type; the bytes follow its header, which is right
 *	fds         bits 0-1: how many descriptors, bits 2-3: of what kind
 *
 * The next client is served, whatever the input was.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service_box.h"

enum { MAX_RECORDS = 64, KINDS = 4 };

/* Returns a memory file that can be imported, one that cannot, a device, or a pipe. */
static int descriptor(unsigned kind) {
	static int fds[KINDS], pipe_fds[2];
	if (!fds[0]) {
		fds[0] = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		fds[1] = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		fds[2] = open("/dev/zero", O_RDWR | O_CLOEXEC);
		FUZZ_CHECK(pipe2(pipe_fds, O_CLOEXEC) == 0);
		fds[3] = pipe_fds[0];
		FUZZ_CHECK(fds[0] >= 0 && fds[1] >= 0 && fds[2] >= 0 &&
				ftruncate(fds[0], 0x10000) == 0 &&
				ftruncate(fds[1], 0x10000) == 0 &&
				fcntl(fds[0], F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
	}
	return fds[kind % KINDS];
}

static void put(int sock, const void *bytes, size_t size_bytes, unsigned fds) {
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(3 * sizeof(int))];
	} control;
	union {
		const void *in;
		void *out;
	} data = { .in = bytes };
	struct iovec iov = { data.out, size_bytes };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	unsigned n = fds & 3;
	if (n) {
		memset(&control, 0, sizeof(control));
		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_SPACE(n * sizeof(int));
		struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n * sizeof(int));
		for (unsigned i = 0; i < n; i++) {
			int fd = descriptor(fds >> 2);
			memcpy(CMSG_DATA(c) + i * sizeof(int), &fd, sizeof(fd));
		}
	}
	/* The service may have hung up, or its socket may be full. */
	ssize_t sent = sendmsg(sock, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	(void)sent;
}

static void say(int sock, unsigned type, unsigned fds, const uint8_t *bytes, size_t size_bytes,
		uint32_t cookie) {
	uint8_t message[PICA_MESSAGE_MAX + 64];
	if (type == 0) {
		put(sock, bytes, size_bytes, fds);
	} else if (type == 255) {
		box_say_hello(sock);
	} else {
		const size_t most = sizeof(message) - sizeof(struct pica_message);
		size_bytes = size_bytes < most ? size_bytes : most;
		const struct pica_message head = { PICA_MESSAGE_MAGIC, (uint16_t)type, 0,
			(uint32_t)(sizeof(head) + size_bytes), cookie };
		memcpy(message, &head, sizeof(head));
		memcpy(message + sizeof(head), bytes, size_bytes);
		put(sock, message, sizeof(head) + size_bytes, fds);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	const uint8_t *p = data, *end = data + size;
	int sock = box_connect(), alive = 0;
	for (unsigned i = 0; i < MAX_RECORDS && end - p >= 4 && alive >= 0; i++) {
		size_t n = (size_t)(p[2] | p[3] << 8), left = (size_t)(end - p - 4);
		n = n < left ? n : left;
		say(sock, p[0], p[1], p + 4, n, i + 1);
		box_settle();
		alive = box_drain(sock);
		p += 4 + n;
	}
	close(sock);
	box_check_empty();
	struct box_client c;
	box_client_open(&c);
	box_client_close(&c);
	box_check_empty();
	return 0;
}
