#include "service/session.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sock_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/context.h"
#include "service/foreign.h"
#include "service/memory_quota.h"
#include "service/message.h"
#include "service/metrics.h"
#include "service/presenter.h"
#include "service/reaper.h"
#include "service/server_impl.h"

static const uint64_t cleanup_rest_ns = 1000000;

/* From these numbers on, for a user or for all, the user's sessions wait. */
enum { FINISHING_A_USER = 8, CLOSING_A_USER = 8, DYING_IN_ALL = 64 };

enum { UNREAD_FDS = 16 }; /* of a session */

/* ---- Log ---- */

/*
 * Log lines about a session's start and end are limited by user, since a user may have many
 * sessions.
 */
static uint64_t log_who(const struct session *s) {
	return s->is_admitted ? log_user(s->uid) : LOG_STRANGERS;
}

/* ---- Answers ---- */

/*
 * The kernel counts descriptors that a client has not read for the service's user, with one limit
 * for all clients: a client that leaves many unread gets no more.
 */
static bool may_send(struct session *s, unsigned n_fds) {
	uint32_t memory[SK_MEMINFO_VARS];
	socklen_t size = sizeof(memory);
	if (s->sent_fds + n_fds > UNREAD_FDS &&
			getsockopt(s->sock, SOL_SOCKET, SO_MEMINFO, memory, &size) == 0) {
		if (n_fds && memory[SK_MEMINFO_WMEM_ALLOC] > 0) {
			return false;
		}
		s->sent_fds = 0;
	}
	s->sent_fds += n_fds;
	return true;
}

static void send_message(struct session *s, void *message, size_t size_bytes, const int *fds,
		unsigned n_fds) {
	int ret = may_send(s, n_fds) ? sock_send(s->sock, message, size_bytes, fds, n_fds) :
				       -ETOOMANYREFS;
	if (ret == -ETOOMANYREFS) {
		session_break(s, ret, "too many descriptors that clients have not received");
	} else if (ret < 0 && s->state != SESSION_BROKEN) {
		server_log_of(s->server, log_who(s), LOG_LEVEL_INFO,
				"event=answer_lost session=%llu error=\"%s\"",
				(unsigned long long)s->id, strerror(-ret));
		s->state = SESSION_BROKEN; /* there is no peer to send the reason to */
		metrics_ended(&s->server->metrics, ret == -EAGAIN ? -ENOBUFS : 0);
		server_free_later(s->server);
	}
}

void session_reply(struct session *s, const struct pica_message *to, enum pica_message_type type,
		void *answer, size_t size_bytes, int fd) {
	struct pica_message *head = answer;
	*head = (struct pica_message){ .type = (uint16_t)type, .cookie = to ? to->cookie : 0 };
	send_message(s, answer, size_bytes, &fd, fd >= 0);
}

void session_reply_error(
		struct session *s, const struct pica_message *to, int error, const char *text) {
	struct pica_msg_error m = { .error = error, .type = to ? to->type : 0 };
	if (error == -EPROTONOSUPPORT) {
		m.min_version = m.max_version = PICA_PROTOCOL_VERSION;
	}
	snprintf(m.text, sizeof(m.text), "%s", text);
	session_reply(s, to, PICA_MSG_ERROR, &m, sizeof(m), -1);
}

void session_reply_done(struct session *s, const struct pica_message *to, int32_t result) {
	struct pica_msg_done m = { .result = result };
	session_reply(s, to, PICA_MSG_DONE, &m, sizeof(m), -1);
}

void session_break(struct session *s, int error, const char *why) {
	if (s->state == SESSION_BROKEN) {
		return;
	}
	static const char dropped[] =
			"event=session_dropped session=%llu pid=%d error=\"%s\" why=\"%s\"";
	/* An orderly end is not an error, and not caused by the client. */
	if (error == -ESHUTDOWN || log_limit_allows(s->server, log_who(s), dropped)) {
		server_log(s->server, error == -ESHUTDOWN ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING,
				dropped, (unsigned long long)s->id, (int)s->pid, strerror(-error),
				why);
	}
	session_reply_error(s, NULL, error, why);
	if (s->ring_memory) {
		ring_server_kill(&s->ring);
		s->needs_publish = true;
		session_publish(s);
	}
	if (s->state != SESSION_BROKEN) {
		s->state = SESSION_BROKEN;
		metrics_ended(&s->server->metrics, error);
		server_free_later(s->server);
	}
}

void session_publish(struct session *s) {
	if (!s->needs_publish) {
		ring_server_release(&s->ring);
		return;
	}
	s->needs_publish = false;
	if (ring_server_publish(&s->ring) || s->state == SESSION_BROKEN) {
		loop_bell_ring(s->server->loop, s->bell_out);
	}
}

void session_event(struct session *s, const struct pica_event *event) {
	ring_server_event(&s->ring, event);
	s->needs_publish = true;
	session_publish(s);
}

/* ---- Objects ---- */

void session_charge(struct session *s, int64_t size_bytes) {
	s->memory_bytes += (uint64_t)size_bytes;
	pica_memory_add(s->memory, size_bytes);
	if (memory_quota_is_full(s)) {
		pica_device_trim(s->server->device);
	}
}

struct region *session_region(struct session *s, uint32_t handle) {
	for (uint32_t i = 0; i < s->n_regions; i++) {
		if (s->regions[i]->handle == handle) {
			return s->regions[i];
		}
	}
	return NULL;
}

struct context *session_context(struct session *s, uint32_t handle) {
	for (struct context *c = s->contexts; c; c = c->next_context) {
		if (c->handle == handle) {
			return c;
		}
	}
	return NULL;
}

/* ---- HELLO ---- */

static void repair_name(char out[PICA_NAME_BYTES], const char in[PICA_NAME_BYTES]) {
	memset(out, 0, PICA_NAME_BYTES);
	for (unsigned i = 0; i < PICA_NAME_BYTES - 1 && in[i]; i++) {
		bool is_plain = in[i] > ' ' && in[i] < 0x7F && in[i] != '"' && in[i] != '\\';
		out[i] = is_plain ? in[i] : '_';
	}
	if (!out[0]) {
		memcpy(out, "unnamed", 8);
	}
}

static void on_bell(void *owner, uint32_t events) {
	session_mark(owner);
}

/* Creates rings, bells, and the client's ends of the bells. */
static int open_rings(struct session *s, uint32_t entries, int fds[3]) {
	struct pica_ring_header header;
	int to_us[2] = { -1, -1 }, to_client[2] = { -1, -1 };
	int ret;
	fds[0] = -1;
	ring_layout(&header, entries ? entries : 256);
	if (pipe2(to_us, O_CLOEXEC | O_NONBLOCK) < 0 ||
			pipe2(to_client, O_CLOEXEC | O_NONBLOCK) < 0) {
		ret = -errno;
		goto err;
	}
	ret = region_create(&s->ring_memory, &s->server->regions, s->uid, REGION_RINGS,
			header.size_bytes, &fds[0]);
	if (ret < 0) {
		goto err;
	}
	ret = pica_memory_create(&s->memory, region_memory(s->ring_memory));
	if (ret < 0) {
		goto err;
	}
	pica_memory_limit(s->memory, s->limits.memory_bytes);
	ring_server_init(&s->ring, s->ring_memory->host, &header);
	ret = loop_bell_add(
			s->server->loop, &s->bell_watch, to_us[0], on_bell, s);
	if (ret < 0) {
		goto err;
	}
	s->bell_in = to_us[0];
	s->bell_out = to_client[1];
	fds[1] = to_us[1];
	fds[2] = to_client[0];
	return 0;

err:
	for (unsigned i = 0; i < 2; i++) {
		fd_close(&to_us[i]);
		fd_close(&to_client[i]);
	}
	fd_close(&fds[0]);
	pica_memory_destroy(s->memory);
	s->memory = NULL;
	region_drop(s->ring_memory);
	s->ring_memory = NULL;
	return ret;
}

static uint64_t features_for(const struct session *s) {
	return PICA_FEATURE_BIT_IMPORT | PICA_FEATURE_BIT_ARITHMETIC | PICA_FEATURE_BIT_CHIPS |
			(s->server->presenter ? (uint64_t)PICA_FEATURE_BIT_PRESENT : 0) |
			(s->server->archive ? (uint64_t)PICA_FEATURE_BIT_RECORD : 0) |
			(s->is_admin ? (uint64_t)PICA_FEATURE_BIT_ADMIN : 0);
}

void session_welcome(
		struct session *s, const struct pica_message *to, uint64_t wanted, const int *fds) {
	const struct server_settings *settings = &s->server->settings;
	struct pica_msg_welcome m = { .head = { .type = PICA_MSG_WELCOME, .cookie = to->cookie },
		.version = PICA_PROTOCOL_VERSION,
		.sq_entries = s->ring.sq_mask + 1,
		.features = features_for(s) & wanted,
		.session = s->id,
		.boot = s->server->boot,
		.limits = s->limits,
		.n_threads = settings->device.n_threads };
	snprintf(m.isa, sizeof(m.isa), "%s", pica_device_isa(s->server->device));
	send_message(s, &m, sizeof(m), fds, fds ? 3 : 0);
}

static bool all_zero(const uint32_t *p, size_t n) {
	for (size_t i = 0; i < n; i++) {
		if (p[i]) {
			return false;
		}
	}
	return true;
}

static void greet(struct session *s, struct sock_message *m) {
	const struct server_settings *settings = &s->server->settings;
	struct pica_msg_hello hello;
	if (sock_head(m)->type != PICA_MSG_HELLO || sock_take(m, &hello, sizeof(hello), 0) < 0 ||
			hello.head.flags || !all_zero(hello.reserved, 8)) {
		session_break(s, -EPROTO, "expected HELLO");
		return;
	}
	repair_name(s->name, hello.name);
	if (hello.min_version > PICA_PROTOCOL_VERSION ||
			hello.max_version < PICA_PROTOCOL_VERSION) {
		session_break(s, -EPROTONOSUPPORT, "no common version");
		return;
	}
	if (hello.required & ~features_for(s)) {
		session_break(s, -EOPNOTSUPP, "a required feature is missing");
		return;
	}
	if (hello.priority < -10 || hello.priority > 10) {
		session_break(s, -EINVAL, "priority outside -10..10");
		return;
	}
	const char *quota = server_admit(s->server, s);
	if (quota) {
		session_break(s, -EDQUOT, quota);
		return;
	}
	s->is_admitted = true;
	int fds[3];
	s->priority = hello.priority < settings->max_priority ? hello.priority :
								settings->max_priority;
	s->limits = settings->limits;
	s->is_recorded = s->server->archive && settings->record_always;
	int ret = open_rings(s, hello.sq_entries, fds);
	if (ret == -EMFILE && s->is_admin && server_spare_begin(s->server)) {
		server_put_beyond_quota(s->server, s, "the service is out of descriptors");
		ret = open_rings(s, hello.sq_entries, fds);
		server_spare_end(s->server);
	}
	if (ret < 0) {
		session_break(s, ret, "out of memory or descriptors for the rings");
		return;
	}
	loop_timer_unset(s->server->loop, &s->hello_timer);
	s->state = SESSION_OPEN;
	foreign_allow(s->sock, true);
	session_welcome(s, &hello.head, hello.wanted | hello.required, fds);
	for (unsigned i = 0; i < 3; i++) {
		close(fds[i]);
	}
	server_log_of(s->server, log_who(s), LOG_LEVEL_INFO,
			"event=session_open session=%llu pid=%d uid=%u name=\"%s\"",
			(unsigned long long)s->id, (int)s->pid, s->uid, s->name);
}

/* ---- Messages ---- */

static void on_socket(void *owner, uint32_t events) {
	struct session *s = owner;
	s->has_mail = true;
	session_mark(s);
}

static void on_cleanup_rest(void *owner) {
	session_mark(owner);
}

/*
 * Returns whether its messages must wait: too many contexts of its user, or memory that it may
 * need, are still being destroyed. A HELLO also waits for recordings of its user to be finished, at
 * most for its own time limit.
 */
static bool must_wait_for_cleanup(const struct session *s) {
	const struct user_account *d = s->account;
	const uint32_t n = atomic_load_explicit(&d->contexts, memory_order_relaxed);
	return memory_quota_recovers(s) ||
			atomic_load_explicit(&d->closing, memory_order_relaxed) >= CLOSING_A_USER ||
			n >= s->server->settings.limits.contexts ||
			(n > 0 && reaper_pending(s->server->reaper) >= DYING_IN_ALL) ||
			(s->state == SESSION_GREETING && !s->has_waited &&
					atomic_load_explicit(&d->finishing, memory_order_relaxed) >=
							FINISHING_A_USER);
}

static void on_hello_late(void *owner) {
	struct session *s = owner;
	if (!s->has_mail || !must_wait_for_cleanup(s)) {
		session_break(s, -ETIME, "no HELLO came in time");
		return;
	}
	s->has_waited = true;
	loop_timer_set(s->server->loop, &s->hello_timer,
			loop_now_ns() + s->server->settings.hello_ns);
	session_mark(s);
}

static void close_session(struct session *s) {
	server_log_of(s->server, log_who(s), LOG_LEVEL_INFO,
			"event=session_closed session=%llu pid=%d", (unsigned long long)s->id,
			(int)s->pid);
	s->state = SESSION_BROKEN;
	s->has_left = true;
	metrics_ended(&s->server->metrics, 0);
	server_free_later(s->server);
}

bool session_read_message(struct session *s) {
	struct sock_message *m = &s->server->mail;
	if (!s->has_mail || s->state == SESSION_BROKEN) {
		return false;
	}
	if (must_wait_for_cleanup(s)) {
		loop_timer_set(s->server->loop, &s->cleanup_timer,
				loop_now_ns() + cleanup_rest_ns);
		return false;
	}
	const int ret = sock_receive(s->sock, m);
	s->has_mail = ret != -EAGAIN;
	if (ret == -EMFILE && s->state == SESSION_OPEN) {
		session_reply_error(s, sock_head(m), ret, "the service is out of descriptors");
	} else if (ret == -EPROTO || ret == -EMFILE) {
		session_break(s, -EPROTO, "malformed message");
	} else if (ret <= 0 && ret != -EAGAIN) {
		close_session(s);
	} else if (ret > 0) {
		/* Jobs submitted before the request was sent come first. */
		if (s->state == SESSION_GREETING) {
			greet(s, m);
		} else if (session_catch_up(s)) {
			message_handle(s, m);
		}
	}
	for (unsigned i = 0; i < m->n_fds; i++) {
		if (m->fd[i] >= 0) {
			foreign_close(m->fd[i], s->account);
		}
	}
	return s->has_mail;
}

/* ---- Life ---- */

static void run(void *owner) {
	session_run(owner);
}

void session_mark(struct session *s) {
	loop_post(s->server->loop, &s->task);
}

int session_create(struct session **out, struct server *server, int sock, pid_t pid, uid_t uid,
		bool is_admin) {
	struct session *s = calloc(1, sizeof(*s));
	struct user_account *account = user_account_get(&server->accounts, uid);
	if (!s || !account) {
		free(s);
		user_account_put(account);
		close(sock);
		return -ENOMEM;
	}
	s->account = account;
	s->server = server;
	s->sock = sock;
	s->bell_in = s->bell_out = -1;
	s->pid = pid;
	s->uid = uid;
	s->is_admin = is_admin;
	s->id = ++server->last_id;
	s->latencies = (struct latencies){ s->latency_us, LATENCIES, 0 };
	s->hello_timer.fn = on_hello_late;
	s->hello_timer.owner = s;
	s->cleanup_timer.fn = on_cleanup_rest;
	s->cleanup_timer.owner = s;
	s->task.fn = run;
	s->task.owner = s;
	s->task.share = &account->share;
	memcpy(s->name, "greeting", 9);
	int ret = loop_watch_add(
			server->loop, &s->sock_watch, sock, on_socket, s);
	if (ret < 0) {
		close(sock);
		user_account_put(account);
		free(s);
		return ret;
	}
	loop_timer_set(server->loop, &s->hello_timer,
			loop_now_ns() + server->settings.hello_ns);
	*out = s;
	return 0;
}

void session_destroy(struct session *s) {
	struct loop *loop = s->server->loop;
	s->state = SESSION_BROKEN; /* later calls answer no request */
	loop_timer_unset(loop, &s->hello_timer);
	loop_timer_unset(loop, &s->cleanup_timer);
	loop_unpost(loop, &s->task);
	loop_timer_unset(loop, &s->cpu_timer);
	while (s->contexts) {
		context_destroy(s->contexts);
	}
	session_meter(s);
	if (s->present) {
		presenter_client_destroy(s->server->presenter, s->present);
		pica_memory_add(s->memory, -(int64_t)s->picture_bytes);
	}
	loop_watch_remove(loop, s->sock_watch);
	loop_watch_remove(loop, s->bell_watch);
	for (uint32_t i = 0; i < s->n_regions; i++) {
		s->regions[i]->may_come_back = !s->has_left;
		region_drop(s->regions[i]);
	}
	free(s->regions);
	pica_memory_destroy(s->memory);
	region_drop(s->ring_memory);
	foreign_close_socket(s->sock, s->account);
	if (s->bell_in >= 0) {
		close(s->bell_in);
		close(s->bell_out);
	}
	user_account_put(s->account);
	free(s);
}
