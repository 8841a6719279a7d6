/* The step that writes a shadow map. The arithmetic is that of shadow_c.c. */
#include "core/base/f24.h"
#include "pica/frag/step.h"
#include "pica/regs/regs.h"

static void shadow_consts(struct frag_consts *c, const uint32_t *regs) {
	c->shadow.constant = f16_to_f32(FRAGOP_SHADOW_CONSTANT(regs[REG_FRAGOP_SHADOW]));
	c->shadow.linear = f16_to_f32(FRAGOP_SHADOW_LINEAR(regs[REG_FRAGOP_SHADOW]));
}

static void shadow_run(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
		unsigned n_lanes) {
	if (s->target->color) { /* outside memory: every fragment is farther than the 0 that is
	 * read */
		s->k->shadow(s->target->color, b->quad_px, b->z, s->plane[st->in[0].plane],
				&s->draw.consts->shadow, b->live, b->n_quads);
	}
}

static void shadow_print(
		struct frag_text *t, const struct frag_plan *p, const struct frag_step *st) {
	frag_print(t, "shadow-map <- depth, ");
	frag_print_planes(t, st->in[0], 1);
}

const struct frag_step_impl frag_step_shadow = {
	.consts = shadow_consts,
	.run = shadow_run,
	.print = shadow_print,
};
