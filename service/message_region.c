/* REGION_CREATE, REGION_IMPORT, REGION_DESTROY. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "service/context.h"
#include "service/foreign.h"
#include "service/memory_quota.h"
#include "service/message.h"
#include "service/record.h"
#include "service/server_impl.h"
#include "service/session.h"

enum { PAGE = 4096 };

static const char not_memory[] = "not a memfd of exactly that size, sealed";

static const char *region_error(
		const struct session *s, const struct pica_msg_region *m, int *error) {
	*error = -EINVAL;
	if (m->flags & ~(uint32_t)(PICA_REGION_MAPPED | PICA_REGION_READ_ONLY)) {
		return "unknown flags";
	}
	if (m->size_bytes == 0 || m->size_bytes % PAGE || m->phys % PAGE ||
			(uint64_t)m->phys + m->size_bytes > (uint64_t)1 << 32) {
		return "size or address is not whole pages";
	}
	if (!(m->flags & PICA_REGION_MAPPED) && (m->phys || m->context || m->flags)) {
		return "an address without a mapping";
	}
	*error = -EDQUOT;
	if (s->over_quota) {
		return s->over_quota;
	}
	if (s->n_regions >= s->limits.regions) {
		return "quota of regions used up";
	}
	if (m->size_bytes > s->limits.region_bytes) {
		return "larger than the quota of region_bytes";
	}
	/* An import may be of memory that is already charged, which only mapping shows. */
	return memory_quota_error(s, m->size_bytes,
			m->head.type == PICA_MSG_REGION_IMPORT ? 0 : m->size_bytes);
}

static int add_region(struct session *s, struct region *r) {
	if (s->n_regions == s->cap_regions) {
		uint32_t cap = s->cap_regions ? 2 * s->cap_regions : 8;
		struct region **grown = realloc(s->regions, cap * sizeof(struct region *));
		if (!grown) {
			return -ENOMEM;
		}
		s->regions = grown;
		s->cap_regions = cap;
	}
	s->regions[s->n_regions++] = r;
	session_charge(s, r->size_bytes);
	return 0;
}

static void remove_region(struct session *s, struct region *r) {
	uint32_t i = 0;
	while (s->regions[i] != r) {
		i++;
	}
	s->regions[i] = s->regions[--s->n_regions];
	session_charge(s, -(int64_t)r->size_bytes);
	region_drop(r);
}

void region_make(struct session *s, const struct pica_msg_region *m, int fd_in) {
	struct region *r = NULL;
	int error, fd = -1;
	const char *why = region_error(s, m, &error);
	struct context *c = session_context(s, m->context);
	if (why) {
		session_reply_error(s, &m->head, error, why);
		return;
	}
	struct regions *all = &s->server->regions;
	error = fd_in >= 0 ? region_import(&r, all, s->uid, fd_in, m->size_bytes) :
			     region_create(&r, all, s->uid, REGION_MADE, m->size_bytes, &fd);
	if (error < 0) {
		session_reply_error(s, &m->head, error,
				fd_in >= 0 ? not_memory : "out of memory for a region");
		return;
	}
	why = memory_quota_error(s, 0, 0);
	if (why) {
		session_reply_error(s, &m->head, -EDQUOT, why);
		region_drop(r);
		return;
	}
	r->handle = ++s->next_handle;
	r->context = m->context;
	r->phys = m->phys;
	error = add_region(s, r);
	if (error < 0) {
		region_drop(r);
	} else if (c) {
		record_split(c);
		error = pica_ctx_map(c->ctx, m->phys, m->size_bytes, r->host,
				m->flags & PICA_REGION_READ_ONLY ? PICA_MAP_READ_ONLY : 0);
		if (error < 0) {
			remove_region(s, r);
		}
	}
	if (error < 0) {
		session_reply_error(s, &m->head, error,
				error == -EEXIST ? "overlaps a window of the context" :
						   "cannot map the region");
	} else {
		struct pica_msg_handle answer = { .handle = r->handle,
			.size_bytes = r->size_bytes };
		session_reply(s, &m->head, PICA_MSG_HANDLE, &answer, sizeof(answer), fd);
	}
	fd_close(&fd);
}

void region_destroy(struct session *s, const struct pica_msg_object *m) {
	struct region *r = session_region(s, (uint32_t)m->id);
	struct context *c = r ? session_context(s, r->context) : NULL;
	if (!r) {
		session_reply_error(s, &m->head, -ENOENT, "no such region");
		return;
	}
	if (c) {
		record_split(c);
		pica_ctx_unmap(c->ctx, r->phys);
	}
	remove_region(s, r);
	session_reply_done(s, &m->head, 0);
}

/* ---- Messages: those that concern a context wait for its fence, if it has one ---- */

static const char in_flight[] = "its context has jobs in flight";

void message_make_region(struct session *s, struct sock_message *raw) {
	const struct pica_msg_region *m = message_body(raw);
	const bool is_import = m->head.type == PICA_MSG_REGION_IMPORT;
	const struct context *c = session_context(s, m->context);
	int error;
	const char *why = region_error(s, m, &error);
	if (!why && (m->flags & PICA_REGION_MAPPED) && (!c || !context_is_idle(c))) {
		error = c ? -EBUSY : -ENOENT;
		why = c ? in_flight : "no such context";
	}
	if (why) {
		session_reply_error(s, &m->head, error, why);
		return;
	}
	if (!c) {
		region_make(s, m, is_import ? raw->fd[0] : -1);
		return;
	}
	if (is_import && !foreign_is_memory(raw->fd[0])) {
		session_reply_error(s, &m->head, -EINVAL, not_memory);
		return;
	}
	struct request *r = request_create(s, &m->head, sizeof(*m));
	if (r && is_import) {
		r->fd = raw->fd[0];
		raw->fd[0] = -1;
	}
	if (r) {
		request_add(r, m->context);
	}
}

void message_destroy_region(struct session *s, struct sock_message *raw) {
	const struct pica_msg_object *m = message_body(raw);
	const struct region *region = m->id <= UINT32_MAX ? session_region(s, (uint32_t)m->id) :
							    NULL;
	const struct context *c = region ? session_context(s, region->context) : NULL;
	if (!region) {
		session_reply_error(s, &m->head, -ENOENT, "no such region");
	} else if (!c) {
		region_destroy(s, m);
	} else if (!context_is_idle(c)) {
		session_reply_error(s, &m->head, -EBUSY, in_flight);
	} else {
		struct request *r = request_create(s, &m->head, sizeof(*m));
		if (r) {
			request_add(r, c->handle);
		}
	}
}
