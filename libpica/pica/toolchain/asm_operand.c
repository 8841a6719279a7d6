/* The assembler: numbers, registers, swizzles, conditions. [fidelity: assembler] */
#include "pica/toolchain/asm.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/f24.h"

static const struct {
	char letter;
	unsigned count;
	const char *what;
} kinds[KIND_COUNT] = {
	[KIND_O] = { 'o', 16, "an output register" },
	[KIND_V] = { 'v', 16, "an input register" },
	[KIND_R] = { 'r', 16, "a temporary register" },
	[KIND_C] = { 'c', 96, "a float uniform" },
	[KIND_I] = { 'i', 4, "an int uniform" },
	[KIND_B] = { 'b', 16, "a bool uniform" },
};

static bool is_digit(char c) {
	return c >= '0' && c <= '9';
}

/* ---- Numbers ---- */

int asm_digit(char c) {
	return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
			c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static bool parse_integer(struct slice s, long *out) {
	bool negative = s.n && s.p[0] == '-';
	if (s.n && (s.p[0] == '-' || s.p[0] == '+')) {
		s = slice_skip(s, 1);
	}
	int base = 10;
	if (s.n > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'X')) {
		base = 16;
		s = slice_skip(s, 2);
	}
	if (s.n == 0) {
		return false;
	}
	int64_t value = 0;
	for (size_t i = 0; i < s.n; i++) {
		int digit = asm_digit(s.p[i]);
		if (digit >= base) {
			return false;
		}
		value = value * base + digit;
		/* out of every range */
		value = value > INT64_C(0xFFFFFFFFFF) ? INT64_C(0xFFFFFFFFFF) : value;
	}
	*out = (long)(negative ? -value : value);
	return true;
}

long asm_integer(
		struct assembler *a, struct slice s, long min, long max, const char *what) {
	long value;
	if (!parse_integer(s, &value)) {
		asm_fail(a, "expected %s, a number, got \"%.*s\"", what, SLICE_ARG(s));
		return min;
	}
	if (value < min || value > max) {
		asm_fail(a, "expected %s from %ld to %ld, got \"%.*s\"", what, min, max,
				SLICE_ARG(s));
		return min;
	}
	return value;
}

uint32_t asm_float(struct assembler *a, struct slice s) {
	char buf[64]; /* later digits change no bit that f24 keeps */
	size_t n = s.n < sizeof(buf) - 1 ? s.n : sizeof(buf) - 1;
	memcpy(buf, s.p, n);
	buf[n] = '\0';
	char *end;
	if (buf[0] == '#') { /* a word that no number gives */
		unsigned long word = strtoul(buf + 1, &end, 16);
		if (end != buf + 7 || *end || strchr("+- ", buf[1])) {
			asm_fail(a, "expected six hexadecimal digits after \"#\", got \"%s\"", buf);
		}
		return (uint32_t)word;
	}
	double value = strtod(buf, &end);
	if (end == buf) {
		asm_fail(a, "expected a number, got \"%.*s\"", SLICE_ARG(s));
	}
	float f = fabs(value) <= (double)FLT_MAX ? (float)value :
			value != value ? f32_from_bits(0x7FC00000u) : value > 0 ? HUGE_VALF :
			-HUGE_VALF;
	return f32_to_f24(f);
}

/* ---- Selectors ---- */

static int component_of(char letter) {
	static const char letters[] = "xyzwrgbastpq";
	const char *p = strchr(letters, asm_lower(letter));
	return letter && p ? (int)((p - letters) & 3) : -1;
}

unsigned asm_selector(struct assembler *a, struct slice s) {
	unsigned sel = 0;
	int component = -1;
	for (size_t k = 0; k < 4; k++) {
		if (k < s.n) {
			component = component_of(s.p[k]);
		}
		if (component < 0) {
			break;
		}
		sel |= (unsigned)component << (6 - 2 * k);
	}
	if (component < 0 || s.n > 4) {
		asm_fail(a, "expected one to four of xyzw, rgba or stpq, got \"%.*s\"",
				SLICE_ARG(s));
	}
	return sel;
}

unsigned selector_mask(unsigned selector) {
	unsigned mask = 0;
	for (unsigned k = 0; k < 4; k++) {
		mask |= 1u << shader_selector(selector, k);
	}
	return mask;
}

/* Component k of the result is component outer[k] of inner's result. */
static unsigned compose(unsigned inner, unsigned outer) {
	unsigned sel = 0;
	for (unsigned k = 0; k < 4; k++) {
		sel |= shader_selector(inner, shader_selector(outer, k)) << (6 - 2 * k);
	}
	return sel;
}

/* ---- Registers ---- */

struct asm_operand asm_plain(enum asm_kind kind, unsigned num) {
	return (struct asm_operand){ .kind = kind, .num = num, .selector = SELECTOR_IDENTITY };
}

static int kind_of_letter(char c) {
	for (int kind = 0; kind < KIND_COUNT; kind++) {
		if (kinds[kind].letter == c) {
			return kind;
		}
	}
	return -1;
}

/* A letter of either case and a digit: such a name would hide a register. */
static bool looks_like_register(struct slice s) {
	return s.n >= 2 && is_digit(s.p[1]) && kind_of_letter(asm_lower(s.p[0])) >= 0;
}

static unsigned index_register(struct slice s) {
	static const struct {
		const char *name;
		unsigned idx;
	} names[] = { { "a0.x", 1 }, { "a0.y", 2 }, { "aL", 3 }, { "a0", 1 }, { "a1", 2 },
		{ "a2", 3 }, { "lcnt", 3 } };
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (slice_is_nocase(s, names[i].name)) {
			return names[i].idx;
		}
	}
	return 0;
}

/* The text in brackets: a number, an address register, or both. Returns the offset. */
static unsigned parse_index(struct assembler *a, struct slice s, unsigned *idx) {
	struct slice rest = s;
	struct slice first = slice_split(&rest, '+');
	*idx = index_register(first);
	if (*idx == 0) {
		return (unsigned)asm_integer(
				a, s, 0, 95, "a register offset or a0.x, a0.y, aL, aL+n");
	}
	return first.n == s.n ? 0 :
			(unsigned)asm_integer(a, slice_trim(rest), 0, 95, "a register offset");
}

static struct asm_operand parse_base(struct assembler *a, struct slice name) {
	for (unsigned i = 0; i < a->n_aliases; i++) {
		if (slice_equal(a->aliases[i].name, name)) {
			return a->aliases[i].operand;
		}
	}
	int kind = name.n ? kind_of_letter(name.p[0]) : -1;
	long num;
	struct slice digits = { name.p + 1, name.n - 1 };
	if (kind < 0 || name.n < 2 || !is_digit(name.p[1]) || !parse_integer(digits, &num)) {
		asm_fail(a, "expected a register, got \"%.*s\"", SLICE_ARG(name));
		return asm_plain(KIND_O, 0);
	}
	long count = kinds[kind].count;
	if (kind == KIND_O && a->file->entry.type == PICA_SHADER_GEOMETRY) {
		count = 7;
	}
	if (num >= count) {
		asm_fail(a, "expected %s %c0 to %c%ld, got \"%.*s\"", kinds[kind].what,
				kinds[kind].letter, kinds[kind].letter, count - 1, SLICE_ARG(name));
		return asm_plain(KIND_O, 0);
	}
	return asm_plain((enum asm_kind)kind, (unsigned)num);
}

struct asm_operand asm_operand(struct assembler *a, struct slice s) {
	const struct slice whole = s;
	bool negate = s.n && s.p[0] == '-';
	if (negate) {
		s = slice_skip(s, 1);
	}
	/* name [index] .letters; the point inside [a0.x] is not that of the letters */
	size_t at = 0;
	while (at < s.n && s.p[at] != '[' && s.p[at] != '.') {
		at++;
	}
	struct slice name = slice_trim((struct slice){ s.p, at });
	struct asm_operand out = parse_base(a, name);
	s = slice_skip(s, at);
	if (s.n && s.p[0] == '[') {
		const char *close = memchr(s.p, ']', s.n);
		if (!close) {
			asm_fail(a, "expected \"]\" in \"%.*s\"", SLICE_ARG(whole));
			return out;
		}
		struct slice inside = { s.p + 1, (size_t)(close - s.p - 1) };
		const unsigned offset = parse_index(a, slice_trim(inside), &out.idx);
		if (out.num + offset >= kinds[out.kind].count) {
			asm_fail(a, "expected a register within %c0 to %c%u, got \"%.*s\"",
					kinds[out.kind].letter, kinds[out.kind].letter,
					kinds[out.kind].count - 1, SLICE_ARG(whole));
			return out;
		}
		if (out.idx && out.kind != KIND_C) {
			asm_fail(a, "expected a float uniform before an address register, got \"%.*s\"",
					SLICE_ARG(whole));
		}
		out.num += offset;
		s = slice_trim((struct slice){ close + 1, s.n - (size_t)(close + 1 - s.p) });
	}
	if (s.n) {
		if (s.p[0] != '.') {
			asm_fail(a, "expected \".\" or the end after a register, got \"%.*s\"",
					SLICE_ARG(whole));
		}
		out.selector = compose(
				out.selector, asm_selector(a, slice_trim(slice_skip(s, 1))));
	}
	out.negate ^= negate;
	return out;
}

unsigned asm_register(struct assembler *a, struct slice s, enum asm_kind kind) {
	const struct asm_operand op = asm_operand(a, s);
	if (op.kind == kind && !op.idx && !op.negate && op.selector == SELECTOR_IDENTITY) {
		return op.num;
	}
	asm_fail(a, "expected %s, got \"%.*s\"", kinds[kind].what, SLICE_ARG(s));
	return 0;
}

/* ---- Names ---- */

void asm_check_new_name(struct assembler *a, struct slice name) {
	if (!is_identifier(name)) {
		asm_fail(a, "expected a name, got \"%.*s\"", SLICE_ARG(name));
	} else if (looks_like_register(name)) {
		asm_fail(a, "expected a name that does not look like a register, got \"%.*s\"",
				SLICE_ARG(name));
	}
	for (unsigned i = 0; i < a->n_aliases; i++) {
		if (slice_equal(a->aliases[i].name, name)) {
			asm_fail(a, "the name \"%.*s\" is in use", SLICE_ARG(name));
		}
	}
}

void asm_add_alias(struct assembler *a, struct slice name, struct asm_operand operand) {
	if (a->n_aliases == ASM_ALIASES) {
		asm_fail(a, "expected at most %d names in a file", ASM_ALIASES);
	} else {
		a->aliases[a->n_aliases++] = (struct asm_alias){ name, operand };
	}
}

/* ---- Conditions ---- */

/* [!]cmp.x or [!]cmp.y: returns the flag, and the value to compare it with. */
static unsigned parse_flag(struct assembler *a, struct slice s, bool *ref) {
	const struct slice whole = s;
	*ref = true;
	while (s.n && s.p[0] == '!') {
		*ref = !*ref;
		s = slice_trim(slice_skip(s, 1));
	}
	const unsigned which = slice_is_nocase(s, "cmp.y");
	if (which == 0 && !slice_is_nocase(s, "cmp.x")) {
		asm_fail(a, "expected cmp.x or cmp.y, got \"%.*s\"", SLICE_ARG(whole));
	}
	return which;
}

uint32_t asm_condition(struct assembler *a, struct slice s) {
	size_t at = 0;
	while (at < s.n && s.p[at] != '&' && s.p[at] != '|') {
		at++;
	}
	bool ref[2] = { true, true }, value;
	const unsigned first = parse_flag(a, slice_trim((struct slice){ s.p, at }), &value);
	ref[first] = value;
	uint32_t condop = 2 + first; /* x alone, y alone */
	if (at < s.n) {
		char type = s.p[at];
		at += at + 1 < s.n && s.p[at + 1] == type ? 2 : 1;
		const unsigned second = parse_flag(a, slice_trim(slice_skip(s, at)), &value);
		if (second == first) {
			asm_fail(a, "expected two different flags, got \"%.*s\"", SLICE_ARG(s));
		}
		ref[second] = value;
		condop = type == '&';
	}
	return condop << F2_CONDOP_LOW | (uint32_t)ref[0] << F2_REF_X_LOW |
			(uint32_t)ref[1] << F2_REF_Y_LOW;
}
