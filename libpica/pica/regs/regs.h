/*
 * Registers of the PICA200, all expanded from pica_regs.def and pica_enums.def:
 *
 *   REG_<NAME>                       the id, e.g. REG_TEXUNIT0_DIM = 0x082
 *   <LAYOUT>_<FIELD>(word)           getter of a field, e.g. TEXUNIT_DIM_WIDTH(word)
 *   <LAYOUT>_<FIELD>_SET(value)      the value masked and shifted to its place, to be or-ed
 *   <ENUM>_<VALUE>                   named values, e.g. COMPARE_NEVER, TEV_SOURCE_TEXTURE0
 *   regs_*[]                         ids of repeated registers, for indexed access
 *   reg_name(), reg_dump(), ...      names and text
 */
#ifndef REGS_REGS_H
#define REGS_REGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REG_COUNT = 0x300 };

enum reg_kind {
	REG_KIND_HOLE,    /* no such register */
	REG_KIND_CONFIG,  /* stored, sampled by later draws */
	REG_KIND_PORT,    /* FIFO: each write is consumed */
	REG_KIND_TRIGGER, /* each write starts something */
	REG_KIND_STATUS,  /* read only */
	REG_KIND_CPU,     /* not writable from command lists */
	REG_KIND_UNKNOWN, /* stored, no known function */
};

/* Parts of a draw's frozen state; a register belongs to the parts that are derived from it. */
enum {
	PART_NONE = 0,
	PART_VERTEX = 1 << 0,  /* fetch, vertex shader: code, uniforms, configuration */
	PART_RASTER = 1 << 1,  /* output map, clip plane, viewport, culling, scissor, topology */
	PART_FRAG = 1 << 2,    /* combiner, fog, gas, depth map, tests, blending, masks */
	PART_TEXTURE = 1 << 3, /* texture units, procedural texture and its tables */
	PART_TARGET = 1 << 4,  /* colour and depth buffer: place, format, size */
	PART_LIGHT = 1 << 5,   /* fragment lighting and its tables */
	PART_GEOM = 1 << 6,    /* geometry shader: code, uniforms, configuration */
	PART_ALL = (1 << 7) - 1,
};

#define REG(id, name, layout, kind, part) REG_##name = (id),
enum {
#include "regs/pica_regs.def"
};

#define VALUE(name, constant, value, text) name##_##constant = (value),
enum {
#include "regs/pica_enums.def"
};

#define REGS_FIELD(layout, field, low, bits) \
	static inline uint32_t layout##_##field(uint32_t word) { \
		return word >> (low) & 0xFFFFFFFFu >> (32 - (bits)); \
	} \
	static inline uint32_t layout##_##field##_SET(uint32_t value) { \
		return (value & 0xFFFFFFFFu >> (32 - (bits))) << (low); \
	}
#define FIELD(layout, field, low, bits) REGS_FIELD(layout, field, low, bits)
#define FIELD_ENUM(layout, field, low, bits, values) REGS_FIELD(layout, field, low, bits)
#define FIELD_FORM(layout, field, low, bits, form) REGS_FIELD(layout, field, low, bits)
#include "regs/pica_regs.def"
#undef REGS_FIELD

/* ---- Indexed access ---- */

struct regs_texunit {
	uint16_t border, dim, param, lod, addr, type; /* addr: ADDR1 of unit 0 */
};

extern const struct regs_texunit regs_texunit[3];

/* First register of a combiner stage: + REGS_TEXENV_SOURCE .. _SCALE. */
extern const uint16_t regs_texenv[6];
enum {
	REGS_TEXENV_SOURCE,
	REGS_TEXENV_OPERAND,
	REGS_TEXENV_COMBINER,
	REGS_TEXENV_COLOR,
	REGS_TEXENV_SCALE,
};

/* First register of a light: + (REG_LIGHT0_x - REG_LIGHT0_SPECULAR0). */
extern const uint16_t regs_light[8];
/* Distance of a VSH register to its GSH copy: REG_VSH_x - REG_GSH_x. */
enum { REGS_VSH_FROM_GSH = 0x30 };

/* ---- Addresses [fidelity: addresses] ---- */

/* Returns the physical address from a register that holds address >> 3 in 28 bits (textures). */
static inline uint32_t reg_addr8(uint32_t word) {
	return (word & 0x0FFFFFFFu) << 3;
}

/* The same with 16-byte alignment: ATTRIBBUFFERS_LOC, CMDBUF_ADDR0/1. */
static inline uint32_t reg_addr16(uint32_t word) {
	return (word & 0x1FFFFFFEu) << 3;
}

/* DEPTHBUFFER_LOC, COLORBUFFER_LOC: the low three bits have no effect. */
static inline uint32_t reg_addr64(uint32_t word) {
	return (word & 0x0FFFFFF8u) << 3;
}

/* CMDBUF_SIZE0/1: bytes, a multiple of 16. */
static inline uint32_t reg_cmdbuf_bytes(uint32_t word) {
	return (word & 0x1FFFFEu) << 3;
}

/* Expands a byte mask: returns 0xFF in each byte that it selects. */
static inline uint32_t reg_byte_mask(uint32_t mask) {
	return ((mask & 1) | (mask & 2) << 7 | (mask & 4) << 14 | (mask & 8) << 21) * 0xFFu;
}

/* ---- Names and text: for tools and tests, not for hot paths ---- */

enum reg_form {
	REG_FORM_PLAIN,
	REG_FORM_ENUM,
	REG_FORM_HEX,
	REG_FORM_SIGNED,
	REG_FORM_OVER_2047,
	REG_FORM_F16,
	REG_FORM_F20,
	REG_FORM_F24,
	REG_FORM_F31,
	REG_FORM_ADDR8,
};

struct reg_field {
	const char *layout;
	const char *name;
	uint8_t low, bits;
	enum reg_form form;
	const char *values; /* REG_FORM_ENUM: name of the enumeration, else NULL */
};

/*
 * Returns the name without GPUREG_, in static storage, or NULL if there is no such register (any id
 * is allowed).
 */
const char *reg_name(uint32_t id);
enum reg_kind reg_kind(uint32_t id);
const char *reg_kind_name(enum reg_kind kind);
/* Returns PART_* bits. */
uint32_t reg_part(uint32_t id);
/* Returns the id of the register called name (GPUREG_ is optional), or -ENOENT. */
int reg_find(const char *name);
/* Returns field index (from 0, in table order) of a register; NULL after the last. */
const struct reg_field *reg_field_at(uint32_t id, unsigned index);
/* Returns NULL if the register or the field does not exist. */
const struct reg_field *reg_field_find(uint32_t id, const char *field);
/* Returns the text of a value of an enumeration, or NULL. */
const char *reg_value_name(const char *values, uint32_t value);
/* Returns the value that has this text in the enumeration, or -ENOENT. */
int reg_value_find(const char *values, const char *text);

/*
 * Formats the fields of a word: "RGB0=texture0(3) RGB1=primary(0) ...", floats as
 * "VALUE=200(0x469000)". Like snprintf, writes at most size bytes including the final zero, and
 * returns the full length.
 */
size_t reg_dump(uint32_t id, uint32_t word, char *buf, size_t size);
/*
 * Parses such text: "RGB0=texture0 ALPHA0=3" replaces these two fields of *word. A value is a text
 * of the enumeration, an integer (decimal, 0x..., or negative for two's complement) or, for the
 * float forms, a decimal with a point. Blanks and commas separate the fields. A lone integer
 * without "=" sets the whole word. Returns 0. On failure leaves *word unchanged and returns -ENOENT
 * (no such register, field or text), -EINVAL (not a number) or -ERANGE (the value does not fit).
 */
int reg_parse(uint32_t id, const char *text, uint32_t *word);

#endif
