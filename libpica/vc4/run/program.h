/* Decoded programs; private to the room. */
#ifndef VC4_RUN_PROGRAM_H
#define VC4_RUN_PROGRAM_H

#include <stdbool.h>

#include "vc4/qpu/qpu.h"
#include "vc4/run/plan.h"
#include "vc4/run/run.h"

/* Bits 31:30 of a bus address choose a cache. */
#define QPU_ADDRESS_MASK 0x3FFFFFFFu
#define QPU_NOWHERE 0xFFFFFFFFu

struct qpu_word {
	struct qpu_instruction q;
	uint32_t address; /* without alias bits */
	uint32_t target;  /* of a branch: index, or QPU_NOWHERE if a register determines it */
	bool is_target;   /* the target of a branch, a branch itself, or word 0 */
	struct qpu_plan plan;
};

/*
 * Words in address order. Each word is followed by the next one in memory, or by a breakpoint if
 * decoding did not find that the flow continues.
 */
struct qpu_program {
	uint32_t alias; /* bits of the address that the program was created with */
	uint32_t entry; /* index */
	uint32_t n;
	uint64_t zeroed; /* bit: this row of the files may be read before it is written */
	uint8_t zeroed_r; /* the same for r0 to r5 */
	bool uses_flags, uses_w; /* QPU_ROW_W */
	struct qpu_wide *wide; /* or NULL */
	struct qpu_word word[];
};

static inline uint32_t qpu_after_slots(uint32_t address) {
	return (address + 32) & QPU_ADDRESS_MASK;
}
/* Returns the target address of a branch; a register may be added to it. */
static inline uint32_t qpu_branch_base(const struct qpu_word *w) {
	return w->q.immediate + (w->q.is_relative ? qpu_after_slots(w->address) : 0);
}

/* Returns the index of the word at the address, or QPU_NOWHERE. */
uint32_t qpu_program_find(const struct qpu_program *p, uint32_t address);

#endif
