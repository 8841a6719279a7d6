/*
 * The naive renderer against the numbers [fidelity: transfer-numbers], measured on a console. [HW]
 */
#include "test_naive.h"

#include <string.h>

#include "core/base/attributes.h"
#include "tests/suite.h"

static uint32_t transfer_pixel(uint32_t in, unsigned in_format, unsigned out_format) {
	memset(vram, 0, 0x10000);
	put_word(vram, in);
	struct pica_job job = {.op = PICA_OP_TRANSFER};
	job.u.transfer.src = VRAM;
	job.u.transfer.dst = VRAM + 0x20000;
	job.u.transfer.out_dim = 128 | 128 << 16;
	job.u.transfer.flags = in_format << 8 | out_format << 12;
	memset(vram + 0x20000, 0xEE, 16);
	ck_assert_int_eq(naive_job(n, &job), 0);
	const uint32_t word = word_at(vram + 0x20000);
	return out_format == 0 ? word : out_format == 1 ? word & 0xFFFFFF : word & 0xFFFF;
}

FIXTURE(setup, teardown)

TEST(transfer_conversions) {
	enum { RGBA8, RGB8, RGB565, RGB5A1, RGBA4 };
	static const uint32_t cases[][4] = {
		{ 0xFF000000, RGBA8, RGB8, 0xFF0000 },
		{ 0x00FF0000, RGBA8, RGB8, 0x00FF00 },
		{ 0x000000FF, RGBA8, RGB8, 0 },
		{ 0xFF000000, RGBA8, RGB565, 0xF800 },
		{ 0x00FF0000, RGBA8, RGB565, 0x07E0 },
		{ 0x0000FF00, RGBA8, RGB565, 0x001F },
		{ 0x000000FF, RGBA8, RGB5A1, 1 },
		{ 0x0000007F, RGBA8, RGB5A1, 0 },
		{ 0x00000080, RGBA8, RGB5A1, 1 },
		{ 0x00000064, RGBA8, RGBA4, 6 },
		{ 0x000000FE, RGBA8, RGBA4, 0xF },
		{ 0x07C0, RGB5A1, RGB565, 0x07E0 },
		{ 0x0001, RGB5A1, RGBA4, 0x000F },
		{ 0x0008, RGBA4, RGB5A1, 1 },
		{ 0x0007, RGBA4, RGB5A1, 0 },
		{ 0xF000, RGBA4, RGB5A1, 0xF800 },
		{ 0xFF0000, RGB8, RGB8, 0xFF0000 },
		{ 0xFF0000, RGB8, RGB5A1, 0xF801 },
	};
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		ck_assert_uint_eq(
			transfer_pixel(cases[i][0], cases[i][1], cases[i][2]), cases[i][3]);
	}
}

static void transfer(uint32_t out_dim, uint32_t in_dim, uint32_t flags) {
	struct pica_job job = {.op = PICA_OP_TRANSFER};
	job.u.transfer.src = VRAM;
	job.u.transfer.dst = VRAM + 0x100000;
	job.u.transfer.out_dim = out_dim;
	job.u.transfer.in_dim = in_dim;
	job.u.transfer.flags = flags;
	ck_assert_int_eq(naive_job(n, &job), 0);
}

TEST(transfer_scales_and_reorders) {
	const uint8_t *out = vram + 0x100000;
	const uint32_t square = 128 | 128 << 16;
	put_word(vram, 0xFFFF0000);
	put_word(vram + 4, 0x00FF0000);
	put_word(vram + 8, 0xFF000000);
	transfer(square, 0, 1 << 24);
	ck_assert_uint_eq(word_at(out), 0x7FFF0000);
	ck_assert_uint_eq(word_at(out + 4 * 0x80), 0);
	ck_assert_uint_eq(word_at(out + 4 * 0x40), 0x7F000000);
	put_word(vram + 4, 0xFF0000FF);
	put_word(vram + 8, 0);
	transfer(square, 0, 2 << 24);
	ck_assert_uint_eq(word_at(out), 0x7F3F003F);
	/* Z order: inputs 1, 2, 13 land at (1,0), (0,1), (3,2); bit 16 does not change that. */
	for (unsigned block32 = 0; block32 < 2; block32++) {
		put_word(vram + 4, 0xABCDE);
		put_word(vram + 8, 0xDEF00);
		put_word(vram + 4 * 13, 0xAAAAAA);
		transfer(square, 0, block32 << 16);
		ck_assert_uint_eq(word_at(out + 4), 0xABCDE);
		ck_assert_uint_eq(word_at(out + 4 * 128), 0xDEF00);
		ck_assert_uint_eq(word_at(out + 4 * (2 * 128 + 3)), 0xAAAAAA);
	}
	transfer(square, 0, 1 << 5);
	ck_assert_uint_eq(word_at(out + 4 * 13), 0xAAAAAA);
	transfer(square, 0, 1 << 5 | 1 << 1);
	ck_assert_uint_eq(word_at(out + 4 * 13), 0xAAAAAA);
}

TEST(transfer_walks_the_input_by_the_output_width) {
	put_word(vram + 4 * 95999, 0x00FF0000);
	transfer(240 | 400 << 16, 512 | 400 << 16, 1 << 12);
	const uint8_t *last = vram + 0x100000 + 3 * 95999;
	ck_assert_uint_eq(last[0] | last[1] << 8 | last[2] << 16, 0x00FF00);
}

TEST(fills) {
	struct pica_job job = {.op = PICA_OP_FILL};
	job.u.fill.start = VRAM;
	job.u.fill.end = VRAM + 48;
	job.u.fill.control = 0x201;
	job.u.fill.value = 0x0000FFFF;
	ck_assert_int_eq(naive_job(n, &job), 0);
	ck_assert_mem_eq(vram + 40, "\xFF\xFF\x00\x00\xFF\xFF\x00\x00\x00", 9);
	job.u.fill.control = 0x101;
	job.u.fill.value = 0x00FFFF00;
	ck_assert_int_eq(naive_job(n, &job), 0);
	ck_assert_mem_eq(vram, "\x00\xFF\xFF\x00\xFF\xFF", 6);
	ck_assert_uint_eq(vram[47], 0xFF);
	ck_assert_uint_eq(vram[48], 0);
	job.u.fill.control = 1;
	job.u.fill.value = 0xABCD1234;
	ck_assert_int_eq(naive_job(n, &job), 0);
	ck_assert_mem_eq(vram + 44, "\x34\x12\x34\x12\x00", 5);
}

TEST(texture_copy_honours_gaps) {
	for (unsigned i = 0; i < 3072; i++) {
		vram[i] = (uint8_t)(i / 16);
	}
	struct pica_job job = {.op = PICA_OP_COPY};
	job.u.copy.src = VRAM;
	job.u.copy.dst = VRAM + 0x1000;
	job.u.copy.size_bytes = 1536 + 15; /* rounded down [HW] */
	job.u.copy.in_line = 24 | 24 << 16;
	job.u.copy.out_line = 7; /* no gap: contiguous whatever the width [HW] */
	ck_assert_int_eq(naive_job(n, &job), 0);
	for (unsigned line = 0; line < 4; line++) {
		for (unsigned i = 0; i < 24; i++) {
			ck_assert_uint_eq(
				vram[0x1000 + (line * 24 + i) * 16], (uint8_t)(line * 48 + i));
		}
	}
	ck_assert_uint_eq(vram[0x1000 + 1536], 0);
}
