/* Words to fields and back, and the tables of names. */
#include "names.h"
#include "qpu.h"

const struct qpu_op qpu_add_ops[32] = {
#define QPU_ADD(code, name, inputs) [code] = { name, inputs },
#include "qpu.def"
};
const struct qpu_op qpu_mul_ops[8] = {
#define QPU_MUL(code, name, inputs) [code] = { name, inputs },
#include "qpu.def"
};
const char *const qpu_signals[16] = {
#define QPU_SIGNAL(code, name) [code] = name,
#include "qpu.def"
};
const char *const qpu_conds[8] = {
#define QPU_COND(code, name) [code] = name,
#include "qpu.def"
};
const char *const qpu_branch_conds[16] = {
#define QPU_BRANCH_COND(code, name) [code] = name,
#include "qpu.def"
};
const char *const qpu_packs[16] = {
#define QPU_PACK(code, name) [code] = name,
#include "qpu.def"
};
const char *const qpu_unpacks[8] = {
#define QPU_UNPACK(code, name) [code] = name,
#include "qpu.def"
};
const char *const qpu_immediates[64] = {
#define QPU_IMMEDIATE(code, name) [code] = name,
#include "qpu.def"
};
const char *const qpu_reads[2][64] = { {
#define QPU_READ(n, a, b) [n] = a,
#include "qpu.def"
}, {
#define QPU_READ(n, a, b) [n] = b,
#include "qpu.def"
} };
const char *const qpu_writes[2][64] = { {
#define QPU_WRITE(n, a, b) [n] = a,
#include "qpu.def"
}, {
#define QPU_WRITE(n, a, b) [n] = b,
#include "qpu.def"
} };

/* The fields of each form, with their lowest bit and width; together they are all 64 bits. */
#define HEAD(X) X(sig, 60, 4) X(unpack, 57, 3) X(pm, 56, 1) X(ws, 44, 1) X(waddr_add, 38, 6) \
	X(waddr_mul, 32, 6)
#define WRITES(X) X(pack, 52, 4) X(cond_add, 49, 3) X(cond_mul, 46, 3) X(sf, 45, 1)
#define ALU(X) X(op_mul, 29, 3) X(op_add, 24, 5) X(raddr_a, 18, 6) X(raddr_b, 12, 6) \
	X(add_a, 9, 3) X(add_b, 6, 3) X(mul_a, 3, 3) X(mul_b, 0, 3)
#define BRANCH(X) X(branch_cond, 52, 4) X(is_relative, 51, 1) X(has_register, 50, 1) \
	X(raddr_a, 45, 5)

#define GET(field, at, width) q.field = (uint8_t)(word >> (at) & ((1u << (width)) - 1));
#define PUT(field, at, width) word |= (uint64_t)(q->field & ((1u << (width)) - 1)) << (at);

struct qpu_instruction qpu_decode(uint64_t word) {
	struct qpu_instruction q = { 0 };
	HEAD(GET)
	if (q.sig == QPU_SIG_BRANCH) {
		BRANCH(GET)
	} else {
		WRITES(GET)
	}
	if (q.sig >= QPU_SIG_LOAD) {
		q.immediate = (uint32_t)word;
	} else {
		ALU(GET)
	}
	return q;
}

uint64_t qpu_encode(const struct qpu_instruction *q) {
	uint64_t word = 0;
	HEAD(PUT)
	if (q->sig == QPU_SIG_BRANCH) {
		BRANCH(PUT)
	} else {
		WRITES(PUT)
	}
	if (q->sig >= QPU_SIG_LOAD) {
		word |= q->immediate;
	} else {
		ALU(PUT)
	}
	return word;
}
