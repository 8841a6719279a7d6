/* Text to instruction words. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "names.h"
#include "qpu.h"

enum kind { ACCUMULATOR, FILE_A, FILE_B, EITHER_FILE, SMALL };

struct operand {
	enum kind kind;
	unsigned n; /* of SMALL: the code */
	const char *at;
};

struct unit {
	struct operand source[2];
	bool is_given, is_bare_nop;
};

struct parser {
	const char *start, *p, *end; /* of the line */
	struct qpu_error *error;
	struct qpu_instruction q;
	struct unit add, mul;
	struct operand read[2];
	unsigned n_reads;
	int ws; /* negative: not chosen by a destination yet */
	int rotate; /* negative: no part turns the lanes */
};

/* Fills the error; false, to be returned. */
PICA_PRINTF(3, 4) static bool fail(struct parser *s, const char *at, const char *form, ...) {
	if (s->error) {
		va_list args;
		va_start(args, form);
		s->error->column = (unsigned)(at - s->start) + 1;
		vsnprintf(s->error->message, sizeof(s->error->message), form, args);
		va_end(args);
		for (char *c = s->error->message; *c; c++) {
			*c = *c < ' ' || *c > '~' ? '?' : *c;
		}
	}
	return false;
}

static bool is_letter(char c) {
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
	return c >= '0' && c <= '9';
}

static void skip(struct parser *s) {
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\r')) {
		s->p++;
	}
}

static bool take(struct parser *s, char c) {
	skip(s);
	if (s->p == s->end || *s->p != c) {
		return false;
	}
	s->p++;
	return true;
}

struct span {
	const char *at;
	int len; /* at most 32 */
};

static bool is(struct span span, const char *name) {
	return name && strlen(name) == (size_t)span.len &&
			memcmp(span.at, name, (size_t)span.len) == 0;
}

/* Letters, digits and, within a number, points. Its length is limited to 32, more than any name
 * has. */
static struct span word_of(struct parser *s, bool with_points) {
	skip(s);
	struct span span = { .at = s->p };
	while (s->p < s->end && (is_letter(*s->p) || is_digit(*s->p) ||
			(with_points && *s->p == '.'))) {
		s->p++;
		span.len += span.len < 32;
	}
	return span;
}

/* What stands here, for messages. */
static struct span found(struct parser *s) {
	skip(s);
	const struct parser at = *s;
	struct span span = word_of(s, false);
	if (!span.len) {
		span = s->p < s->end ? (struct span){ s->p, 1 } :
				(struct span){ "end of line", 11 };
	}
	s->p = at.p;
	return span;
}

static bool expect(struct parser *s, char c, const char *after) {
	if (take(s, c)) {
		return true;
	}
	const struct span here = found(s);
	return fail(s, s->p, "%.*s: expected '%c' after %s", here.len, here.at, c, after);
}

/* The code of a name; negative: no name of the table. */
static int find(const char *const *names, int n, struct span span) {
	for (int i = 0; i < n; i++) {
		if (is(span, names[i])) {
			return i;
		}
	}
	return -1;
}

static int find_op(const struct qpu_op *ops, int n, struct span span) {
	for (int i = 0; i < n; i++) {
		if (is(span, ops[i].name)) {
			return i;
		}
	}
	return -1;
}

/* Parses a number of up to 64 bits; a negative one must be at least -2^31, and is returned modulo
 * 2^32. */
static bool number(struct parser *s, uint64_t max, uint64_t *value) {
	skip(s);
	const char *at = s->p;
	const bool negative = take(s, '-');
	const struct span digits = word_of(s, false);
	int i = digits.len > 2 && digits.at[0] == '0' && digits.at[1] == 'x' ? 2 : 0;
	const uint64_t base = i ? 16 : 10;
	uint64_t n = 0;
	bool is_fine = digits.len > i && digits.len < 32;
	for (; is_fine && i < digits.len; i++) {
		const char c = digits.at[i];
		const unsigned digit = is_digit(c) ? (unsigned)(c - '0') :
				c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 :
				c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 99;
		is_fine = digit < base && n <= (UINT64_MAX - digit) / base;
		n = n * base + digit;
	}
	if (!is_fine || (negative && max != UINT32_MAX) ||
			n > (negative ? (uint64_t)1 << 31 : max)) {
		s->p = at;
		const struct span here = found(s);
		return fail(s, at, "%.*s: expected a number, at most 0x%llx", here.len, here.at,
				(unsigned long long)max);
	}
	*value = negative ? (uint32_t)-(uint32_t)n : n;
	return true;
}

/* raN, rbN: N from 0 to 63. */
static bool file_register(struct span span, struct operand *o) {
	if (span.len < 3 || span.len > 4 || span.at[0] != 'r' ||
			(span.at[1] != 'a' && span.at[1] != 'b') || !is_digit(span.at[2])) {
		return false;
	}
	unsigned n = (unsigned)(span.at[2] - '0');
	if (span.len == 4) {
		if (!is_digit(span.at[3]) || n == 0) {
			return false;
		}
		n = n * 10 + (unsigned)(span.at[3] - '0');
	}
	o->kind = span.at[1] == 'a' ? FILE_A : FILE_B;
	o->n = n;
	return n < 64;
}

static bool named_register(const char *const names[2][64], struct span span, struct operand *o) {
	const int a = find(names[0], 64, span), b = find(names[1], 64, span);
	o->kind = a < 0 ? FILE_B : b < 0 ? FILE_A : EITHER_FILE;
	o->n = (unsigned)(a < 0 ? b : a);
	return a >= 0 || b >= 0;
}

static const struct span nowhere = { "-", 1 };

static bool source(struct parser *s, struct operand *o) {
	skip(s);
	o->at = s->p;
	const bool minus = take(s, '-');
	const struct span span = word_of(s, true);
	if (minus && !span.len) {
		return named_register(qpu_reads, nowhere, o);
	}
	if (span.len && is_digit(*span.at)) {
		o->kind = SMALL;
		const int code = minus ? -1 : find(qpu_immediates, 64, span);
		if (code >= 0) {
			o->n = (unsigned)code;
			return true;
		}
		const int n = span.len == 1 ? span.at[0] - '0' :
				span.len == 2 && is_digit(span.at[1]) ?
				(span.at[0] - '0') * 10 + span.at[1] - '0' : 99;
		o->n = (unsigned)(minus ? 32 - n : n);
		if (n <= (minus ? 16 : 15) && (n > 0 || !minus)) {
			return true;
		}
		return fail(s, o->at, "%s%.*s: expected a small immediate: -16 to 15, or a power of two from "
				"0.00390625 to 128.0", minus ? "-" : "", span.len, span.at);
	}
	if (!minus && span.len == 2 && span.at[0] == 'r' && is_digit(span.at[1]) &&
			span.at[1] <= '5') {
		o->kind = ACCUMULATOR;
		o->n = (unsigned)(span.at[1] - '0');
		return true;
	}
	if (!minus && (file_register(span, o) || named_register(qpu_reads, span, o))) {
		return true;
	}
	s->p = o->at;
	const struct span here = found(s);
	return fail(s, o->at, "%.*s: expected a source: r0 to r5, ra0, rb0, unif, vary, vpm, a small immediate",
			here.len, here.at);
}

/* Reads a destination of the add (0) or multiply unit (1), and the condition after it. */
static bool dest(struct parser *s, unsigned unit, uint8_t usual) {
	skip(s);
	struct operand o = { .at = s->p };
	const bool minus = take(s, '-');
	const struct span span = minus ? nowhere : word_of(s, false);
	if (!file_register(span, &o) && !named_register(qpu_writes, span, &o)) {
		s->p = o.at;
		const struct span here = found(s);
		return fail(s, o.at, "%.*s: expected a destination: r0 to r3, r5quad, r5rep, ra0, rb0, vpm, tlbc, -",
				here.len, here.at);
	}
	if (o.kind != EITHER_FILE) {
		const int ws = (o.kind == FILE_B) ^ (int)unit;
		if (s->ws >= 0 && s->ws != ws) {
			return fail(s, o.at, "%.*s: both destinations are of one file: expected one of each",
					span.len, span.at);
		}
		s->ws = ws;
	}
	int cond = usual;
	if (s->p < s->end && *s->p == '.') {
		s->p++;
		const struct span name = word_of(s, false);
		cond = s->q.sig == QPU_SIG_BRANCH ? -1 : find(qpu_conds, 8, name);
		if (cond < 0) {
			return fail(s, name.at, s->q.sig == QPU_SIG_BRANCH ?
					"%.*s: a branch's link has no condition" :
					"%.*s: expected a condition: zs, zc, ns, nc, cs, cc, never or always",
					name.len, name.at);
		}
	}
	*(unit ? &s->q.waddr_mul : &s->q.waddr_add) = (uint8_t)o.n;
	*(unit ? &s->q.cond_mul : &s->q.cond_add) = (uint8_t)cond;
	return true;
}

/* The points after a mnemonic. */
static bool modifiers(struct parser *s) {
	struct qpu_instruction *q = &s->q;
	while (s->p < s->end && *s->p == '.') {
		s->p++;
		const struct span name = word_of(s, false);
		const int pack = find(qpu_packs, 16, name), unpack = find(qpu_unpacks, 8, name);
		const int branch = find(qpu_branch_conds, 16, name);
		const bool is_branch = q->sig == QPU_SIG_BRANCH, is_load = q->sig == QPU_SIG_LOAD;
		if ((pack > 0 && q->pack) || (unpack > 0 && !is_load && q->unpack)) {
			return fail(s, name.at, "%.*s: a second one: expected one pack... and one unpack...",
					name.len, name.at);
		}
		if (is(name, "setf") && !is_branch) {
			q->sf = 1;
		} else if (is(name, "pm")) {
			q->pm = 1;
		} else if (pack > 0 && !is_branch) {
			q->pack = (uint8_t)pack;
		} else if (unpack > 0 && !is_load) {
			q->unpack = (uint8_t)unpack;
		} else if (branch >= 0 && is_branch) {
			q->branch_cond = (uint8_t)branch;
		} else if (is(name, "s2") && is_load && q->unpack != QPU_LOAD_SEMAPHORE) {
			q->unpack = QPU_LOAD_SIGNED;
		} else if (is(name, "u2") && is_load && q->unpack != QPU_LOAD_SEMAPHORE) {
			q->unpack = QPU_LOAD_UNSIGNED;
		} else {
			return fail(s, name.at, is_branch ? "%.*s: expected a branch condition, pm or unpack..." :
					is_load ? "%.*s: expected setf, pm, pack..., s2 or u2" :
					"%.*s: expected setf, pm, pack... or unpack...", name.len, name.at);
		}
	}
	return true;
}

/* The first part of a line belongs to the add unit if that has such an operation. */
static bool operation(struct parser *s, struct span name) {
	const bool is_move = is(name, "mov");
	const int add = is_move ? 21 : find_op(qpu_add_ops, 32, name);
	const int mul = is_move ? 4 : find_op(qpu_mul_ops, 8, name);
	const bool is_mul = s->add.is_given || add < 0;
	if (is_mul && (s->mul.is_given || mul < 0)) {
		return fail(s, name.at, add < 0 && mul < 0 ? "%.*s: expected an operation or a signal" :
				"%.*s: its unit has an operation already: expected one of the other unit, or a signal",
				name.len, name.at);
	}
	struct unit *u = is_mul ? &s->mul : &s->add;
	const int code = is_mul ? mul : add;
	*(is_mul ? &s->q.op_mul : &s->q.op_add) = (uint8_t)code;
	u->is_given = true;
	if (!modifiers(s)) {
		return false;
	}
	skip(s);
	if (code == 0 && (s->p == s->end || *s->p == ';' || *s->p == '#')) {
		u->is_bare_nop = true;
		return true;
	}
	if (!dest(s, is_mul, code != 0) || !expect(s, ',', "the destination") ||
			!source(s, &u->source[0])) {
		return false;
	}
	const unsigned inputs = is_move ? 1 : (is_mul ? qpu_mul_ops : qpu_add_ops)[code].inputs;
	if (!is_move && take(s, ',')) {
		return source(s, &u->source[1]);
	}
	u->source[1] = u->source[0];
	return inputs == 1 || expect(s, ',', "the first source");
}

/* Reads the destinations of ldi, sacq, srel, bra, brr, and stops at the first other operand. */
static bool destinations(struct parser *s, uint8_t usual) {
	if (!dest(s, 0, usual) || !expect(s, ',', "the destination")) {
		return false;
	}
	skip(s);
	const char *at = s->p;
	if (s->p == s->end || is_digit(*s->p) || *s->p == '[' ||
			(*s->p == '-' && s->p + 1 < s->end && is_digit(s->p[1]))) {
		return true;
	}
	if (s->q.sig == QPU_SIG_BRANCH) { /* raN + */
		word_of(s, false);
		const bool is_base = take(s, '+');
		s->p = at;
		if (is_base) {
			return true;
		}
	}
	return dest(s, 1, usual) && expect(s, ',', "the destinations");
}

static bool load(struct parser *s, struct span name) {
	struct qpu_instruction *q = &s->q;
	q->sig = QPU_SIG_LOAD;
	q->unpack = is(name, "ldi") ? QPU_LOAD_WORD : QPU_LOAD_SEMAPHORE;
	if (!modifiers(s) || !destinations(s, 1)) {
		return false;
	}
	uint64_t n = 0;
	if (q->unpack != QPU_LOAD_SIGNED && q->unpack != QPU_LOAD_UNSIGNED) {
		skip(s);
		const char *at = s->p;
		if (!number(s, UINT32_MAX, &n)) {
			return false;
		}
		if (q->unpack == QPU_LOAD_SEMAPHORE && n & QPU_SEMAPHORE_ACQUIRE) {
			return fail(s, at, "the number of a semaphore has bit 4: expected 0 to 15");
		}
		q->immediate = (uint32_t)n | (is(name, "sacq") ? QPU_SEMAPHORE_ACQUIRE : 0u);
		return true;
	}
	const bool is_signed = q->unpack == QPU_LOAD_SIGNED;
	for (unsigned i = 0; i < 16; i++) {
		if (!expect(s, i ? ',' : '[', i ? "a number: 16 are needed" : "the destinations")) {
			return false;
		}
		skip(s);
		const char *at = s->p;
		if (!number(s, UINT32_MAX, &n)) {
			return false;
		}
		if (is_signed ? (uint32_t)((uint32_t)n + 2u) > 3 : n > 3) {
			return fail(s, at, is_signed ? "expected -2 to 1" : "expected 0 to 3");
		}
		q->immediate |= (uint32_t)(n & 1) << i | (uint32_t)(n >> 1 & 1) << (16 + i);
	}
	return expect(s, ']', "16 numbers");
}

static bool branch(struct parser *s, struct span name) {
	struct qpu_instruction *q = &s->q;
	q->sig = QPU_SIG_BRANCH;
	q->branch_cond = 15;
	q->is_relative = is(name, "brr");
	if (!modifiers(s) || !destinations(s, 0)) {
		return false;
	}
	skip(s);
	if (s->p < s->end && is_letter(*s->p)) {
		struct operand o;
		const struct span base = word_of(s, false);
		if (!file_register(base, &o) || o.kind != FILE_A || o.n > 31) {
			return fail(s, base.at, "%.*s: expected ra0 to ra31, or a number", base.len, base.at);
		}
		q->has_register = 1;
		q->raddr_a = (uint8_t)o.n;
		if (!expect(s, '+', "the register")) {
			return false;
		}
	}
	uint64_t n;
	if (!number(s, UINT32_MAX, &n)) {
		return false;
	}
	q->immediate = (uint32_t)n;
	return true;
}

/* Parses a part after the first, or an operation or signal as the first. */
static bool part(struct parser *s) {
	const struct span name = word_of(s, false);
	if (!name.len) {
		const struct span here = found(s);
		return fail(s, s->p, "%.*s: expected an operation or a signal", here.len, here.at);
	}
	const bool is_alu = s->q.sig < QPU_SIG_LOAD;
	const int signal = find(qpu_signals, 16, name);
	if (is(name, "read") && s->n_reads < 2) {
		return source(s, &s->read[s->n_reads++]);
	}
	if (!is_alu) {
		return fail(s, name.at, "%.*s: a load or branch has no other part: expected end of line",
				name.len, name.at);
	}
	if (signal >= 0) {
		if (s->q.sig != QPU_SIG_NONE) {
			return fail(s, name.at, "%.*s: a second signal: expected one", name.len, name.at);
		}
		s->q.sig = (uint8_t)signal;
		return true;
	}
	if (is(name, "rot")) {
		if (s->rotate >= 0) {
			return fail(s, name.at, "rot: a second rotation: expected one");
		}
		skip(s);
		const char *at = s->p;
		uint64_t n = 0;
		if (s->p < s->end && *s->p == 'r') {
			if (!is(word_of(s, false), "r5")) {
				return fail(s, at, "expected r5, or a number from 1 to 15");
			}
		} else if (!number(s, UINT32_MAX, &n) || n < 1 || n > 15) {
			return fail(s, at, "expected r5, or a number from 1 to 15");
		}
		s->rotate = QPU_ROTATE + (int)n;
		return true;
	}
	return operation(s, name);
}

struct addresses {
	int a, b;
	bool is_small; /* b is a small immediate */
};

/* Gives a source its selector. Sources of either file come last, after the others. */
static bool place(struct parser *s, struct addresses *x, const struct operand *o, bool late,
		uint8_t *input) {
	const int n = (int)o->n;
	if (late != (o->kind == EITHER_FILE)) {
		return true;
	}
	switch (o->kind) {
	case ACCUMULATOR:
		*input = (uint8_t)n;
		return true;
	case FILE_A:
		if (x->a >= 0 && x->a != n) {
			return fail(s, o->at, "a second register of file A: expected one, or one of file B");
		}
		x->a = n;
		*input = QPU_INPUT_A;
		return true;
	case FILE_B:
		if (x->is_small || (x->b >= 0 && x->b != n)) {
			return fail(s, o->at, x->is_small ? "a register of file B beside a small immediate or rot" :
					"a second register of file B: expected one, or one of file A");
		}
		x->b = n;
		*input = QPU_INPUT_B;
		return true;
	case SMALL:
		/* A rotation occupies the immediate, so there is only one value. */
		if (x->b >= 0 && (!x->is_small ||
				(x->b >= QPU_ROTATE ? n != (x->b & 15) + 16 : n != x->b))) {
			return fail(s, o->at, x->is_small ? "two small immediates, or another beside rot: expected one" :
					"a small immediate beside a register of file B: expected one of them");
		}
		x->b = x->b >= 0 ? x->b : n;
		x->is_small = true;
		*input = QPU_INPUT_B;
		return true;
	case EITHER_FILE:
		if (x->a < 0 || x->a == n) {
			x->a = n;
			*input = QPU_INPUT_A;
			return true;
		}
		if (x->is_small || (x->b >= 0 && x->b != n)) {
			return fail(s, o->at, "a third address: an instruction reads one register of each file");
		}
		x->b = n;
		*input = QPU_INPUT_B;
		return true;
	}
	return false;
}

static bool place_all(struct parser *s) {
	struct qpu_instruction *q = &s->q;
	struct addresses x = { .a = -1, .b = s->rotate, .is_small = s->rotate >= 0 };
	uint8_t unused;
	for (int late = 0; late < 2; late++) {
		for (unsigned i = 0; i < s->n_reads; i++) {
			if (!place(s, &x, &s->read[i], late, &unused)) {
				return false;
			}
		}
		if ((s->add.is_given && !s->add.is_bare_nop &&
				(!place(s, &x, &s->add.source[0], late, &q->add_a) ||
				!place(s, &x, &s->add.source[1], late, &q->add_b))) ||
				(s->mul.is_given && !s->mul.is_bare_nop &&
				(!place(s, &x, &s->mul.source[0], late, &q->mul_a) ||
				!place(s, &x, &s->mul.source[1], late, &q->mul_b)))) {
			return false;
		}
	}
	if (q->sig == QPU_SIG_BRANCH || q->sig == QPU_SIG_LOAD) {
		if (s->n_reads && (q->sig == QPU_SIG_LOAD || q->has_register || s->n_reads > 1 ||
				s->read[0].kind != FILE_A || x.a > 31)) {
			return fail(s, s->read[0].at, "only a branch without a register reads, one of ra0 to ra31");
		}
		q->raddr_a = s->n_reads ? (uint8_t)x.a : q->raddr_a;
		return true;
	}
	if (s->add.is_bare_nop && q->op_mul) {
		q->add_a = q->mul_a;
		q->add_b = q->mul_b;
	}
	if (s->mul.is_bare_nop && q->op_add) {
		q->mul_a = q->add_a;
		q->mul_b = q->add_b;
	}
	if (x.is_small) {
		if (q->sig != QPU_SIG_NONE) {
			return fail(s, s->start, "a signal beside a small immediate or rot, which takes its place");
		}
		q->sig = QPU_SIG_SMALL_IMMEDIATE;
	}
	q->raddr_a = x.a < 0 ? QPU_ADDRESS_NOP : (uint8_t)x.a;
	q->raddr_b = x.b < 0 ? QPU_ADDRESS_NOP : (uint8_t)x.b;
	return true;
}

static bool instruction(struct parser *s, uint64_t *word) {
	if (take(s, '.')) {
		const struct span name = word_of(s, false);
		return is(name, "word") ? number(s, UINT64_MAX, word) :
				fail(s, name.at, "%.*s: expected .word", name.len, name.at);
	}
	const char *at = s->p;
	const struct span name = word_of(s, false);
	bool is_fine;
	if (is(name, "ldi") || is(name, "sacq") || is(name, "srel")) {
		is_fine = load(s, name);
	} else if (is(name, "bra") || is(name, "brr")) {
		is_fine = branch(s, name);
	} else {
		s->p = at;
		is_fine = part(s);
	}
	while (is_fine && take(s, ';')) {
		is_fine = part(s);
	}
	if (!is_fine || !place_all(s)) {
		return false;
	}
	s->q.ws = s->ws > 0;
	*word = qpu_encode(&s->q);
	return true;
}

/* Returns whether the line holds an instruction, or -EINVAL. */
static int line_of(const char *text, size_t len, uint64_t *word, struct qpu_error *error) {
	struct parser s = {
		.start = text, .p = text, .end = text + len, .error = error, .ws = -1, .rotate = -1,
		.q = { .sig = QPU_SIG_NONE, .waddr_add = QPU_ADDRESS_NOP,
				.waddr_mul = QPU_ADDRESS_NOP },
	};
	skip(&s);
	if (s.p == s.end || *s.p == '#') {
		return 0;
	}
	if (!instruction(&s, word)) {
		return -EINVAL;
	}
	skip(&s);
	if (s.p < s.end && *s.p != '#') {
		const struct span here = found(&s);
		fail(&s, s.p, "%.*s: expected ';' or end of line", here.len, here.at);
		return -EINVAL;
	}
	return 1;
}

int qpu_assemble_line(const char *text, size_t len, uint64_t *word, struct qpu_error *error) {
	struct qpu_error other;
	error = error ? error : &other;
	error->line = error->column = 1;
	const int ret = line_of(text, len, word, error);
	if (ret == 0) {
		snprintf(error->message, sizeof(error->message), "expected an instruction");
	}
	return ret == 1 ? 0 : -EINVAL;
}

int qpu_assemble(const char *text, size_t len, uint64_t **words, size_t *n_words,
		struct qpu_error *error) {
	uint64_t *all = NULL;
	size_t n = 0, room = 0;
	unsigned line = 0;
	for (const char *p = text, *end = text + len; p < end;) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		stop = stop ? stop : end;
		uint64_t word;
		error->line = ++line;
		const int ret = line_of(p, (size_t)(stop - p), &word, error);
		if (ret < 0) {
			free(all);
			return ret;
		}
		if (ret && n == room) {
			room = room ? room * 2 : 64;
			uint64_t *more = realloc(all, room * sizeof(*all));
			if (!more) {
				free(all);
				return -ENOMEM;
			}
			all = more;
		}
		if (ret) {
			all[n++] = word;
		}
		p = stop < end ? stop + 1 : end;
	}
	*words = all;
	*n_words = n;
	return 0;
}
