/* Internals of the presenter, shared by its files. */
#ifndef SERVICE_PRESENTER_IMPL_H
#define SERVICE_PRESENTER_IMPL_H

#include <pthread.h>

#include "service/logfmt.h"
#include "service/metrics.h"
#include "service/presenter.h"

enum { PRESENT_LATENCIES = LATENCIES_MAX, CLIENT_LATENCIES = 256 };

/* Both screens, or one picture: of a chip without screens, or the idle one. Holds references. */
struct content {
	uint64_t session;          /* 0: none */
	struct pica_shot *shot[2]; /* top, bottom, or a picture; NULL: never presented */
	uint64_t serial[2];        /* of the shots: equal serials show the same */
	uint32_t eye;
	bool is_picture, is_idle;
};

struct present_client {
	struct present_client *next; /* presenter.clients */
	uint64_t session;
	char name[32];
	int32_t priority;
	uint64_t started;                   /* rank by time of the first frame; 0: none yet */
	struct content last;                /* the last frame that was taken from the queue */
	struct present_frame *first, **end; /* queue */
	struct present_stats stats;
	uint64_t last_flip_ns;
	struct latencies latencies;
	uint32_t us[CLIENT_LATENCIES];
};

/* The contents of a buffer or of an output. */
struct drawn {
	bool is_valid;
	uint64_t shape; /* contents of equal shape have the same places */
	uint64_t key[LAYOUT_PLACES];
};

struct present_output {
	struct display_output mode;
	struct drawn buffer[DISPLAY_BUFFERS];
	struct drawn shown;
};

/* A commit that waits for its flips. */
struct flip {
	unsigned left; /* outputs; 0: none waits */
	uint64_t cookie;
	struct present_frame *frame;   /* or NULL: redrawn without one */
	struct present_client *client; /* frame's; NULL: destroyed meanwhile */
	int error;
	uint64_t time_ns;
};

struct presenter {
	struct present_settings settings;
	struct pica_device *device;
	pthread_t thread;
	int wake_fd; /* for the display thread */
	int done_fd; /* for the loop */
	int stop_fd; /* ends the display's own waits */

	/* Used by the display thread only, like settings.layout. */
	struct display *display;
	struct content idle; /* shot[0], or none */
	struct present_output output[DISPLAY_OUTPUTS];
	struct content content; /* on the display, or about to be */
	bool needs_drawing;     /* the outputs do not show it */
	uint64_t retry_ns;      /* when to retry after a refusal of the display; 0: no retry */
	uint64_t tick_ns;       /* the last one for frames that are not shown */

	pthread_mutex_t mutex; /* covers what follows */
	pthread_cond_t cond;   /* is_started */
	bool is_started, stop;
	/* Applied by the display thread: */
	bool has_reloaded;
	struct layout new_layout;
	struct content new_idle;
	int start_result;
	struct present_client *clients;
	uint64_t forced; /* presenter_focus() */
	uint64_t n_started, n_serials;
	uint64_t orphan_ns; /* since when no session can be shown; 0: one can */
	unsigned n_outputs;
	uint32_t changes;
	bool is_away, has_ended;
	int end_error;
	uint64_t shown;
	struct flip flip;
	struct present_frame *done, **done_end;
	struct present_picture *asked, *pictures;
	struct present_stats stats;
	struct latencies latencies;
	uint32_t us[PRESENT_LATENCIES];
};

#define present_log(p, ...) \
	logfmt_log((p)->settings.display.log, (p)->settings.display.log_user, __VA_ARGS__)

/* ---- presenter.c; the mutex is held ---- */
/* Completes the frame: drops its shots and returns it to the loop. */
void present_done(
		struct presenter *p, struct present_frame *frame, uint64_t time_ns, bool was_shown);
/* Wakes the loop. */
void present_done_wake(const struct presenter *p);
struct present_frame *present_pop(struct present_client *c);
/* The frame's shots become the client's last pictures. */
void present_take(struct presenter *p, struct present_client *c, struct present_frame *frame);
void content_copy(struct content *to, const struct content *from);
void content_clear(struct content *c);
/* Returns the client that should be shown now, or NULL. */
struct present_client *present_focused(struct presenter *p);

/* ---- present_draw.c; on the display thread, the mutex is not held ---- */
/*
 * Draws the content on all outputs and commits it; the answers carry the cookie. Returns the number
 * of outputs that will answer, or a negative errno of the display.
 */
int present_draw(struct presenter *p, const struct content *content, uint64_t cookie);
/* Draws the picture of output out->output into out. */
void present_picture(
		struct presenter *p, const struct content *content, struct present_picture *out);

/* ---- present_thread.c ---- */
void *present_thread(void *presenter);

#endif
