/* The options of the display. */
#ifndef SERVICE_OPTIONS_DISPLAY_H
#define SERVICE_OPTIONS_DISPLAY_H

#include "pictures/picture.h"
#include "service/options.h"

/*
 * Fills settings; idle becomes the picture that stands when nobody presents, which they borrow like
 * the texts of o. -EINVAL: what is wrong was printed.
 */
int options_apply_display(
		const struct options *o, struct present_settings *settings, struct picture *idle);

#endif
