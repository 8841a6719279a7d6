/* Objects and events of the compositor: screens, the window's size, keys. */
#include "service/display_window.h"

#include <string.h>
#include <unistd.h>

enum {
	MAX_SCALE = 8,
	MAX_MHZ = 1000000,
	KEY_ESCAPE = 1, KEY_F11 = 87, /* key codes of the kernel, the same for every layout */
};

/* ---- Size ---- */

/* The greatest scale of the screens that the window is on. */
static int32_t wanted_scale(const struct window *w) {
	int32_t scale = 1;
	for (unsigned i = 0; i < WINDOW_SCREENS; i++) {
		if (w->screen[i].is_entered && w->screen[i].scale > scale) {
			scale = w->screen[i].scale;
		}
	}
	return scale;
}

/* Returns how often a size fits nine tenths of a screen's. */
static uint32_t fits(int32_t screen, int32_t scale, uint32_t size) {
	return screen > 0 ? (uint32_t)(screen / scale) / 10 * 9 / size : 1;
}

/* Returns the largest multiple of the window's size that fits every screen; at least 1. */
static uint32_t own_factor(const struct window *w) {
	uint32_t factor = w->settings.can_grow ? DISPLAY_MAX_PX : 1;
	bool has_screen = false;
	for (unsigned i = 0; i < WINDOW_SCREENS; i++) {
		const struct window_screen *s = &w->screen[i];
		if (s->wl && s->width > 0 && s->height > 0) {
			const uint32_t wide = fits(s->width, s->scale, w->settings.width);
			const uint32_t high = fits(s->height, s->scale, w->settings.height);
			factor = wide < factor ? wide : factor;
			factor = high < factor ? high : factor;
			has_screen = true;
		}
	}
	return has_screen && factor > 1 ? factor : 1;
}

/* Pixels that a buffer can have. */
static uint32_t pixels(uint32_t size, int32_t scale) {
	const uint32_t most = DISPLAY_MAX_PX / (uint32_t)scale;
	return (size < most ? size : most) * (uint32_t)scale;
}

struct window_size window_size_wanted(const struct window *w, int32_t *scale) {
	*scale = wanted_scale(w);
	return (struct window_size){ pixels(w->asked.width, *scale),
		pixels(w->asked.height, *scale) };
}

uint32_t window_refresh_mhz(const struct window *w) {
	uint32_t mhz = DISPLAY_CONSOLE_MHZ;
	for (unsigned i = 0; i < WINDOW_SCREENS; i++) {
		const struct window_screen *s = &w->screen[i];
		if (s->is_entered && s->mhz > 0 && s->mhz <= MAX_MHZ) {
			mhz = (uint32_t)s->mhz;
		}
	}
	return mhz;
}

/* ---- The window ---- */

static void on_ping(void *data, struct xdg_wm_base *shell, uint32_t serial) {
	xdg_wm_base_pong(shell, serial);
}

static const struct xdg_wm_base_listener shell_listener = { .ping = on_ping };

static void on_configure(void *data, struct xdg_surface *xdg, uint32_t serial) {
	struct window *w = data;
	xdg_surface_ack_configure(xdg, serial);
	w->is_configured = w->is_unanswered = true;
}

static const struct xdg_surface_listener xdg_listener = { .configure = on_configure };

/* The size for the next configure; the window chooses a side of 0. */
static void on_size(void *data, struct xdg_toplevel *top, int32_t width, int32_t height,
		struct wl_array *states) {
	struct window *w = data;
	const uint32_t *state;
	bool is_floating = true;
	w->is_full = false;
	wl_array_for_each(state, states) {
		w->is_full |= *state == XDG_TOPLEVEL_STATE_FULLSCREEN;
		is_floating &= *state != XDG_TOPLEVEL_STATE_FULLSCREEN &&
				*state != XDG_TOPLEVEL_STATE_MAXIMIZED;
	}
	if (!w->floating.width) {
		const uint32_t factor = own_factor(w);
		w->floating = (struct window_size){ factor * w->settings.width,
			factor * w->settings.height };
	}
	w->asked.width = width > 0 ? (uint32_t)width : w->floating.width;
	w->asked.height = height > 0 ? (uint32_t)height : w->floating.height;
	if (is_floating) {
		w->floating = w->asked;
	}
}

static void on_close(void *data, struct xdg_toplevel *top) {
	struct window *w = data;
	w->is_closed = true;
}

static const struct xdg_toplevel_listener top_listener = { .configure = on_size,
	.close = on_close };

static void set_entered(struct window *w, const struct wl_output *output, bool is_entered) {
	for (unsigned i = 0; i < WINDOW_SCREENS; i++) {
		if (output && w->screen[i].wl == output) {
			w->screen[i].is_entered = is_entered;
		}
	}
}

static void on_enter(void *data, struct wl_surface *surface, struct wl_output *output) {
	set_entered(data, output, true);
}

static void on_leave(void *data, struct wl_surface *surface, struct wl_output *output) {
	set_entered(data, output, false);
}

static const struct wl_surface_listener surface_listener = { .enter = on_enter,
	.leave = on_leave };

/* ---- Keys ---- */

/* Key codes are enough: the layout is not read. */
static void on_keymap(void *data, struct wl_keyboard *keyboard, uint32_t format, int32_t fd,
		uint32_t size) {
	close(fd);
}

static void on_focus(void *data, struct wl_keyboard *keyboard, uint32_t serial,
		struct wl_surface *surface, struct wl_array *keys) {
}

static void on_unfocus(void *data, struct wl_keyboard *keyboard, uint32_t serial,
		struct wl_surface *surface) {
}

static void on_key(void *data, struct wl_keyboard *keyboard, uint32_t serial, uint32_t time_ms,
		uint32_t key, uint32_t state) {
	struct window *w = data;
	if (state != WL_KEYBOARD_KEY_STATE_PRESSED) {
		return;
	}
	if (key == KEY_ESCAPE) {
		w->is_closed = true;
	} else if (key == KEY_F11 && w->is_full) {
		xdg_toplevel_unset_fullscreen(w->top);
	} else if (key == KEY_F11) {
		xdg_toplevel_set_fullscreen(w->top, NULL);
	}
}

static void on_modifiers(void *data, struct wl_keyboard *keyboard, uint32_t serial,
		uint32_t depressed, uint32_t latched, uint32_t locked, uint32_t group) {
}

static const struct wl_keyboard_listener keyboard_listener = { .keymap = on_keymap,
	.enter = on_focus, .leave = on_unfocus, .key = on_key, .modifiers = on_modifiers };

static void on_seat(void *data, struct wl_seat *seat, uint32_t capabilities) {
	struct window *w = data;
	const bool has_keys = capabilities & WL_SEAT_CAPABILITY_KEYBOARD;
	if (has_keys && !w->keyboard) {
		w->keyboard = wl_seat_get_keyboard(seat);
		wl_keyboard_add_listener(w->keyboard, &keyboard_listener, w);
	} else if (!has_keys && w->keyboard) {
		wl_keyboard_destroy(w->keyboard);
		w->keyboard = NULL;
	}
}

static const struct wl_seat_listener seat_listener = { .capabilities = on_seat };

/* ---- Screens ---- */

static void on_geometry(void *data, struct wl_output *output, int32_t x, int32_t y,
		int32_t width_mm, int32_t height_mm, int32_t subpixel, const char *make,
		const char *model, int32_t transform) {
}

static void on_mode(void *data, struct wl_output *output, uint32_t flags, int32_t width,
		int32_t height, int32_t mhz) {
	struct window_screen *s = data;
	if (flags & WL_OUTPUT_MODE_CURRENT) {
		s->width = width;
		s->height = height;
		s->mhz = mhz;
	}
}

static void on_described(void *data, struct wl_output *output) {
}

static void on_scale(void *data, struct wl_output *output, int32_t scale) {
	struct window_screen *s = data;
	s->scale = scale < 1 ? 1 : scale > MAX_SCALE ? MAX_SCALE : scale;
}

static const struct wl_output_listener output_listener = { .geometry = on_geometry,
	.mode = on_mode, .done = on_described, .scale = on_scale };

static void add_screen(struct window *w, uint32_t name) {
	for (unsigned i = 0; i < WINDOW_SCREENS; i++) {
		struct window_screen *s = &w->screen[i];
		if (!s->wl) {
			*s = (struct window_screen){ .name = name, .scale = 1 };
			s->wl = wl_registry_bind(w->registry, name, &wl_output_interface, 2);
			wl_output_add_listener(s->wl, &output_listener, s);
			return;
		}
	}
}

static void remove_screen(struct window_screen *s) {
	if (s->wl) {
		wl_output_destroy(s->wl);
	}
	*s = (struct window_screen){ .wl = NULL };
}

/* ---- What there is ---- */

static void on_global(void *data, struct wl_registry *registry, uint32_t name,
		const char *interface, uint32_t version) {
	struct window *w = data;
	if (strcmp(interface, wl_compositor_interface.name) == 0 && version >= 4 &&
			!w->compositor) {
		w->compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 4);
	} else if (strcmp(interface, wl_shm_interface.name) == 0 && !w->shm) {
		w->shm = wl_registry_bind(registry, name, &wl_shm_interface, 1);
	} else if (strcmp(interface, xdg_wm_base_interface.name) == 0 && !w->shell) {
		w->shell = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
		xdg_wm_base_add_listener(w->shell, &shell_listener, w);
	} else if (strcmp(interface, zxdg_decoration_manager_v1_interface.name) == 0 &&
			!w->decorations) {
		w->decorations = wl_registry_bind(
				registry, name, &zxdg_decoration_manager_v1_interface, 1);
	} else if (strcmp(interface, wl_seat_interface.name) == 0 && !w->seat) {
		w->seat = wl_registry_bind(registry, name, &wl_seat_interface, 1);
		wl_seat_add_listener(w->seat, &seat_listener, w);
	} else if (strcmp(interface, wl_output_interface.name) == 0 && version >= 2) {
		add_screen(w, name);
	}
}

static void on_global_gone(void *data, struct wl_registry *registry, uint32_t name) {
	struct window *w = data;
	for (unsigned i = 0; i < WINDOW_SCREENS; i++) {
		if (w->screen[i].wl && w->screen[i].name == name) {
			remove_screen(&w->screen[i]);
		}
	}
}

const struct wl_registry_listener window_registry_listener = { .global = on_global,
	.global_remove = on_global_gone };

/* ---- Life ---- */

void window_open(struct window *w) {
	w->surface = wl_compositor_create_surface(w->compositor);
	wl_surface_add_listener(w->surface, &surface_listener, w);
	w->xdg = xdg_wm_base_get_xdg_surface(w->shell, w->surface);
	xdg_surface_add_listener(w->xdg, &xdg_listener, w);
	w->top = xdg_surface_get_toplevel(w->xdg);
	xdg_toplevel_add_listener(w->top, &top_listener, w);
	xdg_toplevel_set_title(w->top, "pica");
	xdg_toplevel_set_app_id(w->top, "pica");
	if (w->decorations) { /* a title bar and a frame */
		w->decoration = zxdg_decoration_manager_v1_get_toplevel_decoration(
				w->decorations, w->top);
		zxdg_toplevel_decoration_v1_set_mode(
				w->decoration, ZXDG_TOPLEVEL_DECORATION_V1_MODE_SERVER_SIDE);
	}
	wl_surface_commit(w->surface); /* it is answered by the first configure */
}

#define DESTROY(object, destroy) if (object) { destroy(object); }

void window_close(struct window *w) {
	DESTROY(w->decoration, zxdg_toplevel_decoration_v1_destroy)
	DESTROY(w->top, xdg_toplevel_destroy)
	DESTROY(w->xdg, xdg_surface_destroy)
	DESTROY(w->surface, wl_surface_destroy)
	DESTROY(w->keyboard, wl_keyboard_destroy)
	DESTROY(w->seat, wl_seat_destroy)
	for (unsigned i = 0; i < WINDOW_SCREENS; i++) {
		remove_screen(&w->screen[i]);
	}
	DESTROY(w->decorations, zxdg_decoration_manager_v1_destroy)
	DESTROY(w->shell, xdg_wm_base_destroy)
	DESTROY(w->shm, wl_shm_destroy)
	DESTROY(w->compositor, wl_compositor_destroy)
	DESTROY(w->registry, wl_registry_destroy)
}
