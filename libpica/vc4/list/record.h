/*
 * Records of control lists, all expanded from pica_vc4_records.def:
 *
 *   VC4_OP_<RECORD>             the first byte, VC4_OP_CLIP_WINDOW = 0x66
 *   VC4_SIZE_<RECORD>           bytes, also of records in memory
 *   VC4_<RECORD>_<FIELD>(r)     the field of the record at r: the raw bits; for an ADDRESS, the
 *                               whole word with all other bits cleared
 *   VC4_<ENUM>_<VALUE>          named values, VC4_MODE_TRIANGLES = 4
 */
#ifndef VC4_RECORD_H
#define VC4_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum vc4_op {
#define VC4_RECORD(op, name, size, lists, state) VC4_OP_##name = (op),
#include "vc4/pica_vc4_records.def"
};

enum {
#define VC4_RECORD(op, name, size, lists, state) VC4_SIZE_##name = (size),
#define VC4_STRUCT(name, size) VC4_SIZE_##name = (size),
#include "vc4/pica_vc4_records.def"
};

enum {
#define VC4_VALUE(values, name, value, text) VC4_##values##_##name = (value),
#include "vc4/pica_vc4_records.def"
};

/* Returns a bit field of the little-endian word at r; low + bits is at most 32. */
static inline uint32_t vc4_bits(const uint8_t *r, unsigned low, unsigned bits) {
	uint32_t word = 0;
	memcpy(&word, r, (low + bits + 7) / 8);
	return word >> low & 0xFFFFFFFFu >> (32 - bits);
}

#define VC4_PLACED_FLAG 0
#define VC4_PLACED_HEX 0
#define VC4_PLACED_SIGNED 0
#define VC4_PLACED_FX4 0
#define VC4_PLACED_F32 0
#define VC4_PLACED_F16 0
#define VC4_PLACED_ADDRESS 1 /* stays at its bits */
#define VC4_FIELD(record, field, byte, low, bits) \
	static inline uint32_t VC4_##record##_##field(const uint8_t *r) { \
		return vc4_bits(r + (byte), low, bits); \
	}
#define VC4_FIELD_FORM(record, field, byte, low, bits, form) \
	static inline uint32_t VC4_##record##_##field(const uint8_t *r) { \
		return vc4_bits(r + (byte), low, bits) << (VC4_PLACED_##form ? (low) : 0); \
	}
#include "vc4/pica_vc4_records.def"

enum vc4_record_state { VC4_BUILT, VC4_IGNORED, VC4_UNBUILT };
enum { VC4_BINNING = 1, VC4_RENDERING = 2, VC4_BOTH = 3 };
enum {
	VC4_MAX_RECORD = 16,
	VC4_EXTENSIONS_AT = 100, /* offset of STRIDE_EXTENSIONs in an extended GL shader record */
};

enum vc4_form {
	VC4_FORM_NUMBER,
	VC4_FORM_ENUM,
	VC4_FORM_FLAG,
	VC4_FORM_HEX,
	VC4_FORM_SIGNED,
	VC4_FORM_FX4,
	VC4_FORM_F32,
	VC4_FORM_F16,
	VC4_FORM_ADDRESS,
};

/* Arrays of values and of fields end with an element whose name is NULL. */
struct vc4_value {
	const char *name; /* as in dumps */
	uint32_t value;
};

struct vc4_field {
	const char *name;
	uint8_t byte, low, bits;
	uint8_t form;                   /* enum vc4_form */
	const struct vc4_value *values; /* of VC4_FORM_ENUM */
};

struct vc4_record {
	const char *name;
	uint8_t op;         /* only of a record in lists */
	uint8_t size_bytes; /* 0: varies */
	uint8_t lists;      /* VC4_BINNING, VC4_RENDERING or both; 0: a record in memory */
	uint8_t state;      /* enum vc4_record_state */
	const struct vc4_field *fields;
};

/* Returns the record that begins with the byte op, or NULL if there is none. Static storage. */
const struct vc4_record *vc4_record(uint8_t op);
/* Returns the record, in lists or in memory, with this name, or NULL. */
const struct vc4_record *vc4_record_named(const char *name);
/* Returns the name of an enumerated field's value, "t" of LAYOUT 1, or "?". The field exists. */
const char *vc4_value_text(const struct vc4_record *record, const char *field, uint32_t value);
/* Returns a field of the record at r, as the functions VC4_<RECORD>_<FIELD> do. */
uint32_t vc4_field_get(const struct vc4_field *f, const uint8_t *r);
/*
 * Replaces a field of the record at r. Returns 0. Returns -ERANGE, and changes nothing, if value
 * does not fit: an address with bits outside the field, or a number with too many bits. SIGNED,
 * FX4: value is 32-bit two's complement.
 */
int vc4_field_set(const struct vc4_field *f, uint8_t *r, uint32_t value);

/*
 * Writes a record's name and fields, except flags that are 0: "CLIP_WINDOW LEFT=0 BOTTOM=0
 * WIDTH=640 HEIGHT=480". r points to its bytes. Writes at most size bytes, including the final
 * zero. Returns the full length, as snprintf() does.
 */
size_t vc4_record_text(const struct vc4_record *record, const uint8_t *r, char *buf, size_t size);
/*
 * The same for the record at the start of avail bytes of a list. A byte that is not a record, a
 * record of varying size, and a truncated record become ".byte 0x..". Stores in *taken the number
 * of bytes that the text represents, at least 1. avail must not be 0.
 */
size_t vc4_list_text(const uint8_t *list, size_t avail, size_t *taken, char *buf, size_t size);

#endif
