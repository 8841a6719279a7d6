/* Random vertex programs on random floats: every vector set against the scalar interpreter. */
#include "kern.h"

#include <stdlib.h>
#include <string.h>

#include "pica/shader/isa.h"
#include "pica/shader/shader.h"

enum {
	PROGRAMS = 4000,
	IDENTITY = 20, /* the first of the descriptors that are that */
};

static const uint32_t identity = 0xD86C36F; /* xyzw, all of it */

static struct shader_kernels kernels[ISA_COUNT];

static unsigned random_below(unsigned n) {
	return (unsigned)kern_random_in(0, n - 1);
}

static bool one_in(unsigned n) {
	return random_below(n) == 0;
}

/* ---- Programs ---- */

#define PUT(format, field, x) \
	(((uint32_t)(x) & ((1u << format##_##field##_BITS) - 1)) << format##_##field##_LOW)

/* Registers are few, so that values meet. */
static unsigned random_narrow(void) {
	return one_in(3) ? random_below(4) : SHADER_R + random_below(one_in(8) ? 16 : 4);
}

static unsigned random_wide(void) {
	return one_in(2) ? SHADER_C + random_below(96) : random_narrow();
}

static unsigned random_dst(void) {
	return one_in(3) ? random_below(16) : SHADER_R + random_below(one_in(8) ? 16 : 4);
}

static uint32_t random_alu(enum shader_op op, uint32_t code) {
	unsigned desc = random_below(32);
	unsigned idx = one_in(2) ? 0 : random_below(4);
	switch ((enum shader_format)shader_ops[op].format) {
	case FORMAT_F1:
		return code | PUT(F1, DESC, desc) | PUT(F1, SRC1, random_wide()) |
				PUT(F1, SRC2, random_narrow()) | PUT(F1, IDX, idx) |
				PUT(F1, DST, random_dst());
	case FORMAT_F1I:
		return code | PUT(F1I, DESC, desc) | PUT(F1I, SRC2, random_wide()) |
				PUT(F1I, SRC1, random_narrow()) | PUT(F1I, IDX, idx) | PUT(F1I, DST,
				random_dst());
	case FORMAT_F1U:
		return code | PUT(F1U, DESC, desc) | PUT(F1U, SRC1, random_wide()) |
				PUT(F1U, IDX, idx) | PUT(F1U, DST, random_dst());
	case FORMAT_F1C:
		return code | PUT(F1C, DESC, desc) | PUT(F1C, SRC1, random_wide()) |
				PUT(F1C, SRC2, random_narrow()) | PUT(F1C, IDX, idx) |
				PUT(F1C, CMP_X, random_below(8)) | PUT(F1C, CMP_Y, random_below(8));
	case FORMAT_F5:
		return code | PUT(F5, DESC, desc) | PUT(F5, SRC1, random_narrow()) |
				PUT(F5, SRC2, random_wide()) | PUT(F5, SRC3, random_narrow()) |
				PUT(F5, IDX, idx) | PUT(F5, DST, random_dst());
	case FORMAT_F5I:
		return code | PUT(F5I, DESC, desc) | PUT(F5I, SRC1, random_narrow()) |
				PUT(F5I, SRC2, random_narrow()) | PUT(F5I, SRC3, random_wide()) |
				PUT(F5I, IDX, idx) | PUT(F5I, DST, random_dst());
	case FORMAT_F0:
	case FORMAT_F2:
	case FORMAT_F3:
	case FORMAT_F4:
		break;
	}
	/* Flow, mostly forward and short, so that most programs end. */
	return code | (uint32_t)kern_random_in(0, 15) << F2_CONDOP_LOW;
}

static uint32_t random_word(unsigned pc, unsigned flow_in) {
	static const enum shader_op flow[] = { OP_BREAK, OP_BREAKC, OP_BREAKC, OP_CALL, OP_CALLC,
		OP_CALLU, OP_IFU, OP_IFC, OP_IFC, OP_LOOP, OP_LOOP, OP_JMPC, OP_JMPC, OP_JMPU,
		OP_CMP, OP_CMP, OP_CMP, OP_MOVA, OP_END, OP_EMIT, OP_SETEMIT, OP_NOP };
	if (one_in(50)) {
		return (uint32_t)(kern_random() >> 32); /* anything */
	}
	enum shader_op op;
	if (one_in(flow_in)) {
		op = flow[random_below(sizeof(flow) / sizeof(flow[0]))];
	} else {
		do {
			op = (enum shader_op)(1 + random_below(OP_COUNT - 1));
		} while (shader_ops[op].uses == USES_NONE);
	}
	uint32_t code = shader_ops[op].code + random_below(shader_ops[op].count);
	code <<= F0_OPCODE_LOW;
	uint32_t word = random_alu(op, code);
	if (shader_ops[op].format == FORMAT_F2 || shader_ops[op].format == FORMAT_F3) {
		int back = one_in(6) ? 4 : 0;
		unsigned target = (unsigned)((int)pc + (int)kern_random_in(1 - back, 7 - back));
		word |= PUT(F2, TARGET, target) | PUT(F2, NUM, random_below(4));
	}
	return word;
}

/* Returns a word without flow control; r0-r3 and a0 are written before they are read. */
static uint32_t straight_word(unsigned pc) {
	static const enum shader_op ops[] = { OP_DP4, OP_DP4, OP_DP3, OP_DPH, OP_MUL, OP_MAD,
		OP_ADD, OP_MOV, OP_MAX, OP_MOVA, OP_RCP };
	const enum shader_op op = pc < 4 ? OP_MOV : pc == 4 ? OP_MOVA :
			ops[random_below(sizeof(ops) / sizeof(ops[0]))];
	const uint32_t code = (uint32_t)shader_ops[op].code << F0_OPCODE_LOW;
	if (pc > 4) {
		return random_alu(op, code);
	}
	return code | PUT(F1U, DESC, IDENTITY) | PUT(F1U, SRC1, pc & 3) |
			PUT(F1U, DST, SHADER_R + pc);
}

static void random_descriptors(uint32_t descriptors[128]) {
	kern_random_bytes(descriptors, 128 * sizeof(descriptors[0]));
	for (unsigned i = 0; i < 128; i++) {
		if (one_in(2)) {
			descriptors[i] |= PUT(OPDESC, MASK, 15);
		}
		if (one_in(2)) {
			descriptors[i] &= ~(PUT(OPDESC, NEG1, 1) | PUT(OPDESC, NEG2, 1) |
					PUT(OPDESC, NEG3, 1));
		}
		descriptors[i] = i >= IDENTITY ? identity : descriptors[i];
	}
}

static struct prog *random_program(unsigned *entry, bool is_straight) {
	static uint32_t code[SHADER_VS_WORDS], descriptors[128];
	unsigned n = 4 + random_below(60);
	unsigned flow_in = 2 + random_below(8);
	n = is_straight ? 6 + random_below(20) : n;
	for (unsigned i = 0; i < SHADER_VS_WORDS; i++) {
		code[i] = i >= n    ? (uint32_t)shader_ops[OP_END].code << F0_OPCODE_LOW :
				is_straight ? straight_word(i) :
					      random_word(i, flow_in);
	}
	*entry = is_straight ? 0 : one_in(8) ? random_below(0x10000) : random_below(n);
	random_descriptors(descriptors);
	struct prog *p = prog_create(code, SHADER_VS_WORDS, descriptors, NULL);
	if (!p) {
		abort();
	}
	return p;
}

/* ---- Values ---- */

static float random_value(unsigned kind) {
	switch (kind) {
	case 0:
		return kern_random_float();
	case 1: /* products and sums of these keep within few values: comparisons differ */
		return (float)kern_random_in(-4, 4) * 0.5f;
	case 3: { /* at the ends of what is tame */
		const float x = (float)kern_random_in(0x800000, 0xFFFFFF) * 0x1p-23f;
		return x * (one_in(2) ? 0x1p-23f : 0x1p29f) * (one_in(2) ? 1.0f : -1.0f);
	}
	case 4: /* uniforms around that of an instruction */
		return (float)kern_random_in(-3, 3);
	default: /* small numbers that MOVA takes */
		return (float)kern_random_in(-140, 140);
	}
}

/* Most values of one call are of the same kind. */
static unsigned random_kind(void) {
	return one_in(2) ? 1 + random_below(4) : 0;
}

static unsigned vary_kind(unsigned kind) {
	return kind == 0 ? random_below(3) : one_in(8) ? 1 + random_below(4) : kind;
}

static void random_uniforms(struct shader_uniforms *u) {
	const unsigned main_kind = random_kind();
	const bool has_tiny = one_in(4); /* F() makes them 0 */
	for (unsigned i = 0; i < SHADER_UNIFORMS; i++) {
		const unsigned kind = vary_kind(main_kind);
		for (unsigned k = 0; k < 4; k++) {
			const bool is_tiny = has_tiny && one_in(4);
			u->c[i][k] = random_value(kind) * (is_tiny ? 0x1p-64f : 1.0f);
		}
	}
	for (unsigned i = 0; i < 4; i++) {
		u->i[i][0] = (uint8_t)random_below(one_in(10) ? 256 : 6);
		u->i[i][1] = (uint8_t)random_below(256);
		u->i[i][2] = (uint8_t)random_below(one_in(2) ? 256 : 4);
		u->i[i][3] = 0;
	}
	u->b = (uint16_t)random_below(0x10000);
}

static void random_inputs(struct shader_batch *b) {
	const bool is_uniform = one_in(6);
	const unsigned main_kind = random_kind();
	for (unsigned r = 0; r < 16; r++) {
		for (unsigned k = 0; k < 4; k++) {
			/* a0 of straight programs is v0. */
			const unsigned kind = r == 0 && one_in(2) ? 4 : vary_kind(main_kind);
			for (unsigned lane = 0; lane < SHADER_LANES; lane++) {
				b->v[r][k][lane] = is_uniform && lane > 0 ? b->v[r][k][0] :
									    random_value(kind);
			}
		}
	}
}

/* Marks tame inputs, or some of them. */
static void find_tame(struct shader_batch *b) {
	const unsigned told = one_in(3) ? random_below(0x10000) : 0xFFFF;
	b->tame = 0;
	for (unsigned r = 0; r < 16; r++) {
		const bool is_tame = kern_tame(b->v[r][0], 4 * SHADER_LANES);
		b->tame |= (uint16_t)((unsigned)is_tame << r & told);
	}
}

/* Compares the bits of live lanes, but not of outputs that are not read. */
static void compare(enum isa isa, const char *name, const struct shader_batch *want,
		const struct shader_batch *got, unsigned n) {
	for (unsigned r = 0; r < 16; r++) {
		if (got->o_unread >> r & 1) {
			continue;
		}
		for (unsigned k = 0; k < 4; k++) {
			if (!kern_same(name, isa, want->o[r][k], got->o[r][k], n * sizeof(float))) {
				return;
			}
		}
	}
}

static void test_programs(enum isa isa) {
	static const char *const names[2] = { "run f24", "run f32" };
	struct shader_batch *want = kern_buffer(sizeof(*want)), *got = kern_buffer(sizeof(*got));
	struct shader_uniforms *u = kern_buffer(sizeof(*u));
	for (int i = 0; i < PROGRAMS; i++) {
		unsigned entry;
		struct prog *p = random_program(&entry, false);
		unsigned n = one_in(3) ? SHADER_LANES : 1 + random_below(SHADER_LANES);
		uint64_t budget = one_in(8) ? random_below(40) : 200;
		random_uniforms(u);
		random_inputs(want);
		find_tame(want);
		kern_random_bytes(want->o, sizeof(want->o));
		want->o_unread = one_in(3) ? (uint16_t)random_below(0x10000) : 0;
		for (unsigned mode = 0; mode < 2; mode++) {
			memcpy(got, want, sizeof(*got));
			struct shader_result rw = { 1, 2, 3 }, rg = { 1, 2, 3 };
			kernels[ISA_C].run[mode](p, entry, u, want, n, budget, &rw, NULL);
			kernels[isa].run[mode](p, entry, u, got, n, budget, &rg, NULL);
			compare(isa, names[mode], want, got, n);
			kern_same("input", isa, want->v, got->v, sizeof(want->v));
			kern_same("result", isa, &rw, &rg, sizeof(rw));
		}
		prog_put(p);
	}
	kern_done(want);
}

static uint32_t dot(enum shader_op op, unsigned dst, unsigned wide, unsigned idx, unsigned narrow,
		unsigned desc) {
	return (uint32_t)shader_ops[op].code << F0_OPCODE_LOW | PUT(F1, DST, dst) | PUT(F1, SRC1,
			wide) |
			PUT(F1, IDX, idx) | PUT(F1, SRC2, narrow) | PUT(F1, DESC, desc);
}

/* Words of [fidelity: shader-numbers]'s forms; descriptors of the same table. */
static const uint32_t bench_descriptors[128] = { 0x6C368, 0x6C364, 0x6C362, 0x6C361, 0x0D86C36F,
		0x36C,
	0x6C36E, 0x36F, 0x0D80006F };

enum { DX, DY, DZ, DW, ALL, AXY, XYZ, COPY, XXXX };

/* Rows of transformations, most of them of v0 to the next component of o0. */
static struct prog *random_transforms(unsigned *entry) {
	uint32_t code[SHADER_VS_WORDS] = { 0 };
	unsigned n = 0;
	for (unsigned k = 0; k < 9; k++) {
		const unsigned dst = one_in(8) ? 1 : 0, from = one_in(8) ? 1 : 0;
		code[n++] = dot(OP_DP4, dst, SHADER_C + random_below(4), 0, from, k % 4);
	}
	code[n] = (uint32_t)shader_ops[OP_END].code << F0_OPCODE_LOW;
	*entry = random_below(4);
	struct prog *p = prog_create(code, SHADER_VS_WORDS, bench_descriptors, NULL);
	if (!p) {
		abort();
	}
	return p;
}

/* A slice computes the requested outputs from no other inputs than those that it names. */
static void test_slices(enum isa isa) {
	struct shader_batch *want = kern_buffer(sizeof(*want)), *got = kern_buffer(sizeof(*got));
	struct shader_uniforms *u = kern_buffer(sizeof(*u));
	struct shader_slice *slice = kern_buffer(SHADER_SLICE_BYTES);
	unsigned n_slices = 0;
	for (int i = 0; i < 4 * PROGRAMS && kernels[isa].slice; i++) {
		unsigned entry, inputs;
		const bool is_straight = !one_in(4);
		struct prog *p = one_in(8) ? random_transforms(&entry) :
				random_program(&entry, is_straight);
		const enum pica_float mode = one_in(2) ? PICA_FLOAT_F24 : PICA_FLOAT_F32;
		const unsigned n = one_in(3) ? SHADER_LANES : 1 + random_below(SHADER_LANES);
		uint8_t needs[16];
		for (unsigned r = 0; r < 16; r++) {
			needs[r] = (uint8_t)(one_in(2) ? random_below(16) : 0);
		}
		random_uniforms(u);
		random_inputs(want);
		find_tame(want);
		memcpy(got, want, sizeof(*got));
		kern_random_bytes(got->o, sizeof(got->o));
		const unsigned steps =
				kernels[isa].slice(slice, p, entry, u, got, needs, mode, &inputs);
		/* The second batch runs on what the first one left. */
		for (unsigned batch = 0; steps && batch < 2; batch++) {
			struct shader_result result = { 0 };
			kernels[ISA_C].run[mode](p, entry, u, want, n, 1000, &result, NULL);
			kern_check("slice: steps", isa, result.steps == (uint64_t)steps * n);
			for (unsigned r = 0; r < 16; r++) {
				if (!(inputs >> r & 1)) {
					kern_random_bytes(got->v[r], sizeof(got->v[r]));
				}
			}
			kernels[isa].run_slice(slice, n);
			for (unsigned k = 0; k < 64; k++) {
				if (needs[k / 4] >> k % 4 & 1) {
					kern_same("slice", isa, want->o[k / 4][k % 4],
							got->o[k / 4][k % 4], n * sizeof(float));
				}
			}
			random_inputs(want);
			find_tame(want);
			memcpy(got->v, want->v, sizeof(got->v));
			got->tame = want->tame;
			n_slices += batch;
		}
		prog_put(p);
	}
	kern_check("slice: some", isa, !kernels[isa].slice || n_slices > PROGRAMS);
	kern_done(want);
}

/*
 * A slice checks r0, which two possibly tame instructions and another one read, in each batch:
 * where it is too small, their products are too, which makes them 0.
 */
static void test_looks(enum isa isa) {
	const unsigned r = SHADER_R;
	const uint32_t code[SHADER_VS_WORDS] = { dot(OP_MUL, r, 0, 0, 1, 0),
		dot(OP_MUL, 2, SHADER_C, 0, r, 0), dot(OP_MUL, 0, r, 0, 2, 0),
		dot(OP_MUL, 1, r, 0, 2, 0), (uint32_t)shader_ops[OP_END].code << F0_OPCODE_LOW };
	const uint32_t descriptors[128] = { identity };
	const float factor[] = { 1.0f, 0x1p-20f, 0x1p-3f, 0x1p-21f };
	struct prog *p = prog_create(code, SHADER_VS_WORDS, descriptors, NULL);
	struct shader_batch *b = kern_buffer(sizeof(*b));
	struct shader_uniforms *u = kern_buffer(sizeof(*u));
	struct shader_slice *slice = kern_buffer(SHADER_SLICE_BYTES);
	const uint8_t needs[16] = { 15, 15, 15 };
	unsigned inputs;
	*u = (struct shader_uniforms){ .c = { { 0x1p+40f, 0x1p+40f, 0x1p+40f, 0x1p+40f } } };
	memset(slice, 0xFF, SHADER_SLICE_BYTES);
	const bool has_steps = kernels[isa].slice &&
			kernels[isa].slice(slice, p, 0, u, b, needs, PICA_FLOAT_F24, &inputs) == 5;
	kern_check("slice: steps of looks", isa, has_steps == (kernels[isa].slice != NULL));
	for (unsigned batch = 0; has_steps && batch < 4; batch++) {
		const unsigned n = 4 * SHADER_LANES;
		for (unsigned i = 0; i < 3 * n; i++) {
			b->v[i / n][i / SHADER_LANES % 4][i % SHADER_LANES] =
					i < 2 * n ? factor[batch] : 0x1p-23f;
		}
		b->tame = 7;
		kernels[isa].run_slice(slice, SHADER_LANES);
		const float square = factor[batch] * factor[batch];
		const float product = square < 0x1p-39f ? 0.0f : square * 0x1p-23f;
		kern_check("slice: looks", isa, b->o[0][3][5] == product &&
				b->o[1][0][0] == product && b->o[2][1][31] == square * 0x1p+40f);
	}
	prog_put(p);
	kern_done(b);
}

/* ---- Straight geometry programs ---- */

enum { TRIANGLES = 8, CORNER_REGS = 2 };

/* Serial runs: what the triangles of one lane get. */
struct serial {
	float slot[3][CORNER_REGS][4], corner[TRIANGLES][3][CORNER_REGS][4];
	unsigned n_triangles;
	bool turns;
};

static void on_emit(void *user, const struct shader_gs *gs, const float o[16][4]) {
	struct serial *s = user;
	if (gs->emit_id < 3) {
		memcpy(s->slot[gs->emit_id], o, sizeof(s->slot[0]));
	}
	if (gs->emit_prim && s->n_triangles < TRIANGLES) {
		const bool turned = gs->emit_invert && s->turns;
		memcpy(s->corner[s->n_triangles][turned], s->slot[0], sizeof(s->slot[0]));
		memcpy(s->corner[s->n_triangles][!turned], s->slot[1], sizeof(s->slot[0]));
		memcpy(s->corner[s->n_triangles++][2], s->slot[2], sizeof(s->slot[0]));
	}
}

static uint32_t move(unsigned dst, unsigned src) {
	return (uint32_t)shader_ops[OP_MOV].code << F0_OPCODE_LOW | PUT(F1U, DESC, IDENTITY) |
			PUT(F1U, SRC1, src) | PUT(F1U, DST, dst);
}

/* Most write what they read; inputs are v or, from c<first> on, uniforms. */
static struct prog *random_geometry(bool is_fixed, unsigned first) {
	static uint32_t code[SHADER_GS_WORDS], descriptors[128];
	unsigned n = 0;
	for (; n < 5; n++) {
		code[n] = n < 4 && is_fixed ? move(SHADER_R + n, SHADER_C + first + n) :
						straight_word(n);
	}
	for (unsigned e = 0, emits = 3 + random_below(5); e < emits; e++) {
		for (unsigned k = random_below(4); k > 0; k--) {
			code[n++] = straight_word(5);
		}
		for (unsigned k = 0; k < CORNER_REGS && !one_in(30); k++) {
			code[n++] = move(k, SHADER_R + random_below(4));
		}
		code[n++] = (uint32_t)shader_ops[OP_SETEMIT].code << F0_OPCODE_LOW |
				PUT(F4, VERTEX, one_in(10) ? random_below(4) : e % 3) |
				PUT(F4, PRIM, e > 1) | PUT(F4, WINDING, random_below(2));
		code[n++] = (uint32_t)shader_ops[OP_EMIT].code << F0_OPCODE_LOW;
	}
	code[n] = (uint32_t)shader_ops[OP_END].code << F0_OPCODE_LOW;
	random_descriptors(descriptors);
	struct prog *p = prog_create(code, SHADER_GS_WORDS, descriptors, NULL);
	if (!p) {
		abort();
	}
	return p;
}

/* The proven ones give what serial runs give, whatever the unit holds before. */
static void test_straight(enum isa isa) {
	static const uint8_t reg[CORNER_REGS] = { 0, 1 };
	struct shader_batch *b = kern_buffer(sizeof(*b));
	struct shader_uniforms *u = kern_buffer(sizeof(*u));
	struct shader_straight *s = kern_buffer(sizeof(*s));
	struct shader_gs *gs = kern_buffer(sizeof(*gs));
	float(*out)[4][SHADER_LANES] = kern_buffer(
			SHADER_STRAIGHT_EMITS * CORNER_REGS * sizeof(*out));
	unsigned n_proven = 0;
	for (int i = 0; i < PROGRAMS && kernels[isa].run_straight; i++) {
		const bool is_fixed = one_in(3);
		const struct shader_straight_rules rules = { .inputs = is_fixed ? 0 : 0xFFFF,
			.first_uniform = (uint8_t)random_below(92),
			.n_uniforms = is_fixed ? 4 : 0, .reads = { 15, 7 }, .turns = one_in(2) };
		const unsigned first = rules.first_uniform, n = 1 + random_below(SHADER_LANES);
		struct prog *p = random_geometry(is_fixed, first);
		random_uniforms(u);
		u->b |= 0x8000;
		random_inputs(b);
		b->tame = 0;
		*gs = (struct shader_gs){ .a = { 3, 5 }, .al = 7, .emit_id = 1, .emit_prim = true };
		kern_random_bytes(gs->r, sizeof(gs->r));
		kern_random_bytes(gs->o, sizeof(gs->o));
		const bool is_proven = shader_straight_find(s, p, 0, u, &rules);
		n_proven += is_proven;
		const enum pica_float mode = one_in(2) ? PICA_FLOAT_F24 : PICA_FLOAT_F32;
		if (is_proven) {
			kernels[isa].run_straight(s, u, b, n, mode, reg, CORNER_REGS, out);
		}
		for (unsigned lane = 0; lane < n && is_proven; lane++) {
			struct serial serial = { .turns = rules.turns };
			struct shader_result result = { 0 };
			for (unsigned k = 0; k < 64; k++) {
				gs->v[k / 4][k % 4] = b->v[k / 4][k % 4][lane];
			}
			if (is_fixed) {
				memcpy(u->c[first], gs->v, 4 * sizeof(gs->v[0]));
			}
			shader_run_gs(p, 0, u, gs, mode, 1000, &result,
					&(struct shader_host){ .emit = on_emit, .user = &serial });
			kern_check("straight: steps", isa, result.steps == s->steps);
			kern_check("straight: triangles", isa,
					serial.n_triangles == s->n_triangles);
			for (unsigned k = 0; k < 21 * s->n_triangles; k++) {
				const unsigned corner = k / 7 % 3, c = k % 7;
				const float *want = serial.corner[k / 21][corner][c / 4];
				const unsigned e = s->corner[k / 21][corner];
				kern_same("straight", isa, &want[c % 4],
						&out[e * CORNER_REGS + c / 4][c % 4][lane],
						sizeof(float));
			}
		}
		prog_put(p);
	}
	kern_check("straight: some", isa, !kernels[isa].run_straight ||
			(n_proven > PROGRAMS / 8 && n_proven < PROGRAMS * 7 / 8));
	kern_done(b);
}

/* o0 = op(v0, v1, v2) */
static struct prog *program_of_op(enum shader_op op) {
	uint32_t code[SHADER_VS_WORDS] = { (uint32_t)shader_ops[op].code << F0_OPCODE_LOW,
		(uint32_t)shader_ops[OP_END].code << F0_OPCODE_LOW };
	const uint32_t descriptors[128] = { identity };
	if (op == OP_MAD || op == OP_MADI) {
		code[0] |= PUT(F5, SRC3, 2) | (op == OP_MAD ? PUT(F5, SRC2, 1) : PUT(F5I, SRC2, 1));
	} else if (shader_ops[op].format != FORMAT_F1U) {
		code[0] |= PUT(F1, SRC2, 1);
	}
	struct prog *p = prog_create(code, SHADER_VS_WORDS, descriptors, NULL);
	if (!p) {
		abort();
	}
	return p;
}

/*
 * Values that cancel, or lie at the ends of the range in which the vector version need not flush
 * (alu_v.h); all of them in range, or one just outside.
 */
static void test_range_ends(enum isa isa) {
	static const enum shader_op ops[] = { OP_ADD, OP_MUL, OP_MAD, OP_MADI, OP_DP3, OP_DP4,
		OP_DPH, OP_DPHI };
	struct shader_batch *want = kern_buffer(sizeof(*want)), *got = kern_buffer(sizeof(*got));
	struct shader_uniforms *u = kern_buffer(sizeof(*u));
	for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		struct prog *p = program_of_op(ops[i]);
		for (unsigned round = 0; round < 600; round++) {
			/* Exponents of 2^-23 and 2^29, or beyond. */
			const unsigned low = 104 - (round % 3 == 1 ? random_below(4) : 0);
			const unsigned high = 156 + (round % 3 == 2 ? random_below(4) : 0);
			uint32_t v[3 * 4 * SHADER_LANES];
			for (unsigned k = 0; k < 3 * 4 * SHADER_LANES; k++) {
				uint32_t bits = (uint32_t)(kern_random() >> 32) & 0x807FFFFF;
				if (one_in(3)) {
					bits &= one_in(2) ? 0x807FFF80 : 0x8000007F;
				}
				unsigned e = one_in(2) ? random_below(3) :
							 random_below(high - low + 1);
				bits |= (one_in(3) ? high - e : low + e) << 23;
				if (one_in(8)) {
					bits &= 0x80000000;
				}
				if (k >= SHADER_LANES && one_in(3)) { /* cancels, or nearly */
					unsigned row = one_in(2) ? k / SHADER_LANES - 1 : 0;
					bits = v[row * SHADER_LANES + k % SHADER_LANES] ^
							0x80000000;
					bits ^= bits << 1 && one_in(2) ? 0x80 : 0;
				}
				v[k] = bits;
			}
			for (unsigned lane = 0; lane < SHADER_LANES; lane++) {
				uint32_t *a = v + lane, *b = a + 4 * SHADER_LANES;
				if (one_in(3)) {
					/*
					 * two of the smallest products, nearly opposite, in a dot
					 */
					a[0] = (a[0] & 0x807FFF80) | low << 23;
					b[0] = (b[0] & 0x807FFF80) | low << 23;
					a[SHADER_LANES] = a[0] ^ 0x80000000;
					b[SHADER_LANES] = b[0] ^ 0x80u << random_below(3);
					a[2 * SHADER_LANES] = a[3 * SHADER_LANES] =
							b[3 * SHADER_LANES] = 0;
				} else if (one_in(2)) { /* the largest sums */
					for (unsigned k = 0; k < 4 * SHADER_LANES;
							k += SHADER_LANES) {
						a[k] = (a[k] & 0x7FFFFF) | high << 23;
						b[k] = (b[k] & 0x7FFFFF) | high << 23;
					}
				}
			}
			if (one_in(8)) {
				static const uint32_t outside[] = { 0x33FFFFFF, 0x4E800000,
					0x207FFFFF, 0x7F800000 };
				v[random_below(3 * 4 * SHADER_LANES)] = outside[random_below(4)];
			}
			memcpy(want->v, v, sizeof(v));
			find_tame(want);
			memcpy(got, want, sizeof(*got));
			struct shader_result rw = { 0 }, rg = { 0 };
			kernels[ISA_C].run[PICA_FLOAT_F24](
					p, 0, u, want, SHADER_LANES, 10, &rw, NULL);
			kernels[isa].run[PICA_FLOAT_F24](p, 0, u, got, SHADER_LANES, 10, &rg, NULL);
			kern_same(shader_ops[ops[i]].mnemonic, isa, want->o[0], got->o[0],
					sizeof(want->o[0]));
		}
		prog_put(p);
	}
	kern_done(want);
}

/* Each arithmetic op alone, on pairs of special values: every place of the exact words. */
static void test_special_values(enum isa isa) {
	static const uint32_t special[] = { 0, 0x80000000, 1, 0x007FFFFF, 0x80800000, 0x207FFFFF,
		0xA07FFFFF, 0x20800000, 0xA0800000, 0x20800001, 0x3F800000, 0xBF800000, 0x3F80007F,
		0x3FFFFFFF, 0xBFFFFFFF, 0x5F7FFFFF, 0xDF7FFFFF, 0x5F800000, 0xDF800000, 0x7F7FFFFF,
		0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFABCDEF,
		0x42FFFF00, 0x43000000, 0x4F000000, 0xCF000000, 0xCF000001 };
	struct shader_batch *want = kern_buffer(sizeof(*want)), *got = kern_buffer(sizeof(*got));
	struct shader_uniforms *u = kern_buffer(sizeof(*u));
	for (unsigned op = 1; op < OP_COUNT; op++) {
		if (shader_ops[op].uses == USES_NONE || op == OP_MOVA || op == OP_CMP) {
			continue;
		}
		struct prog *p = program_of_op((enum shader_op)op);
		const unsigned count = sizeof(special) / sizeof(special[0]);
		for (unsigned a = 0; a < count * count; a++) {
			uint32_t v[3 * 4 * SHADER_LANES];
			for (unsigned r = 0; r < 3; r++) {
				for (unsigned k = 0; k < 4 * SHADER_LANES; k++) {
					v[r * 4 * SHADER_LANES + k] =
							r == 2 || k >= 2 * SHADER_LANES ?
							special[random_below(count)] :
							special[r ? a % count : a / count];
				}
			}
			memcpy(want->v, v, sizeof(v));
			find_tame(want);
			for (unsigned mode = 0; mode < 2; mode++) {
				memcpy(got, want, sizeof(*got));
				struct shader_result rw = { 0 }, rg = { 0 };
				kernels[ISA_C].run[mode](
						p, 0, u, want, SHADER_LANES, 10, &rw, NULL);
				kernels[isa].run[mode](p, 0, u, got, SHADER_LANES, 10, &rg, NULL);
				kern_same(shader_ops[op].mnemonic, isa, want->o[0], got->o[0],
						sizeof(want->o[0]));
			}
		}
		prog_put(p);
	}
	kern_done(want);
}

/* ---- Speed ---- */

static uint32_t mad(unsigned dst, unsigned s1, unsigned wide, unsigned s3, unsigned desc) {
	return (uint32_t)shader_ops[OP_MAD].code << F0_OPCODE_LOW | PUT(F5, DST, dst) |
			PUT(F5, SRC1, s1) | PUT(F5, SRC2, wide) | PUT(F5, SRC3, s3) |
			PUT(F5, DESC, desc);
}

static const uint32_t end_word = 0x88000000;

static unsigned transform(uint32_t *w, unsigned from) {
	unsigned n = 0;
	for (unsigned k = 0; k < 4; k++) {
		w[n++] = dot(OP_DP4, 0, SHADER_C + k, 0, from, k);
	}
	return n;
}

/* 6 instructions: position times a 4x4 matrix, a colour. */
static void transform_program(uint32_t *w) {
	unsigned n = transform(w, 0);
	w[n++] = dot(OP_MOV, 1, 1, 0, 0, COPY);
	w[n] = end_word;
}

/* 27 instructions: two bones by a0, blended position and normal, light, projection. */
static void skinning_program(uint32_t *w) {
	const unsigned r = SHADER_R;
	unsigned n = 0;
	w[n++] = dot(OP_MOVA, 0, 2, 0, 0, AXY);
	for (unsigned bone = 0; bone < 2; bone++) { /* r0 and r2: position, r1 and r3: normal */
		for (unsigned k = 0; k < 3; k++) {
			w[n++] = dot(OP_DP4, r + 2 * bone, SHADER_C + 20 + k, 1 + bone, 0, k);
		}
		for (unsigned k = 0; k < 3; k++) {
			w[n++] = dot(OP_DP3, r + 1 + 2 * bone, SHADER_C + 20 + k, 1 + bone, 1, k);
		}
	}
	w[n++] = dot(OP_MUL, r + 0, r + 0, 0, 3, XYZ);
	w[n++] = mad(r + 0, r + 2, 4, r + 0, ALL);
	w[n++] = dot(OP_MUL, r + 1, r + 1, 0, 3, XYZ);
	w[n++] = mad(r + 1, r + 3, 4, r + 1, ALL);
	n += transform(w + n, r);
	w[n++] = dot(OP_DP3, r + 4, SHADER_C + 10, 0, r + 1, ALL);
	w[n++] = dot(OP_MAX, r + 4, SHADER_C + 11, 0, r + 4, ALL);
	w[n++] = mad(1, r + 4, SHADER_C + 12, 5, ALL);
	w[n++] = dot(OP_MOV, 2, 6, 0, 0, COPY);
	w[n++] = dot(OP_MOV, 3, r + 1, 0, 0, COPY);
	w[n] = end_word;
}

static void bench(enum isa isa) {
	struct shader_batch *b = kern_buffer(sizeof(*b));
	struct shader_uniforms *u = kern_buffer(sizeof(*u));
	struct shader_result result;
	for (unsigned i = 0; i < SHADER_UNIFORMS * 4; i++) {
		u->c[i / 4][i % 4] = i % 5 ? (float)(i % 11) * 0.25f - 1.0f : 0.0f;
	}
	for (unsigned i = 0; i < 16 * 4 * SHADER_LANES; i++) {
		b->v[i / (4 * SHADER_LANES)][i / SHADER_LANES % 4][i % SHADER_LANES] =
				(float)(i % 7) * 3.0f - 8.0f;
	}
	find_tame(b);
	for (unsigned i = 0; i < 4; i++) {
		static const char *const names[4] = { "transform f24", "transform f32",
			"skinning f24", "skinning f32" };
		uint32_t code[SHADER_VS_WORDS] = { 0 };
		if (i < 2) {
			transform_program(code);
		} else {
			skinning_program(code);
		}
		b->o_unread = (uint16_t)(i < 2 ? ~3u : ~15u);
		struct prog *p = prog_create(code, SHADER_VS_WORDS, bench_descriptors, NULL);
		KERN_BENCH(names[i], isa, SHADER_LANES) {
			kernels[isa].run[i % 2](p, 0, u, b, SHADER_LANES, 1 << 20, &result, NULL);
		}
		prog_put(p);
	}
	kern_done(b);
}

static void open_tables(void) {
	for (enum isa isa = ISA_C; isa < ISA_COUNT; isa++) {
		shader_kernels_init(&kernels[isa], isa);
	}
}

static void check(enum isa isa) {
	kern_slots(isa, "shader", &kernels[ISA_C], &kernels[isa], sizeof(kernels[isa]));
	test_special_values(isa);
	test_range_ends(isa);
	test_programs(isa);
	test_slices(isa);
	test_looks(isa);
	test_straight(isa);
}

const struct kern_suite kern_suite = { "shader", open_tables, check, bench, NULL };
