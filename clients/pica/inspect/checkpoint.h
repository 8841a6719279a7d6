/*
 * Checkpoints: the state and memory of a context at the starts of frames, so that a replay need not
 * begin at a key of the capture. Within a frame there are none: a capture may leave what was drawn
 * in the same frame when it loads memory (PICA_WRITE_KEEP_RENDERED), and only the context knows
 * what that is.
 */
#ifndef PICA_INSPECT_CHECKPOINT_H
#define PICA_INSPECT_CHECKPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "pica.h"

enum { CHECKPOINTS = 64, CHECKPOINT_PAGE = 4096 };

/* The most that all of them hold; then the least recently used ones are dropped. */
#define CHECKPOINT_BYTES ((size_t)256 << 20)

struct checkpoint {
	uint32_t frame;
	uint64_t used; /* when; 0: empty */
	struct pica_state *state; /* owned */
	uint32_t *page; /* owned: addresses of the n pages that are not 0 */
	uint8_t *bytes; /* owned: of the pages */
	size_t n;
};

struct checkpoints {
	struct checkpoint at[CHECKPOINTS];
	uint64_t clock;
};

/* Returns the last one at or before a frame, or NULL. */
struct checkpoint *checkpoint_find(struct checkpoints *c, uint32_t frame);
/* Keeps an idle context at the start of a frame. When out of memory, keeps nothing. */
void checkpoint_keep(struct checkpoints *c, struct pica_ctx *ctx, uint32_t frame);
/* Loads it into the same context, whose memory is zero. Returns 0 or a negative errno. */
int checkpoint_load(struct checkpoints *c, struct checkpoint *p, struct pica_ctx *ctx);
void checkpoints_drop(struct checkpoints *c);

#endif
