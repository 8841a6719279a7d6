/*
 * Rings of an open session. An input is operations, each a byte and its arguments:
 *
 *	0  64 bytes: a submission; byte 2 of it bit 7 set: its handle is the context's
 *	1  u8 which, u32 value: a word of the control part
 *	2  publishes the submissions, and rings
 *	3  runs the service's loop once
 *	4  reaps everything
 *	5  u8 window, u16 offset, u8 n, n bytes: memory
 *	6  a second context that jobs may name and wait for
 *
 * The service answers every job that it takes, or ends the session with a message; the next client
 * is served.
 */
#include "fuzz.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service_box.h"

enum { MAX_OPERATIONS = 256 };

struct reader {
	const uint8_t *p, *end;
};

/* False: not enough left. */
static bool take(struct reader *r, void *out, size_t n) {
	if ((size_t)(r->end - r->p) < n) {
		return false;
	}
	memcpy(out, r->p, n);
	r->p += n;
	return true;
}

static void ring(const struct box_client *c) {
	ssize_t n = write(c->bell_out, "", 1);
	(void)n;
}

static bool submit(struct box_client *c, struct reader *r) {
	struct pica_job job;
	if (!take(r, &job, sizeof(job))) {
		return false;
	}
	if (job.flags & 0x8000) {
		job.flags &= 0x7FFF;
		job.handle = c->context + (job.handle & 1);
		/* Where memory is expected, mostly some is. */
		if (job.op == PICA_OP_WRITE) {
			job.u.write.data = (uint64_t)c->staging_handle << 32 |
					(job.u.write.data & 0x1FFFF);
		} else if (job.op == PICA_OP_STATS) {
			job.u.stats.data = (uint64_t)c->staging_handle << 32 |
					(job.u.stats.data & 0x1FFF8);
		} else if (job.op == PICA_OP_WAIT) {
			job.u.wait.context = c->context + (job.u.wait.context & 1);
		}
	}
	c->sq[c->sq_tail++ & (c->sq_entries - 1)] = job;
	return true;
}

static bool set_word(struct box_client *c, struct reader *r) {
	uint8_t which;
	uint32_t value;
	if (!take(r, &which, 1) || !take(r, &value, 4)) {
		return false;
	}
	static const uint16_t at[] = { 0, 64, 68, 128, 192, 196, 200, 256, 768 };
	memcpy((uint8_t *)c->control + at[which % 9], &value, sizeof(value));
	return true;
}

static bool set_memory(struct box_client *c, struct reader *r) {
	uint8_t window, n;
	uint16_t offset;
	if (!take(r, &window, 1) || !take(r, &offset, 2) || !take(r, &n, 1)) {
		return false;
	}
	uint8_t *base = window & 1 ? c->window[1] : c->window[0];
	return take(r, base + (uint32_t)(window >> 6) * 0x10000 + offset % 0xFF00, n);
}

static void create_context(const struct box_client *c) {
	const struct pica_msg_context_create m = {
		.head = { PICA_MESSAGE_MAGIC, PICA_MSG_CONTEXT_CREATE, 0, sizeof(m), 7 }
	};
	ssize_t sent = send(c->sock, &m, sizeof(m), MSG_NOSIGNAL | MSG_DONTWAIT);
	(void)sent; /* it may have hung up */
}

static bool operate(struct box_client *c, struct reader *r) {
	uint8_t op;
	if (!take(r, &op, 1)) {
		return false;
	}
	switch (op % 7) {
	case 0:
		return submit(c, r);
	case 1:
		return set_word(c, r);
	case 2:
		__atomic_store_n(&c->control->sq_tail, c->sq_tail, __ATOMIC_RELEASE);
		ring(c);
		return true;
	case 3:
		box_settle();
		return true;
	case 4:
		__atomic_store_n(&c->control->cq_head,
				__atomic_load_n(&c->control->cq_tail, __ATOMIC_ACQUIRE),
				__ATOMIC_RELEASE);
		ring(c);
		return true;
	case 5:
		return set_memory(c, r);
	default:
		create_context(c);
		return true;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	struct reader r = { data, data + size };
	struct box_client c;
	box_client_open(&c);
	for (unsigned i = 0; i < MAX_OPERATIONS && operate(&c, &r); i++) {
	}
	box_settle();
	box_drain(c.sock);
	box_client_close(&c);
	box_check_empty();
	return 0;
}
