/* Work per pixel: reads the counters of pica/front/count.c. */
#include "pica_inspect.h"

#include <errno.h>

#include "core/base/attributes.h"
#include "core/base/morton.h"
#include "pica/front/ctx.h"

PICA_EXPORT int pica_ctx_count(struct pica_ctx *base, int on) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	count_clear(ctx);
	ctx->counting = on != 0;
	return 0;
}

PICA_EXPORT int pica_ctx_counted(struct pica_ctx *base) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	return (int)ctx->n_counted;
}

PICA_EXPORT int pica_ctx_read_counts(struct pica_ctx *base, unsigned index,
		struct pica_target *target, struct pica_count *out) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	if (index >= ctx->n_counted) {
		return -EINVAL;
	}
	const struct counted *c = &ctx->counted[index];
	const struct target *t = &c->target;
	*target = target_described(t);
	for (uint32_t y = 0; out && y < t->height; y++) {
		for (uint32_t x = 0; x < t->width; x++) {
			const uint32_t px = tiled_index(x, y, t->width, t->block32);
			out[y * t->width + x] = (struct pica_count){ c->counts.entered[px],
					c->counts.passed[px],
				c->counts.cost[px] };
		}
	}
	return 0;
}
