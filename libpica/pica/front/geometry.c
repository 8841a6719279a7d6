/*
 * The geometry shader stage, serial and stateful (fidelity: geometry-shader). It runs on the
 * command thread: the state (uniforms written by the unit, b15, temporaries, banks, gathered and
 * left-over vertices) is then simply the context's, in stream order. Its triangles become an
 * ordinary draw. Invocations that are proven to be independent run in vertex tasks (independent.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pica/front/ctx.h"
#include "pica/front/passes.h"

enum {
	OUT_VERTICES = 3 * 1024, /* triangles are handed over at this many vertices */
	/* ticks of a step, of a run or a batch of vertices (plus its steps), of a position */
	STEP_TICKS = 30,
	RUN_TICKS = 200,
	BATCH_TICKS = 1500,
	POSITION_TICKS = 4,
};

void geometry_config_changed(struct pica200 *ctx) {
	/* A partly filled point-mode input is dropped [REC, fidelity: gs-point]. */
	ctx->geometry.n_gathered = 0;
	ctx->geometry.remaining = 0;
	ctx->geometry.n_vertices = 0;
}

/* For inspection (pica_inspect.h). */
static void keep(struct geometry_kept *k, const struct clip_vertex *v, uint32_t n) {
	if (k->cap - k->n < n) {
		const uint32_t cap = k->cap ? 2 * k->cap : OUT_VERTICES;
		struct clip_vertex *more =
				cap > k->cap ? realloc(k->v, cap * sizeof(*more)) : NULL;
		if (!more) {
			k->error = -ENOMEM;
			return;
		}
		k->v = more;
		k->cap = cap;
	}
	memcpy(k->v + k->n, v, n * sizeof(*v));
	k->n += n;
}

static void hand_over(struct pica200 *ctx) {
	struct geometry *g = &ctx->geometry;
	if (g->n_out && g->kept.on) {
		keep(&g->kept, g->out, g->n_out);
	}
	if (g->n_out) {
		draw_clip_list(ctx, g->out, g->n_out);
		g->n_out = 0;
	}
}

/* Stores a vertex. Returns the number of triangles that it completes. */
static uint32_t store_emitted(struct pica200 *ctx, const float o[16][4]) {
	struct geometry *g = &ctx->geometry;
	const struct shader_gs *unit = &g->unit;
	if (unit->emit_id < 3) {
		float (*slot)[4] = g->emitted[unit->emit_id];
		memset(slot, 0, sizeof(g->emitted[0]));
		for (unsigned k = 0; k < g->map.n_registers; k++) {
			memcpy(slot[k], o[g->map.reg[k]], sizeof(slot[k]));
		}
	}
	/* The program cannot be stopped here, but its output is dropped. */
	if (!unit->emit_prim || ctx->base.run.result < 0 ||
			!ctx_charge(&ctx->base, &ctx->run.vertices_left, 3, PICA_BUDGET_VERTICES)) {
		return 0;
	}
	const uint32_t n = g->n_out;
	if (unit->emit_invert) {
		ctx->assembler.invert = true;
	}
	for (unsigned i = 0; i < 3; i++) {
		struct clip_vertex v;
		out_map_slots(&g->map, (const float (*)[4])g->emitted[i], &v);
		assembler_submit(ctx, &v);
	}
	return (g->n_out - n) / 3;
}

static void on_emit(void *user, const struct shader_gs *unit, const float o[16][4]) {
	struct pica200 *ctx = user;
	struct geometry *g = &ctx->geometry;
	const uint32_t n = store_emitted(ctx, o);
	(void)unit;
	if (g->trace) {
		geometry_trace_emit(g, o, n);
	}
	if (g->n_out + 9 > g->cap_out) {
		hand_over(ctx);
	}
}

static void on_step(void *user, const struct shader_step *s) {
	struct pica200 *ctx = user;
	geometry_trace_step(&ctx->geometry, s);
}

static bool on_pause(void *user, unsigned steps) {
	struct pica200 *ctx = user;
	ctx_tick(&ctx->base, (uint64_t)steps * STEP_TICKS);
	return !exec_is_abandoned(&ctx->base.exec);
}

static void count_run(struct pica200 *ctx, const struct shader_result *result) {
	ctx->command_steps += result->steps;
	front_charge_shader(ctx, result);
	ctx->base.stats.faults[PICA_FAULT_SHADER_BUDGET] += result->cut;
	ctx->base.stats.faults[PICA_FAULT_SHADER_OPCODE] += result->bad;
}

static void run_unit(struct pica200 *ctx) {
	struct shader_unit *gs = &ctx->gs;
	struct geometry_trace *trace = ctx->geometry.trace;
	struct shader_result result = { 0 };
	if (ctx->base.run.result < 0) {
		return;
	}
	if (trace) {
		geometry_trace_begin(trace);
	}
	shader_run_gs(gs->prog, SH_ENTRYPOINT_PC(ctx->regs.w[REG_GSH_ENTRYPOINT]), &gs->u,
			&ctx->geometry.unit, ctx->base.settings.float_mode, front_step_budget(ctx),
			&result, &(struct shader_host){ on_emit, on_pause,
					trace ? on_step : NULL, ctx });
	if (trace) {
		geometry_trace_end(trace);
	}
	count_run(ctx, &result);
	/* on_pause() has counted the other steps. */
	ctx_tick(&ctx->base, RUN_TICKS + result.steps % SHADER_PAUSE_STEPS * STEP_TICKS);
	ctx->regs.w[REG_GSH_BOOLUNIFORM] |= 1u << 15; /* b15 [fidelity: gs-state] */
}

static void store_uniform(struct pica200 *ctx, uint32_t index, const float v[4]) {
	if (index < SHADER_UNIFORMS) {
		memcpy(ctx->gs.u.c[index], v, 4 * sizeof(float));
	} else {
		ctx_fault(&ctx->base, PICA_FAULT_BAD_INDEX);
	}
}

static void point_input(struct pica200 *ctx, const float (*out)[4], unsigned n) {
	struct geometry *g = &ctx->geometry;
	const uint32_t *w = ctx->regs.w;
	unsigned wanted = SH_INPUTBUFFER_CONFIG_COUNT_M1(w[REG_GSH_INPUTBUFFER_CONFIG]) + 1;
	for (unsigned k = 0; k < n; k++) {
		memcpy(g->gathered[g->n_gathered++], out[k], sizeof(g->gathered[0]));
		if (g->n_gathered < wanted) {
			continue;
		}
		for (unsigned i = 0; i < wanted; i++) {
			uint32_t word = w[i < 8 ? REG_GSH_ATTRIBUTES_PERMUTATION_LOW :
						  REG_GSH_ATTRIBUTES_PERMUTATION_HIGH];
			memcpy(g->unit.v[word >> (4 * (i & 7)) & 15], g->gathered[i],
					sizeof(g->gathered[0]));
		}
		g->n_gathered = 0;
		run_unit(ctx);
	}
}

static void variable_input(struct pica200 *ctx, const float (*out)[4], unsigned n) {
	struct geometry *g = &ctx->geometry;
	unsigned stored = g->main_left ? n : 1;
	for (unsigned k = 0; k < stored; k++) {
		store_uniform(ctx, g->cursor++, out[k]);
	}
	g->main_left -= g->main_left != 0;
	if (--g->remaining == 0) {
		run_unit(ctx);
	}
}

static void fixed_input(struct pica200 *ctx, const float (*out)[4], unsigned n) {
	struct geometry *g = &ctx->geometry;
	uint32_t misc = ctx->regs.w[REG_GSH_MISC0];
	if (g->n_vertices == 0) {
		g->cursor = GSH_MISC0_FIXED_FIRST(misc);
	}
	for (unsigned k = 0; k < n; k++) {
		store_uniform(ctx, g->cursor++, out[k]);
	}
	if (++g->n_vertices > GSH_MISC0_FIXED_VERTICES_M1(misc)) {
		g->n_vertices = 0;
		run_unit(ctx);
	}
}

/* A vertex's packed outputs, n of them. */
static void feed(struct pica200 *ctx, const float (*out)[4], unsigned n) {
	switch (GSH_MISC0_MODE(ctx->regs.w[REG_GSH_MISC0])) {
	case GS_MODE_VARIABLE:
		variable_input(ctx, out, n);
		break;
	case GS_MODE_FIXED:
		fixed_input(ctx, out, n);
		break;
	default:
		point_input(ctx, out, n);
		break;
	}
}

static void start_primitive(struct pica200 *ctx, uint32_t n) {
	struct geometry *g = &ctx->geometry;
	const float count[4] = { (float)n, (float)n, (float)n, (float)n };
	if (n == 0) {
		return; /* [REC, fidelity: gs-variable] */
	}
	store_uniform(ctx, 0, count);
	g->cursor = 1;
	g->remaining = n;
	g->main_left = GSH_MISC1_MAIN_VERTICES_M1(ctx->regs.w[REG_GSH_MISC1]) + 1;
}

struct vs_run {
	struct vertex_part part;
	struct out_map packed;  /* enabled output registers of the vertex shader */
	unsigned n_out;         /* packed outputs a vertex */
	struct stream s;
	uint32_t number[SHADER_LANES];
	unsigned n;
	uint32_t scheduled;     /* variable mode: vertices of the primitive still to be collected */
};

/* Shades the collected vertices and feeds them in order. */
static void flush_vertices(struct pica200 *ctx, struct vs_run *r) {
	if (!r->n) {
		return;
	}
	struct shader_result result = { 0 };
	uint64_t outside = 0;
	r->part.step_budget = front_step_budget(ctx);
	struct shader_batch *b = &ctx->batch;
	shade_here(ctx, &r->part, r->s.inline_attributes, r->number, r->n, &result, &outside);
	count_run(ctx, &result);
	ctx->base.stats.shaded_vertices += r->n;
	ctx_tick(&ctx->base, BATCH_TICKS + result.steps / 2);
	ctx->base.stats.faults[PICA_FAULT_BAD_ADDRESS] += outside;
	for (unsigned lane = 0; lane < r->n; lane++) {
		float out[16][4];
		memset(out, 0, sizeof(out));
		for (unsigned k = 0; k < r->n_out && k < r->packed.n_registers; k++) {
			for (unsigned c = 0; c < 4; c++) {
				out[k][c] = b->o[r->packed.reg[k]][c][lane];
			}
		}
		feed(ctx, (const float (*)[4])out, r->n_out);
	}
	r->n = 0;
}

/* Runs the unit for positions first..end-1 of the stream. */
static void collect(struct pica200 *ctx, struct vs_run *r, uint32_t first, uint32_t end,
		bool indexed) {
	const struct stream *s = &r->s;
	const bool variable = GSH_MISC0_MODE(ctx->regs.w[REG_GSH_MISC0]) == GS_MODE_VARIABLE;
	for (uint32_t i = first; i < end && ctx->base.run.result == 0; i++) {
		uint32_t number = s->index ? s->index[i] : s->inline_attributes ? i : s->first + i;
		ctx_tick(&ctx->base, POSITION_TICKS);
		if (variable && r->scheduled == 0) {
			flush_vertices(ctx, r);
			if (indexed) {
				start_primitive(ctx, number);
				r->scheduled = ctx->geometry.remaining;
			}
			/* without an index stream there is no prefix, and nothing to draw */
			continue;
		}
		r->scheduled -= r->scheduled != 0;
		r->number[r->n++] = number;
		if (r->n == SHADER_LANES) {
			flush_vertices(ctx, r);
		}
	}
	flush_vertices(ctx, r);
}

static void sync_vertices(struct pica200 *ctx, const struct vs_run *r) {
	if (r->s.inline_attributes) {
		return;
	}
	struct range ranges[16];
	unsigned n = fetch_ranges(&r->part.layout, r->s.min, r->s.max, ranges);
	passes_before_read(ctx, ranges, n);
}

void geometry_draw(struct pica200 *ctx, const struct stream *s, bool indexed) {
	const uint32_t *w = ctx->regs.w;
	struct geometry *g = &ctx->geometry;
	struct vs_run r = { .s = *s };
	struct shader_uniforms uniforms = ctx->vs.u;
	if (!vertex_part_make(ctx, &r.part, &uniforms)) {
		return;
	}
	struct prog *prog = prog_get((struct prog *)(uintptr_t)r.part.prog);
	out_map_from_regs(&r.packed, w, SH_OUTMAP_MASK_MASK(w[REG_VSH_OUTMAP_MASK]));
	r.n_out = VSH_OUTMAP_TOTAL_COUNT_M1(w[REG_VSH_OUTMAP_TOTAL1]) + 1;
	out_map_from_regs(&g->map, w, SH_OUTMAP_MASK_MASK(w[REG_GSH_OUTMAP_MASK]));

	if (!g->out) {
		g->out = memory_alloc(&ctx->base.exec.memory, OUT_VERTICES * sizeof(*g->out));
		g->cap_out = g->out ? OUT_VERTICES : 0;
	}
	if (!g->out) {
		ctx->base.run.result = -ENOMEM;
	}
	if (!g->out || !shader_unit_prepare(ctx, &ctx->gs, SHADER_GS_WORDS)) {
		prog_put(prog);
		return;
	}
	assembler_resolve(ctx); /* uses the scratch of the vertices to be shaded */
	sync_vertices(ctx, &r);
	r.scheduled = g->remaining;
	struct independent in;
	uint32_t at = 0;
	if (independent_find(ctx, s, &r.part, &in)) {
		if (in.first_differs) {
			at = in.part.n_vertices;
			collect(ctx, &r, 0, at, indexed);
		}
		hand_over(ctx);
		at += independent_draw(ctx, s, at, &in);
	}
	collect(ctx, &r, at, s->n, indexed);
	hand_over(ctx);
	prog_put(prog);
}
