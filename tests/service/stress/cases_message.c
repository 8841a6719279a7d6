/* Requests of an open session. */
#include "hostile.h"

#include <sys/socket.h>

#define HEAD(type, m) .head = { PICA_MESSAGE_MAGIC, type, 0, sizeof(m), 1 }

/* An open session sends bytes and is dropped with that. */
static bool say(struct bench *b, const void *bytes, size_t size_bytes, int error,
		const char *text) {
	struct raw r;
	EXPECT(raw_open(&r, b->daemon->socket, 8) == 0);
	EXPECT(raw_send(r.sock, bytes, size_bytes, NULL, 0) == 0);
	return is_told(&r, error, text);
}

HOSTILE_CASE(unknown_type) {
	const struct pica_message m = { PICA_MESSAGE_MAGIC, 9999, 0, sizeof(m), 1 };
	return say(b, &m, sizeof(m), -EPROTO, "unknown message");
}

HOSTILE_CASE(answer_as_a_request) {
	const struct pica_msg_done m = { HEAD(PICA_MSG_DONE, m) };
	return say(b, &m, sizeof(m), -EPROTO, "unknown message");
}

HOSTILE_CASE(hello_twice) {
	struct pica_msg_hello h;
	raw_hello_init(&h, 0);
	return say(b, &h, sizeof(h), -EPROTO, "a second HELLO");
}

HOSTILE_CASE(flags_of_a_request) {
	const struct pica_msg_object m = { .head = { PICA_MESSAGE_MAGIC, PICA_MSG_SESSIONS, 1,
							   sizeof(m), 1 } };
	return say(b, &m, sizeof(m), -EPROTO, "unknown message flags");
}

/* Sends every request as its header alone, and as 4096 bytes. */
HOSTILE_CASE(requests_of_wrong_size) {
	static uint8_t bytes[PICA_MESSAGE_MAX];
	for (unsigned i = 0; i < 2 * (PICA_MSG_REQUEST_END - 2); i++) {
		size_t size = i % 2 ? sizeof(bytes) : sizeof(struct pica_message);
		struct pica_message head = { PICA_MESSAGE_MAGIC, (uint16_t)(2 + i / 2), 0,
			(uint32_t)size, 1 };
		struct raw r;
		memcpy(bytes, &head, sizeof(head));
		EXPECT(raw_open(&r, b->daemon->socket, 8) == 0);
		EXPECT(raw_send(r.sock, bytes, size, NULL, 0) == 0);
		/* Told and dropped, or not known to this service. */
		EXPECT(raw_receive(r.sock, &r.error, sizeof(r.error), NULL,
				RAW_PATIENCE_MS) == sizeof(r.error));
		EXPECT(r.error.head.type == PICA_MSG_ERROR);
		EXPECT(r.error.error == -EPROTO || r.error.error == -EOPNOTSUPP);
		EXPECT(r.error.error == -EOPNOTSUPP || raw_is_closed(&r));
		raw_close(&r);
	}
	return true;
}

HOSTILE_CASE(reserved_of_requests) {
	const struct pica_msg_context_create create = { HEAD(PICA_MSG_CONTEXT_CREATE, create),
		.reserved = { 0, 0, 1 } };
	const struct pica_msg_region region = { HEAD(PICA_MSG_REGION_CREATE, region),
		.size_bytes = 4096,
		.reserved = { 1 } };
	const struct pica_msg_query query = { HEAD(PICA_MSG_READ_REGS, query),
		.reserved = { 0, 0, 1 } };
	const struct pica_msg_object object = { HEAD(PICA_MSG_REGION_DESTROY, object),
		.reserved = 1 };
	EXPECT(say(b, &create, sizeof(create), -EPROTO, "malformed"));
	EXPECT(say(b, &region, sizeof(region), -EPROTO, "malformed"));
	EXPECT(say(b, &query, sizeof(query), -EPROTO, "malformed"));
	return say(b, &object, sizeof(object), -EPROTO, "malformed");
}

HOSTILE_CASE(import_without_a_descriptor) {
	const struct pica_msg_region m = { HEAD(PICA_MSG_REGION_IMPORT, m),
		.size_bytes = 4096 };
	return say(b, &m, sizeof(m), -EPROTO, "malformed");
}

HOSTILE_CASE(unrequested_descriptors) {
	const struct pica_msg_object m = { HEAD(PICA_MSG_SESSIONS, m) };
	const int fds[3] = { 0, 1, 2 };
	struct raw r;
	EXPECT(raw_open(&r, b->daemon->socket, 8) == 0);
	EXPECT(raw_send(r.sock, &m, sizeof(m), fds, 3) == 0);
	return is_told(&r, -EPROTO, "malformed");
}

/* Sends requests without reading the answers, so that the socket fills. */
SESSION_CASE(slow_reader) {
	const struct pica_msg_object m = { HEAD(PICA_MSG_SESSIONS, m) };
	int ret = 0;
	for (unsigned i = 0; i < 100000 && ret == 0; i++) {
		ret = raw_send(r->sock, &m, sizeof(m), NULL, 0);
	}
	EXPECT(ret == -EPIPE || ret == -ECONNRESET);
	return true;
}

/* Sends many requests and reads the answers: the neighbour draws meanwhile. */
SESSION_CASE(message_flood) {
	struct pica_msg_object m = { HEAD(PICA_MSG_LIMITS, m) };
	uint8_t answer[PICA_MESSAGE_MAX];
	for (unsigned round = 0; round < 20; round++) {
		for (unsigned i = 0; i < 100; i++) {
			EXPECT(raw_send(r->sock, &m, sizeof(m), NULL, 0) == 0);
		}
		EXPECT(neighbour_is_well(b));
		for (unsigned i = 0; i < 100; i++) {
			EXPECT(raw_receive(r->sock, answer, sizeof(answer), NULL,
					RAW_PATIENCE_MS) == sizeof(struct pica_msg_welcome));
		}
	}
	return true;
}

/* Requests wait for a WAIT that never ends: their number is bounded. */
NEIGHBOUR_CASE(requests_after_a_wait) {
	struct pica_msg_query q = { .count = 1 };
	uint8_t answer[PICA_MESSAGE_MAX];
	struct pica_message head;
	unsigned sent = 0, n = 0;
	raw_put_wait(&evil->raw, evil->context, 1, evil->context, 1, 0);
	raw_publish(&evil->raw);
	q.context = evil->context;
	do {
		raw_head(&evil->raw, &q, PICA_MSG_READ_REGS, sizeof(q));
		EXPECT(raw_send(evil->raw.sock, &q, sizeof(q), NULL, 0) == 0);
		sent++;
		n = (unsigned)(raw_receive(evil->raw.sock, answer, sizeof(answer), NULL, 0) > 0);
	} while (!n && sent < 10000);
	EXPECT(sent < 10000);
	memcpy(&head, answer, sizeof(head));
	memcpy(&evil->raw.error, answer, sizeof(evil->raw.error));
	EXPECT(head.type == PICA_MSG_ERROR && evil->raw.error.error == -EDQUOT);
	EXPECT(strstr(evil->raw.error.text, "quota of requests"));
	return true;
}

SESSION_CASE(contexts_without_end) {
	unsigned n = 0;
	int64_t ret;
	while ((ret = raw_context(r)) > 0) {
		n++;
	}
	EXPECT(n == MATRIX_CONTEXTS);
	EXPECT(is_refused(r, (int)ret, -EDQUOT, "contexts"));
	return true;
}

SESSION_CASE(context_memory_that_does_not_exist) {
	static const struct {
		struct pica_msg_context_create m;
		int error;
		const char *text;
	} wrong[] = { { { .fcram_bytes = 0xFFFFFFFF }, -EINVAL, "memory size" },
		{ { .fcram_bytes = 256 << 20 }, -EDQUOT, "memory_bytes" },
		{ { .priority = -11 }, -EINVAL, "priority" } };
	for (unsigned i = 0; i < 3; i++) {
		EXPECT(is_context_refused(r, wrong[i].m, wrong[i].error, wrong[i].text));
	}
	return true;
}

SESSION_CASE(arithmetic_that_does_not_exist) {
	static const uint32_t wrong[] = { PICA_ARITHMETIC_F32, PICA_ARITHMETIC_TRUNCATE,
		PICA_ARITHMETIC_F32 | PICA_ARITHMETIC_TRUNCATE, 8, 9, 0xFFFFFFFF, 0x80000001 };
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct pica_msg_context_create m = { .arithmetic = wrong[i] };
		EXPECT(is_context_refused(r, m, -EINVAL, "arithmetic"));
	}
	return true;
}

/* Handles of the neighbour, unused ones, and of another kind. */
NEIGHBOUR_CASE(handles_of_others) {
	static const uint64_t ids[] = { 0, 77777, 0xFFFFFFFF, 0x100000001, UINT64_MAX };
	struct raw *r = &evil->raw;
	for (unsigned i = 0; i < 5; i++) {
		EXPECT(is_refused(r, raw_object(r, PICA_MSG_CONTEXT_DESTROY, ids[i]), -ENOENT,
				"no such"));
		EXPECT(is_refused(r, raw_object(r, PICA_MSG_REGION_DESTROY, ids[i]), -ENOENT,
				"no such"));
		EXPECT(is_refused(r, raw_object(r, PICA_MSG_KICK, ids[i] + 1000000), -ENOENT,
				"no such"));
	}
	EXPECT(raw_object(&evil->raw, PICA_MSG_REGION_DESTROY, evil->context) == -ENOENT);
	return true;
}

static int transfer(struct neighbour *n, enum pica_message_type type, uint32_t region,
		uint32_t offset, uint32_t size_bytes, const uint32_t args[5]) {
	struct pica_msg_transfer m = { .context = n->context, .region = region, .offset = offset,
		.size_bytes = size_bytes };
	memcpy(m.args, args, 5 * sizeof(*args));
	return raw_ask(&n->raw, &m, type, sizeof(m));
}

NEIGHBOUR_CASE(pictures_that_do_not_fit) {
	static const uint32_t huge[5] = { SCENE_VRAM, 0, 0xFFFFFFF8, 0xFFFFFFF8, 0xFFFFFFFF };
	static const uint32_t wide[5] = { SCENE_VRAM, 0, 2048, 2048, 8192 };
	static const uint32_t wrap[5] = { SCENE_VRAM, 0, 8, 2048, 0x00200000 };
	static const uint32_t small[5] = { SCENE_VRAM, 0, 128, 128, 512 };
	static const uint32_t nowhere[5] = { 0xFFFFFF80, 0, 128, 128, 512 };
	static const uint32_t format[5] = { SCENE_VRAM, 99, 128, 128, 512 };
	static const uint32_t screen[5] = { 2, 9, 1200 };
	int64_t region = raw_region(&evil->raw, 0, 0, 0x10000, NULL, NULL);
	EXPECT(region > 0);
	const uint32_t to = (uint32_t)region;
	EXPECT(transfer(evil, PICA_MSG_READ_SURFACE, to, 0, 0x10000, huge) == -EINVAL);
	EXPECT(transfer(evil, PICA_MSG_READ_SURFACE, to, 0, 0x10000, wide) == -EINVAL);
	EXPECT(transfer(evil, PICA_MSG_READ_SURFACE, to, 0, 0x10000, wrap) == -EINVAL);
	EXPECT(transfer(evil, PICA_MSG_READ_SURFACE, to, 1, 0x10000, small) == -ERANGE);
	EXPECT(transfer(evil, PICA_MSG_READ_SURFACE, to, 0xFFFFFFFF, 2, small) == -ERANGE);
	EXPECT(transfer(evil, PICA_MSG_READ_SURFACE, 999, 0, 0x10000, small) == -ENOENT);
	EXPECT(transfer(evil, PICA_MSG_READ_SURFACE, to, 0, 0x10000, nowhere) == -ERANGE);
	EXPECT(transfer(evil, PICA_MSG_READ_SURFACE, to, 0, 0x10000, format) == -EINVAL);
	EXPECT(transfer(evil, PICA_MSG_READ_SCREEN, to, 0, 0x10000, screen) == -EINVAL);
	EXPECT(transfer(evil, PICA_MSG_READ_SURFACE, to, 0, 0x10000, small) == 0);
	EXPECT(transfer(evil, PICA_MSG_SAVE_STATE, to, 0, 100, small) == -EINVAL);
	EXPECT(transfer(evil, PICA_MSG_LOAD_STATE, to, 0, 0x10000, small) == -EINVAL);
	return true;
}

NEIGHBOUR_CASE(registers_that_do_not_exist) {
	static const uint32_t bad[][2] = { { 0, 0x301 }, { 0x2FF, 2 }, { 0xFFFFFFFF, 2 },
			{ 0x300, 0xFFFFFFFF } };
	for (unsigned i = 0; i < 4; i++) {
		struct pica_msg_query q = {
			.context = evil->context, .first = bad[i][0], .count = bad[i][1]
		};
		EXPECT(raw_ask(&evil->raw, &q, PICA_MSG_READ_REGS, sizeof(q)) == -EINVAL);
		EXPECT(raw_ask(&evil->raw, &q, PICA_MSG_READ_EXTERNAL, sizeof(q)) < 0);
	}
	return true;
}

NEIGHBOUR_CASE(half_closed) {
	EXPECT(shutdown(evil->raw.sock, SHUT_WR) == 0);
	EXPECT(raw_is_closed(&evil->raw));
	return true;
}
