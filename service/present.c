#include "service/present.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/context.h"
#include "service/presenter.h"
#include "service/server_impl.h"
#include "service/session.h"

enum { MOST_PIXEL_BYTES = 4 };

/* ---- Frames ---- */

void present_frame_free(struct present_frame *f) {
	if (f) {
		pica_shot_put(f->shot[0]);
		pica_shot_put(f->shot[1]);
		free(f);
	}
}

struct present_frame *present_frame_create(
		const struct pica_job *job, uint32_t chip, uint64_t arrived_ns) {
	struct present_frame *f = calloc(1, sizeof(*f));
	const bool is_picture = chip == PICA_CHIP_VC4;
	const uint32_t screens = is_picture ? 1 << PICA_SCREEN_TOP : job->u.present.screens;
	if (!f) {
		return NULL;
	}
	f->eye = job->u.present.eye;
	f->is_picture = is_picture;
	f->arrived_ns = arrived_ns;
	for (unsigned i = 0; i < 2; i++) {
		if ((screens >> i & 1) && pica_shot_create(&f->shot[i]) < 0) {
			present_frame_free(f);
			return NULL;
		}
	}
	return f;
}

static uint64_t bytes_of(const struct present_frame *f) {
	uint64_t bytes = 0;
	for (unsigned i = 0; i < 2; i++) {
		struct pica_screen info = { .width = 0 };
		if (f->shot[i]) {
			pica_shot_screen(f->shot[i], &info);
		}
		const uint64_t eyes = info.has_right ? 2 : 1;
		bytes += info.is_solid ? 0 : MOST_PIXEL_BYTES * eyes * info.width * info.height;
	}
	return bytes;
}

/* As if all frames that the session may have in flight, and its last one, were like this one. */
static void charge(struct session *s, const struct present_frame *f) {
	const uint64_t bytes = (s->limits.presents + UINT64_C(1)) * bytes_of(f);
	if (bytes > s->picture_bytes) {
		pica_memory_add(s->memory, (int64_t)(bytes - s->picture_bytes));
		s->picture_bytes = bytes;
	}
}

int present_rendered(struct context *c, uint32_t ticket, struct present_frame *f) {
	struct session *s = c->session;
	struct presenter *p = s->server->presenter;
	if (!s->present) {
		s->present = presenter_client_create(p, s->id, s->name, s->priority);
		if (!s->present) {
			return -ENOMEM;
		}
	}
	charge(s, f);
	f->session = s->id;
	f->context = c->handle;
	f->ticket = ticket;
	presenter_submit(p, s->present, f);
	return 0;
}

static void frame_is_done(struct server *server, const struct present_frame *f) {
	struct session *s = server_find_session(server, f->session);
	struct context *c = s ? session_context(s, f->context) : NULL;
	if (!c) {
		return;
	}
	uint64_t user_data;
	if (context_flipped(c, f->ticket, &user_data) && f->was_shown) {
		const struct pica_event event = { .type = PICA_EVENT_PRESENTED,
			.handle = c->handle,
			.value = user_data,
			.time_ns = f->time_ns };
		ring_server_event(&s->ring, &event);
	}
	session_mark(s);
}

/* ---- Screenshots ---- */

static void answer_picture(struct session *s, const struct present_picture *picture) {
	const struct pica_message to = { .type = PICA_MSG_SCREENSHOT, .cookie = picture->cookie };
	const int fd = picture->result < 0 ?
			picture->result :
			sealed_file("pica-screenshot", picture->rgb,
					3 * (size_t)picture->width * picture->height);
	if (fd < 0) {
		session_reply_error(s, &to, fd,
				fd == -ENODATA  ? "no output is connected" :
				fd == -ENOENT ? "no such output" :
						strerror(-fd));
		return;
	}
	struct pica_msg_screen_info m = { .width = picture->width,
		.height = picture->height,
		.is_set = 1,
		.format = 1, /* RGB8 */
		.stride_bytes = 3 * picture->width };
	session_reply(s, &to, PICA_MSG_SCREEN_INFO, &m, sizeof(m), fd);
	close(fd);
}

static void ask_picture(struct session *s, const struct pica_msg_object *m) {
	struct present_picture *picture = calloc(1, sizeof(*picture));
	if (!picture) {
		session_reply_error(s, &m->head, -ENOMEM, "out of memory for a request");
		return;
	}
	picture->session = s->id;
	picture->cookie = m->head.cookie;
	picture->output = m->value;
	presenter_ask_picture(s->server->presenter, picture);
}

static void collect_pictures(struct server *server) {
	struct present_picture *picture;
	while ((picture = presenter_reap_picture(server->presenter))) {
		struct session *s = server_find_session(server, picture->session);
		if (s) {
			answer_picture(s, picture);
		}
		free(picture->rgb);
		free(picture);
	}
}

/* ---- Focus, and changes of the presenter ---- */

void present_request(struct session *s, const struct pica_msg_object *m) {
	struct presenter *p = s->server->presenter;
	if (!p) {
		session_reply_error(s, &m->head, -EOPNOTSUPP, "the service has no display");
	} else if (m->head.type == PICA_MSG_SCREENSHOT) {
		ask_picture(s, m);
	} else if (m->id && !server_find_session(s->server, m->id)) {
		session_reply_error(s, &m->head, -ENOENT, "no such session");
	} else {
		presenter_focus(p, m->id);
		session_reply_done(s, &m->head, 0);
	}
}

static void send_event(struct session *s, enum pica_event_type type, uint64_t value) {
	const struct pica_event event = {
		.type = (uint16_t)type, .value = value, .time_ns = loop_now_ns()
	};
	session_event(s, &event);
}

static void send_state(struct server *server) {
	struct present_state *last = &server->present_state, now;
	presenter_state(server->presenter, &now);
	for (struct session *s = server->sessions; s; s = s->next) {
		if (s->state != SESSION_OPEN) {
			continue;
		}
		if (now.shown != last->shown && (s->id == now.shown || s->id == last->shown)) {
			send_event(s, PICA_EVENT_FOCUS, s->id == now.shown);
		}
		if (now.changes != last->changes) {
			send_event(s, PICA_EVENT_DISPLAY, now.n_outputs);
		}
	}
	const bool ends = now.has_ended && !last->has_ended;
	*last = now;
	if (ends && server->settings.display_ended) {
		server->settings.display_ended(server->settings.log_user, now.end_error);
	}
}

void present_collect(struct server *server) {
	struct present_frame *f;
	while ((f = presenter_reap(server->presenter))) {
		frame_is_done(server, f);
		present_frame_free(f);
	}
	collect_pictures(server);
	send_state(server);
}
