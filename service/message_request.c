/* Requests that wait until their context has finished earlier jobs: states, registers, pictures. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/context.h"
#include "service/message.h"
#include "service/record.h"
#include "service/session.h"

enum { MAX_REQUESTS = 64, MAX_WORDS = 0x300, SLICE_PIXELS = 1 << 16 };

/* ---- Queries ---- */

static int read_words(struct context *c, const struct pica_msg_query *q) {
	struct {
		struct pica_msg_words head;
		uint32_t words[MAX_WORDS];
	} m;
	const bool is_external = q->head.type == PICA_MSG_READ_EXTERNAL;
	memset(&m.head, 0, sizeof(m.head));
	m.head.count = is_external ? 1 : q->count;
	if (m.head.count > MAX_WORDS) {
		return -EINVAL;
	}
	const int ret = is_external ?
			pica_ctx_read_external(c->ctx, q->first, m.words) :
			pica_ctx_read_regs(c->ctx, q->first, q->count, m.words);
	if (ret == 0) {
		session_reply(c->session, &q->head, PICA_MSG_WORDS, &m,
				sizeof(m.head) + m.head.count * sizeof(m.words[0]), -1);
	}
	return ret;
}

static int describe_screen(struct context *c, const struct pica_msg_query *q) {
	struct pica_screen screen;
	const int ret = q->first > PICA_SCREEN_BOTTOM ?
			-EINVAL :
			pica_ctx_screen(c->ctx, (enum pica_screen_id)q->first, &screen);
	if (ret < 0) {
		return ret;
	}
	struct pica_msg_screen_info m = { .width = screen.width,
		.height = screen.height,
		.is_set = (uint32_t)screen.is_set,
		.has_right = (uint32_t)screen.has_right,
		.is_solid = (uint32_t)screen.is_solid,
		.addr = screen.addr,
		.format = screen.format };
	session_reply(c->session, &q->head, PICA_MSG_SCREEN_INFO, &m, sizeof(m), -1);
	return 0;
}

/* ---- Transfers ---- */

/* Checks that the rows fit the buffer that the client declared. */
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

/*
 * Reads a slice of whole rows of tiles; *rows have been read so far. Returns -EAGAIN if more are
 * left.
 */
static int read_surface(struct pica_ctx *ctx, const struct pica_msg_transfer *t, uint32_t *rows,
		uint8_t *out) {
	const uint32_t width = t->args[2], height = t->args[3], stride = t->args[4];
	if (width < 8 || width > 2048 || height > 2048) {
		return -EINVAL;
	}
	const uint32_t left = height - *rows, most = SLICE_PIXELS / width & ~7u;
	const uint32_t n = left < most ? left : most;
	int ret = check_rows(t, 4 * width, height, stride);
	ret = ret < 0 ? ret :
			pica_ctx_read_surface_rows(ctx, t->args[0], t->args[1], width, height,
					*rows, n, out, stride);
	*rows += n;
	return ret < 0 || *rows == height ? ret : -EAGAIN;
}

/*
 * Uses a private copy: the client may change its memory meanwhile, and must see no other bytes of
 * the service.
 */
static int transfer_state(struct context *c, const struct pica_msg_transfer *t, uint8_t *memory) {
	if (t->size_bytes != sizeof(struct pica_state)) {
		return -EINVAL;
	}
	struct pica_state *state = calloc(1, sizeof(*state));
	if (!state) {
		return -ENOMEM;
	}
	int ret;
	if (t->head.type == PICA_MSG_LOAD_STATE) {
		record_split(c);
		memcpy(state, memory, sizeof(*state));
		ret = pica_ctx_load_state(c->ctx, state);
	} else {
		ret = pica_ctx_save_state(c->ctx, state);
		if (ret == 0) {
			memcpy(memory, state, sizeof(*state));
		}
	}
	free(state);
	return ret;
}

static int transfer(struct context *c, struct request *r) {
	const struct pica_msg_transfer *t = &r->u.transfer;
	uint8_t *memory = r->memory->host + t->offset;
	const uint16_t type = t->head.type;
	const int ret = type == PICA_MSG_READ_SCREEN ? read_screen(c->ctx, t, memory) :
			type == PICA_MSG_READ_SURFACE ? read_surface(c->ctx, t, &r->rows, memory) :
							transfer_state(c, t, memory);
	if (ret >= 0) {
		session_reply_done(c->session, &t->head, ret);
	}
	return ret;
}

/* ---- Requests ---- */

void request_free(struct request *r) {
	r->session->n_requests--;
	region_put(r->memory);
	fd_close(&r->fd);
	free(r);
}

bool request_run(struct context *c, struct request *r) {
	int ret = 0;
	switch (r->u.head.type) {
	case PICA_MSG_REGION_CREATE:
	case PICA_MSG_REGION_IMPORT:
		region_make(c->session, &r->u.region, r->fd);
		break;
	case PICA_MSG_REGION_DESTROY:
		region_destroy(c->session, &r->u.object);
		break;
	case PICA_MSG_READ_REGS:
	case PICA_MSG_READ_EXTERNAL:
		ret = read_words(c, &r->u.query);
		break;
	case PICA_MSG_SCREEN:
		ret = describe_screen(c, &r->u.query);
		break;
	default:
		ret = transfer(c, r);
		break;
	}
	if (ret == -EAGAIN) {
		return false;
	}
	if (ret < 0) {
		session_reply_error(c->session, &r->u.head, ret, strerror(-ret));
	}
	request_free(r);
	return true;
}

struct request *request_create(
		struct session *s, const struct pica_message *head, size_t size_bytes) {
	if (s->n_requests == MAX_REQUESTS) {
		session_reply_error(s, head, -EDQUOT, "quota of requests used up");
		return NULL;
	}
	struct request *r = calloc(1, sizeof(*r));
	if (!r) {
		session_reply_error(s, head, -ENOMEM, "out of memory for a request");
		return NULL;
	}
	memcpy(&r->u, head, size_bytes);
	r->session = s;
	r->fd = -1;
	s->n_requests++;
	return r;
}

void request_add(struct request *r, uint32_t context) {
	struct context *c = session_context(r->session, context);
	const int ret = c ? context_add_request(c, r) : -ENOENT;
	if (ret < 0) {
		session_reply_error(r->session, &r->u.head, ret,
				ret == -ENOENT ? "no such context" : strerror(-ret));
		request_free(r);
	}
}

void message_transfer(struct session *s, struct sock_message *raw) {
	const struct pica_msg_transfer *m = message_body(raw);
	struct region *memory = session_region(s, m->region);
	if (!memory || m->offset > memory->size_bytes ||
			m->size_bytes > memory->size_bytes - m->offset) {
		session_reply_error(s, &m->head, memory ? -ERANGE : -ENOENT,
				memory ? "outside of its region" : "no such region");
		return;
	}
	struct request *r = request_create(s, &m->head, sizeof(*m));
	if (r) {
		r->memory = region_get(memory);
		request_add(r, m->context);
	}
}

void message_query(struct session *s, struct sock_message *raw) {
	const struct pica_msg_query *m = message_body(raw);
	struct request *r = request_create(s, &m->head, sizeof(*m));
	if (r) {
		request_add(r, m->context);
	}
}
