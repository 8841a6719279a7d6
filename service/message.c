/* Control messages of an open session: the form and the handler of each type. */
#include "service/message.h"

#include <errno.h>
#include <stddef.h>

#include "service/context.h"
#include "service/memory_quota.h"
#include "service/session.h"

static void reply_limits(struct session *s, struct sock_message *raw) {
	session_welcome(s, sock_head(raw), ~0ull, NULL);
}

static void create_context(struct session *s, struct sock_message *raw) {
	const struct pica_msg_context_create *m = message_body(raw);
	const uint32_t mib = 1 << 20;
	const bool sizes_ok = (m->fcram_bytes == 0 || m->fcram_bytes == 128 * mib ||
					      m->fcram_bytes == 256 * mib) &&
			(m->vram_bytes == 0 || m->vram_bytes == 6 * mib);
	const uint32_t all = PICA_ARITHMETIC_OWN | PICA_ARITHMETIC_F32 | PICA_ARITHMETIC_TRUNCATE;
	if ((m->arithmetic & ~all) || (m->arithmetic && !(m->arithmetic & PICA_ARITHMETIC_OWN))) {
		session_reply_error(s, &m->head, -EINVAL, "unknown arithmetic");
		return;
	}
	if (m->chip > PICA_CHIP_VC4) {
		session_reply_error(s, &m->head, -EINVAL, "unknown chip");
		return;
	}
	if (m->chip == PICA_CHIP_VC4 && (m->fcram_bytes || m->vram_bytes || m->arithmetic)) {
		session_reply_error(s, &m->head, -EINVAL,
				"memory or arithmetic that the chip does not have");
		return;
	}
	if (!sizes_ok || m->priority < -10 || m->priority > 10) {
		session_reply_error(s, &m->head, -EINVAL,
				"unsupported memory size or priority");
		return;
	}
	const uint64_t memory_bytes = (uint64_t)m->fcram_bytes + m->vram_bytes;
	const char *quota = s->over_quota ?
			s->over_quota :
			memory_quota_error(s, memory_bytes, memory_bytes);
	if (quota) {
		session_reply_error(s, &m->head, -EDQUOT, quota);
		return;
	}
	struct context *c;
	const int ret = context_create(&c, s, m);
	if (ret < 0) {
		session_reply_error(s, &m->head, ret,
				ret == -EDQUOT ? "quota of contexts used up" :
						 "cannot create a context");
		return;
	}
	struct pica_msg_handle answer = { .handle = c->handle, .slot = c->timeline_slot };
	session_reply(s, &m->head, PICA_MSG_HANDLE, &answer, sizeof(answer), -1);
}

static void destroy_context(struct session *s, struct sock_message *raw) {
	const struct pica_msg_object *m = message_body(raw);
	struct context *c = m->id <= UINT32_MAX ? session_context(s, (uint32_t)m->id) : NULL;
	if (!c) {
		session_reply_error(s, &m->head, -ENOENT, "no such context");
		return;
	}
	context_destroy(c);
	session_publish(s);
	session_reply_done(s, &m->head, 0);
}

/* used_bytes: the rest is reserved, and zero. */
static const struct kind {
	uint8_t size_bytes, used_bytes, n_fds;
	void (*handle)(struct session *s, struct sock_message *raw);
} kinds[PICA_MSG_REQUEST_END] = {
#define KIND(type, end, n_fds, handle) \
	{ sizeof(struct type), offsetof(struct type, end), n_fds, handle }
#define OBJECT(end, handle) KIND(pica_msg_object, end, 0, handle)
#define REGION(n_fds) KIND(pica_msg_region, reserved, n_fds, message_make_region)
#define QUERY KIND(pica_msg_query, reserved, 0, message_query)
#define TRANSFER \
	{ sizeof(struct pica_msg_transfer), sizeof(struct pica_msg_transfer), 0, message_transfer }
	[PICA_MSG_LIMITS] = OBJECT(id, reply_limits),
	[PICA_MSG_CONTEXT_CREATE] = KIND(pica_msg_context_create, reserved, 0, create_context),
	[PICA_MSG_CONTEXT_DESTROY] = OBJECT(value, destroy_context),
	[PICA_MSG_REGION_CREATE] = REGION(0),
	[PICA_MSG_REGION_IMPORT] = REGION(1),
	[PICA_MSG_REGION_DESTROY] = OBJECT(value, message_destroy_region),
	[PICA_MSG_LOAD_STATE] = TRANSFER,
	[PICA_MSG_SAVE_STATE] = TRANSFER,
	[PICA_MSG_READ_REGS] = QUERY,
	[PICA_MSG_READ_EXTERNAL] = QUERY,
	[PICA_MSG_SCREEN] = QUERY,
	[PICA_MSG_READ_SCREEN] = TRANSFER,
	[PICA_MSG_READ_SURFACE] = TRANSFER,
	[PICA_MSG_SESSIONS] = OBJECT(value, message_list_sessions),
	[PICA_MSG_KICK] = OBJECT(value, message_admin),
	[PICA_MSG_METRICS] = OBJECT(id, message_admin),
	[PICA_MSG_FOCUS] = OBJECT(value, message_admin),
	[PICA_MSG_SCREENSHOT] = OBJECT(reserved, message_admin),
	[PICA_MSG_RECORD] = OBJECT(reserved, message_admin),
};

/* RECORD has a value of 0 or 1, SCREENSHOT no id. */
static bool is_sound(const struct kind *kind, const struct sock_message *raw) {
	const struct pica_msg_object *o = message_body(raw);
	for (size_t i = kind->used_bytes; i < kind->size_bytes; i++) {
		if (raw->bytes[i]) {
			return false;
		}
	}
	return (o->head.type != PICA_MSG_RECORD || o->value <= 1) &&
			(o->head.type != PICA_MSG_SCREENSHOT || o->id == 0);
}

void message_handle(struct session *s, struct sock_message *raw) {
	const struct pica_message *head = sock_head(raw);
	const struct kind *kind =
			head->type < PICA_MSG_REQUEST_END && kinds[head->type].handle ?
			&kinds[head->type] :
			NULL;
	if (head->flags) {
		session_break(s, -EPROTO, "unknown message flags");
	} else if (head->type == PICA_MSG_HELLO) {
		session_break(s, -EPROTO, "a second HELLO");
	} else if (head->type >= PICA_MSG_REQUEST_END) {
		session_break(s, -EPROTO, "unknown message");
	} else if (!kind) {
		session_reply_error(s, head, -EOPNOTSUPP, "not known to this service");
	} else if (raw->size_bytes != kind->size_bytes || raw->n_fds != kind->n_fds ||
			!is_sound(kind, raw)) {
		session_break(s, -EPROTO, "malformed request");
	} else {
		kind->handle(s, raw);
	}
}
