/*
 * T13 of the reference: what the author of py-videocore found true of programs on a chip, operation
 * by operation. Their tests draw random numbers; here are numbers at the ends of the ranges, too.
 */
#include <math.h>
#include <stdio.h>

#include "core/base/f24.h"
#include "isa_test.h"
#include "qpu_rig.h"

static void close_rig(void) {
	rig_close();
}
FIXTURE(NULL, close_rig)

/* Runs text on two input rows, which r0 and r1 hold. */
static void run(const char *text) {
	char all[6000];
	const int n = snprintf(all, sizeof(all),
			"ldi vr_setup, 0x00201a00\nor r0, vpm, -\nor r1, vpm, -\n%s", text);
	ck_assert_int_lt(n, (int)sizeof(all));
	rig_text(all);
}

static void fill(unsigned row, uint32_t v) {
	for (unsigned i = 0; i < QPU_LANES; i++) {
		rig.in[row][i] = v;
	}
}

/* Different words, the sign bit in every second one. */
static uint32_t word_of(unsigned lane) {
	return 0x9E3779B9u * (lane + 1);
}

static void fill_words(void) {
	for (unsigned i = 0; i < QPU_LANES; i++) {
		rig.in[0][i] = word_of(i);
	}
}

static void expect_row(const char *what, unsigned row, uint32_t want) {
	for (unsigned i = 0; i < QPU_LANES; i++) {
		if (rig.out[row][i] != want) {
			ck_abort_msg("%s: row %u, lane %u is %08x, not %08x", what, row, i,
					rig.out[row][i], want);
		}
	}
}

/* ---- Operations ---- */

static const struct {
	const char *text;
	uint32_t a, b, want;
} operations[] = {
	{ "add", 0x7FFFFFFF, 1, 0x80000000 },
	{ "add", 0xFFFFFFFF, 1, 0 },
	{ "add", 0x12345678, 0x11111111, 0x23456789 },
	{ "sub", 0, 1, 0xFFFFFFFF },
	{ "sub", 5, 7, 0xFFFFFFFE },
	{ "sub", 0x80000000, 1, 0x7FFFFFFF },
	{ "min", 0xFFFFFFFF, 1, 0xFFFFFFFF },
	{ "min", 0x7FFFFFFF, 0x80000000, 0x80000000 },
	{ "max", 0xFFFFFFFF, 1, 1 },
	{ "max", 0x7FFFFFFF, 0x80000000, 0x7FFFFFFF },
	{ "mul24", 0xFFFFFF, 0xFFFFFF, 0xFE000001 },
	{ "mul24", 1000, 2000, 2000000 },
	{ "mul24", 0xAB000002, 0xCD000003, 6 },
	{ "and", 0xFF00FF00, 0x0FF00FF0, 0x0F000F00 },
	{ "or", 0xFF00FF00, 0x0FF00FF0, 0xFFF0FFF0 },
	{ "xor", 0xFF00FF00, 0x0FF00FF0, 0xF0F0F0F0 },
	{ "not", 0x12345678, 0, 0xEDCBA987 },
	{ "clz", 0x80000000, 0, 0 },
	{ "clz", 1, 0, 31 },
	{ "clz", 0x00012345, 0, 15 },
	{ "clz", 0, 0, 32 },
	{ "shr", 0x80000001, 1, 0x40000000 },
	{ "shr", 0x80000000, 31, 1 },
	{ "shr", 0x80000001, 32, 0x80000001 },
	{ "asr", 0x80000000, 4, 0xF8000000 },
	{ "asr", 0x40000000, 30, 1 },
	{ "asr", 0x80000000, 31, 0xFFFFFFFF },
	{ "ror", 0x12345678, 8, 0x78123456 },
	{ "ror", 0x12345678, 0, 0x12345678 },
	{ "shl", 1, 31, 0x80000000 },
	{ "shl", 0x12345678, 4, 0x23456780 },
	{ "shl", 0x12345678, 36, 0x23456780 },
	/* 1.5, 2.25; -1, 2; -3, 2 */
	{ "fadd", 0x3FC00000, 0x40100000, 0x40700000 },
	{ "fsub", 0x3FC00000, 0x40100000, 0xBF400000 },
	{ "fmul", 0x3FC00000, 0x40100000, 0x40580000 },
	{ "fmin", 0xBF800000, 0x40000000, 0xBF800000 },
	{ "fmax", 0xBF800000, 0x40000000, 0x40000000 },
	{ "fminabs", 0xC0400000, 0x40000000, 0x40000000 },
	{ "fmaxabs", 0xC0400000, 0x40000000, 0x40400000 },
	/* -1000.75, 999.99, 3e9 */
	{ "ftoi", 0xC47A3000, 0, 0xFFFFFC18 },
	{ "ftoi", 0x4479FF5C, 0, 999 },
	{ "ftoi", 0x4F32D05E, 0, 0 },
	{ "itof", 0xFFFFFC18, 0, 0xC47A0000 },
	{ "itof", 16777217, 0, 0x4B800000 },
	{ "v8adds", 0xF0108001, 0x20F08002, 0xFFFFFF03 },
	{ "v8subs", 0x10F08005, 0x20108001, 0x00E00004 },
	{ "v8muld", 0xFF80FF01, 0x80FFFF02, 0x8080FF00 },
	{ "v8min", 0x10F08005, 0x20108001, 0x10108001 },
	{ "v8max", 0x10F08005, 0x20108001, 0x20F08005 },
};

ISA_TEST(operations_compute_what_the_chip_does) {
	rig_open((enum isa)_i);
	for (size_t k = 0; k < ARRAY_LEN(operations); k++) {
		char text[80];
		fill(0, operations[k].a);
		fill(1, operations[k].b);
		const bool is_unary = strstr("not clz ftoi itof", operations[k].text) != NULL;
		snprintf(text, sizeof(text), "%s r2, r0%s\nor vpm, r2, r2", operations[k].text,
				is_unary ? "" : ", r1");
		run(text);
		expect_row(text, 0, operations[k].want);
	}
	/* Both units can do this to bytes. */
	fill(0, 0xF0108001);
	fill(1, 0x20F08002);
	run("nop; v8adds r2, r0, r1\nor vpm, r2, r2\nnop; v8subs r2, r0, r1\nor vpm, r2, r2");
	expect_row("v8adds", 0, 0xFFFFFF03);
	expect_row("v8subs", 1, 0xD0000000);
}

/* ---- Immediates ---- */

ISA_TEST(small_immediates) {
	char text[4000];
	int n = 0;
	rig_open((enum isa)_i);
	fill(0, 1000);
	fill(1, f32_bits(3));
	for (int v = -16; v < 16; v++) {
		n += sprintf(text + n, "add vpm, r0, %d\n", v);
	}
	for (int e = -8; e < 8; e++) {
		n += sprintf(text + n, "fmul vpm, r1, %.*f\n", e < 0 ? -e : 1, ldexp(1, e));
	}
	sprintf(text + n, "fadd r2, r1, 2.0; fmul r3, r1, 2.0\nor vpm, r2, r2\nor vpm, r3, r3");
	run(text);
	for (int v = -16; v < 16; v++) {
		expect_row("integer", (unsigned)(v + 16), (uint32_t)(1000 + v));
	}
	for (int e = -8; e < 8; e++) {
		expect_row("float", (unsigned)(32 + e + 8), f32_bits((float)ldexp(3, e)));
	}
	expect_row("shared by fadd", 48, f32_bits(5));
	expect_row("shared by fmul", 49, f32_bits(6));
}

ISA_TEST(loads_of_one_word_and_of_two_bits_a_lane) {
	rig_open((enum isa)_i);
	run("ldi r2, r3, 0x12345678\nor vpm, r2, r2\nor vpm, r3, r3\n"
	    "ldi.u2 r2, [0, 1, 2, 3, 3, 2, 1, 0, 0, 0, 1, 1, 2, 2, 3, 3]\nor vpm, r2, r2\n"
	    "ldi.s2 r2, [0, 1, -2, -1, -1, -2, 1, 0, 0, 0, 1, 1, -2, -2, -1, -1]\nor vpm, r2, r2");
	static const int8_t per_lane[QPU_LANES] = { 0, 1, 2, 3, 3, 2, 1, 0, 0, 0, 1, 1, 2, 2, 3,
		3 };
	expect_row("first", 0, 0x12345678);
	expect_row("second", 1, 0x12345678);
	for (unsigned i = 0; i < QPU_LANES; i++) {
		ck_assert_uint_eq(rig.out[2][i], (uint32_t)per_lane[i]);
		ck_assert_uint_eq(rig.out[3][i],
				(uint32_t)(per_lane[i] > 1 ? per_lane[i] - 4 : per_lane[i]));
	}
}

/* ---- Rotations ---- */

static void expect_rotated(const char *what, unsigned row, unsigned by, bool in_quads) {
	for (unsigned i = 0; i < QPU_LANES; i++) {
		const unsigned from = in_quads ? (i & ~3u) | ((i - by) & 3) : (i - by) & 15;
		if (rig.out[row][i] != word_of(from)) {
			ck_abort_msg("%s: by %u, lane %u is not that of lane %u", what, by, i,
					from);
		}
	}
}

/* From an accumulator through all lanes; from r4 and from registers in each quad. */
ISA_TEST(rotations) {
	static const struct {
		const char *name, *source;
		bool in_quads;
	} from[] = { { "r0", "r0", false }, { "ra0", "ra0", true }, { "r4", "r4", true } };
	rig_open((enum isa)_i);
	fill_words();
	for (unsigned i = 0; i < QPU_LANES; i++) {
		rig_uniform(i, word_of(i));
	}
	for (size_t k = 0; k < ARRAY_LEN(from); k++) {
		char text[5000];
		int n = sprintf(text,
				"or ra0, r0, r0\nldi r2, 0x%08x\nshl r3, elem_num, 2\n"
				"add t0s, r2, r3\nnop; ldtmu0\n",
				(unsigned)RIG_UNIFORMS);
		for (unsigned by = 1; by < 16; by++) {
			n += sprintf(text + n, "nop; v8min r1, %s, %s; rot %u\nor vpm, r1, r1\n",
					from[k].source, from[k].source, by);
		}
		for (int by = -16; by < 16; by++) {
			n += sprintf(text + n,
					"ldi r5rep, %d\nnop; v8min r1, %s, %s; rot r5\nor vpm, r1, r1\n",
					by, from[k].source, from[k].source);
		}
		run(text);
		for (unsigned by = 1; by < 16; by++) {
			expect_rotated(from[k].name, by - 1, by, from[k].in_quads);
		}
		for (int by = -16; by < 16; by++) {
			expect_rotated(from[k].name, (unsigned)(15 + by + 16), (unsigned)by & 15,
					from[k].in_quads);
		}
	}
}

/* The immediate of a rotation is also a number: 16 less than the distance. */
ISA_TEST(the_number_of_a_rotation_is_an_input_of_the_other_unit) {
	rig_open((enum isa)_i);
	fill_words();
	char text[2000];
	int n = 0;
	for (int by = 1; by < 16; by++) {
		n += sprintf(text + n,
				"or r1, %d, %d; v8min r2, r0, r0; rot %d\nor vpm, r1, r1\nor vpm, r2, r2\n",
				by - 16, by - 16, by);
	}
	run(text);
	for (unsigned by = 1; by < 16; by++) {
		expect_row("number", 2 * (by - 1), by - 16);
		expect_rotated("r0", 2 * (by - 1) + 1, by, false);
	}
}

/* Sums of all lanes by four rotations in the other unit. */
ISA_TEST(sums_by_rotation) {
	rig_open((enum isa)_i);
	for (unsigned i = 0; i < QPU_LANES; i++) {
		rig.in[0][i] = f32_bits((float)(1 << i));
		rig.in[1][i] = f32_bits((float)i);
	}
	run("nop; v8min r2, r0, r0; rot 15\n"
	    "fadd r0, r0, r2; v8min r3, r1, r1; rot 15\nnop\n"
	    "fadd r1, r1, r3; v8min r2, r0, r0; rot 14\nnop\n"
	    "fadd r0, r0, r2; v8min r3, r1, r1; rot 14\nnop\n"
	    "fadd r1, r1, r3; v8min r2, r0, r0; rot 12\nnop\n"
	    "fadd r0, r0, r2; v8min r3, r1, r1; rot 12\nnop\n"
	    "fadd r1, r1, r3; v8min r2, r0, r0; rot 8\nnop\n"
	    "fadd r0, r0, r2; v8min r3, r1, r1; rot 8\n"
	    "fadd r1, r1, r3\nor vpm, r0, r0\nor vpm, r1, r1");
	expect_row("of powers", 0, f32_bits(65535));
	expect_row("of lanes", 1, f32_bits(120));
}

/* ---- Packing ---- */

/* To integers and to floats, of ra0 and of r4. Halves: 1.5 and -2. */
static const struct {
	const char *code;
	uint32_t word, integer, number;
} unpacks[] = {
	{ "", 0x3F800000, 0x3F800000, 0x3F800000 },
	{ ".unpack16a", 0xC0003E00, 0x00003E00, 0x3FC00000 },
	{ ".unpack16b", 0xC0003E00, 0xFFFFC000, 0xC0000000 },
	{ ".unpack8dr", 0x40123456, 0x40404040, 0x40404040 },
	{ ".unpack8a", 0xFF336600, 0x00, 0 },
	{ ".unpack8b", 0xFF336600, 0x66, 0x3ECCCCCD },
	{ ".unpack8c", 0xFF336600, 0x33, 0x3E4CCCCD },
	{ ".unpack8d", 0xFF336600, 0xFF, 0x3F800000 },
};

ISA_TEST(unpacking) {
	rig_open((enum isa)_i);
	for (size_t k = 0; k < ARRAY_LEN(unpacks); k++) {
		const char *code = unpacks[k].code;
		char text[400];
		fill(0, unpacks[k].word);
		rig_uniform(0, unpacks[k].word);
		snprintf(text, sizeof(text),
				"or ra0, r0, r0\nldi t0s, 0x%08x\nnop; ldtmu0\n"
				"or%s vpm, ra0, ra0\nfmul%s vpm, ra0, 1.0\n"
				"fadd%s%s vpm, r4, 0",
				(unsigned)RIG_UNIFORMS, code, code, *code ? ".pm" : "", code);
		run(text);
		expect_row(code, 0, unpacks[k].integer);
		expect_row(code, 1, unpacks[k].number);
		expect_row(code, 2, unpacks[k].number);
	}
}

/* Into ra0, which holds AAAAAAAA, from an integer; then twice it with saturation. */
static const struct {
	const char *text;
	uint32_t from, want;
} packs[] = {
	{ "or ra0, r0, r0", 0x12345678, 0x12345678 },
	{ "or.pack16a ra0, r0, r0", 0x12345678, 0xAAAA5678 },
	{ "or.pack16b ra0, r0, r0", 0x12345678, 0x5678AAAA },
	{ "or.pack8abcd ra0, r0, r0", 0x12345678, 0x78787878 },
	{ "or.pack8a ra0, r0, r0", 0x12345678, 0xAAAAAA78 },
	{ "or.pack8b ra0, r0, r0", 0x12345678, 0xAAAA78AA },
	{ "or.pack8c ra0, r0, r0", 0x12345678, 0xAA78AAAA },
	{ "or.pack8d ra0, r0, r0", 0x12345678, 0x78AAAAAA },
	{ "add.pack32s ra0, r0, r0", 0x50000000, 0x7FFFFFFF },
	{ "add.pack32s ra0, r0, r0", 0xA0000000, 0x80000000 },
	{ "add.pack32s ra0, r0, r0", 0x30000000, 0x60000000 },
	{ "add.pack16as ra0, r0, r0", 20000, 0xAAAA7FFF },
	{ "add.pack16as ra0, r0, r0", (uint32_t)-20000, 0xAAAA8000 },
	{ "add.pack16bs ra0, r0, r0", (uint32_t)-3, 0xFFFAAAAA },
	{ "add.pack8abcds ra0, r0, r0", 100, 0xC8C8C8C8 },
	{ "add.pack8abcds ra0, r0, r0", 200, 0xFFFFFFFF },
	{ "add.pack8as ra0, r0, r0", (uint32_t)-5, 0xAAAAAA00 },
	{ "add.pack8bs ra0, r0, r0", 127, 0xAAAAFEAA },
	{ "add.pack8cs ra0, r0, r0", 128, 0xAAFFAAAA },
	{ "add.pack8ds ra0, r0, r0", 5, 0x0AAAAAAA },
	/* 1.5 as a half */
	{ "fadd.pack16a ra0, r0, 0", 0x3FC00000, 0xAAAA3E00 },
	{ "fadd.pack16b ra0, r0, 0", 0x3FC00000, 0x3E00AAAA },
	{ "fadd.pack16as ra0, r0, 0", 0x3FC00000, 0xAAAA3E00 },
	{ "fadd.pack16bs ra0, r0, 0", 0x3FC00000, 0x3E00AAAA },
	/* 0.5 as a byte: 128; of negative numbers 0, above 1 255 */
	{ "fmul.pm.pack8abcd ra0, r0, 1.0", 0x3F000000, 0x80808080 },
	{ "fmul.pm.pack8a ra0, r0, 1.0", 0x3F000000, 0xAAAAAA80 },
	{ "fmul.pm.pack8b ra0, r0, 1.0", 0x40000000, 0xAAAAFFAA },
	{ "fmul.pm.pack8c ra0, r0, 1.0", 0xBF000000, 0xAA00AAAA },
	{ "fmul.pm.pack8d ra0, r0, 1.0", 0x3F800000, 0xFFAAAAAA },
	/* Codes of old vc4asm */
	{ "fmul.pm.pack8as ra0, r0, 1.0", 0x3F000000, 0xAAAAAA80 },
	{ "fmul.pm.pack8ds ra0, r0, 1.0", 0x3F000000, 0x80AAAAAA },
};

ISA_TEST(packing) {
	rig_open((enum isa)_i);
	for (size_t k = 0; k < ARRAY_LEN(packs); k++) {
		char text[120];
		fill(0, packs[k].from);
		snprintf(text, sizeof(text), "ldi ra0, 0xaaaaaaaa\nnop\n%s\nnop\nor vpm, ra0, ra0",
				packs[k].text);
		run(text);
		expect_row(packs[k].text, 0, packs[k].want);
	}
}

/* ---- Conditions ---- */

/*
 * Ones less a row of zeros, then ones: Z in the upper half. The other way: N and C in the lower
 * one.
 */
ISA_TEST(conditions_of_both_units) {
	static const struct {
		const char *cond;
		bool reversed, lower, upper; /* the halves that the condition holds in */
	} cases[] = { { ".zs", false, false, true }, { ".zc", false, true, false },
		{ ".ns", true, true, false }, { ".nc", true, false, true },
		{ ".cs", true, true, false }, { ".cc", true, false, true },
		{ ".never", true, false, false }, { "", true, true, true } };
	rig_open((enum isa)_i);
	fill(0, 0x40000000);
	for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
		char text[300];
		snprintf(text, sizeof(text),
				"ldi.u2 r2, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
				"ldi.u2 r3, [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]\n"
				"sub.setf -, %s\nor r1, r0, r0\nadd r1%s, r1, 1\nor vpm, r1, r1\n"
				"or r1, r0, r0\nnop; fmul r1%s, r1, 2.0\nor vpm, r1, r1",
				cases[k].reversed ? "r3, r2" : "r2, r3", cases[k].cond,
				cases[k].cond);
		run(text);
		for (unsigned i = 0; i < QPU_LANES; i++) {
			const bool holds = i < 8 ? cases[k].lower : cases[k].upper;
			ck_assert_uint_eq(rig.out[0][i], 0x40000000u + holds);
			ck_assert_uint_eq(rig.out[1][i], holds ? 0x40800000 : 0x40000000);
		}
	}
}

/* ---- Branches ---- */

/* Flags, and which conditions then hold: of Z, N, C, each "all", "none", "any", "any not". */
static const struct {
	const char *set, *holds;
} branches[] = {
	{ "sub.setf -, r2, 0",
			"0101"
			"0101"
			"0101" }, /* no Z, N, C */
	{ "sub.setf -, r2, r2",
			"1010"
			"0101"
			"0101" }, /* all Z */
	{ "sub.setf -, r0, r2",
			"0101"
			"1010"
			"1010" }, /* all N and C */
	{ "sub.setf -, r2, r3",
			"0011"
			"0101"
			"0101" }, /* some Z */
	{ "sub.setf -, r3, r1",
			"0011"
			"0011"
			"0011" }, /* some of each */
	{ "add.setf -, r2, -1",
			"1010"
			"0101"
			"1010" }, /* all Z and C */
	{ "add.setf -, r3, -1",
			"0011"
			"0011"
			"0011" },
};

ISA_TEST(conditions_of_branches) {
	static const char *const conds[12] = { "allz", "allnz", "anyz", "anynz", "alln", "allnn",
		"anyn", "anynn", "allc", "allnc", "anyc", "anync" };
	static const uint8_t some[QPU_LANES] = { 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1 };
	rig_open((enum isa)_i);
	for (unsigned i = 0; i < QPU_LANES; i++) {
		rig.in[1][i] = some[i];
	}
	for (size_t k = 0; k < ARRAY_LEN(branches); k++) {
		char text[4000];
		int n = sprintf(text,
				"ldi.u2 r2, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
				"ldi.u2 r3, [1, 1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1]\n%s\n",
				branches[k].set);
		for (unsigned c = 0; c < ARRAY_LEN(conds); c++) {
			n += sprintf(text + n,
					"ldi ra0, 1\nbrr.%s -, 8\nnop\nnop\nnop\nldi ra0, 0\n"
					"nop\nor vpm, ra0, ra0\n",
					conds[c]);
		}
		run(text);
		for (unsigned c = 0; c < ARRAY_LEN(conds); c++) {
			expect_row(conds[c], c, branches[k].holds[c] == '1');
		}
	}
}

/* Distances in words are counted from the instruction after three slots. */
ISA_TEST(targets_of_branches) {
	rig_open((enum isa)_i);
	run("ldi r1, 0\nbrr -, 16\nnop\nnop\nnop\n"
	    "add r1, r1, 1\nadd r1, r1, 1\nadd r1, r1, 1\nadd r1, r1, 1\nor vpm, r1, r1\n"
	    /* by a register, and by both */
	    "ldi ra0, 16\nldi r1, 0\nbrr -, ra0 + 0\nnop\nnop\nnop\n"
	    "add r1, r1, 1\nadd r1, r1, 1\nadd r1, r1, 1\nadd r1, r1, 1\nor vpm, r1, r1\n"
	    "ldi ra0, 16\nldi r1, 0\nbrr -, ra0 + 8\nnop\nnop\nnop\n"
	    "add r1, r1, 1\nadd r1, r1, 1\nadd r1, r1, 1\nadd r1, r1, 1\nadd r1, r1, 1\n"
	    "or vpm, r1, r1\n"
	    /* three slots are executed, the fourth instruction is not */
	    "ldi r1, 0\nbrr -, 8\nadd r1, r1, 1\nadd r1, r1, 1\nadd r1, r1, 1\n"
	    "add r1, r1, 1\nor vpm, r1, r1");
	expect_row("immediate", 0, 2);
	expect_row("register", 1, 2);
	expect_row("both", 2, 2);
	expect_row("slots", 3, 3);
	/* Three words precede the branch, which has three slots. */
	run("brr ra1, 0\nnop\nnop\nnop\nor vpm, ra1, ra1");
	expect_row("link", 0, RIG_CODE + 8 * 7);
}

/* ---- Special functions ---- */

ISA_TEST(special_functions_of_numbers_up_to_1) {
	rig_open((enum isa)_i);
	seed = 0x13;
	for (unsigned k = 0; k < 64; k++) {
		for (unsigned i = 0; i < QPU_LANES; i++) {
			const float x = (float)(1 + (random32() >> 8)) / 16777216.0f;
			rig.in[0][i] = f32_bits(x);
			rig.in[1][i] = f32_bits(-x);
		}
		run("or recip, r0, r0\nnop\nnop\nor vpm, r4, r4\nor rsqrt, r0, r0\nnop\nnop\nor vpm, r4, r4\n"
		    "or exp, r0, r0\nnop\nnop\nor vpm, r4, r4\nor log, r0, r0\nnop\nnop\nor vpm, r4, r4\n"
		    "or rsqrt, r1, r1\nnop\nnop\nor vpm, r4, r4\nor log, r1, r1\nnop\nnop\nor vpm, r4, r4");
		for (unsigned i = 0; i < QPU_LANES; i++) {
			const double x = (double)f32_from_bits(rig.in[0][i]);
			const double want[4] = { 1 / x, 1 / sqrt(x), exp2(x), log2(x) };
			for (unsigned f = 0; f < 4; f++) {
				const double got = (double)f32_from_bits(rig.out[f][i]);
				const double most = f < 3 ? 1e-4 * want[f] :
							    1e-2 * fabs(want[f]) + 1.6e-4;
				ck_assert(fabs(got - want[f]) <= most);
			}
			ck_assert_uint_eq(rig.out[4][i], rig.out[1][i]);
			ck_assert_uint_eq(rig.out[5][i], rig.out[3][i]);
		}
	}
}
