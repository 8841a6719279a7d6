/* The geometry unit: its output, and its state from run to run. */
#include "shader_rig.h"
#include "tests/suite.h"

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

FIXTURE(setup, NULL)

static void run_gs(const struct prog *p, unsigned entry, struct shader_gs *gs, uint64_t budget,
		struct shader_result *r, struct emitted *e) {
	const struct shader_host host = { .emit = collect, .user = e };
	shader_run_gs(p, entry, &u, gs, PICA_FLOAT_F24, budget, r, &host);
}

TEST(geometry_program_emits_a_triangle) {
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
	run_gs(p, 0, &gs, 1000, &r, &e);
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

TEST(output_banks_alternate) {
	/* o0 = A, EMIT, o0 = B, EMIT, EMIT, EMIT: A B A B */
	const uint32_t code[] = { op2(OP_MOV, 0, 0, 0), W_EMIT, op2(OP_MOV, 0, 1, 0), W_EMIT,
		W_EMIT, W_EMIT, W_END };
	struct prog *p = gs_program(code, 7);
	static struct shader_gs gs;
	memset(&gs, 0, sizeof(gs));
	gs.v[0][0] = 10;
	gs.v[1][0] = 20;
	struct emitted e = { 0 };
	struct shader_result r = { 0 };
	run_gs(p, 0, &gs, 1000, &r, &e);
	ck_assert_uint_eq(e.n, 4);
	assert_float(e.at[0].o0[0], 10);
	assert_float(e.at[1].o0[0], 20);
	assert_float(e.at[2].o0[0], 10);
	assert_float(e.at[3].o0[0], 20);
	prog_put(p);
}

TEST(geometry_state_lasts_from_run_to_run) {
	/* b15 = 0: set r0, a0, flags, aL, the emit state; b15 = 1: emit what they give */
	const uint32_t code[] = { FLOW(JMPU, 8, 0, B(15)), op2(OP_MOV, 16, 0, 0),
		op2(OP_MOVA, 0, 0, 0), cmp(0, 1, 0, 0), FLOW(LOOP, 5, 0, I(0)), W_NOP, 0xAEC00000,
		W_END, op2(OP_MOV, 0, SHADER_C + 40, 0) | PUT(F1, IDX, 1),
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
	run_gs(p, 0, &gs, 1000, &r, &e);
	ck_assert_uint_eq(e.n, 0);
	run_gs(p, 0xF000, &gs, 1000, &r, &e); /* entry & FFF */
	ck_assert_uint_eq(e.n, 1);
	assert_float(e.at[0].o0[0], 43);
	assert_float(e.at[0].o0[3], 6);
	assert_float(e.at[0].o1[0], 49);
	ck_assert_uint_eq(e.at[0].id, 2);
	ck_assert(e.at[0].prim && e.at[0].invert);
	prog_put(p);
}

TEST(geometry_memory_ends_with_an_end) {
	static uint32_t code[SHADER_GS_WORDS];
	for (unsigned i = 0; i < SHADER_GS_WORDS; i++) {
		code[i] = W_NOP;
	}
	struct prog *p = gs_program(code, SHADER_GS_WORDS);
	static struct shader_gs gs;
	memset(&gs, 0, sizeof(gs));
	struct emitted e = { 0 };
	struct shader_result r = { 0 };
	run_gs(p, 0, &gs, 100000, &r, &e);
	ck_assert_uint_eq(r.steps, 4096);
	ck_assert_uint_eq(r.cut, 0);
	/* a vertex program over the same memory has 512 words and no such end */
	struct shader_result v = run_lanes(p, 0, PICA_FLOAT_F24, 2, 5000);
	ck_assert_uint_eq(v.cut, 2);
	prog_put(p);
	/* the budget cuts an endless geometry program; b15 is still set */
	const uint32_t endless[] = { FLOW(JMPU, 0, 1, B(0)) };
	p = gs_program(endless, 1);
	u.b = 0;
	run_gs(p, 0, &gs, 500, &r, &e);
	ck_assert_uint_eq(r.cut, 1);
	ck_assert_uint_eq(u.b, 0x8000);
	prog_put(p);
}

TEST(programs_are_counted) {
	struct prog *p = VS(W_END);
	ck_assert_ptr_eq(prog_get(p), p);
	prog_put(p);
	run_lanes(p, 0, 0, 1, 10); /* still there */
	prog_put(p);
	prog_put(NULL);
}
