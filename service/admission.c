/*
 * Admission of connections: refusals, quotas of sessions, descriptors reserved for administrators.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/foreign.h"
#include "service/memory_quota.h"
#include "service/server_impl.h"
#include "service/session.h"

enum { RESERVED_SESSIONS = 4 };

/* The delay before released descriptors are reserved again. */
static const uint64_t spare_rest_ns = 200 * 1000000ull;

/* ---- Quotas ---- */

static uint32_t count_of_user(const struct server *server, uid_t uid) {
	uint32_t n = 0;
	for (const struct session *s = server->sessions; s; s = s->next) {
		n += s->is_admitted && !s->over_quota && s->uid == uid;
	}
	return n;
}

/* Counts open sessions beyond the quota; *oldest becomes the oldest of them. */
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

/* Returns the name of the quota that refuses one more session, or NULL. */
static const char *quota_of_sessions(const struct server *server, const struct session *s) {
	const uint32_t of_user = server->settings.user_sessions;
	struct session *oldest;
	if (server->n_sessions - count_reserved(server, &oldest) >= server->settings.max_sessions) {
		return "quota of sessions used up";
	}
	return of_user && count_of_user(server, s->uid) >= of_user ?
			"quota of user-sessions used up" :
			memory_quota_error(s, 0, 0);
}

/*
 * Makes room for one more session beyond the quota: ends the oldest of them if there are too many.
 */
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

void server_fill_spare(void *owner) {
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

void server_spare_end(struct server *server) {
	if (!spare_fill(&server->spare)) {
		loop_timer_set(server->loop, &server->spare_timer, loop_now_ns() + spare_rest_ns);
	}
}

/* ---- Connections ---- */

/* Whether the peer has a group besides its primary one. */
static bool is_member(int sock, gid_t group) {
	gid_t groups[256];
	socklen_t size = sizeof(groups);
	if (getsockopt(sock, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0) {
		return false; /* an old kernel, or a user with very many groups */
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
		server_log_of(server, LOG_STRANGERS, LOG_LEVEL_ERROR,
				"event=session_refused error=\"%s\"", strerror(-ret));
		return ret;
	}
	s->next = server->sessions;
	server->sessions = s;
	return 0;
}

int server_add_client(struct server *server, int sock) {
	return add(server, sock, 0, geteuid());
}

/* Sends the reason, if possible, and disconnects. */
static void refuse(struct server *server, int sock, int error, const char *why) {
	struct pica_msg_error m;
	memset(&m, 0, sizeof(m));
	m.head.type = PICA_MSG_ERROR;
	m.error = error;
	snprintf(m.text, sizeof(m.text), "%s", why);
	sock_send(sock, &m, sizeof(m), NULL, 0);
	foreign_close_socket(sock, NULL);
	metrics_refused(&server->metrics, error);
	server_log_of(server, LOG_STRANGERS, LOG_LEVEL_WARNING,
			"event=connection_refused why=\"%s\"", why);
}

/* Returns the number of sessions of a user, or of all, that have not sent HELLO. */
static uint32_t count_greeting(const struct server *server, const uid_t *uid) {
	uint32_t n = 0;
	for (const struct session *s = server->sessions; s; s = s->next) {
		n += s->state == SESSION_GREETING && (!uid || s->uid == *uid);
	}
	return n;
}

/* Returns the oldest silent session of the user who has the most, counting the new one. */
static struct session *oldest_of_the_busiest_user(const struct server *server, uid_t newcomer) {
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
 * Reads a HELLO that has arrived by now, or disconnects the oldest silent peer, for a newcomer.
 * Must not be called within an event of a session. Returns false if a peer had to be disconnected
 * but none is silent.
 */
static bool make_room(struct server *server, uid_t newcomer, bool has_to) {
	uint32_t n;
	while ((n = count_greeting(server, NULL)) >= server->settings.max_greeting ||
			(has_to && n > 0)) {
		struct session *s = oldest_of_the_busiest_user(server, newcomer);
		s->has_mail = true;
		session_run(s);
		if (s->state == SESSION_GREETING) {
			session_break(s, -EAGAIN, "too many connections at a time");
			has_to = false;
		}
		server_free_broken(server); /* at once, since more connections arrive than there are
		 * descriptors */
	}
	return !has_to;
}

/*
 * Takes sock. is_last: it uses a reserved descriptor; unless the oldest silent peer can be
 * disconnected, only an administrator is accepted.
 */
void server_accept(void *owner, int sock, bool is_last) {
	struct server *server = owner;
	struct ucred peer;
	socklen_t size = sizeof(peer);
	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) {
		refuse(server, sock, -EPERM, "no credentials");
	} else if (!may_connect(server, sock, &peer)) {
		refuse(server, sock, -EACCES, "not allowed for this user");
	} else if (!make_room(server, peer.uid, is_last) && !is_administrator(peer.uid)) {
		refuse(server, sock, -EMFILE, "the service is out of descriptors");
	} else {
		add(server, sock, peer.pid, peer.uid);
	}
}
