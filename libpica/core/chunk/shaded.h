/* The cost of invocations of a program. */
#ifndef CHUNK_SHADED_H
#define CHUNK_SHADED_H

#include <stdint.h>

struct shader_result {
	uint64_t steps;    /* instructions executed, summed over lanes */
	uint64_t cut;      /* invocations ended by the budget */
	uint64_t bad;      /* see PICA_FAULT_SHADER_OPCODE */
};

#endif
