/*
 * Replaces libdrm with a card in memory: connectors, CRTCs, planes, framebuffers, dumb buffers and
 * flips, with the seat and the kernel's uevents. Each call can be made to fail. One card, one
 * thread. mock_drm.c has libdrm's side, mock_faults.c the test's.
 */
#ifndef TESTS_MOCK_DRM_H
#define TESTS_MOCK_DRM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xf86drm.h>
#include <xf86drmMode.h>

#include "service/seat.h"

enum { MOCK_CONNECTORS = 3, MOCK_CRTCS = 2, MOCK_MODES = 3, MOCK_EVENTS = 16 };
enum { CRTC_ID = 10, ENCODER_ID = 20, CONNECTOR_ID = 30, PLANE_ID = 40, PROP_ID = 100, FB_ID = 1000,
		BLOB_ID = 2000,
	CONSOLE_FB = 999, OBJECTS = 64 };

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

/* The card. */
extern struct mock {
	/* Tests set these at any time. */
	bool has_atomic, has_vblank, has_planes;
	unsigned formats;     /* 32, 16, or 48 for both */
	bool is_unbound;      /* the card has vanished; mock_bind() brings it back */
	bool is_master_taken; /* by another program */
	bool swallows;        /* flips that a vertical blank would complete */
	bool is_ours;         /* the seat gives the screen to this session */
	bool is_seat_lost;    /* the daemon of the seat has ended */
	bool is_seat_refused; /* there is no seat */
	bool is_seat_silent;  /* logind restarted: it has the card, and reports nothing any more */
	bool is_logind;       /* it reports the screen only to a session with card and terminal */
	bool is_own;          /* no seat: the program opens the card itself */

	/* Tests read these. */
	unsigned calls;          /* that can fail, so far */
	unsigned mode_sets;
	unsigned largest_commit; /* the most that CRTCs changed in one request */
	unsigned wrongs;         /* removals of a framebuffer that is shown or without buffer */
	unsigned seats;          /* how many were given so far */
	char path[32];           /* of the card, as it was opened last */
	int card, uevents;       /* eventfds, or -1 */

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
	struct event events[MOCK_EVENTS];
	unsigned n_events;
	unsigned fail_at, fail_n;
	int fail_error;
	int objects;  /* of libdrm */
	int files, maps;
	bool is_told_ours;
	seat_fn *seat_fn;
	void *seat_owner;
} mock;

/* ---- The test's side ---- */

/* Makes a new card: nothing plugged in, atomic, vertical blanks, XRGB8888 and RGB565. */
void mock_reset(void);
/* Plugs in a display with one mode; the kernel reports it. */
void mock_plug(unsigned connector, unsigned width, unsigned height);
/* Adds a mode to those of an unplugged or plugged connector, at most MOCK_MODES. */
void mock_add_mode(unsigned connector, unsigned width, unsigned height, bool is_preferred);
void mock_unplug(unsigned connector);
/* The kernel says that something happened, though nothing did. */
void mock_uevent(void);
/* The card comes back. */
void mock_bind(void);
/* A vertical blank: completes and reports pending flips, except swallowed ones. */
void mock_vblank(void);
/*
 * Calls that can fail count from 1. `n` calls from this number on fail with error; number 0: none
 * does.
 */
void mock_fail(unsigned number, unsigned n, int error);
/* The first pixel's word of the CRTC's picture, or -1: nothing. */
int64_t mock_pixel(unsigned crtc);
unsigned mock_width(unsigned crtc);
/* Returns the number of objects of the card and of libdrm, mappings and open files that remain. */
unsigned mock_left(void);

/* ---- Shared by the two sides ---- */

/* Called by every function that can run out of memory. Returns 0, or -1 with errno. */
int mock_enter_library(void);
/* ... and every call of the card here. */
int mock_enter(void);
/* Objects of libdrm, which are counted. */
void *mock_make(size_t size_bytes);
void mock_unmake(void *object);
struct framebuffer *mock_find_fb(uint32_t id);

#endif
