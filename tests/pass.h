/* The program of most lists of tests: two attributes, of four floats each, to two outputs. */
#ifndef TESTS_PASS_H
#define TESTS_PASS_H

#include "pica_emit.h"

/* Begins a list: the defaults, the program, vertices of 32 bytes; type: of the second output. */
static inline void emit_pass(
		struct pica_emit *e, uint32_t vertices, enum pica_output_type type, uint8_t mask) {
	/* mov o0, v0; mov o1, v1; end */
	static const uint32_t code[] = { 0x4C000000, 0x4C201000, 0x88000000 };
	static const uint32_t descriptor[] = { 0x36F };
	const struct pica_output outputs[] = { { PICA_OUTPUT_POSITION, 0, 15 },
		{ (uint8_t)type, 1, mask } };
	const struct pica_attributes a = { .base = vertices,
		.n = 2,
		.format = { { PICA_ATTRIB_TYPE_F32, 4 }, { PICA_ATTRIB_TYPE_F32, 4 } },
		.n_loaders = 1,
		.loader = { { .offset = 0, .stride = 32, .n = 2, .component = { 0, 1 } } } };
	pica_emit_init(e);
	pica_emit_defaults(e);
	pica_emit_geometry(e, NULL);
	pica_emit_code(e, PICA_UNIT_VS, 0, code, 3);
	pica_emit_operand_descriptors(e, PICA_UNIT_VS, 0, descriptor, 1);
	pica_emit_entry_point(e, PICA_UNIT_VS, 0);
	pica_emit_outputs(e, PICA_UNIT_VS, outputs, 2);
	pica_emit_attributes(e, &a);
}

#endif
