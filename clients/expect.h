/* Pictures that a capture expects, against those that are drawn. */
#ifndef CLIENTS_EXPECT_H
#define CLIENTS_EXPECT_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu.h"
#include "pica.h"
#include "pica_capture.h"

enum { EXPECT_MAX = 3 }; /* top left, top right, bottom */

/* The present pictures of the screens that were set; returns their number, or a negative errno. */
int expect_from_screens(struct gpu gpu, struct pica_expected out[EXPECT_MAX]);
/*
 * The first picture of the frame that is not as expected, into *want, and what is drawn into *have
 * (hash and size; width 0: nothing is shown). *n: how many were compared. 1: there is one; 0: none;
 * negative errno.
 */
int expect_compare(struct gpu gpu, const struct pica_capture *capture, uint32_t frame, uint32_t *n,
		struct pica_expected *want, struct pica_expected *have);
/* Why frames of the capture have nothing to compare with. */
const char *expect_none(const struct pica_capture *capture);
/* "top", "top-right", "bottom" */
const char *expect_screen_name(const struct pica_expected *e);

#endif
