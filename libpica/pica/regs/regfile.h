/* The register file: words, masked writes, and which parts of the derived state they made stale. */
#ifndef REGS_REGFILE_H
#define REGS_REGFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "pica/regs/regs.h"

struct regfile {
	uint32_t w[REG_COUNT];
	uint32_t dirty; /* PART_*; the reader clears a part once it has derived it again */
};

/* Sets the state of a new context (fidelity: reset-state), with every part dirty. */
void regfile_init(struct regfile *rf);
/*
 * Writes a register as a command list does: stores the bytes that mask selects (bit k = byte k),
 * and marks the register's parts dirty if the word changed or the register is a port. Side effects
 * are left to the front end. Returns false and changes nothing if the id does not exist or is not
 * writable from lists.
 */
bool regfile_write(struct regfile *rf, uint32_t id, uint32_t value, uint32_t mask);

#endif
