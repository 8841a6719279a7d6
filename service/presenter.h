/*
 * Shows the frames of sessions: chooses the session, the time, and the place on the outputs. The
 * presenter owns the display and the display's thread; the loop's thread submits frames and
 * collects them when they are done.
 *
 *     loop: presenter_submit() -> queue of the client -> display thread: draw, commit ... flipped
 *     loop: presenter_reap()   <- done                <-
 *
 * One client has the focus. Its frames are shown in order, one per refresh. Frames of the other
 * clients are completed at the same pace without being shown. The last frame of each client is
 * kept, so that a change of focus shows a picture at once and never black. Without a display all
 * frames are completed without being shown.
 *
 * Threads: loop's thread only, unless a function says otherwise.
 */
#ifndef SERVICE_PRESENTER_H
#define SERVICE_PRESENTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pica_show.h"
#include "service/display.h"
#include "service/layout.h"

struct presenter;
struct present_client;

/* The policy that chooses among sessions that have presented. presenter_focus() overrides it. */
enum present_policy {
	PRESENT_LAST,     /* the session whose first frame is the most recent */
	PRESENT_PRIORITY, /* the highest priority; among equals, as above */
	PRESENT_PINNED,   /* as PRESENT_LAST, among sessions of one name; else none */
};

struct present_settings {
	const struct display_impl *impl; /* NULL: no display, and no presenter */
	struct display_settings display; /* its strings are borrowed during presenter_create() */
	struct layout layout;
	enum present_policy policy;
	char pinned[32];    /* PRESENT_PINNED: the name */
	/* how long the last picture of an ended client stays, if no other session presents */
	uint64_t linger_ns;
	/* The idle picture: RGB8 rows without gaps; copied. NULL: the background. */
	const uint8_t *idle_rgb;
	uint32_t idle_width, idle_height;
};

void present_settings_init(struct present_settings *settings);

/*
 * A PRESENT whose pictures are taken. Allocated (malloc) by the loop's thread; owned by the
 * presenter until it is reaped.
 */
struct present_frame {
	struct present_frame *next; /* private */
	/* top, bottom: references that the presenter takes over; NULL: unchanged */
	struct pica_shot *shot[2];
	uint32_t eye;               /* of the top screen, where one is shown */
	bool is_picture;            /* shot[0] has a size of its own, and is instead of screens */
	uint64_t arrived_ns;        /* when it was submitted: CLOCK_MONOTONIC */
	/* For the owner: the job that waits for this frame. */
	uint64_t session;
	uint32_t context, ticket;
	/* When it is done: */
	uint64_t time_ns; /* of the flip, or of the refresh at which it would have been shown */
	bool was_shown;
};

/* Counters since the start, and latencies, from submission to flip, of the last frames shown. */
struct present_stats {
	uint64_t presented; /* shown */
	/* completed without being shown: another client has the focus, or there is no display */
	uint64_t hidden;
	uint64_t dropped;   /* not shown, because the display or the client went away */
	/* shown at least one refresh later than the first that they could have made */
	uint64_t late;
	uint64_t missed; /* refreshes that the display missed (not of one client) */
	uint32_t p50_us, p99_us;
};

/*
 * Starts the display and its thread. Returns 0, an error of display_impl.create(), -EAGAIN if no
 * thread can be made, -ENOMEM or -EMFILE.
 */
int presenter_create(struct presenter **out, const struct present_settings *settings,
		struct pica_device *device);
/*
 * Destroy all clients first. Frees unreaped frames. NULL is allowed. Waits for the display until
 * until_ns on the monotonic clock (UINT64_MAX: no limit). Returns false if the display does not
 * answer; its thread then keeps everything.
 */
bool presenter_destroy(struct presenter *p, uint64_t until_ns);
/*
 * Returns a descriptor that is readable when there is something to reap, or presenter_state() has
 * changed.
 */
int presenter_fd(const struct presenter *p);

/* name is copied (up to 31 bytes). Returns NULL when out of memory. */
struct present_client *presenter_client_create(
	struct presenter *p, uint64_t session, const char *name, int32_t priority);
/* Frees the client and its waiting frames. Its shown picture stays. NULL is allowed. */
void presenter_client_destroy(struct presenter *p, struct present_client *client);
/* Takes ownership of the frame. */
void presenter_submit(
		struct presenter *p, struct present_client *client, struct present_frame *frame);
/*
 * Returns the next frame that is done, in each client's order, or NULL. The caller owns it; it has
 * no shots.
 */
struct present_frame *presenter_reap(struct presenter *p);

/* Shows this session, once it presents, until it ends. 0: follows the policy again. */
void presenter_focus(struct presenter *p, uint64_t session);

/*
 * Adopts the layout, the idle picture, the policy with its name, and linger_ns from the settings;
 * ignores the rest. The next picture shows all changes at once. Returns 0, or -ENOMEM and changes
 * nothing.
 */
int presenter_reload(struct presenter *p, const struct present_settings *settings);

struct present_state {
	uint64_t shown;     /* session whose picture is on the display, 0: none */
	uint64_t pinned;    /* set by presenter_focus(); 0: by policy */
	uint32_t n_outputs; /* 0: away, lost, or nothing is connected */
	uint32_t changes;   /* of the outputs, counted so far */
	bool has_ended;     /* DISPLAY_ENDED, with this error */
	int end_error;
};

void presenter_state(struct presenter *p, struct present_state *out);
/* Stores the counters of a client; NULL: of all. Any thread. */
void presenter_stats(struct presenter *p, const struct present_client *client,
		struct present_stats *out);

/* A request for the current picture of an output. */
struct present_picture {
	struct present_picture *next; /* private */
	uint64_t session;
	uint32_t cookie;
	uint32_t output; /* from 0 */
	/* Valid when reaped: */
	int result; /* 0; -ENODATA: no outputs; -ENOENT: no such output; -ENOMEM */
	uint32_t width, height;
	uint8_t *rgb; /* RGB8 rows without gaps; the caller's to free() */
};

/* Takes ownership of the request (malloc); presenter_reap_picture() returns it. */
void presenter_ask_picture(struct presenter *p, struct present_picture *picture);
struct present_picture *presenter_reap_picture(struct presenter *p);

#endif
