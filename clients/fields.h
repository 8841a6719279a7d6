/*
 * Reading registers: getters and texts of values, expanded from the same two tables as the writers
 * of pica_regs.h.
 *
 *   get_<LAYOUT>_<FIELD>(word)   get_TEXUNIT_DIM_WIDTH(word)
 *   FIELD_KIND_<KIND>            the effect of a write to a register: see pica_regs.def
 */
#ifndef PICA_FIELDS_H
#define PICA_FIELDS_H

#include <stdint.h>

#include "pica_regs.h"

#define FIELD(layout, field, low, bits) \
	static inline uint32_t get_##layout##_##field(uint32_t word) { \
		return word >> (low) & 0xFFFFFFFFu >> (32 - (bits)); \
	}
#include "regs/pica_regs.def"

enum field_kind {
	FIELD_KIND_HOLE, /* no such register */
	FIELD_KIND_CONFIG,
	FIELD_KIND_PORT,
	FIELD_KIND_TRIGGER,
	FIELD_KIND_STATUS,
	FIELD_KIND_CPU,
	FIELD_KIND_UNKNOWN,
};

/* Of any register number. */
enum field_kind field_kind(uint32_t id);
/* Returns the text of a value of an enumeration, ("COLOR_FORMAT", 3) -> "RGB565", or "?". */
const char *field_text(const char *values, uint32_t value);
/* Returns the value of a text, ignoring case, or -ENOENT. */
int field_value(const char *values, const char *text);

#endif
