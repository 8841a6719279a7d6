/* Missing parts of a capture: those named in the file, and those found by drawing a whole .ctf. */
#ifndef PICA_MISSING_H
#define PICA_MISSING_H

#include <stdint.h>

#include "pica.h"
#include "pica_capture.h"

enum { LACKS_MAX = 32 };

struct missing {
	struct pica_capture_lack row[LACKS_MAX]; /* ascending; count 0: unknown */
	unsigned n;
};

/* Call before a capture is drawn in this context. Returns 0 or -ENOMEM. */
int missing_begin(const struct pica_capture *capture, struct pica_ctx *ctx);
/* Call when all of it was drawn. */
void missing_find(struct missing *out, const struct pica_capture *capture, struct pica_ctx *ctx);

/* A kind of missing parts. */
struct missing_kind {
	uint32_t what;
	const char *name; /* "textures", for programs; NULL: not known here */
	const char *text; /* "textures that draws sample" */
	const char *unit; /* the counted thing: "page", "load"; "" if none */
};
const struct missing_kind *missing_kind(uint32_t what);

#endif
