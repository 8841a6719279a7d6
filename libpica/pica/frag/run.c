/* Running a plan on batches. */
#include <assert.h>
#include <string.h>

#include "pica/frag/step.h"

_Static_assert(sizeof(struct frag_scratch) <= FRAG_SCRATCH_BYTES, "as the header says");

static void bind_step(struct frag_scratch *s, struct bound_step *op, const struct frag_step *st) {
	op->step = st;
	op->run = s->draw.costs ? frag_costs_step : frag_steps[st->kind]->run;
	if (st->kind == STEP_STORE) {
		frag_bind_store(s, st);
	} else if (st->kind == STEP_TEXTURE) {
		const unsigned u = st->op;
		s->direct[u] = tex_find_direct(s->tk, &s->draw.tex[u], s->draw.image[u]);
	}
	if (st->kind != STEP_OP) {
		return;
	}
	op->op = s->k->op[st->op];
	op->dst = s->plane[st->dst];
	op->n_planes = st->n_planes;
	for (unsigned k = 0; k < st->n_in; k++) {
		op->in[k].p = s->plane[st->in[k].plane];
		op->in[k].stride = st->in[k].stride * (size_t)BATCH;
	}
}

static void run_op(const struct bound_step *op, unsigned n_lanes) {
	op->op(op->dst, op->in, op->n_planes, n_lanes);
}

/* Value of a constant plane. */
static uint16_t fill_value(const struct frag_consts *c, unsigned plane) {
	const unsigned slot = plane / 4, ch = plane % 4;
	if (slot >= SLOT_CONST && slot < SLOT_BUFFER) {
		return c->tev_color[slot - SLOT_CONST][ch];
	}
	if (slot == SLOT_BUFFER) {
		return c->buffer_color[ch];
	}
	if (slot == SLOT_BLEND) {
		return c->blend_color[ch];
	}
	return plane == FRAG_PLANE_FULL ? 255 : 0;
}

void frag_bind(struct frag_scratch *s, const struct frag_kernels *k, const struct tex_kernels *tk,
		const struct raster_kernels *rk, const struct frag_draw *d,
		const struct raster_state *rs, const struct target *target) {
	const struct frag_plan *p = d->plan;
	s->draw = *d;
	s->rs = rs;
	s->target = target;
	s->k = k;
	s->tk = tk;
	s->rk = rk;
	s->block = NULL;
	s->is_early = p->tests && p->info.early;
	s->test_block = NULL;
	if (p->tests) {
		frag_bind_tests(s);
	}
	for (unsigned i = 0; i < p->n_fills; i++) {
		uint16_t *plane = s->plane[p->fill[i]];
		const uint16_t value = fill_value(d->consts, p->fill[i]);
		for (unsigned j = 0; j < BATCH; j++) {
			plane[j] = value;
		}
	}
	uint32_t planes = 0;
	for (unsigned i = 0; i < rs->n_planes; i++) {
		planes |= 1u << rs->plane[i];
	}
	s->attributes = planes & PLANES_ATTRIBUTES & ~(uint32_t)PLANES_COLOR;
	s->late_planes = 0;
	for (unsigned i = 0; i < (unsigned)p->n_bind + p->n_steps; i++) {
		const unsigned kind = p->step[i].kind;
		bind_step(s, &s->step[i], &p->step[i]);
		if (kind == STEP_TEST || kind == STEP_DEPTH) {
			s->late_planes = planes & 1u << PLANE_Z;
		}
	}
	for (unsigned i = 0; i < p->n_bind; i++) {
		run_op(&s->step[i], BATCH);
	}
	s->first = s->step + p->n_bind;
	s->end = s->first + p->n_steps;
}

void frag_early(struct frag_scratch *s, struct batch *b, unsigned first, unsigned n) {
	assert(first + n <= BATCH_QUADS);
	if (s->is_early && n) {
		frag_run_tests(s, s->early_depth, b, first, n);
	}
}

/* ---- Steps ---- */

static void perspective_run(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
		unsigned n_lanes) {
	if (s->block) {
		s->rk->attributes(s->block, s->attributes, b);
	} else {
		s->rk->perspective(s->rs, b);
	}
}

static void perspective_print(
		struct frag_text *t, const struct frag_plan *p, const struct frag_step *st) {
	frag_print(t, "perspective");
}

const struct frag_step_impl frag_step_perspective = {
	.run = perspective_run,
	.print = perspective_print,
};

static void color_run(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
		unsigned n_lanes) {
	const float *w = s->rs->flat & PLANES_COLOR ? NULL : b->f[PLANE_IW];
	const unsigned plane = PLANE_COLOR + st->op;
	if (s->block) {
		s->k->color_block(s->plane[st->dst], s->block->tri->steps[plane],
				&s->block->base[plane], w, st->n_planes);
	} else {
		s->k->color(s->plane[st->dst], b->f[plane], w, st->n_planes, n_lanes);
	}
}

static void color_print(
		struct frag_text *t, const struct frag_plan *p, const struct frag_step *st) {
	frag_print(t, "colour ");
	frag_print_dst(t, st);
}

const struct frag_step_impl frag_step_color = { .run = color_run, .print = color_print };

static void op_run(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
		unsigned n_lanes) {
	run_op(&s->step[st - s->draw.plan->step], n_lanes);
}

static void op_print(struct frag_text *t, const struct frag_plan *p, const struct frag_step *st) {
	frag_print(t, "%s ", frag_op_name((enum frag_op)st->op));
	frag_print_dst(t, st);
	for (unsigned k = 0; k < frag_op_inputs((enum frag_op)st->op); k++) {
		frag_print(t, k ? ", " : " <- ");
		frag_print_planes(t, st->in[k], st->op == FRAG_OP_DOT3 ? 3 : st->n_planes);
	}
}

const struct frag_step_impl frag_step_op = { .run = op_run, .print = op_print };

#define STEP(id, impl) [STEP_##id] = &frag_step_##impl,
const struct frag_step_impl *const frag_steps[STEP_COUNT] = {
#include "pica/frag/steps.def"
};
#undef STEP

uint32_t frag_gas_max(struct frag_scratch *s) {
	const uint32_t max = s->gas_max;
	s->gas_max = 0;
	return max;
}

static void run_steps(struct frag_scratch *s, struct batch *b, unsigned n_lanes) {
	for (const struct bound_step *op = s->first; op < s->end && b->live; op++) {
		op->run(s, op->step, b, n_lanes);
	}
}

void frag_shade(struct frag_scratch *s, struct batch *b) {
	assert(b->n_quads <= BATCH_QUADS);
	run_steps(s, b, (4 * b->n_quads + 15) & ~15u);
}

static void test_block(struct frag_scratch *s, struct batch *b, const struct raster_block *at) {
	if (s->test_block) {
		b->live = s->test_block(&s->test, s->test.base + 4 * (size_t)b->quad_px[0],
				at->tri->steps[PLANE_Z], at->base[PLANE_Z], b->live);
		return;
	}
	if (s->early_depth) {
		s->rk->interp_block(at, 1u << PLANE_IW | 1u << PLANE_Z, b);
	}
	frag_run_tests(s, s->early_depth, b, 0, BATCH_QUADS);
}

uint64_t frag_shade_block(
		struct frag_scratch *s, struct batch *b, const struct raster_block *at) {
	if (s->is_early) {
		test_block(s, b, at);
	}
	const uint64_t tested = b->live;
	if (s->late_planes) {
		s->rk->interp_block(at, s->late_planes, b);
	}
	s->block = at;
	run_steps(s, b, BATCH);
	s->block = NULL;
	return tested;
}

/* ---- Command thread ---- */

void frag_step_consts(struct frag_consts *c, const uint32_t *regs) {
	for (unsigned i = 0; i < STEP_COUNT; i++) {
		if (frag_steps[i]->consts) {
			frag_steps[i]->consts(c, regs);
		}
	}
}

bool frag_bind_tables(
		struct frag_draw *d, struct frag_consts *c, const struct frag_source *from) {
	const struct frag_plan *p = d->plan;
	for (unsigned i = p->n_bind; i < (unsigned)p->n_bind + p->n_steps; i++) {
		const struct frag_step_impl *impl = frag_steps[p->step[i].kind];
		if (impl->bind && !impl->bind(d, c, from)) {
			return false;
		}
	}
	return true;
}
