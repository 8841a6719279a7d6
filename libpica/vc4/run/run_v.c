/* The interpreter on vectors: run_c.c to the bit, by the plans of plan.h. */
#include <errno.h>
#include <string.h>

#include "vc4/run/alu_v.h"
#include "vc4/run/machine.h"
#include "vc4/run/periphery_v.h"

enum { FLAG_Z, FLAG_N, FLAG_C, FLAGS, ALL_LANES = 0xFFFF };

struct core {
	struct machine m; /* first */
	PICA_ALIGNED(64) uint32_t flag[FLAGS][QPU_LANES]; /* masks */
	PICA_ALIGNED(64) uint32_t saturated[QPU_LANES];   /* of QPU_SATURATES */
};
_Static_assert(sizeof(struct core) <= QPU_SCRATCH_BYTES, "a run needs more scratch");

/* ---- Flags and conditions ---- */

static vi lanes_of(const struct core *k, unsigned cond, unsigned i) {
	if (cond < 2) {
		return vi_set1(-(int)cond);
	}
	const vi set = load(k->flag[cond / 2 - 1], i);
	return cond & 1 ? vi_xor(set, vi_set1(-1)) : set;
}

static unsigned bits_of(const vi lanes[VECTORS]) {
	unsigned bits = 0;
	EACH_VECTOR(i) {
		bits |= vi_movemask(lanes[i]) << (i * VF_LANES);
	}
	return bits;
}

static void set_flags(struct core *k, const vi x[VECTORS], const vi carry[VECTORS], unsigned cond) {
	EACH_VECTOR(i) {
		vi z = vi_eq(x[i], vi_zero()), n = vi_sra(x[i], 31), c = carry[i];
		if (cond != 1) {
			const vi lanes = lanes_of(k, cond, i);
			z = vi_select(lanes, z, load(k->flag[FLAG_Z], i));
			n = vi_select(lanes, n, load(k->flag[FLAG_N], i));
			c = vi_select(lanes, c, load(k->flag[FLAG_C], i));
		}
		store(k->flag[FLAG_Z], i, z);
		store(k->flag[FLAG_N], i, n);
		store(k->flag[FLAG_C], i, c);
	}
}

/* Carries, one lane at a time: few programs use them. */
static void carries(unsigned unit, unsigned op, const uint32_t *a, const uint32_t *b,
		vi out[VECTORS]) {
	PICA_ALIGNED(64) uint32_t lanes[QPU_LANES];
	for (unsigned i = 0; i < QPU_LANES; i++) {
		bool carry;
		if (unit) {
			alu_mul(op, a[i], b[i], &carry);
		} else {
			alu_add(op, a[i], b[i], &carry);
		}
		lanes[i] = 0u - carry;
	}
	EACH_VECTOR(i) {
		out[i] = load(lanes, i);
	}
}

/* ---- Inputs ---- */

static void fill(uint32_t *row, uint32_t v) {
	const vi x = vi_set1((int32_t)v);
	EACH_VECTOR(i) {
		store(row, i, x);
	}
}

static void see_row(uint32_t *to, const uint32_t *from) {
	EACH_VECTOR(i) {
		store(to, i, see(load(from, i)));
	}
}

static int read(struct core *k, unsigned file, unsigned address, uint32_t *row, bool is_seen) {
	struct machine *m = &k->m;
	if (address == READ_UNIFORM) {
		uint32_t v = 0;
		int ret = machine_read_uniform(m, &v);
		fill(row, is_seen ? f32_bits(alu_float(v)) : v);
		return ret;
	}
	if (address == READ_VARYING && m->varying < m->run->n_varyings) {
		const uint32_t *from = (const void *)m->run->varying[m->varying];
		EACH_VECTOR(i) {
			store(row, i, is_seen ? see(load(from, i)) : load(from, i));
		}
		return 0;
	}
	int ret = machine_read(m, file, address, row);
	if (is_seen) {
		see_row(row, row);
	}
	return ret;
}

static void unpack(struct core *k, const struct qpu_instruction *q, const struct qpu_plan *e,
		bool to_float) {
	const uint32_t *from = k->m.row[e->unpack_from];
	uint32_t *to = k->m.row[to_float ? QPU_ROW_FLOAT : QPU_ROW_INTEGER];
	if (q->unpack < 4) {
		for (unsigned i = 0; i < QPU_LANES; i++) {
			to[i] = alu_unpack(q->unpack, from[i], to_float);
		}
		return;
	}
	EACH_VECTOR(i) {
		store(to, i, vector_byte(q->unpack, load(from, i), to_float));
	}
}

static int inputs(struct core *k, const struct qpu_instruction *q, const struct qpu_plan *e) {
	struct machine *m = &k->m;
	int ret = 0;
	if (e->flags & QPU_READ_A) {
		ret = read(k, 0, q->raddr_a, m->row[QPU_ROW_IN_A], e->flags & QPU_SEEN_A);
	}
	if (e->flags & QPU_READ_B && !ret) {
		ret = read(k, 1, q->raddr_b, m->row[QPU_ROW_IN_B], e->flags & QPU_SEEN_B);
	}
	if (e->flags & QPU_IMMEDIATE) {
		fill(m->row[QPU_ROW_IN_B], e->immediate);
	}
	if (e->flags & QPU_UNPACK_FLOAT) {
		unpack(k, q, e, true);
	}
	if (e->flags & QPU_UNPACK_INTEGER) {
		unpack(k, q, e, false);
	}
	return ret;
}

/* A varying's constant in r5. */
static void read_constant(struct core *k) {
	struct machine *m = &k->m;
	const uint32_t c = machine_constant(m);
	fill(m->row[QPU_ROW_R + 5], c);
	fill(m->row[QPU_ROW_R5], f32_bits(alu_float(c)));
}

/* ---- Results ---- */

/* Packing in file A, one lane at a time. */
static void pack_a(const struct core *k, const struct qpu_word *w, unsigned unit,
		const uint32_t *old, uint32_t out[QPU_LANES]) {
	const struct qpu_instruction *q = &w->q;
	const bool is_load = q->sig == QPU_SIG_LOAD;
	const bool is_float = !is_load &&
			(unit ? q->op_mul == MUL_FMUL : alu_makes_floats(q->op_add));
	if (!unit && w->plan.flags & QPU_SATURATES) {
		memcpy(out, k->saturated, sizeof(k->saturated));
		return;
	}
	for (unsigned i = 0; i < QPU_LANES; i++) {
		out[i] = alu_pack(q->pack, out[i], old[i], is_float);
	}
}

static int write_out(struct core *k, const struct qpu_instruction *q, unsigned unit,
		const uint32_t out[QPU_LANES], unsigned lanes) {
	const unsigned address = unit ? q->waddr_mul : q->waddr_add;
	struct machine *m = &k->m;
	if (address == WRITE_Z && m->run->tlb && !m->stencil[m->run->tlb->is_back].is_on) {
		write_z(m, out, lanes);
		return 0;
	}
	if (address >= WRITE_SFU && address < WRITE_TMU && lanes == ALL_LANES) {
		vector_sfu(address - WRITE_SFU, out, m->row[QPU_ROW_R + 4]);
		return 0;
	}
	return machine_write(m, unit ? !q->ws : q->ws, address, out, lanes);
}

/* Writes a unit's result, packed over the old value. lanes: of its condition, or NULL for all. */
static int put(struct core *k, const struct qpu_word *w, unsigned unit, const vi x[VECTORS],
		const vi lanes[VECTORS]) {
	static const PICA_ALIGNED(64) uint32_t zeros[QPU_LANES];
	const struct qpu_plan *e = &w->plan;
	const struct qpu_instruction *q = &w->q;
	struct machine *m = &k->m;
	PICA_ALIGNED(64) uint32_t out[QPU_LANES];
	uint32_t *row = e->to[unit] == QPU_ROW_NONE ? NULL : m->row[e->to[unit]];
	const uint32_t *old = row ? row : zeros;
	const bool packs = e->put[unit] == QPU_PUT_PACKED;
	if (packs && q->pm && q->pack & 7) {
		EACH_VECTOR(i) {
			store(out, i, vector_pack_color(q->pack, x[i], load(old, i)));
		}
	} else {
		EACH_VECTOR(i) {
			store(out, i, x[i]);
		}
		if (packs && !q->pm) {
			pack_a(k, w, unit, old, out);
		}
	}
	if (!row) {
		return write_out(k, q, unit, out, lanes ? bits_of(lanes) : ALL_LANES);
	}
	EACH_VECTOR(i) {
		const vi v = load(out, i);
		store(row, i, lanes ? vi_select(lanes[i], v, load(row, i)) : v);
	}
	return 0;
}

/* Both results after a signal, for all lanes. */
static inline int put_all(struct core *k, const struct qpu_word *w, const vi x[VECTORS],
		const vi y[VECTORS]) {
	const struct qpu_plan *e = &w->plan;
	int ret = 0;
	if (e->put[0] == QPU_PUT_ROW) {
		EACH_VECTOR(i) {
			store(k->m.row[e->to[0]], i, x[i]);
		}
	} else if (e->put[0] != QPU_PUT_NONE) {
		ret = put(k, w, 0, x, NULL);
	}
	if (e->put[1] == QPU_PUT_ROW) {
		EACH_VECTOR(i) {
			store(k->m.row[e->to[1]], i, y[i]);
		}
	} else if (e->put[1] != QPU_PUT_NONE && !ret) {
		ret = put(k, w, 1, y, NULL);
	}
	return ret;
}

/* The same with conditions or flags: the lanes are those before the flags change. */
static int finish(struct core *k, const struct qpu_word *w, const vi x[VECTORS],
		const vi y[VECTORS], const vi carry[VECTORS]) {
	const struct qpu_plan *e = &w->plan;
	vi lanes[2][VECTORS];
	for (unsigned unit = 0; unit < 2; unit++) {
		EACH_VECTOR(i) {
			lanes[unit][i] = lanes_of(k, e->cond[unit], i);
		}
	}
	if (e->flags & QPU_FLAGS_OF_ADD) {
		set_flags(k, x, carry, e->cond[0]);
	} else if (e->flags & QPU_FLAGS_OF_MUL) {
		set_flags(k, y, carry, e->cond[1]);
	}
	int ret = e->put[0] ? put(k, w, 0, x, e->cond[0] == 1 ? NULL : lanes[0]) : 0;
	if (!ret && e->put[1]) {
		ret = put(k, w, 1, y, e->cond[1] == 1 ? NULL : lanes[1]);
	}
	return ret;
}

/* ---- Instructions ---- */

static void rotate(const struct core *k, const struct qpu_instruction *q, vi x[VECTORS],
		vi carry[VECTORS]) {
	const unsigned n = (q->raddr_b == 48 ? k->m.row[QPU_ROW_R + 5][0] : q->raddr_b) & 15;
	const bool is_full = q->mul_a < 4 && q->mul_b < 4;
	PICA_ALIGNED(64) uint32_t from[2][QPU_LANES], to[2][QPU_LANES];
	EACH_VECTOR(i) {
		store(from[0], i, x[i]);
		store(from[1], i, carry[i]);
	}
	for (unsigned i = 0; i < QPU_LANES; i++) {
		const unsigned at = is_full ? (i + n) & 15 : (i & 12) | ((i + n) & 3);
		to[0][at] = from[0][i];
		to[1][at] = from[1][i];
	}
	EACH_VECTOR(i) {
		x[i] = load(to[0], i);
		carry[i] = load(to[1], i);
	}
}

static void saturate(struct core *k, const struct qpu_word *w, const vi x[VECTORS]) {
	const uint32_t *a = k->m.row[w->plan.src[0]], *b = k->m.row[w->plan.src[1]];
	EACH_VECTOR(i) {
		store(k->saturated, i, x[i]);
	}
	for (unsigned i = 0; i < QPU_LANES; i++) {
		k->saturated[i] = alu_saturate(w->q.op_add, a[i], b[i], k->saturated[i]);
	}
}

/* The effects on r5 and r4 after both have been read. */
static int after_inputs(struct core *k, const struct qpu_word *w) {
	if (w->plan.flags & QPU_VARYING) {
		read_constant(k);
	}
	return w->plan.flags & QPU_SIGNAL ? machine_signal(&k->m, w->q.sig) : 0;
}

static int run_alu(struct core *k, const struct qpu_word *w) {
	const struct qpu_plan *e = &w->plan;
	const struct qpu_instruction *q = &w->q;
	struct machine *m = &k->m;
	enum { READS = QPU_READ_A | QPU_READ_B | QPU_IMMEDIATE | QPU_UNPACK_FLOAT |
		QPU_UNPACK_INTEGER };
	if (e->flags & READS) {
		int ret = inputs(k, q, e);
		if (ret) {
			return ret;
		}
	}
	vi x[VECTORS], y[VECTORS];
	if (e->op[0]) {
		vector_add(e->op[0], m->row[e->src[0]], m->row[e->src[1]], e->unseen & 3,
				e->flags & QPU_IMMEDIATE && e->src[1] == QPU_ROW_IN_B, x);
	}
	if (e->op[1]) {
		vector_mul(e->op[1], m->row[e->src[2]], m->row[e->src[3]], e->unseen >> 2 & 3, y);
	}
	enum { SLOW = QPU_CONDITIONS | QPU_ROTATES | QPU_FLAGS_OF_ADD | QPU_FLAGS_OF_MUL |
		QPU_SATURATES };
	if (!(e->flags & SLOW)) {
		int ret = e->flags & (QPU_VARYING | QPU_SIGNAL) ? after_inputs(k, w) : 0;
		return ret ? ret : put_all(k, w, x, y);
	}
	vi carry[VECTORS];
	EACH_VECTOR(i) {
		carry[i] = vi_zero();
		x[i] = e->op[0] ? x[i] : vi_zero();
		y[i] = e->op[1] ? y[i] : vi_zero();
	}
	if (e->flags & QPU_CARRY) {
		const unsigned unit = e->flags & QPU_FLAGS_OF_MUL ? 1 : 0;
		carries(unit, e->op[unit], m->row[e->src[2 * unit]], m->row[e->src[2 * unit + 1]],
				carry);
	}
	if (e->flags & QPU_ROTATES) {
		vi own[VECTORS];
		EACH_VECTOR(i) {
			own[i] = carry[i];
		}
		rotate(k, q, y, e->flags & QPU_FLAGS_OF_MUL ? carry : own);
	}
	if (e->flags & QPU_SATURATES) {
		saturate(k, w, x);
	}
	int ret = after_inputs(k, w);
	return ret ? ret : finish(k, w, x, y, carry);
}

static int run_load(struct core *k, const struct qpu_word *w) {
	const struct qpu_instruction *q = &w->q;
	vi x[VECTORS], none[VECTORS];
	EACH_VECTOR(i) {
		x[i] = vi_set1((int32_t)q->immediate);
		none[i] = vi_zero();
		if (q->unpack != QPU_LOAD_WORD) {
			const vi low = vi_mask_from_bits(q->immediate >> (i * VF_LANES));
			const vi high = vi_mask_from_bits(q->immediate >> (16 + i * VF_LANES));
			const vi twice = vi_and(high, vi_set1(2));
			const vi one = vi_and(low, vi_set1(1));
			x[i] = q->unpack == QPU_LOAD_SIGNED ? vi_sub(one, twice) :
							      vi_add(one, twice);
		}
	}
	return finish(k, w, x, x, none);
}

static int run_branch(struct core *k, const struct qpu_word *w) {
	const struct qpu_instruction *q = &w->q;
	struct machine *m = &k->m;
	if (q->branch_cond != BRANCH_ALWAYS) {
		vi set[VECTORS];
		EACH_VECTOR(i) {
			set[i] = load(k->flag[q->branch_cond >> 2], i);
		}
		if (!machine_condition(m, q->branch_cond, bits_of(set))) {
			return 0;
		}
	}
	return machine_branch(m, w);
}

static int run_word(struct core *k, const struct qpu_word *w) {
	switch ((enum qpu_kind)w->plan.kind) {
	case QPU_KIND_NOP:
		return 0;
	case QPU_KIND_ALU:
		return run_alu(k, w);
	case QPU_KIND_LOAD:
		return run_load(k, w);
	case QPU_KIND_BRANCH:
		return run_branch(k, w);
	case QPU_KIND_TRAP:
		break;
	}
	return machine_fail(&k->m, -EOPNOTSUPP, "nothing was decoded here");
}

static int run(struct qpu_run *r) {
	struct core *k = r->scratch;
	struct machine *m = &k->m;
	for (uint64_t rows = r->program->zeroed; rows; rows &= rows - 1) {
		fill(m->row[ctz64(rows)], 0);
	}
	for (unsigned rows = r->program->zeroed_r; rows; rows &= rows - 1) {
		fill(m->row[QPU_ROW_R + ctz32(rows)], 0);
	}
	for (unsigned i = 0; r->program->uses_flags && i < FLAGS; i++) {
		fill(k->flag[i], 0);
	}
	struct vc4_tex_kernels tex;
	VFN(vc4_tex_kernels_init)(&tex);
	machine_init(m, r, tex.look_up);
	if (r->program->uses_w) {
		see_row(m->row[QPU_ROW_W], m->row[15]);
	}
	const struct qpu_word *w;
	int ret;
	do {
		w = &m->program->word[m->pc];
		if (PICA_UNLIKELY(m->steps == QPU_MAX_STEPS)) {
			ret = machine_fail(m, -EDQUOT, "the program does not end");
			break;
		}
		machine_begin(m);
		ret = run_word(k, w);
	} while (!ret && machine_advance(m));
	r->steps = m->steps;
	if (ret) {
		r->fault.address = w->address;
	}
	return ret;
}

void VFN(qpu_kernels_init)(struct qpu_kernels *k) {
	k->run = run;
	k->run_wide = VFN(qpu_run_wide);
}
