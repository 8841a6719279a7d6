/*
 * picad as the GPU: the heaps are shared with the service, so that its jobs see the program's
 * writes, and the program their results.
 */
#include "host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pica_client.h"

static struct pica_client *client;
static struct pica_client_ctx *ctx;

static _Noreturn void fail_gone(void) {
	static const char gone[] = "the service is gone";
	const char *why = pica_client_error(client);
	const bool is_known = why[0] && strcmp(why, gone) != 0;
	host_log("%s%s%s", gone, is_known ? ": " : "", is_known ? why : "");
	host_gpu_end();
	_Exit(HOST_EXIT_NO_SERVICE);
}

static int must(const char *what, int ret) {
	if (ret == -ECONNRESET) {
		fail_gone();
	}
	if (ret < 0) {
		const char *why = pica_client_error(client);
		host_fail("the service: %s: %s", what, why[0] ? why : strerror(-ret));
	}
	return ret;
}

/* ---- Life ---- */

static void connect_to_it(void) {
	char message[PICA_TEXT_BYTES], path[4096] = "?";
	const char *place = host_options.connect[0] ? host_options.connect : NULL;
	const int ret = pica_client_connect(&client, place, NULL, message);
	if (ret < 0) {
		if (!place) {
			pica_client_default_path(path, sizeof(path));
			place = path;
		}
		host_log("no service at %s: %s", place, message[0] ? message : strerror(-ret));
		_Exit(HOST_EXIT_NO_SERVICE);
	}
}

void host_service_begin(void) {
	struct pica_client_ctx_settings settings;
	connect_to_it();
	pica_client_ctx_settings_init(&settings);
	if (host_options.arithmetic) {
		settings.flags = PICA_CTX_ARITHMETIC;
		settings.float_mode = host_float_mode();
		settings.combiner = host_combiner();
	}
	must("a context", pica_client_ctx_create(&ctx, client, &settings));
	for (unsigned i = 0; i < HOST_WINDOWS; i++) {
		const struct host_window w = host_memory_window(i);
		struct pica_client_memory *memory;
		char what[32];
		snprintf(what, sizeof(what), "%u MiB of memory", w.size >> 20);
		must(what, pica_client_map(&memory, ctx, w.phys, w.size, 0));
		host_memory_share(i, pica_client_memory_fd(memory));
	}
}

void host_service_end(void) {
	pica_client_close(client);
	client = NULL;
}

void host_service_forget(void) {
	if (client) {
		close(pica_client_fd(client));
	}
}

/* ---- Work ---- */

int host_service_submit(const struct pica_job *jobs, size_t n) {
	for (size_t i = 0; i < n; i++) {
		struct pica_job *slot = pica_client_slot(ctx);
		if (!slot) { /* unreachable: host_run() waits for all its jobs */
			fail_gone();
		}
		const uint32_t handle = slot->handle;
		*slot = jobs[i];
		slot->handle = handle;
	}
	return must("a job", pica_client_submit(client));
}

bool host_service_take(struct pica_done *done) {
	if (!pica_client_in_flight(client)) {
		return false;
	}
	must("a job", pica_client_wait(client, done, 1, -1));
	if (done->result == -ECONNRESET) {
		fail_gone();
	}
	return true;
}

/* ---- Looking in ---- */

int host_service_read_external(uint32_t addr, uint32_t *value) {
	const int ret = pica_client_read_external(ctx, addr, value);
	return ret == -EINVAL || ret == -ERANGE ? ret : must("a register", ret);
}

int host_service_screen(enum pica_screen_id id, struct pica_screen *out) {
	return must("a screen", pica_client_screen(ctx, id, out));
}

void host_service_read_screen(
		enum pica_screen_id id, enum pica_eye eye, uint8_t *rgb, size_t stride) {
	must("a screen", pica_client_read_screen(ctx, id, eye, rgb, stride));
}
