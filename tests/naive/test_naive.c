/* The naive renderer against known numbers: lists, shaders, geometry. */
#include "test_naive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica/regs/regs.h"
#include "tests/suite.h"

struct naive *n;
uint8_t *vram;
uint8_t *fcram;

void setup(void) {
	n = naive_create(PICA_FLOAT_F24);
	vram = calloc(1, VRAM_BYTES);
	fcram = calloc(1, FCRAM_BYTES);
	ck_assert(n && vram && fcram);
	ck_assert_int_eq(naive_map(n, VRAM, VRAM_BYTES, vram), 0);
	ck_assert_int_eq(naive_map(n, FCRAM, FCRAM_BYTES, fcram), 0);
}

void teardown(void) {
	naive_destroy(n);
	free(vram);
	free(fcram);
}

void put(uint32_t id, uint32_t value) {
	naive_write_reg(n, id, value, 15);
}

void put_f24(uint32_t id, float f) {
	put(id, f32_to_f24(f));
}

uint32_t word_at(const uint8_t *p) {
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

void put_word(uint8_t *p, uint32_t word) {
	for (unsigned i = 0; i < 4; i++) {
		p[i] = (uint8_t)(word >> (8 * i));
	}
}

uint32_t run_words(const uint32_t *words, unsigned count) {
	for (unsigned i = 0; i < count; i++) {
		put_word(fcram + 4 * i, words[i]);
	}
	return naive_run_list(n, FCRAM, count * 4);
}

void upload(const uint32_t *code, unsigned n_code, const uint32_t *desc, unsigned n_desc) {
	put(REG_VSH_CODETRANSFER_INDEX, 0);
	for (unsigned i = 0; i < n_code; i++) {
		put(REG_VSH_CODETRANSFER_DATA0, code[i]);
	}
	put(REG_VSH_OPDESCS_INDEX, 0);
	for (unsigned i = 0; i < n_desc; i++) {
		put(REG_VSH_OPDESCS_DATA0 + i % 8, desc[i]);
	}
}

void plain_target(unsigned width, unsigned height) {
	static const uint32_t code[] = {
		0x4C000000, /* mov o0, v0 */
		0x4C201000, /* mov o1, v1 */
		0x88000000, /* end */
	};
	static const uint32_t desc[] = {0x36F};
	upload(code, ARRAY_LEN(code), desc, ARRAY_LEN(desc));
	put(REG_VSH_NUM_ATTR, 1);
	put(REG_VSH_INPUTBUFFER_CONFIG, 0xA0000001);
	put(REG_VSH_ATTRIBUTES_PERMUTATION_LOW, 0x76543210);
	put(REG_VSH_OUTMAP_MASK, 3);
	put(REG_SH_OUTMAP_TOTAL, 2);
	put(REG_SH_OUTMAP_O0, 0x03020100);
	put(REG_SH_OUTMAP_O1, 0x0B0A0908);
	put(REG_PRIMITIVE_CONFIG, PRIMITIVE_CONFIG_MODE_SET(PRIMITIVE_LIST));
	put_f24(REG_VIEWPORT_WIDTH, (float)width / 2);
	put_f24(REG_VIEWPORT_HEIGHT, (float)height / 2);
	put_f24(REG_DEPTHMAP_SCALE, -1.0f);
	put(REG_DEPTHMAP_ENABLE, DEPTHMAP_Z);
	put(REG_COLORBUFFER_LOC, VRAM >> 3);
	put(REG_FRAMEBUFFER_DIM, FRAMEBUFFER_DIM_WIDTH_SET(width) |
			FRAMEBUFFER_DIM_HEIGHT_M1_SET(height - 1));
	put(REG_COLORBUFFER_READ, 15);
	put(REG_COLORBUFFER_WRITE, 15);
	put(REG_COLOR_OPERATION, COLOR_OPERATION_BLEND_SET(1));
	put(REG_BLEND_FUNC, 0x01010000);
	put(REG_DEPTH_COLOR_MASK, DEPTH_COLOR_MASK_COLOR_WRITE_SET(15));
	put(REG_DEPTHBUFFER_LOC, (VRAM + VRAM_BYTES / 2) >> 3);
	put(REG_TEXENV0_SOURCE, 0);
	for (unsigned s = 1; s < 6; s++) {
		put(regs_texenv[s] + REGS_TEXENV_SOURCE, 0x000F000F);
	}
}

static void vec4(float x, float y, float z, float w) {
	const float v[4] = {x, y, z, w};
	uint32_t words[3];
	f24_pack_vec4(v, words);
	for (unsigned i = 0; i < 3; i++) {
		put(REG_FIXEDATTRIB_DATA0 + i, words[i]);
	}
}

void vertex(float x, float y, const float color[4]) {
	const float half_w = f24_to_f32(n->regs[REG_VIEWPORT_WIDTH]);
	const float half_h = f24_to_f32(n->regs[REG_VIEWPORT_HEIGHT]);
	vec4(x / half_w - 1.0f, y / half_h - 1.0f, -0.5f, 1.0f);
	vec4(color[0], color[1], color[2], color[3]);
}

uint32_t pixel_at(unsigned x, unsigned row) {
	const unsigned width = FRAMEBUFFER_DIM_WIDTH(n->regs[REG_FRAMEBUFFER_DIM]);
	return word_at(vram + 4 * naive_tiled_index(x, row, width, false));
}

/* ---- Command lists: [fidelity: list-numbers] ---- */

FIXTURE(setup, teardown)

TEST(consecutive_entry_writes_ids_in_order) {
	const uint32_t w[] = {0xAAAAAAAA, 0x802F011C, 0xBBBBBBBB, 0xCCCCCCCC};
	ck_assert_uint_eq(run_words(w, 4), PICA_DONE_NO_FINALIZE);
	ck_assert_uint_eq(naive_read_reg(n, 0x11C), 0xAAAAAAAA);
	ck_assert_uint_eq(naive_read_reg(n, 0x11D), 0xBBBBBBBB);
	ck_assert_uint_eq(naive_read_reg(n, 0x11E), 0xCCCCCCCC);
}

TEST(plain_entry_writes_one_id_again_and_again) {
	const uint32_t w[] = {0xAAAAAAAA, 0x002F011C, 0xBBBBBBBB, 0xCCCCCCCC};
	run_words(w, 4);
	ck_assert_uint_eq(naive_read_reg(n, 0x11C), 0xCCCCCCCC);
	ck_assert_uint_eq(naive_read_reg(n, 0x11D), 0);
}

TEST(byte_mask_selects_bytes) {
	put(0x107, 0x00001F71);
	put(0x0E0, 0x00010005);
	const uint32_t w[] = {0x0000FF00, 0x00010107, 0x0000FF00, 0x000200E0};
	run_words(w, 4);
	ck_assert_uint_eq(naive_read_reg(n, 0x107), 0x00001F00);
	ck_assert_uint_eq(naive_read_reg(n, 0x0E0), 0x0001FF05);
}

TEST(padding_is_skipped_and_finalize_stops) {
	const uint32_t w[] = {1, 0x801F0041, 2, 0, 0x12345678, 0x000F0010, 7, 0x000F0041};
	ck_assert_uint_eq(run_words(w, 8), 0);
	ck_assert_uint_eq(naive_read_reg(n, 0x041), 1);
	ck_assert_uint_eq(naive_read_reg(n, 0x042), 2);
}

TEST(finalize_compares_bytes) {
	const uint32_t one[] = {0x00005600, 0x000F0010};
	ck_assert_uint_eq(run_words(one, 2), 0);
	const uint32_t none[] = {0x87654321, 0x000F0010};
	ck_assert_uint_eq(run_words(none, 2), PICA_DONE_NO_FINALIZE);
	const uint32_t masked[] = {0x00005600, 0x000D0010}; /* byte 1 is not written */
	ck_assert_uint_eq(run_words(masked, 2), PICA_DONE_NO_FINALIZE);
}

TEST(entry_beyond_the_end_is_truncated) {
	const uint32_t w[] = {1, 0x80FF0041};
	ck_assert_uint_eq(run_words(w, 2), PICA_DONE_TRUNCATED);
}

TEST(jump_replaces_the_list_and_drops_the_entry) {
	/* The list at FCRAM sets channel 1 to FCRAM + 0x100 and jumps in the middle of an entry. */
	const uint32_t target[] = {0x55, 0x000F0041, 0x12345678, 0x000F0010};
	for (unsigned i = 0; i < 4; i++) {
		put_word(fcram + 0x100 + 4 * i, target[i]);
	}
	const uint32_t w[] = {
		16 >> 3, 0x000F0239, (FCRAM + 0x100) >> 3, 0x000F023B,
		1, 0x802F023D, 0x77, 0x88, 9, 0x000F0043, 0, 0,
	};
	ck_assert_uint_eq(run_words(w, ARRAY_LEN(w)), 0);
	ck_assert_uint_eq(naive_read_reg(n, 0x041), 0x55);
	ck_assert_uint_eq(naive_read_reg(n, 0x043), 0);
	ck_assert_uint_eq(naive_read_reg(n, 0x23E), 0);
}

TEST(list_that_jumps_to_itself_ends) {
	const uint32_t w[] = {
		16 >> 3, 0x000F0238, FCRAM >> 3, 0x000F023A, 1, 0x000F023C, 0, 0,
	};
	ck_assert_uint_eq(run_words(w, ARRAY_LEN(w)), PICA_DONE_NO_FINALIZE);
}

TEST(uniform_uploads) {
	const uint32_t f32[] = { 0x80000005, 0x804F02C0, 0x3F800000, 0x40000000, 0x40400000,
		0x40800000 };
	run_words(f32, 6);
	const float want[4] = {4, 3, 2, 1};
	ck_assert_mem_eq(n->vs.c[5], want, sizeof(want));
	ck_assert_mem_eq(n->gs.c[5], want, sizeof(want)); /* the other unit runs vertices too */
	const uint32_t f24[] = {5, 0x803F02C0, 0x408000BF, 0x00003E00, 0x003F0000, 0};
	run_words(f24, 6);
	const float packed[4] = {1, 0.5f, -1, 3};
	ck_assert_mem_eq(n->vs.c[5], packed, sizeof(packed));
	put(REG_VSH_COM_MODE, 1);
	const uint32_t last[] = {0x5F, 0x806F02C0, 0x408000BF, 0x00003E00, 0x003F0000,
		0x11111111, 0x22222222, 0x33333333};
	run_words(last, 8);
	ck_assert_mem_eq(n->vs.c[95], packed, sizeof(packed));
	ck_assert_mem_ne(n->gs.c[95], packed, sizeof(packed));
	ck_assert_uint_eq(n->stats.faults[PICA_FAULT_BAD_INDEX], 1);
}

TEST(fixed_attribute_index_advances_but_never_into_immediate_mode) {
	put(REG_FIXEDATTRIB_INDEX, 10);
	for (unsigned i = 0; i < 8; i++) {
		vec4((float)i, 0, 0, 1);
	}
	ck_assert_float_eq(n->fixed[10][0], 0.0f);
	ck_assert_float_eq(n->fixed[11][0], 1.0f);
	ck_assert_uint_eq(n->fixed_index, 14);
	ck_assert_uint_eq(n->stats.vertices, 0);
}

/* ---- Shader arithmetic: [fidelity: shader-numbers] ---- */

/* Runs one instruction on c0, c1 (moved to r1, r2 where it needs narrow sources) and returns r0. */
static const float *run_op(uint32_t op, const float a[4], const float b[4]) {
	/* mov r2, c1; op r0, c0, r2; end */
	const uint32_t code[] = { 0x4E421000, op << 26 | 0x10u << 21 | 0x20u << 12 | 0x12u << 7,
		0x88000000 };
	const uint32_t desc[] = {0x0006C36F};
	upload(code, ARRAY_LEN(code), desc, 1);
	memcpy(n->vs.c[0], a, 16);
	memcpy(n->vs.c[1], b, 16);
	naive_shader_run(n, &n->vs, NULL);
	return n->vs.r[0];
}

static float run1(uint32_t op, float x, float y) {
	const float a[4] = {x, x, x, x}, b[4] = {y, y, y, y};
	return run_op(op, a, b)[0];
}

static float mad(float x, float y, float z) {
	/* mov r1, c0; mov r3, c2; mad r0, r1, c1, r3 */
	const uint32_t code[] = {0x4E220000, 0x4E622000, 0xF0228460 | 0, 0x88000000};
	const uint32_t desc[] = {0x0D86C36F};
	upload(code, ARRAY_LEN(code), desc, 1);
	for (unsigned k = 0; k < 4; k++) {
		n->vs.c[0][k] = x;
		n->vs.c[1][k] = y;
		n->vs.c[2][k] = z;
	}
	/* mad: dst r0 (10), src1 r1 (11), src2 c1 (21), src3 r3 (13) */
	n->vs.code[2] = 7u << 29 | 0x10u << 24 | 0x11u << 17 | 0x21u << 10 | 0x13u << 5;
	naive_shader_run(n, &n->vs, NULL);
	return n->vs.r[0][0];
}

enum { ADD, DP3, DP4, DPH, DST, EX2, LG2, LITP, MUL, SGE, SLT, FLR, MAX, MIN, RCP, RSQ };

TEST(arithmetic_of_special_values) {
	const float inf = INFINITY, nan = NAN;
	ck_assert_float_eq(run1(RCP, 0, 0), inf);
	ck_assert_float_eq(run1(RCP, -0.0f, 0), inf);
	ck_assert_float_eq(run1(RCP, inf, 0), 0);
	ck_assert_float_eq(run1(RCP, -inf, 0), 0);
	ck_assert_float_nan(run1(RCP, nan, 0));
	ck_assert_float_eq(run1(RSQ, 0, 0), inf);
	ck_assert_float_eq(run1(RSQ, -0.0f, 0), inf);
	ck_assert_float_eq(run1(RSQ, 1, 0), 1);
	ck_assert_float_nan(run1(RSQ, -1, 0));
	ck_assert_float_nan(run1(RSQ, -inf, 0));
	ck_assert_float_eq(run1(RSQ, inf, 0), 0);
	ck_assert_float_eq(run1(MAX, 0, inf), inf);
	ck_assert_float_eq(run1(MAX, 0, -inf), 0);
	ck_assert_float_nan(run1(MAX, 0, nan));
	ck_assert_float_eq(run1(MAX, nan, 0), 0);
	ck_assert_float_eq(run1(MIN, 0, -inf), -inf);
	ck_assert_float_nan(run1(MIN, 0, nan));
	ck_assert_float_eq(run1(MIN, nan, 0), 0);
	ck_assert_float_nan(run1(ADD, inf, -inf));
	ck_assert_float_eq(run1(MUL, inf, 0), 0);
	ck_assert_float_eq(run1(MUL, 0, inf), 0);
	ck_assert_float_nan(run1(MUL, nan, 0));
	ck_assert_float_eq(mad(inf, 0, 1), 1);
	ck_assert_float_eq(run1(SGE, nan, 1), 0);
	ck_assert_float_eq(run1(SLT, nan, 1), 0);
	ck_assert_float_eq(run1(SGE, inf, inf), 1);
	ck_assert_float_eq(run1(SGE, inf, -inf), 1);
	ck_assert_float_eq(run1(FLR, -0.1f, 0), -1);
	ck_assert_float_eq(run1(FLR, -1.5f, 0), -2);
	ck_assert_float_eq(run1(EX2, -inf, 0), 0);
	ck_assert_float_eq(run1(LG2, 0, 0), -inf);
	ck_assert_float_nan(run1(LG2, -1, 0));
	const float a[4] = {inf, 1, 0, 1}, b[4] = {0, 1, inf, 1};
	ck_assert_float_eq(run_op(DP4, a, b)[0], 2);
	const float c[4] = {inf, inf, inf, 9}, d[4] = {0, 0, 0, 1};
	ck_assert_float_eq(run_op(DPH, c, d)[0], 1);
}

TEST(arithmetic_truncates_to_f24) {
	const float tenth = f24_truncate(0.1f);
	ck_assert_uint_eq(f32_bits(run1(RCP, 10, 0)), 0x3DCCCC80);
	ck_assert_uint_eq(f32_bits(run1(RSQ, 100, 0)), 0x3DCCCC80);
	ck_assert_uint_eq(f32_bits(run1(RCP, 3, 0)), 0x3EAAAA80);
	ck_assert_uint_eq(f32_bits(run1(RSQ, 2, 0)), 0x3F350480);
	ck_assert_uint_eq(f32_bits(run1(EX2, 0.5f, 0)), 0x3FB50480);
	ck_assert_uint_eq(f32_bits(run1(LG2, 3, 0)), 0x3FCAE000);
	ck_assert_float_eq(run1(LG2, 64, 0), 6);
	ck_assert_float_eq(run1(EX2, 6, 0), 64);
	ck_assert_uint_eq(f32_bits(run1(MUL, tenth, tenth)), 0x3C23D680);
	ck_assert_float_eq(run1(ADD, 1, 0x1p-17f), 1);
	ck_assert_uint_eq(f32_bits(mad(tenth, 10, -1)), 0xB7000000);
	ck_assert_float_eq(run1(MUL, 1e10f, 1e10f), INFINITY);
	ck_assert_float_eq(run1(MUL, 0x1p-62f, 0.5f), 0);
	const float subnormal = f24_to_f32(0x00FFFF);
	ck_assert_float_eq(run1(MAX, subnormal, 0), subnormal);
	ck_assert_float_eq(run1(MUL, subnormal, 2), 0);
}

TEST(f32_mode_keeps_binary32) {
	n->mode = PICA_FLOAT_F32;
	ck_assert_uint_eq(f32_bits(run1(RCP, 10, 0)), 0x3DCCCCCD);
	ck_assert_float_eq(run1(MUL, INFINITY, 0), 0);
	ck_assert_float_eq(run1(ADD, 1, 0x1p-17f), 1 + 0x1p-17f);
}

TEST(litp_and_dst) {
	const float a[4] = {-1, 64, 5, -1}, b[4] = {1, 200, 5, 1}, c[4] = {0, -300, 5, -0.5f};
	const float zero[4] = {0};
	const float want_a[4] = {0, 64, 0, 0}, want_b[4] = {1, 127.99609375f, 0, 1};
	const float want_c[4] = {0, -127.99609375f, 0, 0};
	ck_assert_mem_eq(run_op(LITP, a, zero), want_a, 16);
	ck_assert(!n->vs.cmp[0] && !n->vs.cmp[1]);
	ck_assert_mem_eq(run_op(LITP, b, zero), want_b, 16);
	ck_assert(n->vs.cmp[0] && n->vs.cmp[1]);
	ck_assert_mem_eq(run_op(LITP, c, zero), want_c, 16);
	ck_assert(n->vs.cmp[0] && !n->vs.cmp[1]);
	const float s1[4] = {9, 2, 3, 9}, s2[4] = {9, 5, 9, 7}, want[4] = {1, 10, 3, 7};
	ck_assert_mem_eq(run_op(DST, s1, s2), want, 16);
}

TEST(relative_addressing_wraps_in_seven_bits) {
	static const struct {
		int off;
		float value;
	} cases[] = {
		{ 0, 40 },
		{ 13, 53 },
		{ 50, 90 },
		{ 60, 1 },
		{ 74, 1 },
		{ 87, 1 },
		{ 88, 0 },
		{ 127, 39 },
		{ 128, 40 },
		{ -40, 0 },
		{ -42, 1 },
		{ -70, 1 },
		{ -73, 95 },
		{ -127, 41 },
		{ -128, 40 },
		{ -129, 40 },
	};
	for (unsigned i = 0; i < 96; i++) {
		for (unsigned k = 0; k < 4; k++) {
			n->vs.c[i][k] = (float)i;
		}
	}
	/* mova a0.x, v0.x; mov r0, c40[a0.x]; end */
	const uint32_t code[] = {0x48000000, 0x4E0C8001, 0x88000000};
	const uint32_t desc[] = {8, 0x36F};
	upload(code, 3, desc, 2);
	n->vs.code[1] = 0x13u << 26 | 0x10u << 21 | 1u << 19 | (0x20u + 40) << 12 | 1;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		n->vs.v[0][0] = (float)cases[i].off;
		naive_shader_run(n, &n->vs, NULL);
		ck_assert_msg(n->vs.r[0][0] == cases[i].value, "offset %d: %f", cases[i].off,
				(double)n->vs.r[0][0]);
	}
	n->vs.v[0][0] = -0.9f;
	naive_shader_run(n, &n->vs, NULL);
	ck_assert_int_eq(n->vs.a0[0], 0);
	n->vs.v[0][0] = NAN;
	naive_shader_run(n, &n->vs, NULL);
	ck_assert_float_eq(n->vs.r[0][0], 40);
}

/* ---- Flow control: [fidelity: shader-numbers] ---- */

TEST(whole_program_runs) {
	static const uint32_t code[] = {
		0x08020000,
		0x08021001,
		0x08022002,
		0x08023003,
		0x4E07F004,
		0xA4C01800,
		0x0207F805,
		0x9C002401,
		0x4E201006,
		0x4E210006,
		0xBB87F807,
		0xA2403800,
		0x90004001,
		0x84000000,
		0x4C211006,
		0x88000000,
		0x22210886,
	};
	static const uint32_t desc[] = {0x0006C368, 0x0006C364, 0x0006C362, 0x0006C361, 0x0000000F,
		0x0006DFEF, 0x0006C36F, 0x00054AA0};
	upload(code, ARRAY_LEN(code), desc, ARRAY_LEN(desc));
	for (unsigned i = 0; i < 4; i++) {
		n->vs.c[i][i] = 1.0f;
	}
	const float k[4] = {0, 1, -1, 0.5f};
	memcpy(n->vs.c[95], k, 16);
	put(REG_VSH_INTUNIFORM_I3, 0x00010003);
	const float pos[4] = {1, 2, 3, 1}, col[4] = {0.25f, 0.5f, 0.75f, 1};
	const float four[4] = {4, 4, 4, 4}, mixed[4] = {0.5f, 1, 1.5f, 2};
	memcpy(n->vs.v[0], pos, 16);
	memcpy(n->vs.v[1], col, 16);
	for (unsigned flag = 0; flag < 2; flag++) {
		put(REG_VSH_BOOLUNIFORM, flag);
		naive_shader_run(n, &n->vs, NULL);
		ck_assert_mem_eq(n->vs.o[0][0], pos, 16);
		ck_assert_mem_eq(n->vs.o[0][1], flag ? mixed : four, 16);
		ck_assert_int_eq(n->vs.al, 4);
		ck_assert(n->vs.cmp[0] && !n->vs.cmp[1]);
	}
}

TEST(nested_loops_multiply) {
	static const uint32_t code[] = {0x4E000000, 0xA4C01000, 0xA4800C00, 0x02010000, 0x84000000,
		0x4C010000, 0x88000000};
	/* These words add r0 and v0: r0 starts at v0 = 1. */
	static const uint32_t desc[] = {0x0006C36F};
	upload(code, ARRAY_LEN(code), desc, 1);
	put(REG_VSH_INTUNIFORM_I2, 0x00010004);
	put(REG_VSH_INTUNIFORM_I3, 0x00010004);
	for (unsigned k = 0; k < 4; k++) {
		n->vs.v[0][k] = 1.0f;
	}
	naive_shader_run(n, &n->vs, NULL);
	ck_assert_int_eq(n->vs.al, 5);
	ck_assert_float_eq(n->vs.r[0][0], 26.0f);
}

TEST(jump_at_the_end_of_an_if_is_overridden) {
	static const uint32_t code[] = {0x9C000801, 0xB4001400, 0x4E000000, 0x88000000, 0x84000000,
		0x88000000};
	static const uint32_t desc[] = {0x36F};
	upload(code, ARRAY_LEN(code), desc, 1);
	put(REG_VSH_BOOLUNIFORM, 1);
	n->vs.r[0][0] = 7;
	n->vs.v[0][0] = 9;
	naive_shader_run(n, &n->vs, NULL);
	ck_assert_float_eq(n->vs.r[0][0], 7); /* the else block did not run */
}

TEST(loop_without_end_is_cut_off) {
	const uint32_t code[] = {0xB4000001}; /* jmpu !b0, 0 */
	upload(code, 1, NULL, 0);
	naive_shader_run(n, &n->vs, NULL);
	ck_assert_uint_eq(n->stats.faults[PICA_FAULT_SHADER_BUDGET], 1);
}
