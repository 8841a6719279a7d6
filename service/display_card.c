#include "service/display_card.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "sock.h"
#include "service/display_headless.h"
#include "service/display_why.h"
#include "service/uevent.h"

enum {
	SCAN_REST_MS = 50, /* a connector bounces while it is plugged in */
	SLEEP_MS = 500,    /* shorter sleeps of the machine are noise */
};

/* Returns how long the machine has slept since it booted; slightly negative if it has not. */
static int64_t slept_ns(void) {
	uint64_t boot_ns = clock_ns(CLOCK_BOOTTIME);
	return (int64_t)(boot_ns - now_ns());
}

/*
 * Readable when the system's clock jumps, as it does when the machine wakes up: no other event
 * would wake the thread.
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
	card_close(card, !card_is_away(card));
	seat_close(card->seat);
	fd_close(&card->uevents);
	fd_close(&card->clock);
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
		card_log(card, LOG_LEVEL_ERROR,
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
		card_log(card, LOG_LEVEL_WARNING,
				"event=display_uevents error=\"%s\" text=\"polling instead\"",
				strerror(-card->uevents));
	}
	/* without it the display notices at the next frame or hotplug */
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
								   DISPLAY_CONSOLE_MHZ;
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
	uint64_t now = now_ns();
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
		card_log(card, LOG_LEVEL_INFO, "event=display_resumed");
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
				card->scan_ns, now_ns() + SCAN_REST_MS * (uint64_t)NS_PER_MS);
		card->look_ns = card->device.fd < 0 ? now_ns() : card->look_ns;
	}
	if (card->device.fd < 0 && card_may_look(card) && now_ns() >= card->look_ns) {
		card_look(card);
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
	flips_report(card);
	card_ask_for_master(card);
	if (card->device.fd >= 0 && !card->is_away && now_ns() >= card->scan_ns) {
		card_scan(card);
	}
	flips_send(card);
	flips_end_lost(card);
	flips_report(card);
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
