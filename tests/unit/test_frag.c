/* The combiner against the console; whole states against the naive renderer. */
#include <stdio.h>

#include "frag_expect.h"

/* Both operands of each column of the console's table; -1: the row's input. */
static const int dot3_columns[11][2][3] = {
	{ { -1, -1, -1 }, { -1, -1, -1 } },
	{ { 0x80, 0x80, 0x80 }, { -1, -1, -1 } },
	{ { 0x80, 0x80, 0x80 }, { -1, 0x80, 0x80 } },
	{ { 0x83, 0x80, 0x80 }, { -1, 0x7F, 0x80 } },
	{ { 0x83, 0x80, 0x80 }, { -1, 0x80, 0x80 } },
	{ { 0x80, 0x80, 0x80 }, { -1, 0x7F, 0x80 } },
	{ { 0x80, 0x80, 0x80 }, { -1, 0x80, 0x80 } },
	{ { 0x80, 0x80, 0x80 }, { -1, -1, 0x80 } },
	{ { 0x80, 0x7F, 0x80 }, { -1, -1, 0x80 } },
	{ { 0x80, 0x80, 0x80 }, { -1, -1, -1 } },
	{ { 0x80, 0x7F, 0x80 }, { -1, -1, -1 } },
};

RIG_TEST(dot3_is_the_console_table) {
	FILE *f = fopen(TEST_DATA "/pica/dot3_rgb_console.tsv", "r");
	ck_assert_ptr_nonnull(f);
	char line[4096];
	unsigned values = 0;
	while (fgets(line, sizeof(line), f)) {
		char *at = line;
		if (line[0] < '0' || line[0] > '9') {
			continue;
		}
		const int input = (int)strtol(at, &at, 10);
		for (unsigned col = 0; col < 11; col++) {
			const int want = (int)strtol(at, &at, 10);
			PICA_ALIGNED(64) uint16_t planes[2][3][BATCH], out[BATCH];
			for (unsigned i = 0; i < 2 * 3 * BATCH; i++) {
				const int v = dot3_columns[col][i / (3 * BATCH)][i / BATCH % 3];
				planes[i / (3 * BATCH)][i / BATCH % 3][i % BATCH] =
						(uint16_t)(v < 0 ? input : v);
			}
			const struct plane_in in[FRAG_OP_INPUTS] = { { planes[0][0], BATCH },
				{ planes[1][0], BATCH } };
			r->k->op[FRAG_OP_DOT3](out, in, 1, BATCH);
			for (unsigned i = 0; i < BATCH; i++) {
				if (out[i] != want) {
					ck_abort_msg("input %d column %u: %d instead of %d", input,
							col, out[i], want);
				}
			}
			/* And through registers: constants in two stages, the buffer not used. */
			if (input % 16 == 5) {
				uint32_t word[2] = { 0, 0 };
				for (unsigned k = 0; k < 6; k++) {
					const int v = dot3_columns[col][k / 3][k % 3];
					word[k / 3] |= (uint32_t)(v < 0 ? input : v) << 8 * (k % 3);
				}
				set_stage(r, 0, 0x000E000E, 0, 0, word[0], 0);
				set_stage(r, 1, 0x000F00EF, 0, TEV_OP_DOT3_RGB, word[1], 0);
				ck_assert_uint_eq(rig_pixel(r), (uint32_t)want * 0x10101);
			}
			values++;
		}
	}
	fclose(f);
	ck_assert_uint_eq(values, 2816);
}

/* One operation on a, b, c: constants of stages 0 (through the buffer), 1 and 2. */
static uint32_t combine3(struct rig *r, unsigned op, uint32_t a, uint32_t b, uint32_t c,
		uint32_t scale) {
	plain_state(r);
	set_stage(r, 0, 0x000E000E, 0, 0, a * 0x01010101, 0);
	r->regs[REG_TEXENV_UPDATE_BUFFER] = 0x1100;
	set_stage(r, 1, 0x000E000E, 0, 0, b * 0x01010101, 0);
	/* slot 0 buffer = a, slot 1 previous = b, slot 2 constant = c */
	set_stage(r, 2, 0x0EFD0EFD, 0, op << 16 | op, c * 0x01010101, scale << 16 | scale);
	return rig_pixel(r);
}

RIG_TEST(combiner_numbers) {
	static const struct {
		unsigned op, a, b, c, scale, nearest, truncated;
	} cases[] = { /* [fidelity: combiner-numbers] and by hand */
		{ TEV_OP_MODULATE, 127, 2, 0, 0, 1, 0 },
		{ TEV_OP_MODULATE, 1, 254, 0, 0, 1, 0 },
		{ TEV_OP_MODULATE, 128, 128, 0, 0, 64, 64 },
		{ TEV_OP_MODULATE, 200, 100, 0, 0, 78, 78 },
		{ TEV_OP_MODULATE, 255, 254, 0, 0, 254, 254 },
		{ TEV_OP_MODULATE, 127, 2, 0, 2, 4, 0 }, /* before the scale */
		{ TEV_OP_INTERPOLATE, 10, 250, 64, 0, 190, 189 },
		{ TEV_OP_INTERPOLATE, 200, 100, 128, 0, 150, 150 },
		{ TEV_OP_INTERPOLATE, 0, 1, 1, 0, 1, 0 }, /* 254/255 */
		{ TEV_OP_INTERPOLATE, 77, 77, 200, 0, 77, 77 },
		{ TEV_OP_MULTIPLY_ADD, 200, 100, 50, 0, 128, 128 },
		{ TEV_OP_MULTIPLY_ADD, 127, 2, 50, 0, 51, 50 },
		{ TEV_OP_MULTIPLY_ADD, 255, 255, 1, 0, 255, 255 },
		{ TEV_OP_ADD_MULTIPLY, 200, 100, 50, 0, 50, 50 },
		{ TEV_OP_ADD_MULTIPLY, 100, 27, 2, 0, 1, 0 },
		{ TEV_OP_ADD_SIGNED, 100, 100, 0, 0, 72, 72 },
		{ TEV_OP_ADD_SIGNED, 20, 100, 0, 0, 0, 0 },
		{ TEV_OP_ADD, 200, 100, 0, 0, 255, 255 },
		{ TEV_OP_REPLACE, 100, 0, 0, 2, 255, 255 },
		{ TEV_OP_REPLACE, 100, 0, 0, 1, 200, 200 },
		{ TEV_OP_REPLACE, 100, 0, 0, 3, 100, 100 }, /* scale 3 is x1 */
		{ TEV_OP_SUBTRACT, 50, 80, 0, 0, 0, 0 },
		{ TEV_OP_SUBTRACT, 80, 50, 0, 2, 120, 120 },
		{ 10, 200, 200, 200, 0, 0, 0 },
		{ 15, 200, 200, 200, 0, 0, 0 },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		r->k = frag_kernels_for((enum isa)_i);
		uint32_t got = combine3(r, cases[i].op, cases[i].a, cases[i].b, cases[i].c,
				cases[i].scale);
		ck_assert_msg(got == cases[i].nearest * 0x01010101u, "case %zu", i);
		r->k = frag_kernels_truncating((enum isa)_i);
		got = combine3(r, cases[i].op, cases[i].a, cases[i].b, cases[i].c, cases[i].scale);
		ck_assert_msg(got == cases[i].truncated * 0x01010101u, "case %zu, truncated", i);
	}
}

ISA_TEST(truncating_kernels_differ_in_the_products_alone) {
	static const enum frag_op products[] = { FRAG_OP_MODULATE, FRAG_OP_LERP, FRAG_OP_MUL_ADD,
		FRAG_OP_ADD_MUL };
	struct frag_kernels t = *frag_kernels_truncating((enum isa)_i);
	const struct frag_kernels *k = frag_kernels_for((enum isa)_i);
	for (size_t i = 0; i < ARRAY_LEN(products); i++) {
		ck_assert(t.op[products[i]] != k->op[products[i]]);
		t.op[products[i]] = k->op[products[i]];
	}
	ck_assert_mem_eq(&t, k, sizeof(t)); /* pointers only */
}

RIG_TEST(dot3_rgba_writes_alpha_and_alpha_dot3_gives_zero) {
	/* 0xC0 dotted with itself: C3 [console]; the alpha operation (add) is ignored. */
	set_stage(r, 0, 0x00EE00EE, 0, TEV_OP_ADD << 16 | TEV_OP_DOT3_RGBA, 0x40C0C0C0, 0);
	ck_assert_uint_eq(rig_pixel(r), 0xC3C3C3C3);
	/* Each half has a scale of its own. */
	set_stage(r, 0, 0x00EE00EE, 0, TEV_OP_DOT3_RGBA, 0x40B4B4B4, 1u << 16 | 0);
	ck_assert_uint_eq(rig_pixel(r), 0xFF818181);
	set_stage(r, 0, 0x00EE00EE, 0, TEV_OP_DOT3_RGBA, 0x40979797, 2u << 16 | 1);
	ck_assert_uint_eq(rig_pixel(r), 0x6C363636); /* 1B */
	set_stage(r, 0, 0x00EE00EE, 0, TEV_OP_DOT3_RGBA << 16 | TEV_OP_ADD, 0x40202020, 0);
	ck_assert_uint_eq(rig_pixel(r), 0x00404040);
	set_stage(r, 0, 0x00EE00EE, 0, TEV_OP_DOT3_RGB << 16 | TEV_OP_ADD, 0x40202020, 0);
	ck_assert_uint_eq(rig_pixel(r), 0x00404040);
}

RIG_TEST(previous_buffer_lags_by_one_stage) {
	const uint32_t a = 0x11223344, b = 0x55667788, start = 0x99AABBCC;
	r->regs[REG_TEXENV_BUFFER_COLOR] = start;
	set_stage(r, 0, 0x000E000E, 0, 0, a, 0);
	set_stage(r, 1, 0x000E000E, 0, 0, b, 0);
	set_stage(r, 2, 0x000D000D, 0, 0, 0, 0);
	r->regs[REG_TEXENV_UPDATE_BUFFER] = 0x1100;
	ck_assert_uint_eq(rig_pixel(r), a);
	r->regs[REG_TEXENV_UPDATE_BUFFER] = 0;
	ck_assert_uint_eq(rig_pixel(r), start);
	/* RGB and alpha are latched apart. */
	r->regs[REG_TEXENV_UPDATE_BUFFER] = 0x0100;
	ck_assert_uint_eq(rig_pixel(r), (start & 0xFF000000) | (a & 0xFFFFFF));
	r->regs[REG_TEXENV_UPDATE_BUFFER] = 0x1000;
	ck_assert_uint_eq(rig_pixel(r), (a & 0xFF000000) | (start & 0xFFFFFF));
	/* Stage 1 sees the register even when stage 0 writes. */
	set_stage(r, 1, 0x000D000D, 0, 0, 0, 0);
	set_stage(r, 2, 0x000F000F, 0, 0, 0, 0);
	r->regs[REG_TEXENV_UPDATE_BUFFER] = 0x1100;
	ck_assert_uint_eq(rig_pixel(r), start);
	/* Stage 5 sees what stage 3 left; stages 4 and 5 have no bits. */
	set_stage(r, 1, 0x000F000F, 0, 0, 0, 0);
	set_stage(r, 3, 0x000E000E, 0, 0, b, 0);
	set_stage(r, 4, 0x000E000E, 0, 0, 0x01020304, 0);
	set_stage(r, 5, 0x000D000D, 0, 0, 0, 0);
	r->regs[REG_TEXENV_UPDATE_BUFFER] = 0x8800;
	ck_assert_uint_eq(rig_pixel(r), b);
	/* Stage 0 sees nothing. */
	for (unsigned s = 1; s < 6; s++) {
		set_stage(r, s, 0x000F000F, 0, 0, 0, 0);
	}
	set_stage(r, 0, 0x000D000D, 0, 0, 0, 0);
	ck_assert_uint_eq(rig_pixel(r), 0);
}

RIG_TEST(previous_in_stage_0_is_slot_2) {
	set_stage(r, 0, 0x0EEF0EEF, 0, 0, 0x281E140A, 0);
	ck_assert_uint_eq(rig_pixel(r), 0x281E140A);
	set_stage(r, 0, 0x0FFF0FFF, 0, 0, 0x281E140A, 0);
	ck_assert_uint_eq(rig_pixel(r), 0);
	/*
	 * Each slot keeps its own operand: 255 - x in slot 0, 255 - 0 where slot 2 is previous too.
	 */
	set_stage(r, 0, 0x0EEF0EEF, 0x00001001, 0, 0x281E140A, 0);
	ck_assert_uint_eq(rig_pixel(r), 0xD7E1EBF5);
	set_stage(r, 0, 0x0FFF0FFF, 0x00001001, 0, 0x281E140A, 0);
	ck_assert_uint_eq(rig_pixel(r), 0xFFFFFFFF);
	/* RGB and alpha by their own slot 2: add(constant, previous) in alpha, replace in RGB. */
	set_stage(r, 0, 0x0EFE0FFF, 0, TEV_OP_ADD << 16, 0x281E140A, 0);
	ck_assert_uint_eq(rig_pixel(r), 0x50000000);
}

RIG_TEST(undefined_sources_and_operands_are_zero) {
	for (uint32_t source = 7; source <= 12; source++) {
		set_stage(r, 0, source << 16 | source, 0, 0, 0, 0);
		ck_assert_uint_eq(rig_pixel(r), 0);
		set_stage(r, 0, source << 16 | source, 0x1001, 0, 0, 0);
		ck_assert_uint_eq(rig_pixel(r), 0xFFFFFFFF);
	}
	static const uint8_t undefined[] = { 6, 7, 10, 11, 14, 15 };
	for (size_t i = 0; i < ARRAY_LEN(undefined); i++) {
		set_stage(r, 0, 0x000E000E, undefined[i], 0, 0x44332211, 0);
		ck_assert_uint_eq(rig_pixel(r), 0x44000000);
	}
	/* Units that are off, lighting and the procedural unit. */
	r->regs[REG_TEXUNIT_CONFIG] = 0;
	for (uint32_t source = 1; source <= 6; source++) {
		set_stage(r, 0, source << 16 | source, 0, 0, 0, 0);
		ck_assert_uint_eq(rig_pixel(r), 0);
	}
}

static void check_info(const struct rig *r, const struct expected *before, unsigned round) {
	if (!r->info.writes_color || r->info.nothing) {
		ck_assert_msg(memcmp(before->color, r->color, sizeof(r->color)) == 0, "round %u",
				round);
	}
	if (!r->info.writes_depth || r->info.nothing) {
		ck_assert_msg(memcmp(before->depth, r->depth, sizeof(r->depth)) == 0, "round %u",
				round);
	}
}

RIG_TEST(random_states_are_the_naive_pixel) {
	static struct expected e, before;
	unsigned drawn = 0, survived = 0;
	for (unsigned round = 0; round < 6000; round++) {
		expected_rounding = round % 3 ? PICA_COMBINER_NEAREST : PICA_COMBINER_TRUNCATE;
		r->k = round % 3 ? frag_kernels_for((enum isa)_i) :
				frag_kernels_truncating((enum isa)_i);
		random_state(r);
		random_inputs(r);
		random_quads(r);
		random_memory(r);
		memcpy(before.color, r->color, sizeof(r->color));
		memcpy(before.depth, r->depth, sizeof(r->depth));
		expect(r, &e);
		rig_draw(r, round & 1 ? EARLY_WHOLE : EARLY_BY_QUAD);
		compare(r, &e, round);
		check_info(r, &before, round);
		if (!r->info.nothing) {
			drawn++;
			survived += e.live != 0;
			ck_assert_msg(e.live == r->b.live, "round %u: survivors", round);
		}
	}
	ck_assert_uint_gt(drawn, 4000);
	ck_assert_uint_gt(survived, 3000);
	expected_rounding = PICA_COMBINER_NEAREST;
}

RIG_TEST(every_operation_with_every_operand) {
	static struct expected e;
	random_inputs(r);
	for (uint32_t op = 0; op < 16; op++) {
		for (uint32_t operand = 0; operand < 16; operand++) {
			for (unsigned slot = 0; slot < 3; slot++) {
				plain_state(r);
				const uint32_t rgb = operand << 4 * slot,
						alpha = (operand & 7) << (12 + 4 * slot);
				set_stage(r, 0, 0x05430543, rgb | alpha, op << 16 | op, 0, 0);
				r->regs[REG_TEXUNIT0_PARAM] = 2u << 12 | 2u << 8;
				random_inputs(r);
				random_quads(r);
				expect(r, &e);
				rig_draw(r, EARLY_WHOLE);
				compare(r, &e, op << 8 | operand << 4 | slot);
			}
		}
	}
}
