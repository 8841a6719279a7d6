/*
 * Invocations of the geometry shader that depend on nothing that earlier ones left
 * (shader_straight_find()). Vertex tasks run them, in any order; their triangles keep the order of
 * the stream. The cost of the stream is known beforehand, and charged at once; if a budget might
 * end it, the serial stage finds the place.
 */
#include "pica/front/ctx.h"

enum {
	LEAST_RUNS = 16,
	/*
	 * Invocations at the end that run serially. Each writes all registers that any of them
	 * writes; an output bank has values of at most the last three.
	 */
	LAST_RUNS = 4,
};

/* Inputs of an invocation, from packed outputs of its vertices, 0: not whole vertices. */
static unsigned count_inputs(const struct pica200 *ctx) {
	const uint32_t *w = ctx->regs.w;
	const struct geometry *g = &ctx->geometry;
	const unsigned each = VSH_OUTMAP_TOTAL_COUNT_M1(w[REG_VSH_OUTMAP_TOTAL1]) + 1;
	const uint32_t misc = w[REG_GSH_MISC0];
	unsigned n = 0;
	switch (GSH_MISC0_MODE(misc)) {
	case GS_MODE_VARIABLE:
		return 0;
	case GS_MODE_FIXED:
		n = g->n_vertices ? 0 : each * (GSH_MISC0_FIXED_VERTICES_M1(misc) + 1);
		return n <= 16 && GSH_MISC0_FIXED_FIRST(misc) + n <= SHADER_UNIFORMS ? n : 0;
	default:
		n = SH_INPUTBUFFER_CONFIG_COUNT_M1(w[REG_GSH_INPUTBUFFER_CONFIG]) + 1;
		return g->n_gathered || n % each ? 0 : n;
	}
}

static bool may_be_independent(const struct pica200 *ctx, const struct stream *s) {
	const uint32_t *w = ctx->regs.w;
	const struct assembler *a = &ctx->assembler;
	const unsigned mode = PRIMITIVE_CONFIG_MODE(w[REG_PRIMITIVE_CONFIG]);
	const unsigned n = count_inputs(ctx) /
			(VSH_OUTMAP_TOTAL_COUNT_M1(w[REG_VSH_OUTMAP_TOTAL1]) + 1);
	return ctx->kernels.shader.run_straight && !s->inline_attributes &&
			(mode == PRIMITIVE_GEOMETRY ? !a->invert : mode == PRIMITIVE_LIST) &&
			a->n == 0 && n && s->n / LEAST_RUNS >= n && !ctx->geometry.kept.on &&
			!ctx->geometry.trace && !ctx->history;
}

static void describe_inputs(const struct pica200 *ctx, struct emit_part *e,
		struct shader_straight_rules *rules) {
	const uint32_t *w = ctx->regs.w;
	const unsigned each = VSH_OUTMAP_TOTAL_COUNT_M1(w[REG_VSH_OUTMAP_TOTAL1]) + 1;
	const bool is_fixed = GSH_MISC0_MODE(w[REG_GSH_MISC0]) == GS_MODE_FIXED;
	struct out_map packed;
	out_map_from_regs(&packed, w, SH_OUTMAP_MASK_MASK(w[REG_VSH_OUTMAP_MASK]));
	e->n_inputs = count_inputs(ctx);
	e->n_vertices = e->n_inputs / each;
	for (unsigned i = 0; i < e->n_inputs; i++) {
		const uint32_t word = w[i < 8 ? REG_GSH_ATTRIBUTES_PERMUTATION_LOW :
						REG_GSH_ATTRIBUTES_PERMUTATION_HIGH];
		const unsigned k = i % each, to = is_fixed ? i : word >> (4 * (i & 7)) & 15;
		e->input[i] = (struct emit_input){ .vertex = (uint8_t)(i / each),
			.from = k < packed.n_registers ? packed.reg[k] : NO_OUTPUT,
			.to = (uint8_t)to };
		rules->inputs |= (uint16_t)(is_fixed ? 0 : 1u << to);
	}
	rules->first_uniform = (uint8_t)GSH_MISC0_FIXED_FIRST(w[REG_GSH_MISC0]);
	rules->n_uniforms = (uint8_t)(is_fixed ? e->n_inputs : 0);
}

/* The rules of the current registers, and what an invocation gets. */
static void describe(const struct pica200 *ctx, struct emit_part *e,
		struct shader_straight_rules *rules) {
	const unsigned mode = PRIMITIVE_CONFIG_MODE(ctx->regs.w[REG_PRIMITIVE_CONFIG]);
	*rules = (struct shader_straight_rules){ .turns = mode == PRIMITIVE_GEOMETRY };
	e->map = ctx->geometry.map;
	for (unsigned i = 0; i < sizeof(e->map.from); i++) {
		const uint8_t from = e->map.from[i];
		if (from < OUT_MAP_ZERO) {
			rules->reads[e->map.reg[from >> 2]] |= (uint8_t)(1u << (from & 3));
		}
	}
	describe_inputs(ctx, e, rules);
}

/* Whether no invocation is cut off, and the budgets are enough for all of n positions. */
static bool fits_budgets(const struct pica200 *ctx, const struct emit_part *e, unsigned vs_steps,
		unsigned gs_steps, unsigned first_steps, uint64_t n) {
	const uint64_t each = ctx->base.settings.budgets.shader_steps;
	const uint64_t runs = n / e->n_vertices + 1; /* the last may be incomplete */
	const uint64_t steps = runs * e->steps + first_steps;
	const uint64_t vertices = 3 * (runs * e->program->n_triangles + first_steps);
	return vs_steps <= each && gs_steps <= each && first_steps <= each &&
			steps <= ctx->run.steps_left && vertices <= ctx->run.vertices_left;
}

bool independent_find(const struct pica200 *ctx, const struct stream *s,
		const struct vertex_part *part, struct independent *in) {
	if (!may_be_independent(ctx, s)) {
		return false;
	}
	const unsigned entry = SH_ENTRYPOINT_PC(ctx->regs.w[REG_GSH_ENTRYPOINT]);
	struct emit_part *e = &in->part;
	struct shader_straight *p = &in->program;
	struct shader_straight_rules rules;
	struct shader_uniforms u = ctx->gs.u;
	const unsigned first_steps = shader_steps(ctx->gs.prog, true, entry, &u);
	in->first_differs = !(u.b & 0x8000);
	u.b |= 0x8000;
	describe(ctx, e, &rules);
	const unsigned vs_steps = shader_steps(part->prog, false, part->entry, part->uniforms);
	if (!first_steps || !vs_steps ||
			!shader_straight_find(p, ctx->gs.prog, entry, &u, &rules)) {
		return false;
	}
	e->program = p;
	e->uniforms = &ctx->gs.u;
	e->steps = e->n_vertices * vs_steps + p->steps;
	struct fetch_layout layout = part->layout;
	return e->steps <= SHADER_STRAIGHT_STEPS && p->n_emits * e->map.n_registers <= EMIT_ROWS &&
			fits_budgets(ctx, e, vs_steps, p->steps, first_steps, s->n) &&
			fetch_leave_out(&layout, &ctx->base.space, 0, s->min, s->max);
}

/* What the runs of vertex tasks cost is known beforehand. */
static void charge(struct pica200 *ctx, const struct emit_part *e, uint64_t runs) {
	const uint64_t vertices = 3 * runs * e->program->n_triangles, steps = runs * e->steps;
	ctx->run.vertices_left -= vertices;
	ctx->run.steps_left -= steps;
	ctx->command_steps += steps;
	ctx->assembled += vertices;
	ctx->base.stats.shaded_vertices += runs * e->n_vertices;
	ctx->geometry.n_independent += runs;
}

uint32_t independent_draw(struct pica200 *ctx, const struct stream *s, uint32_t at,
		struct independent *in) {
	struct emit_part *e = &in->part;
	const unsigned n = e->n_vertices;
	const uint32_t runs = (s->n - at) / n - LAST_RUNS;
	const uint32_t most = draw_most(ctx) / (3 * e->program->n_triangles);
	charge(ctx, e, runs);
	for (uint32_t done = 0; done < runs && ctx->base.run.result == 0;) {
		struct stream piece = *s;
		e->n_primitives = runs - done < most ? runs - done : most;
		piece.n = e->n_primitives * n;
		piece.first = s->first + at + done * n;
		piece.index = s->index ? s->index + at + done * n : NULL;
		draw_emitted(ctx, &piece, e);
		done += e->n_primitives;
	}
	struct shader_gs *unit = &ctx->geometry.unit;
	unit->bank = (unit->bank + e->program->n_toggles * runs) & 1;
	return runs * n;
}
