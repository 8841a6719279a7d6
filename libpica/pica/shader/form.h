/* Where an instruction word holds its operands, by format. */
#ifndef SHADER_FORM_H
#define SHADER_FORM_H

#include "pica/shader/isa.h"

struct shader_place {
	uint8_t low, bits; /* bits 0: the format lacks the field */
};

struct shader_form {
	uint8_t n_src; /* 0: flow control and the like */
	uint8_t wide;  /* the source that idx applies to, and that may be a uniform */
	struct shader_place desc, dst, idx, src[3];
};

/* Indexed by enum shader_format. */
extern const struct shader_form shader_forms[FORMAT_F5I + 1];

static inline const struct shader_form *shader_form_of(enum shader_op op) {
	return &shader_forms[shader_ops[op].format];
}

static inline unsigned shader_get(struct shader_place place, uint32_t word) {
	return word >> place.low & ((1u << place.bits) - 1);
}

static inline uint32_t shader_put(struct shader_place place, unsigned value) {
	return (uint32_t)(value & ((1u << place.bits) - 1)) << place.low;
}

#endif
