#include "service/log_limit.h"

#include <string.h>

#include "service/server_impl.h"

static const uint64_t second_ns = 1000000000;

/* "event=NAME ...": NAME */
static void name_of(char out[32], const char *fmt) {
	const char *name = fmt ? fmt + sizeof("event=") - 1 : "others";
	const size_t n = strcspn(name, " ");
	memcpy(out, name, n < 31 ? n : 31);
	out[n < 31 ? n : 31] = 0;
}

static void tell(const struct server *server, const struct log_kind *k) {
	const unsigned most = k->fmt ? LOG_LIMIT_LINES : 0;
	char name[32];
	if (k->lines <= most) {
		return;
	}
	name_of(name, k->fmt);
	if (k->who == LOG_STRANGERS) {
		server_log(server, LOG_LEVEL_WARNING, "event=lines_left_out of=%s lines=%u", name,
				k->lines - most);
	} else {
		server_log(server, LOG_LEVEL_WARNING, "event=lines_left_out of=%s %s=%llu lines=%u",
				name, k->who >> 63 ? "uid" : "session",
				(unsigned long long)(k->who & ~(UINT64_C(1) << 63)),
				k->lines - most);
	}
}

/* Mutex held: a new second. */
static void begin(struct server *server, uint64_t now_ns) {
	struct log_limit *l = &server->log_limit;
	for (unsigned i = 0; i < l->n; i++) {
		tell(server, &l->kinds[i]);
	}
	tell(server, &l->kinds[LOG_LIMIT_KINDS]);
	l->kinds[LOG_LIMIT_KINDS].lines = 0;
	l->n = 0;
	l->end_ns = now_ns + second_ns;
	atomic_store_explicit(&l->has_more, false, memory_order_relaxed);
}

bool log_limit_allows(struct server *server, uint64_t who, const char *fmt) {
	struct log_limit *l = &server->log_limit;
	const uint64_t now_ns = loop_now_ns();
	pthread_mutex_lock(&l->mutex);
	if (now_ns >= l->end_ns) {
		begin(server, now_ns);
	}
	const bool is_session = who != LOG_STRANGERS && !(who >> 63);
	const unsigned most = is_session ? LOG_LIMIT_OF_SESSIONS : LOG_LIMIT_KINDS;
	unsigned i = 0;
	while (i < l->n && (l->kinds[i].who != who || l->kinds[i].fmt != fmt)) {
		i++;
	}
	if (i == l->n && i < most) {
		l->kinds[l->n++] = (struct log_kind){ who, fmt, 0 };
	} else if (i == l->n) {
		i = LOG_LIMIT_KINDS;
	}
	l->kinds[i].lines++;
	const bool is_allowed = i < LOG_LIMIT_KINDS && l->kinds[i].lines <= LOG_LIMIT_LINES;
	if (!is_allowed) {
		atomic_store_explicit(&l->has_more, true, memory_order_relaxed);
	}
	pthread_mutex_unlock(&l->mutex);
	return is_allowed;
}

static void on_second(void *owner) {
	struct server *server = owner;
	pthread_mutex_lock(&server->log_limit.mutex);
	begin(server, loop_now_ns());
	pthread_mutex_unlock(&server->log_limit.mutex);
}

void log_limit_look(struct server *server) {
	struct log_limit *l = &server->log_limit;
	if (atomic_load_explicit(&l->has_more, memory_order_relaxed)) {
		atomic_store_explicit(&l->has_more, false, memory_order_relaxed);
		loop_timer_set(server->loop, &l->timer, loop_now_ns() + second_ns);
	}
}

void log_limit_init(struct server *server) {
	pthread_mutex_init(&server->log_limit.mutex, NULL);
	server->log_limit.timer = (struct loop_timer){ .fn = on_second, .owner = server };
}

void log_limit_finish(struct server *server) {
	on_second(server);
	pthread_mutex_destroy(&server->log_limit.mutex);
}
