/* Running a plan on batches. */
#include <assert.h>
#include <string.h>

#include "pica/frag/frag.h"
#include "pica/frag/kernels.h"
#include "pica/frag/plan.h"

/* An operation of the plan with this worker's planes. */
struct bound_op {
	frag_op_fn *run;
	uint16_t *dst;
	unsigned n_planes;
	struct plane_in in[FRAG_OP_INPUTS];
};

/*
 * One worker's memory. Planes come first so that the struct's alignment is theirs. Most draws
 * touch a few KiB of them.
 */
struct frag_scratch {
	PICA_ALIGNED(64) uint16_t plane[FRAG_PLANES][BATCH];
	/* Of the draw that is bound. */
	struct frag_draw draw;
	const struct frag_kernels *k;
	const struct tex_kernels *tk;
	const struct raster_kernels *rk;
	frag_depth_fn *early_depth, *late_depth; /* NULL: the test does not look at depth */
	frag_test_fn *test_fn;
	struct frag_test test; /* quad_px and z are the batch's */
	struct bound_op op[FRAG_MAX_STEPS]; /* of steps that are one */
	struct light_planes light;
	uint32_t gas_max; /* since frag_gas_max() */
};

/* What buffers outside every memory window read: 0. [docs/fidelity.md, "Combiner and output"] */
static const uint8_t no_memory[4 * 4];
static const uint32_t no_quads[BATCH_QUADS];

size_t frag_scratch_bytes(void) {
	return sizeof(struct frag_scratch);
}

static void bind_op(struct frag_scratch *s, struct bound_op *op, const struct frag_step *st) {
	op->run = s->k->op[st->op];
	op->dst = s->plane[st->dst];
	op->n_planes = st->n_planes;
	for (unsigned k = 0; k < st->n_in; k++) {
		op->in[k].p = s->plane[st->in[k].plane];
		op->in[k].stride = st->in[k].stride * (size_t)BATCH;
	}
}

static void run_op(const struct bound_op *op, unsigned n_lanes) {
	op->run(op->dst, op->in, op->n_planes, n_lanes);
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

static void bind_tests(struct frag_scratch *s, const struct frag_plan *p) {
	const struct frag_key *key = &p->key;
	const struct frag_consts *c = s->draw.consts;
	const bool depth = frag_key_depth(key);
	const unsigned width = key->depth_format == DEPTH_D16 ? 0 : 1;
	const enum frag_depth_w early = key->w_buffer ? FRAG_DEPTH_IW : FRAG_DEPTH_Z;
	const enum frag_depth_w late = key->w_buffer ? FRAG_DEPTH_W : FRAG_DEPTH_Z;

	s->early_depth = depth ? s->k->depth[early][width] : NULL;
	s->late_depth = depth ? s->k->depth[late][width] : NULL;
	s->test_fn = s->k->test[p->test];
	s->test = (struct frag_test){
		.base = s->draw.target->depth,
		.depth_relation = key->depth_relation,
		.write_depth = key->depth_write,
		.stencil_relation = key->stencil_relation,
		.ref = c->stencil_ref,
		.compare_mask = c->stencil_compare_mask,
		.write_mask = key->stencil_write ? c->stencil_write_mask : 0,
		.op_fail = key->stencil_op[0],
		.op_zfail = key->stencil_op[1],
		.op_zpass = key->stencil_op[2],
	};
}

void frag_bind(struct frag_scratch *s, const struct frag_kernels *k, const struct tex_kernels *tk,
		const struct raster_kernels *rk, const struct frag_draw *d) {
	const struct frag_plan *p = d->plan;
	s->draw = *d;
	s->k = k;
	s->tk = tk;
	s->rk = rk;
	if (p->tests) {
		bind_tests(s, p);
	}
	for (unsigned i = 0; i < p->n_fills; i++) {
		uint16_t *plane = s->plane[p->fill[i]];
		const uint16_t value = fill_value(d->consts, p->fill[i]);
		for (unsigned j = 0; j < BATCH; j++) {
			plane[j] = value;
		}
	}
	for (unsigned i = 0; i < (unsigned)p->n_bind + p->n_steps; i++) {
		if (p->step[i].kind == STEP_OP) {
			bind_op(s, &s->op[i], &p->step[i]);
		}
	}
	for (unsigned i = 0; i < p->n_bind; i++) {
		run_op(&s->op[i], BATCH);
	}
}

/* Depth and stencil of quads first..first+n-1, whose w is as the depth kernel takes it. */
static void run_tests(struct frag_scratch *s, frag_depth_fn *depth_fn, struct batch *b,
		unsigned first, unsigned n) {
	const unsigned lane = 4 * first;
	if (depth_fn) {
		depth_fn(b->z + lane, b->depth + lane, b->f[PLANE_Z] + lane, b->f[PLANE_IW] + lane,
				s->draw.consts->depth_scale, s->draw.consts->depth_offset, 4 * n);
	}
	struct frag_test t = s->test;
	t.z = b->z;
	t.quad_px = b->quad_px;
	if (t.base) {
		b->live = s->test_fn(&t, b->live, first, n);
		return;
	}
	/* No memory: every quad meets the same zeros, and writes go nowhere. */
	uint8_t zeros[sizeof(no_memory)];
	memcpy(zeros, no_memory, sizeof(zeros));
	t.base = zeros;
	t.quad_px = no_quads;
	t.write_depth = 0;
	t.write_mask = 0;
	b->live = s->test_fn(&t, b->live, first, n);
}

void frag_early(struct frag_scratch *s, struct batch *b, unsigned first, unsigned n) {
	assert(first + n <= BATCH_QUADS);
	const struct frag_plan *p = s->draw.plan;
	if (p->tests && p->info.early && n) {
		run_tests(s, s->early_depth, b, first, n);
	}
}

static const uint8_t coord_plane[3] = { PLANE_TC0, PLANE_TC1, PLANE_TC2 };

static void run_texture(struct frag_scratch *s, const struct frag_step *st, const struct batch *b) {
	const unsigned u = st->op;
	const unsigned plane = coord_plane[s->draw.plan->key.coord_set[u]];
	tex_sample(s->tk, &s->draw.tex[u], s->draw.image[u], b->f[plane], b->f[plane + 1],
			4 * b->n_quads, &s->plane[st->dst]);
}

static void run_texture_w(
		struct frag_scratch *s, const struct frag_step *st, const struct batch *b) {
	tex_sample_w(s->tk, &s->draw.tex[0], s->draw.image[0], s->draw.cube, b->f[PLANE_TC0],
			b->f[PLANE_TC0 + 1], b->f[PLANE_TC0_W], 4 * b->n_quads, &s->plane[st->dst]);
}

static void run_proctex(struct frag_scratch *s, const struct frag_step *st, const struct batch *b,
		unsigned n_lanes) {
	const unsigned plane = coord_plane[s->draw.plan->key.proctex_coord];
	proctex_run(&s->k->proctex, s->tk, s->draw.proctex, st->op, b->f[plane], b->f[plane + 1],
			n_lanes, &s->plane[st->dst]);
}

static void run_light(struct frag_scratch *s, const struct frag_step *st, const struct batch *b,
		unsigned n_lanes) {
	struct plane_in in[2];
	for (unsigned k = 0; k < 2; k++) {
		in[k].p = s->plane[st->in[k].plane];
		in[k].stride = st->in[k].stride * (size_t)BATCH;
	}
	light_run(&s->light, &s->k->light, s->draw.light, b, &in[0], &in[1], s->plane[st->dst],
			n_lanes);
}

static void add_gas(struct frag_scratch *s, const uint16_t *red, const struct batch *b) {
	const struct frag_key *key = &s->draw.plan->key;
	const struct target *target = s->draw.target;
	const bool has_depth = key->depth_format != DEPTH_INVALID;
	if (!target->color) {
		return;
	}
	const struct frag_gas_target t = {
		.color = target->color,
		.color_px = b->quad_px,
		.depth = !has_depth ? NULL : target->depth ? target->depth : no_memory,
		.depth_px = target->depth ? b->quad_px : no_quads,
		.depth_bytes = depth_format_bytes(key->depth_format),
		.relation = key->depth_relation,
		.delta = s->draw.consts->gas.delta,
	};
	const uint32_t max = s->k->gas_add(&t, b->z, red, b->live, b->n_quads);
	s->gas_max = max > s->gas_max ? max : s->gas_max;
}

uint32_t frag_gas_max(struct frag_scratch *s) {
	const uint32_t max = s->gas_max;
	s->gas_max = 0;
	return max;
}

void frag_shade(struct frag_scratch *s, struct batch *b) {
	assert(b->n_quads <= BATCH_QUADS);
	const struct frag_plan *p = s->draw.plan;
	const struct target *target = s->draw.target;
	const unsigned n_lanes = (4 * b->n_quads + 15) & ~15u;
	const struct frag_step *st = p->step + p->n_bind;
	const struct frag_step *end = st + p->n_steps;

	for (; st != end && b->live; st++) {
		switch ((enum frag_step_kind)st->kind) {
		case STEP_OP:
			run_op(&s->op[st - p->step], n_lanes);
			break;
		case STEP_PERSPECTIVE:
			s->rk->perspective(s->draw.rs, b);
			break;
		case STEP_TEXTURE:
			run_texture(s, st, b);
			break;
		case STEP_TEXTURE_W:
			run_texture_w(s, st, b);
			break;
		case STEP_PROCTEX:
			run_proctex(s, st, b, n_lanes);
			break;
		case STEP_LIGHT:
			run_light(s, st, b, n_lanes);
			break;
		case STEP_COLOR:
			s->k->color(s->plane[st->dst], b->f[PLANE_COLOR + st->op], st->n_planes,
					n_lanes);
			break;
		case STEP_ALPHA:
			b->live &= s->k->alpha(s->plane[st->in[0].plane], p->key.alpha_relation,
					s->draw.consts->alpha_ref, n_lanes);
			break;
		case STEP_TEST:
			run_tests(s, s->late_depth, b, 0, b->n_quads);
			break;
		case STEP_DEPTH:
			s->k->depth[st->op][st->dst](b->z, b->depth, b->f[PLANE_Z], b->f[PLANE_IW],
					s->draw.consts->depth_scale, s->draw.consts->depth_offset,
					n_lanes);
			break;
		case STEP_FOG: {
			const struct plane_in in = { s->plane[st->in[0].plane],
				st->in[0].stride * (size_t)BATCH };
			s->k->fog(s->plane[st->dst], &in, b->depth, &s->draw.consts->fog, n_lanes);
			break;
		}
		case STEP_GAS: {
			const struct plane_in in[2] = { { s->plane[st->in[0].plane], 0 },
				{ s->plane[st->in[1].plane], st->in[1].stride * (size_t)BATCH } };
			const struct frag_consts *c = s->draw.consts;
			s->k->gas_shade(s->plane[st->dst], in, &c->gas, &c->fog, n_lanes);
			break;
		}
		case STEP_ADD_GAS:
			add_gas(s, s->plane[st->in[0].plane], b);
			break;
		case STEP_LOAD:
			s->k->load[p->key.color_format](s->plane[st->dst],
					target->color ? target->color : no_memory,
					target->color ? b->quad_px : no_quads, b->n_quads);
			break;
		case STEP_SHADOW:
			if (target->color) { /* without memory: farther than the 0 that is there */
				s->k->shadow(target->color, b->quad_px, b->z,
						s->plane[st->in[0].plane], &s->draw.consts->shadow,
						b->live, b->n_quads);
			}
			break;
		case STEP_STORE:
			if (target->color) {
				const uint16_t *const src[4] = { s->plane[st->in[0].plane],
					s->plane[st->in[1].plane], s->plane[st->in[2].plane],
					s->plane[st->in[3].plane] };
				s->k->store[p->key.color_format](target->color, b->quad_px, src,
						b->live, b->n_quads);
			}
			break;
		}
	}
}
