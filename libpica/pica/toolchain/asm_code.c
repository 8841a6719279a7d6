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

/* The register's number in the wide source field, and in narrow ones. */
static unsigned source_num(const struct asm_operand *op) {
	return op->num + (op->kind == KIND_C ? SHADER_C : op->kind == KIND_R ? SHADER_R : SHADER_V);
}

static unsigned dest_num(const struct asm_operand *op) {
	return op->num + (op->kind == KIND_R ? SHADER_R : 0);
}

static struct asm_operand parse_dest(struct assembler *a, struct slice s) {
	const struct asm_operand out = asm_operand(a, s);
	if ((out.kind != KIND_O && out.kind != KIND_R) || out.negate) {
		asm_fail(a, "expected an output or temporary register, got \"%.*s\"", SLICE_ARG(s));
	}
	return out;
}

static void parse_sources(
		struct assembler *a, const struct slice *arg, unsigned n, struct asm_operand *out) {
	for (unsigned s = 0; s < n; s++) {
		out[s] = asm_operand(a, arg[s]);
		if (!is_source(&out[s])) {
			asm_fail(a, "expected an input, temporary or float uniform, got \"%.*s\"",
					SLICE_ARG(arg[s]));
		}
		for (unsigned k = 0; k < s; k++) {
			if (out[k].kind == KIND_V && out[s].kind == KIND_V &&
					out[k].num != out[s].num) {
				asm_fail(a, "expected one input register in an instruction, got v%u and v%u",
						out[k].num, out[s].num);
			}
		}
	}
}

static void expect_narrow(struct assembler *a, const struct asm_operand *op, struct slice arg,
		const char *where) {
	if (!is_narrow(op)) {
		asm_fail(a, "expected an input or temporary register as %s, got \"%.*s\"", where,
				SLICE_ARG(arg));
	}
}

struct args {
	const char *mnemonic;
	struct slice v[ASM_ARGS];
	unsigned n;
	long descriptor; /* @N, or -1 */
};

static bool has_args(struct assembler *a, const struct args *args, unsigned min, unsigned max) {
	if (args->n >= min && args->n <= max) {
		return true;
	}
	if (min == max) {
		asm_fail(a, "expected %u operands of %s, got %u", min, args->mnemonic, args->n);
	} else {
		asm_fail(a, "expected %u or %u operands of %s, got %u", min, max, args->mnemonic,
				args->n);
	}
	return false;
}

/* ---- Arithmetic ---- */

/* Returns the form with the wide operand in the other position, or OP_UNKNOWN. */
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

/* src: as many as the op has; bits: those of no operand. */
static void encode(struct assembler *a, enum shader_op op, const struct asm_operand *src,
		unsigned mask, uint32_t bits, long wanted) {
	const struct shader_form *form = shader_form_of(op);
	uint32_t word = opcode_word(op) | bits | shader_put(form->idx, src[form->wide].idx);
	uint32_t desc = asm_mask_bits(mask);
	for (unsigned s = 0; s < form->n_src; s++) {
		desc |= asm_source_bits(s, &src[s]);
		word |= shader_put(form->src[s], source_num(&src[s]));
	}
	if (!a->error) {
		const uint32_t care = asm_care_bits(op, form->n_src, mask);
		const unsigned d = asm_use_descriptor(a, op, desc, care, wanted);
		asm_emit(a, word | shader_put(form->desc, d));
	}
}

/* The destination of mova as a mask; the old names have no component. */
static unsigned address_mask(struct assembler *a, struct slice s) {
	static const struct {
		const char *name;
		unsigned mask;
	} names[] = { { "a0.x", 1 }, { "a0.y", 2 }, { "a0.xy", 3 }, { "a0", 1 }, { "a1", 2 },
			{ "a01", 3 } };
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (slice_is(s, names[i].name)) {
			return names[i].mask;
		}
	}
	asm_fail(a, "expected a0.x, a0.y or a0.xy, got \"%.*s\"", SLICE_ARG(s));
	return 0;
}

static void arithmetic(struct assembler *a, enum shader_op op, const struct args *args) {
	const unsigned n = shader_form_of(op)->n_src;
	struct asm_operand dst = { 0 }, src[3];
	unsigned mask;
	if (!has_args(a, args, n + 1, n + 1)) {
		return;
	}
	if (op == OP_MOVA) {
		mask = address_mask(a, args->v[0]);
	} else {
		dst = parse_dest(a, args->v[0]);
		mask = selector_mask(dst.selector);
	}
	parse_sources(a, &args->v[1], n, src);
	if (n == 3) {
		expect_narrow(a, &src[0], args->v[1], "first source");
	}
	if (n > 1 && is_narrow(&src[n - 2]) && !is_narrow(&src[n - 1]) &&
			other_form(op) != OP_UNKNOWN) {
		op = other_form(op);
	} else if (n > 1) {
		expect_narrow(a, &src[n - 1], args->v[n],
				n == 2 ? "second source" : "third source beside a uniform");
	}
	encode(a, op, src, mask, shader_put(shader_form_of(op)->dst, dest_num(&dst)),
			args->descriptor);
}

static unsigned parse_comparison(struct assembler *a, struct slice s) {
	static const char *const names[] = { "eq", "ne", "lt", "le", "gt", "ge" };
	for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
		if (slice_is_nocase(s, names[i])) {
			return i;
		}
	}
	asm_fail(a, "expected eq, ne, lt, le, gt or ge, got \"%.*s\"", SLICE_ARG(s));
	return 0;
}

static void compare(struct assembler *a, const struct args *args) {
	struct asm_operand src[2];
	if (!has_args(a, args, 4, 4)) {
		return;
	}
	const struct slice sources[2] = { args->v[0], args->v[3] };
	parse_sources(a, sources, 2, src);
	expect_narrow(a, &src[1], args->v[3], "second source");
	const unsigned x = parse_comparison(a, args->v[1]), y = parse_comparison(a, args->v[2]);
	encode(a, OP_CMP, src, 0, PUT(F1C, CMP_X, x) | PUT(F1C, CMP_Y, y), args->descriptor);
}

/* ---- Flow control ---- */

static void add_fixup(struct assembler *a, struct slice name, bool is_proc) {
	if (!is_identifier(name)) {
		asm_fail(a, "expected the name of a %s, got \"%.*s\"",
				is_proc ? "procedure" : "label", SLICE_ARG(name));
	} else if (a->n_fixups == PICA_SHADER_CODE_WORDS || a->n_code == PICA_SHADER_CODE_WORDS) {
		asm_fail(a, "expected at most %d instructions", PICA_SHADER_CODE_WORDS);
	} else {
		a->fixups[a->n_fixups++] = (struct asm_fixup){ name, a->file_name, a->line,
			a->n_code, is_proc };
	}
}

/* A label, or a number in .raw: emits the word with it. */
static void emit_to_address(struct assembler *a, uint32_t word, struct slice where, unsigned num,
		bool is_raw) {
	long target = 0;
	if (is_raw && where.n && where.p[0] >= '0' && where.p[0] <= '9') {
		target = asm_integer(a, where, 0, PICA_SHADER_CODE_WORDS - 1, "an address");
	} else {
		add_fixup(a, where, false);
	}
	asm_emit(a, asm_with_target(word, (unsigned)target, num));
}

const struct asm_flow asm_flows[] = {
	[OPERANDS_NOTHING] = { GATE_NONE, AIM_NOTHING },
	[OPERANDS_COND] = { GATE_COND, AIM_NOTHING },
	[OPERANDS_PROC] = { GATE_NONE, AIM_PROC },
	[OPERANDS_COND_PROC] = { GATE_COND, AIM_PROC },
	[OPERANDS_BOOL_PROC] = { GATE_BOOL, AIM_PROC },
	[OPERANDS_COND_BLOCK] = { GATE_COND, AIM_IF },
	[OPERANDS_BOOL_BLOCK] = { GATE_BOOL, AIM_IF },
	[OPERANDS_INT_BLOCK] = { GATE_INT, AIM_FOR },
	[OPERANDS_COND_LABEL] = { GATE_COND, AIM_LABEL },
	[OPERANDS_BOOL_LABEL] = { GATE_BOOL, AIM_LABEL },
	[OPERANDS_VERTEX] = { GATE_NONE, AIM_NOTHING },
};

/* The bits of the word; *num: 1 if it is negated, where that is allowed. */
static uint32_t parse_gate(struct assembler *a, enum asm_gate gate, struct slice s,
		bool may_negate, unsigned *num) {
	switch (gate) {
	case GATE_NONE:
		break;
	case GATE_COND:
		return asm_condition(a, s);
	case GATE_BOOL:
		if (s.n && s.p[0] == '!') {
			if (!may_negate) {
				asm_fail(a, "expected a bool uniform without \"!\", got \"%.*s\"",
						SLICE_ARG(s));
			}
			*num = 1;
			s = slice_trim(slice_skip(s, 1));
		}
		return PUT(F3, BOOL, asm_register(a, s, KIND_B));
	case GATE_INT:
		return PUT(F3, INT, asm_register(a, s, KIND_I));
	}
	return 0;
}

static void flow(struct assembler *a, enum shader_op op, const struct args *args) {
	/* Operands after the gate, with labels and in .raw. */
	static const uint8_t operands[][2] = {
		[AIM_NOTHING] = { 0, 0 },
		[AIM_PROC] = { 1, 2 },
		[AIM_LABEL] = { 1, 1 },
		[AIM_IF] = { 0, 2 },
		[AIM_FOR] = { 0, 1 },
	};
	const struct asm_flow *form = &asm_flows[shader_ops[op].operands];
	const enum asm_gate gate = (enum asm_gate)form->gate;
	const enum asm_aim aim = (enum asm_aim)form->aim;
	const bool is_raw = asm_code_block(a)->type == BLOCK_RAW;
	const unsigned n = gate != GATE_NONE, wanted = n + operands[aim][is_raw];
	unsigned num = 0;
	if (!has_args(a, args, wanted, wanted)) {
		return;
	}
	const uint32_t word = opcode_word(op) |
			parse_gate(a, gate, args->v[0], aim == AIM_LABEL, &num);
	if (aim == AIM_LABEL || (is_raw && aim != AIM_NOTHING)) {
		if (wanted == n + 2) {
			num = (unsigned)asm_integer(a, args->v[n + 1], 0, (1 << F2_NUM_BITS) - 1,
					"a number of words");
		}
		emit_to_address(a, word, args->v[n], num, is_raw);
		return;
	}
	if (aim == AIM_PROC) {
		add_fixup(a, args->v[n], true);
	} else if (aim != AIM_NOTHING) {
		asm_open_block(a, aim == AIM_IF ? BLOCK_IF : BLOCK_FOR, (struct slice){ "", 0 },
				a->n_code);
	}
	asm_emit(a, word);
}

void asm_pad(struct assembler *a, const struct asm_block *block, bool is_else) {
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
	if (needed && !(a->flags & PICA_SHADER_NO_NOP)) {
		asm_emit(a, opcode_word(OP_NOP));
	}
}

/* ---- setemit ---- */

static void set_emit(struct assembler *a, const struct args *args) {
	if (!has_args(a, args, 1, 2)) {
		return;
	}
	const long id = asm_integer(a, args->v[0], 0, 2, "a vertex number");
	uint32_t word = opcode_word(OP_SETEMIT) | PUT(F4, VERTEX, (uint32_t)id);
	struct slice flags = args->n == 2 ? args->v[1] : (struct slice){ "", 0 };
	while (flags.n) {
		struct slice flag = slice_word(&flags);
		if (slice_is_nocase(flag, "prim") || slice_is_nocase(flag, "primitive")) {
			word |= PUT(F4, PRIM, 1u);
		} else if (slice_is_nocase(flag, "inv") || slice_is_nocase(flag, "invert")) {
			word |= PUT(F4, WINDING, 1u);
		} else {
			asm_fail(a, "expected prim or inv, got \"%.*s\"", SLICE_ARG(flag));
		}
	}
	/*
	 * A file that emits is a geometry shader; without .gsh in the vertex files' uniform space.
	 */
	if (!a->error) {
		a->file->entry.type = PICA_SHADER_GEOMETRY;
		asm_emit(a, word);
	}
}

/* ---- All instructions ---- */

static void split_args(struct assembler *a, struct slice rest, struct args *args) {
	args->descriptor = -1;
	for (size_t i = rest.n; i-- > 0;) {
		if (rest.p[i] == '@') {
			struct slice number = slice_trim(
					(struct slice){ rest.p + i + 1, rest.n - i - 1 });
			args->descriptor = asm_integer(a, number, 0, PICA_SHADER_DESCRIPTORS - 1,
					"an operand descriptor");
			rest = slice_trim((struct slice){ rest.p, i });
			break;
		}
	}
	args->n = 0;
	while (rest.n) {
		if (args->n == ASM_ARGS) {
			asm_fail(a, "too many operands of %s", args->mnemonic);
			return;
		}
		struct slice arg = slice_split(&rest, ',');
		if (arg.n == 0) {
			asm_fail(a, "expected an operand before \",\"");
		}
		args->v[args->n++] = arg;
	}
}

static enum shader_op find_op(struct slice name) {
	for (int op = OP_UNKNOWN + 1; op < OP_COUNT; op++) {
		if (slice_is_nocase(name, shader_ops[op].mnemonic)) {
			return (enum shader_op)op;
		}
	}
	return OP_UNKNOWN;
}

void asm_instruction(struct assembler *a, struct slice name, struct slice rest) {
	const struct asm_block *block = asm_code_block(a);
	enum shader_op op = base_form(find_op(name));
	struct args args = { .mnemonic = shader_ops[op].mnemonic };
	if (op == OP_UNKNOWN) {
		asm_fail(a, "expected an instruction or directive, got \"%.*s\"", SLICE_ARG(name));
	} else if (!block || block->type == BLOCK_ARRAY) {
		asm_fail(a, "expected instructions only within .proc");
	} else {
		split_args(a, rest, &args);
	}
	if (a->error) {
		return;
	}
	if (op == OP_CMP) {
		compare(a, &args);
	} else if (op == OP_SETEMIT) {
		set_emit(a, &args);
	} else if (shader_form_of(op)->n_src) {
		arithmetic(a, op, &args);
	} else {
		flow(a, op, &args);
	}
}
