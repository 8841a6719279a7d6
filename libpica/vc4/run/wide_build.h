/* A program as values, before it becomes operations: shared by wide.c and wide_build.c. */
#ifndef VC4_RUN_WIDE_BUILD_H
#define VC4_RUN_WIDE_BUILD_H

#include "vc4/run/machine.h"
#include "vc4/run/program.h"
#include "vc4/run/wide.h"

enum {
	MOST_WORDS = 768,
	MOST_VALUES = 8 * MOST_WORDS,
	SEARCHED = 96,
	MOST_STORES = 16,
	NO_VALUE = 0xFFFF,
	REGISTERS = 70, /* files A and B, r0 to r5: as the machine's rows */
};

/* A value: how it is made. */
struct wide_value {
	uint8_t code, imm;
	uint16_t in[WIDE_OPERANDS];
	uint32_t value;
	bool is_number; /* no denormals, no NaN patterns */
	bool is_clean; /* is_number, and never -0 */
	bool is_live;
	bool is_uniform; /* computed only from constants and uniforms */
	bool is_sensitive; /* some operation tells -0 from +0 */
	uint16_t seen; /* this value as arithmetic sees it, or NO_VALUE */
	uint16_t uses;
	uint16_t last; /* number of the last value that uses it */
	uint8_t row;
	uint16_t next; /* of an ELEMENT in a group: the next one, or NO_VALUE */
};

struct wide_unit {
	uint16_t parameter[4]; /* s, t, r, b; NO_VALUE: not written */
	struct wide_texture next;
	uint16_t result[TMU_RESULTS];
	unsigned first, n;
};

/* A store, as later operations follow it. */
struct wide_store {
	uint8_t code, imm;
	uint16_t in[2];
	uint32_t value;
};

struct wide_builder {
	struct wide_value v[MOST_VALUES];
	unsigned n;
	bool fails;
	uint16_t constant[WIDE_ROWS], in[QPU_VPM_ROWS]; /* 0: not read */
	unsigned n_constants;
	uint16_t reg[REGISTERS], is_zero, negative; /* the latter: flags */
	unsigned uniform, varying, n_vpm_in;
	struct vpm_setup vpm_in, vpm_out;
	uint16_t out[QPU_VPM_ROWS];
	uint64_t written;
	struct wide_unit unit[2];
	struct wide_texture texture[WIDE_TEXTURES];
	unsigned n_textures, n_loads, n_samples, n_steps;
	struct wide_store store[MOST_STORES]; /* not yet values */
	unsigned n_stores;
	bool stores, stores_color; /* the tile buffer was written */
};

static const uint8_t wide_operands[] = {
#define WIDE(name, operands) operands,
#include "vc4/run/wide.def"
#undef WIDE
};

static inline uint16_t wide_fail(struct wide_builder *b) {
	b->fails = true;
	return 0;
}

static inline bool wide_is_store(unsigned code) {
	return code >= WIDE_STORE_Z;
}

/* Follows the program from its entry. Sets b->fails if the program cannot run wide. */
void wide_build(struct wide_builder *b, const struct qpu_program *p);

#endif
