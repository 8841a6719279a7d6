/* The register file: words, masked writes, and which parts of the derived state they made stale. */
#ifndef REGS_REGFILE_H
#define REGS_REGFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "pica/regs/regs.h"

struct regfile {
	uint32_t w[REG_COUNT];
	uint32_t dirty; /* PART_*; the reader clears the parts that it has derived again */
};

/* State of a new context (fidelity: reset-state), every part dirty. */
void regfile_init(struct regfile *rf);
/*
 * A write as a command list makes it: bytes selected by mask (bit k = byte k) are stored, and the
 * parts of the register become dirty if the word changed or the register is a port. No side
 * effects: those are the front end's. Returns false, and changes nothing, for an id that does not
 * exist or that lists cannot write.
 */
bool regfile_write(struct regfile *rf, uint32_t id, uint32_t value, uint32_t mask);

#endif
