/* The programs of a draw: reachable code is read, not run. */
#include <string.h>

#include "lint.h"

enum { CODE_WORDS = 4096, VS_WORDS = 512, OUTPUTS = 16, RANGES = 64 };

/* [fidelity: shader-isa] */
enum {
	OP_FLR = 0x0B,
	OP_MOVA = 0x12,
	OP_MOV = 0x13,
	OP_DPHI = 0x18,
	OP_SLTI = 0x1B,
	OP_NOP = 0x21,
	OP_END = 0x22,
	OP_CALL = 0x24,
	OP_CALLU = 0x26,
	OP_IFU = 0x27,
	OP_IFC = 0x28,
	OP_EMIT = 0x2A,
	OP_JMPC = 0x2C,
	OP_JMPU = 0x2D,
	OP_CMP = 0x2E,
	OP_MADI = 0x30,
};

struct program {
	const uint32_t *code, *descriptors;
	uint32_t n;             /* words that the unit has */
	uint8_t seen[CODE_WORDS];
	uint8_t written[OUTPUTS]; /* components, bit 0: x */
	struct {
		uint32_t first, end;
	} todo[RANGES];
	unsigned n_todo;
	int64_t mova, inputs;   /* first place, -1: none */
};

static void add(struct program *p, uint32_t first, uint32_t end) {
	end = end < p->n ? end : p->n;
	if (first < end && !p->seen[first] && p->n_todo < RANGES) {
		p->todo[p->n_todo].first = first;
		p->todo[p->n_todo++].end = end;
	}
}

/* Arithmetic with one source. */
static bool is_unary(uint32_t op) {
	return op == 0x05 || op == 0x06 || op == 0x07 || op == OP_FLR || op == 0x0E || op == 0x0F ||
			op == OP_MOVA || op == OP_MOV;
}

static bool is_arithmetic(uint32_t op) {
	return op <= 0x0F || op == OP_MOVA || op == OP_MOV || (op >= OP_DPHI && op <= OP_SLTI) ||
			op >= OP_CMP;
}

/* Whether two sources are different input registers.  [fidelity: shader-isa, shader-hazards] */
static bool mixes_inputs(uint32_t word, uint32_t op) {
	uint32_t source[3] = { 0 };
	unsigned n = 2;
	if (op >= OP_MADI) {
		const bool is_wide3 = op < 0x38;
		source[0] = word >> 17 & 0x1F;
		source[1] = is_wide3 ? word >> 12 & 0x1F : word >> 10 & 0x7F;
		source[2] = is_wide3 ? word >> 5 & 0x7F : word >> 5 & 0x1F;
		n = 3;
	} else if (op >= OP_DPHI && op <= OP_SLTI) {
		source[0] = word >> 14 & 0x1F;
		source[1] = word >> 7 & 0x7F;
	} else {
		source[0] = word >> 12 & 0x7F;
		source[1] = word >> 7 & 0x1F;
		n = is_unary(op) ? 1 : 2;
	}
	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = i + 1; k < n; k++) {
			if (source[i] < 16 && source[k] < 16 && source[i] != source[k]) {
				return true;
			}
		}
	}
	return false;
}

static void note_output(struct program *p, uint32_t word, uint32_t op) {
	const bool is_mad = op >= OP_MADI;
	if (!is_arithmetic(op) || op == OP_MOVA || op == OP_CMP || op == OP_CMP + 1) {
		return;
	}
	const uint32_t dst = is_mad ? word >> 24 & 0x1F : word >> 21 & 0x1F;
	const uint32_t mask = p->descriptors[word & (is_mad ? 0x1F : 0x7F)] & 0xF; /* bit 3: x */
	if (dst < OUTPUTS) {
		p->written[dst] |= (uint8_t)((mask >> 3 & 1) | (mask >> 1 & 2) | (mask << 1 & 4) |
				(mask << 3 & 8));
	}
}

/* Straight on from first, noting where else it can go. */
static void read_range(struct program *p, uint32_t first, uint32_t end) {
	bool after_mova = false;
	for (uint32_t at = first; at < end && !p->seen[at]; at++) {
		const uint32_t word = p->code[at], op = word >> 26;
		const uint32_t dst = word >> 10 & 0xFFF, num = word & 0xFF;
		p->seen[at] = 1;
		if (op == OP_MOVA && after_mova && p->mova < 0) {
			p->mova = at;
		}
		after_mova = op == OP_MOVA;
		if (is_arithmetic(op) && p->inputs < 0 && mixes_inputs(word, op)) {
			p->inputs = at;
		}
		note_output(p, word, op);
		if (op == OP_END) {
			return;
		}
		if (op >= OP_CALL && op <= OP_CALLU) {
			add(p, dst, dst + num);
		} else if (op == OP_JMPC || op == OP_JMPU) {
			add(p, dst, p->n);
		}
		/* Blocks of IF and LOOP lie where straight on goes anyway. */
	}
}

/*
 * The first instruction that writes a component for the second time, before anything branches:
 * there each instruction is run once. -1: none.
 */
static int64_t written_twice(const struct program *p, uint32_t entry, uint32_t enabled) {
	struct program once = { .code = p->code, .descriptors = p->descriptors };
	uint8_t before[OUTPUTS] = { 0 };
	for (uint32_t at = entry; at < p->n; at++) {
		const uint32_t word = p->code[at], op = word >> 26;
		if (!is_arithmetic(op) && op != OP_NOP) {
			return -1;
		}
		memset(once.written, 0, sizeof(once.written));
		note_output(&once, word, op);
		for (unsigned o = 0; o < OUTPUTS; o++) {
			if ((enabled >> o & 1) && (before[o] & once.written[o])) {
				return at;
			}
			before[o] |= once.written[o];
		}
	}
	return -1;
}

static void read_program(struct program *p, const struct pica_shader_state *unit, uint32_t n,
		uint32_t entry) {
	memset(p, 0, sizeof(*p));
	p->code = unit->code;
	p->descriptors = unit->operand_descriptors;
	p->n = n;
	p->mova = p->inputs = -1;
	add(p, entry & (n - 1), n);
	while (p->n_todo) {
		p->n_todo--;
		read_range(p, p->todo[p->n_todo].first, p->todo[p->n_todo].end);
	}
}

static void report(
		struct lint *l, const struct program *p, uint32_t entry_reg, const uint32_t *regs) {
	if (p->mova >= 0) {
		lint_reg(l, LINT_SHADER_MOVA, regs, entry_reg, "at word %u", (unsigned)p->mova);
	}
	if (p->inputs >= 0) {
		lint_reg(l, LINT_SHADER_INPUTS, regs, entry_reg, "at word %u", (unsigned)p->inputs);
	}
}

/* Of enabled outputs, the components that the map of outputs names.  [fidelity: output-slots] */
static void check_outputs(
		struct lint *l, const uint32_t *regs, const struct program *p, uint32_t mask_reg) {
	unsigned slot = 0;
	for (unsigned o = 0; o < OUTPUTS; o++) {
		if (!(regs[mask_reg] >> o & 1)) {
			continue;
		}
		unsigned wanted = 0;
		for (unsigned c = 0; c < 4 && slot < 7; c++) {
			wanted |= (unsigned)((regs[PICA_REG_SH_OUTMAP_O0 + slot] >> 8 * c & 31) !=
						  31)
					<< c;
		}
		slot++;
		if (!p->written[o] || (wanted & ~p->written[o])) {
			lint_reg(l, LINT_SHADER_OUTPUT, regs, mask_reg, "o%u: written 0x%X of 0x%X",
					o, p->written[o], wanted);
		}
	}
}

void lint_shader(struct lint *l, const uint32_t *regs) {
	if (!l->program_changed) {
		return;
	}
	l->program_changed = false;
	if (pica_ctx_save_state(l->ctx, l->state) < 0) {
		return;
	}
	static struct program p; /* 4 KiB and more; the tool has one thread */
	read_program(&p, &l->state->vs, VS_WORDS, regs[PICA_REG_VSH_ENTRYPOINT]);
	report(l, &p, PICA_REG_VSH_ENTRYPOINT, regs);
	const uint32_t entry = regs[PICA_REG_VSH_ENTRYPOINT];
	const int64_t twice = written_twice(
			&p, entry & (VS_WORDS - 1), regs[PICA_REG_VSH_OUTMAP_MASK]);
	if (twice >= 0) {
		lint_report(l, LINT_SHADER_TWICE, PICA_REG_VSH_ENTRYPOINT, entry, "at word %u",
				(unsigned)twice);
	}
	if (!facts_has_geometry(regs)) {
		check_outputs(l, regs, &p, PICA_REG_VSH_OUTMAP_MASK);
		return;
	}
	read_program(&p, &l->state->gs, CODE_WORDS, regs[PICA_REG_GSH_ENTRYPOINT]);
	report(l, &p, PICA_REG_GSH_ENTRYPOINT, regs);
	check_outputs(l, regs, &p, PICA_REG_GSH_OUTMAP_MASK);
}
