/* The options of the display. */
#ifndef SERVICE_OPTIONS_DISPLAY_H
#define SERVICE_OPTIONS_DISPLAY_H

#include "pictures/picture.h"
#include "service/options.h"

/* Returns what the value of an option of the display must be if it is wrong, or NULL. */
const char *options_display_expected(const char *name, const char *value);
/*
 * Fills settings, which borrow idle and the texts of o; idle becomes the picture that is shown when
 * no session presents. Returns 0, or -EINVAL after printing the error.
 */
int options_apply_display(
		const struct options *o, struct present_settings *settings, struct picture *idle);

#endif
