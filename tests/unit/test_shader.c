/*
 * The shader units: numbers of spec/shader.md 17 and geometry.md 16.9. What runs in a vertex
 * program runs in every kernel of this machine, and all must give the same bits.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/f24.h"
#include "base/mathfn.h"
#include "shader/prog.h"
#include "shader/shader.h"

static struct shader_kernels kernels[ISA_COUNT];
static struct shader_uniforms u;
static struct shader_batch batch;

/* ---- Words ---- */

#define PUT(format, field, x) \
	(((uint32_t)(x) & ((1u << format##_##field##_BITS) - 1)) << format##_##field##_LOW)
#define OPCODE(op) ((uint32_t)shader_ops[OP_##op].code << F0_OPCODE_LOW)
#define FLOW(op, target, num, rest) \
	(OPCODE(op) | PUT(F2, TARGET, target) | PUT(F2, NUM, num) | (rest))
#define COND(condop, x, y) (PUT(F2, CONDOP, condop) | PUT(F2, REF_X, x) | PUT(F2, REF_Y, y))
#define B(n) PUT(F3, BOOL, n)
#define I(n) PUT(F3, INT, n)

#define IDENTITY 0x0D86C36Fu /* descriptor: xyzw, no swizzle */
#define W_NOP 0x84000000u
#define W_END 0x88000000u
#define W_EMIT 0xA8000000u

/* op dst, src1, src2 with descriptor 0 */
static uint32_t op2(enum shader_op op, unsigned dst, unsigned src1, unsigned src2) {
	uint32_t code = (uint32_t)shader_ops[op].code << F0_OPCODE_LOW;
	if (shader_ops[op].format == FORMAT_F1I) {
		return code | PUT(F1I, DST, dst) | PUT(F1I, SRC1, src1) | PUT(F1I, SRC2, src2);
	}
	return code | PUT(F1, DST, dst) | PUT(F1, SRC1, src1) | PUT(F1, SRC2, src2);
}

static uint32_t op3(enum shader_op op, unsigned dst, unsigned s1, unsigned s2, unsigned s3) {
	uint32_t code = (uint32_t)shader_ops[op].code << F0_OPCODE_LOW;
	if (op == OP_MADI) {
		return code | PUT(F5I, DST, dst) | PUT(F5I, SRC1, s1) | PUT(F5I, SRC2, s2) | PUT(F5I, SRC3,
				s3);
	}
	return code | PUT(F5, DST, dst) | PUT(F5, SRC1, s1) | PUT(F5, SRC2, s2) | PUT(F5, SRC3, s3);
}

static uint32_t cmp(unsigned x, unsigned y, unsigned src1, unsigned src2) {
	return OPCODE(CMP) | PUT(F1C, CMP_X, x) | PUT(F1C, CMP_Y, y) | PUT(F1C, SRC1, src1) |
			PUT(F1C, SRC2, src2);
}

/* n_code words, then fill; descriptors: those given, then identities. */
static struct prog *program(unsigned n_words, const uint32_t *code, unsigned n_code, uint32_t fill,
		const uint32_t *desc, unsigned n_desc) {
	static uint32_t words[SHADER_GS_WORDS];
	uint32_t descriptors[128];
	for (unsigned i = 0; i < n_words; i++) {
		words[i] = i < n_code ? code[i] : fill;
	}
	for (unsigned i = 0; i < 128; i++) {
		descriptors[i] = i < n_desc ? desc[i] : IDENTITY;
	}
	struct prog *p = prog_create(words, n_words, descriptors);
	ck_assert_ptr_nonnull(p);
	return p;
}

#define VS(...) program(SHADER_VS_WORDS, (const uint32_t[]){ __VA_ARGS__ }, \
		sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), W_NOP, NULL, 0)

/* ---- Running ---- */

static void setup(void) {
	memset(&u, 0, sizeof(u));
	memset(&batch, 0, sizeof(batch));
	for (enum isa isa = ISA_C; isa < ISA_COUNT; isa++) {
		shader_kernels_init(&kernels[isa], isa);
	}
}

static void set_input(unsigned reg, float x, float y, float z, float w) {
	const float v[4] = { x, y, z, w };
	for (unsigned k = 0; k < 4; k++) {
		for (unsigned lane = 0; lane < SHADER_LANES; lane++) {
			batch.v[reg][k][lane] = v[k];
		}
	}
}

static void set_uniform(unsigned reg, float x, float y, float z, float w) {
	u.c[reg][0] = x;
	u.c[reg][1] = y;
	u.c[reg][2] = z;
	u.c[reg][3] = w;
}

/* Runs lanes 0..n-1 in C, then in each other kernel: same outputs, same counts. */
static struct shader_result run_lanes(const struct prog *p, unsigned entry, enum pica_float mode,
		unsigned n, uint64_t budget) {
	struct shader_result want = { 0 };
	static struct shader_batch first;
	memset(batch.o, 0x55, sizeof(batch.o));
	kernels[ISA_C].run[mode](p, entry, &u, &batch, n, budget, &want);
	first = batch;
	for (enum isa isa = ISA_EMUL; isa < ISA_COUNT; isa++) {
		if (!isa_available(isa)) {
			continue;
		}
		struct shader_result got = { 0 };
		memset(batch.o, 0xAA, sizeof(batch.o));
		kernels[isa].run[mode](p, entry, &u, &batch, n, budget, &got);
		for (unsigned row = 0; row < 64; row++) {
			ck_assert_msg(memcmp(batch.o[row / 4][row % 4], first.o[row / 4][row % 4],
					n * sizeof(float)) == 0, "o%u.%c of %s differs", row / 4, "xyzw"[row % 4],
					isa_name(isa));
		}
		ck_assert_uint_eq(got.steps, want.steps);
		ck_assert_uint_eq(got.cut, want.cut);
		ck_assert_uint_eq(got.bad, want.bad);
	}
	return want;
}

/* One watched vertex: inputs of lane 0. */
struct watched {
	unsigned addr[4096], n;
	int32_t al;
	bool cmp[2];
	float r[16][4], o[16][4];
	struct shader_result result;
};

static void watch_step(void *user, unsigned addr, int32_t al, const bool flags[2]) {
	struct watched *w = user;
	if (addr != SHADER_STEP_END && w->n < 4096) {
		w->addr[w->n++] = addr;
	}
	w->al = al;
	w->cmp[0] = flags[0];
	w->cmp[1] = flags[1];
}

static struct watched *watch(const struct prog *p, unsigned entry, uint64_t budget) {
	static struct watched w;
	float v[16][4];
	for (unsigned i = 0; i < 64; i++) {
		v[i / 4][i % 4] = batch.v[i / 4][i % 4][0];
	}
	memset(&w, 0, sizeof(w));
	shader_run_vertex(p, entry, &u, (const float (*)[4])v, w.r, w.o, PICA_FLOAT_F24, budget,
			&w.result,
			watch_step, &w);
	/* The kernels count alike. */
	struct shader_result r = run_lanes(p, entry, PICA_FLOAT_F24, 3, budget);
	ck_assert_uint_eq(r.steps, 3 * w.result.steps);
	ck_assert_uint_eq(r.bad, 3 * w.result.bad);
	for (unsigned i = 0; i < 64; i++) {
		ck_assert_uint_eq(f32_bits(batch.o[i / 4][i % 4][2]), f32_bits(w.o[i / 4][i % 4]));
	}
	return &w;
}

/* Executed addresses are exactly these. */
static void assert_path(const struct watched *w, const unsigned *want, unsigned n) {
	for (unsigned i = 0; i < n && i < w->n; i++) {
		ck_assert_msg(w->addr[i] == want[i], "step %u is at %u, not %u", i, w->addr[i], want[i]);
	}
	ck_assert_uint_eq(w->n, n);
	ck_assert_uint_eq(w->result.steps, n);
}

#define PATH(w, ...) assert_path(w, (const unsigned[]){ __VA_ARGS__ }, \
		sizeof((const unsigned[]){ __VA_ARGS__ }) / sizeof(unsigned))

/* ---- Functions ---- */

static double relative_error(double got, long double want) {
	return (double)fabsl((got - want) / want);
}

START_TEST(log2_is_close_and_exact_at_powers) {
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
END_TEST

START_TEST(exp2_is_close_and_exact_at_integers) {
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
END_TEST

START_TEST(f24_of_binary64_truncates_once) {
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
END_TEST

/* ---- Decoding ---- */

#define SEL(x, y, z, w) { x, y, z, w }

START_TEST(words_of_the_assembler_decode) {
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
		{ 0x0207F080, 0x103C8C, OP_ADD, 16, 3, 2, { 127, 1 }, { SEL(3, 2, 1, 0), SEL(1, 0, 0, 0) },
				2,
			0, 0 },
		{ 0x62001180, 0x6C364, OP_DPHI, 16, 2, 2, { 0, 35 }, { SEL(0, 1, 2, 3), SEL(0, 1, 2, 3) },
		0,
			0, 0 },
		{ 0x22027880, 0x6C00F, OP_MUL, 16, 15, 2, { 39, 17 }, { SEL(0, 0, 0, 0), SEL(0, 1, 2, 3) },
		0,
			0, 0 },
		/* sge r0, r1, c5; mova a0.y, r1.y */
		{ 0x6A045280, 0x6C36F, OP_SGEI, 16, 15, 2, { 17, 37 }, { SEL(0, 1, 2, 3), SEL(0, 1, 2, 3) },
				0,
			0, 0 },
		{ 0x48011000, 0xAA4, OP_MOVA, 0, 2, 1, { 17 }, { SEL(1, 1, 1, 1) }, 0, 0, 0 },
		/*
		 * mad r0, v0, c1, r1; mad r0, v0, r1, c1; mad r0, r1, c34[a0.x], r3; mad r0, r1, r3,
		 * c34[a0.y]
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
			ck_assert_msg(memcmp(op->swizzle[s], t[i].swizzle[s], 4) == 0, "word %08X", t[i].word);
		}
		ck_assert_uint_eq(op->negate & ((1u << op->n_src) - 1), t[i].negate);
		ck_assert_uint_eq(op->rel, t[i].rel);
		ck_assert_uint_eq(op->rel_src, t[i].rel_src);
		prog_put(p);
	}
}
END_TEST

START_TEST(flow_words_of_the_assembler_decode) {
	/* cmp c0.x, eq, ne, r0.x; cmp r0.xy, lt, ge, r1.xy; breakc x; !y; x && !y; jmpc !x || y, 1;
	 * jmpu b1, 1; jmpu !b1, 1; setemit 1, prim; 2, inv; 2, prim inv */
	struct prog *p = VS(0xB8220800, 0xBAA10880, 0x8F800000, 0x8EC00000, 0x8E400000, 0xB1000400,
			0xB4400400, 0xB4400401, 0xAD800000, 0xAE400000, 0xAEC00000);
	const struct prog_op *op = p->ops;
	ck_assert(op[0].op == OP_CMP && op[0].cmp[0] == 0 && op[0].cmp[1] == 1 && op[0].src[0] == 32 &&
			op[0].src[1] == 16);
	ck_assert(op[1].op == OP_CMP && op[1].cmp[0] == 2 && op[1].cmp[1] == 5 && op[1].src[0] == 16 &&
			op[1].src[1] == 17);
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
END_TEST

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
	return (struct vec4){ batch.o[0][0][3], batch.o[0][1][3], batch.o[0][2][3], batch.o[0][3][3] };
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

static void assert_bits(float got, uint32_t want) {
	ck_assert_msg(f32_bits(got) == want, "%08X, not %08X", f32_bits(got), want);
}

static void assert_float(float got, float want) {
	assert_bits(got, isnan(want) ? 0x7FC00000 : f32_bits(want));
}

START_TEST(reciprocals_of_special_values) {
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
END_TEST

START_TEST(max_and_min_are_the_ternaries) {
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
END_TEST

START_TEST(infinity_times_zero_is_zero) {
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
	r = eval(OP_DPHI, (struct vec4){ INF, INF, INF, 9 }, (struct vec4){ 0, 0, 0, 1 }, all(0), 0);
	assert_float(r.w, 1);
}
END_TEST

START_TEST(comparisons_with_nan_and_infinity) {
	for (unsigned i = 0; i < 4; i++) {
		static const enum shader_op ops[] = { OP_SGE, OP_SLT, OP_SGEI, OP_SLTI };
		assert_float(f24(ops[i], NAN, 1, 0), 0);
		assert_float(f24(ops[i], 1, NAN, 0), 0);
		assert_float(f24(ops[i], INF, INF, 0), i % 2 ? 0 : 1);
		assert_float(f24(ops[i], INF, -INF, 0), i % 2 ? 0 : 1);
		assert_float(f24(ops[i], 1, 2, 0), i % 2 ? 1 : 0);
	}
}
END_TEST

START_TEST(exponentials_and_logarithms) {
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
END_TEST

START_TEST(results_are_truncated_to_f24) {
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
END_TEST

START_TEST(subnormals_are_flushed_by_arithmetic_only) {
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
END_TEST

START_TEST(f32_mode_neither_truncates_nor_flushes) {
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
END_TEST

START_TEST(dst_takes_one_product_and_two_copies) {
	for (unsigned i = 0; i < 2; i++) {
		struct vec4 r = eval(i ? OP_DSTI : OP_DST, (struct vec4){ 9, 2, 3, 9 },
				(struct vec4){ 9, 5, 9, 7 }, all(0), 0);
		assert_float(r.x, 1);
		assert_float(r.y, 10);
		assert_float(r.z, 3);
		assert_float(r.w, 7);
	}
}
END_TEST

START_TEST(litp_clamps_and_sets_flags) {
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
END_TEST

START_TEST(cmp_sets_both_flags_whatever_the_mask) {
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
END_TEST

START_TEST(sources_are_read_before_the_destination_is_written) {
	/* r0 = v0; r0 = r0.yzwx + r0.wzyx; o0 = r0. 6C = 01 10 11 00: yzwx; E4 = 11 10 01 00: wzyx */
	const uint32_t swapped[] = { IDENTITY, 0xF | 0x6Cu << 5 | 0xE4u << 14 };
	const uint32_t code[] = { op2(OP_MOV, 16, 0, 0), op2(OP_ADD, 16, 16, 16) | 1, op2(OP_MOV, 0, 16,
			0),
		W_END };
	struct prog *p = program(SHADER_VS_WORDS, code, 4, W_NOP, swapped, 2);
	set_input(0, 1, 10, 100, 1000);
	run_lanes(p, 0, 0, 9, 100);
	assert_float(batch.o[0][0][0], 10 + 1000);
	assert_float(batch.o[0][1][0], 100 + 100);
	assert_float(batch.o[0][2][0], 1000 + 10);
	assert_float(batch.o[0][3][0], 1 + 1);
	prog_put(p);
}
END_TEST

START_TEST(only_components_of_the_mask_are_written) {
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
END_TEST

/* ---- Relative addressing ---- */

START_TEST(relative_addresses_wrap_and_fall_back) {
	static const struct {
		int off;
		float value;
	} t[] = { { 0, 40 }, { 13, 53 }, { 50, 90 }, { 60, 1 }, { 74, 1 }, { 87, 1 }, { 88, 0 }, { 127,
			39 },
		{ 128, 40 }, { -40, 0 }, { -42, 1 }, { -70, 1 }, { -73, 95 }, { -127, 41 }, { -128, 40 },
		{ -129, 40 } };
	const unsigned n = sizeof(t) / sizeof(t[0]);
	for (unsigned i = 0; i < SHADER_UNIFORMS; i++) {
		set_uniform(i, (float)i, (float)i, (float)i, (float)i);
	}
	/* a0.x, a0.y: mova a0.xy, v0; mov o0, c40[a0.x]; mov o1, -c40[a0.y] */
	const uint32_t desc[] = { IDENTITY, IDENTITY | 1u << OPDESC_NEG1_LOW };
	const uint32_t code[] = { op2(OP_MOVA, 0, 0, 0), op2(OP_MOV, 0, SHADER_C + 40, 0) | PUT(F1, IDX,
			1),
		op2(OP_MOV, 1, SHADER_C + 40, 0) | PUT(F1, IDX, 2) | 1, W_END };
	struct prog *p = program(SHADER_VS_WORDS, code, 4, W_NOP, desc, 2);
	for (unsigned same = 0; same < 2; same++) {
		for (unsigned first = 0; first < n; first++) {
			for (unsigned lane = 0; lane < n; lane++) {
				batch.v[0][0][lane] = (float)t[same ? first : (first + lane) % n].off;
				batch.v[0][1][lane] = (float)t[same ? first : (first + lane + 5) % n].off;
			}
			run_lanes(p, 0, 0, n, 100);
			for (unsigned lane = 0; lane < n; lane++) {
				assert_float(batch.o[0][2][lane], t[same ? first : (first + lane) % n].value);
				assert_float(batch.o[1][2][lane], -t[same ? first : (first + lane + 5) % n].value);
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
END_TEST

START_TEST(relative_addressing_is_for_uniforms_only) {
	/* mova a0.x, v0; mov o0, v1[a0.x]: v1 itself */
	struct prog *p = VS(op2(OP_MOVA, 0, 0, 0), op2(OP_MOV, 0, 1, 0) | PUT(F1, IDX, 1), W_END);
	set_input(0, 2, 2, 2, 2);
	set_input(1, 5, 5, 5, 5);
	set_input(3, 6, 6, 6, 6);
	run_lanes(p, 0, 0, 4, 100);
	assert_float(batch.o[0][0][0], 5);
	prog_put(p);
}
END_TEST

START_TEST(mova_truncates_and_ignores_what_is_no_integer) {
	static const struct {
		float x;
		unsigned c;
	} t[] = { { 0.9f, 40 }, { -0.9f, 40 }, { 1.9f, 41 }, { -1.9f, 39 }, { 127.9f, 39 }, { NAN, 40 },
		{ INF, 40 }, { -INF, 40 }, { 3e9f, 40 }, { -3e9f, 40 }, { -2147483648.0f, 40 } };
	for (unsigned i = 0; i < SHADER_UNIFORMS; i++) {
		set_uniform(i, (float)i, 0, 0, 0);
	}
	struct prog *p = VS(op2(OP_MOVA, 0, 0, 0), op2(OP_MOV, 0, SHADER_C + 40, 0) | PUT(F1, IDX, 1),
			W_END);
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		set_input(0, t[i].x, 0, 0, 0);
		run_lanes(p, 0, 0, 4, 100);
		assert_float(batch.o[0][0][1], (float)t[i].c);
	}
	prog_put(p);
}
END_TEST

/* ---- Programs ---- */

START_TEST(a_whole_program) {
	static const uint32_t code[17] = { 0x08020000, 0x08021001, 0x08022002, 0x08023003, 0x4E07F004,
		0xA4C01800, 0x0207F805, 0x9C002401, 0x4E201006, 0x4E210006, 0xBB87F807, 0xA2403800,
		0x90004001,
		0x84000000, 0x4C211006, 0x88000000, 0x22210886 };
	static const uint32_t desc[8] = { 0x0006C368, 0x0006C364, 0x0006C362, 0x0006C361, 0x0000000F,
		0x0006DFEF, 0x0006C36F, 0x00054AA0 };
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
END_TEST

START_TEST(nested_loops_multiply_and_restore_al) {
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
END_TEST

START_TEST(jump_at_the_end_of_an_if_is_overridden) {
	static const uint32_t code[] = { 0x9C000801, 0xB4001400, 0x4E000000, 0x88000000, 0x84000000,
		0x88000000 };
	struct prog *p = program(SHADER_VS_WORDS, code, 6, W_NOP, NULL, 0);
	u.b = 1;
	PATH(watch(p, 0, 100), 0, 1, 3);
	u.b = 0; /* else block, then on */
	PATH(watch(p, 0, 100), 0, 2, 3);
	prog_put(p);
}
END_TEST

START_TEST(loop_with_no_count_runs_once) {
	/* i = (0, 7, 3): mov o0, c40[aL] reads c47 */
	struct prog *p = VS(FLOW(LOOP, 1, 0, I(1)), op2(OP_MOV, 0, SHADER_C + 40, 0) | PUT(F1, IDX, 3),
			W_END);
	u.i[1][1] = 7;
	u.i[1][2] = 3;
	set_uniform(47, 1, 2, 3, 4);
	const struct watched *w = watch(p, 0, 100);
	PATH(w, 0, 1, 2);
	assert_float(w->o[0][3], 4);
	ck_assert_int_eq(w->al, 10);
	prog_put(p);
}
END_TEST

START_TEST(loop_runs_up_to_256_times) {
	struct prog *p = VS(FLOW(LOOP, 1, 0, I(0)), W_NOP, W_END);
	u.i[0][0] = 255;
	u.i[0][1] = 255;
	u.i[0][2] = 255;
	const struct watched *w = watch(p, 0, 1000);
	ck_assert_uint_eq(w->n, 258);
	ck_assert_int_eq(w->al, 255 + 256 * 255);
	prog_put(p);
}
END_TEST

START_TEST(jump_at_the_end_of_a_loop_is_overridden) {
	struct prog *p = VS(FLOW(LOOP, 1, 0, I(0)), FLOW(JMPU, 5, 1, B(0)), W_END, W_END, W_END, W_END);
	u.i[0][0] = 2;
	PATH(watch(p, 0, 100), 0, 1, 1, 1, 2);
	prog_put(p);
}
END_TEST

START_TEST(break_leaves_the_loop_and_counts_al) {
	struct prog *p = VS(FLOW(LOOP, 3, 0, I(0)), W_NOP, OPCODE(BREAK), W_NOP, W_END);
	u.i[0][0] = 9;
	u.i[0][2] = 1;
	const struct watched *w = watch(p, 0, 100);
	PATH(w, 0, 1, 2, 4);
	ck_assert_int_eq(w->al, 1);
	ck_assert_uint_eq(w->result.bad, 0);
	prog_put(p);
}
END_TEST

START_TEST(break_outside_a_loop_does_nothing_and_is_counted) {
	struct prog *p = VS(OPCODE(BREAK), FLOW(BREAKC, 0, 0, COND(CONDITION_X, 0, 0)), W_END);
	const struct watched *w = watch(p, 0, 100);
	PATH(w, 0, 1, 2);
	ck_assert_uint_eq(w->result.bad, 2);
	prog_put(p);
}
END_TEST

START_TEST(two_ifs_with_one_end_pop_once) {
	struct prog *p = VS(FLOW(IFU, 3, 2, B(0)), FLOW(IFU, 3, 0, B(0)), W_NOP, W_NOP, W_NOP, W_END);
	u.b = 1;
	PATH(watch(p, 0, 100), 0, 1, 2, 3, 4, 5);
	prog_put(p);
	/* with a NOP between, as assemblers do, the else block is skipped */
	p = VS(FLOW(IFU, 4, 2, B(0)), FLOW(IFU, 3, 0, B(0)), W_NOP, W_NOP, W_NOP, W_NOP, W_END);
	PATH(watch(p, 0, 100), 0, 1, 2, 3, 6);
	prog_put(p);
}
END_TEST

START_TEST(end_reached_by_a_jump_is_not_recognised) {
	/* a false if whose target is the end of the loop leaves it after one round */
	struct prog *p = VS(FLOW(LOOP, 2, 0, I(0)), FLOW(IFU, 3, 0, B(1)), W_NOP, W_END);
	u.i[0][0] = 1;
	PATH(watch(p, 0, 100), 0, 1, 3);
	prog_put(p);
}
END_TEST

START_TEST(call_at_the_end_of_a_procedure_chains_returns) {
	/* 0 call A; 1 end; A = 2: nop, 3: call B; B = 4: nop */
	struct prog *p = VS(FLOW(CALL, 2, 2, 0), W_END, W_NOP, FLOW(CALL, 4, 1, 0), W_NOP, W_END);
	PATH(watch(p, 0, 100), 0, 2, 3, 4, 1);
	prog_put(p);
}
END_TEST

START_TEST(call_at_the_end_of_an_if_is_overridden) {
	struct prog *p = VS(FLOW(IFU, 2, 1, B(0)), FLOW(CALL, 5, 1, 0), W_NOP, W_NOP, W_END, W_NOP,
			W_END);
	u.b = 1;
	PATH(watch(p, 0, 100), 0, 1, 3, 4);
	prog_put(p);
}
END_TEST

START_TEST(fourth_return_in_a_row_is_forgotten) {
	/* A = 2: call B; B = 3: call C; C = 4: call D; D = 5: nop. Without the bug: 0 2 3 4 5 1. */
	struct prog *p = VS(FLOW(CALL, 2, 1, 0), W_END, FLOW(CALL, 3, 1, 0), FLOW(CALL, 4, 1, 0),
			FLOW(CALL, 5, 1, 0), W_NOP, W_END);
	PATH(watch(p, 0, 100), 0, 2, 3, 4, 5, 3, 4, 5, 4, 5, 5, 6);
	prog_put(p);
}
END_TEST

START_TEST(fifth_call_loses_the_oldest_return) {
	struct prog *p = VS(FLOW(CALL, 2, 2, 0), W_END, FLOW(CALL, 4, 2, 0), W_NOP, FLOW(CALL, 6, 2, 0),
			W_NOP,
			FLOW(CALL, 8, 2, 0), W_NOP, FLOW(CALL, 10, 1, 0), W_NOP, W_NOP, W_END);
	PATH(watch(p, 0, 100), 0, 2, 4, 6, 8, 10, 9, 7, 5, 3, 4, 6, 8, 10, 9, 7, 5, 6, 8, 10, 9, 7, 8,
			10, 9,
			10, 11);
	prog_put(p);
}
END_TEST

START_TEST(ninth_if_and_fifth_loop_lose_the_oldest) {
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
	 * Five loops of two rounds each: the outermost is lost, 16 rounds remain, and none of the
	 * first.
	 */
	struct prog *q = VS(FLOW(LOOP, 9, 0, I(0)), FLOW(LOOP, 8, 0, I(0)), FLOW(LOOP, 7, 0, I(0)),
			FLOW(LOOP, 6, 0, I(0)), FLOW(LOOP, 5, 0, I(0)), op2(OP_ADD, 16, 16, 0), W_NOP, W_NOP,
			W_NOP,
			W_NOP, op2(OP_MOV, 0, 16, 0), W_END);
	u.i[0][0] = 1;
	set_input(0, 1, 1, 1, 1);
	w = watch(q, 0, 1000);
	assert_float(w->o[0][0], 16);
	prog_put(q);
}
END_TEST

START_TEST(conditions_of_jumps) {
	/* cmp x: eq, y: eq against v0 = (1, 0), v1 = (1, 1): flags (1, 0) */
	for (unsigned i = 0; i < 16; i++) {
		unsigned condop = i & 3, ref_x = i >> 2 & 1, ref_y = i >> 3;
		bool x = ref_x == 1, y = ref_y == 0;
		bool want = condop == 0 ? x || y : condop == 1 ? x && y : condop == 2 ? x : y;
		struct prog *p = VS(cmp(0, 0, 0, 1), FLOW(JMPC, 3, 0, COND(condop, ref_x, ref_y)), W_END,
				W_NOP,
				W_END);
		set_input(0, 1, 0, 0, 0);
		set_input(1, 1, 1, 0, 0);
		const struct watched *w = watch(p, 0, 100);
		ck_assert_uint_eq(w->n, want ? 4 : 3);
		prog_put(p);
	}
}
END_TEST

START_TEST(uniform_conditions) {
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
END_TEST

/* ---- Bounds ---- */

START_TEST(endless_programs_end_with_the_budget) {
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
END_TEST

START_TEST(addresses_wrap_in_the_code_memory) {
	struct prog *p = VS(W_NOP, W_NOP, FLOW(JMPU, 0xE05, 1, B(0)), W_NOP, W_NOP, W_NOP, W_END);
	PATH(watch(p, 0xFFFF, 100), 511, 0, 1, 2, 5, 6);
	prog_put(p);
}
END_TEST

START_TEST(unknown_opcodes_do_nothing_and_are_counted) {
	static const uint8_t codes[] = { 0x10, 0x11, 0x14, 0x15, 0x16, 0x17, 0x1C, 0x1D, 0x1E, 0x1F };
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
END_TEST

START_TEST(emit_does_nothing_in_a_vertex_program) {
	struct prog *p = VS(0xAD800000, W_EMIT, op2(OP_MOV, 0, 0, 0), W_END);
	set_input(0, 1, 2, 3, 4);
	ck_assert_uint_eq(run_lanes(p, 0, 0, 1, 100).bad, 0);
	assert_float(batch.o[0][3][0], 4);
	prog_put(p);
}
END_TEST

/* ---- Lanes ---- */

START_TEST(lanes_may_go_different_ways) {
	/*
	 * r0 counts 1, 2, ... in a loop until it is not below v0.x, then out; o1 tells odd from even
	 * v0.y.
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
		 * LOOP; add, cmp, breakc a round and nop between rounds; mov, cmp, ifc; a block of 2;
		 * end
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
END_TEST

START_TEST(outputs_that_nobody_reads_may_stay) {
	struct prog *p = VS(op2(OP_MOV, 1, 0, 0), W_END);
	struct shader_result r = { 0 };
	set_input(0, 1, 2, 3, 4);
	for (enum isa isa = ISA_C; isa < ISA_COUNT; isa++) {
		if (isa_available(isa)) {
			memset(batch.o, 0x77, sizeof(batch.o));
			batch.o_unread = (uint16_t)~7u; /* o0 to o2 are read */
			kernels[isa].run[PICA_FLOAT_F24](p, 0, &u, &batch, 32, 100, &r);
			for (unsigned lane = 0; lane < 32; lane++) {
				assert_float(batch.o[0][3][lane], 0);
				assert_float(batch.o[1][3][lane], 4);
				assert_float(batch.o[2][0][lane], 0);
			}
		}
	}
	prog_put(p);
}
END_TEST

START_TEST(no_lanes_do_nothing) {
	struct prog *p = VS(W_END);
	struct shader_result r = run_lanes(p, 0, 0, 0, 100);
	ck_assert_uint_eq(r.steps, 0);
	prog_put(p);
}
END_TEST

/* ---- The geometry unit ---- */

struct emitted {
	unsigned n;
	struct {
		float o0[4], o1[4];
		unsigned id, bank;
		bool prim, invert;
	} at[16];
};

static void collect(void *user, const struct shader_gs *gs, const float o[16][4]) {
	struct emitted *e = user;
	ck_assert_uint_lt(e->n, 16);
	memcpy(e->at[e->n].o0, o[0], sizeof(o[0]));
	memcpy(e->at[e->n].o1, o[1], sizeof(o[1]));
	e->at[e->n].id = gs->emit_id;
	e->at[e->n].prim = gs->emit_prim;
	e->at[e->n].invert = gs->emit_invert;
	e->at[e->n].bank = gs->bank;
	e->n++;
}

static struct prog *gs_program(const uint32_t *code, unsigned n) {
	return program(SHADER_GS_WORDS, code, n, W_NOP, NULL, 0);
}

START_TEST(geometry_program_emits_a_triangle) {
	const uint32_t code[] = { 0xAC000000, op2(OP_MOV, 0, 0, 0), op2(OP_MOV, 1, 1, 0), W_EMIT,
		0xAD000000, op2(OP_MOV, 0, 2, 0), op2(OP_MOV, 1, 3, 0), W_EMIT,
		0xAE800000, op2(OP_MOV, 0, 4, 0), op2(OP_MOV, 1, 5, 0), W_EMIT, W_END };
	struct prog *p = gs_program(code, 13);
	static struct shader_gs gs;
	memset(&gs, 0, sizeof(gs));
	for (unsigned i = 0; i < 6; i++) {
		gs.v[i][0] = (float)(i + 1);
	}
	struct emitted e = { 0 };
	struct shader_result r = { 0 };
	ck_assert_uint_eq(u.b, 0); /* b15 before the first run */
	shader_run_gs(p, 0, &u, &gs, PICA_FLOAT_F24, 1000, &r, collect, &e);
	ck_assert_uint_eq(u.b, 0x8000); /* and after it */
	ck_assert_uint_eq(e.n, 3);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_uint_eq(e.at[i].id, i);
		ck_assert_int_eq(e.at[i].prim, i == 2);
		ck_assert_int_eq(e.at[i].invert, 0);
		ck_assert_uint_eq(e.at[i].bank, i & 1);
		assert_float(e.at[i].o0[0], (float)(2 * i + 1));
		assert_float(e.at[i].o1[0], (float)(2 * i + 2));
	}
	ck_assert_uint_eq(r.steps, 13);
	ck_assert_uint_eq(gs.bank, 1); /* an odd number of EMITs */
	prog_put(p);
}
END_TEST

START_TEST(output_banks_alternate) {
	/* o0 = A, EMIT, o0 = B, EMIT, EMIT, EMIT: A B A B */
	const uint32_t code[] = { op2(OP_MOV, 0, 0, 0), W_EMIT, op2(OP_MOV, 0, 1, 0), W_EMIT, W_EMIT,
			W_EMIT,
		W_END };
	struct prog *p = gs_program(code, 7);
	static struct shader_gs gs;
	memset(&gs, 0, sizeof(gs));
	gs.v[0][0] = 10;
	gs.v[1][0] = 20;
	struct emitted e = { 0 };
	struct shader_result r = { 0 };
	shader_run_gs(p, 0, &u, &gs, PICA_FLOAT_F24, 1000, &r, collect, &e);
	ck_assert_uint_eq(e.n, 4);
	assert_float(e.at[0].o0[0], 10);
	assert_float(e.at[1].o0[0], 20);
	assert_float(e.at[2].o0[0], 10);
	assert_float(e.at[3].o0[0], 20);
	prog_put(p);
}
END_TEST

START_TEST(geometry_state_lasts_from_run_to_run) {
	/* b15 = 0: set r0, a0, flags, aL, the emit state; b15 = 1: emit what they give */
	const uint32_t code[] = { FLOW(JMPU, 8, 0, B(15)), op2(OP_MOV, 16, 0, 0), op2(OP_MOVA, 0, 0, 0),
		cmp(0, 1, 0, 0), FLOW(LOOP, 5, 0, I(0)), W_NOP, 0xAEC00000, W_END,
		op2(OP_MOV, 0, SHADER_C + 40, 0) | PUT(F1, IDX, 1),
		op2(OP_ADD, 0, 16, 16) | 1, FLOW(JMPC, 12, 0, COND(CONDITION_AND, 1, 0)), W_END,
		op2(OP_MOV, 1, SHADER_C + 40, 0) | PUT(F1, IDX, 3), W_EMIT, W_END };
	const uint32_t desc[] = { IDENTITY, (IDENTITY & ~15u) | 1 }; /* w */
	struct prog *p = program(SHADER_GS_WORDS, code, 15, W_NOP, desc, 2);
	static struct shader_gs gs;
	memset(&gs, 0, sizeof(gs));
	for (unsigned k = 0; k < 4; k++) {
		gs.v[0][k] = 3;
	}
	set_uniform(43, 43, 43, 43, 43);
	set_uniform(49, 49, 49, 49, 49);
	u.i[0][1] = 4;
	u.i[0][2] = 5;
	struct emitted e = { 0 };
	struct shader_result r = { 0 };
	shader_run_gs(p, 0, &u, &gs, PICA_FLOAT_F24, 1000, &r, collect, &e);
	ck_assert_uint_eq(e.n, 0);
	shader_run_gs(p, 0xF000, &u, &gs, PICA_FLOAT_F24, 1000, &r, collect, &e); /* entry & FFF */
	ck_assert_uint_eq(e.n, 1);
	assert_float(e.at[0].o0[0], 43);
	assert_float(e.at[0].o0[3], 6);
	assert_float(e.at[0].o1[0], 49);
	ck_assert_uint_eq(e.at[0].id, 2);
	ck_assert(e.at[0].prim && e.at[0].invert);
	prog_put(p);
}
END_TEST

START_TEST(geometry_memory_ends_with_an_end) {
	static uint32_t code[SHADER_GS_WORDS];
	for (unsigned i = 0; i < SHADER_GS_WORDS; i++) {
		code[i] = W_NOP;
	}
	struct prog *p = gs_program(code, SHADER_GS_WORDS);
	static struct shader_gs gs;
	memset(&gs, 0, sizeof(gs));
	struct emitted e = { 0 };
	struct shader_result r = { 0 };
	shader_run_gs(p, 0, &u, &gs, PICA_FLOAT_F24, 100000, &r, collect, &e);
	ck_assert_uint_eq(r.steps, 4096);
	ck_assert_uint_eq(r.cut, 0);
	/* a vertex program over the same memory has 512 words and no such end */
	struct shader_result v = run_lanes(p, 0, PICA_FLOAT_F24, 2, 5000);
	ck_assert_uint_eq(v.cut, 2);
	prog_put(p);
	/* the budget cuts an endless geometry program; b15 is set all the same */
	const uint32_t endless[] = { FLOW(JMPU, 0, 1, B(0)) };
	p = gs_program(endless, 1);
	u.b = 0;
	shader_run_gs(p, 0, &u, &gs, PICA_FLOAT_F24, 500, &r, collect, &e);
	ck_assert_uint_eq(r.cut, 1);
	ck_assert_uint_eq(u.b, 0x8000);
	prog_put(p);
}
END_TEST

START_TEST(programs_are_counted) {
	struct prog *p = VS(W_END);
	ck_assert_ptr_eq(prog_get(p), p);
	prog_put(p);
	run_lanes(p, 0, 0, 1, 10); /* still there */
	prog_put(p);
	prog_put(NULL);
}
END_TEST

int main(void) {
	Suite *s = suite_create("shader");
	TCase *t = tcase_create("shader");
	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, log2_is_close_and_exact_at_powers);
	tcase_add_test(t, exp2_is_close_and_exact_at_integers);
	tcase_add_test(t, f24_of_binary64_truncates_once);
	tcase_add_test(t, words_of_the_assembler_decode);
	tcase_add_test(t, flow_words_of_the_assembler_decode);
	tcase_add_test(t, reciprocals_of_special_values);
	tcase_add_test(t, max_and_min_are_the_ternaries);
	tcase_add_test(t, infinity_times_zero_is_zero);
	tcase_add_test(t, comparisons_with_nan_and_infinity);
	tcase_add_test(t, exponentials_and_logarithms);
	tcase_add_test(t, results_are_truncated_to_f24);
	tcase_add_test(t, subnormals_are_flushed_by_arithmetic_only);
	tcase_add_test(t, f32_mode_neither_truncates_nor_flushes);
	tcase_add_test(t, dst_takes_one_product_and_two_copies);
	tcase_add_test(t, litp_clamps_and_sets_flags);
	tcase_add_test(t, cmp_sets_both_flags_whatever_the_mask);
	tcase_add_test(t, sources_are_read_before_the_destination_is_written);
	tcase_add_test(t, only_components_of_the_mask_are_written);
	tcase_add_test(t, relative_addresses_wrap_and_fall_back);
	tcase_add_test(t, relative_addressing_is_for_uniforms_only);
	tcase_add_test(t, mova_truncates_and_ignores_what_is_no_integer);
	tcase_add_test(t, a_whole_program);
	tcase_add_test(t, nested_loops_multiply_and_restore_al);
	tcase_add_test(t, jump_at_the_end_of_an_if_is_overridden);
	tcase_add_test(t, loop_with_no_count_runs_once);
	tcase_add_test(t, loop_runs_up_to_256_times);
	tcase_add_test(t, jump_at_the_end_of_a_loop_is_overridden);
	tcase_add_test(t, break_leaves_the_loop_and_counts_al);
	tcase_add_test(t, break_outside_a_loop_does_nothing_and_is_counted);
	tcase_add_test(t, two_ifs_with_one_end_pop_once);
	tcase_add_test(t, end_reached_by_a_jump_is_not_recognised);
	tcase_add_test(t, call_at_the_end_of_a_procedure_chains_returns);
	tcase_add_test(t, call_at_the_end_of_an_if_is_overridden);
	tcase_add_test(t, fourth_return_in_a_row_is_forgotten);
	tcase_add_test(t, fifth_call_loses_the_oldest_return);
	tcase_add_test(t, ninth_if_and_fifth_loop_lose_the_oldest);
	tcase_add_test(t, conditions_of_jumps);
	tcase_add_test(t, uniform_conditions);
	tcase_add_test(t, endless_programs_end_with_the_budget);
	tcase_add_test(t, addresses_wrap_in_the_code_memory);
	tcase_add_test(t, unknown_opcodes_do_nothing_and_are_counted);
	tcase_add_test(t, emit_does_nothing_in_a_vertex_program);
	tcase_add_test(t, lanes_may_go_different_ways);
	tcase_add_test(t, outputs_that_nobody_reads_may_stay);
	tcase_add_test(t, no_lanes_do_nothing);
	tcase_add_test(t, geometry_program_emits_a_triangle);
	tcase_add_test(t, output_banks_alternate);
	tcase_add_test(t, geometry_state_lasts_from_run_to_run);
	tcase_add_test(t, geometry_memory_ends_with_an_end);
	tcase_add_test(t, programs_are_counted);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_set_fork_status(r, CK_NOFORK);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
