#include "service/display_card.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "service/display_headless.h"
#include "service/display_why.h"
#include "service/logfmt.h"
#include "service/uevent.h"

enum {
	CARDS = 16,          /* /dev/dri/card0 and on */
	SCAN_REST_MS = 50,   /* a plug that is pushed in bounces */
	SLEEP_MS = 500,      /* of the whole machine: shorter ones are noise */
};

static uint64_t clock_ns(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t card_now_ns(void) {
	return clock_ns(CLOCK_MONOTONIC);
}

/*
 * How long the machine has slept since it started, and a little less than nothing where it has not.
 */
static int64_t slept_ns(void) {
	uint64_t boot_ns = clock_ns(CLOCK_BOOTTIME);
	return (int64_t)(boot_ns - card_now_ns());
}

/*
 * Readable when the system's clock jumps, as it does when the machine wakes up: nothing else would
 * wake us then.
 */
static int open_clock(void) {
	const struct itimerspec far = { .it_value.tv_sec = (time_t)1 << 33 };
	int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (fd >= 0 &&
			timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &far,
					NULL) < 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void card_say(const struct card *card, enum log_level level, const char *fmt, ...) {
	char line[512];
	va_list args;
	if (!card->settings.log) {
		return;
	}
	va_start(args, fmt);
	logfmt_line(line, sizeof(line), fmt, args);
	va_end(args);
	card->settings.log(card->settings.log_user, level, line);
}

void card_tell(struct card *card, struct display_event event) {
	card->fn(card->owner, &event);
}

bool card_is_away(const struct card *card) {
	return card->is_away || card->has_lost_master;
}

/* ---- Buffers ---- */

static uint32_t output_width(const struct output *o) {
	return o->pipe.mode.hdisplay;
}

static uint32_t output_height(const struct output *o) {
	return o->pipe.mode.vdisplay;
}

static void free_buffers(struct card *card, struct output *o) {
	for (unsigned i = 0; i < o->n_buffers; i++) {
		if (o->buffer[i].framebuffer) {
			kms_remove_framebuffer(&card->kms, o->buffer[i].framebuffer);
		}
		dumb_destroy(&o->buffer[i].dumb, card->device.fd);
	}
	memset(o->buffer, 0, sizeof(o->buffer));
	o->n_buffers = 0;
}

static int add_buffer(struct card *card, struct output *o) {
	struct buffer *b = &o->buffer[o->n_buffers];
	int ret = dumb_create(&b->dumb, card->device.fd, output_width(o), output_height(o),
			8 * display_pixel_bytes(o->pipe.format));
	if (ret < 0) {
		return ret;
	}
	ret = kms_add_framebuffer(&card->kms, b->dumb.handle, b->dumb.width, b->dumb.height,
			b->dumb.stride_bytes, o->pipe.format, &b->framebuffer);
	if (ret < 0) {
		dumb_destroy(&b->dumb, card->device.fd);
		return ret;
	}
	o->n_buffers++;
	return 0;
}

/* Three where there is memory for them, at least two. */
static int make_buffers(struct card *card, struct output *o) {
	int ret = 0;
	while (o->n_buffers < DISPLAY_BUFFERS && ret == 0) {
		ret = add_buffer(card, o);
	}
	if (o->n_buffers < 2) {
		free_buffers(card, o);
		return ret;
	}
	return 0;
}

/* Acquired buffers are no longer the user's. */
static void forget_acquired(struct output *o) {
	for (unsigned i = 0; i < o->n_buffers; i++) {
		if (o->buffer[i].state == BUFFER_ACQUIRED) {
			o->buffer[i].state = BUFFER_FREE;
			o->buffer[i].flip = 0;
		}
	}
}

/* ---- Cards ---- */

/* fd -1 afterwards. restore: the card still answers, and the screen is ours to give back. */
static void close_card(struct card *card, bool restore) {
	if (card->device.fd < 0) {
		return;
	}
	kms_close(&card->kms, restore);
	for (unsigned i = 0; i < card->n_outputs; i++) {
		free_buffers(card, &card->output[i]);
	}
	card->n_outputs = 0;
	seat_close_device(card->seat, &card->device);
}

void card_lose(struct card *card, int error) {
	flips_cancel(card, -ECANCELED);
	close_card(card, false);
	card->has_lost_master = false;
	card->look_ns = card_now_ns() + LOOK_REST_MS * (uint64_t)NS_PER_MS;
	card->scan_ns = UINT64_MAX;
	card_tell(card, (struct display_event){ .type = DISPLAY_LOST, .error = error });
}

static int try_card(struct card *card, const char *path) {
	int ret = seat_open_device(card->seat, path, &card->device);
	if (ret < 0) {
		return ret;
	}
	ret = kms_probe(card->device.fd);
	ret = ret < 0 ? ret : kms_open(&card->kms, card->device.fd, !card->settings.no_atomic);
	if (ret < 0) {
		seat_close_device(card->seat, &card->device);
		return ret;
	}
	card_say(card, LOG_LEVEL_INFO, "event=display_card path=%s atomic=%d", path,
			card->kms.is_atomic);
	return 0;
}

/* The wished card, or the first that can show something; failing that, the first that could. */
static int find_card(struct card *card) {
	struct kms_pipe pipe;
	if (card->path) {
		return try_card(card, card->path);
	}
	int refusal = -ENODEV;
	for (int needs_display = 1; needs_display >= 0; needs_display--) {
		for (unsigned i = 0; i < CARDS; i++) {
			char path[32];
			snprintf(path, sizeof(path), "/dev/dri/card%u", i);
			if (access(path, F_OK) < 0) {
				continue;
			}
			int ret = try_card(card, path);
			if (ret < 0) {
				/*
				 * A card that we may not use is a better message than one that
				 * shows nothing.
				 */
				refusal = refusal == -ENODEV && ret != -EOPNOTSUPP ? ret : refusal;
				continue;
			}
			if (!needs_display ||
					kms_scan(&card->kms, &card->wish, NULL, 0, &pipe, 1) > 0) {
				return 0;
			}
			close_card(card, false);
		}
	}
	return refusal;
}

static void look_for_card(struct card *card) {
	int ret = find_card(card);
	if (ret < 0) {
		card->look_ns = card_now_ns() + LOOK_REST_MS * (uint64_t)NS_PER_MS;
		if (card->is_away) {
			return; /* who gives it only to those whose screen it is, is right */
		}
		if (ret != card->look_error) {
			card_say(card, LOG_LEVEL_WARNING,
					"event=display_none path=%s error=\"%s\" text=\"%s\"",
					card->path ? card->path : "/dev/dri", strerror(-ret),
					why_no_card(card->path, ret, seat_is_kept(card->seat)));
		}
		card->look_error = ret;
		return;
	}
	card->look_error = 0;
	card->look_ns = UINT64_MAX;
	card->scan_ns = 0;
}

/* ---- What is plugged in ---- */

static bool is_same_pipe(const struct kms_pipe *a, const struct kms_pipe *b) {
	return a->connector == b->connector && a->crtc == b->crtc && a->plane == b->plane &&
			a->format == b->format && memcmp(&a->mode, &b->mode, sizeof(a->mode)) == 0;
}

/* The output that shows the same as before goes on with its buffers: no black picture for it. */
static bool take_old(struct output *o, struct output *old, unsigned n_old) {
	for (unsigned i = 0; i < n_old; i++) {
		if (old[i].n_buffers && is_same_pipe(&old[i].pipe, &o->pipe)) {
			*o = old[i];
			old[i].n_buffers = 0;
			forget_acquired(o);
			return true;
		}
	}
	return false;
}

static bool is_unchanged(const struct card *card, const struct kms_pipe *pipes, unsigned n) {
	if (n != card->n_outputs) {
		return false;
	}
	for (unsigned i = 0; i < n; i++) {
		if (!is_same_pipe(&card->output[i].pipe, &pipes[i])) {
			return false;
		}
	}
	return true;
}

/* A size or a rate that the display does not have: another one is taken. */
static void tell_mode(struct card *card, const struct output *o) {
	const struct kms_wish *w = &card->wish;
	const uint32_t mhz = kms_refresh_mhz(&o->pipe.mode);
	const uint32_t off = mhz > w->refresh_mhz ? mhz - w->refresh_mhz : w->refresh_mhz - mhz;
	if (w->width && (o->pipe.mode.hdisplay != w->width || o->pipe.mode.vdisplay != w->height ||
			(w->refresh_mhz && off > 1000))) {
		card_say(card, LOG_LEVEL_WARNING,
				"event=display_mode_missing name=%s wished=%ux%u wished_mhz=%u mode=%ux%u refresh_mhz=%u",
				o->pipe.name, (unsigned)w->width, (unsigned)w->height,
				(unsigned)w->refresh_mhz, (unsigned)o->pipe.mode.hdisplay,
				(unsigned)o->pipe.mode.vdisplay, (unsigned)mhz);
	}
}

/* Once for each change: a name that no connector has may be a mistake. */
static void tell_missing(struct card *card) {
	if (strcmp(card->missing, card->kms.missing) == 0 || card->kms.is_incomplete) {
		return;
	}
	memcpy(card->missing, card->kms.missing, sizeof(card->missing));
	if (card->missing[0]) {
		card_say(card, LOG_LEVEL_WARNING,
				"event=display_connector_missing names=\"%s\" there=\"%s\"",
				card->missing, card->kms.names);
	}
}

static void replace_outputs(struct card *card, const struct kms_pipe *pipes, unsigned n) {
	struct output old[DISPLAY_OUTPUTS];
	unsigned n_old = card->n_outputs;
	memcpy(old, card->output, sizeof(old));
	card->n_outputs = 0;
	for (unsigned i = 0; i < n; i++) {
		struct output *o = &card->output[card->n_outputs];
		memset(o, 0, sizeof(*o));
		o->pipe = pipes[i];
		if (take_old(o, old, n_old)) {
			card->n_outputs++;
			continue;
		}
		int ret = make_buffers(card, o);
		if (ret < 0) {
			card_say(card, LOG_LEVEL_ERROR,
					"event=display_output name=%s error=\"no buffers: %s\"",
					o->pipe.name, strerror(-ret));
			card->scan_ns = card_now_ns() + LOOK_REST_MS * (uint64_t)NS_PER_MS;
			continue;
		}
		card->n_outputs++;
		card_say(card, LOG_LEVEL_INFO,
				"event=display_output name=%s mode=%ux%u refresh_mhz=%u format=%s",
				o->pipe.name, (unsigned)output_width(o), (unsigned)output_height(o),
				(unsigned)kms_refresh_mhz(&o->pipe.mode),
				o->pipe.format == DISPLAY_RGB565 ? "rgb565" : "xrgb8888");
		tell_mode(card, o);
	}
	for (unsigned i = 0; i < n_old; i++) {
		if (old[i].n_buffers) {
			card_say(card, LOG_LEVEL_INFO, "event=display_output_gone name=%s",
					old[i].pipe.name);
			kms_off(&card->kms, &old[i].pipe);
			free_buffers(card, &old[i]);
		}
	}
}

/* True: a change was reported to the user. */
static bool scan(struct card *card) {
	struct kms_pipe pipes[DISPLAY_OUTPUTS], old[DISPLAY_OUTPUTS];
	for (unsigned i = 0; i < card->n_outputs; i++) {
		old[i] = card->output[i].pipe;
	}
	card->scan_ns = UINT64_MAX;
	int n = kms_scan(&card->kms, &card->wish, old, card->n_outputs, pipes, DISPLAY_OUTPUTS);
	if (n < 0) {
		card_lose(card, n);
		return true;
	}
	tell_missing(card);
	if ((card->uevents < 0 && n == 0) || card->kms.is_incomplete) {
		card->scan_ns = card_now_ns() + LOOK_REST_MS * (uint64_t)NS_PER_MS;
	}
	if (is_unchanged(card, pipes, (unsigned)n)) {
		return false;
	}
	flips_cancel(card, -ECANCELED);
	replace_outputs(card, pipes, (unsigned)n);
	card_tell(card, (struct display_event){ .type = DISPLAY_CHANGED });
	return true;
}

/* Nobody knows what the screens show: modes are set anew, and nothing is the user's any more. */
void card_forget_screens(struct card *card) {
	flips_cancel(card, -ECANCELED);
	for (unsigned i = 0; i < card->n_outputs; i++) {
		forget_acquired(&card->output[i]);
		card->output[i].is_set = false;
	}
}

/* Displays may have come and gone meanwhile; the user draws everything anew even if none did. */
void card_begin_anew(struct card *card) {
	if (card->device.fd < 0 || !scan(card)) {
		card_tell(card, (struct display_event){ .type = DISPLAY_CHANGED });
	}
}

/* ---- The face ---- */

static int parse_wish(const struct display_settings *settings, struct kms_wish *out) {
	struct display_output mode[DISPLAY_OUTPUTS];
	if (!settings->mode) {
		return 0;
	}
	if (display_headless_modes(settings->mode, mode) != 1) {
		return -EINVAL;
	}
	out->width = mode[0].width;
	out->height = mode[0].height;
	out->refresh_mhz = strchr(settings->mode, '@') ? mode[0].refresh_mhz : 0;
	out->has_format = strchr(settings->mode, ':') != NULL;
	out->format = mode[0].format;
	return 0;
}

static void card_destroy(struct display *d) {
	struct card *card = (struct card *)d;
	if (!card) {
		return;
	}
	close_card(card, !card_is_away(card));
	seat_close(card->seat);
	if (card->uevents >= 0) {
		close(card->uevents);
	}
	if (card->clock >= 0) {
		close(card->clock);
	}
	free(card->path);
	free(card->connectors);
	free(card);
}

/* 0, or -ENOMEM. */
static int copy_text(char **out, const char *text) {
	*out = text ? strdup(text) : NULL;
	return text && !*out ? -ENOMEM : 0;
}

static int card_create(struct display **out, const struct display_settings *settings,
		display_event_fn *fn, void *owner) {
	struct card *card = calloc(1, sizeof(*card));
	if (!card) {
		return -ENOMEM;
	}
	card->base.impl = &display_kms;
	card->settings = *settings;
	card->fn = fn;
	card->owner = owner;
	card->device.fd = card->uevents = card->clock = -1;
	card->scan_ns = UINT64_MAX;
	card->slept_ns = slept_ns();
	int ret = copy_text(&card->path, settings->card);
	ret = ret < 0 ? ret : copy_text(&card->connectors, settings->connectors);
	if (ret < 0) {
		goto err;
	}
	card->wish.connectors = card->connectors;
	ret = parse_wish(settings, &card->wish);
	if (ret < 0) {
		card_say(card, LOG_LEVEL_ERROR,
				"event=display_settings text=\"mode: expected WIDTHxHEIGHT[@HERTZ][:FORMAT]\"");
		goto err;
	}
	snprintf(card->seat_name, sizeof(card->seat_name), "%s",
			settings->seat ? settings->seat : "auto");
	ret = card_open_seat(card, LOG_LEVEL_ERROR);
	if (ret < 0) {
		why_failed(settings, "seat %s: %s: %s", card->seat_name, strerror(-ret),
				why_no_seat(card->seat_name, ret));
		goto err;
	}
	card->is_told_away = card->is_away;
	card->uevents = uevent_open();
	if (card->uevents < 0) {
		card_say(card, LOG_LEVEL_WARNING,
				"event=display_uevents error=\"%s\" text=\"looking now and then instead\"",
				strerror(-card->uevents));
	}
	/* without it we notice at the next frame, or when something is plugged */
	card->clock = open_clock();
	*out = &card->base;
	return 0;

err:
	card_destroy(&card->base);
	return ret;
}

static unsigned card_outputs(const struct display *d, struct display_output *out, unsigned n) {
	const struct card *card = (const struct card *)d;
	for (unsigned i = 0; i < card->n_outputs && i < n; i++) {
		const struct output *o = &card->output[i];
		memcpy(out[i].name, o->pipe.name, sizeof(out[i].name));
		out[i].width = output_width(o);
		out[i].height = output_height(o);
		out[i].refresh_mhz = !o->is_set || o->has_vblank ? kms_refresh_mhz(&o->pipe.mode) :
								   CONSOLE_MHZ;
		out[i].format = o->pipe.format;
	}
	return card->n_outputs;
}

static int card_acquire(struct display *d, uint32_t output, struct display_buffer *out) {
	struct card *card = (struct card *)d;
	if (output >= card->n_outputs) {
		return -ENODEV;
	}
	if (card_is_away(card)) {
		return -EACCES;
	}
	struct output *o = &card->output[output];
	struct buffer *best = NULL;
	for (unsigned i = 0; i < o->n_buffers; i++) {
		/* The buffer with the latest contents, which has the least to draw. */
		if (o->buffer[i].state == BUFFER_FREE &&
				(!best || o->buffer[i].flip > best->flip)) {
			best = &o->buffer[i];
		}
	}
	if (!best) {
		return -EAGAIN;
	}
	best->state = BUFFER_ACQUIRED;
	*out = (struct display_buffer){ .host = best->dumb.host,
		.stride_bytes = best->dumb.stride_bytes,
		.width = output_width(o),
		.height = output_height(o),
		.format = o->pipe.format,
		.index = (uint32_t)(best - o->buffer),
		.age = best->flip ? (uint32_t)(o->commits - best->flip + 1) : 0 };
	return 0;
}

static struct buffer *acquired(
		struct card *card, uint32_t output, const struct display_buffer *buffer) {
	if (output >= card->n_outputs || buffer->index >= card->output[output].n_buffers) {
		return NULL;
	}
	struct buffer *b = &card->output[output].buffer[buffer->index];
	return b->state == BUFFER_ACQUIRED ? b : NULL;
}

static void card_release(struct display *d, uint32_t output, const struct display_buffer *buffer) {
	struct buffer *b = acquired((struct card *)d, output, buffer);
	if (b) {
		b->state = BUFFER_FREE;
		b->flip = 0;
	}
}

static int card_commit(struct display *d, const struct display_flip *flips, unsigned n) {
	struct card *card = (struct card *)d;
	if (card_is_away(card)) {
		return -EACCES;
	}
	for (unsigned i = 0; i < n; i++) {
		if (!acquired(card, flips[i].output, &flips[i].buffer)) {
			return -ENODEV;
		}
		if (card->output[flips[i].output].state != FLIP_NONE) {
			return -EBUSY;
		}
	}
	uint64_t now = card_now_ns();
	card->last_tag++;
	for (unsigned i = 0; i < n; i++) {
		const struct display_flip *f = &flips[i];
		struct output *o = &card->output[f->output];
		o->state = FLIP_DUE;
		o->waiting = f->buffer.index;
		o->buffer[o->waiting].state = BUFFER_WAITING;
		o->cookie = f->cookie;
		o->tag = card->last_tag;
		o->asked_ns = now;
		o->due_ns = flip_place(o, now);
		o->tries = 0;
		memcpy(o->damage, f->damage, sizeof(o->damage));
		o->n_damage = f->n_damage < DISPLAY_DAMAGE ? f->n_damage : DISPLAY_DAMAGE;
	}
	flips_send(card);
	return 0;
}

static uint64_t earlier(uint64_t a, uint64_t b) {
	return a < b ? a : b;
}

static unsigned card_prepare(struct display *d, struct pollfd *fds, uint64_t *deadline_ns) {
	struct card *card = (struct card *)d;
	unsigned n = 0;
	uint64_t deadline = UINT64_MAX;
	if (card->uevents >= 0) {
		fds[n++] = (struct pollfd){ .fd = card->uevents, .events = POLLIN };
	}
	if (card->clock >= 0) {
		fds[n++] = (struct pollfd){ .fd = card->clock, .events = POLLIN };
	}
	if (card->seat && seat_fd(card->seat) >= 0) {
		fds[n++] = (struct pollfd){ .fd = seat_fd(card->seat), .events = POLLIN };
	}
	if (card->device.fd >= 0) {
		fds[n++] = (struct pollfd){ .fd = card->device.fd, .events = POLLIN };
		deadline = card->is_away ? deadline : card->scan_ns;
	} else if (card_may_look(card)) {
		deadline = card->look_ns;
	}
	deadline = earlier(deadline, card->error ? 0 : card_seat_deadline(card));
	for (unsigned i = 0; i < card->n_outputs; i++) {
		deadline = earlier(deadline, flip_deadline(&card->output[i]));
	}
	*deadline_ns = deadline;
	return n;
}

static void notice_suspend(struct card *card) {
	uint64_t count;
	if (card->clock >= 0 && read(card->clock, &count, sizeof(count)) < 0 &&
			errno != ECANCELED && errno != EAGAIN) {
		close(card->clock);
		card->clock = -1;
	}
	int64_t slept = slept_ns();
	bool has_slept = slept > card->slept_ns + SLEEP_MS * (int64_t)NS_PER_MS;
	card->slept_ns = slept;
	if (has_slept && card->device.fd >= 0 && !card_is_away(card)) {
		card_say(card, LOG_LEVEL_INFO, "event=display_resumed");
		card_forget_screens(card);
		card_begin_anew(card);
	}
}

static void card_dispatch(struct display *d, const struct pollfd *fds, unsigned n) {
	struct card *card = (struct card *)d;
	card_handle_seat(card, fds, n);
	notice_suspend(card);
	if (card->uevents >= 0 && uevent_read(card->uevents)) {
		card->scan_ns = earlier(
				card->scan_ns, card_now_ns() + SCAN_REST_MS * (uint64_t)NS_PER_MS);
		card->look_ns = card->device.fd < 0 ? card_now_ns() : card->look_ns;
	}
	if (card->device.fd < 0 && card_may_look(card) && card_now_ns() >= card->look_ns) {
		look_for_card(card);
	}
	if (card->device.fd < 0) {
		return;
	}
	int ret = flips_read(card);
	if (ret < 0 || card->error) {
		ret = card->error ? card->error : ret;
		card->error = 0;
		card_lose(card, ret);
		return;
	}
	flips_tell(card);
	card_ask_for_master(card);
	if (card->device.fd >= 0 && !card->is_away && card_now_ns() >= card->scan_ns) {
		scan(card);
	}
	flips_send(card);
	flips_end_lost(card);
	flips_tell(card);
}

const struct display_impl display_kms = {
	.name = "kms",
	.create = card_create,
	.destroy = card_destroy,
	.outputs = card_outputs,
	.acquire = card_acquire,
	.release = card_release,
	.commit = card_commit,
	.prepare = card_prepare,
	.dispatch = card_dispatch,
};
