/*
 * ISA_TEST(name) { ... }: a test that runs for each instruction set of this machine, C included,
 * and names those that it skips; _i is an enum isa.
 */
#ifndef ISA_TEST_H
#define ISA_TEST_H

#include <stdio.h>

#include "core/vec/cpu.h"
#include "tests/suite.h"

#define ISA_TEST(name) \
	static void name##_isa(int _i); \
	TEST_LOOP(name, ISA_COUNT) { \
		if (isa_available((enum isa)_i)) { \
			name##_isa(_i); \
		} else { \
			printf("%s: skipped, no %s here\n", #name, isa_name((enum isa)_i)); \
		} \
	} \
	static void name##_isa(int _i PICA_UNUSED)

#endif
