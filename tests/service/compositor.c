/*
 * A Wayland compositor without a picture: compositor SOCKET [MISSING-INTERFACE]. It answers each
 * line of standard input with one line, "ok" or the requested values:
 *
 *     size W H [STATE...]  configures the window; states are numbers of xdg_toplevel.state
 *     close                asks the window to close
 *     key CODE             presses and releases a key
 *     scale N              the screen's scale, and the window is on it
 *     leave                the window is on no screen
 *     unplug               the screen is gone
 *     frames 0|1           whether frame callbacks are answered (1)
 *     keep 0|1             whether buffers are kept (0)
 *     error                a protocol error
 *     state                "commits= width= height= stride= offset= seals= scale= acked= fullscreen= names= decoration="
 *     picture FILE         the last buffer as PPM
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <wayland-server.h>
#include <xdg-decoration-server-protocol.h>
#include <xdg-shell-server-protocol.h>

enum { WIDTH = 1280, HEIGHT = 1024, MHZ = 75000 };

struct pool {
	uint8_t *bytes;
	int32_t size;
	int seals;
	unsigned users;
};

struct buffer {
	struct pool *pool;
	int32_t offset, width, height, stride;
};

static struct {
	struct wl_display *display;
	struct wl_global *output_global;
	struct wl_resource *surface, *xdg, *top, *output, *keyboard;
	struct wl_resource *pending, *shown; /* buffers */
	struct wl_resource *frame;
	bool is_attached, answers_frames, keeps;
	int32_t scale;
	uint32_t serial, acked;
	unsigned commits, fullscreen;
	unsigned names, decoration; /* how many of title and application; the mode */
	struct buffer last; /* as committed */
} c = { .answers_frames = true, .scale = 1 };

static void destroy_resource(struct wl_client *client, struct wl_resource *r) {
	wl_resource_destroy(r);
}

static void forget(struct wl_resource *r) {
	struct wl_resource **const all[] = { &c.surface, &c.xdg, &c.top, &c.output, &c.keyboard,
		&c.pending, &c.shown, &c.frame };
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (*all[i] == r) {
			*all[i] = NULL;
		}
	}
}

static struct wl_resource *make(struct wl_client *client, const struct wl_interface *interface,
		int version, uint32_t id, const void *functions, void *data,
		wl_resource_destroy_func_t destroy) {
	struct wl_resource *r = wl_resource_create(client, interface, version, id);
	wl_resource_set_implementation(r, functions, data, destroy ? destroy : forget);
	return r;
}

/* ---- Shared memory ---- */

static void put_pool(struct pool *p) {
	if (--p->users == 0) {
		munmap(p->bytes, (size_t)p->size);
		free(p);
	}
}

static void end_pool(struct wl_resource *r) {
	put_pool(wl_resource_get_user_data(r));
}

static void end_buffer(struct wl_resource *r) {
	struct buffer *b = wl_resource_get_user_data(r);
	forget(r);
	if (c.last.pool == b->pool) {
		c.last.pool = NULL;
	}
	put_pool(b->pool);
	free(b);
}

static const struct wl_buffer_interface buffer_functions = { .destroy = destroy_resource };

static void create_buffer(struct wl_client *client, struct wl_resource *r, uint32_t id,
		int32_t offset, int32_t width, int32_t height, int32_t stride, uint32_t format) {
	struct buffer *b = calloc(1, sizeof(*b));
	*b = (struct buffer){ wl_resource_get_user_data(r), offset, width, height, stride };
	if (format != WL_SHM_FORMAT_XRGB8888 || offset < 0 || width < 1 || stride < 4 * width ||
			height < 1 || (int64_t)offset + (int64_t)stride * height > b->pool->size) {
		wl_resource_post_error(r, WL_SHM_ERROR_INVALID_STRIDE, "not in the pool");
	}
	b->pool->users++;
	make(client, &wl_buffer_interface, 1, id, &buffer_functions, b, end_buffer);
}

static const struct wl_shm_pool_interface pool_functions = { .create_buffer = create_buffer,
	.destroy = destroy_resource };

static void create_pool(struct wl_client *client, struct wl_resource *r, uint32_t id, int32_t fd,
		int32_t size) {
	struct pool *p = calloc(1, sizeof(*p));
	*p = (struct pool){ mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0), size,
		fcntl(fd, F_GET_SEALS), 1 };
	if (p->bytes == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	close(fd);
	make(client, &wl_shm_pool_interface, 1, id, &pool_functions, p, end_pool);
}

static const struct wl_shm_interface shm_functions = { .create_pool = create_pool };

/* ---- Surfaces ---- */

static void attach(struct wl_client *client, struct wl_resource *r, struct wl_resource *buffer,
		int32_t x, int32_t y) {
	c.pending = buffer;
	c.is_attached = true;
}

static void damage(struct wl_client *client, struct wl_resource *r, int32_t x, int32_t y,
		int32_t width, int32_t height) {
}

static void frame(struct wl_client *client, struct wl_resource *r, uint32_t id) {
	c.frame = make(client, &wl_callback_interface, 1, id, NULL, NULL, NULL);
}

static void set_scale(struct wl_client *client, struct wl_resource *r, int32_t scale) {
	c.scale = scale;
}

static void answer_frame(void) {
	if (c.frame && c.answers_frames) {
		wl_callback_send_done(c.frame, 0);
		wl_resource_destroy(c.frame);
	}
}

static void commit(struct wl_client *client, struct wl_resource *r) {
	if (c.is_attached && c.pending) {
		const struct buffer *b = wl_resource_get_user_data(c.pending);
		if (b->width % c.scale || b->height % c.scale) {
			wl_resource_post_error(r, WL_SURFACE_ERROR_INVALID_SIZE, "not a multiple");
		}
		if (c.shown && c.shown != c.pending && !c.keeps) {
			wl_buffer_send_release(c.shown);
		}
		c.shown = c.pending;
		c.last = *b;
		c.commits++;
	}
	c.is_attached = false;
	if (!c.serial) {
		xdg_toplevel_send_configure(c.top, 0, 0, &(struct wl_array){ .size = 0 });
		xdg_surface_send_configure(c.xdg, ++c.serial);
	}
	answer_frame();
}

static const struct wl_surface_interface surface_functions = { .destroy = destroy_resource,
	.attach = attach, .damage = damage, .damage_buffer = damage, .frame = frame,
	.set_buffer_scale = set_scale, .commit = commit };

static void create_surface(struct wl_client *client, struct wl_resource *r, uint32_t id) {
	c.surface = make(client, &wl_surface_interface, 4, id, &surface_functions, NULL, NULL);
}

static const struct wl_compositor_interface compositor_functions = { .create_surface =
			create_surface };

/* ---- Windows ---- */

static void set_title(struct wl_client *client, struct wl_resource *r, const char *title) {
	c.names += title[0] != 0;
}

static void set_fullscreen(
		struct wl_client *client, struct wl_resource *r, struct wl_resource *output) {
	c.fullscreen = 1;
}

static void unset_fullscreen(struct wl_client *client, struct wl_resource *r) {
	c.fullscreen = 2;
}

static const struct xdg_toplevel_interface top_functions = { .destroy = destroy_resource,
	.set_title = set_title, .set_app_id = set_title, .set_fullscreen = set_fullscreen,
	.unset_fullscreen = unset_fullscreen };

static void get_toplevel(struct wl_client *client, struct wl_resource *r, uint32_t id) {
	c.top = make(client, &xdg_toplevel_interface, 1, id, &top_functions, NULL, NULL);
}

static void ack(struct wl_client *client, struct wl_resource *r, uint32_t serial) {
	c.acked = serial;
}

static const struct xdg_surface_interface xdg_functions = { .destroy = destroy_resource,
	.get_toplevel = get_toplevel, .ack_configure = ack };

static void get_xdg_surface(struct wl_client *client, struct wl_resource *r, uint32_t id,
		struct wl_resource *surface) {
	c.xdg = make(client, &xdg_surface_interface, 1, id, &xdg_functions, NULL, NULL);
}

static const struct xdg_wm_base_interface shell_functions = { .destroy = destroy_resource,
	.get_xdg_surface = get_xdg_surface };

/* ---- Decorations ---- */

static void set_mode(struct wl_client *client, struct wl_resource *r, uint32_t mode) {
	c.decoration = mode;
	zxdg_toplevel_decoration_v1_send_configure(r, mode);
}

static const struct zxdg_toplevel_decoration_v1_interface decoration_functions = {
	.destroy = destroy_resource, .set_mode = set_mode };

static void decorate(struct wl_client *client, struct wl_resource *r, uint32_t id,
		struct wl_resource *top) {
	make(client, &zxdg_toplevel_decoration_v1_interface, 1, id, &decoration_functions, NULL,
			NULL);
}

static const struct zxdg_decoration_manager_v1_interface decorations_functions = {
	.destroy = destroy_resource, .get_toplevel_decoration = decorate };

/* ---- Keys ---- */

static void get_keyboard(struct wl_client *client, struct wl_resource *r, uint32_t id) {
	c.keyboard = make(client, &wl_keyboard_interface, 1, id, NULL, NULL, NULL);
	const int fd = memfd_create("keymap", MFD_CLOEXEC);
	wl_keyboard_send_keymap(c.keyboard, WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1, fd, 4096);
	close(fd);
}

static const struct wl_seat_interface seat_functions = { .get_keyboard = get_keyboard };

/* ---- What there is ---- */

static void bind_compositor(struct wl_client *client, void *data, uint32_t version, uint32_t id) {
	make(client, &wl_compositor_interface, (int)version, id, &compositor_functions, NULL, NULL);
}

static void bind_shm(struct wl_client *client, void *data, uint32_t version, uint32_t id) {
	make(client, &wl_shm_interface, (int)version, id, &shm_functions, NULL, NULL);
}

static void bind_shell(struct wl_client *client, void *data, uint32_t version, uint32_t id) {
	make(client, &xdg_wm_base_interface, (int)version, id, &shell_functions, NULL, NULL);
}

static void bind_decorations(struct wl_client *client, void *data, uint32_t version, uint32_t id) {
	make(client, &zxdg_decoration_manager_v1_interface, (int)version, id,
			&decorations_functions, NULL, NULL);
}

static void bind_seat(struct wl_client *client, void *data, uint32_t version, uint32_t id) {
	struct wl_resource *seat = make(
			client, &wl_seat_interface, (int)version, id, &seat_functions, NULL, NULL);
	wl_seat_send_capabilities(seat, WL_SEAT_CAPABILITY_KEYBOARD);
}

static void bind_output(struct wl_client *client, void *data, uint32_t version, uint32_t id) {
	c.output = make(client, &wl_output_interface, (int)version, id, NULL, NULL, NULL);
	wl_output_send_mode(c.output, WL_OUTPUT_MODE_CURRENT, WIDTH, HEIGHT, MHZ);
	wl_output_send_scale(c.output, 1);
	wl_output_send_done(c.output);
}

static void offer(const char *lacks) {
	const struct {
		const struct wl_interface *interface;
		int version;
		wl_global_bind_func_t bind;
	} all[] = { { &wl_compositor_interface, 4, bind_compositor },
		{ &wl_shm_interface, 1, bind_shm }, { &xdg_wm_base_interface, 1, bind_shell },
		{ &zxdg_decoration_manager_v1_interface, 1, bind_decorations },
		{ &wl_seat_interface, 1, bind_seat } };
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!lacks || strcmp(lacks, all[i].interface->name) != 0) {
			wl_global_create(c.display, all[i].interface, all[i].version, NULL,
					all[i].bind);
		}
	}
	c.output_global = wl_global_create(c.display, &wl_output_interface, 2, NULL, bind_output);
}

/* ---- Commands ---- */

static void configure(const char *text) {
	struct wl_array states;
	int width, height, n;
	unsigned state;
	wl_array_init(&states);
	sscanf(text, "%d %d%n", &width, &height, &n);
	for (text += n; sscanf(text, "%u%n", &state, &n) == 1; text += n) {
		*(uint32_t *)wl_array_add(&states, sizeof(uint32_t)) = state;
	}
	xdg_toplevel_send_configure(c.top, width, height, &states);
	xdg_surface_send_configure(c.xdg, ++c.serial);
	wl_array_release(&states);
}

static void press(uint32_t key) {
	wl_keyboard_send_key(c.keyboard, 0, 0, key, WL_KEYBOARD_KEY_STATE_PRESSED);
	wl_keyboard_send_key(c.keyboard, 0, 0, key, WL_KEYBOARD_KEY_STATE_RELEASED);
}

static void change_scale(int32_t scale) {
	wl_output_send_scale(c.output, scale);
	wl_output_send_done(c.output);
	wl_surface_send_enter(c.surface, c.output);
}

static void write_picture(const char *path) {
	FILE *f = fopen(path, "wb");
	fprintf(f, "P6\n%d %d\n255\n", (int)c.last.width, (int)c.last.height);
	const struct buffer *b = &c.last;
	for (int32_t y = 0; b->pool && y < b->height; y++) {
		const uint8_t *row = b->pool->bytes + b->offset + (ptrdiff_t)y * b->stride;
		for (int32_t x = 0; x < b->width; x++) {
			const uint8_t rgb[3] = { row[4 * x + 2], row[4 * x + 1], row[4 * x] };
			fwrite(rgb, 3, 1, f);
		}
	}
	fclose(f);
}

static void print_state(void) {
	printf("commits=%u width=%d height=%d stride=%d offset=%d seals=%d scale=%d acked=%d "
	       "fullscreen=%u names=%u decoration=%u\n",
			c.commits, (int)c.last.width, (int)c.last.height, (int)c.last.stride,
			(int)c.last.offset, c.last.pool ? c.last.pool->seals : 0, (int)c.scale,
			c.acked == c.serial, c.fullscreen, c.names, c.decoration);
}

static void obey(const char *line) {
	char word[16], path[256];
	int value = 0;
	sscanf(line, "%15s %d", word, &value);
	if (strcmp(word, "state") == 0) {
		print_state();
		return;
	}
	if (strcmp(word, "size") == 0) {
		configure(line + 4);
	} else if (strcmp(word, "close") == 0) {
		xdg_toplevel_send_close(c.top);
	} else if (strcmp(word, "key") == 0) {
		press((uint32_t)value);
	} else if (strcmp(word, "scale") == 0) {
		change_scale(value);
	} else if (strcmp(word, "leave") == 0) {
		wl_surface_send_leave(c.surface, c.output);
	} else if (strcmp(word, "unplug") == 0) {
		wl_global_destroy(c.output_global);
	} else if (strcmp(word, "frames") == 0) {
		c.answers_frames = value;
		answer_frame();
	} else if (strcmp(word, "keep") == 0) {
		c.keeps = value;
	} else if (strcmp(word, "error") == 0) {
		wl_resource_post_error(c.xdg, 3, "as told");
	} else if (sscanf(line, "picture %255s", path) == 1) {
		write_picture(path);
	} else {
		fprintf(stderr, "what is %s", line);
		exit(1);
	}
	puts("ok");
}

/* Lines come one at a time: each is answered before the next. */
static int on_input(int fd, uint32_t mask, void *data) {
	char line[512];
	const ssize_t n = read(fd, line, sizeof(line) - 1);
	if (n <= 0) {
		wl_display_terminate(c.display);
		return 0;
	}
	line[n] = 0;
	obey(line);
	fflush(stdout);
	return 0;
}

int main(int argc, char **argv) {
	c.display = wl_display_create();
	if (argc < 2 || !c.display || wl_display_add_socket(c.display, argv[1]) < 0) {
		fprintf(stderr, "compositor: no socket\n");
		return 1;
	}
	offer(argc > 2 ? argv[2] : NULL);
	struct wl_event_source *input = wl_event_loop_add_fd(wl_display_get_event_loop(c.display),
			STDIN_FILENO, WL_EVENT_READABLE, on_input, NULL);
	puts("ready");
	fflush(stdout);
	wl_display_run(c.display);
	wl_event_source_remove(input);
	wl_display_destroy_clients(c.display);
	wl_display_destroy(c.display);
	return 0;
}
