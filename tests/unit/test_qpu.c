/* Instruction words of the QPU. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "tests/suite.h"
#include "vc4/qpu/qpu.h"

#define WORD(low, high) ((uint64_t)(high) << 32 | (low))
#define NOP WORD(0x009E7000, 0x100009E7)

/* The shaders of the article "Vertex and Coordinate Shaders" (JayStation2), word for word. */
static const struct {
	uint64_t word;
	const char *text;
} article[] = {
	{ NOP, "nop" },
	{ WORD(0x1A341AC0, 0xE0020C67), "ldi vr_setup, 0x1a341ac0" },
	{ NOP, "nop" }, { NOP, "nop" }, { NOP, "nop" },
	{ WORD(0x15C27DF7, 0x10020027), "or ra0, vpm, -; nop" },
	{ WORD(0x15C27DF7, 0x10020067), "or ra1, vpm, -; nop" },
	{ WORD(0x15C27DF7, 0x100200A7), "or ra2, vpm, -; nop" },
	{ WORD(0x17BC1AC0, 0xE0021C67), "ldi vw_setup, 0x17bc1ac0" },
	{ WORD(0x15027DF7, 0x10020C27), "or vpm, ra0, -; nop" },
	{ WORD(0x15067DF7, 0x10020C27), "or vpm, ra1, -; nop" },
	{ WORD(0x150A7DF7, 0x10020C27), "or vpm, ra2, -; nop" },
	{ WORD(0x009E7000, 0x500009E7), "nop; sbdone" },
	{ WORD(0x009E7000, 0x300009E7), "nop; thrend" },
	{ NOP, "nop" }, { NOP, "nop" },

	{ NOP, "nop" },
	{ WORD(0x1A741AC0, 0xE0020C67), "ldi vr_setup, 0x1a741ac0" },
	{ NOP, "nop" }, { NOP, "nop" }, { NOP, "nop" },
	{ WORD(0x15C27DF7, 0x10020027), "or ra0, vpm, -; nop" },
	{ WORD(0x15C27DF7, 0x10020067), "or ra1, vpm, -; nop" },
	{ WORD(0x15C27DF7, 0x100200A7), "or ra2, vpm, -; nop" },
	{ WORD(0x15C27DF7, 0x100200E7), "or ra3, vpm, -; nop" },
	{ WORD(0x15C27DF7, 0x10020127), "or ra4, vpm, -; nop" },
	{ WORD(0x15C27DF7, 0x10020167), "or ra5, vpm, -; nop" },
	{ WORD(0x15C27DF7, 0x100201A7), "or ra6, vpm, -; nop" },
	{ WORD(0x17BC1AC0, 0xE0021C67), "ldi vw_setup, 0x17bc1ac0" },
	{ WORD(0x15027DF7, 0x10020C27), "or vpm, ra0, -; nop" },
	{ WORD(0x15067DF7, 0x10020C27), "or vpm, ra1, -; nop" },
	{ WORD(0x150A7DF7, 0x10020C27), "or vpm, ra2, -; nop" },
	{ WORD(0x150E7DF7, 0x10020C27), "or vpm, ra3, -; nop" },
	{ WORD(0x15127DF7, 0x10020C27), "or vpm, ra4, -; nop" },
	{ WORD(0x15167DF7, 0x10020C27), "or vpm, ra5, -; nop" },
	{ WORD(0x151A7DF7, 0x10020C27), "or vpm, ra6, -; nop" },
	{ WORD(0x009E7000, 0x500009E7), "nop; sbdone" },
	{ WORD(0x009E7000, 0x300009E7), "nop; thrend" },
	{ NOP, "nop" }, { NOP, "nop" },
};

static uint64_t random64(void) {
	const uint64_t high = random32();
	return high << 32 | random32();
}

static void check_pair(uint64_t word, const char *text) {
	char got[QPU_TEXT_SIZE];
	qpu_disassemble(word, got);
	ck_assert_str_eq(got, text);
	uint64_t back = 0;
	struct qpu_error error;
	ck_assert_int_eq(qpu_assemble_line(text, strlen(text), &back, &error), 0);
	ck_assert_uint_eq(back, word);
}

TEST(the_articles_programs_disassemble_as_printed) {
	ck_assert_uint_eq(ARRAY_LEN(article), 40);
	for (size_t i = 0; i < ARRAY_LEN(article); i++) {
		check_pair(article[i].word, article[i].text);
	}
}

/* "add pipe: Bitwise OR, R0, VPM_READ, NOP, cond: always; mul op: No operation, cond: never" */
TEST(fields_are_those_the_article_names) {
	struct qpu_instruction q = qpu_decode(WORD(0x15C27DF7, 0x10020027));
	ck_assert_uint_eq(q.sig, QPU_SIG_NONE);
	ck_assert_uint_eq(q.op_add, 21);
	ck_assert_uint_eq(q.raddr_a, 48);
	ck_assert_uint_eq(q.raddr_b, QPU_ADDRESS_NOP);
	ck_assert_uint_eq(q.add_a, QPU_INPUT_A);
	ck_assert_uint_eq(q.add_b, QPU_INPUT_B);
	ck_assert_uint_eq(q.waddr_add, 0);
	ck_assert_uint_eq(q.cond_add, 1);
	ck_assert_uint_eq(q.op_mul, 0);
	ck_assert_uint_eq(q.cond_mul, 0);
	/* "add write addr: 49 (VPMVCD_WR_SETUP B), cond: always; write swap: 1, set flags: 0, pm: 0" */
	q = qpu_decode(WORD(0x17BC1AC0, 0xE0021C67));
	ck_assert_uint_eq(q.sig, QPU_SIG_LOAD);
	ck_assert_uint_eq(q.waddr_add, 49);
	ck_assert_uint_eq(q.ws, 1);
	ck_assert_uint_eq(q.sf | q.pm | q.pack, 0);
	ck_assert_uint_eq(q.immediate, 0x17BC1AC0);
}

/* Words of other assemblers, or put together by hand from the fields. */
TEST(each_form_has_its_text) {
	check_pair(WORD(0x203E3037, 0x100049E0), "fmul r0, ra15, vary");
	check_pair(WORD(0x213E3377, 0x40024862), "fadd r1, r1, r5; fmul r2, ra15, vary; sbwait");
	check_pair(WORD(0x219E0547, 0xD14248A3), "fadd.pm.pack8a r2, r2, r5; fmul r3, r0, 1.0");
	check_pair(WORD(0x159E76C0, 0x10020BA7), "mov tlbc, r3");
	check_pair(WORD(0x159E7900, 0x40020BA7), "mov tlbc, r4; sbwait");
	check_pair(WORD(0x009E7000, 0xA00009E7), "nop; ldtmu0");
	check_pair(WORD(0x809F5009, 0xD00049E1), "v8min r1, r1, r1; rot 5");
	check_pair(WORD(0x0C9CF1C0, 0xD00229E7), "add.setf -, r0, 15");
	check_pair(WORD(0x0C9D01C0, 0xD00809E7), "add -.ns, r0, -16");
}

TEST(loads_semaphores_and_branches) {
	check_pair(WORD(0x80008001, 0xE2020827), "ldi.s2 r0, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1]");
	check_pair(WORD(0x80008001, 0xE6020827), "ldi.u2 r0, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]");
	check_pair(WORD(0x00000015, 0xE80009E7), "sacq -.never, 5");
	check_pair(WORD(0x00000005, 0xE80209E7), "srel -, 5");
	check_pair(WORD(0xFFFFFFE0, 0xF0F809E7), "brr -, 0xffffffe0");
	check_pair(WORD(0x00000010, 0xF01409E7), "bra.allnz -, ra0 + 0x00000010");
	check_pair(WORD(0x00000010, 0xF03640A7), "bra.anynz ra2, ra18 + 0x00000010");
}

TEST(any_word_survives_a_round_trip) {
	const int count = PICA_SANITIZED ? 30000 : 500000;
	for (int i = 0; i < count; i++) {
		uint64_t word = random64();
		/* every second one with the fields that are mostly at rest */
		word = i & 1 ? (word & 0xF00FFFFF00000FFF) | 0x159E7000 : word;
		char text[QPU_TEXT_SIZE];
		qpu_disassemble(word, text);
		const struct qpu_instruction q = qpu_decode(word);
		uint64_t back = ~word;
		if (qpu_encode(&q) != word ||
				qpu_assemble_line(text, strlen(text), &back, NULL) != 0 ||
				back != word) {
			ck_abort_msg("%016llx: %s", (unsigned long long)word, text);
		}
		const unsigned op = q.op_add;
		const int is_reserved = q.sig < QPU_SIG_LOAD ?
				(op > 8 && op < 12) || (op > 24 && op < 30) :
				q.sig == QPU_SIG_LOAD ? q.unpack == 2 || q.unpack > 4 :
				q.branch_cond > 11 && q.branch_cond < 15;
		if ((strncmp(text, ".word", 5) == 0) != is_reserved) {
			ck_abort_msg("%016llx: %s", (unsigned long long)word, text);
		}
	}
}

/* Damaged lines: an error or a word, without reads beyond the line (a copy of the exact size). */
TEST(damaged_text_does_no_harm) {
	for (int i = 0; i < 20000; i++) {
		char text[QPU_TEXT_SIZE];
		qpu_disassemble(random64(), text);
		size_t len = strlen(text);
		for (int k = 0; k < 2; k++) {
			text[random64() % len] = ".,;-+r0x[\n #\xFF"[random64() % 13];
		}
		len = random64() % (len + 1);
		char *copy = malloc(len ? len : 1);
		memcpy(copy, text, len);
		uint64_t *words = NULL;
		size_t n = 0;
		struct qpu_error error = { 0 };
		const int ret = qpu_assemble(copy, len, &words, &n, &error);
		ck_assert(ret == 0 || ret == -EINVAL);
		ck_assert(ret == 0 || (error.line && error.column && *error.message));
		ck_assert_uint_le(error.column, len + 1);
		free(words);
		free(copy);
	}
}

static const struct {
	const char *text;
	unsigned line, column;
	const char *message;
} wrong[] = {
	{ "nop\nfoo r0", 2, 1, "foo: expected an operation or a signal" },
	{ "or r0 vpm", 1, 7, "vpm: expected ',' after the destination" },
	{ "or r4, r0, r1", 1, 4, "r4: expected a destination: r0 to r3, r5quad, r5rep, ra0, rb0, vpm, tlbc, -" },
	{ "add r0, r1", 1, 11, "end of line: expected ',' after the first source" },
	{ "add r0, r1, 16", 1, 13,
		"16: expected a small immediate: -16 to 15, or a power of two from 0.00390625 to 128.0" },
	{ "add r0, ra1, ra2", 1, 14, "a second register of file A: expected one, or one of file B" },
	{ "add r0, rb1, 3", 1, 14,
		"a small immediate beside a register of file B: expected one of them" },
	{ "add r0, unif, vary; fmul r1, vpm, r0", 1, 30,
		"a third address: an instruction reads one register of each file" },
	{ "add ra0, r1, r2; fmul ra1, r0, r0", 1, 23,
		"ra1: both destinations are of one file: expected one of each" },
	{ "add r0, r1, 3; thrend", 1, 1, "a signal beside a small immediate or rot, which takes its place" },
	{ "nop; sbwait; thrend", 1, 14, "thrend: a second signal: expected one" },
	{ "v8min r1, r1, r1; rot 5; rot 6", 1, 26, "rot: a second rotation: expected one" },
	{ "or.pack8a.pack8b r0, r1, r1", 1, 11,
		"pack8b: a second one: expected one pack... and one unpack..." },
	{ "add r0, r1, r2; sub r0, r1, r2", 1, 17,
		"sub: its unit has an operation already: expected one of the other unit, or a signal" },
	{ "add.foo r0, r1, r2", 1, 5, "foo: expected setf, pm, pack... or unpack..." },
	{ "or r0.xx, r1, r1", 1, 7, "xx: expected a condition: zs, zc, ns, nc, cs, cc, never or always" },
	{ "ldi r0, 0x100000000", 1, 9, "0x100000000: expected a number, at most 0xffffffff" },
	{ "ldi.u2 r0, [1, 4", 1, 16, "expected 0 to 3" },
	{ "sacq -, 16", 1, 9, "the number of a semaphore has bit 4: expected 0 to 15" },
	{ "brr.foo -, 0", 1, 5, "foo: expected a branch condition, pm or unpack..." },
	{ "bra -, ra32 + 0", 1, 8, "ra32: expected ra0 to ra31, or a number" },
	{ "mov r0, r1 r2", 1, 12, "r2: expected ';' or end of line" },
	{ ".word 0x1ffffffffffffffff", 1, 7,
		"0x1ffffffffffffffff: expected a number, at most 0xffffffffffffffff" },
};

TEST_LOOP(errors_name_place_and_expectation, ARRAY_LEN(wrong)) {
	uint64_t *words = NULL;
	size_t n = 0;
	struct qpu_error error = { 0 };
	ck_assert_int_eq(qpu_assemble(wrong[_i].text, strlen(wrong[_i].text), &words, &n, &error),
			-EINVAL);
	ck_assert_str_eq(error.message, wrong[_i].message);
	ck_assert_uint_eq(error.line, wrong[_i].line);
	ck_assert_uint_eq(error.column, wrong[_i].column);
	ck_assert_ptr_null(words);
}

TEST(a_source_has_comments_and_empty_lines) {
	static const char text[] = "# a shader\n\n\tmov ra0, unif  # the first\r\nnop;thrend\n  nop";
	uint64_t *words = NULL;
	size_t n = 0;
	struct qpu_error error;
	ck_assert_int_eq(qpu_assemble(text, sizeof(text) - 1, &words, &n, &error), 0);
	ck_assert_uint_eq(n, 3);
	ck_assert_uint_eq(words[0], WORD(0x15827D80, 0x10020027));
	ck_assert_uint_eq(words[1], WORD(0x009E7000, 0x300009E7));
	ck_assert_uint_eq(words[2], NOP);
	free(words);
}
