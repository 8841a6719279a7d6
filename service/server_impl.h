/* Internals of the server, shared by the files of the service. */
#ifndef SERVICE_SERVER_IMPL_H
#define SERVICE_SERVER_IMPL_H

#include <stdatomic.h>

#include "service/acceptor.h"
#include "service/log_limit.h"
#include "service/metrics.h"
#include "service/region.h"
#include "service/server.h"
#include "service/spare.h"
#include "sock.h"

struct archive;
struct presenter;
struct reaper;
struct session;

struct server {
	struct server_settings settings;
	struct loop *loop;
	struct pica_device *device;
	struct reaper *reaper;
	struct regions regions;
	struct loop_watch *regions_watch, *fault_watch;
	struct archive *archive; /* NULL: nothing is recorded */
	struct presenter *presenter; /* NULL: no display */
	struct loop_watch *present_watch;
	struct present_state present_state;
	struct session *sessions;
	struct user_account *accounts; /* a reference to each user's */
	uint32_t n_sessions;  /* that sent HELLO and were admitted */
	uint64_t last_id, boot;
	struct metrics metrics;
	/* a reload sets it, any thread that logs reads it; relaxed */
	atomic_int log_level;
	struct log_limit log_limit;
	struct acceptor acceptor;
	struct loop_timer spare_timer;
	struct loop_task free_task;
	struct spare spare;
	struct sock_message mail; /* the message that is being handled */
	atomic_bool want_stop;
	bool is_stopping;
	uint64_t stop_by_ns; /* limit of the stop, by loop_now_ns() */
};

/* Returns an open session, or NULL. */
struct session *server_find_session(const struct server *server, uint64_t id);

/* ---- admission.c ---- */

/* An acceptor_fn: a new connection. */
void server_accept(void *owner, int sock, bool is_last);
/* A timer function: reserves descriptors again. */
void server_fill_spare(void *owner);
/*
 * Counts a session that has sent HELLO. Returns NULL, or the name of the exhausted quota. An
 * administrator's session is admitted even then, so that it can end others, but may not create
 * anything (over_quota).
 */
const char *server_admit(struct server *server, struct session *s);
/*
 * Call when no descriptors are left: releases those reserved for administrators. Returns false if
 * there are none. server_spare_end() reserves them again.
 */
bool server_spare_begin(struct server *server);
void server_spare_end(struct server *server);
/* Marks an admitted session of an administrator as beyond the quota. */
void server_put_beyond_quota(struct server *server, struct session *s, const char *quota);
/* ---- server.c ---- */

/*
 * Free broken sessions: server_free_broken() at once, not to be called from a session's event;
 * server_free_later() after this round of events.
 */
void server_free_broken(struct server *server);
void server_free_later(struct server *server);

/* The rest of server_destroy(), after the archive has ended. */
void server_end(struct server *server);

/* One line of logfmt: event=name key=value ... */
void server_log(const struct server *server, enum log_level level, const char *fmt, ...)
		__attribute__((format(printf, 3, 4)));
/* The same for a line that a client can cause: subject to the limits of log_limit.h. */
void server_log_of(struct server *server, uint64_t who, enum log_level level, const char *fmt, ...)
		__attribute__((format(printf, 4, 5)));

#endif
