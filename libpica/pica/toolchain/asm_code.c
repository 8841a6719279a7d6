/* The assembler: instructions and padding. [fidelity: shader-isa, assembler] */
#include "pica/toolchain/asm.h"

uint32_t asm_with_target(uint32_t word, unsigned target, unsigned num) {
	word &= ~(PUT(F2, TARGET, ~0u) | PUT(F2, NUM, ~0u));
	return word | PUT(F2, TARGET, target) | PUT(F2, NUM, num);
}

static uint32_t opcode_word(enum shader_op op) {
	return (uint32_t)shader_ops[op].code << F0_OPCODE_LOW;
}

/* ---- Operands ---- */

static bool is_narrow(const struct asm_operand *op) {
	return op->kind == KIND_V || op->kind == KIND_R;
}

static bool is_source(const struct asm_operand *op) {
	return is_narrow(op) || op->kind == KIND_C;
}

/* As the wide source field numbers registers; narrow ones are the same. */
static unsigned source_num(const struct asm_operand *op) {
	return op->num + (op->kind == KIND_C ? SHADER_C : op->kind == KIND_R ? SHADER_R : SHADER_V);
}

static unsigned dest_num(const struct asm_operand *op) {
	return op->num + (op->kind == KIND_R ? SHADER_R : 0);
}

static int parse_dest(struct assembler *a, struct slice s, struct asm_operand *out) {
	int ret = asm_operand(a, s, out);
	if (ret < 0) {
		return ret;
	}
	if ((out->kind != KIND_O && out->kind != KIND_R) || out->negate) {
		return asm_fail(a, "expected an output or temporary register, got \"%.*s\"",
				SLICE_ARG(s));
	}
	return 0;
}

/* n sources; at most the one numbered wide may be a uniform (-1: none). */
static int parse_sources(struct assembler *a, const struct slice *arg, unsigned n,
		struct asm_operand *out) {
	for (unsigned s = 0; s < n; s++) {
		int ret = asm_operand(a, arg[s], &out[s]);
		if (ret < 0) {
			return ret;
		}
		if (!is_source(&out[s])) {
			return asm_fail(a,
					"expected an input, temporary or float uniform, got \"%.*s\"",
					SLICE_ARG(arg[s]));
		}
		for (unsigned k = 0; k < s; k++) {
			if (out[k].kind == KIND_V && out[s].kind == KIND_V &&
					out[k].num != out[s].num) {
				return asm_fail(a,
						"expected one input register in an instruction, got v%u and v%u",
						out[k].num, out[s].num);
			}
		}
	}
	return 0;
}

static int expect_narrow(struct assembler *a, const struct asm_operand *op, struct slice arg,
		const char *where) {
	if (is_narrow(op)) {
		return 0;
	}
	return asm_fail(a, "expected an input or temporary register as %s, got \"%.*s\"", where,
			SLICE_ARG(arg));
}

struct args {
	const char *mnemonic;
	struct slice v[ASM_ARGS];
	unsigned n;
	long descriptor; /* @N, or -1 */
};

static int expect_args(struct assembler *a, const struct args *args, unsigned min, unsigned max) {
	if (args->n >= min && args->n <= max) {
		return 0;
	}
	if (min == max) {
		return asm_fail(a, "expected %u operands of %s, got %u", min, args->mnemonic,
				args->n);
	}
	return asm_fail(a, "expected %u or %u operands of %s, got %u", min, max, args->mnemonic,
			args->n);
}

/* ---- Arithmetic ---- */

/* The form with the wide operand in the other place, or OP_UNKNOWN. */
static enum shader_op other_form(enum shader_op op) {
	static const enum shader_op pairs[][2] = {
		{ OP_DPH, OP_DPHI }, { OP_DST, OP_DSTI }, { OP_SGE, OP_SGEI }, { OP_SLT, OP_SLTI },
		{ OP_MAD, OP_MADI },
	};
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		if (op == pairs[i][0]) {
			return pairs[i][1];
		}
	}
	return OP_UNKNOWN;
}

/* dphi and the like are other names of dph: the operands choose the form. */
static enum shader_op base_form(enum shader_op op) {
	for (int i = 0; i < OP_COUNT; i++) {
		if (other_form((enum shader_op)i) == op && op != OP_UNKNOWN) {
			return (enum shader_op)i;
		}
	}
	return op;
}

static int two_sources(struct assembler *a, enum shader_op op, const struct args *args) {
	struct asm_operand dst, src[2];
	int ret = expect_args(a, args, 3, 3);
	ret = ret < 0 ? ret : parse_dest(a, args->v[0], &dst);
	ret = ret < 0 ? ret : parse_sources(a, &args->v[1], 2, src);
	if (ret < 0) {
		return ret;
	}
	if (is_narrow(&src[0]) && !is_narrow(&src[1]) && other_form(op) != OP_UNKNOWN) {
		op = other_form(op);
	} else {
		ret = expect_narrow(a, &src[1], args->v[2], "second source");
		if (ret < 0) {
			return ret;
		}
	}
	unsigned mask = selector_mask(dst.selector), d;
	uint32_t desc = asm_mask_bits(mask) | asm_source_bits(0, &src[0]) |
			asm_source_bits(1, &src[1]);
	ret = asm_use_descriptor(a, op, desc, asm_care_bits(op, 2, mask), args->descriptor, &d);
	if (ret < 0) {
		return ret;
	}
	uint32_t word = opcode_word(op) | PUT(F1, DESC, d) | PUT(F1, DST, dest_num(&dst));
	if (shader_ops[op].format == FORMAT_F1I) {
		return asm_emit(a, word | PUT(F1I, SRC1, source_num(&src[0])) |
				PUT(F1I, SRC2, source_num(&src[1])) | PUT(F1I, IDX, src[1].idx));
	}
	return asm_emit(a, word | PUT(F1, SRC1, source_num(&src[0])) |
			PUT(F1, SRC2, source_num(&src[1])) |
			PUT(F1, IDX, src[0].idx));
}

/* The destination of mova as a mask; the old names have no component. */
static int address_mask(struct assembler *a, struct slice s, unsigned *mask) {
	static const struct {
		const char *name;
		unsigned mask;
	} names[] = { { "a0.x", 1 }, { "a0.y", 2 }, { "a0.xy", 3 }, { "a0", 1 }, { "a1", 2 },
			{ "a01", 3 } };
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (slice_is(s, names[i].name)) {
			*mask = names[i].mask;
			return 0;
		}
	}
	return asm_fail(a, "expected a0.x, a0.y or a0.xy, got \"%.*s\"", SLICE_ARG(s));
}

static int one_source(struct assembler *a, enum shader_op op, const struct args *args) {
	struct asm_operand dst = { 0 }, src;
	unsigned mask = 0, d;
	int ret = expect_args(a, args, 2, 2);
	if (ret < 0) {
		return ret;
	}
	if (op == OP_MOVA) {
		ret = address_mask(a, args->v[0], &mask);
	} else {
		ret = parse_dest(a, args->v[0], &dst);
		mask = selector_mask(dst.selector);
	}
	ret = ret < 0 ? ret : parse_sources(a, &args->v[1], 1, &src);
	if (ret < 0) {
		return ret;
	}
	ret = asm_use_descriptor(a, op, asm_mask_bits(mask) | asm_source_bits(0, &src),
			asm_care_bits(op, 1, mask), args->descriptor, &d);
	if (ret < 0) {
		return ret;
	}
	return asm_emit(a, opcode_word(op) | PUT(F1U, DESC, d) | PUT(F1U, SRC1, source_num(&src)) |
			PUT(F1U, IDX, src.idx) | PUT(F1U, DST, op == OP_MOVA ? 0 : dest_num(&dst)));
}

static int parse_comparison(struct assembler *a, struct slice s, unsigned *out) {
	static const char *const names[] = { "eq", "ne", "lt", "le", "gt", "ge" };
	for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
		if (slice_is_nocase(s, names[i])) {
			*out = i;
			return 0;
		}
	}
	return asm_fail(a, "expected eq, ne, lt, le, gt or ge, got \"%.*s\"", SLICE_ARG(s));
}

static int compare(struct assembler *a, const struct args *args) {
	struct asm_operand src[2];
	unsigned x = 0, y = 0, d;
	int ret = expect_args(a, args, 4, 4);
	if (ret < 0) {
		return ret;
	}
	const struct slice sources[2] = { args->v[0], args->v[3] };
	ret = parse_sources(a, sources, 2, src);
	ret = ret < 0 ? ret : expect_narrow(a, &src[1], args->v[3], "second source");
	ret = ret < 0 ? ret : parse_comparison(a, args->v[1], &x);
	ret = ret < 0 ? ret : parse_comparison(a, args->v[2], &y);
	if (ret < 0) {
		return ret;
	}
	ret = asm_use_descriptor(a, OP_CMP,
			asm_source_bits(0, &src[0]) | asm_source_bits(1, &src[1]),
			asm_care_bits(OP_CMP, 2, 0), args->descriptor, &d);
	if (ret < 0) {
		return ret;
	}
	return asm_emit(a,
			opcode_word(OP_CMP) | PUT(F1C, DESC, d) |
					PUT(F1C, SRC1, source_num(&src[0])) |
					PUT(F1C, SRC2, source_num(&src[1])) |
					PUT(F1C, IDX, src[0].idx) | PUT(F1C, CMP_X, x) |
					PUT(F1C, CMP_Y, y));
}

static int three_sources(struct assembler *a, const struct args *args) {
	struct asm_operand dst, src[3];
	int ret = expect_args(a, args, 4, 4);
	ret = ret < 0 ? ret : parse_dest(a, args->v[0], &dst);
	ret = ret < 0 ? ret : parse_sources(a, &args->v[1], 3, src);
	ret = ret < 0 ? ret : expect_narrow(a, &src[0], args->v[1], "first source");
	if (ret < 0) {
		return ret;
	}
	bool is_inverted = is_narrow(&src[1]) && !is_narrow(&src[2]);
	if (!is_inverted) {
		ret = expect_narrow(a, &src[2], args->v[3], "third source beside a uniform");
		if (ret < 0) {
			return ret;
		}
	}
	enum shader_op op = is_inverted ? OP_MADI : OP_MAD;
	unsigned mask = selector_mask(dst.selector), d;
	uint32_t desc = asm_mask_bits(mask) | asm_source_bits(0, &src[0]) |
			asm_source_bits(1, &src[1]) |
			asm_source_bits(2, &src[2]);
	ret = asm_use_descriptor(a, op, desc, asm_care_bits(op, 3, mask), args->descriptor, &d);
	if (ret < 0) {
		return ret;
	}
	uint32_t word = opcode_word(op) | PUT(F5, DESC, d) | PUT(F5, SRC1, source_num(&src[0])) |
			PUT(F5, DST, dest_num(&dst));
	if (is_inverted) {
		return asm_emit(a, word | PUT(F5I, SRC2, source_num(&src[1])) |
				PUT(F5I, SRC3, source_num(&src[2])) | PUT(F5I, IDX, src[2].idx));
	}
	return asm_emit(a, word | PUT(F5, SRC2, source_num(&src[1])) |
			PUT(F5, SRC3, source_num(&src[2])) |
			PUT(F5, IDX, src[1].idx));
}

/* ---- Flow control ---- */

static int add_fixup(struct assembler *a, struct slice name, bool is_proc) {
	if (!is_identifier(name)) {
		return asm_fail(a, "expected the name of a %s, got \"%.*s\"",
				is_proc ? "procedure" : "label", SLICE_ARG(name));
	}
	if (a->n_fixups == PICA_SHADER_CODE_WORDS || a->n_code == PICA_SHADER_CODE_WORDS) {
		return asm_fail(a, "expected at most %d instructions", PICA_SHADER_CODE_WORDS);
	}
	a->fixups[a->n_fixups++] = (struct asm_fixup){ name, a->file_name, a->line, a->n_code,
			is_proc };
	return 0;
}

/* A label, or a number in .raw: emits the word with it. */
static int emit_to_address(struct assembler *a, uint32_t word, struct slice where, unsigned num,
		bool is_raw) {
	long target = 0;
	int ret;
	if (is_raw && where.n && where.p[0] >= '0' && where.p[0] <= '9') {
		ret = asm_integer(a, where, 0, PICA_SHADER_CODE_WORDS - 1, "an address", &target);
	} else {
		ret = add_fixup(a, where, false);
	}
	return ret < 0 ? ret : asm_emit(a, asm_with_target(word, (unsigned)target, num));
}

/* The operand that says when: none, a condition, a bool or an int. */
enum gate {
	GATE_NONE,
	GATE_COND,
	GATE_BOOL,
	GATE_INT,
};

static int parse_gate(struct assembler *a, enum gate gate, struct slice s, bool may_negate,
		uint32_t *word, unsigned *num) {
	unsigned reg = 0;
	uint32_t bits = 0;
	int ret = 0;
	switch (gate) {
	case GATE_NONE:
		break;
	case GATE_COND:
		ret = asm_condition(a, s, &bits);
		break;
	case GATE_BOOL:
		if (s.n && s.p[0] == '!') {
			if (!may_negate) {
				return asm_fail(a,
						"expected a bool uniform without \"!\", got \"%.*s\"",
						SLICE_ARG(s));
			}
			*num = 1;
			s = slice_trim((struct slice){ s.p + 1, s.n - 1 });
		}
		ret = asm_register(a, s, KIND_B, &reg);
		bits = PUT(F3, BOOL, reg);
		break;
	case GATE_INT:
		ret = asm_register(a, s, KIND_I, &reg);
		bits = PUT(F3, INT, reg);
		break;
	}
	*word |= bits;
	return ret;
}

/* The instruction after the gate. */
enum aim {
	AIM_NOTHING,
	AIM_PROC,
	AIM_LABEL,
	AIM_IF,
	AIM_FOR,
};

static int flow(struct assembler *a, enum shader_op op, const struct args *args, enum gate gate,
		enum aim aim) {
	const bool is_raw = asm_code_block(a)->type == BLOCK_RAW;
	unsigned n = gate != GATE_NONE;
	unsigned wanted = n;
	switch (aim) {
	case AIM_NOTHING:
		break;
	case AIM_PROC:
		wanted += is_raw ? 2 : 1;
		break;
	case AIM_LABEL:
		wanted += 1;
		break;
	case AIM_IF:
		wanted += is_raw ? 2 : 0;
		break;
	case AIM_FOR:
		wanted += is_raw ? 1 : 0;
		break;
	}
	int ret = expect_args(a, args, wanted, wanted);
	if (ret < 0) {
		return ret;
	}
	uint32_t word = opcode_word(op);
	unsigned num = 0;
	ret = parse_gate(a, gate, args->v[0], aim == AIM_LABEL, &word, &num);
	if (ret < 0 || aim == AIM_NOTHING) {
		return ret < 0 ? ret : asm_emit(a, word);
	}
	if (aim == AIM_LABEL || is_raw) {
		if (wanted == n + 2) {
			long count;
			ret = asm_integer(a, args->v[n + 1], 0, (1 << F2_NUM_BITS) - 1,
					"a number of words", &count);
			if (ret < 0) {
				return ret;
			}
			num = (unsigned)count;
		}
		return emit_to_address(a, word, args->v[n], num, is_raw);
	}
	if (aim == AIM_PROC) {
		ret = add_fixup(a, args->v[n], true);
	} else {
		ret = asm_open_block(a, aim == AIM_IF ? BLOCK_IF : BLOCK_FOR,
				(struct slice){ "", 0 }, a->n_code);
	}
	return ret < 0 ? ret : asm_emit(a, word);
}

int asm_pad(struct assembler *a, const struct asm_block *block, bool is_else) {
	bool needed = a->last_was_end;
	a->last_was_end = false;
	if (!needed) {
		enum shader_op last = a->n_code ? shader_op_of(a->code[a->n_code - 1]) : OP_NOP;
		bool is_flow = last == OP_JMPC || last == OP_JMPU || last == OP_CALL ||
				last == OP_CALLC || last == OP_CALLU;
		bool is_break = block->type == BLOCK_FOR && (last == OP_BREAK || last == OP_BREAKC);
		bool is_empty = a->n_code - block->at < (block->type == BLOCK_PROC ? 1u : 2u);
		needed = is_flow || (is_break && !is_else) || is_empty;
	}
	if (!needed || a->flags & PICA_SHADER_NO_NOP) {
		return 0;
	}
	return asm_emit(a, opcode_word(OP_NOP));
}

/* ---- setemit ---- */

static int set_emit(struct assembler *a, const struct args *args) {
	long id;
	uint32_t word = opcode_word(OP_SETEMIT);
	int ret = expect_args(a, args, 1, 2);
	ret = ret < 0 ? ret : asm_integer(a, args->v[0], 0, 2, "a vertex number", &id);
	if (ret < 0) {
		return ret;
	}
	struct slice flags = args->n == 2 ? args->v[1] : (struct slice){ "", 0 };
	while (flags.n) {
		struct slice flag = slice_word(&flags);
		if (slice_is_nocase(flag, "prim") || slice_is_nocase(flag, "primitive")) {
			word |= PUT(F4, PRIM, 1u);
		} else if (slice_is_nocase(flag, "inv") || slice_is_nocase(flag, "invert")) {
			word |= PUT(F4, WINDING, 1u);
		} else {
			return asm_fail(a, "expected prim or inv, got \"%.*s\"", SLICE_ARG(flag));
		}
	}
	/*
	 * A file that emits is a geometry shader; without .gsh in the vertex files' uniform space.
	 */
	a->file->entry.type = PICA_SHADER_GEOMETRY;
	return asm_emit(a, word | PUT(F4, VERTEX, (uint32_t)id));
}

/* ---- All instructions ---- */

static int split_args(struct assembler *a, struct slice rest, struct args *args) {
	args->descriptor = -1;
	for (size_t i = rest.n; i-- > 0;) {
		if (rest.p[i] == '@') {
			struct slice number = slice_trim(
					(struct slice){ rest.p + i + 1, rest.n - i - 1 });
			int ret = asm_integer(a, number, 0, PICA_SHADER_DESCRIPTORS - 1,
					"an operand descriptor", &args->descriptor);
			if (ret < 0) {
				return ret;
			}
			rest = slice_trim((struct slice){ rest.p, i });
			break;
		}
	}
	args->n = 0;
	while (rest.n) {
		if (args->n == ASM_ARGS) {
			return asm_fail(a, "too many operands of %s", args->mnemonic);
		}
		struct slice arg = slice_split(&rest, ',');
		if (arg.n == 0) {
			return asm_fail(a, "expected an operand before \",\"");
		}
		args->v[args->n++] = arg;
	}
	return 0;
}

static enum shader_op find_op(struct slice name) {
	for (int op = OP_UNKNOWN + 1; op < OP_COUNT; op++) {
		if (slice_is_nocase(name, shader_ops[op].mnemonic)) {
			return (enum shader_op)op;
		}
	}
	return OP_UNKNOWN;
}

int asm_instruction(struct assembler *a, struct slice name, struct slice rest) {
	const struct asm_block *block = asm_code_block(a);
	enum shader_op op = base_form(find_op(name));
	if (op == OP_UNKNOWN) {
		return asm_fail(a, "expected an instruction or directive, got \"%.*s\"",
				SLICE_ARG(name));
	}
	if (!block || block->type == BLOCK_ARRAY) {
		return asm_fail(a, "expected instructions only within .proc");
	}
	struct args args = { .mnemonic = shader_ops[op].mnemonic };
	int ret = split_args(a, rest, &args);
	if (ret < 0) {
		return ret;
	}
	switch ((enum shader_operands)shader_ops[op].operands) {
	case OPERANDS_NOTHING:
		return flow(a, op, &args, GATE_NONE, AIM_NOTHING);
	case OPERANDS_D_W_N:
	case OPERANDS_D_N_W:
		return two_sources(a, op, &args);
	case OPERANDS_D_W:
	case OPERANDS_A_W:
		return one_source(a, op, &args);
	case OPERANDS_W_OPS_N:
		return compare(a, &args);
	case OPERANDS_D_N_W_N:
	case OPERANDS_D_N_N_W:
		return three_sources(a, &args);
	case OPERANDS_COND:
		return flow(a, op, &args, GATE_COND, AIM_NOTHING);
	case OPERANDS_PROC:
		return flow(a, op, &args, GATE_NONE, AIM_PROC);
	case OPERANDS_COND_PROC:
		return flow(a, op, &args, GATE_COND, AIM_PROC);
	case OPERANDS_BOOL_PROC:
		return flow(a, op, &args, GATE_BOOL, AIM_PROC);
	case OPERANDS_COND_BLOCK:
		return flow(a, op, &args, GATE_COND, AIM_IF);
	case OPERANDS_BOOL_BLOCK:
		return flow(a, op, &args, GATE_BOOL, AIM_IF);
	case OPERANDS_INT_BLOCK:
		return flow(a, op, &args, GATE_INT, AIM_FOR);
	case OPERANDS_COND_LABEL:
		return flow(a, op, &args, GATE_COND, AIM_LABEL);
	case OPERANDS_BOOL_LABEL:
		return flow(a, op, &args, GATE_BOOL, AIM_LABEL);
	case OPERANDS_VERTEX:
		return set_emit(a, &args);
	}
	return 0;
}
