/* Before and in HELLO. */
#include "hostile.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/socket.h>

/* Sends something other than a correct HELLO, and receives an error. */
static bool say(struct bench *b, const void *bytes, size_t size_bytes, int error,
		const char *text) {
	struct raw r = { .bell_in = -1, .bell_out = -1 };
	r.sock = raw_dial(b->daemon->socket);
	EXPECT(r.sock >= 0);
	EXPECT(raw_send(r.sock, bytes, size_bytes, NULL, 0) == 0);
	return is_told(&r, error, text);
}

HOSTILE_CASE(says_nothing) {
	struct raw r = { .bell_in = -1, .bell_out = -1 };
	r.sock = raw_dial(b->daemon->socket);
	EXPECT(r.sock >= 0);
	return is_told(&r, -ETIME, "no HELLO came in time");
}

/* A HELLO of which one word or the size is wrong. */
HOSTILE_CASE(wrong_hellos) {
	enum { SIZE = sizeof(struct pica_msg_hello), MORE = SIZE + 64 };
	static const struct {
		const char *name;
		size_t at; /* of the word */
		uint32_t word;
		size_t size_bytes; /* sent */
		int error;
		const char *text;
	} rows[] = {
#define AT(member) offsetof(struct pica_msg_hello, member)
		{ "magic", AT(head.magic), PICA_MESSAGE_MAGIC ^ 1, SIZE, -EPROTO,
				"malformed message" },
		{ "half a header", AT(sq_entries), 0, sizeof(struct pica_message) / 2, -EPROTO,
				"malformed message" },
		{ "half a HELLO", AT(head.size_bytes), SIZE / 2, SIZE / 2, -EPROTO,
				"expected HELLO" },
		{ "size says more", AT(head.size_bytes), 0xFFFFFFFF, SIZE, -EPROTO,
				"malformed message" },
		{ "more than it should be", AT(head.size_bytes), MORE, MORE, -EPROTO,
				"expected HELLO" },
		{ "larger than a message", AT(head.size_bytes), PICA_MESSAGE_MAX,
				3 * PICA_MESSAGE_MAX, -EPROTO, "malformed message" },
		{ "flags", AT(head.flags), 0x8000 | (uint32_t)SIZE << 16, SIZE, -EPROTO,
				"expected HELLO" },
		{ "reserved", AT(reserved[7]), 1, SIZE, -EPROTO, "expected HELLO" },
		{ "versions upside down", AT(min_version), 0xFFFFFFFF, SIZE, -EPROTONOSUPPORT,
				"no common version" },
		{ "unknown feature", AT(required) + 4, 1u << 31, SIZE, -EOPNOTSUPP,
				"a required feature is missing" },
		{ "priority", AT(priority), 1u << 31, SIZE, -EINVAL, "priority outside -10..10" },
#undef AT
	};
	bool ok = true;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		static union {
			struct pica_msg_hello hello;
			uint8_t bytes[3 * PICA_MESSAGE_MAX];
		} m;
		memset(&m, 0, sizeof(m));
		raw_hello_init(&m.hello, 0);
		memcpy(m.bytes + rows[i].at, &rows[i].word, sizeof(rows[i].word));
		if (!say(b, m.bytes, rows[i].size_bytes, rows[i].error, rows[i].text)) {
			printf("  of a HELLO with a wrong %s\n", rows[i].name);
			ok = false;
		}
	}
	return ok;
}

HOSTILE_CASE(another_protocol) {
	static const char text[] = "GET / HTTP/1.1\r\nHost: picad\r\n\r\n";
	return say(b, text, sizeof(text), -EPROTO, "malformed message");
}

HOSTILE_CASE(request_before_hello) {
	struct pica_msg_context_create m = { .head = { PICA_MESSAGE_MAGIC, PICA_MSG_CONTEXT_CREATE,
							     0, sizeof(m), 1 } };
	return say(b, &m, sizeof(m), -EPROTO, "expected HELLO");
}

HOSTILE_CASE(version_from_the_future) {
	struct pica_msg_hello h;
	struct raw r = { .bell_in = -1, .bell_out = -1 };
	raw_hello_init(&h, 0);
	h.min_version = 7;
	h.max_version = 9;
	r.sock = raw_dial(b->daemon->socket);
	EXPECT(r.sock >= 0 && raw_send(r.sock, &h, sizeof(h), NULL, 0) == 0);
	EXPECT(is_told(&r, -EPROTONOSUPPORT, "no common version"));
	EXPECT(r.error.min_version == PICA_PROTOCOL_VERSION &&
			r.error.max_version == PICA_PROTOCOL_VERSION);
	return true;
}

/* It is served, but with entries and a priority that the service limits. */
HOSTILE_CASE(wishes_beyond_measure) {
	struct raw r;
	EXPECT(raw_open(&r, b->daemon->socket, 0xFFFFFFFF) == 0);
	EXPECT(r.welcome.sq_entries == PICA_RING_MAX_ENTRIES);
	raw_close(&r);
	EXPECT(raw_open(&r, b->daemon->socket, 1) == 0);
	EXPECT(r.welcome.sq_entries == PICA_RING_MIN_ENTRIES);
	raw_close(&r);
	return true;
}

/* A name that would break lines and quotes of the log is repaired. */
HOSTILE_CASE(name_that_forges_the_log) {
	struct pica_msg_hello h;
	uint8_t answer[PICA_MESSAGE_MAX];
	int sock = raw_dial(b->daemon->socket);
	raw_hello_init(&h, 0);
	memcpy(h.name, "x\"\nlevel=error event=forged\xFF\x80\x1B[m", PICA_NAME_BYTES);
	EXPECT(sock >= 0 && raw_send(sock, &h, sizeof(h), NULL, 0) == 0);
	EXPECT(raw_receive(sock, answer, sizeof(answer), NULL,
			RAW_PATIENCE_MS) == sizeof(struct pica_msg_welcome));
	close(sock);
	EXPECT(daemon_logs(b->daemon, "name=\"x__level=error_event=forged"));
	EXPECT(!daemon_log_has(b->daemon, " event=forged"));
	return true;
}

HOSTILE_CASE(descriptors_with_hello) {
	struct pica_msg_hello h;
	struct raw r = { .bell_in = -1, .bell_out = -1 };
	const int fds[3] = { 0, 1, 2 };
	raw_hello_init(&h, 0);
	r.sock = raw_dial(b->daemon->socket);
	EXPECT(r.sock >= 0);
	const int ret = raw_send(r.sock, &h, sizeof(h), fds, 3);
	if (ret == -EPERM) { /* Linux 6.16: they do not even arrive */
		raw_close(&r);
		return true;
	}
	EXPECT(ret == 0);
	return is_told(&r, -EPROTO, "expected HELLO");
}

/* 253 a message is what the kernel lets through. */
HOSTILE_CASE(thousand_descriptors) {
	struct pica_msg_hello h;
	int fds[250];
	struct raw r;
	for (unsigned i = 0; i < 250; i++) {
		fds[i] = 0;
	}
	raw_hello_init(&h, 0);
	EXPECT(raw_open(&r, b->daemon->socket, 8) == 0);
	for (unsigned i = 0; i < 4; i++) {
		int ret = raw_send(r.sock, &h, sizeof(h), fds, 250);
		EXPECT(ret == 0 || (i > 0 && ret < 0)); /* dropped at the first one */
	}
	return is_told(&r, -EPROTO, "malformed message");
}

/* Nothing tells an empty packet from the end of a connection. */
HOSTILE_CASE(empty_packet) {
	struct raw r = { .bell_in = -1, .bell_out = -1 };
	r.sock = raw_dial(b->daemon->socket);
	EXPECT(r.sock >= 0 && raw_send(r.sock, "", 0, NULL, 0) == 0);
	bool closed = raw_is_closed(&r);
	raw_close(&r);
	return closed;
}

/* The oldest are disconnected, and a client that sends HELLO is admitted. */
HOSTILE_CASE(crowd_that_does_not_greet) {
	struct raw r[MATRIX_GREETING + 4], guest;
	unsigned told = 0;
	for (unsigned i = 0; i < MATRIX_GREETING + 4; i++) {
		r[i] = (struct raw){ .bell_in = -1, .bell_out = -1 };
		r[i].sock = raw_dial(b->daemon->socket);
		EXPECT(r[i].sock >= 0);
	}
	for (unsigned i = 0; i < 4; i++) {
		told += is_told(&r[i], -EAGAIN, "too many connections at a time");
	}
	EXPECT(told == 4);
	EXPECT(neighbour_is_well(b));
	EXPECT(raw_open(&guest, b->daemon->socket, 8) == 0);
	raw_close(&guest);
	EXPECT(is_told(&r[4], -EAGAIN, "too many connections at a time"));
	for (unsigned i = 5; i < MATRIX_GREETING + 4; i++) {
		EXPECT(raw_greet(&r[i], r[i].sock, 8) == 0);
		raw_close(&r[i]);
	}
	return true;
}

/* The service's own user may inspect it in some sessions beyond the quota; more evict the
 * oldest. */
HOSTILE_CASE(more_sessions_than_allowed) {
	enum { ALLOWED = MATRIX_SESSIONS - 1, RESERVED = 4 }; /* the neighbour is one */
	struct raw r[ALLOWED + RESERVED + 1];
	for (unsigned i = 0; i < ALLOWED + RESERVED + 1; i++) {
		EXPECT(raw_open(&r[i], b->daemon->socket, 8) == 0);
		int64_t context = raw_context(&r[i]);
		EXPECT(i < ALLOWED ? context > 0 : is_refused(&r[i], (int)context, -EDQUOT,
							   "quota of sessions used up"));
		if (i >= ALLOWED) {
			EXPECT(raw_region(&r[i], 0, 0, 4096, NULL, NULL) == -EDQUOT);
		}
	}
	EXPECT(is_told(&r[ALLOWED], -EDQUOT, "quota of sessions used up"));
	EXPECT(neighbour_is_well(b));
	for (unsigned i = 0; i < ALLOWED + RESERVED + 1; i++) {
		if (i != ALLOWED) {
			raw_close(&r[i]);
		}
	}
	return true;
}

HOSTILE_CASE(connects_and_leaves) {
	for (unsigned i = 0; i < 1000; i++) {
		int sock = raw_dial(b->daemon->socket);
		EXPECT(sock >= 0);
		close(sock);
	}
	return true;
}

static atomic_bool is_over;
static atomic_uint connected;

/* Never greets, and keeps as many connections as it can. */
static void *connect_and_stay(void *arg) {
	const struct bench *b = arg;
	int sock[4 * MATRIX_GREETING];
	unsigned n = 0, at = 0;
	while (!atomic_load(&is_over)) {
		if (n == 4 * MATRIX_GREETING) {
			close(sock[at]);
			n--;
		}
		sock[at] = raw_dial(b->daemon->socket);
		if (sock[at] >= 0) {
			at = (at + 1) % (4 * MATRIX_GREETING);
			n++;
			atomic_fetch_add(&connected, 1);
		}
	}
	while (n-- > 0) {
		at = (at + 4 * MATRIX_GREETING - 1) % (4 * MATRIX_GREETING);
		close(sock[at]);
	}
	return NULL;
}

/*
 * They take all places of clients that have not sent HELLO: a neighbour of the same user is still
 * admitted if it sends HELLO before eight more of them connect.
 */
HOSTILE_CASE(silent_ones_without_end) {
	pthread_t thread;
	unsigned in = 0;
	atomic_store(&is_over, false);
	atomic_store(&connected, 0);
	EXPECT(pthread_create(&thread, NULL, connect_and_stay, b) == 0);
	for (int64_t end = raw_now_ms() + RAW_PATIENCE_MS; raw_now_ms() < end;) {
		struct raw guest;
		if (raw_open(&guest, b->daemon->socket, 8) == 0) {
			raw_close(&guest);
			in++;
		}
		if (in >= 20 && atomic_load(&connected) > 200) {
			break;
		}
	}
	atomic_store(&is_over, true);
	pthread_join(thread, NULL);
	EXPECT(in >= 20 && atomic_load(&connected) > 200);
	return true;
}

static void *connect_for_ever(void *arg) {
	const struct bench *b = arg;
	while (!atomic_load(&is_over)) {
		int sock = raw_dial(b->daemon->socket);
		if (sock >= 0) {
			close(sock);
			atomic_fetch_add(&connected, 1);
		}
	}
	return NULL;
}

/* Two threads that only connect: the neighbour draws meanwhile, and a new client is served. */
HOSTILE_CASE(flood_of_connections) {
	pthread_t thread[2];
	bool well = true;
	atomic_store(&is_over, false);
	atomic_store(&connected, 0);
	for (unsigned i = 0; i < 2; i++) {
		EXPECT(pthread_create(&thread[i], NULL, connect_for_ever, b) == 0);
	}
	unsigned drawn = 0;
	for (int64_t end = raw_now_ms() + RAW_PATIENCE_MS; well && raw_now_ms() < end; drawn++) {
		if (drawn >= 20 && atomic_load(&connected) > 200) {
			break;
		}
		well = neighbour_is_well(b);
	}
	atomic_store(&is_over, true);
	for (unsigned i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
	}
	EXPECT(well && drawn >= 20 && atomic_load(&connected) > 200);
	return true;
}

HOSTILE_CASE(leaves_before_the_answer) {
	struct pica_msg_hello h;
	raw_hello_init(&h, 4096);
	for (unsigned i = 0; i < 100; i++) {
		int sock = raw_dial(b->daemon->socket);
		EXPECT(sock >= 0);
		int ret = raw_send(sock, &h, sizeof(h), NULL, 0);
		/* refused: too many that greet */
		EXPECT(ret == 0 || ret == -EPIPE || ret == -ECONNRESET);
		close(sock);
	}
	return true;
}

HOSTILE_CASE(stops_reading_at_once) {
	struct pica_msg_hello h;
	int sock = raw_dial(b->daemon->socket);
	EXPECT(sock >= 0 && shutdown(sock, SHUT_RD) == 0);
	raw_hello_init(&h, 8);
	int ret = raw_send(sock, &h, sizeof(h), NULL, 0);
	EXPECT(ret == 0 || ret == -EPIPE);
	close(sock);
	return true;
}
