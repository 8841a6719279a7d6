/* The assembler: directives, blocks, kinds of files. [fidelity: assembler] */
#include "pica/toolchain/asm.h"

/* ---- Blocks ---- */

static int open_proc(struct assembler *a, struct slice rest, enum asm_block_type type) {
	struct slice name = slice_trim(rest);
	if (!is_identifier(name)) {
		return asm_fail(a, "expected the name of a procedure, got \"%.*s\"",
				SLICE_ARG(name));
	}
	if (a->n_blocks) {
		return asm_fail(a, "expected .end before the next procedure");
	}
	if (asm_find_proc(a, name)) {
		return asm_fail(a, "procedure \"%.*s\" exists already", SLICE_ARG(name));
	}
	if (a->n_procs == ASM_PROCS) {
		return asm_fail(a, "expected at most %d procedures", ASM_PROCS);
	}
	return asm_open_block(a, type, name, a->n_code);
}

static int else_block(struct assembler *a, struct slice rest) {
	struct asm_block *block = asm_code_block(a);
	if (!block || block->type != BLOCK_IF || block->has_else) {
		return asm_fail(a, "expected .else only once, within ifu or ifc");
	}
	int ret = asm_expect_end(a, rest);
	ret = ret < 0 ? ret : asm_pad(a, block, true);
	if (ret < 0) {
		return ret;
	}
	block->has_else = true;
	block->else_at = a->n_code;
	return 0;
}

static int end_if(struct assembler *a, const struct asm_block *block) {
	unsigned target = block->has_else ? block->else_at : a->n_code;
	unsigned num = a->n_code - target;
	if (num >= 1u << F2_NUM_BITS) {
		return asm_fail(a, "expected at most %u instructions behind .else",
				(1u << F2_NUM_BITS) - 1);
	}
	if (target >= PICA_SHADER_CODE_WORDS) {
		return asm_fail(a, "the end of the block lies behind the code memory");
	}
	a->code[block->at] = asm_with_target(a->code[block->at], target, num);
	a->last_was_end = true;
	return 0;
}

static int end_block(struct assembler *a, struct slice rest) {
	if (!a->n_blocks) {
		return asm_fail(a, "expected a block before .end");
	}
	const struct asm_block block = a->blocks[a->n_blocks - 1];
	int ret = asm_expect_end(a, rest);
	if (ret == 0 && block.type != BLOCK_ARRAY && block.type != BLOCK_RAW) {
		ret = asm_pad(a, &block, false);
	}
	if (ret < 0) {
		return ret;
	}
	a->n_blocks--;
	switch (block.type) {
	case BLOCK_PROC:
	case BLOCK_RAW:
		a->procs[a->n_procs++] =
				(struct asm_proc){ block.name, block.at, a->n_code - block.at };
		return 0;
	case BLOCK_IF:
		return end_if(a, &block);
	case BLOCK_FOR:
		a->code[block.at] = asm_with_target(a->code[block.at], a->n_code - 1, 0);
		a->last_was_end = true;
		return 0;
	case BLOCK_ARRAY:
		return asm_end_array(a, &block);
	}
	return 0;
}

/* ---- Files ---- */

static int entry_name(struct assembler *a, struct slice rest) {
	struct slice name;
	int ret = asm_one_word(a, rest, "the name of a procedure", &name);
	if (ret == 0 && !is_identifier(name)) {
		ret = asm_fail(a, "expected the name of a procedure, got \"%.*s\"",
				SLICE_ARG(name));
	}
	if (ret == 0) {
		a->file->entry_name = name;
	}
	return ret;
}

static int no_entry(struct assembler *a, struct slice rest) {
	a->file->no_entry = true;
	return asm_expect_end(a, rest);
}

static int float_word(struct assembler *a, struct slice *rest, unsigned *num) {
	return asm_register(a, slice_word(rest), KIND_C, num);
}

static int count_word(struct assembler *a, struct slice *rest, uint8_t *out) {
	long n = 0;
	int ret = asm_integer(a, slice_word(rest), 0, 255, "a number of vertices", &n);
	*out = (uint8_t)n;
	return ret;
}

static void open_own_space(struct assembler *a, unsigned first_free) {
	struct asm_pool *pools = a->pools[1];
	pools[KIND_C] = (struct asm_pool){ first_free, 96, 96, 96 };
	pools[KIND_I] = (struct asm_pool){ 0, 4, 4, 4 };
	/* b15 is the hardware's [fidelity: gs-state] */
	pools[KIND_B] = (struct asm_pool){ 0, 15, 15, 15 };
	a->file->own_space = true;
}

static int geometry(struct assembler *a, struct slice rest) {
	struct pica_shader_entry *e = &a->file->entry;
	struct slice mode = slice_word(&rest);
	if (mode.n == 0) {
		e->type = PICA_SHADER_GEOMETRY;
		return 0;
	}
	if (e->type == PICA_SHADER_GEOMETRY) {
		return asm_fail(a, "expected only one .gsh, before setemit");
	}
	if (e->n_constants || e->n_uniforms || e->n_outputs) {
		return asm_fail(a,
				"expected .gsh before all uniforms, constants, inputs and outputs");
	}
	e->type = PICA_SHADER_GEOMETRY;
	unsigned first_free = 0, array = 0;
	int ret;
	if (slice_is_nocase(mode, "point")) {
		e->gs_mode = PICA_SHADER_GS_POINT;
		ret = float_word(a, &rest, &first_free);
	} else if (slice_is_nocase(mode, "variable") || slice_is_nocase(mode, "subdivision")) {
		e->gs_mode = PICA_SHADER_GS_VARIABLE;
		ret = float_word(a, &rest, &first_free);
		ret = ret < 0 ? ret : count_word(a, &rest, &e->gs_full);
	} else if (slice_is_nocase(mode, "fixed") || slice_is_nocase(mode, "particle")) {
		e->gs_mode = PICA_SHADER_GS_FIXED;
		ret = float_word(a, &rest, &first_free);
		ret = ret < 0 ? ret : float_word(a, &rest, &array);
		ret = ret < 0 ? ret : count_word(a, &rest, &e->gs_vertices);
		e->gs_first = (uint8_t)array;
		if (ret == 0 && array >= first_free) {
			ret = asm_fail(a,
					"expected the array before the free uniforms, got c%u and c%u",
					array, first_free);
		}
	} else {
		ret = asm_fail(a, "expected point, variable or fixed, got \"%.*s\"",
				SLICE_ARG(mode));
	}
	ret = ret < 0 ? ret : asm_expect_end(a, rest);
	if (ret == 0) {
		open_own_space(a, first_free);
	}
	return ret;
}

/* ---- Additions for the disassembler ---- */

static int descriptors(struct assembler *a, struct slice rest) {
	if (a->n_desc && !a->desc_closed) {
		return asm_fail(a, "expected .opdesc before all instructions");
	}
	a->desc_closed = true;
	rest = slice_trim(rest);
	while (rest.n) {
		long word;
		int ret = asm_integer(a, slice_split(&rest, ','), 0, 0xFFFFFFFFL,
				"an operand descriptor", &word);
		if (ret < 0) {
			return ret;
		}
		if (a->n_desc == PICA_SHADER_DESCRIPTORS) {
			return asm_fail(a, "expected at most %d operand descriptors",
					PICA_SHADER_DESCRIPTORS);
		}
		a->desc[a->n_desc] = (uint32_t)word;
		a->care[a->n_desc++] = UINT32_MAX;
		rest = slice_trim(rest);
	}
	return 0;
}

static int code_word(struct assembler *a, struct slice rest) {
	const struct asm_block *block = asm_code_block(a);
	long word;
	if (!block || block->type == BLOCK_ARRAY) {
		return asm_fail(a, "expected .word only within .proc");
	}
	int ret = asm_integer(a, slice_trim(rest), 0, 0xFFFFFFFFL, "a code word", &word);
	ret = ret < 0 ? ret : asm_emit(a, (uint32_t)word);
	if (ret == 0) {
		a->is_literal[a->n_code - 1] = true;
		a->last_was_end = false;
	}
	return ret;
}

/* ---- All directives ---- */

static int d_proc(struct assembler *a, struct slice s) { return open_proc(a, s, BLOCK_PROC); }
static int d_raw(struct assembler *a, struct slice s) { return open_proc(a, s, BLOCK_RAW); }
static int d_fvec(struct assembler *a, struct slice s) { return asm_uniforms(a, s, KIND_C); }
static int d_ivec(struct assembler *a, struct slice s) { return asm_uniforms(a, s, KIND_I); }
static int d_bool(struct assembler *a, struct slice s) { return asm_uniforms(a, s, KIND_B); }
static int d_constf(struct assembler *a, struct slice s) { return asm_constant(a, s, true); }
static int d_consti(struct assembler *a, struct slice s) { return asm_constant(a, s, false); }
static int d_setf(struct assembler *a, struct slice s) { return asm_set_vector(a, s, true); }
static int d_seti(struct assembler *a, struct slice s) { return asm_set_vector(a, s, false); }

static const struct {
	const char *name;
	int (*run)(struct assembler *a, struct slice rest);
} directives[] = {
	{ "proc", d_proc },
	{ "else", else_block },
	{ "end", end_block },
	{ "alias", asm_alias },
	{ "fvec", d_fvec },
	{ "ivec", d_ivec },
	{ "bool", d_bool },
	{ "constf", d_constf },
	{ "consti", d_consti },
	{ "constfa", asm_constant_array },
	{ "setf", d_setf },
	{ "seti", d_seti },
	{ "setb", asm_set_bool },
	{ "in", asm_input },
	{ "out", asm_output },
	{ "entry", entry_name },
	{ "nodvle", no_entry },
	{ "gsh", geometry },
	{ "opdesc", descriptors },
	{ "raw", d_raw },
	{ "uniform", asm_uniform_row },
	{ "word", code_word },
};

int asm_directive(struct assembler *a, struct slice name, struct slice rest) {
	for (size_t i = 0; i < ARRAY_LEN(directives); i++) {
		if (!slice_is_nocase(name, directives[i].name)) {
			continue;
		}
		const struct asm_block *block = asm_code_block(a);
		if (block && block->type == BLOCK_ARRAY &&
				directives[i].run != asm_constant_array &&
				directives[i].run != end_block) {
			return asm_fail(a, "expected .constfa or .end within the array");
		}
		return directives[i].run(a, rest);
	}
	return asm_fail(a, "expected a directive, got \".%.*s\"", SLICE_ARG(name));
}
