/* A straight geometry program: invocations are lanes. */
#include "pica/shader/straight.h"

#include <string.h>

#include "pica/shader/run_v.h"

static void run_straight(const struct shader_straight *s, const struct shader_uniforms *u,
		struct shader_batch *b, unsigned n, enum pica_float mode, const uint8_t *reg,
		unsigned n_regs, float (*out)[4][SHADER_LANES]) {
	struct machine m;
	m.alu = mode == PICA_FLOAT_F24 ? &VFN(shader_alu_f24) : &VFN(shader_alu_f32);
	m.u = u;
	m.b = b;
	m.uniforms_known = false;
	VFN(shader_begin)(&m, n);
	struct group g = { .live = m.all, .nv = m.nv, .is_all = true };
	const struct straight_op *at = straight_ops(s), *const end = at + s->n_ops;
	for (; at < end; at++) {
		if (at->op.op != OP_EMIT) {
			g.flow.al = at->al;
			VFN(shader_execute)(&m, &g, &at->op);
			continue;
		}
		for (unsigned k = 0; k < n_regs; k++) {
			memcpy(*out++, b->o[reg[k]], sizeof(*out));
		}
	}
}

void VFN(shader_straight_init)(struct shader_kernels *k) {
	k->run_straight = run_straight;
}
