/* Control messages over a socketpair: sizes, descriptors, and peers that break the rules. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sock.h"
#include "tests/suite.h"

static int ours, theirs;
static struct sock_message m;

static void open_pair(void) {
	int s[2];
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s), 0);
	ours = s[0];
	theirs = s[1];
}

static void close_pair(void) {
	close(ours);
	close(theirs);
}

static unsigned open_fds(void) {
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;
	ck_assert_ptr_nonnull(dir);
	while (readdir(dir)) {
		n++;
	}
	closedir(dir);
	return n;
}

/* Sends raw bytes with n descriptors, as a foreign client would. */
static void send_raw(const void *bytes, size_t size_bytes, unsigned n) {
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(200 * sizeof(int))];
	} control;
	struct iovec iov = { (void *)(uintptr_t)bytes, size_bytes };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	memset(&control, 0, sizeof(control));
	if (n) {
		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_SPACE(n * sizeof(int));
		struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n * sizeof(int));
		for (unsigned i = 0; i < n; i++) {
			memcpy(CMSG_DATA(c) + i * sizeof(int), &theirs, sizeof(int));
		}
	}
	ck_assert_int_eq(sendmsg(theirs, &msg, MSG_NOSIGNAL), (ssize_t)size_bytes);
}

TEST(message_and_descriptors_arrive) {
	struct pica_msg_done done = { .head = { .type = PICA_MSG_DONE, .cookie = 7 },
		.result = -5 },
			     got;
	int fds[2];
	ck_assert_int_eq(pipe(fds), 0);
	open_pair();
	ck_assert_int_eq(sock_send(theirs, &done, sizeof(done), fds, 2), 0);
	ck_assert_int_eq(sock_receive(ours, &m), 1);
	ck_assert_uint_eq(sock_head(&m)->type, PICA_MSG_DONE);
	ck_assert_int_eq(sock_take(&m, &got, sizeof(got), 2), 0);
	ck_assert_int_eq(got.result, -5);
	ck_assert_uint_eq(got.head.cookie, 7);
	ck_assert_uint_eq(got.head.magic, PICA_MESSAGE_MAGIC);
	/* The pipe works, and does not survive exec. */
	char c = 0;
	ck_assert_int_eq(fcntl(m.fd[0], F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(write(m.fd[1], "x", 1), 1);
	ck_assert_int_eq(read(fds[0], &c, 1), 1);
	ck_assert_int_eq(c, 'x');
	/* Another size, or another number of descriptors, is not this message. */
	ck_assert_int_eq(sock_take(&m, &got, sizeof(got), 1), -EPROTO);
	ck_assert_int_eq(sock_take(&m, &got, sizeof(got.head), 2), -EPROTO);
	sock_drop(&m);
	close(fds[0]);
	close(fds[1]);
	close_pair();
}

TEST(nothing_there_and_peer_gone) {
	struct pica_msg_done done = { .head = { .type = PICA_MSG_DONE } };
	open_pair();
	ck_assert_int_eq(sock_receive(ours, &m), -EAGAIN);
	close(theirs);
	ck_assert_int_eq(sock_receive(ours, &m), 0);
	ck_assert_int_eq(sock_send(ours, &done, sizeof(done), NULL, 0), -EPIPE);
	close(ours);
}

TEST(peer_that_never_reads_costs_eagain) {
	struct pica_msg_done done = { .head = { .type = PICA_MSG_DONE } };
	unsigned n = 0;
	int ret;
	open_pair();
	while ((ret = sock_send(ours, &done, sizeof(done), NULL, 0)) == 0 && n < 100000) {
		n++;
	}
	ck_assert_int_eq(ret, -EAGAIN);
	close_pair();
}

/* With descriptors it stays unread. */
static void expect_refusal(const void *bytes, size_t size_bytes, unsigned n) {
	send_raw(bytes, size_bytes, n);
	ck_assert_int_eq(sock_receive(ours, &m), -EPROTO);
	if (n) {
		ck_assert_int_eq(sock_receive(ours, &m), -EPROTO);
		ck_assert_int_eq(recv(ours, NULL, 0, 0), 0);
	}
	ck_assert_int_eq(sock_receive(ours, &m), -EAGAIN);
}

TEST(malformed_messages_are_refused_without_a_leak) {
	struct pica_msg_done good = { .head = { PICA_MESSAGE_MAGIC, PICA_MSG_DONE, 0, sizeof(good),
						      1 } };
	static uint8_t big[PICA_MESSAGE_MAX + 1];
	open_pair();
	unsigned before = open_fds();
	/*
	 * Half a header, a wrong magic, a size that is not the packet's, a packet that is too long.
	 */
	expect_refusal(&good, 8, 2);
	expect_refusal(&good, 8, 0);
	struct pica_msg_done bad = good;
	bad.head.magic ^= 1;
	expect_refusal(&bad, sizeof(bad), 1);
	expect_refusal(&good, sizeof(good) - 4, 1);
	memcpy(big, &good, sizeof(good));
	expect_refusal(big, sizeof(big), 3);
	/* More descriptors than any message has: a few and very many. */
	expect_refusal(&good, sizeof(good), 4);
#ifndef TEST_EMULATED /* qemu's user mode leaks the descriptors that the kernel cuts off */
	expect_refusal(&good, sizeof(good), 200);
#endif
	ck_assert_uint_eq(open_fds(), before);
	/* And the next good one arrives. */
	send_raw(&good, sizeof(good), 3);
	ck_assert_int_eq(sock_receive(ours, &m), 1);
	ck_assert_uint_eq(m.n_fds, 3);
	sock_drop(&m);
	ck_assert_uint_eq(open_fds(), before);
	close_pair();
}

/* A message is not at fault if we are out of descriptors. */
TEST(descriptors_that_find_no_place_are_not_the_senders_fault) {
	struct pica_msg_done good = { .head = { PICA_MESSAGE_MAGIC, PICA_MSG_DONE, 0, sizeof(good),
						      7 } };
	struct rlimit before, few;
	open_pair();
	const unsigned n_open = open_fds();
	const int first_free = dup(ours);
	close(first_free);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	for (unsigned n_free = 0; n_free < 3; n_free++) {
		few = (struct rlimit){ (rlim_t)first_free + n_free, before.rlim_max };
		send_raw(&good, sizeof(good), 3);
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
		ck_assert_int_eq(sock_receive(ours, &m), -EMFILE);
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
		ck_assert_uint_eq(sock_head(&m)->cookie, 7);
		ck_assert_uint_eq(m.size_bytes, sizeof(good));
		ck_assert_uint_eq(m.n_fds, 0);
		ck_assert_uint_eq(open_fds(), n_open);
	}
	/* One without any arrives, and one that is malformed is that. */
	few.rlim_cur = (rlim_t)first_free;
	send_raw(&good, sizeof(good), 0);
	send_raw(&good, sizeof(good) - 4, 1);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	ck_assert_int_eq(sock_receive(ours, &m), 1);
	ck_assert_int_eq(sock_receive(ours, &m), -EPROTO);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	close_pair();
}

TEST(senders_check_their_messages) {
	struct pica_msg_done done = { .head = { .type = PICA_MSG_DONE } };
	open_pair();
	ck_assert_int_eq(sock_send(ours, &done, 8, NULL, 0), -EINVAL);
	ck_assert_int_eq(sock_send(ours, &done, PICA_MESSAGE_MAX + 1, NULL, 0), -EINVAL);
	const int fds[4] = { ours, ours, ours, ours };
	ck_assert_int_eq(sock_send(ours, &done, sizeof(done), fds, 4), -EINVAL);
	close_pair();
}
