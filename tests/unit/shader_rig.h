/* Programs word by word, and running them: shared by the suites of the shader room. */
#ifndef SHADER_RIG_H
#define SHADER_RIG_H

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/f24.h"
#include "core/base/mathfn.h"
#include "pica/shader/prog.h"
#include "pica/shader/shader.h"

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
static inline uint32_t op2(enum shader_op op, unsigned dst, unsigned src1, unsigned src2) {
	uint32_t code = (uint32_t)shader_ops[op].code << F0_OPCODE_LOW;
	if (shader_ops[op].format == FORMAT_F1I) {
		return code | PUT(F1I, DST, dst) | PUT(F1I, SRC1, src1) | PUT(F1I, SRC2, src2);
	}
	return code | PUT(F1, DST, dst) | PUT(F1, SRC1, src1) | PUT(F1, SRC2, src2);
}

static inline uint32_t op3(enum shader_op op, unsigned dst, unsigned s1, unsigned s2, unsigned s3) {
	uint32_t code = (uint32_t)shader_ops[op].code << F0_OPCODE_LOW;
	if (op == OP_MADI) {
		return code | PUT(F5I, DST, dst) | PUT(F5I, SRC1, s1) | PUT(F5I, SRC2, s2) |
				PUT(F5I, SRC3, s3);
	}
	return code | PUT(F5, DST, dst) | PUT(F5, SRC1, s1) | PUT(F5, SRC2, s2) | PUT(F5, SRC3, s3);
}

static inline uint32_t cmp(unsigned x, unsigned y, unsigned src1, unsigned src2) {
	return OPCODE(CMP) | PUT(F1C, CMP_X, x) | PUT(F1C, CMP_Y, y) | PUT(F1C, SRC1, src1) |
			PUT(F1C, SRC2, src2);
}

/* n_code words, then fill; descriptors: those given, then identities. */
static inline struct prog *program(unsigned n_words, const uint32_t *code, unsigned n_code,
		uint32_t fill, const uint32_t *desc, unsigned n_desc) {
	static uint32_t words[SHADER_GS_WORDS];
	uint32_t descriptors[128];
	for (unsigned i = 0; i < n_words; i++) {
		words[i] = i < n_code ? code[i] : fill;
	}
	for (unsigned i = 0; i < 128; i++) {
		descriptors[i] = i < n_desc ? desc[i] : IDENTITY;
	}
	struct prog *p = prog_create(words, n_words, descriptors, NULL);
	ck_assert_ptr_nonnull(p);
	return p;
}

#define VS(...) program(SHADER_VS_WORDS, (const uint32_t[]){ __VA_ARGS__ }, \
		sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), W_NOP, NULL, 0)

/* ---- Running ---- */

static inline void setup(void) {
	memset(&u, 0, sizeof(u));
	memset(&batch, 0, sizeof(batch));
	for (enum isa isa = ISA_C; isa < ISA_COUNT; isa++) {
		shader_kernels_init(&kernels[isa], isa);
	}
}

static inline void set_input(unsigned reg, float x, float y, float z, float w) {
	const float v[4] = { x, y, z, w };
	for (unsigned k = 0; k < 4; k++) {
		for (unsigned lane = 0; lane < SHADER_LANES; lane++) {
			batch.v[reg][k][lane] = v[k];
		}
	}
}

static inline void set_uniform(unsigned reg, float x, float y, float z, float w) {
	u.c[reg][0] = x;
	u.c[reg][1] = y;
	u.c[reg][2] = z;
	u.c[reg][3] = w;
}

/* A run must not read what the one before it left on the stack. */
static inline void clobber_stack(void) {
	volatile unsigned char stack[32768];
	for (size_t i = 0; i < sizeof(stack); i++) {
		stack[i] = 0xA5;
	}
}

/* Runs lanes 0..n-1 in slices that end at every query of the clock. Returns their number. */
static inline unsigned run_in_slices(enum isa isa, const struct prog *p, unsigned entry,
		enum pica_float mode, unsigned n, uint64_t budget, struct shader_result *result) {
	unsigned pauses = 0;
	bool is_done;
	batch.is_paused = false;
	do {
		struct slice slice = { .ticks = SLICE_TICKS };
		clobber_stack();
		is_done = kernels[isa].run[mode](
				p, entry, &u, &batch, n, budget, result, &slice);
		ck_assert(is_done != batch.is_paused);
		pauses += !is_done;
	} while (!is_done);
	return pauses;
}

/* Runs lanes 0..n-1 in C, then in every kernel, whole and in slices, and compares outputs and
 * counts. */
static inline struct shader_result run_lanes(const struct prog *p, unsigned entry,
		enum pica_float mode, unsigned n, uint64_t budget) {
	struct shader_result want = { 0 };
	static struct shader_batch first;
	memset(batch.o, 0x55, sizeof(batch.o));
	kernels[ISA_C].run[mode](p, entry, &u, &batch, n, budget, &want, NULL);
	first = batch;
	for (unsigned i = 1; i < 2 * ISA_COUNT; i++) {
		const enum isa isa = (enum isa)(i / 2);
		if (!isa_available(isa)) {
			continue;
		}
		struct shader_result got = { 0 };
		memset(batch.o, 0xAA, sizeof(batch.o));
		if (i % 2) {
			run_in_slices(isa, p, entry, mode, n, budget, &got);
		} else {
			kernels[isa].run[mode](p, entry, &u, &batch, n, budget, &got, NULL);
		}
		for (unsigned row = 0; row < 64; row++) {
			ck_assert_msg(memcmp(batch.o[row / 4][row % 4], first.o[row / 4][row % 4],
					n * sizeof(float)) == 0, "o%u.%c of %s differs", row / 4,
					"xyzw"[row % 4], isa_name(isa));
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

static inline void watch_step(void *user, const struct shader_step *step) {
	struct watched *w = user;
	if (step->addr != SHADER_STEP_END && w->n < 4096) {
		w->addr[w->n++] = step->addr;
	}
	w->al = step->al;
	w->cmp[0] = step->cmp[0];
	w->cmp[1] = step->cmp[1];
}

static inline struct watched *watch(const struct prog *p, unsigned entry, uint64_t budget) {
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
static inline void assert_path(const struct watched *w, const unsigned *want, unsigned n) {
	for (unsigned i = 0; i < n && i < w->n; i++) {
		ck_assert_msg(w->addr[i] == want[i], "step %u is at %u, not %u", i, w->addr[i],
				want[i]);
	}
	ck_assert_uint_eq(w->n, n);
	ck_assert_uint_eq(w->result.steps, n);
}

#define PATH(w, ...) assert_path(w, (const unsigned[]){ __VA_ARGS__ }, \
		sizeof((const unsigned[]){ __VA_ARGS__ }) / sizeof(unsigned))

static inline void assert_bits(float got, uint32_t want) {
	ck_assert_msg(f32_bits(got) == want, "%08X, not %08X", f32_bits(got), want);
}

static inline void assert_float(float got, float want) {
	assert_bits(got, isnan(want) ? 0x7FC00000 : f32_bits(want));
}

#endif
