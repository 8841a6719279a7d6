/*
 * The disassembler. Each line is assembled again: a word that the line does not reproduce is
 * written as .word, so that the text assembles to the same words in every case.
 */
#include "pica/toolchain/asm.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Operands ---- */

enum {
	OPERAND_TEXT = 48,
	LINE_TEXT = PICA_SHADER_LINE,
};

static void swizzle(char out[6], unsigned selector) {
	out[0] = '\0';
	if (selector != SELECTOR_IDENTITY) {
		out[0] = '.';
		for (unsigned k = 0; k < 4; k++) {
			out[1 + k] = "xyzw"[shader_selector(selector, k)];
		}
		out[5] = '\0';
		/* The last letter repeats on its own. */
		for (unsigned k = 4; k > 1 && out[k] == out[k - 1]; k--) {
			out[k] = '\0';
		}
	}
}

/* A source; rel: the address register, if it is the wide one. */
static void source(char out[OPERAND_TEXT], unsigned raw, bool negate, unsigned selector,
		unsigned rel) {
	static const char *const address[] = { "", "a0.x", "a0.y", "aL" };
	char letters[6];
	swizzle(letters, selector);
	const char *minus = negate ? "-" : "";
	if (raw < SHADER_R) {
		snprintf(out, OPERAND_TEXT, "%sv%u%s", minus, raw, letters);
	} else if (raw < SHADER_C) {
		snprintf(out, OPERAND_TEXT, "%sr%u%s", minus, raw - SHADER_R, letters);
	} else if (rel) {
		snprintf(out, OPERAND_TEXT, "%sc%u[%s]%s", minus, raw - SHADER_C, address[rel],
				letters);
	} else {
		snprintf(out, OPERAND_TEXT, "%sc%u%s", minus, raw - SHADER_C, letters);
	}
}

/* Components of a descriptor's mask with bit 0 = x. */
static unsigned descriptor_mask(uint32_t desc) {
	unsigned m = OPDESC_MASK(desc), mask = 0;
	for (unsigned k = 0; k < 4; k++) {
		mask |= (m >> (3 - k) & 1) << k;
	}
	return mask;
}

static void destination(char out[OPERAND_TEXT], unsigned raw, uint32_t desc) {
	char letters[6] = "";
	unsigned mask = descriptor_mask(desc);
	if (mask != 15) {
		asm_mask_letters(letters, mask);
	}
	snprintf(out, OPERAND_TEXT, "%c%u%s", raw < SHADER_R ? 'o' : 'r', raw & 15, letters);
}

static void condition(char out[OPERAND_TEXT], uint32_t word) {
	const char *x = F2_REF_X(word) ? "cmp.x" : "!cmp.x";
	const char *y = F2_REF_Y(word) ? "cmp.y" : "!cmp.y";
	switch (F2_CONDOP(word)) {
	case 0:
		snprintf(out, OPERAND_TEXT, "%s || %s", x, y);
		break;
	case 1:
		snprintf(out, OPERAND_TEXT, "%s && %s", x, y);
		break;
	case 2:
		snprintf(out, OPERAND_TEXT, "%s", x);
		break;
	default:
		snprintf(out, OPERAND_TEXT, "%s", y);
		break;
	}
}

/* ---- Instructions ---- */

/* Finds the sources of a word with their selectors. Returns their number. */
static unsigned sources(enum shader_op op, uint32_t w, uint32_t desc, char out[3][OPERAND_TEXT]) {
	const struct shader_form *form = shader_form_of(op);
	const bool negate[3] = { OPDESC_NEG1(desc), OPDESC_NEG2(desc), OPDESC_NEG3(desc) };
	const unsigned selector[3] = { OPDESC_SEL1(desc), OPDESC_SEL2(desc), OPDESC_SEL3(desc) };
	for (unsigned s = 0; s < form->n_src; s++) {
		source(out[s], shader_get(form->src[s], w), negate[s], selector[s],
				s == form->wide ? shader_get(form->idx, w) : 0);
	}
	return form->n_src;
}

/* Index of the operand descriptor, or -1. */
static int descriptor_index(enum shader_op op, uint32_t w) {
	const struct shader_form *form = shader_form_of(op);
	return form->n_src ? (int)shader_get(form->desc, w) : -1;
}

static bool has_target(enum shader_op op) {
	return asm_flows[shader_ops[op].operands].aim != AIM_NOTHING;
}

/* Flow control in the form of .raw; target: the address as text. */
static void flow(char out[LINE_TEXT], enum shader_op op, uint32_t w, const char *target) {
	const struct asm_flow *form = &asm_flows[shader_ops[op].operands];
	const enum asm_aim aim = (enum asm_aim)form->aim;
	char gate[OPERAND_TEXT] = "", count[16] = "";
	switch ((enum asm_gate)form->gate) {
	case GATE_NONE:
		break;
	case GATE_COND:
		condition(gate, w);
		break;
	case GATE_BOOL:
		snprintf(gate, sizeof(gate), "%sb%u", aim == AIM_LABEL && F3_NUM(w) & 1 ? "!" : "",
				F3_BOOL(w));
		break;
	case GATE_INT:
		snprintf(gate, sizeof(gate), "i%u", F3_INT(w));
		break;
	}
	if (aim == AIM_PROC || aim == AIM_IF) {
		snprintf(count, sizeof(count), ", %u", F2_NUM(w));
	}
	snprintf(out, LINE_TEXT, "%s%s%s%s%s%s", shader_ops[op].mnemonic,
			gate[0] || aim != AIM_NOTHING ? " " : "", gate,
			gate[0] && aim != AIM_NOTHING ? ", " : "",
			aim != AIM_NOTHING ? target : "", count);
}

static void set_emit(char out[LINE_TEXT], uint32_t w) {
	snprintf(out, LINE_TEXT, "%s %u%s%s%s", shader_ops[OP_SETEMIT].mnemonic, F4_VERTEX(w),
			F4_PRIM(w) || F4_WINDING(w) ? "," : "", F4_PRIM(w) ? " prim" : "",
			F4_WINDING(w) ? " inv" : "");
}

static void instruction(char out[LINE_TEXT], enum shader_op op, uint32_t w, uint32_t desc,
		const char *target) {
	static const char *const comparison[] = { "eq", "ne", "lt", "le", "gt", "ge", "6", "7" };
	const char *m = shader_ops[op].mnemonic;
	char src[3][OPERAND_TEXT] = { "" }, dst[OPERAND_TEXT];
	unsigned n = sources(op, w, desc, src);
	if (op == OP_SETEMIT) {
		set_emit(out, w);
	} else if (n == 0) {
		flow(out, op, w, target);
	} else if (op == OP_CMP) {
		snprintf(out, LINE_TEXT, "%s %s, %s, %s, %s", m, src[0], comparison[F1C_CMP_X(w)],
				comparison[F1C_CMP_Y(w)], src[1]);
	} else {
		if (op == OP_MOVA) {
			char letters[6];
			asm_mask_letters(letters, descriptor_mask(desc) & 3);
			snprintf(dst, sizeof(dst), "a0%s", letters);
		} else {
			destination(dst, shader_get(shader_form_of(op)->dst, w), desc);
		}
		snprintf(out, LINE_TEXT, "%s %s, %s%s%s%s%s", m, dst, src[0], n > 1 ? ", " : "",
				src[1], n > 2 ? ", " : "", src[2]);
	}
}

PICA_EXPORT void pica_shader_instruction(uint32_t word,
		const uint32_t descriptors[PICA_SHADER_DESCRIPTORS], char text[PICA_SHADER_LINE]) {
	const enum shader_op op = shader_op_of(word);
	if (op == OP_UNKNOWN) {
		snprintf(text, PICA_SHADER_LINE, ".word 0x%08X", (unsigned)word);
		return;
	}
	char target[16];
	const int desc = descriptor_index(op, word);
	snprintf(target, sizeof(target), "%u", F2_TARGET(word));
	instruction(text, op, word, desc >= 0 ? descriptors[desc] : 0, target);
}

/* ---- The code ---- */

struct disassembly {
	const struct pica_shader *s;
	struct assembler *probe;
	FILE *t;
	bool is_target[PICA_SHADER_CODE_WORDS + 1];
};

static unsigned target_of(uint32_t w) {
	return F2_TARGET(w);
}

/*
 * Writes one line, without its descriptor's number if possible. line has the target as a number,
 * shown has a label.
 */
static void code_line(struct disassembly *d, unsigned at) {
	uint32_t w = d->s->code[at], again;
	enum shader_op op = shader_op_of(w);
	char line[LINE_TEXT] = "unknown instruction", shown[LINE_TEXT], number[16], label[16];
	if (op != OP_UNKNOWN) {
		int desc = descriptor_index(op, w);
		uint32_t bits = desc >= 0 && (uint32_t)desc < d->s->n_descriptors ?
				d->s->descriptors[desc] : 0;
		snprintf(number, sizeof(number), "%u", target_of(w));
		snprintf(label, sizeof(label), target_of(w) <= d->s->n_code ? "L%03X" : "%u",
				target_of(w));
		instruction(line, op, w, bits, number);
		instruction(shown, op, w, bits, has_target(op) ? label : "");
		if (asm_encode(d->probe, line, &again) && again == w) {
			fprintf(d->t, "\t%s\n", shown);
			return;
		}
		if (desc >= 0 && (uint32_t)desc < d->s->n_descriptors) {
			char with[LINE_TEXT + 16];
			snprintf(with, sizeof(with), "%s @%d", line, desc);
			if (asm_encode(d->probe, with, &again) && again == w) {
				fprintf(d->t, "\t%s\n", with);
				return;
			}
		}
	}
	fprintf(d->t, "\t.word 0x%08X ; %s\n", (unsigned)w, line);
}

static void code_block(struct disassembly *d, const char *name, unsigned from, unsigned to) {
	fprintf(d->t, ".raw %s\n", name);
	for (unsigned at = from; at < to; at++) {
		if (d->is_target[at]) {
			fprintf(d->t, "L%03X:\n", at);
		}
		code_line(d, at);
	}
	fprintf(d->t, ".end\n");
}

static void code(struct disassembly *d, const struct pica_shader_entry *e) {
	const unsigned n = d->s->n_code;
	unsigned start = e && e->start <= n ? e->start : 0;
	unsigned end = e && e->end >= start && e->end <= n ? e->end : n;
	for (unsigned i = 0; i < n; i++) {
		if (has_target(shader_op_of(d->s->code[i])) && target_of(d->s->code[i]) <= n) {
			d->is_target[target_of(d->s->code[i])] = true;
		}
	}
	if (start > 0) {
		code_block(d, "before", 0, start);
	}
	code_block(d, "main", start, end);
	if (end < n) {
		code_block(d, "behind", end, n);
	}
	if (d->is_target[n]) {
		fprintf(d->t, "L%03X:\n", n);
	}
}

/* ---- All of it ---- */

static void descriptor_table(FILE *t, const struct pica_shader *s) {
	fprintf(t, ".opdesc");
	for (uint32_t i = 0; i < s->n_descriptors; i++) {
		fprintf(t, "%s0x%08X", i == 0 ? " " : i % 6 == 0 ? "\n.opdesc " : ", ",
				(unsigned)s->descriptors[i]);
	}
	fprintf(t, "\n");
}

PICA_EXPORT int pica_shader_disassemble(const struct pica_shader *shader, int entry, char **text) {
	const struct pica_shader_entry *e = NULL;
	if (shader->n_code > PICA_SHADER_CODE_WORDS ||
			shader->n_descriptors > PICA_SHADER_DESCRIPTORS) {
		return -EINVAL;
	}
	if (entry != PICA_SHADER_NO_ENTRY) {
		if (entry < 0 || (uint32_t)entry >= shader->n_entries) {
			return -EINVAL;
		}
		e = &shader->entries[entry];
	}
	int ret = -ENOMEM;
	size_t size;
	char *out = NULL;
	FILE *t = open_memstream(&out, &size);
	struct disassembly *d = calloc(1, sizeof(*d));
	locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	struct assembler *probe = asm_probe_create(shader->descriptors, shader->n_descriptors,
			e && e->type == PICA_SHADER_GEOMETRY);
	if (t && d && plain && probe) {
		*d = (struct disassembly){ .s = shader, .probe = probe, .t = t };
		locale_t before = uselocale(plain);
		if (e) {
			disasm_entry(t, probe, e);
		}
		descriptor_table(t, shader);
		code(d, e);
		uselocale(before);
		ret = 0;
	}
	ret = t && fclose(t) ? -ENOMEM : ret;
	asm_probe_destroy(probe);
	if (plain) {
		freelocale(plain);
	}
	free(d);
	if (ret < 0) {
		free(out);
		return ret;
	}
	*text = out;
	return 0;
}
