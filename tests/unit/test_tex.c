/* Texture units 0-2: registers, formats, wrapping, filters, levels.  [fidelity: texture-numbers] */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tex_rig.h"
#include "tests/suite.h"

/* ---- Registers ---- */

FIXTURE(setup, teardown)

TEST(registers_of_each_unit) {
	uint32_t regs[REG_COUNT] = { 0 };
	regs[REG_TEXUNIT_CONFIG] = 0x00001005; /* units 0 and 2 */
	regs[REG_TEXUNIT0_BORDER_COLOR] = 0x80402010;
	regs[REG_TEXUNIT0_DIM] = 64u << 16 | 128;
	regs[REG_TEXUNIT0_PARAM] = 1u << 24 | 3u << 12 | 5u << 8 | 2;
	regs[REG_TEXUNIT0_LOD] = 2u << 24 | 15u << 16 | 0x1F00;
	regs[REG_TEXUNIT0_ADDR1] = MEM >> 3;
	regs[REG_TEXUNIT0_TYPE] = 0xC;
	regs[REG_TEXUNIT1_DIM] = 8u << 16 | 8;
	regs[REG_TEXUNIT2_DIM] = 1024u << 16 | 1024;
	regs[REG_TEXUNIT2_LOD] = 7u << 16 | 0x0080;
	regs[REG_TEXUNIT2_PARAM] = 4;
	regs[REG_TEXUNIT2_ADDR] = 0x0FFFFFFF;

	struct tex_desc d;
	tex_desc_from_regs(&d, regs, 0);
	ck_assert_uint_eq(d.addr, MEM);
	ck_assert_uint_eq(d.border, 0x80402010);
	ck_assert_uint_eq(d.width, 64);
	ck_assert_uint_eq(d.height, 128);
	ck_assert_uint_eq(d.enabled, 1);
	ck_assert_uint_eq(d.valid, 1);
	ck_assert_uint_eq(d.type, TEX_2D);
	ck_assert_uint_eq(d.format, 12);
	ck_assert_uint_eq(d.wrap_s, 3);
	ck_assert_uint_eq(d.wrap_t, 5);
	ck_assert_uint_eq(d.mag_linear, 1);
	ck_assert_uint_eq(d.min_linear, 0);
	ck_assert_uint_eq(d.mip_linear, 1);
	ck_assert_uint_eq(d.min_level, 2);
	ck_assert_uint_eq(d.max_level, 3); /* 64 >> 3 = 8 */
	ck_assert_uint_eq(d.coord_set, 0);
	ck_assert_int_eq(d.lod_bias, -256);

	tex_desc_from_regs(&d, regs, 1);
	ck_assert_uint_eq(d.enabled, 0);
	ck_assert_uint_eq(d.coord_set, 1);
	ck_assert_uint_eq(d.max_level, 0);

	tex_desc_from_regs(&d, regs, 2);
	ck_assert_uint_eq(d.enabled, 1);
	ck_assert_uint_eq(d.coord_set, 2);
	ck_assert_uint_eq(d.min_linear, 1);
	ck_assert_uint_eq(d.max_level, 7); /* 1024 >> 7 = 8 */
	ck_assert_int_eq(d.lod_bias, 0x80);
	ck_assert_uint_eq(d.addr, 0x7FFFFFF8);
	regs[REG_TEXUNIT_CONFIG] |= 1u << 13;
	tex_desc_from_regs(&d, regs, 2);
	ck_assert_uint_eq(d.coord_set, 1);
}

TEST(lod_bias_is_signed) {
	static const struct {
		uint32_t raw;
		int bias;
	} row[] = { { 0x0100, 256 }, { 0x0080, 128 }, { 0x1F00, -256 }, { 0x1000, -4096 },
		{ 0xFFF, 4095 } };
	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		uint32_t regs[REG_COUNT] = { 0 };
		struct tex_desc d;
		regs[REG_TEXUNIT1_LOD] = row[i].raw;
		tex_desc_from_regs(&d, regs, 1);
		ck_assert_int_eq(d.lod_bias, row[i].bias);
	}
}

TEST(type_5_disables_unit_0_only) {
	uint32_t regs[REG_COUNT] = { 0 };
	struct tex_desc d;
	regs[REG_TEXUNIT_CONFIG] = 7;
	regs[REG_TEXUNIT0_PARAM] = 5u << 28;
	regs[REG_TEXUNIT1_PARAM] = 5u << 28;
	tex_desc_from_regs(&d, regs, 0);
	ck_assert_uint_eq(d.enabled, 0);
	ck_assert_uint_eq(d.type, TEX_DISABLED);
	tex_desc_from_regs(&d, regs, 1);
	ck_assert_uint_eq(d.enabled, 1);
	ck_assert_uint_eq(d.type, TEX_2D);
	regs[REG_TEXUNIT0_PARAM] = 3u << 28;
	tex_desc_from_regs(&d, regs, 0);
	ck_assert_uint_eq(d.type, TEX_PROJECTION);
}

TEST(sizes_and_formats_that_can_be_sampled) {
	static const struct {
		unsigned width, height, format, valid, last;
	} row[] = {
		{ 8, 8, 0, 1, 0 },
		{ 0, 8, 0, 0, 0 },
		{ 8, 0, 0, 0, 0 },
		{ 4, 8, 0, 0, 0 },
		{ 12, 16, 0, 0, 0 },
		{ 16, 16, 13, 1, 1 },
		{ 16, 16, 14, 0, 0 },
		{ 16, 16, 15, 0, 0 },
		{ 24, 40, 0, 1, 0 },  /* level 1 would not be whole tiles */
		{ 48, 32, 0, 1, 1 },
		{ 2040, 2040, 0, 1, 0 },
		{ 1024, 8, 0, 1, 0 },
		{ 512, 1024, 0, 1, 6 },
	};
	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		uint32_t regs[REG_COUNT] = { 0 };
		struct tex_desc d;
		regs[REG_TEXUNIT0_DIM] = row[i].width << 16 | row[i].height;
		regs[REG_TEXUNIT0_TYPE] = row[i].format;
		regs[REG_TEXUNIT0_LOD] = 15u << 16;
		tex_desc_from_regs(&d, regs, 0);
		ck_assert_msg(d.valid == row[i].valid && d.max_level == row[i].last, "row %u", i);
		ck_assert_msg(row[i].valid || tex_size_bytes(&d) == 0, "row %u", i);
	}
}

TEST(format_table) {
	static const unsigned bits[] = { 32, 24, 16, 16, 16, 16, 16, 8, 8, 8, 4, 4, 4, 8, 0, 0 };
	for (unsigned i = 0; i < ARRAY_LEN(bits); i++) {
		ck_assert_uint_eq(tex_format_bits(i), bits[i]);
	}
	ck_assert_str_eq(tex_format_name(0), "rgba8");
	ck_assert_str_eq(tex_format_name(13), "etc1a4");
	ck_assert_str_eq(tex_format_name(14), "?");
}

TEST(mip_levels_follow_each_other) {
	struct tex_desc d = texture(0, 64, 64);
	d.max_level = 3;
	ck_assert_uint_eq(tex_level_offset(&d, 0), 0);
	ck_assert_uint_eq(tex_level_offset(&d, 1), 16384);
	ck_assert_uint_eq(tex_level_offset(&d, 2), 20480);
	ck_assert_uint_eq(tex_level_offset(&d, 3), 21504);
	ck_assert_uint_eq(tex_size_bytes(&d), 21504 + 256);
	d.format = 10; /* 4 bits */
	ck_assert_uint_eq(tex_level_offset(&d, 3), 21504 / 8);
}

/* ---- Formats ---- */

TEX_TEST(texels_lie_in_z_order) {
	static const struct {
		unsigned x, y, index;
	} row[] = { { 1, 0, 1 }, { 0, 1, 2 }, { 3, 2, 13 }, { 1, 1, 3 }, { 2, 0, 4 }, { 4, 0, 16 },
		{ 0, 4, 32 }, { 5, 6, 57 }, { 7, 7, 63 } };
	uint8_t src[64];
	for (unsigned i = 0; i < 64; i++) {
		src[i] = (uint8_t)i;
	}
	uint32_t dst[64];
	k.decode[7](dst, 8, src);
	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		ck_assert_uint_eq(dst[row[i].y * 8 + row[i].x],
				0xFF000000 | row[i].index * 0x010101);
	}
	k.decode[7](dst + 56, -8, src); /* rows upward */
	ck_assert_uint_eq(dst[1], 0xFF000000 | 43 * 0x010101); /* (1, 7) */
	ck_assert_uint_eq(dst[57], 0xFF010101);
}

TEST(tiles_lie_in_rows) {
	static const struct {
		unsigned col, row, index;
	} row[] = { { 8, 0, 64 }, { 0, 8, 512 }, { 9, 17, 1091 }, { 33, 5, 291 },
		{ 63, 63, 4095 } };
	struct tex_desc d = texture(TEXTURE_FORMAT_HILO8, 64, 64);
	for (unsigned i = 0; i < 4096; i++) {
		mem[2 * i] = (uint8_t)i;            /* G */
		mem[2 * i + 1] = (uint8_t)(i >> 8); /* R */
	}
	struct tex_kernels k = c_kernels();
	struct tex_image *image = tex_image_create(&d, &space, false);
	const struct tex_level *level = tex_image_level(image, 0, &k);
	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		uint32_t index = row[i].index;
		ck_assert_uint_eq(texel(level, (int)row[i].col, 63 - (int)row[i].row),
				0xFF000000 | (index & 255) << 8 | index >> 8);
	}
	tex_image_put(image);
}

/* Decodes a tile that starts with these bytes: the texel of this Z index is RRGGBBAA in hex. */
static void check_texel(const struct tex_kernels *k, unsigned format, const uint8_t *bytes,
		unsigned n, unsigned index, uint32_t rgba_hex) {
	uint8_t src[256] = { 0 };
	memcpy(src, bytes, n);
	uint32_t dst[64];
	k->decode[format](dst, 8, src);
	uint32_t t = dst[morton8_y(index) * 8 + morton8_x(index)];
	uint32_t hex = t << 24 | (t << 8 & 0xFF0000) | (t >> 8 & 0xFF00) | t >> 24;
	ck_assert_msg(hex == rgba_hex, "format %u texel %u: %08X, not %08X", format, index, hex,
			rgba_hex);
}

#define BYTES(...) ((const uint8_t[]){ __VA_ARGS__ }), sizeof((const uint8_t[]){ __VA_ARGS__ })

TEX_TEST(single_texels) {
	check_texel(&k, 0, BYTES(0x11, 0x22, 0x33, 0x44), 0, 0x44332211);
	check_texel(&k, 1, BYTES(0x11, 0x22, 0x33), 0, 0x332211FF);
	check_texel(&k, 1, BYTES(0, 0, 0, 0x11, 0x22, 0x33), 1, 0x332211FF);
	check_texel(&k, 2, BYTES(0x3F, 0xF8), 0, 0xFF00FFFF);
	check_texel(&k, 2, BYTES(0xC0, 0x07), 0, 0x00FF0000);
	check_texel(&k, 3, BYTES(0xE0, 0x07), 0, 0x00FF00FF);
	check_texel(&k, 4, BYTES(0x34, 0x12), 0, 0x11223344);
	check_texel(&k, 5, BYTES(0x80, 0x40), 0, 0x40404080);
	check_texel(&k, 6, BYTES(0x10, 0x20), 0, 0x201000FF);
	check_texel(&k, 7, BYTES(0x5A), 0, 0x5A5A5AFF);
	check_texel(&k, 8, BYTES(0x7F), 0, 0x0000007F);
	check_texel(&k, 9, BYTES(0xA5), 0, 0xAAAAAA55);
	check_texel(&k, 10, BYTES(0x3C), 0, 0xCCCCCCFF);
	check_texel(&k, 10, BYTES(0x3C), 1, 0x333333FF);
	check_texel(&k, 11, BYTES(0x3C), 0, 0x000000CC);
	check_texel(&k, 11, BYTES(0x3C), 1, 0x00000033);
}

TEX_TEST(components_expand_to_8_bits) {
	static const uint8_t five[][2] = { { 0, 0 }, { 1, 8 }, { 15, 123 }, { 16, 132 },
		{ 30, 247 }, { 31, 255 } };
	static const uint8_t six[][2] = { { 0, 0 }, { 1, 4 }, { 31, 125 }, { 32, 130 }, { 62, 251 },
		{ 63, 255 } };
	static const uint8_t four[][2] = { { 1, 17 }, { 7, 119 }, { 8, 136 }, { 15, 255 } };
	for (unsigned i = 0; i < ARRAY_LEN(five); i++) {
		uint32_t w = five[i][0] * 0x0842u; /* R5 G5 B5 A1 */
		uint32_t x = five[i][1];
		check_texel(&k, 2, BYTES(w & 255, w >> 8), 0, x << 24 | x << 16 | x << 8);
	}
	for (unsigned i = 0; i < ARRAY_LEN(six); i++) {
		uint32_t w = (uint32_t)six[i][0] << 5;
		check_texel(&k, 3, BYTES(w & 255, w >> 8), 0, (uint32_t)six[i][1] << 16 | 255);
	}
	for (unsigned i = 0; i < ARRAY_LEN(four); i++) {
		uint32_t w = four[i][0] * 0x1111u;
		check_texel(&k, 4, BYTES(w & 255, w >> 8), 0, four[i][1] * 0x01010101u);
	}
}

TEX_TEST(etc1_blocks) {
	static const uint8_t individual[] = { 0x0F, 0x0F, 0xF0, 0x00, 0x34, 0x2A, 0x4C, 0xF8 };
	static const uint8_t differential[] = { 0x21, 0x84, 0x01, 0x80, 0x77, 0xFC, 0x47, 0x81 };
	/* In the first block of a tile texel (x, y) has Z index morton8(x, y). */
	check_texel(&k, 12, individual, 8, morton8(0, 0), 0xFF5533FF);
	check_texel(&k, 12, individual, 8, morton8(1, 1), 0xFA3F1DFF);
	check_texel(&k, 12, individual, 8, morton8(2, 0), 0xD8FFFAFF);
	check_texel(&k, 12, individual, 8, morton8(3, 3), 0xA0E4C2FF);
	check_texel(&k, 12, differential, 8, morton8(0, 0), 0x5A18D5FF);
	check_texel(&k, 12, differential, 8, morton8(0, 1), 0x914FFFFF);
	check_texel(&k, 12, differential, 8, morton8(1, 1), 0xAE6CFFFF);
	check_texel(&k, 12, differential, 8, morton8(0, 2), 0xA451F6FF);
	check_texel(&k, 12, differential, 8, morton8(2, 2), 0xDC89FFFF);
	check_texel(&k, 12, differential, 8, morton8(3, 3), 0x3C008EFF);

	/* Blocks 0 1 above 2 3, and alpha nibble k = x*4 + y in front of the colour. */
	uint8_t tile[64] = { 0 };
	memcpy(tile + 16, individual, 8);
	check_texel(&k, 12, tile, 32, morton8(0, 4), 0xFF5533FF); /* block 2 */
	memset(tile, 0, sizeof(tile));
	tile[16] = 0x50; /* block 1, k = 1: (0, 1) */
	tile[19] = 0x09; /* k = 6: (1, 2) */
	memcpy(tile + 24, individual, 8);
	check_texel(&k, 13, tile, 64, morton8(4, 0), 0xFF553300);
	check_texel(&k, 13, tile, 64, morton8(4, 1), 0xFF553355);
	check_texel(&k, 13, tile, 64, morton8(5, 1), 0xFA3F1D00);
	check_texel(&k, 13, tile, 64, morton8(5, 2), 0xFA3F1D99);
}

TEX_TEST(etc1_base_sum_wraps) {
	/* Differential, base 31, difference +1: 32 wraps to 0 in the second half; table 0, +2. */
	uint8_t block[8] = { 0, 0, 0, 0, 2, 0, 0, 0xF9 };
	check_texel(&k, 12, block, 8, morton8(0, 0), 0xFF0202FF);
	check_texel(&k, 12, block, 8, morton8(2, 0), 0x020202FF);
	block[7] = 0x07; /* base 0, difference -1: 31 */
	check_texel(&k, 12, block, 8, morton8(2, 0), 0xFF0202FF);
}

/* ---- Images and the cache ---- */

TEST(copied_image_keeps_the_old_texels) {
	struct tex_kernels k = c_kernels();
	struct tex_desc d = texture(0, 8, 8);
	struct tex_image *live = ramp(&d), *copy = tex_image_create(&d, &space, true);
	memset(mem, 0x77, 256);
	ck_assert_uint_eq(sample_one(&k, &d, copy, 3.5f / 8, 0), 0xFF00001E);
	ck_assert_uint_eq(sample_one(&k, &d, live, 3.5f / 8, 0), 0x77777777);
	tex_image_put(live);
	tex_image_put(copy);
}

TEST(memory_outside_windows_reads_0) {
	struct tex_kernels k = c_kernels();
	struct tex_desc d = texture(0, 8, 16);
	d.addr = MEM + MEM_SIZE - 256; /* the upper tile, t = 8..15, is inside */
	memset(mem + MEM_SIZE - 256, 0x55, 256);
	for (unsigned copy = 0; copy < 2; copy++) {
		struct tex_image *image = tex_image_create(&d, &space, copy);
		ck_assert_uint_eq(sample_one(&k, &d, image, 0, 0.75f), 0x55555555);
		ck_assert_uint_eq(sample_one(&k, &d, image, 0, 0.25f), 0);
		tex_image_put(image);
	}
	/* Over two windows: read when it is decoded, as a texture in one window is. */
	ck_assert_int_eq(space_map(&space, MEM + MEM_SIZE, 0x1000, NULL, 0), 0);
	struct tex_image *image = tex_image_create(&d, &space, false);
	memset(space_host(&space, MEM + MEM_SIZE, 256), 0x66, 256);
	ck_assert_uint_eq(sample_one(&k, &d, image, 0, 0.75f), 0x55555555);
	ck_assert_uint_eq(sample_one(&k, &d, image, 0, 0.25f), 0x66666666);
	tex_image_put(image);
}

struct racer {
	pthread_barrier_t *start;
	struct tex_image *image;
	const struct tex_kernels *k;
	uint32_t sum[4];
};

static void *race(void *arg) {
	struct racer *r = arg;
	pthread_barrier_wait(r->start);
	for (unsigned n = 0; n < 4; n++) {
		const struct tex_level *level = tex_image_level(r->image, n, r->k);
		for (int t = -1; t <= (int)level->height; t++) {
			for (int s = -1; s <= (int)level->width; s++) {
				r->sum[n] += texel(level, s, t);
			}
		}
	}
	tex_image_put(r->image);
	return NULL;
}

TEST(two_threads_decode_the_same_level) {
	struct tex_kernels k;
	tex_kernels_init(&k, isa_best());
	struct tex_desc d = four_levels();
	for (unsigned round = 0; round < 50; round++) {
		pthread_barrier_t start;
		pthread_barrier_init(&start, NULL, 2);
		struct tex_image *image = tex_image_create(&d, &space, false);
		struct racer r[2] = { { &start, image, &k, { 0 } },
			{ &start, tex_image_get(image), &k, { 0 } } };
		pthread_t thread[2];
		for (unsigned i = 0; i < 2; i++) {
			ck_assert_int_eq(pthread_create(&thread[i], NULL, race, &r[i]), 0);
		}
		for (unsigned i = 0; i < 2; i++) {
			pthread_join(thread[i], NULL);
			for (unsigned n = 0; n < 4; n++) { /* A = B = G = 0 */
				uint32_t side = (64u >> n) + 2;
				ck_assert_uint_eq(r[i].sum[n], side * side * (10 * n + 10));
			}
		}
		pthread_barrier_destroy(&start);
	}
}
