/* Control requests of an open session. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/context.h"
#include "service/memory_quota.h"
#include "service/metrics.h"
#include "service/present.h"
#include "service/presenter.h"
#include "service/record.h"
#include "service/server_impl.h"
#include "service/session.h"

enum { PAGE = 4096, MAX_WORDS = 0x300 };

static bool all_zero(const uint32_t *p, size_t n) {
	for (size_t i = 0; i < n; i++) {
		if (p[i]) {
			return false;
		}
	}
	return true;
}

/* ---- Contexts and memory ---- */

static void reply_handle(struct session *s, const struct pica_message *to, uint32_t handle,
		uint32_t slot, uint64_t size_bytes, int fd) {
	struct pica_msg_handle m;
	memset(&m, 0, sizeof(m));
	m.head.type = PICA_MSG_HANDLE;
	m.head.cookie = to->cookie;
	m.handle = handle;
	m.slot = slot;
	m.size_bytes = size_bytes;
	session_send(s, &m, sizeof(m), &fd, fd >= 0);
}

static void create_context(struct session *s, const struct sock_message *raw) {
	struct pica_msg_context_create m;
	struct context *c;
	if (sock_take(raw, &m, sizeof(m), 0) < 0 || !all_zero(m.reserved, 4)) {
		session_break(s, -EPROTO, "malformed CONTEXT_CREATE");
		return;
	}
	const uint32_t mib = 1 << 20;
	bool sizes_ok = (m.fcram_bytes == 0 || m.fcram_bytes == 128 * mib ||
					m.fcram_bytes == 256 * mib) &&
			(m.vram_bytes == 0 || m.vram_bytes == 6 * mib);
	const uint32_t all = PICA_ARITHMETIC_OWN | PICA_ARITHMETIC_F32 | PICA_ARITHMETIC_TRUNCATE;
	bool arithmetic_ok = !(m.arithmetic & ~all) &&
			(!m.arithmetic || (m.arithmetic & PICA_ARITHMETIC_OWN));
	if (!sizes_ok || !arithmetic_ok || m.priority < -10 || m.priority > 10) {
		session_reply_error(s, &m.head, -EINVAL,
				!arithmetic_ok ? "arithmetic that does not exist" :
						 "memory sizes or priority that do not exist");
		return;
	}
	const char *quota = s->over_quota ?
			s->over_quota :
			memory_quota_error(s, (uint64_t)m.fcram_bytes + m.vram_bytes);
	if (quota) {
		session_reply_error(s, &m.head, -EDQUOT, quota);
		return;
	}
	int ret = context_create(&c, s, &m);
	if (ret < 0) {
		session_reply_error(s, &m.head, ret,
				ret == -EDQUOT ? "quota of contexts used up" :
						 "cannot create a context");
		return;
	}
	c->memory_bytes = (uint64_t)m.fcram_bytes + m.vram_bytes;
	s->memory_bytes += c->memory_bytes;
	reply_handle(s, &m.head, c->handle, c->timeline_slot, 0, -1);
}

static int reserve_region(struct session *s) {
	if (s->n_regions == s->cap_regions) {
		uint32_t cap = s->cap_regions ? 2 * s->cap_regions : 8;
		struct region **grown = realloc(s->regions, cap * sizeof(*grown));
		if (!grown) {
			return -ENOMEM;
		}
		s->regions = grown;
		s->cap_regions = cap;
	}
	return 0;
}

static void add_region(struct session *s, struct region *r) {
	s->regions[s->n_regions++] = r;
	s->memory_bytes += r->size_bytes;
}

static void remove_region(struct session *s, struct region *r) {
	for (uint32_t i = 0; i < s->n_regions; i++) {
		if (s->regions[i] == r) {
			s->regions[i] = s->regions[--s->n_regions];
			s->memory_bytes -= r->size_bytes;
			region_put(r);
			return;
		}
	}
}

static const char *region_error(
		const struct session *s, const struct pica_msg_region *m, int *error) {
	bool is_mapped = m->flags & PICA_REGION_MAPPED;
	*error = -EINVAL;
	if (m->flags & ~(uint32_t)(PICA_REGION_MAPPED | PICA_REGION_READ_ONLY)) {
		return "unknown flags";
	}
	if (m->size_bytes == 0 || m->size_bytes % PAGE || m->phys % PAGE ||
			(uint64_t)m->phys + m->size_bytes > (uint64_t)1 << 32) {
		return "size or address is not whole pages";
	}
	if (!is_mapped && (m->phys || m->context || m->flags)) {
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
	return memory_quota_error(s, m->size_bytes);
}

/* fd_in: REGION_IMPORT's, stays the caller's; else -1. No work of the context is in flight. */
static void make_region(struct session *s, const struct pica_msg_region *m, int fd_in) {
	struct region *r = NULL;
	int error, fd = -1;
	const char *why = region_error(s, m, &error);
	struct context *c = m->flags & PICA_REGION_MAPPED ? session_context(s, m->context) : NULL;
	if (why) {
		session_reply_error(s, &m->head, error, why);
		return;
	}
	error = fd_in >= 0 ? region_import(&r, fd_in, m->size_bytes) :
			     region_create(&r, m->size_bytes, &fd);
	if (error < 0) {
		session_reply_error(s, &m->head, error,
				fd_in >= 0 ? "not a memfd of that size whose size is sealed" :
					     "no memory for a region");
		return;
	}
	r->handle = ++s->next_handle;
	r->flags = m->flags;
	r->context = m->context;
	r->phys = m->phys;
	error = reserve_region(s);
	if (error == 0 && c) {
		record_split(c);
		error = pica_ctx_map(c->ctx, m->phys, m->size_bytes, r->host,
				m->flags & PICA_REGION_READ_ONLY ? PICA_MAP_READ_ONLY : 0);
	}
	if (error < 0) {
		session_reply_error(s, &m->head, error,
				error == -EEXIST ? "overlaps a window of the context" :
						   "cannot map the region");
		region_put(r);
	} else {
		add_region(s, r);
		reply_handle(s, &m->head, r->handle, 0, r->size_bytes, fd);
	}
	if (fd >= 0) {
		close(fd);
	}
}

static void destroy_region(struct session *s, const struct pica_msg_object *m) {
	struct region *r = session_region(s, (uint32_t)m->id);
	struct context *c = r && (r->flags & PICA_REGION_MAPPED) ? session_context(s, r->context) :
								   NULL;
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

static void destroy_context(struct session *s, const struct pica_msg_object *m) {
	struct context *c = m->id <= UINT32_MAX ? session_context(s, (uint32_t)m->id) : NULL;
	if (!c) {
		session_reply_error(s, &m->head, -ENOENT, "no such context");
		return;
	}
	context_destroy(c);
	session_publish(s);
	session_reply_done(s, &m->head, 0);
}

/* ---- Requests that wait for their context ---- */

void request_free(struct request *r) {
	r->session->n_requests--;
	region_put(r->memory);
	if (r->fd >= 0) {
		close(r->fd);
	}
	free(r);
}

static void reply_words(struct session *s, const struct pica_message *to, const uint32_t *words,
		uint32_t count) {
	struct {
		struct pica_msg_words head;
		uint32_t words[MAX_WORDS];
	} m;
	memset(&m.head, 0, sizeof(m.head));
	m.head.head.type = PICA_MSG_WORDS;
	m.head.head.cookie = to->cookie;
	m.head.count = count;
	memcpy(m.words, words, count * sizeof(*words));
	session_send(s, &m, sizeof(m.head) + count * sizeof(*words), NULL, 0);
}

static void run_query(struct context *c, const struct pica_msg_query *q) {
	static uint32_t words[MAX_WORDS];
	struct session *s = c->session;
	int ret;
	if (q->head.type == PICA_MSG_READ_REGS) {
		ret = q->count > MAX_WORDS ? -EINVAL :
					     pica_ctx_read_regs(c->ctx, q->first, q->count, words);
		if (ret == 0) {
			reply_words(s, &q->head, words, q->count);
		}
	} else if (q->head.type == PICA_MSG_READ_EXTERNAL) {
		ret = pica_ctx_read_external(c->ctx, q->first, words);
		if (ret == 0) {
			reply_words(s, &q->head, words, 1);
		}
	} else {
		struct pica_screen screen;
		ret = q->first > PICA_SCREEN_BOTTOM ? -EINVAL :
				pica_ctx_screen(c->ctx, (enum pica_screen_id)q->first, &screen);
		if (ret == 0) {
			struct pica_msg_screen_info m;
			memset(&m, 0, sizeof(m));
			m.head.type = PICA_MSG_SCREEN_INFO;
			m.head.cookie = q->head.cookie;
			m.width = screen.width;
			m.height = screen.height;
			m.is_set = (uint32_t)screen.is_set;
			m.has_right = (uint32_t)screen.has_right;
			m.is_solid = (uint32_t)screen.is_solid;
			m.addr = screen.addr;
			m.format = screen.format;
			session_send(s, &m, sizeof(m), NULL, 0);
		}
	}
	if (ret < 0) {
		session_reply_error(s, &q->head, ret, strerror(-ret));
	}
}

/* Rows of bytes that fit what the client said it has room for. */
static int check_rows(const struct pica_msg_transfer *t, uint32_t row_bytes, uint32_t rows,
		uint32_t stride) {
	return stride >= row_bytes && rows > 0 &&
					(uint64_t)stride * (rows - 1) + row_bytes <= t->size_bytes ?
			0 :
			-EINVAL;
}

static int read_screen(struct pica_ctx *ctx, const struct pica_msg_transfer *t, uint8_t *out) {
	struct pica_screen screen;
	if (t->args[0] > PICA_SCREEN_BOTTOM || t->args[1] > PICA_EYE_RIGHT) {
		return -EINVAL;
	}
	enum pica_screen_id id = (enum pica_screen_id)t->args[0];
	int ret = pica_ctx_screen(ctx, id, &screen);
	ret = ret < 0 ? ret : check_rows(t, 3 * screen.width, screen.height, t->args[2]);
	return ret < 0 ? ret :
			 pica_ctx_read_screen(ctx, id, (enum pica_eye)t->args[1], out, t->args[2]);
}

static int read_surface(struct pica_ctx *ctx, const struct pica_msg_transfer *t, uint8_t *out) {
	uint32_t width = t->args[2], height = t->args[3], stride = t->args[4];
	if (width > 2048 || height > 2048) {
		return -EINVAL;
	}
	int ret = check_rows(t, 4 * width, height, stride);
	return ret < 0 ? ret :
			 pica_ctx_read_surface(
					 ctx, t->args[0], t->args[1], width, height, out, stride);
}

static int load_state(struct pica_ctx *ctx, const struct pica_msg_transfer *t, const uint8_t *in) {
	if (t->size_bytes != sizeof(struct pica_state)) {
		return -EINVAL;
	}
	/* The client may change its memory while we look at it: a private copy is what counts. */
	struct pica_state *state = malloc(sizeof(*state));
	if (!state) {
		return -ENOMEM;
	}
	memcpy(state, in, sizeof(*state));
	int ret = pica_ctx_load_state(ctx, state);
	free(state);
	return ret;
}

static int save_state(struct pica_ctx *ctx, const struct pica_msg_transfer *t, uint8_t *out) {
	if (t->size_bytes != sizeof(struct pica_state)) {
		return -EINVAL;
	}
	struct pica_state *state = calloc(1, sizeof(*state)); /* nothing of ours goes out in it */
	if (!state) {
		return -ENOMEM;
	}
	int ret = pica_ctx_save_state(ctx, state);
	if (ret == 0) {
		memcpy(out, state, sizeof(*state));
	}
	free(state);
	return ret;
}

void request_run(struct context *c, struct request *r) {
	struct session *s = c->session;
	const struct pica_msg_transfer *t = &r->u.transfer;
	uint8_t *memory = r->memory ? r->memory->host + t->offset : NULL;
	int ret = 0;
	switch (r->u.head.type) {
	case PICA_MSG_LOAD_STATE:
		record_split(c);
		ret = load_state(c->ctx, t, memory);
		break;
	case PICA_MSG_SAVE_STATE:
		ret = save_state(c->ctx, t, memory);
		break;
	case PICA_MSG_READ_SCREEN:
		ret = read_screen(c->ctx, t, memory);
		break;
	case PICA_MSG_READ_SURFACE:
		ret = read_surface(c->ctx, t, memory);
		break;
	case PICA_MSG_REGION_CREATE:
	case PICA_MSG_REGION_IMPORT:
		make_region(s, &r->u.region, r->fd);
		request_free(r);
		return;
	case PICA_MSG_REGION_DESTROY:
		destroy_region(s, &r->u.object);
		request_free(r);
		return;
	default:
		run_query(c, &r->u.query);
		request_free(r);
		return;
	}
	if (ret < 0) {
		session_reply_error(s, &r->u.head, ret, strerror(-ret));
	} else {
		session_reply_done(s, &r->u.head, ret);
	}
	request_free(r);
}

static void add_request(struct session *s, uint32_t context, struct request *r) {
	struct context *c = session_context(s, context);
	struct pica_message head = r->u.head;
	int ret = c ? context_add_request(c, r) : -ENOENT;
	if (ret < 0) {
		session_reply_error(
				s, &head, ret, ret == -ENOENT ? "no such context" : strerror(-ret));
		request_free(r);
	}
}

static struct request *request_create(struct session *s, const struct pica_message *head) {
	if (s->n_requests == MAX_REQUESTS) {
		session_reply_error(s, head, -EDQUOT, "quota of requests used up");
		return NULL;
	}
	struct request *r = calloc(1, sizeof(*r));
	if (!r) {
		session_reply_error(s, head, -ENOMEM, "no memory for a request");
		return NULL;
	}
	r->session = s;
	r->fd = -1;
	s->n_requests++;
	return r;
}

static void add_transfer(struct session *s, const struct sock_message *raw) {
	struct pica_msg_transfer m;
	if (sock_take(raw, &m, sizeof(m), 0) < 0) {
		session_break(s, -EPROTO, "malformed request");
		return;
	}
	struct region *memory = session_region(s, m.region);
	if (!memory || m.offset > memory->size_bytes ||
			m.size_bytes > memory->size_bytes - m.offset) {
		session_reply_error(s, &m.head, memory ? -ERANGE : -ENOENT,
				memory ? "outside of its region" : "no such region");
		return;
	}
	struct request *r = request_create(s, &m.head);
	if (r) {
		r->u.transfer = m;
		r->memory = region_get(memory);
		add_request(s, m.context, r);
	}
}

static void add_query(struct session *s, const struct sock_message *raw) {
	struct pica_msg_query m;
	if (sock_take(raw, &m, sizeof(m), 0) < 0 || !all_zero(m.reserved, 5)) {
		session_break(s, -EPROTO, "malformed request");
		return;
	}
	struct request *r = request_create(s, &m.head);
	if (r) {
		r->u.query = m;
		add_request(s, m.context, r);
	}
}

/* ---- Regions: at once, or behind a fence that is still in flight ---- */

static void ask_region(struct session *s, struct sock_message *raw, bool is_import) {
	struct pica_msg_region m;
	int error;
	if (sock_take(raw, &m, sizeof(m), is_import) < 0 || !all_zero(m.reserved, 4)) {
		session_break(s, -EPROTO, "malformed REGION message");
		return;
	}
	const char *why = region_error(s, &m, &error);
	struct context *c = m.flags & PICA_REGION_MAPPED ? session_context(s, m.context) : NULL;
	if (!why && (m.flags & PICA_REGION_MAPPED)) {
		error = c ? -EBUSY : -ENOENT;
		why = c ? "its context has jobs in flight" : "no such context";
		if (c && context_is_idle(c)) {
			why = NULL;
		}
	}
	if (why) {
		session_reply_error(s, &m.head, error, why);
		return;
	}
	if (!c || context_is_settled(c)) {
		make_region(s, &m, is_import ? raw->fd[0] : -1);
		return;
	}
	struct request *r = request_create(s, &m.head);
	if (r) {
		r->u.region = m;
		if (is_import) {
			r->fd = raw->fd[0];
			raw->fd[0] = -1;
		}
		add_request(s, m.context, r);
	}
}

static void free_region(struct session *s, const struct pica_msg_object *m) {
	struct region *region = m->id <= UINT32_MAX ? session_region(s, (uint32_t)m->id) : NULL;
	if (!region) {
		session_reply_error(s, &m->head, -ENOENT, "no such region");
		return;
	}
	struct context *c = region->flags & PICA_REGION_MAPPED ?
			session_context(s, region->context) :
			NULL;
	if (c && !context_is_idle(c)) {
		session_reply_error(s, &m->head, -EBUSY, "its context has jobs in flight");
	} else if (!c || context_is_settled(c)) {
		destroy_region(s, m);
	} else {
		struct request *r = request_create(s, &m->head);
		if (r) {
			r->u.object = *m;
			add_request(s, c->handle, r);
		}
	}
}

/* ---- Sessions ---- */

static int by_value(const void *a, const void *b) {
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static void fill_info(const struct session *s, struct pica_session_info *out) {
	uint32_t sorted[LATENCIES];
	uint32_t n = s->n_latencies < LATENCIES ? s->n_latencies : LATENCIES;
	memset(out, 0, sizeof(*out));
	out->id = s->id;
	out->pid = (uint32_t)s->pid;
	out->uid = s->uid;
	memcpy(out->name, s->name, sizeof(out->name));
	struct pica_usage used;
	session_usage(s, &used);
	out->pixels = used.pixels;
	out->cpu_ns = used.cpu_ns;
	out->jobs = s->jobs;
	out->queued = s->outstanding;
	out->memory_bytes = s->memory_bytes;
	out->lost = s->lost;
	out->contexts = s->n_contexts;
	out->priority = s->priority;
	struct present_state shown = { .shown = 0 };
	if (server_presenter(s->server)) {
		presenter_state(server_presenter(s->server), &shown);
	}
	out->flags = (shown.shown == s->id ? PICA_SESSION_SHOWN : 0u) |
			(s->is_recorded ? PICA_SESSION_RECORDED : 0u) |
			(shown.pinned == s->id ? PICA_SESSION_PINNED : 0u);
	memcpy(sorted, s->latency_us, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);
	if (n) {
		out->p50_us = sorted[n / 2];
		out->p99_us = sorted[(n * 99) / 100];
	}
}

static void list_sessions(struct session *s, const struct pica_msg_object *m) {
	static struct pica_msg_session_list list;
	memset(&list, 0, sizeof(list));
	list.head.type = PICA_MSG_SESSION_LIST;
	list.head.cookie = m->head.cookie;
	/* In order of their numbers, from the one behind m->id on. */
	uint64_t last = m->id;
	for (;;) {
		const struct session *best = NULL;
		for (const struct session *o = server_first_session(s->server); o; o = o->next) {
			bool is_seen = o->state == SESSION_OPEN && o->id > last &&
					(s->is_admin || o == s);
			if (is_seen && (!best || o->id < best->id)) {
				best = o;
			}
		}
		if (!best) {
			break;
		}
		if (list.count == PICA_SESSIONS_A_MESSAGE) {
			list.more = 1;
			break;
		}
		fill_info(best, &list.session[list.count++]);
		last = best->id;
	}
	session_send(s, &list, sizeof(list), NULL, 0);
}

static void kick(struct session *s, const struct pica_msg_object *m) {
	for (struct session *o = server_first_session(s->server); o; o = o->next) {
		if (o->id == m->id && o->state == SESSION_OPEN) {
			session_reply_done(s, &m->head, 0);
			session_break(o, -ECANCELED, "ended by an administrator");
			return;
		}
	}
	session_reply_error(s, &m->head, -ENOENT, "no such session");
}

static void send_metrics(struct session *s, const struct pica_message *to) {
	struct pica_msg_text m;
	size_t size_bytes;
	int fd = metrics_memfd(s->server, &size_bytes);
	if (fd == -EMFILE && server_spare_begin(s->server)) {
		fd = metrics_memfd(s->server, &size_bytes);
		server_spare_end(s->server);
	}
	if (fd < 0) {
		session_reply_error(s, to, fd, "no memory or descriptors for the text");
		return;
	}
	memset(&m, 0, sizeof(m));
	m.head.type = PICA_MSG_TEXT;
	m.head.cookie = to->cookie;
	m.size_bytes = size_bytes;
	session_send(s, &m, sizeof(m), &fd, 1);
	close(fd);
}

static void record(struct session *s, const struct pica_msg_object *m) {
	if (!server_archive(s->server)) {
		session_reply_error(s, &m->head, -EOPNOTSUPP,
				"the service has no folder for recordings");
		return;
	}
	for (struct session *o = server_first_session(s->server); o; o = o->next) {
		if (o->id == m->id && o->state == SESSION_OPEN) {
			record_session(o, m->value != 0);
			session_reply_done(s, &m->head, 0);
			return;
		}
	}
	session_reply_error(s, &m->head, -ENOENT, "no such session");
}

/* Requests that concern others. */
static void administer(struct session *s, const struct pica_msg_object *m) {
	if (!s->is_admin) {
		session_reply_error(s, &m->head, -EPERM, "only for administrators");
	} else if (m->head.type == PICA_MSG_METRICS) {
		send_metrics(s, &m->head);
	} else if (m->head.type == PICA_MSG_RECORD) {
		record(s, m);
	} else if (m->head.type == PICA_MSG_FOCUS || m->head.type == PICA_MSG_SCREENSHOT) {
		present_request(s, m);
	} else {
		kick(s, m);
	}
}

static uint32_t most_value(uint16_t type) {
	return type == PICA_MSG_SCREENSHOT ? UINT32_MAX : type == PICA_MSG_RECORD;
}

static void handle_object(struct session *s, const struct sock_message *raw) {
	struct pica_msg_object m;
	if (sock_take(raw, &m, sizeof(m), 0) < 0 || m.value > most_value(m.head.type) ||
			m.reserved ||
			(m.id &&
					(m.head.type == PICA_MSG_LIMITS ||
							m.head.type == PICA_MSG_METRICS ||
							m.head.type == PICA_MSG_SCREENSHOT))) {
		session_break(s, -EPROTO, "malformed request");
		return;
	}
	switch (m.head.type) {
	case PICA_MSG_CONTEXT_DESTROY:
		destroy_context(s, &m);
		break;
	case PICA_MSG_REGION_DESTROY:
		free_region(s, &m);
		break;
	case PICA_MSG_SESSIONS:
		list_sessions(s, &m);
		break;
	case PICA_MSG_LIMITS:
		session_welcome(s, &m.head, ~0ull, NULL);
		break;
	default:
		administer(s, &m);
		break;
	}
}

void message_handle(struct session *s, struct sock_message *m) {
	if (sock_head(m)->flags) {
		session_break(s, -EPROTO, "unknown message flags");
		return;
	}
	switch (sock_head(m)->type) {
	case PICA_MSG_CONTEXT_CREATE:
		create_context(s, m);
		break;
	case PICA_MSG_REGION_CREATE:
	case PICA_MSG_REGION_IMPORT:
		ask_region(s, m, sock_head(m)->type == PICA_MSG_REGION_IMPORT);
		break;
	case PICA_MSG_CONTEXT_DESTROY:
	case PICA_MSG_REGION_DESTROY:
	case PICA_MSG_SESSIONS:
	case PICA_MSG_KICK:
	case PICA_MSG_METRICS:
	case PICA_MSG_RECORD:
	case PICA_MSG_FOCUS:
	case PICA_MSG_SCREENSHOT:
	case PICA_MSG_LIMITS:
		handle_object(s, m);
		break;
	case PICA_MSG_LOAD_STATE:
	case PICA_MSG_SAVE_STATE:
	case PICA_MSG_READ_SCREEN:
	case PICA_MSG_READ_SURFACE:
		add_transfer(s, m);
		break;
	case PICA_MSG_READ_REGS:
	case PICA_MSG_READ_EXTERNAL:
	case PICA_MSG_SCREEN:
		add_query(s, m);
		break;
	case PICA_MSG_HELLO:
		session_break(s, -EPROTO, "a second HELLO");
		break;
	default:
		if (sock_head(m)->type < PICA_MSG_REQUEST_END) {
			session_reply_error(
					s, sock_head(m), -EOPNOTSUPP, "not known to this service");
		} else {
			session_break(s, -EPROTO, "unknown message");
		}
		break;
	}
}
