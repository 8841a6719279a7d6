#include "pica/shader/run_v.h"

#include <assert.h>

#include "pica/shader/operand_v.h"
#include "pica/shader/slice.h"
#include "pica/shader/straight.h"

/*
 * The batch interpreter. Up to 32 vertices run one instruction at a time; each register component
 * is a row of 32 lanes, worked on VF_LANES at a time.
 *
 * Lanes with the same flow decisions so far are a *group* with one pc, one set of stacks and one
 * count of instructions. All lanes start as one group. If a condition differs within a group, the
 * lanes that do not take the branch become a separate group and run later, from their present
 * state: groups write only their own lanes. Groups never join again.
 *
 * A group of all lanes writes its results in place; others, and instructions that would read a
 * component that they already wrote, write to the side first.
 */

enum { STEP_TICKS = 16 }; /* an instruction of a group, in about ns */

/* ---- Instructions ---- */

/* Lanes of the group for which the comparison holds; rows as for kernels. */
static uint32_t compare(const struct group *g, unsigned cmp, const float *a, size_t step_a,
		const float *b, size_t step_b) {
	uint32_t bits = 0;
	for (unsigned i = 0; i < g->nv; i++) {
		vf p = vf_load(a + i * step_a), q = vf_load(b + i * step_b);
		unsigned lanes = ~0u;
		switch (cmp) {
		case 0:
			lanes = vi_movemask(vf_eq(p, q));
			break;
		case 1:
			lanes = vi_movemask(vf_neq(p, q));
			break;
		case 2:
			lanes = vi_movemask(vf_lt(p, q));
			break;
		case 3:
			lanes = vi_movemask(vf_le(p, q));
			break;
		case 4:
			lanes = vi_movemask(vf_gt(p, q));
			break;
		case 5:
			lanes = vi_movemask(vf_ge(p, q));
			break;
		}
		bits |= (lanes & ((1u << VF_LANES) - 1)) << (g->first + i) * VF_LANES;
	}
	return bits & g->live;
}

static void set_flags(struct machine *m, const struct group *g, uint32_t x, uint32_t y) {
	m->cmp[0] = (m->cmp[0] & ~g->live) | x;
	m->cmp[1] = (m->cmp[1] & ~g->live) | y;
}

static inline vi live_mask(const struct group *g, unsigned i) {
	return vi_mask_from_bits(g->live >> i * VF_LANES & ((1u << VF_LANES) - 1));
}

static void run_cmp(struct machine *m, const struct group *g, const struct prog_op *op) {
	struct args x;
	read_operand(m, g, op, 0, false, &x);
	read_operand(m, g, op, 1, false, &x);
	set_flags(m, g, compare(g, op->cmp[0], x.s[0][0], x.step[0], x.s[1][0], x.step[1]),
			compare(g, op->cmp[1], x.s[0][1], x.step[0], x.s[1][1], x.step[1]));
}

static void run_mova(struct machine *m, const struct group *g, const struct prog_op *op) {
	struct args x;
	read_operand(m, g, op, 0, false, &x);
	for (unsigned c = 0; c < 2; c++) {
		if (!(op->mask >> c & 1)) {
			continue;
		}
		if (!m->a_valid[c]) {
			memset(m->a[c], 0, sizeof(m->a[c]));
			m->a_valid[c] = true;
		}
		for (unsigned i = 0; i < g->nv; i++) {
			vi q = address_offset(vf_load(x.s[0][c] + i * x.step[0]));
			int32_t *row = m->a[c] + (g->first + i) * VF_LANES;
			vi_store(row, vi_select(live_mask(g, g->first + i), q, vi_load(row)));
		}
		const vi first = vi_set1(m->a[c][0]);
		uint32_t same = 0;
		for (unsigned i = 0; i < m->nv; i++) {
			vi is_same = vi_eq(vi_load(m->a[c] + i * VF_LANES), first);
			same |= (uint32_t)vi_movemask(is_same) << i * VF_LANES;
		}
		m->a_is_same[c] = (same & m->all) == m->all;
	}
}

/* From m->result to the register, the group's lanes only. */
static void move_result(struct machine *m, const struct group *g, unsigned mask,
		float row[4][SHADER_LANES]) {
	for (unsigned c = 0; c < 4; c++) {
		if (!(mask >> c & 1)) {
			continue;
		}
		for (unsigned i = g->first; i < g->first + g->nv; i++) {
			float *p = row[c] + i * VF_LANES;
			vf_store(p, vf_select(live_mask(g, i), vf_load(m->result[c] + i * VF_LANES),
							vf_load(p)));
		}
	}
}

static void run_alu(struct machine *m, const struct group *g, const struct prog_op *op) {
	void (*run)(const struct args *) = m->alu->op[op->op].run;
	void (*run_tame)(const struct args *) = m->alu->op[op->op].run_tame;
	struct args x;
	enum class class = CLASS_TAME;
	for (unsigned s = 0; s < op->n_src; s++) {
		enum class c = read_operand(m, g, op, s, run_tame != NULL, &x);
		class = c < class ? c : class;
	}
	if (op->op == OP_LITP) {
		static const PICA_ALIGNED(64) float zero[VF_LANES];
		set_flags(m, g, compare(g, 5, x.s[0][0], x.step[0], zero, 0),
				compare(g, 5, x.s[0][3], x.step[0], zero, 0));
	}
	if (op->n_out == 0) {
		return;
	}

	float(*row)[SHADER_LANES] =
			op->dst < SHADER_R ? m->b->o[op->dst] : m->r[op->dst - SHADER_R];
	float (*to)[SHADER_LANES] = g->is_all && !op->overlaps ? row : m->result;
	if (!g->is_all) {
		zero_rows(row, op->mask & ~(unsigned)m->valid[op->dst]);
	}
	x.nv = g->nv;
	x.n = op->n_out;
	x.out = op->out;
	for (unsigned k = 0; k < op->n_out; k++) {
		x.d[k] = to[op->out[k]] + g->first * VF_LANES;
	}
	(run_tame && class == CLASS_TAME ? run_tame : run)(&x);
	if (to != row) {
		move_result(m, g, op->mask, row);
	}
	m->valid[op->dst] |= op->mask;
	if (op->dst >= SHADER_R) {
		/* Lanes of other groups keep their values, so only facts common to both remain. */
		unsigned clean = m->clean[op->dst];
		if (m->alu->op[op->op].is_clean) {
			clean |= g->is_all ? op->mask : 0u;
		} else {
			clean &= ~(unsigned)op->mask;
		}
		m->clean[op->dst] = (uint8_t)clean;
		m->known[op->dst] &= (uint8_t)~op->mask;
		m->tame[op->dst] &= (uint8_t)~op->mask;
	}
}

void VFN(shader_execute)(struct machine *m, const struct group *g, const struct prog_op *op) {
	if (op->op == OP_MOVA) {
		run_mova(m, g, op);
	} else {
		run_alu(m, g, op);
	}
}

/* ---- Flow ---- */

static void set_lanes(const struct machine *m, struct group *g, uint32_t live) {
	unsigned end = 0;
	while (end < VECTORS && (uint64_t)live >> end * VF_LANES) {
		end++;
	}
	g->live = live;
	g->first = ctz32(live) / VF_LANES;
	g->nv = end - g->first;
	g->is_all = live == m->all;
}

/* A run with a slice reads the clock after this number of a group's steps. */
static uint64_t next_stop(uint64_t steps, uint64_t budget, const struct slice *slice) {
	return slice && budget - steps > SHADER_PAUSE_STEPS ? steps + SHADER_PAUSE_STEPS : budget;
}

/* Ticks of a group's steps since the last look at the clock. */
static uint64_t group_ticks(const struct group *g) {
	return g->steps % SHADER_PAUSE_STEPS * STEP_TICKS;
}

/* Lanes whose flags satisfy a conditional instruction. */
static uint32_t taken_lanes(const struct machine *m, const struct prog_op *op) {
	uint32_t x = op->ref[0] ? m->cmp[0] : ~m->cmp[0];
	uint32_t y = op->ref[1] ? m->cmp[1] : ~m->cmp[1];
	switch ((enum prog_condition)op->condition) {
	case CONDITION_OR:
		return x | y;
	case CONDITION_AND:
		return x & y;
	case CONDITION_X:
		return x;
	case CONDITION_Y:
		return y;
	}
	return 0;
}

/*
 * Runs one group to its end; pushes groups that split off. At most 32 exist, one per lane. Returns
 * false if the slice was over before.
 */
static bool run_group(struct machine *m, const struct prog *p, struct group *g, struct group *stack,
		unsigned *depth, uint64_t budget, struct shader_result *result,
		struct slice *slice) {
	uint64_t stop = next_stop(g->steps, budget, slice);
	for (;; g->steps++) {
		if (g->steps == stop) {
			if (stop == budget) {
				result->cut += popcount64(g->live);
				break;
			}
			if (slice_over(slice, SHADER_PAUSE_STEPS * STEP_TICKS)) {
				return false;
			}
			stop = next_stop(stop, budget, slice);
		}
		const struct prog_op *op = &p->ops[g->flow.pc];
		if (m->alu->op[op->op].run) {
			run_alu(m, g, op);
			flow_advance(&g->flow);
			continue;
		}
		bool is_good = true;
		switch ((enum shader_op)op->op) {
		case OP_END:
			g->steps++;
			result->steps += g->steps * popcount64(g->live);
			return true;
		case OP_CMP:
			run_cmp(m, g, op);
			flow_advance(&g->flow);
			break;
		case OP_MOVA:
			run_mova(m, g, op);
			flow_advance(&g->flow);
			break;
		case OP_NOP:
		case OP_EMIT:
		case OP_SETEMIT:
			flow_advance(&g->flow);
			break;
		case OP_BREAK:
		case OP_CALL:
		case OP_CALLU:
		case OP_IFU:
		case OP_LOOP:
		case OP_JMPU:
			is_good = flow_execute(&g->flow, op, false, m->u);
			break;
		case OP_BREAKC:
		case OP_CALLC:
		case OP_IFC:
		case OP_JMPC: {
			uint32_t taken = taken_lanes(m, op) & g->live;
			if (taken != 0 && taken != g->live) {
				struct group *other = &stack[(*depth)++];
				*other = *g;
				set_lanes(m, other, g->live & ~taken);
				other->steps++;
				flow_execute(&other->flow, op, false, m->u);
				set_lanes(m, g, taken);
			}
			is_good = flow_execute(&g->flow, op, taken != 0, m->u);
			break;
		}
		default:
			is_good = false;
			flow_advance(&g->flow);
			break;
		}
		if (!is_good) {
			result->bad += popcount64(g->live);
		}
	}
	result->steps += g->steps * popcount64(g->live);
	return true;
}

/* A run whose slice was over, in shader_batch.paused. */
struct paused {
	struct machine m;
	struct group stack[SHADER_LANES];
	unsigned depth;
};

_Static_assert(sizeof(struct paused) <= SHADER_PAUSED_BYTES, "the batch has room for it");

static void pause_run(struct shader_batch *b, const struct machine *m, const struct group *stack,
		unsigned depth) {
	struct paused *to = (struct paused *)(void *)b->paused;
	to->m = *m;
	memcpy(to->stack, stack, depth * sizeof(*stack));
	to->depth = depth;
	b->is_paused = true;
}

static unsigned resume_run(struct shader_batch *b, struct machine *m, struct group *stack) {
	const struct paused *from = (const struct paused *)(const void *)b->paused;
	*m = from->m;
	memcpy(stack, from->stack, from->depth * sizeof(*stack));
	b->is_paused = false;
	return from->depth;
}

void VFN(shader_begin)(struct machine *m, unsigned n) {
	m->all = (uint32_t)((UINT64_C(1) << n) - 1);
	m->nv = (n + VF_LANES - 1) / VF_LANES;
	m->cmp[0] = m->cmp[1] = 0;
	m->a_valid[0] = m->a_valid[1] = false;
	m->a_is_same[0] = m->a_is_same[1] = true;
	m->a[0][0] = m->a[1][0] = 0;
	memset(m->valid, 0, sizeof(m->valid));
	memset(m->known, 0, sizeof(m->known));
	memset(m->clean, 0, sizeof(m->clean));
	memset(m->tame, 0, sizeof(m->tame));
}

static unsigned begin_run(struct machine *m, struct group *stack, const struct prog *p,
		unsigned entry, const struct shader_uniforms *u, struct shader_batch *b, unsigned n,
		const struct alu *alu) {
	m->alu = alu;
	m->u = u;
	m->b = b;
	m->uniforms_known = false;
	VFN(shader_begin)(m, n);
	flow_start(&stack[0].flow, entry, vs_pc_mask(p), 0);
	stack[0].steps = 0;
	set_lanes(m, &stack[0], m->all);
	return 1;
}

static bool run(const struct prog *p, unsigned entry, const struct shader_uniforms *u,
		struct shader_batch *b, unsigned n, uint64_t budget, struct shader_result *result,
		struct slice *slice, const struct alu *alu) {
	assert(n <= SHADER_LANES);
	if (n == 0) {
		return true;
	}
	struct machine m;
	struct group stack[SHADER_LANES];
	unsigned depth = slice && b->is_paused ? resume_run(b, &m, stack) :
						 begin_run(&m, stack, p, entry, u, b, n, alu);
	while (depth > 0) {
		struct group g = stack[--depth];
		bool is_done = run_group(&m, p, &g, stack, &depth, budget, result, slice);
		if (!is_done) {
			stack[depth++] = g;
		}
		if (!is_done || (depth && slice && slice_over(slice, group_ticks(&g)))) {
			pause_run(b, &m, stack, depth);
			return false;
		}
	}
	for (unsigned read = 0xFFFF & ~(unsigned)b->o_unread; read; read &= read - 1) {
		unsigned reg = ctz32(read);
		if (m.valid[reg] != 15) {
			zero_rows(b->o[reg], 15 & ~(unsigned)m.valid[reg]);
		}
	}
	return true;
}

static bool run_f24(const struct prog *p, unsigned entry, const struct shader_uniforms *u,
		struct shader_batch *b, unsigned n, uint64_t budget, struct shader_result *r,
		struct slice *slice) {
	return run(p, entry, u, b, n, budget, r, slice, &VFN(shader_alu_f24));
}

static bool run_f32(const struct prog *p, unsigned entry, const struct shader_uniforms *u,
		struct shader_batch *b, unsigned n, uint64_t budget, struct shader_result *r,
		struct slice *slice) {
	return run(p, entry, u, b, n, budget, r, slice, &VFN(shader_alu_f32));
}

void VFN(shader_kernels_init)(struct shader_kernels *k) {
	k->run[PICA_FLOAT_F24] = run_f24;
	k->run[PICA_FLOAT_F32] = run_f32;
	VFN(shader_slice_init)(k);
	VFN(shader_straight_init)(k);
}
