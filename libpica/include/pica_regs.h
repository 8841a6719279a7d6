/*
 * Names of the PICA200's registers, fields and values, for programs that write command lists
 * (pica_emit.h). They are expanded from two tables, which are installed beside this header and are
 * the reference: regs/pica_regs.def (registers and bit fields) and regs/pica_enums.def (values).
 *
 *   PICA_REG_<NAME>               id of a register: PICA_REG_TEXENV0_SOURCE = 0x0C0
 *   PICA_<LAYOUT>_<FIELD>(value)  value of a field, masked and shifted into place; combine with |:
 *                                 PICA_TEXUNIT_DIM_WIDTH(64) | PICA_TEXUNIT_DIM_HEIGHT(32)
 *                                 The layout is the third column of a REG row: six registers
 *                                 TEXENVn_SOURCE share TEXENV_SOURCE. A field _M1 holds a count
 *                                 minus one.
 *   PICA_<ENUM>_<VALUE>           value of a field: PICA_COMPARE_NEVER, PICA_TEV_SOURCE_TEXTURE0
 *
 * The expansion uses the macro names REG, FIELD, FIELD_ENUM, FIELD_FORM, ENUM and VALUE and leaves
 * them undefined. C11 and C++17.
 */
#ifndef PICA_REGS_H
#define PICA_REGS_H

#include <stdint.h>

#define REG(id, name, layout, kind, part) PICA_REG_##name = (id),
enum {
#include "regs/pica_regs.def"
};

#define VALUE(name, constant, value, text) PICA_##name##_##constant = (value),
enum {
#include "regs/pica_enums.def"
};

#define PICA_REGS_FIELD(layout, field, low, bits) \
	static inline uint32_t PICA_##layout##_##field(uint32_t value) { \
		return (value & 0xFFFFFFFFu >> (32 - (bits))) << (low); \
	}
#define FIELD(layout, field, low, bits) PICA_REGS_FIELD(layout, field, low, bits)
#define FIELD_ENUM(layout, field, low, bits, values) PICA_REGS_FIELD(layout, field, low, bits)
#define FIELD_FORM(layout, field, low, bits, form) PICA_REGS_FIELD(layout, field, low, bits)
#include "regs/pica_regs.def"
#undef PICA_REGS_FIELD

#endif
