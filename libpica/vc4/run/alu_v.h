/* The operations of both units on vectors; bit-exact with alu.h. For vector sources only. */
#ifndef VC4_RUN_ALU_V_H
#define VC4_RUN_ALU_V_H

#include <stdbool.h>

#include "core/base/attributes.h"
#include "core/vec/vec.h"
#include "vc4/run/alu.h"
#include "vc4/run/run.h"

enum { VECTORS = QPU_LANES / VF_LANES };

#define EACH_VECTOR(i) for (unsigned i = 0; i < VECTORS; i++)

static inline vi load(const uint32_t *row, unsigned i) {
	return vi_load(row + i * VF_LANES);
}

static inline void store(uint32_t *row, unsigned i, vi x) {
	vi_store(row + i * VF_LANES, x);
}

/* ---- Numbers ---- */

/* alu_float() */
static inline vi see(vi bits) {
	const vi magnitude = vi_and(bits, vi_set1(0x7FFFFFFF));
	const vi sign = vi_andnot(vi_set1(0x7FFFFFFF), bits);
	return vi_and(vi_or(vi_min(magnitude, vi_set1(0x7F800000)), sign),
			vi_gt(magnitude, vi_set1(0x007FFFFF)));
}

/* alu_number(). Magnitudes to keep are moved to the lower end of int32, for one comparison. */
static inline vi leave(vf x) {
	const vi bits = vi_as_vf_bits(x);
	const vi moved = vi_add(vi_and(bits, vi_set1(0x7FFFFFFF)), vi_set1(0x7F800000));
	return vi_and(bits, vi_gt(vi_set1(-0x00FFFFFF), moved));
}

static inline vf number(const uint32_t *row, unsigned i, bool is_unseen) {
	const vi bits = load(row, i);
	return vf_as_vi_bits(is_unseen ? see(bits) : bits);
}

/* ---- Bytes: two 16-bit fields of a lane at a time ---- */

static inline vi low_bytes(vi x) {
	return vi_and(x, vi_set1(0x00FF00FF));
}

/* Returns 0xFF in the fields whose bit 8 is set. */
static inline vi fields_of_bit_8(vi x) {
	const vi bit = vi_and(vi_srl(x, 8), vi_set1(0x00010001));
	return vi_sub(vi_sll(bit, 8), bit);
}

static inline vi fields_add(vi a, vi b) {
	const vi sum = vi_add(a, b);
	return low_bytes(vi_or(sum, fields_of_bit_8(sum)));
}

static inline vi fields_sub(vi a, vi b) {
	const vi rest = vi_sub(vi_or(a, vi_set1(0x01000100)), b);
	return vi_and(rest, fields_of_bit_8(rest));
}

static inline vi bytes_adds(vi a, vi b) {
	const vi high = fields_add(low_bytes(vi_srl(a, 8)), low_bytes(vi_srl(b, 8)));
	return vi_or(fields_add(low_bytes(a), low_bytes(b)), vi_sll(high, 8));
}

static inline vi bytes_subs(vi a, vi b) {
	const vi high = fields_sub(low_bytes(vi_srl(a, 8)), low_bytes(vi_srl(b, 8)));
	return vi_or(fields_sub(low_bytes(a), low_bytes(b)), vi_sll(high, 8));
}

/* (a * b + 127) / 255 of bytes, as (t + 1 + (t >> 8)) >> 8 with t = a * b + 127. */
static inline vi byte_muld(vi a, vi b, int at) {
	const vi byte = vi_set1(255);
	const vi t = vi_add(vi_mul(vi_and(vi_srl(a, at), byte), vi_and(vi_srl(b, at), byte)),
			vi_set1(127));
	return vi_sll(vi_srl(vi_add(vi_add(t, vi_set1(1)), vi_srl(t, 8)), 8), at);
}

static inline vi bytes_muld(vi a, vi b) {
	return vi_or(vi_or(byte_muld(a, b, 0), byte_muld(a, b, 8)),
			vi_or(byte_muld(a, b, 16), byte_muld(a, b, 24)));
}

/* ---- Units ---- */

/* One lane at a time: for rare operations, and shifts whose count differs between lanes. */
static inline void scalar_add(unsigned op, const uint32_t *a, const uint32_t *b, vi x[VECTORS]) {
	PICA_ALIGNED(64) uint32_t out[QPU_LANES];
	for (unsigned i = 0; i < QPU_LANES; i++) {
		bool carry;
		out[i] = alu_add(op, a[i], b[i], &carry);
	}
	EACH_VECTOR(i) {
		x[i] = load(out, i);
	}
}

#define ALU_EACH(value) \
	EACH_VECTOR(i) { \
		const vi a = load(row_a, i), b = load(row_b, i); \
		(void)b; \
		x[i] = (value); \
	} \
	break
#define ALU_NUMBERS(value) \
	if (unseen) { \
		EACH_VECTOR(i) { \
			const vf a = number(row_a, i, unseen & 1); \
			const vf b = number(row_b, i, unseen & 2); \
			x[i] = (value); \
		} \
	} else { \
		EACH_VECTOR(i) { \
			const vf a = number(row_a, i, false), b = number(row_b, i, false); \
			x[i] = (value); \
		} \
	} \
	break
/* is_same: all lanes of b are equal. */
#define ALU_SHIFT(value) \
	if (is_same) { \
		const int n = (int)(row_b[0] & 31); \
		EACH_VECTOR(i) { \
			const vi a = load(row_a, i); \
			x[i] = (value); \
		} \
	} else { \
		scalar_add(op, row_a, row_b, x); \
	} \
	break

static inline vi vector_ftoi(vf a) {
	const vi is_in = vi_and(vf_ge(a, vf_set1(-0x1p31f)), vf_lt(a, vf_set1(0x1p31f)));
	return vi_and(vi_from_vf_trunc(a), is_in);
}

/* a > b ? b : a. All zeros are +0. */
static inline vi vector_fmin(vf a, vf b) {
	return vi_select(vf_gt(a, b), vi_as_vf_bits(b), vi_as_vf_bits(a));
}
static inline vi vector_fmax(vf a, vf b) {
	return vi_select(vf_gt(a, b), vi_as_vf_bits(a), vi_as_vf_bits(b));
}

/* unseen: bit 0 for a, bit 1 for b. */
static inline void vector_add(unsigned op, const uint32_t *row_a, const uint32_t *row_b,
		unsigned unseen, bool is_same, vi x[VECTORS]) {
	switch (op) {
	case ADD_FADD:
		ALU_NUMBERS(leave(vf_add(a, b)));
	case ADD_FSUB:
		ALU_NUMBERS(leave(vf_sub(a, b)));
	case ADD_FMIN:
		unseen = 3;
		ALU_NUMBERS(vector_fmin(a, b));
	case ADD_FMAX:
		unseen = 3;
		ALU_NUMBERS(vector_fmax(a, b));
	case ADD_FMINABS:
		unseen = 3;
		ALU_NUMBERS(vector_fmin(vf_abs(a), vf_abs(b)));
	case ADD_FMAXABS:
		unseen = 3;
		ALU_NUMBERS(vector_fmax(vf_abs(a), vf_abs(b)));
	case ADD_FTOI:
		ALU_EACH(vector_ftoi(vf_as_vi_bits(a)));
	case ADD_ITOF:
		ALU_EACH(vi_as_vf_bits(vf_from_vi(a)));
	case ADD_ADD:
		ALU_EACH(vi_add(a, b));
	case ADD_SUB:
		ALU_EACH(vi_sub(a, b));
	case ADD_SHR:
		ALU_SHIFT(vi_srl(a, n));
	case ADD_ASR:
		ALU_SHIFT(vi_sra(a, n));
	case ADD_SHL:
		ALU_SHIFT(vi_sll(a, n));
	case ADD_MIN:
		ALU_EACH(vi_min(a, b));
	case ADD_MAX:
		ALU_EACH(vi_max(a, b));
	case ADD_AND:
		ALU_EACH(vi_and(a, b));
	case ADD_OR:
		ALU_EACH(vi_or(a, b));
	case ADD_XOR:
		ALU_EACH(vi_xor(a, b));
	case ADD_NOT:
		ALU_EACH(vi_xor(a, vi_set1(-1)));
	case ADD_V8ADDS:
		ALU_EACH(bytes_adds(a, b));
	case ADD_V8SUBS:
		ALU_EACH(bytes_subs(a, b));
	default: /* ror, clz */
		scalar_add(op, row_a, row_b, x);
		break;
	}
}

static inline void vector_mul(unsigned op, const uint32_t *row_a, const uint32_t *row_b,
		unsigned unseen, vi x[VECTORS]) {
	switch (op) {
	case MUL_FMUL:
		ALU_NUMBERS(leave(vf_mul(a, b)));
	case MUL_MUL24:
		ALU_EACH(vi_mul(vi_and(a, vi_set1(0xFFFFFF)), vi_and(b, vi_set1(0xFFFFFF))));
	case MUL_V8MULD:
		ALU_EACH(bytes_muld(a, b));
	case MUL_V8MIN:
		if (row_a == row_b) {
			ALU_EACH(a);
		}
		ALU_EACH(vi_sub(a, bytes_subs(a, b)));
	case MUL_V8MAX:
		if (row_a == row_b) {
			ALU_EACH(a);
		}
		ALU_EACH(vi_add(b, bytes_subs(a, b)));
	case MUL_V8ADDS:
		ALU_EACH(bytes_adds(a, b));
	default:
		ALU_EACH(bytes_subs(a, b));
	}
}

#undef ALU_EACH
#undef ALU_NUMBERS
#undef ALU_SHIFT

/* ---- Packing ---- */

/* alu_color() */
static inline vi vector_color(vi bits) {
	const vf x = vf_as_vi_bits(see(bits));
	const vf clamped = vf_min(vf_max(x, vf_zero()), vf_set1(1.0f));
	const vi u = vi_from_vf_trunc(vf_mul(clamped, vf_set1(1024.0f)));
	return vi_srl(vi_add(vi_sub(u, vi_srl(u, 8)), vi_set1(2)), 2);
}

/* alu_pack_color() */
static inline vi vector_pack_color(unsigned code, vi x, vi old) {
	const vi c = vector_color(x);
	const int at = 8 * ((int)(code & 7) - 4);
	if (at < 0) {
		const vi pair = vi_or(c, vi_sll(c, 8));
		return vi_or(pair, vi_sll(pair, 16));
	}
	return vi_or(vi_andnot(vi_sll(vi_set1(0xFF), at), old), vi_sll(c, at));
}

/* alu_unpack() of bytes, codes 4 to 7. */
static inline vi vector_byte(unsigned code, vi x, bool to_float) {
	const vi byte = vi_and(vi_srl(x, 8 * ((int)code - 4)), vi_set1(0xFF));
	return to_float ? vi_as_vf_bits(vf_div(vf_from_vi(byte), vf_set1(255.0f))) : byte;
}

#endif
