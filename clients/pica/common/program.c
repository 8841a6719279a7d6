#include "program.h"

#include <string.h>

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
	OP_LOOP = 0x29,
	OP_EMIT = 0x2A,
	OP_JMPC = 0x2C,
	OP_JMPU = 0x2D,
	OP_CMP = 0x2E,
	OP_MADI = 0x30,
	OP_MAD = 0x38,
};

enum { INPUTS = 16, FIRST_UNIFORM = 32 }; /* as sources are coded */

static void add(struct program *p, uint32_t first, uint32_t end) {
	end = end < p->n ? end : p->n;
	if (first >= end || p->seen[first]) {
		return;
	}
	if (p->n_todo == PROGRAM_RANGES) {
		p->is_cut = true;
		return;
	}
	p->todo[p->n_todo].first = first;
	p->todo[p->n_todo++].end = end;
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

/*
 * Registers that an instruction reads, as they are coded; returns how many.  [fidelity: shader-isa]
 */
static unsigned sources(uint32_t word, uint32_t op, uint32_t source[3]) {
	if (op >= OP_MADI) {
		const bool is_wide3 = op < OP_MAD;
		source[0] = word >> 17 & 0x1F;
		source[1] = is_wide3 ? word >> 12 & 0x1F : word >> 10 & 0x7F;
		source[2] = is_wide3 ? word >> 5 & 0x7F : word >> 5 & 0x1F;
		return 3;
	}
	if (op >= OP_DPHI && op <= OP_SLTI) {
		source[0] = word >> 14 & 0x1F;
		source[1] = word >> 7 & 0x7F;
		return 2;
	}
	source[0] = word >> 12 & 0x7F;
	source[1] = word >> 7 & 0x1F;
	return is_unary(op) ? 1 : 2;
}

/* The address register of its wide source, 0: none. */
static uint32_t relative(uint32_t word, uint32_t op) {
	return op >= OP_MADI ? word >> 22 & 3 : word >> 19 & 3;
}

/* Notes its operands. Two different inputs are a hazard.  [fidelity: shader-hazards] */
static void note_sources(struct program *p, uint32_t word, uint32_t op, uint32_t at) {
	uint32_t source[3];
	const unsigned n = sources(word, op, source);
	for (unsigned i = 0; i < n; i++) {
		if (source[i] < INPUTS) {
			p->inputs |= 1u << source[i];
		} else if (source[i] >= FIRST_UNIFORM) {
			p->uniforms[source[i] - FIRST_UNIFORM] = true;
			p->is_relative |= relative(word, op) != 0;
		}
		for (unsigned k = i + 1; k < n && p->mixed < 0; k++) {
			if (source[i] < INPUTS && source[k] < INPUTS && source[i] != source[k]) {
				p->mixed = at;
			}
		}
	}
	const uint32_t descriptor = word & (op >= OP_MADI ? 0x1F : 0x7F);
	p->n_descriptors = descriptor < p->n_descriptors ? p->n_descriptors : descriptor + 1;
}

static void note_output(struct program *p, uint32_t word, uint32_t op) {
	const bool is_mad = op >= OP_MADI;
	if (!is_arithmetic(op) || op == OP_MOVA || op == OP_CMP || op == OP_CMP + 1) {
		return;
	}
	const uint32_t dst = is_mad ? word >> 24 & 0x1F : word >> 21 & 0x1F;
	const uint32_t mask = p->descriptors[word & (is_mad ? 0x1F : 0x7F)] & 0xF; /* bit 3: x */
	if (dst < PROGRAM_OUTPUTS) {
		p->written[dst] |= (uint8_t)((mask >> 3 & 1) | (mask >> 1 & 2) | (mask << 1 & 4) |
				(mask << 3 & 8));
	}
}

/* Reads code in order from first on, noting the targets of branches. */
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
		p->end = at < p->end ? p->end : at + 1;
		if (is_arithmetic(op)) {
			note_sources(p, word, op, at);
		}
		note_output(p, word, op);
		if (op == OP_END) {
			return;
		}
		if (op == OP_CALLU || op == OP_IFU || op == OP_JMPU) {
			p->booleans |= 1u << (word >> 22 & 0xF);
		} else if (op == OP_LOOP) {
			p->integers |= 1u << (word >> 22 & 3);
		}
		if (op >= OP_CALL && op <= OP_CALLU) {
			add(p, dst, dst + num);
		} else if (op == OP_JMPC || op == OP_JMPU || op == OP_IFU || op == OP_IFC) {
			add(p, dst, p->n); /* of an IF: the else branch, and the code after it */
		}
		/* Reading in order reaches the other blocks anyway. */
	}
}

int64_t program_written_twice(const struct program *p, uint32_t entry, uint32_t enabled) {
	struct program once = { .code = p->code, .descriptors = p->descriptors };
	uint8_t before[PROGRAM_OUTPUTS] = { 0 };
	for (uint32_t at = entry; at < p->n; at++) {
		const uint32_t word = p->code[at], op = word >> 26;
		if (!is_arithmetic(op) && op != OP_NOP) {
			return -1;
		}
		memset(once.written, 0, sizeof(once.written));
		note_output(&once, word, op);
		for (unsigned o = 0; o < PROGRAM_OUTPUTS; o++) {
			if ((enabled >> o & 1) && (before[o] & once.written[o])) {
				return at;
			}
			before[o] |= once.written[o];
		}
	}
	return -1;
}

void program_read(struct program *p, const struct pica_shader_state *unit, uint32_t n,
		uint32_t entry) {
	memset(p, 0, sizeof(*p));
	p->code = unit->code;
	p->descriptors = unit->operand_descriptors;
	p->n = n;
	p->mova = p->mixed = -1;
	add(p, entry & (n - 1), n);
	while (p->n_todo) {
		p->n_todo--;
		read_range(p, p->todo[p->n_todo].first, p->todo[p->n_todo].end);
	}
}
