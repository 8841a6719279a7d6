/*
 * Shared by the files of the card in memory: mock_drm.c has libdrm's side, mock_faults.c the
 * test's.
 */
#ifndef TESTS_MOCK_IMPL_H
#define TESTS_MOCK_IMPL_H

#include "mock_drm.h"

#include <stddef.h>

#include <xf86drm.h>
#include <xf86drmMode.h>

#include "service/seat.h"

enum { CRTC_ID = 10, ENCODER_ID = 20, CONNECTOR_ID = 30, PLANE_ID = 40, PROP_ID = 100, FB_ID = 1000,
		BLOB_ID = 2000,
	CONSOLE_FB = 999, OBJECTS = 64, EVENTS = 16 };

/* Properties of all objects, in one row. */
enum prop {
	P_CONNECTOR_CRTC,
	P_ACTIVE,
	P_MODE,
	P_TYPE,
	P_FB,
	P_CRTC,
	P_SRC_X,
	P_SRC_Y,
	P_SRC_W,
	P_SRC_H,
	P_X,
	P_Y,
	P_W,
	P_H,
	P_DAMAGE,
	P_COUNT
};
struct dumb {
	bool is_used;
	uint32_t width, height, bits, pitch;
	void *host;
};

struct framebuffer {
	bool is_used;
	uint32_t handle, width, height, format;
};

struct event {
	uint64_t data;
	uint32_t crtc;
};

struct mock {
	bool has_atomic, has_vblank, has_planes, is_unbound, is_master_taken, swallows;
	unsigned formats;
	drmModeModeInfo mode[MOCK_CONNECTORS][MOCK_MODES];
	int n_modes[MOCK_CONNECTORS]; /* 0: unplugged */
	uint32_t crtc_of[MOCK_CONNECTORS];
	struct {
		uint32_t fb;
		bool is_on;
		drmModeModeInfo mode;
		bool is_flipping;
		uint32_t next_fb;
		uint64_t data;
	} crtc[MOCK_CRTCS];
	struct dumb dumb[OBJECTS];
	struct framebuffer fb[OBJECTS];
	bool blob[OBJECTS];
	char blob_bytes[OBJECTS][sizeof(drmModeModeInfo)];
	struct event events[EVENTS];
	unsigned n_events;
	unsigned calls, fail_at, fail_n;
	int fail_error;
	unsigned mode_sets, largest_commit, wrongs;
	int objects;  /* of libdrm */
	int files, maps;
	int card, uevents; /* eventfds, or -1 */
	bool is_ours, is_told_ours, is_seat_lost, is_seat_refused, is_seat_silent;
	bool is_logind, is_own;
	unsigned seats;
	seat_fn *seat_fn;
	void *seat_owner;
	char path[32];
};

extern struct mock mock;

/* Called by every function that can run out of memory. Returns 0, or -1 with errno. */
int mock_enter_library(void);
/* ... and every call of the card here. */
int mock_enter(void);
/* Objects of libdrm, which are counted. */
void *mock_make(size_t size_bytes);
void mock_unmake(void *object);
struct framebuffer *mock_find_fb(uint32_t id);

#endif
