/*
 * client-edges PICAD LOOP: tests libpica-client with full queues, stopped services, and a service
 * that dies before or within each of the library's calls.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemon.h"
#include "pica_client.h"
#include "raw.h"

enum {
	SLOTS = 8,           /* and 16 places for completions */
	VRAM = 0x18000000,
	NAP_MS = 30,
	MAX_FLIGHT = 3 * SLOTS,
};

/* A number and not an enum: times in nanoseconds are longer than an int. */
#define PATIENCE_NS (RAW_PATIENCE_MS * INT64_C(1000000))
#define NAP_NS (NAP_MS * INT64_C(1000000))

static struct daemon *service;
static struct pica_client *client;
static struct pica_client_ctx *ctx, *other;
static struct pica_client_memory *vram;
static struct pica_job *last_put; /* that was put last */
static uint64_t awaited = 1; /* on the timeline of `other` */

/*
 * The kernel ends the io_uring of a killed process after the process, and keeps polled sockets open
 * until then: a client that connects meanwhile reaches no service.
 */
static bool is_passing(int ret) {
	return ret == -ECONNRESET || ret == -ECONNREFUSED || ret == -ENOENT;
}

static bool open_client(void) {
	struct pica_client_settings settings;
	pica_client_settings_init(&settings);
	settings.sq_entries = SLOTS;
	int ret;
	const int64_t end = raw_now_ms() + RAW_PATIENCE_MS;
	do {
		ret = pica_client_connect(&client, service->socket, &settings, NULL);
	} while (is_passing(ret) && raw_now_ms() < end);
	EXPECT(ret == 0);
	EXPECT(pica_client_ctx_create(&ctx, client, NULL) == 0);
	EXPECT(pica_client_ctx_create(&other, client, NULL) == 0);
	EXPECT(pica_client_map(&vram, ctx, VRAM, 4096, 0) == 0);
	return true;
}

static bool put(struct pica_client_ctx *c, uint16_t op, uint64_t user_data) {
	struct pica_job *job = pica_client_slot(c);
	if (!job) {
		return false;
	}
	last_put = job;
	job->op = op;
	job->user_data = user_data;
	if (op == PICA_OP_WAIT) {
		job->u.wait.context = pica_client_ctx_handle(other);
		job->u.wait.value = awaited;
	} else if (op == PICA_OP_SIGNAL) {
		job->u.signal.value = awaited;
	}
	return true;
}

static bool fill_queue(void) {
	for (unsigned i = 0; i < SLOTS; i++) {
		EXPECT(put(ctx, PICA_OP_BARRIER, i));
	}
	EXPECT(!put(ctx, PICA_OP_BARRIER, 99));
	return true;
}

static bool in_order(const struct pica_done *done, unsigned n, uint64_t first) {
	for (unsigned i = 0; i < n; i++) {
		EXPECT(done[i].user_data == first + i);
		EXPECT(done[i].result == 0);
	}
	return true;
}

/* ---- Full queues ---- */

/* Nothing completes before the job that has no slot yet. */
static bool slots_become_free_without_completions(void) {
	struct pica_done done[SLOTS + 1];
	for (awaited = 1; awaited <= 200; awaited++) {
		EXPECT(put(ctx, PICA_OP_WAIT, 0));
		for (unsigned i = 1; i < SLOTS; i++) {
			EXPECT(put(ctx, PICA_OP_BARRIER, i));
		}
		EXPECT(pica_client_wait_slot(client, PATIENCE_NS) == -ENOENT);
		EXPECT(pica_client_submit(client) == SLOTS);
		EXPECT(pica_client_wait_slot(client, PATIENCE_NS) == 0);
		EXPECT(pica_client_wait(client, done, 1, 0) == -ETIME);
		EXPECT(put(other, PICA_OP_SIGNAL, 77));
		EXPECT(pica_client_submit(client) == 1);
		EXPECT(pica_client_wait_many(client, done, SLOTS + 1, SLOTS + 1, PATIENCE_NS) ==
				SLOTS + 1);
		EXPECT(done[0].user_data == 77 || done[0].user_data == 0);
	}
	return true;
}

static bool a_stopped_service_is_waited_for(void) {
	struct pica_done done[SLOTS];
	EXPECT(kill(service->pid, SIGSTOP) == 0);
	EXPECT(fill_queue());
	EXPECT(pica_client_submit(client) == SLOTS);
	EXPECT(!put(ctx, PICA_OP_BARRIER, 99));
	int64_t begin = raw_now_ms();
	EXPECT(pica_client_wait_slot(client, 0) == -ETIME);
	EXPECT(pica_client_wait(client, done, SLOTS, 0) == -ETIME);
	EXPECT(pica_client_peek(client, done, SLOTS) == 0);
	EXPECT(raw_now_ms() - begin < RAW_PATIENCE_MS / 2);
	begin = raw_now_ms();
	EXPECT(pica_client_wait_slot(client, NAP_NS) == -ETIME);
	EXPECT(raw_now_ms() - begin >= NAP_MS);
	EXPECT(pica_client_wait(client, done, SLOTS, NAP_NS) == -ETIME);
	EXPECT(pica_client_wait_many(client, done, SLOTS, SLOTS, NAP_NS) == -ETIME);
	EXPECT(raw_now_ms() - begin >= 3 * NAP_MS);
	EXPECT(pica_client_in_flight(client) == SLOTS);
	EXPECT(kill(service->pid, SIGCONT) == 0);
	EXPECT(pica_client_wait_slot(client, PATIENCE_NS) == 0);
	EXPECT(pica_client_wait_many(client, done, SLOTS, SLOTS, PATIENCE_NS) == SLOTS);
	EXPECT(in_order(done, SLOTS, 0));
	return true;
}

/* Twice the number of slots fits; then the service takes no more. */
static bool fill_everything(unsigned sent) {
	int ret = 0;
	while (ret == 0 && sent <= MAX_FLIGHT) {
		while (put(ctx, PICA_OP_BARRIER, sent)) {
			sent++;
		}
		EXPECT(pica_client_submit(client) >= 0);
		ret = pica_client_wait_slot(client, PATIENCE_NS);
	}
	EXPECT(ret == -EBUSY);
	EXPECT(sent == MAX_FLIGHT);
	return true;
}

static bool full_completions_stop_the_client_alone(void) {
	struct pica_done done[MAX_FLIGHT];
	EXPECT(fill_everything(0));
	EXPECT(pica_client_wait_slot(client, 0) == -EBUSY);
	EXPECT(pica_client_wait(client, done, 1, PATIENCE_NS) == 1);
	EXPECT(in_order(done, 1, 0));
	/* That made room for one. */
	EXPECT(pica_client_wait_slot(client, PATIENCE_NS) == 0);
	EXPECT(put(ctx, PICA_OP_BARRIER, MAX_FLIGHT));
	EXPECT(pica_client_submit(client) == 1);
	EXPECT(pica_client_wait_many(client, done, MAX_FLIGHT, MAX_FLIGHT, PATIENCE_NS) ==
			MAX_FLIGHT);
	EXPECT(in_order(done, MAX_FLIGHT, 1));
	EXPECT(pica_client_wait(client, done, 1, PATIENCE_NS) == -ENOENT);
	return true;
}

/* Sleeps until the ring is full, takes all of it, and sleeps for the others. */
static bool more_than_the_ring_holds_can_be_waited_for(void) {
	struct pica_done done[MAX_FLIGHT];
	EXPECT(put(ctx, PICA_OP_WAIT, 0));
	last_put->u.wait.value = UINT64_MAX;
	last_put->u.wait.timeout_ns = 10 * NAP_NS;
	EXPECT(fill_everything(1));
	EXPECT(pica_client_wait_many(client, done, MAX_FLIGHT, MAX_FLIGHT, PATIENCE_NS) ==
			MAX_FLIGHT);
	EXPECT(done[0].result == -ETIME);
	EXPECT(in_order(done + 1, MAX_FLIGHT - 1, 1));
	return true;
}

/* ---- The descriptor ---- */

/* After a peek that found nothing, later completions ring, whichever of these is called. */
static bool waits_that_find_nothing_leave_the_bell_on(void) {
	static const struct {
		int64_t timeout_ns; /* < 0: not called */
		size_t least;
		bool is_in_flight, is_peeked, has_slot_call;
	} way[] = {
		{ -1, 0, true, true, false }, { 0, 1, true, true, false },
		{ NAP_NS, 1, true, true, false }, { NAP_NS, 2, true, true, false },
		{ 0, 1, true, false, false }, { 0, 1, false, true, false },
		{ 0, 0, true, true, false }, { -1, 0, true, true, true },
	};
	struct pica_done done[2];
	struct pollfd p = { .fd = pica_client_fd(client), .events = POLLIN };
	for (unsigned i = 0; i < sizeof(way) / sizeof(way[0]); i++) {
		if (way[i].is_in_flight) {
			EXPECT(put(ctx, PICA_OP_WAIT, 1));
			EXPECT(pica_client_submit(client) == 1);
		}
		EXPECT(!way[i].is_peeked || pica_client_peek(client, done, 2) == 0);
		if (way[i].timeout_ns >= 0) {
			const int ret = pica_client_wait_many(
					client, done, 2, way[i].least, way[i].timeout_ns);
			EXPECT(ret == (way[i].is_in_flight && way[i].least ? -ETIME : -ENOENT));
		}
		EXPECT(!way[i].has_slot_call || pica_client_wait_slot(client, NAP_NS) == 0);
		EXPECT(put(other, PICA_OP_SIGNAL, 2));
		EXPECT(pica_client_submit(client) == 1);
		EXPECT(poll(&p, 1, RAW_PATIENCE_MS) == 1);
		for (int left = 1 + way[i].is_in_flight; left > 0;) {
			const int n = pica_client_wait(client, done, 2, PATIENCE_NS);
			EXPECT(n > 0);
			left -= n;
		}
		awaited++;
	}
	return true;
}

/* ---- A process that has no descriptors left ---- */

static bool have_free(int n, struct rlimit *before) {
	const int first = dup(STDOUT_FILENO);
	EXPECT(first >= 0 && close(first) == 0 && getrlimit(RLIMIT_NOFILE, before) == 0);
	const struct rlimit few = { (rlim_t)(first + n), before->rlim_max };
	EXPECT(setrlimit(RLIMIT_NOFILE, &few) == 0);
	return true;
}

/* The session stays, without unreferenced objects. */
static bool answers_without_a_place_are_refused(void) {
	struct pica_client_memory *memory;
	struct pica_session_info info;
	struct pica_client *more = NULL;
	struct rlimit before;
	int ret, n = 0;
	EXPECT(have_free(0, &before));
	ret = pica_client_alloc(&memory, client, 4096);
	EXPECT(setrlimit(RLIMIT_NOFILE, &before) == 0);
	EXPECT(ret == -EMFILE);
	EXPECT(strcmp(pica_client_error(client), "this process has no descriptors left") == 0);
	EXPECT(pica_client_sessions(client, 0, &info, 1) == 1);
	EXPECT(info.memory_bytes == 4096); /* vram */
	EXPECT(pica_client_alloc(&memory, client, 4096) == 0);
	do {
		EXPECT(have_free(n++, &before));
		ret = pica_client_connect(&more, service->socket, NULL, NULL);
		EXPECT(setrlimit(RLIMIT_NOFILE, &before) == 0);
		EXPECT(ret == 0 || ret == -EMFILE);
	} while (ret < 0 && n < 20);
	EXPECT(ret == 0 && n > 4);
	pica_client_close(more);
	return true;
}

/* ---- A service that is set up anew ---- */

static bool reload(const char *config) {
	char path[96];
	snprintf(path, sizeof(path), "%s/conf", service->folder);
	FILE *file = fopen(path, "we");
	EXPECT(file && fputs(config, file) >= 0 && fclose(file) == 0);
	EXPECT(kill(service->pid, SIGHUP) == 0);
	return true;
}

static bool limits_can_be_asked_for_again(void) {
	struct pica_client_memory *memory[2];
	struct pica_limits limits;
	struct pica_event event;
	struct pica_done done;
	EXPECT(pica_client_limits(client, &limits) == 0);
	EXPECT(memcmp(&limits, &pica_client_welcome(client)->limits, sizeof(limits)) == 0);
	EXPECT(limits.regions == 64);
	EXPECT(pica_client_event(client, &event) == 0);
	EXPECT(pica_client_peek(client, &done, 1) == 0); /* asks for the bell */
	EXPECT(reload("[picad]\nregions = 2\n"));
	struct pollfd p = { .fd = pica_client_fd(client), .events = POLLIN };
	EXPECT(poll(&p, 1, RAW_PATIENCE_MS) == 1);
	EXPECT(pica_client_peek(client, &done, 1) == 0);
	EXPECT(pica_client_event(client, &event) == 1);
	EXPECT(event.type == PICA_EVENT_RELOADED);
	EXPECT(pica_client_welcome(client)->limits.regions == 64);
	EXPECT(pica_client_limits(client, &limits) == 0);
	EXPECT(limits.regions == 2);
	EXPECT(pica_client_welcome(client)->limits.regions == 2);
	EXPECT(pica_client_alloc(&memory[0], client, 4096) == 0);
	EXPECT(pica_client_alloc(&memory[1], client, 4096) == -EDQUOT);
	EXPECT(strcmp(pica_client_error(client), "quota of regions used up") == 0);
	EXPECT(reload("[picad]\n"));
	EXPECT(poll(&p, 1, RAW_PATIENCE_MS) == 1);
	EXPECT(pica_client_limits(client, &limits) == 0);
	EXPECT(limits.regions == 64);
	return true;
}

/* ---- A service that dies ---- */

static struct pica_done one;
static const struct pica_state no_state;
static struct pica_stats stats = { .size = sizeof(stats) };
static uint8_t *rgb;
static char *text;
static union {
	struct pica_state state;
	struct pica_limits limits;
	struct pica_client *client;
	struct pica_client_ctx *ctx;
	struct pica_client_memory *memory;
	struct pica_screen screen;
	struct pica_session_info info;
	uint8_t pixels[SLOTS * SLOTS * 4];
	uint32_t word, size[2];
} out;

static int do_reconnect(void) {
	int ret;
	const int64_t end = raw_now_ms() + RAW_PATIENCE_MS;
	do {
		ret = pica_client_reconnect(client); /* 0: it has not noticed */
	} while (ret == 0 && raw_now_ms() < end);
	return ret;
}

/*
 * Each call, and what it returns when the service is dead. -ECONNREFUSED: or -ECONNRESET
 * (is_passing()).
 */
#define CALLS(X) \
	X(connect, -ECONNREFUSED, pica_client_connect(&out.client, service->socket, NULL, NULL)) \
	X(limits, -ECONNRESET, pica_client_limits(client, &out.limits)) \
	X(ctx_create, -ECONNRESET, pica_client_ctx_create(&out.ctx, client, NULL)) \
	X(ctx_destroy, 0, pica_client_ctx_destroy(other)) \
	X(map, -ECONNRESET, pica_client_map(&out.memory, other, VRAM, 4096, 0)) \
	X(alloc, -ECONNRESET, pica_client_alloc(&out.memory, client, 4096)) \
	X(free, 0, pica_client_free(vram)) \
	X(load_state, -ECONNRESET, pica_client_load_state(ctx, &no_state)) \
	X(save_state, -ECONNRESET, pica_client_save_state(ctx, &out.state)) \
	X(read_regs, -ECONNRESET, pica_client_read_regs(ctx, 0, 1, &out.word)) \
	X(read_external, -ECONNRESET, \
			pica_client_read_external(ctx, 0x10400000, &out.word)) \
	X(stats, -ECONNRESET, pica_client_stats(ctx, &stats)) \
	X(screen, -ECONNRESET, pica_client_screen(ctx, PICA_SCREEN_TOP, &out.screen)) \
	X(read_screen, -ECONNRESET, \
			pica_client_read_screen( \
				ctx, PICA_SCREEN_TOP, PICA_EYE_LEFT, out.pixels, 3 * 1024)) \
	X(read_surface, -ECONNRESET, \
			pica_client_read_surface( \
				ctx, VRAM, 0, SLOTS, SLOTS, out.pixels, 4 * SLOTS)) \
	X(sessions, -ECONNRESET, pica_client_sessions(client, 0, &out.info, 1)) \
	X(kick, -ECONNRESET, pica_client_kick(client, 999999)) \
	X(record, -ECONNRESET, pica_client_record(client, 1, 1)) \
	X(focus, -ECONNRESET, pica_client_focus(client, 0)) \
	X(screenshot, -ECONNRESET, \
			pica_client_screenshot(client, 0, &out.size[0], &out.size[1], &rgb)) \
	X(metrics, -ECONNRESET, pica_client_metrics(client, &text))

#define DO(name, ret, call) \
	static int do_##name(void) { \
		return call; \
	}
CALLS(DO)

/* With a job in flight: its completion says it. */
static int do_wait(void) {
	if (!put(ctx, PICA_OP_WAIT, 0) || pica_client_submit(client) != 1) {
		return -EPROTO;
	}
	int ret = pica_client_wait(client, &one, 1, PATIENCE_NS);
	return ret == 1 ? one.result : -EPROTO;
}

static int do_wait_slot(void) {
	/* Jobs taken so far are in flight; the queue is full. */
	while (put(ctx, PICA_OP_WAIT, 0)) {
	}
	int ret = pica_client_submit(client) < 0 ? -EPROTO : 0;
	while (ret == 0) {
		ret = pica_client_wait_slot(client, PATIENCE_NS);
		while (ret == 0 && put(ctx, PICA_OP_WAIT, 0)) {
		}
		ret = ret < 0 ? ret : pica_client_submit(client) < 0 ? -EPROTO : 0;
	}
	return ret;
}

static int do_peek(void) {
	int ret = 0;
	for (int64_t end = raw_now_ms() + RAW_PATIENCE_MS; ret == 0 && raw_now_ms() < end;) {
		ret = pica_client_peek(client, &one, 1);
	}
	return ret;
}

static const struct call {
	const char *name;
	int (*run)(void);
	int ret;
} calls[] = {
#define ROW(name, ret, call) { #name, do_##name, ret },
	CALLS(ROW)
	ROW(wait, -ECONNRESET, )
	ROW(wait_slot, -ECONNRESET, )
	ROW(peek, -ECONNRESET, )
	ROW(reconnect, -ECONNREFUSED, )
};

static void *kill_soon(void *arg) {
	raw_nap_us(NAP_MS * 1000);
	kill(service->pid, SIGKILL);
	return NULL;
}

/* Checks that the client works again after any of the failures. */
static bool comes_back(void) {
	struct pica_done done[MAX_FLIGHT];
	/* Everything that was in flight is answered. */
	for (unsigned n = pica_client_in_flight(client); n; n = pica_client_in_flight(client)) {
		int got = pica_client_wait(client, done, MAX_FLIGHT, PATIENCE_NS);
		EXPECT(got > 0);
		for (int i = 0; i < got; i++) {
			EXPECT(done[i].result == -ECONNRESET);
		}
	}
	EXPECT(do_peek() == -ECONNRESET);
	EXPECT(pica_client_wait(client, done, 1, PATIENCE_NS) == -ECONNRESET);
	EXPECT(pica_client_wait_slot(client, PATIENCE_NS) == -ECONNRESET);
	EXPECT(pica_client_submit(client) == -ECONNRESET);
	EXPECT(!pica_client_slot(ctx));
	EXPECT(pica_client_error(client)[0]);
	EXPECT(daemon_start(service));
	int ret;
	const int64_t end = raw_now_ms() + RAW_PATIENCE_MS;
	do {
		ret = pica_client_reconnect(client);
	} while (is_passing(ret) && raw_now_ms() < end);
	EXPECT(ret == 1);
	EXPECT(put(ctx, PICA_OP_BARRIER, 5));
	EXPECT(pica_client_submit(client) == 1);
	EXPECT(pica_client_wait(client, done, 1, PATIENCE_NS) == 1);
	EXPECT(in_order(done, 1, 5));
	return true;
}

static bool dies_in_a_call(const struct call *call, bool is_before) {
	pthread_t thread;
	EXPECT(open_client());
	if (is_before) {
		daemon_kill(service);
	} else {
		EXPECT(kill(service->pid, SIGSTOP) == 0);
		EXPECT(pthread_create(&thread, NULL, kill_soon, NULL) == 0);
	}
	const int64_t begin = raw_now_ms();
	const int ret = call->run();
	const int64_t took = raw_now_ms() - begin;
	if (!is_before) {
		pthread_join(thread, NULL);
		daemon_kill(service);
	}
	const bool is_right = ret == call->ret ||
			(call->ret == -ECONNREFUSED && is_passing(ret));
	if (!is_right || took > RAW_PATIENCE_MS / 2) {
		printf("%s: %s: %s after %d ms\n", call->name,
				is_before ? "the service was dead" : "the service died",
				strerror(-ret), (int)took);
		return false;
	}
	bool ok = comes_back();
	pica_client_close(client);
	return ok;
}

static bool every_call_survives_the_service(bool is_before) {
	bool ok = true;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (!dies_in_a_call(&calls[i], is_before)) {
			printf("  in %s()\n", calls[i].name);
			ok = false;
		}
		if (!daemon_is_alive(service)) {
			ok = daemon_start(service) && ok;
		}
	}
	return ok;
}

static bool tell(const char *name, bool has_passed) {
	printf("%-45s %s\n", name, has_passed ? "ok" : "FAILED");
	return has_passed;
}

static bool run(struct daemon *d, char **argv) {
	static const struct {
		const char *name;
		bool (*run)(void);
	} cases[] = {
		{ "slots become free without completions", slots_become_free_without_completions },
		{ "a service that stands still is waited for",
				a_stopped_service_is_waited_for },
		{ "full completions stop the client alone", full_completions_stop_the_client_alone },
		{ "more than the ring holds can be waited for",
				more_than_the_ring_holds_can_be_waited_for },
		{ "waits that find nothing leave the bell on",
				waits_that_find_nothing_leave_the_bell_on },
		{ "answers without a place are refused", answers_without_a_place_are_refused },
		{ "limits can be asked for again", limits_can_be_asked_for_again },
	};
	service = d;
	bool ok = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ok = tell(cases[i].name, open_client() && cases[i].run()) && ok;
		pica_client_close(client);
		client = NULL;
	}
	ok = tell("calls when the service is dead", every_call_survives_the_service(true)) && ok;
	return tell("calls in which the service dies", every_call_survives_the_service(false)) &&
			ok;
}

int main(int argc, char **argv) {
	return daemon_main(argv, 2, "client-edges PICAD LOOP", "", run);
}
