#include "pica/regs/regs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "core/base/fixed.h"

struct reg_row {
	const char *name;
	const char *layout;
	uint8_t kind;
	uint8_t part;
};

static const struct reg_row rows[REG_COUNT] = {
#define REG(id, name, layout, kind, part) [id] = { #name, #layout, REG_KIND_##kind, part },
#include "regs/pica_regs.def"
};

static const struct reg_field fields[] = {
#define FIELD(layout, field, low, bits) { #layout, #field, low, bits, REG_FORM_PLAIN, NULL },
#define FIELD_ENUM(layout, field, low, bits, values) \
	{ #layout, #field, low, bits, REG_FORM_ENUM, #values },
#define FIELD_FORM(layout, field, low, bits, form) \
	{ #layout, #field, low, bits, REG_FORM_##form, NULL },
#include "regs/pica_regs.def"
};

struct value_row {
	const char *values;
	uint32_t value;
	const char *text;
};

static const struct value_row value_rows[] = {
#define VALUE(name, constant, value, text) { #name, value, text },
#include "regs/pica_enums.def"
};

const struct regs_texunit regs_texunit[3] = {
	{ REG_TEXUNIT0_BORDER_COLOR, REG_TEXUNIT0_DIM, REG_TEXUNIT0_PARAM, REG_TEXUNIT0_LOD,
			REG_TEXUNIT0_ADDR1, REG_TEXUNIT0_TYPE },
	{ REG_TEXUNIT1_BORDER_COLOR, REG_TEXUNIT1_DIM, REG_TEXUNIT1_PARAM, REG_TEXUNIT1_LOD,
			REG_TEXUNIT1_ADDR, REG_TEXUNIT1_TYPE },
	{ REG_TEXUNIT2_BORDER_COLOR, REG_TEXUNIT2_DIM, REG_TEXUNIT2_PARAM, REG_TEXUNIT2_LOD,
			REG_TEXUNIT2_ADDR, REG_TEXUNIT2_TYPE },
};

const uint16_t regs_texenv[6] = { REG_TEXENV0_SOURCE, REG_TEXENV1_SOURCE, REG_TEXENV2_SOURCE,
	REG_TEXENV3_SOURCE, REG_TEXENV4_SOURCE, REG_TEXENV5_SOURCE };

const uint16_t regs_light[8] = { REG_LIGHT0_SPECULAR0, REG_LIGHT1_SPECULAR0, REG_LIGHT2_SPECULAR0,
	REG_LIGHT3_SPECULAR0, REG_LIGHT4_SPECULAR0, REG_LIGHT5_SPECULAR0, REG_LIGHT6_SPECULAR0,
	REG_LIGHT7_SPECULAR0 };

_Static_assert((int)REG_VSH_BOOLUNIFORM - (int)REG_GSH_BOOLUNIFORM == (int)REGS_VSH_FROM_GSH,
		"distance of the shader unit blocks");
_Static_assert(PART_ALL <= UINT8_MAX, "reg_row.part is too narrow");

static uint32_t field_get(const struct reg_field *f, uint32_t word) {
	return word >> f->low & 0xFFFFFFFFu >> (32 - f->bits);
}

/* Appends to a buffer that may be too small; *len counts on. */
PICA_PRINTF(4, 5)
static void append(char *buf, size_t size, size_t *len, const char *fmt, ...) {
	va_list args;
	va_start(args, fmt);
	bool room = *len < size;
	int n = vsnprintf(room ? buf + *len : NULL, room ? size - *len : 0, fmt, args);
	va_end(args);
	*len += n > 0 ? (size_t)n : 0;
}

const char *reg_name(uint32_t id) {
	return id < REG_COUNT ? rows[id].name : NULL;
}

/* Returns the name of its layout, or NULL. */
static const char *reg_layout(uint32_t id) {
	return id < REG_COUNT ? rows[id].layout : NULL;
}

enum reg_kind reg_kind(uint32_t id) {
	return id < REG_COUNT ? (enum reg_kind)rows[id].kind : REG_KIND_HOLE;
}

const char *reg_kind_name(enum reg_kind kind) {
	switch (kind) {
	case REG_KIND_HOLE:
		return "hole";
	case REG_KIND_CONFIG:
		return "config";
	case REG_KIND_PORT:
		return "port";
	case REG_KIND_TRIGGER:
		return "trigger";
	case REG_KIND_STATUS:
		return "status";
	case REG_KIND_CPU:
		return "cpu";
	case REG_KIND_UNKNOWN:
		return "unknown";
	}
	return "?";
}

uint32_t reg_part(uint32_t id) {
	return id < REG_COUNT ? rows[id].part : (uint32_t)PART_NONE;
}

int reg_find(const char *name) {
	if (strncmp(name, "GPUREG_", 7) == 0) {
		name += 7;
	}
	for (int id = 0; id < REG_COUNT; id++) {
		if (rows[id].name && strcmp(rows[id].name, name) == 0) {
			return id;
		}
	}
	return -ENOENT;
}

const struct reg_field *reg_field_at(uint32_t id, unsigned index) {
	const char *layout = reg_layout(id);
	for (size_t i = 0; layout && i < ARRAY_LEN(fields); i++) {
		if (strcmp(fields[i].layout, layout) == 0 && index-- == 0) {
			return &fields[i];
		}
	}
	return NULL;
}

const struct reg_field *reg_field_find(uint32_t id, const char *field) {
	const struct reg_field *f;
	for (unsigned i = 0; (f = reg_field_at(id, i)); i++) {
		if (strcmp(f->name, field) == 0) {
			return f;
		}
	}
	return NULL;
}

const char *reg_value_name(const char *values, uint32_t value) {
	for (size_t i = 0; i < ARRAY_LEN(value_rows); i++) {
		if (value_rows[i].value == value && strcmp(value_rows[i].values, values) == 0) {
			return value_rows[i].text;
		}
	}
	return NULL;
}

int reg_value_find(const char *values, const char *text) {
	for (size_t i = 0; i < ARRAY_LEN(value_rows); i++) {
		if (strcmp(value_rows[i].values, values) == 0 &&
				strcmp(value_rows[i].text, text) == 0) {
			return (int)value_rows[i].value;
		}
	}
	return -ENOENT;
}

size_t reg_dump(uint32_t id, uint32_t word, char *buf, size_t size) {
	size_t len = 0;
	if (size) {
		buf[0] = '\0';
	}
	const struct reg_field *f;
	for (unsigned i = 0; (f = reg_field_at(id, i)); i++) {
		uint32_t v = field_get(f, word);
		append(buf, size, &len, "%s%s=", i ? " " : "", f->name);
		switch (f->form) {
		case REG_FORM_PLAIN:
			append(buf, size, &len, "%" PRIu32, v);
			break;
		case REG_FORM_ENUM: {
			const char *text = reg_value_name(f->values, v);
			append(buf, size, &len, "%s(%" PRIu32 ")", text ? text : "?", v);
			break;
		}
		case REG_FORM_HEX:
			append(buf, size, &len, "0x%" PRIx32, v);
			break;
		case REG_FORM_SIGNED:
			append(buf, size, &len, "%" PRId32, sign_extend(v, f->bits));
			break;
		case REG_FORM_OVER_2047:
			append(buf, size, &len, "%.9g(0x%" PRIx32 ")",
					(double)sign_extend(v, f->bits) / 2047, v);
			break;
		case REG_FORM_F16:
			append(buf, size, &len, "%.9g(0x%" PRIx32 ")", (double)f16_to_f32(v), v);
			break;
		case REG_FORM_F20:
			append(buf, size, &len, "%.9g(0x%" PRIx32 ")", (double)f20_to_f32(v), v);
			break;
		case REG_FORM_F24:
			append(buf, size, &len, "%.9g(0x%" PRIx32 ")", (double)f24_to_f32(v), v);
			break;
		case REG_FORM_F31:
			append(buf, size, &len, "%.9g(0x%" PRIx32 ")", (double)f31_to_f32(v), v);
			break;
		case REG_FORM_ADDR8:
			append(buf, size, &len, "0x%08" PRIx32, v << 3);
			break;
		}
	}
	return len;
}

static bool is_separator(char c) {
	return c == ' ' || c == ',' || c == '\t' || c == '\n';
}

/* An integer into a field of that many bits; negative ones as two's complement. */
static int parse_integer(const char *text, unsigned bits, uint32_t *out) {
	char *end;
	errno = 0;
	long long n = strtoll(text, &end, 0);
	if (end == text || *end) {
		return -EINVAL;
	}
	uint32_t max = 0xFFFFFFFFu >> (32 - bits);
	if (errno || n > (long long)max || n < -((long long)max / 2 + 1)) {
		return -ERANGE;
	}
	*out = (uint32_t)n & max;
	return 0;
}

static int parse_value(const struct reg_field *f, const char *text, uint32_t *out) {
	if (f->form == REG_FORM_ENUM) {
		int value = reg_value_find(f->values, text);
		if (value >= 0) {
			*out = (uint32_t)value;
			return 0;
		}
		int ret = parse_integer(text, f->bits, out);
		return ret == -EINVAL ? -ENOENT : ret;
	}
	bool is_float = f->form == REG_FORM_F16 || f->form == REG_FORM_F20 ||
			f->form == REG_FORM_F24 || f->form == REG_FORM_F31;
	if (is_float && strchr(text, '.')) {
		char *end;
		float value = strtof(text, &end);
		if (end == text || *end) {
			return -EINVAL;
		}
		switch (f->bits) {
		case 16:
			*out = f32_to_f16(value);
			return 0;
		case 20:
			*out = f32_to_f20(value);
			return 0;
		case 24:
			*out = f32_to_f24(value);
			return 0;
		default:
			*out = f32_to_f31(value);
			return 0;
		}
	}
	if (f->form == REG_FORM_OVER_2047 && strchr(text, '.')) {
		char *end;
		const double value = strtod(text, &end) * 2047;
		if (end == text || *end) {
			return -EINVAL;
		}
		const int32_t limit = 1 << (f->bits - 1);
		if (!(value > -limit - 0.5 && value < limit - 0.5)) {
			return -ERANGE;
		}
		*out = (uint32_t)(int32_t)(value < 0 ? value - 0.5 : value + 0.5) &
				((1u << f->bits) - 1);
		return 0;
	}
	int ret = parse_integer(text, f->form == REG_FORM_ADDR8 ? 32 : f->bits, out);
	if (ret == 0 && f->form == REG_FORM_ADDR8) {
		/* Addresses are given in bytes, as they are printed. */
		uint32_t addr = *out;
		*out = addr >> 3;
		ret = addr & 7 || *out >> f->bits ? -ERANGE : 0;
	}
	return ret;
}

int reg_parse(uint32_t id, const char *text, uint32_t *word) {
	if (!reg_name(id)) {
		return -ENOENT;
	}
	uint32_t result = *word;
	while (*text) {
		if (is_separator(*text)) {
			text++;
			continue;
		}
		char item[96];
		size_t len = 0;
		while (text[len] && !is_separator(text[len])) {
			len++;
		}
		if (len >= sizeof(item)) {
			return -EINVAL;
		}
		memcpy(item, text, len);
		item[len] = '\0';
		text += len;
		char *equals = strchr(item, '=');
		uint32_t value;
		int ret;
		if (!equals) {
			ret = parse_integer(item, 32, &result);
		} else {
			*equals = '\0';
			const struct reg_field *f = reg_field_find(id, item);
			ret = f ? parse_value(f, equals + 1, &value) : -ENOENT;
			if (ret == 0) {
				uint32_t mask = 0xFFFFFFFFu >> (32 - f->bits) << f->low;
				result = (result & ~mask) | value << f->low;
			}
		}
		if (ret < 0) {
			return ret;
		}
	}
	*word = result;
	return 0;
}
