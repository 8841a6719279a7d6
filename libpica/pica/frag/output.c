/* The steps between the combiner and memory: alpha, depth and stencil tests, load and store. */
#include <string.h>

#include "pica/frag/step.h"

const uint8_t frag_no_memory[4 * 4];
const uint32_t frag_no_quads[BATCH_QUADS];

void frag_bind_tests(struct frag_scratch *s) {
	const struct frag_plan *p = s->draw.plan;
	const struct frag_key *key = &p->key;
	const struct frag_consts *c = s->draw.consts;
	const bool depth = frag_key_depth(key);
	const unsigned width = key->depth_format == DEPTH_D16 ? 0 : 1;
	const enum frag_depth_w early = key->w_buffer ? FRAG_DEPTH_IW : FRAG_DEPTH_Z;
	const enum frag_depth_w late = key->w_buffer ? FRAG_DEPTH_W : FRAG_DEPTH_Z;

	s->early_depth = depth ? s->k->depth[early][width] : NULL;
	s->late_depth = depth ? s->k->depth[late][width] : NULL;
	s->test_fn = s->k->test[p->test];
	/* Fog reads depths that the block kernel does not keep. */
	s->is_plain = s->target->depth && !s->draw.costs;
	s->test_block = depth && p->test == FRAG_TEST_D24S8 && !key->w_buffer && !p->info.fog &&
					s->is_plain ? s->k->test_block : NULL;
	s->test = (struct frag_test){
		.base = s->target->depth,
		.depth_relation = key->depth_relation,
		.scale = c->depth_scale,
		.offset = c->depth_offset,
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

/* Runs depth and stencil tests of quads first..first+n-1, with w as for the depth kernel. */
void frag_run_tests(struct frag_scratch *s, frag_depth_fn *depth_fn, struct batch *b,
		unsigned first, unsigned n) {
	const unsigned lane = 4 * first;
	if (depth_fn) {
		depth_fn(b->z + lane, b->depth + lane, b->f[PLANE_Z] + lane, b->f[PLANE_IW] + lane,
				s->draw.consts->depth_scale, s->draw.consts->depth_offset, 4 * n);
	}
	s->test.z = b->z;
	s->test.quad_px = b->quad_px;
	if (s->is_plain) {
		b->live = s->test_fn(&s->test, b->live, first, n);
		return;
	}
	if (s->test.base) {
		frag_costs_test(s, &s->test, b, first, n);
		return;
	}
	/* Outside memory every quad reads zeros, and writes are dropped. */
	struct frag_test t = s->test;
	uint8_t zeros[sizeof(frag_no_memory)];
	memcpy(zeros, frag_no_memory, sizeof(zeros));
	t.base = zeros;
	t.quad_px = frag_no_quads;
	t.write_depth = 0;
	t.write_mask = 0;
	frag_costs_test(s, &t, b, first, n);
}

static void alpha_run(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
		unsigned n_lanes) {
	b->live &= s->k->alpha(s->plane[st->in[0].plane], s->draw.plan->key.alpha_relation,
			s->draw.consts->alpha_ref, n_lanes);
}

static void alpha_print(
		struct frag_text *t, const struct frag_plan *p, const struct frag_step *st) {
	frag_print(t, "alpha-test ");
	frag_print_planes(t, st->in[0], 1);
}

const struct frag_step_impl frag_step_alpha = { .run = alpha_run, .print = alpha_print };

static void test_run(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
		unsigned n_lanes) {
	frag_run_tests(s, s->late_depth, b, 0, b->n_quads);
}

static void test_print(struct frag_text *t, const struct frag_plan *p, const struct frag_step *st) {
	frag_print(t, "depth-test");
}

const struct frag_step_impl frag_step_test = { .run = test_run, .print = test_print };

static void depth_run(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
		unsigned n_lanes) {
	s->k->depth[st->op][st->dst](b->z, b->depth, b->f[PLANE_Z], b->f[PLANE_IW],
			s->draw.consts->depth_scale, s->draw.consts->depth_offset, n_lanes);
}

static void depth_print(
		struct frag_text *t, const struct frag_plan *p, const struct frag_step *st) {
	frag_print(t, "depth");
}

const struct frag_step_impl frag_step_depth = { .run = depth_run, .print = depth_print };

static void load_run(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
		unsigned n_lanes) {
	const uint8_t *color = s->target->color;
	if (s->block && color && s->draw.plan->key.color_format == COLOR_RGBA8) {
		s->k->load_block(s->plane[st->dst], color + 4 * (size_t)b->quad_px[0]);
		return;
	}
	s->k->load[s->draw.plan->key.color_format](s->plane[st->dst],
			color ? color : frag_no_memory, color ? b->quad_px : frag_no_quads,
			b->n_quads);
}

static void load_print(struct frag_text *t, const struct frag_plan *p, const struct frag_step *st) {
	frag_print(t, "load %s", color_format_name(p->key.color_format));
}

const struct frag_step_impl frag_step_load = { .run = load_run, .print = load_print };

void frag_bind_store(struct frag_scratch *s, const struct frag_step *st) {
	for (unsigned c = 0; c < 4; c++) {
		s->stored[c] = s->plane[st->in[c].plane];
	}
	s->store_block = s->target->color && s->draw.plan->key.color_format == COLOR_RGBA8 ?
			s->k->store_block : NULL;
}

static void store_run(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
		unsigned n_lanes) {
	uint8_t *const color = s->target->color;
	if (s->block && s->store_block) {
		s->store_block(color + 4 * (size_t)b->quad_px[0], s->stored, b->live);
	} else if (color) {
		s->k->store[s->draw.plan->key.color_format](
				color, b->quad_px, s->stored, b->live, b->n_quads);
	}
}

static void store_print(
		struct frag_text *t, const struct frag_plan *p, const struct frag_step *st) {
	frag_print(t, "store %s <-", color_format_name(p->key.color_format));
	for (unsigned c = 0; c < 4; c++) {
		frag_print(t, c ? ", " : " ");
		frag_print_planes(t, st->in[c], 1);
	}
}

const struct frag_step_impl frag_step_store = { .run = store_run, .print = store_print };
