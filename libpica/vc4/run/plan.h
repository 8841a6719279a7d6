/*
 * A word prepared for the vector interpreter: rows instead of addresses, the units in use, and the
 * floats known to be flushed. Private to the room.
 */
#ifndef VC4_RUN_PLAN_H
#define VC4_RUN_PLAN_H

#include <stdint.h>

#include "vc4/qpu/qpu.h"

/* Rows of the machine. */
enum {
	QPU_ROW_B = 32, /* file A is 0 to 31 */
	QPU_ROW_R = 64,
	QPU_ROW_IN_A = 70, /* values read at addresses >= 32, and immediates */
	QPU_ROW_IN_B,
	QPU_ROW_INTEGER, /* the unpacked input */
	QPU_ROW_FLOAT,
	QPU_ROW_R5, /* r5 and ra15 as arithmetic sees them: of a varying, of W */
	QPU_ROW_W,
	QPU_ROWS,
	QPU_ROW_NONE = 255,
};

enum qpu_kind { QPU_KIND_TRAP, QPU_KIND_NOP, QPU_KIND_ALU, QPU_KIND_LOAD, QPU_KIND_BRANCH };

/* qpu_plan.flags */
enum {
	QPU_READ_A = 1 << 0,        /* machine_read() fills QPU_ROW_IN_A */
	QPU_READ_B = 1 << 1,
	QPU_IMMEDIATE = 1 << 2,     /* the immediate fills QPU_ROW_IN_B */
	QPU_SEEN_A = 1 << 3,        /* all users take QPU_ROW_IN_A as a float: fill it with those */
	QPU_SEEN_B = 1 << 4,
	QPU_UNPACK_INTEGER = 1 << 5,
	QPU_UNPACK_FLOAT = 1 << 6,
	QPU_VARYING = 1 << 7,
	QPU_ROTATES = 1 << 8,
	QPU_FLAGS_OF_ADD = 1 << 9,
	QPU_FLAGS_OF_MUL = 1 << 10,
	QPU_CARRY = 1 << 11,        /* the carry flag is needed */
	QPU_SIGNAL = 1 << 12,       /* the signal has an effect */
	QPU_CONDITIONS = 1 << 13,   /* a result is not written to all lanes */
	QPU_SATURATES = 1 << 14,    /* the add unit's result, to 32 bits */
};

enum qpu_put { QPU_PUT_NONE, QPU_PUT_ROW, QPU_PUT_LANES, QPU_PUT_PACKED, QPU_PUT_PERIPHERY };

struct qpu_plan {
	uint16_t flags;
	uint8_t kind;        /* enum qpu_kind */
	uint8_t op[2];       /* of the units; 0: the result is unused */
	uint8_t src[4];      /* rows: two inputs of the add unit, two of the multiply unit */
	uint8_t unseen;      /* bit: this input may hold denormals or NaN patterns */
	uint8_t unpack_from; /* row */
	uint8_t put[2];      /* enum qpu_put */
	uint8_t to[2];       /* rows */
	uint8_t cond[2];
	uint32_t immediate;
};

struct qpu_program;
/* Fills the plans of all words, and p->zeroed. */
void qpu_plan(struct qpu_program *p);

#endif
