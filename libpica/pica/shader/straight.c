/*
 * The proof that invocations of a geometry program are independent. The flow may depend on bools
 * and integers alone: then one walk along the instructions shows whether each value that is read
 * was written before in the same invocation.
 */
#include "pica/shader/straight.h"

#include <stddef.h>
#include <string.h>

#include "pica/shader/arith.h"
#include "pica/shader/flow.h"

/* What the invocation has written so far. */
struct walk {
	struct shader_straight *s;
	const struct shader_straight_rules *rules;
	struct flow flow;
	uint8_t written[32]; /* components, o (of the current bank, since the last EMIT) before r */
	uint8_t a;           /* bit 0: a0.x */
	bool al, is_set;     /* by LOOP; by SETEMIT */
	uint8_t id;
	bool prim, winding;
	uint8_t slot[3];     /* 1 + the EMIT that stored the vertex */
};

/* A uniform that is an input becomes its v register. */
static void read_uniform(const struct walk *w, struct prog_op *op, unsigned src, int k) {
	const unsigned input = (unsigned)(k - w->rules->first_uniform);
	if (k >= 0 && input < w->rules->n_uniforms) {
		op->src[src] = (uint8_t)input;
		op->rel = op->rel_src == src ? 0 : op->rel;
	}
}

static bool can_read(const struct walk *w, struct prog_op *op, unsigned src) {
	const unsigned reg = op->src[src];
	if (!op->reads[src]) {
		return true;
	}
	if (reg < SHADER_R) {
		return w->rules->inputs >> reg & 1;
	}
	if (reg < SHADER_C) {
		return !(op->reads[src] & ~(unsigned)w->written[reg]);
	}
	const unsigned rel = op->rel_src == src ? op->rel : 0;
	if (rel == 1 || rel == 2) {
		return w->a >> (rel - 1) & 1 && !w->rules->n_uniforms;
	}
	if (rel == 3 && !w->al) {
		return false;
	}
	read_uniform(w, op, src, arith_relative(reg - SHADER_C, rel ? w->flow.al : 0));
	return true;
}

/* An instruction other than flow control. */
static bool walk_op(struct walk *w, const struct prog_op *from) {
	struct straight_op *to = &straight_ops(w->s)[w->s->n_ops];
	*to = (struct straight_op){ *from, w->flow.al };
	for (unsigned src = 0; src < from->n_src; src++) {
		if (!can_read(w, &to->op, src)) {
			return false;
		}
	}
	if (from->op == OP_CMP) {
		return true; /* no instruction reads the flags */
	}
	w->s->n_ops++;
	if (from->op == OP_MOVA) {
		w->a |= from->mask;
	} else {
		w->written[from->dst] |= from->mask;
	}
	return true;
}

static bool store_vertex(struct walk *w, const struct prog_op *op) {
	struct shader_straight *s = w->s;
	for (unsigned i = 0; i < 16; i++) {
		if (w->rules->reads[i] & ~(unsigned)w->written[i]) {
			return false;
		}
	}
	if (s->n_emits == SHADER_STRAIGHT_EMITS) {
		return false;
	}
	straight_ops(s)[s->n_ops++] = (struct straight_op){ .op = *op };
	w->slot[w->id] = (uint8_t)++s->n_emits;
	return true;
}

static bool walk_emit(struct walk *w, const struct prog_op *op) {
	struct shader_straight *s = w->s;
	if (!w->is_set || (w->id < 3 && !store_vertex(w, op))) {
		return false;
	}
	s->n_toggles++;
	memset(w->written, 0, 16); /* the other bank */
	if (!w->prim) {
		return true;
	}
	if (s->n_triangles == SHADER_STRAIGHT_TRIANGLES || !w->slot[0] || !w->slot[1] ||
			!w->slot[2]) {
		return false;
	}
	const bool turned = w->winding && w->rules->turns;
	uint8_t *corner = s->corner[s->n_triangles++];
	corner[0] = (uint8_t)(w->slot[turned] - 1);
	corner[1] = (uint8_t)(w->slot[!turned] - 1);
	corner[2] = (uint8_t)(w->slot[2] - 1);
	return true;
}

bool shader_straight_find(struct shader_straight *s, const struct prog *p, unsigned entry,
		const struct shader_uniforms *u, const struct shader_straight_rules *rules) {
	struct walk w = { .s = s, .rules = rules };
	flow_start(&w.flow, entry, p->n_words - 1, 0);
	s->n_toggles = s->n_emits = s->n_triangles = s->n_ops = 0;
	for (s->steps = 1; s->steps <= SHADER_STRAIGHT_STEPS; s->steps++) {
		const struct prog_op *op = &p->ops[w.flow.pc];
		bool is_good = true;
		switch ((enum shader_op)op->op) {
		case OP_END:
			return s->n_triangles != 0;
		case OP_UNKNOWN:
		case OP_BREAKC:
		case OP_CALLC:
		case OP_IFC:
		case OP_JMPC:
			return false;
		case OP_BREAK:
		case OP_CALL:
		case OP_CALLU:
		case OP_IFU:
		case OP_JMPU:
		case OP_LOOP:
			w.al |= op->op == OP_LOOP;
			if (!flow_execute(&w.flow, op, false, u)) {
				return false;
			}
			continue;
		case OP_SETEMIT:
			w.is_set = true;
			w.id = op->id;
			w.prim = op->prim;
			w.winding = op->winding;
			break;
		case OP_EMIT:
			is_good = walk_emit(&w, op);
			break;
		case OP_NOP:
			break;
		default:
			is_good = walk_op(&w, op);
			break;
		}
		if (!is_good) {
			return false;
		}
		flow_advance(&w.flow);
	}
	return false;
}

size_t shader_straight_bytes(const struct shader_straight *s) {
	return offsetof(struct shader_straight, ops) + s->n_ops * sizeof(struct straight_op);
}
