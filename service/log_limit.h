/*
 * Limits the log lines that clients can cause: per second, client and kind of line only a few are
 * written; the rest are counted. Any thread.
 */
#ifndef SERVICE_LOG_LIMIT_H
#define SERVICE_LOG_LIMIT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "service/loop.h"

enum {
	LOG_LIMIT_LINES = 10,
	LOG_LIMIT_KINDS = 512,
	LOG_LIMIT_OF_SESSIONS = 384, /* the rest is for users and refused connections */
};

struct log_kind {
	uint64_t who;
	const char *fmt; /* NULL: all kinds beyond LOG_LIMIT_KINDS */
	uint32_t lines;
};

struct log_limit {
	pthread_mutex_t mutex; /* covers what follows */
	uint64_t end_ns;       /* of this second */
	unsigned n;
	struct log_kind kinds[LOG_LIMIT_KINDS + 1];
	atomic_bool has_more; /* omitted lines are not reported yet; relaxed */
	struct loop_timer timer; /* loop's thread: reports them */
};

struct server;

/* Values of `who`: lines about a session, a user, or refused connections. */
static inline uint64_t log_session(uint64_t id) {
	return id;
}

static inline uint64_t log_user(uint32_t uid) {
	return UINT64_C(1) << 63 | uid;
}

enum { LOG_STRANGERS = 0 };

void log_limit_init(struct server *server);
void log_limit_finish(struct server *server);
/* Counts a line of the kind that fmt identifies. Returns whether it is to be written. */
bool log_limit_allows(struct server *server, uint64_t who, const char *fmt);
/* Loop's thread, after each of its rounds: reports omitted lines within a second. */
void log_limit_look(struct server *server);

#endif
