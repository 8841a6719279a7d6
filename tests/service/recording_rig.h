/* Recordings of a service in this process, and a client that is recorded. */
#ifndef TESTS_SERVICE_RECORDING_RIG_H
#define TESTS_SERVICE_RECORDING_RIG_H

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "core/base/attributes.h"
#include "pica_capture.h"
#include "service/record_impl.h"
#include "service_rig.h"

static struct server_settings settings;
static struct pica_client *client;
static struct pica_client_ctx *ctx;
static struct pica_client_memory *vram, *fcram;
/* Lines of the log about recordings, by what they say. */
static atomic_uint too_slow, no_answer, over_quota, over_memory, recorded, left, stopped_early;

static void on_log(void *user, enum log_level level, const char *line) {
	recorded += strstr(line, "event=recorded ") != NULL;
	stopped_early += strstr(line, "event=stopped_early contexts=1 ") != NULL;
	left += strstr(line, "event=recordings_left files=1 ") != NULL;
	if (strstr(line, "event=recording_failed")) {
		too_slow += strstr(line, "the disk does not take") != NULL;
		over_quota += strstr(line, "as many files or bytes as its user") != NULL;
		over_memory += strstr(line, "need more memory than its quota") != NULL;
		no_answer += strstr(line, "error=\"the disk does not answer\"") != NULL;
	}
}

/* Before each test. */
static void default_settings(void) {
	server_settings_init(&settings);
	settings.record_folder = folder;
	settings.record_user_bytes = settings.record_user_files = 0;
	settings.hello_ns = UINT64_C(10000000000);
	settings.log = on_log;
	too_slow = no_answer = over_quota = over_memory = recorded = left = stopped_early = 0;
}

static void open_service(enum loop_kind loop, bool always, unsigned threads) {
	settings.loop = loop;
	settings.record_always = always;
	settings.device.n_threads = threads;
	begin_service(&settings);
}

static void open_client(void) {
	char message[PICA_TEXT_BYTES];
	struct pica_client_settings of_client;
	pica_client_settings_init(&of_client);
	of_client.required = PICA_FEATURE_BIT_RECORD;
	of_client.name = "a/../b";
	/* With a short hello_ns, a stalled machine may send HELLO too late. */
	int ret = -ETIME;
	for (unsigned i = 0; ret == -ETIME && i < 20; i++) {
		ret = pica_client_connect(&client, path, &of_client, message);
	}
	ck_assert_int_eq(ret, 0);
	ck_assert_int_eq(pica_client_ctx_create(&ctx, client, NULL), 0);
	ck_assert_int_eq(pica_client_map(&vram, ctx, VRAM, VRAM_BYTES, 0), 0);
	ck_assert_int_eq(pica_client_map(&fcram, ctx, FCRAM, FCRAM_BYTES, 0), 0);
}

/* Opens service and client, and makes the list of a triangle. Returns its bytes. */
static PICA_UNUSED uint32_t open_both(enum loop_kind loop, bool always, unsigned threads) {
	open_service(loop, always, threads);
	open_client();
	return triangle_list(pica_client_host(fcram), 1);
}

static int record_me(int is_on) {
	return pica_client_record(client, pica_client_welcome(client)->session, is_on);
}

static void add_job(uint16_t op, uint32_t size_bytes) {
	struct pica_job *job = pica_client_slot(ctx);
	ck_assert_ptr_nonnull(job);
	job->op = op;
	if (op == PICA_OP_LIST) {
		job->u.list.addr = LIST;
		job->u.list.size_bytes = size_bytes;
	} else if (op == PICA_OP_PRESENT) {
		job->u.present.screens = 3;
	}
}

static void wait_all(void) {
	struct pica_done done;
	ck_assert_int_ge(pica_client_submit(client), 0);
	while (pica_client_in_flight(client)) {
		ck_assert_int_eq(pica_client_wait(client, &done, 1, -1), 1);
		ck_assert_int_eq(done.result, 0);
	}
}

/* A triangle on nothing, shown. */
static void frame(uint32_t size_bytes) {
	memset(pica_client_host(vram), 0, SIDE * SIDE * 4);
	add_job(PICA_OP_LIST, size_bytes);
	add_job(PICA_OP_PRESENT, 0);
	wait_all();
	ck_assert_uint_eq(triangle_count(pica_client_host(vram)), TRIANGLE_PIXELS);
}

/* Has the GPU read memory of FCRAM. */
static void read_memory(uint32_t offset, uint32_t width) {
	struct pica_job *job = pica_client_slot(ctx);
	job->op = PICA_OP_TRANSFER;
	job->u.transfer.src = FCRAM + offset;
	job->u.transfer.dst = VRAM + 0x300000;
	job->u.transfer.out_dim = job->u.transfer.in_dim = width | 256 << 16;
	wait_all();
}

enum { NOISE = 0x40000 };

/* Draws a frame after changing the memory that it reads, which must be recorded. */
static PICA_UNUSED void noisy_frame(uint32_t size_bytes) {
	uint32_t *noise = pica_client_host(fcram);
	for (unsigned k = NOISE / 4; k < (NOISE + 0x40000) / 4; k++) {
		noise[k] = (uint32_t)rand() ^ (uint32_t)rand() << 16;
	}
	frame(size_bytes);
	read_memory(NOISE, 256);
}

/* ---- Contents of the folder ---- */

static int is_capture(const struct dirent *e) {
	size_t n = strlen(e->d_name);
	return n > 5 && strcmp(e->d_name + n - 5, ".pica") == 0;
}

/* Counts the captures, and removes them. */
static PICA_UNUSED unsigned count_files(bool removes) {
	struct dirent **entries;
	char name[400];
	const int n = scandir(folder, &entries, is_capture, NULL);
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s/%s", folder, entries[i]->d_name);
		ck_assert(!removes || unlink(name) == 0);
		free(entries[i]);
	}
	free(entries);
	return (unsigned)n;
}

struct found {
	unsigned files, frames, lists;
};

/* Checks that every file is complete and the folder holds nothing else; empties it. */
static struct found take_files(void) {
	struct found f = { 0 };
	struct dirent **entries;
	int n = scandir(folder, &entries, is_capture, alphasort);
	ck_assert_int_ge(n, 0);
	for (int i = 0; i < n; i++, f.files++) {
		char name[400];
		struct pica_capture *capture;
		struct pica_capture_error error;
		struct pica_capture_event event;
		ck_assert_ptr_eq(strstr(entries[i]->d_name, ".."), NULL);
		snprintf(name, sizeof(name), "%s/%s", folder, entries[i]->d_name);
		ck_assert_msg(pica_capture_open(&capture, name, &error) == 0, "%s", error.message);
		ck_assert_int_eq(pica_capture_verify(capture), 0);
		while (pica_capture_next(capture, &event) > 0) {
			f.frames += event.kind == PICA_CAPTURE_FRAME;
			f.lists += event.kind != PICA_CAPTURE_MEMORY &&
					event.job.op == PICA_OP_LIST;
		}
		pica_capture_close(capture);
		ck_assert_int_eq(unlink(name), 0);
		free(entries[i]);
	}
	free(entries);
	n = scandir(folder, &entries, NULL, NULL);
	for (int i = 0; i < n; i++) {
		free(entries[i]);
	}
	free(entries);
	ck_assert_int_eq(n, 2); /* . and .. */
	return f;
}

/* Closes client and service, and takes what was recorded. */
static PICA_UNUSED struct found close_both(void) {
	pica_client_close(client);
	close_service();
	return take_files();
}

#endif
