/*
 * Random programs that end: no jump or call goes backward, loops are short. Blocks mostly end with
 * a NOP where an assembler inserts one; programs without calls omit some, since that is defined too
 * (fidelity: flow-control).
 */
#include "random.h"

enum { IDENTITY = 0 }; /* the descriptor of whole, unswizzled operands */

enum {
	OP_MUL = 0x08,
	OP_ADD = 0x00,
	OP_MOVA = 0x12,
	OP_MOV = 0x13,
	OP_END = 0x22,
	OP_NOP = 0x21,
	OP_BREAK = 0x20,
	OP_BREAKC = 0x23,
	OP_CALL = 0x24,
	OP_CALLC = 0x25,
	OP_CALLU = 0x26,
	OP_IFU = 0x27,
	OP_IFC = 0x28,
	OP_LOOP = 0x29,
	OP_EMIT = 0x2A,
	OP_SETEMIT = 0x2B,
	OP_JMPC = 0x2C,
	OP_JMPU = 0x2D,
	MAX_CODE = 460,
};

struct writer {
	struct rng *r;
	struct program *p;
	unsigned n_procs, proc_start[4], proc_len[4];
	bool is_sloppy; /* leaves closing NOPs out */
	bool is_gs;
	unsigned outputs; /* mask of registers that random code may write */
};

static void put(struct writer *w, uint32_t word) {
	w->p->code[w->p->n_code++] = word;
}

static uint32_t f0(uint32_t op) {
	return op << 26;
}

static uint32_t f1(uint32_t op, uint32_t desc, uint32_t dst, uint32_t src1, uint32_t src2) {
	return op << 26 | dst << 21 | src1 << 12 | src2 << 7 | desc;
}

static uint32_t c_reg(uint32_t i) {
	return 0x20 + i;
}

static uint32_t r_reg(uint32_t i) {
	return 0x10 + i;
}

/* ---- Descriptors ---- */

static uint32_t selector(struct rng *r) {
	if (rng_chance(r, 50)) {
		return 0x1B;
	}
	if (rng_chance(r, 60)) {
		return 0x55 * rng_below(r, 4);
	}
	return rng_below(r, 256);
}

static void random_descriptors(struct rng *r, struct program *p) {
	p->n_desc = 32 + rng_below(r, 32);
	p->desc[IDENTITY] = 0xFu | 0x1Bu << 5 | 0x1Bu << 14 | 0x1Bu << 23;
	for (unsigned i = 1; i < p->n_desc; i++) {
		const uint32_t mask = rng_chance(r, 60) ? 0xF : rng_below(r, 16);
		uint32_t d = mask;
		for (unsigned s = 0; s < 3; s++) {
			d |= (uint32_t)rng_chance(r, 20) << (4 + 9 * s) | selector(r)
										  << (5 + 9 * s);
		}
		p->desc[i] = d;
	}
}

/* ---- Single instructions ---- */

static uint32_t narrow(struct rng *r) {
	return rng_chance(r, 35) ? rng_below(r, 16) : r_reg(rng_below(r, 16));
}

static uint32_t wide(struct rng *r, uint32_t *idx) {
	*idx = 0;
	if (rng_chance(r, 50)) {
		return narrow(r);
	}
	if (rng_chance(r, 30)) {
		*idx = rng_below(r, 4);
	}
	return c_reg(rng_below(r, 96));
}

static uint32_t destination(struct writer *w) {
	if (w->outputs && rng_chance(w->r, 30)) {
		uint32_t o;
		do {
			o = rng_below(w->r, 16);
		} while (!(w->outputs >> o & 1));
		return o;
	}
	return r_reg(rng_below(w->r, 16));
}

static void random_op(struct writer *w) {
	static const uint8_t ops[] = {
		0x00,
		0x00,
		0x01,
		0x02,
		0x03,
		0x04,
		0x05,
		0x06,
		0x07,
		0x08,
		0x08,
		0x09,
		0x0A,
		0x0B,
		0x0C,
		0x0D,
		0x0E,
		0x0F,
		0x12,
		0x12,
		0x13,
		0x13,
		0x18,
		0x19,
		0x1A,
		0x1B,
		0x2E,
		0x2F,
		0x30,
		0x38,
		0x38,
	};
	struct rng *r = w->r;
	uint32_t op = ops[rng_below(r, sizeof(ops))];
	uint32_t idx;
	const uint32_t wide_src = wide(r, &idx);
	const uint32_t dst = destination(w);
	const uint32_t n1 = narrow(r), n2 = narrow(r);
	if (rng_chance(r, 1)) {
		op = 0x14 + rng_below(r, 4); /* unknown: does nothing */
	}
	if (op >= 0x30) {
		const uint32_t head = (op == 0x38 ? 7u : 6u) << 29 | dst << 24 | idx << 22 |
				      n1 << 17 | rng_below(r, 32);
		put(w, op == 0x38 ? head | wide_src << 10 | n2 << 5
				  : head | n2 << 12 | wide_src << 5);
		return;
	}
	const uint32_t desc = rng_below(r, w->p->n_desc);
	if (op >= 0x2E) {
		put(w, 0x17u << 27 | rng_below(r, 8) << 24 | rng_below(r, 8) << 21 | idx << 19 |
				wide_src << 12 | n2 << 7 | desc);
	} else if (op >= 0x18 && op <= 0x1B) {
		put(w, op << 26 | dst << 21 | idx << 19 | n1 << 14 | wide_src << 7 | desc);
	} else {
		put(w, f1(op, desc, dst, wide_src, n2) | idx << 19);
	}
}

/* ---- Blocks ---- */

static uint32_t flow(uint32_t op, uint32_t num, uint32_t dst, uint32_t bits) {
	return op << 26 | bits << 22 | dst << 10 | num;
}

static void close_block(struct writer *w, bool needs_nop) {
	if (needs_nop ? !(w->is_sloppy && rng_chance(w->r, 50)) : rng_chance(w->r, 30)) {
		put(w, f0(OP_NOP));
	}
}

static void random_block(struct writer *w, unsigned depth, unsigned count, bool in_loop);

static void random_if(struct writer *w, unsigned depth, bool in_loop) {
	struct program *p = w->p;
	const bool by_uniform = rng_chance(w->r, 50);
	const uint32_t bits = rng_below(w->r, 16);
	const unsigned at = p->n_code;
	put(w, 0);
	random_block(w, depth + 1, 1 + rng_below(w->r, 4), in_loop);
	const unsigned end_true = p->n_code;
	unsigned num = 0;
	if (rng_chance(w->r, 50)) {
		random_block(w, depth + 1, 1 + rng_below(w->r, 4), in_loop);
		num = p->n_code - end_true;
	}
	p->code[at] = flow(by_uniform ? OP_IFU : OP_IFC, num, end_true, bits);
}

static void random_loop(struct writer *w, unsigned depth) {
	struct program *p = w->p;
	const unsigned at = p->n_code;
	put(w, 0);
	random_block(w, depth + 1, 1 + rng_below(w->r, 4), true);
	p->code[at] = flow(OP_LOOP, 0, p->n_code - 1, rng_below(w->r, 4));
}

static void random_call(struct writer *w) {
	const unsigned k = rng_below(w->r, w->n_procs);
	put(w, flow(OP_CALL + rng_below(w->r, 3), w->proc_len[k], w->proc_start[k],
			rng_below(w->r, 16)));
}

/* Writes a jump over one to three instructions inside the block. */
static void random_jump(struct writer *w) {
	struct program *p = w->p;
	const unsigned at = p->n_code;
	const unsigned over = 1 + rng_below(w->r, 3);
	const bool by_uniform = rng_chance(w->r, 50);
	put(w, 0);
	for (unsigned i = 0; i < over; i++) {
		random_op(w);
	}
	p->code[at] = flow(by_uniform ? OP_JMPU : OP_JMPC, by_uniform ? rng_below(w->r, 2) : 0,
			p->n_code, rng_below(w->r, 16));
	put(w, f0(OP_NOP));
}

static void random_block(struct writer *w, unsigned depth, unsigned count, bool in_loop) {
	bool needs_nop = true;
	for (unsigned i = 0; i < count && w->p->n_code < MAX_CODE; i++) {
		const unsigned kind = rng_below(w->r, 100);
		needs_nop = true;
		if (kind < 6 && depth < 3) {
			random_if(w, depth, in_loop);
		} else if (kind < 10 && depth < 3) {
			random_loop(w, depth);
		} else if (kind < 14 && w->n_procs > 0) {
			random_call(w);
		} else if (kind < 17) {
			random_jump(w);
			needs_nop = false;
		} else if (kind < 19 && in_loop) {
			put(w, flow(OP_BREAKC, 0, 0, rng_below(w->r, 16)));
		} else {
			random_op(w);
			needs_nop = false;
		}
	}
	close_block(w, needs_nop);
}

/* Writes procedures before the program; each may call only earlier ones. */
static void random_procs(struct writer *w) {
	const unsigned n = w->is_sloppy || rng_chance(w->r, 50) ? 0 : 1 + rng_below(w->r, 4);
	for (unsigned i = 0; i < n; i++) {
		const unsigned start = w->p->n_code;
		random_block(w, 1, 1 + rng_below(w->r, 5), false);
		if (i > 0 && rng_chance(w->r,
				     60)) { /* a call that ends a procedure: the returns chain */
			put(w, flow(OP_CALL, w->proc_len[i - 1], w->proc_start[i - 1], 0));
		}
		w->proc_start[i] = start;
		w->proc_len[i] = w->p->n_code - start;
		if (w->proc_len[i] == 0) {
			put(w, f0(OP_NOP));
			w->proc_len[i] = 1;
		}
		if (w->proc_len[i] > 255) {
			break;
		}
		w->n_procs = i + 1;
	}
	/*
	 * After four returns at once execution continues after the last one [HW]: it must not reach
	 * the program again.
	 */
	put(w, f0(OP_END));
}

/* ---- Whole programs ---- */

void random_vertex_program(struct rng *r, const struct shape *s, struct program *p) {
	struct writer w = {.r = r, .p = p, .is_sloppy = rng_chance(r, 10)};
	p->n_code = 0;
	random_descriptors(r, p);
	for (unsigned k = 0; k < s->n_slots; k++) {
		if (s->role[k] != SLOT_POSITION) {
			w.outputs |= 1u << s->output[k];
		}
	}
	random_procs(&w);
	p->entry = p->n_code;
	put(&w, f1(OP_MUL, IDENTITY, r_reg(0), c_reg(POSITION_SCALE), s->input[0]));
	put(&w, f1(OP_ADD, IDENTITY, r_reg(0), c_reg(POSITION_OFFSET), r_reg(0)));
	for (unsigned k = 0; k < s->n_slots; k++) {
		if (s->role[k] == SLOT_POSITION) {
			put(&w, f1(OP_MOV, IDENTITY, s->output[k], r_reg(0), 0));
			continue;
		}
		if (rng_chance(r, 3)) {
			continue; /* left unwritten: 0 */
		}
		const unsigned a = rng_below(r, s->n_attributes);
		const uint32_t scale = a == 0 ? POSITION_SCALE : ATTRIBUTE_SCALE + a - 1;
		put(&w, f1(OP_MUL, IDENTITY, s->output[k], c_reg(scale), s->input[a]));
		put(&w, f1(OP_MUL, IDENTITY, r_reg(1 + k), c_reg(scale), s->input[a]));
	}
	if (rng_chance(r, 75)) {
		random_block(&w, 0, 1 + rng_below(r, 12), false);
	}
	for (unsigned k = 0; k < s->n_slots;
		k++) { /* what the body computed shows in the outputs */
		if (s->role[k] != SLOT_POSITION && rng_chance(r, 40)) {
			static const uint8_t mix[] = {0x00, 0x08, 0x0C, 0x0D, 0x13, 0x13};
			const uint32_t src = rng_chance(r, 30) ? c_reg(rng_below(r, 96))
							       : r_reg(rng_below(r, 16));
			const uint32_t idx = rng_chance(r, 60) ? rng_below(r, 4) : 0;
			put(&w, f1(mix[rng_below(r, sizeof(mix))], rng_below(r, p->n_desc),
					s->output[k], src, r_reg(rng_below(r, 16))) |
					idx << 19);
		}
	}
	if (rng_chance(r, 4)) { /* positions from anywhere */
		put(&w, f1(OP_ADD, rng_below(r, p->n_desc), s->output[0], c_reg(rng_below(r, 96)),
				r_reg(0)));
	}
	put(&w, f0(OP_END));
}

/* Writes mov of output slot k of input vertex j, whose place depends on the mode, to register
 * dst. */
static void load_input(struct writer *w, const struct shape *s, const struct gs_shape *g,
		unsigned dst, unsigned vertex, unsigned k) {
	uint32_t src;
	if (g->mode == GS_KIND_POINT) {
		src = g->perm[vertex * s->n_slots + k];
	} else {
		src = c_reg((g->mode == GS_KIND_FIXED ? GS_INPUT : 1) + vertex * s->n_slots + k);
	}
	put(w, f1(OP_MOV, IDENTITY, dst, src, 0));
}

void random_geometry_program(struct rng *r, const struct shape *s, const struct gs_shape *g,
		struct program *p) {
	struct writer w = {.r = r, .p = p, .is_gs = true};
	p->n_code = 0;
	random_descriptors(r, p);
	random_procs(&w);
	p->entry = p->n_code;
	const bool is_tidy = rng_chance(r, 50); /* runs are independent, mostly */
	for (unsigned i = 0; i < 16 && is_tidy; i++) {
		const unsigned vertex = rng_below(r, g->n_vertices);
		load_input(&w, s, g, r_reg(i), vertex, rng_below(r, s->n_slots));
	}
	for (unsigned i = rng_below(r, 4); i > 0 && is_tidy; i--) {
		random_op(&w);
	}
	if (!is_tidy && rng_chance(r, 50)) { /* r registers live on from run to run */
		random_block(&w, 1, 1 + rng_below(r, 6), false);
	}
	if (rng_chance(r, 15)) { /* nothing from all runs but the first, or from the first alone */
		put(&w, flow(OP_IFU, 0, p->n_code + 2, 15));
		put(&w, f0(rng_chance(r, 50) ? OP_END : OP_NOP));
	}
	const unsigned emits = rng_chance(r, 70) ? 3 : 3 + rng_below(r, 4);
	for (unsigned e = 0; e < emits; e++) {
		const bool prim = e >= 2 && (e == 2 || rng_chance(r, 80));
		put(&w, f0(OP_SETEMIT) | e % 3 << 24 | (uint32_t)prim << 23 |
				(uint32_t)rng_chance(r, 30) << 22);
		const unsigned vertex = rng_below(r, g->n_vertices);
		for (unsigned k = 0; k < s->n_slots; k++) {
			if (s->role[k] == SLOT_POSITION) {
				load_input(&w, s, g, r_reg(15), vertex, k);
				put(&w, f1(OP_ADD, IDENTITY, g->output[k], c_reg(GS_OFFSET + e % 6),
						r_reg(15)));
			} else if (is_tidy || rng_chance(r, 85)) {
				/* else: what the bank held two emits ago */
				load_input(&w, s, g, g->output[k], vertex, k);
			}
		}
		if (rng_chance(r, 20)) {
			random_op(&w);
		}
		put(&w, f0(OP_EMIT));
	}
	put(&w, f0(OP_END));
}
