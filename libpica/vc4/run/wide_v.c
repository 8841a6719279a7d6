/* Wide programs: each operation on all lanes before the next one. */
#include "vc4/run/wide_v.h"

#include <string.h>

#include "core/vec/flags.h"

typedef void run_fn(struct wide_core *k, const struct wide_op *op);

/* An operation of its own, and those that have a value for each vector. */
#define RUN(name) static void run_##name(struct wide_core *k, const struct wide_op *op)
#define TO k->s->row[op->to]
#define IN(n) k->s->row[op->in[n]]
#define ONE(name, value) \
	RUN(name) { \
		const uint32_t *a_row = IN(0); \
		uint32_t *to = TO; \
		const int imm = op->imm; \
		(void)imm; \
		EACH_OF(k, { \
			const vi a = at(a_row, i); \
			put(to, i, (value)); \
		}); \
	}
#define TWO(name, value) \
	RUN(name) { \
		const uint32_t *a_row = IN(0), *b_row = IN(1); \
		uint32_t *to = TO; \
		const int imm = op->imm; \
		(void)imm; \
		EACH_OF(k, { \
			const vi a = at(a_row, i), b = at(b_row, i); \
			put(to, i, (value)); \
		}); \
	}
#define THREE(name, value) \
	RUN(name) { \
		const uint32_t *a_row = IN(0), *b_row = IN(1), *c_row = IN(2); \
		uint32_t *to = TO; \
		EACH_OF(k, { \
			const vi a = at(a_row, i), b = at(b_row, i), c = at(c_row, i); \
			put(to, i, (value)); \
		}); \
	}
#define SHIFT(name, word) \
	RUN(name) { \
		const uint32_t *a_row = IN(0); \
		const int by = (int)(IN(1)[0] & 31); \
		uint32_t *to = TO; \
		EACH_OF(k, put(to, i, word(at(a_row, i), by))); \
	}
#define F(x) vf_as_vi_bits(x)
#define BITS(x) vi_as_vf_bits(x)

/* ---- Inputs ---- */

RUN(W) {
	wide_w(k, TO, op->imm);
}
RUN(Z) {
	wide_z(k, TO);
}
RUN(PIXEL_X) {
	wide_pixel(k, TO, k->r->x, quad_x, block_x);
}
RUN(PIXEL_Y) {
	wide_pixel(k, TO, k->r->y, quad_y, block_y);
}
RUN(NUMBER) {
	for (unsigned i = 0; i < QPU_WIDE_LANES; i++) {
		TO[i] = i & (QPU_LANES - 1);
	}
}
RUN(PLANE) {
	const struct plane p = plane_of(k, op->value);
	uint32_t *to = TO;
	for (unsigned i = 0; i < k->n_vectors; i++) {
		const vi v = BITS(plane_at(k, &p, i));
		put(to, i, op->imm ? see(v) : v);
	}
}
RUN(PLANE_CONSTANT) {
	const vi c = vi_set1((int32_t)f32_bits(k->r->c[op->value]));
	uint32_t *to = TO;
	for (unsigned i = 0; i < k->n_vectors; i++) {
		put(to, i, op->imm ? see(c) : c);
	}
}
RUN(VARYING) {
	wide_varying(k, op->value, IN(0), TO);
}

/* ---- Numbers ---- */

ONE(SEE, see(a))
TWO(FADD, leave(vf_add(F(a), F(b))))
TWO(FSUB, leave(vf_sub(F(a), F(b))))
TWO(FMUL, leave(vf_mul(F(a), F(b))))
THREE(MULTIPLY_ADD, leave(vf_add(F(leave(vf_mul(F(a), F(b)))), F(c))))
TWO(PLAIN_FADD, BITS(vf_add(F(a), F(b))))
TWO(PLAIN_FSUB, BITS(vf_sub(F(a), F(b))))
TWO(PLAIN_FMUL, BITS(vf_mul(F(a), F(b))))
THREE(PLAIN_MULTIPLY_ADD, BITS(vf_add(vf_mul(F(a), F(b)), F(c))))
TWO(FMIN, vector_fmin(F(a), F(b)))
TWO(FMAX, vector_fmax(F(a), F(b)))
TWO(FMINABS, vector_fmin(vf_abs(F(a)), vf_abs(F(b))))
TWO(FMAXABS, vector_fmax(vf_abs(F(a)), vf_abs(F(b))))
ONE(FTOI, vector_ftoi(F(a)))
ONE(ITOF, BITS(vf_from_vi(a)))

/* ---- Integers ---- */

TWO(ADD, vi_add(a, b))
TWO(SUB, vi_sub(a, b))
SHIFT(SHR, vi_srl)
SHIFT(ASR, vi_sra)
SHIFT(SHL, vi_sll)
TWO(MIN, vi_min(a, b))
TWO(MAX, vi_max(a, b))
TWO(AND, vi_and(a, b))
TWO(OR, vi_or(a, b))
TWO(XOR, vi_xor(a, b))
TWO(MUL24, vi_mul(vi_and(a, vi_set1(0xFFFFFF)), vi_and(b, vi_set1(0xFFFFFF))))
TWO(V8ADDS, bytes_adds(a, b))
TWO(V8SUBS, bytes_subs(a, b))
TWO(V8MULD, bytes_muld(a, b))
TWO(V8MIN, vi_sub(a, bytes_subs(a, b)))
TWO(V8MAX, vi_add(b, bytes_subs(a, b)))
ONE(IS_ZERO, vi_eq(a, vi_zero()))
THREE(SELECT, vi_select(a, b, c))

/* ---- Packing ---- */

ONE(BYTE, vi_and(vi_srl(a, 8 * imm), vi_set1(0xFF)))
ONE(BYTE_FLOAT, BITS(byte_as_number(vi_and(vi_srl(a, 8 * imm), vi_set1(0xFF)))))
ONE(BYTE_3, spread_byte(vi_srl(a, 24)))
ONE(HALF, vi_sra(vi_sll(a, imm ? 0 : 16), 16))
TWO(PUT_BYTE, insert(a, b, 0xFF, 8 * imm))
TWO(PUT_HALF, insert(a, b, 0xFFFF, 16 * imm))
ONE(SPREAD, spread_byte(vi_and(a, vi_set1(0xFF))))
TWO(PACK_COLOR, imm == 0xFF ? spread_byte(color_of_number(a)) :
			      insert(color_of_number(a), b, 0xFF, 8 * imm))
RUN(PACK_COLORS) {
	wide_colors(k, op, TO);
}

/* ---- Units ---- */

static inline void special(const struct wide_core *k, const struct wide_op *op, unsigned function) {
	for (unsigned i = 0; i < k->n_vectors * VF_LANES; i += QPU_LANES) {
		vector_sfu(function, IN(0) + i, TO + i);
	}
}
RUN(RECIP) {
	special(k, op, SFU_RECIP);
}
RUN(RSQRT) {
	special(k, op, SFU_RSQRT);
}
RUN(EXP2) {
	special(k, op, SFU_EXP2);
}
RUN(LOG2) {
	special(k, op, SFU_LOG2);
}
RUN(TEXTURE) {
	wide_texture(k, op, TO);
}
RUN(WORD) {
	wide_word(k, IN(0), NULL, NULL, op->imm, TO);
}
RUN(ELEMENT) {
	if (op->value == WIDE_LEADER) {
		k->has_group = wide_group(k, op);
	}
	if (op->value != WIDE_ALONE && k->has_group) {
		return;
	}
	wide_word(k, IN(0), IN(1), IN(2), op->imm, TO);
}
RUN(LOAD_COLOR) {
	wide_load_color(k, op, TO);
}
RUN(STORE_Z) {
	wide_store_z(k, op);
}
RUN(STORE_COLOR) {
	for (unsigned s = 0; k->r->is_fragments && s < k->r->tlb->n_samples; s++) {
		wide_store_color(k, op, s);
	}
}
RUN(STORE_SAMPLE) {
	if (k->r->is_fragments) {
		wide_store_color(k, op, op->value % k->r->tlb->n_samples);
	}
}

/* ---- Programs ---- */

#define run_CONSTANT NULL
#define run_UNIFORM NULL
#define run_VPM NULL
static run_fn *const run_by_code[WIDE_COUNT] = {
#define WIDE(name, operands) run_##name,
#include "vc4/run/wide.def"
#undef WIDE
};

/* Operations that are independent of lanes, for this run and those after it. */
static void begin(const struct wide_core *of) {
	struct wide_core k = *of;
	k.n_vectors = WIDE_VECTORS;
	for (unsigned i = 0; i < k.w->n_first; i++) {
		run_by_code[k.w->op[i].code](&k, &k.w->op[i]);
	}
	k.s->is_begun = true;
}

/* The operations that write nothing but rows: if that gives the same, without flushing numbers. */
static void run_pure(struct wide_core *k) {
	const struct wide_op *op = k->w->op, *end = op + k->w->n_pure;
	if (FLOAT_HAS_FLAGS) {
		float_flags_clear();
		for (op += k->w->n_first; op < end; op++) {
			run_by_code[op->plain](k, op);
		}
		if (!float_flags()) {
			return;
		}
	}
	for (op = k->w->op + k->w->n_first; op < end; op++) {
		run_by_code[op->code](k, op);
	}
}

bool VFN(qpu_run_wide)(struct qpu_wide_run *r) {
	const struct qpu_wide *w = r->program->wide;
	struct wide_core k;
	k.r = r;
	k.s = r->scratch;
	k.w = w;
	k.has_tame_w = k.fails = false;
	k.n_vectors = (r->n_lanes + VF_LANES - 1) / VF_LANES;
	if (r->is_fragments && w->n_varyings) {
		set_distances(&k);
	}
	if (!k.s->is_begun) {
		begin(&k);
	}
	run_pure(&k);
	for (unsigned i = w->n_pure; !k.fails && i < w->n_ops; i++) {
		run_by_code[w->op[i].code](&k, &w->op[i]);
	}
	return !k.fails;
}
