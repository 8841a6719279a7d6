/* The card, its connected outputs, and the buffers of each. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "service/display_card.h"
#include "service/display_why.h"

enum { CARDS = 16 }; /* /dev/dri/card0 and on */

void card_report(struct card *card, struct display_event event) {
	card->fn(card->owner, &event);
}

bool card_is_away(const struct card *card) {
	return card->is_away || card->has_lost_master;
}

/* ---- Buffers ---- */

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

/* Makes three if memory allows, at least two. */
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

/* Sets fd to -1. restore: the card still answers, and we have the screen to restore. */
void card_close(struct card *card, bool restore) {
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
	card_close(card, false);
	card->has_lost_master = false;
	card->look_ns = now_ns() + LOOK_REST_MS * (uint64_t)NS_PER_MS;
	card->scan_ns = UINT64_MAX;
	card_report(card, (struct display_event){ .type = DISPLAY_LOST, .error = error });
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
	card_log(card, LOG_LEVEL_INFO, "event=display_card path=%s atomic=%d", path,
			card->kms.is_atomic);
	return 0;
}

/* Finds the requested card; or the first with a display; or the first that can show something. */
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
				 * A card without permission is a better message than one without
				 * display.
				 */
				refusal = refusal == -ENODEV && ret != -EOPNOTSUPP ? ret : refusal;
				continue;
			}
			if (!needs_display ||
					kms_scan(&card->kms, &card->wish, NULL, 0, &pipe, 1) > 0) {
				return 0;
			}
			card_close(card, false);
		}
	}
	return refusal;
}

void card_look(struct card *card) {
	int ret = find_card(card);
	if (ret < 0) {
		card->look_ns = now_ns() + LOOK_REST_MS * (uint64_t)NS_PER_MS;
		if (card->is_away) {
			return; /* it is granted only while the screen is ours */
		}
		if (ret != card->look_error) {
			card_log(card, LOG_LEVEL_WARNING,
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

/* An output with unchanged mode continues with its buffers, without a black picture. */
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

/* Reports a requested size or rate that the display lacks: another mode is used. */
static void report_mode(struct card *card, const struct output *o) {
	const struct kms_wish *w = &card->wish;
	const uint32_t mhz = kms_refresh_mhz(&o->pipe.mode);
	const uint32_t off = mhz > w->refresh_mhz ? mhz - w->refresh_mhz : w->refresh_mhz - mhz;
	if (w->width && (o->pipe.mode.hdisplay != w->width || o->pipe.mode.vdisplay != w->height ||
			(w->refresh_mhz && off > 1000))) {
		card_log(card, LOG_LEVEL_WARNING,
				"event=display_mode_missing name=%s wished=%ux%u wished_mhz=%u mode=%ux%u refresh_mhz=%u",
				o->pipe.name, (unsigned)w->width, (unsigned)w->height,
				(unsigned)w->refresh_mhz, (unsigned)o->pipe.mode.hdisplay,
				(unsigned)o->pipe.mode.vdisplay, (unsigned)mhz);
	}
}

/* Reports once per change: the name of a missing connector may be a mistake. */
static void report_missing(struct card *card) {
	if (strcmp(card->missing, card->kms.missing) == 0 || card->kms.is_incomplete) {
		return;
	}
	memcpy(card->missing, card->kms.missing, sizeof(card->missing));
	if (card->missing[0]) {
		card_log(card, LOG_LEVEL_WARNING,
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
			card_log(card, LOG_LEVEL_ERROR,
					"event=display_output name=%s error=\"no buffers: %s\"",
					o->pipe.name, strerror(-ret));
			card->scan_ns = now_ns() + LOOK_REST_MS * (uint64_t)NS_PER_MS;
			continue;
		}
		card->n_outputs++;
		card_log(card, LOG_LEVEL_INFO,
				"event=display_output name=%s mode=%ux%u refresh_mhz=%u format=%s",
				o->pipe.name, (unsigned)output_width(o), (unsigned)output_height(o),
				(unsigned)kms_refresh_mhz(&o->pipe.mode),
				o->pipe.format == DISPLAY_RGB565 ? "rgb565" : "xrgb8888");
		report_mode(card, o);
	}
	for (unsigned i = 0; i < n_old; i++) {
		if (old[i].n_buffers) {
			card_log(card, LOG_LEVEL_INFO, "event=display_output_gone name=%s",
					old[i].pipe.name);
			kms_off(&card->kms, &old[i].pipe);
			free_buffers(card, &old[i]);
		}
	}
}

/* Returns whether a change was reported to the user. */
bool card_scan(struct card *card) {
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
	report_missing(card);
	if ((card->uevents < 0 && n == 0) || card->kms.is_incomplete) {
		card->scan_ns = now_ns() + LOOK_REST_MS * (uint64_t)NS_PER_MS;
	}
	if (is_unchanged(card, pipes, (unsigned)n)) {
		return false;
	}
	flips_cancel(card, -ECANCELED);
	replace_outputs(card, pipes, (unsigned)n);
	card_report(card, (struct display_event){ .type = DISPLAY_CHANGED });
	return true;
}

/* The contents of the screens are unknown: sets modes anew; acquired buffers become invalid. */
void card_forget_screens(struct card *card) {
	flips_cancel(card, -ECANCELED);
	for (unsigned i = 0; i < card->n_outputs; i++) {
		forget_acquired(&card->output[i]);
		card->output[i].is_set = false;
	}
}

/* Displays may have come and gone meanwhile; the user draws everything anew even if none did. */
void card_begin_anew(struct card *card) {
	if (card->device.fd < 0 || !card_scan(card)) {
		card_report(card, (struct display_event){ .type = DISPLAY_CHANGED });
	}
}
