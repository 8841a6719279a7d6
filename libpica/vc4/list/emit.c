/* Writing lists: bytes, records, records by name. */
#include "vc4/list/emit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "vc4/list/record.h"

enum { FIRST_CAPACITY = 1024, MAX_ALIGNMENT = 4096, MAX_TEXT = 64 };

void vc4_emit_fail(struct pica_vc4_emit *e, int error) {
	if (!e->error) {
		e->error = error;
	}
}

uint8_t *vc4_emit_room(struct pica_vc4_emit *e, size_t n) {
	if (e->error) {
		return NULL;
	}
	if (n > e->capacity - e->size) {
		size_t capacity = e->capacity ? e->capacity : FIRST_CAPACITY;
		while (capacity - e->size < n && capacity <= SIZE_MAX / 2) {
			capacity *= 2;
		}
		uint8_t *bytes = e->is_fixed || capacity - e->size < n ? NULL :
				realloc(e->bytes, capacity);
		if (!bytes) {
			vc4_emit_fail(e, e->is_fixed ? -ENOSPC : -ENOMEM);
			return NULL;
		}
		e->bytes = bytes;
		e->capacity = capacity;
	}
	uint8_t *at = e->bytes ? e->bytes + e->size : NULL;
	if (n) {
		memset(at, 0, n);
	}
	e->size += n;
	return at;
}

PICA_EXPORT void pica_vc4_emit_init(struct pica_vc4_emit *e) {
	memset(e, 0, sizeof(*e));
}

PICA_EXPORT void pica_vc4_emit_init_fixed(struct pica_vc4_emit *e, void *bytes, size_t capacity) {
	memset(e, 0, sizeof(*e));
	e->bytes = bytes;
	e->capacity = capacity;
	e->is_fixed = true;
}

PICA_EXPORT void pica_vc4_emit_finish(struct pica_vc4_emit *e) {
	if (!e) {
		return;
	}
	if (!e->is_fixed) {
		free(e->bytes);
	}
	memset(e, 0, sizeof(*e));
}

PICA_EXPORT void pica_vc4_emit_reset(struct pica_vc4_emit *e) {
	e->size = 0;
	e->error = 0;
}

PICA_EXPORT int pica_vc4_emit_error(const struct pica_vc4_emit *e) {
	return e->error;
}

PICA_EXPORT void pica_vc4_emit_bytes(struct pica_vc4_emit *e, const void *bytes, size_t size) {
	uint8_t *at = vc4_emit_room(e, size);
	if (at && size) {
		memcpy(at, bytes, size);
	}
}

PICA_EXPORT void pica_vc4_emit_align(struct pica_vc4_emit *e, size_t alignment) {
	if (alignment == 0 || alignment > MAX_ALIGNMENT || (alignment & (alignment - 1))) {
		vc4_emit_fail(e, -EINVAL);
		return;
	}
	vc4_emit_room(e, -e->size & (alignment - 1));
}

/* ---- Records ---- */

PICA_EXPORT void pica_vc4_emit_record(struct pica_vc4_emit *e, uint32_t op, const uint32_t *values,
		size_t n) {
	const struct vc4_record *record = op <= UINT8_MAX ? vc4_record((uint8_t)op) : NULL;
	if (!record || !record->size_bytes) {
		vc4_emit_fail(e, -EINVAL);
		return;
	}
	uint8_t c[VC4_MAX_RECORD] = { record->op };
	size_t i = 0;
	for (; record->fields[i].name; i++) {
		const int ret = i < n ? vc4_field_set(&record->fields[i], c, values[i]) : -EINVAL;
		if (ret < 0) {
			vc4_emit_fail(e, ret);
			return;
		}
	}
	if (i != n) {
		vc4_emit_fail(e, -EINVAL);
	}
	pica_vc4_emit_bytes(e, c, record->size_bytes);
}

PICA_EXPORT uint32_t pica_vc4_f32(float value) {
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static bool is_separator(char c) {
	return c == ' ' || c == ',' || c == '\t' || c == '\n';
}

/* An integer; negative ones as two's complement. */
static int parse_integer(const char *text, uint32_t *out) {
	char *end;
	const long long n = strtoll(text, &end, 0);
	if (end == text || *end) {
		return -EINVAL;
	}
	*out = (uint32_t)n;
	return n < INT32_MIN || n > UINT32_MAX ? -ERANGE : 0;
}

static int parse_decimal(const struct vc4_field *f, const char *text, uint32_t *out) {
	char *end;
	const double value = strtod(text, &end);
	if (end == text || *end) {
		return -EINVAL;
	}
	if (f->form == VC4_FORM_FX4) {
		const double scaled = value * 16;
		if (!(scaled >= INT16_MIN && scaled <= INT16_MAX)) {
			return -ERANGE;
		}
		*out = (uint32_t)(int32_t)scaled;
		return (double)(int32_t)*out == scaled ? 0 : -ERANGE;
	}
	const uint32_t bits = pica_vc4_f32((float)value);
	*out = f->form == VC4_FORM_F16 ? bits >> 16 : bits;
	return 0;
}

static int parse_value(const struct vc4_field *f, const char *text, uint32_t *out) {
	const bool is_float = f->form == VC4_FORM_F32 || f->form == VC4_FORM_F16;
	if (f->form == VC4_FORM_FX4 || (is_float && strncmp(text, "0x", 2) != 0)) {
		return parse_decimal(f, text, out);
	}
	for (const struct vc4_value *v = f->values; v && v->name; v++) {
		if (strcmp(v->name, text) == 0) {
			*out = v->value;
			return 0;
		}
	}
	const int ret = parse_integer(text, out);
	return ret == -EINVAL && f->values ? -ENOENT : ret;
}

/* One "FIELD=value", which is changed. */
static int set_field(const struct vc4_record *record, uint8_t *c, char *item) {
	char *equals = strchr(item, '=');
	if (!equals) {
		return -EINVAL;
	}
	*equals = '\0';
	const struct vc4_field *f = record->fields;
	while (f->name && strcmp(f->name, item) != 0) {
		f++;
	}
	if (!f->name) {
		return -ENOENT;
	}
	uint32_t value = 0;
	const int ret = parse_value(f, equals + 1, &value);
	return ret < 0 ? ret : vc4_field_set(f, c, value);
}

PICA_EXPORT void pica_vc4_emit_named(struct pica_vc4_emit *e, const char *name,
		const char *fields) {
	const struct vc4_record *record = vc4_record_named(name);
	if (!record || !record->size_bytes) {
		vc4_emit_fail(e, record ? -EINVAL : -ENOENT);
		return;
	}
	uint8_t c[VC4_SIZE_GL_SHADER_RECORD] = { record->op };
	const char *text = fields;
	while (*text) {
		if (is_separator(*text)) {
			text++;
			continue;
		}
		char item[MAX_TEXT];
		size_t len = 0;
		while (text[len] && !is_separator(text[len])) {
			len++;
		}
		int ret = -EINVAL;
		if (len < sizeof(item)) {
			memcpy(item, text, len);
			item[len] = '\0';
			ret = set_field(record, c, item);
		}
		if (ret < 0) {
			vc4_emit_fail(e, ret);
			return;
		}
		text += len;
	}
	pica_vc4_emit_bytes(e, c, record->size_bytes);
}
