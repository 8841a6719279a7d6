/*
 * Command lists and other jobs through a session, and the same through a context of libpica. An
 * input is
 *
 *	u8      jobs (bits 0-1) after the list
 *	jobs    32 bytes each: u16 operation, u16 unused, 7 words of arguments
 *	list    the rest, at 0x20000000; beyond 64 KiB it is vertices and texels
 *
 * Results, registers and memory must be the same.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service_box.h"

enum { MAX_JOBS = 4, LIST_BYTES = 0x10000, JOB_BYTES = 32 };

static struct pica_ctx *direct;
static uint8_t *direct_window[BOX_WINDOWS], *noise;
static const uint32_t phys[BOX_WINDOWS] = { BOX_VRAM, BOX_FCRAM };

static void *memory_new(void) {
	void *p = aligned_alloc(4096, BOX_WINDOW_BYTES);
	FUZZ_CHECK(p);
	return p;
}

/* Opens a new context, so that registers and tables are the same for every input. */
static void open_direct(void) {
	static struct pica_device *device;
	struct pica_ctx_settings c;
	if (!device) {
		struct pica_settings s;
		pica_settings_init(&s);
		s.texture_cache_bytes = 1 << 20;
		FUZZ_CHECK(pica_device_create(&device, &s) == 0);
		noise = memory_new();
		uint64_t x = 88172645463325252;
		for (size_t i = 0; i < BOX_WINDOW_BYTES; i += 4) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			uint32_t w = (uint32_t)(x >> 32);
			memcpy(noise + i, &w, sizeof(w));
		}
		direct_window[0] = memory_new();
		direct_window[1] = memory_new();
	}
	pica_ctx_settings_init(&c);
	c.fcram_bytes = c.vram_bytes = 0;
	c.budgets = box_budgets;
	FUZZ_CHECK(pica_ctx_create(&direct, device, &c) == 0);
	for (unsigned i = 0; i < BOX_WINDOWS; i++) {
		FUZZ_CHECK(pica_ctx_map(direct, phys[i], BOX_WINDOW_BYTES, direct_window[i], 0) ==
				0);
	}
}

static struct pica_job make_job(const uint8_t *bytes) {
	static const uint16_t ops[] = { PICA_OP_FILL, PICA_OP_TRANSFER, PICA_OP_COPY,
		PICA_OP_REG_WRITE, PICA_OP_INVALIDATE, PICA_OP_PRESENT, PICA_OP_BARRIER,
		PICA_OP_LIST };
	static const uint8_t words[] = { 5, 5, 5, 3, 2, 2, 0, 2 };
	const unsigned kind = bytes[0] % (sizeof(ops) / sizeof(ops[0]));
	struct pica_job job = { .op = ops[kind] };
	memcpy(job.u.args, bytes + 4, 4 * words[kind]);
	return job;
}

/* Both memories: noise, and the list. */
static void fill_memory(
		uint8_t *const window[BOX_WINDOWS], const uint8_t *list, size_t size_bytes) {
	memcpy(window[0], noise, BOX_WINDOW_BYTES);
	memcpy(window[1], noise, BOX_WINDOW_BYTES);
	memset(window[1], 0, LIST_BYTES);
	memcpy(window[1], list, size_bytes);
}

static struct pica_done run_direct(const struct pica_job *job) {
	struct pica_done done = { .result = 0 };
	uint64_t seq;
	int ret = pica_submit(direct, job, 1, &seq);
	if (ret < 0) {
		return (struct pica_done){ .result = ret };
	}
	FUZZ_CHECK(pica_wait(direct, seq, -1) == 0 && pica_reap(direct, &done, 1) == 1);
	return done;
}

static struct pica_done run_served(struct box_client *c, const struct pica_job *job) {
	struct pica_job *slot = &c->sq[c->sq_tail++ & (c->sq_entries - 1)];
	*slot = *job;
	slot->handle = c->context;
	__atomic_store_n(&c->control->sq_tail, c->sq_tail, __ATOMIC_RELEASE);
	ssize_t n = write(c->bell_out, "", 1);
	FUZZ_CHECK(n == 1);
	for (unsigned i = 0; i < 100 &&
			__atomic_load_n(&c->control->cq_tail, __ATOMIC_ACQUIRE) == c->cq_head;
			i++) {
		box_settle();
	}
	FUZZ_CHECK(__atomic_load_n(&c->control->cq_tail, __ATOMIC_ACQUIRE) == c->cq_head + 1);
	struct pica_done done = c->cq[c->cq_head++ & (c->cq_entries - 1)];
	__atomic_store_n(&c->control->cq_head, c->cq_head, __ATOMIC_RELEASE);
	return done;
}

static void compare_registers(struct box_client *c) {
	struct pica_msg_query q = { .head = { PICA_MESSAGE_MAGIC, PICA_MSG_READ_REGS, 0, sizeof(q),
						    3 },
		.context = c->context,
		.count = PICA_REG_COUNT };
	uint32_t regs[PICA_REG_COUNT];
	union {
		struct pica_msg_words head;
		uint8_t bytes[PICA_MESSAGE_MAX];
	} answer;
	FUZZ_CHECK(send(c->sock, &q, sizeof(q), MSG_NOSIGNAL) == (ssize_t)sizeof(q));
	box_settle();
	FUZZ_CHECK(recv(c->sock, &answer, sizeof(answer), MSG_DONTWAIT) ==
			(ssize_t)(sizeof(answer.head) + sizeof(regs)));
	FUZZ_CHECK(pica_ctx_read_regs(direct, 0, PICA_REG_COUNT, regs) == 0);
	FUZZ_CHECK(memcmp(answer.bytes + sizeof(answer.head), regs, sizeof(regs)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	struct pica_job job[MAX_JOBS];
	struct box_client c;
	if (size < 1) {
		return 0;
	}
	unsigned n = 1;
	const uint8_t *p = data + 1, *end = data + size;
	for (unsigned i = 0; i < (data[0] & 3u) && end - p >= JOB_BYTES; i++, p += JOB_BYTES) {
		job[n++] = make_job(p);
	}
	size_t list_bytes = (size_t)(end - p) < 2 * LIST_BYTES ? (size_t)(end - p) : 2 * LIST_BYTES;
	job[0] = (struct pica_job){ .op = PICA_OP_LIST };
	job[0].u.list.addr = BOX_FCRAM;
	job[0].u.list.size_bytes =
			(uint32_t)(list_bytes < LIST_BYTES ? list_bytes & ~(size_t)7 : LIST_BYTES);
	open_direct();
	box_client_open(&c);
	fill_memory(direct_window, p, list_bytes);
	fill_memory(c.window, p, list_bytes);
	for (unsigned i = 0; i < n; i++) {
		struct pica_done a = run_direct(&job[i]), b = run_served(&c, &job[i]);
		FUZZ_CHECK(a.result == b.result);
		FUZZ_CHECK(a.flags == b.flags || a.result == -EINVAL);
	}
	compare_registers(&c);
	for (unsigned i = 0; i < BOX_WINDOWS; i++) {
		FUZZ_CHECK(memcmp(direct_window[i], c.window[i], BOX_WINDOW_BYTES) == 0);
	}
	pica_ctx_destroy(direct);
	box_client_close(&c);
	box_check_empty();
	return 0;
}
