#include "vc4/run/plan.h"

#include <stdbool.h>
#include <string.h>

#include "vc4/run/alu.h"
#include "vc4/run/machine.h"
#include "vc4/run/program.h"

/* Facts about rows that hold before a word on every path to it. */
struct known {
	bool is_seen[QPU_ROWS]; /* no denormals, no NaN patterns */
	bool r5_is_varying, w_is_there;
};

/* ---- Inputs ---- */

static bool is_small(const struct qpu_instruction *q) {
	return q->sig == QPU_SIG_SMALL_IMMEDIATE;
}

static bool is_fifo(unsigned address) {
	return address == READ_UNIFORM || address == READ_VARYING || address == READ_VPM;
}

/* The row of an input, before unpacking. */
static uint8_t row_of(const struct qpu_instruction *q, unsigned mux) {
	if (mux < QPU_INPUT_A) {
		return (uint8_t)(QPU_ROW_R + mux);
	}
	if (mux == QPU_INPUT_A) {
		return q->raddr_a < 32 ? q->raddr_a : QPU_ROW_IN_A;
	}
	if (is_small(q)) {
		return QPU_ROW_IN_B;
	}
	return (uint8_t)(q->raddr_b < 32 ? QPU_ROW_B + q->raddr_b :
			is_fifo(q->raddr_b) && q->raddr_a == q->raddr_b ? QPU_ROW_IN_A :
									  QPU_ROW_IN_B);
}

static bool is_unpacked(const struct qpu_instruction *q, unsigned mux) {
	return q->unpack && mux == (q->pm ? 4 : QPU_INPUT_A);
}

/* Returns whether input i (two of each unit) is used as a number. */
static bool is_number(const struct qpu_plan *e, unsigned i) {
	return i < 2 ? alu_takes_floats(e->op[0]) && e->op[0] != ADD_FTOI : e->op[1] == MUL_FMUL;
}

static unsigned mux_of(const struct qpu_instruction *q, unsigned i) {
	const uint8_t mux[4] = { q->add_a, q->add_b, q->mul_a, q->mul_b };
	return mux[i];
}

/* Returns whether every user of this row reads it as a number. */
static bool all_see(const struct qpu_instruction *q, const struct qpu_plan *e, uint8_t row) {
	for (unsigned i = 0; i < 4; i++) {
		if (e->op[i / 2] && row_of(q, mux_of(q, i)) == row &&
				(!is_number(e, i) || is_unpacked(q, mux_of(q, i)))) {
			return false;
		}
	}
	return true;
}

static void plan_reads(struct qpu_plan *e, const struct qpu_instruction *q) {
	bool a = is_fifo(q->raddr_a), b = false;
	for (unsigned i = 0; i < 4; i++) {
		const uint8_t row = e->op[i / 2] ? row_of(q, mux_of(q, i)) : QPU_ROW_NONE;
		a = a || row == QPU_ROW_IN_A;
		b = b || row == QPU_ROW_IN_B;
	}
	if (is_small(q)) {
		e->immediate = alu_small_immediate(q->raddr_b);
		e->flags |= b ? QPU_IMMEDIATE : 0;
	} else {
		b = b || (is_fifo(q->raddr_b) && q->raddr_a != q->raddr_b);
		e->flags |= b ? QPU_READ_B : 0;
	}
	e->flags |= a ? QPU_READ_A : 0;
	if (q->raddr_a == READ_VARYING || (!is_small(q) && q->raddr_b == READ_VARYING)) {
		e->flags |= QPU_VARYING;
	}
	if (a && all_see(q, e, QPU_ROW_IN_A)) {
		e->flags |= QPU_SEEN_A;
	}
	if (b && all_see(q, e, QPU_ROW_IN_B)) {
		e->flags |= QPU_SEEN_B;
		if (is_small(q)) {
			e->immediate = f32_bits(alu_float(e->immediate));
		}
	}
}

static void plan_input(struct qpu_plan *e, const struct qpu_instruction *q, unsigned i,
		const struct known *k) {
	const unsigned mux = mux_of(q, i);
	uint8_t row = row_of(q, mux);
	bool is_seen = k->is_seen[row];
	if (row == QPU_ROW_IN_A || row == QPU_ROW_IN_B) {
		is_seen = e->flags & (row == QPU_ROW_IN_A ? QPU_SEEN_A : QPU_SEEN_B);
	}
	if (is_unpacked(q, mux)) {
		const bool to_float = q->pm || (i < 2 ? alu_takes_floats(q->op_add) :
							q->op_mul == MUL_FMUL);
		e->unpack_from = row;
		e->flags |= to_float ? QPU_UNPACK_FLOAT : QPU_UNPACK_INTEGER;
		row = to_float ? QPU_ROW_FLOAT : QPU_ROW_INTEGER;
		is_seen = to_float && q->unpack >= 4; /* bytes */
	} else if (is_number(e, i) && row == QPU_ROW_R + 5 && k->r5_is_varying) {
		row = QPU_ROW_R5;
		is_seen = true;
	} else if (is_number(e, i) && row == 15 && k->w_is_there) {
		row = QPU_ROW_W;
		is_seen = true;
	}
	e->src[i] = row;
	e->unseen |= (uint8_t)(!is_seen << i);
}

/* ---- Results ---- */

static void plan_put(struct qpu_plan *e, const struct qpu_instruction *q, unsigned unit,
		bool is_on) {
	const unsigned address = unit ? q->waddr_mul : q->waddr_add;
	const unsigned file = unit ? !q->ws : q->ws;
	e->cond[unit] = unit ? q->cond_mul : q->cond_add;
	e->to[unit] = QPU_ROW_NONE;
	e->put[unit] = QPU_PUT_NONE;
	if (!is_on) {
		return;
	}
	const bool is_row = address < WRITE_R0 + 4;
	const bool packs = q->pack && (q->pm ? unit == 1 : file == 0 && address < 32);
	if (is_row) {
		e->to[unit] = (uint8_t)(address < 32 ? file * QPU_ROW_B + address :
						       QPU_ROW_R + address - WRITE_R0);
		e->put[unit] = packs ? QPU_PUT_PACKED :
				e->cond[unit] == 1 ? QPU_PUT_ROW : QPU_PUT_LANES;
	} else if (address != QPU_ADDRESS_NOP) {
		e->put[unit] = packs ? QPU_PUT_PACKED : QPU_PUT_PERIPHERY;
	}
	if (e->put[unit] != QPU_PUT_NONE && e->cond[unit] != 1) {
		e->flags |= QPU_CONDITIONS;
	}
}

/* Whether a unit's result has neither denormals nor NaN patterns. */
static bool result_is_seen(const struct qpu_plan *e, unsigned unit, const struct known *k) {
	const uint8_t a = e->src[2 * unit], b = e->src[2 * unit + 1];
	const unsigned op = e->op[unit];
	const bool is_move = a == b && (unit ? op == MUL_V8MIN || op == MUL_V8MAX :
			op == ADD_OR || op == ADD_AND || op == ADD_MIN || op == ADD_MAX);
	if (is_move) {
		return a < QPU_ROW_IN_A ? k->is_seen[a] : !(e->unseen >> (2 * unit) & 1);
	}
	return unit ? op == MUL_FMUL : alu_makes_floats(op);
}

static void learn(struct known *k, const struct qpu_instruction *q, const struct qpu_plan *e) {
	bool seen[2];
	for (unsigned unit = 0; unit < 2; unit++) {
		seen[unit] = q->sig == QPU_SIG_LOAD ?
				f32_bits(alu_float(q->immediate)) == q->immediate &&
						q->unpack == QPU_LOAD_WORD :
				e->op[unit] && result_is_seen(e, unit, k);
	}
	if (e->flags & QPU_VARYING) {
		k->r5_is_varying = true;
		k->is_seen[QPU_ROW_R + 5] = false;
	}
	if (q->sig == SIG_COLOR_LOAD || q->sig == QPU_SIG_COLOR_LOAD_END || q->sig == SIG_TMU0 ||
			q->sig == SIG_TMU1) {
		k->is_seen[QPU_ROW_R + 4] = false;
	}
	for (unsigned unit = 0; unit < 2; unit++) {
		const unsigned address = unit ? q->waddr_mul : q->waddr_add;
		const bool always = e->cond[unit] == 1;
		if (e->to[unit] != QPU_ROW_NONE) {
			bool *is_seen = &k->is_seen[e->to[unit]];
			*is_seen = seen[unit] && e->put[unit] != QPU_PUT_PACKED &&
					(always || *is_seen);
			k->w_is_there = k->w_is_there && e->to[unit] != 15;
		} else if (e->put[unit] != QPU_PUT_NONE && address == WRITE_R5) {
			k->is_seen[QPU_ROW_R + 5] = false;
			k->r5_is_varying = false;
		} else if (e->put[unit] != QPU_PUT_NONE && address >= WRITE_SFU &&
				address < WRITE_TMU) {
			k->is_seen[QPU_ROW_R + 4] = always || k->is_seen[QPU_ROW_R + 4];
		}
	}
}

/* ---- Words ---- */

static void plan_alu(struct qpu_plan *e, const struct qpu_instruction *q, const struct known *k,
		bool has_carry) {
	const bool on[2] = { q->op_add && q->cond_add, q->op_mul && q->cond_mul };
	for (unsigned unit = 0; unit < 2; unit++) {
		plan_put(e, q, unit, on[unit]);
	}
	if (q->sf && q->op_add) {
		e->flags |= on[0] ? QPU_FLAGS_OF_ADD : 0;
	} else if (q->sf && on[1]) {
		e->flags |= QPU_FLAGS_OF_MUL;
	}
	if (e->flags & (QPU_FLAGS_OF_ADD | QPU_FLAGS_OF_MUL) && has_carry) {
		e->flags |= QPU_CARRY;
	}
	e->op[0] = e->put[0] || e->flags & QPU_FLAGS_OF_ADD ? q->op_add : 0;
	e->op[1] = e->put[1] || e->flags & QPU_FLAGS_OF_MUL ? q->op_mul : 0;
	plan_reads(e, q);
	for (unsigned i = 0; i < 4; i++) {
		if (e->op[i / 2]) {
			plan_input(e, q, i, k);
		}
	}
	if (e->put[0] == QPU_PUT_PACKED && q->pack == 8) {
		e->flags |= QPU_SATURATES;
	}
	if (e->op[1] && is_small(q) && q->raddr_b >= QPU_ROTATE) {
		e->flags |= QPU_ROTATES;
	}
	if (q->sig == QPU_SIG_PROGRAM_END || (q->sig >= SIG_COLOR_LOAD && q->sig <= SIG_TMU1)) {
		e->flags |= QPU_SIGNAL;
	}
	e->kind = !e->flags && !e->op[0] && !e->op[1] ? QPU_KIND_NOP : QPU_KIND_ALU;
}

static void plan_word(struct qpu_word *w, struct known *k, bool has_carry) {
	const struct qpu_instruction *q = &w->q;
	struct qpu_plan *e = &w->plan;
	*e = (struct qpu_plan){ .immediate = q->immediate };
	switch (q->sig) {
	case SIG_BREAKPOINT:
		e->kind = QPU_KIND_TRAP;
		return;
	case QPU_SIG_BRANCH:
		e->kind = QPU_KIND_BRANCH;
		e->to[0] = e->to[1] = QPU_ROW_NONE;
		memset(k, 0, sizeof(*k)); /* a link may be written */
		return;
	case QPU_SIG_LOAD:
		e->kind = QPU_KIND_LOAD;
		plan_put(e, q, 0, q->cond_add);
		plan_put(e, q, 1, q->cond_mul);
		if (q->sf) {
			e->flags |= q->cond_add ? QPU_FLAGS_OF_ADD : QPU_FLAGS_OF_MUL;
		}
		break;
	default:
		plan_alu(e, q, k, has_carry);
		break;
	}
	learn(k, q, e);
}

/* ---- Programs ---- */

struct rows {
	uint64_t files;
	uint8_t r;
};

static void add_row(struct rows *set, unsigned row) {
	if (row < QPU_ROW_R) {
		set->files |= UINT64_C(1) << row;
	} else if (row < QPU_ROW_IN_A) {
		set->r |= (uint8_t)(1u << (row - QPU_ROW_R));
	}
}

/* Registers that the word reads, or of which it keeps some lanes or bytes. */
static struct rows rows_read(const struct qpu_word *w) {
	const struct qpu_plan *e = &w->plan;
	struct rows rows = { 0, 0 };
	if (e->kind == QPU_KIND_BRANCH) {
		add_row(&rows, w->q.has_register ? w->q.raddr_a : QPU_ROW_NONE);
		return rows;
	}
	for (unsigned i = 0; i < 4; i++) {
		const bool unpacks = is_unpacked(&w->q, mux_of(&w->q, i));
		const uint8_t row = unpacks ? e->unpack_from : e->src[i];
		if (e->kind == QPU_KIND_ALU && e->op[i / 2]) {
			add_row(&rows, row);
		}
	}
	if (e->flags & QPU_ROTATES) {
		add_row(&rows, QPU_ROW_R + 5);
	}
	for (unsigned unit = 0; unit < 2; unit++) {
		if (e->put[unit] != QPU_PUT_ROW) {
			add_row(&rows, e->to[unit]);
		}
	}
	return rows;
}

/* Written in all lanes; the periphery may leave some of r4 and r5. */
static struct rows rows_written(const struct qpu_word *w) {
	struct rows rows = { 0, 0 };
	for (unsigned unit = 0; unit < 2; unit++) {
		if (w->plan.put[unit] == QPU_PUT_ROW) {
			add_row(&rows, w->plan.to[unit]);
		}
	}
	if (w->plan.flags & QPU_VARYING) {
		add_row(&rows, QPU_ROW_R + 5);
	}
	return rows;
}

void qpu_plan(struct qpu_program *p) {
	bool has_carry = false, has_branch = false, has_register = false;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct qpu_instruction *q = &p->word[i].q;
		const bool is_branch = q->sig == QPU_SIG_BRANCH;
		has_branch = has_branch || is_branch;
		has_register = has_register || (is_branch && q->has_register);
		has_carry = has_carry || (is_branch ? q->branch_cond >= 8 && q->branch_cond < 12 :
				q->cond_add >= 6 || q->cond_mul >= 6);
		p->word[i].is_target = is_branch || i == 0;
	}
	for (uint32_t i = 0; i < p->n; i++) {
		const uint32_t target = p->word[i].target;
		if (p->word[i].q.sig == QPU_SIG_BRANCH && target != QPU_NOWHERE) {
			p->word[target].is_target = true;
		}
	}
	struct known k = { .w_is_there = false };
	struct rows written = { 0, 0 };
	p->zeroed = 0;
	p->zeroed_r = 0x30;
	p->uses_w = p->uses_flags = false;
	for (uint32_t i = 0; i < p->n; i++) {
		struct qpu_word *w = &p->word[i];
		if (w->is_target || has_register || w->q.sig == SIG_BREAKPOINT) {
			memset(&k, 0, sizeof(k));
		}
		k.w_is_there = k.w_is_there || (i == p->entry && !has_branch);
		plan_word(w, &k, has_carry);
		const struct rows reads = rows_read(w), writes = rows_written(w);
		p->zeroed |= reads.files & ~written.files;
		p->zeroed_r |= (uint8_t)(reads.r & ~written.r);
		written.files |= has_branch ? 0 : writes.files;
		written.r |= has_branch ? 0 : writes.r;
		p->uses_w = p->uses_w || memchr(w->plan.src, QPU_ROW_W, sizeof(w->plan.src));
		p->uses_flags = p->uses_flags || w->q.sig == QPU_SIG_BRANCH ||
				w->plan.cond[0] > 1 || w->plan.cond[1] > 1;
	}
}
