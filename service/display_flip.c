#include <errno.h>
#include <string.h>

#include "service/display_card.h"

enum {
	BUSY_TRIES = 20, /* before a mode is set again */
	BUSY_REST_MS = 3,
	FLIP_LIMIT_MS = 2000, /* then the card has lost the flip */
};

/* ---- Ends of flips ---- */

/*
 * The waiting picture is shown or, with an error, counts as shown, with unknown contents of the
 * screen.
 */
static void finish_flip(struct output *o, int result, uint64_t time_ns) {
	for (unsigned i = 0; i < o->n_buffers; i++) {
		if (o->buffer[i].state == BUFFER_SHOWN) {
			o->buffer[i].state = BUFFER_FREE;
		}
	}
	struct buffer *b = &o->buffer[o->waiting];
	b->state = BUFFER_SHOWN;
	b->flip = result == 0 ? ++o->commits : 0;
	o->state = FLIP_DONE;
	o->result = result;
	o->due_ns = time_ns;
}

static uint64_t period_ns(const struct output *o) {
	uint32_t mhz = o->has_vblank ? kms_refresh_mhz(&o->pipe.mode) : DISPLAY_CONSOLE_MHZ;
	return 1000000000000ull / mhz;
}

/* Counts refreshes between the first that could have shown the picture and the one that did. */
static uint32_t count_missed(const struct output *o, uint64_t time_ns) {
	uint64_t period = period_ns(o);
	if (!o->shown_ns || time_ns <= o->asked_ns) {
		return 0;
	}
	uint64_t behind = o->asked_ns > o->shown_ns ?
			(o->asked_ns - o->shown_ns + period - 1) / period :
			1;
	uint64_t first_ns = o->shown_ns + (behind ? behind : 1) * period;
	return time_ns > first_ns ? (uint32_t)((time_ns - first_ns + period / 2) / period) : 0;
}

static void report_flip(struct card *card, unsigned index) {
	struct output *o = &card->output[index];
	struct display_event event = { .type = DISPLAY_FLIPPED, .output = index, .error = o->result,
		.cookie = o->cookie, .time_ns = o->due_ns };
	if (o->result == 0) {
		event.missed = count_missed(o, o->due_ns);
		o->shown_ns = o->due_ns;
	}
	o->state = FLIP_NONE;
	card_report(card, event);
}

/* Ends every waiting flip with error. */
void flips_cancel(struct card *card, int error) {
	for (unsigned i = 0; i < card->n_outputs; i++) {
		struct output *o = &card->output[i];
		if (o->state == FLIP_NONE) {
			continue;
		}
		if (o->state != FLIP_DONE) {
			finish_flip(o, error, now_ns());
		}
		report_flip(card, i);
	}
}

/* ---- To the card ---- */

static struct kms_show show_of(const struct output *o) {
	return (struct kms_show){ .pipe = &o->pipe,
		.framebuffer = o->buffer[o->waiting].framebuffer,
		.tag = o->tag,
		.damage = o->damage,
		.n_damage = o->n_damage };
}

/* Handles a refusal of the card. */
static void on_refusal(struct card *card, struct output *o, int error) {
	uint64_t now = now_ns();
	switch (error) {
	case -ENODEV:
		card->error = error;
		finish_flip(o, -ECANCELED, now);
		return;
	case -EACCES:
	case -EPERM:
		if (!card->has_lost_master) {
			card_log(card, LOG_LEVEL_WARNING,
					"event=display_taken name=%s error=\"%s\" text=\"another "
					"program is master of the card; asking again\"",
					o->pipe.name, strerror(-error));
		}
		card->has_lost_master = true;
		card->master_ns = now + MASTER_REST_MS * (uint64_t)NS_PER_MS;
		finish_flip(o, -ECANCELED, now);
		return;
	case -EBUSY:
	case -EINTR:
	case -EAGAIN:
	case -ENOMEM:
		/*
		 * Either a flip is still pending or the CRTC is off; the error does not say which.
		 */
		if (++o->tries < BUSY_TRIES) {
			o->due_ns = now + BUSY_REST_MS * (uint64_t)NS_PER_MS;
			return;
		}
		break;
	default:
		break;
	}
	if (o->is_set) {
		/* Try again, with a full mode set. */
		o->is_set = false;
		o->tries = 0;
		o->due_ns = now;
		return;
	}
	card_log(card, LOG_LEVEL_ERROR, "event=display_refused name=%s error=\"%s\"", o->pipe.name,
			strerror(-error));
	finish_flip(o, -EIO, now);
}

static void set_mode(struct card *card, struct output *o) {
	struct kms_show show = show_of(o);
	int ret = kms_set(&card->kms, &show, 1);
	if (ret < 0) {
		on_refusal(card, o, ret);
		return;
	}
	o->is_set = true;
	card->n_silent = 0;
	o->has_vblank = kms_has_vblank(&card->kms, &o->pipe);
	finish_flip(o, 0, now_ns());
}

static void send_one(struct card *card, struct output *o) {
	if (!o->is_set) {
		set_mode(card, o);
		return;
	}
	struct kms_show show = show_of(o);
	int ret = kms_flip(&card->kms, &show, 1);
	if (ret < 0) {
		on_refusal(card, o, ret);
	} else {
		o->state = FLIP_IN_CARD;
	}
}

/* Sends the flips of one commit() in one request if the card can, so that both screens change
 * together. */
static bool send_together(struct card *card, uint64_t tag) {
	struct kms_show shows[DISPLAY_OUTPUTS];
	struct output *members[DISPLAY_OUTPUTS];
	unsigned n = 0;
	for (unsigned i = 0; i < card->n_outputs; i++) {
		struct output *o = &card->output[i];
		if (o->state == FLIP_DUE && o->tag == tag) {
			if (!o->is_set || o->tries) {
				return false;
			}
			members[n] = o;
			shows[n++] = show_of(o);
		}
	}
	if (n < 2 || kms_flip(&card->kms, shows, n) < 0) {
		return false; /* one by one, so that each refusal is handled */
	}
	for (unsigned i = 0; i < n; i++) {
		members[i]->state = FLIP_IN_CARD;
	}
	return true;
}

void flips_send(struct card *card) {
	uint64_t now = now_ns();
	for (unsigned i = 0; i < card->n_outputs && !card_is_away(card) && !card->error; i++) {
		struct output *o = &card->output[i];
		if (o->state == FLIP_DUE && o->due_ns <= now && !send_together(card, o->tag)) {
			send_one(card, o);
		}
	}
}

/* Returns the next free slot on the grid of a display without vertical blank. */
uint64_t flip_place(const struct output *o, uint64_t now) {
	uint64_t period = period_ns(o);
	if (!o->is_set || o->has_vblank || !o->shown_ns) {
		return now;
	}
	uint64_t places = now > o->shown_ns ? (now - o->shown_ns + period - 1) / period : 1;
	return o->shown_ns + (places ? places : 1) * period;
}

static void on_card_flip(void *owner, uint64_t tag, uint32_t crtc, uint64_t time_ns) {
	struct card *card = owner;
	for (unsigned i = 0; i < card->n_outputs; i++) {
		struct output *o = &card->output[i];
		if (o->state == FLIP_IN_CARD && o->tag == tag &&
				(o->pipe.crtc == crtc || crtc == 0)) {
			/*
			 * Without a blank the time is that of the flip's slot, so that the grid
			 * does not drift.
			 */
			uint64_t grid_ns = o->due_ns <= now_ns() &&
					o->shown_ns ? o->due_ns : now_ns();
			finish_flip(o, 0, o->has_vblank && time_ns ? time_ns : grid_ns);
		}
	}
}

void flips_end_lost(struct card *card) {
	uint64_t now = now_ns();
	for (unsigned i = 0; i < card->n_outputs; i++) {
		struct output *o = &card->output[i];
		if (o->state == FLIP_IN_CARD &&
				now >= o->due_ns + FLIP_LIMIT_MS * (uint64_t)NS_PER_MS) {
			card_log(card, LOG_LEVEL_WARNING, "event=display_flip_lost name=%s",
					o->pipe.name);
			o->is_set = false;
			finish_flip(o, -ETIME, now);
		}
	}
}

void flips_report(struct card *card) {
	for (unsigned i = 0; i < card->n_outputs; i++) {
		if (card->output[i].state == FLIP_DONE) {
			report_flip(card, i);
		}
	}
}

int flips_read(struct card *card) {
	return kms_read_events(&card->kms, on_card_flip, card);
}

uint64_t flip_deadline(const struct output *o) {
	switch (o->state) {
	case FLIP_NONE:
		break;
	case FLIP_DUE:
		return o->due_ns;
	case FLIP_IN_CARD:
		return o->due_ns + (uint64_t)FLIP_LIMIT_MS * NS_PER_MS;
	case FLIP_DONE:
		return 0;
	}
	return UINT64_MAX;
}
