/* Late HELLOs, and descriptors in messages: neither may delay other clients. */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>

#include "quota_rig.h"
#include "service/reaper.h"

FIXTURE(default_settings, NULL)

/* ---- HELLO while contexts of its user are being destroyed ---- */

static struct pica_msg_hello hello = { .head.type = PICA_MSG_HELLO,
	.min_version = PICA_PROTOCOL_VERSION,
	.max_version = PICA_PROTOCOL_VERSION };

static int connect_raw(void) {
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	memcpy(addr.sun_path, path, sizeof(path));
	const int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(connect(sock, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return sock;
}

/* Connects and sends HELLO. */
static int greet(void) {
	const int sock = connect_raw();
	ck_assert_int_eq(sock_send(sock, &hello, sizeof(hello), NULL, 0), 0);
	return sock;
}

/* Returns the type of the next message, or 0 if none comes within so many milliseconds. */
static uint16_t next_message(int sock, int patience_ms, struct sock_message *m) {
	struct pollfd fd = { .fd = sock, .events = POLLIN };
	if (poll(&fd, 1, patience_ms) == 0) {
		return 0;
	}
	ck_assert_int_eq(sock_receive(sock, m), 1);
	const uint16_t type = sock_head(m)->type;
	sock_drop(m);
	return type;
}

/* A HELLO that has arrived waits; a client that sends none still times out. */
TEST_LOOP(hello_times_out_while_contexts_are_destroyed, N_LOOPS) {
	struct sock_message m;
	struct one o;
	settings.hello_ns = 1000000000;
	open_service(loops[_i]);
	open_one(&o);
	struct user_account *account = server->accounts;
	atomic_fetch_add(&account->contexts, settings.limits.contexts);
	const int early = greet();
	const int silent = connect_raw();
	ck_assert_uint_eq(next_message(silent, 20000, &m), PICA_MSG_ERROR);
	ck_assert_int_eq(((const struct pica_msg_error *)m.bytes)->error, -ETIME);
	ck_assert_uint_eq(next_message(early, 0, &m), 0);
	atomic_fetch_sub(&account->contexts, settings.limits.contexts);
	ck_assert_uint_eq(next_message(early, -1, &m), PICA_MSG_WELCOME);
	ck_assert_double_eq(metric(&o, "picad_sessions"), 2);
	close(early);
	close(silent);
	close_both(&o);
}

/* ---- Descriptors whose last close waits ---- */

/* Returns a socket whose last close waits, since its other end does not read. */
static int make_lingering(int *other_end) {
	const struct linger forever = { 1, 1 << 20 };
	struct sockaddr_in addr = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(addr);
	static const char bytes[1 << 16];
	const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(listen(listener, 1), 0);
	ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&addr, &size), 0);
	ck_assert_int_eq(connect(sock, (struct sockaddr *)&addr, sizeof(addr)), 0);
	*other_end = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	ck_assert_int_ge(*other_end, 0);
	close(listener);
	while (send(sock, bytes, sizeof(bytes), MSG_DONTWAIT) > 0) {
	}
	ck_assert_int_eq(setsockopt(sock, SOL_SOCKET, SO_LINGER, &forever, sizeof(forever)), 0);
	return sock;
}

/* Sends a lingering socket with a message, and closes the copy here. Returns the other end. */
static int give_away(int sock, void *message, size_t size_bytes, int expected) {
	const struct linger off = { 0 };
	int other_end;
	const int fd = make_lingering(&other_end);
	const int ret = sock_send(sock, message, size_bytes, &fd, 1);
	ck_assert(ret == 0 || ret == expected);
	if (ret < 0) {
		ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_LINGER, &off, sizeof(off)), 0);
	}
	close(fd);
	return other_end;
}

static void wait_for_closing(const struct user_account *account, unsigned n) {
	for (unsigned ms = 0; atomic_load(&account->closing) != n; ms++) {
		ck_assert_uint_lt(ms, 20000);
		usleep(1000);
	}
}

/* A client that sends many waits for them; no other client does. */
TEST_LOOP(slowly_closing_descriptors_delay_no_other_client, N_LOOPS) {
	enum { GIVEN = 8 }; /* then messages of their user wait */
	struct pica_msg_region import = { .head.type = PICA_MSG_REGION_IMPORT, .size_bytes = 4096 };
	struct pica_msg_done no_request = { .head.type = PICA_MSG_DONE };
	struct sock_message m;
	struct pica_done done;
	struct one o;
	int other_end[GIVEN + 3];
	settings.hello_ns = UINT64_C(60000000000);
	open_service(loops[_i]);
	open_one(&o);
	struct user_account *account = server->accounts;
	const int evil = greet();
	ck_assert_uint_eq(next_message(evil, -1, &m), PICA_MSG_WELCOME);
	atomic_fetch_add(&account->contexts, settings.limits.contexts); /* nothing is read */
	for (unsigned i = 0; i < GIVEN; i++) {
		other_end[i] = give_away(evil, &import, sizeof(import), 0);
	}
	other_end[GIVEN] = give_away(evil, &no_request, sizeof(no_request), 0);
	other_end[GIVEN + 1] = give_away(evil, &no_request, sizeof(no_request), 0); /* unread */
	const int stranger = connect_raw();
	other_end[GIVEN + 2] = give_away(stranger, &hello, sizeof(hello), -EPERM);
	const int late = greet();
	atomic_fetch_sub(&account->contexts, settings.limits.contexts);
	wait_for_closing(account, GIVEN);
	put_list(&o, triangle_list(pica_client_host(o.fcram), 1));
	ck_assert_int_eq(pica_client_submit(o.client), 1);
	ck_assert_int_eq(pica_client_wait(o.client, &done, 1, 20000000000), 1);
	for (unsigned i = 0; i < GIVEN; i++) {
		ck_assert_uint_eq(next_message(evil, -1, &m), PICA_MSG_ERROR);
		ck_assert_int_eq(((const struct pica_msg_error *)m.bytes)->error, -EINVAL);
		close(other_end[i]);
	}
	ck_assert_uint_eq(next_message(evil, -1, &m), PICA_MSG_ERROR); /* its end */
	ck_assert_uint_eq(next_message(late, -1, &m), PICA_MSG_WELCOME);
	draw_triangle(&o);
	close(other_end[GIVEN + 2]);
	wait_for_closing(account, 2);
	close(stranger);
	close(other_end[GIVEN]);
	close(other_end[GIVEN + 1]);
	wait_for_closing(account, 0);
	close(evil);
	close(late);
	close_both(&o);
}

/* All clients share the kernel's limit of descriptors in flight: each gets a part. */
TEST_LOOP(descriptors_that_a_client_does_not_read_are_limited, 2 * N_LOOPS) {
	enum { MOST = 16, OF_WELCOME = 3, REGIONS = 40 };
	const bool is_read = _i >= N_LOOPS;
	struct pica_msg_region region = { .head.type = PICA_MSG_REGION_CREATE, .size_bytes = 4096 };
	struct sock_message m;
	uint16_t type = PICA_MSG_HANDLE;
	unsigned n = 0;
	open_service(loops[_i % N_LOOPS]);
	const int sock = greet();
	ck_assert_uint_eq(next_message(sock, -1, &m), PICA_MSG_WELCOME);
	for (unsigned i = 0; i < REGIONS; i++) {
		sock_send(sock, &region, sizeof(region), NULL, 0); /* -EPIPE: its end */
		n += is_read && (type = next_message(sock, -1, &m)) == PICA_MSG_HANDLE;
	}
	struct pollfd end = { .fd = sock };
	ck_assert(is_read || poll(&end, 1, 20000) == 1); /* without a word from the client */
	while (!is_read && (type = next_message(sock, -1, &m)) == PICA_MSG_HANDLE) {
		n++;
	}
	ck_assert_uint_eq(n, is_read ? REGIONS : MOST - OF_WELCOME);
	if (!is_read) {
		ck_assert_uint_eq(type, PICA_MSG_ERROR);
		ck_assert_int_eq(((const struct pica_msg_error *)m.bytes)->error, -ETOOMANYREFS);
	}
	close(sock);
	close_service();
}
