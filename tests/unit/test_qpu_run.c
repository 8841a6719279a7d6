/* Programs of the QPU, on every instruction set. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "core/base/f24.h"
#include "isa_test.h"
#include "qpu_rig.h"

#define WORD(low, high) ((uint64_t)(high) << 32 | (low))
#define NOP WORD(0x009E7000, 0x100009E7)

static void close_rig(void) {
	rig_close();
}
FIXTURE(NULL, close_rig)

/* ---- The article's shaders ---- */

ISA_TEST(the_articles_vertex_shader_copies_three_rows) {
	static const uint64_t shader[16] = {
		NOP, WORD(0x1A341AC0, 0xE0020C67), NOP, NOP, NOP, WORD(0x15C27DF7, 0x10020027),
		WORD(0x15C27DF7, 0x10020067), WORD(0x15C27DF7, 0x100200A7),
		WORD(0x17BC1AC0, 0xE0021C67), WORD(0x15027DF7, 0x10020C27),
		WORD(0x15067DF7, 0x10020C27), WORD(0x150A7DF7, 0x10020C27),
		WORD(0x009E7000, 0x500009E7), WORD(0x009E7000, 0x300009E7), NOP, NOP,
	};
	static const uint32_t rows[3][3] = {
		{ 0x02001400, 0x1C000200, 0x1C002600 },
		{ 0x3F800000, 0x3F800000, 0x3F800000 },
		{ 0x3F800000, 0x3F800000, 0x3F800000 },
	};
	rig_open((enum isa)_i);
	rig_words(shader, 16);
	for (unsigned r = 0; r < 3; r++) {
		memcpy(rig.in[r], rows[r], sizeof(rows[r]));
	}
	rig.run.n_lanes = 3;
	rig.run.n_in = 3;
	memset(rig.out, 0xAA, sizeof(rig.out));
	ck_assert_int_eq(rig.kernels.run(&rig.run), 0);
	for (unsigned r = 0; r < 3; r++) {
		ck_assert_mem_eq(rig.out[r], rows[r], sizeof(rows[r]));
	}
	ck_assert_uint_eq(rig.run.written, 7);
	ck_assert_uint_eq(rig.run.steps, 16);
	ck_assert_uint_eq(rig.run.warnings, 0);
}

ISA_TEST(the_articles_coordinate_shader_copies_seven_rows) {
	static const uint64_t shader[24] = {
		NOP, WORD(0x1A741AC0, 0xE0020C67), NOP, NOP, NOP, WORD(0x15C27DF7, 0x10020027),
		WORD(0x15C27DF7, 0x10020067), WORD(0x15C27DF7, 0x100200A7),
		WORD(0x15C27DF7, 0x100200E7), WORD(0x15C27DF7, 0x10020127),
		WORD(0x15C27DF7, 0x10020167), WORD(0x15C27DF7, 0x100201A7),
		WORD(0x17BC1AC0, 0xE0021C67), WORD(0x15027DF7, 0x10020C27),
		WORD(0x15067DF7, 0x10020C27), WORD(0x150A7DF7, 0x10020C27),
		WORD(0x150E7DF7, 0x10020C27), WORD(0x15127DF7, 0x10020C27),
		WORD(0x15167DF7, 0x10020C27), WORD(0x151A7DF7, 0x10020C27),
		WORD(0x009E7000, 0x500009E7), WORD(0x009E7000, 0x300009E7), NOP, NOP,
	};
	static const uint32_t rows[7][3] = {
		{ 0x3ACD1ED9, 0xBF665C25, 0x3F672944 }, { 0xBF5DCBA0, 0x3F5EDD43, 0x3F5EDD43 },
		{ 0x3F800000, 0x3F800000, 0x3F800000 }, { 0x3F800000, 0x3F800000, 0x3F800000 },
		{ 0x02001400, 0x1C000200, 0x1C002600 }, { 0x3F800000, 0x3F800000, 0x3F800000 },
		{ 0x3F800000, 0x3F800000, 0x3F800000 },
	};
	rig_open((enum isa)_i);
	rig_words(shader, 24);
	for (unsigned r = 0; r < 7; r++) {
		memcpy(rig.in[r], rows[r], sizeof(rows[r]));
	}
	rig.run.n_lanes = 3;
	rig.run.n_in = 7;
	ck_assert_int_eq(rig.kernels.run(&rig.run), 0);
	for (unsigned r = 0; r < 7; r++) {
		ck_assert_mem_eq(rig.out[r], rows[r], sizeof(rows[r]));
	}
	ck_assert_uint_eq(rig.run.written, 0x7F);
	ck_assert_uint_eq(rig.run.steps, 24);
}

/* ---- Float to 8 bits ---- */

/* Sixteen floats through the multiply unit's packing, which replicates the byte. */
static void colors_of(const float in[QPU_LANES], uint32_t out[QPU_LANES]) {
	memcpy(rig.in[0], in, sizeof(rig.in[0]));
	ck_assert_int_eq(rig.kernels.run(&rig.run), 0);
	memcpy(out, rig.out[0], sizeof(rig.out[0]));
}

static void check_color(float x, uint32_t want) {
	float in[QPU_LANES];
	uint32_t out[QPU_LANES];
	for (unsigned i = 0; i < QPU_LANES; i++) {
		in[i] = x;
	}
	colors_of(in, out);
	for (unsigned i = 0; i < QPU_LANES; i++) {
		if (out[i] != want * 0x01010101) {
			ck_abort_msg("%a becomes %x, not %x", (double)x, out[i], want * 0x01010101);
		}
	}
}

ISA_TEST(floats_become_bytes_at_quarters) {
	rig_open((enum isa)_i);
	rig_text("ldi vr_setup, 0x00101a00\n"
		 "fmul.pm.pack8abcd r0, vpm, 1.0\n"
		 "or vpm, r0, r0");
	for (uint32_t u = 0; u <= 1024; u++) {
		const float x = (float)u / 1024;
		check_color(x, (u - (u >> 8) + 2) >> 2);
		if (u > 0) {
			check_color(f32_from_bits(f32_bits(x) - 1),
					(u - 1 - ((u - 1) >> 8) + 2) >> 2);
		}
	}
	/* The step to k is at k - 0.5, - 0.25, 0, + 0.25 of 256ths, by the quarter it lies in. */
	for (unsigned k = 1; k < 256; k++) {
		float at = (float)k - 0.5f;
		for (unsigned quarter = 0; at >= 64.0f * (float)(quarter + 1); quarter++) {
			at = (float)k - 0.25f + 0.25f * (float)quarter;
		}
		const float step = at / 256;
		check_color(step, k);
		check_color(f32_from_bits(f32_bits(step) - 1), k - 1);
	}
	check_color(1, 255);
	check_color(0.5f, 128);
	check_color(1e30f, 255);
	check_color(f32_from_bits(0x7F800000), 255);
	check_color(-0.5f, 0);
	check_color(-1e30f, 0);
	check_color(f32_from_bits(0x80000000), 0);
	check_color(f32_from_bits(0x7FC00000), 255);
	check_color(f32_from_bits(0xFFC00000), 0);
	check_color(f32_from_bits(0x00000001), 0);
}

/* ---- Special functions ---- */

static uint32_t sfu(const char *name, uint32_t x) {
	char text[128];
	snprintf(text, sizeof(text), "or %s, unif, unif\nor vpm, r4, r4", name);
	rig_uniform(0, x);
	rig_text(text);
	return rig.out[0][5];
}

static void check_sfu(const char *name, uint32_t x, uint32_t want) {
	const uint32_t got = sfu(name, x);
	if (got != want) {
		ck_abort_msg("%s of %08x is %08x, not %08x", name, x, got, want);
	}
}

ISA_TEST(special_functions_have_the_check_values) {
	static const struct {
		const char *name;
		float x;
		uint32_t want;
	} values[] = {
		{ "recip", 1, 0x3F7FFC00 }, { "recip", 2, 0x3EFFFC00 }, { "recip", 3, 0x3EAAAA00 },
		{ "recip", 4, 0x3E7FFC00 }, { "recip", 0.25f, 0x407FFC00 },
		{ "recip", 10, 0x3DCCCB00 }, { "recip", -4, 0xBE7FFC00 },
		{ "recip", 0, 0x7F800000 },
		{ "rsqrt", 1, 0x3F7FFB00 }, { "rsqrt", 2, 0x3F350100 }, { "rsqrt", 3, 0x3F13CC00 },
		{ "rsqrt", 4, 0x3EFFFB00 }, { "rsqrt", -4, 0x3EFFFB00 }, { "rsqrt", 0, 0x7F800000 },
		{ "log", 1, 0 }, { "log", 0.5f, 0xBF7FFF00 }, { "log", 3, 0x3FCADF00 },
		{ "log", -3, 0x3FCADF00 }, { "log", 0, 0xFF800000 },
		{ "exp", 0, 0x3F800100 }, { "exp", 0.5f, 0x3FB50600 }, { "exp", -1, 0x3EFFFE00 },
		{ "exp", 128, 0x7F800000 }, { "exp", -127, 0 }, { "exp", 1e30f, 0x7F800000 },
		{ "exp", -1e30f, 0 },
	};
	rig_open((enum isa)_i);
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		check_sfu(values[i].name, f32_bits(values[i].x), values[i].want);
	}
	check_sfu("recip", 0x80000001, 0xFF800000);
	check_sfu("recip", 0x7E800000, 0);
	check_sfu("recip", 0xFF800000, 0x80000000);
	check_sfu("rsqrt", 0x7F800000, 0);
	check_sfu("log", 0x7F800000, 0x7F800000);
}

static bool is_near(double got, double want, double relative, double absolute) {
	return fabs(got - want) <= relative * fabs(want) + absolute;
}

TEST(special_functions_are_near_the_exact_ones) {
	rig_open(ISA_C);
	seed = 0x5F0;
	for (unsigned i = 0; i < 3000; i++) {
		/* 2^-30 to 2^30 */
		const uint32_t bits = (97 + random32() % 60) << 23 | (random32() & 0x7FFFFF);
		const double x = (double)f32_from_bits(bits);
		const float power = (float)(int32_t)random32() / 0x1p25f; /* -64 to 64 */
		HOLDS(is_near((double)f32_from_bits(sfu("recip", bits)), 1 / x, 1e-4, 0));
		HOLDS(is_near((double)f32_from_bits(sfu("rsqrt", bits)), 1 / sqrt(x), 1e-4, 0));
		HOLDS(is_near((double)f32_from_bits(sfu("log", bits)), log2(x), 4e-5, 1.6e-4));
		HOLDS(is_near((double)f32_from_bits(sfu("exp", f32_bits(power))),
				exp2((double)power), 1.2e-4, 0));
	}
}

/* ---- The flow ---- */

ISA_TEST(a_loop_counts_and_the_slots_of_its_branch_run) {
	rig_open((enum isa)_i);
	rig_text("ldi r0, 5\n"
		 "ldi r1, 0\n"
		 "sub.setf r0, r0, 1\n" /* here */
		 "brr.anynz -, -40\n"
		 "add r1, r1, 1\n"
		 "add r1, r1, 2\n"
		 "add r1, r1, 4\n"
		 "or vpm, r1, r1");
	ck_assert_uint_eq(rig.out[0][15], 5 * 7);
	ck_assert_uint_eq(rig.run.steps, 2 + 5 * 5 + 1 + 3);
}

ISA_TEST(a_subroutine_returns_by_its_link) {
	rig_open((enum isa)_i);
	/* Two calls of the routine at word 13, which doubles r0 and adds 1. */
	ck_assert_int_eq(rig_create_text("ldi r0, 5\n"
		 "brr ra1, 64\n" /* word 1 */
		 "nop\nnop\nnop\n"
		 "brr ra1, 32\n" /* word 5 */
		 "nop\nnop\nnop\n"
		 "brr -, 48\n" /* word 9 */
		 "nop\nnop\nnop\n"
		 "add r0, r0, r0\n" /* word 13 */
		 "add r0, r0, 1\n"
		 "bra -, ra1 + 0\n"
		 "nop\nnop\nnop\n"
		 "or vpm, r0, r0" /* word 19 */
		 RIG_END), 0);
	ck_assert_int_eq(rig.kernels.run(&rig.run), 0);
	ck_assert_uint_eq(rig.out[0][0], 23);
}

ISA_TEST(a_branch_by_a_register_leads_to_decoded_words_only) {
	rig_open((enum isa)_i);
	ck_assert_int_eq(rig_create_text("ldi ra1, 0x00110000\nbra -, ra1 + 0x400\n"
		"nop\nnop\nnop" RIG_END), 0);
	ck_assert_int_eq(rig.kernels.run(&rig.run), -EOPNOTSUPP);
	ck_assert_uint_eq(rig.run.fault.address, RIG_CODE + 8);
	/* The first word is one of them. */
	ck_assert_int_eq(rig_create_text("ldi ra1, 0x00110000\nbra -, ra1 + 0\n"
		"nop\nnop\nnop" RIG_END), 0);
	ck_assert_int_eq(rig.kernels.run(&rig.run), -EDQUOT);
	ck_assert_uint_eq(rig.run.steps, QPU_MAX_STEPS);
	/* No flow was seen after the slots of an endless loop. */
	ck_assert_int_eq(rig_create_text("ldi ra1, 0x00110020\nbra -, ra1 + 0\n"
		"nop\nnop\nnop\nnop" RIG_END), 0);
	ck_assert_int_eq(rig.kernels.run(&rig.run), -EOPNOTSUPP);
	ck_assert_uint_eq(rig.run.fault.address, RIG_CODE + 40);
}

ISA_TEST(flow_does_not_cross_into_another_run_of_words) {
	rig_open((enum isa)_i);
	/* Words 5 to 9 cannot be reached, but for the register, which leads into the slots. */
	ck_assert_int_eq(rig_create_text("ldi ra1, 0x00110018\nbrr -, 40\nnop\nnop\nnop\n"
		"nop; bkpt\nnop\nnop\nnop\nnop\n"
		"bra -, ra1 + 0\nnop\nnop\nnop"), 0);
	ck_assert_int_eq(rig.kernels.run(&rig.run), -EOPNOTSUPP);
	ck_assert_uint_eq(rig.run.fault.address, RIG_CODE + 40);
}

ISA_TEST(registers_and_flags_start_at_zero) {
	rig_open((enum isa)_i);
	memset(rig.scratch, 0xA5, sizeof(rig.scratch));
	rig_text("or vpm, ra20, ra20; v8min ra3.zs, rb9, rb9\n" /* no flag is set */
		 "ldi ra21.ns, 7\n"
		 "fmul.pm.pack8b rb3, ra30, 1.0\n"
		 "or vpm, ra21, ra21\n"
		 "or vpm, rb3, rb3\n"
		 "or vpm, r0, r0\nor vpm, r4, r4\nor vpm, r5, r5\n"
		 "or vpm, ra15, ra15\nor vpm, rb15, rb15\n"
		 "ldi r1.cs, 9\nor vpm, r1, r1\n"
		 "brr.anyz -, 0\nnop\nnop\nnop\n"
		 "or vpm, ra3, ra3");
	for (unsigned r = 0; r < 10; r++) {
		for (unsigned i = 0; i < QPU_LANES; i++) {
			ck_assert_uint_eq(rig.out[r][i], 0);
		}
	}
}

ISA_TEST(branches_look_at_the_lanes_of_the_batch) {
	rig_open((enum isa)_i);
	rig.run.n_lanes = 3;
	rig_text("sub.setf -, elem_num, 3\n" /* negative in lanes 0 to 2 */
		 "ldi r0, 1\n"
		 "brr.alln -, 8\n"
		 "nop\nnop\nnop\n"
		 "ldi r0, 2\n"
		 "or vpm, r0, r0");
	ck_assert_uint_eq(rig.out[0][0], 1);
}

ISA_TEST(an_endless_program_ends_with_an_error) {
	rig_open((enum isa)_i);
	ck_assert_int_eq(rig_create_text("nop\nbrr -, -32\nnop\nnop\nnop"), 0);
	ck_assert_int_eq(rig.kernels.run(&rig.run), -EDQUOT);
	ck_assert_uint_eq(rig.run.steps, QPU_MAX_STEPS);
	ck_assert_ptr_nonnull(rig.run.fault.why);
}

/* ---- What cannot be decoded ---- */

static void check_refused(const char *text, int ret, uint32_t word) {
	rig.fault = (struct qpu_fault){ 0, NULL };
	const int got = rig_create_text(text);
	if (got != ret || rig.fault.address != RIG_CODE + 8 * word || !rig.fault.why) {
		ck_abort_msg("%s: %d at %08x (%s), not %d", text, got, rig.fault.address,
				rig.fault.why, ret);
	}
}

TEST(reserved_forms_are_refused_where_they_are) {
	rig_open(ISA_C);
	check_refused("nop\nnop; bkpt" RIG_END, -EINVAL, 1);
	check_refused("nop; loadcv" RIG_END, -EOPNOTSUPP, 0);
	check_refused("nop; loadam" RIG_END, -EOPNOTSUPP, 0);
	check_refused("sacq -, 3" RIG_END, -EOPNOTSUPP, 0);
	check_refused("or tlbam, r0, r0" RIG_END, -EOPNOTSUPP, 0);
	check_refused("ldi vr_addr, 0" RIG_END, -EOPNOTSUPP, 0);
	check_refused(".word 0x1000000009000000" RIG_END, -EINVAL, 0); /* operation 9 */
	check_refused(".word 0x100009e7158a7d80" RIG_END, -EINVAL, 0); /* reads address 34 */
	check_refused(".word 0xe4020827000000ff" RIG_END, -EINVAL, 0); /* form 2 */
	check_refused(".word 0xf0c809e700000000" RIG_END, -EINVAL, 0); /* condition 12 */
	check_refused("fmul.pm.pack16a r0, r1, r1" RIG_END, -EINVAL, 0);
	/* In a slot, behind a condition, at a target, after a call. */
	check_refused("brr.allz -, 0\nnop\nnop\nnop; bkpt" RIG_END, -EINVAL, 3);
	check_refused("brr.allz -, 8\nnop\nnop\nnop\nnop; bkpt" RIG_END, -EINVAL, 4);
	check_refused("brr -, 8\nnop\nnop\nnop\nnop\nnop; bkpt" RIG_END, -EINVAL, 5);
	check_refused("brr ra0, 32\nnop\nnop\nnop\nnop; bkpt\nnop; thrend\nnop\nnop\n"
		"nop; thrend\nnop\nnop", -EINVAL, 4);
	check_refused("nop; thrend\nnop\nnop; bkpt", -EINVAL, 2);
	ck_assert_int_eq(rig_create_text("bra -, 0x00110004" RIG_END), -EINVAL);
	ck_assert_uint_eq(rig.fault.address, RIG_CODE + 4);
}

TEST(data_after_the_end_or_a_branch_is_not_decoded) {
	rig_open(ISA_C);
	ck_assert_int_eq(rig_create_text("nop; thrend\nnop\nnop\nnop; bkpt"), 0);
	ck_assert_int_eq(rig_create_text("brr -, 8\nnop\nnop\nnop\nnop; bkpt" RIG_END), 0);
	ck_assert_int_eq(rig.kernels.run(&rig.run), 0);
	ck_assert_uint_eq(rig.run.steps, 4 + 3);
}

TEST(programs_lie_in_memory) {
	static const uint64_t nop = NOP;
	struct qpu_program *p = NULL;
	struct qpu_fault fault;
	rig_open(ISA_C);
	ck_assert_int_eq(qpu_program_create(&p, &rig.space, 0x40000, &fault), -ERANGE);
	ck_assert_uint_eq(fault.address, 0x40000);
	ck_assert_int_eq(qpu_program_create(&p, &rig.space, RIG_CODE + 4, &fault), -EINVAL);
	/* The alias bits do not count; the flow leaves memory. */
	const uint32_t last = RIG_BASE + RIG_BYTES - 8;
	space_write(&rig.space, last, &nop, sizeof(nop));
	ck_assert_int_eq(qpu_program_create(&p, &rig.space, last | 0xC0000000, &fault), -ERANGE);
	ck_assert_uint_eq(fault.address, RIG_BASE + RIG_BYTES);
	check_refused("bra -, 0x00900000\nnop\nnop\nnop", -EOPNOTSUPP, (0x900000 - RIG_CODE) / 8);
	ck_assert_ptr_null(p);
}

TEST(a_program_may_not_be_too_long) {
	static uint64_t words[QPU_PROGRAM_WORDS + 1];
	rig_open(ISA_C);
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		words[i] = NOP;
	}
	words[QPU_PROGRAM_WORDS - 3] = WORD(0x009E7000, 0x300009E7);
	ck_assert_int_eq(rig_create(words, ARRAY_LEN(words)), 0);
	words[QPU_PROGRAM_WORDS - 3] = NOP;
	words[QPU_PROGRAM_WORDS - 2] = WORD(0x009E7000, 0x300009E7);
	ck_assert_int_eq(rig_create(words, ARRAY_LEN(words)), -EOPNOTSUPP);
}

/* Each word is a target, and each a branch in the slots of the one before. */
TEST(chains_of_branches_are_decoded) {
	static uint64_t words[QPU_PROGRAM_WORDS];
	rig_open(ISA_C);
	for (uint32_t i = 0; i < ARRAY_LEN(words); i++) {
		struct qpu_instruction q = {
			.sig = QPU_SIG_BRANCH, .branch_cond = 15, .waddr_add = 39, .waddr_mul = 39,
			.immediate = RIG_CODE + 8 * (QPU_PROGRAM_WORDS - 8 - i),
		};
		words[i] = i + 8 < QPU_PROGRAM_WORDS ? qpu_encode(&q) : NOP;
	}
	words[QPU_PROGRAM_WORDS - 8] = WORD(0x009E7000, 0x300009E7);
	ck_assert_int_eq(rig_create(words, ARRAY_LEN(words)), 0);
	/* Each replaces the one before, so that none is taken. */
	ck_assert_int_eq(rig.kernels.run(&rig.run), 0);
	ck_assert_uint_eq(rig.run.steps, QPU_PROGRAM_WORDS - 8 + 3);
}
