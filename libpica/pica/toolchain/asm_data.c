/* The assembler: uniforms, constants, inputs and outputs. [fidelity: assembler] */
#include "pica/toolchain/asm.h"

#include <stdlib.h>
#include <string.h>

/* ---- Tables of an entry ---- */

/* Makes room for one more element: tables grow at powers of two. NULL: failed; the table is
 * unchanged. */
static void *grown(struct assembler *a, void *p, uint32_t n, size_t size, uint32_t most,
		const char *what) {
	if (n == most) {
		asm_fail(a, "expected at most %u %s", (unsigned)most, what);
		return NULL;
	}
	void *more = n & (n - 1) ? p : realloc(p, (n ? (size_t)n * 2 : 1) * size);
	if (!more) {
		asm_no_memory(a);
	}
	return more;
}

static void add_constant(
		struct assembler *a, unsigned type, unsigned reg, const uint32_t value[4]) {
	struct pica_shader_entry *e = &a->file->entry;
	struct pica_shader_constant *p = grown(a, e->constants, e->n_constants, sizeof(*p),
			PICA_SHADER_MAX_CONSTANTS, "constants");
	if (p) {
		e->constants = p;
		p += e->n_constants++;
		*p = (struct pica_shader_constant){ .type = (uint16_t)type, .reg = (uint16_t)reg };
		memcpy(p->value, value, sizeof(p->value));
	}
}

/* is_written: the name as it stands, not as an identifier of the source. */
static void add_uniform(struct assembler *a, struct slice name, unsigned first, unsigned size,
		bool is_written) {
	struct pica_shader_entry *e = &a->file->entry;
	struct pica_shader_uniform *p = grown(a, e->uniforms, e->n_uniforms, sizeof(*p),
			PICA_SHADER_MAX_UNIFORMS, "uniforms and inputs");
	if (!p) {
		return;
	}
	e->uniforms = p;
	char *copy = malloc(name.n + 1);
	if (!copy) {
		asm_no_memory(a);
		return;
	}
	for (size_t i = 0; i < name.n; i++) {
		copy[i] = name.p[i] == '$' && !is_written ? '.' : name.p[i];
	}
	copy[name.n] = '\0';
	p[e->n_uniforms++] = (struct pica_shader_uniform){ copy, (uint16_t)first,
		(uint16_t)(first + size - 1) };
}

static void add_output(struct assembler *a, unsigned type, unsigned reg, unsigned mask) {
	struct pica_shader_entry *e = &a->file->entry;
	struct pica_shader_output *p = grown(a, e->output, e->n_outputs, sizeof(*p),
			PICA_SHADER_MAX_OUTPUTS, "outputs");
	if (p) {
		e->output = p;
		p[e->n_outputs++] = (struct pica_shader_output){ (uint16_t)type, (uint16_t)reg,
			(uint16_t)mask };
		e->outputs |= (uint16_t)(1u << reg);
		a->file->taken[reg] |= (uint16_t)mask;
	}
}

/* ---- Reading ---- */

void asm_expect_end(struct assembler *a, struct slice rest) {
	rest = slice_trim(rest);
	if (rest.n) {
		asm_fail(a, "expected the end of the line, got \"%.*s\"", SLICE_ARG(rest));
	}
}

struct slice asm_one_word(struct assembler *a, struct slice rest, const char *what) {
	const struct slice word = slice_word(&rest);
	if (!word.n) {
		asm_fail(a, "expected %s", what);
	}
	asm_expect_end(a, rest);
	return word;
}

/* "(x, y, z, w)" to the end of the line, as floats or as bytes. */
static void vector(struct assembler *a, struct slice s, bool is_float, uint32_t value[4]) {
	s = slice_trim(s);
	const char *close = s.n ? memchr(s.p, ')', s.n) : NULL;
	memset(value, 0, 4 * sizeof(*value));
	if (!close || s.p[0] != '(') {
		asm_fail(a, "expected \"(x, y, z, w)\", got \"%.*s\"", SLICE_ARG(s));
		return;
	}
	struct slice rest = { close + 1, s.n - (size_t)(close + 1 - s.p) };
	struct slice inside = { s.p + 1, (size_t)(close - s.p - 1) };
	for (int k = 0; k < 4; k++) {
		if (k < 3 && !memchr(inside.p, ',', inside.n)) {
			asm_fail(a, "expected four numbers, got \"%.*s\"", SLICE_ARG(s));
		}
		struct slice number = k < 3 ? slice_split(&inside, ',') : slice_trim(inside);
		value[k] = is_float ? asm_float(a, number) :
				(uint32_t)asm_integer(a, number, -128, 255, "a byte") & 0xFF;
	}
	asm_expect_end(a, rest);
}

/* The text before "(", leaving the vector in *rest. */
static struct slice before_paren(struct slice *rest) {
	size_t i = 0;
	while (i < rest->n && rest->p[i] != '(') {
		i++;
	}
	struct slice first = slice_trim((struct slice){ rest->p, i });
	*rest = slice_skip(*rest, i);
	return first;
}

/* ---- Names and uniforms ---- */

void asm_alias(struct assembler *a, struct slice rest) {
	struct slice name = slice_word(&rest);
	asm_check_new_name(a, name);
	const struct asm_operand operand = asm_operand(a, slice_trim(rest));
	if (operand.idx) {
		asm_fail(a, "expected a register without an address register");
	}
	asm_add_alias(a, name, operand);
}

static const unsigned table_base[KIND_COUNT] = {
	[KIND_V] = PICA_SHADER_REG_V,
	[KIND_C] = PICA_SHADER_REG_C,
	[KIND_I] = PICA_SHADER_REG_I,
	[KIND_B] = PICA_SHADER_REG_B,
};

/* Register of a uniform: that of its namesake in an earlier file, or the first free ones. */
static unsigned place_uniform(
		struct assembler *a, struct slice name, enum asm_kind kind, unsigned size) {
	bool is_shared = !a->file->own_space;
	for (unsigned i = 0; is_shared && i < a->n_shared; i++) {
		const struct asm_shared *s = &a->shared[i];
		if (!slice_equal(s->name, name)) {
			continue;
		}
		if (s->kind != kind || s->size != size) {
			asm_fail(a, "uniform \"%.*s\" has another type or size in an earlier file",
					SLICE_ARG(name));
		}
		return s->num;
	}
	struct asm_pool *pool = &a->pools[a->file->own_space][kind];
	if (pool->start + size > pool->bound) {
		asm_fail(a, "%u uniforms of this type are free, \"%.*s\" needs %u",
				pool->bound > pool->start ? pool->bound - pool->start : 0,
				SLICE_ARG(name), size);
		return 0;
	}
	if (is_shared && a->n_shared == PICA_SHADER_MAX_UNIFORMS) {
		asm_fail(a, "expected at most %d uniforms", PICA_SHADER_MAX_UNIFORMS);
	} else if (is_shared) {
		a->shared[a->n_shared++] = (struct asm_shared){ name, kind, pool->start, size };
	}
	pool->start += size;
	return pool->start - size;
}

/* "name" or "name[size]". Returns the size, 0: open. */
static unsigned sized_name(
		struct assembler *a, struct slice s, struct slice *name, bool may_be_open) {
	struct slice rest = s;
	unsigned size = may_be_open ? 0 : 1;
	*name = slice_split(&rest, '[');
	if (name->n != s.n) {
		rest = slice_trim(rest);
		if (rest.n == 0 || rest.p[rest.n - 1] != ']') {
			asm_fail(a, "expected \"]\" at the end of \"%.*s\"", SLICE_ARG(s));
			return size;
		}
		rest.n--;
		rest = slice_trim(rest);
		if (rest.n || !may_be_open) {
			size = (unsigned)asm_integer(a, rest, 1, 96, "a size");
		}
	} else if (may_be_open) {
		asm_fail(a, "expected \"name[]\" or \"name[size]\", got \"%.*s\"", SLICE_ARG(s));
	}
	asm_check_new_name(a, *name);
	return size;
}

void asm_uniforms(struct assembler *a, struct slice rest, enum asm_kind kind) {
	rest = slice_trim(rest);
	do {
		struct slice arg = slice_split(&rest, ','), name;
		const unsigned size = sized_name(a, arg, &name, false);
		if (a->error) {
			return;
		}
		const unsigned num = place_uniform(a, name, kind, size);
		if (name.p[0] != '_') {
			add_uniform(a, name, table_base[kind] + num, size, false);
		}
		asm_add_alias(a, name, asm_plain(kind, num));
		rest = slice_trim(rest);
	} while (rest.n);
}

/* ---- Literal rows of the table of uniforms ---- */

const struct asm_range asm_ranges[4] = {
	{ 'v', PICA_SHADER_REG_V, 16 },
	{ 'c', PICA_SHADER_REG_C, 96 },
	{ 'i', PICA_SHADER_REG_I, 4 },
	{ 'b', PICA_SHADER_REG_B, 16 },
};

/* "c12", or the number that a register has in the table. */
static unsigned table_number(struct assembler *a, struct slice s) {
	unsigned first = 0;
	long count = PICA_SHADER_REG_END;
	for (size_t k = 0; k < ARRAY_LEN(asm_ranges); k++) {
		if (s.n && s.p[0] == asm_ranges[k].letter) {
			first = asm_ranges[k].first;
			count = (long)asm_ranges[k].count;
			s = slice_skip(s, 1);
			break;
		}
	}
	return first + (unsigned)asm_integer(
			a, s, 0, count - 1, "a register v0-v15, c0-c95, i0-i3 or b0-b15");
}

/* A name in quotes, where \xNN is a byte. Returns its length. */
static size_t quoted_name(
		struct assembler *a, struct slice s, char out[PICA_SHADER_MAX_NAME + 1]) {
	size_t n = 0;
	if (s.n < 2 || s.p[0] != '"' || s.p[s.n - 1] != '"') {
		asm_fail(a, "expected a name in quotes, got \"%.*s\"", SLICE_ARG(s));
	}
	for (size_t i = 1; i + 1 < s.n; i++) {
		int byte = (unsigned char)s.p[i];
		if (byte == '\\') {
			const bool fits = i + 4 < s.n && s.p[i + 1] == 'x';
			const int high = fits ? asm_digit(s.p[i + 2]) : 16,
					low = fits ? asm_digit(s.p[i + 3]) : 16;
			byte = high > 15 || low > 15 ? 0 : 16 * high + low;
			i += 3;
		}
		if (byte == 0) {
			asm_fail(a, "expected \\xNN, not zero, after a backslash");
		}
		if (n == PICA_SHADER_MAX_NAME) {
			asm_fail(a, "expected a name of at most %d bytes", PICA_SHADER_MAX_NAME);
			return n;
		}
		out[n++] = (char)byte;
	}
	return n;
}

void asm_uniform_row(struct assembler *a, struct slice rest) {
	struct slice last_reg = slice_word(&rest);
	struct slice first_reg = slice_split(&last_reg, '-');
	char name[PICA_SHADER_MAX_NAME + 1];
	const unsigned first = table_number(a, first_reg);
	const unsigned last = last_reg.n ? table_number(a, last_reg) : first;
	if (last < first) {
		asm_fail(a, "expected the first register before the last");
	}
	const size_t len = quoted_name(a, rest, name);
	if (!a->error) {
		add_uniform(a, (struct slice){ name, len }, first, last - first + 1, true);
	}
	a->file->table_is_written = true;
}

/* ---- Constants ---- */

void asm_constant(struct assembler *a, struct slice rest, bool is_float) {
	struct slice name = before_paren(&rest);
	uint32_t value[4];
	asm_check_new_name(a, name);
	vector(a, rest, is_float, value);
	enum asm_kind kind = is_float ? KIND_C : KIND_I;
	struct asm_pool *pool = &a->pools[a->file->own_space][kind];
	if (pool->end <= pool->start) {
		asm_fail(a, "no uniform is free for constant \"%.*s\"", SLICE_ARG(name));
		return;
	}
	pool->end--;
	pool->bound = pool->end < pool->bound ? pool->end : pool->bound;
	add_constant(a, is_float ? PICA_SHADER_FLOAT : PICA_SHADER_INT, pool->end, value);
	asm_add_alias(a, name, asm_plain(kind, pool->end));
}

void asm_constant_array(struct assembler *a, struct slice rest) {
	struct asm_block *block = asm_code_block(a);
	struct pica_shader_entry *e = &a->file->entry;
	if (block && block->type == BLOCK_ARRAY) {
		uint32_t value[4];
		if (block->size && e->n_constants - block->first_constant == block->size) {
			asm_fail(a, "expected at most %u elements", (unsigned)block->size);
		}
		vector(a, rest, true, value);
		add_constant(a, PICA_SHADER_FLOAT, 0, value);
		return;
	}
	struct slice name;
	const unsigned size = sized_name(a, slice_trim(rest), &name, true);
	asm_open_block(a, BLOCK_ARRAY, name, 0);
	if (!a->error) {
		block = asm_code_block(a);
		block->first_constant = e->n_constants;
		block->size = size;
	}
}

void asm_end_array(struct assembler *a, const struct asm_block *block) {
	struct pica_shader_entry *e = &a->file->entry;
	static const uint32_t zero[4];
	while (!a->error && e->n_constants - block->first_constant < block->size) {
		add_constant(a, PICA_SHADER_FLOAT, 0, zero);
	}
	const uint32_t n = e->n_constants - block->first_constant;
	struct asm_pool *pool = &a->pools[a->file->own_space][KIND_C];
	if (n == 0) {
		asm_fail(a, "expected at least one element in the array");
	}
	if (pool->start + n > pool->end) {
		asm_fail(a, "%u float uniforms are free, the array needs %u",
				pool->end - pool->start, (unsigned)n);
		return;
	}
	pool->end -= n;
	pool->bound = pool->end < pool->bound ? pool->end : pool->bound;
	for (uint32_t i = 0; i < n; i++) {
		e->constants[block->first_constant + i].reg = (uint16_t)(pool->end + i);
	}
	asm_add_alias(a, block->name, asm_plain(KIND_C, pool->end));
}

void asm_set_vector(struct assembler *a, struct slice rest, bool is_float) {
	struct slice name = before_paren(&rest);
	uint32_t value[4];
	const unsigned num = asm_register(a, name, is_float ? KIND_C : KIND_I);
	vector(a, rest, is_float, value);
	add_constant(a, is_float ? PICA_SHADER_FLOAT : PICA_SHADER_INT, num, value);
}

void asm_set_bool(struct assembler *a, struct slice rest) {
	const unsigned num = asm_register(a, slice_word(&rest), KIND_B);
	const struct slice word = asm_one_word(a, rest, "true or false");
	bool on = slice_is_nocase(word, "true") || slice_is_nocase(word, "on") ||
			slice_is(word, "1");
	if (!on && !slice_is_nocase(word, "false") && !slice_is_nocase(word, "off") &&
			!slice_is(word, "0")) {
		asm_fail(a, "expected true, false, on, off, 1 or 0, got \"%.*s\"",
				SLICE_ARG(word));
	}
	const uint32_t value[4] = { on };
	add_constant(a, PICA_SHADER_BOOL, num, value);
}

/* ---- Inputs and outputs ---- */

void asm_input(struct assembler *a, struct slice rest) {
	struct pica_shader_entry *e = &a->file->entry;
	struct slice name = slice_word(&rest);
	const bool has_name = !slice_is(name, "-");
	unsigned num = 0;
	if (has_name) {
		asm_check_new_name(a, name);
	}
	if (rest.n) {
		num = asm_register(a, rest, KIND_V);
	} else {
		while (num < 16 && e->inputs >> num & 1) {
			num++;
		}
		if (num == 16) {
			asm_fail(a, "expected at most 16 inputs");
		}
	}
	e->inputs |= (uint16_t)(1u << num);
	if (has_name && !a->error) {
		add_uniform(a, name, PICA_SHADER_REG_V + num, 1, false);
		asm_add_alias(a, name, asm_plain(KIND_V, num));
	}
}

const struct asm_output_type asm_output_types[] = {
	{ "position", PICA_SHADER_POSITION }, { "pos", PICA_SHADER_POSITION },
	{ "normalquat", PICA_SHADER_QUATERNION }, { "nquat", PICA_SHADER_QUATERNION },
	{ "color", PICA_SHADER_COLOR }, { "clr", PICA_SHADER_COLOR },
	{ "texcoord0", PICA_SHADER_TEXCOORD0 }, { "tcoord0", PICA_SHADER_TEXCOORD0 },
	{ "texcoord0w", PICA_SHADER_TEXCOORD0_W }, { "tcoord0w", PICA_SHADER_TEXCOORD0_W },
	{ "texcoord1", PICA_SHADER_TEXCOORD1 }, { "tcoord1", PICA_SHADER_TEXCOORD1 },
	{ "texcoord2", PICA_SHADER_TEXCOORD2 }, { "tcoord2", PICA_SHADER_TEXCOORD2 },
	{ "view", PICA_SHADER_VIEW }, { "dummy", PICA_SHADER_DUMMY }, { NULL, 0 },
};

static unsigned output_type(struct assembler *a, struct slice s) {
	const struct asm_output_type *t = asm_output_types;
	while (t->name && !slice_is_nocase(s, t->name)) {
		t++;
	}
	if (!t->name) {
		asm_fail(a, "expected a type of output (position, color, texcoord0, ...), got \"%.*s\"",
				SLICE_ARG(s));
	}
	return t->type;
}

/* The register that is named: its number, and the components in *mask. */
static unsigned output_register(struct assembler *a, struct slice s, unsigned *mask) {
	const struct asm_operand reg = asm_operand(a, s);
	if (reg.kind != KIND_O || reg.negate) {
		asm_fail(a, "expected an output register, got \"%.*s\"", SLICE_ARG(s));
		return 0;
	}
	*mask = selector_mask(reg.selector);
	if (a->file->taken[reg.num] & *mask) {
		asm_fail(a, "components of o%u have another output already", reg.num);
	}
	return reg.num;
}

void asm_output(struct assembler *a, struct slice rest) {
	struct asm_file *file = a->file;
	struct slice name = slice_word(&rest);
	struct slice type_name = slice_word(&rest);
	struct slice letters = type_name;
	bool has_name = !slice_is(name, "-");
	unsigned mask = 15, num = 0;
	if (has_name) {
		asm_check_new_name(a, name);
	}
	struct slice base = slice_split(&letters, '.');
	const bool has_letters = base.n != type_name.n;
	const unsigned type = output_type(a, base);
	const unsigned count = file->entry.type == PICA_SHADER_GEOMETRY ? 7 : 16;
	if (rest.n) {
		if (has_letters) {
			asm_fail(a, "expected the components after the register, not after the type");
		}
		num = output_register(a, rest, &mask);
	} else {
		mask = has_letters ? selector_mask(asm_selector(a, letters)) : mask;
		while (num < count && file->taken[num]) {
			num++;
		}
		if (num == count) {
			asm_fail(a, "expected at most %u outputs", count);
		}
	}
	if (num >= 7 && type != PICA_SHADER_DUMMY) {
		asm_fail(a, "expected type dummy for o%u: only o0 to o6 reach the rasteriser", num);
	}
	if (a->error) {
		return;
	}
	add_output(a, type, num, mask);
	/* A geometry shader marks outputs that it passes through by a dummy. */
	if (type == PICA_SHADER_DUMMY && file->own_space) {
		file->entry.merge_outputs = 1;
	}
	if (has_name) {
		asm_add_alias(a, name, asm_plain(KIND_O, num));
	}
}
