/* Sentences for the log: why there is no seat, card or picture, and the remedy. */
#ifndef SERVICE_DISPLAY_WHY_H
#define SERVICE_DISPLAY_WHY_H

#include "core/base/attributes.h"
#include "service/display.h"

/* Stores the reason why create() fails in settings.why, unless that is NULL. */
PICA_PRINTF(2, 3)
void why_failed(const struct display_settings *settings, const char *fmt, ...);
/* Returns why there is no seat. name: the argument of seat_open(); error: its result. */
const char *why_no_seat(const char *name, int error);
/* Returns why an existing node cannot be a card, or NULL. */
const char *why_never_card(const char *path);
/*
 * Returns why there is no card. path: of the requested card, or NULL; error: of opening it;
 * has_seat: it was opened by libseat.
 */
const char *why_no_card(const char *path, int error, int has_seat);

#endif
