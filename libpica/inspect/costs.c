/* Costs of draws: sums that the context keeps anyway, and the counts of pica/frag/costs.c. */
#include "pica_history.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/attributes.h"
#include "pica/front/ctx.h"

static void take(const struct pica200 *ctx, struct pica_costs *out) {
	struct pica_stats stats = { .size = sizeof(stats) };
	struct frag_costs *c = ctx->costs;
	ctx_stats(&ctx->base, &stats);
	*out = (struct pica_costs){
		.draws = stats.draws,
		.vertices = stats.vertices,
		.shaded_vertices = stats.shaded_vertices,
		.shader_steps = ctx->base.exec.stats.steps + ctx->command_steps,
		.triangles = stats.triangles,
		.drawn_triangles = stats.drawn_triangles,
		.fragments = stats.fragments,
		.samples = atomic_load_explicit(&c->samples, memory_order_relaxed),
	};
	uint64_t *v = out->verdict;
	v[PICA_VERDICT_KEPT] = atomic_load_explicit(&c->stored, memory_order_relaxed);
	v[PICA_VERDICT_ALPHA] = atomic_load_explicit(&c->alpha, memory_order_relaxed);
	v[PICA_VERDICT_STENCIL] = atomic_load_explicit(&c->stencil, memory_order_relaxed);
	v[PICA_VERDICT_DEPTH] = atomic_load_explicit(&c->depth, memory_order_relaxed);
}

PICA_EXPORT int pica_ctx_find_costs(struct pica_ctx *base, int on) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	free(ctx->costs);
	ctx->costs = on ? calloc(1, sizeof(*ctx->costs)) : NULL;
	if (ctx->costs) {
		take(ctx, &ctx->costs_before);
	}
	return on && !ctx->costs ? -ENOMEM : 0;
}

PICA_EXPORT int pica_ctx_costs(struct pica_ctx *base, struct pica_costs *out) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	if (!ctx->costs) {
		return -EINVAL;
	}
	const struct pica_costs *before = &ctx->costs_before;
	take(ctx, out);
	out->draws -= before->draws;
	out->vertices -= before->vertices;
	out->shaded_vertices -= before->shaded_vertices;
	out->shader_steps -= before->shader_steps;
	out->triangles -= before->triangles;
	out->drawn_triangles -= before->drawn_triangles;
	out->fragments -= before->fragments;
	uint64_t *v = out->verdict;
	v[PICA_VERDICT_MASKED] = out->fragments - v[PICA_VERDICT_KEPT] - v[PICA_VERDICT_ALPHA] -
			v[PICA_VERDICT_STENCIL] - v[PICA_VERDICT_DEPTH];
	return 0;
}
