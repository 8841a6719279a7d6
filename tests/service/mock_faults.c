/* The test's side of the card: faults, plugs, vertical blanks and their events, the seat. */
#include "mock_drm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <drm_fourcc.h>

#include "service/uevent.h"

struct mock mock = { .card = -1, .uevents = -1 };

/* ---- The test's side ---- */

void mock_reset(void) {
	memset(&mock, 0, sizeof(mock));
	mock.card = mock.uevents = -1;
	mock.has_atomic = mock.has_vblank = mock.has_planes = mock.is_ours = true;
	mock.formats = 48;
	for (unsigned i = 0; i < MOCK_CRTCS; i++) {
		/* The text console. */
		mock.crtc[i].is_on = true;
		mock.crtc[i].fb = CONSOLE_FB;
		mock.crtc[i].mode.hdisplay = 640;
		mock.crtc[i].mode.vdisplay = 480;
		mock.crtc_of[i] = CRTC_ID + i;
	}
}

void mock_uevent(void) {
	uint64_t one = 1;
	if (mock.uevents >= 0 && write(mock.uevents, &one, sizeof(one)) < 0) {
		abort();
	}
}

void mock_add_mode(unsigned connector, unsigned width, unsigned height, bool is_preferred) {
	drmModeModeInfo *m = &mock.mode[connector][mock.n_modes[connector]++];
	memset(m, 0, sizeof(*m));
	m->hdisplay = (uint16_t)width;
	m->vdisplay = (uint16_t)height;
	m->htotal = (uint16_t)(width + 100);
	m->vtotal = (uint16_t)(height + 20);
	m->vrefresh = 60;
	m->clock = m->htotal * m->vtotal * 60u / 1000;
	m->type = is_preferred ? DRM_MODE_TYPE_PREFERRED : 0;
}

void mock_plug(unsigned connector, unsigned width, unsigned height) {
	mock.n_modes[connector] = 0;
	mock_add_mode(connector, width, height, true);
	mock_uevent();
}

void mock_unplug(unsigned connector) {
	mock.n_modes[connector] = 0;
	mock_uevent();
}

void mock_bind(void) {
	mock.is_unbound = false;
	mock_uevent();
}

static void ring_card(void) {
	uint64_t one = 1;
	if (mock.card >= 0 && write(mock.card, &one, sizeof(one)) < 0) {
		abort();
	}
}

void mock_vblank(void) {
	for (unsigned i = 0; i < MOCK_CRTCS; i++) {
		if (mock.crtc[i].is_flipping && !mock.swallows) {
			mock.crtc[i].is_flipping = false;
			mock.crtc[i].fb = mock.crtc[i].next_fb;
			mock.events[mock.n_events++] =
					(struct event){ mock.crtc[i].data, CRTC_ID + i };
			ring_card();
		}
	}
}

void mock_fail(unsigned number, unsigned n, int error) {
	mock.fail_at = number;
	mock.fail_n = n;
	mock.fail_error = error;
}

struct framebuffer *mock_find_fb(uint32_t id) {
	return id >= FB_ID && id < FB_ID + OBJECTS && mock.fb[id - FB_ID].is_used ?
			&mock.fb[id - FB_ID] :
			NULL;
}

int64_t mock_pixel(unsigned crtc) {
	const struct framebuffer *fb =
			mock.crtc[crtc].is_on ? mock_find_fb(mock.crtc[crtc].fb) : NULL;
	if (!fb || !mock.dumb[fb->handle - 1].is_used) {
		return -1;
	}
	uint32_t word = 0;
	memcpy(&word, mock.dumb[fb->handle - 1].host, fb->format == DRM_FORMAT_RGB565 ? 2 : 4);
	return word;
}

unsigned mock_width(unsigned crtc) {
	return mock.crtc[crtc].is_on ? mock.crtc[crtc].mode.hdisplay : 0;
}

unsigned mock_left(void) {
	int left = mock.objects + mock.files + mock.maps + (mock.uevents >= 0);
	for (unsigned i = 0; i < OBJECTS; i++) {
		left += mock.dumb[i].is_used + mock.fb[i].is_used + mock.blob[i];
	}
	return (unsigned)left;
}

/* ---- Failing ---- */

int mock_enter_library(void) {
	mock.calls++;
	if (mock.fail_at && mock.calls >= mock.fail_at &&
			mock.calls < mock.fail_at + mock.fail_n) {
		errno = mock.fail_error;
		return -1;
	}
	return 0;
}

int mock_enter(void) {
	if (mock.is_unbound) {
		errno = ENODEV;
		return -1;
	}
	return mock_enter_library();
}

void *mock_make(size_t size_bytes) {
	mock.objects++;
	return calloc(1, size_bytes);
}

void mock_unmake(void *object) {
	if (object) {
		mock.objects--;
		free(object);
	}
}

/* ---- The seat and the uevents ---- */

struct seat {
	int unused;
};

int seat_open(struct seat **out, const char *name, seat_fn *fn, void *owner) {
	if (mock.is_seat_refused) {
		return -ENOENT;
	}
	*out = mock_make(sizeof(**out));
	mock.seats++;
	mock.is_seat_lost = mock.is_seat_silent = false;
	mock.seat_fn = fn;
	mock.seat_owner = owner;
	mock.is_told_ours = mock.is_ours;
	return 0;
}

void seat_close(struct seat *seat) {
	mock_unmake(seat);
}

bool seat_is_active(const struct seat *seat) {
	return mock.is_told_ours;
}

bool seat_is_kept(const struct seat *seat) {
	return !mock.is_own;
}

bool seat_has_terminal(const struct seat *seat) {
	return mock.is_logind;
}

bool seat_is_in_front(const struct seat *seat) {
	return mock.is_logind && mock.is_ours;
}

int seat_fd(const struct seat *seat) {
	return -1;
}

int seat_dispatch(struct seat *seat) {
	if (mock.is_seat_lost) {
		return -EPIPE;
	}
	const bool is_told = !mock.is_seat_silent && (!mock.is_logind || mock.card >= 0);
	if (is_told && mock.is_told_ours != mock.is_ours) {
		mock.is_told_ours = mock.is_ours;
		mock.seat_fn(mock.seat_owner, mock.is_ours);
	}
	return 0;
}

int seat_open_device(struct seat *seat, const char *path, struct seat_device *out) {
	if (mock_enter() < 0) {
		return -errno;
	}
	mock.files++;
	snprintf(mock.path, sizeof(mock.path), "%s", path);
	mock.card = out->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	mock.n_events = 0;
	return 0;
}

void seat_close_device(struct seat *seat, struct seat_device *device) {
	mock.files--;
	mock.wrongs += mock.maps != 0; /* a mapping keeps the file alive */
	close(device->fd);
	device->fd = mock.card = -1;
}

int uevent_open(void) {
	mock.uevents = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return mock.uevents;
}

bool uevent_read(int fd) {
	uint64_t n;
	return read(fd, &n, sizeof(n)) == (ssize_t)sizeof(n);
}

/* ---- Events ---- */

int drmWaitVBlank(int fd, drmVBlankPtr blank) {
	if (mock_enter() < 0) {
		return -1;
	}
	errno = EOPNOTSUPP;
	return mock.has_vblank ? 0 : -1;
}

int drmHandleEvent(int fd, drmEventContextPtr context) {
	uint64_t n;
	struct timespec t;
	if (mock.is_unbound) {
		/* as in the kernel: reading a removed card gives neither events nor an error */
		return 0;
	}
	if (read(fd, &n, sizeof(n)) < 0) {
		return -1;
	}
	clock_gettime(CLOCK_MONOTONIC, &t);
	unsigned n_events = mock.n_events;
	mock.n_events = 0;
	for (unsigned i = 0; i < n_events; i++) {
		context->page_flip_handler2(fd, 0, (unsigned)t.tv_sec, (unsigned)(t.tv_nsec / 1000),
				mock.events[i].crtc, (void *)(uintptr_t)mock.events[i].data);
	}
	return 0;
}
