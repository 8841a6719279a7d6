/* Instruction words to text. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/base/attributes.h"
#include "names.h"
#include "qpu.h"

/* Registers that both files have are written with the file and number. */
enum { EXPLICIT_READS = 1, EXPLICIT_WRITES = 2, STYLES = 4 };

struct out {
	char *text;
	size_t len;
	unsigned style;
	bool is_first; /* no part is written yet */
};

PICA_PRINTF(2, 3) static void put(struct out *o, const char *form, ...) {
	va_list args;
	va_start(args, form);
	const int n = vsnprintf(o->text + o->len, QPU_TEXT_SIZE - o->len, form, args);
	va_end(args);
	o->len += (size_t)n;
	if (o->len >= QPU_TEXT_SIZE) { /* truncated: then .word is used instead */
		o->len = QPU_TEXT_SIZE - 1;
	}
}

static void put_register(struct out *o, const char *const names[2][64], unsigned file, unsigned n,
		bool is_explicit) {
	const char *name = names[file][n];
	if (!name || (is_explicit && strcmp(names[0][n], names[1][n]) == 0)) {
		put(o, "r%c%u", 'a' + file, n);
	} else {
		put(o, "%s", name);
	}
}

static void put_small(struct out *o, unsigned code) {
	if (qpu_immediates[code]) {
		put(o, "%s", qpu_immediates[code]);
	} else {
		/* 48 to 63, which rotate, read as 16 to 31 do. */
		put(o, "%d", code < 16 ? (int)code : (int)(code & 15) - 16);
	}
}

static void put_source(struct out *o, const struct qpu_instruction *q, unsigned input) {
	if (input < QPU_INPUT_A) {
		put(o, "r%u", input);
	} else if (input == QPU_INPUT_B && q->sig == QPU_SIG_SMALL_IMMEDIATE) {
		put_small(o, q->raddr_b);
	} else {
		put_register(o, qpu_reads, input - QPU_INPUT_A,
				input == QPU_INPUT_A ? q->raddr_a : q->raddr_b,
				o->style & EXPLICIT_READS);
	}
}

static void put_dest(struct out *o, unsigned file, unsigned n, unsigned cond, unsigned usual) {
	put_register(o, qpu_writes, file, n, o->style & EXPLICIT_WRITES);
	if (cond != usual) {
		put(o, ".%s", qpu_conds[cond]);
	}
}

/* The name of an operation and, once, the modifiers of the whole instruction. */
static void put_op(struct out *o, const struct qpu_instruction *q, const char *name) {
	put(o, "%s%s", o->is_first ? "" : "; ", name);
	if (o->is_first) {
		put(o, "%s%s", q->sf ? ".setf" : "", q->pm ? ".pm" : "");
		if (q->pack) {
			put(o, ".%s", qpu_packs[q->pack]);
		}
		if (q->unpack && q->sig != QPU_SIG_LOAD) {
			put(o, ".%s", qpu_unpacks[q->unpack]);
		}
	}
	o->is_first = false;
}

struct unit {
	const struct qpu_op *op;
	unsigned code, move, file, waddr, cond, a, b;
	bool is_idle; /* as a unit that no part names */
};

static void put_unit(struct out *o, const struct qpu_instruction *q, const struct unit *u,
		const struct unit *other, bool may_move) {
	if (u->code == 0 && u->waddr == QPU_ADDRESS_NOP && u->cond == 0 &&
			(other->code ? u->a == other->a && u->b == other->b : !u->a && !u->b)) {
		put_op(o, q, "nop");
		return;
	}
	const bool is_move = may_move && u->code == u->move && u->a == u->b;
	put_op(o, q, is_move ? "mov" : u->op->name);
	put(o, " ");
	put_dest(o, u->file, u->waddr, u->cond, u->code != 0);
	put(o, ", ");
	put_source(o, q, u->a);
	if (!is_move && (u->op->inputs == 2 || u->a != u->b)) {
		put(o, ", ");
		put_source(o, q, u->b);
	}
}

/* An address, or a small immediate, that no source names. */
static void put_reads(struct out *o, const struct qpu_instruction *q) {
	const unsigned inputs = 1u << q->add_a | 1u << q->add_b | 1u << q->mul_a | 1u << q->mul_b;
	const bool is_small = q->sig == QPU_SIG_SMALL_IMMEDIATE;
	if (!(inputs >> QPU_INPUT_A & 1) && q->raddr_a != QPU_ADDRESS_NOP) {
		put(o, "; read ra%u", q->raddr_a);
	}
	if (is_small && q->raddr_b == QPU_ROTATE) {
		put(o, "; rot r5");
	} else if (is_small && q->raddr_b > QPU_ROTATE) {
		put(o, "; rot %u", q->raddr_b - QPU_ROTATE);
	} else if (!(inputs >> QPU_INPUT_B & 1) && (is_small || q->raddr_b != QPU_ADDRESS_NOP)) {
		put(o, "; read ");
		if (is_small) {
			put_small(o, q->raddr_b);
		} else {
			put(o, "rb%u", q->raddr_b);
		}
	}
}

static bool put_alu(struct out *o, const struct qpu_instruction *q) {
	struct unit add = { .op = &qpu_add_ops[q->op_add], .code = q->op_add, .move = 21,
		.file = q->ws, .waddr = q->waddr_add, .cond = q->cond_add, .a = q->add_a,
		.b = q->add_b };
	struct unit mul = { .op = &qpu_mul_ops[q->op_mul], .code = q->op_mul, .move = 4,
		.file = !q->ws, .waddr = q->waddr_mul, .cond = q->cond_mul, .a = q->mul_a,
		.b = q->mul_b };
	if (!add.op->name) {
		return false;
	}
	for (int i = 0; i < 2; i++) {
		struct unit *u = i ? &mul : &add;
		u->is_idle = !u->code && !u->cond && !u->a && !u->b && u->waddr == QPU_ADDRESS_NOP;
	}
	/* Both units have saturating operations on bytes: without context they count as the add
	 * unit's. */
	const bool needs_add = q->op_mul >= 6 || mul.is_idle || !mul.code;
	const bool has_add = !add.is_idle || needs_add;
	if (has_add) {
		put_unit(o, q, &add, &mul, true);
	}
	if (!mul.is_idle) {
		put_unit(o, q, &mul, &add, has_add);
	}
	if (qpu_signals[q->sig]) {
		put(o, "; %s", qpu_signals[q->sig]);
	}
	put_reads(o, q);
	return true;
}

/* One destination or two; usual: the condition that is not written. */
static void put_dests(struct out *o, const struct qpu_instruction *q, unsigned usual) {
	put(o, " ");
	put_dest(o, q->ws, q->waddr_add, q->cond_add, usual);
	put(o, ", ");
	if (q->waddr_mul != QPU_ADDRESS_NOP || q->cond_mul) {
		put_dest(o, !q->ws, q->waddr_mul, q->cond_mul, usual);
		put(o, ", ");
	}
}

static bool put_load(struct out *o, const struct qpu_instruction *q) {
	const uint32_t word = q->immediate;
	const char *name = "ldi";
	switch (q->unpack) {
	case QPU_LOAD_WORD:
		break;
	case QPU_LOAD_SIGNED:
		name = "ldi.s2";
		break;
	case QPU_LOAD_UNSIGNED:
		name = "ldi.u2";
		break;
	case QPU_LOAD_SEMAPHORE:
		name = word & QPU_SEMAPHORE_ACQUIRE ? "sacq" : "srel";
		break;
	default:
		return false;
	}
	put_op(o, q, name);
	put_dests(o, q, 1);
	if (q->unpack == QPU_LOAD_WORD) {
		put(o, "0x%08" PRIx32, word);
	} else if (q->unpack == QPU_LOAD_SEMAPHORE) {
		put(o, "%" PRIu32, word & ~(uint32_t)QPU_SEMAPHORE_ACQUIRE);
	} else {
		for (unsigned i = 0; i < 16; i++) {
			int n = (int)((word >> i & 1) | (word >> (16 + i) & 1) << 1);
			n -= q->unpack == QPU_LOAD_SIGNED && n > 1 ? 4 : 0;
			put(o, "%s%d", i ? ", " : "[", n);
		}
		put(o, "]");
	}
	return true;
}

static bool put_branch(struct out *o, const struct qpu_instruction *q) {
	if (!qpu_branch_conds[q->branch_cond]) {
		return false;
	}
	put_op(o, q, q->is_relative ? "brr" : "bra");
	if (q->branch_cond != 15) {
		put(o, ".%s", qpu_branch_conds[q->branch_cond]);
	}
	put_dests(o, q, 0);
	if (q->has_register) {
		put(o, "ra%u + ", q->raddr_a);
	}
	put(o, "0x%08" PRIx32, q->immediate);
	if (!q->has_register && q->raddr_a) {
		put(o, "; read ra%u", q->raddr_a);
	}
	return true;
}

void qpu_disassemble(uint64_t word, char text[QPU_TEXT_SIZE]) {
	const struct qpu_instruction q = qpu_decode(word);
	/* The shortest style that reproduces the word: explicit files only if needed. */
	for (unsigned style = 0; style < STYLES; style++) {
		struct out o = { .text = text, .style = style, .is_first = true };
		uint64_t back;
		if (!(q.sig == QPU_SIG_BRANCH ? put_branch(&o, &q) :
				q.sig == QPU_SIG_LOAD ? put_load(&o, &q) : put_alu(&o, &q))) {
			break;
		}
		if (qpu_assemble_line(text, o.len, &back, NULL) == 0 && back == word) {
			return;
		}
	}
	snprintf(text, QPU_TEXT_SIZE, ".word 0x%016" PRIx64, word);
}
