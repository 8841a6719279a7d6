/*
 * A card in memory, in libdrm's place: connectors, CRTCs, planes, framebuffers, dumb buffers,
 * flips; with the seat and the kernel's uevents beside it. Each call can be made to fail. One card,
 * one thread.
 */
#ifndef TESTS_MOCK_DRM_H
#define TESTS_MOCK_DRM_H

#include <stdbool.h>
#include <stdint.h>

enum { MOCK_CONNECTORS = 3, MOCK_CRTCS = 2 };

/* Puts a fresh card in place: nothing plugged in, atomic, vertical blanks, XRGB8888 and RGB565. */
void mock_reset(void);
void mock_set_atomic(bool has);
void mock_set_vblank(bool has);
void mock_set_planes(bool has);
/* 32, 16, or 48 for both. */
void mock_set_formats(unsigned bits);

/* Plugs in a display with one mode; the kernel reports it. */
void mock_plug(unsigned connector, unsigned width, unsigned height);
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
/* The seat is logind's, which reports the screen only to a session with the card and a terminal. */
void mock_be_logind(void);
/* It starts again: it has taken the card, and reports nothing more to holders of its old seat. */
void mock_restart_logind(void);
/* Another program is master of the card. */
void mock_take_master(bool is_taken);

/* The vertical blank: completes and reports pending flips. Swallowed ones never complete. */
void mock_vblank(void);
void mock_swallow_flips(bool does);

/*
 * Counts the calls that can fail, from 1 on. The call of this number fails with error, and `n` in a
 * row; number 0: none does. Returns how many there were so far.
 */
unsigned mock_calls(void);
void mock_fail(unsigned number, unsigned n, int error);

/* The first pixel's word of the CRTC's picture, or -1: nothing. */
int64_t mock_pixel(unsigned crtc);
unsigned mock_width(unsigned crtc);
unsigned mock_mode_sets(void);
/* The most that CRTCs changed in one request. */
unsigned mock_largest_commit(void);
/* Objects of the card, of libdrm, mappings and open files that are left. */
unsigned mock_left(void);
/* A framebuffer that was shown was removed, or one of a freed buffer was: never right. */
unsigned mock_wrongs(void);

#endif
