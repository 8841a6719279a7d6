/* Whether two captures draw the same pictures, frame by frame. */
#ifndef PICA_SAME_PICTURES_H
#define PICA_SAME_PICTURES_H

#include <stdint.h>

#include "pica_capture.h"

struct pictures_differ {
	uint32_t frame;
	const char *screen; /* "top", "top-right", "bottom" */
};

/* Draws both from their start. 0: they do; 1: *d is the first difference; negative errno. */
int same_pictures(struct pica_device *device, struct pica_capture *a, struct pica_capture *b,
		struct pictures_differ *d);

#endif
