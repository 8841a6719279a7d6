#include "pica/shader/core.h"

#include <string.h>

#include "pica/shader/arith.h"

enum { STEP_TICKS = 16 }; /* an instruction, in about ns */

/*
 * The truth: one invocation, one instruction, one component at a time. [fidelity:
 * shader-isa, f24-model, flow-control]
 */

/* ---- Operands ---- */

static int32_t relative_offset(const struct core *c, const struct prog_op *op) {
	return op->rel == 3 ? c->flow.al : c->a[op->rel - 1];
}

static const float *source_register(const struct core *c, const struct prog_op *op, unsigned s) {
	static const float ones[4] = { 1.0f, 1.0f, 1.0f, 1.0f };
	unsigned reg = op->src[s];
	if (reg < SHADER_R) {
		return c->v[reg];
	}
	if (reg < SHADER_C) {
		return c->r[reg - SHADER_R];
	}
	if (op->rel == 0 || op->rel_src != s) {
		return c->u->c[reg - SHADER_C];
	}
	int k = arith_relative(reg - SHADER_C, relative_offset(c, op));
	return k < 0 ? ones : c->u->c[k];
}

static void read_source(const struct core *c, const struct prog_op *op, unsigned s, float out[4]) {
	const float *reg = source_register(c, op, s);
	uint32_t sign = (uint32_t)(op->negate >> s & 1) << 31;
	for (unsigned k = 0; k < 4; k++) {
		out[k] = f32_from_bits(f32_bits(reg[op->swizzle[s][k]]) ^ sign);
	}
}

/* Reports an instruction to the observer before it runs; op: NULL after the last. */
static void report_step(const struct core *c, const struct prog_op *op) {
	struct shader_step s = { .addr = op ? c->flow.pc : SHADER_STEP_END,
		.a = { c->a[0], c->a[1] },
		.al = c->flow.al,
		.cmp = { c->cmp[0], c->cmp[1] },
		.destination = SHADER_STEP_NOWHERE };
	for (unsigned i = 0; op && i < op->n_src; i++) {
		int reg = op->src[i];
		if (reg >= SHADER_C && op->rel && op->rel_src == i) {
			reg = arith_relative((unsigned)reg - SHADER_C, relative_offset(c, op));
			reg = reg < 0 ? SHADER_STEP_NOWHERE : reg + SHADER_C;
		}
		s.source[i] = (uint8_t)reg;
		read_source(c, op, i, s.value[i]);
		s.n_sources++;
	}
	if (s.n_sources && op->op != OP_CMP && op->op != OP_MOVA) {
		s.destination = op->dst;
		s.mask = op->mask;
	}
	c->step(c->step_user, &s);
}

static void write_destination(struct core *c, const struct prog_op *op, const float d[4]) {
	float *reg = op->dst < SHADER_R ? c->o[op->dst] : c->r[op->dst - SHADER_R];
	for (unsigned k = 0; k < 4; k++) {
		if (op->mask >> k & 1) {
			reg[k] = d[k];
		}
	}
}

static void broadcast(float d[4], float x) {
	d[0] = d[1] = d[2] = d[3] = x;
}

/* ---- Instructions ---- */

static void litp(struct core *c, const float s[4], float d[4]) {
	d[0] = arith_max(s[0], 0.0f);
	d[1] = arith_litp_y(s[1]);
	d[2] = 0.0f;
	d[3] = arith_max(s[3], 0.0f);
	c->cmp[0] = s[0] >= 0.0f;
	c->cmp[1] = s[3] >= 0.0f;
}

static void mova(struct core *c, const struct prog_op *op, const float s[4]) {
	for (unsigned k = 0; k < 2; k++) {
		if (op->mask >> k & 1) {
			c->a[k] = arith_address(s[k]);
		}
	}
}

static void set_emit(struct core *c, const struct prog_op *op) {
	if (c->gs) {
		c->gs->emit_id = op->id;
		c->gs->emit_prim = op->prim;
		c->gs->emit_invert = op->winding;
	}
}

/*
 * The banks alternate: an output not written since holds its value of two EMITs ago. [HW, Azahar]
 */
static void emit(struct core *c) {
	if (c->gs) {
		c->host->emit(c->host->user, c->gs, (const float (*)[4])c->o);
		c->gs->bank ^= 1;
		c->o = c->gs->o[c->gs->bank];
	}
}

/* Everything but flow control and END. Returns false for an unknown opcode. */
static bool execute(struct core *c, const struct prog_op *op, enum pica_float mode) {
	float s[3][4], d[4];
	for (unsigned i = 0; i < op->n_src; i++) {
		read_source(c, op, i, s[i]);
	}
	switch (op->op) {
	case OP_ADD:
		for (int k = 0; k < 4; k++) {
			d[k] = arith_add(s[0][k], s[1][k], mode);
		}
		break;
	case OP_DP3:
		broadcast(d, arith_dot(s[0], s[1], 3, mode));
		break;
	case OP_DP4:
		broadcast(d, arith_dot(s[0], s[1], 4, mode));
		break;
	case OP_DPH:
	case OP_DPHI:
		s[0][3] = 1.0f;
		broadcast(d, arith_dot(s[0], s[1], 4, mode));
		break;
	case OP_DST:
	case OP_DSTI:
		d[0] = 1.0f;
		d[1] = arith_mul(s[0][1], s[1][1], mode);
		d[2] = s[0][2];
		d[3] = s[1][3];
		break;
	case OP_EX2:
		broadcast(d, arith_ex2(s[0][0], mode));
		break;
	case OP_LG2:
		broadcast(d, arith_lg2(s[0][0], mode));
		break;
	case OP_LITP:
		litp(c, s[0], d);
		break;
	case OP_MUL:
		for (int k = 0; k < 4; k++) {
			d[k] = arith_mul(s[0][k], s[1][k], mode);
		}
		break;
	case OP_SGE:
	case OP_SGEI:
		for (int k = 0; k < 4; k++) {
			d[k] = s[0][k] >= s[1][k] ? 1.0f : 0.0f;
		}
		break;
	case OP_SLT:
	case OP_SLTI:
		for (int k = 0; k < 4; k++) {
			d[k] = s[0][k] < s[1][k] ? 1.0f : 0.0f;
		}
		break;
	case OP_FLR:
		for (int k = 0; k < 4; k++) {
			d[k] = arith_flr(s[0][k], mode);
		}
		break;
	case OP_MAX:
		for (int k = 0; k < 4; k++) {
			d[k] = arith_max(s[0][k], s[1][k]);
		}
		break;
	case OP_MIN:
		for (int k = 0; k < 4; k++) {
			d[k] = arith_min(s[0][k], s[1][k]);
		}
		break;
	case OP_RCP:
		broadcast(d, arith_rcp(s[0][0], mode));
		break;
	case OP_RSQ:
		broadcast(d, arith_rsq(s[0][0], mode));
		break;
	case OP_MOV:
		memcpy(d, s[0], sizeof(d));
		break;
	case OP_MAD:
	case OP_MADI:
		for (int k = 0; k < 4; k++) {
			d[k] = arith_mad(s[0][k], s[1][k], s[2][k], mode);
		}
		break;
	case OP_MOVA:
		mova(c, op, s[0]);
		return true;
	case OP_CMP: /* the destination mask is ignored [1, tested on o2DS] */
		c->cmp[0] = arith_compare(op->cmp[0], s[0][0], s[1][0]);
		c->cmp[1] = arith_compare(op->cmp[1], s[0][1], s[1][1]);
		return true;
	case OP_SETEMIT:
		set_emit(c, op);
		return true;
	case OP_EMIT:
		emit(c);
		return true;
	case OP_NOP:
		return true;
	default:
		return false;
	}
	write_destination(c, op, d);
	return true;
}

static bool is_flow(enum shader_op op) {
	switch (op) {
	case OP_BREAK:
	case OP_BREAKC:
	case OP_CALL:
	case OP_CALLC:
	case OP_CALLU:
	case OP_IFU:
	case OP_IFC:
	case OP_LOOP:
	case OP_JMPC:
	case OP_JMPU:
		return true;
	default:
		return false;
	}
}

static uint64_t next_stop(uint64_t steps, uint64_t budget) {
	return budget - steps > SHADER_PAUSE_STEPS ? steps + SHADER_PAUSE_STEPS : budget;
}

/* From *at, the steps so far, to the end; false: the slice was over before. */
static bool go_on(struct core *c, const struct prog *p, enum pica_float mode, uint64_t *at,
		uint64_t budget, struct shader_result *result, struct slice *slice) {
	const bool pauses = c->host && c->host->pause;
	uint64_t steps = *at, stop = pauses || slice ? next_stop(steps, budget) : budget;
	for (;; steps++) {
		if (steps == stop) {
			if (steps == budget ||
					(pauses && !c->host->pause(c->host->user,
								   SHADER_PAUSE_STEPS))) {
				result->cut++;
				break;
			}
			if (slice && slice_over(slice, SHADER_PAUSE_STEPS * STEP_TICKS)) {
				*at = steps;
				return false;
			}
			stop = next_stop(steps, budget);
		}
		const struct prog_op *op = &p->ops[c->flow.pc];
		if (c->step) {
			report_step(c, op);
		}
		bool is_good;
		if (op->op == OP_END) {
			steps++;
			break;
		} else if (is_flow((enum shader_op)op->op)) {
			bool taken = flow_condition(op, c->cmp[0], c->cmp[1]);
			is_good = flow_execute(&c->flow, op, taken, c->u);
		} else {
			is_good = execute(c, op, mode);
			flow_advance(&c->flow);
		}
		result->bad += !is_good;
	}
	result->steps += steps;
	return true;
}

void core_run(struct core *c, const struct prog *p, unsigned entry, unsigned pc_mask, int32_t al,
		enum pica_float mode, uint64_t budget, struct shader_result *result) {
	uint64_t steps = 0;
	flow_start(&c->flow, entry, pc_mask, al);
	go_on(c, p, mode, &steps, budget, result, NULL);
	if (c->step) {
		report_step(c, NULL);
	}
}

/* ---- Vertex programs ---- */

/* The lane that runs, in shader_batch.paused. */
struct lane {
	struct core c;
	float v[16][4], r[16][4], o[16][4];
	uint64_t steps;
	unsigned number;
};

_Static_assert(sizeof(struct lane) <= SHADER_PAUSED_BYTES, "the batch has room for it");

static void begin_lane(struct lane *l, const struct prog *p, unsigned entry,
		const struct shader_uniforms *u, const struct shader_batch *b, unsigned number) {
	*l = (struct lane){ .number = number };
	for (unsigned reg = 0; reg < 16; reg++) {
		for (unsigned k = 0; k < 4; k++) {
			l->v[reg][k] = b->v[reg][k][number];
		}
	}
	l->c = (struct core){ .u = u, .v = (const float (*)[4])l->v, .r = l->r, .o = l->o };
	flow_start(&l->c.flow, entry, vs_pc_mask(p), 0);
}

static bool run_lanes(const struct prog *p, unsigned entry, const struct shader_uniforms *u,
		struct shader_batch *b, unsigned n, enum pica_float mode, uint64_t budget,
		struct shader_result *result, struct slice *slice) {
	struct lane *l = (struct lane *)(void *)b->paused;
	bool is_paused = slice && b->is_paused;
	for (unsigned i = is_paused ? l->number : 0; i < n; i++, is_paused = false) {
		if (!is_paused) {
			begin_lane(l, p, entry, u, b, i);
		}
		b->is_paused = !go_on(&l->c, p, mode, &l->steps, budget, result, slice);
		if (b->is_paused) {
			return false;
		}
		for (unsigned reg = 0; reg < 16; reg++) {
			for (unsigned k = 0; k < 4; k++) {
				b->o[reg][k][i] = l->o[reg][k];
			}
		}
	}
	return true;
}

bool shader_run_c_f24(const struct prog *p, unsigned entry, const struct shader_uniforms *u,
		struct shader_batch *b, unsigned n, uint64_t budget, struct shader_result *r,
		struct slice *slice) {
	return run_lanes(p, entry, u, b, n, PICA_FLOAT_F24, budget, r, slice);
}

bool shader_run_c_f32(const struct prog *p, unsigned entry, const struct shader_uniforms *u,
		struct shader_batch *b, unsigned n, uint64_t budget, struct shader_result *r,
		struct slice *slice) {
	return run_lanes(p, entry, u, b, n, PICA_FLOAT_F32, budget, r, slice);
}

void shader_run_vertex(const struct prog *p, unsigned entry, const struct shader_uniforms *u,
		const float v[16][4], float r[16][4], float o[16][4], enum pica_float mode,
		uint64_t budget, struct shader_result *result, shader_step_fn *step, void *user) {
	memset(r, 0, 16 * sizeof(r[0]));
	memset(o, 0, 16 * sizeof(o[0]));
	struct core c = { .u = u, .v = v, .r = r, .o = o, .step = step, .step_user = user };
	core_run(&c, p, entry, vs_pc_mask(p), 0, mode, budget, result);
}
