/* A service in this process, at a socket in a temporary folder, and main() of its test. */
#ifndef TESTS_SERVICE_SERVICE_RIG_H
#define TESTS_SERVICE_SERVICE_RIG_H

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

static char folder[] = "/tmp/test_service.XXXXXX";
static char path[64];
static struct server *server;
static pthread_t thread;
static void (*before_run)(void); /* called when there is a server, before it runs; or NULL */

PICA_UNUSED static void *run(void *arg) {
	server_run(server);
	return NULL;
}

/* Nothing runs yet. */
static void create_service(const struct server_settings *settings) {
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	snprintf(path, sizeof(path), "%s/socket", folder);
	memcpy(addr.sun_path, path, sizeof(path));
	unlink(path); /* a test that failed left it */
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	ck_assert_int_eq(bind(sock, (struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(listen(sock, 8), 0);
	ck_assert_int_eq(server_create(&server, settings), 0);
	if (before_run) {
		before_run();
	}
	ck_assert_int_eq(server_listen(server, sock), 0);
}

PICA_UNUSED static void begin_service(const struct server_settings *settings) {
	create_service(settings);
	ck_assert_int_eq(pthread_create(&thread, NULL, run, NULL), 0);
}

/* Every recording is finished then. */
PICA_UNUSED static void close_service(void) {
	server_stop(server);
	pthread_join(thread, NULL);
	server_destroy(server);
	unlink(path);
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
