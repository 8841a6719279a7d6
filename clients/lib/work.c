/* Submissions and completions, and requests that read a context. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "core/base/attributes.h"

/* ---- Jobs in flight: completed with -ECONNRESET if the service dies ---- */

static int reserve_flight(struct pica_client *c, uint32_t n) {
	if (n <= c->cap_flight - c->n_flight) {
		return 0;
	}
	uint32_t cap = c->cap_flight ? c->cap_flight : 256;
	while (cap - c->n_flight < n) {
		cap *= 2;
	}
	uint64_t *grown = realloc(c->flight, cap * sizeof(*grown));
	if (!grown) {
		return -ENOMEM;
	}
	c->flight = grown;
	c->cap_flight = cap;
	return 0;
}

static void landed(struct pica_client *c, uint64_t user_data) {
	for (uint32_t i = 0; i < c->n_flight; i++) { /* nearly always the first ones */
		if (c->flight[i] == user_data) {
			c->n_flight--;
			memmove(&c->flight[i], &c->flight[i + 1],
					(c->n_flight - i) * sizeof(*c->flight));
			return;
		}
	}
}

/* ---- Work ---- */

PICA_EXPORT struct pica_job *pica_client_slot(struct pica_client_ctx *ctx) {
	struct pica_client *c = ctx->client;
	if (c->is_lost) {
		return NULL;
	}
	struct pica_job *job = ring_client_slot(&c->ring);
	if (job) {
		job->handle = ctx->handle;
	}
	return job;
}

/* Writes a byte; a SIGPIPE of this write does not reach the program. */
static void write_bell(struct pica_client *c) {
	static const struct timespec at_once;
	sigset_t pipe_signal, before, pending;
	sigemptyset(&pipe_signal);
	sigaddset(&pipe_signal, SIGPIPE);
	sigpending(&pending);
	const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
	pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
	if (write(c->bell_out, "", 1) < 0 && errno == EPIPE && !was_pending) {
		while (sigtimedwait(&pipe_signal, NULL, &at_once) < 0 && errno == EINTR) {
		}
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	c->counters.system_calls += 3;
}

static void ring_bell(struct pica_client *c) {
	c->counters.bells++;
	c->counters.system_calls++;
	if (c->bell_reader < 0) {
		write_bell(c);
		return;
	}
	ssize_t n = write(c->bell_out, "", 1);
	(void)n; /* a full bell rings already; the socket reports a dead service */
}

PICA_EXPORT int pica_client_submit(struct pica_client *c) {
	client_clear_error(c);
	uint32_t n = c->is_lost ? 0 : ring_client_pending(&c->ring);
	if (c->is_lost) {
		return -ECONNRESET;
	}
	if (reserve_flight(c, n) < 0) {
		return -ENOMEM; /* nothing was submitted: the caller may try again */
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = (c->ring.sq_shown + i) & (c->ring.sq_entries - 1);
		c->flight[c->n_flight++] = c->ring.sq[at].user_data;
	}
	c->counters.submits += n > 0;
	c->counters.submitted += n;
	if (ring_client_publish(&c->ring)) {
		ring_bell(c);
	}
	return (int)n;
}

/* Completes jobs that the dead service will not answer. */
static int take_lost(struct pica_client *c, struct pica_done *done, size_t n) {
	size_t got = 0;
	while (got < n && c->n_flight) {
		done[got++] = (struct pica_done){ .user_data = c->flight[0],
			.result = -ECONNRESET };
		landed(c, c->flight[0]);
	}
	return got ? (int)got : -ECONNRESET;
}

static void drain_bell(struct pica_client *c) {
	char bells[64];
	do {
		c->counters.system_calls++;
	} while (read(c->bell_in, bells, sizeof(bells)) == (ssize_t)sizeof(bells));
}

/* Reads notices: the end of the session. */
static void read_socket(struct pica_client *c) {
	struct sock_message m;
	int ret;
	while (c->counters.system_calls++, (ret = sock_receive(c->sock, &m)) == 1) {
		client_take_notice(c, &m);
		sock_drop(&m);
	}
	if (ret != -EAGAIN) {
		client_lost(c);
	}
}

/*
 * Takes up to n completions from the stash or the ring, also those from before the service died,
 * without a system call.
 */
static size_t pop(struct pica_client *c, struct pica_done *done, size_t n) {
	size_t got = n < c->n_stash ? n : c->n_stash;
	if (got) {
		memcpy(done, c->stash, got * sizeof(*done));
		c->n_stash -= (uint32_t)got;
		memmove(c->stash, c->stash + got, c->n_stash * sizeof(*c->stash));
		c->counters.completed += got;
		return got;
	}
	while (got < n && c->ring_base) {
		int ret = ring_client_pop(&c->ring, &done[got]);
		if (ret < 0) {
			client_set_error(c, "invalid completions in the ring");
			client_lost(c);
		}
		if (ret <= 0) {
			break;
		}
		landed(c, done[got++].user_data);
	}
	c->counters.completed += got;
	if (got && !c->is_lost && ring_client_reaped(&c->ring)) {
		ring_bell(c);
	}
	return got;
}

int work_stash(struct pica_client *c) {
	uint32_t want = c->n_stash + c->n_flight;
	if (want > c->cap_stash) {
		struct pica_done *grown = realloc(c->stash, want * sizeof(*grown));
		if (!grown) {
			return -ENOMEM;
		}
		c->stash = grown;
		c->cap_stash = want;
	}
	while (c->n_flight && c->ring_base &&
			ring_client_pop(&c->ring, &c->stash[c->n_stash]) == 1) {
		uint32_t before = c->n_flight;
		landed(c, c->stash[c->n_stash].user_data);
		c->n_stash += c->n_flight < before; /* else it was never submitted */
	}
	for (uint32_t i = 0; i < c->n_flight; i++) {
		c->stash[c->n_stash++] = (struct pica_done){ .user_data = c->flight[i],
			.result = -ECONNRESET };
	}
	c->n_flight = 0;
	return 0;
}

/* Asks the service to ring after n completions. Returns false if they are there already. */
static bool fall_asleep(struct pica_client *c, size_t n) {
	c->is_asleep = ring_client_sleep(&c->ring, (uint32_t)n, false);
	return c->is_asleep;
}

/* Withdraws that request. */
static void wake_up(struct pica_client *c) {
	if (c->is_asleep) {
		c->is_asleep = false;
		ring_client_awake(&c->ring);
		drain_bell(c);
	}
}

PICA_EXPORT int pica_client_peek(struct pica_client *c, struct pica_done *done, size_t n) {
	size_t got;
	client_clear_error(c);
	wake_up(c);
	do {
		got = pop(c, done, n);
		if (got == 0 && !c->is_lost) {
			read_socket(c);
			got = c->is_lost ? pop(c, done, n) : 0;
		}
	} while (n && got == 0 && !c->is_lost && !fall_asleep(c, 1) &&
			!ring_client_is_dead(&c->ring));
	return got || !c->is_lost ? (int)got : take_lost(c, done, n);
}

/* Sleeps until the bell rings, the socket has a message, or the deadline. Returns 0 or -errno. */
static int rest(struct pica_client *c, uint64_t deadline) {
	struct pollfd p[2] = { { .fd = c->bell_in, .events = POLLIN },
		{ .fd = c->sock, .events = POLLIN } };
	c->counters.sleeps++;
	c->counters.system_calls++;
	const int ret = client_poll(p, 2, deadline);
	if (ret < 0) {
		return ret;
	}
	if (ret > 0 && p[0].revents) {
		drain_bell(c);
	}
	if (ret > 0 && p[1].revents) {
		read_socket(c);
	}
	return 0;
}

PICA_EXPORT int pica_client_wait_many(struct pica_client *c, struct pica_done *done, size_t n,
		size_t least, int64_t timeout_ns) {
	const uint64_t deadline = client_deadline(timeout_ns);
	bool is_late = false;
	size_t got = 0;
	client_clear_error(c);
	if (n == 0) {
		return 0;
	}
	const bool was_asleep = c->is_asleep;
	least = least < n ? least : n;
	wake_up(c);
	for (;;) {
		got += pop(c, done + got, n - got);
		if (c->is_lost && (got == 0 || got < least)) {
			int lost = take_lost(c, done + got, n - got);
			return lost > 0 ? (int)got + lost : got ? (int)got : lost;
		}
		if (got && (got >= least || c->n_flight == 0 || is_late)) {
			return (int)got;
		}
		const bool is_idle = least == 0 || c->n_flight == 0;
		if (is_idle || is_late) {
			/* A later poll() must wake up, as after a peek without a result. */
			const bool must_ring = !is_idle || was_asleep;
			if (must_ring && !fall_asleep(c, 1) && !ring_client_is_dead(&c->ring)) {
				continue;
			}
			return is_idle ? -ENOENT : -ETIME;
		}
		/* A service that marks itself dead closes the socket, which wakes us. */
		size_t more = least - got < c->n_flight ? least - got : c->n_flight;
		/* The ring holds no more than this. */
		more = more < c->ring.cq_entries ? more : c->ring.cq_entries;
		if (!fall_asleep(c, more) && !ring_client_is_dead(&c->ring)) {
			continue;
		}
		int ret = rest(c, deadline);
		c->is_asleep = false;
		ring_client_awake(&c->ring);
		if (ret < 0) {
			return got ? (int)got : ret;
		}
		is_late = client_is_late(deadline);
	}
}

PICA_EXPORT int pica_client_wait(
		struct pica_client *c, struct pica_done *done, size_t n, int64_t timeout_ns) {
	return pica_client_wait_many(c, done, n, 1, timeout_ns);
}

PICA_EXPORT int pica_client_wait_slot(struct pica_client *c, int64_t timeout_ns) {
	const uint64_t deadline = client_deadline(timeout_ns);
	bool is_late = false;
	client_clear_error(c);
	for (;;) {
		if (c->is_lost) {
			return -ECONNRESET;
		}
		if (ring_client_has_slot(&c->ring)) {
			return 0;
		}
		if (ring_client_pending(&c->ring) == c->ring.sq_entries) {
			return -ENOENT;
		}
		if (ring_client_must_reap(&c->ring)) {
			return -EBUSY;
		}
		if (is_late) {
			return -ETIME;
		}
		wake_up(c);
		/* Only a free slot ends the sleep, not completions. */
		if (!ring_client_sleep(&c->ring, UINT32_MAX, true) &&
				!ring_client_is_dead(&c->ring)) {
			continue;
		}
		int ret = rest(c, deadline);
		ring_client_awake(&c->ring);
		if (ret < 0) {
			return ret;
		}
		is_late = client_is_late(deadline);
	}
}

PICA_EXPORT uint32_t pica_client_in_flight(const struct pica_client *c) {
	return c->n_flight + c->n_stash;
}

PICA_EXPORT int pica_client_counters(
		const struct pica_client *c, struct pica_client_counters *out) {
	if (out->size != sizeof(*out)) {
		return -EINVAL;
	}
	*out = c->counters;
	out->size = sizeof(*out);
	return 0;
}

PICA_EXPORT uint64_t pica_client_timeline(const struct pica_client_ctx *ctx) {
	return ctx->client->ring_base ? ring_client_timeline(&ctx->client->ring, ctx->slot) : 0;
}

PICA_EXPORT uint64_t pica_client_completed(const struct pica_client_ctx *ctx) {
	return ctx->client->ring_base ? ring_client_completed(&ctx->client->ring, ctx->slot) : 0;
}

PICA_EXPORT int pica_client_event(struct pica_client *c, struct pica_event *event) {
	return c->ring_base ? ring_client_event(&c->ring, event) : 0;
}

/* ---- Reading a context ---- */

/* Frees the memory of a request, and keeps the message of a failure. */
static int end_transfer(struct pica_client_memory *memory, int ret) {
	struct pica_client *c = memory->client;
	char message[PICA_TEXT_BYTES];
	memcpy(message, c->error, sizeof(message));
	int freed = pica_client_free(memory);
	return ret < 0 ? client_refuse(c, ret, message) : freed;
}

/* A request that transfers bytes through memory allocated for it alone. in or out may be NULL. */
static int transfer(struct pica_client_ctx *ctx, enum pica_message_type type,
		const uint32_t args[8], const void *in, void *out, uint32_t size_bytes) {
	struct pica_client *c = ctx->client;
	struct pica_client_memory *memory;
	struct pica_msg_transfer m;
	struct pica_msg_done answer;
	uint32_t pages = (size_bytes + 4095) & ~4095u;
	int ret = pica_client_alloc(&memory, c, pages ? pages : 4096);
	if (ret < 0) {
		return ret;
	}
	if (in) {
		memcpy(memory->host, in, size_bytes);
	}
	memset(&m, 0, sizeof(m));
	m.head.type = (uint16_t)type;
	m.context = ctx->handle;
	m.region = memory->handle;
	m.size_bytes = size_bytes;
	if (args) {
		memcpy(m.args, args, sizeof(m.args));
	}
	ret = client_request(c, &m, sizeof(m), -1, PICA_MSG_DONE, &answer, sizeof(answer), NULL);
	if (ret == 0 && out) {
		memcpy(out, memory->host, size_bytes);
	}
	return end_transfer(memory, ret);
}

PICA_EXPORT int pica_client_load_state(
		struct pica_client_ctx *ctx, const struct pica_state *state) {
	return transfer(ctx, PICA_MSG_LOAD_STATE, NULL, state, NULL, sizeof(*state));
}

PICA_EXPORT int pica_client_save_state(struct pica_client_ctx *ctx, struct pica_state *state) {
	return transfer(ctx, PICA_MSG_SAVE_STATE, NULL, NULL, state, sizeof(*state));
}

static int query(struct pica_client_ctx *ctx, enum pica_message_type type, uint32_t first,
		uint32_t count, enum pica_message_type answer_type, void *answer,
		size_t answer_bytes) {
	struct pica_msg_query m;
	memset(&m, 0, sizeof(m));
	m.head.type = (uint16_t)type;
	m.context = ctx->handle;
	m.first = first;
	m.count = count;
	return client_request(
			ctx->client, &m, sizeof(m), -1, answer_type, answer, answer_bytes, NULL);
}

static int read_words(struct pica_client_ctx *ctx, enum pica_message_type type, uint32_t first,
		uint32_t n, uint32_t *out) {
	struct {
		struct pica_msg_words head;
		uint32_t words[PICA_REG_COUNT];
	} answer;
	if (n > PICA_REG_COUNT) {
		return client_refuse(ctx->client, -EINVAL, "too many registers");
	}
	int ret = query(ctx, type, first, n, PICA_MSG_WORDS, &answer, sizeof(answer));
	if (ret == 0 && answer.head.count != n) {
		ret = -EPROTO;
	}
	if (ret == 0) {
		memcpy(out, answer.words, n * sizeof(*out));
	}
	return ret;
}

PICA_EXPORT int pica_client_read_regs(
		struct pica_client_ctx *ctx, uint32_t first, uint32_t n, uint32_t *out) {
	return read_words(ctx, PICA_MSG_READ_REGS, first, n, out);
}

PICA_EXPORT int pica_client_read_external(
		struct pica_client_ctx *ctx, uint32_t addr, uint32_t *value) {
	return read_words(ctx, PICA_MSG_READ_EXTERNAL, addr, 1, value);
}

PICA_EXPORT int pica_client_screen(
		struct pica_client_ctx *ctx, enum pica_screen_id screen, struct pica_screen *out) {
	struct pica_msg_screen_info m;
	int ret = query(ctx, PICA_MSG_SCREEN, screen, 0, PICA_MSG_SCREEN_INFO, &m, sizeof(m));
	if (ret == 0) {
		*out = (struct pica_screen){ .width = m.width,
			.height = m.height,
			.is_set = (int)m.is_set,
			.has_right = (int)m.has_right,
			.is_solid = (int)m.is_solid,
			.addr = m.addr,
			.format = m.format };
	}
	return ret;
}

static int read_rows(struct pica_client_ctx *ctx, enum pica_message_type type,
		const uint32_t args[8], uint8_t *out, size_t stride, uint32_t row_bytes,
		uint32_t n) {
	uint8_t *rows = malloc((size_t)row_bytes * n);
	if (!rows) {
		return -ENOMEM;
	}
	int ret = transfer(ctx, type, args, NULL, rows, row_bytes * n);
	for (uint32_t y = 0; ret == 0 && y < n; y++) {
		memcpy(out + y * stride, rows + (size_t)y * row_bytes, row_bytes);
	}
	free(rows);
	return ret;
}

PICA_EXPORT int pica_client_read_screen(struct pica_client_ctx *ctx, enum pica_screen_id screen,
		enum pica_eye eye, uint8_t *rgb, size_t stride_bytes) {
	struct pica_screen info;
	int ret = pica_client_screen(ctx, screen, &info);
	if (ret < 0) {
		return ret;
	}
	if (stride_bytes < 3 * (size_t)info.width || info.width > 1024 || info.height > 1024) {
		return client_refuse(ctx->client, -EINVAL, "rows are longer than the stride");
	}
	const uint32_t args[8] = { screen, eye, 3 * info.width };
	return read_rows(ctx, PICA_MSG_READ_SCREEN, args, rgb, stride_bytes, 3 * info.width,
			info.height);
}

PICA_EXPORT int pica_client_read_surface(struct pica_client_ctx *ctx, uint32_t phys,
		uint32_t format, uint32_t width, uint32_t height, uint8_t *rgba,
		size_t stride_bytes) {
	if (width > 2048 || height > 2048) {
		return client_refuse(ctx->client, -EINVAL, "a side is longer than 2048");
	}
	if (stride_bytes < 4 * (size_t)width) {
		return client_refuse(ctx->client, -EINVAL, "rows are longer than the stride");
	}
	const uint32_t args[8] = { phys, format, width, height, 4 * width };
	return read_rows(ctx, PICA_MSG_READ_SURFACE, args, rgba, stride_bytes, 4 * width, height);
}

PICA_EXPORT int pica_client_stats(struct pica_client_ctx *ctx, struct pica_stats *out) {
	struct pica_client *c = ctx->client;
	struct pica_client_memory *memory;
	if (out->size != sizeof(*out)) {
		return client_refuse(c, -EINVAL, "wrong size of the statistics");
	}
	if (c->n_flight || c->n_stash || (!c->is_lost && ring_client_pending(&c->ring))) {
		/* Its completion would be mixed with the caller's. */
		return client_refuse(c, -EBUSY, "jobs are in flight");
	}
	int ret = pica_client_alloc(&memory, c, 4096);
	if (ret < 0) {
		return ret;
	}
	struct pica_job *job = pica_client_slot(ctx);
	ret = job ? 0 : -ECONNRESET;
	if (job) {
		struct pica_done done;
		job->op = PICA_OP_STATS;
		job->u.stats.data = pica_client_data(memory, 0);
		job->u.stats.size_bytes = sizeof(*out);
		ret = pica_client_submit(c);
		ret = ret < 0 ? ret : pica_client_wait(c, &done, 1, -1);
		ret = ret < 0 ? ret : done.result;
	}
	if (ret == 0) {
		memcpy(out, memory->host, sizeof(*out));
	}
	return end_transfer(memory, ret);
}
