#include "service/server.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "service/acceptor.h"
#include "service/context.h"
#include "service/fault.h"
#include "service/foreign.h"
#include "service/logfmt.h"
#include "service/memory_quota.h"
#include "service/reaper.h"
#include "service/present.h"
#include "service/record.h"
#include "service/server_impl.h"
#include "service/session.h"
#include "service/spare.h"

enum { LINE_BYTES = 1024 };

/* ---- Log ---- */

static bool is_wanted(const struct server *server, enum log_level level) {
	const int most = atomic_load_explicit(&server->log_level, memory_order_relaxed);
	return server->settings.log && (int)level <= most;
}

static void put_line(const struct server *server, enum log_level level, const char *fmt,
		va_list args) {
	char line[LINE_BYTES];
	logfmt_line(line, sizeof(line), fmt, args);
	server->settings.log(server->settings.log_user, level, line);
}

void server_log(const struct server *server, enum log_level level, const char *fmt, ...) {
	va_list args;
	va_start(args, fmt);
	if (is_wanted(server, level)) {
		put_line(server, level, fmt, args);
	}
	va_end(args);
}

void server_log_of(struct server *server, uint64_t who, enum log_level level, const char *fmt,
		...) {
	va_list args;
	va_start(args, fmt);
	if (is_wanted(server, level) && log_limit_allows(server, who, fmt)) {
		put_line(server, level, fmt, args);
	}
	va_end(args);
}

/* Log lines of the engine, from any of its threads. */
static void on_engine_log(void *user, enum pica_log_level level, const char *line) {
	server_log(user, (enum log_level)level, "event=engine text=\"%s\"", line);
}

/* About a session's context. */
static void on_session_log(
		void *user, uint64_t session, enum pica_log_level level, const char *line) {
	server_log_of(user, log_session(session), (enum log_level)level,
			"event=engine session=%llu text=\"%s\"", (unsigned long long)session, line);
}

/* The display's; from its thread. */
static void on_display_log(void *user, enum log_level level, const char *line) {
	const struct server *server = user;
	if (is_wanted(server, level)) {
		server->settings.log(server->settings.log_user, level, line);
	}
}

/* ---- What others ask ---- */

struct loop *server_loop(struct server *server) {
	return server->loop;
}

const char *server_loop_name(const struct server *server) {
	return loop_name(server->loop);
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

/* ---- Sessions ---- */

void server_free_broken(struct server *server) {
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
	server_spare_end(server); /* before the free descriptors are used elsewhere */
}

static void on_free(void *owner) {
	server_free_broken(owner);
}

void server_free_later(struct server *server) {
	loop_post(server->loop, &server->free_task);
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
	foreign_allow(listener, false); /* until HELLO is answered */
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
	regions_limit(&server->regions, settings->total_memory_bytes, settings->user_memory_bytes);
	server->settings.user_cpu_ns_per_s = settings->user_cpu_ns_per_s;
	server->settings.max_greeting = settings->max_greeting;
	server->settings.hello_ns = settings->hello_ns;
	server->settings.job_ns = settings->job_ns;
	server->settings.max_priority = settings->max_priority;
	atomic_store_explicit(
			&server->log_level, (int)settings->log_level, memory_order_relaxed);
	for (struct session *s = server->sessions; s; s = s->next) {
		if (s->state == SESSION_OPEN) {
			s->limits = settings->limits;
			pica_memory_limit(s->memory, s->limits.memory_bytes);
			session_unthrottle(s);
			session_event(s, &event);
		}
	}
	pica_device_trim(server->device);
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
	const uint64_t ns = server->settings.stop_ns;
	server->stop_by_ns = ns ? loop_now_ns() + ns : UINT64_MAX;
	/* Completes submitted jobs, as far as a session may have jobs in flight. */
	for (struct session *s = server->sessions; s; s = s->next) {
		for (unsigned i = 0; i < 16; i++) {
			session_run(s);
		}
	}
	server->is_stopping = true;
	/* Sessions that have used up their processor time need not wait for more. */
	for (struct session *s = server->sessions; s; s = s->next) {
		session_run(s);
	}
	acceptor_close(&server->acceptor);
	server_log(server, LOG_LEVEL_INFO, "event=stopping sessions=%u", server_sessions(server));
}

/* -1: as long as it takes. */
static int64_t time_to_drain(const struct server *server) {
	if (!server->is_stopping || server->stop_by_ns == UINT64_MAX) {
		return -1;
	}
	const uint64_t until = server->stop_by_ns - server->settings.stop_ns / 3 * 2;
	const uint64_t now = loop_now_ns();
	return now < until ? (int64_t)(until - now) : 0;
}

int server_run(struct server *server) {
	int ret = 0;
	while (ret == 0) {
		if (atomic_load(&server->want_stop) && !server->is_stopping) {
			begin_stop(server);
		}
		const int64_t left_ns = time_to_drain(server);
		if (server->is_stopping && (is_idle(server) || left_ns == 0)) {
			break;
		}
		ret = loop_step(server->loop, left_ns);
		log_limit_look(server);
	}
	for (struct session *s = server->sessions; s; s = s->next) {
		record_session(s, false); /* before contexts that the reaper waits for */
		if (s->state == SESSION_OPEN) {
			session_break(s, -ESHUTDOWN, "the service stops");
		} else {
			s->state = SESSION_BROKEN;
		}
	}
	server_free_broken(server);
	return ret;
}

void server_stop(struct server *server) {
	atomic_store(&server->want_stop, true);
	loop_wake(server->loop);
}

/* ---- Life ---- */

void server_end(struct server *server) {
	pica_device_destroy(server->device);
	reaper_destroy(server->reaper);
	for (struct user_account *d; (d = server->accounts);) {
		server->accounts = d->next;
		user_account_put(d);
	}
	regions_finish(&server->regions);
	log_limit_finish(server);
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
	s->record_user_bytes = UINT64_C(32) << 30;
	s->record_total_bytes = UINT64_C(128) << 30;
	s->record_user_files = 1024;
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
	s->total_memory_bytes = memory_quota_default();
}

static void on_present(void *owner, uint32_t events) {
	present_collect(owner);
}

static void on_regions(void *owner, uint32_t events) {
	regions_update(owner);
}

/* Ends the sessions whose memory faulted, with an error. */
static void on_fault(void *owner, uint32_t events) {
	struct server *server = owner;
	uint64_t count;
	const ssize_t n = read(fault_fd(), &count, sizeof(count));
	(void)n; /* empty: another one has read it */
	for (struct session *s = server->sessions; s; s = s->next) {
		bool has_fault = s->ring_memory && fault_has_been(s->ring_memory->fault);
		for (uint32_t i = 0; i < s->n_regions; i++) {
			has_fault |= fault_has_been(s->regions[i]->fault);
		}
		if (has_fault) {
			session_break(s, -EFAULT, "a page of its memory is not available (SIGBUS)");
		}
	}
}

/* Without inotify or /proc, the service works without watching memory. */
static int open_regions(struct server *server) {
	const int ret = regions_init(&server->regions, server->reaper);
	if (!server->regions.memory) {
		return ret;
	}
	regions_limit(&server->regions, server->settings.total_memory_bytes,
			server->settings.user_memory_bytes);
	if (ret < 0) {
		server_log(server, LOG_LEVEL_WARNING, "event=memory_unwatched error=\"%s\"",
				strerror(-ret));
		return 0;
	}
	return loop_watch_add(server->loop, &server->regions_watch, server->regions.inotify,
			on_regions, &server->regions);
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
	acceptor_init(&server->acceptor, server, server_accept, server);
	atomic_init(&server->want_stop, false);
	atomic_init(&server->log_level, (int)settings->log_level);
	server->free_task.fn = on_free;
	server->free_task.owner = server;
	log_limit_init(server);
	server->spare_timer.fn = server_fill_spare;
	server->spare_timer.owner = server;
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
	ret = open_regions(server);
	if (ret < 0) {
		goto err_reaper;
	}
	server->settings.device.log = on_engine_log;
	server->settings.device.owner_log = on_session_log;
	server->settings.device.log_user = server;
	/* All lines: a reload may change the wanted level, but the device's level is fixed. */
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
	if (fault_fd() >= 0) {
		ret = loop_watch_add(server->loop, &server->fault_watch, fault_fd(), on_fault,
				server);
		if (ret < 0) {
			goto err_archive;
		}
	}
	*out = server;
	return 0;

err_archive:
	presenter_destroy(server->presenter, UINT64_MAX); /* idle, both */
	archive_destroy(server->archive, UINT64_MAX);
err_device:
	pica_device_destroy(server->device);
err_reaper:
	reaper_stop(server->reaper, UINT64_MAX);
	reaper_destroy(server->reaper);
	regions_finish(&server->regions);
err_loop:
	loop_destroy(server->loop);
err_free:
	log_limit_finish(server);
	free(server);
	return ret;
}

bool server_destroy(struct server *server) {
	if (!server) {
		return true;
	}
	const uint64_t until_ns = server->stop_by_ns ? server->stop_by_ns : UINT64_MAX;
	for (struct session *s = server->sessions; s; s = s->next) {
		s->state = SESSION_BROKEN;
	}
	server_free_broken(server);
	acceptor_close(&server->acceptor);
	/* contexts end before their device */
	const bool is_reaped = reaper_stop(server->reaper, until_ns);
	loop_watch_remove(server->loop, server->regions_watch);
	loop_watch_remove(server->loop, server->fault_watch);
	loop_watch_remove(server->loop, server->present_watch);
	const bool is_dark = presenter_destroy(server->presenter, until_ns);
	if (!is_reaped) {
		server_log(server, LOG_LEVEL_WARNING,
				"event=stopped_early contexts=%u text=\"their work and their "
				"recordings end unfinished\"",
				reaper_pending(server->reaper));
	}
	if (!is_dark) {
		server_log(server, LOG_LEVEL_WARNING,
				"event=stopped_early text=\"the display does not answer\"");
	}
	if (!is_reaped || !is_dark) {
		return false; /* its threads have everything else */
	}
	const bool is_done = archive_destroy(server->archive, until_ns);
	spare_release(&server->spare);
	loop_destroy(server->loop);
	if (is_done) {
		server_end(server);
	}
	return is_done;
}
