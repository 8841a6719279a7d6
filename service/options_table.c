#include "service/options_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/listen.h"
#include "service/options_display.h"
#include "service/privileges.h"

#define AT(member) offsetof(struct options, member)
#define SETTING(member) \
	AT(settings.member), .size = sizeof(((struct options *)NULL)->settings.member)
#define COUNT_MAX ((uint64_t)1 << 40)

const struct row option_rows[] = {
#define SUBJECT(title) { .type = ROW_SUBJECT, .doc = title },
#define ANY_TEXT(row_type, member, text, holds, choices, otherwise, place, words) \
	{ .type = row_type, .name = text, .arg = choices, .doc = words, .hold = holds, \
		.offset = AT(member), .unless = otherwise, .where = place },
#define TEXT(...) ANY_TEXT(ROW_TEXT, __VA_ARGS__)
#define CHOICE(...) ANY_TEXT(ROW_CHOICE, __VA_ARGS__)
#define ANY_NUMBER(row_type, argument, member, one, text, holds, least, most, words) \
	{ .type = row_type, .name = text, .arg = argument, .doc = words, .hold = holds, \
		.unit = one, .min = least, .max = most, .offset = SETTING(member) },
#define NUMBER(...) ANY_NUMBER(ROW_NUMBER, "N", __VA_ARGS__)
#define BYTES(...) ANY_NUMBER(ROW_BYTES, "BYTES", __VA_ARGS__)
#include "service/options.def"
};
const unsigned n_option_rows = sizeof(option_rows) / sizeof(option_rows[0]);

char **row_text(const struct options *o, const struct row *row) {
	return (char **)(uintptr_t)((const char *)o + row->offset);
}

uint64_t row_number(const struct options *o, const struct row *row) {
	const void *at = (const char *)o + row->offset;
	const uint64_t n = row->size == 4 ? *(const uint32_t *)at : *(const uint64_t *)at;
	return n / row->unit;
}

bool row_is_text(const struct row *row) {
	return row->type == ROW_TEXT || row->type == ROW_CHOICE;
}

bool row_is_number(const struct row *row) {
	return row->type == ROW_NUMBER || row->type == ROW_BYTES;
}

/* ---- Values ---- */

static bool is_choice(const char *choices, const char *value) {
	size_t n = strlen(value);
	for (const char *p = choices; n && (p = strstr(p, value)); p++) {
		bool begins = p == choices || p[-1] == '|', ends = p[n] == 0 || p[n] == '|';
		if (begins && ends) {
			return true;
		}
	}
	return false;
}

static int parse_number(const struct row *row, const char *value, uint64_t *out) {
	char *end;
	errno = 0;
	uint64_t n = strtoull(value, &end, 10);
	if (errno || end == value || value[0] == '-') {
		return -EINVAL;
	}
	if (row->type == ROW_BYTES && *end) {
		static const char units[] = "KMG";
		const char *unit = strchr(units, *end);
		unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
		if (!unit || n > UINT64_MAX >> shift) {
			return -EINVAL;
		}
		n <<= shift;
		end++;
	}
	if (*end || n < row->min || n > row->max) {
		return -EINVAL;
	}
	*out = n * row->unit;
	return 0;
}

static int set_number(struct options *o, const struct row *row, const char *value) {
	void *at = (char *)o + row->offset;
	uint64_t n;
	const int ret = parse_number(row, value, &n);
	if (ret == 0 && row->size == 4) {
		*(uint32_t *)at = (uint32_t)n;
	} else if (ret == 0) {
		*(uint64_t *)at = n;
	}
	return ret;
}

/* "expected a, b or c" of "a|b|c" */
static void join(char *why, size_t why_bytes, const char *choices) {
	size_t len = (size_t)snprintf(why, why_bytes, "expected ");
	while (*choices && len < why_bytes) {
		const size_t n = strcspn(choices, "|");
		const char *rest = choices + n + (choices[n] == '|');
		len += (size_t)snprintf(why + len, why_bytes - len, "%.*s%s", (int)n, choices,
				!*rest ? "" : strchr(rest, '|') ? ", " : " or ");
		choices = rest;
	}
}

/* Control characters of ASCII, and U+0080 to U+009F: a configuration must not contain them. */
static bool has_control(const char *value) {
	for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
		if (*c < 0x20 || *c == 0x7F || (*c == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0)) {
			return true;
		}
	}
	return false;
}

int row_set(struct options *o, const struct row *row, const char *value, char *why,
		size_t why_bytes) {
	if (!row_is_text(row)) {
		const int ret = set_number(o, row, value);
		if (ret < 0) {
			snprintf(why, why_bytes,
					"expected a number from %" PRIu64 " to %" PRIu64 "%s",
					row->min, row->max,
					row->type == ROW_BYTES ? " (K, M, G may follow)" : "");
		}
		return ret;
	}
	if (row->type == ROW_CHOICE && !is_choice(row->arg, value)) {
		join(why, why_bytes, row->arg);
		return -EINVAL;
	}
	const char *expected = has_control(value) ? "text without control characters" :
			options_display_expected(row->name, value);
	if (expected) {
		snprintf(why, why_bytes, "expected %s", expected);
		return -EINVAL;
	}
	char *copy = strdup(value);
	if (!copy) {
		snprintf(why, why_bytes, "out of memory");
		return -EINVAL;
	}
	free(*row_text(o, row));
	*row_text(o, row) = copy;
	return 0;
}

/* ---- What holds ---- */

const char *options_socket(const struct options *o, char own[OPTIONS_SOCKET_BYTES]) {
	struct identity id;
	identity_find(&id, o->user); /* confine_user() refuses an unknown user */
	listen_default_path(own, id.is_set ? id.uid : geteuid());
	return o->socket ? o->socket : own;
}

const char *row_text_in_force(
		const struct options *o, const struct row *row, char own[OPTIONS_SOCKET_BYTES]) {
	const char *given = *row_text(o, row);
	const bool is_headless = o->display && strcmp(o->display, "headless") == 0;
	const bool is_window = o->display && strcmp(o->display, "wayland") == 0;
	const bool holds[] = { [ALWAYS] = true, [ON_A_CARD] = options_has_seat(o),
		[HEADLESS] = is_headless,
		[ON_A_DISPLAY] = is_headless || is_window || options_has_card(o) };
	if (given) {
		return given;
	}
	if (row->offset == AT(socket)) {
		return options_socket(o, own);
	}
	if (row->offset == AT(display)) {
		return options_has_card(o) ? "kms" : "none";
	}
	return holds[row->where] ? row->unless : NULL;
}
