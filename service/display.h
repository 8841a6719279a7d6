/*
 * A display: a card (display_kms.c), a window (display_wayland.c) or virtual outputs
 * (display_headless.c), with one interface.
 *
 * A display has outputs, each with a mode. Outputs come, go and change while it runs; there may be
 * none. The user draws into buffers and commits them; an event answers each commit when the picture
 * is shown, at the output's own rate. A display whose driver does not wait for the vertical blank
 * paces itself by a timer: at most one picture per refresh, on an even grid.
 *
 *     acquire -> draw into host -> commit ... DISPLAY_FLIPPED -> acquire ...
 *
 * Threads: all calls of one display, including create(), are made on one thread, the display
 * thread. It may block, so a slow mode set does not delay clients. That thread sleeps in poll(2) on
 * the descriptors that prepare() names, then calls dispatch(). Events are reported only from within
 * dispatch(); the listener may then call acquire(), commit() and release().
 */
#ifndef SERVICE_DISPLAY_H
#define SERVICE_DISPLAY_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "service/server_log.h"

enum display_format {
	DISPLAY_XRGB8888, /* 0xXXRRGGBB in a little-endian word; the X byte is ignored */
	DISPLAY_RGB565,   /* RRRRRGGG GGGBBBBB in a little-endian half word */
};

enum {
	DISPLAY_OUTPUTS = 8,  /* at most, of one display */
	DISPLAY_BUFFERS = 3,  /* at most, of one output: double or triple buffering */
	DISPLAY_DAMAGE = 4,   /* rectangles of one flip */
	DISPLAY_CONSOLE_MHZ = 59831, /* the console's panels [fidelity: screen-geometry] */
	DISPLAY_POLL_FDS = 8, /* that prepare() may name */
	DISPLAY_MAX_PX = 8192, /* width and height of a mode */
	DISPLAY_NAME_BYTES = 32,
	DISPLAY_WHY_BYTES = 512,
};

/*
 * An output that can show something now. Its index is valid until DISPLAY_CHANGED or DISPLAY_LOST.
 */
struct display_output {
	char name[DISPLAY_NAME_BYTES]; /* "HDMI-A-1", "headless-1": stable from one plugging to the
					  next */
	uint32_t width, height;        /* pixels, 1..DISPLAY_MAX_PX */
	uint32_t refresh_mhz;          /* thousandths of a hertz; never 0 */
	enum display_format format;
};

struct display_rect {
	uint32_t x, y, width, height; /* pixels from the top left */
};

/*
 * A buffer that is neither shown nor part of a pending flip: all of its pixels may be written until
 * it is committed or released. Never read it: it may be in memory that is slow to read.
 */
struct display_buffer {
	uint8_t *host;
	uint32_t stride_bytes;
	uint32_t width, height;
	enum display_format format;
	/*
	 * index: of the buffer in its output, 0..DISPLAY_BUFFERS-1. age: how many flips ago its
	 * contents were shown: 1 by the last commit, 2 by the one before, ...; 0: undefined, draw
	 * all of it.
	 */
	uint32_t index;
	uint32_t age;
};

/* One output's part of a commit. */
struct display_flip {
	uint32_t output;                     /* index */
	/* as acquired; a successful commit returns it to the display */
	struct display_buffer buffer;
	uint64_t cookie;                     /* comes back with DISPLAY_FLIPPED */
	struct display_rect damage[DISPLAY_DAMAGE]; /* against the picture shown now: a hint */
	uint32_t n_damage;                   /* 0: everything may differ */
};

enum display_event_type {
	/*
	 * The picture is shown from time_ns on, or never will be (error). Each output of a
	 * commit that returned 0 gets exactly one, in the order of its commits.
	 */
	DISPLAY_FLIPPED,
	/*
	 * Outputs came, went, or have another mode: call outputs() again. All buffers are gone: do
	 * not touch, commit or release acquired ones. Pending flips were answered with -ECANCELED
	 * before. Reported once after create() if there are outputs from the start.
	 */
	DISPLAY_CHANGED,
	/*
	 * The card is gone (error says why), with outputs and buffers as above; the display looks
	 * for another.
	 */
	DISPLAY_LOST,
	/*
	 * Another program has the screen (another virtual terminal). Outputs stay listed; acquire()
	 * and commit() return -EACCES until DISPLAY_BACK. Buffers and flips end as above.
	 */
	DISPLAY_AWAY,
	/* The screen is ours again; DISPLAY_CHANGED follows. Redraw everything. */
	DISPLAY_BACK,
	/*
	 * The user closed the display (error 0), or it cannot continue (see error and
	 * settings.why). No outputs are left, and no event follows.
	 */
	DISPLAY_ENDED,
};

struct display_event {
	enum display_event_type type;
	uint32_t output;  /* DISPLAY_FLIPPED: index */
	/* FLIPPED: 0, -ECANCELED, -ETIME (the card never answered), -EIO; LOST, ENDED */
	int error;
	uint64_t cookie;  /* FLIPPED */
	/* FLIPPED: CLOCK_MONOTONIC, of the vertical blank if the driver reports it */
	uint64_t time_ns;
	/* FLIPPED: refreshes between the commit and time_ns that should have shown it already */
	uint32_t missed;
};

typedef void display_event_fn(void *owner, const struct display_event *event);

/* Strings are borrowed during create(). Each backend reads the members that concern it. */
struct display_settings {
	const char *headless; /* outputs of the headless display: see display_headless.h */
	const char *frames;   /* where its pictures go: likewise */
	/* Of display_kms. */
	const char *card;       /* node; NULL: the first that has a display plugged in */
	/* names with commas, in the order of the outputs; NULL: all that are plugged in */
	const char *connectors;
	/* WIDTHxHEIGHT[@HERTZ][:FORMAT], requested; NULL: the preferred mode */
	const char *mode;
	const char *seat;       /* the seat that grants the card: see seat.h. NULL: "auto" */
	bool no_atomic;         /* legacy calls only */
	/*
	 * Of display_wayland: the size of a new window; can_grow: or a multiple that fits the
	 * screen.
	 */
	uint32_t width, height;
	bool can_grow;
	/*
	 * becomes readable when the display must end: abandons blocked writes (a full pipe); -1:
	 * none
	 */
	int stop_fd;
	/* gets every line, on the display thread, and filters by level itself; NULL: no log */
	server_log_fn *log;
	void *log_user;
	/*
	 * DISPLAY_WHY_BYTES, "" before create(). A failing create(), or DISPLAY_ENDED, stores the
	 * reason there if the errno does not explain it. Must stay valid until destroy(). NULL: not
	 * wanted
	 */
	char *why;
};

struct display;

/* Functions of a kind of display. */
struct display_impl {
	const char *name; /* "headless", "kms", "wayland" */
	/*
	 * Returns 0, even if there is no output yet. On failure leaves *out unchanged and returns a
	 * negative errno; only errors that waiting does not cure: -EINVAL settings (logged),
	 * -ENOMEM, -EMFILE, ... No event comes before dispatch().
	 */
	int (*create)(struct display **out, const struct display_settings *settings,
			display_event_fn *fn, void *owner);
	/* Restores the screen as it was. No events follow. */
	void (*destroy)(struct display *d);
	/* Copies up to n outputs. Returns how many exist (at most DISPLAY_OUTPUTS). */
	unsigned (*outputs)(const struct display *d, struct display_output *out, unsigned n);
	/*
	 * Gets a buffer to draw into. Returns 0; -EAGAIN: all are pending or shown, and the next
	 * DISPLAY_FLIPPED of this output frees one; -ENODEV: no such output; -EACCES: away; -EIO.
	 */
	int (*acquire)(struct display *d, uint32_t output, struct display_buffer *out);
	/* Gives back a buffer that was drawn in part or not at all: its age is 0 next time. */
	void (*release)(struct display *d, uint32_t output, const struct display_buffer *buffer);
	/*
	 * Shows buffers at the next refresh; those of several outputs together if the card can.
	 * Returns 0: DISPLAY_FLIPPED answers each flip. On failure shows nothing, and the caller
	 * keeps the buffers. -EBUSY: a flip of an output is pending (commit again after it);
	 * -EACCES, -ENODEV: as acquire(); -EIO: the display refused this commit for good, but may
	 * accept the next one.
	 */
	int (*commit)(struct display *d, const struct display_flip *flips, unsigned n);
	/*
	 * Stores up to DISPLAY_POLL_FDS descriptors to wait for in fds (fd, events). Returns their
	 * number. *deadline_ns: when to call dispatch() in any case (CLOCK_MONOTONIC; UINT64_MAX:
	 * never).
	 */
	unsigned (*prepare)(struct display *d, struct pollfd *fds, uint64_t *deadline_ns);
	/*
	 * After poll(): handles what is due and reports events. fds: as prepare() wrote them, with
	 * revents.
	 */
	void (*dispatch)(struct display *d, const struct pollfd *fds, unsigned n);
};

/* The first member of every backend's own struct. */
struct display {
	const struct display_impl *impl;
};

/* display_kms needs HAVE_KMS, display_wayland HAVE_WAYLAND. */
extern const struct display_impl display_headless;
extern const struct display_impl display_kms;
extern const struct display_impl display_wayland;

static inline uint32_t display_pixel_bytes(enum display_format format) {
	return format == DISPLAY_RGB565 ? 2 : 4;
}

#endif
