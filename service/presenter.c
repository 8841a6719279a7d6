/* The loop's side of the presenter, and the choice of the session. */
#include "service/presenter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "service/presenter_impl.h"
#include "sock.h"

void present_settings_init(struct present_settings *s) {
	memset(s, 0, sizeof(*s));
	layout_init(&s->layout);
	s->policy = PRESENT_LAST;
	s->linger_ns = 5 * 1000000000ull;
}

/* ---- Contents and frames ---- */

void content_clear(struct content *c) {
	pica_shot_put(c->shot[0]);
	pica_shot_put(c->shot[1]);
	*c = (struct content){ .session = 0 };
}

void content_copy(struct content *to, const struct content *from) {
	const struct content old = *to;
	*to = *from;
	pica_shot_get(to->shot[0]);
	pica_shot_get(to->shot[1]);
	pica_shot_put(old.shot[0]);
	pica_shot_put(old.shot[1]);
}

static void wake(int fd) {
	const uint64_t one = 1;
	ssize_t n = write(fd, &one, sizeof(one));
	(void)n; /* a full counter is readable, which is enough */
}

void present_done_wake(const struct presenter *p) {
	wake(p->done_fd);
}

static void frame_free(struct present_frame *f) {
	pica_shot_put(f->shot[0]);
	pica_shot_put(f->shot[1]);
	free(f);
}

struct present_frame *present_pop(struct present_client *c) {
	struct present_frame *f = c->first;
	if (f) {
		c->first = f->next;
		if (!c->first) {
			c->end = &c->first;
		}
		f->next = NULL;
	}
	return f;
}

void present_take(struct presenter *p, struct present_client *c, struct present_frame *f) {
	if (f->is_picture != c->last.is_picture) {
		content_clear(&c->last);
		c->last.session = c->session;
		c->last.is_picture = f->is_picture;
	}
	for (unsigned i = 0; i < 2; i++) {
		if (f->shot[i]) {
			pica_shot_put(c->last.shot[i]);
			c->last.shot[i] = f->shot[i];
			c->last.serial[i] = ++p->n_serials;
			f->shot[i] = NULL;
		}
	}
	c->last.eye = f->eye;
}

void present_done(struct presenter *p, struct present_frame *f, uint64_t time_ns, bool was_shown) {
	f->time_ns = time_ns;
	f->was_shown = was_shown;
	*p->done_end = f;
	p->done_end = &f->next;
	wake(p->done_fd);
}

/* ---- The choice of the session ---- */

static bool is_wanted(const struct presenter *p, const struct present_client *c) {
	return c->started &&
			(p->settings.policy != PRESENT_PINNED ||
					strcmp(c->name, p->settings.pinned) == 0);
}

static bool is_before(
	const struct presenter *p, const struct present_client *a, const struct present_client *b) {
	if (p->settings.policy == PRESENT_PRIORITY && a->priority != b->priority) {
		return a->priority > b->priority;
	}
	return a->started > b->started;
}

struct present_client *present_focused(struct presenter *p) {
	struct present_client *best = NULL;
	for (struct present_client *c = p->clients; c; c = c->next) {
		if (c->session == p->forced && c->started) {
			return c;
		}
		if (is_wanted(p, c) && (!best || is_before(p, c, best))) {
			best = c;
		}
	}
	return best;
}

/* ---- The loop's thread ---- */

struct present_client *presenter_client_create(
	struct presenter *p, uint64_t session, const char *name, int32_t priority) {
	struct present_client *c = calloc(1, sizeof(*c));
	if (!c) {
		return NULL;
	}
	c->session = session;
	c->last.session = session;
	c->priority = priority;
	c->end = &c->first;
	c->latencies = (struct latencies){ c->us, CLIENT_LATENCIES, 0 };
	snprintf(c->name, sizeof(c->name), "%s", name);
	pthread_mutex_lock(&p->mutex);
	c->next = p->clients;
	p->clients = c;
	pthread_mutex_unlock(&p->mutex);
	return c;
}

void presenter_client_destroy(struct presenter *p, struct present_client *c) {
	if (!c) {
		return;
	}
	pthread_mutex_lock(&p->mutex);
	struct present_client **link = &p->clients;
	while (*link != c) {
		link = &(*link)->next;
	}
	*link = c->next;
	if (p->flip.client == c) {
		p->flip.client = NULL;
	}
	if (p->forced == c->session) {
		p->forced = 0;
	}
	struct present_frame *f;
	while ((f = present_pop(c))) {
		p->stats.dropped++;
		frame_free(f);
	}
	pthread_mutex_unlock(&p->mutex);
	wake(p->wake_fd); /* another session may be shown now */
	content_clear(&c->last);
	free(c);
}

void presenter_submit(struct presenter *p, struct present_client *c, struct present_frame *f) {
	f->next = NULL;
	pthread_mutex_lock(&p->mutex);
	if (!c->started && (f->shot[0] || f->shot[1])) {
		c->started = ++p->n_started;
	}
	*c->end = f;
	c->end = &f->next;
	pthread_mutex_unlock(&p->mutex);
	wake(p->wake_fd);
}

struct present_frame *presenter_reap(struct presenter *p) {
	uint64_t count;
	ssize_t n = read(p->done_fd, &count, sizeof(count));
	(void)n; /* empty: we look anyway */
	pthread_mutex_lock(&p->mutex);
	struct present_frame *f = p->done;
	if (f) {
		p->done = f->next;
		if (!p->done) {
			p->done_end = &p->done;
		}
		f->next = NULL;
	}
	pthread_mutex_unlock(&p->mutex);
	return f;
}

void presenter_focus(struct presenter *p, uint64_t session) {
	pthread_mutex_lock(&p->mutex);
	p->forced = session;
	pthread_mutex_unlock(&p->mutex);
	wake(p->wake_fd);
}

void presenter_state(struct presenter *p, struct present_state *out) {
	pthread_mutex_lock(&p->mutex);
	*out = (struct present_state){
		.shown = p->shown,
		.pinned = p->forced,
		.n_outputs = p->is_away ? 0 : p->n_outputs,
		.changes = p->changes,
		.has_ended = p->has_ended,
		.end_error = p->end_error
	};
	pthread_mutex_unlock(&p->mutex);
}

void presenter_stats(struct presenter *p, const struct present_client *client,
		struct present_stats *out) {
	pthread_mutex_lock(&p->mutex);
	*out = client ? client->stats : p->stats;
	latencies_percentiles(client ? &client->latencies : &p->latencies, &out->p50_us,
			&out->p99_us);
	pthread_mutex_unlock(&p->mutex);
}

void presenter_ask_picture(struct presenter *p, struct present_picture *picture) {
	pthread_mutex_lock(&p->mutex);
	struct present_picture **end = &p->asked;
	while (*end) {
		end = &(*end)->next;
	}
	picture->next = NULL;
	*end = picture;
	pthread_mutex_unlock(&p->mutex);
	wake(p->wake_fd);
}

struct present_picture *presenter_reap_picture(struct presenter *p) {
	pthread_mutex_lock(&p->mutex);
	struct present_picture *picture = p->pictures;
	if (picture) {
		p->pictures = picture->next;
		picture->next = NULL;
	}
	pthread_mutex_unlock(&p->mutex);
	return picture;
}

int presenter_fd(const struct presenter *p) {
	return p->done_fd;
}

/* ---- Life ---- */

static int make_idle(struct content *idle, const struct present_settings *s) {
	*idle = (struct content){ .is_idle = true };
	if (!s->idle_rgb) {
		return 0;
	}
	int ret = pica_shot_create(&idle->shot[0]);
	ret = ret < 0 ? ret :
			pica_shot_set_rgb(idle->shot[0], s->idle_width, s->idle_height,
					s->idle_rgb, 3 * (size_t)s->idle_width);
	if (ret < 0) {
		content_clear(idle);
	}
	return ret;
}

int presenter_reload(struct presenter *p, const struct present_settings *s) {
	struct content idle;
	const int ret = make_idle(&idle, s);
	if (ret < 0) {
		return ret;
	}
	pthread_mutex_lock(&p->mutex);
	content_clear(&p->new_idle); /* of a reload not yet applied */
	p->new_idle = idle;
	p->new_layout = s->layout;
	p->has_reloaded = true;
	p->settings.policy = s->policy;
	p->settings.linger_ns = s->linger_ns;
	memcpy(p->settings.pinned, s->pinned, sizeof(p->settings.pinned));
	pthread_mutex_unlock(&p->mutex);
	wake(p->wake_fd);
	return 0;
}

/* Frees a presenter without a thread. */
static void finish(struct presenter *p) {
	struct present_frame *f;
	struct present_picture *picture;
	while ((f = presenter_reap(p))) {
		frame_free(f);
	}
	if (p->flip.frame) {
		frame_free(p->flip.frame);
	}
	while ((picture = presenter_reap_picture(p))) {
		free(picture->rgb);
		free(picture);
	}
	while ((picture = p->asked)) {
		p->asked = picture->next;
		free(picture);
	}
	content_clear(&p->content);
	content_clear(&p->idle);
	content_clear(&p->new_idle);
	fd_close(&p->wake_fd);
	fd_close(&p->done_fd);
	fd_close(&p->stop_fd);
	pthread_cond_destroy(&p->cond);
	pthread_mutex_destroy(&p->mutex);
	free(p);
}

static int start(struct presenter *p) {
	int ret = -pthread_create(&p->thread, NULL, present_thread, p);
	if (ret < 0) {
		return ret;
	}
	pthread_mutex_lock(&p->mutex);
	while (!p->is_started) {
		pthread_cond_wait(&p->cond, &p->mutex); /* signalled by present_thread() */
	}
	ret = p->start_result;
	pthread_mutex_unlock(&p->mutex);
	if (ret < 0) {
		pthread_join(p->thread, NULL);
	}
	return ret;
}

int presenter_create(struct presenter **out, const struct present_settings *settings,
		struct pica_device *device) {
	struct presenter *p = calloc(1, sizeof(*p));
	if (!p) {
		return -ENOMEM;
	}
	p->settings = *settings;
	p->device = device;
	p->done_end = &p->done;
	p->latencies = (struct latencies){ p->us, PRESENT_LATENCIES, 0 };
	pthread_mutex_init(&p->mutex, NULL);
	pthread_cond_init(&p->cond, NULL);
	p->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	p->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	p->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int ret = p->wake_fd < 0 || p->done_fd < 0 || p->stop_fd < 0 ? -EMFILE :
			make_idle(&p->idle, &p->settings);
	if (ret == 0) {
		struct display_settings *d = &p->settings.display;
		d->stop_fd = p->stop_fd;
		layout_size(&p->settings.layout, &d->width, &d->height);
		d->can_grow = p->settings.layout.scale != LAYOUT_TIMES;
		ret = start(p);
	}
	if (ret < 0) {
		finish(p);
		return ret;
	}
	*out = p;
	return 0;
}

bool presenter_destroy(struct presenter *p, uint64_t until_ns) {
	const struct timespec until = { (time_t)(until_ns / 1000000000),
		(long)(until_ns % 1000000000) };
	if (!p) {
		return true;
	}
	pthread_mutex_lock(&p->mutex);
	p->stop = true;
	pthread_mutex_unlock(&p->mutex);
	wake(p->stop_fd);
	wake(p->wake_fd);
	if (until_ns == UINT64_MAX) {
		pthread_join(p->thread, NULL);
	} else if (pthread_clockjoin_np(p->thread, NULL, CLOCK_MONOTONIC, &until) != 0) {
		return false;
	}
	finish(p);
	return true;
}
