/*
 * The inside of display_kms: a card's outputs, their buffers and flips. display_card.c: the card
 * and its connectors; display_seat.c: the owner of the screen; display_flip.c: when to flip, and
 * what to do when the card refuses; display_kms.c: calls to the card, and its events.
 */
#ifndef SERVICE_DISPLAY_CARD_H
#define SERVICE_DISPLAY_CARD_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "service/display.h"
#include "service/display_dumb.h"
#include "service/display_kms.h"
#include "service/logfmt.h"
#include "service/seat.h"

enum {
	NS_PER_MS = 1000000,
	/* interval of searches for a seat, a card, or a display without hotplug events */
	LOOK_REST_MS = 1000,
	MASTER_REST_MS = 300,
};

enum buffer_state { BUFFER_FREE, BUFFER_ACQUIRED, BUFFER_WAITING, BUFFER_SHOWN };

struct buffer {
	struct dumb_buffer dumb;
	uint32_t framebuffer;
	enum buffer_state state;
	uint64_t flip; /* number of the commit that showed it last, 0: contents undefined */
};

enum flip_state {
	FLIP_NONE,
	FLIP_DUE,     /* goes to the card at due_ns */
	FLIP_IN_CARD, /* its event is pending */
	FLIP_DONE,    /* to be reported */
};

struct output {
	struct kms_pipe pipe;
	struct buffer buffer[DISPLAY_BUFFERS];
	unsigned n_buffers;
	bool is_set;     /* the mode is set: flips suffice */
	bool has_vblank;
	uint64_t commits;
	/* The flip. */
	enum flip_state state;
	unsigned waiting;  /* buffer */
	uint64_t cookie, tag;
	uint64_t asked_ns, due_ns;
	unsigned tries;
	int result;
	struct display_rect damage[DISPLAY_DAMAGE];
	unsigned n_damage;
	/* When the last picture was shown: the origin of the grid. */
	uint64_t shown_ns;
};

struct card {
	struct display base;
	struct display_settings settings; /* strings borrowed */
	char *path, *connectors;   /* of the card; requested connectors; or NULL */
	struct kms_wish wish;
	char missing[KMS_NAMES_BYTES]; /* missing connectors, as last reported */
	display_event_fn *fn;
	void *owner;
	struct seat *seat;         /* NULL: lost and not yet found again */
	char seat_name[16];        /* to request next time */
	uint64_t seat_ns;          /* time of the next request */
	bool is_seat_new;          /* it may have events older than its descriptor */
	int seat_error;            /* reason for its absence; logged once */
	uint64_t overdue_ns;       /* deadline for it to grant the screen */
	unsigned n_silent;         /* consecutive seats that missed it */
	struct seat_device device; /* fd -1: no card */
	struct kms kms;
	int uevents;               /* -1: no uevents */
	int clock;                 /* reports that the machine woke up; -1: none */
	bool is_away;              /* another program has the screen */
	bool has_lost_master;      /* ... and no seat reports its return */
	bool is_told_away;
	struct output output[DISPLAY_OUTPUTS];
	unsigned n_outputs;
	uint64_t last_tag;
	uint64_t look_ns;          /* when to look for a card; UINT64_MAX: there is one */
	uint64_t scan_ns;          /* when to ask the connectors; UINT64_MAX: not due */
	uint64_t master_ns;        /* when to ask to be master again */
	int64_t slept_ns;          /* how long the machine has slept so far */
	int error;                 /* the reason for the loss of the card; dispatch() reports it */
	/* reason why the last search found none; logged once */
	int look_error;
};

static inline uint32_t output_width(const struct output *o) {
	return o->pipe.mode.hdisplay;
}

static inline uint32_t output_height(const struct output *o) {
	return o->pipe.mode.vdisplay;
}

/* ---- display_outputs.c ---- */

/* Closes the card; restore: shows again what was shown before. */
void card_close(struct card *card, bool restore);
/* Looks for a card, if there is none. */
void card_look(struct card *card);
/* Asks the connectors. Returns whether outputs have changed. */
bool card_scan(struct card *card);
#define card_log(card, ...) \
	logfmt_log((card)->settings.log, (card)->settings.log_user, __VA_ARGS__)
void card_report(struct card *card, struct display_event event);
/* Returns whether another program has the screen: nothing is committed then. */
bool card_is_away(const struct card *card);
/* Releases the card and looks for it again; reported. */
void card_lose(struct card *card, int error);
/* Call when the contents of the screens are unknown: sets modes again, drops the user's buffers. */
void card_forget_screens(struct card *card);
/* Displays may have come and gone meanwhile; the user redraws everything in any case. */
void card_begin_anew(struct card *card);

/* ---- display_seat.c ---- */

/* Opens the seat. Returns 0. On failure logs why, at that level, and returns a negative errno. */
int card_open_seat(struct card *card, enum log_level level);
/* Handles events of the seat; a lost seat is looked for. */
void card_handle_seat(struct card *card, const struct pollfd *fds, unsigned n);
/* Asks to be master again, at intervals, after another program became master. */
void card_ask_for_master(struct card *card);
/* Returns the time at which these need to be called; UINT64_MAX: no time is set. */
uint64_t card_seat_deadline(const struct card *card);
/* Returns whether the seat may grant a card now. */
bool card_may_look(const struct card *card);

/* ---- display_flip.c ---- */

/* Commits what is due. */
void flips_send(struct card *card);
/* Marks flips that the card has done as FLIP_DONE. Returns 0 or a negative errno. */
int flips_read(struct card *card);
/* Ends flips that the card has lost. */
void flips_end_lost(struct card *card);
void flips_report(struct card *card);
/* Ends every pending flip with error, and reports it. */
void flips_cancel(struct card *card, int error);
/*
 * Returns the time at which a new flip of the output is due: now, or at the next slot of the grid.
 */
uint64_t flip_place(const struct output *o, uint64_t now);
/* Returns the time at which the output needs dispatch(); UINT64_MAX: no time is set. */
uint64_t flip_deadline(const struct output *o);

#endif
