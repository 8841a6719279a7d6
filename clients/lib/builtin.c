/* "builtin:": the service inside the caller's process. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client.h"
#include "service/server.h"

struct builtin {
	struct server *server;
	pthread_t thread;
};

static void *run(void *arg) {
	struct builtin *b = arg;
	sigset_t all;
	/* Signals belong to the program's own threads; a closed connection raises no SIGPIPE. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	server_run(b->server);
	return NULL;
}

int builtin_start(struct builtin **out, unsigned n_threads,
		const struct pica_client_settings *client, int *sock) {
	struct server_settings settings;
	int pair[2];
	struct builtin *b = calloc(1, sizeof(*b));
	if (!b) {
		return -ENOMEM;
	}
	server_settings_init(&settings);
	settings.device.n_threads = n_threads;
	settings.device.trace = client->trace;
	settings.device.trace_user = client->trace_user;
	settings.max_sessions = 1;
	settings.max_priority = 10;
	settings.limits.memory_bytes = settings.total_memory_bytes = 1ull << 30;
	settings.limits.contexts = PICA_RING_TIMELINES;
	/* Threads that start here inherit a mask that blocks all signals. */
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int ret = server_create(&b->server, &settings);
	if (ret < 0) {
		goto err_free;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0) {
		ret = -errno;
		goto err_server;
	}
	ret = server_add_client(b->server, pair[1]);
	if (ret < 0) {
		goto err_sock;
	}
	ret = -pthread_create(&b->thread, NULL, run, b);
	if (ret < 0) {
		goto err_sock;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	*sock = pair[0];
	*out = b;
	return 0;

err_sock:
	close(pair[0]);
err_server:
	server_destroy(b->server);
err_free:
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	free(b);
	return ret;
}

void builtin_stop(struct builtin *b) {
	if (!b) {
		return;
	}
	server_stop(b->server);
	pthread_join(b->thread, NULL);
	server_destroy(b->server);
	free(b);
}
