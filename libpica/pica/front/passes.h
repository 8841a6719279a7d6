/* When a pass opens and closes (passes.c). */
#ifndef FRONT_PASSES_H
#define FRONT_PASSES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/space/space.h"

struct pica200;

/* Closes the open pass. */
void passes_end(struct pica200 *ctx);
/* Call before reading words of a list; waits for units that write them. */
void passes_before_list(struct pica200 *ctx, struct range words);
/* Call before the command thread reads memory; waits for all draws so far that write it. */
void passes_before_read(struct pica200 *ctx, const struct range *r, unsigned n);
/* Call before a draw that reads vertices from these ranges. */
void passes_before_draw(struct pica200 *ctx, const struct range *vertices, unsigned n);
/* Call after adding a draw. samples_target: it must be the only draw of its pass. */
void passes_after_draw(struct pica200 *ctx, bool samples_target);
/* Ensures that the open pass can take a draw with the target and textures in ctx->parts. */
void passes_for_target(struct pica200 *ctx, bool samples_target);
/* Returns memory of the open pass; NULL when out of memory: the job ends with -ENOMEM. */
void *front_pass_alloc(struct pica200 *ctx, size_t size_bytes);
/* Copies to such memory. Returns the copy, or NULL as above; NULL also if from is NULL. */
void *front_pass_copy(struct pica200 *ctx, const void *from, size_t size_bytes);

#endif
