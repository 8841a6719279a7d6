/* The display thread: waits for the display, for frames and for their time, and flips. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "service/loop.h"
#include "service/presenter_impl.h"

static const uint64_t retry_after_ns = 20 * 1000000ull;

static uint64_t period_ns(const struct presenter *p) {
	return 1000000000000ull /
			(p->n_outputs ? p->output[0].mode.refresh_mhz : DISPLAY_CONSOLE_MHZ);
}

static bool can_show(const struct presenter *p) {
	return p->n_outputs && !p->is_away;
}

/* ---- Events of the display ---- */

static void count_flip(struct presenter *p, struct present_client *c, const struct present_frame *f,
		uint64_t time_ns) {
	const uint64_t waited = time_ns > f->arrived_ns ? time_ns - f->arrived_ns : 0;
	p->stats.presented++;
	latencies_add(&p->latencies, waited);
	if (!c) {
		return;
	}
	/* A frame is due once it was submitted and the one before it was shown. */
	const uint64_t since = f->arrived_ns > c->last_flip_ns ? f->arrived_ns : c->last_flip_ns;
	const bool is_late = time_ns > since && 2 * (time_ns - since) > 3 * period_ns(p);
	p->stats.late += is_late;
	c->stats.late += is_late;
	c->stats.presented++;
	c->last_flip_ns = time_ns;
	latencies_add(&c->latencies, waited);
}

/* All outputs have answered. */
static void finish_flip(struct presenter *p) {
	struct flip *flip = &p->flip;
	struct present_frame *f = flip->frame;
	if (!f) {
		return;
	}
	if (flip->error == 0) {
		count_flip(p, flip->client, f, flip->time_ns);
	} else {
		p->stats.dropped++;
		if (flip->client) {
			flip->client->stats.dropped++;
		}
	}
	flip->frame = NULL;
	flip->client = NULL;
	present_done(p, f, flip->error ? loop_now_ns() : flip->time_ns, flip->error == 0);
}

static void on_flipped(struct presenter *p, const struct display_event *e) {
	struct flip *flip = &p->flip;
	pthread_mutex_lock(&p->mutex);
	if (flip->left && flip->cookie == e->cookie) {
		flip->error = flip->error ? flip->error : e->error;
		flip->time_ns = e->time_ns > flip->time_ns ? e->time_ns : flip->time_ns;
		p->stats.missed += e->missed;
		if (--flip->left == 0) {
			finish_flip(p);
		}
	}
	pthread_mutex_unlock(&p->mutex);
	p->needs_drawing |= e->error != 0;
}

/* Forgets the flip under way, whose buffers are gone. Late events have an old cookie. */
static void drop_flip(struct presenter *p) {
	if (p->flip.left) {
		p->flip.left = 0;
		p->flip.cookie++;
		p->flip.error = -ECANCELED;
		finish_flip(p);
	}
}

/* Makes every buffer be redrawn completely. */
static void forget_drawn(struct presenter *p) {
	for (unsigned i = 0; i < p->n_outputs; i++) {
		memset(p->output[i].buffer, 0, sizeof(p->output[i].buffer));
		p->output[i].shown.is_valid = false;
	}
}

static void read_outputs(struct presenter *p) {
	struct display_output modes[DISPLAY_OUTPUTS];
	const unsigned n = p->display->impl->outputs(p->display, modes, DISPLAY_OUTPUTS);
	memset(p->output, 0, sizeof(p->output));
	for (unsigned i = 0; i < n; i++) {
		p->output[i].mode = modes[i];
		present_log(p, LOG_LEVEL_INFO,
				"event=output output=%u name=%s mode=%ux%u hertz=%u.%03u format=%s", i,
				modes[i].name, modes[i].width, modes[i].height,
				modes[i].refresh_mhz / 1000, modes[i].refresh_mhz % 1000,
				modes[i].format == DISPLAY_RGB565 ? "rgb565" : "xrgb8888");
	}
	p->n_outputs = n;
	if (!n) {
		present_log(p, LOG_LEVEL_INFO, "event=no_output text=\"waiting for one\"");
	}
}

static void on_display(void *owner, const struct display_event *e) {
	struct presenter *p = owner;
	if (e->type == DISPLAY_FLIPPED) {
		on_flipped(p, e);
		return;
	}
	pthread_mutex_lock(&p->mutex);
	drop_flip(p);
	switch (e->type) {
	case DISPLAY_FLIPPED:
		break;
	case DISPLAY_CHANGED:
		read_outputs(p);
		break;
	case DISPLAY_LOST:
		present_log(p, LOG_LEVEL_WARNING, "event=display_lost error=\"%s\"",
				strerror(-e->error));
		p->n_outputs = 0;
		break;
	case DISPLAY_AWAY:
	case DISPLAY_BACK:
		present_log(p, LOG_LEVEL_INFO, "event=%s",
			e->type == DISPLAY_AWAY ? "display_away" : "display_back");
		p->is_away = e->type == DISPLAY_AWAY;
		forget_drawn(p);
		break;
	case DISPLAY_ENDED:
		p->n_outputs = 0;
		p->has_ended = true;
		p->end_error = e->error;
		break;
	}
	p->changes++;
	pthread_mutex_unlock(&p->mutex);
	p->needs_drawing = true;
	p->retry_ns = 0;
	present_done_wake(p);
}

/* ---- Settings that change ---- */

/* Applies the settings of presenter_reload() between two pictures. */
static void take_reload(struct presenter *p) {
	pthread_mutex_lock(&p->mutex);
	if (p->has_reloaded) {
		p->has_reloaded = false;
		p->settings.layout = p->new_layout;
		content_clear(&p->idle);
		p->idle = p->new_idle;
		p->new_idle = (struct content){ .session = 0 };
		if (p->content.is_idle) {
			content_copy(&p->content, &p->idle);
		}
		forget_drawn(p);
		p->needs_drawing = true;
	}
	pthread_mutex_unlock(&p->mutex);
}

/* ---- The next picture on the display ---- */

/* Returns whether the last picture has stayed long enough without a session to show. */
static bool is_idle_due(struct presenter *p, uint64_t now) {
	if (!p->orphan_ns) {
		p->orphan_ns = now;
	}
	const bool has_picture = p->content.shot[0] || p->content.shot[1];
	return !p->content.is_idle && (!has_picture || now - p->orphan_ns >= p->settings.linger_ns);
}

/*
 * Returns whether its last picture differs from the one shown: the focus changed, or frames were
 * not shown.
 */
static bool is_news(const struct content *shown, const struct content *last) {
	return (last->shot[0] || last->shot[1]) &&
	       (shown->session != last->session || shown->serial[0] != last->serial[0] ||
		       shown->serial[1] != last->serial[1]);
}

/* The mutex is held. Returns true if p->content is to be drawn. */
static bool choose(struct presenter *p, uint64_t now) {
	struct present_client *c = present_focused(p);
	if (!c) {
		if (is_idle_due(p, now)) {
			content_copy(&p->content, &p->idle);
			return true;
		}
		return p->needs_drawing;
	}
	p->orphan_ns = 0;
	struct present_frame *f = present_pop(c);
	if (f) {
		present_take(p, c, f);
		p->flip.frame = f;
		p->flip.client = c;
	}
	if (f || is_news(&p->content, &c->last)) {
		content_copy(&p->content, &c->last);
		return true;
	}
	return p->needs_drawing;
}

/* Called when the picture could not be shown now. The mutex is held. */
static void give_up_flip(struct presenter *p, int error) {
	struct flip *flip = &p->flip;
	flip->left = 0;
	if (flip->frame) {
		flip->error = error;
		finish_flip(p);
	}
	p->needs_drawing = true;
}

/* Draws and commits, if it is time. */
static void show_next(struct presenter *p, uint64_t now) {
	pthread_mutex_lock(&p->mutex);
	const bool is_free = can_show(p) && !p->flip.left && now >= p->retry_ns;
	const bool draws = is_free && choose(p, now);
	if (draws) {
		/* The answers come from dispatch(), called later on this thread. */
		p->flip.cookie++;
		p->flip.error = 0;
		p->flip.time_ns = 0;
	}
	pthread_mutex_unlock(&p->mutex);
	if (!draws) {
		return;
	}
	p->needs_drawing = false;
	const int ret = present_draw(p, &p->content, p->flip.cookie);
	pthread_mutex_lock(&p->mutex);
	if (ret < 0) {
		p->retry_ns = now + retry_after_ns;
		present_log(p, LOG_LEVEL_DEBUG, "event=present_failed error=\"%s\"",
				strerror(-ret));
		give_up_flip(p, ret);
	} else {
		p->retry_ns = 0;
		p->flip.left = (unsigned)ret;
		if (p->shown != p->content.session) {
			p->shown = p->content.session;
			present_log(p, LOG_LEVEL_INFO, "event=shown session=%llu",
					(unsigned long long)p->shown);
			present_done_wake(p);
		}
	}
	pthread_mutex_unlock(&p->mutex);
}

/* ---- Frames that are not shown ---- */

static bool is_hidden(
	struct presenter *p, const struct present_client *c, const struct present_client *focused) {
	return c->first && (c != focused || !can_show(p));
}

/*
 * Completes one frame of each hidden client, at the display's pace. The mutex is held. Returns when
 * to call it again; UINT64_MAX: never.
 */
static uint64_t run_hidden(struct presenter *p, uint64_t now) {
	const struct present_client *focused = present_focused(p);
	const uint64_t due = p->tick_ns + period_ns(p);
	bool is_waiting = false;
	for (struct present_client *c = p->clients; c; c = c->next) {
		if (is_hidden(p, c, focused) && now >= due) {
			struct present_frame *f = present_pop(c);
			present_take(p, c, f);
			p->stats.hidden++;
			c->stats.hidden++;
			present_done(p, f, now, false);
		}
		is_waiting |= is_hidden(p, c, focused);
	}
	if (now >= due) {
		/* Keeps to the grid, unless the thread slept. */
		p->tick_ns = now - due < period_ns(p) ? due : now;
	}
	return is_waiting ? p->tick_ns + period_ns(p) : UINT64_MAX;
}

/* ---- Requested pictures ---- */

static void answer_pictures(struct presenter *p) {
	for (;;) {
		pthread_mutex_lock(&p->mutex);
		struct present_picture *picture = p->asked;
		if (picture) {
			p->asked = picture->next;
		}
		pthread_mutex_unlock(&p->mutex);
		if (!picture) {
			return;
		}
		present_picture(p, &p->content, picture);
		pthread_mutex_lock(&p->mutex);
		struct present_picture **end = &p->pictures;
		while (*end) {
			end = &(*end)->next;
		}
		picture->next = NULL;
		*end = picture;
		pthread_mutex_unlock(&p->mutex);
		present_done_wake(p);
	}
}

/* ---- The thread ---- */

/* Returns the time of the next turn without an event of the display. The mutex is held. */
static uint64_t next_turn(struct presenter *p, uint64_t now) {
	uint64_t at = run_hidden(p, now);
	if (can_show(p) && !p->flip.left) {
		if (p->retry_ns > now && p->retry_ns < at) {
			at = p->retry_ns;
		}
		if (p->orphan_ns && !p->content.is_idle &&
				p->orphan_ns + p->settings.linger_ns < at) {
			at = p->orphan_ns + p->settings.linger_ns;
		}
	}
	return at;
}

static void wait_for(struct presenter *p, uint64_t until_ns) {
	struct pollfd fds[1 + DISPLAY_POLL_FDS] = { { .fd = p->wake_fd, .events = POLLIN } };
	uint64_t deadline, count;
	const unsigned n = p->display->impl->prepare(p->display, fds + 1, &deadline);
	until_ns = deadline < until_ns ? deadline : until_ns;
	const uint64_t now = loop_now_ns(), left = until_ns > now ? until_ns - now : 0;
	const struct timespec timeout = { (time_t)(left / 1000000000), (long)(left % 1000000000) };
	if (ppoll(fds, 1 + n, until_ns == UINT64_MAX ? NULL : &timeout, NULL) < 0) {
		memset(fds + 1, 0, n * sizeof(*fds)); /* EINTR: readiness is unknown */
	}
	ssize_t got = read(p->wake_fd, &count, sizeof(count));
	(void)got;
	p->display->impl->dispatch(p->display, fds + 1, n);
}

static int open_display(struct presenter *p) {
	const struct present_settings *s = &p->settings;
	const int ret = s->impl->create(&p->display, &s->display, on_display, p);
	pthread_mutex_lock(&p->mutex);
	p->is_started = true;
	p->start_result = ret;
	pthread_cond_signal(&p->cond);
	pthread_mutex_unlock(&p->mutex);
	return ret;
}

void *present_thread(void *arg) {
	struct presenter *p = arg;
	if (open_display(p) < 0) {
		return NULL;
	}
	for (;;) {
		const uint64_t now = loop_now_ns();
		take_reload(p);
		show_next(p, now);
		answer_pictures(p);
		pthread_mutex_lock(&p->mutex);
		const bool stop = p->stop;
		const uint64_t until = next_turn(p, now);
		pthread_mutex_unlock(&p->mutex);
		if (stop) {
			break;
		}
		wait_for(p, until);
	}
	p->display->impl->destroy(p->display);
	return NULL;
}
