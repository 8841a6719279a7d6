/* A user of the display of a card in memory, with a clock that only the test advances. */
#ifndef TESTS_CARD_USER_H
#define TESTS_CARD_USER_H

#include <stdint.h>

#include "clock.h"
#include "mock_drm.h"
#include "service/display.h"

/* Since the machine started, awake and asleep. */
extern uint64_t skipped_ns, slept_ns;

enum { EVENTS = 64 };

extern struct user {
	struct display *display;
	struct display_event events[EVENTS];
	unsigned n_events;
	unsigned n_changed, n_flipped, n_failed, n_lost, n_away, n_back;
} user;

static const struct display_settings plain = { .card = "mock" };

/* A fresh card with one display. */
void setup(void);
void open_display(const struct display_settings *settings);
/* It cannot be made, and why. */
void refuse_display(const struct display_settings *settings, int error);
/* Opens the plain display, and lets it begin. */
void start(void);
/* Nothing is left, and nothing was wrong. Runs after each test, too. */
void close_display(void);
/* One round: handles events, or waits for the next due time, but not beyond most_ns. */
void step(uint64_t most_ns);
/* Handles everything that is due; would not return if the display span. */
void run_ms(uint64_t ms);
/* Draws one word over the output's first pixel and commits. */
int show(uint32_t output, uint32_t word, uint64_t cookie);
/* Shows and lets the blank come: the CRTC of that number has the word then. */
void show_now(uint32_t output, uint32_t word);

#endif
