/* Checks that hold for every shader program, whatever its origin. */
#ifndef FUZZ_PROGRAM_CHECK_H
#define FUZZ_PROGRAM_CHECK_H

#include "pica_shader.h"

/*
 * Ends the process unless the program survives writing and reading, its disassembly, with and
 * without directives of an entry, assembles to the same code and descriptors, and binding an entry
 * writes registers that exist or fails.
 */
void check_program(const struct pica_shader *shader);

#endif
