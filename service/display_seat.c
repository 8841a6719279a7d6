#include <errno.h>
#include <string.h>

#include "service/display_card.h"
#include "service/display_why.h"

enum {
	/* wait for a seat to grant the screen; doubles with each further seat */
	PATIENCE_MS = 2000,
	PATIENCE_DOUBLINGS = 5,
};

/* ---- Away, and back ---- */

static void go_away(struct card *card) {
	if (card->is_told_away) {
		return;
	}
	card->is_told_away = true;
	card_forget_screens(card);
	card_report(card, (struct display_event){ .type = DISPLAY_AWAY });
}

static void come_back(struct card *card) {
	card->has_lost_master = false;
	if (!card->is_told_away) {
		return;
	}
	card->is_told_away = false;
	if (card->device.fd < 0) {
		card->look_ns = 0;
	}
	card_report(card, (struct display_event){ .type = DISPLAY_BACK });
	card_begin_anew(card);
}

static void on_seat(void *owner, bool is_active) {
	struct card *card = owner;
	card->is_away = !is_active;
	if (card->is_away) {
		go_away(card); /* before the seat lets go */
	}
}

/* ---- The seat ---- */

int card_open_seat(struct card *card, enum log_level level) {
	const int ret = seat_open(&card->seat, card->seat_name, on_seat, card);
	if (ret < 0) {
		if (ret != card->seat_error) {
			card_log(card, level, "event=display_seat name=%s error=\"%s\" text=\"%s\"",
					card->seat_name, strerror(-ret),
					why_no_seat(card->seat_name, ret));
		}
		card->seat_error = ret;
		return ret;
	}
	const bool is_kept = seat_is_kept(card->seat);
	card->is_seat_new = true;
	card->overdue_ns = UINT64_MAX;
	card_log(card, LOG_LEVEL_INFO, "event=display_seat name=%s by=%s", card->seat_name,
			is_kept ? "libseat" : "none");
	if (is_kept && strcmp(card->seat_name, "auto") == 0) {
		strcpy(card->seat_name, "any"); /* a seat that existed will return */
	}
	card->is_away = !seat_is_active(card->seat);
	return 0;
}

/* Call when the daemon that granted the card has ended, and its grant with it. */
static void lose_seat(struct card *card, int error) {
	card_log(card, LOG_LEVEL_ERROR,
			"event=display_seat_lost name=%s error=\"%s\" text=\"waiting for it\"",
			card->seat_name, strerror(-error));
	card->is_away = true;
	go_away(card);
	if (card->device.fd >= 0) {
		card_lose(card, -ENODEV);
	}
	seat_close(card->seat);
	card->seat = NULL;
	card->seat_error = 0;
	card->seat_ns = now_ns() + LOOK_REST_MS * (uint64_t)NS_PER_MS;
}

/*
 * A restarted logind reports neither that it has revoked the card nor that it grants it again.
 * Other signs show that the screen should be ours: our terminal is in front, or we were not
 * reported away, and yet the card obeys another master.
 */
static bool should_be_ours(const struct card *card) {
	return card->is_away ? seat_is_in_front(card->seat) :
			       card->has_lost_master && seat_is_kept(card->seat);
}

static void mind_silence(struct card *card) {
	const uint64_t now = now_ns();
	const unsigned doublings = card->n_silent < PATIENCE_DOUBLINGS ? card->n_silent :
									 PATIENCE_DOUBLINGS;
	if (!should_be_ours(card)) {
		card->overdue_ns = UINT64_MAX;
	} else if (card->overdue_ns == UINT64_MAX) {
		card->overdue_ns = now + ((uint64_t)PATIENCE_MS << doublings) * NS_PER_MS;
	} else if (now >= card->overdue_ns) {
		card->n_silent++;
		lose_seat(card, -ETIME);
	}
}

/* libseat's dispatch does not always report that its daemon has ended. */
static bool has_hung_up(const struct card *card, const struct pollfd *fds, unsigned n) {
	const int fd = card->seat ? seat_fd(card->seat) : -1;
	for (unsigned i = 0; fd >= 0 && i < n; i++) {
		if (fds[i].fd == fd && (fds[i].revents & (POLLHUP | POLLERR))) {
			return true;
		}
	}
	return false;
}

void card_handle_seat(struct card *card, const struct pollfd *fds, unsigned n) {
	const bool is_over = has_hung_up(card, fds, n);
	if (!card->seat && now_ns() >= card->seat_ns &&
			card_open_seat(card, LOG_LEVEL_WARNING) < 0) {
		card->seat_ns = now_ns() + LOOK_REST_MS * (uint64_t)NS_PER_MS;
	}
	card->is_seat_new = false;
	const int ret = card->seat ? seat_dispatch(card->seat) : 0;
	if (ret < 0 || is_over) {
		lose_seat(card, ret < 0 ? ret : -EPIPE);
	} else if (card->seat) {
		mind_silence(card);
	}
	if (card_is_away(card)) {
		go_away(card);
	} else {
		come_back(card);
	}
}

/* Only for a card that the display opened itself; repeated without limit. */
void card_ask_for_master(struct card *card) {
	if (!card->has_lost_master || card->is_away || now_ns() < card->master_ns) {
		return;
	}
	card->master_ns = now_ns() + MASTER_REST_MS * (uint64_t)NS_PER_MS;
	if (kms_set_master(&card->kms) == 0) {
		come_back(card);
	}
}

uint64_t card_seat_deadline(const struct card *card) {
	if (!card->seat) {
		return card->seat_ns;
	}
	if (card_is_away(card) != card->is_told_away || card->is_seat_new) {
		return 0;
	}
	if (card->has_lost_master && !card->is_away) {
		return card->master_ns;
	}
	/* nothing else reports that the terminal is in front again */
	return card->is_away && seat_has_terminal(card->seat) ?
			now_ns() + LOOK_REST_MS * (uint64_t)NS_PER_MS :
			UINT64_MAX;
}

/*
 * logind reports the screen only to sessions that got a card from it, and grants cards to others,
 * too.
 */
bool card_may_look(const struct card *card) {
	return !card->is_away || (card->seat && seat_is_kept(card->seat));
}
