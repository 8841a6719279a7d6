/* Compares a capture's expected pictures with drawn ones. */
#ifndef CLIENTS_EXPECT_H
#define CLIENTS_EXPECT_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu.h"
#include "pica.h"
#include "pica_capture.h"

enum { EXPECT_MAX = 3 }; /* top left, top right, bottom */

/* Stores the pictures of the screens that are set. Returns their number or a negative errno. */
int expect_from_screens(struct gpu gpu, struct pica_expected out[EXPECT_MAX]);
/*
 * Finds the first unexpected picture of the frame. Stores the expected one in *want, the drawn one
 * in *have (hash and size; width 0: nothing is shown), and the number of compared pictures in *n.
 * Returns 1 if a picture differs, 0 if none does, or a negative errno.
 */
int expect_compare(struct gpu gpu, const struct pica_capture *capture, uint32_t frame, uint32_t *n,
		struct pica_expected *want, struct pica_expected *have);
/* Returns why frames of the capture have no expected pictures. */
const char *expect_none(const struct pica_capture *capture);
/* Returns "top", "top-right" or "bottom". */
const char *expect_screen_name(const struct pica_expected *e);

#endif
