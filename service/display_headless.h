/*
 * Virtual outputs, with a timer as vertical blank. display_settings of display.h:
 *
 * headless: MODE[,MODE...], one for each output; MODE is WIDTHxHEIGHT[@HERTZ][:FORMAT]
 *     FORMAT xrgb8888 (the default) or rgb565; HERTZ from 0.1 to 1000, by default the console's
 *     59.831. NULL: 800x480.
 * frames: where the pictures shown go: see frame_sink.h. NULL: nowhere.
 *
 * The outputs are "headless-1", "headless-2", ...; their refreshes are counted from creation.
 */
#ifndef SERVICE_DISPLAY_HEADLESS_H
#define SERVICE_DISPLAY_HEADLESS_H

#include "service/display.h"

/* Parses such a list into up to DISPLAY_OUTPUTS outputs. Returns their number, or -EINVAL. */
int display_headless_modes(const char *text, struct display_output out[DISPLAY_OUTPUTS]);

#endif
