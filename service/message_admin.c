/* Messages about sessions: their list, and actions of administrators on others. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "service/message.h"
#include "service/metrics.h"
#include "service/present.h"
#include "service/presenter.h"
#include "service/record.h"
#include "service/server_impl.h"
#include "service/session.h"

/* ---- The list ---- */

static void fill_info(const struct session *s, struct pica_session_info *out) {
	struct present_state shown = { .shown = 0 };
	struct pica_usage used;
	if (s->server->presenter) {
		presenter_state(s->server->presenter, &shown);
	}
	session_usage(s, &used);
	*out = (struct pica_session_info){ .id = s->id,
		.pid = (uint32_t)s->pid,
		.uid = s->uid,
		.pixels = used.pixels,
		.cpu_ns = used.cpu_ns,
		.jobs = s->jobs,
		.queued = s->outstanding,
		.memory_bytes = s->memory_bytes,
		.lost = s->lost,
		.contexts = s->n_contexts,
		.priority = s->priority,
		.flags = (shown.shown == s->id ? PICA_SESSION_SHOWN : 0u) |
				(s->is_recorded ? PICA_SESSION_RECORDED : 0u) |
				(shown.pinned == s->id ? PICA_SESSION_PINNED : 0u) };
	memcpy(out->name, s->name, sizeof(out->name));
	latencies_percentiles(&s->latencies, &out->p50_us, &out->p99_us);
}

/* The open session with the least number above id that s may see, or NULL. */
static const struct session *next_session(const struct session *s, uint64_t id) {
	const struct session *best = NULL;
	for (const struct session *o = s->server->sessions; o; o = o->next) {
		const bool is_seen = o->state == SESSION_OPEN && o->id > id &&
				(s->is_admin || o == s);
		best = is_seen && (!best || o->id < best->id) ? o : best;
	}
	return best;
}

void message_list_sessions(struct session *s, struct sock_message *raw) {
	const struct pica_msg_object *m = message_body(raw);
	static struct pica_msg_session_list list;
	const struct session *o;
	memset(&list, 0, sizeof(list));
	for (uint64_t last = m->id; (o = next_session(s, last)); last = o->id) {
		if (list.count == PICA_SESSIONS_A_MESSAGE) {
			list.more = 1;
			break;
		}
		fill_info(o, &list.session[list.count++]);
	}
	session_reply(s, &m->head, PICA_MSG_SESSION_LIST, &list, sizeof(list), -1);
}

/* ---- For administrators ---- */

static void send_metrics(struct session *s, const struct pica_message *to) {
	struct pica_msg_text m = { .size_bytes = 0 };
	size_t size_bytes = 0;
	int fd = metrics_memfd(s->server, &size_bytes);
	if (fd == -EMFILE && server_spare_begin(s->server)) {
		fd = metrics_memfd(s->server, &size_bytes);
		server_spare_end(s->server);
	}
	if (fd < 0) {
		session_reply_error(s, to, fd, "out of memory or descriptors for the text");
		return;
	}
	m.size_bytes = size_bytes;
	session_reply(s, to, PICA_MSG_TEXT, &m, sizeof(m), fd);
	close(fd);
}

/* KICK, RECORD. */
static void change_session(struct session *s, const struct pica_msg_object *m) {
	struct session *o = server_find_session(s->server, m->id);
	if (m->head.type == PICA_MSG_RECORD && !s->server->archive) {
		session_reply_error(s, &m->head, -EOPNOTSUPP,
				"the service has no folder for recordings");
	} else if (!o) {
		session_reply_error(s, &m->head, -ENOENT, "no such session");
	} else if (m->head.type == PICA_MSG_RECORD) {
		record_session(o, m->value != 0);
		session_reply_done(s, &m->head, 0);
	} else {
		session_reply_done(s, &m->head, 0);
		session_break(o, -ECANCELED, "ended by an administrator");
	}
}

void message_admin(struct session *s, struct sock_message *raw) {
	const struct pica_msg_object *m = message_body(raw);
	if (!s->is_admin) {
		session_reply_error(s, &m->head, -EPERM, "only for administrators");
	} else if (m->head.type == PICA_MSG_METRICS) {
		send_metrics(s, &m->head);
	} else if (m->head.type == PICA_MSG_FOCUS || m->head.type == PICA_MSG_SCREENSHOT) {
		present_request(s, m);
	} else {
		change_session(s, m);
	}
}
