/*
 * Internals of the display in a window (display_wayland.c), shared by its files: the objects of the
 * compositor's protocol, the window's size, and its buffers.
 */
#ifndef SERVICE_DISPLAY_WINDOW_H
#define SERVICE_DISPLAY_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wayland-client.h>
#include <xdg-decoration-client-protocol.h>
#include <xdg-shell-client-protocol.h>

#include "service/display.h"

enum { WINDOW_SCREENS = 8 }; /* screens of the compositor; more are ignored */

struct window_buffer {
	struct wl_buffer *wl;
	uint8_t *host;
	bool is_acquired, is_busy; /* busy: the compositor may read it */
	uint64_t flip;             /* number of the last commit that showed it; 0: undefined */
};

/* A set of equal buffers in one memfd of sealed size. */
struct window_buffers {
	uint32_t width, height, stride_bytes; /* width 0: there are none */
	uint8_t *memory;
	size_t memory_bytes;
	struct window_buffer buffer[DISPLAY_BUFFERS];
	uint64_t flips;
};

/* A screen of the compositor; a free entry has wl NULL. */
struct window_screen {
	struct wl_output *wl;
	uint32_t name;
	int32_t scale, width, height, mhz;
	bool is_entered; /* by the window */
};

struct window_size {
	uint32_t width, height;
};

struct window {
	struct display base;
	display_event_fn *fn;
	void *owner;
	struct display_settings settings; /* only `why`, and the window's size */
	struct wl_display *connection;
	struct wl_registry *registry;
	struct wl_compositor *compositor;
	struct wl_shm *shm;
	struct xdg_wm_base *shell;
	struct zxdg_decoration_manager_v1 *decorations; /* NULL: the compositor draws none */
	struct wl_seat *seat;
	struct wl_keyboard *keyboard;
	struct window_screen screen[WINDOW_SCREENS];
	struct wl_surface *surface;
	struct xdg_surface *xdg;
	struct xdg_toplevel *top;
	struct zxdg_toplevel_decoration_v1 *decoration;
	/*
	 * In units of the compositor. asked: its request; floating: the size after full screen, 0:
	 * not known yet
	 */
	struct window_size asked, floating;
	bool is_full;
	bool is_configured;  /* the window may have a picture */
	bool is_unanswered;  /* a configure was acknowledged without a commit since */
	bool is_closed;      /* by its user */
	bool has_ended;      /* and the owner was told */
	int32_t scale;       /* pixels of a unit, of the buffers */
	struct window_buffers buffers;
	struct wl_callback *frame; /* of the flip that waits, or NULL */
	bool is_shown;             /* the compositor has answered it */
	uint64_t cookie, committed_ns;
};

/* ---- display_window.c ---- */

/* Collects the compositor's objects; pass the window as data to wl_registry_add_listener(). */
extern const struct wl_registry_listener window_registry_listener;
/* Creates the window from the collected objects; resizes and keys then update struct window. */
void window_open(struct window *w);
/* Destroys the window and the collected objects. */
void window_close(struct window *w);
/* Returns the size that the window should have, in pixels: multiples of *scale. */
struct window_size window_size_wanted(const struct window *w, int32_t *scale);
/* Returns the rate of the window's screen, in thousandths of a hertz. */
uint32_t window_refresh_mhz(const struct window *w);

/* ---- display_shm.c ---- */

/*
 * width, height: 1 to DISPLAY_MAX_PX. Returns 0. On failure returns a negative errno and creates
 * nothing.
 */
int window_buffers_create(
		struct window_buffers *b, struct wl_shm *shm, uint32_t width, uint32_t height);
void window_buffers_destroy(struct window_buffers *b);

#endif
