/*
 * Work per pixel, for tools (pica_inspect.h): counters for each target drawn to while counting is
 * on.
 */
#include <errno.h>
#include <stdlib.h>

#include "pica/front/ctx.h"

void count_clear(struct pica200 *ctx) {
	for (unsigned i = 0; i < ctx->n_counted; i++) {
		free(ctx->counted[i].counts.entered);
	}
	free(ctx->counted);
	ctx->counted = NULL;
	ctx->n_counted = 0;
}

/* The same surface, regardless of the rest of the target. */
static bool is_same(const struct target *a, const struct target *b) {
	return a->color_addr == b->color_addr && a->width == b->width && a->height == b->height &&
			a->block32 == b->block32;
}

static bool add(struct pica200 *ctx, const struct target *t) {
	/* Whole blocks, as the buffer itself. */
	const size_t n = t->color_bytes / color_format_bytes(t->color_format);
	struct counted *grown = realloc(ctx->counted, (ctx->n_counted + 1) * sizeof(*grown));
	if (!grown) {
		return false;
	}
	ctx->counted = grown;
	struct counted *c = &grown[ctx->n_counted];
	c->target = *t;
	c->counts.entered = calloc(3 * n, sizeof(*c->counts.entered));
	c->counts.passed = c->counts.entered + n;
	c->counts.cost = c->counts.passed + n;
	ctx->n_counted += c->counts.entered != NULL;
	return c->counts.entered != NULL;
}

bool count_find(struct pica200 *ctx, const struct target *t, struct tile_counts *out) {
	unsigned i = 0;
	while (i < ctx->n_counted && !is_same(&ctx->counted[i].target, t)) {
		i++;
	}
	if (i == ctx->n_counted && !add(ctx, t)) {
		ctx->base.run.result = -ENOMEM;
		return false;
	}
	*out = ctx->counted[i].counts;
	return true;
}
