/*
 * Runs a slice: without flow control, and with everything prepared that is the same in each batch
 * of a draw.
 *
 * The fast path requires tame inputs (alu_v.h), which a flag of the batch promises, and relative
 * addresses inside the uniforms. Then the kernel and the operands of each instruction are known
 * beforehand. Other batches are run by run_v.c.
 *
 * A sum may not be tame, as terms may cancel out, but most are: if several instructions read a sum,
 * testing it once costs less than kernels that accept any operand.
 */
#include "pica/shader/slice.h"

#include "pica/shader/operand_v.h"

/* The operand of a step that is not where it was in the batch before. */
enum varying {
	VARYING_NONE,
	VARYING_NEGATED,  /* a register, negated: a copy */
	VARYING_RELATIVE, /* a uniform relative to a0 */
};

struct slice_step {
	const struct prog_op *op;
	int32_t al;
	void (*run)(const struct args *); /* the kernel of the quick way */
	void (*run_tame)(const struct args *); /* where hopes come true, or NULL */
	/* Instead of run_tame if lanes differ in a0 and only source 0 varies; or NULL. */
	void (*run_gathered)(const struct args *);
	bool is_cleaned;     /* it wants clean operands */
	uint8_t varying[3];  /* enum varying, by source */
	/* By source: components of a register that may be tame, and those to test. */
	uint8_t hope[3], look[3];
	uint8_t writer[3]; /* by source: 1 + the step that wrote that register last */
	bool is_fixed;       /* all of them VARYING_NONE, and no copy afterwards */
	bool has_hopes;
	bool is_plain;       /* is_fixed and no hopes */
	uint8_t n_steps;     /* steps that it executes together, if it is plain */
	float (*row)[SHADER_LANES]; /* of the destination */
	struct args x;
	PICA_ALIGNED(64) float uniform[4][VF_LANES]; /* an instruction reads one */
};

struct shader_slice {
	struct machine m;
	unsigned n;
	bool is_quick;         /* the quick way exists */
	uint16_t tame_inputs;  /* inputs that it takes for tame */
	uint8_t writer[32];  /* by number, o before r: see step */
	uint8_t is_tame[32]; /* components that tests of the batch found tame */
	/* By component of a0: the lowest and the highest uniform of offset 0. */
	int32_t low[2], high[2];
	/* Of its lanes: bytes from the uniform that is `low` below the one addressed. */
	PICA_ALIGNED(64) uint32_t offset[2][SHADER_LANES];
	struct slice_step step[SLICE_OPS];
};

_Static_assert(sizeof(struct shader_slice) <= SHADER_SLICE_BYTES, "room for a slice");

/* ---- Preparation: m->valid, clean and tame describe the writes of earlier steps ---- */

/* One uniform for all lanes of all batches. */
static enum class prepare_uniform(struct machine *m, struct slice_step *step, unsigned s,
		const float value[4]) {
	const enum class class = read_uniform(m, &step->x, step->op, s, value, step->is_cleaned);
	for (unsigned k = 0; k < 4; k++) {
		vf_store(step->uniform[k], vf_load(m->operand[s][k]));
		step->x.s[s][k] = step->uniform[k];
	}
	return class;
}

static enum class prepare_register(struct shader_slice *slice, struct slice_step *step,
		unsigned s) {
	static const struct group all = { .first = 0 };
	struct machine *m = &slice->m;
	const struct prog_op *op = step->op;
	const unsigned reg = op->src[s], reads = op->reads[s];
	const bool is_negated = op->negate >> s & 1;
	const float (*rows)[SHADER_LANES] = (const float (*)[SHADER_LANES])(
			is_negated   ? m->operand[s] :
			reg < SHADER_R ? m->b->v[reg] :
					 m->r[reg - SHADER_R]);
	step->varying[s] = is_negated ? VARYING_NEGATED : VARYING_NONE;
	point_at(&step->x, &all, op, s, rows);
	if (reg < SHADER_R) {
		return CLASS_TAME;
	}
	if (reads & ~(unsigned)m->valid[reg]) {
		slice->is_quick = false; /* 0, but not in memory */
	}
	return (m->tame[reg] & reads) == reads ? CLASS_TAME :
			(m->clean[reg] & reads) == reads ? CLASS_CLEAN : CLASS_ANY;
}

static enum class prepare_relative(struct shader_slice *slice, struct slice_step *step,
		unsigned s) {
	const struct group all = { .first = 0 };
	struct machine *m = &slice->m;
	const struct prog_op *op = step->op;
	const int32_t base = op->src[s] - SHADER_C;
	const unsigned a = op->rel - 1u;
	slice->low[a] = base < slice->low[a] ? base : slice->low[a];
	slice->high[a] = base > slice->high[a] ? base : slice->high[a];
	step->varying[s] = VARYING_RELATIVE;
	point_at(&step->x, &all, op, s, (const float (*)[SHADER_LANES])m->operand[s]);
	return uniforms_class(m);
}

static enum class prepare_source(struct shader_slice *slice, struct slice_step *step, unsigned s) {
	struct machine *m = &slice->m;
	const struct prog_op *op = step->op;
	const unsigned reg = op->src[s];
	const unsigned rel = op->rel_src == s ? op->rel : 0;
	if (reg < SHADER_C) {
		return prepare_register(slice, step, s);
	}
	if (rel == 0) {
		return prepare_uniform(m, step, s, m->u->c[reg - SHADER_C]);
	}
	if (rel == 3 || !m->a_valid[rel - 1]) {
		const int32_t offset = rel == 3 ? step->al : 0;
		const float *value = uniform_at(m, reg - (unsigned)SHADER_C, offset);
		return prepare_uniform(m, step, s, value);
	}
	return prepare_relative(slice, step, s);
}

/* The classes of what a step writes. */
static void note_result(struct machine *m, const struct prog_op *op, enum class sources) {
	const bool is_copy = op->op == OP_MOV || op->op == OP_MAX || op->op == OP_MIN;
	const bool is_clean = m->alu->op[op->op].is_clean || (is_copy && sources >= CLASS_CLEAN);
	const unsigned reg = op->dst, kept = ~(unsigned)op->mask;
	m->valid[reg] |= op->mask;
	m->clean[reg] = (uint8_t)((m->clean[reg] & kept) | (is_clean ? op->mask : 0u));
	m->tame[reg] = (uint8_t)((m->tame[reg] & kept) |
			(is_copy && sources == CLASS_TAME ? op->mask : 0u));
}

/* Only source 0 varies: a relative uniform, neither negated nor swizzled. */
static bool is_gathered(const struct slice_step *step) {
	const struct prog_op *op = step->op;
	return step->varying[0] == VARYING_RELATIVE && !step->varying[1] && !step->varying[2] &&
			!op->overlaps && !(op->negate & 1) && op->from[0][0] == 0 &&
			op->from[0][1] == 1 && op->from[0][2] == 2 && op->from[0][3] == 3;
}

/* Prepares a step whose sources are tame, or registers that may be. class: of each. */
static void prepare_tame(struct shader_slice *slice, struct slice_step *step,
		const enum class class[3]) {
	const struct prog_op *op = step->op;
	for (unsigned s = 0; s < 3; s++) {
		if (class[s] != CLASS_TAME && (op->src[s] < SHADER_R || op->src[s] >= SHADER_C)) {
			return;
		}
	}
	for (unsigned s = 0; s < 3; s++) {
		if (class[s] != CLASS_TAME) {
			const unsigned reg = op->src[s];
			step->hope[s] = (uint8_t)(op->reads[s] & ~(unsigned)slice->m.tame[reg]);
			step->writer[s] = slice->writer[reg];
		}
	}
	step->run_tame = slice->m.alu->op[op->op].run_tame;
	step->run_gathered = is_gathered(step) ? VFN(shader_gathered)(op->op) : NULL;
}

static void prepare(struct shader_slice *slice, struct slice_step *step,
		const struct slice_op *from) {
	struct machine *m = &slice->m;
	const struct prog_op *op = from->op;
	*step = (struct slice_step){ .op = op, .al = from->al, .run = m->alu->op[op->op].run,
		.n_steps = 1 };
	if (op->op == OP_MOVA) {
		prepare_source(slice, step, 0);
		slice->is_quick = slice->is_quick && step->varying[0] == VARYING_NONE;
		m->a_valid[0] = m->a_valid[0] || (op->mask & 1);
		m->a_valid[1] = m->a_valid[1] || (op->mask & 2);
		return;
	}
	void (*const run_tame)(const struct args *) = m->alu->op[op->op].run_tame;
	step->is_cleaned = run_tame != NULL;
	step->row = op->dst < SHADER_R ? m->b->o[op->dst] : m->r[op->dst - SHADER_R];
	float (*to)[SHADER_LANES] = op->overlaps ? m->result : step->row;
	step->x.n = op->n_out;
	step->x.out = op->out;
	for (unsigned k = 0; k < op->n_out; k++) {
		step->x.d[k] = to[op->out[k]];
	}
	enum class of[3] = { CLASS_TAME, CLASS_TAME, CLASS_TAME }, class = CLASS_TAME;
	step->is_fixed = !op->overlaps;
	for (unsigned s = 0; s < op->n_src; s++) {
		of[s] = prepare_source(slice, step, s);
		class = of[s] < class ? of[s] : class;
		step->is_fixed = step->is_fixed && step->varying[s] == VARYING_NONE;
	}
	if (run_tame && class == CLASS_ANY) {
		slice->is_quick = false;
	} else if (run_tame) {
		prepare_tame(slice, step, of);
	}
	if (run_tame && class == CLASS_TAME) {
		step->run = run_tame;
	}
	note_result(m, op, class);
	slice->writer[op->dst] = (uint8_t)(step - slice->step + 1);
}

/* The rows from which the offsets of a0 count, where source s is relative to it. */
static const uint8_t *addressed_rows(
		const struct shader_slice *slice, const struct prog_op *op, unsigned s) {
	const int32_t base = op->src[s] - SHADER_C - slice->low[op->rel - 1];
	return (const uint8_t *)slice->m.u->c[base];
}

/* Keeps tests of registers that several steps read; the first step tests. */
static void plan_looks(struct shader_slice *slice) {
	struct slice_step *const end = slice->step + slice->n;
	uint8_t readers[SLICE_OPS + 1] = { 0 }, looked[SLICE_OPS + 1] = { 0 };
	for (struct slice_step *step = slice->step; step < end; step++) {
		for (unsigned s = 0; s < 3; s++) {
			readers[step->writer[s]]++;
		}
	}
	for (struct slice_step *step = slice->step; step < end; step++) {
		bool pays = true;
		for (unsigned s = 0; s < 3; s++) {
			pays = pays && (!step->hope[s] || readers[step->writer[s]] > 1);
		}
		for (unsigned s = 0; s < 3; s++) {
			step->hope[s] = pays ? step->hope[s] : 0;
			uint8_t *const done = &looked[step->writer[s]];
			step->look[s] = (uint8_t)(step->hope[s] & ~(unsigned)*done);
			*done |= step->hope[s];
			step->has_hopes = step->has_hopes || step->hope[s];
		}
		step->run_tame = pays ? step->run_tame : NULL;
		step->is_plain = step->is_fixed && !step->has_hopes;
	}
}

/* A product of a row of uniforms and a register, to one component. */
static bool is_row(const struct slice_step *step) {
	return step->op->op == OP_DP4 && step->is_plain && step->run == step->run_tame &&
			step->x.step[0] == 0 && step->x.step[1] != 0 && step->x.n == 1;
}

/* A transformation: four rows, one after the other, times the same register, which is read once. */
static void merge_rows(struct shader_slice *slice) {
	for (unsigned i = 0; i + 4 <= slice->n; i++) {
		struct slice_step *first = &slice->step[i];
		bool all = true;
		for (unsigned k = 0; k < 4; k++) {
			all = all && is_row(first + k) &&
					!memcmp(first[k].x.s[1], first->x.s[1],
							sizeof(first->x.s[1]));
		}
		if (!all) {
			continue;
		}
		for (unsigned k = 0; k < 4; k++) {
			first->x.s[0][k] = first[k].uniform[0];
			first->x.d[k] = first[k].x.d[0];
		}
		first->run = VFN(shader_transform);
		first->n_steps = 4;
		i += 3;
	}
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
	VFN(shader_begin)(&s->m, SHADER_LANES);
	s->is_quick = true;
	s->tame_inputs = (uint16_t)(mode == PICA_FLOAT_F24 ? *inputs : 0);
	for (unsigned c = 0; c < 2; c++) {
		s->low[c] = SHADER_UNIFORMS;
		s->high[c] = 0;
	}
	memset(s->writer, 0, sizeof(s->writer));
	for (unsigned i = 0; i < s->n; i++) {
		prepare(s, &s->step[i], &ops[i]);
	}
	plan_looks(s);
	merge_rows(s);
	for (unsigned i = 0; i < s->n; i++) {
		if (s->step[i].run_gathered) {
			const struct prog_op *op = s->step[i].op;
			s->step[i].x.rows = addressed_rows(s, op, 0);
			s->step[i].x.offset = s->offset[op->rel - 1];
		}
	}
	zero_outputs(s, needs);
	return steps;
}

/* ---- The quick way ---- */

/* Returns false if an offset reaches outside the uniforms, perhaps as it is not an offset. */
static bool quick_mova(struct shader_slice *s, const struct slice_step *step, unsigned nv) {
	for (unsigned c = 0; c < 2; c++) {
		if (!(step->op->mask >> c & 1)) {
			continue;
		}
		/* Lanes beyond n take part: an offset that differs there costs time alone. */
		const float *from = step->x.s[0][c];
		const vi low = vi_set1(s->low[c]);
		const vi first = vi_from_vf_trunc(vf_set1(from[0]));
		vi differs = vi_zero(), least = first, greatest = first;
		for (unsigned i = 0; i < nv; i++, from += step->x.step[0]) {
			const vi q = vi_from_vf_trunc(vf_load(from));
			vi_store(s->offset[c] + i * VF_LANES, vi_sll(vi_add(q, low), 4));
			differs = vi_or(differs, vi_xor(q, first));
			least = vi_min(least, q);
			greatest = vi_max(greatest, q);
		}
		const vi outside = vi_or(vi_gt(vi_set1(-s->low[c]), least),
				vi_gt(greatest, vi_set1(SHADER_UNIFORMS - 1 - s->high[c])));
		if (vi_movemask(outside)) {
			return false;
		}
		const vi is_same = vi_eq(differs, vi_zero());
		s->m.a_is_same[c] = !vi_movemask(vi_xor(is_same, vi_set1(-1)));
	}
	return true;
}

/* A uniform relative to a0. */
static void read_addressed(struct shader_slice *slice, const struct slice_step *step, unsigned s,
		unsigned nv, struct args *x) {
	struct machine *m = &slice->m;
	const struct prog_op *op = step->op;
	const unsigned a = op->rel - 1u;
	const uint8_t *rows = addressed_rows(slice, op, s);
	const uint32_t *offset = slice->offset[a];
	if (m->a_is_same[a]) {
		float value[4];
		memcpy(value, rows + offset[0], sizeof(value));
		read_uniform(m, x, op, s, value, step->is_cleaned);
	} else {
		const vf sign = vf_set1(op->negate >> s & 1 ? -0.0f : 0.0f);
		for (unsigned i = 0; i < nv * VF_LANES; i += VF_LANES) {
			vf p[4];
			vf_load_rows(rows, offset + i, 4, p);
			for (unsigned k = 0; k < 4; k++) {
				vf_store(m->operand[s][k] + i, vf_xor(p[k], sign));
			}
		}
	}
}

/* Returns whether operands that may be tame are tame. */
static bool hopes_hold(struct shader_slice *slice, const struct slice_step *step, unsigned nv) {
	const struct prog_op *op = step->op;
	unsigned missing = 0;
	for (unsigned s = 0; s < op->n_src; s++) {
		const unsigned reg = op->src[s];
		if (!step->hope[s]) {
			continue;
		}
		for (unsigned left = step->look[s]; left; left &= left - 1) {
			const unsigned c = ctz32(left);
			const float *row = slice->m.r[reg - SHADER_R][c];
			struct extent e = extent_none();
			for (unsigned i = 0; i < nv; i++) {
				extent_add(&e, vf_load(row + i * VF_LANES));
			}
			const bool is_tame =
					extent_within(&e, SHADER_TAME_LEAST, SHADER_TAME_END);
			slice->is_tame[reg] = (uint8_t)((slice->is_tame[reg] & ~(1u << c)) |
					(unsigned)is_tame << c);
		}
		missing |= step->hope[s] & ~(unsigned)slice->is_tame[reg];
	}
	return !missing;
}

/* Runs a step with operands that must be read first. */
static void run_varying(struct shader_slice *slice, const struct slice_step *step, unsigned nv,
		void (*run)(const struct args *)) {
	struct machine *m = &slice->m;
	const struct prog_op *op = step->op;
	const struct group all = { .first = 0, .nv = nv };
	struct args x = step->x;
	for (unsigned s = 0; s < op->n_src; s++) {
		switch ((enum varying)step->varying[s]) {
		case VARYING_NONE:
			break;
		case VARYING_NEGATED: {
			const unsigned reg = op->src[s];
			copy_rows(m, &all, op, s, (const float (*)[SHADER_LANES])(reg < SHADER_R ?
					m->b->v[reg] : m->r[reg - SHADER_R]), false);
			break;
		}
		case VARYING_RELATIVE:
			read_addressed(slice, step, s, nv, &x);
			break;
		}
	}
	run(&x);
	for (unsigned k = 0; op->overlaps && k < op->n_out; k++) {
		memcpy(step->row[op->out[k]], m->result[op->out[k]], sizeof(m->result[0]));
	}
}

static void run_step(struct shader_slice *s, const struct slice_step *step, unsigned nv) {
	const bool is_tame = step->run_tame && (!step->has_hopes || hopes_hold(s, step, nv));
	if (step->is_fixed) {
		(is_tame ? step->run_tame : step->run)(&step->x);
	} else if (is_tame && step->run_gathered && !s->m.a_is_same[step->op->rel - 1]) {
		step->run_gathered(&step->x);
	} else {
		run_varying(s, step, nv, is_tame ? step->run_tame : step->run);
	}
}

/* Returns false if an address is outside the uniforms. */
static bool run_quick(struct shader_slice *s, unsigned nv) {
	for (struct slice_step *step = s->step, *end = step + s->n; step < end;
			step += step->n_steps) {
		step->x.nv = nv;
		if (PICA_LIKELY(step->is_plain)) {
			step->run(&step->x);
		} else if (step->op->op != OP_MOVA) {
			run_step(s, step, nv);
		} else if (!quick_mova(s, step, nv)) {
			return false;
		}
	}
	return true;
}

static void run_slice(struct shader_slice *s, unsigned n) {
	const unsigned nv = (n + VF_LANES - 1) / VF_LANES;
	if (s->is_quick && !(s->tame_inputs & ~s->m.b->tame) && run_quick(s, nv)) {
		return;
	}
	VFN(shader_begin)(&s->m, n);
	struct group g = { .live = s->m.all, .nv = nv, .is_all = true };
	for (unsigned i = 0; i < s->n; i++) {
		g.flow.al = s->step[i].al;
		VFN(shader_execute)(&s->m, &g, s->step[i].op);
	}
}

void VFN(shader_slice_init)(struct shader_kernels *k) {
	k->slice = slice;
	k->run_slice = run_slice;
}
