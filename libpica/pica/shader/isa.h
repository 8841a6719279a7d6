/* Expansion of shader_isa.def: op numbers, field getters and places, one record per op. */
#ifndef SHADER_ISA_H
#define SHADER_ISA_H

#include <stdint.h>

enum shader_op {
	OP_UNKNOWN, /* a code that has no row */
#define SHADER_OP(code, count, name, mnemonic, format, operands, uses) OP_##name,
#include "pica/regs/shader_isa.def"
	OP_COUNT,
};

enum shader_format {
	FORMAT_F0, FORMAT_F1, FORMAT_F1I, FORMAT_F1U, FORMAT_F1C, FORMAT_F2, FORMAT_F3, FORMAT_F4,
	FORMAT_F5, FORMAT_F5I,
};

enum shader_operands {
	OPERANDS_NOTHING,
	OPERANDS_D_W_N,
	OPERANDS_D_N_W,
	OPERANDS_D_W,
	OPERANDS_A_W,
	OPERANDS_W_OPS_N,
	OPERANDS_D_N_W_N,
	OPERANDS_D_N_N_W,
	OPERANDS_COND,
	OPERANDS_PROC,
	OPERANDS_COND_PROC,
	OPERANDS_BOOL_PROC,
	OPERANDS_COND_BLOCK,
	OPERANDS_BOOL_BLOCK,
	OPERANDS_INT_BLOCK,
	OPERANDS_COND_LABEL,
	OPERANDS_BOOL_LABEL,
	OPERANDS_VERTEX,
};

enum shader_uses {
	USES_NONE, USES_EACH, USES_DOT3, USES_DOT4, USES_DPH, USES_DST, USES_X, USES_LIT, USES_XY,
	USES_ADDR,
};

struct shader_op_info {
	const char *mnemonic;
	uint8_t code, count;
	uint8_t format;   /* enum shader_format */
	uint8_t operands; /* enum shader_operands */
	uint8_t uses;     /* enum shader_uses */
};

/* Indexed by enum shader_op; OP_UNKNOWN has no mnemonic. */
extern const struct shader_op_info shader_ops[OP_COUNT];

/* Returns the operation of a code word. */
enum shader_op shader_op_of(uint32_t word);

/* FORMAT_FIELD(word) reads a field; FORMAT_FIELD_LOW and _BITS say where it is. */
#define SHADER_FIELD(format, field, low, bits) \
	enum { format##_##field##_LOW = low, format##_##field##_BITS = bits }; \
	static inline unsigned format##_##field(uint32_t word) { \
		return word >> (low) & ((1u << (bits)) - 1); \
	}
#include "pica/regs/shader_isa.def"

/* Returns component k (0 = x) of a selector, 0..3. [fidelity: shader-isa] */
static inline unsigned shader_selector(unsigned selector, unsigned k) {
	return selector >> (6 - 2 * k) & 3;
}

/*
 * Register numbers in the wide source field. Destinations 0-15 are o, followed by r.
 * [fidelity: shader-isa]
 */
enum {
	SHADER_V = 0x00,
	SHADER_R = 0x10,
	SHADER_C = 0x20,
};

#endif
