/* What a capture lacks: what its file says, and what drawing all of a .ctf shows. */
#ifndef PICA_LACKS_H
#define PICA_LACKS_H

#include <stdint.h>

#include "pica.h"
#include "pica_capture.h"

enum { LACKS_MAX = 32 };

struct lacks {
	struct pica_capture_lack row[LACKS_MAX]; /* ascending; count 0: how much is not known */
	unsigned n;
};

/* Before a capture is drawn in this context. -ENOMEM. */
int lacks_begin(const struct pica_capture *capture, struct pica_ctx *ctx);
/* When all of it was drawn. */
void lacks_find(struct lacks *out, const struct pica_capture *capture, struct pica_ctx *ctx);

/* "textures", for programs; NULL: not known here. */
const char *lacks_name(uint32_t what);
/* "textures that draws sample", and what is counted: "page", "load"; "" if nothing is. */
const char *lacks_text(uint32_t what);
const char *lacks_unit(uint32_t what);

#endif
