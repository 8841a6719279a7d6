/*
 * The shader units: numbers [fidelity: shader-numbers] and [fidelity: geometry-numbers]. Each
 * vertex program runs in every kernel of this machine, and all must give the same bits.
 */
#include "shader_rig.h"
#include "tests/suite.h"

/* ---- Functions ---- */

static double relative_error(double got, long double want) {
	return (double)fabsl((got - want) / want);
}

FIXTURE(setup, NULL)

TEST(log2_is_close_and_exact_at_powers) {
	for (int k = -1074; k < 1024; k++) {
		ck_assert_double_eq(math_log2(ldexp(1.0, k)), k);
	}
	for (int i = 1; i < 20000; i++) {
		double x = ldexp(1.0 + i / 20011.0, i % 300 - 150);
		ck_assert_double_lt(relative_error(math_log2(x), log2l(x)), 0x1p-49);
		/* around 1 the result is small, and still as accurate */
		double near = 1.0 + (i % 2 ? 1.0 : -1.0) * ldexp(1.0 + i / 20011.0, -2 - i % 45);
		ck_assert_double_lt(relative_error(math_log2(near), log2l(near)), 0x1p-49);
	}
	ck_assert_double_lt(relative_error(math_log2(0x1.8p-1070), log2l(0x1.8p-1070L)), 0x1p-49);
}

TEST(exp2_is_close_and_exact_at_integers) {
	for (int k = -1074; k < 1024; k++) {
		ck_assert_double_eq(math_exp2(k), ldexp(1.0, k));
	}
	for (int i = 0; i < 40000; i++) {
		double x = (i - 20000) / 20.0 + i / 40009.0;
		ck_assert_double_lt(relative_error(math_exp2(x), exp2l(x)), 0x1p-50);
	}
	ck_assert(isinf(math_exp2(1024.0)) && isinf(math_exp2(1e300)));
	ck_assert_double_eq(math_exp2(-1e300), 0.0);
	ck_assert(isnan(math_exp2(NAN)));
}

TEST(f24_of_binary64_truncates_once) {
	ck_assert_uint_eq(f32_bits(math_f24(1.0 / 3)), 0x3EAAAA80);
	ck_assert_uint_eq(f32_bits(math_f24(-1.0 / 3)), 0xBEAAAA80);
	/* binary32 would round this up to 1 first */
	ck_assert_uint_eq(f32_bits(math_f24(1.0 - 0x1p-40)), 0x3F7FFF80);
	ck_assert_uint_eq(f32_bits(math_f24(0x1p64)), 0x7F800000);
	ck_assert_uint_eq(f32_bits(math_f24(-0x1p64)), 0xFF800000);
	ck_assert_uint_eq(f32_bits(math_f24(0x1.ffffffffp63)), 0x5F7FFF80);
	ck_assert_uint_eq(f32_bits(math_f24(-0x1p-62)), 0xA0800000);
	ck_assert_uint_eq(f32_bits(math_f24(-0x1.fffp-63)), 0);
	ck_assert_uint_eq(f32_bits(math_f24(NAN)), 0x7FC00000);
}

/* ---- Decoding ---- */

#define SEL(x, y, z, w) { x, y, z, w }

TEST(words_of_the_assembler_decode) {
	static const struct {
		uint32_t word, desc;
		uint8_t op, dst, mask, n_src, src[3], swizzle[3][4], negate, rel, rel_src;
	} t[] = {
		/* mov o0, v0; mov r15, r0; mov r0.w, -r1.x; mov r0.xyz, -c95.zw */
		{ 0x4C000000, 0x36F, OP_MOV, 0, 15, 1, { 0 }, { SEL(0, 1, 2, 3) }, 0, 0, 0 },
		{ 0x4FE10000, 0x36F, OP_MOV, 31, 15, 1, { 16 }, { SEL(0, 1, 2, 3) }, 0, 0, 0 },
		{ 0x4E011000, 0x011, OP_MOV, 16, 8, 1, { 17 }, { SEL(0, 0, 0, 0) }, 1, 0, 0 },
		{ 0x4E07F000, 0x17FE, OP_MOV, 16, 7, 1, { 127 }, { SEL(2, 3, 3, 3) }, 1, 0, 0 },
		/* mov r0, c8[a0.x], c2[a0.y], c8[aL+3] */
		{ 0x4E0A8000, 0x36F, OP_MOV, 16, 15, 1, { 40 }, { SEL(0, 1, 2, 3) }, 0, 1, 0 },
		{ 0x4E122000, 0x36F, OP_MOV, 16, 15, 1, { 34 }, { SEL(0, 1, 2, 3) }, 0, 2, 0 },
		{ 0x4E1AB000, 0x36F, OP_MOV, 16, 15, 1, { 43 }, { SEL(0, 1, 2, 3) }, 0, 3, 0 },
		/* add r0.xy, c95.wzyx, -v1.yx; dph r0.y, v0, c3; mul r0, c7.xxxx, r1 */
		{ 0x0207F080, 0x103C8C, OP_ADD, 16, 3, 2, { 127, 1 },
				{ SEL(3, 2, 1, 0), SEL(1, 0, 0, 0) }, 2, 0, 0 },
		{ 0x62001180, 0x6C364, OP_DPHI, 16, 2, 2, { 0, 35 },
				{ SEL(0, 1, 2, 3), SEL(0, 1, 2, 3) }, 0, 0, 0 },
		{ 0x22027880, 0x6C00F, OP_MUL, 16, 15, 2, { 39, 17 },
				{ SEL(0, 0, 0, 0), SEL(0, 1, 2, 3) }, 0, 0, 0 },
		/* sge r0, r1, c5; mova a0.y, r1.y */
		{ 0x6A045280, 0x6C36F, OP_SGEI, 16, 15, 2, { 17, 37 },
				{ SEL(0, 1, 2, 3), SEL(0, 1, 2, 3) }, 0, 0, 0 },
		{ 0x48011000, 0xAA4, OP_MOVA, 0, 2, 1, { 17 }, { SEL(1, 1, 1, 1) }, 0, 0, 0 },
		/*
		 * mad r0, v0, c1, r1; mad r0, v0, r1, c1; mad r0, r1, c34[a0.x], r3; mad r0, r1,
		 * r3, c34[a0.y]
		 */
		{ 0xF0008620, 0xD86C36F, OP_MAD, 16, 15, 3, { 0, 33, 17 },
				{ SEL(0, 1, 2, 3), SEL(0, 1, 2, 3), SEL(0, 1, 2, 3) }, 0, 0, 0 },
		{ 0xD0011420, 0xD86C36F, OP_MADI, 16, 15, 3, { 0, 17, 33 },
				{ SEL(0, 1, 2, 3), SEL(0, 1, 2, 3), SEL(0, 1, 2, 3) }, 0, 0, 0 },
		{ 0xF0630A60, 0xD86C36F, OP_MAD, 16, 15, 3, { 17, 66, 19 },
				{ SEL(0, 1, 2, 3), SEL(0, 1, 2, 3), SEL(0, 1, 2, 3) }, 0, 1, 1 },
		{ 0xD0A33840, 0xD86C36F, OP_MADI, 16, 15, 3, { 17, 19, 66 },
				{ SEL(0, 1, 2, 3), SEL(0, 1, 2, 3), SEL(0, 1, 2, 3) }, 0, 2, 2 },
		/* mad r0.xyz, -r2.zyx, c4.w, -r3.y */
		{ 0xF0249260, 0x2AFFD21E, OP_MAD, 16, 7, 3, { 18, 36, 19 },
				{ SEL(2, 1, 0, 0), SEL(3, 3, 3, 3), SEL(1, 1, 1, 1) }, 5, 0, 0 },
	};
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct prog *p = program(SHADER_VS_WORDS, &t[i].word, 1, W_NOP,
				(const uint32_t[32]){ t[i].desc, t[i].desc }, 2);
		const struct prog_op *op = &p->ops[0];
		ck_assert_msg(op->op == t[i].op && op->dst == t[i].dst && op->mask == t[i].mask &&
				op->n_src == t[i].n_src, "word %08X", t[i].word);
		for (unsigned s = 0; s < op->n_src; s++) {
			ck_assert_uint_eq(op->src[s], t[i].src[s]);
			ck_assert_msg(memcmp(op->swizzle[s], t[i].swizzle[s], 4) == 0, "word %08X",
					t[i].word);
		}
		ck_assert_uint_eq(op->negate & ((1u << op->n_src) - 1), t[i].negate);
		ck_assert_uint_eq(op->rel, t[i].rel);
		ck_assert_uint_eq(op->rel_src, t[i].rel_src);
		prog_put(p);
	}
}

TEST(flow_words_of_the_assembler_decode) {
	/*
	 * cmp c0.x, eq, ne, r0.x; cmp r0.xy, lt, ge, r1.xy; breakc x; !y; x && !y; jmpc !x || y, 1;
	 * jmpu b1, 1; jmpu !b1, 1; setemit 1, prim; 2, inv; 2, prim inv
	 */
	struct prog *p = VS(0xB8220800, 0xBAA10880, 0x8F800000, 0x8EC00000, 0x8E400000, 0xB1000400,
			0xB4400400, 0xB4400401, 0xAD800000, 0xAE400000, 0xAEC00000);
	const struct prog_op *op = p->ops;
	ck_assert(op[0].op == OP_CMP && op[0].cmp[0] == 0 && op[0].cmp[1] == 1 &&
			op[0].src[0] == 32 && op[0].src[1] == 16);
	ck_assert(op[1].op == OP_CMP && op[1].cmp[0] == 2 && op[1].cmp[1] == 5 &&
			op[1].src[0] == 16 && op[1].src[1] == 17);
	ck_assert(op[2].op == OP_BREAKC && op[2].condition == CONDITION_X && op[2].ref[0]);
	ck_assert(op[3].op == OP_BREAKC && op[3].condition == CONDITION_Y && !op[3].ref[1]);
	ck_assert(op[4].op == OP_BREAKC && op[4].condition == CONDITION_AND && op[4].ref[0] &&
			!op[4].ref[1]);
	ck_assert(op[5].op == OP_JMPC && op[5].condition == CONDITION_OR && !op[5].ref[0] &&
			op[5].ref[1] &&
			op[5].target == 1);
	ck_assert(op[6].op == OP_JMPU && op[6].id == 1 && op[6].target == 1 && op[6].num == 0);
	ck_assert(op[7].op == OP_JMPU && op[7].id == 1 && op[7].target == 1 && op[7].num == 1);
	ck_assert(op[8].op == OP_SETEMIT && op[8].id == 1 && op[8].prim && !op[8].winding);
	ck_assert(op[9].op == OP_SETEMIT && op[9].id == 2 && !op[9].prim && op[9].winding);
	ck_assert(op[10].op == OP_SETEMIT && op[10].id == 2 && op[10].prim && op[10].winding);
	prog_put(p);
}

/* ---- Programs ---- */

TEST(a_whole_program) {
	static const uint32_t code[17] = { 0x08020000, 0x08021001, 0x08022002, 0x08023003,
		0x4E07F004, 0xA4C01800, 0x0207F805, 0x9C002401, 0x4E201006, 0x4E210006, 0xBB87F807,
		0xA2403800, 0x90004001, 0x84000000, 0x4C211006, 0x88000000, 0x22210886 };
	static const uint32_t desc[8] = { 0x0006C368, 0x0006C364, 0x0006C362, 0x0006C361,
		0x0000000F, 0x0006DFEF, 0x0006C36F, 0x00054AA0 };
	struct prog *p = program(SHADER_VS_WORDS, code, 17, W_NOP, desc, 8);
	for (unsigned k = 0; k < 4; k++) {
		u.c[k][k] = 1;
	}
	set_uniform(0x5F, 0, 1, -1, 0.5f);
	u.i[3][0] = 3;
	u.i[3][2] = 1;
	set_input(0, 1, 2, 3, 1);
	set_input(1, 0.25f, 0.5f, 0.75f, 1);
	for (unsigned flag = 0; flag < 2; flag++) {
		static const float o1[2][4] = { { 4, 4, 4, 4 }, { 0.5f, 1, 1.5f, 2 } };
		u.b = (uint16_t)flag;
		const struct watched *w = watch(p, 0, 1000);
		if (flag) {
			PATH(w, 0, 1, 2, 3, 4, 5, 6, 6, 6, 6, 7, 8, 10, 11, 12, 16, 13, 14, 15);
		} else {
			PATH(w, 0, 1, 2, 3, 4, 5, 6, 6, 6, 6, 7, 9, 10, 11, 12, 16, 13, 14, 15);
		}
		ck_assert_uint_eq(w->n, 19);
		ck_assert(w->o[0][0] == 1 && w->o[0][1] == 2 && w->o[0][2] == 3 && w->o[0][3] == 1);
		ck_assert(memcmp(w->o[1], o1[flag], sizeof(o1[flag])) == 0);
		ck_assert_int_eq(w->al, 4);
		ck_assert(w->cmp[0] && !w->cmp[1]);
	}
	prog_put(p);
}

TEST(nested_loops_multiply_and_restore_al) {
	/* mov r0, v0; for i3: for i2: add r0, r0, v0; mov o0, r0 */
	static const uint32_t code[] = { 0x4E000000, 0xA4C01000, 0xA4800C00, 0x02010000, 0x84000000,
		0x4C010000, 0x88000000 };
	struct prog *p = program(SHADER_VS_WORDS, code, 7, W_NOP, NULL, 0);
	u.i[3][0] = u.i[2][0] = 4;
	u.i[3][2] = u.i[2][2] = 1;
	set_input(0, 1, 1, 1, 1);
	const struct watched *w = watch(p, 0, 1000);
	assert_float(w->o[0][0], 26);
	ck_assert_uint_eq(w->n, 39);
	ck_assert_int_eq(w->al, 5);
	prog_put(p);
}

TEST(jump_at_the_end_of_an_if_is_overridden) {
	static const uint32_t code[] = { 0x9C000801, 0xB4001400, 0x4E000000, 0x88000000, 0x84000000,
		0x88000000 };
	struct prog *p = program(SHADER_VS_WORDS, code, 6, W_NOP, NULL, 0);
	u.b = 1;
	PATH(watch(p, 0, 100), 0, 1, 3);
	u.b = 0; /* else block, then on */
	PATH(watch(p, 0, 100), 0, 2, 3);
	prog_put(p);
}

TEST(loop_with_no_count_runs_once) {
	/* i = (0, 7, 3): mov o0, c40[aL] reads c47 */
	struct prog *p = VS(FLOW(LOOP, 1, 0, I(1)),
			op2(OP_MOV, 0, SHADER_C + 40, 0) | PUT(F1, IDX, 3), W_END);
	u.i[1][1] = 7;
	u.i[1][2] = 3;
	set_uniform(47, 1, 2, 3, 4);
	const struct watched *w = watch(p, 0, 100);
	PATH(w, 0, 1, 2);
	assert_float(w->o[0][3], 4);
	ck_assert_int_eq(w->al, 10);
	prog_put(p);
}

TEST(loop_runs_up_to_256_times) {
	struct prog *p = VS(FLOW(LOOP, 1, 0, I(0)), W_NOP, W_END);
	u.i[0][0] = 255;
	u.i[0][1] = 255;
	u.i[0][2] = 255;
	const struct watched *w = watch(p, 0, 1000);
	ck_assert_uint_eq(w->n, 258);
	ck_assert_int_eq(w->al, 255 + 256 * 255);
	prog_put(p);
}

TEST(jump_at_the_end_of_a_loop_is_overridden) {
	struct prog *p = VS(
			FLOW(LOOP, 1, 0, I(0)), FLOW(JMPU, 5, 1, B(0)), W_END, W_END, W_END, W_END);
	u.i[0][0] = 2;
	PATH(watch(p, 0, 100), 0, 1, 1, 1, 2);
	prog_put(p);
}

TEST(break_leaves_the_loop_and_counts_al) {
	struct prog *p = VS(FLOW(LOOP, 3, 0, I(0)), W_NOP, OPCODE(BREAK), W_NOP, W_END);
	u.i[0][0] = 9;
	u.i[0][2] = 1;
	const struct watched *w = watch(p, 0, 100);
	PATH(w, 0, 1, 2, 4);
	ck_assert_int_eq(w->al, 1);
	ck_assert_uint_eq(w->result.bad, 0);
	prog_put(p);
}

TEST(break_outside_a_loop_does_nothing_and_is_counted) {
	struct prog *p = VS(OPCODE(BREAK), FLOW(BREAKC, 0, 0, COND(CONDITION_X, 0, 0)), W_END);
	const struct watched *w = watch(p, 0, 100);
	PATH(w, 0, 1, 2);
	ck_assert_uint_eq(w->result.bad, 2);
	prog_put(p);
}

TEST(two_ifs_with_one_end_pop_once) {
	struct prog *p = VS(
			FLOW(IFU, 3, 2, B(0)), FLOW(IFU, 3, 0, B(0)), W_NOP, W_NOP, W_NOP, W_END);
	u.b = 1;
	PATH(watch(p, 0, 100), 0, 1, 2, 3, 4, 5);
	prog_put(p);
	/* with a NOP between, as assemblers do, the else block is skipped */
	p = VS(FLOW(IFU, 4, 2, B(0)), FLOW(IFU, 3, 0, B(0)), W_NOP, W_NOP, W_NOP, W_NOP, W_END);
	PATH(watch(p, 0, 100), 0, 1, 2, 3, 6);
	prog_put(p);
}

TEST(end_reached_by_a_jump_is_not_recognised) {
	/* a false if whose target is the end of the loop leaves it after one round */
	struct prog *p = VS(FLOW(LOOP, 2, 0, I(0)), FLOW(IFU, 3, 0, B(1)), W_NOP, W_END);
	u.i[0][0] = 1;
	PATH(watch(p, 0, 100), 0, 1, 3);
	prog_put(p);
}

TEST(call_at_the_end_of_a_procedure_chains_returns) {
	/* 0 call A; 1 end; A = 2: nop, 3: call B; B = 4: nop */
	struct prog *p = VS(FLOW(CALL, 2, 2, 0), W_END, W_NOP, FLOW(CALL, 4, 1, 0), W_NOP, W_END);
	PATH(watch(p, 0, 100), 0, 2, 3, 4, 1);
	prog_put(p);
}

TEST(call_at_the_end_of_an_if_is_overridden) {
	struct prog *p = VS(FLOW(IFU, 2, 1, B(0)), FLOW(CALL, 5, 1, 0), W_NOP, W_NOP, W_END, W_NOP,
			W_END);
	u.b = 1;
	PATH(watch(p, 0, 100), 0, 1, 3, 4);
	prog_put(p);
}

TEST(fourth_return_in_a_row_is_forgotten) {
	/* A = 2: call B; B = 3: call C; C = 4: call D; D = 5: nop. Without the bug: 0 2 3 4 5 1. */
	struct prog *p = VS(FLOW(CALL, 2, 1, 0), W_END, FLOW(CALL, 3, 1, 0), FLOW(CALL, 4, 1, 0),
			FLOW(CALL, 5, 1, 0), W_NOP, W_END);
	PATH(watch(p, 0, 100), 0, 2, 3, 4, 5, 3, 4, 5, 4, 5, 5, 6);
	prog_put(p);
}

TEST(fifth_call_loses_the_oldest_return) {
	struct prog *p = VS(FLOW(CALL, 2, 2, 0), W_END, FLOW(CALL, 4, 2, 0), W_NOP,
			FLOW(CALL, 6, 2, 0), W_NOP, FLOW(CALL, 8, 2, 0), W_NOP,
			FLOW(CALL, 10, 1, 0), W_NOP, W_NOP, W_END);
	PATH(watch(p, 0, 100), 0, 2, 4, 6, 8, 10, 9, 7, 5, 3, 4, 6, 8, 10, 9, 7, 5, 6, 8, 10, 9, 7,
			8, 10, 9, 10, 11);
	prog_put(p);
}

TEST(ninth_if_and_fifth_loop_lose_the_oldest) {
	/*
	 * Nine ifs that end at 12..20, the outermost last: its end at 20 is lost, so 21 (its else)
	 * runs.
	 */
	uint32_t code[32];
	for (unsigned i = 0; i < 32; i++) {
		code[i] = W_NOP;
	}
	code[31] = W_END;
	for (unsigned i = 0; i < 9; i++) {
		code[i] = FLOW(IFU, 20 - i, i == 0 ? 3 : 0, B(0));
	}
	struct prog *p = program(SHADER_VS_WORDS, code, 32, W_NOP, NULL, 0);
	u.b = 1;
	struct watched *w = watch(p, 0, 100);
	ck_assert_uint_eq(w->n, 32); /* with the ninth entry 20, 21 and 22 would be skipped: 29 */
	prog_put(p);
	code[0] = W_NOP;
	code[1] = FLOW(IFU, 19, 3, B(0)); /* eight: kept */
	p = program(SHADER_VS_WORDS, code, 32, W_NOP, NULL, 0);
	w = watch(p, 0, 100);
	ck_assert_uint_eq(w->n, 29);
	prog_put(p);

	/*
	 * Five nested loops of two rounds each: the outermost is lost, so 16 rounds are run, not
	 * 32.
	 */
	struct prog *q = VS(FLOW(LOOP, 9, 0, I(0)), FLOW(LOOP, 8, 0, I(0)), FLOW(LOOP, 7, 0, I(0)),
			FLOW(LOOP, 6, 0, I(0)), FLOW(LOOP, 5, 0, I(0)), op2(OP_ADD, 16, 16, 0),
			W_NOP, W_NOP, W_NOP, W_NOP, op2(OP_MOV, 0, 16, 0), W_END);
	u.i[0][0] = 1;
	set_input(0, 1, 1, 1, 1);
	w = watch(q, 0, 1000);
	assert_float(w->o[0][0], 16);
	prog_put(q);
}

TEST(conditions_of_jumps) {
	/* cmp x: eq, y: eq against v0 = (1, 0), v1 = (1, 1): flags (1, 0) */
	for (unsigned i = 0; i < 16; i++) {
		unsigned condop = i & 3, ref_x = i >> 2 & 1, ref_y = i >> 3;
		bool x = ref_x == 1, y = ref_y == 0;
		bool want = condop == 0 ? x || y : condop == 1 ? x && y : condop == 2 ? x : y;
		struct prog *p = VS(cmp(0, 0, 0, 1), FLOW(JMPC, 3, 0, COND(condop, ref_x, ref_y)),
				W_END, W_NOP, W_END);
		set_input(0, 1, 0, 0, 0);
		set_input(1, 1, 1, 0, 0);
		const struct watched *w = watch(p, 0, 100);
		ck_assert_uint_eq(w->n, want ? 4 : 3);
		prog_put(p);
	}
}

TEST(uniform_conditions) {
	struct prog *p = VS(FLOW(JMPU, 2, 0, B(4)), W_END, FLOW(JMPU, 4, 1, B(4)), W_END, W_END);
	u.b = 1 << 4;
	PATH(watch(p, 0, 100), 0, 2, 3);
	u.b = 0;
	PATH(watch(p, 0, 100), 0, 1);
	prog_put(p);
	p = VS(FLOW(CALLU, 3, 1, B(15)), FLOW(CALLU, 4, 1, B(14)), W_END, W_NOP, W_NOP);
	u.b = 0x8000;
	PATH(watch(p, 0, 100), 0, 3, 1, 2);
	u.b = 0x4000;
	PATH(watch(p, 0, 100), 0, 1, 4, 2);
	prog_put(p);
}

/* ---- Bounds ---- */

/* In C each lane does, in others all of them at once. */
TEST(run_pauses_when_its_slice_is_over) {
	struct prog *p = VS(FLOW(JMPU, 0, 1, B(0)), W_END);
	for (enum isa isa = ISA_C; isa < ISA_COUNT; isa++) {
		if (isa_available(isa)) {
			struct shader_result r = { 0 };
			const unsigned pauses = run_in_slices(isa, p, 0, 0, 4, 20000, &r);
			ck_assert_uint_eq(pauses, isa == ISA_C ? 16 : 4);
			ck_assert_uint_eq(r.cut, 4);
			ck_assert_uint_eq(r.steps, 80000);
		}
	}
	prog_put(p);
}

TEST(endless_programs_end_with_the_budget) {
	struct prog *p = VS(op2(OP_MOV, 0, 0, 0), FLOW(JMPU, 1, 1, B(0)), W_END);
	set_input(0, 3, 3, 3, 3);
	struct shader_result r = run_lanes(p, 0, 0, 20, 1000);
	ck_assert_uint_eq(r.steps, 20000);
	ck_assert_uint_eq(r.cut, 20);
	assert_float(batch.o[0][0][19], 3); /* what was written stays */
	prog_put(p);
	/* END as the last instruction of the budget is an end */
	p = VS(W_NOP, W_NOP, W_END);
	ck_assert_uint_eq(run_lanes(p, 0, 0, 4, 3).cut, 0);
	ck_assert_uint_eq(run_lanes(p, 0, 0, 4, 2).cut, 4);
	ck_assert_uint_eq(run_lanes(p, 0, 0, 4, 0).steps, 0);
	prog_put(p);
	/* no END at all, endless recursion */
	p = VS(W_NOP);
	ck_assert_uint_eq(run_lanes(p, 0, 0, 2, 100000).cut, 2);
	prog_put(p);
	p = VS(FLOW(CALL, 0, 2, 0), W_END);
	ck_assert_uint_eq(run_lanes(p, 0, 0, 2, 100000).cut, 2);
	prog_put(p);
}

TEST(addresses_wrap_in_the_code_memory) {
	struct prog *p = VS(W_NOP, W_NOP, FLOW(JMPU, 0xE05, 1, B(0)), W_NOP, W_NOP, W_NOP, W_END);
	PATH(watch(p, 0xFFFF, 100), 511, 0, 1, 2, 5, 6);
	prog_put(p);
}

TEST(unknown_opcodes_do_nothing_and_are_counted) {
	static const uint8_t codes[] = { 0x10, 0x11, 0x14, 0x15, 0x16, 0x17, 0x1C, 0x1D, 0x1E,
		0x1F };
	uint32_t words[11];
	for (unsigned i = 0; i < 10; i++) {
		words[i] = (uint32_t)codes[i] << 26 | 0x3FFFFFF;
	}
	words[10] = W_END;
	struct prog *p = program(SHADER_VS_WORDS, words, 11, W_NOP, NULL, 0);
	struct shader_result r = run_lanes(p, 0, 0, 6, 100);
	ck_assert_uint_eq(r.bad, 60);
	ck_assert_uint_eq(r.steps, 66);
	prog_put(p);
}

TEST(emit_does_nothing_in_a_vertex_program) {
	struct prog *p = VS(0xAD800000, W_EMIT, op2(OP_MOV, 0, 0, 0), W_END);
	set_input(0, 1, 2, 3, 4);
	ck_assert_uint_eq(run_lanes(p, 0, 0, 1, 100).bad, 0);
	assert_float(batch.o[0][3][0], 4);
	prog_put(p);
}

/* ---- Lanes ---- */

TEST(lanes_may_branch_differently) {
	/*
	 * r0 counts 1, 2, ... in a loop until it is not below v0.x, then out; o1 tells odd from
	 * even v0.y.
	 */
	struct prog *p = VS(
			FLOW(LOOP, 4, 0, I(0)), op2(OP_ADD, 16, 16, 1), cmp(5, 5, 16, 0),
			FLOW(BREAKC, 0, 0, COND(CONDITION_X, 1, 0)), W_NOP,
			op2(OP_MOV, 0, 16, 0), cmp(0, 0, 0, 1),
			FLOW(IFC, 10, 2, COND(CONDITION_Y, 0, 1)),
			op2(OP_MOV, 2, 0, 0), op2(OP_ADD, 1, 16, 16),
			op2(OP_ADD, 1, 16, 1), W_NOP, W_END);
	u.i[0][0] = 99;
	set_input(1, 1, 1, 1, 1);
	uint64_t steps = 0;
	for (unsigned lane = 0; lane < SHADER_LANES; lane++) {
		unsigned rounds = 1 + lane * 7 % 5;
		for (unsigned k = 0; k < 4; k++) {
			batch.v[0][k][lane] = (float)rounds;
		}
		batch.v[0][1][lane] = (float)(lane % 2); /* 1: equal to v1.y */
		/*
		 * LOOP; add, cmp, breakc a round and nop between rounds; mov, cmp, ifc; a block of
		 * 2; end
		 */
		steps += 1 + 4 * rounds - 1 + 3 + 2 + 1;
	}
	struct shader_result r = run_lanes(p, 0, 0, SHADER_LANES, 1000);
	ck_assert_uint_eq(r.steps, steps);
	for (unsigned lane = 0; lane < SHADER_LANES; lane++) {
		float rounds = (float)(1 + lane * 7 % 5);
		assert_float(batch.o[0][0][lane], rounds);
		assert_float(batch.o[1][2][lane], lane % 2 ? 2 * rounds : rounds + 1);
		assert_float(batch.o[2][0][lane], lane % 2 ? rounds : 0);
	}
	prog_put(p);
}

TEST(unread_outputs_may_stay) {
	struct prog *p = VS(op2(OP_MOV, 1, 0, 0), W_END);
	struct shader_result r = { 0 };
	set_input(0, 1, 2, 3, 4);
	for (enum isa isa = ISA_C; isa < ISA_COUNT; isa++) {
		if (isa_available(isa)) {
			memset(batch.o, 0x77, sizeof(batch.o));
			batch.o_unread = (uint16_t)~7u; /* o0 to o2 are read */
			kernels[isa].run[PICA_FLOAT_F24](p, 0, &u, &batch, 32, 100, &r, NULL);
			for (unsigned lane = 0; lane < 32; lane++) {
				assert_float(batch.o[0][3][lane], 0);
				assert_float(batch.o[1][3][lane], 4);
				assert_float(batch.o[2][0][lane], 0);
			}
		}
	}
	prog_put(p);
}

TEST(no_lanes_do_nothing) {
	struct prog *p = VS(W_END);
	struct shader_result r = run_lanes(p, 0, 0, 0, 100);
	ck_assert_uint_eq(r.steps, 0);
	prog_put(p);
}
