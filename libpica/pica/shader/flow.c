#include "pica/shader/flow.h"

#include <string.h>

#include "pica/shader/shader.h"

/* Place of a new top; a full stack loses its oldest entry. [HW, 3dbrew] */
static unsigned push(void *stack, size_t entry_bytes, unsigned depth, uint8_t *n) {
	if (*n == depth) {
		memmove(stack, (char *)stack + entry_bytes, entry_bytes * (depth - 1));
		return depth - 1;
	}
	return (*n)++;
}

static void push_call(struct flow *f, unsigned end, unsigned ret) {
	unsigned i = push(f->call, sizeof(f->call[0]), FLOW_CALLS, &f->n_call);
	f->call[i] = (struct flow_call){ .end = (uint16_t)end, .ret = (uint16_t)ret };
}

static void push_if(struct flow *f, unsigned at, unsigned to) {
	unsigned i = push(f->cond, sizeof(f->cond[0]), FLOW_IFS, &f->n_if);
	f->cond[i] = (struct flow_if){ .at = (uint16_t)at, .to = (uint16_t)to };
}

/* iN: x iterations minus one, y start of aL, z its step. */
static void push_loop(struct flow *f, unsigned start, unsigned end, const uint8_t counter[4]) {
	unsigned i = push(f->loop, sizeof(f->loop[0]), FLOW_LOOPS, &f->n_loop);
	f->loop[i] = (struct flow_loop){ .start = (uint16_t)start, .end = (uint16_t)end,
		.left = counter[0], .inc = counter[2], .saved = f->al };
	f->al = counter[1];
}

/* Order and oddities are the hardware's: procedures, then one IF, then one LOOP. [HW, 3dbrew] */
void flow_advance_stacked(struct flow *f, unsigned next, bool brk) {
	const unsigned behind = f->pc + 1u;
	unsigned pc = next;
	unsigned k = behind;
	for (int n = 1; n <= 4; n++) {
		if (f->n_call == 0 || f->call[f->n_call - 1].end != k) {
			break;
		}
		if (n < 4) { /* the fourth return in a row is lost: a hardware bug */
			pc = k = f->call[f->n_call - 1].ret;
		}
		f->n_call--;
	}
	if (f->n_if > 0 && f->cond[f->n_if - 1].at == behind) {
		pc = f->cond[f->n_if - 1].to;
		f->n_if--;
	}
	if (f->n_loop > 0 && (brk || f->loop[f->n_loop - 1].end == behind)) {
		struct flow_loop *top = &f->loop[f->n_loop - 1];
		f->al += top->inc;
		if (!brk && top->left > 0) {
			top->left--;
			pc = top->start;
		} else {
			pc = top->end;
			if (f->n_loop > 1) {
				f->al = top->saved;
			}
			f->n_loop--;
		}
	}
	f->pc = (uint16_t)(pc & f->pc_mask);
}

bool flow_execute(struct flow *f, const struct prog_op *op, bool taken,
		const struct shader_uniforms *u) {
	const unsigned behind = f->pc + 1u;
	const bool b = u->b >> op->id & 1;
	unsigned next = behind;
	bool brk = false, is_good = true;
	switch (op->op) {
	case OP_CALL:
	case OP_CALLC:
	case OP_CALLU:
		if (op->op == OP_CALL || (op->op == OP_CALLC && taken) ||
				(op->op == OP_CALLU && b)) {
			push_call(f, op->target + op->num, behind);
			next = op->target;
		}
		break;
	case OP_IFC:
	case OP_IFU:
		if (op->op == OP_IFC ? taken : b) {
			push_if(f, op->target, op->target + op->num);
		} else {
			next = op->target;
		}
		break;
	case OP_LOOP:
		push_loop(f, behind, op->target + 1u, u->i[op->id & 3]);
		break;
	case OP_BREAK:
	case OP_BREAKC:
		brk = op->op == OP_BREAK || taken;
		if (brk && f->n_loop == 0) {
			brk = is_good = false;
		}
		break;
	case OP_JMPC:
	case OP_JMPU:
		if (op->op == OP_JMPC ? taken : b == !(op->num & 1)) {
			next = op->target;
		}
		break;
	default:
		break;
	}
	flow_advance_stacked(f, next, brk);
	return is_good;
}
