/* The assembler: directives, blocks, kinds of files. [fidelity: assembler] */
#include "pica/toolchain/asm.h"

/* ---- Blocks ---- */

static void open_proc(struct assembler *a, struct slice rest, enum asm_block_type type) {
	struct slice name = slice_trim(rest);
	if (!is_identifier(name)) {
		asm_fail(a, "expected the name of a procedure, got \"%.*s\"", SLICE_ARG(name));
	} else if (a->n_blocks) {
		asm_fail(a, "expected .end before the next procedure");
	} else if (asm_find_proc(a, name)) {
		asm_fail(a, "procedure \"%.*s\" exists already", SLICE_ARG(name));
	} else if (a->n_procs == ASM_PROCS) {
		asm_fail(a, "expected at most %d procedures", ASM_PROCS);
	}
	asm_open_block(a, type, name, a->n_code);
}

static void else_block(struct assembler *a, struct slice rest) {
	struct asm_block *block = asm_code_block(a);
	if (!block || block->type != BLOCK_IF || block->has_else) {
		asm_fail(a, "expected .else only once, within ifu or ifc");
		return;
	}
	asm_expect_end(a, rest);
	asm_pad(a, block, true);
	block->has_else = true;
	block->else_at = a->n_code;
}

static void end_if(struct assembler *a, const struct asm_block *block) {
	unsigned target = block->has_else ? block->else_at : a->n_code;
	unsigned num = a->n_code - target;
	if (num >= 1u << F2_NUM_BITS) {
		asm_fail(a, "expected at most %u instructions after .else",
				(1u << F2_NUM_BITS) - 1);
	}
	if (target >= PICA_SHADER_CODE_WORDS) {
		asm_fail(a, "the end of the block lies beyond the code memory");
	}
	a->code[block->at] = asm_with_target(a->code[block->at], target, num);
	a->last_was_end = true;
}

static void end_block(struct assembler *a, struct slice rest) {
	if (!a->n_blocks) {
		asm_fail(a, "expected a block before .end");
		return;
	}
	const struct asm_block block = a->blocks[a->n_blocks - 1];
	asm_expect_end(a, rest);
	if (block.type != BLOCK_ARRAY && block.type != BLOCK_RAW) {
		asm_pad(a, &block, false);
	}
	a->n_blocks--;
	switch (block.type) {
	case BLOCK_PROC:
	case BLOCK_RAW:
		a->procs[a->n_procs++] =
				(struct asm_proc){ block.name, block.at, a->n_code - block.at };
		break;
	case BLOCK_IF:
		end_if(a, &block);
		break;
	case BLOCK_FOR:
		a->code[block.at] = asm_with_target(a->code[block.at], a->n_code - 1, 0);
		a->last_was_end = true;
		break;
	case BLOCK_ARRAY:
		asm_end_array(a, &block);
		break;
	}
}

/* ---- Files ---- */

static void entry_name(struct assembler *a, struct slice rest) {
	a->file->entry_name = asm_one_word(a, rest, "the name of a procedure");
	if (!is_identifier(a->file->entry_name)) {
		asm_fail(a, "expected the name of a procedure, got \"%.*s\"",
				SLICE_ARG(a->file->entry_name));
	}
}

static void no_entry(struct assembler *a, struct slice rest) {
	a->file->no_entry = true;
	asm_expect_end(a, rest);
}

static unsigned float_word(struct assembler *a, struct slice *rest) {
	return asm_register(a, slice_word(rest), KIND_C);
}

static uint8_t count_word(struct assembler *a, struct slice *rest) {
	return (uint8_t)asm_integer(a, slice_word(rest), 0, 255, "a number of vertices");
}

static void open_own_space(struct assembler *a, unsigned first_free) {
	struct asm_pool *pools = a->pools[1];
	pools[KIND_C] = (struct asm_pool){ first_free, 96, 96, 96 };
	pools[KIND_I] = (struct asm_pool){ 0, 4, 4, 4 };
	/* b15 belongs to the hardware [fidelity: gs-state] */
	pools[KIND_B] = (struct asm_pool){ 0, 15, 15, 15 };
	a->file->own_space = true;
}

static void geometry(struct assembler *a, struct slice rest) {
	struct pica_shader_entry *e = &a->file->entry;
	struct slice mode = slice_word(&rest);
	if (mode.n == 0) {
		e->type = PICA_SHADER_GEOMETRY;
		return;
	}
	if (e->type == PICA_SHADER_GEOMETRY) {
		asm_fail(a, "expected only one .gsh, before setemit");
	}
	if (e->n_constants || e->n_uniforms || e->n_outputs) {
		asm_fail(a, "expected .gsh before all uniforms, constants, inputs and outputs");
	}
	e->type = PICA_SHADER_GEOMETRY;
	unsigned first_free = 0;
	if (slice_is_nocase(mode, "point")) {
		e->gs_mode = PICA_SHADER_GS_POINT;
		first_free = float_word(a, &rest);
	} else if (slice_is_nocase(mode, "variable") || slice_is_nocase(mode, "subdivision")) {
		e->gs_mode = PICA_SHADER_GS_VARIABLE;
		first_free = float_word(a, &rest);
		e->gs_full = count_word(a, &rest);
	} else if (slice_is_nocase(mode, "fixed") || slice_is_nocase(mode, "particle")) {
		e->gs_mode = PICA_SHADER_GS_FIXED;
		first_free = float_word(a, &rest);
		e->gs_first = (uint8_t)float_word(a, &rest);
		e->gs_vertices = count_word(a, &rest);
		if (e->gs_first >= first_free) {
			asm_fail(a, "expected the array before the free uniforms, got c%u and c%u",
					e->gs_first, first_free);
		}
	} else {
		asm_fail(a, "expected point, variable or fixed, got \"%.*s\"", SLICE_ARG(mode));
	}
	asm_expect_end(a, rest);
	open_own_space(a, first_free);
}

/* ---- Additions for the disassembler ---- */

static void descriptors(struct assembler *a, struct slice rest) {
	if (a->n_desc && !a->desc_closed) {
		asm_fail(a, "expected .opdesc before all instructions");
	}
	a->desc_closed = true;
	rest = slice_trim(rest);
	while (rest.n && !a->error) {
		const struct slice word_text = slice_split(&rest, ',');
		const long word = asm_integer(
				a, word_text, 0, 0xFFFFFFFFL, "an operand descriptor");
		if (a->n_desc == PICA_SHADER_DESCRIPTORS) {
			asm_fail(a, "expected at most %d operand descriptors",
					PICA_SHADER_DESCRIPTORS);
			return;
		}
		a->desc[a->n_desc] = (uint32_t)word;
		a->care[a->n_desc++] = UINT32_MAX;
		rest = slice_trim(rest);
	}
}

static void code_word(struct assembler *a, struct slice rest) {
	const struct asm_block *block = asm_code_block(a);
	if (!block || block->type == BLOCK_ARRAY) {
		asm_fail(a, "expected .word only within .proc");
		return;
	}
	asm_emit(a, (uint32_t)asm_integer(a, slice_trim(rest), 0, 0xFFFFFFFFL, "a code word"));
	a->is_literal[a->n_code - 1] = true;
	a->last_was_end = false;
}

/* ---- All directives ---- */

static void d_proc(struct assembler *a, struct slice s) { open_proc(a, s, BLOCK_PROC); }
static void d_raw(struct assembler *a, struct slice s) { open_proc(a, s, BLOCK_RAW); }
static void d_fvec(struct assembler *a, struct slice s) { asm_uniforms(a, s, KIND_C); }
static void d_ivec(struct assembler *a, struct slice s) { asm_uniforms(a, s, KIND_I); }
static void d_bool(struct assembler *a, struct slice s) { asm_uniforms(a, s, KIND_B); }
static void d_constf(struct assembler *a, struct slice s) { asm_constant(a, s, true); }
static void d_consti(struct assembler *a, struct slice s) { asm_constant(a, s, false); }
static void d_setf(struct assembler *a, struct slice s) { asm_set_vector(a, s, true); }
static void d_seti(struct assembler *a, struct slice s) { asm_set_vector(a, s, false); }

static const struct {
	const char *name;
	void (*run)(struct assembler *a, struct slice rest);
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

void asm_directive(struct assembler *a, struct slice name, struct slice rest) {
	const struct asm_block *block = asm_code_block(a);
	for (size_t i = 0; i < ARRAY_LEN(directives); i++) {
		if (!slice_is_nocase(name, directives[i].name)) {
			continue;
		}
		if (block && block->type == BLOCK_ARRAY &&
				directives[i].run != asm_constant_array &&
				directives[i].run != end_block) {
			asm_fail(a, "expected .constfa or .end within the array");
		} else {
			directives[i].run(a, rest);
		}
		return;
	}
	asm_fail(a, "expected a directive, got \".%.*s\"", SLICE_ARG(name));
}
