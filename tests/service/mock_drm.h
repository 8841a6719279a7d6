/*
 * Replaces libdrm with a card in memory: connectors, CRTCs, planes, framebuffers, dumb buffers and
 * flips, with the seat and the kernel's uevents. Each call can be made to fail. One card, one
 * thread.
 */
#ifndef TESTS_MOCK_DRM_H
#define TESTS_MOCK_DRM_H

#include <stdbool.h>
#include <stdint.h>

enum { MOCK_CONNECTORS = 3, MOCK_CRTCS = 2, MOCK_MODES = 3 };

/* Makes a new card: nothing plugged in, atomic, vertical blanks, XRGB8888 and RGB565. */
void mock_reset(void);
void mock_set_atomic(bool has);
void mock_set_vblank(bool has);
void mock_set_planes(bool has);
/* 32, 16, or 48 for both. */
void mock_set_formats(unsigned bits);

/* Plugs in a display with one mode; the kernel reports it. */
void mock_plug(unsigned connector, unsigned width, unsigned height);
/* Adds a mode to those of an unplugged or plugged connector, at most MOCK_MODES. */
void mock_add_mode(unsigned connector, unsigned width, unsigned height, bool is_preferred);
void mock_unplug(unsigned connector);
/* The kernel says that something happened, though nothing did. */
void mock_uevent(void);
/* The card vanishes, and comes back. */
void mock_unbind(void);
void mock_bind(void);

/* Of the card, as it was opened last. */
const char *mock_path(void);

/* The seat: gives the screen to another session, or back. */
void mock_switch(bool is_ours);
/* The daemon of the seat ends; there is no seat. */
void mock_lose_seat(void);
void mock_refuse_seat(bool does);
unsigned mock_seats(void); /* how many were given so far */
/* No seat: the program opens the card itself. */
void mock_own_card(void);
/* Makes logind the seat's owner: it reports the screen only to a session with card and terminal. */
void mock_be_logind(void);
/* Restarts logind, which takes the card away, and reports nothing more to the old seat's
 * holders. */
void mock_restart_logind(void);
/* Another program is master of the card. */
void mock_take_master(bool is_taken);

/* A vertical blank: completes and reports pending flips, except swallowed ones. */
void mock_vblank(void);
void mock_swallow_flips(bool does);

/*
 * Calls that can fail count from 1. `n` calls from this number on fail with error; number 0: none
 * does. mock_calls() returns the number of calls so far.
 */
unsigned mock_calls(void);
void mock_fail(unsigned number, unsigned n, int error);

/* The first pixel's word of the CRTC's picture, or -1: nothing. */
int64_t mock_pixel(unsigned crtc);
unsigned mock_width(unsigned crtc);
unsigned mock_mode_sets(void);
/* The most that CRTCs changed in one request. */
unsigned mock_largest_commit(void);
/* Returns the number of objects of the card and of libdrm, mappings and open files that remain. */
unsigned mock_left(void);
/* Returns the errors so far: removal of a shown framebuffer, or of one whose buffer was freed. */
unsigned mock_wrongs(void);

#endif
