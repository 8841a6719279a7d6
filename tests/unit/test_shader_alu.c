/*
 * Arithmetic and relative addressing of shaders, against the numbers [fidelity: shader-numbers];
 * every vector set.
 */
#include "shader_rig.h"
#include "tests/suite.h"

/* ---- Arithmetic ---- */

#define INF INFINITY

struct vec4 {
	float x, y, z, w;
};

/* op(a, b, c) -> o0, in both directions of wide operands; every kernel. */
static struct vec4 eval(enum shader_op op, struct vec4 a, struct vec4 b, struct vec4 c,
		enum pica_float mode) {
	set_input(0, a.x, a.y, a.z, a.w);
	set_input(1, b.x, b.y, b.z, b.w);
	set_input(2, c.x, c.y, c.z, c.w);
	uint32_t word = op == OP_MAD || op == OP_MADI ? op3(op, 0, 0, 1, 2) : op2(op, 0, 0, 1);
	struct prog *p = VS(word, W_END);
	run_lanes(p, 0, mode, 7, 100);
	prog_put(p);
	return (struct vec4){ batch.o[0][0][3], batch.o[0][1][3], batch.o[0][2][3],
		batch.o[0][3][3] };
}

static struct vec4 all(float x) {
	return (struct vec4){ x, x, x, x };
}

static float f24(enum shader_op op, float a, float b, float c) {
	struct vec4 r = eval(op, all(a), all(b), all(c), PICA_FLOAT_F24);
	ck_assert_uint_eq(f32_bits(r.x), f32_bits(r.y));
	ck_assert_uint_eq(f32_bits(r.x), f32_bits(r.w));
	return r.x;
}

FIXTURE(setup, NULL)

TEST(reciprocals_of_special_values) {
	assert_float(f24(OP_RCP, 0, 0, 0), INF);
	assert_float(f24(OP_RCP, -0.0f, 0, 0), INF);
	assert_float(f24(OP_RCP, INF, 0, 0), 0);
	assert_float(f24(OP_RCP, -INF, 0, 0), 0);
	assert_float(f24(OP_RCP, NAN, 0, 0), NAN);
	assert_float(f24(OP_RSQ, 0, 0, 0), INF);
	assert_float(f24(OP_RSQ, -0.0f, 0, 0), INF);
	assert_float(f24(OP_RSQ, 1, 0, 0), 1);
	assert_float(f24(OP_RSQ, -1, 0, 0), NAN);
	assert_float(f24(OP_RSQ, -INF, 0, 0), NAN);
	assert_float(f24(OP_RSQ, NAN, 0, 0), NAN);
	assert_float(f24(OP_RSQ, INF, 0, 0), 0);
	assert_float(f24(OP_RSQ, f24(OP_RCP, -INF, 0, 0), 0, 0), INF);
	assert_float(f24(OP_RCP, 16, 0, 0), 0.0625f);
	assert_float(f24(OP_RSQ, 16, 0, 0), 0.25f);
}

TEST(max_and_min_are_the_ternaries) {
	assert_float(f24(OP_MAX, 0, INF, 0), INF);
	assert_float(f24(OP_MAX, 0, -INF, 0), 0);
	assert_bits(f24(OP_MAX, 0, NAN, 0), f32_bits(NAN));
	assert_float(f24(OP_MAX, NAN, 0, 0), 0);
	assert_float(f24(OP_MAX, -INF, INF, 0), INF);
	assert_float(f24(OP_MIN, 0, INF, 0), 0);
	assert_float(f24(OP_MIN, 0, -INF, 0), -INF);
	assert_bits(f24(OP_MIN, 0, NAN, 0), f32_bits(NAN));
	assert_float(f24(OP_MIN, NAN, 0, 0), 0);
	assert_float(f24(OP_MIN, -INF, INF, 0), -INF);
}

TEST(infinity_times_zero_is_zero) {
	const float nan = NAN;
	assert_float(f24(OP_ADD, INF, -INF, 0), NAN);
	assert_float(f24(OP_MUL, INF, 0, 0), 0);
	assert_float(f24(OP_MUL, 0, -INF, 0), 0);
	assert_float(f24(OP_MUL, nan, 0, 0), NAN);
	assert_float(f24(OP_MUL, 0, nan, 0), NAN);
	assert_float(f24(OP_MAD, INF, 0, 1), 1);
	assert_float(f24(OP_MADI, INF, 0, 1), 1);
	struct vec4 r = eval(OP_DP4, (struct vec4){ INF, 1, 0, 1 }, (struct vec4){ 0, 1, INF, 1 },
			all(0), 0);
	assert_float(r.x, 2);
	r = eval(OP_DP3, (struct vec4){ INF, INF, 0, 9 }, (struct vec4){ 0, 0, INF, 9 }, all(0), 0);
	assert_float(r.y, 0);
	r = eval(OP_DPH, (struct vec4){ INF, INF, INF, 9 }, (struct vec4){ 0, 0, 0, 1 }, all(0), 0);
	assert_float(r.z, 1);
	r = eval(OP_DPHI, (struct vec4){ INF, INF, INF, 9 }, (struct vec4){ 0, 0, 0, 1 }, all(0),
			0);
	assert_float(r.w, 1);
}

TEST(comparisons_with_nan_and_infinity) {
	for (unsigned i = 0; i < 4; i++) {
		static const enum shader_op ops[] = { OP_SGE, OP_SLT, OP_SGEI, OP_SLTI };
		assert_float(f24(ops[i], NAN, 1, 0), 0);
		assert_float(f24(ops[i], 1, NAN, 0), 0);
		assert_float(f24(ops[i], INF, INF, 0), i % 2 ? 0 : 1);
		assert_float(f24(ops[i], INF, -INF, 0), i % 2 ? 0 : 1);
		assert_float(f24(ops[i], 1, 2, 0), i % 2 ? 1 : 0);
	}
}

TEST(exponentials_and_logarithms) {
	assert_float(f24(OP_EX2, -INF, 0, 0), 0);
	assert_float(f24(OP_EX2, INF, 0, 0), INF);
	assert_float(f24(OP_EX2, NAN, 0, 0), NAN);
	assert_float(f24(OP_EX2, 6, 0, 0), 64);
	assert_float(f24(OP_EX2, 64, 0, 0), INF);
	assert_float(f24(OP_EX2, -62, 0, 0), 0x1p-62f);
	assert_float(f24(OP_EX2, -62.5f, 0, 0), 0);
	assert_float(f24(OP_EX2, 1e9f, 0, 0), INF);
	assert_bits(f24(OP_EX2, 0.5f, 0, 0), 0x3FB50480);
	assert_float(f24(OP_LG2, 0, 0, 0), -INF);
	assert_float(f24(OP_LG2, f24(OP_RCP, -INF, 0, 0), 0, 0), -INF);
	assert_float(f24(OP_LG2, -1, 0, 0), NAN);
	assert_float(f24(OP_LG2, -INF, 0, 0), NAN);
	assert_float(f24(OP_LG2, INF, 0, 0), INF);
	assert_float(f24(OP_LG2, NAN, 0, 0), NAN);
	assert_float(f24(OP_LG2, 4, 0, 0), 2);
	assert_float(f24(OP_LG2, 64, 0, 0), 6);
	assert_float(f24(OP_LG2, 1, 0, 0), 0);
	assert_bits(f24(OP_LG2, 3, 0, 0), 0x3FCAE000);
}

TEST(results_are_truncated_to_f24) {
	assert_bits(f24(OP_RCP, 10, 0, 0), 0x3DCCCC80);
	assert_bits(f24(OP_RSQ, 100, 0, 0), 0x3DCCCC80); /* 0.09999943 */
	assert_bits(f24(OP_RCP, 3, 0, 0), 0x3EAAAA80);
	assert_bits(f24(OP_RSQ, 2, 0, 0), 0x3F350480);
	assert_bits(f24(OP_MUL, f24_truncate(0.1f), f24_truncate(0.1f), 0), 0x3C23D680);
	assert_float(f24(OP_ADD, 1, 0x1p-17f, 0), 1);
	assert_bits(f24(OP_MAD, f24_truncate(0.1f), 10, -1), 0xB7000000);
	assert_bits(f24(OP_MADI, f24_truncate(0.1f), 10, -1), 0xB7000000);
	assert_float(f24(OP_MUL, 1e10f, 1e10f, 0), INF);
	assert_float(f24(OP_MUL, -1e10f, 1e10f, 0), -INF);
	/* to a byte: 25, as on the console */
	ck_assert_int_eq((int)(f24(OP_RCP, 10, 0, 0) * 255.0f + 0.5f), 25);
	assert_float(f24(OP_FLR, -0.1f, 0, 0), -1);
	assert_float(f24(OP_FLR, 1.5f, 0, 0), 1);
	assert_float(f24(OP_FLR, -1.5f, 0, 0), -2);
	assert_float(f24(OP_FLR, -0.0f, 0, 0), 0);
	assert_float(f24(OP_FLR, -INF, 0, 0), -INF);
	assert_float(f24(OP_FLR, NAN, 0, 0), NAN);
}

TEST(subnormals_are_flushed_by_arithmetic_only) {
	const float s = f24_to_f32(0xFFFF); /* the largest f24 subnormal */
	assert_float(f24(OP_MAX, s, 0, 0), s);
	assert_float(f24(OP_MOV, s, 0, 0), s);
	assert_float(f24(OP_MUL, s, 2, 0), 0);
	assert_float(f24(OP_ADD, s, 0, 0), 0);
	assert_float(f24(OP_ADD, 0x1p-62f, -0.0f, 0), 0x1p-62f);
	assert_float(f24(OP_ADD, -0x1p-62f, s, 0), -0x1p-62f);
	assert_float(f24(OP_ADD, -0x1p-62f, -s, 0), -0x1p-62f);
	assert_float(f24(OP_MUL, 0x1p-62f, 0.5f, 0), 0);
	assert_float(f24(OP_RCP, s, 0, 0), INF);
	assert_float(f24(OP_FLR, -s, 0, 0), 0);
	assert_float(f24(OP_SLT, 0, s, 0), 1);
	float x = 1;
	for (int i = 0; i < 62; i++) {
		x = f24(OP_MUL, x, 0.5f, 0);
	}
	assert_float(x, 0x1p-62f);
	assert_float(f24(OP_MUL, x, 0.5f, 0), 0);
	/* products below and sums that cancel below 2^-62 */
	assert_float(f24(OP_ADD, 0x1.0001p-61f, -0x1p-61f, 0), 0);
	assert_float(f24(OP_MAD, 0x1p-31f, 0x1p-31f, -0x1p-62f), 0);
	assert_float(f24(OP_MAD, 0x1p-32f, 0x1p-31f, 1), 1);
	assert_float(f24(OP_MUL, -1, 0, 0), 0); /* no negative zero */
	assert_float(f24(OP_ADD, -0.0f, -0.0f, 0), 0);
}

TEST(f32_mode_neither_truncates_nor_flushes) {
	struct vec4 r = eval(OP_RCP, all(10), all(0), all(0), PICA_FLOAT_F32);
	assert_float(r.x, 0.1f);
	r = eval(OP_MUL, all(0x1p-100f), all(0x1p-40f), all(0), PICA_FLOAT_F32);
	assert_float(r.x, 0x1p-140f);
	r = eval(OP_MUL, all(1e10f), all(1e10f), all(0), PICA_FLOAT_F32);
	assert_float(r.x, 1e10f * 1e10f);
	r = eval(OP_MUL, all(INF), all(0), all(0), PICA_FLOAT_F32);
	assert_float(r.x, 0);
	r = eval(OP_ADD, all(INF), all(-INF), all(0), PICA_FLOAT_F32);
	assert_float(r.x, NAN);
	r = eval(OP_EX2, all(0.5f), all(0), all(0), PICA_FLOAT_F32);
	assert_float(r.x, (float)sqrt(2.0));
	r = eval(OP_EX2, all(128), all(0), all(0), PICA_FLOAT_F32);
	assert_float(r.x, INF);
	r = eval(OP_LG2, all(10), all(0), all(0), PICA_FLOAT_F32);
	assert_float(r.x, (float)log2(10.0));
	r = eval(OP_RCP, all(-0.0f), all(0), all(0), PICA_FLOAT_F32);
	assert_float(r.x, INF);
	r = eval(OP_RSQ, all(-0.0f), all(0), all(0), PICA_FLOAT_F32);
	assert_float(r.x, INF);
}

TEST(dst_takes_one_product_and_two_copies) {
	for (unsigned i = 0; i < 2; i++) {
		struct vec4 r = eval(i ? OP_DSTI : OP_DST, (struct vec4){ 9, 2, 3, 9 },
				(struct vec4){ 9, 5, 9, 7 }, all(0), 0);
		assert_float(r.x, 1);
		assert_float(r.y, 10);
		assert_float(r.z, 3);
		assert_float(r.w, 7);
	}
}

TEST(litp_clamps_and_sets_flags) {
	static const struct {
		struct vec4 in, out;
		bool x, y;
	} t[] = {
		{ { -1, 64, 5, -1 }, { 0, 64, 0, 0 }, false, false },
		{ { 1, 200, 5, 1 }, { 1, 127.99609375f, 0, 1 }, true, true },
		{ { 0, -300, 5, -0.5f }, { 0, -127.99609375f, 0, 0 }, true, false },
		{ { -0.0f, 0, 5, 0 }, { 0, 0, 0, 0 }, true, true },
	};
	for (unsigned i = 0; i < 4; i++) {
		set_input(0, t[i].in.x, t[i].in.y, t[i].in.z, t[i].in.w);
		struct prog *p = VS(op2(OP_LITP, 0, 0, 0), W_END);
		const struct watched *w = watch(p, 0, 100);
		assert_float(w->o[0][0], t[i].out.x);
		assert_float(w->o[0][1], t[i].out.y);
		assert_float(w->o[0][2], t[i].out.z);
		assert_float(w->o[0][3], t[i].out.w);
		ck_assert(w->cmp[0] == t[i].x && w->cmp[1] == t[i].y);
		prog_put(p);
	}
}

TEST(cmp_sets_both_flags_whatever_the_mask) {
	static const struct {
		float a, b;
		uint8_t result; /* bit: operator */
	} t[] = {
		{ 1, 2, 0xCE }, { 2, 1, 0xF2 }, { 1, 1, 0xE9 }, { NAN, 1, 0xC2 }, { 1, NAN, 0xC2 },
		{ 0.0f, -0.0f, 0xE9 }, { 1e-30f, 0, 0xF2 },
	};
	const uint32_t desc = IDENTITY & ~15u; /* no component in the mask */
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		for (unsigned op = 0; op < 8; op++) {
			set_input(0, t[i].a, t[i].a, 0, 0);
			set_input(1, t[i].b, t[i].b, 0, 0);
			const uint32_t code[] = { cmp(op, op ^ 1, 0, 1), W_END };
			struct prog *p = program(SHADER_VS_WORDS, code, 2, W_NOP, &desc, 1);
			const struct watched *w = watch(p, 0, 100);
			ck_assert_int_eq(w->cmp[0], t[i].result >> op & 1);
			ck_assert_int_eq(w->cmp[1], t[i].result >> (op ^ 1) & 1);
			prog_put(p);
		}
	}
}

TEST(sources_are_read_before_the_destination_is_written) {
	/*
	 * r0 = v0; r0 = r0.yzwx + r0.wzyx; o0 = r0. 6C = 01 10 11 00: yzwx; E4 = 11 10 01 00: wzyx
	 */
	const uint32_t swapped[] = { IDENTITY, 0xF | 0x6Cu << 5 | 0xE4u << 14 };
	const uint32_t code[] = { op2(OP_MOV, 16, 0, 0), op2(OP_ADD, 16, 16, 16) | 1,
		op2(OP_MOV, 0, 16, 0), W_END };
	struct prog *p = program(SHADER_VS_WORDS, code, 4, W_NOP, swapped, 2);
	set_input(0, 1, 10, 100, 1000);
	run_lanes(p, 0, 0, 9, 100);
	assert_float(batch.o[0][0][0], 10 + 1000);
	assert_float(batch.o[0][1][0], 100 + 100);
	assert_float(batch.o[0][2][0], 1000 + 10);
	assert_float(batch.o[0][3][0], 1 + 1);
	prog_put(p);
}

TEST(only_components_of_the_mask_are_written) {
	const uint32_t desc[] = { (IDENTITY & ~15u) | 10, (IDENTITY & ~15u) | 1 }; /* xz, w */
	const uint32_t code[] = { op2(OP_MOV, 3, 0, 0), op2(OP_DP4, 3, 0, 0) | 1, W_END };
	struct prog *p = program(SHADER_VS_WORDS, code, 3, W_NOP, desc, 2);
	set_input(0, 1, 2, 3, 4);
	run_lanes(p, 0, 0, SHADER_LANES, 100);
	assert_float(batch.o[3][0][31], 1);
	assert_float(batch.o[3][1][31], 0);
	assert_float(batch.o[3][2][31], 3);
	assert_float(batch.o[3][3][31], 30);
	assert_float(batch.o[4][0][31], 0);
	prog_put(p);
}

/* ---- Relative addressing ---- */

TEST(relative_addresses_wrap_and_fall_back) {
	static const struct {
		int off;
		float value;
	} t[] = { { 0, 40 }, { 13, 53 }, { 50, 90 }, { 60, 1 }, { 74, 1 }, { 87, 1 }, { 88, 0 },
		{ 127, 39 }, { 128, 40 }, { -40, 0 }, { -42, 1 }, { -70, 1 }, { -73, 95 },
		{ -127, 41 }, { -128, 40 }, { -129, 40 } };
	const unsigned n = sizeof(t) / sizeof(t[0]);
	for (unsigned i = 0; i < SHADER_UNIFORMS; i++) {
		set_uniform(i, (float)i, (float)i, (float)i, (float)i);
	}
	/* a0.x, a0.y: mova a0.xy, v0; mov o0, c40[a0.x]; mov o1, -c40[a0.y] */
	const uint32_t desc[] = { IDENTITY, IDENTITY | 1u << OPDESC_NEG1_LOW };
	const uint32_t code[] = { op2(OP_MOVA, 0, 0, 0),
		op2(OP_MOV, 0, SHADER_C + 40, 0) | PUT(F1, IDX, 1),
		op2(OP_MOV, 1, SHADER_C + 40, 0) | PUT(F1, IDX, 2) | 1, W_END };
	struct prog *p = program(SHADER_VS_WORDS, code, 4, W_NOP, desc, 2);
	for (unsigned same = 0; same < 2; same++) {
		for (unsigned first = 0; first < n; first++) {
			for (unsigned lane = 0; lane < n; lane++) {
				batch.v[0][0][lane] =
						(float)t[same ? first : (first + lane) % n].off;
				batch.v[0][1][lane] =
						(float)t[same ? first : (first + lane + 5) % n].off;
			}
			run_lanes(p, 0, 0, n, 100);
			for (unsigned lane = 0; lane < n; lane++) {
				assert_float(batch.o[0][2][lane],
						t[same ? first : (first + lane) % n].value);
				assert_float(batch.o[1][2][lane],
						-t[same ? first : (first + lane + 5) % n].value);
			}
		}
	}
	prog_put(p);
	/* aL: one round of a loop that starts it with i0.y */
	p = VS(FLOW(LOOP, 1, 0, I(0)), op2(OP_MOV, 0, SHADER_C + 40, 0) | PUT(F1, IDX, 3), W_END);
	for (unsigned i = 0; i < n; i++) {
		if (t[i].off >= 0) {
			u.i[0][1] = (uint8_t)t[i].off;
			run_lanes(p, 0, 0, 5, 100);
			assert_float(batch.o[0][3][4], t[i].value);
		}
	}
	prog_put(p);
}

TEST(relative_addressing_is_for_uniforms_only) {
	/* mova a0.x, v0; mov o0, v1[a0.x]: v1 itself */
	struct prog *p = VS(op2(OP_MOVA, 0, 0, 0), op2(OP_MOV, 0, 1, 0) | PUT(F1, IDX, 1), W_END);
	set_input(0, 2, 2, 2, 2);
	set_input(1, 5, 5, 5, 5);
	set_input(3, 6, 6, 6, 6);
	run_lanes(p, 0, 0, 4, 100);
	assert_float(batch.o[0][0][0], 5);
	prog_put(p);
}

TEST(mova_truncates_and_ignores_non_integers) {
	static const struct {
		float x;
		unsigned c;
	} t[] = { { 0.9f, 40 }, { -0.9f, 40 }, { 1.9f, 41 }, { -1.9f, 39 }, { 127.9f, 39 },
		{ NAN, 40 }, { INF, 40 }, { -INF, 40 }, { 3e9f, 40 }, { -3e9f, 40 },
		{ -2147483648.0f, 40 } };
	for (unsigned i = 0; i < SHADER_UNIFORMS; i++) {
		set_uniform(i, (float)i, 0, 0, 0);
	}
	struct prog *p = VS(op2(OP_MOVA, 0, 0, 0),
			op2(OP_MOV, 0, SHADER_C + 40, 0) | PUT(F1, IDX, 1), W_END);
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		set_input(0, t[i].x, 0, 0, 0);
		run_lanes(p, 0, 0, 4, 100);
		assert_float(batch.o[0][0][1], (float)t[i].c);
	}
	prog_put(p);
}
