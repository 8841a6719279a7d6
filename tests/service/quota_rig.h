/* A service in this process, and clients that draw: for tests of quotas. */
#ifndef TESTS_SERVICE_QUOTA_RIG_H
#define TESTS_SERVICE_QUOTA_RIG_H

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "client.h"
#include "service/server_impl.h"
#include "service/session.h"
#include "triangle.h"
#include "tests/suite.h"

static const enum loop_kind loops[] = { LOOP_EPOLL, LOOP_AUTO };
enum { N_LOOPS = 2 };

static char folder[] = "/tmp/test_quota.XXXXXX";
static char path[64];
static struct server *server;
static pthread_t thread;
static uint64_t (*loop_clock)(void); /* NULL: the thread's processor time */

struct one {
	struct pica_client *client;
	struct pica_client_ctx *ctx;
	struct pica_client_memory *vram, *fcram;
};

static void *run(void *arg) {
	server_run(server);
	return NULL;
}

static void open_service(struct server_settings *settings) {
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	settings->device.n_threads = 2;
	snprintf(path, sizeof(path), "%s/socket", folder);
	memcpy(addr.sun_path, path, sizeof(path));
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	ck_assert_int_eq(bind(sock, (struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(listen(sock, 8), 0);
	ck_assert_int_eq(server_create(&server, settings), 0);
	if (loop_clock) {
		loop_set_clock(server_loop(server), loop_clock);
	}
	ck_assert_int_eq(server_listen(server, sock), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, run, NULL), 0);
}

static void close_service(void) {
	server_stop(server);
	pthread_join(thread, NULL);
	server_destroy(server);
	unlink(path);
}

static void open_one(struct one *o) {
	char message[PICA_TEXT_BYTES];
	ck_assert_int_eq(pica_client_connect(&o->client, path, NULL, message), 0);
	ck_assert_int_eq(pica_client_ctx_create(&o->ctx, o->client, NULL), 0);
	ck_assert_int_eq(pica_client_map(&o->vram, o->ctx, VRAM, VRAM_BYTES, 0), 0);
	ck_assert_int_eq(pica_client_map(&o->fcram, o->ctx, FCRAM, FCRAM_BYTES, 0), 0);
}

static void put_list(struct one *o, uint32_t size_bytes) {
	struct pica_job *job = pica_client_slot(o->ctx);
	ck_assert_ptr_nonnull(job);
	job->op = PICA_OP_LIST;
	job->u.list.addr = LIST;
	job->u.list.size_bytes = size_bytes;
}

static void draw_triangle(struct one *o) {
	struct pica_done done;
	memset(pica_client_host(o->vram), 0, SIDE * SIDE * 4);
	put_list(o, triangle_list(pica_client_host(o->fcram), 1));
	ck_assert_int_eq(pica_client_submit(o->client), 1);
	ck_assert_int_eq(pica_client_wait(o->client, &done, 1, -1), 1);
	ck_assert_int_eq(done.result, 0);
	ck_assert_uint_eq(triangle_count(pica_client_host(o->vram)), TRIANGLE_PIXELS);
}

/* A number of the service, as an administrator gets it. */
static double metric(struct one *o, const char *name) {
	struct pica_msg_object m = { .head.type = PICA_MSG_METRICS };
	struct pica_msg_text answer;
	char line[100];
	int fd;
	ck_assert_int_eq(client_request(o->client, &m, sizeof(m), -1, PICA_MSG_TEXT, &answer,
					 sizeof(answer), &fd),
			0);
	char *text = calloc(1, answer.size_bytes + 1);
	ck_assert_ptr_nonnull(text);
	ck_assert_int_eq(read(fd, text, answer.size_bytes), (ssize_t)answer.size_bytes);
	close(fd);
	snprintf(line, sizeof(line), "\n%s ", name);
	const char *at = strstr(text, line);
	ck_assert_msg(at != NULL, "%s is not there", name);
	double value = strtod(at + strlen(line), NULL);
	free(text);
	return value;
}

int main(void) {
	if (!mkdtemp(folder)) {
		return 1;
	}
	signal(SIGPIPE, SIG_IGN); /* as picad: clients go while they are rung for */
	int failed = suite_run();
	rmdir(folder);
	return failed;
}

#endif
