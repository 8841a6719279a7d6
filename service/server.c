#include "service/server.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/acceptor.h"
#include "service/context.h"
#include "service/logfmt.h"
#include "service/memory_quota.h"
#include "service/metrics.h"
#include "service/reaper.h"
#include "service/present.h"
#include "service/record.h"
#include "service/server_impl.h"
#include "service/session.h"
#include "service/spare.h"

enum { LINE_BYTES = 1024, REFUSALS_A_SECOND = 10, RESERVED_SESSIONS = 4 };

/* How soon it tries to hold again what it has released. */
static const uint64_t spare_rest_ns = 200 * 1000000ull;
static const uint64_t second_ns = 1000000000;

struct server {
	struct server_settings settings;
	struct loop *loop;
	struct pica_device *device;
	struct reaper *reaper;
	struct archive *archive; /* NULL: nothing is recorded */
	struct presenter *presenter; /* NULL: no display */
	struct loop_watch *present_watch;
	struct present_state present_state;
	struct session *sessions;
	uint32_t n_sessions;  /* that have said HELLO and were welcome */
	uint32_t n_refusals;  /* in this second */
	uint64_t last_id, boot;
	struct metrics metrics;
	/* a reload sets it, any thread that has something to say reads it; in no order */
	atomic_int log_level;
	struct acceptor acceptor;
	struct loop_timer refusal_timer, spare_timer;
	struct loop_task bury_task;
	struct spare spare;
	atomic_bool want_stop;
	bool is_stopping;
};

/* ---- Log ---- */

static bool is_wanted(const struct server *server, enum log_level level) {
	const int most = atomic_load_explicit(&server->log_level, memory_order_relaxed);
	return server->settings.log && (int)level <= most;
}

void server_log(const struct server *server, enum log_level level, const char *fmt, ...) {
	char line[LINE_BYTES];
	va_list args;
	if (!is_wanted(server, level)) {
		return;
	}
	va_start(args, fmt);
	logfmt_line(line, sizeof(line), fmt, args);
	va_end(args);
	server->settings.log(server->settings.log_user, level, line);
}

/* Anybody can be refused as often as he likes: a second has so many lines, then a sum. */
bool server_may_log_refusal(struct server *server) {
	if (server->n_refusals == 0) {
		loop_timer_set(server->loop, &server->refusal_timer, loop_now_ns() + second_ns);
	}
	return ++server->n_refusals <= REFUSALS_A_SECOND;
}

static void sum_refusals_up(void *owner) {
	struct server *server = owner;
	if (server->n_refusals > REFUSALS_A_SECOND) {
		server_log(server, LOG_LEVEL_WARNING, "event=refusals_unsaid lines=%u",
				server->n_refusals - REFUSALS_A_SECOND);
	}
	server->n_refusals = 0;
}

/* The engine's words; from any of its threads. */
static void on_engine_log(void *user, enum pica_log_level level, const char *line) {
	server_log(user, (enum log_level)level, "event=engine text=\"%s\"", line);
}

/* About a session's context. */
static void on_session_log(
		void *user, uint64_t session, enum pica_log_level level, const char *line) {
	server_log(user, (enum log_level)level, "event=engine session=%llu text=\"%s\"",
			(unsigned long long)session, line);
}

/* The display's; from its thread. */
static void on_display_log(void *user, enum log_level level, const char *line) {
	const struct server *server = user;
	if (is_wanted(server, level)) {
		server->settings.log(server->settings.log_user, level, line);
	}
}

/* ---- What the files of the service ask for ---- */

struct loop *server_loop(struct server *server) {
	return server->loop;
}

const char *server_loop_name(const struct server *server) {
	return loop_name(server->loop);
}

struct pica_device *server_device(const struct server *server) {
	return server->device;
}

struct reaper *server_reaper(const struct server *server) {
	return server->reaper;
}

struct presenter *server_presenter(const struct server *server) {
	return server->presenter;
}

struct present_state *server_present_state(struct server *server) {
	return &server->present_state;
}

struct archive *server_archive(const struct server *server) {
	return server->archive;
}

const struct server_settings *server_get_settings(const struct server *server) {
	return &server->settings;
}

struct metrics *server_metrics(struct server *server) {
	return &server->metrics;
}

uint64_t server_boot(const struct server *server) {
	return server->boot;
}

uint64_t server_new_id(struct server *server) {
	return ++server->last_id;
}

bool server_is_stopping(const struct server *server) {
	return server->is_stopping;
}

struct session *server_first_session(const struct server *server) {
	return server->sessions;
}

struct session *server_find_session(const struct server *server, uint64_t id) {
	struct session *s = server->sessions;
	while (s && (s->id != id || s->state != SESSION_OPEN)) {
		s = s->next;
	}
	return s;
}

uint32_t server_sessions(const struct server *server) {
	return server->n_sessions;
}

static uint32_t count_of_user(const struct server *server, uid_t uid) {
	uint32_t n = 0;
	for (const struct session *s = server->sessions; s; s = s->next) {
		n += s->is_admitted && !s->over_quota && s->uid == uid;
	}
	return n;
}

/* Those beyond the quota that are still open; the oldest of them. */
static uint32_t count_reserved(const struct server *server, struct session **oldest) {
	uint32_t n = 0;
	for (struct session *s = server->sessions; s; s = s->next) {
		if (s->over_quota && s->state == SESSION_OPEN) {
			*oldest = !n || s->id < (*oldest)->id ? s : *oldest;
			n++;
		}
	}
	return n;
}

/* NULL, or which quota has no place for one more session. */
static const char *quota_of_sessions(const struct server *server, const struct session *s) {
	const uint32_t of_user = server->settings.user_sessions;
	struct session *oldest;
	if (server->n_sessions - count_reserved(server, &oldest) >= server->settings.max_sessions) {
		return "quota of sessions used up";
	}
	return of_user && count_of_user(server, s->uid) >= of_user ?
			"quota of user-sessions used up" :
			NULL;
}

/* For one more beyond the quota. */
static void make_place(struct server *server, const char *quota) {
	struct session *oldest;
	if (count_reserved(server, &oldest) >= RESERVED_SESSIONS) {
		session_break(oldest, -EDQUOT, quota);
	}
}

const char *server_admit(struct server *server, struct session *s) {
	if (server->is_stopping) {
		return "the service stops";
	}
	s->over_quota = quota_of_sessions(server, s);
	if (s->over_quota && !s->is_admin) {
		return s->over_quota;
	}
	if (s->over_quota) {
		make_place(server, s->over_quota);
	}
	server->n_sessions++;
	server->metrics.opened++;
	return NULL;
}

static void on_spare(void *owner) {
	server_spare_end(owner);
}

bool server_spare_begin(struct server *server) {
	return spare_release(&server->spare);
}

void server_put_beyond_quota(struct server *server, struct session *s, const char *quota) {
	if (!s->over_quota) {
		make_place(server, quota);
		s->over_quota = quota;
	}
}

/* ---- Sessions ---- */

void server_spare_end(struct server *server) {
	if (!spare_fill(&server->spare)) {
		loop_timer_set(server->loop, &server->spare_timer, loop_now_ns() + spare_rest_ns);
	}
}

static void bury_broken(struct server *server) {
	struct session **link = &server->sessions;
	while (*link) {
		struct session *s = *link;
		if (s->state == SESSION_BROKEN) {
			*link = s->next;
			server->n_sessions -= s->is_admitted;
			session_destroy(s);
		} else {
			link = &s->next;
		}
	}
	server_spare_end(server); /* before somebody else has what is free now */
}

static void on_bury(void *owner) {
	bury_broken(owner);
}

void server_bury_later(struct server *server) {
	loop_post(server->loop, &server->bury_task);
}

/* Whether the peer has a group besides its primary one. */
static bool is_member(int sock, gid_t group) {
	gid_t groups[256];
	socklen_t size = sizeof(groups);
	if (getsockopt(sock, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0) {
		return false; /* an old kernel, or somebody with more groups than anybody has */
	}
	for (size_t i = 0; i < size / sizeof(groups[0]); i++) {
		if (groups[i] == group) {
			return true;
		}
	}
	return false;
}

static bool may_connect(const struct server *server, int sock, const struct ucred *peer) {
	switch (server->settings.access) {
	case SERVER_ACCESS_ALL:
		return true;
	case SERVER_ACCESS_GROUP:
		if (peer->gid == server->settings.group ||
				is_member(sock, server->settings.group)) {
			return true;
		}
		break;
	case SERVER_ACCESS_USER:
		break;
	}
	return peer->uid == geteuid() || peer->uid == 0;
}

static bool is_administrator(uid_t uid) {
	return uid == 0 || uid == geteuid();
}

static int add(struct server *server, int sock, pid_t pid, uid_t uid) {
	struct session *s;
	int ret = session_create(&s, server, sock, pid, uid, is_administrator(uid));
	if (ret < 0) {
		if (server_may_log_refusal(server)) {
			server_log(server, LOG_LEVEL_ERROR, "event=session_refused error=\"%s\"",
					strerror(-ret));
		}
		return ret;
	}
	s->next = server->sessions;
	server->sessions = s;
	return 0;
}

int server_add_client(struct server *server, int sock) {
	return add(server, sock, 0, geteuid());
}

/* Says why before hanging up; if it cannot be said, the hanging up says it. */
static void refuse(struct server *server, int sock, int error, const char *why) {
	struct pica_msg_error m;
	memset(&m, 0, sizeof(m));
	m.head.type = PICA_MSG_ERROR;
	m.error = error;
	snprintf(m.text, sizeof(m.text), "%s", why);
	sock_send(sock, &m, sizeof(m), NULL, 0);
	close(sock);
	metrics_refused(&server->metrics, error);
	if (server_may_log_refusal(server)) {
		server_log(server, LOG_LEVEL_WARNING, "event=connection_refused why=\"%s\"", why);
	}
}

/* How many of a user, or of all, have not said HELLO. */
static uint32_t count_greeting(const struct server *server, const uid_t *uid) {
	uint32_t n = 0;
	for (const struct session *s = server->sessions; s; s = s->next) {
		n += s->state == SESSION_GREETING && (!uid || s->uid == *uid);
	}
	return n;
}

/* The oldest of the user who has most of them, where the one who comes counts as there. */
static struct session *who_gives_way(const struct server *server, uid_t newcomer) {
	struct session *oldest = NULL;
	uint32_t most = 0;
	for (struct session *s = server->sessions; s; s = s->next) {
		if (s->state == SESSION_GREETING) {
			uint32_t n = count_greeting(server, &s->uid) + (s->uid == newcomer);
			if (n > most || (n == most && s->id < oldest->id)) {
				oldest = s;
				most = n;
			}
		}
	}
	return oldest;
}

/*
 * Who said HELLO meanwhile is heard; who is silent has no right to stay before a newcomer. Not
 * within an event of a session. False: one had to go, and there was none.
 */
static bool make_room(struct server *server, uid_t newcomer, bool has_to) {
	uint32_t n;
	while ((n = count_greeting(server, NULL)) >= server->settings.max_greeting ||
			(has_to && n > 0)) {
		struct session *s = who_gives_way(server, newcomer);
		s->has_mail = true;
		session_run(s);
		if (s->state == SESSION_GREETING) {
			session_break(s, -EAGAIN, "too many connections at a time");
			has_to = false;
		}
		bury_broken(server); /* at once: more come than there are descriptors */
	}
	return !has_to;
}

/* Takes sock. Where it is the last, whoever is silent gives way, or it is an administrator's. */
static void receive(void *owner, int sock, bool is_last) {
	struct server *server = owner;
	struct ucred peer;
	socklen_t size = sizeof(peer);
	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) {
		refuse(server, sock, -EPERM, "no credentials");
	} else if (!may_connect(server, sock, &peer)) {
		refuse(server, sock, -EACCES, "not allowed for this user");
	} else if (!make_room(server, peer.uid, is_last) && !is_administrator(peer.uid)) {
		refuse(server, sock, -EMFILE, "descriptors of the service used up");
	} else {
		add(server, sock, peer.pid, peer.uid);
	}
}

int server_listen(struct server *server, int listener) {
	if (server->is_stopping) {
		close(listener);
		return -ESHUTDOWN;
	}
	if (server->acceptor.listener < 0) {
		spare_init(&server->spare);
		server_spare_end(server);
	}
	return acceptor_listen(&server->acceptor, listener);
}

int server_reload(struct server *server, const struct server_settings *settings) {
	const struct pica_event event = { .type = PICA_EVENT_RELOADED, .time_ns = loop_now_ns() };
	if (server->presenter) {
		int ret = presenter_reload(server->presenter, &settings->present);
		if (ret < 0) {
			return ret;
		}
	}
	server->settings.limits = settings->limits;
	server->settings.access = settings->access;
	server->settings.group = settings->group;
	server->settings.max_sessions = settings->max_sessions;
	server->settings.user_sessions = settings->user_sessions;
	server->settings.total_memory_bytes = settings->total_memory_bytes;
	server->settings.user_memory_bytes = settings->user_memory_bytes;
	server->settings.max_greeting = settings->max_greeting;
	server->settings.hello_ns = settings->hello_ns;
	server->settings.job_ns = settings->job_ns;
	server->settings.max_priority = settings->max_priority;
	atomic_store_explicit(
			&server->log_level, (int)settings->log_level, memory_order_relaxed);
	for (struct session *s = server->sessions; s; s = s->next) {
		if (s->state == SESSION_OPEN) {
			s->limits = settings->limits;
			session_event(s, &event);
		}
	}
	server_log(server, LOG_LEVEL_INFO, "event=reloaded sessions=%u", server_sessions(server));
	return 0;
}

/* ---- Stopping ---- */

static bool is_idle(const struct server *server) {
	for (const struct session *s = server->sessions; s; s = s->next) {
		for (const struct context *c = s->contexts; c; c = c->next_context) {
			if (c->engine_jobs || record_keeps_waiting(c)) {
				return false;
			}
		}
	}
	return true;
}

static void begin_stop(struct server *server) {
	/* What was submitted by now is done, as far as a session may have jobs in flight. */
	for (struct session *s = server->sessions; s; s = s->next) {
		for (unsigned i = 0; i < 16; i++) {
			session_run(s);
		}
	}
	server->is_stopping = true;
	/* Those that have used up their processor time need not wait for more. */
	for (struct session *s = server->sessions; s; s = s->next) {
		session_run(s);
	}
	acceptor_close(&server->acceptor);
	server_log(server, LOG_LEVEL_INFO, "event=stopping sessions=%u", server_sessions(server));
}

int server_run(struct server *server) {
	int ret = 0;
	while (ret == 0) {
		if (atomic_load(&server->want_stop) && !server->is_stopping) {
			begin_stop(server);
		}
		if (server->is_stopping && is_idle(server)) {
			break;
		}
		ret = loop_step(server->loop, -1);
	}
	sum_refusals_up(server);
	for (struct session *s = server->sessions; s; s = s->next) {
		if (s->state == SESSION_OPEN) {
			session_break(s, -ESHUTDOWN, "the service stops");
		} else {
			s->state = SESSION_BROKEN;
		}
	}
	bury_broken(server);
	return ret;
}

void server_stop(struct server *server) {
	atomic_store(&server->want_stop, true);
	loop_stop(server->loop);
}

/* ---- Life ---- */

void server_end(struct server *server) {
	pica_device_destroy(server->device);
	free(server);
}

void server_settings_init(struct server_settings *s) {
	memset(s, 0, sizeof(*s));
	s->loop = LOOP_AUTO;
	s->access = SERVER_ACCESS_USER;
	s->max_sessions = 64;
	s->max_greeting = 16;
	s->hello_ns = 2000000000ull;
	s->max_priority = 0;
	s->record_bytes = UINT64_C(4) << 30;
	s->record_queue_bytes = 64 << 20;
	s->record_patience_ns = UINT64_C(10000000000);
	s->job_ns = 60000000000ull;
	s->log_level = LOG_LEVEL_INFO;
	pica_settings_init(&s->device);
	present_settings_init(&s->present);
	const uint64_t mib = 1 << 20;
	s->limits = (struct pica_limits){ .memory_bytes = 512 * mib,
		.region_bytes = 256 * mib,
		.regions = 64,
		.contexts = 8,
		.jobs = 512,
		.presents = 2,
		.list_words = 16 * mib,
		.list_jumps = 65536,
		.vertices = 64 * mib,
		.shader_steps = mib,
		.pixels = 4096 * mib,
		.job_steps = 1024 * mib };
	s->total_memory_bytes = memory_quota_default(s->limits.memory_bytes);
}

static void on_present(void *owner, uint32_t events) {
	present_collect(owner);
}

static int open_display(struct server *server) {
	struct display_settings *display = &server->settings.present.display;
	if (!server->settings.present.impl) {
		return 0;
	}
	display->log = on_display_log;
	display->log_user = server;
	int ret = presenter_create(&server->presenter, &server->settings.present, server->device);
	return ret < 0 ? ret :
			 loop_watch_add(server->loop, &server->present_watch,
					 presenter_fd(server->presenter), on_present, server);
}

int server_create(struct server **out, const struct server_settings *settings) {
	struct server *server = calloc(1, sizeof(*server));
	if (!server) {
		return -ENOMEM;
	}
	server->settings = *settings;
	acceptor_init(&server->acceptor, server, receive, server);
	atomic_init(&server->want_stop, false);
	atomic_init(&server->log_level, (int)settings->log_level);
	server->bury_task.fn = on_bury;
	server->bury_task.owner = server;
	server->refusal_timer.fn = sum_refusals_up;
	server->spare_timer.fn = on_spare;
	server->refusal_timer.owner = server->spare_timer.owner = server;
	if (getrandom(&server->boot, sizeof(server->boot), 0) != sizeof(server->boot)) {
		server->boot = loop_now_ns();
	}
	int ret = loop_create(&server->loop, settings->loop);
	if (ret < 0) {
		goto err_free;
	}
	ret = reaper_create(&server->reaper);
	if (ret < 0) {
		goto err_loop;
	}
	server->settings.device.log = on_engine_log;
	server->settings.device.owner_log = on_session_log;
	server->settings.device.log_user = server;
	/* All of it: which lines are wanted changes with a reload, and a device never does. */
	server->settings.device.log_level = PICA_LOG_DEBUG;
	ret = pica_device_create(&server->device, &server->settings.device);
	if (ret < 0) {
		server_log(server, LOG_LEVEL_ERROR,
				"event=engine_failed isa=%s threads=%u error=\"%s\"",
				settings->device.isa ? settings->device.isa : "best",
				settings->device.n_threads, strerror(-ret));
		goto err_reaper;
	}
	if (settings->record_folder) {
		ret = archive_create(&server->archive, server, settings->record_folder,
				settings->record_bytes);
		if (ret < 0) {
			goto err_device;
		}
	}
	ret = open_display(server);
	if (ret < 0) {
		goto err_archive;
	}
	*out = server;
	return 0;

err_archive:
	presenter_destroy(server->presenter);
	archive_destroy(server->archive); /* idle */
err_device:
	pica_device_destroy(server->device);
err_reaper:
	reaper_destroy(server->reaper);
err_loop:
	loop_destroy(server->loop);
err_free:
	free(server);
	return ret;
}

void server_destroy(struct server *server) {
	if (!server) {
		return;
	}
	for (struct session *s = server->sessions; s; s = s->next) {
		s->state = SESSION_BROKEN;
	}
	bury_broken(server);
	acceptor_close(&server->acceptor);
	reaper_destroy(server->reaper); /* contexts end before their device */
	loop_watch_remove(server->loop, server->present_watch);
	presenter_destroy(server->presenter);
	const bool is_done = archive_destroy(server->archive);
	spare_release(&server->spare);
	loop_destroy(server->loop);
	if (is_done) {
		server_end(server);
	}
}
