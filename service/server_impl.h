/* The inside of the server, for the files of the service. */
#ifndef SERVICE_SERVER_IMPL_H
#define SERVICE_SERVER_IMPL_H

#include "service/server.h"

struct archive;
struct metrics;
struct present_state;
struct presenter;
struct session;
struct reaper;

struct pica_device *server_device(const struct server *server);
struct reaper *server_reaper(const struct server *server);
/* NULL: there is no display. */
struct presenter *server_presenter(const struct server *server);
/* As the sessions know it. */
struct present_state *server_present_state(struct server *server);
/* NULL: nothing can be recorded. */
struct archive *server_archive(const struct server *server);
const struct server_settings *server_get_settings(const struct server *server);
struct metrics *server_metrics(struct server *server);
/* Random, of this run. */
uint64_t server_boot(const struct server *server);
uint64_t server_new_id(struct server *server);
bool server_is_stopping(const struct server *server);
struct session *server_first_session(const struct server *server);
/* An open one, or NULL. */
struct session *server_find_session(const struct server *server, uint64_t id);
/*
 * The session that has said HELLO is counted as one: NULL, or which quota is used up. That of an
 * administrator, who may have to end others, comes in all the same, but makes nothing (over_quota).
 */
const char *server_admit(struct server *server, struct session *s);
/*
 * No descriptors are left: releases those that are held for administrators. False: there are none.
 * server_spare_end() holds again what is left then.
 */
bool server_spare_begin(struct server *server);
void server_spare_end(struct server *server);
/* The session, which was admitted and is an administrator's, is one beyond the quota. */
void server_put_beyond_quota(struct server *server, struct session *s, const char *quota);
/* Whether a line about a connection that was not welcomed is written, or only counted. */
bool server_may_log_refusal(struct server *server);
/* The session is freed when the current round of events is over. */
void server_bury_later(struct server *server);

/* The rest of server_destroy(), behind the archive. */
void server_end(struct server *server);

/* One line of logfmt: event=name key=value ... */
void server_log(const struct server *server, enum log_level level, const char *fmt, ...)
		__attribute__((format(printf, 3, 4)));

#endif
