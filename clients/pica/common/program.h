/* Static analysis of a shader program: the code that it reaches, its inputs and outputs. */
#ifndef PICA_PROGRAM_H
#define PICA_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "pica.h"

enum {
	PROGRAM_VS_WORDS = 512,
	PROGRAM_GS_WORDS = 4096,
	PROGRAM_OUTPUTS = 16,
	PROGRAM_UNIFORMS = 96,
	PROGRAM_RANGES = 64,
};

struct program {
	const uint32_t *code, *descriptors; /* borrowed */
	uint32_t n; /* words that the unit has */
	uint8_t seen[PROGRAM_GS_WORDS]; /* words that are reached */
	uint32_t end; /* after the last of them */
	unsigned n_descriptors; /* one past the last uniform that they name */
	uint32_t inputs, booleans, integers; /* bit n: v, b, i n is read */
	bool uniforms[PROGRAM_UNIFORMS]; /* c n is read */
	bool is_relative; /* and others, by an address register */
	uint8_t written[PROGRAM_OUTPUTS]; /* components, bit 0: x */
	bool is_cut; /* more branches than can be followed: more code may be reached */
	int64_t mova, mixed; /* addresses of a MOVA after another, and of a read of two inputs; -1:
			      * none */
	struct {
		uint32_t first, end;
	} todo[PROGRAM_RANGES]; /* private */
	unsigned n_todo;
};

/* n: PROGRAM_VS_WORDS or PROGRAM_GS_WORDS. entry: the word of an entry point's register. */
void program_read(struct program *p, const struct pica_shader_state *unit, uint32_t n,
		uint32_t entry);
/*
 * Returns the first instruction that writes a component of an enabled output for the second time,
 * or -1. Looks only at the code before the first branch, where each instruction runs once.
 */
int64_t program_written_twice(const struct program *p, uint32_t entry, uint32_t enabled);

#endif
