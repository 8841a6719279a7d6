/* Number formats, order of pixels, arena, log. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "core/base/fixed.h"
#include "core/base/log.h"
#include "core/base/mathfn.h"
#include "core/base/morton.h"
#include "tests/suite.h"

struct pair {
	uint32_t raw, f32;
};

/* ---- Floats [fidelity: list-numbers] ---- */

TEST(f24_decodes_to_the_published_table) {
	static const struct pair t[] = { { 0x000000, 0x00000000 }, { 0x3F0000, 0x3F800000 },
		{ 0xBF0000, 0xBF800000 }, { 0x3E0000, 0x3F000000 }, { 0x3D0000, 0x3E800000 },
		{ 0x408000, 0x40400000 }, { 0x010000, 0x20800000 }, { 0x7EFFFF, 0x5F7FFF80 },
		{ 0x800000, 0x80000000 }, { 0x7F0000, 0x7F800000 }, { 0xFF0000, 0xFF800000 },
		{ 0x000001, 0x18800000 }, { 0x00FFFF, 0x207FFF00 }, { 0x7F8000, 0x7FC00000 },
		{ 0xFF8000, 0xFFC00000 }, { 0x45E000, 0x42F00000 }, { 0x464000, 0x43200000 } };
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		ck_assert_uint_eq(f32_bits(f24_to_f32(t[i].raw)), t[i].f32);
		/* Bits above the 24 are ignored. */
		ck_assert_uint_eq(f32_bits(f24_to_f32(t[i].raw | 0xA5000000)), t[i].f32);
	}
}

TEST(f20_and_f16_decode_to_the_published_tables) {
	static const struct pair f20[] = { { 0x3F000, 0x3F800000 }, { 0x40800, 0x40400000 },
		{ 0x01000, 0x20800000 }, { 0x7EFFF, 0x5F7FF800 }, { 0x7F000, 0x7F800000 },
		{ 0x00001, 0x1A800000 }, { 0x00FFF, 0x207FF000 }, { 0x7F800, 0x7FC00000 },
		{ 0xFFFFF, 0xFFFFF800 } };
	for (size_t i = 0; i < ARRAY_LEN(f20); i++) {
		ck_assert_uint_eq(f32_bits(f20_to_f32(f20[i].raw)), f20[i].f32);
	}
	static const struct pair f16[] = { { 0x3C00, 0x3F800000 }, { 0x4200, 0x40400000 },
		{ 0x0400, 0x38800000 }, { 0x7BFF, 0x477FE000 }, { 0x7C00, 0x7F800000 },
		{ 0x0001, 0x33800000 }, { 0x03FF, 0x387FC000 }, { 0x7E00, 0x7FC00000 },
		{ 0xFFFF, 0xFFFFE000 } };
	for (size_t i = 0; i < ARRAY_LEN(f16); i++) {
		ck_assert_uint_eq(f32_bits(f16_to_f32(f16[i].raw)), f16[i].f32);
	}
	/* [fidelity: lighting-numbers] */
	ck_assert_float_eq(f16_to_f32(0xBC00), -1.0f);
	ck_assert_float_eq(f16_to_f32(0x4000), 2.0f);
	ck_assert_float_eq(f16_to_f32(0x3800), 0.5f);
	ck_assert_float_eq(f20_to_f32(0x40000), 2.0f);
	ck_assert_float_eq(f20_to_f32(0xBF000), -1.0f);
	ck_assert_float_eq(f20_to_f32(0x3E000), 0.5f);
}

TEST(floats_are_narrowed_by_truncation) {
	static const struct {
		float value;
		uint32_t f24, f20, f16;
	} t[] = {
		{ 0.1f, 0x3B9999, 0x3B999, 0x2E66 },
		{ 1.0f / 3.0f, 0x3D5555, 0x3D555, 0x3555 },
		{ 3.14159265f, 0x40921F, 0x40921, 0x4248 },
		{ -2.5f, 0xC04000, 0xC0400, 0xC100 },
		{ 1e20f, 0x7F0000, 0x7F000, 0x7C00 },
		{ 1e-20f, 0x000000, 0x00000, 0x0000 },
		{ 65535.0f, 0x4EFFFE, 0x4EFFF, 0x7BFF },
		{ -1e20f, 0xFF0000, 0xFF000, 0xFC00 },
		{ -1e-20f, 0x800000, 0x80000, 0x8000 },
		{ INFINITY, 0x7F0000, 0x7F000, 0x7C00 },
		{ -INFINITY, 0xFF0000, 0xFF000, 0xFC00 },
		{ 0.0f, 0, 0, 0 },
	};
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		ck_assert_uint_eq(f32_to_f24(t[i].value), t[i].f24);
		ck_assert_uint_eq(f32_to_f20(t[i].value), t[i].f20);
		ck_assert_uint_eq(f32_to_f16(t[i].value), t[i].f16);
	}
	ck_assert_uint_eq(f32_to_f24(200.0f), 0x469000);
	ck_assert_uint_eq(f32_to_f24(400.0f), 0x479000);
	/* 65536 is beyond f16, exactly inside f24. */
	ck_assert_uint_eq(f32_to_f16(65536.0f), 0x7C00);
	ck_assert_uint_eq(f32_to_f24(65536.0f), 0x4F0000);
	/* A NaN keeps the top of its payload, and stays a NaN when that is empty. */
	ck_assert_uint_eq(f32_to_f24(f32_from_bits(0x7FC00000)), 0x7F8000);
	ck_assert_uint_eq(f32_to_f24(f32_from_bits(0xFFA00000)), 0xFF4000);
	ck_assert_uint_eq(f32_to_f24(f32_from_bits(0x7F800001)), 0x7F8000);
	ck_assert_uint_eq(f32_to_f16(f32_from_bits(0x7F800001)), 0x7E00);
	/* A binary32 subnormal is zero. */
	ck_assert_uint_eq(f32_to_f24(f32_from_bits(0x00000001)), 0);
}

TEST(every_normal_narrow_value_survives_the_way_through_binary32) {
	for (uint32_t raw = 0; raw <= 0xFFFFFF; raw += 1) {
		uint32_t e = raw >> 16 & 0x7F;
		if (e != 0 && f32_to_f24(f24_to_f32(raw)) != raw) {
			ck_abort_msg("f24 %06X", raw);
		}
	}
	for (uint32_t raw = 0; raw <= 0xFFFF; raw++) {
		if ((raw >> 10 & 0x1F) != 0 && f32_to_f16(f16_to_f32(raw)) != raw) {
			ck_abort_msg("f16 %04X", raw);
		}
	}
}

TEST(subnormals_decode_exactly) {
	for (uint32_t m = 1; m <= 0xFFFF; m++) {
		if (f24_to_f32(m) != ldexpf((float)m, -78) ||
				f24_to_f32(0x800000 | m) != -ldexpf((float)m, -78)) {
			ck_abort_msg("f24 %06X", m);
		}
	}
	for (uint32_t m = 1; m <= 0xFFF; m++) {
		ck_assert_float_eq(f20_to_f32(m), ldexpf((float)m, -74));
	}
	for (uint32_t m = 1; m <= 0x3FF; m++) {
		ck_assert_float_eq(f16_to_f32(m), ldexpf((float)m, -24));
	}
}

TEST(f31_words_are_those_of_the_system_software) {
	static const struct {
		int size;
		uint32_t word;
	} t[] = { { 240, 0x38111112 }, { 320, 0x3799999A }, { 400, 0x3747AE14 },
		{ 256, 0x38000000 }, { 512, 0x37000000 }, { 480, 0x37111112 } };
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		float value = 2.0f / (float)t[i].size;
		ck_assert_uint_eq(f32_to_f31(value), t[i].word);
		ck_assert_float_eq(f31_to_f32(t[i].word), value);
		/* Bit 0 is unused; the short form of the spec agrees. */
		ck_assert_float_eq(f31_to_f32(t[i].word | 1), value);
		ck_assert_uint_eq(f32_bits(value) * 2 - 0x40000000, t[i].word);
	}
	ck_assert_float_eq_tol(f31_to_f32(0x38111100), 2.0f / 240, 1e-7f);
	ck_assert_float_eq(f31_to_f32(0xFE000000), -f31_to_f32(0x7E000000));
}

TEST(vec4_of_f24_packs_into_three_words_w_first) {
	const float in[4] = { 1.0f, 0.5f, -1.0f, 3.0f };
	uint32_t word[3];
	f24_pack_vec4(in, word);
	ck_assert_uint_eq(word[0], 0x408000BF);
	ck_assert_uint_eq(word[1], 0x00003E00);
	ck_assert_uint_eq(word[2], 0x003F0000);
	float out[4];
	f24_unpack_vec4(word, out);
	for (int i = 0; i < 4; i++) {
		ck_assert_float_eq(out[i], in[i]);
	}
	/* Each byte has its own place. */
	const uint32_t bytes[3] = { 0xAABBCCDD, 0x11223344, 0x55667788 };
	f24_unpack_vec4(bytes, out);
	ck_assert_uint_eq(f32_bits(out[3]), f32_bits(f24_to_f32(0xAABBCC)));
	ck_assert_uint_eq(f32_bits(out[2]), f32_bits(f24_to_f32(0xDD1122)));
	ck_assert_uint_eq(f32_bits(out[1]), f32_bits(f24_to_f32(0x334455)));
	ck_assert_uint_eq(f32_bits(out[0]), f32_bits(f24_to_f32(0x667788)));
}

TEST(arithmetic_results_are_truncated_and_flushed) {
	/* [fidelity: f24-model] */
	ck_assert_uint_eq(f32_bits(f24_truncate(0.1f)), 0x3DCCCC80);
	ck_assert_uint_eq(f32_bits(f24_truncate(-0.1f)), 0xBDCCCC80);
	ck_assert_uint_eq(f32_bits(f24_truncate(0x1p64f)), 0x7F800000);
	ck_assert_uint_eq(f32_bits(f24_truncate(-0x1p64f)), 0xFF800000);
	ck_assert_uint_eq(f32_bits(f24_truncate(0x1.FFFFFEp63f)), 0x5F7FFF80);
	ck_assert_uint_eq(f32_bits(f24_truncate(0x1p-62f)), 0x20800000);
	ck_assert_uint_eq(f32_bits(f24_truncate(0x1.FFFFFEp-63f)), 0);
	ck_assert_uint_eq(f32_bits(f24_truncate(-0x1p-70f)), 0);
	ck_assert_uint_eq(f32_bits(f24_truncate(-0.0f)), 0);
	ck_assert_uint_eq(f32_bits(f24_truncate(INFINITY)), 0x7F800000);
	ck_assert(isnan(f24_truncate(f32_from_bits(0x7F800001))));
	ck_assert_uint_eq(f32_bits(f24_flush(-0.0f)), 0);
	ck_assert_uint_eq(f32_bits(f24_flush(f24_to_f32(0x00FFFF))), 0);
	ck_assert_uint_eq(f32_bits(f24_flush(f24_to_f32(0x80FFFF))), 0);
	ck_assert_uint_eq(f32_bits(f24_flush(-0x1p-62f)), 0xA0800000);
	ck_assert(isnan(f24_flush(f32_from_bits(0x7FC00000))));
	/* Truncation and the encoder agree wherever a result is stored. */
	for (uint32_t i = 0; i < 200000; i++) {
		float x = f32_from_bits(i * 2654435761u);
		if (!isnan(x) && f24_truncate(x) != f24_to_f32(f32_to_f24(x))) {
			ck_abort_msg("%08X", f32_bits(x));
		}
	}
}

TEST(log2_and_exp2_are_exact_for_powers_and_close_elsewhere) {
	for (int k = -140; k <= 120; k++) {
		ck_assert(math_log2(ldexp(1.0, k)) == (double)k);
		ck_assert(math_exp2((double)k) == ldexp(1.0, k));
	}
	const double tolerance = 0x1p-30;
	for (int i = 1; i <= 20000; i++) {
		double x = i * 0.00173, exact = log2(x);
		ck_assert(fabs(math_log2(x) - exact) <= tolerance * fabs(exact));
		double y = (i - 10000) * 0.00617, power = exp2(y);
		ck_assert(fabs(math_exp2(y) - power) <= tolerance * power);
	}
	ck_assert(isinf(math_exp2(1024.0)));
	ck_assert(math_exp2(-2000.0) == 0.0);
}

TEST(binary64_results_are_truncated_to_f24_at_once) {
	ck_assert_uint_eq(f32_bits(math_f24(0.1)), 0x3DCCCC80);
	ck_assert_uint_eq(f32_bits(math_f24(-0.1)), 0xBDCCCC80);
	/* Just below 1: rounding to binary32 first would give 1. */
	ck_assert_uint_eq(f32_bits(math_f24(0x1.FFFFFFFFFp-1)), 0x3F7FFF80);
	ck_assert_uint_eq(f32_bits(math_f24(0x1p64)), 0x7F800000);
	ck_assert_uint_eq(f32_bits(math_f24(-0x1p64)), 0xFF800000);
	ck_assert_uint_eq(f32_bits(math_f24(0x1.FFFFFFFFFp63)), 0x5F7FFF80);
	ck_assert_uint_eq(f32_bits(math_f24(0x1p-62)), 0x20800000);
	ck_assert_uint_eq(f32_bits(math_f24(-0x1.FFFFFFFFFp-63)), 0);
	ck_assert_uint_eq(f32_bits(math_f24((double)NAN)), 0x7FC00000);
}

/* ---- Fixed point ---- */

TEST(fixed_point_fields_extend_their_sign) {
	ck_assert_int_eq(sign_extend(0x1F00, 13), -256); /* lod bias -1.0 */
	ck_assert_int_eq(sign_extend(0x1000, 13), -4096);
	ck_assert_int_eq(sign_extend(0x0100, 13), 256);
	ck_assert_int_eq(sign_extend(0x1801, 13), -2047);
	ck_assert_int_eq(sign_extend(0x07FF, 13), 2047);
	ck_assert_int_eq(sign_extend(0x3FF, 10), -1);
	ck_assert_int_eq(sign_extend(0x200, 10), -512);
	ck_assert_int_eq(sign_extend(0xFFFFFC01, 10), 1); /* higher bits are ignored */
	ck_assert_int_eq(sign_extend(0x40000000, 31), INT32_MIN / 2);
	ck_assert_int_eq(sign_extend(1, 1), -1);
}

TEST(components_expand_to_eight_bits) {
	/* [fidelity: texture-numbers] */
	static const uint8_t five[][2] = { { 0, 0 }, { 1, 8 }, { 15, 123 }, { 16, 132 },
		{ 30, 247 }, { 31, 255 } };
	for (size_t i = 0; i < ARRAY_LEN(five); i++) {
		ck_assert_uint_eq(expand5(five[i][0]), five[i][1]);
	}
	static const uint8_t six[][2] = { { 0, 0 }, { 1, 4 }, { 31, 125 }, { 32, 130 }, { 62, 251 },
		{ 63, 255 } };
	for (size_t i = 0; i < ARRAY_LEN(six); i++) {
		ck_assert_uint_eq(expand6(six[i][0]), six[i][1]);
	}
	static const uint8_t four[][2] = { { 1, 17 }, { 7, 119 }, { 8, 136 }, { 15, 255 } };
	for (size_t i = 0; i < ARRAY_LEN(four); i++) {
		ck_assert_uint_eq(expand4(four[i][0]), four[i][1]);
	}
	ck_assert_uint_eq(expand1(0), 0);
	ck_assert_uint_eq(expand1(1), 255);
}

/* ---- Order of pixels ---- */

TEST(pixels_of_a_block_lie_in_z_order) {
	/* The first three were measured on a console. [fidelity: texture-numbers] */
	static const uint8_t t[][3] = { { 1, 0, 1 }, { 0, 1, 2 }, { 3, 2, 13 }, { 1, 1, 3 },
		{ 2, 0, 4 }, { 4, 0, 16 }, { 0, 4, 32 }, { 5, 6, 57 }, { 7, 7, 63 } };
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		ck_assert_uint_eq(morton8(t[i][0], t[i][1]), t[i][2]);
	}
	for (uint32_t i = 0; i < 64; i++) {
		ck_assert_uint_eq(morton8(morton8_x(i), morton8_y(i)), i);
		/* A 2x2 quad is four consecutive pixels. */
		ck_assert_uint_eq(morton8_x(i), morton8_x(i & ~3u) + (i & 1));
		ck_assert_uint_eq(morton8_y(i), morton8_y(i & ~3u) + (i >> 1 & 1));
	}
}

TEST(tiles_lie_in_rows) {
	/* [fidelity: texture-numbers, output-numbers] */
	static const struct {
		uint32_t x, row, width, index;
	} t[] = { { 8, 0, 64, 64 }, { 0, 8, 64, 512 }, { 9, 17, 64, 1091 }, { 33, 5, 64, 291 },
		{ 63, 63, 64, 4095 }, { 0, 0, 240, 0 }, { 0, 399, 240, 94122 },
		{ 120, 199, 240, 47082 }, { 239, 0, 240, 1877 } };
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		ck_assert_uint_eq(tiled_index(t[i].x, t[i].row, t[i].width, 0), t[i].index);
	}
}

TEST(blocks_of_32_are_z_order_over_five_bits) {
	for (uint32_t y = 0; y < 64; y++) {
		for (uint32_t x = 0; x < 96; x++) {
			uint32_t z = 0;
			for (int b = 0; b < 5; b++) {
				z |= (x >> b & 1) << 2 * b | (y >> b & 1) << (2 * b + 1);
			}
			uint32_t expected = ((y >> 5) * 3 + (x >> 5)) * 1024 + z;
			ck_assert_uint_eq(tiled_index(x, y, 96, 1), expected);
			/* A width that is not a multiple of 32 is rounded up to whole blocks. */
			if (x < 72) {
				ck_assert_uint_eq(tiled_index(x, y, 72, 1), expected);
			}
		}
	}
}

/* ---- Arena ---- */

TEST(arena_hands_out_aligned_separate_memory) {
	struct arena a;
	arena_init(&a, NULL);
	uint8_t *p[300];
	for (int i = 0; i < 300; i++) {
		p[i] = arena_alloc(&a, (size_t)i * 7);
		ck_assert_ptr_nonnull(p[i]);
		ck_assert_uint_eq((uintptr_t)p[i] % 64, 0);
		memset(p[i], i, (size_t)i * 7);
	}
	for (int i = 1; i < 300; i++) {
		ck_assert_uint_eq(p[i][0], (uint8_t)i);
		ck_assert_uint_eq(p[i][i * 7 - 1], (uint8_t)i);
	}
	ck_assert_ptr_ne(p[0], p[1]);
	arena_finish(&a);
	arena_finish(&a);
}

TEST(arena_reuses_its_blocks_after_a_reset) {
	struct arena a;
	arena_init(&a, NULL);
	void *first = arena_alloc(&a, 100);
	void *big = arena_alloc(&a, 1 << 20);
	void *small = arena_alloc(&a, 100);
	ck_assert_uint_eq(a.total_used, 128 + (1 << 20) + 128);
	for (int round = 0; round < 3; round++) {
		arena_reset(&a);
		ck_assert_uint_eq(a.total_used, 0);
		ck_assert_ptr_eq(arena_alloc(&a, 100), first);
		ck_assert_ptr_eq(arena_alloc(&a, 1 << 20), big);
		ck_assert_ptr_eq(arena_alloc(&a, 100), small);
	}
	/* A first allocation that the first block cannot hold. */
	arena_reset(&a);
	ck_assert_ptr_nonnull(arena_alloc(&a, 2 << 20));
	uint8_t *zero = arena_zalloc(&a, 1000);
	for (int i = 0; i < 1000; i++) {
		ck_assert_uint_eq(zero[i], 0);
	}
	arena_finish(&a);
}

TEST(arena_refuses_sizes_that_overflow) {
	struct arena a;
	arena_init(&a, NULL);
	ck_assert_ptr_null(arena_alloc(&a, SIZE_MAX));
	ck_assert_ptr_null(arena_alloc(&a, SIZE_MAX - 63));
	ck_assert_ptr_null(arena_zalloc(&a, SIZE_MAX / 2 + 1));
	ck_assert_ptr_nonnull(arena_alloc(&a, 0));
	arena_finish(&a);
}

/* ---- Log ---- */

static char last_line[600];
static int lines;

static void on_line(void *user, enum pica_log_level level, const char *line) {
	snprintf(last_line, sizeof(last_line), "%s%d:%s", (const char *)user, (int)level, line);
	lines++;
}

static void on_line_of_owner(
		void *user, uint64_t owner, enum pica_log_level level, const char *line) {
	snprintf(last_line, sizeof(last_line), "%s%d:%d:%s", (const char *)user, (int)owner,
			(int)level, line);
	lines++;
}

TEST(log_formats_and_filters_by_level) {
	char user[] = "u";
	struct logger log = { on_line, NULL, user, PICA_LOG_WARNING };
	lines = 0;
	log_write(&log, 0, PICA_LOG_WARNING, "address %08X", 0x18000000u);
	ck_assert_str_eq(last_line, "u1:address 18000000");
	log_write(&log, 0, PICA_LOG_INFO, "dropped");
	ck_assert_int_eq(lines, 1);
	log_write(&log, 0, PICA_LOG_ERROR, "%s", "x");
	ck_assert_int_eq(lines, 2);
	char longer[2000];
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	log_write(&log, 0, PICA_LOG_ERROR, "%s", longer);
	ck_assert_uint_eq(strlen(last_line), 3 + 511);
	struct logger silent = { NULL, NULL, NULL, PICA_LOG_DEBUG };
	log_write(&silent, 0, PICA_LOG_ERROR, "nothing");
	log_write(&silent, 5, PICA_LOG_ERROR, "nothing");
	ck_assert_int_eq(lines, 3);
	/* Of an owner's: to who asks for it. */
	log_write(&log, 5, PICA_LOG_ERROR, "of 5");
	ck_assert_str_eq(last_line, "u0:of 5");
	log.owner_fn = on_line_of_owner;
	log_write(&log, 5, PICA_LOG_WARNING, "of %d", 5);
	ck_assert_str_eq(last_line, "u5:1:of 5");
	log_write(&log, 5, PICA_LOG_INFO, "dropped");
	log_write(&log, 0, PICA_LOG_ERROR, "nobody's");
	ck_assert_str_eq(last_line, "u0:nobody's");
	log.fn = NULL;
	log_write(&log, 0, PICA_LOG_ERROR, "nothing");
	log_write(&log, 5, PICA_LOG_ERROR, "all the same");
	ck_assert_str_eq(last_line, "u5:0:all the same");
	ck_assert_int_eq(lines, 7);
}
