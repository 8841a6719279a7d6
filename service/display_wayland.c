/*
 * A window of a Wayland compositor: one output, as large as the window.
 *
 * The connection is made when the display is created. Nothing is opened or connected later: the
 * sandbox needs no more rights for it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service/display_why.h"
#include "service/display_window.h"
#include "service/loop.h"

/*
 * The compositor does not report pictures of a hidden window: they count as shown after this time.
 */
static const uint64_t hidden_ns = 100000000;
/* The time that a compositor has to describe itself. */
static const uint64_t patience_ns = 5000000000;

static const char gone[] = "the Wayland compositor went away";

static void tell(struct window *w, struct display_event e) {
	w->fn(w->owner, &e);
}

/* ---- Messages ---- */

/* Sends pending requests as far as they fit. Returns the events of the connection to wait for. */
static short send_requests(struct window *w) {
	const bool is_full = wl_display_flush(w->connection) < 0 && errno == EAGAIN;
	return (short)(POLLIN | (is_full ? POLLOUT : 0));
}

/* Calls the listeners for received events. Returns 0, or a negative errno if the connection is
 * over. */
static int take_events(struct window *w, short revents) {
	while (wl_display_prepare_read(w->connection) != 0) {
		if (wl_display_dispatch_pending(w->connection) < 0) {
			return -wl_display_get_error(w->connection);
		}
	}
	if (revents & (POLLIN | POLLERR | POLLHUP)) {
		wl_display_read_events(w->connection);
	} else {
		wl_display_cancel_read(w->connection);
	}
	wl_display_dispatch_pending(w->connection);
	return -wl_display_get_error(w->connection);
}

static void on_synced(void *data, struct wl_callback *callback, uint32_t serial) {
	bool *is_done = data;
	*is_done = true;
}

static const struct wl_callback_listener sync_listener = { .done = on_synced };

/* Waits until the compositor has answered all so far. Returns 0 or a negative errno. */
static int synchronise(struct window *w) {
	const uint64_t until = loop_now_ns() + patience_ns;
	struct wl_callback *callback = wl_display_sync(w->connection);
	bool is_done = false;
	int ret = 0;
	wl_callback_add_listener(callback, &sync_listener, &is_done);
	while (ret == 0 && !is_done) {
		struct pollfd fd = { wl_display_get_fd(w->connection), send_requests(w), 0 };
		const uint64_t now = loop_now_ns();
		if (now >= until) {
			ret = -ETIMEDOUT;
		} else if (poll(&fd, 1, (int)((until - now) / 1000000) + 1) < 0 && errno != EINTR) {
			ret = -errno;
		} else {
			ret = take_events(w, fd.revents);
		}
	}
	wl_callback_destroy(callback);
	return ret;
}

/* ---- Flips ---- */

static void on_frame(void *data, struct wl_callback *callback, uint32_t time_ms) {
	struct window *w = data;
	wl_callback_destroy(callback);
	w->frame = NULL;
	w->is_shown = true;
}

static const struct wl_callback_listener frame_listener = { .done = on_frame };

/* Answers the flip that waits, if there is one. */
static void end_flip(struct window *w, int error) {
	if (!w->frame && !w->is_shown) {
		return;
	}
	if (w->frame) {
		wl_callback_destroy(w->frame);
	}
	w->frame = NULL;
	w->is_shown = false;
	tell(w, (struct display_event){ .type = DISPLAY_FLIPPED, .error = error,
			.cookie = w->cookie, .time_ns = loop_now_ns() });
}

/* Reports the end; the owner then destroys the display. error 0: the user closed the window. */
static void end(struct window *w, int error) {
	w->has_ended = true;
	end_flip(w, -ECANCELED);
	window_buffers_destroy(&w->buffers);
	tell(w, (struct display_event){ .type = DISPLAY_ENDED, .error = error });
}

/* Reports the end of the connection, with the reason. */
static void end_lost(struct window *w, int error) {
	const struct wl_interface *interface = NULL;
	uint32_t id;
	if (error == -EPROTO) {
		const uint32_t code = wl_display_get_protocol_error(w->connection, &interface, &id);
		why_failed(&w->settings, "the Wayland compositor refused a request: error %u of %s",
				code, interface ? interface->name : "an unknown object");
	} else if (error == -EPIPE || error == -ECONNRESET) {
		why_failed(&w->settings, "%s", gone);
	} else {
		why_failed(&w->settings, "the Wayland compositor: %s", strerror(-error));
	}
	end(w, error);
}

/* Makes new buffers if the window has another size. */
static void follow_size(struct window *w) {
	int32_t scale;
	const struct window_size size = window_size_wanted(w, &scale);
	if (!w->is_configured) {
		return;
	}
	if (size.width == w->buffers.width && size.height == w->buffers.height &&
			scale == w->scale) {
		if (w->is_unanswered) {
			wl_surface_commit(w->surface);
			w->is_unanswered = false;
		}
		return;
	}
	end_flip(w, -ECANCELED);
	window_buffers_destroy(&w->buffers);
	w->scale = scale;
	const int ret = window_buffers_create(&w->buffers, w->shm, size.width, size.height);
	if (ret < 0) {
		why_failed(&w->settings, "a window of %ux%u pixels: %s", size.width, size.height,
				strerror(-ret));
		end(w, ret);
		return;
	}
	tell(w, (struct display_event){ .type = DISPLAY_CHANGED });
}

/* ---- Life ---- */

static void destroy(struct display *d) {
	struct window *w = (struct window *)d;
	window_buffers_destroy(&w->buffers);
	if (w->frame) {
		wl_callback_destroy(w->frame);
	}
	window_close(w);
	if (w->connection) {
		wl_display_disconnect(w->connection);
	}
	free(w);
}

/* Suppresses libwayland's prints to standard error: end_lost() logs the same. */
static void say_nothing(const char *fmt, va_list args) {
}

static int connect_to(struct window *w) {
	wl_log_set_handler_client(say_nothing);
	w->connection = wl_display_connect(NULL);
	if (!w->connection) {
		const int error = errno ? -errno : -ENOENT;
		why_failed(&w->settings,
				"no Wayland compositor: %s: expected $WAYLAND_DISPLAY and $XDG_RUNTIME_DIR of one",
				strerror(-error));
		return error;
	}
	w->registry = wl_display_get_registry(w->connection);
	wl_registry_add_listener(w->registry, &window_registry_listener, w);
	/* The first round trip lists the globals, the second describes them. */
	int ret = synchronise(w);
	ret = ret < 0 ? ret : synchronise(w);
	if (ret < 0) {
		why_failed(&w->settings, "the Wayland compositor does not answer: %s",
				strerror(-ret));
	} else if (!w->compositor || !w->shm || !w->shell) {
		why_failed(&w->settings, "the Wayland compositor lacks %s",
				!w->compositor  ? "wl_compositor of version 4" :
						!w->shm ? "wl_shm" :
							  "xdg_wm_base");
		ret = -EPROTO;
	}
	return ret;
}

static int create(struct display **out, const struct display_settings *s, display_event_fn *fn,
		void *owner) {
	struct window *w = calloc(1, sizeof(*w));
	if (!w) {
		return -ENOMEM;
	}
	w->base.impl = &display_wayland;
	w->fn = fn;
	w->owner = owner;
	w->settings = (struct display_settings){
		.width = s->width, .height = s->height, .can_grow = s->can_grow, .why = s->why
	};
	const int ret = connect_to(w);
	if (ret < 0) {
		destroy(&w->base);
		return ret;
	}
	window_open(w);
	*out = &w->base;
	return 0;
}

static unsigned outputs(const struct display *d, struct display_output *out, unsigned n) {
	const struct window *w = (const struct window *)d;
	if (n && w->buffers.width) {
		out[0] = (struct display_output){ .name = "window", .width = w->buffers.width,
			.height = w->buffers.height, .refresh_mhz = window_refresh_mhz(w),
			.format = DISPLAY_XRGB8888 };
	}
	return w->buffers.width != 0;
}

/* ---- Pictures ---- */

static int acquire(struct display *d, uint32_t output, struct display_buffer *out) {
	struct window_buffers *all = &((struct window *)d)->buffers;
	struct window_buffer *best = NULL;
	if (output || !all->width) {
		return -ENODEV;
	}
	/* The buffer shown last has the least to draw. */
	for (unsigned i = 0; i < DISPLAY_BUFFERS; i++) {
		struct window_buffer *b = &all->buffer[i];
		if (!b->is_acquired && !b->is_busy && (!best || b->flip > best->flip)) {
			best = b;
		}
	}
	if (!best) {
		return -EAGAIN;
	}
	best->is_acquired = true;
	*out = (struct display_buffer){ .host = best->host, .stride_bytes = all->stride_bytes,
		.width = all->width, .height = all->height, .format = DISPLAY_XRGB8888,
		.index = (uint32_t)(best - all->buffer),
		.age = best->flip ? (uint32_t)(all->flips - best->flip + 1) : 0 };
	return 0;
}

static void release(struct display *d, uint32_t output, const struct display_buffer *buffer) {
	struct window_buffer *b = &((struct window *)d)->buffers.buffer[buffer->index];
	b->is_acquired = false;
	b->flip = 0;
}

static int commit(struct display *d, const struct display_flip *flips, unsigned n) {
	struct window *w = (struct window *)d;
	if (n != 1 || flips[0].output || !w->buffers.width) {
		return -ENODEV;
	}
	if (w->frame || w->is_shown) {
		return -EBUSY;
	}
	const struct display_flip *f = &flips[0];
	const struct display_rect all = { 0, 0, w->buffers.width, w->buffers.height };
	const struct display_rect *damage = f->n_damage ? f->damage : &all;
	struct window_buffer *b = &w->buffers.buffer[f->buffer.index];
	wl_surface_set_buffer_scale(w->surface, w->scale);
	wl_surface_attach(w->surface, b->wl, 0, 0);
	for (unsigned i = 0; i < (f->n_damage ? f->n_damage : 1); i++) {
		wl_surface_damage_buffer(w->surface, (int32_t)damage[i].x, (int32_t)damage[i].y,
				(int32_t)damage[i].width, (int32_t)damage[i].height);
	}
	w->frame = wl_surface_frame(w->surface);
	wl_callback_add_listener(w->frame, &frame_listener, w);
	wl_surface_commit(w->surface);
	w->is_unanswered = false;
	b->is_acquired = false;
	b->is_busy = true;
	b->flip = ++w->buffers.flips;
	w->cookie = f->cookie;
	w->committed_ns = loop_now_ns();
	return 0; /* prepare() sends it */
}

static unsigned prepare(struct display *d, struct pollfd *fds, uint64_t *deadline_ns) {
	struct window *w = (struct window *)d;
	*deadline_ns = w->frame ? w->committed_ns + hidden_ns : UINT64_MAX;
	if (w->has_ended) {
		return 0;
	}
	fds[0] = (struct pollfd){ wl_display_get_fd(w->connection), send_requests(w), 0 };
	return 1;
}

static void dispatch(struct display *d, const struct pollfd *fds, unsigned n) {
	struct window *w = (struct window *)d;
	if (w->has_ended) {
		return;
	}
	const int ret = take_events(w, n ? fds[0].revents : 0);
	if (ret < 0) {
		end_lost(w, ret);
		return;
	}
	if (w->is_closed) {
		end(w, 0);
		return;
	}
	if (w->is_shown || (w->frame && loop_now_ns() >= w->committed_ns + hidden_ns)) {
		end_flip(w, 0);
	}
	follow_size(w);
}

const struct display_impl display_wayland = {
	.name = "wayland",
	.create = create,
	.destroy = destroy,
	.outputs = outputs,
	.acquire = acquire,
	.release = release,
	.commit = commit,
	.prepare = prepare,
	.dispatch = dispatch,
};
