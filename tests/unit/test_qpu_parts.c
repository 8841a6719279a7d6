/* Accesses of QPU programs beyond registers: uniforms, VPM, tile buffer, texture units. */
#include <errno.h>
#include <stdio.h>

#include "core/base/f24.h"
#include "isa_test.h"
#include "qpu_rig.h"

static void close_rig(void) {
	rig_close();
}
FIXTURE(NULL, close_rig)

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

/* Sets up the stencil, then tests; returns what becomes of stencil 5 at Z 100. */
static uint32_t stencil_after(uint32_t setup, uint32_t masks, uint32_t z, bool *passes) {
	char text[128];
	rig_fragments();
	rig.tlb.depth_function = 1;
	rig.zs[6] = 100 << 8 | 5;
	rig.z[6] = z;
	snprintf(text, sizeof(text), "ldi stencil, 0x%08x\n%s0x%08x\nor tlbz, rb15, rb15",
			setup, masks ? "ldi stencil, " : "ldi -, ", masks);
	rig_text(text);
	*passes = rig.tlb.covered[0] >> 6 & 1;
	ck_assert_uint_eq(rig.zs[6] >> 8, rig.tlb.updates_z && *passes ? z : 100);
	return rig.zs[6] & 255;
}

ISA_TEST(stencils_are_tested_before_z_and_have_three_operations) {
	/* Both faces, mask and write mask FF, reference 3; fail: replace, pass: up, Z: invert. */
	const uint32_t base = 3u << 30 | 3u << 28 | 5u << 25 | 3u << 22 | 2u << 19 | 3u << 8 | 0xFF;
	/* Operations on Z failure: 0, 5, 3, 6, 4, invert, wrapped up and down. */
	static const uint8_t results[8] = { 0, 5, 3, 6, 4, 250, 6, 4 };
	bool passes;
	rig_open((enum isa)_i);
	rig.tlb.updates_z = true;
	ck_assert_uint_eq(stencil_after(base | 7u << 16, 0, 50, &passes), 6);
	ck_assert(passes);
	ck_assert_uint_eq(stencil_after(base | 7u << 16, 0, 100, &passes), 250);
	ck_assert(!passes);
	ck_assert_uint_eq(stencil_after(base | 2u << 16, 0, 50, &passes), 3);
	ck_assert(!passes);
	/* Reference < stencil; the masks leave 1 and 1. */
	ck_assert_uint_eq(stencil_after(base | 1u << 16, 0, 50, &passes), 6);
	ck_assert_uint_eq(stencil_after((base ^ 0xFE) | 1u << 16, 0, 50, &passes), 3);
	ck_assert_uint_eq(stencil_after((base ^ 0xFE) | 2u << 16, 0, 50, &passes), 6);
	for (uint32_t op = 0; op < 8; op++) {
		const uint32_t setup = (base & ~(7u << 25)) | op << 25 | 7u << 16;
		ck_assert_uint_eq(stencil_after(setup, 0, 200, &passes), results[op]);
	}
	/* Write masks: by choice (01, 03, 0F), then explicit. 5 ^ FF in these bits. */
	ck_assert_uint_eq(stencil_after((base ^ 3u << 28) | 7u << 16, 0, 200, &passes), 4);
	ck_assert_uint_eq(stencil_after((base ^ 2u << 28) | 7u << 16, 0, 200, &passes), 6);
	ck_assert_uint_eq(stencil_after((base ^ 1u << 28) | 7u << 16, 0, 200, &passes), 10);
	ck_assert_uint_eq(stencil_after(base | 7u << 16, 0x0180, 200, &passes), 0x85);
	rig.tlb.is_back = true;
	ck_assert_uint_eq(stencil_after(base | 7u << 16, 0x0180, 200, &passes), 4);
	/* Of the front alone: the back has none. */
	ck_assert_uint_eq(stencil_after((base & ~(2u << 30)) | 2u << 16, 0, 50, &passes), 5);
	ck_assert(passes);
	ck_assert_uint_eq(stencil_after((base & ~(1u << 30)) | 2u << 16, 0, 50, &passes), 3);
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
