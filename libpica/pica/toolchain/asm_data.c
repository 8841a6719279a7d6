/* The assembler: uniforms, constants, inputs and outputs. [fidelity: assembler] */
#include "pica/toolchain/asm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tables of an entry ---- */

/*
 * Room for one more element: tables grow at powers of two. NULL: the reason is in *ret, and the
 * table stays.
 */
static void *grown(struct assembler *a, void *p, uint32_t n, size_t size, uint32_t most,
		const char *what, int *ret) {
	if (n == most) {
		*ret = asm_fail(a, "expected at most %u %s", (unsigned)most, what);
		return NULL;
	}
	*ret = -ENOMEM;
	return n & (n - 1) ? p : realloc(p, (n ? (size_t)n * 2 : 1) * size);
}

static int add_constant(struct assembler *a, unsigned type, unsigned reg, const uint32_t value[4]) {
	struct pica_shader_entry *e = &a->file->entry;
	int ret;
	struct pica_shader_constant *p = grown(a, e->constants, e->n_constants, sizeof(*p),
			PICA_SHADER_MAX_CONSTANTS, "constants", &ret);
	if (!p) {
		return ret;
	}
	e->constants = p;
	p += e->n_constants++;
	*p = (struct pica_shader_constant){ .type = (uint16_t)type, .reg = (uint16_t)reg };
	memcpy(p->value, value, sizeof(p->value));
	return 0;
}

/* is_written: the name as it stands, not as an identifier of the source. */
static int add_uniform(struct assembler *a, struct slice name, unsigned first, unsigned size,
		bool is_written) {
	struct pica_shader_entry *e = &a->file->entry;
	int ret;
	struct pica_shader_uniform *p = grown(a, e->uniforms, e->n_uniforms, sizeof(*p),
			PICA_SHADER_MAX_UNIFORMS, "uniforms and inputs", &ret);
	if (!p) {
		return ret;
	}
	e->uniforms = p;
	char *copy = malloc(name.n + 1);
	if (!copy) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < name.n; i++) {
		copy[i] = name.p[i] == '$' && !is_written ? '.' : name.p[i];
	}
	copy[name.n] = '\0';
	p[e->n_uniforms++] = (struct pica_shader_uniform){ copy, (uint16_t)first,
		(uint16_t)(first + size - 1) };
	return 0;
}

static int add_output(struct assembler *a, unsigned type, unsigned reg, unsigned mask) {
	struct pica_shader_entry *e = &a->file->entry;
	int ret;
	struct pica_shader_output *p = grown(a, e->output, e->n_outputs, sizeof(*p),
			PICA_SHADER_MAX_OUTPUTS, "outputs", &ret);
	if (!p) {
		return ret;
	}
	e->output = p;
	p[e->n_outputs++] = (struct pica_shader_output){ (uint16_t)type, (uint16_t)reg,
			(uint16_t)mask };
	e->outputs |= (uint16_t)(1u << reg);
	a->file->taken[reg] |= (uint16_t)mask;
	return 0;
}

/* ---- Reading ---- */

int asm_expect_end(struct assembler *a, struct slice rest) {
	rest = slice_trim(rest);
	return rest.n ? asm_fail(a, "expected the end of the line, got \"%.*s\"", SLICE_ARG(rest)) :
			0;
}

int asm_one_word(struct assembler *a, struct slice rest, const char *what, struct slice *out) {
	*out = slice_word(&rest);
	return out->n ? asm_expect_end(a, rest) : asm_fail(a, "expected %s", what);
}

/* "(x, y, z, w)" to the end of the line, as floats or as bytes. */
static int vector(struct assembler *a, struct slice s, bool is_float, uint32_t value[4]) {
	s = slice_trim(s);
	const char *close = s.n ? memchr(s.p, ')', s.n) : NULL;
	if (!close || s.p[0] != '(') {
		return asm_fail(a, "expected \"(x, y, z, w)\", got \"%.*s\"", SLICE_ARG(s));
	}
	struct slice rest = { close + 1, s.n - (size_t)(close + 1 - s.p) };
	struct slice inside = { s.p + 1, (size_t)(close - s.p - 1) };
	for (int k = 0; k < 4; k++) {
		if (k < 3 && !memchr(inside.p, ',', inside.n)) {
			return asm_fail(a, "expected four numbers, got \"%.*s\"", SLICE_ARG(s));
		}
		struct slice number = k < 3 ? slice_split(&inside, ',') : slice_trim(inside);
		int ret;
		if (is_float) {
			ret = asm_float(a, number, &value[k]);
		} else {
			long i = 0;
			ret = asm_integer(a, number, -128, 255, "a byte", &i);
			value[k] = (uint32_t)i & 0xFF;
		}
		if (ret < 0) {
			return ret;
		}
	}
	return asm_expect_end(a, rest);
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

int asm_alias(struct assembler *a, struct slice rest) {
	struct slice name = slice_word(&rest);
	struct asm_operand operand;
	int ret = asm_check_new_name(a, name);
	ret = ret < 0 ? ret : asm_operand(a, slice_trim(rest), &operand);
	if (ret < 0) {
		return ret;
	}
	if (operand.idx) {
		return asm_fail(a, "expected a register without an address register");
	}
	return asm_add_alias(a, name, &operand);
}

static const unsigned table_base[KIND_COUNT] = {
	[KIND_V] = PICA_SHADER_REG_V,
	[KIND_C] = PICA_SHADER_REG_C,
	[KIND_I] = PICA_SHADER_REG_I,
	[KIND_B] = PICA_SHADER_REG_B,
};

/* Register of a uniform: that of its namesake in an earlier file, or the first free ones. */
static int place_uniform(struct assembler *a, struct slice name, enum asm_kind kind, unsigned size,
		unsigned *num) {
	bool is_shared = !a->file->own_space;
	for (unsigned i = 0; is_shared && i < a->n_shared; i++) {
		const struct asm_shared *s = &a->shared[i];
		if (!slice_equal(s->name, name)) {
			continue;
		}
		if (s->kind != kind || s->size != size) {
			return asm_fail(a,
					"uniform \"%.*s\" has another type or size in an earlier file",
					SLICE_ARG(name));
		}
		*num = s->num;
		return 0;
	}
	struct asm_pool *pool = &a->pools[a->file->own_space][kind];
	if (pool->start + size > pool->bound) {
		return asm_fail(a, "%u uniforms of this type are free, \"%.*s\" needs %u",
				pool->bound > pool->start ? pool->bound - pool->start : 0,
				SLICE_ARG(name), size);
	}
	*num = pool->start;
	pool->start += size;
	if (is_shared) {
		if (a->n_shared == PICA_SHADER_MAX_UNIFORMS) {
			return asm_fail(a, "expected at most %d uniforms",
					PICA_SHADER_MAX_UNIFORMS);
		}
		a->shared[a->n_shared++] = (struct asm_shared){ name, kind, *num, size };
	}
	return 0;
}

/* "name" or "name[size]". */
static int sized_name(struct assembler *a, struct slice s, struct slice *name, long *size,
		bool may_be_open) {
	struct slice rest = s;
	*size = may_be_open ? 0 : 1;
	*name = slice_split(&rest, '[');
	if (name->n != s.n) {
		rest = slice_trim(rest);
		if (rest.n == 0 || rest.p[rest.n - 1] != ']') {
			return asm_fail(a, "expected \"]\" at the end of \"%.*s\"", SLICE_ARG(s));
		}
		rest.n--;
		rest = slice_trim(rest);
		if (rest.n || !may_be_open) {
			int ret = asm_integer(a, rest, 1, 96, "a size", size);
			if (ret < 0) {
				return ret;
			}
		}
	} else if (may_be_open) {
		return asm_fail(a, "expected \"name[]\" or \"name[size]\", got \"%.*s\"",
				SLICE_ARG(s));
	}
	return asm_check_new_name(a, *name);
}

int asm_uniforms(struct assembler *a, struct slice rest, enum asm_kind kind) {
	rest = slice_trim(rest);
	do {
		struct slice arg = slice_split(&rest, ','), name;
		long size;
		unsigned num = 0;
		int ret = sized_name(a, arg, &name, &size, false);
		ret = ret < 0 ? ret : place_uniform(a, name, kind, (unsigned)size, &num);
		if (ret == 0 && name.p[0] != '_') {
			ret = add_uniform(a, name, table_base[kind] + num, (unsigned)size, false);
		}
		if (ret < 0) {
			return ret;
		}
		const struct asm_operand operand = asm_plain(kind, num);
		ret = asm_add_alias(a, name, &operand);
		if (ret < 0) {
			return ret;
		}
		rest = slice_trim(rest);
	} while (rest.n);
	return 0;
}

/* ---- Rows of the table of uniforms as they stand ---- */

const struct asm_range asm_ranges[4] = {
	{ 'v', PICA_SHADER_REG_V, 16 },
	{ 'c', PICA_SHADER_REG_C, 96 },
	{ 'i', PICA_SHADER_REG_I, 4 },
	{ 'b', PICA_SHADER_REG_B, 16 },
};

/* "c12", or the number that a register has in the table. */
static int table_number(struct assembler *a, struct slice s, unsigned *number) {
	unsigned first = 0;
	long count = PICA_SHADER_REG_END, n = 0;
	for (size_t k = 0; k < ARRAY_LEN(asm_ranges); k++) {
		if (s.n && s.p[0] == asm_ranges[k].letter) {
			first = asm_ranges[k].first;
			count = (long)asm_ranges[k].count;
			s = slice_skip(s, 1);
			break;
		}
	}
	int ret = asm_integer(a, s, 0, count - 1, "a register v0-v15, c0-c95, i0-i3 or b0-b15", &n);
	*number = first + (unsigned)n;
	return ret;
}

/* A name in quotes, where \xNN is a byte. */
static int quoted_name(struct assembler *a, struct slice s, char out[PICA_SHADER_MAX_NAME + 1],
		size_t *len) {
	size_t n = 0;
	if (s.n < 2 || s.p[0] != '"' || s.p[s.n - 1] != '"') {
		return asm_fail(a, "expected a name in quotes, got \"%.*s\"", SLICE_ARG(s));
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
			return asm_fail(a, "expected \\xNN, not zero, behind a backslash");
		}
		if (n == PICA_SHADER_MAX_NAME) {
			return asm_fail(a, "expected a name of at most %d bytes",
					PICA_SHADER_MAX_NAME);
		}
		out[n++] = (char)byte;
	}
	*len = n;
	return 0;
}

int asm_uniform_row(struct assembler *a, struct slice rest) {
	struct slice last_reg = slice_word(&rest);
	struct slice first_reg = slice_split(&last_reg, '-');
	char name[PICA_SHADER_MAX_NAME + 1];
	size_t len = 0;
	unsigned first, last;
	int ret = table_number(a, first_reg, &first);
	last = first;
	if (ret == 0 && last_reg.n) {
		ret = table_number(a, last_reg, &last);
	}
	if (ret == 0 && last < first) {
		ret = asm_fail(a, "expected the first register before the last");
	}
	ret = ret < 0 ? ret : quoted_name(a, rest, name, &len);
	ret = ret < 0 ? ret :
			add_uniform(a, (struct slice){ name, len }, first, last - first + 1, true);
	a->file->table_is_written = true;
	return ret;
}

/* ---- Constants ---- */

int asm_constant(struct assembler *a, struct slice rest, bool is_float) {
	struct slice name = before_paren(&rest);
	uint32_t value[4];
	int ret = asm_check_new_name(a, name);
	ret = ret < 0 ? ret : vector(a, rest, is_float, value);
	if (ret < 0) {
		return ret;
	}
	enum asm_kind kind = is_float ? KIND_C : KIND_I;
	struct asm_pool *pool = &a->pools[a->file->own_space][kind];
	if (pool->end <= pool->start) {
		return asm_fail(a, "no uniform is free for constant \"%.*s\"", SLICE_ARG(name));
	}
	pool->end--;
	pool->bound = pool->end < pool->bound ? pool->end : pool->bound;
	ret = add_constant(a, is_float ? PICA_SHADER_FLOAT : PICA_SHADER_INT, pool->end, value);
	const struct asm_operand operand = asm_plain(kind, pool->end);
	return ret < 0 ? ret : asm_add_alias(a, name, &operand);
}

int asm_constant_array(struct assembler *a, struct slice rest) {
	struct asm_block *block = asm_code_block(a);
	struct pica_shader_entry *e = &a->file->entry;
	if (block && block->type == BLOCK_ARRAY) {
		uint32_t value[4];
		if (block->size && e->n_constants - block->first_constant == block->size) {
			return asm_fail(a, "expected at most %u elements", (unsigned)block->size);
		}
		int ret = vector(a, rest, true, value);
		return ret < 0 ? ret : add_constant(a, PICA_SHADER_FLOAT, 0, value);
	}
	struct slice name;
	long size;
	int ret = sized_name(a, slice_trim(rest), &name, &size, true);
	ret = ret < 0 ? ret : asm_open_block(a, BLOCK_ARRAY, name, 0);
	if (ret < 0) {
		return ret;
	}
	block = asm_code_block(a);
	block->first_constant = e->n_constants;
	block->size = (uint32_t)size;
	return 0;
}

int asm_end_array(struct assembler *a, const struct asm_block *block) {
	struct pica_shader_entry *e = &a->file->entry;
	static const uint32_t zero[4];
	uint32_t n = e->n_constants - block->first_constant;
	for (; n < block->size; n++) {
		int ret = add_constant(a, PICA_SHADER_FLOAT, 0, zero);
		if (ret < 0) {
			return ret;
		}
	}
	struct asm_pool *pool = &a->pools[a->file->own_space][KIND_C];
	if (n == 0) {
		return asm_fail(a, "expected at least one element in the array");
	}
	if (pool->start + n > pool->end) {
		return asm_fail(a, "%u float uniforms are free, the array needs %u",
				pool->end - pool->start,
				(unsigned)n);
	}
	pool->end -= n;
	pool->bound = pool->end < pool->bound ? pool->end : pool->bound;
	for (uint32_t i = 0; i < n; i++) {
		e->constants[block->first_constant + i].reg = (uint16_t)(pool->end + i);
	}
	const struct asm_operand operand = asm_plain(KIND_C, pool->end);
	return asm_add_alias(a, block->name, &operand);
}

int asm_set_vector(struct assembler *a, struct slice rest, bool is_float) {
	struct slice name = before_paren(&rest);
	uint32_t value[4];
	unsigned num;
	int ret = asm_register(a, name, is_float ? KIND_C : KIND_I, &num);
	ret = ret < 0 ? ret : vector(a, rest, is_float, value);
	return ret < 0 ? ret : add_constant(a, is_float ? PICA_SHADER_FLOAT : PICA_SHADER_INT, num,
			value);
}

int asm_set_bool(struct assembler *a, struct slice rest) {
	struct slice name = slice_word(&rest);
	unsigned num;
	int ret = asm_register(a, name, KIND_B, &num);
	struct slice word;
	ret = ret < 0 ? ret : asm_one_word(a, rest, "true or false", &word);
	if (ret < 0) {
		return ret;
	}
	bool on = slice_is_nocase(word, "true") || slice_is_nocase(word, "on") ||
			slice_is(word, "1");
	if (!on && !slice_is_nocase(word, "false") && !slice_is_nocase(word, "off") &&
			!slice_is(word, "0")) {
		return asm_fail(a, "expected true, false, on, off, 1 or 0, got \"%.*s\"",
				SLICE_ARG(word));
	}
	const uint32_t value[4] = { on };
	return add_constant(a, PICA_SHADER_BOOL, num, value);
}

/* ---- Inputs and outputs ---- */

int asm_input(struct assembler *a, struct slice rest) {
	struct pica_shader_entry *e = &a->file->entry;
	struct slice name = slice_word(&rest);
	const bool has_name = !slice_is(name, "-");
	int ret = has_name ? asm_check_new_name(a, name) : 0;
	if (ret < 0) {
		return ret;
	}
	unsigned num = 0;
	if (rest.n) {
		ret = asm_register(a, rest, KIND_V, &num);
		if (ret < 0) {
			return ret;
		}
	} else {
		while (num < 16 && e->inputs >> num & 1) {
			num++;
		}
		if (num == 16) {
			return asm_fail(a, "expected at most 16 inputs");
		}
	}
	e->inputs |= (uint16_t)(1u << num);
	if (!has_name) {
		return 0;
	}
	ret = add_uniform(a, name, PICA_SHADER_REG_V + num, 1, false);
	const struct asm_operand operand = asm_plain(KIND_V, num);
	return ret < 0 ? ret : asm_add_alias(a, name, &operand);
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

static int output_type(struct assembler *a, struct slice s, unsigned *type) {
	for (const struct asm_output_type *t = asm_output_types; t->name; t++) {
		if (slice_is_nocase(s, t->name)) {
			*type = t->type;
			return 0;
		}
	}
	return asm_fail(a,
			"expected a type of output (position, color, texcoord0, ...), got \"%.*s\"",
			SLICE_ARG(s));
}

int asm_output(struct assembler *a, struct slice rest) {
	struct asm_file *file = a->file;
	struct slice name = slice_word(&rest);
	struct slice type_name = slice_word(&rest);
	struct slice letters = type_name;
	bool has_name = !slice_is(name, "-");
	unsigned type = 0, mask = 15, num = 0;
	int ret = has_name ? asm_check_new_name(a, name) : 0;
	if (ret < 0) {
		return ret;
	}
	struct slice base = slice_split(&letters, '.');
	ret = output_type(a, base, &type);
	if (ret < 0) {
		return ret;
	}
	unsigned count = file->entry.type == PICA_SHADER_GEOMETRY ? 7 : 16;
	if (rest.n) {
		struct asm_operand reg;
		if (base.n != type_name.n) {
			return asm_fail(a,
					"expected the components behind the register, not behind the type");
		}
		ret = asm_operand(a, rest, &reg);
		if (ret < 0) {
			return ret;
		}
		if (reg.kind != KIND_O || reg.negate) {
			return asm_fail(a, "expected an output register, got \"%.*s\"",
					SLICE_ARG(rest));
		}
		num = reg.num;
		mask = selector_mask(reg.selector);
		if (file->taken[num] & mask) {
			return asm_fail(a, "components of o%u have another output already", num);
		}
	} else {
		if (base.n != type_name.n) {
			unsigned selector;
			ret = asm_selector(a, letters, &selector);
			if (ret < 0) {
				return ret;
			}
			mask = selector_mask(selector);
		}
		while (num < count && file->taken[num]) {
			num++;
		}
		if (num == count) {
			return asm_fail(a, "expected at most %u outputs", count);
		}
	}
	if (num >= 7 && type != PICA_SHADER_DUMMY) {
		return asm_fail(a,
				"expected type dummy for o%u: only o0 to o6 reach the rasteriser",
				num);
	}
	ret = add_output(a, type, num, mask);
	if (ret < 0) {
		return ret;
	}
	/* A geometry shader that passes outputs through says so by a dummy. */
	if (type == PICA_SHADER_DUMMY && file->own_space) {
		file->entry.merge_outputs = 1;
	}
	const struct asm_operand operand = asm_plain(KIND_O, num);
	return has_name ? asm_add_alias(a, name, &operand) : 0;
}
