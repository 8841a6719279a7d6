/* Counts the fates of fragments, for tools: while it is on, steps and tests run through here. */
#include "core/base/attributes.h"
#include "pica/frag/step.h"
#include "pica/regs/regs.h"

static void add(atomic_uint_fast64_t *sum, uint64_t mask) {
	atomic_fetch_add_explicit(sum, popcount64(mask), memory_order_relaxed);
}

void frag_costs_step(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
		unsigned n_lanes) {
	struct frag_costs *c = s->draw.costs;
	const uint64_t before = b->live;
	frag_steps[st->kind]->run(s, st, b, n_lanes);
	if (!c) {
		return;
	}
	switch ((enum frag_step_kind)st->kind) {
	case STEP_TEXTURE:
	case STEP_TEXTURE_W:
		add(&c->samples, before);
		break;
	case STEP_ALPHA:
		add(&c->alpha, before & ~b->live);
		break;
	case STEP_STORE:
	case STEP_SHADOW:
	case STEP_ADD_GAS:
		add(&c->stored, b->live);
		break;
	default:
		break;
	}
}

/* Lanes of `live` whose stencil test fails. */
static uint64_t stencil_fails(
		const struct frag_test *t, uint64_t live, unsigned first, unsigned n) {
	const unsigned ref = t->ref & t->compare_mask;
	uint64_t fails = 0;
	for (unsigned i = 4 * first; i < 4 * (first + n); i++) {
		if (live >> i & 1) {
			const uint8_t *px = t->base + ((size_t)t->quad_px[i / 4] + i % 4) * 4;
			const unsigned old = px[3] & t->compare_mask;
			const unsigned relation = ref < old ? RELATION_LESS :
					ref == old          ? RELATION_EQUAL :
							      RELATION_GREATER;
			fails |= (uint64_t)!(t->stencil_relation & relation) << i;
		}
	}
	return fails;
}

void frag_costs_test(struct frag_scratch *s, const struct frag_test *t, struct batch *b,
		unsigned first, unsigned n) {
	struct frag_costs *c = s->draw.costs;
	const uint64_t before = b->live;
	const uint64_t fails = c && s->draw.plan->key.stencil ?
			stencil_fails(t, before, first, n) : 0;
	b->live = s->test_fn(t, before, first, n);
	if (c) {
		const uint64_t dropped = before & ~b->live;
		add(&c->stencil, dropped & fails);
		add(&c->depth, dropped & ~fails);
	}
}
