/*
 * The copy engines: values that console tests expect [HW: hwtests, through
 * data/pica/console_values], fills and texture copies of [fidelity: fill, texture-copy,
 * transfer-numbers].
 */
#include "xfer_memory.h"
#include "tests/suite.h"

/* The console test's frame: 128x128, buffers zeroed. */
static void square_job(uint32_t flags) {
	memset(host(IN), 0, 0x10000);
	memset(host(OUT), 0, 0x10000);
	job = (struct pica_job_transfer){ .src = IN, .dst = OUT, .out_dim = dim(128, 128),
		.in_dim = dim(128, 128), .flags = flags };
}

/* ---- Console values ---- */

FIXTURE(setup, teardown)

ISA_TEST(console_conversions) {
	enum {
		RGBA8 = XFER_RGBA8,
		RGB8 = XFER_RGB8,
		RGB565 = XFER_RGB565,
		RGB5A1 = XFER_RGB5A1,
		RGBA4 = XFER_RGBA4
	};
	static const struct {
		uint32_t in_format, out_format, in, out;
	} cases[] = {
		{ RGBA4, RGB5A1, 0xF000, 0xF800 },
		{ RGBA4, RGB5A1, 0x0F00, 0x07C0 },
		{ RGBA4, RGB5A1, 0x00F0, 0x003E },
		{ RGBA4, RGB5A1, 0x000F, 0x0001 },
		{ RGBA4, RGB5A1, 0x0008, 0x0001 },
		{ RGBA4, RGB5A1, 0x0007, 0x0000 },
		{ RGBA8, RGBA8, 0xFF000000, 0xFF000000 },
		{ RGBA8, RGBA8, 0x00FF0000, 0x00FF0000 },
		{ RGBA8, RGBA8, 0x0000FF00, 0x0000FF00 },
		{ RGBA8, RGBA8, 0x000000FF, 0x000000FF },
		{ RGBA8, RGB8, 0xFF000000, 0x00FF0000 },
		{ RGBA8, RGB8, 0x00FF0000, 0x0000FF00 },
		{ RGBA8, RGB8, 0x0000FF00, 0x000000FF },
		{ RGBA8, RGB8, 0x000000FF, 0x00000000 },
		{ RGBA8, RGB565, 0xFF000000, 0xF800 },
		{ RGBA8, RGB565, 0x00FF0000, 0x07E0 },
		{ RGBA8, RGB565, 0x0000FF00, 0x001F },
		{ RGBA8, RGB565, 0x000000FF, 0x0000 },
		{ RGBA8, RGB5A1, 0xFF000000, 0xF800 },
		{ RGBA8, RGB5A1, 0x00FF0000, 0x07C0 },
		{ RGBA8, RGB5A1, 0x0000FF00, 0x003E },
		{ RGBA8, RGB5A1, 0x000000FF, 0x0001 },
		{ RGBA8, RGB5A1, 0x00000064, 0x0000 },
		{ RGBA8, RGB5A1, 0x0000007F, 0x0000 },
		{ RGBA8, RGB5A1, 0x00000080, 0x0001 },
		{ RGBA8, RGB5A1, 0x000000FE, 0x0001 },
		{ RGBA8, RGBA4, 0xFF000000, 0xF000 },
		{ RGBA8, RGBA4, 0x00FF0000, 0x0F00 },
		{ RGBA8, RGBA4, 0x0000FF00, 0x00F0 },
		{ RGBA8, RGBA4, 0x000000FF, 0x000F },
		{ RGBA8, RGBA4, 0x00000064, 0x0006 },
		{ RGBA8, RGBA4, 0x0000007F, 0x0007 },
		{ RGBA8, RGBA4, 0x00000080, 0x0008 },
		{ RGBA8, RGBA4, 0x000000FE, 0x000F },
		{ RGB8, RGB8, 0xFF0000, 0xFF0000 },
		{ RGB8, RGB8, 0x00FF00, 0x00FF00 },
		{ RGB8, RGB8, 0x0000FF, 0x0000FF },
		/* These freeze a console: the values are those of its test file. */
		{ RGB8, RGB565, 0xFF0000, 0xF800 },
		{ RGB8, RGB565, 0x00FF00, 0x07E0 },
		{ RGB8, RGB565, 0x0000FF, 0x001F },
		{ RGB8, RGB5A1, 0xFF0000, 0xF801 },
		{ RGB8, RGB5A1, 0x00FF00, 0x07C1 },
		{ RGB8, RGB5A1, 0x0000FF, 0x003F },
		{ RGB8, RGB5A1, 0x000000, 0x0001 },
		{ RGB8, RGBA4, 0xFF0000, 0xF00F },
		{ RGB8, RGBA4, 0x00FF00, 0x0F0F },
		{ RGB8, RGBA4, 0x0000FF, 0x00FF },
		{ RGB8, RGBA4, 0x000000, 0x000F },
		{ RGB5A1, RGB5A1, 0xF800, 0xF800 },
		{ RGB5A1, RGB5A1, 0x07C0, 0x07C0 },
		{ RGB5A1, RGB5A1, 0x003E, 0x003E },
		{ RGB5A1, RGB5A1, 0x0001, 0x0001 },
		{ RGB5A1, RGB565, 0xF800, 0xF800 },
		{ RGB5A1, RGB565, 0x07C0, 0x07E0 },
		{ RGB5A1, RGB565, 0x003E, 0x001F },
		{ RGB5A1, RGB565, 0x0001, 0x0000 },
		{ RGB5A1, RGBA4, 0xF800, 0xF000 },
		{ RGB5A1, RGBA4, 0x07C0, 0x0F00 },
		{ RGB5A1, RGBA4, 0x003E, 0x00F0 },
		{ RGB5A1, RGBA4, 0x0001, 0x000F },
	};
	use_isa(_i);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		square_job(formats(cases[i].in_format, cases[i].out_format));
		put32(IN, cases[i].in);
		ck_assert_uint_eq(run_job(), 0);
		/* The frozen pairs: other pixels have alpha 255, so only pixel 0 compares. */
		bool freezes = cases[i].in_format == RGB8 &&
				xfer_format_bytes(cases[i].out_format) == 2;
		uint32_t mask = freezes ? 0xFFFF : 0xFFFFFFFF;
		ck_assert_uint_eq(get32(OUT) & mask, cases[i].out);
		struct transfer t;
		transfer_from_job(&t, &job);
		ck_assert_int_eq(t.bad, freezes);
	}
}

ISA_TEST(console_scaled_blending) {
	static const struct {
		uint32_t in[3], flags, out, out_0x40;
	} cases[] = {
		{ { 0xFF000000, 0, 0 }, HALF_X, 0x7F000000, 0 },
		{ { 0xFF000000, 0, 0 }, 0, 0xFF000000, 0 },
		{ { 0xFFFF0000, 0, 0 }, HALF_X, 0x7F7F0000, 0 },
		{ { 0xFFFF0000, 0xFF000000, 0 }, HALF_X, 0xFF7F0000, 0 },
		{ { 0xFFFF0000, 0xFF0000FF, 0 }, HALF_X, 0xFF7F007F, 0 },
		{ { 0xFFFF0000, 0x00FF0000, 0xFF000000 }, HALF_X, 0x7FFF0000, 0x7F000000 },
		{ { 0xFFFF0000, 0xFF0000FF, 0 }, HALF_XY, 0x7F3F003F, 0 },
	};
	use_isa(_i);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		square_job(formats(XFER_RGBA8, XFER_RGBA8) | cases[i].flags);
		for (uint32_t p = 0; p < 3; p++) {
			put32(IN + 4 * p, cases[i].in[p]);
		}
		ck_assert_uint_eq(run_job(), 0);
		ck_assert_uint_eq(get32(OUT), cases[i].out);
		ck_assert_uint_eq(get32(OUT + 4 * 0x40), cases[i].out_0x40);
	}
}

ISA_TEST(console_different_sizes) {
	static const uint32_t first[][2] = { { 0xFF000000, 0x00FF0000 }, { 0x00FF0000, 0x0000FF00 },
		{ 0x0000FF00, 0x000000FF }, { 0x000000FF, 0x00000000 } };
	use_isa(_i);
	for (size_t i = 0; i < ARRAY_LEN(first); i++) {
		memset(fcram, 0, FCRAM_BYTES);
		job = (struct pica_job_transfer){ .src = IN,
			.dst = OUT,
			.out_dim = dim(0xF0, 0x190),
			.in_dim = dim(0x200, 0x190),
			.flags = formats(XFER_RGBA8, XFER_RGB8) };
		put32(IN, first[i][0]);
		put32(IN + 4 * (0x200 * 0x190 - 1), 0x0000FF00);
		put32(IN + 4 * (0xF0 * 0x190 - 1), 0x00FF0000);
		ck_assert_uint_eq(run_job(), 0);
		ck_assert_uint_eq(get32(OUT), first[i][1]);
		ck_assert_uint_eq(get32(OUT + 4 * (0xF0 * 0x190 - 1)), 0);
		/* Input pixel 95999 is the last output pixel (239,399), green. */
		ck_assert_uint_eq(get32(OUT + 4 * 0x1193F), 0x00FF0000);
		ck_assert_uint_eq(host(OUT)[95999 * 3 + 1], 0xFF);
	}
}

/* Words 1, 2 and 13 in the order of the tiled side, and where they lie in lines of 128. */
static const uint32_t z_word[3] = { 0xABCDE, 0xDEF00, 0xAAAAAA };
static const uint32_t z_tiled[3] = { 1, 2, 13 };
static const uint32_t z_linear[3] = { 1, 128, 2 * 128 + 3 };

static void check_order(uint32_t flags, const uint32_t *in, const uint32_t *out) {
	square_job(flags);
	for (int i = 0; i < 3; i++) {
		put32(IN + 4 * in[i], z_word[i]);
	}
	ck_assert_uint_eq(run_job(), 0);
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq(get32(OUT + 4 * out[i]), z_word[i]);
	}
	uint32_t others = 0;
	for (uint32_t i = 0; i < 0x4000; i++) {
		others += get32(OUT + 4 * i) != 0;
	}
	ck_assert_uint_eq(others, 3);
}

ISA_TEST(console_orders) {
	use_isa(_i);
	uint32_t rgba8 = formats(XFER_RGBA8, XFER_RGBA8), rgb8 = formats(XFER_RGBA8, XFER_RGB8);
	check_order(rgba8, z_tiled, z_linear);
	check_order(rgba8 | TO_TILED, z_linear, z_tiled);
	check_order(rgba8 | BIT_16, z_tiled, z_linear);
	check_order(rgba8 | KEEP_ORDER, z_tiled, z_tiled);
	check_order(rgba8 | KEEP_ORDER | TO_TILED, z_tiled, z_tiled);
	check_order(rgb8 | RAW_COPY, z_tiled, z_tiled);
	check_order(rgb8 | RAW_COPY | TO_TILED, z_tiled, z_tiled);
}

ISA_TEST(console_fills) {
	static const struct {
		uint32_t value, control, unit;
		uint8_t period, bytes[4];
	} cases[] = {
		{ 0x00FFFFFF, 0x201, 1, 4, { 0xFF, 0xFF, 0xFF, 0x00 } },
		{ 0x0000FFFF, 0x201, 1, 4, { 0xFF, 0xFF, 0x00, 0x00 } },
		{ 0x00FFFFFF, 0x101, 0, 3, { 0xFF, 0xFF, 0xFF } },
		{ 0xFFFFFFFF, 0x101, 0, 3, { 0xFF, 0xFF, 0xFF } },
		{ 0x00FFFF00, 0x101, 0, 3, { 0x00, 0xFF, 0xFF } },
		/* By the register's description: 3 is 24 bits too, 0 the low 16 bits. */
		{ 0x11223344, 0x301, 0, 3, { 0x44, 0x33, 0x22 } },
		{ 0x11223344, 0x001, 0, 2, { 0x44, 0x33 } },
		{ 0x11223344, 0x201, 0, 4, { 0x44, 0x33, 0x22, 0x11 } },
	};
	use_isa(_i);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		memset(vram, 0xCC, 128);
		struct pica_job_fill fill = { .start = VRAM + 16,
			.end = VRAM + 64,
			.value = cases[i].value,
			.control = cases[i].control,
			.unit = cases[i].unit };
		struct fill f;
		fill_from_job(&f, &fill);
		ck_assert_uint_eq(fill_writes(&f).addr, VRAM + 16);
		ck_assert_uint_eq(fill_writes(&f).size, 48);
		ck_assert_uint_eq(fill_run(&f, &kernels, &space, 0, 1), 0);
		for (unsigned b = 0; b < 128; b++) {
			unsigned want = b < 16 || b >= 64 ?
					0xCC :
					cases[i].bytes[(b - 16) % cases[i].period];
			ck_assert_uint_eq(vram[b], want);
		}
	}
}

/* ---- Fill ---- */

ISA_TEST(fill_stripes_and_windows) {
	/* 24 bits from just before FCRAM: the phase continues over the hole, without stripes. */
	use_isa(_i);
	for (unsigned n = 1; n <= 7; n++) {
		memset(fcram, 0xCC, 0x9000);
		struct pica_job_fill fill = { .start = FCRAM - 0x20,
			.end = FCRAM + 0x8010,
			.value = 0x332211,
			.control = 0x100 };
		struct fill f;
		fill_from_job(&f, &fill);
		uint32_t outside = 0;
		for (unsigned i = n; i-- > 0;) {
			outside += fill_run(&f, &kernels, &space, i, n);
		}
		ck_assert_uint_eq(outside, 0x20);
		for (uint32_t b = 0; b < 0x9000; b++) {
			ck_assert_uint_eq(
					fcram[b], b < 0x8010 ? 0x11 * ((b + 0x20) % 3 + 1) : 0xCC);
		}
	}
}

TEST(fill_of_nothing) {
	struct fill f;
	fill_from_job(&f,
			&(struct pica_job_fill){ .start = 0, .end = FCRAM + 16, .control = 0x200 });
	ck_assert_uint_eq(fill_writes(&f).size, 0); /* start 0 completes without a fill [HW] */
	ck_assert_uint_eq(fill_run(&f, &kernels, &space, 0, 1), 0);
	fill_from_job(&f,
			&(struct pica_job_fill){
					.start = FCRAM + 16, .end = FCRAM, .control = 0x200 });
	ck_assert_uint_eq(fill_writes(&f).size, 0);
	ck_assert_uint_eq(fill_run(&f, &kernels, &space, 0, 1), 0);
	/* Addresses count in 16 bytes; a read-only window drops everything. */
	fill_from_job(&f, &(struct pica_job_fill){ .start = ROM + 8, .end = ROM + 24, .value = 1 });
	ck_assert_uint_eq(f.start, ROM);
	ck_assert_uint_eq(f.end, ROM + 16);
	ck_assert_uint_eq(fill_run(&f, &kernels, &space, 0, 1), 16);
	ck_assert_uint_eq(rom[0], 0);
}

TEST(fill_from_registers) {
	/* [fidelity: citrace-numbers]: 0x18000000 to 0x18000010 with 0x11223344, control 0x201. */
	static uint32_t external[0x400];
	memset(external, 0, sizeof(external));
	external[0x10 / 4] = 0x03000000;
	external[0x14 / 4] = 0x03000002;
	external[0x18 / 4] = 0x11223344;
	external[0x1C / 4] = 0x201;
	external[0x20 / 4] = 0x04000000;
	external[0x24 / 4] = 0x04000004;
	external[0x28 / 4] = 0x5566;
	struct fill f;
	fill_from_regs(&f, external, 0);
	ck_assert_uint_eq(fill_run(&f, &kernels, &space, 0, 1), 0);
	ck_assert_mem_eq(vram, "\x44\x33\x22\x11\x44\x33\x22\x11\x44\x33\x22\x11\x44\x33\x22\x11\0",
			17);
	fill_from_regs(&f, external, 1);
	ck_assert_uint_eq(f.start, FCRAM);
	ck_assert_uint_eq(f.end, FCRAM + 32);
	ck_assert_uint_eq(f.period, 2);
}

/* ---- Texture copy ---- */

TEST(copy_left_half_of_a_texture) {
	/* A 32x32 RGB8 tiled texture, left half packed: input width 24, gap 24, size 1536. */
	for (uint32_t i = 0; i < 32 * 32 * 3; i++) {
		host(IN)[i] = (uint8_t)rnd(256);
	}
	struct copy c;
	copy_from_job(&c, &(struct pica_job_copy){ .src = IN, .dst = OUT, .size_bytes = 1536,
				.in_line = 24 | 24 << 16, .out_line = 0 });
	ck_assert_uint_eq(copy_reads(&c).size, 4 * 384 + 3 * 384);
	ck_assert_uint_eq(copy_writes(&c).size, 1536);
	ck_assert_uint_eq(run_copy(&c, 1), 0);
	for (uint32_t y = 0; y < 32; y++) {
		for (uint32_t x = 0; x < 16; x++) {
			ck_assert_mem_eq(host(OUT) + 3 * tiled_index(x, y, 16, 0),
					host(IN) + 3 * tiled_index(x, y, 32, 0), 3);
		}
	}
	ck_assert_uint_eq(get32(OUT + 1536), 0);
}

TEST(copy_rounds_the_size_down_and_ignores_width_without_gap) {
	memset(host(IN), 0x77, 64);
	struct copy c;
	copy_from_job(&c,
			&(struct pica_job_copy){ .src = IN,
					.dst = OUT,
					.size_bytes = 47,
					.in_line = 1,
					.out_line = 0 });
	ck_assert_uint_eq(run_copy(&c, 1), 0);
	ck_assert_uint_eq(host(OUT)[31], 0x77);
	ck_assert_uint_eq(host(OUT)[32], 0);
}

TEST(copy_lines_of_different_length) {
	for (uint32_t i = 0; i < 1024; i++) {
		host(IN)[i] = (uint8_t)(i / 16 + 1);
	}
	struct copy c; /* read 2, skip 1; write 3, skip 2: units of 16 bytes */
	copy_from_job(&c, &(struct pica_job_copy){ .src = IN, .dst = OUT, .size_bytes = 16 * 8,
				.in_line = 2 | 1 << 16, .out_line = 3 | 2 << 16 });
	ck_assert_uint_eq(copy_stripes(&c, 100), 8);
	ck_assert_uint_eq(run_copy(&c, 100), 0);
	static const uint8_t want[] = { 1, 2, 4, 0, 0, 5, 7, 8, 0, 0, 10, 11, 0, 0 };
	for (uint32_t i = 0; i < ARRAY_LEN(want); i++) {
		ck_assert_uint_eq(host(OUT)[16 * i], want[i]);
		ck_assert_uint_eq(host(OUT)[16 * i + 15], want[i]);
	}
	ck_assert_uint_eq(copy_writes(&c).size, 16 * (3 + 2 + 3 + 2 + 2));
	ck_assert_uint_eq(copy_reads(&c).size, 16 * 11);
}

TEST(copy_that_freezes_hardware_does_nothing) {
	static const struct pica_job_copy jobs[] = {
		{ .src = IN, .dst = OUT, .size_bytes = 0 },
		{ .src = IN, .dst = OUT, .size_bytes = 15 },
		{ .src = IN, .dst = OUT, .size_bytes = 64, .in_line = 1 << 16 },
		{ .src = IN, .dst = OUT, .size_bytes = 64, .out_line = 1 << 16 },
	};
	put32(IN, 1);
	for (size_t i = 0; i < ARRAY_LEN(jobs); i++) {
		struct copy c;
		copy_from_job(&c, &jobs[i]);
		ck_assert(c.nothing && c.bad);
		ck_assert_uint_eq(copy_reads(&c).size, 0);
		ck_assert_uint_eq(copy_writes(&c).size, 0);
		ck_assert_uint_eq(run_copy(&c, 1), 0);
		ck_assert_uint_eq(get32(OUT), 0);
	}
}

TEST(overlapping_copy_goes_forward) {
	for (uint32_t i = 0; i < 16; i++) {
		memset(host(IN) + 16 * i, (int)i + 1, 16);
	}
	struct copy c;
	copy_from_job(&c,
			&(struct pica_job_copy){ .src = IN, .dst = IN + 32, .size_bytes = 16 * 8 });
	ck_assert_uint_eq(run_copy(&c, 100), 0);
	for (uint32_t i = 0; i < 12; i++) { /* the first two steps repeat */
		ck_assert_uint_eq(host(IN)[16 * i], i < 10 ? i % 2 + 1 : i + 1);
	}
}

TEST(random_copies_equal_bytewise_ones) {
	uint8_t *want = malloc(FCRAM_BYTES + VRAM_BYTES);
	ck_assert(want);
	for (uint32_t i = 0; i < FCRAM_BYTES; i++) {
		fcram[i] = (uint8_t)rnd(256);
	}
	memcpy(want, fcram, FCRAM_BYTES);
	memcpy(want + FCRAM_BYTES, vram, VRAM_BYTES);
	for (int round = 0; round < 500; round++) {
		struct pica_job_copy cj = { .src = random_addr(),
			.dst = random_addr(),
			.size_bytes = rnd(0x4000),
			.in_line = rnd(2) ? rnd(40) | rnd(20) << 16 : rnd(40),
			.out_line = rnd(2) ? rnd(40) | rnd(20) << 16 : rnd(40) };
		if (rnd(4) == 0) {
			cj.dst = cj.src + 16 * rnd(40);
		}
		struct copy c;
		copy_from_job(&c, &cj);
		uint32_t outside = 0;
		if (!c.nothing) {
			for (int64_t pos = 0; pos < c.size_bytes; pos += 16) {
				uint8_t step[16];
				int64_t s = c.src + pos / c.in_line * (c.in_line + c.in_gap) +
						pos % c.in_line;
				int64_t d = c.dst + pos / c.out_line * (c.out_line + c.out_gap) +
						pos % c.out_line;
				for (int b = 0; b < 16; b++) {
					step[b] = (uint8_t)peek(s + b, want, want + FCRAM_BYTES);
				}
				for (int b = 0; b < 16; b++) {
					poke(d + b, step[b], want, want + FCRAM_BYTES);
				}
				bool d_in = inside(d, (struct range){ FCRAM, FCRAM_BYTES }) ||
						inside(d, (struct range){ VRAM, VRAM_BYTES });
				bool s_in = inside(s, (struct range){ FCRAM, FCRAM_BYTES }) ||
						inside(s, (struct range){ VRAM, VRAM_BYTES }) ||
						inside(s, (struct range){ ROM, ROM_BYTES });
				outside += d_in && s_in ? 0 : 16;
				if (d_in) {
					ck_assert(inside(d, copy_writes(&c)) &&
							inside(d + 15, copy_writes(&c)));
				}
			}
		}
		ck_assert_uint_eq(run_copy(&c, 1 + rnd(5)), outside);
		ck_assert_mem_eq(fcram, want, FCRAM_BYTES);
		ck_assert_mem_eq(vram, want + FCRAM_BYTES, VRAM_BYTES);
	}
	free(want);
}

TEST(copy_and_transfer_from_registers) {
	static uint32_t external[0x400];
	memset(external, 0, sizeof(external));
	external[0xC00 / 4] = 0x03000000;
	external[0xC04 / 4] = 0x04011940;
	external[0xC08 / 4] = 0x019000F0;
	external[0xC0C / 4] = 0x01900200;
	external[0xC10 / 4] = 0x1000;
	external[0xC20 / 4] = 0x107;
	external[0xC24 / 4] = 0x00020001;
	struct transfer t; /* what every capture does at the end of a frame */
	transfer_from_regs(&t, external);
	ck_assert_uint_eq(t.src, 0x18000000);
	ck_assert_uint_eq(t.dst, 0x2008CA00);
	ck_assert_uint_eq(t.out_width, 240);
	ck_assert_uint_eq(t.out_height, 400);
	ck_assert_uint_eq(t.in_width, 240);
	ck_assert_uint_eq(t.in_format, XFER_RGBA8);
	ck_assert_uint_eq(t.out_format, XFER_RGB8);
	ck_assert(!t.flip && !t.to_tiled && !t.bad && !t.nothing);
	ck_assert_uint_eq(transfer_reads(&t).size, 240 * 400 * 4);
	ck_assert_uint_eq(transfer_writes(&t).size, 240 * 400 * 3);
	ck_assert_uint_eq(transfer_stripes(&t, 100), 50);
	ck_assert(!transfer_flags_copy(0xFFFFFFF7) && transfer_flags_copy(8));
	struct copy c;
	copy_from_regs(&c, external);
	ck_assert_uint_eq(c.src, 0x18000000);
	ck_assert_uint_eq(c.dst, 0x2008CA00);
	ck_assert_uint_eq(c.size_bytes, 0x100);
	ck_assert_uint_eq(c.in_line, 16);
	ck_assert_uint_eq(c.in_gap, 32);
	ck_assert_uint_eq(c.out_line, 0x100);
	ck_assert_uint_eq(c.out_gap, 0);
}
