#include "pica/shader/slice.h"

#include "pica/shader/core.h"

enum { TRACE_OPS = 512 };

/*
 * Runs only the flow control. Returns the number of instructions including END, or 0 if the flow
 * depends on a lane's values or is too long.
 */
static unsigned trace(const struct prog *p, unsigned pc_mask, unsigned entry,
		const struct shader_uniforms *u, struct slice_op ops[TRACE_OPS], unsigned *n_ops) {
	struct flow f;
	flow_start(&f, entry, pc_mask, 0);
	*n_ops = 0;
	for (unsigned steps = 1; steps <= TRACE_OPS; steps++) {
		const struct prog_op *op = &p->ops[f.pc];
		switch ((enum shader_op)op->op) {
		case OP_END:
			return steps;
		case OP_UNKNOWN:
		case OP_BREAKC:
		case OP_CALLC:
		case OP_IFC:
		case OP_JMPC:
			return 0;
		case OP_BREAK:
		case OP_CALL:
		case OP_CALLU:
		case OP_IFU:
		case OP_LOOP:
		case OP_JMPU:
			if (!flow_execute(&f, op, false, u)) {
				return 0;
			}
			continue;
		case OP_NOP:
		case OP_EMIT:
		case OP_SETEMIT:
		case OP_CMP:
			break;
		default:
			ops[(*n_ops)++] = (struct slice_op){ op, f.al };
			break;
		}
		flow_advance(&f);
	}
	return 0;
}

/* Components that the instructions after the current one read. */
struct live {
	uint8_t reg[32]; /* o before r */
	uint8_t a;
};

/* Steps back over an instruction. Returns whether a later one reads its result. */
static bool is_needed(struct live *live, const struct prog_op *op, unsigned *inputs) {
	uint8_t *written = op->op == OP_MOVA ? &live->a : &live->reg[op->dst];
	if (!(*written & op->mask)) {
		return false;
	}
	*written &= (uint8_t)~op->mask;
	for (unsigned s = 0; s < op->n_src; s++) {
		const unsigned reg = op->src[s];
		if (reg >= SHADER_C) {
			/* a0.x and a0.y are bits as in a mask; aL is known. */
			live->a |= op->rel_src == s && op->rel < 3 ? op->rel : 0;
		} else if (reg >= SHADER_R) {
			live->reg[reg] |= op->reads[s];
		} else {
			*inputs |= op->reads[s] ? 1u << reg : 0;
		}
	}
	return true;
}

unsigned slice_find(const struct prog *p, unsigned entry, const struct shader_uniforms *u,
		const uint8_t needs[16], struct slice_op ops[SLICE_OPS], unsigned *n_ops,
		unsigned *inputs) {
	struct slice_op all[TRACE_OPS];
	unsigned n;
	const unsigned steps = trace(p, vs_pc_mask(p), entry, u, all, &n);
	struct live live = { .a = 0 };
	for (unsigned i = 0; i < 16; i++) {
		live.reg[i] = needs[i];
	}
	*inputs = 0;
	unsigned first = n;
	for (unsigned i = steps ? n : 0; i-- > 0;) {
		if (is_needed(&live, all[i].op, inputs)) {
			all[--first] = all[i];
		}
	}
	*n_ops = n - first;
	if (*n_ops > SLICE_OPS) {
		return 0;
	}
	for (unsigned i = 0; i < *n_ops; i++) {
		ops[i] = all[first + i];
	}
	return steps;
}

unsigned shader_steps(const struct prog *p, bool is_gs, unsigned entry,
		const struct shader_uniforms *u) {
	struct slice_op ops[TRACE_OPS];
	unsigned n;
	return trace(p, is_gs ? p->n_words - 1 : vs_pc_mask(p), entry, u, ops, &n);
}
