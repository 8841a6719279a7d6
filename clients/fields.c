#include "fields.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "core/base/attributes.h"
#include "pica.h"

static const uint8_t kinds[PICA_REG_COUNT] = {
#define REG(id, name, layout, kind, part) [id] = FIELD_KIND_##kind,
#include "regs/pica_regs.def"
};

static const struct {
	const char *values;
	uint32_t value;
	const char *text;
} texts[] = {
#define VALUE(name, constant, value, text) { #name, value, text },
#include "regs/pica_enums.def"
};

enum field_kind field_kind(uint32_t id) {
	return id < PICA_REG_COUNT ? (enum field_kind)kinds[id] : FIELD_KIND_HOLE;
}

const char *field_text(const char *values, uint32_t value) {
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (texts[i].value == value && strcmp(texts[i].values, values) == 0) {
			return texts[i].text;
		}
	}
	return "?";
}

int field_value(const char *values, const char *text) {
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (strcmp(texts[i].values, values) == 0 && strcasecmp(texts[i].text, text) == 0) {
			return (int)texts[i].value;
		}
	}
	return -ENOENT;
}
