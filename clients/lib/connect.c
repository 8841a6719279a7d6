/* Connects, closes and reconnects. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "client.h"
#include "core/base/attributes.h"

/* The service must send WELCOME within this time. */
static const int64_t welcome_ns = 5000000000;

PICA_EXPORT void pica_client_settings_init(struct pica_client_settings *s) {
	memset(s, 0, sizeof(*s));
	s->size = sizeof(*s);
	s->sq_entries = 256;
}

/* ---- Reaching the service ---- */

/*
 * The default sockets in order: of the user's own service, of the system's for the user, of the
 * system's for all.
 */
static int path_of(unsigned i, char *out, size_t size) {
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	char text[1024];
	struct passwd user, *found = NULL;
	if (i == 0) {
		return runtime && runtime[0] ?
				snprintf(out, size, "%s/pica/0", runtime) :
				snprintf(out, size, "/run/user/%u/pica/0", (unsigned)geteuid());
	}
	return i == 1 && getpwuid_r(geteuid(), &user, text, sizeof(text), &found) == 0 && found ?
			snprintf(out, size, "/run/pica/%s/0", user.pw_name) :
			snprintf(out, size, "/run/pica/0");
}

PICA_EXPORT int pica_client_default_path(char *out, size_t size) {
	const char *env = getenv("PICA_SOCKET");
	int n = 0;
	if (env && env[0]) {
		n = snprintf(out, size, "%s", env);
		return n > 0 && (size_t)n < size ? 0 : -ENAMETOOLONG;
	}
	/* The first socket that exists is used, even if no service answers there yet. */
	for (unsigned i = 0; i < 3 && (i == 0 || access(out, F_OK) < 0); i++) {
		n = path_of(i, out, size);
		if (n < 0 || (size_t)n >= size) {
			break;
		}
	}
	return n > 0 && (size_t)n < size ? 0 : -ENAMETOOLONG;
}

static int dial(const char *where, int *out) {
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int ret = 0;
	if (!where || !where[0]) {
		ret = pica_client_default_path(addr.sun_path, sizeof(addr.sun_path));
	} else if (strlen(where) >= sizeof(addr.sun_path)) {
		ret = -ENAMETOOLONG;
	} else {
		memcpy(addr.sun_path, where, strlen(where));
	}
	if (ret < 0) {
		return ret;
	}
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (sock < 0) {
		return -errno;
	}
	/* connect() waits this long while the backlog is full, then fails with EAGAIN. */
	const struct timeval patience = { .tv_sec = welcome_ns / 1000000000 };
	ret = setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (ret == 0) {
		do {
			ret = connect(sock, (struct sockaddr *)&addr, sizeof(addr));
		} while (ret < 0 && errno == EINTR);
	}
	if (ret < 0 || fcntl(sock, F_SETFL, O_NONBLOCK) < 0) {
		ret = errno == EAGAIN ? -ETIME : -errno;
		close(sock);
		return ret;
	}
	*out = sock;
	return 0;
}

/* The usual places: none of them has a socket. */
static int refuse_places(struct pica_client *c) {
	char text[PICA_TEXT_BYTES] = "expected a socket at ";
	static const char *const after[] = { ", ", " or ", "" };
	for (unsigned i = 0; i < 3; i++) {
		const size_t at = strlen(text);
		path_of(i, text + at, sizeof(text) - at);
		const size_t end = strlen(text);
		snprintf(text + end, sizeof(text) - end, "%s", after[i]);
	}
	return client_refuse(c, -ENOENT, text);
}

static int reach_socket(struct pica_client *c) {
	const char *env = getenv("PICA_SOCKET");
	const bool is_usual = !(c->where && c->where[0]) && !(env && env[0]);
	const int ret = dial(c->where, &c->sock);
	return ret == -ENOENT && is_usual ? refuse_places(c) : ret;
}

static int reach(struct pica_client *c) {
	static const char builtin[] = "builtin:";
	if (!c->where || strncmp(c->where, builtin, sizeof(builtin) - 1) != 0) {
		return c->settings.trace ?
				client_refuse(c, -EINVAL, "a trace needs builtin:") :
				reach_socket(c);
	}
	char *end;
	const char *number = c->where + sizeof(builtin) - 1;
	unsigned long n = strtoul(number, &end, 10);
	if (*end || n > 64 || number[0] == '-') {
		return client_refuse(c, -EINVAL, "builtin: takes 0 to 64 threads");
	}
	return builtin_start(&c->builtin, (unsigned)n, &c->settings, &c->sock);
}

/* ---- HELLO ---- */

static int map_rings(struct pica_client *c, int fd) {
	size_t size_bytes = 0;
	void *base;
	const int ret = client_map(fd, &size_bytes, &base);
	if (ret < 0) {
		return ret;
	}
	if (size_bytes < PICA_RING_CONTROL_OFFSET || size_bytes > 64 << 20) {
		munmap(base, size_bytes);
		return -EPROTO;
	}
	c->ring_base = base;
	c->ring_bytes = size_bytes;
	return ring_client_init(&c->ring, base, c->ring_bytes);
}

static int add_poll(struct pica_client *c, int fd) {
	struct epoll_event e = { .events = EPOLLIN };
	return epoll_ctl(c->poll_fd, EPOLL_CTL_ADD, fd, &e) < 0 ? -errno : 0;
}

/*
 * With a reader of our own, a bell that a dead service no longer reads fills up instead of raising
 * SIGPIPE.
 */
static void open_reader(struct pica_client *c) {
	char path[32];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", c->bell_out);
	c->bell_reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

static int take_welcome(struct pica_client *c, struct sock_message *m) {
	if (sock_head(m)->type == PICA_MSG_ERROR) {
		return client_take_error(c, m);
	}
	if (sock_head(m)->type != PICA_MSG_WELCOME ||
			sock_take(m, &c->welcome, sizeof(c->welcome), 3) < 0 ||
			c->welcome.version != PICA_PROTOCOL_VERSION) {
		return -EPROTO;
	}
	int ret = map_rings(c, m->fd[0]);
	if (ret < 0) {
		return ret;
	}
	c->bell_out = m->fd[1];
	c->bell_in = m->fd[2];
	m->fd[1] = m->fd[2] = -1;
	c->poll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (c->poll_fd < 0) {
		return -errno;
	}
	open_reader(c);
	ret = add_poll(c, c->sock);
	return ret < 0 ? ret : add_poll(c, c->bell_in);
}

static int greet(struct pica_client *c, uint64_t former) {
	struct pica_msg_hello hello;
	struct sock_message m;
	memset(&hello, 0, sizeof(hello));
	hello.head.type = PICA_MSG_HELLO;
	hello.head.cookie = ++c->cookie;
	hello.min_version = hello.max_version = PICA_PROTOCOL_VERSION;
	hello.wanted = ~0ull;
	hello.required = c->settings.required;
	hello.sq_entries = c->settings.sq_entries;
	hello.priority = c->settings.priority;
	hello.reconnect = former;
	memcpy(hello.name, c->name, sizeof(hello.name));
	const int sent = sock_send(c->sock, &hello, sizeof(hello), NULL, 0);
	/*
	 * A service that refuses sends the reason before HELLO arrives, and closes the connection.
	 */
	int ret = sent < 0 && sent != -EPIPE ? sent : client_receive(c, &m, welcome_ns);
	if (ret < 0) {
		return ret;
	}
	ret = take_welcome(c, &m);
	sock_drop(&m);
	return ret;
}

static void disconnect(struct pica_client *c) {
	fd_close(&c->poll_fd);
	fd_close(&c->sock);
	fd_close(&c->bell_in);
	fd_close(&c->bell_out);
	fd_close(&c->bell_reader);
	if (c->ring_base) {
		munmap(c->ring_base, c->ring_bytes);
		c->ring_base = NULL;
	}
	builtin_stop(c->builtin);
	c->builtin = NULL;
}

static int open_connection(struct pica_client *c, uint64_t former) {
	c->is_lost = c->is_ended = false;
	c->error[0] = 0;
	int ret = reach(c);
	ret = ret < 0 ? ret : greet(c, former);
	if (ret < 0) {
		if (!c->error[0]) {
			client_set_error(c, strerror(-ret));
		}
		disconnect(c);
		c->is_lost = true;
	}
	return ret;
}

/* Returns the error, or NULL. */
static const char *check_settings(const struct pica_client_settings *s) {
	if (s->size != sizeof(*s)) {
		return "wrong size of the settings";
	}
	if (s->reserved0 || s->reserved[0] || s->reserved[1]) {
		return "reserved settings are not zero";
	}
	if (s->sq_entries < PICA_RING_MIN_ENTRIES || s->sq_entries > PICA_RING_MAX_ENTRIES) {
		return "submission slots are 8 to 4096";
	}
	return NULL;
}

static void set_message(char *message, const char *text) {
	if (message) {
		snprintf(message, PICA_TEXT_BYTES, "%s", text);
	}
}

PICA_EXPORT int pica_client_connect(struct pica_client **out, const char *where,
		const struct pica_client_settings *settings, char *message) {
	struct pica_client_settings defaults;
	if (!settings) {
		pica_client_settings_init(&defaults);
		settings = &defaults;
	}
	const char *wrong = check_settings(settings);
	if (wrong) {
		set_message(message, wrong);
		return -EINVAL;
	}
	struct pica_client *c = calloc(1, sizeof(*c));
	if (!c) {
		set_message(message, strerror(ENOMEM));
		return -ENOMEM;
	}
	c->sock = c->bell_in = c->bell_out = c->bell_reader = c->poll_fd = -1;
	c->settings = *settings;
	snprintf(c->name, sizeof(c->name), "%s",
			settings->name ? settings->name : program_invocation_short_name);
	c->settings.name = NULL; /* the caller's */
	int ret = 0;
	if (where) {
		c->where = strdup(where);
		ret = c->where ? 0 : -ENOMEM;
	}
	ret = ret < 0 ? ret : open_connection(c, 0);
	if (ret < 0) {
		set_message(message, c->error[0] ? c->error : strerror(-ret));
		free(c->where);
		free(c);
		return ret;
	}
	*out = c;
	return 0;
}

PICA_EXPORT void pica_client_close(struct pica_client *c) {
	if (!c) {
		return;
	}
	disconnect(c);
	while (c->memory) {
		struct pica_client_memory *m = c->memory;
		c->memory = m->next;
		munmap(m->host, m->size_bytes);
		close(m->fd);
		free(m);
	}
	while (c->contexts) {
		struct pica_client_ctx *ctx = c->contexts;
		c->contexts = ctx->next;
		free(ctx->init_jobs);
		free(ctx);
	}
	free(c->flight);
	free(c->stash);
	free(c->where);
	free(c);
}

PICA_EXPORT const char *pica_client_error(const struct pica_client *c) {
	return c->error;
}

PICA_EXPORT const struct pica_msg_welcome *pica_client_welcome(const struct pica_client *c) {
	return &c->welcome;
}

PICA_EXPORT int pica_client_limits(struct pica_client *c, struct pica_limits *out) {
	struct pica_msg_welcome answer;
	int ret = client_request_object(c, PICA_MSG_LIMITS, 0, 0, PICA_MSG_WELCOME, &answer,
			sizeof(answer), NULL);
	if (ret == 0) {
		c->welcome.limits = answer.limits;
		*out = answer.limits;
	}
	return ret;
}

PICA_EXPORT int pica_client_fd(struct pica_client *c) {
	return c->poll_fd;
}

/* ---- Reconnecting ---- */

/* Runs the init jobs one by one; the caller does not see their completions. */
static int run_init_jobs(struct pica_client_ctx *ctx) {
	struct pica_client *c = ctx->client;
	for (size_t i = 0; i < ctx->n_init_jobs; i++) {
		struct pica_done done;
		struct pica_job *job = pica_client_slot(ctx);
		if (!job) {
			return -ECONNRESET;
		}
		*job = ctx->init_jobs[i];
		job->handle = ctx->handle;
		int ret = pica_client_submit(c);
		ret = ret < 0 ? ret : pica_client_wait(c, &done, 1, -1);
		ret = ret < 0 ? ret : done.result;
		if (ret < 0) {
			return ret;
		}
	}
	return 0;
}

/* Restores all of the old session except the state of its contexts. */
static int restore(struct pica_client *c) {
	int ret = 0;
	for (struct pica_client_ctx *ctx = c->contexts; ctx && ret >= 0; ctx = ctx->next) {
		ret = context_make(ctx);
	}
	for (struct pica_client_memory *m = c->memory; m && ret >= 0; m = m->next) {
		ret = memory_import(m);
	}
	/* Completions of the old session wait meanwhile. */
	const uint32_t n_stash = c->n_stash;
	c->n_stash = 0;
	for (struct pica_client_ctx *ctx = c->contexts; ctx && ret >= 0; ctx = ctx->next) {
		ret = run_init_jobs(ctx);
	}
	c->n_stash = n_stash;
	return ret;
}

PICA_EXPORT int pica_client_reconnect(struct pica_client *c) {
	struct pica_done done;
	if (!c->is_lost && pica_client_peek(c, &done, 0) >= 0) {
		return 0;
	}
	uint64_t former = c->welcome.session;
	int ret = work_stash(c);
	if (ret < 0) {
		return ret;
	}
	disconnect(c);
	ret = open_connection(c, former);
	ret = ret < 0 ? ret : restore(c);
	if (ret < 0) {
		c->n_flight = 0; /* init jobs */
		disconnect(c);
		c->is_lost = true;
		return ret;
	}
	return 1;
}
