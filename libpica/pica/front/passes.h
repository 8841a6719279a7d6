/* When a pass opens and closes (passes.c). */
#ifndef FRONT_PASSES_H
#define FRONT_PASSES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/space/space.h"

struct pica200;

/* No more draws for now: draws the immediate vertices that wait, and closes the open pass. */
void passes_end(struct pica200 *ctx);
/* Call before words of a list are read; waits for units that write them. */
void passes_before_list(struct pica200 *ctx, struct range words);
/* Call before the command thread reads memory; waits for all draws so far that write it. */
void passes_before_read(struct pica200 *ctx, const struct range *r, unsigned n);
/* A draw with these vertices comes. */
void passes_before_draw(struct pica200 *ctx, const struct range *vertices, unsigned n);
/* A draw was added. samples_target: it must stay alone. */
void passes_after_draw(struct pica200 *ctx, bool samples_target);
/* Makes sure that a pass is open that can take a draw with the target and textures in parts. */
void passes_for_target(struct pica200 *ctx, bool samples_target);
/* Returns memory of the open pass, or NULL: the job ends with -ENOMEM. */
void *front_pass_alloc(struct pica200 *ctx, size_t size_bytes);
/* Returns a copy there; NULL also for NULL. */
void *front_pass_copy(struct pica200 *ctx, const void *from, size_t size_bytes);

#endif
