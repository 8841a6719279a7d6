/* The tables of qpu.def, indexed by code. NULL: no name. */
#ifndef VC4_QPU_NAMES_H
#define VC4_QPU_NAMES_H

#include <stdint.h>

struct qpu_op {
	const char *name;
	uint8_t inputs;
};
extern const struct qpu_op qpu_add_ops[32], qpu_mul_ops[8];
extern const char *const qpu_signals[16], *const qpu_conds[8], *const qpu_branch_conds[16];
extern const char *const qpu_packs[16], *const qpu_unpacks[8], *const qpu_immediates[64];
/* Indexed by file (0 is A, 1 is B), then by address. */
extern const char *const qpu_reads[2][64], *const qpu_writes[2][64];

#endif
