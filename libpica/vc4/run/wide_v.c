/* Wide programs: each operation on all lanes before the next one. */
#include "vc4/run/wide_v.h"

#include <string.h>

/* Rows of an operation, and how many vectors of them hold lanes. */
#define EACH(value)                                                                                \
	for (unsigned i = 0; i < n; i++) {                                                         \
		const vi a = at(a_row, i);                                                         \
		put(to, i, (value));                                                               \
	}                                                                                          \
	break
#define EACH_TWO(value)                                                                            \
	for (unsigned i = 0; i < n; i++) {                                                         \
		const vi a = at(a_row, i), b = at(b_row, i);                                       \
		put(to, i, (value));                                                               \
	}                                                                                          \
	break
#define FLOATS_TWO(value)                                                                          \
	for (unsigned i = 0; i < n; i++) {                                                         \
		const vf a = vf_as_vi_bits(at(a_row, i)), b = vf_as_vi_bits(at(b_row, i));         \
		put(to, i, (value));                                                               \
	}                                                                                          \
	break

static bool execute(struct wide_core *k, const struct wide_op *op) {
	struct wide_scratch *s = k->s;
	const unsigned n = k->n_vectors;
	const uint32_t *a_row = s->row[op->in[0]], *b_row = s->row[op->in[1]],
		       *c_row = s->row[op->in[2]];
	uint32_t *to = s->row[op->to];
	const int imm = op->imm;
	switch ((enum wide_code)op->code) {
	case WIDE_W:
		wide_w(k, to, imm);
		break;
	case WIDE_Z:
		wide_z(k, to);
		break;
	case WIDE_PIXEL_X:
		wide_pixel(k, to, k->r->x, quad_x);
		break;
	case WIDE_PIXEL_Y:
		wide_pixel(k, to, k->r->y, quad_y);
		break;
	case WIDE_NUMBER:
		for (unsigned i = 0; i < QPU_WIDE_LANES; i++) {
			to[i] = i & (QPU_LANES - 1);
		}
		break;
	case WIDE_PLANE: {
		const struct plane p = plane_of(k, op->value);
		for (unsigned i = 0; i < n; i++) {
			const vf v = plane_at(k, &p, i);
			put(to, i, imm ? see(vi_as_vf_bits(v)) : vi_as_vf_bits(v));
		}
		break;
	}
	case WIDE_PLANE_CONSTANT: {
		const vi c = vi_set1((int32_t)f32_bits(k->r->c[op->value]));
		for (unsigned i = 0; i < n; i++) {
			put(to, i, imm ? see(c) : c);
		}
		break;
	}
	case WIDE_VARYING:
		wide_varying(k, op->value, a_row, to);
		break;
	case WIDE_SEE:
		EACH(see(a));
	case WIDE_FADD:
		FLOATS_TWO(leave(vf_add(a, b)));
	case WIDE_FSUB:
		FLOATS_TWO(leave(vf_sub(a, b)));
	case WIDE_FMUL:
		FLOATS_TWO(leave(vf_mul(a, b)));
	case WIDE_MULTIPLY_ADD:
		for (unsigned i = 0; i < n; i++) {
			const vf a = vf_as_vi_bits(at(a_row, i)), b = vf_as_vi_bits(at(b_row, i));
			const vf product = vf_as_vi_bits(leave(vf_mul(a, b)));
			put(to, i, leave(vf_add(product, vf_as_vi_bits(at(c_row, i)))));
		}
		break;
	case WIDE_FMIN:
		FLOATS_TWO(vector_fmin(a, b));
	case WIDE_FMAX:
		FLOATS_TWO(vector_fmax(a, b));
	case WIDE_FMINABS:
		FLOATS_TWO(vector_fmin(vf_abs(a), vf_abs(b)));
	case WIDE_FMAXABS:
		FLOATS_TWO(vector_fmax(vf_abs(a), vf_abs(b)));
	case WIDE_FTOI:
		EACH(vector_ftoi(vf_as_vi_bits(a)));
	case WIDE_ITOF:
		EACH(vi_as_vf_bits(vf_from_vi(a)));
	case WIDE_ADD:
		EACH_TWO(vi_add(a, b));
	case WIDE_SUB:
		EACH_TWO(vi_sub(a, b));
	case WIDE_SHR:
		EACH(vi_srl(a, (int)(b_row[0] & 31)));
	case WIDE_ASR:
		EACH(vi_sra(a, (int)(b_row[0] & 31)));
	case WIDE_SHL:
		EACH(vi_sll(a, (int)(b_row[0] & 31)));
	case WIDE_MIN:
		EACH_TWO(vi_min(a, b));
	case WIDE_MAX:
		EACH_TWO(vi_max(a, b));
	case WIDE_AND:
		EACH_TWO(vi_and(a, b));
	case WIDE_OR:
		EACH_TWO(vi_or(a, b));
	case WIDE_XOR:
		EACH_TWO(vi_xor(a, b));
	case WIDE_MUL24:
		EACH_TWO(vi_mul(vi_and(a, vi_set1(0xFFFFFF)), vi_and(b, vi_set1(0xFFFFFF))));
	case WIDE_V8ADDS:
		EACH_TWO(bytes_adds(a, b));
	case WIDE_V8SUBS:
		EACH_TWO(bytes_subs(a, b));
	case WIDE_V8MULD:
		EACH_TWO(bytes_muld(a, b));
	case WIDE_V8MIN:
		EACH_TWO(vi_sub(a, bytes_subs(a, b)));
	case WIDE_V8MAX:
		EACH_TWO(vi_add(b, bytes_subs(a, b)));
	case WIDE_IS_ZERO:
		EACH(vi_eq(a, vi_zero()));
	case WIDE_SELECT:
		for (unsigned i = 0; i < n; i++) {
			put(to, i, vi_select(at(a_row, i), at(b_row, i), at(c_row, i)));
		}
		break;
	case WIDE_BYTE:
		EACH(vi_and(vi_srl(a, 8 * imm), vi_set1(0xFF)));
	case WIDE_BYTE_FLOAT:
		EACH(vi_as_vf_bits(byte_as_number(vi_and(vi_srl(a, 8 * imm), vi_set1(0xFF)))));
	case WIDE_BYTE_3:
		EACH(spread_byte(vi_srl(a, 24)));
	case WIDE_HALF:
		EACH(vi_sra(vi_sll(a, imm ? 0 : 16), 16));
	case WIDE_PUT_BYTE:
		EACH_TWO(insert(a, b, 0xFF, 8 * imm));
	case WIDE_PUT_HALF:
		EACH_TWO(insert(a, b, 0xFFFF, 16 * imm));
	case WIDE_SPREAD:
		EACH(spread_byte(vi_and(a, vi_set1(0xFF))));
	case WIDE_PACK_COLOR:
		if (imm == 0xFF) {
			EACH(spread_byte(color_of_number(a)));
		}
		EACH_TWO(insert(color_of_number(a), b, 0xFF, 8 * imm));
	case WIDE_PACK_COLORS:
		wide_colors(k, op, to);
		break;
	case WIDE_RECIP:
	case WIDE_RSQRT:
	case WIDE_EXP2:
	case WIDE_LOG2:
		for (unsigned i = 0; i < n * VF_LANES; i += QPU_LANES) {
			vector_sfu(op->code - WIDE_RECIP, a_row + i, to + i);
		}
		break;
	case WIDE_TEXTURE:
		return wide_texture(k, op, to);
	case WIDE_WORD:
		return wide_word(k, a_row, to);
	case WIDE_LOAD_COLOR:
		wide_load_color(k, op, to);
		break;
	case WIDE_STORE_Z:
		wide_store_z(k, op);
		break;
	case WIDE_STORE_COLOR:
		for (unsigned sample = 0; k->r->is_fragments && sample < k->r->tlb->n_samples;
				sample++) {
			wide_store_color(k, op, sample);
		}
		break;
	case WIDE_STORE_SAMPLE:
		if (k->r->is_fragments) {
			wide_store_color(k, op, op->value % k->r->tlb->n_samples);
		}
		break;
	case WIDE_CONSTANT:
	case WIDE_UNIFORM:
	case WIDE_VPM:
	case WIDE_COUNT:
		break;
	}
	return true;
}

/* Whole rows of what needs no lanes, for this run and those after it. */
static void begin(const struct wide_core *of) {
	struct wide_core k = *of;
	k.n_vectors = WIDE_VECTORS;
	for (unsigned i = 0; i < k.w->n_first; i++) {
		execute(&k, &k.w->op[i]);
	}
	k.s->is_begun = true;
}

bool VFN(qpu_run_wide)(struct qpu_wide_run *r) {
	const struct qpu_wide *w = r->program->wide;
	struct wide_core k;
	k.r = r;
	k.s = r->scratch;
	k.w = w;
	k.has_tame_w = false;
	k.n_vectors = (r->n_lanes + VF_LANES - 1) / VF_LANES;
	if (r->is_fragments && w->n_varyings) {
		set_distances(&k);
	}
	if (!k.s->is_begun) {
		begin(&k);
	}
	for (unsigned i = w->n_first; i < w->n_ops; i++) {
		if (!execute(&k, &w->op[i])) {
			return false;
		}
	}
	return true;
}
