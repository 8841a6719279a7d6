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

/* ---- Uniforms, varyings, VPM ---- */

ISA_TEST(uniforms_outside_of_memory_are_an_error) {
	rig_open((enum isa)_i);
	rig.run.uniforms = 0xC0000000 | (RIG_BASE + RIG_BYTES - 8);
	ck_assert_int_eq(rig_create_text("or -, unif, unif\nnop\nor -, unif, unif\n"
		"or -, unif, unif" RIG_END), 0);
	ck_assert_int_eq(rig.kernels.run(&rig.run), -ERANGE);
	ck_assert_uint_eq(rig.run.fault.address, RIG_CODE + 24);
	ck_assert_uint_eq(rig.run.steps, 4);
}

ISA_TEST(a_new_address_of_uniforms_counts_from_the_second_instruction) {
	rig_open((enum isa)_i);
	for (unsigned i = 0; i < 32; i++) {
		rig_uniform(i, 100 + i);
	}
	rig_text("ldi unif_addr, 0x00180040\n"
		 "or vpm, unif, unif\n"
		 "or vpm, unif, unif\n"
		 "ldi unif_addr_rel, 16\n"
		 "nop\n"
		 "or vpm, unif, unif");
	ck_assert_uint_eq(rig.out[0][3], 100);
	ck_assert_uint_eq(rig.out[1][3], 116);
	ck_assert_uint_eq(rig.out[2][3], 121);
}

ISA_TEST(a_varying_comes_with_its_constant_in_the_next_instruction) {
	rig_open((enum isa)_i);
	rig_fragments();
	rig.run.n_varyings = 1;
	rig.varying[0][7] = 3;
	rig.c[0] = 8;
	for (unsigned i = 0; i < QPU_LANES; i++) {
		rig.w[i] = 2;
	}
	rig_text("ldi r5rep, 0x3f800000\n"
		 "fadd vpm, vary, r5\n" /* the former r5 */
		 "fadd vpm, ra15, r5\n"
		 "fadd vpm, vary, r5\n" /* there is none */
		 "fadd vpm, ra15, r5");
	ck_assert_uint_eq(rig.out[0][7], f32_bits(4));
	ck_assert_uint_eq(rig.out[1][7], f32_bits(10));
	ck_assert_uint_eq(rig.out[2][7], f32_bits(8));
	ck_assert_uint_eq(rig.out[3][7], f32_bits(2));
	ck_assert_uint_eq(rig.run.warnings, QPU_WARN_VARYING);
}

ISA_TEST(reading_more_vectors_than_set_up_warns) {
	rig_open((enum isa)_i);
	memset(rig.in, 0x55, sizeof(rig.in));
	rig_text("ldi vr_setup, 0x00201a00\nor vpm, vpm, vpm\nor vpm, vpm, vpm");
	ck_assert_uint_eq(rig.run.warnings, 0);
	rig_text("ldi vr_setup, 0x00101a00\nor vpm, vpm, vpm\nor vpm, vpm, vpm");
	ck_assert_uint_eq(rig.run.warnings, QPU_WARN_VPM_READ);
	ck_assert_uint_eq(rig.out[0][0], 0x55555555);
	ck_assert_uint_eq(rig.out[1][0], 0);
	rig.run.n_in = 1;
	rig_text("ldi vr_setup, 0x00201a00\nor vpm, vpm, vpm\nor vpm, vpm, vpm");
	ck_assert_uint_eq(rig.run.warnings, QPU_WARN_VPM_READ);
	ck_assert_uint_eq(rig.out[1][0], 0);
}

/* ---- The tile buffer ---- */

ISA_TEST(depth_is_tested_when_it_is_written) {
	rig_open((enum isa)_i);
	rig_fragments();
	rig.tlb.depth_function = 1;
	rig.tlb.updates_z = true;
	for (unsigned i = 0; i < QPU_LANES; i++) {
		rig.z[i] = 100 * i;
		rig.zs[i] = 800 << 8 | 0x77;
	}
	rig_text("ldi r0, 0x12345678\n"
		 "sub.setf -, elem_num, 2\n"
		 "or tlbz.zc, rb15, rb15\n" /* lane 2 is discarded */
		 "or tlbc, r0, r0");
	for (unsigned i = 0; i < QPU_LANES; i++) {
		const bool passes = i < 8 && i != 2;
		ck_assert_uint_eq(rig.color[i], passes ? 0x12345678 : 0);
		ck_assert_uint_eq(rig.zs[i], passes ? 100 * i << 8 | 0x77 : 800 << 8 | 0x77);
	}
	ck_assert_uint_eq(rig.tlb.covered[0], 0xFB);
	/* Without a write of Z the function does not matter. */
	rig_fragments();
	rig.tlb.depth_function = 0;
	rig_text("ldi tlbc, 0x11111111");
	ck_assert_uint_eq(rig.color[15], 0x11111111);
}

ISA_TEST(samples_are_loaded_and_stored_in_turn) {
	rig_open((enum isa)_i);
	rig_fragments();
	rig.tlb.n_samples = 4;
	rig.tlb.covered[2] = 0xFFFE;
	for (unsigned i = 0; i < 4 * QPU_LANES; i++) {
		rig.color[i] = 1000 * (i / QPU_LANES) + i % QPU_LANES;
	}
	rig_text("ldi r0, 5\n"
		 "nop; loadc\n"
		 "add tlbm, r4, r0; loadc\n"
		 "add tlbm, r4, r0; loadc\n"
		 "add tlbm, r4, r0; loadc\n"
		 "add tlbm, r4, r0\n");
	for (unsigned i = 0; i < 4 * QPU_LANES; i++) {
		const unsigned s = i / QPU_LANES;
		ck_assert_uint_eq(rig.color[i], i == 32 ? 2000 :
				1000 * s + i % QPU_LANES + 5);
	}
}

/* ---- Texture units ---- */

ISA_TEST(words_of_memory_are_looked_up_in_order) {
	rig_open((enum isa)_i);
	for (unsigned i = 0; i < 32; i++) {
		rig_uniform(i, 1000 + i);
	}
	rig_text("ldi r0, 0x00180000\n"
		 "shl r1, elem_num, 2\n"
		 "add t0s, r0, r1\n"
		 "add r1, r1, 4\n"
		 "add t0s, r0, r1\n"
		 "add t1s, r0, 8; v8min r2, r0, r0\n"
		 "nop; ldtmu1\n"
		 "or vpm, r4, r4; ldtmu0\n"
		 "or vpm, r4, r4; ldtmu0\n"
		 "or vpm, r4, r4");
	for (unsigned i = 0; i < QPU_LANES; i++) {
		ck_assert_uint_eq(rig.out[0][i], 1002);
		ck_assert_uint_eq(rig.out[1][i], 1000 + i);
		ck_assert_uint_eq(rig.out[2][i], 1001 + i);
	}
}

ISA_TEST(each_parameter_takes_a_configuration_word) {
	static const uint32_t px[16] = { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 };
	rig_open((enum isa)_i);
	ck_assert_int_eq(space_write(&rig.space, RIG_BASE + 0xA0000, px, sizeof(px)), 0);
	rig_uniform(0, RIG_BASE + 0xA0000); /* RGBA8888 */
	rig_uniform(1, 4 << 20 | 4 << 8 | 1 << 7 | 1 << 4); /* 4 x 4, nearest */
	rig_uniform(2, 0x3F000000);
	rig_text("or t0t, 0, 0\n"
		 "or t0s, 0.5, 0.5\n"
		 "or vpm, unif, unif; ldtmu0\n"
		 "or vpm, r4, r4");
	ck_assert_uint_eq(rig.out[0][0], 0x3F000000);
	ck_assert_uint_eq(rig.out[1][0], 0x33);
}

ISA_TEST(texture_units_are_not_read_or_filled_beyond_their_ends) {
	rig_open((enum isa)_i);
	ck_assert_int_eq(rig_create_text("nop\nnop; ldtmu0" RIG_END), 0);
	ck_assert_int_eq(rig.kernels.run(&rig.run), -EINVAL);
	ck_assert_uint_eq(rig.run.fault.address, RIG_CODE + 8);
	ck_assert_int_eq(rig_create_text("ldi r0, 0x00180000\n"
		"or t0s, r0, r0\nor t0s, r0, r0\nor t0s, r0, r0\nor t0s, r0, r0\n"
		"or t0s, r0, r0\nor t0s, r0, r0\nor t0s, r0, r0\nor t0s, r0, r0\n"
		"or t0s, r0, r0" RIG_END), 0);
	ck_assert_int_eq(rig.kernels.run(&rig.run), -EINVAL);
	ck_assert_uint_eq(rig.run.fault.address, RIG_CODE + 72);
	ck_assert_int_eq(rig_create_text("or t0t, 0, 0\nor t0t, 0, 0\nor t0t, 0, 0\n"
		"or t0t, 0, 0\nor t0t, 0, 0" RIG_END), 0);
	ck_assert_int_eq(rig.kernels.run(&rig.run), -EINVAL);
	ck_assert_uint_eq(rig.run.fault.address, RIG_CODE + 32);
	ck_assert_int_eq(rig_create_text("or t1s, 0, 0" RIG_END), 0);
	ck_assert_int_eq(rig.kernels.run(&rig.run), -ERANGE);
}

/*
 * Triangle of Surati's program d52, whose picture is that of a chip: a matrix from uniforms in a
 * called subroutine, the reciprocal of Wc by table, 12.4 coordinates packed by shifts. An exact
 * reciprocal gives -3195.
 */
ISA_TEST(a_vertex_program_gives_the_coordinates_of_the_chip) {
	static const float eye[4][3] = { { 0, -50, 50 }, { 50, -50, -50 }, { -4, -4, -4 },
		{ 1, 1, 1 } };
	static const float matrix[4][4] = { { 1.0f / 20 }, { 0, 1.0f / 15 }, { 0, 0, -1.5f, -2.5f },
		{ 0, 0, -1, 0 } };
	static const int16_t xs[3] = { 0, -3194, 3194 }, ys[3] = { -3193, 3193, 3193 };
	rig_open((enum isa)_i);
	memset(rig.in, 0, sizeof(rig.in));
	for (unsigned r = 0; r < 4; r++) {
		memcpy(rig.in[r], eye[r], sizeof(eye[r]));
		for (unsigned c = 0; c < 4; c++) {
			rig_uniform(4 * r + c, f32_bits(matrix[r][c]));
		}
	}
	rig_uniform(16, f32_bits(319.5f * 16));
	rig_uniform(17, f32_bits(-239.5f * 16));
	rig.run.n_lanes = 3;
	rig_text("ldi vr_setup, 0x00401a00\n"
		 "or ra0, vpm, vpm\nor ra1, vpm, vpm\nor ra2, vpm, vpm\nor ra3, vpm, vpm\n"
		 "brr ra31, 264\nnop\nnop\nnop\nor rb0, r0, r0\n" /* word 5 */
		 "brr ra31, 224\nnop\nnop\nnop\nor rb1, r0, r0\n"
		 "brr ra31, 184\nnop\nnop\nnop\nor rb2, r0, r0\n"
		 "brr ra31, 144\nnop\nnop\nnop\nor rb3, r0, r0\n"
		 "or recip, r0, r0\nnop\nnop\n" /* word 25 */
		 "fmul r1, rb0, r4\nfmul r1, r1, unif\nftoi r1, r1, r1\n"
		 "fmul r2, rb1, r4\nfmul r2, r2, unif\nftoi r2, r2, r2\n"
		 "ldi r3, 16\nshl r2, r2, r3\nshl r1, r1, r3\nshr r1, r1, r3\n"
		 "brr -, 104\nnop\nnop\nnop\n" /* word 38 */
		 "fmul r0, ra0, unif\nfmul r1, ra1, unif\n" /* word 42 */
		 "fadd r0, r0, r1; fmul r1, ra2, unif\n"
		 "fadd r0, r0, r1; fmul r1, ra3, unif\n"
		 "fadd r0, r0, r1\nbra -, ra31 + 0\nnop\nnop\nnop\nnop\nnop\nnop\nnop\n"
		 "or vpm, r1, r2\nor vpm, r4, r4\nor vpm, rb2, rb2");
	for (unsigned i = 0; i < 3; i++) {
		const uint32_t want = (uint32_t)(uint16_t)ys[i] << 16 | (uint16_t)xs[i];
		ck_assert_uint_eq(rig.out[0][i], want);
		ck_assert_uint_eq(rig.out[1][i], 0x3E7FFC00);
		ck_assert_uint_eq(rig.out[2][i], f32_bits(3.5f));
	}
}
