/*
 * The arithmetic of the QPU, one lane at a time: the reference version.
 * [fidelity: qpu-floats, qpu-flags, qpu-pack]
 */
#ifndef VC4_RUN_ALU_H
#define VC4_RUN_ALU_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/f24.h"

enum {
	ADD_NOP = 0, ADD_FADD, ADD_FSUB, ADD_FMIN, ADD_FMAX, ADD_FMINABS, ADD_FMAXABS, ADD_FTOI,
	ADD_ITOF,
	ADD_ADD = 12, ADD_SUB, ADD_SHR, ADD_ASR, ADD_ROR, ADD_SHL, ADD_MIN, ADD_MAX, ADD_AND,
	ADD_OR, ADD_XOR, ADD_NOT, ADD_CLZ,
	ADD_V8ADDS = 30, ADD_V8SUBS,
};
enum { MUL_NOP = 0, MUL_FMUL, MUL_MUL24, MUL_V8MULD, MUL_V8MIN, MUL_V8MAX, MUL_V8ADDS, MUL_V8SUBS };

/* For operations of the add unit; in the multiply unit only fmul takes and makes floats. */
static inline bool alu_takes_floats(unsigned op) {
	return op >= ADD_FADD && op <= ADD_FTOI;
}
static inline bool alu_makes_floats(unsigned op) {
	return (op >= ADD_FADD && op <= ADD_FMAXABS) || op == ADD_ITOF;
}

/* An input of arithmetic: zeros and denormals become +0, NaN patterns become infinities. */
static inline float alu_float(uint32_t bits) {
	const uint32_t magnitude = bits & 0x7FFFFFFF;
	return f32_from_bits(magnitude < 0x00800000 ? 0 :
			magnitude > 0x7F800000 ? (bits & 0x80000000) | 0x7F800000 : bits);
}

/* A result: as above, but a NaN (an infinity minus itself or times 0) becomes +0. */
static inline float alu_number(float x) {
	const uint32_t magnitude = f32_bits(x) & 0x7FFFFFFF;
	return magnitude >= 0x00800000 && magnitude <= 0x7F800000 ? x : 0.0f;
}

/* Rounds toward zero; returns 0 outside the range of int32. */
static inline uint32_t alu_ftoi(uint32_t a) {
	const float x = alu_float(a);
	return x >= -2147483648.0f && x < 2147483648.0f ? (uint32_t)(int32_t)x : 0;
}

static inline uint32_t alu_signed_minmax(uint32_t a, uint32_t b, bool max, bool *c) {
	*c = (int32_t)a > (int32_t)b;
	return *c == max ? a : b;
}

static inline float alu_float_minmax(float a, float b, bool max, bool *c) {
	*c = a > b;
	return *c == max ? a : b;
}

static inline uint32_t alu_asr(uint32_t a, uint32_t n) {
	return n ? a >> n | (a >> 31 ? 0xFFFFFFFFu << (32 - n) : 0) : a;
}

/* Operates on each of the four bytes independently. */
enum bytes { BYTES_ADDS, BYTES_SUBS, BYTES_MULD, BYTES_MIN, BYTES_MAX };
static inline uint32_t alu_bytes(enum bytes op, uint32_t a, uint32_t b) {
	uint32_t out = 0;
	for (unsigned at = 0; at < 32; at += 8) {
		const uint32_t x = a >> at & 255, y = b >> at & 255;
		uint32_t z = 0;
		switch (op) {
		case BYTES_ADDS:
			z = x + y > 255 ? 255 : x + y;
			break;
		case BYTES_SUBS:
			z = x > y ? x - y : 0;
			break;
		case BYTES_MULD:
			z = (x * y + 127) / 255;
			break;
		case BYTES_MIN:
			z = x < y ? x : y;
			break;
		case BYTES_MAX:
			z = x > y ? x : y;
			break;
		}
		out |= z << at;
	}
	return out;
}

/* Sets *c to the carry flag. */
static inline uint32_t alu_add(unsigned op, uint32_t a, uint32_t b, bool *c) {
	const float x = alu_float(a), y = alu_float(b);
	const uint32_t n = b & 31;
	float f;
	*c = false;
	switch (op) {
	case ADD_FADD:
		f = alu_number(x + y);
		*c = f > 0;
		return f32_bits(f);
	case ADD_FSUB:
		f = alu_number(x - y);
		*c = f > 0;
		return f32_bits(f);
	case ADD_FMIN:
	case ADD_FMAX:
		return f32_bits(alu_float_minmax(x, y, op == ADD_FMAX, c));
	case ADD_FMINABS:
	case ADD_FMAXABS:
		return f32_bits(alu_float_minmax(f32_from_bits(f32_bits(x) & 0x7FFFFFFF),
				f32_from_bits(f32_bits(y) & 0x7FFFFFFF), op == ADD_FMAXABS, c));
	case ADD_FTOI:
		return alu_ftoi(a);
	case ADD_ITOF:
		return f32_bits((float)(int32_t)a);
	case ADD_ADD:
		*c = a + b < a;
		return a + b;
	case ADD_SUB:
		*c = a < b;
		return a - b;
	case ADD_SHR:
		*c = n && a >> (n - 1) & 1;
		return a >> n;
	case ADD_ASR:
		*c = n && a >> (n - 1) & 1;
		return alu_asr(a, n);
	case ADD_ROR:
		return n ? a >> n | a << (32 - n) : a;
	case ADD_SHL:
		*c = n && a >> (32 - n) & 1;
		return a << n;
	case ADD_MIN:
	case ADD_MAX:
		return alu_signed_minmax(a, b, op == ADD_MAX, c);
	case ADD_AND:
		return a & b;
	case ADD_OR:
		return a | b;
	case ADD_XOR:
		return a ^ b;
	case ADD_NOT:
		return ~a;
	case ADD_CLZ:
		return a ? (uint32_t)__builtin_clz(a) : 32;
	case ADD_V8ADDS:
		return alu_bytes(BYTES_ADDS, a, b);
	case ADD_V8SUBS:
		return alu_bytes(BYTES_SUBS, a, b);
	default:
		return 0;
	}
}

static inline uint32_t alu_mul(unsigned op, uint32_t a, uint32_t b, bool *c) {
	*c = false;
	switch (op) {
	case MUL_FMUL:
		return f32_bits(alu_number(alu_float(a) * alu_float(b)));
	case MUL_MUL24: {
		const uint64_t product = (uint64_t)(a & 0xFFFFFF) * (b & 0xFFFFFF);
		*c = product >> 24;
		return (uint32_t)product;
	}
	case MUL_V8MULD:
		return alu_bytes(BYTES_MULD, a, b);
	case MUL_V8MIN:
		return alu_bytes(BYTES_MIN, a, b);
	case MUL_V8MAX:
		return alu_bytes(BYTES_MAX, a, b);
	case MUL_V8ADDS:
		return alu_bytes(BYTES_ADDS, a, b);
	case MUL_V8SUBS:
		return alu_bytes(BYTES_SUBS, a, b);
	default:
		return 0;
	}
}

static inline uint32_t alu_small_immediate(unsigned code) {
	if (code < 32 || code >= 48) {
		const uint32_t low = code & 31;
		return low < 16 ? low : low - 32;
	}
	/* 1 to 128, then 1/256 to 1/2 */
	return (code < 40 ? 127 + code - 32 : 127 + code - 48) << 23;
}

/* ---- Packing ---- */

static inline uint32_t alu_unpack(unsigned code, uint32_t v, bool to_float) {
	switch (code) {
	case 1:
	case 2: {
		const uint32_t half = code == 1 ? v & 0xFFFF : v >> 16;
		return to_float ? f32_bits(f16_to_f32(half)) : (uint32_t)(int32_t)(int16_t)half;
	}
	case 3:
		return (v >> 24) * 0x01010101u;
	case 0:
		return v;
	default: {
		const uint32_t byte = v >> (8 * (code - 4)) & 255;
		return to_float ? f32_bits((float)byte / 255.0f) : byte;
	}
	}
}

/* Converts binary32 to half, to nearest even; 0 below the smallest normal half. */
static inline uint32_t alu_half(uint32_t bits) {
	const uint32_t magnitude = f32_bits(alu_float(bits)) & 0x7FFFFFFF;
	if (magnitude < 0x38800000) {
		return 0;
	}
	const uint32_t rounded = magnitude + 0xFFF + (magnitude >> 13 & 1);
	return (bits >> 16 & 0x8000) |
			(rounded >= 0x47800000 ? 0x7C00 : (rounded - 0x38000000) >> 13);
}

/* The multiply unit's conversion from float to 8 bits. */
static inline uint32_t alu_color(uint32_t bits) {
	const float x = alu_float(bits);
	const uint32_t u = x > 0 ? x < 1 ? (uint32_t)(x * 1024.0f) : 1024 : 0;
	return (u - (u >> 8) + 2) >> 2;
}

static inline uint32_t alu_put(uint32_t old, uint32_t v, unsigned at, uint32_t mask) {
	return (old & ~(mask << at)) | (v & mask) << at;
}

static inline int32_t alu_clamp(uint32_t v, int32_t lo, int32_t hi) {
	const int32_t x = (int32_t)v;
	return x < lo ? lo : x > hi ? hi : x;
}

/* Saturates the signed result of add or sub. v: the result without saturation. */
static inline uint32_t alu_saturate(unsigned op, uint32_t a, uint32_t b, uint32_t v) {
	const uint32_t other = op == ADD_SUB ? ~b : b;
	const bool overflows = (op == ADD_ADD || op == ADD_SUB) && (~(a ^ other) & (a ^ v)) >> 31;
	return overflows ? (a >> 31) + 0x7FFFFFFF : v;
}

/* Packing for PM = 0, in file A; code 8 is alu_saturate(). */
static inline uint32_t alu_pack(unsigned code, uint32_t v, uint32_t old, bool is_float) {
	const bool saturates = code & 8;
	code &= 7;
	switch (code) {
	case 0:
		return v;
	case 1:
	case 2: {
		const uint32_t half = is_float ? alu_half(v) :
				saturates ? (uint32_t)alu_clamp(v, -32768, 32767) : v;
		return alu_put(old, half, 16 * (code - 1), 0xFFFF);
	}
	default: {
		const uint32_t byte = (saturates ? (uint32_t)alu_clamp(v, 0, 255) : v) & 255;
		return code == 3 ? byte * 0x01010101u : alu_put(old, byte, 8 * (code - 4), 0xFF);
	}
	}
}

/* Packing for PM = 1. */
static inline uint32_t alu_pack_color(unsigned code, uint32_t v, uint32_t old) {
	code &= 7;
	return code == 0 ? v : code == 3 ? alu_color(v) * 0x01010101u :
			alu_put(old, alu_color(v), 8 * (code - 4), 0xFF);
}

#endif
