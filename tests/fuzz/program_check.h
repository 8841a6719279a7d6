/* Checks that hold for every shader program, whatever its origin. */
#ifndef FUZZ_PROGRAM_CHECK_H
#define FUZZ_PROGRAM_CHECK_H

#include "pica_shader.h"

/*
 * Writes the program, reads it again and writes that: the same bytes. Disassembles it with and
 * without the directives of an entry and assembles that: the same code and descriptors. Makes its
 * entries current: writes of registers that exist, or an error. Ends the process otherwise.
 */
void check_program(const struct pica_shader *shader);

#endif
