/* The interpreter, one lane at a time: the truth. */
#include <errno.h>
#include <string.h>

#include "vc4/run/alu.h"
#include "vc4/run/machine.h"

enum { ALL_LANES = 0xFFFF };

struct core {
	struct machine m; /* first */
	unsigned z, n, c; /* flags; bit: lane */
	uint32_t in_a[QPU_LANES], in_b[QPU_LANES];
	/* With a trace: what the units of this instruction wrote, and in which lanes. */
	uint32_t out[2][QPU_LANES];
	unsigned out_lanes[2];
};
_Static_assert(sizeof(struct core) <= QPU_SCRATCH_BYTES, "a run needs more scratch");

/* A result of both units. */
struct result {
	uint32_t v[QPU_LANES];
	unsigned carry;
};

static unsigned lanes_of(const struct core *k, unsigned cond) {
	const unsigned set[4] = { 0, k->z, k->n, k->c };
	const unsigned lanes = set[cond >> 1];
	return (cond & 1 ? ~lanes : lanes) & ALL_LANES;
}

/* ---- Inputs ---- */

static int read_inputs(struct core *k, const struct qpu_instruction *q) {
	struct machine *m = &k->m;
	const bool is_immediate = q->sig == QPU_SIG_SMALL_IMMEDIATE;
	const bool is_shared = !is_immediate && q->raddr_a == q->raddr_b &&
			(q->raddr_a == READ_UNIFORM || q->raddr_a == READ_VARYING ||
			q->raddr_a == READ_VPM);
	int ret = 0;
	if (q->raddr_a < 32) {
		memcpy(k->in_a, m->row[q->raddr_a], sizeof(k->in_a));
	} else {
		ret = machine_read(m, 0, q->raddr_a, k->in_a);
	}
	if (is_immediate) {
		for (unsigned i = 0; i < QPU_LANES; i++) {
			k->in_b[i] = alu_small_immediate(q->raddr_b);
		}
	} else if (is_shared) {
		memcpy(k->in_b, k->in_a, sizeof(k->in_b));
	} else if (q->raddr_b < 32) {
		memcpy(k->in_b, m->row[QPU_ROW_B + q->raddr_b], sizeof(k->in_b));
	} else if (!ret) {
		ret = machine_read(m, 1, q->raddr_b, k->in_b);
	}
	return ret;
}

static uint32_t input(const struct core *k, const struct qpu_instruction *q, unsigned mux,
		unsigned lane, bool is_float) {
	if (mux == QPU_INPUT_A) {
		return alu_unpack(q->pm ? 0 : q->unpack, k->in_a[lane], is_float);
	}
	if (mux == QPU_INPUT_B) {
		return k->in_b[lane];
	}
	const uint32_t v = k->m.row[QPU_ROW_R + mux][lane];
	return alu_unpack(q->pm && mux == 4 ? q->unpack : 0, v, true);
}

/* ---- Results ---- */

static void rotate(const struct core *k, const struct qpu_instruction *q, struct result *r) {
	const uint32_t r5 = k->m.row[QPU_ROW_R + 5][0];
	const unsigned n = (q->raddr_b == QPU_ROTATE ? r5 : q->raddr_b) & 15;
	const bool is_full = q->mul_a < 4 && q->mul_b < 4;
	const struct result from = *r;
	for (unsigned i = 0; i < QPU_LANES; i++) {
		const unsigned to = is_full ? (i + n) & 15 : (i & 12) | ((i + n) & 3);
		r->v[to] = from.v[i];
		r->carry = (r->carry & ~(1u << to)) | (from.carry >> i & 1) << to;
	}
}

static void set_flags(struct core *k, const struct result *r, unsigned lanes) {
	for (unsigned i = 0; i < QPU_LANES; i++) {
		if (lanes >> i & 1) {
			const unsigned bit = 1u << i;
			k->z = r->v[i] == 0 ? k->z | bit : k->z & ~bit;
			k->n = r->v[i] >> 31 ? k->n | bit : k->n & ~bit;
			k->c = r->carry & bit ? k->c | bit : k->c & ~bit;
		}
	}
}

/* Destination and packing of a result. */
struct destination {
	unsigned file, address;
	bool is_on; /* else nothing is written; the periphery also sees a write in no lanes */
	bool is_mul, is_float;
	unsigned lanes;
	unsigned unit; /* 0: add, 1: multiply */
};

/* Called before a write to the tile buffer by lanes of the trace. */
static void note_write(const struct core *k, const struct destination *d) {
	const struct qpu_tlb *tlb = k->m.run->tlb;
	for (struct qpu_trace *t = k->m.run->trace; t && tlb; t = t->next) {
		const bool is_in = d->lanes >> t->lane & 1;
		if (d->address == WRITE_Z) {
			const uint32_t px = tlb->quad_px[t->lane / 4] + t->lane % 4;
			t->fails_stencil = t->writes_z ? t->fails_stencil :
							 tlb_fails_stencil(&k->m, tlb->zs[px]);
			t->writes_z = true;
			t->has_z |= is_in;
		} else if (d->address == WRITE_COLOR || d->address == WRITE_COLOR_SAMPLE) {
			const bool is_first = d->address == WRITE_COLOR || !k->m.store_sample;
			t->color = is_in && is_first ? k->out[d->unit][t->lane] : t->color;
			t->has_color |= is_in;
		}
	}
}

static int write(struct core *k, const struct qpu_instruction *q, const struct destination *d,
		uint32_t v[QPU_LANES]) {
	struct machine *m = &k->m;
	uint32_t *row = d->address < 32 ? m->row[d->file * QPU_ROW_B + d->address] :
			d->address < WRITE_R0 + 4 ?
			m->row[QPU_ROW_R + d->address - WRITE_R0] : NULL;
	const bool packs_a = !q->pm && d->file == 0 && d->address < 32;
	if (!d->is_on) {
		return 0; /* then the pack may be a reserved one */
	}
	for (unsigned i = 0; i < QPU_LANES; i++) {
		const uint32_t old = row ? row[i] : 0;
		if (packs_a) {
			v[i] = alu_pack(q->pack, v[i], old, d->is_float);
		} else if (q->pm && d->is_mul) {
			v[i] = alu_pack_color(q->pack, v[i], old);
		}
		if (row && d->lanes >> i & 1) {
			row[i] = v[i];
		}
	}
	if (PICA_UNLIKELY(m->run->trace != NULL)) {
		memcpy(k->out[d->unit], v, sizeof(k->out[0]));
		k->out_lanes[d->unit] = d->lanes;
		note_write(k, d);
	}
	return row ? 0 : machine_write(m, d->file, d->address, v, d->lanes);
}

/* ---- Instructions ---- */

static void run_add(const struct core *k, const struct qpu_instruction *q, struct result *r,
		uint32_t out[QPU_LANES]) {
	const bool is_float = alu_takes_floats(q->op_add);
	const bool saturates = !q->pm && q->pack == 8 && !q->ws && q->waddr_add < 32;
	r->carry = 0;
	for (unsigned i = 0; i < QPU_LANES; i++) {
		const uint32_t a = input(k, q, q->add_a, i, is_float);
		const uint32_t b = input(k, q, q->add_b, i, is_float);
		bool carry;
		r->v[i] = alu_add(q->op_add, a, b, &carry);
		r->carry |= (unsigned)carry << i;
		out[i] = saturates ? alu_saturate(q->op_add, a, b, r->v[i]) : r->v[i];
	}
}

static void run_mul(const struct core *k, const struct qpu_instruction *q, struct result *r) {
	const bool is_float = q->op_mul == MUL_FMUL;
	r->carry = 0;
	for (unsigned i = 0; i < QPU_LANES; i++) {
		bool carry;
		r->v[i] = alu_mul(q->op_mul, input(k, q, q->mul_a, i, is_float),
				input(k, q, q->mul_b, i, is_float), &carry);
		r->carry |= (unsigned)carry << i;
	}
	if (q->sig == QPU_SIG_SMALL_IMMEDIATE && q->raddr_b >= QPU_ROTATE) {
		rotate(k, q, r);
	}
}

static int run_alu(struct core *k, const struct qpu_instruction *q) {
	struct machine *m = &k->m;
	int ret = read_inputs(k, q);
	if (ret) {
		return ret;
	}
	struct result a, b;
	uint32_t saturated[QPU_LANES];
	run_add(k, q, &a, saturated);
	run_mul(k, q, &b);
	const struct destination to_add = {
		q->ws, q->waddr_add, q->op_add && q->cond_add, false,
		alu_makes_floats(q->op_add), lanes_of(k, q->cond_add), 0,
	};
	const struct destination to_mul = {
		!q->ws, q->waddr_mul, q->op_mul && q->cond_mul, true, q->op_mul == MUL_FMUL,
		lanes_of(k, q->cond_mul), 1,
	};
	if (q->sf && q->op_add) {
		set_flags(k, &a, to_add.lanes);
	} else if (q->sf && q->op_mul) {
		set_flags(k, &b, to_mul.lanes);
	}
	if (q->raddr_a == READ_VARYING || (q->raddr_b == READ_VARYING &&
			q->sig != QPU_SIG_SMALL_IMMEDIATE)) {
		const uint32_t c = machine_constant(m);
		for (unsigned i = 0; i < QPU_LANES; i++) {
			m->row[QPU_ROW_R + 5][i] = c;
		}
	}
	ret = machine_signal(m, q->sig);
	ret = ret ? ret : write(k, q, &to_add, saturated);
	return ret ? ret : write(k, q, &to_mul, b.v);
}

static int run_load(struct core *k, const struct qpu_instruction *q) {
	struct result r = { .carry = 0 };
	uint32_t v[QPU_LANES];
	for (unsigned i = 0; i < QPU_LANES; i++) {
		const uint32_t high = q->immediate >> (16 + i) & 1, low = q->immediate >> i & 1;
		r.v[i] = q->unpack == QPU_LOAD_WORD ? q->immediate :
				q->unpack == QPU_LOAD_SIGNED ? low - 2 * high : low + 2 * high;
		v[i] = r.v[i];
	}
	const struct destination to_add = {
		q->ws, q->waddr_add, q->cond_add, false, false, lanes_of(k, q->cond_add), 0
	};
	const struct destination to_mul = {
		!q->ws, q->waddr_mul, q->cond_mul, true, false, lanes_of(k, q->cond_mul), 1
	};
	if (q->sf) {
		set_flags(k, &r, q->cond_add ? to_add.lanes : to_mul.lanes);
	}
	int ret = write(k, q, &to_add, v);
	return ret ? ret : write(k, q, &to_mul, r.v);
}

static int run_branch(struct core *k, const struct qpu_word *w) {
	const struct qpu_instruction *q = &w->q;
	const unsigned set[4] = { k->z, k->n, k->c };
	if (q->branch_cond != BRANCH_ALWAYS &&
			!machine_condition(&k->m, q->branch_cond, set[q->branch_cond >> 2])) {
		return 0;
	}
	return machine_branch(&k->m, w);
}

static int run_word(struct core *k, const struct qpu_word *w) {
	switch (w->q.sig) {
	case SIG_BREAKPOINT:
		return machine_fail(&k->m, -EOPNOTSUPP, "nothing was decoded here");
	case QPU_SIG_LOAD:
		return run_load(k, &w->q);
	case QPU_SIG_BRANCH:
		return run_branch(k, w);
	default:
		return run_alu(k, &w->q);
	}
}

/* An instruction has run; trace: of each lane. */
static void trace_step(const struct core *k, const struct qpu_word *w) {
	const unsigned sig = w->q.sig;
	const bool loads_color = sig == SIG_COLOR_LOAD || sig == QPU_SIG_COLOR_LOAD_END;
	const bool loads = loads_color || sig == SIG_TMU0 || sig == SIG_TMU1;
	for (struct qpu_trace *t = k->m.run->trace; t; t = t->next) {
		const unsigned i = t->lane;
		const bool adds = k->out_lanes[0] >> i & 1, multiplies = k->out_lanes[1] >> i & 1;
		t->reads_color |= loads_color;
		if (t->n < t->cap) {
			t->steps[t->n] = (struct pica_qpu_step){ .word = qpu_encode(&w->q),
				.address = w->address,
				.value = { adds ? k->out[0][i] : 0, multiplies ? k->out[1][i] : 0 },
				.r4 = loads ? k->m.row[QPU_ROW_R + 4][i] : 0,
				.wrote = (uint8_t)(adds | multiplies << 1 | loads << 2),
				.flags = (uint8_t)((k->z >> i & 1) | (k->n >> i & 1) << 1 |
						(k->c >> i & 1) << 2) };
		}
		t->n++;
	}
}

int qpu_run_c(struct qpu_run *r) {
	struct core *k = r->scratch;
	struct machine *m = &k->m;
	memset(m->row, 0, sizeof(m->row));
	machine_init(m, r, vc4_texture_look_up);
	k->z = k->n = k->c = 0;
	const struct qpu_word *w;
	int ret = 0;
	do {
		w = &m->program->word[m->pc];
		if (m->steps == QPU_MAX_STEPS) {
			ret = machine_fail(m, -EDQUOT, "the program does not end");
			break;
		}
		machine_begin(m);
		k->out_lanes[0] = k->out_lanes[1] = 0;
		ret = run_word(k, w);
		if (PICA_UNLIKELY(r->trace != NULL)) {
			trace_step(k, w);
		}
	} while (!ret && machine_advance(m));
	r->steps = m->steps;
	if (ret) {
		r->fault.address = w->address;
	}
	return ret;
}
