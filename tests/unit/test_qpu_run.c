/* Programs of the QPU, on every instruction set. */
#include <errno.h>
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
