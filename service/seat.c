#include "service/seat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_LIBSEAT
#include <libseat.h>
#endif

struct seat {
	seat_fn *fn;
	void *owner;
	bool is_active;
	struct libseat *libseat; /* NULL: none */
	char terminal[16];       /* name of the terminal in front, as the kernel prints it */
	int front_fd;            /* the kernel's file for that; -1: not wanted, or not known */
};

static int set_nonblocking(int fd) {
	int flags = fcntl(fd, F_GETFL);
	return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? -errno : 0;
}

#ifdef HAVE_LIBSEAT

static void on_enable(struct libseat *libseat, void *data) {
	struct seat *seat = data;
	seat->is_active = true;
	seat->fn(seat->owner, true);
}

static void on_disable(struct libseat *libseat, void *data) {
	struct seat *seat = data;
	seat->is_active = false;
	seat->fn(seat->owner, false);
	libseat_disable_seat(libseat);
}

static const struct libseat_seat_listener listener = { .enable_seat = on_enable,
	.disable_seat = on_disable };

static int open_libseat(struct seat *seat, const char *name) {
	const bool is_any = strcmp(name, "auto") == 0 || strcmp(name, "any") == 0;
	if (!is_any && setenv("LIBSEAT_BACKEND", name, 1) < 0) {
		return -errno;
	}
	libseat_set_log_level(LIBSEAT_LOG_LEVEL_SILENT); /* picad says what matters */
	errno = 0;
	seat->libseat = libseat_open_seat(&listener, seat);
	return seat->libseat ? 0 : errno ? -errno : -EACCES;
}

static int open_by_seat(struct seat *seat, const char *path, struct seat_device *out) {
	errno = 0; /* some refusals leave it unchanged */
	out->id = libseat_open_device(seat->libseat, path, &out->fd);
	if (out->id < 0) {
		return errno ? -errno : -EACCES;
	}
	int ret = set_nonblocking(out->fd);
	if (ret < 0) {
		seat_close_device(seat, out);
	}
	return ret;
}

int seat_fd(const struct seat *seat) {
	return seat->libseat ? libseat_get_fd(seat->libseat) : -1;
}

int seat_dispatch(struct seat *seat) {
	if (!seat->libseat) {
		return 0;
	}
	errno = 0;
	return libseat_dispatch(seat->libseat, 0) < 0 ? (errno ? -errno : -EIO) : 0;
}

static void close_libseat(struct seat *seat) {
	if (seat->libseat) {
		libseat_close_seat(seat->libseat);
	}
}

void seat_close_device(struct seat *seat, struct seat_device *device) {
	if (seat->libseat) {
		libseat_close_device(seat->libseat, device->id);
	}
	close(device->fd);
	device->fd = -1;
}

#else

static int open_libseat(struct seat *seat, const char *name) {
	return -EOPNOTSUPP;
}

static int open_by_seat(struct seat *seat, const char *path, struct seat_device *out) {
	return -EOPNOTSUPP;
}

int seat_fd(const struct seat *seat) {
	return -1;
}

int seat_dispatch(struct seat *seat) {
	return 0;
}

static void close_libseat(struct seat *seat) {
}

void seat_close_device(struct seat *seat, struct seat_device *device) {
	close(device->fd);
	device->fd = -1;
}

#endif

static void watch_terminal(struct seat *seat, const char *name) {
	const char *number = getenv("XDG_VTNR");
	if (!seat->libseat || strcmp(name, "logind") != 0 || !number) {
		return;
	}
	snprintf(seat->terminal, sizeof(seat->terminal), "tty%s\n", number);
	seat->front_fd = open("/sys/class/tty/tty0/active", O_RDONLY | O_CLOEXEC);
}

bool seat_has_terminal(const struct seat *seat) {
	return seat->front_fd >= 0;
}

bool seat_is_in_front(const struct seat *seat) {
	char front[sizeof(seat->terminal)] = "";
	return seat->front_fd >= 0 && pread(seat->front_fd, front, sizeof(front) - 1, 0) > 0 &&
			strcmp(front, seat->terminal) == 0;
}

bool seat_is_kept(const struct seat *seat) {
	return seat->libseat != NULL;
}

bool seat_is_active(const struct seat *seat) {
	return seat->is_active;
}

int seat_open_device(struct seat *seat, const char *path, struct seat_device *out) {
	*out = (struct seat_device){ .fd = -1, .id = -1 };
	if (seat->libseat) {
		return open_by_seat(seat, path, out);
	}
	out->fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	return out->fd < 0 ? -errno : 0;
}

int seat_open(struct seat **out, const char *name, seat_fn *fn, void *owner) {
	struct seat *seat = calloc(1, sizeof(*seat));
	if (!seat) {
		return -ENOMEM;
	}
	seat->fn = fn;
	seat->owner = owner;
	seat->front_fd = -1;
	bool is_auto = strcmp(name, "auto") == 0;
	int ret = strcmp(name, "none") == 0 ? -EOPNOTSUPP : open_libseat(seat, name);
	if (ret < 0 && (is_auto || strcmp(name, "none") == 0)) {
		seat->is_active = true; /* no seat */
		ret = 0;
	}
	if (ret < 0) {
		free(seat);
		return ret;
	}
	watch_terminal(seat, name);
	*out = seat;
	return 0;
}

void seat_close(struct seat *seat) {
	if (!seat) {
		return;
	}
	close_libseat(seat);
	if (seat->front_fd >= 0) {
		close(seat->front_fd);
	}
	free(seat);
}
