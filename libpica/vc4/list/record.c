/* The table of records, and their text. */
#include "vc4/list/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/base/attributes.h"
#include "core/base/fixed.h"

/* Places of rows: an enumeration's values, and a record's fields, follow a row without a name. */
enum {
#define VC4_ENUM(values) VALUES_OF_##values,
#define VC4_VALUE(values, name, value, text) VALUE_OF_##values##_##name,
#include "vc4/pica_vc4_records.def"
	VALUES_END,
};
enum {
#define VC4_RECORD(op, name, size, lists, state) FIELDS_OF_##name,
#define VC4_STRUCT(name, size) FIELDS_OF_##name,
#define VC4_FIELD(record, field, byte, low, bits) FIELD_OF_##record##_##field,
#include "vc4/pica_vc4_records.def"
	FIELDS_END,
};

static const struct vc4_value values[] = {
#define VC4_ENUM(values) { NULL, 0 },
#define VC4_VALUE(values, name, value, text) { text, value },
#include "vc4/pica_vc4_records.def"
	[VALUES_END] = { NULL, 0 },
};

static const struct vc4_field fields[] = {
#define VC4_RECORD(op, name, size, lists, state) { NULL, 0, 0, 0, 0, NULL },
#define VC4_STRUCT(name, size) { NULL, 0, 0, 0, 0, NULL },
#define VC4_FIELD(record, field, byte, low, bits) \
	{ #field, byte, low, bits, VC4_FORM_NUMBER, NULL },
#define VC4_FIELD_ENUM(record, field, byte, low, bits, values_of) \
	{ #field, byte, low, bits, VC4_FORM_ENUM, values + VALUES_OF_##values_of + 1 },
#define VC4_FIELD_FORM(record, field, byte, low, bits, form) \
	{ #field, byte, low, bits, VC4_FORM_##form, NULL },
#include "vc4/pica_vc4_records.def"
	[FIELDS_END] = { NULL, 0, 0, 0, 0, NULL },
};

static const struct vc4_record by_op[256] = {
#define VC4_RECORD(op, name, size, lists, state) \
	[op] = { #name, op, size, VC4_##lists, VC4_##state, fields + FIELDS_OF_##name + 1 },
#include "vc4/pica_vc4_records.def"
};

static const struct vc4_record in_memory[] = {
#define VC4_STRUCT(name, size) { #name, 0, size, 0, VC4_BUILT, fields + FIELDS_OF_##name + 1 },
#include "vc4/pica_vc4_records.def"
};

const struct vc4_record *vc4_record(uint8_t op) {
	return by_op[op].name ? &by_op[op] : NULL;
}

const struct vc4_record *vc4_record_named(const char *name) {
	for (size_t i = 0; i < ARRAY_LEN(by_op); i++) {
		if (by_op[i].name && strcmp(by_op[i].name, name) == 0) {
			return &by_op[i];
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(in_memory); i++) {
		if (strcmp(in_memory[i].name, name) == 0) {
			return &in_memory[i];
		}
	}
	return NULL;
}

/* The bits of an address are those of the word that it lies in. */
static unsigned place(const struct vc4_field *f) {
	return f->form == VC4_FORM_ADDRESS ? f->low : 0;
}

uint32_t vc4_field_get(const struct vc4_field *f, const uint8_t *r) {
	return vc4_bits(r + f->byte, f->low, f->bits) << place(f);
}

int vc4_field_set(const struct vc4_field *f, uint8_t *r, uint32_t value) {
	const uint32_t mask = 0xFFFFFFFFu >> (32 - f->bits);
	if (f->form == VC4_FORM_SIGNED || f->form == VC4_FORM_FX4) {
		if ((uint32_t)sign_extend(value, f->bits) != value) {
			return -ERANGE;
		}
		value &= mask;
	} else if ((value >> place(f) & mask) << place(f) != value) {
		return -ERANGE;
	}
	const size_t len = (f->low + f->bits + 7u) / 8;
	uint32_t word = 0;
	memcpy(&word, r + f->byte, len);
	word = (word & ~(mask << f->low)) | (value >> place(f)) << f->low;
	memcpy(r + f->byte, &word, len);
	return 0;
}

/* ---- Text ---- */

struct text {
	char *buf;
	size_t size, len;
};

PICA_PRINTF(2, 3)
static void append(struct text *t, const char *format, ...) {
	va_list args;
	va_start(args, format);
	const size_t left = t->len < t->size ? t->size - t->len : 0;
	const int n = vsnprintf(left ? t->buf + t->len : NULL, left, format, args);
	va_end(args);
	t->len += n > 0 ? (size_t)n : 0;
}

static const char *value_name(const struct vc4_value *v, uint32_t value) {
	while (v->name && v->value != value) {
		v++;
	}
	return v->name;
}

const char *vc4_value_text(const struct vc4_record *record, const char *field, uint32_t value) {
	const struct vc4_field *f = record->fields;
	while (strcmp(f->name, field) != 0) {
		f++;
	}
	const char *name = value_name(f->values, value);
	return name ? name : "?";
}

/* Floats without a decimal text, NaN and infinities, are written as the field's bits. */
static void append_float(struct text *t, uint32_t field, unsigned shift) {
	const uint32_t bits = field << shift;
	float f;
	memcpy(&f, &bits, sizeof(f));
	if ((bits & 0x7F800000) == 0x7F800000) {
		append(t, "0x%" PRIx32, field);
	} else {
		append(t, "%.9g", (double)f);
	}
}

static void append_field(struct text *t, const struct vc4_field *f, const uint8_t *r) {
	const uint32_t v = vc4_field_get(f, r);
	const enum vc4_form form = f->form;
	if (form == VC4_FORM_FLAG && v == 0) {
		return;
	}
	append(t, " %s=", f->name);
	switch (form) {
	case VC4_FORM_ENUM: {
		const char *name = value_name(f->values, v);
		if (name) {
			append(t, "%s", name);
		} else {
			append(t, "%" PRIu32, v);
		}
		return;
	}
	case VC4_FORM_NUMBER:
	case VC4_FORM_FLAG:
		append(t, "%" PRIu32, v);
		return;
	case VC4_FORM_HEX:
		append(t, "0x%" PRIx32, v);
		return;
	case VC4_FORM_SIGNED:
		append(t, "%" PRId32, sign_extend(v, f->bits));
		return;
	case VC4_FORM_FX4:
		append(t, "%.9g", sign_extend(v, f->bits) / 16.0);
		return;
	case VC4_FORM_F32:
		append_float(t, v, 0);
		return;
	case VC4_FORM_F16:
		append_float(t, v, 16);
		return;
	case VC4_FORM_ADDRESS:
		append(t, "0x%08" PRIx32, v);
		return;
	}
}

size_t vc4_record_text(const struct vc4_record *record, const uint8_t *r, char *buf, size_t size) {
	struct text t = { buf, size, 0 };
	append(&t, "%s", record->name);
	for (const struct vc4_field *f = record->fields; f->name; f++) {
		append_field(&t, f, r);
	}
	return t.len;
}

size_t vc4_list_text(const uint8_t *list, size_t avail, size_t *taken, char *buf, size_t size) {
	const struct vc4_record *record = vc4_record(list[0]);
	if (record && record->size_bytes && record->size_bytes <= avail) {
		*taken = record->size_bytes;
		return vc4_record_text(record, list, buf, size);
	}
	struct text t = { buf, size, 0 };
	*taken = 1;
	append(&t, ".byte 0x%02x%s%s", list[0], record ? " # " : "", record ? record->name : "");
	return t.len;
}
