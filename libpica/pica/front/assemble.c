/* State of the primitive assembler between draws (fidelity: assembly). */
#include <stdlib.h>
#include <string.h>

#include "pica/front/ctx.h"

static unsigned topology(const struct pica200 *ctx) {
	return PRIMITIVE_CONFIG_MODE(ctx->regs.w[REG_PRIMITIVE_CONFIG]);
}

static bool is_list(unsigned t) {
	return t == PRIMITIVE_LIST || t == PRIMITIVE_GEOMETRY;
}

void assembler_reset(struct pica200 *ctx) {
	struct assembler *a = &ctx->assembler;
	a->n = 0;
	a->ready = a->invert = false;
	a->lazy[0] = a->lazy[1] = false;
}

void shade_here(struct pica200 *ctx, const struct vertex_part *part,
		const float (*attributes)[4], const uint32_t *number, unsigned n,
		struct shader_result *result, uint64_t *outside) {
	struct slice *slice = &ctx->base.run.slice;
	bool is_done = vertex_shade(&ctx->kernels, &ctx->base.space, part, attributes, number, n,
			&ctx->batch, result, outside, slice);
	while (!is_done && !exec_is_abandoned(&ctx->base.exec)) {
		ctx_yield(&ctx->base);
		is_done = vertex_go_on(&ctx->kernels, part, n, &ctx->batch, result, slice);
	}
}

static void resolve_slot(struct pica200 *ctx, unsigned i) {
	struct assembler *a = &ctx->assembler;
	if (!a->lazy[i]) {
		return;
	}
	a->lazy[i] = false;
	const struct left_over *left = &ctx->left;
	const float (*attributes)[4] = NULL;
	const uint32_t number = left->is_inline ? 0 : a->lazy_number[i];
	if (left->is_inline) {
		attributes = (const float (*)[4])a->lazy_attributes[i];
	} else {
		struct range r[16];
		unsigned n = fetch_ranges(
				&left->part.layout, a->lazy_number[i], a->lazy_number[i], r);
		for (unsigned k = 0; k < n; k++) {
			exec_sync(&ctx->base.exec, r[k], false);
		}
	}
	struct shader_result result = { 0 };
	uint64_t outside = 0;
	struct vertex_part part = left->part;
	part.step_budget = front_step_budget(ctx);
	shade_here(ctx, &part, attributes, &number, 1, &result, &outside);
	/*
	 * Timing decides which job resolves an earlier job's vertex, so that job must not be
	 * charged.
	 */
	result.cut = left->job == ctx->base.run.seq ? result.cut : 0;
	front_charge_shader(ctx, &result);
	if (left->never_shaded) {
		ctx->base.exec.stats.shaded++;
		ctx->base.exec.stats.steps += result.steps;
	}
	out_map_vertex(&left->part.map, &ctx->batch, 0, &a->slot[i]);
}

void assembler_resolve(struct pica200 *ctx) {
	resolve_slot(ctx, 0);
	resolve_slot(ctx, 1);
}

unsigned assembler_prefix(struct pica200 *ctx, struct clip_vertex out[2], unsigned *parity) {
	struct assembler *a = &ctx->assembler;
	unsigned t = topology(ctx);
	*parity = 0;
	if (!a->n && !a->ready) {
		return 0;
	}
	assembler_resolve(ctx);
	out[0] = a->slot[0];
	out[1] = a->slot[1];
	if (is_list(t) || !a->ready) {
		return a->n;
	}
	if (t == PRIMITIVE_STRIP && a->n) {
		/* slot n is the older one, to be overwritten next */
		out[0] = a->slot[1];
		out[1] = a->slot[0];
		*parity = 1;
	}
	return 2;
}

/* Puts stream position p of a plain draw into a slot, without shading it. */
static void keep(struct pica200 *ctx, unsigned slot, const struct draw *d, uint64_t p) {
	struct assembler *a = &ctx->assembler;
	if (p < d->n_prefix) {
		a->slot[slot] = d->prefix[p];
		a->lazy[slot] = false;
		return;
	}
	uint32_t i = (uint32_t)(p - d->n_prefix);
	a->lazy[slot] = true;
	a->lazy_number[slot] = d->index ? d->index[i] : d->first + i;
	if (d->inline_vertices) {
		const float (*attributes)[4] = (const float (*)[4])d->inline_vertices;
		memcpy(a->lazy_attributes[slot], attributes + 16 * (size_t)i,
				sizeof(a->lazy_attributes[slot]));
	}
}

static void keep_state(struct pica200 *ctx, const struct draw *d) {
	struct left_over *left = &ctx->left;
	const struct vertex_part *part = d->state.vertex;
	left->part = *part;
	left->uniforms = *part->uniforms;
	left->part.uniforms = &left->uniforms;
	left->job = ctx->base.run.seq;
	left->is_inline = d->inline_vertices != NULL;
	struct prog *prog = prog_get((struct prog *)(uintptr_t)left->part.prog);
	prog_put(left->prog);
	left->prog = prog;
}

void assembler_after(struct pica200 *ctx, const struct draw *d) {
	struct assembler *a = &ctx->assembler;
	unsigned t = topology(ctx);
	uint64_t len = (uint64_t)d->n_prefix + d->n;
	ctx->assembled += d->n;
	a->lazy[0] = a->lazy[1] = false;
	if (is_list(t)) {
		a->n = (unsigned)(len % 3);
		for (unsigned i = 0; i < a->n; i++) {
			keep(ctx, i, d, len - a->n + i);
		}
	} else if (len >= 2) {
		if (t == PRIMITIVE_STRIP) {
			keep(ctx, (unsigned)(len - 2 + d->parity) & 1, d, len - 2);
			keep(ctx, (unsigned)(len - 1 + d->parity) & 1, d, len - 1);
			a->n = (unsigned)(len + d->parity) & 1;
		} else {
			keep(ctx, 0, d, 0);
			keep(ctx, 1, d, len - 1);
			a->n = 1;
		}
		a->ready = true;
	} else if (len == 1) {
		keep(ctx, 0, d, 0);
		a->n = 1;
	}
	if (a->lazy[0] || a->lazy[1]) {
		keep_state(ctx, d);
	}
}

static void push_triangle(struct pica200 *ctx, const struct clip_vertex *a,
		const struct clip_vertex *b, const struct clip_vertex *c) {
	struct geometry *g = &ctx->geometry;
	g->out[g->n_out++] = *a;
	g->out[g->n_out++] = *b;
	g->out[g->n_out++] = *c;
}

void assembler_submit(struct pica200 *ctx, const struct clip_vertex *v) {
	struct assembler *a = &ctx->assembler;
	unsigned t = topology(ctx);
	ctx->assembled++;
	if (a->lazy[0] || a->lazy[1]) {
		assembler_resolve(ctx);
	}
	if (is_list(t)) {
		if (a->n < 2) {
			a->slot[a->n++] = *v;
			return;
		}
		a->n = 0;
		if (t == PRIMITIVE_GEOMETRY && a->invert) {
			a->invert = false;
			push_triangle(ctx, &a->slot[1], &a->slot[0], v);
		} else {
			push_triangle(ctx, &a->slot[0], &a->slot[1], v);
		}
		return;
	}
	if (a->ready) {
		push_triangle(ctx, &a->slot[0], &a->slot[1], v);
	}
	a->slot[a->n] = *v;
	a->ready |= a->n == 1;
	a->n = t == PRIMITIVE_STRIP ? a->n ^ 1 : 1;
}
