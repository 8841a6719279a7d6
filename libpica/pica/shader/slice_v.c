/*
 * Running a slice: run_v.c for all lanes of a batch, without flow, and with all that is the same in
 * each batch of a draw prepared.
 */
#include "pica/shader/slice.h"

#include "pica/shader/operand_v.h"

/* How a batch gets a source. */
enum source {
	SOURCE_ANY,      /* by read_operand() */
	SOURCE_PREPARED, /* it is the same in all batches */
	SOURCE_REGISTER, /* a register as it stands: args point at it */
	SOURCE_RELATIVE, /* a uniform relative to a0, without a sign and not to be flushed */
};

struct slice_step {
	const struct prog_op *op;
	void (*run)(const struct args *), (*run_tame)(const struct args *); /* as alu.op */
	bool is_clean;       /* likewise */
	uint8_t source[3];   /* enum source */
	uint8_t class;       /* enum class: of those that are prepared */
	int32_t al;
	float (*row)[SHADER_LANES]; /* of the destination */
	struct args x;
	PICA_ALIGNED(64) float uniform[4][VF_LANES];
};

struct shader_slice {
	struct machine m;
	unsigned n;
	/* By component of a0: the lowest and the highest uniform of offset 0. */
	int32_t low[2], high[2];
	bool is_inside[2]; /* no offset of the batch leads out of the uniforms */
	struct slice_step step[SLICE_OPS];
};

_Static_assert(sizeof(struct shader_slice) <= SHADER_SLICE_BYTES, "room for a slice");

/* One uniform for all lanes of all batches. */
static void prepare_uniform(struct machine *m, struct slice_step *step, unsigned s,
		const float value[4]) {
	const enum class class =
			read_uniform(m, &step->x, step->op, s, value, step->run_tame != NULL);
	for (unsigned k = 0; k < 4; k++) {
		vf_store(step->uniform[k], vf_load(m->operand[s][k]));
		step->x.s[s][k] = step->uniform[k];
	}
	step->class = class < step->class ? (uint8_t)class : step->class;
	step->source[s] = SOURCE_PREPARED;
}

static float (*register_rows(struct machine *m, unsigned reg))[SHADER_LANES] {
	return reg < SHADER_R ? m->b->v[reg] : m->r[reg - SHADER_R];
}

/* m->valid: what the steps before this one write. */
static void prepare_source(struct shader_slice *slice, struct slice_step *step, unsigned s) {
	struct machine *m = &slice->m;
	const struct prog_op *op = step->op;
	const unsigned reg = op->src[s];
	const unsigned rel = op->rel_src == s ? op->rel : 0;
	const bool is_negated = op->negate >> s & 1;
	step->source[s] = SOURCE_ANY;
	if (reg < SHADER_C) {
		if (!is_negated && (reg < SHADER_R || !(op->reads[s] & ~m->valid[reg]))) {
			const struct group all = { .first = 0 };
			point_at(&step->x, &all, op, s,
					(const float (*)[SHADER_LANES])register_rows(m, reg));
			step->source[s] = SOURCE_REGISTER;
		}
	} else if (rel == 0) {
		prepare_uniform(m, step, s, m->u->c[reg - SHADER_C]);
	} else if (rel == 3) {
		prepare_uniform(m, step, s, uniform_at(m, reg - (unsigned)SHADER_C, step->al));
	} else if (!is_negated && (!step->run_tame || uniforms_class(m) != CLASS_ANY)) {
		const int32_t base = (int32_t)reg - SHADER_C;
		slice->low[rel - 1] = base < slice->low[rel - 1] ? base : slice->low[rel - 1];
		slice->high[rel - 1] = base > slice->high[rel - 1] ? base : slice->high[rel - 1];
		step->source[s] = SOURCE_RELATIVE;
	}
}

static void prepare(struct shader_slice *slice, struct slice_step *step,
		const struct slice_op *from) {
	struct machine *m = &slice->m;
	const struct prog_op *op = from->op;
	step->op = op;
	step->al = from->al;
	step->run = m->alu->op[op->op].run;
	step->run_tame = m->alu->op[op->op].run_tame;
	step->is_clean = m->alu->op[op->op].is_clean;
	step->class = CLASS_TAME;
	step->row = op->dst < SHADER_R ? m->b->o[op->dst] : m->r[op->dst - SHADER_R];
	if (op->op == OP_MOVA) {
		return;
	}
	float (*to)[SHADER_LANES] = op->overlaps ? m->result : step->row;
	step->x.n = op->n_out;
	step->x.out = op->out;
	for (unsigned k = 0; k < op->n_out; k++) {
		step->x.d[k] = to[op->out[k]];
	}
	for (unsigned s = 0; s < op->n_src; s++) {
		prepare_source(slice, step, s);
	}
	m->valid[op->dst] |= op->mask;
}

/* Outputs that the slice does not write are 0. */
static void zero_outputs(struct shader_slice *s, const uint8_t needs[16]) {
	uint8_t left[32] = { 0 };
	memcpy(left, needs, 16);
	for (unsigned i = 0; i < s->n; i++) {
		if (s->step[i].op->op != OP_MOVA) {
			left[s->step[i].op->dst] &= (uint8_t)~s->step[i].op->mask;
		}
	}
	for (unsigned r = 0; r < 16; r++) {
		zero_rows(s->m.b->o[r], left[r]);
	}
}

static unsigned slice(struct shader_slice *s, const struct prog *p, unsigned entry,
		const struct shader_uniforms *u, struct shader_batch *b, const uint8_t needs[16],
		enum pica_float mode, unsigned *inputs) {
	struct slice_op ops[SLICE_OPS];
	const unsigned steps = slice_find(p, entry, u, needs, ops, &s->n, inputs);
	if (steps == 0) {
		return 0;
	}
	s->m.alu = mode == PICA_FLOAT_F24 ? &VFN(shader_alu_f24) : &VFN(shader_alu_f32);
	s->m.u = u;
	s->m.b = b;
	s->m.uniforms_known = false;
	memset(s->m.valid, 0, sizeof(s->m.valid));
	for (unsigned c = 0; c < 2; c++) {
		s->low[c] = SHADER_UNIFORMS;
		s->high[c] = 0;
	}
	for (unsigned i = 0; i < s->n; i++) {
		prepare(s, &s->step[i], &ops[i]);
	}
	zero_outputs(s, needs);
	return steps;
}

static void run_mova(struct shader_slice *s, const struct group *g, const struct slice_step *step) {
	struct machine *m = &s->m;
	struct args x;
	read_operand(m, g, step->op, 0, false, &x);
	for (unsigned c = 0; c < 2; c++) {
		if (!(step->op->mask >> c & 1)) {
			continue;
		}
		/* Lanes beyond n take part: an offset that differs there costs time alone. */
		const vi lowest = vi_set1(-s->low[c]);
		const vi highest = vi_set1(SHADER_UNIFORMS - 1 - s->high[c]);
		vi differs = vi_zero(), outside = vi_zero();
		for (unsigned i = 0; i < g->nv; i++) {
			const vi q = address_offset(vf_load(x.s[0][c] + i * x.step[0]));
			vi_store(m->a[c] + i * VF_LANES, q);
			const vi same = vi_eq(q, vi_set1(m->a[c][0]));
			differs = vi_or(differs, vi_andnot(same, vi_set1(-1)));
			outside = vi_or(outside, vi_or(vi_gt(lowest, q), vi_gt(q, highest)));
		}
		m->a_valid[c] = true;
		m->a_is_same[c] = !vi_movemask(differs);
		s->is_inside[c] = !vi_movemask(outside);
	}
}

/* Uniforms base + offset, all of them inside. */
static void gather_inside(const float *base, const int32_t *offset, unsigned nv,
		float row[4][SHADER_LANES]) {
	for (unsigned i = 0; i < nv * VF_LANES; i += VF_LANES) {
		vf p[4];
		vf_gather4(base, offset + i, p);
		vf_store(row[0] + i, p[0]);
		vf_store(row[1] + i, p[1]);
		vf_store(row[2] + i, p[2]);
		vf_store(row[3] + i, p[3]);
	}
}

/* Any class, if there is one kernel alone. */
static inline enum class read_source(struct shader_slice *slice, const struct group *g,
		struct slice_step *step, unsigned s) {
	struct machine *m = &slice->m;
	const struct prog_op *op = step->op;
	const unsigned reg = op->src[s];
	switch ((enum source)step->source[s]) {
	case SOURCE_PREPARED:
		return step->class;
	case SOURCE_REGISTER: {
		if (!step->run_tame) {
			return CLASS_ANY;
		}
		const enum class class = register_class(m, reg,
				(const float (*)[SHADER_LANES])register_rows(m, reg), op->reads[s],
				!op->each || reg < SHADER_R);
		if (PICA_LIKELY(class != CLASS_ANY)) {
			return class;
		}
		/* The flushed copy takes its place in the arguments, also of later batches. */
		step->source[s] = SOURCE_ANY;
		break;
	}
	case SOURCE_RELATIVE: {
		const unsigned c = op->rel - 1u;
		if (m->a_is_same[c] || !slice->is_inside[c]) {
			break;
		}
		point_at(&step->x, g, op, s, (const float (*)[SHADER_LANES])m->operand[s]);
		gather_inside(m->u->c[reg - (unsigned)SHADER_C], m->a[c], g->nv,
				m->operand[s]);
		return step->run_tame ? uniforms_class(m) : CLASS_ANY;
	}
	case SOURCE_ANY:
		break;
	}
	return read_operand(m, g, op, s, step->run_tame != NULL, &step->x);
}

static void run_step(struct shader_slice *slice, const struct group *g, struct slice_step *step) {
	struct machine *m = &slice->m;
	const struct prog_op *op = step->op;
	enum class class = step->class;
	for (unsigned s = 0; s < op->n_src; s++) {
		const enum class c = read_source(slice, g, step, s);
		class = c < class ? c : class;
	}
	step->x.nv = g->nv;
	(step->run_tame && class == CLASS_TAME ? step->run_tame : step->run)(&step->x);
	for (unsigned k = 0; op->overlaps && k < op->n_out; k++) {
		memcpy(step->row[op->out[k]], m->result[op->out[k]], sizeof(m->result[0]));
	}
	if (op->dst < SHADER_R) {
		return;
	}
	m->valid[op->dst] |= op->mask;
	m->clean[op->dst] = (uint8_t)(step->is_clean ? m->clean[op->dst] | op->mask :
						       m->clean[op->dst] & ~op->mask);
	m->known[op->dst] &= (uint8_t)~op->mask;
	m->tame[op->dst] &= (uint8_t)~op->mask;
}

static void run_slice(struct shader_slice *s, unsigned n) {
	struct machine *m = &s->m;
	struct group g = { .live = (uint32_t)((UINT64_C(1) << n) - 1),
		.nv = (n + VF_LANES - 1) / VF_LANES, .is_all = true };
	m->all = g.live;
	m->nv = g.nv;
	m->a_valid[0] = m->a_valid[1] = false;
	m->a_is_same[0] = m->a_is_same[1] = true;
	m->a[0][0] = m->a[1][0] = 0;
	memset(m->valid, 0, sizeof(m->valid));
	memset(m->known, 0, sizeof(m->known));
	memset(m->clean, 0, sizeof(m->clean));
	memset(m->tame, 0, sizeof(m->tame));
	for (unsigned i = 0; i < s->n; i++) {
		if (s->step[i].op->op == OP_MOVA) {
			g.flow.al = s->step[i].al;
			run_mova(s, &g, &s->step[i]);
		} else {
			run_step(s, &g, &s->step[i]);
		}
	}
}

void VFN(shader_slice_init)(struct shader_kernels *k) {
	k->slice = slice;
	k->run_slice = run_slice;
}
